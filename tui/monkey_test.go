package tui

import (
	"math/rand/v2"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/session"
)

// monkeyKeys are the keys that a monkey presses by name, beside every printable one.
// Those that end or suspend the program are not among them.
var monkeyKeys = []tea.KeyType{
	tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight,
	tea.KeyPgUp, tea.KeyPgDown, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyDelete, tea.KeySpace,
	tea.KeyCtrlO, tea.KeyCtrlR, tea.KeyCtrlS, tea.KeyCtrlU, tea.KeyCtrlD, tea.KeyCtrlY, tea.KeyCtrlP,
	tea.KeyF1, tea.KeyF2, tea.KeyF3, tea.KeyF4, tea.KeyF5, tea.KeyF6, tea.KeyF7, tea.KeyF8, tea.KeyF9, tea.KeyF12,
	tea.KeyShiftUp, tea.KeyShiftDown, tea.KeyCtrlLeft, tea.KeyCtrlRight,
}

// monkey turns bytes into keys, clicks, wheels, sizes and pastes, and looks at each frame.
func monkey(t *testing.T, s *session.Session, script []byte) {
	r := newRig(t, s, 80, 24)
	next := func() int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b)
	}
	for len(script) > 0 {
		switch b := next(); {
		case b < 0x20:
			r.send(tea.KeyMsg{Type: monkeyKeys[b]})
		case b < 0x7f:
			if b == 'q' && next() < 250 { // leave it in, seldom: it ends the program, or a prompt takes it
				continue
			}
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(b)}})
		case b < 0x90:
			r.send(tea.KeyMsg{Type: monkeyKeys[next()%len(monkeyKeys)], Alt: b&1 == 1})
		case b < 0xb0:
			m := tea.MouseMsg{X: next(), Y: next() % 64, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}
			r.send(m)
			m.Action = tea.MouseActionMotion
			m.X += b - 0xa0
			r.send(m)
			m.Action = tea.MouseActionRelease
			r.send(m)
		case b < 0xc0:
			r.send(tea.MouseMsg{X: next(), Y: next() % 64, Action: tea.MouseActionPress,
				Button: []tea.MouseButton{tea.MouseButtonWheelUp, tea.MouseButtonWheelDown, tea.MouseButtonRight, tea.MouseButtonMiddle}[b%4]})
		case b < 0xd0:
			r.send(tea.WindowSizeMsg{Width: next(), Height: next() % 80})
		case b < 0xe0:
			r.send(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(hostile[next()%len(hostile)])})
		default:
			for range b - 0xe0 {
				r.send(tea.KeyMsg{Type: tea.KeyDown})
			}
		}
		frame := r.m.View()
		harmless(t, frame)
		if r.m.w > 0 && r.m.h > 0 {
			r.exact()
		}
	}
}

// monkeySessions are what the monkey plays with: an effect that translates, one that is
// refused, and one whose every name is hostile.
func monkeySession(t *testing.T, k int) *session.Session {
	switch k % 3 {
	case 0:
		return openSession(t, "../testdata/effects/ui/sprite2d.sm_hi")
	case 1:
		return openSession(t, "../testdata/effects/particles/clear.sm_hi")
	}
	return hostileSession(t, k)
}

// TestMonkey: no order of keys, clicks, pastes and sizes makes the program panic, draw
// outside of the screen, or let text of a file reach the terminal.
func TestMonkey(t *testing.T) {
	n := 6
	if testing.Short() {
		n = 3
	}
	for seed := range n {
		rnd := rand.New(rand.NewPCG(uint64(seed), 77))
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte(rnd.UintN(256))
		}
		monkey(t, monkeySession(t, seed), script)
	}
}

func FuzzKeys(f *testing.F) {
	for _, s := range []string{"", "?xyz\x01", ":exp\x00\x00", "/float\x00nN", "M\x00\x05\x05=\x00e", "K\x05\x00", "R\x00jjjb", "V\x01", "o\x00", "\x90\x10\x10", "\xc5\x03\x02jk", "\xd0\x00\x01"} {
		f.Add([]byte(s), byte(0))
	}
	f.Fuzz(func(t *testing.T, script []byte, k byte) {
		if len(script) > 300 {
			return
		}
		monkey(t, monkeySession(t, int(k)), script)
	})
}
