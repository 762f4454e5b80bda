package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// excerptMsg is an excerpt ready to be copied.
type excerptMsg struct{ text string }

func (m *Model) whyNoExcerpt() string {
	k := m.diagHere()
	if m.sess == nil {
		return "no file is open"
	}
	if k < 0 {
		return "the cursor is on no diagnostic; ] goes to one"
	}
	key, ok := m.key(m.sel.perm, m.origins[k].node)
	if v := m.cache[key]; !ok || v == nil || v.pass == nil {
		return "the finding is about the file as a whole"
	}
	return ""
}

// yankExcerpt copies what a report about the diagnostic needs. Digests of large files
// take a while, so that the text is made in a command.
func (m *Model) yankExcerpt() tea.Cmd {
	k := m.diagHere()
	key, _ := m.key(m.sel.perm, m.origins[k].node)
	s, perm, ref, p, d := m.sess, m.sel.perm, m.passes[m.origins[k].node], m.cache[key].pass, m.diags[k]
	return func() tea.Msg {
		lines := s.Excerpt(perm, ref, p, &d)
		for i, l := range lines {
			lines[i] = strings.TrimRight(views.Text(l), " ")
		}
		return excerptMsg{strings.Join(lines, "\n")}
	}
}

func (m *Model) excerpted(msg excerptMsg) tea.Cmd { return m.yank(msg.text, "excerpt") }
