package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/session"
)

// DiffForm is a form in which permutations are compared.
type DiffForm uint8

// The forms.
const (
	DiffDXBC DiffForm = iota
	DiffSSA
	DiffWGSL
	DiffBindings
	NumDiffForms = iota
)

// DiffForms are their names.
var DiffForms = [NumDiffForms]string{"dxbc", "ssa", "wgsl", "bindings"}

func (f DiffForm) String() string { return DiffForms[f] }

// MarshalText makes JSON print the word.
func (f DiffForm) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// DiffSide is one side of a comparison of permutations.
type DiffSide struct {
	Session *session.Session
	Perm    int
	Passes  []session.PassRef // that take part
	Stage   string            // only this one; empty: all
}

// Link is the link to a pass or stage of the side.
func (s *DiffSide) Link(ref session.PassRef, stage string) string {
	return s.Session.Link(s.Perm, ref, stage, -1).String()
}

// DiffStatus says how two stages compare.
type DiffStatus string

// The statuses.
const (
	DiffSame        DiffStatus = "same"        // one program under the same names
	DiffEqual       DiffStatus = "equal"       // the form is equal, up to names that mean nothing
	DiffChanged     DiffStatus = "changed"     // it is not
	DiffOnlyA       DiffStatus = "only-a"      // the other side has no such stage
	DiffOnlyB       DiffStatus = "only-b"      //
	DiffUnavailable DiffStatus = "unavailable" // one side does not have the form
)

// DiffSection is one stage of one pass on both sides.
type DiffSection struct {
	Name       string // "Main/0/ps"; in the form of bindings "Main/0"
	Status     DiffStatus
	Why        string // of DiffUnavailable: which side, and why
	Diff       *Diff  // of DiffEqual and DiffChanged
	RefA, RefB session.PassRef
	Stage      string
}

// Differs reports whether the sides mean different things here.
func (s *DiffSection) Differs() bool {
	return s.Status == DiffChanged || s.Status == DiffOnlyA || s.Status == DiffOnlyB
}

// PermDiff compares two permutations, pass by pass and stage by stage. As a listing it has
// a heading for every section and the changed lines below.
type PermDiff struct {
	A, B     DiffSide
	Form     DiffForm
	Sections []DiffSection
	rows     []permRow
}

type permRow struct{ section, row int32 } // row -1: the heading

// ComparePerms compiles what is missing and compares. Passes go together by name, or where
// each side has one alone. It fails when ctx ends or on a bug in the compiler.
func ComparePerms(ctx context.Context, a, b DiffSide, form DiffForm) (*PermDiff, error) {
	d := &PermDiff{A: a, B: b, Form: form}
	rest := slices.Clone(b.Passes)
	type pair struct {
		a, b *session.PassRef
		name string
	}
	var pairs []pair
	if len(a.Passes) == 1 && len(b.Passes) == 1 {
		name := a.Passes[0].String()
		if n := b.Passes[0].String(); n != name {
			name += " and " + n
		}
		pairs, rest = append(pairs, pair{&a.Passes[0], &b.Passes[0], name}), nil
	} else {
		for i := range a.Passes {
			name := a.Passes[i].String()
			p := pair{a: &a.Passes[i], name: name}
			if k := slices.IndexFunc(rest, func(r session.PassRef) bool { return r.String() == name }); k >= 0 {
				r := rest[k]
				p.b = &r
				rest = slices.Delete(rest, k, k+1)
			}
			pairs = append(pairs, p)
		}
	}
	for i := range rest {
		pairs = append(pairs, pair{b: &rest[i], name: rest[i].String()})
	}
	for _, p := range pairs {
		x, err := a.pass(ctx, p.a)
		if err != nil {
			return nil, err
		}
		y, err := b.pass(ctx, p.b)
		if err != nil {
			return nil, err
		}
		d.pair(p.name, p.a, p.b, x, y)
	}
	for i := range d.Sections {
		d.rows = append(d.rows, permRow{int32(i), -1})
		if s := &d.Sections[i]; s.Diff != nil {
			for r := range s.Diff.Len() {
				d.rows = append(d.rows, permRow{int32(i), int32(r)})
			}
		}
	}
	return d, nil
}

func (s *DiffSide) pass(ctx context.Context, ref *session.PassRef) (*compile.Pass, error) {
	if ref == nil {
		return nil, nil
	}
	p, err := s.Session.Compile(ctx, s.Perm, *ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Link(*ref, ""), err)
	}
	return p, nil
}

