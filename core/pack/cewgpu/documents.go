package cewgpu

import "encoding/json"

// The documents of an effect package. Fields are in the order in which the
// format's writers put the keys; pointers are null or absent as their tags say.

// Info is the INFO chunk: what the package is, where it came from, and what the
// other chunks must be.
type Info struct {
	Format                string          `json:"format"`
	FormatVersion         int             `json:"formatVersion"` // 3 for effects of version 15, else 2
	PackageKind           string          `json:"packageKind"`
	SourcePath            string          `json:"sourcePath"`
	OutputPath            *string         `json:"outputPath"`
	SourceIdentity        SourceIdentity  `json:"sourceIdentity"`
	TargetBackend         string          `json:"targetBackend,omitempty"`
	BackendPackage        string          `json:"backendPackage,omitempty"`
	BackendPackageVersion string          `json:"backendPackageVersion,omitempty"`
	Translator            string          `json:"translator"`
	TranslatorVersion     string          `json:"translatorVersion,omitempty"`
	PermutationGraph      *GraphPointer   `json:"permutationGraph,omitempty"`
	EffectReflection      *ReflectPointer `json:"effectReflection,omitempty"`
	SourceBodyCoverage    string          `json:"sourceBodyCoverage,omitempty"`
	BackendBodyCoverage   string          `json:"backendBodyCoverage,omitempty"`
	BackendBodySet        *BodySetPointer `json:"backendBodySet,omitempty"`
	BodyMode              Mode            `json:"bodyMode"`
	Completeness          Completeness    `json:"completeness"`
	StageCount            int             `json:"stageCount"`         // stages of ANLS
	SelectedStageCount    int             `json:"selectedStageCount"` // shaders of WGSL
	ShaderCount           int             `json:"shaderCount"`
	LayoutCount           int             `json:"layoutCount"`
	Producer              *Producer       `json:"producer,omitempty"` // ours: extra keys are legal
}

// Producer is who really wrote the package; the other producer fields hold what
// the profile demands.
type Producer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Profile string `json:"profile,omitempty"`
	Order   string `json:"techniqueOrder,omitempty"` // of techniques in WGSL: see Order
}

// SourceIdentity says which effect file the package was made from.
type SourceIdentity struct {
	LogicalPath string  `json:"logicalPath"`
	Game        *string `json:"game"`
	Client      *string `json:"client"`
	Build       *string `json:"build"`
	ByteLength  int     `json:"byteLength"`
	MD5         *string `json:"md5"` // as the caller gave it
	SHA256      string  `json:"sha256,omitempty"`
}

// GraphPointer binds PGRF.
type GraphPointer struct {
	Chunk            string `json:"chunk"`
	Format           string `json:"format"`
	FormatVersion    int    `json:"formatVersion"`
	SHA256           string `json:"sha256,omitempty"` // absent in INFO version 2
	PermutationCount int    `json:"permutationCount"`
	UniqueBodyCount  int    `json:"uniqueBodyCount"`
}

// ReflectPointer binds RFLX and RBLB.
type ReflectPointer struct {
	Chunk              string `json:"chunk"`
	Format             string `json:"format"`
	FormatVersion      int    `json:"formatVersion"`
	BlobChunk          string `json:"blobChunk"`
	SHA256             string `json:"sha256,omitempty"`
	Coverage           string `json:"coverage,omitempty"`
	PermutationCount   int    `json:"permutationCount,omitempty"`
	BodyCount          int    `json:"bodyCount"`
	SourceProgramCount int    `json:"sourceProgramCount"`
	BlobCount          int    `json:"blobCount"`
	BlobByteLength     int    `json:"blobByteLength"`
}

// BodySetPointer binds WGSB.
type BodySetPointer struct {
	Chunk               string `json:"chunk"`
	Format              string `json:"format"`
	FormatVersion       int    `json:"formatVersion"`
	SHA256              string `json:"sha256"`
	BodyCount           int    `json:"bodyCount"`
	TranslatedBodyCount int    `json:"translatedBodyCount"`
	PassUnitCount       int    `json:"passUnitCount"`
}

// Completeness holds the claims that the format knows.
type Completeness struct {
	PackageValid    bool `json:"packageValid"`
	SourceComplete  bool `json:"sourceComplete"`
	BackendComplete bool `json:"backendComplete"`
	RuntimeComplete bool `json:"runtimeComplete"`
}

