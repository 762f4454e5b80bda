package tui

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"fxlens/views"
)

// overKind is what lies over the panes.
type overKind uint8

const (
	overSearch overKind = iota // a prompt on the key bar
	overList                   // palette, finder, options: a prompt and a list
	overHelp
	overExport
	overPrompt // a prompt on the key bar that a screen reads, such as a filter
)

// overlay is a prompt with a list below it.
type overlay struct {
	kind  overKind
	title string
	input textinput.Model
	items []item
	shown []int // items that the prompt leaves, best first
	cur   int   // index into shown
	top   int
	job   job

	// Of overPrompt: what stands before the text, and who hears of every change of it and
	// of esc. Enter closes it and leaves the last change in force.
	label  string
	change func(m *Model, text string) tea.Cmd
	undo   func(m *Model) tea.Cmd
	accept func(m *Model, text string) tea.Cmd // what enter does instead, or nil

	// Of a list: what stands below it, who hears that the cursor stands on another row,
	// and who hears that it closes. Each may be nil.
	id     string
	foot   func(m *Model, cols int) []views.Line
	moved  func(m *Model) tea.Cmd
	closed func(m *Model)
}

// footRows is the number of rows below the list of an overlay that has a foot.
const footRows = 4

// hear tells who asked that the cursor stands on another row.
func (o *overlay) hear(m *Model) tea.Cmd {
	if o.moved == nil {
		return nil
	}
	return o.moved(m)
}

// close ends what runs for the overlay.
func (o *overlay) close(m *Model) {
	o.job.stop()
	if o.closed != nil {
		o.closed(m)
	}
}

// openPrompt asks for a line of text on the key bar.
func (m *Model) openPrompt(label, value string, change func(m *Model, text string) tea.Cmd, undo func(m *Model) tea.Cmd) {
	m.over = newOverlay(overPrompt, label, value)
	m.over.label, m.over.change, m.over.undo = label, change, undo
	m.dirty = true
}

// item is a row of an overlay's list.
type item struct {
	key   string // left column
	text  string // what is filtered
	note  string // right column
	why   string // why it is disabled
	head  bool   // a heading: never selected
	apply func(m *Model) tea.Cmd
}

type filteredMsg struct {
	gen   int
	shown []int
}

func newOverlay(kind overKind, title, value string) *overlay {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = 4096
	in.SetValue(value)
	in.CursorEnd()
	in.Focus()
	return &overlay{kind: kind, title: title, input: in}
}

// typing reports whether runes go into the prompt.
func (o *overlay) typing() bool {
	return o.kind != overExport
}

func (m *Model) openList(kind overKind, title string, items []item) {
	m.over = newOverlay(kind, title, "")
	m.over.items = items
	m.over.shown = everything(items)
	m.over.skipHeads(1)
	m.dirty = true
}

func everything(items []item) []int {
	out := make([]int, len(items))
	for i := range out {
		out[i] = i
	}
	return out
}

// openHelp lists every action by group.
func (m *Model) openHelp() {
	var items []item
	for _, g := range groups {
		items = append(items, item{text: g, head: true})
		for i := range m.keys.all {
			a := &m.keys.all[i]
			if a.Group != g {
				continue
			}
			it := item{key: keysText(a), text: a.Help, note: whereNames[a.In], apply: func(m *Model) tea.Cmd { return m.run(a) }}
			if a.Why != nil {
				it.why = a.Why(m)
			}
			items = append(items, it)
		}
	}
	m.openList(overHelp, "Help", items)
}

// idWidth is the column of action names in the palette.
const idWidth = 21

// openPalette lists the actions that work where the keyboard is.
func (m *Model) openPalette() {
	var items []item
	for i := range m.keys.all {
		a := &m.keys.all[i]
		if a.In&m.context() == 0 || a.ID == "palette" {
			continue
		}
		it := item{key: keysText(a), text: views.Pad(a.ID, idWidth) + a.Help, apply: func(m *Model) tea.Cmd { return m.run(a) }}
		if a.Why != nil {
			it.why = a.Why(m)
		}
		items = append(items, it)
	}
	m.openList(overList, "Actions", items)
}

// openOptions lists the options of an axis.
func (m *Model) openOptions(axis int) {
	if m.sess == nil || m.sess.Effect == nil || axis < 0 || axis >= len(m.sess.Effect.Axes) {
		return
	}
	a := &m.sess.Effect.Axes[axis]
	var items []item
	for o, name := range a.Options {
		it := item{text: views.Clip(name, 80), apply: func(m *Model) tea.Cmd { return m.choose(axis, o) }}
		if o == m.sel.choice[axis] {
			it.key = "●"
		}
		if o == a.Default {
			it.note = "default"
		}
		items = append(items, it)
	}
	m.openList(overList, views.Clip(a.Name, 40), items)
}

