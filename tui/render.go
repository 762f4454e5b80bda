package tui

import (
	"fmt"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/session"
	"fxlens/views"
)

// View returns the frame. It runs after every message, so it makes a new one only when
// something changed.
func (m *Model) View() string {
	if m.dirty {
		m.dirty = false
		m.compose()
		m.frame = m.painter.paint(&m.cv)
	}
	return m.frame
}

// tab is a clickable part of the first row.
type tab struct{ from, to, slot int }

// compose lays the frame out as spans.
func (m *Model) compose() {
	c := &m.cv
	c.reset(m.w, m.h)
	if m.arr.shape == shapeNone {
		m.composeSmall(c)
		return
	}
	if m.screen != nil {
		m.tabs = m.tabs[:0]
		m.composeScreenHead(c)
		m.screen.compose(m, c, m.arr.chrome.body)
	} else {
		m.composeHead(c)
		for _, p := range m.arr.places {
			m.composePane(c, p)
		}
		m.composeBorders(c)
	}
	m.composeDiag(c)
	m.composeStatus(c)
	m.composeKeys(c)
	if m.over != nil {
		m.composeOverlay(c)
	}
}

var blank = views.Span{Role: views.RoleText}

func sp(r views.Role, text string) views.Span { return views.Span{Role: r, Text: text} }

// composeSmall says what is missing.
func (m *Model) composeSmall(c *canvas) {
	ls := []string{"fxlens needs", fmt.Sprintf("%d x %d cells;", minWidth, minHeight), fmt.Sprintf("this is %d x %d.", m.w, m.h),
		"Enlarge the terminal,", "or leave with q and", "use fxlens inspect."}
	for i, s := range ls {
		if i < c.h {
			c.put(0, i, c.w, []views.Span{sp(views.RoleText, s)}, 0, blank)
		}
	}
}

