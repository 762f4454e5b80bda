package interp

import (
	"fmt"
	"math"

	"fxlens/core/dxbc"
)

// Texture is a texture of any dimension with its data.
type Texture struct {
	Dim    dxbc.Dim // DimTexture1D to DimTextureCubeArray
	Width  int
	Height int // 1 for one dimension
	Depth  int // 3D only, else 1
	Layers int // array layers; six a cube; 1 for a 3D texture
	Mips   int
	// Samples is 1, or the number of samples of a multisampled texture, whose
	// images are one after the other in each layer.
	Samples int
	Format  *Format
	// Data has the images in the order layer, mip, sample, rows tight. A missing
	// or short image reads as zero.
	Data [][]byte
	// Tainted has the texels (their first byte's address in an image, by image)
	// that depend on what Memory.Tainted says; filled when Options.Track is set.
	Tainted map[TexelPlace]bool
	// Raced is Memory.Raced for texels.
	Raced  map[TexelPlace]bool
	access map[TexelPlace]*access // when races are looked for
}

// TexelPlace is a texel of a texture: the index of its image in Data, and its
// first byte in it.
type TexelPlace struct{ Image, Byte int }

// NewTexture makes a texture filled with zeros. It fails on sizes out of range
// (1 to 16384, the limits of Direct3D 11) or a format that cannot be stored.
func NewTexture(dim dxbc.Dim, width, height, depth, layers, mips, samples int, f *Format) (*Texture, error) {
	t := &Texture{Dim: dim, Width: width, Height: max(height, 1), Depth: max(depth, 1), Layers: max(layers, 1), Mips: max(mips, 1), Samples: max(samples, 1), Format: f}
	if f == nil {
		return nil, fmt.Errorf("interp: texture without a format")
	}
	if dim == dxbc.DimTextureCube && t.Layers < 6 {
		t.Layers = 6
	}
	for _, n := range []int{t.Width, t.Height, t.Depth, t.Layers} {
		if n < 1 || n > 16384 {
			return nil, fmt.Errorf("interp: texture of %d x %d x %d, %d layers: sizes are 1 to 16384", t.Width, t.Height, t.Depth, t.Layers)
		}
	}
	if t.Mips > 15 || t.Samples > 32 {
		return nil, fmt.Errorf("interp: texture with %d mips and %d samples: at most 15 and 32", t.Mips, t.Samples)
	}
	total := 0
	for m := range t.Mips {
		total += t.imageBytes(m)
	}
	if total > 1<<28/(t.Layers*t.Samples) {
		return nil, fmt.Errorf("interp: texture of %d x %d x %d, %d layers needs more than 256 MiB", t.Width, t.Height, t.Depth, t.Layers)
	}
	for range t.Layers {
		for m := range t.Mips {
			for range t.Samples {
				t.Data = append(t.Data, make([]byte, t.imageBytes(m)))
			}
		}
	}
	return t, nil
}

// Size returns the size of a mip level.
func (t *Texture) Size(mip int) (w, h, d int) {
	return max(t.Width>>mip, 1), max(t.Height>>mip, 1), max(t.Depth>>mip, 1)
}

// imageBytes is the size of one image of a mip level.
func (t *Texture) imageBytes(mip int) int {
	w, h, d := t.Size(mip)
	if t.Format.Block {
		return (w + 3) / 4 * ((h + 3) / 4) * d * t.Format.Bytes
	}
	return w * h * d * t.Format.Bytes
}

// ImageBytes is the size in bytes of one image (one layer and sample) of a mip level.
func (t *Texture) ImageBytes(mip int) int { return t.imageBytes(mip) }

// Image returns the bytes of one image.
func (t *Texture) Image(layer, mip, sample int) []byte {
	if i := (layer*t.Mips+mip)*t.Samples + sample; i < len(t.Data) {
		return t.Data[i]
	}
	return nil
}

// texel reads a texel whose place is known to be inside, by the view's format.
func (t *Texture) texel(f *Format, x, y, z, layer, mip, sample int) [4]uint32 {
	img := t.Image(layer, mip, sample)
	w, h, _ := t.Size(mip)
	if f.Block {
		bw, bh := (w+3)/4, (h+3)/4
		at := ((z*bh+y/4)*bw + x/4) * f.Bytes
		if at+f.Bytes > len(img) {
			return [4]uint32{}
		}
		return f.decodeBlock(img[at:], y%4*4+x%4)
	}
	at := ((z*h+y)*w + x) * f.Bytes
	if at+f.Bytes > len(img) {
		return [4]uint32{}
	}
	return f.decode(img[at : at+f.Bytes])
}

