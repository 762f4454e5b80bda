package cewgpu

import (
	"strings"

	"fxlens/core/diag"
)

const severityWarning = diag.Warning

// severities holds the rules whose findings don't refuse a package.
var severities = map[ruleID]diag.Severity{}

func severityOf(r ruleID) diag.Severity {
	if s, ok := severities[r]; ok {
		return s
	}
	return diag.Error
}

const (
	remedyRebuild = "build the package again from its effect; if another tool made it, show it this finding"
	remedyDamage  = "the file is damaged or cut off: compare its size and digest with the original, or build it again"
	remedyStrict  = "build with --profile extended, which carries it"
)

// rule registers a rule whose violation refuses the package.
func rule(code, title, text string) ruleID {
	return ruleWith(diag.Error, code, title, text, remedyRebuild)
}

// warn registers a rule that other readers don't check.
func warn(code, title, text string) ruleID {
	return ruleWith(diag.Warning, code, title, text, remedyRebuild)
}

func ruleWith(sev diag.Severity, code, title, text, remedy string) ruleID {
	id := diag.Register(diag.Info{Code: diag.Code("cewgpu." + code), Title: title, Rule: text, Remedy: remedy})
	if sev != diag.Error {
		severities[id] = sev
	}
	return id
}

// The container.
var (
	ruleHeader           = ruleWith(diag.Error, "header", "the file is shorter than a package header", "A package starts with 12 bytes: magic, container version, chunk count.", remedyDamage)
	ruleMagic            = ruleWith(diag.Error, "magic", "the file is not a CEWGPU package", "A package starts with the bytes CWGP.", "open the file as what it is: fxlens tells effects, DXBC and packages apart by content")
	ruleContainerVersion = ruleWith(diag.Error, "container-version", "unknown container version", "The container version is 1.", "use a version of fxlens that knows this container")
	ruleTruncated        = ruleWith(diag.Error, "truncated", "the file ends inside a chunk", "Every chunk header and payload lies inside the file.", remedyDamage)
	ruleTag              = ruleWith(diag.Error, "tag", "a chunk tag is not printable", "A tag is four bytes from 0x20 to 0x7E.", remedyDamage)
	ruleDuplicateTag     = ruleWith(diag.Error, "duplicate-tag", "two chunks have one tag", "A tag names one chunk of the file.", remedyDamage)
	ruleTrailing         = ruleWith(diag.Error, "trailing", "bytes after the last chunk", "The file ends with its last chunk.", remedyDamage)
	ruleBug              = ruleWith(diag.Error, "bug", "the validator failed", "The validator ends with findings for any bytes.", "report it, with the package if you can share it")
	ruleMore             = ruleWith(diag.Note, "more", "findings were left out", "One run lists a bounded number of findings.", "repair what is listed and check again")
)

// JSON documents.
var (
	ruleUTF8         = rule("utf8", "a document is not UTF-8", "Documents are valid UTF-8.")
	ruleJSON         = rule("json", "a document is not JSON", "INFO, META, PGRF, RFLX, ANLS, WGSL and WGSB of an effect package are JSON documents with an object as root.")
	ruleDuplicateKey = rule("duplicate-key", "a key occurs twice in an object", "Readers differ in which of two equal keys counts, so no document has any.")
	ruleMissingChunk = rule("missing-chunk", "a required chunk is absent", "An effect package has INFO, META, ANLS and WGSL; for effects of version 15 also PGRF, RFLX and RBLB.")
	ruleKind         = ruleWith(diag.Error, "kind", "the package is of another kind", "Without the marker in INFO a package is a generic container, of which no more is checked than the container itself.", "name a package of the kind, or verify without --kind")
	ruleUnknownKey   = ruleWith(diag.Note, "unknown-key", "a key that the format does not know", "Objects that are not closed may have more keys; readers ignore them.", "none")
	ruleUnknownChunk = ruleWith(diag.Note, "unknown-chunk", "a chunk that the format does not know", "Chunks with other tags are kept and ignored.", "none")
	ruleChunkOrder   = ruleWith(diag.Note, "chunk-order", "the chunks stand in another order than producers write", "Producers write INFO, META, PGRF, RFLX, RBLB, ANLS, WGSL, WGSB; readers take any order.", "none")
	ruleNotEffect    = ruleWith(diag.Note, "generic", "the package has no effect marker", "Without INFO.packageKind tr2-effect-webgpu (or the extended profile's) only the container is checked.", "if this should be an effect package, build it again: the marker may have been removed")
)

