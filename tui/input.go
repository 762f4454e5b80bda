package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// torn drops what is left of a mouse report that bubbletea v1 cut in two: its reader
// takes 256 bytes at a time, and a report across that border arrives as the key alt+[
// and runes like "<35;38;38M", which would otherwise press keys.
type torn struct{ open bool }

// drop reports whether the key is part of a torn report.
func (t *torn) drop(k tea.KeyMsg) bool {
	if k.Paste || k.Type != tea.KeyRunes {
		t.open = false
		return false
	}
	if k.Alt && len(k.Runes) == 1 && k.Runes[0] == '[' {
		t.open = true
		return true
	}
	s := string(k.Runes)
	if !t.open && !mouseTail(s) {
		return false
	}
	if strings.Trim(s, "<0123456789;Mm") != "" {
		t.open = false
		return false
	}
	t.open = !strings.ContainsAny(s[len(s)-1:], "Mm")
	return true
}

// mouseTail reports whether s is "<n;n;nM", the tail of a report.
func mouseTail(s string) bool {
	if len(s) < 7 || s[0] != '<' || strings.Count(s, ";") != 2 {
		return false
	}
	end := s[len(s)-1]
	return (end == 'M' || end == 'm') && strings.Trim(s[1:len(s)-1], "0123456789;") == ""
}

// split makes single keys of a message of several runes: what is typed fast, or comes
// over SSH, arrives in one read and as one message.
func split(k tea.KeyMsg) []tea.KeyMsg {
	if k.Type != tea.KeyRunes || k.Paste || len(k.Runes) <= 1 {
		return []tea.KeyMsg{k}
	}
	out := make([]tea.KeyMsg, len(k.Runes))
	for i, r := range k.Runes {
		out[i] = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}
	}
	return out
}

// keyName is the key as the table of actions writes it.
func keyName(k tea.KeyMsg) string {
	if k.Type == tea.KeySpace {
		return " "
	}
	return k.String()
}
