package tui

import (
	"errors"
	"fmt"
	"slices"

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