// place returns the bytes of a texel whose place is inside, or nil.
func (t *Texture) place(f *Format, x, y, z, layer, mip int) ([]byte, TexelPlace) {
	i := (layer*t.Mips + mip) * t.Samples
	if i >= len(t.Data) {
		return nil, TexelPlace{}
	}
	w, h, _ := t.Size(mip)
	at := ((z*h+y)*w + x) * f.Bytes
	if at+f.Bytes > len(t.Data[i]) {
		return nil, TexelPlace{}
	}
	return t.Data[i][at : at+f.Bytes], TexelPlace{i, at}
}

// Filter is how texels are combined.
type Filter uint8

// The filters.
const (
	Point Filter = iota
	Linear
)

// Address is what coordinates outside 0..1 mean.
type Address uint8

// The address modes.
const (
	Clamp Address = iota
	Wrap
	Mirror
	Border
	MirrorOnce
)

// Compare is a comparison of a reference with a texel.
type Compare uint8

// The comparisons.
const (
	CmpNever Compare = iota
	CmpLess
	CmpEqual
	CmpLessEqual
	CmpGreater
	CmpNotEqual
	CmpGreaterEqual
	CmpAlways
)

// Holds reports whether a OP b holds.
func (c Compare) Holds(a, b float32) bool {
	switch c {
	case CmpLess:
		return a < b
	case CmpEqual:
		return a == b
	case CmpLessEqual:
		return a <= b
	case CmpGreater:
		return a > b
	case CmpNotEqual:
		return a != b
	case CmpGreaterEqual:
		return a >= b
	}
	return c == CmpAlways
}

// Sampler is the state of a sampler.
type Sampler struct {
	Min, Mag, Mip  Filter
	Aniso          int // above 1: anisotropic, at most so many samples
	Addr           [3]Address
	BorderColor    [4]float32
	Cmp            Compare
	MinLOD, MaxLOD float32
	Bias           float32
}

// DefaultSampler is what is used where none is bound: linear, clamped, all levels.
func DefaultSampler() *Sampler {
	return &Sampler{Min: Linear, Mag: Linear, Mip: Linear, Cmp: CmpNever, MinLOD: -math.MaxFloat32, MaxLOD: math.MaxFloat32}
}

// sampleKind says where the level of detail comes from.
type sampleKind uint8

const (
	lodImplicit sampleKind = iota
	lodExplicit
	lodGradient
	lodZero
)

// sampleArgs is one sampling of one invocation.
type sampleArgs struct {
	coord    [4]float32
	ddx, ddy [3]float32
	lod      float32
	bias     float32
	minLOD   float32 // additional clamp
	hasClamp bool
	offs     [3]int32
	cmp      bool
	ref      float32
	kind     sampleKind
	j        *jitter
}

// dims returns the number of coordinates that filter, and the coordinate that
// holds the array layer, or -1; four coordinates of what is no texture and no typed buffer.
func dims(d dxbc.Dim) (n, layer int) {
	switch d {
	case dxbc.DimTexture1D, dxbc.DimBuffer:
		return 1, -1
	case dxbc.DimTexture1DArray:
		return 1, 1
	case dxbc.DimTexture2D, dxbc.DimTexture2DMS:
		return 2, -1
	case dxbc.DimTexture2DArray, dxbc.DimTexture2DMSArray:
		return 2, 2
	case dxbc.DimTexture3D, dxbc.DimTextureCube:
		return 3, -1
	case dxbc.DimTextureCubeArray:
		return 3, 3
	}
	return 4, -1
}

// coordinates is the number of coordinate components of a dimension, layer included.
func coordinates(d dxbc.Dim) int {
	n, l := dims(d)
	if l >= 0 {
		n++
	}
	return n
}

// isTexture reports whether a dimension is a texture's.
func isTexture(d dxbc.Dim) bool {
	n, _ := dims(d)
	return n < 4 && d != dxbc.DimBuffer
}

func isCube(d dxbc.Dim) bool { return d == dxbc.DimTextureCube || d == dxbc.DimTextureCubeArray }

