package semantics

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// The generator makes random structured programs in D3D assembly, of integer
// instructions alone; the machine below executes their tree. Nothing of the
// compiler takes part in what is expected.

type operand struct {
	reg   int // temp; -1 an immediate; -2 the indexable temp, element from index
	imm   [4]uint32
	swz   [4]uint8
	neg   bool
	index operandIndex
}

type operandIndex struct {
	reg, comp int // reg -1: none
	imm       uint32
}

type node struct {
	kind    string // op, if, loop, switch, break, breakc, continue, continuec, ret, retc, call, callc, store
	op      string
	dst     []int // registers; -1 null; -2 the indexable temp
	mask    [2]uint8
	src     []operand
	index   operandIndex
	nz      bool
	body    []node
	alt     []node
	hasElse bool
	clauses []clause
	label   int
	counter [2]int // loop: register and component
	limit   uint32
}

type clause struct {
	labels []uint32
	def    int // position of default among the labels, -1 none
	body   []node
	open   bool // falls through into the next clause
}

const (
	freeRegs  = 4
	arrayLen  = 4
	maxLoops  = 10
	threads   = 8
	counters0 = 6 // r6 and later hold loop counters
)

type gen struct {
	*rand.Rand
	loops  int
	budget int
	labels [][]node
}

func (g *gen) operand() operand {
	o := operand{reg: g.IntN(freeRegs), index: operandIndex{reg: -1}}
	switch g.IntN(6) {
	case 0:
		o.reg = -1
		for i := range o.imm {
			o.imm[i] = []uint32{0, 1, 2, 3, 5, 31, 32, 0xffffffff, 0x80000000, 0x12345678}[g.IntN(10)]
		}
		return o
	case 1:
		o.reg = -2
		o.index = g.index()
	}
	for i := range o.swz {
		o.swz[i] = uint8(g.IntN(4))
	}
	o.neg = g.IntN(8) == 0
	return o
}

// index is an element of x0 that is inside: a constant, or r5.x, which every
// dynamic access masks first.
func (g *gen) index() operandIndex {
	if g.IntN(2) == 0 {
		return operandIndex{reg: -1, imm: uint32(g.IntN(arrayLen))}
	}
	return operandIndex{reg: 5, comp: 0}
}

func (g *gen) mask() uint8 { return uint8(1 + g.IntN(15)) }

var opArity = map[string]int{
	"iadd": 2, "imad": 3, "xor": 2, "and": 2, "or": 2, "ishl": 2, "ushr": 2, "ishr": 2, "ieq": 2, "ine": 2, "ilt": 2, "ige": 2,
	"ult": 2, "uge": 2, "movc": 3, "mov": 1, "umin": 2, "imax": 2, "ubfe": 3, "bfi": 4, "not": 1, "countbits": 1, "ineg": 1,
	"udiv": 2, "swapc": 3, "imul": 2, "uaddc": 2,
}
var opNames = []string{"iadd", "imad", "xor", "and", "or", "ishl", "ushr", "ishr", "ieq", "ine", "ilt", "ige", "ult", "uge", "movc", "movc", "mov", "mov", "umin", "imax",
	"ubfe", "bfi", "not", "countbits", "ineg", "udiv", "swapc", "imul", "uaddc"}
var noNeg = map[string]bool{"mov": true, "movc": true, "swapc": true, "not": true, "countbits": true, "and": true, "or": true, "xor": true, "ubfe": true, "bfi": true}
var twoDst = map[string]bool{"udiv": true, "swapc": true, "imul": true, "uaddc": true}

