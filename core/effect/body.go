package effect

import "math"

// Bits is an IEEE-754 single kept as its raw bits, so that NaN payloads and signed
// zeros survive.
type Bits uint32

// Float returns the value.
func (b Bits) Float() float32 { return math.Float32frombits(uint32(b)) }

// FloatBits returns the bits of f.
func FloatBits(f float32) Bits { return Bits(math.Float32bits(f)) }

// Body is what one permutation, or several that share it, consists of.
type Body struct {
	Techniques []Technique      // source order
	Groups     []ParameterGroup // by name, each once
}

// Technique is a named list of passes; since version 14 also of ray tracing libraries.
type Technique struct {
	Name      string
	Passes    []Pass
	Libraries []Library

	nameOff uint32
}

// Pass is a set of stages and the render states that go with them.
type Pass struct {
	Stages []Stage       // file order: the order of assignment in the source
	States []RenderState // each state once
}

// Stage returns the pass's stage of a type, or nil.
func (p *Pass) Stage(t StageType) *Stage {
	for i := range p.Stages {
		if p.Stages[i].Type == t {
			return &p.Stages[i]
		}
	}
	return nil
}

// RenderState is one state in the Direct3D 9 numbering; see StateName and StateValueName.
type RenderState struct{ State, Value uint32 }

// Stage is one shader of a pass with its bindings. The fields of StageData and
// Registers that the format nests are promoted.
type Stage struct {
	Type          StageType
	Program       []byte // part of the string table; must not be changed
	ProgramOffset uint32 // string table offset of Program; NoData beside an empty one in some files
	ThreadGroup   [3]uint32
	Inputs        []PipelineInput
	Bindings
	StageData

	shadow [2]uint32 // size and offset of the second program of versions 8 to 11, which readers skip
}

// Bindings is the signature's list of bound registers.
type Bindings struct {
	Registers      []Register      // reflection order
	StaticSamplers []StaticSampler // Direct3D 12 only
}

// StageData is what the engine sets by name.
type StageData struct {
	Constants   []Constant // of constant buffer 0
	Defaults    []byte     // initial bytes of constant buffer 0 from offset 0; the rest is zero
	Textures    []Texture  // each register once
	Samplers    []Sampler  // each register once
	UAVs        []UAV      // each register once
	Annotations []Annotation

	// DefaultsOffset is the string table offset of Defaults. Beside a size of zero
	// it is NoData in stages and indeterminate in libraries, whose writer never
	// sets it; Build and Encode write that one as it is here.
	DefaultsOffset uint32
}

// PipelineInput is one element of the program's input signature that is not a
// system value.
type PipelineInput struct {
	Usage     Usage
	Register  uint8
	Index     uint8     // semantic index
	Mask      uint8     // components the program reads: bit 0 x ... bit 3 w
	Type      InputType // before version 11: uint for BLENDINDICES, else float
	Dimension uint8     // highest component of the signature's mask + 1; 4 before version 11
}

// Register is one register, or a range of them, that the program binds.
type Register struct {
	Type  RegisterType
	Index uint32
	Count uint32 // 0 for an unbounded array; 1 before version 13
	Space uint8  // the stage's number before version 13
}

// SamplerState is the part that samplers and static samplers share.
type SamplerState struct {
	Comparison     bool
	MinFilter      Filter
	MagFilter      Filter
	MipFilter      Filter
	AddressU       AddressMode
	AddressV       AddressMode
	AddressW       AddressMode
	MipLODBias     Bits
	MaxAnisotropy  uint8
	ComparisonFunc CompareFunc

	rawComparison uint8
}

// DefaultSamplerState is what the engine's compiler writes where the source says nothing.
var DefaultSamplerState = SamplerState{
	MinFilter: FilterLinear, MagFilter: FilterLinear, MipFilter: FilterLinear,
	AddressU: AddressClamp, AddressV: AddressClamp, AddressW: AddressClamp,
	MaxAnisotropy: 16, ComparisonFunc: CompareNever,
}

// The level-of-detail bounds that mean "no bound": the lowest and the highest float.
const (
	LowestLOD  Bits = 0xFF7FFFFF
	HighestLOD Bits = 0x7F7FFFFF
)

// StaticSampler is a sampler that is part of the root signature (Direct3D 12).
type StaticSampler struct {
	Index uint32
	Space uint8
	SamplerState
	BorderColor BorderColor
	MinLOD      Bits
	MaxLOD      Bits
}

// Constant is one variable of constant buffer 0 that the program uses.
type Constant struct {
	Name           string
	Offset         uint32 // bytes into constant buffer 0
	Size           uint32 // bytes, without padding after the last element
	Type           ConstantType
	Dimension      uint8  // 1 scalar or struct, 16 any matrix, else size/4 modulo 256
	Elements       uint32 // 0 when not an array
	IsSRGB         bool   // unreliable beyond the first use: prefer the annotation
	IsAutoregister bool   // unreliable beyond the first use: prefer the annotation

	nameOff         uint32
	rawSRGB, rawAut uint8
}

// Texture is one shader resource that the engine sets by name.
type Texture struct {
	Register       uint8 // low 8 bits of the real one
	Name           string
	Type           ResourceType
	Elements       uint32 // 0 for an unbounded array; 1 before version 13
	IsSRGB         bool
	IsAutoregister bool

	nameOff         uint32
	rawSRGB, rawAut uint8
}

// Sampler is one sampler that the engine sets. Registers from 100 are bindless handles.
type Sampler struct {
	Register uint8
	Name     string // always stored; readers drop it unless IsDynamic
	SamplerState
	BorderColor [4]Bits // r, g, b, a
	MinLOD      Bits
	MaxLOD      Bits
	IsDynamic   bool // true before version 13

	nameOff uint32
	rawDyn  uint8
}

// UAV is one unordered access view that the engine sets by name.
type UAV struct {
	Register       uint8
	Name           string
	Type           ResourceType
	Elements       uint32 // 0 for an unbounded array; 1 before version 13
	IsAutoregister bool

	nameOff uint32
	rawAut  uint8
}

// ParameterGroup holds the annotations of one parameter of the effect.
type ParameterGroup struct {
	Name        string
	Annotations []Annotation

	nameOff uint32
}

// Annotation is one named value for the engine or for tools.
type Annotation struct {
	Name string
	Type AnnotationType
	Raw  uint32 // the value's four bytes unless Type is string
	Text string // the value if Type is string

	nameOff, textOff uint32
}

// Bool returns the value as a boolean: any bit set is true.
func (a *Annotation) Bool() bool { return a.Raw != 0 }

// Int returns the value in two's complement.
func (a *Annotation) Int() int32 { return int32(a.Raw) }

// Float returns the value as a single.
func (a *Annotation) Float() float32 { return math.Float32frombits(a.Raw) }

// Library is a ray tracing library (version 14 and later).
type Library struct {
	PayloadSize   uint32
	Program       []byte // part of the string table; must not be changed
	ProgramOffset uint32
	Exports       []Export
	HitGroupName  string // empty when unset
	Global, Local LibraryInput

	hitOff uint32
}

// LibraryInput is one of the two root signatures of a library.
type LibraryInput struct {
	Bindings
	StageData
}

// Export is one entry point of a library. If a type repeats, readers keep the last.
type Export struct {
	Type ExportType
	Name string

	nameOff uint32
}
