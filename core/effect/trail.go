package effect

import (
	"strconv"
	"strings"
)

// segment is one step of a record path: name[index], name[label] or name alone.
type segment struct {
	name, label string
	index       int // -1: name alone
}

// trail is the record path of the place at hand; it becomes text only in an error.
type trail struct {
	path  [8]segment
	depth int
}

func (t *trail) push(name string, index int) {
	t.path[t.depth] = segment{name: name, index: index}
	t.depth++
}

func (t *trail) pop() { t.depth-- }

func (t *trail) where() string {
	if t.depth == 0 {
		return "file"
	}
	var s strings.Builder
	for i, p := range t.path[:t.depth] {
		if i > 0 {
			s.WriteByte('.')
		}
		s.WriteString(p.name)
		switch {
		case p.label != "":
			s.WriteString("[" + p.label + "]")
		case p.index >= 0:
			s.WriteString("[" + strconv.Itoa(p.index) + "]")
		}
	}
	return s.String()
}
