package lexers_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/themes/gen/codes"
	"fxlens/themes/lexers"
	"fxlens/views"
)

var names = []string{lexers.WGSL, lexers.HLSL, lexers.JSON, lexers.TOML, lexers.DXBC, lexers.SSA}

// read colours a text in pieces of n bytes.
func read(t testing.TB, name, text string, n int) []views.Line {
	t.Helper()
	l := lexers.Get(name)
	require.NotNil(t, l, name)
	r, err := lexers.NewReader(l, text)
	require.NoError(t, err)
	var out []views.Line
	for range len(text) + 2 {
		lines, more := r.Next(n)
		out = append(out, lines...)
		if !more {
			at, of := r.Read()
			assert.Equal(t, len(text), of)
			assert.Equal(t, of, at)
			return out
		}
	}
	require.Fail(t, "the reader does not end")
	return nil
}

func textOf(lines []views.Line) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(lines[i].Text() + "\n")
	}
	return b.String()
}

// roleAt is the role of the first place where word stands.
func roleAt(t *testing.T, lines []views.Line, word string) views.Role {
	t.Helper()
	for _, l := range lines {
		for _, s := range l.Spans {
			if strings.Contains(s.Text, word) {
				return s.Role
			}
		}
	}
	require.Fail(t, "not in one span", "%q in %q", word, textOf(lines))
	return 0
}

func TestRoles(t *testing.T) {
	k, ty, fn, lit, att, com, mem, op, name := views.RoleKeyword, views.RoleType, views.RoleFunction, views.RoleLiteral,
		views.RoleAttribute, views.RoleComment, views.RoleMember, views.RoleOperator, views.RoleCode
	for _, c := range []struct {
		lexer, text string
		want        map[string]views.Role
	}{
		{lexers.WGSL, "/* a /* nested */ b */ @fragment fn main(v: vec4<f32>) -> f32 { let q = max(v.xy, 0x1p-3f); } // end",
			map[string]views.Role{"nested": com, " b */": com, "@fragment": att, "fn": k, "main": fn, "vec4": ty, "->": op, "max": fn, "xy": mem, "0x1p-3f": lit, "// end": com}},
		{lexers.HLSL, "#define A \\\n 1\n/* c */ cbuffer P : register(b0) { float4x4 world; }\nTexture2D<float4> tex;\nfloat4 PS(float2 uv : TEXCOORD0) : SV_Target { return tex.Sample(s, uv).xyz * 1.5f; } // \"",
			map[string]views.Role{"#define A \\": att, " 1": att, "/* c */": com, "cbuffer": k, "float4x4": ty, "world": name, "Texture2D": ty, "PS": fn, "TEXCOORD0": att, "SV_Target": att, "return": k, "Sample": fn, "xyz": mem, "1.5f": lit, "// \"": com}},
		{lexers.JSON, `{"key" : ["text \" more", -1.5e3, true]}`,
			map[string]views.Role{`"key"`: mem, `text \" more`: lit, "-1.5e3": lit, "true": lit, "[": views.RolePunct}},
		{lexers.TOML, "# note\n[table.sub]\nkey.a = \"x # y\" # z\nd = 1979-05-27\nt = '''a\nb'''\n\"q\" = [0x1F, true]\n",
			map[string]views.Role{"# note": com, "[table.sub]": k, "key.a": mem, `"x # y"`: lit, "# z": com, "1979-05-27": lit, "b'''": lit, `"q"`: mem, "0x1F": lit, "true": lit, "=": op}},
	} {
		t.Run(c.lexer, func(t *testing.T) {
			lines := read(t, c.lexer, c.text, math.MaxInt)
			assert.Equal(t, strings.TrimSuffix(c.text, "\n")+"\n", textOf(lines))
			for word, want := range c.want {
				assert.Equal(t, want.String(), roleAt(t, lines, word).String(), "%q", word)
			}
		})
	}
}

// Every type of token that a theme takes a code role from gives that role back, as far
// as roles do not share one type.
func TestRolesAndThemes(t *testing.T) {
	shared := map[views.Role]bool{views.RoleValue: true, views.RoleRegister: true}
	for i, tt := range codes.Types {
		if want := views.RoleCode + views.Role(i); !shared[want] {
			assert.Equal(t, want.String(), lexers.RoleOf(tt).String())
		}
	}
	// A style that says nothing of those two colours them as it does variables.
	for _, tt := range []chroma.TokenType{chroma.NameVariableClass, chroma.NameVariableAnonymous} {
		assert.Equal(t, chroma.NameVariable.SubCategory(), tt.SubCategory())
	}
}

