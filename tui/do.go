package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// What the actions do; see actions.go for their table.

func (m *Model) page() int {
	if m.screen != nil {
		return max(m.screen.page(m), 1)
	}
	return max(m.rows(m.focus)-1, 1)
}

func (m *Model) sideways(n int) {
	p := m.slots[m.focus].at()
	p.left = max(p.left+n, 0)
	m.dirty = true
}

// goSlot focuses a slot of the left side, from wherever.
func (m *Model) goSlot(i int) {
	if m.zoom >= 0 {
		m.zoom = -1
	}
	m.focusOn(i)
}

func (m *Model) toggleZoom() {
	if m.zoom >= 0 {
		m.zoom = -1
	} else {
		m.zoom = m.focus
	}
	m.relayout()
}

// axisHere is the axis that the axes' cursor is on.
func (m *Model) axisHere() (axis, option int) {
	r := m.axes().Ref(m.slots[slotAxes].at().line)
	return int(r.Index), int(r.Sub)
}

func (m *Model) chooseHere() tea.Cmd {
	axis, option := m.axisHere()
	if option < 0 { // the axis itself: list its options
		m.openOptions(axis)
		return nil
	}
	return m.choose(axis, option)
}

// turn changes the axis under the axes' cursor by n options.
func (m *Model) turn(n int) tea.Cmd {
	axis, _ := m.axisHere()
	if axis < 0 || axis >= len(m.sel.choice) {
		return nil
	}
	cmd := m.choose(axis, m.sel.choice[axis]+n)
	m.slots[slotAxes].at().line = m.axes().Row(axis, m.sel.choice[axis])
	m.reveal(slotAxes)
	return cmd
}

func (m *Model) defaults() tea.Cmd {
	m.record()
	return m.setPerm(m.sess.DefaultPermutation())
}

// openHere selects what the tree's cursor is on. A stage opens in the listing.
func (m *Model) openHere() tea.Cmd {
	r := m.tree().Ref(m.slots[slotTree].at().line)
	if r.Kind == views.RefTechnique {
		m.fold(!m.closed[m.memo.nodes[r.Index].TechIndex])
		return nil
	}
	node := m.passOf(int(r.Index))
	if node < 0 {
		m.fail("the technique has no passes")
		return nil
	}
	m.record()
	cmd := m.setStage(node, int(r.Part))
	if m.arr.shape == shapeOne {
		m.focusOn(slotCode)
	} else {
		m.focusOn(m.codeSlot())
	}
	return cmd
}

// fold closes or opens the technique under the tree's cursor.
func (m *Model) fold(closed bool) {
	r := m.tree().Ref(m.slots[slotTree].at().line)
	if r.Index < 0 {
		return
	}
	if m.closed == nil {
		m.closed = make(map[int]bool)
	}
	m.closed[m.memo.nodes[r.Index].TechIndex] = closed
	m.memo.tree = nil
	m.slots[slotTree].at().line = 0
	t := m.tree()
	for i := range t.Len() {
		if q := t.Ref(i); q.Kind == views.RefTechnique && q.Index == r.Index ||
			q.Kind == views.RefTechnique && m.memo.nodes[q.Index].TechIndex == m.memo.nodes[r.Index].TechIndex {
			m.slots[slotTree].at().line = i
			break
		}
	}
	m.reveal(slotTree)
	m.dirty = true
}

func (m *Model) nextStage(n int) tea.Cmd {
	ref, _ := m.ref()
	in, err := m.sess.Input(m.sel.perm, ref)
	if err != nil {
		m.fail("%v", err)
		return nil
	}
	k := len(in.Stages)
	now := m.sel.stage
	if now < 0 || now >= k {
		now = k - 1
	}
	m.record()
	return m.setStage(m.sel.node, ((now+n)%k+k)%k)
}

func (m *Model) nextPass(n int) tea.Cmd {
	k := len(m.passes)
	m.record()
	return m.setStage(((m.sel.node+n)%k+k)%k, -1)
}

// follow goes from a listing's line to its counterpart in the next form that has one,
// and from a diagnostic to its place.
func (m *Model) follow() tea.Cmd {
	i := m.focus
	s := &m.slots[i]
	if s.form == formDiags {
		m.diagAt = s.at().line
		return m.goDiag()
	}
	// The next pane on the screen, or the next of DXBC, SSA, WGSL on a small one.
	if m.arr.shape != shapeOne && m.zoom < 0 {
		c := m.cycle()
		at := 0
		for k, v := range c {
			if v == i {
				at = k
			}
		}
		for k := 1; k < len(c); k++ {
			next := c[(at+k)%len(c)]
			if !code(next) {
				continue
			}
			if n := m.listing(next).Seek(m.litFor(next), m.slots[next].at().line); n >= 0 {
				m.record()
				m.jump(next, n)
				return nil
			}
		}
	} else if st := m.stageNow(); st != nil {
		for _, f := range formsBehind(s.form) {
			l, sel := st.forms[f], &m.lit
			if f == formDXBC {
				l = st.dxbcForm(m.raw)
			}
			if v := m.phase(); v != nil && f == formSSA {
				l, sel = v.l, &m.phases.lit
			}
			n := l.Seek(sel, s.pos[f].line)
			if n < 0 {
				continue
			}
			m.record()
			i = m.slotFor(f)
			m.slots[i].form = f
			m.jump(i, n)
			return nil
		}
	}
	why := "no counterpart in another form"
	_, _, f := m.token()
	if w := m.links.Why(f.Instr); w != "" {
		why += ": " + w
	}
	m.fail("%s", why)
	return nil
}

