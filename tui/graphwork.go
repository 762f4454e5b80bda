package tui

import (
	"maps"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/graph"
	"fxlens/views"
)

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
