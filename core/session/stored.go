package session

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

var (
	codeNotStored = diag.Register(diag.Info{
		Code:   "session.not-stored",
		Title:  "the package has no modules of the pass",
		Rule:   "a package has the modules of the permutations and passes that it was built for",
		Remedy: "build it with --mode all, or with the permutation and pass that you need",
	})
	codeTranslatedNow = diag.Register(diag.Info{
		Code:   "session.translated-now",
		Title:  "the modules shown are not those of the package",
		Rule:   "where a package has the source program of a pass and no modules, the program is translated when it is asked for",
		Remedy: "build the package again to have the modules in it",
	})
	codeStoredDiffers = diag.Register(diag.Info{
		Code:   "session.stored-differs",
		Title:  "the package has other modules than this version makes",
		Rule:   "the modules of a package are shown as they are stored; another version, other options or another tool may have made them",
		Remedy: "none needed; build the package again to have what this version makes",
	})
	codePartlyDescribed = diag.Register(diag.Info{
		Code:   "session.partly-described",
		Title:  "the package does not describe every body",
		Rule:   "packages of effects below version 15 have the reflection of their selected body alone",
		Remedy: "open the effect that it was made of to see the others",
	})
	codeNotRebuilt = diag.Register(diag.Info{
		Code:   "session.not-rebuilt",
		Title:  "the package cannot be shown as an effect",
		Rule:   "the reflection of a package is a whole effect but for its layout in the file",
		Remedy: "its chunks are listed; `fxlens extract` prints their documents",
	})
)

// StoredPass is what a package or container has for one pass: modules, layout, or
// why it has none.
type StoredPass struct {
	Shaders    []cewgpu.Shader
	Layout     *cewgpu.Layout
	Transforms []cewgpu.ResourceTransform
	Reason     string // without shaders
}

// HasPrograms reports whether passes have programs to translate. Packages of
// effects below version 15 and containers have modules alone.
func (s *Session) HasPrograms() bool { return s.Kind != PackageFile || s.programs }

// storedKey names a pass of a body of the package.
type storedKey struct {
	body            string
	technique, pass int
}

// packagePermutation is the number that the package gives a permutation: the same,
// unless it has no permutation graph.
func (s *Session) packagePermutation(perm int) int {
	if _, ok := s.Package.Chunk("PGRF"); ok {
		return perm
	}
	if meta, err := s.Package.Meta(); err == nil {
		return meta.BodyIndex
	}
	return perm
}

// Stored returns what a package or container has for a pass. It fails with
// cewgpu.ErrNoChunk where the package has the modules of its selected permutation
// alone, and with ErrNotPackage on other files.
func (s *Session) Stored(perm int, ref PassRef) (*StoredPass, error) {
	switch {
	case s.Container != nil:
		p, ds := s.Container.Translation(s.Container.BodyOf(perm), ref.TechIndex, ref.Pass)
		if p != nil {
			return &StoredPass{Shaders: p.Shaders, Layout: &p.Layout, Transforms: p.Transforms}, nil
		}
		out := &StoredPass{Reason: carbon.GenericReason}
		if len(ds) > 0 {
			out.Reason = ds[0].Text
		}
		return out, nil
	case s.Package == nil || s.Package.Kind != cewgpu.EffectPackage:
		return nil, fmt.Errorf("%s: %w", s.Name, ErrNotPackage)
	}
	m, err := s.Package.Modules(s.packagePermutation(perm))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	out := &StoredPass{Reason: m.Reason}
	for i := range m.Shaders {
		if sh := &m.Shaders[i]; sh.TechniqueName == ref.Technique && sh.PassIndex == ref.Pass {
			out.Shaders = append(out.Shaders, *sh)
		}
	}
	for i := range m.Layouts {
		if l := &m.Layouts[i]; l.TechniqueName == ref.Technique && l.PassIndex == ref.Pass {
			out.Layout = l
		}
	}
	key := fmt.Sprintf("%s.pass%d", ref.Technique, ref.Pass)
	for _, t := range m.Transforms {
		if t.LayoutKey == key {
			out.Transforms = append(out.Transforms, t)
		}
	}
	for _, u := range m.Untranslated {
		if u.Key == key {
			out.Reason = u.Reason
		}
	}
	if len(out.Shaders) > 0 && out.Layout != nil {
		out.Reason = ""
	} else if out.Reason == "" {
		out.Reason = "the package has no modules of it"
	}
	return out, nil
}

// ErrNotPackage marks a question about stored modules to a file that has none.
var ErrNotPackage = errors.New("no effect package and no container")

// bodyKey names the body of a permutation in the package.
func (s *Session) bodyKey(perm int) string {
	if s.Container != nil {
		if i := s.Container.BodyOf(perm); i >= 0 {
			return s.Container.Bodies[i].Key
		}
		return ""
	}
	if g, err := s.Package.Graph(); err == nil && perm >= 0 && perm < len(g.Variants) {
		return g.Variants[perm].BodyKey
	}
	return ""
}

