package ir

import (
	"math"
	"math/bits"
)

// flush is D3D's treatment of denormals in arithmetic: they count as zero of
// their sign, as operands and as results.
func flush(u uint32) uint32 {
	if u&0x7F800000 == 0 {
		return u & 0x80000000
	}
	return u
}

func f32(u uint32) float32 { return math.Float32frombits(flush(u)) }

func fbits(x float32) uint32 {
	u := math.Float32bits(x)
	if x != x {
		return 0x7FC00000
	}
	return flush(u)
}

func mask(b bool) uint32 {
	if b {
		return 0xFFFFFFFF
	}
	return 0
}

// EvalLane computes one lane of a lanewise operation from the bits of its
// operands' lanes, by the D3D11 functional specification (semantics column of
// opcodes.tsv). It reports false for operations that need neighbours.
func EvalLane(op Op, a []uint32) (uint32, bool) {
	switch op {
	case OpFAdd:
		return fbits(f32(a[0]) + f32(a[1])), true
	case OpFMul:
		return fbits(f32(a[0]) * f32(a[1])), true
	case OpFMad:
		p := fbits(f32(a[0]) * f32(a[1]))
		return fbits(f32(p) + f32(a[2])), true
	case OpFDiv:
		return fbits(f32(a[0]) / f32(a[1])), true
	case OpFMin, OpFMax:
		x, y := f32(a[0]), f32(a[1])
		switch {
		case x != x:
			return fbits(y), true
		case y != y:
			return fbits(x), true
		case op == OpFMin && x < y, op == OpFMax && x >= y:
			return fbits(x), true
		}
		return fbits(y), true
	case OpFNeg:
		return a[0] ^ 0x80000000, true
	case OpFAbs:
		return a[0] & 0x7FFFFFFF, true
	case OpFSat:
		x := f32(a[0])
		switch {
		case !(x > 0):
			return 0, true
		case x > 1:
			return 0x3F800000, true
		}
		return fbits(x), true
	case OpFFract:
		x := float64(f32(a[0]))
		if f := float32(x - math.Floor(x)); f != 1 {
			return fbits(f), true
		}
		return 0x3F7FFFFF, true // of a small negative x: the result is below one
	case OpFFloor:
		return fbits(float32(math.Floor(float64(f32(a[0]))))), true
	case OpFCeil:
		return fbits(float32(math.Ceil(float64(f32(a[0]))))), true
	case OpFTrunc:
		return fbits(float32(math.Trunc(float64(f32(a[0]))))), true
	case OpFRound:
		return fbits(float32(math.RoundToEven(float64(f32(a[0]))))), true
	case OpFExp2:
		return fbits(float32(math.Exp2(float64(f32(a[0]))))), true
	case OpFLog2:
		return fbits(float32(math.Log2(float64(f32(a[0]))))), true
	case OpFSqrt:
		return fbits(float32(math.Sqrt(float64(f32(a[0]))))), true
	case OpFRsq:
		return fbits(float32(1 / math.Sqrt(float64(f32(a[0]))))), true
	case OpFRcp:
		return fbits(1 / f32(a[0])), true
	case OpFSin:
		return fbits(float32(math.Sin(float64(f32(a[0]))))), true
	case OpFCos:
		return fbits(float32(math.Cos(float64(f32(a[0]))))), true
	case OpFEq:
		return mask(f32(a[0]) == f32(a[1])), true
	case OpFNe:
		return mask(f32(a[0]) != f32(a[1])), true
	case OpFLt:
		return mask(f32(a[0]) < f32(a[1])), true
	case OpFGe:
		return mask(f32(a[0]) >= f32(a[1])), true
	case OpIEq:
		return mask(a[0] == a[1]), true
	case OpINe:
		return mask(a[0] != a[1]), true
	case OpILt:
		return mask(int32(a[0]) < int32(a[1])), true
	case OpIGe:
		return mask(int32(a[0]) >= int32(a[1])), true
	case OpULt:
		return mask(a[0] < a[1]), true
	case OpUGe:
		return mask(a[0] >= a[1]), true
	case OpTestNZ:
		return mask(a[0] != 0), true
	case OpIAdd:
		return a[0] + a[1], true
	case OpISub:
		return a[0] - a[1], true
	case OpINeg:
		return -a[0], true
	case OpIMul:
		return a[0] * a[1], true
	case OpIMad:
		return a[0]*a[1] + a[2], true
	case OpIMulHi:
		return uint32(uint64(int64(int32(a[0]))*int64(int32(a[1]))) >> 32), true
	case OpUMulHi:
		hi, _ := bits.Mul32(a[0], a[1])
		return hi, true
	case OpIMin:
		return uint32(min(int32(a[0]), int32(a[1]))), true
	case OpIMax:
		return uint32(max(int32(a[0]), int32(a[1]))), true
	case OpUMin:
		return min(a[0], a[1]), true
	case OpUMax:
		return max(a[0], a[1]), true
	case OpUDiv:
		if a[1] == 0 {
			return 0xFFFFFFFF, true
		}
		return a[0] / a[1], true
	case OpUMod:
		if a[1] == 0 {
			return 0xFFFFFFFF, true
		}
		return a[0] % a[1], true
	case OpUAddCarry:
		_, c := bits.Add32(a[0], a[1], 0)
		return c, true
	case OpUSubBorrow:
		_, c := bits.Sub32(a[0], a[1], 0)
		return c, true
	case OpAnd:
		return a[0] & a[1], true
	case OpOr:
		return a[0] | a[1], true
	case OpXor:
		return a[0] ^ a[1], true
	case OpNot:
		return ^a[0], true
	case OpShl:
		return a[0] << (a[1] & 31), true
	case OpIShr:
		return uint32(int32(a[0]) >> (a[1] & 31)), true
	case OpUShr:
		return a[0] >> (a[1] & 31), true
	case OpUBfe:
		w, o := a[0]&31, a[1]&31
		switch {
		case w == 0:
			return 0, true
		case w+o < 32:
			return a[2] << (32 - w - o) >> (32 - w), true
		}
		return a[2] >> o, true
	case OpIBfe:
		w, o := a[0]&31, a[1]&31
		switch {
		case w == 0:
			return 0, true
		case w+o < 32:
			return uint32(int32(a[2]) << (32 - w - o) >> (32 - w)), true
		}
		return uint32(int32(a[2]) >> o), true
	case OpBfi:
		w, o := a[0]&31, a[1]&31
		m := (uint32(1)<<w - 1) << o
		return a[2]<<o&m | a[3]&^m, true
	case OpBitReverse:
		return bits.Reverse32(a[0]), true
	case OpCountBits:
		return uint32(bits.OnesCount32(a[0])), true
	case OpFirstBitHi:
		if a[0] == 0 {
			return 0xFFFFFFFF, true
		}
		return uint32(bits.LeadingZeros32(a[0])), true
	case OpFirstBitLo:
		if a[0] == 0 {
			return 0xFFFFFFFF, true
		}
		return uint32(bits.TrailingZeros32(a[0])), true
	case OpFirstBitSHi:
		x := a[0]
		if int32(x) < 0 {
			x = ^x
		}
		if x == 0 {
			return 0xFFFFFFFF, true
		}
		return uint32(bits.LeadingZeros32(x)), true
	case OpMsad:
		acc := a[2]
		for s := 0; s < 32; s += 8 {
			r, v := int32(a[0]>>s&255), int32(a[1]>>s&255)
			if r == 0 {
				continue
			}
			if r < v {
				r, v = v, r
			}
			acc += uint32(r - v)
		}
		return acc, true
	case OpSelect:
		if a[0] != 0 {
			return a[1], true
		}
		return a[2], true
	case OpFToI:
		x := f32(a[0])
		switch {
		case x != x:
			return 0, true
		case x >= 2147483648:
			return 0x7FFFFFFF, true
		case x <= -2147483648:
			return 0x80000000, true
		}
		return uint32(int32(x)), true
	case OpFToU:
		x := f32(a[0])
		switch {
		case !(x > 0):
			return 0, true
		case x >= 4294967296:
			return 0xFFFFFFFF, true
		}
		return uint32(x), true
	case OpIToF:
		return fbits(float32(int32(a[0]))), true
	case OpUToF:
		return fbits(float32(a[0])), true
	case OpF32ToF16:
		return halfBits(a[0]), true
	case OpF16ToF32:
		return fromHalf(a[0]), true
	}
	return 0, false
}

// halfBits rounds toward zero; a finite overflow gives the largest half
// (reference rounding of f32tof16).
func halfBits(u uint32) uint32 {
	sign, e, m := u>>16&0x8000, u>>23&0xFF, u&0x7FFFFF
	switch {
	case e == 0xFF && m != 0:
		return sign | 0x7E00 | m>>13
	case e == 0xFF:
		return sign | 0x7C00
	case e > 142:
		return sign | 0x7BFF
	case e > 112:
		return sign | (e-112)<<10 | m>>13
	case e < 103:
		return sign
	}
	return sign | (m|0x800000)>>(126-e)
}

func fromHalf(h uint32) uint32 {
	sign, e, m := h&0x8000<<16, h>>10&31, h&0x3FF
	switch {
	case e == 31:
		return sign | 0x7F800000 | m<<13
	case e == 0 && m == 0:
		return sign
	case e == 0:
		n := uint32(bits.LeadingZeros32(m)) - 21
		return sign | (113-n)<<23 | m<<(13+n)&0x7FFFFF
	}
	return sign | (e+112)<<23 | m<<13
}
