package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// spot is a place to return to: selection, pane, cursor and scroll position.
type spot struct {
	perm, node, stage int
	slot              int
	form              form
	raw               rawMode
	pos               position
	instr             int32  // with slot < 0 or unset: only go to this instruction
	about             string // with instr: the register that stands in this text gets the cursor
	full              bool
	screen            where  // the screen that lies over the panes, or 0
	at                any    // a comparable value of that screen's own: where it was
	text              string // what stood there, for the list
	soft              bool   // instr: in the pane and form that are shown
}

// history is the way that the user went.
type history struct {
	back, forward []spot
}

const maxHistory = 200

// here is the present place.
func (m *Model) here() spot {
	i := m.codeSlot()
	s := &m.slots[i]
	p := spot{perm: m.sel.perm, node: m.sel.node, stage: m.shownStage(), slot: i, form: s.form, raw: m.raw, pos: *s.at(), instr: -1, full: true, text: clipNote(m.listing(i).Text(s.at().line))}
	if m.screen != nil {
		p.screen, p.at = m.screen.where(), m.screen.spot()
	}
	return p
}

// record notes the present place before a jump; the way forward ends here.
func (m *Model) record() {
	m.recordAt(*m.slots[m.codeSlot()].at())
}

// recordAt is record for a jump that has happened already, from pos.
func (m *Model) recordAt(pos position) {
	if m.sess == nil && m.opt.Graph == nil {
		return
	}
	h := m.here()
	if h.slot == m.focus {
		h.pos = pos
	}
	if n := len(m.hist.back); n > 0 && m.hist.back[n-1] == h {
		return
	}
	m.hist.back = append(m.hist.back, h)
	if len(m.hist.back) > maxHistory {
		m.hist.back = m.hist.back[1:]
	}
	m.hist.forward = nil
}

// goBack returns to the place before the last jump, goForward undoes that.
func (m *Model) goBack() tea.Cmd { return m.travel(&m.hist.back, &m.hist.forward) }

func (m *Model) goForward() tea.Cmd { return m.travel(&m.hist.forward, &m.hist.back) }

func (m *Model) travel(from, to *[]spot) tea.Cmd {
	n := len(*from)
	if n == 0 {
		return nil
	}
	p := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, m.here())
	return m.goPlace(p)
}

// goPlace selects a place; its cursor is put down when its pass is there.
func (m *Model) goPlace(p spot) tea.Cmd {
	var over tea.Cmd
	if s := m.screens[p.screen]; p.screen != 0 && s != nil {
		over = m.showScreen(s)
		s.goSpot(m, p.at)
		if p.screen == inCorpus || m.sess == nil { // it does not depend on what is selected in a file
			return over
		}
	} else {
		m.showScreen(nil)
	}
	if p.perm != m.sel.perm {
		m.sel.perm = p.perm
		m.loadPerm()
	}
	m.sel.node, m.sel.stage = p.node, p.stage
	m.want = &p
	cmd := m.reselect()
	m.syncLeft()
	return tea.Batch(over, cmd)
}

// restore puts the cursor on p in the view that is shown.
func (m *Model) restore(p *spot) {
	if p.full {
		m.setRaw(p.raw)
		m.slots[p.slot].form = p.form
		*m.slots[p.slot].at() = p.pos
		m.focusOn(p.slot)
		m.clamp(p.slot)
		m.relight()
		return
	}
	st := m.stageNow()
	if st == nil || st.dxbc == nil || p.instr < 0 {
		return
	}
	if p.soft {
		m.restoreSoft(p)
		return
	}
	i := m.slotWith(formDXBC)
	m.slots[i].form = formDXBC
	pos := m.slots[i].at()
	line := max(st.dxbc.Row(p.instr), 0)
	tok := 0
	if p.about != "" {
		tok = st.dxbc.TokenOf(line, p.about)
	}
	if t := st.raw[m.raw]; t != nil {
		line = max(t.Row(line), 0)
	}
	pos.line, pos.tok = m.unhide(i, line), tok
	m.focusOn(i)
	m.centre(i)
	m.relight()
}

// slotWith returns a listing pane on the screen that shows a form, or the one to use.
func (m *Model) slotWith(f form) int {
	for _, p := range m.arr.places {
		if code(p.slot) && m.slots[p.slot].form == f {
			return p.slot
		}
	}
	if m.arr.shape == shapeOne || m.zoom >= 0 {
		for i := slotCode; i < len(m.slots); i++ {
			if m.slots[i].form == f {
				return i
			}
		}
	}
	return m.codeSlot()
}
