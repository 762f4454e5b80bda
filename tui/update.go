package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// Update changes the state by one message. Nothing here takes longer than a millisecond.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.note(msg)
	cmd := m.update(msg)
	m.fitPanel()
	if more := m.wantChanges(); more != nil {
		cmd = tea.Batch(cmd, more)
	}
	if s, ok := m.screen.(interface{ pending(m *Model) tea.Cmd }); ok {
		cmd = tea.Batch(cmd, s.pending(m))
	}
	if more := m.wantCFG(); more != nil {
		cmd = tea.Batch(cmd, more)
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(screenMsg); ok {
		s := m.screens[msg.screen()]
		if s == nil {
			return nil
		}
		m.dirty = m.dirty || m.screen == s
		return s.update(m, msg)
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyMsg:
		return m.keyMsg(msg)
	case tea.MouseMsg:
		return m.mouseMsg(msg)
	case openedMsg:
		m.dirty = true
		if msg.err != nil {
			m.openErr = msg.err
			return nil
		}
		m.setSession(msg.s)
		m.relayout()
		cmd := tea.Batch(m.reselect(), m.loadBookmarks(), m.watchCmd())
		m.syncLeft()
		return cmd
	case compiledMsg:
		return m.compiled(msg)
	case surveyedMsg:
		return m.surveyed(msg)
	case slowMsg:
		if msg.gen == m.job.gen && m.job.on {
			m.slow, m.dirty = true, true
		}
	case foundMsg:
		m.found(msg)
	case recountMsg:
		if msg.gen == m.search.job.gen {
			m.search.job.on = false
			m.search.hits, m.search.known, m.dirty = msg.hits, true, true
		}
	case applyMsg:
		m.dirty = true
		return msg(m)
	case shotMsg:
		m.shot(msg)
	case comparedMsg:
		m.compared(msg)
	case soughtMsg:
		m.sought(msg)
	case phasesMsg:
		m.phasesCame(msg)
	case filteredMsg:
		return m.filtered(msg)
	case gainMsg:
		return m.gained(msg)
	case sidecarMsg:
		return m.keptSidecar(msg)
	case censusMsg:
		return m.counted(msg)
	case nearestMsg:
		return m.foundNearest(msg)
	case excerptMsg:
		return m.excerpted(msg)
	case yankedMsg:
		m.yanked(msg)
	case plannedMsg:
		return m.planned(msg)
	case planSlowMsg:
		if msg.gen == m.plan.job.gen && m.plan.job.on {
			m.plan.slow, m.dirty = true, true
		}
	case lookedMsg, writtenMsg:
		return m.exportMsg(msg)
	case visitMsg:
		return m.visited(msg)
	}
	return nil
}

// compiled takes the pass that the selection waits for.
func (m *Model) compiled(msg compiledMsg) tea.Cmd {
	if msg.gen != m.job.gen {
		if msg.view != nil {
			m.remember(msg.key, msg.view) // of no use now, and perhaps later
		}
		return nil
	}
	m.job.on, m.slow, m.stale = false, false, false
	m.dirty = true
	if msg.err != nil {
		m.fail("stopped: %v", msg.err)
		return nil
	}
	m.remember(msg.key, msg.view)
	m.show(msg.view)
	m.syncLeft()
	return tea.Batch(m.wanted(), m.surveyCmd(), m.staleSearch(), m.findCmd())
}

// surveyed takes a pass that was looked at in the background, and goes on.
func (m *Model) surveyed(msg surveyedMsg) tea.Cmd {
	m.remember(msg.key, msg.view)
	if msg.gen != m.survey.gen {
		return nil
	}
	for i := range m.passes {
		if k, ok := m.key(m.sel.perm, i); ok && k == msg.key {
			m.collectDiags()
			m.dirty = true
		}
	}
	if len(msg.rest) == 0 {
		m.survey.stop()
		m.dirty = true
		return nil
	}
	ctx, gen := m.survey.next(m.ctx)
	return surveyStep(ctx, gen, m.sess, msg.rest)
}

// keyMsg handles keys: those of an overlay first, then the table of actions.
func (m *Model) keyMsg(msg tea.KeyMsg) tea.Cmd {
	if m.drop.drop(msg) {
		return nil
	}
	if m.over != nil && m.over.typing() {
		return m.overKey(msg)
	}
	var cmds []tea.Cmd
	for _, k := range split(msg) {
		if m.over != nil {
			cmds = append(cmds, m.overKey(k))
			continue
		}
		if m.status != "" {
			m.status, m.dirty = "", true
		}
		if m.arr.shape == shapeNone && keyName(k) != "q" && keyName(k) != "ctrl+c" {
			continue
		}
		if a := m.keys.find(m.context(), keyName(k)); a != nil {
			cmds = append(cmds, m.run(a))
		}
	}
	return tea.Batch(cmds...)
}

