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
			return p.chain(first, t.text, p.unary)
		}
	}
	x := p.relational(first)
	if t := p.cur(); t.kind == tOp && (t.text == "&&" || t.text == "||") {
		return p.chain(x, t.text, func() Expr { return p.relational(p.unary()) })
	}
	return x
}

// chain reads more operands of one operator. Another one of the kind beside it has no
// order and is refused.
func (p *parser) chain(x Expr, op string, operand func() Expr) Expr {
	for p.is(op) {
		p.advance()
		y := operand()
		x = &Binary{Span: Span{x.Range().Pos, y.Range().End}, Op: op, X: x, Y: y}
	}
	switch t := p.cur(); {
	case t.kind == tOp && (t.text == "&" || t.text == "|" || t.text == "^" || t.text == "&&" || t.text == "||"):
		p.fail(t.Span, "mixing %q and %q requires parenthesis", op, t.text)
	case t.kind == tOp && (op == "&" || op == "|" || op == "^") && (binaryOps[t.text] || t.text == "<<" || t.text == ">>"):
		p.fail(t.Span, "mixing %q and %q requires parenthesis", op, t.text)
	}
	return x
}

var binaryOps = words("+ - * / % == != < > <= >=")

// relational reads a comparison, shift or sum that begins with x.
func (p *parser) relational(x Expr) Expr {
	if t := p.cur(); t.kind == tOp && (t.text == "<<" || t.text == ">>") {
		x = p.shift(x)
	} else {
		x = p.sum(x)
	}
	t := p.cur()
	if t.kind != tOp {
		return x
	}
	switch t.text {
	case "==", "!=", "<", ">", "<=", ">=":
		p.advance()
		y := p.unary()
		if n := p.cur(); n.kind == tOp && (n.text == "<<" || n.text == ">>") {
			y = p.shift(y)
		} else {
			y = p.sum(y)
		}
		x = &Binary{Span: Span{x.Range().Pos, y.Range().End}, Op: t.text, X: x, Y: y}
		if n := p.cur(); n.kind == tOp {
			switch n.text {
			case "==", "!=", "<", ">", "<=", ">=", "&", "|", "^", "<<", ">>":
				p.fail(n.Span, "mixing %q and %q requires parenthesis", t.text, n.text)
			}
		}
	case "&", "|", "^", "<<", ">>":
		p.fail(t.Span, "mixing arithmetic and %q requires parenthesis", t.text)
	}
	return x
}

func (p *parser) shift(x Expr) Expr {
	op := p.advance()
	y := p.unary()
	x = &Binary{Span: Span{x.Range().Pos, y.Range().End}, Op: op.text, X: x, Y: y}
	if t := p.cur(); t.kind == tOp {
		switch t.text {
		case "<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^":
			p.fail(t.Span, "mixing %q and %q requires parenthesis", op.text, t.text)
		}
	}
	return x
}

func (p *parser) sum(x Expr) Expr {
	x = p.product(x)
	for p.is("+") || p.is("-") {
		op := p.advance()
		y := p.product(p.unary())
		x = &Binary{Span: Span{x.Range().Pos, y.Range().End}, Op: op.text, X: x, Y: y}
	}
	return x
}

func (p *parser) product(x Expr) Expr {
	for p.is("*") || p.is("/") || p.is("%") {
		op := p.advance()
		y := p.unary()
		x = &Binary{Span: Span{x.Range().Pos, y.Range().End}, Op: op.text, X: x, Y: y}
	}
	return x
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
		case "--", "++":
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
