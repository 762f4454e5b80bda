package meaning

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Program is one compute entry of testdata/hlsl, with what it means.
type Program struct {
	Source, Entry string
	// Order says which results depend on the order of invocations and what is
	// required of them instead of one value; empty where every word has one value.
	Order string
	// Views are the bound-view formats to compile with, by register ("u4").
	Views map[string]string
	// Classes are the class instances of interface slots.
	Classes map[string]string
	Inputs  []Input
	// Run changes the UAVs of w to what Direct3D gives, with invocations in the
	// order of their numbers, and marks words that may come out otherwise.
	Run func(w *World)
	// Check, where not nil, looks at whole results of which Run marked the words:
	// in is what was there before, got what came out.
	Check func(in, got *World) error
}

// Input is one set of inputs. Kind is Small, Boundary or Outside.
type Input struct {
	Kind Kind
	Name string // beside Kind, unique within the program
	// Exact compiles with exact numerics, for values about which WGSL alone
	// promises nothing: NaN, infinities, conversions out of range.
	Exact bool
	World func() *World
}

// Kind is what inputs are about.
type Kind uint8

// The kinds: everything in range, the last element exactly at the bound, and
// accesses outside.
const (
	Small Kind = iota
	Boundary
	Outside
)

func (k Kind) String() string { return [...]string{"small", "boundary", "outside"}[k] }

// World is what is bound to a program, and the groups to dispatch. Names are
// registers: "b0", "t4", "u2", "s0", "u0/1" for u0 in space 1, "u3.count" for the
// hidden counter of u3.
type World struct {
	Groups   [3]uint32
	Buffers  map[string]*Buffer
	Textures map[string]*Texture
	Samplers map[string]Filter
}

// Buffer is a constant, raw, structured or typed buffer as 32-bit words.
type Buffer struct {
	Words []uint32
	rules map[int]rule
}

// Filter is the filter of a sampler; it clamps to the edge.
type Filter string

// The filters.
const (
	Nearest Filter = "nearest"
	Linear  Filter = "linear"
)

// Texture is a texture of one mip level. Lanes hold the bits of floats or integers.
type Texture struct {
	Dim     string // "1d", "1d-array" (stored as a 2D array of height 1), "2d", "2d-array", "3d"
	W, H, D int    // D: depth or layers
	Format  string // WebGPU's name
	Texels  [][4]uint32
	rules   map[int]rule // by texel*4 + lane
}

// rule is what a word may be instead of exactly the expected one.
type rule struct {
	any bool
	of  []uint32
	tol float64 // as a float, within
}

func (r *rule) admits(want, got uint32) bool {
	switch {
	case want == got || r.any:
		return true
	case r.of != nil:
		return slices.Contains(r.of, got)
	}
	return math.Abs(float64(f32(want))-float64(f32(got))) <= r.tol
}

// Clone is a deep copy without marks.
func (w *World) Clone() *World {
	c := &World{Groups: w.Groups, Samplers: w.Samplers, Buffers: map[string]*Buffer{}, Textures: map[string]*Texture{}}
	for k, b := range w.Buffers {
		c.Buffers[k] = &Buffer{Words: slices.Clone(b.Words)}
	}
	for k, t := range w.Textures {
		n := *t
		n.Texels, n.rules = slices.Clone(t.Texels), nil
		c.Textures[k] = &n
	}
	return c
}

