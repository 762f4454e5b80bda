package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/themes/lexers"
	"fxlens/views"
)

// Graph is a shader-switch graph for the Switches screen.
type Graph struct {
	Name string // as the user gave it
	// Open reads it, first and again after a change on disk.
	Open func(ctx context.Context) (*switches.Workspace, error)
	// Paths are watched for changes; none: the graph is read again by hand only.
	Paths []string
}

// has reports whether a path that a watcher names is one of the graph's files.
func (g *Graph) has(path string) bool {
	for _, p := range g.Paths {
		if p == path {
			return true
		}
		if abs, err := filepath.Abs(p); err == nil && (abs == path || abs == filepath.Dir(path)) {
			return true
		}
	}
	return false
}

// switchForm is one of the forms that the right side of the screen has.
type switchForm uint8

const (
	switchText switchForm = iota
	switchTree
	switchBindings
	switchVariants
	switchDiff
	switchAudit
	numSwitchForms
)

var switchFormNames = [numSwitchForms]string{"WGSL", "tree", "bindings", "variants", "diff", "audit"}

// switchesScreen shows a graph of chunks, or an effect as one: switches and shaders on the
// left, one form of the chosen variant on the right. What it shows follows a switch at
// once; work runs in commands, and the old lines stay until the new ones are there.
type switchesScreen struct {
	src *Graph // nil: the opened effect

	w      *switches.Workspace
	err    string
	set    *variant.Set
	from   *variant.Set // what diff compares with; nil: all defaults
	shader int

	right bool // the right side has the keyboard
	form  switchForm
	left  switchPane
	panes [numSwitchForms]switchPane

	open      job
	load      job
	loading   switchForm // what it makes, of what
	loadingOf switchKey
	step      switchStep // how far a table is
	export    job
	choice    switchChoice // of the last export
	find      string
	seek      bool // the cursor of the text goes to the declaration of find when it is there

	body, list, main rect
}

// switchPane is a list with a cursor, and what its lines were made of.
type switchPane struct {
	lines           []views.Line
	rows            []views.SwitchRow
	line, top, side int
	of              switchKey
	err             string
}

// switchKey is what lines depend on.
type switchKey struct {
	w            *switches.Workspace
	shader       int
	set, from    *variant.Set
	whole, ready bool
}

// stoppedForm stands where the user stopped what would be shown.
const stoppedForm = "stopped; choose the form again"

type switchStep struct{ done, total int }

// Messages of the screen.
type (
	graphOpened struct {
		gen int
		w   *switches.Workspace
		err error
	}
	switchLines struct {
		form  switchForm
		of    switchKey
		lines []views.Line
		rows  []views.SwitchRow
		err   error
	}
	switchesMsg struct{ report[switchReport] }
	// switchReport is lines that are made, or how far that is.
	switchReport struct {
		step  switchStep
		lines *switchLines
	}
)

func (graphOpened) screen() where { return inSwitches }
func (switchesMsg) screen() where { return inSwitches }

