package tui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tourSteps are the steps of docs/tour.md: what is said, and the keys that lead there
// from the frame before.
var tourSteps = []struct {
	say  string
	keys []string
}{
	{"The effect is open. Left the axes and the tree with a mark for every stage; right DXBC and the WGSL that came of it. The cursor's line (`>`) and its counterpart (`•`) are marked in every pane, and the panel below says what the instruction does.", nil},
	{"`→` `→` goes to the register `r0.xyzw`: it lights up wherever these lanes are meant. `'` pins it, so that it stays lit (`1`) when the cursor goes on with `j`.", []string{"right", "right", "'", "j", "j", "j", "j", "j", "j", "j"}},
	{"`f` dims all but what feeds the value under the cursor (`~`); `f` again turns the slice round, and once more ends it.", []string{"f"}},
	{"`f` `f` ends the slice. `Z` closes every nested region, `x` opens the one under the cursor.", []string{"f", "f", "Z"}},
	{"`Z` opens them again. `W` draws the control flow; `→` goes from box to box, and the other panes follow.", []string{"Z", "tab", "W"}},
	{"`]` walks the diagnostics from any pane: the place, the rule and the remedy.", []string{"]"}},
	{"`c` copies: the line, the region, the listing, the link to this place, JSON, or the command that prints the same without a terminal.", []string{"c"}},
	{"`:` runs any action by name. What does not work here says why.", []string{"esc", ":", "pin"}},
	{"And at 80x24 without a colour, DXBC interleaved with its WGSL (`5`).", []string{"esc", "5"}},
}

// tour is the tour as Markdown.
func tour(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# A tour\n\nEvery frame is what the inspector shows after the keys before it; a test draws them and compares them with this file.\n")
	r := fixedRig(t, 120, 30)
	for i, s := range tourSteps {
		if i == len(tourSteps)-1 {
			r = fixedRig(t, 80, 24)
		}
		r.hold = false
		r.keys(s.keys...)
		r.hold = true
		fmt.Fprintf(&b, "\n%d. %s\n\n```text\n", i+1, s.say)
		for _, l := range strings.Split(r.screen(), "\n") {
			b.WriteString(strings.TrimRight(l, " ") + "\n")
		}
		b.WriteString("```\n")
	}
	return b.String()
}

// The tour shows what the program shows; run with -update where this fails.
func TestTour(t *testing.T) {
	got := tour(t)
	const path = "../docs/tour.md"
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
