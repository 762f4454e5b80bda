package views_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/views"
)

const flowText = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], immediateIndexed
dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 3
mov r0.xy, v1.xyxx
mov r0.z, l(0)
mov r2.xyzw, v1.wzyx
add r2.xyzw, r2.xyzw, v1.xyzw
lt r1.x, r0.x, v1.z
if_nz r1.x
  add r0.x, r0.x, cb0[0].x
else
  mov r0.z, r0.y
endif
loop
  ge r1.y, r0.x, l(8.000000)
  breakc_nz r1.y
  add r0.x, r0.x, l(1.000000)
endloop
switch v1.y
  case l(0)
  mov r0.x, l(1.000000)
  break
  case l(1)
  case l(2)
  if_nz r1.x
    discard_nz r1.x
  endif
  mov r0.x, l(2.000000)
  break
  default
  ret
endswitch
mul o0.xyzw, r2.xxxx, r0.xzxz
ret
`

func cfg(t *testing.T, text string) *views.CFG {
	t.Helper()
	p, err := dxbc.AssembleProgram(text)
	require.NoError(t, err)
	return views.NewCFG(p, p.Flow())
}

func TestCFG(t *testing.T) {
	c := cfg(t, flowText)
	var b strings.Builder
	width := 0
	for i := range c.Len() {
		b.WriteString(c.Text(i) + "\n")
		l := c.Lines(views.Window{First: i, Rows: 1}, nil)[0]
		if i == 0 {
			width = l.Width()
		}
		assert.Equal(t, width, l.Width(), "row %d", i)
	}
	golden.RequireEqual(t, []byte(b.String()))
	// Every instruction is somewhere, and its row says so.
	p, err := dxbc.AssembleProgram(flowText)
	require.NoError(t, err)
	for i := 5; i < len(p.Instrs); i++ {
		switch p.Instrs[i].Op {
		case dxbc.OpElse, dxbc.OpEndif, dxbc.OpEndloop, dxbc.OpEndswitch:
			continue // lines of the drawing
		}
		sel := views.NoSelection
		sel.Instrs = []int32{int32(i)}
		n := c.Seek(&sel, 0)
		require.GreaterOrEqual(t, n, 0, "@%d", i)
		assert.NotZero(t, c.Lines(views.Window{First: n, Rows: 1}, sel.At(-1, 0, false))[0].Mark&views.MarkLinked, "@%d", i)
	}
}

// A row that crosses two boxes has a token for each.
func TestCFGTokens(t *testing.T) {
	c := cfg(t, flowText)
	for i := range c.Len() {
		if c.Tokens(i) == 2 && strings.Contains(c.Text(i), "add r0.x, r0.x, cb0") {
			assert.EqualValues(t, 11, c.Focus(i, 1).Instr)
			assert.EqualValues(t, 13, c.Focus(i, 2).Instr)
			return
		}
	}
	t.Error("the two sides of the if are not side by side")
}

// Deep nesting and many blocks end, with a drawing or a reason.
func TestCFGOfHostileNesting(t *testing.T) {
	deep := "ps_5_0\ndcl_temps 1\n" + strings.Repeat("if_nz r0.x\n", 300) + strings.Repeat("endif\n", 300) + "ret\n"
	c := cfg(t, deep)
	assert.NotEmpty(t, c.Text(0))
	wide := "ps_5_0\ndcl_temps 1\n" + strings.Repeat("if_nz r0.x\nmov r0.x, r0.x\nendif\n", 8_000) + "ret\n"
	c = cfg(t, wide)
	assert.Contains(t, c.Text(0), "too large to draw")
	assert.Equal(t, 1, c.Len())
	assert.Equal(t, "", cfg(t, "ps_5_0\ndcl_temps 1\n").Text(3))
}
