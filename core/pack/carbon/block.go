package carbon

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// The lead bytes of a block. The format's documents disagree on what the byte is: a
// version, which would be 1, or the engine that the block is for. Blocks are written
// with EngineWebGPU and read with either.
const (
	EngineInvalid uint8 = iota
	EngineWebGL2        // or version 1 of the block
	EngineWebGPU
	EngineWebGL1
	EngineOpenGL
)

var engineNames = [...]string{"invalid", "webgl2", "webgpu", "webgl1", "opengl"}

// The kinds of a slot.
const (
	KindUniform uint8 = iota
	KindSampled
	KindSampler
	KindStorage
	kinds
)

var kindWords = [kinds]string{"uniform-buffer", "sampled-resource", "sampler", "storage-resource"}

// The families of resource transforms.
const (
	FamilyDetailMaps   uint8 = iota // two or three detail maps in one array texture
	FamilyNeutralLight              // the profile of local lights, replaced by one
	families
)

var familyNames = [families]string{"detail-map-array", "local-light-profile-neutral"}

// The visibility bits of a slot.
const (
	VisibleVertex uint8 = 1 << iota
	VisibleFragment
	VisibleCompute
)

// NoStride stands for a slot without a structure stride.
const NoStride = 0xFFFFFFFF

// Block is the binding layout of one pass as a container stores it. It refers to
// nothing outside of itself, so that it can move between files.
type Block struct {
	Lead       uint8
	Groups     []Group
	Transforms []Transform
}

// Group is one bind group.
type Group struct {
	Number uint8
	Slots  []Slot
}

// Slot is one binding.
type Slot struct {
	Kind       uint8
	Space      uint8
	Slot       uint8
	Visibility uint8 // bits
	Register   uint32
	Stride     uint32 // bytes, or NoStride
	Layers     uint8  // of an array texture; 0 for none
	Type       string // in WGSL
	Symbol     string
	Transform  string // id; empty for none
}

// Transform is one resource transform. What its family says is not stored.
type Transform struct {
	Family uint8
	ID     string
	Inputs []TransformInput
}

// TransformInput is one source texture, in the order of the layers.
type TransformInput struct {
	Space, Register uint8
	Parameter       string
}

// ErrBlock marks bytes that are not a block.
var ErrBlock = errors.New("not a block")

// blockReader reads the parts of a block; the first failure sticks.
type blockReader struct {
	b   []byte
	off int
	err error
}

func (r *blockReader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: %s: %w", at, fmt.Sprintf(format, args...), ErrBlock)
	}
}

func (r *blockReader) take(n int, what string) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.b)-r.off < n {
		r.fail(r.off, "%s: %d bytes needed, %d left", what, n, len(r.b)-r.off)
		return nil
	}
	r.off += n
	return r.b[r.off-n : r.off]
}

func (r *blockReader) u8(what string) uint8 {
	if b := r.take(1, what); b != nil {
		return b[0]
	}
	return 0
}

func (r *blockReader) u32(what string) uint32 {
	if b := r.take(4, what); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *blockReader) str(what string) string {
	n := r.take(2, what)
	if n == nil {
		return ""
	}
	at := r.off
	b := r.take(int(binary.LittleEndian.Uint16(n)), what)
	if !utf8.Valid(b) {
		r.fail(at, "%s is not UTF-8", what)
	}
	return string(b)
}

// ParseBlock reads a block to its exact end. It fails with an error that wraps
// ErrBlock and names the byte: on a short or long block, text that is not UTF-8, and
// a kind or family that the format does not have. Whether the block makes sense for
// its pass is for [Validate].
func ParseBlock(b []byte) (*Block, error) {
	r := &blockReader{b: b}
	out := &Block{Lead: r.u8("lead byte")}
	for range int(r.u8("group count")) {
		g := Group{Number: r.u8("group number")}
		for range int(r.u8("binding count")) {
			at := r.off
			s := Slot{Kind: r.u8("kind"), Space: r.u8("space"), Slot: r.u8("slot"), Visibility: r.u8("visibility"),
				Register: r.u32("register"), Stride: r.u32("stride"), Layers: r.u8("array layers"),
				Type: r.str("type"), Symbol: r.str("symbol"), Transform: r.str("transform id")}
			if s.Kind >= kinds {
				r.fail(at, "kind %d, the last known is %d", s.Kind, kinds-1)
			}
			if r.err != nil {
				return nil, r.err
			}
			g.Slots = append(g.Slots, s)
		}
		if r.err != nil {
			return nil, r.err
		}
		out.Groups = append(out.Groups, g)
	}
	for range int(r.u8("transform count")) {
		at := r.off
		t := Transform{Family: r.u8("family"), ID: r.str("transform id")}
		if t.Family >= families {
			r.fail(at, "transform family %d, the last known is %d", t.Family, families-1)
		}
		for range int(r.u8("input count")) {
			in := TransformInput{Space: r.u8("space"), Register: r.u8("register"), Parameter: r.str("parameter")}
			if r.err != nil {
				return nil, r.err
			}
			t.Inputs = append(t.Inputs, in)
		}
		if r.err != nil {
			return nil, r.err
		}
		out.Transforms = append(out.Transforms, t)
	}
	if r.err == nil && r.off < len(b) {
		r.fail(r.off, "%d bytes after the last transform", len(b)-r.off)
	}
	if r.err != nil {
		return nil, r.err
	}
	return out, nil
}

// Encode returns the bytes of the block. It fails on a list of more than 255
// elements and on a text of more than 65535 bytes.
func (b *Block) Encode() ([]byte, error) {
	var err error
	count := func(n int, what string) byte {
		if n > math.MaxUint8 && err == nil {
			err = fmt.Errorf("%d %s, a block has room for %d", n, what, math.MaxUint8)
		}
		return byte(n)
	}
	out := []byte{b.Lead, count(len(b.Groups), "groups")}
	str := func(s, what string) {
		if len(s) > math.MaxUint16 && err == nil {
			err = fmt.Errorf("a %s of %d bytes, a block has room for %d", what, len(s), math.MaxUint16)
			return
		}
		out = append(binary.LittleEndian.AppendUint16(out, uint16(len(s))), s...)
	}
	for _, g := range b.Groups {
		out = append(out, g.Number, count(len(g.Slots), "bindings"))
		for _, s := range g.Slots {
			out = append(out, s.Kind, s.Space, s.Slot, s.Visibility)
			out = binary.LittleEndian.AppendUint32(out, s.Register)
			out = binary.LittleEndian.AppendUint32(out, s.Stride)
			out = append(out, s.Layers)
			str(s.Type, "type")
			str(s.Symbol, "symbol")
			str(s.Transform, "transform id")
		}
	}
	out = append(out, count(len(b.Transforms), "transforms"))
	for _, t := range b.Transforms {
		out = append(out, t.Family)
		str(t.ID, "transform id")
		out = append(out, count(len(t.Inputs), "inputs"))
		for _, in := range t.Inputs {
			out = append(out, in.Space, in.Register)
			str(in.Parameter, "parameter")
		}
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
