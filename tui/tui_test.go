package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/themes"
	"fxlens/views"
)

func TestNoKeyIsBoundTwice(t *testing.T) {
	for _, in := range places {
		seen := map[string]string{}
		for _, a := range actions() {
			if a.In&in == 0 {
				continue
			}
			for _, k := range a.Keys {
				if other, dup := seen[k]; dup {
					t.Errorf("in %s, %q is bound to %s and %s", whereNames[in], k, other, a.ID)
				}
				seen[k] = a.ID
			}
		}
	}
}

func TestActionsAreComplete(t *testing.T) {
	ids := map[string]bool{}
	for _, a := range actions() {
		assert.False(t, ids[a.ID], "%s is there twice", a.ID)
		ids[a.ID] = true
		assert.NotEmpty(t, a.Keys, a.ID)
		assert.NotEmpty(t, a.Help, a.ID)
		assert.Contains(t, groups, a.Group, a.ID)
		assert.NotEmpty(t, whereNames[a.In], a.ID)
		assert.NotNil(t, a.Do, a.ID)
		assert.Less(t, len(a.ID), idWidth-1, a.ID)
	}
	for _, g := range groups {
		assert.Contains(t, CheatSheet(), "### "+g)
	}
}

// Every key of every place works on every kind of state without breaking the frame.
func TestEveryActionEverywhere(t *testing.T) {
	states := map[string]func() *rig{
		"effect":  func() *rig { return newRig(t, openSession(t, effectFile), 120, 40) },
		"one":     func() *rig { return newRig(t, openSession(t, effectFile), 80, 24) },
		"program": func() *rig { return newRig(t, programSession(t), 120, 40) },
		"package": func() *rig { return newRig(t, packageSession(t), 120, 40) },
		"nothing": func() *rig {
			return newRig(t, nil, 120, 40, func(o *Options) {
				o.Open = func(context.Context) (*session.Session, error) { return nil, fmt.Errorf("no such file") }
			})
		},
	}
	if testing.Short() {
		delete(states, "one")
		delete(states, "package")
	}
	for name, mk := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mk()
			for _, slot := range []int{slotAxes, slotTree, slotCode, slotCode + 1} {
				for _, a := range actions() {
					if a.ID == "quit" {
						continue
					}
					r.m.focusOn(slot)
					if a.In&r.m.context() == 0 {
						continue
					}
					r.do(r.m.run(defaultKeys().find(r.m.context(), a.Keys[0])))
					r.exact()
					r.m.over = nil
					r.m.zoom = -1
					r.m.relayout()
				}
			}
		})
	}
}

const effectFile = "../testdata/effects/quadv5.sm_hi"

func programSession(t testing.TB) *session.Session {
	t.Helper()
	s := openSession(t, effectFile)
	passes, err := s.Passes(0)
	require.NoError(t, err)
	raw, err := s.StageProgram(0, passes[0], "ps")
	require.NoError(t, err)
	p, err := session.Open("bare.dxbc", raw, compile.Options{})
	require.NoError(t, err)
	return p
}

// defaultPackage is what `fxlens build` makes of a permutation.
func defaultPackage(t testing.TB, s *session.Session, perm int, version string) []byte {
	t.Helper()
	data, _, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: perm, Mode: cewgpu.Selected, Profile: cewgpu.Strict, Version: version})
	require.NoError(t, err)
	return data
}

func packageSession(t testing.TB) *session.Session {
	t.Helper()
	s := openSession(t, effectFile)
	p, err := session.Open("quad.cewgpu", defaultPackage(t, s, s.DefaultPermutation(), ""), compile.Options{})
	require.NoError(t, err)
	return p
}

