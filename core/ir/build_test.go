package ir_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/internal/corpus"
)

// programs calls fn for every vertex, pixel and compute program at hand.
func programs(t testing.TB, fn func(name string, s *dxbc.Shader)) {
	t.Helper()
	for _, s := range corpus.Shaders(t) {
		fn(s.Name, s.Shader)
	}
}

// TestBuildAll builds every program and checks the invariants after each phase.
func TestBuildAll(t *testing.T) {
	known := map[diag.Code]bool{"lower.interface-call": true, "lower.dynamic-resource": true, "lower.endless-loop": true}
	programs(t, func(name string, s *dxbc.Shader) {
		f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
		require.NoError(t, err, name)
		if f == nil {
			for _, d := range ds {
				assert.Truef(t, known[d.Code], "%s: %s", name, d)
			}
			return
		}
		require.NoErrorf(t, ir.Verify(f), "%s after building", name)
		for _, p := range ir.Phases {
			p.Run(f)
			require.NoErrorf(t, ir.Verify(f), "%s after %s", name, p.Name)
		}
		for i, fate := range f.Fates {
			if fate == ir.FateLive {
				continue
			}
			for j := range f.Values {
				assert.NotEqualf(t, int32(i), f.Values[j].Instr, "%s: instruction %d is %d but has v%d", name, i, fate, j)
			}
		}
	})
}
