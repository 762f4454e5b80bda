package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/internal/bigeffect"
	"fxlens/views"
)

const decalFile = "../testdata/effects/decal/decal.sm_hi"

// graphRig opens the Graph screen, with everything that shows compiled.
func graphRig(t testing.TB, path string, w, h int) (*rig, *graphScreen) {
	t.Helper()
	r := newRig(t, openSession(t, path), w, h)
	r.keys("M")
	return r, theGraph(t, r)
}

func theGraph(t testing.TB, r *rig) *graphScreen {
	t.Helper()
	s, ok := r.m.screen.(*graphScreen)
	require.True(t, ok, "the Graph screen is shown")
	return s
}

func bigSession(t testing.TB) *session.Session {
	t.Helper()
	data, err := bigeffect.New(bigeffect.Shared)
	require.NoError(t, err)
	s, err := session.Open("big.sm_hi", data, compile.Options{})
	require.NoError(t, err)
	return s
}

func TestGraphFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		for _, c := range []struct {
			name, file string
			keys       []string
		}{
			{"table", effectFile, nil},
			{"marks", decalFile, []string{"l", "space", "j", "l"}},
			{"tree", decalFile, []string{"2", "j", "h", "j"}},
			{"axes", effectFile, []string{"3"}},
			{"list", effectFile, []string{"4", "home", "j"}},
			{"filter", effectFile, []string{"p", "/", "DAMAGE=ON !t16", "enter"}},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), func(t *testing.T) {
				r, _ := graphRig(t, c.file, size[0], size[1])
				r.keys(c.keys...)
				r.exact()
				golden.RequireEqual(t, []byte(r.screen()+"\n"))
			})
		}
	}
}

// The list has every unit with what the document says of it, in every order the larger
// first, and its lines are those that `fxlens graph --list` prints.
func TestGraphList(t *testing.T) {
	r, s := graphRig(t, effectFile, 220, 60)
	r.keys("o")
	assert.Contains(t, r.m.status, "press 4", "there is nothing to sort")
	r.keys("p", "p", "4", "a") // units of the second pass
	require.NotNil(t, s.list)
	doc := s.st.Graph.Document(s.sess, s.results)
	require.Equal(t, len(doc.Passes[1].Units), s.list.Len())
	row := regexp.MustCompile(`^[ >]*✓ +([A-Z]+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)  (\d+)`)
	for k, want := range [][]string{{"D", "C", "B", "A"}, {"B", "D", "A", "C"}, {"A", "B", "C", "D"}, {"C", "D", "A", "B"}, {"A", "C", "B", "D"}, {"A", "B", "C", "D"}} {
		var got []string
		for y := range s.list.Len() {
			m := row.FindStringSubmatch(r.row(s.view.y + y))
			require.NotNil(t, m, r.row(s.view.y+y))
			got = append(got, m[1])
			u := doc.Passes[1].Units[slices.IndexFunc(doc.Passes[1].Units, func(u graph.DocUnit) bool { return u.Letter == m[1] })]
			assert.Equal(t, fmt.Sprint(u.Permutations, u.Cost.Instrs, u.Cost.Reads, u.Cost.Writes, u.Cost.Temps), strings.Join(m[2:7], " "))
			assert.Equal(t, strconv.Itoa(s.list.Perm(y)), m[7])
		}
		assert.Equal(t, want, got, "order %d", k)
		r.keys("o")
	}
	assert.Equal(t, views.ByInstrs, s.order, "around")
	r.keys("end", "enter")
	assert.Equal(t, s.list.Perm(s.list.Len()-1), r.m.sel.perm)
	assert.Equal(t, "Depth/0", r.m.passes[r.m.sel.node].String())
	r.keys("ctrl+o")
	assert.Equal(t, graphList, s.form)
	r.keys("/", "SKINNED=ON", "enter")
	assert.Equal(t, 2, s.list.Len())
	r.keys("1", "4", "/", " !SKINNED=ON", "enter")
	assert.Contains(t, r.screen(), "No permutation is left")
	r.exact()
}

