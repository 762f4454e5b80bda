package tui

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/effect"
)

const storyFile = "testdata/story/story.sm_hi"

// storyEffect builds an effect of two axes: SAMPLES chooses between two programs, and
// ACCUMULATE brings in double precision, which is refused, and which is its default.
func storyEffect(t *testing.T) []byte {
	t.Helper()
	file := func(name string) []byte {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		return b
	}
	vs := effect.Stage{Type: effect.Vertex, Program: file("../testdata/hlsl/vs-transform.dxbc")}
	m := &effect.Model{CompilerVersion: [4]uint8{1, 2, 6, 0}, SourceHash: strings.Repeat("0", 32), Axes: []effect.Axis{
		{Name: "SAMPLES", Description: "Texels that are read", Options: []string{"SAMPLES_LOW", "SAMPLES_HIGH"}},
		{Name: "ACCUMULATE", Description: "Type of the sum", Default: 1, Options: []string{"ACCUMULATE_FLOAT", "ACCUMULATE_DOUBLE"}},
	}}
	for _, name := range []string{"low", "high", "low-double", "high-double"} {
		ps := effect.Stage{Type: effect.Pixel, Program: file("testdata/story/story-blur-" + name + ".dxbc")}
		m.Bodies = append(m.Bodies, &effect.Body{Techniques: []effect.Technique{{Name: "Main", Passes: []effect.Pass{{Stages: []effect.Stage{vs, ps}}}}}})
	}
	b, err := effect.Build(m)
	require.NoError(t, err)
	return b
}

func TestStoryEffect(t *testing.T) {
	want := storyEffect(t)
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(storyFile, want, 0o644))
	}
	got, err := os.ReadFile(storyFile)
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "run with -update")
}

// From a refused permutation to the nearest one that translates, what the option brings
// in, and back to the refused instruction.
func TestNearestPermutation(t *testing.T) {
	r, _ := storyRig(t, storyFile, 120, 40)
	assert.Contains(t, r.screen(), "✗ 1 refused")
	r.keys("]")
	assert.Contains(t, r.screen(), "wgsl.double")
	at := r.m.here()
	line := r.line()
	r.keys("~")
	assert.Equal(t, 0, r.m.sel.perm)
	assert.Equal(t, compile.Translated, r.m.view.pass.Status)
	s := r.screen()
	assert.Contains(t, s, "ACCUMULATE ACCUMULATE_FLOAT instead of ACCUMULATE_DOUBLE")
	assert.Contains(t, s, "ACCUMULATE_DOUBLE → ACCUMULATE_FLOAT")
	assert.Contains(t, s, "✗ 9 - ftod r1.xy, r0.w", "the instructions that the option brings in")
	r.keys("~")
	assert.Contains(t, r.screen(), "this pass translates here")
	r.keys("(")
	assert.Equal(t, at.perm, r.m.sel.perm)
	assert.Equal(t, line, r.line(), "back at the refused instruction")

	// Where no permutation translates it says so.
	r, _ = storyRig(t, sharedEffects+"particles/draw.sm_hi", 120, 40)
	r.keys("]", "~")
	assert.Contains(t, r.screen(), "no permutation translates this pass")
}
