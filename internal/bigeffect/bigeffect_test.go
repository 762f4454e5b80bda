package bigeffect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/internal/bigeffect"
)

func TestSizes(t *testing.T) {
	for kind, bodies := range map[bigeffect.Kind]int{bigeffect.Shared: 1024, bigeffect.Distinct: bigeffect.Permutations} {
		b, err := bigeffect.New(kind)
		require.NoError(t, err)
		e, err := effect.Parse(b)
		require.NoError(t, err)
		assert.Equal(t, bigeffect.Permutations, e.PermutationCount())
		assert.Len(t, e.Bodies(), bodies)
		t.Logf("%d bytes", len(b))
	}
}