// Meta is the META chunk: what was selected.
type Meta struct {
	EffectName      string           `json:"effectName"`
	SourcePath      string           `json:"sourcePath"`
	BodyMode        Mode             `json:"bodyMode"`
	BodyIndex       int              `json:"bodyIndex"` // a permutation index
	SelectedOptions []SelectedOption `json:"selectedOptions"`
	WGSLSelection   *WGSLSelection   `json:"wgslSelection,omitempty"`
}

// SelectedOption is the option of one axis.
type SelectedOption struct {
	Name          string `json:"name"`
	Value         string `json:"value"`
	OptionIndex   int    `json:"optionIndex"`
	DefaultOption int    `json:"defaultOption"`
	DefaultValue  string `json:"defaultValue"`
	Source        string `json:"source"` // default, local or global
}

// WGSLSelection says which passes the WGSL chunk was restricted to.
type WGSLSelection struct {
	Mode                string   `json:"mode"`
	CompletePasses      bool     `json:"completePasses"`
	TechniqueName       string   `json:"techniqueName"`
	PassIndex           *int     `json:"passIndex"` // null: every pass of the technique
	RequestedStageNames []string `json:"requestedStageNames"`
	SelectedStageKeys   []string `json:"selectedStageKeys"`
}

// Graph is the PGRF chunk: every permutation and which body it has.
type Graph struct {
	Format        string        `json:"format"`
	FormatVersion int           `json:"formatVersion"`
	Coverage      GraphCoverage `json:"coverage"`
	Axes          []GraphAxis   `json:"axes"`
	Variants      []Variant     `json:"variants"`
	Bodies        []GraphBody   `json:"bodies"`
}

// GraphCoverage is constant.
type GraphCoverage struct {
	Permutations string `json:"permutations"`
	Bodies       string `json:"bodies"`
	Reflection   string `json:"reflection"`
}

// GraphAxis is one permutation axis; the first varies fastest.
type GraphAxis struct {
	Index         int      `json:"index"`
	Name          string   `json:"name"`
	Options       []string `json:"options"`
	DefaultOption int      `json:"defaultOption"`
	Description   string   `json:"description"`
	Type          int      `json:"type"`
}

// Variant is one permutation.
type Variant struct {
	PermutationIndex int          `json:"permutationIndex"`
	OptionIndices    []int        `json:"optionIndices"`
	BodyKey          string       `json:"bodyKey"`
	SourceRecord     SourceRecord `json:"sourceRecord"`
}

// SourceRecord is a range of the effect file.
type SourceRecord struct {
	Offset     int `json:"offset"`
	ByteLength int `json:"byteLength"`
}

// GraphBody is the identity of one unique body.
type GraphBody struct {
	Key        string `json:"key"`
	ByteLength int    `json:"byteLength"`
	SHA256     string `json:"sha256"`
}

// Analysis is the ANLS chunk: a compact description of the selected body.
type Analysis struct {
	Format          string           `json:"format"`
	FormatVersion   int              `json:"formatVersion"`
	Source          string           `json:"source"`
	EffectVersion   int              `json:"effectVersion"`
	CompilerVersion *uint32          `json:"compilerVersion"` // the header's dword; null before version 15
	EffectName      string           `json:"effectName"`
	BodyIndex       int              `json:"bodyIndex"`
	SelectedOptions []SelectedOption `json:"selectedOptions"`
	Passes          []AnalysisPass   `json:"passes"`
	Stages          []AnalysisStage  `json:"stages"`
}

// AnalysisPass is one pass of the selected body.
type AnalysisPass struct {
	TechniqueName string        `json:"techniqueName"`
	PassIndex     int           `json:"passIndex"`
	RenderStates  int           `json:"renderStates"` // an opaque handle
	States        []RenderState `json:"states"`
}

// RenderState is one render state in the Direct3D 9 numbering.
type RenderState struct {
	State uint32 `json:"state"`
	Value uint32 `json:"value"`
}

// AnalysisStage is one stage of the selected body.
type AnalysisStage struct {
	TechniqueName  string            `json:"techniqueName"`
	PassIndex      int               `json:"passIndex"`
	StageType      int               `json:"stageType"`
	StageName      string            `json:"stageName"`
	ShaderHandle   int               `json:"shaderHandle"` // an opaque handle
	ShaderBytecode ShaderBytecode    `json:"shaderBytecode"`
	PipelineInputs []NamedInput      `json:"pipelineInputs"`
	ThreadGroup    ThreadGroup       `json:"threadGroupSize"`
	Bindings       []AnalysisBinding `json:"bindings"`
	Key            string            `json:"key"`
	DXBC           json.RawMessage   `json:"dxbc"` // these four are null in a package
	DXBCError      json.RawMessage   `json:"dxbcError"`
	IR             json.RawMessage   `json:"ir"`
	IRError        json.RawMessage   `json:"irError"`
}

