package carbon

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl/layout"

	"golang.org/x/sync/errgroup"
)

// Build makes a container of an effect of version 8 to 15, and a side file of what
// it cannot say. Of the input it takes what it takes from a request for a package:
// effect, label, permutation, mode, selection, version, producer, translation,
// progress, workers. With mode selected other bodies have empty program slots; with
// mode all each body has what of it can be translated. A pass of the selected body
// that cannot be translated, or that a container cannot say, fails the build with a
// *[ConvertError] that lists all of them. It also fails with ctx's error and those of
// Translate.
func Build(ctx context.Context, in *cewgpu.Input, hash bool) (out *Container, err error) {
	if in.Effect == nil || in.Translate == nil {
		return nil, errors.New("building a container: Input.Effect and Input.Translate are required")
	}
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("building a container: a bug of ours, effect %x: %v\n%s", in.Effect.SHA256, r, debug.Stack())
		}
	}()
	e := in.Effect
	if in.Permutation < 0 || in.Permutation >= e.PermutationCount() {
		return nil, fmt.Errorf("building a container: permutation %d of %d: %w", in.Permutation, e.PermutationCount(), cewgpu.ErrNoPermutation)
	}
	b := &build{in: in, label: in.Label}
	if b.label == "" {
		b.label = "memory"
	}
	of := make([]int, e.PermutationCount())
	for p := range of {
		of[p] = e.BodyOf(p)
	}
	bodies := make([]*effect.Body, len(e.Bodies()))
	for i := range bodies {
		if bodies[i], err = e.UniqueBody(i); err != nil {
			return nil, fmt.Errorf("building a container: %w", err)
		}
	}
	d := newDraft(e.Axes, bodies, of)
	b.collect(d)
	if len(b.work) == 0 {
		return nil, refuse(ruleUntranslated, "the selected body has no pass with stages that the request names")
	}
	if err := b.translate(ctx); err != nil {
		return nil, err
	}
	b.fill(d)
	if len(b.refused) > 0 {
		return nil, &ConvertError{Findings: b.refused}
	}
	f, err := d.write(hash)
	if err != nil {
		return nil, err
	}
	return &Container{Data: f.Data, File: f, Side: b.side(f, d)}, nil
}

type build struct {
	in    *cewgpu.Input
	label string
	work  []job

	refused   []diag.Diag
	untouched []SideRefusal // source body keys
}

// job is one pass of one body.
type job struct {
	body, technique, pass int
	perm                  int
	ref                   cewgpu.PassRef
	mods                  *cewgpu.PassModules
	why                   *cewgpu.Unsupported
}

// collect lists the passes to translate: those of the selected body first.
func (b *build) collect(d *draft) {
	e := b.in.Effect
	selected := e.BodyOf(b.in.Permutation)
	order := []int{selected}
	if b.in.Mode == cewgpu.All {
		for i := range d.bodies {
			if i != selected {
				order = append(order, i)
			}
		}
	}
	sel := b.in.Selection
	for _, i := range order {
		perm := e.Bodies()[i].Permutations[0]
		if i == selected {
			perm = b.in.Permutation
		}
		for t := range d.bodies[i].Techniques {
			tech := &d.bodies[i].Techniques[t]
			for p := range tech.Passes {
				if len(tech.Passes[p].Stages) == 0 || sel != nil && (lenient(tech.Name) != lenient(sel.Technique) || sel.Pass != nil && *sel.Pass != p) {
					continue
				}
				b.work = append(b.work, job{body: i, technique: t, pass: p, perm: perm, ref: cewgpu.PassRef{Technique: tech.Name, TechIndex: t, Pass: p}})
			}
		}
		if i == selected && len(b.work) == 0 {
			return
		}
	}
}

// translate fills every job, in parallel. Order of completion reaches no output.
func (b *build) translate(ctx context.Context) error {
	workers := b.in.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	done := make(chan struct{}, len(b.work))
	for i := range b.work {
		g.Go(func() (err error) {
			j := &b.work[i]
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("building a container: a bug of ours: %v\n%s", r, debug.Stack())
				}
				done <- struct{}{}
			}()
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("building a container: %w", err)
			}
			j.mods, err = b.in.Translate(ctx, j.perm, j.ref)
			if errors.As(err, &j.why) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("translating %s of permutation %d: %w", passKey(lenient(j.ref.Technique), j.pass), j.perm, err)
			}
			return nil
		})
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for n := range len(b.work) {
			<-done
			if b.in.Progress != nil {
				b.in.Progress(n+1, len(b.work))
			}
		}
	}()
	err := g.Wait()
	<-finished
	return err
}

