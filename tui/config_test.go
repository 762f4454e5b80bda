package tui

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/session"
	"fxlens/themes"
)

func TestConfigErrorsHaveAPosition(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown setting", "theme = \"dark\"\nteme = \"x\"\n", `c.toml:2:1: there is no setting "teme"`},
		{"wrong type", "\nwrap = \"yes\"\n", "c.toml:2:8: "},
		{"syntax", "wrap = \n", "c.toml:1:"},
		{"colour", "wrap = true\ncolour = \"pink\"\n", `c.toml:2:1: colour "pink"`},
		{"unknown action", "[keys]\n  folt = \"x\"\n", `c.toml:2:3: there is no action "folt"; did you mean "fold"`},
		{"no key", "[keys]\nfold = \"ctrlx\"\n", `c.toml:2:1: keys of fold: "ctrlx" is no key`},
		{"number", "[keys]\nfold = 3\n", "c.toml:2:1: keys of fold: give a string"},
		{"taken", "[keys]\nfold = \"q\"\n", `"q" is a key of quit already`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := parseConfig("c.toml", []byte(c.text))
			var ce *ConfigError
			require.ErrorAs(t, err, &ce)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestConfigRemapsKeys(t *testing.T) {
	c, km, err := parseConfig("c.toml", []byte("theme = \"light\"\nwrap = true\n[keys]\nfold = [\"ctrl+x\", \"f9\"]\nquit = \"Q\"\nhelp = []\n"))
	require.NoError(t, err)
	r := newRig(t, openSession(t, effectFile), 120, 40)
	require.NoError(t, r.m.applyConfig(c, km))
	assert.Equal(t, "light", r.m.theme.Name)
	assert.True(t, r.m.wrap)
	assert.Equal(t, "fold", km.find(inCode, "f9").ID)
	assert.Nil(t, km.find(inCode, "x"))
	assert.Equal(t, "quit", km.find(inCode, "ctrl+c").ID, "ctrl+c stays")
	r.keys(":", "fold-all")
	assert.Contains(t, r.screen(), "fold-all")
	r.keys("esc", "?")
	assert.Nil(t, r.m.over, "an action may have no key")
	assert.Nil(t, defaultKeys().find(inCode, "f9"), "the program's own table stays as it is")
}

// Settings are read anew while the program runs; a fault in them changes nothing.
func TestConfigLiveReload(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "themes"), 0o700))
	path := filepath.Join(dir, "config.toml")
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.m.opt.ConfigDir = dir
	require.NoError(t, os.WriteFile(path, []byte("theme = \"contrast\"\n"), 0o600))
	r.do(r.m.changed(path))
	assert.Equal(t, "contrast", r.m.theme.Name)
	require.NoError(t, os.WriteFile(path, []byte("theme = 3\n"), 0o600))
	r.do(r.m.changed(path))
	assert.Equal(t, "contrast", r.m.theme.Name)
	assert.Contains(t, r.row(r.m.arr.chrome.status), "config.toml:1:9")
	src, err := os.ReadFile("../themes/dark.toml")
	require.NoError(t, err)
	mine := strings.Replace(strings.Replace(string(src), `"dark"`, `"mine"`, 1), `"Dark"`, `"Mine"`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "themes", "mine.toml"), []byte(mine), 0o600))
	require.NoError(t, os.WriteFile(path, []byte("theme = \"mine\"\n"), 0o600))
	r.do(r.m.changed(path))
	assert.Equal(t, "Mine", r.m.theme.Title, "a theme of the user's own")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "themes", "mine.toml"), []byte(strings.Replace(mine, `"Mine"`, `"Changed"`, 1)), 0o600))
	r.do(r.m.changed(filepath.Join(dir, "themes", "mine.toml")))
	assert.Equal(t, "Changed", r.m.theme.Title)
}

