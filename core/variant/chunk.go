package variant

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"fxlens/core/wgsl/syntax"
)

// Node is a part of a graph: a *Chunk or a *Choice.
type Node interface {
	// Name is what errors call the node.
	Name() string
	below() []edge
}

// edge is a way down: to a dependency, or to an alternative.
type edge struct {
	to   Node
	what string // "", or "Member of switch"
}

// ErrCycle marks a dependency or alternative that leads back to where it starts.
var ErrCycle = errors.New("a graph must not reach itself")

// Chunk is a piece of WGSL with what it needs: other chunks, language extensions and
// bindings.
type Chunk struct {
	name       string
	text       string
	deps       []Node
	extensions []string
	resources  []*Resource
	facts      *facts // of text; shared by specialised copies
}

// facts is what parsing a chunk's text says, found once.
type facts struct {
	once     sync.Once
	file     *syntax.File
	names    *syntax.Names
	declares []string // sorted
	takes    []string // sorted
	syntax   syntax.Errors
}

// NewChunk makes a chunk. Without a name it is called after the first function that its
// text declares.
func NewChunk(name, text string) *Chunk {
	return &Chunk{name: name, text: text, facts: &facts{}}
}

// NoCode is the chunk without text and dependencies.
var NoCode = NewChunk("empty", "")

// Name is the chunk's name, or that of its first function or declaration.
func (c *Chunk) Name() string {
	if c.name != "" {
		return c.name
	}
	first := ""
	for _, d := range c.parse().file.Decls {
		n := syntax.NameOf(d).Text
		if _, fn := d.(*syntax.Func); fn {
			return n
		}
		if first == "" {
			first = n
		}
	}
	if first != "" {
		return first
	}
	return "a chunk without declarations"
}

// Text is the chunk's own WGSL.
func (c *Chunk) Text() string { return c.text }

// Dependencies are the nodes that are linked before the chunk, in order.
func (c *Chunk) Dependencies() []Node { return slices.Clone(c.deps) }

// Extensions are the language extensions that the text needs ("f16"), in the order given.
func (c *Chunk) Extensions() []string { return slices.Clone(c.extensions) }

// RequiredResources are the bindings that the chunk declares to read.
func (c *Chunk) RequiredResources() []*Resource { return slices.Clone(c.resources) }

func (c *Chunk) below() []edge {
	out := make([]edge, len(c.deps))
	for i, d := range c.deps {
		out[i].to = d
	}
	return out
}

// AddDependency adds a node that is linked before the chunk. added is false where the
// chunk has it, or an equal one, already. It fails, wrapping ErrCycle, where the node
// reaches the chunk, through alternatives too.
func (c *Chunk) AddDependency(n Node) (added bool, err error) {
	if slices.ContainsFunc(c.deps, func(d Node) bool { return Equal(d, n) }) {
		return false, nil
	}
	if path := reach(n, c); path != nil {
		return false, fmt.Errorf("%s cannot depend on %s: %w (%s)", c.Name(), n.Name(), ErrCycle, pathText(c, path))
	}
	c.deps = append(c.deps, n)
	return true, nil
}

// AddExtension adds a language extension; each counts once.
func (c *Chunk) AddExtension(name string) {
	if !slices.Contains(c.extensions, name) {
		c.extensions = append(c.extensions, name)
	}
}

// RequireResource declares a binding that the chunk's functions read. It fails where the
// chunk declares another one of the name.
func (c *Chunk) RequireResource(r *Resource) error {
	for _, o := range c.resources {
		if o.Name == r.Name {
			if o.same(r) {
				return nil
			}
			return fmt.Errorf("%s declares %q already, as %s; it cannot be %s too", c.Name(), r.Name, o.reads(), r.reads())
		}
	}
	c.resources = append(c.resources, r)
	return nil
}

// Same reports whether two chunks are one piece of text: a chunk and its specialised
// copies are.
func (c *Chunk) Same(o *Chunk) bool { return c.facts == o.facts }

// Equal reports whether two nodes are the same object or chunks of equal text with
// pairwise equal dependencies. A choice equals only itself.
func Equal(a, b Node) bool { return equal(a, b, map[[2]Node]bool{}) }

// equal looks at every pair once: what two graphs share many times would be compared as
// many times over. A pair that is being compared counts as equal, and decides nothing.
func equal(a, b Node, seen map[[2]Node]bool) bool {
	if a == b {
		return true
	}
	x, ok := a.(*Chunk)
	y, too := b.(*Chunk)
	if !ok || !too || x.text != y.text || len(x.deps) != len(y.deps) {
		return false
	}
	pair := [2]Node{a, b}
	if same, known := seen[pair]; known {
		return same
	}
	seen[pair] = true
	for i := range x.deps {
		if !equal(x.deps[i], y.deps[i], seen) {
			seen[pair] = false
			return false
		}
	}
	return true
}