// openFinder lists everything that can be gone to by name.
func (m *Model) openFinder() {
	var items []item
	for i, r := range m.passes {
		in, err := m.sess.Input(m.sel.perm, r)
		if err != nil {
			continue
		}
		name := views.Clip(r.String(), 60)
		for s, st := range in.Stages {
			items = append(items, item{key: "stage", text: name + "/" + st.Kind.String(), note: st.Kind.Long(),
				apply: func(m *Model) tea.Cmd {
					m.record()
					m.focusOn(m.codeSlot())
					return m.setStage(i, s)
				}})
		}
		if len(in.Stages) == 0 {
			items = append(items, item{key: "pass", text: name, why: "the pass has no stages"})
		}
	}
	if e := m.sess.Effect; e != nil {
		for a := range e.Axes {
			for o, opt := range e.Axes[a].Options {
				it := item{key: "option", text: views.Clip(e.Axes[a].Name, 40) + "=" + views.Clip(opt, 60),
					apply: func(m *Model) tea.Cmd { return m.choose(a, o) }}
				if o == m.sel.choice[a] {
					it.note = "in force"
				}
				items = append(items, it)
			}
		}
	}
	if m.view != nil && m.view.pass != nil && m.view.pass.Plan != nil {
		for i := range m.view.pass.Plan.Bindings {
			b := &m.view.pass.Plan.Bindings[i]
			items = append(items, item{key: "binding", text: strings.TrimSpace(b.Symbol + " " + views.Clip(b.Name, 60)), note: b.Kind.String(),
				apply: func(m *Model) tea.Cmd {
					cmd := m.setForm(formBindings)
					m.moveTo(i + 1)
					return cmd
				}})
		}
	}
	for i := range m.diags {
		d := &m.diags[i]
		items = append(items, item{key: d.Sev.String(), text: string(d.Code) + "  " + views.Clip(d.Text, 100), note: views.Clip(d.At.String(), 40),
			apply: func(m *Model) tea.Cmd { m.diagAt = i; return m.goDiag() }})
	}
	m.openList(overList, "Go to", items)
}

// typed gives a key to the prompt, which is one line.
func (o *overlay) typed(k tea.KeyMsg) {
	if k.Paste {
		k.Runes = []rune(strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, string(k.Runes)))
	}
	o.input, _ = o.input.Update(k)
}

// overKey handles a key while an overlay is open.
func (m *Model) overKey(k tea.KeyMsg) tea.Cmd {
	o := m.over
	m.dirty = true
	name := keyName(k)
	if o.kind == overExport {
		return m.exportKey(k)
	}
	if o.kind == overPrompt {
		switch name {
		case "esc", "ctrl+c":
			m.over = nil
			return o.undo(m)
		case "enter":
			m.over = nil
			if o.accept != nil {
				return o.accept(m, o.input.Value())
			}
			return nil
		}
		was := o.input.Value()
		if o.typed(k); o.input.Value() == was {
			return nil
		}
		return o.change(m, o.input.Value())
	}
	switch name {
	case "esc", "ctrl+c":
		m.over = nil
		o.close(m)
		if o.kind == overSearch {
			*m.slots[m.search.slot].at() = m.search.from
			m.search.job.stop()
			m.search.query, m.search.hits = "", nil
			m.moved()
		}
		return nil
	case "enter":
		if o.id == reasonsID && len(o.items) == 0 && m.reasons.job.on {
			m.reasons.eager = true // the first reason that comes is gone to
			return nil
		}
		m.over = nil
		o.close(m)
		if o.kind == overSearch {
			m.recordAt(m.search.from)
			return nil
		}
		return m.applyItem(o)
	case "up", "ctrl+p", "shift+tab":
		if o.kind == overSearch {
			return m.hit(-1)
		}
		o.moveBy(-1)
		return o.hear(m)
	case "down", "ctrl+n", "tab":
		if o.kind == overSearch {
			return m.hit(1)
		}
		o.moveBy(1)
		return o.hear(m)
	case "pgup", "pgdown":
		if o.kind != overSearch {
			n := m.overRows()
			if name == "pgup" {
				n = -n
			}
			o.moveBy(n)
		}
		return o.hear(m)
	}
	before := o.input.Value()
	if o.typed(k); o.input.Value() == before {
		return nil
	}
	if o.kind == overSearch {
		return m.searchFor(o.input.Value())
	}
	return m.filter(o)
}

// applyItem does the selected row.
func (m *Model) applyItem(o *overlay) tea.Cmd {
	if o.cur < 0 || o.cur >= len(o.shown) {
		return nil
	}
	it := o.items[o.shown[o.cur]]
	switch {
	case it.head:
		return nil
	case it.why != "":
		m.fail("%s", it.why)
		return nil
	case it.apply == nil:
		return nil
	}
	return it.apply(m)
}

