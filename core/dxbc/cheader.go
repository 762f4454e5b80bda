package dxbc

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Array is an array of bytes found in C source.
type Array struct {
	Name   string // "g_main"
	Offset int    // byte offset of the opening brace in the source
	Data   []byte
}

// ParseArrays reads the byte arrays of C or C++ source, such as the headers that
// fxc /Fh writes: `const BYTE g_main[] = { 68, 88, 66, 67, ... };`. Elements are
// decimal, hex or octal numbers up to 255, or 32-bit words in arrays whose type
// says so (DWORD, uint32_t, unsigned int). Comments are skipped. Source without
// an array is an error that wraps [ErrMissing]; an element that is no number of
// its type is one that wraps [ErrMalformed].
func ParseArrays(src []byte) ([]Array, error) {
	if !utf8.Valid(src) && bytes.IndexByte(src, 0) >= 0 {
		return nil, fail(ErrMissing, 0, "this is not text")
	}
	l := cLexer{src: src}
	var out []Array
	var line []string // the tokens since the last ; or }
	for {
		tok, at := l.next()
		switch tok {
		case "":
			if len(out) == 0 {
				return nil, fail(ErrMissing, 0, "there is no array of bytes, such as `const BYTE g_main[] = { 68, 88, ... };`")
			}
			return out, nil
		case ";", "}":
			line = line[:0]
		case "{":
			name, width := arrayHead(line)
			line = line[:0]
			if width == 0 {
				continue
			}
			data, err := l.elements(width)
			if err != nil {
				return nil, err
			}
			out = append(out, Array{Name: name, Offset: at, Data: data})
		default:
			// A head is a handful of tokens; source that never ends one must not pile up.
			if len(line) == 32 {
				copy(line, line[1:])
				line = line[:31]
			}
			line = append(line, tok)
		}
	}
}

// arrayHead looks for `... NAME [ ... ] =` at the end of the tokens before a brace.
func arrayHead(toks []string) (name string, width int) {
	n := len(toks)
	if n < 4 || toks[n-1] != "=" || toks[n-2] != "]" {
		return "", 0
	}
	i := n - 3
	for i >= 0 && toks[i] != "[" {
		i--
	}
	if i < 2 {
		return "", 0
	}
	name, width = toks[i-1], 0
	unsigned := false
	for _, t := range toks[:i-1] {
		switch t {
		case "BYTE", "char", "uint8_t", "byte", "UINT8", "u8", "UCHAR", "int8_t", "Uint8":
			width = 1
		case "DWORD", "uint32_t", "UINT", "u32", "UINT32", "Uint32", "int", "long":
			width = 4
		case "unsigned":
			unsigned = true
		}
	}
	if width == 0 && unsigned {
		width = 4
	}
	return name, width
}

type cLexer struct {
	src []byte
	pos int
}

// next returns the next token and its offset: a word, or one other character.
// It returns "" at the end.
func (l *cLexer) next() (string, int) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c <= ' ' || c == 0x7f:
			l.pos++
		case c == '/' && l.pos+1 < len(l.src) && l.src[l.pos+1] == '/', c == '#':
			l.skipTo("\n")
		case c == '/' && l.pos+1 < len(l.src) && l.src[l.pos+1] == '*':
			l.pos += 2
			l.skipTo("*/")
		case c == '"' || c == '\'':
			l.skipString(c)
		case word(c):
			start := l.pos
			for l.pos < len(l.src) && word(l.src[l.pos]) {
				l.pos++
			}
			return string(l.src[start:l.pos]), start
		default:
			l.pos++
			return string(rune(c)), l.pos - 1
		}
	}
	return "", l.pos
}

func (l *cLexer) skipTo(end string) {
	i := bytes.Index(l.src[l.pos:], []byte(end))
	if i < 0 {
		l.pos = len(l.src)
		return
	}
	l.pos += i + len(end)
}

func (l *cLexer) skipString(quote byte) {
	for l.pos++; l.pos < len(l.src); l.pos++ {
		switch l.src[l.pos] {
		case '\\':
			l.pos++
		case quote, '\n':
			l.pos++
			return
		}
	}
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// elements reads numbers up to the closing brace.
func (l *cLexer) elements(width int) ([]byte, *Error) {
	var out []byte
	neg := false
	for {
		tok, at := l.next()
		switch tok {
		case "":
			return nil, fail(ErrTruncated, at, "the source ends inside an array")
		case "}":
			return out, nil
		case ",":
			continue
		case "-":
			neg = true
			continue
		case "(": // a cast, as in (char)0x44
			for tok != ")" {
				if tok, at = l.next(); tok == "" {
					return nil, fail(ErrTruncated, at, "the source ends inside an array")
				}
			}
			continue
		}
		digits := bytes.TrimRight([]byte(tok), "uUlL")
		v, err := strconv.ParseUint(string(digits), 0, 32)
		if err != nil || width == 1 && v > 255 {
			return nil, fail(ErrMalformed, at, "%.40q is not a number of %d bits", tok, 8*width)
		}
		if neg {
			v, neg = -v, false
		}
		for i := range width {
			out = append(out, byte(v>>(8*i)))
		}
	}
}

// firstText returns the first bytes of b when they are text.
func firstText(b []byte) ([]byte, bool) {
	head := b[:min(len(b), 64<<10)]
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			return nil, false
		}
	}
	return head, len(head) > 0
}

// isListing looks for a version line such as "ps_5_0".
func isListing(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		_, ok := parseProfile(string(line))
		return ok
	}
	return false
}

// hasByteArray looks for `] = {`, white space aside.
func hasByteArray(text []byte) bool {
	for {
		i := bytes.IndexByte(text, ']')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		rest := bytes.TrimLeft(text, " \t\r\n")
		if len(rest) > 0 && rest[0] == '=' {
			rest = bytes.TrimLeft(rest[1:], " \t\r\n")
			if len(rest) > 0 && rest[0] == '{' {
				return true
			}
		}
	}
}

// parseProfile reads "ps_5_0" as a version token.
func parseProfile(s string) (uint32, bool) {
	if len(s) != 6 || s[2] != '_' || s[4] != '_' {
		return 0, false
	}
	major, minor := s[3]-'0', s[5]-'0'
	if !(major == 4 || major == 5) || minor > 1 {
		return 0, false
	}
	for k, n := range kindNames {
		if n == s[:2] {
			return uint32(k)<<16 | uint32(major)<<4 | uint32(minor), true
		}
	}
	return 0, false
}
