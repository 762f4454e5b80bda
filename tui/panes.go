package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/views"
)

// form is what a listing pane shows of the stage.
type form uint8

const (
	formDXBC form = iota
	formSSA
	formWGSL
	formBindings
	formMixed
	formSignatures
	formDiags
	formChanges
	formConstants
	formStat
	formCFG
	numForms = iota
)

var formNames = [numForms]string{"DXBC", "SSA", "WGSL", "Bindings", "Interleaved", "Signatures", "Diagnostics", "Changes", "Constants", "STAT", "CFG"}

// position is where a cursor is and what the window shows. Every pane keeps one for each
// form, so that switching forms returns to the place.
type position struct {
	line, tok int
	top, left int
}

// slot is a pane's state.
type slot struct {
	form form // listings only
	pos  [numForms]position
}

// at is the position of the slot's current form.
func (s *slot) at() *position { return &s.pos[s.form] }

// listing returns what slot i shows; it is never nil.
func (m *Model) listing(i int) views.Listing {
	switch i {
	case slotAxes:
		return m.axes()
	case slotTree:
		return m.tree()
	}
	f := m.slots[i].form
	if f == formDiags {
		if m.memo.diags == nil {
			m.memo.diags = views.Diagnostics(m.diags)
		}
		return m.memo.diags
	}
	if f == formChanges {
		return m.changes()
	}
	if st := m.stageNow(); st != nil {
		return m.folded(st, f, m.unfolded(st, f))
	}
	return m.empty(f)
}

// axes is the listing of the axes, compact where the full one does not fit its pane.
func (m *Model) axes() *views.Axes {
	if m.memo.axes == nil {
		m.memo.axes = m.newAxes()
	}
	return m.memo.axes
}

func (m *Model) newAxes() *views.Axes {
	if m.sess == nil || m.sess.Effect == nil {
		return views.NewAxes(nil, nil, false)
	}
	full := views.NewAxes(m.sess.Effect.Axes, m.sel.choice, false)
	rows := m.rows(slotAxes)
	if m.arr.shape == shapeOne || m.zoom >= 0 {
		rows *= 3 // a pane of its own may scroll
	}
	if full.Len() > rows {
		return views.NewAxes(m.sess.Effect.Axes, m.sel.choice, true)
	}
	return full
}

// axesRows is the number of rows of the axes with all their options.
func (m *Model) axesRows() int {
	if m.sess == nil || m.sess.Effect == nil {
		return 1
	}
	n := 0
	for i := range m.sess.Effect.Axes {
		n += 1 + len(m.sess.Effect.Axes[i].Options)
	}
	return max(n, 1)
}

// tree is the listing of techniques, passes and stages.
func (m *Model) tree() *views.Tree {
	if m.memo.tree == nil {
		m.memo.nodes = m.nodes()
		m.memo.tree = views.NewTree(m.memo.nodes, m.closed)
	}
	if len(m.memo.nodes) > 0 && m.sel.node >= 0 {
		m.memo.tree.Show(m.treeNode(), m.shownStage())
	}
	return m.memo.tree
}

// memo keeps the left side's listings until what they show changes.
type memo struct {
	axes  *views.Axes
	tree  *views.Tree
	nodes []views.PassNode
	diags views.Listing
}

// empty says why there is nothing to show.
func (m *Model) empty(f form) views.Listing {
	switch {
	case m.openErr != nil:
		return views.Message(views.Span{Role: views.RoleRefused, Text: "✗ " + m.openErr.Error()},
			views.Span{}, views.Span{Role: views.RoleDim, Text: "Press q to leave."})
	case m.sess == nil:
		return views.Message(views.Span{Role: views.RoleDim, Text: "opening…"})
	case m.sess.Package != nil && m.sess.Effect == nil:
		return m.chunks()
	case m.view != nil && m.view.err != "":
		return views.Message(views.Span{Role: views.RoleRefused, Text: "✗ " + m.view.err})
	case m.view != nil:
		return views.Message(views.Span{Role: views.RoleDim, Text: "The pass has no stages: it sets render states only."})
	case len(m.passes) == 0:
		return views.Message(views.Span{Role: views.RoleDim, Text: "The permutation has no passes."})
	}
	return views.Message(views.Span{Role: views.RoleDim, Text: "compiling…"})
}

