package wgsl

import (
	"math"
	"strconv"
	"strings"

	"fxlens/core/ir"
)

// arith is the expression of a lanewise operation, a dot product or a
// derivative, or nil where v is none. Its kind is the operation's own; readers
// convert.
func (e *emitter) arith(v *ir.Value) *expr {
	n := int(v.N)
	switch v.Op {
	case ir.OpFAdd:
		return e.fadd(e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))
	case ir.OpFMul:
		a, b := e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32)
		if x := e.normalized(v, a, b); x != nil {
			return x
		}
		return e.infix("*", a, b)
	case ir.OpFMad:
		a, b, c := e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32), e.arg(v, 2, ir.F32)
		if m, ok := e.negated(a); ok {
			return e.infix("-", c, e.infix("*", m, b))
		}
		if m, ok := e.negated(b); ok {
			return e.infix("-", c, e.infix("*", a, m))
		}
		return e.fadd(e.infix("*", a, b), c)
	case ir.OpFDiv:
		return e.infix("/", e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))
	case ir.OpFRcp:
		return e.infix("/", e.splat(e.litF(1), n), e.arg(v, 0, ir.F32))
	case ir.OpFNeg:
		return e.negate(e.arg(v, 0, ir.F32))
	case ir.OpFMin, ir.OpFMax:
		return e.minMax(v, ir.F32)
	case ir.OpFSat:
		if e.exact(v) {
			return e.lanewise("saturate_d3d", saturateSrc, ir.F32, e.arg(v, 0, ir.F32))
		}
		return e.builtin("saturate", ir.F32, e.arg(v, 0, ir.F32))
	case ir.OpDot:
		return e.call("dot", tF32, e.safe(e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))...)

	case ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFGe:
		if x := e.special(v); x != nil {
			return x
		}
	}
	switch v.Op {
	case ir.OpFEq:
		return e.compare("==", e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))
	case ir.OpFNe: // not !=, which is false for NaN on every implementation measured
		x := e.compare("==", e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))
		return e.unary("!", x.typ, x)
	case ir.OpFLt:
		return e.compare("<", e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))
	case ir.OpFGe:
		return e.compare(">=", e.arg(v, 0, ir.F32), e.arg(v, 1, ir.F32))
	case ir.OpIEq, ir.OpINe:
		k := e.alike(v, 0, 1)
		op := "=="
		if v.Op == ir.OpINe {
			op = "!="
		}
		return e.compare(op, e.arg(v, 0, k), e.arg(v, 1, k))
	case ir.OpILt, ir.OpIGe, ir.OpULt, ir.OpUGe:
		k, op := ir.U32, "<"
		if v.Op == ir.OpILt || v.Op == ir.OpIGe {
			k = ir.I32
		}
		if v.Op == ir.OpIGe || v.Op == ir.OpUGe {
			op = ">="
		}
		return e.compare(op, e.arg(v, 0, k), e.arg(v, 1, k))
	case ir.OpTestNZ:
		return e.arg(v, 0, ir.Bool)

	case ir.OpIAdd:
		k := intKind(v)
		return e.add(e.arg(v, 0, k), e.arg(v, 1, k))
	case ir.OpISub:
		k := intKind(v)
		return e.infix("-", e.arg(v, 0, k), e.arg(v, 1, k))
	case ir.OpINeg:
		x := e.arg(v, 0, intKind(v))
		if x.typ.kind == ir.U32 {
			return e.infix("-", e.splat(e.litU(0), n), x)
		}
		return e.negate(x)
	case ir.OpIMul:
		k := intKind(v)
		return e.infix("*", e.arg(v, 0, k), e.arg(v, 1, k))
	case ir.OpIMad:
		k := intKind(v)
		return e.add(e.infix("*", e.arg(v, 0, k), e.arg(v, 1, k)), e.arg(v, 2, k))
	case ir.OpIMulHi:
		e.help("umul_high", umulHighSrc)
		return e.lanewise("imul_high", imulHighSrc, ir.I32, e.arg(v, 0, ir.I32), e.arg(v, 1, ir.I32))
	case ir.OpUMulHi:
		return e.lanewise("umul_high", umulHighSrc, ir.U32, e.arg(v, 0, ir.U32), e.arg(v, 1, ir.U32))
	case ir.OpIMin, ir.OpIMax:
		return e.minMax(v, ir.I32)
	case ir.OpUMin, ir.OpUMax:
		return e.minMax(v, ir.U32)
	case ir.OpUDiv:
		return e.divide("/", "udiv", udivSrc, e.arg(v, 0, ir.U32), e.arg(v, 1, ir.U32))
	case ir.OpUMod:
		return e.divide("%", "umod", umodSrc, e.arg(v, 0, ir.U32), e.arg(v, 1, ir.U32))
	case ir.OpUAddCarry:
		return e.lanewise("add_carry", addCarrySrc, ir.U32, e.arg(v, 0, ir.U32), e.arg(v, 1, ir.U32))
	case ir.OpUSubBorrow:
		c := e.compare("<", e.arg(v, 0, ir.U32), e.arg(v, 1, ir.U32))
		return e.call("select", vec(ir.U32, n), e.splat(e.litU(0), n), e.splat(e.litU(1), n), c)

	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return e.bitwise(v)
	case ir.OpNot:
		if v.Kind == ir.Bool {
			return e.not(e.arg(v, 0, ir.Bool))
		}
		x := e.safe(e.arg(v, 0, intKind(v)))[0]
		return e.unary("~", x.typ, x)
	case ir.OpShl:
		return e.shift("<<", v, intKind(v))
	case ir.OpIShr:
		return e.shift(">>", v, ir.I32)
	case ir.OpUShr:
		return e.shift(">>", v, ir.U32)
	case ir.OpUBfe:
		return e.bitField(v, ir.U32)
	case ir.OpIBfe:
		return e.bitField(v, ir.I32)
	case ir.OpBfi:
		return e.bitField(v, intKind(v))
	case ir.OpBitReverse:
		return e.builtin("reverseBits", intKind(v), e.arg(v, 0, intKind(v)))
	case ir.OpCountBits:
		return e.builtin("countOneBits", ir.U32, e.arg(v, 0, ir.U32))
	case ir.OpFirstBitHi:
		return e.lanewise("first_bit_high", firstBitHighSrc, ir.U32, e.arg(v, 0, ir.U32))
	case ir.OpFirstBitLo:
		return e.builtin("firstTrailingBit", ir.U32, e.arg(v, 0, ir.U32))
	case ir.OpFirstBitSHi:
		return e.lanewise("first_bit_high_signed", firstBitHighSignedSrc, ir.U32, e.arg(v, 0, ir.I32))
	case ir.OpMsad:
		return e.lanewise("msad", msadSrc, ir.U32, e.arg(v, 0, ir.U32), e.arg(v, 1, ir.U32), e.arg(v, 2, ir.U32))

	case ir.OpSelect:
		return e.choose(v)
	case ir.OpFToI:
		if e.exact(v) {
			e.help("is_nan", isNaNSrc)
			return e.lanewise("ftoi", ftoiSrc, ir.I32, e.arg(v, 0, ir.F32))
		}
		return e.numeric(e.safe(e.arg(v, 0, ir.F32))[0], ir.I32)
	case ir.OpFToU:
		if e.exact(v) {
			e.help("is_nan", isNaNSrc)
			return e.lanewise("ftou", ftouSrc, ir.U32, e.arg(v, 0, ir.F32))
		}
		return e.numeric(e.safe(e.arg(v, 0, ir.F32))[0], ir.U32)
	case ir.OpIToF:
		return e.numeric(e.safe(e.arg(v, 0, ir.I32))[0], ir.F32)
	case ir.OpUToF:
		return e.numeric(e.safe(e.arg(v, 0, ir.U32))[0], ir.F32)
	case ir.OpF32ToF16:
		// pack2x16float rounds to nearest, and what is out of range is anything.
		return e.lanewise("f32tof16", f32tof16Src, ir.U32, e.arg(v, 0, ir.F32))
	case ir.OpF16ToF32:
		x := e.safe(e.arg(v, 0, ir.U32))[0]
		if n == 1 {
			return e.lane(e.call("unpack2x16float", vec(ir.F32, 2), x), 0)
		}
		return e.lanewise("unpack_half", unpackHalfSrc, ir.F32, x)
	}
	if name, ok := floatBuiltins[v.Op]; ok {
		x := e.arg(v, 0, ir.F32)
		if y := e.idiom(v, x); y != nil {
			return y
		}
		return e.builtin(name, ir.F32, x)
	}
	return nil
}

