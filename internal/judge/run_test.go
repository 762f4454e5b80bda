package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/judge"
)

// run executes one job and requires that it ran.
func run(t *testing.T, j judge.Job) map[string][]byte {
	t.Helper()
	o := judge.Run(t, []judge.Job{j})[0]
	require.True(t, o.Ran, o.String())
	return o.Outputs
}

func TestRunCompute(t *testing.T) {
	out := run(t, judge.Job{
		ID: "scale",
		Buffers: []judge.Buffer{
			{Name: "cb0", Data: judge.Floats(2, 0, 0, 0)},
			{Name: "in", Data: judge.Floats(1, 2, 3, 4, 5)},
			{Name: "out", Size: 5 * 4, Read: true},
		},
		Passes: []judge.Pass{{
			Modules: compute(`@group(0) @binding(0) var<uniform> cb0: array<vec4<f32>, 1>;
@group(0) @binding(1) var<storage, read> t0: array<f32>;
@group(0) @binding(2) var<storage, read_write> u0: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&u0)) { u0[id.x] = t0[id.x] * cb0[0].x; }
}`),
			Layout: [][]judge.Entry{{
				{Binding: 0, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "uniform", MinBindingSize: 16}},
				{Binding: 1, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "read-only-storage", MinBindingSize: 4}},
				{Binding: 2, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "storage", MinBindingSize: 4}},
			}},
			Bind:     []judge.Bind{{Binding: 0, Resource: "cb0"}, {Binding: 1, Resource: "in"}, {Binding: 2, Resource: "out"}},
			Dispatch: []uint32{1, 1, 1},
		}},
	})
	assert.Equal(t, []float32{2, 4, 6, 8, 10}, judge.AsFloats(out["out"]))
}

// TestRunChain lets a first dispatch write the group count of a second one.
func TestRunChain(t *testing.T) {
	out := run(t, judge.Job{
		ID:      "chain",
		Buffers: []judge.Buffer{{Name: "args", Size: 12}, {Name: "out", Size: 32, Read: true}},
		Passes: []judge.Pass{
			{
				Modules:  compute("@group(0) @binding(0) var<storage, read_write> u0: array<u32>;\n@compute @workgroup_size(1) fn main() { u0[0] = 3u; u0[1] = 1u; u0[2] = 1u; }"),
				Bind:     []judge.Bind{{Resource: "args"}},
				Dispatch: []uint32{1, 1, 1},
			},
			{
				Modules:  compute("@group(0) @binding(0) var<storage, read_write> u0: array<u32>;\n@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3<u32>) { u0[id.x] = id.x + 7u; }"),
				Bind:     []judge.Bind{{Resource: "out"}},
				Indirect: &judge.Indirect{Buffer: "args"},
			},
		},
	})
	assert.Equal(t, []uint32{7, 8, 9, 10, 11, 12, 0, 0}, judge.AsWords(out["out"]))
}

func TestRunRender(t *testing.T) {
	zero := 0.0
	out := run(t, judge.Job{
		ID: "quad",
		Buffers: []judge.Buffer{
			{Name: "vb", Data: judge.Floats(-1, -1, 3, -1, -1, 3)},
			{Name: "ib", Data: judge.Words(0, 1, 2)},
		},
		Textures: []judge.Texture{
			{Name: "t0", Format: "rgba8unorm", Width: 2, Height: 2, Mips: 2, Data: [][]byte{
				{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 51, 51, 51, 51}, {102, 102, 102, 102},
			}},
			{Name: "rt0", Format: "rgba8unorm", Width: 2, Height: 2, Read: true},
			{Name: "rt2", Format: "r32uint", Width: 2, Height: 2, Read: true},
			{Name: "depth", Format: "depth32float", Width: 2, Height: 2, Read: true},
		},
		Samplers: []judge.Sampler{{Name: "s0"}},
		Passes: []judge.Pass{{
			Modules: []judge.Module{
				{Stage: judge.Vertex, EntryPoint: "vs", Code: "@vertex fn vs(@location(0) p: vec2<f32>) -> @builtin(position) vec4<f32> { return vec4<f32>(p, 0.25, 1.0); }"},
				{Stage: judge.Fragment, EntryPoint: "ps", Code: `@group(0) @binding(0) var t0: texture_2d<f32>;
@group(0) @binding(1) var s0: sampler;
struct Out { @location(0) a: vec4<f32>, @location(2) b: vec4<u32> }
@fragment fn ps(@builtin(position) p: vec4<f32>) -> Out {
  return Out(textureSampleLevel(t0, s0, p.xy / 2.0, 0.0), vec4<u32>(u32(p.y) * 2u + u32(p.x)));
}`},
			},
			Layout: [][]judge.Entry{{
				{Binding: 0, Visibility: []string{judge.Fragment}, Texture: &judge.TextureLayout{SampleType: "float", ViewDimension: "2d"}},
				{Binding: 1, Visibility: []string{judge.Fragment}, Sampler: &judge.SamplerLayout{Type: "filtering"}},
			}},
			Bind: []judge.Bind{{Binding: 0, Resource: "t0"}, {Binding: 1, Resource: "s0"}},
			Draw: &judge.Draw{
				VertexCount: 3,
				Buffers:     []judge.DrawBuffer{{VertexBuffer: judge.VertexBuffer{ArrayStride: 8, Attributes: []judge.Attribute{{Format: "float32x2"}}}, Resource: "vb"}},
				Index:       &judge.Index{Resource: "ib", Format: "uint32"},
				Targets:     []judge.DrawTarget{{Resource: "rt0", Clear: []float64{0, 0, 0, 0}}, {}, {Resource: "rt2", Clear: []float64{9, 0, 0, 0}}},
				Depth:       &judge.DrawDepth{Resource: "depth", Clear: &zero},
			},
		}},
	})
	assert.Equal(t, []byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 51, 51, 51, 51}, out["rt0"])
	assert.Equal(t, []uint32{0, 1, 2, 3}, judge.AsWords(out["rt2"]))
	assert.Equal(t, []float32{0.25, 0.25, 0.25, 0.25}, judge.AsFloats(out["depth"]))
}