// What an action says about itself is what happens: a disabled one changes nothing and
// gives its reason.
func TestDisabledActionsSayWhy(t *testing.T) {
	r := newRig(t, programSession(t), 120, 40)
	for _, c := range []struct{ key, why string }{
		{"-", "no axes"}, {"0", "no axes"}, {"s", "no other stage"}, {"p", "no other pass"}, {"n", "nothing is searched for"},
		{"u", "no register or value"}, {"(", "nothing to go back to"}, {")", "did not go back"}, {"e", "only a compiled effect"},
	} {
		r.m.focusOn(slotCode)
		r.keys(c.key)
		assert.Contains(t, r.row(r.m.arr.chrome.status), c.why, "key %s", c.key)
	}
	r.keys(":", "export")
	assert.Contains(t, r.screen(), "only a compiled effect", "the palette gives the reason too")
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		w, h  int
		shape shape
		panes int
	}{{80, 24, shapeOne, 1}, {109, 40, shapeOne, 1}, {120, 29, shapeOne, 1}, {120, 40, shapeTwo, 4}, {179, 60, shapeTwo, 4}, {220, 60, shapeGrid, 6}, {400, 120, shapeGrid, 6}} {
		for _, other := range []bool{false, true} {
			a := layoutState{}.arrange(c.w, c.h, other, -1, slotCode, 18, 0)
			assert.Equal(t, c.shape, a.shape, "%dx%d", c.w, c.h)
			if !other {
				assert.Len(t, a.places, c.panes, "%dx%d", c.w, c.h)
			}
			covered(t, a, c.w, c.h)
			covered(t, layoutState{}.arrange(c.w, c.h, other, slotTree, slotCode, 18, 9), c.w, c.h)
		}
	}
	for _, c := range [][2]int{{79, 24}, {80, 23}, {0, 0}, {1, 1}} {
		assert.Equal(t, shapeNone, layoutState{}.arrange(c[0], c[1], false, -1, slotCode, 18, 0).shape)
	}
}

// covered checks that panes tile the body but for the borders, and rows add up.
func covered(t *testing.T, a arrangement, w, h int) {
	t.Helper()
	cells := 0
	for i, p := range a.places {
		b := a.chrome.body
		assert.True(t, p.rect.x >= 0 && p.rect.x+p.rect.w <= w && p.rect.y >= b.y && p.rect.y+p.rect.h <= b.y+b.h, "%+v", p)
		for _, q := range a.places[i+1:] {
			apart := p.rect.x+p.rect.w <= q.rect.x || q.rect.x+q.rect.w <= p.rect.x || p.rect.y+p.rect.h <= q.rect.y || q.rect.y+q.rect.h <= p.rect.y
			assert.True(t, apart, "%+v and %+v overlap", p, q)
		}
		cells += p.rect.w * p.rect.h
		if p.rect.x > 0 {
			cells += p.rect.h // its border
		}
	}
	assert.Equal(t, a.chrome.body.w*a.chrome.body.h, cells, "%dx%d", w, h)
	assert.Equal(t, h, a.chrome.head+a.chrome.body.h+a.chrome.diag.h+2)
}

func TestSmallScreenSaysSo(t *testing.T) {
	for _, z := range [][2]int{{60, 20}, {20, 4}, {1, 1}, {79, 24}} {
		r := newRig(t, openSession(t, effectFile), z[0], z[1])
		r.exact()
		if z[0] >= 20 {
			assert.Contains(t, r.screen(), "80 x 24")
		}
		r.keys("e", "?", "j") // nothing that the user cannot see
		assert.Nil(t, r.m.over)
	}
}

// Any sequence of sizes keeps the frame exact and the selected line in its window.
func TestResizeStorm(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		switch rnd.IntN(6) {
		case 0:
			r.keys("pgdown")
		case 1:
			r.keys([]string{"tab", "z", "w", "|", "G", "g"}[rnd.IntN(6)])
		}
		was, focus := r.line(), r.m.focus
		r.send(tea.WindowSizeMsg{Width: 20 + rnd.IntN(260), Height: 5 + rnd.IntN(80)})
		r.exact()
		if r.m.arr.shape == shapeNone || focus != r.m.focus {
			continue
		}
		require.Equal(t, was, r.line(), "step %d: the selected line is another", i)
		assert.Contains(t, r.screen(), ">", "step %d: the cursor is off the screen", i)
		p := r.cursor()
		require.GreaterOrEqual(t, p.line, p.top)
		require.Less(t, p.line, p.top+r.m.rows(r.m.focus))
	}
}

