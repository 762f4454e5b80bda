package views

import (
	"fmt"
	"slices"
	"strconv"

	"fxlens/core/graph"
)

// GraphState is what the views of a permutation graph show: the same for grid and tree.
type GraphState struct {
	Graph   *graph.Graph
	Results graph.Results
	Pass    int    // -1: cells are bodies; else units of that pass
	Match   []bool // by permutation; nil: all of them
	Fold    bool   // equal rows, columns and branches once
}

func (s *GraphState) matches(perm int) bool { return s.Match == nil || s.Match[perm] }

// GraphCursor is how a screen stands in a graph. The zero value of Perm is a permutation:
// set it to -1 where there is no cursor.
type GraphCursor struct {
	Perm   int
	Marked []int // permutations, ascending
	On     bool  // the view has the keyboard
}

// NoGraphCursor is for output that nobody moves in.
var NoGraphCursor = GraphCursor{Perm: -1}

// row marks a row as the cursor's.
func (c *GraphCursor) row(l *Line) {
	l.Mark |= MarkCursor
	e := EmphIdle
	if c.On {
		e = EmphRow
	}
	lay(l, e)
}

// shortOptions are the short names of the options of every axis.
func shortOptions(g *graph.Graph) [][]string {
	out := make([][]string, len(g.Axes))
	for i := range g.Axes {
		out[i] = graph.ShortOptions(&g.Axes[i])
	}
	return out
}

// markRole is the role of a mark's glyph.
func markRole(m graph.Mark) Role {
	switch m {
	case graph.Translated:
		return RoleOK
	case graph.Missing:
		return RoleMissing
	case graph.Refused, graph.Undecodable, graph.Bug:
		return RoleRefused
	case graph.Empty:
		return RoleDim
	}
	return RolePending
}

// Grid is a permutation graph as a table: axes as rows and columns, in every cell the
// letters of a body (or unit) and a mark.
type Grid struct {
	s          *GraphState
	lay        graph.Layout
	rows, cols []int // of the layout, those that are shown
	rowN, colN []int // how many each one stands for; nil where nothing is folded
	short      [][]string
	heads      []int  // width of each row axis
	names      int    // width of the names of the column axes
	letters    int    // width of the letters
	spans      []Span // of the last Lines
}

const (
	maxHead  = 14 // cells of a row axis
	maxNames = 18 // of the names of the column axes
)