// pair adds the sections of one pass.
func (d *PermDiff) pair(name string, ra, rb *session.PassRef, x, y *compile.Pass) {
	section := DiffSection{Name: name}
	if ra != nil {
		section.RefA = *ra
	}
	if rb != nil {
		section.RefB = *rb
	}
	if d.Form == DiffBindings {
		d.bindings(section, x, y)
		return
	}
	stages := func(p *compile.Pass) []dxbc.ProgramKind {
		var out []dxbc.ProgramKind
		for i := 0; p != nil && i < len(p.Stages); i++ {
			out = append(out, p.Stages[i].Kind)
		}
		return out
	}
	kinds := stages(x)
	for _, k := range stages(y) {
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	stageOf := func(p *compile.Pass, k dxbc.ProgramKind) *compile.Stage {
		for i := 0; p != nil && i < len(p.Stages); i++ {
			if p.Stages[i].Kind == k {
				return p.Stages[i]
			}
		}
		return nil
	}
	for _, k := range kinds {
		stage := k.String()
		if d.A.Stage != "" && stage != d.A.Stage || d.B.Stage != "" && stage != d.B.Stage {
			continue
		}
		s := section
		s.Stage = stage
		s.Name += "/" + stage
		a, b := stageOf(x, k), stageOf(y, k)
		switch {
		case a == nil:
			s.Status = DiffOnlyB
		case b == nil:
			s.Status = DiffOnlyA
		case a == b || x == y:
			s.Status = DiffSame
		default:
			s.compare(d.form(a), d.form(b), a.Status, b.Status)
		}
		d.Sections = append(d.Sections, s)
	}
}

// compare fills in the difference of two listings; nil is a form that a side lacks.
func (s *DiffSection) compare(a, b Listing, sa, sb compile.Status) {
	switch {
	case a == nil && b == nil:
		s.Status, s.Why = DiffUnavailable, "both sides: "+sa.String()
	case a == nil:
		s.Status, s.Why = DiffUnavailable, "the first side: "+sa.String()
	case b == nil:
		s.Status, s.Why = DiffUnavailable, "the second side: "+sb.String()
	default:
		s.Diff, s.Status = NewDiff(a, b), DiffEqual
		if s.Diff.Len() > 0 {
			s.Status = DiffChanged
		}
	}
}

// form is a stage in the form that is compared, or nil.
func (d *PermDiff) form(st *compile.Stage) Listing {
	switch {
	case d.Form == DiffDXBC && st.Shader != nil && st.Shader.Program != nil:
		return NewDXBC(st.Shader.Program, st.Diags)
	case d.Form == DiffSSA && st.Func != nil:
		return NewSSA(st.Func, st.Diags)
	case d.Form == DiffWGSL && st.Module != nil:
		return NewWGSL(st.Module)
	}
	return nil
}

func (d *PermDiff) bindings(s DiffSection, x, y *compile.Pass) {
	plan := func(p *compile.Pass) (Listing, compile.Status) {
		if p.Plan == nil {
			return nil, p.Status
		}
		return Bindings(p.Plan), p.Status
	}
	switch {
	case x == nil:
		s.Status = DiffOnlyB
	case y == nil:
		s.Status = DiffOnlyA
	case x == y:
		s.Status = DiffSame
	default:
		a, sa := plan(x)
		b, sb := plan(y)
		s.compare(a, b, sa, sb)
	}
	d.Sections = append(d.Sections, s)
}

// Equal reports whether no section differs.
func (d *PermDiff) Equal() bool {
	return !slices.ContainsFunc(d.Sections, func(s DiffSection) bool { return s.Differs() })
}

// Complete reports whether every section could be compared.
func (d *PermDiff) Complete() bool {
	return !slices.ContainsFunc(d.Sections, func(s DiffSection) bool { return s.Status == DiffUnavailable })
}

// Summary counts sections and lines.
func (d *PermDiff) Summary() string {
	same, changed, added, removed := 0, 0, 0, 0
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Differs() {
			changed++
		} else if s.Status != DiffUnavailable {
			same++
		}
		if s.Diff != nil {
			added, removed = added+s.Diff.Added, removed+s.Diff.Removed
		}
	}
	return fmt.Sprintf("%d differ, %d equal, +%d -%d", changed, same, added, removed)
}