// layerOf rounds an array coordinate to nearest even and clamps it.
func layerOf(x float32, n int) int {
	r := math.RoundToEven(float64(x))
	if !(r > 0) {
		return 0
	}
	return int(min(r, float64(n-1)))
}

// face projects a direction on the cube face that it hits: the face (+x, -x, +y,
// -y, +z, -z) and coordinates in 0..1.
func face(c [3]float32) (f int, u, v float32, major float32) {
	ax, ay, az := abs32(c[0]), abs32(c[1]), abs32(c[2])
	var s, t, m float32
	switch {
	case az >= ax && az >= ay:
		m = az
		if c[2] >= 0 {
			f, s, t = 4, c[0], -c[1]
		} else {
			f, s, t = 5, -c[0], -c[1]
		}
	case ay >= ax:
		m = ay
		if c[1] >= 0 {
			f, s, t = 2, c[0], c[2]
		} else {
			f, s, t = 3, c[0], -c[2]
		}
	default:
		m = ax
		if c[0] >= 0 {
			f, s, t = 0, -c[2], -c[1]
		} else {
			f, s, t = 1, c[2], -c[1]
		}
	}
	if m == 0 {
		return f, 0.5, 0.5, 0
	}
	return f, (s/m + 1) / 2, (t/m + 1) / 2, m
}

// faceDirection is the inverse of face, for s, t in -1..1 (and beyond).
func faceDirection(f int, s, t float32) [3]float32 {
	switch f {
	case 0:
		return [3]float32{1, -t, -s}
	case 1:
		return [3]float32{-1, -t, s}
	case 2:
		return [3]float32{s, 1, t}
	case 3:
		return [3]float32{s, -1, -t}
	case 4:
		return [3]float32{s, -t, 1}
	}
	return [3]float32{-s, -t, -1}
}

func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// lods returns the level of detail before clamping, and for anisotropic filtering
// the number of samples and the step between them in texture coordinates.
func (v *View) lods(s *Sampler, a *sampleArgs) (lod float32, taps int, step [2]float32) {
	t := v.Tex
	switch a.kind {
	case lodZero:
		return 0, 1, step
	case lodExplicit:
		return a.lod + s.Bias, 1, step
	}
	n, _ := dims(v.Dim)
	dx, dy := a.ddx, a.ddy
	w, h, d := t.Size(v.FirstMip)
	size := [3]float32{float32(w), float32(h), float32(d)}
	if isCube(v.Dim) {
		// Derivatives of the projected coordinates s/m on the face of the centre.
		c := [3]float32(a.coord[:3])
		f, _, _, m := face(c)
		pick := func(x [3]float32) (s, t, m float32) {
			switch f {
			case 0:
				return -x[2], -x[1], x[0]
			case 1:
				return x[2], -x[1], -x[0]
			case 2:
				return x[0], x[2], x[1]
			case 3:
				return x[0], -x[2], -x[1]
			case 4:
				return x[0], -x[1], x[2]
			}
			return -x[0], -x[1], -x[2]
		}
		cs, ct, _ := pick(c)
		project := func(x [3]float32) [3]float32 {
			ds, dt, dm := pick(x)
			return [3]float32{(ds*m - cs*dm) / (m * m) / 2, (dt*m - ct*dm) / (m * m) / 2}
		}
		dx, dy = project(dx), project(dy)
		n = 2
		size[1] = size[0]
	}
	var px, py float64
	for k := range n {
		px += float64(dx[k]*size[k]) * float64(dx[k]*size[k])
		py += float64(dy[k]*size[k]) * float64(dy[k]*size[k])
	}
	px, py = math.Sqrt(px), math.Sqrt(py)
	taps = 1
	if s.Aniso > 1 && n == 2 && px > 0 && py > 0 && !isCube(v.Dim) {
		long, short, axis := px, py, dx
		if py > px {
			long, short, axis = py, px, dy
		}
		taps = int(min(math.Ceil(long/short), float64(s.Aniso)))
		step = [2]float32{axis[0] / float32(taps), axis[1] / float32(taps)}
		return float32(math.Log2(long/float64(taps))) + s.Bias + a.bias, taps, step
	}
	return float32(math.Log2(max(px, py))) + s.Bias + a.bias, 1, step
}

