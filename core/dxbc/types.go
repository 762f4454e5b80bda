package dxbc

// ProgramKind is the stage kind of a program, as its version token numbers it.
type ProgramKind uint8

// The program kinds (version token bits 16 to 31).
const (
	Pixel ProgramKind = iota
	Vertex
	Geometry
	Hull
	Domain
	Compute
)

// Dim is a resource dimension in the numbering of instruction tokens
// (dxbc.md section 5), which is not that of RDEF.
type Dim uint8

// The resource dimensions.
const (
	DimUnknown Dim = iota
	DimBuffer
	DimTexture1D
	DimTexture2D
	DimTexture2DMS
	DimTexture3D
	DimTextureCube
	DimTexture1DArray
	DimTexture2DArray
	DimTexture2DMSArray
	DimTextureCubeArray
	DimRawBuffer
	DimStructuredBuffer
)

// ReturnType is the declared type of one component that a resource returns.
type ReturnType uint8

// The return types.
const (
	RetNone ReturnType = iota
	RetUnorm
	RetSnorm
	RetSint
	RetUint
	RetFloat
	RetMixed
	RetDouble
	RetContinued
	RetUnused
)

// RegType is the register type of an operand (dxbc.md section 3.2).
type RegType uint8

// The register types, in the order of their numbers.
const (
	RegTemp RegType = iota
	RegInput
	RegOutput
	RegIndexableTemp
	RegImmediate32
	RegImmediate64
	RegSampler
	RegResource
	RegConstantBuffer
	RegImmediateConstantBuffer
	RegLabel
	RegPrimitiveID
	RegOutputDepth
	RegNull
	RegRasterizer
	RegOutputCoverageMask
	RegStream
	RegFunctionBody
	RegFunctionTable
	RegInterface
	RegFunctionInput
	RegFunctionOutput
	RegOutputControlPointID
	RegForkInstanceID
	RegJoinInstanceID
	RegInputControlPoint
	RegOutputControlPoint
	RegPatchConstant
	RegDomainPoint
	RegThis
	RegUAV
	RegGroupShared
	RegThreadID
	RegThreadGroupID
	RegThreadIDInGroup
	RegInputCoverage
	RegThreadIDInGroupFlattened
	RegGSInstanceID
	RegOutputDepthGE
	RegOutputDepthLE
	RegCycleCounter
	RegOutputStencilRef
	RegInnerCoverage

	numRegTypes = 43
)

// Modifier is a source operand modifier; absolute value comes before negation.
type Modifier uint8

// The source modifiers.
const (
	ModNone   Modifier = 0
	ModNeg    Modifier = 1
	ModAbs    Modifier = 2
	ModNegAbs Modifier = 3
)

// MinPrecision is the minimum precision of an operand or signature element.
type MinPrecision uint8

// The minimum precisions.
const (
	MinDefault MinPrecision = 0
	Min16F     MinPrecision = 1
	Min2_8F    MinPrecision = 2
	Min16I     MinPrecision = 4
	Min16U     MinPrecision = 5
)

// CompMode says how an operand selects components.
type CompMode uint8

// The component selection modes. CompNone and CompOne come from the component
// count, the others from the selection mode of a four-component operand.
const (
	CompNone    CompMode = iota // no components (null, samplers, labels)
	CompOne                     // a one-component register
	CompMask                    // four components, write mask
	CompSwizzle                 // four components, swizzle
	CompSelect                  // four components, one selected
)

// Index is one index of an operand: an immediate, plus a register when Rel is not nil.
type Index struct {
	Rel *Operand // select-one r# or x#[#]; nil for an immediate index
	Imm uint32
	Rep uint8 // representation as encoded: 0 immediate, 2 relative, 3 immediate plus relative
}

