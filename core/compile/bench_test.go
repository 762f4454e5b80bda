package compile_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/internal/heap"
	"fxlens/internal/judge"
)

// benchPrograms are the programs of ../shared/dxbc-golden, or of testdata where
// that folder is absent, that translate, with their executable instructions.
func benchPrograms(b *testing.B) (ins []*compile.PassInput, instrs int) {
	b.Helper()
	root := judge.Root(b)
	pattern := filepath.Join(root, "../shared/dxbc-golden/*.dxbc")
	if m, _ := filepath.Glob(pattern); len(m) == 0 {
		pattern = filepath.Join(root, "testdata/dxbc/golden/*.dxbc")
	}
	files, err := filepath.Glob(pattern)
	require.NoError(b, err)
	require.NotEmpty(b, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(b, err)
		s, err := dxbc.Open(data)
		if err != nil {
			continue
		}
		in := &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: data}}}
		p, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{})
		require.NoError(b, err)
		if p.Status != compile.Translated {
			continue
		}
		ins = append(ins, in)
		for i := range s.Program.Instrs {
			if op := s.Program.Instrs[i].Op; !op.Has(dxbc.FlagDecl) && op != dxbc.OpCustomdata {
				instrs++
			}
		}
	}
	return ins, instrs
}

// BenchmarkPerInstruction measures the whole path from bytes to WGSL, without
// the cache, per executable DXBC instruction.
func BenchmarkPerInstruction(b *testing.B) {
	heap.Reserve(b)
	ins, instrs := benchPrograms(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, in := range ins {
			if _, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(instrs), "ns/instr")
	b.ReportMetric(float64(instrs), "instrs")
}
