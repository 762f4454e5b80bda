package views

import (
	"fmt"
	"strconv"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// SSA is the listing of a function in its text form, one value a line in its regions,
// beside each the DXBC instruction that it came from. Float constants, which the text
// form gives as bits, are read out behind the line.
type SSA struct {
	f      *ir.Function
	lines  []ir.Line
	instr  []int32 // of every line, or NoInstr
	rowOf  []int32 // line that defines each value, or -1
	marks  map[int32]Mark
	digits int
}

// NewSSA indexes f. diags are those of its stage, for the marks.
func NewSSA(f *ir.Function, diags []diag.Diag) *SSA {
	v := &SSA{f: f, lines: ir.Lines(f), marks: marksOf(diags)}
	v.rowOf = make([]int32, len(f.Values))
	for i := range v.rowOf {
		v.rowOf[i] = -1
	}
	def := func(id ir.ValueID, line int) {
		if id >= 0 && int(id) < len(v.rowOf) && v.rowOf[id] < 0 {
			v.rowOf[id] = int32(line)
		}
	}
	v.instr = make([]int32, len(v.lines))
	opened := make(map[ir.NodeID]bool)
	last := make(map[ir.NodeID]int) // the line that closes each node
	for i := range v.lines {
		l := &v.lines[i]
		v.instr[i] = NoInstr
		switch {
		case l.Value >= 0 && int(l.Value) < len(f.Values):
			v.instr[i] = f.Values[l.Value].Instr
			def(l.Value, i)
		case l.Node >= 0 && int(l.Node) < len(f.Nodes):
			nd := &f.Nodes[l.Node]
			if opened[l.Node] {
				last[l.Node] = i
				continue
			}
			opened[l.Node] = true
			v.instr[i] = nd.Instr
			for _, p := range nd.Params {
				def(p, i)
			}
			for _, p := range nd.Header {
				def(p, i)
			}
		default: // a header: that of a resource belongs to its declaration
			var res int
			if n, _ := fmt.Sscanf(l.Text, "resource %d ", &res); n == 1 && res >= 0 && res < len(f.Resources) {
				v.instr[i] = f.Resources[res].Instr
			}
		}
	}
	for n, i := range last {
		v.instr[i] = f.Nodes[n].EndInstr
	}
	n := 0
	if f.Program != nil {
		n = len(f.Program.Instrs)
	}
	v.digits = len(strconv.Itoa(max(n-1, 0)))
	return v
}

// Len is the number of lines.
func (v *SSA) Len() int { return len(v.lines) }

// ssaTok is a token of the text form; value is what it names, or ir.NoValue.
type ssaTok struct {
	text  string
	role  Role
	value ir.ValueID
}

var ssaWords = map[string]bool{
	"program": true, "body": true, "if": true, "else": true, "loop": true, "switch": true, "case": true, "default": true,
	"yield": true, "break": true, "continue": true, "return": true, "resource": true, "in": true, "out": true, "icb": true,
	"array": true, "constant": true, "thread_group": true, "early_depth": true, "undef": true, "precise": true,
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// lex splits a line of the text form; see core/ir/print.go for its grammar. head lines
// are those before the body, which declare.
func (v *SSA) lex(line string, head bool) []ssaTok {
	var out []ssaTok
	put := func(s string, r Role, id ir.ValueID) { out = append(out, ssaTok{s, r, id}) }
	prev := ""
	for i := 0; i < len(line); {
		c := line[i]
		j := i + 1
		switch {
		case c == ' ':
			for j < len(line) && line[j] == ' ' {
				j++
			}
			put(line[i:j], RoleCode, ir.NoValue)
			i = j
			continue
		case c == '"':
			for j < len(line) && line[j] != '"' {
				if line[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j+1, len(line))
			put(line[i:j], RoleName, ir.NoValue)
		case c == '@':
			for j < len(line) && wordByte(line[j]) {
				j++
			}
			put(line[i:j], RoleDim, ir.NoValue)
		case c == '#':
			for j < len(line) && wordByte(line[j]) {
				j++
			}
			put(line[i:j], RoleLiteral, ir.NoValue)
		case c == '.' && j < len(line) && wordByte(line[j]):
			for j < len(line) && wordByte(line[j]) {
				j++
			}
			id := ir.NoValue
			if n := len(out); n > 0 {
				id = out[n-1].value // the lanes go with their value
			}
			put(line[i:j], RoleMember, id)
		case wordByte(c):
			for j < len(line) && wordByte(line[j]) {
				j++
			}
			word := line[i:j]
			role, id := v.word(word, prev, head, j < len(line) && line[j] == '=')
			put(word, role, id)
			prev = word
		default:
			role := RolePunct
			if c == '=' {
				role = RoleOperator
			}
			put(line[i:j], role, ir.NoValue)
			prev = string(c)
		}
		i = j
	}
	return out
}

// word gives a word its role and value. prev is the token before; key says that "=" follows at once.
func (v *SSA) word(w, prev string, head, key bool) (Role, ir.ValueID) {
	number := func(s string) bool {
		_, err := strconv.Atoi(s)
		return err == nil
	}
	switch {
	case head && !ssaWords[w]:
		return RoleDim, ir.NoValue
	case key:
		return RoleDim, ir.NoValue
	case w[0] == 'v' && number(w[1:]):
		n, _ := strconv.Atoi(w[1:])
		if n < len(v.f.Values) {
			return RoleValue, ir.ValueID(n)
		}
		return RoleValue, ir.NoValue
	case strings.HasPrefix(w, "in") && number(w[2:]):
		return RoleStageIO, ir.NoValue
	case strings.HasPrefix(w, "cb") && number(w[2:]):
		return RoleResource, ir.NoValue
	case ssaWords[w]:
		return RoleKeyword, ir.NoValue
	case prev == ":":
		return RoleType, ir.NoValue
	case number(w):
		return RoleLiteral, ir.NoValue
	case w[0] >= 'A' && w[0] <= 'Z':
		return RoleFunction, ir.NoValue
	}
	return RoleCode, ir.NoValue
}

// head is the number of lines before the body.
func (v *SSA) isHead(n int) bool { return v.lines[n].Node < 0 && v.lines[n].Indent == 0 }

// tokens returns the tokens of a line and the number of values it names.
func (v *SSA) tokens(n int) (toks []ssaTok, units int) {
	if n < 0 || n >= len(v.lines) {
		return nil, 0
	}
	toks = v.lex(v.lines[n].Text, v.isHead(n))
	for i := range toks {
		if toks[i].value >= 0 && toks[i].role == RoleValue {
			units++
		}
	}
	return toks, units
}

// floats reads the constants of a line out, or returns "".
func floats(toks []ssaTok) string {
	s := ""
	for _, t := range toks {
		if t.role != RoleLiteral || len(t.text) != 9 || t.text[0] != '#' {
			continue
		}
		bits, err := strconv.ParseUint(t.text[1:], 16, 32)
		if err != nil || bits < 1<<20 { // small numbers are no floats that anybody writes
			continue
		}
		s += " " + dxbc.AutoText(uint32(bits))
	}
	return s
}

// resources names what an operation reads: " t3 AlbedoMap, s0 HullSampler", or "".
func (v *SSA) resources(id ir.ValueID) string {
	if id < 0 || int(id) >= len(v.f.Values) {
		return ""
	}
	val := &v.f.Values[id]
	if val.Op == ir.OpArrayLoad || val.Op == ir.OpArrayStore {
		return ""
	}
	s := ""
	for _, i := range [2]int32{val.Res, val.Samp} {
		if i < 0 || int(i) >= len(v.f.Resources) {
			continue
		}
		r := &v.f.Resources[i]
		if s != "" {
			s += ","
		}
		s += " " + classLetter[r.Class] + strconv.FormatUint(uint64(r.Register), 10)
		if r.Name != "" {
			s += " " + Clip(r.Name, 40)
		}
	}
	return s
}

// Lines returns the lines inside w.
func (v *SSA) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(v.Len())
	out := make([]Line, 0, last-first)
	for n := first; n < last; n++ {
		out = append(out, v.one(n, sel))
	}
	return out
}

func (v *SSA) one(n int, sel *Selection) Line {
	l := Line{Ref: v.Ref(n), Gutter: Spaces(v.digits)}
	in := v.instr[n]
	if in >= 0 {
		l.Gutter = padLeft(strconv.Itoa(int(in)), v.digits)
		l.Mark = v.marks[in]
	}
	toks, _ := v.tokens(n)
	l.Spans = make([]Span, 0, len(toks)+2)
	if d := v.lines[n].Indent; d > 0 {
		l.Spans = append(l.Spans, span(RoleDim, strings.Repeat("  ", min(d, 64))))
	}
	unit := 0
	for i, t := range toks {
		s := Span{Role: t.role, Text: t.text}
		if t.value >= 0 {
			if t.role == RoleValue {
				unit++
			}
			s.Tok = uint16(min(unit, 1<<16-1))
			occurs := sel != nil && sel.Occur == t.value
			s.Emph = sel.emph(n, unit, occurs, sel.HasValue(t.value) && v.lines[n].Value != t.value)
			if i > 0 && t.role == RoleMember && toks[i-1].role != RoleValue {
				s.Tok, s.Emph = 0, EmphNone
			}
		}
		l.Spans = append(l.Spans, s)
	}
	id := v.lines[n].Value
	if c := v.resources(id) + floats(toks); c != "" {
		l.Spans = append(l.Spans, span(RoleComment, "  ;"+c))
	}
	linked := sel != nil && (id >= 0 && sel.HasValue(id) || id < 0 && v.lines[n].Node >= 0 && sel.Has(in))
	sel.line(&l, n, linked)
	return l
}

// Ref stands for the line's value or node.
func (v *SSA) Ref(n int) Ref {
	r := NoRef
	if n < 0 || n >= len(v.lines) {
		return r
	}
	r.Instr, r.Value, r.Node = v.instr[n], v.lines[n].Value, v.lines[n].Node
	switch {
	case r.Value >= 0:
		r.Kind = RefValue
	case r.Node >= 0:
		r.Kind = RefNode
	}
	return r
}

// Row returns the line that defines a value, or -1.
func (v *SSA) Row(id ir.ValueID) int {
	if id < 0 || int(id) >= len(v.rowOf) {
		return -1
	}
	return int(v.rowOf[id])
}

// Tokens is the number of values that a line names.
func (v *SSA) Tokens(line int) int {
	_, n := v.tokens(line)
	return n
}

// Focus of a line is its value; of a token, the value that it names.
func (v *SSA) Focus(line, tok int) Focus {
	f := NoFocus
	if line < 0 || line >= len(v.lines) {
		return f
	}
	f.Instr = v.instr[line]
	if id := v.lines[line].Value; id >= 0 {
		f.Values = []ir.ValueID{id}
	}
	if tok <= 0 {
		return f
	}
	toks, _ := v.tokens(line)
	unit := 0
	for _, t := range toks {
		if t.role != RoleValue || t.value < 0 {
			continue
		}
		if unit++; unit == tok {
			f.Occur = t.value
			if t.value != v.lines[line].Value {
				f.Values, f.Instr = []ir.ValueID{t.value}, v.f.Values[t.value].Instr
			}
			break
		}
	}
	return f
}

// Seek returns the nearest line of the selection's values or instructions.
func (v *SSA) Seek(sel *Selection, near int) int {
	best := -1
	take := func(n int) {
		if n >= 0 && (best < 0 || abs(n-near) < abs(best-near)) {
			best = n
		}
	}
	for _, id := range sel.Values {
		take(v.Row(id))
	}
	if best < 0 && len(sel.Instrs) > 0 {
		for n, i := range v.instr {
			if sel.Has(i) {
				take(n)
			}
		}
	}
	return best
}

// Text returns a line with its indentation, as the text form has it.
func (v *SSA) Text(line int) string {
	if line < 0 || line >= len(v.lines) {
		return ""
	}
	return strings.Repeat("  ", min(v.lines[line].Indent, 64)) + v.lines[line].Text
}

var classLetter = map[ir.Class]string{
	ir.CBuffer: "cb", ir.SRV: "t", ir.Sampler: "s", ir.UAV: "u", ir.GroupShared: "g", ir.Counter: "counter ",
}

// MaskText returns a component mask as letters.
func MaskText(m uint8) string {
	var b []byte
	for c := range 4 {
		if m>>c&1 != 0 {
			b = append(b, "xyzw"[c])
		}
	}
	return string(b)
}

// keys is the text of the whole listing with values named after the instruction that they
// came from and their place among its values.
func (v *SSA) keys() string {
	names := make([]string, len(v.f.Values))
	count := make(map[int32]int)
	for _, l := range v.lines { // in order of appearance
		for _, id := range v.defines(l) {
			if id >= 0 && int(id) < len(names) && names[id] == "" {
				in := v.f.Values[id].Instr
				names[id] = "v" + strconv.Itoa(int(in)) + "." + strconv.Itoa(count[in])
				count[in]++
			}
		}
	}
	var b strings.Builder
	for n := range v.lines {
		b.WriteString(strings.Repeat(" ", min(v.lines[n].Indent, 64)))
		toks, _ := v.tokens(n)
		for _, t := range toks {
			if t.role == RoleValue && t.value >= 0 && names[t.value] != "" {
				b.WriteString(names[t.value])
				continue
			}
			b.WriteString(t.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// defines lists the values that a line gives names to.
func (v *SSA) defines(l ir.Line) []ir.ValueID {
	if l.Value >= 0 {
		return []ir.ValueID{l.Value}
	}
	if l.Node < 0 || int(l.Node) >= len(v.f.Nodes) {
		return nil
	}
	nd := &v.f.Nodes[l.Node]
	return append(append([]ir.ValueID(nil), nd.Params...), nd.Header...)
}
