package cewgpu

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"fxlens/core/effect"
)

// The texts that the effect's stage types have in documents.
func stageWord(t effect.StageType) string { return t.String() }

func fileOrder[T, U any](in []T, f func(*T) U) []U {
	out := make([]U, len(in))
	for i := range in {
		out[i] = f(&in[i])
	}
	return out
}

// PortableReflection returns the portable reflection of the body of a permutation,
// decoded from the effect itself. Effects below version 15 have none.
func PortableReflection(e *effect.Effect, label string, perm int) (*Portable, error) {
	if e.Version != effect.WriteVersion {
		return nil, fmt.Errorf("portable reflection: the effect has version %d, only version %d stores all that it takes", e.Version, effect.WriteVersion)
	}
	body, err := e.Body(perm)
	if err != nil {
		return nil, fmt.Errorf("portable reflection: %w", err)
	}
	return portableOf(e, body, label, perm), nil
}

func compilerVersion(e *effect.Effect) uint32 {
	return binary.LittleEndian.Uint32(e.CompilerVersion[:])
}

func portableOf(e *effect.Effect, body *effect.Body, label string, perm int) *Portable {
	r := e.Records[perm]
	return &Portable{
		Format: "CJS_EFFECT_BODY_REFLECTION", FormatVersion: 1, Mode: "single-body", KeyScope: "body-local",
		Coverage: PortableCoverage{Bodies: "single", Reflection: "complete", SourcePrograms: "complete", ConstantDefaults: "exact"},
		Source: PortableSource{
			Label: label, EffectVersion: int(e.Version), CompilerVersion: compilerVersion(e),
			NativeHash: Bytes{Data: []byte(e.SourceHash)}, StringTableByteLength: len(e.StringTable), ByteLength: e.Size,
		},
		PermutationIndex: perm,
		SourceRecord:     SourceRecord{Offset: int(r.Offset), ByteLength: int(r.Size)},
		Effect:           portableEffect(body),
	}
}

func portableEffect(b *effect.Body) PortableEffect {
	p := PortableEffect{
		Annotations: fileOrder(b.Groups, func(g *effect.ParameterGroup) ParameterAnnotations {
			return ParameterAnnotations{ParameterName: lenient(g.Name), Annotations: fileOrder(g.Annotations, portableAnnotation)}
		}),
		AnnotationGroupCount: len(b.Groups),
		TechniqueCount:       len(b.Techniques),
		Techniques:           make([]PortableTechnique, len(b.Techniques)),
	}
	for i := range b.Techniques {
		t := &b.Techniques[i]
		key := fmt.Sprintf("technique%d", i)
		q := PortableTechnique{Key: key, Name: lenient(t.Name), PassCount: len(t.Passes), LibraryCount: len(t.Libraries),
			Passes: make([]PortablePass, len(t.Passes)), Libraries: make([]PortableLibrary, len(t.Libraries))}
		for j := range t.Passes {
			q.Passes[j] = portablePass(&t.Passes[j], fmt.Sprintf("%s.pass%d", key, j))
		}
		for j := range t.Libraries {
			q.Libraries[j] = portableLibrary(&t.Libraries[j], fmt.Sprintf("%s.library%d", key, j))
		}
		p.Techniques[i] = q
	}
	return p
}

func portableAnnotation(a *effect.Annotation) Annotation {
	out := Annotation{Name: lenient(a.Name), Type: uint8(a.Type)}
	if a.Type == effect.AnnotationString {
		s := lenient(a.Text)
		out.StringValue = &s
		return out
	}
	raw := a.Raw
	out.RawValue = &raw
	return out
}

func renderStates(s []effect.RenderState) []RenderState {
	return fileOrder(s, func(s *effect.RenderState) RenderState { return RenderState{State: s.State, Value: s.Value} })
}

// byType returns the stages in ascending order of type.
func byType(p *effect.Pass) []*effect.Stage {
	out := make([]*effect.Stage, len(p.Stages))
	for i := range p.Stages {
		out[i] = &p.Stages[i]
	}
	slices.SortStableFunc(out, func(a, b *effect.Stage) int { return cmp.Compare(a.Type, b.Type) })
	return out
}

