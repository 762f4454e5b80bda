package progen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// types says of each lane of r0 to r5 and of the array (the last row) whether it holds
// floats or integers.
var types = [Registers + 1]string{"ffff", "ffff", "iiii", "iiii", "ffii", "ifif", "fiif"}

// constants is types for the rows of cb0.
const constants = "ffii"

type gen struct {
	*rand.Rand
	depth    int
	loops    int // loops around: counters r6.x to r7.w, of which a subroutine has two
	most     int // loops that may nest
	budget   int
	barriers bool // the program waits for its group, and no thread returns early
	wide     bool // see Program.Wide
	subs     int  // subroutines that may be called
	inSub    bool
}

// New makes the program of a seed.
func New(seed uint64) *Program {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15)), barriers: seed%3 == 0, wide: seed%8 == 7}
	p := &Program{Seed: seed, Wide: g.wide}
	for seed%4 == 1 && g.subs < maxSubs {
		g.inSub, g.depth, g.budget, g.loops = true, 1, 4+g.IntN(6), 4+2*g.subs
		g.most = g.loops + 2
		p.Subs = append(p.Subs, g.list(g.budget))
		g.subs++
	}
	g.inSub, g.depth, g.loops, g.most, g.budget = false, 0, 0, 4, 8+int(seed%40)
	for g.budget > 0 {
		p.Body = append(p.Body, g.node())
		if g.barriers && g.IntN(6) == 0 {
			p.Body = append(p.Body, g.exchange())
		}
	}
	return p
}

// exchange writes groupshared memory, waits, and reads what a neighbour wrote.
func (g *gen) exchange() *Node {
	src := g.IntN(Registers)
	return &Node{Text: []string{
		fmt.Sprintf("store_structured g0.xyzw, r9.y, l(0), r%d.xyzw", src),
		"sync_g_t",
		"xor r8.x, r9.y, l(" + fmt.Sprint(1<<g.IntN(3)) + ")",
		fmt.Sprintf("ld_structured r%d.xyzw, r8.x, l(0), g0.xyzw", src),
		"sync_g_t",
	}}
}

func (g *gen) list(n int) []*Node {
	var out []*Node
	for range n {
		if g.budget > 0 || len(out) == 0 {
			out = append(out, g.node())
		}
	}
	return out
}

func (g *gen) node() *Node {
	g.budget--
	if g.depth < 4 {
		switch g.IntN(14) {
		case 0, 1:
			g.depth++
			n := &Node{Kind: If, Text: []string{g.test("if")}, Body: g.list(1 + g.IntN(3))}
			if g.IntN(2) == 0 {
				n.Else = g.list(1 + g.IntN(3))
			}
			g.depth--
			return n
		case 2:
			if g.loops < g.most {
				g.depth++
				n := &Node{Kind: Loop, Counter: fmt.Sprintf("r%d.%c", 6+g.loops/4, "xyzw"[g.loops%4]), Rounds: 1 + g.IntN(5)}
				g.loops++
				n.Body = g.list(1 + g.IntN(4))
				g.loops--
				g.depth--
				return n
			}
		case 3:
			g.depth++
			n := g.switchNode()
			g.depth--
			return n
		}
	}
	if g.subs > 0 && g.IntN(8) == 0 {
		to := fmt.Sprintf("label%d", g.IntN(g.subs))
		if g.IntN(2) == 0 {
			return &Node{Text: []string{"call " + to}}
		}
		return &Node{Text: []string{g.test("callc") + ", " + to}}
	}
	if g.inSub && g.IntN(8) == 0 {
		return &Node{Text: []string{g.test("retc")}}
	}
	if g.inLoop() && g.IntN(8) == 0 {
		op := []string{"breakc", "continuec"}[g.IntN(2)]
		return &Node{Text: []string{g.test(op)}}
	}
	if g.depth > 0 && !g.inSub && !g.barriers && g.IntN(30) == 0 {
		// Results are stored at the end; a thread that returns early leaves u1.
		return &Node{Text: []string{"store_structured u1.xyzw, r9.y, l(0), " + g.own("ffii"), g.test("retc")}}
	}
	return &Node{Text: g.op()}
}

