package effect

import "strconv"

// name returns table[i], or kind(i) where the table has nothing.
func name[T ~uint8](table []string, v T, kind string) string {
	if int(v) < len(table) && table[v] != "" {
		return table[v]
	}
	return kind + "(" + strconv.Itoa(int(v)) + ")"
}

// known reports whether table names v.
func known[T ~uint8](table []string, v T) bool { return int(v) < len(table) && table[v] != "" }

// StageType is the kind of a shader stage, in the file's numbering.
type StageType uint8

// The stage types.
const (
	Vertex StageType = iota
	Pixel
	Compute
	Geometry
	Hull
	Domain
)

var (
	stageNames  = []string{"vertex", "pixel", "compute", "geometry", "hull", "domain"}
	stageShorts = []string{"vs", "ps", "cs", "gs", "hs", "ds"}
)

// String returns "vertex", "pixel", "compute", "geometry", "hull" or "domain".
func (t StageType) String() string { return name(stageNames, t, "stage") }

// Short returns the profile prefix: "vs", "ps", "cs", "gs", "hs" or "ds".
func (t StageType) Short() string { return name(stageShorts, t, "stage") }

// StageTypeOf returns the stage type that a word names, long or short.
func StageTypeOf(word string) (StageType, bool) {
	for i := range stageNames {
		if word == stageNames[i] || word == stageShorts[i] {
			return StageType(i), true
		}
	}
	return 0, false
}

// Usage is the semantic of a pipeline input.
type Usage uint8

// The usages.
const (
	UsagePosition Usage = iota
	UsageColor
	UsageNormal
	UsageTangent
	UsageBitangent
	UsageTexCoord
	UsageBlendIndices
	UsageBlendWeights
)

var (
	usageNames = []string{"POSITION", "COLOR", "NORMAL", "TANGENT", "BITANGENT", "TEXCOORD", "BLENDINDICES", "BLENDWEIGHTS"}
	semantics  = []string{"POSITION", "COLOR", "NORMAL", "TANGENT", "BINORMAL", "TEXCOORD", "BLENDINDICES", "BLENDWEIGHT"}
)

// String returns the engine's name, such as "BITANGENT".
func (u Usage) String() string { return name(usageNames, u, "USAGE") }

// Semantic returns the name that the program's signature uses, such as "BINORMAL".
func (u Usage) Semantic() string { return name(semantics, u, "USAGE") }

// InputType is the component type of a pipeline input. Writer and engine reader
// disagree on the number of "other": 4 and 3.
type InputType uint8

// The input types.
const (
	InputFloat InputType = iota
	InputInt
	InputUint
	InputOtherRead
	InputOther
)

var inputNames = []string{"float", "int", "uint", "other", "other"}

func (t InputType) String() string { return name(inputNames, t, "type") }

// RegisterType is the kind of a bound register, in the numbering of version 10 and
// later; that of version 9 is converted.
type RegisterType uint8

// The register types. Bit 5 marks shader resources, bit 6 unordered access views.
const (
	RegConstantBuffer      RegisterType = 0
	RegSampler             RegisterType = 1
	RegSRVBuffer           RegisterType = 32
	RegSRVStructuredBuffer RegisterType = 33
	RegSRVTexture1D        RegisterType = 34
	RegSRVTexture1DArray   RegisterType = 35
	RegSRVTexture2D        RegisterType = 36
	RegSRVTexture2DArray   RegisterType = 37
	RegSRVTexture2DMS      RegisterType = 38
	RegSRVTexture2DMSArray RegisterType = 39
	RegSRVTexture3D        RegisterType = 40
	RegSRVTextureCube      RegisterType = 41
	RegSRVTextureCubeArray RegisterType = 42
	RegUAVBuffer           RegisterType = 64
	RegUAVStructuredBuffer RegisterType = 65
	RegUAVTexture1D        RegisterType = 66
	RegUAVTexture1DArray   RegisterType = 67
	RegUAVTexture2D        RegisterType = 68
	RegUAVTexture2DArray   RegisterType = 69
	RegUAVTexture2DMS      RegisterType = 70
	RegUAVTexture2DMSArray RegisterType = 71
	RegUAVTexture3D        RegisterType = 72
	RegUAVTextureCube      RegisterType = 73
	RegUAVTextureCubeArray RegisterType = 74
)

var registerShapes = []string{"BUFFER", "STRUCTURED_BUFFER", "TEXTURE1D", "TEXTURE1DARRAY", "TEXTURE2D", "TEXTURE2DARRAY",
	"TEXTURE2DMS", "TEXTURE2DMSARRAY", "TEXTURE3D", "TEXTURECUBE", "TEXTURECUBEARRAY"}

// String returns the engine's name, such as "SRV_TEXTURE2D".
func (t RegisterType) String() string {
	switch shape := int(t & 31); {
	case t == RegConstantBuffer:
		return "CONSTANT_BUFFER"
	case t == RegSampler:
		return "SAMPLER"
	case t >= 32 && t < 64 && shape < len(registerShapes):
		return "SRV_" + registerShapes[shape]
	case t >= 64 && t < 96 && shape < len(registerShapes):
		return "UAV_" + registerShapes[shape]
	}
	return "REGISTER(" + strconv.Itoa(int(t)) + ")"
}

// Known reports whether the type is one that the format defines.
func (t RegisterType) Known() bool {
	return t <= RegSampler || t >= 32 && t < 96 && int(t&31) < len(registerShapes)
}

