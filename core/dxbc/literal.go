package dxbc

import (
	"math"
	"strconv"
)

// The text of literals follows the C run-time library inside Microsoft's
// disassembler (dxbc.md section 8.5).

// FloatText returns the bits of a float as the listing prints them in float
// instructions: six decimals, exact digits, the old names of infinities and NaNs.
func FloatText(bits uint32) string { return string(appendFloat(nil, bits)) }

// AutoText returns a word as the listing prints it in instructions that move
// bits: by rule a float where the bits look like one.
func AutoText(v uint32) string { return string(appendAuto(nil, v)) }

func appendFloat(b []byte, bits uint32) []byte {
	f := math.Float32frombits(bits)
	if bits&0x7f800000 == 0x7f800000 {
		return appendSpecial(b, bits>>31 != 0, bits&0x7fffff == 0, bits == 0xffc00000)
	}
	return strconv.AppendFloat(b, float64(f), 'f', 6, 64)
}

func appendDouble(b []byte, low, high uint32) []byte {
	bits := uint64(high)<<32 | uint64(low)
	const exp, frac = 0x7ff << 52, 1<<52 - 1
	if bits&exp == exp {
		b = appendSpecial(b, bits>>63 != 0, bits&frac == 0, bits == 0xfff8<<48)
	} else {
		b = strconv.AppendFloat(b, math.Float64frombits(bits), 'f', 6, 64)
	}
	return append(b, 'l')
}

func appendSpecial(b []byte, neg, inf, ind bool) []byte {
	if neg {
		b = append(b, '-')
	}
	switch {
	case inf:
		return append(b, "1.#INF00"...)
	case ind:
		return append(b, "1.#IND00"...)
	}
	return append(b, "1.#QNAN0"...)
}

func appendInt(b []byte, v uint32) []byte {
	if i := int32(v); i >= -10000 && i <= 10000 {
		return strconv.AppendInt(b, int64(i), 10)
	}
	return appendHex(append(b, "0x"...), v)
}

func appendHex(b []byte, v uint32) []byte {
	const digits = "0123456789abcdef"
	for s := 28; s >= 0; s -= 4 {
		b = append(b, digits[v>>s&15])
	}
	return b
}

func appendAuto(b []byte, v uint32) []byte {
	if e := v & 0x7f800000; e == 0 && v != 0x80000000 || e == 0x7f800000 {
		return appendInt(b, v)
	}
	return appendFloat(b, v)
}
