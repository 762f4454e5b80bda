package ir

import "fxlens/core/dxbc"

// ValueID numbers the values of a function, dense from 0.
type ValueID int32

// NoValue is the absent value.
const NoValue ValueID = -1

// NodeID numbers the nodes of a function, dense from 0.
type NodeID int32

// RegionID numbers the regions of a function, dense from 0. Region 0 is the body.
type RegionID int32

// NoNode is the absent node; NoRegion the absent region.
const (
	NoNode   NodeID   = -1
	NoRegion RegionID = -1
)

// Kind is the scalar type of a value's lanes.
type Kind uint8

// The kinds. Bits means that the types phase has not run, or that nothing asks
// for a type (then the value is emitted as u32).
const (
	Bits Kind = iota
	F32
	I32
	U32
	Bool
)

var kindNames = [...]string{Bits: "bits", F32: "f32", I32: "i32", U32: "u32", Bool: "bool"}

func (k Kind) String() string { return kindNames[k] }

// Lane is one 32-bit lane of a value.
type Lane struct {
	V ValueID
	L uint8
}

// Arg is an operand: 0 to 4 lanes, each from any value.
type Arg struct {
	N     uint8
	Lanes [4]Lane
}

// ArgOf returns the first n lanes of v as an operand.
func ArgOf(v ValueID, n int) Arg {
	a := Arg{N: uint8(n)}
	for i := range n {
		a.Lanes[i] = Lane{v, uint8(i)}
	}
	return a
}

// Scalar returns a one-lane operand.
func Scalar(l Lane) Arg { return Arg{N: 1, Lanes: [4]Lane{l}} }

// Value is one SSA value: an operation with its operands, or a parameter.
type Value struct {
	Op   Op
	Kind Kind  // kind of every lane; see the types phase
	N    uint8 // lanes, 0 for an operation without a result
	// Reg and RegMask say which register lanes the program kept the value in,
	// for names only: Reg is the temp number or -1, RegLanes the component
	// (0 to 3) that each lane was written to.
	Reg      int32
	RegLanes [4]uint8
	Out      int32 // parameters: 1 + the output whose components RegLanes they carry, or 0
	Instr    int32 // index into Function.Program.Instrs, or -1
	Args     []Arg
	Imm      [4]uint32 // OpConst: the bits of each lane; other ops: see the op's row
	Res      int32     // index into Function.Resources, or Function.Arrays for OpArrayLoad and OpArrayStore; -1 none
	Samp     int32     // sampler, index into Function.Resources; -1 none
	Offs     [3]int8   // immediate texel offsets
	Uniform  bool      // a groupshared load of one value by the whole group, with barriers around it (workgroupUniformLoad)
	Precise  bool      // the instruction was marked precise on a lane of this value
	Node     NodeID    // the node that holds or declares it; NoNode for constants
}

// NodeKind says what a node is.
type NodeKind uint8

// The node kinds. Yield, Break, Continue and Return end a region, and each
// region ends with exactly one of them.
const (
	NodeValue NodeKind = iota // an operation: Node.Value
	NodeIf
	NodeLoop
	NodeSwitch
	NodeYield    // leaves an arm of an if
	NodeBreak    // leaves the loop or switch Node.Target
	NodeContinue // next round of the loop Node.Target
	NodeReturn   // leaves the program
)

// Node is one element of a region. Most nodes are operations, and what only an if,
// a loop or a switch has lies apart from them, so that a list of nodes stays small.
type Node struct {
	Kind   NodeKind
	Instr  int32   // index into Function.Program.Instrs, or -1
	Value  ValueID // NodeValue
	Parent RegionID
	Target NodeID // break, continue
	Args   []Arg  // terminators: one per parameter of what they lead to; return: one per output
	*Construct
}

// Construct is the part of a node that only an if, a loop or a switch has. The other
// nodes share an empty one, which is only read.
type Construct struct {
	// Cond is the condition of an if (one lane, read as Bool) or the selector of
	// a switch (one lane, read as u32).
	Cond Arg
	// Regions: if: then, else. Loop: body. Switch: one per clause.
	Regions []RegionID
	// Labels holds the case labels of each clause of a switch; Default the index
	// of the clause that also is the default, or -1 (then no clause runs and the
	// exit parameters take Inits).
	Labels   [][]uint32
	Default  int
	Params   []ValueID // exit parameters
	Header   []ValueID // loop: header parameters
	Inits    []Arg     // loop: one per header parameter; switch without default: one per exit parameter
	EndInstr int32     // the instruction that closes it, or -1
}

// noConstruct is what nodes share that are no construct.
var noConstruct = &Construct{Default: -1, EndInstr: -1}

