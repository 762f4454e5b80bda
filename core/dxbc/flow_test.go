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
	assert.Equal(t, []int32{iMovXY, iLt, iIf, iAdd, iGe, iBreak, iAdd1, iDp2}, back, "r0.z has no part in it, and the branches have")
	back, err = f.Backward(ctx, iMul, 2)
	require.NoError(t, err)
	assert.Equal(t, []int32{iMovXY, iMovZ, iLt, iIf, iAdd, iMovZ2, iGe, iBreak, iAdd1, iDp2, iMul}, back, "lane y is r2.x times r0.z")
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

// What a branch decides depends on its condition, up to where the ways meet: a return in
// between decides on all that is left.
func TestSlicesFollowBranches(t *testing.T) {
	_, f := flowOf(t, `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 3
lt r0.x, v1.x, v1.y
lt r0.y, v1.z, v1.w
mov o0.xyzw, l(0,0,0,0)
retc_nz r0.x
switch v1.x
  case l(1)
    mov r1.x, l(1.000000)
    break
  default
    mov r1.x, v1.w
    break
endswitch
mov r2.x, l(2.000000)
if_nz r0.y
  mov r2.x, r1.x
endif
mov o0.x, r2.x
ret
`)
	const (
		ltX = 4 + iota
		ltY
		clear
		retc
		switch_
		case1
		movOne
		break1
		default_
		movW
		break2
		endswitch
		movTwo
		ifY
		movR1
		endif
		movO
	)
	ctx := context.Background()
	back, err := f.Backward(ctx, movOne, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{ltX, retc, switch_, movOne}, back)
	back, err = f.Backward(ctx, movO, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{ltX, ltY, retc, switch_, movOne, movW, movTwo, ifY, movR1, movO}, back)
	back, err = f.Backward(ctx, clear, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{clear}, back, "it runs in any case")
	fwd, err := f.Forward(ctx, ltY, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{ltY, ifY, movR1, movO}, fwd)
	_ = []int32{case1, break1, default_, break2, endswitch, endif}
}

// A load depends on the stores to the same memory that may come before it, by way of a
// loop too; on those to other memory it does not.
func TestSlicesFollowMemory(t *testing.T) {
	_, f := flowOf(t, `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_raw u1
dcl_input vThreadID.xyz
dcl_temps 2
dcl_tgsm_raw g0, 64
dcl_thread_group 4, 1, 1
ld_raw r0.x, vThreadID.x, u0.xxxx
store_raw g0.x, vThreadID.x, r0.x
store_raw u1.x, vThreadID.x, l(7)
sync_g_t
loop
  ld_raw r1.x, vThreadID.y, g0.xxxx
  breakc_nz r1.x
  atomic_iadd g0, vThreadID.z, l(1)
endloop
store_raw u0.x, vThreadID.x, r1.x
ret
`)
	const (
		loadU = 7 + iota
		storeG
		store1
		sync
		loop
		loadG
		leave
		atomic
		endloop
		storeU
	)
	ctx := context.Background()
	back, err := f.Backward(ctx, loadG, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{loadU, storeG, loadG, leave, atomic}, back, "the atomic of the round before, which the break decides on")
	back, err = f.Backward(ctx, loadU, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{loadU}, back, "what is stored behind it comes too late")
	fwd, err := f.Forward(ctx, loadU, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{loadU, storeG, loadG, leave, atomic, storeU}, fwd)
	fwd, err = f.Forward(ctx, store1, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{store1}, fwd, "nothing reads u1")
	_ = []int32{sync, loop, endloop}
}

// An endless loop has no way out, and still what is in it depends on its branches.
func TestSlicesOfEndlessLoop(t *testing.T) {
	_, f := flowOf(t, `ps_5_0
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 1
loop
  if_nz v1.x
    mov o0.xyzw, v1.yyyy
  endif
endloop
ret
`)
	back, err := f.Backward(context.Background(), 5, 0)
	require.NoError(t, err)
	assert.Equal(t, []int32{4, 5}, back)
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
