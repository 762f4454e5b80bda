package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/interp/debug"
	"fxlens/core/ir"
	"fxlens/views"
)

// ssa is the listing of the SSA form, or nil.
func (s *runScreen) ssa() *views.SSA {
	if s.of == nil || s.of.stage.Func == nil {
		return nil
	}
	v, _ := s.of.forms[formSSA].(*views.SSA)
	return v
}

// value is the value of the line under the cursor, or ir.NoValue.
func (s *runScreen) value() ir.ValueID {
	if v := s.ssa(); v != nil && s.pane == runValues {
		if id := v.Ref(s.row).Value; id >= 0 {
			return id
		}
	}
	return ir.NoValue
}

// valueRow is the line of the SSA form nearest to a row that an instruction became, or -1.
func (s *runScreen) valueRow(instr int32, near int) int {
	v := s.ssa()
	if v == nil || instr < 0 {
		return -1
	}
	lit := s.of.links.Select(views.Focus{Instr: instr, Occur: views.NoFocus.Occur, Binding: -1})
	return v.Seek(&lit, near)
}

// readValues reads what the SSA values are.
func (n *runSnap) readValues(d *debug.Session, before *runSnap) {
	f := d.Attached()
	if f == nil {
		n.noValues = "the SSA form computes too much to record, or there is none"
		return
	}
	n.values = make([]views.RunValue, len(f.Values))
	for i := range f.Values {
		if w, ok := d.Value(ir.ValueID(i)); ok {
			x := &n.values[i]
			x.Words = w
			if before != nil && before.focus == n.focus && len(before.values) == len(n.values) {
				x.Changed = !slices.Equal(before.values[i].Words, w)
			}
		}
	}
}

// watchValues adds the watched values, lane by lane, to what is watched.
func (n *runSnap) watchValues(d *debug.Session) {
	f := d.Attached()
	if f == nil {
		return
	}
	for _, id := range d.WatchedValues() {
		x := &n.values[id]
		x.Watched = true
		for k := range int(f.Values[id].N) {
			w := views.RunWatch{Name: fmt.Sprintf("v%d", id), Changed: x.Changed}
			if f.Values[id].N > 1 {
				w.Name += "." + "xyzw"[k:k+1]
			}
			if k < len(x.Words) {
				w.Word, w.There = x.Words[k], true
			}
			n.watched = append(n.watched, w)
		}
	}
}

func (s *runScreen) watchValue(m *Model, id ir.ValueID) tea.Cmd {
	on := id >= 0 && int(id) < len(s.snap.values) && !s.snap.values[id].Watched
	return s.do(m, func(_ context.Context, d *debug.Session) (runDone, error) {
		text := fmt.Sprintf("v%d is not watched any more", id)
		if on {
			text = fmt.Sprintf("c stops where v%d is computed", id)
		}
		return runDone{text: text}, d.WatchValue(id, on)
	})
}

// toParting goes to where DXBC and SSA part for the invocation that is followed, or else
// for any, which is followed then.
func toParting(ctx context.Context, d *debug.Session, f *ir.Function) (runDone, error) {
	_, p, err := d.ToParting(ctx, f)
	if err != nil {
		return runDone{}, err
	}
	if p == nil {
		if _, p, err = d.ToAnyParting(ctx, f); err != nil {
			return runDone{}, err
		}
	}
	if p == nil {
		return runDone{text: fmt.Sprintf("DXBC and SSA compute the same for all %d invocations", d.Invocations())}, nil
	}
	text := fmt.Sprintf("parted: %s is 0x%08x in DXBC, 0x%08x in SSA", p.Lane, p.DXBC, p.IR)
	if p.Value != ir.NoValue {
		text += fmt.Sprintf(" (v%d)", p.Value)
	}
	return runDone{text: text, part: p}, nil
}

// readings shows the lane, constant or value under the cursor in every reading.
func (s *runScreen) readings(cols int) []views.Line {
	n := s.snap
	switch {
	case s.pane == runValues:
		if id := s.value(); id >= 0 && int(id) < len(n.values) && n.values[id].Words != nil {
			return views.RunReadings(fmt.Sprintf("v%d", id), n.values[id].Words, cols)
		}
	case s.pane == runRegs || s.pane == runConsts:
		rows := s.rowsNow()
		if s.row < len(rows) && rows[s.row].Cells[s.comp].There {
			r := &rows[s.row]
			return views.RunReadings(fmt.Sprintf("%s.%c", r.Name, "xyzw"[s.comp]), []uint32{r.Cells[s.comp].Word}, cols)
		}
	}
	return nil
}

// composeValues draws the SSA form with what its values are.
func (s *runScreen) composeValues(m *Model, c *canvas, r rect) {
	s.rects[runValues] = r
	composeTitle(c, r, "SSA values  as "+s.typ.String(), s.pane == runValues)
	inner := rect{r.x, r.y + 1, r.w, r.h - 1}
	v := s.ssa()
	if v == nil || s.snap.values == nil {
		why := s.snap.noValues
		if s.stage != nil && s.stage.Func == nil {
			why = s.stage.Refused
		}
		m.composeRows(c, inner, 2, views.WrapWords(views.Say(views.RoleDim, views.Text(why)), r.w-4, 0), 0)
		return
	}
	next := int32(s.snap.next)
	lit := s.of.links.Select(views.Focus{Instr: s.focusInstr(), Occur: views.NoFocus.Occur, Binding: -1})
	top, row := &s.vtop, -1
	if s.pane == runValues {
		if s.row < s.rtop || s.row >= s.rtop+inner.h {
			s.rtop = max(s.row-inner.h/2, 0)
		}
		top, row = &s.rtop, s.row
		s.vtop = s.rtop
	} else if line := v.Seek(&lit, s.vtop+inner.h/2); line >= 0 && (line < s.vtop || line >= s.vtop+inner.h) {
		s.vtop = max(line-inner.h/2, 0)
	}
	lines := views.RunSSA(v, views.Window{First: *top, Rows: inner.h, Cols: r.w - 2}, lit.At(row, 0, s.pane == runValues), s.typ, func(id ir.ValueID) views.RunValue {
		if int(id) < len(s.snap.values) {
			return s.snap.values[id]
		}
		return views.RunValue{}
	}, next)
	m.composeRows(c, inner, 2, lines, 0)
}

// focusInstr is the instruction that the other panes show: the one under the cursor of
// the code, or else the next one.
func (s *runScreen) focusInstr() int32 {
	if s.pane == runCode {
		return int32(s.instr())
	}
	return int32(s.snap.next)
}

// composeWatched draws what is watched, in every reading.
func (s *runScreen) composeWatched(m *Model, c *canvas, r rect) {
	s.rects[runWatched] = r
	composeTitle(c, r, "Watched  "+views.RunWatchHead(), s.pane == runWatched)
	first := 0
	if s.pane == runWatched {
		s.rtop = min(max(s.rtop, s.row-r.h+2, 0), s.row)
		first = s.rtop
	}
	lines := views.RunWatches(s.snap.watched, views.Window{First: first, Rows: r.h - 1, Cols: r.w - 2})
	if len(s.snap.watched) == 0 {
		lines = views.WrapWords(views.Say(views.RoleDim, "nothing: w on a register lane or an SSA value watches it"), r.w-4, 0)
	} else if i := s.row - first; s.pane == runWatched && i >= 0 && i < len(lines) {
		lines[i].Mark |= views.MarkCursor
	}
	m.composeRows(c, rect{r.x, r.y + 1, r.w, r.h - 1}, 2, lines, 0)
}
