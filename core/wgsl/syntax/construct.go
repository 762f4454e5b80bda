package syntax

import (
	"fmt"
	"math"
	"strings"
)

// construct checks T(...): zero values, conversions and the constructors of composites.
// Vectors, matrices and arrays without template list take their element type from the
// arguments.
func (c *checker) construct(e *Call) operand {
	ops, types, ok := c.args(e.Args)
	name := e.Fun.Name
	var t *Type
	if o := c.names.Uses[e.Fun]; o.Kind == ObjBuiltin && len(e.Fun.Args) == 0 && generators[name] {
		if !ok {
			return operand{}
		}
		if t = c.infer(e, name, types); t == nil {
			return operand{}
		}
	} else if t = c.typeOf(e.Fun); t == nil || !ok {
		return operand{}
	}
	if !t.has(constructible) {
		c.report(e.Span, "type '%s' is not constructible", t)
		return operand{}
	}
	if len(ops) == 0 {
		return c.constant(&value{t: t})
	}
	switch {
	case t.isScalar():
		return c.constructScalar(e, t, ops)
	case t.Kind == TypeVec:
		return c.constructVec(e, t, ops)
	case t.Kind == TypeMat:
		return c.constructMat(e, t, ops)
	}
	n := int(t.N)
	what := "array constructor"
	if t.Kind == TypeStruct {
		n, what = len(t.Members), "structure constructor"
	}
	if len(ops) != n {
		few := "few"
		if len(ops) > n {
			few = "many"
		}
		c.report(e.Span, "%s has too %s %s: expected %d, found %d", what, few, map[bool]string{true: "inputs", false: "elements"}[t.Kind == TypeStruct], n, len(ops))
		return operand{}
	}
	return c.compose(t, ops, e.Args, t.element)
}

// generators are the types that a constructor may leave without template list.
var generators = words("vec2 vec3 vec4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 array")

// compose makes a composite of operands that become its parts one by one.
func (c *checker) compose(t *Type, ops []operand, at []Expr, part func(int) *Type) operand {
	out := operand{t: t, v: &value{t: t, el: make([]*value, len(ops))}}
	for i, o := range ops {
		o, ok := c.convertTo(o, part(i), at[i].Range(), func(from *Type) {
			if t.Kind == TypeStruct {
				c.report(at[i].Range(), "type in structure constructor does not match member '%s': expected '%s', found '%s'", t.Members[i].Name, part(i), from)
				return
			}
			c.report(at[i].Range(), "'%s' cannot be used to construct an element of '%s': expected '%s'", from, t, part(i))
		})
		if !ok {
			return operand{}
		}
		out.stage = max(out.stage, o.stage)
		if o.v == nil {
			out.v = nil
		}
		if out.v != nil {
			out.v.el[i] = o.v
		}
	}
	return out
}

// infer finds the type that a generator without template list makes of its arguments.
func (c *checker) infer(e *Call, name string, types []*Type) *Type {
	none := func() *Type {
		c.report(e.Span, "no matching constructor for '%s(%s)'", name, typeList(types))
		return nil
	}
	if name == "array" {
		if len(types) == 0 {
			c.report(e.Span, "cannot infer element type of array without arguments")
			return nil
		}
		t := types[0]
		for _, o := range types[1:] {
			if rank(o, t) >= 0 {
				continue
			}
			if rank(t, o) < 0 {
				c.report(e.Span, "cannot infer common array element type from constructor arguments: '%s' and '%s'", t, o)
				return nil
			}
			t = o
		}
		if !t.has(constructible) {
			return none()
		}
		return c.u.array(uint64(len(types)), t)
	}
	var elem *Type
	for _, t := range types {
		if t.Kind != TypeVec && t.Kind != TypeMat && !t.isScalar() {
			return none()
		}
		s := t.scalar()
		if elem != nil {
			s = common(elem, s)
		}
		if elem = s; elem == nil {
			return none()
		}
	}
	if elem == nil && strings.HasPrefix(name, "vec") {
		elem = c.basic(TypeAbstractInt)
	}
	if elem == nil {
		return none()
	}
	if rest, mat := strings.CutPrefix(name, "mat"); mat {
		if elem.Kind == TypeAbstractInt {
			elem = c.basic(TypeAbstractFloat)
		}
		if !elem.isFloat() {
			return none()
		}
		return c.u.mat(int(rest[0]-'0'), int(rest[2]-'0'), elem)
	}
	return c.u.vec(int(name[3]-'0'), elem)
}

