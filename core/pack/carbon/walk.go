package carbon

import (
	"encoding/binary"
	"fmt"
)

// The sizes in bytes of version 15 records that have no lists inside.
const (
	headerSize      = 44 // version, compiler, hash, size of the string table
	recordSize      = 12
	axisSize        = 11 // without options
	stateSize       = 8
	inputSize       = 6
	registerSize    = 10
	staticSize      = 27
	constantSize    = 20
	textureSize     = 12
	samplerSize     = 43
	uavSize         = 11
	annotationSize  = 9
	exportSize      = 5
	referenceSize   = 8 // size, offset
	maxPasses       = 64
	maxStages       = 6
	maxPerKind      = 64
	maxStageType    = 5
	noData          = 0xFFFFFFFF
	compilerVersion = 0x00060201 // bytes 01 02 06 00
)

// mark is a place that a walk found.
type mark struct {
	technique, pass int
	at              int // where the pass ends: offset of its block reference, if there is one
	ref             ref // the reference, when walking with references
}

// ref is a size and an offset in the string table.
type ref struct{ size, off uint32 }

// none reports whether nothing is referred to.
func (r ref) none() bool { return r.size == 0 }

// technique is the list of libraries of one technique.
type techniqueMark struct {
	at   int   // offset of the count
	end  int   // behind the list
	libs []ref // programs
}

// walker goes over the records of one body by their sizes. It checks counts, and
// that texts and blobs start and end in the string table; everything else is for
// effect.Parse.
type walker struct {
	b        []byte // the whole file
	off, end int
	table    uint32 // size of the string table
	tails    bool   // passes end with a reference

	passes     []mark
	techniques []techniqueMark
	errAt      int // where the walk failed, or -1
	why        string
}

func (w *walker) fail(at int, format string, args ...any) bool {
	if w.why == "" {
		w.errAt, w.why = at, fmt.Sprintf(format, args...)
	}
	return false
}

func (w *walker) skip(n int, what string) bool {
	if w.end-w.off < n {
		return w.fail(w.off, "%s: %d bytes needed, %d left", what, n, w.end-w.off)
	}
	w.off += n
	return true
}

// u8 reads a count, at most limit.
func (w *walker) u8(limit int, what string) (int, bool) {
	at := w.off
	if !w.skip(1, what) {
		return 0, false
	}
	if n := int(w.b[at]); n > limit {
		return 0, w.fail(at, "%d %s, at most %d are allowed", n, what, limit)
	}
	return int(w.b[at]), true
}

func (w *walker) u32(what string) (uint32, bool) {
	at := w.off
	if !w.skip(4, what) {
		return 0, false
	}
	return binary.LittleEndian.Uint32(w.b[at:]), true
}

// list skips n records of a fixed size.
func (w *walker) list(n uint64, size int, what string) bool {
	if n*uint64(size) > uint64(w.end-w.off) {
		return w.fail(w.off, "%d %s need %d bytes, %d left", n, what, n*uint64(size), w.end-w.off)
	}
	w.off += int(n) * size
	return true
}

func (w *walker) list8(limit, size int, what string) bool {
	n, ok := w.u8(limit, what)
	return ok && w.list(uint64(n), size, what)
}

func (w *walker) list32(size int, what string) bool {
	n, ok := w.u32(what)
	return ok && w.list(uint64(n), size, what)
}

func (w *walker) text(what string) bool {
	at := w.off
	n, ok := w.u32(what)
	if ok && n >= w.table {
		return w.fail(at, "%s starts at %d, the string table has %d bytes", what, n, w.table)
	}
	return ok
}

func (w *walker) blob(what string) (r ref, ok bool) {
	at := w.off
	if r.size, ok = w.u32(what); !ok {
		return r, false
	}
	if r.off, ok = w.u32(what); !ok {
		return r, false
	}
	if r.size > 0 && uint64(r.off)+uint64(r.size) > uint64(w.table) {
		return r, w.fail(at, "%s: %d bytes at %d pass the end of the string table (%d bytes)", what, r.size, r.off, w.table)
	}
	return r, true
}

// body walks one body and reports whether its records end where it ends.
func (w *walker) body() bool {
	n, ok := w.u8(255, "techniques")
	for t := 0; ok && t < n; t++ {
		ok = w.technique(t)
	}
	if !ok {
		return false
	}
	if w.end-w.off < 2 {
		return w.fail(w.off, "parameter groups: 2 bytes needed, %d left", w.end-w.off)
	}
	groups := int(binary.LittleEndian.Uint16(w.b[w.off:]))
	w.off += 2
	for range groups {
		if !w.text("parameter name") || !w.list8(255, annotationSize, "annotations") {
			return false
		}
	}
	if w.off != w.end {
		return w.fail(w.off, "%d bytes after the last record", w.end-w.off)
	}
	return true
}

func (w *walker) technique(t int) bool {
	if !w.text("technique name") {
		return false
	}
	n, ok := w.u8(maxPasses, "passes")
	for p := 0; ok && p < n; p++ {
		ok = w.pass(t, p)
	}
	if !ok {
		return false
	}
	m := techniqueMark{at: w.off}
	if n, ok = w.u8(255, "libraries"); !ok {
		return false
	}
	for range n {
		if !w.skip(4, "payload size") {
			return false
		}
		r, ok := w.blob("library program")
		if !ok || !w.list32(exportSize, "exports") || !w.text("hit group name") ||
			!w.bindings() || !w.data() || !w.bindings() || !w.data() {
			return false
		}
		m.libs = append(m.libs, r)
	}
	m.end = w.off
	w.techniques = append(w.techniques, m)
	return true
}

func (w *walker) pass(t, p int) bool {
	n, ok := w.u8(maxStages, "stages")
	for range n {
		if !ok {
			return false
		}
		ok = w.stage()
	}
	if !ok || !w.list8(maxPerKind, stateSize, "render states") {
		return false
	}
	m := mark{technique: t, pass: p, at: w.off}
	if w.tails {
		if m.ref, ok = w.blob("block"); !ok {
			return false
		}
		if m.ref.none() && m.ref.off != noData && m.ref.off > w.table {
			return w.fail(m.at+4, "empty block at %d, the string table has %d bytes", m.ref.off, w.table)
		}
	}
	w.passes = append(w.passes, m)
	return true
}

func (w *walker) stage() bool {
	if _, ok := w.u8(maxStageType, "stage type"); !ok {
		return false
	}
	if _, ok := w.blob("program"); !ok {
		return false
	}
	return w.skip(12, "thread group size") && w.list8(maxPerKind, inputSize, "pipeline inputs") && w.bindings() && w.data()
}

func (w *walker) bindings() bool {
	return w.list8(255, registerSize, "registers") && w.list8(255, staticSize, "static samplers")
}

func (w *walker) data() bool {
	if !w.list32(constantSize, "constants") {
		return false
	}
	if _, ok := w.blob("defaults"); !ok {
		return false
	}
	return w.list8(maxPerKind, textureSize, "textures") && w.list8(maxPerKind, samplerSize, "samplers") &&
		w.list8(maxPerKind, uavSize, "UAVs") && w.list8(255, annotationSize, "annotations")
}
