package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// detailPass is a pixel program that samples three textures with one bias.
func detailPass() *ir.Function {
	bias := ir.Scalar(ir.Lane{V: 0})
	sample := func(res int32) ir.Value {
		return ir.Value{Op: ir.OpSampleBias, Res: res, Samp: 3, N: 4, Args: []ir.Arg{ir.ArgOf(0, 1), bias, {}}}
	}
	return function(dxbc.Pixel, []ir.Resource{tex(dxbc.DimTexture2D, 5, float4), tex(dxbc.DimTexture2D, 7, float4), tex(dxbc.DimTexture2D, 8, float4), {Class: ir.Sampler}},
		sample(0), sample(1), sample(2), sample(0))
}

func detailNamed(n int) []NamedTexture {
	all := []NamedTexture{{Name: "Detail1Map", Register: 5, Type: 2, Elements: 1}, {Name: "Detail2Map", Register: 7, Type: 2, Elements: 1}, {Name: "Detail3Map", Register: 8, Type: 2, Elements: 1}}
	return append(all[:n:n], NamedTexture{Name: "AlbedoMap", Register: 1, Type: 2, Elements: 1})
}

func TestDetailMaps(t *testing.T) {
	for n := 2; n <= 3; n++ {
		f := detailPass()
		tr, ds := DetailMaps(f, detailNamed(n), "Main.pass0")
		require.NotNil(t, tr, "%v", ds)
		assert.Equal(t, "Main.pass0:detail-map-array:sampled-resource:0:5", tr.ID)
		assert.Equal(t, "sampled-resource:0:5@fragment", tr.Scope)
		require.Len(t, tr.Inputs, n)
		assert.Equal(t, TransformInput{"Detail2Map", "sampled-resource:0:7", "sampled-resource:0:7@fragment", 1}, tr.Inputs[1])
		p, ds := New([]StageInput{{Fragment, f}}, Options{Transforms: []*Transform{tr}})
		require.NotNil(t, p, "%v", ds)
		b := p.Bindings[0]
		assert.Equal(t, "texture_2d_array<f32>", b.Type)
		assert.Equal(t, Texture{SampleType: "float", ViewDimension: "2d-array"}, *b.Texture)
		assert.Equal(t, tr.ID, b.Transform)
		assert.Equal(t, n, b.Layers)
		assert.Equal(t, "t5", b.Symbol)
		assert.Equal(t, "DetailMapArray", b.Name)
		assert.Len(t, p.Bindings, 5-n)
		assert.Equal(t, []Transform{*tr}, p.Transforms)
	}
}

func TestDetailMapsNotRecognized(t *testing.T) {
	cases := []struct {
		name   string
		change func(f *ir.Function, n []NamedTexture) []NamedTexture
	}{
		{"one map alone", func(_ *ir.Function, n []NamedTexture) []NamedTexture { return n[:1] }},
		{"the second missing", func(_ *ir.Function, n []NamedTexture) []NamedTexture { return []NamedTexture{n[0], n[2]} }},
		{"cube", func(_ *ir.Function, n []NamedTexture) []NamedTexture { n[1].Type = 4; return n }},
		{"array", func(_ *ir.Function, n []NamedTexture) []NamedTexture { n[1].Elements = 2; return n }},
		{"srgb", func(_ *ir.Function, n []NamedTexture) []NamedTexture { n[0].SRGB = true; return n }},
		{"descending registers", func(_ *ir.Function, n []NamedTexture) []NamedTexture {
			n[0].Register, n[1].Register = 7, 5
			return n
		}},
		{"space of the effect", func(_ *ir.Function, n []NamedTexture) []NamedTexture { n[0].Space, n[1].Space = 1, 1; return n }},
		{"space of the program", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Resources[1].Space = 1; return n }},
		{"two spaces", func(f *ir.Function, n []NamedTexture) []NamedTexture {
			n[1].Space, f.Resources[1].Space = 1, 1
			return n
		}},
		{"a range", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Resources[1].Count = 2; return n }},
		{"a clamp of the detail level", func(f *ir.Function, n []NamedTexture) []NamedTexture {
			f.Values[1].Args[2] = ir.Scalar(ir.Lane{V: 1})
			return n
		}},
		{"another dimension", func(f *ir.Function, n []NamedTexture) []NamedTexture {
			f.Resources[1].Dim = dxbc.DimTexture3D
			return n
		}},
		{"another type", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Resources[1].Return = uint4; return n }},
		{"another sampler", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Values[1].Samp = 2; return n }},
		{"another bias", func(f *ir.Function, n []NamedTexture) []NamedTexture {
			f.Values[1].Args[1] = ir.Scalar(ir.Lane{V: 1})
			return n
		}},
		{"an offset", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Values[1].Offs[0] = 1; return n }},
		{"another operation", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Values[1].Op = ir.OpSample; return n }},
		{"never sampled", func(f *ir.Function, n []NamedTexture) []NamedTexture { f.Values[1].Res = 0; return n }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := detailPass()
			tr, ds := DetailMaps(f, c.change(f, detailNamed(3)[:3]), "k")
			assert.Nil(t, tr)
			assert.Empty(t, ds)
		})
	}
	t.Run("a name twice", func(t *testing.T) {
		n := detailNamed(2)
		n[2] = n[0]
		tr, ds := DetailMaps(detailPass(), n, "k")
		assert.Nil(t, tr)
		require.Len(t, ds, 1)
		assert.Equal(t, codeDetail, ds[0].Code)
		assert.Equal(t, diag.Error, ds[0].Sev)
		assert.Equal(t, "ps", ds[0].At.Stage)
		assert.Equal(t, "rename one of the textures in the effect", ds[0].Remedy)
	})
}

func TestTextureBuffer(t *testing.T) {
	p, ds := New([]StageInput{{Fragment, function(dxbc.Pixel, []ir.Resource{tex(dxbc.DimBuffer, 0, mixed4)})}}, Options{})
	require.NotNil(t, p, "%v", ds)
	assert.Equal(t, []string{"0.0 sampled-resource:0:0@fragment t0 array<u32> read-only-storage 16 as R32G32B32A32_UINT by proof"}, show(p))
}
