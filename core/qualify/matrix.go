package qualify

import (
	"fmt"
	"slices"
	"strings"
)

// MatrixSchema names the form of a Matrix.
const MatrixSchema = "fxlens.matrix/1"

// Matrix compares two builds of one effect, such as Direct3D 11 and 12, permutation by
// permutation and pass by pass.
type Matrix struct {
	Schema string `json:"schema"`
	Status string `json:"status"` // qualified, unsupported or failed: see NewMatrix
	A      Side   `json:"a"`
	B      Side   `json:"b"`

	AxesMatch          bool       `json:"axesMatch"`
	AxesDifferences    []string   `json:"axesDifferences"`
	TopologyMatch      bool       `json:"topologyMatch"`
	TopologyMismatches int        `json:"topologyMismatches"` // permutations
	TopologyExamples   []Topology `json:"topologyExamples"`   // the first 20
	EmptyTechniques    []Kind     `json:"emptyTechniqueDifferences"`

	Permutations int      `json:"permutations"` // that both have
	Pairs        PassPair `json:"passes"`       // pass occurrences of the permutations with equal topology
	Unique       PassPair `json:"uniquePasses"` // each pair of contents once
	Variants     []Pair   `json:"variants"`     // by pass, then by first permutation
}

// Side is one of the two effects.
type Side struct {
	Path         string `json:"path"`
	SHA256       string `json:"sha256"`
	Status       Status `json:"status"`
	Version      uint32 `json:"version"`
	Axes         []Axis `json:"axes"`
	Permutations int    `json:"permutations"`
	Bodies       Tally  `json:"bodies"`
	Passes       Levels `json:"passes"`
	Stages       Levels `json:"stages"`
	Boundaries   []Kind `json:"boundaries"` // codes of errors, by stage occurrences
}

// Topology is a permutation whose passes or stages differ.
type Topology struct {
	Permutation int    `json:"permutation"`
	Options     string `json:"options"`
	A           string `json:"a"` // "Main.pass0:vertex+pixel"; empty: the effect has no such permutation
	B           string `json:"b"`
}

// PassPair counts pairs of passes.
type PassPair struct {
	Total       int `json:"total"`
	BothWhole   int `json:"bothQualified"`
	SameWGSL    int `json:"sameWGSL"`    // of those: every module is equal, byte for byte
	OnlyLayouts int `json:"otherLayout"` // of those with equal modules: the layouts differ
	OnlyA       int `json:"onlyA"`       // qualified in A alone
	OnlyB       int `json:"onlyB"`
	Neither     int `json:"neither"`
}

// Pair is one pass content of A with what B has in its place.
type Pair struct {
	Pass        string   `json:"pass"`        // "Main/0"
	Permutation int      `json:"permutation"` // the first one
	Options     string   `json:"options"`
	Occurrences int      `json:"occurrences"`
	UnitA       string   `json:"unitA"`
	UnitB       string   `json:"unitB"`
	StatusA     Status   `json:"statusA"`
	StatusB     Status   `json:"statusB"`
	SameProgram bool     `json:"samePrograms"`
	SameWGSL    bool     `json:"sameWGSL"`
	SameLayout  bool     `json:"sameLayout"`
	Differ      []string `json:"differ"`   // stages with other WGSL
	ReasonsA    []string `json:"reasonsA"` // codes of errors
	ReasonsB    []string `json:"reasonsB"`
}

// NewMatrix compares the results of two effects with all permutations. The status is
// failed where axes or topology differ or something failed, unsupported where a pass of
// either side is not whole, and qualified else. Other WGSL alone changes no status: two
// shader models are two programs. It fails on what is no effect.
func NewMatrix(a, b *File) (*Matrix, error) {
	for _, f := range []*File{a, b} {
		if f.Effect == nil {
			return nil, fmt.Errorf("%s is no compiled effect that can be read: %w", f.Path, ErrNoEffect)
		}
	}
	m := &Matrix{Schema: MatrixSchema, A: side(a), B: side(b), TopologyExamples: []Topology{}, EmptyTechniques: []Kind{}, Variants: []Pair{}}
	m.AxesDifferences = axesDifferences(a.Effect.Axes, b.Effect.Axes)
	m.AxesMatch = len(m.AxesDifferences) == 0
	m.Permutations = min(a.Effect.Permutations, b.Effect.Permutations)
	type pairKey struct {
		pass string
		a, b int
	}
	index := map[pairKey]int{}
	bodiesA, bodiesB := a.bodyTable(), b.bodyTable()
	for perm := range max(a.Effect.Permutations, b.Effect.Permutations) {
		x, y := at(bodiesA, perm), at(bodiesB, perm)
		ta, tb := a.topology(x), b.topology(y)
		if ta != tb {
			m.TopologyMismatches++
			if len(m.TopologyExamples) < 20 {
				m.TopologyExamples = append(m.TopologyExamples, Topology{perm, a.Effect.Options(perm), ta, tb})
			}
			continue
		}
		pa, pb := a.full(x), b.full(y)
		for i := range pa {
			k := pairKey{pa[i].Text(), pa[i].Unit, pb[i].Unit}
			n, ok := index[k]
			if !ok {
				n = len(m.Variants)
				index[k] = n
				p := pair(a.Units[pa[i].Unit], b.Units[pb[i].Unit])
				p.Pass, p.Permutation, p.Options = k.pass, perm, a.Effect.Options(perm)
				m.Variants = append(m.Variants, p)
				m.Unique.add(&p)
			}
			m.Variants[n].Occurrences++
			m.Pairs.add(&m.Variants[n])
		}
	}
	m.TopologyMatch = m.TopologyMismatches == 0
	m.EmptyTechniques = emptyDifferences(a, b)
	slices.SortStableFunc(m.Variants, func(x, y Pair) int { return strings.Compare(x.Pass, y.Pass) })
	switch {
	case !m.AxesMatch || !m.TopologyMatch || a.Status == Failed || b.Status == Failed:
		m.Status = "failed"
	case a.Status != Qualified || b.Status != Qualified:
		m.Status = "unsupported"
	default:
		m.Status = "qualified"
	}
	return m, nil
}

