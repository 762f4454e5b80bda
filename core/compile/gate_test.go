package compile_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

// compiled is one compiled pass of a test corpus.
type compiled struct {
	id   string
	pass *compile.Pass
}

// corpus is everything that the tests compile: programs and effects of testdata,
// and of ../shared where that folder exists.
func corpus(t testing.TB, opt *compile.Options) []compiled {
	t.Helper()
	root := judge.Root(t)
	c := &compile.Compiler{}
	var out []compiled
	seen := map[*compile.Pass]bool{}
	add := func(id string, in *compile.PassInput) {
		p, err := c.Pass(context.Background(), in, opt)
		require.NoError(t, err, id)
		if !seen[p] {
			seen[p] = true
			out = append(out, compiled{id, p})
		}
	}
	for _, pattern := range []string{"testdata/dxbc/golden/*.dxbc", "testdata/hlsl/*.dxbc", "../shared/dxbc-golden/*.dxbc", "../shared/dxbc/*/*"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, name := range files {
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			s, err := dxbc.Open(b)
			if err != nil {
				continue // DXIL, Direct3D 9 and damaged files; core/dxbc has tests of those
			}
			switch s.Program.Kind {
			case dxbc.Vertex, dxbc.Pixel, dxbc.Compute:
				id, _ := filepath.Rel(root, name)
				add(id, &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: b}}})
			}
		}
	}
	for _, dir := range []string{"testdata/effects", "../shared/effects"} {
		for _, name := range effectFiles(t, filepath.Join(root, dir)) {
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			e, err := effect.Parse(b)
			require.NoError(t, err, name)
			id, _ := filepath.Rel(root, name)
			for _, u := range e.Bodies() {
				body, err := e.Body(u.Permutations[0])
				require.NoError(t, err)
				for ti := range body.Techniques {
					for pi := range body.Techniques[ti].Passes {
						add(fmt.Sprintf("%s?%d#%d.%s/%d", id, u.Permutations[0], ti, body.Techniques[ti].Name, pi), compile.EffectPass(&body.Techniques[ti].Passes[pi]))
					}
				}
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

func effectFiles(t testing.TB, dir string) []string {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		if !d.IsDir() && strings.Contains(filepath.Base(path), ".sm_") && !strings.HasSuffix(path, ".json") {
			out = append(out, path)
		}
		return nil
	})
	require.NoError(t, err)
	return out
}

// webGPUReasons are the codes for which a program of the corpus may be refused,
// with what WebGPU or WGSL lacks.
var webGPUReasons = map[diag.Code]string{
	"bind.dimension":          "multisampled arrays, cube textures without a sampler",
	"bind.rasterizer-ordered": "rasterizer-ordered views",
	"bind.texture-atomic":     "atomics on textures",
	"bind.vertex-storage":     "writes from the vertex stage",
	"bind.view-format":        "typed buffers: the view's format is no part of the program",
	"bind.unbounded-range":    "binding arrays without a size",
	"compile.no-stage":        "geometry, hull and domain stages",
	"lower.dynamic-resource":  "unbounded binding arrays",
	"lower.interface-call":    "dynamic linkage: no class is chosen here",
	"lower.endless-loop":      "loops that never end",
	"wgsl.double":             "64-bit floats",
	"wgsl.system-value":       "cull distance, stencil reference, layers, viewports",
}

// TestDawnGate compiles everything and lets Dawn check every module and form
// every pipeline with the planned layout.
func TestDawnGate(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  compile.Options
	}{
		{"default", compile.Options{}},
		{"exact, assumed views", compile.Options{Options: wgsl.Options{Numeric: wgsl.Exact}, Views: map[string]string{"*": "auto"}}},
	} {
		t.Run(c.name, func(t *testing.T) { gate(t, &c.opt) })
	}
}

func gate(t *testing.T, opt *compile.Options) {
	all := corpus(t, opt)
	var cases []judge.Case
	refusals := map[diag.Code]int{}
	counts := map[string]int{}
	for _, c := range all {
		for _, s := range c.pass.Stages {
			counts[fmt.Sprintf("%s %s", s.Kind, s.Status)]++
			for _, d := range s.Diags {
				if d.Sev == diag.Error {
					refusals[d.Code]++
					t.Logf("%s/%s: %s", c.id, s.Kind, d)
				}
			}
			if s.Module != nil {
				assert.Empty(t, wgsl.Coverage(s.Func, s.Module), "%s/%s: instructions without WGSL or a fate", c.id, s.Kind)
				assert.NoError(t, ir.Verify(s.Func))
			}
		}
		for _, d := range c.pass.Diags {
			if d.Sev == diag.Error {
				refusals[d.Code]++
				t.Logf("%s: %s", c.id, d)
			}
		}
		cases = append(cases, passcase.Of(c.id, c.pass)...)
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[k], k)
	}
	for _, k := range slices.Sorted(maps.Keys(refusals)) {
		t.Logf("%6d refusals %s", refusals[k], k)
		assert.Contains(t, webGPUReasons, k, "a refusal for no reason that WebGPU gives")
	}
	judge.Check(t, cases)
}