// floatBuiltins are the operations of one float operand that WGSL has as they are.
var floatBuiltins = map[ir.Op]string{
	ir.OpFAbs: "abs", ir.OpFFract: "fract", ir.OpFFloor: "floor", ir.OpFCeil: "ceil", ir.OpFTrunc: "trunc",
	ir.OpFRound: "round", ir.OpFExp2: "exp2", ir.OpFLog2: "log2", ir.OpFSqrt: "sqrt", ir.OpFRsq: "inverseSqrt",
	ir.OpFSin: "sin", ir.OpFCos: "cos",
	ir.OpDerivX: "dpdx", ir.OpDerivY: "dpdy", ir.OpDerivXCoarse: "dpdxCoarse", ir.OpDerivYCoarse: "dpdyCoarse",
	ir.OpDerivXFine: "dpdxFine", ir.OpDerivYFine: "dpdyFine",
}

// special is a test for NaN or infinity, on the bits in both modes: WGSL lets an
// implementation assume that there are none, and then x == x is true.
func (e *emitter) special(v *ir.Value) *expr {
	if v.Args[0] == v.Args[1] && (v.Op == ir.OpFEq || v.Op == ir.OpFNe) {
		x := e.lanewise("is_nan", isNaNSrc, ir.Bool, e.arg(v, 0, ir.F32))
		if v.Op == ir.OpFEq {
			return e.not(x)
		}
		return x
	}
	for i := range 2 {
		inf, ok := e.argConst(v, i)
		if !ok || inf&0x7fffffff != 0x7f800000 || v.Args[i].N > 1 && !e.oneLane(v.Args[i]) {
			continue
		}
		if _, both := e.argConst(v, 1-i); both {
			return nil
		}
		same := func() *expr {
			x := e.arg(v, 1-i, ir.U32)
			return e.binary("==", typ{ir.Bool, x.typ.n}, x, e.splat(e.litU(inf), int(x.typ.n)))
		}
		up := inf == 0x7f800000
		switch {
		case v.Op == ir.OpFEq, v.Op == ir.OpFGe && i == 1 && up, v.Op == ir.OpFGe && i == 0 && !up:
			return same()
		case v.Op == ir.OpFNe:
			return e.not(same())
		case v.Op == ir.OpFLt && i == 1 && up: // x < inf
			return e.lanewise("is_below_infinity", belowSrc, ir.Bool, e.arg(v, 0, ir.F32))
		case v.Op == ir.OpFLt && i == 0 && !up: // -inf < x
			return e.lanewise("is_above_negative_infinity", aboveSrc, ir.Bool, e.arg(v, 1, ir.F32))
		}
	}
	return nil
}

