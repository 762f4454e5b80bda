package wgsl

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"fxlens/core/ir"
)

// stmtKind is the shape of a statement.
type stmtKind uint8

const (
	stLet      stmtKind = iota // let text = x;
	stVar                      // var text: decl = x; decl empty: from x; x nil: zero
	stAssign                   // lhs text x; text is "=" when empty
	stCall                     // x;
	stReturn                   // return x; x may be nil
	stBreak                    // break;
	stContinue                 // continue;
	stDiscard                  // discard;
	stIf                       // if (x) { body } else { els }
	stLoop                     // loop { body }
	stWhile                    // while (x) { body }
	stFor                      // for (init; x; step) { body }
	stSwitch                   // switch (x) { clauses }
	stBlock                    // the statements of body, without braces
	stComment                  // // text
)

// stmt is a WGSL statement. value and instr are those of its own tokens.
type stmt struct {
	kind    stmtKind
	text    string
	decl    string
	lhs     *expr
	x       *expr
	body    []stmt
	els     []stmt
	clauses []clause
	init    *stmt  // stFor
	step    *stmt  // stFor
	note    string // comment at the end of the first line
	value   ir.ValueID
	instr   int32
	end     int32 // instruction of the closing brace, or -1
	node    ir.NodeID
}

// clause is one clause of a switch.
type clause struct {
	labels    []string // case labels; empty: only default
	isDefault bool
	body      []stmt
	instr     int32
}

// newStmt is a statement that belongs to no instruction yet.
func newStmt(k stmtKind) stmt {
	return stmt{kind: k, value: ir.NoValue, instr: -1, end: -1, node: ir.NoNode}
}

func letStmt(name string, x *expr) stmt {
	s := newStmt(stLet)
	s.text, s.x = name, x
	return s
}

func varStmt(name, decl string, x *expr) stmt {
	s := newStmt(stVar)
	s.text, s.decl, s.x = name, decl, x
	return s
}

func assignStmt(lhs, x *expr) stmt {
	s := newStmt(stAssign)
	s.lhs, s.x = lhs, x
	return s
}

func callStmt(x *expr) stmt {
	s := newStmt(stCall)
	s.x = x
	return s
}

// returnStmt is return x, or return alone where x is nil.
func returnStmt(x *expr) stmt {
	s := newStmt(stReturn)
	s.x = x
	return s
}

func ifStmt(cond *expr, body ...stmt) stmt {
	s := newStmt(stIf)
	s.x, s.body = cond, body
	return s
}

// blockStmt joins statements to one.
func blockStmt(list ...stmt) stmt {
	s := newStmt(stBlock)
	s.body = list
	return s
}

// printer writes statements and remembers what every token belongs to.
type printer struct {
	text   []byte
	tokens []Token
	indent int
	line   line // the line at hand: one at a time
}

func newPrinter() *printer { return &printer{} }

// printers keeps the memory of printers that are done.
var printers = sync.Pool{New: func() any { return newPrinter() }}

// expect makes room for so many expressions. Large programs have two to two and a half
// tokens for each, of four characters on average.
func (p *printer) expect(exprs int) {
	p.tokens = slices.Grow(p.tokens, exprs*5/2)
	p.text = slices.Grow(p.text, exprs*10)
}

// take returns what was printed, in memory of its own, and gives the printer back.
func (p *printer) take() (string, []Token) {
	code := string(p.text)
	var tokens []Token
	if n := len(p.tokens); n > 1<<14 && cap(p.tokens) < n+n/2 {
		tokens, p.tokens = p.tokens, nil // rather than copy so many
	} else {
		tokens = slices.Clone(p.tokens)
	}
	const keep = 1 << 20 // a module beyond this is rare
	if cap(p.text) < keep {
		p.text, p.tokens, p.indent = p.text[:0], p.tokens[:0], 0
		clear(p.line.pieces[:cap(p.line.pieces)])
		printers.Put(p)
	}
	return code, tokens
}

// begin starts a line whose own tokens belong to the value and the instruction.
func (p *printer) begin(v ir.ValueID, instr int32) *line {
	p.line = line{pieces: p.line.pieces[:0], value: v, instr: instr}
	return &p.line
}

// maxColumns is where the printer starts to look for a place to break a line.
const maxColumns = 100

// piece is a token that waits for its place on a line.
type piece struct {
	text  string
	role  Role
	value ir.ValueID
	instr int32
	space bool // a space before it, unless a line begins with it
	brk   int  // the line may break before it; lower breaks first; 0: never
}

