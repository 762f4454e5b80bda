package dxbc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// AsmError says where assembling failed.
type AsmError struct {
	Line, Column int // both from 1; Column counts bytes
	Reason       string
}

// Error prints "line 12, column 5: reason".
func (e *AsmError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Unwrap returns [ErrMalformed].
func (e *AsmError) Unwrap() error { return ErrMalformed }

// Assemble makes a container from a listing as [Disassemble] prints it. The
// other chunks are those of like, with STAT brought up to date. Without like the
// signatures come from the header comment, or, where it has none, from the
// declarations, and the container has no reflection.
//
// Literals may be written in every class of instruction as decimals, floats or
// hex words; a float with six decimals is the nearest one, not always the
// original: a listing made with ListOptions.Exact keeps every bit. Text after //
// is a comment. Errors are [*AsmError].
func Assemble(text string, like *Shader) ([]byte, error) {
	p, err := AssembleProgram(text)
	if err != nil {
		return nil, err
	}
	code := Chunk{Tag: codeTag(p), Offset: -1, Data: wordBytes(p.Words)}
	slots, hasSlots := slotsOf(text)
	own, known := p.Count()
	if !hasSlots {
		slots = own.Instructions
	}
	if like != nil {
		return likeContainer(like, code, p, own, known, slots)
	}
	own.Instructions = slots
	if strings.Contains(text, "\n"+sampleFrequency+"\n") {
		own.SampleFrequency = 1
	}
	own.Words = 37
	if p.Major < 5 {
		own.Words = 29
	}
	in, out, patch, given, err := headerSignatures(text)
	if err != nil {
		return nil, err
	}
	if !given {
		in, out, patch = p.deriveSignatures()
	}
	chunks := []Chunk{{Tag: in.Tag, Data: in.Bytes()}}
	if patch != nil && p.Kind == Domain {
		chunks = append(chunks, Chunk{Tag: patch.Tag, Data: patch.Bytes()})
	}
	chunks = append(chunks, Chunk{Tag: out.Tag, Data: out.Bytes()})
	if patch != nil && p.Kind != Domain {
		chunks = append(chunks, Chunk{Tag: patch.Tag, Data: patch.Bytes()})
	}
	chunks = append(chunks, code, Chunk{Tag: "STAT", Data: own.Bytes()})
	return Build(chunks, p.needsDebug())
}

// needsDebug reports whether the program only runs with the debug layer.
func (p *Program) needsDebug() bool {
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Op == OpAbort || in.Op == OpCustomdata && in.Custom.Class == CustomMessage {
			return true
		}
	}
	return false
}

// codeTag chooses the chunk that a compiler would put the program in.
func codeTag(p *Program) string {
	if p.Major >= 5 || p.Kind == Compute {
		return "SHEX"
	}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Op.row().Since >= 50 || in.Op == OpDclResourceRaw || in.Op == OpDclResourceStructured {
			return "SHEX"
		}
		for j := range in.Operands {
			if in.Operands[j].Min != MinDefault {
				return "SHEX"
			}
		}
	}
	return "SHDR"
}

func likeContainer(like *Shader, code Chunk, p *Program, own Stat, known uint64, slots uint32) ([]byte, error) {
	chunks := slices.Clone(like.Container.Chunks)
	done := false
	for i := range chunks {
		switch c := &chunks[i]; c.Tag {
		case "SHEX", "SHDR":
			if !done && like.Code != nil && c.Offset == like.Code.Offset {
				c.Data, done = code.Data, true
			}
		case "STAT":
			if like.Stat == nil {
				break
			}
			st := *like.Stat
			if !slices.Equal(p.Words, like.Program.Words) {
				to, from := st.fields(), own.fields()
				for w := range to {
					if known>>w&1 != 0 {
						*to[w] = *from[w]
					}
				}
			}
			st.Instructions = slots
			c.Data = append(st.Bytes(), c.Data[4*st.Words:]...)
		}
	}
	if !done {
		chunks = append(chunks, code)
	}
	return Build(chunks, like.Container.Sum == SumDebug || p.needsDebug() && !like.Program.needsDebug())
}

// slotsOf reads the last line of a listing.
func slotsOf(text string) (uint32, bool) {
	i := strings.LastIndex(text, "// Approximately ")
	if i < 0 {
		return 0, false
	}
	f := strings.Fields(text[i:])
	if len(f) < 3 {
		return 0, false
	}
	n, err := strconv.ParseUint(f[2], 10, 32)
	return uint32(n), err == nil
}