// Changing an option changes everything at once: axes, body, passes, listings, link.
func TestOption(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 220, 60)
	require.Contains(t, r.screen(), "● SKINNED_OFF default")
	before := r.m.listing(slotCode + 1)
	r.keys("a", "j", "j", "j") // BLEND_ADDITIVE
	require.Equal(t, "BLEND_MODE=BLEND_ADDITIVE", r.line())
	r.hold = true
	r.keys("enter")
	assert.Contains(t, r.screen(), "● BLEND_ADDITIVE", "the choice shows at once")
	assert.False(t, r.m.stale, "the neighbour was compiled in the background")
	assert.NotSame(t, before, r.m.listing(slotCode+1), "and so do the listings")
	assert.Contains(t, r.row(0), "permutation 59 of 96")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "?BLEND_MODE=BLEND_ADDITIVE#Main/0/ps")
	r.release()
	r.keys("0")
	assert.Contains(t, r.row(0), "permutation 57 of 96")
	r.keys("(")
	assert.Contains(t, r.row(0), "permutation 59 of 96", "back undoes the option")
}

// While a pass compiles the old one stays on the screen, and a late answer to a
// selection that has moved on is not shown.
func TestStaleAnswersAreDropped(t *testing.T) {
	s := openSession(t, effectFile)
	r := newRig(t, s, 120, 40)
	r.m.cache = map[unitKey]*passView{} // as if nothing had been looked at
	r.hold = true
	r.keys("a", "+")
	first := r.held
	r.held = nil
	assert.True(t, r.m.stale)
	assert.Contains(t, r.screen(), "(compiling)")
	assert.Contains(t, r.screen(), "sample_indexable", "the old listing stays")
	r.keys("+")
	want := r.m.sel.perm
	second := r.held
	r.held = nil
	r.hold = false
	for _, c := range second {
		r.do(c)
	}
	shown := r.m.view
	for _, c := range first {
		r.do(c)
	}
	assert.Same(t, shown, r.m.view, "the late answer is dropped")
	assert.Equal(t, want, r.m.sel.perm)
}

// The cursor's instruction lights up in the other panes and scrolls them there.
func TestLinkedPanes(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 220, 60)
	r.keys("1", "G", "k") // the instruction before ret
	i := r.m.listing(slotCode).Focus(r.cursor().line, 0).Instr
	require.Positive(t, i)
	for _, slot := range []int{slotCode + 1, slotCode + 2} {
		l := r.m.listing(slot)
		p := r.m.slots[slot].at()
		if n := l.Seek(&r.m.lit, p.line); n >= 0 {
			assert.Equal(t, n, p.line, "%s follows", formNames[r.m.slots[slot].form])
			assert.True(t, p.line >= p.top && p.line < p.top+r.m.rows(slot))
		}
	}
	// From the WGSL back: the DXBC pane follows.
	r.keys("tab")
	for r.m.slots[r.m.focus].form != formWGSL {
		r.keys("tab")
	}
	r.keys("g")
	for range 40 {
		r.keys("j")
	}
	f := r.m.listing(r.m.focus).Focus(r.cursor().line, 0)
	require.GreaterOrEqual(t, f.Instr, int32(0))
	d := r.m.slots[slotCode].at()
	assert.True(t, r.m.lit.Has(r.m.listing(slotCode).Focus(d.line, 0).Instr), "the DXBC cursor is on an instruction of the line")
}

func TestFollow(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 80, 24)
	require.Equal(t, formDXBC, r.m.slots[r.m.focus].form)
	instr := r.m.listing(r.m.focus).Focus(r.cursor().line, 0).Instr
	for _, want := range []form{formSSA, formWGSL, formDXBC} {
		r.keys("enter")
		assert.Equal(t, want, r.m.slots[r.m.focus].form)
		assert.True(t, r.m.lit.Has(instr), "still at instruction %d", instr)
	}
}

func TestSearch(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("g", "/", "mad")
	assert.Contains(t, r.line(), "mad", "it jumps while typing")
	assert.Contains(t, r.row(r.m.arr.chrome.keys), "/mad")
	of := len(r.m.search.hits)
	require.Greater(t, of, 3)
	assert.Contains(t, r.screen(), fmt.Sprintf("hit 1 of %d", of))
	r.keys("enter", "n", "n")
	assert.Contains(t, r.screen(), fmt.Sprintf("hit 3 of %d", of))
	r.keys("N", "N", "N")
	assert.Contains(t, r.screen(), fmt.Sprintf("hit %d of %d", of, of), "around the top")
	r.keys("n")
	assert.Contains(t, r.screen(), fmt.Sprintf("hit 1 of %d", of), "and around the end")
	at := r.cursor()
	r.keys("/", "qqq")
	assert.Contains(t, r.screen(), "no hits")
	r.keys("esc")
	assert.Equal(t, at, r.cursor(), "esc returns to where the search began")
	r.keys("/", "MAD", "enter")
	assert.Contains(t, r.screen(), "no hits", "capitals are exact")
}

