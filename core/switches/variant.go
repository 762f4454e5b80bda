package switches

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
	"fxlens/core/variant/manifest"
	"fxlens/core/wgsl/layout"
	"fxlens/core/wgsl/syntax"
)

// Variant is a shader for a set.
type Variant struct {
	Shader   int
	Set      *variant.Set // the part that the shader depends on
	Label    string
	Modules  []Module
	Bindings []Binding
	Reason   string // why there are no modules; empty where there are
}

// Module is the WGSL of a variant: one for a shader of a graph, one for each stage of a
// pass.
type Module struct {
	Stage      string // vertex, fragment, compute; empty: all entry points
	EntryPoint string // of a stage
	Text       string
	SHA256     string
	Linked     *variant.Linked
	Parts      []string // of the text, joined by line feeds
	Features   []string // of the device that it needs, by WebGPU's names
}

// Binding is a binding of a variant.
type Binding struct {
	bundle.Binding
	Read bool `json:"read"` // the variant's text reads or writes it
}

func digest(s string) string {
	d := sha256.Sum256([]byte(s))
	return hex.EncodeToString(d[:])
}

// SHA256 is a digest of all modules: variants with one digest have equal text.
func (v *Variant) SHA256() string {
	if len(v.Modules) == 1 {
		return v.Modules[0].SHA256
	}
	all := ""
	for _, m := range v.Modules {
		all += m.Stage + " " + m.SHA256 + "\n"
	}
	return digest(all)
}

// Content counts what the modules have.
func (v *Variant) Content() variant.Content {
	var n variant.Content
	for _, m := range v.Modules {
		c := m.Linked.Content()
		n.Functions += c.Functions
		n.Declarations += c.Declarations
		n.Characters += c.Characters
	}
	return n
}

// bindings are those of a shader of a graph.
func bindings(v *variant.Shader, l *variant.Linked) []Binding {
	var out []Binding
	for _, p := range v.Resources().All() {
		b := Binding{place(p), l.Takes(p.Name)}
		if b.Buffer != nil {
			// Of a module that is not valid the size is not known, and 0 leaves it open.
			if size, err := v.BufferSize(p.Name); err == nil && size <= math.MaxInt32 {
				b.Buffer.MinBindingSize = int(size)
			}
		}
		out = append(out, b)
	}
	return out
}

// place is a placed declaration in the shapes of WebGPU's layouts.
func place(p variant.Placed) bundle.Binding {
	b := bundle.Binding{Name: p.Name, Group: p.Group, Binding: p.Index, Type: p.WGSLType(), Visibility: p.Visibility.Stages()}
	switch {
	case p.Default.Transient:
		b.Default = "transient"
	case p.Default.Fallback != "":
		b.Default = p.Default.Fallback
	}
	switch p.Kind {
	case variant.Uniform:
		b.Buffer = &layout.Buffer{Type: "uniform"}
	case variant.Storage:
		b.Buffer = &layout.Buffer{Type: "read-only-storage"}
		if p.Access == "read_write" {
			b.Buffer.Type = "storage"
		}
	case variant.Texture:
		b.Texture = &layout.Texture{SampleType: p.Sample, ViewDimension: p.Dimension, Multisampled: p.Multisampled}
	case variant.StorageTexture:
		access := map[string]string{"read": "read-only", "write": "write-only", "read_write": "read-write"}[p.Access]
		b.Storage = &layout.StorageTexture{Access: access, Format: p.Format, ViewDimension: p.Dimension}
	case variant.Sampler:
		b.Sampler = &layout.SamplerState{Type: "filtering"}
		if p.Comparison {
			b.Sampler.Type = "comparison"
		}
	}
	return b
}

// counter reports progress from one goroutine at a time.
type counter struct {
	mu          sync.Mutex
	progress    Progress
	done, total int
}

func (c *counter) one() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
}

// Row is one variant in the table of variants.
type Row struct {
	*Variant
	Sets    int // sets of the shader's switches that lead to it
	Content variant.Content
	Dropped []Part // what the all-defaults variant has and this one has not
	Added   []Part
	Changed []string // declarations that both have differently
	Same    string   // label of an earlier variant with equal text; empty: none
	Err     error    // it cannot be linked
}

// Part is a declaration.
type Part struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // function, structure, alias, variable
}

// Progress receives how many variants are done and how many there are. It is called from
// one goroutine at a time.
type Progress func(done, total int)

