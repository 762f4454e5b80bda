package cewgpu

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

// The packages that the tests alter, each valid as it is.
var bases = map[string]func(testing.TB) []byte{
	"tiny": tinyReference,
	"all": sync1(func(t testing.TB) []byte {
		pkg, _, err := Build(context.Background(), allInput(t))
		require.NoError(t, err)
		return pkg
	}),
	"transform": sync1(func(t testing.TB) []byte {
		pkg, _, err := Build(context.Background(), transformInput(t))
		require.NoError(t, err)
		return pkg
	}),
	"v2":       sync1(versionTwo),
	"v1":       sync1(versionOne),
	"legacy":   sync1(legacyReflection),
	"compute":  sync1(effectPackage("particles/clear.sm_hi")),
	"selected": sync1(selectedPackage),
	"rich":     sync1(richPackage),
	"static":   sync1(effectPackage("dx12/shadow/cascaded.sm_hi")),
	"extended": sync1(extendedPackage),
	"premises": sync1(premisesPackage),
}

func sync1(f func(testing.TB) []byte) func(testing.TB) []byte {
	var once sync.Once
	var b []byte
	return func(t testing.TB) []byte {
		once.Do(func() { b = f(t) })
		return b
	}
}

func bundledEffect(t testing.TB, file string) *effect.Effect {
	return parseEffect(t, readFile(t, "..", "..", "..", "testdata", "effects", file))
}

func effectPackage(file string) func(testing.TB) []byte {
	return func(t testing.TB) []byte {
		pkg, _, err := Build(context.Background(), plainInput(bundledEffect(t, file), "res:/effect"))
		require.NoError(t, err)
		return pkg
	}
}

// versionTwo is a package of INFO version 2, as effects below version 15 have it.
func versionTwo(t testing.TB) []byte {
	return effectPackage("versions/v14/booster/trail.sm_hi")(t)
}

// versionOne is the tiny package as the first writers wrote it.
func versionOne(t testing.TB) []byte {
	e := newEdit(t, tinyReference(t))
	for _, k := range []string{"targetBackend", "backendPackage", "backendPackageVersion", "translatorVersion", "permutationGraph",
		"effectReflection", "sourceBodyCoverage", "backendBodyCoverage"} {
		e.del("INFO", k)
	}
	e.set("INFO", "formatVersion", "1")
	e.set("INFO", "completeness.sourceComplete", "false")
	e.set("INFO", "sourceIdentity.sha256", "null")
	e.drop("PGRF")
	e.drop("RFLX")
	e.drop("RBLB")
	return e.bytes()
}

// legacyReflection is the tiny package with INFO version 2 and the reflection of
// its selected body alone.
func legacyReflection(t testing.TB) []byte {
	e := newEdit(t, tinyReference(t))
	e.set("INFO", "formatVersion", "2")
	e.set("INFO", "completeness.sourceComplete", "false")
	e.del("INFO", "sourceBodyCoverage")
	e.del("INFO", "backendBodyCoverage")
	e.del("INFO", "permutationGraph.sha256")
	for _, k := range []string{"sha256", "coverage", "permutationCount"} {
		e.del("INFO", "effectReflection."+k)
	}
	e.set("INFO", "effectReflection.formatVersion", "1")
	e.set("RFLX", "formatVersion", "1")
	e.set("RFLX", "coverage.bodies", `"selected"`)
	e.put("RFLX", "effect", e.get("RFLX", "bodies[0].effect"))
	e.set("RFLX", "selectedBody", fmt.Sprintf(`{"permutationIndex":1,"bodyKey":"body0","sourceRecord":{"offset":951,"byteLength":268},"byteLength":268,"sha256":%q}`,
		e.get("RFLX", "bodies[0].sha256")))
	e.del("RFLX", "bodies")
	return e.bytes()
}

// selectedPackage has two passes and modules for the first.
func selectedPackage(t testing.TB) []byte {
	e := bundledEffect(t, "decal/decal.sm_hi")
	body, err := e.Body(e.DefaultIndex())
	require.NoError(t, err)
	in := plainInput(e, "res:/effect")
	zero := 0
	in.Selection = &Selection{Technique: body.Techniques[0].Name, Pass: &zero}
	pkg, _, err := Build(context.Background(), in)
	require.NoError(t, err)
	return pkg
}

// richPackage has annotations, a UAV, a map-only sampler, a static sampler and a
// library in its reflection.
func richPackage(t testing.TB) []byte {
	tiny := tinyEffect(t)
	m, err := tiny.Model()
	require.NoError(t, err)
	body := *m.Bodies[0]
	tech := body.Techniques[0]
	pass := tech.Passes[0]
	pass.Stages = append([]effect.Stage{}, pass.Stages...)
	ps := &pass.Stages[1]
	ps.Registers = append(append([]effect.Register{}, ps.Registers...),
		effect.Register{Type: effect.RegUAVBuffer, Index: 1, Count: 1}, effect.Register{Type: effect.RegSRVTexture2D, Index: 4, Count: 2})
	ps.UAVs = []effect.UAV{{Register: 1, Name: "Out", Type: 10, Elements: 1}}
	ps.Samplers = append(append([]effect.Sampler{}, ps.Samplers...), effect.Sampler{Register: 9, Name: "MapOnly", IsDynamic: true, SamplerState: effect.DefaultSamplerState})
	ps.StaticSamplers = []effect.StaticSampler{{Index: 3, SamplerState: effect.DefaultSamplerState, MaxLOD: effect.HighestLOD}, {Index: 5, SamplerState: effect.DefaultSamplerState}}
	ps.Textures = append(append([]effect.Texture{}, ps.Textures...), effect.Texture{Register: 4, Name: "Pair", Type: 2, Elements: 2})
	ps.Constants = append(append([]effect.Constant{}, ps.Constants...), effect.Constant{Name: "Other", Offset: 16, Size: 4, Type: 2, Dimension: 1})
	ps.Annotations = []effect.Annotation{{Name: "Budget", Type: 2, Raw: 0x3F800000}}
	lib := effect.Library{Program: []byte("library program"), Exports: []effect.Export{{Type: 0, Name: "Gen"}, {Type: 1, Name: "Miss"}}}
	tech.Passes = []effect.Pass{pass}
	tech.Libraries = []effect.Library{lib}
	body.Techniques = []effect.Technique{tech}
	m.Bodies = []*effect.Body{&body, &body}
	b, err := effect.Build(m)
	require.NoError(t, err)
	pkg, _, err := Build(context.Background(), plainInput(parseEffect(t, b), tinyLabel))
	require.NoError(t, err)
	return pkg
}

func extendedPackage(t testing.TB) []byte {
	in := allInput(t)
	in.Profile, in.Mode, in.Permutation = Extended, Selected, 1
	pkg, _, err := Build(context.Background(), in)
	require.NoError(t, err)
	return pkg
}

// premisesPackage is the worked example in the extended profile; its pixel module
// takes a size for granted.
func premisesPackage(t testing.TB) []byte {
	in := tinyInput(t, tinyEffect(t))
	in.Profile = Extended
	m, err := in.Translate(context.Background(), 0, PassRef{})
	require.NoError(t, err)
	for i := range m.Modules {
		if m.Modules[i].Stage == layout.Fragment {
			at := 0
			m.Modules[i].Premises = []Premise{{Kind: "size", Subject: "bytes(t0)", Relation: ">=", Value: "16", Number: new(int64), InstructionIndex: &at, Message: "m"}}
		}
	}
	pkg, _, err := Build(context.Background(), in)
	require.NoError(t, err)
	set, err := requireValid(t, pkg).WGSL()
	require.NoError(t, err)
	var all []Premise
	for i := range set.Shaders {
		all = append(all, set.Shaders[i].Premises...)
	}
	require.Len(t, all, 1, "the package says it")
	assert.Equal(t, "bytes(t0)", all[0].Subject)
	return pkg
}

func TestBases(t *testing.T) {
	for name, base := range bases {
		t.Run(name, func(t *testing.T) {
			pkg := base(t)
			_, fs := Validate(pkg)
			for _, f := range fs {
				assert.Less(t, f.Severity, diag.Warning, f.String())
			}
			requireValid(t, newEdit(t, pkg).bytes()) // editing alone breaks nothing
		})
	}
}

// altered is one changed package and the finding that it must give.
type altered struct {
	name  string
	base  string
	edit  func(*edit)
	rule  ruleID
	chunk string
	path  string
	also  []ruleID // rules whose findings follow from the change
	warn  bool     // other readers accept it
}

func set(tag, path, val string) func(*edit) { return func(e *edit) { e.set(tag, path, val) } }
func del(tag, path string) func(*edit)      { return func(e *edit) { e.del(tag, path) } }
func dup(tag, path string) func(*edit)      { return func(e *edit) { e.dup(tag, path) } }
func drop(tag string) func(*edit)           { return func(e *edit) { e.drop(tag) } }
func both(fs ...func(*edit)) func(*edit) {
	return func(e *edit) {
		for _, f := range fs {
			f(e)
		}
	}
}

const hash0 = `"0000000000000000000000000000000000000000000000000000000000000000"`

const stg = "bodies[0].effect.techniques[0].passes[0].stages[1]"
const bnd = "stages[1].bindings"
const lay = "layouts[0].bindGroups[0].bindings"

