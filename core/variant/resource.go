package variant

import (
	"fmt"
	"slices"
	"strings"

	"fxlens/core/wgsl/syntax"
)

// Kind is the kind of a binding.
type Kind uint8

// The kinds.
const (
	Uniform Kind = iota
	Storage
	Texture
	StorageTexture
	Sampler
)

var kindNames = [...]string{"uniform", "storage", "texture", "storage-texture", "sampler"}

// String is the kind as manifests write it.
func (k Kind) String() string { return kindNames[k] }

// ParseKind reads a kind as manifests write it.
func ParseKind(s string) (Kind, error) {
	if i := slices.Index(kindNames[:], s); i >= 0 {
		return Kind(i), nil
	}
	return 0, fmt.Errorf("there is no kind of binding %q; use %s", s, strings.Join(kindNames[:], ", "))
}

// Resource is a binding without a place: what a chunk declares to read, or what a group
// binds.
type Resource struct {
	Name   string
	Kind   Kind
	Type   string // WGSL type of a uniform or storage buffer
	Access string // storage: read, read_write; storage texture: read, write, read_write

	Dimension    string // texture and storage texture: 1d, 2d, 2d-array, 3d, cube, cube-array
	Sample       string // texture: float, unfilterable-float, depth, sint, uint
	Multisampled bool   // texture
	Format       string // storage texture: rgba8unorm, ...
	Comparison   bool   // sampler

	// Needs is what defines Type, linked into every variant that binds the resource; nil:
	// nothing is needed.
	Needs Node
	// Default stands in where nothing is bound.
	Default Default
}

// Default is what a binding is where nobody binds it.
type Default struct {
	// Fallback names a texture ("black") or the neutral content of a uniform block; empty:
	// there is none.
	Fallback string
	// Transient, of a storage buffer: a frame graph's pass that is given nothing binds a
	// buffer of the type's least size with undefined content. A variant that reads the
	// binding refuses it.
	Transient bool
}

// Validate says what is wrong with a declaration, or nothing.
func (r *Resource) Validate() error {
	one := func(what, v string, of ...string) error {
		if !slices.Contains(of, v) {
			return fmt.Errorf("binding %q: %s %q is none of %s", r.Name, what, v, strings.Join(of, ", "))
		}
		return nil
	}
	if r.Name == "" {
		return fmt.Errorf("a %s binding has no name", r.Kind)
	}
	dims := []string{"1d", "2d", "2d-array", "3d", "cube", "cube-array"}
	switch r.Kind {
	case Uniform, Storage:
		if r.Type == "" {
			return fmt.Errorf("binding %q: a %s buffer needs its WGSL type", r.Name, r.Kind)
		}
		if r.Kind == Storage {
			if err := one("access", r.Access, "read", "read_write"); err != nil {
				return err
			}
		}
	case Texture:
		if err := one("dimension", r.Dimension, dims...); err != nil {
			return err
		}
		if err := one("sample type", r.Sample, "float", "unfilterable-float", "depth", "sint", "uint"); err != nil {
			return err
		}
		if r.Multisampled && r.Dimension != "2d" {
			return fmt.Errorf("binding %q: only 2d textures are multisampled", r.Name)
		}
		if r.Sample == "depth" && (r.Dimension == "1d" || r.Dimension == "3d") {
			return fmt.Errorf("binding %q: there are no %s depth textures", r.Name, r.Dimension)
		}
	case StorageTexture:
		if err := one("dimension", r.Dimension, "1d", "2d", "2d-array", "3d"); err != nil {
			return err
		}
		if err := one("access", r.Access, "read", "write", "read_write"); err != nil {
			return err
		}
		if r.Format == "" {
			return fmt.Errorf("binding %q: a storage texture needs its format", r.Name)
		}
		if !syntax.IsTexelFormat(r.Format) {
			return fmt.Errorf("binding %q: a storage texture cannot have the format %q; it has one such as rgba16float", r.Name, r.Format)
		}
	}
	if r.Default.Transient && r.Kind != Storage {
		return fmt.Errorf("binding %q: only a storage buffer has a transient default", r.Name)
	}
	return nil
}

