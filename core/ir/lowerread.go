package ir

import (
	"fxlens/core/dxbc"
)

// readLane reads the operand for destination component c.
func (b *builder) readLane(o *dxbc.Operand, c uint8, kind byte) Lane {
	return b.read(o, []uint8{c}, kind).Lanes[0]
}

// read reads the operand for the components cs with its modifiers, as what kind says.
func (b *builder) read(o *dxbc.Operand, cs []uint8, kind byte) Arg {
	a := Arg{N: uint8(len(cs))}
	var comps [4]uint8
	for k, c := range cs {
		comps[k] = slot(o, c)
	}
	b.raw(o, comps[:len(cs)], a.Lanes[:len(cs)])
	if o.Mod == dxbc.ModNone || kind == 'w' {
		return a
	}
	return b.modifyAll(a, o.Mod, kind)
}

func (b *builder) modify(l Lane, mod dxbc.Modifier, kind byte) Lane {
	if mod == dxbc.ModNone {
		return l
	}
	return b.modifyAll(Scalar(l), mod, kind).Lanes[0]
}

func (b *builder) modifyAll(a Arg, mod dxbc.Modifier, kind byte) Arg {
	un := func(op Op) {
		a = ArgOf(b.pure(op, a.N, a), int(a.N))
	}
	switch kind {
	case 'f':
		if mod&dxbc.ModAbs != 0 {
			un(OpFAbs)
		}
		if mod&dxbc.ModNeg != 0 {
			un(OpFNeg)
		}
	default:
		if mod&dxbc.ModAbs != 0 {
			b.fail(codeOperand, "absolute value of an integer operand")
			return a
		}
		if mod&dxbc.ModNeg != 0 {
			un(OpINeg)
		}
	}
	return a
}

// raw reads components of a register without modifiers.
func (b *builder) raw(o *dxbc.Operand, comps []uint8, out []Lane) {
	switch o.Reg {
	case dxbc.RegImmediate32:
		for k, c := range comps {
			if o.Mode == dxbc.CompOne {
				c = 0
			}
			out[k] = b.constant(o.Imm[c])
		}
	case dxbc.RegImmediate64:
		for k, c := range comps {
			out[k] = b.constant(o.Imm[c])
		}
	case dxbc.RegTemp:
		n := int64(o.Index(0).Imm) * 4
		if o.Index(0).Rel != nil || n+3 >= int64(b.tempVars) {
			b.fail(codeUndeclared, "r%d is not declared", o.Index(0).Imm)
			b.fill(out)
			return
		}
		for k, c := range comps {
			out[k] = b.get(int32(n) + int32(c))
		}
	case dxbc.RegIndexableTemp:
		b.readX(o, comps, out)
	case dxbc.RegConstantBuffer:
		b.readCB(o, comps, out)
	case dxbc.RegImmediateConstantBuffer:
		b.readICB(o, comps, out)
	case dxbc.RegInput:
		if arr, first, ok := arrayOf(b.inArray, o.Index(0).Imm); ok && o.Index(0).Rel != nil {
			b.loadArray(arr, o.Index(0), first, comps, out)
			for i := range b.f.Inputs {
				if e := &b.f.Inputs[i]; e.RegType == dxbc.RegInput && e.Register >= first && e.Register < first+b.f.Arrays[arr].Len {
					for _, c := range comps {
						e.Used |= 1 << c & e.Mask
					}
				}
			}
			return
		}
		if o.Index(0).Rel != nil {
			b.fail(codeOperand, "v%d is indexed by a register outside an index range", o.Index(0).Imm)
			b.fill(out)
			return
		}
		b.readInput(o.Reg, o.Index(0).Imm, comps, out)
	case dxbc.RegThis:
		b.readThis(o, comps, out)
	case dxbc.RegThreadID, dxbc.RegThreadGroupID, dxbc.RegThreadIDInGroup, dxbc.RegThreadIDInGroupFlattened, dxbc.RegInputCoverage, dxbc.RegPrimitiveID, dxbc.RegInnerCoverage:
		b.readInput(o.Reg, 0, comps, out)
	case dxbc.RegOutput:
		for k, c := range comps {
			e, ok := b.outIndex.get(outKey{o.Reg, o.Index(0).Imm, c})
			if !ok {
				b.fail(codeUndeclared, "o%d is not declared", o.Index(0).Imm)
				b.fill(out)
				return
			}
			out[k] = b.get(b.outVars[e] + int32(c))
		}
	default:
		b.fail(codeOperand, "register %s cannot be read here", o.Reg)
		b.fill(out)
	}
}

