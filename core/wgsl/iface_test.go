package wgsl_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// elem is a signature element: "TEXCOORD", index, register, mask, type 1 uint 2 int 3 float.
func elem(semantic string, index, reg uint32, mask uint8, comp uint32) ir.Elem {
	e := ir.Elem{Semantic: semantic, Index: index, Register: reg, Mask: mask, Used: mask, CompType: comp, Instr: -1}
	switch strings.ToUpper(semantic) {
	case "SV_POSITION":
		e.SysValue = 1
	case "SV_CLIPDISTANCE":
		e.SysValue = 2
	case "SV_CULLDISTANCE":
		e.SysValue = 3
	case "SV_RENDERTARGETARRAYINDEX":
		e.SysValue = 4
	case "SV_VIEWPORTARRAYINDEX":
		e.SysValue = 5
	case "SV_PRIMITIVEID":
		e.SysValue = 7
	case "SV_ISFRONTFACE":
		e.SysValue = 9
	case "SV_SAMPLEINDEX":
		e.SysValue = 10
	case "SV_TARGET":
		e.SysValue = 64
	case "SV_DEPTH":
		e.SysValue = 65
	case "SV_COVERAGE":
		e.SysValue = 66
	case "SV_DEPTHGREATEREQUAL":
		e.SysValue = 67
	case "SV_STENCILREF":
		e.SysValue = 69
	}
	return e
}

// interp is e with an interpolation mode.
func interp(e ir.Elem, m dxbc.Interpolation) ir.Elem {
	e.Interp = m
	return e
}

// used is e with only the components of mask read or written.
func used(e ir.Elem, mask uint8) ir.Elem {
	e.Used = mask
	return e
}

// program is a hand-made render stage: a vertex program writes 0.5 (or 1) to all
// its outputs, a pixel program the sum of all components of its inputs.
func program(kind dxbc.ProgramKind, in, out []ir.Elem) *ir.Function {
	f := &ir.Function{Kind: kind, Program: &dxbc.Program{Kind: kind, Major: 5}, Inputs: in, Outputs: out, Regions: []ir.Region{{Parent: ir.NoNode}}}
	for i := range out {
		f.Outputs[i].RegType = dxbc.RegOutput
		if out[i].Register == 0xFFFFFFFF {
			f.Outputs[i].RegType = dxbc.RegOutputDepth
		}
	}
	h := &hand{f: f, consts: map[uint32]ir.ValueID{}}
	sum := h.consta(floats(0.5)...)
	for i := range in {
		f.Inputs[i].RegType = dxbc.RegInput
		lanes := 0
		for c := range 4 {
			lanes += int(in[i].Mask >> c & 1)
		}
		id := ir.ValueID(len(f.Values))
		f.Values = append(f.Values, ir.Value{Op: ir.OpInput, N: uint8(lanes), Reg: -1, Instr: -1, Res: -1, Samp: -1, Node: ir.NoNode, Imm: [4]uint32{uint32(i)}})
		l := uint8(0)
		for c := range 4 {
			if in[i].Mask>>c&1 == 0 {
				continue
			}
			if in[i].Used>>c&1 != 0 {
				x := ir.Scalar(ir.Lane{V: id, L: l})
				if in[i].CompType == 1 {
					x = h.plain(ir.OpUToF, 1, x)
				}
				if in[i].CompType == 2 {
					x = h.plain(ir.OpIToF, 1, x)
				}
				sum = h.plain(ir.OpFAdd, 1, sum, x)
			}
			l++
		}
	}
	var args []ir.Arg
	for i := range out {
		var a ir.Arg
		for c := range 4 {
			if out[i].Mask>>c&1 == 0 {
				continue
			}
			x := sum.Lanes[0]
			if out[i].CompType != 3 {
				x = h.consta(1).Lanes[0]
			}
			a.Lanes[a.N] = x
			a.N++
		}
		args = append(args, a)
	}
	f.Add(0, ir.Node{Kind: ir.NodeReturn, Value: ir.NoValue, Instr: -1, Target: ir.NoNode, Args: args})
	return f
}

// phased runs the phases.
func phased(t *testing.T, f *ir.Function) *ir.Function {
	t.Helper()
	require.NoError(t, ir.Verify(f))
	for _, p := range ir.Phases {
		p.Run(f)
	}
	require.NoError(t, ir.Verify(f))
	return f
}

