package dxbc

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func golden(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "dxbc", "golden", name+".dxbc"))
	require.NoError(t, err)
	return b
}

// program makes a bare program of version and instruction words.
func program(version uint32, words ...uint32) []byte {
	w := append([]uint32{version, uint32(len(words) + 2)}, words...)
	return wordBytes(w)
}

func put(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
}

// TestHostileContainers: each gives an *Error with the place that is wrong.
func TestHostileContainers(t *testing.T) {
	good := golden(t, "arith_ps50")
	first := int(binary.LittleEndian.Uint32(good[32:]))
	for _, tt := range []struct {
		name   string
		mutate func([]byte) []byte
		want   error
		offset int
		text   string
	}{
		{"empty", func([]byte) []byte { return nil }, ErrTruncated, 0, "starts with 4 bytes"},
		{"three bytes", func(b []byte) []byte { return b[:3] }, ErrTruncated, 3, "starts with 4 bytes"},
		{"short header", func(b []byte) []byte { return b[:20] }, ErrTruncated, 20, "header"},
		{"wrong magic", put(0, 0x12345678), ErrMalformed, 0, `starts with "DXBC"`},
		{"version", put(20, 2), ErrUnsupported, 20, "version"},
		{"cut", func(b []byte) []byte { return b[:len(b)-4] }, ErrTruncated, 24, "header says"},
		{"surplus", func(b []byte) []byte { return append(b, 0, 0, 0, 0) }, ErrMalformed, 24, "4 too many"},
		{"many chunks", put(28, 65), ErrLimit, 28, "65 chunks"},
		{"absurd chunks", put(28, 0xffffffff), ErrLimit, 28, "chunks"},
		{"unaligned", put(32, uint32(first)+1), ErrMalformed, 32, "multiple of 4"},
		{"inside the header", put(32, 0), ErrMalformed, 32, "inside the header"},
		{"past the end", put(32, 0xfffffff0), ErrTruncated, 32, "passes the end"},
		{"overlap", func(b []byte) []byte {
			copy(b[36:40], b[32:36])
			return b
		}, ErrMalformed, 36, "before chunk 0 ends"},
		{"chunk too long", put(first+4, 0xfffffff0), ErrTruncated, first + 4, "are left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.mutate(append([]byte(nil), good...))
			_, err := Open(b)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.ErrorIs(t, err, tt.want)
			assert.Equal(t, tt.offset, e.Offset)
			assert.ErrorContains(t, err, tt.text)
		})
	}
}

func TestHostilePrograms(t *testing.T) {
	const ps = 0x50
	deep := []uint32{0x0c000036, 0x00100012, 0} // mov r0.x, x0[x0[x0[r0.x].x].x]
	for range 3 {
		deep = append(deep, 0x0420300a, 0)
	}
	deep = append(deep, 0x0010000a, 0)
	deep[0] = 0x36 | uint32(len(deep))<<24
	for _, tt := range []struct {
		name   string
		b      []byte
		want   error
		offset int
		text   string
	}{
		{"empty", nil, ErrTruncated, 0, "8 bytes"},
		{"length 0", wordBytes([]uint32{ps, 0}), ErrMalformed, 4, "at least 2"},
		{"length absurd", wordBytes([]uint32{ps, 0xffffffff}), ErrTruncated, 4, "4294967295 dwords"},
		{"kind", program(0x00060050), ErrMalformed, 0, "program kind"},
		{"model 6", program(0x60), ErrUnsupported, 0, "shader model 6.0"},
		{"reserved version bits", program(0x1050), ErrMalformed, 0, "reserved bits"},
		{"zero length", program(ps, 0x00000036), ErrMalformed, 8, "length 0"},
		{"runs past the end", program(ps, 0x05000036), ErrTruncated, 8, "5 dwords long, 1 are left"},
		{"too short for operands", program(ps, 0x02000036, 0x00100012), ErrTruncated, 8, "too short"},
		{"operand runs out", program(ps, 0x03000036, 0x00100012, 0), ErrTruncated, 20, "operand should start"},
		{"reserved opcode", program(ps, 0x0100006b), ErrUnsupported, 8, "opcode 107"},
		{"unknown opcode", program(ps, 0x010000eb), ErrUnsupported, 8, "opcode 235"},
		{"customdata without length", program(ps, 0x00001835), ErrTruncated, 8, "length word"},
		{"customdata length 0", program(ps, 0x00001835, 0), ErrMalformed, 12, "at least 2"},
		{"customdata absurd", program(ps, 0x00001835, 0xffffffff), ErrTruncated, 8, "are left in the program"},
		{"register type", program(ps, 0x05000036, 0x00100012, 0, 0x0012b00a, 0), ErrMalformed, 20, "register type 43"},
		{"component selection", program(ps, 0x05000036, 0x00100012, 0, 0x00100003, 0), ErrMalformed, 20, "component selection"},
		{"index representation", program(ps, 0x05000036, 0x00100012, 0, 0x01500e46, 0), ErrMalformed, 20, "representation 5"},
		{"64-bit index", program(ps, 0x06000036, 0x00100012, 0, 0x00500e46, 1, 2), ErrUnsupported, 20, "64-bit index"},
		{"modifier", program(ps, 0x06000036, 0x00100012, 0, 0x80100e46, 0x101, 1), ErrUnsupported, 24, "modifier 4"},
		{"two modifiers", program(ps, 0x07000036, 0x00100012, 0, 0x80100e46, 0x80000041, 0x41, 1), ErrMalformed, 28, "two modifier words"},
		{"extended operand kind", program(ps, 0x06000036, 0x00100012, 0, 0x80100e46, 2, 1), ErrUnsupported, 24, "unknown kind 2"},
		{"extended opcode kind", program(ps, 0x86000036, 4, 0x00100012, 0, 0x00100e46, 1), ErrUnsupported, 12, "unknown kind 4"},
		{"extended opcode twice", program(ps, 0x87000036, 0x80000001, 1, 0x00100012, 0, 0x00100e46, 1), ErrMalformed, 16, "two extended"},
		{"immediate without components", program(ps, 0x04000036, 0x00100012, 0, 0x00004000), ErrMalformed, 20, "no components"},
		{"immediate cut", program(ps, 0x05000036, 0x00100012, 0, 0x00004002, 0), ErrTruncated, 24, "immediate of 4 words"},
		{"index cut", program(ps, 0x05000036, 0x00100012, 0, 0x00d00e46, 0), ErrTruncated, 28, "operand should start"},
		{"nesting", program(ps, deep...), ErrLimit, 44, "nest deeper than 3"},
		{"declaration cut", program(ps, 0x01000068), ErrTruncated, 12, "1 more words"},
		{"declared operand cut", program(ps, 0x0100005a), ErrTruncated, 12, "without its operand"},
		{"resource without index", program(ps, 0x03001858, 0x00007000, 0x5555), ErrMalformed, 12, "0 indices"},
		{"function table absurd", program(ps, 0x03000091, 0, 0xffffffff), ErrTruncated, 16, "announces 4294967295"},
		{"interface absurd", program(ps, 0x04000092, 0, 1, 0xffff), ErrTruncated, 20, "announces 65535"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(tt.b)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.ErrorIs(t, err, tt.want)
			assert.Equal(t, tt.offset, e.Offset, err)
			assert.ErrorContains(t, err, tt.text)
		})
	}
}

