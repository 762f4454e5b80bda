package views

import (
	"fmt"
	"slices"
	"strconv"

	"fxlens/core/graph"
)

// GraphTree is the tree form of a permutation graph: a level for every axis, in the order of the file,
// with the permutations as leaves.
type GraphTree struct {
	s     *GraphState
	rows  []graphNode
	short [][]string
	sums  map[GraphNodeID]nodeSum
}

// GraphNodeID names a branch: the options of the first Level axes are those of Perm.
type GraphNodeID struct{ Level, Perm int }

type graphNode struct {
	id   GraphNodeID
	open bool
	leaf bool // a permutation, or a branch whose permutations all share one body
}

// nodeSum is what a branch holds.
type nodeSum struct {
	perms, shown, bodies int
	mark                 graph.Mark
	one                  int // identity of all, or -1
}

// TreeRows is how many rows a tree opens by itself.
const TreeRows = 400

// NewGraphTree lists the tree. toggled are the branches that the user opened or closed;
// the others are open down to the level that gives TreeRows rows, or all of them with
// every.
func NewGraphTree(s *GraphState, toggled map[GraphNodeID]bool, every bool) *GraphTree {
	g := s.Graph
	t := &GraphTree{s: s, sums: map[GraphNodeID]nodeSum{}, short: shortOptions(g)}
	deep, rows := 0, 1
	for i := range g.Axes {
		if rows *= len(g.Axes[i].Options); rows <= TreeRows || every {
			deep = i + 1
		}
	}
	root := GraphNodeID{0, 0}
	if len(g.Axes) == 0 {
		t.rows = []graphNode{{id: root, leaf: true}}
		return t
	}
	t.list(root, toggled, deep)
	return t
}

// list adds the children of a branch.
func (t *GraphTree) list(id GraphNodeID, toggled map[GraphNodeID]bool, deep int) {
	g := t.s.Graph
	for o := range g.Axes[id.Level].Options {
		k := GraphNodeID{id.Level + 1, g.With(id.Perm, id.Level, o)}
		if t.s.Match != nil && t.sum(k).shown == 0 {
			continue
		}
		n := graphNode{id: k, leaf: k.Level == len(g.Axes)}
		if !n.leaf && t.s.Fold {
			n.leaf = t.sum(k).one >= 0
		}
		if !n.leaf {
			n.open = (k.Level < deep) != toggled[k]
		}
		t.rows = append(t.rows, n)
		if n.open {
			t.list(k, toggled, deep)
		}
	}
}

// each calls f for every permutation of a branch.
func (t *GraphTree) each(id GraphNodeID, f func(perm int)) {
	g := t.s.Graph
	var walk func(level, perm int)
	walk = func(level, perm int) {
		if level == len(g.Axes) {
			f(perm)
			return
		}
		for o := range g.Axes[level].Options {
			walk(level+1, g.With(perm, level, o))
		}
	}
	walk(id.Level, id.Perm)
}

// sum looks at every permutation of a branch, once.
func (t *GraphTree) sum(id GraphNodeID) nodeSum {
	if s, ok := t.sums[id]; ok {
		return s
	}
	g := t.s.Graph
	s := nodeSum{one: -2}
	bodies := map[int]bool{}
	t.each(id, func(p int) {
		s.perms++
		if !t.s.matches(p) {
			return
		}
		s.shown++
		n, _ := g.Identity(p, t.s.Pass)
		switch {
		case s.one == -2:
			s.one = n
		case s.one != n:
			s.one = -1
		}
		if !bodies[n] {
			bodies[n] = true
			s.mark = max(s.mark, g.Mark(t.s.Results, p, t.s.Pass))
		}
	})
	s.bodies = len(bodies)
	t.sums[id] = s
	return s
}

// Forget drops what was summed up, because results came.
func (t *GraphTree) Forget() { clear(t.sums) }

// Len is the number of rows.
func (t *GraphTree) Len() int { return len(t.rows) }

// Perm is the permutation of a row, the first one of a branch; -1 beyond the end.
func (t *GraphTree) Perm(row int) int {
	if row < 0 || row >= len(t.rows) {
		return -1
	}
	perm := -1
	t.eachUntil(t.rows[row].id, func(p int) bool { perm = p; return t.s.matches(p) })
	return perm
}

func (t *GraphTree) eachUntil(id GraphNodeID, stop func(perm int) bool) {
	g := t.s.Graph
	var walk func(level, perm int) bool
	walk = func(level, perm int) bool {
		if level == len(g.Axes) {
			return stop(perm)
		}
		for o := range g.Axes[level].Options {
			if walk(level+1, g.With(perm, level, o)) {
				return true
			}
		}
		return false
	}
	walk(id.Level, id.Perm)
}

