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

// md5K[i] is the integer part of 2^32 times |sin(i+1)| (RFC 1321).
var md5K = [64]uint32{
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
}

// block compresses one block. Four steps a turn, so that the state words rotate
// by name and not by copying.
func (s *md5State) block(p *[64]byte) {
	var x [16]uint32
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(p[4*i:])
	}
	a, b, c, d := s[0], s[1], s[2], s[3]
	for i := 0; i < 16; i += 4 {
		a = b + bits.RotateLeft32(a+((c^d)&b^d)+x[i]+md5K[i], 7)
		d = a + bits.RotateLeft32(d+((b^c)&a^c)+x[i+1]+md5K[i+1], 12)
		c = d + bits.RotateLeft32(c+((a^b)&d^b)+x[i+2]+md5K[i+2], 17)
		b = c + bits.RotateLeft32(b+((d^a)&c^a)+x[i+3]+md5K[i+3], 22)
	}
	for i := 16; i < 32; i += 4 {
		a = b + bits.RotateLeft32(a+((b^c)&d^c)+x[(5*i+1)&15]+md5K[i], 5)
		d = a + bits.RotateLeft32(d+((a^b)&c^b)+x[(5*i+6)&15]+md5K[i+1], 9)
		c = d + bits.RotateLeft32(c+((d^a)&b^a)+x[(5*i+11)&15]+md5K[i+2], 14)
		b = c + bits.RotateLeft32(b+((c^d)&a^d)+x[(5*i+16)&15]+md5K[i+3], 20)
	}
	for i := 32; i < 48; i += 4 {
		a = b + bits.RotateLeft32(a+(b^c^d)+x[(3*i+5)&15]+md5K[i], 4)
		d = a + bits.RotateLeft32(d+(a^b^c)+x[(3*i+8)&15]+md5K[i+1], 11)
		c = d + bits.RotateLeft32(c+(d^a^b)+x[(3*i+11)&15]+md5K[i+2], 16)
		b = c + bits.RotateLeft32(b+(c^d^a)+x[(3*i+14)&15]+md5K[i+3], 23)
	}
	for i := 48; i < 64; i += 4 {
		a = b + bits.RotateLeft32(a+(c^(b|^d))+x[(7*i)&15]+md5K[i], 6)
		d = a + bits.RotateLeft32(d+(b^(a|^c))+x[(7*i+7)&15]+md5K[i+1], 10)
		c = d + bits.RotateLeft32(c+(a^(d|^b))+x[(7*i+14)&15]+md5K[i+2], 15)
		b = c + bits.RotateLeft32(b+(d^(c|^a))+x[(7*i+21)&15]+md5K[i+3], 21)
	}
	s[0] += a
	s[1] += b
	s[2] += c
	s[3] += d
}
