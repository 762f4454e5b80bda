package files

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWatch(t *testing.T) {
	dir, themes := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.bin")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	w, err := Watch(path, filepath.Join(dir, "later"), themes, filepath.Join(dir, "none", "x"))
	require.NoError(t, err)
	defer w.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	next := func() string {
		p, err := w.Next(ctx)
		require.NoError(t, err)
		return p
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600), "not watched")
	require.NoError(t, os.WriteFile(path, []byte("three"), 0o600))
	assert.Equal(t, path, next(), "written in place")
	require.NoError(t, os.WriteFile(path+".tmp", []byte("eleven"), 0o600))
	require.NoError(t, os.Rename(path+".tmp", path))
	assert.Equal(t, path, next(), "replaced by a rename")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("back again"), 0o600))
	assert.Equal(t, path, next(), "removed and written anew")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "later"), []byte("x"), 0o600))
	assert.Equal(t, filepath.Join(dir, "later"), next(), "a file that did not exist")
	require.NoError(t, os.WriteFile(filepath.Join(themes, "mine.toml"), []byte("x"), 0o600))
	assert.Equal(t, filepath.Join(themes, "mine.toml"), next(), "any file of a folder")
	cancel()
	_, err = w.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestDirs(t *testing.T) {
	t.Setenv("FXLENS_CONFIG_DIR", "/c")
	t.Setenv("FXLENS_STATE_DIR", "")
	t.Setenv("XDG_STATE_HOME", "/s")
	c, err := ConfigDir()
	require.NoError(t, err)
	assert.Equal(t, "/c", c)
	s, err := StateDir()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("/s", "fxlens"), s)
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", "/home/u")
	s, err = StateDir()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("/home/u", ".local", "state", "fxlens"), s, "a relative XDG_STATE_HOME is ignored, as the specification asks")
}

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	for i, n := range []string{"a.x", "b.x", "c.x", "d.y"} {
		require.NoError(t, WriteIn(filepath.Join(dir, "s"), n, []byte(n)))
		at := time.Unix(int64(1000+i), 0)
		require.NoError(t, os.Chtimes(filepath.Join(dir, "s", n), at, at))
	}
	Keep(filepath.Join(dir, "s"), "*.x", 2)
	es, err := os.ReadDir(filepath.Join(dir, "s"))
	require.NoError(t, err)
	var names []string
	for _, e := range es {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"b.x", "c.x", "d.y"}, names)
}