// Operand is one decoded operand. A program is mostly operands, so what few of
// them have (a relative index) stands out of line.
type Operand struct {
	// Imm holds the words of an immediate. RegImmediate32: one word (CompOne) or
	// four; RegImmediate64: one double in words 0,1 (CompOne) or two, low word
	// first. Operands of other registers keep the plain numbers of their indices
	// here: read them with [Operand.Index].
	Imm        [4]uint32
	indices    *[3]Index // where one of them is more than a number, or the register an immediate
	Offset     uint32    // dword offset of the operand token in the program
	Swizzle    [4]uint8  // CompSwizzle: component 0..3 for each slot; CompSelect: the component in all four
	Reg        RegType
	Mode       CompMode
	Mask       uint8 // CompMask: bit 0 is x
	NumIndex   uint8
	Mod        Modifier
	Min        MinPrecision
	NonUniform bool
	Extended   bool // an extended operand token was present
}

// Index returns index i, of NumIndex; beyond them it is zero.
func (o *Operand) Index(i int) Index {
	switch {
	case uint(i) >= uint(o.NumIndex) || i > 2:
		return Index{}
	case o.indices != nil:
		return o.indices[i]
	}
	return Index{Imm: o.Imm[i]}
}

// LastIndex returns the last index, which counts registers or rows of the file.
func (o *Operand) LastIndex() Index { return o.Index(int(o.NumIndex) - 1) }

// SetIndex changes index i, 0 to 2; NumIndex grows to hold it. Copies of the
// operand keep theirs. Reg must have been set.
func (o *Operand) SetIndex(i int, x Index) {
	all := [3]Index{o.Index(0), o.Index(1), o.Index(2)}
	all[i] = x
	o.NumIndex = max(o.NumIndex, uint8(i)+1)
	plain := o.Reg != RegImmediate32 && o.Reg != RegImmediate64
	for _, x := range all {
		plain = plain && x.Rel == nil && x.Rep == 0
	}
	switch {
	case plain:
		o.indices, o.Imm = nil, [4]uint32{all[0].Imm, all[1].Imm, all[2].Imm}
	case o.Reg != RegImmediate32 && o.Reg != RegImmediate64:
		o.Imm = [4]uint32{}
		fallthrough
	default:
		o.indices = &all
	}
}

// Interpolation is an interpolation mode of dcl_input_ps.
type Interpolation uint8

// The interpolation modes.
const (
	InterpUndefined Interpolation = iota
	InterpConstant
	InterpLinear
	InterpLinearCentroid
	InterpLinearNoPerspective
	InterpLinearNoPerspectiveCentroid
	InterpLinearSample
	InterpLinearNoPerspectiveSample
)

// Flags of dcl_globalFlags, bit 11 of the token first.
const (
	GlobalRefactoringAllowed uint32 = 1 << iota
	GlobalDoublePrecision
	GlobalForceEarlyDepthStencil
	GlobalRawAndStructuredBuffers
	GlobalSkipOptimization
	GlobalMinimumPrecision
	Global11_1DoubleExtensions
	Global11_1ShaderExtensions
	GlobalAllResourcesBound
)

// Flags of sync, bit 11 of the token first.
const (
	SyncThreads   uint8 = 1 << iota // _t: barrier over the thread group
	SyncTGSM                        // _g: fence of groupshared memory
	SyncUAVGroup                    // _ugroup
	SyncUAVGlobal                   // _uglobal
)

// Decl holds what a declaration says beside its operand. Fields that the opcode
// does not have are zero.
type Decl struct {
	Dim         Dim           // dcl_resource_DIM, dcl_uav_typed_DIM
	Samples     uint8         // dcl_resource_texture2dms: declared sample count, 0 unknown
	Return      [4]ReturnType // dcl_resource_DIM, dcl_uav_typed_DIM
	Stride      uint32        // structured buffers and groupshared: bytes
	Size        uint32        // dcl_constantbuffer: rows, 0 unknown; dcl_tgsm_raw: bytes; dcl_tgsm_structured: elements
	Space       uint32        // SM5.1 register space
	Dynamic     bool          // dcl_constantbuffer: dynamicIndexed; dcl_interface: dynamically indexed
	SamplerMode uint8         // 0 default, 1 comparison, 2 mono
	Coherent    bool          // UAV: globally coherent (_glc)
	Ordered     bool          // UAV: rasterizer ordered (_rov)
	Counter     bool          // dcl_uav_structured: has a counter (_opc)
	Interp      Interpolation // dcl_input_ps*
	SysName     uint32        // _siv/_sgv: system name in the numbering of tokens
	Flags       uint32        // dcl_globalFlags: Global*
	// Words holds the plain numbers of the remaining declarations: temp count;
	// indexable temp (register, elements, components); index range count; thread
	// group x, y, z; control point counts; topology, primitive, domain,
	// partitioning; function body, table and interface IDs; max tess factor bits.
	Words []uint32
}

