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

// TestRunNeedsItsJobFileFirst: a job file that is not there is named, exit code 3, whether
// there is a judge or not.
func TestRunNeedsItsJobFileFirst(t *testing.T) {
	program := filepath.Join(testdata, "hlsl", "vs-cull-40.dxbc")
	bad := filepath.Join(t.TempDir(), "bad.job")
	require.NoError(t, os.WriteFile(bad, []byte("job x\nnonsense 1\n"), 0o600))
	empty := filepath.Join(t.TempDir(), "empty.job")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, c := range []struct{ path, want string }{
		{filepath.Join(t.TempDir(), "nope.job"), "no such file"},
		{bad, `line 2: "nonsense" is not a statement`},
		{empty, "has no job"},
	} {
		for _, judge := range []string{"--no-gpu", "--judge=" + t.TempDir()} {
			code, out, errs := runApp(t, "run", program, "--inputs", c.path, judge)
			assert.Equal(t, exitInput, code, out+errs)
			assert.Contains(t, errs, c.path)
			assert.Contains(t, errs, c.want)
		}
	}
}

// TestRunStepsWhatIsNotTranslated: stepping needs the DXBC alone.
func TestRunStepsWhatIsNotTranslated(t *testing.T) {
	program := func(name string) string { return filepath.Join(testdata, "hlsl", name) }
	code, out, errs := runApp(t, "run", program("sm51-unbounded.dxbc"), "--step")
	assert.Equal(t, 0, code, out+errs)
	assert.Contains(t, out, "DXBC alone: the stage has no WGSL: t of range 0 is chosen by a register (lower.dynamic-resource)")
	assert.Contains(t, out, "  @7 mov r0.x, v2.x\n      r0.x = 1  0x00000001\n")
	assert.Contains(t, out, "@9 ret")
	code, out, _ = runApp(t, "run", program("vs-cull-40.dxbc"), "--step")
	assert.Equal(t, 0, code, out)
	assert.Regexp(t, `DXBC and SSA agree on \d+ words; WGSL is not run: the stage has no WGSL: .*SV_CullDistance`, out)

	code, out, _ = runApp(t, "run", program("vs-cull-40.dxbc"), "--no-gpu")
	assert.Equal(t, exitRefused, code, "the comparison with WGSL could not be made")
	assert.Regexp(t, `DXBC and SSA agree on \d+ words; WGSL is not run: `, out)
	code, out, _ = runApp(t, "run", program("stage-domain-stage.dxbc"), "--step")
	assert.Equal(t, exitRefused, code)
	assert.Contains(t, out, "a domain program does not run by itself")
}

// TestRunSavesWhatRan: the job file gives the run that it was saved from, step by step.
func TestRunSavesWhatRan(t *testing.T) {
	program := filepath.Join(testdata, "hlsl", "texture-dimensions-41.dxbc")
	job := filepath.Join(t.TempDir(), "saved.job")
	code, out, errs := runApp(t, "run", program, "--no-gpu", "--sets", "1", "--save", job)
	require.Equal(t, exitRefused, code, out+errs)
	steps := func(args ...string) (list []stepDoc) {
		_, out, errs := runApp(t, append([]string{"run", program, "--step", "--json", "--invocation", "5"}, args...)...)
		var doc runDoc
		require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
		require.Len(t, doc.Trials, 1)
		require.NotEmpty(t, doc.Trials[0].Steps)
		return doc.Trials[0].Steps
	}
	assert.Equal(t, steps(), steps("--inputs", job))
}
