package ir

import (
	"fmt"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
)

// ParseError is a syntax error in the text form.
type ParseError struct {
	Line   int // from 1
	Reason string
}

func (e *ParseError) Error() string { return fmt.Sprintf("ir text line %d: %s", e.Line, e.Reason) }

// Parse reads the text form that Print writes. The function has no shader or
// program; instruction numbers are kept as they are. The result has been
// verified.
func Parse(text string) (f *Function, err error) {
	p := &parser{lines: strings.Split(text, "\n"), f: &Function{}, ids: map[string]ValueID{}, leaves: map[leafKey]ValueID{}}
	defer func() {
		if r := recover(); r != nil {
			pe, ok := r.(*ParseError)
			if !ok {
				panic(r)
			}
			f, err = nil, pe
		}
	}()
	p.function()
	if err := Verify(p.f); err != nil {
		return nil, fmt.Errorf("ir text: %w", err)
	}
	return p.f, nil
}

type parser struct {
	lines  []string
	n      int
	f      *Function
	ids    map[string]ValueID
	leaves map[leafKey]ValueID
	stack  []NodeID // enclosing constructs
	maxIns int32
}

func (p *parser) fail(format string, args ...any) {
	panic(&ParseError{p.n, fmt.Sprintf(format, args...)})
}

// next returns the next line that is not blank, or false.
func (p *parser) next() (string, bool) {
	for p.n < len(p.lines) {
		s := strings.TrimSpace(p.lines[p.n])
		p.n++
		if s != "" {
			return s, true
		}
	}
	return "", false
}

func (p *parser) number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.fail("%q is no number", s)
	}
	return n
}

// fields splits a header line into words and attributes; quoted words stay whole.
func (p *parser) fields(s string) (words []string, attrs map[string]string, flags map[string]bool) {
	attrs, flags = map[string]string{}, map[string]bool{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := 0
		quoted := false
		for end < len(s) && (quoted || s[end] != ' ') {
			if s[end] == '"' {
				quoted = !quoted
			} else if s[end] == '\\' && quoted {
				end++
			}
			end++
		}
		end = min(end, len(s))
		w := s[:end]
		s = s[end:]
		key, val, isAttr := strings.Cut(w, "=")
		switch {
		case isAttr && !strings.HasPrefix(w, `"`):
			attrs[key] = p.unquote(val)
		case len(words) > 0 && !strings.HasPrefix(w, `"`) && isWord(w):
			flags[w] = true
			words = append(words, w)
		default:
			words = append(words, p.unquote(w))
		}
	}
	return words, attrs, flags
}

func isWord(s string) bool { return s[0] >= 'a' && s[0] <= 'z' }

func (p *parser) unquote(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	u, err := strconv.Unquote(s)
	if err != nil {
		p.fail("%s is no quoted text", s)
	}
	return u
}

func (p *parser) mask(s string) uint8 {
	if s == "_" {
		return 0
	}
	var m uint8
	for _, c := range s {
		i := strings.IndexRune(laneNames, c)
		if i < 0 {
			p.fail("%q is no component mask", s)
		}
		m |= 1 << i
	}
	return m
}

func (p *parser) need(words []string, n int) {
	if len(words) < n {
		p.fail("the line is incomplete")
	}
}

