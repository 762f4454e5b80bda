package interp

import (
	"cmp"
	"fmt"
	"slices"

	"fxlens/core/dxbc"
)

// Lane names one 32-bit component of a register: r3.x, v0.w, o1.y, x2[5].z,
// vThreadID.x.
type Lane struct {
	Reg     dxbc.RegType
	Index   uint32 // r#, v#, o#, x#; 0 for registers without a number
	Element uint32 // x#: its element
	Comp    uint8
}

func (l Lane) String() string {
	s := l.Reg.String()
	switch l.Reg {
	case dxbc.RegTemp, dxbc.RegInput, dxbc.RegOutput:
		s = fmt.Sprintf("%s%d", s, l.Index)
	case dxbc.RegIndexableTemp:
		s = fmt.Sprintf("%s%d[%d]", s, l.Index, l.Element)
	}
	return s + "." + "xyzw"[l.Comp&3:l.Comp&3+1]
}

// row is the row of a lane, or -1.
func (p *Program) row(l Lane) int32 {
	if l.Comp > 3 {
		return -1
	}
	switch {
	case l.Reg == dxbc.RegTemp && int64(l.Index) < int64(p.temps):
		return int32(l.Index)*4 + int32(l.Comp)
	case l.Reg == dxbc.RegInput && int64(l.Index) < int64(p.ins):
		return p.inRow + int32(l.Index)*4 + int32(l.Comp)
	case l.Reg == dxbc.RegOutput && int64(l.Index) < int64(p.outs):
		return p.outRow + int32(l.Index)*4 + int32(l.Comp)
	case l.Reg == dxbc.RegIndexableTemp:
		if x := p.arrays[l.Index]; x != nil && int64(l.Element) < int64(x.n) && int32(l.Comp) < x.comps {
			return x.row + int32(l.Element)*x.comps + int32(l.Comp)
		}
		return -1
	}
	if r, ok := p.special[l.Reg]; ok {
		return r + int32(l.Comp)
	}
	return -1
}

// laneOf is the lane of a row; it reports false for constants and scratch.
func (p *Program) laneOf(row int32) (Lane, bool) {
	switch {
	case row < 0 || row >= p.scratch-int32(len(p.consts)):
		return Lane{}, false
	case row < p.temps*4:
		return Lane{Reg: dxbc.RegTemp, Index: uint32(row / 4), Comp: uint8(row % 4)}, true
	case row >= p.inRow && row < p.inRow+p.ins*4:
		return Lane{Reg: dxbc.RegInput, Index: uint32((row - p.inRow) / 4), Comp: uint8((row - p.inRow) % 4)}, true
	case row >= p.outRow && row < p.outRow+p.outs*4:
		return Lane{Reg: dxbc.RegOutput, Index: uint32((row - p.outRow) / 4), Comp: uint8((row - p.outRow) % 4)}, true
	}
	for reg, at := range p.special {
		if row >= at && row < at+4 {
			return Lane{Reg: reg, Comp: uint8(row - at)}, true
		}
	}
	for n, x := range p.arrays {
		if row >= x.row && row < x.row+x.n*x.comps {
			return Lane{Reg: dxbc.RegIndexableTemp, Index: n, Element: uint32((row - x.row) / x.comps), Comp: uint8((row - x.row) % x.comps)}, true
		}
	}
	return Lane{}, false
}

// Lanes lists the lanes of the program's registers: temporaries, inputs, outputs,
// registers without a number, arrays.
func (p *Program) Lanes() []Lane {
	var out []Lane
	add := func(reg dxbc.RegType, n int32) {
		for i := range n * 4 {
			out = append(out, Lane{Reg: reg, Index: uint32(i / 4), Comp: uint8(i % 4)})
		}
	}
	add(dxbc.RegTemp, p.temps)
	add(dxbc.RegInput, p.ins)
	add(dxbc.RegOutput, p.outs)
	regs := make([]dxbc.RegType, 0, len(p.special))
	for r := range p.special {
		regs = append(regs, r)
	}
	slices.SortFunc(regs, func(a, b dxbc.RegType) int { return cmp.Compare(a, b) })
	for _, r := range regs {
		for k := range uint8(4) {
			out = append(out, Lane{Reg: r, Comp: k})
		}
	}
	for _, n := range sortedKeys(p.arrays) {
		x := p.arrays[n]
		for e := range x.n {
			for k := range x.comps {
				out = append(out, Lane{Reg: dxbc.RegIndexableTemp, Index: n, Element: uint32(e), Comp: uint8(k)})
			}
		}
	}
	return out
}

// Lane reads a register lane of an invocation. It reports false for a lane or an
// invocation that does not exist.
func (m *Machine) Lane(l Lane, invocation int) (uint32, bool) {
	r := m.p.row(l)
	if r < 0 || invocation < 0 || invocation >= m.n {
		return 0, false
	}
	return m.rows[r][invocation], true
}

// Effect is a register lane that an instruction writes, with the lanes that the
// value is made of: those of the same component where components are computed
// alone, else all that the instruction reads. Constants and memory are not listed.
type Effect struct {
	Lane Lane
	From []Lane
}

