package carbon

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fxlens/core/effect"
)

// References says whether passes of a body end with a reference to a block.
type References uint8

// The choices. A file does not say it; the walk that reaches the exact end of the
// body tells.
const (
	Detect  References = iota // by the exact end
	With                      // every body has them
	Without                   // no body has them
)

// File is a container that was read. It is safe for concurrent use and must not be
// changed.
type File struct {
	// Effect is the file without block references: programs are WGSL text, axes,
	// bodies, defaults and names are complete. Offsets and digests in it are of a
	// file that does not exist; those of the container are in Bodies.
	Effect *effect.Effect
	Bodies []Body // distinct bodies by first occurrence
	Data   []byte // the container; must not be changed
	SHA256 [32]byte

	bodyOf  []int32 // permutation -> index into Bodies
	records []effect.BodyRecord
}

// Body is one distinct body as the container stores it.
type Body struct {
	Key          string // "body0", "body1", ... by first occurrence
	Offset, Size int    // of the first range that holds it
	SHA256       [32]byte
	Permutations []int // ascending
	References   bool  // its passes end with references to blocks

	passes []mark
	table  []byte
}

// Block returns the bytes of the block of a pass, or nil where it has none. They
// are part of the container and must not be changed.
func (b *Body) Block(technique, pass int) []byte {
	r := b.reference(technique, pass)
	if r.none() {
		return nil
	}
	return b.table[r.off : r.off+r.size : r.off+r.size]
}

func (b *Body) reference(technique, pass int) ref {
	if technique > math.MaxUint8 || pass > math.MaxUint8 || technique < 0 || pass < 0 {
		return ref{}
	}
	i, ok := slices.BinarySearchFunc(b.passes, mark{technique: uint8(technique), pass: uint8(pass)}, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.technique, b.technique), cmp.Compare(a.pass, b.pass))
	})
	if !ok {
		return ref{}
	}
	return b.passes[i].ref
}

// BodyOf returns the index into Bodies of a permutation, or -1.
func (f *File) BodyOf(perm int) int {
	if perm < 0 || perm >= len(f.bodyOf) {
		return -1
	}
	return int(f.bodyOf[perm])
}

// content returns the decoded body number i, without blocks.
func (f *File) content(i int) (*effect.Body, error) {
	return f.Effect.Body(f.Bodies[i].Permutations[0])
}

// ErrAmbiguous marks a body that can be read with block references and without.
var ErrAmbiguous = errors.New("ambiguous")

// Error says why the bytes of a file are not a container.
type Error struct {
	Offset int    // byte in the file, or -1
	Path   string // the record: "body[3]"
	Reason string
	Err    error // *effect.Error, ErrAmbiguous, or nil
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Path + ": " + e.Reason
	}
	return fmt.Sprintf("%s at byte %d (0x%x): %s", e.Path, e.Offset, e.Offset, e.Reason)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// frame is what stands in front of the bodies.
type frame struct {
	table   []byte
	axesAt  int // offset of the axis count
	records []effect.BodyRecord
	first   int // where bodies begin
	ranges  []span
	of      []int32 // permutation -> range
}

// span is one distinct range of the file that holds a body.
type span struct {
	off, size int
	perm      int // the lowest one
}

// readFrame reads everything in front of the bodies. It reports false where
// effect.Parse has a better word for what is wrong.
func readFrame(b []byte) (f frame, ok bool) {
	le := binary.LittleEndian
	if len(b) < headerSize || le.Uint32(b) != effect.WriteVersion {
		return f, false
	}
	size := le.Uint32(b[headerSize-4:])
	if uint64(size) > uint64(len(b)-headerSize) {
		return f, false
	}
	f.axesAt = headerSize + int(size)
	f.table = b[headerSize:f.axesAt:f.axesAt]
	at := f.axesAt
	if at >= len(b) {
		return f, false
	}
	axes := int(b[at])
	at++
	for range axes {
		if len(b)-at < axisSize {
			return f, false
		}
		at += axisSize + 4*int(b[at+axisSize-1])
	}
	if at > len(b)-4 {
		return f, false
	}
	n := le.Uint32(b[at:])
	at += 4
	if n > effect.MaxPermutations || uint64(n)*recordSize > uint64(len(b)-at) || n == 0 {
		return f, false
	}
	f.records = make([]effect.BodyRecord, n)
	for i := range f.records {
		r := b[at+recordSize*i:]
		f.records[i] = effect.BodyRecord{Index: le.Uint32(r), Offset: le.Uint32(r[4:]), Size: le.Uint32(r[8:])}
	}
	f.first = at + recordSize*int(n)
	return f, f.findRanges(len(b))
}

