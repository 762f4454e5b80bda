package views

import "strings"

// Mixed is the interleaved listing, the way objdump -S has it: every DXBC line, then the
// WGSL that it became.
type Mixed struct {
	d    *DXBC
	w    *WGSL
	rows []mixedRow
}

type mixedRow struct {
	wgsl bool
	n    int32 // row of the DXBC listing, or line of the module
}

// NewMixed interleaves a stage's listings. A WGSL line goes behind the last instruction
// that it has tokens of, which is the one that it computes: what it was folded from
// comes earlier. A comment on a line of its own goes with the line below it, which it
// is about. Lines without an instruction go before the first.
func NewMixed(d *DXBC, w *WGSL) *Mixed {
	m := &Mixed{d: d, w: w}
	byInstr := make(map[int32][]int32)
	var head []int32
	last := int32(-1)
	comments := 0 // lines of comment above line i
	for i := range w.Len() {
		if i+1 < w.Len() && strings.HasPrefix(strings.TrimLeft(w.Text(i), " "), "//") {
			comments++
			continue
		}
		owner := int32(-1)
		_, _, toks := w.line(i)
		for _, t := range toks {
			owner = max(owner, t.Instr)
		}
		switch {
		case owner >= 0:
			last = owner
		case last >= 0:
			owner = last // a closing brace stays with what it closes
		}
		for n := i - comments; n <= i; n++ {
			if owner < 0 {
				head = append(head, int32(n))
			} else {
				byInstr[owner] = append(byInstr[owner], int32(n))
			}
		}
		comments = 0
	}
	m.rows = make([]mixedRow, 0, d.Len()+w.Len())
	m.rows = append(m.rows, mixedRow{n: 0})
	for _, i := range head {
		m.rows = append(m.rows, mixedRow{true, i})
	}
	for n := 1; n < d.Len(); n++ {
		m.rows = append(m.rows, mixedRow{n: int32(n)})
		if n+1 < d.Len() && d.rows[n+1].instr == d.rows[n].instr {
			continue
		}
		for _, i := range byInstr[d.rows[n].instr] {
			m.rows = append(m.rows, mixedRow{true, i})
		}
	}
	return m
}

// Len is the number of lines.
func (m *Mixed) Len() int { return len(m.rows) }

// Lines returns the lines inside w.
func (m *Mixed) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(m.Len())
	out := make([]Line, 0, last-first)
	for n := first; n < last; n++ {
		r := m.rows[n]
		part := sel
		if sel != nil {
			line := -1
			if n == sel.Line {
				line = int(r.n)
			}
			part = sel.At(line, sel.Tok, sel.Focused)
		}
		if !r.wgsl {
			out = append(out, m.d.one(int(r.n), part))
			continue
		}
		l := m.w.one(int(r.n), part)
		l.Gutter = Spaces(m.d.digits)
		l.Spans = append([]Span{{Role: RoleBorder, Emph: lineEmph(l), Text: "    │ "}}, l.Spans...)
		out = append(out, l)
	}
	return out
}

// lineEmph is the ground of a line that sel.line has laid.
func lineEmph(l Line) Emph {
	e := EmphNone
	for i, s := range l.Spans {
		if i == 0 || s.Emph < e {
			e = s.Emph
		}
	}
	return e
}

func (m *Mixed) at(line int) (mixedRow, bool) {
	if line < 0 || line >= len(m.rows) {
		return mixedRow{}, false
	}
	return m.rows[line], true
}

// Ref stands for what the line's own listing says.
func (m *Mixed) Ref(line int) Ref {
	r, ok := m.at(line)
	switch {
	case !ok:
		return NoRef
	case r.wgsl:
		return m.w.Ref(int(r.n))
	}
	return m.d.Ref(int(r.n))
}

// Tokens is the number of tokens of the line in its own listing.
func (m *Mixed) Tokens(line int) int {
	r, ok := m.at(line)
	switch {
	case !ok:
		return 0
	case r.wgsl:
		return m.w.Tokens(int(r.n))
	}
	return m.d.Tokens(int(r.n))
}

// Focus is that of the line's own listing.
func (m *Mixed) Focus(line, tok int) Focus {
	r, ok := m.at(line)
	switch {
	case !ok:
		return NoFocus
	case r.wgsl:
		return m.w.Focus(int(r.n), tok)
	}
	return m.d.Focus(int(r.n), tok)
}

// Seek returns the nearest DXBC line of the selection.
func (m *Mixed) Seek(sel *Selection, near int) int {
	best := -1
	for n, r := range m.rows {
		if !r.wgsl && sel.Has(m.d.rows[r.n].instr) && (best < 0 || abs(n-near) < abs(best-near)) {
			best = n
		}
	}
	return best
}

// Text returns a line as plain text.
func (m *Mixed) Text(line int) string {
	r, ok := m.at(line)
	switch {
	case !ok:
		return ""
	case r.wgsl:
		return "    │ " + m.w.Text(int(r.n))
	}
	return m.d.Text(int(r.n))
}

// depth is that of the instruction which a line is or stands below. The WGSL of one that
// opens a region lies in the region.
func (m *Mixed) depth(line int) (n int, blank bool) {
	at := func(k int) int {
		n, _ := indentOf(m.d.Text(int(m.rows[k].n)))
		return n
	}
	r, ok := m.at(line)
	if !ok {
		return 0, true
	}
	if !r.wgsl {
		return indentOf(m.d.Text(int(r.n)))
	}
	above, below := line, line
	for above >= 0 && m.rows[above].wgsl {
		above--
	}
	for below < len(m.rows) && m.rows[below].wgsl {
		below++
	}
	if above >= 0 {
		n = at(above)
		if below < len(m.rows) {
			n = max(n, at(below))
		}
	}
	return n, false
}
