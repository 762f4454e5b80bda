package debug

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/ir"
)

// Parting is where a program and a form of its intermediate representation first
// compute different bits.
type Parting struct {
	Phase      string // the phase after which they part; of Pin
	Pos        int64  // the program's position before the instruction
	Instr      int    // index into the program's instructions
	Op         dxbc.Op
	Invocation int
	Lane       interp.Lane
	DXBC, IR   uint32
	Value      ir.ValueID // NoValue where the difference shows in an output only
}

func (p *Parting) String() string {
	s := fmt.Sprintf("instruction %d (%s), invocation %d: %s is %#08x in DXBC and %#08x in the IR", p.Instr, p.Op, p.Invocation, p.Lane, p.DXBC, p.IR)
	if p.Value != ir.NoValue {
		s += fmt.Sprintf(" (v%d)", p.Value)
	}
	if p.Phase != "" {
		s += ", first after phase " + p.Phase
	}
	return s
}

// laneKey is a register lane that one instruction writes, for one invocation.
type laneKey struct {
	invocation int32
	instr      int32
	lane       interp.Lane
}

// record is one value that was written.
type record struct {
	pos  int64
	bits uint32
	val  ir.ValueID
}

// Part runs a program and a function of its IR over the same inputs and returns the
// first instruction, in the program's order, that writes a lane for one of the
// invocations which differs from the value that stands for it; nil where there is
// none. No invocations means all of them. It fails with [ErrTrace] where there is
// too much to record.
//
// A value stands for the lanes that its instruction wrote, as the value's register
// hint says (ir.Value.Reg). Where a phase may have removed some copies of an
// instruction, the values that are left have to be among those of the program in its
// order. NaNs
// count as equal whatever their payload, and so does the sign of a zero.
func Part(ctx context.Context, p *interp.Program, f *ir.Function, in Input, opt Options, invocations ...int) (*Parting, error) {
	opt = opt.withDefaults()
	// Optimised code takes other steps, so its bound is wider.
	wide := opt
	wide.MaxSteps *= 4
	fp, err := interp.CompileFunction(f)
	if err != nil {
		return nil, err
	}
	t := &tracer{ctx: ctx, f: f, limit: opt.MaxTrace}
	values, irBatch, err := t.function(fp, in, wide, invocations)
	if err != nil {
		return nil, err
	}
	lanes, batch, last, err := t.program(p, in, opt, invocations, values)
	if err != nil {
		return nil, err
	}
	var best *Parting
	better := func(c Parting) {
		if best == nil || c.Pos < best.Pos || c.Pos == best.Pos && (c.Invocation < best.Invocation || c.Invocation == best.Invocation && less(c.Lane, best.Lane)) {
			best = &c
		}
	}
	copied := copies(f.Program)
	for k, want := range lanes {
		got := values[k]
		at := 0
		for n, v := range got {
			if len(got) == len(want) || !copied[k.instr] {
				at = n
			} else {
				for at < len(want) && !same(want[at].bits, v.bits) {
					at++
				}
			}
			if at < len(want) && same(want[at].bits, v.bits) {
				at++
				continue
			}
			w := want[min(n, len(want)-1)]
			better(Parting{Pos: w.pos, Instr: int(k.instr), Op: f.Program.Instrs[k.instr].Op, Invocation: int(k.invocation), Lane: k.lane, DXBC: w.bits, IR: v.bits, Value: v.val})
			break
		}
	}
	if best == nil && batch != nil {
		for k, w := range last {
			a, b := batch.Out[k.lane.Index], irBatch.Out[k.lane.Index]
			if i := k.invocation; a != nil && b != nil && !batch.Discarded[i] && !same(a[i][k.lane.Comp], b[i][k.lane.Comp]) {
				better(Parting{Pos: w.pos, Instr: int(w.val), Op: f.Program.Instrs[w.val].Op, Invocation: int(i), Lane: k.lane, DXBC: a[i][k.lane.Comp], IR: b[i][k.lane.Comp], Value: ir.NoValue})
			}
		}
	}
	return best, nil
}

// copies says which instructions the builder may copy: those of subroutines, and
// of switches, whose clauses may run on into the next one.
func copies(p *dxbc.Program) []bool {
	out := make([]bool, len(p.Instrs))
	depth, sub := 0, false
	for i := range p.Instrs {
		switch p.Instrs[i].Op {
		case dxbc.OpSwitch:
			depth++
		case dxbc.OpEndswitch:
			depth--
		case dxbc.OpLabel:
			sub = true
		}
		out[i] = sub || depth > 0
	}
	return out
}

