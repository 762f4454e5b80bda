package syntax

import (
	"fmt"
	"maps"
	"slices"
)

// MaxDepth bounds the nesting of statements and expressions, as Tint does.
const MaxDepth = 256

// maxFindings bounds the findings of names and types: each costs the time that its place
// on the line takes, and nobody reads more.
const maxFindings = 100

// maxErrors ends the parser where a source is no WGSL at all.
const maxErrors = 64

// Parse reads a source. The tree has what could be read: after an error it goes on with
// the next declaration. The findings are in the order of the source; a source without
// findings is syntactically valid.
func Parse(src string) (*File, Errors) {
	f := &File{Source: src, lines: newLines(src)}
	p := &parser{file: f}
	p.lex = lexer{src: src, templates: templateLists(src), report: p.report}
	p.ahead = [2]token{p.lex.next(), p.lex.next()}
	p.source()
	sortErrors(p.errs)
	return f, p.errs
}

func sortErrors(errs Errors) {
	slices.SortStableFunc(errs, func(a, b *Error) int { return a.Pos - b.Pos })
}

type parser struct {
	file  *File
	lex   lexer
	ahead [2]token // the current token and the next one
	last  int      // end of the last token taken
	taken int      // tokens
	depth int      // of nesting
	open  int      // braces
	op    token    // the operator of the binary expression that was read last
	errs  Errors
}

// bailout ends the declaration that is being parsed; its error has been reported.
type bailout struct{}

func (p *parser) report(s Span, format string, args ...any) {
	line, col := p.file.lines.at(s.Pos)
	p.errs = append(p.errs, &Error{Span: s, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)})
}

// fail reports an error at a token and ends the declaration.
func (p *parser) fail(s Span, format string, args ...any) {
	p.report(s, format, args...)
	panic(bailout{})
}

// expected fails at the current token.
func (p *parser) expected(what string) {
	t := p.cur()
	if t.kind == tBad { // reported by the lexer
		panic(bailout{})
	}
	p.fail(t.Span, "expected %s, got %s", what, t.describe())
}

func (p *parser) cur() token { return p.ahead[0] }

func (p *parser) advance() token {
	t := p.ahead[0]
	if t.kind == tEOF {
		return t
	}
	if t.kind == tOp && t.text == "{" {
		p.open++
	} else if t.kind == tOp && t.text == "}" {
		p.open--
	}
	p.last = t.End
	p.taken++
	p.ahead[0], p.ahead[1] = p.ahead[1], p.lex.next()
	return t
}

// is reports whether the current token is an operator or keyword.
func (p *parser) is(text string) bool {
	t := p.cur()
	return (t.kind == tOp || t.kind == tKeyword) && t.text == text
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text, where string) token {
	if !p.is(text) {
		p.expected(fmt.Sprintf("%q %s", text, where))
	}
	return p.advance()
}

func (p *parser) from(start int) Span { return Span{start, p.last} }

// enter counts a level of nesting; the result leaves it.
func (p *parser) enter() func() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.cur().Span, "maximum parser recursive depth reached (%d)", MaxDepth)
	}
	return func() { p.depth-- }
}

func (p *parser) source() {
	for p.cur().kind != tEOF && len(p.errs) < maxErrors {
		p.guarded(func() {
			switch {
			case p.accept(";"):
			case p.is("enable") || p.is("requires") || p.is("diagnostic"):
				if len(p.file.Decls) > 0 {
					p.fail(p.cur().Span, "directives must come before all global declarations")
				}
				p.directive()
			default:
				p.global()
			}
		})
	}
}

// guarded parses a declaration. After an error it goes to the next one: a keyword that
// begins one, outside of all braces.
func (p *parser) guarded(parse func()) {
	start := p.taken
	p.open = 0
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if _, ours := v.(bailout); !ours {
			panic(v)
		}
		p.depth = 0
		if p.taken == start {
			p.advance()
		}
		for p.cur().kind != tEOF && len(p.errs) < maxErrors {
			t := p.cur()
			if p.open <= 0 && t.kind == tKeyword && slices.Contains([]string{"fn", "struct", "alias", "override", "const_assert"}, t.text) {
				return
			}
			p.advance()
			if t.kind == tOp && p.open <= 0 && (t.text == "}" || t.text == ";") {
				return
			}
		}
	}()
	parse()
}

