package dxbc

import (
	"encoding/binary"
	"strings"
)

// u32 reads a little-endian word. The caller has checked the bounds.
func u32(b []byte, off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }

func u16(b []byte, off int) uint16 { return binary.LittleEndian.Uint16(b[off:]) }

// maxName bounds a string. Names in HLSL are far shorter.
const maxName = 1024

// texts reads the strings of a chunk. They are parts of one copy, and together
// not much longer than the chunk: rows of a hostile file may all name the same
// long string, and a listing would repeat it for each.
type texts struct {
	s    string
	left int
}

func newTexts(b []byte) texts { return texts{string(b), 16*len(b) + 4096} }

// at reads the NUL-terminated string at off; row is where the offset stands,
// what names it in the error.
func (t *texts) at(off uint32, row int, what string) (string, *Error) {
	if uint64(off) >= uint64(len(t.s)) {
		return "", fail(ErrMalformed, row, "%s is at byte %#x of the chunk, which has %#x", what, off, len(t.s))
	}
	s := t.s[off:]
	n := strings.IndexByte(s[:min(len(s), maxName+1)], 0)
	switch {
	case n < 0 && len(s) > maxName:
		return "", fail(ErrLimit, int(off), "%s is longer than %d bytes", what, maxName)
	case n < 0:
		return "", fail(ErrTruncated, int(off), "%s has no end inside the chunk", what)
	}
	if t.left -= n; t.left < 0 {
		return "", fail(ErrLimit, row, "the names of the chunk are together much longer than the chunk")
	}
	return s[:n], nil
}

// table checks that count rows of size stride at off lie inside b.
func table(b []byte, off, count uint32, stride, at int, what string) *Error {
	if uint64(off)+uint64(count)*uint64(stride) > uint64(len(b)) {
		return fail(ErrTruncated, at, "%d %s of %d bytes at byte %#x pass the end of the chunk at %#x", count, what, stride, off, len(b))
	}
	return nil
}

// ParseSignature reads the payload of a signature chunk with the given tag
// (dxbc.md section 1.5). Offsets of its errors count from the payload.
func ParseSignature(tag string, b []byte) (*Signature, error) {
	s, err := parseSignature(tag, b)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func parseSignature(tag string, b []byte) (*Signature, *Error) {
	stride, lead := 24, 0
	switch tag {
	case "ISGN", "OSGN", "PCSG":
	case "OSG5":
		stride, lead = 28, 4
	case "ISG1", "OSG1", "PSG1":
		stride, lead = 32, 4
	default:
		return nil, fail(ErrUnsupported, 0, "%s is not a signature", safeTag(tag))
	}
	if len(b) < 8 {
		return nil, fail(ErrTruncated, len(b), "a signature starts with 8 bytes, %d are here", len(b))
	}
	n, off := u32(b, 0), u32(b, 4)
	if err := table(b, off, n, stride, 0, "elements"); err != nil {
		return nil, err
	}
	names := newTexts(b)
	s := &Signature{Tag: tag, Elements: make([]SigElement, n)}
	for i := range s.Elements {
		e := &s.Elements[i]
		at := int(off) + i*stride
		if lead > 0 {
			e.Stream = u32(b, at)
		}
		r := at + lead
		name, err := names.at(u32(b, r), r, "a semantic name")
		if err != nil {
			return nil, err
		}
		e.Name, e.Index = name, u32(b, r+4)
		e.SysValue, e.CompType = u32(b, r+8), u32(b, r+12)
		e.Register, e.Mask, e.RWMask = u32(b, r+16), b[r+20], b[r+21]
		if stride == 32 {
			e.Min = MinPrecision(min(u32(b, r+24), 255))
		}
		if e.SysValue == 0 && len(e.Name) > 3 && strings.EqualFold(e.Name[:3], "sv_") {
			e.SysValue = sysFromSemantic()[strings.ToLower(e.Name)]
		}
	}
	return s, nil
}

// NoRegister is the register number of a signature element that has none (oDepth, oMask).
const NoRegister = 0xffffffff

// Find returns the element that covers component (0 is x) of a register in a
// stream, or nil.
func (s *Signature) Find(register uint32, component uint8, stream uint32) *SigElement {
	if s == nil {
		return nil
	}
	for i := range s.Elements {
		e := &s.Elements[i]
		if e.Register == register && e.Stream == stream && e.Mask>>component&1 != 0 {
			return e
		}
	}
	return nil
}
