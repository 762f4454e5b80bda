package interp

import (
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"fxlens/core/dxbc"
)

// Format is a DXGI format that a view can have. Texels are four 32-bit words: f32
// bits for float, unorm and snorm formats, integers otherwise. A channel that the
// format does not have is zero, alpha one.
type Format struct {
	Name  string          // DXGI's name without its prefix: "R8G8B8A8_UNORM"
	Bytes int             // size of a texel, or of a block of 4x4 texels
	Block bool            // block compressed
	Type  dxbc.ReturnType // RetUnorm, RetSnorm, RetSint, RetUint or RetFloat
	SRGB  bool            // the colour channels are sRGB
	// fields are the channels from the lowest bit up: widths, and which of red,
	// green, blue, alpha (0 to 3; 4 is padding) each is.
	fields []field
	bc     uint8 // the number of a block compression, 1 to 5
}

type field struct{ bits, channel uint8 }

// Depth reports whether the format is one that depth buffers have.
func (f *Format) Depth() bool { return strings.HasPrefix(f.Name, "D") }

// Integer reports whether texels are integers.
func (f *Format) Integer() bool { return f.Type == dxbc.RetUint || f.Type == dxbc.RetSint }

// Channels is the number of channels.
func (f *Format) Channels() int {
	if f.Block {
		return 4
	}
	n := 0
	for _, x := range f.fields {
		if x.channel < 4 {
			n++
		}
	}
	return n
}

var formatTable = sync.OnceValue(func() map[string]*Format {
	m := map[string]*Format{}
	kinds := map[string]dxbc.ReturnType{"FLOAT": dxbc.RetFloat, "UINT": dxbc.RetUint, "SINT": dxbc.RetSint, "UNORM": dxbc.RetUnorm, "SNORM": dxbc.RetSnorm}
	add := func(channels string, bits []uint8, types ...string) {
		name, total := "", 0
		f := Format{}
		for i, c := range channels {
			f.fields = append(f.fields, field{bits[min(i, len(bits)-1)], uint8(strings.IndexRune("RGBAX", c))})
			total += int(bits[min(i, len(bits)-1)])
			name += string(c) + itoa(int(bits[min(i, len(bits)-1)]))
		}
		f.Bytes = total / 8
		for _, t := range types {
			g := f
			base, srgb := strings.CutSuffix(t, "_SRGB")
			g.Name, g.Type, g.SRGB = name+"_"+t, kinds[base], srgb
			m[g.Name] = &g
		}
	}
	all := []string{"FLOAT", "UINT", "SINT", "UNORM", "SNORM"}
	for _, c := range []string{"R", "RG", "RGB", "RGBA"} {
		add(c, []uint8{32}, all[:3]...)
	}
	for _, c := range []string{"R", "RG", "RGBA"} {
		add(c, []uint8{16}, all...)
		add(c, []uint8{8}, all[1:]...)
	}
	add("RGBA", []uint8{8}, "UNORM_SRGB")
	add("BGRA", []uint8{8}, "UNORM", "UNORM_SRGB")
	add("BGRX", []uint8{8}, "UNORM", "UNORM_SRGB")
	add("A", []uint8{8}, "UNORM")
	add("RGBA", []uint8{10, 10, 10, 2}, "UNORM", "UINT")
	add("RGB", []uint8{11, 11, 10}, "FLOAT")
	add("BGR", []uint8{5, 6, 5}, "UNORM")
	add("BGRA", []uint8{5, 5, 5, 1}, "UNORM")
	add("BGRA", []uint8{4}, "UNORM")
	m["R9G9B9E5_SHAREDEXP"] = &Format{Name: "R9G9B9E5_SHAREDEXP", Bytes: 4, Type: dxbc.RetFloat, fields: []field{{9, 0}, {9, 1}, {9, 2}, {5, 4}}}
	m["D32_FLOAT"] = &Format{Name: "D32_FLOAT", Bytes: 4, Type: dxbc.RetFloat, fields: []field{{32, 0}}}
	m["D16_UNORM"] = &Format{Name: "D16_UNORM", Bytes: 2, Type: dxbc.RetUnorm, fields: []field{{16, 0}}}
	m["R24_UNORM_X8_TYPELESS"] = &Format{Name: "R24_UNORM_X8_TYPELESS", Bytes: 4, Type: dxbc.RetUnorm, fields: []field{{24, 0}, {8, 4}}}
	for n := 1; n <= 5; n++ {
		bytes := 16
		if n == 1 || n == 4 {
			bytes = 8
		}
		types := []string{"UNORM", "UNORM_SRGB"}
		if n >= 4 {
			types = []string{"UNORM", "SNORM"}
		}
		for _, t := range types {
			f := &Format{Name: "BC" + itoa(n) + "_" + t, Bytes: bytes, Block: true, Type: dxbc.RetUnorm, bc: uint8(n)}
			switch t {
			case "UNORM_SRGB":
				f.SRGB = true
			case "SNORM":
				f.Type = dxbc.RetSnorm
			}
			m[f.Name] = f
		}
	}
	return m
})

