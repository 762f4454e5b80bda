package gate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInterfaceOf(t *testing.T) {
	for _, c := range []struct {
		name, code string
		in, out    []io
	}{
		{"structs", `// struct Wrong { @location(9) x: f32 }
struct VertexInput {
    @location(0) a: vec3<f32>, @location(5) b: u32,
    @builtin(vertex_index) i: u32,
};
/* nested /* comment */ struct */
struct Out { @builtin(position) @invariant p: vec4<f32>, @location(1) @interpolate(flat, either) q: vec2<i32> }
@group(0) @binding(0) var<uniform> cb0: array<vec4<f32>, 4>;
const k = array<f32, 2>(1, 2);
fn helper(x: f32) -> f32 { if (x > 0) { return x; } return k[0]; }
@vertex
fn main(input: VertexInput) -> Out { var o: Out; return o; }`,
			[]io{{0, "f32", 3}, {5, "u32", 1}}, []io{{1, "i32", 2}}},
		{"direct", `@fragment fn main(@builtin(position) p: vec4f, @location(2) @interpolate(flat) x: vec2u) -> @location(0) vec4f { return vec4f(); }`,
			[]io{{2, "u32", 2}}, []io{{0, "f32", 4}}},
		{"aliases", `enable f16; alias F = f32; alias V = vec4<F>; alias W = V;
struct O { @location(1u) x: W, @location(0) y: f16, }
@fragment fn main() -> O { return O(); }`,
			nil, []io{{1, "f32", 4}, {0, "f16", 1}}},
		{"sources of a blend", `enable dual_source_blending;
struct O { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
@fragment fn main() -> O { return O(); }`,
			nil, []io{{0, "f32", 4}}},
		{"other entry", `@fragment fn other(@location(0) a: f32) {}`, nil, nil},
		{"errors", `@fragment fn main(@location(0) a: f32) { x = 1; }`, nil, nil},
		{"nothing", ``, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, out := interfaceOf(c.code, "main")
			assert.Equal(t, c.in, in)
			assert.Equal(t, c.out, out)
		})
	}
}

func TestVertexBuffer(t *testing.T) {
	assert.Nil(t, vertexBuffer(nil))
	assert.Equal(t, &VertexBuffer{ArrayStride: 32, Attributes: []Attribute{
		{"float32x3", 0, 0}, {"uint32", 12, 1}, {"sint32x2", 16, 7}, {"float16x4", 24, 8},
	}}, vertexBuffer([]io{{0, "f32", 3}, {1, "u32", 1}, {7, "i32", 2}, {8, "f16", 3}}))
}

func TestTargets(t *testing.T) {
	assert.Empty(t, targets(nil))
	assert.Equal(t, []string{"rgba16float", "", "r16uint", "rg16sint"}, targets([]io{{0, "f32", 4}, {2, "u32", 1}, {3, "i32", 3}}))
	assert.Equal(t, []string{"r8unorm", "r16sint", "r8unorm", "r8unorm", "r16uint"},
		targets([]io{{0, "f32", 4}, {1, "i32", 4}, {2, "f32", 2}, {3, "f32", 1}, {4, "u32", 2}}))
	assert.Empty(t, targets([]io{{64, "f32", 4}}))
}
