package carbon

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

// FormatName is what views call the container.
const FormatName = "CARBON_WEBGPU"

// GenericReason stands for the reason of an untranslated body, which a container
// does not keep.
const GenericReason = "the body has no complete WGSL in this container; the reason is not stored"

// Info is the view of what the container is.
type Info struct {
	Format              string        `json:"format"`
	EffectVersion       int           `json:"effectVersion"`
	PackageKind         string        `json:"packageKind"`
	ByteLength          int           `json:"byteLength"`
	SHA256              string        `json:"sha256"`
	PermutationCount    int           `json:"permutationCount"`
	UniqueBodyCount     int           `json:"uniqueBodyCount"`
	TranslatedBodyCount int           `json:"translatedBodyCount"` // every pass that has stages has its modules
	SelectedPermutation int           `json:"selectedPermutation"`
	StageCount          int           `json:"stageCount"` // of the selected body
	ShaderCount         int           `json:"shaderCount"`
	LayoutCount         int           `json:"layoutCount"`
	BlockCount          int           `json:"blockCount"` // of all bodies
	Completeness        *Completeness `json:"completeness"`
}

// Completeness is what the format can claim: the source programs are gone, so that
// a container never says that its source is complete.
type Completeness struct {
	PackageValid    bool `json:"packageValid"`
	BackendComplete bool `json:"backendComplete"`
	RuntimeComplete bool `json:"runtimeComplete"`
}

// Graph is the view of the permutations: the document of a CEWGPU package with the
// places and digests of the container's own bodies.
type Graph struct {
	Format        string               `json:"format"`
	FormatVersion int                  `json:"formatVersion"`
	Coverage      cewgpu.GraphCoverage `json:"coverage"`
	Axes          []cewgpu.GraphAxis   `json:"axes"`
	Variants      []cewgpu.Variant     `json:"variants"`
	Bodies        []GraphBody          `json:"bodies"`
}

// GraphBody is one distinct body.
type GraphBody struct {
	cewgpu.GraphBody
	Offset           int `json:"offset"` // in the container
	PermutationCount int `json:"permutationCount"`
}

// Metadata is the view of the selection.
type Metadata struct {
	EffectName      string                `json:"effectName"`
	BodyIndex       int                   `json:"bodyIndex"`
	SelectedOptions []Option              `json:"selectedOptions"`
	WGSLSelection   *cewgpu.WGSLSelection `json:"wgslSelection,omitempty"` // exactly one of several passes has modules
}

// Option is the option of one axis.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SelectedPermutation is what a container says about the selection, which it does
// not store: the permutation of the only body with modules, else the default one.
func (f *File) SelectedPermutation() int {
	def := f.Effect.DefaultIndex()
	with := -1
	for i := range f.Bodies {
		if f.translatedPasses(i) == 0 {
			continue
		}
		if with >= 0 {
			return def
		}
		with = i
	}
	if with < 0 || f.BodyOf(def) == with {
		return def
	}
	return f.Bodies[with].Permutations[0]
}

// passRef is a pass that has stages.
type passRef struct {
	technique, pass int
	name            string
	translated      bool // each of its stages has a program
}

// passes lists the passes of a body that have stages.
func (f *File) passes(body int) []passRef {
	content, err := f.content(body)
	if err != nil {
		return nil
	}
	var out []passRef
	for t := range content.Techniques {
		for p := range content.Techniques[t].Passes {
			stages := content.Techniques[t].Passes[p].Stages
			if len(stages) == 0 {
				continue
			}
			out = append(out, passRef{t, p, lenient(content.Techniques[t].Name),
				!slices.ContainsFunc(stages, func(s effect.Stage) bool { return len(s.Program) == 0 })})
		}
	}
	return out
}

func (f *File) translatedPasses(body int) int {
	n := 0
	for _, p := range f.passes(body) {
		if p.translated {
			n++
		}
	}
	return n
}

// Translated reports whether every pass of a body that has stages has its modules.
func (f *File) Translated(body int) bool {
	n := f.translatedPasses(body)
	return n > 0 && n == len(f.passes(body))
}

