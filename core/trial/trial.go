package trial

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/gpu"
	"fxlens/core/interp"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// Pixels of a trial of a pixel program, and vertices of a vertex program.
const (
	pixelsX, pixelsY    = 8, 8
	vertices, instances = 24, 2
)

// Trial is one stage with one set of inputs.
type Trial struct {
	Stage  *Stage
	Set    Set
	Seed   uint64
	Groups [3]uint32
	// Tol, when not nil, takes the place of the tolerance that perturbed runs give.
	Tol *Tolerance

	buffers     []*buffer
	textures    []*texture
	arrays      []*array
	samplers    []*sampler
	n           int                       // invocations of a vertex or pixel program
	in          map[uint32][][4]uint32    // v#
	position    [][4]uint32               // SV_Position as D3D has it
	special     map[dxbc.RegType][]uint32 // vCoverage, vPrim
	perInstance int                       // vertices of an instance
	helper      []bool                    // pixels that are there for derivatives only; nil: none
	bound       *interp.Env               // of a job: what takes the place of generated contents
	features    []string                  // what the textures take of the driver
	calm        bool
	noJudge     string // why the judge cannot run it; empty: it can
	source      *jobSource
	edited      []inputAt
	raced       map[interp.Slot][]bool // what the interpreter found, see interp.Memory
	racedTexels map[interp.Slot]map[interp.TexelPlace]bool
}

// bindingAt is where the WGSL module has a resource.
type bindingAt struct {
	group, binding int
	view           *gpu.View
}

type buffer struct {
	name string
	res  *ir.Resource
	data []byte
	kind layout.Kind
	fmt  *interp.Format // typed
	at   []bindingAt
	// given is what a job binds where WebGPU cannot have it, or nil where it binds
	// nothing; see lost.
	given  *interp.View
	lost   bool // the judge has no such thing
	edited bool
}

type texture struct {
	name   string
	res    *ir.Resource
	web    gpu.Texture
	dim    dxbc.Dim
	format *interp.Format
	uav    bool
	at     []bindingAt
	// The levels of the view; mips 0 means the rest.
	firstMip, mips int
	given          *interp.View // as of a buffer
	lost           bool
}

// array is a texture of the module whose layers are textures of the program; they
// are in Trial.textures, bound to nothing.
type array struct {
	layers []*texture
	at     bindingAt
}

// web is the array texture with the present contents of its layers.
func (a *array) web() gpu.Texture {
	w := a.layers[0].web
	w.Layers, w.Data = len(a.layers), nil
	for _, l := range a.layers {
		w.Data = append(w.Data, l.web.Data...)
	}
	return w
}

type sampler struct {
	name  string
	res   *ir.Resource
	state interp.Sampler
	at    []bindingAt
	types []string
	lost  bool // a job leaves it unbound
}

// ErrUnavailable says why a trial cannot be made: what the judge cannot set up.
type ErrUnavailable struct{ Reason string }

func (e *ErrUnavailable) Error() string { return e.Reason }

// Trial makes inputs. calm keeps integers small.
func (s *Stage) Trial(set Set, seed uint64, calm bool) (*Trial, error) {
	t := &Trial{Stage: s, Set: set, Seed: seed, calm: calm}
	r := &source{seed ^ uint64(set)<<56}
	if s.kind() == layout.Compute {
		g := s.Prog.Group
		t.Groups = [3]uint32{2, 1, 1}
		for k := 1; k < 3; k++ {
			if g[k] > 1 && g[0]*g[1]*g[2] <= 256 {
				t.Groups[k] = 2
			}
		}
	}
	if s.Module != nil && s.Module.Requires.Limits["maxComputeWorkgroupStorageSize"] > 16384 {
		t.noJudge = "SwiftShader takes minutes for more than 16 KiB of groupshared memory"
	}
	if err := t.resources(r); err != nil {
		return nil, err
	}
	switch s.kind() {
	case layout.Vertex:
		t.n, t.perInstance = vertices*instances, vertices
		t.vertexInputs(r)
	case layout.Fragment:
		t.n = pixelsX * pixelsY
		t.pixelInputs(r)
	}
	return t, nil
}