// idiom is pow or length where the operation and what is folded into it are
// their definitions: WGSL gives both the accuracy of just these formulas.
func (e *emitter) idiom(v *ir.Value, x *expr) *expr {
	if e.exact(v) || v.Precise {
		return nil
	}
	switch v.Op {
	case ir.OpFExp2: // exp2(log2(a) * b)
		if x.op != exBinary || x.text != "*" {
			return nil
		}
		for i, a := range x.args {
			b := x.args[1-i]
			if s, ok := isSplat(a); ok {
				a = s
			}
			if a.op != exCall || a.text != "log2" {
				continue
			}
			base := a.args[0]
			if base.konst || base.typ.n < x.typ.n && base.typ.n > 1 {
				return nil
			}
			base, b = e.widen(base, x.typ.n), e.widen(b, x.typ.n)
			e.silent(x.instr)
			e.silent(a.instr)
			return e.call("pow", x.typ, base, b)
		}
	case ir.OpFSqrt: // sqrt(dot(a, a))
		if a, ok := squared(x); ok {
			e.silent(x.instr)
			return e.call("length", tF32, a)
		}
	}
	return nil
}

// widen is x with n lanes, where it is a scalar for all of them.
func (ex *exprs) widen(x *expr, n uint8) *expr {
	if x.typ.n == n {
		return x
	}
	return ex.splat(x, int(n))
}

