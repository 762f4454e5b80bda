package views

// Static is a listing of ready lines, for what is short: messages, tables, help.
type Static struct {
	lines []Line
	focus func(line int) Focus
	list  bool // rows are selected whole
}

// NewStatic lists lines. focus says what a line stands for; it may be nil.
func NewStatic(lines []Line, focus func(line int) Focus) *Static {
	return &Static{lines: lines, focus: focus}
}

// NewList is NewStatic for rows that are selected whole.
func NewList(lines []Line, focus func(line int) Focus) *Static {
	return &Static{lines: lines, focus: focus, list: true}
}

// Message lists paragraphs in one role each, for panes that have nothing else to show.
func Message(paragraphs ...Span) *Static {
	var ls []Line
	for _, p := range paragraphs {
		ls = append(ls, Line{Ref: NoRef, Spans: []Span{p}})
	}
	return NewStatic(ls, nil)
}

// Len is the number of lines.
func (s *Static) Len() int { return len(s.lines) }

// Lines returns the lines inside w.
func (s *Static) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(len(s.lines))
	out := make([]Line, 0, last-first)
	for i := first; i < last; i++ {
		l := s.lines[i]
		l.Spans = append([]Span(nil), l.Spans...)
		switch {
		case sel == nil:
		case s.list:
			sel.row(&l, i)
		default:
			sel.line(&l, i, s.linked(i, sel))
		}
		out = append(out, l)
	}
	return out
}

func (s *Static) linked(i int, sel *Selection) bool {
	r := s.lines[i].Ref
	return r.Kind == RefBinding && r.Index >= 0 && r.Index == sel.Binding ||
		r.Instr >= 0 && sel.Has(r.Instr) || r.Value >= 0 && sel.HasValue(r.Value)
}

// Ref says what a line stands for.
func (s *Static) Ref(line int) Ref {
	if line < 0 || line >= len(s.lines) {
		return NoRef
	}
	return s.lines[line].Ref
}

// Tokens is 0.
func (s *Static) Tokens(int) int { return 0 }

// Focus says what a line stands for.
func (s *Static) Focus(line, _ int) Focus {
	if s.focus == nil || line < 0 || line >= len(s.lines) {
		return NoFocus
	}
	return s.focus(line)
}

// Seek returns the line nearest to near that belongs to the selection.
func (s *Static) Seek(sel *Selection, near int) int {
	best := -1
	for i := range s.lines {
		if s.linked(i, sel) && (best < 0 || abs(i-near) < abs(best-near)) {
			best = i
		}
	}
	return best
}

// Text returns a line as plain text.
func (s *Static) Text(line int) string {
	if line < 0 || line >= len(s.lines) {
		return ""
	}
	return s.lines[line].Text()
}
