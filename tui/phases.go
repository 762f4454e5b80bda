package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/session"
	"fxlens/views"
)

// phases is the SSA pane's way through the compiler: the function after every phase, for
// one stage. The last phase is what the other panes show too.
type phases struct {
	of   *stageView // whose phases these are
	list []phaseView
	at   int // index into list; the last one is the pane's normal state
	lit  views.Selection
	job  job
}

// phaseView is the function after one phase. Its value numbers are its own, so it has
// its own links.
type phaseView struct {
	name   string
	values int
	more   int // values against the phase before
	l      *views.SSA
	links  *views.Links
}

type phasesMsg struct {
	gen  int
	of   *stageView
	list []phaseView
	step int
	err  error
}

// whyNoPhases says why the SSA cannot be shown phase by phase.
func (m *Model) whyNoPhases() string {
	st := m.stageNow()
	switch {
	case st == nil:
		return "no stage is shown"
	case st.stage.Func == nil:
		return "the stage has no SSA"
	}
	return ""
}

// stepPhase shows the SSA n phases further. The phases are computed when first asked for.
func (m *Model) stepPhase(n int) tea.Cmd {
	st := m.stageNow()
	if m.phases.of == st && len(m.phases.list) > 0 {
		m.showPhase(m.phases.at + n)
		return nil
	}
	ref, ok := m.ref()
	if !ok {
		return nil
	}
	ctx, gen := m.phases.job.next(m.ctx)
	s, perm, stage := m.sess, m.sel.perm, m.shownStage()
	return func() tea.Msg {
		list, err := loadPhases(ctx, s, perm, ref, stage, st)
		return phasesMsg{gen, st, list, n, err}
	}
}

func loadPhases(ctx context.Context, s *session.Session, perm int, ref session.PassRef, stage int, st *stageView) ([]phaseView, error) {
	ps, err := s.Phases(ctx, perm, ref, stage)
	if err != nil {
		return nil, err
	}
	var out []phaseView
	for i, p := range ps {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := phaseView{name: p.Name, values: p.Values, l: views.NewSSA(p.Func, st.stage.Diags), links: views.NewLinks(p.Func, nil, 0)}
		if i > 0 {
			v.more = p.Values - ps[i-1].Values
		}
		out = append(out, v)
	}
	return out, nil
}

func (m *Model) phasesCame(msg phasesMsg) {
	if msg.gen != m.phases.job.gen || msg.of != m.stageNow() {
		return
	}
	m.phases.job.on = false
	if msg.err != nil {
		m.fail("phases: %v", msg.err)
		return
	}
	if len(msg.list) == 0 {
		m.fail("the compiler recorded no phases for this stage")
		return
	}
	m.phases.of, m.phases.list, m.phases.at = msg.of, msg.list, len(msg.list)-1
	m.showPhase(m.phases.at + msg.step)
}

// showPhase shows phase i in an SSA pane, at the same instruction.
func (m *Model) showPhase(i int) {
	i = min(max(i, 0), len(m.phases.list)-1)
	slot := m.slotWith(formSSA)
	m.slots[slot].form = formSSA
	sel := views.NoSelection
	p := m.slots[slot].at()
	if f := m.listing(slot).Focus(p.line, 0); f.Instr >= 0 {
		sel.Instrs = []int32{f.Instr}
	}
	m.phases.at = i
	m.focusOn(slot)
	l := m.phases.list[i].l
	if n := l.Seek(&sel, p.line); n >= 0 {
		p.line, p.tok = n, 0
	}
	m.clamp(slot)
	m.centre(slot)
	m.relight()
	v := &m.phases.list[i]
	m.say("SSA after phase %s, %d of %d: %d values (%+d)", v.name, i+1, len(m.phases.list), v.values, v.more)
}

// phase is the phase that SSA panes show, or nil where they show the last one.
func (m *Model) phase() *phaseView {
	if len(m.phases.list) == 0 || m.phases.of != m.stageNow() || m.phases.at == len(m.phases.list)-1 {
		return nil
	}
	return &m.phases.list[m.phases.at]
}

// phaseTitle says which phase a pane shows.
func (m *Model) phaseTitle() string {
	if v := m.phase(); v != nil {
		return fmt.Sprintf("  after %s, %d of %d", v.name, m.phases.at+1, len(m.phases.list))
	}
	return ""
}

// showsPhase reports whether slot i shows a phase before the last.
func (m *Model) showsPhase(i int) bool {
	return code(i) && m.slots[i].form == formSSA && m.phase() != nil
}

// litFor is the selection in the terms of slot i: an earlier phase numbers its values
// otherwise.
func (m *Model) litFor(i int) *views.Selection {
	if m.showsPhase(i) {
		return &m.phases.lit
	}
	return &m.lit
}

// linksOf are the links in whose terms slot i speaks.
func (m *Model) linksOf(i int) *views.Links {
	if m.showsPhase(i) {
		return m.phase().links
	}
	return m.links
}
