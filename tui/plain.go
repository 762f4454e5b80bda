package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/session"
	"fxlens/views"
)

// plainHelp is what the linear form says about itself.
const plainHelp = `enter: next line      up, down, pgdn, top, bottom: move      tab: next pane
an action's name or key does it: dxbc forms are 1 to 9, "references", "slice", "axes"
/text: search         n: next hit      show N: read N lines from here
actions: all actions, with the reason where one does not work      q: leave`

// Plain is the inspector as lines, for screen readers and terminals without a screen: it
// reads a command a line and says where the cursor is, what is there and what the panel
// knows about it, in words and without escape sequences. The actions are those of the
// screen. It ends with q, at the end of in and with ctx.
func Plain(ctx context.Context, s *session.Session, opt Options, in io.Reader, out io.Writer) error {
	h, err := newHeadless(ctx, s, opt)
	if err != nil {
		return err
	}
	h.send(tea.WindowSizeMsg{Width: minWidth, Height: minHeight})
	h.do(h.m.Init())
	p := &plain{h: h, m: h.m, w: bufio.NewWriter(out)}
	p.say("fxlens, %s. Type help for what can be typed.", p.m.fileName())
	p.where()
	sc := bufio.NewScanner(in)
	for {
		if err := p.w.Flush(); err != nil {
			return err
		}
		if !sc.Scan() || ctx.Err() != nil {
			return sc.Err()
		}
		if !p.line(strings.TrimSpace(sc.Text())) {
			return p.w.Flush()
		}
	}
}

type plain struct {
	h *headless
	m *Model
	w *bufio.Writer
}

func (p *plain) say(format string, args ...any) {
	fmt.Fprintln(p.w, strings.TrimRight(views.Text(fmt.Sprintf(format, args...)), " "))
}

// plainWords are commands beside the actions.
var plainWords = map[string]string{"": "down", "pgdn": "page-down", "pgup": "page-up", "exit": "quit"}

// line does one line of input; false is the end.
func (p *plain) line(s string) bool {
	m := p.m
	if m.over != nil {
		p.overLine(s)
		return true
	}
	if w, ok := plainWords[s]; ok {
		s = w
	}
	switch {
	case s == "help":
		for _, l := range strings.Split(plainHelp, "\n") {
			p.say("%s", l)
		}
		return true
	case s == "actions":
		p.actions()
		return true
	case s == "show" || strings.HasPrefix(s, "show "):
		n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(s, "show")))
		if err != nil || n < 1 {
			n = 20
		}
		p.show(n)
		return true
	case len(s) > 1 && s[0] == '/':
		p.action("search")
		p.overLine(s[1:])
		return true
	}
	if s == "quit" || s == "q" {
		return false
	}
	p.action(s)
	p.where()
	return true
}

// action runs an action by its name or key.
func (p *plain) action(s string) {
	m := p.m
	m.status = ""
	for i := range m.keys.all {
		if a := &m.keys.all[i]; a.ID == s && a.In&m.context() != 0 {
			p.h.do(m.run(a))
			p.h.do(m.wantChanges())
			p.h.do(m.wantCFG())
			return
		}
	}
	if a := m.keys.find(m.context(), s); a != nil {
		p.h.do(m.run(a))
		p.h.do(m.wantChanges())
		p.h.do(m.wantCFG())
		return
	}
	m.fail("there is no action and no key %q here; type actions or help", s)
}

func (p *plain) actions() {
	for i := range p.m.keys.all {
		a := &p.m.keys.all[i]
		if a.In&p.m.context() == 0 {
			continue
		}
		why := ""
		if a.Why != nil {
			if w := a.Why(p.m); w != "" {
				why = " (not now: " + w + ")"
			}
		}
		p.say("%s, key %s: %s%s", a.ID, keysText(a), a.Help, why)
	}
}

