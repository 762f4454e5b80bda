package views

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff is what changed between two listings of one form: the changed lines with three
// lines around them, removed ones from the old listing and the others from the new one,
// coloured as they are there. Its cursor stands in the new listing.
type Diff struct {
	old, new       Listing
	rows           []diffRow
	Added, Removed int // lines
}

type diffRow struct {
	kind byte // ' ', '+', '-', or '@' for a gap
	n    int32
}

// NewDiff compares two listings line by line. Equal listings give a diff without rows.
func NewDiff(old, new Listing) (*Diff, error) {
	return diffBy(old, new, joined(old), joined(new))
}

// NewPhaseDiff compares a function before and after a phase. Values are compared by the
// instruction that they came from, because a phase that drops some numbers the rest anew.
func NewPhaseDiff(old, new *SSA) (*Diff, error) {
	return diffBy(old, new, old.keys(), new.keys())
}

// diffBy compares two listings by a text with one line for each of theirs.
func diffBy(old, new Listing, a, b string) (*Diff, error) {
	d := &Diff{old: old, new: new}
	u, err := udiff.ToUnifiedDiff("", "", a, udiff.Lines(a, b), 3)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	for i, h := range u.Hunks {
		if i > 0 || h.ToLine > 1 {
			d.rows = append(d.rows, diffRow{'@', int32(h.ToLine - 1)})
		}
		from, to := int32(h.FromLine-1), int32(h.ToLine-1)
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Delete:
				d.rows = append(d.rows, diffRow{'-', from})
				d.Removed++
				from++
			case udiff.Insert:
				d.rows = append(d.rows, diffRow{'+', to})
				d.Added++
				to++
			default:
				d.rows = append(d.rows, diffRow{' ', to})
				from++
				to++
			}
		}
	}
	return d, nil
}

// joined is the text of a whole listing, for the comparison alone.
func joined(l Listing) string {
	var b strings.Builder
	for i := range l.Len() {
		b.WriteString(l.Text(i))
		b.WriteByte('\n')
	}
	return b.String()
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
