package tui

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/ir"
	"fxlens/core/trial"
)

// TestRunValuesFollow: the SSA values stand beside their lines, follow the steps both ways
// and can be watched, at every size.
func TestRunValuesFollow(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		t.Run(fmt.Sprint(z), func(t *testing.T) {
			r, s := runRig(t, effectFile, z[0], z[1])
			r.keys("tab", "tab", "tab")
			require.Equal(t, runValues, s.pane)
			r.exact()
			assert.Contains(t, r.screen(), "SSA values  as float")
			known := func() (n int) {
				for _, v := range s.snap.values {
					if v.Words != nil {
						n++
					}
				}
				return n
			}
			before := known()
			at := s.row
			var id ir.ValueID = ir.NoValue
			for range 6 {
				if id = s.value(); id >= 0 && s.of.stage.Func.Values[id].Instr == int32(s.snap.next) {
					break
				}
				r.keys("j")
			}
			require.GreaterOrEqual(t, id, ir.ValueID(0), "the cursor is at the next instruction")
			require.Nil(t, s.snap.values[id].Words)
			assert.Contains(t, r.screen(), "▶ ·", "the step stands in the SSA too")
			r.keys("w")
			assert.Contains(t, r.m.status, fmt.Sprintf("c stops where v%d is computed", id))
			r.keys("c")
			assert.Equal(t, "watchpoint", r.m.status)
			require.NotNil(t, s.snap.values[id].Words)
			assert.Greater(t, known(), before)
			assert.GreaterOrEqual(t, s.row, at)
			assert.Contains(t, r.screen(), "◉")
			r.keys("tab")
			assert.Contains(t, r.screen(), "Watched  as float, int, uint, hex")
			assert.Contains(t, r.screen(), fmt.Sprintf("0x%08x", s.snap.values[id].Words[0]))
			r.exact()
			r.keys("0")
			assert.Equal(t, before, known())
			r.keys("shift+tab", ".")
			assert.Equal(t, 1, s.snap.focus)
			r.keys("p")
			assert.Contains(t, r.m.status, "DXBC and SSA compute the same for all 64 invocations")
			r.keys("c", "B")
			assert.Equal(t, "at the beginning", r.m.status)
			assert.NotContains(t, r.screen(), "ended")
		})
	}
}

// TestRunIsWhatTheCommandRuns: the screen shows the inputs that the same set and seed are
// everywhere, and an edited pixel is saved and reopened as it was.
func TestRunIsWhatTheCommandRuns(t *testing.T) {
	r, s := runRig(t, effectFile, 120, 40)
	require.Equal(t, "ps", s.of.stage.Kind.String())
	tr, _, err := s.stage.Inputs(t.Context(), trial.Small, 1)
	require.NoError(t, err)
	assert.Equal(t, tr.Input().Batch.In, s.tr.Input().Batch.In)
	assert.Equal(t, tr.Constants(), s.tr.Constants())

	r.keys(".", ".", "tab")
	require.Equal(t, 2, s.snap.focus)
	s.row = slicesIndex(s.snap.rows, "v")
	for i, l := range s.lanes {
		if s.snap.rowOf[i] == s.row {
			s.comp = int(l.Comp)
			break
		}
	}
	r.keys("e")
	r.m.over.input.SetValue("0.3125")
	r.keys("enter", "c")
	require.True(t, s.snap.done)
	want := s.snap.words
	job := filepath.Join(t.TempDir(), "edit.job")
	r.keys("E")
	r.m.over.input.SetValue(job)
	r.keys("enter")
	require.FileExists(t, job, r.m.status)
	r.keys("s", "L") // other inputs in between
	r.m.over.input.SetValue(job)
	r.keys("enter")
	require.Equal(t, job, s.from, r.m.status)
	r.keys(".", ".", "c")
	assert.Equal(t, want, s.snap.words)
}

// TestRunWithoutWGSL steps a stage that is refused: only what needs the other forms says so.
func TestRunWithoutWGSL(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {220, 60}} {
		r, s := runRig(t, filepath.Join("..", "testdata", "hlsl", "sm51-unbounded.dxbc"), z[0], z[1])
		r.keys("i", "i")
		assert.Positive(t, s.snap.pos)
		assert.Contains(t, r.screen(), "the stage has no WGSL")
		r.keys("p")
		assert.Contains(t, r.m.status, "there is no SSA to compare with")
		r.keys("tab", "tab", "tab")
		r.exact()
	}
	r := newRig(t, openSession(t, filepath.Join("..", "testdata", "hlsl", "stage-domain-stage.dxbc")), 80, 24)
	r.keys("R")
	assert.Contains(t, r.screen(), "a domain program does not run by itself")
}
