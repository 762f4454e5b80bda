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

func slot(l *Line, w string) (kind byte, s interp.Slot, err error) {
	if w == "" {
		return 0, s, failf(l.No, "%s without a slot", l.Words[0])
	}
	if w[0] < '0' || w[0] > '9' {
		kind, w = w[0], w[1:]
	}
	w, sp, _ := strings.Cut(w, ",space")
	n, err := strconv.ParseUint(w, 10, 16)
	if err != nil {
		return 0, s, failf(l.No, "%q is not a slot", w)
	}
	space, _ := strconv.ParseUint(sp, 10, 16)
	return kind, interp.Slot{Register: uint32(n), Space: uint32(space)}, nil
}

func (r *runner) line(l *Line) error {
	switch l.Words[0] {
	case "cb":
		_, s, err := slot(l, l.word(1))
		if err != nil {
			return err
		}
		d, err := l.data(r.opt.Open)
		if err != nil {
			return err
		}
		for len(d)%16 != 0 || len(d) == 0 {
			d = append(d, 0)
		}
		r.each(l, func(e *interp.Env) { e.CBuffers[s] = d })
	case "buf":
		return r.buffer(l)
	case "tex":
		return r.texture(l)
	case "samp":
		return r.sampler(l)
	case "rt", "ds":
		return r.target(l)
	}
	return nil
}

func typeOf(f *interp.Format) string {
	switch {
	case strings.HasPrefix(f.Name, "R10"), strings.HasPrefix(f.Name, "R11"), strings.HasPrefix(f.Name, "R9"):
		return "u32"
	case strings.Contains(f.Name, "32") && f.Type == dxbc.RetFloat:
		return "f32"
	case strings.Contains(f.Name, "32"):
		return "u32"
	case strings.Contains(f.Name, "16") && f.Type == dxbc.RetFloat:
		return "f16"
	case strings.Contains(f.Name, "16"):
		return "u16"
	}
	return "u8"
}

func (r *runner) buffer(l *Line) error {
	kind, s, err := slot(l, l.word(1))
	if err != nil {
		return err
	}
	d, err := l.data(r.opt.Open)
	if err != nil {
		return err
	}
	for len(d)%4 != 0 || len(d) == 0 {
		d = append(d, 0)
	}
	stride, err := l.number("stride", 4)
	if err != nil {
		return err
	}
	typ := "u32"
	var v *interp.View
	switch l.word(2) {
	case "structured":
		if stride < 1 || stride > 2048 {
			return failf(l.No, "stride %d", stride)
		}
		for len(d)%stride != 0 {
			d = append(d, 0)
		}
		v = interp.StructuredView(interp.NewMemory(d), stride)
	case "raw":
		v = interp.RawView(interp.NewMemory(d))
	case "typed":
		f, ok := interp.LookupFormat(l.text("fmt", ""))
		if !ok || f.Block {
			return failf(l.No, "format %q of a buffer", l.text("fmt", ""))
		}
		v, typ = interp.TypedView(interp.NewMemory(d), f), typeOf(f)
	default:
		return failf(l.No, "buffer kind %q is not structured, raw or typed", l.word(2))
	}
	if v.First, err = l.number("first", 0); err != nil {
		return err
	}
	num, err := l.number("num", v.Num-v.First)
	if err != nil {
		return err
	}
	if v.First < 0 || num < 0 || v.First+num > v.Num {
		return failf(l.No, "elements %d to %d of %d", v.First, v.First+num, v.Num)
	}
	v.Num = num
	if kind != 'u' {
		r.each(l, func(e *interp.Env) { e.SRVs[s] = v })
		return nil
	}
	for _, o := range []string{"counter", "append"} {
		if _, ok := l.opt(o); ok {
			n, err := l.number(o, 0)
			if err != nil {
				return err
			}
			c := uint32(n)
			v.Counter = &c
		}
	}
	r.each(l, func(e *interp.Env) { e.UAVs[s] = v })
	name := "u" + strconv.Itoa(int(s.Register))
	r.outs = append(r.outs, func() (Output, error) { return Output{name, l.text("type", typ), v.Mem.Data}, nil })
	if v.Counter != nil {
		r.outs = append(r.outs, func() (Output, error) {
			return Output{name + ".counter", "u32", binary.LittleEndian.AppendUint32(nil, *v.Counter)}, nil
		})
	}
	return nil
}

