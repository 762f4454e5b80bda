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

// An opened package shows what it has, and goes to the other container and back, byte
// for byte, through the one dialog.
func TestPackageScreenOfPackage(t *testing.T) {
	dir := t.TempDir()
	built, err := openSession(t, decalFile).Export(t.Context(), session.CEWGPU, session.PackageOptions{Mode: cewgpu.All, Version: "0.0.0"})
	require.NoError(t, err)
	path := filepath.Join(dir, "decal.cewgpu")
	require.NoError(t, os.WriteFile(path, built.Data, 0o600))
	with := func(path string) func(o *Options) {
		return func(o *Options) { o.Version, o.ExportDir, o.Path = "0.0.0", dir, path }
	}
	r := newRig(t, openSession(t, path), 120, 60, with(path))
	r.keys("K")
	v := r.screen()
	for _, c := range built.Report.Chunks {
		assert.Regexp(t, c.Tag+` +[0-9]+ +[0-9.]+% `, v)
	}
	assert.Contains(t, v, "strict: what every reader of the format takes")
	assert.Contains(t, v, "bodies have modules")
	assert.Contains(t, v, "passes of translated bodies are")
	assert.Contains(t, v, "✓ the strict reader takes it")
	r.exact()
	r.keys("s")
	assert.Contains(t, r.screen(), "the file is a package already")

	r.keys("f")
	v = r.screen()
	assert.Contains(t, v, "Carbon WebGPU container and its side file")
	assert.Contains(t, v, "source programs: ")
	assert.Contains(t, v, "kept in the side file")
	assert.NotContains(t, v, "s p f t")
	r.keys("s", "p", "f")
	assert.Len(t, r.m.plan.items, 1)
	assert.Equal(t, []string{"decal.cewgpu"}, list(t, dir), "nothing is written yet")
	r.keys("enter")
	assert.Contains(t, r.screen(), "read back and checked")
	require.Equal(t, []string{"decal.carbonwebgpu", "decal.carbonwebgpu.side.json", "decal.cewgpu"}, list(t, dir))

	box := filepath.Join(dir, "decal.carbonwebgpu")
	r = newRig(t, openSession(t, box), 120, 60, with(box))
	r.keys("K")
	assert.Contains(t, r.screen(), "bodies have modules")
	r.exact()
	require.NoError(t, os.Remove(path))
	r.keys("f")
	assert.Contains(t, r.screen(), "✓ nothing is lost")
	r.keys("esc")
	assert.NoFileExists(t, path)
	r.keys("enter", "enter")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, built.Data, b)

	require.NoError(t, os.Remove(box+session.SideSuffix))
	r.keys("esc", "f", "enter")
	assert.Equal(t, exReplace, r.m.export.stage, "another package lies there")
	r.keys("n")
	assert.Contains(t, r.screen(), "▲ lost: ", "without the side file")
	require.NoError(t, os.WriteFile(box+session.SideSuffix, []byte("{"), 0o600))
	r.keys("esc", "f")
	assert.Contains(t, r.screen(), "✗ nothing can be written")
	assert.Contains(t, r.screen(), "the side file is no JSON document")
}

// A container of chunks that is no effect shows them, and says why it is not converted.
func TestPackageScreenOfChunks(t *testing.T) {
	b, err := cewgpu.EncodeContainer([]cewgpu.Chunk{{Tag: "TEXT", Data: []byte("some text")}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "raw.cewgpu")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	r := newRig(t, openSession(t, path), 80, 24)
	r.keys("K")
	assert.Regexp(t, `TEXT +9 +100.0%`, r.screen())
	assert.Contains(t, r.screen(), "generic: a container of chunks")
	r.exact()
	r.keys("f")
	assert.Contains(t, r.screen(), "only effect packages have another container")
	r.keys("enter")
	assert.Nil(t, r.m.over)
}
