package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
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
