package themes

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/styles"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/themes/gen/codes"
	"fxlens/views"
)

func eachPair(t *testing.T, th *Theme, f func(r views.Role, e views.Emph, s Style)) {
	t.Helper()
	for r := views.Role(0); r < views.NumRoles; r++ {
		for e := views.Emph(0); e < views.NumEmphs; e++ {
			f(r, e, th.Style(r, e))
		}
	}
}

func TestEmbeddedThemes(t *testing.T) {
	names := Names()
	require.Equal(t, []string{"dark", "colorblind", "contrast", "light", "mono"}, names)
	for _, n := range names {
		t.Run(n, func(t *testing.T) {
			th, err := Load(n)
			require.NoError(t, err)
			assert.Equal(t, n, th.Name)
			eachPair(t, th, func(r views.Role, e views.Emph, s Style) {
				if n == "mono" {
					assert.Nil(t, s.FG, "%v under %v", r, e)
					assert.Nil(t, s.BG, "%v under %v", r, e)
					return
				}
				bg := th.Background
				if s.BG != nil {
					bg = *s.BG
				}
				fg := RGB{255, 255, 255}
				if th.Light {
					fg = RGB{}
				}
				if s.FG != nil {
					fg = *s.FG
				}
				assert.GreaterOrEqual(t, Contrast(fg, bg), MinContrast, "%v under %v: %v on %v", r, e, fg, bg)
			})
		})
	}
}

// The roles that a theme sets itself must be readable as written; only chroma's colours
// and those under an emphasis may need help.
func TestUIRolesNeedNoHelp(t *testing.T) {
	for _, n := range Names() {
		th, err := Load(n)
		require.NoError(t, err)
		for r := views.Role(0); r < views.RoleCode; r++ {
			s := th.roles[r]
			if s.FG == nil {
				continue
			}
			bg := th.Background
			if s.BG != nil {
				bg = *s.BG
			}
			assert.GreaterOrEqual(t, Contrast(*s.FG, bg), MinContrast, "%s: %v", n, r)
		}
	}
}

// In monochrome, attributes tell apart what must be told apart without its mark.
func TestMonoTellsApart(t *testing.T) {
	th, err := Load("mono")
	require.NoError(t, err)
	plain := th.Style(views.RoleCode, views.EmphCursor)
	for _, e := range []views.Emph{views.EmphTied, views.EmphOccur, views.EmphHit, views.EmphToken, views.EmphHitOn} {
		assert.NotEqual(t, plain.Attr, th.Style(views.RoleCode, e).Attr, "%v", e)
	}
	assert.NotEqual(t, th.Style(views.RolePane, 0).Attr, th.Style(views.RolePaneOn, 0).Attr)
}

// Any chroma style works with any theme: every code role ends up readable.
func TestEveryChromaStyle(t *testing.T) {
	src, err := os.ReadFile("light.toml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(ChromaStyles()), 70)
	for _, n := range ChromaStyles() {
		th, err := Parse("t.toml", []byte(strings.Replace(string(src), `"github"`, `"`+n+`"`, 1)))
		require.NoError(t, err, n)
		eachPair(t, th, func(r views.Role, e views.Emph, s Style) {
			if s.FG == nil {
				return
			}
			bg := th.Background
			if s.BG != nil {
				bg = *s.BG
			}
			if c := Contrast(*s.FG, bg); c < MinContrast {
				t.Errorf("%s: %v under %v: contrast %.2f", n, r, e, c)
			}
		})
	}
}

// The generated table is what chroma says; run go generate where this fails.
func TestCodeStylesAreCurrent(t *testing.T) {
	require.Len(t, codeStyles, len(styles.Names()))
	for _, n := range styles.Names() {
		assert.Equal(t, codes.Of(styles.Get(n)), codeStyles[n], n)
	}
}

func TestParseErrors(t *testing.T) {
	src, err := os.ReadFile("dark.toml")
	require.NoError(t, err)
	dark := string(src)
	cases := []struct{ name, from, to, want string }{
		{"unknown role", "dim = ", "dimm = ", "t.toml:11:1: unknown key \"roles.dimm\""},
		{"unknown emphasis", "idle = ", "lazy = ", "unknown key \"emphasis.lazy\""},
		{"unknown key", "light = false", "lite = false", "t.toml:5:1: unknown key \"lite\""},
		{"missing role", "link = ", "# link = ", "role \"link\" is not set"},
		{"missing emphasis", "hit-on = ", "# hit-on = ", "emphasis \"hit-on\" is not set"},
		{"bad colour", `"#9098a6"`, `"#9098g6"`, "is neither a colour"},
		{"bad attribute", `bold"`, `blink"`, `"blink" is neither`},
		{"bad background", `background = "#15171c"`, `background = "black"`, "background: colour"},
		{"unknown style", `"onedark"`, `"nope"`, `unknown chroma style "nope"`},
		{"no name", `name = "dark"`, ``, "name is not set"},
		{"syntax", `title = "Dark"`, `title = Dark`, "t.toml:4:"},
		{"wrong type", `light = false`, `light = 3`, "t.toml:5:"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, dark, c.from)
			_, err := Parse("t.toml", []byte(strings.Replace(dark, c.from, c.to, 1)))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestStyleErrorsHaveAPosition(t *testing.T) {
	src, err := os.ReadFile("dark.toml")
	require.NoError(t, err)
	_, err = Parse("t.toml", []byte(strings.Replace(string(src), `"#9098a6"`, `"#zzz"`, 1)))
	require.Error(t, err)
	assert.Regexp(t, `^t\.toml:\d+:\d+: `, err.Error())
}

func TestLoadUnknown(t *testing.T) {
	_, err := Load("nope")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "dark, colorblind, contrast, light, mono")
}

func TestContrast(t *testing.T) {
	assert.InDelta(t, 21, Contrast(RGB{}, RGB{255, 255, 255}), 0.01)
	assert.InDelta(t, 1, Contrast(RGB{9, 9, 9}, RGB{9, 9, 9}), 0.01)
	assert.InDelta(t, 4.54, Contrast(RGB{0x76, 0x76, 0x76}, RGB{255, 255, 255}), 0.01)
}

func FuzzParse(f *testing.F) {
	for _, n := range Names() {
		src, err := os.ReadFile(n + ".toml")
		require.NoError(f, err)
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		th, err := Parse("f.toml", b)
		if (th == nil) == (err == nil) {
			t.Fatalf("theme %v, error %v", th, err)
		}
	})
}
