package dxbc

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Instruction numbers are in the comments; declarations count.
const flowText = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], immediateIndexed
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 3
mov r0.xy, v1.xyxx
mov r0.z, l(0)
lt r1.x, r0.x, v1.z
if_nz r1.x
  add r0.x, r0.x, cb0[0].x
else
  mov r0.z, r0.y
endif
loop
  ge r1.y, r0.x, l(8.000000)
  breakc_nz r1.y
  add r0.x, r0.x, l(1.000000)
endloop
dp2 r2.x, r0.xyxx, r0.xyxx
mul o0.xyzw, r2.xxxx, r0.xzxz
ret
`

const (
	iMovXY = 5 + iota
	iMovZ
	iLt
	iIf
	iAdd
	iElse
	iMovZ2
	iEndif
	iLoop
	iGe
	iBreak
	iAdd1
	iEndloop
	iDp2
	iMul
	iRet
)

func flowOf(t *testing.T, text string) (*Program, *Flow) {
	t.Helper()
	p, err := AssembleProgram(text)
	require.NoError(t, err)
	return p, p.Flow()
}

func TestFlowBlocks(t *testing.T) {
	p, f := flowOf(t, flowText)
	require.Len(t, p.Instrs, iRet+1)
	type edge struct{ from, to int32 }
	var edges []edge
	for b := range f.Blocks {
		for _, s := range f.Blocks[b].Succ {
			edges = append(edges, edge{f.Blocks[b].First, f.Blocks[s].First})
		}
	}
	assert.ElementsMatch(t, []edge{
		{iMovXY, iAdd}, {iMovXY, iMovZ2}, {iAdd, iEndif}, {iMovZ2, iEndif}, {iEndif, iLoop}, {iLoop, iAdd1}, {iLoop, iDp2}, {iAdd1, iLoop},
	}, edges)
	assert.EqualValues(t, -1, f.BlockOf(0), "declarations are in no block")
	assert.EqualValues(t, iIf, f.Opens(iElse))
	assert.EqualValues(t, iElse, f.Opens(iEndif))
	assert.EqualValues(t, iEndloop, f.Closes(iLoop))
}

func TestReaching(t *testing.T) {
	_, f := flowOf(t, flowText)
	r0 := Var{RegTemp, 0}
	for _, c := range []struct {
		name  string
		at    int32
		lanes uint8
		want  []Def
	}{
		{"one write", iLt, 1, []Def{{iMovXY, 1}}},
		{"other lanes are left alone", iMovZ2, 2, []Def{{iMovXY, 2}}},
		{"both ways of a branch", iEndif, 1, []Def{{iMovXY, 1}, {iAdd, 1}}},
		{"around a loop", iGe, 1, []Def{{iMovXY, 1}, {iAdd, 1}, {iAdd1, 1}}},
		{"a branch that writes and one that does not", iMul, 4, []Def{{iMovZ, 4}, {iMovZ2, 4}}},
		{"nothing wrote it", iMul, 8, []Def{{-1, 8}}},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, f.Reaching(c.at, r0, c.lanes)) })
	}
	assert.Nil(t, f.Reaching(0, r0, 1), "a declaration is not reached")
}

func TestUses(t *testing.T) {
	_, f := flowOf(t, flowText)
	r0 := Var{RegTemp, 0}
	var at []int32
	for _, u := range f.Uses(iMovXY, r0, 1) {
		at = append(at, u.Instr)
	}
	assert.Equal(t, []int32{iLt, iAdd, iGe, iAdd1, iDp2, iMul}, at)
	at = nil
	for _, u := range f.Uses(iMovZ, r0, 4) {
		at = append(at, u.Instr)
	}
	assert.Equal(t, []int32{iMul}, at, "z is read at the end alone")
}

func TestSlices(t *testing.T) {
	_, f := flowOf(t, flowText)
	ctx := context.Background()
	back, err := f.Backward(ctx, iDp2, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{iMovXY, iAdd, iAdd1, iDp2}, back, "r0.z has no part in it")
	back, err = f.Backward(ctx, iMul, 2)
	require.NoError(t, err)
	assert.Equal(t, []int32{iMovXY, iMovZ, iAdd, iMovZ2, iAdd1, iDp2, iMul}, back, "lane y is r2.x times r0.z")
	fwd, err := f.Forward(ctx, iMovZ, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{iMovZ, iMul}, fwd)
	fwd, err = f.Forward(ctx, iAdd, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{iAdd, iGe, iBreak, iAdd1, iDp2, iMul}, fwd)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = f.Backward(gone, iMul, 0)
	assert.ErrorIs(t, err, context.Canceled)
}

// A switch goes to its labels and falls through; an indexable temporary keeps what other
// elements hold.
func TestFlowOfSwitchAndArrays(t *testing.T) {
	_, f := flowOf(t, `ps_5_0
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 1
dcl_indexableTemp x0[4], 4
mov x0[0].x, v1.x
mov r0.x, l(0)
switch v1.y
  case l(0)
  mov r0.x, l(1.000000)
  case l(1)
  mov x0[r0.x + 1].x, v1.y
  break
  case l(2)
  mov r0.x, l(2.000000)
  break
endswitch
mov o0.xyzw, x0[r0.x + 0].xxxx
ret
`)
	const end = 16
	assert.Equal(t, []Def{{4, 1}, {10, 1}}, f.Reaching(end, Var{RegIndexableTemp, 0}, 1)[1:], "both writes, whatever the index")
	assert.Equal(t, []Def{{5, 1}, {8, 1}, {13, 1}}, f.Reaching(end, Var{RegTemp, 0}, 1), "no default: no clause need run")
}

// Any program that decodes has a flow whose edges agree, and reading it ends.
func TestFlowOfTheCorpus(t *testing.T) {
	corpus(t, func(name string, _ []byte, s *Shader) {
		p := s.Program
		f := p.Flow()
		next := int32(-1)
		for b := range f.Blocks {
			if next >= 0 {
				assert.Equal(t, next, f.Blocks[b].First, name)
			}
			next = f.Blocks[b].End
			for _, n := range f.Blocks[b].Succ {
				assert.True(t, slices.Contains(f.Blocks[n].Pred, int32(b)), name)
			}
		}
		if len(f.Blocks) > 0 {
			assert.EqualValues(t, len(p.Instrs), next, name)
		}
		// Every use of a definition has it among its reaching definitions, and the reverse.
		for i := range p.Instrs {
			if i%7 != 0 {
				continue
			}
			for _, r := range p.Instrs[i].Reads() {
				for _, d := range f.Reaching(int32(i), r.Var, r.Lanes) {
					if d.Instr < 0 {
						continue
					}
					hit := false
					for _, u := range f.Uses(d.Instr, r.Var, d.Lanes) {
						hit = hit || u.Instr == int32(i)
					}
					assert.True(t, hit, "%s: @%d reads what @%d wrote, but is no use of it", name, i, d.Instr)
				}
			}
		}
	})
}
