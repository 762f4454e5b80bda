package qualify_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/qualify"
	"fxlens/internal/corpus"
)

var update = flag.Bool("update", false, "write the baselines of testdata/corpus anew")

// below reads files under a folder by paths relative to it.
type below string

func (b below) Read(_ context.Context, e qualify.Entry, o compile.Options) ([]byte, compile.Options, error) {
	data, err := os.ReadFile(filepath.Join(string(b), filepath.FromSlash(e.Path)))
	return data, o, err
}

func entriesBelow(t *testing.T, root string, dirs ...string) []qualify.Entry {
	t.Helper()
	var out []qualify.Entry
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			switch ext := strings.ToLower(filepath.Ext(p)); {
			case ext == ".dxbc", ext == ".cso", ext == ".fxo", ext == ".o", ext == ".cewgpu", strings.HasPrefix(ext, ".sm_"):
			default:
				return nil
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			out = append(out, qualify.Entry{Path: filepath.ToSlash(rel), Size: info.Size()})
			return nil
		})
		require.NoError(t, err)
	}
	return out
}

// The bundled corpus always, and the shared one where it lies beside the repository,
// against committed baselines. What may differ is in allow.toml, with reasons.
func TestBaseline(t *testing.T) {
	root := corpus.Root(t)
	dir := filepath.Join(root, "testdata", "corpus")
	for _, c := range []struct {
		name, root string
		dirs       []string
	}{
		{"bundled", filepath.Join(root, "testdata"), []string{"effects", "dxbc", "hlsl", "packages", "corpus"}},
		{"shared", filepath.Join(root, "..", "shared"), []string{"effects", "dxbc", "dxbc-golden"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "shared" {
				if _, ok := corpus.Shared(t); !ok {
					return // it is not part of the repository
				}
			}
			opt := qualify.Options{Version: "baseline"}
			var buf bytes.Buffer
			w, err := qualify.NewWriter(&buf, qualify.NewHead(&opt, true, qualify.Shard{}))
			require.NoError(t, err)
			var now []*qualify.Row
			require.NoError(t, qualify.Run(context.Background(), below(c.root), entriesBelow(t, c.root, c.dirs...), opt, func(f *qualify.File) error {
				now = append(now, f.Row())
				return w.Add(f)
			}))
			sum, err := w.Close()
			require.NoError(t, err)
			assert.Zero(t, sum.Bugs)

			path := filepath.Join(dir, c.name+".json")
			if *update {
				require.NoError(t, os.WriteFile(path, buf.Bytes(), 0o644))
			}
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			var base []*qualify.Row
			_, _, err = qualify.Read(bytes.NewReader(b), func(r *qualify.Row) error {
				base = append(base, r)
				return nil
			})
			require.NoError(t, err)
			got := qualify.Compare(base, now, allowed(t, filepath.Join(dir, "allow.toml")))
			for _, x := range got.Worst() {
				if x.Regression && x.Allowed == "" {
					t.Errorf("%s: %s: %s", x.Path, x.Kind, x.Text)
				}
			}
		})
	}
}

func allowed(t *testing.T, path string) []qualify.Allow {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc struct {
		Allow []struct{ Path, Kind, Reason string }
	}
	require.NoError(t, toml.Unmarshal(b, &doc))
	var out []qualify.Allow
	for _, a := range doc.Allow {
		require.NotEmpty(t, a.Reason)
		out = append(out, qualify.Allow{Path: a.Path, Kind: a.Kind, Reason: a.Reason})
	}
	return out
}