// squared returns a of dot(a, a), where a is a name or lanes of one.
func squared(x *expr) (*expr, bool) {
	if x.op == exCall && x.text == "dot" && len(x.args) == 2 && sameText(x.args[0], x.args[1]) && named(x.args[0]) {
		return x.args[0], true
	}
	return nil, false
}

// named reports whether x is a name, or members or lanes of one.
func named(x *expr) bool {
	return x.op == exIdent || x.op == exMember && named(x.args[0])
}

// normalized is normalize(a) for inverseSqrt(dot(a, a)) * a, the lanes in any order.
func (e *emitter) normalized(v *ir.Value, a, b *expr) *expr {
	if e.exact(v) || v.Precise {
		return nil
	}
	for range 2 {
		s := a
		if x, ok := isSplat(a); ok {
			s = x
		}
		if s.op == exCall && s.text == "inverseSqrt" && s.typ.n == 1 {
			if x, ok := squared(s.args[0]); ok && named(b) && sameLanes(x, b) {
				e.silent(s.instr)
				e.silent(s.args[0].instr)
				return e.call("normalize", b.typ, b)
			}
		}
		a, b = b, a
	}
	return nil
}

// sameLanes reports whether a and b are the same lanes of one name, in any order.
func sameLanes(a, b *expr) bool {
	if a.typ != b.typ {
		return false
	}
	if sameText(a, b) {
		return true
	}
	base := func(x *expr) (*expr, string) {
		if x.op == exMember && x.args[0].typ.n > 1 && isSwizzle(x.text) {
			return x.args[0], x.text
		}
		return x, laneNames[:x.typ.n]
	}
	x, p := base(a)
	y, q := base(b)
	if !sameText(x, y) {
		return false
	}
	for i := range p {
		if strings.Count(p, p[i:i+1]) != 1 || strings.Count(q, p[i:i+1]) != 1 {
			return false
		}
	}
	return true
}

// exact reports whether v must have D3D's result at the numeric edges: in the
// exact mode.
func (e *emitter) exact(*ir.Value) bool { return e.opt.Numeric == Exact }

// intKind is the integer kind that v computes in.
func intKind(v *ir.Value) ir.Kind {
	if v.Kind == ir.I32 {
		return ir.I32
	}
	return ir.U32
}

// alike is the integer kind for two operands that are compared as bits: that of
// the first one that is no constant.
func (e *emitter) alike(v *ir.Value, operands ...int) ir.Kind {
	for _, i := range operands {
		for _, l := range v.Args[i].Lanes[:v.Args[i].N] {
			if _, ok := e.laneConst(l); ok {
				continue
			}
			if e.f.Values[l.V].Kind == ir.I32 {
				return ir.I32
			}
			return ir.U32
		}
	}
	return ir.U32
}

// safe returns args with one of them made opaque where all are constant, since
// WGSL evaluates such an expression at creation and refuses the module for what
// D3D defines.
func (e *emitter) safe(args ...*expr) []*expr {
	if allKonst(args) {
		args[0] = e.opaque(args[0])
	}
	return args
}

// builtin is a built-in function of one type.
func (e *emitter) builtin(name string, k ir.Kind, args ...*expr) *expr {
	return e.call(name, typ{k, args[0].typ.n}, e.safe(args...)...)
}

