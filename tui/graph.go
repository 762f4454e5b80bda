package tui

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/views"
)

// graphForm is how the Graph screen shows the graph.
type graphForm uint8

const (
	graphGrid graphForm = iota
	graphTree
	graphAxes // which axes matter to which pass
	graphList // bodies or units by how much their programs are
)

var graphForms = [...]string{"table", "tree", "axes", "list"}

// graphScreen is the permutation graph of the opened effect. The cursor is a permutation;
// where it stands in a table or tree follows from that.
type graphScreen struct {
	sess    *session.Session
	st      *views.GraphState // of what is shown; its results grow as they come
	results graph.Results
	lay     graph.Layout
	form    graphForm
	grid    *views.Grid
	tree    *views.GraphTree
	list    *views.GraphList
	order   views.GraphOrder // of the list
	toggled map[views.GraphNodeID]bool

	perm      int               // the cursor
	row, col  int               // of it in the table
	top, left int               // first row and column that show
	line      int               // the cursor in the tree
	node      views.GraphNodeID // of that line
	treeTop   int
	item      int // the cursor in the list
	listTop   int
	axesTop   int
	axes      []views.Line // the table of axes, once the bodies are read
	shown     int          // the inspector's permutation when the screen was last shown
	marked    []int

	filter *graph.Filter
	bad    string // why the filter that is typed is none
	pass   int    // what the next view is to show; as in GraphState
	fold   bool

	link     job // reads the bodies
	work     job // compiles units
	all      bool
	stopped  bool // esc ended the work; a move begins it anew
	build    job  // filters, folds, lays out
	again    bool // results came meanwhile that the filter asks for
	finder   *graph.Finder
	known    int // results
	export   job
	view     rect // of rows and columns, for clicks
	viewCols int  // columns that fit

	detailOf detailOf // what the panel was made of, and its lines
	detail   []views.Line
	lines    []views.Line // of the last frame, to use again
}

// Messages of the screen's commands.
type (
	graphLinked struct {
		gen int
		g   *graph.Graph
		err error
	}
	graphCompiled struct {
		gen, unit int
		r         *graph.Result
	}
	graphBuilt struct {
		gen  int
		st   *views.GraphState
		grid *views.Grid
		tree *views.GraphTree
		list *views.GraphList
	}
)

func (graphLinked) screen() where   { return inGraph }
func (graphCompiled) screen() where { return inGraph }
func (graphBuilt) screen() where    { return inGraph }

