package carbon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

// ConvertError is a conversion that was refused: everything that the target cannot
// say, or that is missing, each with its place and remedy.
type ConvertError struct {
	Findings []diag.Diag
}

func (e *ConvertError) Error() string {
	if len(e.Findings) == 0 {
		return "not converted"
	}
	s := "not converted: " + e.Findings[0].String()
	if n := len(e.Findings) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

func refuse(code diag.Code, format string, args ...any) *ConvertError {
	return &ConvertError{Findings: []diag.Diag{diag.New(diag.Error, code, diag.Loc{}, format, args...)}}
}

// FromOptions say how a package becomes a container.
type FromOptions struct {
	// Source is the effect that the package was made of. With it the order of
	// stages and the names of samplers that are not dynamic survive, which the
	// package does not have; packages of effects below version 15 need it.
	Source *effect.Effect
	// Hash puts a digest of the content in place of the zeros.
	Hash bool
}

// Container is the result of FromPackage and Build.
type Container struct {
	Data []byte
	Side *Side
	File *File // Data, read back
}

// FromPackage makes a container of an effect package and a side file of what the
// container cannot say. It fails with a *[ConvertError] where a binding would come
// back different, or where the package needs its source; with ctx's error; or with
// an error that wraps cewgpu.ErrNotValid.
func FromPackage(ctx context.Context, p *cewgpu.Package, o FromOptions) (*Container, error) {
	if p.Kind != cewgpu.EffectPackage || !p.Valid() {
		return nil, fmt.Errorf("converting a package: %w", cewgpu.ErrNotValid)
	}
	info, err := p.Info()
	if err != nil {
		return nil, err
	}
	meta, err := p.Meta()
	if err != nil {
		return nil, err
	}
	graph, err := p.Graph()
	if errors.Is(err, cewgpu.ErrNoChunk) {
		return nil, refuse(ruleNeedSource, "the package has no permutation graph")
	} else if err != nil {
		return nil, err
	}
	c := &fromPackage{p: p, info: info, meta: meta, graph: graph, o: o}
	d, err := c.draft(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.fill(d); err != nil {
		return nil, err
	}
	if len(d.unsaid) > 0 {
		return nil, &ConvertError{Findings: d.findings(func(body int) diag.Loc { return diag.Loc{Permutation: c.optionText(body)} })}
	}
	f, err := d.write(o.Hash)
	if err != nil {
		return nil, err
	}
	return &Container{Data: f.Data, File: f, Side: c.side(f)}, nil
}

// findings lists what a container cannot say. place is where a body is.
func (d *draft) findings(place func(body int) diag.Loc) []diag.Diag {
	var out []diag.Diag
	for _, u := range d.unsaid {
		name := lenient(d.bodies[u.body].Techniques[u.technique].Name)
		at := place(u.body).InStage(name, u.pass, "")
		for _, q := range u.problems {
			out = append(out, diag.New(diag.Error, ruleUnsayable, at, "%s: %s", q.path, q.text))
		}
	}
	return out
}

type fromPackage struct {
	p      *cewgpu.Package
	info   *cewgpu.Info
	meta   *cewgpu.Meta
	graph  *cewgpu.Graph
	o      FromOptions
	number map[string]int // body key -> index

	libraries    int // in all bodies
	stillSamples int // samplers without a name
	programBytes int
	programCount int
	transforms   int // with the other generation's name
}

func (c *fromPackage) optionText(body int) string {
	perm := slices.IndexFunc(c.graph.Variants, func(v cewgpu.Variant) bool { return c.number[v.BodyKey] == body })
	var parts []string
	for i, o := range c.graph.Variants[perm].OptionIndices {
		parts = append(parts, c.graph.Axes[i].Name+"="+c.graph.Axes[i].Options[o])
	}
	return strings.Join(parts, "&")
}

// draft takes the bodies from the source, or from the package's reflection.
func (c *fromPackage) draft(ctx context.Context) (*draft, error) {
	c.number = make(map[string]int, len(c.graph.Bodies))
	for i, b := range c.graph.Bodies {
		c.number[b.Key] = i
	}
	of := make([]int, len(c.graph.Variants))
	first := make([]int, len(c.graph.Bodies))
	for p := len(of) - 1; p >= 0; p-- {
		of[p] = c.number[c.graph.Variants[p].BodyKey]
		first[of[p]] = p
	}
	if s := c.o.Source; s != nil {
		if got := hex.EncodeToString(s.SHA256[:]); got != c.info.SourceIdentity.SHA256 {
			return nil, refuse(ruleWrongSource, "the package was made of a file with the SHA-256 %s, the effect named has %s", c.info.SourceIdentity.SHA256, got)
		}
		if s.PermutationCount() != len(of) {
			return nil, refuse(ruleWrongSource, "the package has %d permutations, the effect named has %d", len(of), s.PermutationCount())
		}
		bodies := make([]*effect.Body, len(first))
		for i, p := range first {
			b, err := s.Body(p)
			if err != nil {
				return nil, fmt.Errorf("converting a package: %w", err)
			}
			bodies[i] = b
		}
		c.count(bodies)
		return newDraft(s.Axes, bodies, of), nil
	}
	if _, ok := c.p.Chunk("RFLX"); !ok || c.info.FormatVersion != 3 {
		return nil, refuse(ruleNeedSource, "the package has no reflection of its bodies: its effect has a version below 15")
	}
	axes := each(c.graph.Axes, func(a *cewgpu.GraphAxis) effect.Axis {
		return effect.Axis{Name: a.Name, Description: a.Description, Default: a.DefaultOption, Type: uint8(a.Type), Options: a.Options}
	})
	bodies := make([]*effect.Body, len(first))
	for i, p := range first {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("converting a package: %w", err)
		}
		doc, err := c.p.PortableReflection(p)
		if err != nil {
			return nil, fmt.Errorf("converting a package: %w", err)
		}
		if bodies[i], err = doc.Effect.Body(); err != nil {
			return nil, fmt.Errorf("converting a package: %w", err)
		}
		for t := range doc.Effect.Techniques {
			c.libraries += len(doc.Effect.Techniques[t].Libraries)
		}
	}
	c.count(bodies)
	return newDraft(axes, bodies, of), nil
}

// count notes what the bodies have that goes.
func (c *fromPackage) count(bodies []*effect.Body) {
	for _, b := range bodies {
		for t := range b.Techniques {
			if c.o.Source != nil {
				c.libraries += len(b.Techniques[t].Libraries)
			}
			for p := range b.Techniques[t].Passes {
				for i := range b.Techniques[t].Passes[p].Stages {
					s := &b.Techniques[t].Passes[p].Stages[i]
					c.programCount++
					c.programBytes += len(s.Program)
					for j := range s.Samplers {
						if !s.Samplers[j].IsDynamic && s.Samplers[j].Name == "" {
							c.stillSamples++
						}
					}
				}
			}
		}
	}
}

// fill puts the package's modules into the draft.
func (c *fromPackage) fill(d *draft) error {
	put := func(body int, shaders []cewgpu.Shader, layouts []cewgpu.Layout, transforms []cewgpu.ResourceTransform) error {
		for i := range layouts {
			l := &layouts[i]
			pass := &Pass{Layout: *l}
			for _, s := range shaders {
				if s.TechniqueName == l.TechniqueName && s.PassIndex == l.PassIndex {
					pass.Shaders = append(pass.Shaders, s)
				}
			}
			for _, t := range transforms {
				if t.LayoutKey == l.Key {
					pass.Transforms = append(pass.Transforms, t)
					if t.Output.Name == newerOutput {
						c.transforms++
					}
				}
			}
			b := d.source[body]
			t := slices.IndexFunc(b.Techniques, func(t effect.Technique) bool { return lenient(t.Name) == l.TechniqueName })
			if t < 0 || l.PassIndex < 0 || l.PassIndex >= len(b.Techniques[t].Passes) {
				return refuse(ruleWrongSource, "the package has a layout %s, its body has no such pass", l.Key)
			}
			d.add(body, t, l.PassIndex, pass)
		}
		return nil
	}
	selected := c.number[c.graph.Variants[c.meta.BodyIndex].BodyKey]
	set, err := c.p.WGSL()
	if err != nil {
		return err
	}
	if err := put(selected, set.Shaders, set.Layouts, set.ResourceTransforms); err != nil {
		return err
	}
	bodies, err := c.p.BodySet()
	if errors.Is(err, cewgpu.ErrNoChunk) {
		return nil
	} else if err != nil {
		return err
	}
	units := make(map[string]*cewgpu.PassUnit, len(bodies.PassUnits))
	for i := range bodies.PassUnits {
		units[bodies.PassUnits[i].Key] = &bodies.PassUnits[i]
	}
	for i := range bodies.Bodies {
		body := c.number[bodies.Bodies[i].BodyKey]
		if body == selected {
			continue // WGSL has the same
		}
		for _, pass := range bodies.Bodies[i].Passes {
			if u := units[pass.UnitKey]; u != nil {
				if err := put(body, u.Shaders, u.Layouts, u.ResourceTransforms); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// side makes the side file.
func (c *fromPackage) side(f *File) *Side {
	id := c.info.SourceIdentity
	s := &Side{Format: SideFormat, FormatVersion: SideVersion, Container: fileOf(f.Data), Producer: c.info.Producer, Permutation: c.meta.BodyIndex,
		Source: SideSource{Label: c.info.SourcePath, SideFile: SideFile{ByteLength: id.ByteLength, SHA256: id.SHA256}}, Lost: []Loss{}}
	lose := func(what string, count int, format string, args ...any) {
		s.Lost = append(s.Lost, Loss{What: what, Count: count, Detail: fmt.Sprintf(format, args...), Kept: true})
	}
	var a struct {
		EffectVersion   int
		CompilerVersion *uint32
	}
	if ch, ok := c.p.Chunk("ANLS"); ok && json.Unmarshal(ch.Data, &a) == nil {
		s.Source.EffectVersion = a.EffectVersion
		if v := a.CompilerVersion; v != nil {
			s.Source.CompilerVersion = fmt.Sprintf("%02x%02x%02x%02x", byte(*v), byte(*v>>8), byte(*v>>16), byte(*v>>24))
		}
	}
	if r, err := c.p.Reflection(); err == nil && r.Source.NativeHash.Ref != nil {
		if hash, ok := c.p.BlobByRef(*r.Source.NativeHash.Ref); ok {
			s.Source.Hash = string(hash)
		}
	}
	lose("source identity", 0, "%s, %d bytes, SHA-256 %s: path, game, client, build and digests", c.info.SourcePath, id.ByteLength, id.SHA256)
	if s.Source.Hash != "" {
		lose("source hash", 0, "%q becomes zeros", s.Source.Hash)
	}
	if v := s.Source.CompilerVersion; v != "" && v != hex.EncodeToString(CompilerVersion[:]) {
		lose("compiler version", 0, "%s becomes %x", v, CompilerVersion)
	}
	if s.Source.EffectVersion < effect.WriteVersion {
		lose("effect version", 0, "%d becomes %d, with the values that readers assume for what it does not say", s.Source.EffectVersion, effect.WriteVersion)
	}
	lose("producer", 0, "%s %s, translator %s %s", c.info.BackendPackage, c.info.BackendPackageVersion, c.info.Translator, c.info.TranslatorVersion)
	if _, ok := c.p.Chunk("RBLB"); ok {
		lose("source programs", c.programCount, "%d bytes of bytecode in the reflection of %d bodies", c.programBytes, len(c.graph.Bodies))
	}
	lose("body records", len(c.graph.Variants), "offsets, lengths and digests of the bodies in the source effect")
	lose("selection", 0, "permutation %d, mode %s, who chose each option%s", c.meta.BodyIndex, c.meta.BodyMode, map[bool]string{true: ", the request for passes"}[c.meta.WGSLSelection != nil])
	c.loseCode(lose)
	if c.libraries > 0 {
		lose("libraries", c.libraries, "there are no libraries of WGSL")
	}
	if c.o.Source == nil {
		// The package itself does not have these, so neither has the side file.
		drop := func(what string, count int, detail string) {
			s.Lost = append(s.Lost, Loss{What: what, Count: count, Detail: detail})
		}
		drop("stage order", 0, "the package lists the stages of a pass by type; name the effect with --source to keep its order")
		if c.stillSamples > 0 {
			drop("sampler names", c.stillSamples, "the package has no names of samplers that are not dynamic; name the effect with --source to keep them")
		}
	}
	p := &programs{f: f}
	s.Package = &SidePackage{SideFile: SideFile{ByteLength: c.p.Size, SHA256: hex.EncodeToString(c.p.SHA256[:])}}
	for _, ch := range c.p.Chunks {
		s.Package.Chunks = append(s.Package.Chunks, sideChunk(ch, p, c.meta))
		if !slices.Contains([]string{"INFO", "META", "PGRF", "RFLX", "RBLB", "ANLS", "WGSL", "WGSB"}, ch.Tag) {
			lose("unknown chunk", 0, "%s, %d bytes", ch.Tag, len(ch.Data))
		}
	}
	return s
}

// loseCode lists what of modules and layouts goes.
func (c *fromPackage) loseCode(lose func(what string, count int, format string, args ...any)) {
	set, err := c.p.WGSL()
	if err != nil {
		return
	}
	maps, needs, views, strides := 0, 0, 0, 0
	count := func(shaders []cewgpu.Shader, layouts []cewgpu.Layout) {
		for i := range shaders {
			maps += len(shaders[i].SourceMap)
			if shaders[i].Requires != nil {
				needs++
			}
		}
		for i := range layouts {
			for _, g := range layouts[i].BindGroups {
				for j := range g.Bindings {
					if b := &g.Bindings[j]; b.Format != "" || b.FormatFrom != "" || b.Name != "" {
						views++
					}
					if b := &g.Bindings[j]; b.StructureStride == 0 && b.Buffer != nil && b.Buffer.Type != "uniform" && b.Buffer.MinBindingSize > 4 {
						strides++
					}
				}
			}
		}
	}
	count(set.Shaders, set.Layouts)
	diags, reasons := len(set.Diagnostics), len(set.Untranslated)
	if bodies, err := c.p.BodySet(); err == nil {
		for i := range bodies.PassUnits {
			count(bodies.PassUnits[i].Shaders, bodies.PassUnits[i].Layouts)
			diags += len(bodies.PassUnits[i].Diagnostics)
		}
		for i := range bodies.Bodies {
			if bodies.Bodies[i].Error != nil {
				reasons++
			}
		}
		lose("shared units", len(bodies.PassUnits), "which bodies have a unit in common; equal programs are still stored once")
	}
	if maps > 0 {
		lose("source map entries", maps, "lines of modules and the instructions that they come from")
	}
	if reasons > 0 {
		lose("reasons", reasons, "why a pass or body has no modules")
	}
	if needs > 0 {
		lose("requirements", needs, "features and limits that modules need beyond the defaults")
	}
	if views > 0 {
		lose("binding names", views, "names, view formats and who said so")
	}
	if strides > 0 {
		lose("typed buffers", strides, "that they have no structure stride: a container derives the least size from it, so that they read as having one")
	}
	if diags > 0 {
		lose("diagnostics", diags, "warnings and notes of the translation")
	}
	if c.transforms > 0 {
		lose("transform names", c.transforms, "%s, which reads as %s", newerOutput, detailOutput)
	}
}

// ToOptions say how a container becomes a package.
type ToOptions struct {
	// Side is the container's side file, if there is one. Of a container that was a
	// package it gives that package byte for byte.
	Side *Side
	// Source is the effect that the container was made of. With it the package is
	// complete: reflection, source programs, every translated body.
	Source *effect.Effect
	// Permutation is the selected one, or -1 for that of the side file, else of the
	// only body with modules, else the default one.
	Permutation int
	Label       string // of the source in the package; default the side file's, else "memory"
	// Order sorts the techniques of the package; default that of the producer of the
	// side file, else by code point. The package that a side file keeps is given as it is.
	Order    cewgpu.Order
	Version  string // of the producer, by semantic versioning
	Producer *cewgpu.Producer
}

// Converted is the result of ToPackage.
type Converted struct {
	Data   []byte
	Report *cewgpu.Report // nil where the side file gave the package
	Exact  bool           // the side file gave the package that the container was made of
	Lost   []Loss         // what the container has and the package cannot say
}

// ToPackage makes a CEWGPU package of a container, in this order of preference: the
// package that the side file keeps; a complete one with the source effect; one of
// the selected body alone, which claims the container itself as its source, has no
// reflection, and says so (INFO version 2). It fails with a *[ConvertError], a
// *cewgpu.BuildError, a diag.Diag about the side file, or ctx's error.
func (f *File) ToPackage(ctx context.Context, o ToOptions) (*Converted, error) {
	if o.Side != nil && o.Side.Package != nil && o.Permutation < 0 {
		data, err := o.Side.restore(f)
		if err != nil {
			return nil, err
		}
		return &Converted{Data: data, Exact: true, Lost: []Loss{}}, nil
	}
	if o.Side != nil {
		if got := digest(f.Data); got != o.Side.Container.SHA256 {
			return nil, diag.New(diag.Error, ruleSide, diag.Loc{}, "the side file belongs to a container with the SHA-256 %s, this one has %s", clip(o.Side.Container.SHA256), got)
		}
		if o.Label == "" {
			o.Label = o.Side.Source.Label
		}
		if o.Permutation < 0 {
			o.Permutation = o.Side.Permutation
		}
		if p := o.Side.Producer; o.Order == "" && p != nil && p.Order == string(cewgpu.Root) {
			o.Order = cewgpu.Root
		}
	}
	if o.Permutation < 0 {
		o.Permutation = f.SelectedPermutation()
	}
	if o.Permutation >= len(f.bodyOf) {
		return nil, refuse(ruleNothing, "there is no permutation %d: there are %d", o.Permutation, len(f.bodyOf))
	}
	t := &toPackage{f: f, o: o}
	if o.Source != nil {
		return t.complete(ctx)
	}
	return t.alone(ctx)
}
