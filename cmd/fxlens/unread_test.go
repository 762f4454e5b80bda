package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a command left out because it could not be read must not pass for success, and
// must not hide a worse result either.
func TestComplete(t *testing.T) {
	var out, errs bytes.Buffer
	a := newApp(nil, nil, &out, &errs)
	require.NoError(t, a.complete(nil, 0))
	assert.Empty(t, errs.String())
	worse := errors.New("worse")
	require.ErrorIs(t, a.complete(worse, 1), worse)
	assert.Empty(t, errs.String())
	n := a.skipped([]error{errors.New("list a\x1b: permission denied"), errors.New("list b: permission denied")})
	require.ErrorIs(t, a.complete(nil, n), errRefused)
	assert.Equal(t, "fxlens: list a\\x1b: permission denied\nfxlens: list b: permission denied\n"+
		"fxlens: 2 folders or files could not be read: the result is without what is in there\n", errs.String())
	assert.Empty(t, out.String())
}

// A word between backticks in a flag's description names its value: one word, and none
// where the flag is a switch.
func TestFlagValues(t *testing.T) {
	var walk func(c *cobra.Command)
	seen := 0
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			seen++
			name, _ := pflag.UnquoteUsage(f)
			if f.Value.Type() == "bool" {
				assert.Empty(t, name, "%s --%s is a switch", c.CommandPath(), f.Name)
			}
			assert.Equal(t, 0, strings.Count(name, " "), "%s --%s: %q is no name of a value", c.CommandPath(), f.Name, name)
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newApp(nil, nil, nil, nil).root())
	assert.NotZero(t, seen)
}

// What is made for some arguments is what the whole tree has for them.
func TestRootFor(t *testing.T) {
	whole := newApp(nil, nil, nil, nil).root()
	names, _ := newApp(nil, nil, nil, nil).commands()
	for _, n := range names {
		root := newApp(nil, nil, nil, nil).rootFor([]string{n, "x"})
		require.Len(t, root.Commands(), 1, n)
		want, _, err := whole.Find([]string{n})
		require.NoError(t, err)
		assert.Equal(t, n, want.Name())
		assert.Equal(t, want.UsageString(), root.Commands()[0].UsageString())
	}
	assert.Empty(t, newApp(nil, nil, nil, nil).rootFor([]string{"a.sm_hi"}).Commands())
	for _, args := range [][]string{nil, {"--help"}, {"help"}, {"completion"}, {"inspekt"}, {"--theme", "dark", "a.sm_hi"}} {
		assert.Len(t, newApp(nil, nil, nil, nil).rootFor(args).Commands(), len(whole.Commands()), args)
	}
}
