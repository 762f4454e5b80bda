package interp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/ir"
)

// TestFast compares every written-out operation with ir.EvalLane over the edges of
// floats and integers.
func TestFast(t *testing.T) {
	edges := []uint32{0, 1 << 31, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000, 0x3FC00001, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 2, 31, 32, 33, 0x7FFFFFFF, 0x4B800001, 0x34000000}
	var a, b, c []uint32
	for _, x := range edges {
		for _, y := range edges {
			for _, z := range []uint32{0, 0x80000001, 0x3F800000, 0xFF7FFFFF, 0x7FC00000, 7} {
				a, b, c = append(a, x), append(b, y), append(c, z)
			}
		}
	}
	lanes := make([]int32, len(a))
	for i := range lanes {
		lanes[i] = int32(i)
	}
	d := make([]uint32, len(a))
	n := 0
	for op := ir.OpFAdd; op <= ir.OpF16ToF32; op++ {
		args := [][]uint32{a, b, c}
		ok := false
		switch len(op.Info().Args) {
		case 1:
			ok = fast1(op, d, a, lanes)
		case 2:
			ok = fast2(op, d, a, b, lanes)
		case 3:
			ok = fast3(op, d, a, b, c, lanes)
		}
		if !ok {
			continue
		}
		n++
		for i := range lanes {
			var in []uint32
			for k := range op.Info().Args {
				in = append(in, args[k][i])
			}
			want, ok := ir.EvalLane(op, in)
			require.True(t, ok, op)
			require.Equal(t, want, d[i], "%s of %08x", op, in)
		}
	}
	require.Equal(t, 28, n)
	for terms := 2; terms <= 4; terms++ {
		x, y := [4][]uint32{a, b, c, b}, [4][]uint32{c, a, b, b}
		fastDot(terms, d, &x, &y, lanes)
		for i := range lanes {
			sum, _ := ir.EvalLane(ir.OpFMul, []uint32{x[0][i], y[0][i]})
			for k := 1; k < terms; k++ {
				p, _ := ir.EvalLane(ir.OpFMul, []uint32{x[k][i], y[k][i]})
				sum, _ = ir.EvalLane(ir.OpFAdd, []uint32{sum, p})
			}
			require.Equal(t, sum, d[i])
		}
	}
}
