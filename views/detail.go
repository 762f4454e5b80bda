package views

import (
	"fmt"
	"math"
	"strings"

	"fxlens/core/dxbc"
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