var dimNames = map[string]dxbc.Dim{"1d": dxbc.DimTexture1D, "1darray": dxbc.DimTexture1DArray, "2d": dxbc.DimTexture2D, "2darray": dxbc.DimTexture2DArray,
	"cube": dxbc.DimTextureCube, "cubearray": dxbc.DimTextureCubeArray, "3d": dxbc.DimTexture3D,
	"2dms": dxbc.DimTexture2DMS, "2dmsarray": dxbc.DimTexture2DMSArray}

// DimText is the kind of a texture as the language writes it; ok is false for what is no
// texture.
func DimText(d dxbc.Dim) (word string, ok bool) {
	for w, x := range dimNames {
		if x == d {
			return w, true
		}
	}
	return "", false
}

func (r *runner) texture(l *Line) error {
	kind, s, err := slot(l, l.word(1))
	if err != nil {
		return err
	}
	dim, ok := dimNames[l.word(2)]
	if !ok {
		return failf(l.No, "texture kind %q", l.word(2))
	}
	f, ok := interp.LookupFormat(l.text("fmt", ""))
	if !ok {
		return failf(l.No, "format %q is not known", l.text("fmt", ""))
	}
	n := map[string]int{}
	for name, def := range map[string]int{"w": 1, "h": 1, "d": 1, "layers": 1, "mips": 1, "mip0": 0, "nmips": 0, "samples": 1} {
		if n[name], err = l.number(name, def); err != nil {
			return err
		}
	}
	if dim == dxbc.DimTextureCube || dim == dxbc.DimTextureCubeArray {
		n["layers"] = max(n["layers"], 6)
	}
	if dim == dxbc.DimTexture3D {
		n["layers"] = 1
	}
	if dim == dxbc.DimTexture1D || dim == dxbc.DimTexture1DArray {
		n["h"] = 1
	}
	if ms := dim == dxbc.DimTexture2DMS || dim == dxbc.DimTexture2DMSArray; n["samples"] < 1 || n["samples"] > 1 && !ms {
		return failf(l.No, "%d samples of a %s texture", n["samples"], l.word(2))
	}
	t, err := interp.NewTexture(dim, n["w"], n["h"], n["d"], n["layers"], n["mips"], n["samples"], f)
	if err != nil {
		return fmt.Errorf("line %d: %w", l.No, err)
	}
	d, err := l.data(r.opt.Open)
	if err != nil {
		return err
	}
	for _, img := range t.Data {
		d = d[copy(img, d):]
	}
	v := interp.TextureView(t)
	if n["mip0"] < 0 || n["mip0"] >= t.Mips {
		return failf(l.No, "mip0=%d of %d levels", n["mip0"], t.Mips)
	}
	v.FirstMip, v.Mips = n["mip0"], n["nmips"]
	if name, ok := l.opt("viewfmt"); ok {
		if v.Format, ok = interp.LookupFormat(name); !ok || v.Format.Bytes != f.Bytes {
			return failf(l.No, "viewfmt=%s does not fit %s", name, f.Name)
		}
	}
	if kind != 'u' {
		r.each(l, func(e *interp.Env) { e.SRVs[s] = v })
		return nil
	}
	r.each(l, func(e *interp.Env) { e.UAVs[s] = v })
	r.outs = append(r.outs, func() (Output, error) {
		var all []byte
		for _, img := range t.Data {
			all = append(all, img...)
		}
		return Output{"u" + strconv.Itoa(int(s.Register)), l.text("type", typeOf(f)), all}, nil
	})
	return nil
}

var compares = map[string]interp.Compare{"never": interp.CmpNever, "less": interp.CmpLess, "equal": interp.CmpEqual, "lequal": interp.CmpLessEqual,
	"greater": interp.CmpGreater, "notequal": interp.CmpNotEqual, "gequal": interp.CmpGreaterEqual, "always": interp.CmpAlways}

