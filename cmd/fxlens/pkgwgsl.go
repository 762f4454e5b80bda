package main

import (
	"errors"
	"slices"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// packageWGSL prints the modules that are stored in a package or container, and what the
// front end says about them.
func (a *app) packageWGSL(s *session.Session, l session.Link) error {
	t, err := s.Resolve(l)
	if err != nil {
		return err
	}
	var docs []any
	var found []*wgslDoc
	var faults []diag.Diag
	reason := "the permutation has no passes"
	for _, ref := range t.Passes {
		stored, err := s.Stored(t.Perm, ref)
		if errors.Is(err, cewgpu.ErrNoChunk) {
			return &session.LinkError{Link: l.Inside(), Reason: "the package has the modules of its selected permutation alone", Hint: "leave the options out, or build with --mode all"}
		}
		if err != nil {
			return err
		}
		reason = stored.Reason
		for i := range stored.Shaders {
			sh := &stored.Shaders[i]
			stage, _ := effect.StageTypeOf(sh.StageName)
			if t.Stage == "" || stage.Short() == t.Stage {
				d := storedWGSL(s, t.Perm, ref, stored, sh, stage)
				found, docs, faults = append(found, d), append(docs, d), append(faults, d.Diagnostics...)
			}
		}
	}
	if len(found) == 0 {
		return &session.LinkError{Link: l.Inside(), Reason: "the package has no such module", Hint: reason}
	}
	if a.json {
		if err := a.printDocs("fxlens.wgsl/1", l.String(), len(found) == 1 && l.Stage != "", docs); err != nil {
			return err
		}
	} else {
		for i, d := range found {
			if len(found) > 1 {
				a.heading(i == 0, "//", d.Link)
			}
			a.print("%s", text(d.WGSL))
		}
		a.diagnostics(fileLink(s), faults)
	}
	if diag.HasErrors(faults) {
		return errRefused
	}
	return nil
}

// storedWGSL makes the document of a stored module. A package keeps no stage
// interface, and its source map has lines alone.
func storedWGSL(s *session.Session, perm int, ref session.PassRef, stored *session.StoredPass, sh *cewgpu.Shader, stage effect.StageType) *wgslDoc {
	d := &wgslDoc{
		Schema: "fxlens.wgsl/1", Link: s.Link(perm, ref, stage.Short(), -1).String(), Status: compile.Translated, Stage: sh.Stage, EntryPoint: sh.EntryPoint, WGSL: sh.Code,
		Bindings: []layout.Binding{}, IO: []wgsl.IO{}, SourceMap: []mapping{}, Diagnostics: []diag.Diag{},
		Requires: wgsl.Requires{Features: []string{}, Language: []string{}, Limits: map[string]int{}},
	}
	for _, f := range session.ModuleFaults(sh.Code) {
		d.Diagnostics = append(d.Diagnostics, s.Place(perm, ref, stage.Short(), f))
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
	if stored.Layout != nil {
		for _, group := range stored.Layout.BindGroups {
			for j := range group.Bindings {
				if b := &group.Bindings[j]; slices.Contains(b.Visibility, sh.Stage) {
					d.Bindings = append(d.Bindings, session.StoredBinding(b))
				}
			}
		}
	}
	return d
}
