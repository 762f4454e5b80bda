package cewgpu

import (
	"cmp"
	"strings"
)

// rootASCII is the order of printable ASCII characters in the root collation,
// letters without case.
const rootASCII = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"

// compareNames compares two names. In Root order names that are not printable
// ASCII compare by code point, after those that are.
func compareNames(a, b string, o Order) int {
	if o != Root {
		return cmp.Compare(a, b)
	}
	ka, okA := rootKey(a)
	kb, okB := rootKey(b)
	switch {
	case okA && okB:
		if c := cmp.Compare(ka, kb); c != 0 {
			return c
		}
		// Same letters: lower case first, at the first difference.
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				return -cmp.Compare(a[i], b[i])
			}
		}
		return 0
	case okA:
		return -1
	case okB:
		return 1
	}
	return cmp.Compare(a, b)
}

func rootKey(s string) (string, bool) {
	key := make([]byte, len(s))
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		at := strings.IndexByte(rootASCII, c)
		if at < 0 {
			return "", false
		}
		key[i] = byte(at)
	}
	return string(key), true
}
