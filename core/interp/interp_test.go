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

// TestIndexRange: a register chooses inputs within their dcl_indexrange; outside of it
// D3D leaves the choice undefined, which is zero here and reported.
func TestIndexRange(t *testing.T) {
	p, err := dxbc.AssembleProgram(`vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.x
dcl_input v1.x
dcl_input v2.x
dcl_input v3.x
dcl_output o0.x
dcl_temps 1
dcl_indexrange v1.x 2
mov r0.x, v0.x
mov o0.x, v[r0.x + 1].x
ret
`)
	require.NoError(t, err)
	exe, err := Compile(&dxbc.Shader{Program: p}, CompileOptions{})
	require.NoError(t, err)
	b := &Batch{N: 4, In: map[uint32][][4]uint32{}}
	for r := range uint32(4) {
		for i := range uint32(4) {
			b.In[r] = append(b.In[r], [4]uint32{10*r + i})
		}
	}
	b.In[0] = [][4]uint32{{0}, {1}, {2}, {0xFFFFFFFF}}
	rep, err := exe.Run(context.Background(), &Env{}, b, Options{})
	require.NoError(t, err)
	require.Equal(t, [][4]uint32{{10}, {21}, {0}, {0}}, b.Out[0])
	require.Len(t, rep.Events, 1)
	require.Equal(t, EventArrayRange, rep.Events[0].Kind)
	require.Equal(t, 2, rep.Events[0].Count)
}