func itoa(n int) string {
	if n >= 10 {
		return string(rune('0'+n/10)) + string(rune('0'+n%10))
	}
	return string(rune('0' + n))
}

// LookupFormat returns the format with a DXGI name without its prefix.
func LookupFormat(name string) (*Format, bool) {
	f, ok := formatTable()[name]
	return f, ok
}

const oneBits = 0x3F800000

// decode reads one texel of a plain format. b has Bytes bytes.
func (f *Format) decode(b []byte) [4]uint32 {
	var out [4]uint32
	if f.Integer() {
		out[3] = 1
	} else {
		out[3] = oneBits
	}
	if f.Name == "R9G9B9E5_SHAREDEXP" {
		w := binary.LittleEndian.Uint32(b)
		scale := math.Exp2(float64(int(w>>27) - 15 - 9))
		for c := range 3 {
			out[c] = math.Float32bits(float32(float64(w>>(9*c)&511) * scale))
		}
		return out
	}
	bit := 0
	for _, x := range f.fields {
		if x.channel < 4 {
			out[x.channel] = f.channel(bitsAt(b, bit, int(x.bits)), x)
		}
		bit += int(x.bits)
	}
	return out
}

// channel converts the bits of one channel.
func (f *Format) channel(v uint32, x field) uint32 {
	switch f.Type {
	case dxbc.RetUint:
		return v
	case dxbc.RetSint:
		return uint32(int32(v<<(32-x.bits)) >> (32 - x.bits))
	case dxbc.RetUnorm:
		r := float32(float64(v) / float64(uint64(1)<<x.bits-1))
		if f.SRGB && x.channel < 3 {
			r = fromSRGB(r)
		}
		return math.Float32bits(r)
	case dxbc.RetSnorm:
		s := int32(v<<(32-x.bits)) >> (32 - x.bits)
		return math.Float32bits(float32(max(float64(s)/float64(int64(1)<<(x.bits-1)-1), -1)))
	}
	switch x.bits {
	case 16:
		return halfToFloat(v)
	case 11:
		return halfToFloat(v << 4)
	case 10:
		return halfToFloat(v << 5)
	}
	return v
}

// Decode reads a texel of a plain format from its Bytes bytes; zeros when there are
// fewer or the format is block compressed.
func (f *Format) Decode(b []byte) [4]uint32 {
	if f.Block || len(b) < f.Bytes {
		return [4]uint32{}
	}
	return f.decode(b[:f.Bytes])
}

// Encode writes a texel of a plain format to the first Bytes bytes of b; it does
// nothing when there are fewer or the format is block compressed.
func (f *Format) Encode(v [4]uint32, b []byte) {
	if !f.Block && len(b) >= f.Bytes {
		f.encode(v, b[:f.Bytes])
	}
}

// encode writes a texel of a plain format.
func (f *Format) encode(v [4]uint32, b []byte) {
	if f.Name == "R9G9B9E5_SHAREDEXP" {
		binary.LittleEndian.PutUint32(b, sharedExponent(v))
		return
	}
	clear(b[:f.Bytes])
	bit := 0
	for _, x := range f.fields {
		if x.channel < 4 {
			putBits(b, bit, int(x.bits), f.unchannel(v[x.channel], x))
		}
		bit += int(x.bits)
	}
}

// unchannel converts one channel to the bits that memory has: floats clamp and
// round to nearest even, NaN becomes zero in normalized formats, integers
// saturate (D3D11 functional specification, 3.2.3.6 data conversion).
func (f *Format) unchannel(v uint32, x field) uint32 {
	switch f.Type {
	case dxbc.RetUint:
		if x.bits < 32 {
			v = min(v, 1<<x.bits-1)
		}
		return v
	case dxbc.RetSint:
		lo, hi := int32(-1)<<(x.bits-1), int32(1<<(x.bits-1)-1)
		return uint32(min(max(int32(v), lo), hi))
	case dxbc.RetUnorm:
		r := math.Float32frombits(v)
		if !(r > 0) {
			return 0
		}
		r = min(r, 1)
		if f.SRGB && x.channel < 3 {
			r = toSRGB(r)
		}
		return uint32(math.RoundToEven(float64(r) * float64(uint64(1)<<x.bits-1)))
	case dxbc.RetSnorm:
		r := math.Float32frombits(v)
		if r != r {
			return 0
		}
		return uint32(int32(math.RoundToEven(float64(min(max(r, -1), 1)) * float64(int64(1)<<(x.bits-1)-1))))
	}
	switch x.bits {
	case 16:
		return floatToHalf(v)
	case 11:
		return floatToSmall(v, 6)
	case 10:
		return floatToSmall(v, 5)
	}
	return v
}

