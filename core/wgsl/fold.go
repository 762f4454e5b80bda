package wgsl

import (
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// place says where a value's expression stands in the module.
type place uint8

const (
	placeNone  place = iota // unreachable, unused, or without a result
	placeLeaf               // rebuilt at each use: constants, inputs, fixed rows of constant buffers, negations
	placeFold               // inside its only use
	placeSplit              // lanewise, inside several uses of different lanes
	placeLet                // a let of its own
	placeVar                // a variable: parameters and what is coalesced with them
)

// foldPlan says where every value goes, and in what order the nodes stand.
type foldPlan struct {
	place   []place
	uses    []int32               // appearances in the text, by value
	root    []spot                // where a folded value's text stands
	split   map[ir.ValueID][]spot // where each use of a split value stands
	segs    [][]segment           // appearances, by value
	parts   pages[segment]        // where they stand
	packs   map[ir.Arg]*pack      // operands with a name of their own
	inPacks map[ir.Lane][]*pack   // the same, by lane
	after   map[ir.NodeID][]*pack // the same, by the node that they follow
	conv    []bool                // the value's expression must not stand behind && or ||
	pos     []int32               // by node: order of emission, from 1; 0 is unreachable
	end     []int32               // by node: position behind the last one inside
	loop    []ir.NodeID           // by region: innermost loop around its nodes, or NoNode
	depth   []int32               // by region: regions around it
	order   []ir.NodeID           // reachable nodes in order of emission
	own     []int32               // by node: width of its statement, or of operand 0, plus noWidth; see folder
}

// spot is a place in the text: a statement, and the position from which its
// operands are read.
type spot struct {
	node ir.NodeID
	key  rootKey
	at   int32
}

// segment is one appearance of a value: the lanes that it shows, and the user.
type segment struct {
	n     uint8
	lanes [4]uint8
	user  user
}

// pack is an operand that is assembled from several values, always the same way,
// and used more than once: it gets a let behind the last of its values.
type pack struct {
	arg  ir.Arg
	node ir.NodeID
	uses int
	name string // empty until it is declared
	typ  typ
}

// maxWidth is how many columns a statement may have before folding stops; long
// lines are broken where the printer finds a place.
const maxWidth = 96

// stageOf is the stage of f in the plan's numbering.
func stageOf(f *ir.Function) layout.Stage {
	switch f.Kind {
	case dxbc.Vertex:
		return layout.Vertex
	case dxbc.Compute:
		return layout.Compute
	}
	return layout.Fragment
}

// planFolds decides where each value stands. The walk is backwards, so that the
// place of a value's user is known when its own is asked for.
func (e *emitter) planFolds() {
	f := e.f
	p := &e.fold
	p.place = zeroed(p.place, len(f.Values))
	p.uses = zeroed(p.uses, len(f.Values))
	p.root = zeroed(p.root, len(f.Values))
	p.segs = zeroed(p.segs, len(f.Values))
	p.conv = zeroed(p.conv, len(f.Values))
	p.pos = zeroed(p.pos, len(f.Nodes))
	p.end = zeroed(p.end, len(f.Nodes))
	p.own = zeroed(p.own, len(f.Nodes))
	p.loop = zeroed(p.loop, len(f.Regions))
	p.depth = zeroed(p.depth, len(f.Regions))
	e.vars.falls = zeroed(e.vars.falls, len(f.Nodes))
	for i := range p.place {
		if f.Values[i].Node == ir.NoNode && isLeaf(&f.Values[i]) {
			p.place[i] = placeLeaf
		}
	}
	e.number(0, ir.NoNode, 0)
	e.findPacks()

	w := &folder{e: e, effects: e.effectPositions(), jumps: e.jumpPositions(), redefs: e.headerRedefinitions()}
	for i := len(p.order) - 1; i >= 0; i-- {
		id := p.order[i]
		n := &f.Nodes[id]
		if n.Kind != ir.NodeValue {
			e.eachArg(n, func(k int, a ir.Arg) {
				e.countArg(a, 1, &user{spot: spot{id, rootKey{id, int32(k)}, p.pos[id]}, reader: id})
			})
			continue
		}
		for k, x := range p.after[id] {
			if x.uses > 0 {
				e.countArg(x.arg, 1, &user{spot: spot{id, rootKey{id, int32(-2 - k)}, p.pos[id] + 1}, reader: id})
			}
		}
		w.decide(n.Value)
	}
	for _, id := range p.order { // forwards: what must not become conditional
		n := &f.Nodes[id]
		if n.Kind != ir.NodeValue {
			continue
		}
		v := &f.Values[n.Value]
		c := convergent(f, v)
		for _, a := range v.Args {
			for _, l := range a.Lanes[:a.N] {
				if inline(p.place[l.V]) && p.conv[l.V] {
					c = true
				}
			}
		}
		p.conv[n.Value] = c
	}
}

// inline reports whether a value of that place is part of its users' text.
func inline(p place) bool { return p == placeFold || p == placeLeaf || p == placeSplit }

// convergent reports whether v must be evaluated by all neighbours alike.
func convergent(f *ir.Function, v *ir.Value) bool {
	if v.Op.Is(ir.FlagDerivative) {
		return true
	}
	return v.Op.Is(ir.FlagReads) && v.Res >= 0 && v.Op != ir.OpArrayLoad && int(v.Res) < len(f.Resources) &&
		f.Resources[v.Res].Class == ir.GroupShared // may become a workgroupUniformLoad
}

// user is one user of a value: an operation, or the spot of another node.
type user struct {
	spot
	reader  ir.NodeID // the node whose operand it is
	value   ir.ValueID
	seg     int32 // of a split value: which of its uses
	isValue bool
}

// rootKey names one statement: a value's, or one operand of another node.
type rootKey struct {
	node ir.NodeID
	arg  int32
}

// eachArg calls f for the operands of a node that is no value: the condition is
// operand -1, inits count from 0, terminators' arguments too. Arguments for
// parameters that nothing reads do not count.
func (e *emitter) eachArg(n *ir.Node, f func(k int, a ir.Arg)) {
	if n.Cond.N > 0 {
		f(-1, n.Cond)
	}
	initsFor := n.Header
	if n.Kind == ir.NodeSwitch {
		initsFor = n.Params
	}
	for k, a := range n.Inits {
		if k < len(initsFor) && e.used(initsFor[k]) {
			f(k, a)
		}
	}
	ps := e.targets(n)
	for k, a := range n.Args {
		if n.Kind == ir.NodeReturn || k < len(ps) && e.used(ps[k]) {
			f(k, a)
		}
	}
}

// used reports whether anything reads parameter v. Header parameters may be read
// by their own continue only, which counts.
func (e *emitter) used(v ir.ValueID) bool {
	e.findParamUses()
	return e.vars.paramUsed[v]
}

// findParamUses finds the parameters that something other than a dead parameter
// reads, by marking from the operations.
func (e *emitter) findParamUses() {
	if e.vars.paramUsed != nil {
		return
	}
	f := e.f
	marked := make([]bool, len(f.Values))
	var work []ir.ValueID
	mark := func(a ir.Arg) {
		for _, l := range a.Lanes[:a.N] {
			if !marked[l.V] {
				marked[l.V] = true
				work = append(work, l.V)
			}
		}
	}
	// By parameter: the last of the arguments for it, which names the one before.
	type feed struct {
		arg  *ir.Arg
		next int32
	}
	list := make([]feed, 1, 64)
	last := make([]int32, len(f.Values))
	feeds := func(p ir.ValueID, a *ir.Arg) {
		list = append(list, feed{a, last[p]})
		last[p] = int32(len(list) - 1)
	}
	for _, id := range e.fold.order {
		n := &f.Nodes[id]
		mark(n.Cond)
		switch n.Kind {
		case ir.NodeValue:
			if v := &f.Values[n.Value]; fixed(v) {
				for _, a := range v.Args {
					mark(a)
				}
			}
		case ir.NodeReturn:
			for _, a := range n.Args {
				mark(a)
			}
		case ir.NodeLoop:
			for k := range n.Inits {
				feeds(n.Header[k], &n.Inits[k])
			}
		case ir.NodeSwitch:
			for k := range n.Inits {
				feeds(n.Params[k], &n.Inits[k])
			}
		}
		for k, p := range e.targets(n) {
			feeds(p, &n.Args[k])
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range f.Values[v].Args {
			mark(a)
		}
		for i := last[v]; i != 0; i = list[i].next {
			mark(*list[i].arg)
		}
	}
	e.vars.paramUsed = marked
}

// targets are the parameters that a terminator's arguments go to.
func (e *emitter) targets(n *ir.Node) []ir.ValueID {
	f := e.f
	switch n.Kind {
	case ir.NodeYield:
		if in := f.Regions[n.Parent].Parent; in != ir.NoNode {
			return f.Nodes[in].Params
		}
	case ir.NodeBreak:
		return f.Nodes[n.Target].Params
	case ir.NodeContinue:
		return f.Nodes[n.Target].Header
	}
	return nil
}

// countArg counts the appearances that lanes will make of the values of a, and
// the packs that it will use.
func (e *emitter) countArg(a ir.Arg, times int32, u *user) {
	if a.N > 1 && e.oneLane(a) {
		a.N = 1
	}
	var ps argPieces
	e.pieces(&a, u.reader, &ps)
	p := &e.fold
	for i := range ps.n {
		x := &ps.list[i]
		if x.pack != nil {
			x.pack.uses++
			continue
		}
		p.uses[x.value] += times
		switch k := len(p.segs[x.value]); {
		case k == 0:
			p.segs[x.value] = p.parts.take(1)
			p.segs[x.value][0] = segment{n: x.n, lanes: x.lane, user: *u}
		case k < 8:
			if k == cap(p.segs[x.value]) {
				p.segs[x.value] = append(p.parts.take(2*k + 2)[:0], p.segs[x.value]...)
			}
			p.segs[x.value] = append(p.segs[x.value], segment{n: x.n, lanes: x.lane, user: *u})
		}
	}
}

// sub is the operand that an operation on only these lanes of its result has.
func sub(a ir.Arg, lanes []uint8) ir.Arg {
	if a.N <= 1 {
		return a
	}
	b := ir.Arg{N: uint8(len(lanes))}
	for i, l := range lanes {
		b.Lanes[i] = a.Lanes[l]
	}
	return b
}

// narrows reports whether v is lanewise and these are some of its lanes, each once.
func narrows(v *ir.Value, lanes []uint8) bool {
	full := len(lanes) == int(v.N)
	for i, l := range lanes {
		full = full && int(l) == i
	}
	return !full && v.Op.Is(ir.FlagLanewise) && distinct(lanes) && len(v.Args) > 0
}

// narrowed returns v as an operation on only these lanes, or v itself where it
// is not lanewise, or shows lanes more than once.
func narrowed(v *ir.Value, lanes []uint8) (*ir.Value, bool) {
	if !narrows(v, lanes) {
		return v, false
	}
	w := *v
	w.N = uint8(len(lanes))
	w.Args = make([]ir.Arg, len(v.Args))
	for i, a := range v.Args {
		w.Args[i] = sub(a, lanes)
	}
	return &w, true
}

// isLeaf reports whether v is so cheap to read that every use may repeat it.
func isLeaf(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst, ir.OpUndef, ir.OpInput:
		return true
	case ir.OpCBLoad:
		for _, a := range v.Args {
			if a.N > 0 {
				return false
			}
		}
		return true
	}
	return false
}
