package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// describe is a place of the history as text: where it is and what stood there.
func (m *Model) describe(p *spot) string {
	var b strings.Builder
	if p.screen != 0 {
		if s := m.screens[p.screen]; s != nil {
			return s.name() + " screen"
		}
	}
	if p.perm != m.sel.perm && m.sess.Effect != nil {
		e := m.sess.Effect
		for i, o := range e.Choice(p.perm) {
			if o != m.sel.choice[i] {
				b.WriteString(views.Clip(e.Axes[i].Options[o], 24) + " ")
			}
		}
	}
	if passes, err := m.sess.Passes(p.perm); err == nil && p.node >= 0 && p.node < len(passes) {
		b.WriteString(passes[p.node].String())
		if in, err := m.sess.Input(p.perm, passes[p.node]); err == nil && p.stage >= 0 && p.stage < len(in.Stages) {
			b.WriteString("/" + in.Stages[p.stage].Kind.String())
		}
	}
	if int(p.form) < len(formNames) {
		b.WriteString("  " + formNames[p.form])
	}
	fmt.Fprintf(&b, " line %d", p.pos.line+1)
	if p.text != "" {
		b.WriteString("  " + p.text)
	}
	return b.String()
}

func (m *Model) whyNoHistory() string {
	if len(m.hist.back)+len(m.hist.forward) == 0 {
		return "you have not jumped anywhere yet"
	}
	return ""
}

// openHistory lists the way that the user went, the latest first; choosing a place goes
// there as back or forward do.
func (m *Model) openHistory() {
	var items []item
	nf, nb := len(m.hist.forward), len(m.hist.back)
	for i := range m.hist.forward { // the farthest ahead first
		n := nf - i
		items = append(items, item{key: fmt.Sprintf("+%d", n), text: m.describe(&m.hist.forward[i]),
			apply: func(m *Model) tea.Cmd { return m.travelBy(n) }})
	}
	now := m.here()
	items = append(items, item{key: "here", text: m.describe(&now), apply: func(*Model) tea.Cmd { return nil }})
	for i := nb - 1; i >= 0; i-- {
		n := nb - i
		items = append(items, item{key: fmt.Sprintf("-%d", n), text: m.describe(&m.hist.back[i]),
			apply: func(m *Model) tea.Cmd { return m.travelBy(-n) }})
	}
	m.openList(overList, "History", items)
	m.over.cur = min(nf+1, len(items)-1)
}

// travelBy goes n places forward, or back where n is negative.
func (m *Model) travelBy(n int) tea.Cmd {
	var cmd tea.Cmd
	for ; n > 0; n-- {
		cmd = tea.Batch(cmd, m.goForward())
	}
	for ; n < 0; n++ {
		cmd = tea.Batch(cmd, m.goBack())
	}
	return cmd
}
