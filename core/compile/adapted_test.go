package compile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

// TestAdaptationNotes gives every silent adaptation a note with its place, and none
// to the program beside it that needs none.
func TestAdaptationNotes(t *testing.T) {
	const head = "dcl_globalFlags refactoringAllowed\n"
	for _, c := range []struct {
		name, code string
		kind       dxbc.ProgramKind
		want       map[diag.Code]int // code -> instruction, counted from 0
		not        []diag.Code
	}{
		{name: "1D as 2D, float textures filterable", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_sampler s0, mode_default\ndcl_resource_texture1d (float,float,float,float) t0\ndcl_input_ps linear v0.x\ndcl_output o0.xyzw\nsample o0.xyzw, v0.xxxx, t0.xyzw, s0\nret\n",
			want: map[diag.Code]int{"bind.one-dimensional": 2, "bind.filterable": 2},
			not:  []diag.Code{"bind.depth-sampled"}},
		{name: "integer texture", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_resource_texture2d (uint,uint,uint,uint) t0\ndcl_output o0.xyzw\nld o0.xyzw, l(0,0,0,0), t0.xyzw\nret\n",
			not:  []diag.Code{"bind.one-dimensional", "bind.filterable"}},
		{name: "depth compared and sampled", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_sampler s0, mode_default\ndcl_sampler s1, mode_comparison\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps linear v0.xy\ndcl_output o0.xyzw\ndcl_temps 1\n" +
				"sample r0.xyzw, v0.xyxx, t0.xyzw, s0\nsample_c_lz r0.y, v0.xyxx, t0.xxxx, s1, l(0.5)\nmov o0.xyzw, r0.xyyy\nret\n",
			want: map[diag.Code]int{"bind.depth-sampled": 3}},
		{name: "depth only compared", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_sampler s1, mode_comparison\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps linear v0.xy\ndcl_output o0.xyzw\n" +
				"sample_c_lz o0.xyzw, v0.xyxx, t0.xxxx, s1, l(0.5)\nret\n",
			not: []diag.Code{"bind.depth-sampled", "bind.filterable"}},
		{name: "programmable gather offset", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps linear v0.xy\ndcl_input_ps constant v1.xy\ndcl_output o0.xyzw\n" +
				"gather4_po o0.xyzw, v0.xyxx, v1.xyxx, t0.xyzw, s0.x\nret\n",
			want: map[diag.Code]int{"wgsl.gather-offset": 6}},
		{name: "constant gather offset", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps linear v0.xy\ndcl_output o0.xyzw\n" +
				"gather4_po o0.xyzw, v0.xyxx, l(-8,7,0,0), t0.xyzw, s0.x\nret\n",
			not: []diag.Code{"wgsl.gather-offset"}},
		{name: "residency status", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps linear v0.xy\ndcl_output o0.xyzw\ndcl_temps 2\n" +
				"sample_l_s_indexable(texture2d)(float,float,float,float) r0.xyzw, r1.x, v0.xyxx, t0.xyzw, s0, l(0)\ncheck_access_fully_mapped r1.x, r1.x\nand o0.xyzw, r0.xyzw, r1.xxxx\nret\n",
			want: map[diag.Code]int{"lower.residency": 6}},
		{name: "position of a sample", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_input_ps_siv linear noperspective sample v0.xy, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyxy\nret\n",
			want: map[diag.Code]int{"wgsl.position-place": 1}},
		{name: "position of the pixel", kind: dxbc.Pixel,
			code: "ps_5_0\n" + head + "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyxy\nret\n",
			not:  []diag.Code{"wgsl.position-place"}},
		{name: "1D storage", kind: dxbc.Compute,
			code: "cs_5_0\n" + head + "dcl_uav_typed_texture1d (float,float,float,float) u0\ndcl_input vThreadID.x\ndcl_thread_group 1, 1, 1\nstore_uav_typed u0.xyzw, vThreadID.xxxx, l(0,0,0,0)\nret\n",
			want: map[diag.Code]int{"bind.one-dimensional": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: c.kind, Program: assemble(t, c.code)}}}, &compile.Options{})
			require.NoError(t, err)
			require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
			got := map[diag.Code]int{}
			for _, d := range p.Stages[0].Diags {
				_, dup := got[d.Code]
				assert.False(t, dup && !strings.HasPrefix(string(d.Code), "premise."), "%s twice", d.Code)
				got[d.Code] = d.At.Index()
				assert.NotEmpty(t, d.Remedy)
			}
			for code, at := range c.want {
				assert.Contains(t, got, code)
				assert.Equal(t, at, got[code], code)
			}
			for _, code := range c.not {
				assert.NotContains(t, got, code)
			}
		})
	}
}

