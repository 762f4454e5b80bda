package interp

import (
	"math"

	"fxlens/core/ir"
)

// The commonest operations, written out: ir.EvalLane's large switch for every lane
// would take most of the time. A test compares both.

func flush(u uint32) uint32 {
	if u&0x7F800000 == 0 {
		return u & 0x80000000
	}
	return u
}

func operand(u uint32) float32 { return math.Float32frombits(flush(u)) }

func result(x float32) uint32 {
	if x != x {
		return 0x7FC00000
	}
	return flush(math.Float32bits(x))
}

func truth(b bool) uint32 {
	if b {
		return 0xFFFFFFFF
	}
	return 0
}

// fast1 computes a row by an operation of one operand, or reports false.
func fast1(op ir.Op, d, a []uint32, lanes []int32) bool {
	switch op {
	case ir.OpIToF:
		for _, i := range lanes {
			d[i] = result(float32(int32(a[i])))
		}
	case ir.OpUToF:
		for _, i := range lanes {
			d[i] = result(float32(a[i]))
		}
	case ir.OpFSqrt:
		for _, i := range lanes {
			d[i] = result(float32(math.Sqrt(float64(operand(a[i])))))
		}
	case ir.OpFRsq:
		for _, i := range lanes {
			d[i] = result(float32(1 / math.Sqrt(float64(operand(a[i])))))
		}
	case ir.OpNot:
		for _, i := range lanes {
			d[i] = ^a[i]
		}
	case ir.OpTestNZ:
		for _, i := range lanes {
			d[i] = truth(a[i] != 0)
		}
	case ir.OpFNeg:
		for _, i := range lanes {
			d[i] = a[i] ^ 1<<31
		}
	default:
		return false
	}
	return true
}

// fast2 is fast1 for two operands.
func fast2(op ir.Op, d, a, b []uint32, lanes []int32) bool {
	switch op {
	case ir.OpFAdd:
		for _, i := range lanes {
			d[i] = result(operand(a[i]) + operand(b[i]))
		}
	case ir.OpFMul:
		for _, i := range lanes {
			d[i] = result(operand(a[i]) * operand(b[i]))
		}
	case ir.OpFDiv:
		for _, i := range lanes {
			d[i] = result(operand(a[i]) / operand(b[i]))
		}
	case ir.OpFLt:
		for _, i := range lanes {
			d[i] = truth(operand(a[i]) < operand(b[i]))
		}
	case ir.OpFGe:
		for _, i := range lanes {
			d[i] = truth(operand(a[i]) >= operand(b[i]))
		}
	case ir.OpIAdd:
		for _, i := range lanes {
			d[i] = a[i] + b[i]
		}
	case ir.OpIMul:
		for _, i := range lanes {
			d[i] = a[i] * b[i]
		}
	case ir.OpAnd:
		for _, i := range lanes {
			d[i] = a[i] & b[i]
		}
	case ir.OpOr:
		for _, i := range lanes {
			d[i] = a[i] | b[i]
		}
	case ir.OpXor:
		for _, i := range lanes {
			d[i] = a[i] ^ b[i]
		}
	case ir.OpShl:
		for _, i := range lanes {
			d[i] = a[i] << (b[i] & 31)
		}
	case ir.OpUShr:
		for _, i := range lanes {
			d[i] = a[i] >> (b[i] & 31)
		}
	case ir.OpIEq:
		for _, i := range lanes {
			d[i] = truth(a[i] == b[i])
		}
	case ir.OpINe:
		for _, i := range lanes {
			d[i] = truth(a[i] != b[i])
		}
	case ir.OpILt:
		for _, i := range lanes {
			d[i] = truth(int32(a[i]) < int32(b[i]))
		}
	case ir.OpIGe:
		for _, i := range lanes {
			d[i] = truth(int32(a[i]) >= int32(b[i]))
		}
	case ir.OpULt:
		for _, i := range lanes {
			d[i] = truth(a[i] < b[i])
		}
	case ir.OpUGe:
		for _, i := range lanes {
			d[i] = truth(a[i] >= b[i])
		}
	default:
		return false
	}
	return true
}

// fast3 is fast1 for three operands.
func fast3(op ir.Op, d, a, b, c []uint32, lanes []int32) bool {
	switch op {
	case ir.OpFMad:
		for _, i := range lanes {
			p := result(operand(a[i]) * operand(b[i]))
			d[i] = result(math.Float32frombits(p) + operand(c[i]))
		}
	case ir.OpIMad:
		for _, i := range lanes {
			d[i] = a[i]*b[i] + c[i]
		}
	case ir.OpSelect:
		for _, i := range lanes {
			if a[i] != 0 {
				d[i] = b[i]
			} else {
				d[i] = c[i]
			}
		}
	default:
		return false
	}
	return true
}

// fastDot adds the products in the order of the components, rounding each step.
func fastDot(n int, d []uint32, a, b *[4][]uint32, lanes []int32) {
	for _, i := range lanes {
		sum := result(operand(a[0][i]) * operand(b[0][i]))
		for t := 1; t < n; t++ {
			p := result(operand(a[t][i]) * operand(b[t][i]))
			sum = result(math.Float32frombits(sum) + math.Float32frombits(p))
		}
		d[i] = sum
	}
}