// Compare compares the UAVs named of what came out with the expected world. It
// returns the number of words compared and what differs, at most ten.
func (w *World) Compare(got *World, names []string) (words int, diffs []string) {
	say := func(format string, args ...any) {
		if len(diffs) < 10 {
			diffs = append(diffs, fmt.Sprintf(format, args...))
		}
	}
	for _, n := range slices.Sorted(slices.Values(names)) {
		if b := w.Buffers[n]; b != nil {
			g := got.Buffers[n]
			if g == nil || len(g.Words) != len(b.Words) {
				say("%s did not come back whole", n)
				continue
			}
			for i, want := range b.Words {
				words++
				if r, ok := b.rules[i]; g.Words[i] != want && (!ok || !r.admits(want, g.Words[i])) {
					say("%s[%d] is %#x (%g), not %s", n, i, g.Words[i], f32(g.Words[i]), b.rules[i].describe(want, ok))
				}
			}
			continue
		}
		t, g := w.Textures[n], got.Textures[n]
		if t == nil || g == nil || len(g.Texels) != len(t.Texels) {
			say("%s did not come back whole", n)
			continue
		}
		for i, want := range t.Texels {
			for k := range formats[t.Format].lanes {
				words++
				r, ok := t.rules[4*i+k]
				if x := g.Texels[i][k]; x != want[k] && (!ok || !r.admits(want[k], x)) {
					say("%s texel (%d, %d, %d) lane %d is %#x (%g), not %s", n, i%t.W, i/t.W%t.H, i/t.W/t.H, k, x, f32(x), r.describe(want[k], ok))
				}
			}
		}
	}
	return words, diffs
}

func (r rule) describe(want uint32, ok bool) string {
	switch {
	case ok && r.of != nil:
		return fmt.Sprintf("one of %#x", r.of)
	case ok && r.tol > 0:
		return fmt.Sprintf("%g within %g", f32(want), r.tol)
	}
	return fmt.Sprintf("%#x (%g)", want, f32(want))
}

func f32(w uint32) float32  { return math.Float32frombits(w) }
func bits(f float32) uint32 { return math.Float32bits(f) }

// Records is a buffer seen as records (or typed elements) of so many words.
type Records struct {
	*Buffer
	n uint32
}

func (w *World) buffer(name string) *Buffer {
	b := w.Buffers[name]
	if b == nil {
		panic("no buffer " + name)
	}
	return b
}

// records is a structured or typed view.
func (w *World) records(name string, words uint32) Records { return Records{w.buffer(name), words} }

// words is a view of single words.
func (w *World) words(name string) Records { return w.records(name, 1) }

// raw is a byte address buffer.
func (w *World) raw(name string) Raw { return Raw{w.buffer(name)} }

// cb is word i of a constant buffer; words beyond read as zero.
func (w *World) cb(name string, i int) uint32 {
	if b := w.buffer(name); i < len(b.Words) {
		return b.Words[i]
	}
	return 0
}

// cbf is a float of a constant buffer.
func (w *World) cbf(name string, i int) float32 { return f32(w.cb(name, i)) }

// in reports whether record i is there as a whole.
func (r Records) in(i uint32) bool { return (uint64(i)+1)*uint64(r.n) <= uint64(len(r.Words)) }

func (r Records) count() uint32 { return uint32(len(r.Words)) / r.n }

// at is the index of the word k of record i in Words.
func (r Records) at(i, k uint32) int { return int(i)*int(r.n) + int(k) }

// get is word k of record i, or zero.
func (r Records) get(i, k uint32) uint32 {
	if !r.in(i) {
		return 0
	}
	return r.Words[r.at(i, k)]
}

func (r Records) load(i uint32) uint32           { return r.get(i, 0) }
func (r Records) getf(i, k uint32) float32       { return f32(r.get(i, k)) }
func (r Records) setf(i, k uint32, v float32)    { r.set(i, k, bits(v)) }
func (r Records) store(i, v uint32)              { r.set(i, 0, v) }
func (r Records) record(i uint32) []uint32       { return r.span(i) }
func (r Records) setRecord(i uint32, v []uint32) { r.setSpan(i, v) }

func (r Records) span(i uint32) []uint32 {
	out := make([]uint32, r.n)
	if r.in(i) {
		copy(out, r.Words[r.at(i, 0):])
	}
	return out
}

func (r Records) setSpan(i uint32, v []uint32) {
	if r.in(i) {
		copy(r.Words[r.at(i, 0):r.at(i, r.n)], v)
	}
}

