package interp

import (
	"context"
	"fmt"
	"math"
	"slices"

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

func (m *Machine) execute(in *inst, lanes []int32) {
	switch in.kind {
	case kNop:
	case kLane:
		m.lane(in, in.op, 0, lanes)
		m.finish(in, 0, lanes)
	case kLane2:
		// Both results come from the sources as they were.
		var first [4][]uint32
		m.lane(in, in.op, 0, lanes)
		for k := range 4 {
			if in.dst[0][k] >= 0 {
				first[k] = slices.Clone(m.outRows[k])
			}
		}
		m.lane(in, in.op2, 1, lanes)
		m.finish(in, 1, lanes)
		for k := range 4 {
			if first[k] != nil {
				copy(m.outRows[k], first[k])
			}
		}
		m.finish(in, 0, lanes)
	case kMov:
		for k := range 4 {
			if in.dst[0][k] < 0 {
				continue
			}
			d, s := m.out(in, 0, k), m.rows[in.src[0][k]]
			if len(lanes) == m.n {
				copy(d, s)
				continue
			}
			for _, i := range lanes {
				d[i] = s[i]
			}
		}
		m.finish(in, 0, lanes)
	case kSwapc:
		var first [4][]uint32
		for k := range 4 {
			if in.dst[0][k] < 0 {
				continue
			}
			first[k] = make([]uint32, m.n)
			c, a, b := m.rows[in.src[0][k]], m.rows[in.src[1][k]], m.rows[in.src[2][k]]
			for _, i := range lanes {
				first[k][i] = a[i]
				if c[i] != 0 {
					first[k][i] = b[i]
				}
			}
		}
		for k := range 4 {
			if in.dst[1][k] < 0 {
				continue
			}
			c, a, b := m.rows[in.src[0][k]], m.rows[in.src[1][k]], m.rows[in.src[2][k]]
			for _, i := range lanes {
				m.outRows[k][i] = b[i]
				if c[i] != 0 {
					m.outRows[k][i] = a[i]
				}
			}
		}
		m.finish(in, 1, lanes)
		for k := range 4 {
			if first[k] != nil {
				copy(m.outRows[k], first[k])
			}
		}
		m.finish(in, 0, lanes)
	case kDot:
		m.dot(in, lanes)
	case kDeriv:
		m.deriv(in, lanes)
	case kDouble:
		m.double(in, lanes)
	case kMapped:
		s := m.rows[in.src[0][0]]
		for k := range 4 {
			if in.dst[0][k] >= 0 {
				for _, i := range lanes {
					m.outRows[k][i] = 0
					if s[i] != 0 {
						m.outRows[k][i] = 0xFFFFFFFF
					}
				}
			}
		}
		m.finish(in, 0, lanes)
	case kDiscard:
		c := m.rows[in.src[0][0]]
		for _, i := range lanes {
			if m.tainted != nil && m.taint[in.src[0][0]][i] {
				m.tainted[i] = true
			}
			if (c[i] != 0) == in.nz {
				m.killed.set(int(i))
			}
		}
	case kSync:
		m.sync(in, lanes)
	case kCopy:
		m.copyRows(in, lanes)
	case kGroupAny:
		m.groupAny(in, lanes)
	case kEmit:
		m.emit(in, lanes)
	default:
		m.memory(in, lanes)
	}
}

// lane computes the components of destination j by op.
func (m *Machine) lane(in *inst, op ir.Op, j int, lanes []int32) {
	for k := range 4 {
		if in.dst[j][k] < 0 {
			continue
		}
		d := m.out(in, j, k)
		if m.tainted != nil {
			var args [4][]uint32
			for s := range int(in.nsrc) {
				args[s] = m.rows[in.src[s][k]]
			}
			m.trackArgs(op, k, lanes, args[:in.nsrc]...)
		}
		first := m.rows[in.src[0][k]]
		if m.j != nil { // the result may replace it
			first = slices.Clone(first)
		}
		switch in.nsrc {
		case 1:
			a := m.rows[in.src[0][k]]
			eval1(op, d, a, lanes)
		case 2:
			a, b := m.rows[in.src[0][k]], m.rows[in.src[1][k]]
			eval2(op, d, a, b, lanes)
		case 3:
			a, b, c := m.rows[in.src[0][k]], m.rows[in.src[1][k]], m.rows[in.src[2][k]]
			if m.j != nil && op == ir.OpFMad {
				m.j.mad(d, a, b, c, lanes)
			} else {
				eval3(op, d, a, b, c, lanes)
			}
		case 4:
			a, b, c, e := m.rows[in.src[0][k]], m.rows[in.src[1][k]], m.rows[in.src[2][k]], m.rows[in.src[3][k]]
			for _, i := range lanes {
				args := [4]uint32{a[i], b[i], c[i], e[i]}
				d[i], _ = ir.EvalLane(op, args[:])
			}
		}
		if m.tainted != nil {
			m.trackResult(op, k, d, lanes)
		}
		if m.j != nil {
			m.j.result(op, d, first, lanes)
		}
	}
}

func eval1(op ir.Op, d, a []uint32, lanes []int32) {
	if fast1(op, d, a, lanes) {
		return
	}
	var args [1]uint32
	for _, i := range lanes {
		args[0] = a[i]
		d[i], _ = ir.EvalLane(op, args[:])
	}
}

func eval2(op ir.Op, d, a, b []uint32, lanes []int32) {
	if fast2(op, d, a, b, lanes) {
		return
	}
	var args [2]uint32
	for _, i := range lanes {
		args[0], args[1] = a[i], b[i]
		d[i], _ = ir.EvalLane(op, args[:])
	}
}

func eval3(op ir.Op, d, a, b, c []uint32, lanes []int32) {
	if fast3(op, d, a, b, c, lanes) {
		return
	}
	var args [3]uint32
	for _, i := range lanes {
		args[0], args[1], args[2] = a[i], b[i], c[i]
		d[i], _ = ir.EvalLane(op, args[:])
	}
}

// dot adds the products in the order of the components, rounding each step.
func (m *Machine) dot(in *inst, lanes []int32) {
	var a, b [4][]uint32
	for t := range int(in.n) {
		a[t], b[t] = m.rows[in.src[0][t]], m.rows[in.src[1][t]]
	}
	res := m.outRows[0]
	watched := lanes
	if m.j == nil && m.tainted == nil {
		fastDot(int(in.n), res, &a, &b, lanes)
		watched = nil
	}
	for _, i := range watched {
		var sum uint32
		for t := range int(in.n) {
			p, _ := ir.EvalLane(ir.OpFMul, []uint32{a[t][i], b[t][i]})
			if t == 0 {
				sum = p
			} else {
				sum, _ = ir.EvalLane(ir.OpFAdd, []uint32{sum, p})
			}
			if m.j != nil {
				sum = m.j.ulps(sum, 1)
			}
			if m.tainted != nil && (edge(a[t][i]) || edge(b[t][i]) || edge(p) || edge(sum)) {
				m.flag(i)
			}
		}
		res[i] = sum
	}
	for k := 1; k < 4; k++ {
		if in.dst[0][k] >= 0 {
			for _, i := range lanes {
				m.outRows[k][i] = res[i]
			}
		}
	}
	m.finish(in, 0, lanes)
}

func (m *Machine) deriv(in *inst, lanes []int32) {
	m.quads()
	if !m.derivOK {
		m.divergent(lanes)
	}
	for k := range 4 {
		if in.dst[0][k] < 0 {
			continue
		}
		s, d := m.rows[in.src[0][k]], m.outRows[k]
		for _, i := range lanes {
			d[i] = math.Float32bits(quadDeriv(in.op, s, i, m.j))
			if m.tainted != nil && (edge(d[i]) || edge(s[i])) {
				m.cur[k][i] = true
			}
		}
	}
	m.finish(in, 0, lanes)
}

// quadDeriv is a derivative of row s at invocation i. The forms that leave the
// choice to the implementation are fine ones, or with jitter either.
func quadDeriv(op ir.Op, s []uint32, i int32, j *jitter) float32 {
	q := i &^ 3
	at := func(k int32) float32 {
		if int(q+k) >= len(s) {
			return 0
		}
		return math.Float32frombits(s[q+k])
	}
	fine := op == ir.OpDerivX || op == ir.OpDerivY || op == ir.OpDerivXFine || op == ir.OpDerivYFine
	if j != nil && (op == ir.OpDerivX || op == ir.OpDerivY) {
		fine = j.coin()
	}
	switch op {
	case ir.OpDerivX, ir.OpDerivXCoarse, ir.OpDerivXFine:
		if fine && i&2 != 0 {
			return at(3) - at(2)
		}
		return at(1) - at(0)
	}
	if fine && i&1 != 0 {
		return at(3) - at(1)
	}
	return at(2) - at(0)
}

// divergent reports a derivative in a quad that is not whole.
func (m *Machine) divergent(lanes []int32) {
	for _, i := range lanes {
		q := int(i &^ 3)
		for k := q; k < q+4 && k < m.n; k++ {
			if m.present.has(k) && !m.active.has(k) {
				m.event(EventDerivative, i, "part of the quad is elsewhere")
				m.flag(i)
				break
			}
		}
	}
}

// sync checks a barrier and starts a new epoch for the check of races.
func (m *Machine) sync(in *inst, lanes []int32) {
	if in.sync&dxbc.SyncThreads != 0 && len(lanes) != m.n {
		m.event(EventBarrier, lanes[0], "%d of %d invocations reach the barrier", len(lanes), m.n)
		for i := range m.tainted {
			m.tainted[i] = true
		}
	}
	if in.sync&dxbc.SyncThreads != 0 {
		m.epoch++
	}
}

// flow executes control flow, which sets pc.
func (m *Machine) flow(in *inst) error {
	switch in.kind {
	case kIf:
		f := m.push(kIf)
		copy(f.saved, m.active)
		m.split(in, f.other)
		m.active.remove(f.other)
		m.stale = true
		m.pc++
		if m.active.empty() {
			m.skip()
		}
	case kElse:
		f := &m.stack[m.depth-1]
		f.inElse = true
		m.setActive(f.other)
		m.pc++
		if m.active.empty() {
			m.pc = in.end
		}
	case kEndif:
		f := &m.stack[m.depth-1]
		m.setActive(f.saved)
		m.depth--
		m.pc++
		m.resume()
	case kLoop:
		m.push(kLoop)
		m.pc++
	case kEndloop:
		f := &m.stack[m.depth-1]
		m.active.add(f.cont)
		clear(f.cont)
		m.stale = true
		if !m.active.empty() {
			m.pc = in.target + 1
			return nil
		}
		m.setActive(f.other)
		m.depth--
		m.pc++
		m.resume()
	case kSwitch:
		f := m.push(kSwitch)
		f.pc = m.pc
		s := m.rows[in.src[0][0]]
		for _, i := range m.list() {
			if m.tainted != nil && m.taint[in.src[0][0]][i] {
				m.tainted[i] = true
			}
			f.sel[i] = in.target
			for _, l := range in.cases {
				if l.value == s[i] && l.pc != in.target {
					f.sel[i] = l.pc
					break
				}
			}
			if f.sel[i] < 0 { // no clause
				f.other.set(int(i))
			} else {
				f.saved.set(int(i))
			}
		}
		clear(m.active)
		m.stale = true
		m.skip()
	case kCase:
		f := &m.stack[m.depth-1]
		for i := range f.saved {
			for k := range 64 {
				if n := i*64 + k; f.saved[i]>>k&1 != 0 && f.sel[n] == m.pc {
					m.active.set(n)
					f.saved[i] &^= 1 << k
				}
			}
		}
		m.stale = true
		m.pc++
		m.resume()
	case kEndswitch:
		f := &m.stack[m.depth-1]
		m.active.add(f.other)
		m.stale = true
		m.depth--
		m.pc++
		m.resume()
	case kBreak, kContinue:
		m.leaving(in, m.tmpA)
		at := m.depth - 1
		for at >= 0 && m.stack[at].kind != kLoop && (in.kind == kContinue || m.stack[at].kind != kSwitch) {
			at--
		}
		if at < 0 {
			return &Error{int(in.at), in.dx, fmt.Errorf("%w: outside a loop", ErrMalformed)}
		}
		if in.kind == kBreak {
			m.stack[at].other.add(m.tmpA)
		} else {
			m.stack[at].cont.add(m.tmpA)
		}
		m.leave(at)
	case kRet:
		m.leaving(in, m.tmpA)
		at := m.depth - 1
		for at >= 0 && m.stack[at].kind != kCall {
			at--
		}
		if at >= 0 {
			m.stack[at].other.add(m.tmpA)
		}
		m.leave(at)
	case kCall:
		return m.call(in, in.target)
	case kFcall:
		return m.fcall(in)
	case kLabel: // the end of what came before
		m.leaveSub()
	}
	return nil
}

// split puts the invocations for which the test fails into rest.
func (m *Machine) split(in *inst, rest mask) {
	c := m.rows[in.src[0][0]]
	clear(rest)
	for _, i := range m.list() {
		if m.tainted != nil && m.taint[in.src[0][0]][i] {
			m.tainted[i] = true
		}
		if (c[i] != 0) != in.nz {
			rest.set(int(i))
		}
	}
}

// leaving puts the active invocations for which the test holds, or all, into out.
func (m *Machine) leaving(in *inst, out mask) {
	copy(out, m.active)
	if in.src[0][0] >= 0 {
		m.split(in, m.tmpB)
		out.remove(m.tmpB)
	}
}

// leave takes tmpA out of the active invocations and of all that would come back
// in the frames above at.
func (m *Machine) leave(at int) {
	m.pc++
	if m.tmpA.empty() {
		return
	}
	for k := at + 1; k < m.depth; k++ {
		if m.stack[k].kind == kIf {
			m.stack[k].saved.remove(m.tmpA)
		}
	}
	m.active.remove(m.tmpA)
	m.stale = true
	if m.active.empty() {
		m.skip()
	}
}

// skip goes to where the innermost block may wake somebody up again.
func (m *Machine) skip() {
	if m.depth == 0 {
		m.done = true
		return
	}
	f := &m.stack[m.depth-1]
	head := &m.p.insts[f.pc]
	switch f.kind {
	case kIf:
		if !f.inElse && head.target >= 0 {
			m.pc = head.target
		} else {
			m.pc = head.end
		}
	case kLoop:
		m.pc = head.end
	case kSwitch:
		next := head.end
		for _, l := range head.cases {
			if l.pc >= m.pc && l.pc < next {
				next = l.pc
			}
		}
		m.pc = next
	case kCall:
		m.leaveSub()
	}
}

// resume skips on when nobody is active behind a block.
func (m *Machine) resume() {
	if m.active.empty() {
		m.skip()
	}
}

// leaveSub returns from a subroutine, or ends the program.
func (m *Machine) leaveSub() {
	if m.depth == 0 {
		m.done = true
		return
	}
	f := &m.stack[m.depth-1]
	if f.kind != kCall {
		m.done = true // cannot be: blocks nest
		return
	}
	if !f.cont.empty() { // invocations that call another element of an interface
		m.setActive(f.cont)
		if m.failure = m.body(&m.p.insts[f.pc-1], f); m.failure == nil {
			return
		}
		m.done = true
		return
	}
	m.active.add(f.other)
	m.active.add(f.saved)
	m.stale = true
	m.pc = f.pc
	m.depth--
	m.resume()
}

const maxCalls = 32

func (m *Machine) call(in *inst, target int32) error {
	calls := 0
	for k := range m.depth {
		if m.stack[k].kind == kCall {
			calls++
		}
	}
	if calls >= maxCalls {
		return &Error{int(in.at), in.dx, fmt.Errorf("%w: more than %d nested calls", ErrMalformed, maxCalls)}
	}
	f := m.push(kCall)
	f.pc++
	if in.src[0][0] >= 0 {
		m.split(in, f.saved)
		m.active.remove(f.saved)
		m.stale = true
	}
	m.pc = target + 1
	if m.active.empty() {
		m.leaveSub()
	}
	return nil
}

// fcall calls the body of the class that is bound; invocations with different
// elements take turns.
func (m *Machine) fcall(in *inst) error {
	if len(m.list()) == 0 {
		m.pc++
		return nil
	}
	if m.p.classes == nil {
		return &Error{int(in.at), in.dx, fmt.Errorf("%w: no class is chosen for interface %d", ErrUnsupported, in.iface)}
	}
	if err := m.call(in, in.target); err != nil {
		return err
	}
	return m.body(in, &m.stack[m.depth-1])
}

// body enters the function body for the element of the first active invocation;
// those that want another one wait in f.cont.
func (m *Machine) body(in *inst, f *frame) error {
	elem := m.index(in.ifaceElem, in.ifaceRel, m.list()[0])
	body, ok := m.p.classes.Body(in.iface, elem, in.fn)
	if !ok {
		return &Error{int(in.at), in.dx, fmt.Errorf("%w: no class is chosen for element %d of interface %d", ErrUnsupported, elem, in.iface)}
	}
	target, ok := m.p.labels[labelKey{dxbc.RegFunctionBody, body}]
	if !ok {
		return &Error{int(in.at), in.dx, fmt.Errorf("%w: function body %d does not exist", ErrMalformed, body)}
	}
	clear(f.cont)
	for _, i := range m.list() {
		if m.index(in.ifaceElem, in.ifaceRel, i) != elem {
			f.cont.set(int(i))
		}
	}
	m.active.remove(f.cont)
	m.stale = true
	m.pc = target + 1
	return nil
}

// push opens a block at pc.
func (m *Machine) push(k kind) *frame {
	if m.depth == len(m.stack) {
		m.stack = append(m.stack, frame{saved: newMask(m.n), other: newMask(m.n), cont: newMask(m.n)})
	}
	f := &m.stack[m.depth]
	m.depth++
	f.kind, f.pc, f.inElse = k, m.pc, false
	clear(f.saved)
	clear(f.other)
	clear(f.cont)
	if k == kSwitch && f.sel == nil {
		f.sel = make([]int32, m.n)
	}
	return f
}
