package views

import (
	"fmt"
	"strconv"
	"strings"
)

// Tokens is a DXBC listing with the byte offset of every instruction in the program
// beside its number and, when asked for, the words that it is encoded in below it. Byte
// 0 is the version token, as in D3DDisassemble's numbering of offsets.
type Tokens struct {
	d      *DXBC
	words  bool
	rows   []tokensRow // nil without words: the rows are those of d
	rowOf  []int32     // row of every line of d
	digits int         // hex digits of the greatest offset
}

// tokensRow is a line of the listing, or wordsPerRow words behind it.
type tokensRow struct {
	line int32 // of d
	word int32 // dword offset of the first word, or -1 for the line itself
}

// wordsPerRow fits the narrowest pane with its gutter.
const wordsPerRow = 6

// NewTokens puts offsets beside a listing and, with words, raw words into it.
func NewTokens(d *DXBC, words bool) *Tokens {
	v := &Tokens{d: d, words: words}
	v.digits = max(len(strconv.FormatInt(int64(4*max(len(d.p.Words)-1, 0)), 16)), 4)
	if !words {
		return v
	}
	v.rowOf = make([]int32, d.Len())
	v.rows = make([]tokensRow, 0, d.Len()+len(d.p.Words)/wordsPerRow+len(d.p.Instrs))
	for n := range d.rows {
		v.rowOf[n] = int32(len(v.rows))
		v.rows = append(v.rows, tokensRow{int32(n), -1})
		if n+1 < len(d.rows) && d.rows[n+1].instr == d.rows[n].instr {
			continue // the words of a block follow its last line
		}
		from, to := v.span(d.rows[n].instr)
		for w := from; w < to; w += wordsPerRow {
			v.rows = append(v.rows, tokensRow{int32(n), int32(w)})
		}
	}
	return v
}

// span returns the words of an instruction; those of the profile are version and length.
func (v *Tokens) span(instr int32) (from, to int) {
	from, to = 0, 2
	if instr >= 0 {
		in := &v.d.p.Instrs[instr]
		from, to = int(in.Offset), int(in.Offset)+int(in.Length)
	}
	n := len(v.d.p.Words)
	return min(from, n), min(to, n)
}

// Len is the number of lines.
func (v *Tokens) Len() int {
	if !v.words {
		return v.d.Len()
	}
	return len(v.rows)
}

func (v *Tokens) at(line int) (tokensRow, bool) {
	switch {
	case line < 0 || line >= v.Len():
		return tokensRow{}, false
	case !v.words:
		return tokensRow{int32(line), -1}, true
	}
	return v.rows[line], true
}

// Lines returns the lines inside w.
func (v *Tokens) Lines(w Window, sel *Selection) []Line {
	first, last := w.clip(v.Len())
	out := make([]Line, 0, last-first)
	for n := first; n < last; n++ {
		out = append(out, v.one(n, sel))
	}
	return out
}

func (v *Tokens) one(n int, sel *Selection) Line {
	r, _ := v.at(n)
	row := v.d.rows[r.line]
	if r.word >= 0 {
		l := Line{Ref: v.d.Ref(int(r.line)), Gutter: Spaces(v.d.digits) + " " + v.offset(int(r.word)),
			Spans: []Span{span(RoleBorder, rawIndent), span(RoleDim, v.raw(r))}}
		sel.line(&l, n, row.instr >= 0 && sel.Has(row.instr))
		return l
	}
	part := sel
	if sel != nil {
		line := -1
		if n == sel.Line {
			line = int(r.line)
		}
		part = sel.At(line, sel.Tok, sel.Focused)
	}
	l := v.d.one(int(r.line), part)
	if row.sub > 0 { // further lines of a block have no place of their own
		l.Gutter += Spaces(v.digits + 1)
		return l
	}
	from, _ := v.span(row.instr)
	l.Gutter += " " + v.offset(from)
	return l
}

const rawIndent = "    │ "

func (v *Tokens) offset(word int) string { return fmt.Sprintf("%0*x", v.digits, 4*word) }

// raw is the text of a row of words.
func (v *Tokens) raw(r tokensRow) string {
	_, to := v.span(v.d.rows[r.line].instr)
	var b strings.Builder
	for w := int(r.word); w < min(int(r.word)+wordsPerRow, to); w++ {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%08x", v.d.p.Words[w])
	}
	return b.String()
}

// Ref stands for the line's instruction; its words stand for it too.
func (v *Tokens) Ref(line int) Ref {
	if r, ok := v.at(line); ok {
		return v.d.Ref(int(r.line))
	}
	return NoRef
}

// Tokens is the number of tokens of the line; words have none.
func (v *Tokens) Tokens(line int) int {
	if r, ok := v.at(line); ok && r.word < 0 {
		return v.d.Tokens(int(r.line))
	}
	return 0
}

// Focus is that of the instruction.
func (v *Tokens) Focus(line, tok int) Focus {
	r, ok := v.at(line)
	switch {
	case !ok:
		return NoFocus
	case r.word >= 0:
		tok = 0
	}
	return v.d.Focus(int(r.line), tok)
}

// Seek returns the nearest line of the selection's instructions.
func (v *Tokens) Seek(sel *Selection, near int) int {
	if r, ok := v.at(near); ok {
		near = int(r.line)
	}
	return v.Row(v.d.Seek(sel, near))
}

// Text returns a line with its indentation, or words as they are shown.
func (v *Tokens) Text(line int) string {
	r, ok := v.at(line)
	switch {
	case !ok:
		return ""
	case r.word >= 0:
		return rawIndent + v.raw(r)
	}
	return v.d.Text(int(r.line))
}

// Writer returns the nearest line above line that writes any of the lanes, or -1.
func (v *Tokens) Writer(line int, lanes Lanes) int {
	r, ok := v.at(line)
	if !ok {
		return -1
	}
	return v.Row(v.d.Writer(int(r.line), lanes))
}

// Row returns where a line of the bare listing is, or -1.
func (v *Tokens) Row(line int) int {
	if line < 0 || line >= v.d.Len() {
		return -1
	}
	if !v.words {
		return line
	}
	return int(v.rowOf[line])
}

// Bare returns the line of the bare listing that a line is or belongs to, or -1.
func (v *Tokens) Bare(line int) int {
	if r, ok := v.at(line); ok {
		return int(r.line)
	}
	return -1
}

var _ Listing = (*Tokens)(nil)