func graphActions() []action {
	on := func(f func(s *graphScreen, m *Model)) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			m.dirty = true
			f(m.screen.(*graphScreen), m) // Why has looked
			return nil
		}
	}
	do := func(f func(s *graphScreen, m *Model) tea.Cmd) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			m.dirty = true
			return f(m.screen.(*graphScreen), m)
		}
	}
	form := func(f graphForm) func(m *Model) tea.Cmd {
		return do(func(s *graphScreen, m *Model) tea.Cmd { s.form = f; return s.rebuild(m) })
	}
	all := []action{
		{ID: "graph", Keys: []string{"f3", "M"}, In: inEvery, Group: "Screens", Help: "the Graph screen: who shares which body and pass, which axes matter", Why: (*Model).whyNoGraph, Do: (*Model).goGraph},
		{ID: "graph-open", Keys: []string{"enter"}, In: inGraph, Group: "Graph", Help: "to the code of this permutation", Bar: "open", Do: do((*graphScreen).open)},
		{ID: "graph-left", Keys: []string{"left", "h"}, In: inGraph, Group: "Graph", Help: "column to the left; close the branch", Do: do(func(s *graphScreen, m *Model) tea.Cmd { return s.sideways(m, -1) })},
		{ID: "graph-right", Keys: []string{"right", "l"}, In: inGraph, Group: "Graph", Help: "column to the right; open the branch", Do: do(func(s *graphScreen, m *Model) tea.Cmd { return s.sideways(m, 1) })},
		{ID: "graph-mark", Keys: []string{" "}, In: inGraph, Group: "Graph", Help: "mark this permutation, or take the mark away", Bar: "mark", Do: on(func(s *graphScreen, _ *Model) { s.mark(s.perm) })},
		{ID: "graph-mark-all", Keys: []string{"*"}, In: inGraph, Group: "Graph", Help: "mark what the filter leaves; again: take all marks away", Do: on((*graphScreen).markAll)},
		{ID: "graph-diff", Keys: []string{"="}, In: inGraph, Group: "Graph", Help: "compare two marked permutations, or the marked one, or else the inspector's, with this one", Bar: "diff", Why: (*Model).whyNoGraphDiff, Do: do((*graphScreen).diff)},
		{ID: "graph-filter", Keys: []string{"/"}, In: inGraph, Group: "Graph", Help: "only permutations for which terms hold: AXIS=OPTION, unsupported, op:gather4, t12, body:A, !not", Bar: "filter", Do: do((*graphScreen).ask)},
		{ID: "graph-next", Keys: []string{"n"}, In: inGraph, Group: "Graph", Help: "next permutation that the filter leaves", Do: on(func(s *graphScreen, m *Model) { s.hopOr(m, 1, s.leaves) })},
		{ID: "graph-previous", Keys: []string{"N"}, In: inGraph, Group: "Graph", Help: "previous permutation that the filter leaves", Do: on(func(s *graphScreen, m *Model) { s.hopOr(m, -1, s.leaves) })},
		{ID: "graph-sharer", Keys: []string{"]"}, In: inGraph, Group: "Graph", Help: "next permutation with the same letter", Bar: "same", Tap: "[ ]", Do: on(func(s *graphScreen, m *Model) { s.hopOr(m, 1, s.shares) })},
		{ID: "graph-sharer-before", Keys: []string{"["}, In: inGraph, Group: "Graph", Help: "previous permutation with the same letter", Do: on(func(s *graphScreen, m *Model) { s.hopOr(m, -1, s.shares) })},
		{ID: "graph-fold", Keys: []string{"f"}, In: inGraph, Group: "Graph", Help: "show equal rows, columns and branches once", Bar: "fold", Do: do(func(s *graphScreen, m *Model) tea.Cmd { s.fold = !s.fold; return s.rebuild(m) })},
		{ID: "graph-pass", Keys: []string{"p"}, In: inGraph, Group: "Graph", Help: "letters of the next pass's units; behind the last pass: of bodies", Bar: "pass", Why: (*Model).whyNoGraphPass, Do: do(func(s *graphScreen, m *Model) tea.Cmd { return s.turnPass(m, 1) })},
		{ID: "graph-pass-before", Keys: []string{"P"}, In: inGraph, Group: "Graph", Help: "letters of the previous pass's units", Why: (*Model).whyNoGraphPass, Do: do(func(s *graphScreen, m *Model) tea.Cmd { return s.turnPass(m, -1) })},
		{ID: "graph-table", Keys: []string{"1"}, In: inGraph, Group: "Graph", Help: "as a table", Bar: "forms", Tap: "1-4", Do: form(graphGrid)},
		{ID: "graph-tree", Keys: []string{"2"}, In: inGraph, Group: "Graph", Help: "as a tree", Do: form(graphTree)},
		{ID: "graph-axes", Keys: []string{"3"}, In: inGraph, Group: "Graph", Help: "which axes matter to which pass", Do: form(graphAxes)},
		{ID: "graph-list", Keys: []string{"4"}, In: inGraph, Group: "Graph", Help: "as a list with instructions, reads, writes and temporaries, the largest first", Do: form(graphList)},
		{ID: "graph-sort", Keys: []string{"o"}, In: inGraph, Group: "Graph", Help: "sort the list by the next column", Why: (*Model).whyNoGraphList, Do: do(func(s *graphScreen, m *Model) tea.Cmd { s.order = s.order.Next(); return s.rebuild(m) })},
		{ID: "graph-layout", Keys: []string{"x"}, In: inGraph, Group: "Graph", Help: "choose the axes of rows and columns, and the options of the others", Bar: "axes", Do: do((*graphScreen).openLayout)},
		{ID: "graph-swap", Keys: []string{"s"}, In: inGraph, Group: "Graph", Help: "rows become columns", Do: do(func(s *graphScreen, m *Model) tea.Cmd {
			s.lay.Rows, s.lay.Cols = s.lay.Cols, s.lay.Rows
			return s.rebuild(m)
		})},
		{ID: "graph-all", Keys: []string{"a"}, In: inGraph, Group: "Graph", Help: "compile all units, not only those that show", Do: on(func(s *graphScreen, _ *Model) { s.all, s.stopped = true, false })},
		{ID: "graph-export", Keys: []string{"e"}, In: inGraph, Group: "Graph", Help: "write packages, or the graph as DOT, SVG or JSON", Bar: "export", Do: do((*graphScreen).openExport)},
		{ID: "graph-yank-link", Keys: []string{"Y", "y"}, In: inGraph, Group: "Graph", Help: "copy the link to this permutation", Do: do(func(s *graphScreen, m *Model) tea.Cmd { return m.yank(s.linkText(), "link") })},
	}
	for i := range all {
		if all[i].In != inGraph {
			continue
		}
		why := all[i].Why
		all[i].Why = func(m *Model) string { // help runs actions from anywhere
			if _, ok := m.screen.(*graphScreen); !ok {
				return "the Graph screen is not shown; press f3"
			}
			if why == nil {
				return ""
			}
			return why(m)
		}
	}
	return all
}

func (m *Model) whyNoGraph() string {
	switch {
	case m.sess == nil:
		return "no file is open"
	case m.sess.Effect == nil:
		return "only a compiled effect has permutations"
	}
	return ""
}

