package syntax

// behaviour is how the execution of a statement can end: section "Behavior analysis".
type behaviour uint8

const (
	goesOn behaviour = 1 << iota
	breaks
	continues
	returns
)

// flow is where a statement stands.
type flow struct {
	loop       *loopInfo // the innermost, or nil
	inSwitch   bool      // inside of a switch that is inside of the loop
	continuing *loopInfo // the loop whose continuing block this is in, or nil
	nested     bool      // a loop or switch lies between here and that continuing block
}

// loopInfo is a loop whose continuing block must not use what a continue jumps over.
type loopInfo struct {
	outer *loopInfo // of the bypass chain
	first *Jump     // the first continue, or nil
	decls map[*Var]bool
}

// bypassed reports the use, in a continuing block, of a variable whose declaration a
// continue jumps over.
func (c *checker) bypassed(v *Var, at Span) {
	for l := c.bypass; l != nil; l = l.outer {
		if l.decls[v] && l.first != nil && l.first.Pos < v.Pos {
			line, col := c.file.lines.at(at.Pos)
			c.report(l.first.Span, "continue statement bypasses declaration of '%s', which the continuing block uses at %d:%d", v.Name.Text, line, col)
			return
		}
	}
}

func (c *checker) body(f *Func, info *funcInfo) {
	c.flow = flow{}
	c.blockAttrs(f.Body.Attrs)
	b := c.stmts(f.Body.Stmts)
	if f.Result != nil && b&goesOn != 0 {
		c.report(Span{f.Body.End - 1, f.Body.End}, "missing return at end of function '%s', which returns '%s'", f.Name.Text, f.Source(c.file))
	}
}

// Source is the result type as written.
func (f *Func) Source(file *File) string {
	if f.Result == nil {
		return ""
	}
	return file.Source[f.Result.Pos:f.Result.End]
}

func (c *checker) stmts(l []Stmt) behaviour {
	b := goesOn
	warned := false
	for _, s := range l {
		if b&goesOn == 0 && !warned {
			c.warn(s.Range(), "code is unreachable")
			warned = true
		}
		next := c.stmt(s)
		if b&goesOn != 0 {
			b = b&^goesOn | next
		}
	}
	return b
}

func (c *checker) block(b *Block) behaviour {
	if b == nil {
		return goesOn
	}
	c.blockAttrs(b.Attrs)
	return c.stmts(b.Stmts)
}

func (c *checker) stmt(s Stmt) behaviour {
	switch s := s.(type) {
	case nil:
	case *Block:
		return c.block(s)
	case *VarStmt:
		c.localVar(s.Var)
	case *ConstAssert:
		c.constAssert(s)
	case *Assign:
		c.assign(s)
	case *IncDec:
		c.incDec(s)
	case *CallStmt:
		if o := c.call(s.Call, true); o.ok() {
			c.m.types[s.Call] = o.t
		}
	case *If:
		return c.ifStmt(s)
	case *Switch:
		return c.switchStmt(s)
	case *Loop:
		return c.loopStmt(s)
	case *For:
		return c.forStmt(s)
	case *While:
		c.blockAttrs(s.Attrs)
		c.condition(s.Cond, "while statement")
		defer c.enterLoop(nil)()
		b := c.block(s.Body)
		return b&returns | goesOn
	case *Jump:
		return c.jump(s)
	case *Return:
		return c.returnStmt(s)
	}
	return goesOn
}

func (c *checker) condition(e Expr, what string) {
	if o := c.value(e); o.ok() && o.t.Kind != TypeBool {
		c.report(e.Range(), "%s condition must be bool, got '%s'", what, o.t)
	}
}

