package dxbc

import (
	"strconv"
)

// TokenKind says what a piece of a listing line is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokPunct     TokenKind = iota // separators and brackets
	TokMnemonic                   // the name of the instruction with _z, _nz, _sat and the like
	TokKeyword                    // words of declarations: modes, dimensions, types, precisions
	TokRegister                   // a register with its numbers
	TokComponent                  // a mask, swizzle or selected component, with its dot
	TokLiteral                    // a number inside l(...) or d(...)
	TokNumber                     // a number of a declaration or suffix
	TokString                     // the text of a message
	TokComment                    // a comment
)

var tokenKinds = [...]string{"punct", "mnemonic", "keyword", "register", "component", "literal", "number", "string", "comment"}

// String returns the word: "mnemonic".
func (k TokenKind) String() string { return pick(tokenKinds[:], uint32(k), "token") }

// Token is a piece of a listing line.
type Token struct {
	Kind    TokenKind
	Text    string
	Operand int // index in Instr.Operands, or -1; registers inside an index have the index of the whole
}

// mark is where a token starts in the buffer of a printer.
type mark struct {
	kind    TokenKind
	operand int
	at      int
}

// printer writes listing text. The same code makes the whole listing and the
// tokens of one line, so that the two cannot differ.
type printer struct {
	b     []byte
	rec   bool // record marks
	marks []mark
	op    int // operand being printed, or -1
	exact bool
	sm51  bool
}

func (w *printer) as(k TokenKind) {
	if w.rec {
		w.marks = append(w.marks, mark{k, w.op, len(w.b)})
	}
}

func (w *printer) put(k TokenKind, s string) {
	w.as(k)
	w.b = append(w.b, s...)
}

func (w *printer) num(k TokenKind, n uint32) {
	w.as(k)
	w.b = strconv.AppendUint(w.b, uint64(n), 10)
}

