package interp

import (
	"context"
	"fmt"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// Options bound and watch a run. The zero value has the default bounds and
// reports what D3D leaves undefined.
type Options struct {
	MaxSteps  int64 // instructions times active invocations; 0: 1 << 32
	MaxMemory int64 // bytes of registers and shadow memory; 0: 256 MiB
	// NoRaces leaves out the check for races, which costs time at every access of
	// writable memory.
	NoRaces bool
	// Track marks results that depend on what WGSL may compute otherwise (NaN,
	// infinity, denormals, conversions out of range) or on something undefined.
	Track bool
	// Jitter, when not zero, is the seed of perturbations of every float operation
	// and of texture coordinates within the errors that WGSL allows; see jitter.
	Jitter uint64
	// Shared, when not nil, receives the groupshared memory of the program, and
	// carries Memory.Raced from one run to the next.
	Shared *[]*Memory
	// Trace is called after every instruction with its index and the machine; the
	// machine may be read, and is valid during the call only.
	Trace func(instr int, m *Machine)
}

// memory is MaxMemory, or its default.
func (o *Options) memory() int64 {
	if o.MaxMemory > 0 {
		return o.MaxMemory
	}
	return 256 << 20
}

// Rest is the options for what follows on runs that rep reports together, so that
// MaxSteps bounds all. It fails with ErrSteps when nothing is left.
func (o Options) Rest(rep *Report) (Options, error) {
	if o.MaxSteps <= 0 {
		o.MaxSteps = 1 << 32
	}
	if o.MaxSteps -= rep.Steps; o.MaxSteps <= 0 {
		return o, &Error{-1, 0, fmt.Errorf("%w after %d steps", ErrSteps, rep.Steps)}
	}
	return o, nil
}

// Batch is a set of invocations to run together: any number of vertices, or
// whole 2x2 quads of pixels in the order (0,0), (1,0), (0,1), (1,1).
type Batch struct {
	N int
	// In has the input registers: In[r][i] is v# r of invocation i. A missing
	// register reads as zero.
	In map[uint32][][4]uint32
	// Coverage, InnerCoverage and PrimitiveID are vCoverage, vInnerCoverage and
	// vPrim; nil reads as zero.
	Coverage, InnerCoverage, PrimitiveID []uint32
	// Helper marks invocations that exist for derivatives only.
	Helper []bool
	// Samples is the sample count of the render target; 0 means 1.
	Samples int
	// Eval interpolates input register r of invocation i at an offset in pixels
	// from the centre of the pixel; nil: inputs are linear within a quad.
	Eval func(i int, r uint32, dx, dy float32) [4]uint32

	// Wide has the inputs of geometry, hull and domain programs: of invocation i the
	// register of a control point, or of point 0 the patch constant. Special has
	// registers without a number that other fields do not have, Before what the
	// outputs hold at first.
	Wide    func(i int, reg dxbc.RegType, point int, r uint32) [4]uint32
	Special map[dxbc.RegType][][4]uint32
	Before  Vertex

	// Results, filled by Run. Strips is what a geometry program emitted. Out[r][i] is o# r.
	Out       map[uint32][][4]uint32
	Depth     []uint32 // oDepth, oDepthGE or oDepthLE; nil when not declared
	Mask      []uint32 // oMask
	Stencil   []uint32 // oStencilRef
	Discarded []bool
	Strips    []Strip
	// Tainted says which invocations took a way that depends on what Options.Track
	// marks, OutTainted which components of o# (of a special register: ^uint32(its
	// dxbc.RegType)) do.
	Tainted    []bool
	OutTainted map[uint32][]uint8
}

// maxEvents is how many events a report has at most.
const maxEvents = 256

// Report says what a run did.
type Report struct {
	Steps  int64   `json:"steps"`
	Events []Event `json:"events"`
}

// Machine is a batch in execution: the state that a debugger shows.
type Machine struct {
	p    *Program
	env  *Env
	opt  *Options
	n    int
	slab []uint32
	rows [][]uint32

	active   mask
	lanes    []int32
	stale    bool // lanes does not match active
	expanded []int32
	helper   mask
	killed   mask
	present  mask // invocations that exist
	stack    []frame
	depth    int
	pc       int32
	done     bool

	group             uint32 // first invocation number of the batch
	epoch, firstEpoch uint32 // counts groups and barriers; its value when the present group began
	shared            []*Memory
	batch             *Batch
	defined           map[int32][]bool
	tainted           []bool    // invocations whose control flow is tainted; nil when not tracking
	taint             [][]bool  // by row: values that are
	cur               [4][]bool // of the present instruction, by component
	report            *Report
	seen              map[eventKey]int
	steps             int64
	limit             int64
	j                 *jitter
	tmpA              mask
	tmpB              mask
	all               []int32
	outRows           [4][]uint32
	derivOK           bool
	failure           error
	emitted           []emitted // by invocation, of a geometry program
	made              int64     // bytes of it, about
}

type eventKey struct {
	kind  EventKind
	instr int32
}

// frame is an open block of control flow.
type frame struct {
	kind   kind
	inElse bool
	pc     int32
	saved  mask // if: who comes back at endif; call: who was not called
	other  mask // if: the else arm; loop, switch, call: who left
	cont   mask // loop: who continued
	sel    []int32
}

// machine makes the state for n invocations.
func (p *Program) machine(env *Env, n int, opt *Options, rep *Report, seen map[eventKey]int) (*Machine, error) {
	if n <= 0 || n > 1<<20 {
		return nil, &Error{-1, 0, fmt.Errorf("%w: a batch of %d invocations", ErrMalformed, n)}
	}
	if int64(p.rows)*int64(n)*4 > opt.memory() {
		return nil, &Error{-1, 0, fmt.Errorf("%w: %d registers for %d invocations", ErrMemory, p.rows, n)}
	}
	m := &Machine{p: p, env: env, opt: opt, n: n, report: rep, seen: seen}
	m.slab = make([]uint32, int(p.rows)*n)
	m.rows = make([][]uint32, p.rows)
	for i := range m.rows {
		m.rows[i] = m.slab[i*n : (i+1)*n : (i+1)*n]
	}
	m.active, m.helper, m.killed, m.present, m.tmpA, m.tmpB = newMask(n), newMask(n), newMask(n), newMask(n), newMask(n), newMask(n)
	m.all = make([]int32, n)
	for i := range n {
		m.present.set(i)
		m.all[i] = int32(i)
	}
	m.limit = opt.MaxSteps
	if m.limit <= 0 {
		m.limit = 1 << 32
	}
	if len(p.tracked) > 0 {
		m.defined = map[int32][]bool{}
		for _, r := range p.tracked {
			m.defined[r] = make([]bool, n)
		}
	}
	if opt.Track {
		if int64(p.rows)*int64(n)*5 > opt.memory() {
			return nil, &Error{-1, 0, fmt.Errorf("%w: tracking %d registers for %d invocations", ErrMemory, p.rows, n)}
		}
		m.tainted = make([]bool, n)
		all := make([]bool, int(p.rows)*n)
		m.taint = make([][]bool, p.rows)
		for i := range m.taint {
			m.taint[i] = all[i*n : (i+1)*n : (i+1)*n]
		}
		for k := range m.cur {
			m.cur[k] = make([]bool, n)
		}
	}
	if opt.Jitter != 0 {
		m.j = newJitter(opt.Jitter)
	}
	for i := range m.outRows {
		m.outRows[i] = make([]uint32, n)
	}
	m.constants()
	return m, nil
}

// constants fills the rows that are the same for all invocations.
func (m *Machine) constants() {
	for _, k := range m.p.consts {
		w := k.word
		if k.res != nil {
			w = m.env.constant(Slot{k.reg, k.res.space}, k.elem, k.comp)
		}
		row := m.rows[k.row]
		for i := range row {
			row[i] = w
		}
	}
}

// constant reads a word of a constant buffer; outside what is bound it is zero.
func (e *Env) constant(s Slot, elem uint32, comp uint8) uint32 {
	b := e.CBuffers[s]
	at := uint64(elem)*16 + uint64(comp)*4
	if elem >= 4096 || at+4 > uint64(len(b)) {
		return 0
	}
	return (&Memory{Data: b}).load(int(at))
}

// reset prepares the machine for another group or batch of the same size.
func (m *Machine) reset() {
	copy(m.active, m.present)
	m.stale = true
	clear(m.helper)
	clear(m.killed)
	m.depth, m.pc, m.done = 0, 0, false
	clear(m.slab[:int(m.p.scratch-int32(len(m.p.consts)))*m.n])
	for _, d := range m.defined {
		clear(d)
	}
	clear(m.tainted)
	for _, t := range m.taint {
		clear(t)
	}
}

func (m *Machine) setActive(from mask) {
	copy(m.active, from)
	m.stale = true
}

// list is the active invocations in order.
func (m *Machine) list() []int32 {
	if m.stale {
		m.lanes = m.active.list(m.lanes[:0])
		m.stale = false
	}
	return m.lanes
}

// quads is the active invocations with the rest of their quads.
func (m *Machine) quads() []int32 {
	act := m.list()
	if len(act) == m.n {
		m.derivOK = true
		return act
	}
	m.expanded = m.expanded[:0]
	last := int32(-1)
	m.derivOK = true
	for _, i := range act {
		q := i &^ 3
		if q == last {
			continue
		}
		last = q
		for k := range int32(4) {
			if int(q+k) < m.n {
				m.expanded = append(m.expanded, q+k)
				if !m.active.has(int(q+k)) && m.present.has(int(q+k)) {
					m.derivOK = false
				}
			}
		}
	}
	return m.expanded
}

// event records the first occurrence of a kind at the current instruction.
func (m *Machine) event(k EventKind, lane int32, format string, args ...any) {
	at := m.p.insts[min(int(m.pc), len(m.p.insts)-1)].at
	if i, ok := m.seen[eventKey{k, at}]; ok {
		if i >= 0 {
			m.report.Events[i].Count++
		}
		return
	}
	if len(m.report.Events) >= maxEvents {
		m.seen[eventKey{k, at}] = -1
		return
	}
	m.seen[eventKey{k, at}] = len(m.report.Events)
	m.report.Events = append(m.report.Events, Event{Kind: k, Instr: int(at), Invocation: int(m.group) + int(lane), Count: 1, Text: fmt.Sprintf(format, args...)})
}

// run executes until the program ends.
func (m *Machine) run(ctx context.Context) error {
	check := int64(0)
	for !m.done {
		if m.steps >= check {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("interp: %w", err)
			}
			check = m.steps + 100_000
		}
		if err := m.step(); err != nil {
			return err
		}
	}
	return m.failure
}