func (m *Model) whyNoGraphPass() string {
	if s := m.screen.(*graphScreen); !s.st.Graph.Linked() || len(s.st.Graph.Passes) == 0 {
		return "there are no passes, or they are still being read"
	}
	return ""
}

func (m *Model) whyNoGraphList() string {
	if s, ok := m.screen.(*graphScreen); ok && s.form != graphList {
		return "only the list is sorted; press 4"
	}
	return ""
}

func (m *Model) whyNoGraphDiff() string {
	s := m.screen.(*graphScreen)
	if len(s.marked) > 2 {
		return fmt.Sprintf("%d permutations are marked; two can be compared", len(s.marked))
	}
	if a, b := s.pair(m); a == b {
		return "it is the same permutation; mark another with space"
	}
	return ""
}

func (m *Model) goGraph() tea.Cmd {
	return m.goScreen(inGraph, func() screen { return newGraphScreen(m) })
}

func newGraphScreen(m *Model) *graphScreen {
	s := &graphScreen{sess: m.sess, pass: -1, shown: -1, toggled: map[views.GraphNodeID]bool{}}
	g := graph.New(m.sess.Effect)
	s.st = &views.GraphState{Graph: g, Pass: -1}
	s.lay = g.Auto(views.GridColumns)
	s.grid = views.NewGrid(s.st, s.lay)
	return s
}

func (s *graphScreen) where() where { return inGraph }
func (s *graphScreen) name() string { return "Graph" }

// show begins what is missing, and goes to the inspector's permutation where that has
// changed.
func (s *graphScreen) show(m *Model) tea.Cmd {
	s.stopped = false
	if m.sel.perm != s.shown {
		s.shown = m.sel.perm
		s.goPerm(m, m.sel.perm)
	}
	var link tea.Cmd
	if !s.st.Graph.Linked() && !s.link.on {
		ctx, gen := s.link.next(m.ctx)
		g := s.st.Graph
		link = func() tea.Msg {
			out, err := g.Link(ctx)
			if ctx.Err() != nil {
				return nil
			}
			return graphLinked{gen, out, err}
		}
	}
	return link
}

func (s *graphScreen) stop() {
	s.link.stop()
	s.work.stop()
	s.build.stop()
	s.export.stop()
}

// goPerm puts the cursor on a permutation.
func (s *graphScreen) goPerm(m *Model, perm int) {
	s.perm = perm
	s.find(m)
}

// find follows the cursor in table and tree. Fixed axes change with it.
func (s *graphScreen) find(m *Model) {
	if s.grid != nil {
		row, col, ok := s.grid.Find(s.perm)
		if _, _, inside := s.lay.Cell(s.st.Graph, s.perm); !inside {
			s.lay = s.lay.Show(s.perm)
			s.grid = views.NewGrid(s.st, s.lay)
			row, col, ok = s.grid.Find(s.perm)
		}
		s.row, s.col = row, col
		// The filter hides it, or folding: one of its letter, or else the next that shows.
		if (!ok || !s.leaves(s.perm)) && !s.hop(m, 1, s.shares) {
			s.hop(m, 1, s.leaves)
		}
	}
	if s.tree != nil {
		s.line = s.tree.Row(s.node)
		if s.line < 0 || s.tree.Perm(s.line) != s.perm {
			s.line = s.tree.Find(s.perm)
		}
		s.node = s.tree.ID(s.line)
	}
	if s.list != nil {
		s.item = max(s.list.Find(s.perm), 0)
	}
	s.reveal(m)
}

// reveal scrolls as little as shows the cursor.
func (s *graphScreen) reveal(m *Model) {
	rows := s.rowsOf(m)
	scroll := func(top, at, room int) int {
		if room <= 0 {
			return at
		}
		return min(max(top, at-room+1), at)
	}
	s.top = scroll(s.top, s.row, rows-s.gridHead())
	if s.grid != nil {
		n, cols := s.grid.Size()
		s.top = max(min(s.top, n-(rows-s.gridHead())), 0)
		fit := s.columnsOf(m.arr.chrome.body.w)
		s.left = max(min(scroll(s.left, s.col, fit), cols-fit), 0)
	}
	s.treeTop = scroll(s.treeTop, s.line, rows)
	s.listTop = scroll(s.listTop, s.item, rows-1)
}

func (s *graphScreen) gridHead() int {
	if s.grid == nil {
		return 0
	}
	return s.grid.HeadRows()
}

// rowsOf is the number of rows below the title.
func (s *graphScreen) rowsOf(m *Model) int { return m.arr.chrome.body.h - 1 }

// graphGutter is the mark left of every row.
const graphGutter = 2

// columnsOf is how many columns fit.
func (s *graphScreen) columnsOf(w int) int {
	if s.grid == nil {
		return 1
	}
	return max((w-graphGutter-s.grid.HeadWidth())/s.grid.CellWidth(), 1)
}