// NewGrid lays a graph out. With a filter or folding it looks at every cell once.
func NewGrid(s *GraphState, lay graph.Layout) *Grid {
	g := s.Graph
	v := &Grid{s: s, lay: lay, letters: 1}
	rows, cols := lay.Size(g)
	v.rows, v.cols = upTo(rows), upTo(cols)
	v.short = shortOptions(g)
	if s.Match != nil {
		v.filter()
	}
	if s.Fold {
		v.fold()
	}
	for _, a := range lay.Rows {
		w := Width(Clip(g.Axes[a].Name, maxHead))
		for _, o := range v.short[a] {
			w = max(w, Width(Clip(o, maxHead)))
		}
		v.heads = append(v.heads, w)
	}
	for _, a := range lay.Cols {
		v.names = max(v.names, Width(Clip(g.Axes[a].Name, maxNames)))
	}
	n := g.Bodies()
	if s.Pass >= 0 && s.Pass < len(g.Passes) {
		n = len(g.Passes[s.Pass].Units)
	}
	v.letters = max(len(graph.Letters(max(n-1, 0))), 2)
	return v
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// filter leaves the rows and columns that have a cell.
func (v *Grid) filter() {
	inRow, inCol := make([]bool, len(v.rows)), make([]bool, len(v.cols))
	for y := range v.rows {
		for x := range v.cols {
			if v.s.Match[v.lay.Perm(v.s.Graph, y, x)] {
				inRow[y], inCol[x] = true, true
			}
		}
	}
	v.rows = slices.DeleteFunc(v.rows, func(y int) bool { return !inRow[y] })
	v.cols = slices.DeleteFunc(v.cols, func(x int) bool { return !inCol[x] })
}

// fold leaves one of rows whose cells are equal, and then one of such columns.
func (v *Grid) fold() {
	g := v.s.Graph
	once := func(lines, across []int, perm func(i, k int) int) (left, count []int) {
		at := map[string]int{}
		var key []byte
		for _, i := range lines {
			key = key[:0]
			for _, k := range across {
				p := perm(i, k)
				n := -2
				if v.s.matches(p) {
					n, _ = g.Identity(p, v.s.Pass)
				}
				key = strconv.AppendInt(append(key, ' '), int64(n), 36)
			}
			if n, ok := at[string(key)]; ok {
				count[n]++
				continue
			}
			at[string(key)] = len(left)
			left, count = append(left, i), append(count, 1)
		}
		return left, count
	}
	v.rows, v.rowN = once(v.rows, v.cols, func(y, x int) int { return v.lay.Perm(g, y, x) })
	v.cols, v.colN = once(v.cols, v.rows, func(x, y int) int { return v.lay.Perm(g, y, x) })
}

// Size is the number of rows and columns that are shown.
func (v *Grid) Size() (rows, cols int) { return len(v.rows), len(v.cols) }

// Perm is the permutation of a cell, or -1.
func (v *Grid) Perm(row, col int) int {
	if row < 0 || col < 0 || row >= len(v.rows) || col >= len(v.cols) {
		return -1
	}
	return v.lay.Perm(v.s.Graph, v.rows[row], v.cols[col])
}

// Has reports whether the filter leaves the cell.
func (v *Grid) Has(row, col int) bool {
	p := v.Perm(row, col)
	return p >= 0 && v.s.matches(p)
}

// Find is the cell of a permutation; ok is false where it is not shown, and the cell is
// one near it.
func (v *Grid) Find(perm int) (row, col int, ok bool) {
	if len(v.rows) == 0 || len(v.cols) == 0 || perm < 0 {
		return 0, 0, false
	}
	y, x, ok := v.lay.Cell(v.s.Graph, perm)
	row, okRow := slices.BinarySearch(v.rows, y)
	col, okCol := slices.BinarySearch(v.cols, x)
	return min(row, len(v.rows)-1), min(col, len(v.cols)-1), ok && okRow && okCol
}

// HeadRows is the number of rows of Head.
func (v *Grid) HeadRows() int {
	n := max(len(v.lay.Cols), 1)
	if v.colN != nil {
		n++
	}
	return n
}

// HeadWidth is the number of cells left of the first column.
func (v *Grid) HeadWidth() int {
	w := 0
	for _, h := range v.heads {
		w += h + 1
	}
	if v.rowN != nil {
		w += v.foldWidth() + 1
	}
	return max(w+v.lastName(), v.names+1)
}

// lastName is the width of the innermost column axis's name, which stands in the row of
// the row axes' names.
func (v *Grid) lastName() int {
	if len(v.lay.Cols) == 0 {
		return 0
	}
	return Width(Clip(v.s.Graph.Axes[v.lay.Cols[len(v.lay.Cols)-1]].Name, maxNames)) + 1
}

func (v *Grid) foldWidth() int {
	n := 1
	for _, c := range v.rowN {
		n = max(n, c)
	}
	return 1 + len(strconv.Itoa(n))
}

// CellWidth is the number of cells of a column.
func (v *Grid) CellWidth() int { return v.letters + 2 }

// Head returns the rows above the table: the options of the column axes over n columns
// from first on, and the names of all axes. A negative n is all columns.
func (v *Grid) Head(first, n int) []Line {
	g := v.s.Graph
	first, last := v.columns(first, n)
	out := make([]Line, v.HeadRows())
	width := v.HeadWidth()
	cols := max(len(v.lay.Cols), 1)
	each := 1
	for _, a := range v.lay.Cols {
		each *= len(g.Axes[a].Options)
	}
	for i := range out {
		l := &out[i]
		l.Ref = NoRef
		left, used := []Span(nil), 0
		if i == cols-1 {
			for k, a := range v.lay.Rows {
				left = append(left, span(RoleTitle, Pad(Clip(g.Axes[a].Name, v.heads[k]), v.heads[k]+1)))
				used += v.heads[k] + 1
			}
		}
		name := ""
		if i < len(v.lay.Cols) {
			name = Clip(g.Axes[v.lay.Cols[i]].Name, maxNames)
		}
		l.Spans = append(left, span(RoleTitle, Spaces(width-used-Width(name)-1)+name+" "))
		switch {
		case i < len(v.lay.Cols):
			a := v.lay.Cols[i]
			options := len(v.short[a])
			each /= options
			for x := first; x < last; {
				o := v.cols[x] / each % options
				end := x + 1
				for end < last && v.cols[end]/each == v.cols[x]/each {
					end++
				}
				w := (end - x) * v.CellWidth()
				l.Spans = append(l.Spans, span(RoleName, Pad(" "+Clip(v.short[a][o], w-1), w)))
				x = end
			}
		case i == cols: // folded columns
			for x := first; x < last; x++ {
				l.Spans = append(l.Spans, span(RoleDim, Pad(Clip(" ×"+strconv.Itoa(v.colN[x]), v.CellWidth()), v.CellWidth())))
			}
		}
	}
	return out
}

func (v *Grid) columns(first, n int) (from, to int) {
	first = min(max(first, 0), len(v.cols))
	if n < 0 {
		return first, len(v.cols)
	}
	return first, min(first+n, len(v.cols))
}

// Lines returns the rows inside w with n columns from first on; a negative n is all. What
// the cursor's permutation shares body or unit with has "=" before it, what is marked "*".
// The lines are good until the next call: thousands of cells would be allocated a frame.
func (v *Grid) Lines(w Window, first, n int, cur GraphCursor) []Line {
	from, to := w.clip(len(v.rows))
	first, last := v.columns(first, n)
	crow, ccol, here := -1, -1, -1
	if cur.Perm >= 0 {
		if y, x, ok := v.Find(cur.Perm); ok {
			crow, ccol = y, x
		}
		here, _ = v.s.Graph.Identity(cur.Perm, v.s.Pass)
	}
	v.spans = v.spans[:0]
	out := make([]Line, 0, to-from)
	for y := from; y < to; y++ {
		l := Line{Ref: NoRef}
		if y == crow {
			l.Mark |= MarkCursor
		}
		at := len(v.spans)
		v.spans = v.rowHead(v.spans, y, y == from)
		for x := first; x < last; x++ {
			v.spans = v.cell(v.spans, y, x, here, y == crow && x == ccol, cur)
		}
		l.Spans = v.spans[at:len(v.spans):len(v.spans)]
		out = append(out, l)
	}
	return out
}

// rowHead appends the options of a row; what repeats the row above is left out unless the
// row is the first that shows.
func (v *Grid) rowHead(spans []Span, y int, full bool) []Span {
	each := 1
	for _, a := range v.lay.Rows {
		each *= len(v.short[a])
	}
	used := 0
	for k, a := range v.lay.Rows {
		options := len(v.short[a])
		each /= options
		text := ""
		if full || y == 0 || v.rows[y-1]/each != v.rows[y]/each {
			text = Clip(v.short[a][v.rows[y]/each%options], v.heads[k])
		}
		spans = append(spans, span(RoleName, Pad(text, v.heads[k]+1)))
		used += v.heads[k] + 1
	}
	if v.rowN != nil {
		text := "×" + strconv.Itoa(v.rowN[y])
		spans = append(spans, span(RoleDim, Pad(text, v.foldWidth()+1)))
		used += v.foldWidth() + 1
	}
	if w := v.HeadWidth(); used < w {
		spans = append(spans, span(RoleText, Spaces(w-used)))
	}
	return spans
}

func (v *Grid) cell(spans []Span, y, x, here int, cursor bool, cur GraphCursor) []Span {
	p := v.Perm(y, x)
	tok := uint16(min(x+1, 1<<16-1))
	emph := EmphNone
	if cursor {
		emph = EmphIdle
		if cur.On {
			emph = EmphRow
		}
	}
	if !v.s.matches(p) {
		return append(spans, Span{Role: RoleDim, Emph: emph, Tok: tok, Text: Pad(" ·", v.CellWidth())})
	}
	id, letters := v.s.Graph.Identity(p, v.s.Pass)
	before, role := " ", RoleText
	if _, marked := slices.BinarySearch(cur.Marked, p); marked {
		before, role = "*", RoleChosen
	} else if cursor {
		before, role = ">", RoleKey
	} else if here >= 0 && id == here {
		before, role = "=", RoleNote
		emph = EmphTied
	}
	m := v.s.Graph.Mark(v.s.Results, p, v.s.Pass)
	return append(spans, Span{Role: role, Emph: emph, Tok: tok, Text: before},
		Span{Role: RoleText, Emph: emph, Tok: tok, Text: letters},
		Span{Role: markRole(m), Emph: emph, Tok: tok, Text: Pad(m.Glyph(), v.letters-len(letters)+1)})
}

// AxisTable says which axes matter to which pass: a row for every axis.
func AxisTable(g *graph.Graph) []Line {
	name, options := len("axis"), len("options")
	for i := range g.Axes {
		name = max(name, Width(Clip(g.Axes[i].Name, 24)))
	}
	widths := make([]int, len(g.Passes))
	head := Line{Ref: NoRef, Spans: []Span{span(RoleTitle, Pad("axis", name)+"  options")}}
	foot := Line{Ref: NoRef, Spans: []Span{span(RoleTitle, Pad("units", name+2+options))}}
	for p := range g.Passes {
		n := Clip(g.Passes[p].Name, 24)
		widths[p] = max(Width(n), len("states"))
		head.Spans = append(head.Spans, span(RoleTitle, "  "+Pad(n, widths[p])))
		foot.Spans = append(foot.Spans, span(RoleText, "  "+Pad(strconv.Itoa(len(g.Passes[p].Units)), widths[p])))
	}
	out := []Line{head}
	for a := range g.Axes {
		l := Line{Ref: NoRef, Spans: []Span{padded(RoleName, g.Axes[a].Name, name), span(RoleText, "  "+padLeft(strconv.Itoa(len(g.Axes[a].Options)), options))}}
		l.Ref.Kind, l.Ref.Index = RefAxis, int32(a)
		for p := range g.Passes {
			inf := g.Passes[p].Axes[a]
			role := [...]Role{RoleDim, RoleNote, RoleChosen}[inf]
			l.Spans = append(l.Spans, span(role, "  "+Pad(inf.String(), widths[p])))
		}
		out = append(out, l)
	}
	if len(g.Axes) == 0 {
		out = append(out, Say(RoleDim, "no axes: one permutation"))
	}
	return append(out, foot)
}

// PermDetail explains one permutation: its options, who shares its body, and every pass
// with its unit, who shares that, and what became of it.
func PermDetail(s *GraphState, perm, cols int) []Line {
	g := s.Graph
	body := g.Body(perm)
	options := Line{Ref: NoRef}
	for a := range g.Axes {
		if a > 0 {
			options.Spans = append(options.Spans, span(RoleText, " "))
		}
		role := RoleText
		if g.Option(perm, a) != g.Defaults[a] {
			role = RoleChosen
		}
		options.Spans = append(options.Spans, span(RoleDim, Clip(g.Axes[a].Name, 24)+"="), span(role, Clip(graph.ShortOptions(&g.Axes[a])[g.Option(perm, a)], 24)))
	}
	out := WrapWords(options, cols, 0)
	out = append(out, Line{Ref: NoRef, Spans: []Span{span(RoleTitle, "body "+graph.Letters(body)), span(RoleText, sharers(g.Sharers(body), perm, cols-16))}})
	for p := range g.Passes {
		u := g.UnitOfBody(body, p)
		l := Line{Ref: NoRef}
		if u < 0 {
			l.Spans = []Span{span(RoleDim, "· "+Clip(g.Passes[p].Name, 24)+"  not in this permutation")}
			out = append(out, l)
			continue
		}
		r := s.Results.Of(u)
		m := graph.MarkOf(r)
		l.Spans = []Span{span(markRole(m), m.Glyph()), span(RoleName, " "+Clip(g.Passes[p].Name, 24)), span(RoleText, "  unit "+g.Units[u].Letter),
			span(RoleDim, ", in "+plural(g.Units[u].Permutations, "permutation"))}
		switch {
		case r == nil:
			l.Spans = append(l.Spans, span(RolePending, "  not compiled yet"))
		case r.Err != "":
			l.Spans = append(l.Spans, span(RoleRefused, "  "+Clip(r.Err, cols)))
		default:
			for _, st := range r.Stages {
				glyph, role := StatusGlyph(true, st.Status)
				l.Spans = append(l.Spans, span(RoleText, "  "+st.Kind.String()+" "), span(role, glyph), span(RoleDim, fmt.Sprintf(" %d", st.Instrs)))
			}
			if r.Reason != "" {
				l.Spans = append(l.Spans, span(RoleRefused, "  "+string(r.Codes[0])), span(RoleText, " "+Clip(r.Reason, 2*cols)))
			} else if r.Warnings > 0 {
				l.Spans = append(l.Spans, span(RoleWarning, "  "+plural(r.Warnings, "warning")))
			}
		}
		out = append(out, WrapWords(l, cols, 4)...)
	}
	return out
}

// sharers names the other permutations of a list, as far as there is room.
func sharers(list []int, perm, room int) string {
	if len(list) == 1 {
		return ", of this permutation alone"
	}
	s := fmt.Appendf(make([]byte, 0, max(room, 32)), ", shared by %d:", len(list))
	for _, p := range list {
		if p == perm {
			continue
		}
		n := len(s)
		s = strconv.AppendInt(append(s, ' '), int64(p), 10)
		if len(s) > room-2 {
			return string(s[:n]) + " …"
		}
	}
	return string(s)
}

// GridColumns is how many columns a grid has at most by itself.
const GridColumns = 16

// Title says what the grid shows.
func (v *Grid) Title() string {
	what := "bodies"
	if v.s.Pass >= 0 {
		what = "units of " + Clip(v.s.Graph.Passes[v.s.Pass].Name, 40)
	}
	return what + "; " + v.lay.Text(v.s.Graph)
}