// ID names a row.
func (t *GraphTree) ID(row int) GraphNodeID {
	if row < 0 || row >= len(t.rows) {
		return GraphNodeID{}
	}
	return t.rows[row].id
}

// Row is the row of a branch or leaf, or -1.
func (t *GraphTree) Row(id GraphNodeID) int {
	return slices.IndexFunc(t.rows, func(n graphNode) bool { return n.id == id })
}

// Node is the branch of a row; ok is false for leaves.
func (t *GraphTree) Node(row int) (id GraphNodeID, open, ok bool) {
	if row < 0 || row >= len(t.rows) || t.rows[row].leaf {
		return GraphNodeID{}, false, false
	}
	return t.rows[row].id, t.rows[row].open, true
}

// Parent is the row of the branch that a row is in, or -1.
func (t *GraphTree) Parent(row int) int {
	if row < 0 || row >= len(t.rows) {
		return -1
	}
	for i := row - 1; i >= 0; i-- {
		if t.rows[i].id.Level < t.rows[row].id.Level {
			return i
		}
	}
	return -1
}

// Find is the row that shows a permutation: its leaf, or the deepest branch that has it.
func (t *GraphTree) Find(perm int) int {
	g := t.s.Graph
	best := 0
	for i := range t.rows {
		id := t.rows[i].id
		has := true
		for a := 0; a < id.Level && has; a++ {
			has = g.Option(perm, a) == g.Option(id.Perm, a)
		}
		if has {
			best = i
		}
	}
	return best
}

// Lines returns the rows inside w.
func (t *GraphTree) Lines(w Window, row int, cur GraphCursor) []Line {
	from, to := w.clip(len(t.rows))
	here := -1
	if cur.Perm >= 0 {
		here, _ = t.s.Graph.Identity(cur.Perm, t.s.Pass)
	}
	out := make([]Line, 0, to-from)
	for i := from; i < to; i++ {
		l := t.line(i, here, cur)
		if i == row {
			cur.row(&l)
		}
		out = append(out, l)
	}
	return out
}

func (t *GraphTree) line(i, here int, cur GraphCursor) Line {
	g := t.s.Graph
	n := &t.rows[i]
	l := Line{Ref: NoRef}
	name := ""
	if n.id.Level > 0 {
		a := n.id.Level - 1
		name = Clip(g.Axes[a].Name, 24) + "=" + Clip(t.short[a][g.Option(n.id.Perm, a)], 24)
	}
	indent := Spaces(2 * max(n.id.Level-1, 0))
	switch {
	case n.leaf:
		perm := t.Perm(i)
		id, letters := g.Identity(perm, t.s.Pass)
		before, role := " ", RoleText
		if _, marked := slices.BinarySearch(cur.Marked, perm); marked {
			before, role = "*", RoleChosen
		} else if here >= 0 && id == here {
			before, role = "=", RoleNote
		}
		m := g.Mark(t.s.Results, perm, t.s.Pass)
		l.Spans = append(l.Spans, span(RoleText, indent), span(RoleName, Pad(name, 22)), span(role, " "+before), span(RoleText, letters), span(markRole(m), m.Glyph()))
		if n.id.Level < len(g.Axes) {
			l.Spans = append(l.Spans, span(RoleDim, fmt.Sprintf("  ×%d, whatever the other axes are", t.sum(n.id).shown)))
			return l
		}
		l.Spans = append(l.Spans, span(RoleDim, "  "+strconv.Itoa(perm)))
		for p := range g.Passes {
			u := g.Unit(perm, p)
			if u < 0 {
				continue
			}
			m := graph.MarkOf(t.s.Results.Of(u))
			l.Spans = append(l.Spans, span(RoleDim, "  "+Clip(g.Passes[p].Name, 24)+" "), span(RoleText, g.Units[u].Letter), span(markRole(m), m.Glyph()))
		}
	default:
		glyph := "▸ "
		if n.open {
			glyph = "▾ "
		}
		s := t.sum(n.id)
		what := "bodies"
		if t.s.Pass >= 0 {
			what = "units"
		}
		text := fmt.Sprintf("%d permutations", s.perms)
		if s.shown < s.perms {
			text = fmt.Sprintf("%d of %d permutations", s.shown, s.perms)
		}
		if s.bodies == 1 {
			_, letters := g.Identity(t.Perm(i), t.s.Pass)
			text += ", all " + letters
		} else {
			text += fmt.Sprintf(", %d %s", s.bodies, what)
		}
		l.Spans = append(l.Spans, span(RoleText, indent), span(RoleDim, glyph), span(RoleName, name), span(RoleDim, "  "+text+" "), span(markRole(s.mark), s.mark.Glyph()))
	}
	return l
}
