package views

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Text makes s safe to print: whatever is not a printable character with a width of its
// own shows as a Go escape. That covers C0 and C1 controls, invalid UTF-8, bidirectional
// overrides, zero-width characters, combining marks and what joins its neighbour to one
// character, which could otherwise move the cursor, hide text, climb over other rows or
// make two spans together shorter than each alone. ansi.Strip is not enough: it keeps U+009B,
// \r, \b and U+202E. Text of its own result changes nothing.
//
// The painter sends every span through Text, so that no string from a file reaches the
// terminal raw; views call it too where they measure.
func Text(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c > 0x7e {
			return textSlow(s)
		}
	}
	return s
}

func textSlow(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unsafeRune) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			b.WriteString(`\x`)
			b.WriteByte(hexDigits[s[i]>>4])
			b.WriteByte(hexDigits[s[i]&15])
		case unsafeRune(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

const hexDigits = "0123456789abcdef"

// unsafeRune reports whether r must not reach a terminal as it is.
func unsafeRune(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Me, unicode.Variation_Selector, joining)
}

// joining are the characters that are no marks and yet make one grapheme cluster with
// what stands beside them (UAX 29): Hangul jamo, letters that precede or follow, half-width
// voicing, regional indicators, skin tones.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0d4e, 0x0d4e, 1}, {0x0e33, 0x0e33, 1}, {0x0eb3, 0x0eb3, 1}, {0x1100, 0x11ff, 1},
		{0xa960, 0xa97c, 1}, {0xd7b0, 0xd7fb, 1}, {0xff9e, 0xff9f, 1},
	},
	R32: []unicode.Range32{
		{0x111c2, 0x111c3, 1}, {0x1193f, 0x11942, 1}, {0x11a84, 0x11a89, 1}, {0x11d46, 0x11d46, 1},
		{0x11f02, 0x11f03, 1}, {0x1f1e6, 0x1f1ff, 1}, {0x1f3fb, 0x1f3ff, 1},
	},
}

// Width is the number of cells of s, measured as the renderer measures.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c > 0x7e {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Clip makes s safe and cuts it to n cells, the last one an ellipsis where something was
// cut. A name of 100 kB costs what its first n cells cost.
func Clip(s string, n int) string {
	if n <= 0 {
		return ""
	}
	// No cell is made of more than 4 bytes, and one cell more decides.
	const bytesPerCell = 4
	cut := false
	if limit := bytesPerCell * (n + 1); len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s, cut = s[:limit], true
	}
	s = Text(s)
	if !cut && Width(s) <= n {
		return s
	}
	head, _ := Cut(s, n-1)
	return head + "…"
}

// Cut splits safe text behind its first n cells. A wide character that would straddle
// the cut goes to the tail.
func Cut(s string, n int) (head, tail string) {
	if n <= 0 {
		return "", s
	}
	cells := 0
	for i := 0; i < len(s); {
		w, size := 1, 1
		if s[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(s[i:])
			w = ansi.StringWidth(s[i : i+size])
		}
		if cells+w > n {
			return s[:i], s[i:]
		}
		cells += w
		i += size
	}
	return s, ""
}

const blanks = "                                                                                                                                                                                                                                                                "

// Spaces returns n spaces without allocating for any screen width in use.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Pad fills s with spaces to n cells.
func Pad(s string, n int) string {
	if w := Width(s); w < n {
		return s + Spaces(n-w)
	}
	return s
}

// padLeft puts spaces before s to n cells.
func padLeft(s string, n int) string {
	if w := Width(s); w < n {
		return Spaces(n-w) + s
	}
	return s
}

// Wrap splits a line into rows of cols cells. Later rows are marked MarkMore, indented
// by indent cells and have a blank gutter.
func Wrap(l Line, cols, indent int) []Line {
	if cols <= 0 || l.Width() <= cols {
		return []Line{l}
	}
	if indent >= cols/2 {
		indent = 0
	}
	var out []Line
	row := Line{Ref: l.Ref, Mark: l.Mark, Gutter: l.Gutter}
	left := cols
	for _, s := range l.Spans {
		for s.Text != "" {
			head, tail := Cut(s.Text, left)
			if tail != "" && head == "" && left == cols-indent {
				head, tail = s.Text, "" // not even one character fits: let the painter cut it
			}
			if head != "" {
				h := s
				h.Text = head
				row.Spans = append(row.Spans, h)
				left -= Width(head)
			}
			if tail == "" {
				break
			}
			out = append(out, row)
			row = Line{Ref: l.Ref, Mark: l.Mark&^MarkCursor | MarkMore, Gutter: Spaces(Width(l.Gutter))}
			if indent > 0 {
				row.Spans = append(row.Spans, span(RoleDim, Spaces(indent)))
			}
			left = cols - indent
			s.Text = tail
		}
	}
	return append(out, row)
}

// Indent is the number of leading spaces of a line, for wrapping.
func Indent(l *Line) int {
	n := 0
	for _, s := range l.Spans {
		t := strings.TrimLeft(s.Text, " ")
		n += len(s.Text) - len(t)
		if t != "" {
			break
		}
	}
	return n
}

// MarkHits lays EmphHit over every occurrence of query, and EmphHitOn where the line is
// the cursor's. It folds case unless query has an upper-case letter.
func MarkHits(lines []Line, query string, cursor int, first int) {
	if query == "" {
		return
	}
	for i := range lines {
		l := &lines[i]
		e := EmphHit
		if first+i == cursor {
			e = EmphHitOn
		}
		text := l.Text()
		for from := 0; ; {
			at := Index(text[from:], query)
			if at < 0 {
				break
			}
			emphasise(l, from+at, len(query), e)
			from += at + len(query)
		}
	}
}

// Index returns the byte offset of query in s, folding ASCII case unless query has an
// upper-case letter, or -1.
func Index(s, query string) int {
	if query == "" || len(query) > len(s) {
		return -1
	}
	if strings.ContainsFunc(query, unicode.IsUpper) {
		return strings.Index(s, query)
	}
	c := query[0]
	for i := 0; i+len(query) <= len(s); i++ {
		if lower(s[i]) == c && foldEqual(s[i:i+len(query)], query) {
			return i
		}
	}
	return -1
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// foldEqual compares s with the lower-case query of the same length.
func foldEqual(s, query string) bool {
	for i := 0; i < len(s); i++ {
		if lower(s[i]) != query[i] {
			return false
		}
	}
	return true
}

// emphasise lays e over n bytes of the line's text from off on, splitting spans. What
// already has a stronger emphasis keeps it.
func emphasise(l *Line, off, n int, e Emph) {
	out := make([]Span, 0, len(l.Spans)+2)
	pos := 0
	for _, s := range l.Spans {
		a, b := max(off-pos, 0), min(off+n-pos, len(s.Text))
		pos += len(s.Text)
		if a >= b || s.Emph >= e {
			out = append(out, s)
			continue
		}
		for k, t := range [3]string{s.Text[:a], s.Text[a:b], s.Text[b:]} {
			if t == "" {
				continue
			}
			p := s
			p.Text = t
			if k == 1 {
				p.Emph = e
			}
			out = append(out, p)
		}
	}
	l.Spans = out
}
