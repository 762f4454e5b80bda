package dxbc

import (
	"bytes"
)

const undecipherable = "undecipherable custom data"

func (w *printer) custom(in *Instr) {
	c := in.Custom
	if w.exact && c.Class != CustomICB && c.Class != CustomMessage {
		w.put(TokMnemonic, "customdata")
		w.put(TokPunct, " ")
		w.num(TokNumber, uint32(c.Class))
		for _, v := range c.Words {
			w.put(TokPunct, ", ")
			w.as(TokLiteral)
			w.b = appendHex(append(w.b, "0x"...), v)
		}
		return
	}
	switch c.Class {
	case CustomComment:
		w.put(TokComment, "// COMMENT: ")
		w.b = append(w.b, c.Text()...)
		return
	case CustomICB:
		w.icb(c.Words)
		return
	case CustomMessage:
		if m, ok := c.Message(); ok {
			w.message(m)
			return
		}
	}
	w.put(TokComment, undecipherable)
}

// icbIndent aligns the rows of an immediate constant buffer below the first one.
const icbIndent = "                              "

func (w *printer) icb(words []uint32) {
	w.put(TokMnemonic, "dcl_immediateConstantBuffer")
	w.put(TokPunct, " { ")
	for r := 0; 4*r+4 <= len(words); r++ {
		if r > 0 {
			w.put(TokPunct, ",\n"+icbIndent)
		}
		w.put(TokPunct, "{ ")
		for i, v := range words[4*r : 4*r+4] {
			if i > 0 {
				w.put(TokPunct, ", ")
			}
			w.literal(v, LitAuto)
		}
		w.put(TokPunct, "}")
	}
	w.put(TokPunct, " }")
}

func (w *printer) message(m Message) {
	name := "printf"
	if m.ID == MessageErrorf {
		name = "errorf"
	}
	w.put(TokMnemonic, name)
	w.put(TokPunct, " ")
	w.put(TokString, "\"")
	w.b = append(w.b, m.Text...)
	w.b = append(w.b, '"')
	for i := range m.Operands {
		w.put(TokPunct, ", ")
		w.operand(&m.Operands[i], LitInt, false, MinDefault)
	}
}

// Text returns the text of a comment block: its bytes up to the first NUL, the
// last byte counting as one.
func (c *Custom) Text() string {
	b := wordBytes(c.Words)
	if len(b) == 0 {
		return ""
	}
	b = b[:len(b)-1]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

func wordBytes(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, v := range words {
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

// The messages that a program can send to the debug layer.
const (
	MessagePrintf = 0x200102
	MessageErrorf = 0x200103
)

// Message is a printf or errorf call, which travels as custom data.
type Message struct {
	ID       uint32
	Style    uint32 // 1: printf format
	Text     string
	Operands []Operand // their Offset counts from the start of the payload
}