// findRanges fills ranges and of; bodies must follow each other without gaps.
func (f *frame) findRanges(size int) bool {
	order := make([]int32, len(f.records))
	for i := range order {
		order[i] = int32(i)
	}
	rec := f.records
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rec[a].Offset, rec[b].Offset), cmp.Compare(rec[a].Size, rec[b].Size), cmp.Compare(a, b))
	})
	f.of = make([]int32, len(rec))
	end := f.first
	for i, p := range order {
		r := rec[p]
		if i > 0 && r.Offset == rec[order[i-1]].Offset && r.Size == rec[order[i-1]].Size {
			f.of[p] = f.of[order[i-1]]
			continue
		}
		if int(r.Offset) != end || uint64(r.Offset)+uint64(r.Size) > uint64(size) {
			return false
		}
		f.of[p] = int32(len(f.ranges))
		f.ranges = append(f.ranges, span{end, int(r.Size), int(p)})
		end += int(r.Size)
	}
	return end == size
}

// walk goes over one range in the form that fits, or that refs demands.
func (f *frame) walk(b []byte, s span, refs References) (*walker, *Error) {
	try := func(tails bool) (*walker, bool) {
		w := &walker{b: b, off: s.off, end: s.off + s.size, table: uint32(len(f.table)), tails: tails, errAt: -1}
		return w, w.body()
	}
	path := "body[" + strconv.Itoa(s.perm) + "]"
	with, okWith := try(true)
	without, okWithout := try(false)
	switch {
	case refs == Without && okWithout, okWithout && len(without.passes) == 0:
		return without, nil
	case refs == Without:
		return nil, &Error{Offset: without.errAt, Path: path, Reason: without.why}
	case refs == With && okWith:
		return with, nil
	case refs == With:
		return nil, &Error{Offset: with.errAt, Path: path, Reason: with.why}
	case okWith && okWithout:
		return nil, &Error{Offset: s.off, Path: path, Err: ErrAmbiguous, Reason: "the body can be read with block references and without; say which it is"}
	case okWith:
		return with, nil
	case okWithout:
		return without, nil
	}
	// Neither form fits: the one that came further says more.
	w, form := without, "without block references"
	if with.errAt >= without.errAt {
		w, form = with, "with block references"
	}
	return nil, &Error{Offset: w.errAt, Path: path, Reason: "read " + form + ": " + w.why}
}

// Sniff reports whether b is a version 15 file with a block reference in some body.
// A source effect is none; neither is a container that has no blocks at all, which
// only its caller knows to be one. It checks no more than it takes to tell.
func Sniff(b []byte) bool {
	f, ok := readFrame(b)
	if !ok {
		return false
	}
	for _, s := range f.ranges {
		if w, err := f.walk(b, s, Detect); err == nil && w.tails {
			return true
		}
	}
	return false
}

