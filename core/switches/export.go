package switches

import (
	"context"
	"fmt"

	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
)

// Package makes a package of the variants of some shaders, nil being all, for some sets:
// each variant once, labelled with its set. Version is the producer's. It fails where a
// variant cannot be linked or is not translated, and names all of them; and when ctx ends.
func (w *Workspace) Package(ctx context.Context, shaders []int, sets []*variant.Set, profile bundle.Profile, version string, progress Progress) ([]byte, *bundle.Report, error) {
	rows, err := w.Table(ctx, shaders, sets, progress)
	if err != nil {
		return nil, nil, err
	}
	p := &bundle.Package{Graph: w.Name, Source: "graph", Switches: []bundle.Switch{}, Shaders: []bundle.Shader{}, Variants: []bundle.Variant{}}
	if w.Effect {
		p.Source = "effect"
	}
	for _, s := range w.Switches {
		x := bundle.Switch{Label: s.Label(), Bool: s.IsBool()}
		for _, m := range s.Members() {
			x.Members = append(x.Members, bundle.Member{Name: m.Name, Value: m.Value})
		}
		p.Switches = append(p.Switches, x)
	}
	var refused NotBuilt
	number := map[int]int{} // of shaders in the package
	for _, r := range rows {
		if r.Err != nil || r.Reason != "" {
			reason := r.Reason
			if r.Err != nil {
				reason = r.Err.Error()
			}
			refused = append(refused, fmt.Sprintf("%s: %s", r.Label, reason))
			continue
		}
		n, ok := number[r.Shader]
		if !ok {
			n = len(p.Shaders)
			number[r.Shader] = n
			p.Shaders = append(p.Shaders, w.bundleShader(r.Variant))
		}
		v := bundle.Variant{Label: r.Label, Shader: n, Set: r.Set.String(), Modules: []bundle.Stage{}}
		for _, s := range r.Set.Switches() {
			if v.Values == nil {
				v.Values = map[string]string{}
			}
			v.Values[s.Label()] = s.NameOf(r.Set.Get(s))
		}
		for _, m := range r.Modules {
			v.Modules = append(v.Modules, bundle.Stage{Stage: m.Stage, EntryPoint: m.EntryPoint, Module: p.Add(m.Parts)})
		}
		if w.Effect {
			v.Bindings = plain(r.Bindings)
		}
		p.Variants = append(p.Variants, v)
	}
	if len(refused) > 0 {
		return nil, nil, refused
	}
	return bundle.Build(p, profile, version)
}

func (w *Workspace) bundleShader(v *Variant) bundle.Shader {
	s := &w.Shaders[v.Shader]
	out := bundle.Shader{Label: s.Label, Type: s.Type, Switches: []string{}}
	for _, x := range s.Switches {
		out.Switches = append(out.Switches, x.Label())
	}
	if w.Effect {
		return out
	}
	out.Bindings = plain(v.Bindings)
	for _, t := range s.graph.Targets() {
		out.Targets = append(out.Targets, bundle.Target{Format: t.Format, Blend: t.Blend})
	}
	if d := s.graph.Depth(); d != nil {
		out.Depth = &bundle.Depth{Format: d.Format, Write: d.Write, Compare: d.Compare}
	}
	return out
}

func plain(list []Binding) []bundle.Binding {
	var out []bundle.Binding
	for _, b := range list {
		out = append(out, b.Binding)
	}
	return out
}

// NotBuilt are the variants that a package would need and that are not there, with the
// reasons.
type NotBuilt []string

// Error lists them, one a line.
func (n NotBuilt) Error() string {
	s := "package not built"
	for _, r := range n {
		s += "\n" + r
	}
	return s
}