// step executes one instruction.
func (m *Machine) step() error {
	if int(m.pc) >= len(m.p.insts) {
		m.leaveSub()
		if int(m.pc) >= len(m.p.insts) {
			m.done = true
		}
		return nil
	}
	in := &m.p.insts[m.pc]
	lanes := m.list()
	m.steps += int64(len(lanes)) + 1
	if m.steps > m.limit {
		return &Error{int(in.at), in.dx, fmt.Errorf("%w after %d steps", ErrSteps, m.steps)}
	}
	if len(in.fills) > 0 {
		l := lanes
		if in.quads {
			l = m.quads()
		}
		m.fill(in, l)
	}
	if m.tainted != nil {
		m.gather(in, lanes)
	}
	if len(in.check) > 0 {
		m.checkDefined(in, lanes)
	}
	pc := m.pc
	if in.kind >= kIf {
		err := m.flow(in)
		if m.opt.Trace != nil {
			m.opt.Trace(int(m.p.insts[pc].at), m)
		}
		return err
	}
	if len(lanes) > 0 {
		m.execute(in, lanes)
	}
	if m.opt.Trace != nil {
		m.opt.Trace(int(in.at), m)
	}
	m.pc++
	return nil
}

func (m *Machine) checkDefined(in *inst, lanes []int32) {
	for _, r := range in.check {
		d := m.defined[r]
		for _, i := range lanes {
			if !d[i] {
				m.event(EventUndefined, i, "r%d.%c is read before it is written", r/4, "xyzw"[r%4])
				m.flag(i)
			}
		}
	}
}

