package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/themes/lexers"
	"fxlens/views"
)

// textRig shows the text of this name among those of an opened file.
func textRig(t *testing.T, path, name string) (*rig, *textScreen) {
	t.Helper()
	r := newRig(t, openSession(t, path), 120, 40, func(o *Options) { o.Path = path })
	r.press(tea.KeyMsg{Type: tea.KeyF12})
	require.NotNil(t, r.m.over, r.screen())
	r.keys(name, "enter")
	s, ok := r.m.screen.(*textScreen)
	require.True(t, ok, r.screen())
	return r, s
}

func (s *textScreen) roles() map[views.Role]bool {
	out := map[views.Role]bool{}
	for _, l := range s.lines {
		for _, p := range l.Spans {
			out[p.Role] = true
		}
	}
	return out
}

func TestSourceBesideTheFile(t *testing.T) {
	path := "../testdata/effects/quadv5.sm_hi"
	r, s := textRig(t, path, "quadv5.fx")
	b, err := os.ReadFile("../testdata/effects/quadv5.fx")
	require.NoError(t, err)
	var text strings.Builder
	for i := range s.lines {
		text.WriteString(s.lines[i].Text() + "\n")
	}
	assert.Equal(t, string(b), text.String())
	for _, want := range []views.Role{views.RoleKeyword, views.RoleType, views.RoleFunction, views.RoleComment, views.RoleLiteral, views.RoleAttribute} {
		assert.True(t, s.roles()[want], want.String())
	}
	assert.Contains(t, r.screen(), "quadv5.fx")
	assert.Contains(t, r.screen(), s.lines[3].Text()[:60])
	r.exact()
	r.keys("G")
	assert.Equal(t, len(s.lines)-1, s.line)
	r.exact()
	r.keys("I")
	assert.Nil(t, r.m.screen)
	r.keys("ctrl+o")
	assert.Same(t, screen(s), r.m.screen, "back returns to the text")
	assert.Equal(t, len(s.lines)-1, s.line)
}

func TestChunksOfAPackage(t *testing.T) {
	path := "../testdata/packages/tiny.cewgpu"
	all := chunkTexts(openSession(t, path).Package)
	require.NotEmpty(t, all)
	exts := map[string]int{}
	for _, c := range all {
		exts[filepath.Ext(c.name)]++
		r, s := textRig(t, path, c.name)
		assert.False(t, s.job.on)
		assert.Empty(t, s.err)
		assert.Greater(t, len(s.lines), min(int(c.size)/100, 1), "%s is laid out in lines", c.name)
		assert.True(t, s.roles()[views.RolePunct], c.name)
		r.exact()
	}
	assert.Positive(t, exts[".json"], "%v", exts)
}

// A long text comes in pieces: what is there is shown, other keys work, esc stops.
func TestTextInPieces(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 80, 24)
	text := strings.Repeat("let a\t= 1u; // \x1b[31m\u202e\n", 6*textPiece/24)
	r.hold = true
	src := &textSource{"a.wgsl", int64(len(text)), func() ([]byte, error) { return []byte(text), nil }}
	r.do(r.m.showText(src))
	s, ok := r.m.screen.(*textScreen)
	require.True(t, ok)
	step := func() {
		held := r.held
		r.held = nil
		for _, c := range held {
			r.run(c)
		}
	}
	for range 3 {
		step()
		r.exact()
	}
	assert.True(t, s.job.on)
	n := len(s.lines)
	require.Greater(t, n, 100)
	assert.Less(t, n, strings.Count(text, "\n"))
	assert.Contains(t, r.screen(), "let a    = 1u;")
	assert.Contains(t, r.screen(), "esc stops")
	r.keys("j", "esc")
	step()
	assert.False(t, s.job.on)
	assert.Len(t, s.lines, n, "a late piece is dropped")
	assert.Same(t, screen(s), r.m.screen)
	r.hold = false
	r.do(r.m.showText(src))
	assert.Len(t, s.lines, strings.Count(text, "\n"))
}

// One line of a megabyte costs a frame no more than what can be seen of it, and a file
// that cannot be read says why.
func TestTextsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	require.NoError(t, os.WriteFile(path, []byte("["+strings.Repeat("[1,", lexers.MaxText/3)), 0o600))
	all := textsBeside(filepath.Join(dir, "x.sm_hi"))
	require.Len(t, all, 1)
	r := newRig(t, openSession(t, effectFile), 80, 24)
	r.do(r.m.showText(&all[0]))
	s, ok := r.m.screen.(*textScreen)
	require.True(t, ok)
	require.Len(t, s.lines, 1)
	assert.Less(t, len(shownPart(s.lines[0].Spans, 80)), 81)
	r.keys("l", "l")
	r.exact()
	require.NoError(t, os.Remove(path))
	r.do(r.m.showText(&all[0]))
	assert.Contains(t, r.screen(), "✗")
	assert.Empty(t, s.lines)
	assert.False(t, s.job.on)

	deep := []byte(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))
	assert.Equal(t, deep, laidOut(deep))
	assert.Equal(t, "[\n \"\\\"[[[[[[[[[[[[[[[\",\n 1\n]", string(laidOut([]byte(`["\"[[[[[[[[[[[[[[[",1]`))))
	assert.Equal(t, "{\n \"a\": 1\n}", string(laidOut([]byte(`{"a":1}`))))
}