// SatisfiedBy reports whether what a shader binds serves what a chunk reads. Names,
// places, visibilities and defaults are not compared, since names decide who is asked
// and the rest does not matter to code.
func (r *Resource) SatisfiedBy(bound *Resource) bool {
	if r.Kind != bound.Kind {
		return false
	}
	switch r.Kind {
	case Uniform:
		return sameType(r.Type, bound.Type)
	case Storage:
		return sameType(r.Type, bound.Type) && subset(r.Access, bound.Access)
	case Texture:
		sample := r.Sample == bound.Sample || r.Sample == "float" && bound.Sample == "unfilterable-float"
		return sample && r.Dimension == bound.Dimension && r.Multisampled == bound.Multisampled
	case StorageTexture:
		return r.Format == bound.Format && r.Dimension == bound.Dimension && subset(r.Access, bound.Access)
	}
	return r.Comparison == bound.Comparison
}

// subset reports whether an access is part of another.
func subset(want, have string) bool { return want == have || have == "read_write" }

// sameType compares WGSL types as text, white space and a trailing comma aside.
func sameType(a, b string) bool { return plainType(a) == plainType(b) }

func plainType(s string) string {
	s = strings.Join(strings.Fields(s), "")
	return strings.ReplaceAll(s, ",>", ">")
}

// same reports whether two declarations say the same.
func (r *Resource) same(o *Resource) bool {
	return r == o || r.Name == o.Name && r.Kind == o.Kind && sameType(r.Type, o.Type) && r.Access == o.Access && r.Dimension == o.Dimension &&
		r.Sample == o.Sample && r.Multisampled == o.Multisampled && r.Format == o.Format && r.Comparison == o.Comparison
}

// reads is the declaration in an error: "read storage buffer of array<u32>".
func (r *Resource) reads() string {
	switch r.Kind {
	case Uniform:
		return "uniform buffer of " + r.Type
	case Storage:
		return r.Access + " storage buffer of " + r.Type
	case Texture:
		ms := ""
		if r.Multisampled {
			ms = "multisampled "
		}
		return ms + r.Dimension + " " + r.Sample + " texture"
	case StorageTexture:
		return r.Access + " " + r.Dimension + " " + r.Format + " storage texture"
	}
	if r.Comparison {
		return "comparison sampler"
	}
	return "sampler"
}

// WGSLType is the type of the binding's variable.
func (r *Resource) WGSLType() string {
	dim := strings.ReplaceAll(r.Dimension, "-", "_")
	switch r.Kind {
	case Texture:
		switch {
		case r.Sample == "depth" && r.Multisampled:
			return "texture_depth_multisampled_2d"
		case r.Sample == "depth":
			return "texture_depth_" + dim
		}
		elem := map[string]string{"float": "f32", "unfilterable-float": "f32", "sint": "i32", "uint": "u32"}[r.Sample]
		if r.Multisampled {
			return "texture_multisampled_2d<" + elem + ">"
		}
		return "texture_" + dim + "<" + elem + ">"
	case StorageTexture:
		return "texture_storage_" + dim + "<" + r.Format + ", " + r.Access + ">"
	case Sampler:
		if r.Comparison {
			return "sampler_comparison"
		}
		return "sampler"
	}
	return r.Type
}

// Visibility is the set of stages that see a group.
type Visibility uint8

// The stages.
const (
	Vertex Visibility = 1 << iota
	Fragment
	Compute
)

