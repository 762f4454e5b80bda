package syntax

import (
	"fmt"
	"sort"
	"strings"
)

// Span is a range of a source: byte offsets, End exclusive.
type Span struct{ Pos, End int }

// Error is one thing that is wrong with a source.
type Error struct {
	Span
	Line, Col int // from 1; Col counts code points
	Msg       string
	Warning   bool // Tint compiles the module all the same
	Notes     []Note
}

// Note is a place that has to do with an error, and why.
type Note struct {
	Span
	Line, Col int
	Msg       string
}

// Error is "line:col: error: message", as compilers print it, with a line for each note.
func (e *Error) Error() string {
	kind := "error"
	if e.Warning {
		kind = "warning"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: %s: %s", e.Line, e.Col, kind, e.Msg)
	for _, n := range e.Notes {
		fmt.Fprintf(&b, "\n%d:%d: note: %s", n.Line, n.Col, n.Msg)
	}
	return b.String()
}

// Errors are all findings of a source, by position.
type Errors []*Error

// Error lists the findings, one a line.
func (l Errors) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Fatal reports whether one of the findings is more than a warning.
func (l Errors) Fatal() bool {
	for _, e := range l {
		if !e.Warning {
			return true
		}
	}
	return false
}

// lines finds lines by offset.
type lines struct {
	src    string
	starts []int
}

func newLines(src string) *lines {
	l := &lines{src: src, starts: []int{0}}
	for i := 0; i < len(src); i++ {
		if n := lineBreak(src, i); n > 0 {
			l.starts = append(l.starts, i+n)
			i += n - 1
		}
	}
	return l
}

// lineBreak is the number of bytes of the line break at i, or 0. CR LF is one break.
func lineBreak(src string, i int) int {
	switch src[i] {
	case '\n', '\v', '\f':
		return 1
	case '\r':
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xc2: // U+0085
		if strings.HasPrefix(src[i:], "\u0085") {
			return 2
		}
	case 0xe2: // U+2028, U+2029
		if strings.HasPrefix(src[i:], "\u2028") || strings.HasPrefix(src[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

// at returns line and column of an offset, both from 1.
func (l *lines) at(off int) (line, col int) {
	n := sort.SearchInts(l.starts, off+1) - 1
	col = 1
	for range l.src[l.starts[n]:min(off, len(l.src))] {
		col++
	}
	return n + 1, col
}

// kind is the kind of a token.
type kind uint8

const (
	tEOF kind = iota
	tIdent
	tKeyword
	tInt         // 1, 1i, 1u, 0x1
	tFloat       // 1.0, 1f, 1h, 0x1p3
	tOp          // every operator and punctuation, its text tells which
	tTemplate    // the < that begins a template list
	tTemplateEnd // the > that ends it
	tBad         // what is no token
)

type token struct {
	kind kind
	Span
	text string
}

// describe is the token in a message.
func (t token) describe() string {
	switch t.kind {
	case tEOF:
		return "the end of the source"
	case tIdent:
		return fmt.Sprintf("identifier %q", t.text)
	case tKeyword:
		return fmt.Sprintf("keyword %q", t.text)
	case tInt, tFloat:
		return fmt.Sprintf("literal %q", t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

var keywords = words(`alias break case const const_assert continue continuing default diagnostic discard else enable
	false fn for if let loop override requires return struct switch true var while`)

// reserved are the words that no identifier may be, though they mean nothing yet.
var reserved = words(`NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become
	cast catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept
	const_cast consteval constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast
	enum explicit export extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared
	highp impl implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module
	move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr
	of operator package packoffset partial pass patch pixelfragment precise precision premerge priv protected pub public
	readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static
	static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid
	typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield`)

func words(s string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
