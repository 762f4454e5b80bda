package views

import (
	"strconv"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// DXBC is the listing of a program: the profile, then a line per instruction. An
// immediate constant buffer takes a line per row.
type DXBC struct {
	p       *dxbc.Program
	rows    []dxbcRow
	rowOf   []int32 // first row of every instruction
	indents []int
	marks   map[int32]Mark
	digits  int
}

type dxbcRow struct{ instr, sub int32 } // instr -1: the profile

// NewDXBC indexes a program. diags are those of its stage, for the marks.
func NewDXBC(p *dxbc.Program, diags []diag.Diag) *DXBC {
	v := &DXBC{p: p, indents: p.Indents(), marks: marksOf(diags)}
	v.rows = make([]dxbcRow, 1, len(p.Instrs)+1)
	v.rows[0] = dxbcRow{-1, 0}
	v.rowOf = make([]int32, len(p.Instrs))
	for i := range p.Instrs {
		v.rowOf[i] = int32(len(v.rows))
		n := 1
		if p.Instrs[i].Op == dxbc.OpCustomdata {
			n += strings.Count(p.Text(i), "\n")
		}
		for s := range n {
			v.rows = append(v.rows, dxbcRow{int32(i), int32(s)})
		}
	}
	v.digits = len(strconv.Itoa(max(len(p.Instrs)-1, 0)))
	return v
}

// marksOf has the mark of every instruction that a diagnostic is about.
func marksOf(diags []diag.Diag) map[int32]Mark {
	var m map[int32]Mark
	for _, d := range diags {
		if d.At.Index() < 0 || d.Sev == diag.Note {
			continue
		}
		if m == nil {
			m = make(map[int32]Mark)
		}
		k := MarkWarning
		if d.Sev == diag.Error {
			k = MarkError
		}
		m[int32(d.At.Index())] |= k
	}
	return m
}

// Len is the number of lines.
func (v *DXBC) Len() int { return len(v.rows) }

var dxbcRoles = [...]Role{
	dxbc.TokPunct: RolePunct, dxbc.TokMnemonic: RoleOpcode, dxbc.TokKeyword: RoleType,
	dxbc.TokRegister: RoleRegister, dxbc.TokComponent: RoleMember, dxbc.TokLiteral: RoleLiteral,
	dxbc.TokNumber: RoleLiteral, dxbc.TokString: RoleComment, dxbc.TokComment: RoleComment,
}

// dxbcTok is a token of a line: what the cursor can stand on is a register with its
// components, a literal or the mnemonic.
type dxbcTok struct {
	dxbc.Token
	tok   int // number of the selectable unit, or 0
	lanes Lanes
}

// tokens returns the tokens of row n and the number of selectable units.
func (v *DXBC) tokens(n int) ([]dxbcTok, int) {
	if n < 0 || n >= len(v.rows) {
		return nil, 0
	}
	row := v.rows[n]
	if row.instr < 0 {
		return []dxbcTok{{Token: dxbc.Token{Kind: dxbc.TokKeyword, Text: v.p.Profile(), Operand: -1}}}, 0
	}
	raw := v.p.Line(int(row.instr))
	if v.p.Instrs[row.instr].Op == dxbc.OpCustomdata {
		raw = subLine(raw, int(row.sub))
	}
	out := make([]dxbcTok, len(raw))
	units := 0
	outer, operand, depth := -1, -1, 0 // first token of the register that goes on, its operand, open brackets
	inner := -1                        // register inside an index that a component may follow
	for i, t := range raw {
		out[i] = dxbcTok{Token: t}
		if t.Operand != operand {
			outer, operand, depth, inner = -1, t.Operand, 0, -1
		}
		switch t.Kind {
		case dxbc.TokLiteral, dxbc.TokMnemonic:
			units++
			out[i].tok = units
		case dxbc.TokRegister:
			switch {
			case outer < 0:
				units++
				out[i].tok = units
				outer = i
			case depth > 0 && (t.Text[0] < '0' || t.Text[0] > '9'):
				units++
				out[i].tok = units
				inner = i
			default: // a number inside the brackets
				out[i].tok = out[outer].tok
			}
		case dxbc.TokComponent:
			of := outer
			if inner >= 0 {
				of = inner
			}
			if of >= 0 {
				out[i].tok = out[of].tok
				out[of].lanes.Mask = v.lanes(int(row.instr), t.Operand, t.Text)
			}
			inner = -1
		case dxbc.TokPunct:
			if outer < 0 {
				break
			}
			was := depth
			depth += strings.Count(t.Text, "[") - strings.Count(t.Text, "]")
			if was > 0 || depth > 0 {
				out[i].tok = out[outer].tok
			}
			inner = -1
		}
	}
	nameUnits(out)
	return out, units
}

// nameUnits gives every token of a register the name and lanes of the whole.
func nameUnits(toks []dxbcTok) {
	for i := range toks {
		if toks[i].Kind != dxbc.TokRegister || toks[i].tok == 0 || i > 0 && sameUnit(toks[:i], toks[i].tok) {
			continue
		}
		first, last := i, i
		for k := i; k < len(toks); k++ {
			if toks[k].tok == toks[i].tok {
				last = k
			}
		}
		name := ""
		for k := first; k <= last; k++ {
			if k == last && toks[k].Kind == dxbc.TokComponent {
				break
			}
			name += toks[k].Text
		}
		toks[i].lanes.Reg = name
		for k := first; k <= last; k++ {
			if toks[k].tok == toks[i].tok {
				toks[k].lanes = toks[i].lanes
			}
		}
	}
}

// sameUnit reports whether a token with the number comes earlier.
func sameUnit(toks []dxbcTok, tok int) bool {
	for i := range toks {
		if toks[i].tok == tok {
			return true
		}
	}
	return false
}

// subLine returns the tokens between line breaks sub and sub+1.
func subLine(toks []dxbc.Token, sub int) []dxbc.Token {
	var out []dxbc.Token
	at := 0
	for _, t := range toks {
		for {
			head, tail, broken := strings.Cut(t.Text, "\n")
			if at == sub && head != "" {
				out = append(out, dxbc.Token{Kind: t.Kind, Text: head, Operand: t.Operand})
			}
			if !broken {
				break
			}
			at++
			t.Text = tail
		}
	}
	return out
}

// lanes returns the lanes that a component suffix names: of a source of an operation
// that works lane by lane, only those that the destination's mask asks for.
func (v *DXBC) lanes(instr, operand int, suffix string) uint8 {
	in := &v.p.Instrs[instr]
	want := uint8(15)
	suffix = strings.TrimPrefix(suffix, ".")
	if len(suffix) == 4 && operand >= int(in.NumDst) && in.NumDst > 0 && lanewise(in.Op) {
		if d := in.Dst(0); d.Mode == dxbc.CompMask && d.Mask != 0 {
			want = d.Mask
		}
	}
	if operand >= int(in.NumDst) && len(suffix) == 4 {
		switch in.Op {
		case dxbc.OpDp2:
			want = 3
		case dxbc.OpDp3:
			want = 7
		}
	}
	var m uint8
	for i := range len(suffix) {
		if want>>i&1 == 0 {
			continue
		}
		if c := strings.IndexByte("xyzw", suffix[i]); c >= 0 {
			m |= 1 << c
		}
	}
	return m
}

// lanewise reports whether lane k of an operation's result depends on lane k of its
// sources alone.
func lanewise(op dxbc.Op) bool {
	switch op {
	case dxbc.OpDp2, dxbc.OpDp3, dxbc.OpDp4:
		return false
	}
	const other = dxbc.FlagSample | dxbc.FlagLoad | dxbc.FlagSide | dxbc.FlagFlow | dxbc.FlagAtomic | dxbc.FlagDecl | dxbc.FlagDouble
	return op.Info().Flags&other == 0
}

// Lines returns the lines inside w.
func (v *DXBC) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(v.Len())
	out := make([]Line, 0, last-first)
	for n := first; n < last; n++ {
		out = append(out, v.one(n, sel))
	}
	return out
}