// ShaderBytecode describes a program without its bytes.
type ShaderBytecode struct {
	StageType         int    `json:"stageType"`
	StageName         string `json:"stageName"`
	ShaderSize        int    `json:"shaderSize"`
	StringTableOffset int    `json:"stringTableOffset"`
	EffectName        string `json:"effectName"`
}

// NamedInput is a pipeline input with the usage's name.
type NamedInput struct {
	Usage         uint8  `json:"usage"`
	UsageName     string `json:"usageName"`
	RegisterIndex uint8  `json:"registerIndex"`
	UsageIndex    uint8  `json:"usageIndex"`
	UsedMask      uint8  `json:"usedMask"`
	Type          uint8  `json:"type"`
	Dimension     uint8  `json:"dimension"`
}

// ThreadGroup is the compute group size; zero in other stages.
type ThreadGroup struct {
	X uint32 `json:"x"`
	Y uint32 `json:"y"`
	Z uint32 `json:"z"`
}

// AnalysisBinding is one register of a stage with what the effect says about it.
// Carbon is a *CarbonConstants, *CarbonSampler, *CarbonResource or nil when
// written, and whatever the document holds when read.
type AnalysisBinding struct {
	Kind            string            `json:"kind"`
	GeneratedSymbol string            `json:"generatedSymbol"`
	RegisterIndex   uint32            `json:"registerIndex"`
	RegisterType    *int              `json:"registerType"`
	RegisterSpace   int               `json:"registerSpace"`
	RegisterCount   uint32            `json:"registerCount"`
	ArrayCount      uint32            `json:"arrayCount"`
	Dynamic         bool              `json:"dynamic"`
	MetadataName    *string           `json:"metadataName"`
	Carbon          any               `json:"carbon"`
	Annotations     []ValueAnnotation `json:"annotations"`
	HeapView        bool              `json:"heapView"`
	SourceTruth     string            `json:"sourceTruth"`
}

// CarbonConstants is the payload of a constant buffer.
type CarbonConstants struct {
	HasLocalConstants bool       `json:"hasLocalConstants"`
	ConstantValueSize int        `json:"constantValueSize"`
	Constants         []Constant `json:"constants"`
}

// CarbonResource is the payload of a texture, buffer or UAV.
type CarbonResource struct {
	Name           *string `json:"name"`
	Type           uint8   `json:"type"`
	ArrayElements  uint32  `json:"arrayElements"`
	IsSRGB         bool    `json:"isSRGB"`
	IsAutoregister bool    `json:"isAutoregister"`
}

// CarbonSampler is the payload of a sampler.
type CarbonSampler struct {
	Name    *string        `json:"name"`
	Sampler SamplerNumbers `json:"sampler"`
}

// SamplerNumbers is a sampler descriptor with decoded floats; a float that is not
// finite is null, which strict readers refuse.
type SamplerNumbers struct {
	Comparison     bool     `json:"comparison"`
	MinFilter      uint8    `json:"minFilter"`
	MagFilter      uint8    `json:"magFilter"`
	MipFilter      uint8    `json:"mipFilter"`
	AddressU       uint8    `json:"addressU"`
	AddressV       uint8    `json:"addressV"`
	AddressW       uint8    `json:"addressW"`
	MipLODBias     *float64 `json:"mipLODBias"`
	MaxAnisotropy  uint8    `json:"maxAnisotropy"`
	ComparisonFunc uint8    `json:"comparisonFunc"`
	BorderColor    any      `json:"borderColor"` // uint8 (static samplers) or four floats
	MinLOD         *float64 `json:"minLOD"`
	MaxLOD         *float64 `json:"maxLOD"`
	IsDynamic      *bool    `json:"isDynamic,omitempty"` // absent for static samplers
}

// ValueAnnotation is an annotation with its value in every form.
type ValueAnnotation struct {
	Name        string   `json:"name"`
	Type        uint8    `json:"type"`
	BoolValue   bool     `json:"boolValue"`
	IntValue    int32    `json:"intValue"`
	FloatValue  *float64 `json:"floatValue"`
	StringValue string   `json:"stringValue"`
	RawValue    uint32   `json:"rawValue"`
}

