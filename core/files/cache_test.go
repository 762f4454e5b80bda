package files

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c, err := OpenCache(dir, 0)
	require.NoError(t, err)
	_, ok := c.Get("no")
	assert.False(t, ok)
	for _, key := range []string{"0123456789abcdef", "../../etc/passwd", "", "x"} {
		c.Put(key, []byte("value of "+key))
		got, ok := c.Get(key)
		require.True(t, ok, key)
		assert.Equal(t, "value of "+key, string(got))
	}
	assert.Equal(t, int64(4), c.Stats().Hits)

	path := c.path("0123456789abcdef")
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damage := range [][]byte{b[:len(b)-1], bytes.Replace(b, []byte("value"), []byte("valve"), 1), nil} {
		require.NoError(t, os.WriteFile(path, damage, 0o600))
		_, ok = c.Get("0123456789abcdef")
		assert.False(t, ok, "%q", damage)
		assert.NoFileExists(t, path)
	}
}

// Several processes write and read one folder; each Cache here stands for one.
func TestCacheConcurrent(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		c, err := OpenCache(dir, 1<<14)
		require.NoError(t, err)
		wg.Go(func() {
			for i := range 200 {
				key := fmt.Sprintf("%016x", i%20)
				want := bytes.Repeat([]byte(key), 20)
				if got, ok := c.Get(key); ok {
					assert.Equal(t, want, got)
				}
				c.Put(key, want)
				if i%50 == 0 {
					assert.NoError(t, c.Trim())
				}
			}
		})
	}
	wg.Wait()
}

func TestCacheTrim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "link") // as one puts a cache on another disk
	require.NoError(t, os.Symlink(t.TempDir(), dir))
	c, err := OpenCache(dir, 10_000)
	require.NoError(t, err)
	value := make([]byte, 1000)
	for i := range 20 {
		key := fmt.Sprintf("%016d", i)
		c.Put(key, value)
		when := time.Now().Add(time.Duration(i-100) * time.Second)
		require.NoError(t, os.Chtimes(c.path(key), when, when))
	}
	left := filepath.Join(c.dir, tmpPrefix+"left")
	require.NoError(t, os.WriteFile(left, value, 0o600))
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(left, old, old))
	require.NoError(t, c.Trim())
	assert.NoFileExists(t, left)
	for i := range 20 {
		_, ok := c.Get(fmt.Sprintf("%016d", i))
		assert.Equal(t, i >= 12, ok, "entry %d: the oldest go", i)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "17": 17, "4k": 4096, "4K": 4096, "2M": 2 << 20, "3GiB": 3 << 30, "1MB": 1 << 20} {
		got, err := ParseSize(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "x", "-1", "1T", "99999999999G"} {
		_, err := ParseSize(text)
		assert.Error(t, err, text)
	}
}

func TestPending(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	p, err := Create(path, true)
	require.NoError(t, err)
	_, err = p.Write([]byte("half"))
	require.NoError(t, err)
	assert.NoFileExists(t, path)
	p.Discard()
	p, err = Create(path, true)
	require.NoError(t, err)
	_, err = p.Write([]byte("whole"))
	require.NoError(t, err)
	require.NoError(t, p.Commit())
	p.Discard()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "whole", string(b))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1)
	_, err = Create(path, false)
	assert.ErrorIs(t, err, ErrExists)
}
