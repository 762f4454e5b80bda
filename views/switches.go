package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"fxlens/core/switches"
	"fxlens/core/variant"
)

// SwitchRow is what a row of the Switches screen stands for.
type SwitchRow struct {
	Switch *variant.Switch // with Member: a value to choose
	Member bool
	Value  int
	Shader int          // -1: none
	Set    *variant.Set // of a variant
	Name   string       // of a declaration or chunk to look for in the text
}

var noSwitchRow = SwitchRow{Shader: -1}

// rowsBuilder collects lines with what they stand for.
type rowsBuilder struct {
	lines []Line
	rows  []SwitchRow
}

func (b *rowsBuilder) add(r SwitchRow, spans ...Span) {
	b.lines = append(b.lines, Line{Ref: NoRef, Spans: spans})
	b.rows = append(b.rows, r)
}

func (b *rowsBuilder) say(role Role, format string, args ...any) {
	b.add(noSwitchRow, Span{Role: role, Text: fmt.Sprintf(format, args...)})
}

// SwitchList lists switches with their values for a set, and the shaders with how many
// variants each has. What the chosen shader does not depend on is dim, and a dot marks
// shaders that flipping the switch under the cursor compiles again.
func SwitchList(w *switches.Workspace, t *variant.Set, shader int, under *variant.Switch) ([]Line, []SwitchRow) {
	var b rowsBuilder
	var depends []*variant.Switch
	if shader >= 0 && shader < len(w.Shaders) {
		depends = w.Shaders[shader].Switches
	}
	if len(w.Switches) == 0 {
		b.say(RoleDim, "there are no switches")
	}
	for i := range w.Switches {
		s := w.Switches[i].Switch
		name := RoleName
		if !slices.Contains(depends, s) {
			name = RoleDim
		}
		b.add(SwitchRow{Switch: s, Shader: -1}, Span{Role: name, Text: Text(s.Label())})
		now := t.Get(s)
		for _, m := range s.Members() {
			mark, role := "○ ", RoleText
			if m.Value == now {
				mark, role = "● ", RoleChosen
			} else if name == RoleDim {
				role = RoleDim
			}
			spans := []Span{{Role: RoleText, Text: "  "}, {Role: role, Text: mark + Text(m.Name)}}
			if m.Value == 0 {
				spans = append(spans, Span{Role: RoleDim, Text: " default"})
			}
			b.add(SwitchRow{Switch: s, Member: true, Value: m.Value, Shader: -1}, spans...)
		}
	}
	b.add(noSwitchRow)
	b.say(RoleTitle, "Shaders")
	var affected []int
	if under != nil {
		affected = w.Affected(under)
	}
	for i := range w.Shaders {
		s := &w.Shaders[i]
		mark, role := "  ", RoleText
		if slices.Contains(affected, i) {
			mark = "• "
		}
		if i == shader {
			role = RoleChosen
		}
		b.add(SwitchRow{Shader: i}, Span{Role: RoleNote, Text: mark}, Span{Role: role, Text: Text(s.Label)},
			Span{Role: RoleDim, Text: fmt.Sprintf("  %d", s.Variants())})
	}
	return b.lines, b.rows
}

// SwitchTree is a shader's graph: chunks with what they need, choices with every
// alternative. What is not part of the variant is dim.
func SwitchTree(tree []switches.TreeRow) ([]Line, []SwitchRow) {
	var b rowsBuilder
	for i := range tree {
		r := &tree[i]
		mark, role, row, note := "", RoleText, noSwitchRow, ""
		switch r.Kind {
		case switches.ShaderNode:
			role = RoleTitle
		case switches.ChunkNode, switches.UnitNode:
			mark, role, row.Name = "─ ", RoleFunction, r.Name
		case switches.ChoiceNode:
			mark, role = "◆ ", RoleName
			if r.Switch != nil {
				row.Switch = r.Switch
				note = "  by " + Text(r.Switch.Label())
			}
		case switches.AlternativeNode:
			mark, role = "○ ", RoleText
			row = SwitchRow{Switch: r.Switch, Member: r.Switch != nil, Value: r.Value, Shader: -1}
			if r.Selected {
				mark, role = "● ", RoleChosen
			}
		}
		switch {
		case r.Missing:
			note, role = "  there is no such alternative", RoleRefused
		case r.Again:
			note += "  see above"
		}
		if !r.Selected && !r.Missing && r.Kind != switches.ShaderNode {
			role = RoleDim
		}
		b.add(row, Span{Role: RoleBorder, Text: strings.Repeat("  ", min(r.Depth, 40)) + mark}, Span{Role: role, Text: Text(r.Name)}, Span{Role: RoleDim, Text: note})
	}
	return b.lines, b.rows
}

