package views

import (
	"fmt"
	"strings"

	"fxlens/core/dxbc"
)

// CFG is the control flow of a program as boxes and edges. DXBC nests its flow, so the
// graph is laid out by structure: branches side by side, loops with a rail back.
type CFG struct {
	rows []cfgRow
	note string // why there is no graph
}

// cfgRow is a row of the drawing: its spans, whose tokens are numbered from 1, and the
// instructions that each token stands for.
type cfgRow struct {
	spans []Span
	refs  []cfgRef
}

// cfgRef is a range of instructions.
type cfgRef struct{ from, to int32 }

func (r cfgRef) has(i int32) bool { return i >= r.from && i < r.to }

// What a graph may take: a drawing that is larger helps nobody.
const (
	maxCFGWidth = 1200
	maxCFGRows  = 60_000
	maxCFGDepth = 40
	cfgText     = 34 // cells of text in a box
	cfgLines    = 3  // instructions that a box shows
	maxCases    = 8  // clauses side by side
)

// cfgUnit is a part of the drawing with its entry at the top of the axis and, unless
// closed, its exit at the bottom of it.
type cfgUnit struct {
	rows   []cfgRow
	w, ax  int
	closed bool // control does not come out below
}

type cfgMaker struct {
	p *dxbc.Program
	f *dxbc.Flow
	n int // rows so far
}

// NewCFG draws the flow of a program.
func NewCFG(p *dxbc.Program, f *dxbc.Flow) *CFG {
	if len(f.Blocks) == 0 {
		return &CFG{note: "the program has no instructions beside its declarations"}
	}
	m := &cfgMaker{p: p, f: f}
	u := m.seq(f.Blocks[0].First, int32(len(p.Instrs)), 0)
	if u.w > maxCFGWidth || len(u.rows) > maxCFGRows || m.n > 4*maxCFGRows {
		return &CFG{note: fmt.Sprintf("the graph of %d blocks is too large to draw; nesting bars and folding show the same in the listing", len(f.Blocks))}
	}
	for i := range u.rows {
		u.rows[i].number()
	}
	return &CFG{rows: u.rows}
}

// number gives the tokens of a row their numbers.
func (r *cfgRow) number() {
	n := 0
	for i := range r.spans {
		if r.spans[i].Tok != 0 {
			n++
			r.spans[i].Tok = uint16(min(n, 1<<16-1))
		}
	}
}

// line is a row of cells without references.
func line(spans ...Span) cfgRow { return cfgRow{spans: spans} }

func edge(s string) Span { return span(RoleBorder, s) }

// seq draws the instructions from from to to, one under the other.
func (m *cfgMaker) seq(from, to int32, depth int) cfgUnit {
	var parts []cfgUnit
	for i := from; i < to; {
		if m.n > 4*maxCFGRows {
			break
		}
		end := m.f.Closes(i)
		switch op := m.p.Instrs[i].Op; {
		case depth < maxCFGDepth && op == dxbc.OpLoop && end > i && end < to:
			parts = append(parts, m.loop(i, end, depth))
			i = end + 1
			continue
		}
		j := m.run(i, to)
		last := j - 1
		end = m.f.Closes(last)
		op := m.p.Instrs[last].Op
		switch {
		case depth < maxCFGDepth && op == dxbc.OpIf && end > last && end < to:
			u, next := m.branch(i, last, depth)
			parts = append(parts, u)
			j = next
		case depth < maxCFGDepth && op == dxbc.OpSwitch && end > last && end < to:
			parts = append(parts, m.choice(i, last, end, depth))
			j = end + 1
		default:
			parts = append(parts, m.box(i, j))
		}
		i = j
	}
	return m.stack(parts)
}

// run returns the end of the straight piece that begins at i: behind a jump, at and with
// an if or switch, before a loop.
func (m *cfgMaker) run(i, to int32) int32 {
	for j := i; j < to; j++ {
		switch m.p.Instrs[j].Op {
		case dxbc.OpIf, dxbc.OpSwitch, dxbc.OpBreak, dxbc.OpBreakc, dxbc.OpContinue, dxbc.OpContinuec, dxbc.OpRet, dxbc.OpRetc:
			return j + 1
		case dxbc.OpLoop, dxbc.OpLabel:
			if j > i {
				return j
			}
			if m.p.Instrs[j].Op == dxbc.OpLoop {
				return j + 1
			}
		}
	}
	return to
}