// StoredBody says which body of the package a permutation has: its key, and size and
// digest in the source, or in the container. It is zero where the package does not say.
func (s *Session) StoredBody(perm int) effect.UniqueBody {
	var out effect.UniqueBody
	if s.Container != nil {
		if i := s.Container.BodyOf(perm); i >= 0 {
			b := &s.Container.Bodies[i]
			out = effect.UniqueBody{Key: b.Key, Size: b.Size, SHA256: b.SHA256, Permutations: b.Permutations}
		}
		return out
	}
	g, err := s.Package.Graph()
	if err != nil || perm < 0 || perm >= len(g.Variants) {
		return out
	}
	out.Key = g.Variants[perm].BodyKey
	for i := range g.Variants {
		if g.Variants[i].BodyKey == out.Key {
			out.Permutations = append(out.Permutations, i)
		}
	}
	for _, b := range g.Bodies {
		if b.Key == out.Key {
			out.Size = b.ByteLength
			if _, err := hex.Decode(out.SHA256[:], []byte(b.SHA256)); err != nil {
				out.SHA256 = [32]byte{}
			}
		}
	}
	return out
}

// compileStored returns a pass with the modules and the plan that the package has.
// Where it also has the programs, these are translated for the other forms, and for
// passes that it has no modules of.
func (s *Session) compileStored(ctx context.Context, perm int, ref PassRef, in *compile.PassInput) (*compile.Pass, error) {
	key := storedKey{s.bodyKey(perm), ref.TechIndex, ref.Pass}
	s.mu.Lock()
	out := s.compiled[key]
	s.mu.Unlock()
	if out != nil {
		return out, nil
	}
	stored, err := s.Stored(perm, ref)
	if errors.Is(err, cewgpu.ErrNoChunk) {
		stored, err = &StoredPass{Reason: "the package has the modules of its selected permutation alone"}, nil
	}
	if err != nil {
		return nil, err
	}
	if s.programs && len(in.Stages) > 0 && len(in.Stages[0].Program) > 0 {
		if out, err = s.translateStored(ctx, ref, in, stored); err != nil {
			return nil, err
		}
	} else {
		out = fromStored(in, stored)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled == nil {
		s.compiled = map[storedKey]*compile.Pass{}
	}
	if have := s.compiled[key]; have != nil {
		return have, nil
	}
	s.compiled[key] = out
	return out, nil
}

// translateStored translates the programs of a pass that the package has modules of.
func (s *Session) translateStored(ctx context.Context, ref PassRef, in *compile.PassInput, stored *StoredPass) (*compile.Pass, error) {
	opt := s.storedOptions(ref, stored)
	fresh, err := s.compiler.Pass(ctx, named(in, stored), opt)
	if err != nil {
		return nil, err
	}
	out, same := merge(in, fresh, stored)
	if same || len(stored.Shaders) == 0 || opt.Views["*"] != "" {
		return out, nil
	}
	// A strict package does not say which view formats it was built with: the likely
	// ones are tried.
	o := *opt
	o.Views = maps.Clone(opt.Views)
	if o.Views == nil {
		o.Views = map[string]string{}
	}
	o.Views["*"] = "auto"
	if fresh, err = s.compiler.Pass(ctx, named(in, stored), &o); err != nil {
		return nil, err
	}
	if again, same := merge(in, fresh, stored); same {
		return again, nil
	}
	return out, nil
}

// storedOptions adds the view formats that the package says it was built with.
func (s *Session) storedOptions(ref PassRef, stored *StoredPass) *compile.Options {
	opt := s.optionsFor(ref)
	if stored.Layout == nil {
		return opt
	}
	o := *opt
	o.Views = map[string]string{}
	for _, g := range stored.Layout.BindGroups {
		for i := range g.Bindings {
			b := &g.Bindings[i]
			switch b.FormatFrom {
			case "flag", "sidecar":
				o.Views[b.GeneratedSymbol] = b.Format
			case "assumed":
				o.Views["*"] = "auto"
			}
		}
	}
	for k, v := range opt.Views { // what the user says now goes first
		o.Views[k] = v
	}
	if len(stored.Transforms) > 0 {
		o.Transforms = true
	}
	return &o
}

// fromStored is a pass of a package without programs.
func fromStored(in *compile.PassInput, stored *StoredPass) *compile.Pass {
	p := &compile.Pass{}
	for i := range in.Stages {
		st := &compile.Stage{Kind: in.Stages[i].Kind, Status: compile.Refused}
		if m := storedModule(stored, st.Kind, nil); m != nil {
			st.Module, st.Status = m, compile.Translated
			st.Diags = append(st.Diags, storedFaults(m)...)
			storePremises(st, stored, nil)
		} else if _, ok := layout.StageOf(st.Kind); !ok {
			st.Status = compile.NoCounterpart
		}
		if st.Status != compile.Translated {
			p.Status = max(p.Status, st.Status)
		}
		p.Stages = append(p.Stages, st)
	}
	if p.Status != compile.Translated {
		p.Diags = append(p.Diags, diag.New(diag.Error, codeNotStored, diag.Loc{}, "%s", stored.Reason))
		return p
	}
	p.Plan = storedPlan(in, stored)
	return p
}

// merge puts the stored modules in the place of those that were translated now, and
// reports whether they are the same.
func merge(in *compile.PassInput, fresh *compile.Pass, stored *StoredPass) (*compile.Pass, bool) {
	p := *fresh
	p.Diags = slices.Clone(fresh.Diags)
	if len(stored.Shaders) == 0 {
		if len(fresh.Stages) > 0 {
			p.Diags = append(p.Diags, diag.New(diag.Note, codeTranslatedNow, diag.Loc{}, "the package has no modules of this pass: %s", stored.Reason))
		}
		return &p, false
	}
	p.Stages = make([]*compile.Stage, len(fresh.Stages))
	p.Status = compile.Translated
	same := fresh.Status == compile.Translated
	for i, st := range fresh.Stages {
		c := *st
		m := storedModule(stored, st.Kind, st.Shader)
		switch {
		case m == nil:
			p.Status = max(p.Status, st.Status)
		case st.Module != nil && st.Module.Code == m.Code:
			// the same text, with tokens that know their instructions
		default:
			same = false
			c.Module, c.Status = m, compile.Translated
			c.Diags = append(withoutErrors(st.Diags), storedFaults(m)...)
		}
		if m != nil {
			storePremises(&c, stored, st.Shader)
		}
		p.Stages[i] = &c
	}
	plan := storedPlan(in, stored)
	if fresh.Plan == nil || !samePlan(fresh.Plan, plan) {
		same = false
		p.Plan = plan
	}
	if !same {
		p.Diags = append(withoutErrors(fresh.Diags), diag.New(diag.Note, codeStoredDiffers, diag.Loc{}, "the modules or bindings stored in the package are not those that its programs give now"))
	}
	return &p, same
}

func withoutErrors(ds []diag.Diag) []diag.Diag {
	return slices.DeleteFunc(slices.Clone(ds), func(d diag.Diag) bool { return d.Sev == diag.Error })
}

// samePlan compares what a package stores of a plan.
func samePlan(a, b *layout.Plan) bool {
	return slices.EqualFunc(a.Bindings, b.Bindings, func(x, y layout.Binding) bool {
		return x.Group == y.Group && x.Binding == y.Binding && x.Identity == y.Identity && x.Scope == y.Scope && x.Symbol == y.Symbol &&
			x.Type == y.Type && x.Transform == y.Transform && slices.Equal(x.Visibility, y.Visibility)
	})
}

// storedModule makes a module of the stored text of a stage. With the program, the
// lines that the package maps belong to their instructions.
func storedModule(stored *StoredPass, kind dxbc.ProgramKind, sh *dxbc.Shader) *wgsl.Module {
	stage, ok := layout.StageOf(kind)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(stored.Shaders, func(s cewgpu.Shader) bool { return s.Stage == stage.String() })
	if i < 0 {
		return nil
	}
	s := &stored.Shaders[i]
	m := &wgsl.Module{Stage: stage, EntryPoint: s.EntryPoint, Code: s.Code, Tokens: wgsl.Tokenize(s.Code)}
	if len(s.ThreadGroupSize) == 3 {
		m.Workgroup = [3]uint32(s.ThreadGroupSize)
	}
	if r := s.Requires; r != nil {
		m.Requires = wgsl.Requires{Features: r.Features, Language: r.LanguageFeatures, Limits: r.Limits}
	}
	mapLines(m, s.SourceMap, sh)
	return m
}

// mapLines gives the tokens of a line the first instruction that the line is mapped
// to. It is the inverse of lineMap as far as lines go.
func mapLines(m *wgsl.Module, lines []cewgpu.MapLine, sh *dxbc.Shader) {
	if sh == nil || len(lines) == 0 {
		return
	}
	var executable []int32
	for i := range sh.Program.Instrs {
		if in := &sh.Program.Instrs[i]; !in.Op.Has(dxbc.FlagDecl) && in.Custom == nil {
			executable = append(executable, int32(i))
		}
	}
	of := make(map[int]int32, len(lines))
	for _, l := range lines {
		if _, ok := of[l.Line]; !ok && l.InstructionIndex >= 0 && l.InstructionIndex < len(executable) {
			of[l.Line] = executable[l.InstructionIndex]
		}
	}
	line, at := 1, 0
	for i := range m.Tokens {
		t := &m.Tokens[i]
		line += strings.Count(m.Code[at:t.Off], "\n")
		at = int(t.Off)
		if instr, ok := of[line]; ok {
			t.Instr = instr
		}
	}
}

// storedPlan is a layout in the form of the compiler's plan. Which resource of each
// stage a binding is, a package does not say.
func storedPlan(in *compile.PassInput, stored *StoredPass) *layout.Plan {
	p := &layout.Plan{}
	if stored.Layout == nil {
		return p
	}
	for _, g := range stored.Layout.BindGroups {
		for i := range g.Bindings {
			b := StoredBinding(&g.Bindings[i])
			if b.Name == "" {
				b.Name = nameOf(in, stored, &b)
			}
			p.Bindings = append(p.Bindings, b)
		}
	}
	slices.SortStableFunc(p.Bindings, func(a, b layout.Binding) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Binding, b.Binding))
	})
	return p
}