// Class returns the register class.
func (t RegisterType) Class() RegisterClass {
	switch {
	case t == RegConstantBuffer:
		return ClassConstantBuffer
	case t == RegSampler:
		return ClassSampler
	case t >= 32 && t < 64:
		return ClassResource
	case t >= 64 && t < 96:
		return ClassUAV
	}
	return ClassUnknown
}

// RegisterClass is the name space of a register number: b, s, t or u.
type RegisterClass uint8

// The register classes.
const (
	ClassUnknown RegisterClass = iota
	ClassConstantBuffer
	ClassSampler
	ClassResource
	ClassUAV
)

var (
	classNames   = []string{"unknown", "constant buffer", "sampler", "resource", "UAV"}
	classLetters = []string{"?", "b", "s", "t", "u"}
)

func (c RegisterClass) String() string { return name(classNames, c, "class") }

// Letter returns the letter of HLSL's register syntax: "b", "s", "t" or "u".
func (c RegisterClass) Letter() string { return name(classLetters, c, "class") }

// ConstantType is the component type of a constant, in the numbering of version 11
// and later; the older one is converted.
type ConstantType uint8

// The constant types.
const (
	ConstFloat ConstantType = iota
	ConstInt
	ConstUint
	ConstBool
	ConstOther
)

var constantNames = []string{"float", "int", "uint", "bool", "other"}

func (t ConstantType) String() string { return name(constantNames, t, "type") }

// ResourceType is the kind of a texture or UAV. Arrays, cube arrays and
// multisampled textures are all ResTextureTypeless.
type ResourceType uint8

// The resource types.
const (
	ResTexture1D               ResourceType = 1
	ResTexture2D               ResourceType = 2
	ResTexture3D               ResourceType = 3
	ResTextureCube             ResourceType = 4
	ResTextureTypeless         ResourceType = 5
	ResBuffer                  ResourceType = 6
	ResStructuredBuffer        ResourceType = 7
	ResTBuffer                 ResourceType = 8
	ResByteAddressBuffer       ResourceType = 9
	ResRWTyped                 ResourceType = 10
	ResRWStructured            ResourceType = 11
	ResRWByteAddress           ResourceType = 12
	ResAppendStructured        ResourceType = 13
	ResConsumeStructured       ResourceType = 14
	ResRWStructuredWithCounter ResourceType = 15
	ResAccelerationStructure   ResourceType = 16
)

var resourceNames = []string{"", "TEXTURE_1D", "TEXTURE_2D", "TEXTURE_3D", "TEXTURE_CUBE", "TEXTURE_TYPELESS", "BUFFER",
	"STRUCTURED_BUFFER", "TBUFFER", "BYTEADDRESS_BUFFER", "UAV_RWTYPED", "UAV_RWSTRUCTURED", "UAV_RWBYTEADDRESS",
	"UAV_APPEND_STRUCTURED", "UAV_CONSUME_STRUCTURED", "UAV_RWSTRUCTURED_WITH_COUNTER", "RAYTRACING_ACCELERATION_STRUCTURE"}

func (t ResourceType) String() string { return name(resourceNames, t, "RESOURCE") }

// Filter is a sampler's filter.
type Filter uint8

// The filters.
const (
	FilterNone Filter = iota
	FilterPoint
	FilterLinear
	FilterAnisotropic
)

var filterNames = []string{"none", "point", "linear", "anisotropic"}

func (f Filter) String() string { return name(filterNames, f, "filter") }

// AddressMode is a sampler's address mode.
type AddressMode uint8

// The address modes.
const (
	AddressWrap AddressMode = iota + 1
	AddressMirror
	AddressClamp
	AddressBorder
	AddressMirrorOnce
)

var addressNames = []string{"", "wrap", "mirror", "clamp", "border", "mirror-once"}

func (a AddressMode) String() string { return name(addressNames, a, "address") }

// CompareFunc is a comparison function of samplers and render states.
type CompareFunc uint8

// The comparison functions.
const (
	CompareNever CompareFunc = iota + 1
	CompareLess
	CompareEqual
	CompareLessEqual
	CompareGreater
	CompareNotEqual
	CompareGreaterEqual
	CompareAlways
)

var compareNames = []string{"", "never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"}

func (c CompareFunc) String() string { return name(compareNames, c, "compare") }

// BorderColor is a static sampler's border colour. Readers take any other number
// for transparent black.
type BorderColor uint8

// The border colours.
const (
	BorderTransparentBlack BorderColor = iota
	BorderOpaqueBlack
	BorderOpaqueWhite
)

var borderNames = []string{"transparent black", "opaque black", "opaque white"}

func (b BorderColor) String() string { return name(borderNames, b, "border") }

// AnnotationType is the type of an annotation's value.
type AnnotationType uint8

// The annotation types. Any other than string is read as four raw bytes.
const (
	AnnotationBool AnnotationType = iota
	AnnotationInt
	AnnotationFloat
	AnnotationString
)

var annotationNames = []string{"bool", "int", "float", "string"}

func (t AnnotationType) String() string { return name(annotationNames, t, "type") }

// ExportType is the kind of a library's entry point.
type ExportType uint8

// The export types.
const (
	ExportRayGeneration ExportType = iota
	ExportMiss
	ExportClosestHit
	ExportAnyHit
	ExportIntersection
)

var exportNames = []string{"ray generation", "miss", "closest hit", "any hit", "intersection"}

func (t ExportType) String() string { return name(exportNames, t, "export") }

var axisTypes = []string{"static", "dynamic"}

// AxisTypeName names an axis type: 0 static (chosen when compiling content), 1
// dynamic (may change while running).
func AxisTypeName(t uint8) string { return name(axisTypes, t, "axis type") }
