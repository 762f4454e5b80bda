package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/session"
	"fxlens/views"
)

// copyEffect puts an effect into a folder of its own, where a sidecar may be written.
func copyEffect(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skip(path + " is not here")
	}
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(out, b, 0o600))
	return out
}

const sharedEffects = "../../shared/effects/"

// storyRig opens an effect with a sidecar beside it.
func storyRig(t *testing.T, path string, w, h int) (*rig, string) {
	t.Helper()
	file := copyEffect(t, path)
	clip := filepath.Join(t.TempDir(), "clip")
	r := newRig(t, openSession(t, file), w, h, func(o *Options) {
		o.Sidecar, o.ExportDir = file+session.SidecarSuffix, filepath.Dir(file)
		o.Clipboard = func(s string) error { return os.WriteFile(clip, []byte(s), 0o600) }
	})
	return r, clip
}

// The remedy of a typed buffer is a prompt; the choice compiles, is kept, shows in the
// bindings, and undo takes all of that back. The cursor stays.
func TestRemedyPrompt(t *testing.T) {
	r, _ := storyRig(t, sharedEffects+"postprocess/histogram.sm_hi", 120, 40)
	side := r.m.opt.Sidecar
	assert.Contains(t, r.screen(), "✗ 1 refused")
	r.keys("]")
	assert.Contains(t, r.screen(), "bind.view-format")
	assert.Contains(t, r.screen(), "r sets the remedy")
	assert.Contains(t, r.line(), "dcl_resource_buffer (uint,uint,uint,uint) t1")
	r.keys("u")
	assert.Contains(t, r.line(), "ld_indexable(buffer)", "a use is one key away")
	r.keys("d")
	assert.Contains(t, r.line(), "dcl_resource_buffer (uint,uint,uint,uint) t1", "and the declaration")
	at := r.cursor()

	r.keys("r")
	assert.Contains(t, r.screen(), `Remedy: view format of t1 ("HistogramIn")`)
	assert.Contains(t, r.screen(), "takes 2 refusals away")
	assert.NotContains(t, r.screen(), "FLOAT", "only what the declaration allows")
	r.keys("esc")
	r.keys("r", "enter")
	assert.Equal(t, at, r.cursor(), "the cursor stays")
	assert.Contains(t, read(t, side), `"Average/0/cs/t1" = "R32_UINT"`)
	assert.Contains(t, r.screen(), "--view Average/0/cs/t1=R32_UINT, kept in histogram.sm_hi.fxlens.toml; ctrl+z undoes")
	r.keys("4")
	assert.Regexp(t, `t1 +HistogramIn +buffer +R32_UINT \(flag\)`, r.screen())
	assert.Regexp(t, `t2 +History +buffer +not known`, r.screen())
	r.keys("1", "]")
	assert.Contains(t, r.line(), "t2", "the walk goes on with what is left")
	r.keys("r")
	assert.Contains(t, r.screen(), "frees   2 stages in 2 permutations of 2")
	r.keys("enter")
	assert.Contains(t, r.screen(), "✓ 2 translated")
	assert.NotContains(t, r.screen(), "✗ 1 refused")
	assert.Contains(t, r.line(), "dcl_resource_buffer (float,float,float,float) t2")
	assert.Equal(t, compile.Translated, r.m.view.pass.Status)
	r.keys("4")
	assert.Contains(t, r.screen(), "view R32G32B32A32_FLOAT (flag)", "the bindings show t2, where the cursor was")
	r.keys("up")
	assert.Contains(t, r.screen(), "view R32_UINT (flag)")

	// A fresh session with the sidecar has the same options.
	sc, err := session.ParseSidecar([]byte(read(t, side)))
	require.NoError(t, err)
	var o compile.Options
	require.NoError(t, sc.Apply(&o))
	assert.Equal(t, r.m.sess.Options, o)

	r.keys("1", "ctrl+z")
	assert.Contains(t, r.screen(), "✗ 1 refused")
	assert.NotContains(t, read(t, side), "t2")
	r.keys("ctrl+z")
	_, err = os.Stat(side)
	assert.ErrorIs(t, err, os.ErrNotExist, "nothing is left of it")
	assert.Empty(t, r.m.sess.Options.Views)
	r.keys("ctrl+z")
	assert.Contains(t, r.screen(), "nothing was set in this visit")
}

// A sidecar that cannot be written is said; the choice holds.
func TestRemedyWithoutSidecar(t *testing.T) {
	r, _ := storyRig(t, sharedEffects+"postprocess/histogram.sm_hi", 120, 40)
	require.NoError(t, os.WriteFile(r.m.opt.Sidecar, []byte("views = 3\n"), 0o600))
	r.keys("]", "r", "enter")
	assert.Contains(t, r.screen(), "not kept")
	assert.Equal(t, "R32_UINT", r.m.sess.Options.Views["Average/0/cs/t1"])
	assert.Equal(t, "views = 3\n", read(t, r.m.opt.Sidecar))
}