func (s *graphScreen) page(m *Model) int {
	if s.form == graphGrid {
		return s.rowsOf(m) - s.gridHead()
	}
	return s.rowsOf(m) - 1
}

func (s *graphScreen) move(m *Model, n int) {
	s.stopped = false
	switch s.form {
	case graphGrid:
		s.moveTo(m, s.row+n, s.col)
	case graphTree:
		if s.tree == nil || s.tree.Len() == 0 {
			return
		}
		s.line = min(max(s.line+n, 0), s.tree.Len()-1)
		s.perm, s.node = s.tree.Perm(s.line), s.tree.ID(s.line)
		if s.grid != nil {
			s.row, s.col, _ = s.grid.Find(s.perm)
		}
		s.reveal(m)
	case graphList:
		if s.list == nil || s.list.Len() == 0 {
			return
		}
		s.item = min(max(s.item+n, 0), s.list.Len()-1)
		s.perm = s.list.Perm(s.item)
		if s.grid != nil {
			s.row, s.col, _ = s.grid.Find(s.perm)
		}
		s.reveal(m)
	case graphAxes:
		s.axesTop = min(max(s.axesTop+n, 0), len(s.st.Graph.Axes))
	}
}

// moveTo puts the cursor on a cell of the table, or one near it.
func (s *graphScreen) moveTo(m *Model, row, col int) {
	rows, cols := s.grid.Size()
	if rows == 0 || cols == 0 {
		return
	}
	s.row, s.col = min(max(row, 0), rows-1), min(max(col, 0), cols-1)
	s.perm = s.grid.Perm(s.row, s.col)
	s.reveal(m)
}

// sideways goes to another column; in a tree it opens and closes.
func (s *graphScreen) sideways(m *Model, n int) tea.Cmd {
	s.stopped = false
	if s.form == graphGrid {
		s.moveTo(m, s.row, s.col+n)
		return nil
	}
	if s.form != graphTree || s.tree == nil {
		return nil
	}
	id, open, ok := s.tree.Node(s.line)
	switch {
	case ok && open != (n > 0):
		return s.toggle(m, id)
	case n < 0:
		if p := s.tree.Parent(s.line); p >= 0 {
			s.move(m, p-s.line)
		}
	case ok:
		s.move(m, 1)
	}
	return nil
}

func (s *graphScreen) toggle(m *Model, id views.GraphNodeID) tea.Cmd {
	s.toggled[id] = !s.toggled[id]
	return s.rebuild(m)
}

// hop goes to the next permutation, in the order of the table, that fits.
func (s *graphScreen) hop(m *Model, n int, fits func(perm int) bool) bool {
	rows, cols := s.grid.Size()
	all := rows * cols
	at := s.row*cols + s.col
	for k := 1; k <= all; k++ {
		i := ((at+n*k)%all + all) % all
		if p := s.grid.Perm(i/cols, i%cols); fits(p) && p != s.perm {
			s.moveTo(m, i/cols, i%cols)
			if s.tree != nil {
				s.line = s.tree.Find(s.perm)
				s.node = s.tree.ID(s.line)
			}
			return true
		}
	}
	return false
}

// hopOr is hop, and says so where there is none.
func (s *graphScreen) hopOr(m *Model, n int, fits func(perm int) bool) {
	if !s.hop(m, n, fits) {
		m.say("there is no other")
	}
}

// leaves reports whether the filter leaves a permutation.
func (s *graphScreen) leaves(perm int) bool { return s.st.Match == nil || s.st.Match[perm] }

// shares reports whether a permutation has the cursor's letter.
func (s *graphScreen) shares(perm int) bool {
	a, _ := s.st.Graph.Identity(s.perm, s.st.Pass)
	b, _ := s.st.Graph.Identity(perm, s.st.Pass)
	return a == b && s.leaves(perm)
}

func (s *graphScreen) mark(perm int) {
	if i, ok := slices.BinarySearch(s.marked, perm); ok {
		s.marked = slices.Delete(s.marked, i, i+1)
	} else {
		s.marked = slices.Insert(s.marked, i, perm)
	}
}

// maxMarked bounds what is marked at once: marked permutations are exported in one go.
const maxMarked = 256

func (s *graphScreen) markAll(m *Model) {
	if len(s.marked) > 0 {
		s.marked = nil
		m.say("no permutation is marked")
		return
	}
	for p := range s.st.Graph.Permutations() {
		if s.leaves(p) {
			s.marked = append(s.marked, p)
		}
		if len(s.marked) > maxMarked {
			s.marked = nil
			m.fail("more than %d permutations; filter them first (/)", maxMarked)
			return
		}
	}
	m.say("%d marked", len(s.marked))
}

func (s *graphScreen) turnPass(m *Model, n int) tea.Cmd {
	k := len(s.st.Graph.Passes) + 1
	s.pass = (s.pass+1+n+k)%k - 1
	return s.rebuild(m)
}

