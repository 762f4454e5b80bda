package wgsl

import (
	"strings"

	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

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
