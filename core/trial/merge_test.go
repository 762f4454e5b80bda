package trial

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/gpu"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
)

// detailPass is a pixel program with n detail maps in t2 and up, each sampled at its own
// scale, weighed into one target and as it is into another.
func detailPass(t *testing.T, n int) *compile.PassInput {
	t.Helper()
	var decls, outs, body strings.Builder
	in := &compile.PassInput{LayoutKey: "Main.pass0"}
	for i := range n {
		fmt.Fprintf(&decls, "dcl_resource_texture2d (float,float,float,float) t%d\n", i+2)
		fmt.Fprintf(&outs, "dcl_output o%d.xyzw\n", i+1)
		fmt.Fprintf(&body, "mul r0.xy, v0.xyxx, l(%d.5, %d.25, 0, 0)\nsample_b r1.xyzw, r0.xyxx, t%d.xyzw, s0, l(-0.5)\nmad r2.xyzw, r1.xyzw, l(0.%d, 0.2, 0.3, 1), r2.xyzw\nmov o%d.xyzw, r1.wzyx\n", i+1, i, i+2, i+1, i+1)
		in.Textures = append(in.Textures, layout.NamedTexture{Name: fmt.Sprintf("Detail%dMap", i+1), Register: uint32(i + 2), Type: 2, Elements: 1})
	}
	b, err := dxbc.Assemble("ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_sampler s0, mode_default\n"+decls.String()+"dcl_input_ps linear v0.xy\ndcl_output o0.xyzw\n"+outs.String()+
		"dcl_temps 3\nmov r2.xyzw, l(0, 0, 0, 0)\n"+body.String()+"mov o0.xyzw, r2.xyzw\nret\n", nil)
	require.NoError(t, err)
	in.Stages = []compile.StageInput{{Kind: dxbc.Pixel, Program: b}}
	return in
}

// quadV5 is the pass of an effect with n detail maps.
func quadV5(t *testing.T, n int) *compile.PassInput {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus.Root(t), "testdata", "effects", "quadv5.sm_hi"))
	require.NoError(t, err)
	e, err := effect.Parse(b)
	require.NoError(t, err)
	for _, u := range e.Bodies() {
		body, err := e.Body(u.Permutations[0])
		require.NoError(t, err)
		in := compile.EffectPass(&body.Techniques[0].Passes[0])
		in.LayoutKey = "Main.pass0"
		maps := 0
		for _, x := range in.Textures {
			if strings.HasPrefix(x.Name, "Detail") && strings.HasSuffix(x.Name, "Map") {
				maps++
			}
		}
		if maps == n {
			return in
		}
	}
	require.Failf(t, "no pass", "none has %d detail maps", n)
	return nil
}

// pixelStage compiles the pixel stage of a pass, its detail maps merged or not.
func pixelStage(t *testing.T, in *compile.PassInput, merge bool) *Stage {
	t.Helper()
	res, err := (&compile.Compiler{}).Pass(context.Background(), in, &compile.Options{Transforms: merge})
	require.NoError(t, err)
	st, err := Stages("detail maps", res)
	require.NoError(t, err)
	for _, s := range st {
		if s.Module.Stage == layout.Fragment {
			return s
		}
	}
	require.Fail(t, "the pixel stage is not translated")
	return nil
}

// TestMergedTextures draws with two and with three detail maps as they are and as the
// layers of one array: the pixels are the same, bit for bit, and those of the
// interpreter, which knows nothing of layers. The maps differ: exchanging two layers
// changes the pixels, into those of the program with these two maps exchanged.
func TestMergedTextures(t *testing.T) {
	type run struct {
		name          string
		merged, plain *Trial
		want          *Expected // of the pair of trials
		swap          [2]int    // the layers that are exchanged, or twice 0
	}
	var runs []run
	var jobs []judge.Job
	for _, c := range []struct {
		name string
		in   *compile.PassInput
		maps int
	}{
		{"two maps", detailPass(t, 2), 2}, {"three maps", detailPass(t, 3), 3},
		{"two of an effect", quadV5(t, 2), 2}, {"three of an effect", quadV5(t, 3), 3},
	} {
		sm, sp := pixelStage(t, c.in, true), pixelStage(t, c.in, false)
		require.Contains(t, sm.Module.Code, "texture_2d_array<f32>", c.name)
		require.NotContains(t, sp.Module.Code, "texture_2d_array", c.name)
		for _, set := range []Set{Small, Boundary} {
			swaps := [][2]int{{0, 0}}
			for i := range c.maps {
				// Among the numbers of the other set are weights that hide a map.
				for k := range i {
					if set != Small {
						break
					}
					swaps = append(swaps, [2]int{k, i})
				}
			}
			for _, swap := range swaps {
				r := run{name: fmt.Sprintf("%s, %s, %v", c.name, set, swap), swap: swap}
				var err error
				r.merged, err = sm.Trial(set, 7, true)
				require.NoError(t, err, r.name)
				r.plain, err = sp.Trial(set, 7, true)
				require.NoError(t, err, r.name)
				require.Equal(t, r.plain.in, r.merged.in, r.name)
				require.Len(t, r.merged.arrays, 1, r.name)
				layers := r.merged.arrays[0].layers
				require.Len(t, layers, c.maps, r.name)
				a, b := layers[swap[0]], layers[swap[1]]
				if a != b {
					require.NotEqual(t, a.web.Data, b.web.Data, "the maps differ")
					a.web.Data, b.web.Data = b.web.Data, a.web.Data
				}
				for _, x := range r.plain.textures { // the same maps, one by one
					if i := slices.IndexFunc(r.merged.textures, func(m *texture) bool { return m.name == x.name }); assert.GreaterOrEqual(t, i, 0, x.name) {
						m := r.merged.textures[i]
						x.format, x.web = m.format, m.web
					}
				}
				r.want, err = r.plain.Expect(context.Background())
				require.NoError(t, err, r.name)
				for _, tr := range []*Trial{r.merged, r.plain} {
					j, err := tr.Job(r.name)
					require.NoError(t, err, r.name)
					jobs = append(jobs, j)
				}
				runs = append(runs, r)
			}
		}
	}
	outs := judge.Run(t, jobs)
	pixels := func(o gpu.Outcome) []byte {
		require.True(t, o.Ran, "%s: %s", o.ID, o)
		return o.Outputs["fx:out"]
	}
	cells := 0
	for i, r := range runs {
		merged, plain := outs[2*i], outs[2*i+1]
		require.Equal(t, pixels(plain), pixels(merged), r.name)
		for _, x := range []struct {
			t *Trial
			o gpu.Outcome
		}{{r.merged, merged}, {r.plain, plain}} {
			res := x.t.Compare(r.want, x.o)
			require.Empty(t, res.Error, r.name)
			assert.Zero(t, res.Diffs, "%s: %s", r.name, res.First)
			cells += res.Cells
		}
		if r.swap == [2]int{} {
			continue
		}
		before := i
		for runs[before].swap != [2]int{} {
			before--
		}
		assert.NotEqual(t, pixels(outs[2*before]), pixels(merged), "%s: the exchange does not show", r.name)
		res := r.merged.Compare(runs[before].want, merged)
		assert.Positive(t, res.Diffs, "%s: the comparison does not see the exchange", r.name)
	}
	t.Logf("%d draws, %d words compared", len(jobs), cells)
	assert.Greater(t, cells, 5000)
}
