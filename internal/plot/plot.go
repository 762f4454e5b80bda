// Command plot draws what BenchmarkScaling of core/compile measured: how long programs
// of a shape take by their number of instructions, and what a value of their SSA costs.
//
//	scripts/bench; go run ./internal/plot <build/bench.txt >docs/scaling.svg
//
// Of several runs of one benchmark it takes the fastest: what disturbs a run only makes
// it slower.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	shapes, err := read(os.Stdin)
	if err == nil {
		err = draw(os.Stdout, shapes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

// shape is one kind of program, in the order of the benchmark.
type shape struct {
	name   string
	points []point // ascending size
}

// point is a program: what size the benchmark asked for, and what it got.
type point struct {
	size     int
	instrs   float64
	ns       float64 // of the whole path
	perValue float64 // ns by value of the SSA as it is built
}

var line = regexp.MustCompile(`^BenchmarkScaling/([^/]+)/(\d+)(?:-\d+)?\s+\d+\s+(.*)`)

// read takes the scaling benchmarks out of the output of go test -bench.
func read(r io.Reader) ([]shape, error) {
	var shapes []shape
	in := bufio.NewScanner(r)
	for in.Scan() {
		m := line.FindStringSubmatch(in.Text())
		if m == nil {
			continue
		}
		size, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", in.Text(), err)
		}
		p, perInstr := point{size: size}, 0.0
		fields := strings.Fields(m[3])
		for i := 0; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", in.Text(), err)
			}
			switch fields[i+1] {
			case "ns/op":
				p.ns = v
			case "ns/instr":
				perInstr = v
			case "ns/value":
				p.perValue = v
			}
		}
		if p.ns <= 0 || perInstr <= 0 || p.perValue <= 0 {
			return nil, fmt.Errorf("%q: no ns/op, ns/instr and ns/value", in.Text())
		}
		p.instrs = math.Round(p.ns / perInstr)
		shapes = enter(shapes, m[1], p)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(shapes) == 0 {
		return nil, errors.New("standard input has no line of BenchmarkScaling: give it what scripts/bench wrote")
	}
	return shapes, nil
}

func enter(shapes []shape, name string, p point) []shape {
	at := slices.IndexFunc(shapes, func(s shape) bool { return s.name == name })
	if at < 0 {
		at = len(shapes)
		shapes = append(shapes, shape{name: name})
	}
	s := &shapes[at]
	i, found := slices.BinarySearchFunc(s.points, p.size, func(q point, size int) int { return q.size - size })
	switch {
	case !found:
		s.points = slices.Insert(s.points, i, p)
	case p.ns < s.points[i].ns:
		s.points[i] = p
	}
	return shapes
}

// Sizes of the picture, in pixels.
const (
	width, height = 960, 400
	left, right   = 64.0, 24.0
	top, bottom   = 40.0, 64.0
	panel         = (width - 2*left - 2*right) / 2
	tall          = height - top - bottom
)

// colours are Okabe and Ito's, which most eyes tell apart.
var colours = []string{"#000000", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#8a7f00", "#666666"}

// axis maps values to pixels.
type axis struct {
	min, max float64
	log      bool
	from, to float64
}

func (a axis) at(v float64) float64 {
	lo, hi := a.min, a.max
	if a.log {
		lo, hi, v = math.Log10(lo), math.Log10(hi), math.Log10(v)
	}
	return a.from + (v-lo)/(hi-lo)*(a.to-a.from)
}

// ticks are the powers of ten of a logarithmic axis, and about five steps of another.
func (a axis) ticks() []float64 {
	var out []float64
	if a.log {
		for v := math.Pow(10, math.Ceil(math.Log10(a.min)-1e-9)); v <= a.max*(1+1e-9); v *= 10 {
			out = append(out, v)
		}
		return out
	}
	step := math.Pow(10, math.Floor(math.Log10(a.max/5)))
	for _, k := range []float64{1, 2, 5, 10} {
		if a.max/(step*k) <= 6 {
			step *= k
			break
		}
	}
	for v := a.min; v <= a.max*(1+1e-9); v += step {
		out = append(out, v)
	}
	return out
}

// powers are the powers of ten around the values.
func powers(values []float64) (lo, hi float64) {
	lo, hi = slices.Min(values), slices.Max(values)
	return math.Pow(10, math.Floor(math.Log10(lo)+1e-9)), math.Pow(10, math.Ceil(math.Log10(hi)-1e-9))
}

// draw writes the picture as SVG.
func draw(w io.Writer, shapes []shape) error {
	var sizes, times, costs []float64
	for _, s := range shapes {
		for _, p := range s.points {
			sizes, times, costs = append(sizes, p.instrs), append(times, p.ns/1e6), append(costs, p.perValue/1e3)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for side := range 2 {
		x0 := left + float64(side)*(panel+left+right)
		x := axis{log: true, from: x0, to: x0 + panel}
		x.min, x.max = powers(sizes)
		y := axis{log: true, from: top + tall, to: top}
		y.min, y.max = powers(times)
		title, value := "milliseconds, DXBC to WGSL", func(p point) float64 { return p.ns / 1e6 }
		if side == 1 {
			y.log, y.min, y.max = false, 0, math.Ceil(slices.Max(costs))
			title, value = "microseconds a value of the SSA", func(p point) float64 { return p.perValue / 1e3 }
		}
		frame(&b, x, y, title)
		if side == 0 { // what linear looks like
			for v := y.min * x.min / x.max; v < y.max; v *= 10 {
				guide(&b, x, y, v)
			}
		}
		for i, s := range shapes {
			colour := colours[i%len(colours)]
			var path []string
			for _, p := range s.points {
				px, py := x.at(p.instrs), y.at(value(p))
				path = append(path, fmt.Sprintf("%.1f,%.1f", px, py))
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", px, py, colour)
			}
			fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(path, " "), colour)
		}
	}
	for i, s := range shapes {
		x := left + float64(i)*(width-left-right)/float64(len(shapes))
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="%s">%s</text>`+"\n", x, height-12, colours[i%len(colours)], escape(s.name))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// frame draws the axes.
func frame(b *strings.Builder, x, y axis, title string) {
	fmt.Fprintf(b, `<text x="%.1f" y="24">%s</text>`+"\n", x.from, title)
	for _, v := range y.ticks() {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n", x.from, y.at(v), x.to, y.at(v))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">%s</text>`+"\n", x.from-6, y.at(v)+4, number(v))
	}
	for _, v := range x.ticks() {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n", x.at(v), y.from, x.at(v), y.to)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n", x.at(v), y.from+16, number(v))
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end" fill="#666666">instructions</text>`+"\n", x.to, y.from+30)
}

// guide draws the line of a program that takes v at the least size and grows with it,
// as far as it lies in the frame.
func guide(b *strings.Builder, x, y axis, v float64) {
	from, to := max(x.min, x.min*y.min/v), min(x.max, x.min*y.max/v)
	if from < to {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#bbbbbb" stroke-dasharray="3 4"/>`+"\n",
			x.at(from), y.at(v*from/x.min), x.at(to), y.at(v*to/x.min))
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