// Parse reads a container and checks its records. It keeps b, which must not be
// changed afterwards. A file that is none gives an [*Error]; what the programs and
// blocks hold is for [Validate]. It allocates at most 40 times len(b) and a few kB.
func Parse(b []byte, refs References) (*File, error) {
	f, ok := readFrame(b)
	if !ok {
		if _, err := effect.Parse(b); err != nil {
			return nil, fromEffect(err, nil)
		}
		return nil, &Error{Offset: 0, Path: "header", Reason: "only effects of version 15 are containers; this is an older one, which is a source"}
	}
	walks := make([]*walker, len(f.ranges))
	cut := 0
	for i, s := range f.ranges {
		w, err := f.walk(b, s, refs)
		if err != nil {
			return nil, err
		}
		walks[i] = w
		if w.tails {
			cut += referenceSize * len(w.passes)
		}
	}
	plain, shift := b, []shifted(nil)
	if cut > 0 {
		plain, shift = f.strip(b, walks, cut)
	}
	e, err := effect.Parse(plain)
	if err != nil {
		return nil, fromEffect(err, shift)
	}
	out := &File{Effect: e, Data: b, SHA256: sha256.Sum256(b), records: f.records}
	out.group(&f, walks)
	return out, nil
}

// shifted says that bytes of the plain file from at on come from orig on.
type shifted struct{ at, orig int }

// strip makes the file without block references.
func (f *frame) strip(b []byte, walks []*walker, cut int) ([]byte, []shifted) {
	out := make([]byte, 0, len(b)-cut)
	out = append(out, b[:f.first]...)
	shift := []shifted{{0, 0}}
	start := make([]int, len(f.ranges))
	for i, s := range f.ranges {
		start[i] = len(out)
		from := s.off
		shift = append(shift, shifted{len(out), from})
		if walks[i].tails {
			for _, m := range walks[i].passes {
				out = append(out, b[from:m.at]...)
				from = int(m.at) + referenceSize
				shift = append(shift, shifted{len(out), from})
			}
		}
		out = append(out, b[from:s.off+s.size]...)
	}
	start = append(start, len(out))
	for p := range f.records {
		r := f.of[p]
		at := f.first - recordSize*(len(f.records)-p)
		binary.LittleEndian.PutUint32(out[at+4:], uint32(start[r]))
		binary.LittleEndian.PutUint32(out[at+8:], uint32(start[r+1]-start[r]))
	}
	return out, shift
}

// fromEffect makes an error of effect.Parse one of the container.
func fromEffect(err error, shift []shifted) *Error {
	var ee *effect.Error
	if !errors.As(err, &ee) {
		return &Error{Offset: -1, Path: "file", Reason: err.Error(), Err: err}
	}
	off := ee.Offset
	if i, ok := slices.BinarySearchFunc(shift, off, func(s shifted, at int) int { return cmp.Compare(s.at, at) }); off >= 0 && len(shift) > 0 {
		if !ok {
			i-- // shift starts with 0
		}
		for i+1 < len(shift) && shift[i+1].at == off { // empty parts
			i++
		}
		off = shift[i].orig + off - shift[i].at
	}
	return &Error{Offset: off, Path: ee.Path, Reason: fmt.Sprintf("%v: %s", ee.Kind, ee.Reason), Err: err}
}

// group fills the body tables: equal bytes are one body.
func (f *File) group(fr *frame, walks []*walker) {
	byDigest := map[[32]byte]int32{}
	bodyOfRange := make([]int32, len(fr.ranges))
	for i := range bodyOfRange {
		bodyOfRange[i] = -1
	}
	f.bodyOf = make([]int32, len(fr.of))
	for p, r := range fr.of {
		if bodyOfRange[r] < 0 {
			s := fr.ranges[r]
			sum := sha256.Sum256(f.Data[s.off : s.off+s.size])
			n, ok := byDigest[sum]
			if !ok {
				n = int32(len(f.Bodies))
				byDigest[sum] = n
				b := Body{Key: "body" + strconv.Itoa(int(n)), Offset: s.off, Size: s.size, SHA256: sum, References: walks[r].tails, table: fr.table}
				if b.References {
					b.passes = walks[r].passes
				}
				f.Bodies = append(f.Bodies, b)
			}
			bodyOfRange[r] = n
		}
		f.bodyOf[p] = bodyOfRange[r]
		b := &f.Bodies[bodyOfRange[r]]
		b.Permutations = append(b.Permutations, p)
	}
}
