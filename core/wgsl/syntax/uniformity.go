package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// uniform checks that derivatives, samples with an implicit level of detail, barriers
// and the like stand where all invocations of a group come together: the uniformity
// analysis of the recommendation (section 15.2), with Tint's places and reasons. It
// gives Tint's one error, or warnings, of a file that has no other errors.
//
// No order of variables reaches the result: what is done for one touches its nodes alone.
// Every function is a graph whose nodes are values and points of control flow. An edge
// a -> b says that a is uniform only if b is. What a function demands of its callers is
// what can be reached from the node that must be uniform.
func uniform(f *File, names *Names) Errors {
	u := &uniformity{file: f, names: names, funcs: map[*Func]*uniFunc{}, pointers: map[*Var]pointer{}, severity: map[string]string{}}
	for _, d := range f.Directives {
		if d.Kind == "diagnostic" && len(d.Names) == 2 {
			u.severity[d.Names[1].Text] = d.Names[0].Text
		}
	}
	for _, d := range names.order {
		if fn, ok := d.(*Func); ok && !u.errs.Fatal() {
			u.function(fn)
		}
	}
	sortErrors(u.errs)
	return u.errs
}

type uniformity struct {
	file     *File
	names    *Names
	funcs    map[*Func]*uniFunc
	pointers map[*Var]pointer // of let declarations: what they point at
	severity map[string]string
	errs     Errors
	*uniFunc // the function at hand
}

// pointer is where a pointer points.
type pointer struct {
	root *Var
	part bool // at a part of it
}

// uniNode is a value or a point of control flow.
type uniNode struct {
	edges []*uniNode
	from  *uniNode // of the last traversal
	seen  int      // the last traversal that came by
	kind  uniKind
	at    Span
	name  string // of a variable, for reasons
	call  *Call  // of the nodes of a call
	arg   int
}

type uniKind uint8

const (
	uniPlain    uniKind = iota
	uniControl          // control flow goes by the value
	uniInput            // a value from outside: name says which
	uniResult           // what a call gives
	uniCall             // the control flow at a call
	uniArg              // the value of an argument
	uniContents         // what an argument points at
	uniWritten          // what a call leaves behind a pointer
)

func (n *uniNode) needs(list ...*uniNode) *uniNode {
	for _, to := range list {
		if to != nil && to != n {
			n.edges = append(n.edges, to)
		}
	}
	return n
}

// uniSeverities are those that report, the strictest first.
var uniSeverities = [...]string{"error", "warning", "info"}

// uniFunc is the graph of a function, and what it says about calls of it.
type uniFunc struct {
	decl     *Func
	entry    bool
	required [len(uniSeverities)]*uniNode
	varying  *uniNode // may be non-uniform
	start    *uniNode // control flow of the caller
	result   *uniNode
	params   []*uniParam
	visit    int // traversals

	// What callers need to know.
	callSite     int  // 1 + index of the severity with which calls must be uniform, or 0
	resultVaries bool // whatever the arguments are

	values map[*Var]uniValue
	scopes []map[*Var]uniValue // values in front of the first change in each open scope
	loops  []*uniLoop
	exits  []*uniExit // of open loops and switches
	filter []map[string]string
}

// uniValue is the value of a variable, set inside of so many loops.
type uniValue struct {
	node *uniNode
	loop int
}

type uniParam struct {
	v            *Var
	value        *uniNode
	in, out      *uniNode // contents of a pointer: at the beginning and at the end
	needValue    int      // like callSite
	needContents int
	// the result, and what is left behind the pointer, depend on
	toResult, contentsToResult bool
	outVaries                  bool
	fromValues, fromContents   []int
}

// uniLoop is an open loop: the values that variables of outside have at its beginning.
type uniLoop struct{ in map[*Var]*uniNode }

// uniExit gathers the values at the ends of a loop or switch.
type uniExit struct {
	loop   int // loops that are open inside of it
	scope  int // scopes outside of it
	isLoop bool
	ends   int
	values map[*Var]*uniEnd
}

// uniEnd is the value of a variable at the ends, at how many of them it had changed, and
// the last of those.
type uniEnd struct {
	node       *uniNode
	ends, last int
}

