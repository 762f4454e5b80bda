package cewgpu

import (
	"cmp"
	"strings"
	"sync"
	"unicode/utf8"
)

// rootASCII is the order of printable ASCII characters in the root collation,
// letters without case.
const rootASCII = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"

// rootMarks are the accents of Latin-1 and Latin Extended-A in the order of the
// root collation, each with the letters that have it: base and composed letter in
// turn.
var rootMarks = [...]struct {
	mark  rune
	pairs string
}{
	{0x0301, "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź"},
	{0x0300, "AÀEÈIÌOÒUÙaàeèiìoòuù"},
	{0x0306, "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"},
	{0x0302, "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"},
	{0x030c, "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž"},
	{0x030a, "AÅaåUŮuů"},
	{0x0308, "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"},
	{0x030b, "OŐoőUŰuű"},
	{0x0303, "AÃNÑOÕaãnñoõIĨiĩUŨuũ"},
	{0x0307, "CĊcċEĖeėGĠgġIİZŻzż"},
	{0x0327, "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ"},
	{0x0328, "AĄaąEĘeęIĮiįUŲuų"},
	{0x0304, "AĀaāEĒeēIĪiīOŌoōUŪuū"},
}

// accented is a composed letter: its base letter, and its accent's place in rootMarks.
type accented struct {
	base byte
	mark int
}

var rootLetters = sync.OnceValue(func() map[rune]accented {
	out := map[rune]accented{}
	for i, m := range rootMarks {
		out[m.mark] = accented{mark: i} // an accent of its own
		for s := m.pairs; s != ""; {
			r, n := utf8.DecodeRuneInString(s[1:])
			out[r] = accented{s[0], i}
			s = s[1+n:]
		}
	}
	return out
})

// compareNames compares two names. Root order is that of the root collation of
// the Unicode collation algorithm for printable ASCII and for letters with the
// accents of rootMarks: characters first, then accents, then case, then code
// points. Other names come after these, by code point.
func compareNames(a, b string, o Order) int {
	if o != Root {
		return cmp.Compare(a, b)
	}
	ka, okA := rootKey(a)
	kb, okB := rootKey(b)
	switch {
	case okA && okB:
		return cmp.Or(cmp.Compare(ka[0], kb[0]), cmp.Compare(ka[1], kb[1]), cmp.Compare(ka[2], kb[2]), cmp.Compare(a, b))
	case okA:
		return -1
	case okB:
		return 1
	}
	return cmp.Compare(a, b)
}

// rootKey is the weights of a name, level by level: characters, accents, case.
func rootKey(s string) (key [3]string, ok bool) {
	var chars, accents, cases []byte
	for _, r := range s {
		l, composed := rootLetters()[r]
		c := l.base
		if !composed {
			if r >= utf8.RuneSelf {
				return key, false
			}
			c = byte(r)
		}
		if c != 0 {
			fold := byte(1)
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
				fold = 2
			}
			at := strings.IndexByte(rootASCII, c)
			if at < 0 {
				return key, false
			}
			chars, accents, cases = append(chars, byte(at)), append(accents, 0), append(cases, fold)
		}
		if composed {
			accents, cases = append(accents, byte(1+l.mark)), append(cases, 1)
		}
	}
	return [3]string{string(chars), string(accents), string(cases)}, true
}
