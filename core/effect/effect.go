package effect

import (
	"sync"
)

// The versions that Parse reads, and the one that Encode and Build write.
const (
	MinVersion   = 8
	MaxVersion   = 15
	WriteVersion = 15
)

// MaxPermutations is the most permutations that an effect may have. The format
// itself would allow more; the published readers do not.
const MaxPermutations = 1 << 16

// MaxDefaults is how many bytes of constant buffer 0 readers keep. A file may hold
// more defaults, and Stage.Defaults has all of them.
const MaxDefaults = 4096

// NoData is the string table offset that stands beside a size of zero.
const NoData = 0xFFFFFFFF

// Effect is one parsed file. It is immutable and safe for concurrent use.
type Effect struct {
	Version           uint32       // 8 to 15
	CompilerVersion   [4]uint8     // major, minor, patch, tweak; zero before version 15
	SourceHash        string       // 32 characters, usually the hex of an MD5; empty before version 15
	StringTable       []byte       // part of the parsed bytes; must not be changed
	StringTableOffset int          // byte offset of the table in the file
	Axes              []Axis       // in file order; the first varies fastest
	Records           []BodyRecord // one per permutation, by index
	Size              int          // bytes of the file
	SHA256            [32]byte     // of the whole file

	src    []byte
	text   table
	bodyOf []int32 // permutation -> index into bodies
	bodies []UniqueBody
	lazy   []lazyBody // parallel to bodies
}

type lazyBody struct {
	once sync.Once
	body *Body
	err  error
}

// Axis is one dimension of the permutation table.
type Axis struct {
	Name        string
	Description string // empty when the source gave none
	Default     int    // index into Options
	Type        uint8  // 0 static, 1 dynamic: see AxisTypeName
	Options     []string

	nameOff, descOff uint32
	optionOffs       []uint32
	at               int // file offset of the record
}

// BodyRecord locates the body of one permutation.
type BodyRecord struct {
	Index  uint32 // the permutation; equal to the record's position
	Offset uint32 // from the start of the file
	Size   uint32 // bytes
}

// UniqueBody is one of the distinct bodies of an effect.
type UniqueBody struct {
	Key          string   // "body0", "body1", ... by first occurrence
	Offset, Size int      // of the first range that holds it
	SHA256       [32]byte // of its bytes
	Permutations []int    // ascending
}

// Bodies returns the distinct bodies by first occurrence. Ranges are grouped by
// SHA-256 and then by their bytes, so that an equal body stored twice is one. The
// slice must not be changed. A digest means nothing outside of its file, since a
// body's references are offsets into the file's string table.
func (e *Effect) Bodies() []UniqueBody { return e.bodies }

// BodyOf returns the index into Bodies of a permutation, or -1 if there is no
// such permutation.
func (e *Effect) BodyOf(perm int) int {
	if perm < 0 || perm >= len(e.bodyOf) {
		return -1
	}
	return int(e.bodyOf[perm])
}

// Body returns the decoded body of a permutation. All permutations that share a
// body get the same value, which must not be changed. It fails only if there is no
// such permutation; Parse has checked the bytes. The value takes about 3 times the
// body's bytes, at most 25 times (a body of empty passes, two bytes each).
func (e *Effect) Body(perm int) (*Body, error) {
	i := e.BodyOf(perm)
	if i < 0 {
		return nil, &Error{Offset: -1, Path: "effect", Kind: ErrRange, Reason: sprintf("no permutation %d: there are %d", perm, len(e.bodyOf))}
	}
	return e.UniqueBody(i)
}

// UniqueBody returns the decoded body number i of Bodies.
func (e *Effect) UniqueBody(i int) (*Body, error) {
	if i < 0 || i >= len(e.bodies) {
		return nil, &Error{Offset: -1, Path: "effect", Kind: ErrRange, Reason: sprintf("no body %d: there are %d", i, len(e.bodies))}
	}
	l, u := &e.lazy[i], &e.bodies[i]
	l.once.Do(func() { l.body, l.err = e.decodeBody(u.Permutations[0], u.Offset, u.Size) })
	return l.body, l.err
}
