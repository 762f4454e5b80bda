package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/session"
	"fxlens/views"
)

// diffScreen compares two permutations of the opened effect, pass by pass and stage by
// stage, in one of the forms.
type diffScreen struct {
	sess     *session.Session
	from, to int // permutations
	form     views.DiffForm
	d        *views.PermDiff
	err      string
	of       diffKey // what d is of
	line     int
	top      int
	left     int    // cells scrolled sideways
	want     string // section to go to when the comparison is there
	job      job
	view     rect
}

// diffKey tells whether a comparison is still the one that is wanted.
type diffKey struct {
	from, to int
	form     views.DiffForm
}

type diffMade struct {
	gen int
	of  diffKey
	d   *views.PermDiff
	err error
}

func (diffMade) screen() where { return inDiff }

func diffActions() []action {
	do := func(f func(s *diffScreen, m *Model) tea.Cmd) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			m.dirty = true
			return f(m.screen.(*diffScreen), m) // Why has looked
		}
	}
	form := func(f views.DiffForm) func(m *Model) tea.Cmd {
		return do(func(s *diffScreen, m *Model) tea.Cmd {
			if sec := s.section(); sec != nil {
				s.want = sec.Name
			}
			s.form = f
			return s.compare(m)
		})
	}
	all := []action{
		{ID: "diff", Keys: []string{"f8", "V"}, In: inEvery, Group: "Screens", Help: "the Diff screen: two permutations stage by stage", Why: (*Model).whyNoDiff, Do: (*Model).goDiff},
		{ID: "diff-open", Keys: []string{"enter"}, In: inDiff, Group: "Diff", Help: "to this stage of the second permutation, at the line under the cursor", Bar: "open", Do: do((*diffScreen).open)},
		{ID: "diff-next", Keys: []string{"n", "]"}, In: inDiff, Group: "Diff", Help: "next change", Bar: "change", Tap: "n N", Do: do(func(s *diffScreen, m *Model) tea.Cmd { return s.hunk(m, 1) })},
		{ID: "diff-previous", Keys: []string{"N", "["}, In: inDiff, Group: "Diff", Help: "previous change", Do: do(func(s *diffScreen, m *Model) tea.Cmd { return s.hunk(m, -1) })},
		{ID: "diff-left", Keys: []string{"left", "h", "<"}, In: inDiff, Group: "Diff", Help: "scroll to the left", Do: do(func(s *diffScreen, _ *Model) tea.Cmd { s.left = max(s.left-8, 0); return nil })},
		{ID: "diff-right", Keys: []string{"right", "l", ">"}, In: inDiff, Group: "Diff", Help: "scroll to the right", Do: do(func(s *diffScreen, _ *Model) tea.Cmd { s.left = min(s.left+8, 4096); return nil })},
		{ID: "diff-dxbc", Keys: []string{"1"}, In: inDiff, Group: "Diff", Help: "compare DXBC", Bar: "forms", Tap: "1-4", Do: form(views.DiffDXBC)},
		{ID: "diff-ssa", Keys: []string{"2"}, In: inDiff, Group: "Diff", Help: "compare SSA", Do: form(views.DiffSSA)},
		{ID: "diff-wgsl", Keys: []string{"3"}, In: inDiff, Group: "Diff", Help: "compare WGSL", Do: form(views.DiffWGSL)},
		{ID: "diff-bindings", Keys: []string{"4"}, In: inDiff, Group: "Diff", Help: "compare the bindings", Do: form(views.DiffBindings)},
		{ID: "diff-swap", Keys: []string{"x"}, In: inDiff, Group: "Diff", Help: "the sides change places", Bar: "swap", Do: do(func(s *diffScreen, m *Model) tea.Cmd {
			s.from, s.to = s.to, s.from
			return s.compare(m)
		})},
		{ID: "diff-yank", Keys: []string{"y"}, In: inDiff, Group: "Diff", Help: "copy the unified diff", Bar: "copy", Do: do(func(s *diffScreen, m *Model) tea.Cmd {
			if s.d == nil {
				return nil
			}
			return m.yank(s.d.Unified(), "diff")
		})},
	}
	for i := range all {
		if all[i].In == inDiff {
			all[i].Why = func(m *Model) string { // help runs actions from anywhere
				if _, ok := m.screen.(*diffScreen); !ok {
					return "the Diff screen is not shown; press f8"
				}
				return ""
			}
		}
	}
	return all
}

func (m *Model) whyNoDiff() string {
	if why := m.whyNoGraph(); why != "" {
		return why
	}
	if m.sess.Permutations() < 2 {
		return "the effect has one permutation"
	}
	return ""
}

