package variant_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "fxlens/core/variant"
)

// defaulted is a shader that reads its buffer under b alone, and has a texture with a
// fallback and a uniform without.
func defaulted(t *testing.T) (*Shader, *Switch) {
	t.Helper()
	b := boolean(t, "b")
	types := chunk(t, "struct Probes { count: u32, corner: vec3f, list: array<mat4x4f> }\nstruct View { m: mat4x4f }")
	probes := &Resource{Name: "probes", Kind: Storage, Type: "Probes", Access: "read", Needs: types, Default: Default{Transient: true}}
	view := &Resource{Name: "view", Kind: Uniform, Type: "View", Needs: types}
	radiance := &Resource{Name: "radiance", Kind: Texture, Dimension: "2d", Sample: "float", Default: Default{Fallback: "black"}}
	f := &Interface{Groups: []*Group{group(t, Fragment, view, probes), group(t, Fragment, radiance)}}
	none := chunk(t, "// probes are not read\nfn light() -> f32 { return view.m[0].x; }")
	some := chunk(t, "fn light() -> f32 { return probes.list[0][0].x; }")
	return image(t, "GI", f, chunk(t, "@fragment fn fs() -> @location(0) vec4f { return vec4f(light()); }", choice(t, b, none, some))), b
}

func TestTransientDefaultGivenNothing(t *testing.T) {
	s, _ := defaulted(t)
	bound, err := s.BindFrame("view")
	require.NoError(t, err)
	require.Len(t, bound, 3)
	assert.True(t, bound[0].Given)
	assert.Equal(t, uint64(32+64), bound[1].Transient, "the least size: the head and one element")
	assert.Equal(t, "black", bound[2].Fallback)
}

func TestTransientDefaultGivenABuffer(t *testing.T) {
	s, b := defaulted(t)
	v, err := s.Variant(with(t, b, 1))
	require.NoError(t, err)
	for _, x := range []*Shader{s, v} {
		bound, err := x.BindFrame("probes", "view", "radiance", "something else that the owner has")
		require.NoError(t, err)
		for _, p := range bound {
			assert.True(t, p.Given && p.Transient == 0 && p.Fallback == "", p.Name)
		}
	}
}

func TestTransientDefaultThatIsRead(t *testing.T) {
	s, b := defaulted(t)
	v, err := s.Variant(with(t, b, 1))
	require.NoError(t, err)
	_, err = v.BindFrame("view")
	assert.ErrorContains(t, err, `shader "GI [b=true]" reads "probes" in "light", and nothing is bound to it`)
	_, err = v.BindFrame()
	assert.ErrorContains(t, err, `nothing is bound to "view", which has no default`)
	assert.ErrorContains(t, err, `reads "probes"`, "everything at once")
}

func TestTransientDefaultByHand(t *testing.T) {
	s, _ := defaulted(t)
	_, err := s.BindByHand("view")
	assert.ErrorContains(t, err, `binding "probes" is bound by hand, and its transient default is one of a frame graph; bind a buffer`)
	bound, err := s.BindByHand("view", "probes")
	require.NoError(t, err)
	assert.Equal(t, "black", bound[2].Fallback)
}

func TestBufferSizeOfInvalidText(t *testing.T) {
	r := lightData()
	s := image(t, "s", &Interface{Groups: []*Group{group(t, Fragment, r)}}, chunk(t, "@fragment fn fs() -> @location(0) vec4f { return 1; }"))
	_, err := s.BufferSize("light_data")
	assert.ErrorContains(t, err, `shader "s" is not valid WGSL: `)
	_, err = s.BufferSize("nothing")
	assert.Error(t, err)
}

// Placement from declarations: one group of what any alternative reads, the wider access
// where two differ.
func TestPlace(t *testing.T) {
	b := boolean(t, "b")
	writes := *lightData()
	writes.Access = "read_write"
	reader, writer := lights(t, lightData()), chunk(t, "fn light_count() -> u32 { light_data[0] = 1u; return 0u; }")
	require.NoError(t, writer.RequireResource(&writes))
	f, err := Place(ComputeShader, nil, choice(t, b, reader, writer))
	require.NoError(t, err)
	require.Len(t, f.Groups, 1)
	assert.Equal(t, Compute, f.Groups[0].Visibility)
	p, ok := f.Find("light_data")
	require.True(t, ok)
	assert.Equal(t, "read_write", p.Access)
	other := chunk(t, "fn other() {}")
	require.NoError(t, other.RequireResource(&Resource{Name: "light_data", Kind: Sampler}))
	_, err = Place(ComputeShader, reader, other)
	assert.EqualError(t, err, `"light_count" reads "light_data" as a read storage buffer of array<u32> and "other" as a sampler`)
	f, err = Place(ImageShader, chunk(t, "fn f() {}"))
	require.NoError(t, err)
	assert.Empty(t, f.Groups)
}

// The audit looks at whole variants too: their types, and what each stage sees.
func TestAuditOfWholeVariants(t *testing.T) {
	b := boolean(t, "b")
	shared := chunk(t, "// two lines\nconst one = 1u;")
	fine := chunk(t, "fn pick() -> i32 { return 0; }")
	wrong := chunk(t, "fn pick() -> i32 {\n    return one;\n}", shared)
	s := image(t, "s", nil, chunk(t, fragment, choice(t, b, fine, wrong)))
	sets, err := Product([]*Switch{b, boolean(t, "other")}, 10)
	require.NoError(t, err)
	found := s.Audit(sets)
	require.Len(t, found, 1, "once, whatever else is in the set")
	f := found[0]
	assert.Equal(t, []any{RuleInvalid, "s", "b=true", "pick", 2, 12}, []any{f.Rule, f.Shader, f.Set, f.Chunk, f.Line, f.Column}, f.Text)

	hidden := image(t, "s", &Interface{Groups: []*Group{group(t, Compute|Vertex, lightData())}}, chunk(t, "@fragment fn fs() -> @location(0) vec4f { return vec4f(f32(light_count())); }", lights(t, lightData())))
	found = hidden.Audit([]*Set{Empty})
	require.Len(t, found, 1)
	assert.Equal(t, `the fragment stage uses "light_data", which group 0 shows to vertex and compute alone`, found[0].Text)
	assert.Equal(t, RuleVisibility, found[0].Rule)
}

// What an image shader may write is hidden from the vertex stage, which WebGPU wants.
func TestPlaceOfWhatIsWritten(t *testing.T) {
	written := &Resource{Name: "counts", Kind: Storage, Type: "array<u32>", Access: "read_write"}
	c := chunk(t, "@fragment fn fs() {}")
	require.NoError(t, c.RequireResource(lightData()))
	require.NoError(t, c.RequireResource(written))
	f, err := Place(ImageShader, c)
	require.NoError(t, err)
	require.Len(t, f.Groups, 2)
	assert.Equal(t, []string{"vertex", "fragment"}, f.Groups[0].Visibility.Stages())
	assert.Equal(t, []string{"fragment"}, f.Groups[1].Visibility.Stages())
	p, ok := f.Find("counts")
	require.True(t, ok)
	assert.Equal(t, [2]int{1, 0}, [2]int{p.Group, p.Index})
	require.NoError(t, f.Validate())
	f, err = Place(ComputeShader, c)
	require.NoError(t, err)
	assert.Len(t, f.Groups, 1)
}