// threads is the number of invocations of a dispatch.
func (t *Trial) threads() int {
	g := t.Stage.Prog.Group
	return int(g[0] * g[1] * g[2] * t.Groups[0] * t.Groups[1] * t.Groups[2])
}

func (t *Trial) resources(r *source) error {
	s := t.Stage
	type key struct {
		class ir.Class
		slot  interp.Slot
	}
	bufs, texs, samps := map[key]*buffer{}, map[key]*texture{}, map[key]*sampler{}
	for i := range s.bound {
		b, res := s.bound[i].Binding, s.bound[i].res
		k := key{res.Class, interp.Slot{Register: res.Register, Space: res.Space}}
		at := bindingAt{group: b.Group, binding: b.Binding}
		name := fmt.Sprintf("%s:%d:%d", b.Kind, res.Space, res.Register)
		switch {
		case b.Buffer != nil:
			if bufs[k] == nil {
				bufs[k] = &buffer{name: name, res: res, kind: b.Kind}
				t.buffers = append(t.buffers, bufs[k])
				fill := func() error { return t.fillBuffer(r.fork(name), bufs[k], b) }
				if t.bound != nil {
					fill = func() error { return t.takeBuffer(bufs[k], b) }
				}
				if err := fill(); err != nil {
					return err
				}
			}
			bufs[k].at = append(bufs[k].at, at)
		case len(b.Merged) > 0:
			if err := t.merged(r, b, at); err != nil {
				return err
			}
		case b.Texture != nil || b.Storage != nil:
			x := texs[k]
			if x == nil {
				x = &texture{name: name, res: res, dim: res.Dim, uav: b.Storage != nil}
				texs[k] = x
				t.textures = append(t.textures, x)
			}
			if b.Texture != nil {
				at.view = &gpu.View{Dimension: b.Texture.ViewDimension}
				if t.bound != nil {
					if err := t.takeTexture(x, &at, b.Texture.SampleType, ""); err != nil {
						return err
					}
				} else if b.Texture.SampleType == "depth" || x.web.Format == "" {
					if err := t.fillTexture(r.fork(name), x, b.Texture.SampleType, b.Texture.Multisampled); err != nil {
						return err
					}
				}
			} else {
				at.view = &gpu.View{Dimension: b.Storage.ViewDimension}
				fill := func() error { return t.fillStorage(r.fork(name), x, b) }
				if t.bound != nil {
					fill = func() error { return t.takeTexture(x, &at, "", b.Storage.Format) }
				}
				if err := fill(); err != nil {
					return err
				}
			}
			x.at = append(x.at, at)
		case b.Sampler != nil:
			x := samps[k]
			if x == nil {
				x = &sampler{name: name, res: res}
				samps[k] = x
				t.samplers = append(t.samplers, x)
			}
			x.types = append(x.types, b.Sampler.Type)
			x.at = append(x.at, at)
		}
	}
	for _, x := range t.samplers {
		if t.bound == nil {
			t.fillSampler(r.fork(x.name), x)
		} else if err := t.takeSampler(x); err != nil {
			return err
		}
	}
	return nil
}

