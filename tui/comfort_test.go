package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/session"
	"fxlens/views"
)

// nestedText has a branch, a loop and registers that are written several times.
const nestedText = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], immediateIndexed
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 3
mov r0.xy, v1.xyxx
mov r0.z, l(0)
lt r1.x, r0.x, v1.z
if_nz r1.x
  add r0.x, r0.x, cb0[0].x
else
  mov r0.z, r0.y
endif
loop
  ge r1.y, r0.x, l(8.000000)
  breakc_nz r1.y
  add r0.x, r0.x, l(1.000000)
endloop
dp2 r2.x, r0.xyxx, r0.xyxx
mul o0.xyzw, r2.xxxx, r0.xzxz
ret
`

func textSession(t testing.TB, text string) *session.Session {
	t.Helper()
	b, err := dxbc.Assemble(text, nil)
	require.NoError(t, err)
	s, err := session.Open("nested.dxbc", b, compile.Options{})
	require.NoError(t, err)
	return s
}

// at puts the cursor of the focused listing on the first line with text and, when tok is
// not empty, on the token that reads so.
func (r *rig) at(text, tok string) {
	r.t.Helper()
	l := r.m.listing(r.m.focus)
	for i := range l.Len() {
		if !strings.Contains(l.Text(i), text) {
			continue
		}
		r.m.moveTo(i)
		for k := range l.Tokens(i) {
			if tok == "" {
				return
			}
			got := ""
			for _, s := range l.Lines(views.Window{First: i, Rows: 1}, nil)[0].Spans {
				if int(s.Tok) == k+1 {
					got += s.Text
				}
			}
			if got == tok {
				for range k + 1 {
					r.m.step(1)
				}
				return
			}
		}
		require.Failf(r.t, "no token", "%q has no token %q", l.Text(i), tok)
	}
	require.Failf(r.t, "no line", "with %q", text)
}

func TestFolding(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	whole := r.m.listing(slotCode).Len()
	r.at("add r0.x, r0.x, cb0", "")
	r.keys("x")
	assert.Equal(t, "if_nz r1.x", r.line(), "the cursor goes to the head")
	assert.Equal(t, whole-1, r.m.listing(slotCode).Len())
	assert.Contains(t, r.screen(), "⋯ 1 line")
	r.keys("j")
	assert.Equal(t, "else ", r.line(), "what is closed is stepped over")
	r.keys("k", "x")
	assert.Equal(t, whole, r.m.listing(slotCode).Len())
	r.keys("Z")
	assert.Equal(t, whole-5, r.m.listing(slotCode).Len())
	r.exact()
	for i := range r.m.listing(slotCode).Len() { // rows and their inverse agree
		x := r.m.listing(slotCode).(*views.Folded)
		assert.Equal(t, i, x.Row(x.Inner(i)))
	}
	r.keys("/", "breakc", "enter")
	assert.Equal(t, "  breakc_nz r1.y", r.line(), "a search opens what hides its hits")
	r.keys("g", "x")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "not inside")
}

// Interleaved, a region has the WGSL of its instructions, that of its head included.
func TestFoldingInterleaved(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.keys("5")
	l := r.m.listing(slotCode)
	row := func(l views.Listing, text string) int {
		for i := range l.Len() {
			if strings.HasPrefix(l.Text(i), text) {
				return i
			}
		}
		require.Fail(t, "no line", text)
		return -1
	}
	if_, else_ := row(l, "if_nz"), row(l, "else")
	require.Greater(t, else_, if_+2, "WGSL stands between them")
	r.at("add r0.x, r0.x, cb0", "")
	r.keys("x")
	assert.Equal(t, "if_nz r1.x", r.line())
	closed := r.m.listing(slotCode)
	assert.Equal(t, l.Len()-(else_-if_-1), closed.Len())
	assert.Equal(t, if_+1, row(closed, "else"))
	r.exact()
	r.keys("x")
	assert.Equal(t, l.Len(), r.m.listing(slotCode).Len())
	r.keys("Z")
	for i := range r.m.listing(slotCode).Len() {
		assert.NotContains(t, r.m.listing(slotCode).Text(i), "  add ")
	}
	r.keys("Z", "g", "x")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "not inside")
}

// A jump to an instruction that is hidden opens its region.
func TestFoldsOpenForJumps(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.keys("Z")
	r.m.restore(&spot{instr: 9})
	assert.Equal(t, "  add r0.x, r0.x, cb0[0].x", r.line())
}

func TestBarsShowNesting(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	assert.Contains(t, r.screen(), "│ add r0.x, r0.x, cb0[0].x")
	r.at("add r0.x, r0.x, cb0", "")
	r.keys("v", "y")
	assert.NotContains(t, r.m.opt.Output.(*strings.Builder).String(), "│", "bars are not copied")
}

func TestReachingDefinition(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.at("mul o0", "r0.xzxz")
	r.keys("d")
	assert.Contains(t, r.line(), "add r0.x, r0.x, l(1.0", "the nearest of those that may have written x or z")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "one of 5 places")
	r.at("mov r0.z, r0.y", "r0.y")
	r.keys("d")
	assert.Equal(t, "mov r0.xy, v1.xyxx", r.line(), "r0.z is another register")
	r.at("mov r0.xy", "v1.xyxx")
	r.keys("d")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "an input of the stage")
}

func TestUsesAreThoseOfTheValue(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.at("mov r0.z, l(0)", "r0.z")
	r.keys("u")
	assert.Contains(t, r.line(), "mul o0", "the other write of z and its reads are not meant")
	r.keys("U")
	assert.Contains(t, r.screen(), "Definitions and uses of r0.xz")
	assert.Contains(t, r.screen(), "writes")
	r.keys("esc", ".")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "1 of")
	r.keys("tab", ".", ",")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "1 of", "from any pane")
}

func TestSlice(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.at("dp2 r2.x", "")
	r.keys("f")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "8 instructions feed @18")
	bright := func() (out []string) {
		l := r.m.listing(slotCode)
		for i := range l.Len() {
			if f := l.Focus(i, 0); f.Instr > 4 && r.m.inSlice(&f) {
				out = append(out, fmt.Sprint(f.Instr))
			}
		}
		return out
	}
	assert.Equal(t, []string{"5", "7", "8", "9", "14", "15", "16", "18"}, bright())
	assert.Regexp(t, `~\s+5 mov r0.xy`, r.screen(), "a mark besides the colour")
	r.keys("f")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "depend on")
	assert.Equal(t, []string{"18", "19"}, bright())
	r.keys("f")
	assert.Zero(t, r.m.slice.dir)
	r.keys("f", "esc")
	assert.Zero(t, r.m.slice.dir, "esc ends it too")
}

func TestPins(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.at("lt r1.x", "r1.x")
	r.keys("'")
	r.at("ge r1.y", "r1.y")
	r.keys("'", "g")
	lines := r.screen()
	r.keys("G")
	lines += r.screen()
	assert.Regexp(t, `1\s+7 lt r1.x`, lines, "kept when the cursor has moved on")
	assert.Regexp(t, `1\s+8 if_nz r1.x`, lines)
	assert.Regexp(t, `2\s+14 │ ge r1.y`, lines, "component-aware, several at a time")
	assert.NotRegexp(t, `1\s+14 │ ge`, lines)
	r.keys("\"", "enter")
	assert.Contains(t, r.line(), "lt r1.x")
	r.at("lt r1.x", "r1.x")
	r.keys("'")
	assert.Len(t, r.m.pins.list, 1, "the same key takes it away")
	r.exact()
}

func TestRange(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.at("mov r0.z, l(0)", "")
	r.keys("v", "j", "j", "y")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "copied the 3 lines")
	_, _, on := r.m.chosen(slotCode)
	assert.False(t, on)
	// By the mouse: press, move with the button down, release.
	rect, _ := r.m.rectOf(slotCode)
	at := func(a tea.MouseAction, y int) {
		r.send(tea.MouseMsg{X: rect.x + 12, Y: rect.y + y, Action: a, Button: tea.MouseButtonLeft})
	}
	at(tea.MouseActionPress, 2)
	at(tea.MouseActionMotion, 3)
	at(tea.MouseActionMotion, 5)
	at(tea.MouseActionRelease, 5)
	from, to, on := r.m.chosen(slotCode)
	require.True(t, on)
	assert.Equal(t, 3, to-from)
	assert.Contains(t, r.screen(), "▌")
	r.keys("esc")
	_, _, on = r.m.chosen(slotCode)
	assert.False(t, on)
}

// The scroll bar shows where the window and the hits are; a click goes there.
func TestScrollBar(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 80, 24)
	last := func() (s string) {
		for y := r.m.arr.chrome.body.y + 1; y < r.m.arr.chrome.diag.y; y++ {
			row := []rune(r.row(y))
			s += string(row[len(row)-1])
		}
		return s
	}
	assert.Contains(t, last(), "▐")
	r.keys("/", "sample", "enter")
	assert.Contains(t, last(), "◆")
	r.send(tea.MouseMsg{X: 79, Y: r.m.arr.chrome.diag.y - 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	assert.Greater(t, r.cursor().line, r.m.listing(slotCode).Len()*3/4)
	r.exact()
}

// The drawing of the control flow follows the cursor of the other panes, and the reverse.
func TestCFGPane(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 120, 40)
	r.at("add r0.x, r0.x, l(1", "")
	r.keys("tab", "W")
	assert.Contains(t, r.screen(), "│ 15 breakc_nz r1.y             │")
	assert.Contains(t, r.line(), "add r0.x, r0.x, l(1", "it opens where the cursor is")
	r.at("mov r0.z, r0.y", "")
	require.Equal(t, 2, r.m.listing(r.m.focus).Tokens(r.cursor().line))
	r.keys("right", "right")
	assert.Equal(t, int32(11), r.m.lit.Instrs[0], "→ goes to the box beside it")
	assert.Equal(t, "  mov r0.z, r0.y", r.m.listing(slotCode).Text(r.m.slots[slotCode].at().line))
	r.exact()
	r.m.term.ascii = true
	r.m.setTheme(r.m.theme)
	body, _, _ := strings.Cut(r.screen(), "\n--")
	assert.NotContains(t, body, "?", "every glyph has a counterpart without UTF-8")
}

// One to four listings, in every arrangement, at any ratio: the panes tile the body.
func TestLayouts(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {110, 30}, {120, 40}, {180, 36}, {220, 60}, {400, 120}} {
		for panes := range maxCode + 1 {
			for _, other := range []bool{false, true} {
				for _, u := range []layoutState{{}, {Left: 60, Split: 35, Drop: 35}, {Left: -16, Split: -35, Drop: -35}} {
					u.Panes = panes
					a := u.arrange(z[0], z[1], other, -1, slotCode, 18, 0)
					covered(t, a, z[0], z[1])
					if panes > 0 && a.shape != shapeOne {
						assert.Len(t, a.places, panes+2)
					}
				}
			}
		}
	}
	r := newRig(t, openSession(t, effectFile), 120, 40)
	for i := range presets {
		r.do(r.m.usePreset(i))
		r.exact()
		assert.Equal(t, presets[i].forms[0], r.m.slots[slotCode].form)
	}
	r.do(r.m.usePreset(2))
	was, _ := r.m.rectOf(slotCode)
	r.m.stretch(1, 0)
	now, _ := r.m.rectOf(slotCode)
	assert.Greater(t, now.w, was.w)
	for range 30 {
		r.m.stretch(1, 0)
	}
	assert.Contains(t, r.row(r.m.arr.chrome.status), "no further")
	r.exact()
	r.keys("A", "as many", "enter")
	assert.Equal(t, layoutState{}, r.m.layout)
}

func TestPhaseList(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("%")
	assert.Contains(t, r.screen(), "SSA phase by phase")
	n := len(r.m.phases.list)
	require.Greater(t, n, 3)
	same := 0
	for i := range r.m.phases.list {
		if r.m.phases.list[i].same() {
			same++
		}
	}
	require.NotZero(t, same, "the fixture has a phase that changes nothing")
	all := len(r.m.over.items)
	r.keys("step over", "enter")
	assert.LessOrEqual(t, len(r.m.over.items), all-same+1, "they are hidden, but for the one that is shown")
	r.keys("esc")
	for range n {
		r.keys("{")
		assert.False(t, r.m.phases.list[r.m.phases.at].same(), "and stepped over")
	}
	r.keys("}", "&")
	slot := r.m.slotWith(formSSA)
	assert.IsType(t, &views.Diff{}, r.m.listing(slot))
	assert.Contains(t, r.screen(), "what it changed")
	r.keys("&")
	assert.IsType(t, &views.SSA{}, r.m.listing(slot))
	r.exact()
}

// Every state has a mark of its own, so that none rests on colour: in the gutter, in the
// tree, and without UTF-8.
func TestMarksAreDistinct(t *testing.T) {
	seen := make(map[string]string)
	add := func(what, glyph string) {
		other, dup := seen[glyph]
		assert.False(t, dup, "%s and %s are both %q", what, other, glyph)
		seen[glyph] = what
	}
	for _, c := range []struct {
		what   string
		k      views.Mark
		second bool
	}{{"cursor", views.MarkCursor, false}, {"selected", views.MarkChosen, false}, {"linked", views.MarkLinked, false},
		{"error", views.MarkError, true}, {"warning", views.MarkWarning, true}, {"changed", views.MarkChanged, true}, {"closed", views.MarkFolded, true}} {
		first, second := gutterMarks(&views.Line{Mark: c.k}, 0)
		if c.second {
			first = second
		}
		add(c.what, first.Text)
	}
	for p := uint8(1); p <= maxPins; p++ {
		first, _ := gutterMarks(&views.Line{}, p)
		add(fmt.Sprint("pin ", p), first.Text)
	}
	_, second := gutterMarks(&views.Line{}, noted)
	add("bookmark", second.Text)
	status := make(map[string]bool)
	for _, s := range []compile.Status{compile.Translated, compile.Refused, compile.NoCounterpart, compile.Undecodable} {
		g, _ := views.StatusGlyph(true, s)
		assert.False(t, status[g], "%v", s)
		status[g] = true
		assert.NotEqual(t, "?", string(appendASCII(nil, g)), "%v without UTF-8", s)
	}
	for g := range seen {
		assert.NotEqual(t, "?", string(appendASCII(nil, g)), "%s without UTF-8", seen[g])
	}
}
