package debug

import (
	"context"
	"fmt"
	"sort"

	"fxlens/core/interp"
)

// Write is one change of a register lane of the focus.
type Write struct {
	Pos      int64 // the position before the instruction
	Instr    int   // index into the program's instructions
	Old, New uint32
}

// History lists the instructions of the focus that wrote a lane, up to the present
// position, the oldest first. It runs the program again. It fails with [ErrTrace]
// where there are too many, and for a lane that does not exist.
func (s *Session) History(ctx context.Context, l interp.Lane) ([]Write, error) {
	if _, ok := s.Lane(l); !ok {
		return nil, fmt.Errorf("the program has no register %s", l)
	}
	var out []Write
	err := s.replay(ctx, func(pos int64, instr int, es []effect) error {
		for _, e := range es {
			if e.Lane == l {
				if len(out) >= s.opt.MaxTrace {
					return fmt.Errorf("history of %s: %w", l, ErrTrace)
				}
				out = append(out, Write{pos, instr, e.old, e.new})
			}
		}
		return nil
	})
	return out, err
}

// Cause is one step of how a lane got its value.
type Cause struct {
	Write
	Lane interp.Lane
	// From are the lanes that the value is made of; each is the Lane of a later
	// entry, or was never written: an input, or undefined.
	From  []interp.Lane
	Depth int // 0: the lane that was asked for
}

// Slice says why a lane is what it is: the write that it has its value from, the
// writes that this one is made of, and so on, the latest first. Control flow and
// memory are not followed. It fails like History.
func (s *Session) Slice(ctx context.Context, l interp.Lane) ([]Cause, error) {
	if _, ok := s.Lane(l); !ok {
		return nil, fmt.Errorf("the program has no register %s", l)
	}
	byLane := map[interp.Lane][]Cause{}
	total := 0
	err := s.replay(ctx, func(pos int64, instr int, es []effect) error {
		for _, e := range es {
			if total++; total > s.opt.MaxTrace {
				return fmt.Errorf("slice of %s: %w", l, ErrTrace)
			}
			byLane[e.Lane] = append(byLane[e.Lane], Cause{Write: Write{pos, instr, e.old, e.new}, Lane: e.Lane, From: e.From})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	type key struct {
		l   interp.Lane
		pos int64
	}
	var out []Cause
	seen := map[key]bool{}
	type want struct {
		l      interp.Lane
		before int64
		depth  int
	}
	work := []want{{l, s.pos, 0}}
	for len(work) > 0 {
		w := work[0]
		work = work[1:]
		all := byLane[w.l]
		i := sort.Search(len(all), func(i int) bool { return all[i].Pos >= w.before }) - 1
		if i < 0 || seen[key{w.l, all[i].Pos}] {
			continue
		}
		seen[key{w.l, all[i].Pos}] = true
		c := all[i]
		c.Depth = w.depth
		out = append(out, c)
		for _, f := range c.From {
			work = append(work, want{f, c.Pos, w.depth + 1})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Pos > out[j].Pos })
	return out, nil
}

type effect struct {
	interp.Effect
	old, new uint32
}

// replay runs the program again up to the present position and visits what the
// focus executes.
func (s *Session) replay(ctx context.Context, visit func(pos int64, instr int, es []effect) error) error {
	m, _, err := s.in.start(ctx, s.prog, s.opt.interp())
	if err != nil {
		return err
	}
	for pos := int64(0); pos < s.pos && !m.Done(); pos++ {
		if pos%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("debug: %w", err)
			}
		}
		instr := m.Next()
		var es []effect
		for _, e := range m.Effects(s.focus) {
			old, _ := m.Lane(e.Lane, s.focus)
			es = append(es, effect{Effect: e, old: old})
		}
		if err := m.Step(); err != nil {
			return err
		}
		if len(es) == 0 {
			continue
		}
		for i := range es {
			es[i].new, _ = m.Lane(es[i].Lane, s.focus)
		}
		if err := visit(pos, instr, es); err != nil {
			return err
		}
	}
	return nil
}
