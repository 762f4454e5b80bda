package cewgpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	magic            = "CWGP"
	containerVersion = 1
	headerSize       = 12 // magic, version, chunk count
	chunkHeaderSize  = 8  // tag, size
)

// Chunk is one tagged payload of a package.
type Chunk struct {
	Tag    string // four characters from 0x20 to 0x7E
	Offset int    // of the payload from the start of the file; set by the reader
	Data   []byte // part of the parsed bytes; must not be changed
}

// ErrContainer is wrapped by every failure to write a container.
var ErrContainer = errors.New("cewgpu container")

func printableTag(tag string) bool {
	if len(tag) != 4 {
		return false
	}
	for i := range 4 {
		if tag[i] < 0x20 || tag[i] > 0x7E {
			return false
		}
	}
	return true
}

// ParseContainer splits a package into its chunks, in file order. It returns the
// chunks that it could delimit and one finding per broken rule; without findings
// of severity Error the container is sound. No size is trusted before it is
// compared with the bytes left.
func ParseContainer(b []byte) ([]Chunk, []Finding) {
	var fs []Finding
	bad := func(off int, rule ruleID, format string, args ...any) {
		fs = append(fs, newFinding(rule, "", "", off, fmt.Sprintf(format, args...)))
	}
	if len(b) < headerSize {
		bad(0, ruleHeader, "the header needs %d bytes, the file has %d", headerSize, len(b))
		return nil, fs
	}
	if string(b[:4]) != magic {
		bad(0, ruleMagic, "the file starts with % x, not with % x (%q)", b[:4], magic, magic)
		return nil, fs
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != containerVersion {
		bad(4, ruleContainerVersion, "container version %d, the only known one is %d", v, containerVersion)
		return nil, fs
	}
	n := uint64(binary.LittleEndian.Uint32(b[8:]))
	if most := uint64(len(b)-headerSize) / chunkHeaderSize; n > most {
		bad(8, ruleTruncated, "%d chunks need at least %d bytes of headers, %d bytes are left", n, n*chunkHeaderSize, len(b)-headerSize)
		n = most
	}
	chunks := make([]Chunk, 0, min(n, 64))
	seen := make(map[string]int)
	off := headerSize
	for i := range int(n) {
		if len(b)-off < chunkHeaderSize {
			bad(off, ruleTruncated, "chunk %d of %d needs a header of %d bytes, %d are left", i, n, chunkHeaderSize, len(b)-off)
			return chunks, fs
		}
		tag := string(b[off : off+4])
		size := binary.LittleEndian.Uint32(b[off+4:])
		if !printableTag(tag) {
			bad(off, ruleTag, "tag of chunk %d has the bytes % x, each must be from 20 to 7e", i, tag)
		}
		if first, dup := seen[tag]; dup {
			bad(off, ruleDuplicateTag, "tag %q of chunk %d was used before, at byte %d", tag, i, first)
		} else {
			seen[tag] = off
		}
		off += chunkHeaderSize
		if uint64(size) > uint64(len(b)-off) {
			bad(off-4, ruleTruncated, "chunk %q declares %d bytes, %d are left", tag, size, len(b)-off)
			return chunks, fs
		}
		chunks = append(chunks, Chunk{Tag: tag, Offset: off, Data: b[off : off+int(size) : off+int(size)]})
		off += int(size)
	}
	if off < len(b) && len(fs) == 0 {
		bad(off, ruleTrailing, "%d bytes after the last chunk", len(b)-off)
	}
	return chunks, fs
}

// EncodeContainer writes the chunks in the order given. It fails, wrapping
// ErrContainer, on a tag that is not four printable ASCII characters or occurs
// twice, and where a size or count does not fit 32 bits.
func EncodeContainer(chunks []Chunk) ([]byte, error) {
	n, err := containerSize(chunks)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, n)
	b = appendHeader(b, len(chunks))
	for _, c := range chunks {
		b = appendChunkHeader(b, c)
		b = append(b, c.Data...)
	}
	return b, nil
}

// WriteContainer is EncodeContainer to a writer, without a copy of the payloads.
func WriteContainer(w io.Writer, chunks []Chunk) error {
	if _, err := containerSize(chunks); err != nil {
		return err
	}
	if _, err := w.Write(appendHeader(nil, len(chunks))); err != nil {
		return fmt.Errorf("writing a package: %w", err)
	}
	for _, c := range chunks {
		if _, err := w.Write(appendChunkHeader(nil, c)); err != nil {
			return fmt.Errorf("writing chunk %q: %w", c.Tag, err)
		}
		if _, err := w.Write(c.Data); err != nil {
			return fmt.Errorf("writing chunk %q: %w", c.Tag, err)
		}
	}
	return nil
}

func appendHeader(b []byte, chunks int) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, containerVersion)
	return binary.LittleEndian.AppendUint32(b, uint32(chunks))
}

func appendChunkHeader(b []byte, c Chunk) []byte {
	b = append(b, c.Tag...)
	return binary.LittleEndian.AppendUint32(b, uint32(len(c.Data)))
}

// containerSize checks the chunks and returns the size of the file that they make.
func containerSize(chunks []Chunk) (int, error) {
	if uint64(len(chunks)) > math.MaxUint32 {
		return 0, fmt.Errorf("%w: %d chunks do not fit a 32-bit count", ErrContainer, len(chunks))
	}
	n := headerSize
	seen := make(map[string]int, len(chunks))
	for i, c := range chunks {
		if !printableTag(c.Tag) {
			return 0, fmt.Errorf("%w: tag %q of chunk %d is not four characters from 0x20 to 0x7E: rename it", ErrContainer, c.Tag, i)
		}
		if first, dup := seen[c.Tag]; dup {
			return 0, fmt.Errorf("%w: chunks %d and %d have the same tag %q: a tag names one chunk", ErrContainer, first, i, c.Tag)
		}
		seen[c.Tag] = i
		if uint64(len(c.Data)) > math.MaxUint32 {
			return 0, fmt.Errorf("%w: chunk %q has %d bytes, a size field holds at most %d", ErrContainer, c.Tag, len(c.Data), uint32(math.MaxUint32))
		}
		n += chunkHeaderSize + len(c.Data)
	}
	return n, nil
}