// Keys that arrive in one read are single keys; in a prompt they are text.
func TestFastKeys(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("g")
	r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjj")})
	assert.Equal(t, 3, r.cursor().line)
	r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("/mul")})
	require.NotNil(t, r.m.over)
	assert.Equal(t, "mul", r.m.over.input.Value())
	r.keys("esc")
	r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("qqq"), Paste: true})
	assert.Nil(t, r.m.over, "what is pasted outside a prompt presses no keys")
}

func TestTornMouseReports(t *testing.T) {
	for _, c := range []struct {
		name string
		msgs []tea.KeyMsg
		want []bool
	}{
		{"in two", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("["), Alt: true}, runes("<35;38;38M")}, []bool{true, true}},
		{"in three", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("["), Alt: true}, runes("<35;3"), runes("8;38M"), runes("j")}, []bool{true, true, true, false}},
		{"tail alone", []tea.KeyMsg{runes("<0;12;7m")}, []bool{true}},
		{"typed", []tea.KeyMsg{runes("<"), runes("M"), runes("35"), runes("[")}, []bool{false, false, false, false}},
		{"interrupted", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("["), Alt: true}, runes("jk"), runes("M")}, []bool{true, false, false}},
		{"pasted", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("<1;2;3M"), Paste: true}}, []bool{false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d torn
			for i, k := range c.msgs {
				assert.Equal(t, c.want[i], d.drop(k), "message %d", i)
			}
		})
	}
}

