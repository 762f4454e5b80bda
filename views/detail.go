package views

import (
	"fmt"
	"math"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// InstrDetail explains one instruction for the panel: its text, what the opcode does and
// becomes, where it went, and the literal under the cursor in every reading.
func InstrDetail(d *DXBC, k *Links, line, tok, cols int) []Line {
	instr := d.Ref(line).Instr
	if instr < 0 {
		return nil
	}
	in := &d.p.Instrs[instr]
	info := in.Op.Info()
	head := d.one(line, nil)
	l := Line{Ref: head.Ref, Spans: []Span{span(RoleLineNo, fmt.Sprintf("@%d ", instr))}}
	for i, s := range head.Spans {
		if i == 0 && strings.TrimSpace(s.Text) == "" {
			continue
		}
		s.Tok = 0
		l.Spans = append(l.Spans, s)
	}
	out := []Line{l}
	para := func(label string, r Role, text string) {
		if text != "" {
			p := Line{Ref: NoRef, Spans: []Span{span(RoleTitle, label), span(r, Text(text))}}
			out = append(out, WrapWords(p, cols, Width(label))...)
		}
	}
	if bits, ok := d.Literal(line, tok); ok {
		para("literal ", RoleText, LiteralForms(bits))
	}
	para("does    ", RoleText, info.Doc)
	if why := k.Why(instr); why != "" && len(k.ValuesOf(instr)) == 0 {
		para("became  ", RoleText, why)
	} else {
		para("becomes ", RoleDim, info.WGSL)
	}
	if vs := k.ValuesOf(instr); len(vs) > 0 {
		var names []string
		for i, v := range vs {
			if i == 8 {
				names = append(names, "…")
				break
			}
			names = append(names, fmt.Sprintf("v%d", v))
		}
		para("values  ", RoleValue, strings.Join(names, " "))
	}
	return out
}

// LiteralForms is a 32-bit word as float, signed, unsigned and hex at once.
func LiteralForms(bits uint32) string {
	f := math.Float32frombits(bits)
	return fmt.Sprintf("float %s   int %d   uint %d   hex 0x%08x", dxbc.FloatText(bits)+shortFloat(f), int32(bits), bits, bits)
}

// shortFloat adds the shortest form where D3D's fixed digits hide the value.
func shortFloat(f float32) string {
	if f != 0 && (math.Abs(float64(f)) < 1e-5 || math.Abs(float64(f)) >= 1e7) && !math.IsInf(float64(f), 0) && f == f {
		return fmt.Sprintf(" (%g)", f)
	}
	return ""
}

// Stopped says in the place of a module why there is none.
func Stopped(status string, reasons []Line) *Static {
	lines := []Line{
		{Ref: NoRef, Spans: []Span{span(RoleRefused, "✗ no WGSL: the stage is "+status)}},
		{Ref: NoRef},
	}
	return NewStatic(append(lines, reasons...), nil)
}

// Blank is an empty line.
func Blank() Line { return Line{Ref: NoRef} }

// Say makes a line of one span.
func Say(r Role, text string) Line { return Line{Ref: NoRef, Spans: []Span{span(r, text)}} }

// ValueDetail explains one SSA value: its type, what made it, where the program kept it
// and who reads it.
func ValueDetail(k *Links, id ir.ValueID, cols int) []Line {
	if k.f == nil || id < 0 || int(id) >= len(k.f.Values) {
		return nil
	}
	v := &k.f.Values[id]
	info := v.Op.Info()
	kind := "kind?"
	if v.Kind <= ir.Bool {
		kind = v.Kind.String()
	}
	out := []Line{{Ref: NoRef, Spans: []Span{span(RoleValue, fmt.Sprintf("v%d", id)), span(RoleType, fmt.Sprintf(" %s x %d  ", kind, v.N)),
		span(RoleFunction, info.Name)}}}
	para := func(label string, r Role, text string) {
		if text != "" {
			out = append(out, WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleTitle, label), span(r, Text(text))}}, cols, Width(label))...)
		}
	}
	para("does    ", RoleText, info.Doc)
	if v.Instr >= 0 && k.f.Program != nil && int(v.Instr) < len(k.f.Program.Instrs) {
		para("from    ", RoleText, fmt.Sprintf("@%d %s", v.Instr, k.f.Program.Text(int(v.Instr))))
	}
	if v.Reg >= 0 {
		lanes := ""
		for i := range min(int(v.N), 4) {
			lanes += "xyzw"[v.RegLanes[i]&3 : v.RegLanes[i]&3+1]
		}
		para("kept in ", RoleRegister, fmt.Sprintf("r%d.%s", v.Reg, lanes))
	}
	readers := valueList(k.UsersOf(id))
	for i, n := range k.NodesOf(id) {
		if i == mostNamed {
			readers = append(readers, "…")
			break
		}
		word := nodeWord[k.f.Nodes[n].Kind]
		if in := k.f.Nodes[n].Instr; in >= 0 {
			word += fmt.Sprintf("@%d", in)
		}
		readers = append(readers, word)
	}
	if len(readers) == 0 {
		readers = []string{"nothing"}
	}
	para("read by ", RoleValue, strings.Join(readers, " "))
	return out
}