var alterations = []altered{
	// Section 5: INFO.
	{"format", "tiny", set("INFO", "format", `"CEWGPV"`), ruleInfoFormat, "INFO", "format", nil, false},
	{"format absent", "tiny", del("INFO", "format"), ruleInfoFormat, "INFO", "format", nil, false},
	{"format version 4", "tiny", set("INFO", "formatVersion", "4"), ruleInfoVersion, "INFO", "formatVersion", nil, false},
	{"version 3 relabelled 2", "tiny", set("INFO", "formatVersion", "2"), rulePointer, "INFO", "permutationGraph.sha256", []ruleID{ruleCompleteness, ruleCoverage, ruleReflectFormat}, false},
	{"version 2 relabelled 3", "v2", set("INFO", "formatVersion", "3"), rulePresence, "INFO", "effectReflection", []ruleID{ruleCompleteness, ruleCoverage, rulePointer, ruleEffectVersion}, false},
	{"source path with space", "tiny", set("INFO", "sourcePath", `" a"`), ruleSourcePath, "INFO", "sourcePath", []ruleID{ruleReflectSource}, false},
	{"source path empty", "tiny", set("INFO", "sourcePath", `""`), ruleSourcePath, "INFO", "sourcePath", []ruleID{ruleReflectSource}, false},
	{"source path differs in META", "tiny", set("META", "sourcePath", `"x"`), ruleSourcePath, "META", "sourcePath", nil, false},
	{"source differs in ANLS", "tiny", set("ANLS", "source", `"x"`), ruleSourcePath, "ANLS", "source", nil, false},
	{"label differs in RFLX", "tiny", set("RFLX", "source.label", `"x"`), ruleReflectSource, "RFLX", "source.label", nil, false},
	{"output path absent", "tiny", del("INFO", "outputPath"), ruleOutputPath, "INFO", "outputPath", nil, false},
	{"output path empty", "tiny", set("INFO", "outputPath", `""`), ruleOutputPath, "INFO", "outputPath", nil, false},
	{"logical path blank", "tiny", set("INFO", "sourceIdentity.logicalPath", `"  "`), ruleIdentity, "INFO", "sourceIdentity.logicalPath", nil, false},
	{"game absent", "tiny", del("INFO", "sourceIdentity.game"), ruleIdentity, "INFO", "sourceIdentity.game", nil, false},
	{"client absent", "tiny", del("INFO", "sourceIdentity.client"), ruleIdentity, "INFO", "sourceIdentity.client", nil, false},
	{"build as number", "tiny", set("INFO", "sourceIdentity.build", "1"), ruleIdentity, "INFO", "sourceIdentity.build", nil, false},
	{"md5 absent", "tiny", del("INFO", "sourceIdentity.md5"), ruleIdentity, "INFO", "sourceIdentity.md5", nil, false},
	{"md5 short", "tiny", set("INFO", "sourceIdentity.md5", `"abc"`), ruleIdentity, "INFO", "sourceIdentity.md5", nil, false},
	{"sha256 upper case", "tiny", set("INFO", "sourceIdentity.sha256", `"`+strings.Repeat("A", 64)+`"`), ruleIdentity, "INFO", "sourceIdentity.sha256", nil, false},
	{"sha256 changed in INFO alone", "tiny", set("INFO", "sourceIdentity.sha256", hash0), ruleReflectSource, "RFLX", "source.sha256", nil, false},
	{"byte length zero", "tiny", set("INFO", "sourceIdentity.byteLength", "0"), ruleIdentity, "INFO", "sourceIdentity.byteLength", []ruleID{ruleReflectSource}, false},
	{"byte length fraction", "tiny", set("INFO", "sourceIdentity.byteLength", "1219.5"), ruleIdentity, "INFO", "sourceIdentity.byteLength", []ruleID{ruleReflectSource}, false},
	{"target backend case", "tiny", set("INFO", "targetBackend", `"WebGPU"`), ruleBackend, "INFO", "targetBackend", nil, false},
	{"backend package", "tiny", set("INFO", "backendPackage", `"fxlens"`), ruleBackend, "INFO", "backendPackage", nil, false},
	{"translator", "tiny", set("INFO", "translator", `"fxlens"`), ruleTranslator, "INFO", "translator", nil, false},
	{"version with v", "tiny", set("INFO", "backendPackageVersion", `"v1.0.0"`), ruleSemver, "INFO", "backendPackageVersion", nil, false},
	{"version of two parts", "tiny", set("INFO", "translatorVersion", `"1.0"`), ruleSemver, "INFO", "translatorVersion", nil, false},
	{"translator of another version", "tiny", set("INFO", "translatorVersion", `"9.9.9"`), ruleTranslatorOf, "INFO", "translatorVersion", nil, true},
	{"body mode unknown", "tiny", set("INFO", "bodyMode", `"some"`), ruleBodyMode, "INFO", "bodyMode", nil, false},
	{"body mode differs", "tiny", set("META", "bodyMode", `"all"`), ruleBodyMode, "META", "bodyMode", nil, false},
	{"mode all in version 2", "v2", both(set("INFO", "bodyMode", `"all"`), set("META", "bodyMode", `"all"`)), ruleBodyMode, "INFO", "bodyMode", nil, false},
	{"backend complete", "tiny", set("INFO", "completeness.backendComplete", "true"), ruleCompleteness, "INFO", "completeness.backendComplete", nil, false},
	{"runtime complete", "tiny", set("INFO", "completeness.runtimeComplete", "true"), ruleCompleteness, "INFO", "completeness.runtimeComplete", nil, false},
	{"source incomplete", "tiny", set("INFO", "completeness.sourceComplete", "false"), ruleCompleteness, "INFO", "completeness.sourceComplete", nil, false},
	{"source complete in version 2", "v2", set("INFO", "completeness.sourceComplete", "true"), ruleCompleteness, "INFO", "completeness.sourceComplete", nil, false},
	{"package invalid", "tiny", set("INFO", "completeness.packageValid", "false"), ruleCompleteness, "INFO", "completeness.packageValid", nil, false},
	{"source coverage", "tiny", set("INFO", "sourceBodyCoverage", `"partial"`), ruleCoverage, "INFO", "sourceBodyCoverage", nil, false},
	{"backend coverage", "tiny", set("INFO", "backendBodyCoverage", `"all-unique"`), ruleCoverage, "INFO", "backendBodyCoverage", nil, false},
	{"coverage in version 2", "v2", set("INFO", "sourceBodyCoverage", `"all-unique"`), ruleCoverage, "INFO", "sourceBodyCoverage", nil, false},
	{"coverage in version 1", "v1", set("INFO", "backendBodyCoverage", `"selected"`), ruleCoverage, "INFO", "backendBodyCoverage", nil, false},
	{"stage count", "tiny", set("INFO", "stageCount", "3"), ruleCount, "INFO", "stageCount", nil, false},
	{"selected stage count", "tiny", set("INFO", "selectedStageCount", "1"), ruleCount, "INFO", "selectedStageCount", nil, false},
	{"shader count", "tiny", set("INFO", "shaderCount", "1"), ruleCount, "INFO", "shaderCount", nil, false},
	{"layout count", "tiny", set("INFO", "layoutCount", "0"), ruleCount, "INFO", "layoutCount", nil, false},
	{"graph pointer extra key", "tiny", set("INFO", "permutationGraph.x", "1"), rulePointer, "INFO", "permutationGraph.x", nil, false},
	{"graph pointer missing key", "tiny", del("INFO", "permutationGraph.format"), rulePointer, "INFO", "permutationGraph.format", nil, false},
	{"graph pointer chunk", "tiny", set("INFO", "permutationGraph.chunk", `"GRPH"`), rulePointer, "INFO", "permutationGraph.chunk", nil, false},
	{"graph pointer sha256 in version 2", "v2", set("INFO", "permutationGraph.sha256", hash0), rulePointer, "INFO", "permutationGraph.sha256", nil, false},
	{"graph pointer permutations", "tiny", set("INFO", "permutationGraph.permutationCount", "3"), rulePointerCount, "INFO", "permutationGraph.permutationCount", nil, false},
	{"graph pointer bodies", "tiny", set("INFO", "permutationGraph.uniqueBodyCount", "2"), rulePointerCount, "INFO", "permutationGraph.uniqueBodyCount", nil, false},
	{"reflection pointer coverage", "tiny", set("INFO", "effectReflection.coverage", `"selected"`), rulePointer, "INFO", "effectReflection.coverage", nil, false},
	{"reflection pointer version", "tiny", set("INFO", "effectReflection.formatVersion", "1"), rulePointer, "INFO", "effectReflection.formatVersion", nil, false},
	{"reflection pointer programs", "tiny", set("INFO", "effectReflection.sourceProgramCount", "1"), rulePointerCount, "INFO", "effectReflection.sourceProgramCount", nil, false},
	{"reflection pointer blobs", "tiny", set("INFO", "effectReflection.blobCount", "6"), rulePointerCount, "INFO", "effectReflection.blobCount", nil, false},
	{"reflection pointer bytes", "tiny", set("INFO", "effectReflection.blobByteLength", "1"), rulePointerCount, "INFO", "effectReflection.blobByteLength", nil, false},
	{"reflection pointer bodies", "tiny", set("INFO", "effectReflection.bodyCount", "2"), rulePointerCount, "INFO", "effectReflection.bodyCount", nil, false},
	{"reflection pointer permutations", "tiny", set("INFO", "effectReflection.permutationCount", "1"), rulePointerCount, "INFO", "effectReflection.permutationCount", nil, false},
	{"graph pointer absent", "tiny", del("INFO", "permutationGraph"), rulePresence, "INFO", "", nil, false},
	{"graph chunk absent", "tiny", drop("PGRF"), rulePresence, "INFO", "permutationGraph", nil, false},
	{"reflection pointer absent", "tiny", del("INFO", "effectReflection"), rulePresence, "INFO", "", nil, false},
	{"reflection chunk absent", "tiny", drop("RFLX"), rulePresence, "INFO", "effectReflection", nil, false},
	{"blob chunk absent", "tiny", drop("RBLB"), rulePresence, "", "", nil, false},
	{"graph in version 1", "v1", set("INFO", "permutationGraph", `{}`), rulePresence, "INFO", "permutationGraph", nil, false},
	{"reflection in version 1", "v1", set("INFO", "effectReflection", `{}`), rulePresence, "INFO", "effectReflection", nil, false},
	{"graph digest", "tiny", func(e *edit) { e.keep = true; e.set("INFO", "permutationGraph.sha256", hash0) }, ruleDigest, "INFO", "permutationGraph.sha256", nil, false},
	{"reflection digest", "tiny", func(e *edit) { e.keep = true; e.set("INFO", "effectReflection.sha256", hash0) }, ruleDigest, "INFO", "effectReflection.sha256",
		[]ruleID{ruleDigest}, false},

	// Documents.
	{"META absent", "tiny", drop("META"), ruleMissingChunk, "META", "", []ruleID{ruleEffectName}, false},
	{"ANLS absent", "tiny", drop("ANLS"), ruleMissingChunk, "ANLS", "", nil, false},
	{"WGSL absent", "tiny", drop("WGSL"), ruleMissingChunk, "WGSL", "", nil, false},
	{"WGSL is text", "tiny", func(e *edit) { e.docs["WGSL"] = nil; e.raw["WGSL"] = []byte("fn main() {}\n") }, ruleJSON, "WGSL", "", nil, false},
	{"META is an array", "tiny", func(e *edit) { e.docs["META"] = nil; e.raw["META"] = []byte("[]\n") }, ruleJSON, "META", "", nil, false},
	{"ANLS with bad UTF-8", "tiny", func(e *edit) { e.docs["ANLS"] = nil; e.raw["ANLS"] = []byte("{\"a\":\"\xff\"}") }, ruleUTF8, "ANLS", "", nil, false},
	{"META with a repeated key", "tiny", func(e *edit) {
		e.raw["META"] = []byte(strings.Replace(string(e.raw["META"]), `{"effectName"`, `{"bodyIndex":1,"effectName"`, 1))
		e.docs["META"] = nil
	}, ruleDuplicateKey, "META", "", nil, false},

	// Section 6: META.
	{"effect name differs", "tiny", set("META", "effectName", `"x"`), ruleEffectName, "ANLS", "effectName", nil, false},
	{"effect name with space", "tiny", set("META", "effectName", `"x "`), ruleEffectName, "META", "effectName", nil, false},
	{"body index too high", "tiny", both(set("META", "bodyIndex", "2"), set("ANLS", "bodyIndex", "2")), ruleBodyIndex, "META", "bodyIndex", nil, false},
	{"body index differs", "tiny", set("ANLS", "bodyIndex", "0"), ruleBodyIndex, "ANLS", "bodyIndex", nil, false},
	{"options differ", "tiny", set("ANLS", "selectedOptions[0].value", `"LOW"`), ruleOptionsAgree, "ANLS", "selectedOptions", nil, false},
	{"option source", "tiny", both(set("META", "selectedOptions[0].source", `"x"`), set("ANLS", "selectedOptions[0].source", `"x"`)), ruleOptions, "META", "selectedOptions[0].source", nil, false},
	{"option default source", "tiny", bothOptions(`{"name":"QUALITY","value":"LOW","optionIndex":0,"defaultOption":1,"defaultValue":"HIGH","source":"default"}`), ruleOptions, "META", "selectedOptions[0].source", []ruleID{ruleOptionsGraph}, false},
	{"option default text", "tiny", bothOptions(`{"name":"QUALITY","value":"LOW","optionIndex":1,"defaultOption":1,"defaultValue":"HIGH","source":"default"}`), ruleOptions, "META", "selectedOptions[0].value", []ruleID{ruleOptionsGraph}, false},
	{"option of another permutation", "tiny", bothOptions(`{"name":"QUALITY","value":"LOW","optionIndex":0,"defaultOption":1,"defaultValue":"HIGH","source":"local"}`), ruleOptionsGraph, "META", "selectedOptions[0].optionIndex", nil, false},
	{"option name not in graph", "tiny", bothOptions(`{"name":"Q","value":"HIGH","optionIndex":1,"defaultOption":1,"defaultValue":"HIGH","source":"local"}`), ruleOptionsGraph, "META", "selectedOptions[0].name", nil, false},
	{"option default not the graph's", "tiny", bothOptions(`{"name":"QUALITY","value":"HIGH","optionIndex":1,"defaultOption":0,"defaultValue":"LOW","source":"local"}`), ruleOptionsGraph, "META", "selectedOptions[0].defaultOption", nil, false},
	{"option twice", "tiny", both(dup("META", "selectedOptions[0]"), dup("ANLS", "selectedOptions[0]")), ruleOptions, "META", "selectedOptions[1].name", []ruleID{ruleOptionsGraph}, false},
	{"no options", "tiny", both(set("META", "selectedOptions", "[]"), set("ANLS", "selectedOptions", "[]")), ruleOptionsGraph, "META", "selectedOptions", nil, false},

	// Section 6.2: the selection.
	{"selection mode", "selected", set("META", "wgslSelection.mode", `"x"`), ruleSelection, "META", "wgslSelection.mode", nil, false},
	{"selection incomplete passes", "selected", set("META", "wgslSelection.completePasses", "false"), ruleSelection, "META", "wgslSelection.completePasses", nil, false},
	{"selection of no technique", "selected", set("META", "wgslSelection.techniqueName", `"x"`), ruleSelection, "META", "wgslSelection", nil, false},
	{"selection stage names without pass", "selected", both(set("META", "wgslSelection.passIndex", "null"), set("META", "wgslSelection.requestedStageNames", `["vertex"]`)), ruleSelection, "META", "wgslSelection.requestedStageNames", nil, false},
	{"selection of half a pass", "selected", set("META", "wgslSelection.requestedStageNames", `["vertex"]`), ruleSelection, "META", "wgslSelection.requestedStageNames", nil, false},
	{"selection stage twice", "selected", set("META", "wgslSelection.requestedStageNames", `["vertex","vertex"]`), ruleSelection, "META", "wgslSelection.requestedStageNames[1]", nil, false},
	{"selection keys short", "selected", del("META", "wgslSelection.selectedStageKeys[1]"), ruleSelection, "META", "wgslSelection.selectedStageKeys", nil, false},
	{"selection keys absent", "selected", del("META", "wgslSelection.selectedStageKeys"), ruleSelection, "META", "wgslSelection.selectedStageKeys", nil, false},
	{"module missing without selection", "selected", del("META", "wgslSelection"), ruleSelection, "WGSL", "shaders", nil, false},
	{"pixel module dropped", "tiny", both(del("WGSL", "shaders[1]"), set("INFO", "selectedStageCount", "1"), set("INFO", "shaderCount", "1"), keepVertexBindings), ruleSelection, "WGSL", "shaders", nil, false},

	// Section 7: PGRF.
	{"graph format", "tiny", set("PGRF", "format", `"X"`), ruleGraphFormat, "PGRF", "format", nil, false},
	{"graph version", "tiny", set("PGRF", "formatVersion", "2"), ruleGraphFormat, "PGRF", "formatVersion", nil, false},
	{"graph coverage", "tiny", set("PGRF", "coverage.reflection", `"complete"`), ruleGraphFormat, "PGRF", "coverage.reflection", nil, false},
	{"axis index", "tiny", set("PGRF", "axes[0].index", "1"), ruleAxes, "PGRF", "axes[0].index", nil, false},
	{"axis name with space", "tiny", set("PGRF", "axes[0].name", `" QUALITY"`), ruleAxes, "PGRF", "axes[0].name", nil, false},
	{"axis option twice", "tiny", set("PGRF", "axes[0].options", `["HIGH","HIGH"]`), ruleAxes, "PGRF", "axes[0].options[1]", nil, false},
	{"axis without options", "tiny", set("PGRF", "axes[0].options", `[]`), ruleAxes, "PGRF", "axes[0].options", nil, false},
	{"axis default", "tiny", set("PGRF", "axes[0].defaultOption", "2"), ruleAxes, "PGRF", "axes[0].defaultOption", nil, false},
	{"axis type", "tiny", set("PGRF", "axes[0].type", "256"), ruleAxes, "PGRF", "axes[0].type", nil, false},
	{"axis description", "tiny", del("PGRF", "axes[0].description"), ruleAxes, "PGRF", "axes[0].description", nil, false},
	{"axis twice", "tiny", dup("PGRF", "axes[0]"), ruleAxes, "PGRF", "axes[1].name", []ruleID{ruleVariants, ruleTuple, ruleOptionsGraph}, false},
	{"options and variants", "tiny", set("PGRF", "axes[0].options", `["LOW","HIGH","MORE"]`), ruleVariants, "PGRF", "variants", nil, false},
	{"permutation index", "tiny", set("PGRF", "variants[1].permutationIndex", "0"), ruleVariants, "PGRF", "variants[1].permutationIndex", nil, false},
	{"body key unknown", "tiny", set("PGRF", "variants[1].bodyKey", `"body9"`), ruleVariants, "PGRF", "variants[1].bodyKey", nil, false},
	{"option indices", "tiny", set("PGRF", "variants[1].optionIndices[0]", "0"), ruleTuple, "PGRF", "variants[1].optionIndices[0]", nil, false},
	{"option indices length", "tiny", set("PGRF", "variants[1].optionIndices", "[]"), ruleTuple, "PGRF", "variants[1].optionIndices", nil, false},
	{"record past the end", "tiny", both(set("PGRF", "variants[0].sourceRecord.offset", "1219"), set("PGRF", "variants[1].sourceRecord.offset", "1219")), ruleRecord, "PGRF", "variants[0].sourceRecord", nil, false},
	{"record length", "tiny", set("PGRF", "variants[0].sourceRecord.byteLength", "267"), ruleRecord, "PGRF", "variants[0].sourceRecord.byteLength", []ruleID{ruleOverlap}, false},
	{"records overlap", "tiny", set("PGRF", "variants[1].sourceRecord.offset", "900"), ruleOverlap, "PGRF", "variants[0].sourceRecord", nil, false},
	{"one range, two bodies", "all", func(e *edit) {
		e.put("PGRF", "variants[1].sourceRecord", e.get("PGRF", "variants[0].sourceRecord"))
		e.put("PGRF", "bodies[1].byteLength", e.get("PGRF", "bodies[0].byteLength"))
		e.put("RFLX", "bodies[1].byteLength", e.get("PGRF", "bodies[0].byteLength"))
	}, ruleAlias, "PGRF", "variants[1].bodyKey", nil, false},
	{"body digest twice", "all", func(e *edit) {
		for _, tag := range []string{"PGRF", "RFLX"} {
			e.put(tag, "bodies[1].sha256", e.get(tag, "bodies[0].sha256"))
		}
	}, ruleBodyDigest, "PGRF", "bodies[1].sha256", nil, false},
	{"body key twice", "all", set("PGRF", "bodies[1].key", `"body0"`), ruleGraphBody, "PGRF", "bodies[1].key", []ruleID{ruleVariants, ruleReflectBody, ruleBodyPrograms, ruleUnusedBody}, false},
	{"body length zero", "tiny", set("PGRF", "bodies[0].byteLength", "0"), ruleGraphBody, "PGRF", "bodies[0].byteLength", nil, false},
	{"body unused", "all", set("PGRF", "variants[2].bodyKey", `"body0"`), ruleUnusedBody, "PGRF", "bodies[2]", []ruleID{ruleBodyPrograms, ruleRecord}, false},
	{"no bodies", "tiny", set("PGRF", "bodies", "[]"), ruleGraphBody, "PGRF", "bodies", []ruleID{ruleVariants, rulePointerCount, ruleReflectBody}, false},

	// Section 8: RFLX and RBLB.
	{"reflection format", "tiny", set("RFLX", "format", `"X"`), ruleReflectFormat, "RFLX", "format", nil, false},
	{"reflection extra key", "tiny", set("RFLX", "x", "1"), ruleReflectFormat, "RFLX", "x", nil, false},
	{"reflection version 1 in INFO 3", "tiny", set("RFLX", "formatVersion", "1"), ruleReflectFormat, "RFLX", "formatVersion",
		[]ruleID{ruleReflectBody, rulePortable, rulePointerCount, ruleUnreferenced, ruleJoin}, false},
	{"reflection coverage", "tiny", set("RFLX", "coverage.constantDefaults", `"x"`), ruleReflectFormat, "RFLX", "coverage.constantDefaults", nil, false},
	{"reflection key scope", "tiny", set("RFLX", "keyScope", `"x"`), ruleReflectFormat, "RFLX", "keyScope", nil, false},
	{"reflection source version", "tiny", set("RFLX", "source.effectVersion", "14"), ruleReflectSource, "RFLX", "source.effectVersion", []ruleID{ruleJoin}, false},
	{"reflection source compiler", "tiny", set("RFLX", "source.compilerVersion", "null"), ruleReflectSource, "RFLX", "source.compilerVersion", []ruleID{ruleJoin}, false},
	{"reflection source length", "tiny", set("RFLX", "source.byteLength", "1220"), ruleReflectSource, "RFLX", "source.byteLength", nil, false},
	{"reflection string table", "tiny", set("RFLX", "source.stringTableByteLength", "9999"), ruleReflectSource, "RFLX", "source.stringTableByteLength", nil, false},
	{"native hash length", "tiny", func(e *edit) { e.put("RFLX", "source.nativeHash", e.get("RFLX", "blobStore.blobs[2]")) }, ruleReflectSource, "RFLX", "source.nativeHash", []ruleID{ruleUnreferenced}, false},
	{"reflection body key", "tiny", set("RFLX", "bodies[0].bodyKey", `"bodyX"`), ruleReflectBody, "RFLX", "bodies[0].bodyKey", nil, false},
	{"reflection representative", "tiny", set("RFLX", "bodies[0].representativePermutationIndex", "1"), ruleReflectBody, "RFLX", "bodies[0].representativePermutationIndex", nil, false},
	{"reflection body length", "tiny", set("RFLX", "bodies[0].byteLength", "1"), ruleReflectBody, "RFLX", "bodies[0].byteLength", nil, false},
	{"reflection body digest", "tiny", set("RFLX", "bodies[0].sha256", hash0), ruleReflectBody, "RFLX", "bodies[0].sha256", nil, false},
	{"reflection body missing", "all", del("RFLX", "bodies[2]"), ruleReflectBody, "RFLX", "bodies", []ruleID{rulePointerCount}, false},
	{"blob key", "tiny", set("RFLX", "blobStore.blobs[1].blobKey", `"blobX"`), ruleBlobStore, "RFLX", "blobStore.blobs[1].blobKey", []ruleID{ruleBlobRef, ruleUnreferenced}, false},
	{"blob gap", "tiny", set("RFLX", "blobStore.blobs[1].offset", "33"), ruleBlobStore, "RFLX", "blobStore.blobs[1].offset", []ruleID{ruleBlobDigest, ruleBlobRef, ruleUnreferenced}, false},
	{"blob digest twice", "tiny", func(e *edit) { e.put("RFLX", "blobStore.blobs[1].sha256", e.get("RFLX", "blobStore.blobs[0].sha256")) }, ruleBlobStore, "RFLX", "blobStore.blobs[1].sha256", []ruleID{ruleBlobDigest, ruleBlobRef, ruleUnreferenced}, false},
	{"blob count", "tiny", set("RFLX", "blobStore.blobCount", "4"), ruleBlobStore, "RFLX", "blobStore.blobCount", nil, false},
	{"blob store length", "tiny", set("RFLX", "blobStore.byteLength", "1"), ruleBlobStore, "RFLX", "blobStore.byteLength", nil, false},
	{"blob store chunk", "tiny", set("RFLX", "blobStore.chunk", `"X"`), ruleBlobStore, "RFLX", "blobStore.chunk", nil, false},
	{"trailing blob bytes", "tiny", func(e *edit) {
		e.raw["RBLB"] = append(append([]byte{}, e.raw["RBLB"]...), 0)
		e.set("RFLX", "blobStore.byteLength", "797")
		e.set("INFO", "effectReflection.blobByteLength", "797")
	}, ruleBlobStore, "RFLX", "blobStore.blobs", nil, false},
	{"blob corrupt", "tiny", func(e *edit) {
		b := append([]byte{}, e.raw["RBLB"]...)
		b[100] ^= 1
		e.raw["RBLB"] = b
	}, ruleBlobDigest, "RFLX", "blobStore.blobs[1].sha256", nil, false},
	{"blob store digest", "tiny", func(e *edit) {
		e.keep = true
		e.set("RFLX", "blobStore.sha256", hash0)
	}, ruleDigest, "RFLX", "blobStore.sha256", nil, false},
	{"blob unreferenced", "tiny", func(e *edit) {
		e.raw["RBLB"] = append(append([]byte{}, e.raw["RBLB"]...), 'x')
		e.set("RFLX", "blobStore.byteLength", "797")
		e.set("INFO", "effectReflection.blobByteLength", "797")
		e.set("INFO", "effectReflection.blobCount", "6")
		e.set("RFLX", "blobStore.blobCount", "6")
		e.dup("RFLX", "blobStore.blobs[4]")
		e.set("RFLX", "blobStore.blobs[5]", fmt.Sprintf(`{"blobKey":"blob5","offset":796,"byteLength":1,"sha256":%q}`, digestHex([]byte("x"))))
	}, ruleUnreferenced, "RFLX", "blobStore.blobs[5]", nil, false},
	{"reference differs", "tiny", set("RFLX", stg+".sourceProgram.bytes.byteLength", "351"), ruleBlobRef, "RFLX", stg + ".sourceProgram.bytes", []ruleID{ruleUnreferenced}, false},
	{"reference unknown", "tiny", set("RFLX", stg+".sourceProgram.bytes.blobKey", `"blob9"`), ruleBlobRef, "RFLX", stg + ".sourceProgram.bytes.blobKey", []ruleID{ruleUnreferenced}, false},
	{"reference extra key", "tiny", set("RFLX", stg+".sourceProgram.bytes.x", `1`), ruleBlobRef, "RFLX", stg + ".sourceProgram.bytes.x", nil, false},

	// The portable reflection.
	{"portable extra key", "tiny", set("RFLX", stg+".x", "1"), rulePortable, "RFLX", stg + ".x", nil, false},
	{"portable missing key", "tiny", del("RFLX", stg+".input"), rulePortable, "RFLX", stg + ".input", []ruleID{ruleUnreferenced}, false},
	{"technique key", "tiny", set("RFLX", "bodies[0].effect.techniques[0].key", `"technique1"`), ruleKey, "RFLX", "bodies[0].effect.techniques[0].key", nil, false},
	{"stage key", "tiny", set("RFLX", stg+".key", `"technique0.pass0.stage2"`), ruleKey, "RFLX", stg + ".key", nil, false},
	{"pass count", "tiny", set("RFLX", "bodies[0].effect.techniques[0].passCount", "2"), ruleCountMismatch, "RFLX", "bodies[0].effect.techniques[0].passCount", nil, false},
	{"constant count", "tiny", set("RFLX", stg+".input.constantCount", "0"), ruleCountMismatch, "RFLX", stg + ".input.constantCount", nil, false},
	{"annotation type", "tiny", set("RFLX", "bodies[0].effect.annotations[0].annotations[0].type", "4"), ruleAnnotation, "RFLX", "bodies[0].effect.annotations[0].annotations[0].type", nil, false},
	{"annotation value", "tiny", set("RFLX", "bodies[0].effect.annotations[0].annotations[0].type", "1"), ruleAnnotation, "RFLX", "bodies[0].effect.annotations[0].annotations[0].stringValue", nil, false},
	{"annotation name", "tiny", set("RFLX", "bodies[0].effect.annotations[0].annotations[0].name", `""`), ruleAnnotation, "RFLX", "bodies[0].effect.annotations[0].annotations[0].name", nil, false},
	{"parameter twice", "tiny", both(dup("RFLX", "bodies[0].effect.annotations[0]"), set("RFLX", "bodies[0].effect.annotationGroupCount", "2")), ruleAnnotation, "RFLX", "bodies[0].effect.annotations[1].parameterName", nil, false},
	{"render state twice", "tiny", set("RFLX", "bodies[0].effect.techniques[0].passes[0].renderStates[1].state", "7"), ruleRenderState, "RFLX", "bodies[0].effect.techniques[0].passes[0].renderStates[1].state", []ruleID{ruleJoin}, false},
	{"stage name", "tiny", set("RFLX", stg+".stageName", `"vertex"`), ruleStageType, "RFLX", stg + ".stageName", []ruleID{ruleJoin}, false},
	{"stage type", "tiny", set("RFLX", stg+".stageType", "6"), ruleStageType, "RFLX", stg + ".stageType", []ruleID{ruleJoin}, false},
	{"stage twice", "tiny", both(dup("RFLX", stg), set("RFLX", "bodies[0].effect.techniques[0].passes[0].stageCount", "3"), set("INFO", "effectReflection.sourceProgramCount", "3")), ruleStageType, "RFLX",
		"bodies[0].effect.techniques[0].passes[0].stages[2].stageType", []ruleID{ruleJoin}, false},
	{"program size", "tiny", set("RFLX", stg+".sourceProgram.shaderSize", "351"), ruleProgram, "RFLX", stg + ".sourceProgram.shaderSize", []ruleID{ruleJoin}, false},
	{"program past the table", "tiny", set("RFLX", stg+".sourceProgram.stringTableOffset", "858"), ruleProgram, "RFLX", stg + ".sourceProgram.stringTableOffset", []ruleID{ruleJoin}, false},
	{"program kind", "tiny", set("RFLX", stg+".sourceProgram.kind", `"library"`), ruleProgram, "RFLX", stg + ".sourceProgram.kind", nil, false},
	{"defaults length", "tiny", set("RFLX", stg+".input.constantDefaults.declaredByteLength", "12"), ruleDefaults, "RFLX", stg + ".input.constantDefaults.declaredByteLength", nil, false},
	{"defaults too long", "tiny", set("RFLX", stg+".input.constantDefaults.declaredByteLength", "4100"), ruleDefaults, "RFLX", stg + ".input.constantDefaults.declaredByteLength", nil, false},
	{"constant type", "tiny", set("RFLX", stg+".input.constants[0].type", "5"), ruleConstant, "RFLX", stg + ".input.constants[0].type", nil, false},
	{"constant dimension", "tiny", set("RFLX", stg+".input.constants[0].dimension", "0"), ruleConstant, "RFLX", stg + ".input.constants[0].dimension", nil, false},
	{"constant past 4096", "tiny", set("RFLX", stg+".input.constants[0].offset", "4081"), ruleConstant, "RFLX", stg + ".input.constants[0]", nil, false},
	{"constant twice", "rich", set("RFLX", stg+".input.constants[1].name", `"Tint"`), ruleConstant, "RFLX", stg + ".input.constants[1].name", nil, false},
	{"resource register twice", "rich", set("RFLX", stg+".input.resources[1].registerIndex", "0"), ruleResource, "RFLX", stg + ".input.resources[1].registerIndex", nil, false},
	{"resource name", "tiny", set("RFLX", stg+".input.resources[0].name", `""`), ruleResource, "RFLX", stg + ".input.resources[0].name", nil, false},
	{"sampler without name", "rich", set("RFLX", stg+".input.samplers[1].name", "null"), ruleSampler, "RFLX", stg + ".input.samplers[1].name", nil, false},
	{"sampler with a name", "tiny", set("RFLX", stg+".input.samplers[0].name", `"S"`), ruleSampler, "RFLX", stg + ".input.samplers[0].name", nil, false},
	{"sampler border", "tiny", set("RFLX", stg+".input.samplers[0].descriptor.borderColorRaw", "[0,0,0]"), ruleSampler, "RFLX", stg + ".input.samplers[0].descriptor.borderColorRaw", nil, false},
	{"register counts", "tiny", set("RFLX", stg+".input.signature.registers[2].registerCount", "2"), ruleRegister, "RFLX", stg + ".input.signature.registers[2].registerCount", nil, false},
	{"unbounded constant buffer", "tiny", both(set("RFLX", stg+".input.signature.registers[0].registerCount", "0"), set("RFLX", stg+".input.signature.registers[0].arrayCount", "0")), ruleRegister, "RFLX", stg + ".input.signature.registers[0].arrayCount", nil, false},
	{"register past 2^32", "rich", both(set("RFLX", stg+".input.signature.registers[4].registerIndex", "4294967295")), ruleRegister, "RFLX", stg + ".input.signature.registers[4].arrayCount", []ruleID{ruleMap}, false},
	{"register ranges overlap", "rich", set("RFLX", stg+".input.signature.registers[2].registerIndex", "5"), ruleRangeOverlap, "RFLX", stg + ".input.signature.registers[2]", []ruleID{ruleMap}, false},
	{"static sampler twice", "rich", set("RFLX", stg+".input.signature.staticSamplers[1].registerIndex", "3"), ruleRegister, "RFLX", stg + ".input.signature.staticSamplers[1]", nil, false},
	{"resource without register", "tiny", set("RFLX", stg+".input.resources[0].registerIndex", "3"), ruleMap, "RFLX", stg + ".input.resources[0].registerIndex", nil, false},
	{"resource elements", "tiny", set("RFLX", stg+".input.resources[0].arrayElements", "2"), ruleMap, "RFLX", stg + ".input.resources[0].arrayElements", nil, false},
	{"UAV without register", "rich", set("RFLX", stg+".input.uavs[0].registerIndex", "3"), ruleMap, "RFLX", stg + ".input.uavs[0].registerIndex", nil, false},
	{"resource ambiguous", "tiny", both(func(e *edit) {
		e.dup("RFLX", stg+".input.signature.registers[2]")
		e.set("RFLX", stg+".input.signature.registers[3].registerSpace", "1")
		e.set("RFLX", stg+".input.signature.registerCount", "4")
	}), ruleMap, "RFLX", stg + ".input.resources[0].registerIndex", nil, false},
	{"library export twice", "rich", set("RFLX", "bodies[0].effect.techniques[0].libraries[0].exports[1]", `{"type":0,"name":"Gen"}`), ruleLibrary, "RFLX", "bodies[0].effect.techniques[0].libraries[0].exports[1]", nil, false},
	{"library export type", "rich", set("RFLX", "bodies[0].effect.techniques[0].libraries[0].exports[1].type", "5"), ruleLibrary, "RFLX", "bodies[0].effect.techniques[0].libraries[0].exports[1].type", nil, false},

	// Legacy reflection.
	{"legacy permutation", "legacy", set("RFLX", "selectedBody.permutationIndex", "0"), ruleReflectBody, "RFLX", "selectedBody.permutationIndex", nil, false},
	{"legacy record", "legacy", set("RFLX", "selectedBody.sourceRecord.offset", "950"), ruleReflectBody, "RFLX", "selectedBody.sourceRecord", nil, false},
	{"legacy digest", "legacy", set("RFLX", "selectedBody.sha256", hash0), ruleReflectBody, "RFLX", "selectedBody.sha256", nil, false},
	{"legacy coverage", "legacy", set("RFLX", "coverage.bodies", `"all-unique"`), ruleReflectFormat, "RFLX", "coverage.bodies", nil, false},
	{"legacy reflection relabelled", "legacy", set("RFLX", "formatVersion", "2"), ruleReflectFormat, "RFLX", "formatVersion", []ruleID{ruleReflectBody, rulePortable, rulePointerCount, ruleUnreferenced}, false},

	// Section 8.4: RFLX against ANLS.
	{"join states", "tiny", set("ANLS", "passes[0].states[0].value", "0"), ruleJoin, "ANLS", "passes[0].states", nil, false},
	{"join inputs", "tiny", set("ANLS", "stages[0].pipelineInputs[0].usage", "1"), ruleJoin, "ANLS", "stages[0].pipelineInputs[0].usage", nil, false},
	{"join input count", "tiny", del("ANLS", "stages[0].pipelineInputs[1]"), ruleJoin, "ANLS", "stages[0].pipelineInputs", nil, false},
	{"join size", "tiny", set("ANLS", "stages[0].shaderBytecode.shaderSize", "1"), ruleJoin, "ANLS", "stages[0].shaderBytecode.shaderSize", nil, false},
	{"join offset", "tiny", set("ANLS", "stages[0].shaderBytecode.stringTableOffset", "1"), ruleJoin, "ANLS", "stages[0].shaderBytecode.stringTableOffset", nil, false},
	{"join group size", "tiny", set("ANLS", "stages[0].threadGroupSize.x", "1"), ruleJoin, "ANLS", "stages[0].threadGroupSize.x", nil, false},
	{"join compiler", "tiny", set("ANLS", "compilerVersion", "1"), ruleJoin, "ANLS", "compilerVersion", nil, false},
	{"join pass count", "tiny", func(e *edit) {
		e.dup("ANLS", "passes[0]")
		e.set("ANLS", "passes[1].passIndex", "1")
	}, ruleJoin, "ANLS", "passes", nil, false},
	{"join technique names", "tiny", func(e *edit) {
		e.dup("RFLX", "bodies[0].effect.techniques[0]")
		e.set("RFLX", "bodies[0].effect.techniqueCount", "2")
		e.set("RFLX", "bodies[0].effect.techniques[1]", `{"key":"technique1","name":"Main","passCount":0,"libraryCount":0,"passes":[],"libraries":[]}`)
	}, ruleJoin, "RFLX", "bodies[0].effect.techniques[1].name", nil, false},

	// Section 9: ANLS.
	{"analysis format", "tiny", set("ANLS", "format", `"X"`), ruleAnalysisFormat, "ANLS", "format", nil, false},
	{"analysis version", "tiny", set("ANLS", "formatVersion", "2"), ruleAnalysisFormat, "ANLS", "formatVersion", nil, false},
	{"effect version 16", "tiny", set("ANLS", "effectVersion", "16"), ruleEffectVersion, "ANLS", "effectVersion", []ruleID{ruleJoin}, false},
	{"effect version 14 in INFO 3", "tiny", set("ANLS", "effectVersion", "14"), ruleEffectVersion, "ANLS", "effectVersion", []ruleID{ruleJoin}, false},
	{"compiler version null", "tiny", set("ANLS", "compilerVersion", "null"), ruleEffectVersion, "ANLS", "compilerVersion", []ruleID{ruleJoin}, false},
	{"render states handle", "tiny", del("ANLS", "passes[0].renderStates"), rulePasses, "ANLS", "passes[0].renderStates", nil, false},
	{"pass index", "tiny", set("ANLS", "passes[0].passIndex", "1"), rulePasses, "ANLS", "passes[0].passIndex", []ruleID{ruleStageKey, ruleJoin}, false},
	{"technique name", "tiny", set("ANLS", "passes[0].techniqueName", `""`), rulePasses, "ANLS", "passes[0].techniqueName", []ruleID{ruleStageKey, ruleJoin}, false},
	{"no stages", "tiny", set("ANLS", "stages", "[]"), ruleStage, "ANLS", "stages", []ruleID{ruleCount, ruleShaderKey, ruleJoin}, false},
	{"shader handle", "tiny", del("ANLS", "stages[0].shaderHandle"), ruleStage, "ANLS", "stages[0].shaderHandle", nil, false},
	{"geometry stage", "tiny", both(set("ANLS", "stages[1].stageType", "3"), set("ANLS", "stages[1].stageName", `"geometry"`)), ruleStageKind, "ANLS", "stages[1].stageType",
		[]ruleID{ruleStageKey, ruleBytecode, ruleTruth, ruleShaderKey, ruleJoin, ruleSelection}, false},
	{"stage name and type", "tiny", set("ANLS", "stages[1].stageName", `"vertex"`), ruleStageKind, "ANLS", "stages[1].stageName", []ruleID{ruleJoin}, false},
	{"analysis stage key", "tiny", set("ANLS", "stages[1].key", `"Main.pass0.fragment"`), ruleStageKey, "ANLS", "stages[1].key", []ruleID{ruleShaderKey, ruleJoin, ruleSelection}, false},
	{"stage of no pass", "tiny", set("ANLS", "stages[1].passIndex", "1"), ruleStageKey, "ANLS", "stages[1].passIndex", nil, false},
	{"stage twice in analysis", "tiny", both(dup("ANLS", "stages[1]"), set("INFO", "stageCount", "3")), ruleStageKey, "ANLS", "stages[2].key", []ruleID{ruleJoin}, false},
	{"bytecode type", "tiny", set("ANLS", "stages[1].shaderBytecode.stageType", "0"), ruleBytecode, "ANLS", "stages[1].shaderBytecode.stageType", nil, false},
	{"bytecode size", "tiny", set("ANLS", "stages[1].shaderBytecode.shaderSize", "0"), ruleBytecode, "ANLS", "stages[1].shaderBytecode.shaderSize", []ruleID{ruleJoin}, false},
	{"bytecode effect name", "tiny", set("ANLS", "stages[1].shaderBytecode.effectName", `"x"`), ruleEffectName, "ANLS", "stages[1].shaderBytecode.effectName", nil, false},
	{"bytecode bytes", "tiny", set("ANLS", "stages[1].shaderBytecode.bytes", "[]"), ruleTransient, "ANLS", "stages[1].shaderBytecode.bytes", nil, false},
	{"dxbc not null", "tiny", set("ANLS", "stages[1].dxbc", "{}"), ruleTransient, "ANLS", "stages[1].dxbc", nil, false},
	{"ir absent", "tiny", del("ANLS", "stages[1].ir"), ruleTransient, "ANLS", "stages[1].ir", nil, false},
	{"usage name", "tiny", set("ANLS", "stages[0].pipelineInputs[0].usageName", `""`), ruleInputs, "ANLS", "stages[0].pipelineInputs[0].usageName", nil, false},
	{"group size zero", "compute", set("ANLS", "stages[0].threadGroupSize.y", "0"), ruleThreadGroup, "ANLS", "stages[0].threadGroupSize.y", []ruleID{ruleGroupSize, ruleJoin}, false},
	{"mixed pass", "tiny", both(set("ANLS", "stages[1].stageType", "2"), set("ANLS", "stages[1].stageName", `"compute"`), set("ANLS", "stages[1].key", `"Main.pass0.compute"`),
		set("ANLS", "stages[1].threadGroupSize", `{"x":1,"y":1,"z":1}`)), ruleTopology, "ANLS", "passes[0]", []ruleID{ruleBytecode, ruleTruth, ruleShaderKey, ruleJoin, ruleSelection}, false},
	{"register count 0", "tiny", both(set("ANLS", bnd+"[2].registerCount", "0"), set("ANLS", bnd+"[2].arrayCount", "0")), ruleBinding, "ANLS", bnd + "[2].registerCount", nil, false},
	{"binding counts", "tiny", set("ANLS", bnd+"[2].registerCount", "2"), ruleBinding, "ANLS", bnd + "[2].registerCount", nil, false},
	{"binding symbol", "tiny", set("ANLS", bnd+"[2].generatedSymbol", `"t0_space0"`), ruleBinding, "ANLS", bnd + "[2].generatedSymbol", nil, false},
	{"binding annotations", "tiny", del("ANLS", bnd+"[2].annotations"), ruleBinding, "ANLS", bnd + "[2].annotations", nil, false},
	{"binding twice", "tiny", dup("ANLS", bnd+"[2]"), ruleBinding, "ANLS", bnd + "[3]", nil, false},
	{"binding kind", "tiny", set("ANLS", bnd+"[2].kind", `"texture"`), ruleBinding, "ANLS", bnd + "[2].kind", nil, false},
	{"binding name", "tiny", set("ANLS", bnd+"[2].metadataName", `""`), ruleBinding, "ANLS", bnd + "[2].metadataName", nil, false},
	{"binding heap view", "tiny", set("ANLS", bnd+"[2].heapView", "0"), ruleBinding, "ANLS", bnd + "[2].heapView", nil, false},
	{"register type", "tiny", set("ANLS", bnd+"[2].registerType", "64"), ruleTruth, "ANLS", bnd + "[2].registerType", nil, false},
	{"source of truth", "tiny", set("ANLS", bnd+"[2].sourceTruth", `"x"`), ruleTruth, "ANLS", bnd + "[2].sourceTruth", nil, false},
	{"resource not dynamic", "tiny", set("ANLS", bnd+"[2].dynamic", "false"), ruleTruth, "ANLS", bnd + "[2].dynamic", nil, false},
	{"constant buffer heap view", "tiny", set("ANLS", bnd+"[0].heapView", "true"), ruleTruth, "ANLS", bnd + "[0].heapView", nil, false},
	{"map record type", "rich", set("ANLS", bnd+"[7].registerType", "1"), ruleTruth, "ANLS", bnd + "[7].registerType", nil, false},
	{"map record space", "rich", set("ANLS", bnd+"[7].registerSpace", "0"), ruleTruth, "ANLS", bnd + "[7].registerSpace", nil, false},
	{"map record null", "rich", set("ANLS", bnd+"[7].carbon", "null"), ruleCarbon, "ANLS", bnd + "[7].carbon", nil, false},
	{"map record beside the signature", "rich", both(set("ANLS", bnd+"[7].registerIndex", "0"), set("ANLS", bnd+"[7].generatedSymbol", `"s0"`)), ruleTruth, "ANLS", bnd + "[7]", nil, false},
	{"static sampler type", "rich", set("ANLS", bnd+"[5].registerType", "36"), ruleTruth, "ANLS", bnd + "[5].registerType", nil, false},
	{"static sampler border", "rich", set("ANLS", bnd+"[5].carbon.sampler.borderColor", "[0,0,0,0]"), ruleCarbon, "ANLS", bnd + "[5].carbon.sampler.borderColor", nil, false},
	{"sampler LOD null", "tiny", set("ANLS", bnd+"[1].carbon.sampler.maxLOD", "null"), ruleCarbon, "ANLS", bnd + "[1].carbon.sampler.maxLOD", nil, false},
	{"sampler LOD infinite", "tiny", set("ANLS", bnd+"[1].carbon.sampler.maxLOD", "1e999"), ruleCarbon, "ANLS", bnd + "[1].carbon.sampler.maxLOD", nil, false},
	{"sampler border colour", "tiny", set("ANLS", bnd+"[1].carbon.sampler.borderColor", "[0,0,0]"), ruleCarbon, "ANLS", bnd + "[1].carbon.sampler.borderColor", nil, false},
	{"constants missing", "tiny", set("ANLS", bnd+"[0].carbon.constants", "[]"), ruleCarbon, "ANLS", bnd + "[0].carbon.constants", nil, false},
	{"constants unexpected", "tiny", set("ANLS", bnd+"[0].carbon.hasLocalConstants", "false"), ruleCarbon, "ANLS", bnd + "[0].carbon.constants", nil, false},
	{"resource payload", "tiny", set("ANLS", bnd+"[2].carbon.isSRGB", "1"), ruleCarbon, "ANLS", bnd + "[2].carbon.isSRGB", nil, false},

	// Section 10: WGSL.
	{"set format", "tiny", set("WGSL", "format", `"X"`), ruleSetFormat, "WGSL", "format", nil, false},
	{"set version 1", "tiny", set("WGSL", "formatVersion", "1"), ruleSetFormat, "WGSL", "formatVersion", nil, false},
	{"set version 3 without transforms", "tiny", set("WGSL", "formatVersion", "3"), ruleTransformSet, "WGSL", "resourceTransforms", nil, false},
	{"set version 2 with an empty list", "tiny", set("WGSL", "resourceTransforms", "[]"), ruleTransformSet, "WGSL", "resourceTransforms", nil, false},
	{"no modules", "tiny", both(set("WGSL", "shaders", "[]"), set("INFO", "selectedStageCount", "0"), set("INFO", "shaderCount", "0")), ruleSetFormat, "WGSL", "shaders", []ruleID{ruleLayoutSet, ruleSelection}, false},
	{"no layouts", "tiny", both(set("WGSL", "layouts", "[]"), set("INFO", "layoutCount", "0")), ruleSetFormat, "WGSL", "layouts", []ruleID{ruleLayoutSet}, false},
	{"module key", "tiny", set("WGSL", "shaders[1].key", `"Main.pass0.fragment"`), ruleShader, "WGSL", "shaders[1].key", []ruleID{ruleShaderKey, ruleSelection}, false},
	{"module twice", "tiny", both(dup("WGSL", "shaders[1]"), set("INFO", "selectedStageCount", "3"), set("INFO", "shaderCount", "3")), ruleShader, "WGSL", "shaders[2].key", nil, false},
	{"module of no stage", "tiny", both(set("WGSL", "shaders[1].techniqueName", `"X"`), set("WGSL", "shaders[1].key", `"X.pass0.pixel"`)), ruleShaderKey, "WGSL", "shaders[1].key", []ruleID{ruleLayoutSet, ruleVisibility, ruleSelection}, false},
	{"entry point", "tiny", set("WGSL", "shaders[1].entryPoint", `""`), ruleShader, "WGSL", "shaders[1].entryPoint", nil, false},
	{"code empty", "tiny", set("WGSL", "shaders[1].code", `""`), ruleShader, "WGSL", "shaders[1].code", nil, false},
	{"module stage", "tiny", set("WGSL", "shaders[1].stage", `"pixel"`), ruleShaderStage, "WGSL", "shaders[1].stage", []ruleID{ruleVisibility, ruleSelection}, false},
	{"module stage differs", "tiny", set("WGSL", "shaders[1].stage", `"vertex"`), ruleShaderStage, "WGSL", "shaders[1].stage", []ruleID{ruleVisibility}, false},
	{"module stage type", "tiny", set("WGSL", "shaders[1].stageType", "0"), ruleShaderStage, "WGSL", "shaders[1].stageType", nil, false},
	{"source map absent", "tiny", del("WGSL", "shaders[1].sourceMap"), ruleSourceMap, "WGSL", "shaders[1].sourceMap", nil, false},
	{"source map line 0", "tiny", set("WGSL", "shaders[1].sourceMap[0].line", "0"), ruleSourceMap, "WGSL", "shaders[1].sourceMap[0].line", nil, false},
	{"vertex group size", "tiny", set("WGSL", "shaders[0].threadGroupSize", "[1,1,1]"), ruleGroupSize, "WGSL", "shaders[0].threadGroupSize", nil, false},
	{"compute group size absent", "compute", del("WGSL", "shaders[0].threadGroupSize"), ruleGroupSize, "WGSL", "shaders[0].threadGroupSize", nil, false},
	{"compute group size differs", "compute", set("WGSL", "shaders[0].threadGroupSize[2]", "9"), ruleGroupSize, "WGSL", "shaders[0].threadGroupSize[2]", nil, false},
	{"layout key", "tiny", set("WGSL", "layouts[0].key", `"Main.pass00"`), ruleLayout, "WGSL", "layouts[0].key", []ruleID{ruleLayoutSet}, false},
	{"layout twice", "tiny", both(dup("WGSL", "layouts[0]"), set("INFO", "layoutCount", "2")), ruleLayout, "WGSL", "layouts[1].key", nil, false},
	{"layout of no module", "tiny", both(dup("WGSL", "layouts[0]"), set("INFO", "layoutCount", "2"), set("WGSL", "layouts[1]", `{"key":"Main.pass1","techniqueName":"Main","passIndex":1,"bindGroups":[]}`)), ruleLayoutSet, "WGSL", "layouts[1]", nil, false},
	{"groups from 1", "tiny", func(e *edit) {
		e.set("WGSL", "layouts[0].bindGroups[0].group", "1")
		for i := range 4 {
			e.set("WGSL", fmt.Sprintf("%s[%d].group", lay, i), "1")
		}
	}, ruleBindGroup, "WGSL", "layouts[0].bindGroups", nil, false},
	{"group twice", "tiny", func(e *edit) {
		e.dup("WGSL", "layouts[0].bindGroups[0]")
		e.set("WGSL", "layouts[0].bindGroups[1]", `{"group":0,"bindings":[]}`)
	}, ruleBindGroup, "WGSL", "layouts[0].bindGroups[1].group", nil, false},
	{"slot twice", "tiny", set("WGSL", lay+"[1].binding", "0"), ruleSlot, "WGSL", lay + "[1].binding", nil, false},
	{"binding in another group", "tiny", set("WGSL", lay+"[1].group", "1"), ruleSlot, "WGSL", lay + "[1].group", nil, false},
	{"slot without type", "tiny", del("WGSL", lay+"[1].type"), ruleSlot, "WGSL", lay + "[1].type", nil, false},
	{"resource kind", "tiny", set("WGSL", lay+"[1].resourceKind", `"uav-counter"`), ruleSlot, "WGSL", lay + "[1].resourceKind", nil, false},
	{"identity", "tiny", set("WGSL", lay+"[2].identity", `"sampled-resource:0:1"`), ruleBindingIdentity, "WGSL", lay + "[2].identity", []ruleID{ruleScope}, false},
	{"bare scope with one stage", "tiny", set("WGSL", lay+"[2].scopeIdentity", `"sampled-resource:0:0"`), ruleScope, "WGSL", lay + "[2].scopeIdentity", nil, false},
	{"scoped identity with two stages", "tiny", set("WGSL", lay+"[2].visibility", `["vertex","fragment"]`), ruleScope, "WGSL", lay + "[2].scopeIdentity", nil, false},
	{"shared and single", "tiny", func(e *edit) {
		e.set("WGSL", lay+"[0].visibility", `["vertex","fragment"]`)
		e.set("WGSL", lay+"[0].scopeIdentity", `"uniform-buffer:0:0"`)
	}, ruleScope, "WGSL", lay + "[1].scopeIdentity", []ruleID{ruleSymbol}, false},
	{"visibility of an absent stage", "tiny", both(set("WGSL", lay+"[2].visibility", `["compute"]`), set("WGSL", lay+"[2].scopeIdentity", `"sampled-resource:0:0@compute"`)), ruleVisibility, "WGSL", lay + "[2].visibility[0]", nil, false},
	{"visibility empty", "tiny", set("WGSL", lay+"[2].visibility", `[]`), ruleVisibility, "WGSL", lay + "[2].visibility", nil, false},
	{"visibility twice", "tiny", set("WGSL", lay+"[2].visibility", `["fragment","fragment"]`), ruleVisibility, "WGSL", lay + "[2].visibility[1]", nil, false},
	{"symbol twice", "tiny", set("WGSL", lay+"[2].generatedSymbol", `"s0"`), ruleSymbol, "WGSL", lay + "[3].generatedSymbol", nil, false},
	{"two descriptors", "tiny", set("WGSL", lay+"[2].sampler", `{"type":"filtering"}`), ruleDescriptor, "WGSL", lay + "[2]", nil, false},
	{"no descriptor", "tiny", del("WGSL", lay+"[2].texture"), ruleDescriptor, "WGSL", lay + "[2]", nil, false},
	{"descriptor of another kind", "tiny", both(del("WGSL", lay+"[2].texture"), set("WGSL", lay+"[2].sampler", `{"type":"filtering"}`)), ruleDescriptor, "WGSL", lay + "[2].sampler", nil, false},
	{"dynamic offset", "tiny", set("WGSL", lay+"[0].buffer.hasDynamicOffset", "true"), ruleDescriptor, "WGSL", lay + "[0].buffer.hasDynamicOffset", nil, false},
	{"buffer type", "tiny", set("WGSL", lay+"[0].buffer.type", `"storage"`), ruleDescriptor, "WGSL", lay + "[0].buffer.type", nil, false},
	{"buffer with a texture's type", "tiny", set("WGSL", lay+"[0].type", `"texture_2d<f32>"`), ruleDescriptor, "WGSL", lay + "[0].type", nil, false},
	{"uniform size", "tiny", set("WGSL", lay+"[0].buffer.minBindingSize", "20"), ruleBufferSize, "WGSL", lay + "[0].buffer.minBindingSize", nil, false},
	{"uniform size 0", "tiny", set("WGSL", lay+"[0].buffer.minBindingSize", "0"), ruleBufferSize, "WGSL", lay + "[0].buffer.minBindingSize", nil, false},
	{"storage size", "compute", func(e *edit) { e.set("WGSL", slotOf(e, "buffer.type", "storage")+".buffer.minBindingSize", "6") }, ruleBufferSize, "WGSL", "*", nil, false},
	{"integer texture", "tiny", set("WGSL", lay+"[2].type", `"texture_2d<u32>"`), ruleTextureKind, "WGSL", lay + "[2].type", nil, false},
	{"depth texture", "tiny", both(set("WGSL", lay+"[2].type", `"texture_depth_2d"`), set("WGSL", lay+"[2].texture.sampleType", `"depth"`)), ruleTextureKind, "WGSL", lay + "[2].type", nil, false},
	{"cube array", "tiny", set("WGSL", lay+"[2].type", `"texture_cube_array<f32>"`), ruleTextureKind, "WGSL", lay + "[2].type", nil, false},
	{"multisampled", "tiny", set("WGSL", lay+"[2].texture.multisampled", "true"), ruleTextureKind, "WGSL", lay + "[2].texture.multisampled", nil, false},
	{"unfilterable", "tiny", set("WGSL", lay+"[2].texture.sampleType", `"unfilterable-float"`), ruleTextureKind, "WGSL", lay + "[2].texture.sampleType", nil, false},
	{"view dimension", "tiny", set("WGSL", lay+"[2].texture.viewDimension", `"cube"`), ruleTextureKind, "WGSL", lay + "[2].texture.viewDimension", nil, false},
	{"1D texture", "tiny", both(set("WGSL", lay+"[2].type", `"texture_1d<f32>"`), set("WGSL", lay+"[2].texture.viewDimension", `"1d"`)), ruleTextureKind, "WGSL", lay + "[2].type", nil, false},
	{"storage texture", "tiny", both(del("WGSL", lay+"[2].texture"), set("WGSL", lay+"[2].storageTexture", `{}`)), ruleTextureKind, "WGSL", lay + "[2].storageTexture", []ruleID{ruleDescriptor}, false},
	{"comparison sampler type", "tiny", set("WGSL", lay+"[3].sampler.type", `"comparison"`), ruleSamplerKind, "WGSL", lay + "[3].type", nil, false},
	{"sampler type", "tiny", set("WGSL", lay+"[3].sampler.type", `"linear"`), ruleSamplerKind, "WGSL", lay + "[3].sampler.type", nil, false},
	{"untranslated in strict", "tiny", set("WGSL", "untranslated", `[]`), ruleUntranslated, "WGSL", "untranslated", nil, false},
	{"untranslated of no pass", "extended", set("WGSL", "untranslated[0].key", `"X.pass0"`), ruleUntranslated, "WGSL", "untranslated[0].key", []ruleID{ruleSelection}, false},

	{"diagnostics in strict", "tiny", set("WGSL", "diagnostics", `[]`), ruleDiagnostics, "WGSL", "diagnostics", nil, false},
	{"diagnostic without a code", "extended", set("WGSL", "diagnostics", `[{"pass":"Main.pass0","severity":"note","at":"","message":"m","remedy":"none"}]`), ruleDiagnostics, "WGSL", "diagnostics[0].code", nil, false},
	{"premises in strict", "tiny", set("WGSL", "shaders[0].premises", `[]`), rulePremises, "WGSL", "shaders[0].premises", nil, false},
	{"premise without a value", "premises", set("WGSL", "shaders[0].premises", `[{"kind":"size","subject":"bytes(u0)","relation":">=","message":"m"}]`), rulePremises, "WGSL", "shaders[0].premises[0].value", nil, false},
	{"premise of no kind", "premises", set("WGSL", "shaders[0].premises", `[{"kind":"hope","subject":"u0","relation":"is","value":"v","message":"m"}]`), rulePremises, "WGSL", "shaders[0].premises[0].kind", nil, false},

	// Section 10.3: transforms.
	{"transform version", "transform", set("WGSL", "resourceTransforms[0].version", "2"), ruleTransform, "WGSL", "resourceTransforms[0].version", nil, false},
	{"transform kind", "transform", set("WGSL", "resourceTransforms[0].kind", `"constant"`), ruleTransform, "WGSL", "resourceTransforms[0].kind", nil, false},
	{"transform representation", "transform", set("WGSL", "resourceTransforms[0].representation", `"native"`), ruleTransform, "WGSL", "resourceTransforms[0].representation", nil, false},
	{"transform missing layer", "transform", set("WGSL", "resourceTransforms[0].missingLayer", `"ignore"`), ruleTransform, "WGSL", "resourceTransforms[0].missingLayer", nil, false},
	{"transform stage", "transform", set("WGSL", "resourceTransforms[0].stage", `"vertex"`), ruleTransform, "WGSL", "resourceTransforms[0].stage", nil, false},
	{"transform layout", "transform", set("WGSL", "resourceTransforms[0].layoutKey", `"Main.pass1"`), ruleTransform, "WGSL", "resourceTransforms[0].layoutKey", nil, false},
	{"transform twice", "transform", dup("WGSL", "resourceTransforms[0]"), ruleTransform, "WGSL", "resourceTransforms[1].id", nil, false},
	{"transform layer", "transform", set("WGSL", "resourceTransforms[0].inputs[1].layer", "0"), ruleTransformInput, "WGSL", "resourceTransforms[0].inputs[1].layer", nil, false},
	{"transform parameter", "transform", set("WGSL", "resourceTransforms[0].inputs[1].parameter", `"Detail1Map"`), ruleTransformInput, "WGSL", "resourceTransforms[0].inputs[1].parameter", nil, false},
	{"transform input scope", "transform", set("WGSL", "resourceTransforms[0].inputs[1].scopeIdentity", `"sampled-resource:0:17"`), ruleTransformInput, "WGSL", "resourceTransforms[0].inputs[1].scopeIdentity", nil, false},
	{"transform input identity", "transform", set("WGSL", "resourceTransforms[0].inputs[1].identity", `"sampler:0:17"`), ruleTransformInput, "WGSL", "resourceTransforms[0].inputs[1].identity", nil, false},
	{"transform of one input", "transform", both(del("WGSL", "resourceTransforms[0].inputs[1]"), set("WGSL", "resourceTransforms[0].output.layerCount", "1")), ruleTransformInput, "WGSL", "resourceTransforms[0].inputs", []ruleID{ruleTransformBinding}, false},
	{"transform output identity", "transform", set("WGSL", "resourceTransforms[0].output.identity", `"sampled-resource:0:17"`), ruleTransformOutput, "WGSL", "resourceTransforms[0].output.identity", nil, false},
	{"transform output layers", "transform", set("WGSL", "resourceTransforms[0].output.layerCount", "3"), ruleTransformOutput, "WGSL", "resourceTransforms[0].output.layerCount", nil, false},
	{"transform output name", "transform", set("WGSL", "resourceTransforms[0].output.name", `""`), ruleTransformOutput, "WGSL", "resourceTransforms[0].output.name", nil, false},
	{"transform binding layers", "transform", set("WGSL", lay+"[1].arrayLayerCount", "3"), ruleTransformBinding, "WGSL", lay + "[1].arrayLayerCount", nil, false},
	{"transform binding without layers", "transform", del("WGSL", lay+"[1].arrayLayerCount"), ruleTransformBinding, "WGSL", lay + "[1]", nil, false},
	{"transform not declared", "transform", set("WGSL", lay+"[1].transformId", `"other"`), ruleTransformBinding, "WGSL", lay + "[1].transformId", nil, false},
	{"transform without binding", "transform", both(del("WGSL", lay+"[1].transformId"), del("WGSL", lay+"[1].arrayLayerCount")), ruleTransformBinding, "WGSL", "resourceTransforms[0].id", nil, false},
	{"transform input survives", "transform", func(e *edit) {
		e.dup("WGSL", lay+"[2]")
		e.set("WGSL", lay+"[3]", `{"identity":"sampled-resource:0:17","scopeIdentity":"sampled-resource:0:17@fragment","resourceKind":"sampled-resource","generatedSymbol":"t17","registerSpace":0,"registerIndex":17,"group":0,"binding":3,"visibility":["fragment"],"type":"texture_2d<f32>","texture":{"sampleType":"float","viewDimension":"2d","multisampled":false}}`)
	}, ruleTransformBinding, "WGSL", lay + "[3].scopeIdentity", nil, false},
	// Rules that came with set version 2 hold for version 3.
	{"scope in version 3", "transform", set("WGSL", lay+"[0].scopeIdentity", `"uniform-buffer:0:0"`), ruleScope, "WGSL", lay + "[0].scopeIdentity", nil, false},
	{"identity in version 3", "transform", del("WGSL", lay+"[0].identity"), ruleBindingIdentity, "WGSL", lay + "[0].identity", nil, false},
	{"sharing in version 3", "transform", both(set("WGSL", lay+"[0].visibility", `["vertex","fragment"]`)), ruleScope, "WGSL", lay + "[0].scopeIdentity", nil, false},

	// Section 11: WGSB.
	{"body set pointer absent", "all", del("INFO", "backendBodySet"), rulePresence, "INFO", "", nil, false},
	{"body set absent", "all", drop("WGSB"), rulePresence, "INFO", "backendBodySet", nil, false},
	{"body set in mode selected", "all", both(set("INFO", "bodyMode", `"selected"`), set("META", "bodyMode", `"selected"`), set("INFO", "backendBodyCoverage", `"selected"`)), rulePresence, "WGSB", "", nil, false},
	{"mode all without body set", "tiny", both(set("INFO", "bodyMode", `"all"`), set("META", "bodyMode", `"all"`), set("INFO", "backendBodyCoverage", `"partial"`)), rulePresence, "WGSB", "", nil, false},
	{"body set digest", "all", func(e *edit) { e.keep = true; e.set("INFO", "backendBodySet.sha256", hash0) }, ruleDigest, "INFO", "backendBodySet.sha256", []ruleID{ruleDigest}, false},
	{"body set pointer bodies", "all", set("INFO", "backendBodySet.bodyCount", "2"), rulePointerCount, "INFO", "backendBodySet.bodyCount", nil, false},
	{"body set pointer translated", "all", set("INFO", "backendBodySet.translatedBodyCount", "3"), rulePointerCount, "INFO", "backendBodySet.translatedBodyCount", nil, false},
	{"body set pointer units", "all", set("INFO", "backendBodySet.passUnitCount", "2"), rulePointerCount, "INFO", "backendBodySet.passUnitCount", nil, false},
	{"body set format", "all", set("WGSB", "format", `"X"`), ruleBodySetFormat, "WGSB", "format", nil, false},
	{"body set coverage", "all", set("WGSB", "coverage.bodies", `"all-unique"`), ruleBodyCoverage, "WGSB", "coverage.bodies", nil, false},
	{"body set coverage against INFO", "all", set("INFO", "backendBodyCoverage", `"all-unique"`), ruleBodyCoverage, "WGSB", "coverage.bodies", nil, false},
	{"unit twice", "all", both(dup("WGSB", "passUnits[0]"), set("INFO", "backendBodySet.passUnitCount", "2"), set("WGSB", "passUnitCount", "2")), ruleUnit, "WGSB", "passUnits[1].key", nil, false},
	{"unit digest malformed", "all", set("WGSB", "passUnits[0].sha256", `"x"`), ruleUnit, "WGSB", "passUnits[0].sha256", nil, false},
	{"unit set version", "all", set("WGSB", "passUnits[0].wgslSetVersion", "1"), ruleUnit, "WGSB", "passUnits[0].wgslSetVersion", nil, false},
	{"unit without modules", "all", set("WGSB", "passUnits[0].shaders", "[]"), ruleUnit, "WGSB", "passUnits[0].shaders", nil, false},
	{"body missing", "all", both(del("WGSB", "bodies[1]"), set("INFO", "backendBodySet.bodyCount", "2"), set("WGSB", "bodyCount", "2"), set("WGSB", "coverage.bodies", `"all-unique"`), set("INFO", "backendBodyCoverage", `"all-unique"`)), ruleBodyPrograms, "WGSB", "bodies", nil, false},
	{"body twice", "all", both(dup("WGSB", "bodies[1]"), set("INFO", "backendBodySet.bodyCount", "4"), set("WGSB", "bodyCount", "4")), ruleBodyPrograms, "WGSB", "bodies[3].bodyKey", nil, false},
	{"body unknown", "all", set("WGSB", "bodies[1].bodyKey", `"bodyX"`), ruleBodyPrograms, "WGSB", "bodies[1].bodyKey", nil, false},
	{"body representative", "all", set("WGSB", "bodies[1].representativePermutationIndex", "0"), ruleBodyPrograms, "WGSB", "bodies[1].representativePermutationIndex", nil, false},
	{"body status", "all", set("WGSB", "bodies[1].status", `"failed"`), ruleBodyPrograms, "WGSB", "bodies[1].status", nil, false},
	{"unsupported without reason", "all", set("WGSB", "bodies[1].error", `""`), ruleBodyPrograms, "WGSB", "bodies[1].error", nil, false},
	{"unsupported with passes", "all", both(set("WGSB", "bodies[1].passes", `[{"passKey":"Main.pass0","unitKey":"unit0"}]`), set("WGSB", "bodies[1].passCount", "1")), ruleBodyPrograms, "WGSB", "bodies[1].passes", nil, false},
	{"translated with an error", "all", set("WGSB", "bodies[0].error", `"x"`), ruleBodyPrograms, "WGSB", "bodies[0].error", nil, false},
	{"translated without passes", "all", both(set("WGSB", "bodies[0].passes", `[]`), set("WGSB", "bodies[0].passCount", "0")), ruleBodyPrograms, "WGSB", "bodies[0].passes", nil, false},
	{"pass count of a body", "all", set("WGSB", "bodies[0].passCount", "2"), ruleBodyPrograms, "WGSB", "bodies[0].passCount", nil, false},
	{"unit unknown", "all", set("WGSB", "bodies[0].passes[0].unitKey", `"unit9"`), ruleBodyPrograms, "WGSB", "bodies[0].passes[0].unitKey", nil, false},

	// Section 16: what other readers accept.
	{"program of another stage", "tiny", func(e *edit) {
		vs := strings.Replace(stg, "stages[1]", "stages[0]", 1)
		for _, k := range []string{"bytes", "shaderSize", "stringTableOffset"} {
			a, b := e.get("RFLX", vs+".sourceProgram."+k), e.get("RFLX", stg+".sourceProgram."+k)
			e.put("RFLX", vs+".sourceProgram."+k, b)
			e.put("RFLX", stg+".sourceProgram."+k, a)
			if k != "bytes" {
				e.put("ANLS", "stages[0].shaderBytecode."+k, b)
				e.put("ANLS", "stages[1].shaderBytecode."+k, a)
			}
		}
	}, ruleProgramStage, "RFLX", stg + ".sourceProgram.bytes", nil, true},
	{"sampler filter", "tiny", set("RFLX", stg+".input.samplers[0].descriptor.minFilter", "9"), ruleSamplerRange, "RFLX", stg + ".input.samplers[0].descriptor.minFilter", nil, true},
	{"body set counts", "all", set("WGSB", "bodyCount", "9"), ruleBodySetCounts, "WGSB", "bodyCount", nil, true},
	{"unit digest", "all", set("WGSB", "passUnits[0].sha256", hash0), ruleUnitDigest, "WGSB", "passUnits[0].sha256", nil, true},
	{"unit unused", "all", func(e *edit) {
		e.dup("WGSB", "passUnits[0]")
		e.set("WGSB", "passUnits[1].key", `"unit1"`)
		e.set("WGSB", "passUnitCount", "2")
		e.set("INFO", "backendBodySet.passUnitCount", "2")
	}, ruleUnitUnused, "WGSB", "passUnits[1]", []ruleID{ruleUnitDigest}, true},
	{"unit of another pass", "all", set("WGSB", "bodies[0].passes[0].passKey", `"Main.pass1"`), ruleUnitPass, "WGSB", "bodies[0].passes[0].passKey", []ruleID{ruleUnitDigest}, true},
	{"unit text differs", "all", set("WGSB", "passUnits[0].shaders[0].code", `"@vertex fn main() {}"`), ruleUnitSelected, "WGSB", "passUnits[0].shaders[0].code", nil, true},
	{"unit layout broken", "all", set("WGSB", "passUnits[0].layouts[0].bindGroups[0].bindings[0].binding", "1"), ruleSlot, "WGSB", "passUnits[0].layouts[0].bindGroups[0].bindings[1].binding", nil, true},
}

