package gate

import (
	"strconv"
	"strings"
)

// io is one location of an entry point.
type io struct {
	location int
	scalar   string // f32, i32, u32, f16
	width    int    // components
}

// scanner reads as much of a WGSL module as it takes to find what goes into and out
// of an entry point: a pipeline must be told. What it does not understand, it skips;
// the browser has the last word on the module.
type scanner struct {
	tokens []string
	at     int
}

// members are the fields of a struct, with their attributes.
type member struct {
	attrs map[string]string // name -> first argument
	typ   string
}

// interfaceOf returns the located inputs and outputs of an entry point, and whether
// there is such a function.
func interfaceOf(code, entry string) (in, out []io, ok bool) {
	s := &scanner{tokens: tokenize(code)}
	structs := map[string][]member{}
	aliases := map[string]string{}
	var params []member
	var result member
	for s.at < len(s.tokens) {
		attrs := s.attributes()
		switch t := s.next(); t {
		case "struct":
			name := s.next()
			if s.accept("{") {
				structs[name] = s.list("}")
			}
		case "alias":
			name := s.next()
			if s.accept("=") {
				aliases[name] = s.typeName()
			}
			s.until(";")
		case "fn":
			name := s.next()
			if !s.accept("(") {
				continue
			}
			ps := s.list(")")
			var r member
			if s.accept("->") {
				r.attrs = s.attributes()
				r.typ = s.typeName()
			}
			if name == entry {
				params, result, ok = ps, r, true
			}
			s.body()
		case "{":
			s.at--
			s.body()
		default:
			_ = attrs
		}
	}
	if !ok {
		return nil, nil, false
	}
	resolve := func(ms []member) []io {
		var found []io
		for _, m := range ms {
			for range 8 { // aliases of aliases
				if a, ok := aliases[m.typ]; ok {
					m.typ = a
				}
			}
			if v, ok := location(m, aliases); ok {
				found = append(found, v)
			} else if fields, ok := structs[m.typ]; ok {
				for _, f := range fields {
					for range 8 {
						if a, ok := aliases[f.typ]; ok {
							f.typ = a
						}
					}
					if v, ok := location(f, aliases); ok {
						found = append(found, v)
					}
				}
			}
		}
		return found
	}
	return resolve(params), resolve([]member{result}), true
}

var shorthand = map[byte]string{'f': "f32", 'i': "i32", 'u': "u32", 'h': "f16"}

// location reads a member that has one.
func location(m member, aliases map[string]string) (v io, ok bool) {
	text, ok := m.attrs["location"]
	if !ok {
		return v, false
	}
	n, err := strconv.Atoi(strings.TrimRight(text, "iu"))
	if err != nil || n < 0 || n > 1<<16 {
		return v, false
	}
	v = io{location: n, width: 1, scalar: m.typ}
	if rest, isVec := strings.CutPrefix(m.typ, "vec"); isVec && len(rest) >= 2 && rest[0] >= '2' && rest[0] <= '4' {
		v.width = int(rest[0] - '0')
		if s, ok := shorthand[rest[1]]; ok && len(rest) == 2 {
			v.scalar = s
		} else {
			v.scalar = strings.TrimSuffix(strings.TrimPrefix(rest[1:], "<"), ">")
		}
	}
	if a, ok := aliases[v.scalar]; ok {
		v.scalar = a
	}
	switch v.scalar {
	case "f32", "i32", "u32", "f16":
		return v, true
	}
	return v, false
}

func (s *scanner) peek() string {
	if s.at < len(s.tokens) {
		return s.tokens[s.at]
	}
	return ""
}

func (s *scanner) next() string {
	t := s.peek()
	s.at++
	return t
}

func (s *scanner) accept(t string) bool {
	if s.peek() == t {
		s.at++
		return true
	}
	return false
}

func (s *scanner) until(t string) {
	for s.at < len(s.tokens) && s.next() != t {
	}
}

// attributes reads "@name(arguments)" any number of times.
func (s *scanner) attributes() map[string]string {
	var out map[string]string
	for s.accept("@") {
		name := s.next()
		if out == nil {
			out = map[string]string{}
		}
		out[name] = ""
		if s.peek() == "(" {
			out[name] = s.tokensInside()
		}
	}
	return out
}

// tokensInside skips a parenthesis and returns its first argument.
func (s *scanner) tokensInside() string {
	depth, text, first := 0, "", true
	for s.at < len(s.tokens) {
		switch t := s.next(); t {
		case "(":
			if depth++; depth == 1 {
				continue
			}
			text += t
		case ")":
			if depth--; depth == 0 {
				return text
			}
			text += t
		case ",":
			first = false
		default:
			if first {
				text += t
			}
		}
	}
	return text
}

// list reads "attributes name: type" up to the closing token.
func (s *scanner) list(end string) []member {
	var out []member
	for s.at < len(s.tokens) && !s.accept(end) {
		m := member{attrs: s.attributes()}
		s.next()
		if s.accept(":") {
			m.typ = s.typeName()
			out = append(out, m)
		}
		s.accept(",")
	}
	return out
}

// typeName reads a type with its template arguments, without spaces.
func (s *scanner) typeName() string {
	t := s.next()
	if s.peek() != "<" {
		return t
	}
	depth := 0
	for s.at < len(s.tokens) {
		x := s.next()
		t += x
		switch x {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return t
			}
		}
	}
	return t
}

// body skips a block.
func (s *scanner) body() {
	s.attributes()
	if !s.accept("{") {
		return
	}
	for depth := 1; depth > 0 && s.at < len(s.tokens); {
		switch s.next() {
		case "{":
			depth++
		case "}":
			depth--
		}
	}
}

// tokenize splits a module into words and marks; comments are dropped.
func tokenize(code string) []string {
	var out []string
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(code[i:], "//"):
			n := strings.IndexByte(code[i:], '\n')
			if n < 0 {
				return out
			}
			i += n
		case strings.HasPrefix(code[i:], "/*"):
			depth := 0
			for ; i < len(code); i++ {
				if strings.HasPrefix(code[i:], "/*") {
					depth++
					i++
				} else if strings.HasPrefix(code[i:], "*/") {
					depth--
					i++
				}
				if depth == 0 {
					i++
					break
				}
			}
		case strings.HasPrefix(code[i:], "->"):
			out = append(out, "->")
			i += 2
		case word(c):
			j := i
			for j < len(code) && word(code[j]) {
				j++
			}
			out = append(out, code[i:j])
			i = j
		default:
			out = append(out, code[i:i+1])
			i++
		}
	}
	return out
}
