package tui

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/themes"
	"fxlens/views"
)

// A real Program with its event loop and renderer: a whole visit.
func TestFlow(t *testing.T) {
	dir := t.TempDir()
	m, err := newModel(context.Background(), openSession(t, effectFile), Options{Getenv: noEnv, Output: io.Discard, ExportDir: dir}, asciiTerm)
	require.NoError(t, err)
	tm := teatest.NewTestModel(t, m, teatest.WithInitialTermSize(120, 40))
	wait := func(text string) {
		t.Helper()
		teatest.WaitFor(t, tm.Output(), func(b []byte) bool { return bytes.Contains(b, []byte(text)) }, teatest.WithDuration(20*time.Second), teatest.WithCheckInterval(2*time.Millisecond))
	}
	press := func(s string) { tm.Send(runes(s)) }
	wait("translated")
	press("/mad")
	wait("hit 1 of")
	tm.Send(tea.KeyMsg{Type: tea.KeyEnter})
	press("n")
	wait("hit 2 of")
	press("ajj")
	tm.Send(tea.KeyMsg{Type: tea.KeyEnter})
	wait("permutation 58 of 96")
	press("?")
	wait("Help")
	tm.Send(tea.KeyMsg{Type: tea.KeyEsc})
	tm.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
	wait("[Axes]")
	press("e")
	wait("Export package")
	tm.Send(tea.KeyMsg{Type: tea.KeyEnter})
	wait("read back and checked")
	tm.Send(tea.KeyMsg{Type: tea.KeyEsc})
	press("q")
	tm.WaitFinished(t, teatest.WithFinalTimeout(20*time.Second))
	final := tm.FinalModel(t).(*Model)
	assert.Equal(t, 58, final.sel.perm)
	assert.Equal(t, []string{"quadv5_sm_hi.58.cewgpu"}, list(t, dir))
	rows := strings.Split(final.View(), "\n")
	require.Len(t, rows, 24)
	for _, s := range rows {
		assert.Equal(t, 80, ansi.StringWidth(s))
	}
}

// panicModel panics in Update.
type panicModel struct{ *Model }

func (p panicModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyMsg); ok && k.String() == "K" {
		panic("asked for by a test")
	}
	_, cmd := p.Model.Update(msg)
	return p, cmd
}

// A panic in the event loop restores the screen and leaves a report without the file's content.
func TestPanicInTheLoop(t *testing.T) {
	var out bytes.Buffer
	in, keys := io.Pipe()
	report := ""
	env := map[string]string{"TERM": "xterm"}
	opt := Options{Input: in, Output: &out, Getenv: func(k string) string { return env[k] },
		Crash: func(r string) (string, error) { report = r; return "crash.txt", nil }}
	opt.program = func(m *Model, opts ...tea.ProgramOption) *tea.Program {
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40}) // there is no terminal to tell it
		return tea.NewProgram(panicModel{m}, opts...)
	}
	go func() {
		_, _ = keys.Write([]byte("j"))
		_, _ = keys.Write([]byte("K"))
	}()
	err := Run(context.Background(), openSession(t, effectFile), opt)
	var c *Crash
	require.True(t, errors.As(err, &c), "%v", err)
	assert.ErrorIs(t, err, tea.ErrProgramPanic)
	assert.Contains(t, err.Error(), "send the report crash.txt")
	assert.Contains(t, report, "sha256 9307bada")
	assert.Contains(t, report, "actions down")
	assert.Contains(t, out.String(), "\x1b[?1049l")
	assert.Contains(t, out.String(), "\x1b[?25h")
}

// Run ends with its context.
func TestRunEndsWithItsContext(t *testing.T) {
	in, _ := io.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	env := map[string]string{"TERM": "xterm"}
	err := Run(ctx, openSession(t, effectFile), Options{Input: in, Output: io.Discard, Getenv: func(k string) string { return env[k] }})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestThemeFromAFile(t *testing.T) {
	src, err := os.ReadFile("../themes/dark.toml")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mine.toml")
	require.NoError(t, os.WriteFile(path, bytes.Replace(src, []byte(`"Dark"`), []byte(`"Mine"`), 1), 0o600))
	r := newRig(t, openSession(t, effectFile), 120, 40, func(o *Options) { o.Theme = path })
	assert.Equal(t, "Mine", r.m.theme.Title)
	require.NoError(t, os.WriteFile(path, []byte("name = 3"), 0o600))
	_, err = newModel(context.Background(), nil, Options{Theme: path}, asciiTerm)
	assert.ErrorContains(t, err, "mine.toml:1:")
	_, err = newModel(context.Background(), nil, Options{Theme: "nope"}, asciiTerm)
	assert.ErrorContains(t, err, "there are: dark")
}

// A picture is well-formed, has what the screen has, and is written beside nothing else.
func TestPicture(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("X", "X")
	dir := r.m.opt.ExportDir
	assert.Equal(t, []string{"quadv5_sm_hi.57.1.svg", "quadv5_sm_hi.57.2.svg"}, list(t, dir))
	assert.Contains(t, r.screen(), "picture: quadv5_sm_hi.57.2.svg")
	raw := read(t, filepath.Join(dir, "quadv5_sm_hi.57.1.svg"))
	var texts int
	for d := xml.NewDecoder(strings.NewReader(raw)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	assert.Greater(t, texts, 100)
	assert.Contains(t, raw, ">BLEND_MODE<")

}

// Hostile text cannot leave the picture's text.
func TestPictureEscapes(t *testing.T) {
	var c canvas
	c.reset(40, 1)
	c.put(0, 0, 40, []views.Span{{Text: `</text><script>x()</script>&"` + "\x1b"}}, 0, views.Span{})
	th, err := themes.Load("dark")
	require.NoError(t, err)
	p := svg(&c, th)
	assert.NotContains(t, p, "<script>")
	assert.Contains(t, p, "&lt;/text&gt;")
}

// TestPlaceIsKept: another form of the pane, and another pane of a small screen, show the
// counterpart of the instruction that the cursor was on.
func TestPlaceIsKept(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		r := newRig(t, openSession(t, effectFile), size[0], size[1])
		r.keys("1", "home")
		for !strings.Contains(r.line(), "add r2.z, r2.z") { // one of few in a line of WGSL
			r.keys("down")
		}
		want := r.m.lit.Instrs
		require.Len(t, want, 1)
		for _, k := range []string{"5", "3", "1", "2", "1", "3", "1", "2", "5", "1"} {
			r.keys(k)
			assert.Contains(t, r.m.lit.Instrs, want[0], "%v, %s", size, k)
		}
		if size[0] == 80 {
			for range 3 {
				r.keys("tab")
				if r.m.slots[r.m.focus].form == formWGSL || r.m.slots[r.m.focus].form == formSSA {
					assert.Contains(t, r.m.lit.Instrs, want[0])
				}
			}
		}
	}
}
