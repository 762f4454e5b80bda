package dxbc

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// DecodeOptions changes what a program decoder accepts.
type DecodeOptions struct {
	// Tolerant keeps what can be listed though it cannot be understood: reserved
	// opcodes (without operands), 64-bit indices, modifiers and precisions without a meaning.
	Tolerant bool
	// MaxDepth is the deepest nesting of operands, an operand of an instruction
	// being 1. Zero means 3: a register indexed by x#[r#].
	MaxDepth int
}

const defaultDepth = 3

// maxProgram bounds a program: 16 MiB, the limit of a container.
const maxProgram = maxContainer / 4

// Decode reads the payload of an SHDR or SHEX chunk. Its errors are [*Error]
// with offsets in b.
func Decode(b []byte) (*Program, error) { return DecodeWith(b, DecodeOptions{}) }

// DecodeWith is [Decode] with options.
func DecodeWith(b []byte, o DecodeOptions) (*Program, error) {
	if len(b) < 8 {
		return nil, fail(ErrTruncated, len(b), "a program needs 8 bytes for version and length, %d are here", len(b))
	}
	n := int64(binary.LittleEndian.Uint32(b[4:]))
	switch {
	case n < 2:
		return nil, fail(ErrMalformed, 4, "length token says %d dwords, at least 2 are needed", n)
	case n > int64(len(b)/4):
		return nil, fail(ErrTruncated, 4, "length token says %d dwords, %d are here", n, len(b)/4)
	case n > maxProgram:
		return nil, fail(ErrLimit, 4, "length token says %d dwords, the limit is %d", n, maxProgram)
	}
	return decodeWords(wordsOf(b, int(n)), o)
}

