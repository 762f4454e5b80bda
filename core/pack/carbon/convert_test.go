package carbon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/wgsl/layout"
)

// modules is a translation of the tiny effect that tests change.
func modules() *cewgpu.PassModules {
	return &cewgpu.PassModules{
		Plan: &layout.Plan{Bindings: []layout.Binding{
			{Identity: "uniform-buffer:0:0", Scope: "uniform-buffer:0:0@vertex", Kind: layout.UniformBuffer, Symbol: "cb0",
				Visibility: []layout.Stage{layout.Vertex}, Type: "array<vec4<f32>, 1>", Buffer: &layout.Buffer{Type: "uniform", MinBindingSize: 16}},
			{Identity: "sampled-resource:0:0", Scope: "sampled-resource:0:0@fragment", Kind: layout.SampledResource, Symbol: "t0", Binding: 1,
				Visibility: []layout.Stage{layout.Fragment}, Type: "texture_2d<f32>", Texture: &layout.Texture{SampleType: "float", ViewDimension: "2d"}},
			{Identity: "sampler:0:0", Scope: "sampler:0:0@fragment", Kind: layout.Sampler, Symbol: "s0", Binding: 2,
				Visibility: []layout.Stage{layout.Fragment}, Type: "sampler", Sampler: &layout.SamplerState{Type: "filtering"}},
		}},
		Modules: []cewgpu.Module{
			{Stage: layout.Vertex, EntryPoint: "main", Code: "@vertex\nfn main() -> @builtin(position) vec4<f32> { return vec4<f32>(); }\n", SourceMap: []cewgpu.MapLine{{Line: 2, DXBCOffset: 20}}},
			{Stage: layout.Fragment, EntryPoint: "main", Code: "@fragment\nfn main() {}\n"},
		},
	}
}

func input(t testing.TB, translate func(perm int) (*cewgpu.PassModules, error)) *cewgpu.Input {
	e, err := effect.Parse(readFile(t, sharedSeed))
	require.NoError(t, err)
	return &cewgpu.Input{Effect: e, Label: "tiny", Version: "0.1.0", Mode: cewgpu.All,
		Translate: func(_ context.Context, perm int, _ cewgpu.PassRef) (*cewgpu.PassModules, error) {
			return translate(perm)
		}}
}

// container is the container of the package that in builds.
func container(t *testing.T, in *cewgpu.Input) (*carbon.Container, error) {
	in.Profile = cewgpu.Extended
	b, _, err := cewgpu.Build(context.Background(), in)
	require.NoError(t, err)
	p, err := cewgpu.Open(b)
	require.NoError(t, err)
	return carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: in.Effect})
}