// SwitchBindings is the interface of a shader, the same for all its variants, with what
// this variant reads.
func SwitchBindings(v *switches.Variant) ([]Line, []SwitchRow) {
	var b rowsBuilder
	if len(v.Bindings) == 0 {
		b.say(RoleDim, "no bindings")
	}
	wide := 8
	for i := range v.Bindings {
		wide = min(max(wide, Width(Text(v.Bindings[i].Name))), 32)
	}
	for i := range v.Bindings {
		x := &v.Bindings[i]
		read, role := "read    ", RoleOK
		if !x.Read {
			read, role = "not read", RoleDim
		}
		spans := []Span{
			{Role: RoleAttribute, Text: fmt.Sprintf("%d/%-3d ", x.Group, x.Binding.Binding)},
			{Role: RoleResource, Text: Pad(Clip(x.Name, wide), wide)},
			{Role: role, Text: "  " + read + "  "},
			{Role: RoleType, Text: Text(x.Type)},
			{Role: RoleDim, Text: "  " + strings.Join(x.Visibility, " ")},
		}
		if x.Default != "" {
			spans = append(spans, Span{Role: RoleNote, Text: "  default: " + Text(x.Default)})
		}
		b.add(SwitchRow{Shader: -1, Name: x.Name}, spans...)
	}
	return b.lines, b.rows
}

// SwitchVariants is the table of a shader's variants: what each has, and what it drops and
// adds beside the one of all defaults.
func SwitchVariants(rows []switches.Row, now string) ([]Line, []SwitchRow) {
	var b rowsBuilder
	wide := 12
	names := make([]string, len(rows))
	for i := range rows {
		if names[i] = Text(rows[i].Set.String()); names[i] == "" {
			names[i] = "all defaults"
		}
		wide = min(max(wide, Width(names[i])), 48)
	}
	b.say(RoleTitle, "  %s %5s %5s %7s  %s", Pad("variant", wide), "funcs", "decls", "chars", "beside the default")
	for i := range rows {
		r := &rows[i]
		row := SwitchRow{Shader: r.Shader, Set: r.Set}
		mark, role := "  ", RoleText
		if r.Label == now {
			mark, role = "● ", RoleChosen
		}
		head := Span{Role: role, Text: mark + Pad(Clip(names[i], wide), wide)}
		switch {
		case r.Err != nil:
			b.add(row, head, Span{Role: RoleRefused, Text: "  ✗ " + Text(r.Err.Error())})
			continue
		case r.Reason != "":
			b.add(row, head, Span{Role: RoleRefused, Text: "  ✗ " + Text(r.Reason)})
			continue
		}
		b.add(row, head, Span{Role: RoleLiteral, Text: fmt.Sprintf(" %5d %5d %7d", r.Content.Functions, r.Content.Declarations, r.Content.Characters)},
			Span{Role: RoleDim, Text: "  " + beside(r)})
	}
	return b.lines, b.rows
}

