package interp

import (
	"context"
	"fmt"

	"fxlens/core/dxbc"
)

// Dispatch runs a compute program over groups[0] x groups[1] x groups[2] groups,
// one after the other. UAVs of env are changed in place. The report is valid also
// when an error ends the run.
func Dispatch(ctx context.Context, p *Program, env *Env, groups [3]uint32, opt Options) (*Report, error) {
	rep := &Report{}
	err := eachGroup(p, env, groups, &opt, rep, func(m *Machine, _ [3]uint32) (bool, error) {
		err := m.run(ctx)
		rep.Steps = m.steps
		return true, err
	})
	return rep, err
}

// eachGroup readies the groups of a dispatch one after the other and visits them
// until visit says that it has enough, or fails.
func eachGroup(p *Program, env *Env, groups [3]uint32, opt *Options, rep *Report, visit func(m *Machine, id [3]uint32) (bool, error)) error {
	if p.Kind != dxbc.Compute {
		return &Error{-1, 0, fmt.Errorf("%w: a %s program cannot be dispatched", ErrUnsupported, p.Kind)}
	}
	n := int(p.Group[0] * p.Group[1] * p.Group[2])
	m, err := p.machine(env, n, opt, rep, map[eventKey]int{})
	if err != nil {
		return err
	}
	for _, g := range groups {
		if g > 65535 {
			return &Error{-1, 0, fmt.Errorf("%w: %d groups in one dimension, the limit is 65535", ErrMalformed, g)}
		}
	}
	if err := m.shadow(); err != nil {
		return err
	}
	first := true
	for z := range groups[2] {
		for y := range groups[1] {
			for x := range groups[0] {
				m.reset()
				if !first {
					m.group += uint32(n)
				}
				first = false
				m.epoch++
				m.firstEpoch = m.epoch
				m.threads(x, y, z)
				if more, err := visit(m, [3]uint32{x, y, z}); !more || err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// threads sets the thread registers of a group and clears groupshared memory.
func (m *Machine) threads(x, y, z uint32) {
	p := m.p
	rows := func(r dxbc.RegType) [][]uint32 {
		if at, ok := p.special[r]; ok {
			return m.rows[at : at+4]
		}
		return nil
	}
	id, gid := rows(dxbc.RegThreadID), rows(dxbc.RegThreadGroupID)
	local, flat := rows(dxbc.RegThreadIDInGroup), rows(dxbc.RegThreadIDInGroupFlattened)
	i := uint32(0)
	for tz := range p.Group[2] {
		for ty := range p.Group[1] {
			for tx := range p.Group[0] {
				for k, t := range [3]uint32{tx, ty, tz} {
					g := [3]uint32{x, y, z}[k]
					if local != nil {
						local[k][i] = t
					}
					if gid != nil {
						gid[k][i] = g
					}
					if id != nil {
						id[k][i] = g*p.Group[k] + t
					}
				}
				if flat != nil {
					flat[0][i] = i
				}
				i++
			}
		}
	}
	for _, s := range m.shared {
		clear(s.Data)
		clear(s.Tainted)
		clear(s.access)
	}
}

// shadow makes groupshared memory and the tables that the checks keep.
func (m *Machine) shadow() error {
	total := int64(0)
	add := func(mem *Memory) {
		words := (len(mem.Data) + 3) / 4
		if m.opt.Track && mem.Tainted == nil {
			mem.Tainted = make([]bool, words)
		}
		mem.access = nil
		if !m.opt.NoRaces {
			total += int64(words) * 24
			mem.access = make([]access, words)
		}
	}
	for _, s := range m.p.shared {
		mem := NewMemory(make([]byte, (s.size+3)&^3))
		if known := m.opt.Shared; known != nil && s.index < len(*known) {
			mem.Raced = (*known)[s.index].Raced
		}
		m.shared = append(m.shared, mem)
		add(mem)
	}
	if m.opt.Shared != nil {
		*m.opt.Shared = m.shared
	}
	limit := m.opt.memory()
	if m.opt.NoRaces && !m.opt.Track {
		return nil
	}
	for _, v := range m.env.UAVs {
		if v != nil && v.Tex != nil {
			v.Tex.access = nil
		}
		if v != nil && v.Mem != nil {
			if total+int64(len(v.Mem.Data))*6 > limit {
				return &Error{-1, 0, fmt.Errorf("%w: the check for races needs more", ErrMemory)}
			}
			add(v.Mem)
		}
	}
	return nil
}

// Run executes one batch of a vertex or pixel program and fills its results.
func (p *Program) Run(ctx context.Context, env *Env, b *Batch, opt Options) (*Report, error) {
	rep := &Report{}
	if p.Kind == dxbc.Compute {
		return rep, &Error{-1, 0, fmt.Errorf("%w: a compute program is dispatched", ErrUnsupported)}
	}
	if p.Kind == dxbc.Pixel && b.N%4 != 0 {
		return rep, &Error{-1, 0, fmt.Errorf("%w: %d pixels are not whole quads", ErrMalformed, b.N)}
	}
	m, err := p.machine(env, b.N, &opt, rep, map[eventKey]int{})
	if err != nil {
		return rep, err
	}
	if err := m.shadow(); err != nil {
		return rep, err
	}
	m.begin(b)
	err = m.run(ctx)
	rep.Steps = m.steps
	if err != nil {
		return rep, err
	}
	m.collect(b)
	return rep, nil
}

// begin loads the inputs of a batch.
func (m *Machine) begin(b *Batch) {
	m.batch = b
	m.reset()
	for r, rows := range b.In {
		if r >= uint32(m.p.ins) {
			continue
		}
		for i := range min(len(rows), m.n) {
			for k := range 4 {
				m.rows[m.p.inRow+int32(r)*4+int32(k)][i] = rows[i][k]
			}
		}
	}
	for reg, v := range map[dxbc.RegType][]uint32{dxbc.RegInputCoverage: b.Coverage, dxbc.RegInnerCoverage: b.InnerCoverage, dxbc.RegPrimitiveID: b.PrimitiveID} {
		if at, ok := m.p.special[reg]; ok {
			copy(m.rows[at], v)
		}
	}
	m.widen(b)
	for i := range min(len(b.Helper), m.n) {
		if b.Helper[i] {
			m.helper.set(i)
		}
	}
}

// collect stores the outputs of a batch.
func (m *Machine) collect(b *Batch) {
	b.Out = map[uint32][][4]uint32{}
	for r := range uint32(ioRegs) {
		if m.p.outMask[r] == 0 {
			continue
		}
		rows := make([][4]uint32, m.n)
		for i := range rows {
			for k := range 4 {
				if m.p.outMask[r]>>k&1 != 0 {
					rows[i][k] = m.rows[m.p.outRow+int32(r)*4+int32(k)][i]
				}
			}
		}
		b.Out[r] = rows
	}
	for i := range m.p.Shader.Program.Instrs {
		in := &m.p.Shader.Program.Instrs[i]
		if in.Op < dxbc.OpDclOutput || in.Op > dxbc.OpDclOutputSiv || len(in.Operands) == 0 {
			continue
		}
		row, ok := m.p.special[in.Operands[0].Reg]
		if !ok {
			continue
		}
		v := append([]uint32(nil), m.rows[row]...)
		switch in.Operands[0].Reg {
		case dxbc.RegOutputDepth, dxbc.RegOutputDepthGE, dxbc.RegOutputDepthLE:
			b.Depth = v
		case dxbc.RegOutputCoverageMask:
			b.Mask = v
		case dxbc.RegOutputStencilRef:
			b.Stencil = v
		}
	}
	b.Strips = nil
	for _, e := range m.emitted {
		b.Strips = append(b.Strips, e.strips...)
	}
	b.Discarded = make([]bool, m.n)
	for i := range m.n {
		b.Discarded[i] = m.killed.has(i)
	}
	b.Tainted, b.OutTainted = m.tainted, nil
	if m.tainted != nil {
		b.OutTainted = map[uint32][]uint8{}
		for r := range b.Out {
			marks := make([]uint8, m.n)
			for i := range marks {
				for k := range 4 {
					if m.taint[m.p.outRow+int32(r)*4+int32(k)][i] || m.tainted[i] {
						marks[i] |= 1 << k
					}
				}
			}
			b.OutTainted[r] = marks
		}
		for reg, row := range m.p.special {
			switch reg {
			case dxbc.RegOutputDepth, dxbc.RegOutputDepthGE, dxbc.RegOutputDepthLE, dxbc.RegOutputCoverageMask, dxbc.RegOutputStencilRef:
				marks := make([]uint8, m.n)
				for i := range marks {
					if m.taint[row][i] || m.tainted[i] {
						marks[i] = 1
					}
				}
				b.OutTainted[^uint32(reg)] = marks
			}
		}
	}
}

// EarlyDepth reports whether the program forces the depth test before it runs.
func (p *Program) EarlyDepth() bool { return p.early }

// Outputs lists the o# registers that the program declares, with their components.
func (p *Program) Outputs() map[uint32]uint8 {
	out := map[uint32]uint8{}
	for r, m := range p.outMask {
		if m != 0 {
			out[uint32(r)] = m
		}
	}
	return out
}

// Register reads a register of an invocation: the four words of r#, v#, o#, or of
// a thread register. It reports false for registers that the program does not have.
func (m *Machine) Register(reg dxbc.RegType, n uint32, invocation int) ([4]uint32, bool) {
	var base int32
	switch {
	case reg == dxbc.RegTemp && int64(n) < int64(m.p.temps):
		base = int32(n) * 4
	case reg == dxbc.RegInput && n < uint32(m.p.ins):
		base = m.p.inRow + int32(n)*4
	case reg == dxbc.RegOutput && n < uint32(m.p.outs):
		base = m.p.outRow + int32(n)*4
	default:
		row, ok := m.p.special[reg]
		if !ok {
			return [4]uint32{}, false
		}
		base = row
	}
	if invocation < 0 || invocation >= m.n {
		return [4]uint32{}, false
	}
	var out [4]uint32
	for k := range out {
		out[k] = m.rows[base+int32(k)][invocation]
	}
	return out, true
}

// Active reports whether an invocation executes the current instruction.
func (m *Machine) Active(invocation int) bool {
	return invocation >= 0 && invocation < m.n && m.active.has(invocation)
}

// Invocations is the number of invocations of the batch.
func (m *Machine) Invocations() int { return m.n }

// First is the number of the batch's first invocation in the whole run.
func (m *Machine) First() int { return int(m.group) }
