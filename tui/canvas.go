package tui

import (
	"fxlens/views"
)

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// canvas is one frame as spans: for every row the spans that fill it. Its rows are
// reused from frame to frame.
type canvas struct {
	w, h  int
	rows  [][]views.Span
	width []int // cells filled so far
	tmp   []views.Span
}

// reset empties the canvas for a frame of w by h cells.
func (c *canvas) reset(w, h int) {
	c.w, c.h = w, h
	for len(c.rows) < h {
		c.rows = append(c.rows, nil)
		c.width = append(c.width, 0)
	}
	for y := range h {
		c.rows[y] = c.rows[y][:0]
		c.width[y] = 0
	}
}

// put lays spans at x of row y in exactly w cells: their first skip cells are left out,
// what is too long is cut, what is too short is filled with blanks under fill. Whatever
// lies there already is covered. This is the one place where text from a file turns into
// cells, so every span goes through views.Text here.
func (c *canvas) put(x, y, w int, spans []views.Span, skip int, fill views.Span) {
	if y < 0 || y >= c.h || x < 0 || w <= 0 || x >= c.w {
		return
	}
	w = min(w, c.w-x)
	row := c.rows[y]
	at := c.width[y]
	var tail []views.Span
	if x < at { // cover what is there: keep what lies left and right
		c.tmp = append(c.tmp[:0], row...)
		row = cutSpans(row[:0], c.tmp, 0, x)
		if x+w < at {
			tail = cutSpans(nil, c.tmp, x+w, at)
		}
	} else if x > at {
		row = append(row, views.Span{Text: views.Spaces(x - at)})
	}
	left := w
	for _, s := range spans {
		if left <= 0 {
			break
		}
		t := views.Text(s.Text)
		n := views.Width(t)
		if skip > 0 {
			if n <= skip {
				skip -= n
				continue
			}
			head, rest := views.Cut(t, skip)
			t = rest
			n -= views.Width(head)
			if views.Width(head) < skip && t != "" { // a wide character straddles the edge
				_, t = views.Cut(t, 2)
				t = " " + t
				n = views.Width(t)
			}
			skip = 0
		}
		if n > left {
			t, _ = views.Cut(t, left)
			n = views.Width(t)
		}
		if t == "" {
			continue
		}
		s.Text = t
		row = append(row, s)
		left -= n
		if n == 0 {
			break
		}
	}
	if left > 0 {
		fill.Text = views.Spaces(left)
		row = append(row, fill)
	}
	row = append(row, tail...)
	c.rows[y] = row
	c.width[y] = max(at, x+w)
}

// cutSpans appends the cells from from to to of safe spans to dst.
func cutSpans(dst, spans []views.Span, from, to int) []views.Span {
	pos := 0
	for _, s := range spans {
		n := views.Width(s.Text)
		a, b := max(from-pos, 0), min(to-pos, n)
		pos += n
		if a >= b {
			continue
		}
		t := s.Text
		if a > 0 {
			head, rest := views.Cut(t, a)
			t = views.Spaces(a-views.Width(head)) + rest
			if views.Width(head) < a {
				_, rest = views.Cut(rest, 2)
				t = " " + rest
			}
		}
		if b < n {
			t, _ = views.Cut(t, b-a)
			t = views.Pad(t, b-a)
		}
		s.Text = t
		dst = append(dst, s)
	}
	return dst
}
