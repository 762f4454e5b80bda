package session

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/pack/cewgpu"
	"fxlens/internal/corpus"
)

// told is a premise without its place.
func told(ps []ir.Premise) []ir.Premise {
	var out []ir.Premise
	for _, p := range ps {
		q := p
		q.At = diag.At(p.At.Index())
		out = append(out, q)
	}
	return out
}

// What the stages of real effects take for granted reaches the extended package, all
// of it, survives the way back, and is what the opened package says; with or without
// the programs inside.
func TestPremisesOfEffects(t *testing.T) {
	type want struct{ path, pass, premise string }
	cases := []want{{corpus.Root(t) + "/testdata/effects/particles/clear.sm_hi", "", ""}}
	for _, c := range []want{
		{"particles/sort.sm_hi", "", "order"},
		{"particles/emit.sm_hi", "", ""},
		{"skinning/skin.sm_hi", "", "dispatch"},
	} {
		if path, ok := corpus.Shared(t, "effects", c.path); ok {
			cases = append(cases, want{path, c.pass, c.premise})
		}
	}
	ctx := context.Background()
	for _, c := range cases {
		data, err := os.ReadFile(c.path)
		require.NoError(t, err)
		s, err := Open(c.path, data, compile.Options{Views: map[string]string{"*": "auto"}})
		require.NoError(t, err)
		perm := s.DefaultPermutation()
		pkg, _, err := s.BuildPackage(ctx, PackageOptions{Perm: perm, Mode: cewgpu.All, Profile: cewgpu.Extended, Version: "1.2.3"})
		require.NoError(t, err, c.path)
		back, err := Open("a.cewgpu", pkg, compile.Options{})
		require.NoError(t, err)
		passes, err := s.Passes(perm)
		require.NoError(t, err)
		kinds := map[string]int{}
		for _, ref := range passes {
			fresh, err := s.Compile(ctx, perm, ref)
			require.NoError(t, err)
			if fresh.Status != compile.Translated {
				continue
			}
			stored, err := back.Stored(perm, ref)
			require.NoError(t, err)
			opened, err := back.Compile(ctx, perm, ref)
			require.NoError(t, err)
			require.Len(t, opened.Stages, len(fresh.Stages))
			for i, st := range fresh.Stages {
				require.Len(t, stored.Shaders[i].Premises, len(st.Premises), "%s %s", c.path, ref)
				for k, p := range st.Premises {
					kinds[p.Kind.String()]++
					q := stored.Shaders[i].Premises[k]
					assert.Equal(t, p.Short(), q.Subject+" "+q.Relation+" "+q.Value)
					assert.Equal(t, p.Text, q.Message)
					require.NotNil(t, q.InstructionIndex)
					assert.Equal(t, p.At.Index(), *q.InstructionIndex)
				}
				assert.Equal(t, told(st.Premises), told(opened.Stages[i].Premises), "%s %s", c.path, ref)
			}
		}
		assert.NotEmpty(t, kinds, c.path)
		if c.premise != "" {
			assert.NotZero(t, kinds[c.premise], "%s: %v", c.path, kinds)
		}
	}
}

// A package whose premise was altered is believed: it says what it was built for.
func TestStoredPremiseWins(t *testing.T) {
	ctx := context.Background()
	s := open(t, "effects/particles/clear.sm_hi")
	s.Options.Views = map[string]string{"*": "auto"}
	perm := s.DefaultPermutation()
	pkg, _, err := s.BuildPackage(ctx, PackageOptions{Perm: perm, Profile: cewgpu.Extended, Version: "1.2.3"})
	require.NoError(t, err)
	altered := bytes.ReplaceAll(pkg, []byte(`"subject":"groups.`), []byte(`"subject":"Groups.`))
	require.NotEqual(t, pkg, altered)
	back, err := Open("a.cewgpu", altered, compile.Options{})
	require.NoError(t, err)
	passes, err := back.Passes(perm)
	require.NoError(t, err)
	p, err := back.Compile(ctx, perm, passes[0])
	require.NoError(t, err)
	require.NotEmpty(t, p.Stages[0].Premises)
	assert.Contains(t, p.Stages[0].Premises[0].Subject, "Groups.")
}