func (g *gen) arith() []node {
	op := opNames[g.IntN(len(opNames))]
	n := node{kind: "op", op: op, index: operandIndex{reg: -1}}
	n.dst = []int{g.IntN(freeRegs)}
	n.mask[0] = g.mask()
	if twoDst[op] {
		n.dst = append(n.dst, g.IntN(freeRegs))
		n.mask[1] = g.mask()
		if n.dst[1] == n.dst[0] {
			n.mask[1] &^= n.mask[0]
			if n.mask[1] == 0 {
				n.dst[1] = -1
			}
		}
		if op != "swapc" && g.IntN(3) == 0 {
			n.dst[g.IntN(2)] = -1
		}
	} else if g.IntN(6) == 0 {
		n.dst[0] = -2
		n.index = g.index()
	}
	for range opArity[op] {
		o := g.operand()
		if noNeg[op] {
			o.neg = false
		}
		n.src = append(n.src, o)
	}
	if n.dst[0] == -1 && len(n.dst) == 2 && n.dst[1] == -1 {
		n.dst[0] = 0
	}
	var out []node
	if n.index.reg >= 0 || anyIndexed(n.src) {
		out = append(out, node{kind: "op", op: "and", dst: []int{5}, mask: [2]uint8{1}, index: operandIndex{reg: -1},
			src: []operand{{reg: g.IntN(freeRegs), swz: [4]uint8{uint8(g.IntN(4)), 0, 0, 0}, index: operandIndex{reg: -1}}, {reg: -1, imm: [4]uint32{arrayLen - 1}, index: operandIndex{reg: -1}}}})
	}
	return append(out, n)
}

func anyIndexed(src []operand) bool {
	for _, o := range src {
		if o.index.reg >= 0 {
			return true
		}
	}
	return false
}

func (g *gen) cond() operand {
	return operand{reg: g.IntN(freeRegs), swz: [4]uint8{uint8(g.IntN(4)), 0, 0, 0}, index: operandIndex{reg: -1}}
}

func store() node { return node{kind: "store"} }

// list makes statements. loop and sw say which constructs enclose them.
func (g *gen) list(depth int, inLoop, inSwitch, inSub bool) []node {
	var out []node
	for range 1 + g.IntN(4) {
		if g.budget <= 0 {
			break
		}
		g.budget--
		k := g.IntN(26)
		if depth <= 0 && k >= 12 && k <= 18 {
			k = 0
		}
		switch {
		case k < 12:
			out = append(out, g.arith()...)
		case k < 15:
			n := node{kind: "if", src: []operand{g.cond()}, nz: g.IntN(2) == 0, body: g.list(depth-1, inLoop, inSwitch, inSub)}
			if g.IntN(2) == 0 {
				n.hasElse, n.alt = true, g.list(depth-1, inLoop, inSwitch, inSub)
			}
			out = append(out, n)
		case k < 17:
			if g.loops >= maxLoops {
				continue
			}
			n := node{kind: "loop", counter: [2]int{counters0 + g.loops/4, g.loops % 4}, limit: uint32(1 + g.IntN(4))}
			g.loops++
			n.body = g.list(depth-1, true, false, inSub)
			out = append(out, n)
		case k < 19:
			out = append(out, g.sw(depth-1, inLoop, inSub))
		case k == 19 && (inLoop || inSwitch):
			out = append(out, node{kind: "breakc", src: []operand{g.cond()}, nz: g.IntN(2) == 0})
		case k == 20 && inLoop:
			out = append(out, node{kind: "continuec", src: []operand{g.cond()}, nz: g.IntN(2) == 0})
		case k == 21 && g.IntN(3) == 0:
			if !inSub {
				out = append(out, store())
			}
			out = append(out, node{kind: "retc", src: []operand{g.cond()}, nz: g.IntN(2) == 0})
		case k == 22 && g.IntN(4) == 0:
			switch {
			case inLoop && g.IntN(2) == 0:
				return append(out, node{kind: "continue"})
			case inLoop || inSwitch:
				return append(out, node{kind: "break"})
			}
			if !inSub {
				out = append(out, store())
			}
			return append(out, node{kind: "ret"})
		case k == 23:
			out = append(out, store())
		case k == 24 && len(g.labels) > 0 && !inSub:
			n := node{kind: "call", label: g.IntN(len(g.labels))}
			if g.IntN(2) == 0 {
				n.kind, n.src, n.nz = "callc", []operand{g.cond()}, g.IntN(2) == 0
			}
			out = append(out, n)
		default:
			out = append(out, g.arith()...)
		}
	}
	return out
}

