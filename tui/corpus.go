package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/qualify"
	"fxlens/core/session"
	"fxlens/views"
)

// Corpus is a folder for the Corpus screen.
type Corpus struct {
	Name string // of the folder, for the title
	// Run qualifies the files below it. It calls file in the order of the paths, from one
	// goroutine, with how far it is, and returns what could not be looked at (unreadable
	// folders). It ends with ctx.
	Run func(ctx context.Context, file func(*qualify.File, qualify.Progress) error) (skipped []error, err error)
	// Open opens one of the files.
	Open func(ctx context.Context, path string) (*session.Session, error)
}

// corpusScreen is the live table of a folder. It outlives the files that are opened
// from it.
type corpusScreen struct {
	src *Corpus

	corpusState // what has come
	table       *views.Corpus
	at          corpusSpot

	job   job
	begun time.Time // zero: it was never run

	marked  map[string]bool // paths that are marked for export
	filter  string
	sort    views.CorpusSort
	group   bool
	next    bool // the list of what to add next has the keyboard
	step    int  // its cursor
	stepTop int  // its first row
	body    rect
}

// corpusSpot is where the table's cursor is. The file, not the line, is what it stands
// on: lines move while results come.
type corpusSpot struct {
	line, top    int
	path, reason string
}

// corpusState is how far a run is. Its rows are only ever added to.
type corpusState struct {
	rows     []*views.CorpusRow
	progress qualify.Progress
	sum      *qualify.Summary // of an earlier moment; nil at first
	skipped  []error
}

type corpusMsg struct{ report[corpusState] }

func (corpusMsg) screen() where { return inCorpus }

// corpusOpenedMsg is a file of the folder, opened.
type corpusOpenedMsg struct {
	gen  int
	path string
	link string
	s    *session.Session
	err  error
}

func (corpusOpenedMsg) screen() where { return inCorpus }

func newCorpusScreen(src *Corpus) *corpusScreen {
	return &corpusScreen{src: src, table: views.NewCorpus(nil, nil, 0, false)}
}