// inLoop reports whether a loop is around, in the same routine.
func (g *gen) inLoop() bool {
	if g.inSub {
		return g.loops > g.most-2
	}
	return g.loops > 0
}

func (g *gen) switchNode() *Node {
	n := &Node{Kind: Switch, Text: []string{"and r8.w, " + g.lane('i') + ", l(3)\nswitch r8.w"}}
	labels := g.Perm(5)
	if g.IntN(3) > 0 {
		labels = append(labels, -1)
		g.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	}
	for len(labels) > 0 && (len(n.Clauses) == 0 || g.IntN(4) > 0) {
		k := 1 + g.IntN(min(2, len(labels)))
		n.Clauses = append(n.Clauses, Clause{Labels: slices.Clone(labels[:k]), Body: g.list(1 + g.IntN(2)), Through: g.IntN(4) == 0})
		labels = labels[k:]
	}
	n.Clauses[len(n.Clauses)-1].Through = false
	return n
}

func (g *gen) test(op string) string {
	return op + []string{"_nz ", "_z "}[g.IntN(2)] + g.lane('i')
}

// lane is one lane of a type as a scalar source.
func (g *gen) lane(t byte) string {
	for {
		r, c := g.IntN(Registers), g.IntN(4)
		if types[r][c] == t {
			return fmt.Sprintf("r%d.%c", r, "xyzw"[c])
		}
	}
}

// own is a register with lanes of the given types, as a source.
func (g *gen) own(t string) string {
	r := g.IntN(Registers)
	var s strings.Builder
	for k := range 4 {
		c := g.IntN(4)
		if i := strings.IndexByte(types[r], t[k]); i >= 0 {
			for types[r][c] != t[k] {
				c = g.IntN(4)
			}
		}
		s.WriteByte("xyzw"[c])
	}
	return fmt.Sprintf("r%d.%s", r, s.String())
}

// target is a destination: its register and the lanes of a type to write.
type target struct {
	reg  int
	mask []int
}

func (t target) String() string {
	s := ""
	for _, c := range t.mask {
		s += "xyzw"[c : c+1]
	}
	return fmt.Sprintf("r%d.%s", t.reg, s)
}

func (g *gen) target(t byte) target {
	for {
		d := target{reg: g.IntN(Registers)}
		for c := range 4 {
			if types[d.reg][c] == t && g.IntN(2) == 0 {
				d.mask = append(d.mask, c)
			}
		}
		if len(d.mask) > 0 {
			return d
		}
	}
}

var floatLits = []string{"0", "1.000000", "-1.000000", "0.500000", "2.000000", "0.250000", "-3.500000", "10.000000"}
var intLits = []string{"0", "1", "-1", "2", "3", "7", "31", "32", "33", "255", "65535", "-2147483648", "2147483647", "305419896"}

// src is a source of a type for the lanes of a destination; mods says whether it may
// have modifiers.
func (g *gen) src(t byte, d target, mods bool) string {
	var body string
	switch n := g.IntN(16); {
	case n == 0:
		lits := floatLits
		if t == 'i' {
			lits = intLits
		}
		var parts [4]string
		for k := range parts {
			parts[k] = lits[g.IntN(len(lits))]
		}
		return "l(" + strings.Join(parts[:], ",") + ")"
	case n == 1:
		body = fmt.Sprintf("cb0[%d].%s", g.IntN(4), g.swizzle(constants, t, d))
	case n == 2: // now and then bits of the other type, as they are
		other := map[byte]byte{'f': 'i', 'i': 'f'}[t]
		if t == 'i' {
			r := g.reg(other)
			body = fmt.Sprintf("r%d.%s", r, g.swizzle(types[r], other, d))
			break
		}
		fallthrough
	default:
		r := g.reg(t)
		body = fmt.Sprintf("r%d.%s", r, g.swizzle(types[r], t, d))
	}
	if !mods {
		return body
	}
	switch g.IntN(8) {
	case 0:
		return "-" + body
	case 1:
		if t == 'f' {
			return "|" + body + "|"
		}
	case 2:
		if t == 'f' {
			return "-|" + body + "|"
		}
	}
	return body
}

