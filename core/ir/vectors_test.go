package ir_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// carried assembles the body of a pixel program, runs all phases and returns the
// widths and kinds of what its loop carries.
func carried(t *testing.T, body string) (widths []int, kinds []ir.Kind) {
	t.Helper()
	code, err := dxbc.Assemble("ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\ndcl_temps 4\n"+body, nil)
	require.NoError(t, err)
	s, err := dxbc.Open(code)
	require.NoError(t, err)
	f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, "%v", ds)
	for _, p := range ir.Phases {
		p.Run(f)
		require.NoError(t, ir.Verify(f), p.Name)
	}
	f.Walk(func(n ir.NodeID) {
		for _, h := range f.Nodes[n].Header {
			widths = append(widths, int(f.Values[h].N))
			kinds = append(kinds, f.Values[h].Kind)
		}
	})
	slices.Sort(widths)
	return widths, kinds
}

// TestJoinedLanes: lanes of one register travel as a vector, unless WGSL would
// take flow at a derivative for varying because one of them is.
func TestJoinedLanes(t *testing.T) {
	loop := func(start, derivative string) string {
		return "dcl_constantbuffer CB0[1], immediateIndexed\nmov r1.xyzw, " + start + `
loop
  lt r3.x, l(9.0), r1.x
  breakc_nz r3.x
  add r1.x, r1.x, l(1.0)
  mul r1.yzw, r1.yyzw, v0.yyyy
` + derivative + "endloop\nmov o0.xyzw, r1.xyzw\nret\n"
	}
	const derivative = "  deriv_rtx r3.y, r1.z\n  add r1.z, r1.z, r3.y\n"
	for _, c := range []struct {
		name, start, derivative string
		want                    []int
	}{
		{"no derivative", "cb0[0].xyzw", "", []int{4}},
		{"a uniform lane decides", "cb0[0].xyzw", derivative, []int{1, 3}},
		{"all lanes vary", "v0.xyzw", derivative, []int{4}},
	} {
		widths, _ := carried(t, loop(c.start, c.derivative))
		assert.Equal(t, c.want, widths, c.name)
	}
}

// TestCounterKind: a counter whose readers are signed is signed, although it and
// the addition each follow the other.
func TestCounterKind(t *testing.T) {
	widths, kinds := carried(t, `mov r0.xy, l(0, 0, 0, 0)
loop
  ige r1.x, r0.x, l(8)
  breakc_nz r1.x
  itof r1.y, r0.x
  mad r0.y, r1.y, v0.x, r0.y
  iadd r0.x, r0.x, l(1)
endloop
mov o0.xyzw, r0.yyyy
ret
`)
	assert.Equal(t, []int{1, 1}, widths)
	assert.ElementsMatch(t, []ir.Kind{ir.I32, ir.F32}, kinds)
}
