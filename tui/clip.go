package tui

import (
	"errors"
	"io"
	"strings"

	"github.com/atotto/clipboard"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

type yankedMsg struct {
	what, how string
	n         int
	err       error
}

// maxOSC52 is how much text goes through OSC 52: xterm and tmux take about 75,000 bytes.
const maxOSC52 = 74_000

// osc52 reports whether the terminal is worth asking: there is no answer to OSC 52, so
// the ones that are known to ignore it are left out.
func osc52(getenv func(string) string, n int) bool {
	term := getenv("TERM")
	switch {
	case n > maxOSC52, term == "" || term == "dumb" || term == "linux" || strings.HasPrefix(term, "vt"):
		return false
	case getenv("TERM_PROGRAM") == "Apple_Terminal":
		return false
	}
	return true
}

// yank copies text: by OSC 52, which works through SSH and tmux, or else by the
// system's clipboard program. What was used is said.
func (m *Model) yank(text, what string) tea.Cmd {
	text = oneLine(text)
	if text == "" {
		m.fail("there is nothing to copy here")
		return nil
	}
	getenv, out, system := m.opt.getenv(), m.opt.Output, m.opt.clipboard()
	return func() tea.Msg {
		if out != nil && osc52(getenv, len(text)) {
			if _, err := io.WriteString(out, ansi.SetSystemClipboard(text)); err == nil {
				return yankedMsg{what, "OSC 52", len(text), nil}
			}
		}
		if err := system(text); err != nil {
			return yankedMsg{what, "", len(text), err}
		}
		return yankedMsg{what, "the system clipboard", len(text), nil}
	}
}

func (m *Model) yanked(msg yankedMsg) {
	if msg.err != nil {
		m.fail("cannot copy: %v; use --no-mouse and the terminal's own selection", msg.err)
		return
	}
	m.say("copied the %s (%d bytes) by %s", msg.what, msg.n, msg.how)
}

// systemClipboard is the fallback.
func systemClipboard(text string) error {
	if clipboard.Unsupported {
		return errors.New("the terminal does not take OSC 52 and there is no clipboard program (xclip, xsel, wl-copy)")
	}
	return clipboard.WriteAll(text)
}
