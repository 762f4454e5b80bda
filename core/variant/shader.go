package variant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"fxlens/core/wgsl/syntax"
)

// Type is what a shader is used for.
type Type uint8

// The types.
const (
	ImageShader Type = iota // a vertex and a fragment entry point
	ComputeShader
)

var typeNames = [...]string{"image", "compute"}

// String is the type as manifests write it.
func (t Type) String() string { return typeNames[t] }

// Target is one colour target of an image shader.
type Target struct {
	Format string `toml:"format" json:"format"`
	Blend  string `toml:"blend" json:"blend,omitempty"`
}

// DepthStencil is the depth and stencil state of an image shader.
type DepthStencil struct {
	Format  string `toml:"format" json:"format"`
	Write   bool   `toml:"write" json:"write"`
	Compare string `toml:"compare" json:"compare"`
}

// Limits are what the device offers: the check of the interface that all variants share.
type Limits struct {
	BindGroups int // default 4, WebGPU's own default
}

// Shader is a graph with its interface, and its variants. It is made once and then used
// by many goroutines.
type Shader struct {
	label     string
	kind      Type
	resources *Interface
	body      Node
	template  Node   // linked before the body; nil: none
	rootNode  *Chunk // body behind the bindings and what their types need
	switches  []*Switch
	targets   []Target
	depth     *DepthStencil

	original *Shader // of a variant; nil else
	set      *Set    // of a variant: what it is for
	linked   *Linked // the whole module's text
	size     [3]uint32

	table atomic.Pointer[map[*Set]*Shader] // copied on write: hits cost no lock and no memory
	mu    sync.Mutex                       // one variant is made at a time
	first sync.Once                        // the all-defaults variant, of an original
	err   error

	check   sync.Once // the text by the rules of WGSL, when it is asked for
	module  *syntax.Module
	invalid error
}

// ShaderOptions are what a shader is made of.
type ShaderOptions struct {
	Label     string
	Type      Type
	Resources *Interface
	Body      Node
	Template  Node // of a template pass: what defines the functions that the body calls by name; nil: none
	Targets   []Target
	Depth     *DepthStencil
	Limits    Limits
}

// NewShader makes a shader. Nothing is linked before it is asked for. It fails on an
// interface that is not valid or needs more bind groups than the device has.
func NewShader(o ShaderOptions) (*Shader, error) {
	if o.Resources == nil {
		o.Resources = &Interface{}
	}
	if o.Limits.BindGroups == 0 {
		o.Limits.BindGroups = defaultGroups
	}
	if o.Label == "" || o.Body == nil {
		return nil, fmt.Errorf("a shader needs a label and a body")
	}
	if err := o.Resources.Validate(); err != nil {
		return nil, fmt.Errorf("shader %q: %w", o.Label, err)
	}
	if n := len(o.Resources.Groups); n > o.Limits.BindGroups {
		return nil, fmt.Errorf("shader %q binds %d groups; the device has %d", o.Label, n, o.Limits.BindGroups)
	}
	s := &Shader{label: o.Label, kind: o.Type, resources: o.Resources, body: o.Body, template: o.Template, targets: slices.Clone(o.Targets), depth: o.Depth}
	s.rootNode = s.root()
	s.switches = CollectSwitches(s.rootNode)
	return s, nil
}

// root is the body with what the interface needs before it. Every variant links the
// declarations of the whole interface.
func (s *Shader) root() *Chunk {
	needs := &Chunk{name: "bindings of " + s.label, text: s.resources.Declarations(), facts: &facts{}}
	for _, p := range s.resources.All() {
		if p.Needs != nil && !slices.Contains(needs.deps, p.Needs) {
			needs.deps = append(needs.deps, p.Needs)
		}
	}
	deps := []Node{needs, s.body}
	if s.template != nil {
		deps = []Node{needs, s.template, s.body}
	}
	return &Chunk{name: s.label, deps: deps, facts: &facts{}}
}

// Label is the shader's name, of a variant with its set: "Shade [shadow=Virtual]".
func (s *Shader) Label() string { return s.label }

// Type is what the shader is used for.
func (s *Shader) Type() Type { return s.kind }

// Resources is the interface, one object for all variants.
func (s *Shader) Resources() *Interface { return s.resources }

// Body is the graph that the shader links, of an original with its choices.
func (s *Shader) Body() Node { return s.body }

// Targets are the colour targets of an image shader, the same for all variants.
func (s *Shader) Targets() []Target { return slices.Clone(s.targets) }

// Depth is the depth and stencil state, the same for all variants; nil: none.
func (s *Shader) Depth() *DepthStencil { return s.depth }

// Walk visits every node that the shader reaches, each once, through every alternative;
// those that it made itself, such as the declarations of its bindings, too.
func (s *Shader) Walk(visit func(Node)) { Walk(s.rootNode, visit) }

// Switches are those that the graph depends on; a variant has none.
func (s *Shader) Switches() []*Switch { return slices.Clone(s.switches) }

