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

// TestPremiseIndirect: three words at the start of a buffer that is only written look like
// the arguments of a dispatch.
func TestPremiseIndirect(t *testing.T) {
	b, err := dxbc.Assemble("cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nstore_raw u0.xyz, l(0), l(7,1,1,0)\nret\n", nil)
	require.NoError(t, err)
	s, err := dxbc.Open(b)
	require.NoError(t, err)
	f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, "%v", ds)
	var found []diag.Diag
	for _, p := range ir.Premises(f, true) {
		if d, ok := p.Diag(); ok && d.Code == "premise.indirect" {
			found = append(found, d)
		}
	}
	require.Len(t, found, 1)
	assert.Equal(t, diag.Note, found[0].Sev)
	assert.Equal(t, diag.At(3), found[0].At, "the store, behind three declarations")
	assert.Equal(t, "create the buffer with the usages STORAGE and INDIRECT if it is one of arguments", found[0].Remedy)
}
