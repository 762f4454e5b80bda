package views

import (
	"fmt"

	"fxlens/core/effect"
)

// Axes is the listing of a file's permutation axes with their options: one row an axis,
// one an option, the one in force and the default marked.
type Axes struct {
	axes    []effect.Axis
	choice  []int
	compact bool
	rows    []axisRow
}

type axisRow struct{ axis, option int32 } // option -1: the axis itself

// NewAxes lists axes under a choice of one option index per axis. A compact listing has
// one row per axis, with its option.
func NewAxes(axes []effect.Axis, choice []int, compact bool) *Axes {
	a := &Axes{axes: axes, choice: choice, compact: compact}
	for i := range axes {
		a.rows = append(a.rows, axisRow{int32(i), -1})
		if compact {
			continue
		}
		for o := range axes[i].Options {
			a.rows = append(a.rows, axisRow{int32(i), int32(o)})
		}
	}
	return a
}

// Len is the number of rows, at least 1.
func (a *Axes) Len() int { return max(len(a.rows), 1) }

// Ref says what a row stands for: an axis or an option of it.
func (a *Axes) Ref(line int) Ref {
	r := NoRef
	if line < 0 || line >= len(a.rows) {
		return r
	}
	row := a.rows[line]
	r.Kind, r.Index = RefAxis, row.axis
	if row.option >= 0 {
		r.Kind, r.Sub = RefOption, row.option
	}
	return r
}

// Row returns the row of an option; in a compact listing, that of its axis.
func (a *Axes) Row(axis, option int) int {
	for i, r := range a.rows {
		if int(r.axis) == axis && (a.compact || int(r.option) == option) {
			return i
		}
	}
	return 0
}

// Lines returns the rows inside w.
func (a *Axes) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(a.Len())
	out := make([]Line, 0, last-first)
	for n := first; n < last; n++ {
		l := Line{Ref: a.Ref(n)}
		switch {
		case len(a.rows) == 0:
			l.Spans = []Span{span(RoleDim, "no axes: one permutation")}
		case a.compact:
			l.Spans = a.compactRow(n, w.Cols)
		case a.rows[n].option < 0:
			l.Spans = a.axisRow(n, w.Cols)
		default:
			l.Spans = a.optionRow(n, w.Cols)
		}
		if sel != nil {
			sel.row(&l, n)
		}
		out = append(out, l)
	}
	return out
}

func (a *Axes) axisRow(n, cols int) []Span {
	ax := &a.axes[a.rows[n].axis]
	name := Clip(ax.Name, cols)
	spans := []Span{span(RoleName, name)}
	rest := cols - Width(name) - 2
	if ax.Description != "" && rest > 8 {
		spans = append(spans, span(RoleDim, "  "+Clip(ax.Description, rest)))
	}
	return spans
}

const defaultWord = " default"

func (a *Axes) optionRow(n, cols int) []Span {
	row := a.rows[n]
	ax := &a.axes[row.axis]
	chosen, isDefault := a.option(row.axis) == int(row.option), ax.Default == int(row.option)
	mark, role := "  ○ ", RoleText
	if chosen {
		mark, role = "  ● ", RoleChosen
	}
	room := cols - Width(mark)
	if isDefault {
		room -= len(defaultWord)
	}
	spans := []Span{span(role, mark), span(role, Clip(ax.Options[row.option], room))}
	if isDefault {
		spans = append(spans, span(RoleDim, defaultWord))
	}
	return spans
}

func (a *Axes) compactRow(n, cols int) []Span {
	ax := &a.axes[a.rows[n].axis]
	name := Pad(Clip(ax.Name, cols/2), a.nameWidth(cols/2))
	o := a.option(a.rows[n].axis)
	count := fmt.Sprintf(" %d/%d", o+1, len(ax.Options))
	star := " "
	if o == ax.Default {
		star = "*"
	}
	value := ""
	if o >= 0 && o < len(ax.Options) {
		value = ax.Options[o]
	}
	room := cols - Width(name) - len(count) - 5
	return []Span{span(RoleName, name), span(RoleDim, " ‹"), span(RoleChosen, Clip(value, room)),
		span(RoleDim, "›"+star+count)}
}

// nameWidth is the width of the longest axis name, at most most.
func (a *Axes) nameWidth(most int) int {
	n := 0
	for i := range a.axes {
		n = max(n, Width(Clip(a.axes[i].Name, most)))
	}
	return n
}

func (a *Axes) option(axis int32) int {
	if int(axis) < len(a.choice) {
		return a.choice[axis]
	}
	return -1
}

// Tokens is 0: rows are selected whole.
func (a *Axes) Tokens(int) int { return 0 }

// Focus is empty: axes belong to no instruction.
func (a *Axes) Focus(int, int) Focus { return NoFocus }

// Seek finds nothing.
func (a *Axes) Seek(*Selection, int) int { return -1 }

// Text returns a row as "AXIS" or "AXIS=OPTION".
func (a *Axes) Text(line int) string {
	if line < 0 || line >= len(a.rows) {
		return ""
	}
	ax := &a.axes[a.rows[line].axis]
	o := int(a.rows[line].option)
	if a.compact {
		o = a.option(a.rows[line].axis)
	}
	if o < 0 || o >= len(ax.Options) {
		return Text(ax.Name)
	}
	return Text(ax.Name) + "=" + Text(ax.Options[o])
}
