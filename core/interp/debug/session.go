package debug

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/ir"
)

// Options bound a session. Zero values have defaults.
type Options struct {
	MaxSteps    int64 // instructions times invocations of one run; 0: 1 << 26
	MaxMemory   int64 // registers and shadow memory in bytes; 0: 256 MiB
	Checkpoints int64 // bytes that checkpoints may take; 0: 64 MiB
	MaxTrace    int   // instructions and lane writes that are recorded; 0: 1 << 21
	NoRaces     bool  // leaves out the check for races
}

func (o *Options) interp() interp.Options {
	return interp.Options{MaxSteps: o.MaxSteps, MaxMemory: o.MaxMemory, NoRaces: o.NoRaces}
}

func (o Options) withDefaults() Options {
	if o.MaxSteps <= 0 {
		o.MaxSteps = 1 << 26
	}
	if o.Checkpoints <= 0 {
		o.Checkpoints = 64 << 20
	}
	if o.MaxTrace <= 0 {
		o.MaxTrace = 1 << 21
	}
	return o
}

// ErrTrace ends what would record more than Options.MaxTrace.
var ErrTrace = errors.New("trace limit reached")

// Input is what a program runs on.
type Input struct {
	// Env makes the resources; it is called once for every run, since runs write
	// to them.
	Env func() (*interp.Env, error)
	// Batch has the inputs of a vertex or pixel program. It is not changed.
	Batch *interp.Batch
	// Groups are the groups of a dispatch, Group the one to follow; those before it
	// run first.
	Groups, Group [3]uint32
}

// start readies a run.
func (in *Input) start(ctx context.Context, p *interp.Program, opt interp.Options) (*interp.Machine, *interp.Batch, error) {
	env := &interp.Env{}
	if in.Env != nil {
		var err error
		if env, err = in.Env(); err != nil {
			return nil, nil, err
		}
	}
	if p.Kind == dxbc.Compute {
		m, err := interp.StartGroup(ctx, p, env, in.Groups, in.Group, opt)
		return m, nil, err
	}
	if in.Batch == nil {
		return nil, nil, fmt.Errorf("%w: a %s program needs a batch", interp.ErrMalformed, p.Kind)
	}
	b := *in.Batch
	m, err := interp.Start(p, env, &b, opt)
	return m, &b, err
}

// Reason says why a run stopped.
type Reason uint8

// The reasons.
const (
	Stepped    Reason = iota // the asked steps are done
	Breakpoint               // the next instruction has a breakpoint
	Watchpoint               // a watched lane changed
	Ended                    // the program ended
	Parted                   // DXBC and IR part at the next instruction
	Began                    // going back reached the beginning
)

var reasonNames = [...]string{"stepped", "breakpoint", "watchpoint", "ended", "parted", "at the beginning"}

func (r Reason) String() string { return reasonNames[r] }

// Session is a program that is being stepped. It is not safe for concurrent use.
type Session struct {
	prog  *interp.Program
	in    Input
	opt   Options
	m     *interp.Machine
	batch *interp.Batch
	focus int

	pos     int64 // instructions executed by the group or batch
	breaks  map[int]bool
	watches []interp.Lane
	marks   []mark
	every   int64 // steps between checkpoints
	stops   []stop
	seen    int64 // the position up to which stops are recorded
	cut     int64 // the first position that is missing in stops, or 0

	vals          *values // of the attached function, or nil
	watchedValues []ir.ValueID
	counted       counted
}

type mark struct {
	pos   int64
	state *interp.State
}

// stop is a position where the focus is about to execute an instruction.
type stop struct {
	pos   int64
	instr int
}

// New starts a session before the first instruction of the focus, invocation 0.
func New(ctx context.Context, p *interp.Program, in Input, opt Options) (*Session, error) {
	s := &Session{prog: p, in: in, opt: opt.withDefaults(), breaks: map[int]bool{}, every: 256, seen: -1}
	m, b, err := in.start(ctx, p, s.opt.interp())
	if err != nil {
		return nil, err
	}
	s.m, s.batch = m, b
	s.marks = []mark{{0, m.Save()}}
	s.note()
	return s, nil
}

// Program is what runs.
func (s *Session) Program() *interp.Program { return s.prog }

// Invocations is the number of invocations that run together: vertices, pixels, or
// threads of the group.
func (s *Session) Invocations() int { return s.m.Invocations() }

// Focus is the invocation that is followed.
func (s *Session) Focus() int { return s.focus }

