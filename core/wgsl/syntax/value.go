package syntax

import (
	"fmt"
	"math"
	"strconv"
)

// value is the value of a const-expression. It is never changed once made, so that
// composites share their parts.
type value struct {
	t  *Type
	i  int64   // of bool, i32, u32, abstract-int
	f  float64 // of f32, f16, abstract-float
	el []*value
	// Without el, every part of a composite is its zero value: array<i32, 60000>() takes no
	// room.
}

func (v *value) part(i int) *value {
	if v.el != nil {
		return v.el[i]
	}
	return &value{t: v.t.element(i)}
}

func (v *value) bool() bool { return v.i != 0 }

// String is a scalar as messages have it, or the type for the rest.
func (v *value) String() string {
	switch v.t.Kind {
	case TypeBool:
		return strconv.FormatBool(v.bool())
	case TypeAbstractInt, TypeI32, TypeU32:
		return strconv.FormatInt(v.i, 10)
	case TypeAbstractFloat, TypeF32, TypeF16:
		s := strconv.FormatFloat(v.f, 'f', -1, 64)
		if math.Abs(v.f) >= 1e15 || v.f != 0 && math.Abs(v.f) < 1e-6 {
			s = strconv.FormatFloat(v.f, 'g', -1, 64)
		} else if v.f == math.Trunc(v.f) {
			s += ".0"
		}
		return s
	}
	return v.t.String() + " value"
}

// number is a scalar number as float64.
func (v *value) number() float64 {
	if v.t.isFloat() {
		return v.f
	}
	return float64(v.i)
}

// roundF16 rounds to the nearest half-precision number, to even; what is too large
// becomes infinite.
func roundF16(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	_, e := math.Frexp(x)                // x = m * 2^e, 0.5 <= |m| < 1
	ulp := math.Ldexp(1, max(e-11, -24)) // 11 significant bits; subnormals are multiples of 2^-24
	r := math.RoundToEven(x/ulp) * ulp
	if math.Abs(r) > 65504 {
		return math.Copysign(math.Inf(1), x)
	}
	return r
}

// roundTo rounds to a type of floating-point numbers.
func roundTo(t *Type, x float64) float64 {
	switch t.Kind {
	case TypeF32:
		return float64(float32(x))
	case TypeF16:
		return roundF16(x)
	}
	return x
}

// fits reports whether a number is in the range of a type of floating-point numbers. What
// is out of it is not rounded back in.
func fits(t *Type, x float64) bool {
	switch t.Kind {
	case TypeF32:
		return math.Abs(x) <= math.MaxFloat32
	case TypeF16:
		return math.Abs(x) <= 65504
	}
	return !math.IsInf(x, 0) && !math.IsNaN(x)
}

// floatValue makes a floating-point value; the error says that the type has no such number.
func floatValue(t *Type, x float64) (*value, error) {
	r := roundTo(t, x)
	if math.IsInf(r, 0) || math.IsNaN(r) {
		return nil, unrepresentable(&value{t: t, f: x}, t)
	}
	return &value{t: t, f: r}, nil
}

func unrepresentable(v *value, t *Type) error {
	return fmt.Errorf("value %s cannot be represented as '%s'", v, t)
}

func boolValue(t *Type, b bool) *value {
	if b {
		return &value{t: t, i: 1}
	}
	return &value{t: t}
}

// convert is the automatic conversion of a value to a type that its own converts to. The
// error says which number does not fit.
func convert(v *value, to *Type) (*value, error) {
	var c converter
	if v.el != nil {
		c = converter{}
	}
	return c.convert(v, to)
}

// converter keeps what it converted, since composites share parts.
type converter map[*value]*value

func (c converter) convert(v *value, to *Type) (*value, error) {
	if v.t == to {
		return v, nil
	}
	switch v.t.Kind {
	case TypeVec, TypeMat, TypeArray, TypeStruct:
		if v.el == nil {
			return &value{t: to}, nil
		}
		if w := c[v]; w != nil && w.t == to {
			return w, nil
		}
		w := &value{t: to, el: make([]*value, len(v.el))}
		for i, e := range v.el {
			var err error
			if w.el[i], err = c.convert(e, to.element(i)); err != nil {
				return nil, err
			}
		}
		c[v] = w
		return w, nil
	case TypeAbstractInt:
		switch to.Kind {
		case TypeI32:
			if v.i < math.MinInt32 || v.i > math.MaxInt32 {
				return nil, unrepresentable(v, to)
			}
			return &value{t: to, i: v.i}, nil
		case TypeU32:
			if v.i < 0 || v.i > math.MaxUint32 {
				return nil, unrepresentable(v, to)
			}
			return &value{t: to, i: v.i}, nil
		case TypeAbstractFloat, TypeF32, TypeF16:
			if !fits(to, float64(v.i)) {
				return nil, unrepresentable(v, to)
			}
			return &value{t: to, f: roundTo(to, float64(v.i))}, nil
		}
	case TypeAbstractFloat:
		if !fits(to, v.f) {
			return nil, unrepresentable(v, to)
		}
		return &value{t: to, f: roundTo(to, v.f)}, nil
	}
	return nil, fmt.Errorf("cannot convert value of type '%s' to type '%s'", v.t, to)
}

// construct is the conversion that T(x) asks for between scalars: section "Value
// constructor built-in functions". Floating point to integer clamps; an abstract integer
// must fit.
func construct(v *value, to *Type) (*value, error) {
	switch {
	case v.t == to:
		return v, nil
	case to.Kind == TypeBool:
		return boolValue(to, v.number() != 0), nil
	case to.isFloat():
		if !fits(to, v.number()) {
			return nil, unrepresentable(v, to)
		}
		return &value{t: to, f: roundTo(to, v.number())}, nil
	case v.t.Kind == TypeAbstractInt:
		return convert(v, to)
	case v.t.isFloat():
		lo, hi, last := float64(math.MinInt32), float64(math.MaxInt32), 127.0
		if to.Kind == TypeU32 {
			lo, hi, last = 0, math.MaxUint32, 255
		}
		if v.t.Kind != TypeAbstractFloat {
			hi -= last // the bounds are numbers of both types
		}
		return &value{t: to, i: int64(min(max(math.Trunc(v.f), lo), hi))}, nil
	case to.Kind == TypeI32:
		return &value{t: to, i: int64(int32(v.i))}, nil
	}
	return &value{t: to, i: int64(uint32(v.i))}, nil
}
