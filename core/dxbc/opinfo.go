package dxbc

import (
	"fmt"
	"sync"
)

// LitClass says how the literals of an instruction print. It depends on the
// opcode alone, never on the register or on the other operands.
type LitClass uint8

// The literal classes (dxbc.md section 8.5).
const (
	LitNone  LitClass = iota
	LitFloat          // every word as a float
	LitInt            // small numbers in decimal, others in hex
	LitAuto           // by the bits of each word
)

// OpFlags are properties of an opcode.
type OpFlags uint32

// The properties.
const (
	FlagDecl        OpFlags = 1 << iota // a declaration
	FlagDeclOperand                     // a declaration with one operand
	FlagFlow                            // control flow, labels and phases
	FlagCond                            // tests bits: _z or _nz
	FlagDeriv                           // needs derivatives, so whole quads in uniform control flow
	FlagSide                            // has an effect besides its destinations
	FlagSample                          // uses a sampler
	FlagLoad                            // reads memory without a sampler
	FlagFeedback                        // second destination gets a residency status
	FlagAtomic                          // reads and writes memory as one step
	FlagBarrier                         // sync
	FlagDouble                          // has an operand of type double
	FlagOpens                           // indents what follows
	FlagCloses                          // ends the indentation before it
	FlagReserved                        // a number without an instruction
)

// StageSet is a set of program kinds: bit 1<<kind.
type StageSet uint8

const (
	stPS  StageSet = 1 << Pixel
	stVS  StageSet = 1 << Vertex
	stGS  StageSet = 1 << Geometry
	stHS  StageSet = 1 << Hull
	stDS  StageSet = 1 << Domain
	stCS  StageSet = 1 << Compute
	stAll          = stPS | stVS | stGS | stHS | stDS | stCS
)

// Has reports whether k is in the set.
func (s StageSet) Has(k ProgramKind) bool { return s>>k&1 != 0 }

// String lists the stages as "vs, ps", or "all".
func (s StageSet) String() string {
	if s == stAll {
		return "all"
	}
	out := ""
	for k := Pixel; k <= Compute; k++ {
		if s.Has(k) {
			if out != "" {
				out += ", "
			}
			out += k.String()
		}
	}
	return out
}

// OpInfo says what an opcode is and how its instructions are shaped.
//
// Out and In hold one letter for each destination and source:
//
//	f float    i int    u uint    d double   a any bits   m mask of all ones or zero
//	n number whose type the instruction chooses (resinfo, sampleinfo)
//	c integer literal   l label   o stream   p interface pointer   v input register
//	t texture or buffer   s sampler   R texture or rasterizer   B buffer, read or written
//	U typed view u#   W writable memory: u# or g#   M readable memory: t#, u# or g#
//
// An atomic that returns a value has two destinations, the result first; the
// memory prints second.
type OpInfo struct {
	Name    string // as printed, without suffixes; resources and typed views append the dimension
	Out, In string
	Lit     LitClass
	MinMask uint8 // bit i: source i prints its precision as a conversion to the destination's
	Since   uint8 // shader model times ten: 40, 41, 50
	Level   uint8 // feature level times ten beyond that of the shader model, or 0
	Stages  StageSet
	Flags   OpFlags
	Doc     string // what it does, one line
	WGSL    string // what becomes of it, one line
}

// Info returns the row of op. An opcode beyond the table has the row of a
// reserved one.
func (op Op) Info() OpInfo { return *op.row() }

var unknownOp = OpInfo{Name: "unknown", Flags: FlagReserved}

func (op Op) row() *OpInfo {
	if op < numOps {
		return &opTable[op]
	}
	return &unknownOp
}

// Valid reports whether op is an instruction or declaration, not a reserved number.
func (op Op) Valid() bool { return op.row().Flags&FlagReserved == 0 }

// Has reports whether op has all of the flags.
func (op Op) Has(f OpFlags) bool { return op.row().Flags&f == f }

// String returns the mnemonic without suffixes.
func (op Op) String() string {
	if !op.Valid() {
		return fmt.Sprintf("op(%d)", uint16(op))
	}
	return op.row().Name
}

var opByName = sync.OnceValue(func() map[string]Op {
	m := make(map[string]Op, numOps)
	for op := Op(0); op < numOps; op++ {
		if op.Valid() {
			m[opTable[op].Name] = op
		}
	}
	return m
})

// LookupOp returns the opcode with the given mnemonic, written without suffixes.
func LookupOp(name string) (Op, bool) {
	op, ok := opByName()[name]
	return op, ok
}

// Ops returns every opcode that is not reserved, by number.
func Ops() []Op {
	out := make([]Op, 0, numOps)
	for op := Op(0); op < numOps; op++ {
		if op.Valid() {
			out = append(out, op)
		}
	}
	return out
}