func switchesActions() []action {
	on := func(f func(s *switchesScreen, m *Model) tea.Cmd) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			if s, ok := m.screens[inSwitches].(*switchesScreen); ok && s.w != nil {
				return f(s, m)
			}
			return nil
		}
	}
	form := func(f switchForm) func(m *Model) tea.Cmd {
		return on(func(s *switchesScreen, m *Model) tea.Cmd { return s.showForm(m, f) })
	}
	why := (*Model).whyNoWorkspace
	out := []action{
		{ID: "switches", Keys: []string{"f6"}, In: inEvery, Group: "Screens", Help: "the Switches screen: what switches and axes decide, variant by variant", Why: (*Model).whyNoSwitches, Do: func(m *Model) tea.Cmd {
			return m.goScreen(inSwitches, func() screen { return &switchesScreen{src: m.opt.Graph, set: variant.Empty} })
		}},
		{ID: "switches-side", Keys: []string{"tab", "shift+tab"}, In: inSwitches, Group: "Switches", Help: "from the switches to the variant, and back", Bar: "side", Why: why, Do: on(func(s *switchesScreen, _ *Model) tea.Cmd { s.right = !s.right; return nil })},
		{ID: "switches-enter", Keys: []string{"enter", " "}, In: inSwitches, Group: "Switches", Help: "choose: a value, a shader, a variant of the table, an alternative of the tree; from a finding, binding or chunk to the text", Bar: "choose", Why: why, Do: on((*switchesScreen).enter)},
		{ID: "switches-left", Keys: []string{"left", "h"}, In: inSwitches, Group: "Switches", Help: "previous value of this switch; in a text: scroll", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return s.sideways(m, -1) })},
		{ID: "switches-right", Keys: []string{"right", "l"}, In: inSwitches, Group: "Switches", Help: "next value of this switch; in a text: scroll", Bar: "value", Tap: "← →", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return s.sideways(m, 1) })},
		{ID: "switches-shader", Keys: []string{"p"}, In: inSwitches, Group: "Switches", Help: "next shader", Bar: "shader", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return s.goShader(m, s.shader+1) })},
		{ID: "switches-back", Keys: []string{"P"}, In: inSwitches, Group: "Switches", Help: "previous shader", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return s.goShader(m, s.shader-1) })},
		{ID: "switches-defaults", Keys: []string{"0"}, In: inSwitches, Group: "Switches", Help: "all switches to their defaults", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return s.choose(m, variant.Empty) })},
		{ID: "switches-base", Keys: []string{"b"}, In: inSwitches, Group: "Switches", Help: "take this set as the base that diff compares with; again: all defaults", Bar: "base", Why: why, Do: on((*switchesScreen).mark)},
		{ID: "switches-find", Keys: []string{"/"}, In: inSwitches, Group: "Switches", Help: "find in what is shown", Why: why, Do: on((*switchesScreen).askFind)},
		{ID: "switches-next", Keys: []string{"n"}, In: inSwitches, Group: "Switches", Help: "next hit", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { s.hit(m, 1); return nil })},
		{ID: "switches-previous", Keys: []string{"N"}, In: inSwitches, Group: "Switches", Help: "previous hit", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { s.hit(m, -1); return nil })},
		{ID: "switches-export", Keys: []string{"e"}, In: inSwitches, Group: "Switches", Help: "export variants as a package", Bar: "export", Why: why, Do: on((*switchesScreen).openExport)},
		{ID: "switches-repeat", Keys: []string{"E"}, In: inSwitches, Group: "Switches", Help: "export with the last choice", Why: why, Do: on((*switchesScreen).exportAgain)},
		{ID: "switches-yank", Keys: []string{"y"}, In: inSwitches, Group: "Switches", Help: "copy this line", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return m.yank(s.lineText(), "line") })},
		{ID: "switches-yank-all", Keys: []string{"Y"}, In: inSwitches, Group: "Switches", Help: "copy all of what is shown", Why: why, Do: on(func(s *switchesScreen, m *Model) tea.Cmd { return m.yank(s.allText(), switchFormNames[s.form]) })},
		{ID: "switches-reload", Keys: []string{"ctrl+r"}, In: inSwitches, Group: "Switches", Help: "read the graph again", Why: (*Model).whyNoSwitches, Do: func(m *Model) tea.Cmd {
			s, _ := m.screens[inSwitches].(*switchesScreen)
			return s.read(m)
		}},
	}
	for f := range numSwitchForms {
		a := action{ID: "switches-" + strings.ToLower(switchFormNames[f]), Keys: []string{fmt.Sprint(int(f) + 1)}, In: inSwitches, Group: "Switches", Help: "show " + switchFormHelp[f], Why: why, Do: form(f)}
		if f == 0 {
			a.Bar, a.Tap = "forms", "1-6"
		}
		out = append(out, a)
	}
	return out
}

var switchFormHelp = [numSwitchForms]string{
	"the linked WGSL of the variant", "the graph of chunks and choices", "the bindings, and which the variant reads",
	"the table of all variants of the shader", "what the set changes, declaration by declaration", "what an audit of the graph finds",
}

