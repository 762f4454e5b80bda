package syntax

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// stage says when the value of an expression is known.
type stage uint8

const (
	constStage    stage = iota // when the shader is created
	overrideStage              // when the pipeline is created
	runtimeStage
)

func (s stage) String() string {
	return [...]string{"const-expression", "override-expression", "runtime-expression"}[s]
}

// operand is what an expression gives. A nil type means that an error has been reported.
type operand struct {
	t     *Type // a reference where it stands for memory
	stage stage
	// v is the value of a const-expression; nil where it was not evaluated: behind a short
	// circuit, or after an error.
	v *value
	// component: one component of a vector in memory, which has no address.
	component bool
	// root is the variable or pointer parameter that a reference or pointer comes from.
	root *Var
}

func (o operand) ok() bool { return o.t != nil }

// maxExprDepth bounds the depth of an expression, as in Tint.
const maxExprDepth = 512

// expr checks an expression. The result may be a reference.
func (c *checker) expr(e Expr) operand {
	if c.depth++; c.depth > maxExprDepth {
		c.depth--
		c.report(e.Range(), "reached max expression depth of %d", maxExprDepth)
		return operand{}
	}
	o := c.expr1(e)
	c.depth--
	if o.ok() {
		c.m.types[e] = o.t
	}
	return o
}

// value checks an expression and loads what it refers to.
func (c *checker) value(e Expr) operand {
	return c.load(c.expr(e), e)
}

func (c *checker) load(o operand, e Expr) operand {
	switch {
	case !o.ok():
	case o.t.Kind == TypeVoid:
		c.report(e.Range(), "%s gives no value", c.what(e))
		return operand{}
	case o.t.Kind == TypeReference:
		if o.t.Access == "write" {
			c.report(e.Range(), "cannot load from memory with access mode 'write'")
			return operand{}
		}
		t := o.t.Elem
		if t.Kind == TypeAtomic || t.has(plain) && (t.has(hasAtomic) || t.has(hasRuntime)) {
			c.report(e.Range(), "cannot load a value of type '%s'", t)
			return operand{}
		}
		if t.isHandle() {
			o.t = t
			return o
		}
		if o.root != nil {
			c.access(o.root, false)
		}
		return operand{t: t, stage: runtimeStage}
	}
	return o
}

// what names an expression in a message.
func (c *checker) what(e Expr) string {
	switch e := e.(type) {
	case *Ident:
		return fmt.Sprintf("'%s'", e.Name)
	case *Call:
		return fmt.Sprintf("the call of '%s'", e.Fun.Name)
	case *Paren:
		return c.what(e.X)
	}
	return "the expression"
}

// convertTo converts an operand to a type. The error names both.
func (c *checker) convertTo(o operand, t *Type, at Span, failed func(from *Type)) (operand, bool) {
	if !o.ok() || t == nil {
		return operand{}, false
	}
	if o.t == t {
		return o, true
	}
	if rank(o.t, t) < 0 {
		failed(o.t)
		return operand{}, false
	}
	if o.v != nil {
		v, err := convert(o.v, t)
		if err != nil {
			c.evalError(at, err)
		}
		o.v = v
	}
	o.t = t
	return o, true
}

// concrete gives abstract numbers the type that they have where nothing asks for another.
func (c *checker) concrete(o operand, at Span) operand {
	if !o.ok() {
		return o
	}
	r, _ := c.convertTo(o, c.u.concrete(o.t), at, func(*Type) {})
	return r
}

// evalError reports what is wrong with a value. Code that is not evaluated has no such
// errors.
func (c *checker) evalError(at Span, err error) {
	if c.skip == 0 {
		c.report(at, "%v", err)
	}
}

func (c *checker) basic(k TypeKind) *Type { return c.u.basic[k] }

func (c *checker) constant(v *value) operand { return operand{t: v.t, v: v} }

func (c *checker) expr1(e Expr) operand {
	switch e := e.(type) {
	case *Literal:
		return c.literal(e)
	case *Paren:
		return c.expr(e.X)
	case *Ident:
		return c.ident(e)
	case *Index:
		return c.index(e)
	case *Select:
		return c.member(e)
	case *Unary:
		return c.unary(e)
	case *Binary:
		return c.binary(e)
	case *Call:
		return c.call(e, false)
	}
	return operand{}
}