func (g *gen) sw(depth int, inLoop, inSub bool) node {
	n := node{kind: "switch", src: []operand{g.cond()}}
	used := map[uint32]bool{}
	hasDefault := false
	for range 1 + g.IntN(4) {
		c := clause{def: -1}
		for range 1 + g.IntN(2) {
			l := []uint32{0, 1, 2, 3, 0xffffffff, 0x80000000}[g.IntN(6)]
			if !used[l] {
				used[l] = true
				c.labels = append(c.labels, l)
			}
		}
		if !hasDefault && g.IntN(4) == 0 {
			hasDefault = true
			c.def = g.IntN(len(c.labels) + 1)
		}
		if len(c.labels) == 0 && c.def < 0 {
			continue
		}
		c.body = g.list(depth, inLoop, true, inSub)
		c.open = g.IntN(4) == 0
		n.clauses = append(n.clauses, c)
	}
	if len(n.clauses) == 0 {
		n.clauses = []clause{{labels: []uint32{1}, def: -1, body: g.arith()}}
	}
	n.clauses[len(n.clauses)-1].open = false
	return n
}

// text

const comps = "xyzw"

func (o operand) text(n int) string {
	if o.reg == -1 {
		return fmt.Sprintf("l(0x%08x, 0x%08x, 0x%08x, 0x%08x)", o.imm[0], o.imm[1], o.imm[2], o.imm[3])
	}
	var s string
	if o.reg == -2 {
		s = "x0[" + o.index.text() + "]"
	} else {
		s = fmt.Sprintf("r%d", o.reg)
	}
	s += "."
	for i := range n {
		s += comps[o.swz[i] : o.swz[i]+1]
	}
	if o.neg {
		s = "-" + s
	}
	return s
}

func (i operandIndex) text() string {
	if i.reg < 0 {
		return fmt.Sprint(i.imm)
	}
	return fmt.Sprintf("r%d.%c + %d", i.reg, comps[i.comp], i.imm)
}

func maskText(m uint8) string {
	s := "."
	for c := range 4 {
		if m>>c&1 != 0 {
			s += comps[c : c+1]
		}
	}
	return s
}

func (n *node) dstText(i int) string {
	switch n.dst[i] {
	case -1:
		return "null"
	case -2:
		return "x0[" + n.index.text() + "]" + maskText(n.mask[i])
	}
	return fmt.Sprintf("r%d%s", n.dst[i], maskText(n.mask[i]))
}

func suffix(nz bool) string {
	if nz {
		return "_nz "
	}
	return "_z "
}

func write(b *strings.Builder, list []node) {
	for i := range list {
		n := &list[i]
		switch n.kind {
		case "op":
			var parts []string
			for d := range n.dst {
				parts = append(parts, n.dstText(d))
			}
			for _, s := range n.src {
				parts = append(parts, s.text(4))
			}
			fmt.Fprintf(b, "%s %s\n", n.op, strings.Join(parts, ", "))
		case "if":
			b.WriteString("if" + suffix(n.nz) + n.src[0].text(1) + "\n")
			write(b, n.body)
			if n.hasElse {
				b.WriteString("else\n")
				write(b, n.alt)
			}
			b.WriteString("endif\n")
		case "loop":
			c := fmt.Sprintf("r%d.%c", n.counter[0], comps[n.counter[1]])
			fmt.Fprintf(b, "mov %s, l(0)\nloop\nuge r4.x, %s, l(%d)\nbreakc_nz r4.x\niadd %s, %s, l(1)\n", c, c, n.limit, c, c)
			write(b, n.body)
			b.WriteString("endloop\n")
		case "switch":
			b.WriteString("switch " + n.src[0].text(1) + "\n")
			for _, c := range n.clauses {
				for j := 0; j <= len(c.labels); j++ {
					if c.def == j {
						b.WriteString("default\n")
					}
					if j < len(c.labels) {
						fmt.Fprintf(b, "case l(0x%08x)\n", c.labels[j])
					}
				}
				write(b, c.body)
				if !c.open {
					b.WriteString("break\n")
				}
			}
			b.WriteString("endswitch\n")
		case "break", "continue", "ret":
			b.WriteString(n.kind + "\n")
		case "breakc", "continuec", "retc":
			b.WriteString(n.kind + suffix(n.nz) + n.src[0].text(1) + "\n")
		case "call":
			fmt.Fprintf(b, "call label%d\n", n.label)
		case "callc":
			fmt.Fprintf(b, "callc%s%s, label%d\n", suffix(n.nz), n.src[0].text(1), n.label)
		case "store":
			b.WriteString("store_raw u0.xyzw, r9.x, r0.xyzw\n")
		}
	}
}