// merged makes the textures that a binding has as its layers.
func (t *Trial) merged(r *source, b *layout.Binding, at bindingAt) error {
	at.view = &gpu.View{Dimension: b.Texture.ViewDimension}
	a := &array{}
	for k, ri := range b.Merged {
		res := &t.Stage.Func.Resources[ri]
		x := &texture{name: fmt.Sprintf("%s:%d:%d", b.Kind, res.Space, res.Register), res: res, dim: res.Dim}
		if t.bound != nil {
			if err := t.takeTexture(x, &at, b.Texture.SampleType, ""); err != nil {
				return err
			}
			if k > 0 && !x.lost && !a.layers[0].lost && !a.layers[0].like(x) {
				t.lose("t%d and t%d are layers of one texture and have different shapes", a.layers[0].res.Register, res.Register)
			}
		} else if k == 0 {
			if err := t.fillTexture(r.fork(x.name), x, b.Texture.SampleType, false); err != nil {
				return err
			}
		} else if err := t.makeTexture(r.fork(x.name), x, a.layers[0].web.Format, a.layers[0].format.Name, false, false); err != nil {
			return err
		}
		a.layers = append(a.layers, x)
	}
	a.at = at
	t.arrays, t.textures = append(t.arrays, a), append(t.textures, a.layers...)
	return nil
}

// like reports whether two textures can be layers of one.
func (x *texture) like(y *texture) bool {
	v, w := &x.web, &y.web
	return v.Format == w.Format && v.Width == w.Width && v.Height == w.Height && v.Mips == w.Mips && x.firstMip == y.firstMip && x.mips == y.mips
}

// lose notes the first thing that keeps the judge from running the trial.
func (t *Trial) lose(format string, args ...any) {
	if t.noJudge == "" {
		t.noJudge = fmt.Sprintf(format, args...)
	}
}

func put(b []byte, w uint32) []byte { return binary.LittleEndian.AppendUint32(b, w) }

func (t *Trial) fillBuffer(r *source, b *buffer, at *layout.Binding) error {
	class := dxbc.RegResource
	switch b.kind {
	case layout.UniformBuffer:
		class = dxbc.RegConstantBuffer
	case layout.StorageResource:
		class = dxbc.RegUAV
	case layout.UAVCounter:
		b.data = put(nil, uint32(16+r.intn(8)))
		return nil
	}
	pl := place{class, b.res.Register, b.res.Space}
	elements := map[Set]int{Small: min(max(t.threads(), 64)+3, 4096), Boundary: 70, Outside: 5}[t.Set]
	if t.Stage.kind() != layout.Compute {
		elements = map[Set]int{Small: 100, Boundary: 70, Outside: 5}[t.Set]
	}
	size, stride := 0, 0
	switch {
	case b.kind == layout.UniformBuffer:
		size = max(at.Buffer.MinBindingSize, 16)
		if b.res.Dynamic && size < 256 && at.Buffer.MinBindingSize == 0 {
			size = 256
		}
	case b.res.Dim == dxbc.DimStructuredBuffer:
		stride = int(b.res.Stride)
		size = elements * stride
	case b.res.Dim == dxbc.DimBuffer:
		f, ok := interp.LookupFormat(at.Format)
		if !ok {
			return &ErrUnavailable{"typed buffer of " + at.Format}
		}
		b.fmt = f
		size = (elements*f.Bytes + 3) &^ 3
		texel := make([]byte, f.Bytes)
		for len(b.data) < size {
			encode(f, t.texel(r, f), texel)
			b.data = append(b.data, texel...)
		}
		b.data = b.data[:size]
		return nil
	default:
		size = elements * 16
		if t.Set == Outside {
			size = 28
		}
	}
	for len(b.data) < size {
		off := uint32(len(b.data))
		if stride > 0 {
			off %= uint32(stride)
		}
		u := t.Stage.facts.of(pl, off)
		if u == useUnknown && b.kind != layout.UniformBuffer && b.res.Kind() != ir.F32 {
			u = useInt
		}
		b.data = put(b.data, r.word(u, t.Set, t.calm))
	}
	return nil
}

