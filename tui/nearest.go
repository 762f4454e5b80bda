package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/session"
	"fxlens/views"
)

// nearestMsg is the permutation that a refused pass was looked for in.
type nearestMsg struct {
	report[session.Nearest]
	from int // the refused permutation
}

func (m *Model) whyNoNearest() string {
	if why := m.whyNoAxes(); why != "" {
		return why
	}
	switch _, ok := m.ref(); {
	case !ok:
		return "no pass is selected"
	case m.view == nil || m.view.pass == nil || m.stale:
		return "the pass is being compiled"
	case m.view.pass.Status == compile.Translated:
		return "this pass translates here"
	}
	return ""
}

// goNearest looks for the permutation that differs in the fewest options and in which
// the pass translates.
func (m *Model) goNearest() tea.Cmd {
	ctx, gen := m.seeking.next(m.ctx)
	s, perm := m.sess, m.sel.perm
	ref, _ := m.ref()
	m.say("looking for a permutation that translates…")
	return start(ctx, gen, func(ctx context.Context, see func(session.Nearest)) (session.Nearest, error) {
		return s.Nearest(ctx, perm, ref, see)
	}, func(r report[session.Nearest]) tea.Msg { return nearestMsg{r, perm} })
}

func (m *Model) foundNearest(msg nearestMsg) tea.Cmd {
	if msg.gen != m.seeking.gen {
		return nil
	}
	if !msg.done {
		m.say("looking for a permutation that translates: %d bodies looked at", msg.of.Bodies)
		return msg.next
	}
	m.seeking.on = false
	n := msg.of
	switch {
	case msg.err != nil:
		m.fail("%v", msg.err)
		return nil
	case n.Perm < 0:
		m.fail("no permutation translates this pass: it was looked at in %d bodies", n.Bodies)
		return nil
	}
	i := m.codeSlot()
	m.record()
	cmd := m.setPerm(n.Perm)
	m.cmp.with, m.cmp.base = msg.from, formDXBC
	m.slots[i].form = formChanges
	m.focusOn(i)
	m.clamp(i)
	m.say("%s; ( goes back to the refused one", m.changedOptions(msg.from))
	return cmd
}

// changedOptions says in which options the selected permutation differs from another.
func (m *Model) changedOptions(with int) string {
	s := ""
	for a, o := range m.sess.Effect.Choice(with) {
		if now := m.sel.choice[a]; now != o {
			if s != "" {
				s += ", "
			}
			x := &m.sess.Effect.Axes[a]
			s += fmt.Sprintf("%s %s instead of %s", views.Clip(x.Name, 30), views.Clip(x.Options[now], 30), views.Clip(x.Options[o], 30))
		}
	}
	return s
}
