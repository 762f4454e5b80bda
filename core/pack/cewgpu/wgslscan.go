package cewgpu

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reader of the parts of WGSL that a package describes as well: bindings, the
// entry point, and its interface. It is no WGSL parser: what it does not
// understand it skips, so that it never takes a valid module for an invalid one.

type wgslFacts struct {
	bindings []wgslVar
	structs  map[string][]wgslMember
	entries  []wgslEntry
	aliases  map[string]string
	enables  []string
}

type wgslVar struct {
	group, binding int64
	name, typ      string // the type without white space, aliases resolved
	space          string // "uniform", "storage,read_write", or empty
	off            int
}

type wgslMember struct {
	name, typ string
	location  int64 // -1: none
	builtin   string
	interp    string
}

type wgslEntry struct {
	stage, name string
	group       []string // workgroup_size arguments
	in, out     []wgslMember
}

type wgslToken struct {
	text string
	off  int
}

// wgslTokens splits a module, without comments and white space. Multi-character
// operators come apart; nothing here needs them whole.
func wgslTokens(code string) []wgslToken {
	out := make([]wgslToken, 0, len(code)/4)
	for i := 0; i < len(code); {
		switch c := code[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(code[i:], "//"):
			n := strings.IndexByte(code[i:], '\n')
			if n < 0 {
				return out
			}
			i += n
		case strings.HasPrefix(code[i:], "/*"):
			depth := 1
			for i += 2; i < len(code) && depth > 0; i++ {
				if strings.HasPrefix(code[i:], "/*") {
					depth++
					i++
				} else if strings.HasPrefix(code[i:], "*/") {
					depth--
					i++
				}
			}
		default:
			r, n := utf8.DecodeRuneInString(code[i:])
			start := i
			if r == '_' || unicode.IsLetter(r) || r >= '0' && r <= '9' {
				for i < len(code) {
					r, n = utf8.DecodeRuneInString(code[i:])
					if r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == '.' && !isDigit(code[start]) {
						break
					}
					i += n
				}
			} else {
				i += n
			}
			out = append(out, wgslToken{code[start:i], start})
		}
	}
	return out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

type wgslScanner struct {
	tok   []wgslToken
	at    int
	facts wgslFacts
}

func scanWGSL(code string) *wgslFacts {
	s := &wgslScanner{tok: wgslTokens(code), facts: wgslFacts{structs: map[string][]wgslMember{}, aliases: map[string]string{}}}
	for s.at < len(s.tok) {
		s.global()
	}
	for i := range s.facts.bindings {
		s.facts.bindings[i].typ = s.facts.resolve(s.facts.bindings[i].typ)
	}
	return &s.facts
}

// resolve replaces an alias by what it stands for.
func (f *wgslFacts) resolve(typ string) string {
	for range 16 {
		t, ok := f.aliases[typ]
		if !ok {
			return typ
		}
		typ = t
	}
	return typ
}

func (s *wgslScanner) peek() string {
	if s.at < len(s.tok) {
		return s.tok[s.at].text
	}
	return ""
}

func (s *wgslScanner) next() string {
	t := s.peek()
	s.at++
	return t
}

func (s *wgslScanner) accept(t string) bool {
	if s.peek() == t && t != "" {
		s.at++
		return true
	}
	return false
}

type wgslAttr struct {
	name string
	args []string
}

func (s *wgslScanner) attributes() []wgslAttr {
	var out []wgslAttr
	for s.accept("@") {
		a := wgslAttr{name: s.next()}
		if s.accept("(") {
			a.args = s.arguments(")")
		}
		out = append(out, a)
	}
	return out
}

// arguments reads comma separated text up to the closing bracket.
func (s *wgslScanner) arguments(end string) []string {
	var out []string
	var b strings.Builder
	depth := 0
	for s.at < len(s.tok) {
		t := s.next()
		if depth == 0 && t == end {
			break
		}
		switch t {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		if depth == 0 && t == "," {
			out = append(out, b.String())
			b.Reset()
			continue
		}
		b.WriteString(t)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

func attr(as []wgslAttr, name string) ([]string, bool) {
	for _, a := range as {
		if a.name == name {
			return a.args, true
		}
	}
	return nil, false
}

func attrInt(as []wgslAttr, name string) int64 {
	args, ok := attr(as, name)
	if !ok || len(args) != 1 {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimRight(args[0], "iu"), 0, 64)
	if err != nil {
		return -1
	}
	return n
}

// global reads one declaration of the module, or skips a token.
func (s *wgslScanner) global() {
	as := s.attributes()
	switch start := s.at; s.next() {
	case "var":
		s.variable(as, start)
	case "struct":
		name := s.next()
		if s.accept("{") {
			s.facts.structs[name] = s.members("}")
		}
	case "alias":
		name := s.next()
		if s.accept("=") {
			s.facts.aliases[name] = s.typeText(";")
		}
	case "enable":
		s.facts.enables = append(s.facts.enables, s.arguments(";")...)
	case "fn":
		s.function(as)
	case "{":
		s.at = start
		s.block()
	}
}

func (s *wgslScanner) variable(as []wgslAttr, start int) {
	v := wgslVar{group: attrInt(as, "group"), binding: attrInt(as, "binding"), off: s.tok[start].off}
	if s.accept("<") {
		v.space = strings.Join(s.arguments(">"), ",")
	}
	v.name = s.next()
	if s.accept(":") {
		v.typ = s.typeText(";", "=")
	}
	if v.group >= 0 && v.binding >= 0 {
		s.facts.bindings = append(s.facts.bindings, v)
	}
}

// typeText reads a type up to one of the ends, outside of angle brackets.
func (s *wgslScanner) typeText(ends ...string) string {
	var b strings.Builder
	depth := 0
	for s.at < len(s.tok) {
		t := s.peek()
		if depth == 0 {
			for _, e := range ends {
				if t == e {
					return b.String()
				}
			}
		}
		switch t {
		case "<", "(":
			depth++
		case ">", ")":
			depth--
		case "{", "}":
			return b.String()
		}
		b.WriteString(t)
		s.at++
	}
	return b.String()
}

func (s *wgslScanner) members(end string) []wgslMember {
	var out []wgslMember
	for s.at < len(s.tok) && !s.accept(end) {
		as := s.attributes()
		m := memberOf(as)
		m.name = s.next()
		if s.accept(":") {
			m.typ = s.typeText(",", end)
		}
		s.accept(",")
		out = append(out, m)
	}
	return out
}

func memberOf(as []wgslAttr) wgslMember {
	m := wgslMember{location: attrInt(as, "location")}
	if b, ok := attr(as, "builtin"); ok {
		m.builtin = strings.Join(b, ",")
	}
	if i, ok := attr(as, "interpolate"); ok {
		m.interp = strings.Join(i, ",")
	}
	return m
}

func (s *wgslScanner) function(as []wgslAttr) {
	e := wgslEntry{name: s.next()}
	for _, stage := range []string{"vertex", "fragment", "compute"} {
		if _, ok := attr(as, stage); ok {
			e.stage = stage
		}
	}
	e.group, _ = attr(as, "workgroup_size")
	if s.accept("(") {
		e.in = s.members(")")
	}
	if s.accept("-") && s.accept(">") {
		m := memberOf(s.attributes())
		m.typ = s.typeText("{")
		e.out = []wgslMember{m}
	}
	if s.peek() == "{" {
		s.block()
	}
	if e.stage != "" {
		s.facts.entries = append(s.facts.entries, e)
	}
}

// block skips a brace block.
func (s *wgslScanner) block() {
	depth := 0
	for s.at < len(s.tok) {
		switch s.next() {
		case "{":
			depth++
		case "}":
			depth--
			if depth <= 0 {
				return
			}
		}
	}
}

// flatten replaces struct parameters by their members.
func (f *wgslFacts) flatten(ms []wgslMember) []wgslMember {
	var out []wgslMember
	for _, m := range ms {
		if inner, ok := f.structs[f.resolve(m.typ)]; ok && m.location < 0 && m.builtin == "" {
			out = append(out, inner...)
			continue
		}
		out = append(out, m)
	}
	for i := range out {
		out[i].typ = plainType(f.resolve(out[i].typ))
	}
	return out
}

var shortTypes = strings.NewReplacer("vec2f", "vec2<f32>", "vec3f", "vec3<f32>", "vec4f", "vec4<f32>",
	"vec2i", "vec2<i32>", "vec3i", "vec3<i32>", "vec4i", "vec4<i32>", "vec2u", "vec2<u32>", "vec3u", "vec3<u32>", "vec4u", "vec4<u32>")

// plainType writes the predeclared short names out.
func plainType(t string) string { return shortTypes.Replace(strings.TrimSuffix(t, ",")) }
