package dxbc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCountAgainstStat compares our own counts with those of the compiler.
func TestCountAgainstStat(t *testing.T) {
	dirs := goldenDirs()
	if d := shared("dxbc"); d != "" {
		dirs = append(dirs, d)
	}
	compared := 0
	for _, dir := range dirs {
		for _, path := range filesUnder(t, dir, hasSuffix(".dxbc")) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			s, err := Open(b)
			require.NoError(t, err)
			if s.Stat == nil {
				continue
			}
			got, known := s.Program.Count()
			g, w := got.Values(), s.Stat.Values()
			for i := range w {
				if known>>i&1 == 0 || i >= s.Stat.Words {
					continue
				}
				compared++
				if i == 0 {
					assert.InDelta(t, w[i], g[i], 1, "%s: %s", filepath.Base(path), StatNames[i])
					continue
				}
				assert.Equal(t, w[i], g[i], "%s: %s", filepath.Base(path), StatNames[i])
			}
			assert.Equal(t, s.Container.Chunk("STAT").Data[:4*s.Stat.Words], s.Stat.Bytes())
		}
	}
	require.Greater(t, compared, 1000)
}
