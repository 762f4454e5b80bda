package switches

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/core/variant"
	"fxlens/core/variant/manifest"
)

// Workspace is one opened graph.
type Workspace struct {
	File     string // as the user gave it
	Name     string // of the graph: what its manifest says; of an effect its base name
	Effect   bool   // the switches are the axes of an effect
	Switches []Switch
	Shaders  []Shader
	Sets     []NamedSets

	graph *manifest.Graph
	s     *session.Session
	perms *graph.Graph
}

// Switch is a switch of a workspace.
type Switch struct {
	*variant.Switch
	Key string       // what arguments call it; the label is what sets print
	At  manifest.Pos // zero for an axis
}

// Shader is a shader of a workspace: of an effect one of its passes.
type Shader struct {
	Key      string // what links call it: "shade", "draw/wood", "Main/0"
	Label    string
	Type     string            // image, compute
	Pass     string            // key of the template pass that it belongs to; empty: none
	Template string            // the template's chunk
	Switches []*variant.Switch // those that its code depends on, in the order of the workspace
	States   []*variant.Switch // of a pass: those that change its states and not its code
	At       manifest.Pos      // zero for a pass

	graph *manifest.Shader
}

// NamedSets are sets that have a name together.
type NamedSets struct {
	Key  string
	Sets []*variant.Set
}

// Open reads the graph whose manifest is a file of fsys. root is what the user calls the
// root of fsys, and file the graph. It fails as manifest.Load does.
func Open(fsys fs.FS, manifestFile, root, file string) (*Workspace, error) {
	g, err := manifest.Load(fsys, manifestFile, root)
	if err != nil {
		return nil, err
	}
	w := &Workspace{File: file, Name: g.Name, graph: g}
	for _, s := range g.Switches {
		w.Switches = append(w.Switches, Switch{s.Switch, s.Key, s.At})
	}
	for _, s := range g.Shaders {
		w.Shaders = append(w.Shaders, Shader{Key: s.Key, Label: s.Label(), Type: s.Type().String(), Pass: s.Pass, Template: s.Template,
			Switches: w.ordered(s.Switches()), At: s.At, graph: s})
	}
	for _, s := range g.Sets {
		w.Sets = append(w.Sets, NamedSets{s.Key, s.Sets})
	}
	return w, nil
}

// ordered sorts switches as the workspace has them.
func (w *Workspace) ordered(list []*variant.Switch) []*variant.Switch {
	var out []*variant.Switch
	for _, s := range w.Switches {
		if slices.Contains(list, s.Switch) {
			out = append(out, s.Switch)
		}
	}
	return out
}

// Variants is how many sets of its switches a shader has.
func (s *Shader) Variants() int {
	n := 1
	for _, x := range s.Switches {
		n *= len(x.Members())
	}
	return n
}

// Affected are the shaders that flipping a switch compiles again.
func (w *Workspace) Affected(s *variant.Switch) []int {
	var out []int
	for i := range w.Shaders {
		if slices.Contains(w.Shaders[i].Switches, s) {
			out = append(out, i)
		}
	}
	return out
}

// Restricted is the part of a set that a shader depends on: sets that agree on it have one
// variant.
func (w *Workspace) Restricted(shader int, t *variant.Set) *variant.Set {
	return t.RestrictedTo(w.Shaders[shader].Switches)
}

// VariantLabel is what the variant for a set is called.
func (w *Workspace) VariantLabel(shader int, t *variant.Set) string {
	return label(w.Shaders[shader].Label, w.Restricted(shader, t))
}

func label(name string, t *variant.Set) string {
	if t == variant.Empty {
		return name
	}
	return name + " [" + t.String() + "]"
}

// ErrSet marks a set, shader or switch that a workspace does not have.
var ErrSet = errors.New("invalid set")

func setError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSet, fmt.Sprintf(format, args...))
}

// Switch finds a switch by key or label. It fails, wrapping ErrSet, with what there is.
func (w *Workspace) Switch(name string) (*Switch, error) {
	var names []string
	for i := range w.Switches {
		s := &w.Switches[i]
		if s.Key == name || s.Label() == name {
			return s, nil
		}
		names = append(names, s.Key)
	}
	return nil, setError("there is no switch %q; %s", name, diag.Hint(name, names))
}

// Shader finds a shader by key or label. It fails, wrapping ErrSet, with what there is.
func (w *Workspace) Shader(name string) (int, error) {
	var names []string
	for i := range w.Shaders {
		if w.Shaders[i].Key == name || w.Shaders[i].Label == name {
			return i, nil
		}
		names = append(names, w.Shaders[i].Key)
	}
	return 0, setError("there is no shader %q; %s", name, diag.Hint(name, names))
}