func (v *DXBC) one(n int, sel *Selection) Line {
	row := v.rows[n]
	l := Line{Ref: v.Ref(n)}
	linked := false
	if row.instr >= 0 {
		if row.sub == 0 {
			l.Gutter = padLeft(strconv.Itoa(int(row.instr)), v.digits)
		}
		l.Mark = v.marks[row.instr]
		linked = sel.Has(row.instr)
	}
	if l.Gutter == "" {
		l.Gutter = Spaces(v.digits)
	}
	toks, _ := v.tokens(n)
	l.Spans = make([]Span, 0, len(toks)+1)
	if row.instr >= 0 && v.indents[row.instr] > 0 {
		l.Spans = append(l.Spans, span(RoleDim, strings.Repeat("  ", min(v.indents[row.instr], 64))))
	}
	decl := row.instr >= 0 && v.p.Instrs[row.instr].Op.Has(dxbc.FlagDecl)
	for _, t := range toks {
		role := dxbcRoles[t.Kind]
		switch {
		case t.Kind == dxbc.TokMnemonic && decl:
			role = RoleDecl
		case t.Kind == dxbc.TokMnemonic && v.p.Instrs[row.instr].Op.Has(dxbc.FlagFlow):
			role = RoleKeyword
		case t.Kind == dxbc.TokRegister && t.Text[0] >= '0' && t.Text[0] <= '9':
			role = RoleLiteral
		case t.Kind == dxbc.TokRegister && t.Operand >= 0 && t.Operand < len(v.p.Instrs[row.instr].Operands):
			role = regRole(v.p.Instrs[row.instr].Operands[t.Operand].Reg, t.Text)
		}
		occurs := sel != nil && t.lanes.Reg != "" && t.lanes.Meets(sel.Lanes)
		l.Spans = append(l.Spans, Span{Role: role, Tok: uint16(t.tok), Text: t.Text, Emph: sel.emph(n, t.tok, occurs, false)})
	}
	sel.line(&l, n, linked)
	return l
}