func corpusActions() []action {
	on := func(f func(s *corpusScreen, m *Model) tea.Cmd) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			s, _ := m.screens[inCorpus].(*corpusScreen)
			return f(s, m)
		}
	}
	return []action{
		{ID: "corpus", Keys: []string{"f5", "C"}, In: inEvery, Group: "Screens", Help: "the Corpus screen: all files of the folder", Why: (*Model).whyNoCorpus, Do: func(m *Model) tea.Cmd {
			return m.goScreen(inCorpus, func() screen { return newCorpusScreen(m.opt.Corpus) })
		}},
		{ID: "corpus-open", Keys: []string{"enter"}, In: inCorpus, Group: "Corpus", Help: "open the file at its first reason; from a line of what to add next: only the files that it stops", Bar: "open", Why: (*Model).whyNoCorpusRow, Do: on((*corpusScreen).open)},
		{ID: "corpus-start", Keys: []string{"o"}, In: inCorpus, Group: "Corpus", Help: "open the file at its start", Why: (*Model).whyNoCorpusRow, Do: on(func(s *corpusScreen, m *Model) tea.Cmd { return s.openAt(m, "") })},
		{ID: "corpus-filter", Keys: []string{"/"}, In: inCorpus, Group: "Corpus", Help: "filter by words of path, kind, status or reason; !word leaves out", Bar: "filter", Do: on((*corpusScreen).askFilter)},
		{ID: "corpus-sort", Keys: []string{"s"}, In: inCorpus, Group: "Corpus", Help: "sort by path, status, stages left, first reason, size", Bar: "sort", Do: on(func(s *corpusScreen, _ *Model) tea.Cmd {
			s.sort = (s.sort + 1) % views.NumCorpusSorts
			s.rebuild()
			return nil
		})},
		{ID: "corpus-group", Keys: []string{"r"}, In: inCorpus, Group: "Corpus", Help: "group by reason, and back", Bar: "group", Do: on(func(s *corpusScreen, _ *Model) tea.Cmd {
			s.group = !s.group
			s.rebuild()
			return nil
		})},
		{ID: "corpus-next", Keys: []string{"tab", "n"}, In: inCorpus, Group: "Corpus", Help: "what to add next, the ranked reasons; again: the table", Bar: "ranking", Why: (*Model).whyNoRanking, Do: on(func(s *corpusScreen, _ *Model) tea.Cmd {
			s.next = !s.next
			return nil
		})},
		{ID: "corpus-next-reason", Keys: []string{"]"}, In: inCorpus, Group: "Corpus", Help: "next file that has a reason", Do: on(func(s *corpusScreen, _ *Model) tea.Cmd { s.walk(1); return nil })},
		{ID: "corpus-last-reason", Keys: []string{"["}, In: inCorpus, Group: "Corpus", Help: "previous file that has a reason", Do: on(func(s *corpusScreen, _ *Model) tea.Cmd { s.walk(-1); return nil })},
		{ID: "corpus-again", Keys: []string{"ctrl+r"}, In: inCorpus, Group: "Corpus", Help: "look at all files again; what did not change comes from the cache", Do: on(func(s *corpusScreen, m *Model) tea.Cmd { return s.run(m) })},
		{ID: "corpus-mark", Keys: []string{" "}, In: inCorpus, Group: "Corpus", Help: "mark the file for export, or take the mark away", Bar: "mark", Why: (*Model).whyNoCorpusFile, Do: on((*corpusScreen).toggle)},
		{ID: "corpus-mark-all", Keys: []string{"*"}, In: inCorpus, Group: "Corpus", Help: "mark all files that the filter leaves; again: take their marks away", Do: on((*corpusScreen).toggleAll)},
		{ID: "corpus-export", Keys: []string{"x"}, In: inCorpus, Group: "Corpus", Help: "export the default permutation of every marked file, one package each", Bar: "export", Why: (*Model).whyNoCorpusMarks, Do: on(func(s *corpusScreen, m *Model) tea.Cmd { return m.openExportOfFiles(s.files()) })},
		{ID: "corpus-yank", Keys: []string{"y"}, In: inCorpus, Group: "Corpus", Help: "copy this line", Why: (*Model).whyNoCorpusRow, Do: on(func(s *corpusScreen, m *Model) tea.Cmd { return m.yank(s.table.Text(s.at.line), "line") })},
		{ID: "corpus-yank-link", Keys: []string{"Y"}, In: inCorpus, Group: "Corpus", Help: "copy the link to the file's first reason", Why: (*Model).whyNoCorpusRow, Do: on(func(s *corpusScreen, m *Model) tea.Cmd { return m.yank(s.link(), "link") })},
	}
}

func (m *Model) whyNoCorpus() string {
	if m.opt.Corpus == nil {
		return "no folder is open; give one as argument"
	}
	return ""
}

func (m *Model) whyNoCorpusRow() string {
	s, _ := m.screens[inCorpus].(*corpusScreen)
	switch {
	case s == nil:
		return "the screen was never shown"
	case s.next:
		return ""
	}
	if r, _ := s.table.Row(s.at.line); r == nil {
		return "the cursor is on no file"
	}
	return ""
}

func (m *Model) whyNoRanking() string {
	if s, _ := m.screens[inCorpus].(*corpusScreen); s == nil || s.sum == nil {
		return "no results have come yet"
	}
	return ""
}

func (s *corpusScreen) where() where { return inCorpus }
func (s *corpusScreen) name() string { return "Corpus" }

// subject stands in the head row instead of the open file.
func (s *corpusScreen) subject() string { return s.src.Name }

func (s *corpusScreen) show(m *Model) tea.Cmd {
	if !s.begun.IsZero() {
		return nil
	}
	return s.run(m)
}

func (s *corpusScreen) stop() { s.job.stop() }

// batchEvery is how often the table takes what has come: often enough to look live.
const batchEvery = 50 * time.Millisecond

