package trial

import (
	"slices"
	"strings"

	"fxlens/core/gpu"
	"fxlens/core/interp"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// Limits that all jobs ask for, so that they share devices: more storage buffers
// than WebGPU's default, for those of the harness.
var jobLimits = map[string]uint64{"maxStorageBuffersPerShaderStage": 10}

// Job is the trial for the gpu.
func (t *Trial) Job(id string) (gpu.Job, error) {
	m := t.Stage.Module
	if err := t.Stage.noWGSL(); err != nil {
		return gpu.Job{}, err
	}
	if t.noJudge != "" {
		return gpu.Job{}, unavailable("%s", t.noJudge)
	}
	j := gpu.Job{ID: id, Limits: map[string]uint64{}, Features: m.Requires.Features}
	for k, v := range jobLimits {
		j.Limits[k] = v
	}
	j.Features = append(slices.Clone(j.Features), t.features...)
	for k, v := range m.Requires.Limits {
		j.Limits[k] = max(j.Limits[k], uint64(v))
	}
	p := gpu.Pass{Layout: t.entries()}
	bind := func(name string, at []bindingAt) {
		for _, a := range at {
			p.Bind = append(p.Bind, gpu.Bind{Group: a.group, Binding: a.binding, Resource: name, View: a.view})
		}
	}
	for _, b := range t.buffers {
		j.Buffers = append(j.Buffers, gpu.Buffer{Name: b.name, Data: b.data, Read: b.kind == layout.StorageResource || b.kind == layout.UAVCounter})
		bind(b.name, b.at)
	}
	for _, x := range t.textures {
		if len(x.at) > 0 {
			j.Textures = append(j.Textures, x.web)
			bind(x.name, x.at)
		}
	}
	for _, a := range t.arrays {
		j.Textures = append(j.Textures, a.web())
		bind(a.layers[0].name, []bindingAt{a.at})
	}
	for _, x := range t.samplers {
		s := x.web()
		j.Samplers = append(j.Samplers, s)
		for k, a := range x.at {
			name := s.Name
			if x.types[k] != "comparison" {
				continue
			}
			c := s
			c.Name = name + "#comparison"
			c.Compare = [...]string{"never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"}[x.state.Cmp]
			j.Samplers = append(j.Samplers, c)
			p.Bind = append(p.Bind, gpu.Bind{Group: a.group, Binding: a.binding, Resource: c.Name})
		}
		for k, a := range x.at {
			if x.types[k] != "comparison" {
				p.Bind = append(p.Bind, gpu.Bind{Group: a.group, Binding: a.binding, Resource: s.Name})
			}
		}
	}
	code := gpu.Module{Stage: m.Stage.String(), EntryPoint: m.EntryPoint, Code: m.Code}
	switch m.Stage {
	case layout.Compute:
		p.Modules = []gpu.Module{code}
		p.Dispatch = t.Groups[:]
	case layout.Vertex:
		p.Modules = []gpu.Module{code}
		p.Capture = &gpu.Capture{VertexCount: uint32(t.perInstance), InstanceCount: uint32(t.n / t.perInstance), Inputs: t.captureInputs()}
	case layout.Fragment:
		if err := t.fragment(&j, &p, code); err != nil {
			return j, err
		}
	}
	j.Passes = []gpu.Pass{p}
	return j, nil
}

func (x *sampler) web() gpu.Sampler {
	f := func(f interp.Filter) string { return [...]string{"nearest", "linear"}[f] }
	a := func(a interp.Address) string { return [...]string{"clamp-to-edge", "repeat", "mirror-repeat"}[a] }
	s := &x.state
	w := gpu.Sampler{Name: x.name, MinFilter: f(s.Min), MagFilter: f(s.Mag), MipmapFilter: f(s.Mip), AddressModeU: a(s.Addr[0]), AddressModeV: a(s.Addr[1]), AddressModeW: a(s.Addr[2])}
	if s.MinLOD > 0 || s.MaxLOD < 32 {
		lo, hi := float64(max(s.MinLOD, 0)), float64(max(s.MaxLOD, s.MinLOD, 0))
		w.LodMinClamp, w.LodMaxClamp = &lo, &hi
	}
	if s.Aniso > 1 && s.Min == interp.Linear && s.Mag == interp.Linear && s.Mip == interp.Linear {
		w.MaxAnisotropy = s.Aniso
	}
	return w
}

func (t *Trial) entries() [][]gpu.Entry {
	out := [][]gpu.Entry{}
	for i := range t.Stage.Plan.Bindings {
		b := &t.Stage.Plan.Bindings[i]
		if !t.Stage.visible(b) {
			continue
		}
		e := gpu.Entry{Binding: b.Binding, Visibility: []string{t.Stage.Module.Stage.String()}}
		switch {
		case b.Buffer != nil:
			e.Buffer = &gpu.BufferLayout{Type: b.Buffer.Type, MinBindingSize: uint64(b.Buffer.MinBindingSize)}
		case b.Texture != nil:
			e.Texture = &gpu.TextureLayout{SampleType: b.Texture.SampleType, ViewDimension: b.Texture.ViewDimension, Multisampled: b.Texture.Multisampled}
		case b.Sampler != nil:
			e.Sampler = &gpu.SamplerLayout{Type: b.Sampler.Type}
		case b.Storage != nil:
			e.StorageTexture = &gpu.StorageTextureLayout{Access: b.Storage.Access, Format: b.Storage.Format, ViewDimension: b.Storage.ViewDimension}
		}
		for len(out) <= b.Group {
			out = append(out, []gpu.Entry{})
		}
		out[b.Group] = append(out[b.Group], e)
	}
	return out
}

// components lists the register components of an interface element in order.
func components(mask string) []int {
	var out []int
	for _, c := range mask {
		out = append(out, strings.IndexRune("xyzw", c))
	}
	return out
}

// width is the number of components of a WGSL type, and its scalar.
func width(typ string) (int, string) {
	if rest, ok := strings.CutPrefix(typ, "vec"); ok && len(rest) > 3 {
		return int(rest[0] - '0'), rest[2 : len(rest)-1]
	}
	return 1, typ
}

// locations gives the four words of each input location of an invocation.
func (t *Trial) locations(i int) map[int][4]uint32 {
	out := map[int][4]uint32{}
	for _, io := range t.Stage.Module.IO {
		if io.Direction != "in" || io.Location == nil {
			continue
		}
		v := out[*io.Location]
		for k, c := range components(io.Mask) {
			if rows := t.in[io.Register]; rows != nil && io.Component+k < 4 {
				v[io.Component+k] = rows[i][c]
			}
		}
		out[*io.Location] = v
	}
	return out
}

func (t *Trial) captureInputs() []gpu.CaptureInput {
	data := map[int][]byte{}
	var order []int
	for v := range t.perInstance {
		for loc, w := range t.locations(v) {
			if _, ok := data[loc]; !ok {
				order = append(order, loc)
			}
			for _, x := range w {
				data[loc] = put(data[loc], x)
			}
		}
	}
	slices.Sort(order)
	var out []gpu.CaptureInput
	for _, l := range order {
		out = append(out, gpu.CaptureInput{Location: l, Data: data[l]})
	}
	return out
}

// outputs of the module that are stage outputs, in order.
func outputs(m *wgsl.Module) []wgsl.IO {
	var out []wgsl.IO
	for _, io := range m.IO {
		if io.Direction == "out" {
			out = append(out, io)
		}
	}
	return out
}