// scalars lets one splat operand of a vector operation be the scalar itself.
func scalars(a, b *expr) (*expr, *expr) {
	if s, ok := isSplat(b); ok {
		if _, both := isSplat(a); !both {
			return a, s
		}
		return a, b
	}
	if s, ok := isSplat(a); ok {
		return s, b
	}
	return a, b
}

// infix is an arithmetic operator; a scalar may stand for a splat.
func (e *emitter) infix(op string, a, b *expr) *expr {
	if (op == "*" || op == "/") && isAll(b, 0x3f800000) && b.typ.kind == ir.F32 {
		return e.gone(a)
	}
	if op == "*" && isAll(a, 0x3f800000) && a.typ.kind == ir.F32 {
		return e.gone(b)
	}
	if s, ok := isSplat(a); ok {
		if q, ok := isSplat(b); ok {
			return e.splat(e.infix(op, s, q), int(a.typ.n))
		}
	}
	t := a.typ
	if b.typ.n > t.n {
		t.n = b.typ.n
	}
	args := e.safe(a, b)
	a, b = scalars(args[0], args[1])
	if a.typ.n == 1 && b.typ.n == 1 && t.n > 1 { // both were scalars of a splat
		a = e.splat(a, int(t.n))
	}
	return e.binary(op, t, a, b)
}

// negated returns x without its minus.
func (e *emitter) negated(x *expr) (*expr, bool) {
	if x.op == exUnary && x.text == "-" {
		e.silent(x.instr) // it is in the user's operator now
		return x.args[0], true
	}
	if s, ok := isSplat(x); ok {
		if m, ok := e.negated(s); ok {
			return e.splat(m, int(x.typ.n)), true
		}
	}
	return nil, false
}

// gone notes that the operation being built leaves nothing but x.
func (e *emitter) gone(x *expr) *expr {
	if e.cur != ir.NoValue {
		e.silent(e.f.Values[e.cur].Instr)
	}
	return x
}

// positive returns the opposite of a negative constant; of a vector, where no
// lane is positive.
func (e *emitter) positive(x *expr) (*expr, bool) {
	if isConstructor(x) && len(x.args) > 1 {
		args := make([]*expr, len(x.args))
		any := false
		for i, a := range x.args {
			p, ok := e.positive(a)
			switch {
			case ok:
				any = true
			case a.op == exLiteral && a.bits == 0 && a.typ.kind != ir.F32:
				p = a
			default:
				return nil, false
			}
			args[i] = p
		}
		if !any {
			return nil, false
		}
		return e.construct(x.typ, args...), true
	}
	if s, ok := isSplat(x); ok {
		if p, ok := e.positive(s); ok {
			return e.splat(p, int(x.typ.n)), true
		}
	}
	if x.op != exLiteral {
		return nil, false
	}
	var y *expr
	switch {
	case x.typ.kind == ir.F32 && x.bits>>31 == 1 && x.bits != 0x80000000:
		y = e.lit(x.bits^0x80000000, ir.F32)
	case x.typ.kind == ir.I32 && x.bits>>31 == 1 && x.bits != 0x80000000:
		y = e.lit(-x.bits, ir.I32)
	case x.typ.kind == ir.U32 && x.bits >= 0xffff0000:
		y = e.lit(-x.bits, ir.U32)
	default:
		return nil, false
	}
	y.value, y.instr = x.value, x.instr
	return y, true
}

// fadd is a + b, as a difference where one of them is negative.
func (e *emitter) fadd(a, b *expr) *expr {
	if m, ok := e.negated(b); ok {
		return e.infix("-", a, m)
	}
	if m, ok := e.positive(b); ok {
		return e.infix("-", a, m)
	}
	if m, ok := e.negated(a); ok {
		return e.infix("-", b, m)
	}
	if m, ok := e.positive(a); ok {
		return e.infix("-", b, m)
	}
	if a.konst {
		a, b = b, a
	}
	return e.infix("+", a, b)
}

// add is the wrapping sum of integers.
func (e *emitter) add(a, b *expr) *expr { return e.fadd(a, b) }