func (p *PassPair) add(v *Pair) {
	p.Total++
	wa, wb := v.StatusA == Qualified, v.StatusB == Qualified
	switch {
	case wa && wb:
		p.BothWhole++
		if v.SameWGSL {
			p.SameWGSL++
			if !v.SameLayout {
				p.OnlyLayouts++
			}
		}
	case wa:
		p.OnlyA++
	case wb:
		p.OnlyB++
	default:
		p.Neither++
	}
}

func side(f *File) Side {
	var z Summarizer
	z.Add(f)
	s := z.Summary()
	out := Side{
		Path: f.Path, SHA256: f.SHA256, Status: f.Status, Version: f.Effect.Version, Axes: f.Effect.Axes,
		Permutations: f.Effect.Permutations, Bodies: s.Bodies, Passes: s.Passes, Stages: s.Stages, Boundaries: []Kind{},
	}
	for _, r := range s.Reasons {
		out.Boundaries = append(out.Boundaries, Kind{r.Code, r.Occurrences})
	}
	return out
}

func axesDifferences(a, b []Axis) []string {
	out := []string{}
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			out = append(out, fmt.Sprintf("axis %d: only B has %s", i, b[i].Name))
		case i >= len(b):
			out = append(out, fmt.Sprintf("axis %d: only A has %s", i, a[i].Name))
		case a[i].Name != b[i].Name:
			out = append(out, fmt.Sprintf("axis %d: %s in A, %s in B", i, a[i].Name, b[i].Name))
		case !slices.Equal(a[i].Options, b[i].Options):
			out = append(out, fmt.Sprintf("%s: options %s in A, %s in B", a[i].Name, strings.Join(a[i].Options, " "), strings.Join(b[i].Options, " ")))
		case a[i].Default != b[i].Default:
			out = append(out, fmt.Sprintf("%s: default %d in A, %d in B", a[i].Name, a[i].Default, b[i].Default))
		case a[i].Type != b[i].Type:
			out = append(out, fmt.Sprintf("%s: type %d in A, %d in B", a[i].Name, a[i].Type, b[i].Type))
		}
	}
	return out
}

// bodyTable returns the body of every permutation.
func (f *File) bodyTable() []*Body {
	out := make([]*Body, f.Effect.Permutations)
	for i := range f.Bodies {
		for _, p := range f.Bodies[i].Permutations {
			if p >= 0 && p < len(out) {
				out[p] = &f.Bodies[i]
			}
		}
	}
	return out
}

func at(t []*Body, i int) *Body {
	if i < len(t) {
		return t[i]
	}
	return nil
}

// full returns the passes of a body that have stages: an empty technique is drawn by
// nobody.
func (f *File) full(b *Body) []BodyPass {
	if b == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.Passes), func(p BodyPass) bool { return len(f.Units[p.Unit].Stages) == 0 })
}

var longStage = map[string]string{
	"vs": "vertex", "ps": "pixel", "cs": "compute", "gs": "geometry", "hs": "hull", "ds": "domain", "lib": "library",
}

// topology is the passes of a body with their stages: "Main.pass0:vertex+pixel", joined
// by "|".
func (f *File) topology(b *Body) string {
	var parts []string
	for _, p := range f.full(b) {
		var stages []string
		for _, s := range f.Units[p.Unit].Stages {
			stages = append(stages, longStage[s.Stage])
		}
		parts = append(parts, fmt.Sprintf("%s.pass%d:%s", escape(p.Technique), p.Pass, strings.Join(stages, "+")))
	}
	return strings.Join(parts, "|")
}

func emptyDifferences(a, b *File) []Kind {
	count := func(f *File) map[string]int {
		m := map[string]int{}
		for i := range f.Bodies {
			for _, p := range f.Bodies[i].Passes {
				if len(f.Units[p.Unit].Stages) == 0 {
					m[p.Text()] += len(f.Bodies[i].Permutations)
				}
			}
		}
		return m
	}
	x, y := count(a), count(b)
	diff := map[string]int{}
	for k, n := range x {
		if n != y[k] {
			diff[fmt.Sprintf("%s: %d in A, %d in B", k, n, y[k])] = max(n-y[k], y[k]-n)
		}
	}
	for k, n := range y {
		if _, ok := x[k]; !ok {
			diff[fmt.Sprintf("%s: 0 in A, %d in B", k, n)] = n
		}
	}
	return ranked(diff, false)
}

// pair compares two units of one topology.
func pair(a, b *Unit) Pair {
	p := Pair{UnitA: a.Key, UnitB: b.Key, StatusA: a.Status, StatusB: b.Status, SameProgram: true, SameWGSL: true, Differ: []string{}}
	p.SameLayout = a.Layout == b.Layout
	for i := range a.Stages {
		x, y := &a.Stages[i], &b.Stages[i]
		p.SameProgram = p.SameProgram && x.Program == y.Program
		if x.WGSL != y.WGSL || x.WGSL == "" {
			p.SameWGSL = false
			p.Differ = append(p.Differ, x.Stage)
		}
	}
	p.ReasonsA, p.ReasonsB = a.errorCodes(), b.errorCodes()
	return p
}

func (u *Unit) errorCodes() []string {
	m := map[string]int{}
	for _, d := range u.Diagnostics {
		if d.Severity == "error" {
			m[d.Code]++
		}
	}
	return append([]string{}, sortedKeys(m)...)
}
