package cewgpu

import (
	"encoding/json"
	"math"
	"strconv"

	"fxlens/core/effect"
)

// usageWords are the names of pipeline input usages in ANLS.
var usageWords = [...]string{"POSITION", "COLOR", "NORMAL", "TANGENT", "BITANGENT", "TEXCOORD", "BLENDINDICES", "BLENDWEIGHTS"}

func usageWord(u effect.Usage) string {
	if int(u) < len(usageWords) {
		return usageWords[u]
	}
	return "USAGE_" + strconv.Itoa(int(u))
}

var jsonNullText = json.RawMessage("null")

// analysisOf makes ANLS for one body.
func analysisOf(e *effect.Effect, body *effect.Body, label, name string, perm int, options []SelectedOption) *Analysis {
	a := &Analysis{Format: "CEWGPU_ANALYSIS", FormatVersion: 1, Source: label, EffectVersion: int(e.Version), EffectName: name,
		BodyIndex: perm, SelectedOptions: options, Passes: []AnalysisPass{}, Stages: []AnalysisStage{}}
	if e.Version >= 15 {
		v := compilerVersion(e)
		a.CompilerVersion = &v
	}
	groups := make(map[string][]effect.Annotation, len(body.Groups))
	for _, g := range body.Groups {
		groups[lenient(g.Name)] = g.Annotations
	}
	handle := 0
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		for p := range tech.Passes {
			pass := &tech.Passes[p]
			a.Passes = append(a.Passes, AnalysisPass{TechniqueName: lenient(tech.Name), PassIndex: p,
				RenderStates: len(a.Passes) + 1, States: renderStates(pass.States)})
			handles := make(map[effect.StageType]int, len(pass.Stages))
			for i := range pass.Stages { // handles count in file order
				handle++
				handles[pass.Stages[i].Type] = handle
			}
			for _, s := range byType(pass) {
				a.Stages = append(a.Stages, analysisStageOf(s, lenient(tech.Name), p, handles[s.Type], name, groups))
			}
		}
	}
	return a
}

func analysisStageOf(s *effect.Stage, technique string, pass, handle int, name string, groups map[string][]effect.Annotation) AnalysisStage {
	word := stageWord(s.Type)
	return AnalysisStage{
		TechniqueName: technique, PassIndex: pass, StageType: int(s.Type), StageName: word, ShaderHandle: handle,
		ShaderBytecode: ShaderBytecode{StageType: int(s.Type), StageName: word, ShaderSize: len(s.Program),
			StringTableOffset: int(s.ProgramOffset), EffectName: name},
		PipelineInputs: fileOrder(s.Inputs, func(in *effect.PipelineInput) NamedInput {
			return NamedInput{Usage: uint8(in.Usage), UsageName: usageWord(in.Usage), RegisterIndex: in.Register, UsageIndex: in.Index,
				UsedMask: in.Mask, Type: uint8(in.Type), Dimension: in.Dimension}
		}),
		ThreadGroup: ThreadGroup{X: s.ThreadGroup[0], Y: s.ThreadGroup[1], Z: s.ThreadGroup[2]},
		Bindings:    analysisBindings(s, groups),
		Key:         technique + ".pass" + strconv.Itoa(pass) + "." + word,
		DXBC:        jsonNullText, DXBCError: jsonNullText, IR: jsonNullText, IRError: jsonNullText,
	}
}

type bindingID struct {
	kind  string
	space int
	index uint32
}

// bindingBuilder collects the records of one stage: the signature's registers
// first, then its static samplers, then what only the map has.
type bindingBuilder struct {
	s      *effect.Stage
	groups map[string][]effect.Annotation
	out    []AnalysisBinding
	seen   map[bindingID]bool
	listed map[bindingID]bool // (kind, index) in any space
}