// overLine gives a line to what is open: a prompt takes it whole, a list takes a number
// or words to filter by.
func (p *plain) overLine(s string) {
	m := p.m
	o := m.over
	press := func(t tea.KeyType) { p.h.send(tea.KeyMsg{Type: t}) }
	typeIn := func(s string) { p.h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true}) }
	switch {
	case s == "esc" || s == "q":
		press(tea.KeyEsc)
	case o.kind == overList || o.kind == overHelp:
		n, err := strconv.Atoi(s)
		if err == nil && n >= 1 && n <= len(o.shown) && !o.items[o.shown[n-1]].head {
			o.cur = n - 1
			press(tea.KeyEnter)
			break
		}
		typeIn(s)
	case o.kind == overSearch || o.kind == overPrompt:
		o.input.SetValue("")
		if s != "" {
			typeIn(s)
		}
		press(tea.KeyEnter)
	default:
		if s == "" {
			press(tea.KeyEnter)
		} else {
			p.h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)})
		}
	}
	p.where()
}

// markWords says the marks of a line in words.
func markWords(k views.Mark) string {
	var w []string
	for _, x := range []struct {
		k views.Mark
		s string
	}{{views.MarkError, "error"}, {views.MarkWarning, "warning"}, {views.MarkChanged, "marked"}, {views.MarkFolded, "closed region"}} {
		if k&x.k != 0 {
			w = append(w, x.s)
		}
	}
	if len(w) == 0 {
		return ""
	}
	return strings.Join(w, ", ") + ": "
}

// where says what is open, or where the cursor is and what the panel has about it.
func (p *plain) where() {
	m := p.m
	if m.over != nil {
		p.list()
		return
	}
	if m.status != "" {
		if m.isError {
			p.say("Error: %s", m.status)
		} else {
			p.say("%s", m.status)
		}
	}
	if m.screen != nil {
		p.say("%s screen, %s", m.screen.name(), m.screen.place(m))
	} else {
		l, pos := m.listing(m.focus), m.slots[m.focus].at()
		marks := ""
		if ls := l.Lines(views.Window{First: pos.line, Rows: 1, Cols: 76}, nil); len(ls) > 0 {
			marks = markWords(ls[0].Mark)
		}
		p.say("%s, line %d of %d: %s%s", strings.TrimSpace(m.paneTitle(m.focus)), pos.line+1, l.Len(), marks, strings.TrimSpace(l.Text(pos.line)))
	}
	title, lines := m.panelNow(200)
	for i := range lines {
		if i == 0 && title != "" {
			p.say("%s: %s", title, strings.TrimSpace(lines[i].Text()))
			continue
		}
		p.say("%s", strings.TrimSpace(lines[i].Text()))
	}
}

// list says what an open list or prompt has.
func (p *plain) list() {
	o := p.m.over
	switch o.kind {
	case overList, overHelp:
		p.say("%s. Type a number, words to filter, or esc.", o.title)
		const most = 60
		for n, i := range o.shown {
			if n == most {
				p.say("and %d more", len(o.shown)-most)
				break
			}
			it := &o.items[i]
			if it.head {
				p.say("%s", it.text)
				continue
			}
			s := fmt.Sprintf("%d. %s %s", n+1, it.key, it.text)
			if it.note != "" {
				s += ", " + it.note
			}
			if it.why != "" {
				s += " (not now: " + it.why + ")"
			}
			p.say("%s", s)
		}
	case overExport:
		var c canvas
		c.reset(minWidth, minHeight)
		p.m.composeExport(&c)
		for y := range c.h {
			row := ""
			for _, s := range c.rows[y] {
				row += s.Text
			}
			if row = strings.Trim(row, " │┌┐└┘─"); row != "" {
				p.say("%s", row)
			}
		}
	default:
		p.say("%s Type the text, or esc.", o.label)
	}
}

// show reads lines from the cursor on, which stays.
func (p *plain) show(n int) {
	l, pos := p.m.listing(p.m.focus), p.m.slots[p.m.focus].at()
	for i := pos.line; i < min(pos.line+n, l.Len()); i++ {
		p.say("%d: %s", i+1, l.Text(i))
	}
}
