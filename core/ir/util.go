package ir

import (
	"cmp"
	"maps"
	"slices"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// zeroed is s with n elements, all zero, in its own memory where that is enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

func uniqueSorted[T cmp.Ordered](s []T) []T {
	slices.Sort(s)
	return slices.Compact(s)
}
