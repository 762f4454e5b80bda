package views

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"maps"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// A shapedLine is a line without the names that mean nothing outside of their program:
// what is left when values, registers and locals have no names of their own, and the
// names in order.
type shapedLine struct {
	shape string
	names []shapedName
	flow  flowKind
	open  int // line that opened the region that this one divides or closes, or -1
}

// shapedName is one name in a line. Def says that the line gives it a new meaning.
type shapedName struct {
	text string
	def  bool
}

// flowKind is what a line does to the meaning of names that are written again and again.
type flowKind uint8

const (
	flowNone flowKind = iota
	flowIf
	flowElse
	flowEndIf
	flowLoop
	flowEndLoop
)

// A shaper is a listing whose lines have names that another program may have otherwise.
type shaper interface{ shaped(line int) shapedLine }

func shapesOf(l Listing) []shapedLine {
	out := make([]shapedLine, l.Len())
	s, ok := l.(shaper)
	for i := range out {
		if ok {
			out[i] = s.shaped(i)
		} else {
			// Columns are as wide as their longest cell: blanks say nothing.
			out[i].shape = strings.Join(strings.Fields(l.Text(i)), " ")
		}
		out[i].open = -1
	}
	var open []int
	for i := range out {
		n := len(open)
		switch out[i].flow {
		case flowIf, flowLoop:
			open = append(open, i)
		case flowElse:
			if n > 0 {
				out[i].open = open[n-1]
			}
		case flowEndIf, flowEndLoop:
			if n > 0 {
				out[i].open = open[n-1]
				open = open[:n-1]
			}
		}
	}
	return out
}

// hashes numbers every line by its shape and by what its names stand for: two lines of
// equal hash compute the same from the same, whatever the names are.
func hashes(lines []shapedLine) []uint64 {
	out := make([]uint64, len(lines))
	means := map[string]uint64{}
	var buf [8]byte
	for i := range lines {
		h := fnv.New64a()
		_, _ = h.Write([]byte(lines[i].shape))
		for _, n := range lines[i].names {
			if n.def {
				continue
			}
			binary.LittleEndian.PutUint64(buf[:], means[n.text])
			_, _ = h.Write(buf[:])
		}
		out[i] = h.Sum64()
		for k, n := range lines[i].names {
			if n.def {
				means[n.text] = out[i] + uint64(k+1)*0x9e3779b97f4a7c15
			}
		}
	}
	return out
}

func shapeHashes(lines []shapedLine) []uint64 {
	out := make([]uint64, len(lines))
	for i := range lines {
		h := fnv.New64a()
		_, _ = h.Write([]byte(lines[i].shape))
		out[i] = h.Sum64()
	}
	return out
}

// pairing says for every line of one side which line of the other it goes with, or -1.
// Pairs are in order on both sides.
func pairing(a, b []uint64) []int {
	text := func(ns []uint64) string {
		out := make([]byte, 0, len(ns)*17)
		var buf [8]byte
		for _, n := range ns {
			binary.BigEndian.PutUint64(buf[:], n)
			out = append(hex.AppendEncode(out, buf[:]), '\n')
		}
		return string(out)
	}
	const width = 17
	out := make([]int, len(a))
	x, y := 0, 0
	for _, e := range udiff.Lines(text(a), text(b)) {
		for ; x < e.Start/width && x < len(a) && y < len(b); x, y = x+1, y+1 {
			out[x] = y
		}
		for ; x < e.End/width && x < len(a); x++ {
			out[x] = -1
		}
		y += len(e.New) / width
	}
	for ; x < len(a); x, y = x+1, y+1 {
		out[x] = y
		if y >= len(b) {
			out[x] = -1
		}
	}
	return out
}

// renaming is a one-to-one relation between the names of two programs.
type renaming struct {
	to, from map[string]string
	a, b     int        // of a region: the lines that open it
	stack    []renaming // at the beginning of the regions that are open
}

func newRenaming() *renaming {
	return &renaming{to: map[string]string{}, from: map[string]string{}}
}

// fits reports whether two lines of one shape are equal under the relation. Names that
// neither side has seen may be each other.
func (r *renaming) fits(a, b []shapedName) bool {
	if len(a) != len(b) {
		return false
	}
	fresh := newRenaming()
	for i := range a {
		if a[i].def != b[i].def {
			return false
		}
		if a[i].def {
			continue
		}
		x, y := a[i].text, b[i].text
		to, okTo := r.to[x]
		from, okFrom := r.from[y]
		if !okTo && !okFrom {
			to, okTo = fresh.to[x]
			from, okFrom = fresh.from[y]
			if !okTo && !okFrom {
				fresh.bind(x, y)
				continue
			}
		}
		if !okTo || !okFrom || to != y || from != x {
			return false
		}
	}
	return true
}

func (r *renaming) bind(x, y string) {
	r.drop(x)
	r.dropNew(y)
	r.to[x], r.from[y] = y, x
}

func (r *renaming) drop(x string) {
	if y, ok := r.to[x]; ok {
		delete(r.to, x)
		delete(r.from, y)
	}
}

func (r *renaming) dropNew(y string) {
	if x, ok := r.from[y]; ok {
		delete(r.from, y)
		delete(r.to, x)
	}
}

