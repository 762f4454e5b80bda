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
	s := checksummed(b)
	if debug {
		return s.debug()
	}
	return s.retail()
}

// A summed container is hashed but for its last block, in which alone the two
// variants differ.
type summed struct {
	state md5State
	rest  []byte // less than a block
	n     uint32 // bytes in all
}

func checksummed(b []byte) summed {
	m := b[min(len(b), sumStart):]
	n := uint32(len(m))
	s := md5State{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}
	for len(m) >= 64 {
		s.block((*[64]byte)(m))
		m = m[64:]
	}
	return summed{s, m, n}
}

func (s *summed) retail() [16]byte { return s.state.finish(s.rest, 8*s.n, 2*s.n|1) }

func (s *summed) debug() [16]byte { return s.state.finish(s.rest, 16*s.n|15, 4*s.n|0x10000000) }

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
// over a table takes twice the time, and opening a shader is mostly this. Each
// sum ends with what the step before computed, so that the rest of it need not
// wait. The constants are the integer parts of 2^32 times |sin(i+1)| (RFC 1321).
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
	a = b + bits.RotateLeft32(a+x0+0xd76aa478+((c^d)&b^d), 7)
	d = a + bits.RotateLeft32(d+x1+0xe8c7b756+((b^c)&a^c), 12)
	c = d + bits.RotateLeft32(c+x2+0x242070db+((a^b)&d^b), 17)
	b = c + bits.RotateLeft32(b+x3+0xc1bdceee+((d^a)&c^a), 22)
	a = b + bits.RotateLeft32(a+x4+0xf57c0faf+((c^d)&b^d), 7)
	d = a + bits.RotateLeft32(d+x5+0x4787c62a+((b^c)&a^c), 12)
	c = d + bits.RotateLeft32(c+x6+0xa8304613+((a^b)&d^b), 17)
	b = c + bits.RotateLeft32(b+x7+0xfd469501+((d^a)&c^a), 22)
	a = b + bits.RotateLeft32(a+x8+0x698098d8+((c^d)&b^d), 7)
	d = a + bits.RotateLeft32(d+x9+0x8b44f7af+((b^c)&a^c), 12)
	c = d + bits.RotateLeft32(c+x10+0xffff5bb1+((a^b)&d^b), 17)
	b = c + bits.RotateLeft32(b+x11+0x895cd7be+((d^a)&c^a), 22)
	a = b + bits.RotateLeft32(a+x12+0x6b901122+((c^d)&b^d), 7)
	d = a + bits.RotateLeft32(d+x13+0xfd987193+((b^c)&a^c), 12)
	c = d + bits.RotateLeft32(c+x14+0xa679438e+((a^b)&d^b), 17)
	b = c + bits.RotateLeft32(b+x15+0x49b40821+((d^a)&c^a), 22)

	// Round 2.
	a = b + bits.RotateLeft32(a+x1+0xf61e2562+(c&^d)+(b&d), 5)
	d = a + bits.RotateLeft32(d+x6+0xc040b340+(b&^c)+(a&c), 9)
	c = d + bits.RotateLeft32(c+x11+0x265e5a51+(a&^b)+(d&b), 14)
	b = c + bits.RotateLeft32(b+x0+0xe9b6c7aa+(d&^a)+(c&a), 20)
	a = b + bits.RotateLeft32(a+x5+0xd62f105d+(c&^d)+(b&d), 5)
	d = a + bits.RotateLeft32(d+x10+0x2441453+(b&^c)+(a&c), 9)
	c = d + bits.RotateLeft32(c+x15+0xd8a1e681+(a&^b)+(d&b), 14)
	b = c + bits.RotateLeft32(b+x4+0xe7d3fbc8+(d&^a)+(c&a), 20)
	a = b + bits.RotateLeft32(a+x9+0x21e1cde6+(c&^d)+(b&d), 5)
	d = a + bits.RotateLeft32(d+x14+0xc33707d6+(b&^c)+(a&c), 9)
	c = d + bits.RotateLeft32(c+x3+0xf4d50d87+(a&^b)+(d&b), 14)
	b = c + bits.RotateLeft32(b+x8+0x455a14ed+(d&^a)+(c&a), 20)
	a = b + bits.RotateLeft32(a+x13+0xa9e3e905+(c&^d)+(b&d), 5)
	d = a + bits.RotateLeft32(d+x2+0xfcefa3f8+(b&^c)+(a&c), 9)
	c = d + bits.RotateLeft32(c+x7+0x676f02d9+(a&^b)+(d&b), 14)
	b = c + bits.RotateLeft32(b+x12+0x8d2a4c8a+(d&^a)+(c&a), 20)

	// Round 3.
	a = b + bits.RotateLeft32(a+x5+0xfffa3942+(b^(c^d)), 4)
	d = a + bits.RotateLeft32(d+x8+0x8771f681+(a^(b^c)), 11)
	c = d + bits.RotateLeft32(c+x11+0x6d9d6122+(d^(a^b)), 16)
	b = c + bits.RotateLeft32(b+x14+0xfde5380c+(c^(d^a)), 23)
	a = b + bits.RotateLeft32(a+x1+0xa4beea44+(b^(c^d)), 4)
	d = a + bits.RotateLeft32(d+x4+0x4bdecfa9+(a^(b^c)), 11)
	c = d + bits.RotateLeft32(c+x7+0xf6bb4b60+(d^(a^b)), 16)
	b = c + bits.RotateLeft32(b+x10+0xbebfbc70+(c^(d^a)), 23)
	a = b + bits.RotateLeft32(a+x13+0x289b7ec6+(b^(c^d)), 4)
	d = a + bits.RotateLeft32(d+x0+0xeaa127fa+(a^(b^c)), 11)
	c = d + bits.RotateLeft32(c+x3+0xd4ef3085+(d^(a^b)), 16)
	b = c + bits.RotateLeft32(b+x6+0x4881d05+(c^(d^a)), 23)
	a = b + bits.RotateLeft32(a+x9+0xd9d4d039+(b^(c^d)), 4)
	d = a + bits.RotateLeft32(d+x12+0xe6db99e5+(a^(b^c)), 11)
	c = d + bits.RotateLeft32(c+x15+0x1fa27cf8+(d^(a^b)), 16)
	b = c + bits.RotateLeft32(b+x2+0xc4ac5665+(c^(d^a)), 23)

	// Round 4.
	a = b + bits.RotateLeft32(a+x0+0xf4292244+(c^(b|^d)), 6)
	d = a + bits.RotateLeft32(d+x7+0x432aff97+(b^(a|^c)), 10)
	c = d + bits.RotateLeft32(c+x14+0xab9423a7+(a^(d|^b)), 15)
	b = c + bits.RotateLeft32(b+x5+0xfc93a039+(d^(c|^a)), 21)
	a = b + bits.RotateLeft32(a+x12+0x655b59c3+(c^(b|^d)), 6)
	d = a + bits.RotateLeft32(d+x3+0x8f0ccc92+(b^(a|^c)), 10)
	c = d + bits.RotateLeft32(c+x10+0xffeff47d+(a^(d|^b)), 15)
	b = c + bits.RotateLeft32(b+x1+0x85845dd1+(d^(c|^a)), 21)
	a = b + bits.RotateLeft32(a+x8+0x6fa87e4f+(c^(b|^d)), 6)
	d = a + bits.RotateLeft32(d+x15+0xfe2ce6e0+(b^(a|^c)), 10)
	c = d + bits.RotateLeft32(c+x6+0xa3014314+(a^(d|^b)), 15)
	b = c + bits.RotateLeft32(b+x13+0x4e0811a1+(d^(c|^a)), 21)
	a = b + bits.RotateLeft32(a+x4+0xf7537e82+(c^(b|^d)), 6)
	d = a + bits.RotateLeft32(d+x11+0xbd3af235+(b^(a|^c)), 10)
	c = d + bits.RotateLeft32(c+x2+0x2ad7d2bb+(a^(d|^b)), 15)
	b = c + bits.RotateLeft32(b+x9+0xeb86d391+(d^(c|^a)), 21)

	s[0] += a
	s[1] += b
	s[2] += c
	s[3] += d
}
