package interp

import (
	"encoding/binary"
	"math"

	"fxlens/core/dxbc"
)

// decodeBlock returns texel k (row by row) of a block of 4x4 texels ("Texture
// Block Compression in Direct3D 11").
func (f *Format) decodeBlock(b []byte, k int) [4]uint32 {
	var c [4]float32
	c[3] = 1
	switch f.bc {
	case 1:
		c = colorBlock(b, k, false)
	case 2:
		c = colorBlock(b[8:], k, true)
		c[3] = float32(b[k/2]>>(4*(k&1))&15) / 15
	case 3:
		c = colorBlock(b[8:], k, true)
		c[3] = channelBlock(b, k, false)
	case 4:
		c[0] = channelBlock(b, k, f.Type == dxbc.RetSnorm)
	case 5:
		c[0] = channelBlock(b, k, f.Type == dxbc.RetSnorm)
		c[1] = channelBlock(b[8:], k, f.Type == dxbc.RetSnorm)
	}
	var out [4]uint32
	for i := range c {
		if f.SRGB && i < 3 {
			c[i] = fromSRGB(c[i])
		}
		out[i] = math.Float32bits(c[i])
	}
	return out
}

// colorBlock decodes eight bytes of colours; four says that the block always has
// four colours (BC2, BC3).
func colorBlock(b []byte, k int, four bool) [4]float32 {
	c0, c1 := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	rgb := func(c uint16) [3]float32 {
		return [3]float32{float32(c>>11) / 31, float32(c>>5&63) / 63, float32(c&31) / 31}
	}
	x, y := rgb(c0), rgb(c1)
	i := binary.LittleEndian.Uint32(b[4:]) >> (2 * k) & 3
	var p, q float32 = 1, 0
	switch {
	case i == 1:
		p, q = 0, 1
	case i == 2 && (four || c0 > c1):
		p, q = 2.0/3, 1.0/3
	case i == 3 && (four || c0 > c1):
		p, q = 1.0/3, 2.0/3
	case i == 2:
		p, q = 0.5, 0.5
	case i == 3:
		return [4]float32{}
	}
	return [4]float32{p*x[0] + q*y[0], p*x[1] + q*y[1], p*x[2] + q*y[2], 1}
}

// channelBlock decodes eight bytes of one channel.
func channelBlock(b []byte, k int, signed bool) float32 {
	value := func(c byte) float32 {
		if signed {
			return max(float32(int8(c))/127, -1)
		}
		return float32(c) / 255
	}
	x, y := value(b[0]), value(b[1])
	i := float32(bitsAt(b, 16+3*k, 3))
	switch more := x > y; {
	case i == 0:
		return x
	case i == 1:
		return y
	case more:
		return ((8-i)*x + (i-1)*y) / 7
	case i == 6 && signed:
		return -1
	case i == 6:
		return 0
	case i == 7:
		return 1
	default:
		return ((6-i)*x + (i-1)*y) / 5
	}
}