func analysisBindings(s *effect.Stage, groups map[string][]effect.Annotation) []AnalysisBinding {
	b := &bindingBuilder{s: s, groups: groups, out: []AnalysisBinding{}, seen: map[bindingID]bool{}, listed: map[bindingID]bool{}}
	for i := range s.Registers {
		b.register(&s.Registers[i])
	}
	for i := range s.StaticSamplers {
		b.static(&s.StaticSamplers[i])
	}
	stage := int(s.Type)
	for i := range s.Textures {
		t := &s.Textures[i]
		b.mapped("resource", "t", stage, uint32(t.Register), t.Elements)
	}
	for i := range s.Samplers {
		b.mapped("sampler", "s", stage, uint32(s.Samplers[i].Register), 1)
	}
	for i := range s.UAVs {
		u := &s.UAVs[i]
		b.mapped("uav", "u", stage, uint32(u.Register), u.Elements)
	}
	return b.out
}

func (b *bindingBuilder) add(id bindingID, prefix string, r AnalysisBinding) {
	if b.seen[id] {
		return
	}
	b.seen[id] = true
	b.listed[bindingID{kind: id.kind, index: id.index}] = true
	r.Kind, r.RegisterIndex, r.RegisterSpace = id.kind, id.index, id.space
	r.GeneratedSymbol = prefix + strconv.FormatUint(uint64(id.index), 10)
	r.ArrayCount = r.RegisterCount
	if r.Annotations == nil {
		r.Annotations = []ValueAnnotation{}
	}
	b.out = append(b.out, r)
}

func (b *bindingBuilder) register(r *effect.Register) {
	kind, prefix := "", ""
	switch t := uint8(r.Type); {
	case t == 0:
		kind, prefix = "constantBuffer", "cb"
	case t == 1:
		kind, prefix = "sampler", "s"
	case t >= 32 && t < 64:
		kind, prefix = "resource", "t"
	case t >= 64 && t < 96:
		kind, prefix = "uav", "u"
	default:
		return
	}
	t := int(r.Type)
	rec := AnalysisBinding{RegisterType: &t, RegisterCount: r.Count, Dynamic: true, SourceTruth: "carbon-stage-register"}
	if kind == "constantBuffer" {
		rec.Carbon, rec.MetadataName = b.constants(r.Index)
	} else {
		b.entry(&rec, kind, r.Index)
	}
	b.add(bindingID{kind, int(r.Space), r.Index}, prefix, rec)
}

func (b *bindingBuilder) constants(index uint32) (*CarbonConstants, *string) {
	if index != 0 || len(b.s.Constants) == 0 {
		return &CarbonConstants{Constants: []Constant{}}, nil
	}
	size := len(b.s.Defaults)
	for i := range b.s.Constants {
		c := &b.s.Constants[i]
		// A uint named like a sampler receives its heap index.
		if c.Type != effect.ConstUint || c.Dimension != 1 {
			continue
		}
		for j := range b.s.Samplers {
			if b.s.Samplers[j].Name == c.Name {
				size = max(size, int(c.Offset)+int(c.Size))
			}
		}
	}
	name := "$LocalConstants"
	return &CarbonConstants{HasLocalConstants: true, ConstantValueSize: size, Constants: fileOrder(b.s.Constants, portableConstant)}, &name
}

// entry fills a record from the map's entry with the register's index, if any.
func (b *bindingBuilder) entry(rec *AnalysisBinding, kind string, index uint32) {
	name := (*string)(nil)
	switch kind {
	case "resource":
		for i := range b.s.Textures {
			if t := &b.s.Textures[i]; uint32(t.Register) == index {
				n := lenient(t.Name)
				name = &n
				rec.Carbon = &CarbonResource{Name: name, Type: uint8(t.Type), ArrayElements: t.Elements, IsSRGB: t.IsSRGB, IsAutoregister: t.IsAutoregister}
			}
		}
	case "uav":
		for i := range b.s.UAVs {
			if u := &b.s.UAVs[i]; uint32(u.Register) == index {
				n := lenient(u.Name)
				name = &n
				rec.Carbon = &CarbonResource{Name: name, Type: uint8(u.Type), ArrayElements: u.Elements, IsAutoregister: u.IsAutoregister}
			}
		}
	case "sampler":
		for i := range b.s.Samplers {
			if s := &b.s.Samplers[i]; uint32(s.Register) == index {
				name = samplerName(s)
				border := make([]*float64, 4)
				for j, c := range s.BorderColor {
					border[j] = number(float64(c.Float()))
				}
				dyn := s.IsDynamic
				rec.Carbon = &CarbonSampler{Name: name, Sampler: samplerNumbers(&s.SamplerState, border, s.MinLOD, s.MaxLOD, &dyn)}
			}
		}
	}
	b.named(rec, name)
}

