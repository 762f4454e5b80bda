package carbon

import (
	"fmt"
	"slices"

	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

func each[T, U any](in []T, f func(*T) U) []U {
	if len(in) == 0 {
		return nil
	}
	out := make([]U, len(in))
	for i := range in {
		out[i] = f(&in[i])
	}
	return out
}

// modelBody makes a body of its portable reflection: the inverse of
// cewgpu.PortableReflection, but for what that does not say. Stages come in
// ascending order of type, and samplers that are not dynamic have no name.
func modelBody(p *cewgpu.PortableEffect) (*effect.Body, error) {
	b := &effect.Body{Groups: each(p.Annotations, func(g *cewgpu.ParameterAnnotations) effect.ParameterGroup {
		return effect.ParameterGroup{Name: g.ParameterName, Annotations: each(g.Annotations, modelAnnotation)}
	})}
	for i := range p.Techniques {
		t := &p.Techniques[i]
		q := effect.Technique{Name: t.Name}
		for j := range t.Passes {
			pass := effect.Pass{States: each(t.Passes[j].RenderStates, func(s *cewgpu.RenderState) effect.RenderState {
				return effect.RenderState{State: s.State, Value: s.Value}
			})}
			for k := range t.Passes[j].Stages {
				s := &t.Passes[j].Stages[k]
				if s.StageType < 0 || s.StageType > int(effect.Domain) {
					return nil, fmt.Errorf("%s: stage type %d", s.Key, s.StageType)
				}
				pass.Stages = append(pass.Stages, modelStage(s))
			}
			q.Passes = append(q.Passes, pass)
		}
		b.Techniques = append(b.Techniques, q)
	}
	return b, nil
}

func modelAnnotation(a *cewgpu.Annotation) effect.Annotation {
	out := effect.Annotation{Name: a.Name, Type: effect.AnnotationType(a.Type)}
	if a.StringValue != nil {
		out.Text = *a.StringValue
	}
	if a.RawValue != nil {
		out.Raw = *a.RawValue
	}
	return out
}

func modelStage(s *cewgpu.PortableStage) effect.Stage {
	in := &s.Input
	sig := &in.Signature
	return effect.Stage{
		Type: effect.StageType(s.StageType), Program: s.SourceProgram.Bytes.Data,
		ThreadGroup: [3]uint32{sig.ThreadGroupSize.X, sig.ThreadGroupSize.Y, sig.ThreadGroupSize.Z},
		Inputs: each(sig.PipelineInputs, func(p *cewgpu.PipelineInput) effect.PipelineInput {
			return effect.PipelineInput{Usage: effect.Usage(p.Usage), Register: p.RegisterIndex, Index: p.UsageIndex, Mask: p.UsedMask,
				Type: effect.InputType(p.Type), Dimension: p.Dimension}
		}),
		Bindings: effect.Bindings{
			Registers: each(sig.Registers, func(r *cewgpu.Register) effect.Register {
				return effect.Register{Type: effect.RegisterType(r.RegisterType), Index: r.RegisterIndex, Count: r.RegisterCount, Space: r.RegisterSpace}
			}),
			StaticSamplers: each(sig.StaticSamplers, func(s *cewgpu.StaticSampler) effect.StaticSampler {
				out := effect.StaticSampler{Index: s.RegisterIndex, Space: s.RegisterSpace, SamplerState: modelSampler(&s.Descriptor),
					MinLOD: effect.Bits(s.Descriptor.MinLODRaw), MaxLOD: effect.Bits(s.Descriptor.MaxLODRaw)}
				if c := s.Descriptor.BorderColor; c != nil {
					out.BorderColor = effect.BorderColor(*c)
				}
				return out
			}),
		},
		StageData: effect.StageData{
			Constants: each(in.Constants, func(c *cewgpu.Constant) effect.Constant {
				return effect.Constant{Name: c.Name, Offset: c.Offset, Size: c.Size, Type: effect.ConstantType(c.Type), Dimension: c.Dimension,
					Elements: c.Elements, IsSRGB: c.IsSRGB, IsAutoregister: c.IsAutoregister}
			}),
			Defaults: in.ConstantDefaults.Bytes.Data,
			Textures: each(in.Resources, func(r *cewgpu.Resource) effect.Texture {
				return effect.Texture{Register: r.RegisterIndex, Name: r.Name, Type: effect.ResourceType(r.Type), Elements: r.ArrayElements,
					IsSRGB: r.IsSRGB, IsAutoregister: r.IsAutoregister}
			}),
			Samplers: each(in.Samplers, func(s *cewgpu.Sampler) effect.Sampler {
				out := effect.Sampler{Register: s.RegisterIndex, SamplerState: modelSampler(&s.Descriptor), IsDynamic: s.IsDynamic,
					MinLOD: effect.Bits(s.Descriptor.MinLODRaw), MaxLOD: effect.Bits(s.Descriptor.MaxLODRaw)}
				if s.Name != nil {
					out.Name = *s.Name
				}
				if c := s.Descriptor.BorderColorRaw; c != nil {
					for i, v := range c {
						out.BorderColor[i] = effect.Bits(v)
					}
				}
				return out
			}),
			UAVs: each(in.UAVs, func(u *cewgpu.Resource) effect.UAV {
				return effect.UAV{Register: u.RegisterIndex, Name: u.Name, Type: effect.ResourceType(u.Type), Elements: u.ArrayElements, IsAutoregister: u.IsAutoregister}
			}),
			Annotations: each(in.Annotations, modelAnnotation),
		},
	}
}

func modelSampler(d *cewgpu.SamplerDescriptor) effect.SamplerState {
	return effect.SamplerState{Comparison: d.Comparison, MinFilter: effect.Filter(d.MinFilter), MagFilter: effect.Filter(d.MagFilter), MipFilter: effect.Filter(d.MipFilter),
		AddressU: effect.AddressMode(d.AddressU), AddressV: effect.AddressMode(d.AddressV), AddressW: effect.AddressMode(d.AddressW),
		MipLODBias: effect.Bits(d.MipLODBiasRaw), MaxAnisotropy: d.MaxAnisotropy, ComparisonFunc: effect.CompareFunc(d.ComparisonFunc)}
}

// draft is a container in the making: the bodies of an effect without programs,
// which add fills in.
type draft struct {
	model  *effect.Model
	bodies []*effect.Body // distinct ones
	source []*effect.Body // with the source's programs, parallel
	blocks map[*effect.Body]map[[2]int][]byte
	unsaid []unsaid
}

// unsaid is a pass that a container cannot say.
type unsaid struct {
	body, technique, pass int
	problems              []problem
}

// newDraft makes a draft of the distinct bodies of an effect. of says which of them
// each permutation has.
func newDraft(axes []effect.Axis, bodies []*effect.Body, of []int) *draft {
	d := &draft{model: &effect.Model{CompilerVersion: CompilerVersion, SourceHash: ZeroHash, Axes: axes, Bodies: make([]*effect.Body, len(of))},
		source: bodies, blocks: map[*effect.Body]map[[2]int][]byte{}}
	for _, b := range bodies {
		c := &effect.Body{Groups: b.Groups, Techniques: slices.Clone(b.Techniques)}
		for t := range c.Techniques {
			tech := &c.Techniques[t]
			tech.Libraries = nil
			tech.Passes = slices.Clone(tech.Passes)
			for p := range tech.Passes {
				tech.Passes[p].Stages = slices.Clone(tech.Passes[p].Stages)
				for s := range tech.Passes[p].Stages {
					tech.Passes[p].Stages[s].Program = nil
				}
			}
		}
		d.bodies = append(d.bodies, c)
		d.blocks[c] = map[[2]int][]byte{}
	}
	for p, i := range of {
		d.model.Bodies[p] = d.bodies[i]
	}
	return d
}

// add puts a translated pass into a body. What the container cannot say is kept in
// unsaid, and then the pass stays empty.
func (d *draft) add(body, technique, pass int, t *Pass) bool {
	b := d.bodies[body]
	stages := b.Techniques[technique].Passes[pass].Stages
	problems := t.checkShaders(stages)
	block, more := t.block()
	problems = append(problems, more...)
	var data []byte
	if len(problems) == 0 {
		var err error
		if data, err = block.Encode(); err != nil {
			problems = append(problems, problem{path: "block", text: err.Error()})
		}
	}
	if len(problems) > 0 {
		d.unsaid = append(d.unsaid, unsaid{body, technique, pass, problems})
		return false
	}
	for i := range stages {
		word := webStages[stages[i].Type]
		for j := range t.Shaders {
			if t.Shaders[j].Stage == word {
				stages[i].Program = []byte(t.Shaders[j].Code)
			}
		}
	}
	d.blocks[b][[2]int{technique, pass}] = data
	return true
}

// write makes the bytes and reads them back.
func (d *draft) write(hash bool) (*File, error) {
	block := func(b *effect.Body, technique, pass int) []byte { return d.blocks[b][[2]int{technique, pass}] }
	data, err := Write(d.model, block)
	if err != nil {
		return nil, err
	}
	if hash {
		copy(data[8:], contentHash(data))
	}
	f, err := Open(data)
	if err != nil {
		return nil, fmt.Errorf("writing a container: what was written does not read back: %w", err)
	}
	return f, nil
}
