package compile_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

// compiled is one compiled pass of a test corpus.
type compiled struct {
	id   string
	pass *compile.Pass
}

// compileAll compiles every program and effect of the test corpus; what the whole
// effect says about a pass is known, as it is to the commands.
func compileAll(t testing.TB, opt *compile.Options) []compiled {
	t.Helper()
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
	for _, s := range corpus.Shaders(t) {
		add(s.Name, &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Shader.Program.Kind, Program: s.Data}}})
	}
	for _, f := range corpus.Effects(t) {
		e, err := effect.Parse(f.Data)
		require.NoError(t, err, f.Name)
		for _, u := range e.Bodies() {
			body, err := e.Body(u.Permutations[0])
			require.NoError(t, err)
			facts := compile.BodyFacts(body)
			for ti := range body.Techniques {
				for pi := range body.Techniques[ti].Passes {
					in := compile.EffectPass(&body.Techniques[ti].Passes[pi])
					facts.Apply(ti, pi, in)
					add(fmt.Sprintf("%s?%d#%d.%s/%d", f.Name, u.Permutations[0], ti, body.Techniques[ti].Name, pi), in)
				}
			}
		}
	}
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
	all := compileAll(t, opt)
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
