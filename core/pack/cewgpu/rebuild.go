package cewgpu

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/effect"
)

// Rebuilt is the effect that a package describes, as far as it does.
type Rebuilt struct {
	// Effect is a version 15 effect with the package's axes, permutations and
	// bodies. Offsets and digests in it are of a file that does not exist.
	Effect   *effect.Effect
	Selected int // the permutation of Effect that META names
	// Programs says that source programs are in it, in every body that is described.
	Programs bool
	// Complete says that every body is described. Else it is the selected one
	// alone, and the others are empty.
	Complete bool
}

// Rebuild makes the effect that a package describes: from its reflection where it
// has one, else the selected body from its analysis, without programs and defaults.
// It fails on what no effect can hold, with ctx's error, or with ErrNotValid.
func (p *Package) Rebuild(ctx context.Context) (*Rebuilt, error) {
	if p.Kind != EffectPackage || p.invalid {
		return nil, fmt.Errorf("rebuilding an effect: %w", ErrNotValid)
	}
	out := &Rebuilt{}
	m, err := p.model(ctx, out)
	if err != nil {
		return nil, fmt.Errorf("rebuilding an effect: %w", err)
	}
	raw, err := effect.Build(m)
	if err != nil {
		return nil, fmt.Errorf("rebuilding an effect: %w", err)
	}
	if out.Effect, err = effect.Parse(raw); err != nil {
		return nil, fmt.Errorf("rebuilding an effect: %w", err)
	}
	return out, nil
}

func (p *Package) model(ctx context.Context, out *Rebuilt) (*effect.Model, error) {
	meta, err := p.Meta()
	if err != nil {
		return nil, err
	}
	m := &effect.Model{SourceHash: strings.Repeat("0", 32)}
	graph, err := p.Graph()
	if errors.Is(err, ErrNoChunk) {
		// INFO version 1: there is one permutation, whose options META names.
		for _, o := range meta.SelectedOptions {
			m.Axes = append(m.Axes, effect.Axis{Name: o.Name, Options: []string{o.Value}})
		}
		body, err := p.analysisBody()
		m.Bodies = []*effect.Body{body}
		return m, err
	}
	if err != nil {
		return nil, err
	}
	m.Axes = each(graph.Axes, func(a *GraphAxis) effect.Axis {
		return effect.Axis{Name: a.Name, Description: a.Description, Default: a.DefaultOption, Type: uint8(a.Type), Options: a.Options}
	})
	m.Bodies = make([]*effect.Body, len(graph.Variants))
	out.Selected = meta.BodyIndex
	if r, err := p.Reflection(); err == nil {
		out.Programs, out.Complete = true, r.FormatVersion == 2
		binary.LittleEndian.PutUint32(m.CompilerVersion[:], r.Source.CompilerVersion)
	}
	bodies := map[string]*effect.Body{}
	empty := &effect.Body{}
	selected := graph.Variants[meta.BodyIndex].BodyKey
	for i := range graph.Variants {
		v := &graph.Variants[i]
		body, ok := bodies[v.BodyKey]
		if !ok {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			switch {
			case out.Complete || out.Programs && v.BodyKey == selected:
				perm := i
				if !out.Complete {
					perm = meta.BodyIndex
				}
				doc, err := p.PortableReflection(perm)
				if err != nil {
					return nil, err
				}
				if body, err = doc.Effect.Body(); err != nil {
					return nil, err
				}
				if hash := doc.Source.NativeHash.Data; len(hash) == len(m.SourceHash) {
					m.SourceHash = string(hash)
				}
			case v.BodyKey == selected:
				var err error
				if body, err = p.analysisBody(); err != nil {
					return nil, err
				}
			default:
				body = empty
			}
			bodies[v.BodyKey] = body
		}
		m.Bodies[i] = body
	}
	return m, nil
}

