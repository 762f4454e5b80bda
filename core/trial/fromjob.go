package trial

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/gpu"
	"fxlens/core/interp"
	"fxlens/core/interp/job"
	"fxlens/core/wgsl/layout"
)

func unavailable(format string, args ...any) error {
	return &ErrUnavailable{fmt.Sprintf(format, args...)}
}

// jobSource is the job that a trial was made of.
type jobSource struct {
	job    *job.Job
	open   func(string) ([]byte, error)
	pixels int // of the job, without those that fill the judge's image
}

// FromJob makes a trial of what a job says; the stage's program takes the place of
// the one that the job names. open reads the files that the job names. What the program
// can read and WebGPU cannot set up (border colours, unbound resources) runs here all the
// same, and [Trial.Job] fails on it. It fails with the job's own errors.
func (s *Stage) FromJob(ctx context.Context, j *job.Job, open func(string) ([]byte, error)) (*Trial, error) {
	kind := s.Shader.Program.Kind.String()
	set, err := j.Prepare(ctx, job.Options{Open: open, Program: s.Shader})
	if err != nil {
		return nil, err
	}
	env := set.Envs[kind]
	if env == nil {
		return nil, fmt.Errorf("the job's stage is %s, the program a %s program", set.Stage, kind)
	}
	t := &Trial{Stage: s, Set: Given, Groups: set.Groups, bound: env, source: &jobSource{job: j, open: open}}
	if err := t.resources(&source{}); err != nil {
		return nil, err
	}
	switch s.kind() {
	case layout.Vertex:
		t.verticesOf(set)
	case layout.Fragment:
		t.source.pixels = set.Pixels.N
		t.pixelsOf(set.Pixels)
	}
	return t, nil
}

func (t *Trial) verticesOf(set *job.Setup) {
	b := set.Vertices
	t.n, t.in = b.N, b.In
	t.perInstance = set.PerInstance
	for _, e := range t.Stage.decl.Inputs {
		if e.RegType != dxbc.RegInput {
			continue
		}
		rows := t.in[e.Register]
		for i := range rows {
			for k := range 4 {
				if e.Mask>>k&1 == 0 {
					continue
				}
				switch want := rows[i%t.perInstance][k]; {
				case e.SysValue == 6 && rows[i][k] != uint32(i%t.perInstance):
					t.lose("vertices that are not numbered from 0: the judge numbers them so")
				case e.SysValue == 8 || e.SysValue == 6:
				case rows[i][k] != want:
					t.lose("an attribute of instances: the judge has attributes of vertices only")
				}
			}
		}
	}
}

// pixelsOf takes quads over, filled up to whole rows of the judge's image.
func (t *Trial) pixelsOf(b *interp.Batch) {
	const row = 2 * pixelsX
	n := (b.N + row - 1) / row * row
	if n > 1<<14 {
		t.lose("%d pixels: the judge takes %d", b.N, 1<<14)
		n = b.N
	}
	from := func(i int) int {
		if i < b.N {
			return i
		}
		return b.N - 4 + i%4 // the last quad again
	}
	t.n, t.in, t.special = n, map[uint32][][4]uint32{}, map[dxbc.RegType][]uint32{}
	for r, rows := range b.In {
		out := make([][4]uint32, n)
		for i := range out {
			out[i] = rows[from(i)]
		}
		t.in[r] = out
	}
	t.helper = make([]bool, n)
	coverage, primitive := make([]uint32, n), make([]uint32, n)
	for i := range n {
		t.helper[i] = i >= b.N || b.Helper[i]
		coverage[i], primitive[i] = b.Coverage[from(i)], b.PrimitiveID[from(i)]
	}
	t.special[dxbc.RegInputCoverage], t.special[dxbc.RegPrimitiveID] = coverage, primitive
	t.position = make([][4]uint32, n)
	for i := range t.position {
		x, y := pixel(i)
		t.position[i] = [4]uint32{math.Float32bits(float32(x) + 0.5), math.Float32bits(float32(y) + 0.5), math.Float32bits(0.5), math.Float32bits(1)}
	}
	writes := false
	for i := range t.Stage.decl.Resources {
		writes = writes || t.Stage.decl.Resources[i].Written
	}
	for i := range t.helper {
		if t.helper[i] && writes {
			t.lose("a pixel program that writes memory, with helper pixels: the judge's pixels are all real")
		}
	}
	for _, e := range t.Stage.decl.Inputs {
		if e.SysValue == 1 && e.RegType == dxbc.RegInput && e.Mask == 15 {
			copy(t.position, t.in[e.Register])
		}
	}
}

