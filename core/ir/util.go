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

func uniqueSorted[T cmp.Ordered](s []T) []T {
	slices.Sort(s)
	return slices.Compact(s)
}
