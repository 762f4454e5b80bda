package carbon

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

// Pass is the translation of one pass in the terms of a CEWGPU package: a module for
// each stage, the binding layout, and the transforms of resources.
type Pass struct {
	Shaders    []cewgpu.Shader
	Layout     cewgpu.Layout
	Transforms []cewgpu.ResourceTransform
}

// problem is one thing that is wrong with a block, or that a block cannot say.
type problem struct {
	path, text string
	transform  bool
	warning    bool
}

// The names of the merged detail maps in the two generations of writers. The block
// does not say it; the first is what readers of CEWGPU know.
const (
	detailOutput = "DetailMapArray"
	newerOutput  = "DetailArrayMap"
)

var stageWords = [...]string{"vertex", "fragment", "compute"}

// textureDimensions are the texture types that a block can mean.
var textureDimensions = map[string]string{
	"texture_2d<f32>": "2d", "texture_cube<f32>": "cube", "texture_3d<f32>": "3d", "texture_2d_array<f32>": "2d-array",
}

// uniformLength returns N of "array<vec4<f32>, N>".
func uniformLength(typ string) (int, bool) {
	s, ok := strings.CutPrefix(typ, "array<vec4<f32>, ")
	if !ok {
		return 0, false
	}
	if s, ok = strings.CutSuffix(s, ">"); !ok {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && n <= math.MaxInt32/16 && strconv.Itoa(n) == s
}

func visibility(mask uint8) []string {
	out := []string{}
	for i, w := range stageWords {
		if mask>>i&1 != 0 {
			out = append(out, w)
		}
	}
	return out
}

// restorer makes a layout of a block and notes what does not fit.
type restorer struct {
	key      string
	problems []problem
}

func (r *restorer) bad(path, format string, args ...any) {
	r.problems = append(r.problems, problem{path: path, text: fmt.Sprintf(format, args...)})
}

// restore derives what a block does not store: identities, scopes, descriptors and
// what the families of transforms stand for. stages are the modules of the pass in
// WebGPU's words. Problems leave a layout that is only good for looking at.
func restore(b *Block, technique string, pass int, stages []string) (cewgpu.Layout, []cewgpu.ResourceTransform, []problem) {
	r := &restorer{key: passKey(technique, pass)}
	out := cewgpu.Layout{Key: r.key, TechniqueName: technique, PassIndex: pass, BindGroups: []cewgpu.BindGroup{}}
	symbols := map[string]bool{}
	numbers := map[uint8]bool{}
	for _, g := range b.Groups {
		if numbers[g.Number] || int(g.Number) >= len(b.Groups) {
			r.bad(fmt.Sprintf("group %d", g.Number), "groups are numbered from 0 without gaps, each once; there are %d", len(b.Groups))
		}
		numbers[g.Number] = true
		bg := cewgpu.BindGroup{Group: int(g.Number), Bindings: []cewgpu.Binding{}}
		slots := map[uint8]bool{}
		for i := range g.Slots {
			s := &g.Slots[i]
			path := fmt.Sprintf("binding %d.%d", g.Number, s.Slot)
			if slots[s.Slot] {
				r.bad(path, "the slot is used twice")
			}
			slots[s.Slot] = true
			bg.Bindings = append(bg.Bindings, r.binding(s, int(g.Number), path))
			if s.Visibility == 0 || s.Visibility > VisibleVertex|VisibleFragment|VisibleCompute {
				r.bad(path+" visibility", "the mask is 0x%02x; vertex is 1, fragment 2, compute 4", s.Visibility)
			}
			for _, w := range visibility(s.Visibility) {
				if !slices.Contains(stages, w) {
					r.bad(path+" visibility", "visible to %s, and the pass has no such module", w)
				}
				if symbols[s.Symbol+"@"+w] {
					r.bad(path+" symbol", "%q names two bindings of the %s module", s.Symbol, w)
				}
				symbols[s.Symbol+"@"+w] = true
			}
		}
		out.BindGroups = append(out.BindGroups, bg)
	}
	return out, r.transforms(b, &out), r.problems
}

func passKey(technique string, pass int) string { return technique + ".pass" + strconv.Itoa(pass) }

func (r *restorer) binding(s *Slot, group int, path string) cewgpu.Binding {
	kind := kindWords[s.Kind]
	b := cewgpu.Binding{
		Identity: fmt.Sprintf("%s:%d:%d", kind, s.Space, s.Register), ResourceKind: kind, GeneratedSymbol: s.Symbol,
		RegisterSpace: uint32(s.Space), RegisterIndex: s.Register, Group: group, Binding: int(s.Slot),
		Visibility: visibility(s.Visibility), Type: s.Type, TransformID: s.Transform, ArrayLayerCount: int(s.Layers),
	}
	b.ScopeIdentity = b.Identity
	if len(b.Visibility) > 0 {
		b.ScopeIdentity += "@" + b.Visibility[0]
	}
	if len(b.Visibility) > 1 {
		r.problems = append(r.problems, problem{path: path + " visibility", warning: true,
			text: "the binding is shared by stages, and a block cannot say so: its scope reads as that of the first"})
	}
	if s.Symbol == "" {
		r.bad(path+" symbol", "the binding has no symbol")
	}
	if s.Stride != NoStride {
		b.StructureStride = int(s.Stride)
		if s.Stride == 0 || s.Stride%4 != 0 || s.Stride > math.MaxInt32 {
			r.bad(path+" stride", "the structure stride is %d; it is a multiple of 4 bytes", s.Stride)
		}
	}
	if (s.Transform == "") != (s.Layers == 0) {
		r.bad(path+" transform", "an array texture has both a transform and a number of layers; this has the id %q and %d layers", s.Transform, s.Layers)
	}
	size := 4
	if b.StructureStride > 0 {
		size = b.StructureStride
	}
	handle := strings.HasPrefix(s.Type, "texture_") || strings.HasPrefix(s.Type, "sampler")
	switch s.Kind {
	case KindUniform:
		n, ok := uniformLength(s.Type)
		if !ok {
			r.bad(path+" type", "a uniform buffer has the type array<vec4<f32>, N>, found %q", s.Type)
		}
		b.Buffer = &cewgpu.BufferLayout{Type: "uniform", MinBindingSize: 16 * n}
	case KindSampled:
		if dim, ok := textureDimensions[s.Type]; ok {
			b.Texture = &cewgpu.TextureLayout{SampleType: "float", ViewDimension: dim}
			break
		}
		if handle || s.Type == "" {
			r.bad(path+" type", "a sampled resource is a texture of f32 (2d, 2d array, cube, 3d) or a buffer, found %q", s.Type)
		}
		b.Buffer = &cewgpu.BufferLayout{Type: "read-only-storage", MinBindingSize: size}
	case KindSampler:
		if s.Type != "sampler" {
			r.bad(path+" type", "a sampler has the type sampler, found %q", s.Type)
		}
		b.Sampler = &cewgpu.SamplerLayout{Type: "filtering"}
	default:
		if handle || s.Type == "" {
			r.bad(path+" type", "a storage resource is a buffer, found %q", s.Type)
		}
		b.Buffer = &cewgpu.BufferLayout{Type: "storage", MinBindingSize: size}
	}
	return b
}

func (r *restorer) transforms(b *Block, l *cewgpu.Layout) []cewgpu.ResourceTransform {
	var out []cewgpu.ResourceTransform
	at := len(r.problems)
	ids := map[string]int{}
	for i := range b.Transforms {
		t := &b.Transforms[i]
		path := fmt.Sprintf("transform %d", i)
		if _, dup := ids[t.ID]; dup || t.ID == "" {
			r.bad(path+" id", "the id %q is empty or used twice", t.ID)
		}
		ids[t.ID] = len(t.Inputs)
		if t.Family == FamilyNeutralLight {
			r.bad(path+" family", "%s has no counterpart in a WGSL set: its one input is replaced by a constant", familyNames[t.Family])
			continue
		}
		if len(t.Inputs) < 2 {
			r.bad(path+" inputs", "%d inputs; several textures become one", len(t.Inputs))
			continue
		}
		rt := cewgpu.ResourceTransform{ID: t.ID, Version: 1, Kind: "texture-2d-array", LayoutKey: r.key, Stage: "fragment",
			Representation: "native-or-rgba8", MissingLayer: "reject"}
		seen := map[string]bool{}
		for k, in := range t.Inputs {
			id := fmt.Sprintf("%s:%d:%d", kindWords[KindSampled], in.Space, in.Register)
			if seen[id] || seen["="+in.Parameter] || in.Parameter == "" {
				r.bad(fmt.Sprintf("%s input %d", path, k), "the inputs have names and registers of their own; %q at t%d is empty or repeated", in.Parameter, in.Register)
			}
			seen[id], seen["="+in.Parameter] = true, true
			rt.Inputs = append(rt.Inputs, cewgpu.TransformInput{Parameter: in.Parameter, Layer: k, Identity: id, ScopeIdentity: id + "@fragment"})
		}
		rt.Output = cewgpu.TransformOutput{Name: detailOutput, Identity: rt.Inputs[0].Identity, ScopeIdentity: rt.Inputs[0].ScopeIdentity,
			ViewDimension: "2d-array", LayerCount: len(rt.Inputs)}
		uses := 0
		for _, g := range l.BindGroups {
			for j := range g.Bindings {
				if bd := &g.Bindings[j]; bd.TransformID == t.ID && bd.ScopeIdentity == rt.Output.ScopeIdentity && bd.ArrayLayerCount == len(rt.Inputs) && bd.Type == "texture_2d_array<f32>" {
					uses++
				}
			}
		}
		if uses != 1 {
			r.bad(path+" output", "%d bindings are the array texture of its first input with %d layers; there is one", uses, len(rt.Inputs))
		}
		out = append(out, rt)
	}
	for _, g := range l.BindGroups {
		for j := range g.Bindings {
			if id := g.Bindings[j].TransformID; id != "" {
				if _, ok := ids[id]; !ok {
					r.bad(fmt.Sprintf("binding %d.%d transform", g.Group, g.Bindings[j].Binding), "there is no transform %q", id)
				}
			}
		}
	}
	for i := at; i < len(r.problems); i++ {
		r.problems[i].transform = true
	}
	return out
}

// block makes the block of a translated pass, and lists every field that a block
// cannot say: what would be read back is compared with what the pass has.
func (p *Pass) block() (*Block, []problem) {
	var ps []problem
	no := func(path, format string, args ...any) {
		ps = append(ps, problem{path: path, text: fmt.Sprintf(format, args...)})
	}
	b := &Block{Lead: EngineWebGPU}
	small := func(n uint64, path string) uint8 {
		if n > math.MaxUint8 {
			no(path, "%d does not fit: a block has one byte for it", n)
		}
		return uint8(n)
	}
	for gi := range p.Layout.BindGroups {
		g := &p.Layout.BindGroups[gi]
		group := Group{Number: small(uint64(max(g.Group, 0)), fmt.Sprintf("group %d", g.Group))}
		for i := range g.Bindings {
			bd := &g.Bindings[i]
			path := fmt.Sprintf("binding %d.%d", bd.Group, bd.Binding)
			s := Slot{Space: small(uint64(bd.RegisterSpace), path+" registerSpace"), Slot: small(uint64(max(bd.Binding, 0)), path+" binding"),
				Register: bd.RegisterIndex, Stride: NoStride, Layers: small(uint64(max(bd.ArrayLayerCount, 0)), path+" arrayLayerCount"),
				Type: bd.Type, Symbol: bd.GeneratedSymbol, Transform: bd.TransformID}
			k := slices.Index(kindWords[:], bd.ResourceKind)
			if k < 0 {
				no(path+" resourceKind", "a block has no %s", bd.ResourceKind)
				k = int(KindStorage)
			}
			s.Kind = uint8(k)
			switch {
			case bd.StructureStride > 0:
				s.Stride = uint32(bd.StructureStride)
			case bd.Buffer != nil && bd.Buffer.Type != "uniform" && bd.Buffer.MinBindingSize > 4:
				// A reader derives the least size from the stride alone, and a
				// pipeline needs it right: elements of a typed buffer are a stride.
				s.Stride = uint32(bd.Buffer.MinBindingSize)
			}
			for _, w := range bd.Visibility {
				if j := slices.Index(stageWords[:], w); j >= 0 {
					s.Visibility |= 1 << j
				}
			}
			group.Slots = append(group.Slots, s)
		}
		b.Groups = append(b.Groups, group)
	}
	for i := range p.Transforms {
		t := &p.Transforms[i]
		path := fmt.Sprintf("transform %d", i)
		bt := Transform{Family: FamilyDetailMaps, ID: t.ID}
		if t.Kind != "texture-2d-array" {
			no(path+" kind", "a block knows transforms to texture-2d-array, not %q", t.Kind)
		}
		for k, in := range t.Inputs {
			var kind string
			var space, reg uint64
			if _, err := fmt.Sscanf(strings.ReplaceAll(in.Identity, ":", " "), "%s %d %d", &kind, &space, &reg); err != nil {
				no(fmt.Sprintf("%s input %d identity", path, k), "%q is not kind:space:register", in.Identity)
			}
			ip := fmt.Sprintf("%s input %d identity", path, k)
			bt.Inputs = append(bt.Inputs, TransformInput{Space: small(space, ip), Register: small(reg, ip), Parameter: in.Parameter})
		}
		b.Transforms = append(b.Transforms, bt)
	}
	if len(ps) > 0 {
		return b, ps
	}
	var stages []string
	for i := range p.Shaders {
		stages = append(stages, p.Shaders[i].Stage)
	}
	back, transforms, problems := restore(b, p.Layout.TechniqueName, p.Layout.PassIndex, stages)
	return b, append(p.compare(&back, transforms), hard(problems)...)
}

// hard leaves warnings out: compare has said what they mean for the pass.
func hard(ps []problem) []problem {
	return slices.DeleteFunc(ps, func(p problem) bool { return p.warning })
}

// compare lists what a reader would restore to something else than the pass has.
func (p *Pass) compare(back *cewgpu.Layout, transforms []cewgpu.ResourceTransform) []problem {
	var ps []problem
	differ := func(path string, want, got any) {
		if !reflect.DeepEqual(want, got) {
			ps = append(ps, problem{path: path, text: fmt.Sprintf("the pass has %s, a reader of the container would restore %s", show(want), show(got))})
		}
	}
	for gi := range p.Layout.BindGroups {
		g := &p.Layout.BindGroups[gi]
		for i := range g.Bindings {
			want, got := &g.Bindings[i], &back.BindGroups[gi].Bindings[i]
			path := fmt.Sprintf("binding %d.%d ", want.Group, want.Binding)
			differ(path+"identity", want.Identity, got.Identity)
			differ(path+"scopeIdentity", want.ScopeIdentity, got.ScopeIdentity)
			differ(path+"group", want.Group, got.Group)
			differ(path+"visibility", want.Visibility, got.Visibility)
			if want.StructureStride > 0 {
				differ(path+"structureStride", want.StructureStride, got.StructureStride)
			}
			differ(path+"buffer", want.Buffer, got.Buffer)
			differ(path+"texture", want.Texture, got.Texture)
			differ(path+"sampler", want.Sampler, got.Sampler)
			differ(path+"storageTexture", want.StorageTexture, got.StorageTexture)
		}
	}
	for i := range min(len(transforms), len(p.Transforms)) {
		want, got := p.Transforms[i], transforms[i]
		if want.Output.Name == newerOutput {
			got.Output.Name = newerOutput // the other generation's word for the same
		}
		differ(fmt.Sprintf("transform %d", i), want, got)
	}
	return ps
}

func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(clip(v))
	case *cewgpu.BufferLayout:
		if v == nil {
			return "no buffer"
		}
		return fmt.Sprintf("a %s buffer of at least %d bytes (dynamic offset: %t)", v.Type, v.MinBindingSize, v.HasDynamicOffset)
	case *cewgpu.TextureLayout:
		if v == nil {
			return "no texture"
		}
		return fmt.Sprintf("a texture (%s, %s, multisampled: %t)", v.SampleType, v.ViewDimension, v.Multisampled)
	case *cewgpu.SamplerLayout:
		if v == nil {
			return "no sampler"
		}
		return "a " + v.Type + " sampler"
	case *cewgpu.StorageTexture:
		if v == nil {
			return "no storage texture"
		}
		return fmt.Sprintf("a storage texture (%s, %s, %s)", v.Access, v.Format, v.ViewDimension)
	}
	return clip(fmt.Sprintf("%v", v))
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "..."
	}
	return s
}