func (c *checker) literal(e *Literal) operand {
	text := e.Text
	switch e.Kind {
	case BoolLiteral:
		return c.constant(boolValue(c.basic(TypeBool), text == "true"))
	case IntLiteral:
		t := c.basic(TypeAbstractInt)
		limit := uint64(math.MaxInt64)
		switch text[len(text)-1] {
		case 'i':
			t, limit, text = c.basic(TypeI32), math.MaxInt32, text[:len(text)-1]
		case 'u':
			t, limit, text = c.basic(TypeU32), math.MaxUint32, text[:len(text)-1]
		}
		n, err := uint64(0), error(nil)
		if hex := strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X"); hex != text {
			n, err = strconv.ParseUint(hex, 16, 64)
		} else {
			n, err = strconv.ParseUint(text, 10, 64)
		}
		if err != nil || n > limit {
			c.report(e.Span, "value cannot be represented as '%s'", t)
			return operand{t: t}
		}
		return c.constant(&value{t: t, i: int64(n)})
	}
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	t := c.basic(TypeAbstractFloat)
	switch text[len(text)-1] {
	case 'f':
		if !hex || strings.ContainsAny(text, "pP") {
			t, text = c.basic(TypeF32), text[:len(text)-1]
		}
	case 'h':
		t, text = c.basic(TypeF16), text[:len(text)-1]
		if !c.needs("f16", e.Span, "'f16' literal") {
			return operand{}
		}
	}
	if hex && !strings.ContainsAny(text, "pP") {
		text += "p0"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && !fits(t, x) || err != nil && !(x == 0) {
		c.report(e.Span, "value cannot be represented as '%s'", t)
		return operand{t: t}
	}
	if hex && roundTo(t, x) != x {
		c.report(e.Span, "value cannot be exactly represented as '%s'", t)
		return operand{t: t}
	}
	return c.constant(&value{t: t, f: roundTo(t, x)})
}

func (c *checker) ident(e *Ident) operand {
	o := c.names.Uses[e]
	if o == nil {
		return operand{} // reported by the resolver
	}
	at := Span{e.Pos, e.Pos + len(e.Name)}
	v, isVar := o.Decl.(*Var)
	if !isVar {
		switch {
		case o.Kind == ObjFunc:
			c.report(at, "cannot use function '%s' as value; are you missing '()'?", e.Name)
		case o.Kind == ObjType || predeclaredTypes[e.Name]:
			c.report(at, "cannot use type '%s' as value; are you missing '()'?", e.Name)
		case predeclaredFunctions[e.Name]:
			c.report(at, "cannot use builtin function '%s' as value; are you missing '()'?", e.Name)
		default:
			c.report(at, "cannot use '%s', a word that WGSL predeclares, as value", e.Name)
		}
		return operand{}
	}
	if len(e.Args) > 0 {
		c.report(at, "%s '%s' does not take template arguments", kindWord(v), e.Name)
		return operand{}
	}
	info := c.vars[v]
	if info == nil {
		return operand{}
	}
	if o.Kind == ObjVar && v.Kind != KindConst {
		if c.fn == nil && v.Kind == KindVar {
			c.report(at, "var '%s' cannot be referenced at module-scope", e.Name)
			return operand{}
		}
		c.uses(v, at)
	}
	if c.bypass != nil && o.Kind == ObjLocal {
		c.bypassed(v, at)
	}
	return *info
}

// deref is what a pointer points to, so that p.x and p[i] reach into it.
func (c *checker) deref(o operand) operand {
	if o.ok() && o.t.Kind == TypeReference && o.t.Elem.Kind == TypePointer {
		o.t = o.t.Elem
	}
	if o.ok() && o.t.Kind == TypePointer {
		o.t = c.u.ref(o.t.Elem, o.t.Space, o.t.Access)
		o.stage = runtimeStage
	}
	return o
}

func (c *checker) index(e *Index) operand {
	x := c.deref(c.expr(e.X))
	i := c.value(e.I)
	if !x.ok() || !i.ok() {
		return operand{}
	}
	if !i.t.isInt() {
		c.report(e.I.Range(), "index must be of type 'i32' or 'u32', found: '%s'", i.t)
		return operand{}
	}
	i = c.concrete(i, e.I.Range())
	t := x.t
	if t.Kind == TypeReference {
		t = t.Elem
	}
	switch t.Kind {
	case TypeVec, TypeMat, TypeArray:
	default:
		c.report(e.X.Range(), "cannot index type '%s'", t)
		return operand{}
	}
	if i.v != nil && (i.v.i < 0 || t.N > 0 && uint64(i.v.i) >= t.N) {
		if t.N > 0 {
			c.evalError(e.I.Range(), fmt.Errorf("index %d out of bounds [0..%d]", i.v.i, t.N-1))
		} else {
			c.evalError(e.I.Range(), fmt.Errorf("index %d out of bounds", i.v.i))
		}
		i.v, x.v = nil, nil
	}
	if x.t.Kind == TypeReference {
		return operand{t: c.u.ref(t.Elem, x.t.Space, x.t.Access), stage: runtimeStage, component: t.Kind == TypeVec, root: x.root}
	}
	out := operand{t: t.Elem, stage: max(x.stage, i.stage)}
	if x.v != nil && i.v != nil {
		out.v = x.v.part(int(i.v.i))
	}
	return out
}

