package ir_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// TestConstantChoice: unoptimised code puts a constant index into a register
// first; there is nothing to choose then.
func TestConstantChoice(t *testing.T) {
	for _, c := range []struct {
		name, index       string
		switches, samples int
	}{
		{"inside", "l(2)", 0, 1},
		{"outside", "l(7)", 0, 0},
		{"chosen", "v2.x", 1, 3},
	} {
		code, err := dxbc.Assemble(`ps_5_1
dcl_globalFlags refactoringAllowed
dcl_sampler S0[1:1], mode_default, space=0
dcl_resource_texture2d (float,float,float,float) T0[4:6], space=0
dcl_input_ps linear v1.xy
dcl_input_ps constant v2.x
dcl_output o0.xyzw
dcl_temps 1
mov r0.x, `+c.index+`
sample_indexable(texture2d)(float,float,float,float) o0.xyzw, v1.xyxx, T0[r0.x + 4].xyzw, S0[1]
ret
`, nil)
		require.NoError(t, err)
		s, err := dxbc.Open(code)
		require.NoError(t, err)
		f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
		require.NoError(t, err)
		require.NotNil(t, f, "%v", ds)
		require.NoError(t, ir.Verify(f))
		text := ir.Print(f)
		assert.Equal(t, c.switches, strings.Count(text, "switch "), "%s\n%s", c.name, text)
		assert.Equal(t, c.samples, strings.Count(text, "Sample "), "%s\n%s", c.name, text)
	}
}