// SetFocus follows another invocation from the present position on. It fails for
// one that does not exist.
func (s *Session) SetFocus(ctx context.Context, invocation int) error {
	if invocation < 0 || invocation >= s.m.Invocations() {
		return fmt.Errorf("invocation %d of %d", invocation, s.m.Invocations())
	}
	if invocation == s.focus {
		return nil
	}
	old, stops, seen, cut := s.focus, s.stops, s.seen, s.cut
	s.focus, s.stops, s.seen, s.cut = invocation, nil, -1, 0
	if err := s.retrace(ctx); err != nil {
		s.focus, s.stops, s.seen, s.cut = old, stops, seen, cut
		return err
	}
	if s.vals != nil {
		return s.Attach(ctx, s.vals.f)
	}
	return nil
}

// retrace finds the stops of the focus up to the present position. A cancelled call
// leaves the session at an earlier one.
func (s *Session) retrace(ctx context.Context) error {
	to := s.pos
	s.restore(0)
	s.note()
	return s.forward(ctx, to)
}

// Pos is the number of instructions that the batch or group has executed. It names
// a moment: [Session.Seek] returns to it.
func (s *Session) Pos() int64 { return s.pos }

// Next is the instruction that is executed next, an index into the program's
// instructions, or -1 at the end.
func (s *Session) Next() int { return s.m.Next() }

// Active reports whether the focus takes part in the next instruction.
func (s *Session) Active() bool { return !s.m.Done() && s.m.Active(s.focus) }

// Done reports whether the program has ended.
func (s *Session) Done() bool { return s.m.Done() }

// Depth is the number of blocks and calls around the next instruction.
func (s *Session) Depth() int { return s.m.Depth() }

// Report has what D3D leaves undefined (races, reads of registers that no path
// wrote, divergent barriers and derivatives) of all invocations, up to now.
func (s *Session) Report() interp.Report { return *s.m.Report() }

// Lane reads a register lane of the focus, Peek that of any invocation. They
// report false for lanes that the program does not have.
func (s *Session) Lane(l interp.Lane) (uint32, bool) { return s.m.Lane(l, s.focus) }

// Peek reads a register lane of an invocation.
func (s *Session) Peek(l interp.Lane, invocation int) (uint32, bool) { return s.m.Lane(l, invocation) }

// Discarded reports whether an invocation was discarded.
func (s *Session) Discarded(invocation int) bool { return s.m.Discarded(invocation) }

// Outputs returns the batch with its results as they are now; nil for a dispatch.
func (s *Session) Outputs() *interp.Batch {
	s.m.Collect()
	return s.batch
}

// Break sets or clears a breakpoint at an instruction.
func (s *Session) Break(instr int, on bool) {
	if on {
		s.breaks[instr] = true
	} else {
		delete(s.breaks, instr)
	}
}

// Breakpoints lists the instructions with a breakpoint, ascending.
func (s *Session) Breakpoints() []int {
	out := make([]int, 0, len(s.breaks))
	for i := range s.breaks {
		out = append(out, i)
	}
	sort.Ints(out)
	return out
}

// Watch sets or clears a watchpoint: [Session.Continue] stops behind an instruction
// that changes the lane of the focus. It fails for a lane that does not exist.
func (s *Session) Watch(l interp.Lane, on bool) error {
	if _, ok := s.Lane(l); !ok {
		return fmt.Errorf("the program has no register %s", l)
	}
	i := slices.Index(s.watches, l)
	switch {
	case on && i < 0:
		s.watches = append(s.watches, l)
	case !on && i >= 0:
		s.watches = slices.Delete(s.watches, i, i+1)
	}
	return nil
}

// Watches lists the watched lanes in the order in which they were set.
func (s *Session) Watches() []interp.Lane { return slices.Clone(s.watches) }

// Into executes one instruction of the focus.
func (s *Session) Into(ctx context.Context) (Reason, error) {
	return s.run(ctx, func() (bool, Reason) { return true, Stepped })
}

// Over executes one instruction of the focus, and where that opens a block or calls
// a subroutine, all of it. A breakpoint inside stops it.
func (s *Session) Over(ctx context.Context) (Reason, error) {
	d := s.m.Depth()
	return s.run(ctx, func() (bool, Reason) {
		if s.m.Depth() > d {
			return s.breaks[s.m.Next()], Breakpoint
		}
		return true, Stepped
	})
}

// Out leaves the innermost block or subroutine around the next instruction.
func (s *Session) Out(ctx context.Context) (Reason, error) {
	d := s.m.Depth()
	return s.run(ctx, func() (bool, Reason) {
		if s.m.Depth() >= d {
			return s.breaks[s.m.Next()], Breakpoint
		}
		return true, Stepped
	})
}

// RunTo runs until the focus is about to execute an instruction, or until a
// breakpoint.
func (s *Session) RunTo(ctx context.Context, instr int) (Reason, error) {
	return s.run(ctx, func() (bool, Reason) {
		if s.m.Next() == instr {
			return true, Stepped
		}
		return s.breaks[s.m.Next()], Breakpoint
	})
}