// Info returns the view of what the container is.
func (f *File) Info() *Info {
	perm := f.SelectedPermutation()
	v := &Info{Format: FormatName, EffectVersion: int(f.Effect.Version), PackageKind: "tr2-effect-webgpu", ByteLength: len(f.Data),
		SHA256: hex.EncodeToString(f.SHA256[:]), PermutationCount: len(f.bodyOf), UniqueBodyCount: len(f.Bodies), SelectedPermutation: perm,
		Completeness: &Completeness{PackageValid: true}}
	for i := range f.Bodies {
		if f.Translated(i) {
			v.TranslatedBodyCount++
		}
		for _, m := range f.Bodies[i].passes {
			if !m.ref.none() {
				v.BlockCount++
			}
		}
	}
	if content, err := f.content(f.BodyOf(perm)); err == nil {
		for t := range content.Techniques {
			for p := range content.Techniques[t].Passes {
				v.StageCount += len(content.Techniques[t].Passes[p].Stages)
			}
		}
	}
	if set, ds := f.WGSL(perm); !diag.HasErrors(ds) {
		v.ShaderCount, v.LayoutCount = len(set.Shaders), len(set.Layouts)
	}
	return v
}

// Graph returns the view of the permutations.
func (f *File) Graph() *Graph {
	g := &Graph{Format: "CJS_EFFECT_PERMUTATION_GRAPH", FormatVersion: 1,
		Coverage: cewgpu.GraphCoverage{Permutations: "complete", Bodies: "identity-only", Reflection: "absent"},
		Axes:     make([]cewgpu.GraphAxis, len(f.Effect.Axes)), Variants: make([]cewgpu.Variant, len(f.bodyOf)), Bodies: make([]GraphBody, len(f.Bodies))}
	for i := range f.Effect.Axes {
		a := &f.Effect.Axes[i]
		options := make([]string, len(a.Options))
		for j, o := range a.Options {
			options[j] = lenient(o)
		}
		g.Axes[i] = cewgpu.GraphAxis{Index: i, Name: lenient(a.Name), Options: options, DefaultOption: a.Default, Description: lenient(a.Description), Type: int(a.Type)}
	}
	for p := range g.Variants {
		r := f.records[p]
		g.Variants[p] = cewgpu.Variant{PermutationIndex: p, OptionIndices: f.Effect.Choice(p), BodyKey: f.Bodies[f.bodyOf[p]].Key,
			SourceRecord: cewgpu.SourceRecord{Offset: int(r.Offset), ByteLength: int(r.Size)}}
	}
	for i := range f.Bodies {
		b := &f.Bodies[i]
		g.Bodies[i] = GraphBody{cewgpu.GraphBody{Key: b.Key, ByteLength: b.Size, SHA256: hex.EncodeToString(b.SHA256[:])}, b.Offset, len(b.Permutations)}
	}
	return g
}

// Metadata returns the view of the selection of a permutation.
func (f *File) Metadata(name string, perm int) *Metadata {
	m := &Metadata{EffectName: name, BodyIndex: perm, SelectedOptions: []Option{}}
	for i, c := range f.Effect.Choice(perm) {
		a := &f.Effect.Axes[i]
		m.SelectedOptions = append(m.SelectedOptions, Option{lenient(a.Name), lenient(a.Options[c])})
	}
	body := f.BodyOf(perm)
	if body < 0 {
		return m
	}
	passes := f.passes(body)
	if len(passes) > 1 && f.translatedPasses(body) == 1 {
		only := passes[slices.IndexFunc(passes, func(p passRef) bool { return p.translated })]
		m.WGSLSelection = &cewgpu.WGSLSelection{Mode: "explicit", CompletePasses: true, TechniqueName: only.name, PassIndex: &only.pass,
			RequestedStageNames: []string{}, SelectedStageKeys: []string{}}
		if content, err := f.content(body); err == nil {
			for _, s := range byType(content.Techniques[only.technique].Passes[only.pass].Stages) {
				m.WGSLSelection.SelectedStageKeys = append(m.WGSLSelection.SelectedStageKeys, passKey(only.name, only.pass)+"."+s.Type.String())
			}
		}
	}
	return m
}

