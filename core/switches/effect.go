package switches

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/effect"
	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
)

// ErrNoAxes marks a file whose axes cannot be switches.
var ErrNoAxes = errors.New("only an effect with its programs has axes that are switches")

// OpenEffect makes a workspace of an effect: every permutation axis is a switch whose
// value 0 is the default option and whose other values are the other options in order, and
// every pass is a shader. What a pass depends on is found by its units, as package graph
// counts them. It fails on other files, and when ctx ends.
func OpenEffect(ctx context.Context, s *session.Session) (*Workspace, error) {
	if s.Effect == nil || !s.HasPrograms() {
		return nil, fmt.Errorf("%s: %w", s.Name, ErrNoAxes)
	}
	g, err := graph.New(s.Effect).Link(ctx)
	if err != nil {
		return nil, err
	}
	w := &Workspace{File: s.Name, Name: baseName(s.Name), Effect: true, s: s, perms: g}
	for i := range g.Axes {
		sw, err := axisSwitch(&g.Axes[i])
		if err != nil {
			return nil, fmt.Errorf("%s: axis %d: %w", s.Name, i, err)
		}
		w.Switches = append(w.Switches, Switch{Switch: sw, Key: g.Axes[i].Name})
	}
	for i := range g.Passes {
		p := &g.Passes[i]
		sh := Shader{Key: p.Name, Label: p.Name, Type: "image"}
		for a, inf := range p.Axes {
			switch inf {
			case graph.Code:
				sh.Switches = append(sh.Switches, w.Switches[a].Switch)
			case graph.States:
				sh.States = append(sh.States, w.Switches[a].Switch)
			}
		}
		if len(p.Units) > 0 {
			u := &g.Units[p.Units[0]]
			if in, err := s.Input(u.Perm, u.Ref); err == nil && len(in.Stages) == 1 && in.Stages[0].Kind.String() == "cs" {
				sh.Type = "compute"
			}
		}
		w.Shaders = append(w.Shaders, sh)
	}
	return w, nil
}

func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// axisSwitch numbers the options of an axis anew, so that 0 is the default.
func axisSwitch(a *effect.Axis) (*variant.Switch, error) {
	members := make([]variant.Member, len(a.Options))
	for o, name := range a.Options {
		members[o] = variant.Member{Name: name, Value: valueOf(a, o)}
	}
	return variant.Enum(a.Name, members...)
}

// valueOf is the value that stands for an option of an axis.
func valueOf(a *effect.Axis, option int) int {
	switch {
	case option == a.Default:
		return 0
	case option < a.Default:
		return option + 1
	}
	return option
}

// Permutation is the permutation of an effect that a set means.
func (w *Workspace) Permutation(t *variant.Set) int {
	perm := w.perms.Default()
	for a := range w.perms.Axes {
		v := t.Get(w.Switches[a].Switch)
		for o := range w.perms.Axes[a].Options {
			if valueOf(&w.perms.Axes[a], o) == v {
				perm = w.perms.With(perm, a, o)
			}
		}
	}
	return perm
}

// SetOf is the set that a permutation of an effect is.
func (w *Workspace) SetOf(perm int) (*variant.Set, error) {
	t := variant.Empty
	for a := range w.perms.Axes {
		var err error
		if t, err = t.With(w.Switches[a].Switch, valueOf(&w.perms.Axes[a], w.perms.Option(perm, a))); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// short are an axis's options as links may write them, in the order of the members.
func (w *Workspace) short(s *variant.Switch) []string {
	for a := range w.perms.Axes {
		if w.Switches[a].Switch == s {
			return graph.ShortOptions(&w.perms.Axes[a])
		}
	}
	return nil
}

// unitSet is a unit of a pass, the set of the first permutation that has it, and how many
// of the pass's sets lead to it.
type unitSet struct {
	unit int
	set  *variant.Set
	sets int
}

// units are those of a pass, the default permutation's first.
func (w *Workspace) units(shader int) []unitSet {
	var out []unitSet
	p := &w.perms.Passes[shader]
	base := w.perms.Unit(w.perms.Default(), shader)
	each := w.perms.Permutations() / max(w.Shaders[shader].Variants(), 1) // permutations that agree on what matters
	for _, u := range p.Units {
		perm := w.perms.Units[u].Perm
		if u == base {
			perm = w.perms.Default()
		}
		t, err := w.SetOf(perm)
		if err != nil {
			continue // cannot be: every option has a value
		}
		x := unitSet{u, w.Restricted(shader, t), w.perms.Units[u].Permutations / each}
		if u == base {
			out = append([]unitSet{x}, out...)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// effectVariant compiles the unit that a pass has for a set.
func (w *Workspace) effectVariant(ctx context.Context, shader int, t *variant.Set) (*Variant, error) {
	r := w.Restricted(shader, t)
	out := &Variant{Shader: shader, Set: r, Label: label(w.Shaders[shader].Label, r)}
	n := w.perms.Unit(w.Permutation(r), shader)
	if n < 0 {
		out.Reason = "the permutation has no such pass"
		return out, nil
	}
	u := &w.perms.Units[n]
	p, err := w.s.Compile(ctx, u.Perm, u.Ref)
	if err != nil {
		return nil, err
	}
	if p.Status != compile.Translated {
		res, err := w.perms.Compile(ctx, w.s, n)
		if err != nil {
			return nil, err
		}
		if out.Reason = res.Reason; out.Reason == "" {
			out.Reason = graph.MarkOf(res).String()
		}
		return out, nil
	}
	for _, st := range p.Stages {
		c := variant.NewChunk(w.Shaders[shader].Label+"/"+st.Kind.String(), st.Module.Code)
		l, err := variant.Link(c)
		if err != nil {
			return nil, err
		}
		out.Modules = append(out.Modules, Module{Stage: st.Module.Stage.String(), EntryPoint: st.Module.EntryPoint, Text: l.Text, SHA256: digest(l.Text), Linked: l, Parts: []string{l.Text}, Features: st.Module.Requires.Features})
	}
	if p.Plan != nil {
		for i := range p.Plan.Bindings {
			b := &p.Plan.Bindings[i]
			name := b.Name
			if name == "" {
				name = b.Symbol
			}
			x := Binding{bundle.Binding{Name: name, Group: b.Group, Binding: b.Binding, Type: b.Type, Buffer: b.Buffer, Texture: b.Texture, Sampler: b.Sampler, Storage: b.Storage}, b.Used}
			for _, v := range b.Visibility {
				x.Visibility = append(x.Visibility, v.String())
			}
			out.Bindings = append(out.Bindings, x)
		}
	}
	return out, nil
}

// Body is a body of an effect as a variant.
type Body struct {
	Letter       string `json:"letter"`
	Label        string `json:"label"` // of the first permutation that has it: "quad [QUALITY=HIGH]"
	Permutations int    `json:"permutations"`
}

// Bodies are the bodies of an effect, each labelled with the set of its first permutation,
// of the default permutation where that has it; nil of a graph.
func (w *Workspace) Bodies() []Body {
	if !w.Effect {
		return nil
	}
	base := w.perms.Body(w.perms.Default())
	out := make([]Body, w.perms.Bodies())
	for b := range out {
		sharers := w.perms.Sharers(b)
		perm := sharers[0]
		if b == base {
			perm = w.perms.Default()
		}
		out[b] = Body{Letter: graph.Letters(b), Permutations: len(sharers)}
		if t, err := w.SetOf(perm); err == nil {
			out[b].Label = label(w.Name, t)
		}
	}
	return out
}
