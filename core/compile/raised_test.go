package compile_test

import (
	"context"
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
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/core/wgsl"
)

// TestFindings: what the files of testdata, programs that no compiler writes and passes
// that no file has raise names its place, its rule and a remedy, or that there is none.
func TestFindings(t *testing.T) {
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
	// Programs that no compiler writes.
	for name, text := range brokenPrograms {
		b, err := dxbc.Assemble(text, nil)
		require.NoError(t, err, name)
		s, err := session.Open(name, b, compile.Options{})
		require.NoError(t, err, name)
		see(name, s.Findings())
		refs, err := s.Passes(0)
		require.NoError(t, err, name)
		p, err := s.Compile(context.Background(), 0, refs[0])
		require.NoError(t, err, name)
		see(name, s.Diags(0, refs[0], p))
	}
	// A program beside the reflection of another, one that its effect calls something else,
	// one of a kind that nobody asks the lowering for.
	like, err := os.ReadFile(filepath.Join(root, "hlsl", "flow-if-else.dxbc"))
	require.NoError(t, err)
	other, err := dxbc.Open(like)
	require.NoError(t, err)
	text := "ps_5_0\ndcl_resource_texture2d (float,float,float,float) t7\ndcl_output o0.xyzw\ndcl_temps 1\nld r0.xyzw, l(0,0,0,0), t7.xyzw\nmov o0.xyzw, r0.xyzw\nret\n"
	b, err := dxbc.Assemble(text, other)
	require.NoError(t, err)
	s, err := session.Open("reflection", b, compile.Options{})
	require.NoError(t, err)
	see("reflection", s.Findings())
	see("a vertex stage", s.Program.Program.CheckStage(dxbc.Vertex))
	longer, err := dxbc.Build([]dxbc.Chunk{{Tag: "SHEX", Data: append(slices.Clone(other.Code.Data), 1, 2, 3, 4)}}, false)
	require.NoError(t, err)
	s, err = session.Open("longer", longer, compile.Options{})
	require.NoError(t, err)
	see("bytes behind the program", s.Findings())
	gs, err := dxbc.Assemble("gs_5_0\ndcl_inputprimitive point\ndcl_outputtopology pointlist\ndcl_maxout 1\nret\n", nil)
	require.NoError(t, err)
	geometry, err := dxbc.Open(gs)
	require.NoError(t, err)
	_, ds, err := ir.Build(context.Background(), geometry, ir.BuildOptions{})
	require.NoError(t, err)
	see("a geometry program", ds)
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
}

// brokenPrograms raise what files of real compilers do not.
var brokenPrograms = map[string]string{
	"break outside a loop": "ps_5_0\ndcl_output o0.xyzw\nbreak\nmov o0.xyzw, l(0,0,0,0)\nret\n",
	"nested too deep":      "ps_5_0\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\n" + strings.Repeat("if_nz v0.x\n", 300) + "mov o0.xyzw, l(0,0,0,0)\n" + strings.Repeat("endif\n", 300) + "ret\n",
	"no declaration":       "ps_5_0\ndcl_output o0.xyzw\ndcl_temps 1\nmov o0.xyzw, r5.xyzw\nret\n",
	"written in part":      "ps_5_0\ndcl_output o0.xyzw\nmov o0.xy, l(0,0,0,0)\nret\n",
	"no translation":       "ps_5_0\ndcl_output o0.xyzw\ncut\nmov o0.xyzw, l(0,0,0,0)\nret\n",
	"fence in a branch":    "cs_5_0\ndcl_uav_raw u0\ndcl_input vThreadIDInGroupFlattened\ndcl_thread_group 8, 1, 1\nif_nz vThreadIDInGroupFlattened.x\nsync_ugroup\nstore_raw u0.x, l(0), l(1)\nendif\nret\n",
	"declared twice":       "ps_5_0\ndcl_constantbuffer CB0[2], immediateIndexed\ndcl_constantbuffer CB0[3], immediateIndexed\ndcl_output o0.xyzw\nmov o0.xyzw, cb0[0].xyzw\nret\n",
}
