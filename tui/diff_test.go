package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// diffRig compares the bundled effect's default with its alpha-tested permutation.
func diffRig(t testing.TB, w, h int) (*rig, *diffScreen) {
	t.Helper()
	r := newRig(t, openSession(t, effectFile), w, h)
	r.do(r.m.showDiff(57, 58))
	s, ok := r.m.screen.(*diffScreen)
	require.True(t, ok)
	require.NotNil(t, s.d)
	r.exact()
	return r, s
}

func TestDiffFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		t.Run(fmt.Sprintf("dxbc-%dx%d", size[0], size[1]), func(t *testing.T) {
			r, _ := diffRig(t, size[0], size[1])
			r.keys("1", "g")
			r.exact()
			golden.RequireEqual(t, []byte(r.screen()+"\n"))
		})
	}
}

func TestDiffScreen(t *testing.T) {
	r, s := diffRig(t, 80, 24)
	assert.Contains(t, r.screen(), "Main/0/ps", "it begins at the inspector's stage")
	assert.Contains(t, r.row(1), "- 57 BLEND_MODE=BLEND_OPAQUE  + 58 BLEND_MODE=BLEND_ALPHATEST", "the title says what each side is")
	assert.Contains(t, r.screen(), "3 differ, 3 equal")
	r.keys("n")
	assert.Contains(t, s.d.Text(s.line), "+   if (albedo.w")
	at := s.line
	r.keys("n", "N")
	assert.Equal(t, at, s.line)
	// Every form; the section stays.
	for k, form := range map[string]string{"1": "dxbc", "2": "ssa", "3": "wgsl", "4": "bindings"} {
		r.keys(k)
		assert.Contains(t, r.row(1), form)
		require.NotNil(t, s.section(), form)
		assert.True(t, strings.HasPrefix(s.section().Name, "Main/0"), "%s: %s", form, s.section().Name)
		r.exact()
	}
	// Enter opens the instruction in the second permutation; back returns to the line.
	r.keys("1", "g", "n")
	line, top := s.line, s.top
	instr := s.d.Focus(line, 0).Instr
	require.GreaterOrEqual(t, instr, int32(0))
	name := s.section().Name
	r.keys("enter")
	require.Nil(t, r.m.screen)
	assert.Equal(t, 58, r.m.sel.perm)
	ref, _ := r.m.ref()
	assert.Equal(t, name, ref.String()+"/"+r.m.stageName())
	assert.Contains(t, r.m.link(), fmt.Sprintf("@%d", instr))
	r.keys("ctrl+o")
	require.Same(t, s, r.m.screen.(*diffScreen))
	assert.Equal(t, [2]int{line, top}, [2]int{s.line, s.top})

	r.keys("x")
	assert.Equal(t, [2]int{58, 57}, [2]int{s.from, s.to})
	assert.Contains(t, r.screen(), "- 58 ")
	r.keys("G", "n")
	assert.Contains(t, r.screen(), "there is no other change")
	r.send(tea.MouseMsg{X: 5, Y: s.view.y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	assert.Equal(t, s.top, s.line)
	r.send(tea.MouseMsg{X: 5, Y: s.view.y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	assert.Nil(t, r.m.screen, "a second click opens")

	// From the inspector: the permutation before the last change of an option.
	r.keys("0", "a", "+", "V")
	s = r.m.screen.(*diffScreen)
	assert.Equal(t, [2]int{57, r.m.sel.perm}, [2]int{s.from, s.to})
	// Esc stops a comparison that runs, and a form begins anew.
	r.hold = true
	r.keys("2", "esc")
	assert.Contains(t, r.screen(), "stopped")
	r.release()
	assert.Nil(t, s.d)
	r.keys("2")
	assert.NotNil(t, s.d)
	r.keys("esc")
	assert.Nil(t, r.m.screen)
}

func TestDiffOfOtherFiles(t *testing.T) {
	r := newRig(t, programSession(t), 80, 24)
	r.keys("V")
	assert.Nil(t, r.m.screen)
	r = newRig(t, openSession(t, effectFile), 80, 24)
	r.keys("V")
	s, ok := r.m.screen.(*diffScreen)
	require.True(t, ok, "without a change before, a neighbour")
	assert.NotEqual(t, s.from, s.to)
}
