package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// names lists a folder, so that tests see what a failed write left behind.
func names(t *testing.T, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range es {
		out = append(out, e.Name())
	}
	return out
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.dxbc")
	require.NoError(t, os.WriteFile(path, []byte("0123456789"), 0o600))

	got, err := Read(path, 0)
	require.NoError(t, err)
	assert.Equal(t, "0123456789", string(got))
	got, err = Read(path, 10)
	require.NoError(t, err, "the limit itself is allowed")
	assert.Len(t, got, 10)

	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	got, err = Read(empty, 0)
	require.NoError(t, err)
	assert.Empty(t, got)

	sparse := filepath.Join(dir, "sparse.sm_hi")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 2<<30))

	for _, c := range []struct {
		name, path string
		limit      int64
		is         error
		says       string
	}{
		{"one byte too many", path, 9, ErrTooLarge, "10 bytes"},
		{"sparse file of 2 GiB", sparse, 0, ErrTooLarge, "2.0 GiB"},
		{"missing", filepath.Join(dir, "nope"), 0, fs.ErrNotExist, "no such file"},
		{"folder", dir, 0, ErrNotRegular, "is a folder"},
		{"below a file", filepath.Join(path, "x"), 0, syscall.ENOTDIR, "not a directory; what the path names as a folder is a file"},
		{"long name", filepath.Join(dir, strings.Repeat("x", 300)), 0, syscall.ENAMETOOLONG, "shorten the path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(c.path, c.limit)
			var e *Error
			require.ErrorAs(t, err, &e)
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
			assert.Contains(t, e.Error(), c.says)
			assert.Equal(t, c.path, e.Path)
			assert.Equal(t, 1, strings.Count(e.Error(), c.path), "the path appears once")
		})
	}
}

// TestRemedies: what a test cannot bring about has its remedy too.
func TestRemedies(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "write x: no space left on device; " + noRoom,
		syscall.EROFS:  "write x: read-only file system; name a target on a disk that can be written",
		syscall.EMFILE: "write x: too many open files; raise the limit of open files (ulimit -n)",
	} {
		assert.Equal(t, want, osError("write", "x", &fs.PathError{Op: "open", Path: "x", Err: errno}).Error())
	}
}

