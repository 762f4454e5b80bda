package main

import (
	"errors"
	"fmt"
	"slices"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// packagePrograms returns the modules and layouts that a package has for the
// permutation of a link, which is the package's own where the link names none.
func packagePrograms(p *cewgpu.Package, l session.Link) ([]cewgpu.Shader, []cewgpu.Layout, error) {
	bad := func(reason, hint string) error {
		return &session.LinkError{Link: l.Inside(), Reason: reason, Hint: hint}
	}
	if p.Kind != cewgpu.EffectPackage {
		return nil, nil, bad("a generic container has no modules", "name an effect package")
	}
	meta, err := p.Meta()
	if err != nil {
		return nil, nil, err
	}
	perm := meta.BodyIndex
	if len(l.Options) > 0 {
		options := map[string]string{}
		for _, o := range l.Options {
			options[o.Axis] = o.Value
		}
		if perm, err = p.Permutation(options); err != nil {
			return nil, nil, bad(err.Error(), "")
		}
	}
	if perm == meta.BodyIndex {
		set, err := p.WGSL()
		if err != nil {
			return nil, nil, err
		}
		return set.Shaders, set.Layouts, nil
	}
	programs, err := p.BackendPrograms(perm)
	if errors.Is(err, cewgpu.ErrNoChunk) {
		return nil, nil, bad("the package has the modules of its selected permutation alone", "leave the options out, or build with --mode all")
	}
	if err != nil {
		return nil, nil, err
	}
	var shaders []cewgpu.Shader
	var layouts []cewgpu.Layout
	for _, pass := range programs.Passes {
		if pass.Unit != nil {
			shaders = append(shaders, pass.Unit.Shaders...)
			layouts = append(layouts, pass.Unit.Layouts...)
		}
	}
	return shaders, layouts, nil
}

// packageWGSL prints the modules that are stored in a package.
func (a *app) packageWGSL(s *session.Session, l session.Link) error {
	shaders, layouts, err := packagePrograms(s.Package, l)
	if err != nil {
		return err
	}
	var docs []any
	var found []*wgslDoc
	for i := range shaders {
		sh := &shaders[i]
		stage, _ := effect.StageTypeOf(sh.StageName)
		if l.HasTechnique() && sh.TechniqueName != l.Technique || l.Pass >= 0 && sh.PassIndex != l.Pass || l.Stage != "" && stage.Short() != l.Stage {
			continue
		}
		found = append(found, storedWGSL(s, l, sh, stage, layouts))
		docs = append(docs, found[len(found)-1])
	}
	if len(found) == 0 {
		var keys []string
		for i := range shaders {
			keys = append(keys, fmt.Sprintf("%s/%d/%s", session.Escape(shaders[i].TechniqueName), shaders[i].PassIndex, short(shaders[i].StageName)))
		}
		return &session.LinkError{Link: l.Inside(), Reason: "the package has no such module", Hint: session.Hint("", keys)}
	}
	if a.json {
		return a.printDocs("fxlens.wgsl/1", l.String(), len(found) == 1 && l.Stage != "", docs)
	}
	for i, d := range found {
		if len(found) > 1 {
			a.heading(i == 0, "//", d.Link)
		}
		a.print("%s", text(d.WGSL))
	}
	return nil
}

func short(stageName string) string {
	t, _ := effect.StageTypeOf(stageName)
	return t.Short()
}

// storedWGSL makes the document of a stored module. A package keeps no stage
// interface, and its source map has lines alone.
func storedWGSL(s *session.Session, l session.Link, sh *cewgpu.Shader, stage effect.StageType, layouts []cewgpu.Layout) *wgslDoc {
	link := session.Link{File: s.Name, Options: l.Options, Technique: sh.TechniqueName, Pass: sh.PassIndex, Stage: stage.Short(), Instr: -1}
	d := &wgslDoc{
		Schema: "fxlens.wgsl/1", Link: link.String(), Status: compile.Translated, Stage: sh.Stage, EntryPoint: sh.EntryPoint, WGSL: sh.Code,
		Bindings: []layout.Binding{}, IO: []wgsl.IO{}, SourceMap: []mapping{}, Diagnostics: []diag.Diag{},
		Requires: wgsl.Requires{Features: []string{}, Language: []string{}, Limits: map[string]int{}},
	}
	if len(sh.ThreadGroupSize) == 3 {
		d.WorkgroupSize = (*[3]uint32)(sh.ThreadGroupSize)
	}
	if r := sh.Requires; r != nil {
		d.Requires.Features = append(d.Requires.Features, r.Features...)
		d.Requires.Language = append(d.Requires.Language, r.LanguageFeatures...)
		for k, v := range r.Limits {
			d.Requires.Limits[k] = v
		}
	}
	for i := range layouts {
		g := &layouts[i]
		if g.TechniqueName != sh.TechniqueName || g.PassIndex != sh.PassIndex {
			continue
		}
		for _, group := range g.BindGroups {
			for j := range group.Bindings {
				if b := &group.Bindings[j]; slices.Contains(b.Visibility, sh.Stage) {
					d.Bindings = append(d.Bindings, storedBinding(b))
				}
			}
		}
	}
	return d
}

// storedBinding is a binding of a package in the form of the plan.
func storedBinding(b *cewgpu.Binding) layout.Binding {
	out := layout.Binding{
		Identity: b.Identity, Scope: b.ScopeIdentity, Register: b.RegisterIndex, Space: b.RegisterSpace, Group: b.Group, Binding: b.Binding,
		Symbol: b.GeneratedSymbol, Name: b.Name, Type: b.Type, Stride: b.StructureStride, Format: b.Format, FormatFrom: b.FormatFrom,
		Transform: b.TransformID, Layers: b.ArrayLayerCount,
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
	switch {
	case b.Buffer != nil:
		out.Buffer = (*layout.Buffer)(b.Buffer)
	case b.Texture != nil:
		out.Texture = (*layout.Texture)(b.Texture)
	case b.Sampler != nil:
		out.Sampler = (*layout.SamplerState)(b.Sampler)
	case b.StorageTexture != nil:
		out.Storage = (*layout.StorageTexture)(b.StorageTexture)
	}
	return out
}
