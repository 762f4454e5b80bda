package interp

import (
	"encoding/binary"
	"fxlens/core/ir"

	"fxlens/core/dxbc"
)

// Memory is the storage behind buffer views, with what the checks know of each word.
type Memory struct {
	Data []byte
	// Tainted says of each word that its value depends on something that the
	// destination may compute otherwise; filled when Options.Track is set.
	Tainted []bool
	// Raced has the words that invocations raced for. A run fills it when
	// Options.Track is set; one that finds it filled taints whatever reads them, so
	// that a second run also knows of readers that came before the race was seen.
	Raced  []bool
	access []access // by word, when races are looked for
}

// access is who touched a word last; see race.
type access struct {
	writer, wEpoch uint32 // invocation + 1; all ones: several
	reader, rEpoch uint32
	atomic, aEpoch uint32
	op             ir.AtomicOp // of the last atomic
}

// NewMemory returns memory with the given contents, which it keeps.
func NewMemory(data []byte) *Memory { return &Memory{Data: data} }

// View is a shader resource view or unordered access view: a buffer when Mem is
// set, a texture when Tex is.
type View struct {
	// Buffers. Dim is DimStructuredBuffer, DimRawBuffer or DimBuffer. First and Num
	// select elements of Stride bytes (structured), of the format (typed), or words
	// (raw). Num counts whole elements that exist.
	Mem     *Memory
	Stride  int
	First   int
	Num     int
	Counter *uint32 // hidden counter of a structured view, or nil

	// Textures. Zero counts mean the rest.
	Tex                *Texture
	FirstMip, Mips     int
	FirstLayer, Layers int

	Dim    dxbc.Dim
	Format *Format
}

// StructuredView covers a whole memory with elements of stride bytes.
func StructuredView(m *Memory, stride int) *View {
	return &View{Mem: m, Dim: dxbc.DimStructuredBuffer, Stride: stride, Num: len(m.Data) / max(stride, 1)}
}

// RawView covers a whole memory by words.
func RawView(m *Memory) *View {
	return &View{Mem: m, Dim: dxbc.DimRawBuffer, Num: len(m.Data) / 4}
}

// TypedView covers a whole memory with elements of a format.
func TypedView(m *Memory, f *Format) *View {
	return &View{Mem: m, Dim: dxbc.DimBuffer, Format: f, Num: len(m.Data) / f.Bytes}
}

// TextureView covers a whole texture.
func TextureView(t *Texture) *View { return &View{Tex: t, Dim: t.Dim, Format: t.Format} }

// word returns the offset in Mem.Data of a word of a raw or structured view, or
// false when it is out of range (the word then reads as zero and is not written).
func (v *View) structWord(elem, off uint32) (int, bool) {
	if uint64(elem) >= uint64(v.Num) || v.Stride <= 0 {
		return 0, false
	}
	at := (uint64(v.First)+uint64(elem))*uint64(v.Stride) + uint64(off&^3)
	if at+4 > uint64(v.First+v.Num)*uint64(v.Stride) || at+4 > uint64(len(v.Mem.Data)) {
		return 0, false
	}
	return int(at), true
}

func (v *View) rawWord(addr uint32) (int, bool) {
	w := uint64(addr) / 4
	if w >= uint64(v.Num) {
		return 0, false
	}
	at := (uint64(v.First) + w) * 4
	if at+4 > uint64(len(v.Mem.Data)) {
		return 0, false
	}
	return int(at), true
}

// element returns the place of an element of a typed buffer.
func (v *View) element(i int64) (int, bool) {
	if i < 0 || i >= int64(v.Num) || v.Format == nil {
		return 0, false
	}
	at := (int64(v.First) + i) * int64(v.Format.Bytes)
	if at+int64(v.Format.Bytes) > int64(len(v.Mem.Data)) {
		return 0, false
	}
	return int(at), true
}

func (m *Memory) load(at int) uint32     { return binary.LittleEndian.Uint32(m.Data[at:]) }
func (m *Memory) store(at int, v uint32) { binary.LittleEndian.PutUint32(m.Data[at:], v) }

// Slot is the place of a resource: its register and, from shader model 5.1 on,
// its space.
type Slot struct{ Register, Space uint32 }

// Env is what is bound to a program. Absent slots are unbound: they read as zero.
type Env struct {
	CBuffers map[Slot][]byte // bytes bound; rows beyond read as zero
	SRVs     map[Slot]*View
	UAVs     map[Slot]*View
	Samplers map[Slot]*Sampler
}