// set stores word k of record i, or nothing.
func (r Records) set(i, k, v uint32) {
	if r.in(i) {
		r.Words[r.at(i, k)] = v
	}
}

// atomic changes word k of record i and returns what was there; outside nothing
// happens and the old value is zero.
func (r Records) atomic(i, k uint32, f func(old uint32) uint32) uint32 {
	if !r.in(i) {
		return 0
	}
	old := r.Words[r.at(i, k)]
	r.Words[r.at(i, k)] = f(old)
	return old
}

func (r Records) add(i, v uint32) uint32 {
	return r.atomic(i, 0, func(old uint32) uint32 { return old + v })
}

// mark sets the rule of word k of record i, if it is there.
func (r Records) mark(i, k uint32, x rule) {
	if r.in(i) {
		r.markWord(r.at(i, k), x)
	}
}

func (b *Buffer) markWord(i int, x rule) {
	if b.rules == nil {
		b.rules = map[int]rule{}
	}
	b.rules[i] = x
}

// Raw is a byte address buffer: words by byte address, each for itself.
type Raw struct{ *Buffer }

func (r Raw) words() Records { return Records{r.Buffer, 1} }

func (r Raw) load(at uint32) uint32 { return r.words().load(at / 4) }

func (r Raw) store(at, v uint32) { r.words().store(at/4, v) }

func (r Raw) load4(at uint32) [4]uint32 {
	return [4]uint32{r.load(at), r.load(at + 4), r.load(at + 8), r.load(at + 12)}
}

// texture returns a texture by register.
func (w *World) texture(name string) *Texture {
	t := w.Textures[name]
	if t == nil {
		panic("no texture " + name)
	}
	return t
}

func (t *Texture) index(x, y, z uint32) (int, bool) {
	if uint64(x) >= uint64(t.W) || uint64(y) >= uint64(t.H) || uint64(z) >= uint64(t.D) {
		return 0, false
	}
	return (int(z)*t.H+int(y))*t.W + int(x), true
}

// load is a texel, or zeros outside.
func (t *Texture) load(x, y, z uint32) [4]uint32 {
	if i, ok := t.index(x, y, z); ok {
		return t.Texels[i]
	}
	return [4]uint32{}
}

// red is the first lane of a texel as a float.
func (t *Texture) red(x, y, z uint32) float32 { return f32(t.load(x, y, z)[0]) }

// floats are the lanes of a texel.
func (t *Texture) floats(x, y, z uint32) [4]float32 {
	v := t.load(x, y, z)
	return [4]float32{f32(v[0]), f32(v[1]), f32(v[2]), f32(v[3])}
}

// store writes the lanes that the format has, as the format holds them.
func (t *Texture) store(x, y, z uint32, v [4]uint32) {
	if i, ok := t.index(x, y, z); ok {
		f := formats[t.Format]
		b := make([]byte, f.bytes)
		f.put(v, b)
		t.Texels[i] = f.get(b)
	}
}

func (t *Texture) storef(x, y, z uint32, v ...float32) {
	var w [4]uint32
	for i, f := range v {
		w[i] = bits(f)
	}
	t.store(x, y, z, w)
}

func (t *Texture) mark(x, y, z uint32, k int, r rule) {
	if i, ok := t.index(x, y, z); ok {
		if t.rules == nil {
			t.rules = map[int]rule{}
		}
		t.rules[4*i+k] = r
	}
}

// bytes is the image as the judge has it.
func (t *Texture) bytes() []byte {
	f := formats[t.Format]
	out := make([]byte, f.bytes*len(t.Texels))
	for i, v := range t.Texels {
		f.put(v, out[i*f.bytes:][:f.bytes])
	}
	return out
}