// goDiff shows the last comparison or, where there was none or the inspector has gone on
// since, the inspector's permutation against the one before or the defaults.
func (m *Model) goDiff() tea.Cmd {
	from, to := m.cmp.with, m.sel.perm
	if from < 0 || from == to {
		from = m.sess.DefaultPermutation()
	}
	if from == to { // at the defaults, and nothing was before: the nearest other one
		if c := neighbours(m.sess, m.sel.choice, 1); len(c) > 0 {
			from, to = to, c[0]
		}
	}
	if s, ok := m.screens[inDiff].(*diffScreen); ok && m.cmp.with < 0 {
		from, to = s.from, s.to
	}
	return m.showDiff(from, to)
}

// showDiff shows the Diff screen of two permutations.
func (m *Model) showDiff(from, to int) tea.Cmd {
	cmd := m.goScreen(inDiff, func() screen { return &diffScreen{sess: m.sess, form: views.DiffWGSL} })
	s, ok := m.screen.(*diffScreen)
	if !ok {
		return cmd
	}
	s.from, s.to = from, to
	if ref, ok := m.ref(); ok && s.d == nil {
		s.want = ref.String() + "/" + m.stageName()
	}
	return tea.Batch(cmd, s.compare(m))
}

func (s *diffScreen) where() where { return inDiff }
func (s *diffScreen) name() string { return "Diff" }

func (s *diffScreen) show(m *Model) tea.Cmd { return nil }

func (s *diffScreen) stop() { s.job.stop() }

func (s *diffScreen) side(perm int) (views.DiffSide, error) {
	refs, err := s.sess.Passes(perm)
	return views.DiffSide{Session: s.sess, Perm: perm, Passes: refs}, err
}

// compare begins the comparison that is wanted, where it is not there.
func (s *diffScreen) compare(m *Model) tea.Cmd {
	key := diffKey{s.from, s.to, s.form}
	if s.of == key && (s.d != nil || s.job.on) {
		return nil
	}
	s.of, s.err = key, ""
	ctx, gen := s.job.next(m.ctx)
	a, err := s.side(s.from)
	if err == nil {
		var b views.DiffSide
		if b, err = s.side(s.to); err == nil {
			return func() tea.Msg {
				d, err := views.ComparePerms(ctx, a, b, key.form)
				if ctx.Err() != nil {
					return nil
				}
				return diffMade{gen, key, d, err}
			}
		}
	}
	s.job.stop()
	s.d, s.err = nil, err.Error()
	return nil
}

func (s *diffScreen) update(m *Model, msg screenMsg) tea.Cmd {
	made, ok := msg.(diffMade)
	if !ok || made.gen != s.job.gen || made.of != s.of {
		return nil
	}
	s.job.on = false
	s.d, s.err = made.d, ""
	if made.err != nil {
		s.d, s.err = nil, made.err.Error()
		return nil
	}
	s.line, s.top = 0, 0
	if s.want != "" {
		for i := range s.d.Len() {
			if sec, row := s.d.At(i); row < 0 && (sec.Name == s.want || len(sec.Name) > 0 && sec.Name == passOf(s.want)) {
				s.line = i
			}
		}
		s.want = ""
	}
	s.reveal(m)
	return nil
}

// passOf is the pass of a section's name: "Main/0" of "Main/0/ps".
func passOf(section string) string {
	for i := len(section) - 1; i >= 0; i-- {
		if section[i] == '/' {
			return section[:i]
		}
	}
	return section
}

func (s *diffScreen) len() int {
	if s.d == nil {
		return 0
	}
	return s.d.Len()
}

func (s *diffScreen) rows(m *Model) int { return m.arr.chrome.body.h - 2 }

func (s *diffScreen) page(m *Model) int { return s.rows(m) - 1 }

func (s *diffScreen) reveal(m *Model) {
	s.line = min(max(s.line, 0), max(s.len()-1, 0))
	s.top = min(max(s.top, s.line-s.rows(m)+1, 0), s.line)
}

func (s *diffScreen) move(m *Model, n int) {
	s.line = min(max(s.line+n, 0), max(s.len()-1, 0))
	s.reveal(m)
}

func (s *diffScreen) hunk(m *Model, n int) tea.Cmd {
	if s.d == nil {
		return nil
	}
	at := s.d.Hunk(s.line, n)
	if at < 0 {
		m.say("there is no other change")
		return nil
	}
	s.line = at
	s.top = max(at-s.rows(m)/3, 0)
	s.reveal(m)
	return nil
}

func (s *diffScreen) section() *views.DiffSection {
	if s.d == nil {
		return nil
	}
	sec, _ := s.d.At(s.line)
	return sec
}

