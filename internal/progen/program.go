package progen

import (
	"fmt"
	"strings"
)

// Kind is what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Op Kind = iota // lines of text, one instruction after the other
	If
	Loop
	Switch
)

// Node is a statement. Nodes can be removed or replaced by what they hold and leave a
// program that is still right.
type Node struct {
	Kind Kind
	Text []string // Op: the instructions; If: the test; Switch: the selector
	Body []*Node
	Else []*Node
	// Loop: the counter's lane and how many rounds there are at most.
	Counter string
	Rounds  int
	Clauses []Clause
}

// Clause is one clause of a switch.
type Clause struct {
	Labels  []int // -1 is default
	Body    []*Node
	Through bool // runs on into the next clause
}

// Program is a program of one group of Threads threads. Its resources: t0 structures
// of four words of input, one for each initial register and thread (16 elements a
// thread), u0 the same shape for results, u1 four words a thread, g0 likewise, cb0 of
// four rows.
type Program struct {
	Seed uint64
	Body []*Node
	Subs [][]*Node // subroutines; one calls those before it
	Used []bool    // registers that are initialised and stored; nil: all
	// Wide programs also compute in doubles, in r10 and r11, and use what memory held
	// before an atomic: there is no WGSL to compare them with.
	Wide bool
}

// Threads, Registers and the rest of the shape.
const (
	Threads   = 8
	Registers = 6 // r0 to r5 hold values; r6 and r7 counters; r8 and r9 addresses; r10 and r11 doubles
	maxSubs   = 2
	ArrayLen  = 4
	Elements  = 16 // structures of a thread in t0 and u0
)

// text writes a program.
func (p *Program) Text() string {
	var b strings.Builder
	b.WriteString(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_immediateConstantBuffer { { 1.000000, 2.500000, 3, -4},
                              { 0.500000, -0.250000, 8, 16},
                              { -1.500000, 0.125000, -7, 255},
                              { 3.000000, 10.000000, 31, 1} }
dcl_constantbuffer CB0[4], dynamicIndexed
dcl_resource_structured t0, 16
dcl_uav_structured u0, 16
dcl_uav_structured u1, 16
dcl_input vThreadIDInGroupFlattened
dcl_temps 12
dcl_indexableTemp x0[4], 4
dcl_tgsm_structured g0, 16, 8
dcl_thread_group 8, 1, 1
`)
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("imul null, r9.x, vThreadIDInGroupFlattened.x, l(%d)", Elements)
	line("mov r9.y, vThreadIDInGroupFlattened.x")
	for r := range Registers {
		if p.used(r) {
			line("iadd r9.z, r9.x, l(%d)", r)
			line("ld_structured r%d.xyzw, r9.z, l(0), t0.xyzw", r)
		}
	}
	line("mov r6.xyzw, l(0,0,0,0)\nmov r7.xyzw, l(0,0,0,0)\nmov r8.xyzw, l(0,0,0,0)")
	if p.used(Registers) {
		for e := range ArrayLen {
			line("iadd r9.z, r9.x, l(%d)", Registers+e)
			line("ld_structured r8.xyzw, r9.z, l(0), t0.xyzw\nmov x0[%d].xyzw, r8.xyzw", e)
		}
	}
	if p.Wide {
		line("ftod r10.xyzw, cb0[0].xyxx\nftod r11.xyzw, cb0[1].xyxx")
	}
	if p.uses("g0") {
		line("store_structured g0.xyzw, r9.y, l(0), l(1,2,3,4)")
	}
	list(&b, p.Body, "")
	for r := range Registers {
		if p.used(r) {
			line("iadd r9.z, r9.x, l(%d)", r)
			line("store_structured u0.xyzw, r9.z, l(0), r%d.xyzw", r)
		}
	}
	if p.used(Registers) {
		for e := range ArrayLen {
			line("iadd r9.z, r9.x, l(%d)", Registers+e)
			line("mov r8.xyzw, x0[%d].xyzw\nstore_structured u0.xyzw, r9.z, l(0), r8.xyzw", e)
		}
	}
	if p.Wide {
		for r := range 2 {
			line("iadd r9.z, r9.x, l(%d)\nstore_structured u0.xyzw, r9.z, l(0), r%d.xyzw", Registers+ArrayLen+r, 10+r)
		}
	}
	b.WriteString("ret\n")
	for i, s := range p.Subs {
		if p.uses(fmt.Sprintf("label%d", i)) {
			line("label label%d", i)
			list(&b, s, "")
			line("ret")
		}
	}
	return b.String()
}

func (p *Program) used(r int) bool { return p.Used == nil || p.Used[r] }

// uses reports whether a text occurs in the program's own instructions.
func (p *Program) uses(what string) bool { return strings.Contains(p.body(), what) }

// body is the program's own instructions.
func (p *Program) body() string {
	var b strings.Builder
	list(&b, p.Body, "")
	for _, s := range p.Subs {
		list(&b, s, "")
	}
	return b.String()
}

func list(b *strings.Builder, ns []*Node, indent string) {
	for _, n := range ns {
		n.text(b, indent)
	}
}

func (n *Node) text(b *strings.Builder, in string) {
	line := func(format string, args ...any) { fmt.Fprintf(b, in+format+"\n", args...) }
	switch n.Kind {
	case Op:
		for _, t := range n.Text {
			line("%s", t)
		}
	case If:
		line("%s", n.Text[0])
		list(b, n.Body, in+"  ")
		if len(n.Else) > 0 {
			line("else")
			list(b, n.Else, in+"  ")
		}
		line("endif")
	case Loop:
		line("mov %s, l(0)\nloop", n.Counter)
		line("  ige r8.w, %s, l(%d)\n  breakc_nz r8.w\n  iadd %s, %s, l(1)", n.Counter, n.Rounds, n.Counter, n.Counter)
		list(b, n.Body, in+"  ")
		line("endloop")
	case Switch:
		line("%s", n.Text[0])
		for _, c := range n.Clauses {
			for _, l := range c.Labels {
				if l < 0 {
					line("default")
				} else {
					line("case l(%d)", l)
				}
			}
			list(b, c.Body, in+"  ")
			if !c.Through {
				line("  break")
			}
		}
		line("endswitch")
	}
}

// Size is the number of instructions of the body and the subroutines.
func (p *Program) Size() int { return strings.Count(p.body(), "\n") }
