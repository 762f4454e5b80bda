package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/qualify"
)

// CorpusRow is what the table of a corpus keeps of a file.
type CorpusRow struct {
	Path, Kind     string
	Status         qualify.Status
	Size           int64 // bytes
	Permutations   int
	Passes, Stages qualify.Tally // distinct ones
	WGSLBytes      int
	// Reasons are the errors of the file: each code once, those with most places first.
	Reasons []CorpusReason
}

// CorpusReason is one diagnostic code of a file.
type CorpusReason struct {
	Code    string
	Count   int    // distinct places
	Link    string // the first place
	Message string // there
	Remedy  string // there; empty: none
}

// NewCorpusRow sums a result up.
func NewCorpusRow(f *qualify.File) *CorpusRow {
	r := f.Row()
	row := &CorpusRow{Path: f.Path, Kind: f.Kind, Status: f.Status, Size: f.Size, Permutations: r.Permutations,
		Passes: r.Passes, Stages: r.Stages, WGSLBytes: r.WGSLBytes}
	at := map[string]int{}
	see := func(d *qualify.Diag, link string) {
		if d.Severity != "error" {
			return
		}
		i, known := at[d.Code]
		if !known {
			i = len(row.Reasons)
			at[d.Code] = i
			row.Reasons = append(row.Reasons, CorpusReason{Code: d.Code, Link: link, Message: d.Message, Remedy: d.Remedy})
		}
		row.Reasons[i].Count++
	}
	for i := range f.Diagnostics {
		see(&f.Diagnostics[i], "")
	}
	uses := f.Uses()
	for i, u := range f.Units {
		for j := range u.Diagnostics {
			d := &u.Diagnostics[j]
			see(d, f.Link(uses[i], d.Stage, d.Instr))
		}
	}
	slices.SortStableFunc(row.Reasons, func(a, b CorpusReason) int { return cmp.Compare(b.Count, a.Count) })
	return row
}

// CorpusSort is an order of the table's rows.
type CorpusSort uint8

// The orders; ties go by path.
const (
	CorpusByPath    CorpusSort = iota
	CorpusByStatus             // the worst first
	CorpusByRefused            // most stages that are not translated first
	CorpusByReason             // by the first reason's code
	CorpusBySize               // the largest first
	NumCorpusSorts  = iota
)

var corpusSortNames = [NumCorpusSorts]string{"path", "status", "stages left", "reason", "size"}

// String is the order's name on the screen.
func (s CorpusSort) String() string { return corpusSortNames[s] }

func (s CorpusSort) compare(a, b *CorpusRow) int {
	n := 0
	switch s {
	case CorpusByStatus:
		n = cmp.Compare(badness(b.Status), badness(a.Status))
	case CorpusByRefused:
		n = cmp.Compare(b.Stages.Total-b.Stages.Qualified, a.Stages.Total-a.Stages.Qualified)
	case CorpusByReason:
		if n = cmp.Compare(min(len(b.Reasons), 1), min(len(a.Reasons), 1)); n == 0 && len(a.Reasons) > 0 {
			n = cmp.Compare(a.Reasons[0].Code, b.Reasons[0].Code)
		}
	case CorpusBySize:
		n = cmp.Compare(b.Size, a.Size)
	}
	if n == 0 {
		n = cmp.Compare(a.Path, b.Path)
	}
	return n
}

// badness orders statuses for people: what can be worked on comes before what is no shader.
func badness(s qualify.Status) int {
	if s == qualify.Ignored {
		return -1
	}
	return int(s)
}

// CorpusFilter leaves rows out of the table: words that all must occur in path, kind,
// status or a reason's code, without regard to case. "!word" must not occur.
type CorpusFilter []string

// ParseCorpusFilter splits what the user typed.
func ParseCorpusFilter(text string) CorpusFilter {
	return strings.Fields(strings.ToLower(text))
}

// Match reports whether a row stays.
func (f CorpusFilter) Match(r *CorpusRow) bool {
	for _, w := range f {
		w, not := strings.CutPrefix(w, "!")
		if w != "" && r.has(w) == not {
			return false
		}
	}
	return true
}

func (r *CorpusRow) has(word string) bool {
	if Index(r.Path, word) >= 0 || strings.HasPrefix(r.Kind, word) || strings.HasPrefix(r.Status.String(), word) {
		return true
	}
	return slices.ContainsFunc(r.Reasons, func(x CorpusReason) bool { return strings.Contains(x.Code, word) })
}