func (m *Model) whyNoSwitches() string {
	switch {
	case m.opt.Graph != nil:
		return ""
	case m.sess == nil:
		return "no graph and no effect is open"
	case m.sess.Effect == nil || !m.sess.HasPrograms():
		return "only an effect with its programs, or a switch graph, has switches"
	}
	return ""
}

func (m *Model) whyNoWorkspace() string {
	s, ok := m.screens[inSwitches].(*switchesScreen)
	switch {
	case !ok || s.w == nil && s.err == "":
		return "the graph is being read"
	case s.w == nil:
		return "the graph cannot be read; ctrl+r tries again"
	}
	return ""
}

func (s *switchesScreen) where() where { return inSwitches }
func (s *switchesScreen) name() string { return "Switches" }

func (s *switchesScreen) subject() string {
	if s.w != nil {
		return s.w.Name
	}
	if s.src != nil {
		return s.src.Name
	}
	return ""
}

// show brings the screen up. An effect's set is that of the selected permutation.
func (s *switchesScreen) show(m *Model) tea.Cmd {
	if s.w == nil && !s.open.on {
		return s.read(m)
	}
	if s.w != nil && s.w.Effect {
		if t, err := s.w.SetOf(m.sel.perm); err == nil {
			s.set = t
		}
	}
	return s.want(m)
}

func (s *switchesScreen) stop() {
	s.open.stop()
	s.load.stop()
	s.export.stop()
}

// read opens the graph in a command.
func (s *switchesScreen) read(m *Model) tea.Cmd {
	ctx, gen := s.open.next(m.ctx)
	m.dirty = true
	src, sess := s.src, m.sess
	return func() tea.Msg {
		var w *switches.Workspace
		var err error
		if src != nil {
			w, err = src.Open(ctx)
		} else {
			w, err = switches.OpenEffect(ctx, sess)
		}
		if ctx.Err() != nil {
			return nil
		}
		return graphOpened{gen, w, err}
	}
}

func (s *switchesScreen) update(m *Model, msg screenMsg) tea.Cmd {
	switch msg := msg.(type) {
	case graphOpened:
		if msg.gen != s.open.gen {
			return nil
		}
		s.open.on = false
		m.dirty = true
		return s.opened(m, msg.w, msg.err)
	case switchesMsg:
		if msg.gen != s.load.gen {
			return nil
		}
		m.dirty = true
		s.step = msg.of.step
		if !msg.done {
			return msg.next
		}
		s.load.on = false
		if l := msg.of.lines; l != nil {
			p := &s.panes[l.form]
			p.of, p.lines, p.rows, p.err = l.of, l.lines, l.rows, ""
			if l.err != nil {
				p.err = l.err.Error()
			}
			p.settle(s.main.h - 2)
			s.hitAgain()
		}
		return s.want(m)
	case switchMade, switchWritten:
		return s.updateExport(m, msg)
	}
	return nil
}

// opened takes a graph in. One that was read again keeps set and shader by their names;
// one that cannot be read any more leaves the last one on the screen.
func (s *switchesScreen) opened(m *Model, w *switches.Workspace, err error) tea.Cmd {
	if err != nil {
		s.err = err.Error()
		if s.w != nil {
			m.fail("the graph was left as it was: %s", firstLine(err))
		}
		return nil
	}
	s.err = ""
	was, key := s.set, ""
	if s.w != nil {
		key = s.w.Shaders[s.shader].Key
		m.say("the graph was read again")
	}
	old := s.w
	s.w, s.set, s.shader, s.from = w, variant.Empty, 0, nil
	if n, err := w.Shader(key); key != "" && err == nil {
		s.shader = n
	}
	if old != nil {
		if sets, err := w.Set(old.SetText(was)); err == nil && len(sets) == 1 {
			s.set = sets[0]
		}
	}
	if w.Effect {
		if t, err := w.SetOf(m.sel.perm); err == nil {
			s.set = t
		}
		for i := range w.Shaders {
			if ref, ok := m.ref(); ok && old == nil && w.Shaders[i].Key == ref.String() {
				s.shader = i
			}
		}
	}
	return s.want(m)
}

