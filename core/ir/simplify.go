package ir

import (
	"sync"
)

// simplify folds constants, turns masks into booleans, and removes operations
// that change nothing. It changes no result, NaN and the sign of zero included.
func simplify(f *Function) {
	s := &simplifier{f: f, fw: newForward(len(f.Values))}
	markBools(f)
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind == NodeValue {
			for i := range f.Values[nd.Value].Args {
				s.fw.arg(&f.Values[nd.Value].Args[i])
			}
			s.value(nd.Value)
			return
		}
		s.fw.arg(&nd.Cond)
		if nd.Kind == NodeIf {
			s.condition(n)
		}
	})
	if s.fw.to != nil {
		f.eachArg(func(a *Arg, _ ValueID, _ NodeID) { s.fw.arg(a) })
	}
	s.fw.release()
}

type simplifier struct {
	f      *Function
	fw     *forward
	consts map[uint32]ValueID // made when it is first asked
}

func (s *simplifier) constant(bits uint32) Lane {
	if s.consts == nil {
		s.consts = map[uint32]ValueID{}
		for i := range s.f.Values {
			if v := &s.f.Values[i]; v.Op == OpConst && v.N == 1 {
				if _, ok := s.consts[v.Imm[0]]; !ok {
					s.consts[v.Imm[0]] = ValueID(i)
				}
			}
		}
	}
	id, ok := s.consts[bits]
	if !ok {
		id = ValueID(len(s.f.Values))
		s.f.Values = append(s.f.Values, Value{Op: OpConst, N: 1, Reg: -1, Instr: -1, Imm: [4]uint32{bits}, Res: -1, Samp: -1, Node: NoNode})
		s.consts[bits] = id
		s.fw.grow(len(s.f.Values))
	}
	return Lane{V: id}
}

// bits returns the bits of a constant lane.
func (f *Function) bits(l Lane) (uint32, bool) {
	if l.V < 0 {
		return 0, false
	}
	v := &f.Values[l.V]
	if v.Op == OpConst {
		return v.Imm[l.L], true
	}
	return 0, false
}

// Const returns the bits of a lane that is a constant.
func (f *Function) Const(l Lane) (uint32, bool) { return f.bits(l) }

// isBool reports whether the lane is a mask: all ones or zero.
func (f *Function) isBool(l Lane) bool {
	if l.V < 0 {
		return false
	}
	v := &f.Values[l.V]
	if v.Op == OpConst {
		return v.Imm[l.L] == 0 || v.Imm[l.L] == 0xFFFFFFFF
	}
	return v.Kind == Bool || v.Op.Info().Result == 'b'
}

func (f *Function) allBool(a *Arg) bool {
	for k := range a.Lanes[:a.N] {
		if !f.isBool(a.Lanes[k]) {
			return false
		}
	}
	return true
}

// A maskSource is a value that may be a mask, with what flows into it: operands
// of a value, or what the ways to a parameter carry.
type maskSource struct {
	v        ValueID
	from, to int      // operands of v
	node     NodeID   // parameter: its node
	i        int      // parameter: its place
	ends     []NodeID // parameter: the terminators that lead to it
	header   bool
	out      bool // not a mask
	real     bool // a comparison reaches it, or it is tested
	done     bool
}

func (m *maskSource) count() int {
	if m.header {
		return 1 + len(m.ends)
	}
	return m.to - m.from + len(m.ends)
}

func (m *maskSource) arg(f *Function, k int) *Arg {
	switch {
	case m.header && k == 0:
		return &f.Nodes[m.node].Inits[m.i]
	case m.header:
		return &f.Nodes[m.ends[k-1]].Args[m.i]
	case m.ends != nil:
		return &f.Nodes[m.ends[k]].Args[m.i]
	}
	return &f.Values[m.v].Args[m.from+k]
}

// maskMemory is the memory of markBools.
type maskMemory struct {
	list, sorted []maskSource
	at           []int32
}