func (p *parser) function() {
	f := p.f
	for {
		line, ok := p.next()
		if !ok {
			p.fail("no body")
		}
		if line == "body {" {
			break
		}
		words, at, flags := p.fields(line)
		num := func(k string) int64 {
			v, ok := at[k]
			if !ok {
				p.fail("%s is missing", k)
			}
			return p.number(v)
		}
		p.need(words, 1)
		switch words[0] {
		case "program":
			p.need(words, 2)
			k, ok := kindOfWord(words[1])
			if !ok {
				p.fail("%q is no program kind", words[1])
			}
			f.Kind = k
		case "thread_group":
			p.need(words, 4)
			for i := range 3 {
				f.ThreadGroup[i] = uint32(p.number(words[1+i]))
			}
		case "early_depth":
			f.EarlyDepth = true
		case "resource":
			p.need(words, 3)
			r := Resource{Register: uint32(num("register")), Space: uint32(num("space")), RangeID: uint32(num("range")), Count: uint32(num("count")),
				Dim: dxbc.Dim(num("dim")), Samples: uint8(num("samples")), Stride: uint32(num("stride")), Size: uint32(num("size")), Instr: int32(num("instr")),
				Format: at["format"], FormatFrom: at["from"], Name: at["name"]}
			r.Class = Class(p.word(words[2], classNames[:]))
			for i, s := range strings.Split(at["return"], ",") {
				if i < 4 {
					r.Return[i] = dxbc.ReturnType(p.number(s))
				}
			}
			if s := at["samplers"]; s != "" {
				for _, n := range strings.Split(s, ",") {
					r.Samplers = append(r.Samplers, int32(p.number(n)))
				}
			}
			for _, fl := range r.flags() {
				*fl.p = flags[fl.name]
			}
			f.Resources = append(f.Resources, r)
		case "array":
			p.need(words, 3)
			f.Arrays = append(f.Arrays, Array{Class: ArrayClass(p.word(words[2], arrayClassNames[:])), Index: uint32(num("index")), Len: uint32(num("len")),
				N: uint8(num("n")), Kind: Kind(p.word(at["kind"], kindNames[:])), Instr: int32(num("instr"))})
		case "icb":
			p.need(words, 5)
			var row [4]uint32
			for i := range row {
				n, err := strconv.ParseUint(words[1+i], 16, 32)
				if err != nil {
					p.fail("%q is no hexadecimal word", words[1+i])
				}
				row[i] = uint32(n)
			}
			f.ICB = append(f.ICB, row)
		case "in", "out":
			p.need(words, 4)
			e := Elem{Semantic: words[2], Index: uint32(p.number(words[3])), Register: uint32(int32(num("register"))), RegType: dxbc.RegType(num("reg")),
				Mask: p.mask(at["mask"]), Used: p.mask(at["used"]), SysValue: uint32(num("sys")), CompType: uint32(num("comp")),
				Interp: dxbc.Interpolation(num("interp")), Min: dxbc.MinPrecision(num("min")), Stream: uint32(num("stream")), Instr: int32(num("instr"))}
			if words[0] == "in" {
				f.Inputs = append(f.Inputs, e)
			} else {
				f.Outputs = append(f.Outputs, e)
			}
		case "constant":
			p.need(words, 4)
			f.Constants = append(f.Constants, Constant{words[1], uint32(p.number(words[2])), uint32(p.number(words[3]))})
		default:
			p.fail("%q begins no header line", words[0])
		}
	}
	p.region(NoNode)
	f.Fates = make([]Fate, p.maxIns+1)
}

func (p *parser) word(s string, names []string) int {
	for i, n := range names {
		if n == s {
			return i
		}
	}
	p.fail("%q is none of %s", s, strings.Join(names, ", "))
	return 0
}

// region reads nodes up to the line that closes the region, which it returns.
func (p *parser) region(parent NodeID) (RegionID, string) {
	f := p.f
	id := RegionID(len(f.Regions))
	f.Regions = append(f.Regions, Region{Parent: parent})
	for {
		line, ok := p.next()
		if !ok {
			p.fail("the text ends inside a block")
		}
		if strings.HasPrefix(line, "}") {
			return id, line
		}
		p.node(id, line)
	}
}

func (p *parser) addNode(r RegionID, n Node) NodeID {
	id := p.f.Add(r, n)
	p.maxIns = max(p.maxIns, n.Instr, p.f.Nodes[id].EndInstr)
	return id
}

