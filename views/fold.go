package views

import "slices"

// Folded is a listing with some of its regions closed. A region is a line and what is
// indented deeper behind it: the body of an if, a loop, a function.
type Folded struct {
	of    Listing
	folds []fold // ascending, apart from each other
}

// fold hides the lines head+1 to end-1.
type fold struct{ head, end int32 }

// maxFolds bounds the closed regions of a listing.
const maxFolds = 1 << 16

// Unfolded is the listing that a listing stands for.
func Unfolded(l Listing) Listing {
	if f, ok := l.(*Folded); ok {
		return f.of
	}
	return l
}

// nesting is what a listing has whose lines' indentation does not say how deep they are.
type nesting interface {
	depth(line int) (n int, blank bool)
}

// depthOf is how deep a line of a listing is nested.
func depthOf(l Listing, line int) (n int, blank bool) {
	if x, ok := l.(nesting); ok {
		return x.depth(line)
	}
	return indentOf(l.Text(line))
}

// indentOf is the indentation of a line in cells; blank lines have none of their own.
func indentOf(s string) (n int, blank bool) {
	for n < len(s) && s[n] == ' ' {
		n++
	}
	return n, n == len(s)
}

// Region returns the region that line heads, or the innermost one around it: its head
// and the line behind its last one. ok is false where nothing is nested.
func Region(l Listing, line int) (head, end int, ok bool) {
	depth, blank := depthOf(l, line)
	for blank && line > 0 {
		line--
		depth, blank = depthOf(l, line)
	}
	if end := regionEnd(l, line, depth); end > line+1 {
		return line, end, true
	}
	for head = line - 1; head >= 0; head-- {
		if d, blank := depthOf(l, head); !blank && d < depth {
			return head, regionEnd(l, head, d), true
		}
	}
	return 0, 0, false
}

// regionEnd returns the first line behind head that is not deeper than depth. Blank lines
// at the end stay outside.
func regionEnd(l Listing, head, depth int) int {
	end := head + 1
	for i := head + 1; i < l.Len(); i++ {
		d, blank := depthOf(l, i)
		if blank {
			continue
		}
		if d <= depth {
			break
		}
		end = i + 1
	}
	return end
}

// FoldAll closes every outermost region behind the first depth cells of indentation.
func FoldAll(l Listing, deeper int) *Folded {
	l = Unfolded(l)
	f := &Folded{of: l}
	n := l.Len()
	for i := 0; i < n; {
		d, blank := depthOf(l, i)
		if blank || d < deeper {
			i++
			continue
		}
		end := regionEnd(l, i, d)
		if end > i+1 && len(f.folds) < maxFolds {
			f.folds = append(f.folds, fold{int32(i), int32(end)})
		}
		i = max(end, i+1)
	}
	return f
}

// Fold returns the listing with the region from head to end-1 closed, lines of the
// unfolded listing. Regions inside it open with it later.
func Fold(l Listing, head, end int) *Folded {
	f := &Folded{of: Unfolded(l)}
	if old, ok := l.(*Folded); ok {
		f.folds = slices.Clone(old.folds)
	}
	f.folds = slices.DeleteFunc(f.folds, func(x fold) bool { return int(x.head) >= head && int(x.end) <= end })
	f.folds = append(f.folds, fold{int32(head), int32(end)})
	slices.SortFunc(f.folds, func(a, b fold) int { return int(a.head - b.head) })
	return f
}

// Open returns the listing with the fold open that a line of the unfolded listing heads
// or lies in.
func (f *Folded) Open(inner int) *Folded {
	g := &Folded{of: f.of, folds: slices.Clone(f.folds)}
	g.folds = slices.DeleteFunc(g.folds, func(x fold) bool { return inner >= int(x.head) && inner < int(x.end) })
	return g
}

// Folds is the number of closed regions.
func (f *Folded) Folds() int { return len(f.folds) }

// Closed reports whether a line heads a closed region, and how many lines it hides.
func (f *Folded) Closed(line int) (hidden int, ok bool) {
	in := f.Inner(line)
	for _, x := range f.folds {
		if int(x.head) == in {
			return int(x.end-x.head) - 1, true
		}
	}
	return 0, false
}

// Inner returns the line of the unfolded listing.
func (f *Folded) Inner(line int) int {
	for _, x := range f.folds {
		if line <= int(x.head) {
			break
		}
		line += int(x.end-x.head) - 1
	}
	return line
}

// Row returns the line that shows a line of the unfolded listing: the head where it is
// hidden.
func (f *Folded) Row(inner int) int {
	if inner < 0 {
		return inner
	}
	line := inner
	for _, x := range f.folds {
		if inner <= int(x.head) {
			break
		}
		if inner < int(x.end) {
			line -= inner - int(x.head)
			break
		}
		line -= int(x.end-x.head) - 1
	}
	return line
}

// Len is the number of lines that are left.
func (f *Folded) Len() int {
	n := f.of.Len()
	for _, x := range f.folds {
		n -= int(x.end-x.head) - 1
	}
	return n
}

// Lines returns the lines inside w; the head of a closed region says what it hides.
func (f *Folded) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(f.Len())
	out := make([]Line, 0, last-first)
	inner := sel
	if sel != nil && sel.Line >= 0 {
		inner = sel.At(f.Inner(sel.Line), sel.Tok, sel.Focused)
	}
	for n := first; n < last; {
		in := f.Inner(n)
		k := last - n // up to the next closed region at once
		for _, x := range f.folds {
			if int(x.head) >= in {
				k = min(k, int(x.head)-in+1)
				break
			}
		}
		ls := f.of.Lines(Window{First: in, Rows: k, Cols: w.Cols}, inner)
		if len(ls) == 0 {
			break
		}
		if hidden, ok := f.Closed(n + len(ls) - 1); ok {
			l := &ls[len(ls)-1]
			l.Mark |= MarkFolded
			l.Spans = append(l.Spans, Span{Role: RoleDim, Emph: lineEmph(*l), Text: "  ⋯ " + plural(hidden, "line")})
		}
		out = append(out, ls...)
		n += len(ls)
	}
	return out
}

// Tokens is that of the line.
func (f *Folded) Tokens(line int) int { return f.of.Tokens(f.Inner(line)) }

// Focus is that of the line.
func (f *Folded) Focus(line, tok int) Focus { return f.of.Focus(f.Inner(line), tok) }

// Seek returns the line to show, which is a head where the line itself is hidden.
func (f *Folded) Seek(sel *Selection, near int) int { return f.Row(f.of.Seek(sel, f.Inner(near))) }

// Text is that of the line, without what it hides.
func (f *Folded) Text(line int) string {
	if line < 0 || line >= f.Len() {
		return ""
	}
	return f.of.Text(f.Inner(line))
}

var _ Listing = (*Folded)(nil)
