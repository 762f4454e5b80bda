package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// comfort is the state of what makes a long stay pleasant: pins, slices, folds, ranges
// and lists.
type comfort struct {
	pins     pins
	slice    slice
	bars     [slotCode + maxCode]barMemo
	folds    map[foldKey]*views.Folded
	rang     lineRange
	walked   walkList
	findall  findAllState
	marks    marksState
	prev     previous
	layout   layoutState
	held     border // by the mouse
	heldAt   rect   // where the mouse was
	cfg      *config
	keys     *keymap
	watching bool
	cfgs     map[*stageView]*views.CFG
	cfgJob   job
	cfgLit   views.Selection // what was lit before the drawing was asked for
	watched  string          // the file that is watched
	events   []string        // of the visit, for the crash report
	missed   int             // events that are not kept
	restored bool
	later    *[slotCode + maxCode]slot // cursors to put down when the view arrives
}

// clearFolds is no closed region.
func clearFolds() map[foldKey]*views.Folded { return make(map[foldKey]*views.Folded) }

// foldKey names a listing that can have closed regions.
type foldKey struct {
	st   *stageView
	form form
	raw  rawMode
	at   int // SSA: the phase
}

func (m *Model) foldKeyOf(st *stageView, f form) foldKey {
	k := foldKey{st: st, form: f}
	switch {
	case f == formDXBC:
		k.raw = m.raw
	case f == formSSA && m.phase() != nil:
		k.at = m.phases.at + 1
	}
	return k
}

// unfolded is the whole listing of a form.
func (m *Model) unfolded(st *stageView, f form) views.Listing {
	if f == formSSA {
		if d := m.diffNow(st); d != nil {
			return d
		}
	}
	if v := m.phase(); v != nil && f == formSSA {
		return v.l
	}
	if f == formDXBC {
		return st.dxbcForm(m.raw)
	}
	if f == formCFG {
		return m.cfgOf(st)
	}
	return st.forms[f]
}

// folded is the listing with the regions closed that the user closed.
func (m *Model) folded(st *stageView, f form, l views.Listing) views.Listing {
	if len(m.folds) == 0 {
		return l
	}
	if x := m.folds[m.foldKeyOf(st, f)]; x != nil && views.Unfolded(x) == l {
		return x
	}
	return l
}

// foldable reports whether regions of a form can be closed.
func foldable(f form) bool {
	return f == formDXBC || f == formSSA || f == formWGSL || f == formMixed
}

func (m *Model) whyNoFold() string {
	switch {
	case !code(m.focus) || !foldable(m.slots[m.focus].form):
		return "only DXBC, SSA, WGSL and both interleaved have regions to close"
	case m.stageNow() == nil:
		return "no stage is shown"
	}
	return ""
}

// setFold puts a listing with other folds into the focused pane; the cursor stays on
// inner, a line of the unfolded listing.
func (m *Model) setFold(slot int, x *views.Folded, inner int) {
	st := m.stageNow()
	if st == nil {
		return
	}
	k := m.foldKeyOf(st, m.slots[slot].form)
	was := m.listing(slot)
	old, _ := was.(*views.Folded)
	// Other panes may show the same listing: their cursors stay on their lines.
	at := make(map[int]int)
	for i := slotCode; i < len(m.slots); i++ {
		if m.slots[i].form == m.slots[slot].form {
			line := m.slots[i].at().line
			if old != nil {
				line = old.Inner(line)
			}
			at[i] = line
		}
	}
	at[slot] = inner
	if x == nil || x.Folds() == 0 {
		delete(m.folds, k)
		x = nil
	} else {
		m.folds[k] = x
	}
	for i, line := range at {
		p := m.slots[i].at()
		above := p.line - p.top
		if x != nil {
			line = x.Row(line)
		}
		p.line, p.top = line, max(line-above, 0)
		m.clamp(i)
		m.reveal(i)
	}
	if m.search.form == m.slots[slot].form && code(m.search.slot) {
		m.search.known = false // its hits count other lines now
		m.search.hits = nil
	}
	m.moved()
}

// toggleFold closes the region under the cursor, or opens it.
func (m *Model) toggleFold() tea.Cmd {
	slot := m.focus
	l, p := m.listing(slot), m.slots[slot].at()
	if x, ok := l.(*views.Folded); ok {
		if _, closed := x.Closed(p.line); closed {
			in := x.Inner(p.line)
			m.setFold(slot, x.Open(in), in)
			return m.staleSearch()
		}
	}
	inner := p.line
	if x, ok := l.(*views.Folded); ok {
		inner = x.Inner(p.line)
	}
	whole := views.Unfolded(l)
	head, end, ok := views.Region(whole, inner)
	if !ok {
		m.fail("fold: this line is not inside an if, loop, switch or function")
		return nil
	}
	m.setFold(slot, views.Fold(l, head, end), head)
	return m.staleSearch()
}

