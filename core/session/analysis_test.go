package session_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// TestAnalysisWithoutNames reads the analysis of an effect one of whose bindings
// has no name in the effect, so that its Carbon record is null.
func TestAnalysisWithoutNames(t *testing.T) {
	data, err := os.ReadFile("../../testdata/effects/booster/trail.sm_hi")
	require.NoError(t, err)
	s, err := session.Open("trail.sm_hi", data, compile.Options{})
	require.NoError(t, err)
	b, _, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.DefaultPermutation(), Version: "0.1.0"})
	require.NoError(t, err)
	p, err := cewgpu.Open(b)
	require.NoError(t, err)
	a, err := p.Analysis()
	require.NoError(t, err)
	require.NotEmpty(t, a.Stages)
}
