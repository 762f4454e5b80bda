package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/themes"
)

// fixedPass is a pass kept as files, so that the goldens of frames are about the screen
// and not about what the compiler makes today.
func fixedPass(t *testing.T) *compile.Pass {
	t.Helper()
	file := func(name string) []byte {
		b, err := os.ReadFile("../views/testdata/" + name)
		require.NoError(t, err)
		return b
	}
	ps, err := dxbc.Open(file("sprite.ps.dxbc"))
	require.NoError(t, err)
	vs, err := dxbc.Open(file("sprite.vs.dxbc"))
	require.NoError(t, err)
	f, err := ir.Parse(string(file("sprite.ssa")))
	require.NoError(t, err)
	f.Program = ps.Program
	code := string(file("sprite.wgsl"))
	m := &wgsl.Module{Stage: layout.Fragment, EntryPoint: "main", Code: code}
	add := func(text string, role wgsl.Role, instr int32) {
		if i := strings.Index(code, text); i >= 0 {
			m.Tokens = append(m.Tokens, wgsl.Token{Off: uint32(i), Len: uint32(len(text)), Role: role, Value: ir.NoValue, Instr: instr})
		}
	}
	add("let sprite = textureSample(Sprite, SpriteSampler, texcoord0.xy);", wgsl.RoleVariable, 10)
	add("let r1 = second * color;", wgsl.RoleVariable, 35)
	texture := layout.Binding{Kind: layout.SampledResource, Binding: 2, Name: "Sprite", Symbol: "t0", Type: "texture_2d<f32>",
		Visibility: []layout.Stage{layout.Fragment}, Texture: &layout.Texture{SampleType: "float", ViewDimension: "2d"}, Resources: [3]int32{-1, 2, -1}}
	return &compile.Pass{
		Status: compile.Refused,
		Plan:   &layout.Plan{Bindings: []layout.Binding{texture}},
		Stages: []*compile.Stage{
			{Kind: dxbc.Vertex, Shader: vs, Status: compile.Refused, Diags: []diag.Diag{{Code: "test.refused", Sev: diag.Error, At: diag.At(9),
				Text: "the stage is refused by this test", Remedy: "none"}}},
			{Kind: dxbc.Pixel, Shader: ps, Func: f, Module: m, Status: compile.Translated},
		},
	}
}

// fixedRig shows the fixed pass and compiles nothing.
func fixedRig(t *testing.T, w, h int) *rig {
	t.Helper()
	s := openSession(t, "../testdata/effects/ui/sprite2d.sm_hi")
	r := newRig(t, s, w, h)
	r.hold = true // nothing behind the fixed pass is looked at
	for k := range r.m.cache {
		delete(r.m.cache, k)
	}
	r.m.order = nil
	v := newPassView(fixedPass(t))
	for i := range r.m.passes {
		k, _ := r.m.key(r.m.sel.perm, i)
		r.m.remember(k, v)
	}
	r.m.sel.stage = 1
	r.m.resetCode()
	r.m.show(v)
	r.m.syncLeft()
	return r
}

// Whole frames at the three sizes, plain and with their colours. Run with -update after a
// change of the screen and look at the difference.
func TestFrames(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		for _, c := range []struct {
			name string
			keys []string
		}{
			{"start", nil},
			{"token", []string{"j", "right", "right"}},
			{"axes", []string{"a", "j"}},
			{"tree", []string{"t"}},
			{"refused", []string{"]"}},
			{"help", []string{"?", "pass"}},
			{"palette", []string{":", "pane"}},
			{"export", []string{"e"}},
			{"wrapped", []string{"w"}},
			{"interleaved", []string{"5", "j"}},
			{"signatures", []string{"6"}},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				r := fixedRig(t, z[0], z[1])
				r.m.opt.ExportDir = "out"
				r.keys(c.keys...)
				r.exact()
				golden.RequireEqual(t, []byte(r.screen()))
			})
		}
	}
	t.Run("coloured", func(t *testing.T) {
		r := fixedRig(t, 120, 40)
		r.m.term.profile = termenv.TrueColor
		th, err := themes.Load("dark")
		require.NoError(t, err)
		r.m.setTheme(th)
		r.keys("right", "right")
		golden.RequireEqual(t, []byte(r.m.View()))
	})
}

// The cheat sheet is the table of actions; run with -update where this fails.
func TestKeysDocument(t *testing.T) {
	golden.RequireEqual(t, []byte(CheatSheet()))
	assert.Equal(t, len(actions())+2*len(groups), strings.Count(CheatSheet(), "\n| "), "a row for every action, and the heads")
}