// formsBehind are the forms that follow looks in, beginning behind f.
func formsBehind(f form) []form {
	switch f {
	case formDXBC:
		return []form{formSSA, formWGSL}
	case formSSA:
		return []form{formWGSL, formDXBC}
	case formWGSL:
		return []form{formDXBC, formSSA}
	}
	return []form{formDXBC, formSSA, formWGSL}
}

// slotFor is the listing pane to show a form in where one is shown at a time: the tab
// that has it, or the focused one.
func (m *Model) slotFor(f form) int {
	i := m.codeSlot()
	if m.slots[i].form == f {
		return i
	}
	for k := slotCode; k < len(m.slots); k++ {
		if m.slots[k].form == f {
			return k
		}
	}
	return i
}

// jump focuses a slot with the cursor on a line.
func (m *Model) jump(slot, line int) {
	p := m.slots[slot].at()
	p.line, p.tok, p.left = line, 0, 0
	m.focusOn(slot)
	m.clamp(slot)
	m.centre(slot)
	m.relight()
	m.dirty = true
}

// soughtMsg is a line that was looked for in the background.
type soughtMsg struct {
	gen       int
	slot      int
	form      form
	line, tok int    // line -1: not found
	say       string // what to tell
}

// seek looks for a line of the focused listing in a command: a long listing takes longer
// than Update may.
func (m *Model) seek(find func(ctx context.Context) soughtMsg) tea.Cmd {
	ctx, gen := m.seeking.next(m.ctx)
	slot, f := m.focus, m.slots[m.focus].form
	return func() tea.Msg {
		msg := find(ctx)
		if ctx.Err() != nil {
			return nil
		}
		msg.gen, msg.slot, msg.form = gen, slot, f
		return msg
	}
}

func (m *Model) sought(msg soughtMsg) {
	if msg.gen != m.seeking.gen || m.slots[msg.slot].form != msg.form {
		return
	}
	m.seeking.on = false
	if msg.line < 0 {
		m.fail("%s", msg.say)
		return
	}
	if msg.line != m.slots[msg.slot].at().line || msg.slot != m.focus {
		m.record()
		m.jump(msg.slot, msg.line)
	}
	if msg.tok > 0 {
		m.slots[msg.slot].at().tok = msg.tok
		m.clamp(msg.slot)
		m.revealTok()
		m.moved()
	}
	if msg.say != "" {
		m.say("%s", msg.say)
	}
}

// walk goes to the next diagnostic of the permutation, from any pane: behind the one that
// the panel shows because the cursor is on its instruction.
func (m *Model) walk(n int) tea.Cmd {
	k := len(m.diags)
	if m.diagAt < 0 && m.slots[m.codeSlot()].form != formDiags {
		m.diagAt = m.diagAtCursor()
	}
	if m.diagAt < 0 && n < 0 {
		m.diagAt = 0
	}
	m.diagAt = ((m.diagAt+n)%k + k) % k
	return m.goDiag()
}

// goDiag goes to the place of diagnostic diagAt.
func (m *Model) goDiag() tea.Cmd {
	m.record()
	return m.goDiagHere()
}

// goDiagHere is goDiag without noting the present place.
func (m *Model) goDiagHere() tea.Cmd {
	d := &m.diags[m.diagAt]
	m.dirty, m.showDiag = true, true
	if m.sess == nil {
		return nil
	}
	node, stage := m.origins[m.diagAt].node, m.origins[m.diagAt].stage
	if node < 0 {
		return nil // of the file as a whole: the panel shows it
	}
	if i := d.At.Index(); i >= 0 {
		m.want = &spot{instr: int32(i), about: d.Text}
	}
	if node == m.sel.node && (stage < 0 || stage == m.shownStage()) && !m.stale && m.view != nil {
		if p := m.want; p != nil {
			m.want = nil
			m.restore(p)
		}
		return nil
	}
	return m.setStage(node, stage)
}

// link is the deep link to the cursor's place.
func (m *Model) link() string {
	ref, ok := m.ref()
	if !ok {
		return m.sess.Name
	}
	i := m.codeSlot()
	f := m.listing(i).Focus(m.slots[i].at().line, m.slots[i].at().tok)
	return m.sess.Link(m.sel.perm, ref, m.stageName(), int(f.Instr)).String()
}

func (m *Model) escape() {
	switch {
	case m.screen != nil:
		if !m.screen.escape(m) {
			m.showScreen(nil)
		}
	case m.job.on:
		m.job.stop()
		m.stale = false
		m.say("stopped")
	case m.findall.job.on:
		m.showFound()
	case m.rang.on:
		m.dropRange()
	case m.search.query != "":
		m.search = search{}
		m.say("search cleared")
	case m.slice.dir != 0:
		m.clearSlice()
	case m.zoom >= 0:
		m.zoom = -1
		m.relayout()
	case m.survey.on:
		m.survey.stop()
		m.say("stopped looking at the other passes")
	}
	m.dirty = true
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	m.dirty = true
	if m.mouse {
		m.say("the mouse works in fxlens")
		return tea.EnableMouseCellMotion
	}
	m.say("the mouse selects text in the terminal")
	return tea.DisableMouse
}

func (m *Model) quit() tea.Cmd {
	for _, s := range m.screens {
		s.stop()
	}
	m.job.stop()
	m.survey.stop()
	m.search.job.stop()
	return tea.Quit
}

// oneLine keeps what is copied on one line.
func oneLine(s string) string { return strings.TrimRight(s, " \r\n") }