// texel is a random texel of a format.
func (t *Trial) texel(r *source, f *interp.Format) [4]uint32 {
	var v [4]uint32
	for k := range v {
		switch f.Type {
		case dxbc.RetUint, dxbc.RetSint:
			v[k] = r.integer(t.Set, t.calm)
		case dxbc.RetUnorm:
			v[k] = math.Float32bits(r.unit())
		case dxbc.RetSnorm:
			v[k] = math.Float32bits(2*r.unit() - 1)
		default:
			v[k] = math.Float32bits(4*r.unit() - 2)
			if t.Set == Small {
				v[k] = math.Float32bits(0.125 + r.unit())
			}
			if f.Depth() {
				v[k] = math.Float32bits(r.unit())
			}
		}
	}
	return v
}

func encode(f *interp.Format, v [4]uint32, b []byte) { f.Encode(v, b) }

// sampled formats by WebGPU sample type.
var sampledFormats = map[string][][2]string{
	"float":              {{"rgba8unorm", "R8G8B8A8_UNORM"}, {"rgba16float", "R16G16B16A16_FLOAT"}},
	"unfilterable-float": {{"rgba32float", "R32G32B32A32_FLOAT"}},
	"depth":              {{"depth32float", "D32_FLOAT"}},
	"uint":               {{"rgba32uint", "R32G32B32A32_UINT"}},
	"sint":               {{"rgba32sint", "R32G32B32A32_SINT"}},
}

func (t *Trial) fillTexture(r *source, x *texture, sampleType string, ms bool) error {
	f := sampledFormats[sampleType]
	pick := f[r.intn(len(f))]
	if ms {
		if sampleType == "uint" || sampleType == "sint" || sampleType == "depth" {
			t.lose("multisampled texture of %s", sampleType)
		} else {
			pick = [2]string{"rgba8unorm", "R8G8B8A8_UNORM"}
		}
	}
	return t.makeTexture(r, x, pick[0], pick[1], ms, false)
}

func (t *Trial) fillStorage(r *source, x *texture, b *layout.Binding) error {
	return t.makeTexture(r, x, b.Storage.Format, b.Format, false, true)
}

func (t *Trial) makeTexture(r *source, x *texture, web, dxgi string, ms, storage bool) error {
	f, ok := interp.LookupFormat(dxgi)
	if !ok {
		return &ErrUnavailable{"texture of " + dxgi}
	}
	x.format = f
	w, h, layers, mips := 8, 8, 1, 3
	if t.Set == Outside {
		w, h, mips = 3, 2, 1
	}
	dim := "2d"
	switch x.dim {
	case dxbc.DimTexture1D:
		h = 1
	case dxbc.DimTexture1DArray:
		h, layers = 1, 3
	case dxbc.DimTexture2DArray:
		layers = 3
	case dxbc.DimTexture3D:
		dim, layers = "3d", 4
		w, h, mips = min(w, 4), min(h, 4), min(mips, 2)
	case dxbc.DimTextureCube:
		w, h, layers, mips = 4, 4, 6, min(mips, 2)
	case dxbc.DimTextureCubeArray:
		w, h, layers, mips = 4, 4, 12, min(mips, 2)
	}
	if storage || ms {
		mips = 1
	}
	x.web = gpu.Texture{Name: x.name, Dimension: dim, Format: web, Width: w, Height: h, Layers: layers, Mips: mips, Samples: 1, Storage: storage, Read: storage}
	images := layers
	if dim == "3d" {
		images = 1
	}
	samples := 1
	if ms {
		samples = 4
		x.web.Samples = 4
	}
	for range images {
		for m := range mips {
			for range samples {
				n := max(w>>m, 1) * max(h>>m, 1)
				if dim == "3d" {
					n *= max(layers>>m, 1)
				}
				img := make([]byte, n*f.Bytes)
				for k := range n {
					encode(f, t.texel(r, f), img[k*f.Bytes:(k+1)*f.Bytes])
				}
				x.web.Data = append(x.web.Data, img)
			}
		}
	}
	return nil
}

