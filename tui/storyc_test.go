package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// What the dialog writes for a choice is what session.Export, and so `fxlens build`,
// makes of it.
func TestExportChoices(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		file string
		opt  func(o *session.PackageOptions, refs []session.PassRef)
		fmt  session.Format
	}{
		{"permutation", nil, "decal_sm_hi.0.cewgpu", nil, session.CEWGPU},
		{"pass", []string{"s"}, "decal_sm_hi.0.Main.0.cewgpu", func(o *session.PackageOptions, refs []session.PassRef) { o.Passes = refs[:1] }, session.CEWGPU},
		{"whole effect", []string{"s", "s"}, "decal_sm_hi.all.cewgpu", func(o *session.PackageOptions, _ []session.PassRef) { o.Mode = cewgpu.All }, session.CEWGPU},
		{"extended", []string{"p"}, "decal_sm_hi.0.cewgpu", func(o *session.PackageOptions, _ []session.PassRef) { o.Profile = cewgpu.Extended }, session.CEWGPU},
		{"container", []string{"f"}, "decal_sm_hi.0.carbonwebgpu", nil, session.Carbon},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openSession(t, decalFile)
			r := newRig(t, s, 120, 40)
			r.keys("e")
			r.keys(c.keys...)
			assert.Empty(t, list(t, r.m.opt.ExportDir), "nothing is written before enter")
			r.keys("enter")
			assert.Contains(t, r.screen(), "read back and checked")
			refs, err := s.Passes(s.DefaultPermutation())
			require.NoError(t, err)
			o := session.PackageOptions{Perm: s.DefaultPermutation(), Mode: cewgpu.Selected, Profile: cewgpu.Strict}
			if c.opt != nil {
				c.opt(&o, refs)
			}
			want, err := s.Export(context.Background(), c.fmt, o)
			require.NoError(t, err)
			dir := r.m.opt.ExportDir
			assert.Equal(t, string(want.Data), read(t, filepath.Join(dir, c.file)))
			files := []string{c.file}
			if c.fmt == session.Carbon {
				assert.Equal(t, string(want.Side), read(t, filepath.Join(dir, c.file+session.SideSuffix)))
				files = append(files, c.file+session.SideSuffix)
			}
			assert.Equal(t, files, list(t, dir))

			// The next time it is one key, and nothing is to be done.
			r.keys("esc", "ctrl+s")
			assert.Contains(t, r.screen(), "holds exactly this package already")
		})
	}
}

// A written package opens with one key and has the same axes, WGSL and bindings; O
// returns to the effect at its place.
func TestWrittenPackageOpens(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("j", "j", "e", "enter")
	text := func() map[form]string {
		out := map[form]string{}
		for _, f := range []form{formWGSL, formBindings, formDXBC} {
			l := r.m.stageNow().forms[f]
			var b strings.Builder
			for i := range l.Len() {
				b.WriteString(l.Text(i) + "\n")
			}
			out[f] = b.String()
		}
		return out
	}
	before, axes, perm := text(), r.m.sess.Effect.Axes, r.m.sel.perm
	line := r.line()
	r.keys("o")
	require.Equal(t, session.PackageFile, r.m.sess.Kind)
	assert.Contains(t, r.screen(), "quadv5_sm_hi.57.cewgpu")
	assert.Equal(t, perm, r.m.sel.perm)
	require.Len(t, r.m.sess.Effect.Axes, len(axes))
	for i := range axes {
		assert.Equal(t, axes[i].Name, r.m.sess.Effect.Axes[i].Name)
		assert.Equal(t, axes[i].Options, r.m.sess.Effect.Axes[i].Options)
	}
	assert.Equal(t, before, text())
	r.keys("e")
	assert.Contains(t, r.screen(), "package already")
	r.keys("O")
	assert.Equal(t, session.EffectFile, r.m.sess.Kind)
	assert.Equal(t, line, r.line())
	r.keys("O")
	assert.Contains(t, r.screen(), "not opened from another")
}

// Marks make a batch: one package each, one list of results; what fails does not stop
// the others.
func TestExportMarked(t *testing.T) {
	r := newRig(t, openSession(t, storyFile), 120, 40)
	r.keys("*", "~", "*") // the refused permutation's pass, and the nearest that translates
	r.keys("K", "x")
	assert.Contains(t, r.screen(), "one file each: 2 packages")
	r.keys("enter")
	s := r.screen()
	assert.Contains(t, s, "✓ story_sm_hi")
	assert.Contains(t, s, "✗ story_sm_hi")
	assert.Len(t, list(t, r.m.opt.ExportDir), 1)
}

// A refused stage is named before writing and leads to its place; strict names the
// profile that carries what it cannot.
func TestExportLeadsToTheRefusal(t *testing.T) {
	r, _ := storyRig(t, storyFile, 120, 40)
	r.keys("e")
	assert.Contains(t, r.screen(), "▲ not translated: Main/0")
	r.keys("!")
	assert.Nil(t, r.m.over)
	assert.Contains(t, r.screen(), "wgsl.double")
	assert.Contains(t, r.line(), "d")
	assert.Equal(t, []string{"story.sm_hi"}, list(t, filepath.Dir(r.m.sess.Name)), "nothing was written")
}

