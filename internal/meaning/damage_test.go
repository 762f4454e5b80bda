package meaning

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// damages are opcodes that stand for one another in damaged programs.
var damages = map[dxbc.Op]dxbc.Op{
	dxbc.OpIadd: dxbc.OpImax, dxbc.OpAnd: dxbc.OpOr, dxbc.OpOr: dxbc.OpAnd, dxbc.OpXor: dxbc.OpImax,
	dxbc.OpIshl: dxbc.OpUshr, dxbc.OpUshr: dxbc.OpIshl,
	dxbc.OpUlt: dxbc.OpUge, dxbc.OpUge: dxbc.OpUlt, dxbc.OpIlt: dxbc.OpIge, dxbc.OpIge: dxbc.OpIlt,
	dxbc.OpLt: dxbc.OpGe, dxbc.OpGe: dxbc.OpLt, dxbc.OpIeq: dxbc.OpIne, dxbc.OpIne: dxbc.OpIeq,
	dxbc.OpAdd: dxbc.OpMul, dxbc.OpMul: dxbc.OpAdd, dxbc.OpMin: dxbc.OpMax, dxbc.OpMax: dxbc.OpMin,
	dxbc.OpUmin: dxbc.OpUmax, dxbc.OpUmax: dxbc.OpUmin, dxbc.OpImin: dxbc.OpImax, dxbc.OpImax: dxbc.OpImin,
}

// TestDamage damages programs in one place each (an opcode, or an immediate one
// greater) and requires that some input sees it: meanings and inputs that accept
// anything prove nothing.
func TestDamage(t *testing.T) {
	all := variants(t)
	made, seen := 0, 0
	var missed []string
	for i := range Programs {
		p := &Programs[i]
		if p.Classes != nil {
			continue
		}
		v := all[key{p.Source, p.Entry}][0]
		s, err := dxbc.Open(v.DXBC)
		require.NoError(t, err, v.Name)
		for at := range s.Program.Instrs {
			in := &s.Program.Instrs[at]
			if in.Decl != nil || at%3 != 1 {
				continue
			}
			bad := *in
			if op, ok := damages[in.Op]; ok {
				bad.Op = op
			} else if k := slices.IndexFunc(in.Operands, func(o dxbc.Operand) bool { return o.Reg == dxbc.RegImmediate32 }); k >= 0 {
				bad.Operands = slices.Clone(in.Operands)
				by := uint32(1)
				if in.Op.Has(dxbc.FlagLoad) || in.Op.Has(dxbc.FlagSide) {
					by = 4 // an offset in bytes
				}
				for c := range bad.Operands[k].Imm {
					bad.Operands[k].Imm[c] += by
				}
			} else {
				continue
			}
			program, shader := *s.Program, *s
			program.Instrs = slices.Clone(program.Instrs)
			program.Instrs[at] = bad
			shader.Program = &program
			made++
			if slices.ContainsFunc(p.Inputs, func(x Input) bool {
				before, want := x.World(), x.World()
				p.Run(want)
				got, uavs, err := Interpret(context.Background(), &shader, p.Views, before)
				if err != nil {
					return true // it does not end, or is no program any more
				}
				_, diffs := verdict(p, before, want, got, uavs)
				return len(diffs) > 0
			}) {
				seen++
			} else {
				missed = append(missed, fmt.Sprintf("%s@%d %s", v.Name, at, in.Op))
			}
		}
	}
	t.Logf("%d damaged programs, %d seen; not seen: %v", made, seen, missed)
	require.Greater(t, made, 250)
	require.GreaterOrEqual(t, seen*100, made*92)
}