// tail takes the attributes off the end of a line: @N, end=N, reg=N.xy and so on.
func (p *parser) tail(s string) (string, map[string]string) {
	at := map[string]string{"@": "-1", "end": "-1"}
	for {
		s = strings.TrimSpace(s)
		i := strings.LastIndexByte(s, ' ')
		if i < 0 {
			return s, at
		}
		w := s[i+1:]
		switch key, val, ok := strings.Cut(w, "="); {
		case w == "precise", w == "uniform":
			at[w] = "1"
		case strings.HasPrefix(w, "@"):
			at["@"] = w[1:]
		case ok:
			at[key] = val
		default:
			return s, at
		}
		s = s[:i]
	}
}

func (p *parser) node(r RegionID, line string) {
	f := p.f
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "if", "switch", "loop":
		body, ok := strings.CutSuffix(line, "{")
		if !ok {
			p.fail("%s does not open a block", word)
		}
		head, params, _ := strings.Cut(body, " -> ")
		n := Node{Value: NoValue, Target: NoNode, Construct: &Construct{Default: -1}}
		var inits string
		if word == "loop" {
			open, close := strings.IndexByte(head, '('), strings.LastIndexByte(head, ')')
			if open < 0 || close < open {
				p.fail("loop without a parameter list")
			}
			inits = head[open+1 : close]
			head = "loop" + head[close+1:]
		}
		head, at := p.tail(head)
		n.Instr, n.EndInstr = int32(p.number(at["@"])), int32(p.number(at["end"]))
		n.Kind = map[string]NodeKind{"if": NodeIf, "switch": NodeSwitch, "loop": NodeLoop}[word]
		if word != "loop" {
			n.Cond = p.arg(strings.TrimSpace(strings.TrimPrefix(head, word)))
		}
		id := p.addNode(r, n)
		if word == "loop" {
			for _, d := range splitTop(inits) {
				def, init, ok := strings.Cut(d, " = ")
				if !ok {
					p.fail("header parameter %q has no initial value", d)
				}
				a := p.arg(init)
				f.Nodes[id].Inits = append(f.Nodes[id].Inits, a)
				v := p.param(id, def)
				f.Nodes[id].Header = append(f.Nodes[id].Header, v)
			}
		}
		p.stack = append(p.stack, id)
		if word == "switch" {
			p.cases(id)
		} else {
			b, closing := p.region(id)
			f.Nodes[id].Regions = append(f.Nodes[id].Regions, b)
			if word == "if" {
				if closing != "} else {" {
					p.fail("if without else")
				}
				b, closing = p.region(id)
				f.Nodes[id].Regions = append(f.Nodes[id].Regions, b)
			}
			if closing != "}" {
				p.fail("%q closes no block", closing)
			}
		}
		p.stack = p.stack[:len(p.stack)-1]
		for _, d := range splitTop(params) {
			v := p.param(id, d)
			f.Nodes[id].Params = append(f.Nodes[id].Params, v)
		}
	case "yield", "break", "continue", "return":
		n := Node{Value: NoValue, Target: NoNode}
		n.Kind = map[string]NodeKind{"yield": NodeYield, "break": NodeBreak, "continue": NodeContinue, "return": NodeReturn}[word]
		if strings.HasPrefix(rest, "@") {
			rest = " " + rest
		}
		rest, at := p.tail(" " + rest)
		if strings.HasPrefix(rest, "@") {
			at["@"], rest = rest[1:], ""
		}
		n.Instr = int32(p.number(at["@"]))
		for _, a := range splitTop(rest) {
			n.Args = append(n.Args, p.arg(a))
		}
		for i := len(p.stack) - 1; i >= 0 && n.Kind != NodeReturn; i-- {
			k := f.Nodes[p.stack[i]].Kind
			if n.Kind == NodeYield && k == NodeIf || k == NodeLoop && n.Kind != NodeYield || k == NodeSwitch && n.Kind == NodeBreak {
				n.Target = p.stack[i]
				break
			}
		}
		if n.Target == NoNode && n.Kind != NodeReturn {
			p.fail("%s outside a construct", word)
		}
		p.addNode(r, n)
	default:
		p.value(r, line)
	}
}