// WGSLSet is the WGSL chunk: the modules and the binding layouts of the selected
// passes.
type WGSLSet struct {
	Format             string              `json:"format"`
	FormatVersion      int                 `json:"formatVersion"` // 3 with transforms, else 2
	Shaders            []Shader            `json:"shaders"`
	Layouts            []Layout            `json:"layouts"`
	ResourceTransforms []ResourceTransform `json:"resourceTransforms,omitempty"`
	Untranslated       []Untranslated      `json:"untranslated,omitempty"` // extended profile
	Diagnostics        []Diagnostic        `json:"diagnostics,omitempty"`  // extended profile
}

// Diagnostic is a warning or note of the translation: what was assumed or adapted.
type Diagnostic struct {
	Pass     string `json:"pass"` // key of the layout
	Code     string `json:"code"`
	Severity string `json:"severity"`
	At       string `json:"at"` // a link: "#Main/0/ps@42"
	Message  string `json:"message"`
	Remedy   string `json:"remedy"`
}

// Untranslated is a pass of the selected body that has no modules, and why.
type Untranslated struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// Shader is one WGSL module.
type Shader struct {
	Key             string    `json:"key"`
	TechniqueName   string    `json:"techniqueName"`
	PassIndex       int       `json:"passIndex"`
	StageName       string    `json:"stageName"` // the effect's word: vertex, pixel, compute
	Stage           string    `json:"stage"`     // WebGPU's word: vertex, fragment, compute
	StageType       int       `json:"stageType"`
	EntryPoint      string    `json:"entryPoint"`
	Code            string    `json:"code"`
	SourceMap       []MapLine `json:"sourceMap"`
	ThreadGroupSize []uint32  `json:"threadGroupSize,omitempty"` // compute only: x, y, z
	Requires        *Requires `json:"requires,omitempty"`        // extended profile
	Premises        []Premise `json:"premises,omitempty"`        // extended profile
}

// Premise is one thing that a module takes for granted of its caller: subject,
// relation and value ("groups.x", "==", "1"), and the instruction that it follows
// from. Guards keep memory safe without it.
type Premise struct {
	Kind             string `json:"kind"` // dispatch, order, contents, counter, size, indirect, constant, vertex-base
	Subject          string `json:"subject"`
	Relation         string `json:"relation"`
	Value            string `json:"value"`
	Number           *int64 `json:"number,omitempty"`           // value where it is a constant
	Register         string `json:"register,omitempty"`         // u0, cb3
	RegisterSpace    uint32 `json:"registerSpace,omitempty"`    // of it
	Name             string `json:"name,omitempty"`             // of the resource or constant
	PassKey          string `json:"pass,omitempty"`             // order: the pass that comes first
	InstructionIndex *int   `json:"instructionIndex,omitempty"` // as deep links count: declarations too
	Message          string `json:"message"`
}

// Requires lists what a module needs beyond WebGPU's defaults.
type Requires struct {
	Features         []string       `json:"features,omitempty"`
	LanguageFeatures []string       `json:"languageFeatures,omitempty"`
	Limits           map[string]int `json:"limits,omitempty"`
}

// MapLine ties a line of the module to an instruction of the program.
type MapLine struct {
	Line             int `json:"line"`             // from 1
	InstructionIndex int `json:"instructionIndex"` // from 0; declarations are not counted
	DXBCOffset       int `json:"dxbcOffset"`       // dword in the SHDR or SHEX payload
}

// Layout is the binding layout of one pass.
type Layout struct {
	Key           string      `json:"key"`
	TechniqueName string      `json:"techniqueName"`
	PassIndex     int         `json:"passIndex"`
	BindGroups    []BindGroup `json:"bindGroups"`
}

// BindGroup is one bind group of a layout.
type BindGroup struct {
	Group    int       `json:"group"`
	Bindings []Binding `json:"bindings"`
}

// Binding is one slot.
type Binding struct {
	Identity        string          `json:"identity"`
	ScopeIdentity   string          `json:"scopeIdentity"`
	ResourceKind    string          `json:"resourceKind"`
	GeneratedSymbol string          `json:"generatedSymbol"`
	RegisterSpace   uint32          `json:"registerSpace"`
	RegisterIndex   uint32          `json:"registerIndex"`
	Group           int             `json:"group"`
	Binding         int             `json:"binding"`
	Visibility      []string        `json:"visibility"`
	Type            string          `json:"type"`
	TransformID     string          `json:"transformId,omitempty"`
	ArrayLayerCount int             `json:"arrayLayerCount,omitempty"`
	StructureStride int             `json:"structureStride,omitempty"` // bytes
	Buffer          *BufferLayout   `json:"buffer,omitempty"`
	Texture         *TextureLayout  `json:"texture,omitempty"`
	Sampler         *SamplerLayout  `json:"sampler,omitempty"`
	StorageTexture  *StorageTexture `json:"storageTexture,omitempty"` // extended profile
	Format          string          `json:"format,omitempty"`         // extended profile: the bound view's format
	FormatFrom      string          `json:"formatFrom,omitempty"`     // extended profile: who said so
	Name            string          `json:"name,omitempty"`           // extended profile: the effect's name
}

