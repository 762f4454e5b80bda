package interp

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// TestDiscardInLoop: a pixel that is discarded in a loop goes on as a helper, so that
// the derivatives of its neighbours are those of the values it would have.
func TestDiscardInLoop(t *testing.T) {
	p, err := dxbc.AssembleProgram(`ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps constant v0.xy
dcl_output o0.xyz
dcl_temps 4
mov r0.xyzw, l(0,0,0,0)
loop
  ige r1.x, r0.x, l(4)
  breakc_nz r1.x
  iadd r0.x, r0.x, l(1)
  ieq r1.y, r0.x, l(2)
  ieq r1.z, v0.x, l(0)
  and r1.y, r1.y, r1.z
  discard_nz r1.y
  iadd r2.x, r0.x, v0.x
  itof r2.x, r2.x
  mul r2.x, r2.x, r2.x
  deriv_rtx_fine r2.y, r2.x
  add r0.y, r0.y, r2.y
  itof r2.z, v0.y
  mul r2.z, r2.z, r2.x
  deriv_rty_coarse r2.w, r2.z
  add r0.z, r0.z, r2.w
endloop
mov o0.xy, r0.yzyy
mov o0.z, r2.x
ret
`)
	require.NoError(t, err)
	exe, err := Compile(&dxbc.Shader{Program: p}, CompileOptions{})
	require.NoError(t, err)
	b := &Batch{N: 4, In: map[uint32][][4]uint32{0: {{0, 0}, {1, 0}, {0, 1}, {1, 1}}}}
	rep, err := exe.Run(t.Context(), &Env{}, b, Options{})
	require.NoError(t, err)
	assert.Empty(t, rep.Events, "the flow is uniform")
	assert.Equal(t, []bool{true, false, true, false}, b.Discarded)
	for i, o := range b.Out[0] {
		// (i+1)^2 - i^2 for 1 to 4; the quad's one difference of rows is that of its first column.
		assert.Equal(t, [2]float32{24, 30}, [2]float32{math.Float32frombits(o[0]), math.Float32frombits(o[1])}, "pixel %d", i)
	}
}