// key is what the lines of a form are made of now.
func (s *switchesScreen) key(f switchForm) switchKey {
	k := switchKey{w: s.w, shader: s.shader, ready: true}
	switch f {
	case switchAudit:
		k.whole, k.shader = true, 0
	case switchVariants:
		k.set = s.w.Restricted(s.shader, s.set) // which row is marked
	case switchDiff:
		k.set, k.from = s.w.Restricted(s.shader, s.set), s.w.Restricted(s.shader, s.base())
	case switchTree:
		k.set = s.set
	default:
		k.set = s.w.Restricted(s.shader, s.set)
	}
	return k
}

func (s *switchesScreen) base() *variant.Set {
	if s.from == nil {
		return variant.Empty
	}
	return s.from
}

// want makes the lines of the shown form, where those there are are of something else.
func (s *switchesScreen) want(m *Model) tea.Cmd {
	if s.w == nil || len(s.w.Shaders) == 0 {
		return nil
	}
	m.dirty = true
	f, k := s.form, s.key(s.form)
	if s.panes[f].of == k {
		s.load.stop()
		return nil
	}
	if s.load.on && s.loading == f && s.loadingOf == k {
		return nil
	}
	ctx, gen := s.load.next(m.ctx)
	s.step, s.loading, s.loadingOf = switchStep{}, f, k
	w, set, from := s.w, s.set, s.base()
	return start(ctx, gen, func(ctx context.Context, see func(switchReport)) (switchReport, error) {
		l := &switchLines{form: f, of: k}
		l.lines, l.rows, l.err = linesOf(ctx, w, f, k, set, from, func(done, total int) { see(switchReport{step: switchStep{done, total}}) })
		return switchReport{lines: l}, nil
	}, func(r report[switchReport]) tea.Msg { return switchesMsg{r} })
}

// linesOf makes the lines of a form.
func linesOf(ctx context.Context, w *switches.Workspace, f switchForm, k switchKey, set, from *variant.Set, progress switches.Progress) ([]views.Line, []views.SwitchRow, error) {
	switch f {
	case switchTree:
		lines, rows := views.SwitchTree(w.Tree(k.shader, set))
		return lines, rows, nil
	case switchVariants:
		table, err := w.Table(ctx, []int{k.shader}, nil, progress)
		lines, rows := views.SwitchVariants(table, w.VariantLabel(k.shader, set))
		return lines, rows, err
	case switchDiff:
		changes, err := w.Diff(ctx, k.shader, from, set)
		lines, rows := views.SwitchChanges(w.VariantLabel(k.shader, from), w.VariantLabel(k.shader, set), changes)
		return lines, rows, err
	case switchAudit:
		findings, err := w.Audit(ctx, nil)
		lines, rows := views.SwitchFindings(w, findings)
		return lines, rows, err
	}
	v, err := w.Variant(ctx, k.shader, set)
	if err != nil {
		return nil, nil, err
	}
	if f == switchBindings {
		lines, rows := views.SwitchBindings(v)
		return lines, rows, nil
	}
	return variantText(v)
}

// variantText is the WGSL of a variant, coloured.
func variantText(v *switches.Variant) ([]views.Line, []views.SwitchRow, error) {
	if v.Reason != "" {
		return nil, nil, errors.New(v.Reason)
	}
	var lines []views.Line
	for i := range v.Modules {
		mod := &v.Modules[i]
		if len(v.Modules) > 1 {
			if i > 0 {
				lines = append(lines, views.Blank())
			}
			lines = append(lines, views.Say(views.RoleTitle, mod.Stage+"  "+mod.EntryPoint))
		}
		r, err := lexers.NewReader(lexers.Match("x.wgsl"), mod.Text)
		if err != nil {
			return nil, nil, err
		}
		for more := true; more; {
			var next []views.Line
			next, more = r.Next(textPiece)
			lines = append(lines, next...)
		}
	}
	return lines, nil, nil
}

// choose puts another set in force; of an effect the permutation too.
func (s *switchesScreen) choose(m *Model, t *variant.Set) tea.Cmd {
	if t == s.set {
		return nil
	}
	m.record()
	s.set = t
	cmd := s.want(m)
	if s.w.Effect {
		return tea.Batch(cmd, m.setPerm(s.w.Permutation(t)))
	}
	return cmd
}