// TestUnsayable builds containers from translations that differ in one field: what
// would come back different is refused with the field at fault, and nothing else is.
func TestUnsayable(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*cewgpu.PassModules)
	}{
		{"nothing", "", func(*cewgpu.PassModules) {}},
		{"name of the newer generation", "", func(m *cewgpu.PassModules) { detail(m); m.Transforms[0].Output.Name = "DetailArrayMap" }},
		{"detail maps", "", detail},
		{"stride", "", func(m *cewgpu.PassModules) { storage(m, 12, 12) }},
		{"typed buffer", "", func(m *cewgpu.PassModules) { storage(m, 0, 16) }},
		{"shared", "scopeIdentity", func(m *cewgpu.PassModules) {
			b := &m.Plan.Bindings[0]
			b.Scope, b.Visibility = b.Identity, []layout.Stage{layout.Vertex, layout.Fragment}
		}},
		{"order of visibility", "visibility", func(m *cewgpu.PassModules) {
			b := &m.Plan.Bindings[0]
			b.Scope, b.Visibility = b.Identity, []layout.Stage{layout.Fragment, layout.Vertex}
		}},
		{"identity", "identity", func(m *cewgpu.PassModules) {
			m.Plan.Bindings[2].Identity, m.Plan.Bindings[2].Scope = "sampler:0:0#comparison", "sampler:0:0#comparison@fragment"
		}},
		{"comparison sampler", "sampler", func(m *cewgpu.PassModules) {
			m.Plan.Bindings[2].Type, m.Plan.Bindings[2].Sampler.Type = "sampler_comparison", "comparison"
		}},
		{"non-filtering sampler", "sampler", func(m *cewgpu.PassModules) { m.Plan.Bindings[2].Sampler.Type = "non-filtering" }},
		{"depth texture", "texture", func(m *cewgpu.PassModules) {
			m.Plan.Bindings[1].Type, m.Plan.Bindings[1].Texture.SampleType = "texture_depth_2d", "depth"
		}},
		{"integer texture", "texture", func(m *cewgpu.PassModules) {
			m.Plan.Bindings[1].Type, m.Plan.Bindings[1].Texture.SampleType = "texture_2d<u32>", "uint"
		}},
		{"unfilterable texture", "texture", func(m *cewgpu.PassModules) { m.Plan.Bindings[1].Texture.SampleType = "unfilterable-float" }},
		{"struct uniform", "type", func(m *cewgpu.PassModules) { m.Plan.Bindings[0].Type = "Globals" }},
		{"size of a uniform", "buffer", func(m *cewgpu.PassModules) { m.Plan.Bindings[0].Buffer.MinBindingSize = 32 }},
		{"size beside a stride", "buffer", func(m *cewgpu.PassModules) { storage(m, 12, 24) }},
		{"counter", "resourceKind", func(m *cewgpu.PassModules) {
			b := &m.Plan.Bindings[0]
			b.Kind, b.Identity, b.Scope = layout.UAVCounter, "uav-counter:0:0", "uav-counter:0:0@vertex"
			b.Type, b.Buffer.Type = "atomic<u32>", "storage"
		}},
		{"storage texture", "storageTexture", func(m *cewgpu.PassModules) {
			b := &m.Plan.Bindings[1]
			b.Kind, b.Identity, b.Scope, b.Type = layout.StorageResource, "storage-resource:0:0", "storage-resource:0:0@fragment", "texture_storage_2d<rgba8unorm, write>"
			b.Texture, b.Storage = nil, &layout.StorageTexture{Access: "write-only", Format: "rgba8unorm", ViewDimension: "2d"}
		}},
		{"space 256", "registerSpace", func(m *cewgpu.PassModules) {
			b := &m.Plan.Bindings[0]
			b.Space, b.Identity, b.Scope = 256, "uniform-buffer:256:0", "uniform-buffer:256:0@vertex"
		}},
		{"slot 256", "binding", func(m *cewgpu.PassModules) { m.Plan.Bindings[0].Binding = 256 }},
		{"entry point", "entryPoint", func(m *cewgpu.PassModules) { m.Modules[0].EntryPoint = "vs" }},
		{"long symbol", "symbol", func(m *cewgpu.PassModules) { m.Plan.Bindings[0].Symbol = strings.Repeat("x", 70000) }},
		{"output name", "transform 0", func(m *cewgpu.PassModules) { detail(m); m.Transforms[0].Output.Name = "Other" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := modules()
			c.change(m)
			in := input(t, func(int) (*cewgpu.PassModules, error) { return m, nil })
			out, err := container(t, in)
			if c.want == "" {
				require.NoError(t, err)
				set, ds := out.File.WGSL(0)
				require.Empty(t, errorsOf(ds))
				require.Len(t, set.Layouts[0].BindGroups[0].Bindings, 3)
				got := set.Layouts[0].BindGroups[0].Bindings[1]
				if b := m.Plan.Bindings[1].Buffer; b != nil {
					assert.Equal(t, b.MinBindingSize, got.Buffer.MinBindingSize)
				}
				assert.Equal(t, len(m.Transforms), len(set.ResourceTransforms))
				return
			}
			var ce *carbon.ConvertError
			require.ErrorAs(t, err, &ce)
			found := false
			for _, d := range ce.Findings {
				assert.Equal(t, diag.Code("carbon.unsayable"), d.Code)
				assert.NotEmpty(t, d.Remedy)
				assert.Equal(t, "Main", d.At.Technique)
				found = found || strings.Contains(d.Text, c.want)
			}
			assert.True(t, found, "%v", ce.Findings)
		})
	}
}

func detail(m *cewgpu.PassModules) {
	b := &m.Plan.Bindings[1]
	id := "Main.pass0:detail-map-array:sampled-resource:0:0"
	b.Type, b.Texture.ViewDimension, b.Transform, b.Layers = "texture_2d_array<f32>", "2d-array", id, 2
	t := cewgpu.ResourceTransform{ID: id, Version: 1, Kind: "texture-2d-array", LayoutKey: "Main.pass0", Stage: "fragment", Representation: "native-or-rgba8", MissingLayer: "reject",
		Output: cewgpu.TransformOutput{Name: "DetailMapArray", Identity: b.Identity, ScopeIdentity: b.Scope, ViewDimension: "2d-array", LayerCount: 2}}
	for i, name := range []string{"Detail1Map", "Detail2Map"} {
		ident := []string{"sampled-resource:0:0", "sampled-resource:0:1"}[i]
		t.Inputs = append(t.Inputs, cewgpu.TransformInput{Parameter: name, Layer: i, Identity: ident, ScopeIdentity: ident + "@fragment"})
	}
	m.Transforms = []cewgpu.ResourceTransform{t}
}

