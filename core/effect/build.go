package effect

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// Model is what a version 15 file says, without offsets: the input of Build.
// Texts and programs of the body types are used; the offsets in them are not, but
// for DefaultsOffset of library inputs without defaults.
type Model struct {
	CompilerVersion [4]uint8
	SourceHash      string // 32 bytes
	Axes            []Axis
	Bodies          []*Body // by permutation; permutations may share a pointer
}

// Model returns the effect's content. Its bodies are shared with e and must not be
// changed. Building the model of a version 15 file that the engine's compiler made
// gives the file again. An older effect has no compiler version and no source hash:
// set the hash before building.
func (e *Effect) Model() (*Model, error) {
	m := &Model{CompilerVersion: e.CompilerVersion, SourceHash: e.SourceHash, Axes: e.Axes, Bodies: make([]*Body, len(e.Records))}
	for p := range m.Bodies {
		b, err := e.Body(p)
		if err != nil {
			return nil, err
		}
		m.Bodies[p] = b
	}
	return m, nil
}

// Build writes a version 15 file as the engine's compiler would: one entry in the
// string table for each distinct text and blob of the whole file, in byte order;
// textures, samplers and UAVs by register, states by number, annotations and groups
// by name, everything else in the order given; equal bodies once, owned by their
// lowest permutation, back to back behind the records. It does not change m.
//
// It fails with an [*Error] on a count that the format cannot store and on
// everything that Parse would refuse.
func Build(m *Model) ([]byte, error) {
	b, err := build(m)
	if err != nil {
		return nil, err
	}
	if _, err := Parse(b); err != nil {
		// the offset is one in a file that nobody has
		var e *Error
		if errors.As(err, &e) {
			e.Offset = -1
		}
		return nil, err
	}
	return b, nil
}

// build writes the file; it refuses only what cannot be written.
func build(m *Model) ([]byte, error) {
	if len(m.SourceHash) != 32 {
		return nil, &Error{-1, "header", sprintf("the source hash has %d bytes, the format stores 32", len(m.SourceHash)), ErrRange}
	}
	if err := checkAxes(m); err != nil {
		return nil, err
	}
	// Twice the same walk: the first collects the table's entries, the second uses it.
	t := &pool{texts: map[string]uint32{}, blobs: map[string]uint32{}}
	w := &encoder{refs: t}
	w.axes(m.Axes)
	first := map[*Body]int{}
	for p, b := range m.Bodies {
		if b == nil {
			return nil, &Error{-1, sprintf("body[%d]", p), "there is no body for this permutation", ErrRange}
		}
		if _, ok := first[b]; !ok {
			first[b] = p
			w.b, w.depth = w.b[:0], 0
			w.push("body", p)
			w.body(b)
		}
		if w.err != nil {
			return nil, w.err
		}
	}
	table := t.layout()

	var bodies []byte
	start := 44 + len(table) + 1 + 4 + recordSize*len(m.Bodies)
	for _, a := range m.Axes {
		start += 11 + 4*len(a.Options)
	}
	records := make([]BodyRecord, len(m.Bodies))
	owner := map[string]int{} // serialized body -> lowest permutation
	for p, b := range m.Bodies {
		if q := first[b]; q < p {
			records[p] = records[q]
			records[p].Index = uint32(p)
			continue
		}
		w.b, w.depth = w.b[:0], 0
		w.push("body", p)
		w.body(b)
		if q, ok := owner[string(w.b)]; ok {
			records[p] = records[q]
			records[p].Index = uint32(p)
			continue
		}
		owner[string(w.b)] = p
		if uint64(start)+uint64(len(bodies))+uint64(len(w.b)) > math.MaxUint32 {
			return nil, &Error{-1, sprintf("body[%d]", p), "the file would be larger than 4 GiB", ErrTooMany}
		}
		records[p] = BodyRecord{uint32(p), uint32(start + len(bodies)), uint32(len(w.b))}
		bodies = append(bodies, w.b...)
	}
	w.b, w.depth = make([]byte, 0, start+len(bodies)), 0
	w.header(m.CompilerVersion, m.SourceHash, table)
	w.axes(m.Axes)
	w.records(records)
	w.b = append(w.b, bodies...)
	if w.err != nil {
		return nil, w.err
	}
	return w.b, nil
}

func checkAxes(m *Model) error {
	span := 1
	for i, a := range m.Axes {
		path := sprintf("axis[%d]", i)
		switch {
		case len(a.Options) == 0 || len(a.Options) > math.MaxUint8:
			return &Error{-1, path, sprintf("%d options, an axis has 1 to %d", len(a.Options), math.MaxUint8), ErrTooMany}
		case a.Default < 0 || a.Default >= len(a.Options):
			return &Error{-1, path, sprintf("default option %d, the axis has %d options", a.Default, len(a.Options)), ErrRange}
		}
		if span *= len(a.Options); span > MaxPermutations {
			return &Error{-1, path, sprintf("with this axis there are %d permutations, at most %d are allowed", span, MaxPermutations), ErrTooMany}
		}
	}
	if len(m.Bodies) != span {
		return &Error{-1, "bodies", sprintf("%d bodies, the axes span %d permutations", len(m.Bodies), span), ErrRange}
	}
	return nil
}

// pool builds the string table. While the maps hold zeros it collects.
type pool struct {
	texts map[string]uint32 // without their terminators
	blobs map[string]uint32
}

func (t *pool) text(s string) uint32 {
	off, ok := t.texts[s]
	if !ok {
		t.texts[s] = 0
	}
	return off
}

func (t *pool) blob(b []byte) uint32 {
	off, ok := t.blobs[string(b)]
	if !ok {
		t.blobs[string(b)] = 0
	}
	return off
}

// layout orders the entries by unsigned bytes, a prefix first, stores equal ones
// once whatever they mean, and gives every text and blob its offset.
func (t *pool) layout() []byte {
	entries := make([]string, 0, len(t.texts)+len(t.blobs))
	for s := range t.texts {
		entries = append(entries, s+"\x00")
	}
	for b := range t.blobs {
		entries = append(entries, b)
	}
	slices.Sort(entries)
	entries = slices.Compact(entries)
	var table []byte
	for _, e := range entries {
		if _, ok := t.blobs[e]; ok {
			t.blobs[e] = uint32(len(table))
		}
		if s, ok := strings.CutSuffix(e, "\x00"); ok {
			if _, ok := t.texts[s]; ok {
				t.texts[s] = uint32(len(table))
			}
		}
		table = append(table, e...)
	}
	return table
}