// The list of reasons: what blocks the most first, over all permutations; enter goes
// there, and where nothing can be set the text says so and no remedy is offered.
func TestReasons(t *testing.T) {
	r, _ := storyRig(t, sharedEffects+"particles/draw.sm_hi", 120, 40)
	r.keys("!")
	s := r.screen()
	assert.Contains(t, s, "Why refused")
	assert.Contains(t, s, "gs stages have no counterpart in WebGPU")
	assert.Contains(t, s, `the view format of the typed buffer t1 ("AliveList")`)
	assert.Contains(t, s, "remedy  give the format")
	r.keys("down")
	assert.Contains(t, r.screen(), "remedy  none: draw without the stage")
	r.keys("enter")
	assert.Contains(t, r.screen(), "▸ DXBC  gs")
	assert.Contains(t, r.screen(), "compile.no-stage")
	assert.NotContains(t, r.screen(), "r sets the remedy")
	assert.Contains(t, r.screen(), "no WGSL: the stage is not translatable", "the WGSL pane is never blank")
	r.keys("r")
	assert.Nil(t, r.m.over)
	assert.Contains(t, r.screen(), "there is nothing to set: none: draw without the stage")
	r.keys("6")
	assert.Contains(t, r.screen(), "Signatures  gs")
	assert.Contains(t, r.screen(), "TEXCOORD")
	r.keys("1", "!", "home", "enter")
	assert.Contains(t, r.line(), "dcl_resource_buffer (uint,uint,uint,uint) t1")
	assert.Contains(t, r.screen(), "r sets the remedy")

	// The list comes at once and grows while the passes are looked at.
	r, _ = storyRig(t, sharedEffects+"particles/draw.sm_hi", 120, 40)
	r.hold = true
	r.keys("!")
	assert.Contains(t, r.screen(), "0 of 0 passes")
	r.release()
	assert.NotContains(t, r.screen(), "passes:")
	r.keys("no-such-reason")
	assert.Contains(t, r.screen(), "nothing fits")
	r.keys("esc")
	r, _ = storyRig(t, "../testdata/effects/ui/sprite2d.sm_hi", 120, 40)
	r.keys("!")
	assert.Contains(t, r.screen(), "every stage of every permutation is translated")
}

// SSA at the last phase that was reached, with the place marked.
func TestRefusedSSA(t *testing.T) {
	r, _ := storyRig(t, sharedEffects+"postprocess/histogram.sm_hi", 120, 40)
	r.keys("]", "2")
	assert.Contains(t, r.screen(), "▸ SSA  cs")
	l := r.m.listing(r.m.focus)
	marked := 0
	for i := range l.Len() {
		if l.Lines(views.Window{First: i, Rows: 1, Cols: 80}, nil)[0].Mark&views.MarkError != 0 {
			marked++
		}
	}
	assert.Positive(t, marked, "the place is marked")
}

// The report of a diagnostic, and the link in it, which opens the same place.
func TestExcerpt(t *testing.T) {
	r, clip := storyRig(t, sharedEffects+"postprocess/histogram.sm_hi", 120, 40)
	r.keys("]", "ctrl+y")
	text := read(t, clip)
	lines := strings.Split(text, "\n")
	assert.Contains(t, lines[0], "histogram.sm_hi?SOURCE=SOURCE_LINEAR#Average/0/cs@2")
	assert.Contains(t, text, "[bind.view-format]")
	assert.Contains(t, text, "rule: a typed buffer takes element size")
	assert.Contains(t, text, "remedy: give the format")
	assert.Contains(t, text, ">    2  dcl_resource_buffer (uint,uint,uint,uint) t1")
	assert.Contains(t, text, "program sha256 ")
	assert.Contains(t, text, "file sha256 ")
	l, err := session.ParseLink(lines[0])
	require.NoError(t, err)
	again := newRig(t, openSession(t, l.File), 120, 40, func(o *Options) { o.At = &l })
	assert.Equal(t, r.line(), again.line())
	assert.Equal(t, r.m.sel, again.m.sel)
	r.keys("t", "c", "report", "enter")
	assert.Equal(t, text, read(t, clip), "the menu has it too")
}

// ] walks the errors in the order in which `wgsl --json` has them, stage by stage.
func TestWalkOrder(t *testing.T) {
	for _, name := range []string{"postprocess/histogram.sm_hi", "particles/draw.sm_hi", "planet/terrain.sm_hi"} {
		r, _ := storyRig(t, sharedEffects+name, 120, 40)
		var want, got []string
		for _, ref := range r.m.passes {
			p, err := r.m.sess.Compile(context.Background(), r.m.sel.perm, ref)
			require.NoError(t, err)
			for _, d := range r.m.sess.Diags(r.m.sel.perm, ref, p) {
				if d.Sev == diag.Error {
					want = append(want, string(d.Code)+d.At.String())
				}
			}
		}
		require.NotEmpty(t, want, name)
		for range want {
			r.keys("]")
			d := r.m.diags[r.m.diagAt]
			got = append(got, string(d.Code)+d.At.String())
		}
		assert.Equal(t, want, got, name)
	}
}