func (r *runner) sampler(l *Line) error {
	_, s, err := slot(l, l.word(1))
	if err != nil {
		return err
	}
	filter := func(name, def string) (interp.Filter, string, error) {
		v := l.text(name, def)
		switch v {
		case "linear":
			return interp.Linear, v, nil
		case "point":
			return interp.Point, v, nil
		}
		return 0, v, failf(l.No, "%s=%s is not linear or point", name, v)
	}
	st := &interp.Sampler{}
	var f string
	if st.Min, f, err = filter("filter", "linear"); err != nil {
		return err
	}
	if st.Mag, _, err = filter("mag", f); err != nil {
		return err
	}
	if st.Mip, _, err = filter("mip", f); err != nil {
		return err
	}
	if st.Aniso, err = l.number("aniso", 1); err != nil {
		return err
	}
	if st.Aniso > 1 {
		st.Min, st.Mag, st.Mip = interp.Linear, interp.Linear, interp.Linear
	}
	modes := map[string]interp.Address{"wrap": interp.Wrap, "mirror": interp.Mirror, "clamp": interp.Clamp, "border": interp.Border, "mirroronce": interp.MirrorOnce}
	parts := strings.Split(l.text("addr", "clamp"), ",")
	for k := range st.Addr {
		m, ok := modes[parts[min(k, len(parts)-1)]]
		if !ok {
			return failf(l.No, "addr=%s", l.text("addr", ""))
		}
		st.Addr[k] = m
	}
	if v, ok := l.opt("border"); ok {
		c, err := vector(l, v)
		if err != nil {
			return err
		}
		for k := range c {
			st.BorderColor[k] = float32(c[k])
		}
	}
	if v, ok := l.opt("cmp"); ok {
		if st.Cmp, ok = compares[v]; !ok {
			return failf(l.No, "cmp=%s", v)
		}
	}
	for name, to := range map[string]*float32{"minlod": &st.MinLOD, "maxlod": &st.MaxLOD, "bias": &st.Bias} {
		def := 0.0
		if name == "maxlod" {
			def = 1000
		}
		v, err := l.float(name, def)
		if err != nil {
			return err
		}
		*to = float32(v)
	}
	r.each(l, func(e *interp.Env) { e.Samplers[s] = st })
	return nil
}

func vector(l *Line, v string) ([4]float64, error) {
	var out [4]float64
	for k, p := range strings.Split(v, ",") {
		x, err := number(p)
		if err != nil || k > 3 {
			return out, failf(l.No, "%q is not up to four numbers", v)
		}
		out[k] = x
	}
	return out, nil
}

func (r *runner) target(l *Line) error {
	f, ok := interp.LookupFormat(l.text("fmt", ""))
	if !ok || f.Block {
		return failf(l.No, "format %q of a target", l.text("fmt", ""))
	}
	samples, err := l.number("samples", 1)
	if err != nil {
		return err
	}
	t, err := interp.NewTexture(dxbc.DimTexture2D, r.w, r.h, 1, 1, 1, samples, f)
	if err != nil {
		return fmt.Errorf("line %d: %w", l.No, err)
	}
	var c [4]float64
	name := "ds"
	if l.Words[0] == "ds" {
		c[0] = 1
	}
	if v, ok := l.opt("clear"); ok {
		if c, err = vector(l, v); err != nil {
			return err
		}
	}
	var w [4]uint32
	for k := range w {
		w[k] = floatBits(c[k])
		if f.Integer() {
			w[k] = uint32(int64(c[k]))
		}
	}
	for _, img := range t.Data {
		for at := 0; at+f.Bytes <= len(img); at += f.Bytes {
			f.Encode(w, img[at:])
		}
	}
	if l.Words[0] == "ds" {
		r.ds = t
		fn, ok := compares[l.text("func", "always")]
		if !ok {
			return failf(l.No, "func=%s", l.text("func", ""))
		}
		write, err := l.number("write", 1)
		if err != nil {
			return err
		}
		r.draw.DepthFunc, r.draw.DepthWrite = fn, write != 0
	} else {
		k, err := strconv.Atoi(l.word(1))
		if err != nil || k < 0 || k > 7 {
			return failf(l.No, "target %q is not 0 to 7", l.word(1))
		}
		for len(r.rts) <= k {
			r.rts = append(r.rts, nil)
		}
		r.rts[k] = t
		name = "rt" + strconv.Itoa(k)
	}
	r.draw.Samples = max(r.draw.Samples, samples)
	if name == "ds" && samples > 1 {
		return nil
	}
	r.outs = append(r.outs, func() (Output, error) {
		x := t
		if samples > 1 {
			var err error
			if x, err = t.Resolve(); err != nil {
				return Output{}, err
			}
		}
		return Output{name, l.text("type", typeOf(f)), x.Image(0, 0, 0)}, nil
	})
	return nil
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