func TestThemePicker(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	was := r.m.theme
	r.keys("T")
	for _, n := range themes.Names() {
		assert.Contains(t, r.screen(), n)
	}
	r.keys("up")
	assert.NotEqual(t, was.Name, r.m.theme.Name, "moving shows it")
	r.keys("esc")
	assert.Same(t, was, r.m.theme, "esc takes it back")
	r.keys("T", "contrast", "enter")
	assert.Equal(t, "contrast", r.m.theme.Name)
}

// copyFile copies a file into a fresh folder, so that tests may write beside it.
func copyFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(to, b, 0o600))
	return to
}

// Bookmarks are kept in the sidecar with their notes, whatever else is in it.
func TestBookmarks(t *testing.T) {
	path := copyFile(t, effectFile)
	side := path + ".fxlens.toml"
	require.NoError(t, os.WriteFile(side, []byte("# mine\n[views]\nt3 = \"R32_UINT\"\n"), 0o600))
	r := newRig(t, openSession(t, path), 120, 40, func(o *Options) { o.Sidecar = side })
	r.at("mul r4.xyz", "")
	link := r.m.insideLink()
	r.keys("B", "why this?", "enter")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "quadv5.sm_hi.fxlens.toml")
	assert.Contains(t, read(t, side), "# mine")
	assert.Contains(t, read(t, side), `"`+link+`" = "why this?"`)
	assert.Contains(t, r.screen(), "★ why this?", "the panel has the note")
	r.keys("j")
	assert.Regexp(t, `★\s*31 mul r4.xyz`, r.screen())
	again := newRig(t, openSession(t, path), 80, 24, func(o *Options) { o.Sidecar = side })
	again.keys(";")
	assert.Contains(t, again.screen(), "why this?")
	again.keys("enter")
	assert.Contains(t, again.line(), "mul r4.xyz")
	again.keys("B")
	for range 10 {
		again.keys("backspace")
	}
	again.keys("enter")
	assert.NotContains(t, read(t, side), "bookmarks")
	assert.Contains(t, read(t, side), "R32_UINT")
	again.keys(";")
	assert.Contains(t, again.row(again.m.arr.chrome.status), "no bookmarks")
}

// What the user leaves is there again: place, panes, pins, history.
func TestStateIsRestored(t *testing.T) {
	dir := t.TempDir()
	with := func(o *Options) { o.StateDir = dir }
	r := newRig(t, openSession(t, effectFile), 120, 40, with)
	r.keys("a", "j", "j", "enter", "p", "tab", "tab")
	r.m.focusOn(slotCode)
	r.keys("2")
	r.at(" = Sample", "")
	r.keys("'", "w", "|")
	r.m.layout.Left = 6
	line, perm := r.line(), r.m.sel.perm
	require.NoError(t, r.m.saveState())
	names := list(t, dir)
	require.Len(t, names, 1)

	n := newRig(t, openSession(t, effectFile), 120, 40, with)
	assert.Equal(t, perm, n.m.sel.perm)
	assert.Equal(t, formSSA, n.m.slots[slotCode].form)
	assert.Equal(t, line, n.line())
	assert.True(t, n.m.wrap)
	assert.True(t, n.m.other)
	assert.Equal(t, 6, n.m.layout.Left)
	require.Len(t, n.m.pins.list, 1)
	assert.True(t, n.m.pins.list[0].here(n.m))
	assert.Equal(t, len(r.m.hist.back), len(n.m.hist.back))
	n.exact()

	// A link has precedence over the last place.
	l, err := session.ParseLink("quadv5.sm_hi#Depth/0/vs@12")
	require.NoError(t, err)
	k := newRig(t, openSession(t, effectFile), 120, 40, with, func(o *Options) { o.At = &l })
	assert.Contains(t, k.m.link(), "Depth/0/vs@12")

	// What is no state file is ignored.
	require.NoError(t, os.WriteFile(filepath.Join(dir, names[0]), []byte(`{"version":1,"forms":[200],"positions":[[{"Line":-5}]]}`), 0o600))
	newRig(t, openSession(t, effectFile), 120, 40, with).exact()
	require.NoError(t, os.WriteFile(filepath.Join(dir, names[0]), []byte("not JSON"), 0o600))
	newRig(t, openSession(t, effectFile), 120, 40, with).exact()
}

