package tui

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/views"
)

func runRig(t testing.TB, file string, w, h int) (*rig, *runScreen) {
	t.Helper()
	r := newRig(t, openSession(t, file), w, h)
	r.keys("R")
	s, ok := r.m.screen.(*runScreen)
	require.True(t, ok, r.m.status)
	require.NotNil(t, s.sess, "%s %s", s.err, r.m.status)
	return r, s
}

func TestRunStepsThereAndBack(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		t.Run(fmt.Sprint(z), func(t *testing.T) {
			r, s := runRig(t, effectFile, z[0], z[1])
			r.exact()
			start := s.snap
			assert.Contains(t, r.screen(), "▶", "the next instruction has its mark")
			var after []*runSnap
			for range 5 {
				r.keys("i")
				r.exact()
				after = append(after, s.snap)
			}
			assert.Greater(t, s.snap.pos, start.pos)
			assert.NotEqual(t, start.words, s.snap.words)
			for i := len(after) - 2; i >= 0; i-- {
				r.keys("b")
				assert.Equal(t, after[i].words, s.snap.words, "back is what it was")
				assert.Equal(t, after[i].next, s.snap.next)
			}
			r.keys("c")
			assert.True(t, s.snap.done)
			assert.Contains(t, r.screen(), "ended")
			r.keys("0")
			assert.Equal(t, start.words, s.snap.words)
			r.keys("tab")
			assert.Contains(t, r.screen(), "▸ Registers")
			r.keys("tab")
			assert.Contains(t, r.screen(), "▸ Constants")
			r.exact()
			r.keys("esc")
			assert.Nil(t, r.m.screen)
		})
	}
}

func TestRunBreakpointsWatchesAndCauses(t *testing.T) {
	r, s := runRig(t, effectFile, 120, 40)
	r.keys("j", "j", "j")
	for s.instr() < 0 {
		r.keys("j")
	}
	at := s.instr()
	r.keys("space")
	assert.True(t, s.snap.breaks[at])
	assert.Contains(t, r.screen(), "●")
	r.keys("c")
	assert.Equal(t, at, s.snap.next, "it stops at the breakpoint")
	r.keys("c")
	assert.True(t, s.snap.done)
	r.keys("B")
	assert.Equal(t, at, s.snap.next, "and backwards too")

	// The first output lane that was written: who wrote it, and of what.
	r.keys("c", "tab")
	found := false
	for i, row := range s.snap.rows {
		if strings.HasPrefix(row.Name, "o0") {
			s.row, found = i, true
		}
	}
	require.True(t, found)
	r.keys("h")
	require.NotNil(t, r.m.over)
	assert.Contains(t, r.screen(), "Writes of o0.x")
	r.keys("enter")
	assert.False(t, s.snap.done, "enter goes to the moment of the write")
	s.row = slicesIndex(s.snap.rows, "o0")
	r.keys("c", "y")
	require.NotNil(t, r.m.over, r.m.status)
	assert.Contains(t, r.screen(), "Why o0.x is what it is")
	s.sess.Break(at, false)
	r.keys("esc", "0", "w")
	assert.Len(t, s.sess.Watches(), 1)
	r.keys("c")
	assert.Contains(t, r.m.status, "watch")
	r.keys("0", "p")
	assert.Contains(t, r.m.status, "DXBC and SSA compute the same")
}

func slicesIndex(rows []views.RunRow, prefix string) int {
	for i := range rows {
		if strings.HasPrefix(rows[i].Name, prefix) {
			return i
		}
	}
	return -1
}