// StoredBinding is a binding of a package in the form of the plan.
func StoredBinding(b *cewgpu.Binding) layout.Binding {
	out := layout.Binding{
		Identity: b.Identity, Scope: b.ScopeIdentity, Register: b.RegisterIndex, Space: b.RegisterSpace, Group: b.Group, Binding: b.Binding,
		Symbol: b.GeneratedSymbol, Name: b.Name, Type: b.Type, Stride: b.StructureStride, Format: b.Format, FormatFrom: b.FormatFrom,
		Transform: b.TransformID, Layers: b.ArrayLayerCount, Resources: [3]int32{-1, -1, -1}, Used: true,
		Buffer: (*layout.Buffer)(b.Buffer), Texture: (*layout.Texture)(b.Texture), Sampler: (*layout.SamplerState)(b.Sampler),
		Storage: (*layout.StorageTexture)(b.StorageTexture),
	}
	for k := layout.UniformBuffer; k <= layout.UAVCounter; k++ {
		if k.String() == b.ResourceKind {
			out.Kind = k
		}
	}
	for _, st := range []layout.Stage{layout.Vertex, layout.Fragment, layout.Compute} {
		if slices.Contains(b.Visibility, st.String()) {
			out.Visibility = append(out.Visibility, st)
		}
	}
	return out
}

