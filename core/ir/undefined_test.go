package ir_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// TestUndefinedOutputs: an early return that leaves out what the program writes
// elsewhere is reported; components that nothing writes are not.
func TestUndefinedOutputs(t *testing.T) {
	build := func(body string) *ir.Function {
		code, err := dxbc.Assemble("ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\ndcl_temps 1\n"+body, nil)
		require.NoError(t, err)
		s, err := dxbc.Open(code)
		require.NoError(t, err)
		f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
		require.NoError(t, err)
		require.NotNil(t, f, "%v", ds)
		for _, p := range ir.Phases {
			p.Run(f)
		}
		return f
	}
	f := build(`mov o1.xyzw, l(1.0, 2.0, 3.0, 4.0)
lt r0.x, v0.x, l(0.5)
retc_nz r0.x
mov o0.xyzw, v0.wzyx
ret
`)
	ds := ir.UndefinedReads(f, false)
	require.Len(t, ds, 1)
	assert.Equal(t, diag.Code("lower.undefined-read"), ds[0].Code)
	assert.Equal(t, diag.Warning, ds[0].Sev)
	assert.Equal(t, 7, ds[0].At.Index())
	assert.Contains(t, ds[0].Text, "SV_Target0.x")
	assert.True(t, diag.HasErrors(ir.UndefinedReads(f, true)))

	f = build("mov o0.xy, v0.xyxx\nmov o1.xyzw, v0.xyzw\nret\n")
	assert.Empty(t, ir.UndefinedReads(f, true), "never written: the interface reports it")
}