// run starts over.
func (s *corpusScreen) run(m *Model) tea.Cmd {
	ctx, gen := s.job.next(m.ctx)
	s.corpusState, s.begun = corpusState{sum: s.sum}, time.Now()
	return start(ctx, gen, s.src.collect, func(r report[corpusState]) tea.Msg { return corpusMsg{r} })
}

// collect runs the qualification and reports what has come. The summary is made here, off
// the event loop, at most as long as a tenth of the time.
func (c *Corpus) collect(ctx context.Context, see func(corpusState)) (corpusState, error) {
	var z qualify.Summarizer
	var now corpusState
	last := time.Now()
	summed := last
	skipped, err := c.Run(ctx, func(f *qualify.File, p qualify.Progress) error {
		z.Add(f)
		now.rows = append(now.rows, views.NewCorpusRow(f))
		now.progress = p
		t := time.Now()
		if t.Sub(last) < batchEvery {
			return nil
		}
		if t.Sub(summed) > time.Second {
			now.sum = z.Summary()
			summed = t.Add(9 * time.Since(t))
		}
		see(now)
		last = time.Now()
		return nil
	})
	now.sum, now.skipped = z.Summary(), skipped
	return now, err
}

func (s *corpusScreen) update(m *Model, msg screenMsg) tea.Cmd {
	switch msg := msg.(type) {
	case corpusMsg:
		if msg.gen != s.job.gen {
			return nil
		}
		if msg.of.sum == nil {
			msg.of.sum = s.sum
		}
		s.corpusState = msg.of
		s.rebuild()
		if !msg.done {
			return msg.next
		}
		s.job.on = false
		if msg.err == nil {
			s.prune()
		}
		if len(s.skipped) > 0 {
			m.fail("%d places could not be looked at, the first: %v", len(s.skipped), s.skipped[0])
		}
		if msg.err != nil {
			m.fail("%v", msg.err)
		}
	case corpusOpenedMsg:
		return s.opened(m, msg)
	}
	return nil
}

// rebuild makes the table anew; the cursor stays on its file.
func (s *corpusScreen) rebuild() {
	s.table = views.NewCorpus(s.rows, views.ParseCorpusFilter(s.filter), s.sort, s.group)
	off := s.at.line - s.at.top
	if s.at.path != "" {
		if k := s.table.Find(s.at.path, s.at.reason); k >= 0 {
			s.at.line = k
			s.at.top = k - off
		}
	}
	s.settle()
}

// settle brings the cursor into the table and into its window, and notes the file.
func (s *corpusScreen) settle() {
	n := s.table.Len()
	s.at.line = min(max(s.at.line, 0), max(n-1, 0))
	rows := max(s.tableRect().h-1, 1)
	s.at.top = min(max(s.at.top, s.at.line-rows+1, 0), s.at.line)
	if n-s.at.top < rows {
		s.at.top = max(n-rows, 0)
	}
	s.at.path, s.at.reason = "", ""
	if r, reason := s.table.Row(s.at.line); r != nil {
		s.at.path, s.at.reason = r.Path, reason
	}
}

// splitAt is the width from which table and ranking stand side by side.
const splitAt = 150

func (s *corpusScreen) tableRect() rect {
	b := s.body
	if b.w >= splitAt {
		b.w -= b.w/3 + 1
	}
	return b
}

func (s *corpusScreen) nextRect() rect {
	b := s.body
	if b.w >= splitAt {
		n := b.w / 3
		return rect{b.x + b.w - n, b.y, n, b.h}
	}
	return b
}

func (s *corpusScreen) page(*Model) int { return max(s.body.h-2, 1) }

func (s *corpusScreen) move(_ *Model, n int) {
	if s.next {
		s.step = min(max(s.step+n, 0), max(len(s.steps())-1, 0))
		return
	}
	s.at.line = min(max(s.at.line+n, 0), max(s.table.Len()-1, 0))
	s.settle()
}

func (s *corpusScreen) steps() []qualify.Step {
	if s.sum == nil {
		return nil
	}
	return s.sum.Next
}

