package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// maxCFGs is how many drawings are kept.
const maxCFGs = 32

// cfgOf is the drawing of a stage's control flow, or what there is until it is made.
func (m *Model) cfgOf(st *stageView) views.Listing {
	if c := m.cfgs[st]; c != nil {
		return c
	}
	if st.dxbc == nil {
		return st.forms[formDXBC]
	}
	return views.Message(views.Span{Role: views.RoleDim, Text: "drawing…"})
}

// wantCFG starts the drawing that a pane on the screen shows, where it is not there yet.
func (m *Model) wantCFG() tea.Cmd {
	st := m.stageNow()
	if st == nil || st.dxbc == nil || m.cfgs[st] != nil || m.cfgJob.on {
		return nil
	}
	shown := false
	for _, p := range m.arr.places {
		shown = shown || code(p.slot) && m.slots[p.slot].form == formCFG
	}
	if !shown {
		return nil
	}
	_, gen := m.cfgJob.next(m.ctx)
	return func() tea.Msg {
		c := views.NewCFG(st.stage.Shader.Program, st.flow())
		return applyMsg(func(m *Model) tea.Cmd {
			if gen != m.cfgJob.gen {
				return nil
			}
			m.cfgJob.on = false
			if len(m.cfgs) >= maxCFGs || m.cfgs == nil {
				m.cfgs = make(map[*stageView]*views.CFG)
			}
			m.cfgs[st] = c
			if st != m.stageNow() {
				return nil
			}
			for i := slotCode; i < len(m.slots); i++ {
				if m.slots[i].form != formCFG {
					continue
				}
				p := m.slots[i].at()
				lit := &m.lit
				if len(lit.Instrs) == 0 {
					lit = &m.cfgLit
				}
				if n := c.Seek(lit, p.line); n >= 0 {
					p.line, p.tok = n, 0
				}
				m.clamp(i)
				m.centre(i)
			}
			m.relight()
			return nil
		})
	}
}
