package layout

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

var float4 = [4]dxbc.ReturnType{dxbc.RetFloat, dxbc.RetFloat, dxbc.RetFloat, dxbc.RetFloat}
var sint4 = [4]dxbc.ReturnType{dxbc.RetSint, dxbc.RetSint, dxbc.RetSint, dxbc.RetSint}
var uint4 = [4]dxbc.ReturnType{dxbc.RetUint, dxbc.RetUint, dxbc.RetUint, dxbc.RetUint}
var mixed4 = [4]dxbc.ReturnType{dxbc.RetMixed, dxbc.RetMixed, dxbc.RetMixed, dxbc.RetMixed}

// function is a program that declares rs and has the operations ops, each a
// texture operation on (resource, sampler).
func function(kind dxbc.ProgramKind, rs []ir.Resource, ops ...ir.Value) *ir.Function {
	f := &ir.Function{Kind: kind, Program: &dxbc.Program{Kind: kind, Major: 5}, Regions: []ir.Region{{Parent: ir.NoNode}}}
	for i := range rs {
		r := rs[i]
		if r.Count == 0 {
			r.Count = 1
		}
		r.RangeID, r.Used = r.Register, true
		f.Resources = append(f.Resources, r)
	}
	for _, v := range ops {
		f.Add(0, ir.Node{Kind: ir.NodeValue, Value: ir.ValueID(len(f.Values)), Instr: -1})
		f.Values = append(f.Values, v)
	}
	return f
}

func op(o ir.Op, res, samp int32) ir.Value { return ir.Value{Op: o, Res: res, Samp: samp, N: 4} }

// show is one line per binding: slot, symbol, type, layout entry.
func show(p *Plan) []string {
	var out []string
	for i := range p.Bindings {
		b := &p.Bindings[i]
		s := fmt.Sprintf("%d.%d %s %s %s", b.Group, b.Binding, b.Scope, b.Symbol, b.Type)
		switch {
		case b.Buffer != nil:
			s += fmt.Sprintf(" %s %d", b.Buffer.Type, b.Buffer.MinBindingSize)
		case b.Texture != nil:
			s += fmt.Sprintf(" %s %s", b.Texture.SampleType, b.Texture.ViewDimension)
			if b.Texture.Multisampled {
				s += " multisampled"
			}
		case b.Sampler != nil:
			s += " " + b.Sampler.Type
		case b.Storage != nil:
			s += fmt.Sprintf(" %s %s %s", b.Storage.Access, b.Storage.Format, b.Storage.ViewDimension)
		}
		if b.Format != "" {
			s += " as " + b.Format + " by " + b.FormatFrom
		}
		out = append(out, s)
	}
	return out
}

func tex(dim dxbc.Dim, reg uint32, ret [4]dxbc.ReturnType) ir.Resource {
	return ir.Resource{Class: ir.SRV, Dim: dim, Register: reg, Return: ret}
}

func uav(dim dxbc.Dim, reg uint32, ret [4]dxbc.ReturnType) ir.Resource {
	return ir.Resource{Class: ir.UAV, Dim: dim, Register: reg, Return: ret, Written: true}
}

