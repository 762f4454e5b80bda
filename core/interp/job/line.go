package job

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
)

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
