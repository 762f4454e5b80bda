package syntax_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"fxlens/internal/judge"
)

var sweep = flag.Bool("sweep", false, "ask Tint about many more random programs")

// ugen writes programs whose values vary or not, with barriers and derivatives in places
// where they may stand or not. They break no other rule.
type ugen struct {
	r    *rand.Rand
	b    strings.Builder
	fn   int // of helper functions that may be called
	kind int // 0 is a fragment shader, 1 a compute shader
	loop int // open loops
	sw   int // open switches
	n    int // names
}

func (g *ugen) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *ugen) val() string {
	c := []string{"1.0", "u", "v0", "v1", "v2", "v0", "v1", "v2", "p", "w[0]", "v3.x", "v3[1]", "(*q)", "s[i32(u)]"}
	if g.fn >= 0 {
		c = append(c, "a", "a")
	}
	if g.fn > 0 { // call lower functions
		k := g.r.IntN(g.fn)
		c = append(c, fmt.Sprintf("f%d(%s, &%s)", k, g.atom(), g.pick("v0", "v1", "v2")))
		c = append(c, fmt.Sprintf("f%d(%s, q)", k, g.atom()))
	}
	return c[g.r.IntN(len(c))]
}

func (g *ugen) atom() string { return g.pick("1.0", "u", "v0", "v1", "a", "p") }

func (g *ugen) expr() string {
	switch g.r.IntN(5) {
	case 0:
		return g.val() + " + " + g.val()
	case 1:
		return "abs(" + g.val() + ")"
	case 2:
		return "select(1.0, " + g.val() + ", " + g.cond() + ")"
	case 3:
		if g.r.IntN(4) == 0 {
			return g.must()
		}
	}
	return g.val()
}

func (g *ugen) must() string {
	if g.kind == 0 {
		return "dpdx(" + g.val() + ")"
	}
	return "f32(workgroupUniformLoad(&wu[" + g.pick("0", "1", "u32(v0)", "u32(u)") + "]))"
}

func (g *ugen) cond() string {
	c := g.val() + " > 0.5"
	switch g.r.IntN(8) {
	case 0:
		return "(" + c + " && " + g.val() + " < 2.0)"
	case 1:
		return "(" + c + " || " + g.val() + " < 2.0)"
	}
	return c
}

func (g *ugen) stmts(depth int, ind string) {
	n := 1 + g.r.IntN(3)
	for range n {
		g.stmt(depth, ind)
	}
}

func (g *ugen) stmt(depth int, ind string) {
	w := func(f string, a ...any) { fmt.Fprintf(&g.b, ind+f+"\n", a...) }
	k := g.r.IntN(16)
	if depth <= 0 && k >= 7 && k <= 11 {
		k = 0
	}
	switch k {
	case 0, 1:
		to, value := g.pick("v0", "v1", "v2", "v3", "v3.x", "v3[i32(v0)]", "*q", "*q", "p", "w[0]"), g.expr()
		if to == "v3" {
			value = "vec2f(" + value + ")"
		}
		w("%s = %s;", to, value)
	case 2:
		w("%s %s %s;", g.pick("v0", "v1", "v2", "*q"), g.pick("+=", "*="), g.expr())
	case 3:
		if g.kind == 0 {
			w("_ = %s;", g.must())
		} else if g.r.IntN(2) == 0 {
			w("workgroupBarrier();")
		} else {
			w("_ = %s;", g.must())
		}
	case 4:
		w("_ = %s;", g.expr())
	case 5:
		if g.loop > 0 || g.sw > 0 {
			w("if %s { break; }", g.cond())
		}
	case 6:
		if g.loop > 0 {
			w("if %s { continue; }", g.cond())
		} else if g.r.IntN(2) == 0 {
			w("if %s { return 1.0; }", g.cond())
		}
	case 7, 8:
		w("if %s {", g.cond())
		g.stmts(depth-1, ind+"  ")
		if g.r.IntN(2) == 0 {
			w("} else {")
			g.stmts(depth-1, ind+"  ")
		}
		w("}")
	case 9:
		g.n++
		w("for (var i%d = %s; i%d < %s; i%d += 1.0) {", g.n, g.val(), g.n, g.val(), g.n)
		g.loop++
		g.stmts(depth-1, ind+"  ")
		g.loop--
		w("}")
	case 10:
		if g.r.IntN(2) == 0 {
			w("while %s {", g.cond())
			g.loop++
			g.stmts(depth-1, ind+"  ")
			g.loop--
			w("}")
			return
		}
		w("loop {")
		g.loop++
		g.stmts(depth-1, ind+"  ")
		if g.r.IntN(2) == 0 {
			w("  if %s { break; }", g.cond())
		} else {
			l, s := g.loop, g.sw
			g.loop, g.sw = 0, 0
			w("  continuing {")
			w("    v1 = %s;", g.expr())
			w("    break if %s;", g.cond())
			w("  }")
			g.loop, g.sw = l, s
		}
		g.loop--
		w("}")
	case 11:
		w("switch i32(%s) {", g.val())
		g.sw++
		w("  case 1: {")
		g.stmts(depth-1, ind+"    ")
		w("  }")
		w("  case 2: { break; }")
		w("  default: {")
		g.stmts(depth-1, ind+"    ")
		w("  }")
		g.sw--
		w("}")
	case 12:
		if g.fn > 0 {
			w("_ = f%d(%s, &%s);", g.r.IntN(g.fn), g.expr(), g.pick("v0", "v1", "v2"))
		}
	case 13:
		if g.kind == 0 && g.r.IntN(2) == 0 {
			w("if %s { discard; }", g.cond())
		}
	case 14:
		g.n++
		w("let r%d = &%s;", g.n, g.pick("v0", "v1", "v2"))
		w("*r%d = %s;", g.n, g.expr())
	case 15:
		if g.r.IntN(3) == 0 && g.loop > 0 {
			w("%s;", g.pick("break", "continue"))
		} else {
			w("n++;")
		}
	}
}

