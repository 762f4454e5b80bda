package effect

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
)

const (
	recordSize = 12
	minAxis    = 4 + 1 + 4 + 1 + 1 + 4 // with one option
	minBody    = 1 + 2                 // no techniques, no groups
)

// Parse reads a compiled effect and checks all of it, every body included. It keeps
// b, which must not be changed afterwards. A file that breaks a rule gives nil and
// an [*Error] that names the first one. It allocates at most 16 times len(b) and a
// few kB.
func Parse(b []byte) (*Effect, error) {
	e := &Effect{src: b, Size: len(b)}
	d := &decoder{b: b, end: len(b), span: 1, build: true}
	d.push("header", -1)
	e.header(d)
	d.depth = 0
	e.axes(d)
	e.records(d)
	if d.err != nil {
		return nil, d.err
	}
	ranges, of, err := e.ranges(d.off)
	if err != nil {
		return nil, err
	}
	d.build, d.names = false, d.names[:0]
	for _, r := range ranges {
		if _, err := d.body(int(r.Index), int(r.Offset), int(r.Size)); err != nil {
			return nil, err
		}
	}
	e.unique(ranges, of)
	e.SHA256 = sha256.Sum256(b)
	return e, nil
}

func (e *Effect) header(d *decoder) {
	e.Version = d.u32("version")
	if d.err != nil {
		return
	}
	if e.Version < MinVersion || e.Version > MaxVersion {
		d.fail(ErrVersion, 0, "version word %d (0x%08x), versions %d to %d are readable", e.Version, e.Version, MinVersion, MaxVersion)
		return
	}
	d.version = e.Version
	if e.Version >= 15 {
		if !d.need(36, "compiler version and source hash") {
			return
		}
		copy(e.CompilerVersion[:], d.b[4:8])
		e.SourceHash = string(d.b[8:40])
		d.off = 40
	}
	size := d.u32("string table size")
	if d.err != nil {
		return
	}
	if uint64(size) > uint64(d.end-d.off) {
		d.fail(ErrTruncated, d.last, "the string table of %d bytes passes the end of the file, %d left", size, d.end-d.off)
		return
	}
	e.StringTableOffset = d.off
	d.off += int(size)
	e.StringTable = d.b[e.StringTableOffset:d.off:d.off]
	e.text = newTable(e.StringTable)
	d.text = e.text
}

func (e *Effect) axes(d *decoder) {
	e.Axes = list(d, "axis", uint64(d.u8("axis count")), minAxis, (*decoder).axis)
	if d.err != nil {
		return
	}
	for i, a := range e.Axes {
		d.addName(a.nameOff, a.at, i)
	}
	d.uniqueNames("axis", "axis name")
}

func (d *decoder) axis() (a Axis) {
	a.at = d.off
	a.Name, a.nameOff = d.str("axis name")
	at := d.off
	def := d.u8("default option")
	a.Description, a.descOff = d.str("axis description")
	a.Type = d.u8("axis type")
	n := int(d.u8("option count"))
	if d.err != nil {
		return a
	}
	if n == 0 {
		d.fail(ErrRange, d.last, "the axis has no options")
		return a
	}
	if int(def) >= n {
		d.fail(ErrRange, at, "default option %d, the axis has %d options", def, n)
		return a
	}
	if d.span *= uint64(n); d.span > MaxPermutations {
		d.fail(ErrTooMany, d.last, "with this axis of %d options there are %d permutations, at most %d are allowed", n, d.span, MaxPermutations)
		return a
	}
	a.Default = int(def)
	at = d.off
	a.optionOffs = list(d, "option", uint64(n), 4, (*decoder).option)
	if d.err != nil {
		return a
	}
	a.Options = make([]string, n)
	for i, off := range a.optionOffs {
		a.Options[i] = d.text.at(off)
		d.addName(off, at+4*i, i)
	}
	d.uniqueNames("option", "option name")
	return a
}

func (d *decoder) option() uint32 {
	_, off := d.str("option name")
	return off
}

// records reads the body table, which has one row per permutation.
func (e *Effect) records(d *decoder) {
	if d.err != nil {
		return
	}
	d.push("records", -1)
	defer func() { d.depth = 0 }()
	at := d.off
	n := d.u32("body count")
	switch {
	case d.err != nil:
		return
	case n > MaxPermutations:
		d.fail(ErrTooMany, at, "%d body records, at most %d are allowed", n, MaxPermutations)
		return
	case uint64(n) != d.span:
		d.fail(ErrRange, at, "%d body records, the axes span %d permutations", n, d.span)
		return
	}
	d.depth = 0
	e.Records = list(d, "record", uint64(n), recordSize, (*decoder).record)
}