// jumpText says where control goes behind an instruction that jumps.
func jumpText(op dxbc.Op) (text string, always bool) {
	switch op {
	case dxbc.OpBreak:
		return "out of it", true
	case dxbc.OpBreakc:
		return "out of it, or", false
	case dxbc.OpContinue:
		return "back to the loop", true
	case dxbc.OpContinuec:
		return "back to the loop, or", false
	case dxbc.OpRet:
		return "end", true
	case dxbc.OpRetc:
		return "end, or", false
	}
	return "", false
}

// box draws a block.
func (m *cfgMaker) box(from, to int32) cfgUnit {
	n := int(to - from)
	show := n
	if n > cfgLines+1 {
		show = cfgLines
	}
	type text struct {
		s   string
		ref cfgRef
		op  dxbc.Op
	}
	var ts []text
	w := 8
	add := func(i int32) {
		s := Clip(fmt.Sprintf("%d %s", i, strings.ReplaceAll(m.p.Text(int(i)), "\n", " ")), cfgText)
		w = max(w, Width(s))
		ts = append(ts, text{s, cfgRef{i, i + 1}, m.p.Instrs[i].Op})
	}
	for k := range show - 1 {
		add(from + int32(k))
	}
	if show < n {
		s := fmt.Sprintf("⋯ %d more", n-show)
		w = max(w, Width(s))
		ts = append(ts, text{s, cfgRef{from + int32(show) - 1, to - 1}, dxbc.OpNop})
	}
	add(to - 1)
	u := cfgUnit{w: w + 4, ax: (w + 4) / 2}
	u.rows = append(u.rows, line(edge("┌"+strings.Repeat("─", w+2)+"┐")))
	for _, t := range ts {
		role := RoleCode
		switch {
		case t.op.Has(dxbc.FlagFlow):
			role = RoleKeyword
		case strings.HasPrefix(t.s, "⋯"):
			role = RoleDim
		}
		s := Span{Role: role, Tok: 1, Text: Pad(t.s, w)}
		u.rows = append(u.rows, cfgRow{spans: []Span{edge("│ "), s, edge(" │")}, refs: []cfgRef{t.ref}})
	}
	u.rows = append(u.rows, line(edge("└"+strings.Repeat("─", w+2)+"┘")))
	if s, always := jumpText(m.p.Instrs[to-1].Op); s != "" {
		s = "→ " + s
		sw := Width(s)
		pad := max(u.ax-sw/2, 0)
		u.rows = append(u.rows, line(span(RoleDim, Pad(Spaces(pad)+s, u.w))))
		u.w = max(u.w, pad+sw)
		u.closed = always
	}
	m.n += len(u.rows)
	return u
}

// stack puts units under each other along their axes.
func (m *cfgMaker) stack(parts []cfgUnit) cfgUnit {
	if len(parts) == 0 {
		return cfgUnit{rows: []cfgRow{line(edge(" │ "))}, w: 3, ax: 1}
	}
	var u cfgUnit
	right := 0
	for _, p := range parts {
		u.ax = max(u.ax, p.ax)
		right = max(right, p.w-p.ax)
	}
	u.w = u.ax + right
	for k, p := range parts {
		if k > 0 {
			s := "│"
			if parts[k-1].closed {
				s = " "
			}
			u.rows = append(u.rows, line(edge(Spaces(u.ax)+s+Spaces(u.w-u.ax-1))))
		}
		for _, r := range p.rows {
			u.rows = append(u.rows, r.padded(u.ax-p.ax, u.w))
		}
	}
	u.closed = parts[len(parts)-1].closed
	m.n += len(u.rows)
	return u
}

// padded puts left blanks before a row and fills it to w cells.
func (r cfgRow) padded(left, w int) cfgRow {
	n := left
	for i := range r.spans {
		n += Width(r.spans[i].Text)
	}
	if left == 0 && n >= w {
		return r
	}
	out := cfgRow{refs: r.refs}
	if left > 0 {
		out.spans = append(out.spans, span(RoleCode, Spaces(left)))
	}
	out.spans = append(out.spans, r.spans...)
	if n < w {
		out.spans = append(out.spans, span(RoleCode, Spaces(w-n)))
	}
	return out
}

