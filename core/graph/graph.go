package graph

import (
	"strings"

	"fxlens/core/effect"
	"fxlens/core/session"
)

// Influence says how an axis matters to a pass. It matters where two permutations that
// differ in nothing else have different passes.
type Influence uint8

// The influences.
const (
	Nothing Influence = iota // the pass is the same whatever the option
	States                   // the same programs and names, under other states, samplers or defaults
	Code                     // other units
)

var influenceNames = [...]string{"-", "states", "code"}

func (i Influence) String() string { return influenceNames[i] }

// MarshalText makes JSON print the word.
func (i Influence) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// Graph is the permutation graph of one effect. It is immutable and safe for concurrent
// use. Passes and Units are nil until Link.
type Graph struct {
	Axes     []effect.Axis
	Defaults []int // option of each axis
	Passes   []Pass
	Units    []Unit
	Contents int // distinct contents of units: passes that are equal under two names count once

	e      *effect.Effect
	stride []int
	// unitOf and fullOf have, for every pass and body, the unit and the identity of
	// everything that the pass says, states too; -1 where the body lacks the pass.
	unitOf, fullOf []int32
}

// Pass is one pass over all bodies.
type Pass struct {
	Name   string          // as links write it: "Main/0"
	Ref    session.PassRef // in the first body that has it
	Axes   []Influence     // of every axis
	Units  []int           // in order of first appearance, as permutations count
	Absent int             // permutations without the pass
}

// Unit is one content of a pass.
type Unit struct {
	Pass         int             // index into Passes
	Letter       string          // among the pass's units
	Content      int             // units of different passes with one content are equal
	Perm         int             // the first permutation that has it
	Ref          session.PassRef // the pass in that permutation
	Permutations int             // how many share it
	Bodies       []int           // that have it, ascending
}

// New makes the graph of an effect, without passes and units.
func New(e *effect.Effect) *Graph {
	g := &Graph{Axes: e.Axes, Defaults: e.DefaultChoice(), e: e, stride: make([]int, len(e.Axes))}
	n := 1
	for i := range e.Axes {
		g.stride[i] = n
		n *= len(e.Axes[i].Options)
	}
	return g
}

// Linked reports whether passes and units are known.
func (g *Graph) Linked() bool { return g.unitOf != nil }

// Permutations is the number of permutations.
func (g *Graph) Permutations() int { return g.e.PermutationCount() }

// Bodies is the number of distinct bodies.
func (g *Graph) Bodies() int { return len(g.e.Bodies()) }

// Body is the body of a permutation. Bodies count by first appearance.
func (g *Graph) Body(perm int) int { return g.e.BodyOf(perm) }

// Sharers are the permutations of a body, ascending. They must not be changed.
func (g *Graph) Sharers(body int) []int { return g.e.Bodies()[body].Permutations }

// Unit is the unit that a pass has in a permutation, or -1 where it has none or before
// Link.
func (g *Graph) Unit(perm, pass int) int {
	if g.unitOf == nil {
		return -1
	}
	return int(g.unitOf[pass*g.Bodies()+g.Body(perm)])
}

// UnitOfBody is Unit for a body.
func (g *Graph) UnitOfBody(body, pass int) int {
	if g.unitOf == nil {
		return -1
	}
	return int(g.unitOf[pass*g.Bodies()+body])
}

// SharersOfUnit are the permutations of a unit, ascending.
func (g *Graph) SharersOfUnit(unit int) []int {
	u := &g.Units[unit]
	out := make([]int, 0, u.Permutations)
	for p := range g.Permutations() {
		if g.Unit(p, u.Pass) == unit {
			out = append(out, p)
		}
	}
	return out
}

// Option is the option of an axis in a permutation.
func (g *Graph) Option(perm, axis int) int {
	return perm / g.stride[axis] % len(g.Axes[axis].Options)
}

// With is the permutation that differs from perm in having option at axis.
func (g *Graph) With(perm, axis, option int) int {
	return perm + (option-g.Option(perm, axis))*g.stride[axis]
}

// Default is the permutation of all defaults.
func (g *Graph) Default() int { return g.e.DefaultIndex() }

// Letters writes a number as letters: A to Z, AA, AB and so on.
func Letters(n int) string {
	var b [8]byte
	i := len(b)
	for n >= 0 && i > 0 {
		i--
		b[i] = byte('A' + n%26)
		n = n/26 - 1
	}
	return string(b[i:])
}

// Number is the inverse of Letters, in either case; -1 where s is no such text.
func Number(s string) int {
	n := 0
	if s == "" || len(s) > 6 {
		return -1
	}
	for _, c := range strings.ToUpper(s) {
		if c < 'A' || c > 'Z' {
			return -1
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}

// ShortOptions are the options of an axis without what they all begin with, up to a "_":
// HIGH for QUALITY_HIGH. Links accept them.
func ShortOptions(a *effect.Axis) []string {
	out := append([]string(nil), a.Options...)
	if len(out) < 2 {
		if len(out) == 1 {
			out[0] = strings.TrimPrefix(out[0], a.Name+"_")
		}
		return out
	}
	n := len(out[0])
	for _, o := range out[1:] {
		n = min(n, len(o))
		for i := range n {
			if o[i] != out[0][i] {
				n = i
				break
			}
		}
	}
	cut := strings.LastIndexByte(out[0][:n], '_') + 1
	for i, o := range out {
		if len(o) == cut {
			return append(out[:0], a.Options...) // an option would be empty
		}
		out[i] = o[cut:]
	}
	return out
}

// Options says which permutations a set of them is, axis by axis: one option, several,
// or "*" for all. exact is false where the set is not the product of these, so that the
// text names more permutations than there are.
func (g *Graph) Options(perms []int) (text []string, exact bool) {
	product := 1
	text = make([]string, len(g.Axes))
	for a := range g.Axes {
		n := len(g.Axes[a].Options)
		seen := make([]bool, n)
		count := 0
		for _, p := range perms {
			if o := g.Option(p, a); !seen[o] {
				seen[o] = true
				if count++; count == n {
					break
				}
			}
		}
		product *= count
		if count == n && n > 1 {
			text[a] = "*"
			continue
		}
		short := ShortOptions(&g.Axes[a])
		var names []string
		for o := range seen {
			if seen[o] {
				names = append(names, short[o])
			}
		}
		text[a] = strings.Join(names, "|")
	}
	return text, product == len(perms)
}

// PassNamed is the index of a pass, or -1.
func (g *Graph) PassNamed(name string) int {
	for i := range g.Passes {
		if g.Passes[i].Name == name {
			return i
		}
	}
	return -1
}
