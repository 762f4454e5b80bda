package job

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// half rounds f32 bits to a half, to nearest even.
func half(u uint32) uint16 {
	s, m, e := u>>16&0x8000, u&0x7FFFFF, int(u>>23&255)
	if e == 255 {
		if m != 0 {
			return uint16(s | 0x7E00)
		}
		return uint16(s | 0x7C00)
	}
	e -= 112
	var v, rest, mid uint32
	switch {
	case e >= 31:
		return uint16(s | 0x7C00)
	case e <= 0:
		if e < -10 {
			return uint16(s)
		}
		m |= 0x800000
		sh := uint32(14 - e)
		v, rest, mid = m>>sh, m&(1<<sh-1), 1<<(sh-1)
	default:
		v, rest, mid = uint32(e)<<10|m>>13, m&0x1FFF, 0x1000
	}
	if rest > mid || rest == mid && v&1 != 0 {
		v++
	}
	return uint16(s | v)
}

func fromHalf(h uint16) float64 {
	s := 1.0
	if h&0x8000 != 0 {
		s = -1
	}
	switch e, m := h>>10&31, float64(h&1023); {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return math.Inf(int(s))
	case e == 0:
		return s * m / (1 << 24)
	default:
		return s * (1 + m/1024) * math.Exp2(float64(e)-15)
	}
}

// Difference is one word that is not what it should be.
type Difference struct {
	Output string `json:"output"`
	Index  int    `json:"index"`
	Want   string `json:"want"`
	Got    string `json:"got"`

	want, got uint32 // the words themselves
}

// Expected returns the right values that the job states with expect lines; words
// of 0xdeadbeef are not compared.
func (j *Job) Expected(open func(string) ([]byte, error)) ([]Output, error) {
	var out []Output
	for i := range j.Lines {
		l := &j.Lines[i]
		if l.Words[0] != "expect" {
			continue
		}
		d, err := l.data(open)
		if err != nil {
			return nil, err
		}
		out = append(out, Output{Name: l.word(1), Type: l.text("type", ""), Data: d})
	}
	return out, nil
}

// tolerance is a job's tol line.
type tolerance struct {
	ulp, abs, rel, int float64
	bad                int
	ftz                bool
}

func parseTol(s string) tolerance {
	var t tolerance
	for _, w := range strings.Fields(s) {
		k, v, _ := strings.Cut(w, "=")
		x, _ := strconv.ParseFloat(v, 64)
		switch k {
		case "ulp":
			t.ulp = x
		case "abs":
			t.abs = x
		case "rel":
			t.rel = x
		case "int":
			t.int = x
		case "bad":
			t.bad = int(x)
		case "ftz":
			t.ftz = true
		}
	}
	return t
}

// Compare compares outputs with right values by the job's tolerances. It returns
// the differences beyond the number that the tolerance allows, and how many words
// were compared.
func (r *Result) Compare(want []Output) (diffs []Difference, compared int) {
	tol := parseTol(r.Tol)
	for _, w := range want {
		var got *Output
		for i := range r.Outputs {
			if r.Outputs[i].Name == w.Name {
				got = &r.Outputs[i]
			}
		}
		if got == nil {
			diffs = append(diffs, Difference{Output: w.Name, Index: -1, Want: "an output", Got: "none"})
			continue
		}
		typ := got.Type
		if w.Type != "" {
			typ = w.Type
		}
		d, n := compareWords(w.Name, typ, tol, w.Data, got.Data)
		diffs = append(diffs, d...)
		compared += n
	}
	if len(diffs) <= tol.bad {
		diffs = nil
	}
	return diffs, compared
}

func compareWords(name, typ string, tol tolerance, want, got []byte) (diffs []Difference, n int) {
	size := 4
	switch typ {
	case "f16", "u16":
		size = 2
	case "u8":
		size = 1
	}
	if len(want) < len(got) { // short data is filled up with what is not compared
		got = got[:len(want)]
	}
	if len(got) < len(want) {
		return []Difference{{Output: name, Index: -1, Want: fmt.Sprintf("%d bytes", len(want)), Got: fmt.Sprintf("%d bytes", len(got))}}, 0
	}
	word := func(b []byte, i int) uint32 {
		switch size {
		case 1:
			return uint32(b[i])
		case 2:
			return uint32(binary.LittleEndian.Uint16(b[2*i:]))
		}
		return binary.LittleEndian.Uint32(b[4*i:])
	}
	for i := range len(want) / size {
		a, b := word(want, i), word(got, i)
		if a == 0xDEADBEEF {
			continue
		}
		n++
		if a == b {
			continue
		}
		isFloat := typ == "f32" || typ == "f16" || strings.Trim(typ, "fu") == "" && typ != "" && typ[i%len(typ)] == 'f'
		if !isFloat {
			if math.Abs(float64(a)-float64(b)) > tol.int {
				diffs = append(diffs, Difference{name, i, fmt.Sprintf("%#x", a), fmt.Sprintf("%#x", b), a, b})
			}
			continue
		}
		x, y, least := float64(math.Float32frombits(a)), float64(math.Float32frombits(b)), math.Exp2(-126)
		if typ == "f16" {
			x, y, least = fromHalf(uint16(a)), fromHalf(uint16(b)), math.Exp2(-14)
		}
		if x != x && y != y {
			continue
		}
		if tol.ftz {
			if math.Abs(x) < least {
				x = 0
			}
			if math.Abs(y) < least {
				y = 0
			}
		}
		d := math.Abs(x - y)
		top := uint32(1) << (8*size - 1)
		ord := func(u uint32) float64 {
			if u >= top {
				return -float64(u - top)
			}
			return float64(u)
		}
		ulp := math.Abs(ord(a) - ord(b))
		switch {
		case x == y, d <= tol.abs, x == x && y == y && ulp <= tol.ulp, d <= tol.rel*max(math.Abs(x), math.Abs(y)) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		default:
			diffs = append(diffs, Difference{name, i, fmt.Sprintf("%g (%#x)", x, a), fmt.Sprintf("%g (%#x)", y, b), a, b})
		}
	}
	return diffs, n
}
