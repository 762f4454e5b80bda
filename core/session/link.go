package session

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fxlens/core/effect"
)

// Link selects inside a file. Its text is the same in arguments, diagnostics,
// JSON and the clipboard:
//
//	FILE?AXIS=OPTION&AXIS=OPTION#TECHNIQUE/PASS/STAGE@INSTRUCTION
//
// Every part but the file may be left out: axes have their default then, and
// techniques, passes and stages mean all of them. A bare program has no
// technique: "shader.dxbc#@42". Of several techniques with one name "Main~2" is
// the second. A percent sign and two hex digits stand for a byte, so that names
// with "?", "#", "/" and the like can be written.
type Link struct {
	File      string          // raw, as the operating system takes it
	Options   []effect.Option // as written
	Technique string          // raw; empty with Pass < 0: every technique
	Nth       int             // which one of several techniques with the name, from 0
	Pass      int             // -1: every pass
	Stage     string          // "vs", "ps", "cs", "gs", "hs" or "ds"; empty: every stage
	Instr     int             // instruction index, -1: none
}

// FileLink is the link to a whole file.
func FileLink(file string) Link { return Link{File: file, Pass: -1, Instr: -1} }

// HasTechnique reports whether the link names a technique.
func (l Link) HasTechnique() bool { return l.Technique != "" || l.Pass >= 0 }

// IsFile reports whether the link selects nothing inside its file.
func (l Link) IsFile() bool {
	return len(l.Options) == 0 && !l.HasTechnique() && l.Stage == "" && l.Instr < 0
}

// ErrLink marks a link that cannot be read, or that names what its file does not have.
var ErrLink = errors.New("invalid link")

// LinkError says what is wrong with a link.
type LinkError struct {
	Link   string // the link or its part, as given
	Reason string
	Hint   string // what was probably meant, or what there is; may be empty
}

func (e *LinkError) Error() string {
	s := fmt.Sprintf("link %q: %s", e.Link, e.Reason)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return printable(s)
}

// printable shows what is no printable character as a Go escape: the hints name
// axes and passes of a file, and this text goes into logs and other programs too.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsPrint(r) && (r != utf8.RuneError || n > 1) {
			b.WriteRune(r)
		} else {
			q := strconv.Quote(s[i : i+n])
			b.WriteString(q[1 : len(q)-1])
		}
		i += n
	}
	return b.String()
}

// Unwrap returns ErrLink, for errors.Is.
func (e *LinkError) Unwrap() error { return ErrLink }

const linkForm = "a link is FILE?AXIS=OPTION&AXIS=OPTION#TECHNIQUE/PASS/STAGE@INSTRUCTION"

// ParseLink reads a link. A percent sign in FILE that no two hex digits follow
// stands for itself; elsewhere it is an error. It fails with a *LinkError.
func ParseLink(text string) (Link, error) {
	l := FileLink("")
	fail := func(hint, format string, args ...any) (Link, error) {
		return Link{}, &LinkError{text, fmt.Sprintf(format, args...), hint}
	}
	rest, fragment, hasFragment := strings.Cut(text, "#")
	file, query, hasQuery := strings.Cut(rest, "?")
	l.File, _ = unescape(file, true)
	if strings.IndexByte(l.File, 0) >= 0 {
		return fail("remove %00", "the file name has a zero byte")
	}
	if hasQuery && query != "" {
		for part := range strings.SplitSeq(query, "&") {
			axis, option, ok := strings.Cut(part, "=")
			if !ok {
				return fail(linkForm, "%q is not of the form AXIS=OPTION", part)
			}
			var err1, err2 error
			o := effect.Option{}
			o.Axis, err1 = unescape(axis, false)
			o.Value, err2 = unescape(option, false)
			if err := errors.Join(err1, err2); err != nil {
				return fail("write a percent sign as %25", "%q has a percent sign without two hex digits", part)
			}
			l.Options = append(l.Options, o)
		}
	}
	if !hasFragment || fragment == "" {
		return l, nil
	}
	place, instr, hasInstr := strings.Cut(fragment, "@")
	if hasInstr {
		n, err := strconv.ParseUint(instr, 10, 31)
		if err != nil {
			return fail("instructions count from 0, as in #Main/0/ps@42; write an @ in a name as %40", "%q is no instruction index", instr)
		}
		l.Instr = int(n)
	}
	if place == "" {
		return l, nil
	}
	parts := strings.Split(place, "/")
	if len(parts) > 3 {
		return fail("write a slash in a name as %2F", "%q has more than technique, pass and stage", place)
	}
	if len(parts) == 1 {
		if st, ok := effect.StageTypeOf(parts[0]); ok {
			l.Stage = st.Short()
			return l, nil
		}
	}
	name, nth, numbered := strings.Cut(parts[0], "~")
	if numbered {
		n, err := strconv.ParseUint(nth, 10, 16)
		if err != nil || n == 0 {
			return fail("Main~2 is the second technique called Main; write a tilde in a name as %7E", "%q is no number of a technique", nth)
		}
		l.Nth = int(n) - 1
	}
	var err error
	if l.Technique, err = unescape(name, false); err != nil {
		return fail("write a percent sign as %25", "%q has a percent sign without two hex digits", name)
	}
	whole := len(parts) == 2 && parts[1] == "" // "ps/": a technique with the name of a stage
	if l.Technique == "" && (whole || len(parts) == 1) {
		return fail(linkForm, "%q names no technique", place)
	}
	if len(parts) > 1 && !whole {
		n, err := strconv.ParseUint(parts[1], 10, 16)
		if err != nil {
			return fail("passes count from 0, as in #Main/0/ps", "%q is no pass number", parts[1])
		}
		l.Pass = int(n)
	}
	if len(parts) > 2 {
		st, ok := effect.StageTypeOf(parts[2])
		if !ok {
			return fail("the stages are vs, ps, cs, gs, hs and ds", "%q is no stage", parts[2])
		}
		l.Stage = st.Short()
	}
	return l, nil
}

