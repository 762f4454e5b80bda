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

// Files that are marked in the table are a batch of the one dialog: a package each, a
// refused file is a line of the results, and the marks survive filter and order.
func TestCorpusExportsMarkedFiles(t *testing.T) {
	state, root := t.TempDir(), t.TempDir()
	for name, from := range map[string]string{"decal.sm_hi": decalFile, "sprite2d.sm_hi": "../testdata/effects/ui/sprite2d.sm_hi", "story.sm_hi": storyFile} {
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, name), b, 0o600))
	}
	r := newRig(t, nil, 120, 40, func(o *Options) {
		o.Corpus = folder{root}.corpus("decal.sm_hi", "sprite2d.sm_hi", "story.sm_hi")
		o.StateDir = state
	})
	s := r.m.screen.(*corpusScreen)
	r.keys("x")
	assert.Contains(t, r.screen(), "no file is marked; space marks one")
	r.keys("space", "space", "space")
	assert.Contains(t, r.screen(), "* 3 marked")
	r.keys("space", "/", "decal", "enter")
	assert.Len(t, s.marked, 2, "space on a marked file takes the mark away")
	r.keys("esc", "s", "*")
	assert.Len(t, s.marked, 3)
	r.keys("*")
	assert.Empty(t, s.marked, "all were marked")
	r.keys("*", "g")
	assert.Contains(t, r.row(r.m.screen.(*corpusScreen).body.y+1), "*")
	r.exact()

	r.keys("x")
	v := r.screen()
	assert.Contains(t, v, "the default permutation of the marked files, one file each: 3 packages")
	assert.Contains(t, v, "✗ story_sm_hi.cewgpu")
	assert.Contains(t, v, "+ decal_sm_hi.cewgpu")
	assert.NotContains(t, v, " s p f t choose")
	r.exact()
	r.keys("s")
	assert.Len(t, r.m.plan.items, 3, "the scope stays")
	assert.Empty(t, list(t, r.m.opt.ExportDir))
	r.keys("esc")
	require.Nil(t, r.m.over)
	assert.Empty(t, list(t, r.m.opt.ExportDir), "esc leaves the folder as it was")

	r.keys("x", "enter")
	v = r.screen()
	assert.Contains(t, v, "✗ story_sm_hi.cewgpu")
	assert.Contains(t, v, "✓ decal_sm_hi.cewgpu")
	assert.Contains(t, v, "✓ sprite2d_sm_hi.cewgpu")
	assert.Equal(t, []string{"decal_sm_hi.cewgpu", "sprite2d_sm_hi.cewgpu"}, list(t, r.m.opt.ExportDir))
	b, err := os.ReadFile(filepath.Join(r.m.opt.ExportDir, "decal_sm_hi.cewgpu"))
	require.NoError(t, err)
	one := openSession(t, decalFile)
	want, _, err := one.BuildPackage(t.Context(), session.PackageOptions{Perm: one.DefaultPermutation(), Label: "decal.sm_hi", Profile: cewgpu.Strict})
	require.NoError(t, err)
	assert.Equal(t, want, b, "what the file alone gives")
	r.exact()

	// What lies there is shown with both digests before anything is replaced.
	r.keys("esc")
	path := filepath.Join(r.m.opt.ExportDir, "sprite2d_sm_hi.cewgpu")
	require.NoError(t, os.WriteFile(path, []byte("somebody else's"), 0o600))
	r.keys("x", "enter")
	require.Equal(t, exReplace, r.m.export.stage)
	assert.Contains(t, r.screen(), digest([]byte("somebody else's"))[:32])
	r.keys("n", "esc")
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "somebody else's", string(b))
	r.keys("x", "enter", "y")
	assert.Contains(t, r.screen(), "✓ decal_sm_hi.cewgpu  is this already")
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, openPackage(b))

	// A finished export can be opened at once, and back returns to the table.
	r.keys("o")
	require.NotNil(t, r.m.sess)
	assert.Equal(t, session.PackageFile, r.m.sess.Kind)
	r.keys("ctrl+o")
	assert.Same(t, screen(s), r.m.screen)
	assert.Len(t, s.marked, 3)
	r.keys("x", "p", "esc")
	require.NoError(t, r.m.rememberExport())
	again := newRig(t, nil, 120, 40, func(o *Options) { o.Corpus, o.StateDir = s.src, state })
	again.keys("space", "x")
	assert.Contains(t, again.screen(), "extended: with what strict cannot carry", "the profile is remembered")
}

// Esc while a batch is built stops it before anything is written.
func TestCorpusExportEsc(t *testing.T) {
	r, _ := corpusRig(t, folder{"../testdata/effects"}.corpus("decal/decal.sm_hi", "ui/sprite2d.sm_hi"), 100, 30)
	r.keys("*")
	r.hold = true
	r.keys("x", "enter")
	assert.Contains(t, r.screen(), "building…")
	assert.Contains(t, r.screen(), "0 of 2 packages")
	r.keys("esc")
	r.release()
	assert.Nil(t, r.m.over)
	assert.Empty(t, list(t, r.m.opt.ExportDir))
}

// No two files of a batch are written to one place, whatever their names.
func TestBatchNames(t *testing.T) {
	r := newRig(t, nil, 80, 24, func(o *Options) { o.Corpus = fixedCorpus(1); o.ExportDir = "out" })
	var got []string
	for _, it := range r.m.batchItems([]string{"a/x.fx", "b/X.fx", "b-x.fx", `c\x.fx`, "y"}, ".cewgpu") {
		got = append(got, filepath.ToSlash(it.path))
	}
	assert.Equal(t, []string{"out/a-x_fx.cewgpu", "out/b-X_fx.cewgpu", "out/b-x_fx-2.cewgpu", "out/c-x_fx.cewgpu", "out/y.cewgpu"}, got)
	it := exportItem{file: "gone"}
	_, err := it.opened(t.Context(), nil, nil)
	assert.ErrorContains(t, err, "gone: files of this folder cannot be opened")
}