// negate is -x.
func (e *emitter) negate(x *expr) *expr {
	if m, ok := e.negated(x); ok {
		return m
	}
	if bits, ok := literalBits(x); ok && x.typ.kind == ir.F32 {
		return e.constant(bits^0x80000000, ir.F32)
	}
	if s, ok := isSplat(x); ok {
		return e.splat(e.negate(s), int(x.typ.n))
	}
	return e.unary("-", x.typ, e.safe(x)[0])
}

// mirrored has the comparisons with their sides exchanged.
var mirrored = map[string]string{"<": ">", ">=": "<=", "==": "==", "!=": "!="}

// compare is a comparison; a constant stands on the right.
func (e *emitter) compare(op string, a, b *expr) *expr {
	if x := e.compareChoice(op, a, b); x != nil {
		return x
	}
	args := e.safe(a, b)
	a, b = args[0], args[1]
	if a.konst && !b.konst {
		a, b = b, a
		op = mirrored[op]
	}
	return e.binary(op, typ{ir.Bool, a.typ.n}, a, b)
}

// compareChoice is the comparison of a select between two constants with a
// constant, which is the condition itself or its opposite: fxc writes clip that way.
func (e *emitter) compareChoice(op string, a, b *expr) *expr {
	swap := false
	if a.op == exLiteral {
		a, b, swap = b, a, true
	}
	if b.op != exLiteral || a.op != exCall || a.text != "select" || len(a.args) != 3 ||
		a.args[0].op != exLiteral || a.args[1].op != exLiteral || a.args[2].typ != tBool {
		return nil
	}
	holds := func(x uint32) bool {
		y := b.bits
		if swap {
			x, y = y, x
		}
		switch a.typ.kind {
		case ir.F32:
			p, q := math.Float32frombits(x), math.Float32frombits(y)
			return op == "<" && p < q || op == ">=" && p >= q || op == "==" && p == q
		case ir.I32:
			p, q := int32(x), int32(y)
			return op == "<" && p < q || op == ">=" && p >= q || op == "==" && p == q || op == "!=" && p != q
		}
		return op == "<" && x < y || op == ">=" && x >= y || op == "==" && x == y || op == "!=" && x != y
	}
	no, yes := holds(a.args[0].bits), holds(a.args[1].bits)
	if no == yes {
		return nil
	}
	e.silent(a.instr)
	if yes {
		return e.gone(a.args[2])
	}
	return e.not(e.gone(a.args[2]))
}

// minMax is min or max; the two of them around constants are a clamp.
func (e *emitter) minMax(v *ir.Value, k ir.Kind) *expr {
	name := "min"
	if v.Op == ir.OpFMax || v.Op == ir.OpIMax || v.Op == ir.OpUMax {
		name = "max"
	}
	a, b := e.arg(v, 0, k), e.arg(v, 1, k)
	if a.konst && !b.konst {
		a, b = b, a
	}
	if k == ir.F32 && e.exact(v) {
		e.help("is_nan", isNaNSrc)
		return e.lanewise(name+"_d3d", strings.ReplaceAll(minSrc, "min", name), ir.F32, a, b)
	}
	// min(max(x, lo), hi) is clamp(x, lo, hi), NaN and all.
	if name == "min" && a.op == exCall && a.text == "max" && len(a.args) == 2 && ordered(a.args[1], b) {
		if k == ir.F32 && isZero(a.args[1]) && isAll(b, 0x3f800000) {
			e.silent(a.instr)
			return e.call("saturate", a.typ, a.args[0])
		}
		c := e.call("clamp", a.typ, a.args[0], a.args[1], b)
		return c
	}
	return e.builtin(name, k, a, b)
}