func (u *uniformity) function(fn *Func) *uniFunc {
	if info := u.funcs[fn]; info != nil {
		return info
	}
	info := &uniFunc{decl: fn, values: map[*Var]uniValue{}}
	u.funcs[fn] = info
	outer := u.uniFunc
	u.uniFunc = info
	defer func() { u.uniFunc = outer }()

	for i := range info.required {
		info.required[i] = &uniNode{}
	}
	info.varying, info.start, info.result = &uniNode{}, &uniNode{}, &uniNode{}
	for _, a := range fn.Attrs {
		info.entry = info.entry || a.Name == "compute" || a.Name == "fragment" || a.Name == "vertex"
	}
	u.push()
	for _, p := range fn.Params {
		q := &uniParam{v: p, value: &uniNode{at: p.Name.Span, name: p.Name.Text}}
		if space, _ := u.pointee(p.Type); space == "function" {
			q.in, q.out = &uniNode{kind: uniContents, at: p.Name.Span, name: p.Name.Text}, &uniNode{}
			u.set(p, q.in)
		}
		info.params = append(info.params, q)
	}
	defer u.filters(fn.Attrs)()
	_, next := u.body(info.start, fn.Body)
	if next&uniNext != 0 {
		u.pointerEnds()
	}
	u.conclude()
	// Only what callers and reasons need stays.
	info.values, info.scopes, info.loops, info.exits = nil, nil, nil, nil
	return info
}

// pointerEnds notes what is behind the pointers of parameters where the function returns.
func (u *uniformity) pointerEnds() {
	for _, p := range u.params {
		if p.out != nil {
			p.out.needs(u.get(p.v))
		}
	}
}

// reach marks what can be reached from a node.
func (f *uniFunc) reach(from *uniNode) func(*uniNode) bool {
	f.visit++
	mark := f.visit
	from.seen, from.from = mark, nil
	stack := []*uniNode{from}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, to := range n.edges {
			if to.seen != mark {
				to.seen, to.from = mark, n
				stack = append(stack, to)
			}
		}
	}
	return func(n *uniNode) bool { return n != nil && n.seen == mark }
}

// conclude reports what cannot be uniform, and finds what callers need to know.
func (u *uniformity) conclude() {
	if u.errs.Fatal() { // a function that this one calls
		return
	}
	for i, req := range u.required {
		reached := u.reach(req)
		if reached(u.varying) {
			u.explain(i, u.varying)
			if i == 0 {
				return
			}
			reached = u.reach(req)
		}
		if reached(u.start) && u.callSite == 0 {
			u.callSite = i + 1
		}
		for _, p := range u.params {
			if reached(p.value) && p.needValue == 0 {
				p.needValue = i + 1
			}
			if reached(p.in) && p.needContents == 0 {
				p.needContents = i + 1
			}
		}
	}
	reached := u.reach(u.result)
	u.resultVaries = reached(u.varying)
	for _, p := range u.params {
		p.toResult, p.contentsToResult = reached(p.value), reached(p.in)
	}
	for _, p := range u.params {
		if p.out == nil {
			continue
		}
		reached := u.reach(p.out)
		p.outVaries = reached(u.varying)
		for i, q := range u.params {
			if reached(q.value) {
				p.fromValues = append(p.fromValues, i)
			}
			if reached(q.in) {
				p.fromContents = append(p.fromContents, i)
			}
		}
	}
}

func (u *uniformity) push() { u.scopes = append(u.scopes, map[*Var]uniValue{}) }

// pop ends a scope and returns what changed in it; the values are again those in front.
func (u *uniformity) pop() map[*Var]uniValue {
	last := u.scopes[len(u.scopes)-1]
	u.scopes = u.scopes[:len(u.scopes)-1]
	for v, old := range last {
		last[v] = u.values[v]
		u.values[v] = old
	}
	return last
}

func (u *uniformity) set(v *Var, n *uniNode) {
	top := u.scopes[len(u.scopes)-1]
	if _, ok := top[v]; !ok {
		top[v] = u.values[v]
	}
	u.values[v] = uniValue{n, len(u.loops)}
}

// get is the value of a variable. Where it comes from outside of a loop, it may as well
// come from the end of the loop.
func (u *uniformity) get(v *Var) *uniNode {
	val := u.values[v]
	if val.node == nil {
		return nil
	}
	val = u.into(v, val, len(u.loops))
	u.values[v] = val
	return val.node
}

// into brings a value into so many of the open loops.
func (u *uniformity) into(v *Var, val uniValue, loops int) uniValue {
	for val.loop < loops {
		l := u.loops[val.loop]
		in := l.in[v]
		if in == nil {
			in = (&uniNode{}).needs(val.node)
			l.in[v] = in
		}
		val = uniValue{in, val.loop + 1}
	}
	return val
}

// end notes the values where a loop or switch is left.
func (u *uniformity) end(x *uniExit) {
	x.ends++
	for _, s := range u.scopes[x.scope:] {
		for v, outside := range s {
			if outside.node == nil && !u.existed(x, v) {
				continue // declared inside
			}
			e := x.values[v]
			if e == nil {
				e = &uniEnd{node: &uniNode{}}
				x.values[v] = e
			}
			if e.last == x.ends {
				continue // changed in an outer scope, too
			}
			e.last = x.ends
			e.ends++
			if n := u.get(v); len(e.node.edges) == 0 || e.node.edges[len(e.node.edges)-1] != n {
				e.node.needs(n)
			}
		}
	}
}

