package interp

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/internal/corpus"
)

// program compiles a program of testdata/hlsl.
func program(t testing.TB, name string) *Program {
	t.Helper()
	for _, c := range corpus.HLSL(t) {
		if c.Name != name {
			continue
		}
		s, err := dxbc.Open(c.DXBC)
		require.NoError(t, err)
		p, err := Compile(s, CompileOptions{})
		require.NoError(t, err)
		return p
	}
	t.Fatalf("no program %s", name)
	return nil
}

// TestCompile makes every vertex, pixel and compute program executable.
func TestCompile(t *testing.T) {
	n := 0
	for _, c := range corpus.HLSL(t, "vs", "ps", "cs") {
		s, err := dxbc.Open(c.DXBC)
		require.NoError(t, err)
		_, err = Compile(s, CompileOptions{})
		require.NoError(t, err, c.Name)
		n++
	}
	t.Logf("%d programs", n)
}

func BenchmarkArithmetic(b *testing.B) {
	for _, name := range []string{"alg-mandelbrot", "vs-skinned", "vs-transform", "numeric-arith", "numeric-int-arith", "alg-matrix-multiply"} {
		b.Run(name, func(b *testing.B) {
			p := program(b, name)
			steps := int64(0)
			b.ResetTimer()
			for range b.N {
				env := &Env{CBuffers: map[Slot][]byte{{}: make([]byte, 4096), {Register: 1}: make([]byte, 4096)}}
				var rep *Report
				var err error
				if p.Kind == dxbc.Compute {
					rep, err = Dispatch(context.Background(), p, env, [3]uint32{4, 4, 1}, Options{})
				} else {
					rep, err = p.Run(context.Background(), env, &Batch{N: 256}, Options{})
				}
				require.NoError(b, err)
				steps += rep.Steps
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Minstr/s")
		})
	}
}
