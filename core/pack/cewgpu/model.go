package cewgpu

import (
	"fmt"

	"fxlens/core/effect"
)

func each[T, U any](in []T, f func(*T) U) []U {
	if len(in) == 0 {
		return nil
	}
	return fileOrder(in, f)
}

// Body makes the body that a reflection describes: the inverse of
// [PortableReflection], but for what that does not say. Stages come in ascending
// order of type, and samplers that are not dynamic have no name. It shares the
// bytes of programs and defaults. It fails on a stage type that effects do not have.
func (p *PortableEffect) Body() (*effect.Body, error) {
	b := &effect.Body{Groups: each(p.Annotations, func(g *ParameterAnnotations) effect.ParameterGroup {
		return effect.ParameterGroup{Name: g.ParameterName, Annotations: each(g.Annotations, modelAnnotation)}
	})}
	for i := range p.Techniques {
		t := &p.Techniques[i]
		q := effect.Technique{Name: t.Name}
		for j := range t.Passes {
			pass := effect.Pass{States: each(t.Passes[j].RenderStates, func(s *RenderState) effect.RenderState {
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
		q.Libraries = each(t.Libraries, modelLibrary)
		b.Techniques = append(b.Techniques, q)
	}
	return b, nil
}

func modelAnnotation(a *Annotation) effect.Annotation {
	out := effect.Annotation{Name: a.Name, Type: effect.AnnotationType(a.Type)}
	if a.StringValue != nil {
		out.Text = *a.StringValue
	}
	if a.RawValue != nil {
		out.Raw = *a.RawValue
	}
	return out
}

func modelStage(s *PortableStage) effect.Stage {
	sig := &s.Input.Signature
	return effect.Stage{
		Type: effect.StageType(s.StageType), Program: s.SourceProgram.Bytes.Data,
		ThreadGroup: [3]uint32{sig.ThreadGroupSize.X, sig.ThreadGroupSize.Y, sig.ThreadGroupSize.Z},
		Inputs: each(sig.PipelineInputs, func(p *PipelineInput) effect.PipelineInput {
			return effect.PipelineInput{Usage: effect.Usage(p.Usage), Register: p.RegisterIndex, Index: p.UsageIndex, Mask: p.UsedMask,
				Type: effect.InputType(p.Type), Dimension: p.Dimension}
		}),
		Bindings:  modelBindings(sig),
		StageData: modelData(&s.Input),
	}
}

func modelLibrary(l *PortableLibrary) effect.Library {
	input := func(in *PortableInput) effect.LibraryInput {
		return effect.LibraryInput{Bindings: modelBindings(&in.Signature), StageData: modelData(in)}
	}
	return effect.Library{PayloadSize: l.PayloadSize, Program: l.SourceProgram.Bytes.Data, HitGroupName: l.HitGroupName,
		Exports: each(l.Exports, func(x *Export) effect.Export { return effect.Export{Type: effect.ExportType(x.Type), Name: x.Name} }),
		Global:  input(&l.GlobalInput), Local: input(&l.LocalInput)}
}

func modelConstant(c *Constant) effect.Constant {
	return effect.Constant{Name: c.Name, Offset: c.Offset, Size: c.Size, Type: effect.ConstantType(c.Type), Dimension: c.Dimension,
		Elements: c.Elements, IsSRGB: c.IsSRGB, IsAutoregister: c.IsAutoregister}
}

func modelBindings(sig *Signature) effect.Bindings {
	return effect.Bindings{
		Registers: each(sig.Registers, func(r *Register) effect.Register {
			return effect.Register{Type: effect.RegisterType(r.RegisterType), Index: r.RegisterIndex, Count: r.RegisterCount, Space: r.RegisterSpace}
		}),
		StaticSamplers: each(sig.StaticSamplers, func(s *StaticSampler) effect.StaticSampler {
			out := effect.StaticSampler{Index: s.RegisterIndex, Space: s.RegisterSpace, SamplerState: modelSampler(&s.Descriptor),
				MinLOD: effect.Bits(s.Descriptor.MinLODRaw), MaxLOD: effect.Bits(s.Descriptor.MaxLODRaw)}
			if c := s.Descriptor.BorderColor; c != nil {
				out.BorderColor = effect.BorderColor(*c)
			}
			return out
		}),
	}
}

func modelData(in *PortableInput) effect.StageData {
	return effect.StageData{
		Constants: each(in.Constants, modelConstant),
		Defaults:  in.ConstantDefaults.Bytes.Data,
		Textures: each(in.Resources, func(r *Resource) effect.Texture {
			return effect.Texture{Register: r.RegisterIndex, Name: r.Name, Type: effect.ResourceType(r.Type), Elements: r.ArrayElements,
				IsSRGB: r.IsSRGB, IsAutoregister: r.IsAutoregister}
		}),
		Samplers: each(in.Samplers, func(s *Sampler) effect.Sampler {
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
		UAVs: each(in.UAVs, func(u *Resource) effect.UAV {
			return effect.UAV{Register: u.RegisterIndex, Name: u.Name, Type: effect.ResourceType(u.Type), Elements: u.ArrayElements, IsAutoregister: u.IsAutoregister}
		}),
		Annotations: each(in.Annotations, modelAnnotation),
	}
}

func modelSampler(d *SamplerDescriptor) effect.SamplerState {
	return effect.SamplerState{Comparison: d.Comparison, MinFilter: effect.Filter(d.MinFilter), MagFilter: effect.Filter(d.MagFilter), MipFilter: effect.Filter(d.MipFilter),
		AddressU: effect.AddressMode(d.AddressU), AddressV: effect.AddressMode(d.AddressV), AddressW: effect.AddressMode(d.AddressW),
		MipLODBias: effect.Bits(d.MipLODBiasRaw), MaxAnisotropy: d.MaxAnisotropy, ComparisonFunc: effect.CompareFunc(d.ComparisonFunc)}
}