func (b *builder) fill(out []Lane) {
	for k := range out {
		out[k] = Lane{V: b.undef}
	}
}

func (b *builder) readInput(reg dxbc.RegType, num uint32, comps []uint8, out []Lane) {
	for k, c := range comps {
		if reg != dxbc.RegInput && (reg == dxbc.RegThreadIDInGroupFlattened || reg == dxbc.RegInputCoverage || reg == dxbc.RegPrimitiveID) {
			c = 0
		}
		e, ok := b.inIndex.get(outKey{reg, num, c})
		if !ok {
			b.fail(codeUndeclared, "input %s%d.%c is not declared", reg, num, "xyzw"[c])
			b.fill(out)
			return
		}
		v := b.inputs[e] - 1
		if v < 0 {
			el := &b.f.Inputs[e]
			v = b.leaf(Value{Op: OpInput, N: popcount(el.Mask), Reg: -1, Instr: -1, Imm: [4]uint32{uint32(e)}})
			b.inputs[e] = v + 1
		}
		b.f.Inputs[e].Used |= 1 << c
		out[k] = Lane{v, laneOf(b.f.Inputs[e].Mask, c)}
	}
}

func (b *builder) readX(o *dxbc.Operand, comps []uint8, out []Lane) {
	x := o.Index(0).Imm
	d, ok := b.xDecl[x]
	if !ok || o.NumIndex < 2 {
		b.fail(codeUndeclared, "x%d is not declared", x)
		b.fill(out)
		return
	}
	if base, ok := b.xVars[x]; ok {
		e := o.Index(1).Imm
		if e >= d[0] {
			b.fill(out)
			return
		}
		for k, c := range comps {
			out[k] = b.get(base + int32(e)*4 + int32(c))
		}
		return
	}
	b.loadArray(b.xArray[x], o.Index(1), 0, comps, out)
}

func (b *builder) loadArray(array int32, idx dxbc.Index, first uint32, comps []uint8, out []Lane) {
	n := b.f.Arrays[array].N
	imm, rel, dynamic := b.index(idx)
	v := Value{Op: OpArrayLoad, N: n, Reg: -1, Res: array, Samp: -1, Imm: [4]uint32{imm - first}, Args: []Arg{{}}}
	if dynamic {
		v.Args[0] = Scalar(rel)
	}
	id := b.value(v)
	for k, c := range comps {
		if c >= n {
			out[k] = Lane{V: b.undef}
			continue
		}
		out[k] = Lane{id, c}
	}
}

func (b *builder) readCB(o *dxbc.Operand, comps []uint8, out []Lane) {
	last := int(o.NumIndex) - 1
	if last < 1 {
		b.fail(codeOperand, "constant buffer operand with %d indices", o.NumIndex)
		b.fill(out)
		return
	}
	if last == 1 {
		if _, sel, dynamic := b.index(o.Index(0)); dynamic {
			b.readAnyCB(o, sel, comps, out)
			return
		}
	} else if _, _, dynamic := b.index(o.Index(1)); dynamic {
		b.readCBRange(o, last, comps, out)
		return
	}
	r, ok := b.resource(b.cbs, o)
	if !ok {
		b.fill(out)
		return
	}
	imm, rel, dynamic := b.index(o.Index(last))
	v := b.row(r, imm, rel, dynamic)
	for i, c := range comps {
		out[i] = Lane{v, c}
	}
}

// row is a row of a constant buffer; at a constant index it is a leaf.
func (b *builder) row(r int32, imm uint32, rel Lane, dynamic bool) ValueID {
	res := &b.f.Resources[r]
	res.Used, res.Read = true, true
	if dynamic {
		res.Dynamic = true
		return b.value(Value{Op: OpCBLoad, N: 4, Reg: -1, Res: r, Samp: -1, Imm: [4]uint32{imm}, Args: []Arg{Scalar(rel), {}}})
	}
	k := rowKey{r, imm}
	v, ok := b.rows[k]
	if !ok {
		v = b.leaf(Value{Op: OpCBLoad, N: 4, Reg: -1, Instr: -1, Res: r, Imm: [4]uint32{imm}, Args: []Arg{{}, {}}})
		b.rows[k] = v
	}
	return v
}

