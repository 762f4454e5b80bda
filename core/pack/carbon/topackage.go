package carbon

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl/layout"
)

type toPackage struct {
	f *File
	o ToOptions
}

// input is what both ways have in common.
func (t *toPackage) input(e *effect.Effect) *cewgpu.Input {
	return &cewgpu.Input{Effect: e, Label: t.o.Label, Permutation: t.o.Permutation, Version: t.o.Version, Producer: t.o.Producer, Order: t.o.Order,
		Selection: t.selection(), Translate: t.translate}
}

// selection restricts the modules to what the selected body has, where a package
// can say so: one pass, or all of one technique.
func (t *toPackage) selection() *cewgpu.Selection {
	passes := t.f.passes(t.f.BodyOf(t.o.Permutation))
	have := slices.DeleteFunc(slices.Clone(passes), func(p passRef) bool { return !p.translated })
	switch {
	case len(have) == 0 || len(have) == len(passes):
		return nil
	case len(have) == 1:
		return &cewgpu.Selection{Technique: have[0].name, Pass: &have[0].pass}
	}
	for _, p := range passes {
		if p.translated != (p.technique == have[0].technique) {
			return nil // Build lists what is missing
		}
	}
	return &cewgpu.Selection{Technique: have[0].name}
}

// translate gives the builder what the container stores.
func (t *toPackage) translate(_ context.Context, perm int, ref cewgpu.PassRef) (*cewgpu.PassModules, error) {
	p, ds := t.f.Translation(t.f.BodyOf(perm), ref.TechIndex, ref.Pass)
	if p == nil {
		if len(ds) == 0 {
			return nil, &cewgpu.Unsupported{Reason: GenericReason}
		}
		return nil, &cewgpu.Unsupported{Reason: ds[0].Text, Diags: ds}
	}
	out := &cewgpu.PassModules{Plan: plan(&p.Layout), Transforms: p.Transforms}
	for i := range p.Shaders {
		s := &p.Shaders[i]
		m := cewgpu.Module{Stage: layout.Stage(slices.Index(stageWords[:], s.Stage)), EntryPoint: s.EntryPoint, Code: s.Code}
		if len(s.ThreadGroupSize) == 3 {
			m.Workgroup = [3]uint32(s.ThreadGroupSize)
		}
		out.Modules = append(out.Modules, m)
	}
	return out, nil
}

// plan is a layout in the form of the compiler's.
func plan(l *cewgpu.Layout) *layout.Plan {
	p := &layout.Plan{}
	for _, g := range l.BindGroups {
		for i := range g.Bindings {
			b := &g.Bindings[i]
			out := layout.Binding{Identity: b.Identity, Scope: b.ScopeIdentity, Kind: layout.Kind(slices.Index(kindWords[:], b.ResourceKind)),
				Register: b.RegisterIndex, Space: b.RegisterSpace, Group: b.Group, Binding: b.Binding, Symbol: b.GeneratedSymbol, Type: b.Type,
				Stride: b.StructureStride, Transform: b.TransformID, Layers: b.ArrayLayerCount,
				Buffer: (*layout.Buffer)(b.Buffer), Texture: (*layout.Texture)(b.Texture), Sampler: (*layout.SamplerState)(b.Sampler)}
			for _, w := range b.Visibility {
				out.Visibility = append(out.Visibility, layout.Stage(slices.Index(stageWords[:], w)))
			}
			p.Bindings = append(p.Bindings, out)
		}
	}
	return p
}

// complete makes a package of the source effect with the container's modules.
func (t *toPackage) complete(ctx context.Context) (*Converted, error) {
	if err := t.sameContent(ctx); err != nil {
		return nil, err
	}
	in := t.input(t.o.Source)
	with := 0
	for i := range t.f.Bodies {
		if t.f.translatedPasses(i) > 0 {
			with++
		}
	}
	out := &Converted{Lost: []Loss{}}
	if with > 1 {
		if t.o.Source.Version == effect.WriteVersion {
			in.Mode = cewgpu.All
		} else {
			out.Lost = append(out.Lost, Loss{What: "bodies with modules", Count: with - 1, Detail: "packages of effects below version 15 have the selected body alone"})
		}
	}
	var err error
	if out.Data, out.Report, err = cewgpu.Build(ctx, in); err != nil {
		return nil, err
	}
	t.loseBlocks(out)
	return out, nil
}

// loseBlocks lists blocks that no package can hold.
func (t *toPackage) loseBlocks(out *Converted) {
	foreign := 0
	for i := range t.f.Bodies {
		b := &t.f.Bodies[i]
		for _, m := range b.passes {
			if data := b.Block(int(m.technique), int(m.pass)); data != nil && !native(data) {
				foreign++
			}
		}
	}
	if foreign > 0 {
		out.Lost = append(out.Lost, Loss{What: "blocks of other engines", Count: foreign, Detail: "a package has layouts for WebGPU alone"})
	}
}

