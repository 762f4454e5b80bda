package cewgpu

import (
	"fmt"
	"strings"
)

// Difference is one place where two packages mean different things.
type Difference struct {
	Chunk string `json:"chunk"`
	Path  string `json:"path,omitempty"` // in the document; raw keys of the file
	A     string `json:"a"`              // JSON text, cut short; empty: only B has it
	B     string `json:"b"`
}

// Diff compares two packages by meaning: the order of chunks and keys, white space
// and the spelling of numbers and strings don't count, and digests of chunks are
// left out, since they follow from their chunks. It returns at most limit differences
// (0: no limit).
func Diff(a, b *Package, limit int) []Difference {
	d := &differ{limit: limit}
	for _, c := range a.Chunks {
		other, ok := b.Chunk(c.Tag)
		if !ok {
			d.add(c.Tag, "", bytesWord(c), "")
			continue
		}
		d.chunk(c, other)
	}
	for _, c := range b.Chunks {
		if _, ok := a.Chunk(c.Tag); !ok {
			d.add(c.Tag, "", "", bytesWord(c))
		}
	}
	return d.out
}

func bytesWord(c Chunk) string {
	return fmt.Sprintf("%d bytes, SHA-256 %s", len(c.Data), digestHex(c.Data))
}

type differ struct {
	limit int
	out   []Difference
	tag   string
	a, b  *jsonDoc
}

func (d *differ) full() bool { return d.limit > 0 && len(d.out) >= d.limit }

func (d *differ) add(tag, path, a, b string) {
	if !d.full() {
		d.out = append(d.out, Difference{tag, path, clip(a), clip(b)})
	}
}

func (d *differ) chunk(x, y Chunk) {
	if string(x.Data) == string(y.Data) {
		return
	}
	a, errA := parseJSON(x.Data)
	b, errB := parseJSON(y.Data)
	if errA != nil || errB != nil {
		d.add(x.Tag, "", bytesWord(x), bytesWord(y))
		return
	}
	d.tag, d.a, d.b = x.Tag, a, b
	d.node(0, 0, "")
}

// derived reports whether a value of INFO or RFLX follows from other chunks.
func (d *differ) derived(path string) bool {
	switch d.tag {
	case "INFO":
		return strings.HasSuffix(path, ".sha256") && !strings.HasPrefix(path, "sourceIdentity")
	case "RFLX":
		return path == "blobStore.sha256"
	}
	return false
}

func (d *differ) node(i, j int, path string) {
	if d.full() {
		return
	}
	x, y := cur{d: d.a, n: i}, cur{d: d.b, n: j}
	if x.kind() != y.kind() {
		d.add(d.tag, path, d.a.raw(i), d.b.raw(j))
		return
	}
	switch x.kind() {
	case jsonArray:
		p, q, k := i+1, j+1, 0
		endP, endQ := d.a.next(i), d.b.next(j)
		for ; p < endP && q < endQ; k++ {
			d.node(p, q, fmt.Sprintf("%s[%d]", path, k))
			p, q = d.a.next(p), d.b.next(q)
		}
		for ; p < endP && !d.full(); k++ {
			d.add(d.tag, fmt.Sprintf("%s[%d]", path, k), d.a.raw(p), "")
			p = d.a.next(p)
		}
		for ; q < endQ && !d.full(); k++ {
			d.add(d.tag, fmt.Sprintf("%s[%d]", path, k), "", d.b.raw(q))
			q = d.b.next(q)
		}
	case jsonObject:
		for k := i + 1; k < d.a.next(i); k = d.a.next(k + 1) {
			key := d.a.str(k)
			sub := strings.TrimPrefix(path+"."+clip(key), ".")
			if d.derived(sub) {
				continue
			}
			if o := d.b.get(j, key); o >= 0 {
				d.node(k+1, o, sub)
			} else {
				d.add(d.tag, sub, d.a.raw(k+1), "")
			}
		}
		for k := j + 1; k < d.b.next(j); k = d.b.next(k + 1) {
			key := d.b.str(k)
			if sub := strings.TrimPrefix(path+"."+clip(key), "."); d.a.get(i, key) < 0 && !d.derived(sub) {
				d.add(d.tag, sub, "", d.b.raw(k+1))
			}
		}
	default:
		if !x.same(y) {
			d.add(d.tag, path, d.a.raw(i), d.b.raw(j))
		}
	}
}