func portablePass(p *effect.Pass, key string) PortablePass {
	q := PortablePass{Key: key, RenderStateCount: len(p.States), RenderStates: renderStates(p.States), StageCount: len(p.Stages),
		Stages: make([]PortableStage, 0, len(p.Stages))}
	for _, s := range byType(p) {
		t, name := int(s.Type), stageWord(s.Type)
		q.Stages = append(q.Stages, PortableStage{
			Key: fmt.Sprintf("%s.stage%d", key, t), StageType: t, StageName: name,
			SourceProgram: SourceProgram{Kind: "stage", ShaderSize: len(s.Program), StringTableOffset: int(s.ProgramOffset),
				Bytes: Bytes{Data: s.Program}, StageType: &t, StageName: name},
			Input: portableInput(&s.StageData, &s.Bindings, s.Inputs, s.ThreadGroup),
		})
	}
	return q
}

func portableLibrary(l *effect.Library, key string) PortableLibrary {
	return PortableLibrary{
		Key: key, PayloadSize: l.PayloadSize,
		SourceProgram: SourceProgram{Kind: "library", ShaderSize: len(l.Program), StringTableOffset: int(l.ProgramOffset), Bytes: Bytes{Data: l.Program}},
		ExportCount:   len(l.Exports),
		Exports: fileOrder(l.Exports, func(x *effect.Export) Export {
			return Export{Type: uint8(x.Type), Name: lenient(x.Name)}
		}),
		HitGroupName: lenient(l.HitGroupName),
		GlobalInput:  portableInput(&l.Global.StageData, &l.Global.Bindings, nil, [3]uint32{}),
		LocalInput:   portableInput(&l.Local.StageData, &l.Local.Bindings, nil, [3]uint32{}),
	}
}

func portableConstant(c *effect.Constant) Constant {
	return Constant{Name: lenient(c.Name), Offset: c.Offset, Size: c.Size, Type: uint8(c.Type), Dimension: c.Dimension,
		Elements: c.Elements, IsSRGB: c.IsSRGB, IsAutoregister: c.IsAutoregister}
}

func portableInput(d *effect.StageData, b *effect.Bindings, inputs []effect.PipelineInput, group [3]uint32) PortableInput {
	return PortableInput{
		ConstantDefaults: ConstantDefaults{DeclaredByteLength: len(d.Defaults), Bytes: Bytes{Data: d.Defaults}},
		ConstantCount:    len(d.Constants),
		Constants:        fileOrder(d.Constants, portableConstant),
		ResourceCount:    len(d.Textures),
		Resources: fileOrder(d.Textures, func(t *effect.Texture) Resource {
			return Resource{RegisterIndex: t.Register, Name: lenient(t.Name), Type: uint8(t.Type), ArrayElements: t.Elements,
				IsSRGB: t.IsSRGB, IsAutoregister: t.IsAutoregister}
		}),
		UAVCount: len(d.UAVs),
		UAVs: fileOrder(d.UAVs, func(u *effect.UAV) Resource {
			return Resource{RegisterIndex: u.Register, Name: lenient(u.Name), Type: uint8(u.Type), ArrayElements: u.Elements,
				IsAutoregister: u.IsAutoregister}
		}),
		SamplerCount:    len(d.Samplers),
		Samplers:        fileOrder(d.Samplers, portableSampler),
		AnnotationCount: len(d.Annotations),
		Annotations:     fileOrder(d.Annotations, portableAnnotation),
		Signature: Signature{
			PipelineInputCount: len(inputs),
			PipelineInputs: fileOrder(inputs, func(in *effect.PipelineInput) PipelineInput {
				return PipelineInput{Usage: uint8(in.Usage), RegisterIndex: in.Register, UsageIndex: in.Index, UsedMask: in.Mask,
					Type: uint8(in.Type), Dimension: in.Dimension}
			}),
			RegisterCount: len(b.Registers),
			Registers: fileOrder(b.Registers, func(r *effect.Register) Register {
				return Register{RegisterType: uint8(r.Type), RegisterIndex: r.Index, ArrayCount: r.Count, RegisterCount: r.Count, RegisterSpace: r.Space}
			}),
			StaticSamplerCount: len(b.StaticSamplers),
			StaticSamplers:     fileOrder(b.StaticSamplers, portableStatic),
			ThreadGroupSize:    ThreadGroup{X: group[0], Y: group[1], Z: group[2]},
		},
	}
}