func (g *gen) reg(t byte) int {
	for {
		if r := g.IntN(Registers); strings.IndexByte(types[r], t) >= 0 {
			return r
		}
	}
}

// swizzle picks lanes of a type for the lanes of a destination.
func (g *gen) swizzle(have string, t byte, d target) string {
	var of []int
	for c := range 4 {
		if have[c] == t {
			of = append(of, c)
		}
	}
	out := []byte("xxxx")
	last := byte("xyzw"[of[g.IntN(len(of))]])
	for k := range 4 {
		out[k] = last
		if slices.Contains(d.mask, k) {
			out[k] = "xyzw"[of[g.IntN(len(of))]]
		}
	}
	return string(out)
}

// shapes are the arithmetic instructions: the type of the result, or of both, and of
// the sources. A capital letter is a source without modifiers.
var shapes = []struct{ op, dst, src string }{
	{"mov", "f", "f"}, {"mov", "i", "I"}, {"add", "f", "ff"}, {"add", "f", "ff"}, {"mul", "f", "ff"}, {"mul", "f", "ff"}, {"mad", "f", "fff"}, {"mad", "f", "fff"}, {"div", "f", "ff"}, {"min", "f", "ff"}, {"max", "f", "ff"},
	{"frc", "f", "f"}, {"round_ne", "f", "f"}, {"round_ni", "f", "f"}, {"round_pi", "f", "f"}, {"round_z", "f", "f"}, {"exp", "f", "f"}, {"log", "f", "f"},
	{"sqrt", "f", "f"}, {"rsq", "f", "f"}, {"rcp", "f", "f"}, {"dp2", "f", "ff"}, {"dp3", "f", "ff"}, {"dp4", "f", "ff"}, {"sincos", "ff", "f"},
	{"lt", "i", "ff"}, {"ge", "i", "ff"}, {"eq", "i", "ff"}, {"ne", "i", "ff"}, {"movc", "f", "Iff"}, {"movc", "i", "III"}, {"swapc", "ff", "Iff"}, {"swapc", "ii", "III"},
	{"itof", "f", "i"}, {"utof", "f", "i"}, {"ftoi", "i", "f"}, {"ftou", "i", "f"}, {"f32tof16", "i", "f"}, {"f16tof32", "f", "I"},
	{"iadd", "i", "ii"}, {"iadd", "i", "ii"}, {"ineg", "i", "i"}, {"imad", "i", "iii"}, {"umad", "i", "III"}, {"imul", "ni", "ii"}, {"imul", "ii", "ii"}, {"umul", "ii", "II"}, {"udiv", "ii", "II"}, {"udiv", "in", "II"}, {"udiv", "ni", "II"},
	{"uaddc", "ii", "II"}, {"usubb", "ii", "II"}, {"and", "i", "II"}, {"or", "i", "II"}, {"xor", "i", "II"}, {"not", "i", "I"}, {"ishl", "i", "II"}, {"ishr", "i", "II"}, {"ushr", "i", "II"},
	{"imin", "i", "ii"}, {"imax", "i", "ii"}, {"umin", "i", "II"}, {"umax", "i", "II"}, {"ieq", "i", "ii"}, {"ine", "i", "ii"}, {"ilt", "i", "ii"}, {"ige", "i", "ii"}, {"ult", "i", "II"}, {"uge", "i", "II"},
	{"ubfe", "i", "III"}, {"ibfe", "i", "III"}, {"bfi", "i", "IIII"}, {"bfrev", "i", "I"}, {"countbits", "i", "I"}, {"firstbit_hi", "i", "I"}, {"firstbit_lo", "i", "I"}, {"firstbit_shi", "i", "I"}, {"msad", "i", "III"},
}