func TestDeclarations(t *testing.T) {
	cases := []struct {
		name  string
		stage Stage
		res   []ir.Resource
		ops   []ir.Value
		want  []string
		warn  []diag.Code
		note  []diag.Code
	}{
		{name: "constant buffers", stage: Vertex,
			res: []ir.Resource{{Class: ir.CBuffer, Register: 3, Size: 4}, {Class: ir.CBuffer, Register: 0}, {Class: ir.CBuffer, Register: 1, Space: 2, Size: 1}},
			want: []string{
				"0.0 uniform-buffer:0:0@vertex cb0 array<vec4<f32>, 4096> uniform 65536",
				"0.1 uniform-buffer:0:3@vertex cb3 array<vec4<f32>, 4> uniform 64",
				"0.2 uniform-buffer:2:1@vertex cb1_space2 array<vec4<f32>, 1> uniform 16",
			}},
		{name: "textures of every shape", stage: Fragment,
			res: []ir.Resource{
				tex(dxbc.DimTexture1D, 0, float4), tex(dxbc.DimTexture1DArray, 1, float4), tex(dxbc.DimTexture2D, 2, float4),
				tex(dxbc.DimTexture2DArray, 3, sint4), tex(dxbc.DimTexture2DMS, 4, float4), tex(dxbc.DimTexture3D, 5, uint4),
				tex(dxbc.DimTextureCube, 6, float4), tex(dxbc.DimTextureCubeArray, 7, float4), tex(dxbc.DimTexture2DMS, 8, uint4),
			},
			want: []string{
				"0.0 sampled-resource:0:0@fragment t0 texture_2d<f32> float 2d",
				"0.1 sampled-resource:0:1@fragment t1 texture_2d_array<f32> float 2d-array",
				"0.2 sampled-resource:0:2@fragment t2 texture_2d<f32> float 2d",
				"0.3 sampled-resource:0:3@fragment t3 texture_2d_array<i32> sint 2d-array",
				"0.4 sampled-resource:0:4@fragment t4 texture_multisampled_2d<f32> unfilterable-float 2d multisampled",
				"0.5 sampled-resource:0:5@fragment t5 texture_3d<u32> uint 3d",
				"0.6 sampled-resource:0:6@fragment t6 texture_cube<f32> float cube",
				"0.7 sampled-resource:0:7@fragment t7 texture_cube_array<f32> float cube-array",
				"0.8 sampled-resource:0:8@fragment t8 texture_multisampled_2d<u32> uint 2d multisampled",
			},
			note: []diag.Code{codeFlat, codeFlat, codeFilterable}},
		{name: "compared and sampled stays one depth texture", stage: Fragment,
			res: []ir.Resource{tex(dxbc.DimTexture2D, 0, float4), {Class: ir.Sampler, Register: 0}, {Class: ir.Sampler, Register: 1, Comparison: true}},
			ops: []ir.Value{op(ir.OpSample, 0, 1), op(ir.OpSampleCmp, 0, 2)},
			want: []string{
				"0.0 sampled-resource:0:0@fragment t0 texture_depth_2d depth 2d",
				"0.1 sampler:0:0@fragment s0 sampler non-filtering",
				"0.2 sampler:0:1@fragment s1 sampler_comparison comparison",
			},
			note: []diag.Code{codeDepthSampled}},
		{name: "a sampler with three jobs", stage: Fragment,
			res: []ir.Resource{tex(dxbc.DimTexture2D, 0, float4), tex(dxbc.DimTexture2D, 1, float4), tex(dxbc.DimTexture2D, 2, uint4), {Class: ir.Sampler, Register: 0}},
			ops: []ir.Value{op(ir.OpSample, 0, 3), op(ir.OpSampleCmpZero, 1, 3), op(ir.OpGather, 2, 3)},
			want: []string{
				"0.0 sampled-resource:0:0@fragment t0 texture_2d<f32> float 2d",
				"0.1 sampled-resource:0:1@fragment t1 texture_depth_2d depth 2d",
				"0.2 sampled-resource:0:2@fragment t2 texture_2d<u32> uint 2d",
				"0.3 sampler:0:0@fragment s0 sampler filtering",
				"0.4 sampler:0:0#comparison@fragment s0_comparison sampler_comparison comparison",
				"0.5 sampler:0:0#non-filtering@fragment s0_nonfiltering sampler non-filtering",
			},
			note: []diag.Code{codeFilterable}},
		{name: "compared and sampled with gradients takes two textures", stage: Fragment,
			res: []ir.Resource{tex(dxbc.DimTexture2D, 0, float4), {Class: ir.Sampler, Register: 0}, {Class: ir.Sampler, Register: 1, Comparison: true}},
			ops: []ir.Value{op(ir.OpSampleGrad, 0, 1), op(ir.OpSampleCmp, 0, 2)},
			want: []string{
				"0.0 sampled-resource:0:0@fragment t0 texture_2d<f32> unfilterable-float 2d",
				"0.1 sampled-resource:0:0#depth@fragment t0_depth texture_depth_2d depth 2d",
				"0.2 sampler:0:0@fragment s0 sampler non-filtering",
				"0.3 sampler:0:1@fragment s1 sampler_comparison comparison",
			},
			note: []diag.Code{codeDepthSampled}},
		{name: "buffers", stage: Compute,
			res: []ir.Resource{
				{Class: ir.SRV, Dim: dxbc.DimStructuredBuffer, Stride: 48, Register: 0},
				{Class: ir.SRV, Dim: dxbc.DimRawBuffer, Register: 1},
				{Class: ir.SRV, Dim: dxbc.DimBuffer, Return: mixed4, Register: 2, Format: "R32G32B32A32_FLOAT", FormatFrom: "flag"},
				{Class: ir.SRV, Dim: dxbc.DimBuffer, Return: uint4, Register: 3, Format: "R16_UINT", FormatFrom: "sidecar"},
				{Class: ir.UAV, Dim: dxbc.DimStructuredBuffer, Stride: 8, Register: 0, Written: true},
				{Class: ir.Counter, Register: 0},
				{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 1, Written: true, Atomic: true, UnsignedAtomic: true, SignedAtomic: true},
				{Class: ir.UAV, Dim: dxbc.DimBuffer, Return: sint4, Register: 2, Written: true, Atomic: true, SignedAtomic: true},
				{Class: ir.GroupShared, Size: 64},
			},
			want: []string{
				"0.0 sampled-resource:0:0@compute t0 array<u32> read-only-storage 48",
				"0.1 sampled-resource:0:1@compute t1 array<u32> read-only-storage 4",
				"0.2 sampled-resource:0:2@compute t2 array<u32> read-only-storage 16 as R32G32B32A32_FLOAT by flag",
				"0.3 sampled-resource:0:3@compute t3 array<u32> read-only-storage 4 as R16_UINT by sidecar",
				"0.4 storage-resource:0:0@compute u0 array<u32> storage 8",
				"0.5 storage-resource:0:1@compute u1 array<atomic<u32>> storage 4",
				"0.6 storage-resource:0:2@compute u2 array<atomic<i32>> storage 4 as R32_SINT by proof",
				"0.7 uav-counter:0:0@compute u0_counter atomic<u32> storage 4",
			}},
		{name: "storage textures by default and by flag", stage: Compute,
			res: []ir.Resource{
				uav(dxbc.DimTexture2D, 0, float4),
				{Class: ir.UAV, Dim: dxbc.DimTexture2D, Register: 1, Return: uint4, Written: true, Read: true},
				{Class: ir.UAV, Dim: dxbc.DimTexture3D, Register: 2, Return: float4, Written: true, Format: "R8G8B8A8_UNORM", FormatFrom: "flag"},
				{Class: ir.UAV, Dim: dxbc.DimTexture1DArray, Register: 3, Return: float4, Read: true, Format: "R16G16B16A16_FLOAT", FormatFrom: "flag"},
			},
			want: []string{
				"0.0 storage-resource:0:0@compute u0 texture_storage_2d<rgba32float, write> write-only rgba32float 2d as R32G32B32A32_FLOAT by default",
				"0.1 storage-resource:0:1@compute u1 texture_storage_2d<r32uint, read_write> read-write r32uint 2d as R32_UINT by default",
				"0.2 storage-resource:0:2@compute u2 texture_storage_3d<rgba8unorm, write> write-only rgba8unorm 3d as R8G8B8A8_UNORM by flag",
				"0.3 storage-resource:0:3@compute u3 texture_storage_2d_array<rgba16float, read> read-only rgba16float 2d-array as R16G16B16A16_FLOAT by flag",
			},
			warn: []diag.Code{codeFormatAssumed, codeFormatAssumed},
			note: []diag.Code{codeFlat}},
		{name: "features", stage: Compute,
			res: []ir.Resource{
				{Class: ir.UAV, Dim: dxbc.DimTexture2D, Register: 0, Return: float4, Written: true, Read: true, Format: "R8G8B8A8_UNORM", FormatFrom: "flag"},
				{Class: ir.UAV, Dim: dxbc.DimTexture2D, Register: 1, Return: float4, Written: true, Format: "R16_FLOAT", FormatFrom: "flag"},
				{Class: ir.UAV, Dim: dxbc.DimTexture2D, Register: 2, Return: float4, Written: true, Format: "B8G8R8A8_UNORM", FormatFrom: "flag"},
			},
			want: []string{
				"0.0 storage-resource:0:0@compute u0 texture_storage_2d<rgba8unorm, read_write> read-write rgba8unorm 2d as R8G8B8A8_UNORM by flag",
				"0.1 storage-resource:0:1@compute u1 texture_storage_2d<r16float, write> write-only r16float 2d as R16_FLOAT by flag",
				"0.2 storage-resource:0:2@compute u2 texture_storage_2d<bgra8unorm, write> write-only bgra8unorm 2d as B8G8R8A8_UNORM by flag",
			},
			warn: []diag.Code{codeLimit, codeLimit, codeLimit}},
		{name: "a UAV that a vertex program only reads", stage: Vertex,
			res:  []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Read: true}},
			want: []string{"0.0 storage-resource:0:0@vertex u0 array<u32> read-only-storage 4"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, ds := New([]StageInput{{c.stage, function(dxbc.Pixel, c.res, c.ops...)}}, Options{})
			require.NotNil(t, p, "%v", ds)
			assert.Equal(t, c.want, show(p))
			by := map[diag.Severity][]diag.Code{}
			for _, d := range ds {
				by[d.Sev] = append(by[d.Sev], d.Code)
			}
			assert.Empty(t, by[diag.Error])
			assert.Equal(t, c.warn, by[diag.Warning])
			assert.Equal(t, c.note, by[diag.Note])
			for i := range p.Bindings {
				b := &p.Bindings[i]
				assert.Same(t, b, p.Find(c.stage, b.Resources[c.stage], b.Variant))
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct {
		name  string
		stage Stage
		res   []ir.Resource
		ops   []ir.Value
		opt   Options
		want  diag.Code
		text  string
	}{
		{name: "typed buffer", stage: Fragment, res: []ir.Resource{tex(dxbc.DimBuffer, 3, float4)}, want: codeViewFormat, text: "--view t3=R32G32B32A32_FLOAT"},
		{name: "unknown format", stage: Compute, res: []ir.Resource{{Class: ir.SRV, Dim: dxbc.DimBuffer, Return: float4, Format: "BC1_UNORM", FormatFrom: "flag"}}, want: codeFormatUnknown, text: "BC1_UNORM"},
		{name: "format of another class", stage: Compute, res: []ir.Resource{{Class: ir.SRV, Dim: dxbc.DimBuffer, Return: float4, Format: "R32_UINT", FormatFrom: "flag"}}, want: codeFormatMismatch, text: "R32_UINT"},
		{name: "format against an atomic", stage: Compute, res: []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimBuffer, Return: uint4, Atomic: true, Written: true, Format: "R8_UINT", FormatFrom: "flag"}}, want: codeFormatMismatch, text: "proves R32_UINT"},
		{name: "assumed under strict", stage: Compute, opt: Options{Strict: true}, res: []ir.Resource{{Class: ir.SRV, Dim: dxbc.DimBuffer, Return: uint4, Format: "R32_UINT", FormatFrom: "assumed"}}, want: codeFormatAssumed, text: "R32_UINT"},
		{name: "format without storage", stage: Compute, res: []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimTexture2D, Return: float4, Written: true, Format: "A8_UNORM", FormatFrom: "flag"}}, want: codeStorageFormat, text: "A8_UNORM"},
		{name: "read-write of a write-only format", stage: Compute, res: []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimTexture2D, Return: float4, Written: true, Read: true, Format: "R32G32_FLOAT", FormatFrom: "flag"}}, want: codeStorageFormat, text: "read_write"},
		{name: "multisampled array", stage: Fragment, res: []ir.Resource{tex(dxbc.DimTexture2DMSArray, 0, float4)}, want: codeDimension, text: "texture2dmsarray"},
		{name: "mixed returns", stage: Fragment, res: []ir.Resource{tex(dxbc.DimTexture2D, 0, mixed4)}, want: codeReturn, text: "mixed"},
		{name: "comparison on integers", stage: Fragment, res: []ir.Resource{tex(dxbc.DimTexture2D, 0, uint4), {Class: ir.Sampler}}, ops: []ir.Value{op(ir.OpSampleCmp, 0, 1)}, want: codeDimension, text: "compared"},
		{name: "stride", stage: Compute, res: []ir.Resource{{Class: ir.SRV, Dim: dxbc.DimStructuredBuffer, Stride: 6}}, want: codeStride, text: "6 bytes"},
		{name: "vertex storage", stage: Vertex, res: []ir.Resource{uav(dxbc.DimRawBuffer, 1, float4)}, want: codeVertexStorage, text: "u1"},
		{name: "vertex storage texture", stage: Vertex, res: []ir.Resource{uav(dxbc.DimTexture2D, 1, float4)}, want: codeVertexStorage, text: "u1"},
		{name: "texture atomic", stage: Compute, res: []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimTexture2D, Return: uint4, Written: true, Atomic: true}}, want: codeTextureAtomic, text: "u0"},
		{name: "rasterizer ordered", stage: Fragment, res: []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimTexture2D, Return: uint4, Written: true, Ordered: true}}, want: codeOrdered, text: "u0"},
		{name: "constant buffer too large", stage: Vertex, res: []ir.Resource{{Class: ir.CBuffer, Size: 4097}}, want: codeSize, text: "4097"},
		{name: "declared twice", stage: Vertex, res: []ir.Resource{{Class: ir.CBuffer, Size: 1}, {Class: ir.CBuffer, Size: 1}}, want: codeDuplicate, text: "uniform-buffer:0:0"},
		{name: "shared but absent", stage: Vertex, opt: Options{SharedIdentities: []string{"uniform-buffer:0:7"}}, want: codeShared, text: "uniform-buffer:0:7"},
		{name: "default limits", stage: Vertex, opt: Options{DefaultLimits: true}, res: manyBuffers(13), want: codeLimit, text: "maxUniformBuffersPerShaderStage"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, ds := New([]StageInput{{c.stage, function(dxbc.Pixel, c.res, c.ops...)}}, c.opt)
			assert.Nil(t, p)
			require.Len(t, ds, 1)
			assert.Equal(t, c.want, ds[0].Code)
			assert.Equal(t, diag.Error, ds[0].Sev)
			assert.Contains(t, ds[0].String(), c.text)
		})
	}
	t.Run("unbounded range", func(t *testing.T) {
		f := function(dxbc.Pixel, []ir.Resource{tex(dxbc.DimTexture2D, 2, float4)})
		f.Resources[0].Count = 0
		p, ds := New([]StageInput{{Fragment, f}}, Options{})
		assert.Nil(t, p)
		require.Len(t, ds, 1)
		assert.Equal(t, codeUnbounded, ds[0].Code)
		f.Resources[0].Used = false
		p, ds = New([]StageInput{{Fragment, f}}, Options{})
		require.NotNil(t, p)
		assert.Empty(t, ds)
		assert.Empty(t, p.Bindings)
	})
	t.Run("compute beside a render stage", func(t *testing.T) {
		_, ds := New([]StageInput{{Vertex, function(dxbc.Vertex, nil)}, {Compute, function(dxbc.Compute, nil)}}, Options{})
		require.Len(t, ds, 1)
		assert.Equal(t, codeProgram, ds[0].Code)
	})
	t.Run("two vertex programs", func(t *testing.T) {
		_, ds := New([]StageInput{{Vertex, function(dxbc.Vertex, nil)}, {Vertex, function(dxbc.Vertex, nil)}}, Options{})
		require.Len(t, ds, 1)
		assert.Equal(t, codeProgram, ds[0].Code)
	})
	t.Run("no function", func(t *testing.T) {
		_, ds := New([]StageInput{{Vertex, nil}}, Options{})
		require.Len(t, ds, 1)
		assert.Equal(t, codeProgram, ds[0].Code)
	})
}