// named sets the metadata name and what the effect's annotations say about it.
func (b *bindingBuilder) named(rec *AnalysisBinding, name *string) {
	rec.MetadataName = name
	if name == nil {
		return
	}
	if *name == "" {
		rec.MetadataName = nil
	}
	anns := b.groups[*name]
	rec.Annotations = fileOrder(anns, valueAnnotation)
	for i := range anns {
		if a := &anns[i]; a.Name == "IsHeapView" && a.Type == effect.AnnotationBool && a.Bool() {
			rec.HeapView = true
		}
	}
}

func valueAnnotation(a *effect.Annotation) ValueAnnotation {
	v := ValueAnnotation{Name: lenient(a.Name), Type: uint8(a.Type)}
	if a.Type == effect.AnnotationString {
		v.FloatValue = number(0)
		v.StringValue = lenient(a.Text)
		return v
	}
	v.BoolValue, v.IntValue, v.RawValue = a.Raw != 0, int32(a.Raw), a.Raw
	v.FloatValue = number(float64(math.Float32frombits(a.Raw)))
	return v
}

func samplerNumbers(s *effect.SamplerState, border any, minLOD, maxLOD effect.Bits, dynamic *bool) SamplerNumbers {
	return SamplerNumbers{
		Comparison: s.Comparison, MinFilter: uint8(s.MinFilter), MagFilter: uint8(s.MagFilter), MipFilter: uint8(s.MipFilter),
		AddressU: uint8(s.AddressU), AddressV: uint8(s.AddressV), AddressW: uint8(s.AddressW),
		MipLODBias: number(float64(s.MipLODBias.Float())), MaxAnisotropy: s.MaxAnisotropy, ComparisonFunc: uint8(s.ComparisonFunc),
		BorderColor: border, MinLOD: number(float64(minLOD.Float())), MaxLOD: number(float64(maxLOD.Float())), IsDynamic: dynamic,
	}
}

func (b *bindingBuilder) static(s *effect.StaticSampler) {
	one := 1
	rec := AnalysisBinding{RegisterType: &one, RegisterCount: 1, SourceTruth: "carbon-signature-sampler"}
	var name *string
	for i := range b.s.Samplers {
		if m := &b.s.Samplers[i]; uint32(m.Register) == s.Index {
			rec.Dynamic = m.IsDynamic
			name = samplerName(m)
		}
	}
	b.named(&rec, name)
	rec.Carbon = &CarbonSampler{Name: name, Sampler: samplerNumbers(&s.SamplerState, uint8(s.BorderColor), s.MinLOD, s.MaxLOD, nil)}
	b.add(bindingID{"sampler", int(s.Space), s.Index}, "s", rec)
}

// mapped adds an entry of the map whose register the signature does not have.
func (b *bindingBuilder) mapped(kind, prefix string, stage int, index, elements uint32) {
	if b.listed[bindingID{kind: kind, index: index}] {
		return
	}
	rec := AnalysisBinding{RegisterCount: max(elements, 1), Dynamic: true, SourceTruth: "carbon-register-map"}
	b.entry(&rec, kind, index)
	b.add(bindingID{kind, stage, index}, prefix, rec)
}

// selectedOptions makes the options of a permutation. Sources say who chose each
// axis's option; an axis that nobody chose has its default.
func selectedOptions(e *effect.Effect, perm int, sources map[string]OptionSource) []SelectedOption {
	choice := e.Choice(perm)
	out := make([]SelectedOption, len(choice))
	for i, c := range choice {
		a := &e.Axes[i]
		src := sources[a.Name]
		if src == "" {
			src = FromLocal
			if c == a.Default {
				src = FromDefault
			}
		}
		out[i] = SelectedOption{Name: lenient(a.Name), Value: lenient(a.Options[c]), OptionIndex: c, DefaultOption: a.Default,
			DefaultValue: lenient(a.Options[a.Default]), Source: string(src)}
	}
	return out
}
