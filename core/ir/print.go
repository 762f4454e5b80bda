package ir

import (
	"fmt"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
)

// The text form. It is complete: Parse(Print(f)) gives f back, but for the
// numbering of what has gaps and for the shader, which the caller has.
//
//	program ps
//	resource 0 srv register=0 ... name="Albedo"
//	in 0 "TEXCOORD" 0 register=1 mask=xy ...
//	body {
//	  v3:f32x2 = FMul in0.xy, cb0[4].zw @12 reg=0.xy
//	  if v7.x @13 end=15 -> v9:f32x1 {
//	    yield v8.x
//	  } else {
//	    yield #3f800000
//	  }
//	  return v9.x, ...
//	}
//
// Operands: v3.xy lanes of values; in0 stage inputs; cb0[4] rows of resource 0
// at a constant index; #3f800000 constant bits; undef. Lanes of several values
// stand in parentheses: (v3.xy v4.x). "_" is an operand without lanes.

const laneNames = "xyzw"

// classNames are the words of Class.
var classNames = [...]string{CBuffer: "cbuffer", SRV: "srv", Sampler: "sampler", UAV: "uav", GroupShared: "groupshared", Counter: "counter"}

// String returns the word of the class.
func (c Class) String() string { return classNames[c] }

var arrayClassNames = [...]string{TempArray: "temp", InputArray: "input", OutputArray: "output"}

// Line is one line of the text form with what it stands for.
type Line struct {
	Node   NodeID // the node that the line opens, holds or closes; NoNode for headers
	Value  ValueID
	Indent int
	Text   string
}