// WGSL returns the modules and layouts of a permutation: the document of a package,
// without source maps. Passes that have programs but no usable block are missing
// from it and in the diagnostics.
func (f *File) WGSL(perm int) (*cewgpu.WGSLSet, []diag.Diag) {
	set := &cewgpu.WGSLSet{Format: "CJS_WGSL_SET", FormatVersion: 2, Shaders: []cewgpu.Shader{}, Layouts: []cewgpu.Layout{}}
	body := f.BodyOf(perm)
	if body < 0 {
		return set, []diag.Diag{diag.New(diag.Error, ruleNothing, diag.Loc{}, "there is no permutation %d: there are %d", perm, len(f.bodyOf))}
	}
	var ds []diag.Diag
	passes := f.passes(body)
	slices.SortStableFunc(passes, func(a, b passRef) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.pass, b.pass)) })
	for _, ref := range passes {
		p, more := f.Translation(body, ref.technique, ref.pass)
		ds = append(ds, more...)
		if p == nil {
			continue
		}
		set.Shaders = append(set.Shaders, p.Shaders...)
		set.Layouts = append(set.Layouts, p.Layout)
		set.ResourceTransforms = append(set.ResourceTransforms, p.Transforms...)
	}
	if len(set.ResourceTransforms) > 0 {
		set.FormatVersion = 3
	}
	return set, ds
}

// BodySet returns the view of all bodies: one unit for each pass of each translated
// body, none shared.
func (f *File) BodySet() (*cewgpu.BodySet, []diag.Diag) {
	s := &cewgpu.BodySet{Format: "CJS_WGSL_BODY_SET", FormatVersion: 1, Coverage: cewgpu.BodySetCoverage{Bodies: "all-unique", Programs: "complete-for-translated"},
		PassUnits: []cewgpu.PassUnit{}, Bodies: []cewgpu.BodyPrograms{}}
	var ds []diag.Diag
	for i := range f.Bodies {
		b := &f.Bodies[i]
		rec := cewgpu.BodyPrograms{BodyKey: b.Key, RepresentativePermutationIndex: b.Permutations[0], Status: "translated", Passes: []cewgpu.BodyPass{}}
		var units []cewgpu.PassUnit
		whole := f.Translated(i)
		if whole {
			for _, ref := range f.passes(i) {
				p, more := f.Translation(i, ref.technique, ref.pass)
				ds = append(ds, more...)
				if p == nil {
					whole = false
					break
				}
				set := cewgpu.WGSLSet{Format: "CJS_WGSL_SET", FormatVersion: 2, Shaders: p.Shaders, Layouts: []cewgpu.Layout{p.Layout}, ResourceTransforms: p.Transforms}
				if len(p.Transforms) > 0 {
					set.FormatVersion = 3
				}
				doc, err := marshal(set)
				if err != nil {
					whole = false
					break
				}
				units = append(units, cewgpu.PassUnit{Key: fmt.Sprintf("unit%d", len(s.PassUnits)+len(units)), SHA256: digest(doc), WGSLSetVersion: set.FormatVersion,
					Shaders: set.Shaders, Layouts: set.Layouts, ResourceTransforms: set.ResourceTransforms})
				rec.Passes = append(rec.Passes, cewgpu.BodyPass{PassKey: p.Layout.Key, UnitKey: units[len(units)-1].Key})
			}
		}
		if whole {
			s.PassUnits = append(s.PassUnits, units...)
			s.TranslatedBodyCount++
		} else {
			reason := GenericReason
			rec.Status, rec.Error, rec.Passes = "unsupported", &reason, []cewgpu.BodyPass{}
			s.Coverage.Bodies = "partial"
		}
		rec.PassCount = len(rec.Passes)
		s.Bodies = append(s.Bodies, rec)
	}
	s.BodyCount, s.PassUnitCount = len(s.Bodies), len(s.PassUnits)
	return s, ds
}

// Analysis returns the view of the registers, inputs and states of a permutation:
// the document of a package, in which the bytecode is the WGSL and a stage that is
// not translated has none. It fails with a *cewgpu.BuildError where the document
// cannot describe the body, such as one with a geometry stage, and with ctx's error.
func (f *File) Analysis(ctx context.Context, perm int, label string) (*cewgpu.Analysis, error) {
	if perm < 0 || perm >= len(f.bodyOf) {
		return nil, refuse(ruleNothing, "there is no permutation %d: there are %d", perm, len(f.bodyOf))
	}
	t := &toPackage{f: f, o: ToOptions{Permutation: perm, Label: label}}
	_, _, analysis, err := t.documents(ctx)
	return analysis, err
}