// analysisBody makes the selected body of the analysis. Defaults, programs and
// annotations of what no stage binds are not in it.
func (p *Package) analysisBody() (*effect.Body, error) {
	a, err := p.Analysis()
	if err != nil {
		return nil, err
	}
	b := &effect.Body{}
	passes := map[[2]any][2]int{}
	for i := range a.Passes {
		q := &a.Passes[i]
		t := slices.IndexFunc(b.Techniques, func(t effect.Technique) bool { return t.Name == q.TechniqueName })
		if t < 0 {
			t = len(b.Techniques)
			b.Techniques = append(b.Techniques, effect.Technique{Name: q.TechniqueName})
		}
		tech := &b.Techniques[t]
		passes[[2]any{q.TechniqueName, q.PassIndex}] = [2]int{t, len(tech.Passes)}
		tech.Passes = append(tech.Passes, effect.Pass{States: each(q.States, func(s *RenderState) effect.RenderState {
			return effect.RenderState{State: s.State, Value: s.Value}
		})})
	}
	groups := map[string]bool{}
	for i := range a.Stages {
		s := &a.Stages[i]
		at, ok := passes[[2]any{s.TechniqueName, s.PassIndex}]
		if !ok {
			return nil, fmt.Errorf("stage %q has no pass", clip(s.Key))
		}
		out := effect.Stage{Type: effect.StageType(s.StageType), ThreadGroup: [3]uint32{s.ThreadGroup.X, s.ThreadGroup.Y, s.ThreadGroup.Z},
			Inputs: each(s.PipelineInputs, func(p *NamedInput) effect.PipelineInput {
				return effect.PipelineInput{Usage: effect.Usage(p.Usage), Register: p.RegisterIndex, Index: p.UsageIndex, Mask: p.UsedMask,
					Type: effect.InputType(p.Type), Dimension: p.Dimension}
			})}
		for j := range s.Bindings {
			r := &s.Bindings[j]
			if err := modelBinding(r, &out); err != nil {
				return nil, fmt.Errorf("%s: binding %s: %w", clip(s.Key), clip(r.GeneratedSymbol), err)
			}
			if r.MetadataName != nil && len(r.Annotations) > 0 && !groups[*r.MetadataName] {
				groups[*r.MetadataName] = true
				b.Groups = append(b.Groups, effect.ParameterGroup{Name: *r.MetadataName, Annotations: each(r.Annotations, func(v *ValueAnnotation) effect.Annotation {
					return effect.Annotation{Name: v.Name, Type: effect.AnnotationType(v.Type), Raw: v.RawValue, Text: v.StringValue}
				})})
			}
		}
		pass := &b.Techniques[at[0]].Passes[at[1]]
		pass.Stages = append(pass.Stages, out)
	}
	return b, nil
}

// modelBinding is the inverse of what analysisBindings makes of one register.
func modelBinding(r *AnalysisBinding, out *effect.Stage) error {
	carbon := func(to any) error {
		text, err := json.Marshal(r.Carbon)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, to)
	}
	if r.SourceTruth == "carbon-stage-register" && r.RegisterType != nil {
		out.Registers = append(out.Registers, effect.Register{Type: effect.RegisterType(*r.RegisterType), Index: r.RegisterIndex, Count: r.RegisterCount, Space: uint8(r.RegisterSpace)})
	}
	if r.Carbon == nil {
		return nil
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	switch r.Kind {
	case "constantBuffer":
		var c CarbonConstants
		if err := carbon(&c); err != nil {
			return err
		}
		if c.HasLocalConstants {
			out.Constants = each(c.Constants, modelConstant)
		}
	case "resource", "uav":
		var c CarbonResource
		if err := carbon(&c); err != nil {
			return err
		}
		reg, kind := uint8(r.RegisterIndex), effect.ResourceType(c.Type)
		if r.Kind == "uav" {
			if !slices.ContainsFunc(out.UAVs, func(u effect.UAV) bool { return u.Register == reg }) {
				out.UAVs = append(out.UAVs, effect.UAV{Register: reg, Name: text(c.Name), Type: kind, Elements: c.ArrayElements, IsAutoregister: c.IsAutoregister})
			}
		} else if !slices.ContainsFunc(out.Textures, func(t effect.Texture) bool { return t.Register == reg }) {
			out.Textures = append(out.Textures, effect.Texture{Register: reg, Name: text(c.Name), Type: kind, Elements: c.ArrayElements, IsSRGB: c.IsSRGB, IsAutoregister: c.IsAutoregister})
		}
	case "sampler":
		return modelAnalysisSampler(r, out, carbon)
	}
	return nil
}

