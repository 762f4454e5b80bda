package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRun executes stages on SwiftShader through the command: they agree within what
// WGSL allows, and with no tolerance at all a sine does not, which is exit code 1.
func TestRun(t *testing.T) {
	if os.Getenv("FXLENS_NO_DAWN") != "" {
		t.Skip("FXLENS_NO_DAWN is set: no outside judges")
	}
	tools := filepath.Join(testdata, "tools")
	code, out, errs := runApp(t, "run", filepath.Join(testdata, "effects", "ui", "sprite2d.sm_hi"), "--judge", tools)
	require.Equal(t, 0, code, out+errs)
	assert.Regexp(t, `#Main/0/vs boundary \(seed 1\): DXBC, SSA and WGSL agree on \d+ words\n`, out)

	code, out, errs = runApp(t, "run", filepath.Join(testdata, "hlsl", "numeric-trans-40.dxbc"), "--judge", tools, "--ulp", "0", "--json", "--sets", "1")
	require.Equal(t, 1, code, out+errs)
	var doc runDoc
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.False(t, doc.OK)
	require.Len(t, doc.Trials, 1)
	d := doc.Trials[0]
	assert.Equal(t, []string{"equal", "different", "wgsl"}, []string{d.SSA, d.WGSL, d.Against})
	require.NotNil(t, d.Different)
	assert.NotEqual(t, d.Different.DXBC, d.Different.Other)
	assert.Nil(t, d.Parting, "the translation is right")

	code, out, _ = runApp(t, "run", filepath.Join(testdata, "hlsl", "numeric-trans-40.dxbc"), "--judge", tools, "--ulp", "64", "--abs", "1e-3", "--sets", "1")
	assert.Equal(t, 0, code, out)
}