// existed reports whether a variable has a value outside of a loop or switch.
func (u *uniformity) existed(x *uniExit, v *Var) bool {
	for _, s := range u.scopes[x.scope:] {
		if old, ok := s[v]; ok {
			return old.node != nil
		}
	}
	return true
}

// leave ends a loop or switch: variables have what they have at one of its ends.
func (u *uniformity) leave(x *uniExit, changed map[*Var]uniValue, front func(v *Var) *uniNode) {
	for v := range changed {
		if u.values[v].node == nil {
			continue // declared inside
		}
		e := x.values[v]
		if e == nil {
			e = &uniEnd{node: &uniNode{}}
		}
		if e.ends < x.ends { // left in front of the change
			e.node.needs(front(v))
		}
		u.set(v, e.node)
	}
}

// behaviours of statements, as the recommendation has them.
type uniBehaviour uint8

const (
	uniNext uniBehaviour = 1 << iota
	uniBreak
	uniContinue
	uniReturn
)

// filters applies the diagnostic attributes of a range of the source; the result ends it.
func (u *uniformity) filters(lists ...[]*Attr) func() {
	n := len(u.filter)
	for _, l := range lists {
		for _, a := range l {
			if a.Name == "diagnostic" && len(a.Args) == 2 {
				sev, ok1 := a.Args[0].(*Ident)
				rule, ok2 := a.Args[1].(*Ident)
				if ok1 && ok2 {
					u.filter = append(u.filter, map[string]string{rule.Name: sev.Name})
				}
			}
		}
	}
	f := u.uniFunc
	return func() { f.filter = f.filter[:n] }
}

// severityOf is 1 + the index of the severity of a rule here, or 0 where it is off.
func (u *uniformity) severityOf(rule string) int {
	sev := "error"
	if s, ok := u.severity[rule]; ok {
		sev = s
	}
	for _, f := range u.filter {
		if s, ok := f[rule]; ok {
			sev = s
		}
	}
	return slices.Index(uniSeverities[:], sev) + 1
}

// body goes through a block that opens no scope of values of its own: variables are told
// apart by their declarations.
func (u *uniformity) body(cf *uniNode, b *Block) (*uniNode, uniBehaviour) {
	if b == nil {
		return cf, uniNext
	}
	defer u.filters(b.Attrs)()
	next := uniNext
	for _, s := range b.Stmts {
		var n uniBehaviour
		cf, n = u.stmt(cf, s)
		if next = next&^uniNext | n; n&uniNext == 0 {
			break
		}
	}
	return cf, next
}

// control is a point where control flow goes by a value: that of the statement or operator
// at the place.
func control(v *uniNode, at Span) *uniNode { return (&uniNode{kind: uniControl, at: at}).needs(v) }

func (u *uniformity) stmt(cf *uniNode, s Stmt) (*uniNode, uniBehaviour) {
	switch s := s.(type) {
	case *Block:
		return u.body(cf, s)
	case *VarStmt:
		v := cf
		if s.Init != nil {
			cf, v = u.expr(cf, s.Init, true)
		}
		if p, ok := u.pointsAt(s.Init); ok && s.Kind == KindLet {
			u.pointers[s.Var] = p
		}
		u.set(s.Var, v)
	case *Assign:
		if s.L == nil {
			cf, _ = u.expr(cf, s.R, true)
			break
		}
		if s.Op != "=" {
			var l, r *uniNode
			cf, l = u.expr(cf, s.L, true)
			cf, r = u.expr(cf, s.R, true)
			u.store(s.L, (&uniNode{}).needs(cf, l, r))
			break
		}
		cf, l := u.expr(cf, s.L, false)
		cf, r := u.expr(cf, s.R, true)
		u.store(s.L, (&uniNode{}).needs(cf, l, r))
		return cf, uniNext
	case *IncDec:
		var l *uniNode
		cf, l = u.expr(cf, s.L, true)
		u.store(s.L, (&uniNode{}).needs(cf, l))
	case *CallStmt:
		cf, _ = u.expr(cf, s.Call, true)
	case *If:
		return u.ifStmt(cf, s)
	case *Switch:
		return u.switchStmt(cf, s)
	case *Loop:
		defer u.filters(s.Attrs, s.BodyAttrs)()
		return u.loop(cf, s.Span, nil, s.Body, func(cf *uniNode) (*uniNode, uniBehaviour) {
			cf, next := u.body(cf, s.Continuing)
			if s.BreakIf != nil {
				_, v := u.expr(cf, s.BreakIf, true)
				cf = control(v, s.BreakIf.Range())
				u.end(u.exits[len(u.exits)-1])
				next |= uniBreak
			}
			return cf, next
		})
	case *For:
		defer u.filters(s.Attrs)()
		if s.Init != nil {
			cf, _ = u.stmt(cf, s.Init)
		}
		return u.loop(cf, s.Span, s.Cond, s.Body, func(cf *uniNode) (*uniNode, uniBehaviour) {
			if s.Post == nil {
				return cf, uniNext
			}
			return u.stmt(cf, s.Post)
		})
	case *While:
		defer u.filters(s.Attrs)()
		return u.loop(cf, s.Span, s.Cond, s.Body, func(cf *uniNode) (*uniNode, uniBehaviour) { return cf, uniNext })
	case *Jump:
		switch s.Kind {
		case "break":
			if n := len(u.exits); n > 0 {
				u.end(u.exits[n-1])
			}
			return cf, uniBreak
		case "continue":
			for _, x := range slices.Backward(u.exits) {
				if x.isLoop {
					for _, s := range u.scopes[x.scope:] {
						for v, old := range s {
							if old.node != nil {
								u.into(v, old, x.loop)
							}
						}
					}
					u.again(u.loops[x.loop-1])
					break
				}
			}
			return cf, uniContinue
		}
	case *Return:
		if s.X != nil {
			var v *uniNode
			cf, v = u.expr(cf, s.X, true)
			u.result.needs(v)
		}
		u.pointerEnds()
		return cf, uniReturn
	}
	return cf, uniNext
}

