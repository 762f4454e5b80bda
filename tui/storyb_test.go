//go:build linux

package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/graph"
	"fxlens/internal/bigeffect"
)

// Story B: browsing a permutation graph, as a script on a pseudo-terminal.
func TestStoryBrowsingAGraph(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			dir := t.TempDir()
			p := onPTY(t, size[0], size[1], []string{"NO_COLOR=1"}, program(t, "./testdata/inspector"), "-theme", "mono", "-dir", dir, decalFile)
			p.wait("translated")

			// One key: counts, letters, marks, the current permutation.
			p.send("M")
			p.wait("128 perms, 18 bodies, 2 passes, 19 units")
			p.wait(">A✓")
			p.wait("shared by 8")
			p.until(func() bool { return !strings.Contains(p.screen(), "…  ") && strings.Contains(p.screen(), "R✓") }, "every cell that shows has its mark")

			// Which axes matter: none to Picking/0.
			p.send("3")
			p.wait("Which axes matter")
			axis := regexp.MustCompile(`(?m)^  (DECAL_KIND|TINTED|DEPTH_WRITE|ANIMATED|HIGHLIGHT) +\d +code +- *$`)
			p.until(func() bool { return len(axis.FindAllString(p.screen(), -1)) == 5 }, "five axes for Main/0, none for Picking/0")

			// The same as a tree, and back; a filter, folding.
			p.send("2")
			p.wait("DECAL_KIND=LOGO")
			p.send("1/HIGHLIGHT=ON\r")
			p.wait("64 of 128")
			p.send("f")
			p.wait("×")
			p.send("f\x1b")
			p.wait("filter cleared")

			// Two marks and their difference, without what is only named otherwise.
			p.send("g" + strings.Repeat("h", 16) + " l=")
			p.wait("HIGHLIGHT=HIGHLIGHT_ON")
			p.wait("differ")
			p.send("n")
			p.send("\x0f") // back
			p.wait("1 marked")

			// Enter opens the inspector there; back returns to the cell.
			p.send("jj\r")
			p.until(func() bool { return strings.Contains(p.screen(), "HIGHLIGHT=HIGHLIGHT_ON#") }, "the inspector shows the permutation")
			p.send("\x0f")
			p.wait("permutation 65 of 128")

			// Exports: packages of what is marked, and the graph.
			p.send(" e\r")
			p.wait("one file each: 2 packages")
			p.send("\r")
			p.wait("✓ decal_sm_hi.65.cewgpu")
			p.send("\x1b")
			p.until(func() bool { return !strings.Contains(p.screen(), "Export package") }, "the dialog is closed")
			for _, form := range []string{"DOT", "SVG", "JSON"} {
				p.send("e" + form + "\r")
				p.wait("write decal_sm_hi.graph." + strings.ToLower(form))
				p.send("\r")
				p.wait("written: decal_sm_hi.graph." + strings.ToLower(form))
			}
			assert.Len(t, list(t, dir), 5)
			p.send("q")
			require.NoError(t, p.exit())

			// The file is what the command prints.
			if size[0] == 80 {
				out, err := exec.Command(program(t, "../cmd/fxlens"), "graph", "--json", decalFile).Output()
				require.NoError(t, err)
				var a, b graph.Document
				require.NoError(t, json.Unmarshal(out, &a))
				require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, "decal_sm_hi.graph.json"))), &b))
				assert.Equal(t, a, b)
			}
		})
	}
}

// 65,536 permutations open, and keys answer.
func TestStoryLargeGraph(t *testing.T) {
	data, err := bigeffect.New(bigeffect.Shared)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "big.sm_hi")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	p := onPTY(t, 80, 24, []string{"NO_COLOR=1"}, program(t, "./testdata/inspector"), "-theme", "mono", path)
	p.wait("translated")
	p.send("M")
	p.wait("65536 perms, 1024 bodies, 3 passes, 273 units")
	p.send("g")
	p.wait("A0=ZERO A1=ZERO A2=ZERO A3=ZERO A4=ZERO A5=ZERO")
	p.send("G")
	p.wait("A0=THREE A1=THREE A2=THREE A3=TYPED A4=THREE A5=THREE")
	p.send("/unsupported\r")
	p.wait("16384 of 65536")
	p.send("\x1b")
	p.until(func() bool {
		return strings.Contains(p.screen(), "filter cleared") || strings.Contains(p.screen(), "stopped compiling")
	}, "esc ends the work or the filter")
	p.send("q")
	require.NoError(t, p.exit())
}
