package interp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// TestJitterCorners: where four texels meet, a point sample may take any of them, and
// any four perturbed runs in turn take all, in every sample of a run.
func TestJitterCorners(t *testing.T) {
	f, ok := LookupFormat("R32_FLOAT")
	require.True(t, ok)
	tex, err := NewTexture(dxbc.DimTexture2D, 2, 2, 1, 1, 1, 1, f)
	require.NoError(t, err)
	for i := range 4 {
		f.Encode([4]uint32{uint32(i) + 1}, tex.Data[0][4*i:])
	}
	v := TextureView(tex)
	for first := range uint64(5) {
		seen := [8]map[uint32]bool{}
		for run := range uint64(4) {
			j := newJitter(first + run)
			for k := range seen {
				if seen[k] == nil {
					seen[k] = map[uint32]bool{}
				}
				a := sampleArgs{kind: lodExplicit, coord: [4]float32{0.5, 0.5}, j: j}
				seen[k][v.sample(&Sampler{}, &a)[0]] = true
			}
		}
		for k := range seen {
			assert.Equal(t, map[uint32]bool{1: true, 2: true, 3: true, 4: true}, seen[k], "sample %d from run %d on", k, first)
		}
	}
}