// doubles are the instructions on doubles, for wide programs. A pair of lanes is one.
var doubles = []struct{ op, dst, src string }{
	{"dadd", "d", "dd"}, {"dmul", "d", "dd"}, {"dfma", "d", "ddd"}, {"ddiv", "d", "dd"}, {"drcp", "d", "d"}, {"dmin", "d", "dd"}, {"dmax", "d", "dd"},
	{"dmov", "d", "d"}, {"dmovc", "d", "Idd"}, {"deq", "i", "dd"}, {"dne", "i", "dd"}, {"dlt", "i", "dd"}, {"dge", "i", "dd"},
	{"dtof", "f", "d"}, {"dtoi", "i", "d"}, {"dtou", "i", "d"}, {"ftod", "d", "f"}, {"itod", "d", "i"}, {"utod", "d", "I"},
}

// double is one instruction on doubles.
func (g *gen) double() []string {
	s := doubles[g.IntN(len(doubles))]
	pair := func() string { return []string{"xyxy", "zwzw", "xyzw", "zwxy"}[g.IntN(4)] }
	line := s.op + " "
	d := target{mask: []int{0, 1, 2, 3}}
	if s.dst == "d" {
		line += fmt.Sprintf("r%d.%s", 10+g.IntN(2), []string{"xy", "zw", "xyzw"}[g.IntN(3)])
	} else {
		to := g.target(s.dst[0])
		to.mask = to.mask[:min(len(to.mask), 2)]
		line += to.String()
	}
	for i := range len(s.src) {
		if s.src[i] == 'd' {
			line += fmt.Sprintf(", %sr%d.%s", []string{"", "", "", "-"}[g.IntN(4)], 10+g.IntN(2), pair())
			continue
		}
		t := s.src[i] | 0x20
		r := g.reg(t)
		line += fmt.Sprintf(", r%d.%s", r, g.swizzle(types[r], t, d))
	}
	return []string{line}
}

// op is one arithmetic or memory instruction, with what it needs before it.
func (g *gen) op() []string {
	switch g.IntN(14) {
	case 0:
		return g.array()
	case 1:
		return g.memory()
	case 2, 3, 4, 5:
		if g.wide {
			return g.double()
		}
	}
	s := shapes[g.IntN(len(shapes))]
	var dsts []string
	var all target
	for i := range len(s.dst) {
		if s.dst[i] == 'n' {
			dsts = append(dsts, "null")
			continue
		}
		d := g.target(s.dst[i])
		if len(dsts) == 1 && dsts[0] != "null" && d.reg == all.reg { // two results for one register
			dsts = append(dsts, "null")
			continue
		}
		all.reg = d.reg
		for _, c := range d.mask {
			if !slices.Contains(all.mask, c) {
				all.mask = append(all.mask, c)
			}
		}
		dsts = append(dsts, d.String())
	}
	if strings.HasPrefix(s.op, "dp") {
		all.mask = []int{0, 1, 2, 3}
	}
	name := s.op
	if s.dst[0] == 'f' && len(s.dst) == 1 && g.IntN(8) == 0 {
		name += "_sat"
	}
	if s.op == "movc" && s.dst == "i" || s.op == "swapc" {
		name = s.op
	}
	line := name + " " + strings.Join(dsts, ", ")
	for i := range len(s.src) {
		t := s.src[i] | 0x20
		line += ", " + g.src(t, all, s.src[i] != t-0x20)
	}
	return []string{line}
}

// array writes or reads an element of the array that a register chooses.
func (g *gen) array() []string {
	idx := []string{"and r8.z, " + g.lane('i') + ", l(3)"}
	elem := "r8.z + 0"
	if g.IntN(3) == 0 {
		idx, elem = nil, fmt.Sprint(g.IntN(ArrayLen))
	}
	t := "fi"[g.IntN(2)]
	if g.IntN(2) == 0 {
		d := target{}
		for c := range 4 {
			if types[Registers][c] == t {
				d.mask = append(d.mask, c)
			}
		}
		mask := ""
		for _, c := range d.mask {
			mask += "xyzw"[c : c+1]
		}
		return append(idx, fmt.Sprintf("mov x0[%s].%s, %s", elem, mask, g.src(t, d, false)))
	}
	d := g.target(t)
	return append(idx, fmt.Sprintf("mov %s, x0[%s].%s", d, elem, g.swizzle(types[Registers], t, d)))
}

