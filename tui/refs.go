package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/views"
)

// applyMsg is the answer of a command that changes the model by itself. It tells a late
// answer from the one that is waited for by the generation that it carries.
type applyMsg func(m *Model) tea.Cmd

// varOf returns the DXBC variable that a register's text names: r3, x0[r1.x + 2], o1.
func varOf(reg string) (dxbc.Var, bool) {
	if reg == "" {
		return dxbc.Var{}, false
	}
	t, ok := map[byte]dxbc.RegType{'r': dxbc.RegTemp, 'x': dxbc.RegIndexableTemp, 'o': dxbc.RegOutput}[reg[0]]
	if !ok {
		return dxbc.Var{}, false
	}
	s, _, _ := strings.Cut(reg[1:], "[")
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return dxbc.Var{}, false
	}
	return dxbc.Var{Type: t, Index: int32(n)}, true
}

// lanesOf is the mask of a register's lanes; one without components has one.
func lanesOf(l views.Lanes) uint8 {
	if l.Mask == 0 {
		return 15
	}
	return l.Mask
}

// ref is a place that defines or uses what the cursor is on.
type ref struct {
	instr int32
	def   bool
	lanes uint8
}

// refsOf returns definitions and uses of a register's lanes at an instruction: of a
// destination, the uses of what is written there; of a source, all that may have written
// it and every use of those.
func refsOf(fl *dxbc.Flow, f *views.Focus) (refs []ref, undefined bool) {
	v, ok := varOf(f.Lanes.Reg)
	if !ok || fl == nil {
		return nil, false
	}
	lanes := lanesOf(f.Lanes)
	defs := []dxbc.Def{{Instr: f.Instr, Lanes: lanes}}
	if !f.Dst {
		defs = fl.Reaching(f.Instr, v, lanes)
	}
	uses := make(map[int32]uint8)
	for _, d := range defs {
		if d.Instr < 0 {
			undefined = true
			continue
		}
		refs = append(refs, ref{d.Instr, true, d.Lanes})
		for _, u := range fl.Uses(d.Instr, v, d.Lanes) {
			uses[u.Instr] |= u.Lanes
		}
	}
	if !f.Dst {
		uses[f.Instr] |= lanes
	}
	for i, l := range uses {
		refs = append(refs, ref{i, false, l})
	}
	slices.SortFunc(refs, func(a, b ref) int {
		if a.instr != b.instr {
			return int(a.instr - b.instr)
		}
		if a.def == b.def {
			return 0
		}
		if a.def {
			return 1 // add r0.x, r0.x: it reads first
		}
		return -1
	})
	return refs, undefined
}

// inputText says what a register is that no instruction writes.
func inputText(f *views.Focus) string {
	reg := f.Lanes.Reg
	what := "an input"
	switch {
	case f.Res.Known, strings.HasPrefix(reg, "cb"), strings.HasPrefix(reg, "icb"):
		what = "a resource; its declaration and uses light up, and U lists them"
	case strings.HasPrefix(reg, "v"):
		what = "an input of the stage; 6 shows the signatures"
	}
	return reg + " is not written here: it is " + what
}

// goDef goes to where the value under the cursor is defined. Of a register that several
// instructions may have written it lists them.
func (m *Model) goDef() tea.Cmd {
	l, p, f := m.token()
	from := p.line
	if f.Lanes.Reg == "" {
		return m.goValueDef(l, from, f)
	}
	st := m.stageNow()
	v, ok := varOf(f.Lanes.Reg)
	if !ok || st == nil || st.dxbc == nil {
		if f.Res.Known { // the declaration
			switch n := m.declOf(&f); {
			case n == from:
				m.say("%s is declared here; u goes to its next use", f.Lanes.Reg)
				return nil
			case n >= 0:
				m.record()
				m.jump(m.focus, n)
				return nil
			}
		}
		m.fail("%s", inputText(&f))
		return nil
	}
	if f.Dst {
		m.say("%s is written here; u goes to its next use", f.Lanes.Reg)
		return nil
	}
	slot := m.focus
	return m.seek(func(context.Context) soughtMsg {
		defs := st.flow().Reaching(f.Instr, v, lanesOf(f.Lanes))
		var at []int32
		undefined := false
		for _, d := range defs {
			if d.Instr < 0 {
				undefined = true
				continue
			}
			at = append(at, d.Instr)
		}
		if len(at) == 0 {
			return soughtMsg{line: -1, say: f.Lanes.Reg + " is not written on any way that leads here: it is undefined"}
		}
		// The nearest one above, or the last one where all are below: around a loop.
		best := at[len(at)-1]
		for _, i := range at {
			if i < f.Instr {
				best = i
			}
		}
		say := ""
		switch {
		case len(at) > 1:
			say = fmt.Sprintf("one of %d places that may write it; U lists them", len(at))
		case undefined:
			say = "and on another way nothing writes it"
		}
		sel := views.NoSelection
		sel.Instrs = []int32{best}
		return soughtMsg{line: lineFor(l, &sel, from), say: say, slot: slot}
	})
}