// readAnyCB reads a row of whichever declared buffer a register chooses; a slot
// that is not declared reads as zero.
func (b *builder) readAnyCB(o *dxbc.Operand, sel Lane, comps []uint8, out []Lane) {
	imm, rel, dynamic := b.index(o.Index(1))
	zero := b.constant(0)
	for i := range out {
		out[i] = zero
	}
	for _, slot := range sortedKeys(b.cbs) {
		v := b.row(b.cbs[slot], imm, rel, dynamic)
		is := b.pure(OpIEq, 1, Scalar(sel), Scalar(b.constant(slot-o.Index(0).Imm)))
		n := len(comps)
		var c, t, e Arg
		c.N, t.N, e.N = uint8(n), uint8(n), uint8(n)
		for i := range comps {
			c.Lanes[i], t.Lanes[i], e.Lanes[i] = Lane{V: is}, Lane{v, comps[i]}, out[i]
		}
		s := b.pure(OpSelect, uint8(n), c, t, e)
		for i := range out {
			out[i] = Lane{s, uint8(i)}
		}
	}
}

// readThis reads what the application binds to interface slots.
func (b *builder) readThis(o *dxbc.Operand, comps []uint8, out []Lane) {
	b.fill(out)
	if b.classes == nil || o.NumIndex == 0 {
		b.fail(codeFcall, "this is read and no class is chosen")
		return
	}
	zero := b.constant(0)
	for i := range out {
		out[i] = zero
	}
	imm, rel, dynamic := b.index(o.Index(0))
	words := func(slot uint32) ([4]uint32, bool) {
		w, ok := b.classes.This(slot)
		if !ok {
			b.fail(codeFcall, "interface slot %d has no chosen class", slot)
		}
		return w, ok
	}
	if !dynamic {
		if w, ok := words(imm); ok {
			for i, c := range comps {
				out[i] = b.constant(w[c])
			}
		}
		return
	}
	for slot := imm; slot < min(b.classes.Slots(), imm+maxDynamic); slot++ {
		w, ok := words(slot)
		if !ok {
			return
		}
		is := b.pure(OpIEq, 1, Scalar(rel), Scalar(b.constant(slot-imm)))
		for i, c := range comps {
			v := b.pure(OpSelect, 1, Scalar(Lane{V: is}), Scalar(b.constant(w[c])), Scalar(out[i]))
			out[i] = Lane{V: v}
		}
	}
}

// readCBRange reads a buffer that a register chooses among those of its range.
func (b *builder) readCBRange(o *dxbc.Operand, last int, comps []uint8, out []Lane) {
	sel, idx := o.Index(last-1), o.Index(last)
	var r int32
	if last == 2 {
		base, ok := b.cbs[o.Index(0).Imm]
		if !ok || b.f.Resources[base].Count == 0 {
			b.fail(codeDynamicResource, "constant buffer of range %d is chosen by a register", o.Index(0).Imm)
			b.fill(out)
			return
		}
		r = base
		for i := range int32(b.f.Resources[base].Count) {
			b.f.Resources[base+i].Used, b.f.Resources[base+i].Read, b.f.Resources[base+i].Dynamic = true, true, true
		}
	}
	v := Value{Op: OpCBLoad, N: 4, Reg: -1, Res: r, Samp: -1, Imm: [4]uint32{idx.Imm, sel.Imm - b.f.Resources[r].Register}, Args: []Arg{{}, Scalar(b.readLane(sel.Rel, 0, 'u'))}}
	if idx.Rel != nil {
		v.Args[0] = Scalar(b.readLane(idx.Rel, 0, 'u'))
	}
	id := b.value(v)
	for i, c := range comps {
		out[i] = Lane{id, c}
	}
}

func (b *builder) readICB(o *dxbc.Operand, comps []uint8, out []Lane) {
	imm, rel, dynamic := b.index(o.Index(0))
	if !dynamic {
		for k, c := range comps {
			bits := uint32(0)
			if imm < uint32(len(b.f.ICB)) {
				bits = b.f.ICB[imm][c]
			}
			out[k] = b.constant(bits)
		}
		return
	}
	v := b.value(Value{Op: OpICBLoad, N: 4, Reg: -1, Res: -1, Samp: -1, Imm: [4]uint32{imm}, Args: []Arg{Scalar(rel)}})
	for k, c := range comps {
		out[k] = Lane{v, c}
	}
}