// chunks lists the chunks of a package.
func (m *Model) chunks() views.Listing {
	ls := []views.Line{views.Say(views.RoleTitle, fmt.Sprintf("Package of %d chunks", len(m.sess.Package.Chunks))), views.Blank()}
	for _, c := range m.sess.Package.Chunks {
		ls = append(ls, views.Line{Ref: views.NoRef, Spans: []views.Span{
			{Role: views.RoleName, Text: views.Pad(views.Clip(c.Tag, 8), 8)},
			{Role: views.RoleLiteral, Text: fmt.Sprintf("%10d", len(c.Data))}, {Role: views.RoleDim, Text: " bytes  " + session.ChunkDoc(m.sess.Package.Chunks, c.Tag)}}})
	}
	ls = append(ls, views.Blank(), views.Say(views.RoleDim, "A package holds translated modules: `fxlens verify` checks it, `fxlens extract` takes a chunk out."))
	return views.NewStatic(ls, nil)
}

// code reports whether slot i is a listing pane.
func code(i int) bool { return i >= slotCode }

// codeSlot is the focused listing pane or, from the left side, the first one shown.
func (m *Model) codeSlot() int {
	if code(m.focus) {
		return m.focus
	}
	for _, p := range m.arr.places {
		if code(p.slot) {
			return p.slot
		}
	}
	return slotCode
}

// rectOf returns where a slot is on the screen.
func (m *Model) rectOf(slot int) (rect, bool) {
	for _, p := range m.arr.places {
		if p.slot == slot {
			return p.rect, true
		}
	}
	return rect{}, false
}

// rows is the number of rows a slot has for its listing.
func (m *Model) rows(slot int) int {
	if r, ok := m.rectOf(slot); ok {
		return max(r.h-1, 1)
	}
	return max(m.arr.chrome.body.h-1, 1)
}

// resize gives the screen w by h cells.
func (m *Model) resize(w, h int) {
	if w != m.w || h != m.h {
		m.w, m.h = w, h
		m.relayout()
	}
}

// relayout divides the screen anew and keeps every cursor on it.
func (m *Model) relayout() {
	one := m.focus
	m.arr = m.layout.arrange(m.w, m.h, m.other, m.zoom, one, m.axesRows(), m.panelRows)
	m.memo = memo{}
	if m.zoom < 0 && m.arr.shape != shapeNone {
		if _, ok := m.rectOf(m.focus); !ok {
			m.focus = m.codeSlotShown()
			m.arr = m.layout.arrange(m.w, m.h, m.other, m.zoom, m.focus, m.axesRows(), m.panelRows)
		}
	}
	for i := range m.slots {
		m.clamp(i)
		m.reveal(i)
	}
	m.dirty = true
}

// fitPanel makes room for a diagnostic that the user asked for: its remedy must not be
// cut off on a small screen. What the panel says about the line under the cursor takes
// the room there is, so that the panes do not jump while the cursor moves.
func (m *Model) fitPanel() {
	want := 0
	if s, ok := m.screen.(interface{ panelRows(m *Model) int }); ok && m.arr.shape != shapeNone {
		want = s.panelRows(m)
	}
	asked := m.showDiag && m.diagAt >= 0 || code(m.focus) && m.slots[m.focus].form == formDiags && len(m.diags) > 0
	if asked && m.screen == nil && m.arr.shape != shapeNone {
		_, lines := m.panelNow(m.w - 2)
		want = len(lines)
	}
	if want != m.panelRows {
		m.panelRows = want
		m.relayout()
	}
}

// codeSlotShown is the last listing pane on the screen.
func (m *Model) codeSlotShown() int {
	best := slotCode
	for _, p := range m.arr.places {
		if code(p.slot) {
			best = p.slot
		}
	}
	return best
}

// clamp keeps a slot's cursor inside its listing.
func (m *Model) clamp(i int) {
	s := &m.slots[i]
	l := m.listing(i)
	p := s.at()
	p.line = min(max(p.line, 0), max(l.Len()-1, 0))
	p.tok = min(p.tok, l.Tokens(p.line))
	p.top = min(max(p.top, 0), max(l.Len()-1, 0))
}