// reach returns the way from n down to target, both included, or nil.
func reach(n, target Node) []edge {
	seen := map[Node]bool{}
	var walk func(e edge) []edge
	walk = func(e edge) []edge {
		if e.to == target {
			return []edge{e}
		}
		if seen[e.to] {
			return nil
		}
		seen[e.to] = true
		for _, d := range e.to.below() {
			if p := walk(d); p != nil {
				return append([]edge{e}, p...)
			}
		}
		return nil
	}
	return walk(edge{to: n})
}

func pathText(from Node, path []edge) string {
	parts := []string{from.Name()}
	for _, e := range path {
		s := e.to.Name()
		if e.what != "" {
			s = "(" + e.what + ") " + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " -> ")
}

// parse reads the text once.
func (c *Chunk) parse() *facts {
	f := c.facts
	f.once.Do(func() {
		f.file, f.syntax = syntax.Parse(c.text)
		// What other chunks declare is not known here; Lint looks at whole graphs.
		f.names, _ = syntax.Resolve(f.file, func(name string) *syntax.Object { return &syntax.Object{Name: name, Kind: syntax.ObjVar} })
		for n := range f.names.Module {
			f.declares = append(f.declares, n)
		}
		sort.Strings(f.declares)
		taken := map[string]bool{}
		for _, o := range f.names.Uses {
			if o.Kind == syntax.ObjVar && o.Decl == nil {
				taken[o.Name] = true
			}
		}
		for n := range taken {
			f.takes = append(f.takes, n)
		}
		sort.Strings(f.takes)
	})
	return f
}

func (c *Chunk) declares() []string { return c.parse().declares }

// Declares are the names that the text declares at module scope, sorted.
func (c *Chunk) Declares() []string { return slices.Clone(c.declares()) }

// Takes are the names that the text uses and does not declare itself, sorted.
func (c *Chunk) Takes() []string { return slices.Clone(c.takes()) }

func (c *Chunk) takes() []string { return c.parse().takes }

// Choice stands for one of several nodes by the value of one switch. It has no text.
type Choice struct {
	sw   *Switch
	alts []alternative
}

type alternative struct {
	value int
	node  Node
}

// ChoiceFrom makes a choice without alternatives.
func ChoiceFrom(s *Switch) *Choice { return &Choice{sw: s} }

// Switch is what decides.
func (c *Choice) Switch() *Switch { return c.sw }

// Name says which switch the choice is of.
func (c *Choice) Name() string { return fmt.Sprintf("choice of %q", c.sw.label) }

func (c *Choice) below() []edge {
	out := make([]edge, len(c.alts))
	for i, a := range c.alts {
		out[i] = edge{a.node, c.sw.label + "=" + c.sw.NameOf(a.value)}
	}
	return out
}

// Add gives the alternative for a value; it may be a choice itself. It fails where v is
// no value of the switch or has an alternative already and, wrapping ErrCycle, where the
// node reaches the choice.
func (c *Choice) Add(v int, n Node) error {
	if !c.sw.IsValue(v) {
		return fmt.Errorf("%s: %d is no value of the switch; it has %s", c.Name(), v, c.sw.valuesText())
	}
	for _, a := range c.alts {
		if a.value == v {
			return fmt.Errorf("%s: %s has the alternative %s already", c.Name(), c.sw.NameOf(v), a.node.Name())
		}
	}
	if path := reach(n, c); path != nil {
		path[0].what = c.sw.label + "=" + c.sw.NameOf(v)
		return fmt.Errorf("%s cannot be %s for %s: %w (%s)", c.Name(), n.Name(), c.sw.NameOf(v), ErrCycle, pathText(c, path))
	}
	c.alts = append(c.alts, alternative{v, n})
	return nil
}

// Alternative is what a choice has for one value.
type Alternative struct {
	Value int
	Node  Node
}

// Alternatives are those of the choice, in the order of the switch's members.
func (c *Choice) Alternatives() []Alternative {
	var out []Alternative
	for _, m := range c.sw.members {
		for _, a := range c.alts {
			if a.value == m.Value {
				out = append(out, Alternative{a.value, a.node})
			}
		}
	}
	return out
}

// MissingError says that a set selects a member for which a choice has no alternative.
type MissingError struct {
	Choice *Choice
	Member string
}

// Error names the switch and the member.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s has no alternative for %s", e.Choice.Name(), e.Member)
}

// AlternativeFor is the node that a set selects. It fails with a *MissingError.
func (c *Choice) AlternativeFor(t *Set) (Node, error) {
	v := t.Get(c.sw)
	for _, a := range c.alts {
		if a.value == v {
			return a.node, nil
		}
	}
	return nil, &MissingError{c, c.sw.NameOf(v)}
}

// Missing are the members of the switch that have no alternative. That is legal until
// one of them is selected.
func (c *Choice) Missing() []Member {
	var out []Member
	for _, m := range c.sw.members {
		if !slices.ContainsFunc(c.alts, func(a alternative) bool { return a.value == m.Value }) {
			out = append(out, m)
		}
	}
	return out
}

// RequireResource always fails: a choice has no text that could read.
func (c *Choice) RequireResource(r *Resource) error {
	return fmt.Errorf("%s cannot declare %q: it has no text; declare it in the alternatives that read it", c.Name(), r.Name)
}
