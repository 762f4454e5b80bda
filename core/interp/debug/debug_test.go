package debug

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/ir"
)

var bg = context.Background()

// loop counts to the thread's number, two by two, and stores the sum.
const loop = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadIDInGroup.x
dcl_temps 2
dcl_thread_group 4, 1, 1
mov r0.xy, l(0,0,0,0)
loop
  uge r0.z, r0.x, vThreadIDInGroup.x
  breakc_nz r0.z
  if_nz r0.x
    iadd r0.y, r0.y, l(2)
  else
    iadd r0.y, r0.y, l(10)
  endif
  iadd r0.x, r0.x, l(1)
endloop
store_structured u0.x, vThreadIDInGroup.x, l(0), r0.y
ret
`

// Instructions of loop behind its five declarations.
const (
	iMov = iota + 5
	iLoop
	iUge
	iBreak
	iIf
	iAddThen
	iElse
	iAddElse
	iEndif
	iAddX
	iEndloop
	iStore
	iRet
)

func assemble(t testing.TB, text string) *dxbc.Shader {
	t.Helper()
	p, err := dxbc.AssembleProgram(text)
	require.NoError(t, err)
	return &dxbc.Shader{Program: p}
}

func compute(t testing.TB, text string) (*dxbc.Shader, *interp.Program, Input, *interp.Memory) {
	t.Helper()
	s := assemble(t, text)
	p, err := interp.Compile(s, interp.CompileOptions{})
	require.NoError(t, err)
	mem := interp.NewMemory(make([]byte, 64))
	in := Input{Groups: [3]uint32{2, 1, 1}, Env: func() (*interp.Env, error) {
		clear(mem.Data)
		return &interp.Env{UAVs: map[interp.Slot]*interp.View{{}: interp.StructuredView(mem, 4)}}, nil
	}}
	return s, p, in, mem
}

func lane(text string) interp.Lane {
	regs := map[byte]dxbc.RegType{'r': dxbc.RegTemp, 'v': dxbc.RegInput, 'o': dxbc.RegOutput}
	return interp.Lane{Reg: regs[text[0]], Index: uint32(text[1] - '0'), Comp: map[byte]uint8{'x': 0, 'y': 1, 'z': 2, 'w': 3}[text[3]]}
}

func start(t testing.TB, text string, opt Options) *Session {
	t.Helper()
	_, p, in, _ := compute(t, text)
	s, err := New(bg, p, in, opt)
	require.NoError(t, err)
	return s
}

// moves drives a session and returns where it stops.
func into(t testing.TB, s *Session) int { return then(t, s)(s.Into(bg)) }

func then(t testing.TB, s *Session) func(Reason, error) int {
	return func(_ Reason, err error) int {
		t.Helper()
		require.NoError(t, err)
		return s.Next()
	}
}

// TestSteps walks through the loop with the focus on thread 2.
func TestSteps(t *testing.T) {
	s := start(t, loop, Options{})
	require.NoError(t, s.SetFocus(bg, 2))
	require.Equal(t, iMov, s.Next())
	want := []int{iLoop, iUge, iBreak, iIf, iAddElse, iEndif, iAddX, iEndloop, iUge, iBreak, iIf, iAddThen, iElse}
	for i, w := range want {
		require.Equal(t, w, into(t, s), "step %d", i)
	}
	y, ok := s.Lane(lane("r0.y"))
	require.True(t, ok)
	assert.Equal(t, uint32(12), y)

	t.Run("back through all of it", func(t *testing.T) {
		for i := len(want) - 2; i >= 0; i-- {
			require.Equal(t, want[i], then(t, s)(s.Back(bg)), "step %d", i)
		}
		y, _ := s.Lane(lane("r0.y"))
		assert.Zero(t, y)
		require.Equal(t, iMov, then(t, s)(s.Back(bg)))
		r, err := s.Back(bg)
		require.NoError(t, err)
		assert.Equal(t, Began, r, "there is nothing before the first instruction")
		assert.Equal(t, iMov, s.Next())
	})
	t.Run("over", func(t *testing.T) {
		into(t, s)
		assert.Equal(t, iStore, then(t, s)(s.Over(bg)), "over a loop is behind it")
		y, _ := s.Lane(lane("r0.y"))
		assert.Equal(t, uint32(12), y)
	})
	t.Run("out", func(t *testing.T) {
		require.NoError(t, s.Seek(bg, 0))
		assert.Equal(t, iAddElse, then(t, s)(s.RunTo(bg, iAddElse)))
		assert.Equal(t, iAddX, then(t, s)(s.Out(bg)), "behind the if")
		assert.Equal(t, iStore, then(t, s)(s.Out(bg)), "behind the loop")
		r, err := s.Out(bg)
		require.NoError(t, err)
		assert.Equal(t, Ended, r)
		assert.True(t, s.Done())
		assert.Equal(t, iRet, then(t, s)(s.Back(bg)), "going back works from the end too")
	})
}

func TestBreakpoints(t *testing.T) {
	s := start(t, loop, Options{})
	require.NoError(t, s.SetFocus(bg, 3))
	s.Break(iAddX, true)
	s.Break(iRet, true)
	assert.Equal(t, []int{iAddX, iRet}, s.Breakpoints())
	for round := range uint32(3) {
		r, err := s.Continue(bg)
		require.NoError(t, err)
		require.Equal(t, Breakpoint, r)
		require.Equal(t, iAddX, s.Next())
		x, _ := s.Lane(lane("r0.x"))
		assert.Equal(t, round, x)
	}
	r, err := s.BackContinue(bg)
	require.NoError(t, err)
	assert.Equal(t, Breakpoint, r)
	x, _ := s.Lane(lane("r0.x"))
	assert.Equal(t, uint32(1), x)
	s.Break(iAddX, false)
	require.NoError(t, s.Watch(lane("r0.y"), true))
	r, err = s.Continue(bg)
	require.NoError(t, err)
	assert.Equal(t, Watchpoint, r)
	y, _ := s.Lane(lane("r0.y"))
	assert.Equal(t, uint32(14), y)
	require.NoError(t, s.Watch(lane("r0.y"), false))
	require.Equal(t, iRet, then(t, s)(s.Continue(bg)))
	assert.Error(t, s.Watch(lane("r7.x"), true), "the program has two temporaries")
}

// TestCheckpoints: with little memory for checkpoints every position is reached
// again with the same registers and memory.
func TestCheckpoints(t *testing.T) {
	_, p, in, mem := compute(t, loop)
	s, err := New(bg, p, in, Options{Checkpoints: 1})
	require.NoError(t, err)
	s.every = 2
	type moment struct {
		next int
		x, y uint32
		mem  string
	}
	look := func() moment {
		x, _ := s.Lane(lane("r0.x"))
		y, _ := s.Lane(lane("r0.y"))
		return moment{s.Next(), x, y, string(mem.Data)}
	}
	require.NoError(t, s.SetFocus(bg, 3))
	var all []moment
	for {
		all = append(all, look())
		if s.Done() {
			break
		}
		require.NoError(t, s.Seek(bg, s.Pos()+1))
	}
	require.Greater(t, len(all), 30)
	assert.LessOrEqual(t, len(s.marks), 3)
	for i := len(all) - 1; i >= 0; i -= 3 {
		require.NoError(t, s.Seek(bg, int64(i)))
		assert.Equal(t, all[i], look(), "position %d", i)
	}
}

func TestHistory(t *testing.T) {
	s := start(t, loop, Options{})
	require.NoError(t, s.SetFocus(bg, 2))
	then(t, s)(s.RunTo(bg, iStore))
	h, err := s.History(bg, lane("r0.y"))
	require.NoError(t, err)
	var got [][3]uint32
	for _, w := range h {
		got = append(got, [3]uint32{uint32(w.Instr), w.Old, w.New})
	}
	assert.Equal(t, [][3]uint32{{iMov, 0, 0}, {iAddElse, 0, 10}, {iAddThen, 10, 12}}, got)
	_, err = s.History(bg, lane("o0.x"))
	assert.Error(t, err)

	c, err := s.Slice(bg, lane("r0.y"))
	require.NoError(t, err)
	require.Len(t, c, 3)
	assert.Equal(t, []int{iAddThen, iAddElse, iMov}, []int{c[0].Instr, c[1].Instr, c[2].Instr})
	assert.Equal(t, []int{0, 1, 2}, []int{c[0].Depth, c[1].Depth, c[2].Depth})
	assert.Equal(t, []interp.Lane{lane("r0.y")}, c[0].From)
	assert.Empty(t, c[2].From, "a literal")

	s.opt.MaxTrace = 1
	_, err = s.History(bg, lane("r0.y"))
	require.ErrorIs(t, err, ErrTrace)
}

// TestSliceArray follows an element of an indexed register, whose index register
// the instruction itself overwrites.
func TestSliceArray(t *testing.T) {
	const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadIDInGroup.x
dcl_temps 1
dcl_indexableTemp x0[4], 4
dcl_thread_group 4, 1, 1
mov x0[0].xyzw, l(1,2,3,4)
mov x0[1].xyzw, l(5,6,7,8)
mov r0.x, l(1)
mov r0.x, x0[r0.x + 0].y
store_structured u0.x, vThreadIDInGroup.x, l(0), r0.x
ret
`
	s := start(t, text, Options{})
	then(t, s)(s.RunTo(bg, 10))
	x, _ := s.Lane(lane("r0.x"))
	require.Equal(t, uint32(6), x)
	c, err := s.Slice(bg, lane("r0.x"))
	require.NoError(t, err)
	require.Len(t, c, 3)
	assert.Equal(t, []int{9, 8, 7}, []int{c[0].Instr, c[1].Instr, c[2].Instr})
	assert.Equal(t, "x0[1].y", c[2].Lane.String())
}

