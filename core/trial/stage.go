package trial

import (
	"fmt"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// Stage is one translated stage with both of its executable forms.
type Stage struct {
	Name   string
	Shader *dxbc.Shader
	Func   *ir.Function
	Module *wgsl.Module
	Plan   *layout.Plan
	Prog   *interp.Program
	facts  *facts
}

// Stages returns the translated stages of a compiled pass.
func Stages(name string, p *compile.Pass) ([]*Stage, error) {
	var out []*Stage
	for _, s := range p.Stages {
		if s.Module == nil || s.Status != compile.Translated {
			continue
		}
		st, err := StageOf(name, p, s)
		if err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// StageOf returns one translated stage of a compiled pass. It fails where the
// interpreter does not run its program.
func StageOf(name string, p *compile.Pass, s *compile.Stage) (*Stage, error) {
	prog, err := interp.Compile(s.Shader, interp.CompileOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Stage{Name: name + "/" + s.Kind.String(), Shader: s.Shader, Func: s.Func, Module: s.Module, Plan: p.Plan, Prog: prog, facts: infer(s.Shader)}, nil
}

// visible reports whether the stage sees a binding.
func (s *Stage) visible(b *layout.Binding) bool {
	for _, v := range b.Visibility {
		if v == s.Module.Stage {
			return true
		}
	}
	return false
}
