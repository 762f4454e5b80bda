package cewgpu

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

// The digests are those of the format's description, whose author ran another
// implementation for them.
func TestWorkedExample(t *testing.T) {
	src := readFile(t, packages, "tiny.sm_hi")
	require.Equal(t, "7dc1ebc56e7bb4783906a82abbb370deda1e7198c061d681646b0f702edddfbc", digestHex(src))
	want := tinyReference(t)
	require.Equal(t, "d36b3068b0d5fb17d89e215421b9704ac5e7eb4196b6492f9fdd2bd7be430ccd", digestHex(want))

	p, fs := Validate(want)
	require.Empty(t, fs)
	assert.Equal(t, EffectPackage, p.Kind)
	assert.Equal(t, "format-webgpu", p.Generation())

	got, rep, err := Build(context.Background(), tinyInput(t, tinyEffect(t)))
	require.NoError(t, err)
	gotChunks, _ := ParseContainer(got)
	wantChunks, _ := ParseContainer(want)
	require.Len(t, gotChunks, len(wantChunks))
	for i := range wantChunks {
		require.Equal(t, wantChunks[i].Tag, gotChunks[i].Tag)
		assert.Equal(t, string(wantChunks[i].Data), string(gotChunks[i].Data), wantChunks[i].Tag)
	}
	assert.True(t, bytes.Equal(want, got))

	q, err := json.Marshal(rep.Qualification)
	require.NoError(t, err)
	assert.Equal(t, `{"ok":true,"level":"structural","validator":"cewgpu-structural","mode":"selected","packageValid":true,"sourceComplete":true,"backendComplete":false,"runtimeComplete":false,"selectedStageCount":2,"shaderCount":2,"layoutCount":1,"nativeComparison":false}`, string(q))
	assert.Equal(t, digestHex(want), rep.SHA256)
}

// threeBodies is the effect of the all-body example: the tiny body, the same with a
// geometry stage, the same with other render states.
func threeBodies(t testing.TB) *effect.Effect {
	t.Helper()
	tiny := tinyEffect(t)
	m, err := tiny.Model()
	require.NoError(t, err)
	base := m.Bodies[0]
	clone := func() *effect.Body {
		b := *base
		b.Techniques = []effect.Technique{base.Techniques[0]}
		b.Techniques[0].Passes = []effect.Pass{base.Techniques[0].Passes[0]}
		return &b
	}
	geometry := clone()
	pass := &geometry.Techniques[0].Passes[0]
	gs := pass.Stages[0]
	gs.Type = effect.Geometry
	gs.Program = append([]byte{}, gs.Program...)
	at := bytes.Index(gs.Program, []byte("SHEX"))
	require.Positive(t, at)
	gs.Program[at+10] = 2 // the kind in the version token
	pass.Stages = append([]effect.Stage{gs}, pass.Stages...)
	states := clone()
	states.Techniques[0].Passes[0].States = []effect.RenderState{{State: 7, Value: 0}, {State: 22, Value: 3}}
	m.Axes = []effect.Axis{{Name: "VARIANT", Options: []string{"A", "B", "C"}}}
	m.Bodies = []*effect.Body{base, geometry, states}
	b, err := effect.Build(m)
	require.NoError(t, err)
	return parseEffect(t, b)
}

func allInput(t testing.TB) *Input {
	e := threeBodies(t)
	in := tinyInput(t, e)
	in.Mode, in.Permutation = All, 0
	return in
}

