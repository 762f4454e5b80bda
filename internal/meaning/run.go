package meaning

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// name is the register of a binding as worlds have it.
func name(b *layout.Binding) string {
	letter := map[layout.Kind]string{layout.UniformBuffer: "b", layout.SampledResource: "t", layout.Sampler: "s", layout.StorageResource: "u", layout.UAVCounter: "u"}[b.Kind]
	return register(letter, b.Register, b.Space) + map[bool]string{true: ".count"}[b.Kind == layout.UAVCounter]
}

func register(letter string, reg, space uint32) string {
	s := fmt.Sprintf("%s%d", letter, reg)
	if space > 0 {
		s += fmt.Sprintf("/%d", space)
	}
	return s
}

// jobLimits are asked for by every job, so that all share devices.
var jobLimits = map[string]uint64{"maxStorageBuffersPerShaderStage": 10, "maxStorageTexturesPerShaderStage": 8}

// Job is a dispatch of a compiled pass over the world, for the judge. It fails where
// the program has a binding that the world does not have.
func Job(id string, p *compile.Pass, w *World) (judge.Job, error) {
	j := judge.Job{ID: id, Limits: map[string]uint64{}}
	for k, v := range jobLimits {
		j.Limits[k] = v
	}
	read := map[string]bool{}
	pass, err := Pass(&j, p, w, read)
	if err != nil {
		return j, err
	}
	j.Passes = []judge.Pass{pass}
	return j, resources(&j, w, read)
}

// Pass is a dispatch of a compiled pass over resources named as in w; it adds to j
// what the module requires, and to read the UAVs that it binds.
func Pass(j *judge.Job, p *compile.Pass, w *World, read map[string]bool) (judge.Pass, error) {
	m := p.Stages[0].Module
	j.Features = append(j.Features, m.Requires.Features...)
	for k, v := range m.Requires.Limits {
		j.Limits[k] = max(j.Limits[k], uint64(v))
	}
	out := judge.Pass{Modules: []judge.Module{{Stage: judge.Compute, EntryPoint: m.EntryPoint, Code: m.Code}}, Dispatch: w.Groups[:], Layout: [][]judge.Entry{}}
	for i := range p.Plan.Bindings {
		b := &p.Plan.Bindings[i]
		n := name(b)
		bind := judge.Bind{Group: b.Group, Binding: b.Binding, Resource: n}
		e := judge.Entry{Binding: b.Binding, Visibility: []string{judge.Compute}}
		_, buffer := w.Buffers[n]
		_, sampler := w.Samplers[n]
		texture := w.Textures[n]
		switch {
		case b.Buffer != nil && buffer:
			e.Buffer = &judge.BufferLayout{Type: b.Buffer.Type, MinBindingSize: uint64(b.Buffer.MinBindingSize)}
		case b.Sampler != nil && sampler:
			e.Sampler = &judge.SamplerLayout{Type: b.Sampler.Type}
		case b.Texture != nil && texture != nil:
			e.Texture = &judge.TextureLayout{SampleType: b.Texture.SampleType, ViewDimension: b.Texture.ViewDimension}
			bind.View = &judge.View{Dimension: b.Texture.ViewDimension}
		case b.Storage != nil && texture != nil:
			if b.Storage.Format != texture.Format {
				return out, fmt.Errorf("%s is %s in the plan, %s in the inputs", n, b.Storage.Format, texture.Format)
			}
			e.StorageTexture = &judge.StorageTextureLayout{Access: b.Storage.Access, Format: b.Storage.Format, ViewDimension: b.Storage.ViewDimension}
			bind.View = &judge.View{Dimension: b.Storage.ViewDimension}
		default:
			return out, fmt.Errorf("the inputs have no %s (%s)", n, b.Type)
		}
		if b.Kind == layout.StorageResource || b.Kind == layout.UAVCounter {
			read[n] = true
		}
		for len(out.Layout) <= b.Group {
			out.Layout = append(out.Layout, []judge.Entry{})
		}
		out.Layout[b.Group] = append(out.Layout[b.Group], e)
		out.Bind = append(out.Bind, bind)
	}
	return out, nil
}

// resources adds the world's resources to a job.
func resources(j *judge.Job, w *World, read map[string]bool) error {
	for _, n := range sortedKeys(w.Buffers) {
		j.Buffers = append(j.Buffers, judge.Buffer{Name: n, Data: judge.Words(w.Buffers[n].Words...), Read: read[n]})
	}
	for _, n := range sortedKeys(w.Textures) {
		t := w.Textures[n]
		x := judge.Texture{Name: n, Format: t.Format, Width: t.W, Height: t.H, Layers: t.D, Storage: read[n], Read: read[n]}
		if t.Dim == "3d" {
			x.Dimension = "3d"
			x.Data = [][]byte{t.bytes()}
		} else {
			all := t.bytes()
			for z := range t.D {
				x.Data = append(x.Data, all[z*len(all)/t.D:(z+1)*len(all)/t.D])
			}
		}
		j.Textures = append(j.Textures, x)
	}
	for _, n := range sortedKeys(w.Samplers) {
		f := string(w.Samplers[n])
		j.Samplers = append(j.Samplers, judge.Sampler{Name: n, MagFilter: f, MinFilter: f})
	}
	return nil
}

// Result is the world after a job of the judge; only what was read is there.
func Result(o judge.Outcome, w *World) *World {
	out := &World{Groups: w.Groups, Buffers: map[string]*Buffer{}, Textures: map[string]*Texture{}}
	for n, data := range o.Outputs {
		if t := w.Textures[n]; t != nil {
			out.Textures[n] = t.with(data)
			continue
		}
		out.Buffers[n] = &Buffer{Words: judge.AsWords(data)}
	}
	return out
}