// walk goes to the next file with a reason, or the one before.
func (s *corpusScreen) walk(n int) {
	s.next = false
	for i := s.at.line + n; i >= 0 && i < s.table.Len(); i += n {
		if r, _ := s.table.Row(i); r != nil && len(r.Reasons) > 0 {
			s.at.line = i
			s.settle()
			return
		}
	}
}

func (s *corpusScreen) click(m *Model, x, y int) tea.Cmd {
	list := s.tableRect()
	if (s.next || s.body.w >= splitAt) && s.nextRect().contains(x, y) {
		i := s.stepTop + y - s.body.y - 1
		if y == s.body.y || i >= len(s.steps()) {
			return nil
		}
		again := s.next && s.step == i
		s.next, s.step = true, i
		if again {
			return s.open(m)
		}
		return nil
	}
	line := s.at.top + y - list.y - 1
	if !list.contains(x, y) || y == list.y || line >= s.table.Len() {
		return nil
	}
	again := !s.next && s.at.line == line
	s.next = false
	s.at.line = line
	s.settle()
	if r, _ := s.table.Row(line); again && r != nil {
		return s.open(m)
	}
	return nil
}

func (s *corpusScreen) escape(m *Model) bool {
	switch {
	case s.job.on:
		s.job.stop()
		m.say("stopped; what is done is in the cache, and ctrl+r goes on from there")
	case s.next:
		s.next = false
	case s.filter != "":
		s.filter = ""
		s.rebuild()
	default:
		return m.sess == nil // there is nothing below: q leaves
	}
	return true
}

func (s *corpusScreen) askFilter(m *Model) tea.Cmd {
	was := s.filter
	s.next = false
	set := func(_ *Model, text string) tea.Cmd {
		s.filter = text
		s.rebuild()
		return nil
	}
	m.openPrompt("filter ", s.filter, set, func(m *Model) tea.Cmd { return set(m, was) })
	return nil
}

// link is the link to the row's reason, or the row's path.
func (s *corpusScreen) link() string {
	r, reason := s.table.Row(s.at.line)
	if r == nil {
		return ""
	}
	for _, x := range r.Reasons {
		if x.Link != "" && (reason == "" || x.Code == reason) {
			return x.Link
		}
	}
	return session.FileLink(r.Path).String()
}

func (s *corpusScreen) open(m *Model) tea.Cmd {
	if s.next {
		if i := s.step; i < len(s.steps()) {
			s.filter, s.next = s.steps()[i].Code, false
			s.rebuild()
		}
		return nil
	}
	return s.openAt(m, s.link())
}

func (s *corpusScreen) openAt(m *Model, link string) tea.Cmd {
	r, _ := s.table.Row(s.at.line)
	if r == nil || s.src.Open == nil {
		return nil
	}
	m.say("opening %s", r.Path)
	ctx, gen, open, path := m.ctx, s.job.gen, s.src.Open, r.Path
	return func() tea.Msg {
		sess, err := open(ctx, path)
		return corpusOpenedMsg{gen, path, link, sess, err}
	}
}

// opened shows a file of the folder; back returns to the table.
func (s *corpusScreen) opened(m *Model, msg corpusOpenedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail("%v", msg.err)
		return nil
	}
	m.status = ""
	m.start = nil
	if l, err := session.ParseLink(msg.link); msg.link != "" && err == nil && !l.IsFile() {
		m.start = &l
	}
	m.opt.Path, m.opt.Sidecar = msg.path, msg.path+session.SidecarSuffix
	back := m.here()
	m.setSession(msg.s)
	m.hist = history{back: []spot{back}}
	m.relayout()
	cmd := m.reselect()
	m.syncLeft()
	return cmd
}

func (s *corpusScreen) spot() any { return s.at }

func (s *corpusScreen) goSpot(_ *Model, at any) {
	s.at = at.(corpusSpot)
	s.rebuild()
}

func (s *corpusScreen) place(*Model) string {
	if r, _ := s.table.Row(s.at.line); r != nil {
		return r.Path
	}
	if s.job.on {
		return "looking at " + s.src.Name
	}
	return s.src.Name
}

