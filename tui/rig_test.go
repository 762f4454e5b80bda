package tui

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/session"
	"fxlens/views"
)

// rig drives a model without a program: it runs every command to its end, in order.
type rig struct {
	t testing.TB
	m *Model
	// hold keeps commands back instead of running them, to look at the state between.
	hold bool
	held []tea.Cmd
}

func openSession(t testing.TB, path string) *session.Session {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := session.Open(path, b, compile.Options{})
	require.NoError(t, err)
	return s
}

var asciiTerm = terminal{profile: termenv.Ascii, theme: "mono"}

func noEnv(string) string { return "" }

// newRig makes a model of w by h cells over a session, and lets it come to rest.
func newRig(t testing.TB, s *session.Session, w, h int, change ...func(*Options)) *rig {
	t.Helper()
	opt := Options{Getenv: noEnv, Output: &strings.Builder{}, ExportDir: t.TempDir(), Clipboard: func(string) error { return nil }}
	for _, f := range change {
		f(&opt)
	}
	m, err := newModel(context.Background(), s, opt, asciiTerm)
	require.NoError(t, err)
	m.tick = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	r := &rig{t: t, m: m}
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
	r.do(m.Init())
	return r
}

// do runs a command and everything that follows from it.
func (r *rig) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if r.hold {
		r.held = append(r.held, cmd)
		return
	}
	r.run(cmd)
}

// run runs one command; what follows from it is done or held back.
func (r *rig) run(cmd tea.Cmd) {
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			r.do(c)
		}
	default:
		r.send(msg)
	}
}

func (r *rig) send(msg tea.Msg) {
	_, cmd := r.m.Update(msg)
	r.do(cmd)
}

// release runs what was held back.
func (r *rig) release() {
	r.hold = false
	held := r.held
	r.held = nil
	for _, c := range held {
		r.do(c)
	}
}

var namedKeys = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd,
	"ctrl+o": tea.KeyCtrlO, "ctrl+r": tea.KeyCtrlR, "ctrl+z": tea.KeyCtrlZ, "ctrl+s": tea.KeyCtrlS, "ctrl+y": tea.KeyCtrlY, "ctrl+c": tea.KeyCtrlC, "ctrl+d": tea.KeyCtrlD, "ctrl+u": tea.KeyCtrlU, "backspace": tea.KeyBackspace, "space": tea.KeySpace,
}

// keys presses keys one by one; a word that names no key is typed.
func (r *rig) keys(names ...string) {
	for _, n := range names {
		if k, ok := namedKeys[n]; ok {
			msg := tea.KeyMsg{Type: k}
			if k == tea.KeySpace {
				msg.Runes = []rune{' '}
			}
			r.press(msg)
			continue
		}
		for _, c := range n {
			r.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
		}
	}
}

// press presses one key as a terminal sees it: with the frame drawn before, and what the
// key changed in the frame after it. A change that is not drawn stays unseen until the
// next one that is.
func (r *rig) press(k tea.KeyMsg) {
	r.t.Helper()
	if r.m.w == 0 {
		r.send(k)
		return
	}
	r.m.View()
	r.send(k)
	drawn := r.m.View()
	r.m.dirty = true
	if drawn != r.m.View() {
		require.Equal(r.t, r.screen(), ansi.Strip(drawn), "%s changes the frame and does not have it drawn", k)
	}
}

// screen is the frame without attributes.
func (r *rig) screen() string { return ansi.Strip(r.m.View()) }

// row returns a row of the screen.
func (r *rig) row(y int) string { return strings.Split(r.screen(), "\n")[y] }

// exact checks that the frame fills the screen and no cell more.
func (r *rig) exact() {
	r.t.Helper()
	rows := strings.Split(r.m.View(), "\n")
	require.Len(r.t, rows, r.m.h)
	for y, s := range rows {
		if w := ansi.StringWidth(s); w != r.m.w {
			require.Equal(r.t, r.m.w, w, "row %d: %q", y, s)
		}
	}
}

// cursor returns the position of the focused pane.
func (r *rig) cursor() position { return *r.m.slots[r.m.focus].at() }

// line is the text that the focused cursor stands on.
func (r *rig) line() string { return r.m.listing(r.m.focus).Text(r.cursor().line) }

var _ views.Listing = (*views.DXBC)(nil)

// newPassViewOf compiles a pass for a test.
func newPassViewOf(t testing.TB, s *session.Session, x target) *passView {
	t.Helper()
	v, err := compilePass(context.Background(), s, x.perm, x.ref)
	require.NoError(t, err)
	return v
}
