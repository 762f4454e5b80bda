package syntax

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
)

// The evaluation of const-expressions: section "Const-expressions" and the value rules of
// each operator and builtin. Floating-point results are those of float64, rounded to the
// type: what the shader compiler computes may differ in the last places, what cannot be
// represented does not.

// evaluator computes a builtin or operator; r is the type of the result. Arguments have
// the types that the overload takes.
type evaluator func(u *universe, r *Type, a []*value) (*value, error)

// each applies a scalar evaluator to every component. Arguments that are scalars where
// the result is not serve all components.
func each(f evaluator) evaluator {
	var apply evaluator
	apply = func(u *universe, r *Type, a []*value) (*value, error) {
		if r.isScalar() {
			return f(u, r, a)
		}
		n := int(r.N)
		out := &value{t: r, el: make([]*value, n)}
		args := make([]*value, len(a))
		for i := range n {
			for j, v := range a {
				args[j] = v
				if !v.t.isScalar() {
					args[j] = v.part(i)
				}
			}
			var err error
			if out.el[i], err = apply(u, r.Elem, args); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return apply
}

// real1 makes an evaluator of a function of one real number.
func real1(f func(float64) float64) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) { return floatValue(r, f(a[0].f)) })
}

// real1In is real1 for a function that is not defined everywhere.
func real1In(name, domain string, in func(float64) bool, f func(float64) float64) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) {
		if !in(a[0].f) {
			return nil, fmt.Errorf("%s must be called with a value %s, got %s", name, domain, a[0])
		}
		return floatValue(r, f(a[0].f))
	})
}

func real2(f func(x, y float64) float64) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) { return floatValue(r, f(a[0].f, a[1].f)) })
}

func real3(f func(x, y, z float64) float64) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) {
		return floatValue(r, f(a[0].f, a[1].f, a[2].f))
	})
}

// bits1 makes an evaluator of a function of the 32 bits of an i32 or u32.
func bits1(f func(uint32) uint32) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) { return wrap(r, int64(f(uint32(a[0].i)))), nil })
}

// wrap is an integer modulo 2^32 in its type.
func wrap(t *Type, x int64) *value {
	if t.Kind == TypeU32 {
		return &value{t: t, i: int64(uint32(x))}
	}
	return &value{t: t, i: int64(int32(x))}
}

var errDivision = errors.New("integer division by zero is invalid")

// arith evaluates + - * / % on scalars of one type.
func arith(op byte) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) {
		x, y := a[0], a[1]
		if r.isFloat() {
			var f float64
			switch op {
			case '+':
				f = x.f + y.f
			case '-':
				f = x.f - y.f
			case '*':
				f = x.f * y.f
			case '/':
				f = x.f / y.f
			case '%':
				f = math.Mod(x.f, y.f)
			}
			v, err := floatValue(r, f)
			if err != nil {
				return nil, fmt.Errorf("'%s %c %s' cannot be represented as '%s'", x, op, y, r)
			}
			return v, nil
		}
		n, over := int64(0), false
		switch op {
		case '+':
			n = x.i + y.i
			over = (n > x.i) != (y.i > 0) && y.i != 0
		case '-':
			n = x.i - y.i
			over = (n < x.i) != (y.i > 0) && y.i != 0
		case '*':
			hi, lo := bits.Mul64(magnitude(x.i), magnitude(y.i))
			n = x.i * y.i
			neg := (x.i < 0) != (y.i < 0)
			over = hi != 0 || lo > 1<<63 || lo == 1<<63 && !neg
		default:
			if y.i == 0 {
				return nil, errDivision
			}
			least := int64(math.MinInt64)
			if r.Kind == TypeI32 {
				least = math.MinInt32
			}
			if y.i == -1 && x.i == least && r.Kind != TypeU32 {
				return nil, fmt.Errorf("'%s %c %s' cannot be represented as '%s'", x, op, y, r)
			}
			if op == '/' {
				n = x.i / y.i
			} else {
				n = x.i % y.i
			}
		}
		if r.Kind == TypeAbstractInt {
			if over {
				return nil, fmt.Errorf("'%s %c %s' cannot be represented as '%s'", x, op, y, r)
			}
			return &value{t: r, i: n}, nil
		}
		return wrap(r, n), nil
	})
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// compare evaluates a comparison, given what it says of less, equal and greater.
func compare(less, equal, greater bool) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) {
		x, y := a[0], a[1]
		if x.t.isFloat() {
			return boolValue(r, x.f < y.f && less || x.f == y.f && equal || x.f > y.f && greater), nil
		}
		return boolValue(r, x.i < y.i && less || x.i == y.i && equal || x.i > y.i && greater), nil
	})
}