// open goes to the stage and instruction of the second side; of a stage that only the
// first side has, to that.
func (s *diffScreen) open(m *Model) tea.Cmd {
	sec := s.section()
	if sec == nil {
		return nil
	}
	perm, ref := s.to, sec.RefB
	if sec.Status == views.DiffOnlyA {
		perm, ref = s.from, sec.RefA
	}
	instr := s.d.Focus(s.line, 0).Instr
	m.record()
	over := m.showScreen(nil)
	was := m.sel.perm
	cmd := m.setPerm(perm)
	if was != perm {
		m.cmp.with = s.from + s.to - perm
	}
	stage := -1
	for i, r := range m.passes {
		if r.TechIndex != ref.TechIndex || r.Pass != ref.Pass {
			continue
		}
		if in, err := m.sess.Input(perm, r); err == nil && sec.Stage != "" {
			stage = session.StageIndex(in, sec.Stage)
		}
		if instr >= 0 {
			m.want = &spot{instr: instr}
		}
		cmd = tea.Batch(cmd, m.setStage(i, stage))
	}
	if p := m.want; p != nil && !m.stale && m.view != nil {
		m.want = nil
		m.restore(p)
	}
	return tea.Batch(over, cmd)
}

func (s *diffScreen) escape(m *Model) bool {
	if s.job.on {
		s.job.stop()
		s.of = diffKey{}
		s.d, s.err = nil, "stopped; 1 to 4 compare anew"
		m.say("stopped")
		return true
	}
	return false
}

// diffSpot is where the screen was.
type diffSpot struct {
	of        diffKey
	line, top int
}

func (s *diffScreen) spot() any { return diffSpot{diffKey{s.from, s.to, s.form}, s.line, s.top} }

func (s *diffScreen) goSpot(m *Model, at any) {
	p, ok := at.(diffSpot)
	if !ok {
		return
	}
	s.from, s.to, s.form = p.of.from, p.of.to, p.of.form
	if s.of == p.of {
		s.line, s.top = p.line, p.top
	}
}

// pending begins the comparison of a place that back has gone to.
func (s *diffScreen) pending(m *Model) tea.Cmd {
	if s.err != "" || s.of == (diffKey{s.from, s.to, s.form}) {
		return nil
	}
	return s.compare(m)
}

func (s *diffScreen) place(m *Model) string {
	if sec := s.section(); sec != nil {
		return fmt.Sprintf("%s  %d/%d", views.Text(sec.Name), s.line+1, s.len())
	}
	return ""
}

func (s *diffScreen) status(*Model) []views.Span {
	switch {
	case s.job.on:
		return []views.Span{sp(views.RoleStatus, "comparing…  ")}
	case s.d == nil:
		return nil
	}
	return []views.Span{sp(views.RoleStatus, s.d.Summary()+"  ")}
}

// sides says in which options the two differ, on either side.
func (s *diffScreen) sides() (a, b string) {
	e := s.sess.Effect
	x, y := e.Choice(s.from), e.Choice(s.to)
	a, b = fmt.Sprintf("%d", s.from), fmt.Sprintf("%d", s.to)
	for i := range x {
		if x[i] != y[i] {
			a += " " + views.Clip(e.Axes[i].Name, 24) + "=" + views.Clip(e.Axes[i].Options[x[i]], 24)
			b += " " + views.Clip(e.Axes[i].Name, 24) + "=" + views.Clip(e.Axes[i].Options[y[i]], 24)
		}
	}
	return a, b
}

func (s *diffScreen) panel(_ *Model, cols int) (string, []views.Line) {
	a, b := s.sides()
	line := func(mark string, role views.Role, text string) views.Line {
		return views.Line{Ref: views.NoRef, Spans: []views.Span{sp(role, mark), sp(views.RoleText, text)}}
	}
	out := append(views.WrapWords(line("- ", views.RoleRefused, "permutation "+a), cols, 4), views.WrapWords(line("+ ", views.RoleOK, "permutation "+b), cols, 4)...)
	if sec := s.section(); sec != nil {
		l := views.Line{Ref: views.NoRef, Spans: sec.Head()}
		out = append(out, views.WrapWords(l, cols, 4)...)
	}
	return "diff", out
}

func (s *diffScreen) compose(m *Model, c *canvas, b rect) {
	s.reveal(m)
	from, to := s.sides()
	composeTitle(c, b, s.form.String()+"  - "+from+"  + "+to, true)
	rows := b.h - 1
	s.view = rect{b.x, b.y + 1, b.w, rows}
	var lines []views.Line
	switch {
	case s.err != "":
		lines = []views.Line{views.Say(views.RoleRefused, "✗ "+s.err)}
	case s.d == nil:
		lines = []views.Line{views.Say(views.RoleDim, "comparing…")}
	case s.d.Len() == 0:
		lines = []views.Line{views.Say(views.RoleDim, "Neither permutation has a stage.")}
	default:
		sel := views.NoSelection
		lines = s.d.Lines(views.Window{First: s.top, Rows: rows, Cols: b.w - graphGutter}, sel.At(s.line, 0, true))
	}
	m.composeRows(c, s.view, graphGutter, lines, s.left)
}

func (s *diffScreen) click(m *Model, x, y int) tea.Cmd {
	if !s.view.contains(x, y) {
		return nil
	}
	line := s.top + y - s.view.y
	if line >= s.len() {
		return nil
	}
	if line == s.line {
		return s.open(m)
	}
	s.line = line
	return nil
}