// TestTolerantDecoding keeps what can be listed.
func TestTolerantDecoding(t *testing.T) {
	b := program(0x50, 0x0100006b, 0x0200006b|1<<13, 7, 0x010007ff, 0x0100003e)
	_, err := Decode(b)
	require.ErrorIs(t, err, ErrUnsupported)
	p, err := DecodeWith(b, DecodeOptions{Tolerant: true})
	require.NoError(t, err)
	assert.Equal(t, "ps_5_0\njmp \njmp_sat \n \nret \n", p.Listing(ListOptions{}))
	s := Shader{Program: p}
	codes := ""
	for _, d := range s.Check() {
		codes += string(d.Code) + " "
	}
	assert.Equal(t, 3, strings.Count(codes, "dxbc.encoding"))
}

// TestHostileRDEF: counts, offsets and cycles.
func TestHostileRDEF(t *testing.T) {
	s, err := Open(golden(t, "matrix_vs40"))
	require.NoError(t, err)
	good := s.Container.Chunk("RDEF").Data
	variable := int(u32(good, int(u32(good, 4))+8))
	typ := int(u32(good, variable+16))
	for _, tt := range []struct {
		name   string
		mutate func([]byte) []byte
		want   error
		text   string
	}{
		{"short", func(b []byte) []byte { return b[:27] }, ErrTruncated, "28 bytes"},
		{"kind", put(16, 0x12340400), ErrMalformed, "program type 0x1234"},
		{"buffers absurd", put(0, 0xffffffff), ErrTruncated, "4294967295 buffers"},
		{"bindings absurd", put(8, 0x10000000), ErrTruncated, "bindings"},
		{"creator outside", put(24, 0xfffffff0), ErrMalformed, "creator"},
		{"variables absurd", put(int(u32(good, 4))+4, 0x7fffffff), ErrTruncated, "variables"},
		{"type outside", put(variable+16, 0xffffff00), ErrTruncated, "type"},
		{"default outside", put(variable+20, uint32(len(good)-4)), ErrTruncated, "default"},
		{"type in itself", func(b []byte) []byte {
			// One member whose row lies in the type's own name and points back at the type.
			binary.LittleEndian.PutUint16(b[typ+10:], 1)
			binary.LittleEndian.PutUint32(b[typ+12:], uint32(variable))
			binary.LittleEndian.PutUint32(b[variable+4:], uint32(typ))
			return b
		}, ErrMalformed, "contains itself"},
		{"members absurd", func(b []byte) []byte {
			binary.LittleEndian.PutUint16(b[typ+10:], 0xffff)
			return b
		}, ErrTruncated, "65535 members"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseRDEF(tt.mutate(append([]byte(nil), good...)))
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.ErrorIs(t, err, tt.want)
			assert.ErrorContains(t, err, tt.text)
		})
	}
	bad, err := s.Container.Replace("RDEF", good[:27])
	require.NoError(t, err)
	again, err := Open(bad)
	require.NoError(t, err, "reflection does not change the program")
	assert.Nil(t, again.RDEF)
	require.Len(t, again.Diags, 1)
	assert.Equal(t, codeReflection, again.Diags[0].Code)
}

