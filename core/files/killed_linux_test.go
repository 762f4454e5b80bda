package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// While a file is being written its folder has nothing new in it, so that a process
// that is killed leaves nothing behind.
func TestNothingBehindKilledWrites(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.cewgpu")
	names := func() (out []string) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	if f := createUnnamed(dir, 0o666); f != nil {
		f.Close()
		p, err := Create(path, false)
		require.NoError(t, err)
		_, err = p.Write(make([]byte, 1<<20))
		require.NoError(t, err)
		assert.Empty(t, names())
		p.Discard()
		assert.Empty(t, names())
	}
	require.NoError(t, Write(path, []byte("one"), false))
	assert.Equal(t, []string{"a.cewgpu"}, names())
	require.ErrorIs(t, Write(path, []byte("two"), false), ErrExists)
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, Write(path, []byte("two"), true))
	assert.Equal(t, []string{"a.cewgpu"}, names())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "two", string(got))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

// What a killed process left behind, elsewhere or for a moment, goes with the next
// write of the same file once it is old; what is not ours stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.cewgpu")
	old := time.Now().Add(-2 * staleAge)
	for name, stale := range map[string]bool{
		".a.cewgpu.0123456789ab.tmp": true, ".a.cewgpu.0123456789ac.tmp": false, // too young
		".b.cewgpu.0123456789ab.tmp": true, ".a.cewgpu.notes.tmp": true, "a.cewgpu.0123456789ab.tmp": true,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		if stale {
			require.NoError(t, os.Chtimes(filepath.Join(dir, name), old, old))
		}
	}
	require.NoError(t, Write(path, []byte("x"), false))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{".a.cewgpu.0123456789ac.tmp", ".a.cewgpu.notes.tmp", ".b.cewgpu.0123456789ab.tmp", "a.cewgpu", "a.cewgpu.0123456789ab.tmp"}, names)
}