// mouseMsg handles clicks and the wheel; motion changes nothing.
func (m *Model) mouseMsg(msg tea.MouseMsg) tea.Cmd {
	if m.borderDragged(msg) || m.dragged(msg) || msg.Action != tea.MouseActionPress || m.arr.shape == shapeNone {
		return nil
	}
	if m.over != nil {
		return m.overMouse(msg)
	}
	if m.screen != nil {
		return m.screenMouse(msg)
	}
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		m.wheel(msg, -3)
	case tea.MouseButtonWheelDown:
		m.wheel(msg, 3)
	case tea.MouseButtonLeft:
		return m.click(msg.X, msg.Y)
	case tea.MouseButtonBackward:
		return m.goBack()
	case tea.MouseButtonForward:
		return m.goForward()
	}
	return nil
}

// wheel scrolls the pane under the mouse; its cursor stays inside the window.
func (m *Model) wheel(msg tea.MouseMsg, n int) {
	for _, p := range m.arr.places {
		if !p.rect.contains(msg.X, msg.Y) {
			continue
		}
		s := m.slots[p.slot].at()
		rows := m.rows(p.slot)
		top := min(max(s.top+n, 0), max(m.listing(p.slot).Len()-rows, 0))
		if top == s.top {
			return
		}
		s.top = top
		line := min(max(s.line, top), top+rows-1)
		m.dirty = true
		if line != s.line {
			s.line, s.tok = line, 0
			if p.slot == m.focus {
				m.moved()
			}
		}
	}
}

// click focuses the pane under the mouse and puts its cursor there. A second click on an
// option or a tree row selects it, as enter does.
func (m *Model) click(x, y int) tea.Cmd {
	for _, t := range m.tabs {
		if y == 0 && x >= t.from && x < t.to {
			m.focusOn(t.slot)
			return nil
		}
	}
	for _, p := range m.arr.places {
		if !p.rect.contains(x, y) {
			continue
		}
		if m.clickBar(p, x, y) {
			return nil
		}
		was := m.focus
		if was != p.slot {
			m.focusOn(p.slot)
		}
		line, tok, ok := m.lineAt(p, x, y)
		if !ok {
			return nil
		}
		s := m.slots[p.slot].at()
		again := was == p.slot && s.line == line && s.tok == tok
		s.line, s.tok = line, tok
		m.clamp(p.slot)
		m.moved()
		switch {
		case p.slot == slotAxes:
			if m.axes().Ref(line).Kind == views.RefOption || again {
				return m.chooseHere()
			}
		case p.slot == slotTree:
			return m.clickTree(again)
		case again && m.slots[p.slot].form == formDiags:
			return m.follow()
		}
		return nil
	}
	return nil
}

// clickTree selects the row's pass or stage and leaves the keyboard in the tree.
func (m *Model) clickTree(again bool) tea.Cmd {
	r := m.tree().Ref(m.slots[slotTree].at().line)
	if again || r.Kind == views.RefTechnique {
		return m.openHere()
	}
	node := m.passOf(int(r.Index))
	if node < 0 {
		return nil
	}
	m.record()
	return m.setStage(node, int(r.Part))
}

// lineAt returns the line and token of a pane's listing at a cell.
func (m *Model) lineAt(p place, x, y int) (line, tok int, ok bool) {
	row := y - p.rect.y - 1
	if row < 0 {
		return 0, 0, false
	}
	s := m.slots[p.slot].at()
	l := m.listing(p.slot)
	cols := m.textCols(p.slot, l)
	lines := l.Lines(views.Window{First: s.top, Rows: p.rect.h - 1, Cols: cols}, nil)
	at := 0
	for k := range lines {
		parts := []views.Line{lines[k]}
		if m.wrap && code(p.slot) {
			parts = views.Wrap(lines[k], cols, views.Indent(&lines[k])+4)
		}
		for _, part := range parts {
			if at != row {
				at++
				continue
			}
			cell := x - p.rect.x - gutterWidth(p.slot, l)
			if !m.wrap {
				cell += s.left
			}
			for _, sp := range part.Spans {
				w := views.Width(views.Text(sp.Text))
				if cell >= 0 && cell < w {
					return s.top + k, int(sp.Tok), true
				}
				cell -= w
			}
			return s.top + k, 0, true
		}
	}
	return 0, 0, false
}
