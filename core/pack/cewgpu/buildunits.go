package cewgpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"

	"golang.org/x/sync/errgroup"
)

// translate fills every unit, in parallel. Order of completion reaches no output.
func (b *builder) translate() error {
	g, ctx := errgroup.WithContext(b.ctx)
	g.SetLimit(b.in.Workers)
	done := make(chan struct{}, len(b.order))
	finished := make(chan struct{})
	go func() {
		n := 0
		for range done {
			n++
			if b.in.Progress != nil {
				b.in.Progress(n, len(b.order))
			}
		}
		close(finished)
	}()
	if b.e.Version == effect.WriteVersion && b.refl == nil && b.reflErr == nil {
		g.Go(func() error { // needs no unit; what it fails with comes behind what they do
			b.reflErr = guard(func() (err error) {
				b.refl, err = newReflection(ctx, b.e, b.label)
				return err
			})
			return nil
		})
	}
	for _, u := range b.order {
		if ctx.Err() != nil {
			break
		}
		if u.done {
			done <- struct{}{}
			continue
		}
		g.Go(func() error {
			if err := guard(func() error { return b.translateUnit(ctx, u) }); err != nil {
				return fmt.Errorf("translating %s of permutation %d: %w", u.ref.key(), u.perm, err)
			}
			u.done = true
			done <- struct{}{}
			return nil
		})
	}
	err := g.Wait()
	close(done)
	<-finished
	if err == nil {
		err = b.ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("building a package: %w", err)
	}
	return nil
}

func (b *builder) translateUnit(ctx context.Context, u *unit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, s := range u.stages {
		if s.Type > effect.Compute {
			u.reason = fmt.Sprintf("WGSL effect stage %s.%s kind %s is not supported", u.ref.key(), stageWord(s.Type), stageWord(s.Type))
			f := newFinding(ruleStageKind, "ANLS", u.ref.key()+"."+stageWord(s.Type), -1, u.reason)
			u.refusal = append(u.refusal, f)
		}
	}
	if u.reason != "" {
		return nil
	}
	mods, err := b.in.Translate(ctx, u.perm, u.ref)
	var un *Unsupported
	if errors.As(err, &un) {
		u.reason = un.Reason
		if u.reason == "" {
			u.reason = "pass " + u.ref.key() + " is not translated"
		}
		if len(un.Diags) == 0 {
			u.refusal = append(u.refusal, newFinding(ruleTranslate, "WGSL", u.ref.key(), -1, u.reason))
		}
		for _, d := range un.Diags {
			f := newFinding(ruleTranslate, "WGSL", strings.TrimSpace(u.ref.key()+" "+d.At.String()), -1, d.Text+" ["+string(d.Code)+"]")
			f.Remedy = d.Remedy
			u.refusal = append(u.refusal, f)
		}
		if b.in.Profile != Strict {
			return nil
		}
		for i := range u.refusal {
			f := &u.refusal[i]
			f.Remedy = strings.TrimPrefix(f.Remedy+"; or build with --profile extended, which writes the package without this pass", "; or ")
		}
		if un.Likely != nil {
			_, fs, err := b.passSet(u, un.Likely)
			if err != nil {
				return err
			}
			u.refusal = append(u.refusal, fs...)
		}
		return nil
	}
	if err != nil {
		return err
	}
	set, fs, err := b.passSet(u, mods)
	if err != nil {
		return err
	}
	u.set = set
	if len(fs) > 0 {
		u.refusal = fs
		u.reason = "unsupported by the " + string(b.in.Profile) + " container profile: " + fs[0].Path + ": " + fs[0].Reason
		if len(fs) > 1 {
			u.reason += fmt.Sprintf(" (and %d more)", len(fs)-1)
		}
	}
	return nil
}

