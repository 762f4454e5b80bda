package interp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"fxlens/core/dxbc"
)

// What geometry, hull and domain programs have beyond the others: inputs with two
// indices, vertices that are emitted, phases. WebGPU has none of these stages, so they
// run here alone, for draws whose other stages are compared.

// registers is a register file with two indices: control point and register, or one.
type registers struct {
	row, points, regs int32
}

// wide declares the files with two indices, and those that only these stages have.
func (c *compiler) wide() error {
	p := c.p
	p.files = map[dxbc.RegType]registers{}
	switch p.Kind {
	case dxbc.Geometry, dxbc.Hull, dxbc.Domain:
	default:
		return nil
	}
	for i := range p.Shader.Program.Instrs {
		in := &p.Shader.Program.Instrs[i]
		for k := range in.Operands {
			o := &in.Operands[k]
			f := p.files[o.Reg]
			switch o.Reg {
			case dxbc.RegInput, dxbc.RegInputControlPoint, dxbc.RegOutputControlPoint:
				if o.NumIndex != 2 {
					continue
				}
				// A declaration has the number of points where an operand has one of them.
				n := o.Index(0).Imm
				if !in.Op.Has(dxbc.FlagDecl) {
					n++
				}
				if n > 32 || o.Index(1).Imm >= ioRegs {
					return &Error{i, in.Op, fmt.Errorf("%w: %s[%d][%d]", ErrMalformed, o.Reg, o.Index(0).Imm, o.Index(1).Imm)}
				}
				f.points, f.regs = max(f.points, int32(n)), max(f.regs, int32(o.Index(1).Imm)+1)
			case dxbc.RegPatchConstant:
				if o.NumIndex != 1 || o.Index(0).Imm >= ioRegs {
					return &Error{i, in.Op, fmt.Errorf("%w: %s", ErrMalformed, o.Reg)}
				}
				f.points, f.regs = 1, max(f.regs, int32(o.Index(0).Imm)+1)
			default:
				continue
			}
			p.files[o.Reg] = f
		}
	}
	for _, reg := range []dxbc.RegType{dxbc.RegInput, dxbc.RegInputControlPoint, dxbc.RegOutputControlPoint, dxbc.RegPatchConstant} {
		if f, ok := p.files[reg]; ok {
			f.row = p.rows
			p.rows += f.points * f.regs * 4
			p.files[reg] = f
		}
	}
	return nil
}

// wideRow is the row of a component of a file with two indices; it reports false for
// other operands.
func (c *compiler) wideRow(o *dxbc.Operand, comp uint8) (int32, bool) {
	f, ok := c.p.files[o.Reg]
	if !ok || o.NumIndex == 0 {
		return 0, false
	}
	last := int(o.NumIndex) - 1
	reg, regRel := o.Index(last).Imm, o.Index(last).Rel
	point, pointRel := uint32(0), (*dxbc.Operand)(nil)
	if last > 0 {
		point, pointRel = o.Index(0).Imm, o.Index(0).Rel
	}
	element := func(row, step, n int32, imm uint32, rel *dxbc.Operand) int32 {
		r := c.relative(rel)
		d := c.temp()
		c.cur.fills = append(c.cur.fills, fill{dst: d, kind: fillArray, row: row + int32(comp), step: step, n: n, imm: imm, rel: r, rel2: -1})
		return d
	}
	switch {
	case pointRel != nil && regRel != nil:
		c.fail(ErrUnsupported, "%s with two registers as indices", o.Reg)
		return -1, true
	case pointRel == nil && int64(point) >= int64(f.points), regRel == nil && int64(reg) >= int64(f.regs):
		c.fail(ErrMalformed, "%s[%d][%d] is not declared", o.Reg, point, reg)
		return -1, true
	case pointRel != nil:
		return element(f.row+int32(reg)*4, f.regs*4, f.points, point, pointRel), true
	case regRel != nil:
		return element(f.row+int32(point)*f.regs*4, 4, f.regs, reg, regRel), true
	}
	return f.row + (int32(point)*f.regs+int32(reg))*4 + int32(comp), true
}

// Vertex is the registers of a vertex or control point.
type Vertex map[uint32][4]uint32

// Strip is what a geometry program emitted between two cuts.
type Strip struct {
	Stream   uint32
	Vertices []Vertex
}

// emitted is what an invocation of a geometry program made so far.
type emitted struct {
	strips []Strip
	open   map[uint32]int // stream -> index of its strip that goes on
	n      uint32         // vertices
}

