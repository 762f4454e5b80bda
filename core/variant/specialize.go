package variant

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Specialize replaces every choice by the alternative that the set selects. A chunk
// above no choice is returned as it is, so that a static graph gives itself; any other
// is copied once, with its text, extensions and resources. It fails where a selected
// alternative is missing.
func Specialize(n Node, t *Set) (*Chunk, error) {
	s := specializer{set: t, chunks: memos.Get().(map[*Chunk]*Chunk)}
	defer putBack(s.chunks)
	return s.node(n)
}

// memos are maps that were used before: growing one anew takes most of the time that
// specialising and linking need.
var memos = sync.Pool{New: func() any { return map[*Chunk]*Chunk{} }}

func putBack(m map[*Chunk]*Chunk) {
	const most = 4096 // a larger one is not kept
	if len(m) <= most {
		clear(m)
		memos.Put(m)
	}
}

type specializer struct {
	set    *Set
	chunks map[*Chunk]*Chunk
}

func (s *specializer) node(n Node) (*Chunk, error) {
	switch n := n.(type) {
	case *Choice: // what it stands for is remembered with the alternative
		a, err := n.AlternativeFor(s.set)
		if err != nil {
			return nil, err
		}
		return s.node(a)
	case *Chunk:
		if len(n.deps) == 0 {
			return n, nil
		}
		if done := s.chunks[n]; done != nil {
			return done, nil
		}
		out, err := s.chunk(n)
		if err == nil {
			s.chunks[n] = out
		}
		return out, err
	}
	return nil, fmt.Errorf("%s is no node of a graph", n.Name())
}

func (s *specializer) chunk(n *Chunk) (*Chunk, error) {
	var deps []Node
	for i, d := range n.deps {
		r, err := s.node(d)
		if err != nil {
			return nil, err
		}
		if deps == nil && Node(r) != d { // the first that differs: what is before stays
			deps = append(make([]Node, 0, len(n.deps)), n.deps[:i]...)
		}
		if deps != nil && !slices.Contains(deps, Node(r)) {
			deps = append(deps, r)
		}
	}
	if deps == nil {
		return n, nil
	}
	c := *n
	c.deps = deps
	return &c, nil
}

// CollectSwitches are the switches of all choices that a node reaches, through every
// alternative, in the order in which they are met.
func CollectSwitches(n Node) []*Switch {
	var out []*Switch
	Walk(n, func(n Node) {
		if c, ok := n.(*Choice); ok && !slices.Contains(out, c.sw) {
			out = append(out, c.sw)
		}
	})
	return out
}

// Walk visits every node that a node reaches, itself first, each once, through every
// alternative.
func Walk(n Node, visit func(Node)) {
	seen := map[Node]bool{}
	var walk func(Node)
	walk = func(n Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		visit(n)
		for _, e := range n.below() {
			walk(e.to)
		}
	}
	walk(n)
}

// Linked is a static graph as one text.
type Linked struct {
	Text       string
	Extensions []string // sorted, each once
	Chunks     []*Chunk // in the order of the text
	Resources  []Required

	head string // the directives that a shader's link puts first, without the last line feed
}

// Parts are the texts that Text joins by line feeds: the directives, if any, and the
// chunks' own.
func (l *Linked) Parts() []string {
	var out []string
	if l.head != "" {
		out = append(out, l.head)
	}
	for _, c := range l.Chunks {
		if c.text != "" {
			out = append(out, c.text)
		}
	}
	return out
}

// features are what a language extension needs of the device, by WebGPU's names.
var features = map[string]string{"f16": "shader-f16", "subgroups": "subgroups", "clip_distances": "clip-distances", "dual_source_blending": "dual-source-blending", "primitive_index": "primitive-index"}

// DeviceFeatures is what each language extension needs of the device, by WebGPU's names;
// an extension that WebGPU has no feature for is not in it.
func DeviceFeatures() map[string]string { return maps.Clone(features) }

// Features are the device's features that the extensions need, by WebGPU's names, sorted.
// An extension that WebGPU has no feature for needs none.
func (l *Linked) Features() []string {
	var out []string
	for _, e := range l.Extensions {
		if f := features[e]; f != "" {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

// Takes reports whether a chunk uses a name that it does not declare itself: of a binding,
// whether the module reads or writes it. Comments, parameters and locals do not count.
func (l *Linked) Takes(name string) bool {
	return slices.ContainsFunc(l.Chunks, func(c *Chunk) bool { return slices.Contains(c.takes(), name) })
}

// Required is a binding that a linked graph declares to read, with the first chunk that
// does.
type Required struct {
	*Resource
	By *Chunk
}

// Link joins the texts of a static graph by line feeds, every chunk behind those that
// it depends on: depth first in the order of the dependencies, so that the text is a
// function of the graph alone. A chunk without text takes no line. It fails where the
// graph still reaches a choice.
func Link(n Node) (*Linked, error) {
	l := linker{out: &Linked{}, seen: memos.Get().(map[*Chunk]*Chunk)}
	defer putBack(l.seen)
	if err := l.node(n); err != nil {
		return nil, err
	}
	out := l.out
	slices.Sort(out.Extensions)
	var b strings.Builder
	b.Grow(l.size)
	for _, c := range out.Chunks {
		if c.text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.text)
	}
	out.Text = b.String()
	return out, nil
}

type linker struct {
	out  *Linked
	seen map[*Chunk]*Chunk
	size int // of the text
}

func (l *linker) node(n Node) error {
	c, ok := n.(*Chunk)
	if !ok {
		return fmt.Errorf("only a static graph can be linked: %s is not decided; specialize the graph first", n.Name())
	}
	if l.seen[c] != nil {
		return nil
	}
	l.seen[c] = c
	for _, d := range c.deps {
		if err := l.node(d); err != nil {
			return err
		}
	}
	out := l.out
	out.Chunks = append(out.Chunks, c)
	l.size += len(c.text) + 1
	for _, e := range c.extensions {
		if !slices.Contains(out.Extensions, e) {
			out.Extensions = append(out.Extensions, e)
		}
	}
	for _, r := range c.resources {
		if !slices.ContainsFunc(out.Resources, func(o Required) bool { return o.Name == r.Name && o.same(r) }) {
			out.Resources = append(out.Resources, Required{r, c})
		}
	}
	return nil
}
