// Package job reads job files, which say how to run a program: stages, resources
// with their contents, and what the right results are. The language is line based,
// that of the execution oracle, and has a little more: the statement input (see [Input]),
// and the texture kinds 2dms and 2dmsarray with samples=N.
// Statements that concern only the WGSL side (wgsl, bind, bindx) are skipped.
package job

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Line is one statement: its words, with continuation lines joined.
type Line struct {
	No    int // of its first line, from 1
	Words []string
}

// Job is one job of a file.
type Job struct {
	Name  string
	Lines []Line
}

// Error places a flaw of a job file.
type Error struct {
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

func failf(line int, format string, args ...any) error {
	return &Error{line, fmt.Sprintf(format, args...)}
}

// statements are the words that a line may start with.
var statements = map[string]bool{"job": true, "stage": true, "dxbc": true, "wgsl": true, "cb": true, "buf": true, "tex": true, "samp": true,
	"dispatch": true, "size": true, "rt": true, "ds": true, "viewport": true, "raster": true, "topo": true, "vb": true, "ib": true,
	"attr": true, "draw": true, "pos": true, "vary": true, "out": true, "bind": true, "bindx": true, "tol": true, "expect": true, "input": true}

// Parse reads the jobs of a file. It fails on a statement that the language does
// not have, or one before the first job line.
func Parse(text string) ([]*Job, error) {
	var jobs []*Job
	for i, raw := range strings.Split(text, "\n") {
		var words []string
		for _, w := range strings.Fields(raw) {
			if w[0] == '#' {
				break
			}
			words = append(words, w)
		}
		if len(words) == 0 {
			continue
		}
		if words[0] == "job" {
			name := "job"
			if len(words) > 1 {
				name = words[1]
			}
			jobs = append(jobs, &Job{Name: name})
			continue
		}
		if len(jobs) == 0 {
			return nil, failf(i+1, "%q before the first job", words[0])
		}
		j := jobs[len(jobs)-1]
		switch {
		case words[0] == "+" && len(j.Lines) > 0:
			l := &j.Lines[len(j.Lines)-1]
			l.Words = append(l.Words, words[1:]...)
		case !statements[words[0]]:
			return nil, failf(i+1, "%q is not a statement of the job language", words[0])
		default:
			j.Lines = append(j.Lines, Line{i + 1, words})
		}
	}
	return jobs, nil
}

// find returns the first line that starts with a word, or nil.
func (j *Job) find(word string) *Line {
	for i := range j.Lines {
		if j.Lines[i].Words[0] == word {
			return &j.Lines[i]
		}
	}
	return nil
}

// word returns word i of a line, or an empty string.
func (l *Line) word(i int) string {
	if l != nil && i < len(l.Words) {
		return l.Words[i]
	}
	return ""
}

// opt returns the value of an option of the form name=value.
func (l *Line) opt(name string) (string, bool) {
	if l == nil {
		return "", false
	}
	for _, w := range l.Words[1:] {
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

func (l *Line) text(name, def string) string {
	if v, ok := l.opt(name); ok {
		return v
	}
	return def
}

// number returns an option as an integer; it fails on anything else.
func (l *Line) number(name string, def int) (int, error) {
	v, ok := l.opt(name)
	if !ok {
		return def, nil
	}
	n, err := strconv.ParseInt(v, 0, 64)
	if err != nil || n < math.MinInt32 || n > math.MaxUint32 {
		return 0, failf(l.No, "%s=%s is not a number", name, v)
	}
	return int(n), nil
}

func (l *Line) float(name string, def float64) (float64, error) {
	v, ok := l.opt(name)
	if !ok {
		return def, nil
	}
	f, err := number(v)
	if err != nil {
		return 0, failf(l.No, "%s=%s is not a number", name, v)
	}
	return f, nil
}

func number(s string) (float64, error) {
	switch s {
	case "nan":
		return math.NaN(), nil
	case "inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil || v != 0 {
		return v, nil // out of range gives infinity
	}
	n, err := strconv.ParseInt(s, 0, 64)
	return float64(n), err
}

// maxData bounds the data of one line.
const maxData = 64 << 20

// data joins the data tokens of a line.
func (l *Line) data(open func(string) ([]byte, error)) ([]byte, error) {
	var out []byte
	for _, w := range l.Words[1:] {
		kind, rest, ok := strings.Cut(w, ":")
		if !ok || strings.Contains(w, "=") {
			continue
		}
		if kind == "file" {
			b, err := open(rest)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", l.No, err)
			}
			out = append(out, b...)
		} else {
			b, err := token(kind, rest)
			if err != nil {
				return nil, failf(l.No, "data %s: %v", w, err)
			}
			out = append(out, b...)
		}
		if len(out) > maxData {
			return nil, failf(l.No, "more than 64 MiB of data")
		}
	}
	return out, nil
}

func put32(b []byte, v uint32) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func floatBits(x float64) uint32 {
	if x != x {
		return 0x7FC00000
	}
	return math.Float32bits(float32(x))
}

// generator is the seeded generator of the language (xorshift32).
type generator uint32

func seed(s uint32) generator {
	if g := s*2654435761 + 1; g != 0 {
		return generator(g)
	}
	return 0x9E3779B9
}

func (g *generator) next() uint32 {
	s := uint32(*g)
	s ^= s << 13
	s ^= s >> 17
	s ^= s << 5
	*g = generator(s)
	return s
}

var specials = [...]uint32{0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000, 0x477ff000, 0x33800000, 0x40490fdb, 0xc0490fdb, 0x3fc00000, 0x40200000, 0xbf000000}

// token makes the bytes of one data token.
func token(kind, rest string) ([]byte, error) {
	args := strings.Split(rest, ":")
	count := func(i int) (uint32, error) {
		if i >= len(args) {
			return 0, fmt.Errorf("%d arguments, more are needed", len(args))
		}
		n, err := strconv.ParseUint(args[i], 0, 32)
		return uint32(n), err
	}
	size := func(i int) (int, error) {
		n, err := count(i)
		if err == nil && n > maxData {
			err = fmt.Errorf("%d is too much", n)
		}
		return int(n), err
	}
	var out []byte
	switch kind {
	case "hex":
		return hex.DecodeString(rest)
	case "f", "h", "u", "i":
		for _, a := range strings.Split(rest, ",") {
			if a == "" {
				continue
			}
			if kind == "u" || kind == "i" || strings.HasPrefix(a, "0x") {
				n, err := strconv.ParseInt(a, 0, 64)
				if err != nil || n < math.MinInt32 || n > math.MaxUint32 {
					return nil, fmt.Errorf("%q is not a 32-bit integer", a)
				}
				if kind == "h" {
					out = append(out, byte(n), byte(n>>8))
					continue
				}
				out = put32(out, uint32(n))
				continue
			}
			x, err := number(a)
			if err != nil {
				return nil, err
			}
			if kind == "h" {
				h := half(floatBits(x))
				out = append(out, byte(h), byte(h>>8))
				continue
			}
			out = put32(out, floatBits(x))
		}
		return out, nil
	case "zero":
		n, err := size(0)
		return make([]byte, n), err
	case "fill":
		n, err := size(0)
		if err != nil {
			return nil, err
		}
		v, err := count(1)
		for len(out) < n {
			out = put32(out, v)
		}
		return out, err
	case "iota":
		n, err := size(0)
		for i := range n {
			out = put32(out, uint32(i))
		}
		return out, err
	case "ramp":
		n, err := size(0)
		if err != nil {
			return nil, err
		}
		if len(args) < 3 {
			return nil, fmt.Errorf("a ramp is N:START:STEP")
		}
		s, err1 := number(args[1])
		d, err2 := number(args[2])
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("a ramp is N:START:STEP")
		}
		for i := range n {
			out = put32(out, floatBits(s+d*float64(i)))
		}
		return out, nil
	case "seedu", "seedb", "seedf", "seedh", "seedx":
		s, err := count(0)
		if err != nil {
			return nil, err
		}
		n, err := size(1)
		if err != nil {
			return nil, err
		}
		g := seed(s)
		var lo, hi float64
		if kind == "seedf" || kind == "seedh" {
			if len(args) < 4 {
				return nil, fmt.Errorf("%s is SEED:N:LOW:HIGH", kind)
			}
			var err1, err2 error
			lo, err1 = number(args[2])
			hi, err2 = number(args[3])
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("%s is SEED:N:LOW:HIGH", kind)
			}
		}
		for range n {
			switch kind {
			case "seedu":
				out = put32(out, g.next())
			case "seedb":
				out = append(out, byte(g.next()>>24))
			case "seedx":
				u := g.next()
				if u%3 == 0 {
					u = specials[g.next()%uint32(len(specials))]
				} else {
					u = g.next()
				}
				out = put32(out, u)
			default:
				x := floatBits(lo + (hi-lo)*(float64(g.next()>>8)/16777216))
				if kind == "seedf" {
					out = put32(out, x)
				} else {
					h := half(x)
					out = append(out, byte(h), byte(h>>8))
				}
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("no such kind")
}
