package tui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// TestExportRemembered: profile, format, order and folder outlive the visit of a file
// and the program; what the memory says that is not known leaves the default.
func TestExportRemembered(t *testing.T) {
	state, other := t.TempDir(), t.TempDir()
	with := func(o *Options) { o.StateDir = state }
	r := newRig(t, openSession(t, decalFile), 100, 30, with)
	require.NoError(t, r.m.rememberExport())
	assert.NoFileExists(t, filepath.Join(state, exportMemoryName), "nothing was chosen")
	r.keys("e", "p", "t", "f")
	assert.Contains(t, r.screen(), "techniques as the root collation sorts them")
	r.m.export.path.SetValue(filepath.Join(other, "x.carbonwebgpu"))
	r.keys("enter", "esc")
	require.FileExists(t, filepath.Join(other, "x.carbonwebgpu"))
	require.NoError(t, r.m.rememberExport())

	again := newRig(t, openSession(t, effectFile), 100, 30, with)
	c := again.m.exportChoice.filled()
	assert.Equal(t, cewgpu.Extended, c.profile)
	assert.Equal(t, session.Carbon, c.format)
	assert.Equal(t, cewgpu.Root, c.order)
	assert.Equal(t, other, filepath.Dir(again.m.exportName()))
	again.keys("e", "p")
	require.NoError(t, again.m.rememberExport())
	third := newRig(t, openSession(t, effectFile), 100, 30, with)
	assert.Equal(t, cewgpu.Strict, third.m.exportChoice.filled().profile)

	require.NoError(t, os.RemoveAll(other))
	for _, text := range []string{`{"version":1,"profile":"lax","format":"zip","order":"size","folder":"` + other + `"}`, `{`, `{"version":9,"profile":"extended"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(state, exportMemoryName), []byte(text), 0o600))
		r := newRig(t, openSession(t, effectFile), 100, 30, with)
		assert.Equal(t, exportChoice{}.filled(), r.m.exportChoice.filled(), text)
	}
	off := false
	require.NoError(t, os.WriteFile(filepath.Join(state, exportMemoryName), []byte(`{"version":1,"profile":"extended"}`), 0o600))
	r = newRig(t, openSession(t, effectFile), 100, 30, with)
	r.m.cfg.Restore, r.m.exportChoice = &off, exportChoice{}
	r.m.recallExport()
	assert.Equal(t, cewgpu.Strict, r.m.exportChoice.filled().profile, "restore = false")
}
