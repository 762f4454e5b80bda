package syntax

import (
	"slices"
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
