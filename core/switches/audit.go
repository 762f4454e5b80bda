package switches

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/graph"
	"fxlens/core/variant"
)

// Finding is one thing that an audit says. Line and column are those of the file.
type Finding struct {
	variant.Finding
	File   string `json:"file,omitempty"`
	Remedy string `json:"remedy,omitempty"`
	More   int    `json:"more,omitempty"` // variants of the same shader, or shaders that link the chunk, that have it too
}

// The rules that need more than one shader.
const (
	RuleUnused      = "unused"       // nothing depends on a switch, or reaches a chunk
	RuleDefaultOnly = "default-only" // a shader has switches and only its default variant is built
	RuleRefused     = "refused"      // a pass of an effect has no WGSL for a set
)

var remedies = map[string]string{
	variant.RuleUndeclared: "add it to what the chunk reads",
	variant.RuleUnread:     "take it out of what the chunk reads",
	variant.RuleHidden:     "add the chunk that defines it to what this one needs",
	variant.RuleTwice:      "rename one, or link only one of the chunks",
	variant.RuleUnfinished: "add the alternative, or take the member away",
	variant.RuleLabel:      "give one of them another label",
	variant.RuleSyntax:     "correct the text",
	variant.RuleUnbound:    "add the binding to one of the shader's groups",
	variant.RuleMistyped:   "bind what the chunk reads, or correct its declaration",
	variant.RuleLink:       "correct the graph for this set",
	variant.RuleInvalid:    "correct the text, or what it needs",
	variant.RuleVisibility: "add the stage to the group's visibility, or bind it in another group",
	RuleUnused:             "use it or take it away",
	RuleDefaultOnly:        "name sets to build that differ in these switches",
}