// TestGraphBackToTree: a place in the history whose form is not laid out any more is
// laid out again.
func TestGraphBackToTree(t *testing.T) {
	for _, form := range []string{"2", "4"} {
		r, s := graphRig(t, effectFile, 120, 40)
		r.keys(form, "end", "enter")
		want := r.m.sel.perm
		r.keys("M", "1", "I")
		require.True(t, s.tree == nil)
		require.True(t, s.list == nil)
		for range 3 { // past the table
			r.keys("ctrl+o")
			if r.m.screen == screen(s) && s.form != graphGrid {
				break
			}
		}
		require.NotEqual(t, graphGrid, s.form)
		assert.NotContains(t, r.screen(), "laying out")
		assert.NotContains(t, r.screen(), "reading programs")
		assert.Equal(t, want, s.perm)
		r.exact()
	}
}

// What the screen shows is what the document says: every cell's letter and mark.
func TestGraphScreenAgreesWithTheDocument(t *testing.T) {
	for _, file := range []string{effectFile, decalFile, "../testdata/effects/particles/emit.sm_hi"} {
		if _, err := os.Stat(file); err != nil {
			continue // not all are bundled
		}
		r, s := graphRig(t, file, 220, 60)
		r.keys("a")
		r.exact()
		d := s.st.Graph.Document(s.sess, s.results)
		b, err := json.Marshal(d)
		require.NoError(t, err)
		var doc graph.Document
		require.NoError(t, json.Unmarshal(b, &doc))
		cell := regexp.MustCompile(`^[ =>*]([A-Z]+)(\S) *$`)
		rows, cols := s.grid.Size()
		require.Equal(t, doc.Counts.Permutations, rows*cols)
		require.LessOrEqual(t, rows, s.rowsOf(r.m)-s.gridHead(), "the whole table shows")
		for y := range rows {
			line := []rune(r.row(s.view.y + y))
			for x := range cols {
				at := s.view.x + x*s.grid.CellWidth()
				m := cell.FindStringSubmatch(string(line[at : at+s.grid.CellWidth()]))
				require.NotNil(t, m, "cell %d %d: %q", y, x, string(line))
				p := doc.Permutations[s.grid.Perm(y, x)]
				require.Equal(t, p.Body, m[1])
				require.Equal(t, p.Status.Glyph(), m[2])
			}
		}
		head := r.screen()
		assert.Contains(t, head, fmt.Sprintf("%d perms, %d bodies, %d passes, %d units", doc.Counts.Permutations, doc.Counts.Bodies, doc.Counts.Passes, doc.Counts.Contents))
		r.keys("3")
		for _, p := range doc.Passes {
			assert.Contains(t, r.screen(), p.Name)
		}
	}
}

func TestGraphMoves(t *testing.T) {
	r, s := graphRig(t, effectFile, 80, 24)
	assert.Equal(t, r.m.sel.perm, s.perm, "it opens at the inspector's permutation")
	assert.Contains(t, r.screen(), "Main/0  unit AZ")
	from := s.perm
	r.keys("k")
	assert.Equal(t, s.st.Graph.With(from, 1, 2), s.perm, "one row up is the option before of the innermost row axis")
	r.keys("l")
	assert.Equal(t, 1, s.st.Graph.Option(s.perm, 3), "one column to the right is another option of a column axis")
	r.keys("g", "h", "h", "h", "h", "h", "h", "h", "h")
	assert.Zero(t, s.perm)
	r.keys("]")
	assert.True(t, slices.Contains(s.st.Graph.Sharers(0), s.perm) && s.perm != 0, "the next with the same letter")
	r.keys("[")
	assert.Zero(t, s.perm)
	r.keys("G")
	assert.Equal(t, s.st.Graph.With(s.st.Graph.With(0, 0, 2), 1, 3), s.perm)

	// Enter opens the inspector there; back returns to the cell and the scroll position.
	r.keys("l", "l")
	cell, top := s.perm, s.top
	r.keys("enter")
	require.Nil(t, r.m.screen)
	assert.Equal(t, cell, r.m.sel.perm)
	r.keys("ctrl+o")
	require.Same(t, s, theGraph(t, r))
	assert.Equal(t, cell, s.perm)
	assert.Equal(t, top, s.top)

	// Another permutation chosen in the inspector moves the cursor.
	r.keys("I", "0", "M")
	assert.Equal(t, r.m.sess.DefaultPermutation(), s.perm)
}