func TestHostileSignatures(t *testing.T) {
	s, err := Open(golden(t, "arith_ps50"))
	require.NoError(t, err)
	good := s.Container.Chunk("ISGN").Data
	for _, tt := range []struct {
		name   string
		mutate func([]byte) []byte
		want   error
		text   string
	}{
		{"short", func(b []byte) []byte { return b[:7] }, ErrTruncated, "8 bytes"},
		{"absurd count", put(0, 0xffffffff), ErrTruncated, "4294967295 elements"},
		{"rows outside", put(4, 0xfffffff0), ErrTruncated, "elements"},
		{"name outside", put(8, 0xffff), ErrMalformed, "semantic name"},
		{"name without end", func(b []byte) []byte {
			for i := 8 + 24*int(u32(b, 0)); i < len(b); i++ {
				b[i] = 'A'
			}
			return b
		}, ErrTruncated, "no end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseSignature("ISGN", tt.mutate(append([]byte(nil), good...)))
			assert.ErrorIs(t, err, tt.want)
			assert.ErrorContains(t, err, tt.text)
			b, err := s.Container.Replace("ISGN", tt.mutate(append([]byte(nil), good...)))
			require.NoError(t, err)
			_, err = Open(b)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, "ISGN", e.Chunk)
		})
	}
}

// TestWrongChecksumIsAWarning with both values.
func TestWrongChecksumIsAWarning(t *testing.T) {
	b := append([]byte(nil), golden(t, "arith_ps50")...)
	b[4] ^= 0xff
	s, err := Open(b)
	require.NoError(t, err)
	assert.Equal(t, SumMismatch, s.Container.Sum)
	require.Len(t, s.Diags, 1)
	assert.Equal(t, codeChecksum, s.Diags[0].Code)
	assert.Contains(t, s.Diags[0].Text, "is "+hexOf(s.Container.Stored))
	assert.Contains(t, s.Diags[0].Text, hexOf(s.Container.Computed))
	s, err = Open(golden(t, "abort_ps50d"))
	require.NoError(t, err)
	assert.Equal(t, SumDebug, s.Container.Sum)
}

func hexOf(b [16]byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 32)
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

// exercise runs everything that takes an opened shader.
func exercise(b []byte) error {
	s, err := OpenWith(b, OpenOptions{DecodeOptions{Tolerant: true}})
	if err != nil {
		return err
	}
	_ = Disassemble(s, ListOptions{Number: true, Offsets: true})
	s.Check()
	for i := range min(len(s.Program.Instrs), 64) {
		s.Program.Line(i)
	}
	_, err = s.Program.Encode()
	return err
}

// TestMutations changes bytes and lengths of real shaders: no panic, and no
// allocation beyond a small multiple of the file.
func TestMutations(t *testing.T) {
	for _, name := range []string{"arith_ps50", "iface_ps50", "hs_tri_hs50", "sm51b_ps51d", "abort_ps50"} {
		t.Run(name, func(t *testing.T) {
			good := golden(t, name)
			seed := uint32(1)
			rnd := func(n int) int {
				seed = seed*1664525 + 1013904223
				return int(seed>>8) % n
			}
			opened := 0
			for range 2000 {
				b := append([]byte(nil), good...)
				for range 1 + rnd(3) {
					b[32+rnd(len(b)-32)] = byte(rnd(256))
				}
				if rnd(8) == 0 {
					b = b[:rnd(len(b))]
				}
				err := exercise(b)
				var e *Error
				if err != nil && !errors.As(err, &e) {
					require.NoError(t, err)
				}
				if err == nil {
					opened++
				}
			}
			assert.NotZero(t, opened)
		})
	}
}

// TestAllocationIsBounded opens the densest programs there are.
func TestAllocationIsBounded(t *testing.T) {
	nops := make([]uint32, 1<<18)
	for i := range nops {
		nops[i] = uint32(OpNop) | 1<<24
	}
	for _, tt := range []struct {
		name string
		b    []byte
	}{
		{"nops", program(0x50, nops...)},
		{"one register", program(0x50, repeat([]uint32{0x02000004, 0x0000a000}, 1<<16)...)},
		{"declarations", program(0x50, repeat([]uint32{0x0100006a}, 1<<17)...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := Decode(tt.b)
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			require.NotEmpty(t, p.Instrs)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64*len(tt.b)))
		})
	}
}

func repeat(w []uint32, n int) []uint32 {
	out := make([]uint32, 0, n*len(w))
	for range n {
		out = append(out, w...)
	}
	return out
}