func TestGroupsBefore(t *testing.T) {
	_, p, in, mem := compute(t, `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_temps 1
dcl_thread_group 1, 1, 1
atomic_iadd u0, l(0, 0, 0, 0), l(1)
ret
`)
	in.Groups, in.Group = [3]uint32{3, 2, 1}, [3]uint32{1, 1, 0}
	s, err := New(bg, p, in, Options{})
	require.NoError(t, err)
	assert.Equal(t, byte(4), mem.Data[0], "four groups ran before")
	into(t, s)
	assert.Equal(t, byte(5), mem.Data[0])
	then(t, s)(s.Back(bg))
	assert.Equal(t, byte(4), mem.Data[0], "going back takes memory along")
	in.Group = [3]uint32{3, 0, 0}
	_, err = New(bg, p, in, Options{})
	require.ErrorIs(t, err, interp.ErrMalformed)
}

func TestBoundsAndCancelling(t *testing.T) {
	const endless = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_temps 2
dcl_thread_group 1, 1, 1
loop
  iadd r0.x, r1.x, l(1)
  breakc_nz l(0)
endloop
ret
`
	s := start(t, endless, Options{MaxSteps: 5000})
	_, err := s.Continue(bg)
	require.ErrorIs(t, err, interp.ErrSteps)
	require.NotEmpty(t, s.Report().Events)
	assert.Equal(t, interp.EventUndefined, s.Report().Events[0].Kind, "r1 was never written")

	s = start(t, endless, Options{})
	ctx, cancel := context.WithCancel(bg)
	cancel()
	_, err = s.Continue(ctx)
	require.ErrorIs(t, err, context.Canceled)
	into(t, s) // it goes on
	_, p, in, _ := compute(t, endless)
	_, err = New(bg, p, in, Options{MaxMemory: 10})
	require.ErrorIs(t, err, interp.ErrMemory)
}

func TestRaceIsReported(t *testing.T) {
	s := start(t, `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadIDInGroup.x
dcl_temps 1
dcl_thread_group 4, 1, 1
store_structured u0.x, l(0), l(0), vThreadIDInGroup.x
ret
`, Options{})
	assert.Empty(t, s.Report().Events)
	into(t, s)
	require.Len(t, s.Report().Events, 1)
	assert.Equal(t, interp.EventRace, s.Report().Events[0].Kind)
	then(t, s)(s.Back(bg))
	assert.Empty(t, s.Report().Events, "it has not happened yet")
}

// TestPart damages the intermediate form in one value or one phase and finds the
// instruction and the phase.
func TestPart(t *testing.T) {
	sh, p, in, _ := compute(t, loop)
	forms := func(damage func(phase string, f *ir.Function)) []Form {
		f, ds, err := ir.Build(bg, sh, ir.BuildOptions{})
		require.NoError(t, err)
		require.NotNil(t, f, ds)
		damage("build", f)
		out := []Form{{"build", f.Clone()}}
		for _, ph := range ir.Phases {
			ph.Run(f)
			damage(ph.Name, f)
			out = append(out, Form{ph.Name, f.Clone()})
		}
		return out
	}
	part, err := Pin(bg, p, forms(func(string, *ir.Function) {}), in, Options{})
	require.NoError(t, err)
	require.Nil(t, part)

	swap := func(at string, instr int32) []Form {
		return forms(func(phase string, f *ir.Function) {
			if phase != at {
				return
			}
			for i := range f.Values {
				if v := &f.Values[i]; v.Op == ir.OpIAdd && v.Instr == instr {
					v.Op = ir.OpISub
				}
			}
		})
	}
	for _, at := range []string{"build", "simplify", "types"} {
		part, err = Pin(bg, p, swap(at, iAddThen), in, Options{})
		require.NoError(t, err)
		require.NotNil(t, part, at)
		assert.Equal(t, at, part.Phase)
		assert.Equal(t, iAddThen, part.Instr)
		assert.Equal(t, 2, part.Invocation, "the first thread that gets there")
		assert.Equal(t, "r0.y", part.Lane.String())
		assert.Equal(t, []uint32{12, 8}, []uint32{part.DXBC, part.IR})
	}
	s, err := New(bg, p, in, Options{})
	require.NoError(t, err)
	require.NoError(t, s.SetFocus(bg, 3))
	damaged := swap("build", iAddThen)[0].Func
	r, part, err := s.ToParting(bg, damaged)
	require.NoError(t, err)
	require.NotNil(t, part)
	assert.Equal(t, Parted, r)
	assert.Equal(t, iAddThen, s.Next())
	y, _ := s.Lane(lane("r0.y"))
	assert.Equal(t, uint32(10), y, "the first time")
	_, err = Part(bg, p, damaged, in, Options{MaxTrace: 3})
	require.ErrorIs(t, err, ErrTrace)
	assert.True(t, Bounded(err))
}

// TestPartOutput: an output that no temporary went through is compared at the end.
func TestPartOutput(t *testing.T) {
	sh := assemble(t, `vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.xyzw
dcl_output o0.xy
mul o0.xy, v0.xyxx, v0.zwzz
ret
`)
	p, err := interp.Compile(sh, interp.CompileOptions{})
	require.NoError(t, err)
	f, ds, err := ir.Build(bg, sh, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, ds)
	for i := range f.Values {
		if f.Values[i].Op == ir.OpFMul {
			f.Values[i].Op = ir.OpFAdd
		}
	}
	b := &interp.Batch{N: 2, In: map[uint32][][4]uint32{0: {{}, {}}}}
	for k, x := range []float32{2, 2, 2, 3} {
		b.In[0][1][k] = math.Float32bits(x)
	}
	part, err := Part(bg, p, f, Input{Batch: b}, Options{})
	require.NoError(t, err)
	require.NotNil(t, part)
	assert.Equal(t, []any{3, 1, "o0.y", uint32(0x40c00000), uint32(0x40a00000)}, []any{part.Instr, part.Invocation, part.Lane.String(), part.DXBC, part.IR})
	s, err := New(bg, p, Input{Batch: b}, Options{})
	require.NoError(t, err)
	then(t, s)(s.Continue(bg))
	assert.Equal(t, [4]uint32{0x40800000, 0x40c00000}, s.Outputs().Out[0][1])
	assert.Nil(t, b.Out, "the input is not changed")
}
