package wgsl

import (
	"math/bits"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// maxU32 is the upper bound of what nothing is known about.
const maxU32 = 1<<32 - 1

// upper is the largest value that a lane can have as u32, as far as its
// operations say: constants, masks, minima, shifts, thread IDs against the group
// size, selections. It is maxU32 where they say nothing.
func (e *emitter) upper(l ir.Lane) uint64 {
	if e.rs.bounds == nil {
		e.rs.bounds = map[ir.Lane]uint64{}
	}
	return e.upperAt(l, 64)
}

// upperAt is upper over at most depth operations; what has been found out is remembered.
func (e *emitter) upperAt(l ir.Lane, depth int) uint64 {
	if b, ok := e.rs.bounds[l]; ok {
		return b
	}
	if depth == 0 {
		return maxU32
	}
	b := e.bound(l, depth)
	e.rs.bounds[l] = b
	return b
}

func (e *emitter) bound(l ir.Lane, depth int) uint64 {
	v := &e.f.Values[l.V]
	arg := func(i int) uint64 {
		if i >= len(v.Args) || v.Args[i].N == 0 {
			return maxU32
		}
		n := l.L
		if !v.Op.Is(ir.FlagLanewise) || n >= v.Args[i].N {
			n = 0
		}
		return e.upperAt(v.Args[i].Lanes[n], depth-1)
	}
	exact := func(i int) (uint32, bool) {
		if i >= len(v.Args) || v.Args[i].N == 0 {
			return 0, false
		}
		return e.laneConst(v.Args[i].Lanes[min(l.L, v.Args[i].N-1)])
	}
	switch v.Op {
	case ir.OpConst:
		return uint64(v.Imm[l.L&3])
	case ir.OpUndef:
		return 0
	case ir.OpInput:
		return e.upperInput(&e.f.Inputs[v.Imm[0]], l.L)
	case ir.OpAnd:
		return min(arg(0), arg(1))
	case ir.OpOr, ir.OpXor:
		// No bit above the highest one of either.
		return 1<<bits.Len64(max(arg(0), arg(1))) - 1
	case ir.OpUMin:
		return min(arg(0), arg(1))
	case ir.OpUMax:
		return max(arg(0), arg(1))
	case ir.OpIMin:
		// The smaller of the two is not negative only if both are; a bound holds
		// where one operand cannot be negative and the other neither.
		if a, b := arg(0), arg(1); a < 1<<31 && b < 1<<31 {
			return min(a, b)
		}
	case ir.OpIMax:
		if a, b := arg(0), arg(1); a < 1<<31 && b < 1<<31 {
			return max(a, b)
		}
	case ir.OpSelect:
		return max(arg(1), arg(2))
	case ir.OpIAdd:
		if s := arg(0) + arg(1); s <= maxU32 {
			return s
		}
	case ir.OpIMul:
		if a, b := arg(0), arg(1); a <= maxU32 && b <= maxU32 {
			if hi, lo := bits.Mul64(a, b); hi == 0 && lo <= maxU32 {
				return lo
			}
		}
	case ir.OpIMad:
		if hi, lo := bits.Mul64(arg(0), arg(1)); hi == 0 && lo <= maxU32 && lo+arg(2) <= maxU32 {
			return lo + arg(2)
		}
	case ir.OpShl:
		if n, ok := exact(1); ok {
			if s := arg(0) << (n & 31); s <= maxU32 {
				return s
			}
		}
	case ir.OpUShr:
		if n, ok := exact(1); ok {
			return arg(0) >> (n & 31)
		}
		return arg(0)
	case ir.OpUBfe:
		if n, ok := exact(0); ok && n&31 > 0 {
			return 1<<(n&31) - 1
		}
	case ir.OpUDiv:
		if n, ok := exact(1); ok && n > 0 {
			return arg(0) / uint64(n)
		}
	case ir.OpUMod:
		if n, ok := exact(1); ok && n > 0 {
			return min(uint64(n)-1, arg(0))
		}
	case ir.OpCountBits:
		return 32
	case ir.OpF32ToF16:
		return 0xffff
	case ir.OpUAddCarry, ir.OpUSubBorrow:
		return 1
	}
	return maxU32
}

// upperInput bounds the built-in inputs of a compute program by its group size.
func (e *emitter) upperInput(el *ir.Elem, lane uint8) uint64 {
	g := e.groupSize()
	switch el.RegType {
	case dxbc.RegThreadIDInGroup:
		return uint64(g[min(component(el.Mask, lane), 2)]) - 1
	case dxbc.RegThreadIDInGroupFlattened:
		return uint64(g[0])*uint64(g[1])*uint64(g[2]) - 1
	}
	return maxU32
}

// inRange reports whether operand 0 of v plus its first immediate is below n for sure.
func (e *emitter) inRange(v *ir.Value, n uint32) bool {
	return v.Args[0].N > 0 && e.upper(v.Args[0].Lanes[0])+uint64(v.Imm[0]) < uint64(n)
}
