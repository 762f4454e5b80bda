package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts a source into tokens.
type lexer struct {
	src       string
	pos       int
	templates []bracket // those that are still to come
	report    func(s Span, format string, args ...any)
}

// skipBlank skips white space and comments.
func (l *lexer) skipBlank() {
	for l.pos < len(l.src) {
		n, ok := blankAt(l.src, l.pos)
		if !ok {
			l.report(Span{l.pos, len(l.src)}, "unterminated block comment")
		}
		if n == 0 {
			return
		}
		l.pos += n
	}
}

// blankAt is the number of bytes of white space, or of the comment, at i; ok is false
// where a block comment has no end.
func blankAt(src string, i int) (n int, ok bool) {
	if n := lineBreak(src, i); n > 0 {
		return n, true
	}
	switch src[i] {
	case ' ', '\t':
		return 1, true
	case 0xe2: // U+200E, U+200F
		if strings.HasPrefix(src[i:], "\u200e") || strings.HasPrefix(src[i:], "\u200f") {
			return 3, true
		}
	case '/':
		switch {
		case strings.HasPrefix(src[i:], "//"):
			j := i + 2
			for j < len(src) && lineBreak(src, j) == 0 {
				j++
			}
			return j - i, true
		case strings.HasPrefix(src[i:], "/*"):
			depth, j := 1, i+2
			for j < len(src) {
				switch {
				case strings.HasPrefix(src[j:], "/*"):
					depth++
					j += 2
				case strings.HasPrefix(src[j:], "*/"):
					depth--
					if j += 2; depth == 0 {
						return j - i, true
					}
				default:
					j++
				}
			}
			return len(src) - i, false
		}
	}
	return 0, true
}

// identEnd is the offset behind the identifier at i, or i where there is none.
func identEnd(src string, i int) int {
	j := i
	for j < len(src) {
		c := src[j]
		switch {
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || j > i && c >= '0' && c <= '9':
			j++
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(src[j:])
			if !identRune(r, j == i) {
				return j
			}
			j += n
		default:
			return j
		}
	}
	return j
}

// identRune follows the derived properties XID_Start and XID_Continue of Unicode.
func identRune(r rune, first bool) bool {
	if r == utf8.RuneError {
		return false
	}
	if unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) {
		return !unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
	}
	return !first && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

var operators = []string{
	"<<=", ">>=", // longest first
	"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"&", "|", "^", "~", "!", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "@", "_",
}

// next returns the next token.
func (l *lexer) next() token {
	l.skipBlank()
	from := l.pos
	mk := func(k kind, end int) token {
		l.pos = end
		return token{k, Span{from, end}, l.src[from:end]}
	}
	if from >= len(l.src) {
		// A last line break ends the last line and begins none.
		end := len(l.src)
		if strings.HasSuffix(l.src, "\r\n") {
			end -= 2
		} else if strings.HasSuffix(l.src, "\n") {
			end--
		}
		return token{tEOF, Span{end, end}, ""}
	}
	for len(l.templates) > 0 && l.templates[0].pos < from {
		l.templates = l.templates[1:]
	}
	if len(l.templates) > 0 && l.templates[0].pos == from {
		if l.templates[0].open {
			return mk(tTemplate, from+1)
		}
		return mk(tTemplateEnd, from+1)
	}
	if end := identEnd(l.src, from); end > from {
		word := l.src[from:end]
		switch {
		case word == "_":
			return mk(tOp, end)
		case keywords[word]:
			return mk(tKeyword, end)
		}
		if reserved[word] {
			l.report(Span{from, end}, "%q is a reserved keyword", word)
		} else if strings.HasPrefix(word, "__") {
			l.report(Span{from, end}, "identifiers must not start with two or more underscores: %q", word)
		}
		return mk(tIdent, end)
	}
	if c := l.src[from]; c >= '0' && c <= '9' || c == '.' && from+1 < len(l.src) && l.src[from+1] >= '0' && l.src[from+1] <= '9' {
		k, end := number(l.src, from)
		t := mk(k, end)
		switch after := identEnd(l.src, end); {
		case len(t.text) == 2 && t.text[1]|0x20 == 'x':
			l.report(t.Span, "hexadecimal literal %q has no digits", t.text)
		case k == tInt && t.text[0] == '0' && len(t.text) > 1 && t.text[1] >= '0' && t.text[1] <= '9':
			l.report(t.Span, "integer literal %q cannot have leading zeros", t.text)
		case after > end && l.src[end]|0x20 == 'e' && after == end+1:
			l.report(Span{from, after}, "the exponent of %q has no digits", l.src[from:after])
			l.pos = after
		case after > end: // the place is that of the suffix, which alone is wrong
			l.report(Span{end, after}, "invalid suffix %q of number %q", l.src[end:after], t.text)
			l.pos = after
		}
		return t
	}
	for _, op := range operators {
		if strings.HasPrefix(l.src[from:], op) {
			return mk(tOp, from+len(op))
		}
	}
	r, n := utf8.DecodeRuneInString(l.src[from:])
	what := fmt.Sprintf("invalid character %q", r)
	if r == 0 {
		what = "null character found"
	} else if r == utf8.RuneError && n == 1 {
		what = "invalid UTF-8"
	}
	l.report(Span{from, from + n}, "%s", what)
	return mk(tBad, from+n)
}