func (c *checker) localVar(v *Var) {
	if len(v.Attrs) > 0 {
		c.report(v.Attrs[0].Span, "declarations in functions take no attributes")
	}
	if v.Kind == KindConst {
		if o := c.constDecl(v); o != nil {
			c.vars[v], c.m.decls[v] = o, o.t
		}
		return
	}
	o := c.initialiser(v)
	if v.Kind == KindVar {
		switch {
		case v.Space != "" && !addressSpaces[v.Space]:
			c.report(v.Name.Span, "unresolved address space '%s'", v.Space)
			return
		case v.Space != "" && v.Space != "function":
			c.report(v.Name.Span, "function-scope 'var' declaration must use 'function' address space")
			return
		case v.Access != "":
			c.report(v.Name.Span, "only variables in <storage> address space may specify an access mode")
			return
		}
	}
	if !o.ok() {
		return
	}
	at := v.Name.Span
	if v.Init != nil {
		at = v.Init.Range()
		o = c.concrete(o, at)
	}
	if v.Type != nil {
		at = v.Type.Span
	}
	t := o.t
	if v.Kind == KindVar {
		if t.isHandle() || t.Kind == TypePointer {
			c.report(at, "cannot declare a 'var' of type '%s' in a function", t)
			return
		}
		if !c.storable(t, "function", at) {
			return
		}
		c.m.decls[v] = t
		c.vars[v] = &operand{t: c.u.ref(t, "function", "read_write"), stage: runtimeStage, root: v}
		return
	}
	if !t.has(constructible) && t.Kind != TypePointer && !t.isHandle() {
		c.report(at, "'%s' cannot be used as the type of a 'let'", t)
		return
	}
	if c.huge(t, at) {
		return
	}
	c.m.decls[v] = t
	c.vars[v] = &operand{t: t, stage: runtimeStage, root: o.root}
}

// target checks the left side of an assignment, and returns the type that it stores.
func (c *checker) target(e Expr) (*Type, bool) {
	if sel, ok := unparen(e).(*Select); ok {
		if t, is := c.swizzleTarget(sel); is {
			return t, t != nil
		}
	}
	o := c.expr(e)
	if !o.ok() {
		return nil, false
	}
	if o.t.Kind != TypeReference || o.t.Space == "handle" {
		if id, ok := unparen(e).(*Ident); ok {
			if v, ok := c.names.Uses[id].Decl.(*Var); ok {
				c.report(e.Range(), "cannot assign to %s '%s'", kindWord(v), id.Name)
				return nil, false
			}
		}
		c.report(e.Range(), "cannot assign to value of type '%s'", o.t)
		return nil, false
	}
	return c.writable(o, o.t.Elem, e)
}

func (c *checker) writable(o operand, t *Type, e Expr) (*Type, bool) {
	if o.t.Access == "read" {
		c.report(e.Range(), "cannot store into a read-only type '%s'", o.t)
		return nil, false
	}
	if !t.has(constructible) {
		c.report(e.Range(), "storage type of assignment must be constructible, got '%s'", t)
		return nil, false
	}
	if o.root != nil {
		c.access(o.root, true)
	}
	return t, true
}

// swizzleTarget checks v.xy = ..., the assignment to several components.
func (c *checker) swizzleTarget(e *Select) (t *Type, is bool) {
	sw := swizzle(e.Name.Text)
	if len(sw) < 2 {
		return nil, false
	}
	o := c.deref(c.expr(e.X))
	if !o.ok() {
		return nil, true
	}
	if o.t.Kind != TypeReference || o.t.Elem.Kind != TypeVec {
		return nil, false
	}
	var used [4]bool
	for _, i := range sw {
		if uint64(i) >= o.t.Elem.N {
			c.report(e.Name.Span, "invalid vector swizzle member in '%s': '%s' has %d components", e.Name.Text, o.t.Elem, o.t.Elem.N)
			return nil, true
		}
		if used[i] {
			c.report(e.Name.Span, "cannot assign to swizzle '%s', which has a component twice", e.Name.Text)
			return nil, true
		}
		used[i] = true
	}
	t, _ = c.writable(o, c.u.vec(len(sw), o.t.Elem.Elem), e)
	return t, true
}