// lineFor is Seek, or -1 for nothing.
func lineFor(l views.Listing, sel *views.Selection, near int) int { return l.Seek(sel, near) }

// declOf is the line of the declaration of the resource that a focus is on, or -1.
func (m *Model) declOf(f *views.Focus) int {
	st := m.stageNow()
	if st == nil {
		return -1
	}
	if st.stage.Func == nil && st.dxbc != nil { // a stage without counterpart has declarations too
		sel := views.NoSelection
		sel.Instrs = []int32{st.dxbc.Ref(st.dxbc.Declaration(f.Lanes)).Instr}
		return m.listing(m.focus).Seek(&sel, 0)
	}
	if st.stage.Func == nil {
		return -1
	}
	for i := range st.stage.Func.Resources {
		r := &st.stage.Func.Resources[i]
		if r.Class == f.Res.Class && r.RangeID == f.Res.Range && r.Instr >= 0 {
			sel := views.NoSelection
			sel.Instrs = []int32{r.Instr}
			return m.listing(m.focus).Seek(&sel, 0)
		}
	}
	return -1
}

// goValueDef goes to where an SSA value is defined.
func (m *Model) goValueDef(l views.Listing, from int, f views.Focus) tea.Cmd {
	v := f.Occur
	if v < 0 && len(f.Values) > 0 {
		v = f.Values[0]
	}
	sel := views.NoSelection
	sel.Values = append(sel.Values, v)
	if fn := m.linksOf(m.focus).Func(); fn != nil && v >= 0 && int(v) < len(fn.Values) && fn.Values[v].Instr >= 0 {
		sel.Instrs = append(sel.Instrs, fn.Values[v].Instr)
	}
	return m.seek(func(context.Context) soughtMsg {
		switch n := l.Seek(&sel, from); n {
		case -1:
			return soughtMsg{line: -1, say: fmt.Sprintf("v%d has no line of its own here: it is folded into its users", v)}
		case from:
			return soughtMsg{line: n, say: fmt.Sprintf("v%d is defined here", v)}
		default:
			return soughtMsg{line: n}
		}
	})
}

// goUse goes to the next use of the register lanes or value under the cursor, around the
// end. Lanes that were written anew since are another thing, though they look the same.
func (m *Model) goUse() tea.Cmd {
	l, p, f := m.token()
	from := p.line
	st := m.stageNow()
	_, tracked := varOf(f.Lanes.Reg)
	sel := m.linksOf(m.focus).Select(f)
	at := sel.At(-1, 0, false)
	return m.seek(func(ctx context.Context) soughtMsg {
		var uses map[int32]bool
		if tracked && st != nil && st.dxbc != nil {
			uses = make(map[int32]bool)
			refs, _ := refsOf(st.flow(), &f)
			for _, r := range refs {
				if !r.def {
					uses[r.instr] = true
				}
			}
		}
		n := l.Len()
		for k := 1; k < n && (k%1000 != 0 || ctx.Err() == nil); k++ {
			i := (from + k) % n
			if uses != nil && !uses[l.Focus(i, 0).Instr] {
				continue
			}
			ls := l.Lines(views.Window{First: i, Rows: 1}, at)
			if len(ls) == 0 {
				continue
			}
			tok := 0
			for _, s := range ls[0].Spans { // the last one: sources stand behind destinations
				if s.Emph == views.EmphOccur && s.Tok > 0 {
					tok = int(s.Tok)
					if uses == nil {
						break
					}
				}
			}
			if tok == 0 {
				continue
			}
			say := ""
			if i < from {
				say = "went on from the top"
			}
			return soughtMsg{line: i, tok: tok, say: say}
		}
		if uses != nil {
			return soughtMsg{line: -1, say: "nothing else reads it"}
		}
		return soughtMsg{line: -1, say: "it occurs nowhere else in this listing"}
	})
}

// openRefs lists definitions and uses of what the cursor is on.
func (m *Model) openRefs() tea.Cmd {
	l, _, f := m.token()
	st := m.stageNow()
	links, slot := m.linksOf(m.focus), m.focus
	ctx, gen := m.seeking.next(m.ctx)
	return func() tea.Msg {
		title, items := refItems(ctx, l, st, links, f)
		if ctx.Err() != nil {
			return nil
		}
		return applyMsg(func(m *Model) tea.Cmd {
			if gen != m.seeking.gen || m.over != nil || m.focus != slot {
				return nil
			}
			m.seeking.on = false
			if len(items) == 0 {
				m.fail("it is neither written nor read anywhere else")
				return nil
			}
			m.openList(overList, title, items)
			m.keepWalk(title, items)
			return nil
		})
	}
}