func TestGraphPassesAndFolding(t *testing.T) {
	r, s := graphRig(t, effectFile, 120, 40)
	r.keys("p", "p")
	assert.Equal(t, 1, s.st.Pass)
	assert.Contains(t, r.screen(), "units of Depth/0")
	rows, cols := s.grid.Size()
	assert.Equal(t, 96, rows*cols)
	r.keys("f")
	rows, cols = s.grid.Size()
	assert.Equal(t, [2]int{2, 2}, [2]int{rows, cols}, "Depth/0 has four units: two by two")
	assert.Contains(t, r.screen(), "folded")
	assert.Contains(t, r.screen(), "×8")
	r.keys("enter")
	assert.Nil(t, r.m.screen)
	assert.Equal(t, "Depth/0", r.m.passes[r.m.sel.node].String(), "the inspector shows the pass")
	r.keys("M", "f", "p", "p")
	assert.Equal(t, -1, s.st.Pass, "behind the last pass: bodies")
	r.keys("P")
	assert.Equal(t, 2, s.st.Pass)

	// Layout: SKINNED leaves the columns, the others stay.
	r.keys("P", "P", "P", "x", "SKINNED makes rows", "enter")
	assert.Equal(t, []int{0, 1, 2}, s.lay.Rows)
	r.keys("x", "SKINNED = ON", "enter")
	assert.Equal(t, []int{2}, s.lay.Others(s.st.Graph))
	assert.Contains(t, r.screen(), "with SKINNED=ON")
	assert.Equal(t, 1, s.st.Graph.Option(s.perm, 2))
	r.keys("s")
	assert.Equal(t, []int{0, 1}, s.lay.Cols)
	r.exact()
}

func TestGraphFilters(t *testing.T) {
	r, s := graphRig(t, effectFile, 80, 24)
	r.keys("/", "DAMAGE=ON SKINNED=OFF", "enter")
	rows, cols := s.grid.Size()
	assert.Equal(t, 24, rows*cols)
	assert.Contains(t, r.screen(), "24 of 96")
	r.keys("/")
	r.keys(" op:gathre4")
	assert.Contains(t, r.screen(), `did you mean "gather4"?`)
	r.keys("esc")
	assert.NotContains(t, r.screen(), "did you mean")
	r.keys("/", " !op:sample", "enter")
	assert.Contains(t, r.screen(), "No permutation is left")
	r.keys("enter", "j", "k", "n", "N", "]", "l", "G", "g", "space") // nothing of this may fail
	r.keys("M", "esc")
	assert.Nil(t, s.filter)

	// A filter that asks for results compiles all of them.
	b := newRig(t, bigSession(t), 80, 24)
	b.keys("M", "/", "unsupported", "enter")
	g := theGraph(t, b)
	assert.Contains(t, b.screen(), "16384 of 65536")
	assert.Equal(t, 273, g.known)
	b.keys("p")
	assert.Contains(t, b.screen(), "units of Main/0")
	b.keys("/", " A5=ONE t12", "enter", "2")
	assert.Contains(t, b.screen(), "4096 of 65536")
	b.exact()
}

// Nothing is compiled but what shows, the cursor's cell first.
func TestGraphCompilesWhatShows(t *testing.T) {
	r := newRig(t, bigSession(t), 80, 24)
	r.hold = true
	r.keys("M")
	s := theGraph(t, r)
	r.exact()
	assert.Contains(t, r.screen(), "reading bodies")
	assert.Contains(t, r.screen(), "65536 perms", "letters and counts are there at once")
	r.release()
	shown, first := 0, s.results
	for _, res := range first {
		if res != nil {
			shown++
		}
	}
	assert.Less(t, shown, len(s.results)/2)
	for p := range s.st.Graph.Passes {
		assert.NotNil(t, s.results.Of(s.st.Graph.Unit(s.perm, p)))
	}
	rows := s.rowsOf(r.m) - s.gridHead()
	for y := s.top; y < s.top+rows; y++ {
		for x := range 4 {
			assert.NotEqual(t, graph.Pending, s.st.Graph.Mark(s.results, s.grid.Perm(y, x), -1))
		}
	}
	// Esc ends the work of a screen that was told to compile everything.
	r.hold = true
	r.keys("a")
	require.True(t, s.work.on)
	r.keys("esc")
	assert.False(t, s.work.on)
	r.release()
	assert.Less(t, s.known, len(s.results))
	r.keys("j")
	assert.Less(t, s.known, len(s.results), "a move goes on with what shows only")
}

