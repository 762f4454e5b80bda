package gate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInterfaceOf(t *testing.T) {
	for _, c := range []struct {
		name, code string
		in, out    []io
		found      bool
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
fn helper(x: f32) -> f32 { if (x > 0) { return x; } return 0; }
@vertex
fn main(input: VertexInput) -> Out { var o: Out; return o; }`,
			[]io{{0, "f32", 3}, {5, "u32", 1}}, []io{{1, "i32", 2}}, true},
		{"direct", `@fragment fn main(@builtin(position) p: vec4f, @location(2) x: vec2u) -> @location(0) vec4f { return vec4f(); }`,
			[]io{{2, "u32", 2}}, []io{{0, "f32", 4}}, true},
		{"aliases", `alias F = f32; alias V = vec4<F>; alias W = V; enable f16;
struct O { @location(1u) x: W, @location(0) y: f16, }
@fragment fn main() -> O { return O(); }`,
			nil, []io{{1, "f32", 4}, {0, "f16", 1}}, true},
		{"other entry", `@compute @workgroup_size(1) fn other() {}`, nil, nil, false},
		{"nothing", ``, nil, nil, false},
		{"cut", `struct A { @location(`, nil, nil, false},
		{"cut type", `fn main(a: vec4<`, nil, nil, true},
		{"unclosed comment", `/* fn main() {}`, nil, nil, false},
		{"huge location", `fn main(@location(99999999999999999999) a: f32, @location(x) b: f32) {}`, nil, nil, true},
		{"alias of itself", `alias A = A; fn main(@location(0) a: A) {}`, nil, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, out, ok := interfaceOf(c.code, "main")
			assert.Equal(t, c.found, ok)
			assert.Equal(t, c.in, in)
			assert.Equal(t, c.out, out)
		})
	}
}

// Any text ends the scan.
func FuzzInterfaceOf(f *testing.F) {
	f.Add("struct A { @location(0) x: vec4<f32> } @vertex fn main(a: A) -> @builtin(position) vec4f {}")
	f.Fuzz(func(t *testing.T, code string) {
		in, out, _ := interfaceOf(code, "main")
		vertexBuffer(in)
		targets(out)
	})
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
