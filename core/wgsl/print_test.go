package wgsl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"fxlens/core/ir"
	"fxlens/internal/judge"
)

func name(s string, k ir.Kind, n int) *expr { return ident(s, RoleVariable, vec(k, n)) }

// printed is x as the printer writes it.
func printed(x *expr) string {
	p := newPrinter()
	l := &line{value: ir.NoValue, instr: -1}
	l.expr(x, 0)
	p.emit(l)
	return strings.TrimSuffix(string(p.text), "\n")
}

func TestPrecedence(t *testing.T) {
	f := func(s string) *expr { return name(s, ir.F32, 1) }
	u := func(s string) *expr { return name(s, ir.U32, 1) }
	b := func(s string) *expr { return name(s, ir.Bool, 1) }
	op := binary
	for _, c := range []struct {
		x    *expr
		want string
	}{
		{op("*", tF32, op("+", tF32, f("a"), f("b")), f("c")), "(a + b) * c"},
		{op("+", tF32, op("*", tF32, f("a"), f("b")), f("c")), "a * b + c"},
		{op("-", tF32, f("a"), op("-", tF32, f("b"), f("c"))), "a - (b - c)"},
		{op("-", tF32, op("-", tF32, f("a"), f("b")), f("c")), "a - b - c"},
		{op("+", tF32, f("a"), op("+", tF32, f("b"), f("c"))), "a + (b + c)"},
		{op("+", tU32, u("a"), op("+", tU32, u("b"), u("c"))), "a + b + c"},
		{op("-", tU32, u("a"), op("+", tU32, u("b"), u("c"))), "a - (b + c)"},
		{op("/", tF32, f("a"), op("*", tF32, f("b"), f("c"))), "a / (b * c)"},
		{op("&", tU32, op("&", tU32, u("a"), u("b")), u("c")), "a & b & c"},
		{op("|", tU32, op("&", tU32, u("a"), u("b")), u("c")), "(a & b) | c"},
		{op("&", tU32, u("a"), op("+", tU32, u("b"), u("c"))), "a & (b + c)"},
		{op("<<", tU32, u("a"), op("+", tU32, u("b"), litU(1))), "a << (b + 1u)"},
		{op("<<", tU32, op("<<", tU32, u("a"), litU(1)), litU(2)), "(a << 1u) << 2u"},
		{op("+", tU32, op("<<", tU32, u("a"), litU(1)), u("b")), "(a << 1u) + b"},
		{op("<", tBool, u("a"), op(">>", tU32, u("b"), litU(1))), "a < (b >> 1u)"},
		{op("==", tBool, op("&", tU32, u("a"), litU(1)), litU(0)), "(a & 1u) == 0u"},
		{op("&&", tBool, op("<", tBool, f("a"), f("b")), op("||", tBool, b("c"), b("d"))), "a < b && (c || d)"},
		{op("&&", tBool, b("a"), op("&&", tBool, b("b"), b("c"))), "a && b && c"},
		{op("|", tBool, op("<", tBool, f("a"), f("b")), b("c")), "(a < b) | c"},
		{op("!=", tBool, op("<", tBool, f("a"), f("b")), b("c")), "(a < b) != c"},
		{unary("!", tBool, op("==", tBool, f("a"), f("b"))), "!(a == b)"},
		{unary("-", tF32, unary("-", tF32, f("a"))), "-(-a)"},
		{unary("-", tF32, litF(-1)), "-(-1.0)"},
		{op("-", tF32, f("a"), litF(-1)), "a - -1.0"},
		{unary("~", tU32, op("|", tU32, u("a"), u("b"))), "~(a | b)"},
		{lane(op("+", vec(ir.F32, 2), name("a", ir.F32, 2), f("b")), 1), "(a + b).y"},
		{call("f", tBool, op("<", tBool, f("a"), f("b")), op(">", tBool, f("c"), f("d"))), "f((a < b), c > d)"},
		{call("f", tBool, op(">", tBool, f("a"), f("b")), op("<", tBool, f("c"), f("d"))), "f(a > b, c < d)"},
		{call("f", tBool, op("<", tBool, f("a"), f("b")), op("+", tF32, f("c"), call("g", tF32, op(">", tBool, f("d"), f("e"))))), "f(a < b, c + g(d > e))"},
	} {
		assert.Equal(t, c.want, printed(c.x))
	}
}

func TestFloatText(t *testing.T) {
	for bits, want := range map[uint32]string{
		0x00000000: "0.0", 0x80000000: "-0.0", 0x3f800000: "1.0", 0x3dcccccd: "0.1", 0x42c80000: "100.0",
		0x7f7fffff: "3.4028234663852886e38", 0xff7fffff: "-3.4028234663852886e38", 0x00000001: "1e-45",
		0x00800000: "1.1754944e-38", 0x4b189680: "1e7", 0x4b800000: "16777216.0", 0x38d1b717: "0.0001", 0x3727c5ac: "1e-5",
	} {
		assert.Equal(t, want, floatText(math.Float32frombits(bits)))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		bits := r.Uint32()
		if bits&0x7f800000 == 0x7f800000 {
			continue
		}
		s := floatText(math.Float32frombits(bits))
		d, err := strconv.ParseFloat(s, 64)
		if err != nil || math.Float32bits(float32(d)) != bits || math.Abs(d) > math.MaxFloat32 || !strings.ContainsAny(s, ".e") {
			t.Fatalf("%08x prints as %s", bits, s)
		}
	}
}

