package cewgpu

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Marshal returns v as the format's writers do: what JSON.stringify gives for the
// same value and key order, then one line feed. Texts in v must be valid UTF-8; see
// [Lenient]. It fails on what JSON cannot say.
func Marshal(v any) ([]byte, error) { return marshal(v) }

// marshal returns v as the format's writers do: what JSON.stringify gives for
// the same value and key order, then one line feed. Keys come in the order of the
// struct's fields.
//
// encoding/json agrees with JSON.stringify in everything but this: it escapes
// <, > and & (switched off), U+2028 and U+2029 (undone below), writes -0 (see
// number), and refuses what is not finite (see number). Texts have passed
// lenient before they come here, so that none holds invalid UTF-8.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing a document: %w", err)
	}
	return rawSeparators(buf.Bytes()), nil
}

// bodySetHead is BodySet up to its units.
type bodySetHead struct {
	Format              string          `json:"format"`
	FormatVersion       int             `json:"formatVersion"`
	Coverage            BodySetCoverage `json:"coverage"`
	BodyCount           int             `json:"bodyCount"`
	TranslatedBodyCount int             `json:"translatedBodyCount"`
	PassUnitCount       int             `json:"passUnitCount"`
}

// marshalBodySet is marshal for WGSB, the largest document: unit by unit, so that
// its text is in memory once and not in the encoder's buffers as well.
func marshalBodySet(s *BodySet) ([]byte, error) {
	size := 4096
	for i := range s.PassUnits {
		size += 4096
		for j := range s.PassUnits[i].Shaders {
			sh := &s.PassUnits[i].Shaders[j]
			size += len(sh.Code)*9/8 + 64*len(sh.SourceMap)
		}
	}
	out := make([]byte, 0, size)
	write := func(v any, cut int, more string) error {
		b, err := marshal(v)
		if err == nil {
			out = append(append(out, b[:len(b)-1-cut]...), more...)
		}
		return err
	}
	err := write(bodySetHead{s.Format, s.FormatVersion, s.Coverage, s.BodyCount, s.TranslatedBodyCount, s.PassUnitCount}, len("}"), `,"passUnits":[`)
	for i := range s.PassUnits {
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		err = write(&s.PassUnits[i], 0, "")
	}
	if err != nil {
		return nil, err
	}
	out = append(out, `],"bodies":`...)
	err = write(s.Bodies, 0, "}\n")
	return out, err
}

// rawSeparators turns the escapes of U+2028 and U+2029 back into characters.
func rawSeparators(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u202`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		if i+6 <= len(b) && (string(b[i:i+6]) == `\u2028` || string(b[i:i+6]) == `\u2029`) {
			out = utf8.AppendRune(out, 0x2020+rune(b[i+5]-'0'))
			i += 5
			continue
		}
		out = append(out, b[i], b[i+1]) // an escape: its second byte starts none
		i++
	}
	return out
}

// number is a finite value for a document, or nil, which is null there, as
// JSON.stringify writes infinities and NaN. Negative zero loses its sign.
func number(f float64) *float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	if f == 0 {
		f = 0
	}
	return &f
}

// Lenient decodes a text of an effect as the format's writers do: every maximal
// part of an invalid UTF-8 sequence becomes one U+FFFD (the WHATWG decoder).
func Lenient(s string) string { return lenient(s) }

func lenient(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			n = badSequence(s[i:])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// badSequence returns how many bytes the invalid sequence at the start of s takes:
// the longest prefix that could have started a valid one, at least one byte.
func badSequence(s string) int {
	lo, hi, more := byte(0x80), byte(0xBF), 0
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		more = 1
	case c >= 0xE0 && c <= 0xEF:
		more = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		more = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for ; n <= more && n < len(s) && s[n] >= lo && s[n] <= hi; n++ {
		lo, hi = 0x80, 0xBF
	}
	return n
}