func bothOptions(val string) func(*edit) {
	return both(set("META", "selectedOptions[0]", val), set("ANLS", "selectedOptions[0]", val))
}

func keepVertexBindings(e *edit) {
	b := e.get("WGSL", lay).([]any)
	e.put("WGSL", lay, b[:1])
}

// slotOf returns the path of the first binding whose value at key is want.
func slotOf(e *edit, key, want string) string {
	for i := range e.get("WGSL", lay).([]any) {
		path := fmt.Sprintf("%s[%d]", lay, i)
		var v any = e.get("WGSL", path)
		for _, k := range strings.Split(key, ".") {
			m, ok := v.(map[string]any)
			if !ok {
				v = nil
				break
			}
			v = m[k]
		}
		if v == want {
			return path
		}
	}
	require.Fail(e.t, "no binding", "%s = %s", key, want)
	return ""
}

func TestAltered(t *testing.T) {
	names := map[string]bool{}
	for _, a := range alterations {
		require.False(t, names[a.name], a.name)
		names[a.name] = true
		t.Run(a.name, func(t *testing.T) {
			e := newEdit(t, bases[a.base](t))
			a.edit(e)
			_, fs := Validate(e.bytes())
			want := diag.Error
			if a.warn {
				want = severityOf(a.rule)
				if want == diag.Error {
					want = diag.Warning // inside of a unit
				}
				assert.False(t, HasErrors(fs), findingsText(fs))
			}
			hit := false
			for _, f := range fs {
				if f.Rule == a.rule && f.Chunk == a.chunk && (f.Path == a.path || a.path == "*") {
					hit = true
					assert.Equal(t, want, f.Severity, f.String())
					assert.NotEmpty(t, f.Remedy)
				}
				if f.Severity == diag.Error && f.Rule != a.rule {
					assert.Contains(t, a.also, f.Rule, f.String())
				}
			}
			assert.True(t, hit, "no %s at %s %s in:\n%s", a.rule, a.chunk, a.path, findingsText(fs))
		})
	}
	assert.GreaterOrEqual(t, len(alterations), 150)
}