// TestRanges plans the registers of a range that the program uses, one by one.
func TestRanges(t *testing.T) {
	f := function(dxbc.Pixel, []ir.Resource{tex(dxbc.DimTexture2D, 3, float4), tex(dxbc.DimTexture2D, 4, float4), tex(dxbc.DimTexture2D, 5, float4)})
	for i := range f.Resources {
		f.Resources[i].Count, f.Resources[i].RangeID, f.Resources[i].Space = 3, 0, 2
	}
	f.Resources[1].Used = false
	p, ds := New([]StageInput{{Fragment, f}}, Options{})
	require.NotNil(t, p, "%v", ds)
	assert.Equal(t, []string{
		"0.0 sampled-resource:2:3@fragment t3_space2 texture_2d<f32> float 2d",
		"0.1 sampled-resource:2:5@fragment t5_space2 texture_2d<f32> float 2d",
	}, show(p))
}

func manyBuffers(n int) []ir.Resource {
	var rs []ir.Resource
	for i := range n {
		rs = append(rs, ir.Resource{Class: ir.CBuffer, Register: uint32(i), Size: 1})
	}
	return rs
}

// planned is New without the note that stands at every float texture.
func planned(stages []StageInput, o Options) (*Plan, []diag.Diag) {
	p, ds := New(stages, o)
	return p, slices.DeleteFunc(ds, func(d diag.Diag) bool { return d.Code == codeFilterable })
}

