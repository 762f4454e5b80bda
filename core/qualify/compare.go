package qualify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"fxlens/core/pack/cewgpu"
)

// CompareSchema names the form of a PackageComparison.
const CompareSchema = "fxlens.compare/1"

// PackageComparison is two folders of packages, file by file.
type PackageComparison struct {
	Schema    string        `json:"schema"`
	A         string        `json:"a"`
	B         string        `json:"b"`
	Identical int           `json:"identical"` // byte for byte
	Changed   int           `json:"changed"`
	Missing   int           `json:"missing"` // only in A
	Added     int           `json:"added"`   // only in B
	Packages  []PackageDiff `json:"packages"`

	// Untouched: of the packages that both have, the programs, binding layouts and
	// transforms are the same; what else differs is read by no device.
	ProgramsUntouched   bool `json:"programsUntouched"`
	LayoutsUntouched    bool `json:"layoutsUntouched"`
	TransformsUntouched bool `json:"transformsUntouched"`
	// BrowserRunDue: something that a browser executes is new or other than before, or
	// could not be compared.
	BrowserRunDue bool   `json:"browserRunDue"`
	Why           string `json:"why"`
}

// PackageDiff is one package that is not identical.
type PackageDiff struct {
	Path        string              `json:"path"`
	State       string              `json:"state"` // changed, missing, added
	Programs    string              `json:"programs,omitempty"`
	Layouts     string              `json:"layouts,omitempty"`
	Transforms  string              `json:"transforms,omitempty"` // untouched, changed, unknown
	Chunks      []string            `json:"chunks,omitempty"`     // tags whose bytes differ
	Differences []cewgpu.Difference `json:"differences,omitempty"`
	Reason      string              `json:"reason,omitempty"` // why the meaning could not be compared
}

// maxDifferences is how many differences of one package a comparison lists.
const maxDifferences = 20

// ComparePackages compares the packages of two folders by the same names, which are
// sorted. read returns one of them: side 0 is A. It fails when read does, or ctx ends.
func ComparePackages(ctx context.Context, a, b []string, read func(side int, name string) ([]byte, error)) (*PackageComparison, error) {
	c := &PackageComparison{Schema: CompareSchema, Packages: []PackageDiff{}, ProgramsUntouched: true, LayoutsUntouched: true, TransformsUntouched: true}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		switch {
		case j >= len(b) || i < len(a) && a[i] < b[j]:
			c.Missing++
			c.Packages = append(c.Packages, PackageDiff{Path: a[i], State: "missing"})
			i++
			continue
		case i >= len(a) || b[j] < a[i]:
			c.Added++
			c.Packages = append(c.Packages, PackageDiff{Path: b[j], State: "added"})
			j++
			continue
		}
		x, err := read(0, a[i])
		if err != nil {
			return nil, err
		}
		y, err := read(1, b[j])
		if err != nil {
			return nil, err
		}
		if bytes.Equal(x, y) {
			c.Identical++
		} else {
			d := diffPackages(a[i], x, y)
			c.Changed++
			c.ProgramsUntouched = c.ProgramsUntouched && d.Programs == untouched
			c.LayoutsUntouched = c.LayoutsUntouched && d.Layouts == untouched
			c.TransformsUntouched = c.TransformsUntouched && d.Transforms == untouched
			c.Packages = append(c.Packages, d)
		}
		i++
		j++
	}
	c.verdict()
	return c, nil
}

func (c *PackageComparison) verdict() {
	same := c.ProgramsUntouched && c.LayoutsUntouched && c.TransformsUntouched
	switch {
	case !same:
		c.BrowserRunDue, c.Why = true, "programs, binding layouts or transforms of packages that both have differ, or could not be compared"
	case c.Added > 0:
		c.BrowserRunDue, c.Why = true, "there are packages that A does not have"
	case c.Identical+c.Changed == 0:
		c.BrowserRunDue, c.Why = true, "there is no package that both have"
	case c.Changed == 0:
		c.Why = "every package of B is identical to A's, byte for byte"
	default:
		c.Why = "what differs is read by no device: programs, binding layouts and transforms are byte for byte those of A"
	}
}

const (
	untouched = "untouched"
	changed   = "changed"
	unknown   = "unknown"
)

func diffPackages(name string, x, y []byte) PackageDiff {
	d := PackageDiff{Path: name, State: changed, Programs: unknown, Layouts: unknown, Transforms: unknown}
	a, errA := cewgpu.Open(x)
	b, errB := cewgpu.Open(y)
	if errA != nil || errB != nil {
		d.Reason = fmt.Sprintf("not two valid CEWGPU packages: %v", cmpErr(errA, errB))
		return d
	}
	for _, c := range a.Chunks {
		if o, ok := b.Chunk(c.Tag); !ok || !bytes.Equal(o.Data, c.Data) {
			d.Chunks = append(d.Chunks, c.Tag)
		}
	}
	for _, c := range b.Chunks {
		if _, ok := a.Chunk(c.Tag); !ok {
			d.Chunks = append(d.Chunks, c.Tag)
		}
	}
	d.Differences = cewgpu.Diff(a, b, maxDifferences)
	p, errA := executed(a)
	q, errB := executed(b)
	if errA != nil || errB != nil {
		d.Reason = fmt.Sprintf("what they execute could not be read: %v", cmpErr(errA, errB))
		return d
	}
	for i, out := range []*string{&d.Programs, &d.Layouts, &d.Transforms} {
		*out = changed
		if bytes.Equal(p[i], q[i]) {
			*out = untouched
		}
	}
	return d
}

// executed returns what of a package reaches a device, as documents: programs, binding
// layouts, transforms. Source maps and diagnostics are not among them; which permutation
// has which programs is.
func executed(p *cewgpu.Package) (out [3][]byte, err error) {
	if p.Kind != cewgpu.EffectPackage {
		return out, fmt.Errorf("it is a %s package", p.Kind)
	}
	type unit struct {
		Key        string
		Shaders    []cewgpu.Shader
		Layouts    []cewgpu.Layout
		Transforms []cewgpu.ResourceTransform
	}
	var units []unit
	w, err := p.WGSL()
	if err != nil {
		return out, err
	}
	units = append(units, unit{"", w.Shaders, w.Layouts, w.ResourceTransforms})
	var bodies []cewgpu.BodyPrograms
	if _, ok := p.Chunk("WGSB"); ok {
		s, err := p.BodySet()
		if err != nil {
			return out, err
		}
		bodies = s.Bodies
		for _, u := range s.PassUnits {
			units = append(units, unit{u.Key, u.Shaders, u.Layouts, u.ResourceTransforms})
		}
	}
	var docs [3][]any
	docs[0] = append(docs[0], bodies)
	for _, u := range units {
		shaders := slices.Clone(u.Shaders)
		for i := range shaders {
			shaders[i].SourceMap = nil
		}
		docs[0] = append(docs[0], u.Key, shaders)
		docs[1] = append(docs[1], u.Key, u.Layouts)
		docs[2] = append(docs[2], u.Key, u.Transforms)
	}
	for i := range docs {
		if out[i], err = json.Marshal(docs[i]); err != nil {
			return out, err
		}
	}
	return out, nil
}