// passSet makes the WGSL set of one pass, and lists what the profile cannot carry.
func (b *builder) passSet(u *unit, m *PassModules) (*WGSLSet, []Finding, error) {
	if m == nil || m.Plan == nil {
		return nil, nil, errors.New("a translated pass has a plan")
	}
	technique := lenient(u.ref.Technique)
	set := &WGSLSet{Format: "CJS_WGSL_SET", FormatVersion: 2, Shaders: make([]Shader, 0, len(u.stages)), ResourceTransforms: m.Transforms}
	if len(m.Transforms) > 0 {
		set.FormatVersion = 3
	}
	var fs []Finding
	for _, s := range u.stages {
		stage, ok := webStageOf(s.Type)
		if !ok {
			continue
		}
		i := slices.IndexFunc(m.Modules, func(x Module) bool { return x.Stage == stage })
		if i < 0 {
			return nil, nil, fmt.Errorf("the translation has no %s module", stage)
		}
		mod := &m.Modules[i]
		word := stageWord(s.Type)
		sh := Shader{Key: u.ref.key() + "." + word, TechniqueName: technique, PassIndex: u.ref.Pass, StageName: word,
			Stage: stage.String(), StageType: int(s.Type), EntryPoint: mod.EntryPoint, Code: mod.Code, SourceMap: mod.SourceMap}
		if sh.SourceMap == nil {
			sh.SourceMap = []MapLine{}
		}
		if s.Type == effect.Compute {
			sh.ThreadGroupSize = []uint32{mod.Workgroup[0], mod.Workgroup[1], mod.Workgroup[2]}
		}
		r := mod.Requires
		if b.in.Profile == Extended && len(r.Features)+len(r.LanguageFeatures)+len(r.Limits) > 0 {
			sh.Requires = &r
		}
		if b.in.Profile == Extended {
			sh.Premises = mod.Premises
		}
		if b.in.Profile == Strict && len(r.Features)+len(r.LanguageFeatures) > 0 {
			fs = append(fs, newFinding(ruleStrictNeeds, "WGSL", sh.Key, -1, fmt.Sprintf(
				"the module needs %s, which the strict profile has no place to say", strings.Join(append(slices.Clone(r.Features), r.LanguageFeatures...), ", "))))
		}
		set.Shaders = append(set.Shaders, sh)
	}
	l := Layout{Key: u.ref.key(), TechniqueName: technique, PassIndex: u.ref.Pass, BindGroups: []BindGroup{}}
	groups := 0
	for i := range m.Plan.Bindings {
		groups = max(groups, m.Plan.Bindings[i].Group+1)
	}
	if groups > 64 {
		return nil, nil, fmt.Errorf("the plan has %d groups", groups)
	}
	for g := range groups {
		bg := BindGroup{Group: g, Bindings: []Binding{}}
		for i := range m.Plan.Bindings {
			if pb := &m.Plan.Bindings[i]; pb.Group == g {
				out := b.binding(pb)
				if b.in.Profile == Strict {
					path := fmt.Sprintf("%s binding %d.%d", l.Key, pb.Group, pb.Binding)
					fs = append(fs, strictBinding(&out, path)...)
				}
				bg.Bindings = append(bg.Bindings, out)
			}
		}
		l.BindGroups = append(l.BindGroups, bg)
	}
	set.Layouts = []Layout{l}
	if b.in.Profile == Extended {
		for _, d := range m.Diags {
			set.Diagnostics = append(set.Diagnostics, Diagnostic{Pass: u.ref.key(), Code: string(d.Code), Severity: d.Sev.String(),
				At: lenient(d.At.String()), Message: lenient(d.Text), Remedy: lenient(d.Remedy)})
		}
	}
	return set, fs, nil
}

func webStageOf(t effect.StageType) (layout.Stage, bool) {
	switch t {
	case effect.Vertex:
		return layout.Vertex, true
	case effect.Pixel:
		return layout.Fragment, true
	case effect.Compute:
		return layout.Compute, true
	}
	return 0, false
}

// binding writes one slot of a plan.
func (b *builder) binding(p *layout.Binding) Binding {
	out := Binding{Identity: p.Identity, ScopeIdentity: p.Scope, ResourceKind: p.Kind.String(), GeneratedSymbol: p.Symbol,
		RegisterSpace: p.Space, RegisterIndex: p.Register, Group: p.Group, Binding: p.Binding,
		Visibility: fileOrder(p.Visibility, func(s *layout.Stage) string { return s.String() }),
		Type:       p.Type, TransformID: p.Transform, ArrayLayerCount: p.Layers, StructureStride: p.Stride}
	if x := p.Buffer; x != nil {
		out.Buffer = &BufferLayout{Type: x.Type, HasDynamicOffset: x.HasDynamicOffset, MinBindingSize: x.MinBindingSize}
	}
	if x := p.Texture; x != nil {
		out.Texture = &TextureLayout{SampleType: x.SampleType, ViewDimension: x.ViewDimension, Multisampled: x.Multisampled}
	}
	if x := p.Sampler; x != nil {
		out.Sampler = &SamplerLayout{Type: x.Type}
	}
	if x := p.Storage; x != nil {
		out.StorageTexture = &StorageTexture{Access: x.Access, Format: x.Format, ViewDimension: x.ViewDimension}
	}
	if b.in.Profile == Extended {
		out.Format, out.FormatFrom, out.Name = p.Format, p.FormatFrom, lenient(p.Name)
	}
	return out
}

// strictBinding lists what of a slot strict readers refuse.
func strictBinding(b *Binding, path string) []Finding {
	var out []Finding
	no := func(rule ruleID, key, format string, args ...any) {
		f := newFinding(rule, "WGSL", path+" "+key, -1, fmt.Sprintf(format, args...))
		f.Remedy = remedyStrict
		out = append(out, f)
	}
	if b.ResourceKind == layout.UAVCounter.String() {
		no(ruleStrictCounter, "resourceKind", "%s is the counter of a buffer", b.GeneratedSymbol)
	}
	if strings.Contains(b.Identity, "#") {
		no(ruleStrictVariant, "identity", "%s is a second binding of one register", b.Identity)
	}
	if b.StorageTexture != nil {
		no(ruleTextureKind, "storageTexture", "%s is a storage texture, %s", b.GeneratedSymbol, b.Type)
	}
	if t := b.Texture; t != nil {
		dims := map[string]string{"2d": "texture_2d<f32>", "2d-array": "texture_2d_array<f32>", "cube": "texture_cube<f32>", "3d": "texture_3d<f32>"}
		switch {
		case t.Multisampled:
			no(ruleTextureKind, "texture.multisampled", "%s is multisampled, %s", b.GeneratedSymbol, b.Type)
		case t.SampleType != "float":
			no(ruleTextureKind, "texture.sampleType", "%s has the sample type %s, %s", b.GeneratedSymbol, t.SampleType, b.Type)
		case dims[t.ViewDimension] != b.Type:
			no(ruleTextureKind, "type", "%s is a %s", b.GeneratedSymbol, b.Type)
		}
	}
	return out
}
