package manifest

import (
	"fmt"

	"fxlens/core/diag"
	"fxlens/core/variant"
)

// Graph is a graph that was read. It must not be changed.
type Graph struct {
	Name      string
	File      string // the manifest, as users call it
	Switches  []*Switch
	Chunks    []*Chunk
	Choices   []*Choice
	Resources []*Resource
	Shaders   []*Shader
	Sets      []*Sets
	Unused    []*Error // chunks, choices, switches, resources and groups that no shader reaches
}

// Switch is a switch of a manifest.
type Switch struct {
	*variant.Switch
	Key string
	At  Pos
}

// Chunk is a chunk of a manifest.
type Chunk struct {
	*variant.Chunk
	Key  string
	At   Pos // of its table
	Text Pos // where its text begins

	escaped bool // the file has escapes for parts of the text: places in it are not known
}

// Choice is a choice of a manifest.
type Choice struct {
	*variant.Choice
	Key string
	At  Pos
}

// Resource is a declaration of a manifest.
type Resource struct {
	*variant.Resource
	At Pos
}

// Shader is a shader of a manifest, or one template of a template pass.
type Shader struct {
	*variant.Shader
	Key      string // "draw", of a template pass "draw/wood"
	Pass     string // the key of the template pass; empty: none
	Template string // the template's chunk
	At       Pos
}

// Sets are the sets of one name: several where a value is a list.
type Sets struct {
	Key  string
	At   Pos
	Sets []*variant.Set
}

// Switch finds a switch by key, or by label where no key is equal. It fails with an
// error that says what there is.
func (g *Graph) Switch(name string) (*Switch, error) {
	var names []string
	var found *Switch
	for _, s := range g.Switches {
		if s.Key == name {
			return s, nil
		}
		if s.Label() == name && found == nil {
			found = s
		}
		names = append(names, s.Key)
	}
	if found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("there is no switch %q; %s", name, diag.Hint(name, names))
}

// ChunkOf is the chunk of the manifest that a linked chunk is, or a specialised copy
// of; nil: it was made for a shader, as the declarations of its bindings are.
func (g *Graph) ChunkOf(c *variant.Chunk) *Chunk {
	for _, m := range g.Chunks {
		if m.Chunk.Same(c) {
			return m
		}
	}
	return nil
}

// In is the place in a file of a place in a chunk's text, both from 1. Of a text that is
// written with escapes it is where the text begins.
func (c *Chunk) In(line, col int) Pos {
	p := c.Text
	if c.escaped {
		return p
	}
	if line <= 1 {
		p.Col += max(col, 1) - 1
		return p
	}
	return Pos{p.File, p.Line + line - 1, col}
}
