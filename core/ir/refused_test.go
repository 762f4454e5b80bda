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

// TestBarrierFlow: a barrier under a condition of the thread is named with its place.
func TestBarrierFlow(t *testing.T) {
	b, err := dxbc.Assemble("cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input vThreadIDInGroupFlattened\ndcl_thread_group 8, 1, 1\nif_nz vThreadIDInGroupFlattened.x\nsync_g_t\nendif\nret\n", nil)
	require.NoError(t, err)
	s, err := dxbc.Open(b)
	require.NoError(t, err)
	f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, "%v", ds)
	d := ir.BarrierFlow(f)
	require.NotNil(t, d)
	assert.Equal(t, diag.Code("lower.barrier-flow"), d.Code)
	assert.Equal(t, diag.Error, d.Sev)
	f.Walk(func(n ir.NodeID) {
		if nd := &f.Nodes[n]; nd.Kind == ir.NodeValue && f.Values[nd.Value].Op == ir.OpBarrier {
			assert.Equal(t, diag.At(int(f.Values[nd.Value].Instr)), d.At)
		}
	})
	assert.Equal(t, "move the barrier out of the condition that differs between threads", d.Remedy)
}

// TestOpcodeWithoutTranslation: instructions of stages that WebGPU does not have are
// refused where they stand in a pixel program.
func TestOpcodeWithoutTranslation(t *testing.T) {
	for _, op := range []string{"emit", "cut", "emit_stream m0", "hs_decls"} {
		t.Run(op, func(t *testing.T) {
			b, err := dxbc.Assemble("ps_5_0\ndcl_output o0.xyzw\n"+op+"\nmov o0.xyzw, l(0,0,0,0)\nret\n", nil)
			require.NoError(t, err)
			s, err := dxbc.Open(b)
			require.NoError(t, err)
			_, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
			require.NoError(t, err)
			require.Len(t, ds, 1)
			assert.Equal(t, diag.Code("lower.opcode"), ds[0].Code)
			assert.Equal(t, diag.At(1), ds[0].At)
			assert.Equal(t, "rewrite the HLSL so that the compiler does not need the instruction", ds[0].Remedy)
		})
	}
}