// Corpus is the table of a corpus: one line a file or, grouped, a heading for each
// reason with the files that have it.
type Corpus struct {
	rows  []*CorpusRow
	lines []corpusLine
}

type corpusLine struct {
	row    int    // index into rows, or -1 for a heading
	reason string // the group's code; empty: the files without a reason
	count  int    // of a heading: files below it
}

// NewCorpus makes the table of the rows that a filter leaves, in an order.
func NewCorpus(rows []*CorpusRow, f CorpusFilter, by CorpusSort, grouped bool) *Corpus {
	c := &Corpus{rows: rows}
	var shown []int
	for i, r := range rows {
		if f.Match(r) {
			shown = append(shown, i)
		}
	}
	slices.SortFunc(shown, func(a, b int) int { return by.compare(rows[a], rows[b]) })
	if !grouped {
		c.lines = make([]corpusLine, len(shown))
		for k, i := range shown {
			c.lines[k] = corpusLine{row: i}
		}
		return c
	}
	groups := map[string][]int{}
	var codes []string
	for _, i := range shown {
		rs := rows[i].Reasons
		if len(rs) == 0 {
			groups[""] = append(groups[""], i)
		}
		for _, r := range rs {
			if groups[r.Code] == nil {
				codes = append(codes, r.Code)
			}
			groups[r.Code] = append(groups[r.Code], i)
		}
	}
	slices.SortFunc(codes, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(a, b))
	})
	if len(groups[""]) > 0 {
		codes = append(codes, "")
	}
	for _, code := range codes {
		c.lines = append(c.lines, corpusLine{row: -1, reason: code, count: len(groups[code])})
		for _, i := range groups[code] {
			c.lines = append(c.lines, corpusLine{row: i, reason: code})
		}
	}
	return c
}

// Len is the number of lines.
func (c *Corpus) Len() int { return len(c.lines) }

// Row returns the file of a line and the reason that it stands under, which may be
// empty; nil for a heading.
func (c *Corpus) Row(line int) (*CorpusRow, string) {
	if line < 0 || line >= len(c.lines) {
		return nil, ""
	}
	l := c.lines[line]
	if l.row < 0 {
		return nil, l.reason
	}
	return c.rows[l.row], l.reason
}

// Find returns the line of a file, under the same reason if there is such a line, or -1.
func (c *Corpus) Find(path, reason string) int {
	best := -1
	for k, l := range c.lines {
		if l.row < 0 || c.rows[l.row].Path != path {
			continue
		}
		if l.reason == reason {
			return k
		}
		if best < 0 {
			best = k
		}
	}
	return best
}

// Widths of the columns; the path takes what is left, the reason a third of it.
const (
	corpusKind   = 8
	corpusPerms  = 6
	corpusStages = 11
	corpusSize   = 9
)

func corpusPath(cols int) (path, reason int) {
	left := max(cols-2-corpusKind-corpusPerms-corpusStages-corpusSize-2, 20)
	reason = min(left*2/5, 40)
	return left - reason, reason
}

// CorpusHead is the line of column names.
func CorpusHead(cols int) Line {
	p, r := corpusPath(cols)
	return Line{Ref: NoRef, Spans: []Span{span(RoleDim, "  "+Pad("file", p)+Pad("kind", corpusKind)+padLeft("perms", corpusPerms)+
		padLeft("stages", corpusStages)+padLeft("bytes", corpusSize)+"  "+Pad("first reason", r))}}
}

// QualifyGlyph is the mark of a result's status and its role.
func QualifyGlyph(s qualify.Status) (string, Role) {
	switch s {
	case qualify.Qualified:
		return "✓", RoleOK
	case qualify.Partial:
		return "▲", RoleWarning
	case qualify.Unsupported:
		return "✗", RoleRefused
	case qualify.Ignored:
		return "·", RoleDim
	}
	return "!", RoleRefused
}

// Lines returns the lines inside w.
func (c *Corpus) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(len(c.lines))
	out := make([]Line, 0, last-first)
	for i := first; i < last; i++ {
		l := Line{Ref: NoRef}
		l.Ref.Index = int32(i)
		if x := c.lines[i]; x.row < 0 {
			name := x.reason
			if name == "" {
				name = "no reason"
			}
			l.Spans = []Span{span(RoleTitle, Clip(Text(name), max(w.Cols-14, 8))), span(RoleDim, fmt.Sprintf("  %d files", x.count))}
		} else {
			l.Spans = c.rows[x.row].spans(x.reason, w.Cols)
		}
		if sel != nil {
			sel.row(&l, i)
		}
		out = append(out, l)
	}
	return out
}

