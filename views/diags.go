package views

import (
	"fmt"
	"strings"

	"fxlens/core/diag"
)

// SeverityGlyph is the mark of a severity and its role.
func SeverityGlyph(s diag.Severity) (string, Role) {
	switch s {
	case diag.Error:
		return "✗", RoleRefused
	case diag.Warning:
		return "▲", RoleWarning
	}
	return "·", RoleNote
}

// Diagnostics is the list of a pass's findings.
func Diagnostics(ds []diag.Diag) *Static {
	if len(ds) == 0 {
		return Message(span(RoleOK, "✓ no diagnostics"))
	}
	lines := make([]Line, len(ds))
	for i := range ds {
		d := &ds[i]
		g, role := SeverityGlyph(d.Sev)
		r := NoRef
		r.Kind, r.Index, r.Instr = RefDiag, int32(i), int32(d.At.Index())
		lines[i] = Line{Ref: r, Spans: []Span{span(role, g+" "), span(RoleLink, Text(place(d.At))), span(RoleText, " "),
			span(role, string(d.Code)), span(RoleText, "  "+Text(d.Text))}}
	}
	return NewList(lines, func(line int) Focus {
		f := NoFocus
		if line >= 0 && line < len(ds) {
			f.Instr = int32(ds[line].At.Index())
		}
		return f
	})
}

// place is a location without its permutation, which the screen shows elsewhere.
func place(l diag.Loc) string {
	l.Permutation = ""
	s := strings.TrimPrefix(l.String(), "#")
	if s == "" {
		return "file"
	}
	return s
}

// Detail lays one diagnostic out for the panel: what, where, rule, remedy, related
// places; n of total say where it stands in the walk.
func Detail(d *diag.Diag, n, total, cols int) []Line {
	g, role := SeverityGlyph(d.Sev)
	head := Line{Ref: NoRef, Spans: []Span{
		span(role, g+" "+d.Sev.String()+" "), span(role, string(d.Code)),
		span(RoleLink, "  "+Text(place(d.At))), span(RoleDim, fmt.Sprintf("  %d of %d", n+1, total))}}
	out := []Line{head}
	para := func(label string, r Role, text string) {
		if text == "" {
			return
		}
		l := Line{Ref: NoRef, Spans: []Span{span(RoleTitle, label), span(r, Text(text))}}
		out = append(out, WrapWords(l, cols, Width(label))...)
	}
	para("", RoleText, d.Text)
	remedy := d.Remedy
	if remedy == "" || remedy == "none" {
		remedy = "none: nothing that you can set or supply changes this"
	}
	para("remedy  ", RoleText, remedy)
	if info, ok := diag.Lookup(d.Code); ok {
		para("rule    ", RoleDim, info.Rule)
	}
	for _, r := range d.Notes {
		para("see     ", RoleDim, place(r.At)+": "+r.Text)
	}
	return out
}

// WrapWords splits a line between words into rows of cols cells, later rows indented.
func WrapWords(l Line, cols, indent int) []Line {
	if cols <= 0 || l.Width() <= cols {
		return []Line{l}
	}
	if indent >= cols/2 {
		indent = 0
	}
	var out []Line
	row, used := Line{Ref: l.Ref, Mark: l.Mark}, 0
	flush := func() {
		out = append(out, row)
		row = Line{Ref: l.Ref}
		used = 0
		if indent > 0 {
			row.Spans = append(row.Spans, span(RoleText, Spaces(indent)))
			used = indent
		}
	}
	for _, s := range l.Spans {
		rest := s.Text
		for rest != "" {
			// A word takes its trailing blanks along; those may hang over the edge.
			n := strings.IndexByte(rest, ' ')
			word := rest
			if n >= 0 {
				for n < len(rest) && rest[n] == ' ' {
					n++
				}
				word = rest[:n]
			}
			w := Width(strings.TrimRight(word, " "))
			if used+w > cols && used > indent {
				flush()
			}
			if used+w > cols { // longer than a row
				head, _ := Cut(word, cols-used)
				if head == "" {
					head = word
				}
				word = head
			}
			rest = rest[len(word):]
			if over := used + Width(word) - cols; over > 0 {
				word = strings.TrimRight(word, " ")
			}
			p := s
			p.Text = word
			row.Spans = append(row.Spans, p)
			used += Width(word)
		}
	}
	return append(out, row)
}