// swizzle gives the components that a swizzle names, or nil.
func swizzle(name string) []int {
	for _, set := range []string{"xyzw", "rgba"} {
		var out []int
		for _, r := range name {
			if i := strings.IndexRune(set, r); i >= 0 {
				out = append(out, i)
			}
		}
		if len(out) == len(name) && len(out) <= 4 {
			return out
		}
	}
	return nil
}

func (c *checker) member(e *Select) operand {
	x := c.deref(c.expr(e.X))
	if !x.ok() {
		return operand{}
	}
	t, ref := x.t, x.t.Kind == TypeReference
	if ref {
		t = t.Elem
	}
	name := e.Name.Text
	switch t.Kind {
	case TypeStruct:
		if i, ok := t.member(name); ok {
			m := t.Members[i]
			if ref {
				return operand{t: c.u.ref(m.Type, x.t.Space, x.t.Access), stage: runtimeStage, root: x.root}
			}
			out := operand{t: m.Type, stage: x.stage}
			if x.v != nil {
				out.v = x.v.part(i)
			}
			return out
		}
		c.report(e.Name.Span, "struct '%s' has no member '%s'%s", t.Name, name, suggest(name, memberNames(t)))
		return operand{}
	case TypeVec:
		sw := swizzle(name)
		if sw == nil {
			if len(name) <= 4 && strings.Trim(name, "xyzwrgba") == "" {
				c.report(e.Name.Span, "invalid mixing of vector swizzle characters rgba with xyzw in '%s'", name)
			} else {
				c.report(e.Name.Span, "invalid vector swizzle '%s'", name)
			}
			return operand{}
		}
		for _, i := range sw {
			if uint64(i) >= t.N {
				c.report(e.Name.Span, "invalid vector swizzle member in '%s': '%s' has %d components", name, t, t.N)
				return operand{}
			}
		}
		if ref && len(sw) == 1 {
			return operand{t: c.u.ref(t.Elem, x.t.Space, x.t.Access), stage: runtimeStage, component: true, root: x.root}
		}
		x = c.load(x, e.X)
		if !x.ok() {
			return operand{}
		}
		out := operand{t: t.Elem, stage: x.stage}
		if len(sw) > 1 {
			out.t = c.u.vec(len(sw), t.Elem)
		}
		if x.v != nil {
			if len(sw) == 1 {
				out.v = x.v.part(sw[0])
			} else {
				out.v = &value{t: out.t, el: make([]*value, len(sw))}
				for i, k := range sw {
					out.v.el[i] = x.v.part(k)
				}
			}
		}
		return out
	}
	c.report(e.X.Range(), "cannot take member '%s' of type '%s': it is no structure or vector", name, t)
	return operand{}
}

func memberNames(t *Type) []string {
	var out []string
	for _, m := range t.Members {
		out = append(out, m.Name)
	}
	return out
}

func (c *checker) unary(e *Unary) operand {
	switch e.Op {
	case "&":
		x := c.expr(e.X)
		switch {
		case !x.ok():
			return operand{}
		case x.t.Kind != TypeReference:
			c.report(e.X.Range(), "cannot take the address of %s of type '%s': it stands for no memory", c.what(e.X), x.t)
			return operand{}
		case x.t.Space == "handle":
			c.report(e.Span, "cannot take the address of %s in handle address space", c.what(e.X))
			return operand{}
		case x.component:
			c.report(e.Span, "cannot take the address of a vector component")
			return operand{}
		}
		return operand{t: c.pointer(x.t), stage: runtimeStage, root: x.root}
	case "*":
		x := c.value(e.X)
		if !x.ok() {
			return operand{}
		}
		if x.t.Kind != TypePointer {
			c.report(e.Span, "cannot dereference expression of type '%s'", x.t)
			return operand{}
		}
		return c.deref(x)
	}
	x := c.value(e.X)
	if !x.ok() {
		return operand{}
	}
	name := e.Op
	if name == "-" {
		name = "neg"
	}
	ch := c.u.choose(name, []*Type{x.t})
	if ch == nil {
		c.report(e.Span, "no matching overload for 'operator %s (%s)'; it takes %s", e.Op, x.t, signatures(name, 1))
		return operand{}
	}
	return c.apply(name, ch, []operand{x}, []Expr{e.X}, e.Span)
}