var maskMemories = sync.Pool{New: func() any { return new(maskMemory) }}

// markBools finds the logic operations, selects and parameters whose every lane
// is a mask whatever path is taken, and makes them Bool.
func markBools(f *Function) {
	mem := maskMemories.Get().(*maskMemory)
	defer maskMemories.Put(mem)
	list := mem.list[:0]
	fl := f.flow()
	defer fl.release()
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind == NodeValue {
			switch f.Values[nd.Value].Op {
			case OpAnd, OpOr, OpXor:
				list = append(list, maskSource{v: nd.Value, to: 2})
			case OpNot:
				list = append(list, maskSource{v: nd.Value, to: 1})
			case OpSelect:
				list = append(list, maskSource{v: nd.Value, from: 1, to: 3})
			}
			return
		}
		for i, h := range nd.Header {
			list = append(list, maskSource{v: h, node: n, i: i, ends: fl.conts.of(n), header: true})
		}
		for i, p := range nd.Params {
			list = append(list, maskSource{v: p, node: n, i: i, ends: fl.exits.of(n)})
		}
	})
	mem.list = list
	if len(list) == 0 {
		return
	}
	mem.at = zeroed(mem.at, len(f.Values))
	at := mem.at // 1 + place in the list
	for i := range list {
		at[list[i].v] = int32(i) + 1
	}
	// By value: sources mostly stand before what they flow into.
	mem.sorted = mem.sorted[:0]
	for v, i := range at {
		if i > 0 {
			mem.sorted = append(mem.sorted, list[i-1])
			at[v] = int32(len(mem.sorted))
		}
	}
	list = mem.sorted
	candidate := func(v ValueID) *maskSource {
		if v < 0 || at[v] == 0 || list[at[v]-1].out {
			return nil
		}
		return &list[at[v]-1]
	}
	masks := func(m *maskSource) bool {
		for j := range m.count() {
			a := m.arg(f, j)
			for k := range a.Lanes[:a.N] {
				if candidate(a.Lanes[k].V) == nil && !f.isBool(a.Lanes[k]) {
					return false
				}
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for i := range list {
			if m := &list[i]; !m.out && !masks(m) {
				m.out, changed = true, true
			}
		}
	}
	// What only constants flow into may as well be a number: a flag is Bool only
	// where a comparison reaches it or where it is tested.
	f.Walk(func(n NodeID) {
		if nd := &f.Nodes[n]; nd.Kind == NodeValue && f.Values[nd.Value].Op == OpTestNZ {
			a := &f.Values[nd.Value].Args[0]
			for k := range a.Lanes[:a.N] {
				if m := candidate(a.Lanes[k].V); m != nil {
					m.real = true
				}
			}
		}
	})
	for changed := true; changed; {
		changed = false
		for i := range list {
			m := &list[i]
			if m.out || m.done {
				continue
			}
			yes := m.real
			for j := range m.count() {
				a := m.arg(f, j)
				for k := range a.Lanes[:a.N] {
					c := candidate(a.Lanes[k].V)
					yes = yes || c != nil && c.real || c == nil && f.Values[a.Lanes[k].V].Op != OpConst
				}
			}
			if !yes {
				continue
			}
			m.real, m.done, changed = true, true, true
			// What flows into a mask is one too.
			for j := range m.count() {
				a := m.arg(f, j)
				for k := range a.Lanes[:a.N] {
					if c := candidate(a.Lanes[k].V); c != nil {
						c.real = true
					}
				}
			}
		}
	}
	for i := range list {
		if list[i].real && !list[i].out {
			f.Values[list[i].v].Kind = Bool
		}
	}
}

// condition turns an if on a negation around when it has an else arm, and an if
// on a constant is left to the emitter.
func (s *simplifier) condition(n NodeID) {
	nd := &s.f.Nodes[n]
	c := &s.f.Values[nd.Cond.Lanes[0].V]
	if c.Op == OpNot && c.Kind == Bool && len(s.f.Regions[nd.Regions[1]].Nodes) > 1 {
		nd.Cond = Scalar(c.Args[0].Lanes[nd.Cond.Lanes[0].L])
		nd.Regions[0], nd.Regions[1] = nd.Regions[1], nd.Regions[0]
	}
}

// replace forwards every lane of v.
func (s *simplifier) replace(v ValueID, a Arg) {
	for k := uint8(0); k < a.N; k++ {
		s.fw.set(Lane{v, k}, s.fw.find(a.Lanes[k]))
	}
	if i := s.f.Values[v].Instr; i >= 0 && s.f.Fates[i] == FateLive {
		s.f.Fates[i] = FateFolded
	}
}

// all reports whether every lane of a is the constant.
func (s *simplifier) all(a *Arg, bits uint32) bool {
	for k := range a.Lanes[:a.N] {
		if c, ok := s.f.bits(a.Lanes[k]); !ok || c != bits {
			return false
		}
	}
	return a.N > 0
}

func (s *simplifier) value(id ValueID) {
	f := s.f
	v := &f.Values[id]
	if !v.Op.Is(FlagLanewise) || v.Op.Is(FlagDerivative) {
		return
	}
	if s.fold(id) {
		return
	}
	v = &f.Values[id]
	switch v.Op {
	case OpTestNZ:
		if f.allBool(&v.Args[0]) {
			s.replace(id, v.Args[0])
		} else if sel, ok := s.whole(&v.Args[0], OpSelect); ok && s.constArg(&sel.Args[1]) && s.constArg(&sel.Args[2]) {
			s.testSelect(id, sel, func(x uint32) bool { return x != 0 })
		}
	case OpINe, OpIEq:
		s.compare(id)
	case OpAnd:
		s.and(id)
	case OpOr, OpXor:
		for i := range 2 {
			switch {
			case s.all(&v.Args[i], 0):
				s.replace(id, v.Args[1-i])
				return
			case v.Op == OpOr && s.all(&v.Args[i], 0xFFFFFFFF):
				s.replace(id, v.Args[i])
				return
			}
		}
	case OpNot:
		if inner, ok := s.whole(&v.Args[0], OpNot); ok {
			s.replace(id, inner.Args[0])
		} else if v.Kind == Bool {
			s.negate(id)
		}
	case OpIAdd, OpISub, OpShl, OpIShr, OpUShr:
		switch {
		case s.all(&v.Args[1], 0):
			s.replace(id, v.Args[0])
		case v.Op == OpIAdd && s.all(&v.Args[0], 0):
			s.replace(id, v.Args[1])
		case v.Op == OpIAdd:
			if neg, ok := s.whole(&v.Args[1], OpINeg); ok {
				v.Op, v.Args[1] = OpISub, neg.Args[0]
			} else if neg, ok := s.whole(&v.Args[0], OpINeg); ok {
				v.Op, v.Args[0], v.Args[1] = OpISub, v.Args[1], neg.Args[0]
			}
		}
	case OpFNeg, OpINeg:
		if inner, ok := s.whole(&v.Args[0], v.Op); ok {
			s.replace(id, inner.Args[0])
		}
	case OpFAbs:
		if inner, ok := s.whole(&v.Args[0], OpFAbs); ok {
			v.Args[0] = inner.Args[0]
		} else if inner, ok := s.whole(&v.Args[0], OpFNeg); ok {
			v.Args[0] = inner.Args[0]
		}
	case OpFSat:
		if f.Values[v.Args[0].Lanes[0].V].Op == OpFSat && s.sameValue(&v.Args[0]) {
			s.replace(id, v.Args[0])
		}
	case OpSelect:
		s.selectOp(id)
	case OpUToF, OpIToF, OpFToI, OpFToU:
		if sel, ok := s.whole(&v.Args[0], OpSelect); ok && s.constArg(&sel.Args[1]) && s.constArg(&sel.Args[2]) {
			op := v.Op
			x, y := sel.Args[1], sel.Args[2]
			for k := range x.Lanes[:x.N] {
				for _, a := range []*Arg{&x, &y} {
					b, _ := f.bits(a.Lanes[k])
					r, _ := EvalLane(op, []uint32{b})
					a.Lanes[k] = s.constant(r)
				}
			}
			v = &f.Values[id]
			v.Op, v.Args, v.Kind = OpSelect, []Arg{sel.Args[0], x, y}, Bits
		}
	}
}

// whole returns the value that a reads all lanes of in order, if its op is op.
func (s *simplifier) whole(a *Arg, op Op) (Value, bool) {
	if a.N == 0 || a.Lanes[0].V < 0 {
		return Value{}, false
	}
	v := s.f.Values[a.Lanes[0].V]
	if v.Op != op {
		return Value{}, false
	}
	// Lanes may be picked in any order: the operands are picked alike.
	for k := range a.Lanes[:a.N] {
		if a.Lanes[k].V != a.Lanes[0].V {
			return Value{}, false
		}
	}
	args := make([]Arg, len(v.Args))
	for i := range v.Args {
		args[i].N = a.N
		for k := range a.Lanes[:a.N] {
			args[i].Lanes[k] = v.Args[i].Lanes[a.Lanes[k].L]
		}
	}
	v.Args, v.N = args, a.N
	return v, true
}

func (s *simplifier) sameValue(a *Arg) bool {
	for k := range a.Lanes[:a.N] {
		if a.Lanes[k].V != a.Lanes[0].V {
			return false
		}
	}
	return true
}

func (s *simplifier) constArg(a *Arg) bool {
	for k := range a.Lanes[:a.N] {
		if _, ok := s.f.bits(a.Lanes[k]); !ok {
			return false
		}
	}
	return true
}

// fold computes lanes whose operands are all constant; it reports whether no
// lane is left.
func (s *simplifier) fold(id ValueID) bool {
	f := s.f
	v := f.Values[id]
	if !v.Op.Is(FlagLanewise) {
		return false
	}
	in := make([]uint32, 0, 4)
	var out [4]uint32
	for k := uint8(0); k < v.N; k++ {
		in = in[:0]
		for i := range v.Args {
			b, ok := f.bits(v.Args[i].Lanes[k])
			if !ok {
				return false
			}
			in = append(in, b)
		}
		r, ok := EvalLane(v.Op, in)
		if !ok {
			return false
		}
		out[k] = r
	}
	a := Arg{N: v.N}
	for k := uint8(0); k < v.N; k++ {
		a.Lanes[k] = s.constant(out[k])
	}
	s.replace(id, a)
	return true
}

// testSelect replaces a test of a select between constants by its condition,
// its negation or a constant, where all lanes agree on which.
func (s *simplifier) testSelect(id ValueID, sel Value, test func(uint32) bool) {
	state := -1
	for k := uint8(0); k < sel.N; k++ {
		t, _ := s.f.bits(sel.Args[1].Lanes[k])
		e, _ := s.f.bits(sel.Args[2].Lanes[k])
		st := 0
		if test(t) {
			st |= 1
		}
		if test(e) {
			st |= 2
		}
		if state >= 0 && state != st {
			return
		}
		state = st
	}
	v := &s.f.Values[id]
	switch state {
	case 1:
		s.replace(id, sel.Args[0])
	case 2:
		v.Op, v.Args, v.Kind = OpNot, []Arg{sel.Args[0]}, Bool
		s.negate(id)
	}
}

// compare simplifies an integer comparison of a mask with a constant.
func (s *simplifier) compare(id ValueID) {
	f := s.f
	v := &f.Values[id]
	if s.constArg(&v.Args[0]) {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
	}
	if !s.constArg(&v.Args[1]) {
		return
	}
	eq := v.Op == OpIEq
	c := v.Args[1]
	if f.allBool(&v.Args[0]) && !s.constArg(&v.Args[0]) {
		switch {
		case s.all(&c, 0) && eq || s.all(&c, 0xFFFFFFFF) && !eq:
			v.Op, v.Args, v.Kind = OpNot, v.Args[:1], Bool
			s.negate(id)
		case s.all(&c, 0) && !eq || s.all(&c, 0xFFFFFFFF) && eq:
			s.replace(id, v.Args[0])
		}
		return
	}
	if sel, ok := s.whole(&v.Args[0], OpSelect); ok && s.constArg(&sel.Args[1]) && s.constArg(&sel.Args[2]) {
		b, _ := f.bits(c.Lanes[0])
		if s.all(&c, b) {
			s.testSelect(id, sel, func(x uint32) bool { return (x == b) == eq })
		}
	}
}

// opposite has the comparisons whose complement is one.
var opposite = map[Op]Op{OpIEq: OpINe, OpINe: OpIEq, OpILt: OpIGe, OpIGe: OpILt, OpULt: OpUGe, OpUGe: OpULt, OpFEq: OpFNe, OpFNe: OpFEq}

// negate replaces the complement of a Bool by the opposite comparison, where
// there is an exact one (an ordered float comparison has none).
func (s *simplifier) negate(id ValueID) {
	v := &s.f.Values[id]
	l := v.Args[0].Lanes[0].V
	if l < 0 {
		return
	}
	op, ok := opposite[s.f.Values[l].Op]
	if !ok {
		return
	}
	if inner, whole := s.whole(&v.Args[0], s.f.Values[l].Op); whole {
		v.Op, v.Args, v.Kind = op, inner.Args, Bits
	}
}

func (s *simplifier) and(id ValueID) {
	f := s.f
	v := &f.Values[id]
	for i := range 2 {
		if s.all(&v.Args[i], 0xFFFFFFFF) {
			s.replace(id, v.Args[1-i])
			return
		}
		if s.all(&v.Args[i], 0) {
			s.replace(id, v.Args[i])
			return
		}
	}
	if v.Kind == Bool {
		return
	}
	for i := range 2 {
		if f.allBool(&v.Args[i]) && !s.constArg(&v.Args[i]) {
			zero := Arg{N: v.N}
			z := s.constant(0)
			for k := uint8(0); k < v.N; k++ {
				zero.Lanes[k] = z
			}
			v = &f.Values[id]
			v.Op, v.Args = OpSelect, []Arg{v.Args[i], v.Args[1-i], zero}
			return
		}
	}
}

func (s *simplifier) selectOp(id ValueID) {
	f := s.f
	v := &f.Values[id]
	same := true
	for k := uint8(0); k < v.N; k++ {
		same = same && v.Args[1].Lanes[k] == v.Args[2].Lanes[k]
	}
	switch {
	case same:
		s.replace(id, v.Args[1])
	case s.all(&v.Args[0], 0xFFFFFFFF):
		s.replace(id, v.Args[1])
	case s.all(&v.Args[0], 0):
		s.replace(id, v.Args[2])
	case s.all(&v.Args[1], 0xFFFFFFFF) && s.all(&v.Args[2], 0):
		s.replace(id, v.Args[0])
	case s.all(&v.Args[1], 0) && s.all(&v.Args[2], 0xFFFFFFFF):
		v.Op, v.Args, v.Kind = OpNot, v.Args[:1], Bool
		s.negate(id)
	default:
		if not, ok := s.whole(&v.Args[0], OpNot); ok && f.Values[v.Args[0].Lanes[0].V].Kind == Bool {
			v.Args[0], v.Args[1], v.Args[2] = not.Args[0], v.Args[2], v.Args[1]
		}
	}
}