// with is the texture with other contents.
func (t *Texture) with(data []byte) *Texture {
	n, f := *t, formats[t.Format]
	n.Texels, n.rules = make([][4]uint32, min(len(data)/f.bytes, len(t.Texels))), nil
	for i := range n.Texels {
		n.Texels[i] = f.get(data[i*f.bytes:][:f.bytes])
	}
	return &n
}

// format is a texture format: what the tests use, converted by D3D's rules.
type format struct {
	bytes, lanes int
	dxgi         string
	get          func(b []byte) [4]uint32
	put          func(v [4]uint32, b []byte)
}

// formats by WebGPU's name.
var formats = map[string]format{
	"r32float":    plain("R32_FLOAT", 1, bits(1)),
	"rgba32float": plain("R32G32B32A32_FLOAT", 4, bits(1)),
	"r32uint":     plain("R32_UINT", 1, 1),
	"r32sint":     plain("R32_SINT", 1, 1),
	"rg32uint":    plain("R32G32_UINT", 2, 1),
	"rgba32sint":  plain("R32G32B32A32_SINT", 4, 1),
	"r16float":    half("R16_FLOAT", 1),
	"rgba16float": half("R16G16B16A16_FLOAT", 4),
	"rgba8unorm": {4, 4, "R8G8B8A8_UNORM", func(b []byte) (v [4]uint32) {
		for i := range v {
			v[i] = bits(float32(float64(b[i]) / 255))
		}
		return v
	}, func(v [4]uint32, b []byte) {
		for i := range v {
			b[i] = byte(math.Floor(min(max(float64(f32(v[i])), 0), 1)*255 + 0.5))
		}
	}},
	"rgba8snorm": {4, 4, "R8G8B8A8_SNORM", func(b []byte) (v [4]uint32) {
		for i := range v {
			v[i] = bits(float32(max(float64(int8(b[i]))/127, -1)))
		}
		return v
	}, func(v [4]uint32, b []byte) {
		for i := range v {
			x := min(max(float64(f32(v[i])), -1), 1) * 127
			b[i] = byte(int8(math.Trunc(x + math.Copysign(0.5, x))))
		}
	}},
}

