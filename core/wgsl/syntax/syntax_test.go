package syntax_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/wgsl/syntax"
)

func TestEmittedModules(t *testing.T) {
	files, err := filepath.Glob("../testdata/golden/*.wgsl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		f, errs := syntax.Parse(string(src))
		require.Empty(t, errs, name)
		n, errs := syntax.Resolve(f, nil)
		require.Empty(t, errs, name)
		assert.NotEmpty(t, n.Module, name)
	}
}

func TestSyntax(t *testing.T) {
	for _, c := range []struct{ name, src, err string }{
		{"empty", "", ""},
		{"template or comparison", "fn f(a: i32, b: i32) -> bool { return a < b || (b > (a)); }", ""},
		{"nested lists", "var<private> a: array<vec2<f32>, 4>; fn f() { let x = array<array<i32, 2>, (4 >> 1)>(); }", ""},
		{"shift is no list", "fn f(a: u32) -> u32 { return a << 2u; } fn g(a: i32) -> bool { return a <= 2; }", ""},
		{"greater or equal closes no list", "const a = 1; fn f() { let x: vec2<f32>= vec2<f32>(1); }", ""},
		{"loop", "fn f() { var i = 0; loop { if i > 3 { break; } continuing { i++; break if i == 7; } } }", ""},
		{"for", "fn f() { for (var i = 0u; i < 4; i += 1u) { continue; } for (;;) { break; } }", ""},
		{"switch", "fn f(x: u32) { switch x { case 1, 2u, default: { } case 3 { return; } } }", ""},
		{"pointers", "fn f(p: ptr<function, vec4f>) { (*p).x = 1; *p = vec4f(); let q = &*p; _ = q; }", ""},
		{"attributes", "@group(0) @binding(1) var<storage, read_write> a: array<u32>; @compute @workgroup_size(8, 4) fn f(@builtin(global_invocation_id) id: vec3u) {}", ""},
		{"directives", "enable f16; requires readonly_and_readwrite_storage_textures; diagnostic(off, derivative_uniformity); const a = 1h;", ""},
		{"comments", "/* a /* nested */ */ const a = 1; // to the end\n", ""},
		{"numbers", "const a = 0x1p3f + 1e-3 + .5 + 1. + 0xFu - 12i;", ""},
		{"mixing", "fn f(a: bool) -> bool { return a && a || a; }", `1:34: error: mixing "&&" and "||" requires parenthesis`},
		{"mixing bits", "fn f(a: u32) -> u32 { return a & a | a; }", `1:32: error: mixing "&" and "|" requires parenthesis`},
		{"chained comparison", "fn f(a: i32) -> bool { return a < a < a; }", `1:33: error: mixing "<" and "<" requires parenthesis`},
		{"no semicolon", "const a = 1\nconst b = 2;", `2:1: error: expected ";" after the declaration, got keyword "const"`},
		{"module let", "let a = 1;", `1:1: error: module-scope 'let' is invalid, use 'const'`},
		{"reserved", "const class = 1;", `1:7: error: "class" is a reserved keyword`},
		{"unresolved", "fn f() -> f32 { return nothing; }", `1:24: error: unresolved value "nothing"`},
		{"unresolved call", "fn f() { nothing(); }", `1:10: error: unresolved call target "nothing"`},
		{"unresolved type", "var<private> a: Nothing;", `1:17: error: unresolved type "Nothing"`},
		{"redeclared", "const a = 1; const a = 2;", `1:20: error: redeclaration of "a"; it is declared at 1:7 already`},
		{"shadowing", "const a = 1; fn f(a: f32) -> f32 { { let a = a; _ = a; } return a; }", ""},
		{"parameter and body", "fn f(a: f32) { let a = 1; }", `1:20: error: redeclaration of "a"; it is declared at 1:6 already`},
		{"recursion", "fn f() { g(); } fn g() { f(); }", `1:1: error: cyclic dependency found: 'f' -> 'g' -> 'f', by the use at 1:26`},
		{"later", "fn f() -> f32 { return a; } const a = 1.0;", ""},
		{"no end", "fn f() {", `1:9: error: expected "}" for the function's body, got the end of the source`},
		{"goes on", "fn f() { let = 1; }\nconst a = ;\nfn g() {}", "1:14: error: expected an identifier for the \"let\" declaration, got \"=\"\n2:11: error: expected an expression, got \";\""},
		{"comment without end", "const a = 1; /* what", `1:14: error: unterminated block comment`},
		{"column counts characters", "const é = 1; const b = ß;", `1:24: error: unresolved value "ß"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, errs := syntax.Parse(c.src)
			if len(errs) == 0 {
				_, errs = syntax.Resolve(f, nil)
			}
			assert.Equal(t, c.err, errs.Error())
		})
	}
}

func TestDepthIsBounded(t *testing.T) {
	for _, src := range []string{
		"const a = " + strings.Repeat("(", 100_000),
		"const a = " + strings.Repeat("-", 100_000),
		"fn f() " + strings.Repeat("{", 100_000),
		"const a = a" + strings.Repeat("[a", 100_000),
		"var a: a" + strings.Repeat("<a", 100_000),
		"fn f() { " + strings.Repeat("if true {} else ", 100_000) + "{} }",
	} {
		_, errs := syntax.Parse(src)
		assert.NotEmpty(t, errs, src[:20])
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("../testdata/golden/*.wgsl")
	for _, name := range files {
		b, _ := os.ReadFile(name)
		f.Add(string(b))
	}
	f.Add("fn f(a: i32) -> bool { return a < a && vec2<f32>(1)[0] > 2; }")
	f.Fuzz(func(t *testing.T, src string) {
		file, errs := syntax.Parse(src)
		for _, e := range errs {
			assert.True(t, e.Pos >= 0 && e.Pos <= e.End && e.End <= len(src), "%v", e)
		}
		if len(errs) == 0 {
			_, _ = syntax.Resolve(file, nil)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("../testdata/golden/" + largest(b))
	require.NoError(b, err)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		f, _ := syntax.Parse(string(src))
		_, _ = syntax.Resolve(f, nil)
	}
}

func largest(b *testing.B) string {
	ents, err := os.ReadDir("../testdata/golden")
	require.NoError(b, err)
	name, size := "", int64(0)
	for _, e := range ents {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".wgsl") && info.Size() > size {
			name, size = e.Name(), info.Size()
		}
	}
	return name
}

// The tree has what the source says, token for token.
func TestTree(t *testing.T) {
	f, errs := syntax.Parse("const side = 8; @fragment fn fs(@location(0) a: vec2<f32>) -> @location(1) f32 { if !(a.x < -1.5) { return a[0]; } return f32(side) + 2.0 * 3.0; }")
	require.Empty(t, errs)
	var got []string
	syntax.Walk(f, func(e syntax.Expr) bool {
		s := ""
		switch e := e.(type) {
		case *syntax.Literal:
			s = "literal " + e.Text
		case *syntax.Ident:
			s = "name " + e.Name
		case *syntax.Unary:
			s = "unary " + e.Op
		case *syntax.Binary:
			s = "binary " + e.Op
		case *syntax.Select:
			s = "member " + e.Name.Text
		case *syntax.Index:
			s = "index"
		case *syntax.Call:
			s = "call"
		case *syntax.Paren:
			s = "paren"
		}
		got = append(got, s+" "+f.Source[e.Range().Pos:e.Range().End])
		return true
	})
	assert.Equal(t, []string{
		"literal 8 8", "literal 0 0", "name vec2 vec2<f32>", "name f32 f32", "literal 1 1", "name f32 f32",
		"unary ! !(a.x < -1.5)", "paren (a.x < -1.5)", "binary < a.x < -1.5", "member x a.x", "name a a", "unary - -1.5", "literal 1.5 1.5",
		"index a[0]", "name a a", "literal 0 0",
		"binary + f32(side) + 2.0 * 3.0", "call f32(side)", "name f32 f32", "name side side", "binary * 2.0 * 3.0", "literal 2.0 2.0", "literal 3.0 3.0",
	}, got)
}