var nodeWord = map[ir.NodeKind]string{
	ir.NodeIf: "if", ir.NodeLoop: "loop", ir.NodeSwitch: "switch", ir.NodeYield: "yield", ir.NodeBreak: "break",
	ir.NodeContinue: "continue", ir.NodeReturn: "return",
}

// mostNamed is how many readers a panel names.
const mostNamed = 12

// valueList names the first of vs.
func valueList(vs []ir.ValueID) []string {
	var s []string
	for i, v := range vs {
		if i == mostNamed {
			return append(s, fmt.Sprintf("and %d more,", len(vs)-mostNamed))
		}
		s = append(s, fmt.Sprintf("v%d", v))
	}
	return s
}

// BindingDetail explains one binding: its identity and layout, and which instructions of
// the shown stage declare and use it (sel is its selection).
func BindingDetail(b *layout.Binding, k *Links, sel *Selection, cols int) []Line {
	out := []Line{{Ref: NoRef, Spans: []Span{span(RoleAttribute, fmt.Sprintf("@group(%d) @binding(%d) ", b.Group, b.Binding)),
		span(RoleResource, Text(b.Symbol)), span(RoleType, "  "+b.Type), span(RoleDim, "  "+b.Kind.String()+"  "+b.Identity)}}}
	para := func(label string, r Role, text string) {
		if text != "" {
			out = append(out, WrapWords(Line{Ref: NoRef, Spans: []Span{span(RoleTitle, label), span(r, Text(text))}}, cols, Width(label))...)
		}
	}
	para("name    ", RoleName, Clip(b.Name, cols))
	para("layout  ", RoleText, layoutText(b)+"; seen by "+visibility(b.Visibility))
	res := int32(-1)
	if int(k.stage) < len(b.Resources) {
		res = b.Resources[k.stage]
	}
	switch {
	case res < 0:
		para("here    ", RoleDim, "the shown stage does not declare it")
	case k.f != nil && int(res) < len(k.f.Resources):
		decl := k.f.Resources[res].Instr
		var uses []string
		for _, i := range sel.Instrs {
			if i != decl {
				uses = append(uses, fmt.Sprintf("@%d", i))
			}
		}
		const most = 16
		if len(uses) > most {
			uses = append(uses[:most], fmt.Sprintf("and %d more", len(uses)-most))
		}
		text := fmt.Sprintf("declared @%d, used %s", decl, strings.Join(uses, " "))
		if len(uses) == 0 {
			text = fmt.Sprintf("declared @%d, never used", decl)
		}
		para("here    ", RoleText, text)
	}
	return out
}
