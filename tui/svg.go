package tui

import (
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/themes"
	"fxlens/views"
)

// The cells of a picture, in SVG units. Every run of text is stretched to its cells, so
// that any monospaced font gives the same picture.
const (
	cellW, cellH = 8, 17
	baseline     = 13
	fontSize     = 13
)

// svg returns a frame as a picture, in the theme's own colours. It has no font inside.
func svg(c *canvas, t *themes.Theme) string {
	var b strings.Builder
	w, h := c.w*cellW, c.h*cellH
	fg, bg := themes.RGB{R: 255, G: 255, B: 255}, t.Background
	if t.Light {
		fg = themes.RGB{}
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="%d">`+"\n", w, h, w, h, fontSize)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="%s"/>`+"\n", w, h, bg)
	for y := range c.h {
		x := 0
		for _, s := range merge(c.rows[y]) {
			n := views.Width(s.Text)
			st := t.Style(s.Role, s.Emph)
			f, g, ground := fg, bg, st.BG != nil
			if st.FG != nil {
				f = *st.FG
			}
			if st.BG != nil {
				g = *st.BG
			}
			if st.Attr&themes.Reverse != 0 {
				f, g, ground = g, f, true
			}
			if ground {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", x*cellW, y*cellH, n*cellW, cellH, g)
			}
			text := strings.TrimRight(s.Text, " ")
			lead := len(text) - len(strings.TrimLeft(text, " "))
			if text = text[lead:]; text != "" {
				attr := ""
				for _, a := range []struct {
					a themes.Attr
					s string
				}{{themes.Bold, ` font-weight="bold"`}, {themes.Italic, ` font-style="italic"`}, {themes.Underline, ` text-decoration="underline"`},
					{themes.Faint, ` opacity="0.7"`}, {themes.Strike, ` text-decoration="line-through"`}} {
					if st.Attr&a.a != 0 {
						attr += a.s
					}
				}
				fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s" textLength="%d" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
					(x+lead)*cellW, y*cellH+baseline, f, views.Width(text)*cellW, attr, html.EscapeString(text))
			}
			x += n
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// merge joins neighbours of one look.
func merge(spans []views.Span) []views.Span {
	var out []views.Span
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].Role == s.Role && out[n-1].Emph == s.Emph {
			out[n-1].Text += s.Text
			continue
		}
		out = append(out, s)
	}
	return out
}

type shotMsg struct {
	path string
	err  error
}

// shoot writes the screen as a picture, under the first free name.
func (m *Model) shoot() tea.Cmd {
	m.compose()
	picture := svg(&m.cv, m.theme)
	m.dirty = true
	base := strings.TrimSuffix(m.exportName(), ".cewgpu")
	return func() tea.Msg {
		for n := 1; ; n++ {
			path := fmt.Sprintf("%s.%d.svg", base, n)
			err := files.Write(path, []byte(picture), false)
			if errors.Is(err, files.ErrExists) && n < 1000 {
				continue
			}
			return shotMsg{path, err}
		}
	}
}

func (m *Model) shot(msg shotMsg) {
	if msg.err != nil {
		m.fail("no picture was written: %v", msg.err)
		return
	}
	m.say("picture: %s", filepath.Base(msg.path))
}