// clampLOD applies the clamps of sampler, instruction and view.
func (v *View) clampLOD(s *Sampler, a *sampleArgs, lod float32) float32 {
	lo, hi := s.MinLOD, s.MaxLOD
	if a.hasClamp {
		lo = max(lo, a.minLOD)
	}
	if !(lod >= lo) { // NaN counts as the smallest
		lod = lo
	}
	lod = min(lod, hi)
	return min(max(lod, 0), float32(v.mips()-1))
}

// sample filters the texture. With a comparison the result is replicated.
func (v *View) sample(s *Sampler, a *sampleArgs) [4]uint32 {
	lod, taps, step := v.lods(s, a)
	if a.j != nil {
		a.j.sample()
		lod = a.j.lod(lod, a.kind != lodExplicit)
	}
	mag := lod <= 0
	lod = v.clampLOD(s, a, lod)
	filter := s.Min
	if mag {
		filter = s.Mag
	}
	var sum [4]float64
	exact := filter == Point && v.Format.Type == dxbc.RetFloat && taps == 1 // a texel as it is
	for k := range taps {
		c := a.coord
		if taps > 1 {
			o := float32(k) - float32(taps-1)/2
			c[0] += o * step[0]
			c[1] += o * step[1]
		}
		level := int(lod)
		if s.Mip == Point || level >= v.mips()-1 {
			if s.Mip == Point {
				level = int(lod + 0.5)
			}
			one := v.level(s, a, c, filter, min(level, v.mips()-1))
			if taps == 1 && v.Format.Integer() {
				return one
			}
			addTo(&sum, one, 1/float64(taps))
			continue
		}
		f := float64(lod) - float64(level)
		addTo(&sum, v.level(s, a, c, filter, level), (1-f)/float64(taps))
		if f > 0 {
			exact = false
			addTo(&sum, v.level(s, a, c, filter, level+1), f/float64(taps))
		}
	}
	var out [4]uint32
	for i := range out {
		out[i] = math.Float32bits(float32(sum[i]))
		if a.j != nil && !exact {
			out[i] = a.j.ulps(out[i], 1) // of the conversion and the weights
		}
	}
	return out
}

func addTo(sum *[4]float64, x [4]uint32, w float64) {
	if w == 0 {
		return
	}
	for i := range sum {
		sum[i] += w * float64(math.Float32frombits(x[i]))
	}
}

// level filters one mip level of the view.
func (v *View) level(s *Sampler, a *sampleArgs, c [4]float32, filter Filter, mip int) [4]uint32 {
	n, l := dims(v.Dim)
	layer := 0
	if l >= 0 {
		layer = layerOf(c[l], v.arrayLength())
	}
	m := v.FirstMip + mip
	w, h, d := v.Tex.Size(m)
	size := [3]int{w, h, d}
	cubeFace := 0
	if isCube(v.Dim) {
		var x, y float32
		cubeFace, x, y, _ = face([3]float32(c[:3]))
		c[0], c[1] = x, y
		n = 2
		layer *= 6
	}
	var base [3]int
	var frac [3]float64
	for k := range n {
		x := float64(c[k]) * float64(size[k])
		if a.j != nil {
			x = a.j.coord(k, x)
		}
		if filter == Linear {
			x -= 0.5
		}
		if x != x {
			x = 0
		}
		x = min(max(x, -1e9), 1e9)
		fl := math.Floor(x)
		base[k] = int(fl) + int(a.offs[k])
		if filter == Linear {
			frac[k] = x - fl
		}
	}
	if filter == Point {
		return v.tap(s, a, base, size, layer, cubeFace, m)
	}
	var sum [4]float64
	for corner := range 1 << n {
		at, weight := base, 1.0
		for k := range n {
			if corner>>k&1 != 0 {
				at[k]++
				weight *= frac[k]
			} else {
				weight *= 1 - frac[k]
			}
		}
		if weight != 0 {
			addTo(&sum, v.tap(s, a, at, size, layer, cubeFace, m), weight)
		}
	}
	var out [4]uint32
	for i := range out {
		out[i] = math.Float32bits(float32(sum[i]))
	}
	return out
}

