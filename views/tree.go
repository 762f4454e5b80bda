package views

import (
	"fmt"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
)

// PassNode is a pass as the tree shows it.
type PassNode struct {
	Technique string // raw
	TechIndex int
	Pass      int // -1: the technique has no passes
	Known     bool
	Err       string // why nothing is known of it
	Status    compile.Status
	Stages    []StageNode
}

// StageNode is a stage as the tree shows it.
type StageNode struct {
	Kind             dxbc.ProgramKind
	Known            bool
	Status           compile.Status
	Instrs           int // executable instructions and declarations
	Errors, Warnings int
}

// Tree is the listing of techniques, passes and stages with their marks.
type Tree struct {
	nodes []PassNode
	rows  []treeRow
	shown int // row of the pass or stage that the other panes show, or -1
}

type treeRow struct {
	kind        RefKind
	node, stage int32
}

// NewTree lists nodes, which are in file order. closed, by technique index, leaves out
// the passes of a technique.
func NewTree(nodes []PassNode, closed map[int]bool) *Tree {
	t := &Tree{nodes: nodes, shown: -1}
	for i := range nodes {
		n := &nodes[i]
		if i == 0 || nodes[i-1].TechIndex != n.TechIndex {
			t.rows = append(t.rows, treeRow{RefTechnique, int32(i), -1})
		}
		if closed[n.TechIndex] || n.Pass < 0 {
			continue
		}
		t.rows = append(t.rows, treeRow{RefPass, int32(i), -1})
		for s := range n.Stages {
			t.rows = append(t.rows, treeRow{RefStage, int32(i), int32(s)})
		}
	}
	return t
}

// Show marks the row of what the other panes show. A stage of -1 is the pass.
func (t *Tree) Show(node, stage int) {
	t.shown = t.Row(node, stage)
}

// Len is the number of rows, at least 1.
func (t *Tree) Len() int { return max(len(t.rows), 1) }

// Ref says what a row stands for. Index is the node, Part the stage.
func (t *Tree) Ref(line int) Ref {
	r := NoRef
	if line < 0 || line >= len(t.rows) {
		return r
	}
	row := t.rows[line]
	r.Kind, r.Index, r.Part = row.kind, row.node, row.stage
	return r
}

// Row returns the row of a stage, or of the pass where stage is -1.
func (t *Tree) Row(node, stage int) int {
	best := 0
	for i, r := range t.rows {
		if int(r.node) != node {
			continue
		}
		if r.kind == RefPass && stage < 0 || r.kind == RefStage && int(r.stage) == stage {
			return i
		}
		best = i
	}
	return best
}

// StatusGlyph is the mark of a status and its role.
func StatusGlyph(known bool, s compile.Status) (string, Role) {
	if !known {
		return "…", RolePending
	}
	switch s {
	case compile.Translated:
		return "✓", RoleOK
	case compile.NoCounterpart:
		return "∅", RoleMissing
	case compile.Refused:
		return "✗", RoleRefused
	}
	return "!", RoleRefused
}

// Lines returns the rows inside w.
func (t *Tree) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(t.Len())
	out := make([]Line, 0, last-first)
	for i := first; i < last; i++ {
		l := Line{Ref: t.Ref(i)}
		if len(t.rows) == 0 {
			l.Spans = []Span{span(RoleDim, "no passes")}
		} else {
			l.Spans = t.row(t.rows[i], w.Cols)
		}
		if i == t.shown {
			l.Mark |= MarkLinked
		}
		if sel != nil {
			sel.row(&l, i)
		}
		out = append(out, l)
	}
	return out
}

func (t *Tree) row(r treeRow, cols int) []Span {
	n := &t.nodes[r.node]
	switch r.kind {
	case RefTechnique:
		name := n.Technique
		if name == "" {
			name = "program"
		}
		spans := []Span{span(RoleName, Clip(name, cols))}
		if n.Pass < 0 {
			spans = append(spans, span(RoleDim, "  no passes"))
		}
		return spans
	case RefPass:
		g, role := StatusGlyph(n.Known, n.Status)
		text := ""
		switch {
		case n.Err != "":
			g, role, text = "!", RoleRefused, n.Err
		case !n.Known:
		case len(n.Stages) == 0:
			g, role, text = "✓", RoleOK, "no stages: state only"
		case n.Status != compile.Translated:
			text = n.Status.String()
		}
		return []Span{span(RoleText, "  "), span(role, g), span(RoleText, fmt.Sprintf(" pass %d ", n.Pass)),
			span(RoleDim, Clip(text, cols-11))}
	}
	s := &n.Stages[r.stage]
	g, role := StatusGlyph(s.Known, s.Status)
	spans := []Span{span(RoleText, "    "), span(role, g), span(RoleText, " "+s.Kind.String()+" "),
		span(RoleDim, padded(RoleDim, s.Kind.Long(), 9).Text)}
	switch {
	case !s.Known:
	case s.Errors > 0:
		spans = append(spans, span(RoleRefused, plural(s.Errors, "error")))
	case s.Status != compile.Translated:
		spans = append(spans, span(role, s.Status.String()))
	case s.Warnings > 0:
		spans = append(spans, span(RoleWarning, plural(s.Warnings, "warning")))
	case s.Instrs > 0:
		spans = append(spans, span(RoleDim, fmt.Sprintf("%d instr", s.Instrs)))
	}
	return spans
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Tokens is 0: rows are selected whole.
func (t *Tree) Tokens(int) int { return 0 }

// Focus is empty: the tree belongs to no instruction.
func (t *Tree) Focus(int, int) Focus { return NoFocus }

// Seek finds nothing.
func (t *Tree) Seek(*Selection, int) int { return -1 }

// Text returns a row as plain text.
func (t *Tree) Text(line int) string {
	if line < 0 || line >= len(t.rows) {
		return ""
	}
	l := Line{Spans: t.row(t.rows[line], 200)}
	return Text(l.Text())
}