func plain(dxgi string, lanes int, one uint32) format {
	return format{4 * lanes, lanes, dxgi, func(b []byte) [4]uint32 {
		v := [4]uint32{3: one}
		for i := range lanes {
			v[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		return v
	}, func(v [4]uint32, b []byte) {
		for i := range lanes {
			binary.LittleEndian.PutUint32(b[4*i:], v[i])
		}
	}}
}

func half(dxgi string, lanes int) format {
	return format{2 * lanes, lanes, dxgi, func(b []byte) [4]uint32 {
		v := [4]uint32{3: bits(1)}
		for i := range lanes {
			v[i] = bits(fromHalf(binary.LittleEndian.Uint16(b[2*i:])))
		}
		return v
	}, func(v [4]uint32, b []byte) {
		for i := range lanes {
			binary.LittleEndian.PutUint16(b[2*i:], toHalf(f32(v[i])))
		}
	}}
}

// fromHalf is the value of a half that is finite.
func fromHalf(h uint16) float32 {
	e, m := int(h>>10&31), float64(h&1023)
	x := math.Ldexp(m, -24)
	if e > 0 {
		x = math.Ldexp(1024+m, e-25)
	}
	if h>>15 != 0 {
		x = -x
	}
	return float32(x)
}

// toHalf rounds toward zero and stays finite, as D3D converts; what the tests put
// into half textures is exact.
func toHalf(f float32) uint16 {
	x := math.Abs(float64(f))
	sign := uint16(bits(f) >> 16 & 0x8000)
	switch {
	case x != x:
		return sign | 0x7e00 | uint16(bits(f)>>13&0x3ff)
	case math.IsInf(x, 0):
		return sign | 0x7c00
	case x >= 65504:
		return sign | 0x7bff
	case x < math.Ldexp(1, -14):
		return sign | uint16(math.Ldexp(x, 24))
	}
	_, e := math.Frexp(x) // x = m * 2^e, m in [0.5, 1)
	return sign | uint16(e+14)<<10 | uint16(math.Ldexp(x, 11-e))&1023
}

// Thread is one invocation.
type Thread struct {
	D, G, T [3]uint32 // SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID
	I       uint32    // SV_GroupIndex
}

// groups calls f with the threads of each group of the given shape.
func (w *World) groups(x, y, z uint32, f func(g []Thread)) {
	for gz := range w.Groups[2] {
		for gy := range w.Groups[1] {
			for gx := range w.Groups[0] {
				all := make([]Thread, 0, x*y*z)
				for i := range x * y * z {
					t := [3]uint32{i % x, i / x % y, i / x / y}
					all = append(all, Thread{D: [3]uint32{gx*x + t[0], gy*y + t[1], gz*z + t[2]}, G: [3]uint32{gx, gy, gz}, T: t, I: i})
				}
				f(all)
			}
		}
	}
}

// each calls f for each invocation: programs without barriers.
func (w *World) each(x, y, z uint32, f func(t Thread)) {
	w.groups(x, y, z, func(g []Thread) {
		for _, t := range g {
			f(t)
		}
	})
}

// Building inputs.

// things are the resources of a world by register: *Buffer, *Texture or Filter.
type things map[string]any

func world(x, y, z uint32, r things) *World {
	w := &World{Groups: [3]uint32{x, y, z}, Buffers: map[string]*Buffer{}, Textures: map[string]*Texture{}, Samplers: map[string]Filter{}}
	for _, k := range slices.Sorted(maps.Keys(r)) {
		switch v := r[k].(type) {
		case []uint32:
			w.Buffers[k] = &Buffer{Words: v}
		case *Texture:
			w.Textures[k] = v
		case Filter:
			w.Samplers[k] = v
		default:
			panic(fmt.Sprintf("%s is a %T", k, v))
		}
	}
	return w
}

// input makes an Input with resources r.
func input(k Kind, name string, groups [3]uint32, r func() things) Input {
	return Input{Kind: k, Name: name, World: func() *World { return world(groups[0], groups[1], groups[2], r()) }}
}

// g1 are n groups along x.
func g1(n uint32) [3]uint32 { return [3]uint32{n, 1, 1} }

// words of n elements.
func ramp(n int, f func(i uint32) uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = f(uint32(i))
	}
	return out
}

// rampf are floats.
func rampf(n int, f func(i uint32) float32) []uint32 {
	return ramp(n, func(i uint32) uint32 { return bits(f(i)) })
}

// fill are n equal words: what a dropped store leaves is recognised.
func fill(n int, v uint32) []uint32 { return ramp(n, func(uint32) uint32 { return v }) }

// noise are n words that look random.
func noise(seed uint32, n int) []uint32 {
	x := seed*2654435761 + 12345
	return ramp(n, func(uint32) uint32 {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		return x
	})
}

func floats(v ...float32) []uint32 {
	out := make([]uint32, len(v))
	for i, f := range v {
		out[i] = bits(f)
	}
	return out
}

// image makes a texture from a function of the coordinates.
func image(dim, format string, w, h, d int, f func(x, y, z uint32) [4]uint32) *Texture {
	t := &Texture{Dim: dim, W: w, H: h, D: d, Format: format, Texels: make([][4]uint32, w*h*d)}
	for z := range uint32(d) {
		for y := range uint32(h) {
			for x := range uint32(w) {
				t.store(x, y, z, f(x, y, z))
			}
		}
	}
	return t
}

// same is an image of one value.
func same(v ...float32) func(x, y, z uint32) [4]uint32 {
	return func(_, _, _ uint32) (w [4]uint32) {
		for i, f := range v {
			w[i] = bits(f)
		}
		return w
	}
}

// permutation reports whether got has the values of want in any order.
func permutation(got, want []uint32) bool {
	return slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
