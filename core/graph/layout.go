package graph

import (
	"fmt"
	"slices"

	"fxlens/core/effect"
	"fxlens/core/session"
)

// Layout puts a graph into a grid: the options of the axes in Rows make the rows, the
// first axis varying slowest, and those in Cols the columns. All other axes have the
// options of the permutation Fixed.
type Layout struct {
	Rows, Cols []int
	Fixed      int
}

// Auto puts every axis somewhere: columns, from the last axis on, as long as there are
// not more than width, at least one axis where there is one; the others are rows.
func (g *Graph) Auto(width int) Layout {
	l := Layout{Fixed: g.Default()}
	cols, at := 1, len(g.Axes)
	for at > 0 {
		n := len(g.Axes[at-1].Options)
		if cols > 1 && cols*n > width {
			break
		}
		cols *= n
		at--
		if cols >= width {
			break
		}
	}
	for a := range g.Axes {
		if a < at {
			l.Rows = append(l.Rows, a)
		} else {
			l.Cols = append(l.Cols, a)
		}
	}
	return l
}

// Layout makes the layout that names ask for. It fails with a *session.LinkError on an
// axis that there is not, or that is named twice.
func (g *Graph) Layout(rows, cols []string, fixed int) (Layout, error) {
	l := Layout{Fixed: fixed}
	var names []string
	for i := range g.Axes {
		names = append(names, g.Axes[i].Name)
	}
	seen := map[int]bool{}
	for k, list := range [][]string{rows, cols} {
		for _, n := range list {
			a := slices.Index(names, n)
			switch {
			case a < 0:
				return l, &session.LinkError{Link: n, Reason: "there is no such axis", Hint: session.Hint(n, names)}
			case seen[a]:
				return l, &session.LinkError{Link: n, Reason: "the axis is named twice", Hint: "an axis makes rows or columns, once"}
			}
			seen[a] = true
			if k == 0 {
				l.Rows = append(l.Rows, a)
			} else {
				l.Cols = append(l.Cols, a)
			}
		}
	}
	return l, nil
}

// Size is the number of rows and columns, at least one each.
func (l *Layout) Size(g *Graph) (rows, cols int) { return span(g, l.Rows), span(g, l.Cols) }

func span(g *Graph, axes []int) int {
	n := 1
	for _, a := range axes {
		n *= len(g.Axes[a].Options)
	}
	return n
}

// Perm is the permutation of a cell.
func (l *Layout) Perm(g *Graph, row, col int) int {
	p := l.Fixed
	for k, axes := range [2][]int{l.Rows, l.Cols} {
		n := row
		if k == 1 {
			n = col
		}
		for i := len(axes) - 1; i >= 0; i-- {
			o := len(g.Axes[axes[i]].Options)
			p = g.With(p, axes[i], n%o)
			n /= o
		}
	}
	return p
}

// Cell is where a permutation is, and whether it is in the grid: its fixed axes have the
// layout's options.
func (l *Layout) Cell(g *Graph, perm int) (row, col int, ok bool) {
	row, col = place(g, l.Rows, perm), place(g, l.Cols, perm)
	return row, col, l.Perm(g, row, col) == perm
}

func place(g *Graph, axes []int, perm int) int {
	n := 0
	for _, a := range axes {
		n = n*len(g.Axes[a].Options) + g.Option(perm, a)
	}
	return n
}

// Others are the axes that the grid does not show, in order.
func (l *Layout) Others(g *Graph) []int {
	var out []int
	for a := range g.Axes {
		if !slices.Contains(l.Rows, a) && !slices.Contains(l.Cols, a) {
			out = append(out, a)
		}
	}
	return out
}

// Show returns the layout with the fixed axes as the permutation has them, so that its
// cell is in the grid.
func (l Layout) Show(perm int) Layout {
	l.Fixed = perm
	return l
}

// Put returns the layout with an axis behind the others of its side: "rows", "columns",
// or neither, where it is fixed.
func (l Layout) Put(axis int, side string) Layout {
	not := func(a int) bool { return a == axis }
	l.Rows = slices.DeleteFunc(slices.Clone(l.Rows), not)
	l.Cols = slices.DeleteFunc(slices.Clone(l.Cols), not)
	switch side {
	case "rows":
		l.Rows = append(l.Rows, axis)
	case "columns":
		l.Cols = append(l.Cols, axis)
	}
	return l
}

// Text says where every axis is.
func (l *Layout) Text(g *Graph) string {
	list := func(axes []int) string {
		s := ""
		for i, a := range axes {
			if i > 0 {
				s += ", "
			}
			s += g.Axes[a].Name
		}
		if s == "" {
			return "none"
		}
		return s
	}
	s := fmt.Sprintf("rows %s; columns %s", list(l.Rows), list(l.Cols))
	for i, a := range l.Others(g) {
		if i == 0 {
			s += "; with "
		} else {
			s += ", "
		}
		s += optionText(&g.Axes[a], g.Option(l.Fixed, a))
	}
	return s
}

func optionText(a *effect.Axis, option int) string { return a.Name + "=" + ShortOptions(a)[option] }