// ordered reports whether lo and hi are constants and lo is not above hi on any lane.
func ordered(lo, hi *expr) bool {
	l, ok1 := laneLiterals(lo)
	h, ok2 := laneLiterals(hi)
	if !ok1 || !ok2 {
		return false
	}
	for i := range l {
		a, b := l[i], h[min(i, len(h)-1)]
		switch lo.typ.kind {
		case ir.F32:
			if !(math.Float32frombits(a) <= math.Float32frombits(b)) {
				return false
			}
		case ir.I32:
			if int32(a) > int32(b) {
				return false
			}
		default:
			if a > b {
				return false
			}
		}
	}
	return true
}

// laneLiterals returns the bits of each lane of a constant.
func laneLiterals(x *expr) ([]uint32, bool) {
	if x.op == exLiteral {
		return []uint32{x.bits}, true
	}
	if !isConstructor(x) {
		return nil, false
	}
	out := make([]uint32, 0, 4)
	for _, a := range x.args {
		if a.op != exLiteral {
			return nil, false
		}
		out = append(out, a.bits)
	}
	for len(x.args) == 1 && len(out) < int(x.typ.n) {
		out = append(out, out[0])
	}
	return out, true
}

// divide is a / b or a % b, which D3D answers with all ones for a zero divisor.
func (e *emitter) divide(op, name, src string, a, b *expr) *expr {
	if bits, ok := laneLiterals(b); ok {
		zero, all := false, true
		for _, x := range bits {
			zero = zero || x == 0
			all = all && x == 0
		}
		if all {
			return e.splat(e.litU(0xffffffff), int(a.typ.n))
		}
		if !zero {
			return e.infix(op, a, b)
		}
		b = e.opaque(b)
	}
	return e.lanewise(name, src, ir.U32, a, b)
}

// choose is select; WGSL's order is false, true, condition.
func (e *emitter) choose(v *ir.Value) *expr {
	k := v.Kind
	if k == ir.Bits {
		k = e.alike(v, 1, 2)
	}
	c, a, b := e.arg(v, 0, ir.Bool), e.arg(v, 1, k), e.arg(v, 2, k)
	if s, ok := isSplat(c); ok {
		c = s
	}
	if c.konst {
		c = e.opaque(c)
	}
	if k == ir.Bool && v.N == 1 {
		// The right side of || and && is control flow, where nothing that all
		// invocations have to reach may stand; | and & evaluate both sides.
		or, and := "||", "&&"
		if e.argConvergent(v, 2) {
			or = "|"
		}
		if e.argConvergent(v, 1) {
			and = "&"
		}
		switch {
		case isAll(a, 0xffffffff):
			return e.binary(or, tBool, c, b)
		case isZero(b):
			return e.binary(and, tBool, c, a)
		}
	}
	if m := c; m.op == exUnary && m.text == "!" { // the condition without its negation
		c, a, b = m.args[0], b, a
	}
	return e.call("select", typ{k, v.N}, b, a, c)
}

// lanewise is a call of the scalar helper name for every lane: of the helper
// itself, or of a vector form made from it.
func (e *emitter) lanewise(name, src string, k ir.Kind, args ...*expr) *expr {
	e.help(name, src)
	n := int(args[0].typ.n)
	if n == 1 {
		return e.call(name, typ{k, 1}, args...)
	}
	vname := name + strconv.Itoa(n)
	if name[len(name)-1] <= '9' {
		vname = name + "_" + strconv.Itoa(n)
	}
	t := vec(k, n)
	var params, lanes []string
	letters := "abcd"
	for i, a := range args {
		params = append(params, letters[i:i+1]+": "+a.typ.String())
	}
	for l := range n {
		var as []string
		for i := range args {
			as = append(as, letters[i:i+1]+"."+laneNames[l:l+1])
		}
		lanes = append(lanes, name+"("+strings.Join(as, ", ")+")")
	}
	e.help(vname, "fn "+vname+"("+strings.Join(params, ", ")+") -> "+t.String()+" {\n  return "+t.String()+"("+
		strings.Join(lanes, ", ")+");\n}\n")
	return e.call(vname, t, args...)
}