// Every rule of the validator refuses some altered package.
func TestEveryRuleIsTested(t *testing.T) {
	tested := map[ruleID]bool{
		// by TestContainer, TestAccepted, TestVerifySource and TestWrongKind
		ruleKind:   true,
		ruleHeader: true, ruleMagic: true, ruleContainerVersion: true, ruleTruncated: true, ruleTag: true, ruleDuplicateTag: true, ruleTrailing: true,
		ruleMore: true, ruleBug: true, ruleUnknownKey: true, ruleUnknownChunk: true, ruleChunkOrder: true, ruleNotEffect: true, ruleGeneration: true, ruleSource: true,
	}
	for _, a := range alterations {
		tested[a.rule] = true
	}
	for _, a := range codeAlterations {
		tested[a.rule] = true
	}
	for _, info := range diag.All() {
		if strings.HasPrefix(string(info.Code), "cewgpu.") && !strings.HasPrefix(string(info.Code), "cewgpu.build.") {
			assert.True(t, tested[info.Code], "no altered package for %s", info.Code)
		}
	}
}

// TestAccepted has the changes that readers of the format accept.
func TestAccepted(t *testing.T) {
	pretty := func(tag string) func(*edit) {
		return func(e *edit) {
			b, err := json.MarshalIndent(e.docs[tag], "", "  ")
			require.NoError(e.t, err)
			e.raw[tag], e.docs[tag] = b, nil
		}
	}
	for name, c := range map[string]struct {
		base string
		edit func(*edit)
		note ruleID
	}{
		"pretty META":                 {"tiny", pretty("META"), ""},
		"META with BOM":               {"tiny", func(e *edit) { e.raw["META"] = append([]byte("\uFEFF"), e.raw["META"]...); e.docs["META"] = nil }, ""},
		"chunk order":                 {"tiny", func(e *edit) { e.tags[0], e.tags[6] = e.tags[6], e.tags[0] }, ruleChunkOrder},
		"unknown chunk":               {"tiny", func(e *edit) { e.tags = append(e.tags, "XTRA"); e.raw["XTRA"] = []byte{1} }, ruleUnknownChunk},
		"2.0 for an integer":          {"tiny", set("INFO", "stageCount", "2.0"), ""},
		"2e0 for an integer":          {"tiny", set("INFO", "stageCount", "2e0"), ""},
		"extra keys":                  {"tiny", both(set("INFO", "x", "1"), set("META", "x", "1"), set("PGRF", "axes[0].x", "1"), set("ANLS", "stages[0].x", "1"), set("WGSL", "shaders[0].x", "1")), ruleUnknownKey},
		"keys in another case":        {"tiny", both(set("INFO", "Format", `"X"`), set("WGSL", "shaders[0].Code", `"X"`)), ruleUnknownKey},
		"later generation":            {"tiny", set("INFO", "backendPackage", `"@carbonenginejs/runtime-resource/formats/webgpu"`), ruleGeneration},
		"semantic version":            {"tiny", set("INFO", "backendPackageVersion", `"9.9.9-go.1+x"`), ""},
		"translator unreleased":       {"tiny", set("INFO", "translatorVersion", `"0.0.0"`), ""},
		"body keys":                   {"tiny", both(set("PGRF", "bodies[0].key", `"b"`), set("PGRF", "variants[0].bodyKey", `"b"`), set("PGRF", "variants[1].bodyKey", `"b"`), set("RFLX", "bodies[0].bodyKey", `"b"`)), ""},
		"empty source map":            {"tiny", set("WGSL", "shaders[0].sourceMap", "[]"), ""},
		"null group size":             {"tiny", set("WGSL", "shaders[0].threadGroupSize", "null"), ""},
		"bindings emptied":            {"tiny", set("ANLS", "stages[1].bindings", "[]"), ""},
		"constant buffer not dynamic": {"tiny", set("ANLS", bnd+"[0].dynamic", "false"), ""},
		"usage name":                  {"tiny", set("ANLS", "stages[0].pipelineInputs[0].usageName", `"X"`), ""},
		"bodies in another order": {"all", func(e *edit) {
			b := e.get("WGSB", "bodies").([]any)
			b[0], b[2] = b[2], b[0]
		}, ""},
		"transform names": {"transform", both(set("WGSL", "resourceTransforms[0].output.name", `"DetailArrayMap"`), set("WGSL", "resourceTransforms[0].inputs[1].parameter", `"X"`)), ""},
		"logical path":    {"tiny", set("INFO", "sourceIdentity.logicalPath", `"other"`), ""},
		"array texture of the source": {"tiny", both(set("WGSL", lay+"[2].type", `"texture_2d_array<f32>"`), set("WGSL", lay+"[2].texture.viewDimension", `"2d-array"`),
			func(e *edit) {
				code := e.get("WGSL", "shaders[1].code").(string)
				e.put("WGSL", "shaders[1].code", strings.Replace(code, "t0: texture_2d<f32>", "t0: texture_2d_array<f32>", 1))
			}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEdit(t, bases[c.base](t))
			c.edit(e)
			p, fs := Validate(e.bytes())
			found := false
			for _, f := range fs {
				if f.Rule != ruleUnitDigest { // re-encoding sorts the keys that it is over
					assert.Less(t, f.Severity, diag.Warning, f.String())
				}
				found = found || f.Rule == c.note
			}
			assert.True(t, c.note == "" || found, findingsText(fs))
			_, err := p.Info()
			require.NoError(t, err)
			info, _ := p.Info()
			assert.Equal(t, "CEWGPU", info.Format)
			assert.Equal(t, 2, info.StageCount)
			set, err := p.WGSL()
			require.NoError(t, err)
			assert.NotEqual(t, "X", set.Shaders[0].Code)
			_, err = p.PortableReflection(0)
			require.NoError(t, err)
		})
	}
}

