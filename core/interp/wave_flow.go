package interp

import (
	"fmt"

	"fxlens/core/dxbc"
)

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