func (c *checker) pointer(ref *Type) *Type {
	k := ref.typeKey
	k.Kind = TypePointer
	return c.u.of(k)
}

func (c *checker) binary(e *Binary) operand {
	x := c.value(e.X)
	// What a short circuit leaves out is checked, and not evaluated.
	short := x.ok() && x.v != nil && x.t.Kind == TypeBool && (e.Op == "&&" && !x.v.bool() || e.Op == "||" && x.v.bool())
	if short {
		c.skip++
	}
	y := c.value(e.Y)
	if short {
		c.skip--
	}
	if !x.ok() || !y.ok() {
		return operand{}
	}
	ch := c.u.choose(e.Op, []*Type{x.t, y.t})
	if ch == nil {
		c.report(e.Span, "no matching overload for 'operator %s (%s, %s)'%s", e.Op, x.t, y.t, operatorHint(e.Op, x.t, y.t))
		return operand{}
	}
	if short {
		return operand{t: ch.result, v: x.v}
	}
	return c.apply(e.Op, ch, []operand{x, y}, []Expr{e.X, e.Y}, e.Span)
}

// operatorHint says what would help.
func operatorHint(op string, x, y *Type) string {
	xs, ys := x.scalar(), y.scalar()
	switch {
	case !xs.isScalar() || !ys.isScalar():
		return ""
	case (op == "<<" || op == ">>") && xs.isInt() && ys.Kind == TypeI32:
		return "; the right side is u32"
	case xs != ys && xs.isNumber() && ys.isNumber() && common(xs, ys) == nil:
		return fmt.Sprintf("; convert one side: WGSL does not mix '%s' and '%s'", xs, ys)
	case x.Kind == TypeVec && y.Kind == TypeVec && x.N != y.N:
		return "; the vectors have different sizes"
	}
	return ""
}

// apply converts the operands to what the overload takes, and evaluates it where they
// have values.
func (c *checker) apply(name string, ch *chosen, ops []operand, at []Expr, span Span) operand {
	out := operand{t: ch.result}
	vals := make([]*value, len(ops))
	known, some := true, false
	for i, o := range ops {
		o, _ = c.convertTo(o, ch.params[i], at[i].Range(), func(*Type) {})
		out.stage = max(out.stage, o.stage)
		vals[i] = o.v
		known = known && o.v != nil
		some = some || o.v != nil
	}
	if !strings.Contains(ch.flags, "c") {
		out.stage = runtimeStage
		return out
	}
	switch {
	case known && c.skip == 0:
		v, err := evaluators()[name](c.u, ch.result, vals)
		if err != nil {
			c.evalError(span, err)
		}
		out.v = v
	case some && c.skip == 0:
		if err := partialCheck(name, ch.params, vals); err != nil {
			c.evalError(span, err)
		}
	}
	return out
}

// call checks a call; statement: its result is not used.
func (c *checker) call(e *Call, statement bool) operand {
	o := c.names.Uses[e.Fun]
	if o == nil {
		for _, a := range e.Args {
			c.value(a)
		}
		return operand{}
	}
	switch {
	case o.Kind == ObjFunc:
		return c.userCall(e, o.Decl.(*Func), statement)
	case o.Kind == ObjType, o.Kind == ObjBuiltin && predeclaredTypes[e.Fun.Name]:
		out := c.construct(e)
		if statement && out.ok() {
			c.report(e.Span, "value constructor evaluated but not used")
		}
		return out
	case o.Kind == ObjBuiltin && predeclaredFunctions[e.Fun.Name]:
		return c.builtinCall(e, statement)
	}
	what := "a word that WGSL predeclares"
	if v, ok := o.Decl.(*Var); ok {
		what = kindWord(v)
	}
	c.report(e.Fun.Span, "cannot call '%s': it is %s", e.Fun.Name, what)
	return operand{}
}

func (c *checker) args(l []Expr) ([]operand, []*Type, bool) {
	ops, types, ok := make([]operand, len(l)), make([]*Type, len(l)), true
	for i, a := range l {
		ops[i] = c.value(a)
		types[i] = ops[i].t
		ok = ok && ops[i].ok()
	}
	return ops, types, ok
}

func typeList(ts []*Type) string {
	s := make([]string, len(ts))
	for i, t := range ts {
		s[i] = t.String()
	}
	return strings.Join(s, ", ")
}

