package wgsl

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// The codes that the core of the emitter gives.
var (
	codeDouble = diag.Register(diag.Info{
		Code:   "wgsl.double",
		Title:  "double-precision arithmetic has no WGSL form",
		Rule:   "WGSL has no 64-bit floating-point type; a program that computes in doubles is refused as a whole, with the number of such operations.",
		Remedy: "compile the shader with float instead of double",
	})
	codeNesting = diag.Register(diag.Info{
		Code:   "wgsl.nesting",
		Title:  "control flow is nested deeper than WGSL allows",
		Rule:   "WGSL requires implementations to accept 127 nested statements, and Tint refuses more.",
		Remedy: "flatten the control flow of the shader, or compile it with other flags (/Gfa)",
	})
)

// maxRenames bounds how often a module is built anew with other names; each time
// the names that clashed are avoided, and one round has been enough so far.
const maxRenames = 8

// maxNesting is the number of brace-enclosed statements that WGSL guarantees.
const maxNesting = 127

// Emit translates one function to a WGSL module with the bindings of p and the
// stage interface of link. The module is nil when any diagnostic is an error.
// The same function, plan, link and options give the same bytes. f must have
// passed ir.Verify and must have kinds (the types phase).
func Emit(f *ir.Function, p *layout.Plan, link *Link, opt Options) (*Module, []diag.Diag) {
	var avoid []string
	for try := 0; ; try++ {
		e := newEmitter(f, p, link, opt, avoid)
		if !e.supported() {
			return nil, e.diags
		}
		clash := e.module()
		m, ds := e.mod, e.diags
		e.release()
		if diag.HasErrors(ds) {
			return nil, ds
		}
		if len(clash) == 0 || try == maxRenames {
			return m, ds
		}
		// A local took the name of a helper that was asked for later.
		avoid = append(avoid, clash...)
	}
}

func newEmitter(f *ir.Function, p *layout.Plan, link *Link, opt Options, avoid []string) *emitter {
	e := emitters.Get().(*emitter)
	*e = emitter{
		fold: e.fold, vars: e.vars, stack: e.stack, exprs: e.exprs, moves: e.moves, // only memory: see release
		f: f, plan: p, link: link, opt: opt,
		mod: &Module{
			Stage: stageOf(f), EntryPoint: "main", Workgroup: f.ThreadGroup,
			Requires: Requires{Features: []string{}, Language: []string{}, Limits: map[string]int{}},
		},
		helpers: e.helpers,
		enables: e.enables,
		names:   newNames(e.names, avoid),
		local:   zeroed(e.local, len(f.Values)),
		cur:     ir.NoValue,
	}
	return e
}

// emitters keeps the memory of emitters that are done.
var emitters = sync.Pool{New: func() any {
	return &emitter{helpers: map[string]string{}, enables: map[string]bool{}}
}}

// release gives the emitter's memory to the next one. Nothing of it may be in the
// module or the diagnostics.
func (e *emitter) release() {
	const many = 1 << 17 // what a huge program took goes back to the heap
	if len(e.f.Values) > many || len(e.f.Nodes) > many {
		return
	}
	e.names.of, e.names.bindings = emptied(e.names.of), emptied(e.names.bindings)
	clear(e.helpers)
	clear(e.enables)
	clear(e.local) // no more: what lies behind is clear since it was used
	p, v := &e.fold, &e.vars
	clear(p.segs)
	p.parts.reset(256)
	v.words.reset(256)
	clear(e.stack)
	e.exprs.reset()
	*e = emitter{
		exprs: e.exprs, moves: e.moves, helpers: e.helpers, enables: e.enables, names: e.names, local: e.local, stack: e.stack[:0],
		fold: foldPlan{place: p.place, uses: p.uses, root: p.root, segs: p.segs, parts: p.parts, conv: p.conv, pos: p.pos, end: p.end,
			loop: p.loop, depth: p.depth, order: p.order[:0], own: p.own},
		vars: varPlan{member: v.member, falls: v.falls, words: v.words, through: v.through, after: v.after, head: v.head},
	}
	emitters.Put(e)
}