var target = []ir.Elem{elem("SV_Target", 0, 0, 15, 3)}

func TestLinkStages(t *testing.T) {
	position := elem("SV_Position", 0, 0, 15, 3)
	cases := []struct {
		name   string
		vs, ps []ir.Elem // vertex outputs behind the position, pixel inputs
		want   []wgsl.Varying
		codes  []diag.Code
	}{
		{name: "two elements merge into one location",
			vs:   []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3), elem("TEXCOORD", 1, 1, 12, 3)},
			ps:   []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3), elem("TEXCOORD", 1, 1, 12, 3)},
			want: []wgsl.Varying{{Register: 1, Location: 1, Kind: ir.F32, N: 4, Mask: 15, FromPixel: true, FromVertex: true}}},
		{name: "the wider side wins",
			vs:   []ir.Elem{elem("TEXCOORD", 0, 1, 15, 3), elem("TEXCOORD", 1, 2, 1, 3)},
			ps:   []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3), used(elem("TEXCOORD", 1, 2, 1, 3), 0)},
			want: []wgsl.Varying{{Register: 1, Location: 1, Kind: ir.F32, N: 4, Mask: 15, FromPixel: true, FromVertex: true}, {Register: 2, Location: 2, Kind: ir.F32, N: 1, Mask: 1, FromVertex: true}}},
		{name: "an unwritten input is written as zero",
			vs:    []ir.Elem{elem("TEXCOORD", 0, 1, 1, 3)},
			ps:    []ir.Elem{elem("TEXCOORD", 0, 1, 7, 3), elem("TEXCOORD", 5, 3, 3, 3)},
			want:  []wgsl.Varying{{Register: 1, Location: 1, Kind: ir.F32, N: 3, Mask: 7, FromPixel: true, FromVertex: true}, {Register: 3, Location: 3, Kind: ir.F32, N: 2, Mask: 3, FromPixel: true}},
			codes: []diag.Code{"iface.unwritten-varying", "iface.unwritten-varying", "iface.unwritten-varying", "iface.unwritten-varying"}},
		{name: "integers are flat, and part from floats in one register",
			vs:    []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3), elem("BONE", 0, 1, 4, 1)},
			ps:    []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3), elem("BONE", 0, 1, 4, 1)},
			want:  []wgsl.Varying{{Register: 1, Location: 1, Kind: ir.F32, N: 2, Mask: 3, FromPixel: true, FromVertex: true}, {Register: 1, Location: 2, Kind: ir.U32, N: 1, First: 2, Mask: 4, Interp: "flat", FromPixel: true, FromVertex: true}},
			codes: []diag.Code{"iface.split-register"}},
		{name: "interpolation modes, mixed in one register",
			vs: []ir.Elem{elem("A", 0, 1, 1, 3), elem("B", 0, 1, 2, 3), elem("C", 0, 1, 4, 3), elem("D", 0, 2, 15, 3), elem("E", 0, 3, 1, 3), elem("F", 0, 4, 1, 3)},
			ps: []ir.Elem{interp(elem("A", 0, 1, 1, 3), dxbc.InterpLinear), interp(elem("B", 0, 1, 2, 3), dxbc.InterpConstant), interp(elem("C", 0, 1, 4, 3), dxbc.InterpLinear),
				interp(elem("D", 0, 2, 15, 3), dxbc.InterpLinearNoPerspectiveCentroid), interp(elem("E", 0, 3, 1, 3), dxbc.InterpLinearSample), interp(elem("F", 0, 4, 1, 3), dxbc.InterpLinearNoPerspective)},
			want: []wgsl.Varying{
				{Register: 1, Location: 1, Kind: ir.F32, N: 3, Mask: 5, FromPixel: true, FromVertex: true},
				{Register: 2, Location: 2, Kind: ir.F32, N: 4, Mask: 15, Interp: "linear, centroid", FromPixel: true, FromVertex: true},
				{Register: 3, Location: 3, Kind: ir.F32, N: 1, Mask: 1, Interp: "perspective, sample", FromPixel: true, FromVertex: true},
				{Register: 4, Location: 4, Kind: ir.F32, N: 1, Mask: 1, Interp: "linear", FromPixel: true, FromVertex: true},
				{Register: 1, Location: 5, Kind: ir.F32, N: 1, First: 1, Mask: 2, Interp: "flat", FromPixel: true, FromVertex: true},
			},
			codes: []diag.Code{"iface.split-register"}},
		{name: "types differ: the pixel program's stands",
			vs:    []ir.Elem{elem("K", 0, 2, 3, 3)},
			ps:    []ir.Elem{elem("K", 0, 2, 3, 2)},
			want:  []wgsl.Varying{{Register: 2, Location: 2, Kind: ir.I32, N: 2, Mask: 3, Interp: "flat", FromPixel: true, FromVertex: true}},
			codes: []diag.Code{"iface.varying-type"}},
		{name: "one register, two semantics",
			vs:    []ir.Elem{elem("K", 0, 2, 3, 3)},
			ps:    []ir.Elem{elem("L", 0, 2, 3, 3)},
			want:  []wgsl.Varying{{Register: 2, Location: 2, Kind: ir.F32, N: 2, Mask: 3, FromPixel: true, FromVertex: true}},
			codes: []diag.Code{"iface.varying-semantic"}},
		{name: "a clip distance that the pixel program reads is also a varying",
			vs:   []ir.Elem{elem("SV_ClipDistance", 0, 3, 3, 3)},
			ps:   []ir.Elem{elem("SV_ClipDistance", 0, 3, 3, 3)},
			want: []wgsl.Varying{{Register: 3, Location: 3, Kind: ir.F32, N: 2, Mask: 3, FromPixel: true, FromVertex: true}}},
		{name: "sixteen registers and a split: the free number below the limit",
			vs: many(func(r uint32) ir.Elem { return elem("T", r, r, 3, 3) }, 1, 15, elem("I", 0, 15, 4, 1)),
			ps: many(func(r uint32) ir.Elem { return elem("T", r, r, 3, 3) }, 1, 15, elem("I", 0, 15, 4, 1)),
			want: append([]wgsl.Varying{{Register: 15, Location: 0, Kind: ir.U32, N: 1, First: 2, Mask: 4, Interp: "flat", FromPixel: true, FromVertex: true}},
				varyings(1, 15)...),
			codes: []diag.Code{"iface.split-register"}},
	}
	var asked []judge.Case
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			vs := phased(t, program(dxbc.Vertex, nil, append([]ir.Elem{position}, c.vs...)))
			ps := phased(t, program(dxbc.Pixel, c.ps, target))
			// The phases keep what the signature says was written.
			link, ds := wgsl.LinkStages(vs, ps)
			assert.Equal(t, c.want, link.Varyings)
			var codes []diag.Code
			for _, d := range ds {
				codes = append(codes, d.Code)
				assert.NotEqual(t, diag.Error, d.Sev)
			}
			assert.Equal(t, c.codes, codes)
			plan, ds := layout.New([]layout.StageInput{{Stage: layout.Vertex, Func: vs}, {Stage: layout.Fragment, Func: ps}}, layout.Options{})
			require.NotNil(t, plan, "%v", ds)
			vm, ds := wgsl.Emit(vs, plan, link, wgsl.Options{})
			require.NotNil(t, vm, "%v", ds)
			pm, ds := wgsl.Emit(ps, plan, link, wgsl.Options{})
			require.NotNil(t, pm, "%v", ds)
			asked = append(asked, caseOf(c.name, plan, vm, pm))
		})
	}
	for _, r := range judge.Check(t, asked) {
		assert.Equal(t, "formed", r.Pipeline, r.String())
	}
}