func storage(m *cewgpu.PassModules, stride, size int) {
	b := &m.Plan.Bindings[1]
	b.Texture, b.Type, b.Stride = nil, "array<u32>", stride
	b.Buffer = &layout.Buffer{Type: "read-only-storage", MinBindingSize: size}
}

// TestBuildEffects builds containers of real effects of every version straight from
// the compiler, twice, and gets the same bytes.
func TestBuildEffects(t *testing.T) {
	for _, name := range []string{"ui/sprite2d.sm_hi", "decal/decal.sm_hi", "versions/v08/booster/trail.sm_hi", "versions/v14/booster/trail.sm_hi", "dx12/shadow/planetshadow.sm_hi"} {
		path := filepath.Join(testdata, "effects", filepath.FromSlash(name))
		matches, err := filepath.Glob(path)
		require.NoError(t, err)
		if len(matches) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := openEffect(t, path)
			p, ok := buildPackage(t, s, cewgpu.Selected)
			require.True(t, ok)
			c, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: s.Effect})
			require.NoError(t, err)
			again, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: s.Effect})
			require.NoError(t, err)
			assert.True(t, bytes.Equal(c.Data, again.Data))
			a, err := c.Side.Encode()
			require.NoError(t, err)
			b, err := again.Side.Encode()
			require.NoError(t, err)
			assert.Equal(t, string(a), string(b))
			// The container is itself a version 15 file without the references.
			assert.EqualValues(t, 15, c.File.Effect.Version)
			want, err := s.Effect.Body(s.DefaultPermutation())
			require.NoError(t, err)
			got, err := c.File.Effect.Body(s.DefaultPermutation())
			require.NoError(t, err)
			for i := range want.Techniques {
				for j := range want.Techniques[i].Passes {
					for k := range want.Techniques[i].Passes[j].Stages {
						w, g := &want.Techniques[i].Passes[j].Stages[k], &got.Techniques[i].Passes[j].Stages[k]
						require.Equal(t, w.Type, g.Type, "the order of stages")
						require.Len(t, g.Samplers, len(w.Samplers))
						for n := range w.Samplers {
							assert.Equal(t, w.Samplers[n].Name, g.Samplers[n].Name)
						}
					}
				}
			}
		})
	}
}

// A side file belongs to one container, and says so when it does not fit.
func TestSideRefused(t *testing.T) {
	c := tiny(t)
	good, err := c.Side.Encode()
	require.NoError(t, err)
	change := func(f func(map[string]any)) []byte {
		var m map[string]any
		require.NoError(t, json.Unmarshal(good, &m))
		f(m)
		b, err := json.Marshal(m)
		require.NoError(t, err)
		return b
	}
	chunk := func(m map[string]any, tag string) map[string]any {
		for _, x := range m["package"].(map[string]any)["chunks"].([]any) {
			if x.(map[string]any)["tag"] == tag {
				return x.(map[string]any)
			}
		}
		require.Fail(t, "no chunk", tag)
		return nil
	}
	for name, b := range map[string][]byte{
		"not JSON":        []byte("{"),
		"another format":  change(func(m map[string]any) { m["format"] = "X" }),
		"another version": change(func(m map[string]any) { m["formatVersion"] = 2 }),
		"another container": change(func(m map[string]any) {
			m["container"].(map[string]any)["sha256"] = strings.Repeat("0", 64)
		}),
		"altered document": change(func(m map[string]any) { chunk(m, "META")["document"].(map[string]any)["effectName"] = "other" }),
		"altered digest":   change(func(m map[string]any) { chunk(m, "RBLB")["sha256"] = "00" }),
		"altered package":  change(func(m map[string]any) { m["package"].(map[string]any)["sha256"] = "00" }),
		"missing module": change(func(m map[string]any) {
			chunk(m, "WGSL")["document"].(map[string]any)["shaders"].([]any)[0].(map[string]any)["key"] = "Other.pass0.vertex"
		}),
		"programs of a chunk that has none": change(func(m map[string]any) { chunk(m, "META")["programs"] = "container" }),
	} {
		t.Run(name, func(t *testing.T) {
			side, err := carbon.ParseSide(b)
			if err == nil {
				_, err = c.File.ToPackage(context.Background(), carbon.ToOptions{Side: side, Permutation: -1})
			}
			var d diag.Diag
			require.ErrorAs(t, err, &d)
			assert.Equal(t, diag.Code("carbon.side-file"), d.Code)
			assert.NotEmpty(t, d.Remedy)
		})
	}
}

