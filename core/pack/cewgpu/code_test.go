package cewgpu

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
)

func recode(shader, from, to string) func(*edit) {
	return func(e *edit) {
		path := "shaders[" + shader + "].code"
		code := e.get("WGSL", path).(string)
		require.Contains(e.t, code, from)
		e.put("WGSL", path, strings.Replace(code, from, to, 1))
	}
}

// codeAlterations change modules so that they are not what the documents say.
var codeAlterations = []altered{
	{"entry point name", "tiny", set("WGSL", "shaders[1].entryPoint", `"fs"`), ruleCodeEntry, "WGSL", "shaders[1].entryPoint", nil, true},
	{"entry point stage", "tiny", recode("1", "@fragment", "@vertex"), ruleCodeEntry, "WGSL", "shaders[1].entryPoint", nil, true},
	{"not WGSL", "tiny", both(set("WGSL", "shaders[1].code", `"hello"`), set("WGSL", "shaders[1].sourceMap", "[]")), ruleCodeEntry, "WGSL", "shaders[1].entryPoint", nil, true},
	{"workgroup size", "compute", recode("0", "@workgroup_size(", "@workgroup_size(9"), ruleCodeGroup, "WGSL", "shaders[0].threadGroupSize", nil, true},
	{"binding not in the layout", "tiny", recode("1", "@binding(2)", "@binding(9)"), ruleCodeBinding, "WGSL", "shaders[1].code", nil, true},
	{"binding of another stage", "tiny", recode("1", "@binding(1)", "@binding(0)"), ruleCodeBinding, "WGSL", "shaders[1].code", nil, true},
	{"binding type", "tiny", recode("1", "t0: texture_2d<f32>", "t0: texture_3d<f32>"), ruleCodeType, "WGSL", lay + "[2].type", nil, true},
	{"binding address space", "tiny", recode("1", "var<uniform> cb0", "var<storage, read> cb0"), ruleCodeType, "WGSL", lay + "[1]", nil, true},
	{"location not written", "tiny", recode("0", "@location(1) output1", "@location(2) output1"), ruleCodeInterface, "WGSL", "shaders[1].code", nil, true},
	{"location type", "tiny", recode("0", "output1: vec2<f32>", "output1: vec3f"), ruleCodeInterface, "WGSL", "shaders[1].code", nil, true},
	{"location interpolation", "tiny", recode("1", "@location(1) input1", "@location(1) @interpolate(flat) input1"), ruleCodeInterface, "WGSL", "shaders[1].code", nil, true},
	{"source map past the text", "tiny", set("WGSL", "shaders[1].sourceMap[2].line", "99"), ruleCodeMap, "WGSL", "shaders[1].sourceMap[2].line", nil, true},
	{"source map descending", "tiny", set("WGSL", "shaders[1].sourceMap[2].line", "1"), ruleCodeMap, "WGSL", "shaders[1].sourceMap[2].line", nil, true},
	{"register not in the signature", "tiny", both(set("WGSL", lay+"[2].registerIndex", "5"), set("WGSL", lay+"[2].identity", `"sampled-resource:0:5"`), set("WGSL", lay+"[2].scopeIdentity", `"sampled-resource:0:5@fragment"`)), ruleCodeRegister, "WGSL", lay + "[2]", nil, true},
	{"uniform larger than devices guarantee", "tiny", set("WGSL", lay+"[0].buffer.minBindingSize", "1048576"), ruleCodeLimit, "WGSL", lay + "[0]", nil, true},
}

func TestCodeAltered(t *testing.T) {
	for _, a := range codeAlterations {
		t.Run(a.name, func(t *testing.T) {
			e := newEdit(t, bases[a.base](t))
			a.edit(e)
			_, fs := Validate(e.bytes())
			assert.False(t, HasErrors(fs), findingsText(fs))
			hit := false
			for _, f := range fs {
				hit = hit || f.Rule == a.rule && f.Chunk == a.chunk && f.Path == a.path
				assert.Equal(t, a.rule, f.Rule, f.String())
			}
			assert.True(t, hit, "no %s at %s in:\n%s", a.rule, a.path, findingsText(fs))
		})
	}
}

func TestScanWGSL(t *testing.T) {
	f := scanWGSL(`enable f16;
alias V = vec4<f32>; // a comment @group(9)
/* nested /* @group(8) */ */
struct In { @builtin(position) p: V, @location(0) @interpolate(linear, centroid) uv: vec2f, }
@group(0) @binding(1u) var<storage, read_write> data: array<atomic<u32>>;
@group(1) @binding(0x2) var tex: texture_2d<f32>;
var<private> x: V = V(1.0);
fn helper(a: f32) -> f32 { if a > 1.0 { return a; } return 0.0; }
@fragment fn main(in: In, @builtin(front_facing) ff: bool) -> @location(0) V { return in.p; }
@compute @workgroup_size(8, 4) fn cs() {}`)
	require.Len(t, f.bindings, 2)
	assert.Equal(t, "array<atomic<u32>>", f.bindings[0].typ)
	assert.Equal(t, "storage,read_write", f.bindings[0].space)
	assert.Equal(t, []int64{0, 1, 1, 2}, []int64{f.bindings[0].group, f.bindings[0].binding, f.bindings[1].group, f.bindings[1].binding})
	require.Len(t, f.entries, 2)
	in := f.flatten(f.entries[0].in)
	require.Len(t, in, 3)
	assert.Equal(t, wgslMember{name: "uv", typ: "vec2<f32>", location: 0, interp: "linear,centroid"}, in[1])
	assert.Equal(t, "vec4<f32>", f.flatten(f.entries[0].out)[0].typ)
	assert.Equal(t, []string{"8", "4"}, f.entries[1].group)
	assert.Equal(t, []string{"f16"}, f.enables)
	for _, s := range []string{"", "@", "@group(", "struct", "struct A {", "fn f(", "var<", "/*", "@vertex fn main() -> ", "alias A = A; @group(0) @binding(0) var t: A;"} {
		scanWGSL(s)
	}
}

func TestSeveritiesAreRegistered(t *testing.T) {
	for r := range severities {
		_, ok := diag.Lookup(r)
		assert.True(t, ok, r)
	}
}

// The body set is written piece by piece as it would be whole.
func TestMarshalBodySet(t *testing.T) {
	in := plainInput(bundledEffect(t, "decal/decal.sm_hi"), "x")
	in.Mode = All
	pkg, _, err := Build(context.Background(), in)
	require.NoError(t, err)
	s, err := requireValid(t, pkg).BodySet()
	require.NoError(t, err)
	for _, s := range []*BodySet{s, {PassUnits: []PassUnit{}, Bodies: []BodyPrograms{}}} {
		whole, err := marshal(s)
		require.NoError(t, err)
		pieces, err := marshalBodySet(s)
		require.NoError(t, err)
		assert.Equal(t, string(whole), string(pieces))
	}
}
