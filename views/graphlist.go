package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/graph"
)

// GraphOrder is what the list form of a permutation graph is sorted by.
type GraphOrder uint8

// The orders; of equal rows the earlier letter comes first.
const (
	ByInstrs GraphOrder = iota
	ByReads
	ByWrites
	ByTemps
	ByPermutations
	ByLetter
	numGraphOrders
)

var graphOrders = [numGraphOrders]string{"instructions", "reads", "writes", "temps", "permutations", "letter"}

func (o GraphOrder) String() string { return graphOrders[o] }

// Next is the order behind o, around.
func (o GraphOrder) Next() GraphOrder { return (o + 1) % numGraphOrders }

// ParseGraphOrder finds an order by name.
func ParseGraphOrder(name string) (GraphOrder, error) {
	if i := slices.Index(graphOrders[:], name); i >= 0 {
		return GraphOrder(i), nil
	}
	const last = numGraphOrders - 1
	return 0, fmt.Errorf("there is no order %q: there are %s and %s", name, strings.Join(graphOrders[:last], ", "), graphOrders[last])
}

// GraphList is the list form of a permutation graph: a row for each body, or unit of a
// pass, with how much its programs are.
type GraphList struct {
	s     *GraphState
	rows  []graphRow
	rank  map[int]int // row by identity
	short [][]string
}

type graphRow struct {
	id           int
	letters      string
	perm         int // the first that the filter leaves
	permutations int // those that the filter leaves
	cost         graph.Cost
}

// NewGraphList lists what the filter leaves, the largest first. It fails only when ctx ends.
func NewGraphList(ctx context.Context, s *GraphState, f *graph.Finder, by GraphOrder) (*GraphList, error) {
	v := &GraphList{s: s, rank: map[int]int{}, short: shortOptions(s.Graph)}
	for perm := range s.Graph.Permutations() {
		if !s.matches(perm) {
			continue
		}
		id, letters := s.Graph.Identity(perm, s.Pass)
		if letters == "" { // it lacks the pass
			continue
		}
		i, ok := v.rank[id]
		if !ok {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			i = len(v.rows)
			v.rank[id] = i
			v.rows = append(v.rows, graphRow{id: id, letters: letters, perm: perm, cost: f.CostOf(perm, s.Pass)})
		}
		v.rows[i].permutations++
	}
	key := func(r *graphRow) int {
		return [numGraphOrders]int{r.cost.Instrs, r.cost.Reads, r.cost.Writes, r.cost.Temps, r.permutations, 0}[by]
	}
	slices.SortFunc(v.rows, func(a, b graphRow) int {
		return cmp.Or(cmp.Compare(key(&b), key(&a)), cmp.Compare(a.id, b.id))
	})
	for i := range v.rows {
		v.rank[v.rows[i].id] = i
	}
	return v, nil
}

// Len is the number of rows below the head.
func (v *GraphList) Len() int { return len(v.rows) }

// Perm is the first permutation of a row.
func (v *GraphList) Perm(row int) int { return v.rows[row].perm }

// Find is the row of a permutation's body or unit, or -1.
func (v *GraphList) Find(perm int) int {
	id, _ := v.s.Graph.Identity(perm, v.s.Pass)
	if i, ok := v.rank[id]; ok {
		return i
	}
	return -1
}

// graphListHead names the columns.
const graphListHead = "     letter  perms  instructions  reads  writes  temps  first permutation"

// Head is the row above the list.
func (v *GraphList) Head() Line { return Say(RoleTitle, graphListHead) }

// Lines are the rows inside w; row is the cursor's, or -1.
func (v *GraphList) Lines(w Window, row int, cur GraphCursor) []Line {
	g := v.s.Graph
	from, to := w.clip(len(v.rows))
	out := make([]Line, 0, to-from)
	for i := from; i < to; i++ {
		r := &v.rows[i]
		m := g.Mark(v.s.Results, r.perm, v.s.Pass)
		before, role := " ", RoleText
		if _, marked := slices.BinarySearch(cur.Marked, r.perm); marked {
			before, role = "*", RoleChosen
		}
		l := Line{Ref: NoRef, Spans: []Span{span(role, before+" "), span(markRole(m), m.Glyph()), span(RoleName, "  "+Pad(r.letters, 6)),
			span(RoleText, fmt.Sprintf("  %5d  %12d  %5d  %6d  %5d  ", r.permutations, r.cost.Instrs, r.cost.Reads, r.cost.Writes, r.cost.Temps)),
			span(RoleDim, strconv.Itoa(r.perm)+" ")}}
		for a := range g.Axes {
			if o := g.Option(r.perm, a); o != g.Defaults[a] {
				l.Spans = append(l.Spans, span(RoleDim, " "+Clip(g.Axes[a].Name, 24)+"="), span(RoleChosen, Clip(v.short[a][o], 24)))
			}
		}
		if i == row {
			cur.row(&l)
		}
		out = append(out, l)
	}
	return out
}
