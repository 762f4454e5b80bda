package views

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
)

// WordType is how a 32-bit word is read.
type WordType uint8

// The readings.
const (
	WordFloat WordType = iota
	WordInt
	WordUint
	WordHex
	NumWordTypes = iota
)

var wordTypeNames = [NumWordTypes]string{"float", "int", "uint", "hex"}

// String is the reading's name.
func (t WordType) String() string { return wordTypeNames[t] }

// Format prints a word.
func (t WordType) Format(w uint32) string {
	switch t {
	case WordInt:
		return strconv.Itoa(int(int32(w)))
	case WordUint:
		return strconv.FormatUint(uint64(w), 10)
	case WordHex:
		return fmt.Sprintf("0x%08x", w)
	}
	if w == allOnes {
		return "true" // what comparisons write; no arithmetic makes this NaN
	}
	f := math.Float32frombits(w)
	if f != f && w&^signBit != quietNaN {
		return WordHex.Format(w) // a payload: rather no float at all
	}
	return strconv.FormatFloat(float64(f), 'g', 7, 32)
}

// Words that floats have to be told from.
const (
	allOnes  = 0xFFFFFFFF
	quietNaN = 0x7FC00000
	signBit  = 1 << 31
)

// Guess prints a word that may be a float or an integer, with its bits: a small integer
// as one, where the float would be a denormal.
func Guess(w uint32) string {
	text := WordFloat.Format(w)
	switch e := w >> 23 & 255; {
	case e == 0 && w != 0 && w != signBit:
		text = strconv.FormatUint(uint64(w), 10)
	case e == 255 && w>>16 == 0xFFFF: // small and negative
		text = strconv.Itoa(int(int32(w)))
		if w == allOnes {
			text = "-1 or true"
		}
	}
	if hex := WordHex.Format(w); text != hex {
		return text + "  " + hex
	}
	return text
}

// Parse reads a word as Format prints it; "0x" is its bits in every reading. It fails on
// what is no such number.
func (t WordType) Parse(s string) (uint32, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "0x") || t == WordHex {
		v, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no word of eight hexadecimal digits", s)
		}
		return uint32(v), nil
	}
	switch t {
	case WordInt:
		v, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no 32-bit integer", s)
		}
		return uint32(int32(v)), nil
	case WordUint:
		v, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is no unsigned 32-bit integer", s)
		}
		return uint32(v), nil
	}
	if s == "true" {
		return allOnes, nil
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil && math.Abs(v) != math.Inf(1) {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return math.Float32bits(float32(v)), nil
}

// RunCell is one component of a register or constant on the Run screen.
type RunCell struct {
	Word    uint32
	There   bool // the component exists
	Changed bool // by the last step
	Watched bool
}

// RunRow is a register or a row of a constant buffer.
type RunRow struct {
	Name  string
	Cells [4]RunCell
}

// RunRows groups lanes, which come register by register, into rows.
func RunRows(lanes []interp.Lane) (rows []RunRow, at []int) {
	at = make([]int, len(lanes))
	for i, l := range lanes {
		name, _, _ := strings.Cut(l.String(), ".")
		if i == 0 || lanes[i-1].Reg != l.Reg || lanes[i-1].Index != l.Index || lanes[i-1].Element != l.Element {
			rows = append(rows, RunRow{Name: name})
		}
		at[i] = len(rows) - 1
		rows[len(rows)-1].Cells[l.Comp].There = true
	}
	return rows, at
}

// RunRegisters lists registers or constants; the cursor is on a component of a row.
func RunRegisters(rows []RunRow, w Window, t WordType, row, comp int, on bool) []Line {
	first, last := w.clip(len(rows))
	name := 4
	for i := range rows {
		name = max(name, min(Width(rows[i].Name)+1, 14))
	}
	cell := max((w.Cols-name)/4, 9)
	var out []Line
	for i := first; i < last; i++ {
		r := &rows[i]
		l := Line{Ref: NoRef, Spans: []Span{padded(RoleRegister, r.Name, name)}}
		for c := range 4 {
			x := &r.Cells[c]
			text, role := "·", RoleDim
			if x.There {
				text, role = t.Format(x.Word), RoleLiteral
				if x.Word == 0 {
					role = RoleDim
				}
			}
			mark := " "
			switch {
			case x.Watched:
				mark = "◉"
			case x.Changed:
				mark = "~"
			}
			if x.Changed {
				role = RoleChosen
			}
			s := padded(role, mark+Clip(text, cell-2), cell)
			if i == row && c == comp {
				if s.Emph = EmphIdle; on {
					s.Emph = EmphToken
				}
			}
			l.Spans = append(l.Spans, s)
		}
		if i == row && on {
			l.Mark |= MarkCursor
		}
		out = append(out, l)
	}
	return out
}

// IsInput reports whether a lane is one that the Run screen may set: an input register.
func IsInput(l interp.Lane) bool { return l.Reg == dxbc.RegInput }