// INFO.
var (
	ruleInfoFormat   = rule("info.format", "INFO is not of the known format", "INFO.format is CEWGPU.")
	ruleInfoVersion  = rule("info.version", "unknown INFO version", "INFO.formatVersion is 1, 2 or 3.")
	ruleSourcePath   = rule("source-path", "the source label is missing or differs", "INFO.sourcePath, META.sourcePath, ANLS.source and RFLX.source.label are one trimmed text.")
	ruleOutputPath   = rule("info.output-path", "the output path is malformed", "INFO.outputPath is null or a text.")
	ruleIdentity     = rule("info.identity", "the source identity is malformed", "INFO.sourceIdentity has a logical path, game, client, build and md5 (text or null), the byte length and the SHA-256 of the source.")
	ruleBackend      = ruleWith(diag.Error, "info.backend", "not the producer that the profile demands", "INFO.targetBackend is webgpu and backendPackage @carbonenginejs/format-webgpu (or the name of the later generation): readers compare them literally.", remedyRebuild)
	ruleGeneration   = ruleWith(diag.Note, "info.generation", "the package is of the later generation of producers", "Two generations of readers each accept one backendPackage name.", "none")
	ruleTranslator   = rule("info.translator", "not the translator that the profile demands", "INFO.translator is dxbc-js-wgsl: readers compare it literally.")
	ruleSemver       = rule("info.semver", "not a semantic version", "backendPackageVersion and translatorVersion follow semantic versioning 2.0, without a leading v.")
	ruleTranslatorOf = ruleWith(diag.Note, "info.translator-version", "the translator's version is not one that is known", "Readers take any semantic version. The versions known are "+strings.Join(knownTranslators, " and ")+"; what another one writes may follow rules that are not checked.", "use a version of fxlens that knows the translator, or build the package again")
	ruleBodyMode     = rule("body-mode", "the body mode is unknown or differs", "INFO.bodyMode and META.bodyMode are both selected or both all; all needs INFO version 3.")
	ruleCompleteness = rule("info.completeness", "a completeness flag is wrong", "packageValid is true, sourceComplete is true for INFO version 3 alone, backendComplete and runtimeComplete are false.")
	ruleCoverage     = rule("info.coverage", "the body coverage is wrong", "INFO version 3 has sourceBodyCoverage all-unique, and backendBodyCoverage selected in mode selected, all-unique or partial in mode all. Earlier versions have neither.")
	ruleCount        = rule("info.count", "a count of INFO is wrong", "stageCount counts ANLS.stages; selectedStageCount and shaderCount count WGSL.shaders; layoutCount counts WGSL.layouts.")
	rulePointer      = rule("info.pointer", "a chunk pointer is malformed", "permutationGraph, effectReflection and backendBodySet are closed objects with constant chunk, format and version.")
	rulePresence     = rule("info.presence", "a pointer and its chunk don't come together", "A pointer needs its chunk and a chunk its pointer; RFLX and RBLB come together and need PGRF; WGSB belongs to mode all; INFO version 3 has PGRF and RFLX, version 1 neither.")
	ruleDigest       = rule("digest", "a digest does not match the chunk", "Digests are SHA-256 over the exact payload, in lower-case hex.")
	rulePointerCount = rule("info.pointer-count", "a count of a pointer is wrong", "The counts of a pointer are those of its document.")
)