// webStages are the stages that a program slot may hold, with WebGPU's words.
var webStages = map[effect.StageType]string{effect.Vertex: "vertex", effect.Pixel: "fragment", effect.Compute: "compute"}

// checkShaders lists what of the modules a container cannot say.
func (p *Pass) checkShaders(stages []effect.Stage) []problem {
	var ps []problem
	no := func(path, format string, args ...any) {
		ps = append(ps, problem{path: path, text: fmt.Sprintf(format, args...)})
	}
	for i := range stages {
		s := &stages[i]
		word, ok := webStages[s.Type]
		if !ok {
			no(s.Type.String(), "a container has modules of vertex, pixel and compute stages alone")
			continue
		}
		k := slices.IndexFunc(p.Shaders, func(sh cewgpu.Shader) bool { return sh.Stage == word })
		if k < 0 {
			no(s.Type.String(), "the stage has no module")
			continue
		}
		sh := &p.Shaders[k]
		if sh.EntryPoint != "main" {
			no(s.Type.String()+" entryPoint", "the entry point is %q, that of a container is always main", sh.EntryPoint)
		}
		if g := s.ThreadGroup; s.Type == effect.Compute && !slices.Equal(sh.ThreadGroupSize, g[:]) {
			no(s.Type.String()+" threadGroupSize", "the module has %v, the effect %v", sh.ThreadGroupSize, g)
		}
	}
	if len(p.Shaders) != len(stages) && len(ps) == 0 {
		no("stages", "%d modules for %d stages", len(p.Shaders), len(stages))
	}
	return ps
}