func TestGraphDiff(t *testing.T) {
	r, s := graphRig(t, effectFile, 120, 40)
	r.keys("=")
	assert.Contains(t, r.screen(), "it is the same permutation")
	r.keys("space", "l", "space")
	from, to := s.marked[0], s.marked[1]
	assert.Contains(t, r.screen(), "2 marked")
	r.keys("j", "space", "=")
	assert.Contains(t, r.screen(), "two can be compared")
	r.keys("space", "=")
	d, ok := r.m.screen.(*diffScreen)
	require.True(t, ok)
	assert.Equal(t, [2]int{from, to}, [2]int{d.from, d.to})
	r.keys("ctrl+o")
	assert.Same(t, s, theGraph(t, r))
	r.keys("*")
	assert.Empty(t, s.marked)
	r.keys("*")
	assert.Len(t, s.marked, 96)
}

func TestGraphTree(t *testing.T) {
	r, s := graphRig(t, decalFile, 80, 24)
	r.keys("2")
	require.NotNil(t, s.tree)
	assert.Equal(t, r.m.sel.perm, s.tree.Perm(s.line), "the tree opens at the cursor")
	n := s.tree.Len()
	r.keys("g", "h")
	assert.Less(t, s.tree.Len(), n, "left closes the branch")
	r.keys("l")
	assert.Equal(t, n, s.tree.Len())
	r.keys("enter")
	assert.Less(t, s.tree.Len(), n, "enter too")
	r.keys("enter", "G", "enter")
	assert.Nil(t, r.m.screen, "enter on a leaf opens it")
	r.keys("ctrl+o")
	assert.Equal(t, n-1, s.line)
	r.keys("h")
	_, _, branch := s.tree.Node(s.line)
	assert.True(t, branch, "left on a leaf goes to its branch")
	r.exact()
	b := newRig(t, bigSession(t), 80, 24)
	b.keys("M", "2", "G", "g", "l", "j")
	assert.LessOrEqual(t, theGraph(t, b).tree.Len(), 2*views.TreeRows, "a large tree opens its first levels")
}

