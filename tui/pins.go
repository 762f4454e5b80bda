package tui

import (
	"fmt"
	"slices"
	"strings"

	"fxlens/core/ir"
	"fxlens/views"
)

// pin keeps something lit while the cursor goes elsewhere.
type pin struct {
	mark   uint8 // its digit, from 1
	what   string
	unit   unitKey
	stage  int
	of     *stageView
	sel    views.Selection
	instrs views.Selection // sel without what only one form numbers, for earlier phases
}

// pins are the pinned things, in the order of their marks.
type pins struct{ list []pin }

// maxPins is how many digits there are.
const maxPins = 9

// pinRoles tell pins apart by colour; their digits do so without.
var pinRoles = [...]views.Role{views.RoleKey, views.RoleOK, views.RoleWarning, views.RoleNote, views.RoleLink, views.RoleRefused}

// pinSpan is the mark of a pin.
func pinSpan(mark uint8) views.Span {
	return views.Span{Role: pinRoles[int(mark-1)%len(pinRoles)], Emph: views.EmphOccur, Text: string(rune('0' + mark))}
}

// here reports whether the pin is of the stage that is shown.
func (p *pin) here(m *Model) bool { return p.of != nil && p.of == m.stageNow() }

// selection is what the pin lights in a slot.
func (p *pin) selection(m *Model, slot int) *views.Selection {
	if m.showsPhase(slot) {
		return &p.instrs
	}
	return &p.sel
}

// row is a line of the slot that the pin lights, or -1.
func (p *pin) row(m *Model, slot int, l views.Listing) int {
	if !p.here(m) {
		return -1
	}
	return l.Seek(p.selection(m, slot), 0)
}

func (m *Model) whyNoPin() string {
	if m.stageNow() == nil {
		return "no stage is shown"
	}
	if !code(m.focus) {
		return "go to a listing first: pins keep registers, values and lines lit"
	}
	_, _, f := m.token()
	if f.Empty() {
		return "this line belongs to no instruction or binding"
	}
	return ""
}

// togglePin pins what the cursor is on, or takes the pin away that it has already.
func (m *Model) togglePin() {
	l, pos, f := m.token()
	sel := m.linksOf(m.focus).Select(f)
	m.dirty = true
	for i := range m.pins.list {
		p := &m.pins.list[i]
		if p.here(m) && sameSelection(&p.sel, &sel) {
			mark := p.mark
			m.pins.list = slices.Delete(m.pins.list, i, i+1)
			m.say("pin %d is gone", mark)
			return
		}
	}
	mark := m.freePin()
	if mark == 0 {
		m.fail("there are %d pins already; take one away with ' on it, or all with \"", maxPins)
		return
	}
	k, _ := m.key(m.sel.perm, m.sel.node)
	p := pin{mark: mark, unit: k, stage: m.shownStage(), of: m.stageNow(), sel: sel, what: pinText(l, pos, &f)}
	p.instrs = views.NoSelection
	p.instrs.Instrs = sel.Instrs
	m.pins.list = append(m.pins.list, p)
	slices.SortFunc(m.pins.list, func(a, b pin) int { return int(a.mark) - int(b.mark) })
	m.say("pin %d: %s", mark, p.what)
}

// pinText says what is pinned.
func pinText(l views.Listing, pos *position, f *views.Focus) string {
	switch {
	case f.Lanes.Reg != "":
		s := f.Lanes.Reg
		if f.Lanes.Mask != 0 {
			s += "." + views.MaskText(f.Lanes.Mask)
		}
		return s
	case f.Occur != ir.NoValue:
		return fmt.Sprintf("v%d", f.Occur)
	}
	return views.Clip(strings.TrimSpace(l.Text(pos.line)), 40)
}

func (m *Model) freePin() uint8 {
	for mark := uint8(1); mark <= maxPins; mark++ {
		if !slices.ContainsFunc(m.pins.list, func(p pin) bool { return p.mark == mark }) {
			return mark
		}
	}
	return 0
}

func sameSelection(a, b *views.Selection) bool {
	return slices.Equal(a.Instrs, b.Instrs) && slices.Equal(a.Values, b.Values) && a.Lanes == b.Lanes && a.Occur == b.Occur && a.Binding == b.Binding
}

func (m *Model) whyNoPins() string {
	if len(m.pins.list) == 0 {
		return "nothing is pinned; ' pins what the cursor is on"
	}
	return ""
}

// openPins lists the pins: choosing one goes there.
func (m *Model) openPins() {
	var items []item
	for i := range m.pins.list {
		p := m.pins.list[i]
		it := item{key: string(rune('0' + p.mark)), text: p.what, apply: done(func(m *Model) { m.goPin(p) })}
		if !p.here(m) {
			it.why = "pinned in another stage, which is not shown"
		}
		items = append(items, it)
	}
	items = append(items, item{text: "take all pins away", apply: done(func(m *Model) { m.pins.list, m.dirty = nil, true; m.say("no pins are left") })})
	m.openList(overList, "Pins", items)
}

// goPin puts the cursor on a pin.
func (m *Model) goPin(p pin) {
	i := m.codeSlot()
	n := m.listing(i).Seek(p.selection(m, i), 0)
	if n < 0 {
		m.fail("pin %d has no line in this form", p.mark)
		return
	}
	m.record()
	m.jump(i, n)
}

// repin finds the pins of a stage again when it is shown anew: after a reload, or when it
// was compiled again.
func (m *Model) repin() {
	st := m.stageNow()
	if st == nil {
		return
	}
	k, _ := m.key(m.sel.perm, m.sel.node)
	for i := range m.pins.list {
		if p := &m.pins.list[i]; p.unit == k && p.stage == m.shownStage() {
			p.of = st
		}
	}
}

// pinLines colours what the pins light in a window and returns the pin of every line. It
// asks the listing itself, with the pin as the selection, so that pins and cursor light
// the same things.
func (m *Model) pinLines(slot int, l views.Listing, lines []views.Line, win views.Window) []uint8 {
	out := make([]uint8, len(lines))
	for i := range m.pins.list {
		p := &m.pins.list[i]
		if !p.here(m) {
			continue
		}
		s := *p.selection(m, slot)
		tokens := s.Lanes.Reg != "" || s.Occur != ir.NoValue
		lit := l.Lines(win, s.At(-1, 0, false))
		role := pinSpan(p.mark).Role
		for k := range lines {
			if k >= len(lit) || len(lit[k].Spans) != len(lines[k].Spans) {
				continue
			}
			hit := !tokens && lit[k].Mark&views.MarkLinked != 0
			for j := range lit[k].Spans {
				if lit[k].Spans[j].Emph < views.EmphTied || tokens && lit[k].Spans[j].Emph < views.EmphOccur {
					continue
				}
				hit = true
				t := &lines[k].Spans[j]
				t.Role = role
				t.Emph = max(t.Emph, views.EmphOccur)
			}
			if hit && out[k] == 0 {
				out[k] = p.mark
			}
		}
	}
	return out
}