// sameContent compares everything but programs with the source.
func (t *toPackage) sameContent(ctx context.Context) error {
	src := t.o.Source
	if src.PermutationCount() != len(t.f.bodyOf) {
		return refuse(ruleWrongSource, "the container has %d permutations, the effect named has %d", len(t.f.bodyOf), src.PermutationCount())
	}
	if src.Version != effect.WriteVersion {
		m, err := src.Model()
		if err != nil {
			return fmt.Errorf("converting a container: %w", err)
		}
		m.SourceHash = ZeroHash
		b, err := effect.Build(m)
		if err != nil {
			return fmt.Errorf("converting a container: %w", err)
		}
		if src, err = effect.Parse(b); err != nil {
			return fmt.Errorf("converting a container: %w", err)
		}
	}
	for i := range src.Axes {
		a, b := &src.Axes[i], &t.f.Effect.Axes[min(i, len(t.f.Effect.Axes)-1)]
		if len(src.Axes) != len(t.f.Effect.Axes) || a.Name != b.Name || a.Default != b.Default || !slices.Equal(a.Options, b.Options) {
			return refuse(ruleWrongSource, "axis %d of the effect named is %q, that of the container %q, or their options differ", i, clip(a.Name), clip(b.Name))
		}
	}
	seen := map[[2]int]bool{}
	for p := range t.f.bodyOf {
		pair := [2]int{t.f.BodyOf(p), src.BodyOf(p)}
		if seen[pair] {
			continue
		}
		seen[pair] = true
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("converting a container: %w", err)
		}
		a, err := bare(t.f.Effect, p)
		if err != nil {
			return err
		}
		b, err := bare(src, p)
		if err != nil {
			return err
		}
		if path := difference(reflect.ValueOf(a), reflect.ValueOf(b), ""); path != "" {
			d := diag.New(diag.Error, ruleWrongSource, diag.Loc{Permutation: src.OptionString(p)}, "the container and the effect named differ in%s", path)
			return &ConvertError{Findings: []diag.Diag{d}}
		}
	}
	return nil
}

// bare is the reflection of a body without programs and libraries.
func bare(e *effect.Effect, perm int) (*cewgpu.PortableEffect, error) {
	doc, err := cewgpu.PortableReflection(e, "", perm)
	if err != nil {
		return nil, fmt.Errorf("converting a container: %w", err)
	}
	for t := range doc.Effect.Techniques {
		tech := &doc.Effect.Techniques[t]
		tech.Libraries, tech.LibraryCount = nil, 0
		for p := range tech.Passes {
			for s := range tech.Passes[p].Stages {
				tech.Passes[p].Stages[s].SourceProgram = cewgpu.SourceProgram{}
			}
		}
	}
	return &doc.Effect, nil
}

