package ir

import "fxlens/core/dxbc"

// access is one load, store or atomic of the program, with its coordinates.
type access struct {
	res      int32
	instr    int32
	store    bool
	atomic   bool
	exchange bool   // an atomic that does not depend on what is there
	at       []form // one per coordinate: the byte of raw buffers, the element, the texel
	width    int64  // bytes of raw buffers, else elements
	bounded  bool   // a guard bounds the index
	limited  [3]bool
	guards   []guard // those that hold where it is executed
}

// guard is a bound that holds in a part of the program: terms < below.
type guard struct {
	terms []term
	below uni
	bound Lane // the lane that below was made from
	equal bool // from an equality
	instr int32
}

// collect walks the program and finds accesses, with the guards that hold there.
func (p *premises) collect() {
	if len(p.f.Regions) > 0 {
		p.region(0, nil)
	}
}

// maxHeld bounds the guards that are remembered at one place, the innermost ones,
// and maxAccesses the accesses: programs beyond are stated incompletely.
const (
	maxHeld     = 64
	maxAccesses = 2048
)

// held is guards with more behind them; guards are shared by the places they hold at.
func held(guards, more []guard) []guard {
	if len(more) == 0 {
		return guards
	}
	out := append(guards[:len(guards):len(guards)], more...)
	return out[max(0, len(out)-maxHeld):]
}

// region walks a region under guards that hold at its start.
func (p *premises) region(r RegionID, hold []guard) {
	f := p.f
	for _, n := range f.Regions[r].Nodes {
		nd := &f.Nodes[n]
		switch nd.Kind {
		case NodeValue:
			p.live = append(p.live, nd.Value)
			p.access(&f.Values[nd.Value], hold)
		case NodeIf:
			var after []guard
			for arm, c := range nd.Regions {
				gs := p.guardsOf(nd.Cond.Lanes[0], arm == 0, nd.Instr, 8)
				other := nd.Regions[1-arm]
				nodes := f.Regions[other].Nodes
				end := &f.Nodes[nodes[len(nodes)-1]]
				if end.Kind == NodeBreak && f.Nodes[end.Target].Kind == NodeLoop {
					p.loops = append(p.loops, gs...)
				}
				if end.Kind != NodeYield {
					after = append(after, gs...) // the other arm never comes here
				}
				p.guards = append(p.guards, gs...)
				p.region(c, held(hold, gs))
			}
			hold = held(hold, after)
		default:
			for _, c := range nd.Regions {
				p.region(c, hold)
			}
		}
	}
}

// guardsOf lists the bounds that follow from a condition that has the value is.
func (p *premises) guardsOf(l Lane, is bool, instr int32, depth int) []guard {
	v := &p.f.Values[l.V]
	if depth == 0 {
		return nil
	}
	lane := func(i int) Lane { return v.Args[i].Lanes[min(l.L, v.Args[i].N-1)] }
	if v.Instr >= 0 {
		instr = v.Instr
	}
	switch v.Op {
	case OpNot:
		return p.guardsOf(lane(0), !is, instr, depth-1)
	case OpAnd, OpOr:
		if (v.Op == OpAnd) == is && v.Kind == Bool {
			return append(p.guardsOf(lane(0), is, instr, depth-1), p.guardsOf(lane(1), is, instr, depth-1)...)
		}
	case OpTestNZ:
		if !is {
			return p.guard(lane(0), Lane{V: NoValue}, 1, true, instr)
		}
	case OpIEq, OpINe:
		if (v.Op == OpIEq) == is {
			gs := p.guard(lane(0), lane(1), 1, true, instr)
			return append(gs, p.guard(lane(1), lane(0), 1, true, instr)...)
		}
	case OpULt, OpILt:
		if is {
			return p.guard(lane(0), lane(1), 0, false, instr)
		}
		return p.guard(lane(1), lane(0), 1, false, instr)
	case OpUGe, OpIGe:
		if is {
			return p.guard(lane(1), lane(0), 1, false, instr)
		}
		return p.guard(lane(0), lane(1), 0, false, instr)
	}
	return nil
}