// line collects the pieces of one statement's line.
type line struct {
	pieces []piece
	notes  []string // names of constants, for a comment at the end
	space  bool     // before the next piece
	value  ir.ValueID
	instr  int32
}

func (l *line) add(text string, r Role, v ir.ValueID, instr int32) {
	l.pieces = append(l.pieces, piece{text: text, role: r, value: v, instr: instr, space: l.space})
	l.space = false
}

// put adds a token of the statement itself.
func (l *line) put(text string, r Role) { l.add(text, r, l.value, l.instr) }

// word adds a token of the statement with a space behind it.
func (l *line) word(text string, r Role) {
	l.put(text, r)
	l.space = true
}

// breakable lets the line break before the next piece.
func (l *line) breakable(from, depth int) {
	if from < len(l.pieces) && l.pieces[from].brk == 0 {
		l.pieces[from].brk = depth
	}
}

// Precedence classes of WGSL's grammar. Operands of the bitwise operators and of
// shifts must be unary expressions, those of comparisons must not be bitwise or
// logical, and the logical operators do not mix.
const (
	precBitwise = iota
	precLogical
	precCompare
	precShift
	precAdd
	precMul
	precUnary
	precPrimary
)

func precedence(x *expr) int {
	switch x.op {
	case exUnary:
		return precUnary
	case exLiteral:
		if strings.HasPrefix(x.text, "-") {
			return precUnary
		}
	case exBinary:
		switch x.text {
		case "&", "|", "^":
			return precBitwise
		case "&&", "||":
			return precLogical
		case "<<", ">>":
			return precShift
		case "+", "-":
			return precAdd
		case "*", "/", "%":
			return precMul
		}
		return precCompare
	}
	return precPrimary
}

// parens reports whether operand side (0 left, 1 right) of binary x needs
// parentheses.
func parens(x *expr, side int) bool {
	a := x.args[side]
	p, q := precedence(x), precedence(a)
	integer := a.typ.kind != ir.F32
	switch p {
	case precBitwise:
		return q < precUnary && !(q == p && a.text == x.text)
	case precLogical:
		return q < precCompare && !(q == p && a.text == x.text)
	case precCompare:
		return q <= precShift // a shift could end a template list: a < b >> c
	case precShift:
		return q < precUnary
	case precAdd, precMul:
		if side == 0 {
			return q < p
		}
		// a + (b + c) is a + b + c where no rounding tells them apart
		return q < p || q == p && !(integer && a.text == x.text && (x.text == "+" || x.text == "*"))
	}
	return false
}

// expr adds the pieces of x. Depth counts the nesting for line breaks.
func (l *line) expr(x *expr, depth int) {
	switch x.op {
	case exIdent, exLiteral:
		l.add(x.text, x.role, x.value, x.instr)
	case exUnary:
		l.add(x.text, x.role, x.value, x.instr)
		a := x.args[0]
		if q := precedence(a); q < precUnary || q == precUnary && x.text != "!" {
			l.group(x, a, depth)
		} else {
			l.expr(a, depth)
		}
	case exBinary:
		inner := func(side int) int {
			if precedence(x.args[side]) == precedence(x) {
				return depth
			}
			return depth + 1
		}
		if parens(x, 0) {
			l.group(x, x.args[0], depth+1)
		} else {
			l.expr(x.args[0], inner(0))
		}
		l.space = true
		at := len(l.pieces)
		l.add(x.text, RoleOperator, x.value, x.instr)
		l.breakable(at, depth+1)
		l.space = true
		if parens(x, 1) {
			l.group(x, x.args[1], depth+1)
		} else {
			l.expr(x.args[1], inner(1))
		}
	case exCall:
		l.callName(x)
		l.add("(", RolePunct, x.value, x.instr)
		for i, a := range x.args {
			at := len(l.pieces)
			if templateTrap(x.args, i) {
				l.group(x, a, depth+1)
			} else {
				l.expr(a, depth+1)
			}
			if i > 0 {
				l.breakable(at, depth+1)
			}
			if i+1 < len(x.args) {
				l.add(",", RolePunct, x.value, x.instr)
				l.space = true
			}
		}
		l.add(")", RolePunct, x.value, x.instr)
	case exMember:
		if precedence(x.args[0]) < precPrimary {
			l.group(x, x.args[0], depth)
		} else {
			l.expr(x.args[0], depth)
		}
		l.add(".", RolePunct, x.value, x.instr)
		l.add(x.text, RoleMember, x.value, x.instr)
	case exIndex:
		l.expr(x.args[0], depth)
		l.add("[", RolePunct, x.value, x.instr)
		l.expr(x.args[1], depth+1)
		l.add("]", RolePunct, x.value, x.instr)
	}
	if x.note != "" && !slices.Contains(l.notes, x.note) {
		l.notes = append(l.notes, x.note)
	}
}