// Audit looks at all shaders, for some sets or with nil for all that are different for
// each: what a chunk reads is what it declares, every variant is valid WGSL whose stages see what
// they use, everything that a chunk uses is in its dependencies, every variant can be linked, choices are finished, nothing is unused, and
// more than the default of a switched shader is built. Errors come first. It fails when
// ctx ends, and where there are too many sets.
func (w *Workspace) Audit(ctx context.Context, sets []*variant.Set) ([]Finding, error) {
	var out []Finding
	for i := range w.Shaders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := w.auditShader(ctx, i, sets)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	out = append(out, w.unused()...)
	for i := range out {
		w.place(&out[i])
	}
	out = once(out)
	slices.SortStableFunc(out, func(a, b Finding) int {
		rank := func(f Finding) int {
			if f.Error {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return out, nil
}

func (w *Workspace) auditShader(ctx context.Context, shader int, sets []*variant.Set) ([]Finding, error) {
	s := &w.Shaders[shader]
	if w.Effect {
		return w.auditPass(ctx, shader, sets)
	}
	list, err := w.setsOf(shader, sets)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, f := range append(s.graph.Audit(list), s.graph.Lint()...) {
		out = append(out, Finding{Finding: f})
	}
	if len(s.Switches) > 0 && !slices.ContainsFunc(w.Built(), func(t *variant.Set) bool { return w.Restricted(shader, t) != variant.Empty }) {
		var names []string
		for _, x := range s.Switches {
			names = append(names, fmt.Sprintf("%q", x.Label()))
		}
		f := Finding{Finding: variant.Finding{Rule: RuleDefaultOnly, Shader: s.Label, Name: s.Key, Line: s.At.Line, Column: s.At.Col,
			Text: fmt.Sprintf("shader %q depends on %s, and no set that is built differs from the default there", s.Label, strings.Join(names, ", "))}, File: s.At.File}
		out = append(out, f)
	}
	return out, nil
}

// auditPass says for which sets a pass has no WGSL.
func (w *Workspace) auditPass(ctx context.Context, shader int, sets []*variant.Set) ([]Finding, error) {
	rows, err := w.Table(ctx, []int{shader}, sets, nil)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, r := range rows {
		reason := r.Reason
		if r.Err != nil {
			reason = r.Err.Error()
		}
		if reason != "" {
			out = append(out, Finding{Finding: variant.Finding{Rule: RuleRefused, Shader: w.Shaders[shader].Label, Set: r.Set.String(), Text: fmt.Sprintf("%s has no WGSL: %s", r.Label, reason), Error: true}})
		}
	}
	return out, nil
}

func (w *Workspace) unused() []Finding {
	var out []Finding
	if w.Effect {
		for a := range w.perms.Axes {
			inf := graph.Nothing
			for i := range w.perms.Passes {
				inf = max(inf, w.perms.Passes[i].Axes[a])
			}
			if inf == graph.Nothing && len(w.perms.Axes[a].Options) > 1 {
				out = append(out, Finding{Finding: variant.Finding{Rule: RuleUnused, Name: w.Switches[a].Label(), Text: fmt.Sprintf("no pass depends on axis %q", w.Switches[a].Label())}})
			}
		}
		return out
	}
	for _, e := range w.graph.Unused {
		out = append(out, Finding{Finding: variant.Finding{Rule: RuleUnused, Chunk: e.Chunk, Name: cmp.Or(e.Switch, e.Chunk), Text: e.Text, Line: e.Line, Column: e.Col}, File: e.File})
	}
	return out
}

// place turns a place in a chunk's text into one of a file, and adds what to do.
func (w *Workspace) place(f *Finding) {
	f.Remedy = remedies[f.Rule]
	if f.Rule == variant.RuleInvalid && strings.HasPrefix(f.Text, "unresolved ") {
		f.Remedy = "define it, or add the chunk that defines it to what this one needs"
	}
	if f.File != "" || w.graph == nil {
		return
	}
	for _, c := range w.graph.Chunks {
		if c.Key != f.Chunk {
			continue
		}
		p := c.At
		if f.Line > 0 {
			p = c.In(f.Line, f.Column)
		}
		f.File, f.Line, f.Column = p.File, p.Line, p.Col
	}
	for _, c := range w.graph.Choices {
		if (f.Rule == variant.RuleUnfinished || f.Rule == variant.RuleLink) && c.Name() == f.Chunk && slices.ContainsFunc(c.Missing(), func(m variant.Member) bool { return m.Name == f.Name }) && f.File == "" {
			f.File, f.Line, f.Column, f.Remedy = c.At.File, c.At.Line, c.At.Col, remedies[variant.RuleUnfinished]
		}
	}
	if f.File != "" {
		return
	}
	for _, s := range w.graph.Shaders {
		if s.Label() != f.Shader {
			continue
		}
		p := s.At
		// The declarations that a shader makes have a line for each of its bindings.
		if all := s.Resources().All(); f.Chunk != "" && f.Line > 0 && f.Line <= len(all) {
			for _, r := range w.graph.Resources {
				if r.Name == all[f.Line-1].Name {
					p, f.Chunk = r.At, ""
					f.Name, f.Remedy = r.Name, "correct the resource, or name the chunk that defines its type in its needs"
				}
			}
		}
		f.File, f.Line, f.Column = p.File, p.Line, p.Col
	}
}

// once leaves out what is said again: of a chunk for another shader that links it, of a
// shader for another of its sets; and warnings about what an error is about already.
func once(list []Finding) []Finding {
	type key struct {
		rule, shader, chunk, name, file, text string
		line, column                          int
	}
	type place struct {
		file         string
		line, column int
	}
	seen := map[key]int{}
	wrong := map[place]bool{}
	var out []Finding
	for _, f := range list {
		k := key{f.Rule, f.Shader, f.Chunk, f.Name, f.File, f.Text, f.Line, f.Column}
		if f.Set != "" { // errors of links name the variant
			k.text = strings.ReplaceAll(k.text, " ["+f.Set+"]", "")
		}
		switch f.Rule {
		case variant.RuleUndeclared, variant.RuleUnread, variant.RuleSyntax, variant.RuleHidden, variant.RuleUnfinished, variant.RuleInvalid:
			k.shader = ""
		case variant.RuleLink:
			if f.Chunk != "" { // a choice without an alternative
				k.shader, k.text = "", f.Name
			}
		}
		if i, again := seen[k]; again {
			if f.Error {
				out[i].More++
			}
			continue
		}
		seen[k] = len(out)
		if f.Error && f.Line > 0 {
			wrong[place{f.File, f.Line, f.Column}] = true
		}
		out = append(out, f)
	}
	return slices.DeleteFunc(out, func(f Finding) bool {
		return !f.Error && (f.Rule == variant.RuleHidden || f.Rule == variant.RuleUnfinished) && wrong[place{f.File, f.Line, f.Column}]
	})
}
