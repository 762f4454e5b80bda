package views_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/views"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "SpecularMap", "SpecularMap"},
		{"letters of other scripts", "Größe 高さ", "Größe 高さ"},
		{"escape", "\x1b[2Jgone", `\x1b[2Jgone`},
		{"C1 control", "a\u009b31mb", `a\u009b31mb`},
		{"carriage return and backspace", "a\rb\bc\x00", `a\rb\bc\x00`},
		{"bidi override", "safe\u202eevil", `safe\u202eevil`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"combining marks", "e\u0301\u0301\u0301", `e\u0301\u0301\u0301`},
		{"variation selector", "x\ufe0f", `x\ufe0f`},
		{"tab and newline", "a\tb\nc", `a\tb\nc`},
		{"invalid UTF-8", "a\xff\xfeb", `a\xff\xfeb`},
		{"backslash of its own", `a\x1b`, `a\x1b`},
		{"tag characters", "a\U000E0041", `a\U000e0041`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := views.Text(c.in)
			assert.Equal(t, c.want, got)
			assert.Equal(t, got, views.Text(got), "a second time changes nothing")
		})
	}
}

// Whatever goes in, what comes out has no control characters and every rune a width.
func FuzzText(f *testing.F) {
	f.Add("a\x1b]52;c;AAAA\x07")
	f.Add("\u202e\u0301\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{views.Text(s), views.Clip(s, 10)} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q is no UTF-8", out)
			}
			for _, r := range out {
				if !unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Me) {
					t.Fatalf("%q has %U", out, r)
				}
			}
		}
		if w := views.Width(views.Clip(s, 10)); w > 10 {
			t.Fatalf("%q takes %d cells", views.Clip(s, 10), w)
		}
	})
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"高さです", 5, "高さ…"}, {"高さです", 4, "高…"},
		{strings.Repeat("x", 100_000), 4, "xxx…"}, {"", 4, ""},
	} {
		assert.Equal(t, c.want, views.Clip(c.in, c.n))
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in         string
		n          int
		head, tail string
	}{{"abc", 2, "ab", "c"}, {"高さ", 3, "高", "さ"}, {"高さ", 1, "", "高さ"}, {"abc", 9, "abc", ""}, {"abc", 0, "", "abc"}} {
		h, tl := views.Cut(c.in, c.n)
		assert.Equal(t, [2]string{c.head, c.tail}, [2]string{h, tl}, "%q at %d", c.in, c.n)
	}
}

func TestWrap(t *testing.T) {
	l := views.Line{Gutter: "12", Mark: views.MarkCursor, Spans: []views.Span{{Role: views.RoleKeyword, Text: "abcdef"}, {Text: "ghijkl"}}}
	rows := views.Wrap(l, 6, 2)
	var got []string
	for _, r := range rows {
		got = append(got, r.Text())
		assert.LessOrEqual(t, r.Width(), 6)
	}
	assert.Equal(t, []string{"abcdef", "  ghij", "  kl"}, got)
	assert.Equal(t, "12", rows[0].Gutter)
	assert.Equal(t, "  ", rows[1].Gutter)
	assert.NotZero(t, rows[1].Mark&views.MarkMore)
	assert.Zero(t, rows[1].Mark&views.MarkCursor)
	assert.Equal(t, views.RoleKeyword, rows[0].Spans[0].Role)
}

func TestWrapWords(t *testing.T) {
	l := views.Line{Spans: []views.Span{{Text: "rule  "}, {Text: "a typed buffer has no format of its own"}}}
	var got []string
	for _, r := range views.WrapWords(l, 20, 6) {
		got = append(got, r.Text())
		assert.LessOrEqual(t, r.Width(), 20)
	}
	assert.Equal(t, []string{"rule  a typed buffer", "      has no format ", "      of its own"}, got)
	for _, r := range views.WrapWords(views.Line{Spans: []views.Span{{Text: strings.Repeat("x", 50)}}}, 20, 6) {
		assert.LessOrEqual(t, r.Width(), 20, "a word longer than a row")
	}
}

func TestMarkHits(t *testing.T) {
	lines := []views.Line{{Spans: []views.Span{{Role: views.RoleOpcode, Text: "mul_sat"}, {Text: " r0, MUL"}}}}
	views.MarkHits(lines, "mul", 0, 0)
	var got []string
	for _, s := range lines[0].Spans {
		got = append(got, s.Emph.String()+":"+s.Text)
	}
	assert.Equal(t, []string{"hit-on:mul", "none:_sat", "none: r0, ", "hit-on:MUL"}, got)
	assert.Equal(t, 5, views.Index("abcdeFg", "F"))
	assert.Equal(t, -1, views.Index("abcdefg", "F"), "a capital makes it exact")
	assert.Equal(t, -1, views.Index("ab", "abc"))
}

// TestWidthAdds: what Text lets through is as wide beside anything as alone, so that a
// row is as wide as its spans together.
func TestWidthAdds(t *testing.T) {
	beside := []string{"a", "한", "가", "क", "👨", "é", "高"}
	for _, b := range beside {
		require.Equal(t, b, views.Text(b))
	}
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		s := string(r)
		if !utf8.ValidRune(r) || views.Text(s) != s {
			continue
		}
		w := views.Width(s)
		require.Positive(t, w, "%U", r)
		require.Equal(t, 2*w, views.Width(s+s), "%U twice", r)
		for _, b := range beside {
			require.Equal(t, views.Width(b)+w, views.Width(b+s), "%U behind %q", r, b)
			require.Equal(t, views.Width(b)+w, views.Width(s+b), "%U before %q", r, b)
		}
	}
}
