package debug

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/ir"
)

// TestValues: the values of the intermediate form follow the program, forwards, backwards
// and through the rounds of a loop, and are what the registers are that they stand for.
func TestValues(t *testing.T) {
	sh, p, in, _ := compute(t, loop)
	f, ds, err := ir.Build(bg, sh, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, ds)
	for _, ph := range ir.Phases {
		ph.Run(f)
	}
	s, err := New(bg, p, in, Options{})
	require.NoError(t, err)
	_, ok := s.Value(0)
	assert.False(t, ok, "nothing is attached")
	require.NoError(t, s.SetFocus(bg, 3))
	require.NoError(t, s.Attach(bg, f))
	sum := func(instr int32) ir.ValueID {
		for i := range f.Values {
			if v := &f.Values[i]; v.Op == ir.OpIAdd && v.Instr == instr {
				return ir.ValueID(i)
			}
		}
		t.Fatalf("no value of instruction %d", instr)
		return 0
	}
	then2, x := sum(iAddThen), sum(iAddX)
	_, ok = s.Value(x)
	assert.False(t, ok, "not computed yet")
	s.Break(iEndloop, true)
	for round := range uint32(3) {
		then(t, s)(s.Continue(bg))
		require.Equal(t, iEndloop, s.Next())
		w, ok := s.Value(x)
		require.True(t, ok)
		lane0, _ := s.Lane(lane("r0.x"))
		assert.Equal(t, []uint32{round + 1, round + 1}, []uint32{w[0], lane0})
		w, ok = s.Value(then2)
		assert.Equal(t, round > 0, ok, "the first round goes the other way")
		if ok {
			assert.Equal(t, 10+2*round, w[0])
		}
	}
	then(t, s)(s.BackContinue(bg))
	w, _ := s.Value(x)
	assert.Equal(t, []uint32{2}, w, "back a round")
	require.NoError(t, s.SetFocus(bg, 1))
	w, _ = s.Value(x)
	assert.Equal(t, []uint32{1}, w, "thread 1 has one round")

	require.NoError(t, s.Seek(bg, 0))
	s.Break(iEndloop, false)
	require.NoError(t, s.SetFocus(bg, 3))
	require.NoError(t, s.WatchValue(then2, true))
	assert.Equal(t, []ir.ValueID{then2}, s.WatchedValues())
	r, err := s.Continue(bg)
	require.NoError(t, err)
	assert.Equal(t, Watchpoint, r)
	w, _ = s.Value(then2)
	assert.Equal(t, []uint32{12}, w)
	require.NoError(t, s.WatchValue(then2, false))
	r, err = s.Continue(bg)
	require.NoError(t, err)
	assert.Equal(t, Ended, r)
	assert.Error(t, s.WatchValue(-1, true))
	s.opt.MaxTrace = 2
	require.ErrorIs(t, s.Attach(bg, f), ErrTrace)
	assert.Nil(t, s.Attached())
}

// TestParams: a parameter of a loop is what the round began with, that of a join what its
// arm gave; neither has a value before it is bound.
func TestParams(t *testing.T) {
	sh, p, in, _ := compute(t, loop)
	f, ds, err := ir.Build(bg, sh, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, ds)
	for _, ph := range ir.Phases {
		ph.Run(f)
	}
	s, err := New(bg, p, in, Options{})
	require.NoError(t, err)
	require.NoError(t, s.SetFocus(bg, 3))
	require.NoError(t, s.Attach(bg, f))
	var x ir.ValueID // what iAddX adds to
	for i := range f.Values {
		if v := &f.Values[i]; v.Op == ir.OpIAdd && v.Instr == iAddX {
			x = v.Args[0].Lanes[0].V
		}
	}
	require.Equal(t, ir.OpParam, f.Values[x].Op)
	bound := 0
	for i := range f.Values {
		if _, ok := s.Value(ir.ValueID(i)); ok && f.Values[i].Op == ir.OpParam {
			bound++
		}
	}
	assert.Zero(t, bound, "nothing is bound before the first instruction")
	s.Break(iAddX, true)
	for round := range uint32(3) {
		then(t, s)(s.Continue(bg))
		require.Equal(t, iAddX, s.Next())
		w, ok := s.Value(x)
		require.True(t, ok)
		assert.Equal(t, round, w[0])
	}
	then(t, s)(s.BackContinue(bg))
	w, _ := s.Value(x)
	assert.EqualValues(t, 1, w[0], "back a round")
}
