package syntax_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/wgsl/syntax"
	"fxlens/internal/judge"
)

var updateChecks = flag.Bool("update-check", false, "write the findings into testdata/check")

// checkCase is a line of testdata/check/*.txt. The head of the file is a module with a $;
// each line behind "====" stands for the module with that in its place, and "//! " ends it
// with what is found there. testdata/tint has rules that are broken one by one in modules of
// several lines; these lines are broad instead: every operator and builtin, every
// statement, every attribute in good and bad company.
type checkCase struct {
	line, source, findings string
}

func checkCases(t testing.TB) map[string][]checkCase {
	t.Helper()
	files, err := filepath.Glob("testdata/check/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]checkCase{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		head, lines, ok := strings.Cut(string(b), "\n====\n")
		require.True(t, ok, name)
		for _, l := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
			text, findings, _ := strings.Cut(l, " //! ")
			all[name] = append(all[name], checkCase{text, strings.Replace(head, "$", text, 1), findings})
		}
	}
	return all
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, cases := range checkCases(t) {
		var out []string
		for _, c := range cases {
			_, errs := syntax.Validate(c.source)
			found := strings.ReplaceAll(errs.Error(), "\n", " | ")
			if *updateChecks {
				if found != "" {
					c.line += " //! " + found
				}
				out = append(out, c.line)
				continue
			}
			assert.Equal(t, c.findings, found, "%s: %s", name, c.line)
		}
		if *updateChecks {
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			head, _, _ := strings.Cut(string(b), "\n====\n")
			require.NoError(t, os.WriteFile(name, []byte(head+"\n====\n"+strings.Join(out, "\n")+"\n"), 0o644))
		}
	}
}

// What is refused here, Tint refuses, and what is accepted here, it accepts.
func TestCheckAgreesWithTint(t *testing.T) {
	t.Parallel()
	var cases []judge.Case
	byID := map[string]checkCase{}
	for name, list := range checkCases(t) {
		for i, c := range list {
			id := fmt.Sprint(name, " ", i)
			byID[id] = c
			cases = append(cases, judge.Case{ID: id, Modules: []judge.Module{{Code: c.source}}, Features: allFeatures})
		}
	}
	for _, r := range judge.Dawn(t, cases) {
		var refused []string
		for _, m := range r.Messages {
			if m.Severity == "error" {
				refused = append(refused, m.Text)
			}
		}
		c := byID[r.ID]
		assert.Equal(t, strings.Contains(c.findings, ": error: "), len(refused) > 0, "%s\ntint: %s\nours: %s", c.line, refused, c.findings)
	}
}

func TestCheckEmittedModules(t *testing.T) {
	files, err := filepath.Glob("../testdata/golden/*.wgsl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		m, errs := syntax.Validate(string(src))
		require.Empty(t, errs, name)
		require.NotEmpty(t, m.EntryPoints, name)
	}
}

