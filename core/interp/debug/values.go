package debug

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/ir"
)

// values is what the focus computes in a function: the words of every execution of every
// value, in order.
type values struct {
	f  *ir.Function
	of map[ir.ValueID][]uint32
	// when has, parallel to the executions in of, how many values came before; those of a
	// parameter are the times that it was bound.
	when map[ir.ValueID][]int
}

// add records an execution of a value, or a binding of a parameter.
func (v *values) add(m *interp.Machine, id ir.ValueID, focus, at int) {
	for k := range v.f.Values[id].N {
		w, _ := m.Value(id, k, focus)
		v.of[id] = append(v.of[id], w)
	}
	v.when[id] = append(v.when[id], at)
}

// Attach runs a function of the program's intermediate form for the focus and records its
// values, so that [Session.Value] can say what each is at a position of the program. A
// session has one function; SetFocus records it again. It fails with [ErrTrace] where
// there is too much to record, and leaves the session without a function then.
func (s *Session) Attach(ctx context.Context, f *ir.Function) error {
	s.vals = nil
	p, err := interp.CompileFunction(f)
	if err != nil {
		return err
	}
	opt := s.opt
	opt.MaxSteps *= 4 // as in Part
	opt.NoRaces = true
	m, _, err := s.in.start(ctx, p, opt.interp())
	if err != nil {
		return err
	}
	v := &values{f: f, of: map[ir.ValueID][]uint32{}, when: map[ir.ValueID][]int{}}
	total, bound := 0, 0
	for n := 0; !m.Done(); n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("debug: %w", err)
			}
		}
		id, params, takes := m.NextValue(), m.NextParams(), m.Active(s.focus)
		if err := m.Step(); err != nil {
			return err
		}
		if !takes {
			continue
		}
		for _, p := range params {
			v.add(m, p, s.focus, total)
			bound++
		}
		if id != ir.NoValue {
			v.add(m, id, s.focus, total)
			total++
		}
		if total+bound > s.opt.MaxTrace {
			return fmt.Errorf("values of the intermediate form: %w", ErrTrace)
		}
	}
	s.vals = v
	return nil
}

// Attached is the function whose values are known, or nil.
func (s *Session) Attached() *ir.Function {
	if s.vals == nil {
		return nil
	}
	return s.vals.f
}

// Value is what a value of the attached function is once the focus has executed the
// instructions up to the present position: the words that the execution of its own
// instruction gave which the program has come to. A value that the function computes less
// often than the program, since a phase moved it out of a loop, keeps the last one. A
// parameter stands for no instruction: it is what it was bound to behind the last value
// that the program has come to. Value reports false for what the program has not come to
// yet, and for what the function does not compute for the focus.
func (s *Session) Value(id ir.ValueID) ([]uint32, bool) {
	if s.vals == nil || id < 0 || int(id) >= len(s.vals.f.Values) {
		return nil, false
	}
	v := &s.vals.f.Values[id]
	switch v.Op {
	case ir.OpConst:
		return slices.Clone(v.Imm[:v.N]), v.N > 0
	case ir.OpInput:
		return s.input(v)
	case ir.OpParam:
		if s.before(s.pos) == 0 {
			return nil, false
		}
		n := sort.SearchInts(s.vals.when[id], s.reached()+1)
		return s.vals.of[id][max(n-1, 0)*int(v.N) : n*int(v.N)], n > 0
	}
	all := s.vals.of[id]
	if v.N == 0 || v.Instr < 0 || len(all) == 0 {
		return nil, false
	}
	n := min(s.executed(v.Instr), len(all)/int(v.N))
	if n == 0 {
		return nil, false
	}
	return all[(n-1)*int(v.N) : n*int(v.N)], true
}

// reached is how many values the function had computed when it computed the last one that
// the program has come to, that one too.
func (s *Session) reached() int {
	s.executed(-1)
	if s.counted.reached < 0 {
		s.counted.reached = 0
		for id, when := range s.vals.when {
			v := &s.vals.f.Values[id]
			if n := min(s.executed(v.Instr), len(when)); v.Op != ir.OpParam && n > 0 {
				s.counted.reached = max(s.counted.reached, when[n-1]+1)
			}
		}
	}
	return s.counted.reached
}

// input reads an input register that a value stands for.
func (s *Session) input(v *ir.Value) ([]uint32, bool) {
	if int(v.Imm[0]) >= len(s.vals.f.Inputs) {
		return nil, false
	}
	e := &s.vals.f.Inputs[v.Imm[0]]
	var out []uint32
	for c := range uint8(4) {
		if e.Mask>>c&1 == 0 {
			continue
		}
		l := interp.Lane{Reg: e.RegType, Comp: c}
		if e.RegType == dxbc.RegInput {
			l.Index = e.Register
		}
		w, ok := s.Lane(l)
		if !ok {
			return nil, false
		}
		out = append(out, w)
	}
	return out[:min(len(out), int(v.N))], len(out) > 0
}

// executed is how often the focus has executed an instruction up to the present position.
func (s *Session) executed(instr int32) int {
	if s.counted.pos != s.pos || s.counted.focus != s.focus || s.counted.of == nil {
		if s.counted.of == nil {
			s.counted.of = make([]int, len(s.prog.Shader.Program.Instrs))
		}
		clear(s.counted.of)
		for _, x := range s.stops[:s.before(s.pos)] {
			if x.instr >= 0 && x.instr < len(s.counted.of) {
				s.counted.of[x.instr]++
			}
		}
		s.counted.pos, s.counted.focus, s.counted.reached = s.pos, s.focus, -1
	}
	if instr < 0 || int(instr) >= len(s.counted.of) {
		return 0
	}
	return s.counted.of[instr]
}

// before is the number of stops before a position.
func (s *Session) before(pos int64) int {
	return sort.Search(len(s.stops), func(i int) bool { return s.stops[i].pos >= pos })
}

// WatchValue makes Continue stop behind the instruction that a value of the attached
// function stands for, or not. It fails where there is no such instruction.
func (s *Session) WatchValue(id ir.ValueID, on bool) error {
	if s.vals == nil || id < 0 || int(id) >= len(s.vals.f.Values) || s.vals.f.Values[id].Instr < 0 || s.vals.f.Values[id].Op == ir.OpParam {
		return fmt.Errorf("v%d stands for no instruction of the program", id)
	}
	s.watchedValues = slices.DeleteFunc(s.watchedValues, func(v ir.ValueID) bool { return v == id })
	if on {
		s.watchedValues = append(s.watchedValues, id)
		slices.Sort(s.watchedValues)
	}
	return nil
}

// WatchedValues lists the watched values in order.
func (s *Session) WatchedValues() []ir.ValueID { return slices.Clone(s.watchedValues) }

// valueWatch reports whether the focus has executed the instruction of a watched value
// since it was made or last asked.
func (s *Session) valueWatch() func() bool {
	if s.vals == nil || len(s.watchedValues) == 0 {
		return func() bool { return false }
	}
	from := s.pos
	return func() bool {
		a, b := s.before(from), s.before(s.pos)
		from = s.pos
		return slices.ContainsFunc(s.stops[a:b], func(x stop) bool {
			return slices.ContainsFunc(s.watchedValues, func(v ir.ValueID) bool { return int(s.vals.f.Values[v].Instr) == x.instr })
		})
	}
}

// counted caches executed.
type counted struct {
	pos     int64
	focus   int
	of      []int
	reached int // -1: not asked for
}