// maxRefs bounds a list of references.
const maxRefs = 5000

func refItems(ctx context.Context, l views.Listing, st *stageView, links *views.Links, f views.Focus) (string, []item) {
	var items []item
	add := func(kind string, instr int32, line int, note string) {
		if line < 0 || len(items) >= maxRefs || ctx.Err() != nil {
			return
		}
		items = append(items, item{key: kind, text: fmt.Sprintf("@%-4d %s", instr, strings.TrimSpace(views.Clip(l.Text(line), 120))), note: note,
			apply: done(func(m *Model) { m.goInstr(instr) })})
	}
	row := func(i int32) int {
		s := views.NoSelection
		s.Instrs = []int32{i}
		return l.Seek(&s, 0)
	}
	if _, ok := varOf(f.Lanes.Reg); ok && st != nil && st.dxbc != nil {
		refs, undefined := refsOf(st.flow(), &f)
		for _, r := range refs {
			kind := "reads"
			if r.def {
				kind = "writes"
			}
			add(kind, r.instr, row(r.instr), "."+views.MaskText(r.lanes))
		}
		if undefined {
			items = append(items, item{key: "", text: "on some way nothing writes it before it is read", why: "there is no place to go to"})
		}
		name := f.Lanes.Reg
		if f.Lanes.Mask != 0 {
			name += "." + views.MaskText(f.Lanes.Mask)
		}
		return "Definitions and uses of " + name, items
	}
	if f.Occur != ir.NoValue || f.Lanes.Reg == "" && len(f.Values) > 0 {
		v := f.Occur
		if v == ir.NoValue {
			v = f.Values[0]
		}
		fn := links.Func()
		line := func(v ir.ValueID) int {
			s := views.NoSelection
			s.Values = []ir.ValueID{v}
			if fn != nil && int(v) < len(fn.Values) && fn.Values[v].Instr >= 0 {
				s.Instrs = []int32{fn.Values[v].Instr}
			}
			return l.Seek(&s, 0)
		}
		instr := func(v ir.ValueID) int32 {
			if fn == nil || int(v) >= len(fn.Values) {
				return -1
			}
			return fn.Values[v].Instr
		}
		add("defines", instr(v), line(v), fmt.Sprintf("v%d", v))
		for _, u := range links.UsersOf(v) {
			add("reads", instr(u), line(u), fmt.Sprintf("v%d", u))
		}
		for _, n := range links.NodesOf(v) {
			add("reads", fn.Nodes[n].Instr, row(fn.Nodes[n].Instr), "")
		}
		return fmt.Sprintf("Definition and uses of v%d", v), items
	}
	// A resource, input or constant: wherever it stands.
	sel := links.Select(f)
	at := sel.At(-1, 0, false)
	for i := 0; i < l.Len() && ctx.Err() == nil; i++ {
		ls := l.Lines(views.Window{First: i, Rows: 1}, at)
		if len(ls) == 0 {
			continue
		}
		if slices.ContainsFunc(ls[0].Spans, func(s views.Span) bool { return s.Emph == views.EmphOccur }) {
			if in := l.Focus(i, 0).Instr; in >= 0 {
				add("names", in, i, "")
			}
		}
	}
	return "Places that name " + f.Lanes.Reg, items
}

// goInstr puts the cursor of the focused listing on an instruction.
func (m *Model) goInstr(instr int32) {
	i := m.codeSlot()
	s := views.NoSelection
	s.Instrs = []int32{instr}
	n := m.listing(i).Seek(&s, m.slots[i].at().line)
	if n < 0 {
		i = m.slotWith(formDXBC)
		m.slots[i].form = formDXBC
		n = m.listing(i).Seek(&s, m.slots[i].at().line)
	}
	if n < 0 {
		m.fail("@%d has no line here", instr)
		return
	}
	m.record()
	m.jump(i, n)
}

// walkList is the last list of places, for stepping through it from any pane.
type walkList struct {
	title string
	items []item
	at    int
}

// keepWalk remembers a list of places that , and . go through.
func (m *Model) keepWalk(title string, items []item) {
	m.walked = walkList{title: title, at: -1}
	for _, it := range items {
		if it.apply != nil && it.why == "" && !it.head {
			m.walked.items = append(m.walked.items, it)
		}
	}
}

func (m *Model) whyNoWalk() string {
	if len(m.walked.items) == 0 {
		return "there is no list to go through; U lists references, F finds in all stages"
	}
	return ""
}

