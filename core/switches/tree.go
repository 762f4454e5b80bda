package switches

import (
	"fmt"

	"fxlens/core/graph"
	"fxlens/core/variant"
	"fxlens/core/variant/manifest"
)

// NodeKind is what a row of the tree shows.
type NodeKind uint8

// The kinds.
const (
	ShaderNode NodeKind = iota
	ChunkNode
	ChoiceNode
	AlternativeNode
	UnitNode // of an effect: what a pass is for the set
)

var nodeNames = [...]string{"shader", "chunk", "choice", "alternative", "unit"}

// String is the kind as JSON has it.
func (k NodeKind) String() string { return nodeNames[k] }

// MarshalText makes JSON print the word.
func (k NodeKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// TreeRow is one row of a shader's tree, in the order of the screen: what is below a row
// follows it with a larger depth.
type TreeRow struct {
	Depth    int
	Kind     NodeKind
	Name     string // of the shader or chunk; of a choice its key; of an alternative the member
	Switch   *variant.Switch
	Value    int  // of an alternative
	Selected bool // it is part of the variant for the set
	Again    bool // what is below stands further up, where the node was met first
	Missing  bool // an alternative that is not there
	Chunk    *variant.Chunk
	At       manifest.Pos // zero where no file has it
}

// MaxRows is how many rows a tree has at most.
const MaxRows = 20000

// Tree is a shader's graph for a set: chunks with what they need, choices with all their
// alternatives, and which of them are part of the variant. Each node is opened once.
func (w *Workspace) Tree(shader int, t *variant.Set) []TreeRow {
	s := &w.Shaders[shader]
	b := treeBuilder{w: w, set: t, rows: []TreeRow{{Kind: ShaderNode, Name: s.Label, Selected: true, At: s.At}}, open: map[variant.Node]bool{}}
	if w.Effect {
		b.axes(shader)
		return b.rows
	}
	if s.Template != "" {
		for _, c := range w.graph.Chunks {
			if c.Key == s.Template {
				b.node(c.Chunk, 1, true)
			}
		}
	}
	b.node(s.graph.Body(), 1, true)
	return b.rows
}

type treeBuilder struct {
	w    *Workspace
	set  *variant.Set
	rows []TreeRow
	open map[variant.Node]bool // nodes whose rows are there already
}

func (b *treeBuilder) node(n variant.Node, depth int, selected bool) {
	if len(b.rows) >= MaxRows {
		return
	}
	row := TreeRow{Depth: depth, Name: n.Name(), Selected: selected, Again: b.open[n]}
	switch n := n.(type) {
	case *variant.Chunk:
		row.Kind, row.Chunk = ChunkNode, n
		if m := b.w.graph.ChunkOf(n); m != nil {
			row.At = m.At
		}
		below := n.Dependencies()
		row.Again = row.Again && len(below) > 0
		b.rows = append(b.rows, row)
		if b.open[n] {
			return
		}
		b.open[n] = true
		for _, d := range below {
			b.node(d, depth+1, selected)
		}
	case *variant.Choice:
		row.Kind, row.Switch = ChoiceNode, n.Switch()
		for _, c := range b.w.graph.Choices {
			if c.Choice == n {
				row.Name, row.At = c.Key, c.At
			}
		}
		b.rows = append(b.rows, row)
		if b.open[n] {
			return
		}
		b.open[n] = true
		alts := map[int]variant.Node{}
		for _, a := range n.Alternatives() {
			alts[a.Value] = a.Node
		}
		for _, m := range n.Switch().Members() {
			on := selected && b.set.Get(n.Switch()) == m.Value
			b.rows = append(b.rows, TreeRow{Depth: depth + 1, Kind: AlternativeNode, Name: m.Name, Switch: n.Switch(), Value: m.Value, Selected: on, Missing: alts[m.Value] == nil, At: row.At})
			if a := alts[m.Value]; a != nil {
				b.node(a, depth+2, on)
			}
		}
	}
}

// axes are the axes that a pass depends on, and what it is for the set.
func (b *treeBuilder) axes(shader int) {
	w := b.w
	for _, s := range w.Shaders[shader].Switches {
		b.rows = append(b.rows, TreeRow{Depth: 1, Kind: ChoiceNode, Name: s.Label(), Switch: s, Selected: true})
		for _, m := range s.Members() {
			b.rows = append(b.rows, TreeRow{Depth: 2, Kind: AlternativeNode, Name: m.Name, Switch: s, Value: m.Value, Selected: b.set.Get(s) == m.Value})
		}
	}
	perm := w.Permutation(b.set)
	row := TreeRow{Depth: 1, Kind: UnitNode, Selected: true, Name: "no such pass in this permutation"}
	if n := w.perms.Unit(perm, shader); n >= 0 {
		u := &w.perms.Units[n]
		row.Name = fmt.Sprintf("unit %s of %d, body %s", u.Letter, len(w.perms.Passes[shader].Units), graph.Letters(w.perms.Body(perm)))
	}
	b.rows = append(b.rows, row)
}
