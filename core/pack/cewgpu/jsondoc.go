package cewgpu

import (
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// The JSON reader of the validator. It keeps a document as a flat tape of nodes
// over the text, 8 bytes a node, so that memory is bounded by the input; strings and
// numbers are decoded when asked for, and the end of an array or object and the path
// of a node are found from the text when a finding needs them.

type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

var jsonKindNames = [...]string{"null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"}

// jsonNode is a node on the tape: its first byte with its kind, and, for arrays and
// objects, the first node behind them, for others the byte behind them.
type jsonNode struct {
	head uint32 // kind, whether a string has a backslash, offset
	tail uint32 // 0 while the node is open
}

const (
	jsonKindBits  = 7
	jsonEscaped   = 8
	jsonOffShift  = 4
	maxJSONLength = 1<<(32-jsonOffShift) - 1
)

func (d *jsonDoc) kind(n int) jsonKind { return jsonKind(d.nodes[n].head & jsonKindBits) }

func (d *jsonDoc) off(n int) int { return int(d.nodes[n].head >> jsonOffShift) }

func (d *jsonDoc) escaped(n int) bool { return d.nodes[n].head&jsonEscaped != 0 }

// next is the first node behind a subtree.
func (d *jsonDoc) next(n int) int {
	if d.kind(n) >= jsonArray {
		return int(d.nodes[n].tail)
	}
	return n + 1
}

// end is the byte behind a node.
func (d *jsonDoc) end(n int) int {
	if d.kind(n) < jsonArray {
		return int(d.nodes[n].tail)
	}
	depth := 0
	for i := d.off(n); i < len(d.text); i++ {
		switch d.text[i] {
		case '"':
			for i++; i < len(d.text) && d.text[i] != '"'; i++ {
				if d.text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(d.text) // only of a document that is still being parsed
}

// jsonDoc is one parsed document.
type jsonDoc struct {
	chunk string
	base  int // file offset of the text
	text  string
	nodes []jsonNode
}

// maxJSONDepth bounds nesting. The deepest document of the format has 14 levels.
const maxJSONDepth = 256

// jsonError says what is wrong with a text at a byte offset of it.
type jsonError struct {
	rule   ruleID
	off    int
	reason string
}

func (e *jsonError) Error() string { return fmt.Sprintf("byte %d: %s", e.off, e.reason) }

type jsonParser struct {
	jsonDoc
	at    int
	depth int
	seed  maphash.Seed
	err   *jsonError
}

// parseJSON reads one document. A byte order mark before it is tolerated, as are
// pretty printing and white space after it; anything else that JSON.parse refuses
// is refused, and so are invalid UTF-8 and a key that occurs twice in an object.
func parseJSON(b []byte) (*jsonDoc, *jsonError) {
	if len(b) > maxJSONLength {
		return nil, &jsonError{ruleJSON, 0, fmt.Sprintf("the document has %d bytes; %d are the most that is read", len(b), maxJSONLength)}
	}
	if !utf8.Valid(b) {
		off := 0
		for off < len(b) {
			r, n := utf8.DecodeRune(b[off:])
			if r == utf8.RuneError && n <= 1 {
				break
			}
			off += n
		}
		return nil, &jsonError{ruleUTF8, off, fmt.Sprintf("byte %#02x is not valid UTF-8 there", b[off])}
	}
	// The text shares the bytes, which nobody may change, as the package says.
	p := &jsonParser{jsonDoc: jsonDoc{text: unsafe.String(unsafe.SliceData(b), len(b))}, seed: maphash.MakeSeed()}
	if strings.HasPrefix(p.text, "\uFEFF") {
		p.at = 3
	}
	p.nodes = make([]jsonNode, 0, countNodes(b))
	p.value()
	p.space()
	if p.err == nil && p.at < len(p.text) {
		p.fail("text after the end of the document")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &p.jsonDoc, nil
}

// countNodes returns how many nodes a document has at most: every one but the first
// has a comma, a colon or an opening bracket before it, outside of strings.
func countNodes(b []byte) int {
	nodes := 1
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ',', ':', '[', '{':
			nodes++
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		}
	}
	return nodes
}

func (p *jsonParser) fail(format string, args ...any) {
	p.failRule(ruleJSON, p.at, format, args...)
}

func (p *jsonParser) failRule(rule ruleID, off int, format string, args ...any) {
	if p.err == nil {
		p.err = &jsonError{rule, off, fmt.Sprintf(format, args...)}
	}
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *jsonParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonParser) open(k jsonKind) int {
	p.nodes = append(p.nodes, jsonNode{head: uint32(k) | uint32(p.at)<<jsonOffShift})
	return len(p.nodes) - 1
}

func (p *jsonParser) close(n int) {
	if p.kind(n) >= jsonArray {
		p.nodes[n].tail = uint32(len(p.nodes))
	} else {
		p.nodes[n].tail = uint32(p.at)
	}
}

func (p *jsonParser) value() {
	p.space()
	if p.at >= len(p.text) {
		p.fail("the document ends where a value should be")
		return
	}
	switch c := p.text[p.at]; {
	case c == '{':
		p.object()
	case c == '[':
		p.array()
	case c == '"':
		p.string()
	case c == '-' || c >= '0' && c <= '9':
		p.number()
	case strings.HasPrefix(p.text[p.at:], "true"):
		p.word(jsonTrue, 4)
	case strings.HasPrefix(p.text[p.at:], "false"):
		p.word(jsonFalse, 5)
	case strings.HasPrefix(p.text[p.at:], "null"):
		p.word(jsonNull, 4)
	default:
		r, _ := utf8.DecodeRuneInString(p.text[p.at:])
		p.fail("%q cannot start a value", r)
	}
}

func (p *jsonParser) word(k jsonKind, n int) {
	i := p.open(k)
	p.at += n
	p.close(i)
}

func (p *jsonParser) enter() bool {
	p.depth++
	if p.depth > maxJSONDepth {
		p.fail("nested deeper than %d levels", maxJSONDepth)
	}
	return p.err == nil
}

func (p *jsonParser) array() {
	n := p.open(jsonArray)
	p.at++
	if !p.enter() {
		return
	}
	p.space()
	if p.peek() != ']' {
		for {
			p.value()
			p.space()
			if p.err != nil {
				return
			}
			if p.peek() == ',' {
				p.at++
				continue
			}
			if p.peek() != ']' {
				p.fail("an array goes on with neither a comma nor a bracket")
				return
			}
			break
		}
	}
	p.at++
	p.depth--
	p.close(n)
}

func (p *jsonParser) object() {
	n := p.open(jsonObject)
	p.at++
	if !p.enter() {
		return
	}
	p.space()
	if p.peek() != '}' {
		for {
			p.space()
			if p.peek() != '"' {
				p.fail("an object needs a string as its key")
				return
			}
			p.string()
			p.space()
			if p.err == nil && p.peek() != ':' {
				p.fail("a key without a colon after it")
			}
			if p.err != nil {
				return
			}
			p.at++
			p.value()
			p.space()
			if p.err != nil {
				return
			}
			if p.peek() == ',' {
				p.at++
				continue
			}
			if p.peek() != '}' {
				p.fail("an object goes on with neither a comma nor a brace")
				return
			}
			break
		}
	}
	p.at++
	p.depth--
	p.close(n)
	p.uniqueKeys(n)
}

// uniqueKeys refuses an object that has a key twice: which one counts differs
// between readers.
func (p *jsonParser) uniqueKeys(n int) {
	count := 0
	for i := n + 1; i < p.next(n); i = p.next(i + 1) {
		count++
	}
	var few [48]uint32
	table := few[:] // open addressing; 0 is free, no key is node 0
	if size := count + count/2; size > len(few) {
		table = make([]uint32, size)
	}
	for i := n + 1; i < p.next(n); i = p.next(i + 1) {
		key := p.str(i)
		at := int(maphash.String(p.seed, key) % uint64(len(table)))
		for table[at] != 0 {
			if p.str(int(table[at])) == key {
				p.failRule(ruleDuplicateKey, p.off(i), "key %q occurs twice in %s", clip(key), orRoot(p.path(n)))
				return
			}
			at = (at + 1) % len(table)
		}
		table[at] = uint32(i)
	}
}

func orRoot(path string) string {
	if path == "" {
		return "the document's root"
	}
	return path
}

func (p *jsonParser) string() {
	n := p.open(jsonString)
	s := p.text
	i := p.at + 1
	for {
		if i >= len(s) {
			p.fail("a string without its closing quote")
			return
		}
		switch c := s[i]; {
		case c == '"':
			p.at = i + 1
			p.close(n)
			return
		case c < 0x20:
			p.failRule(ruleJSON, i, "control character %#02x in a string", c)
			return
		case c == '\\':
			p.nodes[n].head |= jsonEscaped
			i++
			if i >= len(s) {
				p.fail("a string without its closing quote")
				return
			}
			switch s[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(s, i+1); !ok {
					p.failRule(ruleJSON, i, "\\u without four hex digits")
					return
				}
				i += 4
			default:
				p.failRule(ruleJSON, i, "unknown escape \\%c", s[i])
				return
			}
		}
		i++
	}
}

func hex4(s string, i int) (rune, bool) {
	if i+4 > len(s) {
		return 0, false
	}
	v, err := strconv.ParseUint(s[i:i+4], 16, 16)
	return rune(v), err == nil && s[i] != '+' && s[i] != '-'
}

func (p *jsonParser) number() {
	n := p.open(jsonNumber)
	digits := func() bool {
		start := p.at
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			p.at++
		}
		return p.at > start
	}
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else if !digits() {
		p.fail("a number without digits")
		return
	}
	if p.peek() == '.' {
		p.at++
		if !digits() {
			p.fail("a number without digits after its point")
			return
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !digits() {
			p.fail("a number without digits in its exponent")
			return
		}
	}
	p.close(n)
}

// str returns the text of a string node. A lone surrogate, which Go strings cannot
// hold, becomes U+FFFD.
func (d *jsonDoc) str(n int) string {
	raw := d.text[d.off(n)+1 : d.nodes[n].tail-1]
	if !d.escaped(n) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, _ := hex4(raw, i+1)
			i += 4
			if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(raw[i+1:], "\\u") {
				if lo, ok := hex4(raw, i+3); ok && lo >= 0xDC00 && lo < 0xE000 {
					r = 0x10000 + (r-0xD800)<<10 + (lo - 0xDC00)
					i += 6
				}
			}
			b.WriteRune(r) // writes U+FFFD for a surrogate
		default:
			b.WriteByte(raw[i])
		}
	}
	return b.String()
}

// num returns the value of a number node, as a double.
func (d *jsonDoc) num(n int) float64 {
	f, _ := strconv.ParseFloat(d.raw(n), 64)
	return f
}

// raw returns the text of a node.
func (d *jsonDoc) raw(n int) string { return d.text[d.off(n):d.end(n)] }

// get returns the node of an object's key, or -1.
func (d *jsonDoc) get(n int, key string) int {
	if d.kind(n) != jsonObject {
		return -1
	}
	for i := n + 1; i < d.next(n); {
		v := i + 1
		if d.str(i) == key {
			return v
		}
		i = d.next(v)
	}
	return -1
}

// path returns where a node is: "layouts[0].bindGroups[1].group"; a key's own node
// has the path of its value.
func (d *jsonDoc) path(n int) string { return d.paths([]int{n})[0] }

// paths is path for many nodes, ascending, in one walk that enters only the
// subtrees that hold one.
func (d *jsonDoc) paths(targets []int) []string {
	out := make([]string, len(targets))
	d.fillPaths(0, "", targets, out)
	return out
}

func (d *jsonDoc) nextOf(n int) int {
	if next := d.next(n); next != 0 {
		return next
	}
	return len(d.nodes) // still open, while parsing
}

func (d *jsonDoc) fillPaths(n int, prefix string, targets []int, out []string) {
	for len(targets) > 0 && targets[0] <= n {
		out[0] = prefix
		targets, out = targets[1:], out[1:]
	}
	if len(targets) == 0 {
		return
	}
	object := d.kind(n) == jsonObject
	end := d.nextOf(n)
	for i, k := n+1, 0; i < end && len(targets) > 0; k++ {
		first, value := i, i
		if object {
			value = i + 1
			if value >= end {
				break
			}
		}
		i = d.nextOf(value)
		in := 0
		for in < len(targets) && targets[in] < i {
			in++
		}
		if in == 0 {
			continue
		}
		path := prefix + "[" + strconv.Itoa(k) + "]"
		if object {
			path = clip(d.str(first))
			if prefix != "" {
				path = prefix + "." + path
			}
		}
		d.fillPaths(value, path, targets[:in], out[:in])
		targets, out = targets[in:], out[in:]
	}
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