// callName adds the name of a function or type, in its own tokens.
func (l *line) callName(x *expr) {
	head, _, ok := strings.Cut(x.text, "<")
	if !ok {
		l.add(x.text, x.role, x.value, x.instr)
		return
	}
	l.add(head, x.role, x.value, x.instr)
	l.add(x.text[len(head):], RoleType, x.value, x.instr)
}

func (l *line) group(x, a *expr, depth int) {
	l.add("(", RolePunct, x.value, x.instr)
	l.expr(a, depth)
	l.add(")", RolePunct, x.value, x.instr)
}

// templateTrap reports whether argument i has a < that a > of a later argument
// would turn into a template list: f(a < b, c > d).
func templateTrap(args []*expr, i int) bool {
	if !openCompare(args[i], "<") {
		return false
	}
	for _, a := range args[i+1:] {
		if openCompare(a, ">") {
			return true
		}
	}
	return false
}

// openCompare reports whether x prints an operator beginning with c outside of
// parentheses.
func openCompare(x *expr, c string) bool {
	switch x.op {
	case exBinary:
		return strings.HasPrefix(x.text, c) || !parens(x, 0) && openCompare(x.args[0], c) || !parens(x, 1) && openCompare(x.args[1], c)
	case exUnary:
		return precedence(x.args[0]) >= precUnary && openCompare(x.args[0], c)
	}
	return false
}

// emit writes the collected pieces, on several lines where they are too long.
// The names of the constants stand in a comment behind them, or above where that
// would be too long.
func (p *printer) emit(l *line) {
	width := 2 * p.indent
	comment := ""
	if len(l.notes) > 0 {
		comment = "// " + strings.Join(l.notes, ", ")
	}
	for i := range l.pieces {
		x := &l.pieces[i]
		width += len(x.text)
		if x.space {
			width++
		}
	}
	limit := 0
	if width > maxColumns {
		limit = p.breakDepth(l)
	}
	if comment != "" && width+len(comment)+2 > maxColumns {
		p.startLine(0)
		p.token(comment, RoleComment, ir.NoValue, -1)
		p.byte('\n')
		comment = ""
	}
	column := p.startLine(0)
	for i := range l.pieces {
		x := &l.pieces[i]
		space := x.space
		if x.brk > 0 && x.brk <= limit {
			w := 0 // of what cannot be taken apart from here
			for j := i; j < len(l.pieces) && (j == i || l.pieces[j].brk == 0 || l.pieces[j].brk > limit); j++ {
				w += len(l.pieces[j].text)
				if l.pieces[j].space && j > i {
					w++
				}
			}
			if column+w+1 > maxColumns {
				p.byte('\n')
				column = p.startLine(2)
				space = false
			}
		}
		if space && i > 0 {
			p.byte(' ')
			column++
		}
		p.token(x.text, x.role, x.value, x.instr)
		column += len(x.text)
	}
	if comment != "" {
		p.text = append(p.text, "  "...)
		p.token(comment, RoleComment, ir.NoValue, -1)
	}
	p.byte('\n')
}

// breakDepth is the least depth of breaks that makes all lines short enough, or
// the greatest there is.
func (p *printer) breakDepth(l *line) int {
	deepest := 0
	for _, x := range l.pieces {
		deepest = max(deepest, x.brk)
	}
	for d := 1; d < deepest; d++ {
		run, longest := 0, 0
		for i, x := range l.pieces {
			if i > 0 && x.brk > 0 && x.brk <= d {
				run = 0
			}
			run += len(x.text)
			if x.space {
				run++
			}
			longest = max(longest, run)
		}
		if longest+2*p.indent+4 <= maxColumns {
			return d
		}
	}
	return deepest
}

func (p *printer) startLine(more int) int {
	n := 2 * (p.indent + more)
	p.text = roomy(p.text, n)
	for range n {
		p.text = append(p.text, ' ')
	}
	return n
}

func (p *printer) token(text string, r Role, v ir.ValueID, instr int32) {
	p.tokens = append(roomy(p.tokens, 1), Token{Off: uint32(len(p.text)), Len: uint32(len(text)), Role: r, Value: v, Instr: instr})
	p.text = append(roomy(p.text, len(text)), text...)
}

