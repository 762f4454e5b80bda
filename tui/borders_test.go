package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The mouse moves the borders between panes; the keyboard's ratios are what it changes.
func TestBordersAreDragged(t *testing.T) {
	r := newRig(t, textSession(t, nestedText), 220, 60)
	rectOf := func(slot int) rect {
		p, ok := r.m.rectOf(slot)
		require.True(t, ok)
		return p
	}
	drag := func(x, y, dx, dy int) {
		r.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
		for i := 1; i <= max(dx, -dx, dy, -dy); i++ {
			r.send(tea.MouseMsg{X: x + min(max(dx, -i), i), Y: y + min(max(dy, -i), i), Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft})
		}
		r.send(tea.MouseMsg{X: x + dx, Y: y + dy, Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft})
		r.exact()
	}
	left := rectOf(slotAxes).w
	drag(left, 5, 7, 0)
	assert.Equal(t, left+7, rectOf(slotAxes).w)
	assert.Equal(t, 7, r.m.layout.Left)
	first := rectOf(slotCode)
	drag(first.x+first.w, 5, -10, 0)
	assert.Less(t, rectOf(slotCode).w, first.w-5)
	assert.Negative(t, r.m.layout.Split)
	below := rectOf(slotCode + 2)
	require.Greater(t, below.y, first.y, "it stands below the first")
	drag(below.x+4, below.y, 0, 5)
	assert.Greater(t, rectOf(slotCode+2).y, below.y+3)
	assert.Equal(t, slotCode+2, r.m.focus, "the press on a title goes to its pane")
	was := r.m.layout
	r.send(tea.MouseMsg{X: 3, Y: 3, Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft})
	assert.Equal(t, was, r.m.layout, "the mouse holds nothing any more")
	drag(rectOf(slotAxes).w, 5, -200, 0)
	assert.Equal(t, -16, r.m.layout.Left, "no farther than the keys go")
	_, _, on := r.m.chosen(slotCode)
	assert.False(t, on, "no lines were selected")
}

// A bookmark's note is in every export, at the first line of its instruction.
func TestNotesInExports(t *testing.T) {
	path := copyFile(t, effectFile)
	side := path + ".fxlens.toml"
	r := newRig(t, openSession(t, path), 120, 40, func(o *Options) { o.Sidecar = side })
	r.at("mul r4.xyz", "")
	r.keys("B", "why <this>?", "enter")
	for _, ext := range []string{"text", "ansi", "html", "json", "svg"} {
		r.keys("E", ext, "enter", "enter")
		require.Contains(t, r.row(r.m.arr.chrome.status), "wrote ", ext)
	}
	files, err := filepath.Glob(filepath.Join(r.m.opt.ExportDir, "*.Main_0.ps.dxbc.*"))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		want := "why <this>?"
		switch filepath.Ext(f) {
		case ".html", ".svg":
			want = "why &lt;this&gt;?"
		case ".json":
			want = `"note": "why \u003cthis\u003e?"`
		}
		assert.Equal(t, 1, strings.Count(string(b), want), f)
		if filepath.Ext(f) == ".txt" {
			assert.Regexp(t, `(?m)mul r4\.xyz.*  ★ why <this>\?$`, string(b))
		}
	}
}