// guard is a < b + more; b may be no lane, which is zero. What is smaller than a
// minimum is smaller than both.
func (p *premises) guard(a, b Lane, more int64, equal bool, instr int32) []guard {
	if b.V >= 0 && !equal {
		v := &p.f.Values[b.V]
		lane := func(i int) Lane { return v.Args[i].Lanes[min(b.L, v.Args[i].N-1)] }
		switch v.Op {
		case OpIMin, OpUMin:
			return append(p.guard(a, lane(0), more, false, instr), p.guard(a, lane(1), more, false, instr)...)
		case OpIMax: // a is an index: nothing is below zero
			for i := range 2 {
				if n, ok := p.f.bits(lane(i)); ok && n == 0 {
					return p.guard(a, lane(1-i), more, false, instr)
				}
			}
		}
	}
	d := p.form(a, formDepth)
	if b.V >= 0 {
		d = d.plus(p.form(b, formDepth), -1)
	}
	if !d.ok || len(d.terms) == 0 {
		return nil
	}
	below := (uni{}).plus(d.rest.times(-1)).plus(number(more))
	g := guard{terms: d.terms, below: below, bound: b, equal: equal, instr: instr}
	if b.V < 0 {
		g.bound = a
	}
	return []guard{g}
}

func (p *premises) access(v *Value, hold []guard) {
	f := p.f
	a := access{res: v.Res, instr: v.Instr, width: 1, guards: hold}
	texture := func(arg *Arg, n int) {
		for i := range min(n, int(arg.N)) {
			a.at = append(a.at, p.form(arg.Lanes[i], formDepth))
		}
	}
	switch v.Op {
	case OpLoadRaw, OpLoadStructured:
		a.at = []form{p.form(v.Args[0].Lanes[0], formDepth)}
		if v.Op == OpLoadRaw {
			last := uint32(0)
			for _, w := range v.Imm[:v.N] {
				last = max(last, w)
			}
			a.width = int64(last)*4 + 4
		}
	case OpStoreRaw, OpStoreStructured:
		a.store = true
		a.at = []form{p.form(v.Args[0].Lanes[0], formDepth)}
		if v.Op == OpStoreRaw {
			a.width = int64(v.Args[len(v.Args)-1].N) * 4
		}
	case OpLoadTyped, OpStoreTyped, OpLoad:
		a.store = v.Op == OpStoreTyped
		n := 3
		if isBufferDim(f.Resources[v.Res].Dim) {
			n = 1
		}
		texture(&v.Args[0], n)
		for i := range a.at {
			a.at[i] = a.at[i].plus(form{rest: number(int64(v.Offs[i])).plus(nil), ok: true}, 1)
		}
	case OpAtomic:
		a.store, a.atomic = true, true
		switch AtomicOp(v.Imm[0]) {
		case AtomicExch:
			a.exchange = v.N == 0
		}
		n := 1
		if !isBufferDim(f.Resources[v.Res].Dim) {
			n = 3
		}
		if f.Resources[v.Res].Dim == dxbc.DimRawBuffer {
			a.width = 4
		}
		texture(&v.Args[0], n)
	default:
		return
	}
	if f.Resources[v.Res].Class == GroupShared || len(p.accesses) == maxAccesses {
		return
	}
	for c := range a.at {
		for _, t := range a.at[c].terms {
			for i := range hold {
				if g := &hold[i]; !g.equal && len(g.terms) == 1 && g.terms[0].key == t.key && t.key.id != idNone {
					a.limited[t.key.axis] = true
				}
			}
		}
		if len(a.at) == 1 {
			_, a.bounded = p.last(&a)
		} else if len(a.at[c].terms) == 1 {
			a.bounded = a.bounded || a.limited[a.at[c].terms[0].key.axis]
		}
	}
	p.accesses = append(p.accesses, a)
}

// last is the largest value of a buffer access's index, where guards, the size
// of the group and constants give one.
func (p *premises) last(a *access) (uni, bool) {
	x := a.at[0]
	if !x.ok {
		return nil, false
	}
	for i := len(a.guards) - 1; i >= 0 && len(x.terms) > 0; i-- {
		if g := &a.guards[i]; sameTerms(g.terms, x.terms) {
			return g.below.plus(number(-1)).plus(x.rest), true
		}
	}
	sum := (uni{}).plus(x.rest)
	size := p.f.ThreadGroup
	for _, t := range x.terms {
		if t.sym != "" || t.num < 0 {
			return nil, false
		}
		bound, ok := uni(nil), false
		for i := len(a.guards) - 1; i >= 0 && !ok; i-- {
			if g := &a.guards[i]; sameTerms(g.terms, []term{{num: 1, key: t.key}}) {
				bound, ok = g.below.plus(number(-1)), true
			}
		}
		switch {
		case ok:
		case t.key.id == idLocal:
			bound = number(int64(size[t.key.axis]) - 1)
		case t.key.id == idFlat:
			bound = number(int64(size[0])*int64(size[1])*int64(size[2]) - 1)
		default:
			return nil, false
		}
		sum = sum.plus(bound.times(t.num))
	}
	return sum, true
}
