package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTableFrames(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {120, 40}} {
		for _, c := range []struct {
			name string
			keys []string
		}{
			{"constants", []string{"9"}},
			{"stat", []string{"#", "j", "j"}},
			{"offsets", []string{"1", "b", "j", "right"}},
			{"words", []string{"1", "b", "b", "j"}},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				r := fixedRig(t, z[0], z[1])
				ref, ok := r.m.ref()
				require.True(t, ok)
				r.m.view.withEffect(r.m.sess, r.m.sel.perm, ref)
				r.keys(c.keys...)
				r.exact()
				golden.RequireEqual(t, []byte(r.screen()))
			})
		}
	}
}

// Showing and hiding words keeps the cursor on its instruction; history returns to the
// listing as it was.
func TestRawKeepsTheCursor(t *testing.T) {
	r := fixedRig(t, 120, 40)
	r.keys("1", "j", "j", "j", "right", "right")
	text, pos := r.line(), r.cursor()
	for _, mode := range []rawMode{rawOffsets, rawWords, rawNone} {
		r.keys("b")
		assert.Equal(t, mode, r.m.raw)
		assert.Equal(t, text, r.line(), "mode %d", mode)
		assert.Equal(t, pos.tok, r.cursor().tok, "mode %d", mode)
	}
	assert.Equal(t, pos.line, r.cursor().line)
	r.keys("b", "b", "G")
	r.keys("g", "j") // on words
	f := r.m.listing(r.m.focus).Focus(r.cursor().line, 0)
	r.keys("b")
	assert.Equal(t, f.Instr, r.m.listing(r.m.focus).Focus(r.cursor().line, 0).Instr)
	r.keys("b", "b", "j", "j")
	text = r.line()
	r.m.record()
	r.keys("b", "ctrl+o")
	assert.Equal(t, rawWords, r.m.raw)
	assert.Equal(t, text, r.line())
}

// Every stage of an effect has its constants from one of the two sources, or says why not.
func TestConstantsOfEffects(t *testing.T) {
	s := openSession(t, "../testdata/effects/ui/sprite2d.sm_hi")
	r := newRig(t, s, 120, 40)
	require.NotEmpty(t, r.m.passes)
	r.keys("9")
	st := r.m.stageNow()
	require.NotNil(t, st)
	l := st.forms[formConstants]
	all := ""
	for i := range l.Len() {
		all += l.Text(i) + "\n"
	}
	if st.stage.Shader.RDEF == nil {
		assert.Contains(t, all, "these are the effect's constants")
	}
	body, err := s.Effect.Body(r.m.sel.perm)
	require.NoError(t, err)
	ref, ok := r.m.ref()
	require.True(t, ok)
	es := body.Techniques[ref.TechIndex].Passes[ref.Pass].Stage(effectStages[st.stage.Kind])
	require.NotNil(t, es)
	for _, c := range es.Constants {
		assert.Contains(t, all, c.Name)
	}
	require.NotEmpty(t, es.Constants, "the effect has something to show")
}
