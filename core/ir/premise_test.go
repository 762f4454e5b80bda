package ir_test

import (
	"context"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/internal/corpus"
)

// TestPremisesOfMutants damages compute programs at random (with a fixed seed) and
// asks what they take for granted: nothing panics, everything has a text and a place
// inside the program, and nothing is said twice.
func TestPremisesOfMutants(t *testing.T) {
	all := corpus.HLSL(t, "cs")
	require.NotEmpty(t, all)
	r := rand.New(rand.NewSource(3))
	stated := 0
	for range 1500 {
		b := append([]byte(nil), all[r.Intn(len(all))].DXBC...)
		for range r.Intn(4) {
			b[r.Intn(len(b))] = byte(r.Intn(256))
		}
		s, err := dxbc.Open(b)
		if err != nil {
			continue
		}
		f, _, err := ir.Build(context.Background(), s, ir.BuildOptions{})
		require.NoError(t, err)
		if f == nil {
			continue
		}
		for _, p := range ir.Phases {
			p.Run(f)
		}
		seen := map[string]bool{}
		for _, p := range ir.Premises(f, r.Intn(2) == 0) {
			stated++
			require.NotEmpty(t, p.Subject)
			require.NotEmpty(t, p.Relation)
			require.NotEmpty(t, p.Value)
			require.NotEmpty(t, p.Text)
			require.Less(t, p.At.Index(), len(s.Program.Instrs))
			id := p.Kind.String() + p.Short()
			assert.False(t, seen[id], id)
			seen[id] = true
		}
	}
	assert.Greater(t, stated, 500)
}
