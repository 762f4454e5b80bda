package ir

import "fxlens/core/dxbc"

// maxDynamic bounds the registers of a range that an instruction may choose
// among: each becomes a clause of a switch.
const maxDynamic = 64

// dynamicOperand returns the operand of in that a register chooses among several
// resources of a finite SM5.1 range, and the first and the number of them.
func (b *builder) dynamicOperand(in *dxbc.Instr) (operand int, first int32, ok bool) {
	if !b.sm51 {
		return 0, 0, false
	}
	for i := range in.Operands {
		o := &in.Operands[i]
		var m map[uint32]int32
		switch o.Reg {
		case dxbc.RegResource:
			m = b.srvs
		case dxbc.RegUAV:
			m = b.uavs
		case dxbc.RegSampler:
			m = b.samps
		default:
			continue
		}
		if o.NumIndex < 2 || o.Index(1).Rel == nil {
			continue
		}
		if base, ok := m[o.Index(0).Imm]; ok && b.f.Resources[base].Count > 1 {
			return i, base, true
		}
	}
	return 0, 0, false
}

// dynamic lowers an instruction whose resource a register chooses: a switch on
// the register with the instruction once for each resource. Outside the range
// D3D leaves the result undefined; here nothing runs and the destination reads zero.
func (b *builder) dynamic(in *dxbc.Instr, operand int, first int32) {
	base := &b.f.Resources[first]
	count := base.Count
	if count > maxDynamic {
		b.fail(codeDynamicResource, "%s is chosen by a register among %d", in.Operands[operand].Reg, count)
		return
	}
	idx := in.Operands[operand].Index(1)
	sel := b.readLane(idx.Rel, 0, 'u')
	if off := idx.Imm - base.Register; off != 0 {
		v := b.pure(OpIAdd, 1, Scalar(sel), Scalar(b.constant(off)))
		sel = Lane{V: v}
	}
	register := base.Register
	if k, ok := b.f.bits(sel); ok { // a constant by way of a register: unoptimised code
		b.chosen(in, operand, register+k, k < count)
		return
	}
	id := b.node(Node{Kind: NodeSwitch, Instr: b.instr, Target: NoNode, Value: NoValue, Construct: &Construct{Cond: Scalar(sel), Default: int(count), EndInstr: -1}})
	outer, mark, instr := b.region, len(b.log), b.instr
	var exits []exit
	for k := uint32(0); k <= count; k++ {
		r := b.newRegion(id)
		n := &b.f.Nodes[id]
		n.Regions = append(n.Regions, r)
		var labels []uint32
		if k < count {
			labels = []uint32{k}
		}
		n.Labels = append(n.Labels, labels)
		b.region, b.instr = r, instr
		b.chosen(in, operand, register+k, k < count)
		brk := b.node(Node{Kind: NodeBreak, Instr: -1, Target: id, Value: NoValue})
		exits = append(exits, exit{brk, b.rollback(mark)})
	}
	b.region, b.instr = outer, instr
	b.join(id, exits)
}

// chosen lowers in with the given register in place of the choice; where that is
// outside the range, its destinations are zero.
func (b *builder) chosen(in *dxbc.Instr, operand int, register uint32, inside bool) {
	if inside {
		one := *in
		one.Operands = append([]dxbc.Operand(nil), in.Operands...)
		one.Operands[operand].SetIndex(1, dxbc.Index{Imm: register})
		b.op(&one)
		return
	}
	zero := b.constant(0)
	for d := range int(in.NumDst) {
		dst := in.Dst(d)
		switch dst.Reg {
		case dxbc.RegNull, dxbc.RegUAV, dxbc.RegGroupShared:
		default:
			b.write(&dxbc.Instr{}, dst, maskComps(dst), repeat(zero))
		}
	}
}
