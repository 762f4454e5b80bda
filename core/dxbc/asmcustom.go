package dxbc

import (
	"strings"
)

// customdata reads the exact form: customdata CLASS, word, word...
func (a *assembler) customdata(in *Instr) *AsmError {
	class, err := a.number("a class of custom data")
	if err != nil {
		return err
	}
	if class > 0x1fffff {
		return a.fail("a class of custom data has 21 bits")
	}
	c := &Custom{Class: CustomClass(class)}
	for a.accept(",") {
		v, err := a.number("a word")
		if err != nil {
			return err
		}
		c.Words = append(c.Words, v)
	}
	if err := a.finish(); err != nil {
		return err
	}
	in.Custom = c
	a.add(*in)
	return nil
}

// icb reads an immediate constant buffer, which goes over several lines.
func (a *assembler) icb() *AsmError {
	a.pos += len("dcl_immediateConstantBuffer")
	c := &Custom{Class: CustomICB}
	first := a.line
	if err := a.expect("{"); err != nil {
		return err
	}
	for {
		a.space()
		for a.end() {
			if !a.next() {
				return a.fail("the immediate constant buffer that starts in line %d is not closed", first)
			}
			a.space()
		}
		if a.accept("}") {
			break
		}
		if len(c.Words) > 0 {
			if err := a.expect(","); err != nil {
				return err
			}
			a.space()
			for a.end() {
				if !a.next() {
					return a.fail("the immediate constant buffer that starts in line %d is not closed", first)
				}
				a.space()
			}
		}
		if len(c.Words) >= 4*4096 {
			return a.fail("an immediate constant buffer has at most 4096 rows")
		}
		if err := a.expect("{"); err != nil {
			return err
		}
		for i := range 4 {
			if i > 0 {
				if err := a.expect(","); err != nil {
					return err
				}
			}
			a.space()
			end := strings.IndexAny(a.rest(), ",}")
			if end < 0 {
				return a.fail("a row of an immediate constant buffer is not closed")
			}
			w := strings.TrimSpace(a.rest()[:end])
			v, ok := parseLiteral(w, LitAuto)
			if !ok {
				return a.fail("%.30q is no literal", w)
			}
			c.Words = append(c.Words, v)
			a.pos += end
		}
		if err := a.expect("}"); err != nil {
			return err
		}
	}
	if err := a.finish(); err != nil {
		return err
	}
	a.add(Instr{Op: OpCustomdata, Custom: c})
	return nil
}

// message reads printf and errorf.
func (a *assembler) message() *AsmError {
	id := uint32(MessagePrintf)
	if a.word() == "errorf" {
		id = MessageErrorf
	}
	if err := a.expect("\""); err != nil {
		return err
	}
	// The text may hold quotes: it ends at the last one that operands can follow.
	end := strings.LastIndexByte(a.rest(), '"')
	if end < 0 {
		return a.fail("the text of a message is not closed")
	}
	text := a.rest()[:end]
	a.pos += end + 1
	e := encoder{sm51: a.p.SM51()}
	count := uint32(0)
	for a.accept(",") {
		o, err := a.operand(false, LitInt)
		if err != nil {
			return err
		}
		e.operand(&o)
		count++
	}
	w := append([]uint32{id, 1, uint32(len(text)), count, uint32(len(e.w))}, e.w...)
	in := Instr{Op: OpCustomdata, Custom: &Custom{Class: CustomMessage, Words: append(w, textWords(text, 1)...)}}
	if err := a.finish(); err != nil {
		return err
	}
	a.add(in)
	return nil
}
