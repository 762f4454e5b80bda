package carbon

import (
	"strings"
	"unicode/utf8"
)

// lenient is how documents show a text that is not UTF-8: every maximal part of an
// invalid sequence becomes one U+FFFD, as the WHATWG decoder does it.
func lenient(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			n = invalidPart(s[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// invalidPart returns how many bytes at the start of s could have begun a valid
// sequence: those that some continuation makes one.
func invalidPart(s string) int {
	n := 1
	for n < min(len(s), utf8.UTFMax-1) && begins(s[:n+1]) {
		n++
	}
	return n
}

// begins reports whether a proper prefix of a sequence is valid so far.
func begins(s string) bool {
	for _, tail := range []string{"\x80", "\xbf", "\x80\x80", "\xbf\xbf", "\x8f\xbf", "\x9f\xbf"} {
		if r, n := utf8.DecodeRuneInString(s + tail); n == len(s)+len(tail) && r != utf8.RuneError {
			return true
		}
		if r, n := utf8.DecodeRuneInString(s + tail[:1]); n == len(s)+1 && r != utf8.RuneError {
			return true
		}
	}
	return false
}