// branch draws a block that ends with an if and its two sides, and returns what follows.
func (m *cfgMaker) branch(from, cond int32, depth int) (cfgUnit, int32) {
	mid := m.f.Closes(cond)
	end := mid
	var sides []cfgUnit
	sides = append(sides, m.seq(cond+1, mid, depth+1))
	if m.p.Instrs[mid].Op == dxbc.OpElse {
		if end = m.f.Closes(mid); end < 0 {
			end = mid
		}
		sides = append(sides, m.seq(mid+1, end, depth+1))
	} else {
		sides = append(sides, m.stack(nil))
	}
	return m.stack([]cfgUnit{m.box(from, cond+1), m.fan(sides, []string{"yes", "no"})}), end + 1
}

// choice draws a block that ends with a switch and its clauses.
func (m *cfgMaker) choice(from, sw, end int32, depth int) cfgUnit {
	var sides []cfgUnit
	start := int32(-1)
	nest := 0
	for i := sw + 1; i <= end; i++ {
		op := m.p.Instrs[i].Op
		label := nest == 0 && (op == dxbc.OpCase || op == dxbc.OpDefault)
		if start >= 0 && (i == end || label && m.p.Instrs[i-1].Op != dxbc.OpCase && m.p.Instrs[i-1].Op != dxbc.OpDefault) {
			side := m.seq(start, i, depth+1)
			if op := m.p.Instrs[i-1].Op; op == dxbc.OpBreak {
				side.closed = false // it leads behind the switch
			}
			sides = append(sides, side)
			start = -1
		}
		if label && start < 0 {
			start = i
		}
		switch op {
		case dxbc.OpIf, dxbc.OpLoop, dxbc.OpSwitch:
			nest++
		case dxbc.OpEndif, dxbc.OpEndloop, dxbc.OpEndswitch:
			nest--
		}
	}
	head := m.box(from, sw+1)
	if len(sides) == 0 {
		return head
	}
	if len(sides) > maxCases {
		return m.stack(append([]cfgUnit{head}, sides...))
	}
	return m.stack([]cfgUnit{head, m.fan(sides, nil)})
}