// reveal scrolls as little as shows the cursor.
func (m *Model) reveal(i int) {
	p := m.slots[i].at()
	rows := m.rows(i)
	if p.line < p.top {
		p.top = p.line
		return
	}
	if m.wrap && code(i) {
		m.revealWrapped(i, rows)
		return
	}
	if p.line >= p.top+rows {
		p.top = p.line - rows + 1
	}
	// No blank rows below the end while there is something above.
	if n := m.listing(i).Len(); p.top > max(n-rows, 0) {
		p.top = max(n-rows, 0)
	}
}

// revealWrapped is reveal where lines take several rows.
func (m *Model) revealWrapped(i, rows int) {
	p := m.slots[i].at()
	if p.line >= p.top+rows {
		p.top = p.line - rows + 1
	}
	l := m.listing(i)
	cols := m.textCols(i, l)
	for p.top < p.line {
		n := 0
		for _, ln := range l.Lines(views.Window{First: p.top, Rows: p.line - p.top + 1, Cols: cols}, nil) {
			n += len(views.Wrap(ln, cols, views.Indent(&ln)+4))
		}
		if n <= rows {
			return
		}
		p.top++
	}
}

// centre scrolls so that the cursor is in the middle, after a jump.
func (m *Model) centre(i int) {
	p := m.slots[i].at()
	rows := m.rows(i)
	if p.line >= p.top && p.line < p.top+rows {
		m.reveal(i)
		return
	}
	p.top = max(p.line-rows/3, 0)
	m.reveal(i)
}

// move moves the cursor of the focused slot by n lines.
func (m *Model) move(n int) {
	if m.screen != nil {
		m.screen.move(m, n)
		m.dirty = true
		return
	}
	p := m.slots[m.focus].at()
	m.moveTo(p.line + n)
}

// moveTo puts the cursor of the focused slot on a line.
func (m *Model) moveTo(line int) {
	p := m.slots[m.focus].at()
	p.line = line
	p.tok = 0
	m.clamp(m.focus)
	m.reveal(m.focus)
	m.moved()
}

// moved is called when the cursor of the focused slot stands somewhere else.
func (m *Model) moved() {
	m.dirty = true
	m.showDiag = false
	if code(m.focus) {
		m.relight()
	}
}

// relight recomputes what belongs to the cursor and brings the counterparts into the
// other panes' windows. It is where linked highlighting happens; nothing scrolls that
// shows its counterpart already.
func (m *Model) relight() {
	i := m.codeSlot()
	p := m.slots[i].at()
	f := m.listing(i).Focus(p.line, p.tok)
	if v := m.phase(); v != nil {
		if m.showsPhase(i) {
			m.phases.lit = v.links.Select(f)
			f = views.Focus{Instr: f.Instr, Occur: ir.NoValue, Binding: -1}
			if f.Instr < 0 && len(m.phases.lit.Instrs) > 0 {
				f.Instr = m.phases.lit.Instrs[0]
			}
			m.lit = m.links.Select(f)
		} else {
			m.lit = m.links.Select(f)
			m.phases.lit = v.links.Select(views.Focus{Instr: f.Instr, More: m.lit.Instrs, Occur: ir.NoValue, Binding: -1})
		}
	} else {
		m.lit = m.links.Select(f)
	}
	if f.Empty() {
		return
	}
	for _, pl := range m.arr.places {
		if !code(pl.slot) || pl.slot == i {
			continue
		}
		o := m.slots[pl.slot].at()
		if n := m.listing(pl.slot).Seek(m.litFor(pl.slot), o.line); n >= 0 && n != o.line {
			o.line, o.tok = n, 0
			m.centre(pl.slot)
		}
	}
}

// step moves the cursor to another token of its line.
func (m *Model) step(n int) {
	p := m.slots[m.focus].at()
	p.tok = min(max(p.tok+n, 0), m.listing(m.focus).Tokens(p.line))
	m.revealTok()
	m.moved()
}

// revealTok scrolls sideways so that the token under the cursor is on the screen.
func (m *Model) revealTok() {
	p := m.slots[m.focus].at()
	if p.tok == 0 || m.wrap {
		p.left = 0
		return
	}
	l := m.listing(m.focus)
	cols := m.textCols(m.focus, l)
	ls := l.Lines(views.Window{First: p.line, Rows: 1, Cols: cols}, nil)
	if len(ls) == 0 {
		return
	}
	x := 0
	for _, s := range ls[0].Spans {
		w := views.Width(views.Text(s.Text))
		if int(s.Tok) == p.tok {
			if x < p.left {
				p.left = max(x-4, 0)
			} else if x+w > p.left+cols {
				p.left = x + w - cols
			}
			return
		}
		x += w
	}
}

