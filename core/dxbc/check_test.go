package dxbc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
)

// TestCompilersAreClean finds nothing above Note in what compilers made.
func TestCompilersAreClean(t *testing.T) {
	dirs := goldenDirs()
	if shared() != "" {
		dirs = append(dirs, shared("dxbc"), shared("effects"))
	}
	for _, dir := range dirs {
		for _, path := range filesUnder(t, dir, func(p string) bool {
			return strings.HasSuffix(p, ".dxbc") || strings.HasPrefix(filepath.Ext(p), ".sm_")
		}) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, e := range Scan(b) {
				if e.Kind.Kind != KindDXBC {
					continue
				}
				s, err := Open(b[e.Offset : e.Offset+e.Size])
				require.NoError(t, err)
				for _, d := range s.Check() {
					if d.Sev > diag.Note {
						assert.Failf(t, "finding", "%s+%#x: %s", filepath.Base(path), e.Offset, d)
					}
				}
				assert.Empty(t, s.Program.CheckStage(s.Program.Kind))
			}
		}
	}
}