// fan puts units side by side under one entry and over one exit.
func (m *cfgMaker) fan(sides []cfgUnit, names []string) cfgUnit {
	const gap = 3
	w, h := 0, 0
	axes := make([]int, len(sides))
	for k := range sides {
		if k > 0 {
			w += gap
		}
		axes[k] = w + sides[k].ax
		w += sides[k].w
		h = max(h, len(sides[k].rows))
	}
	first, last := axes[0], axes[len(axes)-1]
	u := cfgUnit{w: w, ax: (first + last) / 2}
	rail := func(ends, join, axis rune, open func(k int) bool) cfgRow {
		row := []rune(strings.Repeat(" ", w))
		lo, hi := u.ax, u.ax
		for k, x := range axes {
			if open(k) {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		for x := lo; x <= hi; x++ {
			row[x] = '─'
		}
		for k, x := range axes {
			if open(k) {
				row[x] = join
			}
		}
		if row[lo] != ' ' && lo < u.ax {
			row[lo] = map[rune]rune{'┬': '┌', '┴': '└'}[join]
		}
		if row[hi] != ' ' && hi > u.ax {
			row[hi] = map[rune]rune{'┬': '┐', '┴': '┘'}[join]
		}
		if lo < hi {
			switch {
			case row[u.ax] == join:
				row[u.ax] = '┼'
			default:
				row[u.ax] = axis
			}
		} else {
			row[u.ax] = ends
		}
		return line(edge(string(row)))
	}
	u.rows = append(u.rows, rail('│', '┬', '┴', func(int) bool { return true }))
	if names != nil {
		row := []rune(strings.Repeat(" ", w))
		for k, x := range axes {
			for i, c := range names[k] {
				if x+1+i < w {
					row[x+1+i] = c
				}
			}
			row[x] = '│'
		}
		u.rows = append(u.rows, line(edge(string(row))))
	}
	all := true
	for y := range h {
		row := cfgRow{}
		for k := range sides {
			s := &sides[k]
			if k > 0 {
				row.spans = append(row.spans, span(RoleCode, Spaces(gap)))
			}
			switch {
			case y < len(s.rows):
				r := s.rows[y].padded(0, s.w)
				row.spans = append(row.spans, r.spans...)
				row.refs = append(row.refs, r.refs...)
			case s.closed:
				row.spans = append(row.spans, span(RoleCode, Spaces(s.w)))
			default:
				row.spans = append(row.spans, edge(Spaces(s.ax)+"│"+Spaces(s.w-s.ax-1)))
			}
		}
		u.rows = append(u.rows, row)
	}
	for k := range sides {
		all = all && sides[k].closed
	}
	u.closed = all
	if !all {
		u.rows = append(u.rows, rail('│', '┴', '┬', func(k int) bool { return !sides[k].closed }))
	}
	m.n += len(u.rows)
	return u
}

// loop draws a loop: its body with a rail back from the end to the start.
func (m *cfgMaker) loop(from, end int32, depth int) cfgUnit {
	body := m.seq(from+1, end, depth+1)
	const rail = 3
	u := cfgUnit{w: body.w + rail, ax: body.ax + rail}
	head := fmt.Sprintf("╭─▸ loop %d ", from)
	if Width(head) > u.ax {
		head = "╭─▸"
	}
	u.rows = append(u.rows, cfgRow{spans: []Span{{Role: RoleKeyword, Tok: 1, Text: head}, edge(strings.Repeat("─", max(u.ax-Width(head), 0)) + "┐" + Spaces(u.w-u.ax-1))},
		refs: []cfgRef{{from, from + 1}}})
	for _, r := range body.rows {
		row := cfgRow{refs: r.refs, spans: append([]Span{edge("│  ")}, r.padded(0, body.w).spans...)}
		u.rows = append(u.rows, row)
	}
	tail := "╰" + strings.Repeat("─", u.ax-1) + "┘"
	if body.closed {
		tail = "╰" + strings.Repeat("─", u.ax)
	}
	u.rows = append(u.rows, line(edge(tail+Spaces(u.w-u.ax-1))))
	m.n += len(u.rows)
	return u
}

// Len is the number of rows.
func (c *CFG) Len() int { return max(len(c.rows), 1) }

func (c *CFG) at(n int) *cfgRow {
	if n < 0 || n >= len(c.rows) {
		return nil
	}
	return &c.rows[n]
}

// Lines returns the rows inside w.
func (c *CFG) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(c.Len())
	out := make([]Line, 0, last-first)
	for n := first; n < last; n++ {
		r := c.at(n)
		if r == nil {
			out = append(out, Say(RoleDim, c.note))
			continue
		}
		l := Line{Ref: NoRef, Spans: append([]Span(nil), r.spans...)}
		linked := false
		for k := range l.Spans {
			s := &l.Spans[k]
			if s.Tok == 0 || int(s.Tok) > len(r.refs) {
				continue
			}
			hit := false
			if sel != nil {
				for _, i := range sel.Instrs {
					hit = hit || r.refs[s.Tok-1].has(i)
				}
			}
			linked = linked || hit
			s.Emph = sel.emph(n, int(s.Tok), false, hit)
		}
		if len(r.refs) == 1 {
			l.Ref.Kind, l.Ref.Instr = RefInstr, r.refs[0].from
		}
		sel.line(&l, n, linked)
		out = append(out, l)
	}
	return out
}

// Tokens is the number of boxes that a row crosses.
func (c *CFG) Tokens(n int) int {
	if r := c.at(n); r != nil {
		return len(r.refs)
	}
	return 0
}

// Focus of a token is its instruction; of a row, that of its first box.
func (c *CFG) Focus(n, tok int) Focus {
	f := NoFocus
	r := c.at(n)
	if r == nil || len(r.refs) == 0 || tok > len(r.refs) {
		return f
	}
	f.Instr = r.refs[max(tok-1, 0)].from
	return f
}

// Seek returns the row of the selection's instruction nearest to near.
func (c *CFG) Seek(sel *Selection, near int) int {
	best := -1
	for n := range c.rows {
		if best >= 0 && abs(n-near) >= abs(best-near) {
			continue
		}
		for _, ref := range c.rows[n].refs {
			for _, i := range sel.Instrs {
				if ref.has(i) {
					best = n
				}
			}
		}
	}
	return best
}

// Text returns a row as it is drawn.
func (c *CFG) Text(n int) string {
	r := c.at(n)
	if r == nil {
		if n == 0 {
			return c.note
		}
		return ""
	}
	l := Line{Spans: r.spans}
	return strings.TrimRight(l.Text(), " ")
}

var _ Listing = (*CFG)(nil)