// Value is a set with one more switch at a value, both by name. A member may be written
// without what all members of its switch begin with: HIGH for QUALITY_HIGH.
func (w *Workspace) Value(t *variant.Set, name, member string) (*variant.Set, error) {
	s, err := w.Switch(name)
	if err != nil {
		return nil, err
	}
	if v, ok := s.Parse(member); ok {
		return t.With(s.Switch, v)
	}
	var names []string
	for _, m := range s.Members() {
		names = append(names, m.Name)
	}
	if w.Effect {
		for i, short := range w.short(s.Switch) {
			if short == member {
				return t.With(s.Switch, s.Members()[i].Value)
			}
		}
	}
	return nil, setError("switch %q has no member %q; %s", s.Label(), member, diag.Hint(member, names))
}

// Set reads sets as arguments write them: "default", "all" (every set of all switches),
// the name of sets of the manifest, or "switch=Member,switch=Member". It fails, wrapping
// ErrSet, on what there is not, and where "all" are more than a tool can make.
func (w *Workspace) Set(text string) ([]*variant.Set, error) {
	switch text {
	case "", "default":
		return []*variant.Set{variant.Empty}, nil
	case "all":
		var list []*variant.Switch
		for _, s := range w.Switches {
			list = append(list, s.Switch)
		}
		sets, err := variant.Product(list, maxSets)
		if err != nil {
			return nil, setError("%v", err)
		}
		return sets, nil
	}
	for _, n := range w.Sets {
		if n.Key == text {
			return n.Sets, nil
		}
	}
	if !strings.Contains(text, "=") {
		names := []string{"default", "all"}
		for _, n := range w.Sets {
			names = append(names, n.Key)
		}
		return nil, setError("there is no set %q; %s; or write SWITCH=MEMBER", text, diag.Hint(text, names))
	}
	t := variant.Empty
	for part := range strings.SplitSeq(text, ",") {
		name, member, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return nil, setError("%q is not of the form SWITCH=MEMBER", part)
		}
		var err error
		if t, err = w.Value(t, name, member); err != nil {
			return nil, err
		}
	}
	return []*variant.Set{t}, nil
}

// maxSets is how many sets of all switches are made at once.
const maxSets = 65536

// SetText is a set as arguments write it: keys and members; "default" for all defaults.
func (w *Workspace) SetText(t *variant.Set) string {
	var parts []string
	for _, s := range w.Switches {
		if v := t.Get(s.Switch); v != 0 {
			parts = append(parts, s.Key+"="+s.NameOf(v))
		}
	}
	if len(parts) == 0 {
		return "default"
	}
	return strings.Join(parts, ",")
}

// Built are the sets that the workspace says are built: all defaults and those with names.
func (w *Workspace) Built() []*variant.Set {
	out := []*variant.Set{variant.Empty}
	for _, n := range w.Sets {
		for _, t := range n.Sets {
			if !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// setsOf are the sets that are different for a shader: those given, or with nil all.
func (w *Workspace) setsOf(shader int, sets []*variant.Set) ([]*variant.Set, error) {
	if sets == nil {
		all, err := variant.Product(w.Shaders[shader].Switches, maxSets)
		if err != nil {
			return nil, setError("shader %q: %v", w.Shaders[shader].Key, err)
		}
		return all, nil
	}
	var out []*variant.Set
	for _, t := range sets {
		if r := w.Restricted(shader, t); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out, nil
}

// Variant is the variant of a shader for a set, linked. It fails where the graph cannot be
// linked for the set, and when ctx ends; a pass of an effect that is not translated is a
// variant with a Reason.
func (w *Workspace) Variant(ctx context.Context, shader int, t *variant.Set) (*Variant, error) {
	if w.Effect {
		return w.effectVariant(ctx, shader, t)
	}
	s := &w.Shaders[shader]
	v, err := s.graph.Variant(t)
	if err != nil {
		return nil, err
	}
	l, err := v.Linked()
	if err != nil {
		return nil, err
	}
	out := &Variant{Shader: shader, Set: v.Set(), Label: v.Label(), Bindings: bindings(v, l)}
	m := Module{Text: l.Text, Linked: l, Parts: l.Parts(), Features: l.Features()}
	m.SHA256 = digest(m.Text)
	out.Modules = []Module{m}
	return out, nil
}
