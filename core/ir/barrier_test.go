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

// TestSettleBarriers keeps a fence that stands in uniform flow only because the
// load that decides about a barrier beside it is made uniform; alone it is dropped,
// and so is one whose condition really varies.
func TestSettleBarriers(t *testing.T) {
	const head = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_raw g0, 16
dcl_thread_group 8, 1, 1
store_raw g0.x, l(0), l(1)
sync_g_t
ld_raw r0.x, l(0), g0.xxxx
`
	for _, c := range []struct {
		name, body string
		fences     int
		codes      []diag.Code
	}{
		{"beside a barrier", "if_nz r0.x\nsync_ugroup\nstore_raw u0.x, l(0), r0.x\nsync_g_t\nendif\nret\n", 1, []diag.Code{"lower.uniform-load"}},
		{"alone", "if_nz r0.x\nsync_ugroup\nstore_raw u0.x, l(0), r0.x\nendif\nret\n", 0, []diag.Code{"lower.fence-dropped"}},
		{"varying", "if_nz vThreadIDInGroupFlattened.x\nsync_ugroup\nstore_raw u0.x, l(0), r0.x\nendif\nret\n", 0, []diag.Code{"lower.fence-dropped"}},
		{"in uniform flow", "sync_ugroup\nstore_raw u0.x, l(0), r0.x\nret\n", 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := dxbc.Assemble(head+c.body, nil)
			require.NoError(t, err)
			s, err := dxbc.Open(b)
			require.NoError(t, err)
			f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
			require.NoError(t, err)
			require.NotNil(t, f, "%v", ds)
			for _, p := range ir.Phases {
				p.Run(f)
			}
			var codes []diag.Code
			for _, d := range ir.SettleBarriers(f) {
				codes = append(codes, d.Code)
			}
			assert.Equal(t, c.codes, codes)
			require.NoError(t, ir.Verify(f))
			fences := 0
			f.Walk(func(n ir.NodeID) {
				if nd := &f.Nodes[n]; nd.Kind == ir.NodeValue {
					if v := &f.Values[nd.Value]; v.Op == ir.OpBarrier && v.Imm[0]&uint32(dxbc.SyncThreads) == 0 {
						fences++
					}
				}
			})
			assert.Equal(t, c.fences, fences)
		})
	}
}