// fill puts the translations into the draft.
func (b *build) fill(d *draft) {
	e := b.in.Effect
	selected := e.BodyOf(b.in.Permutation)
	for i := range b.work {
		j := &b.work[i]
		at := diag.Loc{Permutation: e.OptionString(j.perm)}.InStage(lenient(j.ref.Technique), j.pass, "")
		reason := ""
		var ds []diag.Diag
		if j.why != nil {
			reason, ds = j.why.Reason, j.why.Diags
			if reason == "" {
				reason = "the pass is not translated"
			}
			if len(ds) == 0 {
				ds = []diag.Diag{diag.New(diag.Error, ruleUntranslated, at, "%s", reason)}
			}
		} else if j.mods == nil || j.mods.Plan == nil {
			reason = "the pass has no plan"
			ds = []diag.Diag{diag.New(diag.Error, ruleUntranslated, at, "%s", reason)}
		} else if before := len(d.unsaid); !d.add(j.body, j.technique, j.pass, passOf(j)) {
			for _, q := range d.unsaid[before].problems {
				ds = append(ds, diag.New(diag.Error, ruleUnsayable, at, "%s: %s", q.path, q.text))
			}
			reason = ds[0].Text
		}
		if reason == "" {
			continue
		}
		if j.body == selected {
			b.refused = append(b.refused, ds...)
		}
		b.untouched = append(b.untouched, SideRefusal{Body: e.Bodies()[j.body].Key, Key: passKey(lenient(j.ref.Technique), j.pass), Reason: reason})
	}
}

// passOf is the translation of a job in the terms of a package.
func passOf(j *job) *Pass {
	name := lenient(j.ref.Technique)
	p := &Pass{Transforms: j.mods.Transforms, Layout: cewgpu.Layout{Key: passKey(name, j.pass), TechniqueName: name, PassIndex: j.pass, BindGroups: []cewgpu.BindGroup{}}}
	groups := 0
	for i := range j.mods.Plan.Bindings {
		groups = max(groups, j.mods.Plan.Bindings[i].Group+1)
	}
	for g := range min(groups, 256) {
		bg := cewgpu.BindGroup{Group: g, Bindings: []cewgpu.Binding{}}
		for i := range j.mods.Plan.Bindings {
			if pb := &j.mods.Plan.Bindings[i]; pb.Group == g {
				bg.Bindings = append(bg.Bindings, bindingOf(pb))
			}
		}
		p.Layout.BindGroups = append(p.Layout.BindGroups, bg)
	}
	for i := range j.mods.Modules {
		m := &j.mods.Modules[i]
		s := cewgpu.Shader{TechniqueName: name, PassIndex: j.pass, Stage: m.Stage.String(), EntryPoint: m.EntryPoint, Code: m.Code, SourceMap: m.SourceMap}
		if m.Stage == layout.Compute {
			s.ThreadGroupSize = m.Workgroup[:]
		}
		p.Shaders = append(p.Shaders, s)
	}
	return p
}

// bindingOf is the inverse of plan.
func bindingOf(p *layout.Binding) cewgpu.Binding {
	b := cewgpu.Binding{Identity: p.Identity, ScopeIdentity: p.Scope, ResourceKind: p.Kind.String(), GeneratedSymbol: p.Symbol,
		RegisterSpace: p.Space, RegisterIndex: p.Register, Group: p.Group, Binding: p.Binding, Visibility: []string{}, Type: p.Type,
		TransformID: p.Transform, ArrayLayerCount: p.Layers, StructureStride: p.Stride,
		Buffer: (*cewgpu.BufferLayout)(p.Buffer), Texture: (*cewgpu.TextureLayout)(p.Texture), Sampler: (*cewgpu.SamplerLayout)(p.Sampler),
		StorageTexture: (*cewgpu.StorageTexture)(p.Storage)}
	for _, s := range p.Visibility {
		b.Visibility = append(b.Visibility, s.String())
	}
	return b
}