func bitwise(f func(x, y int64) int64) evaluator {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) {
		return &value{t: r, i: f(a[0].i, a[1].i)}, nil
	})
}

// bitWidth is the number of bits of an integer type.
func bitWidth(t *Type) int64 {
	if t.Kind == TypeAbstractInt {
		return 64
	}
	return 32
}

func shiftLeft(_ *universe, r *Type, a []*value) (*value, error) {
	x, n := a[0].i, a[1].i
	if n >= bitWidth(r) {
		if r.Kind == TypeAbstractInt && x == 0 {
			return a[0], nil
		}
		return nil, fmt.Errorf("shift left value must be less than the bit width of the lhs, which is %d", bitWidth(r))
	}
	switch r.Kind {
	case TypeU32:
		if n > 0 && uint64(x)<<n > math.MaxUint32 {
			return nil, errors.New("shift left operation results in overflow")
		}
		return wrap(r, x<<n), nil
	case TypeI32:
		if int64(int32(x<<n))>>n != x {
			return nil, errors.New("shift left operation results in sign change")
		}
		return wrap(r, x<<n), nil
	}
	if x<<n>>n != x {
		return nil, errors.New("shift left operation results in sign change")
	}
	return &value{t: r, i: x << n}, nil
}

func shiftRight(_ *universe, r *Type, a []*value) (*value, error) {
	if r.Kind == TypeAbstractInt {
		return &value{t: r, i: a[0].i >> a[1].i}, nil
	}
	if n := a[1].i; n >= bitWidth(r) {
		return nil, fmt.Errorf("shift right value must be less than the bit width of the lhs, which is %d", bitWidth(r))
	}
	return &value{t: r, i: a[0].i >> a[1].i}, nil
}