// Print returns the text form of f.
func Print(f *Function) string {
	var b strings.Builder
	for _, l := range Lines(f) {
		b.WriteString(strings.Repeat("  ", l.Indent))
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Lines returns the text form line by line.
func Lines(f *Function) []Line {
	p := &printer{f: f}
	p.header()
	p.add(NoNode, NoValue, "body {")
	p.indent++
	p.region(0)
	p.indent--
	p.add(NoNode, NoValue, "}")
	return p.lines
}

type printer struct {
	f      *Function
	lines  []Line
	indent int
}

func (p *printer) add(n NodeID, v ValueID, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	p.lines = append(p.lines, Line{n, v, p.indent, text})
}

func maskText(m uint8) string {
	s := ""
	for c := range 4 {
		if m>>c&1 != 0 {
			s += laneNames[c : c+1]
		}
	}
	if s == "" {
		return "_"
	}
	return s
}

func flag(s *strings.Builder, on bool, name string) {
	if on {
		s.WriteString(" " + name)
	}
}

func (p *printer) header() {
	f := p.f
	p.add(NoNode, NoValue, "program %s", f.Kind)
	if f.ThreadGroup != [3]uint32{} {
		p.add(NoNode, NoValue, "thread_group %d %d %d", f.ThreadGroup[0], f.ThreadGroup[1], f.ThreadGroup[2])
	}
	if f.EarlyDepth {
		p.add(NoNode, NoValue, "early_depth")
	}
	for i := range f.Resources {
		r := &f.Resources[i]
		var s strings.Builder
		fmt.Fprintf(&s, "resource %d %s register=%d space=%d range=%d count=%d dim=%d return=%d,%d,%d,%d samples=%d stride=%d size=%d instr=%d",
			i, r.Class, r.Register, r.Space, r.RangeID, r.Count, r.Dim, r.Return[0], r.Return[1], r.Return[2], r.Return[3], r.Samples, r.Stride, r.Size, r.Instr)
		for _, fl := range r.flags() {
			flag(&s, *fl.p, fl.name)
		}
		if len(r.Samplers) > 0 {
			s.WriteString(" samplers=" + ints(r.Samplers))
		}
		if r.Format != "" {
			fmt.Fprintf(&s, " format=%q from=%q", r.Format, r.FormatFrom)
		}
		if r.Name != "" {
			fmt.Fprintf(&s, " name=%q", r.Name)
		}
		p.add(NoNode, NoValue, "%s", s.String())
	}
	for i := range f.Arrays {
		a := &f.Arrays[i]
		p.add(NoNode, NoValue, "array %d %s index=%d len=%d n=%d kind=%s instr=%d", i, arrayClassNames[a.Class], a.Index, a.Len, a.N, a.Kind, a.Instr)
	}
	for _, r := range f.ICB {
		p.add(NoNode, NoValue, "icb %08x %08x %08x %08x", r[0], r[1], r[2], r[3])
	}
	for i := range f.Inputs {
		p.add(NoNode, NoValue, "in %d %s", i, f.Inputs[i].text())
	}
	for i := range f.Outputs {
		p.add(NoNode, NoValue, "out %d %s", i, f.Outputs[i].text())
	}
	for _, c := range f.Constants {
		p.add(NoNode, NoValue, "constant %q %d %d", c.Name, c.Offset, c.Size)
	}
}

type namedFlag struct {
	name string
	p    *bool
}

// flags lists the booleans of a resource by name, for printing and parsing.
func (r *Resource) flags() []namedFlag {
	return []namedFlag{{"coherent", &r.Coherent}, {"ordered", &r.Ordered}, {"comparison", &r.Comparison}, {"used", &r.Used},
		{"read", &r.Read}, {"written", &r.Written}, {"atomic", &r.Atomic}, {"dynamic", &r.Dynamic}, {"compared", &r.Compared},
		{"filtered", &r.Filtered}, {"loaded", &r.Loaded}, {"signed", &r.SignedAtomic}, {"unsigned", &r.UnsignedAtomic}}
}

func (e *Elem) text() string {
	return fmt.Sprintf("%q %d register=%d reg=%d mask=%s used=%s sys=%d comp=%d interp=%d min=%d stream=%d instr=%d",
		e.Semantic, e.Index, int32(e.Register), e.RegType, maskText(e.Mask), maskText(e.Used), e.SysValue, e.CompType, e.Interp, e.Min, e.Stream, e.Instr)
}

func ints[T ~int32 | ~uint32 | ~int8](s []T) string {
	out := make([]string, len(s))
	for i, n := range s {
		out[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(out, ",")
}

func (p *printer) region(r RegionID) {
	for _, n := range p.f.Regions[r].Nodes {
		p.node(n)
	}
}

func at(instr int32) string {
	if instr < 0 {
		return ""
	}
	return fmt.Sprintf(" @%d", instr)
}

func (p *printer) params(ps []ValueID) string {
	if len(ps) == 0 {
		return ""
	}
	out := make([]string, len(ps))
	for i, v := range ps {
		out[i] = p.def(v)
	}
	return " -> " + strings.Join(out, ", ")
}

// def is a value as it is defined: v3:f32x2, with the register it was in.
func (p *printer) def(v ValueID) string {
	val := &p.f.Values[v]
	s := fmt.Sprintf("v%d:%sx%d", v, val.Kind, val.N)
	if val.Op == OpParam {
		s += p.reg(val)
	}
	return s
}

func (p *printer) reg(v *Value) string {
	if v.Reg < 0 && v.Out == 0 {
		return ""
	}
	s := fmt.Sprintf(" reg=%d.", v.Reg)
	if v.Out > 0 {
		s = fmt.Sprintf(" out=%d.", v.Out-1)
	}
	for k := uint8(0); k < v.N; k++ {
		s += laneNames[v.RegLanes[k] : v.RegLanes[k]+1]
	}
	return s
}

func (p *printer) node(n NodeID) {
	f := p.f
	nd := &f.Nodes[n]
	end := func() string {
		if nd.EndInstr < 0 {
			return ""
		}
		return fmt.Sprintf(" end=%d", nd.EndInstr)
	}
	switch nd.Kind {
	case NodeValue:
		p.add(n, nd.Value, "%s", p.value(nd.Value))
	case NodeIf:
		p.add(n, NoValue, "if %s%s%s%s {", p.arg(&nd.Cond), at(nd.Instr), end(), p.params(nd.Params))
		p.block(nd.Regions[0])
		p.add(n, NoValue, "} else {")
		p.block(nd.Regions[1])
		p.add(n, NoValue, "}")
	case NodeLoop:
		inits := make([]string, len(nd.Header))
		for i, h := range nd.Header {
			inits[i] = p.def(h) + " = " + p.arg(&nd.Inits[i])
		}
		p.add(n, NoValue, "loop (%s)%s%s%s {", strings.Join(inits, ", "), at(nd.Instr), end(), p.params(nd.Params))
		p.block(nd.Regions[0])
		p.add(n, NoValue, "}")
	case NodeSwitch:
		p.add(n, NoValue, "switch %s%s%s%s {", p.arg(&nd.Cond), at(nd.Instr), end(), p.params(nd.Params))
		for i, r := range nd.Regions {
			var ls []string
			for _, l := range nd.Labels[i] {
				ls = append(ls, strconv.FormatUint(uint64(l), 10))
			}
			if i == nd.Default {
				ls = append(ls, "default")
			}
			p.add(n, NoValue, "case %s {", strings.Join(ls, ", "))
			p.block(r)
			p.add(n, NoValue, "}")
		}
		p.add(n, NoValue, "}")
	default:
		word := [...]string{NodeYield: "yield", NodeBreak: "break", NodeContinue: "continue", NodeReturn: "return"}[nd.Kind]
		args := make([]string, len(nd.Args))
		for i := range nd.Args {
			args[i] = p.arg(&nd.Args[i])
		}
		s := word
		if len(args) > 0 {
			s += " " + strings.Join(args, ", ")
		}
		p.add(n, NoValue, "%s%s", s, at(nd.Instr))
	}
}

func (p *printer) block(r RegionID) {
	p.indent++
	p.region(r)
	p.indent--
}

func (p *printer) value(v ValueID) string {
	val := &p.f.Values[v]
	var s strings.Builder
	if val.N > 0 {
		s.WriteString(p.def(v) + " = ")
	} else {
		fmt.Fprintf(&s, "v%d = ", v)
	}
	s.WriteString(val.Op.String())
	for i := range val.Args {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(" " + p.arg(&val.Args[i]))
	}
	s.WriteString(at(val.Instr))
	s.WriteString(p.reg(val))
	if val.Res >= 0 {
		fmt.Fprintf(&s, " res=%d", val.Res)
	}
	if val.Samp >= 0 {
		fmt.Fprintf(&s, " samp=%d", val.Samp)
	}
	if val.Imm != [4]uint32{} {
		s.WriteString(" imm=")
		for i, w := range val.Imm {
			if i > 0 {
				s.WriteByte(',')
			}
			s.WriteString(strconv.FormatUint(uint64(w), 10))
		}
	}
	if val.Offs != [3]int8{} {
		s.WriteString(" offs=" + ints(val.Offs[:]))
	}
	if val.Precise {
		s.WriteString(" precise")
	}
	if val.Uniform {
		s.WriteString(" uniform")
	}
	return s.String()
}

// arg prints an operand; runs of lanes of one value stand together.
func (p *printer) arg(a *Arg) string {
	if a.N == 0 {
		return "_"
	}
	var parts []string
	for k := 0; k < int(a.N); {
		l := a.Lanes[k]
		v := &p.f.Values[l.V]
		j := k + 1
		switch v.Op {
		case OpConst:
			parts = append(parts, fmt.Sprintf("#%08x", v.Imm[l.L]))
		case OpUndef:
			parts = append(parts, "undef")
		default:
			for j < int(a.N) && a.Lanes[j].V == l.V {
				j++
			}
			s := fmt.Sprintf("v%d", l.V)
			switch {
			case v.Op == OpInput:
				s = fmt.Sprintf("in%d", v.Imm[0])
			case v.Op == OpCBLoad && v.Node == NoNode:
				s = fmt.Sprintf("cb%d[%d]", v.Res, v.Imm[0])
			}
			s += "."
			for _, m := range a.Lanes[k:j] {
				s += laneNames[m.L : m.L+1]
			}
			parts = append(parts, s)
		}
		k = j
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// kindOfWord reads a program kind's word.
func kindOfWord(s string) (dxbc.ProgramKind, bool) {
	for k := dxbc.Pixel; k <= dxbc.Compute; k++ {
		if k.String() == s {
			return k, true
		}
	}
	return 0, false
}