// again says that the values at hand are those at the beginning of a loop, too, of the
// variables that have been asked for there.
func (u *uniformity) again(l *uniLoop) {
	for v, in := range l.in {
		in.needs(u.get(v))
	}
}

func (u *uniformity) ifStmt(cf *uniNode, s *If) (*uniNode, uniBehaviour) {
	defer u.filters(s.Attrs)()
	_, v := u.expr(cf, s.Cond, true)
	cond := control(v, s.Span)
	u.push()
	cf1, next1 := u.body(cond, s.Then)
	changed1 := u.pop()
	cf2, next2 := cond, uniNext
	u.push()
	if s.Else != nil {
		cf2, next2 = u.stmt(cond, s.Else)
	}
	changed2 := u.pop()

	both := map[*Var]bool{}
	for v := range changed1 {
		both[v] = true
	}
	for v := range changed2 {
		both[v] = true
	}
	for v := range both {
		if u.values[v].node == nil {
			continue // declared in an arm
		}
		n := &uniNode{}
		for _, arm := range []struct {
			changed map[*Var]uniValue
			next    uniBehaviour
		}{{changed1, next1}, {changed2, next2}} {
			if arm.next&uniNext == 0 {
				continue
			}
			if val, ok := arm.changed[v]; ok {
				n.needs(val.node)
			} else {
				n.needs(u.get(v))
			}
		}
		u.set(v, n)
	}
	next := next1 | next2
	if next == uniNext {
		return cf, next
	}
	return (&uniNode{}).needs(cf1, cf2), next
}

func (u *uniformity) switchStmt(cf *uniNode, s *Switch) (*uniNode, uniBehaviour) {
	defer u.filters(s.Attrs, s.BodyAttrs)()
	_, v := u.expr(cf, s.X, true)
	cond := control(v, s.Span)
	x := &uniExit{loop: len(u.loops), scope: len(u.scopes), values: map[*Var]*uniEnd{}}
	u.exits = append(u.exits, x)
	end := &uniNode{}
	next := uniBehaviour(0)
	changed := map[*Var]uniValue{}
	for _, c := range s.Clauses {
		u.push()
		cf1, n := u.body(cond, c.Body)
		if n&uniNext != 0 {
			u.end(x)
		}
		for v, val := range u.pop() {
			changed[v] = val
		}
		end.needs(cf1)
		next |= n
	}
	u.exits = u.exits[:len(u.exits)-1]
	u.leave(x, changed, u.get)
	if next&uniBreak != 0 {
		next = next&^uniBreak | uniNext
	}
	if next == uniNext {
		return cf, next
	}
	return end, next
}

func (u *uniformity) loop(cf *uniNode, at Span, cond Expr, body *Block, continuing func(*uniNode) (*uniNode, uniBehaviour)) (*uniNode, uniBehaviour) {
	x := &uniExit{loop: len(u.loops) + 1, scope: len(u.scopes), isLoop: true, values: map[*Var]*uniEnd{}}
	l := &uniLoop{in: map[*Var]*uniNode{}}
	u.exits = append(u.exits, x)
	u.loops = append(u.loops, l)
	u.push()
	start := (&uniNode{}).needs(cf)
	inside, leaves := start, uniBehaviour(0)
	if cond != nil {
		_, v := u.expr(start, cond, true)
		inside = control(v, at)
		u.end(x)
		leaves = uniBreak
	}
	cf1, next := u.body(inside, body)
	next |= leaves
	if next&(uniNext|uniContinue) != 0 {
		var n uniBehaviour
		cf1, n = continuing(cf1)
		next |= n
		start.needs(cf1)
		u.again(l)
	}
	changed := u.pop()
	u.loops = u.loops[:len(u.loops)-1]
	u.exits = u.exits[:len(u.exits)-1]
	u.leave(x, changed, func(v *Var) *uniNode {
		in := l.in[v]
		if in == nil { // nothing inside reads it at the loop's beginning
			in = (&uniNode{}).needs(u.get(v), changed[v].node)
		}
		return in
	})
	if next&uniBreak != 0 {
		next = next&uniReturn | uniNext
	} else {
		next &= uniReturn
	}
	if next == uniNext {
		return cf, next
	}
	return start, next
}

