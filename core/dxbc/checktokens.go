package dxbc

import (
	"strings"

	"fxlens/core/diag"
)

// controlBits has the bits of an opcode token, above opcode and below length,
// that mean something in each declaration.
var controlBits = map[Op]uint32{
	OpDclGlobalFlags: 0x1ff << 11, OpDclConstantbuffer: 1 << 11, OpDclSampler: 15 << 11, OpDclResource: 0xfff << 11,
	OpDclUavTyped: 0x7f << 11, OpDclUavRaw: 3 << 16, OpDclUavStructured: 3<<16 | 1<<23,
	OpDclInputPs: 15 << 11, OpDclInputPsSgv: 15 << 11, OpDclInputPsSiv: 15 << 11, OpDclOutputtopology: 127 << 11,
	OpDclInputprimitive: 63 << 11, OpDclInputControlPointCount: 63 << 11, OpDclOutputControlPointCount: 63 << 11,
	OpDclTessellatorDomain: 3 << 11, OpDclTessellatorPartitioning: 7 << 11, OpDclTessellatorOutputPrimitive: 7 << 11, OpDclInterface: 1 << 11,
	OpResinfo: 3 << 11, OpSampleinfo: 1 << 11, OpSync: 15 << 11,
}

// token looks for bits and words that mean nothing.
func (c *checker) token(i int, in *Instr) {
	if in.Op == OpCustomdata {
		return
	}
	if !in.Op.Valid() {
		c.add(diag.Error, codeEncoding, i, "opcode %d is reserved", uint16(in.Op))
		return
	}
	row := in.Op.row()
	t := c.p.Words[in.Offset]
	known := controlBits[in.Op]
	if row.Flags&FlagDecl == 0 {
		known |= 15 << 19
		if row.Flags&FlagCond != 0 {
			known |= 1 << 18
		}
		if strings.ContainsAny(row.Out, "fda") {
			known |= 1 << 13
		}
	}
	if extra := t & 0x00fff800 &^ known; extra != 0 {
		c.add(diag.Warning, codeReserved, i, "the token %#08x of %s has the bits %#x, which mean nothing", t, in.Op, extra)
	}
	for at := in.Offset + 1; t>>31 != 0; at++ {
		t = c.p.Words[at]
		var known uint32
		switch t & 63 {
		case 1:
			known = 0xfff << 9
		case 2:
			known = 0x1ffff << 6
		case 3:
			known = 0xffff << 6
		}
		if extra := t & 0x7fffffc0 &^ known; extra != 0 {
			c.add(diag.Warning, codeReserved, i, "the extended word %#08x of %s has the bits %#x, which mean nothing", t, in.Op, extra)
		}
	}
	for j := range in.Operands {
		c.operandToken(i, &in.Operands[j])
	}
	if in.Trailing > 0 && in.Op != OpSamplepos && row.Flags&FlagFeedback == 0 {
		c.add(diag.Warning, codeTrailing, i, "%s has %d words after its operands", in.Op, in.Trailing)
	}
}

func (c *checker) operandToken(i int, o *Operand) {
	t := c.p.Words[o.Offset]
	var comps uint32
	switch t & 15 {
	case 2:
		comps = 15 << 4
	case 6:
		comps = 255 << 4
	case 10:
		comps = 3 << 4
	}
	n := uint32(o.NumIndex)
	known := uint32(0x803ff003) | comps | (1<<(3*n)-1)<<22
	if t&3 == 2 {
		known |= 3 << 2
	}
	if extra := t &^ known; extra != 0 {
		c.add(diag.Warning, codeReserved, i, "the operand token %#08x of %s has the bits %#x, which mean nothing", t, o.Reg, extra)
	}
	for at := o.Offset + 1; t>>31 != 0; at++ {
		t = c.p.Words[at]
		if extra := t & 0x7ffc0000; extra != 0 || t&63 == 0 && t&0x7fffffff != 0 {
			c.add(diag.Warning, codeReserved, i, "the extended word %#08x of %s has bits which mean nothing", t, o.Reg)
		}
	}
	for k := range int(o.NumIndex) {
		if r := o.Index(k).Rel; r != nil {
			c.operandToken(i, r)
		}
	}
}

// tokenSys maps system names of tokens to those of signatures where both exist.
func tokenSys(n uint32) (uint32, bool) {
	switch {
	case n <= 10:
		return n, true
	case n <= 14:
		return 11, true
	case n <= 16:
		return 12, true
	case n <= 19:
		return 13, true
	case n == 20:
		return 14, true
	case n == 21:
		return 15, true
	case n == 22:
		return 16, true
	}
	return 0, false
}