// Stages are the stages by name, in the order of documents.
func (v Visibility) Stages() []string {
	var out []string
	for i, n := range []string{"vertex", "fragment", "compute"} {
		if v&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Group is a bind group: bindings in order, all visible to the same stages.
type Group struct {
	Visibility Visibility
	entries    []*Resource
}

// Add places a copy of a declaration at the group's next index, and returns the index. A
// declaration may be in any number of groups. It fails on an invalid declaration.
func (g *Group) Add(r *Resource) (int, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	c := *r
	g.entries = append(g.entries, &c)
	return len(g.entries) - 1, nil
}

// Entries are the bindings by index.
func (g *Group) Entries() []*Resource { return slices.Clone(g.entries) }

// Interface is what a shader binds: its groups by index. It is the union of what all
// alternatives read, and the same for all variants, so that a switch changes no layout.
type Interface struct {
	Groups []*Group
}

// Placed is a binding with its place.
type Placed struct {
	*Resource
	Group, Index int
	Visibility   Visibility
}

// Find returns the binding of a name.
func (f *Interface) Find(name string) (Placed, bool) {
	for g, group := range f.Groups {
		for i, r := range group.entries {
			if r.Name == name {
				return Placed{r, g, i, group.Visibility}, true
			}
		}
	}
	return Placed{}, false
}

// All are the bindings by group and index.
func (f *Interface) All() []Placed {
	var out []Placed
	for g, group := range f.Groups {
		for i, r := range group.entries {
			out = append(out, Placed{r, g, i, group.Visibility})
		}
	}
	return out
}

// writes reports whether code may write a binding.
func (r *Resource) writes() bool {
	return (r.Kind == Storage || r.Kind == StorageTexture) && r.Access != "read"
}

// Validate says what is wrong with the interface: two bindings of one name, and what code
// may write where the vertex stage sees it, of which WebGPU makes no layout.
func (f *Interface) Validate() error {
	seen := map[string]Placed{}
	for _, p := range f.All() {
		if o, dup := seen[p.Name]; dup {
			return fmt.Errorf("binding %q stands at group %d binding %d and at group %d binding %d", p.Name, o.Group, o.Index, p.Group, p.Index)
		}
		seen[p.Name] = p
		if p.writes() && p.Visibility&Vertex != 0 {
			return fmt.Errorf("binding %q may be written, and its group is visible to the vertex stage, which WebGPU refuses; put it in a group that is not", p.Name)
		}
	}
	return nil
}

// Declarations is the WGSL that declares the bindings.
func (f *Interface) Declarations() string {
	var b strings.Builder
	for _, p := range f.All() {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		space := ""
		switch p.Kind {
		case Uniform:
			space = "<uniform>"
		case Storage:
			space = "<storage, " + p.Access + ">"
		}
		fmt.Fprintf(&b, "@group(%d) @binding(%d) var%s %s: %s;", p.Group, p.Index, space, p.Name, p.WGSLType())
	}
	return b.String()
}

// Place makes the interface of a shader of the declarations of its chunks: one group of
// everything that any alternative declares to read, in the order in which the graph is
// walked, visible to the stages that the type has. What an image shader may write is in a
// group of its own, which the vertex stage does not see. Of two declarations of one name the
// one that satisfies the other is bound. It fails where neither does, and on more
// bindings than a group may have.
func Place(t Type, nodes ...Node) (*Interface, error) {
	g := &Group{Visibility: Vertex | Fragment}
	if t == ComputeShader {
		g.Visibility = Compute
	}
	at := map[string]int{}
	by := map[string]string{}
	for _, n := range nodes {
		if n == nil {
			continue
		}
		var err error
		Walk(n, func(n Node) {
			c, ok := n.(*Chunk)
			if !ok {
				return
			}
			for _, r := range c.resources {
				i, there := at[r.Name]
				switch {
				case !there:
					at[r.Name], by[r.Name] = len(g.entries), c.Name()
					copied := *r
					g.entries = append(g.entries, &copied)
				case r.SatisfiedBy(g.entries[i]):
				case g.entries[i].SatisfiedBy(r):
					copied := *r
					g.entries[i] = &copied
				case err == nil:
					err = fmt.Errorf("%q reads %q as a %s and %q as a %s", by[r.Name], r.Name, g.entries[i].reads(), c.Name(), r.reads())
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if n := len(g.entries); n > maxBindings {
		return nil, fmt.Errorf("the chunks read %d bindings; a bind group has at most %d", n, maxBindings)
	}
	if len(g.entries) == 0 {
		return &Interface{}, nil
	}
	if t == ComputeShader || !slices.ContainsFunc(g.entries, (*Resource).writes) {
		return &Interface{Groups: []*Group{g}}, nil
	}
	written := &Group{Visibility: Fragment}
	for _, r := range g.entries {
		if r.writes() {
			written.entries = append(written.entries, r)
		}
	}
	if g.entries = slices.DeleteFunc(g.entries, (*Resource).writes); len(g.entries) == 0 {
		return &Interface{Groups: []*Group{written}}, nil
	}
	return &Interface{Groups: []*Group{g, written}}, nil
}

// maxBindings is WebGPU's default of maxBindingsPerBindGroup.
const maxBindings = 1000
