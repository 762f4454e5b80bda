package syntax

import "slices"

// Extensions are the names that an enable directive may have, as Tint knows them.
func Extensions() []string { return slices.Clone(extensions) }

// IsTexelFormat reports whether a storage texture may have a format.
func IsTexelFormat(name string) bool { return texelFormats()[name] != 0 }

// Offset is the byte of a source at a line and column, both from 1 as Position counts
// them; a column past the end of its line is the line's end. It is -1 where there is no
// such line.
func Offset(src string, line, col int) int {
	starts := newLines(src).starts
	if line < 1 || line > len(starts) {
		return -1
	}
	end := len(src)
	if line < len(starts) {
		end = starts[line]
	}
	n := 1
	for i := range src[starts[line-1]:end] {
		if n >= col {
			return starts[line-1] + i
		}
		n++
	}
	return end
}
