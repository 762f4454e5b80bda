package tui

import (
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/variant"
	"fxlens/views"
)

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