// BufferLayout is a GPUBufferBindingLayout.
type BufferLayout struct {
	Type             string `json:"type"`
	HasDynamicOffset bool   `json:"hasDynamicOffset"`
	MinBindingSize   int    `json:"minBindingSize"` // bytes
}

// TextureLayout is a GPUTextureBindingLayout.
type TextureLayout struct {
	SampleType    string `json:"sampleType"`
	ViewDimension string `json:"viewDimension"`
	Multisampled  bool   `json:"multisampled"`
}

// SamplerLayout is a GPUSamplerBindingLayout.
type SamplerLayout struct {
	Type string `json:"type"`
}

// StorageTexture is a GPUStorageTextureBindingLayout.
type StorageTexture struct {
	Access        string `json:"access"`
	Format        string `json:"format"`
	ViewDimension string `json:"viewDimension"`
}

// ResourceTransform says how several source textures became one array texture.
type ResourceTransform struct {
	ID             string           `json:"id"`
	Version        int              `json:"version"`
	Kind           string           `json:"kind"`
	LayoutKey      string           `json:"layoutKey"`
	Stage          string           `json:"stage"`
	Inputs         []TransformInput `json:"inputs"`
	Output         TransformOutput  `json:"output"`
	Representation string           `json:"representation"`
	MissingLayer   string           `json:"missingLayer"`
}

// TransformInput is one source texture of a transform.
type TransformInput struct {
	Parameter     string `json:"parameter"`
	Layer         int    `json:"layer"`
	Identity      string `json:"identity"`
	ScopeIdentity string `json:"scopeIdentity"`
}

// TransformOutput is the array texture of a transform.
type TransformOutput struct {
	Name          string `json:"name"`
	Identity      string `json:"identity"`
	ScopeIdentity string `json:"scopeIdentity"`
	ViewDimension string `json:"viewDimension"`
	LayerCount    int    `json:"layerCount"`
}

// BodySet is the WGSB chunk: the modules of every unique body.
type BodySet struct {
	Format              string          `json:"format"`
	FormatVersion       int             `json:"formatVersion"`
	Coverage            BodySetCoverage `json:"coverage"`
	BodyCount           int             `json:"bodyCount"`
	TranslatedBodyCount int             `json:"translatedBodyCount"`
	PassUnitCount       int             `json:"passUnitCount"`
	PassUnits           []PassUnit      `json:"passUnits"`
	Bodies              []BodyPrograms  `json:"bodies"`
}

// BodySetCoverage says how much of the effect is translated.
type BodySetCoverage struct {
	Bodies   string `json:"bodies"` // all-unique or partial
	Programs string `json:"programs"`
}

// PassUnit is the translation of one pass, shared by every body whose pass has the
// same programs and bindings. Render states are not part of it: take them from the
// reflection of the body.
type PassUnit struct {
	Key                string              `json:"key"`
	SHA256             string              `json:"sha256"` // of the unit's WGSL set as a document
	WGSLSetVersion     int                 `json:"wgslSetVersion"`
	Shaders            []Shader            `json:"shaders"`
	Layouts            []Layout            `json:"layouts"`
	ResourceTransforms []ResourceTransform `json:"resourceTransforms,omitempty"`
	Diagnostics        []Diagnostic        `json:"diagnostics,omitempty"` // extended profile
}

// BodyPrograms says which units a body has, or why it has none.
type BodyPrograms struct {
	BodyKey                        string     `json:"bodyKey"`
	RepresentativePermutationIndex int        `json:"representativePermutationIndex"`
	Status                         string     `json:"status"` // translated or unsupported
	Error                          *string    `json:"error"`
	PassCount                      int        `json:"passCount"`
	Passes                         []BodyPass `json:"passes"`
}

// BodyPass refers a pass of a body to its unit.
type BodyPass struct {
	PassKey string `json:"passKey"`
	UnitKey string `json:"unitKey"`
}

// Mode says which bodies a package has modules for.
type Mode string

// The modes.
const (
	Selected Mode = "selected" // the selected permutation's body
	All      Mode = "all"      // every unique body
)
