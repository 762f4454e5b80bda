package docs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/session"
	"fxlens/core/wgsl"
)

// raised collects the diagnostics that the files of testdata and a few passes that no
// file has raise, by code, and checks each of them: a place where it can have one, a rule
// and a remedy, or the word that there is none.
func raised(t *testing.T) map[diag.Code]string {
	t.Helper()
	root := filepath.Join("..", "..", "testdata")
	seen := map[diag.Code]string{}
	see := func(from string, ds []diag.Diag) {
		for _, d := range ds {
			if seen[d.Code] != "" {
				continue
			}
			seen[d.Code] = from
			info, ok := diag.Lookup(d.Code)
			require.True(t, ok, d.Code)
			assert.NotEmpty(t, info.Rule, d.Code)
			assert.NotEmpty(t, d.Remedy, "%s from %s: the remedy, or none", d.Code, from)
			assert.NotEmpty(t, d.Text, d.Code)
		}
	}
	var files []string
	for _, g := range []string{"hlsl/*.dxbc", "dxbc/golden/*.dxbc", "effects/*.sm_*", "effects/*/*.sm_*", "effects/*/*/*.sm_*"} {
		m, err := filepath.Glob(filepath.Join(root, g))
		require.NoError(t, err)
		files = append(files, m...)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, o := range []compile.Options{{}, {Views: map[string]string{"*": "auto"}, Options: wgsl.Options{Strict: true, Limits: true}},
			{Views: map[string]string{"t0": "R32_SINT", "u0": "R9_SINT"}}, {Views: map[string]string{"t0": "R32_FLOAT", "u0": "R32G32B32_UINT"}}} {
			s, err := session.Open(path, b, o)
			if err != nil {
				continue
			}
			see(path, s.Findings())
			refs, err := s.Passes(s.DefaultPermutation())
			if err != nil {
				continue
			}
			for _, r := range refs {
				p, err := s.Compile(context.Background(), s.DefaultPermutation(), r)
				require.NoError(t, err)
				for _, st := range p.Stages {
					for _, d := range s.Diags(s.DefaultPermutation(), r, &compile.Pass{Stages: []*compile.Stage{st}}) {
						assert.Equal(t, st.Kind.String(), d.At.Stage, "%s from %s names its stage", d.Code, path)
					}
				}
				see(path, s.Diags(s.DefaultPermutation(), r, p))
			}
		}
	}
	// Passes that the engine's compiler does not write.
	ps, err := os.ReadFile(filepath.Join(root, "hlsl", "flow-if-else.dxbc"))
	require.NoError(t, err)
	cs, err := os.ReadFile(filepath.Join(root, "hlsl", "cs-ids.dxbc"))
	require.NoError(t, err)
	for name, in := range map[string]*compile.PassInput{
		"no program":          {Stages: []compile.StageInput{{Kind: dxbc.Pixel, Program: []byte("DXBC")}}},
		"another kind":        {Stages: []compile.StageInput{{Kind: dxbc.Vertex, Program: ps}}},
		"twice":               {Stages: []compile.StageInput{{Kind: dxbc.Pixel, Program: ps}, {Kind: dxbc.Pixel, Program: ps}}},
		"another group":       {Stages: []compile.StageInput{{Kind: dxbc.Compute, Program: cs, ThreadGroup: [3]uint32{1, 2, 3}}}},
		"compute and a pixel": {Stages: []compile.StageInput{{Kind: dxbc.Pixel, Program: ps}, {Kind: dxbc.Compute, Program: cs}}},
	} {
		p, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{})
		require.NoError(t, err)
		see(name, p.Diags)
		for _, st := range p.Stages {
			see(name, st.Diags)
		}
	}
	return seen
}

// TestCodesAreRaised: these codes have a fixture here, each with place, rule and remedy.
// Those of package formats have theirs in the tests of altered packages.
func TestCodesAreRaised(t *testing.T) {
	seen := raised(t)
	n := 0
	for _, i := range diag.All() {
		if strings.HasPrefix(string(i.Code), "compile.") && i.Code != "compile.view-proof" {
			assert.NotEmpty(t, seen[i.Code], i.Code)
		}
		if seen[i.Code] != "" {
			n++
		}
	}
	t.Logf("%d of %d codes are raised by these fixtures", n, len(diag.All()))
	for _, c := range []diag.Code{"bind.view-format", "bind.format-assumed", "bind.format-unknown", "bind.format-mismatch", "bind.limits", "bind.dimension",
		"bind.stages", "bind.texture-atomic", "bind.rasterizer-ordered", "lower.interface-call", "lower.undefined-read", "lower.uniform-load", "wgsl.double", "wgsl.limits"} {
		assert.NotEmpty(t, seen[c], c)
	}
}
