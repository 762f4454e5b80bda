package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"fxlens/themes"
)

// openThemes lists the themes of the program and of the user; moving shows each at once,
// esc returns to the one that was in force.
func (m *Model) openThemes() tea.Cmd {
	opt, was := m.opt, m.theme
	return func() tea.Msg { // the user's are files
		type entry struct {
			name string
			t    *themes.Theme
			err  error
		}
		var all []entry
		for _, n := range opt.themeNames() {
			t, err := loadTheme(n, opt)
			all = append(all, entry{n, t, err})
		}
		return applyMsg(func(m *Model) tea.Cmd {
			if m.over != nil {
				return nil
			}
			var items []item
			cur := 0
			for i, e := range all {
				it := item{text: e.name}
				if e.err != nil {
					it.why = e.err.Error()
				} else {
					it.note = e.t.Title
					it.apply = done(func(m *Model) {
						m.setTheme(e.t)
						m.say("theme: %s; to keep it: theme = %q in config.toml", e.t.Title, e.name)
					})
				}
				if e.name == was.Name {
					it.key, cur = "●", i
				}
				items = append(items, it)
			}
			m.openList(overList, "Themes", items)
			o := m.over
			o.cur = cur
			o.moved = func(m *Model) tea.Cmd {
				if o.cur >= 0 && o.cur < len(o.shown) {
					if e := all[o.shown[o.cur]]; e.t != nil {
						m.setTheme(e.t)
					}
				}
				return nil
			}
			o.closed = func(m *Model) { m.setTheme(was) }
			return nil
		})
	}
}