func (t *Trial) fillSampler(r *source, x *sampler) {
	filter := func() interp.Filter {
		if slices.Contains(x.types, "non-filtering") {
			return interp.Point
		}
		return interp.Filter(r.intn(2))
	}
	addr := func() interp.Address { return interp.Address(r.intn(3)) }
	x.state = interp.Sampler{Min: filter(), Mag: filter(), Mip: filter(), MaxLOD: 32, Addr: [3]interp.Address{addr(), addr(), addr()}, Cmp: interp.Compare(1 + r.intn(6))}
}

func (t *Trial) vertexInputs(r *source) {
	t.in = map[uint32][][4]uint32{}
	for i := range t.Stage.decl.Inputs {
		e := &t.Stage.decl.Inputs[i]
		if e.RegType != dxbc.RegInput {
			continue
		}
		rows := t.in[e.Register]
		if rows == nil {
			rows = make([][4]uint32, t.n)
		}
		g := r.fork(fmt.Sprintf("v%d.%d", e.Register, e.Mask))
		for v := range vertices {
			for k := range 4 {
				if e.Mask>>k&1 == 0 {
					continue
				}
				w := g.float(t.Set)
				if e.CompType == 1 || e.CompType == 2 {
					w = g.integer(t.Set, t.calm)
				}
				for n := range instances {
					x := w
					switch e.SysValue {
					case 6:
						x = uint32(v)
					case 8:
						x = uint32(n)
					}
					rows[n*vertices+v][k] = x
				}
			}
		}
		t.in[e.Register] = rows
	}
}

// pixel is the place of an invocation: quads row by row.
func pixel(i int) (x, y int) {
	q := i / 4
	return q%(pixelsX/2)*2 + i&1, q/(pixelsX/2)*2 + i>>1&1
}

func (t *Trial) pixelInputs(r *source) {
	t.in, t.special = map[uint32][][4]uint32{}, map[dxbc.RegType][]uint32{}
	t.position = make([][4]uint32, t.n)
	g := r.fork("position")
	w := float32(int(1) << g.intn(3))
	z := g.unit()
	for i := range t.n {
		x, y := pixel(i)
		t.position[i] = [4]uint32{math.Float32bits(float32(x) + 0.5), math.Float32bits(float32(y) + 0.5), math.Float32bits(z + float32(x)/1024), math.Float32bits(w)}
	}
	for i := range t.Stage.decl.Inputs {
		e := &t.Stage.decl.Inputs[i]
		g := r.fork(fmt.Sprintf("v%d.%d.%d", e.RegType, e.Register, e.Mask))
		if e.RegType != dxbc.RegInput {
			v := make([]uint32, t.n)
			for k := 0; k < t.n; k++ {
				v[k] = 1 // one sample
				if e.RegType == dxbc.RegPrimitiveID {
					v[k] = 0
				}
			}
			t.special[e.RegType] = v
			continue
		}
		rows := t.in[e.Register]
		if rows == nil {
			rows = make([][4]uint32, t.n)
		}
		flat := e.Interp == dxbc.InterpConstant || e.CompType == 1 || e.CompType == 2
		for k := range 4 {
			if e.Mask>>k&1 == 0 {
				continue
			}
			base := math.Float32frombits(g.float(t.Set))
			dx, dy := (g.unit()-0.5)/4, (g.unit()-0.5)/4
			var per uint32
			for i := range rows {
				x, y := pixel(i)
				if i%4 == 0 {
					per = g.integer(t.Set, t.calm)
				}
				var v uint32
				switch {
				case e.SysValue == 1:
					v = t.position[i][k]
				case e.SysValue == 9:
					v = uint32(-(int32(i/4) & 1))
				case e.SysValue == 10, e.SysValue == 7, e.SysValue == 4, e.SysValue == 5:
					v = 0
				case e.CompType == 1 || e.CompType == 2:
					v = per
				case flat:
					if i%4 == 0 {
						base = math.Float32frombits(g.float(t.Set))
					}
					v = math.Float32bits(base)
				default:
					v = math.Float32bits(base + dx*float32(x) + dy*float32(y))
				}
				rows[i][k] = v
			}
		}
		t.in[e.Register] = rows
	}
}