// side keeps what the container cannot say.
func (b *build) side(f *File, d *draft) *Side {
	e := b.in.Effect
	s := &Side{Format: SideFormat, FormatVersion: SideVersion, Container: fileOf(f.Data), Producer: b.in.Producer, Permutation: b.in.Permutation,
		Source: SideSource{Label: b.label, SideFile: SideFile{ByteLength: e.Size, SHA256: hex.EncodeToString(e.SHA256[:])}, EffectVersion: int(e.Version), Hash: e.SourceHash},
		Lost:   []Loss{}, Untranslated: b.untouched}
	lose := func(kept bool, what string, count int, format string, args ...any) {
		s.Lost = append(s.Lost, Loss{What: what, Count: count, Detail: fmt.Sprintf(format, args...), Kept: kept})
	}
	lose(true, "source identity", 0, "%s, %d bytes, SHA-256 %s", b.label, e.Size, s.Source.SHA256)
	if e.Version == effect.WriteVersion {
		s.Source.CompilerVersion = hex.EncodeToString(e.CompilerVersion[:])
		if e.CompilerVersion != CompilerVersion {
			lose(true, "compiler version", 0, "%s becomes %x", s.Source.CompilerVersion, CompilerVersion)
		}
		lose(true, "source hash", 0, "%q becomes zeros", e.SourceHash)
	} else {
		lose(true, "effect version", 0, "%d becomes %d, with the values that readers assume for what it does not say", e.Version, effect.WriteVersion)
	}
	count, size, libraries := 0, 0, 0
	for _, body := range d.source {
		for t := range body.Techniques {
			libraries += len(body.Techniques[t].Libraries)
			for p := range body.Techniques[t].Passes {
				for i := range body.Techniques[t].Passes[p].Stages {
					count++
					size += len(body.Techniques[t].Passes[p].Stages[i].Program)
				}
			}
		}
	}
	lose(false, "source programs", count, "%d bytes of bytecode; they are in the source effect, whose digest is kept", size)
	if libraries > 0 {
		lose(false, "libraries", libraries, "there are no libraries of WGSL; they are in the source effect")
	}
	maps := b.programs(s, f, d)
	if maps > 0 {
		lose(true, "source map entries", maps, "lines of modules and the instructions that they come from")
	}
	if len(s.Untranslated) > 0 {
		lose(true, "reasons", len(s.Untranslated), "why a pass has no modules")
	}
	// Bodies of the container have keys of their own.
	for i := range s.Untranslated {
		k := slices.IndexFunc(e.Bodies(), func(u effect.UniqueBody) bool { return u.Key == s.Untranslated[i].Body })
		s.Untranslated[i].Body = f.Bodies[f.BodyOf(e.Bodies()[k].Permutations[0])].Key
	}
	return s
}

// programs fills the facts about modules and returns how many lines are mapped.
func (b *build) programs(s *Side, f *File, d *draft) int {
	n := 0
	for i := range b.work {
		j := &b.work[i]
		if d.blocks[d.bodies[j.body]][[2]int{j.technique, j.pass}] == nil {
			continue
		}
		for k := range j.mods.Modules {
			m := &j.mods.Modules[k]
			key := passKey(lenient(j.ref.Technique), j.pass)
			p := SideProgram{Body: f.Bodies[f.BodyOf(j.perm)].Key, SourceMap: m.SourceMap}
			for _, st := range d.source[j.body].Techniques[j.technique].Passes[j.pass].Stages {
				if webStages[st.Type] == m.Stage.String() {
					p.Key, p.SourceProgram = key+"."+st.Type.String(), fileOf(st.Program)
				}
			}
			if r := m.Requires; len(r.Features)+len(r.LanguageFeatures)+len(r.Limits) > 0 {
				p.Requires = &r
			}
			for x := range j.mods.Plan.Bindings {
				if pb := &j.mods.Plan.Bindings[x]; slices.Contains(pb.Visibility, m.Stage) {
					p.Bindings = append(p.Bindings, SideBindingName{ScopeIdentity: pb.Scope, Name: lenient(pb.Name), Format: pb.Format, FormatFrom: pb.FormatFrom})
				}
			}
			if p.SourceMap == nil {
				p.SourceMap = []cewgpu.MapLine{}
			}
			n += len(p.SourceMap)
			s.Programs = append(s.Programs, p)
		}
	}
	return n
}