func runes(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func TestHelpFilters(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("?")
	assert.Contains(t, r.screen(), "Help  "+fmt.Sprint(len(actions())))
	r.keys("package")
	assert.Contains(t, r.screen(), "write the selection as a package")
	assert.NotContains(t, r.screen(), "one line up")
	for range "package" {
		r.keys("backspace")
	}
	r.keys("]")
	assert.Contains(t, r.screen(), "next diagnostic of the permutation", "by key")
	r.keys("zzz")
	assert.Contains(t, r.screen(), "nothing fits")
	r.keys("enter")
	assert.Nil(t, r.m.over)
}

func TestPaletteRuns(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys(":", "zoom", "enter")
	assert.Equal(t, r.m.focus, r.m.zoom)
	r.keys("esc")
	assert.Equal(t, -1, r.m.zoom)
}

func TestFinder(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("o", "Depth/0/vs", "enter")
	ref, ok := r.m.ref()
	require.True(t, ok)
	assert.Equal(t, "Depth/0", ref.String())
	assert.Equal(t, "vs", r.m.stageName())
	r.keys("o", "SKINNED_ON", "enter")
	assert.Contains(t, r.screen(), "● SKINNED_ON")
	assert.Equal(t, "vs", r.m.stageName(), "the stage stays")
	r.keys("(", "(")
	ref, _ = r.m.ref()
	assert.Equal(t, "Main/0", ref.String(), "back")
	r.keys(")", ")")
	ref, _ = r.m.ref()
	assert.Equal(t, "Depth/0", ref.String(), "and forward")
}

// Going back restores the scroll position, not only the line.
func TestHistoryKeepsTheWindow(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("pgdown", "pgdown", "k", "k")
	was := r.cursor()
	r.keys("/", "ret", "enter", "n")
	r.keys("(")
	for r.cursor() != was && len(r.m.hist.back) > 0 {
		r.keys("(")
	}
	assert.Equal(t, was, r.cursor())
}

func TestTree(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("t", "g")
	assert.Equal(t, "Main", r.line())
	r.keys("left")
	assert.NotContains(t, r.screen(), "ps pixel    106", "folded")
	r.keys("right", "j", "j", "enter")
	assert.Equal(t, "vs", r.m.stageName())
	assert.True(t, code(r.m.focus))
}

// A refused stage is marked, walked to, explained in every pane and never blank.
func TestRefused(t *testing.T) {
	r := newRig(t, openSession(t, "../testdata/effects/"+refusedFile), 120, 40)
	assert.Regexp(t, `✗ \d+ refused|∅ \d+ no counterpart`, r.row(r.m.arr.chrome.status))
	require.NotEmpty(t, r.m.diags)
	r.keys("]")
	d := r.m.diags[r.m.diagAt]
	assert.Contains(t, r.screen(), string(d.Code))
	assert.Contains(t, r.screen(), "remedy")
	if i := d.At.Index(); i >= 0 {
		assert.Equal(t, int32(i), r.m.listing(r.m.focus).Focus(r.cursor().line, 0).Instr, "the cursor is on the instruction")
		ls := r.m.listing(r.m.focus).Lines(views.Window{First: r.cursor().line, Rows: 1}, nil)
		assert.NotZero(t, ls[0].Mark&(views.MarkError|views.MarkWarning), "and it is marked")
	}
	for f := form(0); f < numForms; f++ {
		r.do(r.m.setForm(f))
		l := r.m.listing(r.m.focus)
		assert.Positive(t, l.Len(), formNames[f])
		text := ""
		for n := range l.Len() {
			text += l.Text(n)
		}
		assert.NotEmpty(t, strings.TrimSpace(text), "%s is blank", formNames[f])
	}
	n := len(r.m.diags)
	for range n {
		r.keys("]")
	}
	assert.Equal(t, 0, r.m.diagAt, "around the end")
	r.keys("1", "]", "[", "down", "up")
	r.m.diagAt, r.m.showDiag = -1, false // as after a link to the instruction
	assert.Contains(t, r.screen(), fmt.Sprintf("1 of %d", n), "the panel shows it all the same")
	r.keys("]")
	assert.Equal(t, 1, r.m.diagAt, "and the walk begins behind it")
	r.keys("[")
	r.keys("[")
	assert.Equal(t, n-1, r.m.diagAt)
}

const refusedFile = "dx12/bindless/hull.sm_hi"

func TestMouse(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	find := func(text string) (x, y int) {
		for y, row := range strings.Split(r.screen(), "\n") {
			if i := strings.Index(row, text); i >= 0 {
				return ansi.StringWidth(row[:i]), y
			}
		}
		require.Fail(t, "not on the screen", text)
		return
	}
	click := func(text string) {
		x, y := find(text)
		r.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	click("○ SKINNED_ON")
	assert.Contains(t, r.screen(), "● SKINNED_ON", "a click chooses an option")
	click("vs vertex")
	assert.Equal(t, "vs", r.m.stageName(), "a click selects a stage")
	want := r.m.listing(slotCode).Text(r.m.slots[slotCode].at().line + 2)
	click(want[:min(len(want), 40)])
	assert.Equal(t, formDXBC, r.m.slots[r.m.focus].form, "a click focuses a listing")
	assert.Equal(t, want, r.line())
	assert.Positive(t, r.cursor().tok, "and its token")
	r.keys("G")
	x, y := find("ret")
	top := r.cursor().top
	r.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelUp})
	assert.Less(t, r.cursor().top, top, "the wheel scrolls")
	frame := r.m.View()
	for i := range 1000 {
		r.send(tea.MouseMsg{X: i % 120, Y: i % 40, Action: tea.MouseActionMotion})
		require.False(t, r.m.dirty, "motion draws nothing")
	}
	assert.Equal(t, frame, r.m.View(), "the frame is kept")
	r.send(tea.MouseMsg{X: 500, Y: 500, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	r.send(tea.MouseMsg{X: -1, Y: -1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	r.exact()
}

func TestWrap(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 80, 24)
	r.keys("w", "G")
	r.exact()
	assert.Contains(t, r.screen(), "↪")
	assert.Contains(t, r.screen(), ">", "the cursor stays on the screen")
	r.keys("H")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "wrapped", "no sideways scrolling then")
	r.keys("w", "L")
	assert.Equal(t, 8, r.cursor().left)
	assert.Contains(t, r.screen(), "→8")
}

// The SSA pane goes through the phases, at the same instruction, and the other panes
// stay linked to it.
func TestPhases(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 220, 60)
	r.keys("2")
	last := r.m.listing(r.m.focus)
	instr := last.Focus(r.cursor().line, 0).Instr
	require.GreaterOrEqual(t, instr, int32(0))
	r.keys("{")
	require.NotNil(t, r.m.phase())
	n := len(r.m.phases.list)
	require.Greater(t, n, 4)
	assert.Contains(t, r.screen(), fmt.Sprintf("after %s, %d of %d", r.m.phases.list[n-2].name, n-1, n))
	for range n {
		r.keys("{")
		r.exact()
	}
	assert.Equal(t, 0, r.m.phases.at, "the first one stays")
	first := r.m.listing(r.m.focus)
	assert.Greater(t, first.Len(), last.Len(), "the phases remove values")
	assert.Equal(t, instr, first.Focus(r.cursor().line, 0).Instr, "the same instruction")
	r.keys("j", "j")
	i := first.Focus(r.cursor().line, 0).Instr
	d := r.m.slots[slotCode+1].at()
	if r.m.links.ValuesOf(i) != nil {
		assert.GreaterOrEqual(t, r.m.listing(slotCode+1).Seek(&r.m.lit, d.line), 0, "the WGSL is linked")
	}
	for range n {
		r.keys("}")
	}
	assert.Nil(t, r.m.phase())
	assert.Same(t, last, r.m.listing(r.m.focus), "the last phase is what the stage has")
	r.keys("{", "s")
	assert.Nil(t, r.m.phase(), "another stage begins with its last phase")
}

// The pane of changes shows what the last option did, and follows the selection.
func TestChanges(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("8")
	assert.Contains(t, r.screen(), "Change an option")
	r.keys("a", "+")
	assert.Contains(t, r.screen(), "BLEND_OPAQUE → BLEND_ALPHATEST  +")
	slot := r.m.slotWith(formChanges)
	d, ok := r.m.listing(slot).(*views.Diff)
	require.True(t, ok)
	require.Positive(t, d.Added+d.Removed)
	// Without its signs the new side is a part of the new listing.
	all := map[string]bool{}
	now := r.m.stageNow().forms[formWGSL]
	for i := range now.Len() {
		all[now.Text(i)] = true
	}
	for i := range d.Len() {
		if s := d.Text(i); s[0] == '+' || s[0] == ' ' {
			assert.True(t, all[s[2:]], s)
		}
	}
	r.exact()
	r.m.focusOn(slot)
	r.keys("8")
	assert.Contains(t, r.screen(), "Changes  DXBC ps")
	r.keys("8", "8")
	assert.Contains(t, r.screen(), "Changes  WGSL ps")
	r.keys("t")
	r.do(r.m.setStage(2, 0)) // the program of Picking/0/vs has no part in blending
	r.m.focusOn(slot)
	r.keys("8")
	assert.Contains(t, r.screen(), "✓ no change in DXBC")
	b := newRig(t, programSession(t), 120, 40)
	b.keys("8")
	assert.Contains(t, b.screen(), "nothing to compare")
}

func TestDefinitionAndUse(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	// On the SSA: the definition of an operand.
	r.keys("2", "G", "k", "right", "right")
	f := r.m.listing(r.m.focus).Focus(r.cursor().line, r.cursor().tok)
	require.GreaterOrEqual(t, int(f.Occur), 0)
	r.keys("d")
	assert.Contains(t, r.line(), fmt.Sprintf("v%d", f.Occur))
	// On the DXBC: the last writer of a register.
	r.keys("1", "G", "k", "right", "right", "right")
	f = r.m.listing(r.m.focus).Focus(r.cursor().line, r.cursor().tok)
	require.NotEmpty(t, f.Lanes.Reg)
	from := r.cursor().line
	r.keys("d")
	if strings.HasPrefix(f.Lanes.Reg, "r") {
		assert.Less(t, r.cursor().line, from)
		assert.Contains(t, r.line(), f.Lanes.Reg)
	}
}

func TestYank(t *testing.T) {
	var out strings.Builder
	copied := ""
	env := map[string]string{"TERM": "xterm"}
	r := newRig(t, openSession(t, effectFile), 120, 40, func(o *Options) {
		o.Output = &out
		o.Getenv = func(k string) string { return env[k] }
		o.Clipboard = func(s string) error { copied = s; return nil }
	})
	r.keys("Y")
	assert.Contains(t, out.String(), "\x1b]52;c;", "OSC 52 first")
	assert.Contains(t, r.screen(), "by OSC 52")
	assert.Empty(t, copied)
	env["TERM"] = "linux"
	r.keys("Y")
	assert.Contains(t, r.screen(), "by the system clipboard")
	assert.Regexp(t, `quadv5\.sm_hi\?BLEND_MODE=.*#Main/0/ps@\d+$`, copied)
	// The link leads back to the same place.
	l, err := session.ParseLink(copied)
	require.NoError(t, err)
	o := newRig(t, openSession(t, effectFile), 120, 40, func(o *Options) { o.At = &l })
	assert.Equal(t, r.line(), o.line())
	r.keys("y")
	assert.Equal(t, strings.TrimRight(r.line(), " "), copied)
}

func TestExport(t *testing.T) {
	s := openSession(t, effectFile)
	r := newRig(t, s, 120, 40)
	dir := r.m.opt.ExportDir
	r.keys("e")
	path := r.m.export.path.Value()
	assert.Equal(t, filepath.Join(dir, "quadv5_sm_hi.57.cewgpu"), path)
	assert.Contains(t, r.screen(), filepath.Base(path), "the target is shown first")
	r.keys("esc")
	assert.Empty(t, list(t, dir), "esc leaves the folder as it was")

	r.keys("e", "enter")
	want := defaultPackage(t, s, s.DefaultPermutation(), "")
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	p, err := cewgpu.Open(got)
	require.NoError(t, err)
	assert.Contains(t, r.screen(), fmt.Sprintf("%d bytes", len(got)))
	assert.Contains(t, r.screen(), fmt.Sprintf("%x", p.SHA256))
	assert.Equal(t, []string{filepath.Base(path)}, list(t, dir), "nothing else is left")

	r.keys("esc", "e", "enter")
	assert.Contains(t, r.screen(), "holds exactly this package already")

	require.NoError(t, os.WriteFile(path, []byte("something else"), 0o600))
	r.keys("esc", "e", "enter")
	assert.Contains(t, r.screen(), "Replace it?")
	assert.Contains(t, r.screen(), "14 bytes", "the old file's size")
	r.keys("n")
	assert.Equal(t, "something else", read(t, path), "n replaces nothing")
	r.keys("enter", "esc")
	assert.Equal(t, "something else", read(t, path), "neither does esc")
	r.keys("e", "enter", "y")
	assert.Equal(t, string(want), read(t, path))
	assert.Contains(t, r.screen(), "read back and checked")

	// Another name, typed; a folder that is not there.
	r.keys("esc", "e")
	r.m.export.path.SetValue(filepath.Join(dir, "no", "such.cewgpu"))
	r.keys("enter")
	assert.Contains(t, r.screen(), "nothing was written")
	assert.Contains(t, r.screen(), "folder")
	r.keys("enter")
	assert.Equal(t, exPath, r.m.export.stage, "enter tries again")
	r.m.export.path.SetValue(effectFile)
	r.keys("enter")
	assert.Contains(t, r.screen(), "the opened file itself")
}

func TestExportOfTheRefused(t *testing.T) {
	r := newRig(t, openSession(t, "../testdata/effects/"+refusedFile), 120, 40)
	r.keys("e")
	assert.Contains(t, r.screen(), "not translated:", "it is named before writing")
	r.keys("enter")
	if r.m.export.stage == exFailed {
		assert.Contains(t, r.screen(), "nothing was written")
		assert.Contains(t, r.screen(), "remedy")
		assert.Empty(t, list(t, r.m.opt.ExportDir))
	} else {
		assert.Contains(t, r.screen(), "is not in it")
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range es {
		out = append(out, e.Name())
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestOpenFails(t *testing.T) {
	r := newRig(t, nil, 80, 24, func(o *Options) {
		o.Path = "gone.sm_hi"
		o.Open = func(context.Context) (*session.Session, error) {
			return nil, fmt.Errorf("gone.sm_hi: \x1b[31mno such file")
		}
	})
	r.exact()
	assert.Contains(t, r.screen(), `gone.sm_hi: \x1b[31mno such file`)
	r.keys("tab", "j", "enter", "z", "?", "esc")
	r.exact()
}

func TestThemesAndProfiles(t *testing.T) {
	s := openSession(t, effectFile)
	for name, p := range profiles {
		for _, n := range themes.Names() {
			r := newRig(t, s, 120, 40)
			r.m.term.profile = p
			th, err := themes.Load(n)
			require.NoError(t, err)
			r.m.setTheme(th)
			r.exact()
			raw := r.m.View()
			if p == termenv.Ascii || n == "mono" {
				assert.NotRegexp(t, `\x1b\[[0-9;]*[34][0-9]`, raw, "%s has a colour in profile %s", n, name)
			}
			if p == termenv.ANSI {
				assert.NotContains(t, raw, "38;", "%s: more than 16 colours", n)
				assert.NotContains(t, raw, "48;")
			}
			assert.Contains(t, r.screen(), ">", "the cursor has a mark besides its colour")
			assert.Contains(t, r.screen(), "•", "what belongs to it has one too")
			// The focused pane and the chosen option differ without colour.
			assert.Contains(t, r.screen(), "▸ DXBC")
			assert.Contains(t, r.screen(), "●")
		}
	}
}

func TestANSI16(t *testing.T) {
	for _, c := range []struct {
		c           themes.RGB
		dark, light string
	}{
		{themes.RGB{R: 255, G: 138, B: 128}, "91", "31"}, {themes.RGB{R: 240, G: 198, B: 116}, "93", ""}, {themes.RGB{R: 127, G: 212, B: 136}, "92", "32"},
		{themes.RGB{R: 126, G: 200, B: 227}, "96", "36"}, {themes.RGB{R: 98, G: 114, B: 255}, "94", "34"}, {themes.RGB{R: 196, G: 100, B: 255}, "95", "35"},
		{themes.RGB{R: 144, G: 152, B: 166}, "", ""}, {themes.RGB{R: 255, G: 255, B: 255}, "", ""}, {themes.RGB{}, "", ""}, {themes.RGB{R: 255, B: 10}, "91", "31"},
	} {
		assert.Equal(t, c.dark, ansi16(c.c, false), "%v", c.c)
		assert.Equal(t, c.light, ansi16(c.c, true), "%v", c.c)
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name   string
		env    map[string]string
		colour string
		want   terminal
		err    string
	}{
		{"true colour", map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}, "", terminal{termenv.TrueColor, false, "dark"}, ""},
		{"256", map[string]string{"TERM": "screen-256color", "LANG": "de_DE.utf8"}, "", terminal{termenv.ANSI256, false, "dark"}, ""},
		{"16", map[string]string{"TERM": "linux"}, "", terminal{termenv.ANSI, false, "dark"}, ""},
		{"NO_COLOR", map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1"}, "", terminal{termenv.Ascii, false, "mono"}, ""},
		{"the flag over NO_COLOR", map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, "256", terminal{termenv.ANSI256, false, "dark"}, ""},
		{"no UTF-8", map[string]string{"TERM": "xterm", "LC_ALL": "C", "LANG": "en_US.UTF-8"}, "", terminal{termenv.ANSI, true, "dark"}, ""},
		{"light", map[string]string{"TERM": "xterm", "COLORFGBG": "0;default;15"}, "", terminal{termenv.ANSI, false, "light"}, ""},
		{"dumb", map[string]string{"TERM": "dumb"}, "", terminal{theme: "dark"}, "cannot show"},
		{"unknown word", map[string]string{"TERM": "xterm"}, "many", terminal{theme: "dark"}, "auto, truecolor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := detect(func(k string) string { return c.env[k] }, c.colour)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// A terminal without UTF-8 gets one ASCII cell for every cell.
func TestASCII(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.m.term.ascii = true
	r.m.setTheme(r.m.theme)
	r.exact()
	for i, c := range []byte(r.m.View()) {
		require.True(t, c == '\n' || c == 0x1b || c >= ' ' && c < 0x7f, "byte %#x at %d", c, i)
	}
	r.keys("?")
	r.exact()
}