func (c *checker) noConstructor(e *Call, t *Type, ops []operand, hint string) operand {
	var ts []*Type
	for _, o := range ops {
		ts = append(ts, o.t)
	}
	c.report(e.Span, "no matching constructor for '%s(%s)'; %s", t, typeList(ts), hint)
	return operand{}
}

// castable reports whether T(x) converts between scalars.
func castable(from, to *Type) bool {
	return from.isScalar() && to.isScalar() && (from == to || to.Kind != TypeAbstractInt && to.Kind != TypeAbstractFloat || rank(from, to) >= 0)
}

// cast converts the scalars of a value by the rules of T(x).
func (c *checker) cast(v *value, to *Type, at Span) *value {
	w, err := each(func(_ *universe, r *Type, a []*value) (*value, error) { return construct(a[0], r) })(c.u, to, []*value{v})
	if err != nil {
		c.evalError(at, err)
		return nil
	}
	return w
}

func (c *checker) constructScalar(e *Call, t *Type, ops []operand) operand {
	if len(ops) != 1 || !castable(ops[0].t, t) {
		return c.noConstructor(e, t, ops, "it takes one scalar")
	}
	out := operand{t: t, stage: ops[0].stage}
	if ops[0].v != nil {
		out.v = c.cast(ops[0].v, t, e.Span)
	}
	return out
}

func (c *checker) constructVec(e *Call, t *Type, ops []operand) operand {
	if len(ops) == 1 {
		o := ops[0]
		switch {
		case rank(o.t, t.Elem) >= 0: // splat
			o, _ = c.convertTo(o, t.Elem, e.Args[0].Range(), func(*Type) {})
			out := operand{t: t, stage: o.stage}
			if o.v != nil {
				out.v = &value{t: t, el: make([]*value, t.N)}
				for i := range out.v.el {
					out.v.el[i] = o.v
				}
			}
			return out
		case o.t.Kind == TypeVec && o.t.N == t.N && castable(o.t.Elem, t.Elem):
			out := operand{t: t, stage: o.stage}
			if o.v != nil {
				out.v = c.cast(o.v, t, e.Span)
			}
			return out
		}
		return c.noConstructor(e, t, ops, fmt.Sprintf("it takes a '%s', %d of them, or a vector of %[2]d components", t.Elem, t.N))
	}
	n := uint64(0)
	for _, o := range ops {
		k := uint64(1)
		if o.t.Kind == TypeVec {
			k = o.t.N
		}
		if rank(o.t.scalar(), t.Elem) < 0 || !o.t.isScalar() && o.t.Kind != TypeVec {
			return c.noConstructor(e, t, ops, fmt.Sprintf("each part must be of '%s' or vectors of it", t.Elem))
		}
		n += k
	}
	if n != t.N {
		return c.noConstructor(e, t, ops, fmt.Sprintf("it takes %d components, got %d", t.N, n))
	}
	out := operand{t: t, v: &value{t: t}}
	for i, o := range ops {
		to := t.Elem
		if o.t.Kind == TypeVec {
			to = c.u.vec(int(o.t.N), t.Elem)
		}
		o, _ = c.convertTo(o, to, e.Args[i].Range(), func(*Type) {})
		out.stage = max(out.stage, o.stage)
		switch {
		case o.v == nil || out.v == nil:
			out.v = nil
		case to.Kind == TypeVec:
			for j := range int(to.N) {
				out.v.el = append(out.v.el, o.v.part(j))
			}
		default:
			out.v.el = append(out.v.el, o.v)
		}
	}
	return out
}

