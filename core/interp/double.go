package interp

import (
	"math"

	"fxlens/core/ir"
)

// double executes an instruction on doubles: components xy and zw are one each,
// the low word first. Comparisons and conversions to 32 bits write their first
// result to the first enabled component and the second to the next one;
// conversions from 32 bits take their first two slots (dxbc.md, section 4).
func (m *Machine) double(in *inst, lanes []int32) {
	var slots []int
	for k := range 4 {
		if in.dst[0][k] >= 0 {
			slots = append(slots, k)
		}
	}
	get := func(s, d int, i int32) float64 {
		return math.Float64frombits(uint64(m.rows[in.src[s][2*d]][i]) | uint64(m.rows[in.src[s][2*d+1]][i])<<32)
	}
	word := func(s, d int, i int32) uint32 { return m.rows[in.src[s][d]][i] }
	for _, i := range lanes {
		switch in.op {
		case ir.OpDEq, ir.OpDNe, ir.OpDLt, ir.OpDGe, ir.OpDToF, ir.OpDToI, ir.OpDToU:
			for d, k := range slots {
				if d > 1 {
					break
				}
				x, y := get(0, d, i), 0.0
				if in.nsrc > 1 {
					y = get(1, d, i)
				}
				m.outRows[k][i] = narrow(in.op, x, y)
			}
			continue
		}
		for d := range 2 {
			if in.dst[0][2*d] < 0 && in.dst[0][2*d+1] < 0 {
				continue
			}
			var r float64
			switch in.op {
			case ir.OpFToD:
				r = float64(math.Float32frombits(word(0, d, i)))
			case ir.OpIToD:
				r = float64(int32(word(0, d, i)))
			case ir.OpUToD:
				r = float64(word(0, d, i))
			case ir.OpSelect: // moves keep the bits
				s := 0
				if in.nsrc == 3 {
					s = 2
					if word(0, d, i) != 0 {
						s = 1
					}
				}
				m.outRows[2*d][i], m.outRows[2*d+1][i] = word(s, 2*d, i), word(s, 2*d+1, i)
				continue
			case ir.OpDNeg, ir.OpDAbs:
				hi := word(0, 2*d+1, i) & 0x7FFFFFFF
				if in.op == ir.OpDNeg {
					hi = word(0, 2*d+1, i) ^ 1<<31
				}
				m.outRows[2*d][i], m.outRows[2*d+1][i] = word(0, 2*d, i), hi
				continue
			default:
				var b, c float64
				if in.nsrc > 1 {
					b = get(1, d, i)
				}
				if in.nsrc > 2 {
					c = get(2, d, i)
				}
				r = wide(in.op, get(0, d, i), b, c)
			}
			u := math.Float64bits(r)
			m.outRows[2*d][i], m.outRows[2*d+1][i] = uint32(u), uint32(u>>32)
		}
	}
	m.finish(in, 0, lanes)
}

func wide(op ir.Op, a, b, c float64) float64 {
	switch op {
	case ir.OpDAdd:
		return a + b
	case ir.OpDMul:
		return a * b
	case ir.OpDFma:
		return math.FMA(a, b, c)
	case ir.OpDDiv:
		return a / b
	case ir.OpDRcp:
		return 1 / a
	}
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case op == ir.OpDMin:
		return min(a, b)
	}
	return max(a, b)
}

func narrow(op ir.Op, a, b float64) uint32 {
	var r bool
	switch op {
	case ir.OpDEq:
		r = a == b
	case ir.OpDNe:
		r = a != b
	case ir.OpDLt:
		r = a < b
	case ir.OpDGe:
		r = a >= b
	case ir.OpDToF:
		u := math.Float32bits(float32(a))
		if u&0x7F800000 == 0 {
			u &= 0x80000000
		}
		return u
	case ir.OpDToI:
		switch {
		case a != a:
			return 0
		case a >= 2147483647:
			return 0x7FFFFFFF
		case a <= -2147483648:
			return 0x80000000
		}
		return uint32(int32(a))
	case ir.OpDToU:
		switch {
		case !(a > 0):
			return 0
		case a >= 4294967295:
			return 0xFFFFFFFF
		}
		return uint32(a)
	}
	if r {
		return 0xFFFFFFFF
	}
	return 0
}
