package syntax

import (
	"fmt"
	"slices"
)

// Object is what a name stands for.
type Object struct {
	Name string
	Kind ObjectKind
	Decl Decl // at module scope and in functions; nil for what is predeclared
}

// ObjectKind tells the kinds of Object apart.
type ObjectKind uint8

// The kinds.
const (
	ObjBuiltin ObjectKind = iota // predeclared: type, type generator, function, enumerant
	ObjVar                       // variable, constant or override at module scope
	ObjType                      // alias or structure
	ObjFunc                      // function of the user
	ObjLocal                     // variable, value or constant of a function
	ObjParam                     // parameter
)

// Names is what the names of a file stand for.
type Names struct {
	// Module is the declarations of the module scope by name.
	Module map[string]*Object
	// Uses is what every name in use stands for. Names that stand for nothing are in the
	// findings.
	Uses map[*Ident]*Object
	// order has the declarations, each behind those that it uses.
	order []Decl
}

// Resolve finds what every name stands for. Declarations at module scope may stand in
// any order, and their uses may not be circular. outside, which may be nil, gives the
// names that other parts of the module declare; what it does not know is reported.
func Resolve(f *File, outside func(name string) *Object) (*Names, Errors) {
	r := &resolver{file: f, names: &Names{Module: map[string]*Object{}, Uses: map[*Ident]*Object{}}, outside: outside}
	for _, d := range f.Decls {
		r.declare(d)
	}
	for _, d := range f.Decls {
		r.decl(d)
	}
	r.cycles()
	sortErrors(r.errs)
	return r.names, r.errs
}

type resolver struct {
	file    *File
	names   *Names
	outside func(string) *Object
	scopes  []map[string]*Object
	errs    Errors
	current Decl
	deps    map[Decl][]*Ident
}

func (r *resolver) report(s Span, format string, args ...any) {
	if len(r.errs) >= maxFindings {
		return
	}
	line, col := r.file.lines.at(s.Pos)
	r.errs = append(r.errs, &Error{Span: s, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)})
}

// headOf is the place of a declaration behind its attributes.
func headOf(d Decl) Span {
	switch v := d.(type) {
	case *Var:
		if len(v.Attrs) > 0 {
			return v.Name.Span
		}
	case *Func:
		if len(v.Attrs) > 0 {
			return v.Name.Span
		}
	}
	return d.Range()
}

// NameOf is the declared name, or the zero Name for const_assert.
func NameOf(d Decl) Name {
	switch d := d.(type) {
	case *Var:
		return d.Name
	case *Alias:
		return d.Name
	case *Struct:
		return d.Name
	case *Func:
		return d.Name
	}
	return Name{}
}

func (r *resolver) declare(d Decl) {
	n := NameOf(d)
	if n.Text == "" {
		return
	}
	if old := r.names.Module[n.Text]; old != nil {
		line, col := r.file.lines.at(NameOf(old.Decl).Pos)
		r.report(n.Span, "redeclaration of %q; it is declared at %d:%d already", n.Text, line, col)
		return
	}
	o := &Object{Name: n.Text, Decl: d}
	switch d.(type) {
	case *Var:
		o.Kind = ObjVar
	case *Func:
		o.Kind = ObjFunc
	default:
		o.Kind = ObjType
	}
	r.names.Module[n.Text] = o
}

func (r *resolver) push() { r.scopes = append(r.scopes, map[string]*Object{}) }
func (r *resolver) pop()  { r.scopes = r.scopes[:len(r.scopes)-1] }

func (r *resolver) local(v *Var, kind ObjectKind) {
	s := r.scopes[len(r.scopes)-1]
	if old := s[v.Name.Text]; old != nil {
		line, col := r.file.lines.at(NameOf(old.Decl).Pos)
		r.report(v.Name.Span, "redeclaration of %q; it is declared at %d:%d already", v.Name.Text, line, col)
		return
	}
	s[v.Name.Text] = &Object{Name: v.Name.Text, Kind: kind, Decl: v}
}

// lookup finds a name from the innermost scope out.
func (r *resolver) lookup(name string) *Object {
	for _, s := range slices.Backward(r.scopes) {
		if o := s[name]; o != nil {
			return o
		}
	}
	if o := r.names.Module[name]; o != nil {
		return o
	}
	if IsPredeclared(name) {
		return &Object{Name: name, Kind: ObjBuiltin}
	}
	if r.outside != nil {
		return r.outside(name)
	}
	return nil
}

func (r *resolver) use(id *Ident, what string) {
	o := r.lookup(id.Name)
	if o == nil {
		r.report(Span{id.Pos, id.Pos + len(id.Name)}, "unresolved %s %q", what, id.Name)
	} else {
		r.names.Uses[id] = o
		if o.Decl != nil && o.Kind != ObjLocal && o.Kind != ObjParam && r.current != nil {
			if r.deps == nil {
				r.deps = map[Decl][]*Ident{}
			}
			r.deps[r.current] = append(r.deps[r.current], id)
		}
	}
	r.exprs(id.Args)
}

func (r *resolver) exprs(l []Expr) {
	for _, e := range l {
		r.expr(e)
	}
}

func (r *resolver) typ(id *Ident) {
	if id != nil {
		r.use(id, "type")
	}
}

func (r *resolver) expr(e Expr) {
	Walk(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Ident:
			r.use(e, "value")
			return false // use has seen the template list
		case *Call:
			r.use(e.Fun, "call target")
			r.exprs(e.Args)
			return false
		}
		return true
	})
}

