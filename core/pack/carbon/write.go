package carbon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"fxlens/core/effect"
)

// ZeroHash is what writers of containers put where a source effect has the hash of
// its source.
var ZeroHash = strings.Repeat("0", 32)

// CompilerVersion is what writers of containers put as the compiler's version.
var CompilerVersion = [4]uint8{1, 2, 6, 0}

// Write makes a container of a model whose programs are WGSL. block gives the block
// of each pass of each body, nil for none; every pass gets a reference. The layout
// is the format's only one: the string table in byte order, equal entries and equal
// bodies once, bodies back to back. It fails with an [*Error] on what the format
// cannot store, and on libraries, which a container has none of.
func Write(m *effect.Model, block func(b *effect.Body, technique, pass int) []byte) ([]byte, error) {
	return write(m, block, func(*effect.Body) bool { return true })
}

// write is Write where references says which bodies get them.
func write(m *effect.Model, block func(b *effect.Body, technique, pass int) []byte, references func(*effect.Body) bool) ([]byte, error) {
	// effect.Build lays out a string table only for what its records refer to, so
	// for now a block is the program of a library: of technique t, library p for
	// pass p. Its one text is the technique's name, which is in the table anyway.
	staged := *m
	staged.Bodies = make([]*effect.Body, len(m.Bodies))
	done := map[*effect.Body]*effect.Body{}
	for i, b := range m.Bodies {
		if b == nil {
			return nil, &Error{Offset: -1, Path: fmt.Sprintf("body[%d]", i), Reason: "there is no body for this permutation"}
		}
		c, ok := done[b]
		if !ok {
			c = &effect.Body{Techniques: append([]effect.Technique(nil), b.Techniques...), Groups: b.Groups}
			for t := range c.Techniques {
				if len(c.Techniques[t].Libraries) > 0 {
					return nil, &Error{Offset: -1, Path: fmt.Sprintf("body[%d].technique[%d]", i, t), Reason: "a container has no libraries"}
				}
				if !references(b) {
					continue
				}
				libs := make([]effect.Library, len(c.Techniques[t].Passes))
				for p := range libs {
					libs[p] = effect.Library{Program: block(b, t, p), HitGroupName: c.Techniques[t].Name}
				}
				c.Techniques[t].Libraries = libs
			}
			done[b] = c
		}
		staged.Bodies[i] = c
	}
	raw, err := effect.Build(&staged)
	if err != nil {
		return nil, fromEffect(err, nil)
	}
	return join(raw)
}

// join turns the libraries of a file that Write laid out into block references.
func join(raw []byte) ([]byte, error) {
	f, ok := readFrame(raw)
	if !ok {
		return nil, errors.New("writing a container: the file laid out cannot be read")
	}
	le := binary.LittleEndian
	out := append(make([]byte, 0, len(raw)), raw[:f.first]...)
	start := make([]int, 0, len(f.ranges)+1)
	for _, s := range f.ranges {
		w := &walker{b: raw, off: s.off, end: s.off + s.size, table: uint32(len(f.table)), errAt: -1}
		if !w.body() {
			return nil, fmt.Errorf("writing a container: the body at %d laid out cannot be read: %s", s.off, w.why)
		}
		start = append(start, len(out))
		from, next := s.off, 0
		for t, tm := range w.techniques {
			for next < len(w.passes) && int(w.passes[next].technique) == t {
				m := w.passes[next]
				next++
				if len(tm.libs) == 0 {
					continue
				}
				out = append(out, raw[from:m.at]...)
				from = int(m.at)
				out = le.AppendUint32(out, tm.libs[m.pass].size)
				out = le.AppendUint32(out, tm.libs[m.pass].off)
			}
			out = append(out, raw[from:tm.at]...)
			out = append(out, 0) // no libraries
			from = tm.end
		}
		out = append(out, raw[from:s.off+s.size]...)
		if uint64(len(out)) > math.MaxUint32 {
			return nil, &Error{Offset: -1, Path: "file", Reason: "the file would be larger than 4 GiB"}
		}
	}
	start = append(start, len(out))
	for p := range f.records {
		r := f.of[p]
		at := f.first - recordSize*(len(f.records)-p)
		le.PutUint32(out[at+4:], uint32(start[r]))
		le.PutUint32(out[at+8:], uint32(start[r+1]-start[r]))
	}
	return out, nil
}

// Rewrite writes the container anew from what was read. Of a container in the
// format's layout the result is the same bytes; every block is carried over as it
// is, whoever wrote it.
//
// It fails with an [*Error] where the entries of the string table overlap, since
// writing each on its own could take any multiple of the file.
func (f *File) Rewrite() ([]byte, error) {
	if !f.disjoint() {
		return nil, &Error{Offset: headerSize, Path: "string table", Reason: "its entries overlap"}
	}
	m, blocks, err := f.model()
	if err != nil {
		return nil, err
	}
	return write(m, func(b *effect.Body, technique, pass int) []byte { return blocks[b].Block(technique, pass) },
		func(b *effect.Body) bool { return blocks[b].References })
}

// model returns the content with one body value for each distinct body, and where
// its blocks are.
func (f *File) model() (*effect.Model, map[*effect.Body]*Body, error) {
	m := &effect.Model{CompilerVersion: f.Effect.CompilerVersion, SourceHash: f.Effect.SourceHash, Axes: f.Effect.Axes,
		Bodies: make([]*effect.Body, len(f.bodyOf))}
	blocks := make(map[*effect.Body]*Body, len(f.Bodies))
	values := make([]*effect.Body, len(f.Bodies))
	for i := range f.Bodies {
		b, err := f.content(i)
		if err != nil {
			return nil, nil, err
		}
		v := *b // two bodies that differ in their blocks alone share their content
		values[i] = &v
		blocks[&v] = &f.Bodies[i]
	}
	for p, i := range f.bodyOf {
		m.Bodies[p] = values[i]
	}
	return m, blocks, nil
}

// disjoint reports whether everything that the file refers to takes no more than
// twice the bytes of the string table: a text and a blob may be the same entry.
func (f *File) disjoint() bool {
	table := f.Data[headerSize:][:len(f.Effect.StringTable):len(f.Effect.StringTable)]
	sum := 0
	texts := map[uint32]bool{}
	blobs := map[ref]bool{}
	visit := func(off, size uint32, text bool) {
		switch {
		case sum > 2*len(table):
		case !text:
			if r := (ref{size, off}); !blobs[r] {
				blobs[r] = true
				sum += int(size)
			}
		case !texts[off] && int(off) < len(table):
			texts[off] = true
			sum += bytes.IndexByte(table[off:], 0) + 1
		}
	}
	fr, ok := readFrame(f.Data)
	if !ok {
		return false
	}
	for at := fr.axesAt + 1; at < fr.first-recordSize*len(fr.records)-4; {
		axis := f.Data[at:]
		visit(binary.LittleEndian.Uint32(axis), 0, true)
		visit(binary.LittleEndian.Uint32(axis[5:]), 0, true)
		options := int(axis[axisSize-1])
		for o := range options {
			visit(binary.LittleEndian.Uint32(axis[axisSize+4*o:]), 0, true)
		}
		at += axisSize + 4*options
	}
	for i := range f.Bodies {
		b := &f.Bodies[i]
		w := &walker{b: f.Data, off: b.Offset, end: b.Offset + b.Size, table: uint32(len(table)), tails: b.References, visit: visit, errAt: -1}
		w.body()
	}
	return sum <= 2*len(table)
}