// tap reads one texel of a footprint through the address modes, compared where
// the sampling compares.
func (v *View) tap(s *Sampler, a *sampleArgs, at, size [3]int, layer, cubeFace, mip int) [4]uint32 {
	t := v.fetch(s, at, size, layer, cubeFace, mip, a.j != nil && a.j.seams)
	if !a.cmp {
		return t
	}
	ref := a.ref
	if v.Format.Type == dxbc.RetUnorm {
		ref = min(max(ref, 0), 1)
	}
	var r uint32
	if s.Cmp.Holds(ref, math.Float32frombits(t[0])) {
		r = oneBits
	}
	return [4]uint32{r, r, r, r}
}

func (v *View) fetch(s *Sampler, at, size [3]int, layer, cubeFace, mip int, seamed bool) [4]uint32 {
	n, _ := dims(v.Dim)
	if isCube(v.Dim) {
		// Some drivers (SwiftShader) read zeros outside the face.
		if seamed && (at[0] < 0 || at[0] >= size[0] || at[1] < 0 || at[1] >= size[0]) {
			return [4]uint32{}
		}
		return v.cubeTexel(at[0], at[1], size[0], layer, cubeFace, mip)
	}
	for k := range n {
		var outside bool
		if at[k], outside = s.Addr[k].index(at[k], size[k]); outside {
			return v.border(s)
		}
	}
	z := 0
	if v.Dim == dxbc.DimTexture3D {
		z = at[2]
	}
	y := at[1]
	if n == 1 {
		y = 0
	}
	return v.Tex.texel(v.Format, at[0], y, z, v.FirstLayer+layer, mip, 0)
}

func (v *View) border(s *Sampler) [4]uint32 {
	var out [4]uint32
	for i := range out {
		out[i] = math.Float32bits(s.BorderColor[i])
		if v.Format.Integer() {
			out[i] = uint32(int32(s.BorderColor[i]))
		}
	}
	// Channels that the format lacks come from the format, not from the border.
	if n := v.Format.Channels(); !v.Format.Block && n < 4 && v.Format.Name != "A8_UNORM" {
		for i := n; i < 3; i++ {
			out[i] = 0
		}
		out[3] = oneBits
	}
	return out
}

// index maps a texel index by the address mode.
func (m Address) index(i, n int) (int, bool) {
	if i >= 0 && i < n {
		return i, false
	}
	switch m {
	case Wrap:
		return ((i % n) + n) % n, false
	case Mirror:
		i = ((i % (2 * n)) + 2*n) % (2 * n)
		if i >= n {
			i = 2*n - 1 - i
		}
		return i, false
	case MirrorOnce:
		if i < 0 {
			i = -1 - i
		}
		return min(i, n-1), false
	case Border:
		return 0, true
	}
	return min(max(i, 0), n-1), false
}

// cubeTexel reads a texel of a face; one step outside it is the texel of the
// neighbouring face, the average of the three texels at a corner.
func (v *View) cubeTexel(x, y, n, layer, f, mip int) [4]uint32 {
	get := func(f, x, y int) [4]uint32 {
		return v.Tex.texel(v.Format, x, y, 0, v.FirstLayer+layer+f, mip, 0)
	}
	outX, outY := x < 0 || x >= n, y < 0 || y >= n
	if !outX && !outY {
		return get(f, x, y)
	}
	if outX && outY {
		cx, cy := min(max(x, 0), n-1), min(max(y, 0), n-1)
		var sum [4]float64
		addTo(&sum, get(f, cx, cy), 1.0/3)
		addTo(&sum, v.cubeTexel(x, cy, n, layer, f, mip), 1.0/3)
		addTo(&sum, v.cubeTexel(cx, y, n, layer, f, mip), 1.0/3)
		var out [4]uint32
		for i := range out {
			out[i] = math.Float32bits(float32(sum[i]))
		}
		return out
	}
	dir := faceDirection(f, (2*float32(x)+1)/float32(n)-1, (2*float32(y)+1)/float32(n)-1)
	g, u, w, _ := face(dir)
	return get(g, min(max(int(u*float32(n)), 0), n-1), min(max(int(w*float32(n)), 0), n-1))
}