// moveBy moves the list's cursor over headings.
func (o *overlay) moveBy(n int) {
	if len(o.shown) == 0 {
		return
	}
	o.cur = min(max(o.cur+n, 0), len(o.shown)-1)
	d := 1
	if n < 0 {
		d = -1
	}
	o.skipHeads(d)
}

// skipHeads leaves a heading in direction d, or the other way at the end.
func (o *overlay) skipHeads(d int) {
	if len(o.shown) == 0 {
		o.cur = 0
		return
	}
	for range 2 {
		for o.cur >= 0 && o.cur < len(o.shown) && o.items[o.shown[o.cur]].head {
			o.cur += d
		}
		if o.cur >= 0 && o.cur < len(o.shown) {
			return
		}
		d = -d
		o.cur = min(max(o.cur, 0), len(o.shown)-1)
	}
}

// inline is how many items are filtered in Update; more go into a command, where the
// next key ends the work.
const inline = 400

// filter narrows the list to what the prompt says.
func (m *Model) filter(o *overlay) tea.Cmd {
	q := o.input.Value()
	ctx, gen := o.job.next(m.ctx)
	if len(o.items) <= inline {
		return m.filtered(filteredMsg{gen, match(ctx, o.kind, o.items, q)})
	}
	kind, items := o.kind, o.items
	return func() tea.Msg {
		shown := match(ctx, kind, items, q)
		if ctx.Err() != nil {
			return nil
		}
		return filteredMsg{gen, shown}
	}
}

func (m *Model) filtered(msg filteredMsg) tea.Cmd {
	o := m.over
	if o == nil || msg.gen != o.job.gen {
		return nil
	}
	o.shown, o.cur, o.top = msg.shown, 0, 0
	o.skipHeads(1)
	m.dirty = true
	return o.hear(m)
}

// match returns the items that fit q. Help keeps its order and headings and looks at
// text and keys alike; lists come best match first.
func match(ctx context.Context, kind overKind, items []item, q string) []int {
	if q == "" {
		return everything(items)
	}
	if kind != overHelp {
		texts := make([]string, len(items))
		for i := range items {
			texts[i] = items[i].key + " " + items[i].text
		}
		var out []int
		for _, f := range fuzzy.Find(q, texts) {
			out = append(out, f.Index)
		}
		return out
	}
	var out []int
	head := -1
	for i := range items {
		if ctx.Err() != nil {
			return nil
		}
		if items[i].head {
			head = i
			continue
		}
		byKey := false
		for _, k := range strings.Fields(items[i].key) {
			byKey = byKey || k == q
		}
		if !byKey && views.Index(items[i].text, q) < 0 && (len(q) < 2 || views.Index(items[i].key, q) < 0) {
			continue
		}
		if head >= 0 {
			out = append(out, head)
			head = -1
		}
		out = append(out, i)
	}
	return out
}

// overRect is where an overlay's box lies.
func (m *Model) overRect() rect {
	w := min(m.w-8, 104)
	h := min(m.h-6, 30)
	if m.arr.shape == shapeOne {
		w, h = m.w-4, m.h-4
	}
	return rect{(m.w - w) / 2, (m.h - h) / 2, w, h}
}

func (m *Model) overRows() int {
	n := m.overRect().h - 4
	if m.over.foot != nil {
		n -= footRows + 1
	}
	return max(n, 1)
}

// overMouse clicks into a list; a click outside closes it.
func (m *Model) overMouse(msg tea.MouseMsg) tea.Cmd {
	o := m.over
	if o.kind != overList && o.kind != overHelp {
		return nil
	}
	r := m.overRect()
	m.dirty = true
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		o.moveBy(-3)
		return o.hear(m)
	case msg.Button == tea.MouseButtonWheelDown:
		o.moveBy(3)
		return o.hear(m)
	case msg.Button == tea.MouseButtonLeft && !r.contains(msg.X, msg.Y):
		m.over = nil
		o.close(m)
	case msg.Button == tea.MouseButtonLeft:
		n := o.top + msg.Y - r.y - 3
		if msg.Y < r.y+3 || msg.Y >= r.y+3+m.overRows() || n >= len(o.shown) || o.items[o.shown[n]].head {
			return nil
		}
		o.cur = n
		m.over = nil
		o.close(m)
		return m.applyItem(o)
	}
	return nil
}

// permText says which permutation is selected, for titles.
func (m *Model) permText() string {
	if m.sess == nil || m.sess.Package != nil && m.sess.Effect == nil {
		return ""
	}
	return fmt.Sprintf("permutation %d of %d", m.sel.perm, m.sess.Permutations())
}
