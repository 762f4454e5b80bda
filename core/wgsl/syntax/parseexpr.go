package syntax

// expression reads an expression. WGSL has no table of precedences that mixes all
// operators: logical ones with each other, bitwise ones, shifts and the rest need
// parentheses between them.
func (p *parser) expression() Expr {
	defer p.enter()()
	first := p.unary()
	if t := p.cur(); t.kind == tOp {
		switch t.text {
		case "&", "|", "^":
			return p.chain(first, p.unary)
		}
	}
	x := p.relational(first)
	if p.is("&&") || p.is("||") {
		return p.chain(x, func() Expr { return p.relational(p.unary()) })
	}
	return x
}

// binary makes a node, and remembers its operator for [parser.mixing].
func (p *parser) binary(op token, x, y Expr) Expr {
	p.op = op
	return &Binary{Span: Span{x.Range().Pos, y.Range().End}, Op: op.text, X: x, Y: y}
}

// mixing fails at two operators that have no order: the one of the expression just read
// and the current one. The place is from one to the other.
func (p *parser) mixing() {
	t := p.cur()
	p.fail(Span{p.op.Pos, t.End}, "mixing %q and %q requires parenthesis", p.op.text, t.text)
}

// chain reads more operands of the current operator. Another one of the kind beside it
// has no order and is refused.
func (p *parser) chain(x Expr, operand func() Expr) Expr {
	op := p.cur()
	for p.is(op.text) {
		t := p.advance()
		x = p.binary(t, x, operand())
	}
	if t := p.cur(); t.kind == tOp && (logicalOps[t.text] || bitOps[t.text] || bitOps[op.text] && (arithmeticOps[t.text] || relationOps[t.text])) {
		p.mixing()
	}
	return x
}

var (
	logicalOps    = words("&& ||")
	bitOps        = words("& | ^")
	relationOps   = words("== != < > <= >=")
	shiftOps      = words("<< >>")
	arithmeticOps = words("+ - * / % << >>")
)

// relational reads a comparison, shift or sum that begins with x.
func (p *parser) relational(x Expr) Expr {
	x = p.shiftOrSum(x)
	if t := p.cur(); t.kind == tOp && relationOps[t.text] {
		p.advance()
		x = p.binary(t, x, p.shiftOrSum(p.unary()))
		if n := p.cur(); n.kind == tOp && (relationOps[n.text] || bitOps[n.text]) {
			p.mixing()
		}
	} else if t.kind == tOp && bitOps[t.text] {
		p.mixing()
	}
	return x
}

func (p *parser) shiftOrSum(x Expr) Expr {
	t := p.cur()
	if t.kind != tOp || !shiftOps[t.text] {
		x = p.sum(x)
		if n := p.cur(); n.kind == tOp && shiftOps[n.text] {
			p.mixing()
		}
		return x
	}
	p.advance()
	x = p.binary(t, x, p.unary())
	if n := p.cur(); n.kind == tOp && (arithmeticOps[n.text] || bitOps[n.text]) {
		p.mixing()
	}
	return x
}

func (p *parser) sum(x Expr) Expr {
	x = p.product(x)
	for p.is("+") || p.is("-") || p.is("--") {
		t := p.cur()
		if t.text == "--" {
			t = p.splitMinus()
		} else {
			p.advance()
		}
		x = p.binary(t, x, p.product(p.unary()))
	}
	return x
}

func (p *parser) product(x Expr) Expr {
	for p.is("*") || p.is("/") || p.is("%") {
		t := p.advance()
		x = p.binary(t, x, p.unary())
	}
	return x
}

// splitMinus takes the first half of the current --, which is two minus signs wherever an
// expression stands: no statement is an operand.
func (p *parser) splitMinus() token {
	t := p.cur()
	p.ahead[0] = token{tOp, Span{t.Pos + 1, t.End}, "-"}
	return token{tOp, Span{t.Pos, t.Pos + 1}, "-"}
}

func (p *parser) unary() Expr {
	t := p.cur()
	if t.kind == tOp {
		switch t.text {
		case "-", "!", "~", "&", "*":
			defer p.enter()()
			p.advance()
			x := p.unary()
			return &Unary{Span: Span{t.Pos, x.Range().End}, Op: t.text, X: x}
		case "--":
			defer p.enter()()
			p.splitMinus()
			x := p.unary()
			return &Unary{Span: Span{t.Pos, x.Range().End}, Op: "-", X: x}
		case "++":
			p.fail(t.Span, "%q is a statement, not an expression", t.text)
		case "&&": // address of address of: lexed as one token
			p.fail(t.Span, "expected an expression, got %q", t.text)
		}
	}
	return p.singular()
}

func (p *parser) singular() Expr { return p.postfix(p.primary()) }

// postfix reads the indices and members behind x.
func (p *parser) postfix(x Expr) Expr {
	for {
		start := x.Range().Pos
		switch {
		case p.accept("["):
			i := p.expression()
			p.expect("]", "for the index")
			x = &Index{Span: p.from(start), X: x, I: i}
		case p.accept("."):
			n := p.ident("a member or swizzle")
			x = &Select{Span: p.from(start), X: x, Name: n}
		default:
			return x
		}
	}
}

func (p *parser) primary() Expr {
	t := p.cur()
	switch {
	case p.is("("):
		p.advance()
		x := p.expression()
		p.expect(")", "for the parentheses")
		return &Paren{Span: p.from(t.Pos), X: x}
	case t.kind == tInt:
		p.advance()
		return &Literal{Span: t.Span, Text: t.text, Kind: IntLiteral}
	case t.kind == tFloat:
		p.advance()
		return &Literal{Span: t.Span, Text: t.text, Kind: FloatLiteral}
	case p.is("true") || p.is("false"):
		p.advance()
		return &Literal{Span: t.Span, Text: t.text, Kind: BoolLiteral}
	case t.kind == tIdent:
		id := p.templated()
		if p.is("(") {
			return p.callRest(id)
		}
		return id
	}
	p.expected("an expression")
	return nil
}

func (p *parser) callRest(id *Ident) *Call {
	p.advance()
	c := &Call{Fun: id, Args: p.args(")", false)}
	c.Span = p.from(id.Pos)
	return c
}