func TestReflection(t *testing.T) {
	m, errs := syntax.Validate(`
struct Light { position: vec3f, radius: f32, color: vec3<f32>, }
struct Lights { count: atomic<u32>, @align(32) list: array<Light>, }
@group(0) @binding(0) var<uniform> camera: mat4x4f;
@group(0) @binding(1) var<storage, read_write> lights: Lights;
@group(1) @binding(0) var map: texture_2d_array<f32>;
@group(1) @binding(1) var smp: sampler_comparison;
@group(1) @binding(2) var depth: texture_depth_multisampled_2d;
@group(1) @binding(3) var target_: texture_storage_2d<rgba16float, write>;
@group(2) @binding(0) var unused: texture_cube<u32>;
@id(7) override side: u32 = 8;
override gain: f32;
struct V { @builtin(position) p: vec4f, @location(2) @interpolate(linear, sample) uv: vec2f }
fn view(p: vec3f) -> vec4f { return camera * vec4f(p, gain); }
@vertex fn vs(@location(0) p: vec3f, @builtin(vertex_index) i: u32) -> V { return V(view(p), vec2f(f32(i))); }
@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(textureLoad(map, vec2i(v.uv), 0, 0).x + textureLoad(depth, vec2u(), 0)); }
@compute @workgroup_size(side, 4) fn cs(@builtin(global_invocation_id) id: vec3u) {
  atomicAdd(&lights.count, arrayLength(&lights.list));
  textureStore(target_, id.xy, view(lights.list[0].position));
}
`)
	require.Empty(t, errs)
	var got []string
	for _, b := range m.Bindings {
		var by []string
		for _, e := range b.EntryPoints {
			by = append(by, e.Name)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%d.%d %s %s %s %s %d %s %s %s %t %v", b.Group, b.Binding, b.Name, b.Kind, b.Type, b.Access, b.Size, b.ViewDimension, b.SampleType, b.Format, b.Multisampled, by)))
	}
	assert.Equal(t, []string{
		"0.0 camera uniform-buffer mat4x4<f32> read 64    false [vs cs]",
		"0.1 lights storage-buffer Lights read_write 64    false [cs]",
		"1.0 map texture texture_2d_array<f32>  0 2d-array float  false [fs]",
		"1.1 smp comparison-sampler sampler_comparison  0    false []",
		"1.2 depth texture texture_depth_multisampled_2d  0 2d depth  true [fs]",
		"1.3 target_ storage-texture texture_storage_2d<rgba16float, write> write 0 2d  rgba16float false [cs]",
		"2.0 unused texture texture_cube<u32>  0 cube uint  false []",
	}, got)
	require.Len(t, m.EntryPoints, 3)
	vs, cs := m.EntryPoints[0], m.EntryPoints[2]
	assert.Equal(t, [3]uint32{0, 4, 1}, cs.WorkgroupSize)
	require.Len(t, cs.Overrides, 2, "its size counts")
	assert.Equal(t, syntax.Override{Name: "side", Type: cs.Overrides[0].Type, ID: 7, HasID: true, HasDefault: true, Decl: cs.Overrides[0].Decl}, *cs.Overrides[0])
	require.Len(t, vs.Overrides, 1)
	assert.Equal(t, "gain", vs.Overrides[0].Name)
	require.Len(t, vs.Outputs, 2)
	assert.Equal(t, syntax.IO{HasLocation: true, Location: 2, Interpolation: "linear", Sampling: "sample"}, vs.Outputs[1].IO)
	assert.Equal(t, "vertex_index", vs.Inputs[1].Builtin)
}

// Sizes, alignments and offsets are those of section "Memory layout" of the recommendation.
func TestLayout(t *testing.T) {
	m, errs := syntax.Validate(`enable f16;
struct Inner { a: f32, b: vec2f }
struct S { a: f16, b: vec3h, c: vec3f, d: f32, e: mat3x2f, f: mat2x3f, g: array<vec3f, 2>, @size(20) h: u32, i: Inner, @align(64) j: u32, k: array<u32> }
`)
	require.Empty(t, errs)
	var got []string
	s := m.TypeOfDecl(m.File.Decls[1])
	for _, f := range s.Members {
		got = append(got, fmt.Sprint(f.Name, " ", f.Offset, " ", f.Size, " ", f.Align))
	}
	assert.Equal(t, []string{"a 0 2 2", "b 8 6 8", "c 16 12 16", "d 28 4 4", "e 32 24 8", "f 64 32 16", "g 96 32 16", "h 128 20 4", "i 152 16 8", "j 192 4 64", "k 196 4 4"}, got)
	assert.EqualValues(t, 256, s.Size)
	assert.EqualValues(t, 64, s.Align)
}

func FuzzCheck(f *testing.F) {
	for _, list := range checkCases(f) {
		for _, c := range list[:20] {
			f.Add(c.source)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, errs := syntax.Validate(src)
		for _, e := range errs {
			assert.True(t, e.Pos >= 0 && e.Pos <= e.End && e.End <= len(src), "%v", e)
		}
		assert.True(t, m != nil || errs.Fatal())
	})
}
