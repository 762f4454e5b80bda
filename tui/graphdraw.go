package tui

import (
	"fmt"
	"strings"

	"fxlens/views"
)

func (s *graphScreen) place(m *Model) string {
	_, letters := s.st.Graph.Identity(s.perm, s.st.Pass)
	out := fmt.Sprintf("permutation %d of %d  %s", s.perm, s.st.Graph.Permutations(), letters)
	if len(s.marked) > 0 {
		out += fmt.Sprintf("  %d marked", len(s.marked))
	}
	return out
}

func (s *graphScreen) status(*Model) []views.Span {
	var out []views.Span
	add := func(t string) { out = append(out, sp(views.RoleStatus, t+"  ")) }
	g := s.st.Graph
	switch {
	case s.export.on:
		add("building packages, esc stops")
	case s.link.on:
		add("reading bodies…")
	case s.build.on:
		add("filtering…")
	case s.work.on && s.all:
		add(fmt.Sprintf("compiling %d of %d units, esc stops", s.known+1, len(g.Units)))
	case s.work.on:
		add("compiling")
	}
	add(strings.Replace(strings.Replace(g.Summary(), " permutations", " perms", 1), "pass units", "units", 1))
	return out
}

func (s *graphScreen) panel(_ *Model, cols int) (string, []views.Line) {
	return fmt.Sprintf("permutation %d", s.perm), s.permDetail(cols)
}

// panelRows keeps the panel at one height while the cursor moves, as long as no reason
// takes more room.
func (s *graphScreen) panelRows(m *Model) int {
	return len(s.permDetail(m.w - 2))
}

// detailOf is what the lines of the panel depend on.
type detailOf struct {
	st                *views.GraphState
	perm, cols, known int
}

// permDetail is what the panel says of the cursor's permutation; its height is asked for
// as often as its lines.
func (s *graphScreen) permDetail(cols int) []views.Line {
	of := detailOf{s.st, s.perm, cols, s.known}
	if s.detailOf != of {
		s.detailOf, s.detail = of, views.PermDetail(s.st, s.perm, cols)
	}
	return s.detail
}

// title is the row above the table or tree.
func (s *graphScreen) title() string {
	if s.bad != "" {
		return "✗ " + s.bad
	}
	t := graphForms[s.form]
	switch s.form {
	case graphGrid:
		t += "  " + s.grid.Title()
	case graphTree, graphList:
		if s.st.Pass >= 0 {
			t += "  units of " + views.Clip(s.st.Graph.Passes[s.st.Pass].Name, 40)
		} else {
			t += "  bodies"
		}
		if s.form == graphList {
			t += " by " + s.order.String()
		}
	}
	if s.st.Fold {
		t += "; folded"
	}
	return t
}

func (s *graphScreen) compose(m *Model, c *canvas, b rect) {
	s.reveal(m)
	right := ""
	if s.filter != nil && s.bad == "" {
		n := 0
		for _, ok := range s.st.Match {
			if ok {
				n++
			}
		}
		right = fmt.Sprintf("  filter %s: %d of %d ", views.Clip(s.filter.Text, 40), n, s.st.Graph.Permutations())
		if s.st.Match == nil || s.build.on {
			right = fmt.Sprintf("  filter %s: … ", views.Clip(s.filter.Text, 40))
		}
	}
	room := max(b.w-views.Width(right)-2, 0)
	c.put(b.x, b.y, b.w, []views.Span{sp(views.RolePaneOn, "▸ "+views.Pad(views.Clip(s.title(), room), room)+right)}, 0, sp(views.RolePaneOn, ""))
	y := b.y + 1
	cur := views.GraphCursor{Perm: s.perm, Marked: s.marked, On: true}
	rows := b.h - 1
	var lines []views.Line
	used := 0
	switch s.form {
	case graphGrid:
		s.viewCols = s.columnsOf(b.w)
		head := s.grid.Head(s.left, s.viewCols)
		n, cols := s.grid.Size()
		s.view = rect{b.x + graphGutter + s.grid.HeadWidth(), y + len(head), s.viewCols * s.grid.CellWidth(), rows - len(head)}
		lines = append(append(s.lines[:0], head...), s.grid.Lines(views.Window{First: s.top, Rows: rows - len(head)}, s.left, s.viewCols, cur)...)
		if n == 0 || cols == 0 {
			lines = append(lines, views.Say(views.RoleDim, "No permutation is left by the filter; esc clears it."))
		}
		s.lines = lines
		used = graphGutter + s.grid.HeadWidth() + min(s.viewCols, cols)*s.grid.CellWidth()
	case graphTree:
		s.view = rect{b.x, y, b.w, rows}
		switch {
		case s.tree == nil:
			lines = []views.Line{views.Say(views.RoleDim, "laying out…")}
		case s.tree.Len() == 0:
			lines = []views.Line{views.Say(views.RoleDim, "No permutation is left by the filter; esc clears it.")}
		default:
			lines = s.tree.Lines(views.Window{First: s.treeTop, Rows: rows}, s.line, cur)
		}
		used = 76
	case graphList:
		s.view = rect{b.x, y + 1, b.w, rows - 1}
		switch {
		case s.list == nil:
			lines = []views.Line{views.Say(views.RoleDim, "reading programs…")}
		case s.list.Len() == 0:
			lines = []views.Line{views.Say(views.RoleDim, "No permutation is left by the filter; esc clears it.")}
		default:
			lines = append([]views.Line{s.list.Head()}, s.list.Lines(views.Window{First: s.listTop, Rows: rows - 1}, s.item, cur)...)
		}
	case graphAxes:
		s.view = rect{}
		lines = s.axesLines()
		lines = lines[min(s.axesTop, max(len(lines)-rows, 0)):]
	}
	m.composeRows(c, rect{b.x, y, b.w, rows}, graphGutter, lines, 0)
	if s.form == graphGrid || s.form == graphTree {
		s.composeAxes(c, rect{b.x + used + 3, y, b.w - used - 3, rows})
	}
}

func (s *graphScreen) axesLines() []views.Line {
	if !s.st.Graph.Linked() {
		return []views.Line{views.Say(views.RoleDim, "reading bodies…")}
	}
	ls := []views.Line{views.Say(views.RoleText, "Which axes matter to which pass: code, only its states, or not (-)."), views.Blank()}
	return append(ls, views.AxisTable(s.st.Graph)...)
}

// composeAxes draws the table of axes beside the grid, where there is room for all of it.
func (s *graphScreen) composeAxes(c *canvas, r rect) {
	if !s.st.Graph.Linked() || r.w <= 0 {
		return
	}
	if s.axes == nil {
		s.axes = views.AxisTable(s.st.Graph)
	}
	ls := s.axes
	for i := range ls {
		if ls[i].Width() > r.w {
			return
		}
	}
	for i := range min(len(ls), r.h) {
		c.put(r.x, r.y+i, r.w, ls[i].Spans, 0, blank)
		c.put(r.x-2, r.y+i, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
	}
}