func TestWrongSource(t *testing.T) {
	c := tiny(t)
	other := openEffect(t, filepath.Join(testdata, "effects", "ui", "sprite2d.sm_hi"))
	p, err := cewgpu.Open(readFile(t, testdata, "packages", "tiny.cewgpu"))
	require.NoError(t, err)
	_, err = carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: other.Effect})
	var ce *carbon.ConvertError
	require.ErrorAs(t, err, &ce)
	assert.Equal(t, diag.Code("carbon.wrong-source"), ce.Findings[0].Code)
	_, err = c.File.ToPackage(context.Background(), carbon.ToOptions{Source: other.Effect, Permutation: -1})
	require.ErrorAs(t, err, &ce)
	assert.Equal(t, diag.Code("carbon.wrong-source"), ce.Findings[0].Code)

	// The same effect with one render state changed is another one, and where is said.
	e, err := effect.Parse(readFile(t, sharedSeed))
	require.NoError(t, err)
	m, err := e.Model()
	require.NoError(t, err)
	b := *m.Bodies[0]
	b.Techniques = append([]effect.Technique(nil), b.Techniques...)
	b.Techniques[0].Passes = append([]effect.Pass(nil), b.Techniques[0].Passes...)
	b.Techniques[0].Passes[0].States = append([]effect.RenderState(nil), b.Techniques[0].Passes[0].States...)
	b.Techniques[0].Passes[0].States[0].Value ^= 1
	for i := range m.Bodies {
		m.Bodies[i] = &b
	}
	raw, err := effect.Build(m)
	require.NoError(t, err)
	changed, err := effect.Parse(raw)
	require.NoError(t, err)
	_, err = c.File.ToPackage(context.Background(), carbon.ToOptions{Source: changed, Permutation: -1})
	require.ErrorAs(t, err, &ce)
	assert.Contains(t, ce.Findings[0].Text, "Techniques[0] Passes[0] RenderStates[0] Value")
}

// What is lost is listed, with numbers, and says whether the side file has it.
func TestLosses(t *testing.T) {
	s := openEffect(t, filepath.Join(testdata, "effects", "decal", "decal.sm_hi"))
	p, ok := buildPackage(t, s, cewgpu.All)
	require.True(t, ok)
	with, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: s.Effect})
	require.NoError(t, err)
	without, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{})
	require.NoError(t, err)
	kept := map[string]bool{}
	for _, l := range with.Side.Lost {
		kept[l.What] = l.Kept
		assert.True(t, l.Kept, l.String())
		assert.NotEmpty(t, l.Detail)
	}
	for _, what := range []string{"source identity", "source hash", "producer", "source programs", "body records", "selection", "shared units", "source map entries"} {
		assert.Contains(t, kept, what)
	}
	gone := 0
	for _, l := range without.Side.Lost {
		if !l.Kept {
			gone++
			assert.Contains(t, l.Detail, "--source")
		}
	}
	assert.Positive(t, gone)
}

// A package of one pass gives a container of one pass, whose view says so.
func TestOnePass(t *testing.T) {
	s, err := session.Open("decal.sm_hi", readFile(t, testdata, "effects", "decal", "decal.sm_hi"), compile.Options{})
	require.NoError(t, err)
	passes, err := s.Passes(s.DefaultPermutation())
	require.NoError(t, err)
	require.Greater(t, len(passes), 1)
	data, _, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.DefaultPermutation(), Passes: passes[1:2], Version: "0.1.0"})
	require.NoError(t, err)
	p, err := cewgpu.Open(data)
	require.NoError(t, err)
	c, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{})
	require.NoError(t, err)
	meta := c.File.Metadata("decal", s.DefaultPermutation())
	require.NotNil(t, meta.WGSLSelection)
	want, err := p.Meta()
	require.NoError(t, err)
	assert.Equal(t, want.WGSLSelection.TechniqueName, meta.WGSLSelection.TechniqueName)
	assert.ElementsMatch(t, want.WGSLSelection.SelectedStageKeys, meta.WGSLSelection.SelectedStageKeys)
	a, err := c.File.Analysis(context.Background(), s.DefaultPermutation(), "decal")
	require.NoError(t, err)
	empty := 0
	for _, st := range a.Stages {
		if st.ShaderBytecode.ShaderSize == 0 {
			empty++
		}
	}
	assert.Positive(t, empty)

	// Alone it cannot be a package, which has the programs of every stage.
	_, err = c.File.ToPackage(context.Background(), carbon.ToOptions{Permutation: -1})
	var ce *carbon.ConvertError
	require.ErrorAs(t, err, &ce)
	assert.Contains(t, ce.Findings[0].Remedy, "--source")
	// With its source it can.
	back, err := c.File.ToPackage(context.Background(), carbon.ToOptions{Permutation: s.DefaultPermutation(), Source: s.Effect, Label: "decal.sm_hi", Version: "0.1.0"})
	require.NoError(t, err)
	bp, err := cewgpu.Open(back.Data)
	require.NoError(t, err)
	sameWGSL(t, p, bp)
}