// META and selections.
var (
	ruleEffectName   = rule("effect-name", "the effect name is missing or differs", "META.effectName, ANLS.effectName and that of every ANLS stage are one trimmed text.")
	ruleBodyIndex    = rule("body-index", "the selected permutation is wrong", "META.bodyIndex and ANLS.bodyIndex are one permutation index of the graph.")
	ruleOptions      = rule("options", "the selected options are malformed", "Every axis has one option entry with unique name; a default source means the default option; the default option means the default text.")
	ruleOptionsGraph = rule("options-graph", "the selected options disagree with the graph", "Options are those of permutation META.bodyIndex, one an axis, in axis order.")
	ruleOptionsAgree = rule("options-agree", "META and ANLS disagree on the options", "META.selectedOptions and ANLS.selectedOptions are equal.")
	ruleSelection    = rule("selection", "the modules are not those of the selection", "Without META.wgslSelection WGSL has a module for every stage of ANLS; with it, for every stage of the selected technique and pass.")
)

// PGRF.
var (
	ruleGraphFormat = rule("graph.format", "PGRF is not of the known format", "PGRF is a CJS_EFFECT_PERMUTATION_GRAPH of version 1 with complete permutations.")
	ruleAxes        = rule("graph.axes", "an axis is malformed", "At most 255 axes in order, with unique names, 1 to 255 unique options, and a default among them; they span at most 65,536 permutations.")
	ruleVariants    = rule("graph.variants", "a permutation is malformed", "There is one variant per combination of options, in order, each naming a body.")
	ruleTuple       = rule("graph.tuple", "the options of a permutation are wrong", "optionIndices is the mixed radix of the permutation index, the first axis fastest.")
	ruleRecord      = rule("graph.record", "a source range is wrong", "A source record lies inside the source and is as long as its body.")
	ruleAlias       = rule("graph.alias", "one source range has two bodies", "Equal ranges of the source are one body.")
	ruleOverlap     = rule("graph.overlap", "source ranges overlap", "Ranges of the source are equal or disjoint.")
	ruleGraphBody   = rule("graph.body", "a body record is malformed", "A body has a unique trimmed key, a length of at least 1 and a SHA-256.")
	ruleBodyDigest  = rule("graph.body-digest", "two bodies have one digest", "Equal bodies are one body.")
	ruleUnusedBody  = rule("graph.unused-body", "no permutation has this body", "Every body is used.")
)

