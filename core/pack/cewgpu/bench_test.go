package cewgpu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkBuildAll(b *testing.B) {
	in := plainInput(bundledEffect(b, "quadv5.sm_hi"), "res:/effect")
	in.Mode = All
	var size int
	b.ReportAllocs()
	for b.Loop() {
		pkg, _, err := Build(context.Background(), in)
		require.NoError(b, err)
		size = len(pkg)
	}
	b.ReportMetric(float64(size), "bytes")
}

func BenchmarkValidate(b *testing.B) {
	in := plainInput(bundledEffect(b, "quadv5.sm_hi"), "res:/effect")
	in.Mode = All
	pkg, _, err := Build(context.Background(), in)
	require.NoError(b, err)
	b.SetBytes(int64(len(pkg)))
	b.ReportAllocs()
	for b.Loop() {
		_, fs := Validate(pkg)
		require.Empty(b, fs)
	}
}
