package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrManifest marks a graph that cannot be read; errors.Is finds it in what Load gives.
var ErrManifest = errors.New("invalid switch graph")

// Error is one fault of a manifest or of a file that it names.
type Error struct {
	Pos
	// What it is about; empty where it is not about one.
	Shader, Chunk, Switch, Member string
	Text                          string
	Remedy                        string // what to do
}

// Error is "file:line:column: chunk "x": text; remedy".
func (e *Error) Error() string {
	s := e.Pos.String() + ": "
	for _, part := range []struct{ what, name string }{{"shader", e.Shader}, {"chunk", e.Chunk}, {"switch", e.Switch}, {"member", e.Member}} {
		if part.name != "" {
			s += fmt.Sprintf("%s %q: ", part.what, part.name)
		}
	}
	s += e.Text
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns ErrManifest.
func (e *Error) Unwrap() error { return ErrManifest }

// Errors are all faults of a graph, by file and place.
type Errors []*Error

// Error lists them, one a line.
func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns ErrManifest.
func (l Errors) Unwrap() error { return ErrManifest }

func (l Errors) sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}