func (d *decoder) record() (r BodyRecord) {
	at, p := d.off, d.path[d.depth-1].index
	r = BodyRecord{d.u32("permutation index"), d.u32("body offset"), d.u32("body size")}
	switch {
	case d.err != nil:
	case int64(r.Index) != int64(p):
		d.fail(ErrRange, at, "permutation index %d at position %d", r.Index, p)
	case uint64(r.Offset)+uint64(r.Size) > uint64(len(d.b)):
		d.fail(ErrRange, at+4, "body of %d bytes at %d passes the end of the file (%d bytes)", r.Size, r.Offset, len(d.b))
	case r.Size < minBody:
		d.fail(ErrRange, at+8, "body size %d, a body has at least %d bytes", r.Size, minBody)
	}
	return r
}

// ranges returns the distinct body ranges by first occurrence, and for each record
// the number of its range. first is where bodies may begin. Every byte from there to
// the end of the file must belong to exactly one range.
func (e *Effect) ranges(first int) (ranges []BodyRecord, of []int32, err error) {
	order := make([]int32, len(e.Records))
	for i := range order {
		order[i] = int32(i)
	}
	rec := e.Records
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rec[a].Offset, rec[b].Offset), cmp.Compare(rec[a].Size, rec[b].Size), cmp.Compare(a, b))
	})
	fail := func(p int32, off int, kind error, format string, args ...any) ([]BodyRecord, []int32, error) {
		return nil, nil, &Error{off, "record[" + strconv.Itoa(int(p)) + "]", sprintf(format, args...), kind}
	}
	offsetAt := func(p int32) int { return first - recordSize*len(rec) + recordSize*int(p) + 4 }
	end, count := first, 0
	of = make([]int32, len(rec)) // first the owner, then the number
	for i, p := range order {
		r := rec[p]
		if i > 0 {
			prev := rec[order[i-1]]
			if r.Offset == prev.Offset && r.Size == prev.Size {
				of[p] = of[order[i-1]]
				continue
			}
			if int(r.Offset) < end {
				return fail(p, offsetAt(p), ErrOverlap, "the body at %d to %d overlaps that of record %d at %d to %d without being the same range",
					r.Offset, int(r.Offset)+int(r.Size), order[i-1], prev.Offset, end)
			}
		} else if int(r.Offset) < first {
			return fail(p, offsetAt(p), ErrOverlap, "the body at %d overlaps the header, which ends at %d", r.Offset, first)
		}
		if int(r.Offset) > end {
			return fail(p, end, ErrTrailing, "%s before the body at %d, in no record", byteCount(int(r.Offset)-end), r.Offset)
		}
		end = int(r.Offset) + int(r.Size)
		of[p] = p
		count++
	}
	if end < e.Size {
		return nil, nil, &Error{end, "file", sprintf("%s after the last body", byteCount(e.Size-end)), ErrTrailing}
	}
	ranges = make([]BodyRecord, 0, count)
	for p := range of {
		if int(of[p]) == p {
			of[p] = int32(len(ranges))
			ranges = append(ranges, rec[p])
		} else {
			of[p] = of[of[p]] // the owner comes first and has its number already
		}
	}
	return ranges, of, nil
}

// unique groups ranges that hold the same bytes and fills the body tables.
func (e *Effect) unique(ranges []BodyRecord, of []int32) {
	sums := make([][32]byte, len(ranges))
	order := make([]int32, len(ranges))
	for i, r := range ranges {
		sums[i] = sha256.Sum256(e.rangeOf(r))
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := bytes.Compare(sums[a][:], sums[b][:]); c != 0 {
			return c
		}
		if c := bytes.Compare(e.rangeOf(ranges[a]), e.rangeOf(ranges[b])); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	number := make([]int32, len(ranges)) // first the owning range, then the body
	count := 0
	for i, r := range order {
		if i > 0 {
			if prev := order[i-1]; sums[prev] == sums[r] && e.equalRange(ranges[prev], ranges[r]) {
				number[r] = number[prev]
				continue
			}
		}
		number[r] = r
		count++
	}
	e.bodies = make([]UniqueBody, 0, count)
	e.lazy = make([]lazyBody, count)
	keys := make([]byte, 0, 10*count)
	for r := range number {
		if int(number[r]) != r {
			number[r] = number[number[r]]
			continue
		}
		number[r] = int32(len(e.bodies))
		keys = strconv.AppendInt(append(keys, "body"...), int64(len(e.bodies)), 10)
		e.bodies = append(e.bodies, UniqueBody{Offset: int(ranges[r].Offset), Size: int(ranges[r].Size), SHA256: sums[r]})
	}
	e.bodyOf = of
	uses := make([]int32, count)
	for p := range of {
		of[p] = number[of[p]]
		uses[of[p]]++
	}
	all, names := make([]int, len(of)), string(keys)
	digits, next := 1, 10
	for i := range e.bodies {
		b := &e.bodies[i]
		b.Permutations, all = all[:0:uses[i]], all[uses[i]:]
		if i == next {
			digits, next = digits+1, next*10
		}
		b.Key, names = names[:len("body")+digits], names[len("body")+digits:]
	}
	for p, i := range of {
		b := &e.bodies[i]
		b.Permutations = append(b.Permutations, p)
	}
}