// toggleFolds closes every region that is nested in the body, or opens all.
func (m *Model) toggleFolds() tea.Cmd {
	slot := m.focus
	l, p := m.listing(slot), m.slots[slot].at()
	if x, ok := l.(*views.Folded); ok {
		m.setFold(slot, nil, x.Inner(p.line))
		m.say("all regions are open")
		return m.staleSearch()
	}
	form, inner := m.slots[slot].form, p.line
	_, gen := m.seeking.next(m.ctx)
	return func() tea.Msg {
		deeper := 0
		if form == formSSA || form == formWGSL { // the body of the function is a region too, and not meant
			deeper = 2
		}
		x := views.FoldAll(l, deeper)
		return applyMsg(func(m *Model) tea.Cmd {
			if gen != m.seeking.gen || m.listing(slot) != l {
				return nil
			}
			m.seeking.on = false
			if x.Folds() == 0 {
				m.fail("fold-all: nothing is nested here")
				return nil
			}
			m.setFold(slot, x, inner)
			m.say("%d regions are closed; Z opens them", x.Folds())
			return m.staleSearch()
		})
	}
}

// unhide opens the fold of a slot that hides a line of the unfolded listing and returns
// where the line is then.
func (m *Model) unhide(slot, inner int) int {
	x, ok := m.listing(slot).(*views.Folded)
	if !ok {
		return inner
	}
	if x.Inner(x.Row(inner)) != inner {
		m.setFold(slot, x.Open(inner), inner)
		if x, ok = m.listing(slot).(*views.Folded); !ok {
			return inner
		}
	}
	return x.Row(inner)
}

// lineRange is a range of lines that the user selects in a pane.
type lineRange struct {
	on   bool
	slot int
	form form
	from int
	drag bool // by the mouse, while its button is down
}

// chosen returns the selected lines of a slot.
func (m *Model) chosen(slot int) (from, to int, ok bool) {
	r := &m.rang
	if !r.on || r.slot != slot || m.slots[slot].form != r.form {
		return 0, 0, false
	}
	from, to = r.from, m.slots[slot].at().line
	return min(from, to), max(from, to), true
}

func (m *Model) whyNoRange() string {
	if !code(m.focus) {
		return "go to a listing first"
	}
	return ""
}

// toggleRange begins to select lines, or leaves the selection.
func (m *Model) toggleRange() {
	if _, _, ok := m.chosen(m.focus); ok {
		m.dropRange()
		return
	}
	m.rang = lineRange{on: true, slot: m.focus, form: m.slots[m.focus].form, from: m.slots[m.focus].at().line}
	m.say("move to select lines; y copies them, c says what else")
}

func (m *Model) dropRange() {
	m.rang = lineRange{}
	m.say("no lines are selected")
}

// dragged selects lines with the mouse; it reports whether the event was that.
func (m *Model) dragged(msg tea.MouseMsg) bool {
	if m.over != nil || m.screen != nil {
		return false
	}
	switch {
	case msg.Action == tea.MouseActionRelease:
		m.rang.drag = false
		return false
	case msg.Action != tea.MouseActionMotion || msg.Button != tea.MouseButtonLeft || !code(m.focus):
		return false
	}
	i := slices.IndexFunc(m.arr.places, func(p place) bool { return p.slot == m.focus })
	if i < 0 || !m.arr.places[i].rect.contains(msg.X, msg.Y) {
		return true
	}
	line, _, ok := m.lineAt(m.arr.places[i], msg.X, msg.Y)
	p := m.slots[m.focus].at()
	if !ok || line == p.line {
		return true
	}
	if !m.rang.drag {
		m.rang = lineRange{on: true, slot: m.focus, form: m.slots[m.focus].form, from: p.line, drag: true}
	}
	p.line, p.tok = line, 0
	m.moved()
	return true
}

// chosenText is the text of the selected lines, without gutters.
func (m *Model) chosenText() (string, int, bool) {
	from, to, ok := m.chosen(m.focus)
	if !ok {
		return "", 0, false
	}
	return linesText(m.listing(m.focus), from, to), to - from + 1, true
}

// linesText joins lines of a listing as they are copied: no gutters, no bars.
func linesText(l views.Listing, from, to int) string {
	var b []byte
	for i := max(from, 0); i <= min(to, l.Len()-1); i++ {
		b = append(b, l.Text(i)...)
		b = append(b, '\n')
	}
	return string(b)
}

// openFolds opens all regions of a slot's listing.
func (m *Model) openFolds(slot int) {
	if x, ok := m.listing(slot).(*views.Folded); ok {
		m.setFold(slot, nil, x.Inner(m.slots[slot].at().line))
	}
}

// yankHere copies the selected lines, or the cursor's.
func (m *Model) yankHere() tea.Cmd {
	if text, n, ok := m.chosenText(); ok {
		m.rang = lineRange{}
		m.dirty = true
		return m.yank(text, plural(n, "line"))
	}
	return m.yank(m.listing(m.focus).Text(m.slots[m.focus].at().line), "line")
}

// plural is a count of things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// laterSlots keeps the panes' cursors for when there is something for them to stand on:
// until then they would be moved to the first line.
func (m *Model) laterSlots() {
	slots := m.slots
	m.later = &slots
}
