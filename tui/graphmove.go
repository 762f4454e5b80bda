package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

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
