package syntax

// File is the tree of a source.
type File struct {
	Source     string
	Directives []*Directive
	Decls      []Decl
	lines      *lines
}

// Position returns line and column of an offset, both from 1.
func (f *File) Position(off int) (line, col int) { return f.lines.at(off) }

// Directive is enable, requires, or diagnostic at the head of a source.
type Directive struct {
	Span
	Kind  string // enable, requires, diagnostic
	Names []Name // extensions, features; of diagnostic: severity, rule
}

// Decl is a declaration at module scope.
type Decl interface {
	Range() Span
	decl()
}

// Attr is an attribute: @group(0). Its place is without the @.
type Attr struct {
	Span
	Name string
	Args []Expr
}

// Var is var, let, const or override, at module scope or in a function, and a parameter
// of a function.
type Var struct {
	Span
	Kind   VarKind
	Attrs  []*Attr
	Space  string // address space as written, or empty
	Access string // access mode as written, or empty
	// Template is those two as names in use.
	Template []*Ident
	Name     Name
	Type     *Ident // nil: inferred
	Init     Expr   // nil: none
}

// VarKind tells the kinds of Var apart.
type VarKind uint8

// The kinds.
const (
	KindVar VarKind = iota
	KindLet
	KindConst
	KindOverride
	KindParam
)

// Name is a declared name.
type Name struct {
	Span
	Text string
}

// Alias is alias Name = Type.
type Alias struct {
	Span
	Name Name
	Type *Ident
}

// Struct is a structure.
type Struct struct {
	Span
	Name    Name
	Members []*Member
}

// Member is a member of a structure.
type Member struct {
	Span
	Attrs []*Attr
	Name  Name
	Type  *Ident
}

// Func is a function.
type Func struct {
	Span
	Attrs       []*Attr
	Name        Name
	Params      []*Var
	ResultAttrs []*Attr
	Result      *Ident // nil: none
	Body        *Block
}

// ConstAssert is const_assert, at module scope or in a function.
type ConstAssert struct {
	Span
	Cond Expr
}

// Range is the whole declaration, its attributes included.
func (s Span) Range() Span { return s }

func (*Var) decl()         {}
func (*Alias) decl()       {}
func (*Struct) decl()      {}
func (*Func) decl()        {}
func (*ConstAssert) decl() {}

// Expr is an expression.
type Expr interface {
	Range() Span
	expr()
}

// Ident is a name in use, with its template list: vec4<f32>, x, array<T, 4>.
type Ident struct {
	Span
	Name string
	Args []Expr // of the template list
}

// Literal is a number, true or false.
type Literal struct {
	Span
	Text string
	Kind LiteralKind
}

// LiteralKind tells the kinds of Literal apart.
type LiteralKind uint8

// The kinds.
const (
	IntLiteral LiteralKind = iota
	FloatLiteral
	BoolLiteral
)

// Call is a call of a function or builtin, or the construction of a value.
type Call struct {
	Span
	Fun  *Ident
	Args []Expr
}

// Index is X[I].
type Index struct {
	Span
	X, I Expr
}

// Select is X.Name: a member or a swizzle.
type Select struct {
	Span
	X    Expr
	Name Name
}

// Unary is an operation on one operand: - ! ~ & *.
type Unary struct {
	Span
	Op string
	X  Expr
}

// Binary is an operation on two operands.
type Binary struct {
	Span
	Op   string
	X, Y Expr
}

// Paren is (X).
type Paren struct {
	Span
	X Expr
}

func (*Ident) expr()   {}
func (*Literal) expr() {}
func (*Call) expr()    {}
func (*Index) expr()   {}
func (*Select) expr()  {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Paren) expr()   {}

// Stmt is a statement.
type Stmt interface {
	Range() Span
	stmt()
}

// Block is statements in braces.
type Block struct {
	Span
	Attrs []*Attr
	Stmts []Stmt
}

// VarStmt declares a variable or value in a function.
type VarStmt struct{ *Var }

// Assign is L = R, L op= R, or _ = R with L nil.
type Assign struct {
	Span
	L  Expr
	Op string // "=", "+=", ...
	R  Expr
}

// IncDec is L++ or L--.
type IncDec struct {
	Span
	L  Expr
	Op string
}

// CallStmt is a call whose result is not used.
type CallStmt struct{ *Call }

// If is if with what follows: Else is nil, a *Block or an *If.
type If struct {
	Span
	Attrs []*Attr
	Cond  Expr
	Then  *Block
	Else  Stmt
}

// Switch is a switch.
type Switch struct {
	Span
	Attrs, BodyAttrs []*Attr
	X                Expr
	Clauses          []*Clause
}