func (p *parser) cases(id NodeID) {
	f := p.f
	for {
		line, ok := p.next()
		if !ok {
			p.fail("the text ends inside a switch")
		}
		if line == "}" {
			return
		}
		list, ok := strings.CutPrefix(line, "case ")
		list, ok2 := strings.CutSuffix(list, " {")
		if !ok || !ok2 {
			p.fail("%q is no clause", line)
		}
		var labels []uint32
		for _, l := range splitTop(list) {
			if l == "default" {
				f.Nodes[id].Default = len(f.Nodes[id].Regions)
				continue
			}
			labels = append(labels, uint32(p.number(l)))
		}
		f.Nodes[id].Labels = append(f.Nodes[id].Labels, labels)
		b, _ := p.region(id)
		f.Nodes[id].Regions = append(f.Nodes[id].Regions, b)
	}
}

// splitTop splits at commas outside parentheses.
func splitTop(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ',' && depth == 0 {
			if w := strings.TrimSpace(s[start:i]); w != "" {
				out = append(out, w)
			}
			start = i + 1
			continue
		}
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return out
}

// define reads "v3:f32x2" and enters the name.
func (p *parser) define(s string) Value {
	name, typ, ok := strings.Cut(s, ":")
	v := Value{Reg: -1, Res: -1, Samp: -1, Instr: -1}
	if ok {
		kind, n, ok := strings.Cut(typ, "x")
		if !ok {
			p.fail("%q is no type", typ)
		}
		if kind == "bits" || kind == "" {
			kind = "bits"
		}
		v.Kind = Kind(p.word(kind, kindNames[:]))
		v.N = uint8(p.number(n))
	}
	if !strings.HasPrefix(name, "v") {
		p.fail("%q is no value", name)
	}
	if _, dup := p.ids[name]; dup {
		p.fail("%s is defined twice", name)
	}
	p.ids[name] = ValueID(len(p.f.Values))
	return v
}

func (p *parser) setReg(v *Value, s string) {
	num, comps, ok := strings.Cut(s, ".")
	if !ok || len(comps) > 4 {
		p.fail("%q is no register", s)
	}
	v.Reg = int32(p.number(num))
	for k, c := range comps {
		i := strings.IndexRune(laneNames, c)
		if i < 0 {
			p.fail("%q is no register", s)
		}
		v.RegLanes[k] = uint8(i)
	}
}

func (p *parser) param(n NodeID, s string) ValueID {
	def, at := p.tail(s)
	v := p.define(def)
	v.Op, v.Node, v.Instr = OpParam, n, p.f.Nodes[n].Instr
	if r, ok := at["reg"]; ok {
		p.setReg(&v, r)
	}
	if o, ok := at["out"]; ok {
		p.setReg(&v, o)
		v.Out, v.Reg = v.Reg+1, -1
	}
	p.f.Values = append(p.f.Values, v)
	return ValueID(len(p.f.Values) - 1)
}