func (p *parser) directive() {
	start := p.cur().Pos
	d := &Directive{Kind: p.advance().text}
	if d.Kind == "diagnostic" {
		d.Names = p.diagnosticControl()
	} else {
		for {
			t := p.cur()
			if t.kind != tIdent {
				p.expected("an extension name")
			}
			d.Names = append(d.Names, Name{t.Span, t.text})
			if d.Kind == "enable" && !slices.Contains(extensions, t.text) {
				p.report(t.Span, "unknown extension '%s'%s", t.text, suggest(t.text, extensions))
			}
			p.advance()
			if !p.accept(",") || p.is(";") {
				break
			}
		}
	}
	p.expect(";", "after the directive")
	d.Span = p.from(start)
	p.file.Directives = append(p.file.Directives, d)
}

var severities = words("error info off warning")

// diagnosticControl reads (severity, rule.name).
func (p *parser) diagnosticControl() []Name {
	p.expect("(", "for diagnostic control")
	sev := p.ident("a severity")
	if !severities[sev.Text] {
		p.fail(sev.Span, "expected a severity (error, info, off or warning), got %q", sev.Text)
	}
	p.expect(",", "for diagnostic control")
	rule := p.ident("a diagnostic rule")
	if p.accept(".") {
		part := p.ident("a diagnostic rule")
		rule = Name{Span{rule.Pos, part.End}, rule.Text + "." + part.Text}
	}
	p.accept(",")
	p.expect(")", "for diagnostic control")
	return []Name{sev, rule}
}

func (p *parser) ident(what string) Name {
	if p.cur().kind != tIdent {
		p.expected(what)
	}
	t := p.advance()
	return Name{t.Span, t.text}
}

func (p *parser) attrs() []*Attr {
	var out []*Attr
	for p.is("@") {
		p.advance()
		t := p.cur()
		start := t.Pos
		if t.kind != tIdent && !(t.kind == tKeyword && (t.text == "const" || t.text == "diagnostic")) {
			p.expected("an attribute name")
		}
		a := &Attr{Name: p.advance().text}
		n, known := attributeArgs[a.Name]
		if !known {
			p.report(t.Span, "unknown attribute '@%s'%s", a.Name, suggest(a.Name, attributeNames))
		} else if n[0] > 0 && !p.is("(") {
			p.expected(fmt.Sprintf("\"(\" for @%s", a.Name))
		} else if n[1] == 0 && p.is("(") {
			p.report(p.cur().Span, "@%s takes no arguments", a.Name)
		}
		if a.Name == "diagnostic" {
			for _, s := range p.diagnosticControl() {
				a.Args = append(a.Args, &Ident{Span: s.Span, Name: s.Text})
			}
		} else if p.accept("(") {
			a.Args = p.args(")", false)
			if known && n[1] > 0 && (len(a.Args) < n[0] || len(a.Args) > n[1]) {
				count := "one argument"
				if n[0] != n[1] {
					count = fmt.Sprintf("%d to %d arguments", n[0], n[1])
				}
				p.report(t.Span, "@%s takes %s, got %d", a.Name, count, len(a.Args))
			}
		}
		a.Span = p.from(start)
		out = append(out, a)
	}
	return out
}

// attributeArgs are the attributes, and how many arguments they take at least and at most.
var attributeArgs = map[string][2]int{
	"align": {1, 1}, "binding": {1, 1}, "blend_src": {1, 1}, "builtin": {1, 2}, "compute": {}, "diagnostic": {1, 2},
	"fragment": {}, "group": {1, 1}, "id": {1, 1}, "interpolate": {1, 2}, "invariant": {}, "location": {1, 1}, "must_use": {},
	"size": {1, 1}, "subgroup_size": {1, 1}, "vertex": {}, "workgroup_size": {1, 3},
}

var attributeNames = slices.Sorted(maps.Keys(attributeArgs))

// unexpectedAttrs fails at attributes in front of what takes none.
func (p *parser) unexpectedAttrs(attrs []*Attr) {
	p.fail(attrs[0].Span, "unexpected attributes: %s takes none", p.cur().describe())
}

// args reads a list of expressions behind its opening bracket, up to the closing one.
func (p *parser) args(closing string, template bool) []Expr {
	done := func() bool {
		if template {
			return p.cur().kind == tTemplateEnd
		}
		return p.is(closing)
	}
	var out []Expr
	for !done() {
		out = append(out, p.expression())
		if !p.accept(",") {
			break
		}
	}
	if !done() {
		p.expected(fmt.Sprintf("%q", closing))
	}
	p.advance()
	return out
}

// typeName reads a type, or any name with its template list.
func (p *parser) typeName(what string) *Ident {
	if p.cur().kind != tIdent {
		p.expected(what)
	}
	return p.templated()
}