func portableDescriptor(s *effect.SamplerState, minLOD, maxLOD effect.Bits) SamplerDescriptor {
	return SamplerDescriptor{
		Comparison: s.Comparison, MinFilter: uint8(s.MinFilter), MagFilter: uint8(s.MagFilter), MipFilter: uint8(s.MipFilter),
		AddressU: uint8(s.AddressU), AddressV: uint8(s.AddressV), AddressW: uint8(s.AddressW), MipLODBiasRaw: uint32(s.MipLODBias),
		MaxAnisotropy: s.MaxAnisotropy, ComparisonFunc: uint8(s.ComparisonFunc), MinLODRaw: uint32(minLOD), MaxLODRaw: uint32(maxLOD),
	}
}

// samplerName is the name of a map sampler, which only dynamic ones keep.
func samplerName(s *effect.Sampler) *string {
	if !s.IsDynamic {
		return nil
	}
	name := lenient(s.Name)
	return &name
}

func portableSampler(s *effect.Sampler) Sampler {
	d := portableDescriptor(&s.SamplerState, s.MinLOD, s.MaxLOD)
	d.BorderColorRaw = &[4]uint32{uint32(s.BorderColor[0]), uint32(s.BorderColor[1]), uint32(s.BorderColor[2]), uint32(s.BorderColor[3])}
	return Sampler{RegisterIndex: s.Register, Name: samplerName(s), IsDynamic: s.IsDynamic, Descriptor: d}
}

func portableStatic(s *effect.StaticSampler) StaticSampler {
	d := portableDescriptor(&s.SamplerState, s.MinLOD, s.MaxLOD)
	c := uint8(s.BorderColor)
	d.BorderColor = &c
	return StaticSampler{RegisterIndex: s.Index, RegisterSpace: s.Space, Descriptor: d}
}

// reflectionBuilder makes RFLX and RBLB. It writes one body at a time, so that the
// bodies of a large effect are never all in memory as structures.
type reflectionBuilder struct {
	rflx     []byte // the payload, when done
	blobs    []byte
	refs     []BlobRef
	byDigest map[[32]byte]int
	bodies   int
	programs int
}

// reflectionHead is Reflection up to its bodies.
type reflectionHead struct {
	Format                string           `json:"format"`
	FormatVersion         int              `json:"formatVersion"`
	PortableFormat        string           `json:"portableFormat"`
	PortableFormatVersion int              `json:"portableFormatVersion"`
	KeyScope              string           `json:"keyScope"`
	Coverage              PortableCoverage `json:"coverage"`
	Source                ReflectionSource `json:"source"`
}