func TestTwoStages(t *testing.T) {
	vs := function(dxbc.Vertex, []ir.Resource{{Class: ir.CBuffer, Size: 4, Name: "Scene"}, tex(dxbc.DimTexture2D, 1, float4), {Class: ir.Sampler}})
	ps := function(dxbc.Pixel, []ir.Resource{{Class: ir.CBuffer, Size: 4, Name: "Scene"}, tex(dxbc.DimTexture2D, 0, float4), {Class: ir.Sampler}})
	ps.Inputs = []ir.Elem{
		{Register: 0, SysValue: 1, Interp: dxbc.InterpLinearNoPerspective},
		{Register: 4, Interp: dxbc.InterpLinearNoPerspective}, {Register: 2, Interp: dxbc.InterpLinearNoPerspectiveCentroid}, {Register: 1, Interp: dxbc.InterpLinear},
	}
	stages := []StageInput{{Fragment, ps}, {Vertex, vs}}
	t.Run("scoped by default", func(t *testing.T) {
		p, ds := planned(stages, Options{})
		require.NotNil(t, p, "%v", ds)
		assert.Equal(t, []string{
			"0.0 uniform-buffer:0:0@vertex cb0 array<vec4<f32>, 4> uniform 64",
			"0.1 uniform-buffer:0:0@fragment cb0 array<vec4<f32>, 4> uniform 64",
			"0.2 sampled-resource:0:0@fragment t0 texture_2d<f32> float 2d",
			"0.3 sampled-resource:0:1@vertex t1 texture_2d<f32> float 2d",
			"0.4 sampler:0:0@vertex s0 sampler filtering",
			"0.5 sampler:0:0@fragment s0 sampler filtering",
		}, show(p))
		assert.Equal(t, []string{"uniform-buffer:0:0"}, p.Proposals)
		assert.Equal(t, []uint32{2, 4}, p.Linear)
		require.Len(t, ds, 1)
		assert.Equal(t, codePropose, ds[0].Code)
		assert.Equal(t, diag.Note, ds[0].Sev)
		assert.Contains(t, ds[0].Text, "uniform-buffer:0:0 ", "both stages declare it: the identity is the place")
		assert.Equal(t, "share the identity if both stages get the same resource", ds[0].Remedy)
	})
	t.Run("shared", func(t *testing.T) {
		p, ds := planned(stages, Options{SharedIdentities: []string{"uniform-buffer:0:0"}})
		require.NotNil(t, p, "%v", ds)
		assert.Empty(t, ds)
		b := p.Bindings[0]
		assert.Equal(t, "uniform-buffer:0:0", b.Scope)
		assert.Equal(t, []Stage{Vertex, Fragment}, b.Visibility)
		assert.Equal(t, [3]int32{0, 0, -1}, b.Resources)
		assert.Len(t, p.Bindings, 5)
	})
	t.Run("unequal records", func(t *testing.T) {
		ps.Resources[0].Size = 5
		defer func() { ps.Resources[0].Size = 4 }()
		p, ds := planned(stages, Options{SharedIdentities: []string{"uniform-buffer:0:0"}})
		assert.Nil(t, p)
		require.Len(t, ds, 1)
		assert.Equal(t, codeShared, ds[0].Code)
	})
	t.Run("groups by stage", func(t *testing.T) {
		p, _ := New(stages, Options{Groups: GroupByStage})
		require.NotNil(t, p)
		assert.Equal(t, []string{
			"0.0 uniform-buffer:0:0@vertex cb0 array<vec4<f32>, 4> uniform 64",
			"0.1 sampled-resource:0:1@vertex t1 texture_2d<f32> float 2d",
			"0.2 sampler:0:0@vertex s0 sampler filtering",
			"1.0 uniform-buffer:0:0@fragment cb0 array<vec4<f32>, 4> uniform 64",
			"1.1 sampled-resource:0:0@fragment t0 texture_2d<f32> float 2d",
			"1.2 sampler:0:0@fragment s0 sampler filtering",
		}, show(p))
	})
	t.Run("groups by kind", func(t *testing.T) {
		p, _ := New(stages, Options{Groups: GroupByKind})
		require.NotNil(t, p)
		assert.Equal(t, 1, p.Bindings[5].Group)
		assert.Equal(t, 3, p.Bindings[5].Binding)
	})
	t.Run("unused dropped on request", func(t *testing.T) {
		ps.Resources[1].Used = false
		defer func() { ps.Resources[1].Used = true }()
		p, _ := New(stages, Options{DropUnused: true})
		require.NotNil(t, p)
		assert.Len(t, p.Bindings, 5)
		p, _ = New(stages, Options{})
		assert.Len(t, p.Bindings, 6)
	})
}