func (p *parser) value(r RegionID, line string) {
	def, rest, ok := strings.Cut(line, " = ")
	if !ok {
		p.fail("%q is no value", line)
	}
	rest, at := p.tail(rest)
	name, operands, _ := strings.Cut(rest, " ")
	op := -1
	for i := range opTable {
		if opTable[i].Name == name {
			op = i
		}
	}
	if op < 0 {
		p.fail("%q is no operation", name)
	}
	var args []Arg
	for _, a := range splitTop(operands) {
		args = append(args, p.arg(a))
	}
	v := p.define(def)
	p.ids[strings.SplitN(def, ":", 2)[0]] = ValueID(len(p.f.Values))
	v.Op, v.Args, v.Instr = Op(op), args, int32(p.number(at["@"]))
	if s, ok := at["reg"]; ok {
		p.setReg(&v, s)
	}
	if s, ok := at["res"]; ok {
		v.Res = int32(p.number(s))
	}
	if s, ok := at["samp"]; ok {
		v.Samp = int32(p.number(s))
	}
	if s, ok := at["imm"]; ok {
		for i, w := range strings.Split(s, ",") {
			if i < 4 {
				v.Imm[i] = uint32(p.number(w))
			}
		}
	}
	if s, ok := at["offs"]; ok {
		for i, w := range strings.Split(s, ",") {
			if i < 3 {
				v.Offs[i] = int8(p.number(w))
			}
		}
	}
	v.Precise, v.Uniform = at["precise"] != "", at["uniform"] != ""
	limit := int32(len(p.f.Resources))
	if v.Op == OpArrayLoad || v.Op == OpArrayStore {
		limit = int32(len(p.f.Arrays))
	}
	if v.Res >= limit || v.Samp >= int32(len(p.f.Resources)) {
		p.fail("%s names a resource that is not there", name)
	}
	id := ValueID(len(p.f.Values))
	v.Node = p.addNode(r, Node{Kind: NodeValue, Value: id, Instr: v.Instr, Target: NoNode})
	p.f.Values = append(p.f.Values, v)
}

func (p *parser) arg(s string) Arg {
	var a Arg
	if s == "_" {
		return a
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	for _, part := range strings.Fields(s) {
		base, lanes, dotted := strings.Cut(part, ".")
		var v ValueID
		switch {
		case strings.HasPrefix(part, "#"):
			n, err := strconv.ParseUint(part[1:], 16, 32)
			if err != nil {
				p.fail("%q is no constant", part)
			}
			v = p.leaf(Value{Op: OpConst, N: 1, Imm: [4]uint32{uint32(n)}, Res: -1})
			lanes = "x"
		case part == "undef":
			v = p.leaf(Value{Op: OpUndef, N: 1, Res: -1})
			lanes = "x"
		case strings.HasPrefix(base, "in"):
			i := p.number(base[2:])
			if i < 0 || int(i) >= len(p.f.Inputs) {
				p.fail("%s is no input", base)
			}
			v = p.leaf(Value{Op: OpInput, Kind: p.f.Inputs[i].Kind(), N: popcount(p.f.Inputs[i].Mask), Imm: [4]uint32{uint32(i)}, Res: -1})
		case strings.HasPrefix(base, "cb"):
			res, row, ok := strings.Cut(strings.TrimSuffix(base[2:], "]"), "[")
			if !ok {
				p.fail("%q is no constant buffer row", base)
			}
			n := p.number(res)
			if n < 0 || int(n) >= len(p.f.Resources) {
				p.fail("%s is no resource", base)
			}
			v = p.leaf(Value{Op: OpCBLoad, Kind: F32, N: 4, Imm: [4]uint32{uint32(p.number(row))}, Res: int32(n), Args: []Arg{{}, {}}})
		default:
			id, ok := p.ids[base]
			if !ok || !dotted {
				p.fail("%q is not defined before", part)
			}
			v = id
		}
		if lanes == "" {
			p.fail("%q names no lane", part) // what has no lane is written _
		}
		for _, c := range lanes {
			i := strings.IndexRune(laneNames, c)
			if i < 0 || a.N == 4 {
				p.fail("%q is no operand", s)
			}
			a.Lanes[a.N] = Lane{v, uint8(i)}
			a.N++
		}
	}
	return a
}

// leafKey is what a leaf is, however it is spelt: #0 and #00 are one constant.
type leafKey struct {
	op  Op
	imm uint32
	res int32
}

func (p *parser) leaf(v Value) ValueID {
	key := leafKey{v.Op, v.Imm[0], v.Res}
	id, ok := p.leaves[key]
	if !ok {
		id = ValueID(len(p.f.Values))
		v.Reg, v.Samp, v.Instr, v.Node = -1, -1, -1, NoNode
		p.f.Values = append(p.f.Values, v)
		p.leaves[key] = id
	}
	return id
}
