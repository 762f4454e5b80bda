package dxbc

import (
	"encoding/binary"
	"math/bits"
)

// Checksum returns the checksum of a container, computed over everything from
// byte 20 to the end of b; shorter input has the checksum of nothing. debug
// selects the variant of programs that need the debug layer (abort, printf).
//
// The compression function and the start state are MD5's (RFC 1321), the padding
// is not: the length stands at the start of the last block and once more, mixed,
// at its end (dxbc.md section 1.2).
func Checksum(b []byte, debug bool) [16]byte {
	retail, dbg := checksums(b)
	if debug {
		return dbg
	}
	return retail
}

// checksums computes both variants; they differ only in the last block.
func checksums(b []byte) (retail, debug [16]byte) {
	m := b[min(len(b), sumStart):]
	n := uint32(len(m))
	s := md5State{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}
	for len(m) >= 64 {
		s.block((*[64]byte)(m))
		m = m[64:]
	}
	return s.finish(m, 8*n, 2*n|1), s.finish(m, 16*n|15, 4*n|0x10000000)
}

// sumStart is where the checksummed part of a container begins.
const sumStart = 20

type md5State [4]uint32

func (s md5State) finish(rest []byte, head, tail uint32) (sum [16]byte) {
	var blk [64]byte
	if len(rest) < 56 {
		copy(blk[4:], rest)
		blk[4+len(rest)] = 0x80
	} else {
		copy(blk[:], rest)
		blk[len(rest)] = 0x80
		s.block(&blk)
		blk = [64]byte{}
	}
	binary.LittleEndian.PutUint32(blk[:], head)
	binary.LittleEndian.PutUint32(blk[60:], tail)
	s.block(&blk)
	for i, v := range s {
		binary.LittleEndian.PutUint32(sum[4*i:], v)
	}
	return sum
}

