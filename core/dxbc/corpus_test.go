package dxbc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared returns a folder of the shared inputs, or "" where there are none.
func shared(parts ...string) string {
	dir := filepath.Join(append([]string{"..", "..", "..", "shared"}, parts...)...)
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// filesUnder lists the files below dir that match, in order.
func filesUnder(t testing.TB, dir string, match func(string) bool) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && match(path) {
			out = append(out, path)
		}
		return err
	}))
	return out
}

func hasSuffix(suffix string) func(string) bool {
	return func(p string) bool { return strings.HasSuffix(p, suffix) }
}

// accounted checks that the instructions of p tile it.
func accounted(t *testing.T, p *Program) {
	t.Helper()
	at := uint32(2)
	for i := range p.Instrs {
		in := &p.Instrs[i]
		require.Equal(t, at, in.Offset, "instruction %d", i)
		require.NotZero(t, in.Length)
		at += in.Length
	}
	require.EqualValues(t, len(p.Words), at)
}

// TestEveryProgramDecodes opens every container in the shared inputs, effects
// included, where shaders are embedded at any offset.
func TestEveryProgramDecodes(t *testing.T) {
	dirs := []string{filepath.Join("..", "..", "testdata", "dxbc")}
	if shared() != "" {
		dirs = append(dirs, shared("dxbc-golden"), shared("dxbc"), shared("effects"))
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			n := 0
			for _, path := range filesUnder(t, dir, func(p string) bool {
				e := filepath.Ext(p)
				return e == ".dxbc" || strings.HasPrefix(e, ".sm_")
			}) {
				b, err := os.ReadFile(path)
				require.NoError(t, err)
				found := Scan(b)
				assert.NotEmpty(t, found, path)
				for _, e := range found {
					s, err := Open(b[e.Offset : e.Offset+e.Size])
					if e.Kind.Kind == KindDXIL {
						assert.ErrorIs(t, err, ErrUnsupported, path)
						assert.ErrorContains(t, err, "DXIL", path)
						continue
					}
					if !assert.NoError(t, err, "%s at %#x", path, e.Offset) {
						continue
					}
					accounted(t, s.Program)
					assert.NotEqual(t, SumMismatch, s.Container.Sum, path)
					for _, d := range s.Diags {
						assert.NotEqual(t, codeReflection, d.Code, "%s: %s", path, d)
					}
					n++
				}
			}
			require.NotZero(t, n)
			t.Logf("%d programs", n)
		})
	}
}