func uniformProgram(seed uint64) string {
	g := &ugen{r: rand.New(rand.NewPCG(seed, 1)), kind: int(seed % 2)}
	g.b.WriteString("@group(0) @binding(0) var<uniform> u: f32;\n@group(0) @binding(1) var<storage, read_write> w: array<f32>;\n@group(0) @binding(2) var<storage> s: array<f32>;\nvar<private> p: f32;\n")
	if g.kind == 1 {
		g.b.WriteString("var<workgroup> wu: array<u32, 4>;\n")
	}
	nf := g.r.IntN(3)
	for f := 0; f <= nf; f++ {
		g.fn = f
		if f < nf {
			fmt.Fprintf(&g.b, "fn f%d(a: f32, q: ptr<function, f32>) -> f32 {\n", f)
		} else {
			fmt.Fprintf(&g.b, "fn body(a: f32, q: ptr<function, f32>) -> f32 {\n")
		}
		g.b.WriteString("  var v0 = u;\n  var v1 = 1.0;\n  var v2 = 2.0;\n  var v3 = vec2f();\n  var n = 0;\n")
		g.stmts(3, "  ")
		g.stmts(3, "  ")
		fmt.Fprintf(&g.b, "  return %s;\n}\n", g.expr())
	}
	if g.kind == 0 {
		fmt.Fprintf(&g.b, "@fragment fn main(@location(0) a: f32) -> @location(0) vec4f {\n  var x = %s;\n  let r = body(%s, &x);\n  if x > 0.5 { return vec4f(%s); }\n  return vec4f(r);\n}\n", g.pick("a", "u", "1.0"), g.pick("a", "u"), g.pick("dpdx(a)", "1.0"))
	} else {
		fmt.Fprintf(&g.b, "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) k: vec3u) {\n  let a = f32(%s);\n  var x = %s;\n  _ = body(a, &x);\n  if x > 0.5 { workgroupBarrier(); }\n}\n", g.pick("i", "k.x"), g.pick("a", "u", "1.0"))
	}
	return g.b.String()
}

// TestUniformityRandom compares the uniformity analysis with Tint's on random programs:
// the verdict, and the line of the first error.
func TestUniformityRandom(t *testing.T) {
	n := 100
	if *sweep {
		n = 5000
	}
	var cases []judge.Case
	for i := range n {
		cases = append(cases, judge.Case{ID: strconv.Itoa(i), Modules: []judge.Module{{Code: uniformProgram(uint64(i))}}})
	}
	accepted, refused, line := 0, 0, 0
	for i, r := range judge.Dawn(t, cases) {
		src, tint := cases[i].Modules[0].Code, tintError(r)
		if tint != nil && !strings.Contains(tint.Text, "uniform") {
			continue // a loop without an end
		}
		e := frontEnd(src)
		switch {
		case tint == nil:
			accepted++
			assert.Nilf(t, e, "refused, but Tint accepts:\n%s", src)
		case assert.NotNilf(t, e, "accepted, but Tint says: %v\n%s", tint, src):
			refused++
			if e.Line == tint.Line {
				line++
			}
		}
	}
	t.Logf("%d accepted, %d refused, %d of them on Tint's line", accepted, refused, line)
	assert.NotZero(t, accepted)
	assert.GreaterOrEqual(t, line*100, refused*97, "the first error is on Tint's line")
}

// tintError is the first error of a result, or nil.
func tintError(r judge.Result) *judge.Message {
	for i, m := range r.Messages {
		if m.Severity == "error" {
			return &r.Messages[i]
		}
	}
	return nil
}
