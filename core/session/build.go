package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// PackageOptions say which package BuildPackage makes.
type PackageOptions struct {
	Perm int // the selected permutation
	// Passes restricts the modules: empty is every pass of the permutation; else it
	// is one pass, or all passes of one technique. A package has no other choice.
	Passes []PassRef
	// AllowPartial lets another permutation stand in for one that cannot be translated.
	AllowPartial bool
	Mode         cewgpu.Mode    // default selected
	Profile      cewgpu.Profile // default strict
	Order        cewgpu.Order   // of techniques in the WGSL set; default by code point
	// Label names the source inside the package; default is the file's base name,
	// so that no path of this machine gets into it.
	Label    string
	Version  string // of fxlens, by semantic versioning
	Progress cewgpu.Progress
}

// ErrNotEffect marks a request for a package of a file that is no effect.
var ErrNotEffect = errors.New("only a compiled effect can be packaged")

// BuildPackage makes a CEWGPU package of an effect. The result has been read back
// by the strict reader. It fails with a *cewgpu.BuildError that lists everything
// that the package cannot carry or that could not be translated, with ErrNotEffect,
// with ctx's error, or with a *compile.BugError.
func (s *Session) BuildPackage(ctx context.Context, o PackageOptions) ([]byte, *cewgpu.Report, error) {
	if s.Kind != EffectFile {
		return nil, nil, fmt.Errorf("%s is a %s: %w", s.Name, s.Kind, ErrNotEffect)
	}
	if o.Mode == "" {
		o.Mode = cewgpu.Selected
	}
	if o.Profile == "" {
		o.Profile = cewgpu.Strict
	}
	in := &cewgpu.Input{
		Effect: s.Effect, Label: o.Label, Permutation: o.Perm, Mode: o.Mode, Profile: o.Profile, Version: o.Version, AllowPartial: o.AllowPartial, Order: o.Order,
		Producer: &cewgpu.Producer{Name: "fxlens", Version: o.Version, Profile: string(o.Profile)},
		Translate: func(ctx context.Context, perm int, p cewgpu.PassRef) (*cewgpu.PassModules, error) {
			return s.translate(ctx, perm, p, o.Mode == cewgpu.All)
		},
		Progress: o.Progress,
	}
	if in.Label == "" {
		in.Label = s.Name[strings.LastIndexAny(s.Name, `/\`)+1:]
	}
	var err error
	if in.Selection, err = s.selection(o); err != nil {
		return nil, nil, err
	}
	return cewgpu.Build(ctx, in)
}

// selection is what a package can say about the passes that it has modules of.
func (s *Session) selection(o PackageOptions) (*cewgpu.Selection, error) {
	if len(o.Passes) == 0 {
		return nil, nil
	}
	all, err := s.passes(o.Perm)
	if err != nil {
		return nil, err
	}
	if len(o.Passes) == len(all) {
		return nil, nil
	}
	first := o.Passes[0]
	if len(o.Passes) == 1 {
		pass := first.Pass
		return &cewgpu.Selection{Technique: first.Technique, Pass: &pass}, nil
	}
	n := 0
	for _, p := range all {
		if p.TechIndex == first.TechIndex {
			n++
		}
	}
	seen := map[PassRef]bool{}
	for _, p := range o.Passes {
		if p.TechIndex != first.TechIndex {
			return nil, &LinkError{p.String(), "a package has modules of all passes, of one technique or of one pass", "leave out " + first.String()}
		}
		seen[p] = true
	}
	if len(seen) != n {
		return nil, &LinkError{first.String(), fmt.Sprintf("a package has modules of all passes, of one technique or of one pass, not of %d of %d", len(seen), n),
			"name the technique or one pass"}
	}
	return &cewgpu.Selection{Technique: first.Technique}, nil
}

// translate gives the package builder the modules of a pass. once says that the SSA
// and the rest of it need not be remembered, of which a whole effect has too much.
func (s *Session) translate(ctx context.Context, perm int, p cewgpu.PassRef, once bool) (*cewgpu.PassModules, error) {
	ref := PassRef{Technique: p.Technique, TechIndex: p.TechIndex, Pass: p.Pass}
	all, err := s.passes(perm)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.TechIndex == p.TechIndex && a.Pass == p.Pass {
			ref = a
		}
	}
	in, err := s.input(perm, ref)
	if err != nil {
		return nil, err
	}
	translate := s.compiler.Pass
	if once {
		translate = s.compiler.PassOnce
	}
	pass, err := translate(ctx, in, s.optionsFor(ref))
	if err != nil {
		return nil, err
	}
	if pass.Status != compile.Translated || pass.Plan == nil {
		u := unsupported(s.Diags(perm, ref, pass), pass)
		u.Likely, err = s.likely(ctx, perm, ref, p, in, pass)
		if err != nil {
			return nil, err
		}
		return nil, u
	}
	return s.modules(perm, ref, p, pass), nil
}

// likely is what a pass would be that is refused for want of view formats alone, with
// the likeliest ones; nil for every other.
func (s *Session) likely(ctx context.Context, perm int, ref PassRef, p cewgpu.PassRef, in *compile.PassInput, refused *compile.Pass) (*cewgpu.PassModules, error) {
	for _, d := range s.Diags(perm, ref, refused) {
		if d.Sev == diag.Error && d.Code != "bind.view-format" {
			return nil, nil
		}
	}
	o := *s.optionsFor(ref)
	o.Strict = false // an assumption is not refused here: nothing is written
	o.Views = maps.Clone(o.Views)
	if o.Views == nil {
		o.Views = map[string]string{}
	}
	o.Views["*"] = "auto"
	pass, err := s.compiler.PassOnce(ctx, in, &o)
	if err != nil || pass.Status != compile.Translated || pass.Plan == nil {
		return nil, err
	}
	return s.modules(perm, ref, p, pass), nil
}

// modules are those of a translated pass as packages take them.
func (s *Session) modules(perm int, ref PassRef, p cewgpu.PassRef, pass *compile.Pass) *cewgpu.PassModules {
	out := &cewgpu.PassModules{Plan: pass.Plan, Transforms: transforms(pass, fmt.Sprintf("%s.pass%d", p.Technique, p.Pass)), Diags: s.Diags(perm, ref, pass)}
	for _, st := range pass.Stages {
		m := st.Module
		out.Modules = append(out.Modules, cewgpu.Module{
			Stage: m.Stage, EntryPoint: m.EntryPoint, Code: m.Code, Workgroup: m.Workgroup,
			SourceMap: lineMap(m, st.Shader),
			Requires:  cewgpu.Requires{Features: m.Requires.Features, LanguageFeatures: m.Requires.Language, Limits: m.Requires.Limits},
			Premises:  premises(st.Premises),
		})
	}
	return out
}

// premises are what a stage takes for granted as packages write it.
func premises(ps []ir.Premise) []cewgpu.Premise {
	var out []cewgpu.Premise
	for i := range ps {
		p := &ps[i]
		q := cewgpu.Premise{Kind: p.Kind.String(), Subject: p.Subject, Relation: p.Relation, Value: strings.ToValidUTF8(p.Value, "\uFFFD"), Number: p.Number,
			Register: p.Register, RegisterSpace: p.Space, Name: strings.ToValidUTF8(p.Name, "\uFFFD"), PassKey: strings.ToValidUTF8(p.Pass, "\uFFFD"), Message: p.Text}
		if n := p.At.Index(); n >= 0 {
			q.InstructionIndex = &n
		}
		out = append(out, q)
	}
	return out
}

// transforms are the resource transforms of a pass as packages write them.
func transforms(pass *compile.Pass, layoutKey string) []cewgpu.ResourceTransform {
	var out []cewgpu.ResourceTransform
	for i := range pass.Plan.Transforms {
		t := &pass.Plan.Transforms[i]
		r := cewgpu.ResourceTransform{ID: t.ID, Version: 1, Kind: "texture-2d-array", LayoutKey: layoutKey, Stage: layout.Fragment.String(),
			Output:         cewgpu.TransformOutput{Name: t.Output, Identity: t.Identity, ScopeIdentity: t.Scope, ViewDimension: "2d-array", LayerCount: len(t.Inputs)},
			Representation: "native-or-rgba8", MissingLayer: "reject"}
		for l, in := range t.Inputs {
			r.Inputs = append(r.Inputs, cewgpu.TransformInput{Parameter: in.Parameter, Layer: l, Identity: in.Identity, ScopeIdentity: in.Scope})
		}
		out = append(out, r)
	}
	return out
}

// unsupported says why a pass has no modules: the first refusal, and all of them.
func unsupported(ds []diag.Diag, pass *compile.Pass) *cewgpu.Unsupported {
	u := &cewgpu.Unsupported{}
	for _, d := range ds {
		if d.Sev == diag.Error {
			u.Diags = append(u.Diags, d)
		}
	}
	if len(u.Diags) > 0 {
		u.Reason = u.Diags[0].Text
	} else {
		u.Reason = "the pass is " + pass.Status.String()
	}
	return u
}

// lineMap ties each line of a module to the instructions that its tokens come from, in
// the order of their first token there. A package counts executable instructions
// alone, where links count declarations too.
func lineMap(m *wgsl.Module, sh *dxbc.Shader) []cewgpu.MapLine {
	out := []cewgpu.MapLine{}
	if sh == nil {
		return out
	}
	ins := sh.Program.Instrs
	number := make([]int, len(ins)) // -1 for declarations
	n := 0
	for i := range ins {
		number[i] = -1
		if !ins[i].Op.Has(dxbc.FlagDecl) && ins[i].Custom == nil {
			number[i] = n
			n++
		}
	}
	line, at, first := 1, 0, 0 // first is where the entries of the line start
	for _, t := range m.Tokens {
		off := int(t.Off)
		if off < at || off > len(m.Code) {
			break // cannot be: tokens are in order and inside the text
		}
		if lines := strings.Count(m.Code[at:off], "\n"); lines > 0 {
			line += lines
			first = len(out)
		}
		at = off
		if t.Instr < 0 || int(t.Instr) >= len(ins) || number[t.Instr] < 0 {
			continue
		}
		e := cewgpu.MapLine{Line: line, InstructionIndex: number[t.Instr], DXBCOffset: int(ins[t.Instr].Offset)}
		if !slices.Contains(out[first:], e) {
			out = append(out, e)
		}
	}
	return out
}
