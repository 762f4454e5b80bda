package interp

import (
	"math"
	"slices"

	"fxlens/core/ir"
)

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