// RFLX, RBLB and the portable reflection.
var (
	ruleReflectFormat = rule("reflection.format", "RFLX is not of the known format", "RFLX is a closed CJS_CEWGPU_EFFECT_REFLECTION document: version 2 in INFO version 3, version 1 in INFO version 2.")
	ruleReflectSource = rule("reflection.source", "the source of RFLX is wrong", "RFLX.source agrees with INFO: label, version 15, byte length, SHA-256; the native hash has 32 bytes.")
	ruleReflectBody   = rule("reflection.body", "a body of RFLX disagrees with PGRF", "RFLX lists the bodies of PGRF in its order, each with the first permutation that has it.")
	ruleBlobStore     = rule("reflection.blob-store", "the blob inventory is wrong", "Blobs are blob0, blob1, ... contiguous from 0, cover RBLB exactly, and have unique digests.")
	ruleBlobDigest    = rule("reflection.blob-digest", "a blob's digest is wrong", "A blob's SHA-256 is that of its bytes in RBLB.")
	ruleBlobRef       = rule("reflection.blob-reference", "a blob reference is wrong", "A reference equals its record of the inventory in all four fields.")
	ruleUnreferenced  = rule("reflection.unreferenced", "nothing refers to a blob", "Every blob is used.")
	rulePortable      = rule("portable.shape", "the reflection of a body is malformed", "Every object of the portable reflection is closed.")
	ruleKey           = rule("portable.key", "a key is not the one of its place", "Keys are technique<N>, technique<N>.pass<M>, technique<N>.pass<M>.stage<type> and technique<N>.library<K>.")
	ruleCountMismatch = rule("portable.count", "a count differs from its array", "Every count is the length of its array.")
	ruleAnnotation    = rule("portable.annotation", "an annotation is malformed", "An annotation has a name and a type from 0 to 3; type 3 has a text, the others 32 raw bits; parameter names are unique.")
	ruleRenderState   = rule("portable.render-state", "a render state is malformed or repeated", "Render states are pairs of 32-bit numbers, each state once in a pass.")
	ruleStageType     = rule("portable.stage", "a stage's type or name is wrong", "Stage types are 0 to 5, each once in a pass, and have one name each.")
	ruleProgram       = rule("portable.program", "a program record is wrong", "A program is as long as it says, and lies inside the string table.")
	ruleLibrary       = rule("portable.library", "a library is malformed", "Exports have a type from 0 to 4 and a name, each pair once.")
	ruleDefaults      = rule("portable.defaults", "the constant defaults are wrong", "Defaults are as long as they say and have at most 4096 bytes.")
	ruleConstant      = rule("portable.constant", "a constant is malformed", "Constants have unique names, types from 0 to 4, dimensions of at least 1, and end by byte 4096.")
	ruleResource      = rule("portable.resource", "a texture or UAV is malformed", "Textures and UAVs have unique registers and a name.")
	ruleSampler       = rule("portable.sampler", "a sampler is malformed", "Samplers have unique registers; a dynamic one has a name, another has null.")
	ruleRegister      = rule("portable.register", "a register of the signature is malformed", "Both counts of a register are equal; only samplers, resources and UAVs may be unbounded; no range passes 2^32.")
	ruleRangeOverlap  = rule("portable.range-overlap", "register ranges overlap", "Inside one class and space no two ranges share a register.")
	ruleMap           = rule("portable.map", "a named entry does not match the signature", "Every named texture and UAV is exactly one register of the signature with the same count; samplers match at most one.")
)

// ANLS.
var (
	ruleAnalysisFormat = rule("analysis.format", "ANLS is not of the known format", "ANLS is a CEWGPU_ANALYSIS document of version 1.")
	ruleEffectVersion  = rule("analysis.version", "the effect's version is wrong", "ANLS.effectVersion is 8 to 15, and 15 with INFO version 3, where the compiler version is not null.")
	rulePasses         = rule("analysis.pass", "a pass of ANLS is malformed", "Passes have a technique name, count from 0 in each technique, and have a handle and states; technique names are unique.")
	ruleStage          = rule("analysis.stage", "a stage of ANLS is malformed", "There is at least one stage, each with all of its keys.")
	ruleStageKind      = ruleWith(diag.Error, "analysis.stage-kind", "a stage kind that WebGPU does not have", "The selected body has vertex, pixel and compute stages alone.", "select a permutation whose body has no geometry, hull or domain stage, or build with --profile extended")
	ruleStageKey       = rule("analysis.stage-key", "a stage key is wrong", "A stage key is <technique>.pass<index>.<stage>, unique, and names a pass of ANLS.")
	ruleBytecode       = rule("analysis.bytecode", "the description of a program is wrong", "shaderBytecode has the stage's type and name, a size of at least 1 and an offset.")
	ruleInputs         = rule("analysis.inputs", "a pipeline input is malformed", "Pipeline inputs have six numbers and a usage name.")
	ruleThreadGroup    = rule("analysis.thread-group", "a thread group size is wrong", "x, y and z are numbers, at least 1 in compute stages.")
	ruleTransient      = rule("analysis.transient", "ANLS holds compiler data", "dxbc, dxbcError, ir and irError are null, and program bytes are absent.")
	ruleBinding        = ruleWith(diag.Error, "analysis.binding", "a binding of ANLS is malformed", "A binding has a kind, the symbol of its register, equal counts of at least 1, and is unique in its stage. An unbounded range (count 0) cannot be written.", "if the range is unbounded build with --profile extended; else build the package again")
	ruleTruth          = rule("analysis.binding-truth", "a binding disagrees with its source of truth", "A register of the signature has a type of its kind, a static sampler is one register of type 1, and a record of the map has no type, the stage's number as its space, and no other record of its register.")
	ruleCarbon         = ruleWith(diag.Error, "analysis.binding-payload", "the effect's record of a binding is malformed", "The payload has the keys of its kind; floats are finite.", "if a sampler's LOD bound is infinite build with --profile extended; else build the package again")
	ruleTopology       = rule("analysis.topology", "a pass mixes compute and render stages", "A pass has a compute stage alone, or render stages.")
	ruleJoin           = rule("analysis.join", "ANLS disagrees with the reflection", "ANLS describes the passes, states, stages, program sizes, group sizes and pipeline inputs that RFLX has for the selected body.")
)