// pointee is the address space and access mode, as written, of a type that is a pointer,
// through aliases; it is empty for other types.
func (u *uniformity) pointee(t *Ident) (space, access string) {
	t = u.alias(t)
	if t == nil || t.Name != "ptr" || len(t.Args) == 0 || u.names.Uses[t] == nil || u.names.Uses[t].Kind != ObjBuiltin {
		return "", ""
	}
	if id, ok := t.Args[0].(*Ident); ok {
		space = id.Name
	}
	if len(t.Args) > 2 {
		if id, ok := t.Args[2].(*Ident); ok {
			access = id.Name
		}
	}
	return space, access
}

// alias is what a type's name stands for in the end.
func (u *uniformity) alias(t *Ident) *Ident {
	for t != nil {
		o := u.names.Uses[t]
		if o == nil {
			return t
		}
		a, ok := o.Decl.(*Alias)
		if !ok {
			return t
		}
		t = a.Type
	}
	return nil
}

// variable is the variable, value or parameter that a name stands for.
func (u *uniformity) variable(id *Ident) (*Var, ObjectKind) {
	o := u.names.Uses[id]
	if o == nil {
		return nil, 0
	}
	v, _ := o.Decl.(*Var)
	return v, o.Kind
}

// pointsAt is where a pointer points; ok is false where the expression is none.
func (u *uniformity) pointsAt(e Expr) (pointer, bool) {
	switch e := e.(type) {
	case *Paren:
		return u.pointsAt(e.X)
	case *Unary:
		if e.Op == "&" {
			return u.memory(e.X), true
		}
	case *Ident:
		v, _ := u.variable(e)
		if v == nil {
			break
		}
		if p, ok := u.pointers[v]; ok {
			return p, true
		}
		if v.Kind == KindParam {
			space, _ := u.pointee(v.Type)
			return pointer{root: v}, space != ""
		}
	}
	return pointer{}, false
}

// memory is the variable that a reference is to or to a part of.
func (u *uniformity) memory(e Expr) pointer {
	switch e := e.(type) {
	case *Paren:
		return u.memory(e.X)
	case *Unary:
		if e.Op == "*" {
			p, _ := u.pointsAt(e.X)
			return p
		}
	case *Index:
		return u.part(e.X)
	case *Select:
		return u.part(e.X)
	case *Ident:
		v, _ := u.variable(e)
		return pointer{root: v}
	}
	return pointer{}
}

func (u *uniformity) part(e Expr) pointer {
	p, ok := u.pointsAt(e) // p.x is (*p).x
	if !ok {
		p = u.memory(e)
	}
	p.part = true
	return p
}

// store gives the memory that a reference is to a value.
func (u *uniformity) store(l Expr, value *uniNode) {
	p := u.memory(l)
	if p.root == nil || u.values[p.root].node == nil {
		return // memory of the module has no uniform values
	}
	if p.part {
		value.needs(u.get(p.root))
	}
	u.set(p.root, value)
}

// contents is what is in a variable.
func (u *uniformity) contents(cf *uniNode, v *Var, at Span) *uniNode {
	if v == nil {
		return cf
	}
	if n := u.get(v); n != nil {
		return n
	}
	space, access := v.Space, v.Access
	if v.Kind == KindParam {
		space, access = u.pointee(v.Type)
	}
	if what := varyingMemory(v, space, access); what != "" {
		return (&uniNode{kind: uniInput, at: at, name: what}).needs(cf, u.varying)
	}
	return cf
}

// varyingMemory says why the contents of a variable at module scope vary, or what a pointer
// parameter points at, or nothing.
func varyingMemory(v *Var, space, access string) string {
	switch {
	case v.Kind == KindParam && (space == "private" || space == "workgroup" || space == "storage" && access == "read_write"):
		return fmt.Sprintf("parameter '%s' may point to a non-uniform value", v.Name.Text)
	case v.Kind != KindVar:
	case space == "private":
		return fmt.Sprintf("reading from module-scope private variable '%s' may result in a non-uniform value", v.Name.Text)
	case space == "workgroup":
		return fmt.Sprintf("reading from workgroup storage variable '%s' may result in a non-uniform value", v.Name.Text)
	case space == "storage" && access == "read_write":
		return fmt.Sprintf("reading from read_write storage buffer '%s' may result in a non-uniform value", v.Name.Text)
	}
	return ""
}

