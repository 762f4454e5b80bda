package views_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/views"
)

func openGolden(t testing.TB, name string) *dxbc.Shader {
	t.Helper()
	b, err := os.ReadFile("../testdata/dxbc/golden/" + name + ".dxbc")
	require.NoError(t, err)
	sh, err := dxbc.Open(b)
	require.NoError(t, err)
	return sh
}

// constantsOfSprite is what an effect keeps of a buffer with a gap in it.
func constantsOfSprite() *effect.Stage {
	return &effect.Stage{Type: effect.Pixel, StageData: effect.StageData{
		Constants: []effect.Constant{
			{Name: "Tints", Offset: 32, Size: 28, Type: effect.ConstFloat, Dimension: 7, Elements: 2},
			{Name: "Fade", Offset: 0, Size: 4, Type: effect.ConstFloat, Dimension: 1},
			{Name: "Cell", Offset: 8, Size: 8, Type: effect.ConstInt, Dimension: 2},
			{Name: "Turn\x1b[31m", Offset: 64, Size: 64, Type: effect.ConstFloat, Dimension: 16},
		},
		Defaults: []byte{0, 0, 0x20, 0x40, 0, 0, 0, 0, 1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff},
		Textures: []effect.Texture{{Register: 0, Name: "Sprite", Type: effect.ResTexture2D}},
		Samplers: []effect.Sampler{{Register: 0, Name: "SpriteSampler"}},
	}}
}

// stripped is a shader without its reflection and statistics.
func stripped(sh *dxbc.Shader) *dxbc.Shader {
	c := *sh
	c.RDEF, c.Stat = nil, nil
	return &c
}

func TestGoldenTables(t *testing.T) {
	s := load(t)
	types, od := openGolden(t, "cbtypes_ps50"), stripped(s.shader)
	d := views.NewDXBC(s.shader.Program, s.diags)
	odd := *types
	stat := *types.Stat
	stat.Temps, stat.TexNormal, stat.TexLoad = stat.Temps+3, stat.TexNormal+1, stat.TexLoad+7
	odd.Stat = &stat
	at := s.links().Select(d.Focus(d.Row(35), 3))
	off, words := views.NewTokens(d, false), views.NewTokens(d, true)
	on := func(v *views.Tokens) *views.Selection { return at.At(v.Row(d.Row(35)), 3, true) }
	for _, c := range []struct {
		name string
		l    views.Listing
		sel  *views.Selection
	}{
		{"constants", views.Constants(types, nil), (&views.Selection{}).At(8, 0, true)},
		{"constants-stripped", views.Constants(od, nil), nil},
		{"constants-effect", views.Constants(od, constantsOfSprite()), nil},
		{"stat", views.Stat(types), nil},
		{"stat-differs", views.Stat(&odd), (&views.Selection{}).At(3, 0, true)},
		{"stat-stripped", views.Stat(od), nil},
		{"stat-sm4", views.Stat(openGolden(t, "cbtypes_ps40")), nil},
		{"offsets", off, on(off)},
		{"words", words, on(words)},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z.w, z.h), func(t *testing.T) {
				first := 0
				if c.sel != nil {
					first = max(min(c.sel.Line-z.h/2, c.l.Len()-z.h), 0)
				}
				golden.RequireEqual(t, []byte(text(c.l.Lines(views.Window{First: first, Rows: z.h, Cols: z.w - 8}, c.sel), z.w)))
			})
		}
		t.Run(c.name+"-roles", func(t *testing.T) {
			golden.RequireEqual(t, []byte(roles(c.l.Lines(views.Window{First: 0, Rows: 60, Cols: 72}, c.sel))))
		})
	}
}

// Every word of the program is shown once, in its place, and in no other line.
func TestTokensAreTheProgram(t *testing.T) {
	for _, name := range []string{"cbtypes_ps50", "abort_ps50"} {
		p := openGolden(t, name).Program
		d := views.NewDXBC(p, nil)
		v := views.NewTokens(d, true)
		var got []string
		lines := 0
		for i := range v.Len() {
			s := v.Text(i)
			assert.Equal(t, s, v.Lines(views.Window{First: i, Rows: 1}, nil)[0].Text(), "what is shown is what is copied")
			raw, isRaw := strings.CutPrefix(s, "    │ ")
			if !isRaw {
				assert.Equal(t, d.Text(lines), s)
				assert.Equal(t, i, v.Row(lines))
				lines++
				continue
			}
			assert.Equal(t, lines-1, v.Bare(i))
			assert.Zero(t, v.Tokens(i))
			got = append(got, strings.Fields(raw)...)
		}
		assert.Equal(t, d.Len(), lines)
		var want []string
		for _, w := range p.Words {
			want = append(want, fmt.Sprintf("%08x", w))
		}
		assert.Equal(t, want, got, name)
		for _, n := range []int{-1, v.Len(), 1 << 30} {
			f := v.Focus(n, 1)
			assert.True(t, f.Empty())
			assert.Empty(t, v.Text(n))
			assert.Equal(t, -1, v.Bare(n))
			assert.Equal(t, -1, v.Row(n))
		}
	}
}

// The offsets are those that the compiler's own disassembler counts.
func TestTokensOffsets(t *testing.T) {
	p := openGolden(t, "cbtypes_ps50").Program
	d := views.NewDXBC(p, nil)
	v := views.NewTokens(d, false)
	require.Equal(t, d.Len(), v.Len())
	for i := range p.Instrs {
		l := v.Lines(views.Window{First: v.Row(d.Row(int32(i))), Rows: 1}, nil)[0]
		f := strings.Fields(l.Gutter)
		require.Len(t, f, 2)
		assert.Equal(t, fmt.Sprintf("%04x", 4*p.Instrs[i].Offset), f[1])
	}
}

func TestConstantsFollowDeclarations(t *testing.T) {
	sh := openGolden(t, "cbtypes_ps50")
	l := views.Constants(sh, nil)
	d := views.NewDXBC(sh.Program, nil)
	n := 0
	for i := range l.Len() {
		if f := l.Focus(i, 0); f.Instr >= 0 {
			n++
			assert.Contains(t, d.Text(d.Row(f.Instr)), "dcl_")
		}
	}
	assert.Positive(t, n)
}

// A word that differs is named, and a program without statistics is no error.
func TestStatNamesDifferences(t *testing.T) {
	sh := openGolden(t, "cbtypes_ps50")
	assert.Contains(t, views.Stat(sh).Text(0), "✓")
	stat := *sh.Stat
	stat.Temps += 3
	odd := *sh
	odd.Stat = &stat
	l := views.Stat(&odd)
	assert.Contains(t, l.Text(0), "▲ 1 of")
	marked := 0
	for _, ln := range l.Lines(views.Window{Rows: l.Len()}, nil) {
		if ln.Mark&views.MarkWarning != 0 {
			marked++
			assert.Contains(t, ln.Text(), "temps")
			assert.Contains(t, ln.Text(), "differs by +3")
		}
	}
	assert.Equal(t, 1, marked)
	for _, none := range []*dxbc.Shader{nil, {}} {
		assert.Positive(t, views.Stat(none).Len())
		assert.Positive(t, views.Constants(none, nil).Len())
		assert.Positive(t, views.Constants(none, constantsOfSprite()).Len())
	}
}