// env is what the interpreter gets: a copy of all resources.
func (t *Trial) env() (*interp.Env, error) {
	e := &interp.Env{CBuffers: map[interp.Slot][]byte{}, SRVs: map[interp.Slot]*interp.View{}, UAVs: map[interp.Slot]*interp.View{}, Samplers: map[interp.Slot]*interp.Sampler{}}
	for _, b := range t.buffers {
		slot := interp.Slot{Register: b.res.Register, Space: b.res.Space}
		if b.kind == layout.UAVCounter || b.lost && b.given == nil {
			continue
		}
		if b.lost {
			if b.kind == layout.StorageResource {
				e.UAVs[slot] = cloneView(b.given)
			} else {
				e.SRVs[slot] = cloneView(b.given)
			}
			continue
		}
		data := slices.Clone(b.data)
		if b.kind == layout.UniformBuffer {
			e.CBuffers[slot] = data
			continue
		}
		mem := interp.NewMemory(data)
		var v *interp.View
		switch b.res.Dim {
		case dxbc.DimStructuredBuffer:
			v = interp.StructuredView(mem, int(b.res.Stride))
		case dxbc.DimBuffer:
			v = interp.TypedView(mem, b.fmt)
		default:
			v = interp.RawView(mem)
		}
		if b.kind == layout.StorageResource {
			e.UAVs[slot] = v
		} else {
			e.SRVs[slot] = v
		}
	}
	for _, b := range t.buffers {
		if b.kind == layout.UAVCounter && !b.lost {
			n := binary.LittleEndian.Uint32(b.data)
			if v := e.UAVs[interp.Slot{Register: b.res.Register, Space: b.res.Space}]; v != nil {
				v.Counter = &n
			} else { // the buffer itself is not used
				e.UAVs[interp.Slot{Register: b.res.Register, Space: b.res.Space}] = &interp.View{Counter: &n, Dim: dxbc.DimStructuredBuffer, Mem: interp.NewMemory(nil)}
			}
		}
	}
	for _, x := range t.textures {
		if x.lost {
			if at := (interp.Slot{Register: x.res.Register, Space: x.res.Space}); x.given == nil {
				continue
			} else if x.uav {
				e.UAVs[at] = cloneView(x.given)
			} else {
				e.SRVs[at] = cloneView(x.given)
			}
			continue
		}
		depth, layers := 1, x.web.Layers
		if x.web.Dimension == "3d" {
			depth, layers = layers, 1
		}
		tex, err := interp.NewTexture(x.dim, x.web.Width, x.web.Height, depth, layers, x.web.Mips, x.web.Samples, x.format)
		if err != nil {
			return nil, err
		}
		for i := range tex.Data {
			copy(tex.Data[i], x.web.Data[i])
		}
		slot := interp.Slot{Register: x.res.Register, Space: x.res.Space}
		v := interp.TextureView(tex)
		v.FirstMip, v.Mips = x.firstMip, x.mips
		if x.uav {
			e.UAVs[slot] = v
		} else {
			e.SRVs[slot] = v
		}
	}
	for _, x := range t.samplers {
		if x.lost {
			continue
		}
		e.Samplers[interp.Slot{Register: x.res.Register, Space: x.res.Space}] = &x.state
	}
	return e, nil
}

// cloneView copies a view with the memory behind it, since runs write to it.
func cloneView(v *interp.View) *interp.View {
	c := *v
	if v.Mem != nil {
		c.Mem = interp.NewMemory(slices.Clone(v.Mem.Data))
	}
	if v.Counter != nil {
		n := *v.Counter
		c.Counter = &n
	}
	if v.Tex != nil {
		x := *v.Tex
		x.Data = make([][]byte, len(v.Tex.Data))
		for i, img := range v.Tex.Data {
			x.Data[i] = slices.Clone(img)
		}
		c.Tex = &x
	}
	return &c
}
