package carbon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

// Views returns the documents that a container derives for a permutation, under the
// tags that a package has them in: INFO, META, PGRF, ANLS, WGSL and WGSB. A view
// that cannot be derived, such as the analysis of a body with a geometry stage, is
// missing. It fails only with ctx's error.
func (f *File) Views(ctx context.Context, perm int, label string) ([]cewgpu.Chunk, error) {
	if label == "" {
		label = "memory"
	}
	var out []cewgpu.Chunk
	add := func(tag string, v any) error {
		b, err := marshal(v)
		if err != nil {
			return fmt.Errorf("view %s of a container: %w", tag, err)
		}
		out = append(out, cewgpu.Chunk{Tag: tag, Data: b})
		return nil
	}
	set, _ := f.WGSL(perm)
	bodies, _ := f.BodySet()
	analysis, err := f.Analysis(ctx, perm, label)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	views := []struct {
		tag string
		v   any
	}{{"INFO", f.Info()}, {"META", f.Metadata(label, perm)}, {"PGRF", f.Graph()}, {"ANLS", analysis}, {"WGSL", set}, {"WGSB", bodies}}
	for _, v := range views {
		if v.tag == "ANLS" && err != nil {
			continue
		}
		if err := add(v.tag, v.v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// VerifySource compares a container with the effect that it was made of: everything
// but the programs. It returns what differs, and fails with ctx's error.
func (f *File) VerifySource(ctx context.Context, source *effect.Effect) ([]diag.Diag, error) {
	t := &toPackage{f: f, o: ToOptions{Source: source}}
	err := t.sameContent(ctx)
	var refused *ConvertError
	if errors.As(err, &refused) {
		return refused.Findings, nil
	}
	return nil, err
}

// VerifyPackage compares the views of a container with the documents of the package
// that it was made of: they are equal but for what a container cannot say (digests
// and places of bodies, programs, source maps, names, reasons). It returns what
// differs, and fails with ctx's error or an error that wraps cewgpu.ErrNotValid.
func (f *File) VerifyPackage(ctx context.Context, p *cewgpu.Package) ([]diag.Diag, error) {
	if p.Kind != cewgpu.EffectPackage || !p.Valid() {
		return nil, fmt.Errorf("verifying a container: %w", cewgpu.ErrNotValid)
	}
	v := &viewChecker{f: f, p: p}
	for _, step := range []func(context.Context) error{v.graph, v.metadata, v.modules, v.analysis} {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("verifying a container: %w", err)
		}
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("verifying a container: %w", err)
		}
	}
	return v.found, nil
}

type viewChecker struct {
	f     *File
	p     *cewgpu.Package
	meta  *cewgpu.Meta
	found []diag.Diag
}

func (v *viewChecker) differ(tag, format string, args ...any) {
	if len(v.found) < maxFindings {
		v.found = append(v.found, diag.New(diag.Error, ruleView, diag.Loc{}, "%s %s", tag, fmt.Sprintf(format, args...)))
	}
}

// same compares two values of one type.
func (v *viewChecker) same(tag, what string, view, doc any) {
	if path := difference(reflect.ValueOf(view), reflect.ValueOf(doc), ""); path != "" || !reflect.DeepEqual(reflect.TypeOf(view), reflect.TypeOf(doc)) {
		v.differ(tag, "%s: the view of the container and the document of the package differ in%s", what, path)
	}
}

func (v *viewChecker) graph(context.Context) error {
	doc, err := v.p.Graph()
	if errors.Is(err, cewgpu.ErrNoChunk) {
		return nil
	} else if err != nil {
		return err
	}
	view := v.f.Graph()
	v.same("PGRF", "axes", view.Axes, doc.Axes)
	if len(view.Variants) != len(doc.Variants) {
		v.differ("PGRF", "variants: the container has %d, the package %d", len(view.Variants), len(doc.Variants))
		return nil
	}
	// Bodies that differ in their programs alone are one in the container where
	// neither has modules: every body of the package is in one of the container.
	of := map[string]string{}
	for i := range doc.Variants {
		v.same("PGRF", fmt.Sprintf("variants[%d].optionIndices", i), view.Variants[i].OptionIndices, doc.Variants[i].OptionIndices)
		key := doc.Variants[i].BodyKey
		if have, ok := of[key]; ok && have != view.Variants[i].BodyKey {
			v.differ("PGRF", "variants[%d].bodyKey: body %s of the package is two of the container", i, clip(key))
		}
		of[key] = view.Variants[i].BodyKey
	}
	return nil
}

func (v *viewChecker) metadata(context.Context) error {
	meta, err := v.p.Meta()
	if err != nil {
		return err
	}
	v.meta = meta
	if meta.BodyIndex >= len(v.f.bodyOf) {
		return fmt.Errorf("permutation %d of %d: %w", meta.BodyIndex, len(v.f.bodyOf), cewgpu.ErrNoPermutation)
	}
	var want []Option
	for _, o := range meta.SelectedOptions {
		want = append(want, Option{o.Name, o.Value})
	}
	v.same("META", "selectedOptions", v.f.Metadata(meta.EffectName, meta.BodyIndex).SelectedOptions, append([]Option{}, want...))
	return nil
}

// modules compares WGSL and WGSB, permutation by permutation of the bodies.
func (v *viewChecker) modules(ctx context.Context) error {
	doc, err := v.p.WGSL()
	if err != nil {
		return err
	}
	view, _ := v.f.WGSL(v.meta.BodyIndex)
	v.set("WGSL", view.Shaders, doc.Shaders, view.Layouts, doc.Layouts, view.ResourceTransforms, doc.ResourceTransforms)
	bodies, err := v.p.BodySet()
	if errors.Is(err, cewgpu.ErrNoChunk) {
		return nil
	} else if err != nil {
		return err
	}
	for i := range bodies.Bodies {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &bodies.Bodies[i]
		if b.Status != "translated" {
			continue
		}
		m, err := v.p.Modules(b.RepresentativePermutationIndex)
		if err != nil {
			return err
		}
		view, _ := v.f.WGSL(b.RepresentativePermutationIndex)
		v.set("WGSB "+clip(b.BodyKey), view.Shaders, m.Shaders, view.Layouts, m.Layouts, view.ResourceTransforms, m.Transforms)
	}
	return nil
}

// set compares modules and layouts by their keys, since a container has an order of
// its own.
func (v *viewChecker) set(tag string, shaders, wantShaders []cewgpu.Shader, layouts, wantLayouts []cewgpu.Layout, transforms, wantTransforms []cewgpu.ResourceTransform) {
	if len(shaders) != len(wantShaders) || len(layouts) != len(wantLayouts) || len(transforms) != len(wantTransforms) {
		v.differ(tag, "the container has %d modules, %d layouts and %d transforms, the package %d, %d and %d",
			len(shaders), len(layouts), len(transforms), len(wantShaders), len(wantLayouts), len(wantTransforms))
		return
	}
	for _, want := range wantShaders {
		i := slices.IndexFunc(shaders, func(s cewgpu.Shader) bool { return s.Key == want.Key })
		if i < 0 {
			v.differ(tag, "module %s is not in the container", clip(want.Key))
			continue
		}
		want.SourceMap, want.Requires = shaders[i].SourceMap, shaders[i].Requires
		v.same(tag, "module "+clip(want.Key), shaders[i], want)
	}
	for _, want := range wantLayouts {
		i := slices.IndexFunc(layouts, func(l cewgpu.Layout) bool { return l.Key == want.Key })
		if i < 0 {
			v.differ(tag, "layout %s is not in the container", clip(want.Key))
			continue
		}
		v.same(tag, "layout "+clip(want.Key), plainLayout(layouts[i]), plainLayout(want))
	}
	for _, want := range wantTransforms {
		i := slices.IndexFunc(transforms, func(t cewgpu.ResourceTransform) bool { return t.ID == want.ID })
		if i < 0 {
			v.differ(tag, "transform %s is not in the container", clip(want.ID))
			continue
		}
		if want.Output.Name == newerOutput {
			want.Output.Name = detailOutput
		}
		v.same(tag, "transform "+clip(want.ID), transforms[i], want)
	}
}

// plainLayout leaves out what a container does not keep: names, view formats, the
// strides that it reads into typed buffers, and the order of visibility.
func plainLayout(l cewgpu.Layout) cewgpu.Layout {
	groups := make([]cewgpu.BindGroup, len(l.BindGroups))
	for i, g := range l.BindGroups {
		groups[i] = cewgpu.BindGroup{Group: g.Group, Bindings: slices.Clone(g.Bindings)}
		for j := range groups[i].Bindings {
			b := &groups[i].Bindings[j]
			b.Name, b.Format, b.FormatFrom, b.StructureStride = "", "", "", 0
			b.Visibility = slices.Sorted(slices.Values(b.Visibility))
		}
	}
	l.BindGroups = groups
	return l
}

// analysis compares ANLS but for the programs, handles, and versions of the source.
func (v *viewChecker) analysis(ctx context.Context) error {
	doc, err := v.p.Analysis()
	if err != nil {
		return err
	}
	view, err := v.f.Analysis(ctx, v.meta.BodyIndex, doc.Source)
	var build *cewgpu.BuildError
	if errors.As(err, &build) {
		return nil // the body has what no analysis describes; its package says so
	} else if err != nil {
		return err
	}
	// Through JSON, where both have plain values in place of typed ones.
	plain := func(a *cewgpu.Analysis) (map[string]any, error) {
		b, err := marshal(a)
		if err != nil {
			return nil, err
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		for _, s := range m["stages"].([]any) {
			stage := s.(map[string]any)
			delete(stage, "shaderBytecode")
			delete(stage, "shaderHandle")
			if doc.EffectVersion < effect.WriteVersion {
				delete(stage, "bindings") // an older version keeps less of a register
			}
		}
		return m, nil
	}
	a, err := plain(view)
	if err != nil {
		return err
	}
	b, err := plain(doc)
	if err != nil {
		return err
	}
	for _, key := range []string{"effectName", "source", "bodyIndex", "passes", "stages"} {
		if path := differentJSON(a[key], b[key], key); path != "" {
			v.differ("ANLS", "%s: the view of the container and the document of the package differ", path)
		}
	}
	return nil
}

// differentJSON returns the path of the first difference of two JSON values, or "".
func differentJSON(a, b any, path string) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return path
		}
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if _, ok := y[k]; !ok {
				return path + "." + k
			}
			if p := differentJSON(x[k], y[k], path+"."+k); p != "" {
				return p
			}
		}
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path
		}
		for i := range x {
			if p := differentJSON(x[i], y[i], fmt.Sprintf("%s[%d]", path, i)); p != "" {
				return p
			}
		}
	default:
		if a != b {
			return path
		}
	}
	return ""
}
