package ir_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/ir"
)

func f(x float32) uint32 { return math.Float32bits(x) }

const (
	nan    = 0x7FC00000
	inf    = 0x7F800000
	negInf = 0xFF800000
	denorm = 0x00000001
	ones   = 0xFFFFFFFF
)

// TestEvalLane states D3D's results at the edges (opcodes.tsv, dxbc.md section 4,
// which lists what the compiler's constant folder confirms).
func TestEvalLane(t *testing.T) {
	for _, c := range []struct {
		op   ir.Op
		in   []uint32
		want uint32
	}{
		{ir.OpFAdd, []uint32{f(1), f(2)}, f(3)},
		{ir.OpFAdd, []uint32{denorm, denorm}, 0},
		{ir.OpFMul, []uint32{0, inf}, nan},
		{ir.OpFMul, []uint32{f(-1e-30), f(1e-30)}, 0x80000000},
		{ir.OpFMin, []uint32{nan, f(2)}, f(2)},
		{ir.OpFMax, []uint32{f(2), nan}, f(2)},
		{ir.OpFSat, []uint32{nan}, 0},
		{ir.OpFSat, []uint32{f(-0.5)}, 0},
		{ir.OpFSat, []uint32{inf}, f(1)},
		{ir.OpFNeg, []uint32{nan}, 0xFFC00000},
		{ir.OpFNe, []uint32{nan, nan}, ones},
		{ir.OpFEq, []uint32{nan, nan}, 0},
		{ir.OpFEq, []uint32{0x80000000, 0}, ones},
		{ir.OpFEq, []uint32{denorm, 0}, ones},
		{ir.OpFGe, []uint32{nan, f(1)}, 0},
		{ir.OpFRound, []uint32{f(2.5)}, f(2)},
		{ir.OpFRound, []uint32{f(3.5)}, f(4)},
		{ir.OpFFract, []uint32{f(-1e-10)}, 0x3F7FFFFF}, // below one, though the difference rounds to it
		{ir.OpFFract, []uint32{f(-0.25)}, f(0.75)},
		{ir.OpFFract, []uint32{f(3)}, 0},
		{ir.OpFFract, []uint32{inf}, nan},
		{ir.OpFLog2, []uint32{0}, negInf},
		{ir.OpFSqrt, []uint32{0x80000000}, 0x80000000},
		{ir.OpFSqrt, []uint32{f(-1)}, nan},
		{ir.OpFRcp, []uint32{0x80000000}, negInf},
		{ir.OpShl, []uint32{1, 33}, 2},
		{ir.OpUShr, []uint32{0x80000000, 35}, 0x10000000},
		{ir.OpIShr, []uint32{0x80000000, 31}, ones},
		{ir.OpUDiv, []uint32{7, 0}, ones},
		{ir.OpUMod, []uint32{7, 0}, ones},
		{ir.OpUMod, []uint32{7, 4}, 3},
		{ir.OpIMulHi, []uint32{0x80000000, 0x80000000}, 0x40000000},
		{ir.OpIMulHi, []uint32{ones, 2}, ones},
		{ir.OpUMulHi, []uint32{ones, 2}, 1},
		{ir.OpUAddCarry, []uint32{ones, 1}, 1},
		{ir.OpUSubBorrow, []uint32{0, 1}, 1},
		{ir.OpFirstBitHi, []uint32{0}, ones},
		{ir.OpFirstBitHi, []uint32{1}, 31},
		{ir.OpFirstBitLo, []uint32{8}, 3},
		{ir.OpFirstBitSHi, []uint32{ones}, ones},
		{ir.OpFirstBitSHi, []uint32{0xFFFFFFFE}, 31},
		{ir.OpUBfe, []uint32{0, 4, ones}, 0},
		{ir.OpUBfe, []uint32{4, 30, 0xC0000000}, 3},
		{ir.OpIBfe, []uint32{4, 4, 0x00000080}, 0xFFFFFFF8},
		{ir.OpIBfe, []uint32{29, 5, 0xDEADBEEF}, 0xFEF56DF7}, // past the top: the rest, with its sign
		{ir.OpUBfe, []uint32{63, 33, 0xDEADBEEF}, 0x6F56DF77},
		{ir.OpBfi, []uint32{4, 4, 0xF, 0}, 0xF0},
		{ir.OpBfi, []uint32{0, 4, 0xF, 0x12}, 0x12},
		{ir.OpMsad, []uint32{0x00FF0010, 0x00010020, 5}, 5 + 0xFE + 0x10},
		{ir.OpFToI, []uint32{nan}, 0},
		{ir.OpFToI, []uint32{f(3e9)}, 0x7FFFFFFF},
		{ir.OpFToI, []uint32{f(-3e9)}, 0x80000000},
		{ir.OpFToU, []uint32{f(-1.5)}, 0},
		{ir.OpFToU, []uint32{f(5e9)}, ones},
		{ir.OpF32ToF16, []uint32{f(65520)}, 0x7BFF},
		{ir.OpF32ToF16, []uint32{f(1e-7)}, 0x0001},
		{ir.OpF32ToF16, []uint32{inf}, 0x7C00},
		{ir.OpF16ToF32, []uint32{0x0001}, 0x33800000},
		{ir.OpF16ToF32, []uint32{0xFC00}, negInf},
	} {
		got, ok := ir.EvalLane(c.op, c.in)
		require.True(t, ok, c.op)
		assert.Equalf(t, c.want, got, "%s %08x: %08x", c.op, c.in, got)
	}
	_, ok := ir.EvalLane(ir.OpDerivX, []uint32{0})
	assert.False(t, ok, "a derivative needs neighbours")
}