// TestLiterals has Dawn compile literals of every kind at the edges, and
// operations on constants that WGSL would refuse if they were left to it.
func TestLiterals(t *testing.T) {
	e := newEmitter(&ir.Function{}, nil, nil, Options{}, nil)
	var lines []string
	add := func(x *expr) { lines = append(lines, fmt.Sprintf("  let x%d = %s;", len(lines), printed(x))) }
	for _, bits := range []uint32{0, 1, 0x80000000, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff,
		0x007fffff, 0x00800000, 0x3f800000, 0x7fffffff, 0x4b800001} {
		for _, k := range []ir.Kind{ir.F32, ir.I32, ir.U32, ir.Bool} {
			add(e.constant(bits, k))
			add(splat(e.constant(bits, k), 3))
		}
	}
	inf := e.constant(0x7f7fffff, ir.F32)
	add(e.infix("*", inf, litF(10)))
	add(e.infix("/", litF(1), litF(0)))
	add(e.infix("/", splat(litF(1), 2), splat(litF(0), 2)))
	add(e.builtin("sqrt", ir.F32, litF(-1)))
	add(e.builtin("log2", ir.F32, splat(litF(0), 4)))
	add(e.builtin("exp2", ir.F32, litF(128)))
	add(e.divide("/", "udiv", udivSrc, litU(1), litU(0)))
	add(e.divide("%", "umod", umodSrc, splat(litU(1), 2), construct(vec(ir.U32, 2), litU(0), litU(2))))
	add(numeric(e.safe(litF(3e9))[0], ir.I32))
	add(e.negate(litI(math.MinInt32)))
	add(e.add(litU(0xffffffff), litU(1)))
	var b strings.Builder
	for _, h := range e.order {
		b.WriteString(e.helpers[h])
	}
	b.WriteString("fn f() {\n" + strings.Join(lines, "\n") + "\n}\n")
	judge.Check(t, []judge.Case{{ID: "literals", Modules: []judge.Module{{Code: b.String()}}}})
}

func TestConvert(t *testing.T) {
	e := newEmitter(&ir.Function{}, nil, nil, Options{}, nil)
	f, b := name("f", ir.F32, 1), name("b", ir.Bool, 1)
	to := e.convert
	for _, c := range []struct {
		x    *expr
		want string
	}{
		{to(f, ir.F32), "f"},
		{to(f, ir.U32), "bitcast<u32>(f)"},
		{to(to(f, ir.U32), ir.F32), "f"},
		{to(to(f, ir.U32), ir.I32), "bitcast<i32>(f)"},
		{to(f, ir.Bool), "bitcast<u32>(f) != 0u"},
		{to(b, ir.U32), "select(0u, 0xffffffffu, b)"},
		{to(b, ir.I32), "select(0, -1, b)"},
		{to(to(b, ir.U32), ir.Bool), "b"},
		{to(to(b, ir.F32), ir.Bool), "b"},
		{to(litU(0x3f800000), ir.F32), "1.0"},
		{to(litF(-0.5), ir.I32), "-1090519040"},
		{to(litU(0x7f800000), ir.F32), "f32_bits(0x7f800000u)"},
		{to(to(litU(0x7fc00001), ir.F32), ir.U32), "0x7fc00001u"},
		{to(construct(vec(ir.F32, 2), litF(1), litF(2)), ir.U32), "vec2<u32>(0x3f800000u, 0x40000000u)"},
		{to(splat(f, 3), ir.U32), "vec3<u32>(bitcast<u32>(f))"},
		{to(name("v", ir.U32, 2), ir.Bool), "v != vec2<u32>(0u)"},
	} {
		assert.Equal(t, c.want, printed(c.x))
	}
}

func TestSwizzle(t *testing.T) {
	v := name("v", ir.F32, 4)
	for _, c := range []struct {
		x    *expr
		want string
	}{
		{swizzle(v, []uint8{0, 1, 2, 3}), "v"},
		{swizzle(v, []uint8{2, 1}), "v.zy"},
		{swizzle(swizzle(v, []uint8{2, 1}), []uint8{1, 1}), "v.yy"},
		{swizzle(name("s", ir.F32, 1), []uint8{0, 0, 0}), "vec3<f32>(s)"},
		{swizzle(splat(name("s", ir.F32, 1), 4), []uint8{3}), "s"},
		{swizzle(construct(vec(ir.F32, 3), litF(1), name("s", ir.F32, 1), litF(2)), []uint8{1, 0}), "vec2<f32>(s, 1.0)"},
		{swizzle(construct(vec(ir.F32, 3), name("w", ir.F32, 2), litF(2)), []uint8{2, 0}), "vec3<f32>(w, 2.0).zx"},
	} {
		assert.Equal(t, c.want, printed(c.x))
	}
}

// TestLongLines checks that long statements are broken and stay within bounds.
func TestLongLines(t *testing.T) {
	x := name("a_rather_long_name", ir.F32, 1)
	for range 12 {
		x = binary("+", tF32, call("max", tF32, x, name("another_long_name", ir.F32, 1)), name("third_name", ir.F32, 1))
	}
	for row := range strings.SplitSeq(printed(x), "\n") {
		assert.LessOrEqual(t, len(row), maxColumns+20, row)
	}
}

func TestLegalName(t *testing.T) {
	for in, want := range map[string]string{
		"SpecularMap": "SpecularMap", "$Globals": "Globals", "a[3].b": "a_3_b", "__x": "x", "texture": "texture", "sampler": "sampler_",
		"filter": "filter_", "1d": "n1d", "": "v", "日本": "v", "x_": "x", "vec3": "vec3_",
	} {
		assert.Equal(t, want, legalName(in, "v"), in)
	}
	assert.Equal(t, "specular", textureBase("SpecularMap"))
	assert.Equal(t, "diffuse", textureBase("g_DiffuseTexture"))
	assert.Equal(t, "shadow", textureBase("g_txShadow"))
}
