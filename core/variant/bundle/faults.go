package bundle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl/syntax"
)

// CodeModule is the code of a module that is no valid WGSL, or not what a variant says.
var CodeModule = diag.Register(diag.Info{Code: "bundle.module", Title: "a module of a variant is not what it must be",
	Rule:   "Every module is valid WGSL, has the entry points that variants name, or those of its shader's type, and reads no binding that the shader does not declare.",
	Remedy: "mend the chunk that the text comes from and build the package again with fxlens switches build"})

// Faults is what the front end says about every module, and where a module has no entry
// point or binding that a variant which uses it needs. It fails with ctx's error alone.
func (o *Opened) Faults(ctx context.Context) ([]cewgpu.Finding, error) {
	texts := make([]string, len(o.Modules))
	for i := range texts {
		texts[i] = o.Modules[i].Text()
	}
	found := make([][]cewgpu.Finding, len(texts))
	err := syntax.Each(ctx, texts, func(i int, m *syntax.Module, errs syntax.Errors) {
		add := func(sev diag.Severity, format string, args ...any) {
			found[i] = append(found[i], cewgpu.NewFinding(sev, CodeModule, "WGSL", fmt.Sprintf("modules[%d]", i), -1, fmt.Sprintf(format, args...)))
		}
		for k, e := range errs {
			if k == maxFaults {
				add(diag.Error, "%d more findings follow", len(errs)-k)
				break
			}
			sev := diag.Error
			if e.Warning {
				sev = diag.Warning
			}
			add(sev, "%s: line %d, column %d: %s", o.users(i), e.Line, e.Col, e.Msg)
		}
		if m == nil || errs.Fatal() {
			return
		}
		said := map[string]bool{}
		for v := range o.Variants {
			for _, use := range o.Variants[v].Modules {
				if use.Module != i {
					continue
				}
				if why := o.misuse(v, use, m); why != "" && !said[why] {
					said[why] = true
					add(diag.Error, "%s: %s", o.Variants[v].Label, why)
				}
			}
		}
	})
	return slices.Concat(found...), err
}

// maxFaults bounds the findings of one module.
const maxFaults = 20

// users names the variants of a module: the first one, and how many more.
func (o *Opened) users(module int) string {
	first, n := "", 0
	for i := range o.Variants {
		if slices.ContainsFunc(o.Variants[i].Modules, func(s Stage) bool { return s.Module == module }) {
			if n++; n == 1 {
				first = o.Variants[i].Label
			}
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s and %d more", first, n-1)
	}
	return first
}

// misuse says what a variant wants of a module that it does not have, or is empty.
func (o *Opened) misuse(v int, use Stage, m *syntax.Module) string {
	shader := &o.Shaders[o.Variants[v].Shader]
	stages := []string{use.Stage}
	if use.Stage == "" {
		stages = []string{"vertex", "fragment"}
		if shader.Type == "compute" {
			stages = []string{"compute"}
		}
	}
	bindings := o.Variants[v].Bindings
	if len(bindings) == 0 {
		bindings = shader.Bindings
	}
	for _, stage := range stages {
		i := slices.IndexFunc(m.EntryPoints, func(e *syntax.EntryPoint) bool {
			return e.Stage == stage && (use.EntryPoint == "" || e.Name == use.EntryPoint)
		})
		if i < 0 {
			return strings.TrimSpace("no entry point for stage " + stage + " " + use.EntryPoint)
		}
		for _, b := range m.EntryPoints[i].Bindings {
			k := slices.IndexFunc(bindings, func(x Binding) bool { return x.Group == b.Group && x.Binding == b.Binding })
			switch {
			case k < 0:
				return fmt.Sprintf("stage %s uses %s at group %d binding %d, which is not declared", stage, b.Name, b.Group, b.Binding)
			case !slices.Contains(bindings[k].Visibility, stage):
				return fmt.Sprintf("stage %s uses %s at group %d binding %d, which it does not see", stage, b.Name, b.Group, b.Binding)
			}
		}
	}
	return ""
}