// TestRunTextures reads what only a draw can put there (depth, samples), the
// layers of a cube, a 3D texture and a mip, and writes a storage texture.
func TestRunTextures(t *testing.T) {
	faces := make([][]byte, 6)
	for i := range faces {
		faces[i] = judge.Floats(float32(10 + i))
	}
	out := run(t, judge.Job{
		ID: "textures",
		Buffers: []judge.Buffer{
			{Name: "out", Size: 40, Read: true},
		},
		Textures: []judge.Texture{
			{Name: "depth", Format: "depth32float", Width: 2, Height: 1, Data: [][]byte{judge.Floats(0.5, 0.75)}},
			{Name: "ms", Format: "r32float", Width: 1, Height: 1, Samples: 4, Data: [][]byte{judge.Floats(1), judge.Floats(2), judge.Floats(3), judge.Floats(4)}},
			{Name: "cube", Format: "r32float", Width: 1, Height: 1, Layers: 6, Data: faces},
			{Name: "volume", Dimension: "3d", Format: "r32float", Width: 1, Height: 1, Layers: 2, Data: [][]byte{judge.Floats(20, 21)}},
			{Name: "mips", Format: "r32float", Width: 2, Height: 2, Mips: 2, Data: [][]byte{judge.Floats(30, 31, 32, 33), judge.Floats(40)}},
			{Name: "store", Format: "rgba32float", Width: 2, Height: 1, Storage: true, Read: true},
		},
		Samplers: []judge.Sampler{{Name: "s0"}},
		Passes: []judge.Pass{{
			Modules: compute(`@group(0) @binding(0) var depth: texture_depth_2d;
@group(0) @binding(1) var ms: texture_multisampled_2d<f32>;
@group(0) @binding(2) var cube: texture_cube<f32>;
@group(0) @binding(3) var volume: texture_3d<f32>;
@group(0) @binding(4) var mips: texture_2d<f32>;
@group(0) @binding(5) var store: texture_storage_2d<rgba32float, write>;
@group(0) @binding(6) var<storage, read_write> u0: array<f32>;
@group(0) @binding(7) var s0: sampler;
@compute @workgroup_size(1) fn main() {
  u0[0] = textureLoad(depth, vec2<i32>(1, 0), 0);
  for (var s = 0; s < 4; s++) { u0[1 + s] = textureLoad(ms, vec2<i32>(), s).x; }
  u0[5] = textureSampleLevel(cube, s0, vec3<f32>(0.0, 1.0, 0.0), 0.0).x;
  u0[6] = textureLoad(volume, vec3<i32>(0, 0, 1), 0).x;
  u0[7] = textureLoad(mips, vec2<i32>(), 1).x;
  textureStore(store, vec2<i32>(1, 0), vec4<f32>(1.0, 2.0, 3.0, 4.0));
}`),
			Layout: [][]judge.Entry{{
				{Binding: 0, Visibility: []string{judge.Compute}, Texture: &judge.TextureLayout{SampleType: "depth"}},
				{Binding: 1, Visibility: []string{judge.Compute}, Texture: &judge.TextureLayout{SampleType: "unfilterable-float", Multisampled: true}},
				{Binding: 2, Visibility: []string{judge.Compute}, Texture: &judge.TextureLayout{SampleType: "unfilterable-float", ViewDimension: "cube"}},
				{Binding: 3, Visibility: []string{judge.Compute}, Texture: &judge.TextureLayout{SampleType: "unfilterable-float", ViewDimension: "3d"}},
				{Binding: 4, Visibility: []string{judge.Compute}, Texture: &judge.TextureLayout{SampleType: "unfilterable-float"}},
				{Binding: 5, Visibility: []string{judge.Compute}, StorageTexture: &judge.StorageTextureLayout{Access: "write-only", Format: "rgba32float", ViewDimension: "2d"}},
				{Binding: 6, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "storage"}},
				{Binding: 7, Visibility: []string{judge.Compute}, Sampler: &judge.SamplerLayout{Type: "non-filtering"}},
			}},
			Bind: []judge.Bind{
				{Binding: 0, Resource: "depth"}, {Binding: 1, Resource: "ms"}, {Binding: 2, Resource: "cube", View: &judge.View{Dimension: "cube"}},
				{Binding: 3, Resource: "volume"}, {Binding: 4, Resource: "mips"}, {Binding: 5, Resource: "store"}, {Binding: 6, Resource: "out"}, {Binding: 7, Resource: "s0"},
			},
			Dispatch: []uint32{1, 1, 1},
		}},
	})
	assert.Equal(t, []float32{0.75, 1, 2, 3, 4, 12, 21, 40, 0, 0}, judge.AsFloats(out["out"]))
	assert.Equal(t, []float32{0, 0, 0, 0, 1, 2, 3, 4}, judge.AsFloats(out["store"]))
}