// Set is what a variant is for; Empty for an original.
func (s *Shader) Set() *Set {
	if s.set == nil {
		return Empty
	}
	return s.set
}

// Variant is the shader for a set: static, labelled with the part of the set that it
// depends on, made once. The shader itself is the one for all defaults, and a variant's
// variant is itself. A lookup that hits costs no lock and no memory. It fails where an
// alternative is missing, a chunk reads what the shader does not bind, or a compute
// shader would change its workgroup size.
func (s *Shader) Variant(t *Set) (*Shader, error) {
	if s.original != nil {
		return s, nil
	}
	if m := s.table.Load(); m != nil {
		if v := (*m)[t]; v != nil {
			return v, nil
		}
	}
	r := t.RestrictedTo(s.switches)
	if r == Empty {
		if err := s.compile(); err != nil {
			return nil, err
		}
		s.put(s, t)
		return s, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.table.Load(); m != nil {
		if v := (*m)[r]; v != nil {
			s.put(v, t)
			return v, nil
		}
	}
	v, err := s.make(r)
	if err != nil {
		return nil, err
	}
	s.put(v, r, t)
	return v, nil
}

func (s *Shader) put(v *Shader, sets ...*Set) {
	for {
		old := s.table.Load()
		m := make(map[*Set]*Shader, 4)
		if old != nil {
			for k, x := range *old {
				m[k] = x
			}
		}
		for _, t := range sets {
			m[t] = v
		}
		if s.table.CompareAndSwap(old, &m) {
			return
		}
	}
}

// make builds the variant of a restricted set that is not Empty.
func (s *Shader) make(t *Set) (*Shader, error) {
	v := &Shader{label: s.label + " [" + t.String() + "]", rootNode: s.rootNode, kind: s.kind, resources: s.resources, targets: s.targets, depth: s.depth, original: s, set: t}
	var err error
	if v.body, err = Specialize(s.body, t); err != nil {
		return nil, fmt.Errorf("shader %q: %w", v.label, err)
	}
	if err := v.link(s.rootNode, t); err != nil {
		return nil, err
	}
	if s.kind == ComputeShader {
		if err := s.compile(); err != nil {
			return nil, err
		}
		if v.size != s.size {
			return nil, fmt.Errorf("shader %q: the variant for %s has the workgroup size %s, the shader %s; a switch must not change it", s.label, t, sizeText(v.size), sizeText(s.size))
		}
	}
	return v, nil
}

// compile links the all-defaults variant.
func (s *Shader) compile() error {
	if s.original != nil {
		return nil
	}
	s.first.Do(func() { s.err = s.link(s.rootNode, Empty) })
	return s.err
}

// link links the module and checks what its chunks declare to read.
func (s *Shader) link(root Node, t *Set) error {
	c, err := Specialize(root, t)
	if err != nil {
		return fmt.Errorf("shader %q: %w", s.label, err)
	}
	l, err := Link(c)
	if err != nil {
		return fmt.Errorf("shader %q: %w", s.label, err)
	}
	var bad Problems
	for _, r := range l.Resources {
		p, ok := s.resources.Find(r.Name)
		switch {
		case !ok:
			bad = append(bad, &Problem{Shader: s.label, Chunk: r.By.Name(), Binding: r.Name, Kind: Unbound, Reads: r.reads()})
		case !r.SatisfiedBy(p.Resource):
			bad = append(bad, &Problem{Shader: s.label, Chunk: r.By.Name(), Binding: r.Name, Kind: Mistyped, Reads: r.reads(), Binds: p.reads()})
		}
	}
	twice := l.twice(s.label)
	switch {
	case len(bad) > 0 && twice != nil:
		return errors.Join(bad, twice)
	case len(bad) > 0:
		return bad
	case twice != nil:
		return twice
	}
	if len(l.Extensions) > 0 { // directives come before all declarations
		l.head = "enable " + strings.Join(l.Extensions, ";\nenable ") + ";"
		l.Text = l.head + "\n" + l.Text
	}
	s.linked = l
	if s.kind == ComputeShader {
		var ok bool
		if s.size, ok = workgroupSize(l.Chunks); !ok {
			err := fmt.Errorf("shader %q: no chunk declares a compute entry point with a workgroup size in numbers", s.label)
			for _, c := range l.Chunks { // it may stand behind a mistake
				if bad := c.parse().syntax; bad.Fatal() {
					err = fmt.Errorf("%w; %q has an error at %w", err, c.Name(), bad[0])
				}
			}
			return err
		}
	}
	return nil
}

// Source is the module's text: of an original that of the all-defaults variant.
func (s *Shader) Source() (string, error) {
	if err := s.compile(); err != nil {
		return "", err
	}
	return s.linked.Text, nil
}

// Linked is the module with its chunks; it fails as Source does.
func (s *Shader) Linked() (*Linked, error) {
	if err := s.compile(); err != nil {
		return nil, err
	}
	return s.linked, nil
}

// WorkgroupSize is the workgroup size of a compute shader.
func (s *Shader) WorkgroupSize() ([3]uint32, error) {
	if err := s.compile(); err != nil {
		return [3]uint32{}, err
	}
	return s.size, nil
}

// Device is what a device offers.
type Device struct {
	Features   []string // by WebGPU's names
	BindGroups int      // 0: WebGPU's default of 4
}

// CheckDevice fails where the variant needs what the device does not offer, and names all
// of it. Every variant has its own language features; the bind groups are those of the
// interface that all share. It fails as Source does, too.
func (s *Shader) CheckDevice(d Device) error {
	l, err := s.Linked()
	if err != nil {
		return err
	}
	var bad []error
	for _, f := range l.Features() {
		if !slices.Contains(d.Features, f) {
			bad = append(bad, fmt.Errorf("shader %q needs the feature %q, which the device does not have", s.label, f))
		}
	}
	if n, most := len(s.resources.Groups), cmp.Or(d.BindGroups, defaultGroups); n > most {
		bad = append(bad, fmt.Errorf("shader %q binds %d groups; the device has %d", s.label, n, most))
	}
	return errors.Join(bad...)
}

// defaultGroups is WebGPU's default of maxBindGroups.
const defaultGroups = 4

// Prefetch makes the variants of several shaders for several sets, so that their first use
// costs a lookup. It fails when ctx ends, and else with everything that cannot be made.
func Prefetch(ctx context.Context, shaders []*Shader, sets []*Set) error {
	errs := make([][]error, len(shaders))
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range shaders {
		eg.Go(func() error {
			seen := map[*Set]bool{}
			for _, t := range sets {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				r := t.RestrictedTo(s.switches)
				if _, err := s.Variant(t); err != nil && !seen[r] {
					errs[i] = append(errs[i], err)
				}
				seen[r] = true
			}
			return nil
		})
	}
	if err := eg.Wait(); err != nil {
		return err
	}
	return errors.Join(slices.Concat(errs...)...)
}

// workgroupSize finds the compute entry point's size. Its arguments are numbers or
// constants of the graph that are numbers.
func workgroupSize(chunks []*Chunk) (size [3]uint32, ok bool) {
	for _, c := range chunks {
		for _, d := range c.parse().file.Decls {
			f, isFunc := d.(*syntax.Func)
			if !isFunc {
				continue
			}
			for _, a := range f.Attrs {
				if a.Name != "workgroup_size" {
					continue
				}
				size = [3]uint32{1, 1, 1}
				for i, e := range a.Args {
					n, known := number(e, chunks)
					if !known || i > 2 {
						return size, false
					}
					size[i] = n
				}
				return size, true
			}
		}
	}
	return size, false
}

func sizeText(n [3]uint32) string { return fmt.Sprintf("(%d, %d, %d)", n[0], n[1], n[2]) }

func number(e syntax.Expr, chunks []*Chunk) (uint32, bool) {
	switch e := e.(type) {
	case *syntax.Paren:
		return number(e.X, chunks)
	case *syntax.Literal:
		n, err := strconv.ParseUint(strings.TrimRight(e.Text, "iu"), 0, 32)
		return uint32(n), err == nil && e.Kind == syntax.IntLiteral
	case *syntax.Binary:
		x, a := number(e.X, chunks)
		y, b := number(e.Y, chunks)
		switch {
		case !a || !b:
		case e.Op == "*":
			return x * y, true
		case e.Op == "+":
			return x + y, true
		case e.Op == "-":
			return x - y, true
		case e.Op == "/" && y != 0:
			return x / y, true
		}
	case *syntax.Ident:
		for _, c := range chunks {
			if o := c.parse().names.Module[e.Name]; o != nil {
				if v, is := o.Decl.(*syntax.Var); is && v.Kind == syntax.KindConst {
					return number(v.Init, chunks)
				}
			}
		}
	}
	return 0, false
}

// ProblemKind is what is wrong with a declared binding.
type ProblemKind uint8

// The kinds.
const (
	Unbound ProblemKind = iota
	Mistyped
)

// Problem is a chunk that reads what its shader does not bind so.
type Problem struct {
	Shader, Chunk, Binding string
	Kind                   ProblemKind
	Reads                  string // what the chunk reads it as
	Binds                  string // what the shader binds; empty: nothing
}

// Error names chunk, binding, shader and both types.
func (p *Problem) Error() string {
	if p.Kind == Unbound {
		return fmt.Sprintf("%q reads %q as a %s, which %q does not bind", p.Chunk, p.Binding, p.Reads, p.Shader)
	}
	return fmt.Sprintf("%q reads %q as a %s, which %q binds as a %s", p.Chunk, p.Binding, p.Reads, p.Shader, p.Binds)
}

// Problems are all that one link found.
type Problems []*Problem

// Error lists them, one a line.
func (p Problems) Error() string {
	var lines []string
	for _, x := range p {
		lines = append(lines, x.Error())
	}
	return strings.Join(lines, "\n")
}