// expr is the control flow behind an expression, and its value. Without load the
// expression is the place in memory, not what is there.
func (u *uniformity) expr(cf *uniNode, e Expr, load bool) (*uniNode, *uniNode) {
	switch e := e.(type) {
	case *Paren:
		return u.expr(cf, e.X, load)
	case *Ident:
		return cf, u.ident(cf, e, load)
	case *Call:
		return u.call(cf, e)
	case *Index:
		cf, x := u.composite(cf, e.X, load)
		cf, i := u.expr(cf, e.I, true)
		if x == i {
			return cf, x
		}
		return cf, (&uniNode{at: e.Span}).needs(x, i)
	case *Select:
		return u.composite(cf, e.X, load)
	case *Unary:
		switch e.Op {
		case "&":
			return u.expr(cf, e.X, false)
		case "*":
			cf, p := u.expr(cf, e.X, true)
			return cf, u.deref(cf, e.X, p, load)
		}
		return u.expr(cf, e.X, true)
	case *Binary:
		cf1, x := u.expr(cf, e.X, true)
		if e.Op == "&&" || e.Op == "||" {
			_, y := u.expr(control(x, e.Span), e.Y, true)
			return cf, y
		}
		cf2, y := u.expr(cf1, e.Y, true)
		if x == y {
			return cf2, x
		}
		return cf2, (&uniNode{at: e.Span}).needs(x, y)
	}
	return cf, cf
}

// composite is the expression in front of an index or a member; it may be a pointer.
func (u *uniformity) composite(cf *uniNode, e Expr, load bool) (*uniNode, *uniNode) {
	if _, ok := u.pointsAt(e); ok {
		cf, p := u.expr(cf, e, true)
		return cf, u.deref(cf, e, p, load)
	}
	return u.expr(cf, e, load)
}

// deref is what a pointer's value leads to.
func (u *uniformity) deref(cf *uniNode, e Expr, p *uniNode, load bool) *uniNode {
	if !load {
		return p
	}
	at, _ := u.pointsAt(e)
	c := u.contents(cf, at.root, e.Range())
	if c == p {
		return p
	}
	return (&uniNode{at: e.Range()}).needs(p, c)
}

func (u *uniformity) ident(cf *uniNode, id *Ident, load bool) *uniNode {
	v, kind := u.variable(id)
	switch {
	case v == nil:
		return cf
	case kind == ObjParam:
		if u.entry {
			return u.input(cf, id, v)
		}
		for _, p := range u.params {
			if p.v == v {
				return (&uniNode{at: id.Span}).needs(cf, p.value)
			}
		}
		return cf
	case kind == ObjLocal && v.Kind == KindVar && !load:
		return cf
	case kind == ObjVar && !load:
		return cf
	}
	n := u.contents(cf, v, id.Span)
	if n == cf {
		return cf
	}
	return (&uniNode{at: id.Span}).needs(cf, n)
}

// uniformBuiltins are the builtin inputs that all invocations of a group share.
var uniformBuiltins = words("workgroup_id num_workgroups subgroup_size num_subgroups")

func builtinOf(attrs []*Attr) string {
	for _, a := range attrs {
		if a.Name == "builtin" && len(a.Args) == 1 {
			if id, ok := a.Args[0].(*Ident); ok {
				return id.Name
			}
		}
	}
	return ""
}

// members is the structure that a parameter has as its type, or nil.
func (u *uniformity) members(t *Ident) *Struct {
	if t = u.alias(t); t == nil || u.names.Uses[t] == nil {
		return nil
	}
	s, _ := u.names.Uses[t].Decl.(*Struct)
	return s
}

// input is the value of an entry point's parameter.
func (u *uniformity) input(cf *uniNode, id *Ident, v *Var) *uniNode {
	b := builtinOf(v.Attrs)
	if uniformBuiltins[b] {
		return cf
	}
	if s := u.members(v.Type); s != nil {
		all := true
		for _, m := range s.Members {
			all = all && uniformBuiltins[builtinOf(m.Attrs)]
		}
		if all {
			return cf
		}
	}
	what := fmt.Sprintf("user-defined input '%s' of '%s' may be non-uniform", v.Name.Text, u.decl.Name.Text)
	if b != "" {
		what = fmt.Sprintf("builtin '%s' of '%s' may be non-uniform", v.Name.Text, u.decl.Name.Text)
	}
	return (&uniNode{kind: uniInput, at: id.Span, name: what}).needs(cf, u.varying)
}

var (
	uniBarriers    = words("workgroupBarrier storageBarrier textureBarrier")
	uniDerivatives = words(`dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine
		textureSample textureSampleBias textureSampleCompare`)
	uniShuffles = words("subgroupShuffleUp subgroupShuffleDown subgroupShuffleXor")
)