var hostile = map[string]string{
	"empty": "", "line end": "\n", "no line end": "a", "CRLF": "a = 1\r\n\r\nb\r\n", "CR": "\r", "CRs": "a\r\rb\r\r", "not UTF-8": "\xff\xfe{\x80\"\xc3(\n\xe2\x82", "control": "\x00\x1b[31m\x07\n",
	"open string": "\"abc\n'x\n\"\\", "open comment": "/* /* a\n * b", "quotes": strings.Repeat("\"", 3001), "backslashes": "\"" + strings.Repeat("\\", 4001),
	"one line": strings.Repeat("a", 4000), "brackets": strings.Repeat("[[", 2000), "dollars": strings.Repeat("$", 2000), "spaces": strings.Repeat(" ", 4000) + "(",
	"nested": strings.Repeat("/*", 2000), "directive": "#" + strings.Repeat("\\\n", 2000), "wide": "日本語 = \"語\" // é\n", "dots": strings.Repeat("a.", 2000), "ticks": strings.Repeat("'''", 1001),
}

// lines are a text's lines, without their ends, each with a line end behind it.
func lines(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r") + "\n")
	}
	return b.String()
}

// Whatever the text and however it is cut, the lines are those of the text.
func TestAnyText(t *testing.T) {
	for _, name := range names {
		for what, text := range hostile {
			whole := read(t, name, text, math.MaxInt)
			require.Equal(t, lines(text), textOf(whole), "%s: %s", name, what)
			assert.Equal(t, whole, read(t, name, text, 7), "%s: %s in pieces", name, what)
		}
	}
}

func TestCap(t *testing.T) {
	line := "let é = 1;\n"
	text := strings.Repeat(line, lexers.MaxText/len(line)+100)
	lines := read(t, lexers.WGSL, text, 1<<16)
	require.Equal(t, strings.Count(text, "\n"), len(lines))
	assert.Equal(t, views.RoleKeyword, lines[0].Spans[0].Role)
	k := lexers.MaxText / len(line)
	assert.Equal(t, views.RoleKeyword, lines[k-1].Spans[0].Role, "the last line that fits")
	assert.Equal(t, []views.Span{{Role: views.RoleCode, Text: "let é = 1;"}}, lines[k].Spans, "beyond the cap")
	assert.Equal(t, text, textOf(lines))
}

func FuzzAnyText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		for _, name := range names {
			assert.Equal(t, lines(text), textOf(read(t, name, text, n)), name)
		}
	})
}

// agree counts the bytes of visible text that two colourings of it give the same role.
func agree(t *testing.T, a, b []views.Line) (same, all int, differs map[string]int) {
	t.Helper()
	require.Len(t, b, len(a))
	differs = make(map[string]int)
	flat := func(l views.Line) (roles []views.Role) {
		for _, s := range l.Spans {
			for range len(s.Text) {
				roles = append(roles, s.Role)
			}
		}
		return roles
	}
	for i := range a {
		text := a[i].Text()
		require.Equal(t, text, b[i].Text())
		x, y := flat(a[i]), flat(b[i])
		for k := range x {
			if text[k] == ' ' {
				continue
			}
			all++
			if x[k] == y[k] {
				same++
			} else {
				differs[text+": "+x[k].String()+" "+y[k].String()]++
			}
		}
	}
	return same, all, differs
}

// The lexers of our own listings colour them as their panes do.
func TestAsThePanes(t *testing.T) {
	file := func(name string) []byte {
		b, err := os.ReadFile("../../views/testdata/" + name)
		require.NoError(t, err)
		return b
	}
	whole := views.Window{Rows: math.MaxInt32, Cols: 200}
	for _, name := range []string{"sprite.ps.dxbc", "sprite.vs.dxbc"} {
		sh, err := dxbc.Open(file(name))
		require.NoError(t, err)
		pane := views.NewDXBC(sh.Program, nil).Lines(whole, nil)
		same, all, differs := agree(t, pane, read(t, lexers.DXBC, textOf(pane), math.MaxInt))
		// The pane gives the colour of a register to the constant buffers of declarations,
		// whose letters are capital there; the lexer reads every one as a resource.
		for d := range differs {
			if strings.HasPrefix(d, "dcl_constantbuffer CB") && strings.HasSuffix(d, ": register resource") {
				same += differs[d]
			}
		}
		assert.Equal(t, all, same, "%v", differs)
		assert.Greater(t, all, 200)
	}
	f, err := ir.Parse(string(file("sprite.ssa")))
	require.NoError(t, err)
	pane := views.NewSSA(f, nil).Lines(whole, nil)
	same, all, differs := agree(t, pane, read(t, lexers.SSA, textOf(pane), math.MaxInt))
	assert.Equal(t, all, same, "%v", differs)
	code := string(file("sprite.wgsl"))
	own := views.NewWGSL(&wgsl.Module{Code: code, Tokens: wgsl.Tokenize(code)}).Lines(whole, nil)
	same, all, differs = agree(t, own, read(t, lexers.WGSL, code, math.MaxInt))
	assert.Greater(t, same*100, all*60, "%v", differs) // chroma does not know which name is a resource
}

func BenchmarkReader(b *testing.B) {
	code, err := os.ReadFile("../../views/testdata/sprite.wgsl")
	require.NoError(b, err)
	text := strings.Repeat(string(code), 100_000/len(code)+1)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		read(b, lexers.WGSL, text, 1<<16)
	}
}