// Effects says what the next instruction is going to write for an invocation, and
// from what. It is empty when the invocation does not take part.
func (m *Machine) Effects(invocation int) []Effect {
	if m.done || int(m.pc) >= len(m.p.insts) || !m.Active(invocation) {
		return nil
	}
	in, i := &m.p.insts[m.pc], int32(invocation)
	sources := map[int32][]int32{} // a scratch row is made of these
	for k := range in.fills {
		f := &in.fills[k]
		var from []int32
		through := func(r int32) {
			if r < 0 {
				return
			}
			if s, ok := sources[r]; ok {
				from = append(from, s...)
				return
			}
			from = append(from, r)
		}
		through(f.rel)
		through(f.rel2)
		switch f.kind {
		case fillMove:
			through(f.row)
		case fillArray:
			if e := m.indexNow(f.imm, f.rel, i); e < uint32(f.n) {
				from = append(from, f.row+int32(e)*f.step)
			}
		}
		sources[f.dst] = from
	}
	lanes := func(rows ...int32) []Lane {
		var out []Lane
		add := func(r int32) {
			if l, ok := m.p.laneOf(r); ok && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
		for _, r := range rows {
			if s, ok := sources[r]; ok {
				for _, x := range s {
					add(x)
				}
				continue
			}
			add(r)
		}
		return out
	}
	var all []Lane
	everything := func() []Lane {
		if all == nil {
			rows := []int32{in.resRel, in.sampRel, in.lodRow, in.refRow, in.clampRow, in.cmpRow}
			for s := range in.src {
				rows = append(rows, in.src[s][:]...)
			}
			switch in.kind {
			case kSample:
				if in.sampleKind == lodGradient {
					rows = append(append(rows, in.dxRow[:]...), in.dyRow[:]...)
				}
			case kAtomic:
				rows = append(rows, in.valRow[0])
			case kGather:
				rows = append(rows, in.offRow[:]...)
			}
			all = lanes(rows...)
		}
		return all
	}
	from := func(k int) []Lane {
		switch in.kind {
		case kLane, kLane2, kMov, kSwapc:
			var rows []int32
			for s := range int(in.nsrc) {
				rows = append(rows, in.src[s][k])
			}
			return lanes(rows...)
		}
		return everything()
	}
	var out []Effect
	m.destinations(in, i, func(l Lane, comp int, rel int32) {
		switch {
		case comp < 0:
			out = append(out, Effect{l, everything()})
		case rel < 0:
			out = append(out, Effect{l, from(comp)})
		default:
			out = append(out, Effect{l, append(from(comp), lanes(rel)...)})
		}
	})
	return out
}

// destinations visits the lanes that an instruction is going to write for an invocation: with
// the component that the value is computed as, -1 for the status of a load, and the row
// of the index that chooses the place, -1 where it is fixed.
func (m *Machine) destinations(in *inst, i int32, visit func(l Lane, comp int, rel int32)) {
	for j := range in.dst {
		for k := range 4 {
			r := in.dst[j][k]
			if r < 0 {
				continue
			}
			if l, ok := m.p.laneOf(r); ok {
				visit(l, k, -1)
				continue
			}
			for _, s := range in.scatter {
				if s.src != r {
					continue
				}
				if e := m.indexNow(s.imm, s.rel, i); e < uint32(s.n) {
					if l, ok := m.p.laneOf(s.row + int32(e)*s.step); ok {
						visit(l, k, s.rel)
					}
				}
			}
		}
	}
	if l, ok := m.p.laneOf(in.status); ok {
		visit(l, -1, -1)
	}
}

// indexNow is index before the instruction has filled its scratch rows.
func (m *Machine) indexNow(imm uint32, rel int32, i int32) uint32 {
	if rel < 0 {
		return imm
	}
	if rel < m.p.scratch {
		return imm + m.rows[rel][i]
	}
	in := &m.p.insts[m.pc]
	for k := range in.fills {
		f := &in.fills[k]
		if f.dst != rel {
			continue
		}
		v := uint32(0)
		switch f.kind {
		case fillMove:
			v = m.rows[f.row][i]
		case fillArray:
			if e := m.indexNow(f.imm, f.rel, i); e < uint32(f.n) {
				v = m.rows[f.row+int32(e)*f.step][i]
			}
		case fillICB:
			if e := m.indexNow(f.imm, f.rel, i); e < uint32(len(m.p.icb)) {
				v = m.p.icb[e][f.comp]
			}
		case fillCBuffer:
			v = m.env.constant(Slot{m.indexNow(f.reg, f.rel2, i), f.res.space}, m.indexNow(f.imm, f.rel, i), f.comp)
		}
		switch f.mod {
		case modFNeg:
			v ^= 1 << 31
		case modFAbs:
			v &^= 1 << 31
		case modFNegAbs:
			v |= 1 << 31
		case modINeg:
			v = -v
		}
		return imm + v
	}
	return imm
}

// Writes lists the lanes that the next instruction is going to write for an
// invocation: Effects without their sources.
func (m *Machine) Writes(invocation int) []Lane {
	if m.done || int(m.pc) >= len(m.p.insts) || !m.Active(invocation) {
		return nil
	}
	var out []Lane
	m.destinations(&m.p.insts[m.pc], int32(invocation), func(l Lane, _ int, _ int32) { out = append(out, l) })
	return out
}
