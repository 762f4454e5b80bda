package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/muesli/termenv"
)

// ErrTerminal means that the terminal cannot show the inspector; `fxlens inspect` prints
// the same facts as lines.
var ErrTerminal = errors.New("this terminal cannot show the inspector")

// terminal is what the environment says about the terminal. Nothing is asked of the
// terminal itself: see package quiet.
type terminal struct {
	profile termenv.Profile
	ascii   bool
	theme   string // what fits the background, where the user chose none
}

// detect reads the environment. colour is the user's word ("auto", "truecolor", "256",
// "16", "none"); with "auto" NO_COLOR (https://no-color.org), TERM and COLORTERM decide.
func detect(getenv func(string) string, colour string) (terminal, error) {
	t := terminal{theme: "dark"}
	term := getenv("TERM")
	if term == "dumb" {
		return t, fmt.Errorf("TERM=dumb: %w; use `fxlens inspect`, or set TERM to what your terminal is", ErrTerminal)
	}
	switch p, ok := profiles[colour]; {
	case ok:
		t.profile = p
	case colour != "" && colour != "auto":
		return t, fmt.Errorf("colour %q: use auto, truecolor, 256, 16 or none", colour)
	case getenv("NO_COLOR") != "":
		t.profile = termenv.Ascii
	case getenv("COLORTERM") == "truecolor" || getenv("COLORTERM") == "24bit" || strings.HasSuffix(term, "-direct"):
		t.profile = termenv.TrueColor
	case strings.Contains(term, "256color"):
		t.profile = termenv.ANSI256
	case term == "" || term == "vt100" || term == "vt220" || strings.HasSuffix(term, "-mono") || strings.HasSuffix(term, "-m"):
		t.profile = termenv.Ascii
	default:
		t.profile = termenv.ANSI
	}
	if t.profile == termenv.Ascii {
		t.theme = "mono"
	} else if lightBackground(getenv("COLORFGBG")) {
		t.theme = "light"
	}
	for _, k := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(k); v != "" {
			u := strings.ToUpper(v)
			t.ascii = !strings.Contains(u, "UTF-8") && !strings.Contains(u, "UTF8")
			break
		}
	}
	return t, nil
}

// lightBackground reads COLORFGBG, "15;0" or "0;default;15": the last number is the
// background's among the 16 colours, of which 7 and 9 to 15 are light.
func lightBackground(v string) bool {
	_, bg, ok := strings.Cut(v, ";")
	if !ok {
		return false
	}
	if i := strings.LastIndexByte(bg, ';'); i >= 0 {
		bg = bg[i+1:]
	}
	n, err := strconv.Atoi(bg)
	return err == nil && (n == 7 || n >= 9 && n <= 15)
}
