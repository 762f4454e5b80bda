package session

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/cewgpu"
	"fxlens/internal/heap"
)

// BenchmarkBuildAll is the whole way for the largest effect: opened anew, every body
// translated by as many workers as there are processors, and the package written and
// read back. With -cpu 1,2 it says what the second core gives.
func BenchmarkBuildAll(b *testing.B) {
	heap.Reserve(b)
	data := read(b, "effects/quadv5.sm_hi")
	size := 0
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open("quadv5.sm_hi", data, compile.Options{})
		require.NoError(b, err)
		pkg, _, err := s.BuildPackage(context.Background(), PackageOptions{Perm: s.DefaultPermutation(), Mode: cewgpu.All, Profile: cewgpu.Extended, Version: "1.0.0"})
		require.NoError(b, err)
		size = len(pkg)
	}
	b.ReportMetric(float64(size), "bytes")
}
