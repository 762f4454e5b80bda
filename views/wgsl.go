package views

import (
	"strconv"
	"strings"

	"fxlens/core/ir"
	"fxlens/core/wgsl"
)

// WGSL is the listing of an emitted module.
type WGSL struct {
	m      *wgsl.Module
	starts []int32 // byte offset of every line, and the length of the code
	tokens []int32 // index of the first token of every line, and their number
	// lineOf has the first line of every instruction, -1 where it left nothing.
	lineOf []int32
	digits int
}

// NewWGSL indexes m. It takes time in proportion to the module, once; what is shown
// later costs its window.
func NewWGSL(m *wgsl.Module) *WGSL {
	v := &WGSL{m: m}
	code := m.Code
	for at := 0; at < len(code); {
		v.starts = append(v.starts, int32(at))
		n := strings.IndexByte(code[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	lines := len(v.starts)
	v.starts = append(v.starts, int32(len(code)))
	v.tokens = make([]int32, lines+1)
	t := 0
	for i := range lines {
		for t < len(m.Tokens) && int32(m.Tokens[t].Off) < v.starts[i] {
			t++
		}
		v.tokens[i] = int32(t)
	}
	v.tokens[lines] = int32(len(m.Tokens))
	for i := range lines {
		for _, tok := range m.Tokens[v.tokens[i]:v.tokens[i+1]] {
			for int(tok.Instr) >= len(v.lineOf) {
				v.lineOf = append(v.lineOf, -1)
			}
			if tok.Instr >= 0 && v.lineOf[tok.Instr] < 0 {
				v.lineOf[tok.Instr] = int32(i)
			}
		}
	}
	v.digits = len(strconv.Itoa(lines))
	return v
}

// Len is the number of lines.
func (v *WGSL) Len() int { return len(v.starts) - 1 }

var wgslRoles = [...]Role{
	wgsl.RoleText: RoleCode, wgsl.RoleKeyword: RoleKeyword, wgsl.RoleType: RoleType,
	wgsl.RoleFunction: RoleFunction, wgsl.RoleVariable: RoleVariable, wgsl.RoleResource: RoleResource,
	wgsl.RoleInput: RoleStageIO, wgsl.RoleLiteral: RoleLiteral, wgsl.RoleOperator: RoleOperator,
	wgsl.RolePunct: RolePunct, wgsl.RoleAttribute: RoleAttribute, wgsl.RoleComment: RoleComment,
	wgsl.RoleMember: RoleMember,
}

func wgslRole(r wgsl.Role) Role {
	if int(r) < len(wgslRoles) {
		return wgslRoles[r]
	}
	return RoleCode
}

// line returns the bounds of a line without its line end, and its tokens.
func (v *WGSL) line(i int) (from, to int, toks []wgsl.Token) {
	if i < 0 || i >= v.Len() {
		return 0, 0, nil
	}
	from, to = int(v.starts[i]), int(v.starts[i+1])
	for to > from && (v.m.Code[to-1] == '\n' || v.m.Code[to-1] == '\r') {
		to--
	}
	return from, to, v.m.Tokens[v.tokens[i]:v.tokens[i+1]]
}

// Lines returns the lines inside w.
func (v *WGSL) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(v.Len())
	out := make([]Line, 0, last-first)
	for i := first; i < last; i++ {
		out = append(out, v.one(i, sel))
	}
	return out
}

// one makes line i.
func (v *WGSL) one(i int, sel *Selection) Line {
	from, to, toks := v.line(i)
	l := Line{Ref: v.Ref(i), Gutter: padLeft(strconv.Itoa(i+1), v.digits)}
	l.Spans = make([]Span, 0, 2*len(toks)+1)
	at := from
	linked := false
	for k := range toks {
		t := &toks[k]
		a, b := int(t.Off), int(t.Off)+int(t.Len)
		if a < at || b > to {
			continue // a token across lines or out of order: shown as text
		}
		if a > at {
			l.Spans = append(l.Spans, span(RoleCode, v.m.Code[at:a]))
		}
		belongs := sel != nil && (len(sel.Values) > 0 && t.Value >= 0 && sel.HasValue(t.Value) ||
			t.Value < 0 && sel.Has(t.Instr))
		linked = linked || belongs || sel.Has(t.Instr)
		occurs := sel != nil && sel.Occur >= 0 && t.Value == sel.Occur
		l.Spans = append(l.Spans, Span{Role: wgslRole(t.Role), Tok: uint16(min(k+1, 1<<16-1)), Text: v.m.Code[a:b],
			Emph: sel.emph(i, k+1, occurs, belongs)})
		at = b
	}
	if at < to {
		l.Spans = append(l.Spans, span(RoleCode, v.m.Code[at:to]))
	}
	sel.line(&l, i, linked)
	return l
}

// Ref stands for the line's first instruction.
func (v *WGSL) Ref(i int) Ref {
	r := NoRef
	r.Kind, r.Index = RefCode, int32(i)
	_, _, toks := v.line(i)
	for _, t := range toks {
		if t.Instr >= 0 {
			r.Instr, r.Value = t.Instr, t.Value
			break
		}
	}
	return r
}

// Tokens is the number of tokens of a line.
func (v *WGSL) Tokens(line int) int {
	_, _, toks := v.line(line)
	return min(len(toks), 1<<16-1)
}

// Focus of a token is its value and instruction; of a line, those of all its tokens.
func (v *WGSL) Focus(line, tok int) Focus {
	f := NoFocus
	_, _, toks := v.line(line)
	if tok > 0 && tok <= len(toks) {
		t := toks[tok-1]
		f.Instr, f.Occur = t.Instr, t.Value
		if t.Value >= 0 {
			f.Values = []ir.ValueID{t.Value}
		}
		return f
	}
	for _, t := range toks {
		if t.Instr >= 0 {
			if f.Instr < 0 {
				f.Instr = t.Instr
			} else {
				f.More = append(f.More, t.Instr)
			}
		}
		if t.Value >= 0 {
			f.Values = append(f.Values, t.Value)
		}
	}
	return f
}

// LineOf returns the first line that an instruction left, or -1.
func (v *WGSL) LineOf(instr int32) int {
	if instr < 0 || int(instr) >= len(v.lineOf) {
		return -1
	}
	return int(v.lineOf[instr])
}

// Seek returns a line of the selection's first instruction that left one.
func (v *WGSL) Seek(sel *Selection, near int) int {
	best := -1
	for _, i := range sel.Instrs {
		n := v.LineOf(i)
		if n >= 0 && (best < 0 || abs(n-near) < abs(best-near)) {
			best = n
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Text returns a line as it is in the module.
func (v *WGSL) Text(line int) string {
	from, to, _ := v.line(line)
	return v.m.Code[from:to]
}
