package syntax

import "slices"

// Extensions are the names that an enable directive may have, as Tint knows them.
func Extensions() []string { return slices.Clone(extensions) }

// IsTexelFormat reports whether a storage texture may have a format.
func IsTexelFormat(name string) bool { return texelFormats[name] != 0 }

// Offset is the byte at a line and column, both from 1; a column past the end of its line
// is the line's end. It is -1 where there is no such line.
func (f *File) Offset(line, col int) int {
	if line < 1 || line > len(f.lines.starts) {
		return -1
	}
	start, end := f.lines.starts[line-1], len(f.Source)
	if line < len(f.lines.starts) {
		end = f.lines.starts[line]
	}
	n := 1
	for i := range f.Source[start:end] {
		if n >= col {
			return start + i
		}
		n++
	}
	return end
}
