package corpus

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fxlens/core/dxbc"
)

// Shader is a program of a stage that WebGPU has.
type Shader struct {
	Name   string // path relative to the repository's root, with forward slashes
	Data   []byte
	Shader *dxbc.Shader
}

// Shaders returns every vertex, pixel and compute program of the project's own test
// data and, where the folder is there, of the shared inputs, sorted folder by folder.
// Files that are no DXBC of shader model 4 or 5 are left out: core/dxbc has tests of
// those. It fails where there is nothing.
func Shaders(t testing.TB) []Shader {
	t.Helper()
	root := Root(t)
	var out []Shader
	for _, pattern := range []string{"testdata/dxbc/golden/*.dxbc", "testdata/hlsl/*.dxbc", "../shared/dxbc-golden/*.dxbc", "../shared/dxbc/*/*"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatalf("corpus: %v", err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				continue // a folder
			}
			s, err := dxbc.Open(b)
			if err != nil {
				continue
			}
			switch s.Program.Kind {
			case dxbc.Vertex, dxbc.Pixel, dxbc.Compute:
				out = append(out, Shader{relative(t, root, name), b, s})
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("corpus: no programs")
	}
	return out
}

// Effects returns every compiled effect of the project's own test data and, where the
// folder is there, of the shared inputs, by path relative to the repository's root.
func Effects(t testing.TB) []File {
	t.Helper()
	root := Root(t)
	var out []File
	for _, dir := range []string{"testdata/effects", "../shared/effects"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() || !strings.Contains(filepath.Base(path), ".sm_") || strings.HasSuffix(path, ".json") {
				return err
			}
			b, err := os.ReadFile(path)
			out = append(out, File{relative(t, root, path), b})
			return err
		})
		if err != nil {
			t.Fatalf("corpus: %v", err)
		}
	}
	if len(out) == 0 {
		t.Fatal("corpus: no effects")
	}
	return out
}

func relative(t testing.TB, root, path string) string {
	t.Helper()
	rel, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatalf("corpus: %v", err)
	}
	return filepath.ToSlash(rel)
}