// multiply evaluates *, with matrices.
func multiply(u *universe, r *Type, a []*value) (*value, error) {
	x, y := a[0], a[1]
	xm, ym := x.t.Kind == TypeMat, y.t.Kind == TypeMat
	scalar := x.t.scalar()
	dot := func(n int, f, g func(int) *value) (*value, error) {
		c := calculator{t: scalar}
		sum := 0.0
		for i := range n {
			sum = c.add(sum, c.mul(f(i).f, g(i).f))
		}
		return c.value(sum)
	}
	column := func(t *Type, m *value, of *value) (*value, error) { // m * of
		out := &value{t: t, el: make([]*value, t.N)}
		for row := range int(t.N) {
			var err error
			if out.el[row], err = dot(int(m.t.N), func(i int) *value { return m.part(i).part(row) }, of.part); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	switch {
	case xm && y.t.Kind == TypeVec:
		return column(r, x, y)
	case xm && ym:
		out := &value{t: r, el: make([]*value, r.N)}
		for i := range int(r.N) {
			var err error
			if out.el[i], err = column(r.Elem, x, y.part(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case x.t.Kind == TypeVec && ym:
		out := &value{t: r, el: make([]*value, r.N)}
		for i := range int(r.N) {
			var err error
			if out.el[i], err = dot(int(x.t.N), x.part, y.part(i).part); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return arith('*')(u, r, a)
}

// calculator computes in a type of floating-point numbers, step by step: what overflows
// on the way is an error though the result would not.
type calculator struct {
	t   *Type
	err error
}

func (c *calculator) step(op byte, x, y, z float64) float64 {
	v, err := floatValue(c.t, z)
	if err != nil {
		if c.err == nil {
			c.err = fmt.Errorf("'%s %c %s' cannot be represented as '%s'", &value{t: c.t, f: x}, op, &value{t: c.t, f: y}, c.t)
		}
		return 0
	}
	return v.f
}

func (c *calculator) add(x, y float64) float64 { return c.step('+', x, y, x+y) }
func (c *calculator) sub(x, y float64) float64 { return c.step('-', x, y, x-y) }
func (c *calculator) mul(x, y float64) float64 { return c.step('*', x, y, x*y) }

func (c *calculator) value(x float64) (*value, error) {
	if c.err != nil {
		return nil, c.err
	}
	return floatValue(c.t, x)
}

func boolAnd(x, y int64) int64 { return x & y }
func boolOr(x, y int64) int64  { return x | y }

// dotOf is the dot product.
func dotOf(r *Type, x, y *value) (*value, error) {
	if r.isFloat() {
		c := calculator{t: r}
		s := 0.0
		for i := range int(x.t.N) {
			s = c.add(s, c.mul(x.part(i).f, y.part(i).f))
		}
		return c.value(s)
	}
	add, mul := arith('+'), arith('*')
	sum := &value{t: r}
	for i := range int(x.t.N) {
		p, err := mul(nil, r, []*value{x.part(i), y.part(i)})
		if err == nil {
			sum, err = add(nil, r, []*value{sum, p})
		}
		if err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func lengthOf(v *value) (*value, error) {
	if v.t.isScalar() {
		return &value{t: v.t, f: math.Abs(v.f)}, nil
	}
	d, err := dotOf(v.t.Elem, v, v)
	if err != nil {
		return nil, err
	}
	return floatValue(d.t, math.Sqrt(d.f))
}

// scaled is v * k.
func scaled(u *universe, v *value, k float64) (*value, error) {
	return each(func(_ *universe, r *Type, a []*value) (*value, error) { return floatValue(r, a[0].f*k) })(u, v.t, []*value{v})
}

func normalize(u *universe, _ *Type, a []*value) (*value, error) {
	l, err := lengthOf(a[0])
	if err != nil {
		return nil, err
	}
	if l.f == 0 {
		return nil, errors.New("zero length vector can not be normalized")
	}
	return each(func(_ *universe, r *Type, a []*value) (*value, error) { return floatValue(r, a[0].f/l.f) })(u, a[0].t, a)
}

func cross(_ *universe, r *Type, a []*value) (*value, error) {
	out := &value{t: r, el: make([]*value, 3)}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		c := calculator{t: r.Elem}
		var err error
		if out.el[i], err = c.value(c.sub(c.mul(a[0].part(j).f, a[1].part(k).f), c.mul(a[0].part(k).f, a[1].part(j).f))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func determinant(_ *universe, r *Type, a []*value) (*value, error) {
	n := int(a[0].t.N)
	var m [4][4]float64
	for i := range n {
		for j := range n {
			m[i][j] = a[0].part(i).part(j).f
		}
	}
	det := 1.0
	for i := range n { // elimination with the largest pivot
		p := i
		for k := i + 1; k < n; k++ {
			if math.Abs(m[k][i]) > math.Abs(m[p][i]) {
				p = k
			}
		}
		if m[p][i] == 0 {
			return &value{t: r}, nil
		}
		if p != i {
			m[i], m[p] = m[p], m[i]
			det = -det
		}
		det *= m[i][i]
		for k := i + 1; k < n; k++ {
			f := m[k][i] / m[i][i]
			for j := i; j < n; j++ {
				m[k][j] -= f * m[i][j]
			}
		}
	}
	return floatValue(r, det)
}

func transpose(_ *universe, r *Type, a []*value) (*value, error) {
	out := &value{t: r, el: make([]*value, r.N)}
	for i := range out.el {
		c := &value{t: r.Elem, el: make([]*value, r.Elem.N)}
		for j := range c.el {
			c.el[j] = a[0].part(j).part(i)
		}
		out.el[i] = c
	}
	return out, nil
}

// resultParts makes a structure of two parts from a function that gives both.
func resultParts(f func(x float64) (float64, float64)) evaluator {
	return func(u *universe, r *Type, a []*value) (*value, error) {
		part := func(k int) (*value, error) {
			return each(func(_ *universe, r *Type, a []*value) (*value, error) {
				p, q := f(a[0].f)
				if k == 1 {
					p = q
				}
				if r.isInt() {
					return &value{t: r, i: int64(p)}, nil
				}
				return floatValue(r, p)
			})(u, r.Members[k].Type, a)
		}
		p, err := part(0)
		if err != nil {
			return nil, err
		}
		q, err := part(1)
		if err != nil {
			return nil, err
		}
		return &value{t: r, el: []*value{p, q}}, nil
	}
}

func clampOf(_ *universe, r *Type, a []*value) (*value, error) {
	if r.isFloat() {
		if a[1].f > a[2].f {
			return nil, lowHigh(a[1], a[2])
		}
		return &value{t: r, f: min(max(a[0].f, a[1].f), a[2].f)}, nil
	}
	if a[1].i > a[2].i {
		return nil, lowHigh(a[1], a[2])
	}
	return &value{t: r, i: min(max(a[0].i, a[1].i), a[2].i)}, nil
}

func lowHigh(low, high *value) error {
	return fmt.Errorf("clamp called with 'low' (%s) greater than 'high' (%s)", low, high)
}

func extractBits(_ *universe, r *Type, a []*value) (*value, error) {
	off, n := a[1].i, a[2].i
	if off+n > 32 {
		return nil, errBitRange
	}
	if n == 0 {
		return &value{t: r}, nil
	}
	x := uint32(a[0].i) << (32 - off - n)
	if r.Kind == TypeI32 {
		return wrap(r, int64(int32(x)>>(32-n))), nil
	}
	return wrap(r, int64(x>>(32-n))), nil
}

var errBitRange = errors.New("'offset' + 'count' must be less than or equal to the bit width of 'e'")

func insertBits(_ *universe, r *Type, a []*value) (*value, error) {
	off, n := a[2].i, a[3].i
	if off+n > 32 {
		return nil, errBitRange
	}
	mask := uint32((uint64(1)<<n - 1) << off)
	return wrap(r, int64(uint32(a[0].i)&^mask|uint32(a[1].i)<<off&mask)), nil
}

func firstLeadingBit(_ *universe, r *Type, a []*value) (*value, error) {
	x := uint32(a[0].i)
	if r.Kind == TypeI32 && int32(x) < 0 {
		x = ^x
	}
	return wrap(r, int64(bits.Len32(x))-1), nil
}

func firstTrailingBit(x uint32) uint32 {
	if x == 0 {
		return math.MaxUint32
	}
	return uint32(bits.TrailingZeros32(x))
}

func ldexp(_ *universe, r *Type, a []*value) (*value, error) {
	bias := int64(1024)
	switch r.Kind {
	case TypeF32:
		bias = 128
	case TypeF16:
		bias = 16
	}
	if a[1].i > bias {
		return nil, fmt.Errorf("e2 must be less than or equal to %d", bias)
	}
	return floatValue(r, math.Ldexp(a[0].f, int(max(a[1].i, -5000))))
}

func smoothstep(_ *universe, r *Type, a []*value) (*value, error) {
	if a[0].f == a[1].f {
		return nil, fmt.Errorf("smoothstep called with 'low' (%s) equal to 'high' (%s)", a[0], a[1])
	}
	t := min(max((a[2].f-a[0].f)/(a[1].f-a[0].f), 0), 1)
	return floatValue(r, t*t*(3-2*t))
}

// packing makes an evaluator that puts n values into the 32 bits of a u32.
func packing(n int, f func(v *value) (uint32, error)) evaluator {
	return func(_ *universe, r *Type, a []*value) (*value, error) {
		var w uint32
		for i := range n {
			b, err := f(a[0].part(i))
			if err != nil {
				return nil, err
			}
			w |= b << (i * 32 / n)
		}
		return wrap(r, int64(w)), nil
	}
}

func unpacking(n int, f func(r *Type, bits uint32) *value) evaluator {
	return func(_ *universe, r *Type, a []*value) (*value, error) {
		out := &value{t: r, el: make([]*value, n)}
		for i := range n {
			out.el[i] = f(r.Elem, uint32(a[0].i)>>(i*32/n)&uint32(1<<(32/n)-1))
		}
		return out, nil
	}
}

func norm(lo, scale float64, mask uint32) func(v *value) (uint32, error) {
	return func(v *value) (uint32, error) {
		return uint32(int32(math.Floor(0.5+scale*min(max(v.f, lo), 1)))) & mask, nil
	}
}

func packHalf(v *value) (uint32, error) {
	if math.Abs(v.f) > 65504 {
		return 0, fmt.Errorf("value %s cannot be represented as 'f16'", v)
	}
	return halfBits(roundF16(v.f)), nil
}

// halfBits are the bits of a number that half precision has.
func halfBits(x float64) uint32 {
	var sign uint32
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	if x == 0 {
		return sign
	}
	if x < math.Ldexp(1, -14) {
		return sign | uint32(math.Ldexp(x, 24))
	}
	m, e := math.Frexp(x)
	return sign | uint32(e+14)<<10 | uint32(math.Ldexp(m, 11))&0x3ff
}

// halfValue is the number of half-precision bits.
func halfValue(b uint32) float64 {
	m, e := float64(b&0x3ff), int(b>>10&31)
	x := math.Ldexp(m, -24)
	switch {
	case e == 31 && m != 0:
		x = math.NaN()
	case e == 31:
		x = math.Inf(1)
	case e > 0:
		x = math.Ldexp(1024+m, e-25)
	}
	if b&0x8000 != 0 {
		return -x
	}
	return x
}

func unpackHalf(_ *universe, r *Type, a []*value) (*value, error) {
	out := &value{t: r, el: make([]*value, 2)}
	for i := range 2 {
		var err error
		if out.el[i], err = floatValue(r.Elem, halfValue(uint32(a[0].i)>>(16*i)&0xffff)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// selectOf is select(f, t, cond), by component where cond has components.
func selectOf(u *universe, r *Type, a []*value) (*value, error) {
	if a[2].t.isScalar() {
		if a[2].bool() {
			return a[1], nil
		}
		return a[0], nil
	}
	return each(func(_ *universe, _ *Type, a []*value) (*value, error) {
		if a[2].bool() {
			return a[1], nil
		}
		return a[0], nil
	})(u, r, a)
}

// quantify is all or any.
func quantify(any bool) evaluator {
	return func(_ *universe, r *Type, a []*value) (*value, error) {
		if a[0].t.isScalar() {
			return a[0], nil
		}
		for i := range int(a[0].t.N) {
			if a[0].part(i).bool() == any {
				return boolValue(r, any), nil
			}
		}
		return boolValue(r, !any), nil
	}
}

// extreme is min or max.
func extreme(want int) evaluator {
	return each(func(_ *universe, _ *Type, a []*value) (*value, error) {
		x, y := a[0], a[1]
		if x.t.isFloat() && (y.f < x.f) == (want < 0) && x.f != y.f || !x.t.isFloat() && (y.i < x.i) == (want < 0) {
			return y, nil
		}
		return x, nil
	})
}

func sub(u *universe, a, b *value) (*value, error) { return arith('-')(u, a.t, []*value{a, b}) }

func faceForward(u *universe, r *Type, a []*value) (*value, error) {
	d, err := dotOf(r.Elem, a[1], a[2])
	if err != nil {
		return nil, err
	}
	if d.f < 0 {
		return a[0], nil
	}
	return scaled(u, a[0], -1)
}

func reflect(u *universe, r *Type, a []*value) (*value, error) {
	d, err := dotOf(r.Elem, a[0], a[1])
	if err != nil {
		return nil, err
	}
	n, err := scaled(u, a[1], 2*d.f)
	if err != nil {
		return nil, err
	}
	return sub(u, a[0], n)
}

func refract(u *universe, r *Type, a []*value) (*value, error) {
	d, err := dotOf(r.Elem, a[1], a[0])
	if err != nil {
		return nil, err
	}
	eta := a[2].f
	k := 1 - eta*eta*(1-d.f*d.f)
	if k < 0 {
		return &value{t: r}, nil
	}
	x, err := scaled(u, a[0], eta)
	if err != nil {
		return nil, err
	}
	y, err := scaled(u, a[1], eta*d.f+math.Sqrt(k))
	if err != nil {
		return nil, err
	}
	return sub(u, x, y)
}

func dotPacked(signed bool) evaluator {
	return func(_ *universe, r *Type, a []*value) (*value, error) {
		var sum int64
		for i := range 4 {
			x, y := uint32(a[0].i)>>(8*i), uint32(a[1].i)>>(8*i)
			if signed {
				sum += int64(int8(x)) * int64(int8(y))
			} else {
				sum += int64(uint8(x)) * int64(uint8(y))
			}
		}
		return wrap(r, sum), nil
	}
}

// evaluators are all that have a value in a const-expression. A test holds them against
// the overloads with the flag c.
var evaluators = sync.OnceValue(func() map[string]evaluator {
	return map[string]evaluator{
		"+": arith('+'), "-": arith('-'), "*": multiply, "/": arith('/'), "%": arith('%'),
		"==": compare(false, true, false), "!=": compare(true, false, true), "<": compare(true, false, false),
		"<=": compare(true, true, false), ">": compare(false, false, true), ">=": compare(false, true, true),
		"&": bitwise(boolAnd), "|": bitwise(boolOr), "^": bitwise(func(x, y int64) int64 { return x ^ y }),
		"&&": bitwise(boolAnd), "||": bitwise(boolOr), "<<": each(shiftLeft), ">>": each(shiftRight),
		"neg": each(func(_ *universe, r *Type, a []*value) (*value, error) {
			switch {
			case r.isFloat():
				return &value{t: r, f: -a[0].f}, nil
			case r.Kind == TypeI32:
				return wrap(r, -a[0].i), nil
			case a[0].i == math.MinInt64:
				return nil, fmt.Errorf("'-%s' cannot be represented as '%s'", a[0], r)
			}
			return &value{t: r, i: -a[0].i}, nil
		}),
		"~": each(func(_ *universe, r *Type, a []*value) (*value, error) {
			if r.Kind == TypeAbstractInt {
				return &value{t: r, i: ^a[0].i}, nil
			}
			return wrap(r, ^a[0].i), nil
		}),
		"!": each(func(_ *universe, r *Type, a []*value) (*value, error) { return boolValue(r, !a[0].bool()), nil }),

		"all": quantify(false), "any": quantify(true), "select": selectOf,
		"abs": each(func(_ *universe, r *Type, a []*value) (*value, error) {
			switch {
			case r.isFloat():
				return &value{t: r, f: math.Abs(a[0].f)}, nil
			case a[0].i >= 0:
				return a[0], nil
			case r.Kind == TypeAbstractInt:
				return &value{t: r, i: -a[0].i}, nil
			}
			return wrap(r, -a[0].i), nil
		}),
		"sign": each(func(_ *universe, r *Type, a []*value) (*value, error) {
			s := 0
			if x := a[0].number(); x > 0 {
				s = 1
			} else if x < 0 {
				s = -1
			}
			return &value{t: r, i: int64(s), f: float64(s)}, nil
		}),
		"min": extreme(-1), "max": extreme(1), "clamp": each(clampOf),
		"acos":  real1In("acos", "in the range [-1 .. 1] (inclusive)", func(x float64) bool { return math.Abs(x) <= 1 }, math.Acos),
		"acosh": real1In("acosh", ">= 1.0", func(x float64) bool { return x >= 1 }, math.Acosh),
		"asin":  real1In("asin", "in the range [-1 .. 1] (inclusive)", func(x float64) bool { return math.Abs(x) <= 1 }, math.Asin),
		"asinh": real1(math.Asinh), "atan": real1(math.Atan),
		"atanh": real1In("atanh", "in the range (-1 .. 1) (exclusive)", func(x float64) bool { return math.Abs(x) < 1 }, math.Atanh),
		"ceil":  real1(math.Ceil), "cos": real1(math.Cos), "cosh": real1(math.Cosh),
		"degrees": real1(func(x float64) float64 { return x * (180 / math.Pi) }),
		"exp":     real1(math.Exp), "exp2": real1(math.Exp2), "floor": real1(math.Floor),
		"fract":       real1(func(x float64) float64 { return x - math.Floor(x) }),
		"inverseSqrt": real1In("inverseSqrt", "> 0", func(x float64) bool { return x > 0 }, func(x float64) float64 { return 1 / math.Sqrt(x) }),
		"log":         real1In("log", "> 0", func(x float64) bool { return x > 0 }, math.Log),
		"log2":        real1In("log2", "> 0", func(x float64) bool { return x > 0 }, math.Log2),
		"radians":     real1(func(x float64) float64 { return x * (math.Pi / 180) }),
		"round":       real1(math.RoundToEven),
		"saturate":    real1(func(x float64) float64 { return min(max(x, 0), 1) }),
		"sin":         real1(math.Sin), "sinh": real1(math.Sinh),
		"sqrt": real1In("sqrt", ">= 0", func(x float64) bool { return x >= 0 }, math.Sqrt),
		"tan":  real1(math.Tan), "tanh": real1(math.Tanh), "trunc": real1(math.Trunc),
		"atan2": real2(math.Atan2), "pow": real2(math.Pow),
		"step": real2(func(edge, x float64) float64 {
			if x >= edge {
				return 1
			}
			return 0
		}),
		"fma":        real3(func(x, y, z float64) float64 { return x*y + z }),
		"mix":        real3(func(x, y, t float64) float64 { return x*(1-t) + y*t }),
		"smoothstep": each(smoothstep),

		"countLeadingZeros":  bits1(func(x uint32) uint32 { return uint32(bits.LeadingZeros32(x)) }),
		"countOneBits":       bits1(func(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }),
		"countTrailingZeros": bits1(func(x uint32) uint32 { return uint32(bits.TrailingZeros32(x)) }),
		"reverseBits":        bits1(bits.Reverse32),
		"firstLeadingBit":    each(firstLeadingBit), "firstTrailingBit": bits1(firstTrailingBit),
		"extractBits": each(extractBits), "insertBits": each(insertBits),

		"cross": cross, "determinant": determinant, "transpose": transpose, "normalize": normalize,
		"dot":          func(_ *universe, r *Type, a []*value) (*value, error) { return dotOf(r, a[0], a[1]) },
		"dot4U8Packed": dotPacked(false), "dot4I8Packed": dotPacked(true),
		"length": func(_ *universe, _ *Type, a []*value) (*value, error) { return lengthOf(a[0]) },
		"distance": func(u *universe, _ *Type, a []*value) (*value, error) {
			d, err := sub(u, a[0], a[1])
			if err != nil {
				return nil, err
			}
			return lengthOf(d)
		},
		"reflect": reflect, "refract": refract, "faceForward": faceForward,
		"frexp": resultParts(func(x float64) (float64, float64) { m, e := math.Frexp(x); return m, float64(e) }),
		"modf":  resultParts(func(x float64) (float64, float64) { w, f := math.Modf(x); return f, w }),
		"ldexp": each(ldexp),
		"quantizeToF16": each(func(_ *universe, r *Type, a []*value) (*value, error) {
			if math.Abs(a[0].f) > 65504 {
				return nil, fmt.Errorf("value %s cannot be represented as 'f16'", a[0])
			}
			return &value{t: r, f: roundF16(a[0].f)}, nil
		}),

		"pack4x8snorm": packing(4, norm(-1, 127, 0xff)), "pack4x8unorm": packing(4, norm(0, 255, 0xff)),
		"pack2x16snorm": packing(2, norm(-1, 32767, 0xffff)), "pack2x16unorm": packing(2, norm(0, 65535, 0xffff)),
		"pack2x16float": packing(2, packHalf),
		"pack4xI8":      packing(4, func(v *value) (uint32, error) { return uint32(v.i) & 0xff, nil }),
		"pack4xU8":      packing(4, func(v *value) (uint32, error) { return uint32(v.i) & 0xff, nil }),
		"pack4xI8Clamp": packing(4, func(v *value) (uint32, error) { return uint32(min(max(v.i, -128), 127)) & 0xff, nil }),
		"pack4xU8Clamp": packing(4, func(v *value) (uint32, error) { return uint32(min(max(v.i, 0), 255)), nil }),
		"unpack4x8snorm": unpacking(4, func(r *Type, b uint32) *value {
			return &value{t: r, f: float64(float32(max(float64(int8(b))/127, -1)))}
		}),
		"unpack4x8unorm": unpacking(4, func(r *Type, b uint32) *value { return &value{t: r, f: float64(float32(float64(b) / 255))} }),
		"unpack2x16snorm": unpacking(2, func(r *Type, b uint32) *value {
			return &value{t: r, f: float64(float32(max(float64(int16(b))/32767, -1)))}
		}),
		"unpack2x16unorm": unpacking(2, func(r *Type, b uint32) *value { return &value{t: r, f: float64(float32(float64(b) / 65535))} }),
		"unpack2x16float": unpackHalf,
		"unpack4xI8":      unpacking(4, func(r *Type, b uint32) *value { return wrap(r, int64(int8(b))) }),
		"unpack4xU8":      unpacking(4, func(r *Type, b uint32) *value { return wrap(r, int64(b)) }),
	}
})

// partialCheck finds what is wrong with a call whose arguments are known in part: what no
// value of the others can make right. a has nil for what is not known.
func partialCheck(name string, params []*Type, a []*value) error {
	some := func(v *value, bad func(*value) bool) bool {
		if v == nil {
			return false
		}
		if v.t.Kind != TypeVec {
			return bad(v)
		}
		for i := range int(v.t.N) {
			if bad(v.part(i)) {
				return true
			}
		}
		return false
	}
	switch name {
	case "/", "%":
		if params[1].scalar().isInt() && some(a[1], func(v *value) bool { return v.i == 0 }) {
			return errDivision
		}
	case "<<", ">>":
		if params[0].scalar().Kind == TypeAbstractInt {
			return nil
		}
		if some(a[1], func(v *value) bool { return v.i >= bitWidth(params[0].scalar()) }) {
			dir := "left"
			if name == ">>" {
				dir = "right"
			}
			return fmt.Errorf("shift %s value must be less than the bit width of the lhs, which is %d", dir, bitWidth(params[0].scalar()))
		}
	case "clamp":
		if a[1] != nil && a[2] != nil {
			_, err := each(clampOf)(nil, a[1].t, []*value{a[1], a[1], a[2]})
			return err
		}
	case "smoothstep":
		if a[0] != nil && a[1] != nil {
			_, err := each(smoothstep)(nil, a[0].t, []*value{a[0], a[1], a[0]})
			return err
		}
	case "extractBits", "insertBits":
		if off, n := a[len(a)-2], a[len(a)-1]; off != nil && n != nil && off.i+n.i > 32 {
			return errBitRange
		}
	case "ldexp":
		if a[1] != nil {
			zero := &value{t: params[0]}
			_, err := each(ldexp)(nil, params[0], []*value{zero, a[1]})
			return err
		}
	}
	return nil
}
