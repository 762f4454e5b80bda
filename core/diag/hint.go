package diag

import (
	"fmt"
	"strings"
)

// Hint says which of the names was probably meant by got, or lists them.
func Hint(got string, names []string) string {
	if len(names) == 0 {
		return "there are none"
	}
	best, dist := "", 1<<30
	low := strings.ToLower(got)
	for _, n := range names {
		if d := distance(low, strings.ToLower(n)); d < dist {
			best, dist = n, d
		}
	}
	if dist <= max(1, min(len(got), 9)/3) {
		return fmt.Sprintf("did you mean %q?", best)
	}
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("there are %s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return "there are: " + strings.Join(names, ", ")
}

// distance is the number of bytes to insert, delete, change or swap with their
// neighbour to make b of a. Long names, which only hostile files have, are far
// from everything.
func distance(a, b string) int {
	const most = 64
	if len(a) > most || len(b) > most {
		return 1 << 20
	}
	var two, one, row [most + 1]int
	for j := range len(b) + 1 {
		one[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(one[j]+cost, one[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, two[j-1]+1)
			}
			row[j+1] = d
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