// A file that changes on disk is shown anew at the same place; what it was stays to be
// compared with.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.dxbc")
	write := func(text string) {
		s := textSession(t, text)
		require.NoError(t, os.WriteFile(path, s.Data, 0o600))
	}
	write(nestedText)
	open := func(context.Context) (*session.Session, error) {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return session.Open(path, b, compile.Options{})
	}
	s, err := open(context.Background())
	require.NoError(t, err)
	r := newRig(t, s, 120, 40, func(o *Options) { o.Open = open })
	r.at("lt r1.x", "r1.x")
	r.keys("'")
	r.at("dp2 r2.x", "")
	r.keys("ctrl+r")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "the same as before")
	write(strings.Replace(nestedText, "l(8.000000)", "l(9.000000)", 1))
	r.keys("ctrl+r")
	assert.Contains(t, r.line(), "dp2 r2.x", "the place is kept")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "1 of 1 programs changed")
	require.Len(t, r.m.pins.list, 1)
	assert.True(t, r.m.pins.list[0].here(r.m), "and the pins")
	r.keys("8")
	assert.Contains(t, r.line(), "l(8.0", "the first change")
	assert.Contains(t, r.screen(), "- │ ge r1.y, r0.x, l(8.000000)")
	assert.Contains(t, r.screen(), "+ │ ge r1.y, r0.x, l(9.000000)")
	assert.Contains(t, r.screen(), "before the file changed")
	r.keys("g", "n")
	assert.Contains(t, r.line(), "l(8.0", "n goes from change to change")
	r.exact()
	require.NoError(t, os.WriteFile(path, []byte("DXBCbroken"), 0o600))
	r.keys("1", "ctrl+r")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "cannot be read")
	assert.Contains(t, r.line(), "dp2 r2.x", "the old one stays")
}

// The whole on a real program: the watcher notices.
func TestReloadByWatching(t *testing.T) {
	path := copyFile(t, effectFile)
	other, err := os.ReadFile("../testdata/effects/ui/sprite2d.sm_hi")
	require.NoError(t, err)
	open := func(context.Context) (*session.Session, error) {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return session.Open(path, b, compile.Options{})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := open(ctx)
	require.NoError(t, err)
	in, _ := io.Pipe()
	seen := make(chan struct{})
	opt := Options{Path: path, Open: open, Input: in, Output: io.Discard, Getenv: func(k string) string { return map[string]string{"TERM": "xterm"}[k] }}
	opt.program = func(m *Model, opts ...tea.ProgramOption) *tea.Program {
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		return tea.NewProgram(watchModel{m, s.SHA256, path, other, seen}, opts...)
	}
	go func() { <-seen; cancel() }()
	assert.ErrorIs(t, Run(ctx, s, opt), context.Canceled)
	select {
	case <-seen:
	default:
		t.Error("the change was not noticed")
	}
}

// watchModel replaces the file once it is watched and ends when the new one is shown.
type watchModel struct {
	*Model
	sum   [32]byte
	path  string
	other []byte
	seen  chan struct{}
}

func (w watchModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := w.Model.Update(msg)
	if _, ok := msg.(applyMsg); ok && w.Model.sess.SHA256 == w.sum {
		_ = os.WriteFile(w.path+".new", w.other, 0o600)
		_ = os.Rename(w.path+".new", w.path)
	}
	if w.Model.sess.SHA256 != w.sum {
		select {
		case <-w.seen:
		default:
			close(w.seen)
		}
	}
	return w, cmd
}

// FuzzConfig: any settings file gives settings, or an error with the file's name.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{"theme = \"dark\"\n", "[keys]\nfold = [\"x\", \"ctrl+x\"]\n", "wrap = \"yes\"", "[keys]\nfold = 3\n", "keys = []", "colour=\"16\"\n[keys]\nhelp=\"\u202e\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, k, err := parseConfig("c.toml", data)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "c.toml"), err.Error())
			return
		}
		assert.NotNil(t, c)
		assert.NotNil(t, k)
	})
}
