package tui

import (
	"slices"

	"fxlens/views"
)

// decorate adds to the lines of a pane's window what the program knows beside the
// listing: nesting bars, pins, the slice and the selected range. top is the first line.
// It returns the pin of every line, 0 for none, with noted where a bookmark is.
func (m *Model) decorate(slot int, l views.Listing, lines []views.Line, win views.Window) []uint8 {
	if !code(slot) {
		return nil
	}
	var pins []uint8
	if len(m.pins.list) > 0 {
		pins = m.pinLines(slot, l, lines, win)
	}
	pins = m.noteLines(slot, lines, pins)
	m.dimLines(slot, l, lines, win.First)
	if f := m.slots[slot].form; nested(f) && !m.stopped(f) {
		views.Bars(lines)
	}
	if from, to, ok := m.chosen(slot); ok {
		for i := range lines {
			if n := win.First + i; n >= from && n <= to {
				lines[i].Mark |= views.MarkChosen
				for k := range lines[i].Spans {
					s := &lines[i].Spans[k]
					s.Emph = max(s.Emph, views.EmphRow)
				}
			}
		}
	}
	return pins
}

// stopped reports whether a form says why there is no code instead of showing it.
func (m *Model) stopped(f form) bool {
	st := m.stageNow()
	switch {
	case st == nil:
		return true
	case f == formWGSL:
		return st.stage.Module == nil
	case f == formSSA:
		return st.stage.Func == nil
	}
	return st.dxbc == nil
}

// nested reports whether a form's indentation says what is inside what.
func nested(f form) bool {
	switch f {
	case formDXBC, formSSA, formWGSL, formMixed, formChanges:
		return true
	}
	return false
}

// gutterMarks are the two marks before a line.
func gutterMarks(l *views.Line, pin uint8) (first, second views.Span) {
	first, second = sp(views.RoleText, " "), sp(views.RoleText, " ")
	if l.Mark&views.MarkMore != 0 {
		return sp(views.RoleDim, "↪"), second
	}
	book := pin&noted != 0
	pin &^= noted
	pinned := false
	switch {
	case l.Mark&views.MarkCursor != 0:
		first = sp(views.RoleKey, ">")
	case l.Mark&views.MarkChosen != 0:
		first = sp(views.RoleKey, "▌")
	case pin > 0:
		first, pinned = pinSpan(pin), true
	case l.Mark&views.MarkLinked != 0:
		first = sp(views.RoleNote, "•")
	}
	switch {
	case l.Mark&views.MarkError != 0:
		second = sp(views.RoleRefused, "✗")
	case l.Mark&views.MarkWarning != 0:
		second = sp(views.RoleWarning, "▲")
	case l.Mark&views.MarkChanged != 0:
		second = sp(views.RoleNote, "~")
	case book:
		second = sp(views.RoleLink, "★")
	case pin > 0 && !pinned:
		second = pinSpan(pin)
	case l.Mark&views.MarkFolded != 0:
		second = sp(views.RoleKey, "▸")
	case pinned && l.Mark&views.MarkLinked != 0:
		second = sp(views.RoleNote, "•")
	}
	return first, second
}

// barCols is the width of the scroll bar of a slot: 0 where everything is on the screen.
func (m *Model) barCols(slot int, l views.Listing) int {
	if code(slot) && l.Len() > m.rows(slot) {
		return 1
	}
	return 0
}

// barMemo keeps the marks of a listing for its scroll bar.
type barMemo struct {
	of    views.Listing
	marks []views.LineMark
}

// barLine is the line that a row of the bar stands for; its inverse is barRow.
func barLine(row, rows, n int) int { return row * n / max(rows, 1) }

func barRow(line, rows, n int) int { return min(line*rows/max(n, 1), rows-1) }