func (s *switchesScreen) chooseValue(m *Model, sw *variant.Switch, v int) tea.Cmd {
	t, err := s.set.With(sw, v)
	if err != nil {
		m.fail("%v", err)
		return nil
	}
	return s.choose(m, t)
}

func (s *switchesScreen) goShader(m *Model, n int) tea.Cmd {
	n = min(max(n, 0), len(s.w.Shaders)-1)
	if n == s.shader || n < 0 {
		return nil
	}
	m.record()
	s.shader = n
	return s.want(m)
}

func (s *switchesScreen) showForm(m *Model, f switchForm) tea.Cmd {
	s.form, s.right = f, true
	if p := &s.panes[f]; p.err == stoppedForm {
		p.of, p.err = switchKey{}, ""
	}
	return s.want(m)
}

// layoutList makes the left side's lines, and keeps its cursor in it.
func (s *switchesScreen) layoutList() {
	under := s.left.row().Switch
	s.left.lines, s.left.rows = views.SwitchList(s.w, s.set, s.shader, under)
	s.left.settle(s.list.h - 1)
	if now := s.left.row().Switch; now != under { // the cursor was beyond the list, or there was none
		s.left.lines, s.left.rows = views.SwitchList(s.w, s.set, s.shader, now)
	}
}

// focused is the list that has the keyboard.
func (s *switchesScreen) focused() *switchPane {
	if s.right {
		return &s.panes[s.form]
	}
	return &s.left
}

func (p *switchPane) row() views.SwitchRow {
	if p.line >= 0 && p.line < len(p.rows) {
		return p.rows[p.line]
	}
	return views.SwitchRow{Shader: -1}
}

func (s *switchesScreen) enter(m *Model) tea.Cmd {
	r := s.focused().row()
	switch {
	case r.Member:
		return s.chooseValue(m, r.Switch, r.Value)
	case r.Switch != nil && !s.right: // its next value
		return s.sideways(m, 1)
	case r.Set != nil:
		var cmd tea.Cmd
		if r.Shader >= 0 {
			cmd = s.goShader(m, r.Shader)
		}
		t := s.set
		for i := range s.w.Switches { // what the variant does not depend on stays
			if sw := s.w.Switches[i].Switch; contains(s.w.Shaders[s.shader].Switches, sw) {
				t, _ = t.With(sw, r.Set.Get(sw))
			}
		}
		return tea.Batch(cmd, s.choose(m, t), s.lookFor(m, r.Name))
	case r.Shader >= 0:
		return tea.Batch(s.goShader(m, r.Shader), s.lookFor(m, r.Name))
	case r.Name != "":
		return s.lookFor(m, r.Name)
	}
	return nil
}

func contains(list []*variant.Switch, s *variant.Switch) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// lookFor goes to the declaration of a name in the text.
func (s *switchesScreen) lookFor(m *Model, name string) tea.Cmd {
	if name == "" {
		return nil
	}
	s.find = name
	cmd := s.showForm(m, switchText)
	s.seek = true // now, or when the text is there
	s.hitAgain()
	return cmd
}

// hitAgain puts the cursor of a text that was just asked for on the declaration.
func (s *switchesScreen) hitAgain() {
	p := &s.panes[switchText]
	if !s.seek || p.of != s.key(switchText) {
		return
	}
	s.seek, p.line = false, 0
	declared := regexp.MustCompile(`\b(fn|struct|alias|const|override|let|var)\b(<[^>]*>)?\s+` + regexp.QuoteMeta(s.find) + `\b`)
	for i := range p.lines {
		if declared.MatchString(p.lines[i].Text()) {
			p.line = i
			break
		}
	}
	p.settle(s.main.h - 2)
}

func (s *switchesScreen) askFind(m *Model) tea.Cmd {
	was, at := s.find, s.focused().line
	p := s.focused()
	set := func(m *Model, text string) tea.Cmd {
		s.find, p.line = text, at
		if text != "" && (at >= len(p.lines) || at < 0 || views.Index(p.lines[at].Text(), text) < 0) {
			s.hit(m, 1)
		}
		return nil
	}
	m.openPrompt("find ", s.find, set, func(m *Model) tea.Cmd { s.find, p.line = was, at; return nil })
	return nil
}