// dims are the texture dimensions of the interpreter.
var dims = map[string]dxbc.Dim{"1d": dxbc.DimTexture1D, "1d-array": dxbc.DimTexture1DArray, "2d": dxbc.DimTexture2D, "2d-array": dxbc.DimTexture2DArray, "3d": dxbc.DimTexture3D}

// Interpret runs the program itself over a copy of the world, one invocation after
// the other. It returns the world after it and the UAVs that the program declares.
func Interpret(ctx context.Context, s *dxbc.Shader, views map[string]string, w *World) (*World, []string, error) {
	prog, err := interp.Compile(s, interp.CompileOptions{})
	if err != nil {
		return nil, nil, err
	}
	env := &interp.Env{CBuffers: map[interp.Slot][]byte{}, SRVs: map[interp.Slot]*interp.View{}, UAVs: map[interp.Slot]*interp.View{}, Samplers: map[interp.Slot]*interp.Sampler{}}
	var uavs []string
	for i := range s.Program.Instrs {
		in := &s.Program.Instrs[i]
		if in.Decl == nil || len(in.Operands) == 0 {
			continue
		}
		space := in.Decl.Space
		_, lo, hi := in.Range()
		for reg := lo; reg <= min(hi, lo+7); reg++ {
			slot := interp.Slot{Register: reg, Space: space}
			switch in.Operands[0].Reg {
			case dxbc.RegConstantBuffer:
				if b := w.Buffers[register("b", reg, space)]; b != nil {
					env.CBuffers[slot] = judge.Words(b.Words...)
				}
			case dxbc.RegResource:
				if v, err := view(in, "t", reg, space, views, w); err != nil {
					return nil, nil, err
				} else if v != nil {
					env.SRVs[slot] = v
				}
			case dxbc.RegUAV:
				v, err := view(in, "u", reg, space, views, w)
				if err != nil {
					return nil, nil, err
				}
				if v != nil {
					env.UAVs[slot] = v
					uavs = append(uavs, register("u", reg, space))
					if b := w.Buffers[register("u", reg, space)+".count"]; b != nil {
						n := b.Words[0]
						v.Counter = &n
						uavs = append(uavs, register("u", reg, space)+".count")
					}
				}
			case dxbc.RegSampler:
				f := interp.Point
				if w.Samplers[register("s", reg, space)] == Linear {
					f = interp.Linear
				}
				env.Samplers[slot] = &interp.Sampler{Min: f, Mag: f, Mip: interp.Point, MaxLOD: 32}
			}
		}
	}
	if _, err := interp.Dispatch(ctx, prog, env, w.Groups, interp.Options{MaxSteps: 8_000_000, NoRaces: true}); err != nil {
		return nil, nil, err
	}
	out := w.Clone()
	for slot, v := range env.UAVs {
		n := register("u", slot.Register, slot.Space)
		switch {
		case v.Tex != nil:
			var all []byte
			for _, img := range v.Tex.Data {
				all = append(all, img...)
			}
			out.Textures[n] = out.Textures[n].with(all)
		default:
			out.Buffers[n] = &Buffer{Words: judge.AsWords(v.Mem.Data)}
		}
		if v.Counter != nil {
			out.Buffers[n+".count"] = &Buffer{Words: []uint32{*v.Counter}}
		}
	}
	return out, uavs, nil
}

// view binds a resource of the world as the program declares it; nil where the
// world does not have it (the program declares it and does not use it).
func view(in *dxbc.Instr, letter string, reg, space uint32, views map[string]string, w *World) (*interp.View, error) {
	n := register(letter, reg, space)
	if t := w.Textures[n]; t != nil {
		f, ok := interp.LookupFormat(formats[t.Format].dxgi)
		if !ok {
			return nil, fmt.Errorf("%s: no format %s", n, formats[t.Format].dxgi)
		}
		depth, layers := 1, t.D
		if t.Dim == "3d" {
			depth, layers = t.D, 1
		}
		tex, err := interp.NewTexture(dims[t.Dim], t.W, t.H, depth, layers, 1, 1, f)
		if err != nil {
			return nil, err
		}
		all := t.bytes()
		for i := range tex.Data {
			copy(tex.Data[i], all[i*len(all)/len(tex.Data):])
		}
		return interp.TextureView(tex), nil
	}
	b := w.Buffers[n]
	if b == nil {
		return nil, nil
	}
	data := make([]byte, 0, 4*len(b.Words))
	for _, x := range b.Words {
		data = binary.LittleEndian.AppendUint32(data, x)
	}
	mem := interp.NewMemory(data)
	switch in.Op {
	case dxbc.OpDclResourceStructured, dxbc.OpDclUavStructured:
		return interp.StructuredView(mem, int(in.Decl.Stride)), nil
	case dxbc.OpDclResource, dxbc.OpDclUavTyped:
		f := views[n]
		if f == "" {
			f = layout.AssumedFormat(in.Decl.Return[0], 0)
		}
		format, ok := interp.LookupFormat(f)
		if !ok {
			return nil, fmt.Errorf("%s: no format %s", n, f)
		}
		return interp.TypedView(mem, format), nil
	default:
		return interp.RawView(mem), nil
	}
}

// Views are the options that give the formats of a program.
func (p *Program) options() *compile.Options {
	o := &compile.Options{Views: map[string]string{"*": "auto"}, Classes: p.Classes}
	for k, v := range p.Views {
		o.Views[strings.TrimSpace(k)] = v
	}
	return o
}