// vertexBytes is about what a vertex takes: the map, and each register in it.
func vertexBytes(regs int) int64 { return 96 + 48*int64(regs) }

func cloneEmitted(es []emitted) []emitted {
	out := slices.Clone(es)
	for i := range out {
		out[i].open = maps.Clone(es[i].open)
		out[i].strips = slices.Clone(es[i].strips)
		for k := range out[i].strips {
			out[i].strips[k].Vertices = slices.Clone(es[i].strips[k].Vertices)
		}
	}
	return out
}

// emit appends the outputs of the invocations as vertices and ends strips. What is in
// the outputs afterwards D3D leaves undefined: here they keep their values.
func (m *Machine) emit(in *inst, lanes []int32) {
	for _, i := range lanes {
		if m.asleep(i) {
			continue
		}
		e := &m.emitted[i]
		if in.n&1 != 0 && e.n < m.p.maxOut {
			e.n++
			if m.made += vertexBytes(len(m.p.Outputs())); m.made > m.opt.memory() {
				m.failure = &Error{int(in.at), in.dx, fmt.Errorf("%w: the vertices that are emitted", ErrMemory)}
				m.done = true
				return
			}
			at, ok := e.open[in.fn]
			if !ok {
				at = len(e.strips)
				e.open[in.fn] = at
				e.strips = append(e.strips, Strip{Stream: in.fn})
			}
			v := Vertex{}
			for r := range uint32(ioRegs) {
				if m.p.outMask[r] == 0 {
					continue
				}
				var w [4]uint32
				for k := range w {
					w[k] = m.rows[m.p.outRow+int32(r)*4+int32(k)][i]
				}
				v[r] = w
			}
			e.strips[at].Vertices = append(e.strips[at].Vertices, v)
		}
		if in.n&2 != 0 {
			delete(e.open, in.fn)
		}
	}
}

// widen loads the files with two indices and the registers of these stages.
func (m *Machine) widen(b *Batch) {
	for reg, f := range m.p.files {
		if b.Wide == nil {
			break
		}
		for i := range m.n {
			for p := range int(f.points) {
				for r := range f.regs {
					w := b.Wide(i, reg, p, uint32(r))
					for k := range w {
						m.rows[f.row+(int32(p)*f.regs+r)*4+int32(k)][i] = w[k]
					}
				}
			}
		}
	}
	for reg, rows := range b.Special {
		if at, ok := m.p.special[reg]; ok {
			for i := range min(m.n, len(rows)) {
				for k := range rows[i] {
					m.rows[at+int32(k)][i] = rows[i][k]
				}
			}
		}
	}
	for r, w := range b.Before {
		for k := range w {
			if int64(r) < int64(m.p.outs) {
				for i := range m.n {
					m.rows[m.p.outRow+int32(r)*4+int32(k)][i] = w[k]
				}
			}
		}
	}
	if m.p.Kind == dxbc.Geometry {
		m.emitted, m.made = make([]emitted, m.n), 0
		for i := range m.emitted {
			m.emitted[i].open = map[uint32]int{}
		}
	}
}

// number is the first number of a declaration of the program, or def.
func number(s *dxbc.Program, op dxbc.Op, def uint32) uint32 {
	for i := range s.Instrs {
		if d := s.Instrs[i].Decl; s.Instrs[i].Op == op && d != nil && len(d.Words) > 0 {
			return d.Words[0]
		}
	}
	return def
}

// Geometry runs a geometry program over primitives, each a list of vertices, and
// returns the strips that it emitted: primitive by primitive, within one instance by
// instance, in the order of their first vertices.
func Geometry(ctx context.Context, p *Program, env *Env, prims [][]Vertex, opt Options) ([]Strip, *Report, error) {
	if p.Kind != dxbc.Geometry {
		return nil, &Report{}, &Error{-1, 0, fmt.Errorf("%w: a %s program where a geometry program should be", ErrUnsupported, p.Kind)}
	}
	per := int(min(max(number(p.Shader.Program, dxbc.OpDclGsinstances, 1), 1), 32))
	if len(prims) == 0 {
		return nil, &Report{}, nil
	}
	b := &Batch{N: per * len(prims), PrimitiveID: make([]uint32, per*len(prims)), Special: map[dxbc.RegType][][4]uint32{}}
	b.Wide = func(i int, _ dxbc.RegType, point int, reg uint32) [4]uint32 {
		if v := prims[i/per]; point < len(v) {
			return v[point][reg]
		}
		return [4]uint32{}
	}
	for i := range b.N {
		b.PrimitiveID[i] = uint32(i / per)
		b.Special[dxbc.RegGSInstanceID] = append(b.Special[dxbc.RegGSInstanceID], [4]uint32{uint32(i % per)})
	}
	rep, err := p.Run(ctx, env, b, opt)
	return b.Strips, rep, err
}