// Esc while the plan is built, and in every stage, leaves the folder as it was.
func TestExportEsc(t *testing.T) {
	r := newRig(t, openSession(t, decalFile), 120, 40)
	r.hold = true
	r.keys("e", "s", "s", "enter")
	assert.Equal(t, exLooking, r.m.export.stage)
	assert.Contains(t, r.screen(), "building…")
	r.keys("esc")
	r.release()
	assert.Nil(t, r.m.over)
	assert.Empty(t, list(t, r.m.opt.ExportDir))
	r.keys("e", "enter")
	assert.Len(t, list(t, r.m.opt.ExportDir), 1)
}

// The screen's numbers are those of the file.
// TestPackageScreenReasons: the first refusal is one key away from the Package screen,
// whose dialog nobody has opened.
func TestPackageScreenReasons(t *testing.T) {
	r := newRig(t, openSession(t, "../testdata/effects/"+refusedFile), 120, 40)
	r.keys("K", "!")
	assert.Nil(t, r.m.screen)
	require.GreaterOrEqual(t, r.m.diagAt, 0)
	assert.Contains(t, r.screen(), string(r.m.diags[r.m.diagAt].Code))
	r.exact()
}

func TestPackageScreen(t *testing.T) {
	r := newRig(t, openSession(t, decalFile), 120, 40)
	r.keys("K")
	s := r.screen()
	r.exact()
	for _, c := range r.m.plan.items[0].out.Report.Chunks {
		assert.Regexp(t, fmt.Sprintf(`%s +%d `, c.Tag, c.Size), s)
	}
	assert.Contains(t, s, "no findings")
	r.keys("s", "s")
	assert.Contains(t, r.screen(), "18 of 18 bodies have modules, for 128 of 128 permutations")
	r.keys("G")
	assert.Contains(t, r.screen(), "saved")
	r.keys("e")
	assert.Equal(t, scopePass, r.m.exportChoice.scope)
	r.keys("esc", "E")
	assert.Equal(t, scopeAll, r.m.exportChoice.scope)
	r.keys("enter")
	assert.Contains(t, r.screen(), "read back and checked")
	r.keys("esc", "o")
	assert.Equal(t, session.PackageFile, r.m.sess.Kind)
	r.keys("K")
	assert.Contains(t, r.screen(), "bodies have modules", "the screen shows what the package has")
}

// The dialog, its results and the screen at the three sizes.
func TestPackageFrames(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		for _, c := range []struct {
			name string
			file string
			keys []string
		}{
			{"screen", decalFile, []string{"K"}},
			{"screen-all", decalFile, []string{"K", "s", "s"}},
			{"screen-refused", storyFile, []string{"K"}},
			{"dialog", decalFile, []string{"e"}},
			{"done", decalFile, []string{"e", "enter"}},
			{"reasons", storyFile, []string{"!"}},
			{"nearest", storyFile, []string{"]", "~"}},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				r := newRig(t, openSession(t, c.file), z[0], z[1], func(o *Options) { o.Version = "0.0.0" })
				dir := r.m.opt.ExportDir
				if c.name != "done" {
					r.m.opt.ExportDir = "out"
				}
				r.keys(c.keys...)
				r.exact()
				if c.name == "done" {
					assert.NotContains(t, r.screen(), "nothing was written")
					assert.Len(t, list(t, dir), 1)
					return
				}
				golden.RequireEqual(t, []byte(r.screen()))
			})
		}
	}
}

// Two sessions with other options share what they compiled: the export of a chosen view
// format has it.
func TestExportHasTheChoice(t *testing.T) {
	r, _ := storyRig(t, sharedEffects+"postprocess/histogram.sm_hi", 120, 40)
	r.keys("]", "r", "enter", "]", "r", "enter", "e")
	assert.Contains(t, r.screen(), "--profile extended", "what strict cannot carry, with the remedy")
	r.keys("p", "enter")
	require.Contains(t, r.screen(), "read back and checked")
	s := openSession(t, r.m.sess.Name)
	sc, err := session.ParseSidecar([]byte(read(t, r.m.opt.Sidecar)))
	require.NoError(t, err)
	var o compile.Options
	require.NoError(t, sc.Apply(&o))
	want, err := s.With(o).Export(context.Background(), session.CEWGPU, session.PackageOptions{Perm: 0, Mode: cewgpu.Selected, Profile: cewgpu.Extended})
	require.NoError(t, err)
	got, err := os.ReadFile(r.m.written)
	require.NoError(t, err)
	assert.Equal(t, want.Data, got)
	assert.Contains(t, string(got), "R32G32B32A32_FLOAT")
}