func (s *corpusScreen) status(m *Model) []views.Span {
	var out []views.Span
	add := func(format string, args ...any) {
		out = append(out, sp(views.RoleStatus, fmt.Sprintf(format, args...)+"  "))
	}
	if n := len(s.marked); n > 0 {
		add("* %d marked", n)
	}
	p := s.progress
	if s.job.on {
		rate := ""
		if d := time.Since(s.begun); d > 200*time.Millisecond && p.Files > 0 {
			rate = fmt.Sprintf(", %.0f files/s", float64(p.Files)/d.Seconds())
		}
		add("%d of %d files%s  esc stops", p.Files, p.TotalFiles, rate)
	} else if s.filter != "" {
		add("%d of %d files", s.table.Len(), len(s.rows))
	}
	for _, st := range qualify.Statuses() {
		if n := p.Counts[st]; n > 0 {
			g, _ := views.QualifyGlyph(st)
			add("%s %d %s", g, n, st)
		}
	}
	return out
}

func (s *corpusScreen) panel(_ *Model, cols int) (string, []views.Line) {
	if s.next && s.step < len(s.steps()) {
		return "what to add next", views.CorpusStep(&s.steps()[s.step], cols)
	}
	if r, reason := s.table.Row(s.at.line); r != nil {
		return "file", views.CorpusDetail(r, reason, cols)
	}
	return "", nil
}

func (s *corpusScreen) compose(m *Model, c *canvas, body rect) {
	if body != s.body {
		s.body = body
		s.settle()
	}
	wide := body.w >= splitAt
	if wide || !s.next {
		s.composeTable(m, c, s.tableRect())
	}
	if !wide && !s.next {
		return
	}
	r := s.nextRect()
	if wide {
		for y := r.y; y < r.y+r.h; y++ {
			c.put(r.x-1, y, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
		}
	}
	var lines []views.Line
	if s.sum != nil {
		lines = views.CorpusNext(s.sum, r.w-2)
	}
	rows := r.h - 1
	s.stepTop = min(max(s.stepTop, s.step-rows+1, 0), s.step)
	sel := views.NoSelection
	composeTitle(c, r, "What to add next", s.next)
	list := views.NewList(lines, nil)
	m.composeRows(c, rect{r.x, r.y + 1, r.w, rows}, 2, list.Lines(views.Window{First: s.stepTop, Rows: rows, Cols: r.w - 2}, sel.At(s.step, 0, s.next)), 0)
}

func (s *corpusScreen) composeTable(m *Model, c *canvas, r rect) {
	role, mark := views.RolePaneOn, "▸ "
	if s.next {
		role, mark = views.RolePane, "  "
	}
	head := views.CorpusHead(r.w - 2)
	title := head.Spans[0].Text
	right := ""
	if s.filter != "" {
		right = " filter: " + s.filter + " "
	}
	right += " by " + s.sort.String() + " "
	room := r.w - views.Width(right)
	c.put(r.x, r.y, r.w, []views.Span{sp(role, views.Pad(views.Clip(mark+title, room), room)), sp(role, right)}, 0, sp(role, ""))
	inner := rect{r.x, r.y + 1, r.w, r.h - 1}
	if s.table.Len() == 0 {
		text := "no file of the folder matches the filter; esc clears it"
		switch {
		case len(s.rows) == 0 && s.job.on:
			text = "looking for files…"
		case len(s.rows) == 0:
			text = "there are no shader files in this folder"
		}
		m.composeRows(c, inner, 2, []views.Line{views.Say(views.RoleDim, text)}, 0)
		return
	}
	sel := views.NoSelection
	lines := s.table.Lines(views.Window{First: s.at.top, Rows: inner.h, Cols: r.w - 2}, sel.At(s.at.line, 0, !s.next))
	m.composeRows(c, inner, 2, lines, 0)
	for y := range lines {
		if row, _ := s.table.Row(s.at.top + y); row != nil && s.marked[row.Path] {
			c.put(r.x+1, inner.y+y, 1, []views.Span{{Role: views.RoleKey, Emph: groundOf(&lines[y]), Text: "*"}}, 0, blank)
		}
	}
}
