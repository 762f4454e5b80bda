package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/judge"
)

func compute(code string) []judge.Module {
	return []judge.Module{{Stage: judge.Compute, EntryPoint: "main", Code: code}}
}

func fragment(code string) []judge.Module {
	return []judge.Module{{Stage: judge.Fragment, EntryPoint: "main", Code: code}}
}

// snippets are small programs whose verdict is known: what the gate lets
// through and what it must report, message by message.
var snippets = []struct {
	name     string
	c        judge.Case
	pipeline string // "formed", "failed", "not tried"
	severity string // of the only message; empty: none
	text     string // part of it
}{
	{
		name:     "compute, derived layout",
		c:        judge.Case{Modules: compute("@compute @workgroup_size(64) fn main() { }"), Pipeline: &judge.Pipeline{}},
		pipeline: "formed",
	},
	{
		name:     "module alone",
		c:        judge.Case{Modules: []judge.Module{{Code: "fn f() -> f32 { return 1.0; }"}}},
		pipeline: "not tried",
	},
	{
		name: "compute, planned layout",
		c: judge.Case{
			Modules: compute("@group(0) @binding(2) var<storage, read_write> u0: array<u32>;\n@compute @workgroup_size(64) fn main() { u0[0] = 1u; }"),
			Layout: [][]judge.Entry{{
				{Binding: 0, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "uniform", MinBindingSize: 64}},
				{Binding: 2, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "storage", MinBindingSize: 4}},
			}},
			Pipeline: &judge.Pipeline{},
		},
		pipeline: "formed",
	},
	{
		name: "layout without the binding",
		c: judge.Case{
			Modules:  compute("@group(0) @binding(2) var<storage, read_write> u0: array<u32>;\n@compute @workgroup_size(64) fn main() { u0[0] = 1u; }"),
			Layout:   [][]judge.Entry{{}},
			Pipeline: &judge.Pipeline{},
		},
		pipeline: "failed", severity: "error", text: "binding",
	},
	{
		name: "layout of another access",
		c: judge.Case{
			Modules:  compute("@group(0) @binding(0) var<storage, read_write> u0: array<u32>;\n@compute @workgroup_size(64) fn main() { u0[0] = 1u; }"),
			Layout:   [][]judge.Entry{{{Binding: 0, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "read-only-storage"}}}},
			Pipeline: &judge.Pipeline{},
		},
		pipeline: "failed", severity: "error", text: "not compatible",
	},
	{
		name: "minimum binding size too small",
		c: judge.Case{
			Modules:  compute("@group(0) @binding(0) var<uniform> cb0: array<vec4<f32>, 4>;\n@group(0) @binding(1) var<storage, read_write> u0: array<f32>;\n@compute @workgroup_size(1) fn main() { u0[0] = cb0[3].x; }"),
			Layout:   [][]judge.Entry{{{Binding: 0, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "uniform", MinBindingSize: 16}}, {Binding: 1, Visibility: []string{judge.Compute}, Buffer: &judge.BufferLayout{Type: "storage"}}}},
			Pipeline: &judge.Pipeline{},
		},
		pipeline: "failed", severity: "error", text: "minBindingSize",
	},
	{
		name:     "type error",
		c:        judge.Case{Modules: compute("@compute @workgroup_size(1) fn main() {\n  let x: i32 = 1.5;\n}"), Pipeline: &judge.Pipeline{}},
		pipeline: "not tried", severity: "error", text: "cannot convert",
	},
	{
		name:     "dead code is a warning, the pipeline forms",
		c:        judge.Case{Modules: fragment("@fragment fn main() { return; let x = 1; }"), Pipeline: &judge.Pipeline{}},
		pipeline: "formed", severity: "warning", text: "unreachable",
	},
	{
		name:     "constant infinity",
		c:        judge.Case{Modules: compute("@compute @workgroup_size(1) fn main() { let x = bitcast<f32>(0x7f800000u); }"), Pipeline: &judge.Pipeline{}},
		pipeline: "not tried", severity: "error", text: "inf",
	},
	{
		name: "barrier under varying flow",
		c: judge.Case{Modules: compute("@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) li: u32) {\n" +
			"  if (li > 3u) { workgroupBarrier(); }\n}"), Pipeline: &judge.Pipeline{}},
		pipeline: "not tried", severity: "error", text: "uniform control flow",
	},
	{
		name: "barrier under a uniform load",
		c: judge.Case{Modules: compute("var<workgroup> g0: array<u32, 4>;\n@compute @workgroup_size(64) fn main() {\n" +
			"  if (workgroupUniformLoad(&g0[1]) == 0u) { workgroupBarrier(); }\n}"), Pipeline: &judge.Pipeline{}},
		pipeline: "formed",
	},
	{
		name: "derivative under varying flow",
		c: judge.Case{Modules: fragment("@fragment fn main(@location(0) a: f32) -> @location(0) vec4<f32> {\n" +
			"  if (a > 0.0) { return vec4<f32>(dpdx(a)); }\n  return vec4<f32>();\n}"),
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm"}}, Varyings: []judge.Varying{{Location: 0, Type: "f32"}}}},
		pipeline: "not tried", severity: "error", text: "uniform control flow",
	},
	{
		name: "derivative with the opt-out",
		c: judge.Case{Modules: fragment("diagnostic(off, derivative_uniformity);\n@fragment fn main(@location(0) a: f32) -> @location(0) vec4<f32> {\n" +
			"  if (a > 0.0) { return vec4<f32>(dpdx(a)); }\n  return vec4<f32>();\n}"),
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm"}}, Varyings: []judge.Varying{{Location: 0, Type: "f32"}}}},
		pipeline: "formed",
	},
	{
		name: "vertex and fragment with attributes and a gap in the targets",
		c: judge.Case{
			Modules: []judge.Module{
				{Stage: judge.Vertex, EntryPoint: "vs", Code: "struct Out { @builtin(position) p: vec4<f32>, @location(2) @interpolate(flat) c: vec2<u32> }\n@vertex fn vs(@location(1) a: vec3<f32>, @builtin(vertex_index) v: u32) -> Out { return Out(vec4<f32>(a, 1.0), vec2<u32>(v)); }"},
				{Stage: judge.Fragment, EntryPoint: "ps", Code: "@fragment fn ps(@location(2) @interpolate(flat) c: vec2<u32>) -> @location(1) vec4<f32> { return vec4<f32>(f32(c.x)); }"},
			},
			Pipeline: &judge.Pipeline{
				Buffers: []judge.VertexBuffer{{ArrayStride: 12, Attributes: []judge.Attribute{{Format: "float32x3", ShaderLocation: 1}}}},
				Targets: []judge.Target{{}, {Format: "rgba16float"}},
			},
		},
		pipeline: "formed",
	},
	{
		name: "varyings of different widths",
		c: judge.Case{
			Modules: []judge.Module{
				{Stage: judge.Vertex, EntryPoint: "main", Code: "struct Out { @builtin(position) p: vec4<f32>, @location(0) a: vec2<f32> }\n@vertex fn main() -> Out { return Out(); }"},
				{Stage: judge.Fragment, EntryPoint: "main", Code: "@fragment fn main(@location(0) a: vec4<f32>) -> @location(0) vec4<f32> { return a; }"},
			},
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm"}}},
		},
		pipeline: "failed", severity: "error", text: "location",
	},
	{
		name:     "vertex alone",
		c:        judge.Case{Modules: []judge.Module{{Stage: judge.Vertex, EntryPoint: "main", Code: "@vertex fn main() -> @builtin(position) vec4<f32> { return vec4<f32>(); }"}}, Pipeline: &judge.Pipeline{}},
		pipeline: "formed",
	},
	{
		name: "frag_depth gets its attachment",
		c: judge.Case{Modules: fragment("struct Out { @location(0) c: vec4<f32>, @builtin(frag_depth) d: f32 }\n@fragment fn main() -> Out { return Out(); }"),
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm"}}}},
		pipeline: "formed",
	},
	{
		name: "a feature that was not asked for",
		c: judge.Case{Modules: fragment("enable primitive_index;\n@fragment fn main(@builtin(primitive_index) i: u32) -> @location(0) vec4<f32> { return vec4<f32>(f32(i)); }"),
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm"}}}},
		pipeline: "not tried", severity: "error", text: "primitive_index",
	},
	{
		name: "the same feature, asked for",
		c: judge.Case{Modules: fragment("enable primitive_index;\n@fragment fn main(@builtin(primitive_index) i: u32) -> @location(0) vec4<f32> { return vec4<f32>(f32(i)); }"),
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm"}}}, Features: []string{"primitive-index"}},
		pipeline: "formed",
	},
	{
		name: "dual source blending",
		c: judge.Case{Modules: fragment("enable dual_source_blending;\nstruct Out { @location(0) @blend_src(0) a: vec4<f32>, @location(0) @blend_src(1) b: vec4<f32> }\n@fragment fn main() -> Out { return Out(); }"),
			Pipeline: &judge.Pipeline{Targets: []judge.Target{{Format: "rgba8unorm", Blend: &judge.Blend{Color: judge.BlendComponent{SrcFactor: "one", DstFactor: "src1"}}}}}, Features: []string{"dual-source-blending"}},
		pipeline: "formed",
	},
	{
		name: "more threads than the adapter has: the module is judged alone",
		c: judge.Case{Modules: compute("@compute @workgroup_size(1024) fn main() { }"), Pipeline: &judge.Pipeline{},
			Limits: map[string]uint64{"maxComputeInvocationsPerWorkgroup": 1024, "maxComputeWorkgroupSizeX": 1024}},
		pipeline: "not tried",
	},
	{
		name:     "more threads than the default, not asked for",
		c:        judge.Case{Modules: compute("@compute @workgroup_size(1024) fn main() { }"), Pipeline: &judge.Pipeline{}},
		pipeline: "failed", severity: "error", text: "1024",
	},
	{
		name:     "syntax error",
		c:        judge.Case{Modules: []judge.Module{{Code: "fn f( { }"}}},
		pipeline: "not tried", severity: "error", text: "expected",
	},
}

func TestDawnSnippets(t *testing.T) {
	cases := make([]judge.Case, len(snippets))
	for i, s := range snippets {
		cases[i] = s.c
		cases[i].ID = s.name
	}
	results := judge.Dawn(t, cases)
	require.Len(t, results, len(snippets))
	for i, s := range snippets {
		t.Run(s.name, func(t *testing.T) {
			r := results[i]
			require.Equal(t, s.name, r.ID)
			assert.Equal(t, s.pipeline, r.Pipeline, r.String())
			if s.severity == "" {
				assert.True(t, r.Clean(), r.String())
				return
			}
			require.NotEmpty(t, r.Messages)
			assert.Equal(t, s.severity, r.Messages[0].Severity)
			assert.Contains(t, r.Messages[0].Text, s.text)
			assert.Equal(t, s.severity != "error", r.Valid())
		})
	}
}

func TestDawnSaysWhatTheAdapterLacks(t *testing.T) {
	r := judge.Dawn(t, []judge.Case{{
		ID: "big", Modules: compute("@compute @workgroup_size(512) fn main() { }"), Pipeline: &judge.Pipeline{},
		Limits: map[string]uint64{"maxComputeInvocationsPerWorkgroup": 512, "maxComputeWorkgroupSizeX": 512},
	}})
	assert.Contains(t, r[0].Skipped, "maxComputeInvocationsPerWorkgroup 512")
	assert.True(t, r[0].Clean())
}

func TestDawnPointsAtTheLine(t *testing.T) {
	r := judge.Dawn(t, []judge.Case{{ID: "line", Modules: compute("@compute @workgroup_size(1)\nfn main() {\n  let x: i32 = 1.5;\n}")}})
	require.Len(t, r[0].Messages, 1)
	assert.Equal(t, 3, r[0].Messages[0].Line)
	assert.Equal(t, judge.Compute, r[0].Messages[0].Stage)
}

// TestDawnManyModules goes past what one process of the binding survives, so
// that batching is exercised and the order of results holds across processes.
func TestDawnManyModules(t *testing.T) {
	const n = 600
	cases := make([]judge.Case, n)
	for i := range cases {
		bad := ""
		if i%97 == 0 {
			bad = "let x: u32 = -1;"
		}
		cases[i] = judge.Case{ID: name(i), Modules: compute("@compute @workgroup_size(1) fn main() { let a" + name(i) + " = 1; " + bad + " }")}
	}
	results := judge.Dawn(t, cases)
	for i, r := range results {
		require.Equal(t, name(i), r.ID)
		require.Equal(t, i%97 != 0, r.Clean(), r.String())
	}
}

func name(i int) string {
	return "c" + string(rune('a'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
}
