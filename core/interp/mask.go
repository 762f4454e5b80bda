package interp

import "math/bits"

// mask is a set of invocations.
type mask []uint64

func newMask(n int) mask { return make(mask, (n+63)/64) }

func (m mask) set(i int)      { m[i/64] |= 1 << (i % 64) }
func (m mask) has(i int) bool { return m[i/64]>>(i%64)&1 != 0 }

func (m mask) empty() bool {
	for _, w := range m {
		if w != 0 {
			return false
		}
	}
	return true
}

func (m mask) add(o mask) {
	for i := range m {
		m[i] |= o[i]
	}
}

func (m mask) remove(o mask) {
	for i := range m {
		m[i] &^= o[i]
	}
}

// list appends the members in order.
func (m mask) list(to []int32) []int32 {
	for i, w := range m {
		for ; w != 0; w &= w - 1 {
			to = append(to, int32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return to
}
