package main

import (
	"strconv"
	"strings"

	"fxlens/views"
)

// text makes text of several lines safe to print: line breaks and tabs stay, and
// everything else that is not printable shows as an escape.
func text(s string) string {
	if !strings.ContainsAny(s, "\n\t") {
		return views.Text(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		i := strings.IndexAny(s, "\n\t")
		if i < 0 {
			i = len(s)
		}
		b.WriteString(views.Text(s[:i]))
		if i < len(s) {
			b.WriteByte(s[i])
			i++
		}
		s = s[i:]
	}
	return b.String()
}

// table is rows of cells, printed in columns that are as wide as they must be.
type table struct {
	indent string
	rows   [][]string
}

// add appends a row. Cells are escaped; the last one of a row is not padded.
func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = views.Text(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func (t *table) String() string {
	var width []int
	for _, r := range t.rows {
		for i, c := range r[:max(0, len(r)-1)] {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], views.Width(c))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		line := t.indent
		for i, c := range r {
			line += c
			if i < len(r)-1 {
				line += strings.Repeat(" ", width[i]-views.Width(c)+2)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// plural writes a count with its noun: "1 pass", "2 passes".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