// Range returns the SM5.1 range of a resource declaration: its ID and its first
// and last register (0xFFFFFFFF: unbounded). For 5.0 all three are the register.
func (in *Instr) Range() (id, lower, upper uint32) {
	o := &in.Operands[0]
	if o.NumIndex >= 3 {
		return o.Index(0).Imm, o.Index(1).Imm, o.Index(2).Imm
	}
	r := o.Index(0).Imm
	return r, r, r
}

// CustomClass is the class of a customdata block.
type CustomClass uint32

// The customdata classes.
const (
	CustomComment CustomClass = iota
	CustomDebugInfo
	CustomOpaque
	CustomICB
	CustomMessage
	CustomClipPlane
)

// Custom is a customdata block.
type Custom struct {
	Class CustomClass
	Words []uint32 // the payload, without the two header words
}

// Instr is one decoded instruction or declaration.
type Instr struct {
	Operands []Operand // destinations first, then sources; declarations: the declared operand
	Decl     *Decl
	Custom   *Custom

	Offset    uint32 // dword offset in the program (0 is the version token)
	Length    uint32 // length in dwords, with token, extended tokens, operands and trailing words
	FuncIndex uint32 // fcall: method index

	Op       Op
	Stride   uint16 // extended resource dimension: bytes, 12 bits of them
	NumDst   uint8
	Sat      bool
	NonZero  bool  // conditionals: test for non-zero (_nz), else for zero (_z)
	Precise  uint8 // precise mask, bit 0 is x
	ResInfo  uint8 // resinfo: 0 float, 1 rcpfloat, 2 uint; sampleinfo: 0 float, 1 uint
	Sync     uint8 // Sync* flags
	Trailing uint8 // dwords after the last operand that mean nothing; counted in Length
	extended extWords
	Offs     [3]int8 // sample controls
	Dim      Dim     // extended resource dimension (SM5.0)
	Return   [4]ReturnType
}

// extWords says which extended opcode words an instruction has.
type extWords uint8

const (
	extOffs extWords = 1 << iota
	extDim
	extRet
)

// HasOffs reports whether sample controls are present: Offs.
func (in *Instr) HasOffs() bool { return in.extended&extOffs != 0 }

// HasDim reports whether an extended resource dimension is present: Dim and Stride.
func (in *Instr) HasDim() bool { return in.extended&extDim != 0 }

// HasRet reports whether an extended return type is present: Return.
func (in *Instr) HasRet() bool { return in.extended&extRet != 0 }

// Dst returns destination operand i.
func (in *Instr) Dst(i int) *Operand { return &in.Operands[i] }

// Src returns source operand i.
func (in *Instr) Src(i int) *Operand { return &in.Operands[int(in.NumDst)+i] }

// NumSrc is the number of source operands.
func (in *Instr) NumSrc() int { return len(in.Operands) - int(in.NumDst) }

// Program is a decoded SHDR or SHEX chunk.
type Program struct {
	Kind         ProgramKind
	Major, Minor uint8
	Instrs       []Instr  // declarations and executable instructions, in order
	Words        []uint32 // the whole program, version and length tokens included
}

// SigElement is one row of a signature.
type SigElement struct {
	Name     string // semantic name
	Index    uint32 // semantic index
	SysValue uint32 // system value in the numbering of signatures (dxbc.md section 1.5); derived from the name where the file has 0
	CompType uint32 // 0 unknown, 1 uint, 2 int, 3 float
	Register uint32 // 0xFFFFFFFF: no register
	Mask     uint8
	RWMask   uint8 // inputs: components read; outputs: components never written
	Stream   uint32
	Min      MinPrecision
}

// Signature is the content of an ISGN, OSGN, PCSG, OSG5, ISG1, OSG1 or PSG1 chunk.
type Signature struct {
	Tag      string
	Elements []SigElement
}