// number finds the end of the numeric literal at i, and its kind by form and suffix.
func number(src string, i int) (kind, int) {
	digits := func(j int, hex bool) int {
		for j < len(src) && (src[j] >= '0' && src[j] <= '9' || hex && (src[j]|0x20 >= 'a' && src[j]|0x20 <= 'f')) {
			j++
		}
		return j
	}
	hex := strings.HasPrefix(src[i:], "0x") || strings.HasPrefix(src[i:], "0X")
	k, j := tInt, i
	if hex {
		j += 2
	}
	j = digits(j, hex)
	if j < len(src) && src[j] == '.' {
		k = tFloat
		j = digits(j+1, hex)
	}
	exp := byte('e')
	if hex {
		exp = 'p'
	}
	if j < len(src) && src[j]|0x20 == exp {
		e := j + 1
		if e < len(src) && (src[e] == '+' || src[e] == '-') {
			e++
		}
		if n := digits(e, false); n > e {
			k, j = tFloat, n
		}
	}
	if j < len(src) {
		switch c := src[j]; {
		case (c == 'i' || c == 'u') && k == tInt:
			return tInt, j + 1
		case (c == 'f' || c == 'h') && (!hex || k == tFloat):
			return tFloat, j + 1
		}
	}
	return k, j
}

// bracket is the < or > of a template list.
type bracket struct {
	pos  int
	open bool
}

// templateLists finds the < and > that enclose template lists, by the discovery
// algorithm of the recommendation (section 3.9): it depends on brackets and operators
// alone, so that a < b is never taken for a list by what b is.
func templateLists(src string) []bracket {
	type candidate struct{ pos, depth int }
	var pending []candidate
	var found []bracket
	depth := 0
	drop := func() {
		for len(pending) > 0 && pending[len(pending)-1].depth >= depth {
			pending = pending[:len(pending)-1]
		}
	}
	skip := func(i int) int {
		for i < len(src) {
			n, _ := blankAt(src, i)
			if n == 0 {
				break
			}
			i += n
		}
		return i
	}
	for i := 0; i < len(src); {
		if n, _ := blankAt(src, i); n > 0 {
			i += n
			continue
		}
		if end := identEnd(src, i); end > i {
			word := src[i:end]
			i = skip(end)
			if word != "_" && (!keywords[word] || word == "var") && i < len(src) && src[i] == '<' {
				if strings.HasPrefix(src[i:], "<<") || strings.HasPrefix(src[i:], "<=") {
					i += 2
					continue
				}
				pending = append(pending, candidate{i, depth})
				i++
			}
			continue
		}
		if c := src[i]; c >= '0' && c <= '9' || c == '.' && i+1 < len(src) && src[i+1] >= '0' && src[i+1] <= '9' {
			_, i = number(src, i)
			continue
		}
		switch src[i] {
		case '>':
			if n := len(pending); n > 0 && pending[n-1].depth == depth {
				found = append(found, bracket{pending[n-1].pos, true}, bracket{i, false})
				pending = pending[:n-1]
				i++
				continue
			}
			if strings.HasPrefix(src[i:], ">=") {
				i++
			}
		case '(', '[':
			depth++
		case ')', ']':
			drop()
			depth = max(depth-1, 0)
		case '!':
			if strings.HasPrefix(src[i:], "!=") {
				i++
			}
		case '=':
			if strings.HasPrefix(src[i:], "==") {
				i++
			} else { // an assignment ends every expression
				depth, pending = 0, nil
			}
		case ';', '{', ':':
			depth, pending = 0, nil
		case '&', '|':
			if i+1 < len(src) && src[i+1] == src[i] { // a && b < c: lower precedence than any list's content
				drop()
				i++
			}
		}
		i++
	}
	slices.SortFunc(found, func(a, b bracket) int { return a.pos - b.pos })
	return found
}