// fileName is the opened file's name without folders.
func (m *Model) fileName() string {
	n := m.opt.Path
	if m.sess != nil {
		n = m.sess.Name
	}
	if i := strings.LastIndexAny(n, `/\`); i >= 0 {
		n = n[i+1:]
	}
	return n
}

// composeHead is the first row: program, file, permutation, and tabs where one pane is
// shown at a time.
func (m *Model) composeHead(c *canvas) {
	m.tabs = m.tabs[:0]
	ground := sp(views.RoleStatus, "")
	if m.arr.shape != shapeOne && m.zoom < 0 {
		spans := []views.Span{sp(views.RoleStatus, " fxlens  "), sp(views.RoleStatus, views.Clip(m.fileName(), 40))}
		if m.sess != nil {
			if b := m.bodyText(); b != "" {
				spans = append(spans, sp(views.RoleStatus, "  "+m.permText()+", "+b))
			}
			if ref, ok := m.ref(); ok && m.sess.Kind != session.ProgramFile {
				spans = append(spans, sp(views.RoleStatus, "  pass "+views.Clip(ref.String(), 40)))
			}
		}
		c.put(0, 0, c.w, spans, 0, ground)
		return
	}
	x := 0
	for _, i := range m.cycle() {
		name := m.slotName(i)
		text := " " + name + " "
		role := views.RolePane
		if i == m.focus {
			text = "[" + name + "]"
			role = views.RolePaneOn
		}
		w := views.Width(text)
		if x+w > c.w {
			break
		}
		c.put(x, 0, w, []views.Span{sp(role, text)}, 0, ground)
		m.tabs = append(m.tabs, tab{x, x + w, i})
		x += w + 1
	}
	if x < c.w {
		file := views.Clip(m.fileName(), c.w-x-1)
		c.put(x, 0, c.w-x, []views.Span{sp(views.RoleDim, views.Spaces(c.w-x-views.Width(file)-1)+file+" ")}, 0, ground)
	}
}

func (m *Model) slotName(i int) string {
	switch i {
	case slotAxes:
		return "Axes"
	case slotTree:
		return "Passes"
	}
	return formNames[m.slots[i].form]
}

// bodyText says which body the permutation has and how many share it.
func (m *Model) bodyText() string {
	e := m.sess.Effect
	if e == nil {
		return ""
	}
	b := e.BodyOf(m.sel.perm)
	if b < 0 {
		return ""
	}
	if n := len(e.Bodies()[b].Permutations); n > 1 {
		return fmt.Sprintf("body %d of %d, shared by %d", b, len(e.Bodies()), n)
	}
	return fmt.Sprintf("body %d of %d", b, len(e.Bodies()))
}

// composePane is a title row and the window of the slot's listing.
func (m *Model) composePane(c *canvas, p place) {
	l := m.listing(p.slot)
	pos := m.slots[p.slot].at()
	on := p.slot == m.focus
	role, mark := views.RolePane, "  "
	if on {
		role, mark = views.RolePaneOn, "▸ "
	}
	right := m.paneRight(p.slot, l, pos)
	left := mark + m.paneTitle(p.slot)
	room := p.rect.w - views.Width(right) - 1
	left = views.Pad(views.Clip(left, room), room)
	c.put(p.rect.x, p.rect.y, p.rect.w, []views.Span{sp(role, left), sp(role, right+" ")}, 0, sp(role, ""))

	rows := p.rect.h - 1
	gutter := gutterWidth(p.slot, l)
	bar := m.barCols(p.slot, l)
	cols := max(p.rect.w-gutter-bar, 1)
	text := rect{p.rect.x, p.rect.y, p.rect.w - bar, p.rect.h}
	var sel *views.Selection
	if code(p.slot) {
		sel = m.litFor(p.slot).At(pos.line, pos.tok, on)
	} else {
		s := views.NoSelection
		sel = s.At(pos.line, 0, on)
	}
	win := views.Window{First: pos.top, Rows: rows, Cols: cols}
	lines := l.Lines(win, sel)
	if m.search.query != "" && m.search.slot == p.slot && m.search.form == m.slots[p.slot].form {
		views.MarkHits(lines, m.search.query, pos.line, pos.top)
	}
	pins := m.decorate(p.slot, l, lines, win)
	if bar > 0 {
		defer m.composeBar(c, p, l, pos)
	}
	y := p.rect.y + 1
	end := p.rect.y + p.rect.h
	for i := range lines {
		if y >= end {
			break
		}
		pin := uint8(0)
		if i < len(pins) {
			pin = pins[i]
		}
		if m.wrap && code(p.slot) {
			for _, part := range views.Wrap(lines[i], cols, views.Indent(&lines[i])+4) {
				if y < end {
					m.composeLine(c, text, y, gutter, &part, pin, 0)
					y++
				}
			}
			continue
		}
		m.composeLine(c, text, y, gutter, &lines[i], pin, pos.left)
		y++
	}
	for ; y < end; y++ {
		c.put(p.rect.x, y, p.rect.w, nil, 0, blank)
	}
}

// composeTitle is the title row of a pane or screen, with a mark where it has the keyboard.
func composeTitle(c *canvas, r rect, title string, on bool) {
	role, mark := views.RolePane, "  "
	if on {
		role, mark = views.RolePaneOn, "▸ "
	}
	c.put(r.x, r.y, r.w, []views.Span{sp(role, views.Clip(mark+title, r.w))}, 0, sp(role, ""))
}

// composeRows fills a rectangle with lines, and clears what they leave of it.
func (m *Model) composeRows(c *canvas, r rect, gutter int, lines []views.Line, left int) {
	for y := range r.h {
		if y < len(lines) {
			m.composeLine(c, r, r.y+y, gutter, &lines[y], 0, left)
		} else {
			c.put(r.x, r.y+y, r.w, nil, 0, blank)
		}
	}
}

// composeLine is one row of a listing: marks, number, text.
func (m *Model) composeLine(c *canvas, r rect, y, gutter int, l *views.Line, pin uint8, left int) {
	ground := blank
	if n := len(l.Spans); n > 0 {
		ground.Emph = groundOf(l)
	}
	first, second := gutterMarks(l, pin)
	first.Emph, second.Emph = max(first.Emph, ground.Emph), max(second.Emph, ground.Emph)
	g := []views.Span{first, second}
	if gutter > 2 {
		g = append(g, views.Span{Role: views.RoleLineNo, Emph: ground.Emph, Text: views.Pad(l.Gutter, gutter-3) + " "})
	}
	c.put(r.x, y, gutter, g, 0, ground)
	c.put(r.x+gutter, y, r.w-gutter, l.Spans, left, ground)
}

// groundOf is the emphasis that the whole line has.
func groundOf(l *views.Line) views.Emph {
	e := l.Spans[0].Emph
	for _, s := range l.Spans[1:] {
		e = min(e, s.Emph)
	}
	return e
}

func (m *Model) paneTitle(slot int) string {
	switch slot {
	case slotAxes:
		return "Axes"
	case slotTree:
		return "Passes"
	}
	f := m.slots[slot].form
	t := formNames[f]
	st := m.stageNow()
	if st == nil || f == formDiags {
		return t
	}
	switch f {
	case formChanges:
		t += "  " + formNames[m.cmp.base] + " " + st.stage.Kind.String()
		if m.cmp.l != nil {
			t += "  " + m.cmp.title
		}
	case formBindings:
		if ref, ok := m.ref(); ok && m.sess.Kind != session.ProgramFile {
			t += "  of pass " + views.Clip(ref.String(), 30)
		}
	default:
		t += "  " + st.stage.Kind.String()
		if f == formSSA {
			t += m.phaseTitle()
		}
		if f == formWGSL && st.stage.Status != compile.Translated || f == formSSA && st.stage.Func == nil {
			t += "  " + st.stage.Status.String()
		}
	}
	if m.stale {
		t += "  (compiling)"
	}
	return t
}

// paneRight is the right end of a pane's title: where in the listing its window is.
func (m *Model) paneRight(slot int, l views.Listing, pos *position) string {
	n := l.Len()
	if slot == slotAxes && m.sess != nil && m.sess.Effect != nil {
		return fmt.Sprintf("%d of %d", m.sel.perm, m.sess.Permutations())
	}
	if slot == slotTree {
		return ""
	}
	s := fmt.Sprintf("%d/%d", min(pos.line+1, n), n)
	if pos.left > 0 && !m.wrap {
		s = fmt.Sprintf("→%d  ", pos.left) + s
	}
	return s
}

// composeBorders draws the line left of every pane that does not begin at the edge.
func (m *Model) composeBorders(c *canvas) {
	line := []views.Span{sp(views.RoleBorder, "│")}
	for _, p := range m.arr.places {
		if p.rect.x == 0 {
			continue
		}
		for y := p.rect.y; y < p.rect.y+p.rect.h; y++ {
			c.put(p.rect.x-1, y, 1, line, 0, blank)
		}
	}
}

// composeDiag is the panel: the diagnostic of the walk or under the cursor or, without
// one, what the instruction under the cursor is and became.
func (m *Model) composeDiag(c *canvas) {
	r := m.arr.chrome.diag
	title, lines := m.panelNow(r.w - 2)
	head := "── " + title + " "
	head += strings.Repeat("─", max(r.w-views.Width(head), 0))
	c.put(r.x, r.y, r.w, []views.Span{sp(views.RoleBorder, head)}, 0, blank)
	for i := 1; i < r.h; i++ {
		var spans []views.Span
		if i-1 < len(lines) {
			spans = append([]views.Span{sp(views.RoleText, " ")}, lines[i-1].Spans...)
			if i == r.h-1 && i < len(lines) { // more than fits
				more := fmt.Sprintf(" … %d more", len(lines)-i)
				c.put(r.x, r.y+i, r.w, spans, 0, blank)
				c.put(r.w-views.Width(more)-1, r.y+i, views.Width(more)+1, []views.Span{sp(views.RoleDim, more)}, 0, blank)
				continue
			}
		}
		c.put(r.x, r.y+i, r.w, spans, 0, blank)
	}
}

// panel returns the title and the lines of the panel.
func (m *Model) panel(cols int) (string, []views.Line) {
	if m.showDiag && m.diagAt >= 0 && m.diagAt < len(m.diags) {
		return m.diagTitle(m.diagAt), views.Detail(&m.diags[m.diagAt], m.diagAt, len(m.diags), cols)
	}
	if m.focus == slotAxes {
		return "axis", m.axisDetail(cols)
	}
	i := m.codeSlot()
	pos := m.slots[i].at()
	if code(m.focus) && m.slots[m.focus].form == formDiags && pos.line < len(m.diags) {
		return m.diagTitle(pos.line), views.Detail(&m.diags[pos.line], pos.line, len(m.diags), cols)
	}
	st := m.stageNow()
	if st == nil {
		return "", nil
	}
	f := m.listing(i).Focus(pos.line, pos.tok)
	if code(m.focus) && f.Binding >= 0 && m.view.pass.Plan != nil && int(f.Binding) < len(m.view.pass.Plan.Bindings) {
		return "binding", views.BindingDetail(&m.view.pass.Plan.Bindings[f.Binding], m.links, &m.lit, cols)
	}
	if code(m.focus) && f.Occur >= 0 && m.slots[i].form == formSSA {
		return "value", views.ValueDetail(m.linksOf(i), f.Occur, cols)
	}
	if code(m.focus) && f.Instr >= 0 {
		if k := m.diagOf(f.Instr); k >= 0 {
			return m.diagTitle(k), views.Detail(&m.diags[k], k, len(m.diags), cols)
		}
		if st.dxbc != nil {
			tok := pos.tok
			if m.slots[i].form != formDXBC {
				tok = 0
			}
			return "instruction", m.withNote(f.Instr, views.InstrDetail(st.dxbc, m.links, st.dxbc.Row(f.Instr), tok, cols))
		}
	}
	return m.stageDetail(st, cols)
}

// axisDetail explains the axis under the cursor.
func (m *Model) axisDetail(cols int) []views.Line {
	axis, _ := m.axisHere()
	if m.sess == nil || m.sess.Effect == nil || axis < 0 || axis >= len(m.sess.Effect.Axes) {
		return []views.Line{views.Say(views.RoleDim, "the file has no axes: there is one permutation")}
	}
	a := &m.sess.Effect.Axes[axis]
	kind := "static"
	if a.Type == 1 {
		kind = "dynamic"
	}
	head := views.Line{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleName, views.Clip(a.Name, 40)),
		sp(views.RoleDim, fmt.Sprintf("  %s, %d options, default %s", kind, len(a.Options), views.Clip(a.Options[a.Default], 40)))}}
	out := []views.Line{head}
	if a.Description != "" {
		out = append(out, views.WrapWords(views.Say(views.RoleText, views.Clip(a.Description, 4*cols)), cols, 0)...)
	}
	return append(out, views.Say(views.RoleDim, m.permText()+", "+m.bodyText()))
}

// stageDetail sums the shown stage up, for when the cursor is on nothing in particular.
func (m *Model) stageDetail(st *stageView, cols int) (string, []views.Line) {
	g, role := views.StatusGlyph(true, st.stage.Status)
	head := views.Line{Ref: views.NoRef, Spans: []views.Span{sp(role, g+" "+st.stage.Status.String()),
		sp(views.RoleText, "  "+st.stage.Kind.Long()+" stage")}}
	if st.stage.Shader != nil && st.stage.Shader.Program != nil {
		p := st.stage.Shader.Program
		head.Spans = append(head.Spans, sp(views.RoleDim, fmt.Sprintf("  %s, %d instructions", p.Profile(), len(p.Instrs))))
	}
	out := []views.Line{head}
	for i := range st.stage.Diags {
		if st.stage.Diags[i].Sev == diag.Error {
			d := &st.stage.Diags[i]
			out = append(out, views.WrapWords(views.Line{Ref: views.NoRef, Spans: []views.Span{
				sp(views.RoleRefused, string(d.Code)+"  "), sp(views.RoleText, views.Text(d.Text))}}, cols, 2)...)
		}
	}
	return "stage", out
}

// diagAtCursor is the diagnostic of the instruction that the cursor of the listing is on,
// or -1.
func (m *Model) diagAtCursor() int {
	i := m.codeSlot()
	pos := m.slots[i].at()
	if f := m.listing(i).Focus(pos.line, pos.tok); f.Instr >= 0 {
		return m.diagOf(f.Instr)
	}
	return -1
}

// diagOf is the first diagnostic of the shown stage at an instruction, or -1.
func (m *Model) diagOf(instr int32) int {
	ref, ok := m.ref()
	if !ok {
		return -1
	}
	want := m.sess.Place(m.sel.perm, ref, m.stageName(), diag.Diag{At: diag.At(int(instr))}).At
	for k := range m.diags {
		at := m.diags[k].At
		at.Offset = 0
		if at == want {
			return k
		}
	}
	return -1
}

// composeStatus is the status line: place or message on the left, counts and what runs on
// the right.
func (m *Model) composeStatus(c *canvas) {
	y := m.arr.chrome.status
	right := m.statusNow()
	rw := 0
	for _, s := range right {
		rw += views.Width(s.Text)
	}
	room := c.w - rw - 2
	left := ""
	switch {
	case m.status != "" && m.isError:
		left = "✗ " + m.status
	case m.status != "":
		left = m.status
	case m.screen != nil:
		left = m.screen.place(m)
	case m.sess != nil:
		left = m.linkShort()
	case m.openErr != nil:
		left = "✗ cannot open"
	default:
		left = "opening " + m.fileName()
	}
	if m.status != "" && views.Width(views.Text(left)) > room { // what is said goes before the counts
		right, room = nil, c.w-2
	}
	spans := []views.Span{sp(views.RoleStatus, " "+views.Pad(views.Clip(left, room), room)+" ")}
	c.put(0, y, c.w, append(spans, right...), 0, sp(views.RoleStatus, ""))
}

// linkShort is the link without folders, with only the options that are not defaults.
func (m *Model) linkShort() string {
	var b strings.Builder
	b.WriteString(m.fileName())
	if e := m.sess.Effect; e != nil {
		sep := "?"
		for i, c := range m.sel.choice {
			if c != e.Axes[i].Default {
				b.WriteString(sep + e.Axes[i].Name + "=" + e.Axes[i].Options[c])
				sep = "&"
			}
		}
	}
	ref, ok := m.ref()
	if !ok {
		return b.String()
	}
	i := m.codeSlot()
	f := m.listing(i).Focus(m.slots[i].at().line, m.slots[i].at().tok)
	l := m.sess.Link(m.sel.perm, ref, m.stageName(), int(f.Instr)).Inside()
	if k := strings.IndexByte(l, '#'); k >= 0 {
		b.WriteString(l[k:])
	}
	return b.String()
}

// statusRight counts the stages of the permutation and says what runs.
func (m *Model) statusRight() []views.Span {
	var out []views.Span
	add := func(s string) { out = append(out, sp(views.RoleStatus, s+"  ")) }
	if m.search.query != "" {
		n, of, on := m.hitAt()
		switch {
		case !m.search.known:
			add("searching…")
		case of == 0:
			add("no hits")
		case !on:
			add(plural(of, "hit"))
		default:
			add(fmt.Sprintf("hit %d of %d", n, of))
		}
	}
	if m.findall.job.on {
		add(fmt.Sprintf("finding: %d in %d of %d passes, esc stops", m.findall.hits, m.findall.done, m.findall.of))
	}
	if m.slow && m.job.on {
		add("compiling… esc stops")
	}
	var ok, refused, missing, unknown int
	m.tree()
	for _, n := range m.memo.nodes {
		for _, s := range n.Stages {
			switch {
			case !s.Known:
				unknown++
			case s.Status == compile.Translated:
				ok++
			case s.Status == compile.NoCounterpart:
				missing++
			default:
				refused++
			}
		}
	}
	count := func(n int, glyph, word string) {
		if n > 0 {
			add(fmt.Sprintf("%s %d %s", glyph, n, word))
		}
	}
	count(ok, "✓", "translated")
	count(refused, "✗", "refused")
	count(missing, "∅", "no counterpart")
	count(unknown, "…", "to do")
	if !m.mouse {
		add("mouse off")
	}
	return out
}

// composeKeys is the last row: the keys that matter where the keyboard is, or the prompt.
func (m *Model) composeKeys(c *canvas) {
	y := m.arr.chrome.keys
	if m.over != nil && m.over.kind == overSearch {
		m.composePrompt(c, 0, y, c.w, "/", &m.over.input)
		return
	}
	if m.over != nil && m.over.kind == overPrompt {
		m.composePrompt(c, 0, y, c.w, m.over.label, &m.over.input)
		return
	}
	var spans []views.Span
	used := 0
	for i := range m.keys.all {
		a := &m.keys.all[i]
		if a.Bar == "" || len(a.Keys) == 0 || a.In&m.context() == 0 || a.Why != nil && a.Why(m) != "" {
			continue
		}
		k := a.Tap
		if k == "" {
			k = keyText(a.Keys[0])
		}
		w := views.Width(k) + len(a.Bar) + 3
		if used+w > c.w-9 && a.ID != "quit" && a.ID != "help" {
			continue
		}
		if used+w > c.w {
			continue
		}
		used += w
		spans = append(spans, sp(views.RoleText, " "), sp(views.RoleKey, k), sp(views.RoleDim, " "+a.Bar+" "))
	}
	c.put(0, y, c.w, spans, 0, blank)
}