func TestAllBodyExample(t *testing.T) {
	pkg, rep, err := Build(context.Background(), allInput(t))
	require.NoError(t, err)
	p := requireValid(t, pkg)
	c, ok := p.Chunk("WGSB")
	require.True(t, ok)
	assert.Len(t, c.Data, 4087)
	assert.Equal(t, "8377b3d36007ac3e9eb2cdf7f07c575dc1c3a94021424c83f6fe06674d8051cb", digestHex(c.Data))
	set, err := p.BodySet()
	require.NoError(t, err)
	require.Len(t, set.PassUnits, 1)
	assert.Equal(t, "42c0ff2371e29935902508244e561a17d89fd54f81b902b73a62a70f971f4157", set.PassUnits[0].SHA256)
	info, err := p.Info()
	require.NoError(t, err)
	assert.Equal(t, "partial", info.BackendBodyCoverage)
	assert.Equal(t, 7, info.EffectReflection.SourceProgramCount)

	// A geometry stage in one body never costs the others.
	for perm, status := range []string{"translated", "unsupported", "translated"} {
		prog, err := p.BackendPrograms(perm)
		require.NoError(t, err)
		assert.Equal(t, status, prog.Status)
	}
	prog, _ := p.BackendPrograms(1)
	assert.Equal(t, "WGSL effect stage Main.pass0.geometry kind geometry is not supported", prog.Error)
	require.Len(t, rep.Bodies, 3)
	assert.Equal(t, Sharing{Passes: 2, Units: 1, Bytes: rep.Sharing.Bytes, Saved: rep.Sharing.Bytes}, *rep.Sharing)
	assert.Equal(t, 2, *rep.Qualification.BackendTranslatedBodyCount)

	// The states of a body come from the reflection, never from the unit.
	for perm, want := range []uint32{1, 1, 0} {
		doc, err := p.PortableReflection(perm)
		require.NoError(t, err)
		assert.Equal(t, want, doc.Effect.Techniques[0].Passes[0].RenderStates[0].Value)
	}
}

func transformInput(t testing.TB) *Input {
	t.Helper()
	tiny := tinyEffect(t)
	m, err := tiny.Model()
	require.NoError(t, err)
	body := *m.Bodies[0]
	tech := body.Techniques[0]
	pass := tech.Passes[0]
	pass.Stages = append([]effect.Stage{}, pass.Stages...)
	ps := &pass.Stages[1]
	require.Equal(t, effect.Pixel, ps.Type)
	ps.Constants, ps.Defaults = nil, nil
	ps.Registers = []effect.Register{{Type: effect.RegSampler, Count: 1}, {Type: effect.RegSRVTexture2D, Index: 16, Count: 1}, {Type: effect.RegSRVTexture2D, Index: 17, Count: 1}}
	ps.Textures = []effect.Texture{{Register: 16, Name: "Detail1Map", Type: 2, Elements: 1}, {Register: 17, Name: "Detail2Map", Type: 2, Elements: 1}}
	body.Techniques = []effect.Technique{tech}
	body.Techniques[0].Passes = []effect.Pass{pass}
	body.Groups = nil
	m.Bodies = []*effect.Body{&body, &body}
	b, err := effect.Build(m)
	require.NoError(t, err)
	in := tinyInput(t, parseEffect(t, b))
	mods := tinyPass(t)
	id := "Main.pass0:detail-map-array:sampled-resource:0:16"
	mods.Plan.Bindings = []layout.Binding{
		mods.Plan.Bindings[0],
		{Identity: "sampled-resource:0:16", Scope: "sampled-resource:0:16@fragment", Kind: layout.SampledResource, Register: 16, Symbol: "t16", Binding: 1,
			Visibility: []layout.Stage{layout.Fragment}, Type: "texture_2d_array<f32>", Texture: &layout.Texture{SampleType: "float", ViewDimension: "2d-array"},
			Transform: id, Layers: 2},
		mods.Plan.Bindings[3],
	}
	mods.Plan.Bindings[2].Binding = 2
	mods.Transforms = []ResourceTransform{{
		ID: id, Version: 1, Kind: "texture-2d-array", LayoutKey: "Main.pass0", Stage: "fragment",
		Inputs: []TransformInput{
			{Parameter: "Detail1Map", Layer: 0, Identity: "sampled-resource:0:16", ScopeIdentity: "sampled-resource:0:16@fragment"},
			{Parameter: "Detail2Map", Layer: 1, Identity: "sampled-resource:0:17", ScopeIdentity: "sampled-resource:0:17@fragment"},
		},
		Output:         TransformOutput{Name: "DetailMapArray", Identity: "sampled-resource:0:16", ScopeIdentity: "sampled-resource:0:16@fragment", ViewDimension: "2d-array", LayerCount: 2},
		Representation: "native-or-rgba8", MissingLayer: "reject",
	}}
	mods.Modules[1].Code = `@group(0) @binding(1) var t16: texture_2d_array<f32>;
@group(0) @binding(2) var s0: sampler;

@fragment
fn main(@location(1) uv: vec2<f32>) -> @location(0) vec4<f32>
{
    return textureSample(t16, s0, uv, 0i) + textureSample(t16, s0, uv, 1i);
}
`
	mods.Modules[1].SourceMap = []MapLine{{Line: 7, InstructionIndex: 0, DXBCOffset: 22}}
	in.Translate = func(context.Context, int, PassRef) (*PassModules, error) { return mods, nil }
	return in
}