// Continue runs until a breakpoint, a watchpoint or the end.
func (s *Session) Continue(ctx context.Context) (Reason, error) {
	watched := func() []uint32 {
		var out []uint32
		for _, l := range s.watches {
			w, _ := s.Lane(l)
			out = append(out, w)
		}
		return out
	}
	before, computed := watched(), s.valueWatch()
	return s.run(ctx, func() (bool, Reason) {
		if s.breaks[s.m.Next()] {
			return true, Breakpoint
		}
		if len(before) > 0 && !slices.Equal(before, watched()) {
			return true, Watchpoint
		}
		if computed() {
			return true, Watchpoint
		}
		return false, Stepped
	})
}

// Back returns to before the last instruction that the focus executed.
func (s *Session) Back(ctx context.Context) (Reason, error) {
	return s.backTo(ctx, func(stop) bool { return true })
}

// BackContinue goes back to the last instruction with a breakpoint, or to the
// beginning.
func (s *Session) BackContinue(ctx context.Context) (Reason, error) {
	r, err := s.backTo(ctx, func(x stop) bool { return s.breaks[x.instr] })
	if r == Stepped {
		r = Breakpoint
	}
	return r, err
}

func (s *Session) backTo(ctx context.Context, want func(stop) bool) (Reason, error) {
	if s.cut > 0 && s.pos > s.cut {
		return Stepped, fmt.Errorf("going back: %w", ErrTrace)
	}
	i := sort.Search(len(s.stops), func(i int) bool { return s.stops[i].pos >= s.pos }) - 1
	for i >= 0 && !want(s.stops[i]) {
		i--
	}
	if i >= 0 {
		return Stepped, s.Seek(ctx, s.stops[i].pos)
	}
	first := int64(0)
	if len(s.stops) > 0 {
		first = min(s.stops[0].pos, s.pos)
	}
	return Began, s.Seek(ctx, first)
}

// Seek goes to a position, backwards or forwards. Past the end it stops there.
func (s *Session) Seek(ctx context.Context, pos int64) error {
	if pos < s.pos {
		s.restore(max(pos, 0))
	}
	return s.forward(ctx, pos)
}

// restore goes to the last checkpoint that is not behind a position.
func (s *Session) restore(pos int64) {
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].pos > pos }) - 1
	s.m.Restore(s.marks[i].state)
	s.pos = s.marks[i].pos
}

// run executes at least one instruction of the focus and stops where it takes part
// in the next one and stop agrees.
func (s *Session) run(ctx context.Context, stop func() (bool, Reason)) (Reason, error) {
	for n := 0; ; n++ {
		if s.m.Done() {
			return Ended, nil
		}
		if n > 0 && s.Active() {
			if ok, why := stop(); ok {
				return why, nil
			}
		}
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return Stepped, fmt.Errorf("debug: %w", err)
			}
		}
		if err := s.step(); err != nil {
			return Stepped, err
		}
	}
}

// forward executes up to a position.
func (s *Session) forward(ctx context.Context, pos int64) error {
	for n := 0; s.pos < pos && !s.m.Done(); n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("debug: %w", err)
			}
		}
		if err := s.step(); err != nil {
			return err
		}
	}
	return nil
}

// step executes one instruction of the machine and keeps checkpoints and stops.
func (s *Session) step() error {
	if err := s.m.Step(); err != nil {
		return err
	}
	s.pos++
	s.note()
	if last := s.marks[len(s.marks)-1].pos; s.pos >= last+s.every {
		s.marks = append(s.marks, mark{s.pos, s.m.Save()})
		s.thin()
	}
	return nil
}

// note records the present position if the focus is about to execute something.
func (s *Session) note() {
	if s.pos <= s.seen {
		return
	}
	s.seen = s.pos
	switch {
	case !s.Active():
	case len(s.stops) < s.opt.MaxTrace:
		s.stops = append(s.stops, stop{s.pos, s.m.Next()})
	case s.cut == 0:
		s.cut = s.pos
	}
}

// thin drops every other checkpoint while they take too much memory.
func (s *Session) thin() {
	for {
		total := int64(0)
		for _, m := range s.marks {
			total += m.state.Bytes()
		}
		if total <= s.opt.Checkpoints && len(s.marks) <= 256 || len(s.marks) <= 2 {
			return
		}
		keep := s.marks[:1]
		for i := 2; i < len(s.marks); i += 2 {
			keep = append(keep, s.marks[i])
		}
		clear(s.marks[len(keep):])
		s.marks = keep
		s.every *= 2
	}
}
