package themes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Attr is a set of text attributes.
type Attr uint8

// The attributes.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Underline
	Reverse
	Strike
)

var attrNames = map[string]Attr{
	"bold": Bold, "faint": Faint, "italic": Italic, "underline": Underline,
	"reverse": Reverse, "strike": Strike,
}

// RGB is a colour of 8 bits a channel.
type RGB struct{ R, G, B uint8 }

// String returns "#rrggbb".
func (c RGB) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Style is what a role or emphasis looks like. A nil colour leaves what lies below: the
// role's for an emphasis, the terminal's for a role.
type Style struct {
	FG, BG *RGB
	Attr   Attr
}

// UnmarshalText reads a style as theme files write it: words in any order, where
// "#rrggbb" is the text's colour, "bg:#rrggbb" the background, and the others are
// attributes: bold faint italic underline reverse strike.
func (s *Style) UnmarshalText(b []byte) error {
	*s = Style{}
	for _, w := range strings.Fields(string(b)) {
		if a, ok := attrNames[w]; ok {
			s.Attr |= a
			continue
		}
		hex, back := strings.CutPrefix(w, "bg:")
		c, err := parseRGB(hex)
		if err != nil {
			return fmt.Errorf("style %q: %q is neither a colour (#rrggbb, bg:#rrggbb) nor an attribute (bold, faint, italic, underline, reverse, strike)", b, w)
		}
		if back {
			s.BG = &c
		} else {
			s.FG = &c
		}
	}
	return nil
}

func parseRGB(s string) (RGB, error) {
	if len(s) != 7 || s[0] != '#' {
		return RGB{}, fmt.Errorf("colour %q is not #rrggbb", s)
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return RGB{}, fmt.Errorf("colour %q is not #rrggbb", s)
	}
	return RGB{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

// MinContrast is the contrast that text has at least: level AA for normal text, Web
// Content Accessibility Guidelines 2.1, success criterion 1.4.3.
const MinContrast = 4.5

// Contrast returns the contrast ratio of two colours, 1 to 21, as defined there.
func Contrast(a, b RGB) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c RGB) float64 {
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}

// readable moves fg toward white or black, whichever bg is farther from, until its
// contrast with bg is MinContrast. The hue stays as long as it can.
func readable(fg, bg RGB) RGB {
	if Contrast(fg, bg) >= MinContrast {
		return fg
	}
	end := RGB{255, 255, 255}
	if Contrast(RGB{}, bg) > Contrast(end, bg) {
		end = RGB{}
	}
	const steps = 32
	for i := 1; i < steps; i++ {
		if c := mix(fg, end, float64(i)/steps); Contrast(c, bg) >= MinContrast {
			return c
		}
	}
	return end
}

func mix(a, b RGB, t float64) RGB {
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*t)) }
	return RGB{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B)}
}