// tokens cuts the buffer at the marks; neighbours of one kind and operand join.
func (w *printer) tokens() []Token {
	s := string(w.b)
	out := make([]Token, 0, len(w.marks))
	for i, m := range w.marks {
		end := len(s)
		if i+1 < len(w.marks) {
			end = w.marks[i+1].at
		}
		if m.at == end {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Kind == m.kind && out[n-1].Operand == m.operand {
			out[n-1].Text += s[m.at:end]
			continue
		}
		out = append(out, Token{m.kind, s[m.at:end], m.operand})
	}
	return out
}

// Line returns the tokens of instruction i, without indentation: their texts,
// joined, are the line of the listing. An immediate constant buffer has line
// breaks inside. i outside the program gives nil.
func (p *Program) Line(i int) []Token {
	if i < 0 || i >= len(p.Instrs) {
		return nil
	}
	w := printer{rec: true, op: -1, sm51: p.SM51()}
	w.instr(&p.Instrs[i])
	return w.tokens()
}

// Text returns the line of instruction i, without indentation.
func (p *Program) Text(i int) string {
	if i < 0 || i >= len(p.Instrs) {
		return ""
	}
	w := printer{op: -1, sm51: p.SM51()}
	w.instr(&p.Instrs[i])
	return string(w.b)
}

// Indents returns the indentation level of every instruction; a level is two blanks.
func (p *Program) Indents() []int {
	out := make([]int, len(p.Instrs))
	level := 0
	for i := range p.Instrs {
		f := p.Instrs[i].Op.row().Flags
		if f&FlagCloses != 0 && level > 0 {
			level--
		}
		out[i] = level
		if f&FlagOpens != 0 {
			level++
		}
	}
	return out
}

var letterOf = [4]byte{'x', 'y', 'z', 'w'}

func (w *printer) letters(mask uint8) {
	for c := range 4 {
		if mask>>c&1 != 0 {
			w.b = append(w.b, letterOf[c])
		}
	}
}

func (w *printer) instr(in *Instr) {
	row := in.Op.row()
	switch {
	case in.Op == OpCustomdata:
		w.custom(in)
		return
	case row.Flags&FlagReserved != 0:
		w.reserved(in)
		return
	case row.Flags&FlagDecl != 0:
		w.decl(in)
		return
	case in.Op == OpSync:
		w.sync(in)
		return
	}
	w.put(TokMnemonic, row.Name)
	if row.Flags&FlagCond != 0 {
		if in.NonZero {
			w.b = append(w.b, "_nz"...)
		} else {
			w.b = append(w.b, "_z"...)
		}
	}
	if in.HasOffs() {
		w.b = append(w.b, "_aoffimmi"...)
	}
	if in.HasDim() {
		w.b = append(w.b, "_indexable"...)
	}
	if in.Sat {
		w.b = append(w.b, "_sat"...)
	}
	if in.Precise != 0 {
		w.put(TokKeyword, " [precise")
		if in.Precise != 15 {
			w.b = append(w.b, '(')
			w.letters(in.Precise)
			w.b = append(w.b, ')')
		}
		w.b = append(w.b, ']')
	}
	if in.HasOffs() {
		w.put(TokPunct, "(")
		for i, o := range in.Offs {
			if i > 0 {
				w.put(TokPunct, ",")
			}
			w.as(TokNumber)
			w.b = strconv.AppendInt(w.b, int64(o), 10)
		}
		w.put(TokPunct, ")")
	}
	if in.HasDim() {
		w.put(TokPunct, "(")
		w.put(TokKeyword, in.Dim.String())
		if in.Dim == DimStructuredBuffer {
			w.put(TokPunct, ", ")
			w.put(TokKeyword, "stride=")
			w.num(TokNumber, uint32(in.Stride))
		}
		w.put(TokPunct, ")")
	}
	if in.HasRet() {
		w.returns(&in.Return)
	}
	switch {
	case in.Op == OpResinfo && in.ResInfo == 1:
		w.put(TokMnemonic, "_rcpfloat")
	case in.Op == OpResinfo && in.ResInfo == 2, in.Op == OpSampleinfo && in.ResInfo == 1:
		w.put(TokMnemonic, "_uint")
	}
	w.put(TokPunct, " ")
	dst := MinDefault
	if in.NumDst > 0 {
		dst = in.Operands[0].Min
	}
	for i := range in.Operands {
		w.op = -1
		if i > 0 {
			w.put(TokPunct, ", ")
		}
		w.op = i
		src := i - int(in.NumDst)
		w.operand(&in.Operands[i], row.Lit, src >= 0 && row.MinMask>>src&1 != 0, dst)
	}
	w.op = -1
	if in.Op == OpFcall {
		w.put(TokPunct, "[")
		w.num(TokNumber, in.FuncIndex)
		w.put(TokPunct, "]")
	}
}

// reserved prints what a tolerant decoder kept: the two texts are Microsoft's.
func (w *printer) reserved(in *Instr) {
	w.as(TokMnemonic)
	if in.Op == OpReserved107 {
		w.b = append(w.b, "jmp"...)
	}
	if in.Sat {
		w.b = append(w.b, "_sat"...)
	}
	w.put(TokPunct, " ")
}

func (w *printer) sync(in *Instr) {
	w.put(TokMnemonic, "sync")
	f := in.Sync
	if f&SyncUAVGroup != 0 { // bit 13 is that of saturation, and prints as it
		w.b = append(w.b, "_sat"...)
	}
	switch {
	case f&SyncUAVGlobal != 0:
		w.b = append(w.b, "_uglobal"...)
	case f&SyncUAVGroup != 0:
		w.b = append(w.b, "_ugroup"...)
	}
	if f&SyncTGSM != 0 {
		w.b = append(w.b, "_g"...)
	}
	if f&SyncThreads != 0 {
		w.b = append(w.b, "_t"...)
	}
}

func (w *printer) returns(r *[4]ReturnType) {
	w.put(TokPunct, "(")
	for i, t := range r {
		if i > 0 {
			w.put(TokPunct, ",")
		}
		w.put(TokKeyword, t.String())
	}
	w.put(TokPunct, ")")
}

// operand prints o. as asks for the form of sources that are converted to the
// precision of the first destination, dst.
func (w *printer) operand(o *Operand, lit LitClass, as bool, dst MinPrecision) {
	abs := o.Mod == ModAbs || o.Mod == ModNegAbs
	switch o.Mod {
	case ModNeg:
		w.put(TokPunct, "-")
	case ModAbs:
		w.put(TokPunct, "|")
	case ModNegAbs:
		w.put(TokPunct, "-|")
	}
	switch o.Reg {
	case RegImmediate32:
		w.immediate(o, lit)
	case RegImmediate64:
		w.put(TokRegister, "d")
		w.put(TokPunct, "(")
		w.double(o.Imm[0], o.Imm[1])
		if o.Mode != CompOne {
			w.put(TokPunct, ", ")
			w.double(o.Imm[2], o.Imm[3])
		}
		w.put(TokPunct, ")")
	default:
		w.register(o)
		w.components(o)
	}
	switch {
	case as && o.Min != dst:
		w.put(TokPunct, " {")
		w.put(TokKeyword, o.Min.String())
		w.put(TokKeyword, " as ")
		w.put(TokKeyword, dst.String())
		w.put(TokPunct, "}")
	case o.Min != MinDefault:
		w.put(TokPunct, " {")
		w.put(TokKeyword, o.Min.String())
		w.put(TokPunct, "}")
	}
	if o.NonUniform {
		w.put(TokPunct, " { ")
		w.put(TokKeyword, "nonuniform")
		w.put(TokPunct, " }")
	}
	if abs {
		w.put(TokPunct, "|")
	}
}

func (w *printer) immediate(o *Operand, lit LitClass) {
	w.put(TokRegister, "l")
	w.put(TokPunct, "(")
	n := 4
	if o.Mode == CompOne {
		n = 1
	}
	for i := range n {
		if i > 0 {
			if lit == LitAuto {
				w.put(TokPunct, ",")
			} else {
				w.put(TokPunct, ", ")
			}
		}
		w.literal(o.Imm[i], lit)
	}
	w.put(TokPunct, ")")
}

// literal prints a word by its class. Where every bit counts, a text that reads
// back as another word gives way to hex.
func (w *printer) literal(v uint32, lit LitClass) {
	w.as(TokLiteral)
	at := len(w.b)
	switch lit {
	case LitFloat:
		w.b = appendFloat(w.b, v)
	case LitAuto:
		w.b = appendAuto(w.b, v)
	default:
		w.b = appendInt(w.b, v)
	}
	if w.exact {
		if back, ok := parseLiteral(string(w.b[at:]), lit); !ok || back != v {
			w.b = appendHex(append(w.b[:at], "0x"...), v)
		}
	}
}

func (w *printer) double(low, high uint32) {
	w.as(TokLiteral)
	at := len(w.b)
	w.b = appendDouble(w.b, low, high)
	if w.exact {
		if back, ok := parseDouble(string(w.b[at:])); !ok || back != uint64(high)<<32|uint64(low) {
			w.b = appendHex(appendHex(append(w.b[:at], "0x"...), high), low)
		}
	}
}

func (w *printer) components(o *Operand) {
	switch o.Mode {
	case CompMask:
		w.put(TokComponent, ".")
		w.letters(o.Mask)
	case CompSwizzle:
		w.as(TokComponent)
		s := &o.Swizzle
		w.b = append(w.b, '.', letterOf[s[0]&3], letterOf[s[1]&3], letterOf[s[2]&3], letterOf[s[3]&3])
	case CompSelect:
		w.as(TokComponent)
		w.b = append(w.b, '.', letterOf[o.Swizzle[0]&3])
	}
}

// How the indices of a register file print (dxbc.md section 8.4).
const (
	idxPlain   = iota // numbers one after the other: r3, and r78 for two
	idxAll            // two indices both in brackets: v[3][1]
	idxSecond         // the second in brackets: x0[4]
	idxBracket        // as idxSecond, and a single one in brackets too: this[2]
)

var indexStyle = [numRegTypes]uint8{
	RegInput: idxAll, RegOutput: idxAll, RegInputControlPoint: idxAll, RegOutputControlPoint: idxAll,
	RegIndexableTemp: idxSecond, RegConstantBuffer: idxSecond, RegSampler: idxSecond, RegResource: idxSecond,
	RegUAV: idxSecond, RegInterface: idxSecond, RegFunctionInput: idxSecond, RegFunctionOutput: idxSecond,
	RegThis: idxBracket,
}

// upper51 has the register files whose names are upper case in 5.1, where the
// first index is a range.
var upper51 = [numRegTypes]string{RegSampler: "S", RegResource: "T", RegUAV: "U", RegConstantBuffer: "CB"}

func (w *printer) register(o *Operand) {
	name := o.Reg.String()
	if w.sm51 && int(o.Reg) < numRegTypes && upper51[o.Reg] != "" {
		name = upper51[o.Reg]
	}
	w.put(TokRegister, name)
	style := uint8(idxPlain)
	if int(o.Reg) < numRegTypes {
		style = indexStyle[o.Reg]
	}
	n := int(o.NumIndex)
	for i := range n {
		x := o.Index(i)
		bracket := style == idxAll && n > 1 || style != idxPlain && i > 0 || style == idxBracket && n == 1
		w.index(x, bracket)
	}
}

func (w *printer) index(x Index, bracket bool) {
	switch {
	case x.Rep == 1: // 64 bits: Microsoft's printer shows nothing
	case x.Rel != nil && x.Rep != 4:
		w.put(TokPunct, "[")
		w.operand(x.Rel, LitInt, false, MinDefault)
		w.put(TokPunct, " + ")
		w.num(TokNumber, x.Imm)
		w.put(TokPunct, "]")
	case bracket:
		w.put(TokPunct, "[")
		w.num(TokRegister, x.Imm)
		w.put(TokPunct, "]")
	default:
		w.num(TokRegister, x.Imm)
	}
}

// Message decodes the payload of a message block, false where it is none or damaged.
func (c *Custom) Message() (Message, bool) {
	w := c.Words
	if c.Class != CustomMessage || len(w) < 5 || w[0] != MessagePrintf && w[0] != MessageErrorf {
		return Message{}, false
	}
	m := Message{ID: w[0], Style: w[1]}
	chars, count, opWords := w[2], w[3], w[4]
	if uint64(opWords) > uint64(len(w)-5) || count > opWords {
		return Message{}, false
	}
	end := 5 + int(opWords)
	text := w[end:]
	if uint64(chars) > 4*uint64(len(text)) {
		return Message{}, false
	}
	d := decoder{w: w, opt: DecodeOptions{MaxDepth: defaultDepth}}
	m.Operands = make([]Operand, count)
	pos := 5
	for i := range m.Operands {
		var err *Error
		if pos, err = d.operand(&m.Operands[i], pos, end, 1); err != nil {
			return Message{}, false
		}
	}
	m.Text = string(wordBytes(text)[:chars])
	return m, true
}