func (c *checker) constructMat(e *Call, t *Type, ops []operand) operand {
	cols, rows, elem := int(t.N), int(t.Elem.N), t.Elem.Elem
	switch {
	case len(ops) == 1 && ops[0].t.Kind == TypeMat && ops[0].t.N == t.N && ops[0].t.Elem.N == t.Elem.N && castable(ops[0].t.Elem.Elem, elem):
		out := operand{t: t, stage: ops[0].stage}
		if ops[0].v != nil {
			out.v = c.cast(ops[0].v, t, e.Span)
		}
		return out
	case len(ops) == cols:
		for _, o := range ops {
			if rank(o.t, t.Elem) < 0 {
				return c.noConstructor(e, t, ops, fmt.Sprintf("it takes %d columns of '%s' or %d of '%s'", cols, t.Elem, cols*rows, elem))
			}
		}
		return c.compose(t, ops, e.Args, func(int) *Type { return t.Elem })
	case len(ops) == cols*rows:
		for _, o := range ops {
			if rank(o.t, elem) < 0 {
				return c.noConstructor(e, t, ops, fmt.Sprintf("it takes %d columns of '%s' or %d of '%s'", cols, t.Elem, cols*rows, elem))
			}
		}
		out := c.compose(t, ops, e.Args, func(int) *Type { return elem })
		if out.v != nil {
			m := &value{t: t, el: make([]*value, cols)}
			for i := range m.el {
				m.el[i] = &value{t: t.Elem, el: out.v.el[i*rows : (i+1)*rows]}
			}
			out.v = m
		}
		return out
	}
	return c.noConstructor(e, t, ops, fmt.Sprintf("it takes %d columns of '%s' or %d of '%s'", cols, t.Elem, cols*rows, elem))
}

// bitcast checks bitcast<T>(x): the sizes agree, and a value keeps its bits.
func (c *checker) bitcast(e *Call, statement bool) operand {
	ops, types, ok := c.args(e.Args)
	if len(e.Fun.Args) != 1 {
		c.report(e.Fun.Span, "'bitcast' needs the type to convert to: bitcast<T>(x)")
		return operand{}
	}
	id, isName := e.Fun.Args[0].(*Ident)
	if !isName {
		c.report(e.Fun.Args[0].Range(), "'bitcast' needs a type to convert to")
		return operand{}
	}
	t := c.typeOf(id)
	if t == nil || !ok {
		return operand{}
	}
	if len(ops) != 1 {
		c.report(e.Span, "no matching call to 'bitcast<%s>(%s)'; it takes one argument", t, typeList(types))
		return operand{}
	}
	o := ops[0]
	if t.scalar().Kind == TypeU32 && o.v != nil && rank(o.t, t) >= 0 { // 0xffffffff is u32, -1 is i32
		if v, err := convert(o.v, t); err == nil {
			o.t, o.v = t, v
		}
	}
	o = c.concrete(o, e.Args[0].Range())
	good := func(t *Type) bool {
		return t.isNumber() && t.Kind != TypeAbstractInt && t.Kind != TypeAbstractFloat || t.Kind == TypeVec && t.Elem.Kind != TypeBool
	}
	if !o.ok() || !good(o.t) || !good(t) || o.t.Size != t.Size {
		c.report(e.Span, "no matching call to 'bitcast<%s>(%s)'; both are numbers or vectors of numbers, of the same size", t, typeList(types))
		return operand{}
	}
	if statement {
		c.report(e.Span, "ignoring return value of builtin 'bitcast'")
	}
	out := operand{t: t, stage: o.stage}
	if o.v != nil && c.skip == 0 {
		v, err := fromBits(t, toBits(o.v, nil))
		if err != nil {
			c.evalError(e.Span, err)
		}
		out.v = v
	}
	return out
}

// toBits appends the bytes of a value, least first.
func toBits(v *value, b []byte) []byte {
	if v.t.Kind == TypeVec {
		for i := range int(v.t.N) {
			b = toBits(v.part(i), b)
		}
		return b
	}
	var w uint32
	switch v.t.Kind {
	case TypeF32:
		w = math.Float32bits(float32(v.f))
	case TypeF16:
		w = halfBits(v.f)
	default:
		w = uint32(v.i)
	}
	for range v.t.Size {
		b = append(b, byte(w))
		w >>= 8
	}
	return b
}

func fromBits(t *Type, b []byte) (*value, error) {
	if t.Kind == TypeVec {
		out := &value{t: t, el: make([]*value, t.N)}
		for i := range out.el {
			var err error
			if out.el[i], err = fromBits(t.Elem, b[uint64(i)*t.Elem.Size:]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	var w uint32
	for i := range int(t.Size) {
		w |= uint32(b[i]) << (8 * i)
	}
	switch t.Kind {
	case TypeF32:
		return floatValue(t, float64(math.Float32frombits(w)))
	case TypeF16:
		return floatValue(t, halfValue(w))
	}
	return wrap(t, int64(w)), nil
}
