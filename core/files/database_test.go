package files

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/qualify"
)

type onDisk struct{}

func (onDisk) Read(_ context.Context, e qualify.Entry, o compile.Options) ([]byte, compile.Options, error) {
	b, err := Read(e.Path, 0)
	return b, o, err
}

func results(t *testing.T) []*qualify.File {
	t.Helper()
	var es []qualify.Entry
	for _, name := range []string{"effects/edge/flags.sm_hi", "effects/ui/sprite2d.sm_hi", "hlsl/texture-gather-2d.dxbc", "hlsl/cs-doubles.dxbc"} {
		es = append(es, qualify.Entry{Path: "../../testdata/" + name})
	}
	var out []*qualify.File
	require.NoError(t, qualify.Run(context.Background(), onDisk{}, es, qualify.Options{}, func(f *qualify.File) error {
		out = append(out, f)
		return nil
	}))
	return out
}

func writeDatabase(t *testing.T, path string, fs []*qualify.File) {
	t.Helper()
	d, err := CreateDatabase(path, qualify.Head{Schema: qualify.Schema, Version: "1"})
	require.NoError(t, err)
	defer d.Discard()
	var z qualify.Summarizer
	for _, f := range fs {
		z.Add(f)
		require.NoError(t, d.Add(f))
	}
	assert.NoFileExists(t, path)
	require.NoError(t, d.Finish(z.Summary()))
}

func TestDatabase(t *testing.T) {
	dir := t.TempDir()
	path, again := filepath.Join(dir, "a b?#%.db"), filepath.Join(dir, "again.db")
	fs := results(t)
	writeDatabase(t, path, fs)
	writeDatabase(t, again, fs)
	a, err := os.ReadFile(path)
	require.NoError(t, err)
	b, err := os.ReadFile(again)
	require.NoError(t, err)
	assert.True(t, string(a) == string(b), "equal results make equal bytes")

	var back []*qualify.File
	head, err := ReadDatabase(context.Background(), path, func(*qualify.Head) error { return nil }, func(f *qualify.File) error {
		back = append(back, f)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, "1", head.Version)
	require.Len(t, back, len(fs))
	for i := range fs {
		assert.Equal(t, fs[i].Row(), back[i].Row())
	}
	third := filepath.Join(dir, "third.db")
	writeDatabase(t, third, back)
	b, err = os.ReadFile(third)
	require.NoError(t, err)
	assert.True(t, string(a) == string(b), "what was read back makes the same bytes")

	for _, c := range []struct {
		sql  string
		want []any // the first row
	}{
		{"select count(*) from files", []any{int64(4)}},
		{"select path from shaders join instructions using (program) where opcode = 'gather4' and dimension = 'texture2d'",
			[]any{"../../testdata/hlsl/texture-gather-2d.dxbc"}},
		{"select code, severity from diagnostics where code = 'wgsl.double'", []any{"wgsl.double", "error"}},
		{"-- a comment\n with x as (select 1) select count(*) from x, effects", []any{int64(2)}},
		{"select count(*) = (select sum(permutations) from effects) from permutations where file_id in (select id from effects)", []any{int64(1)}},
		{"select count(*) > 4 from digests", []any{int64(1)}},
	} {
		var got []any
		require.NoError(t, Query(context.Background(), path, c.sql, func([]string) error { return nil }, func(row []any) error {
			if got == nil {
				got = append(got, row...)
			}
			return nil
		}), c.sql)
		assert.Equal(t, c.want, got, c.sql)
	}
	none := func([]any) error { return nil }
	for _, sql := range []string{"drop table files", "attach 'x' as y", "select", "insert into meta values('a','b')", "", "with x as (select 1) delete from files", "select 1; drop table files"} {
		err := Query(context.Background(), path, sql, func([]string) error { return nil }, none)
		assert.ErrorIs(t, err, ErrSQL, sql)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(a) == string(after), "a query changes nothing")
}

func TestNoDatabase(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, []byte("this is not a database, and it is long enough to have a header of one, if it were one at all. It is text, and nothing else."), 0o600))
	var fe *Error
	for _, path := range []string{text, dir, filepath.Join(dir, "none")} {
		err := Query(context.Background(), path, "select 1 from sqlite_master", func([]string) error { return nil }, func([]any) error { return nil })
		require.ErrorAs(t, err, &fe, path)
		_, err = ReadDatabase(context.Background(), path, func(*qualify.Head) error { return nil }, func(*qualify.File) error { return nil })
		require.ErrorAs(t, err, &fe, path)
	}
	d, err := CreateDatabase(filepath.Join(dir, "dropped"), qualify.Head{})
	require.NoError(t, err)
	d.Discard()
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing is left of a database that is not finished")
}

// TestDatabaseFull: a database that finds no room says so as a file does.
func TestDatabaseFull(t *testing.T) {
	db, err := sql.Open("sqlite", "file::memory:?_pragma=max_page_count(2)")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("create table t(x); insert into t values (zeroblob(1000000))")
	require.Error(t, err)
	e := databaseError("r.db", err)
	assert.Equal(t, "write r.db: no space left on device; make room on the disk, or name a target on another", e.Error())
}