// textCols is the number of cells that a slot has for text beside its gutter.
func (m *Model) textCols(i int, l views.Listing) int {
	r, ok := m.rectOf(i)
	if !ok {
		r = m.arr.chrome.body
	}
	return max(r.w-gutterWidth(i, l)-m.barCols(i, l), 1)
}

// gutterWidth is the width of marks and line numbers.
func gutterWidth(i int, l views.Listing) int {
	w := 2
	if code(i) {
		if ls := l.Lines(views.Window{First: 0, Rows: 1}, nil); len(ls) > 0 && ls[0].Gutter != "" {
			w += views.Width(ls[0].Gutter) + 1
		}
	}
	return w
}

// setForm shows a form in a listing pane and focuses it.
func (m *Model) setForm(f form) tea.Cmd {
	i := m.codeSlot()
	m.record()
	if m.arr.shape == shapeOne || m.zoom >= 0 {
		i = m.slotFor(f)
	}
	m.slots[i].form = f
	m.seekLit(i)
	m.focusOn(i) // which lays out anew, and keeps the cursor on the screen
	m.dirty = true
	return nil
}

// seekLit puts the cursor of a listing that is about to show on the counterpart of the
// selection, before its old place becomes the selection. Of an instruction that left
// nothing there, the nearest one before it that did has to do.
func (m *Model) seekLit(i int) {
	m.clamp(i)
	at := m.slots[i].at()
	sel := *m.litFor(i)
	n := m.listing(i).Seek(&sel, at.line)
	if len(sel.Instrs) > 0 {
		for k := sel.Instrs[0] - 1; n < 0 && k >= max(sel.Instrs[0]-32, 0); k-- {
			n = m.listing(i).Seek(&views.Selection{Line: -1, Instrs: []int32{k}, Occur: ir.NoValue, Binding: -1}, at.line)
		}
	}
	if n >= 0 && n != at.line {
		at.line, at.tok = n, 0
		m.centre(i)
	}
}

// focusOn gives a slot the keyboard.
func (m *Model) focusOn(i int) {
	m.focus = i
	if m.zoom >= 0 {
		m.zoom = i
	}
	m.relayout()
	if code(i) {
		m.relight()
	}
}

// cycle returns the slots that tab goes through: those on the screen, or on a small one
// the fixed panes and the listings.
func (m *Model) cycle() []int {
	var out []int
	if m.arr.shape == shapeOne || m.zoom >= 0 {
		for i := range m.slots {
			out = append(out, i)
		}
		return out
	}
	for _, p := range m.arr.places {
		out = append(out, p.slot)
	}
	return out
}

// nextPane focuses the pane n further in the cycle.
func (m *Model) nextPane(n int) {
	c := m.cycle()
	for k, s := range c {
		if s == m.focus {
			to := c[((k+n)%len(c)+len(c))%len(c)]
			if _, shown := m.rectOf(to); !shown && code(to) {
				m.seekLit(to)
			}
			m.focusOn(to)
			return
		}
	}
	if len(c) > 0 {
		m.focusOn(c[0])
	}
}

// stageRow is the tree row of the selection, to keep the tree's cursor with it.
func (m *Model) syncLeft() {
	t := m.tree() // before treeNode, which reads what it keeps
	m.slots[slotTree].at().line = t.Row(m.treeNode(), m.shownStage())
	m.clamp(slotTree)
	m.reveal(slotTree)
	m.clamp(slotAxes)
	m.reveal(slotAxes)
}

// treeNode is the index of the selected pass in nodes, where techniques without passes
// have entries too.
func (m *Model) treeNode() int {
	ref, ok := m.ref()
	if !ok {
		return 0
	}
	for i, n := range m.memo.nodes {
		if n.TechIndex == ref.TechIndex && n.Pass == ref.Pass {
			return i
		}
	}
	return 0
}

