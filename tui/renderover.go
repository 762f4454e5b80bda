package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/textinput"

	"fxlens/views"
)

// composePrompt draws a one-line input with its cursor.
func (m *Model) composePrompt(c *canvas, x, y, w int, label string, in *textinput.Model) {
	value := []rune(in.Value())
	pos := min(in.Position(), len(value))
	before, after := views.Text(string(value[:pos])), value[pos:]
	at, rest := " ", ""
	if len(after) > 0 {
		at, rest = views.Text(string(after[:1])), views.Text(string(after[1:]))
	}
	// The cursor stays on the screen: the beginning scrolls away.
	room := w - views.Width(label) - views.Width(at) - 1
	if over := views.Width(before) - room; over > 0 {
		_, before = views.Cut(before, over)
	}
	c.put(x, y, w, []views.Span{sp(views.RoleKey, label), sp(views.RolePrompt, before),
		{Role: views.RolePrompt, Emph: views.EmphToken, Text: at}, sp(views.RolePrompt, rest)}, 0, blank)
}

// composeOverlay draws the open overlay over the panes.
func (m *Model) composeOverlay(c *canvas) {
	switch m.over.kind {
	case overList, overHelp:
		m.composeList(c)
	case overExport:
		m.composeExport(c)
	}
}

// box clears a rectangle and draws its frame.
func box(c *canvas, r rect, title, hint string) {
	line := func(left, right, text string) []views.Span {
		text = views.Clip(text, r.w-4)
		n := r.w - 2 - views.Width(text)
		if text != "" {
			text = " " + text + " "
			n -= 2
		}
		return []views.Span{sp(views.RoleBorder, left+"─"), sp(views.RoleTitle, text), sp(views.RoleBorder, rule(n-1)+right)}
	}
	c.put(r.x, r.y, r.w, line("┌", "┐", title), 0, blank)
	for y := r.y + 1; y < r.y+r.h-1; y++ {
		c.put(r.x, y, r.w, []views.Span{sp(views.RoleBorder, "│"), sp(views.RoleText, views.Spaces(r.w-2)), sp(views.RoleBorder, "│")}, 0, blank)
	}
	c.put(r.x, r.y+r.h-1, r.w, line("└", "┘", hint), 0, blank)
}

const rules = "────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────"

// rule returns n cells of a horizontal line.
func rule(n int) string {
	if n <= 0 {
		return ""
	}
	return rules[:3*min(n, len(rules)/3)]
}

// composeList draws a prompt and the list below it.
func (m *Model) composeList(c *canvas) {
	o := m.over
	r := m.overRect()
	hint := "type to filter   ↑ ↓ move   enter choose   esc close"
	if o.kind == overHelp {
		hint = "type a word or a key   ↑ ↓ move   enter do it   esc close"
	}
	n := 0
	for _, i := range o.shown {
		if !o.items[i].head {
			n++
		}
	}
	box(c, r, fmt.Sprintf("%s  %d", o.title, n), hint)
	m.composePrompt(c, r.x+2, r.y+1, r.w-4, "› ", &o.input)
	c.put(r.x+1, r.y+2, r.w-2, []views.Span{sp(views.RoleBorder, rule(r.w-2))}, 0, blank)
	rows := m.overRows()
	if o.cur < o.top {
		o.top = o.cur
	}
	if o.cur >= o.top+rows {
		o.top = o.cur - rows + 1
	}
	if o.top == 1 && o.items[o.shown[0]].head && o.cur < rows {
		o.top = 0 // the first heading comes along
	}
	keyW := 0
	for _, i := range o.shown {
		keyW = max(keyW, min(views.Width(o.items[i].key), 24))
	}
	for k := range rows {
		y := r.y + 3 + k
		if o.top+k >= len(o.shown) {
			if k == 0 {
				c.put(r.x+2, y, r.w-4, []views.Span{sp(views.RoleDim, "nothing fits; shorten what you typed")}, 0, blank)
			}
			continue
		}
		it := &o.items[o.shown[o.top+k]]
		if it.head {
			c.put(r.x+2, y, r.w-4, []views.Span{sp(views.RoleTitle, it.text)}, 0, blank)
			continue
		}
		e, mark := views.EmphNone, "  "
		if o.top+k == o.cur {
			e, mark = views.EmphRow, "> "
		}
		text := views.RoleText
		note := it.note
		if it.why != "" {
			text, note = views.RoleDim, it.why
		}
		room := r.w - 4 - keyW - 5
		label := views.Clip(it.text, room)
		if left := room - views.Width(label) - 2; left < views.Width(note) {
			if it.why == "" || left < 12 {
				note = views.Clip(note, max(left, 0))
			} else {
				note = views.Clip(note, left)
			}
		}
		spans := []views.Span{{Role: views.RoleKey, Emph: e, Text: mark + views.Pad(views.Clip(it.key, 24), keyW) + "  "},
			{Role: text, Emph: e, Text: views.Pad(label, room-views.Width(note))}, {Role: views.RoleDim, Emph: e, Text: note}}
		c.put(r.x+2, y, r.w-4, spans, 0, views.Span{Role: views.RoleText, Emph: e})
	}
	if o.foot != nil {
		y := r.y + 3 + rows
		c.put(r.x+1, y, r.w-2, []views.Span{sp(views.RoleBorder, rule(r.w-2))}, 0, blank)
		for i, l := range o.foot(m, r.w-4) {
			if i < footRows {
				c.put(r.x+2, y+1+i, r.w-4, l.Spans, 0, blank)
			}
		}
	}
}
