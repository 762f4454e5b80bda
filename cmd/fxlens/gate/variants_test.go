package gate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/variant/bundle"
	"fxlens/core/wgsl/layout"
)

// variants is a package of an image shader in two variants, one with a language feature, and of
// a compute shader whose module has the fault of kind.
func variants(t *testing.T, kind string) *bundle.Opened {
	const image = `struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
@group(0) @binding(0) var<uniform> tint: vec4f;
@group(2) @binding(1) var map: texture_2d<f32>;
@vertex fn vs(@location(2) at: vec3f) -> V { return V(vec4f(at, 1), at); }
@fragment fn fs(v: V) -> @location(0) vec4f { return textureLoad(map, vec2i(v.c.xy), 0) * vec4f(v.c, 1) * tint; }
`
	compute := "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n@compute @workgroup_size(8) fn go() { out[0] = 1u; }\n"
	switch kind {
	case "type":
		compute = strings.Replace(compute, "1u", "1.5", 1)
	case "binding":
		compute = strings.Replace(compute, "@binding(0)", "@binding(4)", 1)
	}
	p := &bundle.Package{Graph: "g", Source: "graph",
		Switches: []bundle.Switch{{Label: "half", Bool: true, Members: []bundle.Member{{Name: "false"}, {Name: "true", Value: 1}}}},
		Shaders: []bundle.Shader{
			{Label: "Draw", Type: "image", Switches: []string{"half"}, Targets: []bundle.Target{{Format: "rgba8unorm"}}, Bindings: []bundle.Binding{
				{Name: "tint", Type: "vec4f", Visibility: []string{"fragment"}, Buffer: &layout.Buffer{Type: "uniform"}},
				{Name: "map", Group: 2, Binding: 1, Type: "texture_2d<f32>", Visibility: []string{"fragment"}, Texture: &layout.Texture{SampleType: "float", ViewDimension: "2d"}},
			}},
			{Label: "Count", Type: "compute", Switches: []string{}, Bindings: []bundle.Binding{
				{Name: "out", Type: "array<u32>", Visibility: []string{"compute"}, Buffer: &layout.Buffer{Type: "storage"}}}},
		}}
	p.Variants = []bundle.Variant{
		{Label: "Draw", Modules: []bundle.Stage{{Module: p.Add([]string{image})}}},
		{Label: "Draw [half=true]", Set: "half=true", Values: map[string]string{"half": "true"}, Modules: []bundle.Stage{{Module: p.Add([]string{"requires readonly_and_readwrite_storage_textures;", image})}}},
		{Label: "Count", Shader: 1, Modules: []bundle.Stage{{Module: p.Add([]string{compute})}}},
	}
	data, _, err := bundle.Build(p, bundle.Extended, "1.0.0")
	require.NoError(t, err)
	o, err := bundle.Open(data)
	require.NoError(t, err)
	return o
}

// TestVariants judges packages of shader variants: every variant has modules of its
// shader's stages, layouts of all its groups and a pipeline; a fault is said of its variant.
func TestVariants(t *testing.T) {
	opt := browser(t)
	good := Variants(variants(t, ""))
	require.Len(t, good, 3)
	assert.Equal(t, "Draw [half=true]", good[1].Key)
	assert.Len(t, good[0].Groups, 3, "an empty group lies between")
	assert.Equal(t, []string{"rgba8unorm"}, good[0].Targets)
	assert.Equal(t, &VertexBuffer{ArrayStride: 12, Attributes: []Attribute{{"float32x3", 0, 2}}}, good[0].Vertex)
	passes := append(good, Variants(variants(t, "type"))[2], Variants(variants(t, "binding"))[2])
	r, err := Run(t.Context(), passes, opt)
	require.NoError(t, err)
	for i := range 3 {
		assert.True(t, r.Results[i].OK(), "%+v", r.Results[i])
		assert.Equal(t, "created", r.Results[i].Pipeline)
		assert.Equal(t, len(passes[i].Modules), r.Results[i].Modules)
	}
	require.NotEmpty(t, r.Results[3].Messages)
	assert.Equal(t, "Count.compute", r.Results[3].Messages[0].At)
	require.NotEmpty(t, r.Results[4].Messages)
	assert.Equal(t, "pipeline", r.Results[4].Messages[0].At)
}
