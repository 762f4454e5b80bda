package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/session"
	"fxlens/views"
)

// comparison is what a Changes pane shows: the stage as it is against the stage of
// another permutation, by default the one before the last change of an option.
type comparison struct {
	with int  // the other permutation, or -1
	base form // the form that is compared

	of    changesKey // what listing is of
	l     views.Listing
	title string
	job   job
}

// changesKey tells whether a comparison is still the one that is wanted.
type changesKey struct {
	with int
	base form
	view *passView
	st   *stageView
}

type comparedMsg struct {
	gen   int
	of    changesKey
	l     views.Listing
	title string
}

// showChanges opens the pane of changes; pressed again, it compares the next form.
func (m *Model) showChanges() tea.Cmd {
	if code(m.focus) && m.slots[m.focus].form == formChanges {
		switch m.cmp.base {
		case formWGSL:
			m.cmp.base = formDXBC
		case formDXBC:
			m.cmp.base = formSSA
		default:
			m.cmp.base = formWGSL
		}
		m.dirty = true
		return nil // the comparison follows from the state
	}
	return m.setForm(formChanges)
}

// wantChanges starts the comparison that a pane on the screen shows, where it is not
// there yet.
func (m *Model) wantChanges() tea.Cmd {
	shown := false
	for _, p := range m.arr.places {
		shown = shown || code(p.slot) && m.slots[p.slot].form == formChanges
	}
	st := m.stageNow()
	if !shown || st == nil || m.stale || m.cmp.with == -1 || m.sess == nil || m.sess.Effect == nil && m.cmp.with != withPrevious {
		return nil
	}
	key := changesKey{m.cmp.with, m.cmp.base, m.view, st}
	if m.cmp.of == key {
		return nil
	}
	m.cmp.of, m.cmp.l = key, nil
	ref, ok := m.ref()
	if !ok {
		return nil
	}
	ctx, gen := m.cmp.job.next(m.ctx)
	s := m.sess
	if key.with == withPrevious {
		return m.compareWithPrevious(ctx, gen, key)
	}
	old := m.cache[unitKey{s.Effect.BodyOf(key.with), ref.TechIndex, ref.Pass, m.settings.epoch}]
	from, to := m.choiceDiff(key.with)
	return func() tea.Msg {
		l, title := compare(ctx, s, ref, old, key)
		if ctx.Err() != nil {
			return nil
		}
		return comparedMsg{gen, key, l, from + " → " + to + title}
	}
}

// choiceDiff names the options in which the other permutation and this one differ.
func (m *Model) choiceDiff(with int) (from, to string) {
	e := m.sess.Effect
	for i, o := range e.Choice(with) {
		if now := m.sel.choice[i]; now != o {
			if from != "" {
				from, to = from+" ", to+" "
			}
			from += views.Clip(e.Axes[i].Options[o], 24)
			to += views.Clip(e.Axes[i].Options[now], 24)
		}
	}
	if from == "" {
		return "the same", "permutation"
	}
	return from, to
}

// compare makes the listing of changes. Where there is nothing to compare it says why.
func compare(ctx context.Context, s *session.Session, ref session.PassRef, old *passView, key changesKey) (views.Listing, string) {
	if old == nil {
		var err error
		if old, err = compilePass(ctx, s, key.with, ref); err != nil {
			return views.Message(views.Span{Role: views.RoleRefused, Text: "✗ " + err.Error()}), ""
		}
	}
	var other *stageView
	for _, st := range old.stages {
		if st.stage.Kind == key.st.stage.Kind {
			other = st
		}
	}
	switch {
	case old.err != "":
		return views.Message(views.Span{Role: views.RoleRefused, Text: "✗ the other permutation's pass: " + old.err}), ""
	case other == nil:
		return views.Message(views.Span{Role: views.RoleDim, Text: "The other permutation's pass has no such stage."}), ""
	case other == key.st || other.forms[key.base] == key.st.forms[key.base]:
		return views.Message(views.Span{Role: views.RoleOK, Text: "✓ the stage is the same: both permutations share it"}), ""
	case key.base == formWGSL && (other.stage.Status != compile.Translated || key.st.stage.Status != compile.Translated):
		return views.Message(views.Span{Role: views.RoleWarning, Text: "▲ one of the two has no WGSL; press 8 to compare the DXBC"}), ""
	}
	d := views.NewDiff(other.forms[key.base], key.st.forms[key.base])
	if d.Len() == 0 {
		return views.Message(views.Span{Role: views.RoleOK, Text: "✓ no change in " + formNames[key.base]}), ""
	}
	return d, fmt.Sprintf("  +%d -%d", d.Added, d.Removed)
}

func (m *Model) compared(msg comparedMsg) {
	if msg.gen != m.cmp.job.gen || msg.of != m.cmp.of {
		return
	}
	m.cmp.job.on = false
	m.cmp.l, m.cmp.title = msg.l, msg.title
	m.dirty = true
	for i := slotCode; i < len(m.slots); i++ {
		if m.slots[i].form == formChanges {
			if p := m.slots[i].at(); p.line == 0 {
				p.line = max(nextHunk(msg.l, -1, 1), 0)
			}
			m.clamp(i)
			m.reveal(i)
		}
	}
}

// changes is the listing of a Changes pane.
func (m *Model) changes() views.Listing {
	switch {
	case m.sess == nil || m.sess.Effect == nil && m.cmp.with != withPrevious:
		return views.Message(views.Span{Role: views.RoleDim, Text: "A bare program has one permutation: there is nothing to compare it with."})
	case m.cmp.with == -1:
		return views.Message(views.Span{Role: views.RoleDim, Text: "Change an option: what it changes shows here."})
	case m.cmp.l == nil:
		return views.Message(views.Span{Role: views.RoleDim, Text: "comparing…"})
	}
	return m.cmp.l
}

// nextHunk is the first line of the next run of changes behind line, or before it where n
// is negative, around the ends; -1 where nothing changed.
func nextHunk(l views.Listing, line, n int) int {
	var heads []int
	last := -2
	for _, k := range views.MarksOf(l) {
		if k.Line != last+1 {
			heads = append(heads, k.Line)
		}
		last = k.Line
	}
	if len(heads) == 0 {
		return -1
	}
	if n > 0 {
		for _, h := range heads {
			if h > line {
				return h
			}
		}
		return heads[0]
	}
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i] < line {
			return heads[i]
		}
	}
	return heads[len(heads)-1]
}