// emptied is m without its entries; a large one, which would take long to clear each
// time, goes back to the heap.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > 1<<10 {
		return make(map[K]V, 32)
	}
	clear(m)
	return m
}

// zeroed is s with n elements, all zero, in its own memory where that is enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// supported refuses what no part of the emitter can print.
func (e *emitter) supported() bool {
	doubles, first := 0, int32(-1)
	deepest, where := 0, int32(-1)
	var walk func(r ir.RegionID, depth int)
	walk = func(r ir.RegionID, depth int) {
		for _, id := range e.f.Regions[r].Nodes {
			n := &e.f.Nodes[id]
			if n.Kind == ir.NodeValue {
				if v := &e.f.Values[n.Value]; v.Op.Is(ir.FlagDouble) {
					if doubles == 0 {
						first = v.Instr
					}
					doubles++
				}
			}
			if len(n.Regions) > 0 && depth+1 > deepest {
				deepest, where = depth+1, n.Instr
			}
			for _, sub := range n.Regions {
				walk(sub, depth+1)
			}
		}
	}
	walk(0, 1)
	if doubles > 0 {
		e.diags = append(e.diags, diag.New(diag.Error, codeDouble, diag.At(int(first)),
			"%d double-precision operations, the first here", doubles))
	}
	if deepest > maxNesting {
		e.diags = append(e.diags, diag.New(diag.Error, codeNesting, diag.At(int(where)),
			"%d nested blocks, WGSL allows %d", deepest, maxNesting))
	}
	return !diag.HasErrors(e.diags)
}

// module builds the whole module and returns the local names that clash with helpers.
func (e *emitter) module() []string {
	e.nameBindings()
	e.planFolds()
	e.planVars()
	e.stack = slices.Grow(e.stack, len(e.f.Nodes)/2)
	e.stack = append(append(e.stack, e.prologue()...), e.arrays()...)
	e.pushRegion(0, jump{kind: ir.NodeReturn})
	body := e.polish(e.stack)
	signature := e.entry()
	declarations := e.declare()

	clash := e.clashes()
	if diag.HasErrors(e.diags) {
		return nil
	}

	pr := printers.Get().(*printer)
	for _, name := range sortedSet(e.enables) {
		pr.raw("enable "+name+";\n", -1)
	}
	if sites := e.nonUniformSites(); len(sites) > 0 {
		e.mod.Uniformity = true
		pr.raw("diagnostic(off, derivative_uniformity);  // "+strings.Join(sites, ", ")+"\n", -1)
	}
	pr.gap()
	pr.raw(declarations, -1)
	pr.gap()
	for _, h := range e.order {
		pr.raw(e.helpers[h], -1)
		pr.gap()
	}
	pr.raw(signature, -1)
	pr.expect(e.exprs.count())
	pr.body(body)
	e.mod.Code, e.mod.Tokens = pr.take()
	return clash
}

// clashes lists the names of the module that a helper uses for something else:
// its own name, or one of its parameters and locals, which would hide a resource.
func (e *emitter) clashes() []string {
	found := map[string]bool{}
	for _, h := range e.order {
		if e.names.of[h].use&nameLocal != 0 {
			found[h] = true
		}
		for _, n := range declaredIn(e.helpers[h]) {
			if e.names.of[n].use&(nameGiven|nameLocal) == nameGiven {
				found[n] = true
			}
		}
	}
	return sortedSet(found)
}

// declaredIn lists the names that WGSL text declares inside functions: what
// stands before a colon, or behind let and var.
func declaredIn(src string) []string {
	var out []string
	last := ""
	for i := 0; i < len(src); {
		if !isWord(src[i]) {
			if src[i] == ':' && last != "" {
				out = append(out, last)
			}
			i++
			continue
		}
		j := i
		for j < len(src) && isWord(src[j]) {
			j++
		}
		if last == "let" || last == "var" {
			out = append(out, src[i:j])
		}
		last = src[i:j]
		i = j
	}
	return out
}

