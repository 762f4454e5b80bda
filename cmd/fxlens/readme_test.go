package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeCommands: the table of README names every command there is, none that there
// is not, and only flags that the row's commands have.
func TestReadmeCommands(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(b), "## Commands\n")
	require.True(t, ok)
	section, _, _ := strings.Cut(rest, "\n## ")

	root := newApp(nil, nil, nil, nil).root()
	commands := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "completion" && c.Name() != "help" {
			commands[c.Name()] = c
		}
	}
	listed := map[string]bool{}
	name := regexp.MustCompile("`fxlens ([a-z]+)")
	flag := regexp.MustCompile("--([a-z-]+)")
	for line := range strings.SplitSeq(section, "\n") {
		if !strings.HasPrefix(line, "| `fxlens") {
			continue
		}
		var row []*cobra.Command
		for _, m := range name.FindAllStringSubmatch(line, -1) {
			listed[m[1]] = true
			if assert.Contains(t, commands, m[1], "README lists a command that is not there") {
				row = append(row, commands[m[1]])
			}
		}
		for _, m := range flag.FindAllStringSubmatch(line, -1) {
			has := false
			for _, c := range row {
				has = has || c.Flags().Lookup(m[1]) != nil
			}
			assert.True(t, has, "no command of this row has --%s: %s", m[1], line)
		}
	}
	for n := range commands {
		assert.True(t, listed[n], "README does not list %s", n)
	}
}