// many is elements for registers first to last, and one more.
func many(f func(r uint32) ir.Elem, first, last uint32, more ir.Elem) []ir.Elem {
	var out []ir.Elem
	for r := first; r <= last; r++ {
		out = append(out, f(r))
	}
	return append(out, more)
}

func varyings(first, last uint32) []wgsl.Varying {
	var out []wgsl.Varying
	for r := first; r <= last; r++ {
		out = append(out, wgsl.Varying{Register: r, Location: int(r), Kind: ir.F32, N: 2, Mask: 3, FromPixel: true, FromVertex: true})
	}
	return out
}

// emitted translates a stage alone.
func emitted(t *testing.T, f *ir.Function, opt wgsl.Options) (*wgsl.Module, *layout.Plan, []diag.Diag) {
	t.Helper()
	phased(t, f)
	plan, ds := layout.New([]layout.StageInput{{Stage: stage(f), Func: f}}, layout.Options{})
	require.NotNil(t, plan, "%v", ds)
	m, ds := wgsl.Emit(f, plan, nil, opt)
	return m, plan, ds
}

func TestSystemValues(t *testing.T) {
	position := elem("SV_Position", 0, 0, 15, 3)
	none := uint32(0xFFFFFFFF)
	cases := []struct {
		name     string
		f        *ir.Function
		opt      wgsl.Options
		contains []string
		not      []string
		requires string
		refused  diag.Code
	}{
		{name: "position with w is corrected", f: program(dxbc.Pixel, []ir.Elem{position}, target), contains: []string{"1.0 / frag_coord.w", "@builtin(position) frag_coord: vec4<f32>"}},
		{name: "position without w is not", f: program(dxbc.Pixel, []ir.Elem{used(position, 3)}, target), not: []string{"1.0 /"}},
		{name: "front face is a mask", f: program(dxbc.Pixel, []ir.Elem{elem("SV_IsFrontFace", 0, 1, 1, 1)}, target), contains: []string{"@builtin(front_facing) front_facing: bool", "select("}},
		{name: "primitive index", f: program(dxbc.Pixel, []ir.Elem{elem("SV_PrimitiveID", 0, 1, 1, 1)}, target), contains: []string{"enable primitive_index;"}, requires: "primitive-index"},
		{name: "depth", f: program(dxbc.Pixel, nil, []ir.Elem{elem("SV_Target", 0, 0, 15, 3), elem("SV_Depth", 0, none, 1, 3)}), contains: []string{"@builtin(frag_depth) depth: f32", "struct FragmentOutput"}},
		{name: "conservative depth by choice", f: program(dxbc.Pixel, nil, []ir.Elem{elem("SV_DepthGreaterEqual", 0, none, 1, 3)}), opt: wgsl.Options{ConservativeDepth: true}, contains: []string{"@builtin(frag_depth, greater)"}},
		{name: "coverage", f: program(dxbc.Pixel, nil, []ir.Elem{elem("SV_Target", 0, 0, 15, 3), elem("SV_Coverage", 0, none, 1, 1)}), contains: []string{"@builtin(sample_mask) coverage: u32"}},
		{name: "targets have four channels", f: program(dxbc.Pixel, nil, []ir.Elem{elem("SV_Target", 2, 2, 1, 1)}), contains: []string{"@location(2) vec4<u32>", "vec4<u32>(1u, 0u, 0u, 0u)"}},
		{name: "no outputs", f: program(dxbc.Pixel, nil, nil), contains: []string{"@fragment\nfn main() {"}},
		{name: "clip distances", f: program(dxbc.Vertex, nil, []ir.Elem{position, elem("SV_ClipDistance", 0, 1, 15, 3), elem("SV_ClipDistance", 1, 2, 3, 3)}),
			contains: []string{"enable clip_distances;", "array<f32, 6>"}, requires: "clip-distances"},
		{name: "no position", f: program(dxbc.Vertex, nil, []ir.Elem{elem("A", 0, 1, 3, 3)}), contains: []string{"vec4<f32>(0.0, 0.0, 2.0, 1.0)"}},
		{name: "cull distance", f: program(dxbc.Vertex, nil, []ir.Elem{position, elem("SV_CullDistance", 0, 1, 1, 3)}), refused: "wgsl.system-value"},
		{name: "layer", f: program(dxbc.Vertex, nil, []ir.Elem{position, elem("SV_RenderTargetArrayIndex", 0, 1, 1, 1)}), refused: "wgsl.system-value"},
		{name: "viewport read", f: program(dxbc.Pixel, []ir.Elem{elem("SV_ViewportArrayIndex", 0, 1, 1, 1)}, target), contains: []string{"fn main() ->"}},
		{name: "stencil reference", f: program(dxbc.Pixel, nil, []ir.Elem{elem("SV_StencilRef", 0, none, 1, 1)}), refused: "wgsl.system-value"},
		{name: "a target beyond the eighth", f: program(dxbc.Pixel, nil, []ir.Elem{elem("SV_Target", 9, 9, 15, 3)}), refused: "wgsl.target-index"},
		{name: "features refused on request", f: program(dxbc.Pixel, []ir.Elem{elem("SV_PrimitiveID", 0, 1, 1, 1)}, target), opt: wgsl.Options{Limits: true}, refused: "wgsl.limits"},
		{name: "twenty varyings", f: program(dxbc.Pixel, many(func(r uint32) ir.Elem { return elem("T", r, r, 15, 3) }, 0, 18, elem("T", 19, 19, 1, 3)), target), requires: "maxInterStageShaderVariables"},
		{name: "hostile semantics", f: program(dxbc.Pixel, []ir.Elem{elem("fn main() {\x1b[2J", 0, 1, 1, 3), elem("", 0, 2, 1, 3), elem("fn", 0, 3, 1, 3), elem("main", 0, 4, 1, 3), elem("struct", 0, 5, 1, 3)}, target), not: []string{"\x1b"}},
	}
	var asked []judge.Case
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, plan, ds := emitted(t, c.f, c.opt)
			if c.refused != "" {
				assert.Nil(t, m)
				require.NotEmpty(t, ds)
				assert.Equal(t, c.refused, ds[0].Code)
				assert.True(t, diag.HasErrors(ds))
				return
			}
			require.NotNil(t, m, "%v", ds)
			for _, s := range c.contains {
				assert.Contains(t, m.Code, s)
			}
			for _, s := range c.not {
				assert.NotContains(t, m.Code, s)
			}
			if c.requires != "" {
				assert.True(t, len(m.Requires.Features) > 0 && m.Requires.Features[0] == c.requires || m.Requires.Limits[c.requires] > 0, "%+v", m.Requires)
			}
			_, err := json.Marshal(m.IO)
			require.NoError(t, err)
			asked = append(asked, caseOf(c.name, plan, m))
		})
	}
	for _, r := range judge.Check(t, asked) {
		assert.True(t, r.Pipeline == "formed" || r.Skipped != "", r.String())
	}
}