// beside says in a few words how a variant differs from the default.
func beside(r *switches.Row) string {
	if r.Same != "" {
		return "as " + Text(r.Same)
	}
	var parts []string
	list := func(sign string, ps []switches.Part) {
		const most = 3
		for i, p := range ps {
			if i == most {
				parts = append(parts, fmt.Sprintf("%s%d more", sign, len(ps)-most))
				break
			}
			parts = append(parts, sign+Clip(p.Name, 30))
		}
	}
	list("-", r.Dropped)
	list("+", r.Added)
	if n := len(r.Changed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d changed", n))
	}
	if len(parts) == 0 {
		return "the same"
	}
	return strings.Join(parts, " ")
}

// SwitchChanges shows what two sets of a shader have differently, declaration by
// declaration.
func SwitchChanges(from, to string, changes []switches.Change) ([]Line, []SwitchRow) {
	var b rowsBuilder
	b.say(RoleDim, "- %s", Text(from))
	b.say(RoleDim, "+ %s", Text(to))
	b.add(noSwitchRow)
	if len(changes) == 0 {
		b.say(RoleOK, "no declaration differs")
	}
	for i := range changes {
		c := &changes[i]
		what := "differs"
		switch {
		case c.Was == "":
			what = "added"
		case c.Is == "":
			what = "dropped"
		}
		stage := ""
		if c.Stage != "" {
			stage = "  " + c.Stage
		}
		row := SwitchRow{Shader: -1, Name: c.Name}
		b.add(row, Span{Role: RoleKeyword, Text: c.Kind + " "}, Span{Role: RoleName, Text: Text(c.Name)}, Span{Role: RoleDim, Text: "  " + what + stage})
		b.changed(row, c.Was, c.Is)
		b.add(noSwitchRow)
	}
	return b.lines, b.rows
}

// changed shows a declaration's lines before and after, with three that both have around
// what differs.
func (b *rowsBuilder) changed(row SwitchRow, was, is string) {
	ended := func(s string) string {
		if s == "" || strings.HasSuffix(s, "\n") {
			return s
		}
		return s + "\n"
	}
	was, is = ended(was), ended(is)
	d, err := udiff.ToUnifiedDiff("", "", was, udiff.Lines(was, is), 3)
	if err != nil { // its edits are made from the same text: they fit
		return
	}
	for i, h := range d.Hunks {
		if i > 0 {
			b.add(row, Span{Role: RoleDim, Text: "  …"})
		}
		for _, l := range h.Lines {
			sign, role := "  ", RoleText
			switch l.Kind {
			case udiff.Delete:
				sign, role = "- ", RoleRefused
			case udiff.Insert:
				sign, role = "+ ", RoleOK
			}
			b.add(row, Span{Role: role, Text: sign + Text(strings.TrimRight(l.Content, "\r\n"))})
		}
	}
}

// SwitchFindings lists what an audit says, errors first.
func SwitchFindings(w *switches.Workspace, findings []switches.Finding) ([]Line, []SwitchRow) {
	var b rowsBuilder
	if len(findings) == 0 {
		b.say(RoleOK, "✓ what the chunks declare is what they read; nothing is unused or unfinished")
	}
	for i := range findings {
		f := &findings[i]
		g, role := "▲", RoleWarning
		if f.Error {
			g, role = "✗", RoleRefused
		}
		row := SwitchRow{Shader: -1, Name: f.Name}
		if n, err := w.Shader(f.Shader); f.Shader != "" && err == nil {
			row.Shader = n
		}
		if sets, err := w.Set(f.Set); f.Set != "" && err == nil && len(sets) == 1 {
			row.Set = sets[0]
		}
		place := f.File
		if place != "" && f.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, f.Line, f.Column)
		}
		b.add(row, Span{Role: role, Text: g + " " + f.Rule}, Span{Role: RoleLink, Text: "  " + Text(place)})
		text := f.Text
		if f.More > 0 {
			text += fmt.Sprintf(" (and for %d more)", f.More)
		}
		b.add(row, Span{Role: RoleText, Text: "    " + Text(text)})
		if f.Remedy != "" {
			b.add(row, Span{Role: RoleNote, Text: "    " + Text(f.Remedy)})
		}
	}
	return b.lines, b.rows
}
