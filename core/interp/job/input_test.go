package job

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

const copyPS = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps linear v0.xyzw
dcl_output o0.xyzw
mov o0.xyzw, v0.xyzw
ret
`

// TestInput sets an input register of single pixels: nothing else gets another value, in a
// run and in what is prepared for others.
func TestInput(t *testing.T) {
	p, err := dxbc.AssembleProgram(copyPS)
	require.NoError(t, err)
	opt := Options{Program: &dxbc.Shader{Program: p}, Open: func(string) ([]byte, error) { return nil, nil }}
	run := func(lines string) *Result {
		js, err := Parse("job x\nstage ps\nsize 4 2\nrt 0 fmt=R32G32B32A32_FLOAT\n" + lines)
		require.NoError(t, err)
		r, err := js[0].Run(context.Background(), opt)
		require.NoError(t, err)
		return r
	}
	r := run("input 3 v0 f:1,2,3,4\ninput 4 v0 u:5,6,7,8\n")
	require.Equal(t, "ok", r.Status, r.Error)
	words := func(x, y int) (out [4]uint32) {
		for k := range out {
			out[k] = binary.LittleEndian.Uint32(r.Outputs[0].Data[16*(4*y+x)+4*k:])
		}
		return out
	}
	one, four := math.Float32bits(1), math.Float32bits(4)
	assert.Equal(t, []uint32{one, four}, []uint32{words(1, 1)[0], words(1, 1)[3]}, "the last pixel of the first quad")
	assert.Equal(t, [4]uint32{5, 6, 7, 8}, words(2, 0), "the first of the second")
	assert.Zero(t, words(0, 0))
	assert.Zero(t, words(3, 1))

	js, err := Parse("job x\nstage ps\nsize 4 2\ninput 3 v0 u:9,9,9,9\n")
	require.NoError(t, err)
	set, err := js[0].Prepare(context.Background(), opt)
	require.NoError(t, err)
	require.Equal(t, 8, set.Pixels.N)
	assert.Equal(t, [4]uint32{9, 9, 9, 9}, set.Pixels.In[0][3])

	for _, c := range []struct{ name, line, want string }{
		{"pixel", "input 8 v0 zero:16", "line 5: input of invocation 8: the last one is 7"},
		{"number", "input -1 v0 zero:16", `line 5: input "-1" is not the number of a vertex or pixel`},
		{"register", "input 0 v7 zero:16", "line 5: the program has no input v7"},
		{"kind of register", "input 0 r0 zero:16", `line 5: input of "r0": name a register, such as v0`},
		{"data", "input 0 v0 u:1", "line 5: input has 4 bytes: a register has four words"},
		{"samples", "tex t0 2d fmt=R32_FLOAT samples=4", "line 5: 4 samples of a 2d texture"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(c.line + "\n")
			assert.Equal(t, []string{"error", c.want}, []string{r.Status, r.Error})
		})
	}
}