func (r *CorpusRow) spans(reason string, cols int) []Span {
	p, n := corpusPath(cols)
	g, role := QualifyGlyph(r.Status)
	perms, stages := "", ""
	if r.Permutations > 0 {
		perms = fmt.Sprint(r.Permutations)
	}
	if r.Stages.Total > 0 {
		stages = fmt.Sprintf("%d of %d", r.Stages.Qualified, r.Stages.Total)
	}
	out := []Span{span(role, g+" "), padded(RoleText, tail(Text(r.Path), p-1), p), padded(RoleDim, r.Kind, corpusKind),
		span(RoleDim, padLeft(perms, corpusPerms)), span(RoleDim, padLeft(stages, corpusStages)), span(RoleDim, padLeft(fmt.Sprint(r.Size), corpusSize)+"  ")}
	for _, x := range r.Reasons {
		if reason == "" || x.Code == reason {
			s := x.Code
			if reason == "" && len(r.Reasons) > 1 {
				s += fmt.Sprintf(" +%d", len(r.Reasons)-1)
			}
			out = append(out, padded(RoleRefused, s, n))
			break
		}
	}
	return out
}

// tail cuts a path to n cells from the left: its end says more than the folders.
func tail(path string, n int) string {
	if Width(path) <= n {
		return path
	}
	for i := range path {
		if Width(path[i:]) < n {
			return "…" + path[i:]
		}
	}
	return ""
}

// Text returns a line as plain text.
func (c *Corpus) Text(line int) string {
	if line < 0 || line >= len(c.lines) {
		return ""
	}
	ls := c.Lines(Window{First: line, Rows: 1, Cols: 160}, nil)
	return strings.TrimRight(ls[0].Text(), " ")
}

// CorpusDetail explains the row under the cursor: its status and every reason, the one
// that it stands under first.
func CorpusDetail(r *CorpusRow, reason string, cols int) []Line {
	g, role := QualifyGlyph(r.Status)
	out := []Line{{Ref: NoRef, Spans: []Span{span(role, g+" "+r.Status.String()), span(RoleText, "  "+Clip(Text(r.Path), max(cols-40, 10))),
		span(RoleDim, fmt.Sprintf("  %d of %d passes, %d bytes of WGSL", r.Passes.Qualified, r.Passes.Total, r.WGSLBytes))}}}
	rs := slices.Clone(r.Reasons)
	if i := slices.IndexFunc(rs, func(x CorpusReason) bool { return x.Code == reason }); i > 0 {
		x := rs[i]
		rs = slices.Insert(slices.Delete(rs, i, i+1), 0, x)
	}
	for _, x := range rs {
		l := Line{Ref: NoRef, Spans: []Span{span(RoleRefused, x.Code), span(RoleDim, fmt.Sprintf("  %d×  ", x.Count)), span(RoleText, Text(x.Message))}}
		out = append(out, WrapWords(l, cols, 2)...)
		if x.Remedy != "" {
			out = append(out, WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleNote, "  remedy: "), span(RoleText, Text(x.Remedy))}}, cols, 4)...)
		}
	}
	return out
}

// CorpusNext lists what to add next: with all lines above it done, each line unlocks
// most stages. Ref.Index is the step.
func CorpusNext(sum *qualify.Summary, cols int) []Line {
	if len(sum.Next) == 0 {
		return []Line{Say(RoleDim, "Nothing is missing.")}
	}
	var out []Line
	for i, s := range sum.Next {
		l := Line{Ref: NoRef, Spans: []Span{span(RoleChosen, fmt.Sprintf("%5d ", s.Unlocks)), span(RoleRefused, Clip(s.Code, 26)+" "),
			span(RoleText, Clip(Text(s.What), max(cols-6-27, 10)))}}
		l.Ref.Index = int32(i)
		out = append(out, l)
	}
	return out
}

// CorpusStep explains a line of CorpusNext.
func CorpusStep(s *qualify.Step, cols int) []Line {
	out := WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleRefused, s.Code), span(RoleText, "  "+s.Title)}}, cols, 2)
	out = append(out, WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleText, fmt.Sprintf("alone it unlocks %d distinct stages, with all above %d; %d passes become whole; it stops %d stages in all",
		s.Unlocks, s.Cumulative, s.Passes, s.Touches))}}, cols, 2)...)
	out = append(out, WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleDim, Text(s.What))}}, cols, 2)...)
	if s.Remedy != "" {
		out = append(out, WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleNote, "meanwhile: "), span(RoleText, Text(s.Remedy))}}, cols, 2)...)
	}
	return out
}