// roomy doubles a list that has no room for n more: append alone would copy a long one
// five times over.
func roomy[T any](list []T, n int) []T {
	if cap(list)-len(list) < n {
		return slices.Grow(list, max(len(list), n, 16))
	}
	return list
}

func (p *printer) byte(c byte) { p.text = append(p.text, c) }

// gap leaves one empty line behind what has been written.
func (p *printer) gap() {
	if len(p.text) > 0 && !bytes.HasSuffix(p.text, []byte("\n\n")) {
		if p.text[len(p.text)-1] != '\n' {
			p.byte('\n')
		}
		p.byte('\n')
	}
}

// raw writes WGSL text that is not made of expressions, token by token.
func (p *printer) raw(text string, instr int32) {
	for i := 0; i < len(text); {
		c := text[i]
		j := i + 1
		switch {
		case c == ' ' || c == '\n' || c == '\t':
			p.byte(c)
			i = j
			continue
		case strings.HasPrefix(text[i:], "//"):
			for j < len(text) && text[j] != '\n' {
				j++
			}
			p.token(text[i:j], RoleComment, ir.NoValue, instr)
		case strings.HasPrefix(text[i:], "/*"):
			if k := strings.Index(text[i:], "*/"); k >= 0 {
				j = i + k + 2
			} else {
				j = len(text)
			}
			p.token(text[i:j], RoleComment, ir.NoValue, instr)
		case c == '@':
			for j < len(text) && isWord(text[j]) {
				j++
			}
			p.token(text[i:j], RoleAttribute, ir.NoValue, instr)
		case c >= '0' && c <= '9':
			for j < len(text) && (isWord(text[j]) || text[j] == '.') {
				j++
			}
			p.token(text[i:j], RoleLiteral, ir.NoValue, instr)
		case isWord(c):
			for j < len(text) && isWord(text[j]) {
				j++
			}
			w := text[i:j]
			r := RoleVariable
			switch known := rawWords()[w]; {
			case known != 0:
				r = known
			case i > 0 && text[i-1] == '.':
				r = RoleMember
			case j < len(text) && text[j] == '(':
				r = RoleFunction
			}
			p.token(w, r, ir.NoValue, instr)
		case strings.IndexByte("+-*/%&|^!~<>=", c) >= 0:
			p.token(text[i:j], RoleOperator, ir.NoValue, instr)
		default:
			p.token(text[i:j], RolePunct, ir.NoValue, instr)
		}
		i = j
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// rawWords are the keywords and the types of WGSL, with their roles.
var rawWords = sync.OnceValue(func() map[string]Role {
	m := map[string]Role{}
	for w := range wordSet("alias break case const continue continuing default diagnostic discard else enable fn for if let loop override requires return struct switch var while true false") {
		m[w] = RoleKeyword
	}
	for w := range wordSet("bool f16 f32 i32 u32 vec2 vec3 vec4 array atomic ptr sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d texture_depth_2d texture_depth_2d_array texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d texture_storage_1d texture_storage_2d texture_storage_2d_array texture_storage_3d") {
		m[w] = RoleType
	}
	return m
})

// body writes the statements of the entry function behind its signature.
func (p *printer) body(list []stmt) {
	p.byte(' ')
	p.token("{", RolePunct, ir.NoValue, -1)
	p.byte('\n')
	p.indent++
	p.list(list)
	p.indent--
	l := p.begin(ir.NoValue, -1)
	l.put("}", RolePunct)
	p.emit(l)
}

func (p *printer) list(list []stmt) {
	for i := range list {
		p.stmt(&list[i])
	}
}

// stmt writes one statement.
func (p *printer) stmt(s *stmt) {
	if s.kind == stBlock {
		p.list(s.body)
		return
	}
	l := p.begin(s.value, s.instr)
	switch s.kind {
	case stComment:
		l.put("// "+s.text, RoleComment)
		p.emit(l)
		return
	case stIf:
		p.ifStmt(s, l)
		return
	case stLoop:
		l.word("loop", RoleKeyword)
		p.block(l, s.body, s)
		return
	case stWhile:
		l.word("while", RoleKeyword)
		p.condition(l, s.x)
		p.block(l, s.body, s)
		return
	case stFor:
		l.word("for", RoleKeyword)
		l.put("(", RolePunct)
		l.simple(s.init)
		l.word(";", RolePunct)
		l.expr(s.x, 0)
		l.word(";", RolePunct)
		l.simple(s.step)
		l.put(")", RolePunct)
		l.space = true
		p.block(l, s.body, s)
		return
	case stSwitch:
		l.word("switch", RoleKeyword)
		p.condition(l, s.x)
		l.put("{", RolePunct)
		p.emit(l)
		p.indent++
		for i := range s.clauses {
			p.clause(&s.clauses[i], s)
		}
		p.indent--
		p.closing(s)
		return
	}
	l.simple(s)
	l.put(";", RolePunct)
	if s.note != "" {
		l.space = true
		l.put("// "+s.note, RoleComment)
	}
	p.emit(l)
}

// simple adds a statement that fits into a for's header, without its semicolon.
func (l *line) simple(s *stmt) {
	v, in := l.value, l.instr
	l.value, l.instr = s.value, s.instr
	switch s.kind {
	case stLet:
		l.word("let", RoleKeyword)
		l.word(s.text, RoleVariable)
		l.word("=", RoleOperator)
		l.expr(s.x, 0)
	case stVar:
		l.word("var", RoleKeyword)
		l.put(s.text, RoleVariable)
		if s.decl != "" {
			l.word(":", RolePunct)
			l.put(s.decl, RoleType)
		}
		if s.x != nil {
			l.space = true
			l.word("=", RoleOperator)
			l.expr(s.x, 0)
		}
	case stAssign:
		l.expr(s.lhs, 0)
		l.space = true
		op := s.text
		if op == "" {
			op = "="
		}
		l.word(op, RoleOperator)
		l.expr(s.x, 0)
	case stCall:
		l.expr(s.x, 0)
	case stReturn:
		l.put("return", RoleKeyword)
		if s.x != nil {
			l.space = true
			l.expr(s.x, 0)
		}
	case stBreak:
		l.put("break", RoleKeyword)
	case stContinue:
		l.put("continue", RoleKeyword)
	case stDiscard:
		l.put("discard", RoleKeyword)
	}
	l.value, l.instr = v, in
}

// condition adds a parenthesised condition.
func (p *printer) condition(l *line, x *expr) {
	l.put("(", RolePunct)
	l.expr(x, 0)
	l.put(")", RolePunct)
	l.space = true
}

// block writes the line that l began, a body, and the closing brace.
func (p *printer) block(l *line, body []stmt, s *stmt) {
	l.put("{", RolePunct)
	p.emit(l)
	p.indent++
	p.list(body)
	p.indent--
	p.closing(s)
}

func (p *printer) closing(s *stmt) {
	l := p.begin(s.value, s.end)
	l.put("}", RolePunct)
	p.emit(l)
}

// ifStmt writes an if with its chain of else ifs.
func (p *printer) ifStmt(s *stmt, l *line) {
	for {
		l.word("if", RoleKeyword)
		p.condition(l, s.x)
		l.put("{", RolePunct)
		p.emit(l)
		p.indent++
		p.list(s.body)
		p.indent--
		end := s.end
		if len(s.els) == 0 {
			p.closing(s)
			return
		}
		l = p.begin(s.value, end)
		l.word("}", RolePunct)
		l.word("else", RoleKeyword)
		if len(s.els) == 1 && s.els[0].kind == stIf {
			s = &s.els[0]
			l.value, l.instr = s.value, s.instr
			continue
		}
		l.put("{", RolePunct)
		p.emit(l)
		p.indent++
		p.list(s.els)
		p.indent--
		p.closing(s)
		return
	}
}

// clause writes one clause of a switch.
func (p *printer) clause(c *clause, s *stmt) {
	l := p.begin(s.value, s.instr)
	if c.instr >= 0 {
		l.instr = c.instr
	}
	if len(c.labels) == 0 {
		l.word("default:", RoleKeyword)
	} else {
		l.word("case", RoleKeyword)
		for i, x := range c.labels {
			if i > 0 {
				l.word(",", RolePunct)
			}
			l.put(x, RoleLiteral)
		}
		if c.isDefault {
			l.word(",", RolePunct)
			l.put("default", RoleKeyword)
		}
		l.word(":", RolePunct)
	}
	if len(c.body) == 0 {
		l.put("{}", RolePunct)
		p.emit(l)
		return
	}
	l.put("{", RolePunct)
	p.emit(l)
	p.indent++
	p.list(c.body)
	p.indent--
	end := p.begin(s.value, -1)
	end.put("}", RolePunct)
	p.emit(end)
}
