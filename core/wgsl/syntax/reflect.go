package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// EntryPoint is a function that a pipeline can run.
type EntryPoint struct {
	Name  string
	Stage string // vertex, fragment, compute
	// WorkgroupSize has 0 where the pipeline's constants decide.
	WorkgroupSize [3]uint32
	// Inputs and Outputs have the members of structures one by one.
	Inputs, Outputs []IOVariable
	// Bindings and Overrides are those that it or what it calls uses, in the order of the
	// source.
	Bindings  []*Binding
	Overrides []*Override
	Func      *Func
}

// IOVariable is one input or output of an entry point. Name is that of the parameter or
// member; a plain result has none.
type IOVariable struct {
	Name string
	Type *Type
	IO
}

// Override is a constant that the pipeline sets.
type Override struct {
	Name       string
	Type       *Type
	ID         int // of @id
	HasID      bool
	HasDefault bool
	Decl       *Var
}

// Binding is a resource of a bind group.
type Binding struct {
	Name           string
	Group, Binding int
	// Kind is uniform-buffer, storage-buffer, texture, storage-texture, external-texture,
	// sampler or comparison-sampler.
	Kind string
	Type *Type
	// Access of buffers and storage textures: read, write, read_write.
	Access string
	// Size is the least size in bytes of a buffer: that of its type, with one element of a
	// runtime-sized array.
	Size uint64
	// ViewDimension, SampleType, Multisampled and Format are those of a
	// GPUBindGroupLayoutEntry; float is what a shader can say of float and
	// unfilterable-float.
	ViewDimension, SampleType, Format string
	Multisampled                      bool
	Decl                              *Var
	// EntryPoints are those that reach it, in the order of the source.
	EntryPoints []*EntryPoint
}

// newBinding describes a resource variable.
func newBinding(v *Var, t *Type, space, access string, group, binding int) *Binding {
	b := &Binding{Name: v.Name.Text, Group: group, Binding: binding, Type: t, Decl: v}
	dim := strings.ReplaceAll(t.Dim, "_", "-")
	switch {
	case space == "uniform" || space == "storage":
		b.Kind, b.Access, b.Size = space+"-buffer", access, t.Size
	case t.Kind == TypeSampler:
		b.Kind = "sampler"
	case t.Kind == TypeSamplerComparison:
		b.Kind = "comparison-sampler"
	case t.Kind == TypeTextureExternal:
		b.Kind = "external-texture"
	case t.Kind == TypeTextureStorage:
		b.Kind, b.Access, b.ViewDimension, b.Format = "storage-texture", t.Access, dim, t.Format
	case t.Kind == TypeTextureDepth, t.Kind == TypeTextureDepthMultisampled:
		b.Kind, b.ViewDimension, b.SampleType = "texture", dim, "depth"
		b.Multisampled = t.Kind == TypeTextureDepthMultisampled
	default:
		b.Kind, b.ViewDimension = "texture", dim
		b.SampleType = map[TypeKind]string{TypeF32: "float", TypeI32: "sint", TypeU32: "uint"}[t.Elem.Kind]
		b.Multisampled = t.Kind == TypeTextureMultisampled
	}
	return b
}

// entryPoints finds what each entry point reaches, and checks what its stage allows.
func (c *checker) entryPoints() {
	pos := func(a, b *Var) int { return a.Pos - b.Pos }
	slices.SortFunc(c.m.EntryPoints, func(a, b *EntryPoint) int { return a.Func.Pos - b.Func.Pos })
	slices.SortFunc(c.m.Bindings, func(a, b *Binding) int { return pos(a.Decl, b.Decl) })
	slices.SortFunc(c.m.Overrides, func(a, b *Override) int { return pos(a.Decl, b.Decl) })
	for _, b := range c.m.Bindings {
		c.globals[b.Decl].binding = b
	}
	for _, o := range c.m.Overrides {
		c.globals[o.Decl].override = o
	}
	reported := map[Span]bool{}
	once := func(at Span, format string, args ...any) {
		if !reported[at] {
			reported[at] = true
			c.report(at, format, args...)
		}
	}
	for k, e := range c.m.EntryPoints {
		info := c.funcs[e.Func]
		if info == nil {
			continue
		}
		mark := k + 1
		info.mark = mark
		letter := stageLetter[e.Stage]
		var immediate *Var
		slots := map[[2]int]*Binding{}
		for work := []*funcInfo{info}; len(work) > 0; {
			f := work[len(work)-1]
			work = work[:len(work)-1]
			for _, l := range f.limits {
				if !strings.Contains(l.stages, letter) {
					once(l.at, "%s cannot be used by %s pipeline stage (reached from entry point '%s')", l.what, e.Stage, e.Name)
				}
			}
			for _, u := range f.used {
				if u.mark == mark {
					continue
				}
				u.mark = mark
				if u.override != nil {
					e.Overrides = append(e.Overrides, u.override)
				}
				if what := c.stageOf(u.v, letter); what != "" {
					once(u.at, "%s cannot be used by %s pipeline stage (reached from entry point '%s')", what, e.Stage, e.Name)
				}
				if u.v.Space == "immediate" {
					if immediate != nil {
						once(u.v.Name.Span, "entry point '%s' uses two 'immediate' variables: '%s' and '%s'", e.Name, immediate.Name.Text, u.v.Name.Text)
					}
					immediate = u.v
				}
				b := u.binding
				if b == nil {
					continue
				}
				e.Bindings = append(e.Bindings, b)
				b.EntryPoints = append(b.EntryPoints, e)
				k := [2]int{b.Group, b.Binding}
				if other := slots[k]; other != nil {
					once(u.v.Name.Span, "entry point '%s' references multiple variables that use the same resource binding @group(%d), @binding(%d): '%s' and '%s'",
						e.Name, b.Group, b.Binding, other.Name, b.Name)
				}
				slots[k] = b
			}
			for _, call := range f.calls {
				if call.to.mark != mark {
					call.to.mark = mark
					work = append(work, call.to)
				}
			}
		}
		slices.SortFunc(e.Bindings, func(a, b *Binding) int { return pos(a.Decl, b.Decl) })
		slices.SortFunc(e.Overrides, func(a, b *Override) int { return pos(a.Decl, b.Decl) })
	}
}

// stageOf says what a stage cannot use of a variable, or nothing.
func (c *checker) stageOf(v *Var, stage string) string {
	info := c.vars[v]
	if info == nil || info.t.Kind != TypeReference {
		return ""
	}
	switch t := info.t; {
	case t.Space == "workgroup" && stage != "c":
		return "var with 'workgroup' address space"
	case t.Space == "storage" && t.Access != "read" && stage == "v":
		return fmt.Sprintf("var with 'storage' address space and access mode '%s'", t.Access)
	case t.Elem.Kind == TypeTextureStorage && t.Elem.Access != "read" && stage == "v":
		return fmt.Sprintf("storage texture with access mode '%s'", t.Elem.Access)
	}
	return ""
}