// WGSL.
var (
	ruleSetFormat        = rule("wgsl.format", "WGSL is not of the known format", "WGSL is a CJS_WGSL_SET of version 2, or 3 with transforms, with modules and layouts.")
	ruleShader           = rule("wgsl.shader", "a module record is malformed", "A module has a unique key <technique>.pass<index>.<stage>, an entry point and a text.")
	ruleShaderKey        = rule("wgsl.shader-key", "a module is of no stage of ANLS", "Module keys are stage keys of ANLS.")
	ruleShaderStage      = rule("wgsl.stage", "a module's stage is wrong", "vertex, pixel and compute are stages vertex, fragment and compute with types 0, 1 and 2.")
	ruleSourceMap        = rule("wgsl.source-map", "a source map is malformed", "A source map is a list of lines from 1, instruction indices and offsets.")
	ruleGroupSize        = rule("wgsl.thread-group", "a module's group size is wrong", "Compute modules have the group size of ANLS, others none.")
	ruleLayout           = rule("wgsl.layout", "a layout is malformed", "A layout has a unique key <technique>.pass<index> and bind groups.")
	ruleLayoutSet        = rule("wgsl.layout-set", "layouts and modules are of different passes", "Every pass with a module has one layout, and the reverse.")
	ruleBindGroup        = rule("wgsl.bind-group", "bind groups are wrong", "Groups are unique and contiguous from 0.")
	ruleSlot             = rule("wgsl.slot", "a binding is malformed or its slot is taken", "A binding has all of its keys; its group is its owner's; group and binding are unique in the layout.")
	ruleBindingIdentity  = rule("wgsl.identity", "a binding's identity is wrong", "An identity is <resourceKind>:<space>:<register>.")
	ruleScope            = rule("wgsl.scope", "a binding's scope is wrong", "A binding of two stages has its identity as scope, one of a single stage identity@stage; scopes are unique, and an identity is shared or not in a whole pass.")
	ruleVisibility       = rule("wgsl.visibility", "a binding's visibility is wrong", "A binding is visible in distinct stages that the pass has modules for.")
	ruleSymbol           = rule("wgsl.symbol", "a symbol is missing or used twice", "A generated symbol is visible once in a stage.")
	ruleDescriptor       = rule("wgsl.descriptor", "a binding's descriptor is wrong", "Exactly one of buffer, texture and sampler, of the resource's kind, without dynamic offset.")
	ruleBufferSize       = rule("wgsl.buffer-size", "a buffer's size is wrong", "minBindingSize is a positive multiple of 16 for uniform buffers and a multiple of 4 for storage.")
	ruleTextureKind      = ruleWith(diag.Error, "wgsl.texture-kind", "a texture kind that the profile does not have", "The strict profile has texture_2d, 2d_array, cube and 3d of f32 with sample type float, no multisampling and no storage textures.", remedyStrict)
	ruleSamplerKind      = rule("wgsl.sampler-kind", "a sampler's type is wrong", "filtering and non-filtering samplers are WGSL sampler, comparison samplers sampler_comparison.")
	ruleTransformSet     = rule("wgsl.transforms", "transforms and the set's version don't agree", "A set of version 3 has transforms, one of version 2 has no such key.")
	ruleTransform        = rule("wgsl.transform", "a transform is of an unknown kind or malformed", "A transform has a unique id, version 1, kind texture-2d-array, stage fragment, representation native-or-rgba8, missing layers rejected, and the layout of a pass with a pixel module.")
	ruleTransformInput   = rule("wgsl.transform-input", "a transform's input is wrong", "At least two inputs with distinct parameters and identities, layers in order, scoped to the fragment stage.")
	ruleTransformOutput  = rule("wgsl.transform-output", "a transform's output is wrong", "The output has a name, the identity of input 0, the view dimension 2d-array and one layer an input.")
	ruleTransformBinding = rule("wgsl.transform-binding", "a transform and its binding don't agree", "Exactly one binding carries a transform, a texture_2d_array<f32> with its scope and layer count; later inputs have no binding; every transformId is declared.")
)

