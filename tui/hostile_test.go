package tui

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/effect"
	"fxlens/core/session"
	"fxlens/views"
)

// hostile are strings that try to take the terminal over, move its cursor, hide or
// reorder text, or take all the room.
var hostile = []string{
	"\x1b[2J\x1b[H\x1b]0;owned\x07", "\x1b]52;c;AAAA\x07", "\u009b31m\u009d0;x\u009c", "a\rb\bc\x00d\x7f", "safe\u202eevil\u2066",
	"\u200b\u200d\ufeff", "e" + strings.Repeat("\u0301", 50), strings.Repeat("long", 25_000), "\xff\xfe\x80", "高さ" + strings.Repeat("幅", 80), "line\nbreak\ttab", "\U000E0041\U0001F468\u200d\U0001F469",
}

// hostileSession is the bundled effect with hostile text in every field that has text.
func hostileSession(t *testing.T, k int) *session.Session {
	t.Helper()
	e := openSession(t, "../testdata/effects/ui/sprite2d.sm_hi").Effect
	m, err := e.Model()
	require.NoError(t, err)
	n := 0
	text := func() string {
		n++
		s := hostile[(k+n)%len(hostile)]
		return strings.ReplaceAll(s, "\x00", "\x01") + string(rune('a'+n%26)) // names end at a zero byte, and must differ
	}
	for i := range m.Axes {
		m.Axes[i].Name, m.Axes[i].Description = text(), text()
		for o := range m.Axes[i].Options {
			m.Axes[i].Options[o] = text()
		}
	}
	for _, b := range m.Bodies {
		for i := range b.Techniques {
			b.Techniques[i].Name = text()
			for p := range b.Techniques[i].Passes {
				for s := range b.Techniques[i].Passes[p].Stages {
					st := &b.Techniques[i].Passes[p].Stages[s]
					for x := range st.Textures {
						st.Textures[x].Name = text()
					}
					for x := range st.Samplers {
						st.Samplers[x].Name = text()
					}
					for x := range st.Constants {
						st.Constants[x].Name = text()
					}
				}
			}
		}
	}
	data, err := effect.Build(m)
	require.NoError(t, err)
	s, err := session.Open("bad\x1b[31m\u202e.sm_hi", data, compile.Options{})
	require.NoError(t, err)
	return s
}

var sgrOnly = regexp.MustCompile("\x1b\\[[0-9;]*m")

// harmless checks that a frame has nothing but printable cells and colours.
func harmless(t *testing.T, frame string) {
	t.Helper()
	plain := sgrOnly.ReplaceAllString(frame, "")
	require.True(t, utf8.ValidString(plain))
	for _, r := range plain {
		if r != '\n' && (!unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Me)) {
			require.Failf(t, "not printable", "%U in the frame", r)
		}
	}
}

func TestHostileStringsStayHarmless(t *testing.T) {
	for k := range hostile {
		s := hostileSession(t, k)
		for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
			r := newRig(t, s, z[0], z[1])
			check := func() {
				t.Helper()
				r.exact()
				harmless(t, r.m.View())
			}
			check()
			for _, keys := range [][]string{
				{"a"}, {"j", "j"}, {"right"}, {"t"}, {"enter"}, {"1"}, {"G"}, {"2"}, {"3"}, {"g"}, {"4"}, {"5"}, {"6"}, {"7"}, {"w"}, {"z"}, {"z"},
				{"]"}, {"o"}, {"a"}, {"esc"}, {":"}, {"esc"}, {"?"}, {"esc"}, {"!"}, {"esc"}, {"r"}, {"esc"}, {"K"}, {"s"}, {"s"}, {"G"}, {"I"}, {"*"}, {"e"}, {"s"}, {"enter"}, {"esc"}, {"Y"}, {"/", "a"}, {"enter"}, {"n"},
			} {
				r.keys(keys...)
				check()
			}
			// What is pasted into a prompt is hostile too.
			r.keys("/")
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(hostile[k])})
			check()
			r.keys("esc", "e")
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(hostile[k])})
			check()
		}
	}
}

func TestCanvas(t *testing.T) {
	var c canvas
	put := func(x, y, w, skip int, texts ...string) {
		var spans []views.Span
		for _, s := range texts {
			spans = append(spans, views.Span{Text: s})
		}
		c.put(x, y, w, spans, skip, views.Span{})
	}
	row := func(y int) string {
		s := ""
		for _, sp := range c.rows[y] {
			s += sp.Text
		}
		return s
	}
	c.reset(10, 8)
	put(0, 0, 10, 0, "abc", "def")
	assert.Equal(t, "abcdef    ", row(0), "padded")
	put(2, 0, 3, 0, "XYZW")
	assert.Equal(t, "abXYZf    ", row(0), "covered and cut")
	put(4, 1, 3, 0, "q")
	assert.Equal(t, "    q  ", row(1), "a gap before")
	put(0, 2, 4, 2, "abcdef")
	assert.Equal(t, "cdef", row(2), "the beginning scrolled away")
	put(0, 3, 4, 1, "高さx")
	assert.Equal(t, " さx", row(3), "half a wide character becomes a blank")
	put(0, 4, 3, 0, "高さ")
	assert.Equal(t, "高 ", row(4), "a wide character that does not fit")
	put(0, 5, 6, 0, "高さ幅")
	put(1, 5, 2, 0, "ab")
	assert.Equal(t, " ab 幅", row(5), "covering halves of wide characters")
	put(8, 6, 9, 0, "overlong")
	assert.Equal(t, "        ov", row(6))
	put(-1, 0, 5, 0, "x")
	put(0, -1, 5, 0, "x")
	put(0, 99, 5, 0, "x")
	put(99, 0, 5, 0, "x")
	put(0, 7, 5, 0, "a\x1b[31mb")
	assert.Equal(t, `a\x1b`, row(7), "made safe where it becomes cells")
}

func FuzzCanvas(f *testing.F) {
	f.Add("abc", "高さ", 1, 3, 2)
	f.Add("\x1b[2J", "\u0301", 0, 9, 1)
	f.Fuzz(func(t *testing.T, a, b string, x, w, skip int) {
		var c canvas
		c.reset(12, 1)
		c.put(0, 0, 12, []views.Span{{Text: a}}, 0, views.Span{})
		c.put(x%12, 0, w%13, []views.Span{{Text: b}}, max(skip%20, 0), views.Span{})
		n := 0
		for _, s := range c.rows[0] {
			n += views.Width(s.Text)
		}
		if n != 12 || c.width[0] != 12 {
			t.Fatalf("%d cells, said %d, of 12: %+v", n, c.width[0], c.rows[0])
		}
	})
}