// gather returns component comp of the four texels of the bilinear footprint at
// the first level: (-,+), (+,+), (+,-), (-,-).
func (v *View) gather(s *Sampler, a *sampleArgs, comp int) [4]uint32 {
	n, l := dims(v.Dim)
	layer := 0
	c := a.coord
	if l >= 0 {
		layer = layerOf(c[l], v.arrayLength())
	}
	cubeFace := 0
	if isCube(v.Dim) {
		cubeFace, c[0], c[1], _ = face([3]float32(c[:3]))
		n = 2
		layer *= 6
	}
	w, h, d := v.Tex.Size(v.FirstMip)
	size := [3]int{w, h, d}
	if a.j != nil {
		a.j.sample()
	}
	var base [3]int
	for k := range min(n, 2) {
		x := float64(c[k]) * float64(size[k])
		if a.j != nil {
			x = a.j.coord(k, x)
		}
		x -= 0.5
		if x != x {
			x = 0
		}
		base[k] = int(math.Floor(min(max(x, -1e9), 1e9))) + int(a.offs[k])
	}
	var out [4]uint32
	for i, o := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
		out[i] = v.tap(s, a, [3]int{base[0] + o[0], base[1] + o[1], base[2]}, size, layer, cubeFace, v.FirstMip)[comp&3]
	}
	return out
}

// load fetches a texel without a filter; anything out of range gives zero in all
// components.
func (v *View) load(c [3]int32, level int32, sample int32) ([4]uint32, bool) {
	n, l := dims(v.Dim)
	if level < 0 || int(level) >= v.mips() || isCube(v.Dim) {
		return [4]uint32{}, false
	}
	m := v.FirstMip + int(level)
	w, h, d := v.Tex.Size(m)
	size := [3]int{w, h, d}
	for k := range n {
		if c[k] < 0 || int(c[k]) >= size[k] {
			return [4]uint32{}, false
		}
	}
	layer := 0
	if l >= 0 {
		if c[l] < 0 || int(c[l]) >= v.arrayLength() {
			return [4]uint32{}, false
		}
		layer = int(c[l])
	}
	if sample < 0 || int(sample) >= v.Tex.Samples {
		return [4]uint32{}, false
	}
	y, z := 0, 0
	if n > 1 {
		y = int(c[1])
	}
	if n > 2 {
		z = int(c[2])
	}
	return v.Tex.texel(v.Format, int(c[0]), y, z, v.FirstLayer+layer, m, int(sample)), true
}

// texelPlace is the memory of a texel of a writable view, nil outside. D3D has no
// writable views of cubes.
func (v *View) texelPlace(c [3]int32) ([]byte, TexelPlace) {
	if isCube(v.Dim) {
		return nil, TexelPlace{}
	}
	n, l := dims(v.Dim)
	w, h, d := v.Tex.Size(v.FirstMip)
	size := [3]int{w, h, d}
	for k := range n {
		if c[k] < 0 || int(c[k]) >= size[k] {
			return nil, TexelPlace{}
		}
	}
	layer, y, z := 0, 0, 0
	if l >= 0 {
		if c[l] < 0 || int(c[l]) >= v.arrayLength() {
			return nil, TexelPlace{}
		}
		layer = int(c[l])
	}
	if n > 1 {
		y = int(c[1])
	}
	if n > 2 {
		z = int(c[2])
	}
	return v.Tex.place(v.Format, int(c[0]), y, z, v.FirstLayer+layer, v.FirstMip)
}

// mips is the number of levels of the view.
func (v *View) mips() int {
	if v.Mips > 0 {
		return min(v.Mips, v.Tex.Mips-v.FirstMip)
	}
	return v.Tex.Mips - v.FirstMip
}

// arrayLength is the number of layers of the view, of cubes for cube arrays.
func (v *View) arrayLength() int {
	n := v.Tex.Layers - v.FirstLayer
	if v.Layers > 0 {
		n = min(n, v.Layers)
	}
	if v.Dim == dxbc.DimTextureCubeArray {
		n /= 6
	}
	return max(n, 1)
}

// info is what resinfo returns: width, height or layers, depth or layers, levels.
func (v *View) info(level uint32) [4]uint32 {
	out := [4]uint32{3: uint32(v.mips())}
	if level >= uint32(v.mips()) {
		return out
	}
	w, h, d := v.Tex.Size(v.FirstMip + int(level))
	n, l := dims(v.Dim)
	out[0] = uint32(w)
	if n >= 2 {
		out[1] = uint32(h)
	}
	if v.Dim == dxbc.DimTexture3D {
		out[2] = uint32(d)
	}
	switch {
	case v.Dim == dxbc.DimTextureCubeArray:
		out[2] = uint32(v.arrayLength())
	case l >= 0:
		out[l] = uint32(v.arrayLength())
	}
	return out
}