func TestLimits(t *testing.T) {
	rs := manyBuffers(13)
	for i := range 20 {
		rs = append(rs, tex(dxbc.DimTexture2D, uint32(i), float4))
	}
	p, ds := planned([]StageInput{{Fragment, function(dxbc.Pixel, rs)}}, Options{})
	require.NotNil(t, p)
	assert.Equal(t, map[string]int{"maxUniformBuffersPerShaderStage": 13, "maxSampledTexturesPerShaderStage": 20}, p.Limits[Fragment])
	assert.Len(t, ds, 2)
	assert.Nil(t, p.Limits[Vertex])
}

func TestJSONShape(t *testing.T) {
	p, ds := planned([]StageInput{{Fragment, function(dxbc.Pixel, []ir.Resource{tex(dxbc.DimTexture2D, 16, float4)})}}, Options{})
	require.NotNil(t, p, "%v", ds)
	b, err := json.Marshal(p.Bindings[0])
	require.NoError(t, err)
	assert.JSONEq(t, `{"identity":"sampled-resource:0:16","kind":"sampled-resource","register":16,"space":0,"group":0,"binding":0,
		"symbol":"t16","type":"texture_2d<f32>","scopeIdentity":"sampled-resource:0:16@fragment","visibility":["fragment"],
		"texture":{"sampleType":"float","viewDimension":"2d","multisampled":false}}`, string(b))
}

