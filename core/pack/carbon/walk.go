package carbon

import (
	"encoding/binary"
	"fmt"
)

// The sizes in bytes of version 15 records that have no lists inside.
const (
	headerSize     = 44 // version, compiler, hash, size of the string table
	recordSize     = 12
	axisSize       = 11 // without options
	stateSize      = 8
	inputSize      = 6
	registerSize   = 10
	staticSize     = 27
	constantSize   = 20
	textureSize    = 12
	samplerSize    = 43
	uavSize        = 11
	annotationSize = 9
	exportSize     = 5
	referenceSize  = 8 // size, offset
	maxPasses      = 64
	maxStages      = 6
	maxPerKind     = 64
	maxStageType   = 5
	annotationText = 3 // the type of annotations whose value is a text
	noData         = 0xFFFFFFFF
)

// mark is a place that a walk found.
type mark struct {
	technique, pass uint8
	at              uint32 // where the pass ends: offset of its block reference, if there is one
	ref             ref    // the reference, when walking with references
}

// ref is a size and an offset in the string table.
type ref struct{ size, off uint32 }

// none reports whether nothing is referred to.
func (r ref) none() bool { return r.size == 0 }

// techniqueMark is the list of libraries of one technique.
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

	// visit, if set, is told every reference to the string table: a blob, or a text,
	// whose size is not known.
	visit func(off, size uint32, text bool)

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

// named8 skips records that refer to a text at an offset of theirs.
func (w *walker) named8(limit, size, name int, what string) bool {
	at := w.off + 1
	return w.list8(limit, size, what) && w.names(at, size, name)
}

func (w *walker) named32(size, name int, what string) bool {
	at := w.off + 4
	n, ok := w.u32(what)
	return ok && w.list(uint64(n), size, what) && w.names(at, size, name)
}

func (w *walker) names(at, size, name int) bool {
	if w.visit != nil {
		for ; at < w.off; at += size {
			w.visit(binary.LittleEndian.Uint32(w.b[at+name:]), 0, true)
		}
	}
	return true
}

func (w *walker) annotations() bool {
	at := w.off + 1
	if !w.named8(255, annotationSize, 0, "annotations") {
		return false
	}
	if w.visit != nil {
		for ; at < w.off; at += annotationSize {
			if w.b[at+4] == annotationText {
				w.visit(binary.LittleEndian.Uint32(w.b[at+5:]), 0, true)
			}
		}
	}
	return true
}

func (w *walker) text(what string) bool {
	at := w.off
	n, ok := w.u32(what)
	if ok && n >= w.table {
		return w.fail(at, "%s starts at %d, the string table has %d bytes", what, n, w.table)
	}
	if ok && w.visit != nil {
		w.visit(n, 0, true)
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
	if r.size > 0 && w.visit != nil {
		w.visit(r.off, r.size, false)
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
		if !w.text("parameter name") || !w.annotations() {
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
		if !ok || !w.named32(exportSize, 1, "exports") || !w.text("hit group name") ||
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
	m := mark{technique: uint8(t), pass: uint8(p), at: uint32(w.off)}
	if w.tails {
		if m.ref, ok = w.blob("block"); !ok {
			return false
		}
		if m.ref.none() && m.ref.off != noData && m.ref.off > w.table {
			return w.fail(int(m.at)+4, "empty block at %d, the string table has %d bytes", m.ref.off, w.table)
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
	if !w.named32(constantSize, 0, "constants") {
		return false
	}
	if _, ok := w.blob("defaults"); !ok {
		return false
	}
	return w.named8(maxPerKind, textureSize, 1, "textures") && w.named8(maxPerKind, samplerSize, 1, "samplers") &&
		w.named8(maxPerKind, uavSize, 1, "UAVs") && w.annotations()
}