func less(a, b interp.Lane) bool { return a.String() < b.String() }

// same reports whether two words are equal: bit for bit, or as NaNs or zeros.
func same(a, b uint32) bool {
	nan := func(u uint32) bool { return u&0x7F800000 == 0x7F800000 && u&0x7FFFFF != 0 }
	return a == b || nan(a) && nan(b) || a<<1 == 0 && b<<1 == 0
}

type tracer struct {
	ctx   context.Context
	f     *ir.Function
	limit int
	total int
}

func (t *tracer) count() error {
	if t.total++; t.total > t.limit {
		return fmt.Errorf("comparing DXBC and IR: %w", ErrTrace)
	}
	return nil
}

func chosen(m *interp.Machine, invocations []int) []int {
	if len(invocations) > 0 {
		return invocations
	}
	all := make([]int, m.Invocations())
	for i := range all {
		all[i] = i
	}
	return all
}

// function runs the IR and records its values by the lanes that they stand for.
func (t *tracer) function(p *interp.Program, in Input, opt Options, invocations []int) (map[laneKey][]record, *interp.Batch, error) {
	m, batch, err := in.start(t.ctx, p, opt.interp())
	if err != nil {
		return nil, nil, err
	}
	who := chosen(m, invocations)
	out := map[laneKey][]record{}
	places := make([][]standsFor, len(t.f.Values))
	known := make([]bool, len(t.f.Values))
	for n := 0; !m.Done(); n++ {
		if n%1024 == 0 {
			if err := t.ctx.Err(); err != nil {
				return nil, nil, fmt.Errorf("debug: %w", err)
			}
		}
		v := m.NextValue()
		var takes []int
		if v != ir.NoValue {
			if !known[v] {
				known[v], places[v] = true, lanesOf(t.f, v)
			}
			for _, i := range who {
				if len(places[v]) > 0 && m.Active(i) {
					takes = append(takes, i)
				}
			}
		}
		if err := m.Step(); err != nil {
			return nil, nil, err
		}
		for _, i := range takes {
			for _, pl := range places[v] {
				w, _ := m.Value(v, pl.from, i)
				k := laneKey{int32(i), t.f.Values[v].Instr, pl.lane}
				out[k] = append(out[k], record{bits: w, val: v})
				if err := t.count(); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	m.Collect()
	return out, batch, nil
}

// program runs the program and records the lanes that values stand for, and the
// last writes to outputs.
func (t *tracer) program(p *interp.Program, in Input, opt Options, invocations []int, values map[laneKey][]record) (lanes map[laneKey][]record, batch *interp.Batch, last map[laneKey]record, err error) {
	m, batch, err := in.start(t.ctx, p, opt.interp())
	if err != nil {
		return nil, nil, nil, err
	}
	who := chosen(m, invocations)
	lanes, last = map[laneKey][]record{}, map[laneKey]record{}
	type write struct {
		i int
		l interp.Lane
	}
	var ws []write
	for pos := int64(0); !m.Done(); pos++ {
		if pos%1024 == 0 {
			if err := t.ctx.Err(); err != nil {
				return nil, nil, nil, fmt.Errorf("debug: %w", err)
			}
		}
		instr := m.Next()
		ws = ws[:0]
		for _, i := range who {
			for _, l := range m.Writes(i) {
				ws = append(ws, write{i, l})
			}
		}
		if err := m.Step(); err != nil {
			return nil, nil, nil, err
		}
		for _, w := range ws {
			bits, _ := m.Lane(w.l, w.i)
			k := laneKey{int32(w.i), int32(instr), w.l}
			if values[k] != nil {
				lanes[k] = append(lanes[k], record{pos: pos, bits: bits})
				if err := t.count(); err != nil {
					return nil, nil, nil, err
				}
			}
			if w.l.Reg == dxbc.RegOutput {
				last[laneKey{invocation: int32(w.i), lane: w.l}] = record{pos: pos, bits: bits, val: ir.ValueID(instr)}
			}
		}
	}
	m.Collect()
	return lanes, batch, last, nil
}

// standsFor says that a lane of a value is what an instruction wrote to a register.
type standsFor struct {
	from uint8
	lane interp.Lane
}

// lanesOf lists the register lanes that a value stands for, by the hint that the
// builder left and the destination of the instruction.
func lanesOf(f *ir.Function, id ir.ValueID) []standsFor {
	v := &f.Values[id]
	if v.Reg < 0 || v.Instr < 0 || v.Op == ir.OpParam || v.N == 0 {
		return nil
	}
	in := &f.Program.Instrs[v.Instr]
	if in.Sat && v.Op != ir.OpFSat {
		return nil // what saturation takes
	}
	var out []standsFor
	for d := range int(in.NumDst) {
		o := in.Dst(d)
		if o.Reg != dxbc.RegTemp || int64(o.Index(0).Imm) != int64(v.Reg) || in.NumDst == 2 && in.Op.Has(dxbc.FlagFeedback) && d == 1 {
			continue
		}
		if in.NumDst == 2 && !in.Op.Has(dxbc.FlagFeedback) && in.Dst(1-d).Reg == dxbc.RegTemp && in.Dst(1-d).Index(0).Imm == o.Index(0).Imm {
			return nil // both results go to one register
		}
		add := func(from, comp uint8) {
			if o.Mode != dxbc.CompMask || o.Mask>>comp&1 != 0 {
				out = append(out, standsFor{from, interp.Lane{Reg: dxbc.RegTemp, Index: o.Index(0).Imm, Comp: comp}})
			}
		}
		switch {
		case v.Op.Is(ir.FlagLanewise) || v.Op == ir.OpLoadRaw || v.Op == ir.OpLoadStructured:
			for k := range v.N {
				add(k, v.RegLanes[k])
			}
		case v.Op == ir.OpDot:
			for c := range uint8(4) {
				add(0, c)
			}
		case v.Op.Is(ir.FlagTexture) && v.N == 4 && in.NumSrc() > 1:
			// The texel goes through the swizzle of the resource operand.
			for j := range in.NumSrc() {
				if r := in.Src(j); r.Reg == dxbc.RegResource && r.Mode == dxbc.CompSwizzle {
					for c := range uint8(4) {
						if o.Mode == dxbc.CompMask {
							add(r.Swizzle[c], c)
						}
					}
				}
			}
		}
	}
	return out
}

// Form is a function of the IR after a phase.
type Form struct {
	Phase string
	Func  *ir.Function
}

// Pin runs the forms of a program in their order and returns where the first of
// them that differs parts from the program, with its phase; nil where all agree.
func Pin(ctx context.Context, p *interp.Program, forms []Form, in Input, opt Options, invocations ...int) (*Parting, error) {
	for _, f := range forms {
		part, err := Part(ctx, p, f.Func, in, opt, invocations...)
		if err != nil {
			return nil, fmt.Errorf("phase %s: %w", f.Phase, err)
		}
		if part != nil {
			part.Phase = f.Phase
			return part, nil
		}
	}
	return nil, nil
}

// ToParting goes to the instruction where the focus computes something else than the
// function does, and returns the parting; nil, without moving, where they agree.
func (s *Session) ToParting(ctx context.Context, f *ir.Function) (Reason, *Parting, error) {
	part, err := Part(ctx, s.prog, f, s.in, s.opt, s.focus)
	if part == nil || err != nil {
		return Stepped, nil, err
	}
	if err := s.Seek(ctx, part.Pos); err != nil {
		return Stepped, nil, err
	}
	return Parted, part, nil
}

// ToAnyParting is ToParting for any invocation: it follows the first that parts.
func (s *Session) ToAnyParting(ctx context.Context, f *ir.Function) (Reason, *Parting, error) {
	part, err := Part(ctx, s.prog, f, s.in, s.opt)
	if part == nil || err != nil {
		return Stepped, nil, err
	}
	if err := s.SetFocus(ctx, part.Invocation); err != nil {
		return Stepped, nil, err
	}
	if err := s.Seek(ctx, part.Pos); err != nil {
		return Stepped, nil, err
	}
	return Parted, part, nil
}

// Bounded reports whether an error is a bound that was reached: steps, memory or
// the length of a trace.
func Bounded(err error) bool {
	return slices.ContainsFunc([]error{interp.ErrSteps, interp.ErrMemory, ErrTrace}, func(e error) bool { return errors.Is(err, e) })
}
