package views

import "slices"

// LineMark is a line that a scroll bar shows.
type LineMark struct {
	Line int
	Mark Mark
}

// Marked is a listing that knows which of its lines are marked without making them.
type Marked interface {
	// Marks lists the marked lines, ascending.
	Marks() []LineMark
}

// MarksOf returns the marked lines of a listing, ascending; none where it does not know.
func MarksOf(l Listing) []LineMark {
	if m, ok := l.(Marked); ok {
		return m.Marks()
	}
	return nil
}

// Marks lists the lines with a diagnostic.
func (v *DXBC) Marks() []LineMark {
	var out []LineMark
	for i, m := range v.marks {
		if n := v.Row(i); n >= 0 {
			out = append(out, LineMark{n, m})
		}
	}
	return ordered(out)
}

// Marks lists the lines with a diagnostic.
func (v *Tokens) Marks() []LineMark {
	out := v.d.Marks()
	for i := range out {
		out[i].Line = v.Row(out[i].Line)
	}
	return out
}

// Marks lists the lines with a diagnostic.
func (v *SSA) Marks() []LineMark {
	var out []LineMark
	for n, i := range v.instr {
		if m, ok := v.marks[i]; ok && i >= 0 {
			out = append(out, LineMark{n, m})
		}
	}
	return out
}

// Marks lists the DXBC lines with a diagnostic.
func (m *Mixed) Marks() []LineMark {
	var out []LineMark
	for n, r := range m.rows {
		if r.wgsl {
			continue
		}
		if k, ok := m.d.marks[m.d.rows[r.n].instr]; ok {
			out = append(out, LineMark{n, k})
		}
	}
	return out
}

// Marks lists the added and removed lines.
func (d *Diff) Marks() []LineMark {
	var out []LineMark
	for n, r := range d.rows {
		if r.kind == '+' || r.kind == '-' {
			out = append(out, LineMark{n, MarkChanged})
		}
	}
	return out
}

// Marks lists those of the unfolded listing where they show.
func (f *Folded) Marks() []LineMark {
	out := slices.Clone(MarksOf(f.of))
	for i := range out {
		out[i].Line = f.Row(out[i].Line)
	}
	return ordered(out)
}

func ordered(ms []LineMark) []LineMark {
	slices.SortFunc(ms, func(a, b LineMark) int { return a.Line - b.Line })
	return ms
}