// The helper functions; section 5 of the patterns measured them.
const (
	isNaNSrc      = "fn is_nan(x: f32) -> bool {\n  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;\n}\n"
	belowSrc      = "fn is_below_infinity(x: f32) -> bool {\n  let u = bitcast<u32>(x);\n  return (u & 0x7fffffffu) < 0x7f800000u || u == 0xff800000u;\n}\n"
	aboveSrc      = "fn is_above_negative_infinity(x: f32) -> bool {\n  return (bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u || bitcast<u32>(x) == 0x7f800000u;\n}\n"
	saturateSrc   = "fn saturate_d3d(x: f32) -> f32 {\n  return select(0.0, min(x, 1.0), x > 0.0);\n}\n"
	minSrc        = "fn min_d3d(a: f32, b: f32) -> f32 {\n  return select(select(min(a, b), a, is_nan(b)), b, is_nan(a));\n}\n"
	udivSrc       = "fn udiv(a: u32, b: u32) -> u32 {\n  return select(a / b, 0xffffffffu, b == 0u);\n}\n"
	umodSrc       = "fn umod(a: u32, b: u32) -> u32 {\n  return select(a % b, 0xffffffffu, b == 0u);\n}\n"
	addCarrySrc   = "fn add_carry(a: u32, b: u32) -> u32 {\n  return select(0u, 1u, a + b < a);\n}\n"
	unpackHalfSrc = "fn unpack_half(x: u32) -> f32 {\n  return unpack2x16float(x).x;\n}\n"
	ftoiSrc       = `fn ftoi(x: f32) -> i32 {
  if (is_nan(x)) { return 0; }
  if (x >= 2147483648.0) { return 2147483647; }
  return i32(x);
}
`
	ftouSrc = `fn ftou(x: f32) -> u32 {
  if (is_nan(x) || x <= 0.0) { return 0u; }
  if (x >= 4294967296.0) { return 0xffffffffu; }
  return u32(x);
}
`
	umulHighSrc = `fn umul_high(a: u32, b: u32) -> u32 {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let m = ah * bl + ((al * bl) >> 16u);
  let n = al * bh + (m & 0xffffu);
  return ah * bh + (m >> 16u) + (n >> 16u);
}
`
	imulHighSrc = `fn imul_high(a: i32, b: i32) -> i32 {
  return bitcast<i32>(umul_high(bitcast<u32>(a), bitcast<u32>(b))) - select(0, b, a < 0) - select(0, a, b < 0);
}
`
	firstBitHighSrc = `// Distance from bit 31, all ones for zero.
fn first_bit_high(x: u32) -> u32 {
  return select(countLeadingZeros(x), 0xffffffffu, x == 0u);
}
`
	firstBitHighSignedSrc = `// Distance from bit 31 of the highest bit unlike the sign, all ones if there is none.
fn first_bit_high_signed(x: i32) -> u32 {
  let u = bitcast<u32>(select(x, ~x, x < 0));
  return select(countLeadingZeros(u), 0xffffffffu, u == 0u);
}
`
	msadSrc = `// Sum of byte differences, over the bytes that are not zero in the reference.
fn msad(reference: u32, source: u32, sum: u32) -> u32 {
  var total = sum;
  for (var shift = 0u; shift < 32u; shift += 8u) {
    let r = (reference >> shift) & 0xffu;
    let s = (source >> shift) & 0xffu;
    if (r != 0u) { total += max(r, s) - min(r, s); }
  }
  return total;
}
`
	f32tof16Src = `// Half bits, rounded toward zero.
fn f32tof16(x: f32) -> u32 {
  let u = bitcast<u32>(x);
  let sign = (u >> 16u) & 0x8000u;
  let e = (u >> 23u) & 0xffu;
  let m = u & 0x7fffffu;
  if (e == 0xffu) { return sign | 0x7c00u | select(0u, 0x200u | (m >> 13u), m != 0u); }
  if (e > 142u) { return sign | 0x7bffu; }
  if (e > 112u) { return sign | ((e - 112u) << 10u) | (m >> 13u); }
  if (e < 103u) { return sign; }
  return sign | ((m | 0x800000u) >> (126u - e));
}
`
)
