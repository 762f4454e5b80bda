package tui

import (
	"fmt"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"

	"fxlens/views"
)

// listScreen is the least screen: a list of numbers.
type listScreen struct{ at, shown, told, stopped int }

type toldMsg struct{}

func (toldMsg) screen() where { return inSwitches }

func (l *listScreen) where() where           { return inSwitches }
func (l *listScreen) name() string           { return "List" }
func (l *listScreen) show(*Model) tea.Cmd    { l.shown++; return nil }
func (l *listScreen) stop()                  { l.stopped++ }
func (l *listScreen) page(*Model) int        { return 10 }
func (l *listScreen) move(_ *Model, n int)   { l.at = min(max(l.at+n, 0), 99) }
func (l *listScreen) escape(*Model) bool     { return false }
func (l *listScreen) spot() any              { return l.at }
func (l *listScreen) goSpot(_ *Model, a any) { l.at = a.(int) }
func (l *listScreen) place(*Model) string    { return fmt.Sprintf("row %d", l.at) }
func (l *listScreen) status(*Model) []views.Span {
	return []views.Span{sp(views.RoleStatus, "100 rows ")}
}
func (l *listScreen) panel(*Model, int) (string, []views.Line) {
	return "row", []views.Line{views.Say(views.RoleText, "of a list")}
}
func (l *listScreen) update(*Model, screenMsg) tea.Cmd { l.told++; return nil }
func (l *listScreen) click(_ *Model, _, y int) tea.Cmd { l.at = y - 1; return nil }
func (l *listScreen) compose(_ *Model, c *canvas, b rect) {
	for y := range b.h {
		c.put(b.x, b.y+y, b.w, []views.Span{sp(views.RoleText, fmt.Sprintf("number %d", y))}, 0, blank)
	}
}

func TestScreensShareTheFrame(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		r := newRig(t, openSession(t, effectFile), size[0], size[1])
		l := &listScreen{}
		r.do(r.m.goScreen(inSwitches, func() screen { return l }))
		r.exact()
		assert.Contains(t, r.m.View(), "number 3")
		assert.Contains(t, r.m.View(), "row 0")
		r.keys("G")
		assert.Equal(t, 99, l.at)
		r.keys("g", "j", "pgdown", "j", "a")
		assert.Equal(t, 12, l.at, "a key that the screen does not have does nothing")
		r.do(r.m.update(toldMsg{}))
		assert.Equal(t, 1, l.told)

		r.keys("I")
		assert.Nil(t, r.m.screen)
		l.at = 50
		r.keys("ctrl+o")
		assert.Same(t, screen(l), r.m.screen, "back returns to the screen")
		assert.Equal(t, 12, l.at, "and to its row")
		r.keys("esc")
		assert.Nil(t, r.m.screen, "escape leaves a screen that has nothing to leave itself")
		r.m.forgetScreens()
		assert.Equal(t, 1, l.stopped)
	}
}
