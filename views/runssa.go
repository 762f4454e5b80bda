package views

import (
	"fmt"
	"strings"

	"fxlens/core/ir"
)

// RunValue is what a value of the SSA form is at a moment of a run.
type RunValue struct {
	Words   []uint32 // of its lanes; nil: it is not computed yet
	Changed bool     // by the last step
	Watched bool
}

// RunSSA lists lines of an SSA form, what their values are before each. Lines of the next
// instruction, or none if it is negative, have the mark of the step.
func RunSSA(v *SSA, w Window, sel *Selection, t WordType, value func(ir.ValueID) RunValue, next int32) []Line {
	col := min(max(w.Cols*2/5, 12), 46)
	w.Cols -= col + 4
	first, _ := w.clip(v.Len())
	out := v.Lines(w, sel)
	for i := range out {
		l := &out[i]
		x, text := RunValue{}, ""
		if id := l.Ref.Value; id >= 0 {
			x = value(id)
			text = "·"
			if x.Words != nil {
				text = FormatWords(t, x.Words)
			}
			if v.f.Values[id].N == 0 {
				text = ""
			}
		}
		step, mark, role := " ", " ", RoleLiteral
		if next >= 0 && l.Ref.Instr == next && first+i > 0 && l.Ref.Kind != RefNone {
			step = "▶"
		}
		switch {
		case x.Watched:
			mark = "◉"
		case x.Changed:
			mark = "~"
		}
		switch {
		case x.Words == nil:
			role = RoleDim
		case x.Changed:
			role = RoleChosen
		}
		spans := []Span{span(RoleChosen, step), span(role, mark), padded(role, text, col), span(RoleDim, "  ")}
		l.Gutter, l.Spans = "", append(spans, l.Spans...)
	}
	return out
}

// FormatWords prints words in a reading.
func FormatWords(t WordType, words []uint32) string {
	var out []string
	for _, w := range words {
		out = append(out, t.Format(w))
	}
	return strings.Join(out, " ")
}

// RunReadings prints words in every reading: one word on one line, several on a line each
// reading.
func RunReadings(name string, words []uint32, cols int) []Line {
	if len(words) == 1 {
		l := Line{Ref: NoRef, Spans: []Span{span(RoleValue, name)}}
		for t := range WordType(NumWordTypes) {
			l.Spans = append(l.Spans, span(RoleDim, "  "+t.String()+" "), span(RoleLiteral, t.Format(words[0])))
		}
		return WrapWords(l, cols, Width(name)+2)
	}
	var out []Line
	for t := range WordType(NumWordTypes) {
		text := fmt.Sprintf("%-6s%s", t, FormatWords(t, words))
		head := Spaces(Width(name))
		if t == 0 {
			head = name
		}
		l := Line{Ref: NoRef, Spans: []Span{span(RoleValue, head+"  "), span(RoleLiteral, text)}}
		out = append(out, WrapWords(l, cols, Width(name)+8)...)
	}
	return out
}

// RunWatch is a watched register lane, or a lane of a watched value.
type RunWatch struct {
	Name    string
	Word    uint32
	There   bool // it has a value by now
	Changed bool
}

// RunWatches lists what is watched in every reading, one column each.
func RunWatches(list []RunWatch, w Window) []Line {
	first, last := w.clip(len(list))
	name := 6
	for i := range list {
		name = max(name, min(Width(list[i].Name)+1, 16))
	}
	cell := max((w.Cols-name-2)/NumWordTypes, 11)
	var out []Line
	for _, x := range list[first:last] {
		mark, role := " ", RoleLiteral
		if x.Changed {
			mark, role = "~", RoleChosen
		}
		l := Line{Ref: NoRef, Spans: []Span{padded(RoleRegister, x.Name, name), span(role, mark+" ")}}
		for t := range WordType(NumWordTypes) {
			text := "·"
			if x.There {
				text = t.Format(x.Word)
			}
			l.Spans = append(l.Spans, padded(role, Clip(text, cell-1), cell))
		}
		out = append(out, l)
	}
	return out
}

// RunWatchHead names the columns of RunWatches.
func RunWatchHead() string {
	var out []string
	for t := range WordType(NumWordTypes) {
		out = append(out, t.String())
	}
	return "as " + strings.Join(out, ", ")
}