func TestTransformExample(t *testing.T) {
	pkg, _, err := Build(context.Background(), transformInput(t))
	require.NoError(t, err)
	p := requireValid(t, pkg)
	c, _ := p.Chunk("WGSL")
	assert.Contains(t, string(c.Data), `"formatVersion":3`)
	want := `"resourceTransforms":[{"id":"Main.pass0:detail-map-array:sampled-resource:0:16","version":1,"kind":"texture-2d-array","layoutKey":"Main.pass0","stage":"fragment","inputs":[{"parameter":"Detail1Map","layer":0,"identity":"sampled-resource:0:16","scopeIdentity":"sampled-resource:0:16@fragment"},{"parameter":"Detail2Map","layer":1,"identity":"sampled-resource:0:17","scopeIdentity":"sampled-resource:0:17@fragment"}],"output":{"name":"DetailMapArray","identity":"sampled-resource:0:16","scopeIdentity":"sampled-resource:0:16@fragment","viewDimension":"2d-array","layerCount":2},"representation":"native-or-rgba8","missingLayer":"reject"}]`
	assert.Contains(t, string(c.Data), want)
	// ANLS keeps both source maps.
	a, _ := p.Chunk("ANLS")
	assert.Contains(t, string(a.Data), "Detail2Map")

	// In mode all the unit has set version 3.
	in := transformInput(t)
	in.Mode = All
	pkg, _, err = Build(context.Background(), in)
	require.NoError(t, err)
	set, err := requireValid(t, pkg).BodySet()
	require.NoError(t, err)
	require.Len(t, set.PassUnits, 1)
	assert.Equal(t, 3, set.PassUnits[0].WGSLSetVersion)
}

func TestBuildTwice(t *testing.T) {
	for name, make := range map[string]func(testing.TB) *Input{
		"selected":  func(t testing.TB) *Input { return tinyInput(t, tinyEffect(t)) },
		"all":       allInput,
		"transform": transformInput,
	} {
		t.Run(name, func(t *testing.T) {
			in := make(t)
			in.Workers = 1
			a, _, err := Build(context.Background(), in)
			require.NoError(t, err)
			in = make(t)
			in.Workers = 8
			b, _, err := Build(context.Background(), in)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(a, b))
		})
	}
}

func TestLabelsAndIdentity(t *testing.T) {
	in := tinyInput(t, tinyEffect(t))
	in.Label = "  a\xe2\x82b\u2028<&>  "
	in.OutputPath = "out.cewgpu"
	in.Identity = Identity{LogicalPath: "res:/x", SHA256: hex.EncodeToString(in.Effect.SHA256[:])}
	in.Producer = &Producer{Name: "fxlens", Version: "1.0.0"}
	pkg, _, err := Build(context.Background(), in)
	require.NoError(t, err)
	p := requireValid(t, pkg)
	info, err := p.Info()
	require.NoError(t, err)
	assert.Equal(t, "a\uFFFDb\u2028<&>", info.SourcePath)
	assert.Equal(t, "out.cewgpu", *info.OutputPath)
	assert.Equal(t, "res:/x", info.SourceIdentity.LogicalPath)
	assert.Nil(t, info.SourceIdentity.Game)
	assert.Equal(t, &Producer{Name: "fxlens", Version: "1.0.0", Order: "code-point"}, info.Producer, "the order used is recorded")
	assert.Empty(t, in.Producer.Order, "the caller's value stays its own")
	c, _ := p.Chunk("INFO")
	assert.Contains(t, string(c.Data), "a\uFFFDb\u2028<&>", "nothing is escaped that JSON does not demand")

	in.Identity.SHA256 = strings.Repeat("0", 64)
	_, _, err = Build(context.Background(), in)
	var be *BuildError
	require.ErrorAs(t, err, &be)
	assert.Equal(t, ruleSource, be.Findings[0].Rule)
}
