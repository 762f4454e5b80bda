package graph

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/session"
)

// FilterHelp says what a filter may be made of.
const FilterHelp = "AXIS=OPTION, translated, unsupported, op:NAME, t12 (any register), body:A, a diagnostic code, or part of a parameter's name; ! in front inverts, blanks join"

// Filter is a condition on permutations: all of its terms hold.
type Filter struct {
	Text  string
	terms []term
}

type term struct {
	not    bool
	axis   int // with option: the axis, or -1
	option []bool
	body   int // or -1
	kind   termKind
	marks  []Mark
	op     dxbc.Op
	word   string
}

type termKind uint8

const (
	termOption termKind = iota
	termBody
	termMark
	termOp
	termRegister
	termCode
	termName
)

// words are the statuses that a filter can ask for.
var words = map[string][]Mark{
	"translated": {Translated}, "ok": {Translated},
	"unsupported": {Missing, Refused, Undecodable, Bug}, "refused": {Refused}, "missing": {Missing},
	"undecodable": {Undecodable}, "pending": {Pending}, "empty": {Empty},
}

// ParseFilter reads a filter. It fails with a *session.LinkError that says which term is
// wrong and what was probably meant.
func (g *Graph) ParseFilter(text string) (*Filter, error) {
	f := &Filter{Text: strings.TrimSpace(text)}
	for _, w := range strings.Fields(text) {
		t := term{axis: -1, body: -1}
		full := w
		for strings.HasPrefix(w, "!") {
			t.not = !t.not
			w = w[1:]
		}
		if w == "" {
			return nil, &session.LinkError{Link: full, Reason: "nothing to invert", Hint: FilterHelp}
		}
		fail := func(format string, hint string, args ...any) (*Filter, error) {
			return nil, &session.LinkError{Link: full, Reason: fmt.Sprintf(format, args...), Hint: hint}
		}
		low := strings.ToLower(w)
		axis, option, isOption := strings.Cut(w, "=")
		switch {
		case isOption:
			t.kind, t.axis = termOption, slices.IndexFunc(g.Axes, func(a effect.Axis) bool { return strings.EqualFold(a.Name, axis) })
			var names []string
			for i := range g.Axes {
				names = append(names, g.Axes[i].Name)
			}
			if t.axis < 0 {
				return fail("there is no axis %q", session.Hint(axis, names), axis)
			}
			a := &g.Axes[t.axis]
			if t.option = matchOptions(a, option); t.option == nil {
				return fail("axis %q has no option %q", session.Hint(option, a.Options), a.Name, option)
			}
		case words[low] != nil:
			t.kind, t.marks = termMark, words[low]
		case strings.HasPrefix(low, "op:"):
			op, ok := dxbc.LookupOp(low[3:])
			if !ok || low == "op:" {
				var names []string
				for _, o := range dxbc.Ops() {
					names = append(names, o.String())
				}
				return fail("there is no instruction %q", session.Hint(low[3:], names), low[3:])
			}
			t.kind, t.op = termOp, op
		case strings.HasPrefix(low, "body:"):
			t.kind, t.body = termBody, Number(low[5:])
			if t.body < 0 || t.body >= g.Bodies() {
				return fail("there is no body %q", "bodies are A to "+Letters(g.Bodies()-1), w[5:])
			}
		case isRegister(low):
			t.kind, t.word = termRegister, low
		case isCode(w):
			t.kind, t.word = termCode, w
		default:
			t.kind, t.word = termName, low
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// matchOptions are the options that a text names: by name, without the axis's prefix, or
// by a part; nil where there is none.
func matchOptions(a *effect.Axis, text string) []bool {
	out := make([]bool, len(a.Options))
	short := ShortOptions(a)
	for _, fits := range []func(i int) bool{
		func(i int) bool { return strings.EqualFold(a.Options[i], text) },
		func(i int) bool { return strings.EqualFold(short[i], text) },
		func(i int) bool {
			return text != "" && strings.Contains(strings.ToLower(a.Options[i]), strings.ToLower(text))
		},
	} {
		found := false
		for i := range out {
			if fits(i) {
				out[i], found = true, true
			}
		}
		if found {
			return out
		}
	}
	return nil
}

func isRegister(s string) bool {
	n := strings.TrimLeft(s, "cbtsu")
	if _, err := strconv.ParseUint(n, 10, 32); err != nil {
		return false
	}
	switch s[:len(s)-len(n)] {
	case "t", "s", "u", "cb":
		return true
	}
	return false
}

func isCode(s string) bool {
	_, ok := diag.Lookup(diag.Code(s))
	return ok
}

// NeedsResults reports whether the filter asks what became of units, so that all of them
// have to be compiled.
func (f *Filter) NeedsResults() bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return t.kind == termMark || t.kind == termCode })
}

// NeedsFacts reports whether the filter asks what programs use.
func (f *Filter) NeedsFacts() bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return t.kind == termOp || t.kind == termRegister || t.kind == termName })
}

// Match says for every permutation whether the filter leaves it. A unit whose result is
// not known is Pending and has no codes. pass restricts what is asked of units to one
// pass; -1 asks all of them. It fails when ctx ends.
func (f *Filter) Match(ctx context.Context, g *Graph, r Results, finder *Finder, pass int) ([]bool, error) {
	n := g.Bodies()
	bodies := make([]bool, n)
	for b := range bodies {
		if b%256 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("filter: %w", ctx.Err())
		}
		bodies[b] = f.body(g, r, finder, b, pass)
	}
	out := make([]bool, g.Permutations())
	for p := range out {
		ok := bodies[g.Body(p)]
		for i := range f.terms {
			if t := &f.terms[i]; ok && t.kind == termOption {
				ok = t.option[g.Option(p, t.axis)] != t.not
			}
		}
		out[p] = ok
	}
	return out, nil
}

// body reports whether the terms about bodies hold.
func (f *Filter) body(g *Graph, r Results, finder *Finder, b, pass int) bool {
	perm := g.Sharers(b)[0]
	for i := range f.terms {
		t := &f.terms[i]
		has := false
		switch t.kind {
		case termOption:
			continue
		case termBody:
			has = t.body == b
		case termMark:
			has = slices.Contains(t.marks, g.Mark(r, perm, pass))
		default:
			for p := range g.Passes {
				u := g.UnitOfBody(b, p)
				if u < 0 || pass >= 0 && p != pass {
					continue
				}
				has = has || t.unit(r.Of(u), finder, u)
			}
		}
		if has == t.not {
			return false
		}
	}
	return true
}

func (t *term) unit(r *Result, finder *Finder, u int) bool {
	if t.kind == termCode {
		return r != nil && slices.Contains(r.Codes, diag.Code(t.word))
	}
	k := finder.Of(u)
	switch t.kind {
	case termOp:
		return k.Uses(t.op)
	case termRegister:
		return k.Binds(t.word)
	}
	return k.Names(t.word)
}