func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for i := range formats {
		f := &formats[i]
		assert.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		bits := 0
		for _, x := range f.Fields {
			bits += int(x.Bits)
		}
		assert.Equal(t, f.Bytes*8, bits, f.Name)
		assert.Positive(t, f.Channels(), f.Name)
		got, ok := LookupFormat(f.Name)
		assert.True(t, ok && got == f, f.Name)
	}
	for _, typ := range []dxbc.ReturnType{dxbc.RetFloat, dxbc.RetSint, dxbc.RetUint, dxbc.RetUnorm, dxbc.RetSnorm, dxbc.RetMixed} {
		for n := 0; n <= 4; n++ {
			f, ok := LookupFormat(AssumedFormat(typ, n))
			require.True(t, ok, "%s %d: %s", typ, n, AssumedFormat(typ, n))
			assert.True(t, f.fits(typ), f.Name)
			for _, rw := range []bool{false, true} {
				d, ok := LookupFormat(defaultTexel(typ, n, rw))
				require.True(t, ok)
				assert.True(t, d.fits(typ), d.Name)
				assert.NotEmpty(t, d.Texel)
				if rw {
					assert.GreaterOrEqual(t, d.ReadWrite, 0)
				} else {
					assert.Zero(t, d.Tier, "%s: core formats by default", d.Name)
				}
			}
		}
	}
}
