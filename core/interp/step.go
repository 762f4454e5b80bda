package interp

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// Start readies a batch of a vertex or pixel program for [Machine.Step].
func Start(p *Program, env *Env, b *Batch, opt Options) (*Machine, error) {
	if p.Kind == dxbc.Compute {
		return nil, &Error{-1, 0, fmt.Errorf("%w: a compute program is dispatched", ErrUnsupported)}
	}
	if p.Kind == dxbc.Pixel && b.N%4 != 0 {
		return nil, &Error{-1, 0, fmt.Errorf("%w: %d pixels are not whole quads", ErrMalformed, b.N)}
	}
	m, err := p.machine(env, b.N, &opt, &Report{}, map[eventKey]int{})
	if err != nil {
		return nil, err
	}
	if err := m.shadow(); err != nil {
		return nil, err
	}
	m.begin(b)
	return m, nil
}

// StartGroup readies one group of a dispatch for [Machine.Step]: the groups before
// it run first, as they do in [Dispatch].
func StartGroup(ctx context.Context, p *Program, env *Env, groups, group [3]uint32, opt Options) (*Machine, error) {
	for k := range group {
		if group[k] >= groups[k] {
			return nil, &Error{-1, 0, fmt.Errorf("%w: group %v of %v", ErrMalformed, group, groups)}
		}
	}
	var m *Machine
	err := eachGroup(p, env, groups, &opt, &Report{}, func(x *Machine, id [3]uint32) (bool, error) {
		m = x
		if id == group {
			return false, nil
		}
		return true, x.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	m.report.Steps = m.steps
	return m, nil
}

// Step executes the next instruction for all invocations that take part in it. It
// does nothing once the batch or group has ended.
func (m *Machine) Step() error {
	m.settle()
	if m.done {
		return m.failure
	}
	err := m.step()
	m.report.Steps = m.steps
	if err == nil {
		m.settle()
		err = m.failure
	}
	return err
}

// settle ends subroutines that ran to the end of the program.
func (m *Machine) settle() {
	for !m.done && int(m.pc) >= len(m.p.insts) {
		m.leaveSub()
		if int(m.pc) >= len(m.p.insts) && m.depth == 0 {
			m.done = true
		}
	}
}

// Done reports whether the batch or group has ended.
func (m *Machine) Done() bool { return m.done }

// Next is the instruction that Step executes next, an index into the program's
// instructions: -1 at the end, and for what a function has and its program not.
func (m *Machine) Next() int {
	if m.done || int(m.pc) >= len(m.p.insts) {
		return -1
	}
	return int(m.p.insts[m.pc].at)
}

// NextValue is the value of a function that Step computes next, or NoValue.
func (m *Machine) NextValue() ir.ValueID {
	if m.p.fn == nil || m.done || int(m.pc) >= len(m.p.insts) {
		return ir.NoValue
	}
	return m.p.insts[m.pc].val
}

// NextParams are the parameters that the next instruction of a function gives values to,
// all at once: at the end of an arm, before a loop and at the end of its rounds.
func (m *Machine) NextParams() []ir.ValueID {
	if m.p.fn == nil || m.done || int(m.pc) >= len(m.p.insts) {
		return nil
	}
	return m.p.insts[m.pc].params
}

// Depth is the number of blocks and calls around the next instruction.
func (m *Machine) Depth() int { return m.depth }

// Report says what happened so far.
func (m *Machine) Report() *Report { return m.report }

// Discarded reports whether an invocation was discarded.
func (m *Machine) Discarded(invocation int) bool {
	return invocation >= 0 && invocation < m.n && m.killed.has(invocation)
}

// Collect fills the results of the batch with the outputs as they are now.
func (m *Machine) Collect() {
	if m.batch != nil {
		m.collect(m.batch)
	}
}

// State is a machine at a moment, with the memory that it writes.
type State struct {
	slab           []uint32
	active, killed mask
	stack          []frame
	depth          int
	pc             int32
	done           bool
	epoch          uint32
	defined        map[int32][]bool
	mems           []memoryState
	texels         [][]byte
	counters       []uint32
	report         Report
	seen           map[eventKey]int
	steps          int64
	failure        error
	emitted        []emitted
	made           int64
}

type memoryState struct {
	data   []byte
	access []access
}

// Bytes is how much memory the state takes, roughly.
func (s *State) Bytes() int64 {
	n := int64(len(s.slab)) * 4
	for _, x := range s.mems {
		n += int64(len(x.data)) + int64(len(x.access))*28
	}
	for _, x := range s.texels {
		n += int64(len(x))
	}
	for _, d := range s.defined {
		n += int64(len(d))
	}
	return n + int64(len(s.stack)*len(s.active))*32 + 1024
}

// written lists what the program may write, each once and in a fixed order.
func (m *Machine) written() (mems []*Memory, texels [][]byte, counters []*uint32) {
	mems = append(mems, m.shared...)
	slots := slices.SortedFunc(maps.Keys(m.env.UAVs), func(a, b Slot) int {
		if a.Space != b.Space {
			return int(int64(a.Space) - int64(b.Space))
		}
		return int(int64(a.Register) - int64(b.Register))
	})
	for _, s := range slots {
		v := m.env.UAVs[s]
		if v == nil {
			continue
		}
		if v.Mem != nil && !slices.Contains(mems, v.Mem) {
			mems = append(mems, v.Mem)
		}
		if v.Tex != nil {
			texels = append(texels, v.Tex.Data...)
		}
		if v.Counter != nil && !slices.Contains(counters, v.Counter) {
			counters = append(counters, v.Counter)
		}
	}
	return mems, texels, counters
}

// Save returns the machine's state, to which Restore leads back. Marks of
// Options.Track are not part of it.
func (m *Machine) Save() *State {
	s := &State{slab: slices.Clone(m.slab), active: slices.Clone(m.active), killed: slices.Clone(m.killed), depth: m.depth, pc: m.pc, done: m.done,
		epoch: m.epoch, defined: map[int32][]bool{}, report: *m.report, seen: maps.Clone(m.seen), steps: m.steps, failure: m.failure}
	s.report.Events = slices.Clone(m.report.Events)
	for _, f := range m.stack[:m.depth] {
		s.stack = append(s.stack, f.clone())
	}
	for r, d := range m.defined {
		s.defined[r] = slices.Clone(d)
	}
	s.emitted, s.made = cloneEmitted(m.emitted), m.made
	mems, texels, counters := m.written()
	for _, x := range mems {
		s.mems = append(s.mems, memoryState{slices.Clone(x.Data), slices.Clone(x.access)})
	}
	for _, x := range texels {
		s.texels = append(s.texels, slices.Clone(x))
	}
	for _, x := range counters {
		s.counters = append(s.counters, *x)
	}
	return s
}

func (f frame) clone() frame {
	f.saved, f.other, f.cont, f.sel = slices.Clone(f.saved), slices.Clone(f.other), slices.Clone(f.cont), slices.Clone(f.sel)
	return f
}

// Restore brings the machine to a state that it saved.
func (m *Machine) Restore(s *State) {
	copy(m.slab, s.slab)
	copy(m.active, s.active)
	copy(m.killed, s.killed)
	m.stale = true
	m.depth, m.pc, m.done, m.epoch, m.steps, m.failure = s.depth, s.pc, s.done, s.epoch, s.steps, s.failure
	m.stack = m.stack[:0]
	for _, f := range s.stack {
		m.stack = append(m.stack, f.clone())
	}
	for r, d := range s.defined {
		copy(m.defined[r], d)
	}
	m.emitted, m.made = cloneEmitted(s.emitted), s.made
	*m.report = s.report
	m.report.Events = slices.Clone(s.report.Events)
	clear(m.seen)
	maps.Copy(m.seen, s.seen)
	mems, texels, counters := m.written()
	for i, x := range mems {
		copy(x.Data, s.mems[i].data)
		copy(x.access, s.mems[i].access)
	}
	for i, x := range texels {
		copy(x, s.texels[i])
	}
	for i, x := range counters {
		*x = s.counters[i]
	}
}
