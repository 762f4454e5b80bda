package dxbc

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"fxlens/core/diag"
)

// Limits of a container.
const (
	maxContainer = 16 << 20 // bytes
	maxChunks    = 64
	headerSize   = 32 // before the offset table
	chunkHeader  = 8  // tag and payload size
)

var magic = []byte("DXBC")

// Sum says which variant of the checksum a container carries.
type Sum uint8

// The checksum variants.
const (
	SumRetail   Sum = iota
	SumDebug        // programs with abort or messages: they need the debug layer
	SumMismatch     // neither
)

// String returns "retail", "debug" or "mismatch".
func (s Sum) String() string { return [...]string{"retail", "debug", "mismatch"}[min(s, SumMismatch)] }

// Chunk is one chunk of a container.
type Chunk struct {
	Tag    string // four bytes, not always printable
	Offset int    // byte offset of the tag in the container; -1 for a new chunk
	Data   []byte // the payload, a part of the container's bytes
}

// Container is a DXBC container taken apart.
type Container struct {
	Stored   [16]byte // checksum in the file
	Computed [16]byte // retail checksum of the bytes
	Sum      Sum      // which variant Stored is
	Size     int      // bytes
	Chunks   []Chunk  // in file order
	Diags    []diag.Diag
}

var (
	codeChecksum = diag.Register(diag.Info{
		Code:   "dxbc.checksum",
		Title:  "the checksum of a container does not fit its bytes",
		Rule:   "bytes 4 to 19 hold a digest of everything from byte 20 on; Direct3D refuses a container where it differs",
		Remedy: "take the file from its source again, or rebuild the container (fxlens chunks) when it was patched on purpose",
	})
	codeDuplicate = diag.Register(diag.Info{
		Code:   "dxbc.duplicate-chunk",
		Title:  "a container holds two chunks with the same tag",
		Rule:   "chunks are found by their tag, and readers take the first one",
		Remedy: "strip the chunk that is not wanted (fxlens chunks)",
	})
)

// Chunk returns the first chunk with one of the tags, the tags tried in order, or nil.
func (c *Container) Chunk(tags ...string) *Chunk {
	for _, t := range tags {
		for i := range c.Chunks {
			if c.Chunks[i].Tag == t {
				return &c.Chunks[i]
			}
		}
	}
	return nil
}