func TestWrite(t *testing.T) {
	t.Run("new file", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.cewgpu")
		require.NoError(t, Write(path, []byte("one"), false))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "one", string(got))
		assert.Equal(t, []string{"a.cewgpu"}, names(t, dir))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode().Perm()&0o400)
	})
	t.Run("no replacing unless allowed", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.cewgpu")
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o640))
		err := Write(path, []byte("new"), false)
		require.ErrorIs(t, err, ErrExists)
		assert.Contains(t, err.Error(), "exists already")
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "old", string(got))

		require.NoError(t, Write(path, []byte("new"), true))
		got, err = os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "new", string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm(), "permissions are kept")
		assert.Equal(t, []string{"a.cewgpu"}, names(t, dir))
	})
	t.Run("target appears meanwhile", func(t *testing.T) {
		dir := t.TempDir()
		tmp, target := filepath.Join(dir, "tmp"), filepath.Join(dir, "target")
		require.NoError(t, os.WriteFile(tmp, []byte("new"), 0o600))
		require.NoError(t, os.WriteFile(target, []byte("theirs"), 0o600))
		require.ErrorIs(t, place(tmp, target, false), fs.ErrExist)
		got, err := os.ReadFile(target)
		require.NoError(t, err)
		assert.Equal(t, "theirs", string(got))
	})
	t.Run("link is followed", func(t *testing.T) {
		dir := t.TempDir()
		real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
		require.NoError(t, os.WriteFile(real, []byte("old"), 0o600))
		require.NoError(t, os.Symlink("real", link))
		require.NoError(t, Write(link, []byte("new"), true))
		got, err := os.ReadFile(real)
		require.NoError(t, err)
		assert.Equal(t, "new", string(got))
		info, err := os.Lstat(link)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&fs.ModeSymlink)
	})
	t.Run("failures leave nothing", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
		before := names(t, dir)
		for _, path := range []string{"", filepath.Join(dir, "no", "such", "x"), filepath.Join(dir, "folder"), filepath.Join(dir, "dangling"), filepath.Join(dir, strings.Repeat("x", 300))} {
			err := Write(path, []byte("new"), true)
			var e *Error
			require.ErrorAs(t, err, &e, path)
			assert.Equal(t, "write", e.Op)
		}
		assert.Equal(t, before, names(t, dir))
	})
	t.Run("rename fails", func(t *testing.T) {
		dir := t.TempDir()
		// The name fits the temporary file (which is cut) but not the target.
		err := Write(filepath.Join(dir, strings.Repeat("y", 256)), []byte("new"), false)
		require.Error(t, err)
		assert.Empty(t, names(t, dir), "the temporary file is gone")
	})
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"b.sm_hi", "a/z.DXBC", "a/old.sm_3_0_lo", "a/readme.txt", ".git/x.cso", ".hidden.cso", "c.cewgpu"} {
		p = filepath.Join(dir, p)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o700))
		require.NoError(t, os.WriteFile(p, []byte("12345"), 0o600))
	}
	require.NoError(t, os.Symlink("b.sm_hi", filepath.Join(dir, "link.sm_hi")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling.sm_hi")))
	found, skipped, err := List(context.Background(), dir)
	require.NoError(t, err)
	assert.Empty(t, skipped)
	var got []string
	for _, e := range found {
		rel, err := filepath.Rel(dir, e.Path)
		require.NoError(t, err)
		got = append(got, filepath.ToSlash(rel))
		assert.EqualValues(t, 5, e.Size)
	}
	assert.Equal(t, []string{"a/old.sm_3_0_lo", "a/z.DXBC", "b.sm_hi", "c.cewgpu", "link.sm_hi"}, got)

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	linked, skipped, err := List(context.Background(), link)
	require.NoError(t, err)
	assert.Empty(t, skipped)
	var below []string
	for _, e := range linked {
		below = append(below, filepath.ToSlash(strings.TrimPrefix(e.Path, link+string(filepath.Separator))))
	}
	assert.Equal(t, got, below, "a folder that is a link is listed under the name given")

	_, _, err = List(context.Background(), filepath.Join(dir, "b.sm_hi"))
	assert.ErrorContains(t, err, "not a folder")
	_, _, err = List(context.Background(), filepath.Join(dir, "nope"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = List(ctx, dir)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 28160: "27.5 KiB", 2 << 30: "2.0 GiB", 1<<63 - 1: "8.0 EiB"} {
		assert.Equal(t, want, Size(n))
	}
}

func TestOSErrorKeepsCause(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "x"), 0)
	assert.True(t, errors.Is(err, fs.ErrNotExist))
}

func TestReadStream(t *testing.T) {
	b, err := ReadStream(strings.NewReader("abc"), "-", 3)
	require.NoError(t, err)
	assert.Equal(t, "abc", string(b))
	_, err = ReadStream(strings.NewReader("abcd"), "-", 3)
	require.ErrorIs(t, err, ErrTooLarge)
	big := strings.Repeat("x", 1<<17+5)
	b, err = ReadStream(iotest.OneByteReader(strings.NewReader(big)), "-", 0)
	require.NoError(t, err)
	assert.Equal(t, big, string(b))
	_, err = ReadStream(iotest.ErrReader(fs.ErrClosed), "-", 0)
	require.ErrorIs(t, err, fs.ErrClosed)
	assert.ErrorContains(t, err, "read -: ")
}

func TestMakeDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, MakeDir(dir))
	require.NoError(t, MakeDir(dir), "there already")
	file := filepath.Join(dir, "file")
	require.NoError(t, Write(file, nil, false))
	require.ErrorIs(t, MakeDir(file), fs.ErrExist)
	require.ErrorIs(t, MakeDir(filepath.Join(dir, "no", "where")), fs.ErrNotExist)
}

func TestCommitRefusesWhatAppeared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	p, err := Create(path, false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("theirs"), 0o600))
	require.ErrorIs(t, p.Commit(), ErrExists)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "theirs", string(b))
	assert.Equal(t, []string{"out"}, names(t, filepath.Dir(path)))
}

func TestReadLoop(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	if err := os.Symlink(a, b); err != nil {
		t.Skipf("this system makes no links here: %v", err)
	}
	require.NoError(t, os.Symlink(b, a))
	_, err := Read(a, 0)
	assert.ErrorContains(t, err, "name the file itself")
}