func bitsAt(b []byte, bit, n int) uint32 {
	if n == 32 {
		return binary.LittleEndian.Uint32(b[bit/8:])
	}
	var v uint64
	for i := range min(5, len(b)-bit/8) {
		v |= uint64(b[bit/8+i]) << (8 * i)
	}
	return uint32(v>>(bit%8)) & (1<<n - 1)
}

func putBits(b []byte, bit, n int, v uint32) {
	if n == 32 {
		binary.LittleEndian.PutUint32(b[bit/8:], v)
		return
	}
	w := uint64(v&(1<<n-1)) << (bit % 8)
	for i := 0; w != 0 && bit/8+i < len(b); i++ {
		b[bit/8+i] |= byte(w)
		w >>= 8
	}
}

func fromSRGB(x float32) float32 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return float32(math.Pow((float64(x)+0.055)/1.055, 2.4))
}

func toSRGB(x float32) float32 {
	if x <= 0.0031308 {
		return x * 12.92
	}
	return float32(1.055*math.Pow(float64(x), 1/2.4) - 0.055)
}

// halfToFloat is exact; denormal halves are kept.
func halfToFloat(h uint32) uint32 {
	sign, e, m := h&0x8000<<16, h>>10&31, h&0x3FF
	switch {
	case e == 31:
		return sign | 0x7F800000 | m<<13
	case e == 0:
		return sign | math.Float32bits(float32(m)/(1<<24))
	}
	return sign | (e+112)<<23 | m<<13
}

// floatToHalf rounds to nearest even; overflow gives infinity (format
// conversion of render targets and views, unlike the instruction f32tof16).
func floatToHalf(u uint32) uint32 {
	sign, m, e := u>>16&0x8000, u&0x7FFFFF, int(u>>23&255)
	if e == 255 {
		if m != 0 {
			return sign | 0x7E00
		}
		return sign | 0x7C00
	}
	e -= 112
	var v, rest, half uint32
	switch {
	case e >= 31:
		return sign | 0x7C00
	case e <= 0:
		if e < -10 {
			return sign
		}
		m |= 0x800000
		shift := uint32(14 - e)
		v, rest, half = m>>shift, m&(1<<shift-1), 1<<(shift-1)
	default:
		v, rest, half = uint32(e)<<10|m>>13, m&0x1FFF, 0x1000
	}
	if rest > half || rest == half && v&1 != 0 {
		v++
	}
	return sign | v
}

// floatToSmall is the unsigned float with 5 exponent bits and the given mantissa
// bits: negative values become zero.
func floatToSmall(u uint32, mantissa uint32) uint32 {
	x := math.Float32frombits(u)
	switch {
	case x != x:
		return 31<<mantissa | 1
	case !(x > 0):
		return 0
	case math.IsInf(float64(x), 1):
		return 31 << mantissa
	}
	e := max(math.Ilogb(float64(x)), -14)
	m := math.RoundToEven(float64(x) / math.Exp2(float64(e)) * float64(uint32(1)<<mantissa))
	v := uint32(m)
	if v >= 2<<mantissa {
		v, e = 1<<mantissa, e+1
	}
	if v < 1<<mantissa {
		return v // denormal
	}
	if e > 15 {
		return 30<<mantissa | (1<<mantissa - 1)
	}
	return uint32(e+15)<<mantissa | v&(1<<mantissa-1)
}

func sharedExponent(v [4]uint32) uint32 {
	const largest = 511.0 / 512 * 65536
	var c [3]float64
	top := 0.0
	for i := range c {
		x := float64(math.Float32frombits(v[i]))
		if !(x > 0) {
			x = 0
		}
		c[i] = min(x, largest)
		top = max(top, c[i])
	}
	e := -16.0
	if top > 0 {
		e = max(e, math.Floor(math.Log2(top)))
	}
	e += 16
	scale := math.Exp2(e - 15 - 9)
	if math.Floor(top/scale+0.5) == 512 {
		scale *= 2
		e++
	}
	w := uint32(e) << 27
	for i := range c {
		w |= uint32(math.Floor(c[i]/scale+0.5)) << (9 * i)
	}
	return w
}
