package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/syntax"
)

var codeModule = diag.Register(diag.Info{
	Code:   "session.module",
	Title:  "a stored module is no valid WGSL",
	Rule:   "every module of a package is WGSL that an implementation takes without a message; the front end of fxlens judges it, which agrees with Tint on all that it was compared on",
	Remedy: "build the package again from its effect; where the text was written by hand, mend the line that is named",
})

// maxFaults bounds the findings of one module: what follows from one slip is noise.
const maxFaults = 20

// faults are the findings of one module as diagnostics, the first ones. m, which may be
// nil, says which instruction a place of the text belongs to.
func faults(errs syntax.Errors, m *wgsl.Module, at diag.Loc) []diag.Diag {
	var out []diag.Diag
	for i, e := range errs {
		if i == maxFaults {
			out = append(out, diag.New(diag.Error, codeModule, at, "WGSL: %d more findings follow", len(errs)-i))
			break
		}
		sev := diag.Error
		if e.Warning {
			sev = diag.Warning
		}
		at := at
		if m != nil {
			if k := sort.Search(len(m.Tokens), func(k int) bool { return int(m.Tokens[k].Off) > e.Pos }); k > 0 {
				at.Instr = int(m.Tokens[k-1].Instr) + 1
			}
		}
		d := diag.New(sev, codeModule, at, "WGSL line %d, column %d: %s", e.Line, e.Col, e.Msg)
		for _, n := range e.Notes {
			d.Text += fmt.Sprintf("; line %d: %s", n.Line, n.Msg)
		}
		out = append(out, d)
	}
	return out
}

// storedFaults are the findings of a module of this pass that was not made just now.
func storedFaults(m *wgsl.Module) []diag.Diag {
	_, errs := syntax.Validate(m.Code)
	return faults(errs, m, diag.Loc{})
}

// ModuleFaults is what the front end says about the text of a module.
func ModuleFaults(code string) []diag.Diag {
	_, errs := syntax.Validate(code)
	return faults(errs, nil, diag.Loc{})
}

// text is one module of a file, and where it stands.
type text struct {
	chunk, path, code string
}

// CheckModules is what the front end says about every module of a package, each distinct
// one once: those of the selected body, of all bodies, and the text of a generic
// container's WGSL chunk. Findings are in the order of the modules. It fails with ctx's
// error, and as the package's documents do.
func CheckModules(ctx context.Context, p *cewgpu.Package) ([]cewgpu.Finding, error) {
	var list []text
	if p.Kind != cewgpu.EffectPackage {
		if c, ok := p.Chunk("WGSL"); ok && cewgpu.FileName(0, c) == "00-WGSL.wgsl" && utf8.Valid(c.Data) {
			list = append(list, text{"WGSL", "", string(c.Data)})
		}
		return checkTexts(ctx, list)
	}
	if !p.Valid() {
		return nil, fmt.Errorf("checking modules: %w", cewgpu.ErrNotValid)
	}
	add := func(chunk, path string, shaders []cewgpu.Shader) {
		for i := range shaders {
			list = append(list, text{chunk, fmt.Sprintf("%sshaders[%d].code", path, i), shaders[i].Code})
		}
	}
	if _, ok := p.Chunk("WGSL"); ok {
		set, err := p.WGSL()
		if err != nil {
			return nil, err
		}
		add("WGSL", "", set.Shaders)
	}
	if _, ok := p.Chunk("WGSB"); ok {
		bodies, err := p.BodySet()
		if err != nil {
			return nil, err
		}
		for i := range bodies.PassUnits {
			add("WGSB", fmt.Sprintf("passUnits[%d].", i), bodies.PassUnits[i].Shaders)
		}
	}
	return checkTexts(ctx, list)
}

// CheckContainer is CheckModules for a container: the program slots of every body.
func CheckContainer(ctx context.Context, f *carbon.File) ([]cewgpu.Finding, error) {
	var list []text
	for _, b := range f.Bodies {
		body, err := f.Effect.Body(b.Permutations[0])
		if err != nil {
			return nil, err
		}
		for t := range body.Techniques {
			for p := range body.Techniques[t].Passes {
				for _, s := range body.Techniques[t].Passes[p].Stages {
					switch s.Type {
					case effect.Vertex, effect.Pixel, effect.Compute:
						if len(s.Program) > 0 {
							at := diag.Loc{Permutation: f.Effect.OptionString(b.Permutations[0])}.InStage(body.Techniques[t].Name, p, s.Type.Short())
							list = append(list, text{"", at.String(), string(s.Program)})
						}
					}
				}
			}
		}
	}
	return checkTexts(ctx, list)
}

func checkTexts(ctx context.Context, list []text) ([]cewgpu.Finding, error) {
	sources := make([]string, len(list))
	for i := range list {
		sources[i] = list[i].code
	}
	type found struct {
		at int
		ds []diag.Diag
	}
	var bad []found
	err := syntax.Each(ctx, sources, func(i int, _ *syntax.Module, errs syntax.Errors) {
		if len(errs) > 0 {
			bad = append(bad, found{i, faults(errs, nil, diag.Loc{})})
		}
	})
	slices.SortFunc(bad, func(a, b found) int { return cmp.Compare(a.at, b.at) })
	var out []cewgpu.Finding
	for _, f := range bad {
		for _, d := range f.ds {
			out = append(out, cewgpu.Finding{Rule: d.Code, Severity: d.Sev, Chunk: list[f.at].chunk, Path: list[f.at].path, Offset: -1, Reason: d.Text, Remedy: d.Remedy})
		}
	}
	return out, err
}
