package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// printJSON writes v as indented JSON with a final line break. Strings keep their
// raw value; characters that a terminal could take for commands are written as
// JSON escapes of that value, so that looking at the output is safe too.
func (a *app) printJSON(v any) error {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	_, err := a.out.Write(safeJSON(buf.Bytes()))
	return err
}

// safeJSON escapes unprintable characters, which can only be inside strings, as
// \uXXXX. The encoder leaves those from U+007F on.
func safeJSON(b []byte) []byte {
	safe := true
	for _, c := range b {
		safe = safe && c < 0x7f
	}
	if safe {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}
