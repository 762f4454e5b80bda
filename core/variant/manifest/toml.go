package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Pos is a place in a file; line and column count from 1, columns in characters.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"column"`
}

// String is "file:line:column".
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

type kind uint8

const (
	kindText kind = iota
	kindNumber
	kindBool
	kindList
	kindTable
	kindOther // a float or a date: nothing here takes one
)

var kindNames = [...]string{"a text", "a whole number", "true or false", "a list", "a table", "a number with a fraction or a date"}

// value is a value of a document with its place: what go-toml decodes into has none.
type value struct {
	pos   Pos
	kind  kind
	text  string
	block Pos  // of a text: where its first character stands
	exact bool // of a text: it stands in the file as it is, without escapes
	num   int64
	yes   bool
	list  []*value
	keys  []*entry // of a table, in the order of the document
}

// entry is a key of a table.
type entry struct {
	name string
	pos  Pos
	val  *value
}

func (v *value) get(name string) *entry {
	for _, e := range v.keys {
		if e.name == name {
			return e
		}
	}
	return nil
}

// maxDepth is how deep values and tables may be nested; the format needs five levels.
const maxDepth = 8

// document reads TOML. It fails with an *Error.
func document(file string, data []byte) (root *value, err error) {
	at := &places{file: file, text: string(data), starts: []int{0}}
	for i, c := range data {
		if c == '\n' {
			at.starts = append(at.starts, i+1)
		}
	}
	// The decoder knows every rule, of repeated tables for instance; the parser below
	// knows the places.
	var any map[string]any
	if err := toml.Unmarshal(data, &any); err != nil {
		e := &Error{Pos: Pos{file, 1, 1}, Text: "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: "), Remedy: "correct the line"}
		var de *toml.DecodeError
		if errors.As(err, &de) {
			e.Line, e.Col = de.Position()
			// The decoder says which byte it met, and takes a byte for a character.
			if key, beyond := at.beyondASCII(e.Line, e.Col); beyond && strings.Contains(err.Error(), "start of key") {
				e.Text, e.Remedy = fmt.Sprintf("not valid TOML: a key with %q has to stand in quotes", key), `write it as "…"`
			}
		}
		return nil, e
	}
	defer func() {
		// The parser is called unstable by its makers: a panic in it is an error of ours.
		if r := recover(); r != nil {
			root, err = nil, &Error{Pos: Pos{file, 1, 1}, Text: fmt.Sprintf("the TOML cannot be read (%v)", r), Remedy: "simplify the file"}
		}
	}()
	r := &reader{p: unstable.Parser{}, at: at}
	r.p.Reset(data)
	root = &value{pos: Pos{file, 1, 1}, kind: kindTable}
	table := root
	for r.p.NextExpression() {
		n := r.p.Expression()
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = r.path(root, n.Key(), n.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			r.keyValue(table, n, 1)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	if err := r.p.Error(); err != nil {
		return nil, &Error{Pos: Pos{file, 1, 1}, Text: "not valid TOML: " + err.Error(), Remedy: "correct the file"}
	}
	return root, nil
}

type places struct {
	file   string
	text   string
	starts []int
}

func (p *places) at(off int) Pos {
	line := sort.SearchInts(p.starts, off+1)
	from := p.starts[line-1]
	return Pos{p.file, line, 1 + utf8.RuneCountInString(p.text[from:min(off, len(p.text))])}
}

// beyondASCII is the character at a place, if it is none of ASCII.
func (p *places) beyondASCII(line, col int) (string, bool) {
	if line < 1 || line > len(p.starts) {
		return "", false
	}
	off := p.starts[line-1] + max(col, 1) - 1
	if off >= len(p.text) || p.text[off] < utf8.RuneSelf {
		return "", false
	}
	r, _ := utf8.DecodeRuneInString(p.text[off:])
	return string(r), r != utf8.RuneError
}

type reader struct {
	p   unstable.Parser
	at  *places
	err error
}

func (r *reader) deep(pos Pos) {
	if r.err == nil {
		r.err = &Error{Pos: pos, Text: fmt.Sprintf("values are nested more than %d levels deep", maxDepth), Remedy: "use the keys of the format"}
	}
}

// path finds or makes the table that a header names.
func (r *reader) path(root *value, key unstable.Iterator, array bool) *value {
	t := root
	depth := 0
	for key.Next() {
		n := key.Node()
		pos := r.at.at(int(n.Raw.Offset))
		if depth++; depth > maxDepth {
			r.deep(pos)
			return t
		}
		e := t.get(string(n.Data))
		last := key.IsLast()
		switch {
		case e == nil:
			e = &entry{string(n.Data), pos, &value{pos: pos, kind: kindTable}}
			t.keys = append(t.keys, e)
			if array && last {
				e.val = &value{pos: pos, kind: kindList, list: []*value{{pos: pos, kind: kindTable}}}
			}
		case array && last && e.val.kind == kindList:
			e.val.list = append(e.val.list, &value{pos: pos, kind: kindTable})
		}
		t = e.val
		if t.kind == kindList && len(t.list) > 0 { // the last table of an array is meant
			t = t.list[len(t.list)-1]
		}
	}
	return t
}

func (r *reader) keyValue(t *value, n *unstable.Node, depth int) {
	key := n.Key()
	for key.Next() {
		k := key.Node()
		pos := r.at.at(int(k.Raw.Offset))
		if depth++; depth > 2*maxDepth {
			r.deep(pos)
			return
		}
		e := t.get(string(k.Data))
		if e == nil {
			e = &entry{string(k.Data), pos, &value{pos: pos, kind: kindTable}}
			t.keys = append(t.keys, e)
		}
		if key.IsLast() {
			e.val = r.value(n.Value(), pos, depth)
			return
		}
		t = e.val
	}
}

func (r *reader) value(n *unstable.Node, near Pos, depth int) *value {
	pos := near
	if n.Raw.Length > 0 {
		pos = r.at.at(int(n.Raw.Offset))
	}
	v := &value{pos: pos, block: pos, text: string(n.Data)}
	if depth > 2*maxDepth {
		r.deep(pos)
		return v
	}
	switch n.Kind {
	case unstable.String:
		v.kind = kindText
		raw := r.p.Raw(n.Raw)
		v.exact = raw[0] == '\'' || !bytes.Contains(raw, []byte{'\\'})
		v.block = r.at.at(int(n.Raw.Offset) + opening(raw))
	case unstable.Integer:
		v.kind = kindNumber
		var err error
		if v.num, err = strconv.ParseInt(strings.ReplaceAll(v.text, "_", ""), 0, 64); err != nil {
			v.kind = kindOther
		}
	case unstable.Bool:
		v.kind, v.yes = kindBool, v.text == "true"
	case unstable.Array:
		v.kind = kindList
		for it := n.Children(); it.Next(); {
			c := it.Node()
			if c.Kind == unstable.Comment {
				continue
			}
			v.list = append(v.list, r.value(c, pos, depth+1))
		}
		if len(v.list) > 0 && n.Raw.Length == 0 && v.pos == near {
			v.pos = v.list[0].pos
		}
	case unstable.InlineTable:
		v.kind = kindTable
		for it := n.Children(); it.Next(); {
			if c := it.Node(); c.Kind == unstable.KeyValue {
				r.keyValue(v, c, depth+1)
			}
		}
	default:
		v.kind = kindOther
	}
	return v
}

// opening is the length of what stands before a text's first character.
func opening(raw []byte) int {
	for _, q := range []string{"'''", `"""`} {
		if strings.HasPrefix(string(raw), q) {
			rest := string(raw[3:])
			return len(raw) - len(strings.TrimPrefix(strings.TrimPrefix(rest, "\r"), "\n"))
		}
	}
	return min(1, len(raw))
}