// Head says how a section compares, in one line.
func (s *DiffSection) Head() []Span {
	name := span(RoleName, Text(s.Name))
	switch s.Status {
	case DiffSame:
		return []Span{span(RoleOK, "✓ "), name, span(RoleDim, "  one unit: both sides share it")}
	case DiffEqual:
		t := "  equal"
		if s.Diff.Renamed > 0 {
			t += fmt.Sprintf(", %s only renamed", plural(s.Diff.Renamed, "line"))
		}
		return []Span{span(RoleOK, "✓ "), name, span(RoleDim, t)}
	case DiffOnlyA:
		return []Span{span(RoleRefused, "- "), name, span(RoleText, "  only the first side has it")}
	case DiffOnlyB:
		return []Span{span(RoleOK, "+ "), name, span(RoleText, "  only the second side has it")}
	case DiffUnavailable:
		return []Span{span(RoleWarning, "▲ "), name, span(RoleText, "  cannot be compared in this form; "+s.Why)}
	}
	t := fmt.Sprintf("  +%d -%d", s.Diff.Added, s.Diff.Removed)
	if s.Diff.Renamed > 0 {
		t += fmt.Sprintf(", %s only renamed", plural(s.Diff.Renamed, "line"))
	}
	return []Span{span(RoleNote, "~ "), name, span(RoleDim, t)}
}

// Len is the number of rows.
func (d *PermDiff) Len() int { return len(d.rows) }

// At returns the section of a row and the row of its diff, -1 for the heading.
func (d *PermDiff) At(line int) (s *DiffSection, row int) {
	if line < 0 || line >= len(d.rows) {
		return nil, -1
	}
	r := d.rows[line]
	return &d.Sections[r.section], int(r.row)
}

// Lines returns the rows inside w.
func (d *PermDiff) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(len(d.rows))
	out := make([]Line, 0, last-first)
	for i := first; i < last; i++ {
		s, row := d.At(i)
		if row < 0 {
			l := Line{Ref: NoRef, Spans: s.Head()}
			sel.line(&l, i, false)
			out = append(out, l)
			continue
		}
		part := NoSelection
		if sel != nil && sel.Line == i {
			part.Line, part.Focused = row, sel.Focused
		}
		l := s.Diff.one(row, &part)
		l.Spans = append([]Span{{Role: RoleText, Emph: lineEmph(l), Text: "  "}}, l.Spans...)
		out = append(out, l)
	}
	return out
}

// Text returns a row as plain text.
func (d *PermDiff) Text(line int) string {
	s, row := d.At(line)
	switch {
	case s == nil:
		return ""
	case row < 0:
		l := Line{Spans: s.Head()}
		return Text(l.Text())
	}
	return "  " + s.Diff.Text(row)
}

// Tokens is 0: rows are selected whole.
func (d *PermDiff) Tokens(int) int { return 0 }

// Focus is that of the second side.
func (d *PermDiff) Focus(line, _ int) Focus {
	if s, row := d.At(line); s != nil && row >= 0 {
		return s.Diff.Focus(row, 0)
	}
	return NoFocus
}

// Seek finds nothing: instructions of several stages are here.
func (d *PermDiff) Seek(*Selection, int) int { return -1 }

// Hunk is the first row of the next hunk behind a row, or with n below 0 of the one
// before; -1 where there is none.
func (d *PermDiff) Hunk(line, n int) int {
	change := func(i int) bool {
		s, row := d.At(i)
		if s == nil {
			return false
		}
		if row < 0 {
			return s.Status == DiffOnlyA || s.Status == DiffOnlyB
		}
		k := s.Diff.rows[row].kind
		return k == '+' || k == '-'
	}
	step := 1
	if n < 0 {
		step = -1
	}
	for i := line + step; i >= 0 && i < len(d.rows); i += step {
		if change(i) && !change(i-1) {
			return i
		}
	}
	return -1
}

// Unified writes the sections that differ as a unified diff, which other tools read; the
// names of the sides say what each one is.
func (d *PermDiff) Unified() string {
	var b strings.Builder
	for i := range d.Sections {
		s := &d.Sections[i]
		stage := s.Stage
		a, c := Text(d.A.Link(s.RefA, stage)), Text(d.B.Link(s.RefB, stage))
		switch s.Status {
		case DiffOnlyA:
			c = "/dev/null"
		case DiffOnlyB:
			a = "/dev/null"
		case DiffChanged:
		default:
			continue
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", a, c)
		if s.Diff == nil {
			continue
		}
		for _, h := range s.Diff.Hunks {
			fmt.Fprintf(&b, "@@ -%s +%s @@\n", lineRange(h.Old, h.OldRows), lineRange(h.New, h.NewRows))
			for r := h.Row; r < h.Row+h.Rows; r++ {
				b.WriteString(Text(s.Diff.Row(r)) + "\n")
			}
		}
	}
	return b.String()
}

// lineRange is a range of lines as unified diffs write it.
func lineRange(from, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, n)
}