// wordsOf returns the first n words of b, which has them.
func wordsOf(b []byte, n int) []uint32 {
	words := make([]uint32, n)
	w := words
	for ; len(w) >= 4 && len(b) >= 16; w, b = w[4:], b[16:] {
		lo, hi := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w[0], w[1], w[2], w[3] = uint32(lo), uint32(lo>>32), uint32(hi), uint32(hi>>32)
	}
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// DecodeWords reads a program from its words, version and length tokens
// included. Words beyond the length token are ignored. The program keeps words.
func DecodeWords(words []uint32, o DecodeOptions) (*Program, error) {
	if len(words) < 2 {
		return nil, fail(ErrTruncated, 4*len(words), "a program needs two words for version and length, %d are here", len(words))
	}
	n := words[1]
	if n < 2 {
		return nil, fail(ErrMalformed, 4, "length token says %d dwords, at least 2 are needed", n)
	}
	if uint64(n) > uint64(len(words)) || n > maxProgram {
		return nil, fail(ErrTruncated, 4, "length token says %d dwords, %d are here", n, len(words))
	}
	return decodeWords(words[:n:n], o)
}

func decodeWords(words []uint32, o DecodeOptions) (*Program, error) {
	ver := words[0]
	p := &Program{Kind: ProgramKind(ver >> 16), Major: uint8(ver >> 4 & 15), Minor: uint8(ver & 15), Words: words}
	if ver>>16 > uint32(Compute) {
		return nil, fail(ErrMalformed, 0, "version token %#08x names no program kind: %d is not 0 (ps) to 5 (cs)", ver, ver>>16)
	}
	if !(p.Major == 4 && p.Minor <= 1 || p.Major == 5 && p.Minor <= 1) {
		return nil, fail(ErrUnsupported, 0, "version token %#08x: shader model %d.%d is not 4.0, 4.1, 5.0 or 5.1", ver, p.Major, p.Minor)
	}
	if ver&0xff00 != 0 && !o.Tolerant {
		return nil, fail(ErrMalformed, 0, "version token %#08x has reserved bits 8 to 15 set", ver)
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	d := decoder{w: words, opt: o, sm51: p.Major == 5 && p.Minor >= 1}
	if err := d.measure(); err != nil {
		return nil, err
	}
	p.Instrs = make([]Instr, d.instrs)
	d.operands = make([]Operand, d.numOperands)
	if d.decls > 0 {
		d.decl = make([]Decl, d.decls)
	}
	at := 2
	for i := range p.Instrs {
		end := at + int(d.length(at))
		if err := d.instr(&p.Instrs[i], at, end); err != nil {
			err.Instr = i + 1
			return nil, err
		}
		at = end
	}
	return p, nil
}

// decoder holds the words and the slabs that instructions are carved from, so
// that a program costs a handful of allocations.
type decoder struct {
	w    []uint32
	opt  DecodeOptions
	sm51 bool

	instrs, numOperands, decls int
	operands                   []Operand
	rel                        []relative
	decl                       []Decl
	small                      []uint32
}

// relative is what an operand with a relative index has beside its own words.
type relative struct {
	indices [3]Index
	operand Operand // of the first relative index; further ones are rare
}

// opShape is what the decoder needs of an opcode's row, small enough that the
// shapes of the opcodes in use stay in the cache.
type opShape struct {
	flags    OpFlags
	out      uint8 // destinations
	operands uint8 // destinations and sources; declarations: 0 or 1
}

var opShapes = func() (s [numOps]opShape) {
	for op := range s {
		row := &opTable[op]
		n := len(row.Out) + len(row.In)
		if row.Flags&FlagDeclOperand != 0 {
			n = 1
		}
		s[op] = opShape{row.Flags, uint8(len(row.Out)), uint8(n)}
	}
	return s
}()

var unknownShape = opShape{flags: FlagReserved}

func (op Op) shape() *opShape {
	if int(op) < len(opShapes) {
		return &opShapes[op]
	}
	return &unknownShape
}

// length returns the length in words of the instruction at word at; measure has
// checked it.
func (d *decoder) length(at int) uint32 {
	t := d.w[at]
	if Op(t&0x7ff) == OpCustomdata {
		return d.w[at+1]
	}
	return t >> 24 & 127
}

// measure walks the lengths, so that the slabs get their size from the file and
// every instruction's end is known to lie inside the program.
func (d *decoder) measure() *Error {
	n := len(d.w)
	for at := 2; at < n; {
		op := Op(d.w[at] & 0x7ff)
		var length uint32
		if op == OpCustomdata {
			if at+1 >= n {
				return d.bad(ErrTruncated, at, "customdata without its length word")
			}
			if length = d.w[at+1]; length < 2 {
				return d.bad(ErrMalformed, at+1, "customdata says it is %d dwords long, at least 2 are needed", length)
			}
		} else {
			if length = d.w[at] >> 24 & 127; length == 0 {
				return d.bad(ErrMalformed, at, "%s has length 0", op)
			}
			sh := op.shape()
			d.decls += int(sh.flags & FlagDecl)
			d.numOperands += min(int(sh.operands), int(length)-1)
		}
		if uint64(length) > uint64(n-at) {
			return d.bad(ErrTruncated, at, "%s is %d dwords long, %d are left in the program", op, length, n-at)
		}
		at += int(length)
		d.instrs++
	}
	return nil
}

func (d *decoder) bad(sentinel error, at int, format string, args ...any) *Error {
	e := fail(sentinel, 4*at, format, args...)
	if e.Instr == 0 && d.operands == nil {
		e.Instr = d.instrs + 1
	}
	return e
}

func (d *decoder) instr(in *Instr, at, end int) *Error {
	t := d.w[at]
	op := Op(t & 0x7ff)
	sh := op.shape()
	in.Op, in.Offset, in.Length = op, uint32(at), uint32(end-at)
	if op == OpCustomdata {
		in.Custom = &Custom{Class: CustomClass(t >> 11), Words: d.w[at+2 : end : end]}
		if in.Custom.Class == CustomICB && len(in.Custom.Words) > 4*4096 {
			return d.bad(ErrLimit, at+1, "immediate constant buffer has %d words, the limit is 4096 rows", len(in.Custom.Words))
		}
		return nil
	}
	if sh.flags&FlagReserved != 0 {
		if !d.opt.Tolerant {
			return d.bad(ErrUnsupported, at, "opcode %d is reserved", uint16(op))
		}
		in.Sat = t>>13&1 != 0
		in.Trailing = uint8(in.Length - 1)
		return nil
	}
	pos := at + 1
	if t>>31 != 0 {
		var err *Error
		if pos, err = d.extended(in, pos, end); err != nil {
			return err
		}
	}
	if sh.flags&FlagDecl != 0 {
		return d.declaration(in, sh, t, pos, end)
	}
	switch op {
	case OpSync:
		in.Sync = uint8(t >> 11 & 15)
	case OpResinfo:
		in.ResInfo = uint8(t >> 11 & 3)
	case OpSampleinfo:
		in.ResInfo = uint8(t >> 11 & 3)
	case OpFcall:
		if pos >= end {
			return d.bad(ErrTruncated, pos, "fcall without its method index")
		}
		in.FuncIndex = d.w[pos]
		pos++
	}
	if op != OpSync {
		in.Sat = t>>13&1 != 0
	}
	in.NonZero = sh.flags&FlagCond != 0 && t>>18&1 != 0
	in.Precise = uint8(t >> 19 & 15)
	in.NumDst = sh.out
	if n := int(sh.operands); n > 0 {
		if n > end-at-1 {
			return d.bad(ErrTruncated, at, "%s is %d dwords long, too short for its %d operands", op, end-at, n)
		}
		ops := d.operands[:n:n]
		d.operands = d.operands[n:]
		for i := range ops {
			var err *Error
			if pos, err = d.operand(&ops[i], pos, end, 1); err != nil {
				return err
			}
		}
		in.Operands = ops
	}
	in.Trailing = uint8(end - pos)
	return nil
}

// extended reads the extended opcode words; each kind may come once.
func (d *decoder) extended(in *Instr, pos, end int) (int, *Error) {
	seen := uint32(0)
	for more := true; more; pos++ {
		if pos >= end {
			return 0, d.bad(ErrTruncated, pos, "%s ends inside its extended opcode words", in.Op)
		}
		x := d.w[pos]
		more = x>>31 != 0
		kind := x & 63
		if kind > 3 {
			return 0, d.bad(ErrUnsupported, pos, "%s has an extended opcode word of unknown kind %d", in.Op, kind)
		}
		if kind != 0 && seen>>kind&1 != 0 {
			return 0, d.bad(ErrMalformed, pos, "%s has two extended opcode words of kind %d", in.Op, kind)
		}
		seen |= 1 << kind
		switch kind {
		case 1:
			in.extended |= extOffs
			for i := range in.Offs {
				in.Offs[i] = int8(x>>(9+4*i)&15<<4) >> 4
			}
		case 2:
			in.extended |= extDim
			in.Dim, in.Stride = Dim(x>>6&31), uint16(x>>11&0xfff)
		case 3:
			in.extended |= extRet
			for i := range in.Return {
				in.Return[i] = ReturnType(x >> (6 + 4*i) & 15)
			}
		}
	}
	return pos, nil
}

// compMode[token & 15] is the component selection of an operand, 255 what is reserved.
var compMode = [16]CompMode{
	0: CompNone, 1: CompOne, 2: CompMask, 3: 255,
	4: CompNone, 5: CompOne, 6: CompSwizzle, 7: 255,
	8: CompNone, 9: CompOne, 10: CompSelect, 11: 255,
	12: CompNone, 13: CompOne, 14: 255, 15: 255,
}

// plainOperand decodes an operand without extended words whose indices, if any,
// are plain numbers: nearly every operand. It returns 0 where it is not one.
func (d *decoder) plainOperand(o *Operand, pos, end int) int {
	if pos >= end || uint(pos) >= uint(len(d.w)) {
		return 0
	}
	t := d.w[pos]
	mode, reg := compMode[t&15], RegType(t>>12)
	if t>>22 != 0 || mode == 255 || reg >= numRegTypes {
		return 0
	}
	n := int(t >> 20 & 3)
	if reg == RegImmediate32 {
		if n != 0 || mode == CompNone {
			return 0
		}
		if n = 4; mode == CompOne {
			n = 1
		}
	} else if reg == RegImmediate64 {
		return 0
	}
	w := d.w[pos+1 : end]
	if n > len(w) {
		return 0
	}
	for i := range n {
		o.Imm[i&3] = w[i]
	}
	o.Offset, o.Reg, o.Mode, o.NumIndex = uint32(pos), reg, mode, uint8(t>>20&3)
	o.components(t)
	return pos + 1 + n
}

// components sets mask or swizzle from the token of an operand whose Mode is known.
func (o *Operand) components(t uint32) {
	switch x := t >> 4; o.Mode {
	case CompMask:
		o.Mask = uint8(x & 15)
	case CompSwizzle:
		x &= 0xff
		binary.LittleEndian.PutUint32(o.Swizzle[:], (x|x<<6|x<<12|x<<18)&0x03030303)
	case CompSelect:
		binary.LittleEndian.PutUint32(o.Swizzle[:], x&3*0x01010101)
	}
}

func (d *decoder) operand(o *Operand, pos, end, depth int) (int, *Error) {
	if next := d.plainOperand(o, pos, end); next > 0 {
		return next, nil
	}
	if pos >= end {
		return 0, d.bad(ErrTruncated, pos, "the instruction ends where an operand should start")
	}
	t := d.w[pos]
	o.Offset = uint32(pos)
	mode := compMode[t&15]
	if mode == 255 {
		return 0, d.bad(ErrMalformed, pos, "operand token %#08x has a reserved component selection", t)
	}
	o.Mode = mode
	o.components(t)
	reg := t >> 12 & 0xff
	if reg >= numRegTypes {
		return 0, d.bad(ErrMalformed, pos, "operand token %#08x has unknown register type %d", t, reg)
	}
	o.Reg = RegType(reg)
	pos++
	if t>>31 != 0 {
		o.Extended = true
		seen := false
		for more := true; more; pos++ {
			if pos >= end {
				return 0, d.bad(ErrTruncated, pos, "the instruction ends inside an operand's extended words")
			}
			x := d.w[pos]
			more = x>>31 != 0
			switch x & 63 {
			case 0:
			case 1:
				if seen {
					return 0, d.bad(ErrMalformed, pos, "an operand has two modifier words")
				}
				seen = true
				o.Mod, o.Min, o.NonUniform = Modifier(x>>6&0xff), MinPrecision(x>>14&7), x>>17&1 != 0
				if !d.opt.Tolerant && (o.Mod > ModNegAbs || o.Min == 3 || o.Min > Min16U) {
					return 0, d.bad(ErrUnsupported, pos, "operand word %#08x has modifier %d and precision %d: no compiler makes these", x, o.Mod, o.Min)
				}
			default:
				return 0, d.bad(ErrUnsupported, pos, "an operand has an extended word of unknown kind %d", x&63)
			}
		}
	}
	switch o.Reg {
	case RegImmediate32, RegImmediate64:
		n := 0
		switch {
		case mode == CompNone:
			return 0, d.bad(ErrMalformed, pos-1, "an immediate has no components")
		case mode != CompOne:
			n = 4
		case o.Reg == RegImmediate64:
			n = 2
		default:
			n = 1
		}
		if n > end-pos {
			return 0, d.bad(ErrTruncated, pos, "the instruction ends inside an immediate of %d words", n)
		}
		copy(o.Imm[:], d.w[pos:pos+n])
		pos += n
	}
	n := int(t >> 20 & 3)
	o.NumIndex = uint8(n)
	// An index goes out of line when it is more than a number, or where an
	// immediate has the place.
	if n > 0 && (t>>22&(1<<(3*n)-1) != 0 || o.Reg == RegImmediate32 || o.Reg == RegImmediate64) {
		return d.indices(o, t, pos, end, depth)
	}
	if n > end-pos {
		return 0, d.bad(ErrTruncated, pos+min(n, end-pos), "the instruction ends inside an index of %s", o.Reg)
	}
	copy(o.Imm[:], d.w[pos:pos+n])
	return pos + n, nil
}

// indices decodes the indices of an operand with the token t, into a block of their own.
func (d *decoder) indices(o *Operand, t uint32, pos, end, depth int) (int, *Error) {
	if len(d.rel) == 0 {
		// Eight at a time, but never more than there are words left for.
		d.rel = make([]relative, max(1, min(8, (len(d.w)-pos)/2)))
	}
	block := &d.rel[0]
	d.rel = d.rel[1:]
	o.indices = &block.indices
	for i := range int(o.NumIndex) {
		rep := t >> (22 + 3*i) & 7
		x := &o.indices[i]
		x.Rep = uint8(rep)
		switch rep {
		case 0, 2, 3:
		case 1, 4:
			if !d.opt.Tolerant {
				return 0, d.bad(ErrUnsupported, int(o.Offset), "an operand has a 64-bit index: no compiler makes these")
			}
		default:
			return 0, d.bad(ErrMalformed, int(o.Offset), "an operand has the unknown index representation %d", rep)
		}
		words := [5]int{1, 2, 0, 1, 2}[rep]
		if words > end-pos {
			return 0, d.bad(ErrTruncated, pos, "the instruction ends inside an index of %s", o.Reg)
		}
		if words > 0 {
			x.Imm = d.w[pos]
			pos += words
		}
		if rep >= 2 {
			if depth >= d.opt.MaxDepth {
				return 0, d.bad(ErrLimit, pos, "operands nest deeper than %d", d.opt.MaxDepth)
			}
			if x.Rel = &block.operand; i > 0 && slices.ContainsFunc(o.indices[:i], func(x Index) bool { return x.Rel != nil }) {
				x.Rel = new(Operand)
			}
			var err *Error
			if pos, err = d.operand(x.Rel, pos, end, depth+1); err != nil {
				return 0, err
			}
		}
	}
	return pos, nil
}

// number returns a slice with one number that is a field of a token, not a word of the file.
func (d *decoder) number(n uint32) []uint32 {
	if len(d.small) == 0 {
		d.small = make([]uint32, 8)
	}
	s := d.small[:1:1]
	d.small = d.small[1:]
	s[0] = n
	return s
}

func (d *decoder) declaration(in *Instr, sh *opShape, t uint32, pos, end int) *Error {
	dc := &d.decl[0]
	d.decl = d.decl[1:]
	in.Decl = dc
	if sh.flags&FlagDeclOperand != 0 {
		if pos >= end {
			return d.bad(ErrTruncated, pos, "%s without its operand", in.Op)
		}
		ops := d.operands[:1:1]
		d.operands = d.operands[1:]
		var err *Error
		if pos, err = d.operand(&ops[0], pos, end, 1); err != nil {
			return err
		}
		in.Operands = ops
	}
	// need checks that n words follow and returns them.
	need := func(n int) ([]uint32, *Error) {
		if n > end-pos {
			return nil, d.bad(ErrTruncated, pos, "%s needs %d more words, %d are left in it", in.Op, n, end-pos)
		}
		w := d.w[pos : pos+n : pos+n]
		pos += n
		return w, nil
	}
	extra := 0 // words that follow the operand, without the space of 5.1
	space := false
	switch in.Op {
	case OpDclGlobalFlags:
		dc.Flags = t >> 11 & 0x1fff
	case OpDclConstantbuffer:
		dc.Dynamic = t>>11&1 != 0
		if d.sm51 {
			extra = 1
		}
		space = true
	case OpDclSampler:
		dc.SamplerMode, space = uint8(t>>11&15), true
	case OpDclResource:
		dc.Dim, dc.Samples = Dim(t>>11&31), uint8(t>>16&127)
		extra, space = 1, true
	case OpDclResourceRaw:
		space = true
	case OpDclResourceStructured:
		extra, space = 1, true
	case OpDclUavTyped:
		dc.Dim, dc.Coherent, dc.Ordered = Dim(t>>11&31), t>>16&1 != 0, t>>17&1 != 0
		extra, space = 1, true
	case OpDclUavRaw:
		dc.Coherent, dc.Ordered, space = t>>16&1 != 0, t>>17&1 != 0, true
	case OpDclUavStructured:
		dc.Coherent, dc.Ordered, dc.Counter = t>>16&1 != 0, t>>17&1 != 0, t>>23&1 != 0
		extra, space = 1, true
	case OpDclTgsmRaw:
		extra = 1
	case OpDclTgsmStructured:
		extra = 2
	case OpDclInputSgv, OpDclInputSiv, OpDclOutputSgv, OpDclOutputSiv:
		extra = 1
	case OpDclInputPs:
		dc.Interp = Interpolation(t >> 11 & 15)
	case OpDclInputPsSgv, OpDclInputPsSiv:
		dc.Interp = Interpolation(t >> 11 & 15)
		extra = 1
	case OpDclTemps, OpDclMaxout, OpDclGsinstances, OpDclHsMaxTessfactor, OpDclHsForkPhaseInstanceCount,
		OpDclHsJoinPhaseInstanceCount, OpDclFunctionBody, OpDclIndexrange:
		extra = 1
	case OpDclIndexableTemp, OpDclThreadGroup:
		extra = 3
	case OpDclOutputtopology:
		dc.Words = d.number(t >> 11 & 127)
	case OpDclInputprimitive, OpDclInputControlPointCount, OpDclOutputControlPointCount:
		dc.Words = d.number(t >> 11 & 63)
	case OpDclTessellatorDomain:
		dc.Words = d.number(t >> 11 & 3)
	case OpDclTessellatorPartitioning, OpDclTessellatorOutputPrimitive:
		dc.Words = d.number(t >> 11 & 7)
	}
	w, err := need(extra)
	if err != nil {
		return err
	}
	switch in.Op {
	case OpDclConstantbuffer:
		if d.sm51 {
			dc.Size = w[0]
		} else if o := &in.Operands[0]; o.NumIndex == 2 {
			dc.Size = o.Index(1).Imm
		}
	case OpDclResource, OpDclUavTyped:
		for i := range dc.Return {
			dc.Return[i] = ReturnType(w[0] >> (4 * i) & 15)
		}
	case OpDclResourceStructured, OpDclUavStructured:
		dc.Stride = w[0]
	case OpDclTgsmRaw:
		dc.Size = w[0]
	case OpDclTgsmStructured:
		dc.Stride, dc.Size = w[0], w[1]
	case OpDclInputSgv, OpDclInputSiv, OpDclOutputSgv, OpDclOutputSiv, OpDclInputPsSgv, OpDclInputPsSiv:
		dc.SysName = w[0]
	case OpDclFunctionTable:
		if w, err = need(2); err != nil {
			return err
		}
		n := w[1]
		if uint64(n) > uint64(end-pos) {
			return d.bad(ErrTruncated, pos-1, "function table announces %d bodies, %d words are left", n, end-pos)
		}
		bodies, _ := need(int(n))
		dc.Words = append(append(make([]uint32, 0, n+1), w[0]), bodies...)
	case OpDclInterface:
		dc.Dynamic = t>>11&1 != 0
		if w, err = need(3); err != nil {
			return err
		}
		n := w[2] & 0xffff
		if uint64(n) > uint64(end-pos) {
			return d.bad(ErrTruncated, pos-1, "interface announces %d tables, %d words are left", n, end-pos)
		}
		tables, _ := need(int(n))
		dc.Words = append(append(make([]uint32, 0, n+3), w[0], w[1], w[2]>>16), tables...)
	default:
		if extra > 0 {
			dc.Words = w
		}
	}
	if space {
		if err := d.checkRange(in); err != nil {
			return err
		}
		if d.sm51 {
			if w, err = need(1); err != nil {
				return err
			}
			dc.Space = w[0]
		}
	}
	in.Trailing = uint8(end - pos)
	return nil
}

// checkRange checks that a resource declaration has the indices of its shader
// model, so that [Instr.Range] holds.
func (d *decoder) checkRange(in *Instr) *Error {
	o := &in.Operands[0]
	want := 1
	switch {
	case d.sm51:
		want = 3
	case in.Op == OpDclConstantbuffer:
		want = 2
	}
	if int(o.NumIndex) != want {
		return d.bad(ErrMalformed, int(o.Offset), "%s has an operand with %d indices, %d are needed", in.Op, o.NumIndex, want)
	}
	for i := range want {
		if o.Index(i).Rel != nil {
			return d.bad(ErrMalformed, int(o.Offset), "%s has a relative index", in.Op)
		}
	}
	return nil
}

// String names the instruction and its place for messages: "mov (dword 12)".
// Program.Text has its line of the listing.
func (in *Instr) String() string {
	return fmt.Sprintf("%s (dword %d)", in.Op, in.Offset)
}