// regRole is the role of a register token; one inside an index is told by its letter.
func regRole(t dxbc.RegType, text string) Role {
	if !strings.HasPrefix(text, t.String()) {
		return RoleRegister
	}
	switch t {
	case dxbc.RegResource, dxbc.RegSampler, dxbc.RegConstantBuffer, dxbc.RegUAV, dxbc.RegGroupShared, dxbc.RegImmediateConstantBuffer:
		return RoleResource
	case dxbc.RegTemp, dxbc.RegIndexableTemp, dxbc.RegNull:
		return RoleRegister
	}
	return RoleStageIO
}

// Ref stands for the line's instruction.
func (v *DXBC) Ref(n int) Ref {
	r := NoRef
	if n >= 0 && n < len(v.rows) && v.rows[n].instr >= 0 {
		r.Kind, r.Instr = RefInstr, v.rows[n].instr
	}
	return r
}

// Row returns the first line of an instruction, or -1.
func (v *DXBC) Row(instr int32) int {
	if instr < 0 || int(instr) >= len(v.rowOf) {
		return -1
	}
	return int(v.rowOf[instr])
}

// FirstInstr is the first instruction behind the declarations, or the last one.
func (v *DXBC) FirstInstr() int32 {
	for i := range v.p.Instrs {
		if op := v.p.Instrs[i].Op; !op.Has(dxbc.FlagDecl) && op != dxbc.OpCustomdata {
			return int32(i)
		}
	}
	return int32(len(v.p.Instrs)) - 1
}

// Tokens is the number of registers, literals and mnemonics of a line.
func (v *DXBC) Tokens(line int) int {
	_, n := v.tokens(line)
	return n
}

var resClass = map[dxbc.RegType]ir.Class{
	dxbc.RegResource: ir.SRV, dxbc.RegSampler: ir.Sampler, dxbc.RegConstantBuffer: ir.CBuffer, dxbc.RegUAV: ir.UAV,
}