// WGSB.
var (
	ruleBodySetFormat = rule("bodies.format", "WGSB is not of the known format", "WGSB is a CJS_WGSL_BODY_SET of version 1.")
	ruleBodyCoverage  = rule("bodies.coverage", "the coverage of WGSB is wrong", "coverage.bodies is all-unique when every body is translated, else partial, and equals INFO.backendBodyCoverage.")
	ruleUnit          = rule("bodies.unit", "a unit is malformed", "A unit has a unique key, a digest, a set version of 2 or 3, modules and layouts.")
	ruleBodyPrograms  = rule("bodies.body", "a body of WGSB is malformed", "Every body of PGRF occurs once, translated with passes that name units, or unsupported with a reason; at least one is translated.")
)

// What other readers don't check.
var (
	ruleBodySetCounts = warn("bodies.counts", "a count inside WGSB is wrong", "bodyCount, translatedBodyCount and passUnitCount are the lengths of what they count.")
	ruleProgramStage  = warn("portable.program-stage", "a program is of another stage", "A DXBC program's version token names the stage that has it.")
	ruleSamplerRange  = ruleWith(diag.Note, "portable.sampler-range", "a sampler value that the engine does not know", "Filters go to 3, address modes to 5, comparison functions to 8.", "none")
	ruleUnitUnused    = warn("bodies.unit-unused", "no body uses a unit", "Every unit is used.")
	ruleUnitDigest    = warn("bodies.unit-digest", "a unit's digest is wrong", "A unit's SHA-256 is that of its WGSL set as a compact document.")
	ruleUnitPass      = warn("bodies.unit-pass", "a unit is of another pass", "A body's pass refers to a unit of that pass, each pass once.")
	ruleUnitSelected  = warn("bodies.unit-selected", "a unit of the selected body differs from WGSL", "The selected body's units have the modules of the WGSL chunk.")
	ruleDiagnostics   = rule("wgsl.diagnostics", "a diagnostic is malformed", "The extended profile lists the warnings and notes of the translation, each with pass, code, severity, place, message and remedy.")
	rulePremises      = rule("wgsl.premises", "a premise is malformed", "The extended profile lists with each module what it takes for granted of its caller: kind, subject, relation, value and message.")
	ruleUntranslated  = rule("wgsl.untranslated", "an untranslated pass is malformed", "The extended profile lists the passes of the selected body that have no modules, with a reason.")
)

// The source file.
var ruleSource = ruleWith(diag.Error, "source", "the package is not of this source file", "A package's digests, permutations, bodies and reflection are those of its source.", "give the effect file that the package was built from, or build the package again")