// takeBuffer takes a buffer's contents from what the job binds.
func (t *Trial) takeBuffer(b *buffer, at *layout.Binding) error {
	slot := interp.Slot{Register: b.res.Register, Space: b.res.Space}
	switch b.kind {
	case layout.UniformBuffer:
		d, ok := t.bound.CBuffers[slot]
		if !ok {
			t.lose("cb%d is not bound: WebGPU has no unbound buffers", slot.Register)
			b.lost = true
			return nil
		}
		b.data = append(b.data, d...)
		for len(b.data) < max(at.Buffer.MinBindingSize, 16) {
			b.data = append(b.data, 0)
		}
		return nil
	case layout.UAVCounter:
		b.data = make([]byte, 4)
		v := t.bound.UAVs[slot]
		if v == nil || v.Counter == nil {
			b.lost = true
			t.lose("u%d has no counter: WebGPU has no unbound buffers", slot.Register)
			return nil
		}
		binary.LittleEndian.PutUint32(b.data, *v.Counter)
		return nil
	}
	views, name := t.bound.SRVs, "t"
	if b.kind == layout.StorageResource {
		views, name = t.bound.UAVs, "u"
	}
	v := views[slot]
	if v == nil || v.Mem == nil {
		t.lose("%s%d is not bound to a buffer: WebGPU has no unbound buffers", name, slot.Register)
		b.lost, b.given = true, v
		return nil
	}
	size := 4
	switch b.res.Dim {
	case dxbc.DimStructuredBuffer:
		if size = v.Stride; v.Stride != int(b.res.Stride) {
			return fmt.Errorf("%s%d has structures of %d bytes, the program declares %d", name, slot.Register, v.Stride, b.res.Stride)
		}
	case dxbc.DimBuffer:
		f, ok := interp.LookupFormat(at.Format)
		if t.Stage.Module == nil && v.Format != nil {
			f, ok = v.Format, true
		}
		if !ok {
			return unavailable("typed buffer of %s", at.Format)
		}
		if v.Format == nil || v.Format.Name != f.Name {
			return fmt.Errorf("%s%d is compiled for views of %s and the job has another one; name the job's with --view %s%d=FORMAT", name, slot.Register, f.Name, name, slot.Register)
		}
		b.fmt, size = f, f.Bytes
	}
	b.data = append(b.data, v.Mem.Data[v.First*size:(v.First+v.Num)*size]...)
	for len(b.data)%4 != 0 {
		b.data = append(b.data, 0)
	}
	return nil
}

// webFormats are the texture formats that WebGPU has under a DXGI name, beside those
// of storage textures.
var webFormats = map[string]string{"R8G8B8A8_UNORM_SRGB": "rgba8unorm-srgb", "B8G8R8A8_UNORM_SRGB": "bgra8unorm-srgb", "D32_FLOAT": "depth32float", "D16_UNORM": "depth16unorm", "R11G11B10_FLOAT": "rg11b10ufloat", "R9G9B9E5_SHAREDEXP": "rgb9e5ufloat"}

// takeTexture takes a texture from what the job binds; sample is the type that the
// module samples, storage the format that a storage texture has in it.
func (t *Trial) takeTexture(x *texture, at *bindingAt, sample, storage string) error {
	slot := interp.Slot{Register: x.res.Register, Space: x.res.Space}
	views, name := t.bound.SRVs, "t"
	if x.uav {
		views, name = t.bound.UAVs, "u"
	}
	v := views[slot]
	if v == nil || v.Tex == nil {
		t.lose("%s%d is not bound to a texture: WebGPU has no unbound textures", name, slot.Register)
		x.lost, x.given = true, v
		return nil
	}
	tex := v.Tex
	web := webFormats[v.Format.Name]
	if f, ok := layout.LookupFormat(v.Format.Name); ok && f.Texel != "" {
		web = f.Texel
	}
	switch {
	case web == "":
		t.lose("%s%d has the format %s, which the judge does not have", name, slot.Register, v.Format.Name)
		x.lost, x.given, x.format = true, v, tex.Format
		return nil
	case storage != "" && storage != web:
		return fmt.Errorf("%s%d is compiled for views of %s and the job has %s; name it with --view %s%d=%s", name, slot.Register, storage, web, name, slot.Register, v.Format.Name)
	case v.FirstLayer != 0 || v.Layers != 0:
		t.lose("%s%d is a view of some layers", name, slot.Register)
		x.lost, x.given, x.format = true, v, tex.Format
		return nil
	}
	if sample == "float" && v.Format.Type == dxbc.RetFloat && strings.HasPrefix(v.Format.Name, "R32") && !slices.Contains(t.features, "float32-filterable") {
		t.features = append(t.features, "float32-filterable")
	}
	x.format = v.Format
	dim, layers := "2d", tex.Layers
	if x.dim == dxbc.DimTexture3D {
		dim, layers = "3d", tex.Depth
	}
	x.firstMip, x.mips = v.FirstMip, v.Mips
	x.web = gpu.Texture{Name: x.name, Dimension: dim, Format: web, Width: tex.Width, Height: tex.Height, Layers: layers, Mips: tex.Mips, Samples: max(tex.Samples, 1), Storage: x.uav, Read: x.uav, Data: tex.Data}
	at.view.BaseMipLevel, at.view.MipLevelCount = v.FirstMip, v.Mips
	return nil
}

func (t *Trial) takeSampler(x *sampler) error {
	st := t.bound.Samplers[interp.Slot{Register: x.res.Register, Space: x.res.Space}]
	if st == nil {
		t.lose("s%d is not bound: WebGPU has no unbound samplers", x.res.Register)
		x.lost = true
		return nil
	}
	x.state = *st
	for _, a := range st.Addr {
		if a == interp.Border || a == interp.MirrorOnce {
			t.lose("s%d has an address mode that WebGPU does not have", x.res.Register)
		}
	}
	if st.Bias != 0 {
		t.lose("s%d has a bias of the level, which WebGPU samplers do not have", x.res.Register)
	}
	return nil
}

// OtherPrograms reads the programs of the job's other stages, by stage: a draw has a
// vertex and a pixel program. It is empty for a trial that no job made.
func (t *Trial) OtherPrograms() (map[string][]byte, error) {
	out := map[string][]byte{}
	if t.source == nil || t.source.job.Stage() != "draw" {
		return out, nil
	}
	for _, l := range t.source.job.Lines {
		if l.Words[0] != "dxbc" || len(l.Words) < 3 || l.Words[1] == t.Stage.Shader.Program.Kind.String() {
			continue
		}
		b, err := t.source.open(l.Words[2])
		if err != nil {
			return nil, err
		}
		out[l.Words[1]] = b
	}
	return out, nil
}