// Focus of a line is its instruction; of a token, its register lanes and resource too.
func (v *DXBC) Focus(line, tok int) Focus {
	f := NoFocus
	if line < 0 || line >= len(v.rows) {
		return f
	}
	f.Instr = v.rows[line].instr
	if tok <= 0 {
		return f
	}
	toks, _ := v.tokens(line)
	for _, t := range toks {
		if t.tok != tok {
			continue
		}
		f.Lanes = t.lanes
		f.Dst = t.Operand >= 0 && t.Operand < int(v.p.Instrs[f.Instr].NumDst) && t.Text == firstReg(toks, t.Operand)
		if ops := v.p.Instrs[f.Instr].Operands; t.Kind == dxbc.TokRegister && t.Operand >= 0 && t.Operand < len(ops) {
			o := &ops[t.Operand]
			if class, ok := resClass[o.Reg]; ok && o.NumIndex > 0 && strings.HasPrefix(t.Text, o.Reg.String()) {
				f.Res = ResRef{Known: true, Class: class, Range: o.Index(0).Imm}
			}
		}
		break
	}
	return f
}

// firstReg is the text of the register that an operand begins with; those behind it are
// in its indices, which are read.
func firstReg(toks []dxbcTok, operand int) string {
	for _, t := range toks {
		if t.Operand == operand && t.Kind == dxbc.TokRegister {
			return t.Text
		}
	}
	return ""
}

// Literal returns the bits of the literal at a token.
func (v *DXBC) Literal(line, tok int) (bits uint32, ok bool) {
	toks, _ := v.tokens(line)
	lane := make(map[int]int)
	for _, t := range toks {
		if t.Kind != dxbc.TokLiteral {
			continue
		}
		if t.tok == tok {
			ops := v.p.Instrs[v.rows[line].instr].Operands
			if t.Operand < 0 || t.Operand >= len(ops) || ops[t.Operand].Reg != dxbc.RegImmediate32 || lane[t.Operand] > 3 {
				return 0, false
			}
			return ops[t.Operand].Imm[lane[t.Operand]], true
		}
		lane[t.Operand]++
	}
	return 0, false
}

// Seek returns the nearest line of the selection's instructions.
func (v *DXBC) Seek(sel *Selection, near int) int {
	best := -1
	for _, i := range sel.Instrs {
		n := v.Row(i)
		if n >= 0 && (best < 0 || abs(n-near) < abs(best-near)) {
			best = n
		}
	}
	return best
}

// Text returns a line with its indentation.
func (v *DXBC) Text(line int) string {
	if line < 0 || line >= len(v.rows) {
		return ""
	}
	row := v.rows[line]
	if row.instr < 0 {
		return v.p.Profile()
	}
	text := v.p.Text(int(row.instr))
	if v.p.Instrs[row.instr].Op == dxbc.OpCustomdata {
		ls := strings.Split(text, "\n")
		text = ls[min(int(row.sub), len(ls)-1)]
	}
	return strings.Repeat("  ", min(v.indents[row.instr], 64)) + text
}

// Writer returns the nearest line above line that writes any of the lanes, or -1.
func (v *DXBC) Writer(line int, lanes Lanes) int {
	for n := min(line, len(v.rows)) - 1; n > 0; n-- {
		i := v.rows[n].instr
		if i < 0 || v.rows[n].sub > 0 {
			continue
		}
		in := &v.p.Instrs[i]
		if in.NumDst == 0 || in.Op.Has(dxbc.FlagDecl) {
			continue
		}
		toks, _ := v.tokens(n)
		for _, t := range toks {
			if t.Kind == dxbc.TokRegister && t.Operand >= 0 && t.Operand < int(in.NumDst) && t.lanes.Meets(lanes) {
				return n
			}
		}
	}
	return -1
}

// Readers returns the instructions that have lanes of a register among their operands,
// declarations aside, ascending.
func (v *DXBC) Readers(lanes Lanes) []int32 {
	var out []int32
	for n := 1; n < len(v.rows); n++ {
		i := v.rows[n].instr
		if i < 0 || v.rows[n].sub > 0 || v.p.Instrs[i].Op.Has(dxbc.FlagDecl) {
			continue
		}
		toks, _ := v.tokens(n)
		for _, t := range toks {
			if t.lanes.Meets(lanes) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}
