package trial

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	"fxlens/core/interp/job"
)

// lanesOf runs a trial to its end and returns all register lanes of all invocations.
func lanesOf(t testing.TB, tr *Trial) map[interp.Lane][]uint32 {
	t.Helper()
	d, err := debug.New(context.Background(), tr.Stage.Prog, tr.Input(), debug.Options{})
	require.NoError(t, err)
	_, err = d.Continue(context.Background())
	require.NoError(t, err)
	out := map[interp.Lane][]uint32{}
	for _, l := range tr.Stage.Prog.Lanes() {
		for i := range d.Invocations() {
			w, ok := d.Peek(l, i)
			require.True(t, ok)
			out[l] = append(out[l], w)
		}
	}
	return out
}

// TestEditsAreSaved sets an input of one invocation and a constant of stages of every
// kind, saves and reopens, twice: the same lanes, the same outputs.
func TestEditsAreSaved(t *testing.T) {
	ctx := context.Background()
	kinds := map[string]int{}
	for _, s := range effectStages(t) {
		kind := s.Shader.Program.Kind.String()
		if kinds[kind] == 3 {
			continue
		}
		for _, set := range []Set{Small, Boundary} {
			tr, _, err := s.Inputs(ctx, set, 2)
			require.NoError(t, err, s.Name)
			before := lanesOf(t, tr)
			if cs := tr.Constants(); len(cs) > 0 {
				require.NoError(t, tr.SetConstant(cs[0].Slot, 4, math.Float32bits(0.75)))
			}
			edited := 0
			for _, l := range tr.Lanes() {
				// An invocation of the second instance, of which the vertex buffers know nothing.
				if n := tr.n - 3; l.Reg == dxbc.RegInput && edited < 2 {
					require.NoError(t, tr.SetInput(l.Index, n, int(l.Comp), math.Float32bits(0.3)))
					edited++
				}
			}
			if kind != "cs" {
				require.Positive(t, edited, s.Name)
			}
			want := lanesOf(t, tr)
			if edited > 0 {
				assert.NotEqual(t, before, want)
			}
			again, err := reopen(t, tr)
			require.NoError(t, err, s.Name)
			assert.Equal(t, want, lanesOf(t, again), "%s %s", s.Name, set)
			for _, l := range tr.Lanes() { // and what was edited can be edited again
				if l.Reg == dxbc.RegInput {
					require.NoError(t, again.SetInput(l.Index, 0, int(l.Comp), 0x40000000))
					require.NoError(t, again.SetInput(l.Index, tr.n-3, int(l.Comp), 0x40400000))
					break
				}
			}
			third, err := reopen(t, again)
			require.NoError(t, err)
			a, _, err := again.run(ctx, s.Prog, interp.Options{NoRaces: true})
			require.NoError(t, err)
			b, _, err := third.run(ctx, s.Prog, interp.Options{NoRaces: true})
			require.NoError(t, err)
			assert.Equal(t, a, b, s.Name)
			assert.Equal(t, lanesOf(t, again), lanesOf(t, third), s.Name)
		}
		kinds[kind]++
	}
	assert.GreaterOrEqual(t, len(kinds), 2, kinds)
}

// TestInputsAreWhatIsSaved: the inputs under a name and a seed are those of the job that
// says so, for pixels too, where interpolation makes the values.
func TestInputsAreWhatIsSaved(t *testing.T) {
	ctx := context.Background()
	n := 0
	for _, s := range effectStages(t) {
		if n == 6 {
			break
		}
		n++
		tr, _, err := s.Inputs(ctx, Small, 1)
		require.NoError(t, err)
		require.NotNil(t, tr.source, s.Name)
		again, err := reopen(t, tr)
		require.NoError(t, err)
		assert.Equal(t, lanesOf(t, tr), lanesOf(t, again), s.Name)
		assert.Equal(t, tr.Constants(), again.Constants())
	}
	require.Equal(t, 6, n)
}

// TestDrawIsSaved edits the pixel stage of a draw: the vertex stage keeps its constants.
func TestDrawIsSaved(t *testing.T) {
	js, err := job.Parse("job d\nstage draw\ndxbc vs a.dxbc\ndxbc ps b.dxbc\ncb 0 f:1,2,3,4\nvb 0 stride=16 file:x.bin\nexpect rt0 u:1\n")
	require.NoError(t, err)
	text, err := js[0].Text(job.Changes{Stage: "ps", Programs: map[string]string{"vs": "n.vs.dxbc", "ps": "n.dxbc"},
		Constants: map[interp.Slot][]byte{{}: {1, 2, 3, 4}}, Inputs: []job.Input{{Invocation: 7, Register: 2, Words: [4]uint32{1, 2, 3, 0xff}}}},
		func(string) ([]byte, error) { return []byte{0xab}, nil })
	require.NoError(t, err)
	assert.Equal(t, "job d\nstage draw\ndxbc vs n.vs.dxbc\ndxbc ps n.dxbc\ncb 0 f:1,2,3,4\nvb 0 stride=16 hex:ab\ncb 0 stage=ps hex:01020304\ninput 7 v2 stage=ps hex:010000000200000003000000ff000000\n", text)
}