func TestContainer(t *testing.T) {
	good := tinyReference(t)
	le := binary.LittleEndian
	for name, c := range map[string]struct {
		edit   func([]byte) []byte
		rule   ruleID
		offset int
	}{
		"empty":             {func([]byte) []byte { return nil }, ruleHeader, 0},
		"short header":      {func(b []byte) []byte { return b[:11] }, ruleHeader, 0},
		"magic":             {func(b []byte) []byte { b[0] = 'X'; return b }, ruleMagic, 0},
		"version 2":         {func(b []byte) []byte { b[4] = 2; return b }, ruleContainerVersion, 4},
		"too many chunks":   {func(b []byte) []byte { le.PutUint32(b[8:], 1<<31); return b }, ruleTruncated, 8},
		"one chunk more":    {func(b []byte) []byte { b[8]++; return b }, ruleTruncated, len(good)},
		"one chunk less":    {func(b []byte) []byte { b[8]--; return b }, ruleTrailing, 11121},
		"trailing byte":     {func(b []byte) []byte { return append(b, 0) }, ruleTrailing, len(good)},
		"truncated payload": {func(b []byte) []byte { return b[:len(b)-1] }, ruleTruncated, 11125},
		"huge size":         {func(b []byte) []byte { le.PutUint32(b[16:], 1<<32-1); return b }, ruleTruncated, 16},
		"tag":               {func(b []byte) []byte { b[12] = 0x1F; return b }, ruleTag, 12},
		"tag above ASCII":   {func(b []byte) []byte { b[15] = 0x7F; return b }, ruleTag, 12},
		"tag twice":         {func(b []byte) []byte { copy(b[1331:], "INFO"); return b }, ruleDuplicateTag, 1331},
	} {
		t.Run(name, func(t *testing.T) {
			_, fs := ParseContainer(c.edit(append([]byte{}, good...)))
			require.NotEmpty(t, fs)
			assert.Equal(t, c.rule, fs[0].Rule, fs[0].String())
			assert.Equal(t, c.offset, fs[0].Offset, fs[0].String())
			_, err := Open(c.edit(append([]byte{}, good...)))
			var ie *InvalidError
			require.ErrorAs(t, err, &ie)
		})
	}
	for name, chunks := range map[string][]Chunk{
		"short tag": {{Tag: "ABC"}}, "control tag": {{Tag: "AB\n "}}, "tag twice": {{Tag: "ABCD"}, {Tag: "ABCD"}},
	} {
		_, err := EncodeContainer(chunks)
		assert.ErrorIs(t, err, ErrContainer, name)
		assert.ErrorIs(t, WriteContainer(&strings.Builder{}, chunks), ErrContainer, name)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	e := newEdit(t, tinyReference(t))
	list := make([]any, 5000)
	for i := range list {
		list[i] = 1
	}
	e.put("ANLS", "passes", list)
	_, fs := Validate(e.bytes())
	assert.LessOrEqual(t, len(fs), maxFindings+1)
	assert.Equal(t, ruleMore, fs[len(fs)-1].Rule)
}

func TestMarkerRemoved(t *testing.T) {
	e := newEdit(t, tinyReference(t))
	e.del("INFO", "packageKind")
	p, fs := Validate(e.bytes())
	assert.False(t, HasErrors(fs))
	assert.Equal(t, Generic, p.Kind)
	assert.Equal(t, ruleNotEffect, fs[0].Rule)
	_, err := p.PortableReflection(0)
	assert.ErrorIs(t, err, ErrNotValid)

	e.docs["INFO"], e.raw["INFO"] = nil, []byte("[]")
	_, fs = Validate(e.bytes())
	assert.True(t, HasErrors(fs), "INFO of a generic package is an object")
}

// A package of the other kind than was asked for is a finding of its own.
func TestWrongKind(t *testing.T) {
	generic, err := EncodeContainer([]Chunk{{Tag: "WGSL", Data: []byte("fn f() {}")}})
	require.NoError(t, err)
	p, fs := Validate(generic)
	require.False(t, HasErrors(fs))
	f := p.WrongKind()
	assert.Equal(t, ruleKind, f.Rule)
	assert.Contains(t, f.Reason, "generic container")
	pkg, _, err := Build(context.Background(), plainInput(bundledEffect(t, "ui/sprite2d.sm_hi"), "x"))
	require.NoError(t, err)
	assert.Contains(t, requireValid(t, pkg).WrongKind().Reason, "effect package")
}