// open goes to the inspector, at the shown pass where there is one. On a branch it opens
// or closes that.
func (s *graphScreen) open(m *Model) tea.Cmd {
	if s.form == graphTree && s.tree != nil {
		if id, _, ok := s.tree.Node(s.line); ok {
			return s.toggle(m, id)
		}
	}
	return s.inspect(m, s.perm)
}

// inspect shows a permutation in the inspector; back returns here.
func (s *graphScreen) inspect(m *Model, perm int) tea.Cmd {
	m.record()
	over := m.showScreen(nil)
	s.shown = perm
	cmd := m.setPerm(perm)
	if s.st.Pass >= 0 {
		name := s.st.Graph.Passes[s.st.Pass].Name
		for i, r := range m.passes {
			if r.String() == name && i != m.sel.node {
				cmd = tea.Batch(cmd, m.setStage(i, -1))
			}
		}
	}
	m.focusOn(m.codeSlot())
	return tea.Batch(over, cmd)
}

// pair is what diff compares: the marked ones, the marked one and the cursor, or the
// inspector's permutation and the cursor.
func (s *graphScreen) pair(m *Model) (from, to int) {
	switch len(s.marked) {
	case 0:
		return m.sel.perm, s.perm
	case 1:
		return s.marked[0], s.perm
	}
	return s.marked[0], s.marked[1]
}

// ask asks for a filter.
func (s *graphScreen) ask(m *Model) tea.Cmd {
	was := s.filter
	text := ""
	if was != nil {
		text = was.Text
	}
	m.openPrompt("filter ", text, func(m *Model, text string) tea.Cmd {
		m.dirty = true
		f, err := s.st.Graph.ParseFilter(text)
		s.bad = ""
		if err != nil {
			s.bad = err.Error() // what is typed so far; the filter before stays
			if le := (*session.LinkError)(nil); errors.As(err, &le) {
				s.bad = le.Reason + "; " + le.Hint
			}
			return nil
		}
		return s.setFilter(m, f)
	}, func(m *Model) tea.Cmd {
		s.bad = ""
		return s.setFilter(m, was)
	})
	return nil
}

func (s *graphScreen) setFilter(m *Model, f *graph.Filter) tea.Cmd {
	if f != nil && f.Text == "" {
		f = nil
	}
	s.filter = f
	if f != nil && f.NeedsResults() {
		s.all, s.stopped = true, false
	}
	return s.rebuild(m)
}

// openLayout lists where every axis can be.
func (s *graphScreen) openLayout(m *Model) tea.Cmd {
	var items []item
	g := s.st.Graph
	for a := range g.Axes {
		name := views.Clip(g.Axes[a].Name, 40)
		add := func(text, note string, lay graph.Layout) {
			items = append(items, item{text: name + " " + text, note: note, apply: func(m *Model) tea.Cmd {
				s.lay = lay
				if _, _, ok := lay.Cell(g, s.perm); !ok {
					s.perm = lay.Fixed
				}
				return s.rebuild(m)
			}})
		}
		side := ""
		switch {
		case slices.Contains(s.lay.Rows, a):
			side = "rows"
		case slices.Contains(s.lay.Cols, a):
			side = "columns"
		}
		for _, to := range []string{"rows", "columns"} {
			note := ""
			if side == to {
				note = "in force"
			}
			add("makes "+to, note, s.lay.Put(a, to))
		}
		for o, opt := range graph.ShortOptions(&g.Axes[a]) {
			lay := s.lay.Put(a, "")
			lay.Fixed = g.With(s.perm, a, o)
			note := ""
			if side == "" && g.Option(s.lay.Fixed, a) == o {
				note = "in force"
			}
			add("= "+views.Clip(opt, 40), note, lay)
		}
	}
	if len(items) == 0 {
		m.fail("the effect has no axes")
		return nil
	}
	m.openList(overList, "Axes", items)
	return nil
}

