package wgsl

import (
	"fxlens/core/ir"
)

// bitwise is and, or, xor; of conditions && and || where the right side may be
// left out.
func (e *emitter) bitwise(v *ir.Value) *expr {
	op := "&"
	switch v.Op {
	case ir.OpOr:
		op = "|"
	case ir.OpXor:
		op = "^"
	}
	if v.Kind == ir.Bool {
		a, b := e.arg(v, 0, ir.Bool), e.arg(v, 1, ir.Bool)
		t := typ{ir.Bool, v.N}
		switch {
		case v.Op == ir.OpXor:
			return e.binary("!=", t, a, b)
		// A constant on the left may decide: WGSL takes the whole for a
		// const-expression then.
		case v.N == 1 && !a.konst && !e.argConvergent(v, 1):
			return e.binary(op+op, t, a, b)
		case v.N == 1 && !b.konst && !e.argConvergent(v, 0):
			return e.binary(op+op, t, b, a)
		}
		return e.binary(op, t, a, b)
	}
	k := intKind(v)
	args := e.safe(e.arg(v, 0, k), e.arg(v, 1, k))
	a, b := args[0], args[1]
	if a.konst {
		a, b = b, a
	}
	if x := e.masked(v.Op, a, b); x != nil {
		return x
	}
	hex(b)
	if s, ok := isSplat(a); ok {
		if q, ok := isSplat(b); ok {
			return e.splat(e.binary(op, s.typ, s, q), int(v.N))
		}
	}
	return e.binary(op, a.typ, a, b)
}

// masked is an and whose every lane is a condition's mask, a constant or is cut
// away: the choice of a constant, or what is left.
func (e *emitter) masked(op ir.Op, a, b *expr) *expr {
	n := int(a.typ.n)
	apart := func(x *expr) bool { return n == 1 || isConstructor(x) || named(x) }
	if op != ir.OpAnd || !apart(a) || !apart(b) {
		return nil
	}
	out := make([]*expr, n)
	for i := range n {
		x, y := e.lane(a, i), e.lane(b, i)
		p, okP := literalBits(x)
		q, okQ := literalBits(y)
		switch {
		case okP && okQ:
			out[i] = e.lit(p&q, a.typ.kind)
		case okP:
			out[i] = e.maskLane(y, p)
		case okQ:
			out[i] = e.maskLane(x, q)
		}
		if out[i] == nil {
			return nil
		}
	}
	return e.construct(a.typ, out...)
}

// maskLane is x & bits where that is no operation, or nil.
func (ex *exprs) maskLane(x *expr, bits uint32) *expr {
	switch {
	case bits == 0:
		return ex.lit(0, x.typ.kind)
	case bits == ^uint32(0):
		return x
	case x.op == exCall && x.text == "select" && len(x.args) == 3 && isZero(x.args[0]) && isAll(x.args[1], ^uint32(0)):
		y := ex.copy(x)
		y.args = ex.operands(3)
		y.args[0], y.args[1], y.args[2] = x.args[0], ex.lit(bits, x.typ.kind), x.args[2]
		return y
	}
	return nil
}

// argConvergent reports whether operand i holds a folded expression that all
// neighbours must evaluate.
func (e *emitter) argConvergent(v *ir.Value, i int) bool {
	for _, l := range v.Args[i].Lanes[:v.Args[i].N] {
		if inline(e.fold.place[l.V]) && e.fold.conv[l.V] {
			return true
		}
	}
	return false
}

// shift is a shift by the low five bits of the count, which WGSL takes itself
// where the count is not constant.
func (e *emitter) shift(op string, v *ir.Value, k ir.Kind) *expr {
	a, b := e.arg(v, 0, k), e.arg(v, 1, ir.U32)
	b = e.mapLiterals(b, func(x uint32) uint32 { return x & 31 })
	args := e.safe(a, b)
	return e.binary(op, args[0].typ, args[0], args[1])
}

// mapLiterals changes the literals of x.
func (ex *exprs) mapLiterals(x *expr, f func(uint32) uint32) *expr {
	if x.op == exLiteral {
		y := ex.lit(f(x.bits), x.typ.kind)
		y.value, y.instr = x.value, x.instr
		return y
	}
	if isConstructor(x) {
		args := make([]*expr, len(x.args))
		for i, a := range x.args {
			args[i] = ex.mapLiterals(a, f)
		}
		return ex.construct(x.typ, args...)
	}
	return x
}

// bitField is extractBits or insertBits. WGSL's offset and count are scalars and
// its clamping is D3D's, except for constants, which it refuses to clamp.
func (e *emitter) bitField(v *ir.Value, k ir.Kind) *expr {
	mask := func(x uint32) uint32 { return x & 31 }
	low := func(x *expr) *expr {
		if x.konst {
			return e.mapLiterals(x, mask)
		}
		return e.binary("&", x.typ, x, e.splat(e.litU(31), int(x.typ.n)))
	}
	width := low(e.arg(v, 0, ir.U32))
	offset := low(e.arg(v, 1, ir.U32))
	rest := []*expr{e.arg(v, 2, k)}
	name := "extractBits"
	if v.Op == ir.OpBfi {
		name = "insertBits"
		rest = []*expr{e.arg(v, 3, k), rest[0]}
	}
	one := func(l int, rest []*expr) *expr {
		o, w := offset, width
		if l >= 0 {
			o, w = e.lane(offset, l), e.lane(width, l)
		} else {
			if s, ok := isSplat(o); ok {
				o = s
			}
			if s, ok := isSplat(w); ok {
				w = s
			}
		}
		if o.op == exLiteral && w.op == exLiteral {
			w = e.litU(min(w.bits, 32-o.bits))
		}
		t := rest[0].typ
		return e.call(name, t, append(e.safe(rest...), o, w)...)
	}
	_, so := isSplat(offset)
	_, sw := isSplat(width)
	if v.N == 1 || so && sw {
		return one(-1, rest)
	}
	offset, width = e.bind(offset, "offset"), e.bind(width, "width")
	for i := range rest {
		rest[i] = e.bind(rest[i], "bits")
	}
	args := make([]*expr, v.N)
	for l := range args {
		r := make([]*expr, len(rest))
		for i := range rest {
			r[i] = e.lane(rest[i], l)
		}
		args[l] = one(l, r)
	}
	return e.construct(vec(k, int(v.N)), args...)
}