func sortedSet(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// jump is where control goes from the end of a statement list by itself.
type jump struct {
	kind   ir.NodeKind
	target ir.NodeID
}

// region builds the statements of r. Where control comes to its end it goes to
// tail by itself, so that a terminator that says the same is not printed.
func (e *emitter) region(r ir.RegionID, tail jump) []stmt {
	base := len(e.stack)
	e.pushRegion(r, tail)
	out := slices.Clone(e.stack[base:])
	clear(e.stack[base:])
	e.stack = e.stack[:base]
	return out
}

// pushRegion puts the statements of r on the stack.
func (e *emitter) pushRegion(r ir.RegionID, tail jump) {
	put := func(list ...stmt) { e.stack = append(e.stack, list...) }
	nodes := e.f.Regions[r].Nodes
	for i, id := range nodes {
		if e.fold.pos[id] == 0 {
			break
		}
		for _, c := range e.vars.at[id] {
			if cl := &e.vars.classes[c]; !cl.direct && !cl.declared {
				cl.declared = true
				v := cl.members[0]
				t := typ{e.kindOf(v), e.f.Values[v].N}
				s := varStmt(e.className(c), t.String(), nil)
				s.value = v
				put(s)
			}
		}
		n := &e.f.Nodes[id]
		next := jump{kind: ir.NodeYield, target: ir.NoNode}
		if !e.reached(id) || i+1 < len(nodes) && e.silentEnd(nodes[i+1], tail) {
			next = tail
		}
		switch n.Kind {
		case ir.NodeValue:
			e.value(n.Value)
			for _, x := range e.fold.after[id] {
				e.packStmts(x)
			}
		case ir.NodeIf:
			put(e.ifNode(id, n, next)...)
		case ir.NodeLoop:
			put(e.loopNode(id, n)...)
		case ir.NodeSwitch:
			put(e.switchNode(id, n)...)
		case ir.NodeReturn:
			e.cur, e.reader = ir.NoValue, id
			s := e.ret(n.Args)
			e.stampStmt(&s, ir.NoValue, n.Instr)
			put(e.flush(ir.NoValue, n.Instr)...)
			if s.kind == stReturn && s.x == nil && tail.kind == ir.NodeReturn {
				e.silent(n.Instr)
				break
			}
			put(s)
		default:
			put(e.terminator(id, n, tail)...)
		}
	}
}

// silentEnd reports whether the node is a terminator that prints nothing where
// control goes to tail by itself.
func (e *emitter) silentEnd(id ir.NodeID, tail jump) bool {
	n := &e.f.Nodes[id]
	switch n.Kind {
	case ir.NodeYield:
		return e.noCopies(n)
	case ir.NodeBreak, ir.NodeContinue:
		return n.Kind == tail.kind && n.Target == tail.target && e.noCopies(n)
	case ir.NodeReturn:
		return tail.kind == ir.NodeReturn && len(n.Args) == 0
	}
	return false
}

// noCopies reports whether the node's arguments are in their variables already.
func (e *emitter) noCopies(n *ir.Node) bool {
	none := true
	e.eachEdge(n, func(param ir.ValueID, a ir.Arg) {
		if v, ok := e.whole(a); !ok || e.vars.classOf(v) != e.vars.classOf(param) {
			none = false
		}
	})
	return none
}

// silent notes that an instruction's effect is in the shape of the code alone.
func (e *emitter) silent(instr int32) {
	if instr >= 0 {
		e.mod.silent = append(e.mod.silent, instr)
	}
}

// terminator builds the copies and the jump of a yield, break or continue.
func (e *emitter) terminator(id ir.NodeID, n *ir.Node, tail jump) []stmt {
	out := e.copies(id, n)
	to := jump{n.Kind, n.Target}
	if n.Kind == ir.NodeYield {
		return out
	}
	if to == tail {
		e.silent(n.Instr)
		return out
	}
	// Both languages agree on what the innermost construct is, and the IR jumps
	// no further.
	s := newStmt(stBreak)
	if n.Kind == ir.NodeContinue {
		s = newStmt(stContinue)
	}
	e.stampStmt(&s, ir.NoValue, n.Instr)
	return append(out, s)
}

// value puts the statements of one operation on the stack.
func (e *emitter) value(id ir.ValueID) {
	v := &e.f.Values[id]
	switch e.fold.place[id] {
	case placeNone, placeLeaf, placeFold, placeSplit:
		return
	}
	e.cur, e.reader = id, v.Node
	if v.Op == ir.OpArrayStore {
		e.done(id, v, e.arrayStore(v))
		return
	}
	if v.N == 0 || fixed(v) && e.fold.uses[id] == 0 {
		if v.N == 0 {
			e.done(id, v, e.effect(v)...)
			return
		}
		x := e.build(id)
		if x.op != exCall {
			e.done(id, v, letStmt(e.nameValue(id), x))
			return
		}
		p := newStmt(stAssign) // phony assignment: the result of some calls must be used
		p.lhs = e.ident("_", RoleVariable, x.typ)
		p.x = x
		e.done(id, v, p)
		return
	}
	x := e.build(id)
	if e.fold.place[id] == placeVar {
		c := e.vars.classOf(id)
		if cl := &e.vars.classes[c]; len(cl.members) > 1 || v.Op == ir.OpParam {
			e.done(id, v, e.assign(c, id, e.convert(x, e.kindOf(id))))
			return
		}
		e.fold.place[id] = placeLet
	}
	if v.Kind != ir.Bits {
		x = e.convert(x, v.Kind)
	}
	name := e.nameValue(id)
	e.local[id] = localVar{name, x.typ}
	e.done(id, v, letStmt(name, x))
}

// done puts statements on the stack, with their value, behind what they need.
func (e *emitter) done(id ir.ValueID, v *ir.Value, list ...stmt) {
	if len(e.pre) > 0 {
		e.stack = append(e.stack, e.flush(id, v.Instr)...)
	}
	for i := range list {
		e.stampStmt(&list[i], id, v.Instr)
	}
	e.stack = append(roomy(e.stack, len(list)), list...)
	e.cur = ir.NoValue
}

// flush takes the statements that bind asked for.
func (e *emitter) flush(id ir.ValueID, instr int32) []stmt {
	out := e.pre
	e.pre = nil
	for i := range out {
		e.stampStmt(&out[i], id, instr)
	}
	return out
}

// bind gives x a name of its own before the statement at hand, so that it can be
// used more than once; names, literals and fixed rows of buffers stay themselves.
func (e *emitter) bind(x *expr, name string) *expr {
	y := x
	for y.op == exMember {
		y = y.args[0]
	}
	if y.op == exIdent || y.op == exLiteral || x.konst {
		return x
	}
	n := e.localName(name)
	e.pre = append(e.pre, letStmt(n, x))
	return e.ident(n, RoleVariable, x.typ)
}

// use is the expression that stands for all lanes of v: a name, or all of what
// is folded. Its kind need not be v's.
func (e *emitter) use(id ir.ValueID) *expr {
	v := &e.f.Values[id]
	switch e.fold.place[id] {
	case placeLeaf, placeFold:
		return e.within(id, func() *expr { return e.build(id) })
	case placeVar:
		c := e.vars.classOf(id)
		if name, ok := e.snapshot[c]; ok {
			x := e.ident(name, RoleVariable, typ{e.kindOf(id), v.N})
			x.value = id
			return x
		}
		if len(e.vars.classes[c].members) > 1 || v.Op == ir.OpParam {
			return e.varIdent(c, id)
		}
	}
	x := e.ident(e.local[id].name, RoleVariable, e.local[id].typ)
	x.value = id
	return x
}

// within builds the expression of a folded value.
func (e *emitter) within(id ir.ValueID, build func() *expr) *expr {
	v := &e.f.Values[id]
	cur, reader := e.cur, e.reader
	e.cur = id
	if v.Node != ir.NoNode {
		e.reader = v.Node
	}
	x := e.stamp(build(), id, v.Instr)
	e.cur, e.reader = cur, reader
	return x
}

// useLanes is lanes of v; a folded operation is built for just these.
func (e *emitter) useLanes(id ir.ValueID, lanes []uint8) *expr {
	v := &e.f.Values[id]
	if p := e.fold.place[id]; p == placeFold || p == placeSplit {
		if w, ok := narrowed(v, lanes); ok {
			return e.within(id, func() *expr { return e.buildOp(id, w) })
		}
	}
	return e.swizzle(e.use(id), lanes)
}

// packStmts declares an operand with a name of its own, on the stack.
func (e *emitter) packStmts(x *pack) {
	if x.uses == 0 {
		return
	}
	id := e.f.Nodes[x.node].Value
	e.cur, e.reader = ir.NoValue, x.node
	y := e.lanes(x.arg, ir.Bits)
	x.name, x.typ = e.localName(e.packName(x.arg)), y.typ
	e.done(id, &e.f.Values[id], letStmt(x.name, y))
}

// build is the expression of v's operation.
func (e *emitter) build(id ir.ValueID) *expr { return e.buildOp(id, &e.f.Values[id]) }

func (e *emitter) buildOp(id ir.ValueID, v *ir.Value) *expr {
	switch v.Op {
	case ir.OpConst, ir.OpUndef:
		k := e.kindOf(id)
		args := make([]*expr, v.N)
		same := true
		for i := range args {
			b, _ := e.laneConst(ir.Lane{V: id, L: uint8(i)})
			args[i] = e.constant(b, k)
			same = same && args[i].bits == args[0].bits
		}
		if same {
			return e.splat(args[0], int(v.N))
		}
		return e.construct(vec(k, int(v.N)), args...)
	case ir.OpInput:
		return e.input(v)
	case ir.OpArrayLoad:
		return e.arrayLoad(v)
	}
	if x := e.arith(v); x != nil {
		return x
	}
	return e.resource(v)
}

// cond is a one-lane operand as a condition.
func (e *emitter) cond(a ir.Arg) *expr { return e.lanes(a, ir.Bool) }

// opposite has the complements of comparisons.
var opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// not is the opposite of a condition. Comparisons of floats are not turned
// around: a NaN would change sides.
func (ex *exprs) not(x *expr) *expr {
	if x.op == exUnary && x.text == "!" {
		return x.args[0]
	}
	if x.op == exLiteral && x.typ == tBool {
		return ex.lit(^x.bits, ir.Bool)
	}
	if x.op == exBinary && x.args[0].typ.kind != ir.F32 && x.args[0].typ.kind != ir.Bool {
		if o, ok := opposite[x.text]; ok {
			y := ex.copy(x)
			y.text = o
			return y
		}
	}
	n := ex.unary("!", x.typ, x)
	n.value, n.instr = x.value, x.instr
	return n
}

// ifNode builds an if.
func (e *emitter) ifNode(id ir.NodeID, n *ir.Node, tail jump) []stmt {
	e.cur, e.reader = ir.NoValue, id
	cond := e.stamp(e.cond(n.Cond), ir.NoValue, n.Instr)
	out := e.flush(ir.NoValue, n.Instr)
	then := e.region(n.Regions[0], tail)
	els := e.region(n.Regions[1], tail)
	if len(then) == 0 && len(els) == 0 {
		e.silent(n.Instr)
		e.silent(n.EndInstr)
		return out
	}
	s := newStmt(stIf)
	s.instr, s.end = n.Instr, n.EndInstr
	thenEnds, elseEnds := endsInJump(then), endsInJump(els)
	if len(then) == 0 || elseEnds && !thenEnds || elseEnds && thenEnds && weight(els) < weight(then) {
		cond, then, els = e.not(cond), els, then
		thenEnds = elseEnds
	}
	s.x, s.body = cond, then
	if thenEnds {
		return append(append(out, s), els...)
	}
	s.els = els
	return append(out, s)
}

// endsInJump reports whether control never comes out of the list.
func endsInJump(list []stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := &list[len(list)-1]; s.kind {
	case stReturn, stBreak, stContinue:
		return true
	case stIf:
		return endsInJump(s.body) && endsInJump(s.els)
	case stBlock:
		return endsInJump(s.body)
	}
	return false
}

// weight is the number of statements in a list.
func weight(list []stmt) int {
	n := 0
	for i := range list {
		n += 1 + weight(list[i].body) + weight(list[i].els)
		for _, c := range list[i].clauses {
			n += 1 + weight(c.body)
		}
	}
	return n
}

// loopNode builds a loop.
func (e *emitter) loopNode(id ir.NodeID, n *ir.Node) []stmt {
	e.cur = ir.NoValue
	out := e.copies(id, n)
	body := e.region(n.Regions[0], jump{ir.NodeContinue, id})
	l := newStmt(stLoop)
	l.body, l.instr, l.end = body, n.Instr, n.EndInstr
	l.node = id
	return append(out, l)
}

// switchNode builds a switch.
func (e *emitter) switchNode(id ir.NodeID, n *ir.Node) []stmt {
	e.cur, e.reader = ir.NoValue, id
	sel := e.lanes(n.Cond, ir.Bits)
	if sel.typ.kind != ir.I32 {
		k := ir.U32
		for _, ls := range n.Labels { // -1 reads better than 0xffffffffu
			for _, l := range ls {
				if l >= 1<<31 {
					k = ir.I32
				}
			}
		}
		sel = e.convert(sel, k)
	}
	if sel.konst {
		sel = e.opaque(sel)
	}
	e.stamp(sel, ir.NoValue, n.Instr)
	out := e.flush(ir.NoValue, n.Instr)
	s := newStmt(stSwitch)
	s.x, s.instr, s.end = sel, n.Instr, n.EndInstr
	tail := jump{ir.NodeBreak, id}
	for i, r := range n.Regions {
		c := clause{isDefault: i == n.Default, instr: -1}
		for _, l := range n.Labels[i] {
			c.labels = append(c.labels, literalText(l, sel.typ.kind))
		}
		c.body = e.region(r, tail)
		if len(c.labels) > 0 || c.isDefault {
			s.clauses = append(s.clauses, c)
		}
	}
	if n.Default < 0 {
		s.clauses = append(s.clauses, clause{isDefault: true, body: e.copies(id, n), instr: -1})
	}
	return append(out, s)
}

// stampStmt gives a statement and the expressions in it to a value and instruction.
func (e *emitter) stampStmt(s *stmt, id ir.ValueID, instr int32) {
	if s.value == ir.NoValue {
		s.value = id
	}
	if s.instr < 0 {
		s.instr = instr
	}
	e.stamp(s.lhs, id, instr)
	e.stamp(s.x, id, instr)
	for i := range s.body {
		e.stampStmt(&s.body[i], id, instr)
	}
	for i := range s.els {
		e.stampStmt(&s.els[i], id, instr)
	}
}

// className is the name of a variable.
func (e *emitter) className(c int) string {
	cl := &e.vars.classes[c]
	if cl.name == "" {
		cl.name = e.localName(e.baseName(cl.members))
	}
	return cl.name
}

// nameValue is a new name for a let.
func (e *emitter) nameValue(id ir.ValueID) string {
	return e.localName(e.baseName([]ir.ValueID{id}))
}

// Coverage lists the executable instructions of f that neither own a token of m
// nor have a fate: none, if the source map is complete.
func Coverage(f *ir.Function, m *Module) []int32 {
	if f.Program == nil {
		return nil
	}
	seen := make([]bool, len(f.Program.Instrs))
	for _, t := range m.Tokens {
		if t.Instr >= 0 && int(t.Instr) < len(seen) {
			seen[t.Instr] = true
		}
	}
	for _, i := range m.silent {
		if int(i) < len(seen) {
			seen[i] = true
		}
	}
	var out []int32
	for i := range seen {
		if !seen[i] && (i >= len(f.Fates) || f.Fates[i] == ir.FateLive) {
			out = append(out, int32(i))
		}
	}
	return out
}
