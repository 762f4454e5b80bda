package views

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// TestPremises shows premises below the bindings, each with the instruction that
// it follows from; names from the file are made safe.
func TestPremises(t *testing.T) {
	plan := &layout.Plan{Bindings: []layout.Binding{{Kind: layout.StorageResource, Type: "array<u32>", Visibility: []layout.Stage{layout.Compute}, Buffer: &layout.Buffer{Type: "storage"}}}}
	ps := []ir.Premise{
		{Kind: ir.PremiseDispatch, Subject: "groups.x", Relation: "==", Value: "1", Text: "why", At: diag.At(7)},
		{Kind: ir.PremiseOrder, Subject: "u0", Relation: "after", Value: "Main/0", Name: "a\x1bb"},
	}
	l := BindingsAndPremises(plan, ps)
	require.Equal(t, 6, l.Len(), "two lines of the plan, a blank one, a heading, two premises")
	lines := l.Lines(Window{Rows: 10, Cols: 200}, nil)
	text := func(i int) string {
		s := ""
		for _, sp := range lines[i].Spans {
			s += sp.Text
		}
		return s
	}
	assert.Contains(t, text(4), "groups.x == 1")
	assert.Contains(t, text(5), "u0 after Main/0")
	assert.NotContains(t, text(5), "\x1b")
	assert.Equal(t, int32(7), l.Focus(4, 0).Instr)
	assert.Equal(t, NoFocus, l.Focus(3, 0))
	assert.Equal(t, int32(0), l.Focus(1, 0).Binding)
	assert.Equal(t, Bindings(plan).Len(), BindingsAndPremises(plan, nil).Len())
}
