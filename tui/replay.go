package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"fxlens/core/session"
	"fxlens/views"
)

// maxEvents is how much of a visit is kept for a crash report.
const maxEvents = 5000

// note keeps what the user did, so that a crash report can be replayed.
func (m *Model) note(msg tea.Msg) {
	if len(m.events) >= maxEvents {
		m.missed++
		return
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.events = append(m.events, fmt.Sprintf("size %d %d", msg.Width, msg.Height))
	case tea.KeyMsg:
		m.events = append(m.events, fmt.Sprintf("key %d %t %t %q", msg.Type, msg.Alt, msg.Paste, string(msg.Runes)))
	case tea.MouseMsg:
		if msg.Action != tea.MouseActionMotion || msg.Button != tea.MouseButtonNone {
			m.events = append(m.events, fmt.Sprintf("mouse %d %d %d %d", msg.X, msg.Y, msg.Action, msg.Button))
		}
	}
}

// event reads what note wrote.
func event(s string) (tea.Msg, error) {
	kind, rest, _ := strings.Cut(s, " ")
	var a, b, c, d int
	switch kind {
	case "size":
		if _, err := fmt.Sscanf(rest, "%d %d", &a, &b); err != nil {
			return nil, err
		}
		return tea.WindowSizeMsg{Width: min(max(a, 0), 1000), Height: min(max(b, 0), 1000)}, nil
	case "mouse":
		if _, err := fmt.Sscanf(rest, "%d %d %d %d", &a, &b, &c, &d); err != nil {
			return nil, err
		}
		return tea.MouseMsg{X: a, Y: b, Action: tea.MouseAction(c), Button: tea.MouseButton(d)}, nil
	case "key":
		var k tea.Key
		var t int
		parts := strings.SplitN(rest, " ", 4)
		if len(parts) != 4 {
			return nil, errors.New("a key has four parts")
		}
		t, err := strconv.Atoi(parts[0])
		if err != nil {
			return nil, err
		}
		text, err := strconv.Unquote(parts[3])
		if err != nil {
			return nil, err
		}
		k.Type, k.Alt, k.Paste = tea.KeyType(t), parts[1] == "true", parts[2] == "true"
		if text != "" {
			k.Runes = []rune(text)
		}
		return tea.KeyMsg(k), nil
	}
	return nil, fmt.Errorf("there is no event %q", kind)
}

// eventLines is what of a visit goes into a crash report.
func (m *Model) eventLines() string {
	var b strings.Builder
	for _, e := range m.events {
		b.WriteString("event " + e + "\n")
	}
	if m.missed > 0 {
		fmt.Fprintf(&b, "and %d more events\n", m.missed)
	}
	return b.String()
}

// headless drives a model without a terminal: every command runs to its end before the
// next message.
type headless struct {
	ctx context.Context
	m   *Model
}

// newHeadless makes a model that touches nothing outside: no clipboard, no settings, no
// state, no watching.
func newHeadless(ctx context.Context, s *session.Session, opt Options) (*headless, error) {
	opt.ConfigDir, opt.StateDir, opt.Open, opt.Output = "", "", nil, nil
	if opt.Clipboard == nil {
		opt.Clipboard = func(string) error { return errors.New("there is no clipboard here") }
	}
	opt.Getenv = func(string) string { return "" }
	m, err := newModel(ctx, s, opt, terminal{profile: termenv.Ascii, theme: "mono"})
	if err != nil {
		return nil, err
	}
	m.tick = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil } // nothing is slow here
	return &headless{ctx, m}, nil
}

func (h *headless) send(msg tea.Msg) {
	_, cmd := h.m.Update(msg)
	h.do(cmd)
}

func (h *headless) do(cmd tea.Cmd) {
	if cmd == nil || h.ctx.Err() != nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			h.do(c)
		}
	default:
		h.send(msg)
	}
}

// ErrReplay marks a report that cannot be replayed.
var ErrReplay = errors.New("the report cannot be replayed")

// Replay repeats the visit that a crash report is of, without a terminal, and returns the
// last frame as text. The session must be of the same file. Files that the visit wrote go
// into a folder that is removed. It panics where the visit did: the caller's guard makes
// that the bug it is.
func Replay(ctx context.Context, s *session.Session, opt Options, report string) (string, error) {
	var events []tea.Msg
	sum := ""
	for sc := bufio.NewScanner(strings.NewReader(report)); sc.Scan(); {
		l := sc.Text()
		if v, ok := strings.CutPrefix(l, "sha256 "); ok {
			sum = v
		}
		if v, ok := strings.CutPrefix(l, "event "); ok {
			msg, err := event(v)
			if err != nil {
				return "", fmt.Errorf("%w: line %q: %v", ErrReplay, views.Clip(l, 60), err)
			}
			events = append(events, msg)
		}
	}
	switch {
	case len(events) == 0:
		return "", fmt.Errorf("%w: it has no events; is it a report of the inspector?", ErrReplay)
	case sum != "" && sum != fmt.Sprintf("%x", s.SHA256):
		return "", fmt.Errorf("%w: it is about a file with SHA-256 %s, and this one has %x; give the same file", ErrReplay, views.Clip(sum, 64), s.SHA256)
	}
	dir, err := os.MkdirTemp("", "fxlens-replay-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	opt.ExportDir, opt.Sidecar = dir, ""
	h, err := newHeadless(ctx, s, opt)
	if err != nil {
		return "", err
	}
	started := false
	for _, e := range events {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		h.send(e)
		if !started { // the first one is the size
			started = true
			h.do(h.m.Init())
		}
	}
	h.m.dirty = true
	var b strings.Builder
	h.m.compose()
	for y := range h.m.cv.h {
		row := ""
		for _, sp := range h.m.cv.rows[y] {
			row += sp.Text
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String(), nil
}

// linkHere is the link to the cursor's place, without the file's folders. A state that a
// bug has broken must not break the report too.
func (m *Model) linkHere() (link string) {
	defer func() {
		if r := recover(); r != nil {
			link = "not known"
		}
	}()
	ref, ok := m.ref()
	if !ok {
		return m.fileName()
	}
	return m.fileName() + m.sess.Link(m.sel.perm, ref, m.stageName(), -1).Inside()
}
