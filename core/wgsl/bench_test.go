package wgsl_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
	"fxlens/internal/judge"
)

// BenchmarkEmit measures the emission of a middling pixel program.
func BenchmarkEmit(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(judge.Root(b), "testdata/hlsl/numeric-matrices.dxbc"))
	require.NoError(b, err)
	s, err := dxbc.Open(data)
	require.NoError(b, err)
	f, m, plan, ds := translate(b, s, wgsl.Options{})
	require.NotNilf(b, m, "%v", ds)
	b.ReportAllocs()
	b.SetBytes(int64(len(m.Code)))
	for b.Loop() {
		wgsl.Emit(f, plan, nil, wgsl.Options{})
	}
}