// AssembleProgram makes a program from a listing; comments, the header among
// them, are skipped. Errors are [*AsmError].
func AssembleProgram(text string) (*Program, error) {
	a := assembler{text: text}
	if len(text) > maxContainer {
		return nil, &AsmError{1, 1, fmt.Sprintf("the listing has %d bytes, the limit is %d", len(text), maxContainer)}
	}
	if err := a.run(); err != nil {
		return nil, err
	}
	words, err := a.p.encode(a.raw)
	if err != nil {
		e := err.(*Error)
		line := 1
		if n := e.Instr - 1; n >= 0 && n < len(a.lines) {
			line = a.lines[n]
		}
		return nil, &AsmError{line, 1, e.Reason}
	}
	// Decoding the result fills in offsets and proves that it can be read.
	p, err := DecodeWords(words, DecodeOptions{})
	if err != nil {
		e := err.(*Error)
		line := 1
		if n := e.Instr - 1; n >= 0 && n < len(a.lines) {
			line = a.lines[n]
		}
		return nil, &AsmError{line, 1, e.Reason}
	}
	return p, nil
}

type assembler struct {
	text  string
	at    int // next line
	line  int // number of the current line
	p     Program
	lines []int            // line of each instruction
	raw   map[int][]uint32 // words given in a comment, by instruction

	s         string // current line
	pos       int
	declaring bool // the operand being read is declared, not used
}

func (a *assembler) fail(format string, args ...any) *AsmError {
	return &AsmError{a.line, a.pos + 1, fmt.Sprintf(format, args...)}
}

// next moves to the next line.
func (a *assembler) next() bool {
	if a.at >= len(a.text) {
		return false
	}
	rest := a.text[a.at:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		a.s = rest[:i]
		a.at += i + 1
	} else {
		a.s = rest
		a.at = len(a.text)
	}
	a.line++
	a.pos = 0
	return true
}

// run reads the version line, then one instruction a line. Errors are
// returned as error so that a nil one is nil.
func (a *assembler) run() error {
	version := false
	for a.next() {
		a.space()
		if a.end() {
			continue
		}
		if c, ok := a.commentLine(); ok {
			if c != nil && version {
				a.add(Instr{Op: OpCustomdata, Custom: c})
			}
			continue
		}
		if strings.HasPrefix(a.rest(), "#") { // #line of debug listings
			continue
		}
		if !version {
			word := a.word()
			v, ok := parseProfile(word)
			if !ok {
				a.pos = 0
				a.space()
				return a.fail("%.40q: the first line of a program is its profile, such as ps_5_0", word)
			}
			a.p = Program{Kind: ProgramKind(v >> 16), Major: uint8(v >> 4 & 15), Minor: uint8(v & 15)}
			version = true
			if err := a.finish(); err != nil {
				return err
			}
			continue
		}
		if err := a.instr(); err != nil {
			return err
		}
	}
	if !version {
		a.line = max(a.line, 1)
		return a.fail("the text has no program: a line with a profile such as ps_5_0 is missing")
	}
	return nil
}

func (a *assembler) add(in Instr) {
	a.p.Instrs = append(a.p.Instrs, in)
	a.lines = append(a.lines, a.line)
}

// commentLine recognises a line that is only a comment, and the comment blocks
// of the program among them.
func (a *assembler) commentLine() (*Custom, bool) {
	r := a.rest()
	if !strings.HasPrefix(r, "//") {
		return nil, false
	}
	if text, ok := strings.CutPrefix(r, "// COMMENT: "); ok {
		return &Custom{Class: CustomComment, Words: textWords(text, 1)}, true
	}
	return nil, true
}

// textWords packs text into words, padded with at least pad zero bytes.
func textWords(text string, pad int) []uint32 {
	n := (len(text) + pad + 3) / 4
	w := make([]uint32, n)
	for i := range len(text) {
		w[i/4] |= uint32(text[i]) << (8 * (i % 4))
	}
	return w
}

func (a *assembler) rest() string { return a.s[a.pos:] }
func (a *assembler) end() bool    { return a.pos >= len(a.s) }