// difference returns the path of the first field in which two values of one type
// differ, or "".
func difference(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return path
			}
			return ""
		}
		return difference(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		for i := range a.NumField() {
			if d := difference(a.Field(i), b.Field(i), path+" "+a.Type().Field(i).Name); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return path
		}
		for i := range a.Len() {
			if d := difference(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a.Interface(), b.Interface()) {
		return path
	}
	return ""
}

// documents builds the package of the selected body with the container in the place
// of the effect, and its analysis with the programs that the container has.
func (t *toPackage) documents(ctx context.Context) ([]cewgpu.Chunk, *cewgpu.Report, *cewgpu.Analysis, error) {
	fail := func(err error) ([]cewgpu.Chunk, *cewgpu.Report, *cewgpu.Analysis, error) {
		return nil, nil, nil, err
	}
	// An effect in which every permutation has the selected body: what the others
	// have reaches no document that stays. The builder wants a program in every
	// stage; those that have none are told apart below.
	content, err := t.f.content(t.f.BodyOf(t.o.Permutation))
	if err != nil {
		return fail(fmt.Errorf("converting a container: %w", err))
	}
	one := &effect.Body{Groups: content.Groups, Techniques: slices.Clone(content.Techniques)}
	stored := map[string]*effect.Stage{}
	for i := range one.Techniques {
		tech := &one.Techniques[i]
		tech.Passes = slices.Clone(tech.Passes)
		for p := range tech.Passes {
			tech.Passes[p].Stages = slices.Clone(tech.Passes[p].Stages)
			for s := range tech.Passes[p].Stages {
				stage := &tech.Passes[p].Stages[s]
				stored[passKey(lenient(tech.Name), p)+"."+stage.Type.String()] = &content.Techniques[i].Passes[p].Stages[s]
				if len(stage.Program) == 0 {
					stage.Program = []byte("\n")
				}
			}
		}
	}
	m := &effect.Model{CompilerVersion: t.f.Effect.CompilerVersion, SourceHash: t.f.Effect.SourceHash, Axes: t.f.Effect.Axes, Bodies: make([]*effect.Body, len(t.f.bodyOf))}
	for p := range m.Bodies {
		m.Bodies[p] = one
	}
	raw, err := effect.Build(m)
	if err != nil {
		return fail(fmt.Errorf("converting a container: %w", err))
	}
	e, err := effect.Parse(raw)
	if err != nil {
		return fail(fmt.Errorf("converting a container: %w", err))
	}
	// Of an older effect the builder makes what is wanted here: the documents
	// without a reflection of source programs. This effect is nobody else's, and
	// its one body is decoded before its version changes.
	if _, err := e.UniqueBody(0); err != nil {
		return fail(fmt.Errorf("converting a container: %w", err))
	}
	e.Version = effect.WriteVersion - 1
	data, report, err := cewgpu.Build(ctx, t.input(e))
	if err != nil {
		return fail(err)
	}
	chunks, _ := cewgpu.ParseContainer(data)
	for i := range chunks {
		if chunks[i].Tag != "ANLS" {
			continue
		}
		var a cewgpu.Analysis
		if err := json.Unmarshal(chunks[i].Data, &a); err != nil {
			return fail(fmt.Errorf("converting a container: %w", err))
		}
		compiler := binary.LittleEndian.Uint32(e.CompilerVersion[:])
		a.EffectVersion, a.CompilerVersion = effect.WriteVersion, &compiler
		for j := range a.Stages {
			if s := stored[a.Stages[j].Key]; s != nil {
				a.Stages[j].ShaderBytecode.ShaderSize = len(s.Program)
				a.Stages[j].ShaderBytecode.StringTableOffset = int(s.ProgramOffset)
			}
		}
		if chunks[i].Data, err = marshal(&a); err != nil {
			return fail(fmt.Errorf("converting a container: %w", err))
		}
		return chunks, report, &a, nil
	}
	return fail(fmt.Errorf("converting a container: the package has no ANLS: %w", cewgpu.ErrNoChunk))
}

// alone makes a package without a source: of the selected body, with the container
// in the place of the effect, and without a reflection, which would claim that the
// programs in it are the source's.
func (t *toPackage) alone(ctx context.Context) (*Converted, error) {
	out := &Converted{Lost: []Loss{}}
	passes := t.f.passes(t.f.BodyOf(t.o.Permutation))
	var missing []diag.Diag
	for _, p := range passes {
		if !p.translated {
			d := diag.New(diag.Error, ruleNothing, diag.Loc{Permutation: t.f.Effect.OptionString(t.o.Permutation)}.InStage(p.name, p.pass, ""),
				"pass %s has no modules, and without a source a package has the programs of every pass", passKey(p.name, p.pass))
			d.Remedy = "name the effect with --source, or choose a permutation whose passes are all translated"
			missing = append(missing, d)
		}
	}
	if len(missing) > 0 {
		return nil, &ConvertError{Findings: missing}
	}
	if len(passes) == 0 {
		return nil, refuse(ruleNothing, "permutation %d (%s) has no passes with stages", t.o.Permutation, t.f.Effect.OptionString(t.o.Permutation))
	}
	chunks, report, _, err := t.documents(ctx)
	if err != nil {
		return nil, err
	}
	graph := t.f.Graph()
	pgrf := cewgpu.Graph{Format: graph.Format, FormatVersion: graph.FormatVersion, Coverage: graph.Coverage, Axes: graph.Axes, Variants: graph.Variants}
	for _, b := range graph.Bodies {
		pgrf.Bodies = append(pgrf.Bodies, b.GraphBody)
	}
	for i := range chunks {
		c := &chunks[i]
		switch c.Tag {
		case "INFO":
			var info cewgpu.Info
			if err := json.Unmarshal(c.Data, &info); err != nil {
				return nil, fmt.Errorf("converting a container: %w", err)
			}
			info.SourceIdentity.ByteLength, info.SourceIdentity.SHA256 = len(t.f.Data), digest(t.f.Data)
			info.PermutationGraph.PermutationCount, info.PermutationGraph.UniqueBodyCount = len(pgrf.Variants), len(pgrf.Bodies)
			if c.Data, err = marshal(info); err != nil {
				return nil, fmt.Errorf("converting a container: %w", err)
			}
		case "PGRF":
			if c.Data, err = marshal(pgrf); err != nil {
				return nil, fmt.Errorf("converting a container: %w", err)
			}
		}
	}
	if out.Data, err = cewgpu.EncodeContainer(chunks); err != nil {
		return nil, fmt.Errorf("converting a container: %w", err)
	}
	p, err := cewgpu.Open(out.Data)
	if err != nil {
		return nil, fmt.Errorf("converting a container: what was written does not read back: %w", err)
	}
	out.Report = report
	report.Size, report.SHA256 = len(out.Data), fmt.Sprintf("%x", p.SHA256)
	report.Chunks = nil
	for _, c := range p.Chunks {
		report.Chunks = append(report.Chunks, cewgpu.ChunkSize{Tag: c.Tag, Size: len(c.Data), Offset: c.Offset})
	}
	out.Lost = append(out.Lost, Loss{What: "reflection", Detail: "constants, defaults, inputs, samplers and annotations of the bodies: a package stores them with the source programs, which the container does not have; name the effect with --source"})
	if n := len(t.f.Bodies) - 1; n > 0 {
		out.Lost = append(out.Lost, Loss{What: "other bodies", Count: n, Detail: "without a source a package has the modules of the selected body alone"})
	}
	t.loseBlocks(out)
	return out, nil
}
