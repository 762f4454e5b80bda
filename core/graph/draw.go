package graph

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"
)

// Glyph is a mark as one character.
func (m Mark) Glyph() string {
	return [...]string{"·", "✓", "…", "∅", "✗", "!", "!"}[m]
}

// label makes a text from a file safe in a drawing: one line of printable characters, not
// more than n of them.
func label(s string, n int) string {
	var b strings.Builder
	for _, r := range s {
		if n--; n < 0 {
			b.WriteString("…")
			break
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote writes a string of DOT. A backslash would begin one of its escapes.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

const maxLabel = 60

// DOT writes a linked graph for Graphviz: a node for every body with the permutations
// that share it, one for every unit in the cluster of its pass, and an edge from each
// body to each of its units.
func (g *Graph) DOT(name string, r Results) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("digraph %s {", quote(label(name, maxLabel)))
	line("  graph [rankdir=LR, fontname=monospace, label=%s];", quote(label(name, maxLabel)+"\n"+g.Summary()))
	line("  node [shape=box, fontname=monospace, fontsize=10];")
	line("  edge [arrowhead=none];")
	for i, u := range g.e.Bodies() {
		options, exact := g.Options(u.Permutations)
		text := Letters(i) + " " + g.Mark(r, u.Permutations[0], -1).Glyph() + "\n" + count(len(u.Permutations), "permutation")
		if !exact {
			text += ", some of"
		}
		for a, o := range options {
			if o != "*" {
				text += "\n" + label(g.Axes[a].Name, maxLabel) + " " + label(o, maxLabel)
			}
		}
		line("  b%d [label=%s, style=filled, fillcolor=%s];", i, quote(text), quote(shade(i)))
	}
	for p := range g.Passes {
		line("  subgraph cluster_%d {", p)
		line("    label=%s;", quote(label(g.Passes[p].Name, maxLabel)))
		for _, n := range g.Passes[p].Units {
			u := &g.Units[n]
			m := MarkOf(r.Of(n))
			style := ""
			if m != Translated && m != Pending {
				style = ", style=dashed"
			}
			line("    u%d [label=%s%s];", n, quote(u.Letter+" "+m.Glyph()+"\n"+count(u.Permutations, "permutation")), style)
		}
		line("  }")
	}
	for n := range g.Units {
		for _, body := range g.Units[n].Bodies {
			line("  b%d -> u%d;", body, n)
		}
	}
	line("}")
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Summary counts what there is.
func (g *Graph) Summary() string {
	s := count(g.Permutations(), "permutation") + ", "
	if n := g.Bodies(); n == 1 {
		s += "1 body"
	} else {
		s += strconv.Itoa(n) + " bodies"
	}
	if !g.Linked() {
		return s
	}
	if n := len(g.Passes); n == 1 {
		s += ", 1 pass"
	} else {
		s += fmt.Sprintf(", %d passes", n)
	}
	return s + ", " + count(g.Contents, "pass unit")
}

// shade is the light colour of a body: neighbours differ by the golden angle.
func shade(n int) string {
	h := float64(n*137%360) / 60
	f := h - float64(int(h))
	const lo, hi = 0.80, 0.97
	up, down := lo+(hi-lo)*f, hi-(hi-lo)*f
	rgb := [6][3]float64{{hi, up, lo}, {down, hi, lo}, {lo, hi, up}, {lo, down, hi}, {up, lo, hi}, {hi, lo, down}}[int(h)]
	return fmt.Sprintf("#%02x%02x%02x", int(rgb[0]*255), int(rgb[1]*255), int(rgb[2]*255))
}

// The cells of a drawing, in SVG units.
const (
	cellW, cellH = 56, 20
	headW        = 110
)

// SVG draws the grid of a layout: a cell for every permutation in it, equal bodies in one
// colour, with letter and mark. pass -1 shows bodies, else the units of that pass.
func (g *Graph) SVG(name string, l *Layout, r Results, pass int) string {
	rows, cols := l.Size(g)
	left, top := headW*len(l.Rows)+10, cellH*(len(l.Cols)+3)
	w, h := max(left+cols*cellW+10, 400), top+rows*cellH+10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="12">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", w, h)
	text := func(x, y int, s, attr string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#000000"%s>%s</text>`+"\n", x, y+14, attr, html.EscapeString(s))
	}
	text(10, 2, label(name, maxLabel)+"  "+g.Summary(), ` font-weight="bold"`)
	what := "bodies"
	if pass >= 0 {
		what = "units of " + label(g.Passes[pass].Name, maxLabel)
	}
	text(10, cellH+2, what+"; "+label(l.Text(g), 400), "")
	each := cols
	for i, a := range l.Cols {
		names := ShortOptions(&g.Axes[a])
		each /= len(names)
		for c := 0; c < cols; c += each {
			text(left+c*cellW+4, cellH*(i+2), label(names[c/each%len(names)], max(each*cellW/8, 1)), ` font-size="10"`)
		}
	}
	each = rows
	for i, a := range l.Rows {
		names := ShortOptions(&g.Axes[a])
		each /= len(names)
		for y := 0; y < rows; y += each {
			text(10+i*headW, top+y*cellH, label(names[y/each%len(names)], headW/8), ` font-size="10"`)
		}
	}
	for y := range rows {
		for x := range cols {
			perm := l.Perm(g, y, x)
			n, letter := g.Identity(perm, pass)
			fill := "#ffffff"
			if n >= 0 {
				fill = shade(n)
			}
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#888888"/>`+"\n", left+x*cellW, top+y*cellH, cellW, cellH, fill)
			text(left+x*cellW+6, top+y*cellH+1, letter+" "+g.Mark(r, perm, pass).Glyph(), "")
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// Identity is what a permutation shows in a grid: the number and the letters of its body
// or, with a pass, of the pass's unit, counted within the pass. Without the pass it is -1
// and "".
func (g *Graph) Identity(perm, pass int) (int, string) {
	if pass < 0 {
		n := g.Body(perm)
		return n, Letters(n)
	}
	u := g.Unit(perm, pass)
	if u < 0 {
		return -1, ""
	}
	return Number(g.Units[u].Letter), g.Units[u].Letter
}
