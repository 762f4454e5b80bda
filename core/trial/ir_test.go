package trial

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	"fxlens/core/ir"
)

// formsOf are the function of a program after each phase.
func formsOf(s *dxbc.Shader) ([]debug.Form, error) {
	f, _, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	if err != nil {
		return nil, err
	}
	out := []debug.Form{{Phase: "build", Func: f.Clone()}}
	for _, ph := range ir.Phases {
		ph.Run(f)
		out = append(out, debug.Form{Phase: ph.Name, Func: f.Clone()})
	}
	return out, nil
}

// forms are those of a stage, and the function as it was emitted.
func forms(t testing.TB, s *Stage) []debug.Form {
	out, err := formsOf(s.Shader)
	require.NoError(t, err)
	return append(out, debug.Form{Phase: "barriers", Func: s.Func})
}

// TestFunctions runs the intermediate form of every program after every phase: it
// gives the outputs of the DXBC program bit for bit, and so do the register lanes
// that values stand for.
func TestFunctions(t *testing.T) {
	words, parts, long := 0, 0, 0
	for _, s := range hlslStages(t) {
		fs := forms(t, s)
		for _, set := range []Set{Small, Boundary} {
			tr, err := s.Trial(set, 1, true)
			var un *ErrUnavailable
			if errors.As(err, &un) {
				continue
			}
			require.NoError(t, err, s.Name)
			base, _, err := tr.run(context.Background(), s.Prog, interp.Options{MaxSteps: MaxSteps, Track: true})
			if errors.Is(err, interp.ErrSteps) {
				long++
				continue
			}
			require.NoError(t, err, s.Name)
			for _, f := range []debug.Form{fs[0], fs[len(fs)-1]} {
				p, err := interp.CompileFunction(f.Func)
				require.NoError(t, err, s.Name)
				got, _, err := tr.run(context.Background(), p, interp.Options{MaxSteps: 4 * MaxSteps, NoRaces: true})
				require.NoError(t, err, s.Name)
				words += same(t, s.Name+" "+set.String()+" "+f.Phase, base, got)
			}
			p, err := debug.Pin(context.Background(), s.Prog, fs, tr.Input(), debug.Options{MaxSteps: MaxSteps, MaxTrace: 200_000}, 0, 1, 2, 3)
			if debug.Bounded(err) {
				long++
				continue
			}
			require.NoError(t, err, s.Name)
			parts++
			assert.Nil(t, p, "%s %s", s.Name, set)
		}
	}
	t.Logf("%d words equal, %d trials traced, %d too long", words, parts, long)
	assert.Greater(t, words, 500_000)
	assert.Greater(t, parts, 700)
}

// same compares outputs bit for bit but for what D3D leaves undefined and returns
// how many words there are.
func same(t testing.TB, name string, want, got values) (n int) {
	for _, out := range sortedKeys(want) {
		for i, w := range want[out] {
			if w.kind == '-' || w.tainted {
				continue
			}
			n++
			if g := got[out][i]; g.bits != w.bits {
				t.Errorf("%s: %s[%d] DXBC %s, IR %s", name, out, i, show(w.bits), show(g.bits))
				return n
			}
		}
	}
	return n
}

// TestPinning damages one value of a program's function and requires that the
// instruction is found where outputs differ.
func TestPinning(t *testing.T) {
	swaps := map[ir.Op]ir.Op{ir.OpFAdd: ir.OpFMul, ir.OpFMul: ir.OpFAdd, ir.OpIAdd: ir.OpXor, ir.OpFMin: ir.OpFMax, ir.OpFLt: ir.OpFGe, ir.OpAnd: ir.OpOr, ir.OpShl: ir.OpUShr, ir.OpFSqrt: ir.OpFAbs}
	found, exact, silent := 0, 0, 0
	for n, s := range hlslStages(t) {
		f, _, err := ir.Build(context.Background(), s.Shader, ir.BuildOptions{})
		require.NoError(t, err)
		at := int32(-1)
		for k := range f.Values {
			v := &f.Values[(k+n)%len(f.Values)]
			if to, ok := swaps[v.Op]; ok && v.Reg >= 0 {
				v.Op, at = to, v.Instr
				break
			}
		}
		tr, err := s.Trial(Small, 1, true)
		if at < 0 || err != nil {
			continue
		}
		p, err := interp.CompileFunction(f)
		require.NoError(t, err)
		base, _, err := tr.run(context.Background(), s.Prog, interp.Options{MaxSteps: MaxSteps, Track: true})
		if err != nil {
			continue
		}
		got, _, err := tr.run(context.Background(), p, interp.Options{MaxSteps: MaxSteps, NoRaces: true})
		if err != nil { // the damage made a loop endless
			continue
		}
		differs := false
		for name, want := range base {
			for i, w := range want {
				differs = differs || w.kind != '-' && !w.tainted && got[name][i].bits != w.bits
			}
		}
		if !differs {
			silent++
			continue
		}
		part, err := debug.Part(context.Background(), s.Prog, f, tr.Input(), debug.Options{MaxSteps: MaxSteps})
		if debug.Bounded(err) {
			continue
		}
		require.NoError(t, err, s.Name)
		found++
		if part != nil && part.Instr == int(at) {
			exact++
		} else {
			t.Logf("%s: damaged at %d, found %v", s.Name, at, part)
		}
	}
	t.Logf("%d damaged functions with other outputs, %d pinned on the instruction; %d without a consequence", found, exact, silent)
	assert.Greater(t, found, 100)
	assert.GreaterOrEqual(t, exact*100, found*97)
}
