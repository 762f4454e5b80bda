package wgsl

import (
	"math"
	"strconv"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// The emitter's files meet here:
//
//   - emit.go walks the function and calls, for every value that is not
//     arithmetic, resource (values with a result), effect (statements), input
//     (OpInput) and ret (terminators); it handles OpArrayLoad, OpArrayStore and
//     all arithmetic itself;
//   - an expression that arg, argLanes or lanes returns may be a whole folded
//     tree: use it once, or bind it to a name first (emitter.bind);
//   - nodes made by the constructors below get their value and instruction from
//     the emitter when the node that asked for them is done.

// exprOp is the shape of an expression node.
type exprOp uint8

const (
	exIdent   exprOp = iota // text
	exLiteral               // text; bits
	exCall                  // text(args...): a built-in or helper function, or a type constructor
	exUnary                 // text args[0]
	exBinary                // args[0] text args[1]
	exMember                // args[0].text: a swizzle or struct member
	exIndex                 // args[0][args[1]]
)

// typ is the WGSL type of an expression: n lanes of kind; n is 0 for what is no
// value of its own (a resource, an array).
type typ struct {
	kind ir.Kind
	n    uint8
}

// String returns the WGSL type. Bits is u32.
func (t typ) String() string {
	k := t.kind
	if k == ir.Bits || k > ir.Bool {
		k = ir.U32
	}
	if t.n <= 1 {
		return typeNames[k][0]
	}
	return typeNames[k][min(t.n, 4)-1]
}

// typeNames has scalars and vectors by kind and lanes.
var typeNames = [...][4]string{
	ir.F32:  {"f32", "vec2<f32>", "vec3<f32>", "vec4<f32>"},
	ir.I32:  {"i32", "vec2<i32>", "vec3<i32>", "vec4<i32>"},
	ir.U32:  {"u32", "vec2<u32>", "vec3<u32>", "vec4<u32>"},
	ir.Bool: {"bool", "vec2<bool>", "vec3<bool>", "vec4<bool>"},
}

// scalar is the type of one lane of t.
func (t typ) scalar() typ { return typ{t.kind, 1} }

// The types of single values.
var (
	tF32  = typ{ir.F32, 1}
	tI32  = typ{ir.I32, 1}
	tU32  = typ{ir.U32, 1}
	tBool = typ{ir.Bool, 1}
	tNone = typ{}
)

// vec is n lanes of k.
func vec(k ir.Kind, n int) typ { return typ{k, uint8(n)} }

// expr is a WGSL expression. The printer adds parentheses where WGSL needs them.
// value and instr say which SSA value and DXBC instruction the node's own tokens
// belong to; its operands keep theirs when they are folded in.
type expr struct {
	op    exprOp
	role  Role
	text  string
	args  []*expr
	typ   typ
	value ir.ValueID
	instr int32
	bits  uint32 // exLiteral: the bits of the value
	konst bool   // a const-expression in WGSL's sense: evaluated, and refused, at creation
	note  string // printed as a comment behind the node: a constant's name
}

// exprs gives out expressions, in memory that the next module takes over: nothing
// of a module points to them. The zero value is ready.
type exprs struct {
	nodes pages[expr]
	args  pages[*expr]
}

// pages are memory that is given out piece by piece and taken back as a whole.
type pages[T any] struct {
	list [][]T
	at   int // the page at hand
	used int // of it
}

// pageSize is the number of elements of a page.
const pageSize = 256

// take returns n elements, not cleared.
func (p *pages[T]) take(n int) []T {
	for p.at < len(p.list) && p.used+n > len(p.list[p.at]) {
		p.at, p.used = p.at+1, 0
	}
	if p.at == len(p.list) {
		p.list = append(p.list, make([]T, max(n, pageSize)))
	}
	s := p.list[p.at][p.used : p.used+n : p.used+n]
	p.used += n
	return s
}

// reset takes all of it back. What a large module took beyond keep pages goes back
// to the heap.
func (p *pages[T]) reset(keep int) {
	if len(p.list) > keep {
		clear(p.list[keep:])
		p.list = p.list[:keep]
	}
	p.at, p.used = 0, 0
}

// reset takes back all expressions.
func (ex *exprs) reset() {
	ex.nodes.reset(256)
	ex.args.reset(256)
}

// count is about how many expressions there are.
func (ex *exprs) count() int { return ex.nodes.at*pageSize + ex.nodes.used }

// node is an expression that belongs to no value yet.
func (ex *exprs) node(op exprOp, r Role, text string, t typ) *expr {
	x := &ex.nodes.take(1)[0]
	*x = expr{op: op, role: r, text: text, typ: t, value: ir.NoValue, instr: -1}
	return x
}

// copy is x in memory of its own; the operands are shared.
func (ex *exprs) copy(x *expr) *expr {
	y := &ex.nodes.take(1)[0]
	*y = *x
	return y
}

// operands is room for n operands.
func (ex *exprs) operands(n int) []*expr { return ex.args.take(n) }

// ident is a name of role r: a local, a resource, a parameter.
func (ex *exprs) ident(name string, r Role, t typ) *expr {
	return ex.node(exIdent, r, name, t)
}

// lit is the literal for one lane of bits read as k. A NaN or an infinity has no
// literal: see emitter.constant, which asks for a helper there.
func (ex *exprs) lit(bits uint32, k ir.Kind) *expr {
	if k == ir.Bits || k > ir.Bool {
		k = ir.U32
	}
	if k == ir.Bool && bits != 0 {
		bits = ^uint32(0)
	}
	x := ex.node(exLiteral, RoleLiteral, literalText(bits, k), typ{k, 1})
	x.bits, x.konst = bits, true
	return x
}

// literalText is the text of a literal.
func literalText(bits uint32, k ir.Kind) string {
	switch {
	case k == ir.F32:
		f := math.Float32frombits(bits)
		if n := int(f); n > 0 && n < len(floatTexts) && float32(n) == f || bits == 0 {
			return floatTexts[n]
		}
		return floatText(f)
	case k == ir.I32:
		return strconv.Itoa(int(int32(bits)))
	case k == ir.Bool && bits != 0:
		return "true"
	case k == ir.Bool:
		return "false"
	case bits < uint32(len(uintTexts)):
		return uintTexts[bits]
	case bits >= 1<<24:
		return hexText(bits)
	}
	return strconv.FormatUint(uint64(bits), 10) + "u"
}

// The literals that programs are full of.
var (
	uintTexts = func() (out [256]string) {
		for i := range out {
			out[i] = strconv.Itoa(i) + "u"
		}
		return out
	}()
	floatTexts = func() (out [17]string) {
		for i := range out {
			out[i] = strconv.Itoa(i) + ".0"
		}
		return out
	}()
)

func (ex *exprs) litU(v uint32) *expr  { return ex.lit(v, ir.U32) }
func (ex *exprs) litI(v int32) *expr   { return ex.lit(uint32(v), ir.I32) }
func (ex *exprs) litF(v float32) *expr { return ex.lit(math.Float32bits(v), ir.F32) }

// hex turns the integer literals of x (alone or in a vector) into hexadecimal, for masks.
func hex(x *expr) *expr {
	switch {
	case x.op == exLiteral && x.bits > 9 && (x.typ.kind == ir.U32 || x.typ.kind == ir.I32 && int32(x.bits) > 0):
		x.text = hexText(x.bits)
		if x.typ.kind == ir.I32 {
			x.text = strings.TrimSuffix(x.text, "u")
		}
	case isConstructor(x):
		for _, a := range x.args {
			hex(a)
		}
	}
	return x
}

func hexText(v uint32) string { return "0x" + strconv.FormatUint(uint64(v), 16) + "u" }

// call is a call of name, or the constructor of a type.
func (ex *exprs) call(name string, t typ, args ...*expr) *expr {
	x := ex.node(exCall, RoleFunction, name, t)
	x.args = ex.operands(len(args))
	copy(x.args, args)
	return x
}

// construct is the vector of t made of args, which have as many lanes together,
// or of one scalar for all lanes.
func (ex *exprs) construct(t typ, args ...*expr) *expr {
	if len(args) == 1 && args[0].typ == t {
		return args[0]
	}
	x := ex.call(t.String(), t, args...)
	x.role = RoleType
	x.konst = allKonst(args)
	return x
}

// splat is x on all lanes of n.
func (ex *exprs) splat(x *expr, n int) *expr {
	if n == 1 {
		return x
	}
	return ex.construct(vec(x.typ.kind, n), x)
}

// of is an expression of one or two operands.
func (ex *exprs) of(op exprOp, r Role, text string, t typ, a, b *expr) *expr {
	x := ex.node(op, r, text, t)
	if b == nil {
		x.args = ex.operands(1)
		x.args[0] = a
		return x
	}
	x.args = ex.operands(2)
	x.args[0], x.args[1] = a, b
	return x
}

func (ex *exprs) unary(op string, t typ, a *expr) *expr {
	return ex.of(exUnary, RoleOperator, op, t, a, nil)
}

func (ex *exprs) binary(op string, t typ, a, b *expr) *expr {
	return ex.of(exBinary, RoleOperator, op, t, a, b)
}

// member is x.name, a struct's member of type t.
func (ex *exprs) member(x *expr, name string, t typ) *expr {
	return ex.of(exMember, RoleMember, name, t, x, nil)
}

// index is x[i], an element of type t.
func (ex *exprs) index(x, i *expr, t typ) *expr {
	if i.op == exLiteral && i.typ == tU32 { // a[0], not a[0u]
		i = ex.copy(i)
		i.text = strconv.FormatUint(uint64(i.bits), 10)
	}
	return ex.of(exIndex, RolePunct, "", t, x, i)
}

// addressOf is &x, for calls that take a pointer.
func (ex *exprs) addressOf(x *expr) *expr { return ex.unary("&", tNone, x) }

const laneNames = "xyzw"

// swizzle is lanes of x, which is x itself where it has just these. Swizzles of
// swizzles and of constructors are resolved.
func (ex *exprs) swizzle(x *expr, lanes []uint8) *expr {
	same := len(lanes) == int(x.typ.n)
	for i, l := range lanes {
		same = same && int(l) == i
	}
	if same {
		return x
	}
	if x.typ.n == 1 {
		return ex.splat(x, len(lanes))
	}
	t := typ{x.typ.kind, uint8(len(lanes))}
	if isConstructor(x) {
		if len(x.args) == 1 && x.args[0].typ.n == 1 {
			return ex.splat(x.args[0], len(lanes))
		}
		if len(x.args) == int(x.typ.n) && (len(lanes) == 1 || distinct(lanes)) {
			args := make([]*expr, len(lanes))
			for i, l := range lanes {
				args[i] = x.args[l]
			}
			return ex.construct(t, args...)
		}
	}
	if x.op == exMember && x.text != "" && x.args[0].typ.n > 1 && isSwizzle(x.text) {
		var of [4]uint8
		for i, l := range lanes {
			of[i] = uint8(strings.IndexByte(laneNames, x.text[l]))
		}
		m := ex.member(x.args[0], swizzleName(of[:len(lanes)]), t)
		m.value, m.instr = x.value, x.instr
		return m
	}
	m := ex.member(x, swizzleName(lanes), t)
	m.value, m.konst = x.value, x.konst
	return m
}

// swizzleNames has the swizzles of up to four lanes, two bits each.
var swizzleNames = func() (out [5][256]string) {
	for n := 1; n <= 4; n++ {
		for k := range 1 << (2 * n) {
			var b [4]byte
			for i := range n {
				b[i] = laneNames[k>>(2*i)&3]
			}
			out[n][k] = string(b[:n])
		}
	}
	return out
}()

func swizzleName(lanes []uint8) string {
	k := 0
	for i, l := range lanes {
		k |= int(l&3) << (2 * i)
	}
	return swizzleNames[len(lanes)][k]
}

// lane is one lane of x.
func (ex *exprs) lane(x *expr, l int) *expr { return ex.swizzle(x, []uint8{uint8(l)}) }

func distinct(lanes []uint8) bool {
	seen := 0
	for _, l := range lanes {
		if seen&(1<<l) != 0 {
			return false
		}
		seen |= 1 << l
	}
	return true
}

func isSwizzle(s string) bool { return len(s) <= 4 && strings.Trim(s, laneNames) == "" }

// isConstructor reports whether x is a vector constructor (not a bitcast or conversion).
func isConstructor(x *expr) bool {
	return x.op == exCall && x.role == RoleType && x.typ.n > 1 && strings.HasPrefix(x.text, "vec") &&
		(len(x.args) > 1 || len(x.args) == 1 && x.args[0].typ == x.typ.scalar())
}

// isSplat reports whether x is one scalar on all lanes, and returns the scalar.
func isSplat(x *expr) (*expr, bool) {
	if isConstructor(x) && len(x.args) == 1 && x.args[0].typ == x.typ.scalar() {
		return x.args[0], true
	}
	return nil, false
}

// isZero reports whether x is a constant with all bits zero.
func isZero(x *expr) bool { return isAll(x, 0) }

// isAll reports whether x is a constant with bits on every lane.
func isAll(x *expr, bits uint32) bool {
	if x.op == exLiteral {
		return x.bits == bits
	}
	if !isConstructor(x) {
		return false
	}
	for _, a := range x.args {
		if !isAll(a, bits) {
			return false
		}
	}
	return true
}

func allKonst(args []*expr) bool {
	for _, a := range args {
		if !a.konst {
			return false
		}
	}
	return len(args) > 0
}

// floatText is the shortest decimal that WGSL reads back as f. WGSL reads a
// literal without a suffix as f64 first and refuses one beyond the largest f32
// even if it would round to it, so both are checked.
func floatText(f float32) string {
	ok := func(s string) bool {
		d, err := strconv.ParseFloat(s, 64)
		return err == nil && math.Abs(d) <= math.MaxFloat32 && math.Float32bits(float32(d)) == math.Float32bits(f)
	}
	format := byte('e')
	if a := math.Abs(float64(f)); f == 0 || a > 9.99e-5 && a < 1e7 {
		format = 'f'
	}
	s := strconv.FormatFloat(float64(f), format, -1, 32)
	if format == 'e' && math.Abs(float64(f)) >= 1 {
		if d := strconv.FormatFloat(float64(f), 'f', -1, 32); len(d) < len(s) && ok(d) { // 16777216
			format, s = 'f', d
		}
	}
	if !ok(s) {
		s = strconv.FormatFloat(float64(f), format, -1, 64)
	}
	if format == 'f' {
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	// 1e+08 as people write it: 1e8; 1.5e-07: 1.5e-7.
	m, x, _ := strings.Cut(s, "e")
	n, _ := strconv.Atoi(x)
	return m + "e" + strconv.Itoa(n)
}

// localVar is the name and the type of a let.
type localVar struct {
	name string
	typ  typ
}

// emitter is the state of one module's emission.
type emitter struct {
	f    *ir.Function
	plan *layout.Plan
	link *Link
	opt  Options
	mod  *Module

	diags   []diag.Diag
	helpers map[string]string // helper functions and types by name, WGSL text
	order   []string          // helper names in order of first use
	enables map[string]bool   // enable directives

	exprs    // the expressions of the module
	names    names
	fold     foldPlan
	vars     varPlan
	pre      []stmt         // statements that the statement at hand needs before it
	local    []localVar     // by value: the let that holds it
	moves    moves          // the parallel copy being made
	snapshot map[int]string // variable class -> name of its copy, inside a parallel copy
	cur      ir.ValueID     // the value being built
	reader   ir.NodeID      // the node whose operands are being built

	outputs    map[ir.ValueID]string // values that go whole to an output
	outputsSet bool                  // outputs has been filled
	continues  [][]ir.NodeID         // by loop: its continues; see isCounter
	stack      []stmt                // statements of the regions being built
	uniformity *ir.UniformityInfo
	arrayNames map[int32]string
	arrayKinds map[int32]ir.Kind

	io *ioState // stage interface; see ports
	rs resState // what of the resources the module uses
}

// help makes sure that the module has the helper called name, whose WGSL text
// is src; helpers that it calls must be asked for first.
func (e *emitter) help(name, src string) string {
	if _, ok := e.helpers[name]; !ok {
		e.helpers[name] = src
		e.order = append(e.order, name)
	}
	return name
}

// report adds a diagnostic at the instruction of v.
func (e *emitter) report(sev diag.Severity, code diag.Code, v *ir.Value, format string, args ...any) {
	e.diags = append(e.diags, diag.New(sev, code, diag.At(int(v.Instr)), format, args...))
}

// constant is the literal for bits read as k, or a helper call where WGSL has no
// literal: an infinity or a NaN is refused in every constant expression.
func (e *emitter) constant(bits uint32, k ir.Kind) *expr {
	if k == ir.F32 && bits&0x7f800000 == 0x7f800000 {
		e.help("f32_bits", "fn f32_bits(bits: u32) -> f32 {\n  return bitcast<f32>(bits);\n}\n")
		x := e.litU(bits)
		x.text = hexText(bits)
		c := e.call("f32_bits", tF32, x)
		c.bits = bits
		return c
	}
	return e.lit(bits, k)
}

// literalBits returns the bits of a scalar that constant made.
func literalBits(x *expr) (uint32, bool) {
	if x.op == exLiteral || x.op == exCall && x.text == "f32_bits" {
		return x.bits, true
	}
	return 0, false
}

// opaque hides from WGSL that x is a const-expression, so that it is evaluated
// at run time, without the errors that WGSL raises for overflow at creation.
func (e *emitter) opaque(x *expr) *expr {
	if !x.konst {
		return x
	}
	if x.typ.kind == ir.F32 && x.op == exLiteral {
		e.help("f32_bits", "fn f32_bits(bits: u32) -> f32 {\n  return bitcast<f32>(bits);\n}\n")
		b := e.litU(x.bits)
		b.text = hexText(x.bits)
		c := e.call("f32_bits", tF32, b)
		c.bits = x.bits
		return c
	}
	t := x.typ.String()
	name := "runtime_" + strings.NewReplacer("<", "_", ">", "").Replace(t)
	e.help(name, "fn "+name+"(x: "+t+") -> "+t+" {\n  return x;\n}\n")
	return e.call(name, x.typ, x)
}

// arg is operand i of v as k; with ir.Bits it is whatever kind costs nothing,
// which the expression's type says. It is nil for an operand without lanes.
func (e *emitter) arg(v *ir.Value, i int, k ir.Kind) *expr {
	if i >= len(v.Args) || v.Args[i].N == 0 {
		return nil
	}
	return e.lanes(v.Args[i], k)
}

// argLanes is n lanes of operand i of v, beginning with lane from, as k.
func (e *emitter) argLanes(v *ir.Value, i, from, n int, k ir.Kind) *expr {
	a := v.Args[i]
	b := ir.Arg{N: uint8(n)}
	for j := range n {
		b.Lanes[j] = a.Lanes[min(from+j, max(int(a.N)-1, 0))]
	}
	return e.lanes(b, k)
}

// argConst returns the bits of a one-lane operand that is a constant.
func (e *emitter) argConst(v *ir.Value, i int) (uint32, bool) {
	if i >= len(v.Args) || v.Args[i].N == 0 {
		return 0, false
	}
	return e.laneConst(v.Args[i].Lanes[0])
}

// laneConst returns the bits of a lane that is constant. A lane that no path
// wrote is zero.
func (e *emitter) laneConst(l ir.Lane) (uint32, bool) {
	v := &e.f.Values[l.V]
	switch v.Op {
	case ir.OpConst:
		return v.Imm[l.L&3], true
	case ir.OpUndef:
		return 0, true
	}
	return 0, false
}

// lanes assembles an operand as k.
func (e *emitter) lanes(a ir.Arg, k ir.Kind) *expr {
	n := int(a.N)
	if n == 0 {
		return nil
	}
	if k == ir.Bits {
		k = e.cheapKind(a)
	}
	if n > 1 && e.oneLane(a) {
		return e.splat(e.lanes(ir.Scalar(a.Lanes[0]), k), n)
	}
	var room [4]*expr
	parts := room[:0]
	var ps argPieces
	e.pieces(&a, e.reader, &ps)
	for i := range ps.n {
		p := &ps.list[i]
		switch {
		case p.konst:
			x := e.constant(p.bits, k)
			if e.f.Values[p.value].Op == ir.OpConst {
				x.value = p.value
			}
			parts = append(parts, x)
			continue
		case p.pack != nil:
			parts = append(parts, e.convert(e.swizzle(e.ident(p.pack.name, RoleVariable, p.pack.typ), p.lanes()), k))
			continue
		}
		x := e.useLanes(p.value, p.lanes())
		if v := &e.f.Values[p.value]; v.Op == ir.OpCBLoad && isLeaf(v) && x.note == "" {
			x.note = e.constName(v.Res, v.Imm[0], p.lanes())
		}
		x = e.convert(x, k)
		// a splat of part of the lanes has no form of its own
		if s, ok := isSplat(x); ok && int(p.n) < n && s.op == exIdent {
			for range p.n {
				parts = append(parts, e.copy(s))
			}
		} else {
			parts = append(parts, x)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return e.construct(vec(k, n), parts...)
}

// oneLane reports whether all lanes of a are the same lane or constant.
func (e *emitter) oneLane(a ir.Arg) bool {
	first, isConst := e.laneConst(a.Lanes[0])
	for _, l := range a.Lanes[1:a.N] {
		if bits, ok := e.laneConst(l); ok != isConst || ok && bits != first || !ok && l != a.Lanes[0] {
			return false
		}
	}
	return true
}

// cheapKind is the kind that most lanes of a have already; constants have any.
func (e *emitter) cheapKind(a ir.Arg) ir.Kind {
	var count [5]int
	best := ir.Bits
	for _, l := range a.Lanes[:a.N] {
		if _, ok := e.laneConst(l); ok {
			continue
		}
		k := e.f.Values[l.V].Kind
		count[k]++
		if count[k] > count[best] || best == ir.Bits {
			best = k
		}
	}
	if best == ir.Bits && count[ir.Bits] == 0 {
		best = e.f.Values[a.Lanes[0].V].Kind
	}
	if best == ir.Bits || best == ir.Bool && count[ir.Bool] < int(a.N) {
		return ir.U32
	}
	return best
}

// convert is x with the same bits as kind k. A Bool as bits is 0 or 0xFFFFFFFF;
// bits as Bool are true unless zero.
func (e *emitter) convert(x *expr, k ir.Kind) *expr {
	if k == ir.Bits {
		k = ir.U32
	}
	if x.typ.kind == k || x.typ.n == 0 {
		return x
	}
	t := typ{k, x.typ.n}
	if bits, ok := literalBits(x); ok {
		c := e.constant(bits, k)
		c.value, c.instr = x.value, x.instr
		return c
	}
	if isConstant(x) && x.op == exCall && k != ir.Bool {
		if x.text == "select" {
			y := e.copy(x)
			y.typ, y.args = t, e.operands(3)
			y.args[0], y.args[1], y.args[2] = e.convert(x.args[0], k), e.convert(x.args[1], k), x.args[2]
			return y
		}
		args := make([]*expr, len(x.args))
		for i, a := range x.args {
			args[i] = e.convert(a, k)
		}
		return e.construct(t, args...)
	}
	if s, ok := isSplat(x); ok {
		return e.splat(e.convert(s, k), int(x.typ.n))
	}
	if y, ok := bitcastOf(x); ok { // cancel or shorten a pair
		return e.convert(y, k)
	}
	from := x.typ.kind
	switch {
	case from == ir.Bool && k == ir.F32:
		return e.bitcast(e.convert(x, ir.U32), k)
	case from == ir.Bool:
		one := uint32(0xffffffff)
		return e.call("select", t, e.splat(e.lit(0, k), int(t.n)), e.splat(e.lit(one, k), int(t.n)), x)
	case k == ir.Bool && from == ir.F32:
		return e.binary("!=", t, e.bitcast(x, ir.U32), e.splat(e.litU(0), int(t.n)))
	case k == ir.Bool:
		if x.op == exCall && x.text == "select" && len(x.args) == 3 && isZero(x.args[0]) && isAll(x.args[1], 0xffffffff) {
			return x.args[2]
		}
		return e.binary("!=", t, x, e.splat(e.lit(0, from), int(t.n)))
	}
	return e.bitcast(x, k)
}

// isConstant reports whether x is a constant, a choice between constants, or a
// vector of these: what has any kind for nothing.
func isConstant(x *expr) bool {
	if _, ok := literalBits(x); ok {
		return true
	}
	if x.op == exCall && x.text == "select" && x.typ.kind != ir.Bool {
		return isConstant(x.args[0]) && isConstant(x.args[1])
	}
	if !isConstructor(x) {
		return false
	}
	for _, a := range x.args {
		if !isConstant(a) {
			return false
		}
	}
	return true
}

// bitcastName is the built-in function that casts to t.
func bitcastName(t typ) string {
	switch t {
	case tF32:
		return "bitcast<f32>"
	case tI32:
		return "bitcast<i32>"
	case tU32:
		return "bitcast<u32>"
	}
	return "bitcast<" + t.String() + ">"
}

// bitcast is x's bits as kind k, without looking at x.
func (ex *exprs) bitcast(x *expr, k ir.Kind) *expr {
	t := typ{k, x.typ.n}
	c := ex.call(bitcastName(t), t, x)
	c.konst = x.konst
	return c
}

// bitcastOf returns the operand of a bitcast.
func bitcastOf(x *expr) (*expr, bool) {
	if x.op == exCall && strings.HasPrefix(x.text, "bitcast<") {
		return x.args[0], true
	}
	return nil, false
}

// numeric is the value conversion of x to k: f32(x), vec2<i32>(x).
func (ex *exprs) numeric(x *expr, k ir.Kind) *expr {
	t := typ{k, x.typ.n}
	c := ex.call(t.String(), t, x)
	c.role = RoleType
	return c
}

// stamp gives the nodes of x that belong to no instruction yet to value id and
// its instruction.
func (e *emitter) stamp(x *expr, id ir.ValueID, instr int32) *expr {
	if x == nil || x.instr >= 0 && x.value != ir.NoValue {
		return x
	}
	if x.value == ir.NoValue {
		x.value = id
	}
	if x.instr < 0 {
		x.instr = instr
	}
	for _, a := range x.args {
		e.stamp(a, id, instr)
	}
	return x
}
