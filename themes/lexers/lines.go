package lexers

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"fxlens/views"
)

// RoleOf returns the role of a type of token. It turns the table around by which themes
// take the roles from a chroma style, so that a style colours both alike.
func RoleOf(t chroma.TokenType) views.Role {
	switch t {
	case chroma.KeywordType:
		return views.RoleType
	case chroma.KeywordConstant:
		return views.RoleLiteral
	case decl:
		return views.RoleDecl
	case opcode:
		return views.RoleOpcode
	case register:
		return views.RoleRegister
	case value:
		return views.RoleValue
	case resource:
		return views.RoleResource
	case stageIO:
		return views.RoleStageIO
	case chroma.NameDecorator, chroma.CommentPreproc:
		return views.RoleAttribute
	case chroma.NameAttribute, chroma.NameTag:
		return views.RoleMember
	case chroma.NameFunction:
		return views.RoleFunction
	case chroma.NameVariable:
		return views.RoleVariable
	case chroma.NameClass:
		return views.RoleName
	case aside:
		return views.RoleDim
	}
	switch t.Category() {
	case chroma.Keyword:
		return views.RoleKeyword
	case chroma.Literal:
		return views.RoleLiteral
	case chroma.Operator:
		return views.RoleOperator
	case chroma.Punctuation:
		return views.RolePunct
	case chroma.Comment:
		return views.RoleComment
	}
	return views.RoleCode
}

// MaxText is how many bytes of a text are coloured; what lies behind them is shown
// plainly. A lexer holds a text four times over while it reads.
const MaxText = 1 << 20

// Reader makes coloured lines of a text, a piece at a time. A reader is for one
// goroutine at a time.
type Reader struct {
	text  string // all of it
	end   int    // where the coloured part ends
	at    int    // how much is read
	next  chroma.Iterator
	runs  []run // of the line that is not complete
	lines int   // lines that were given out
}

// NewReader returns a reader of text in the language of l; nil shows it plainly. An
// error is a fault of the lexer's rules.
func NewReader(l chroma.Lexer, text string) (*Reader, error) {
	r := &Reader{text: text}
	if l == nil {
		return r, nil
	}
	r.end = len(text)
	if r.end > MaxText {
		r.end = MaxText
		if n := strings.LastIndexByte(text[:r.end], '\n'); n >= 0 {
			r.end = n + 1
		}
		for r.end > 0 && !utf8.RuneStart(text[r.end]) {
			r.end--
		}
	}
	next, err := l.Tokenise(&chroma.TokeniseOptions{State: "root"}, text[:r.end])
	if err != nil {
		return nil, fmt.Errorf("lexer %s: %w", l.Config().Name, err)
	}
	r.next = next
	return r, nil
}

// Next reads about n bytes more and returns the lines that they complete; it is called
// again while more holds. Lines have no line ends, and their number as gutter.
func (r *Reader) Next(n int) (lines []views.Line, more bool) {
	stop := len(r.text)
	if n = max(n, 1); n < stop-r.at {
		stop = r.at + n
	}
	for r.at < min(stop, r.end) {
		t := r.next()
		if t == chroma.EOF {
			break
		}
		// The lexer has its text in runes, where bytes that are no UTF-8 are one each:
		// counted off, its tokens are what stands in ours.
		from := r.at
		for range t.Value {
			_, w := utf8.DecodeRuneInString(r.text[r.at:r.end])
			r.at += w
		}
		lines = r.put(lines, RoleOf(t.Type), from, r.at)
	}
	if r.at < stop {
		if r.at < r.end { // the lexer ended early
			r.end = r.at
		}
		lines = r.put(lines, views.RoleCode, r.at, stop)
		r.at = stop
	}
	if r.at < len(r.text) {
		return lines, true
	}
	if len(r.runs) > 0 {
		lines = r.line(lines)
	}
	return lines, false
}

// Read is how many bytes were read, and of how many.
func (r *Reader) Read() (n, of int) { return r.at, len(r.text) }

// run is a part of the text in one role.
type run struct {
	role     views.Role
	from, to int
}

// put adds a part of the text in one role; it may hold line ends.
func (r *Reader) put(lines []views.Line, role views.Role, from, to int) []views.Line {
	for from < to {
		end := to
		n := strings.IndexByte(r.text[from:to], '\n')
		if n >= 0 {
			end = from + n
		}
		if k := len(r.runs) - 1; k >= 0 && r.runs[k].role == role {
			r.runs[k].to = end // neighbours lie beside each other in the text
		} else if end > from {
			r.runs = append(r.runs, run{role, from, end})
		}
		from = end
		if n >= 0 {
			lines = r.line(lines)
			from++
		}
	}
	return lines
}

// line makes the line that the runs are.
func (r *Reader) line(lines []views.Line) []views.Line {
	r.lines++
	l := views.Line{Ref: views.NoRef, Gutter: fmt.Sprintf("%5d", r.lines), Spans: make([]views.Span, 0, len(r.runs))}
	for i, n := range r.runs {
		text := r.text[n.from:n.to]
		if i == len(r.runs)-1 {
			text = strings.TrimSuffix(text, "\r")
		}
		if text != "" {
			l.Spans = append(l.Spans, views.Span{Role: n.role, Text: text})
		}
	}
	r.runs = r.runs[:0]
	return append(lines, l)
}
