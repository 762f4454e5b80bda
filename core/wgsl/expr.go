package wgsl

import (
	"math"
	"strconv"
	"strings"

	"fxlens/core/ir"
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

// literalBits returns the bits of a scalar that constant made.
func literalBits(x *expr) (uint32, bool) {
	if x.op == exLiteral || x.op == exCall && x.text == "f32_bits" {
		return x.bits, true
	}
	return 0, false
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
