package tui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"fxlens/themes"
	"fxlens/views"
)

// painter turns a canvas into the bytes of a frame. The SGR sequence of every role under
// every emphasis is made once per theme and profile; neighbours that look the same share
// one.
type painter struct {
	sgr   [views.NumRoles][views.NumEmphs]string
	ascii bool // the terminal has no UTF-8
	buf   []byte
}

// newPainter prepares a theme for a terminal.
func newPainter(t *themes.Theme, profile termenv.Profile, ascii, dumb bool) *painter {
	p := &painter{ascii: ascii}
	c := colours{profile: profile, found: map[themes.RGB]termenv.Color{}}
	for r := range p.sgr {
		for e := range p.sgr[r] {
			p.sgr[r][e] = sgr(t.Style(views.Role(r), views.Emph(e)), views.Emph(e), c, t.Light, dumb)
		}
	}
	return p
}

// colours are a theme's colours as a terminal has them. To look for the nearest of 256
// takes long, and the roles share a few colours.
type colours struct {
	profile termenv.Profile
	found   map[themes.RGB]termenv.Color
}

func (c colours) sequence(rgb themes.RGB, ground bool) string {
	if c.found[rgb] == nil {
		c.found[rgb] = c.profile.Color(rgb.String())
	}
	return c.found[rgb].Sequence(ground)
}

const sgrReset = "\x1b[0m"

// fallback has the attributes that stand for the background of an emphasis where
// backgrounds cannot be relied on: with 16 colours, whose shades the user chose, and
// with none. They are those of the mono theme.
var fallback = [views.NumEmphs]themes.Attr{
	views.EmphCursor: themes.Bold,
	views.EmphRow:    themes.Reverse,
	views.EmphTied:   themes.Underline,
	views.EmphOccur:  themes.Underline,
	views.EmphHit:    themes.Reverse,
	views.EmphToken:  themes.Reverse | themes.Bold,
	views.EmphHitOn:  themes.Reverse | themes.Bold | themes.Underline,
}

// sgr returns the sequence that switches from any look to s, or "" on a dumb terminal.
func sgr(s themes.Style, e views.Emph, c colours, light, dumb bool) string {
	if dumb {
		return ""
	}
	profile := c.profile
	attr := s.Attr
	codes := []string{"0"}
	if profile >= termenv.ANSI { // ANSI and Ascii: the larger, the poorer
		attr |= fallback[e]
		if s.BG != nil && e == views.EmphNone { // a role with a ground of its own
			attr |= themes.Reverse
		}
	}
	for _, a := range []struct {
		a    themes.Attr
		code string
	}{{themes.Bold, "1"}, {themes.Faint, "2"}, {themes.Italic, "3"}, {themes.Underline, "4"}, {themes.Reverse, "7"}, {themes.Strike, "9"}} {
		if attr&a.a != 0 {
			codes = append(codes, a.code)
		}
	}
	switch {
	case s.FG == nil:
	case profile <= termenv.ANSI256:
		codes = append(codes, c.sequence(*s.FG, false))
	case profile == termenv.ANSI && attr&themes.Reverse == 0:
		if code := ansi16(*s.FG, light); code != "" {
			codes = append(codes, code)
		}
	}
	if profile <= termenv.ANSI256 && s.BG != nil {
		codes = append(codes, c.sequence(*s.BG, true))
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// ansi16 returns the code of the colour among the 16 that has the hue of c, or "" for
// what is grey: the terminal's own text colour is the only grey that is sure to be
// readable. The nearest of the 16 by distance would be blue for most greys.
func ansi16(c themes.RGB, light bool) string {
	hi, lo := max(c.R, c.G, c.B), min(c.R, c.G, c.B)
	if int(hi)-int(lo) <= int(hi)/4 {
		return ""
	}
	d := float64(hi) - float64(lo)
	var h float64 // in sixths of the circle, red 0
	switch hi {
	case c.R:
		h = (float64(c.G) - float64(c.B)) / d
	case c.G:
		h = (float64(c.B)-float64(c.R))/d + 2
	default:
		h = (float64(c.R)-float64(c.G))/d + 4
	}
	sixth := (int(h+0.5+6) % 6)
	codes := [6]string{"91", "93", "92", "96", "94", "95"} // red, yellow, green, cyan, blue, magenta
	if light {
		codes = [6]string{"31", "", "32", "36", "34", "35"} // yellow cannot be read on white
	}
	return codes[sixth]
}

// paint returns the frame: c.h rows of exactly c.w cells, joined by newlines.
func (p *painter) paint(c *canvas) string {
	b := p.buf[:0]
	for y := range c.h {
		if y > 0 {
			b = append(b, '\n')
		}
		cur := ""
		for _, s := range c.rows[y] {
			seq := p.sgr[s.Role][s.Emph]
			if seq != cur {
				// Blanks look the same under looks that differ in the text's colour
				// only, but finding that out costs more than the few bytes.
				b = append(b, seq...)
				cur = seq
			}
			if p.ascii {
				b = appendASCII(b, s.Text)
			} else {
				b = append(b, s.Text...)
			}
		}
		if n := c.w - c.width[y]; n > 0 {
			if cur != "" && cur != sgrReset {
				b = append(b, sgrReset...)
				cur = sgrReset
			}
			b = append(b, views.Spaces(n)...)
		}
		if cur != "" && cur != sgrReset {
			b = append(b, sgrReset...)
		}
	}
	p.buf = b
	return string(b)
}

// asciiGlyphs replaces the program's own glyphs, cell for cell, on terminals without UTF-8.
var asciiGlyphs = map[rune]byte{
	'│': '|', '─': '-', '┌': '+', '┐': '+', '└': '+', '┘': '+', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+',
	'✓': '+', '✗': 'x', '∅': '-', '…': '~', '•': '*', '▸': '>', '▾': 'v', '▲': '^', '↪': '\\', '●': '*', '○': 'o',
	'‹': '<', '›': '>', '→': '>', '←': '<', '↑': '^', '↓': 'v', '·': '.', '█': '#', '▐': '#', '▌': '|', '⋯': '~', '◆': '*', '★': '*', '╭': '+', '╰': '+', '×': 'x', '⏎': '<',
}

func appendASCII(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			b = append(b, s[i])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if g, ok := asciiGlyphs[r]; ok {
			b = append(b, g)
		} else {
			for range ansi.StringWidth(s[i : i+n]) {
				b = append(b, '?')
			}
		}
		i += n
	}
	return b
}

// colourNumber is used where a profile is named in configuration.
var profiles = map[string]termenv.Profile{
	"truecolor": termenv.TrueColor, "256": termenv.ANSI256, "16": termenv.ANSI, "none": termenv.Ascii,
}