// composeBar draws the scroll bar of a pane with the marks of the whole listing.
func (m *Model) composeBar(c *canvas, p place, l views.Listing, pos *position) {
	rows, n := p.rect.h-1, l.Len()
	if rows <= 0 || n == 0 {
		return
	}
	memo := &m.bars[p.slot]
	if memo.of != l {
		*memo = barMemo{l, views.MarksOf(l)}
	}
	type cell struct {
		glyph string
		role  views.Role
		rank  int
	}
	cells := make([]cell, rows)
	put := func(line int, glyph string, role views.Role, rank int) {
		if line < 0 || line >= n {
			return
		}
		if k := &cells[barRow(line, rows, n)]; k.rank < rank {
			*k = cell{glyph, role, rank}
		}
	}
	for r := barRow(pos.top, rows, n); r <= barRow(min(pos.top+rows, n)-1, rows, n); r++ {
		cells[r] = cell{"▐", views.RoleBorder, 1}
	}
	for _, k := range memo.marks {
		switch {
		case k.Mark&views.MarkError != 0:
			put(k.Line, "✗", views.RoleRefused, 5)
		case k.Mark&views.MarkWarning != 0:
			put(k.Line, "▲", views.RoleWarning, 3)
		default:
			put(k.Line, "~", views.RoleNote, 2)
		}
	}
	if m.search.query != "" && m.search.slot == p.slot && m.search.form == m.slots[p.slot].form {
		for _, h := range m.search.hits {
			put(h, "◆", views.RoleKey, 4)
		}
	}
	if p.slot == m.focus {
		for i := range m.pins.list {
			pin := &m.pins.list[i]
			if line := pin.row(m, p.slot, l); line >= 0 {
				s := pinSpan(pin.mark)
				put(line, s.Text, s.Role, 6)
			}
		}
	}
	x := p.rect.x + p.rect.w - 1
	for r, k := range cells {
		if k.glyph == "" {
			k = cell{" ", views.RoleText, 0}
		}
		c.put(x, p.rect.y+1+r, 1, []views.Span{sp(k.role, k.glyph)}, 0, blank)
	}
}

// clickBar scrolls to where the user clicked into the bar.
func (m *Model) clickBar(p place, x, y int) bool {
	l := m.listing(p.slot)
	if m.barCols(p.slot, l) == 0 || x != p.rect.x+p.rect.w-1 || y <= p.rect.y {
		return false
	}
	m.focusOn(p.slot)
	m.moveTo(barLine(y-p.rect.y-1, p.rect.h-1, l.Len()))
	return true
}

// slice is what feeds, or is fed by, the value that the cursor was on when asked.
type slice struct {
	of     *stageView
	dir    int // -1 backward, 1 forward, 0 none
	instrs []int32
	what   string
	job    job
}

// dimLines takes the colours of what is outside the slice.
func (m *Model) dimLines(slot int, l views.Listing, lines []views.Line, first int) {
	if m.slice.dir == 0 || m.slice.of != m.stageNow() || !nested(m.slots[slot].form) {
		return
	}
	for i := range lines {
		f := l.Focus(first+i, 0)
		if m.inSlice(&f) {
			lines[i].Mark |= views.MarkChanged // the mark besides the colour
			continue
		}
		views.Dimmed(&lines[i])
	}
}

// inSlice reports whether a line's instructions are in the slice.
func (m *Model) inSlice(f *views.Focus) bool {
	has := func(i int32) bool {
		_, ok := slices.BinarySearch(m.slice.instrs, i)
		return ok
	}
	if f.Instr >= 0 && has(f.Instr) {
		return true
	}
	return slices.ContainsFunc(f.More, has)
}

// noted is added to the pin of a line with a bookmark.
const noted = 0x80

// noteLines adds the bookmarks of the shown stage to the pins of the lines.
func (m *Model) noteLines(slot int, lines []views.Line, pins []uint8) []uint8 {
	notes := m.notes()
	if len(notes) == 0 || !nested(m.slots[slot].form) {
		return pins
	}
	if pins == nil {
		pins = make([]uint8, len(lines))
	}
	for i := range lines {
		if _, ok := notes[lines[i].Ref.Instr]; ok && lines[i].Ref.Instr >= 0 {
			pins[i] |= noted
		}
	}
	return pins
}

// withNote puts the note of an instruction before what the panel says.
func (m *Model) withNote(instr int32, lines []views.Line) []views.Line {
	n, ok := m.notes()[instr]
	if !ok {
		return lines
	}
	l := views.Line{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleLink, "★ "), sp(views.RoleText, views.Clip(n, 400))}}
	return append([]views.Line{l}, lines...)
}