// hit goes to the next line that has what is looked for, around the end.
func (s *switchesScreen) hit(m *Model, dir int) {
	p := s.focused()
	n := len(p.lines)
	if s.find == "" {
		m.say("nothing is looked for; / asks what")
		return
	}
	for k := 1; k <= n; k++ {
		i := ((p.line+dir*k)%n + n) % n
		if views.Index(p.lines[i].Text(), s.find) >= 0 {
			p.line = i
			p.settle(s.main.h - 2)
			return
		}
	}
	m.say("%q is not there", views.Clip(s.find, 40))
}

// mark keeps the set for diff.
func (s *switchesScreen) mark(m *Model) tea.Cmd {
	if s.from == s.set {
		s.from = nil
		m.say("diff compares with all defaults")
	} else {
		s.from = s.set
		m.say("diff compares with %s", s.w.SetText(s.set))
	}
	return s.want(m)
}

// sideways turns the switch under the cursor, or scrolls.
func (s *switchesScreen) sideways(m *Model, dir int) tea.Cmd {
	r := s.focused().row()
	if r.Switch == nil {
		p := s.focused()
		p.side = min(max(p.side+8*dir, 0), maxTextLeft)
		return nil
	}
	list := r.Switch.Members()
	now := s.set.Get(r.Switch)
	for i, x := range list {
		if x.Value == now {
			n := ((i+dir)%len(list) + len(list)) % len(list)
			cmd := s.chooseValue(m, r.Switch, list[n].Value)
			if !s.right && r.Member { // the cursor follows the value
				s.left.line += n - i
				s.left.line += i - indexOf(list, r.Value)
			}
			return cmd
		}
	}
	return nil
}

func indexOf(list []variant.Member, v int) int {
	for i, x := range list {
		if x.Value == v {
			return i
		}
	}
	return 0
}

func (s *switchesScreen) lineText() string {
	p := s.focused()
	if p.line < 0 || p.line >= len(p.lines) {
		return ""
	}
	return p.lines[p.line].Text()
}