// TestRunCapture takes a vertex program's outputs word for word, denormals and
// integers included.
func TestRunCapture(t *testing.T) {
	code := `@group(0) @binding(0) var<uniform> cb0: array<vec4<f32>, 1>;
struct In { @location(3) a: vec3<f32>, @location(1) n: vec2<u32> } // not @vertex fn here(
struct Out { @builtin(position) p: vec4<f32>, @location(2) @interpolate(flat) c: vec2<u32>, @location(0) d: f32 }
@vertex
fn main(v: In, @builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> Out {
  return Out(vec4<f32>(v.a, 1.0) * cb0[0].x, vec2<u32>(i * 100u + n, v.n.y), v.a.z);
}`
	for _, layout := range [][][]judge.Entry{nil, {{{Binding: 0, Visibility: []string{judge.Vertex}, Buffer: &judge.BufferLayout{Type: "uniform"}}}}} {
		out := run(t, judge.Job{
			ID:      "capture",
			Buffers: []judge.Buffer{{Name: "cb0", Data: judge.Floats(2, 0, 0, 0)}},
			Passes: []judge.Pass{{
				Modules: []judge.Module{{Stage: judge.Vertex, EntryPoint: "main", Code: code}},
				Layout:  layout,
				Bind:    []judge.Bind{{Resource: "cb0"}},
				Capture: &judge.Capture{VertexCount: 2, FirstVertex: 5, InstanceCount: 2, Inputs: []judge.CaptureInput{
					{Location: 3, Data: judge.Floats(1, 2, 3, 1, 4, 5, 6, 1)},
					{Location: 1, Data: judge.Words(0, 0xffffffff, 0, 1, 0, 7, 0, 1)},
				}},
			}},
		})
		assert.Equal(t, []float32{2, 4, 6, 2, 8, 10, 12, 2, 2, 4, 6, 2, 8, 10, 12, 2}, judge.AsFloats(out["pass0.position"]))
		assert.Equal(t, []uint32{500, 0xffffffff, 600, 7, 501, 0xffffffff, 601, 7}, judge.AsWords(out["pass0.location2"]))
		assert.Equal(t, []float32{3, 6, 3, 6}, judge.AsFloats(out["pass0.location0"]))
	}
}

func TestRunReportsErrors(t *testing.T) {
	outcomes := judge.Run(t, []judge.Job{
		{ID: "does not compile", Passes: []judge.Pass{{Modules: compute("@compute @workgroup_size(1) fn main() { let x: i32 = 1.5; }"), Dispatch: []uint32{1, 1, 1}}}},
		{ID: "no such resource", Passes: []judge.Pass{{Modules: compute("@compute @workgroup_size(1) fn main() { }"), Bind: []judge.Bind{{Resource: "nope"}}, Dispatch: []uint32{1, 1, 1}}}},
		{ID: "too big", Limits: map[string]uint64{"maxComputeInvocationsPerWorkgroup": 4096}, Passes: []judge.Pass{{Modules: compute("@compute @workgroup_size(4096) fn main() { }"), Dispatch: []uint32{1, 1, 1}}}},
		{ID: "fine", Buffers: []judge.Buffer{{Name: "b", Data: judge.Words(3), Read: true}}, Passes: []judge.Pass{{Modules: compute("@compute @workgroup_size(1) fn main() { }"), Dispatch: []uint32{1, 1, 1}}}},
	})
	assert.False(t, outcomes[0].Ran)
	assert.Contains(t, outcomes[0].String(), "cannot convert")
	assert.False(t, outcomes[1].Ran)
	assert.Contains(t, outcomes[1].String(), `"nope"`)
	assert.False(t, outcomes[2].Ran)
	assert.Contains(t, outcomes[2].Skipped, "maxComputeInvocationsPerWorkgroup")
	assert.True(t, outcomes[3].Ran, outcomes[3].String())
	assert.Equal(t, []uint32{3}, judge.AsWords(outcomes[3].Outputs["b"]))
}