// machine

type machine struct {
	r      [10][4]uint32
	x      [arrayLen][4]uint32
	mem    []uint32
	labels [][]node
	fuel   int
}

type signal int

const (
	next signal = iota
	doBreak
	doContinue
	doReturn
)

func (m *machine) read(o *operand) [4]uint32 {
	if o.reg == -1 {
		return o.imm
	}
	v := &m.r[max(o.reg, 0)]
	if o.reg == -2 {
		v = &m.x[m.element(o.index)]
	}
	var out [4]uint32
	for i := range out {
		out[i] = v[o.swz[i]]
		if o.neg {
			out[i] = -out[i]
		}
	}
	return out
}

func (m *machine) element(i operandIndex) uint32 {
	if i.reg < 0 {
		return i.imm
	}
	return m.r[i.reg][i.comp] + i.imm
}

func flag(b bool) uint32 {
	if b {
		return ones
	}
	return 0
}

func eval(op string, a []uint32) (uint32, uint32) {
	switch op {
	case "iadd":
		return a[0] + a[1], 0
	case "imad":
		return a[0]*a[1] + a[2], 0
	case "xor":
		return a[0] ^ a[1], 0
	case "and":
		return a[0] & a[1], 0
	case "or":
		return a[0] | a[1], 0
	case "ishl":
		return a[0] << (a[1] & 31), 0
	case "ushr":
		return a[0] >> (a[1] & 31), 0
	case "ishr":
		return uint32(int32(a[0]) >> (a[1] & 31)), 0
	case "ieq":
		return flag(a[0] == a[1]), 0
	case "ine":
		return flag(a[0] != a[1]), 0
	case "ilt":
		return flag(int32(a[0]) < int32(a[1])), 0
	case "ige":
		return flag(int32(a[0]) >= int32(a[1])), 0
	case "ult":
		return flag(a[0] < a[1]), 0
	case "uge":
		return flag(a[0] >= a[1]), 0
	case "movc":
		if a[0] != 0 {
			return a[1], 0
		}
		return a[2], 0
	case "mov":
		return a[0], 0
	case "umin":
		return min(a[0], a[1]), 0
	case "imax":
		return uint32(max(int32(a[0]), int32(a[1]))), 0
	case "ubfe":
		w, o := a[0]&31, a[1]&31
		if w == 0 {
			return 0, 0
		}
		return a[2] >> o & (1<<w - 1), 0
	case "bfi":
		w, o := a[0]&31, a[1]&31
		m := uint32(1<<w-1) << o
		return a[2]<<o&m | a[3]&^m, 0
	case "not":
		return ^a[0], 0
	case "countbits":
		return uint32(bits.OnesCount32(a[0])), 0
	case "ineg":
		return -a[0], 0
	case "udiv":
		if a[1] == 0 {
			return ones, ones
		}
		return a[0] / a[1], a[0] % a[1]
	case "swapc":
		if a[0] != 0 {
			return a[2], a[1]
		}
		return a[1], a[2]
	case "imul":
		p := int64(int32(a[0])) * int64(int32(a[1]))
		return uint32(uint64(p) >> 32), uint32(uint64(p))
	case "uaddc":
		s, c := bits.Add32(a[0], a[1], 0)
		return s, c
	}
	panic(op)
}

func (m *machine) test(n *node) bool { return m.read(&n.src[0])[0] != 0 == n.nz }