func (s *switchesScreen) allText() string {
	var b strings.Builder
	for i := range s.panes[s.form].lines {
		b.WriteString(s.panes[s.form].lines[i].Text())
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *switchPane) settle(rows int) {
	rows = max(rows, 1)
	p.line = min(max(p.line, 0), max(len(p.lines)-1, 0))
	p.top = min(max(p.top, p.line-rows+1, 0), p.line)
	p.top = min(p.top, max(len(p.lines)-rows, 0))
}

func (s *switchesScreen) page(*Model) int { return max(s.body.h-3, 1) }

func (s *switchesScreen) move(_ *Model, n int) {
	p, rows := s.focused(), s.list.h-1
	if s.right {
		rows = s.main.h - 2
	}
	p.line += n
	p.settle(rows)
}

func (s *switchesScreen) click(m *Model, x, y int) tea.Cmd {
	if s.w == nil {
		return nil
	}
	if x < s.list.x+s.list.w && y > s.list.y {
		again := !s.right && s.left.line == s.left.top+y-s.list.y-1
		s.right = false
		s.left.line = s.left.top + y - s.list.y - 1
		s.left.settle(s.list.h - 1)
		if r := s.left.row(); r.Member || r.Shader >= 0 || again {
			return s.enter(m)
		}
		return nil
	}
	switch row := y - s.main.y; {
	case row == 1: // the names of the forms
		at := s.main.x + 1
		for f := range numSwitchForms {
			w := views.Width(formTab(f)) + 1
			if x >= at && x < at+w {
				return s.showForm(m, f)
			}
			at += w
		}
	case row > 1:
		s.right = true
		p := &s.panes[s.form]
		at := p.top + row - 2
		again := p.line == at
		p.line = at
		p.settle(s.main.h - 2)
		if again {
			return s.enter(m)
		}
	default:
		s.right = true
	}
	return nil
}

func (s *switchesScreen) escape(m *Model) bool {
	switch {
	case s.export.on:
		s.export.stop()
		m.say("stopped; nothing was written")
	case s.load.on && s.step.total > 0:
		s.load.stop()
		s.panes[s.form].of, s.panes[s.form].err = s.key(s.form), stoppedForm
	case s.find != "":
		s.find = ""
	case s.src != nil:
		return m.sess == nil // there is nothing below: q leaves
	default:
		return false
	}
	return true
}

// switchSpot is a place of the screen.
type switchSpot struct {
	set    *variant.Set
	shader int
	form   switchForm
	right  bool
	line   int
}

func (s *switchesScreen) spot() any {
	return switchSpot{s.set, s.shader, s.form, s.right, s.focused().line}
}

func (s *switchesScreen) goSpot(m *Model, at any) {
	p, ok := at.(switchSpot)
	if !ok || s.w == nil || p.shader >= len(s.w.Shaders) {
		return
	}
	s.set, s.shader, s.form, s.right = p.set, p.shader, p.form, p.right
	s.focused().line = p.line
}

// pending makes what a place needs that back has gone to, or that another screen's
// choice of a permutation means.
func (s *switchesScreen) pending(m *Model) tea.Cmd { return s.want(m) }

// place is the set and shader.
func (s *switchesScreen) place(*Model) string {
	if s.w == nil || len(s.w.Shaders) == 0 {
		return s.subject()
	}
	return s.w.VariantLabel(s.shader, s.set)
}

func (s *switchesScreen) status(*Model) []views.Span {
	var out []views.Span
	add := func(format string, args ...any) {
		out = append(out, sp(views.RoleStatus, fmt.Sprintf(format, args...)+"  "))
	}
	if s.export.on {
		add("making the package  esc stops")
	}
	if s.load.on && s.step.total > 0 {
		add("%d of %d variants  esc stops", s.step.done, s.step.total)
	}
	if s.w != nil {
		word := "switches"
		if len(s.w.Switches) == 1 {
			word = "switch"
		}
		add("%d %s, %s", len(s.w.Switches), word, plural(len(s.w.Shaders), "shader"))
	}
	return out
}

// panel says what the switch or row under the cursor is about.
func (s *switchesScreen) panel(m *Model, cols int) (string, []views.Line) {
	if s.w == nil {
		if s.err == "" {
			return "switches", []views.Line{views.Say(views.RoleDim, "reading the graph")}
		}
		return "switches", []views.Line{views.Say(views.RoleRefused, "the graph cannot be read; ctrl+r tries again")}
	}
	if s.err != "" {
		return "the graph on disk", faultLines(s.err, cols)
	}
	if e := s.panes[s.form].err; s.right && e != "" {
		return switchFormNames[s.form], faultLines(e, cols)
	}
	r := s.focused().row()
	if sw := r.Switch; sw != nil {
		lines := []views.Line{views.Say(views.RoleText, views.Clip(fmt.Sprintf("%s is %s", views.Text(sw.Label()), views.Text(sw.NameOf(s.set.Get(sw)))), cols))}
		var names []string
		for _, i := range s.w.Affected(sw) {
			names = append(names, views.Text(s.w.Shaders[i].Label))
		}
		text := "flipping it compiles nothing again"
		if len(names) > 0 {
			text = fmt.Sprintf("flipping it compiles %d of %d shaders again: %s", len(names), len(s.w.Shaders), strings.Join(names, ", "))
		}
		return "switch", append(lines, views.Wrap(views.Say(views.RoleDim, text), cols, 0)...)
	}
	if n := r.Shader; n >= 0 && n < len(s.w.Shaders) && !s.right {
		return "shader", shaderLines(s.w, n, cols)
	}
	if r.Set != nil {
		return "variant", []views.Line{views.Say(views.RoleText, views.Clip(s.w.SetText(r.Set), cols)), views.Say(views.RoleDim, "enter chooses this set")}
	}
	return "variant", shaderLines(s.w, s.shader, cols)
}

// faultLines are the lines of an error, each clipped.
func faultLines(text string, cols int) []views.Line {
	var out []views.Line
	for line := range strings.Lines(text) {
		out = append(out, views.Say(views.RoleRefused, views.Clip(strings.TrimRight(line, "\n"), cols)))
	}
	return out
}

func shaderLines(w *switches.Workspace, n, cols int) []views.Line {
	x := &w.Shaders[n]
	list := func(of []*variant.Switch) string {
		var names []string
		for _, sw := range of {
			names = append(names, views.Text(sw.Label()))
		}
		if len(names) == 0 {
			return "nothing"
		}
		return strings.Join(names, ", ")
	}
	lines := []views.Line{views.Say(views.RoleText, views.Clip(fmt.Sprintf("%s, %s: %s", views.Text(x.Label), x.Type, plural(x.Variants(), "variant")), cols)),
		views.Say(views.RoleDim, views.Clip("its code depends on "+list(x.Switches), cols))}
	if len(x.States) > 0 {
		lines = append(lines, views.Say(views.RoleDim, views.Clip("its states also on "+list(x.States), cols)))
	}
	return lines
}

func formTab(f switchForm) string { return fmt.Sprintf("%d %s", f+1, switchFormNames[f]) }

func (s *switchesScreen) compose(m *Model, c *canvas, body rect) {
	s.body = body
	if s.w == nil {
		s.list, s.main = rect{}, body
		lines := []views.Line{views.Say(views.RoleDim, "reading the graph")}
		if s.err != "" {
			lines = append([]views.Line{views.Say(views.RoleTitle, "The graph cannot be read"), views.Blank()}, faultLines(s.err, body.w-3)...)
		}
		m.composeRows(c, body, 2, lines, 0)
		return
	}
	wide := min(max(body.w/4, 26), 40)
	s.list = rect{body.x, body.y, wide, body.h}
	s.main = rect{body.x + wide + 1, body.y, body.w - wide - 1, body.h}
	for y := range body.h {
		c.put(body.x+wide, body.y+y, 1, []views.Span{sp(views.RoleBorder, "│")}, 0, blank)
	}
	s.layoutList()
	composeTitle(c, s.list, "Switches", !s.right)
	s.composeList(m, c, rect{s.list.x, s.list.y + 1, s.list.w, s.list.h - 1}, &s.left, !s.right, 2)

	title := ""
	if len(s.w.Shaders) > 0 {
		title = s.w.VariantLabel(s.shader, s.set)
	}
	composeTitle(c, s.main, views.Text(title), s.right)
	var tabs []views.Span
	for f := range numSwitchForms {
		role := views.RoleDim
		if f == s.form {
			role = views.RoleChosen
		}
		tabs = append(tabs, sp(views.RoleText, " "), sp(role, formTab(f)))
	}
	c.put(s.main.x, s.main.y+1, s.main.w, tabs, 0, blank)
	p := &s.panes[s.form]
	at := rect{s.main.x, s.main.y + 2, s.main.w, s.main.h - 2}
	p.settle(at.h)
	if p.err != "" {
		m.composeRows(c, at, 2, faultLines("✗ "+p.err, at.w-3), 0)
		return
	}
	gutter := 2
	if s.form == switchText {
		gutter = 8
	}
	s.composeList(m, c, at, p, s.right, gutter)
}

// composeList paints the window of a list, with the cursor where it has the keyboard.
func (s *switchesScreen) composeList(m *Model, c *canvas, r rect, p *switchPane, on bool, gutter int) {
	window := make([]views.Line, 0, r.h)
	for y := range r.h {
		i := p.top + y
		if i >= len(p.lines) {
			break
		}
		l := p.lines[i]
		l.Spans = shownPart(l.Spans, p.side+r.w)
		if i == p.line {
			l = views.NewStatic([]views.Line{l}, nil).Lines(views.Window{Rows: 1, Cols: r.w}, views.NoSelection.At(0, 0, on))[0]
		}
		window = append(window, l)
	}
	if s.find != "" {
		views.MarkHits(window, s.find, p.line, p.top)
	}
	m.composeRows(c, r, gutter, window, p.side)
}