func (c *checker) assign(s *Assign) {
	if s.L == nil {
		o := c.value(s.R)
		if !o.ok() {
			return
		}
		if t := o.t; !c.huge(t, s.R.Range()) && !t.has(constructible) && t.Kind != TypePointer && !t.isHandle() {
			c.report(s.R.Range(), "cannot assign '%s' to '_': it takes a constructible, pointer, texture or sampler type", t)
		}
		return
	}
	t, ok := c.target(s.L)
	o := c.value(s.R)
	if !ok || !o.ok() {
		return
	}
	if s.Op != "=" {
		op := s.Op[:len(s.Op)-1]
		c.noteLoad(s.L)
		ch := c.u.choose(op, []*Type{t, o.t})
		if ch == nil {
			c.report(s.Span, "no matching overload for 'operator %s (%s, %s)'%s", s.Op, t, o.t, operatorHint(op, t, o.t))
			return
		}
		o = c.apply(op, ch, []operand{{t: t, stage: runtimeStage}, o}, []Expr{s.L, s.R}, s.Span)
	}
	c.convertTo(o, t, s.R.Range(), func(from *Type) {
		c.report(s.R.Range(), "cannot assign '%s' to '%s'", from, t)
	})
}

// noteLoad notes that a compound assignment reads its left side.
func (c *checker) noteLoad(e Expr) {
	if info := c.vars[rootOf(e, c.names)]; info != nil && info.root != nil {
		c.access(info.root, false)
	}
}

func (c *checker) incDec(s *IncDec) {
	t, ok := c.target(s.L)
	if !ok {
		return
	}
	c.noteLoad(s.L)
	if t.Kind != TypeI32 && t.Kind != TypeU32 {
		what := "increment"
		if s.Op == "--" {
			what = "decrement"
		}
		c.report(s.L.Range(), "%s statement can only be applied to an integer scalar, got '%s'", what, t)
	}
}

func (c *checker) ifStmt(s *If) behaviour {
	c.blockAttrs(s.Attrs)
	c.condition(s.Cond, "if statement")
	b := c.block(s.Then)
	if s.Else == nil {
		return b | goesOn
	}
	return b | c.stmt(s.Else)
}

func (c *checker) switchStmt(s *Switch) behaviour {
	c.blockAttrs(s.Attrs)
	c.blockAttrs(s.BodyAttrs)
	x := c.value(s.X)
	t := x.t
	if x.ok() && !x.t.isInt() {
		c.report(s.X.Range(), "switch statement selector expression must be of a scalar integer type, got '%s'", x.t)
		t = nil
	}
	type caseValue struct {
		e Expr
		o operand
	}
	var cases []caseValue
	defaults := 0
	for _, cl := range s.Clauses {
		for _, e := range cl.Selectors {
			if e == nil {
				if defaults++; defaults == 2 {
					c.report(cl.Span, "switch statement must have exactly one default clause")
				}
				continue
			}
			o := c.value(e)
			if !o.ok() {
				continue
			}
			switch {
			case !o.t.isInt():
				c.report(e.Range(), "case selector expression must be of type 'i32' or 'u32', got '%s'", o.t)
				continue
			case o.stage != constStage:
				c.report(e.Range(), "case selector requires a const-expression, but expression is %s %s", article(o.stage), o.stage)
				continue
			}
			if t != nil {
				to := common(t, o.t)
				if to == nil {
					c.report(e.Range(), "the case selector values must have the same type as the selector expression: '%s' and '%s'", o.t, t)
					continue
				}
				t = to
			}
			cases = append(cases, caseValue{e, o})
		}
	}
	if defaults == 0 {
		c.report(Span{s.Pos, s.Pos + len("switch")}, "switch statement must have a default clause")
	}
	if t != nil {
		t = c.u.concrete(t)
		c.convertTo(x, t, s.X.Range(), func(*Type) {})
		seen := map[int64]Span{}
		for _, cv := range cases {
			o, _ := c.convertTo(cv.o, t, cv.e.Range(), func(*Type) {})
			if o.v == nil {
				continue
			}
			if old, dup := seen[o.v.i]; dup {
				line, col := c.file.lines.at(old.Pos)
				c.report(cv.e.Range(), "duplicate switch case '%d'; it stands at %d:%d already", o.v.i, line, col)
				continue
			}
			seen[o.v.i] = cv.e.Range()
		}
	}
	old := c.flow
	c.flow.inSwitch, c.flow.nested = true, true
	var b behaviour
	for _, cl := range s.Clauses {
		b |= c.block(cl.Body)
	}
	c.flow = old
	if len(s.Clauses) == 0 {
		b = goesOn
	}
	if b&breaks != 0 {
		b = b&^breaks | goesOn
	}
	return b
}