func (m *machine) run(list []node) signal {
	for i := range list {
		if m.fuel--; m.fuel < 0 {
			return doReturn
		}
		n := &list[i]
		switch n.kind {
		case "op":
			var in [4][4]uint32
			for s := range n.src {
				in[s] = m.read(&n.src[s])
			}
			e := uint32(0)
			if n.dst[0] == -2 {
				e = m.element(n.index)
			}
			var res [2][4]uint32
			for c := range 4 {
				var a []uint32
				for s := range n.src {
					a = append(a, in[s][c])
				}
				res[0][c], res[1][c] = eval(n.op, a)
			}
			for d, reg := range n.dst {
				for c := range 4 {
					if n.mask[d]>>c&1 == 0 || reg == -1 {
						continue
					}
					if reg == -2 {
						m.x[e][c] = res[d][c]
					} else {
						m.r[reg][c] = res[d][c]
					}
				}
			}
		case "if":
			var s signal
			if m.test(n) {
				s = m.run(n.body)
			} else {
				s = m.run(n.alt)
			}
			if s != next {
				return s
			}
		case "loop":
			c := &m.r[n.counter[0]][n.counter[1]]
			*c = 0
			for {
				m.r[4][0] = flag(*c >= n.limit)
				if *c >= n.limit {
					break
				}
				*c++
				if s := m.run(n.body); s == doBreak {
					break
				} else if s == doReturn {
					return s
				}
			}
		case "switch":
			v := m.read(&n.src[0])[0]
			at := -1
			for j, c := range n.clauses {
				for _, l := range c.labels {
					if l == v {
						at = j
					}
				}
			}
			for j, c := range n.clauses {
				if at < 0 && c.def >= 0 {
					at = j
				}
			}
			for ; at >= 0 && at < len(n.clauses); at++ {
				s := m.run(n.clauses[at].body)
				if s == doBreak {
					break
				}
				if s != next {
					return s
				}
				if !n.clauses[at].open {
					break
				}
			}
		case "break":
			return doBreak
		case "continue":
			return doContinue
		case "ret":
			return doReturn
		case "breakc":
			if m.test(n) {
				return doBreak
			}
		case "continuec":
			if m.test(n) {
				return doContinue
			}
		case "retc":
			if m.test(n) {
				return doReturn
			}
		case "call", "callc":
			if n.kind == "call" || m.test(n) {
				m.run(m.labels[n.label])
			}
		case "store":
			copy(m.mem, m.r[0][:])
		}
		if m.fuel < 0 {
			return doReturn
		}
	}
	return next
}

// TestRandomFlow executes random programs.
func TestRandomFlow(t *testing.T) {
	var ps []program
	for seed := uint64(0); len(ps) < 60; seed++ {
		g := &gen{Rand: rand.New(rand.NewPCG(seed, 7))}
		g.budget = 40
		for range g.IntN(3) {
			g.labels = append(g.labels, nil)
		}
		for i := range g.labels {
			g.budget = 8
			g.labels[i] = g.list(2, false, false, true)
		}
		g.budget = 45
		main := append(g.list(4, false, false, false), store())
		var in, out []uint32
		for th := range threads {
			for j := range freeRegs * 4 {
				in = append(in, uint32([]int{0, 1, 2, 3, th, j, -1, 7}[g.IntN(8)]))
			}
			m := &machine{labels: g.labels, fuel: 4000, mem: make([]uint32, 4)}
			for r := range freeRegs {
				copy(m.r[r][:], in[(th*freeRegs+r)*4:])
			}
			m.run(main)
			if m.fuel < 0 {
				out = nil
				break
			}
			out = append(out, m.mem...)
		}
		if out == nil {
			continue
		}
		var b strings.Builder
		b.WriteString("ishl r9.x, vThreadIDInGroupFlattened.x, l(4)\nishl r9.y, vThreadIDInGroupFlattened.x, l(6)\n")
		for r := range freeRegs {
			fmt.Fprintf(&b, "ld_raw r%d.xyzw, r9.y, t0.xyzw\niadd r9.y, r9.y, l(16)\n", r)
		}
		for e := range arrayLen {
			fmt.Fprintf(&b, "mov x0[%d].xyzw, l(0,0,0,0)\n", e)
		}
		write(&b, main)
		var l strings.Builder
		for i := range g.labels {
			fmt.Fprintf(&l, "label label%d\n", i)
			write(&l, g.labels[i])
			l.WriteString("ret\n")
		}
		ps = append(ps, program{name: fmt.Sprintf("seed %d", seed), decl: fmt.Sprintf("dcl_indexableTemp x0[%d], 4\n", arrayLen), body: b.String(), label: l.String(), in: in, out: out, threads: threads})
	}
	run(t, ps)
}
