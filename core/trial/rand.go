package trial

import "math"

// Set is a family of inputs.
type Set uint8

// The sets.
const (
	// Small has moderate positive floats and small integers: results are far from
	// every edge, so nearly all outputs are compared.
	Small Set = iota
	// Boundary has zeros, ones, negative and large values, and extreme integers.
	Boundary
	// Outside has small resources and large indices, so that accesses leave them.
	Outside
	// Given says that the inputs come from a job.
	Given
)

// Sets lists the sets that can be generated.
var Sets = []Set{Small, Boundary, Outside}

func (s Set) String() string { return [...]string{"small", "boundary", "outside", "given"}[s] }

// source is a seeded generator (splitmix64).
type source struct{ s uint64 }

func (r *source) next() uint64 {
	r.s += 0x9E3779B97F4A7C15
	z := r.s
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *source) intn(n int) int { return int(r.next() % uint64(n)) }

// fork is a generator of its own for a named thing, so that adding one input does
// not change the others.
func (r *source) fork(name string) *source {
	h := r.s ^ 0xCBF29CE484222325
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001B3
	}
	return &source{h}
}

func (r *source) unit() float32 { return float32(r.next()>>40) / (1 << 24) }

var floatEdges = []float32{0, 1, -1, 0.5, -0.5, 2, -2, 0.25, 1.5, -1.5, 2.5, 3, 100, -100, 1000.5, 0.001, -0.001, 65504, 16777216, 1e6, 0.99999994, 7}
var intEdges = []uint32{0, 1, 2, 3, 0xFFFFFFFF, 0xFFFFFFFE, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 255, 256, 65535, 4, 7, 100}

func (r *source) float(s Set) uint32 {
	if s == Boundary && r.intn(3) != 0 {
		return math.Float32bits(floatEdges[r.intn(len(floatEdges))])
	}
	lo, hi := float32(0.125), float32(2)
	if s != Small {
		lo, hi = -2, 2
	}
	return math.Float32bits(lo + (hi-lo)*r.unit())
}

// integer is an integer; calm keeps it small where large ones would make loops
// too long.
func (r *source) integer(s Set, calm bool) uint32 {
	switch {
	case calm || s == Small:
		return uint32(r.intn(8))
	case s == Outside:
		return uint32(r.intn(40))
	case r.intn(3) != 0:
		return intEdges[r.intn(len(intEdges))]
	}
	return uint32(r.next() >> (32 + r.intn(32)))
}

func (r *source) word(u use, s Set, calm bool) uint32 {
	if u == useInt {
		return r.integer(s, calm)
	}
	return r.float(s)
}
