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
	only bool // step over phases that change nothing
	diff bool // show what the phase changed
}

// phaseView is the function after one phase. Its value numbers are its own, so it has
// its own links.
type phaseView struct {
	name   string
	values int
	more   int         // values against the phase before
	diff   *views.Diff // against the phase before; nil for the first one
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
		m.showPhase(m.phases.next(n))
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
			v.diff = views.NewPhaseDiff(out[i-1].l, v.l)
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
	if msg.step == 0 {
		m.openPhases()
		return
	}
	m.showPhase(m.phases.next(msg.step))
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
	l := m.listing(slot)
	if n := l.Seek(&sel, p.line); n >= 0 {
		p.line, p.tok = n, 0
	}
	m.clamp(slot)
	m.centre(slot)
	m.relight()
	v := &m.phases.list[i]
	m.say("SSA after phase %s, %d of %d: %d values (%+d), lines %s", v.name, i+1, len(m.phases.list), v.values, v.more, v.changes())
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
		return fmt.Sprintf("  after %s, %d of %d", v.name, m.phases.at+1, len(m.phases.list)) + m.phases.diffTitle()
	}
	return m.phases.diffTitle()
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

// changes is what a phase changed, in lines.
func (v *phaseView) changes() string {
	if v.diff == nil {
		return "from nothing"
	}
	return fmt.Sprintf("+%d -%d", v.diff.Added, v.diff.Removed)
}

// same reports whether the phase changed nothing.
func (v *phaseView) same() bool { return v.diff != nil && v.diff.Len() == 0 }

// next is the phase n steps on, over those that change nothing where the user asked so.
func (p *phases) next(n int) int {
	at := p.at
	for {
		at += n
		if at <= 0 || at >= len(p.list)-1 || !p.only || !p.list[at].same() {
			return at
		}
	}
}

func (p *phases) diffTitle() string {
	if p.diff && len(p.list) > 0 {
		return "  what it changed"
	}
	return ""
}

// diffNow is the comparison of the shown phase with the one before, where it is asked for.
func (m *Model) diffNow(st *stageView) views.Listing {
	p := &m.phases
	if !p.diff || p.of != st || p.at >= len(p.list) {
		return nil
	}
	d := p.list[p.at].diff
	switch {
	case d == nil:
		return nil
	case d.Len() == 0:
		return views.Message(views.Span{Role: views.RoleDim, Text: "The phase " + p.list[p.at].name + " changed nothing here."})
	}
	return d
}

// openPhases lists the phases with what each changed.
func (m *Model) openPhases() {
	p := &m.phases
	onOff := map[bool]string{true: "on", false: "off"}
	items := []item{
		{key: onOff[p.only], text: "step over phases that change nothing ({ and })", apply: done(func(m *Model) { m.phases.only = !m.phases.only; m.openPhases() })},
		{key: onOff[p.diff], text: "show what a phase changed instead of the whole (&)", apply: func(m *Model) tea.Cmd { return m.togglePhaseDiff() }},
		{head: true, text: "Phases"},
	}
	for i := range p.list {
		v := &p.list[i]
		if p.only && v.same() && i != p.at {
			continue
		}
		it := item{key: fmt.Sprint(i + 1), text: fmt.Sprintf("%-22s %6d values %+6d   lines %s", v.name, v.values, v.more, v.changes()), apply: done(func(m *Model) { m.showPhase(i) })}
		if i == p.at {
			it.note = "shown"
		}
		items = append(items, it)
	}
	m.openList(overList, "SSA phase by phase", items)
	m.over.cur = min(3, len(items)-1)
}

// listPhases opens the list, computing the phases first where they are not known.
func (m *Model) listPhases() tea.Cmd {
	if m.phases.of == m.stageNow() && len(m.phases.list) > 0 {
		m.openPhases()
		return nil
	}
	return m.stepPhase(0)
}

// togglePhaseDiff shows what the phase changed in the SSA pane, or the whole again.
func (m *Model) togglePhaseDiff() tea.Cmd {
	m.phases.diff = !m.phases.diff
	m.dirty = true
	if m.phases.of != m.stageNow() || len(m.phases.list) == 0 {
		return m.stepPhase(-1)
	}
	m.showPhase(m.phases.at)
	return nil
}
