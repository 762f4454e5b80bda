package syntax

import "fmt"

func (p *parser) block(where string) *Block {
	defer p.enter()()
	start := p.expect("{", where).Pos
	b := &Block{}
	for !p.is("}") {
		if p.cur().kind == tEOF {
			p.expected("\"}\" " + where)
		}
		if p.accept(";") {
			continue
		}
		b.Stmts = append(b.Stmts, p.statement())
	}
	p.advance()
	b.Span = p.from(start)
	return b
}

func (p *parser) attrBlock(where string) *Block {
	attrs := p.attrs()
	b := p.block(where)
	b.Attrs = attrs
	return b
}

func (p *parser) statement() Stmt {
	start := p.cur().Pos
	attrs := p.attrs()
	t := p.cur()
	if t.kind == tKeyword {
		switch t.text {
		case "if":
			return p.ifStmt(start, attrs)
		case "switch":
			return p.switchStmt(start, attrs)
		case "loop":
			return p.loop(start, attrs)
		case "for":
			return p.forStmt(start, attrs)
		case "while":
			p.advance()
			s := &While{Attrs: attrs, Cond: p.expression()}
			s.Body = p.attrBlock("for the while loop")
			s.Span = p.from(start)
			return s
		}
	}
	if p.is("{") {
		b := p.block("for the block")
		b.Attrs = attrs
		return b
	}
	if len(attrs) > 0 {
		if p.cur().kind == tEOF || p.is(";") || p.is("}") {
			p.expected("a statement after attributes")
		}
		p.unexpectedAttrs(attrs)
	}
	if t.kind == tKeyword {
		switch t.text {
		case "break", "continue", "discard":
			p.advance()
			if t.text == "break" && p.is("if") {
				p.fail(p.cur().Span, "break-if must be the last statement of a continuing block")
			}
			p.expect(";", fmt.Sprintf("after %q", t.text))
			return &Jump{Span: p.from(start), Kind: t.text}
		case "return":
			p.advance()
			r := &Return{}
			if !p.is(";") {
				r.X = p.expression()
			}
			p.expect(";", "after the return statement")
			r.Span = p.from(start)
			return r
		case "const_assert":
			return p.constAssert()
		case "override":
			p.fail(t.Span, "override declarations are for module scope")
		}
	}
	s := p.simple()
	p.expect(";", "after the statement")
	return s
}

// simple reads what may stand in the header of for: a declaration, an assignment, an
// increment, a call.
func (p *parser) simple() Stmt {
	start := p.cur().Pos
	if p.is("var") || p.is("let") || p.is("const") {
		return &VarStmt{p.variable(nil)}
	}
	if p.accept("_") {
		p.expect("=", "for the phony assignment")
		a := &Assign{Op: "=", R: p.expression()}
		a.Span = p.from(start)
		return a
	}
	var l Expr
	switch {
	case p.cur().kind == tIdent:
		id := p.templated()
		if p.is("(") { // no left side of an assignment is a call
			return &CallStmt{p.callRest(id)}
		}
		l = p.postfix(id)
	case p.is("*") || p.is("&") || p.is("("):
		l = p.unary()
	default:
		p.expected("a statement")
	}
	switch t := p.cur(); {
	case t.kind == tOp && (t.text == "++" || t.text == "--"):
		p.advance()
		return &IncDec{Span: p.from(start), L: l, Op: t.text}
	case t.kind == tOp && assignOps[t.text]:
		p.advance()
		a := &Assign{L: l, Op: t.text, R: p.expression()}
		a.Span = p.from(start)
		return a
	}
	p.expected("\"=\" for the assignment")
	return nil
}

var assignOps = words("= += -= *= /= %= &= |= ^= <<= >>=")