// uniRule is the diagnostic rule of a builtin function: empty where calls may stand anywhere,
// "-" where no filter switches it off.
func uniRule(name string) string {
	switch {
	case uniBarriers[name] || name == "workgroupUniformLoad":
		return "-"
	case uniDerivatives[name]:
		return "derivative_uniformity"
	case strings.HasPrefix(name, "subgroup") || strings.HasPrefix(name, "quad"):
		return "subgroup_uniformity"
	}
	return ""
}

func (u *uniformity) call(cf *uniNode, e *Call) (*uniNode, *uniNode) {
	name := e.Fun.Name
	o := u.names.Uses[e.Fun]
	var callee *uniFunc
	builtin := false
	if o != nil {
		if fn, ok := o.Decl.(*Func); ok {
			callee = u.function(fn)
		}
		builtin = o.Kind == ObjBuiltin && predeclaredFunctions[name]
	}
	args := make([]*uniNode, len(e.Args))
	contents := make([]*uniNode, len(e.Args))
	roots := make([]pointer, len(e.Args))
	for i, a := range e.Args {
		var v *uniNode
		cf, v = u.expr(cf, a, true)
		args[i] = v
		if callee != nil || name == "workgroupUniformLoad" || uniShuffles[name] {
			args[i] = (&uniNode{kind: uniArg, at: a.Range(), call: e, arg: i}).needs(v)
		}
		if p, ok := u.pointsAt(a); ok {
			roots[i] = p
			contents[i] = (&uniNode{kind: uniContents, at: a.Range(), call: e, arg: i}).needs(u.contents(cf, p.root, a.Range()))
		}
	}
	if callee == nil && !builtin { // the construction or conversion of a value
		return cf, (&uniNode{at: e.Span}).needs(cf).needs(args...)
	}
	at := (&uniNode{kind: uniCall, at: e.Span, call: e}).needs(cf)
	result := (&uniNode{kind: uniResult, at: e.Span, call: e}).needs(at)
	require := func(severity int, n *uniNode) {
		if severity > 0 && n != nil {
			u.required[severity-1].needs(n)
		}
	}
	if builtin {
		u.builtin(e, args, at, result, require)
		return cf, result
	}
	if callee.resultVaries {
		result.needs(u.varying)
	}
	after := make([]*uniNode, len(args))
	for i, p := range callee.params {
		if i >= len(args) {
			break
		}
		require(p.needValue, args[i])
		require(p.needContents, contents[i])
		if p.toResult {
			result.needs(args[i])
		}
		if p.contentsToResult {
			result.needs(contents[i])
		}
		if p.out == nil {
			continue
		}
		n := (&uniNode{kind: uniWritten, at: e.Span, call: e, arg: i}).needs(at)
		if p.outVaries {
			n.needs(u.varying)
		}
		for _, k := range p.fromValues {
			if k < len(args) {
				n.needs(args[k])
			}
		}
		for _, k := range p.fromContents {
			if k < len(args) {
				n.needs(contents[k])
			}
		}
		after[i] = n
	}
	for i, n := range after {
		root := roots[i].root
		if n == nil || root == nil || u.values[root].node == nil {
			continue
		}
		if roots[i].part {
			n.needs(u.get(root))
		}
		u.set(root, n)
	}
	require(callee.callSite, at)
	return cf, result
}

// builtin adds what a builtin function demands and gives.
func (u *uniformity) builtin(e *Call, args []*uniNode, at, result *uniNode, require func(int, *uniNode)) {
	name := e.Fun.Name
	switch {
	case name == "arrayLength": // the same for all
	case name == "workgroupUniformLoad":
		if len(args) > 0 {
			require(1, args[0])
		}
	default:
		result.needs(args...)
	}
	switch rule := uniRule(name); rule {
	case "":
		if strings.HasPrefix(name, "atomic") || name == "textureLoad" && len(e.Args) > 0 && u.readWriteTexture(e.Args[0]) {
			result.needs(u.varying)
		}
	case "-":
		require(1, at)
	default:
		result.needs(u.varying)
		sev := u.severityOf(rule)
		if uniShuffles[name] && len(args) > 1 {
			require(sev, args[1])
		}
		require(sev, at)
	}
}

// readWriteTexture reports whether a texture is one that the shader may write and read.
func (u *uniformity) readWriteTexture(e Expr) bool {
	for {
		switch x := e.(type) {
		case *Paren:
			e = x.X
			continue
		case *Ident:
			v, _ := u.variable(x)
			if v == nil {
				return false
			}
			if v.Type == nil && v.Init != nil && v.Kind == KindLet {
				e = v.Init
				continue
			}
			t := u.alias(v.Type)
			if t == nil || !strings.HasPrefix(t.Name, "texture_storage_") || len(t.Args) < 2 {
				return false
			}
			id, ok := t.Args[1].(*Ident)
			return ok && id.Name == "read_write"
		}
		return false
	}
}

