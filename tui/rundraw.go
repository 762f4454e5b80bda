package tui

import (
	"fxlens/views"
)

func (s *runScreen) compose(m *Model, c *canvas, b rect) {
	s.rects = [numRunPanes]rect{}
	if s.of == nil || s.of.dxbc == nil || s.snap == nil {
		text := "making inputs…"
		if s.err != "" {
			text = "✗ " + s.err
		}
		for y := range b.h {
			c.put(b.x, b.y+y, b.w, nil, 0, blank)
		}
		for i, l := range views.WrapWords(views.Say(views.RoleText, views.Text(text)), b.w-4, 2) {
			if i+1 < b.h {
				c.put(b.x+2, b.y+1+i, b.w-2, l.Spans, 0, blank)
			}
		}
		return
	}
	if b.w < 110 {
		if s.pane == runCode {
			h := max(b.h*2/3, 6)
			s.composeCode(c, rect{b.x, b.y, b.w, h})
			s.composeWGSL(m, c, rect{b.x, b.y + h, b.w, b.h - h})
			return
		}
		s.composeCode(c, rect{b.x, b.y, b.w, 5})
		s.composePane(m, c, rect{b.x, b.y + 5, b.w, b.h - 5}, s.pane)
		return
	}
	if b.w >= 180 {
		s.composeWide(m, c, b)
		return
	}
	half := (b.w - 1) / 2
	l, r := rect{b.x, b.y, half, b.h}, rect{b.x + half + 1, b.y, b.w - half - 1, b.h}
	for y := range b.h {
		c.put(r.x-1, b.y+y, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
	}
	s.composeCode(c, l)
	shown := s.pane
	if shown == runCode {
		shown = runRegs
	}
	up := (r.h + 1) / 2
	t, d := rect{r.x, r.y, r.w, up}, rect{r.x, r.y + up, r.w, r.h - up}
	s.composePane(m, c, t, shown)
	s.composeWGSL(m, c, d)
}

// composePane draws one of the panes beside the code.
func (s *runScreen) composePane(m *Model, c *canvas, r rect, p runPane) {
	switch p {
	case runValues:
		s.composeValues(m, c, r)
	case runWatched:
		s.composeWatched(m, c, r)
	default:
		s.composeCells(m, c, r, p)
	}
}

// composeWide has room for all: code and WGSL, the SSA values, registers or constants
// above what is watched.
func (s *runScreen) composeWide(m *Model, c *canvas, b rect) {
	w := (b.w - 2) / 3
	l, mid := rect{b.x, b.y, w, b.h}, rect{b.x + w + 1, b.y, w, b.h}
	r := rect{b.x + 2*w + 2, b.y, b.w - 2*w - 2, b.h}
	for y := range b.h {
		for _, x := range []int{mid.x, r.x} {
			c.put(x-1, b.y+y, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
		}
	}
	up := b.h * 3 / 5
	s.composeCode(c, rect{l.x, l.y, l.w, up})
	s.composeWGSL(m, c, rect{l.x, l.y + up, l.w, l.h - up})
	s.composeValues(m, c, mid)
	cells := runRegs
	if s.pane == runConsts {
		cells = runConsts
	}
	low := min(len(s.snap.watched)+2, r.h/3)
	s.composeCells(m, c, rect{r.x, r.y, r.w, r.h - low}, cells)
	s.composeWatched(m, c, rect{r.x, r.y + r.h - low, r.w, low})
}

func (s *runScreen) composeCode(c *canvas, r rect) {
	s.rects[runCode] = r
	composeTitle(c, r, "DXBC  "+s.of.stage.Kind.String(), s.pane == runCode)
	d, rows := s.of.dxbc, r.h-1
	at := s.line
	if s.pane != runCode && s.snap.next >= 0 {
		at = max(d.Row(int32(s.snap.next)), 0)
	}
	if at < s.top || at >= s.top+rows {
		s.top = max(at-rows/2, 0)
	}
	s.top = min(max(s.top, 0), max(d.Len()-1, 0))
	sel := views.NoSelection
	lines := d.Lines(views.Window{First: s.top, Rows: rows, Cols: r.w - 4}, sel.At(s.line, 0, s.pane == runCode))
	for y := range rows {
		if y >= len(lines) {
			c.put(r.x, r.y+1+y, r.w, nil, 0, blank)
			continue
		}
		l := &lines[y]
		ground := blank
		if len(l.Spans) > 0 {
			ground.Emph = groundOf(l)
		}
		instr := int(d.Ref(s.top + y).Instr)
		first := instr >= 0 && d.Row(int32(instr)) == s.top+y
		cur, brk, pc := " ", " ", " "
		if l.Mark&views.MarkCursor != 0 {
			cur = ">"
		}
		if first && s.snap.breaks[instr] {
			brk = "●"
		}
		if first && instr == s.snap.next {
			pc = "▶"
		}
		c.put(r.x, r.y+1+y, 4, []views.Span{{Role: views.RoleKey, Emph: ground.Emph, Text: cur}, {Role: views.RoleRefused, Emph: ground.Emph, Text: brk},
			{Role: views.RoleChosen, Emph: ground.Emph, Text: pc + " "}}, 0, ground)
		c.put(r.x+4, r.y+1+y, r.w-4, l.Spans, 0, ground)
	}
}

func (s *runScreen) composeCells(m *Model, c *canvas, r rect, p runPane) {
	s.rects[p] = r
	rows, title := s.snap.rows, "Registers"
	if p == runConsts {
		rows, title = s.snap.crows, "Constants"
	}
	composeTitle(c, r, title+"  as "+s.typ.String(), s.pane == p)
	h := r.h - 1
	row := -1
	if s.pane == p {
		row = s.row
		s.rtop = min(max(s.rtop, row-h+1, 0), row)
	}
	lines := views.RunRegisters(rows, views.Window{First: s.rtop, Rows: h, Cols: r.w - 2}, s.typ, row, s.comp, s.pane == p)
	if len(rows) == 0 {
		lines = []views.Line{views.Say(views.RoleDim, "the program has none")}
	}
	m.composeRows(c, rect{r.x, r.y + 1, r.w, h}, 2, lines, 0)
}

func (s *runScreen) composeWGSL(m *Model, c *canvas, r rect) {
	if r.h < 2 {
		return
	}
	composeTitle(c, r, "WGSL  the same place", false)
	w := s.of.forms[formWGSL]
	if s.of.stage.Module == nil {
		why := "the stage has no WGSL"
		if s.stage != nil {
			why = s.stage.Refused
		}
		m.composeRows(c, rect{r.x, r.y + 1, r.w, r.h - 1}, 2, views.WrapWords(views.Say(views.RoleDim, views.Text(why)), r.w-4, 0), 0)
		return
	}
	at := int(s.focusInstr())
	lit := views.NoSelection
	if at >= 0 {
		lit = s.of.links.Select(views.Focus{Instr: int32(at), Occur: views.NoFocus.Occur, Binding: -1})
		if line := w.Seek(&lit, s.wtop+r.h/2); line >= 0 && (line < s.wtop || line >= s.wtop+r.h-1) {
			s.wtop = max(line-r.h/2, 0)
		}
	}
	lines := w.Lines(views.Window{First: s.wtop, Rows: r.h - 1, Cols: r.w - 2}, lit.At(-1, 0, false))
	for i := range lines {
		if lines[i].Mark&views.MarkLinked != 0 {
			lines[i].Mark |= views.MarkCursor
		}
	}
	m.composeRows(c, rect{r.x, r.y + 1, r.w, r.h - 1}, 2, lines, 0)
}