// TestGroupsharedGuards leaves guards out where constants, sizes and the conditions
// around an access prove it, for several words too, and keeps them elsewhere.
func TestGroupsharedGuards(t *testing.T) {
	const head = "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_constantbuffer CB0[1], immediateIndexed\ndcl_uav_raw u0\ndcl_input vThreadIDInGroupFlattened\ndcl_temps 2\ndcl_tgsm_structured g0, 16, 64\ndcl_tgsm_raw g1, 1024\ndcl_thread_group 64, 1, 1\n"
	const use = "store_raw u0.xyzw, l(0), r0.xyzw\nret\n"
	for _, c := range []struct {
		name, code string
		guards     int
	}{
		{"record of the thread", "store_structured g0.xyzw, vThreadIDInGroupFlattened.x, l(0), l(1,2,3,4)\nsync_g_t\nld_structured r0.xyzw, vThreadIDInGroupFlattened.x, l(0), g0.xyzw\n" + use, 0},
		{"part of a record", "store_structured g0.xy, vThreadIDInGroupFlattened.x, l(8), l(1,2,3,4)\nsync_g_t\nld_structured r0.xyzw, vThreadIDInGroupFlattened.x, l(8), g0.xyxy\n" + use, 0},
		{"past the record", "store_structured g0.xyz, vThreadIDInGroupFlattened.x, l(8), l(1,2,3,4)\nmov r0.xyzw, l(0,0,0,0)\n" + use, 1},
		{"past the array", "iadd r1.x, vThreadIDInGroupFlattened.x, l(1)\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nmov r0.xyzw, l(0,0,0,0)\n" + use, 1},
		{"under a condition", "iadd r1.x, vThreadIDInGroupFlattened.x, l(1)\nult r1.y, r1.x, l(64)\nif_nz r1.y\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nendif\nmov r0.xyzw, l(0,0,0,0)\n" + use, 0},
		{"under a weaker condition", "iadd r1.x, vThreadIDInGroupFlattened.x, l(1)\nult r1.y, r1.x, l(65)\nif_nz r1.y\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nendif\nmov r0.xyzw, l(0,0,0,0)\n" + use, 1},
		{"in the other arm", "iadd r1.x, vThreadIDInGroupFlattened.x, l(1)\nuge r1.y, r1.x, l(64)\nif_z r1.y\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nendif\nmov r0.xyzw, l(0,0,0,0)\n" + use, 0},
		{"behind the condition", "iadd r1.x, vThreadIDInGroupFlattened.x, l(1)\nult r1.y, r1.x, l(64)\nif_nz r1.y\nstore_raw u0.x, l(4), l(1)\nendif\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nmov r0.xyzw, l(0,0,0,0)\n" + use, 1},
		{"signed, not negative", "iadd r1.x, vThreadIDInGroupFlattened.x, l(1)\nilt r1.y, r1.x, l(64)\nif_nz r1.y\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nendif\nmov r0.xyzw, l(0,0,0,0)\n" + use, 0},
		{"signed, perhaps negative", "mov r1.x, cb0[0].x\nilt r1.y, r1.x, l(64)\nif_nz r1.y\nstore_structured g0.xy, r1.x, l(0), l(1,2,3,4)\nendif\nmov r0.xyzw, l(0,0,0,0)\n" + use, 1},
		{"raw words", "ishl r1.x, vThreadIDInGroupFlattened.x, l(4)\nstore_raw g1.xyzw, r1.x, l(1,2,3,4)\nsync_g_t\nld_raw r0.xyzw, r1.x, g1.xyzw\n" + use, 0},
		{"raw words past the end", "ishl r1.x, vThreadIDInGroupFlattened.x, l(4)\niadd r1.x, r1.x, l(4)\nstore_raw g1.xyzw, r1.x, l(1,2,3,4)\nmov r0.xyzw, l(0,0,0,0)\n" + use, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Compute, Program: assemble(t, head+c.code)}}}, &compile.Options{})
			require.NoError(t, err)
			require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
			code := p.Stages[0].Module.Code
			guards := 0
			for _, f := range strings.Split(code, "\nfn ")[1:] {
				if name, body, _ := strings.Cut(f, "("); strings.HasPrefix(name, "g") && strings.Contains(body, "if (") && !strings.HasPrefix(name, "main") {
					guards++
				}
			}
			assert.Equal(t, c.guards, guards, code)
		})
	}
}