// Hull is a hull program in executable form: its phases.
type Hull struct {
	points   int // output control points
	control  *hullPhase
	constant []*hullPhase // fork and join phases in their order
	shader   *dxbc.Shader
}

// hullPhase is a phase as a program of its own: the declarations that all phases
// share, then the phase's instructions.
type hullPhase struct {
	*Program
	instances uint32
	join      bool
	decls     int // how many instructions are shared
	first     int // the phase's first in the whole program
}

// at is the place in the whole program of an instruction of the phase.
func (h *hullPhase) at(i int) int {
	if i < h.decls {
		return i
	}
	return i - h.decls + h.first
}

// moved places an error of the phase in the whole program.
func (h *hullPhase) moved(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return &Error{h.at(e.Instr), e.Op, e.Err}
	}
	return err
}

// CompileHull makes a hull program executable. It fails like Compile.
func CompileHull(s *dxbc.Shader) (*Hull, error) {
	if s == nil || s.Program == nil || s.Program.Kind != dxbc.Hull {
		return nil, &Error{-1, 0, fmt.Errorf("%w: no hull program", ErrUnsupported)}
	}
	h := &Hull{shader: s, points: int(number(s.Program, dxbc.OpDclOutputControlPointCount, 0))}
	if h.points > 32 {
		return nil, &Error{-1, 0, fmt.Errorf("%w: %d control points", ErrMalformed, h.points)}
	}
	all := s.Program.Instrs
	starts := []int{}
	for i := range all {
		switch all[i].Op {
		case dxbc.OpHsControlPointPhase, dxbc.OpHsForkPhase, dxbc.OpHsJoinPhase:
			starts = append(starts, i)
		}
	}
	// Every phase repeats the declarations before the first: a bound for programs that
	// no compiler makes.
	if len(starts) > 0 && len(starts)*(starts[0]+1) > 1<<14 {
		return nil, &Error{-1, 0, fmt.Errorf("%w: %d phases with %d declarations", ErrMemory, len(starts), starts[0])}
	}
	for k, from := range starts {
		to := len(all)
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		one := *s.Program
		one.Instrs = append(append([]dxbc.Instr(nil), all[:starts[0]]...), all[from+1:to]...)
		sh := *s
		sh.Program = &one
		c := newCompiler(&sh, CompileOptions{})
		ph := &hullPhase{Program: c.p, decls: starts[0], first: from + 1}
		if err := c.program(); err != nil {
			return nil, ph.moved(err)
		}
		switch all[from].Op {
		case dxbc.OpHsControlPointPhase:
			h.control = ph
			continue
		case dxbc.OpHsForkPhase:
			ph.instances = number(&one, dxbc.OpDclHsForkPhaseInstanceCount, 1)
		default:
			ph.instances, ph.join = number(&one, dxbc.OpDclHsJoinPhaseInstanceCount, 1), true
		}
		if ph.instances > 128 {
			return nil, &Error{from, all[from].Op, fmt.Errorf("%w: %d instances of a phase", ErrMalformed, ph.instances)}
		}
		h.constant = append(h.constant, ph)
	}
	return h, nil
}

// Patch is what a hull program makes of a patch.
type Patch struct {
	Points    []Vertex
	Constants Vertex
}