// rebuild makes the view anew. What takes long goes into a command; the old view stays on
// the screen meanwhile.
func (s *graphScreen) rebuild(m *Model) tea.Cmd {
	st := &views.GraphState{Graph: s.st.Graph, Results: s.results, Pass: s.pass, Fold: s.fold}
	if st.Pass >= len(st.Graph.Passes) {
		st.Pass = -1
	}
	if s.filter == nil && !s.fold && s.form != graphTree && s.form != graphList {
		s.build.stop()
		s.st, s.grid, s.tree, s.list = st, views.NewGrid(st, s.lay), nil, nil
		s.find(m)
		return nil
	}
	f, finder, lay, form, order := s.filter, s.finder, s.lay, s.form, s.order
	if (form == graphList || f != nil && (f.NeedsFacts() || f.NeedsResults())) && !st.Graph.Linked() {
		s.again = true // as soon as the bodies are read
		return nil
	}
	toggled := maps.Clone(s.toggled)
	st.Results = slices.Clone(s.results)
	ctx, gen := s.build.next(m.ctx)
	return func() tea.Msg {
		var err error
		if f != nil {
			if st.Match, err = f.Match(ctx, st.Graph, st.Results, finder, st.Pass); err != nil {
				return nil // stopped
			}
		}
		msg := graphBuilt{gen: gen, st: st, grid: views.NewGrid(st, lay)}
		switch form {
		case graphTree:
			msg.tree = views.NewGraphTree(st, toggled, false)
		case graphList:
			if msg.list, err = views.NewGraphList(ctx, st, finder, order); err != nil {
				return nil // stopped
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return msg
	}
}

// pending is what is still to do for what shows; the frame asks after every message. It
// compiles the next unit that a cell on the screen waits for, or any where all were asked
// for, one at a time: moving on changes what is next.
func (s *graphScreen) pending(m *Model) tea.Cmd {
	var view tea.Cmd
	if s.again && !s.build.on {
		s.again = false
		view = s.rebuild(m)
	}
	return tea.Batch(view, s.compile(m))
}

func (s *graphScreen) compile(m *Model) tea.Cmd {
	if s.work.on || s.stopped || !s.st.Graph.Linked() {
		return nil
	}
	unit := s.next(m)
	if unit < 0 {
		return nil
	}
	ctx, gen := s.work.next(m.ctx)
	g, sess := s.st.Graph, s.sess
	return func() tea.Msg {
		r, err := g.Compile(ctx, sess, unit)
		if err != nil {
			return nil // stopped
		}
		return graphCompiled{gen, unit, r}
	}
}

// next is the unit to compile: the cursor's first, then those of the cells that show,
// then the others if they were asked for; -1 where nothing is missing.
func (s *graphScreen) next(m *Model) int {
	g := s.st.Graph
	if u := s.missing(s.perm, -1); u >= 0 {
		return u
	}
	rows := s.rowsOf(m)
	switch s.form {
	case graphGrid:
		n, cols := s.grid.Size()
		for y := s.top; y < min(s.top+rows-s.gridHead(), n); y++ {
			for x := s.left; x < min(s.left+s.columnsOf(m.arr.chrome.body.w), cols); x++ {
				if p := s.grid.Perm(y, x); s.leaves(p) {
					if u := s.missing(p, s.st.Pass); u >= 0 {
						return u
					}
				}
			}
		}
	case graphTree:
		for i := s.treeTop; s.tree != nil && i < min(s.treeTop+rows, s.tree.Len()); i++ {
			if _, _, branch := s.tree.Node(i); !branch {
				if u := s.missing(s.tree.Perm(i), -1); u >= 0 {
					return u
				}
			}
		}
	case graphList:
		for i := s.listTop; s.list != nil && i < min(s.listTop+rows, s.list.Len()); i++ {
			if u := s.missing(s.list.Perm(i), s.st.Pass); u >= 0 {
				return u
			}
		}
	}
	if s.all {
		for u := range g.Units {
			if s.results.Of(u) == nil {
				return u
			}
		}
	}
	return -1
}

// missing is a unit of a permutation without a result, or -1; pass -1 is any.
func (s *graphScreen) missing(perm, pass int) int {
	g := s.st.Graph
	for p := range g.Passes {
		if pass >= 0 && p != pass {
			continue
		}
		if u := g.Unit(perm, p); u >= 0 && s.results.Of(u) == nil {
			return u
		}
	}
	return -1
}

func (s *graphScreen) update(m *Model, msg screenMsg) tea.Cmd {
	switch msg := msg.(type) {
	case graphLinked:
		if msg.gen != s.link.gen {
			return nil
		}
		s.link.on = false
		if msg.err != nil {
			m.fail("%v", msg.err)
			return nil
		}
		s.results = make(graph.Results, len(msg.g.Units))
		s.finder = graph.NewFinder(msg.g, s.sess)
		s.st = &views.GraphState{Graph: msg.g, Results: s.results, Pass: s.pass}
		return s.rebuild(m)
	case graphCompiled:
		if s.results.Of(msg.unit) == nil && msg.unit < len(s.results) {
			s.results[msg.unit] = msg.r
			s.known++
		}
		if s.tree != nil {
			s.tree.Forget()
		}
		if msg.gen != s.work.gen {
			return nil
		}
		s.work.on = false
		s.again = s.again || s.filter != nil && s.filter.NeedsResults()
		return nil
	case graphBuilt:
		if msg.gen != s.build.gen {
			return nil
		}
		s.build.on = false
		msg.st.Results = s.results
		s.st, s.grid, s.tree, s.list = msg.st, msg.grid, msg.tree, msg.list
		if s.tree != nil {
			s.tree.Forget()
		}
		s.find(m)
		return nil
	}
	return s.updateExport(m, msg)
}

func (s *graphScreen) escape(m *Model) bool {
	switch {
	case s.export.on:
		s.export.stop()
		m.say("stopped: nothing was written")
	case s.work.on && s.all:
		s.work.stop()
		s.all, s.stopped = false, true
		m.say("stopped compiling")
	case s.filter != nil:
		s.filter, s.again = nil, true
		m.say("filter cleared")
	case len(s.marked) > 0:
		s.marked = nil
		m.say("no permutation is marked")
	default:
		return false
	}
	return true
}

// graphSpot is where the screen was.
type graphSpot struct {
	perm, top, left, treeTop, line, pass int
	form                                 graphForm
	fold                                 bool
}

func (s *graphScreen) spot() any {
	return graphSpot{s.perm, s.top, s.left, s.treeTop, s.line, s.st.Pass, s.form, s.fold}
}

func (s *graphScreen) goSpot(m *Model, at any) {
	p, ok := at.(graphSpot)
	if !ok {
		return
	}
	s.perm, s.shown = p.perm, m.sel.perm
	s.form = p.form
	s.again = s.again || s.form == graphTree && s.tree == nil || s.form == graphList && s.list == nil
	s.find(m)
	s.top, s.left, s.treeTop = p.top, p.left, p.treeTop
	if s.tree != nil && p.line < s.tree.Len() {
		s.line = p.line
	}
}

func (s *graphScreen) linkText() string {
	l := s.sess.Link(s.perm, session.PassRef{Pass: -1}, "", -1)
	if s.st.Pass >= 0 {
		if u := s.st.Graph.Unit(s.perm, s.st.Pass); u >= 0 {
			l = s.sess.Link(s.perm, s.st.Graph.Units[u].Ref, "", -1)
		}
	}
	return l.String()
}

func (s *graphScreen) place(m *Model) string {
	_, letters := s.st.Graph.Identity(s.perm, s.st.Pass)
	out := fmt.Sprintf("permutation %d of %d  %s", s.perm, s.st.Graph.Permutations(), letters)
	if len(s.marked) > 0 {
		out += fmt.Sprintf("  %d marked", len(s.marked))
	}
	return out
}

func (s *graphScreen) status(*Model) []views.Span {
	var out []views.Span
	add := func(t string) { out = append(out, sp(views.RoleStatus, t+"  ")) }
	g := s.st.Graph
	switch {
	case s.export.on:
		add("building packages, esc stops")
	case s.link.on:
		add("reading bodies…")
	case s.build.on:
		add("filtering…")
	case s.work.on && s.all:
		add(fmt.Sprintf("compiling %d of %d units, esc stops", s.known+1, len(g.Units)))
	case s.work.on:
		add("compiling")
	}
	add(strings.Replace(strings.Replace(g.Summary(), " permutations", " perms", 1), "pass units", "units", 1))
	return out
}

func (s *graphScreen) panel(_ *Model, cols int) (string, []views.Line) {
	return fmt.Sprintf("permutation %d", s.perm), s.permDetail(cols)
}

// panelRows keeps the panel at one height while the cursor moves, as long as no reason
// takes more room.
func (s *graphScreen) panelRows(m *Model) int {
	return len(s.permDetail(m.w - 2))
}

// detailOf is what the lines of the panel depend on.
type detailOf struct {
	st                *views.GraphState
	perm, cols, known int
}

// permDetail is what the panel says of the cursor's permutation; its height is asked for
// as often as its lines.
func (s *graphScreen) permDetail(cols int) []views.Line {
	of := detailOf{s.st, s.perm, cols, s.known}
	if s.detailOf != of {
		s.detailOf, s.detail = of, views.PermDetail(s.st, s.perm, cols)
	}
	return s.detail
}

// title is the row above the table or tree.
func (s *graphScreen) title() string {
	if s.bad != "" {
		return "✗ " + s.bad
	}
	t := graphForms[s.form]
	switch s.form {
	case graphGrid:
		t += "  " + s.grid.Title()
	case graphTree, graphList:
		if s.st.Pass >= 0 {
			t += "  units of " + views.Clip(s.st.Graph.Passes[s.st.Pass].Name, 40)
		} else {
			t += "  bodies"
		}
		if s.form == graphList {
			t += " by " + s.order.String()
		}
	}
	if s.st.Fold {
		t += "; folded"
	}
	return t
}

func (s *graphScreen) compose(m *Model, c *canvas, b rect) {
	s.reveal(m)
	right := ""
	if s.filter != nil && s.bad == "" {
		n := 0
		for _, ok := range s.st.Match {
			if ok {
				n++
			}
		}
		right = fmt.Sprintf("  filter %s: %d of %d ", views.Clip(s.filter.Text, 40), n, s.st.Graph.Permutations())
		if s.st.Match == nil || s.build.on {
			right = fmt.Sprintf("  filter %s: … ", views.Clip(s.filter.Text, 40))
		}
	}
	room := max(b.w-views.Width(right)-2, 0)
	c.put(b.x, b.y, b.w, []views.Span{sp(views.RolePaneOn, "▸ "+views.Pad(views.Clip(s.title(), room), room)+right)}, 0, sp(views.RolePaneOn, ""))
	y := b.y + 1
	cur := views.GraphCursor{Perm: s.perm, Marked: s.marked, On: true}
	rows := b.h - 1
	var lines []views.Line
	used := 0
	switch s.form {
	case graphGrid:
		s.viewCols = s.columnsOf(b.w)
		head := s.grid.Head(s.left, s.viewCols)
		n, cols := s.grid.Size()
		s.view = rect{b.x + graphGutter + s.grid.HeadWidth(), y + len(head), s.viewCols * s.grid.CellWidth(), rows - len(head)}
		lines = append(append(s.lines[:0], head...), s.grid.Lines(views.Window{First: s.top, Rows: rows - len(head)}, s.left, s.viewCols, cur)...)
		if n == 0 || cols == 0 {
			lines = append(lines, views.Say(views.RoleDim, "No permutation is left by the filter; esc clears it."))
		}
		s.lines = lines
		used = graphGutter + s.grid.HeadWidth() + min(s.viewCols, cols)*s.grid.CellWidth()
	case graphTree:
		s.view = rect{b.x, y, b.w, rows}
		switch {
		case s.tree == nil:
			lines = []views.Line{views.Say(views.RoleDim, "laying out…")}
		case s.tree.Len() == 0:
			lines = []views.Line{views.Say(views.RoleDim, "No permutation is left by the filter; esc clears it.")}
		default:
			lines = s.tree.Lines(views.Window{First: s.treeTop, Rows: rows}, s.line, cur)
		}
		used = 76
	case graphList:
		s.view = rect{b.x, y + 1, b.w, rows - 1}
		switch {
		case s.list == nil:
			lines = []views.Line{views.Say(views.RoleDim, "reading programs…")}
		case s.list.Len() == 0:
			lines = []views.Line{views.Say(views.RoleDim, "No permutation is left by the filter; esc clears it.")}
		default:
			lines = append([]views.Line{s.list.Head()}, s.list.Lines(views.Window{First: s.listTop, Rows: rows - 1}, s.item, cur)...)
		}
	case graphAxes:
		s.view = rect{}
		lines = s.axesLines()
		lines = lines[min(s.axesTop, max(len(lines)-rows, 0)):]
	}
	m.composeRows(c, rect{b.x, y, b.w, rows}, graphGutter, lines, 0)
	if s.form == graphGrid || s.form == graphTree {
		s.composeAxes(c, rect{b.x + used + 3, y, b.w - used - 3, rows})
	}
}

func (s *graphScreen) axesLines() []views.Line {
	if !s.st.Graph.Linked() {
		return []views.Line{views.Say(views.RoleDim, "reading bodies…")}
	}
	ls := []views.Line{views.Say(views.RoleText, "Which axes matter to which pass: code, only its states, or not (-)."), views.Blank()}
	return append(ls, views.AxisTable(s.st.Graph)...)
}

// composeAxes draws the table of axes beside the grid, where there is room for all of it.
func (s *graphScreen) composeAxes(c *canvas, r rect) {
	if !s.st.Graph.Linked() || r.w <= 0 {
		return
	}
	if s.axes == nil {
		s.axes = views.AxisTable(s.st.Graph)
	}
	ls := s.axes
	for i := range ls {
		if ls[i].Width() > r.w {
			return
		}
	}
	for i := range min(len(ls), r.h) {
		c.put(r.x, r.y+i, r.w, ls[i].Spans, 0, blank)
		c.put(r.x-2, r.y+i, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
	}
}

// click puts the cursor on a cell; a second click opens it.
func (s *graphScreen) click(m *Model, x, y int) tea.Cmd {
	if !s.view.contains(x, y) {
		return nil
	}
	row := y - s.view.y
	switch s.form {
	case graphGrid:
		n, cols := s.grid.Size()
		row += s.top
		col := s.left + (x-s.view.x)/s.grid.CellWidth()
		if row >= n || col >= cols {
			return nil
		}
		if row == s.row && col == s.col {
			return s.inspect(m, s.perm)
		}
		s.moveTo(m, row, col)
	case graphTree:
		if row += s.treeTop; s.tree == nil || row >= s.tree.Len() {
			return nil
		}
		again := row == s.line
		s.move(m, row-s.line)
		if again {
			return s.open(m)
		}
	case graphList:
		if row += s.listTop; s.list == nil || row >= s.list.Len() {
			return nil
		}
		again := row == s.item
		s.move(m, row-s.item)
		if again {
			return s.open(m)
		}
	}
	s.stopped = false
	return nil
}

// diff compares two permutations on the Diff screen; back returns here.
func (s *graphScreen) diff(m *Model) tea.Cmd {
	from, to := s.pair(m)
	return m.showDiff(from, to)
}
