package tui

import tea "github.com/charmbracelet/bubbletea"

// layoutState is how the user divides the screen; the zero value is the program's own way.
type layoutState struct {
	Left  int `json:"left"`  // cells that the left side has more, or less
	Split int `json:"split"` // hundredths that the first listing has more of the width, or less
	Drop  int `json:"drop"`  // the same of the height
	Panes int `json:"panes"` // listings; 0: as many as fit
}

// sane is the layout with its numbers in their ranges.
func (l layoutState) sane() layoutState {
	l.Left = min(max(l.Left, -16), 60)
	l.Split = min(max(l.Split, -35), 35)
	l.Drop = min(max(l.Drop, -35), 35)
	l.Panes = min(max(l.Panes, 0), maxCode)
	return l
}

// preset is a layout that is one key away.
type preset struct {
	name  string
	panes int
	other bool
	forms []form
}

// presets are the layouts of alt+1 to alt+9.
var presets = [9]preset{
	{"one listing", 1, false, []form{formDXBC}},
	{"DXBC over WGSL", 2, false, []form{formDXBC, formWGSL}},
	{"DXBC beside WGSL", 2, true, []form{formDXBC, formWGSL}},
	{"DXBC, SSA and WGSL", 3, true, []form{formDXBC, formSSA, formWGSL}},
	{"DXBC, WGSL, SSA and bindings", 4, false, []form{formDXBC, formWGSL, formSSA, formBindings}},
	{"interleaved alone", 1, false, []form{formMixed}},
	{"WGSL beside bindings", 2, true, []form{formWGSL, formBindings}},
	{"control flow, DXBC and WGSL", 3, true, []form{formCFG, formDXBC, formWGSL}},
	{"diagnostics over DXBC", 2, false, []form{formDiags, formDXBC}},
}

// usePreset lays the screen out; on a small one the first form shows alone.
func (m *Model) usePreset(i int) tea.Cmd {
	p := presets[i]
	m.zoom = -1
	m.layout.Panes, m.other = p.panes, p.other
	if m.arr.shape == shapeGrid && p.panes <= 3 {
		m.other = !p.other // beside and over each other are the other way round there
		if p.panes == 3 {
			m.other = p.other
		}
	}
	m.cfgLit = m.lit
	for k, f := range p.forms {
		m.slots[slotCode+k].form = f
	}
	m.relayout()
	m.focusOn(slotCode)
	m.say("layout: %s", p.name)
	return nil
}

// openLayouts lists the layouts.
func (m *Model) openLayouts() {
	var items []item
	for i, p := range presets {
		items = append(items, item{key: keyText("alt+" + string(rune('1'+i))), text: p.name, apply: func(m *Model) tea.Cmd { return m.usePreset(i) }})
	}
	items = append(items,
		item{text: "as many listings as fit, all the same size", apply: func(m *Model) tea.Cmd {
			m.layout, m.other, m.zoom = layoutState{}, false, -1
			m.relayout()
			m.say("layout: as many listings as fit")
			return nil
		}})
	m.openList(overList, "Layouts", items)
}

// stretch moves a border: that of the left side where the keyboard is there, or that
// between the listings.
func (m *Model) stretch(x, y int) {
	was := m.layout
	switch {
	case x != 0 && !code(m.focus):
		m.layout.Left += 4 * x
	case x != 0:
		m.layout.Split += 4 * x
	default:
		m.layout.Drop += 4 * y
	}
	m.layout = m.layout.sane()
	if m.layout == was {
		m.fail("it goes no further")
		return
	}
	m.relayout()
}