// Clause is one case or default of a switch. A nil selector is default.
type Clause struct {
	Span
	Selectors []Expr
	Body      *Block
}

// Loop is loop, with its continuing block and that block's break if, each of which may
// be nil.
type Loop struct {
	Span
	Attrs, BodyAttrs []*Attr
	Body             *Block
	Continuing       *Block
	BreakIf          Expr
}

// For is for; Init, Cond and Post may be nil.
type For struct {
	Span
	Attrs []*Attr
	Init  Stmt
	Cond  Expr
	Post  Stmt
	Body  *Block
}

// While is while.
type While struct {
	Span
	Attrs []*Attr
	Cond  Expr
	Body  *Block
}

// Jump is break, continue or discard.
type Jump struct {
	Span
	Kind string
}

// Return is return, with a value or without.
type Return struct {
	Span
	X Expr
}

func (*Block) stmt()       {}
func (*VarStmt) stmt()     {}
func (*Assign) stmt()      {}
func (*IncDec) stmt()      {}
func (*CallStmt) stmt()    {}
func (*If) stmt()          {}
func (*Switch) stmt()      {}
func (*Loop) stmt()        {}
func (*For) stmt()         {}
func (*While) stmt()       {}
func (*Jump) stmt()        {}
func (*Return) stmt()      {}
func (*ConstAssert) stmt() {}

// Walk calls visit for every expression below a node, in source order, parents first.
// A false result leaves out what is below. Nodes are *File, declarations, statements and
// expressions.
func Walk(node any, visit func(Expr) bool) {
	w := walker{visit}
	w.node(node)
}

type walker struct{ visit func(Expr) bool }

func (w walker) exprs(l []Expr) {
	for _, e := range l {
		w.expr(e)
	}
}

func (w walker) attrs(l []*Attr) {
	for _, a := range l {
		w.exprs(a.Args)
	}
}

func (w walker) ident(i *Ident) {
	if i != nil {
		w.expr(i)
	}
}

func (w walker) expr(e Expr) {
	if e == nil || !w.visit(e) {
		return
	}
	switch e := e.(type) {
	case *Ident:
		w.exprs(e.Args)
	case *Call:
		w.expr(e.Fun)
		w.exprs(e.Args)
	case *Index:
		w.expr(e.X)
		w.expr(e.I)
	case *Select:
		w.expr(e.X)
	case *Unary:
		w.expr(e.X)
	case *Binary:
		w.expr(e.X)
		w.expr(e.Y)
	case *Paren:
		w.expr(e.X)
	}
}

func (w walker) block(b *Block) {
	if b != nil {
		w.attrs(b.Attrs)
		for _, s := range b.Stmts {
			w.node(s)
		}
	}
}

func (w walker) node(n any) {
	switch n := n.(type) {
	case nil:
	case *File:
		for _, d := range n.Decls {
			w.node(d)
		}
	case *Var:
		w.attrs(n.Attrs)
		w.ident(n.Type)
		w.expr(n.Init)
	case *VarStmt:
		w.node(n.Var)
	case *Alias:
		w.ident(n.Type)
	case *Struct:
		for _, m := range n.Members {
			w.attrs(m.Attrs)
			w.ident(m.Type)
		}
	case *Func:
		w.attrs(n.Attrs)
		for _, p := range n.Params {
			w.node(p)
		}
		w.attrs(n.ResultAttrs)
		w.ident(n.Result)
		w.block(n.Body)
	case *ConstAssert:
		w.expr(n.Cond)
	case *Block:
		w.block(n)
	case *Assign:
		w.expr(n.L)
		w.expr(n.R)
	case *IncDec:
		w.expr(n.L)
	case *CallStmt:
		w.expr(n.Call)
	case *If:
		w.attrs(n.Attrs)
		w.expr(n.Cond)
		w.block(n.Then)
		w.node(n.Else)
	case *Switch:
		w.attrs(n.Attrs)
		w.expr(n.X)
		w.attrs(n.BodyAttrs)
		for _, c := range n.Clauses {
			w.exprs(c.Selectors)
			w.block(c.Body)
		}
	case *Loop:
		w.attrs(n.Attrs)
		w.attrs(n.BodyAttrs)
		w.block(n.Body)
		w.block(n.Continuing)
		w.expr(n.BreakIf)
	case *For:
		w.attrs(n.Attrs)
		w.node(n.Init)
		w.expr(n.Cond)
		w.node(n.Post)
		w.block(n.Body)
	case *While:
		w.attrs(n.Attrs)
		w.expr(n.Cond)
		w.block(n.Body)
	case *Return:
		w.expr(n.X)
	case Expr:
		w.expr(n)
	}
}