// Parse reads the chunk table of a container that fills b and verifies its
// checksum. Chunk payloads are parts of b. A wrong checksum is a warning in
// Diags; everything else that is wrong is an [*Error].
func Parse(b []byte) (*Container, error) {
	if len(b) < headerSize {
		if len(b) < 4 || !bytes.Equal(b[:4], magic) {
			return nil, notContainer(b)
		}
		return nil, fail(ErrTruncated, len(b), "the header of a container has %d bytes, %d are here", headerSize, len(b))
	}
	if !bytes.Equal(b[:4], magic) {
		return nil, notContainer(b)
	}
	if v := binary.LittleEndian.Uint32(b[20:]); v != 1 {
		return nil, fail(ErrUnsupported, 20, "container version word is %#x, not 1", v)
	}
	size := binary.LittleEndian.Uint32(b[24:])
	switch {
	case uint64(size) > uint64(len(b)):
		return nil, fail(ErrTruncated, 24, "the header says %d bytes, %d are here", size, len(b))
	case uint64(size) < uint64(len(b)):
		return nil, fail(ErrMalformed, 24, "the header says %d bytes, %d are here: %d too many", size, len(b), uint64(len(b))-uint64(size))
	case size > maxContainer:
		return nil, fail(ErrLimit, 24, "the container has %d bytes, the limit is %d", size, maxContainer)
	}
	n := binary.LittleEndian.Uint32(b[28:])
	if n > maxChunks {
		return nil, fail(ErrLimit, 28, "the header says %d chunks, the limit is %d", n, maxChunks)
	}
	table := headerSize + 4*int(n)
	if table > len(b) {
		return nil, fail(ErrTruncated, 28, "the table of %d chunks needs %d bytes, %d are here", n, table, len(b))
	}
	c := &Container{Size: len(b), Chunks: make([]Chunk, n)}
	end := table // end of the previous chunk
	for i := range c.Chunks {
		at := headerSize + 4*i
		off := binary.LittleEndian.Uint32(b[at:])
		switch {
		case off%4 != 0:
			return nil, fail(ErrMalformed, at, "chunk %d starts at byte %#x, not a multiple of 4", i, off)
		case int64(off) < int64(end):
			if i == 0 {
				return nil, fail(ErrMalformed, at, "chunk 0 starts at byte %#x, inside the header that ends at %#x", off, end)
			}
			return nil, fail(ErrMalformed, at, "chunk %d starts at byte %#x, before chunk %d ends at %#x", i, off, i-1, end)
		case int64(off)+chunkHeader > int64(len(b)):
			return nil, fail(ErrTruncated, at, "chunk %d starts at byte %#x, its header passes the end at %#x", i, off, len(b))
		}
		size := binary.LittleEndian.Uint32(b[off+4:])
		if int64(off)+chunkHeader+int64(size) > int64(len(b)) {
			e := fail(ErrTruncated, int(off)+4, "the chunk says %d bytes, %d are left in the container", size, len(b)-int(off)-chunkHeader)
			e.Chunk = string(b[off : off+4])
			return nil, e
		}
		start := int(off) + chunkHeader
		end = start + int(size)
		c.Chunks[i] = Chunk{Tag: tagString(b[off : off+4]), Offset: int(off), Data: b[start:end:end]}
	}
	copy(c.Stored[:], b[4:20])
	sum := checksummed(b)
	retail := sum.retail()
	c.Computed = retail
	switch {
	case c.Stored == retail:
	case c.Stored == sum.debug():
		c.Sum = SumDebug
	default:
		c.Sum = SumMismatch
		c.Diags = append(c.Diags, diag.New(diag.Warning, codeChecksum, diag.AtOffset(4),
			"the checksum in the file is %x, that of the bytes is %x", c.Stored, retail))
	}
	for i := range c.Chunks {
		for j := range i {
			if c.Chunks[i].Tag == c.Chunks[j].Tag {
				c.Diags = append(c.Diags, diag.New(diag.Warning, codeDuplicate, diag.AtOffset(c.Chunks[i].Offset),
					"chunk %d is another %s; the one at byte %#x is used", i, safeTag(c.Chunks[i].Tag), c.Chunks[j].Offset))
				break
			}
		}
	}
	return c, nil
}

// knownTags keeps one copy of each known tag, for the many containers of an effect.
var knownTags = func() map[string]string {
	m := make(map[string]string, len(chunkDocs))
	for t := range chunkDocs {
		m[t] = t
	}
	return m
}()

func tagString(b []byte) string {
	if t, ok := knownTags[string(b)]; ok {
		return t
	}
	return string(b)
}

// notContainer says what b is instead.
func notContainer(b []byte) *Error {
	if k := Sniff(b); k.Kind != KindUnknown {
		return fail(ErrUnsupported, 0, "this is %s, not a DXBC container", k.Text)
	}
	if len(b) < 4 {
		return fail(ErrTruncated, len(b), "a container starts with 4 bytes %q, %d are here", magic, len(b))
	}
	return fail(ErrMalformed, 0, "a container starts with %q, these bytes are % x", magic, b[:4])
}

// String lists the chunks as "RDEF ISGN OSGN SHEX STAT".
func (c *Container) String() string {
	s := ""
	for i := range c.Chunks {
		if i > 0 {
			s += " "
		}
		s += safeTag(c.Chunks[i].Tag)
	}
	return s
}

