package views

import (
	"strings"

	"fxlens/core/dxbc"
)

// Declaration returns the line that declares the register of lanes, or -1: "t1" is that
// of its resource, "cb0[4]" of the constant buffer, "x0[r1.x]" of the array.
func (v *DXBC) Declaration(lanes Lanes) int {
	if lanes.Reg == "" {
		return -1
	}
	base, _, indexed := strings.Cut(lanes.Reg, "[")
	for n := range v.rows {
		i := v.rows[n].instr
		if i < 0 || v.rows[n].sub > 0 || !v.p.Instrs[i].Op.Has(dxbc.FlagDecl) {
			continue
		}
		toks, _ := v.tokens(n)
		for _, t := range toks {
			if t.Kind != dxbc.TokRegister || t.tok == 0 {
				continue
			}
			reg, _, _ := strings.Cut(t.lanes.Reg, "[")
			if t.lanes.Meets(lanes) || indexed && reg == base {
				return n
			}
		}
	}
	return -1
}

// TokenOf returns the token of a line whose register is one of the words of a text, or
// the first register of a declaration; 0 where there is none.
func (v *DXBC) TokenOf(line int, text string) int {
	toks, _ := v.tokens(line)
	first := 0
	for _, t := range toks {
		if t.Kind != dxbc.TokRegister || t.tok == 0 || t.lanes.Reg == "" {
			continue
		}
		if first == 0 {
			first = t.tok
		}
		if hasWord(text, t.lanes.Reg) {
			return t.tok
		}
	}
	if i := v.Ref(line).Instr; i >= 0 && v.p.Instrs[i].Op.Has(dxbc.FlagDecl) {
		return first
	}
	return 0
}

// hasWord reports whether word stands in text with no letter or digit beside it.
func hasWord(text, word string) bool {
	letter := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] == '_' || text[i] >= '0' && text[i] <= '9' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z')
	}
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		if !letter(i-1) && !letter(i+len(word)) {
			return true
		}
		at = i + 1
	}
}
