package tui

import (
	"fmt"
	"strings"

	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/views"
)

// place is the set and shader.
func (s *switchesScreen) place(*Model) string {
	if s.w == nil || len(s.w.Shaders) == 0 {
		return s.subject()
	}
	return s.w.VariantLabel(s.shader, s.set)
}

func (s *switchesScreen) status(*Model) []views.Span {
	var out []views.Span
	add := func(format string, args ...any) {
		out = append(out, sp(views.RoleStatus, fmt.Sprintf(format, args...)+"  "))
	}
	if s.export.on {
		add("making the package  esc stops")
	}
	if s.load.on && s.step.total > 0 {
		add("%d of %d variants  esc stops", s.step.done, s.step.total)
	}
	if s.w != nil {
		word := "switches"
		if len(s.w.Switches) == 1 {
			word = "switch"
		}
		add("%d %s, %s", len(s.w.Switches), word, plural(len(s.w.Shaders), "shader"))
	}
	return out
}

// panel says what the switch or row under the cursor is about.
func (s *switchesScreen) panel(m *Model, cols int) (string, []views.Line) {
	if s.w == nil {
		if s.err == "" {
			return "switches", []views.Line{views.Say(views.RoleDim, "reading the graph")}
		}
		return "switches", []views.Line{views.Say(views.RoleRefused, "the graph cannot be read; ctrl+r tries again")}
	}
	if s.err != "" {
		return "the graph on disk", faultLines(s.err, cols)
	}
	if e := s.panes[s.form].err; s.right && e != "" {
		return switchFormNames[s.form], faultLines(e, cols)
	}
	r := s.focused().row()
	if sw := r.Switch; sw != nil {
		lines := []views.Line{views.Say(views.RoleText, views.Clip(fmt.Sprintf("%s is %s", views.Text(sw.Label()), views.Text(sw.NameOf(s.set.Get(sw)))), cols))}
		var names []string
		for _, i := range s.w.Affected(sw) {
			names = append(names, views.Text(s.w.Shaders[i].Label))
		}
		text := "flipping it compiles nothing again"
		if len(names) > 0 {
			text = fmt.Sprintf("flipping it compiles %d of %d shaders again: %s", len(names), len(s.w.Shaders), strings.Join(names, ", "))
		}
		return "switch", append(lines, views.Wrap(views.Say(views.RoleDim, text), cols, 0)...)
	}
	if n := r.Shader; n >= 0 && n < len(s.w.Shaders) && !s.right {
		return "shader", shaderLines(s.w, n, cols)
	}
	if r.Set != nil {
		return "variant", []views.Line{views.Say(views.RoleText, views.Clip(s.w.SetText(r.Set), cols)), views.Say(views.RoleDim, "enter chooses this set")}
	}
	return "variant", shaderLines(s.w, s.shader, cols)
}

// faultLines are the lines of an error, each clipped.
func faultLines(text string, cols int) []views.Line {
	var out []views.Line
	for line := range strings.Lines(text) {
		out = append(out, views.Say(views.RoleRefused, views.Clip(strings.TrimRight(line, "\n"), cols)))
	}
	return out
}

func shaderLines(w *switches.Workspace, n, cols int) []views.Line {
	x := &w.Shaders[n]
	list := func(of []*variant.Switch) string {
		var names []string
		for _, sw := range of {
			names = append(names, views.Text(sw.Label()))
		}
		if len(names) == 0 {
			return "nothing"
		}
		return strings.Join(names, ", ")
	}
	lines := []views.Line{views.Say(views.RoleText, views.Clip(fmt.Sprintf("%s, %s: %s", views.Text(x.Label), x.Type, plural(x.Variants(), "variant")), cols)),
		views.Say(views.RoleDim, views.Clip("its code depends on "+list(x.Switches), cols))}
	if len(x.States) > 0 {
		lines = append(lines, views.Say(views.RoleDim, views.Clip("its states also on "+list(x.States), cols)))
	}
	return lines
}

func formTab(f switchForm) string { return fmt.Sprintf("%d %s", f+1, switchFormNames[f]) }

func (s *switchesScreen) compose(m *Model, c *canvas, body rect) {
	s.body = body
	if s.w == nil {
		s.list, s.main = rect{}, body
		lines := []views.Line{views.Say(views.RoleDim, "reading the graph")}
		if s.err != "" {
			lines = append([]views.Line{views.Say(views.RoleTitle, "The graph cannot be read"), views.Blank()}, faultLines(s.err, body.w-3)...)
		}
		m.composeRows(c, body, 2, lines, 0)
		return
	}
	wide := min(max(body.w/4, 26), 40)
	s.list = rect{body.x, body.y, wide, body.h}
	s.main = rect{body.x + wide + 1, body.y, body.w - wide - 1, body.h}
	for y := range body.h {
		c.put(body.x+wide, body.y+y, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
	}
	s.layoutList()
	composeTitle(c, s.list, "Switches", !s.right)
	s.composeList(m, c, rect{s.list.x, s.list.y + 1, s.list.w, s.list.h - 1}, &s.left, !s.right, 2)

	title := ""
	if len(s.w.Shaders) > 0 {
		title = s.w.VariantLabel(s.shader, s.set)
	}
	composeTitle(c, s.main, views.Text(title), s.right)
	var tabs []views.Span
	for f := range numSwitchForms {
		role := views.RoleDim
		if f == s.form {
			role = views.RoleChosen
		}
		tabs = append(tabs, sp(views.RoleText, " "), sp(role, formTab(f)))
	}
	c.put(s.main.x, s.main.y+1, s.main.w, tabs, 0, blank)
	p := &s.panes[s.form]
	at := rect{s.main.x, s.main.y + 2, s.main.w, s.main.h - 2}
	p.settle(at.h)
	if p.err != "" {
		m.composeRows(c, at, 2, faultLines("✗ "+p.err, at.w-3), 0)
		return
	}
	gutter := 2
	if s.form == switchText {
		gutter = 8
	}
	s.composeList(m, c, at, p, s.right, gutter)
}

// composeList paints the window of a list, with the cursor where it has the keyboard.
func (s *switchesScreen) composeList(m *Model, c *canvas, r rect, p *switchPane, on bool, gutter int) {
	window := make([]views.Line, 0, r.h)
	for y := range r.h {
		i := p.top + y
		if i >= len(p.lines) {
			break
		}
		l := p.lines[i]
		l.Spans = shownPart(l.Spans, p.side+r.w)
		if i == p.line {
			l = views.NewStatic([]views.Line{l}, nil).Lines(views.Window{Rows: 1, Cols: r.w}, views.NoSelection.At(0, 0, on))[0]
		}
		window = append(window, l)
	}
	if s.find != "" {
		views.MarkHits(window, s.find, p.line, p.top)
	}
	m.composeRows(c, r, gutter, window, p.side)
}