// String writes the link, so that ParseLink reads it back.
func (l Link) String() string {
	return escapeFile(l.File) + l.Inside()
}

// Inside writes the part of the link behind the file: "?SKINNED=ON#Main/0/ps@42".
func (l Link) Inside() string {
	var b strings.Builder
	for i, o := range l.Options {
		b.WriteByte("?&"[min(i, 1)])
		b.WriteString(Escape(o.Axis) + "=" + Escape(o.Value))
	}
	if place := l.place(); place != "" {
		b.WriteString("#" + place)
	}
	return b.String()
}

func (l Link) place() string {
	s := ""
	if l.HasTechnique() {
		s = techniqueText(l.Technique, l.Nth)
		switch {
		case l.Pass >= 0 && l.Stage != "":
			s += "/" + strconv.Itoa(l.Pass) + "/" + l.Stage
		case l.Pass >= 0:
			s += "/" + strconv.Itoa(l.Pass)
		default:
			if _, ok := effect.StageTypeOf(s); ok {
				s += "/"
			}
		}
	} else {
		s = l.Stage
	}
	if l.Instr >= 0 {
		s += "@" + strconv.Itoa(l.Instr)
	}
	return s
}

func techniqueText(name string, nth int) string {
	if nth > 0 {
		return Escape(name) + "~" + strconv.Itoa(nth+1)
	}
	return Escape(name)
}

const hexDigits = "0123456789ABCDEF"

// Escape writes a name for a link: letters, digits, "_", "-" and "." stay, every
// other byte becomes a percent sign and two hex digits.
func Escape(name string) string {
	plain := func(c byte) bool {
		return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	var b []byte
	for i := range len(name) {
		c := name[i]
		if plain(c) {
			if b != nil {
				b = append(b, c)
			}
			continue
		}
		if b == nil {
			b = append(make([]byte, 0, len(name)+8), name[:i]...)
		}
		b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	if b == nil {
		return name
	}
	return string(b)
}

// escapeFile keeps a file name readable: only what would be misread, and what
// must not reach a terminal, is escaped.
func escapeFile(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		c := name[i]
		switch {
		case c == '?', c == '#', c == '%' && isHex(name, i+1), r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			for _, c := range []byte(name[i : i+n]) {
				b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
			}
		default:
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isHex(s string, i int) bool {
	hex := func(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
	return i+1 < len(s) && hex(s[i]) && hex(s[i+1])
}

// unescape reads percent escapes. A lone percent sign is kept or is an error.
func unescape(s string, keep bool) (string, error) {
	if strings.IndexByte(s, '%') < 0 {
		return s, nil
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '%':
			b = append(b, s[i])
		case isHex(s, i+1):
			v, _ := strconv.ParseUint(s[i+1:i+3], 16, 8) // isHex looked
			b = append(b, byte(v))
			i += 2
		case keep:
			b = append(b, '%')
		default:
			return "", ErrLink
		}
	}
	return string(b), nil
}
