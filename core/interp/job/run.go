package job

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
)

// Output is one result: the bytes in memory order and the type of its words: f32,
// f16, u32, u16, u8, or letters f and u cycled over 32-bit words.
type Output struct {
	Name string
	Type string
	Data []byte
}

// Result is what a job gave.
type Result struct {
	Job     string
	Status  string // ok, error, skip
	Error   string // why not ok
	Outputs []Output
	Report  interp.Report
	Tol     string // the job's tol line
}

// MarshalJSON writes a result as the oracle's executors do, so that one tool
// compares both.
func (o Output) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"name":%s,"type":%s,"hex":"%s"}`, strconv.Quote(o.Name), strconv.Quote(o.Type), hex.EncodeToString(o.Data))), nil
}

// Options say how to run.
type Options struct {
	interp.Options
	// Open reads a file that the job names, relative to the job file.
	Open func(path string) ([]byte, error)
	// Program, when not nil, takes the place of the program that the job names for
	// its kind.
	Program *dxbc.Shader
}

// Run runs a job. Failures of the job are in the result; the error is the
// context's alone.
func (j *Job) Run(ctx context.Context, opt Options) (*Result, error) {
	r := newRunner(j, opt)
	if l := j.find("tol"); l != nil {
		r.res.Tol = strings.Join(l.Words[1:], " ")
	}
	err := r.prepare()
	if err == nil {
		err = r.run(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		r.res.Status, r.res.Error = "error", err.Error()
		if errors.Is(err, interp.ErrUnsupported) {
			r.res.Status = "skip"
		}
		r.res.Outputs = nil
	}
	return r.res, nil
}

type runner struct {
	job    *Job
	opt    Options
	res    *Result
	progs  map[string]*interp.Program
	shader map[string]*dxbc.Shader
	envs   map[string]*interp.Env
	stages []string
	outs   []func() (Output, error)
	w, h   int
	rts    []*interp.Texture
	ds     *interp.Texture
	draw   interp.Draw
	hull   *interp.Hull
}

func newRunner(j *Job, opt Options) *runner {
	return &runner{job: j, opt: opt, res: &Result{Job: j.Name, Status: "ok"}, progs: map[string]*interp.Program{}, envs: map[string]*interp.Env{}}
}

// prepare reads the programs and makes the resources.
func (r *runner) prepare() error {
	stage := r.job.find("stage").word(1)
	r.shader = map[string]*dxbc.Shader{}
	for i := range r.job.Lines {
		l := &r.job.Lines[i]
		if l.Words[0] != "dxbc" {
			continue
		}
		s := r.opt.Program
		if s == nil || s.Program.Kind.String() != l.word(1) {
			b, err := r.opt.Open(l.word(2))
			if err != nil {
				return fmt.Errorf("line %d: %w", l.No, err)
			}
			if s, err = dxbc.Open(b); err != nil {
				return fmt.Errorf("line %d: %w", l.No, err)
			}
		}
		if s.Program.Kind.String() != l.word(1) {
			return failf(l.No, "%s is a %s program", l.word(2), s.Program.Kind)
		}
		if err := r.program(s); err != nil {
			return err
		}
	}
	if s := r.opt.Program; s != nil && r.shader[s.Program.Kind.String()] == nil {
		if err := r.program(s); err != nil {
			return err
		}
	}
	switch stage {
	case "cs", "vs", "ps":
		r.stages = []string{stage}
	case "draw":
		r.stages = []string{"vs", "ps"}
	default:
		return fmt.Errorf("stage %q is not cs, vs, ps or draw", stage)
	}
	for _, s := range []string{"hs", "ds", "gs"} { // what stands between, where it does
		if stage != "cs" && stage != "ps" && r.shader[s] != nil {
			r.stages = append(r.stages, s)
		}
	}
	for _, s := range r.stages {
		if r.shader[s] == nil {
			return fmt.Errorf("no %s program", s)
		}
		r.envs[s] = &interp.Env{CBuffers: map[interp.Slot][]byte{}, SRVs: map[interp.Slot]*interp.View{}, UAVs: map[interp.Slot]*interp.View{}, Samplers: map[interp.Slot]*interp.Sampler{}}
	}
	if err := r.size(); err != nil {
		return err
	}
	for i := range r.job.Lines {
		if err := r.line(&r.job.Lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// program makes a program executable and keeps it under its kind.
func (r *runner) program(s *dxbc.Shader) (err error) {
	kind := s.Program.Kind
	r.shader[kind.String()] = s
	if kind == dxbc.Hull {
		r.hull, err = interp.CompileHull(s)
	} else {
		r.progs[kind.String()], err = interp.Compile(s, interp.CompileOptions{})
	}
	return err
}

func (r *runner) run(ctx context.Context) error {
	stage := r.job.find("stage").word(1)
	var err error
	switch stage {
	case "cs":
		err = r.dispatch(ctx)
	case "vs":
		err = r.capture(ctx)
	default:
		err = r.rasterize(ctx, stage == "ps")
	}
	if err != nil {
		return err
	}
	for _, f := range r.outs {
		o, err := f()
		if err != nil {
			return err
		}
		r.res.Outputs = append(r.res.Outputs, o)
	}
	return nil
}

func (r *runner) size() error {
	r.w, r.h = 1, 1
	l := r.job.find("size")
	if l == nil {
		return nil
	}
	var err1, err2 error
	r.w, err1 = strconv.Atoi(l.word(1))
	r.h, err2 = strconv.Atoi(l.word(2))
	if err1 != nil || err2 != nil || r.w < 1 || r.h < 1 || r.w > 4096 || r.h > 4096 {
		return failf(l.No, "size %s %s: two numbers from 1 to 4096", l.word(1), l.word(2))
	}
	return nil
}

// each calls f for the environments that a line concerns.
func (r *runner) each(l *Line, f func(e *interp.Env)) {
	want := l.text("stage", "")
	for _, s := range r.stages {
		if want == "" || strings.Contains(","+want+",", ","+s+",") {
			f(r.envs[s])
		}
	}
}

func (r *runner) keep(rep *interp.Report) {
	if rep != nil {
		r.res.Report.Add(rep)
	}
}

// groups is the number of groups of the dispatch.
func (r *runner) groups() ([3]uint32, error) {
	g := [3]uint32{1, 1, 1}
	if l := r.job.find("dispatch"); l != nil {
		for k := range g {
			if w := l.word(k + 1); w != "" {
				n, err := strconv.ParseUint(w, 0, 16)
				if err != nil {
					return g, failf(l.No, "dispatch %s", w)
				}
				g[k] = uint32(n)
			}
		}
	}
	return g, nil
}

func (r *runner) dispatch(ctx context.Context) error {
	g, err := r.groups()
	if err != nil {
		return err
	}
	rep, err := interp.Dispatch(ctx, r.progs["cs"], r.envs["cs"], g, r.opt.Options)
	r.keep(rep)
	return err
}

// vertices runs the vertex program and returns its outputs in draw order, and
// how many vertices an instance has.
func (r *runner) vertices(ctx context.Context) (*interp.Batch, int, error) {
	b, n, err := r.vertexInputs()
	if err != nil {
		return nil, 0, err
	}
	rep, err := r.progs["vs"].Run(ctx, r.envs["vs"], b, r.opt.Options)
	r.keep(rep)
	return b, n, err
}

// vertexInputs makes the inputs of the vertex program.
func (r *runner) vertexInputs() (*interp.Batch, int, error) {
	b, n, err := r.attributes()
	if err != nil {
		return nil, 0, err
	}
	list, err := r.inputs("vs")
	if err == nil {
		err = within(list, b.N)
	}
	if err == nil {
		err = apply(list, b, 0)
	}
	return b, n, err
}

// attributes reads the vertex buffers.
func (r *runner) attributes() (*interp.Batch, int, error) {
	n, inst, first, base, firstInst := 3, 1, 0, 0, 0
	var idx []uint32
	if l := r.job.find("ib"); l != nil {
		d, err := l.data(r.opt.Open)
		if err != nil {
			return nil, 0, err
		}
		for len(d) > 0 {
			switch {
			case l.word(1) == "u16" && len(d) >= 2:
				idx, d = append(idx, uint32(binary.LittleEndian.Uint16(d))), d[2:]
			case l.word(1) == "u32" && len(d) >= 4:
				idx, d = append(idx, binary.LittleEndian.Uint32(d)), d[4:]
			default:
				return nil, 0, failf(l.No, "index format %q or length", l.word(1))
			}
		}
		n = len(idx)
	}
	if l := r.job.find("draw"); l != nil {
		var err error
		if n, err = strconv.Atoi(l.word(1)); err != nil {
			return nil, 0, failf(l.No, "draw %s", l.word(1))
		}
		if w := l.word(2); w != "" && !strings.Contains(w, "=") {
			if inst, err = strconv.Atoi(w); err != nil {
				return nil, 0, failf(l.No, "draw %s", w)
			}
		}
		for name, to := range map[string]*int{"first": &first, "base": &base, "firstinst": &firstInst} {
			if *to, err = l.number(name, 0); err != nil {
				return nil, 0, err
			}
		}
	}
	if n < 1 || inst < 1 || n > 1<<16 || inst > 1<<12 || n*inst > 1<<18 {
		return nil, 0, fmt.Errorf("%d vertices of %d instances", n, inst)
	}
	type vb struct {
		data        []byte
		stride, off int
	}
	vbs := map[int]vb{}
	for i := range r.job.Lines {
		l := &r.job.Lines[i]
		if l.Words[0] != "vb" {
			continue
		}
		k, err := strconv.Atoi(l.word(1))
		if err != nil {
			return nil, 0, failf(l.No, "vb %s", l.word(1))
		}
		var v vb
		if v.data, err = l.data(r.opt.Open); err != nil {
			return nil, 0, err
		}
		if v.stride, err = l.number("stride", 16); err != nil {
			return nil, 0, err
		}
		if v.off, err = l.number("off", 0); err != nil {
			return nil, 0, err
		}
		vbs[k] = v
	}
	b := &interp.Batch{N: n * inst, In: map[uint32][][4]uint32{}}
	number := func(v int) uint32 {
		if idx != nil {
			if first+v >= 0 && first+v < len(idx) {
				return idx[first+v] + uint32(base)
			}
			return uint32(base)
		}
		return uint32(first + v)
	}
	in := r.shader["vs"].In
	if in == nil {
		return b, n, nil
	}
	for i := range in.Elements {
		e := &in.Elements[i]
		if e.Register == dxbc.NoRegister {
			continue
		}
		rows := b.In[e.Register]
		if rows == nil {
			rows = make([][4]uint32, b.N)
			b.In[e.Register] = rows
		}
		shift := bits.TrailingZeros8(e.Mask)
		set := func(i int, v [4]uint32) {
			for k := shift; k < 4; k++ {
				if e.Mask>>k&1 != 0 {
					rows[i][k] = v[k-shift]
				}
			}
		}
		switch e.SysValue {
		case 6, 8:
			for i := range rows {
				x := uint32(i / n) // SV_InstanceID starts at 0
				if e.SysValue == 6 {
					x = number(i % n)
					if idx != nil {
						x -= uint32(base) // SV_VertexID does not contain the base
					}
				}
				set(i, [4]uint32{x})
			}
			continue
		}
		for li := range r.job.Lines {
			l := &r.job.Lines[li]
			if l.Words[0] != "attr" || !strings.EqualFold(l.word(1), e.Name) || l.word(2) != strconv.Itoa(int(e.Index)) {
				continue
			}
			f, ok := interp.LookupFormat(l.word(3))
			if !ok || f.Block {
				return nil, 0, failf(l.No, "format %q of an attribute", l.word(3))
			}
			opts := map[string]int{}
			for _, name := range []string{"slot", "off", "step"} {
				v, err := l.number(name, 0)
				if err != nil {
					return nil, 0, err
				}
				opts[name] = v
			}
			v := vbs[opts["slot"]]
			for i := range rows {
				row := int64(number(i % n))
				if s := opts["step"]; s > 0 {
					row = int64(firstInst + i/n/s)
				}
				at := row*int64(v.stride) + int64(v.off+opts["off"])
				var texel [4]uint32
				if at >= 0 && at+int64(f.Bytes) <= int64(len(v.data)) {
					texel = f.Decode(v.data[at:])
				}
				set(i, texel)
			}
		}
	}
	return b, n, nil
}

func (r *runner) capture(ctx context.Context) error {
	p, err := r.geometryStages(ctx)
	if err != nil {
		return err
	}
	// Behind the vertex program alone vertices are captured, else whole primitives.
	verts := p.verts
	if r.progs["gs"] != nil || r.hull != nil {
		verts = nil
		for _, prim := range p.prims {
			verts = append(verts, p.pick(prim)...)
		}
	}
	sig := p.sig
	if sig == nil {
		return nil
	}
	var outs []Output
	emit := func(e *dxbc.SigElement) {
		o := Output{Name: e.Name + strconv.Itoa(int(e.Index)), Type: "u32"}
		if e.CompType == 3 {
			o.Type = "f32"
		}
		for _, v := range verts {
			for k := range 4 {
				if e.Mask>>k&1 != 0 {
					o.Data = put32(o.Data, v[e.Register][k])
				}
			}
		}
		outs = append(outs, o)
	}
	any := false
	for i := range r.job.Lines {
		l := &r.job.Lines[i]
		if l.Words[0] != "out" {
			continue
		}
		any = true
		found := false
		for k := range sig.Elements {
			if e := &sig.Elements[k]; strings.EqualFold(e.Name, l.word(1)) && strconv.Itoa(int(e.Index)) == l.word(2) {
				emit(e)
				found = true
			}
		}
		if !found {
			return failf(l.No, "the program has no output %s%s", l.word(1), l.word(2))
		}
	}
	for k := range sig.Elements {
		if !any {
			emit(&sig.Elements[k])
		}
	}
	r.res.Outputs = append(r.res.Outputs, outs...)
	return nil
}

func (r *runner) rasterize(ctx context.Context, alone bool) error {
	d := &r.draw
	d.Width, d.Height, d.Targets, d.Depth = r.w, r.h, r.rts, r.ds
	d.DepthClip = true
	d.Viewport = [6]float32{0, 0, float32(r.w), float32(r.h), 0, 1}
	if l := r.job.find("viewport"); l != nil {
		for k := range d.Viewport {
			if w := l.word(k + 1); w != "" {
				v, err := number(w)
				if err != nil {
					return failf(l.No, "viewport %s", w)
				}
				d.Viewport[k] = float32(v)
			}
		}
	}
	if l := r.job.find("raster"); l != nil {
		cull, ok := map[string]interp.Cull{"none": interp.CullNone, "front": interp.CullFront, "back": interp.CullBack}[l.text("cull", "none")]
		if !ok {
			return failf(l.No, "cull=%s", l.text("cull", ""))
		}
		ccw, err := l.number("ccw", 0)
		if err != nil {
			return err
		}
		dc, err := l.number("depthclip", 1)
		if err != nil {
			return err
		}
		d.Cull, d.FrontCCW, d.DepthClip = cull, ccw != 0, dc != 0
	}
	if alone {
		per, err := r.automatic()
		if err != nil {
			return err
		}
		topo := r.job.find("topo").word(1)
		if topo == "" {
			topo = "trianglelist"
		}
		prims, err := assemble(topo, len(d.Vertices), per)
		if err == nil {
			err = r.triangles(prims)
		}
		if err != nil {
			return err
		}
	} else {
		p, err := r.geometryStages(ctx)
		if err == nil {
			err = r.raster(p)
		}
		if err != nil {
			return err
		}
	}
	done, err := r.amend()
	if err != nil {
		return err
	}
	rep, err := interp.Rasterize(ctx, r.progs["ps"], r.envs["ps"], d, r.opt.Options)
	r.keep(rep)
	if err != nil {
		return err
	}
	return done()
}

// automatic makes vertices from pos and vary lines.
func (r *runner) automatic() (int, error) {
	data := put32(nil, 0)[:0]
	for _, x := range []float32{-1, -1, 0.5, 1, -1, 3, 0.5, 1, 3, -1, 0.5, 1} {
		data = put32(data, math.Float32bits(x))
	}
	if l := r.job.find("pos"); l != nil {
		var err error
		if data, err = l.data(r.opt.Open); err != nil {
			return 0, err
		}
	}
	n := len(data) / 16
	if n == 0 {
		return 0, fmt.Errorf("no vertices")
	}
	r.draw.Vertices = make([]interp.RasterVertex, n)
	for i := range r.draw.Vertices {
		v := &r.draw.Vertices[i]
		v.Attr = map[uint32][4]uint32{}
		for k := range 4 {
			v.Position[k] = math.Float32frombits(binary.LittleEndian.Uint32(data[16*i+4*k:]))
		}
	}
	sig := r.shader["ps"].In
	if sig == nil {
		return n, nil
	}
	for li := range r.job.Lines {
		l := &r.job.Lines[li]
		if l.Words[0] != "vary" {
			continue
		}
		d, err := l.data(r.opt.Open)
		if err != nil {
			return 0, err
		}
		for k := range sig.Elements {
			e := &sig.Elements[k]
			if !strings.EqualFold(e.Name, l.word(1)) || strconv.Itoa(int(e.Index)) != l.word(2) {
				continue
			}
			shift := bits.TrailingZeros8(e.Mask)
			for i := range min(n, len(d)/16) {
				a := r.draw.Vertices[i].Attr[e.Register]
				for c := shift; c < 4; c++ {
					if e.Mask>>c&1 != 0 {
						a[c] = binary.LittleEndian.Uint32(d[16*i+4*(c-shift):])
					}
				}
				r.draw.Vertices[i].Attr[e.Register] = a
			}
		}
	}
	return n, nil
}