// walkBy goes to the next place of the last list.
func (m *Model) walkBy(n int) tea.Cmd {
	w := &m.walked
	k := len(w.items)
	if w.at < 0 && n < 0 {
		w.at = 0
	}
	w.at = ((w.at+n)%k + k) % k
	it := w.items[w.at]
	cmd := it.apply(m)
	if !m.isError {
		m.say("%d of %d  %s  %s", w.at+1, k, w.title, views.Clip(strings.TrimSpace(it.text), 60))
	}
	return cmd
}

func (m *Model) whyNoRefs() string {
	_, p, f := m.token()
	if !code(m.focus) || p.tok == 0 && f.Occur < 0 && len(f.Values) == 0 || f.Occur < 0 && f.Lanes.Reg == "" && len(f.Values) == 0 {
		return "the cursor is on no register or value; move it with ← →"
	}
	return ""
}

func (m *Model) whyNoSlice() string {
	st := m.stageNow()
	if m.slice.dir != 0 {
		return ""
	}
	if st == nil || st.dxbc == nil {
		return "the stage has no program that can be decoded"
	}
	_, _, f := m.token()
	if f.Instr < 0 {
		return "this line belongs to no instruction"
	}
	return ""
}

// turnSlice dims all but what feeds the value under the cursor; pressed again, all but
// what it feeds; again, nothing.
func (m *Model) turnSlice() tea.Cmd {
	dir := -1
	_, _, f := m.token()
	if m.slice.of == m.stageNow() {
		switch m.slice.dir {
		case -1:
			dir = 1
		case 1:
			dir = 0
		}
	}
	if dir == 0 {
		m.clearSlice()
		return nil
	}
	if f.Instr < 0 {
		m.fail("slice: this line belongs to no instruction")
		return nil
	}
	return m.sliceOf(dir, f)
}

func (m *Model) clearSlice() {
	m.slice.job.stop()
	m.slice.dir, m.slice.of, m.slice.instrs = 0, nil, nil
	m.dirty = true
	m.say("nothing is dimmed")
}

// sliceOf computes a slice in a command and dims the rest when it is there.
func (m *Model) sliceOf(dir int, f views.Focus) tea.Cmd {
	st := m.stageNow()
	ctx, gen := m.slice.job.next(m.ctx)
	what := fmt.Sprintf("@%d", f.Instr)
	v, isVar := varOf(f.Lanes.Reg)
	lanes := uint8(0)
	if f.Lanes.Reg != "" {
		what = f.Lanes.Reg
		if f.Lanes.Mask != 0 {
			what += "." + views.MaskText(f.Lanes.Mask)
		}
		what += fmt.Sprintf(" @%d", f.Instr)
		lanes = f.Lanes.Mask
	}
	return func() tea.Msg {
		fl := st.flow()
		instrs, err := sliceInstrs(ctx, st, fl, dir, f, v, isVar, lanes)
		if err != nil {
			return nil
		}
		return applyMsg(func(m *Model) tea.Cmd {
			if gen != m.slice.job.gen || st != m.stageNow() {
				return nil
			}
			m.slice.job.on = false
			m.slice.of, m.slice.dir, m.slice.instrs, m.slice.what = st, dir, instrs, what
			m.dirty = true
			word := map[int]string{-1: "feed", 1: "depend on"}[dir]
			if len(instrs) == 1 {
				word = map[int]string{-1: "feeds", 1: "depends on"}[dir]
			}
			m.say("%s %s %s (~); f again: %s", plural(len(instrs), "instruction"), word, what, map[int]string{-1: "what it feeds", 1: "nothing dimmed"}[dir])
			return nil
		})
	}
}

func sliceInstrs(ctx context.Context, st *stageView, fl *dxbc.Flow, dir int, f views.Focus, v dxbc.Var, isVar bool, lanes uint8) ([]int32, error) {
	if dir < 0 {
		if isVar && !f.Dst { // what feeds this operand, not the whole instruction
			out := []int32{f.Instr}
			for _, d := range fl.Reaching(f.Instr, v, lanesOf(f.Lanes)) {
				if d.Instr < 0 {
					continue
				}
				part, err := fl.Backward(ctx, d.Instr, d.Lanes)
				if err != nil {
					return nil, err
				}
				out = append(out, part...)
			}
			slices.Sort(out)
			return slices.Compact(out), nil
		}
		return fl.Backward(ctx, f.Instr, lanes)
	}
	switch {
	case isVar && !f.Dst: // whoever reads the same definitions
		var from []int32
		for _, d := range fl.Reaching(f.Instr, v, lanesOf(f.Lanes)) {
			if d.Instr >= 0 {
				from = append(from, d.Instr)
			}
		}
		return fl.ForwardAll(ctx, from, lanes)
	case f.Lanes.Reg != "" && !isVar: // an input or constant: whoever reads its lanes
		return fl.ForwardAll(ctx, st.dxbc.Readers(f.Lanes), 0)
	}
	return fl.Forward(ctx, f.Instr, lanes)
}
