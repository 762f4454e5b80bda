package views_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/require"

	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/views"
)

// TestSwitchViews: every list of the Switches screen over the sample graph.
func TestSwitchViews(t *testing.T) {
	w, err := switches.Open(os.DirFS("../testdata/switches/deferred"), "switches.toml", "deferred", "deferred")
	require.NoError(t, err)
	shader, err := w.Shader("shade")
	require.NoError(t, err)
	set, err := w.Value(variant.Empty, "shadow", "Virtual")
	require.NoError(t, err)
	ctx := context.Background()

	var b strings.Builder
	show := func(title string, lines []views.Line, rows []views.SwitchRow) {
		require.Len(t, rows, len(lines), title)
		b.WriteString("== " + title + "\n")
		for i := range lines {
			b.WriteString(strings.TrimRight(lines[i].Text(), " ") + "\n")
		}
	}
	lines, rows := views.SwitchList(w, set, shader, w.Switches[1].Switch)
	show("list", lines, rows)
	lines, rows = views.SwitchTree(w.Tree(shader, set))
	show("tree", lines, rows)
	v, err := w.Variant(ctx, shader, set)
	require.NoError(t, err)
	lines, rows = views.SwitchBindings(v)
	show("bindings", lines, rows)
	table, err := w.Table(ctx, []int{shader}, nil, nil)
	require.NoError(t, err)
	lines, rows = views.SwitchVariants(table, v.Label)
	show("variants", lines, rows)
	changes, err := w.Diff(ctx, shader, variant.Empty, set)
	require.NoError(t, err)
	lines, rows = views.SwitchChanges("before", "after", changes[len(changes)-2:])
	show("changes", lines, rows)
	lines, rows = views.SwitchFindings(w, []switches.Finding{
		{Finding: variant.Finding{Rule: variant.RuleUndeclared, Shader: "shade", Name: "lights", Line: 3, Column: 7, Text: "reads \x1b[2J lights", Error: true}, File: "a.wgsl", Remedy: "declare it"},
		{Finding: variant.Finding{Rule: switches.RuleUnused, Text: "nothing reaches it"}},
	})
	show("findings", lines, rows)
	golden.RequireEqual(t, b.String())
}