func (a *assembler) space() {
	for !a.end() && (a.s[a.pos] == ' ' || a.s[a.pos] == '\t' || a.s[a.pos] == '\r') {
		a.pos++
	}
}

func (a *assembler) peek() byte {
	if a.end() {
		return 0
	}
	return a.s[a.pos]
}

// accept takes text when it comes next, blanks before it skipped.
func (a *assembler) accept(text string) bool {
	old := a.pos
	a.space()
	if strings.HasPrefix(a.rest(), text) {
		a.pos += len(text)
		return true
	}
	a.pos = old
	return false
}

func (a *assembler) expect(text string) *AsmError {
	if a.accept(text) {
		return nil
	}
	a.space()
	if a.end() {
		return a.fail("%q is missing at the end of the line", text)
	}
	return a.fail("%q is expected here, not %.20q", text, a.rest())
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// word takes letters, digits and underscores.
func (a *assembler) word() string {
	a.space()
	start := a.pos
	for !a.end() && isWord(a.s[a.pos]) {
		a.pos++
	}
	return a.s[start:a.pos]
}

// number takes a decimal or hex number of 32 bits.
func (a *assembler) number(what string) (uint32, *AsmError) {
	a.space()
	start := a.pos
	w := a.word()
	v, err := strconv.ParseUint(w, 0, 32)
	if err != nil || w == "" {
		a.pos = start
		return 0, a.fail("%s should be here: a number of 32 bits, not %.20q", what, a.rest())
	}
	return uint32(v), nil
}

// finish checks that the line ends, a comment aside.
func (a *assembler) finish() *AsmError {
	a.space()
	if r := a.rest(); r != "" && !strings.HasPrefix(r, "//") {
		return a.fail("the line should end here, not go on with %.20q", r)
	}
	return nil
}

const wordsMark = "  // = "

// words takes an instruction from the words that an exact listing has in a
// comment behind it. A line that was edited and kept the comment is refused.
func (a *assembler) words() (bool, *AsmError) {
	text, hex, ok := strings.Cut(a.rest(), wordsMark)
	if !ok {
		return false, nil
	}
	words := []uint32{uint32(a.p.Kind)<<16 | uint32(a.p.Major)<<4 | uint32(a.p.Minor), 0}
	for _, f := range strings.Fields(hex) {
		v, err := strconv.ParseUint(f, 0, 32)
		if err != nil {
			return false, a.fail("%.20q in the comment is no word of the instruction", f)
		}
		words = append(words, uint32(v))
	}
	words[1] = uint32(len(words))
	p, err := DecodeWords(words, DecodeOptions{})
	if err != nil || len(p.Instrs) != 1 {
		return false, a.fail("the words in the comment are no instruction")
	}
	given := printer{op: -1, sm51: a.p.SM51(), exact: true}
	given.instr(&p.Instrs[0])
	if strings.TrimSpace(string(given.b)) != strings.TrimSpace(text) {
		return false, a.fail("the words in the comment are those of another instruction, %.80q: remove the comment to use the text", given.b)
	}
	if a.raw == nil {
		a.raw = map[int][]uint32{}
	}
	a.raw[len(a.p.Instrs)] = words[2:]
	a.add(p.Instrs[0])
	return true, nil
}

// op splits a mnemonic into an opcode and its suffixes.
func (a *assembler) op() (Instr, *AsmError) {
	a.space()
	start := a.pos
	w := a.word()
	for n := len(w); n > 0; n-- {
		op, ok := opByName()[w[:n]]
		if !ok || n < len(w) && w[n] != '_' && op != OpDclGlobalFlags {
			continue
		}
		in := Instr{Op: op, NumDst: uint8(len(op.row().Out))}
		if op.Has(FlagDecl) {
			in.Decl = &Decl{}
			in.NumDst = 0
		}
		if suffixes(&in, w[n:]) {
			return in, nil
		}
	}
	a.pos = start
	if w == "" {
		return Instr{}, a.fail("an instruction should be here, not %.20q", a.rest())
	}
	return Instr{}, a.fail("unknown instruction %.60q", w)
}

// cut takes a suffix off the front of s.
func cut(s *string, suffix string) bool {
	rest, ok := strings.CutPrefix(*s, suffix)
	if ok && (rest == "" || rest[0] == '_') {
		*s = rest
		return true
	}
	return false
}

// suffixes reads the suffixes of a mnemonic in the order of printing.
func suffixes(in *Instr, s string) bool {
	op, row := in.Op, in.Op.row()
	switch op {
	case OpSync:
		cut(&s, "_sat")
		switch {
		case cut(&s, "_uglobal"):
			in.Sync |= SyncUAVGlobal
		case cut(&s, "_ugroup"):
			in.Sync |= SyncUAVGroup
		}
		if cut(&s, "_g") {
			in.Sync |= SyncTGSM
		}
		if cut(&s, "_t") {
			in.Sync |= SyncThreads
		}
		return s == ""
	case OpDclGlobalFlags:
		return s == "" || s == "none"
	case OpDclResource, OpDclUavTyped:
		if s == "" || s[0] != '_' {
			return false
		}
		s = s[1:]
		for d := len(dimNames) - 1; d > 0; d-- {
			if rest, ok := strings.CutPrefix(s, dimNames[d]); ok && (rest == "" || rest[0] == '_') {
				in.Decl.Dim, s = Dim(d), rest
				break
			}
		}
		if in.Decl.Dim == DimUnknown {
			return false
		}
	case OpDclInterface:
		in.Decl.Dynamic = cut(&s, "_dynamicindexed")
		return s == ""
	case OpCustomdata:
		return s == ""
	}
	if row.Flags&FlagDecl != 0 {
		if op == OpDclUavTyped || op == OpDclUavRaw || op == OpDclUavStructured {
			in.Decl.Coherent = cut(&s, "_glc")
			if op == OpDclUavStructured {
				in.Decl.Counter = cut(&s, "_opc")
			}
			in.Decl.Ordered = cut(&s, "_rov")
		}
		return s == ""
	}
	if row.Flags&FlagCond != 0 {
		switch {
		case cut(&s, "_nz"):
			in.NonZero = true
		case cut(&s, "_z"):
		default:
			return false
		}
	}
	if cut(&s, "_aoffimmi") {
		in.extended |= extOffs
	}
	if cut(&s, "_indexable") {
		in.extended |= extDim
	}
	in.Sat = cut(&s, "_sat")
	return resultType(in, s)
}

// resultType reads the suffix that says what resinfo and sampleinfo return.
func resultType(in *Instr, s string) bool {
	switch {
	case s == "":
		return true
	case in.Op == OpResinfo && s == "_rcpfloat":
		in.ResInfo = 1
	case in.Op == OpResinfo && s == "_uint":
		in.ResInfo = 2
	case in.Op == OpSampleinfo && s == "_uint":
		in.ResInfo = 1
	default:
		return false
	}
	return true
}

func (a *assembler) instr() error {
	a.space()
	if done, err := a.words(); done || err != nil {
		return orNil(err)
	}
	switch {
	case strings.HasPrefix(a.rest(), "dcl_immediateConstantBuffer"):
		return orNil(a.icb())
	case strings.HasPrefix(a.rest(), "printf ") || strings.HasPrefix(a.rest(), "errorf "):
		return orNil(a.message())
	case strings.HasPrefix(a.rest(), undecipherable):
		return a.fail("the text does not carry this block of data: list it with the exact option")
	}
	in, err := a.op()
	if err != nil {
		return err
	}
	switch {
	case in.Op == OpCustomdata:
		return orNil(a.customdata(&in))
	case in.Decl != nil:
		a.declaring = true
		err := a.decl(&in)
		a.declaring = false
		if err != nil {
			return err
		}
	default:
		if err := a.exec(&in); err != nil {
			return err
		}
	}
	if err := a.finish(); err != nil {
		return err
	}
	a.add(in)
	return nil
}

func orNil(e *AsmError) error {
	if e == nil {
		return nil
	}
	return e
}

func (a *assembler) exec(in *Instr) *AsmError {
	row := in.Op.row()
	if a.accept("[precise") {
		in.Precise = 15
		if a.accept("(") {
			m, ok := maskOf(a.word())
			if !ok {
				return a.fail("a precise mask holds x, y, z and w in this order")
			}
			in.Precise = m
			if err := a.expect(")"); err != nil {
				return err
			}
		}
		if err := a.expect("]"); err != nil {
			return err
		}
	}
	for a.peek() == '(' {
		if err := a.group(in); err != nil {
			return err
		}
	}
	if a.peek() == '_' {
		w := a.word()
		if !resultType(in, w) {
			return a.fail("%s has no suffix %.20q", in.Op, w)
		}
	}
	if (in.HasOffs() && in.Offs == [3]int8{127, 127, 127}) || in.HasDim() && in.Dim == DimUnknown {
		return a.fail("%s promises offsets or a dimension that do not follow", in.Op)
	}
	n := len(row.Out) + len(row.In)
	for i := range n {
		if i > 0 {
			if err := a.expect(","); err != nil {
				return err
			}
		}
		o, err := a.operand(i < len(row.Out), row.Lit)
		if err != nil {
			return err
		}
		in.Operands = append(in.Operands, o)
	}
	if in.Op == OpFcall {
		if err := a.expect("["); err != nil {
			return err
		}
		var err *AsmError
		if in.FuncIndex, err = a.number("the method"); err != nil {
			return err
		}
		if err := a.expect("]"); err != nil {
			return err
		}
	}
	// The compiler's own forms of these have a word without meaning.
	switch in.Op {
	case OpSamplepos:
		if in.Src(0).Reg == RegResource {
			in.Trailing = 1
		}
	case OpSampleClS, OpSampleBClS, OpSampleDClS, OpSampleCClS, OpSampleCLzS:
		in.Trailing = 1
	}
	return nil
}

// group reads a parenthesis after a mnemonic: offsets, dimension, or return types.
func (a *assembler) group(in *Instr) *AsmError {
	open := a.pos
	a.pos++
	if c := a.peek(); c == '-' || c >= '0' && c <= '9' {
		for i := range 3 {
			if i > 0 {
				if err := a.expect(","); err != nil {
					return err
				}
			}
			a.space()
			at := a.pos
			neg := a.accept("-")
			v, err := a.number("an offset")
			if err != nil {
				return err
			}
			if v > 8 || v == 8 && !neg {
				a.pos = at
				return a.fail("an offset lies between -8 and 7")
			}
			in.Offs[i] = int8(v)
			if neg {
				in.Offs[i] = -int8(v)
			}
		}
		in.extended |= extOffs
		return a.expect(")")
	}
	inside, _, ok := strings.Cut(a.s[a.pos:], ")")
	if !ok {
		return a.fail("a parenthesis is not closed")
	}
	if strings.Count(inside, ",") == 3 {
		in.extended |= extRet
		return a.returns(&in.Return, open)
	}
	name, stride, hasStride := strings.Cut(inside, ",")
	for d, n := range dimNames {
		if n == name {
			in.extended |= extDim
			in.Dim = Dim(d)
			if hasStride {
				v, ok := strings.CutPrefix(strings.TrimSpace(stride), "stride=")
				x, err := strconv.ParseUint(v, 10, 12)
				if !ok || err != nil {
					return a.fail("a stride is written stride=16 and has 12 bits")
				}
				in.Stride = uint16(x)
			}
			a.pos += len(inside) + 1
			return nil
		}
	}
	return a.fail("%.30q is no dimension", name)
}

// returns reads "(float,float,float,float)"; at is where the parenthesis opens.
func (a *assembler) returns(r *[4]ReturnType, at int) *AsmError {
	a.pos = at
	if err := a.expect("("); err != nil {
		return err
	}
	for i := range r {
		if i > 0 {
			if err := a.expect(","); err != nil {
				return err
			}
		}
		a.space()
		end := strings.IndexAny(a.rest(), ",)")
		if end < 0 {
			return a.fail("a parenthesis is not closed")
		}
		w := a.rest()[:end]
		k := slices.Index(returnNames[:], w)
		if w == ReturnType(0).String() {
			k = 0
		}
		if k < 0 || w == "" {
			return a.fail("%.30q is no component type", w)
		}
		r[i] = ReturnType(k)
		a.pos += end
	}
	return a.expect(")")
}

func maskOf(w string) (uint8, bool) {
	var m uint8
	for i := range len(w) {
		c := strings.IndexByte("xyzw", w[i])
		if c < 0 || m>>c != 0 {
			return 0, false
		}
		m |= 1 << c
	}
	return m, true
}

var regByName = sync.OnceValue(func() map[string]RegType {
	m := map[string]RegType{}
	for r, n := range regNames {
		m[n] = RegType(r)
	}
	for r, n := range upper51 {
		if n != "" {
			m[n] = RegType(r)
		}
	}
	return m
})
