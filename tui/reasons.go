package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/diag"
	"fxlens/core/session"
	"fxlens/views"
)

// reasons is the ranked list of why stages are refused, over all permutations. It is
// there at once and grows while the passes are looked at.
type reasons struct {
	job    job
	sess   *session.Session // that it is of
	census session.Census
	done   bool
	err    error
	rows   []session.Reason // in the order of the overlay's items
	eager  bool             // enter was pressed before there was a reason
	want   *diag.Diag       // to walk to when the view arrives
}

type censusMsg struct{ report[session.Census] }

// reasonsID marks the overlay.
const reasonsID = "reasons"

func (m *Model) whyNoReasons() string {
	switch {
	case m.sess == nil:
		return "no file is open"
	case len(m.passes) == 0:
		return "there are no passes to look at"
	}
	return ""
}

// openReasons lists the reasons, those that block the most first.
func (m *Model) openReasons() tea.Cmd {
	m.openList(overList, "", nil)
	m.over.id = reasonsID
	m.over.foot = (*Model).reasonLines
	r := &m.reasons
	r.eager = false
	if r.sess == m.sess && (r.done || r.job.on) && r.err == nil {
		m.fillReasons()
		return nil
	}
	ctx, gen := r.job.next(m.ctx)
	*r = reasons{job: r.job, sess: m.sess}
	m.fillReasons()
	s, perm := m.sess, m.sel.perm
	return start(ctx, gen, func(ctx context.Context, see func(session.Census)) (session.Census, error) {
		return s.Census(ctx, perm, see)
	}, func(r report[session.Census]) tea.Msg { return censusMsg{r} })
}

func (m *Model) counted(msg censusMsg) tea.Cmd {
	r := &m.reasons
	if msg.gen != r.job.gen {
		return nil
	}
	r.census, r.err, r.done = msg.of, msg.err, msg.done
	if msg.done {
		r.job.on = false
	}
	if m.over != nil && m.over.id == reasonsID {
		m.fillReasons()
		if o := m.over; r.eager && len(o.shown) > 0 {
			r.eager, m.over = false, nil
			return tea.Batch(m.applyItem(o), msg.next)
		}
	}
	return msg.next
}

// fillReasons makes the list anew. A cursor that was moved stays on its reason.
func (m *Model) fillReasons() {
	o, r := m.over, &m.reasons
	var on *session.Reason
	if o.cur > 0 && o.cur < len(o.shown) && o.shown[o.cur] < len(r.rows) {
		on = &r.rows[o.shown[o.cur]]
	}
	r.rows = r.census.Reasons
	o.title = "Why refused (stages / permutations)"
	switch {
	case r.err != nil:
		o.title += ", stopped:"
	case !r.done:
		o.title += fmt.Sprintf(", %d of %d passes:", r.census.Done, r.census.Total)
	default:
		o.title += ", " + plural(r.census.Stages, "stage") + ":"
	}
	o.items = o.items[:0:0]
	for i := range r.rows {
		x := &r.rows[i]
		key := fmt.Sprintf("%3d /%3d", x.Stages, x.Permutations)
		note := ""
		if x.Settable {
			note = "r"
		}
		o.items = append(o.items, item{key: key, text: views.Text(x.Text), note: note,
			apply: func(m *Model) tea.Cmd { return m.goReason(x) }})
	}
	o.shown = match(m.ctx, o.kind, o.items, o.input.Value())
	o.cur = min(o.cur, max(len(o.shown)-1, 0))
	for k, i := range o.shown {
		if on != nil && r.rows[i].Code == on.Code && r.rows[i].Text == on.Text {
			o.cur = k
		}
	}
	m.dirty = true
}

// reasonLines is about the reason under the cursor.
func (m *Model) reasonLines(cols int) []views.Line {
	o, r := m.over, &m.reasons
	if len(o.shown) == 0 {
		switch {
		case r.err != nil:
			return []views.Line{views.Say(views.RoleRefused, "✗ "+views.Clip(r.err.Error(), cols-2))}
		case r.done && len(r.rows) == 0:
			return []views.Line{views.Say(views.RoleOK, "✓ every stage of every permutation is translated")}
		}
		return nil
	}
	x := &r.rows[o.shown[o.cur]]
	remedy := x.Remedy
	if remedy == "" || remedy == "none" {
		remedy = "none: nothing that you can set or supply changes this"
	}
	out := []views.Line{{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleRefused, string(x.Code)), sp(views.RoleLink, "  "+views.Clip(placeText(x.First.At), cols-len(x.Code)-2))}}}
	out = append(out, views.Say(views.RoleText, views.Clip(x.Text, cols)))
	out = append(out, views.WrapWords(views.Line{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "remedy  "), sp(views.RoleText, views.Text(remedy))}}, cols, 8)...)
	return out
}

// placeText is a place with the options of its permutation behind it.
func placeText(at diag.Loc) string {
	in := at.Permutation
	at.Permutation = ""
	s := strings.TrimPrefix(at.String(), "#")
	if in != "" {
		s += " in " + strings.ReplaceAll(in, "&", " ")
	}
	return s
}

// goReason goes to the first place of a reason.
func (m *Model) goReason(x *session.Reason) tea.Cmd { return m.goFinding(x.Perm, x.Ref, x.First) }

// goFinding goes to a finding of any permutation; the panel shows it.
func (m *Model) goFinding(perm int, ref session.PassRef, d diag.Diag) tea.Cmd {
	m.record()
	var cmds []tea.Cmd
	if m.screen != nil {
		cmds = append(cmds, m.showScreen(nil))
	}
	if perm != m.sel.perm {
		cmds = append(cmds, m.setPerm(perm))
	}
	if i := m.indexOf(&d); i >= 0 {
		m.diagAt = i
		return tea.Batch(append(cmds, m.goDiagHere())...)
	}
	node := -1
	for i, r := range m.passes {
		if r == ref {
			node = i
		}
	}
	if node < 0 {
		return tea.Batch(cmds...)
	}
	m.reasons.want = &d
	cmds = append(cmds, m.setStage(node, m.stageIndexIn(node, d.At.Stage)))
	return tea.Batch(cmds...)
}

// stageIndexIn is the index of a stage of a pass by short name, or -1.
func (m *Model) stageIndexIn(node int, name string) int {
	in, err := m.sess.Input(m.sel.perm, m.passes[node])
	if err != nil {
		return -1
	}
	return session.StageIndex(in, name)
}

// indexOf finds a diagnostic among those that are known, or returns -1.
func (m *Model) indexOf(d *diag.Diag) int {
	for i := range m.diags {
		if x := &m.diags[i]; x.Code == d.Code && x.At == d.At && x.Text == d.Text {
			return i
		}
	}
	return -1
}

// wanted walks to the finding that goFinding waits for.
func (m *Model) wanted() tea.Cmd {
	d := m.reasons.want
	if d == nil {
		return nil
	}
	m.reasons.want = nil
	if i := m.indexOf(d); i >= 0 {
		m.diagAt = i
		return m.goDiagHere()
	}
	return nil
}