// Table lists the variants of some shaders, nil being all, for some sets, nil being all:
// shader by shader, each variant once. Of an effect, units that are equal are one row
// each. It fails when ctx ends, and where there would be too many variants; what cannot
// be linked has its row with the error.
func (w *Workspace) Table(ctx context.Context, shaders []int, sets []*variant.Set, progress Progress) ([]Row, error) {
	if shaders == nil {
		for i := range w.Shaders {
			shaders = append(shaders, i)
		}
	}
	type job struct {
		shader int
		set    *variant.Set
		sets   int
	}
	var jobs []job
	for _, i := range shaders {
		if w.Effect && sets == nil {
			for _, u := range w.units(i) {
				jobs = append(jobs, job{i, u.set, u.sets})
			}
			continue
		}
		list, err := w.setsOf(i, sets)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			jobs = append(jobs, job{i, t, 1})
		}
	}
	if len(jobs) > maxSets {
		return nil, setError("there are %d variants, more than %d; name a shader or sets", len(jobs), maxSets)
	}
	rows := make([]Row, len(jobs))
	bases := make([]*Variant, len(w.Shaders))
	eg, each := errgroup.WithContext(ctx)
	eg.SetLimit(runtime.GOMAXPROCS(0))
	count := counter{progress: progress, total: len(jobs)}
	for i, j := range jobs {
		eg.Go(func() error {
			v, err := w.Variant(each, j.shader, j.set)
			if each.Err() != nil {
				return each.Err()
			}
			if err != nil {
				v = &Variant{Shader: j.shader, Set: j.set, Label: w.VariantLabel(j.shader, j.set)}
			}
			rows[i] = Row{Variant: v, Sets: j.sets, Err: err}
			count.one()
			return nil
		})
	}
	if err := eg.Wait(); err != nil {
		return nil, err
	}
	for _, i := range shaders {
		if v, err := w.Variant(ctx, i, variant.Empty); err == nil {
			bases[i] = v
		}
	}
	seen := map[string]string{}
	for i := range rows {
		r := &rows[i]
		if len(r.Modules) == 0 {
			continue
		}
		r.Content = r.Variant.Content()
		if base := bases[r.Shader]; base != nil && len(base.Modules) > 0 {
			r.compare(base)
		}
		key := fmt.Sprint(r.Shader) + r.SHA256()
		if first, ok := seen[key]; ok {
			r.Same = first
		} else {
			seen[key] = r.Label
		}
	}
	return rows, nil
}

// compare says what a variant has more, less and differently than the default one.
func (r *Row) compare(base *Variant) {
	for _, c := range diffModules(base, r.Variant) {
		switch {
		case c.Is == "":
			r.Dropped = append(r.Dropped, Part{c.Name, c.Kind})
		case c.Was == "":
			r.Added = append(r.Added, Part{c.Name, c.Kind})
		default:
			r.Changed = append(r.Changed, c.Name)
		}
	}
}

// Change is a declaration that two variants have differently.
type Change struct {
	Stage string `json:"stage,omitempty"` // of a pass
	variant.Change
}

// Diff compares a shader under two sets, declaration by declaration, generated names
// aside. It fails as Variant does, and where one of the two is not translated.
func (w *Workspace) Diff(ctx context.Context, shader int, a, b *variant.Set) ([]Change, error) {
	x, err := w.Variant(ctx, shader, a)
	if err != nil {
		return nil, err
	}
	y, err := w.Variant(ctx, shader, b)
	if err != nil {
		return nil, err
	}
	for _, v := range []*Variant{x, y} {
		if v.Reason != "" {
			return nil, fmt.Errorf("%s has no WGSL: %s", v.Label, v.Reason)
		}
	}
	return diffModules(x, y), nil
}

// diffModules compares stage by stage.
func diffModules(a, b *Variant) []Change {
	out := []Change{}
	add := func(stage string, x, y *variant.Linked) {
		for _, c := range variant.Diff(x, y) {
			out = append(out, Change{stage, c})
		}
	}
	for _, m := range a.Modules {
		n := &variant.Linked{}
		if i := slices.IndexFunc(b.Modules, func(o Module) bool { return o.Stage == m.Stage }); i >= 0 {
			n = b.Modules[i].Linked
		}
		add(m.Stage, m.Linked, n)
	}
	for _, m := range b.Modules {
		if !slices.ContainsFunc(a.Modules, func(o Module) bool { return o.Stage == m.Stage }) {
			add(m.Stage, &variant.Linked{}, m.Linked)
		}
	}
	return out
}

// Source is the place in a chunk's file that a place of a module's text comes from, line
// and column from 1, and the chunk's key. It is false for an effect, and for what a shader
// makes itself: directives and the declarations of its bindings.
func (w *Workspace) Source(m *Module, line, col int) (at manifest.Pos, chunk string, ok bool) {
	if w.graph == nil {
		return at, "", false
	}
	c, line, col := m.Linked.At(line, col)
	if c == nil {
		return at, "", false
	}
	k := w.graph.ChunkOf(c)
	if k == nil {
		return at, "", false
	}
	return k.In(line, col), k.Key, true
}

// Check is what the front end of package syntax says about a module: an answer where no
// browser engine is at hand.
func (m *Module) Check() syntax.Errors {
	_, errs := syntax.Validate(m.Text)
	return errs
}
