package views

import "strings"

// Bars turns the indentation of lines into bars, one for each region around the line, so
// that the eye finds what a line is nested in. Text for copying and searching has none.
func Bars(lines []Line) {
	for i := range lines {
		l := &lines[i]
		for k := range l.Spans {
			s := &l.Spans[k]
			if s.Role == RoleBorder || k == 0 && (s.Text == "+ " || s.Text == "- ") {
				continue // the sign of an interleaved line or of a change
			}
			n := 0
			for n < len(s.Text) && s.Text[n] == ' ' {
				n++
			}
			if n < 2 || s.Tok != 0 {
				break
			}
			bar := Span{Role: RoleBorder, Emph: s.Emph, Text: barText(n)}
			rest := *s
			rest.Text = s.Text[n:]
			out := append(l.Spans[:k:k], bar)
			if rest.Text != "" {
				out = append(out, rest)
			}
			l.Spans = append(out, l.Spans[k+1:]...)
			break
		}
	}
}

var barRow = strings.Repeat("│ ", 64)

// barText is n cells of bars.
func barText(n int) string {
	n = min(n, 128)
	s := barRow[:n/2*4] // a bar takes three bytes, the space behind it one
	if n%2 == 1 {
		s += " "
	}
	return s
}

// Dimmed takes the roles of a line away: it is there, and not what is looked for.
func Dimmed(l *Line) {
	for i := range l.Spans {
		l.Spans[i].Role = RoleDim
	}
}