func (m *Machine) fill(in *inst, lanes []int32) {
	for k := range in.fills {
		f := &in.fills[k]
		d := m.rows[f.dst]
		switch f.kind {
		case fillMove:
			s := m.rows[f.row]
			for _, i := range lanes {
				d[i] = s[i]
			}
		case fillArray:
			for _, i := range lanes {
				e := m.index(f.imm, f.rel, i)
				if e >= uint32(f.n) {
					m.event(EventArrayRange, i, "element %d of %d", int32(e), f.n)
					if m.tainted != nil {
						m.taint[f.dst][i] = true
					}
					d[i] = 0
					continue
				}
				r := f.row + int32(e)*f.step
				d[i] = m.rows[r][i]
				if m.tainted != nil {
					m.taint[f.dst][i] = m.taint[r][i]
				}
			}
		case fillICB:
			for _, i := range lanes {
				d[i] = 0
				if e := m.index(f.imm, f.rel, i); e < uint32(len(m.p.icb)) {
					d[i] = m.p.icb[e][f.comp]
				}
			}
		case fillCBuffer:
			if f.rel2 < 0 { // one buffer for all
				mem := Memory{Data: m.env.CBuffers[Slot{f.reg, f.res.space}]}
				for _, i := range lanes {
					d[i] = 0
					if e := m.index(f.imm, f.rel, i); e < 4096 && int(e)*16+int(f.comp)*4+4 <= len(mem.Data) {
						d[i] = mem.load(int(e)*16 + int(f.comp)*4)
					}
				}
				break
			}
			for _, i := range lanes {
				d[i] = m.env.constant(Slot{m.index(f.reg, f.rel2, i), f.res.space}, m.index(f.imm, f.rel, i), f.comp)
			}
		case fillThis:
			for _, i := range lanes {
				d[i] = 0
				if m.p.classes != nil {
					if w, ok := m.p.classes.This(m.index(f.imm, f.rel, i)); ok {
						d[i] = w[f.comp&3]
					}
				}
			}
		}
		if m.tainted != nil {
			t := m.taint[f.dst]
			for _, i := range lanes {
				switch f.kind {
				case fillMove:
					t[i] = m.taint[f.row][i]
				case fillArray:
				default:
					t[i] = false
				}
				t[i] = t[i] || f.rel >= 0 && m.taint[f.rel][i] || f.rel2 >= 0 && m.taint[f.rel2][i]
			}
		}
		applyModifier(f.mod, d, lanes)
		if m.tainted != nil && f.mod != modNone && f.mod != modINeg {
			// A modifier is arithmetic also where a move has it: WGSL may flush or
			// replace what it is applied to.
			t := m.taint[f.dst]
			for _, i := range lanes {
				t[i] = t[i] || edge(d[i])
			}
		}
	}
}