// memory reads constants or input that a register chooses, or goes through the
// thread's own words.
func (g *gen) memory() []string {
	t := "fi"[g.IntN(2)]
	d := g.target(t)
	own := []string{"mov r8.x, r9.y", "mov r8.y, l(0)"} // the address of the thread's words of u1
	if g.wide && g.IntN(3) == 0 {
		to := g.target('i')
		to.mask = to.mask[:1]
		op := []string{"iadd", "and", "or", "xor", "imax", "imin", "umax", "umin", "exch", "cmp_exch"}[g.IntN(10)]
		line := fmt.Sprintf("imm_atomic_%s %s, u1, r8.xyxx, %s", op, to, g.lane('i'))
		if op == "cmp_exch" {
			line += ", " + g.lane('i')
		}
		return append(own, line)
	}
	switch g.IntN(5) {
	case 0:
		return []string{"and r8.y, " + g.lane('i') + ", l(3)", fmt.Sprintf("mov %s, cb0[r8.y + 0].%s", d, g.swizzle(constants, t, d))}
	case 1:
		return []string{"and r8.y, " + g.lane('i') + ", l(3)", fmt.Sprintf("mov %s, icb[r8.y + 0].%s", d, g.swizzle("ffff", 'f', d))}
	case 2:
		r := g.IntN(Registers)
		return []string{fmt.Sprintf("store_structured u1.xyzw, r9.y, l(0), r%d.xyzw", r), fmt.Sprintf("ld_structured r%d.xyzw, r9.y, l(0), u1.xyzw", r)}
	case 3:
		if g.IntN(6) == 0 {
			return append(own, fmt.Sprintf("atomic_cmp_store u1, r8.xyxx, %s, %s", g.lane('i'), g.lane('i')))
		}
		return append(own, fmt.Sprintf("atomic_%s u1, r8.xyxx, %s", []string{"iadd", "and", "or", "xor", "imax", "imin", "umax", "umin"}[g.IntN(8)], g.lane('i')))
	}
	// An element of the thread's own input that the register's type fits.
	r := g.IntN(Registers)
	return []string{fmt.Sprintf("iadd r8.y, r9.x, l(%d)", r), fmt.Sprintf("ld_structured r%d.xyzw, r8.y, l(0), t0.xyzw", r)}
}

// Input makes the contents of t0, cb0 and u1 for the program: small and ordinary
// values, or with edges also those at the borders of their types.
func Input(seed uint64, edges bool) (t0, cb0, u1 []uint32) {
	r := rand.New(rand.NewPCG(seed, 0xD1B54A32D192ED03))
	word := func(t byte) uint32 {
		if t == 'f' {
			if edges && r.IntN(3) == 0 {
				return math.Float32bits([]float32{0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 16777216, -65504, 1e6, 1e-3, 3e9, -3e9}[r.IntN(14)])
			}
			return math.Float32bits(float32(r.IntN(4000)-1000) / 512)
		}
		if edges && r.IntN(3) == 0 {
			return []uint32{0, 1, 0xFFFFFFFF, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFF, 0x12345678}[r.IntN(10)]
		}
		return uint32(r.IntN(40) - 8)
	}
	for range Threads {
		for e := range Elements {
			for c := range 4 {
				t0 = append(t0, word(types[min(e, Registers)][c]))
			}
		}
	}
	for i := range 16 {
		cb0 = append(cb0, word(constants[i%4]))
	}
	for range 4 * Threads {
		u1 = append(u1, word('i'))
	}
	return t0, cb0, u1
}