func modelAnalysisSampler(r *AnalysisBinding, out *effect.Stage, carbon func(any) error) error {
	var c CarbonSampler
	if err := carbon(&c); err != nil {
		return err
	}
	n := &c.Sampler
	bits := func(f *float64) effect.Bits {
		if f == nil {
			return 0
		}
		return effect.FloatBits(float32(*f))
	}
	state := effect.SamplerState{Comparison: n.Comparison, MinFilter: effect.Filter(n.MinFilter), MagFilter: effect.Filter(n.MagFilter), MipFilter: effect.Filter(n.MipFilter),
		AddressU: effect.AddressMode(n.AddressU), AddressV: effect.AddressMode(n.AddressV), AddressW: effect.AddressMode(n.AddressW),
		MipLODBias: bits(n.MipLODBias), MaxAnisotropy: n.MaxAnisotropy, ComparisonFunc: effect.CompareFunc(n.ComparisonFunc)}
	if r.SourceTruth == "carbon-signature-sampler" {
		s := effect.StaticSampler{Index: r.RegisterIndex, Space: uint8(r.RegisterSpace), SamplerState: state, MinLOD: bits(n.MinLOD), MaxLOD: bits(n.MaxLOD)}
		if f, ok := n.BorderColor.(float64); ok {
			s.BorderColor = effect.BorderColor(f)
		}
		out.StaticSamplers = append(out.StaticSamplers, s)
		return nil
	}
	if slices.ContainsFunc(out.Samplers, func(s effect.Sampler) bool { return s.Register == uint8(r.RegisterIndex) }) {
		return nil
	}
	s := effect.Sampler{Register: uint8(r.RegisterIndex), SamplerState: state, MinLOD: bits(n.MinLOD), MaxLOD: bits(n.MaxLOD), IsDynamic: true}
	if c.Name != nil {
		s.Name = *c.Name
	}
	if n.IsDynamic != nil {
		s.IsDynamic = *n.IsDynamic
	}
	if border, ok := n.BorderColor.([]any); ok {
		for i, v := range border[:min(len(border), 4)] {
			if f, ok := v.(float64); ok {
				s.BorderColor[i] = effect.FloatBits(float32(f))
			}
		}
	}
	out.Samplers = append(out.Samplers, s)
	return nil
}

// Modules is what a package has for the passes of one permutation.
type Modules struct {
	BodyKey    string              `json:"bodyKey,omitempty"` // empty without a permutation graph
	Shaders    []Shader            `json:"shaders"`
	Layouts    []Layout            `json:"layouts"`
	Transforms []ResourceTransform `json:"resourceTransforms,omitempty"`
	// Reason says why there are no modules, of some passes or of all of them; empty
	// where none is missing.
	Reason       string         `json:"reason,omitempty"`
	Untranslated []Untranslated `json:"untranslated,omitempty"` // extended profile: the passes without, and why
}

// Modules returns the modules and layouts of a permutation: those of WGSL for the
// selected body, else those of WGSB. It fails with ErrNoChunk where the package has
// the modules of its selected body alone, and with ErrNoPermutation.
func (p *Package) Modules(perm int) (*Modules, error) {
	if p.Kind != EffectPackage || p.invalid {
		return nil, fmt.Errorf("reading modules: %w", ErrNotValid)
	}
	meta, err := p.Meta()
	if err != nil {
		return nil, err
	}
	out := &Modules{}
	selected := perm == meta.BodyIndex
	if graph, err := p.Graph(); err == nil {
		if perm < 0 || perm >= len(graph.Variants) {
			return nil, fmt.Errorf("permutation %d of %d: %w", perm, len(graph.Variants), ErrNoPermutation)
		}
		out.BodyKey = graph.Variants[perm].BodyKey
		selected = out.BodyKey == graph.Variants[meta.BodyIndex].BodyKey
	} else if !errors.Is(err, ErrNoChunk) {
		return nil, err
	}
	if selected {
		set, err := p.WGSL()
		if err != nil {
			return nil, err
		}
		out.Shaders, out.Layouts, out.Transforms, out.Untranslated = set.Shaders, set.Layouts, set.ResourceTransforms, set.Untranslated
		switch {
		case len(set.Untranslated) > 0:
			out.Reason = set.Untranslated[0].Reason
		case meta.WGSLSelection != nil:
			out.Reason = "the package was built of other passes alone (wgslSelection)"
		}
		return out, nil
	}
	programs, err := p.BackendPrograms(perm)
	if err != nil {
		return nil, err
	}
	out.Reason = programs.Error
	for _, pass := range programs.Passes {
		if u := pass.Unit; u != nil {
			out.Shaders = append(out.Shaders, u.Shaders...)
			out.Layouts = append(out.Layouts, u.Layouts...)
			out.Transforms = append(out.Transforms, u.ResourceTransforms...)
		}
	}
	return out, nil
}
