package compile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/syntax"
	"fxlens/internal/corpus"
	"fxlens/internal/progen"
)

// mended is a container whose size and digest are those of its bytes, so that a changed
// one gets past them.
func mended(b []byte) []byte {
	if len(b) < 32 {
		return b
	}
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[24:], uint32(len(b)))
	sum := dxbc.Checksum(b, false)
	copy(b[4:20], sum[:])
	return b
}

// checkPass compiles a program as a pass of one stage: no bug of ours, the same result
// twice, and what is emitted verifies and parses.
func checkPass(t *testing.T, program []byte, opt *compile.Options) {
	s, err := dxbc.Open(program)
	if err != nil {
		return
	}
	in := &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: program}}}
	var c compile.Compiler
	p, err := c.PassOnce(context.Background(), in, opt)
	var bug *compile.BugError
	if errors.As(err, &bug) {
		t.Fatalf("%v\n%s", bug.Value, bug.Stack)
	}
	if err != nil {
		return
	}
	again, err := c.PassOnce(context.Background(), in, opt)
	require.NoError(t, err)
	for i, st := range p.Stages {
		require.Equal(t, st.Diags, again.Stages[i].Diags)
		if st.Module == nil {
			require.NotEqual(t, compile.Translated, st.Status)
			require.NotEmpty(t, append(slices.Clone(p.Diags), st.Diags...), "refused without a reason")
			continue
		}
		require.Equal(t, st.Module.Code, again.Stages[i].Module.Code)
		require.NoError(t, ir.Verify(st.Func))
		_, errs := syntax.Parse(st.Module.Code)
		require.Empty(t, errs, st.Module.Code)
	}
}

// FuzzPass: whatever the bytes of a program, the pipeline ends with a result.
func FuzzPass(f *testing.F) {
	for i, c := range corpus.HLSL(f) {
		if i%5 == 0 && len(c.DXBC) < 3000 {
			f.Add(c.DXBC, byte(i))
		}
	}
	f.Fuzz(func(t *testing.T, program []byte, o byte) {
		var opt compile.Options
		opt.Strict = o&1 != 0
		if o&2 != 0 {
			opt.Views = map[string]string{"*": "auto"}
		}
		checkPass(t, mended(program), &opt)
	})
}

// FuzzValid: random structured programs, which are all valid, translate.
func FuzzValid(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		program, err := dxbc.Assemble(progen.New(seed).Text(), nil)
		require.NoError(t, err)
		checkPass(t, program, &compile.Options{Views: map[string]string{"*": "auto"}})
	})
}