// Build makes a container of chunks in the given order, payloads padded to a
// multiple of 4 with 0xAB as Microsoft's compiler does, with the retail checksum
// or the one that needs the debug layer. A chunk whose tag has not four bytes,
// or too many or too large ones, is an [*Error] that [Parse] would give too.
func Build(chunks []Chunk, debug bool) ([]byte, error) {
	if len(chunks) > maxChunks {
		return nil, fail(ErrLimit, 28, "%d chunks, the limit is %d", len(chunks), maxChunks)
	}
	size := headerSize + 4*len(chunks)
	for i := range chunks {
		if len(chunks[i].Tag) != 4 {
			return nil, fail(ErrMalformed, size, "chunk %d: the tag %q has %d bytes, not 4", i, chunks[i].Tag, len(chunks[i].Tag))
		}
		size += chunkHeader + (len(chunks[i].Data)+3)&^3
		if size > maxContainer {
			return nil, fail(ErrLimit, size, "the container would pass %d bytes", maxContainer)
		}
	}
	b := make([]byte, headerSize+4*len(chunks), size)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[20:], 1)
	binary.LittleEndian.PutUint32(b[24:], uint32(size))
	binary.LittleEndian.PutUint32(b[28:], uint32(len(chunks)))
	for i := range chunks {
		binary.LittleEndian.PutUint32(b[headerSize+4*i:], uint32(len(b)))
		b = append(b, chunks[i].Tag...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(chunks[i].Data)+3)&^3)
		b = append(b, chunks[i].Data...)
		for len(b)%4 != 0 {
			b = append(b, 0xab)
		}
	}
	sum := Checksum(b, debug)
	copy(b[4:20], sum[:])
	return b, nil
}

// Replace returns the container with the payload of the first chunk tagged tag
// replaced, or with a new last chunk when there is none. The checksum keeps its variant.
func (c *Container) Replace(tag string, data []byte) ([]byte, error) {
	out := append([]Chunk(nil), c.Chunks...)
	for i := range out {
		if out[i].Tag == tag {
			out[i].Data = data
			return Build(out, c.Sum == SumDebug)
		}
	}
	return Build(append(out, Chunk{Tag: tag, Offset: -1, Data: data}), c.Sum == SumDebug)
}

// Strip returns the container without the chunks that have one of the tags. A
// tag that does not occur is an error that wraps [ErrMissing].
func (c *Container) Strip(tags ...string) ([]byte, error) {
	drop := map[string]bool{}
	for _, t := range tags {
		if c.Chunk(t) == nil {
			return nil, fail(ErrMissing, 0, "there is no chunk %s; there are %s", safeTag(t), c)
		}
		drop[t] = true
	}
	var out []Chunk
	for _, ch := range c.Chunks {
		if !drop[ch.Tag] {
			out = append(out, ch)
		}
	}
	return Build(out, c.Sum == SumDebug)
}

// Extract returns the payload of the first chunk tagged tag. A tag that does not
// occur is an error that wraps [ErrMissing].
func (c *Container) Extract(tag string) ([]byte, error) {
	if ch := c.Chunk(tag); ch != nil {
		return ch.Data, nil
	}
	return nil, fail(ErrMissing, 0, "there is no chunk %s; there are %s", safeTag(tag), c)
}

// ChunkDoc says in one line what a chunk with the given tag holds.
func ChunkDoc(tag string) string {
	if s, ok := chunkDocs[tag]; ok {
		return s
	}
	return "unknown"
}

var chunkDocs = map[string]string{
	"RDEF": "reflection: constant buffers, variables, bindings",
	"ISGN": "input signature", "OSGN": "output signature", "PCSG": "patch constant signature",
	"OSG5": "output signature with streams", "ISG1": "input signature with minimum precision",
	"OSG1": "output signature with minimum precision", "PSG1": "patch constant signature with minimum precision",
	"SHDR": "program, shader model 4", "SHEX": "program, shader model 5 or extended 4",
	"STAT": "statistics", "SFI0": "required features", "IFCE": "class linkage",
	"Aon9": "Direct3D 9 program for feature level 9", "SPDB": "debug information, PDB", "SDBG": "debug information, old form",
	"DXIL": "LLVM bitcode of shader model 6", "ILDB": "LLVM bitcode with debug information", "ILDN": "name of the debug file",
	"HASH": "hash of the source", "PSV0": "pipeline state validation", "RTS0": "root signature", "VERS": "compiler version",
	"RDAT": "run-time data of a library", "PRIV": "private data of an application", "XNAS": "console microcode", "XNAP": "console microcode",
	"LFS0": "function signature of a library", "LIBF": "function of a library", "LIBH": "header of a library",
	"CLI4": "literal constants", "CTAB": "constant table of Direct3D 9", "FX10": "effect of the effects framework",
}

// describe names a chunk for messages: "DXIL (LLVM bitcode of shader model 6)".
func describe(tag string) string { return fmt.Sprintf("%s (%s)", safeTag(tag), ChunkDoc(tag)) }