func TestGraphMouse(t *testing.T) {
	r, s := graphRig(t, effectFile, 80, 24)
	r.exact()
	click := func(row, col int) {
		r.send(tea.MouseMsg{X: s.view.x + col*s.grid.CellWidth() + 1, Y: s.view.y + row - s.top, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	}
	click(2, 5)
	assert.Equal(t, s.grid.Perm(2, 5), s.perm)
	r.send(tea.MouseMsg{X: 1, Y: 5, Action: tea.MouseActionPress, Button: tea.MouseButtonWheelDown})
	assert.Equal(t, s.grid.Perm(5, 5), s.perm)
	r.send(tea.MouseMsg{X: 0, Y: 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	assert.Equal(t, s.grid.Perm(5, 5), s.perm, "a click on the title does nothing")
	click(5, 5)
	assert.Nil(t, r.m.screen, "a second click opens")
	r.keys("ctrl+o", "2")
	r.exact()
	at := s.line - s.treeTop
	r.send(tea.MouseMsg{X: 9, Y: s.view.y + at, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	assert.Nil(t, r.m.screen)
}

func TestGraphExports(t *testing.T) {
	r, s := graphRig(t, decalFile, 120, 40)
	dir := r.m.opt.ExportDir
	r.keys("e", "DOT", "enter")
	assert.Contains(t, r.screen(), "decal_sm_hi.graph.dot", "what would be written shows first")
	assert.Empty(t, list(t, dir))
	r.keys("esc")
	assert.Empty(t, list(t, dir))
	r.keys("e", "DOT", "enter", "enter", "e", "SVG", "enter", "enter", "e", "JSON", "enter", "enter")
	assert.Equal(t, []string{"decal_sm_hi.graph.dot", "decal_sm_hi.graph.json", "decal_sm_hi.graph.svg"}, list(t, dir))
	assert.Contains(t, r.screen(), "written: decal_sm_hi.graph.json")
	var doc graph.Document
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, "decal_sm_hi.graph.json"))), &doc))
	assert.Equal(t, 18, doc.Counts.Bodies)
	for _, p := range doc.Permutations {
		assert.NotEqual(t, graph.Pending, p.Status, "what is written has every mark")
	}

	// Packages go through the one dialog: of the permutation under the cursor, which need
	// not be the selected one, or of what is marked; they are those of fxlens build.
	same := func(p int) {
		assert.Equal(t, string(defaultPackage(t, r.m.sess, p, r.m.opt.Version)), read(t, filepath.Join(dir, fmt.Sprintf("decal_sm_hi.%d.cewgpu", p))))
	}
	r.keys("j")
	require.NotEqual(t, r.m.sel.perm, s.perm)
	r.keys("e", "enter")
	assert.Contains(t, r.screen(), fmt.Sprintf("permutation %d with all its passes", s.perm))
	assert.Contains(t, r.screen(), "Export package")
	r.keys("enter", "enter")
	same(s.perm)
	r.keys("space", "j", "space", "e", "enter")
	assert.Contains(t, r.screen(), "2 packages")
	r.keys("enter", "enter")
	for _, p := range s.marked {
		same(p)
	}
	// Another file there: both digests, and no leaves it.
	path := filepath.Join(dir, fmt.Sprintf("decal_sm_hi.%d.cewgpu", s.marked[0]))
	require.NoError(t, os.WriteFile(path, []byte("other"), 0o600))
	r.keys("e", "enter", "enter")
	assert.Contains(t, r.screen(), "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa")
	r.keys("n", "esc")
	assert.Equal(t, "other", read(t, path))
	r.keys("e", "enter", "enter", "y", "enter")
	assert.NotEqual(t, "other", read(t, path))

	// Esc while packages are built leaves the folder as it was.
	require.NoError(t, os.Remove(path))
	before := list(t, dir)
	r.keys("e", "enter", "p") // extended: not built yet
	r.hold = true
	r.keys("enter", "esc")
	r.release()
	assert.Equal(t, before, list(t, dir))
}

func TestGraphOfOtherFiles(t *testing.T) {
	r := newRig(t, programSession(t), 80, 24)
	r.keys("M")
	assert.Nil(t, r.m.screen)
	assert.Contains(t, r.screen(), "only a compiled effect has permutations")
	r, s := graphRig(t, "../testdata/effects/ui/sprite2d.sm_hi", 80, 24)
	require.NotNil(t, s)
	r.exact()
}

// BenchmarkGraph is from the key to the frame on 65,536 permutations, and from the bytes
// of the file to the screen with its letters.
func BenchmarkGraph(b *testing.B) {
	data, err := bigeffect.New(bigeffect.Shared)
	require.NoError(b, err)
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := session.Open("big.sm_hi", data, compile.Options{})
			require.NoError(b, err)
			m, err := newModel(context.Background(), s, Options{Getenv: noEnv}, asciiTerm)
			require.NoError(b, err)
			m.Update(tea.WindowSizeMsg{Width: 220, Height: 60})
			m.goGraph()
			require.Contains(b, m.View(), "65536 perms, 1024 bodies")
		}
	})
	for _, k := range []string{"j", "pgdown", "G", "l", "]"} {
		b.Run("key/"+k, func(b *testing.B) {
			r := newRig(b, bigSession(b), 220, 60)
			r.keys("M", "a")
			b.ReportAllocs()
			for b.Loop() {
				r.keys(k)
				r.m.View()
				if k != "G" && r.m.screen.(*graphScreen).perm == 65535 {
					r.keys("g")
				}
			}
		})
	}
}