// enterLoop makes the statements that follow those of a loop's body; the result leaves it.
func (c *checker) enterLoop(l *loopInfo) func() {
	if l == nil {
		l = &loopInfo{}
	}
	old := c.flow
	c.flow.loop, c.flow.inSwitch, c.flow.nested = l, false, true
	return func() { c.flow = old }
}

func (c *checker) loopStmt(s *Loop) behaviour {
	c.blockAttrs(s.Attrs)
	c.blockAttrs(s.BodyAttrs)
	info := &loopInfo{decls: map[*Var]bool{}}
	leave := c.enterLoop(info)
	c.blockAttrs(s.Body.Attrs)
	for _, st := range s.Body.Stmts {
		if v, ok := st.(*VarStmt); ok {
			info.decls[v.Var] = true
		}
	}
	b := c.stmts(s.Body.Stmts)
	if s.Continuing != nil {
		old := c.flow
		c.flow.continuing, c.flow.nested, c.flow.inSwitch = info, false, false
		info.outer, c.bypass = c.bypass, info
		b |= c.block(s.Continuing)
		if s.BreakIf != nil {
			c.condition(s.BreakIf, "break-if")
			b |= breaks
		}
		c.bypass = info.outer
		c.flow = old
	}
	leave()
	return c.loopEnd(b, Span{s.Pos, s.Pos + len("loop")}, "loop")
}

// loopEnd is the behaviour of a loop whose parts behave like b.
func (c *checker) loopEnd(b behaviour, at Span, what string) behaviour {
	out := b &^ (goesOn | continues | breaks)
	if b&breaks != 0 {
		out |= goesOn
	}
	if out == 0 {
		c.report(at, "%s does not exit: it has no break or return", what)
		return goesOn
	}
	return out
}

func (c *checker) forStmt(s *For) behaviour {
	c.blockAttrs(s.Attrs)
	c.stmt(s.Init)
	if s.Cond != nil {
		c.condition(s.Cond, "for-loop")
	}
	c.stmt(s.Post)
	leave := c.enterLoop(nil)
	b := c.block(s.Body)
	leave()
	if s.Cond != nil {
		b |= breaks
	}
	return c.loopEnd(b, Span{s.Pos, s.Pos + len("for")}, "for-loop")
}

func (c *checker) jump(s *Jump) behaviour {
	f := &c.flow
	inContinuing := f.continuing != nil && !f.nested
	switch s.Kind {
	case "discard":
		c.fn.limits = append(c.fn.limits, limit{"f", s.Span, "discard statement"})
		return goesOn
	case "break":
		switch {
		case f.inSwitch:
		case inContinuing:
			c.report(s.Span, "'break' must not be used to exit from a continuing block; use 'break if' instead")
		case f.loop == nil:
			c.report(s.Span, "break statement must be in a loop or switch case")
		}
		return breaks
	}
	switch {
	case f.loop == nil:
		c.report(s.Span, "continue statement must be in a loop")
	case f.continuing == f.loop:
		c.report(s.Span, "continuing blocks must not contain a continue statement")
	case f.loop.first == nil:
		f.loop.first = s
	}
	return continues
}

func (c *checker) returnStmt(s *Return) behaviour {
	if c.flow.continuing != nil {
		c.report(s.Span, "continuing blocks must not contain a return statement")
	}
	want := c.fn.result
	void := c.fn.decl.Result == nil
	switch {
	case s.X == nil && !void:
		c.report(s.Span, "return without a value in function '%s', which returns '%s'", c.fn.decl.Name.Text, c.fn.decl.Source(c.file))
	case s.X != nil:
		o := c.value(s.X)
		if void {
			c.report(s.X.Range(), "function '%s' returns nothing", c.fn.decl.Name.Text)
			break
		}
		c.convertTo(o, want, s.X.Range(), func(from *Type) {
			c.report(s.X.Range(), "return statement type must match its function return type, returned '%s', expected '%s'", from, want)
		})
	}
	return returns
}