// passOf is the inverse of treeNode: the index into passes of a tree node, or -1.
func (m *Model) passOf(node int) int {
	m.tree()
	ns := m.memo.nodes
	if node < 0 || node >= len(ns) {
		return -1
	}
	for i, r := range m.passes {
		if r.TechIndex == ns[node].TechIndex && (r.Pass == ns[node].Pass || ns[node].Pass < 0) {
			return i
		}
	}
	return -1
}

// choose selects an option of an axis; everything follows.
func (m *Model) choose(axis, option int) tea.Cmd {
	if m.sess == nil || m.sess.Effect == nil || axis < 0 || axis >= len(m.sel.choice) {
		return nil
	}
	n := len(m.sess.Effect.Axes[axis].Options)
	if n == 0 {
		return nil
	}
	option = (option%n + n) % n
	if m.sel.choice[axis] == option {
		return nil
	}
	m.record()
	c := append([]int(nil), m.sel.choice...)
	c[axis] = option
	perm, err := m.sess.Effect.Index(c)
	if err != nil {
		m.fail("%v", err)
		return nil
	}
	return m.setPerm(perm)
}

// setPerm selects a permutation and stays on the same pass and stage, by name, and on
// the same instruction as near as there is one.
func (m *Model) setPerm(perm int) tea.Cmd {
	ref, had := m.ref()
	stage := m.stageName()
	if perm != m.sel.perm {
		m.cmp.with = m.sel.perm
	}
	m.sel.perm = perm
	m.loadPerm()
	m.sel.node = -1
	if had {
		for i, r := range m.passes {
			if r.Technique == ref.Technique && r.Nth == ref.Nth && r.Pass == ref.Pass {
				m.sel.node = i
			}
		}
	}
	if m.sel.node < 0 {
		m.sel.node = m.firstPass()
	}
	m.sel.stage = m.stageIndex(stage)
	m.diagAt = -1
	cmd := m.reselect()
	m.syncLeft()
	return cmd
}

// stageName is the short name of the shown stage ("ps"), or "".
func (m *Model) stageName() string {
	if st := m.stageNow(); st != nil {
		return st.stage.Kind.String()
	}
	return ""
}

// stageIndex is the index of a stage of the selected pass by short name, or -1.
func (m *Model) stageIndex(name string) int {
	ref, ok := m.ref()
	if !ok || name == "" {
		return -1
	}
	in, err := m.sess.Input(m.sel.perm, ref)
	if err != nil {
		return -1
	}
	return session.StageIndex(in, name)
}

// setStage selects a pass and a stage of it.
func (m *Model) setStage(node, stage int) tea.Cmd {
	if node == m.sel.node && stage == m.shownStage() && !m.stale {
		return nil
	}
	samePass := node == m.sel.node
	m.sel.node, m.sel.stage = node, stage
	if samePass && m.view != nil && !m.stale {
		m.resetCode()
		m.show(m.view)
		m.syncLeft()
		return nil
	}
	m.resetCode()
	cmd := m.reselect()
	m.syncLeft()
	return cmd
}

// resetCode takes the cursors of the listings to the top: another stage is another text.
func (m *Model) resetCode() {
	for i := slotCode; i < len(m.slots); i++ {
		f := m.slots[i].pos[formDiags]
		m.slots[i].pos = [numForms]position{}
		m.slots[i].pos[formDiags] = f
	}
	m.fresh = true
}

// startCode puts the cursors of a stage that was not shown before on its first
// instruction behind the declarations: there the panes have something to say about each
// other. The declarations end just above it.
func (m *Model) startCode() {
	st := m.stageNow()
	if st == nil || st.dxbc == nil {
		return
	}
	first := st.dxbc.FirstInstr()
	sel := st.links.Select(views.Focus{Instr: first, Occur: views.NoFocus.Occur, Binding: -1})
	for i := slotCode; i < len(m.slots); i++ {
		for f := formDXBC; f <= formMixed; f++ {
			if f == formBindings {
				continue
			}
			p := &m.slots[i].pos[f]
			l := st.forms[f]
			if f == formDXBC {
				l = st.dxbcForm(m.raw)
			}
			if n := l.Seek(&sel, 0); n >= 0 {
				*p = position{line: n, top: max(n-3, 0)}
			}
		}
		m.reveal(i)
	}
}