func (c *checker) userCall(e *Call, f *Func, statement bool) operand {
	ops, _, _ := c.args(e.Args)
	info := c.funcs[f]
	if info == nil {
		return operand{}
	}
	switch {
	case len(e.Fun.Args) > 0:
		c.report(e.Fun.Span, "function '%s' does not take template arguments", f.Name.Text)
		return operand{}
	case c.fn == nil:
		c.report(e.Span, "user-declared functions cannot be called at module-scope")
		return operand{}
	case info.stage != "":
		c.report(e.Span, "entry point functions cannot be the target of a function call: '%s'", f.Name.Text)
		return operand{}
	case len(ops) != len(info.params):
		few := "few"
		if len(ops) > len(info.params) {
			few = "many"
		}
		c.report(e.Span, "too %s arguments in call to '%s', expected %d, got %d", few, f.Name.Text, len(info.params), len(ops))
		return operand{}
	}
	for i, o := range ops {
		c.convertTo(o, info.params[i], e.Args[i].Range(), func(from *Type) {
			c.report(e.Args[i].Range(), "type mismatch for argument %d in call to '%s', expected '%s', got '%s'", i+1, f.Name.Text, info.params[i], from)
		})
	}
	c.called(e, info, ops)
	if statement && info.mustUse {
		c.report(e.Span, "ignoring return value of function '%s' annotated with '@must_use'", f.Name.Text)
	}
	return operand{t: info.result, stage: runtimeStage}
}

func (c *checker) builtinCall(e *Call, statement bool) operand {
	name := e.Fun.Name
	if name == "bitcast" {
		return c.bitcast(e, statement)
	}
	ops, types, ok := c.args(e.Args)
	if !ok {
		return operand{}
	}
	if len(e.Fun.Args) > 0 {
		c.report(e.Fun.Span, "builtin function '%s' does not take template arguments", name)
		return operand{}
	}
	ch := c.u.choose(name, types)
	if ch == nil {
		c.report(e.Span, "no matching call to '%s(%s)'; it takes %s", name, typeList(types), signatures(name, len(types)))
		return operand{}
	}
	if strings.Contains(ch.flags, "g") && !c.needs("subgroups", e.Fun.Span, fmt.Sprintf("built-in function '%s'", name)) {
		return operand{}
	}
	for i, p := range ch.overload.params {
		c.constArg(name, p, ops[i], e.Args[i])
	}
	if c.fn != nil {
		c.builtinUse(e, ch, ops)
	}
	if statement && ch.result.Kind != TypeVoid && !strings.Contains(ch.flags, "!") {
		c.report(e.Span, "ignoring return value of builtin '%s'", name)
	}
	if c.fn == nil && !strings.Contains(ch.flags, "c") {
		c.report(e.Span, "builtin function '%s' cannot be called at module-scope: it has no value before the shader runs", name)
		return operand{}
	}
	return c.apply(name, ch, ops, e.Args, e.Span)
}

// constArg checks an argument that must be constant.
func (c *checker) constArg(name string, p *pattern, o operand, at Expr) {
	lo, hi, what := int64(0), int64(0), ""
	switch p.kind {
	case patOffset:
		lo, hi, what = -8, 7, "offset"
	case patComponent:
		lo, hi, what = 0, 3, "component"
	case patVar:
		// The mask or lane of a shuffle need not be constant.
		if !strings.HasPrefix(name, "subgroupShuffle") || p.letter != 'L' || o.v == nil {
			return
		}
		lo, hi, what = 0, 127, "lane"
	case patScalar:
		if !strings.HasPrefix(name, "subgroupShuffle") || o.v == nil {
			return
		}
		lo, hi, what = 0, 127, "delta or mask"
	case patLane:
		lo, hi, what = 0, 127, "lane"
		if name == "quadBroadcast" {
			hi = 3
		}
	default:
		return
	}
	if o.stage != constStage && p.kind != patVar && p.kind != patScalar {
		c.report(at.Range(), "the %s argument of '%s' must be a const-expression", what, name)
		return
	}
	if o.v == nil {
		return
	}
	check := func(v *value) {
		if v.i < lo || v.i > hi {
			c.evalError(at.Range(), fmt.Errorf("the %s argument of '%s' must be at least %d and at most %d, is %d", what, name, lo, hi, v.i))
		}
	}
	if o.v.t.Kind != TypeVec {
		check(o.v)
		return
	}
	for i := range int(o.v.t.N) {
		check(o.v.part(i))
	}
}