// explain reports that a node which must be uniform depends on one that may not be.
func (u *uniformity) explain(severity int, source *uniNode) {
	notes, at, msg := u.reason(u.uniFunc, severity, source)
	line, col := u.file.lines.at(at.Pos)
	u.errs = append(u.errs, &Error{Span: at, Line: line, Col: col, Msg: msg, Warning: severity > 0, Notes: notes})
}

func (u *uniformity) note(at Span, format string, args ...any) Note {
	line, col := u.file.lines.at(at.Pos)
	return Note{Span: at, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// reason finds the place, message and notes for a dependency of what must be uniform in a
// function on a node of it.
func (u *uniformity) reason(f *uniFunc, severity int, source *uniNode) (notes []Note, at Span, msg string) {
	req := f.required[severity]
	f.reach(req)
	cause := source
	for cause.from != nil && cause.from != req {
		cause = cause.from
	}
	if cause.call == nil {
		return nil, cause.at, "this must be uniform"
	}
	name := cause.call.Fun.Name
	if cause.kind == uniArg || cause.kind == uniContents {
		what := "possibly non-uniform value passed here"
		if cause.kind == uniContents {
			what = "possibly non-uniform value passed via pointer here"
		}
		argAt := cause.call.Args[cause.arg].Range()
		callee := u.calleeOf(cause.call)
		why := u.sourceNotes(f, source)
		if callee == nil {
			return why, argAt, fmt.Sprintf("'%s' requires argument %d to be uniform: %s", name, cause.arg, what)
		}
		p := callee.params[cause.arg]
		inner := p.value
		if cause.kind == uniContents {
			inner = p.in
		}
		notes, at, msg = u.reason(callee, severity, inner)
		notes = append(notes, u.note(argAt, "%s", what))
		return append(notes, why...), at, msg
	}
	b, path := u.culprit(cause.call, severity)
	msg = fmt.Sprintf("'%s' must only be called from uniform control flow", b.Fun.Name)
	for _, c := range path {
		notes = append(notes, u.note(c.Span, "called by '%s' from '%s'", c.Fun.Name, u.caller(c, f)))
	}
	for n := source; n != nil && n != cause; n = n.from {
		if n.kind == uniControl {
			notes = append(notes, u.note(n.at, "control flow depends on possibly non-uniform value"))
			break
		}
	}
	return append(notes, u.sourceNotes(f, source)...), b.Span, msg
}

func (u *uniformity) calleeOf(c *Call) *uniFunc {
	if o := u.names.Uses[c.Fun]; o != nil {
		if fn, ok := o.Decl.(*Func); ok {
			return u.funcs[fn]
		}
	}
	return nil
}

// caller is the name of the function that a call stands in.
func (u *uniformity) caller(c *Call, f *uniFunc) string {
	for _, d := range u.file.Decls {
		if fn, ok := d.(*Func); ok && fn.Pos <= c.Pos && c.End <= fn.End {
			return fn.Name.Text
		}
	}
	return f.decl.Name.Text
}

// culprit is the builtin function that makes a call need uniform control flow, and the
// calls that lead to it, the innermost first.
func (u *uniformity) culprit(c *Call, severity int) (*Call, []*Call) {
	var path []*Call
	for {
		f := u.calleeOf(c)
		if f == nil {
			slices.Reverse(path)
			return c, path
		}
		path = append(path, c)
		i := slices.IndexFunc(f.required[severity].edges, func(n *uniNode) bool { return n.kind == uniCall })
		if i < 0 {
			slices.Reverse(path)
			return c, path
		}
		c = f.required[severity].edges[i].call
	}
}

// sourceNotes says why a node may be non-uniform, from the last traversal.
func (u *uniformity) sourceNotes(f *uniFunc, source *uniNode) []Note {
	n := source.from
	if source != f.varying || n == nil {
		if source.name != "" && source.kind == uniContents {
			return []Note{u.note(source.at, "parameter '%s' of '%s' may point to a non-uniform value", source.name, f.decl.Name.Text)}
		}
		if source.name != "" {
			return []Note{u.note(source.at, "parameter '%s' of '%s' may be non-uniform", source.name, f.decl.Name.Text)}
		}
		return nil
	}
	switch n.kind {
	case uniInput:
		return []Note{u.note(n.at, "%s", n.name)}
	case uniResult:
		return []Note{u.note(n.at, "return value of '%s' may be non-uniform", n.call.Fun.Name)}
	case uniWritten:
		return []Note{u.note(n.call.Args[n.arg].Range(), "contents of pointer may become non-uniform after calling '%s'", n.call.Fun.Name)}
	}
	return nil
}