func TestRunEditsSavesAndLoads(t *testing.T) {
	r, s := runRig(t, effectFile, 120, 40)
	r.m.opt.ExportDir = t.TempDir()
	// Constants: the first word of the first buffer.
	if len(s.snap.crows) > 0 {
		r.keys("tab", "tab", "e")
		r.m.over.input.SetValue("0.25")
		r.keys("enter")
		assert.Equal(t, math.Float32bits(0.25), s.snap.crows[0].Cells[0].Word)
		assert.Zero(t, s.snap.pos)
		r.keys("e")
		r.m.over.input.SetValue("nonsense")
		r.keys("enter")
		assert.Contains(t, r.m.status, `"nonsense" is no number`)
	}
	s.pane = runRegs
	s.row = slicesIndex(s.snap.rows, "v")
	require.GreaterOrEqual(t, s.row, 0)
	for s.comp = 0; s.comp < 3 && !s.snap.rows[s.row].Cells[s.comp].There; s.comp++ {
	}
	r.keys("e")
	require.NotNil(t, r.m.over, r.m.status)
	r.m.over.input.SetValue("0x3f000000")
	r.keys("enter")
	assert.Equal(t, uint32(0x3f000000), s.snap.rows[s.row].Cells[s.comp].Word, "%s %s", s.snap.rows[s.row].Name, r.m.status)
	s.row = slicesIndex(s.snap.rows, "r")
	r.keys("e")
	assert.Contains(t, r.m.status, "only input registers")

	job := filepath.Join(r.m.opt.ExportDir, "inputs.job")
	r.keys("E")
	r.m.over.input.SetValue(job)
	r.keys("enter")
	require.FileExists(t, job, r.m.status)
	require.FileExists(t, filepath.Join(r.m.opt.ExportDir, "inputs.dxbc"))
	before, err := os.ReadFile(job)
	require.NoError(t, err)
	r.keys("E")
	r.m.over.input.SetValue(job)
	r.keys("enter")
	now, err := os.ReadFile(job)
	require.NoError(t, err)
	assert.Equal(t, before, now, "nothing is replaced")
	assert.True(t, r.m.isError)

	r.keys("L")
	r.m.over.input.SetValue(job)
	r.keys("enter")
	assert.Equal(t, job, s.from, r.m.status)
	if len(s.snap.crows) > 0 {
		assert.Equal(t, math.Float32bits(0.25), s.snap.crows[0].Cells[0].Word, "the job has the constants that were set")
	}
	r.keys("L")
	r.m.over.input.SetValue(filepath.Join(r.m.opt.ExportDir, "gone.job"))
	r.keys("enter")
	assert.True(t, r.m.isError)
	assert.NotNil(t, s.sess, "what ran goes on")
}

func TestRunInvocationsAndInputs(t *testing.T) {
	r, s := runRig(t, effectFile, 120, 40)
	first := s.snap.words
	r.keys(".")
	assert.Equal(t, 1, s.snap.focus)
	r.keys(",")
	assert.Zero(t, s.snap.focus)
	r.keys(",")
	assert.Contains(t, r.m.status, "invocations 0 to")
	r.keys("S")
	assert.NotEqual(t, first, s.snap.words, "another seed, other inputs")
	r.keys("s")
	assert.Contains(t, r.screen(), "boundary inputs")
	r.keys("x")
	assert.Contains(t, r.screen(), "as int")
	for _, z := range []string{"I", "s", "R"} {
		r.keys(z)
	}
	assert.NotNil(t, s.sess)
}

func TestRunNeedsATranslation(t *testing.T) {
	r := newRig(t, nil, 80, 24)
	r.keys("R")
	assert.Nil(t, r.m.screen)
	assert.Contains(t, r.m.status, "no file is open")
}

func TestWordTypes(t *testing.T) {
	for _, c := range []struct {
		typ  views.WordType
		text string
		bits uint32
	}{
		{views.WordFloat, "1.5", 0x3fc00000}, {views.WordFloat, "-Inf", 0xff800000}, {views.WordInt, "-1", 0xffffffff},
		{views.WordUint, "4294967295", 0xffffffff}, {views.WordHex, "0x0000000a", 10}, {views.WordHex, "ff", 255},
	} {
		w, err := c.typ.Parse(c.text)
		require.NoError(t, err, c.text)
		assert.Equal(t, c.bits, w, c.text)
		back, err := c.typ.Parse(c.typ.Format(w))
		require.NoError(t, err)
		assert.Equal(t, w, back)
	}
	for _, bad := range []string{"", "x", "1e99x"} {
		_, err := views.WordFloat.Parse(bad)
		assert.Error(t, err, bad)
	}
	_, err := views.WordInt.Parse("3000000000")
	assert.Error(t, err)
}

// TestRunEndless: inputs that never end a program give a session all the same: it stops at
// breakpoints, and gives up at the step limit.
func TestRunEndless(t *testing.T) {
	b, err := dxbc.Assemble(`ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps linear v0.xyzw
dcl_output o0.xyzw
dcl_temps 2
mov r0.xyzw, l(0,0,0,0)
loop
  add r0.x, r0.x, |v0.x|
  lt r0.y, l(100000000000000000.000000), r0.x
  breakc_nz r0.y
endloop
mov o0.xyzw, r0.xyzw
ret
`, nil)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "endless.dxbc")
	require.NoError(t, os.WriteFile(path, b, 0o644))
	r, s := runRig(t, path, 120, 40)
	assert.Contains(t, r.m.status, "does not end with these inputs")
	for range 5 {
		r.keys("i")
	}
	assert.Positive(t, s.snap.pos)
	assert.False(t, s.snap.done)
	at := s.snap.pos
	r.keys("B", "c")
	assert.Greater(t, s.snap.pos, at, "to the breakpoint, a round later")
	assert.False(t, s.snap.done)
}