func newReflection(ctx context.Context, e *effect.Effect, label string) (*reflectionBuilder, error) {
	r := &reflectionBuilder{byDigest: map[[32]byte]int{}}
	head := reflectionHead{
		Format: "CJS_CEWGPU_EFFECT_REFLECTION", FormatVersion: 2,
		PortableFormat: "CJS_EFFECT_BODY_REFLECTION", PortableFormatVersion: 1, KeyScope: "body-local",
		Coverage: PortableCoverage{Bodies: "all-unique", Reflection: "complete-for-listed", SourcePrograms: "complete-for-listed", ConstantDefaults: "exact-for-listed"},
		Source: ReflectionSource{Label: label, EffectVersion: int(e.Version), CompilerVersion: compilerVersion(e),
			NativeHash: Bytes{Data: []byte(e.SourceHash)}, StringTableByteLength: len(e.StringTable), ByteLength: e.Size,
			SHA256: hex.EncodeToString(e.SHA256[:])},
	}
	r.store(&head.Source.NativeHash)
	if err := r.write(head, "}", `,"bodies":[`); err != nil {
		return nil, err
	}
	for i, u := range e.Bodies() {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("reflecting body %d: %w", i, err)
		}
		body, err := e.UniqueBody(i)
		if err != nil {
			return nil, fmt.Errorf("reflecting body %d: %w", i, err)
		}
		b := ReflectionBody{BodyKey: u.Key, RepresentativePermutationIndex: u.Permutations[0], ByteLength: u.Size,
			SHA256: hex.EncodeToString(u.SHA256[:]), Effect: portableEffect(body)}
		for t := range b.Effect.Techniques {
			q := &b.Effect.Techniques[t]
			r.programs += len(q.Libraries)
			for j := range q.Passes {
				r.programs += len(q.Passes[j].Stages)
			}
		}
		b.Effect.eachBytes(r.store)
		if i > 0 {
			r.rflx = append(r.rflx, ',')
		}
		if err := r.write(b, "", ""); err != nil {
			return nil, err
		}
		r.bodies++
		if i == 0 { // bodies of one effect are of like size
			r.rflx = slices.Grow(r.rflx, len(r.rflx)*(len(e.Bodies())-1))
		}
	}
	r.rflx = append(r.rflx, `],"blobStore":`...)
	store := ReflectionBlobList{Chunk: "RBLB", ByteLength: len(r.blobs), SHA256: digestHex(r.blobs), BlobCount: len(r.refs), Blobs: r.refs}
	return r, r.write(store, "", "}\n")
}

// write appends a value, without the text cut behind it, and more after it.
func (r *reflectionBuilder) write(v any, cut, more string) error {
	b, err := marshal(v)
	if err != nil {
		return err
	}
	r.rflx = append(append(r.rflx, b[:len(b)-1-len(cut)]...), more...)
	return nil
}

func digestHex(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// store moves bytes into the arena, once for equal ones, and leaves a reference.
func (r *reflectionBuilder) store(b *Bytes) {
	sum := sha256.Sum256(b.Data)
	i, ok := r.byDigest[sum]
	if !ok {
		i = len(r.refs)
		r.byDigest[sum] = i
		r.refs = append(r.refs, BlobRef{
			BlobKey: fmt.Sprintf("blob%d", i), Offset: len(r.blobs), ByteLength: len(b.Data), SHA256: hex.EncodeToString(sum[:])})
		r.blobs = append(r.blobs, b.Data...)
	}
	ref := r.refs[i]
	*b = Bytes{Ref: &ref}
}

// graphOf makes PGRF.
func graphOf(e *effect.Effect) *Graph {
	g := &Graph{
		Format: "CJS_EFFECT_PERMUTATION_GRAPH", FormatVersion: 1,
		Coverage: GraphCoverage{Permutations: "complete", Bodies: "identity-only", Reflection: "absent"},
		Axes:     make([]GraphAxis, len(e.Axes)),
		Variants: make([]Variant, e.PermutationCount()),
		Bodies:   make([]GraphBody, len(e.Bodies())),
	}
	for i := range e.Axes {
		a := &e.Axes[i]
		g.Axes[i] = GraphAxis{Index: i, Name: lenient(a.Name), Options: fileOrder(a.Options, func(s *string) string { return lenient(*s) }),
			DefaultOption: a.Default, Description: lenient(a.Description), Type: int(a.Type)}
	}
	for p := range g.Variants {
		r := e.Records[p]
		g.Variants[p] = Variant{PermutationIndex: p, OptionIndices: e.Choice(p), BodyKey: e.Bodies()[e.BodyOf(p)].Key,
			SourceRecord: SourceRecord{Offset: int(r.Offset), ByteLength: int(r.Size)}}
	}
	for i, u := range e.Bodies() {
		g.Bodies[i] = GraphBody{Key: u.Key, ByteLength: u.Size, SHA256: hex.EncodeToString(u.SHA256[:])}
	}
	return g
}
