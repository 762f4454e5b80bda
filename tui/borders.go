package tui

import tea "github.com/charmbracelet/bubbletea"

// border is what the mouse holds of the division of the screen.
type border uint8

const (
	borderNone  border = iota
	borderLeft         // between the left side and the listings
	borderSplit        // between listings side by side
	borderDrop         // between listings one above the other: the lower one's title
)

// borderAt returns the border at a cell. Those of panes the mouse moves and a key does
// too: the ratios are the same, and kept with the rest of the layout.
func (m *Model) borderAt(x, y int) border {
	if m.zoom >= 0 || m.arr.shape == shapeOne || m.arr.shape == shapeNone {
		return borderNone
	}
	body := m.arr.chrome.body
	left := m.arr.places[0].rect.w // of axes and tree
	for _, p := range m.arr.places {
		switch r := p.rect; {
		case !code(p.slot) || y < r.y || y >= r.y+r.h:
		case x == r.x-1 && x == left:
			return borderLeft
		case x == r.x-1:
			return borderSplit
		case y == r.y && r.y > body.y && x >= r.x && x < r.x+r.w && !(m.layout.Panes == maxCode && m.other):
			return borderDrop // four rows are always of one height
		}
	}
	return borderNone
}

// borderDragged moves the border that the mouse holds; it reports whether the event was
// that. A press on a title still goes to its pane.
func (m *Model) borderDragged(msg tea.MouseMsg) bool {
	if m.over != nil || m.screen != nil {
		m.held = borderNone
		return false
	}
	switch msg.Action {
	case tea.MouseActionPress:
		m.held = borderNone
		if msg.Button == tea.MouseButtonLeft {
			m.held, m.heldAt = m.borderAt(msg.X, msg.Y), rect{x: msg.X, y: msg.Y}
		}
		return m.held == borderLeft || m.held == borderSplit
	case tea.MouseActionRelease:
		m.held = borderNone
		return false
	}
	if m.held == borderNone || msg.Button != tea.MouseButtonLeft {
		return false
	}
	was, body := m.layout, m.arr.chrome.body
	right := body.w - m.arr.places[0].rect.w - 1
	switch m.held {
	case borderLeft:
		m.layout.Left += msg.X - m.heldAt.x
	case borderSplit:
		m.layout.Split += hundredths(msg.X-m.heldAt.x, right)
	case borderDrop:
		m.layout.Drop += hundredths(msg.Y-m.heldAt.y, body.h)
	}
	m.layout = m.layout.sane()
	if m.layout != was {
		m.relayout()
		m.heldAt = rect{x: msg.X, y: msg.Y}
	}
	return true
}

// hundredths is n cells of a length in hundredths, rounded away from zero so that a cell
// moves the border.
func hundredths(n, of int) int {
	if of <= 0 {
		return 0
	}
	if n < 0 {
		return -hundredths(-n, of)
	}
	return (n*100 + of - 1) / of
}
