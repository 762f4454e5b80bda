package views

import "strings"

// Diff is what changed between two listings of one form: the changed lines with three
// lines around them, removed ones from the old listing and the others from the new one,
// coloured as they are there. Lines that differ only in the names of values, registers
// and locals are no changes. Its cursor stands in the new listing.
type Diff struct {
	old, new       Listing
	rows           []diffRow
	Added, Removed int // lines
	Renamed        int // lines that differ in nothing but names
	Hunks          []Hunk
}

// Hunk is a run of changed lines with those around them.
type Hunk struct {
	Row, Rows    int // of the diff
	Old, OldRows int // lines of the old listing, from 0
	New, NewRows int
}

type diffRow struct {
	kind byte // ' ', '+', '-', or '@' for a gap
	n    int32
}

// around is how many equal lines stand around changed ones.
const around = 3

// NewDiff compares two listings line by line. Equal listings give a diff without rows.
func NewDiff(old, new Listing) *Diff { return diffBy(old, new, shapesOf(old), shapesOf(new)) }

// NewPhaseDiff compares a function before and after a phase. Values are compared by the
// instruction that they came from, because a phase that drops some numbers the rest anew.
func NewPhaseDiff(old, new *SSA) *Diff {
	return diffBy(old, new, plainShapes(old.keys()), plainShapes(new.keys()))
}

// diffBy compares two listings by a shape for each of their lines.
func diffBy(old, new Listing, x, y []shapedLine) *Diff {
	d := &Diff{old: old, new: new}
	steps := editScript(x, y)
	near := make([]bool, len(steps))
	for i, s := range steps {
		switch s.kind {
		case '-':
			d.Removed++
		case '+':
			d.Added++
		default:
			if old.Text(s.a) != new.Text(s.b) {
				d.Renamed++
			}
			continue
		}
		for k := max(i-around, 0); k <= min(i+around, len(steps)-1); k++ {
			near[k] = true
		}
	}
	a, b := 0, 0 // lines of both sides before the step
	for i, s := range steps {
		x, y := a, b
		if s.kind != '+' {
			a++
		}
		if s.kind != '-' {
			b++
		}
		if !near[i] {
			continue
		}
		if i == 0 || !near[i-1] {
			if i > 0 {
				d.rows = append(d.rows, diffRow{'@', int32(y)})
			}
			d.Hunks = append(d.Hunks, Hunk{Row: len(d.rows), Old: x, New: y})
		}
		h := &d.Hunks[len(d.Hunks)-1]
		h.Rows++
		h.OldRows, h.NewRows = a-h.Old, b-h.New
		n := s.b
		if s.kind == '-' {
			n = s.a
		}
		d.rows = append(d.rows, diffRow{s.kind, int32(n)})
	}
	return d
}

// Hunk is the first row of the next hunk behind a row, or with n below 0 of the one
// before; -1 where there is none.
func (d *Diff) Hunk(row, n int) int {
	change := func(i int) bool { return d.rows[i].kind == '+' || d.rows[i].kind == '-' }
	starts := func(i int) bool { return change(i) && (i == 0 || !change(i-1)) }
	step := 1
	if n < 0 {
		step = -1
	}
	for i := row + step; i >= 0 && i < len(d.rows); i += step {
		if starts(i) {
			return i
		}
	}
	return -1
}

// Len is the number of rows.
func (d *Diff) Len() int { return len(d.rows) }

func (d *Diff) at(line int) (diffRow, bool) {
	if line < 0 || line >= len(d.rows) {
		return diffRow{}, false
	}
	return d.rows[line], true
}

// Lines returns the rows inside w.
func (d *Diff) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(len(d.rows))
	out := make([]Line, 0, last-first)
	for i := first; i < last; i++ {
		out = append(out, d.one(i, sel))
	}
	return out
}

func (d *Diff) one(i int, sel *Selection) Line {
	r := d.rows[i]
	if r.kind == '@' {
		l := Line{Ref: NoRef, Spans: []Span{span(RoleBorder, "···")}}
		sel.line(&l, i, false)
		return l
	}
	from, part := d.new, sel
	if sel != nil {
		line := -1
		if i == sel.Line {
			line = int(r.n)
		}
		part = sel.At(line, sel.Tok, sel.Focused)
	}
	if r.kind == '-' {
		from = d.old
		c := NoSelection // the selection is about the new listing
		if sel != nil && i == sel.Line {
			c.Line, c.Focused = int(r.n), sel.Focused
		}
		part = &c
	}
	ls := from.Lines(Window{First: int(r.n), Rows: 1}, part)
	if len(ls) == 0 {
		return Line{Ref: NoRef}
	}
	l := ls[0]
	role := RoleBorder
	switch r.kind {
	case '+':
		role = RoleOK
	case '-':
		role = RoleRefused
		l.Ref = NoRef
	}
	l.Spans = append([]Span{{Role: role, Emph: lineEmph(l), Text: string(r.kind) + " "}}, l.Spans...)
	return l
}

// Tokens is the number of tokens of the row in the new listing.
func (d *Diff) Tokens(line int) int {
	if r, ok := d.at(line); ok && r.kind != '-' && r.kind != '@' {
		return d.new.Tokens(int(r.n))
	}
	return 0
}

// Focus is that of the new listing; removed lines stand for nothing.
func (d *Diff) Focus(line, tok int) Focus {
	if r, ok := d.at(line); ok && r.kind != '-' && r.kind != '@' {
		return d.new.Focus(int(r.n), tok)
	}
	return NoFocus
}

// Seek returns the row of the new listing's line nearest to near, where it is shown.
func (d *Diff) Seek(sel *Selection, near int) int {
	best := -1
	for i, r := range d.rows {
		if r.kind == '-' || r.kind == '@' || best >= 0 && abs(i-near) >= abs(best-near) {
			continue
		}
		if f := d.new.Focus(int(r.n), 0); sel.Has(f.Instr) {
			best = i
		}
	}
	return best
}

// Row returns a row as a unified diff has it: sign and text.
func (d *Diff) Row(line int) string {
	s := d.Text(line)
	if len(s) > 2 {
		return s[:1] + s[2:]
	}
	return strings.TrimRight(s, " ")
}

// Text returns a row with its sign, as a unified diff has it.
func (d *Diff) Text(line int) string {
	r, ok := d.at(line)
	switch {
	case !ok:
		return ""
	case r.kind == '@':
		return "···"
	case r.kind == '-':
		return "- " + d.old.Text(int(r.n))
	}
	return string(r.kind) + " " + d.new.Text(int(r.n))
}