// TestPositionW draws a triangle with w = 4 and reads SV_Position in the pixel
// program: D3D gives w itself.
func TestPositionW(t *testing.T) {
	ps := program(dxbc.Pixel, []ir.Elem{used(elem("SV_Position", 0, 0, 15, 3), 8)}, target)
	m, _, ds := emitted(t, ps, wgsl.Options{})
	require.NotNil(t, m, "%v", ds)
	vs := "@vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {\n" +
		"  let x = f32(i32(i & 1u) * 4 - 1);\n  let y = f32(i32(i >> 1u) * 4 - 1);\n  return vec4<f32>(x, y, 0.5, 1.0) * 4.0;\n}"
	j := judge.Job{ID: "w", Textures: []judge.Texture{{Name: "rt", Format: "rgba32float", Width: 1, Height: 1, Read: true}},
		Passes: []judge.Pass{{
			Modules: []judge.Module{{Stage: judge.Vertex, EntryPoint: "main", Code: vs}, {Stage: judge.Fragment, EntryPoint: "main", Code: m.Code}},
			Layout:  [][]judge.Entry{},
			Draw:    &judge.Draw{VertexCount: 3, Targets: []judge.DrawTarget{{Resource: "rt", Clear: []float64{0, 0, 0, 0}}}},
		}}}
	out := ran(t, judge.Run(t, []judge.Job{j})[0])
	got := judge.AsFloats(out["rt"])
	require.Len(t, got, 4)
	assert.InDelta(t, 4.5, got[0], 1e-5)
	assert.False(t, math.IsNaN(float64(got[3])))
}

// TestIORecords checks what the result says about the interface.
func TestIORecords(t *testing.T) {
	m, _, ds := emitted(t, program(dxbc.Pixel, []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3), elem("TEXCOORD", 1, 1, 12, 3), interp(elem("COLOR", 0, 2, 7, 3), dxbc.InterpLinearNoPerspective)}, target), wgsl.Options{})
	require.NotNil(t, m, "%v", ds)
	b, err := json.Marshal(m.IO)
	require.NoError(t, err)
	assert.JSONEq(t, `[
		{"direction":"in","semantic":"TEXCOORD","index":0,"register":1,"mask":"xy","location":1,"component":0,"type":"vec4<f32>"},
		{"direction":"in","semantic":"TEXCOORD","index":1,"register":1,"mask":"zw","location":1,"component":2,"type":"vec4<f32>"},
		{"direction":"in","semantic":"COLOR","index":0,"register":2,"mask":"xyz","location":2,"component":0,"type":"vec3<f32>","interpolation":"linear"},
		{"direction":"out","semantic":"SV_Target","index":0,"register":0,"mask":"xyzw","location":0,"component":0,"type":"vec4<f32>"}
	]`, string(b))
}
