package gate

import (
	"fmt"
	"slices"

	"fxlens/core/pack/cewgpu"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
	"fxlens/core/wgsl/syntax"
)

// Variants are the variants of a package of shader variants as passes, by their labels:
// each with its modules and the bindings that it has, or shares with all of its shader.
// A module that serves a whole shader gives its first entry point of each stage.
func Variants(b *bundle.Opened) []Pass {
	type source struct {
		text string
		m    *syntax.Module
		errs syntax.Errors
	}
	read := make([]*source, len(b.Modules))
	var out []Pass
	for i := range b.Variants {
		v := &b.Variants[i]
		sh := &b.Shaders[v.Shader]
		p := Pass{Key: v.Label, Groups: []Group{}, Features: []string{}, Limits: map[string]int{}}
		bindings := v.Bindings
		if len(bindings) == 0 {
			bindings = sh.Bindings
		}
		for _, x := range bindings {
			p.bind(x.Group, &cewgpu.Binding{Binding: x.Binding, Visibility: x.Visibility, Buffer: (*cewgpu.BufferLayout)(x.Buffer),
				Texture: (*cewgpu.TextureLayout)(x.Texture), Sampler: (*cewgpu.SamplerLayout)(x.Sampler), StorageTexture: (*cewgpu.StorageTexture)(x.Storage)})
		}
		for _, use := range v.Modules {
			s := read[use.Module]
			if s == nil {
				s = &source{text: b.Modules[use.Module].Text()}
				s.m, s.errs = syntax.Validate(s.text)
				read[use.Module] = s
			}
			p.variant(sh, use, s.text, s.m, s.errs)
		}
		slices.Sort(p.Features)
		out = append(out, p)
	}
	return out
}

// variant adds the module of one use.
func (p *Pass) variant(sh *bundle.Shader, use bundle.Stage, text string, m *syntax.Module, errs syntax.Errors) {
	type stage struct{ stage, entry string }
	var stages []stage
	switch {
	case use.Stage != "":
		stages = []stage{{use.Stage, use.EntryPoint}}
	case m == nil || errs.Fatal() || len(m.EntryPoints) == 0:
		stages = []stage{{"vertex", "main"}} // the browser says what is wrong with it
		if sh.Type == "compute" {
			stages[0].stage = "compute"
		}
	default:
		for _, e := range m.EntryPoints {
			if !slices.ContainsFunc(stages, func(s stage) bool { return s.stage == e.Stage }) {
				stages = append(stages, stage{e.Stage, e.Name})
			}
		}
	}
	if m != nil {
		p.require(m)
	}
	for _, s := range stages {
		p.Modules = append(p.Modules, Module{Key: fmt.Sprintf("%s.%s", p.Key, s.stage), Stage: s.stage, EntryPoint: s.entry, Code: text})
		e := entry(m, errs, s.entry)
		if e == nil {
			continue
		}
		switch s.stage {
		case "vertex":
			p.Vertex = vertexBuffer(located(e.Inputs))
		case "fragment":
			p.Targets = targets(located(e.Outputs))
			for i, t := range sh.Targets {
				if i < len(p.Targets) && p.Targets[i] != "" {
					p.Targets[i] = t.Format
				}
			}
		}
	}
}

// require adds the device's features that a module enables.
func (p *Pass) require(m *syntax.Module) {
	known := variant.DeviceFeatures()
	for _, d := range m.File.Directives {
		if d.Kind != "enable" {
			continue
		}
		for _, n := range d.Names {
			if f := known[n.Text]; f != "" && !slices.Contains(p.Features, f) {
				p.Features = append(p.Features, f)
			}
		}
	}
}