func (m *Machine) index(imm uint32, rel int32, i int32) uint32 {
	if rel < 0 {
		return imm
	}
	return imm + m.rows[rel][i]
}

func applyModifier(mod modifier, d []uint32, lanes []int32) {
	switch mod {
	case modFNeg:
		for _, i := range lanes {
			d[i] ^= 1 << 31
		}
	case modFAbs:
		for _, i := range lanes {
			d[i] &^= 1 << 31
		}
	case modFNegAbs:
		for _, i := range lanes {
			d[i] |= 1 << 31
		}
	case modINeg:
		for _, i := range lanes {
			d[i] = -d[i]
		}
	}
}

// out is the row to write component k of destination j to.
func (m *Machine) out(in *inst, j, k int) []uint32 {
	if in.via {
		return m.outRows[k]
	}
	return m.rows[in.dst[j][k]]
}

// finish moves results from the scratch rows to their places.
func (m *Machine) finish(in *inst, j int, lanes []int32) {
	for k := range 4 {
		r := in.dst[j][k]
		if r < 0 {
			continue
		}
		d := m.rows[r]
		if in.via {
			s := m.outRows[k]
			for _, i := range lanes {
				d[i] = s[i]
			}
		}
		if in.sat {
			for _, i := range lanes {
				var a [1]uint32
				a[0] = d[i]
				d[i], _ = ir.EvalLane(ir.OpFSat, a[:])
			}
		}
	}
	if m.tainted != nil {
		for k := range 4 {
			if r := in.dst[j][k]; r >= 0 {
				for _, i := range lanes {
					m.taint[r][i] = m.cur[k][i] || m.tainted[i]
				}
			}
		}
		if in.status >= 0 {
			for _, i := range lanes {
				m.taint[in.status][i] = m.tainted[i]
			}
		}
	}
	if j == 0 {
		for k := range in.scatter {
			s := &in.scatter[k]
			v := m.rows[s.src]
			for _, i := range lanes {
				if m.tainted != nil && s.rel >= 0 && m.taint[s.rel][i] {
					m.tainted[i] = true // it may have gone anywhere
				}
				e := m.index(s.imm, s.rel, i)
				if e >= uint32(s.n) {
					m.event(EventArrayRange, i, "element %d of %d", int32(e), s.n)
					continue
				}
				m.rows[s.row+int32(e)*s.step][i] = v[i]
				if m.tainted != nil {
					m.taint[s.row+int32(e)*s.step][i] = m.taint[s.src][i]
				}
			}
		}
		for _, r := range in.mark {
			d := m.defined[r]
			for _, i := range lanes {
				d[i] = true
			}
		}
	}
}
