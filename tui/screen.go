package tui

import (
	"math"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// screen is a whole-body view beside Inspect: Graph, Package, Corpus and so on. It lies
// over the panes; head row, panel, status line, key bar, overlays, palette and history
// are the frame's. A screen keeps its state while another one is shown, and until
// another file is opened. Its actions stand in a table of its own (see screenActions),
// with its bit in In; left and right, enter and what else it has are among them.
type screen interface {
	where() where // the bit of its actions, and its identity
	name() string // in the head row

	// show is called when the screen comes up, first and again, after a change of
	// selection elsewhere too; it returns the work that fills it.
	show(m *Model) tea.Cmd
	// stop ends its work. It may be shown again afterwards.
	stop()

	compose(m *Model, c *canvas, body rect)
	panel(m *Model, cols int) (title string, lines []views.Line)
	place(m *Model) string        // left of the status line: what the cursor is on
	status(m *Model) []views.Span // right of it: counts, and what runs
	page(m *Model) int            // rows of a page
	move(m *Model, n int)         // rows; beyond the ends stops there, so that huge numbers reach them
	click(m *Model, x, y int) tea.Cmd
	escape(m *Model) bool // leaves what it can (a filter, running work); false: nothing to leave
	update(m *Model, msg screenMsg) tea.Cmd

	spot() any // a comparable value that goSpot returns to
	goSpot(m *Model, at any)
}

// screenMsg is an answer for a screen, shown or not.
type screenMsg interface{ screen() where }

// screenActions are the tables of the screens, and what changes from one to another.
func screenActions() []action {
	return slices.Concat([]action{
		{ID: "inspect", Keys: []string{"f2", "I"}, In: inEvery, Group: "Screens", Help: "the Inspect screen: code, bindings, diagnostics", Why: (*Model).whyInspect, Do: (*Model).goInspect},
	}, corpusActions(), runActions(), graphActions(), diffActions(), packageActions(), switchesActions(), textActions())
}

// far is more rows than any list has.
const far = math.MaxInt32 / 2

// goScreen shows the screen of a place, made on its first use, and notes the present
// place, so that back returns to it.
func (m *Model) goScreen(w where, mk func() screen) tea.Cmd {
	if m.screen != nil && m.screen.where() == w {
		return nil
	}
	m.record()
	if m.screens == nil {
		m.screens = make(map[where]screen)
	}
	s := m.screens[w]
	if s == nil {
		s = mk()
		m.screens[w] = s
	}
	return m.showScreen(s)
}

// goInspect leaves the screen; back returns to it.
func (m *Model) goInspect() tea.Cmd {
	m.record()
	return m.showScreen(nil)
}

func (m *Model) whyInspect() string {
	switch {
	case m.screen == nil:
		return "it is shown already"
	case m.sess == nil:
		return "no file is open; enter opens one"
	}
	return ""
}

// showScreen brings a screen up; nil is Inspect.
func (m *Model) showScreen(s screen) tea.Cmd {
	m.dirty = true
	was := m.screen
	m.screen = s
	if s == nil {
		if was != nil {
			m.relayout()
		}
		return nil
	}
	return s.show(m)
}

// forgetScreens drops the screens of the file that is closed. The corpus is a folder's, a
// graph one of its own.
func (m *Model) forgetScreens() {
	for w, s := range m.screens {
		if g, ok := s.(*switchesScreen); w != inCorpus && !(ok && g.src != nil) {
			s.stop()
			delete(m.screens, w)
		}
	}
	m.screen = nil
}

// moveToStart puts the cursor on the first line.
func (m *Model) moveToStart() {
	if m.screen != nil {
		m.move(-far)
		return
	}
	m.moveTo(0)
}

// moveToEnd puts the cursor on the last line.
func (m *Model) moveToEnd() {
	if m.screen != nil {
		m.move(far)
		return
	}
	m.moveTo(m.listing(m.focus).Len() - 1)
}

// screenMouse is mouseMsg for what lies over the panes.
func (m *Model) screenMouse(msg tea.MouseMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		m.move(-3)
	case tea.MouseButtonWheelDown:
		m.move(3)
	case tea.MouseButtonLeft:
		m.dirty = true
		return m.screen.click(m, msg.X, msg.Y)
	case tea.MouseButtonBackward:
		return m.goBack()
	case tea.MouseButtonForward:
		return m.goForward()
	}
	return nil
}

// composeScreenHead is the first row of a screen: program, screen and file.
func (m *Model) composeScreenHead(c *canvas) {
	subject := m.fileName()
	if s, ok := m.screen.(interface{ subject() string }); ok {
		subject = s.subject()
	}
	c.put(0, 0, c.w, []views.Span{sp(views.RoleStatus, " fxlens  "), sp(views.RolePaneOn, " "+m.screen.name()+" "),
		sp(views.RoleStatus, "  "+views.Clip(subject, 60))}, 0, sp(views.RoleStatus, ""))
}

// panelNow is the panel of what is shown.
func (m *Model) panelNow(cols int) (string, []views.Line) {
	if m.screen != nil {
		return m.screen.panel(m, cols)
	}
	return m.panel(cols)
}

// statusNow is the right end of the status line of what is shown.
func (m *Model) statusNow() []views.Span {
	if m.screen != nil {
		return m.screen.status(m)
	}
	return m.statusRight()
}