// nameOf is the effect's name of a register: as the package describes it, or as the
// module declares it, which is how fixed samplers keep theirs.
func nameOf(in *compile.PassInput, stored *StoredPass, b *layout.Binding) string {
	for i := range in.Stages {
		st := &in.Stages[i]
		stage, ok := layout.StageOf(st.Kind)
		if !ok || !slices.Contains(b.Visibility, stage) {
			continue
		}
		var name string
		switch b.Kind {
		case layout.SampledResource:
			name = st.Names.Textures[b.Register]
		case layout.Sampler:
			name = st.Names.Samplers[b.Register]
			if name == "" {
				name = declaredName(stored, stage, b)
			}
		case layout.StorageResource, layout.UAVCounter:
			name = st.Names.UAVs[b.Register]
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// declaredName is the name that the module of a stage gives a binding, unless it is
// the generated one.
func declaredName(stored *StoredPass, stage layout.Stage, b *layout.Binding) string {
	for i := range stored.Shaders {
		sh := &stored.Shaders[i]
		if sh.Stage != stage.String() {
			continue
		}
		_, rest, ok := strings.Cut(sh.Code, fmt.Sprintf("@group(%d) @binding(%d) var ", b.Group, b.Binding))
		if !ok {
			return ""
		}
		name, _, ok := strings.Cut(rest, ":")
		if name = strings.TrimSpace(name); ok && name != b.Symbol && len(name) <= 256 {
			return name
		}
	}
	return ""
}

// named adds to a pass the names of fixed samplers, which the reflection of a package
// does not keep and its modules do.
func named(in *compile.PassInput, stored *StoredPass) *compile.PassInput {
	if stored.Layout == nil {
		return in
	}
	out := *in
	out.Stages = slices.Clone(in.Stages)
	for i := range out.Stages {
		st := &out.Stages[i]
		stage, ok := layout.StageOf(st.Kind)
		if !ok {
			continue
		}
		samplers := maps.Clone(st.Names.Samplers)
		for _, g := range stored.Layout.BindGroups {
			for j := range g.Bindings {
				b := StoredBinding(&g.Bindings[j])
				if b.Kind == layout.Sampler && samplers[b.Register] == "" && slices.Contains(b.Visibility, stage) {
					if name := declaredName(stored, stage, &b); name != "" {
						if samplers == nil {
							samplers = map[uint32]string{}
						}
						samplers[b.Register] = name
					}
				}
			}
		}
		st.Names.Samplers = samplers
	}
	return &out
}