// attrs resolves the attributes whose arguments are expressions; those of the others are
// words that belong to the attribute, such as @builtin(position).
func (r *resolver) attrs(l []*Attr) {
	for _, a := range l {
		switch a.Name {
		case "align", "binding", "group", "id", "location", "size", "workgroup_size", "blend_src":
			r.exprs(a.Args)
		}
	}
}

func (r *resolver) variable(v *Var) {
	r.attrs(v.Attrs)
	for _, id := range v.Template {
		if o := r.lookup(id.Name); o != nil && o.Kind != ObjBuiltin { // hidden: no address space any more
			r.use(id, "address space")
		}
	}
	r.typ(v.Type)
	r.expr(v.Init)
}

func (r *resolver) decl(d Decl) {
	r.current = d
	defer func() { r.current = nil }()
	switch d := d.(type) {
	case *Var:
		r.variable(d)
	case *Alias:
		r.typ(d.Type)
	case *Struct:
		seen := map[string]bool{}
		for _, m := range d.Members {
			if seen[m.Name.Text] {
				r.report(m.Name.Span, "redeclaration of member %q", m.Name.Text)
			}
			seen[m.Name.Text] = true
			r.attrs(m.Attrs)
			r.typ(m.Type)
		}
	case *ConstAssert:
		r.expr(d.Cond)
	case *Func:
		r.attrs(d.Attrs)
		for _, p := range d.Params {
			r.attrs(p.Attrs)
			r.typ(p.Type)
		}
		r.attrs(d.ResultAttrs)
		r.typ(d.Result)
		r.push() // a parameter's name hides nothing of the signature
		for _, p := range d.Params {
			r.local(p, ObjParam)
		}
		r.stmts(d.Body.Stmts) // parameters and body share a scope
		r.pop()
	}
}

func (r *resolver) stmts(l []Stmt) {
	for _, s := range l {
		r.stmt(s)
	}
}

func (r *resolver) block(b *Block) {
	if b == nil {
		return
	}
	r.push()
	r.stmts(b.Stmts)
	r.pop()
}

func (r *resolver) stmt(s Stmt) {
	switch s := s.(type) {
	case nil:
	case *Block:
		r.block(s)
	case *VarStmt:
		r.variable(s.Var)
		r.local(s.Var, ObjLocal)
	case *Assign:
		r.expr(s.L)
		r.expr(s.R)
	case *IncDec:
		r.expr(s.L)
	case *CallStmt:
		r.expr(s.Call)
	case *If:
		r.expr(s.Cond)
		r.block(s.Then)
		r.stmt(s.Else)
	case *Switch:
		r.expr(s.X)
		for _, c := range s.Clauses {
			r.exprs(c.Selectors)
			r.block(c.Body)
		}
	case *Loop:
		// The continuing block sees what the body declares.
		r.push()
		r.stmts(s.Body.Stmts)
		if s.Continuing != nil {
			r.push()
			r.stmts(s.Continuing.Stmts)
			r.expr(s.BreakIf)
			r.pop()
		}
		r.pop()
	case *For:
		r.push()
		r.stmt(s.Init)
		r.expr(s.Cond)
		r.stmt(s.Post)
		r.block(s.Body)
		r.pop()
	case *While:
		r.expr(s.Cond)
		r.block(s.Body)
	case *Return:
		r.expr(s.X)
	case *ConstAssert:
		r.expr(s.Cond)
	}
}

// cycles reports declarations that need themselves, and puts all into an order in which
// each follows what it uses. It keeps its own stack: a chain may be as long as the source.
func (r *resolver) cycles() {
	const (
		open = 1
		done = 2
	)
	type frame struct {
		d    Decl
		next int // of its dependencies
	}
	state := map[Decl]int{}
	var stack []frame
	push := func(d Decl) {
		state[d] = open
		stack = append(stack, frame{d: d})
	}
	for _, root := range r.file.Decls {
		if state[root] == 0 {
			push(root)
		}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if deps := r.deps[f.d]; f.next < len(deps) {
				id := deps[f.next]
				f.next++
				switch to := r.names.Uses[id].Decl; state[to] {
				case open:
					chain := "'" + id.Name + "'"
					for i := len(stack) - 1; i >= 0; i-- {
						chain = fmt.Sprintf("'%s' -> %s", NameOf(stack[i].d).Text, chain)
						if stack[i].d == to {
							break
						}
					}
					line, col := r.file.lines.at(id.Pos)
					r.report(headOf(to), "cyclic dependency found: %s, by the use at %d:%d", chain, line, col)
				case 0:
					push(to)
				}
				continue
			}
			state[f.d] = done
			r.names.order = append(r.names.order, f.d)
			stack = stack[:len(stack)-1]
		}
	}
}

// Dependencies returns the module-scope objects that a declaration uses itself, in order
// of their first use.
func (n *Names) Dependencies(d Decl) []*Object {
	var out []*Object
	seen := map[*Object]bool{}
	Walk(d, func(e Expr) bool {
		if id, ok := e.(*Ident); ok {
			if o := n.Uses[id]; o != nil && o.Kind != ObjBuiltin && o.Kind != ObjLocal && o.Kind != ObjParam && !seen[o] {
				seen[o] = true
				out = append(out, o)
			}
		}
		return true
	})
	return out
}