func (p *parser) templated() *Ident {
	t := p.advance()
	id := &Ident{Name: t.text}
	if p.cur().kind == tTemplate {
		p.advance()
		id.Args = p.args(">", true)
		if len(id.Args) == 0 {
			p.fail(p.from(t.Pos), "expected expression in template argument list")
		}
	}
	id.Span = p.from(t.Pos)
	return id
}

func (p *parser) global() {
	start := p.cur().Pos
	attrs := p.attrs()
	add := func(d Decl) { p.file.Decls = append(p.file.Decls, d) }
	switch {
	case p.is("fn"):
		add(p.function(start, attrs))
		return
	case p.is("var") || p.is("const") || p.is("override"):
		v := p.variable(attrs)
		p.expect(";", "after the declaration")
		v.Span = p.from(start)
		add(v)
		return
	case p.is("let"):
		p.fail(p.cur().Span, "module-scope 'let' is invalid, use 'const'")
	case len(attrs) > 0 && (p.is("alias") || p.is("struct") || p.is("const_assert")):
		p.unexpectedAttrs(attrs)
	case len(attrs) > 0:
		p.expected("a declaration after attributes")
	case p.is("alias"):
		p.advance()
		a := &Alias{Name: p.ident("an identifier for the alias")}
		p.expect("=", "in the alias")
		a.Type = p.typeName("a type for the alias")
		p.expect(";", "after the alias")
		a.Span = p.from(start)
		add(a)
		return
	case p.is("struct"):
		add(p.structure())
		return
	case p.is("const_assert"):
		add(p.constAssert())
		return
	}
	p.expected("a declaration")
}

func (p *parser) constAssert() *ConstAssert {
	start := p.advance().Pos
	c := &ConstAssert{Cond: p.expression()}
	p.expect(";", "after const_assert")
	c.Span = p.from(start)
	return c
}

func (p *parser) structure() *Struct {
	start := p.advance().Pos
	s := &Struct{Name: p.ident("an identifier for the structure")}
	p.expect("{", "for the structure")
	for !p.is("}") {
		from := p.cur().Pos
		m := &Member{Attrs: p.attrs()}
		m.Name = p.ident("an identifier for the member")
		p.expect(":", "behind the member's name")
		m.Type = p.typeName("a type for the member")
		m.Span = p.from(from)
		s.Members = append(s.Members, m)
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "for the structure")
	s.Span = p.from(start)
	return s
}

// variable reads var, let, const or override without its semicolon.
func (p *parser) variable(attrs []*Attr) *Var {
	t := p.advance()
	v := &Var{Attrs: attrs, Kind: map[string]VarKind{"var": KindVar, "let": KindLet, "const": KindConst, "override": KindOverride}[t.text]}
	if t.text == "var" && p.cur().kind == tTemplate {
		p.advance()
		args := p.args(">", true)
		if len(args) == 0 {
			p.fail(Span{t.Pos, p.last}, "expected an address space between < and >")
		}
		for i, e := range args {
			id, ok := e.(*Ident)
			if !ok || i > 1 {
				p.fail(e.Range(), "expected an address space and an access mode")
			}
			v.Template = append(v.Template, id)
			if i == 0 {
				v.Space = id.Name
			} else {
				v.Access = id.Name
			}
		}
	}
	v.Name = p.ident(fmt.Sprintf("an identifier for the %q declaration", t.text))
	if p.accept(":") {
		v.Type = p.typeName("a type for the variable")
	}
	switch {
	case p.accept("="):
		v.Init = p.expression()
	case v.Kind == KindLet || v.Kind == KindConst:
		p.expected(fmt.Sprintf("\"=\" for the %q declaration", t.text))
	case v.Type == nil:
		p.fail(v.Name.Span, "%s %q needs a type or an initialiser", t.text, v.Name.Text)
	}
	v.Span = p.from(t.Pos)
	return v
}

func (p *parser) function(start int, attrs []*Attr) *Func {
	p.advance()
	f := &Func{Attrs: attrs, Name: p.ident("an identifier for the function")}
	p.expect("(", "for the function's parameters")
	for !p.is(")") {
		from := p.cur().Pos
		v := &Var{Kind: KindParam, Attrs: p.attrs()}
		v.Name = p.ident("an identifier for the parameter")
		p.expect(":", "behind the parameter's name")
		v.Type = p.typeName("a type for the parameter")
		v.Span = p.from(from)
		f.Params = append(f.Params, v)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "for the function's parameters")
	if p.accept("->") {
		f.ResultAttrs = p.attrs()
		f.Result = p.typeName("a return type")
	}
	battrs := p.attrs()
	f.Body = p.block("for the function's body")
	f.Body.Attrs = battrs
	f.Span = p.from(start)
	return f
}
