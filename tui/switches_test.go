package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/files"
	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
)

const sampleGraph = "../testdata/switches/deferred"

// switchesRig opens the sample graph without an effect.
func switchesRig(t *testing.T, dir string, w, h int) *rig {
	t.Helper()
	return newRig(t, nil, w, h, func(o *Options) {
		o.Graph = &Graph{Name: dir, Open: func(context.Context) (*switches.Workspace, error) {
			return files.OpenGraph(dir)
		}}
	})
}

func (r *rig) switches() *switchesScreen {
	s, ok := r.m.screens[inSwitches].(*switchesScreen)
	require.True(r.t, ok)
	return s
}

// TestSwitchesScreen walks through a graph of its own: values, shaders, forms, package.
func TestSwitchesScreen(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		r := switchesRig(t, sampleGraph, size[0], size[1])
		r.exact()
		s := r.switches()
		require.NotNil(t, s.w)
		assert.Contains(t, r.screen(), "shadow technique")
		assert.Contains(t, r.screen(), "● Cascades")
		assert.Contains(t, r.screen(), "struct View {")

		// The next value of the first switch: text and place follow at once.
		for i := range s.w.Shaders {
			if len(s.w.Shaders[i].Switches) == 3 {
				r.do(s.goShader(r.m, i))
				break
			}
		}
		was := s.allText()
		r.keys("right")
		assert.Contains(t, r.screen(), "● Virtual")
		assert.NotEqual(t, was, s.allText())
		assert.Contains(t, s.place(r.m), "Virtual")
		r.keys("ctrl+o")
		assert.Equal(t, was, s.allText(), "back takes the choice back")
		r.keys("right")

		// Forms: each has lines, and says the same as the core.
		for _, form := range []string{"2", "3", "4", "5", "6", "1"} {
			r.keys(form)
			r.exact()
			p := &s.panes[s.form]
			assert.Empty(t, p.err, form)
			assert.NotEmpty(t, p.lines, form)
		}
		rows, err := s.w.Table(context.Background(), []int{s.shader}, nil, nil)
		require.NoError(t, err)
		r.keys("4")
		assert.Len(t, s.panes[switchVariants].lines, len(rows)+1)

		// A variant of the table becomes the set.
		r.keys("G", "enter")
		assert.Same(t, rows[len(rows)-1].Set, s.w.Restricted(s.shader, s.set))

		// Diff beside a marked set; without a difference it says so.
		r.keys("b", "5")
		assert.Contains(t, s.allText(), "no declaration differs")
		r.keys("0")
		assert.NotContains(t, s.allText(), "no declaration differs")

		// From a binding to the text.
		r.keys("3", "g", "enter")
		assert.Equal(t, switchText, s.form)
		assert.Contains(t, s.lineText(), s.find)

		// One key writes the package; it is what the core makes.
		r.keys("e")
		require.NotNil(t, r.m.over)
		r.keys("enter")
		assert.Contains(t, r.m.status, "written: ")
		found, err := filepath.Glob(filepath.Join(r.m.opt.ExportDir, "*.cewgpu"))
		require.NoError(t, err)
		require.Len(t, found, 1)
		data, err := os.ReadFile(found[0])
		require.NoError(t, err)
		want, _, err := s.w.Package(context.Background(), []int{s.shader}, []*variant.Set{s.set}, bundle.Generic, r.m.opt.Version, nil)
		require.NoError(t, err)
		assert.Equal(t, want, data)
		r.keys("E")
		assert.Contains(t, r.m.status, "holds exactly this already")

		// What lies there is shown before it is replaced.
		require.NoError(t, os.WriteFile(found[0], []byte("mine"), 0o644))
		r.keys("E")
		require.NotNil(t, r.m.over)
		assert.Contains(t, r.screen(), "is another file")
		r.keys("esc")
		data, err = os.ReadFile(found[0])
		require.NoError(t, err)
		assert.Equal(t, "mine", string(data))
		r.exact()
	}
}

// TestSwitchesOfEffect: the axes of an effect are switches, and a choice there is the
// permutation of the whole program.
func TestSwitchesOfEffect(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.send(tea.KeyMsg{Type: tea.KeyF6})
	s := r.switches()
	require.NotNil(t, s.w)
	was := r.m.sel.perm
	assert.Equal(t, was, s.w.Permutation(s.set))
	assert.Contains(t, r.screen(), "Main/0")
	r.keys("j", "enter")
	r.keys("right")
	assert.NotEqual(t, was, r.m.sel.perm, "the permutation follows")
	assert.Equal(t, r.m.sel.perm, s.w.Permutation(s.set))
	assert.NotEmpty(t, s.panes[switchText].lines)
	for _, form := range []string{"2", "3", "5", "6", "4"} {
		r.keys(form)
		r.exact()
		assert.Empty(t, s.panes[s.form].err, form)
		assert.NotEmpty(t, s.panes[s.form].lines, form)
	}
	r.keys("ctrl+o")
	assert.Equal(t, was, r.m.sel.perm, "back takes it back")
}

// TestSwitchesBroken: a graph that cannot be read says where and why; one that breaks
// while it is open stays on the screen, and comes back when it is mended.
func TestSwitchesBroken(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(sampleGraph)))
	name := filepath.Join(dir, "switches.toml")
	good, err := os.ReadFile(name)
	require.NoError(t, err)
	bad := strings.Replace(string(good), `switch = "shadow"`, `switch = "shaddow"`, 1)
	require.NotEqual(t, string(good), bad)

	require.NoError(t, os.WriteFile(name, []byte(bad), 0o644))
	r := switchesRig(t, dir, 100, 30)
	assert.Contains(t, r.screen(), "cannot be read")
	assert.Contains(t, r.screen(), "shaddow")
	assert.Contains(t, r.screen(), "switches.toml:")
	r.exact()

	require.NoError(t, os.WriteFile(name, good, 0o644))
	r.keys("ctrl+r")
	s := r.switches()
	require.NotNil(t, s.w)
	r.keys("right")
	set := s.w.SetText(s.set)
	require.NoError(t, os.WriteFile(name, []byte(bad), 0o644))
	r.keys("ctrl+r")
	assert.Equal(t, set, s.w.SetText(s.set))
	assert.Contains(t, r.screen(), "shaddow")
	require.NoError(t, os.WriteFile(name, good, 0o644))
	r.keys("ctrl+r")
	assert.Equal(t, set, s.w.SetText(s.set), "the set is kept by name")
	assert.NotContains(t, r.screen(), "shaddow")
	r.exact()
}