// block compresses one block. It is written out, step by step, because a loop
// over a table takes twice the time, and opening a shader is mostly this. The
// constants are the integer parts of 2^32 times |sin(i+1)| (RFC 1321).
func (s *md5State) block(p *[64]byte) {
	x0 := binary.LittleEndian.Uint32(p[0:])
	x1 := binary.LittleEndian.Uint32(p[4:])
	x2 := binary.LittleEndian.Uint32(p[8:])
	x3 := binary.LittleEndian.Uint32(p[12:])
	x4 := binary.LittleEndian.Uint32(p[16:])
	x5 := binary.LittleEndian.Uint32(p[20:])
	x6 := binary.LittleEndian.Uint32(p[24:])
	x7 := binary.LittleEndian.Uint32(p[28:])
	x8 := binary.LittleEndian.Uint32(p[32:])
	x9 := binary.LittleEndian.Uint32(p[36:])
	x10 := binary.LittleEndian.Uint32(p[40:])
	x11 := binary.LittleEndian.Uint32(p[44:])
	x12 := binary.LittleEndian.Uint32(p[48:])
	x13 := binary.LittleEndian.Uint32(p[52:])
	x14 := binary.LittleEndian.Uint32(p[56:])
	x15 := binary.LittleEndian.Uint32(p[60:])
	a, b, c, d := s[0], s[1], s[2], s[3]

	// Round 1.
	a = b + bits.RotateLeft32(a+((c^d)&b^d)+x0+0xd76aa478, 7)
	d = a + bits.RotateLeft32(d+((b^c)&a^c)+x1+0xe8c7b756, 12)
	c = d + bits.RotateLeft32(c+((a^b)&d^b)+x2+0x242070db, 17)
	b = c + bits.RotateLeft32(b+((d^a)&c^a)+x3+0xc1bdceee, 22)
	a = b + bits.RotateLeft32(a+((c^d)&b^d)+x4+0xf57c0faf, 7)
	d = a + bits.RotateLeft32(d+((b^c)&a^c)+x5+0x4787c62a, 12)
	c = d + bits.RotateLeft32(c+((a^b)&d^b)+x6+0xa8304613, 17)
	b = c + bits.RotateLeft32(b+((d^a)&c^a)+x7+0xfd469501, 22)
	a = b + bits.RotateLeft32(a+((c^d)&b^d)+x8+0x698098d8, 7)
	d = a + bits.RotateLeft32(d+((b^c)&a^c)+x9+0x8b44f7af, 12)
	c = d + bits.RotateLeft32(c+((a^b)&d^b)+x10+0xffff5bb1, 17)
	b = c + bits.RotateLeft32(b+((d^a)&c^a)+x11+0x895cd7be, 22)
	a = b + bits.RotateLeft32(a+((c^d)&b^d)+x12+0x6b901122, 7)
	d = a + bits.RotateLeft32(d+((b^c)&a^c)+x13+0xfd987193, 12)
	c = d + bits.RotateLeft32(c+((a^b)&d^b)+x14+0xa679438e, 17)
	b = c + bits.RotateLeft32(b+((d^a)&c^a)+x15+0x49b40821, 22)

	// Round 2.
	a = b + bits.RotateLeft32(a+((b^c)&d^c)+x1+0xf61e2562, 5)
	d = a + bits.RotateLeft32(d+((a^b)&c^b)+x6+0xc040b340, 9)
	c = d + bits.RotateLeft32(c+((d^a)&b^a)+x11+0x265e5a51, 14)
	b = c + bits.RotateLeft32(b+((c^d)&a^d)+x0+0xe9b6c7aa, 20)
	a = b + bits.RotateLeft32(a+((b^c)&d^c)+x5+0xd62f105d, 5)
	d = a + bits.RotateLeft32(d+((a^b)&c^b)+x10+0x2441453, 9)
	c = d + bits.RotateLeft32(c+((d^a)&b^a)+x15+0xd8a1e681, 14)
	b = c + bits.RotateLeft32(b+((c^d)&a^d)+x4+0xe7d3fbc8, 20)
	a = b + bits.RotateLeft32(a+((b^c)&d^c)+x9+0x21e1cde6, 5)
	d = a + bits.RotateLeft32(d+((a^b)&c^b)+x14+0xc33707d6, 9)
	c = d + bits.RotateLeft32(c+((d^a)&b^a)+x3+0xf4d50d87, 14)
	b = c + bits.RotateLeft32(b+((c^d)&a^d)+x8+0x455a14ed, 20)
	a = b + bits.RotateLeft32(a+((b^c)&d^c)+x13+0xa9e3e905, 5)
	d = a + bits.RotateLeft32(d+((a^b)&c^b)+x2+0xfcefa3f8, 9)
	c = d + bits.RotateLeft32(c+((d^a)&b^a)+x7+0x676f02d9, 14)
	b = c + bits.RotateLeft32(b+((c^d)&a^d)+x12+0x8d2a4c8a, 20)

	// Round 3.
	a = b + bits.RotateLeft32(a+(b^c^d)+x5+0xfffa3942, 4)
	d = a + bits.RotateLeft32(d+(a^b^c)+x8+0x8771f681, 11)
	c = d + bits.RotateLeft32(c+(d^a^b)+x11+0x6d9d6122, 16)
	b = c + bits.RotateLeft32(b+(c^d^a)+x14+0xfde5380c, 23)
	a = b + bits.RotateLeft32(a+(b^c^d)+x1+0xa4beea44, 4)
	d = a + bits.RotateLeft32(d+(a^b^c)+x4+0x4bdecfa9, 11)
	c = d + bits.RotateLeft32(c+(d^a^b)+x7+0xf6bb4b60, 16)
	b = c + bits.RotateLeft32(b+(c^d^a)+x10+0xbebfbc70, 23)
	a = b + bits.RotateLeft32(a+(b^c^d)+x13+0x289b7ec6, 4)
	d = a + bits.RotateLeft32(d+(a^b^c)+x0+0xeaa127fa, 11)
	c = d + bits.RotateLeft32(c+(d^a^b)+x3+0xd4ef3085, 16)
	b = c + bits.RotateLeft32(b+(c^d^a)+x6+0x4881d05, 23)
	a = b + bits.RotateLeft32(a+(b^c^d)+x9+0xd9d4d039, 4)
	d = a + bits.RotateLeft32(d+(a^b^c)+x12+0xe6db99e5, 11)
	c = d + bits.RotateLeft32(c+(d^a^b)+x15+0x1fa27cf8, 16)
	b = c + bits.RotateLeft32(b+(c^d^a)+x2+0xc4ac5665, 23)

	// Round 4.
	a = b + bits.RotateLeft32(a+(c^(b|^d))+x0+0xf4292244, 6)
	d = a + bits.RotateLeft32(d+(b^(a|^c))+x7+0x432aff97, 10)
	c = d + bits.RotateLeft32(c+(a^(d|^b))+x14+0xab9423a7, 15)
	b = c + bits.RotateLeft32(b+(d^(c|^a))+x5+0xfc93a039, 21)
	a = b + bits.RotateLeft32(a+(c^(b|^d))+x12+0x655b59c3, 6)
	d = a + bits.RotateLeft32(d+(b^(a|^c))+x3+0x8f0ccc92, 10)
	c = d + bits.RotateLeft32(c+(a^(d|^b))+x10+0xffeff47d, 15)
	b = c + bits.RotateLeft32(b+(d^(c|^a))+x1+0x85845dd1, 21)
	a = b + bits.RotateLeft32(a+(c^(b|^d))+x8+0x6fa87e4f, 6)
	d = a + bits.RotateLeft32(d+(b^(a|^c))+x15+0xfe2ce6e0, 10)
	c = d + bits.RotateLeft32(c+(a^(d|^b))+x6+0xa3014314, 15)
	b = c + bits.RotateLeft32(b+(d^(c|^a))+x13+0x4e0811a1, 21)
	a = b + bits.RotateLeft32(a+(c^(b|^d))+x4+0xf7537e82, 6)
	d = a + bits.RotateLeft32(d+(b^(a|^c))+x11+0xbd3af235, 10)
	c = d + bits.RotateLeft32(c+(a^(d|^b))+x2+0x2ad7d2bb, 15)
	b = c + bits.RotateLeft32(b+(d^(c|^a))+x9+0xeb86d391, 21)

	s[0] += a
	s[1] += b
	s[2] += c
	s[3] += d
}