// take notes two lines that go together; with uses false only what they define.
func (r *renaming) take(a, b []shapedName, uses bool) {
	for i := range a {
		if i < len(b) && !a[i].def && uses {
			if _, ok := r.to[a[i].text]; !ok {
				r.bind(a[i].text, b[i].text)
			}
		}
	}
	for i := range a {
		if a[i].def {
			r.drop(a[i].text)
		}
	}
	for i := range b {
		if b[i].def {
			r.dropNew(b[i].text)
		}
	}
	for i := range a {
		if i < len(b) && a[i].def && b[i].def {
			r.bind(a[i].text, b[i].text)
		}
	}
}

func (r *renaming) copy() renaming {
	return renaming{to: maps.Clone(r.to), from: maps.Clone(r.from)}
}

// keep leaves the names that stand for the same in both relations.
func (r *renaming) keep(o *renaming) {
	for x, y := range o.to {
		if z, ok := r.to[x]; ok && z != y {
			r.drop(x)
		}
		if z, ok := r.from[y]; ok && z != x {
			r.dropNew(y)
		}
	}
}

// contradicts reports whether a name stands for something else in the other relation.
func (r *renaming) contradicts(o *renaming) bool {
	for x, y := range o.to {
		if z, ok := r.to[x]; ok && z != y {
			return true
		}
	}
	return false
}

// flow follows the regions that both programs have. a and b are the lines at hand. It
// reports false at the end of a loop around which a name would have to change what it
// stands for: the lines are then no renaming of each other.
func (r *renaming) flow(a, b *shapedLine, la, lb int) bool {
	if a.flow != b.flow || a.flow == flowNone {
		return true
	}
	if a.flow == flowIf || a.flow == flowLoop {
		s := r.copy()
		s.a, s.b = la, lb
		r.stack = append(r.stack, s)
		return true
	}
	// The region of these lines; those inside it that do not go together are gone.
	n := len(r.stack) - 1
	for n >= 0 && (r.stack[n].a != a.open || r.stack[n].b != b.open) {
		n--
	}
	if n < 0 {
		return true
	}
	r.stack = r.stack[:n+1]
	was := r.stack[n]
	switch a.flow {
	case flowElse:
		end := r.copy()
		end.a, end.b = was.a, was.b
		r.to, r.from = maps.Clone(was.to), maps.Clone(was.from)
		r.stack[n] = end
	case flowEndIf:
		r.stack = r.stack[:n]
		r.keep(&was)
	case flowEndLoop:
		r.stack = r.stack[:n]
		if r.contradicts(&was) {
			r.keep(&was)
			return false
		}
	}
	return true
}

// diffStep is one step of an edit: ' ' with both lines, '-' or '+' with one.
type diffStep struct {
	kind byte
	a, b int
}

// editScript compares two listings line by line. Lines that differ only in the names of
// values, registers and locals, one for one, are equal.
func editScript(old, new []shapedLine) []diffStep {
	pair := pairing(hashes(old), hashes(new))
	sa, sb := shapeHashes(old), shapeHashes(new)
	// Between lines that compute the same, lines of one shape go together.
	x, y := 0, 0
	gap := func(ax, bx, ay, by int) {
		if ax == bx || ay == by {
			return
		}
		for i, j := range pairing(sa[ax:bx], sb[ay:by]) {
			if j >= 0 {
				pair[ax+i] = ay + j
			}
		}
	}
	for i := 0; i < len(old); i++ {
		if pair[i] >= 0 {
			gap(x, i, y, pair[i])
			x, y = i+1, pair[i]+1
		}
	}
	gap(x, len(old), y, len(new))

	var out []diffStep
	r := newRenaming()
	y = 0
	insert := func(to int) {
		for ; y < to; y++ {
			out = append(out, diffStep{'+', -1, y})
			r.take(nil, new[y].names, false)
		}
	}
	for i := range old {
		j := pair[i]
		if j < 0 {
			out = append(out, diffStep{'-', i, -1})
			r.take(old[i].names, nil, false)
			continue
		}
		insert(j)
		y = j + 1
		same := sa[i] == sb[j] && r.fits(old[i].names, new[j].names)
		same = r.flow(&old[i], &new[j], i, j) && same
		r.take(old[i].names, new[j].names, same)
		if same {
			out = append(out, diffStep{' ', i, j})
		} else {
			out = append(out, diffStep{'-', i, -1}, diffStep{'+', -1, j})
		}
	}
	insert(len(new))
	return grouped(out)
}

// grouped puts removed lines before added ones between two equal lines.
func grouped(in []diffStep) []diffStep {
	out := make([]diffStep, 0, len(in))
	for i := 0; i < len(in); {
		if in[i].kind == ' ' {
			out = append(out, in[i])
			i++
			continue
		}
		end := i
		for end < len(in) && in[end].kind != ' ' {
			end++
		}
		for _, k := range []byte{'-', '+'} {
			for _, s := range in[i:end] {
				if s.kind == k {
					out = append(out, s)
				}
			}
		}
		i = end
	}
	return out
}

// plainShapes are the lines of a text that names nothing of its own.
func plainShapes(text string) []shapedLine {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	out := make([]shapedLine, len(lines))
	for i, s := range lines {
		out[i] = shapedLine{shape: s, open: -1}
	}
	return out
}