func (p *parser) ifStmt(start int, attrs []*Attr) *If {
	defer p.enter()()
	p.advance()
	s := &If{Attrs: attrs, Cond: p.expression()}
	s.Then = p.attrBlock("for the if statement")
	if p.is("else") {
		from := p.advance().Pos
		if p.is("if") {
			s.Else = p.ifStmt(from, nil)
		} else {
			s.Else = p.attrBlock("for the else statement")
		}
	}
	s.Span = p.from(start)
	return s
}

func (p *parser) switchStmt(start int, attrs []*Attr) *Switch {
	defer p.enter()()
	p.advance()
	s := &Switch{Attrs: attrs, X: p.expression()}
	s.BodyAttrs = p.attrs()
	p.expect("{", "for the switch statement")
	for !p.is("}") {
		from := p.cur().Pos
		c := &Clause{}
		switch {
		case p.accept("default"):
			c.Selectors = []Expr{nil}
		case p.accept("case"):
			for {
				if p.accept("default") {
					c.Selectors = append(c.Selectors, nil)
				} else {
					c.Selectors = append(c.Selectors, p.expression())
				}
				if !p.accept(",") || p.is(":") || p.is("{") || p.is("@") {
					break
				}
			}
		default:
			p.expected("\"case\" or \"default\" in the switch statement")
		}
		p.accept(":")
		c.Body = p.attrBlock("for the case")
		c.Span = p.from(from)
		s.Clauses = append(s.Clauses, c)
	}
	p.advance()
	s.Span = p.from(start)
	return s
}

func (p *parser) loop(start int, attrs []*Attr) *Loop {
	defer p.enter()()
	p.advance()
	l := &Loop{Attrs: attrs, BodyAttrs: p.attrs()}
	b := &Block{}
	from := p.expect("{", "for the loop").Pos
	for !p.is("}") {
		switch {
		case p.cur().kind == tEOF:
			p.expected("\"}\" for the loop")
		case p.accept(";"):
			continue
		case p.is("continuing"):
			p.advance()
			l.Continuing, l.BreakIf = p.continuing()
			if !p.is("}") {
				p.expected("\"}\" behind the continuing block")
			}
			continue
		}
		b.Stmts = append(b.Stmts, p.statement())
	}
	p.advance()
	b.Span = p.from(from)
	l.Body = b
	l.Span = p.from(start)
	return l
}

func (p *parser) continuing() (*Block, Expr) {
	b := &Block{Attrs: p.attrs()}
	from := p.expect("{", "for the continuing block").Pos
	var breakIf Expr
	for !p.is("}") {
		switch {
		case p.cur().kind == tEOF:
			p.expected("\"}\" for the continuing block")
		case p.accept(";"):
			continue
		case p.is("break") && p.ahead[1].kind == tKeyword && p.ahead[1].text == "if":
			at := p.advance()
			p.advance()
			breakIf = p.expression()
			p.expect(";", "after break if")
			for p.accept(";") {
			}
			if !p.is("}") {
				p.fail(at.Span, "break-if must be the last statement of a continuing block")
			}
			continue
		}
		b.Stmts = append(b.Stmts, p.statement())
	}
	p.advance()
	b.Span = p.from(from)
	return b, breakIf
}

func (p *parser) forStmt(start int, attrs []*Attr) *For {
	defer p.enter()()
	p.advance()
	s := &For{Attrs: attrs}
	p.expect("(", "for the loop's header")
	if !p.is(";") {
		s.Init = p.simple()
	}
	p.expect(";", "behind the initialiser of the for loop")
	if !p.is(";") {
		s.Cond = p.expression()
	}
	p.expect(";", "behind the condition of the for loop")
	if !p.is(")") {
		s.Post = p.simple()
		if _, decl := s.Post.(*VarStmt); decl {
			p.fail(s.Post.Range(), "the continuing part of a for loop declares nothing")
		}
	}
	p.expect(")", "for the loop's header")
	s.Body = p.attrBlock("for the loop")
	s.Span = p.from(start)
	return s
}
