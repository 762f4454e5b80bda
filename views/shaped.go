package views

import (
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
)

// named stands for a name in a shape.
const named = "§"

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// shaped takes the names of temporary registers out of a line, lane by lane: what the
// compiler calls r0.x in one program is r3.w in another. Inputs, outputs and resources
// keep theirs: they mean something outside.
func (v *DXBC) shaped(n int) shapedLine {
	var out shapedLine
	if n < 0 || n >= len(v.rows) || v.rows[n].instr < 0 {
		out.shape = v.Text(n)
		return out
	}
	in := &v.p.Instrs[v.rows[n].instr]
	toks, _ := v.tokens(n)
	var b strings.Builder
	depth := 0
	reg, dst := "", false
	for i := range toks {
		t := &toks[i]
		switch {
		case t.Kind == dxbc.TokRegister && t.Text[0] == 'r' && allDigits(t.Text[1:]):
			reg, dst = t.Text, depth == 0 && t.Operand >= 0 && t.Operand < int(in.NumDst) && !in.Op.Has(dxbc.FlagDecl)
			b.WriteString("r" + named)
			continue
		case t.Kind == dxbc.TokComponent && reg != "":
			for _, c := range t.Text {
				if c == '.' {
					b.WriteByte('.')
					continue
				}
				out.names = append(out.names, shapedName{reg + "." + string(c), dst})
				b.WriteString(named)
			}
			reg = ""
			continue
		case t.Kind == dxbc.TokPunct:
			depth += strings.Count(t.Text, "[") - strings.Count(t.Text, "]")
			if t.Text != "." {
				reg = ""
			}
		default:
			reg = ""
		}
		b.WriteString(t.Text)
	}
	out.shape = b.String()
	out.flow = dxbcFlow[in.Op]
	return out
}

var dxbcFlow = map[dxbc.Op]flowKind{
	dxbc.OpIf: flowIf, dxbc.OpElse: flowElse, dxbc.OpEndif: flowEndIf, dxbc.OpLoop: flowLoop, dxbc.OpEndloop: flowEndLoop,
}

// ssaDropped are the attributes of the text form that say where a value came from.
var ssaDropped = map[string]bool{"reg": true, "end": true, "instr": true, "range": true}

// ssaIndices are the attributes that number a resource of the same function.
var ssaIndices = map[string]bool{"res": true, "samp": true, "samplers": true}

// shaped takes the numbers of values, nodes, resources and inputs out of a line, and
// leaves out which instruction and register they came from.
func (v *SSA) shaped(n int) shapedLine {
	var out shapedLine
	if n < 0 || n >= len(v.lines) {
		return out
	}
	head := v.isHead(n)
	toks := v.lex(v.lines[n].Text, head)
	b := strings.Builder{}
	b.WriteString(Spaces(v.lines[n].Indent))
	name := func(text string, def bool) {
		out.names = append(out.names, shapedName{text, def})
		b.WriteString(named)
	}
	next := func(i int) string {
		if i+1 < len(toks) {
			return toks[i+1].text
		}
		return ""
	}
	key := ""    // attribute whose value goes on
	before := "" // last token that is no blank
	for i := 0; i < len(toks); i++ {
		t := &toks[i]
		if t.text[0] == ' ' {
			key = ""
			b.WriteByte(' ')
			continue
		}
		switch {
		case t.text[0] == '@':
		case ssaDropped[t.text] && next(i) == "=" || ssaDropped[key] && t.text != ")":
			if key == "" {
				key = t.text
			}
		case ssaIndices[t.text] && next(i) == "=":
			key = t.text
			b.WriteString(t.text)
		case ssaIndices[key] && allDigits(t.text):
			name("res"+t.text, false)
		case head && before == "resource" && allDigits(t.text):
			name("res"+t.text, true)
		case head && before == "in" && i <= 2 && allDigits(t.text):
			name("in"+t.text, true)
		case strings.HasPrefix(t.text, "in") && allDigits(t.text[2:]):
			name(t.text, false)
		case i == 0 && allDigits(t.text) && next(i) == ":":
			name("node"+t.text, true)
		case t.role == RoleValue:
			name(t.text, next(i) == ":")
		default:
			b.WriteString(t.text)
		}
		before = t.text
	}
	out.shape = strings.TrimRight(strings.Join(strings.Fields(b.String()), " "), " ")
	out.shape = Spaces(v.lines[n].Indent) + out.shape
	return out
}

// shaped takes the names of locals out of a line, which come from registers, and the
// numbers of bindings: one texture more moves them all. The bindings themselves are a form
// of their own.
func (v *WGSL) shaped(n int) shapedLine {
	var out shapedLine
	from, to, toks := v.line(n)
	var b strings.Builder
	at := from
	for k := range toks {
		t := &toks[k]
		x, y := int(t.Off), int(t.Off)+int(t.Len)
		slot := t.Role == wgsl.RoleLiteral && strings.HasSuffix(v.m.Code[from:min(max(x, from), to)], "@binding(")
		if x < at || y > to || t.Role != wgsl.RoleVariable && !slot {
			continue
		}
		b.WriteString(v.m.Code[at:x])
		lead, tail := strings.TrimRight(v.m.Code[from:x], " "), v.m.Code[y:to]
		def := strings.HasSuffix(lead, "let") || strings.HasSuffix(lead, "var") || strings.HasPrefix(tail, ":") || slot
		out.names = append(out.names, shapedName{v.m.Code[x:y], def})
		b.WriteString(named)
		at = y
	}
	b.WriteString(v.m.Code[at:to])
	out.shape = b.String()
	return out
}