// Run runs the hull program for patch number id. Without a control point phase the
// input points are the output points. Options.MaxSteps bounds all phases together.
func (h *Hull) Run(ctx context.Context, env *Env, points []Vertex, id uint32, opt Options) (*Patch, *Report, error) {
	rep := &Report{}
	out := &Patch{Points: points, Constants: Vertex{}}
	phase := func(p *hullPhase, b *Batch) error {
		b.PrimitiveID = make([]uint32, b.N)
		for i := range b.PrimitiveID {
			b.PrimitiveID[i] = id
		}
		b.Wide = func(_ int, reg dxbc.RegType, point int, r uint32) [4]uint32 {
			from := points
			switch reg {
			case dxbc.RegOutputControlPoint:
				from = out.Points
			case dxbc.RegPatchConstant:
				return out.Constants[r]
			}
			if point < len(from) {
				return from[point][r]
			}
			return [4]uint32{}
		}
		left, err := opt.Rest(rep)
		if err != nil {
			return err
		}
		if opt.Trace != nil {
			left.Trace = func(i int, m *Machine) { opt.Trace(p.at(i), m) }
		}
		x, err := p.Run(ctx, env, b, left)
		for i := range x.Events {
			x.Events[i].Instr = p.at(x.Events[i].Instr)
		}
		rep.Add(x)
		return p.moved(err)
	}
	counted := func(n int) [][4]uint32 {
		ids := make([][4]uint32, n)
		for i := range ids {
			ids[i][0] = uint32(i)
		}
		return ids
	}
	if h.control != nil && h.points > 0 {
		b := &Batch{N: h.points, Special: map[dxbc.RegType][][4]uint32{dxbc.RegOutputControlPointID: counted(h.points)}}
		if err := phase(h.control, b); err != nil {
			return nil, rep, err
		}
		made := make([]Vertex, h.points)
		for i := range made {
			made[i] = Vertex{}
			for r, rows := range b.Out {
				made[i][r] = rows[i]
			}
		}
		out.Points = made
	}
	for _, ph := range h.constant {
		for n := range ph.instances {
			// One at a time: each goes on with the constants that the others left.
			reg := dxbc.RegForkInstanceID
			if ph.join {
				reg = dxbc.RegJoinInstanceID
			}
			b := &Batch{N: 1, Special: map[dxbc.RegType][][4]uint32{reg: {{n}}}, Before: out.Constants}
			if err := phase(ph, b); err != nil {
				return nil, rep, err
			}
			next := maps.Clone(out.Constants)
			for r, rows := range b.Out {
				w := next[r]
				for k := range w {
					if ph.outMask[r]>>k&1 != 0 {
						w[k] = rows[0][k]
					}
				}
				next[r] = w
			}
			out.Constants = next
		}
	}
	return out, rep, nil
}

// Domain runs a domain program at the points of a patch and returns their vertices.
func Domain(ctx context.Context, p *Program, env *Env, patch *Patch, at [][3]float32, id uint32, opt Options) ([]Vertex, *Report, error) {
	if p.Kind != dxbc.Domain {
		return nil, &Report{}, &Error{-1, 0, fmt.Errorf("%w: a %s program where a domain program should be", ErrUnsupported, p.Kind)}
	}
	if len(at) == 0 {
		return nil, &Report{}, nil
	}
	b := &Batch{N: len(at), Special: map[dxbc.RegType][][4]uint32{}, PrimitiveID: make([]uint32, len(at))}
	for i, x := range at {
		b.PrimitiveID[i] = id
		b.Special[dxbc.RegDomainPoint] = append(b.Special[dxbc.RegDomainPoint], [4]uint32{math.Float32bits(x[0]), math.Float32bits(x[1]), math.Float32bits(x[2])})
	}
	b.Wide = func(_ int, reg dxbc.RegType, point int, r uint32) [4]uint32 {
		if reg == dxbc.RegPatchConstant {
			return patch.Constants[r]
		}
		if point < len(patch.Points) {
			return patch.Points[point][r]
		}
		return [4]uint32{}
	}
	rep, err := p.Run(ctx, env, b, opt)
	if err != nil {
		return nil, rep, err
	}
	out := make([]Vertex, len(at))
	for i := range out {
		out[i] = Vertex{}
		for r, rows := range b.Out {
			out[i][r] = rows[i]
		}
	}
	return out, rep, nil
}

// emitOps are the instructions that emit: bit 0, and cut: bit 1.
var emitOps = map[dxbc.Op]uint8{dxbc.OpEmit: 1, dxbc.OpCut: 2, dxbc.OpEmitThenCut: 3, dxbc.OpEmitStream: 1, dxbc.OpCutStream: 2, dxbc.OpEmitThenCutStream: 3}

// emits compiles an instruction that emits, or reports false.
func (c *compiler) emits() bool {
	how, ok := emitOps[c.in.Op]
	if !ok {
		return false
	}
	c.cur.kind, c.cur.n = kEmit, how
	if c.in.NumSrc() > 0 {
		c.cur.fn = c.in.Src(0).Index(0).Imm
	}
	if c.p.Kind != dxbc.Geometry {
		c.fail(ErrMalformed, "%s in a %s program", c.in.Op, c.p.Kind)
	}
	return true
}