// Add appends a node to a region, with a Construct of its own if it is one.
func (f *Function) Add(r RegionID, n Node) NodeID {
	n.Parent = r
	switch {
	case n.Construct != nil:
	case n.Kind == NodeIf || n.Kind == NodeLoop || n.Kind == NodeSwitch:
		n.Construct = &Construct{Default: -1, EndInstr: -1}
	default:
		n.Construct = noConstruct
	}
	id := NodeID(len(f.Nodes))
	f.Nodes = append(f.Nodes, n)
	f.Regions[r].Nodes = append(f.Regions[r].Nodes, id)
	return id
}

// Region is a list of nodes, the last one a terminator.
type Region struct {
	Nodes  []NodeID
	Parent NodeID // NoNode for the body
}

// Class says what a resource is.
type Class uint8

// The resource classes.
const (
	CBuffer Class = iota
	SRV
	Sampler
	UAV
	GroupShared
	Counter // the hidden counter of a structured UAV
)

// Resource is one resource declaration of the program, or one element of a
// finite SM5.1 range, with what the program does to it.
type Resource struct {
	Class      Class
	Register   uint32 // register, or lower bound of the range
	Space      uint32
	RangeID    uint32 // SM5.1 range; otherwise the register
	Count      uint32 // registers in the range; 1 outside SM5.1; 0 unbounded
	Dim        dxbc.Dim
	Return     [4]dxbc.ReturnType
	Samples    uint8
	Stride     uint32 // structured: bytes
	Size       uint32 // cbuffer: rows (0: unknown, 4096); groupshared: bytes
	Name       string // from RDEF or the effect, raw; empty if unknown
	Instr      int32  // the declaration
	Coherent   bool
	Ordered    bool
	Comparison bool // sampler declared for comparison
	// What the program does, filled by the builder.
	Used                         bool
	Read                         bool
	Written                      bool
	Atomic                       bool    // touched by an atomic
	Dynamic                      bool    // cbuffer: indexed by a register
	Compared                     bool    // SRV: sampled with comparison; sampler: used for comparison
	Filtered                     bool    // SRV: sampled or gathered without comparison; sampler: likewise
	Loaded                       bool    // SRV: ld or ld_ms
	SignedAtomic, UnsignedAtomic bool    // imin/imax, umin/umax
	Samplers                     []int32 // SRV: samplers it is used with (indices), sorted
	Format                       string  // view format of a typed buffer or UAV texture ("R32_UINT"), from options; empty if none
	FormatFrom                   string  // where Format came from: "flag", "sidecar", "proof", "assumed", "default"
}

// Array is an indexable temp (x#), or a group of inputs or outputs that the
// program indexes by register.
type Array struct {
	Class ArrayClass
	Index uint32 // x#: its number; inputs, outputs: the first register
	Len   uint32 // elements
	N     uint8  // components of an element
	Kind  Kind   // of every component; see the types phase
	Instr int32  // the declaration
}

// ArrayClass says what an Array is.
type ArrayClass uint8

// The array classes.
const (
	TempArray ArrayClass = iota
	InputArray
	OutputArray
)

// Elem is one signature element that the program declares: a stage input or output.
type Elem struct {
	Semantic string // as in the signature; upper case by convention, raw
	Index    uint32
	Register uint32 // dxbc.NoRegister: none (depth, coverage, thread IDs)
	RegType  dxbc.RegType
	Mask     uint8  // components declared by the signature
	Used     uint8  // inputs: components read; outputs: components ever written
	SysValue uint32 // signature numbering; 0 none
	CompType uint32 // 1 uint, 2 int, 3 float, 0 unknown
	Interp   dxbc.Interpolation
	Min      dxbc.MinPrecision
	Instr    int32 // declaring instruction, or -1
	Stream   uint32
}

// Function is one program in SSA form.
type Function struct {
	Shader  *dxbc.Shader
	Program *dxbc.Program
	Kind    dxbc.ProgramKind

	Values    []Value
	Nodes     []Node
	Regions   []Region
	Resources []Resource
	Arrays    []Array
	ICB       [][4]uint32 // immediate constant buffer rows
	Inputs    []Elem
	Outputs   []Elem // a Return carries one Arg per output, one lane per component of Mask, lowest first

	Constants []Constant // the container's names in constant buffer 0, ascending offset; RDEF's stand in

	ThreadGroup [3]uint32
	EarlyDepth  bool
	// Fates says for each instruction that left no value and no node where it
	// went; indexed by instruction.
	Fates []Fate
}

// Constant is a named range of constant buffer 0, in bytes.
type Constant struct {
	Name         string
	Offset, Size uint32
}

// Fate says what became of an instruction.
type Fate uint8

// The fates.
const (
	FateLive        Fate = iota // has values or nodes
	FateDecl                    // a declaration
	FateMoved                   // a move: its lanes are those of its source
	FateFolded                  // computed at compile time or simplified into its users
	FateDead                    // nothing reads its result
	FateUnreachable             // behind a jump
	FateStructure               // closes a block
	FateDropped                 // has no counterpart in WGSL (recorded as a diagnostic)
)
