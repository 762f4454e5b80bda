package wgsl

import (
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// place says where a value's expression stands in the module.
type place uint8

const (
	placeNone place = iota // unreachable, unused, or without a result
	placeLeaf              // rebuilt at each use: constants, inputs, fixed rows of constant buffers, negations
	placeFold              // inside its only use
	placeLet               // a let of its own
	placeVar               // a variable: parameters and what is coalesced with them
)

// foldPlan says where every value goes, and in what order the nodes stand.
type foldPlan struct {
	place []place
	uses  []int32     // appearances in the text, by value
	root  []ir.NodeID // where a folded value's text stands
	conv  []bool      // the value's expression must not stand behind && or ||
	pos   []int32     // by node: order of emission, from 1; 0 is unreachable
	end   []int32     // by node: position behind the last one inside
	loop  []ir.NodeID // by region: innermost loop around its nodes, or NoNode
	depth []int32     // by region: regions around it
	order []ir.NodeID // reachable nodes in order of emission
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
	p.place = make([]place, len(f.Values))
	p.uses = make([]int32, len(f.Values))
	p.root = make([]ir.NodeID, len(f.Values))
	p.conv = make([]bool, len(f.Values))
	p.pos = make([]int32, len(f.Nodes))
	p.end = make([]int32, len(f.Nodes))
	p.loop = make([]ir.NodeID, len(f.Regions))
	p.depth = make([]int32, len(f.Regions))
	for i := range p.root {
		p.root[i] = ir.NoNode
		if f.Values[i].Node == ir.NoNode && isLeaf(&f.Values[i]) {
			p.place[i] = placeLeaf
		}
	}
	e.number(0, ir.NoNode, 0)

	effects := e.effectPositions()
	jumps := e.jumpPositions()
	redefs := e.headerRedefinitions()
	width := map[rootKey]int{}
	users := make([]user, len(f.Values))

	for i := len(p.order) - 1; i >= 0; i-- {
		id := p.order[i]
		n := &f.Nodes[id]
		if n.Kind != ir.NodeValue {
			e.eachArg(n, func(k int, a ir.Arg) {
				e.countArg(a, 1, user{node: id, arg: k}, users)
			})
			continue
		}
		v := &f.Values[n.Value]
		p.place[n.Value] = e.placeOf(n.Value, users[n.Value], width, effects, jumps, redefs)
		u := user{node: id, value: n.Value, isValue: true}
		if p.place[n.Value] == placeNone {
			continue
		}
		times := int32(1)
		if p.place[n.Value] == placeLeaf {
			times = p.uses[n.Value]
		}
		for k, a := range v.Args {
			t := times
			if splitsArg(f, v, k) {
				for _, l := range a.Lanes[:a.N] {
					e.countArg(ir.Scalar(l), t, u, users)
				}
				continue
			}
			e.countArg(a, t, u, users)
		}
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
				if pl := p.place[l.V]; (pl == placeFold || pl == placeLeaf) && p.conv[l.V] {
					c = true
				}
			}
		}
		p.conv[n.Value] = c
	}
}

// convergent reports whether v must be evaluated by all neighbours alike.
func convergent(f *ir.Function, v *ir.Value) bool {
	if v.Op.Is(ir.FlagDerivative) {
		return true
	}
	return v.Op.Is(ir.FlagReads) && v.Res >= 0 && v.Op != ir.OpArrayLoad && int(v.Res) < len(f.Resources) &&
		f.Resources[v.Res].Class == ir.GroupShared // may become a workgroupUniformLoad
}

// user is the last user seen of a value.
type user struct {
	node    ir.NodeID
	arg     int // of a terminator or compound node
	value   ir.ValueID
	isValue bool
}

// rootKey names one statement: a value's, or one operand of another node.
type rootKey struct {
	node ir.NodeID
	arg  int
}

// number gives positions to the nodes that control reaches.
func (e *emitter) number(r ir.RegionID, loop ir.NodeID, depth int32) {
	p := &e.fold
	p.loop[r] = loop
	p.depth[r] = depth
	for _, id := range e.f.Regions[r].Nodes {
		p.order = append(p.order, id)
		p.pos[id] = int32(len(p.order))
		n := &e.f.Nodes[id]
		inner := loop
		if n.Kind == ir.NodeLoop {
			inner = id
		}
		for _, sub := range n.Regions {
			e.number(sub, inner, depth+1)
		}
		p.end[id] = int32(len(p.order))
		if !e.reached(id) {
			break
		}
	}
}

// falls reports whether control can come out behind the node.
func (e *emitter) falls(id ir.NodeID) bool {
	n := &e.f.Nodes[id]
	switch n.Kind {
	case ir.NodeValue:
		return true
	case ir.NodeIf:
		return e.yields(n.Regions[0]) || e.yields(n.Regions[1])
	case ir.NodeLoop:
		return e.breaksTo(n.Regions[0], id)
	case ir.NodeSwitch:
		if n.Default < 0 {
			return true
		}
		for _, r := range n.Regions {
			if e.breaksTo(r, id) {
				return true
			}
		}
		return false
	}
	return false
}

// yields reports whether control reaches the Yield that ends region r.
func (e *emitter) yields(r ir.RegionID) bool {
	for _, id := range e.f.Regions[r].Nodes {
		if e.f.Nodes[id].Kind == ir.NodeYield {
			return true
		}
		if !e.reached(id) {
			return false
		}
	}
	return false
}

// reached is falls with the answer remembered: positions are given inside out.
func (e *emitter) reached(id ir.NodeID) bool {
	if e.vars.falls == nil {
		e.vars.falls = map[ir.NodeID]bool{}
	}
	if b, ok := e.vars.falls[id]; ok {
		return b
	}
	b := e.falls(id)
	e.vars.falls[id] = b
	return b
}

// breaksTo reports whether region r has a reachable break of the node target.
func (e *emitter) breaksTo(r ir.RegionID, target ir.NodeID) bool {
	for _, id := range e.f.Regions[r].Nodes {
		n := &e.f.Nodes[id]
		if n.Kind == ir.NodeBreak && n.Target == target {
			return true
		}
		for _, sub := range n.Regions {
			if e.breaksTo(sub, target) {
				return true
			}
		}
		if !e.reached(id) {
			return false
		}
	}
	return false
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
	feeds := map[ir.ValueID][]ir.Arg{} // parameter -> arguments
	for _, id := range e.fold.order {
		n := &f.Nodes[id]
		mark(n.Cond)
		switch n.Kind {
		case ir.NodeValue:
			if v := &f.Values[n.Value]; v.Op.Is(ir.FlagEffect) {
				for _, a := range v.Args {
					mark(a)
				}
			}
		case ir.NodeReturn:
			for _, a := range n.Args {
				mark(a)
			}
		case ir.NodeLoop:
			for k, a := range n.Inits {
				feeds[n.Header[k]] = append(feeds[n.Header[k]], a)
			}
		case ir.NodeSwitch:
			for k, a := range n.Inits {
				feeds[n.Params[k]] = append(feeds[n.Params[k]], a)
			}
		}
		for k, p := range e.targets(n) {
			feeds[p] = append(feeds[p], n.Args[k])
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range f.Values[v].Args {
			mark(a)
		}
		for _, a := range feeds[v] {
			mark(a)
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

// countArg counts the appearances that lanes will make of the values of a.
func (e *emitter) countArg(a ir.Arg, times int32, u user, users []user) {
	n := int(a.N)
	if n > 1 && e.oneLane(a) {
		n = 1
	}
	for i := 0; i < n; i++ {
		l := a.Lanes[i]
		if i > 0 && a.Lanes[i-1].V == l.V {
			continue
		}
		e.fold.uses[l.V] += times
		users[l.V] = u
	}
}

// splitsArg reports whether operand i of v is printed lane by lane, so that a
// whole expression in it would be repeated.
func splitsArg(f *ir.Function, v *ir.Value, i int) bool {
	switch v.Op {
	case ir.OpStoreRaw, ir.OpStoreStructured:
		return i == len(v.Args)-1 && v.Args[i].N > 1
	case ir.OpArrayStore:
		return i == 1 && v.Args[i].N > 1
	}
	if i != 0 || v.Res < 0 || int(v.Res) >= len(f.Resources) || v.Op == ir.OpArrayLoad {
		return false
	}
	if v.Op.Is(ir.FlagTexture) || v.Op == ir.OpLoadTyped || v.Op == ir.OpStoreTyped || v.Op == ir.OpAtomic {
		switch f.Resources[v.Res].Dim {
		case dxbc.DimTexture1DArray, dxbc.DimTexture2DArray, dxbc.DimTexture2DMSArray, dxbc.DimTextureCubeArray:
			return true
		}
	}
	return false
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

// placeOf decides for one value; all its users have been seen.
func (e *emitter) placeOf(id ir.ValueID, u user, width map[rootKey]int, effects map[int64][]int32, jumps [][]int32, redefs map[ir.ValueID][]int32) place {
	f, p := e.f, &e.fold
	v := &f.Values[id]
	switch {
	case v.Op.Is(ir.FlagEffect):
		if v.N == 0 || p.uses[id] == 0 {
			p.root[id] = v.Node
			return placeLet // stands where it is; effect prints it
		}
		return placeLet
	case p.uses[id] == 0:
		return placeNone
	case isLeaf(v):
		return placeLeaf
	case p.uses[id] > 1:
		if v.Op == ir.OpFNeg || v.Op == ir.OpINeg {
			return placeLeaf
		}
		return placeLet
	}
	// The statement it would stand in.
	root, key := u.node, rootKey{u.node, u.arg}
	if u.isValue {
		key = rootKey{node: u.node}
		switch p.place[u.value] {
		case placeFold:
			root = p.root[u.value]
			key = p.keyOf(u.value, e)
		case placeLeaf: // a negation in several places
			return placeLet
		}
	}
	if !e.mayMove(id, v, root, effects, jumps, redefs) {
		return placeLet
	}
	if _, ok := width[key]; !ok {
		width[key] = 14 + 2*int(p.depth[f.Nodes[root].Parent])
		if u.isValue && p.place[u.value] != placeFold {
			width[key] += ownWidth(e, &f.Values[u.value])
		}
	}
	w := ownWidth(e, v) - 6
	if width[key]+w > maxWidth {
		return placeLet
	}
	width[key] += w
	p.root[id] = root
	e.vars.keys[id] = key
	return placeFold
}

func (p *foldPlan) keyOf(v ir.ValueID, e *emitter) rootKey { return e.vars.keys[v] }

// mayMove reports whether v may be evaluated at root instead of where it stands.
func (e *emitter) mayMove(id ir.ValueID, v *ir.Value, root ir.NodeID, effects map[int64][]int32, jumps [][]int32, redefs map[ir.ValueID][]int32) bool {
	f, p := e.f, &e.fold
	def, at := p.pos[v.Node], p.pos[root]
	home, away := f.Nodes[v.Node].Parent, f.Nodes[root].Parent
	if p.loop[home] != p.loop[away] {
		return false
	}
	if convergent(f, v) {
		if home != away {
			return false
		}
		for _, j := range jumps[home] { // flow may be narrower behind a jump
			if j > def && j < at {
				return false
			}
		}
	}
	if v.Op.Is(ir.FlagReads) {
		for _, x := range effects[memoryOf(v)] {
			if x > def && x < at {
				return false
			}
		}
		for _, x := range effects[allMemory] {
			if x > def && x < at {
				return false
			}
		}
	}
	// Reading a loop variable after its next value is known would need a copy.
	for _, a := range v.Args {
		for _, l := range a.Lanes[:a.N] {
			for _, x := range redefs[l.V] {
				if x > def && x < at {
					return false
				}
			}
		}
	}
	return true
}

// allMemory is the key of effects that concern all memory: barriers.
const allMemory = int64(-1)

// memoryOf is the key of the memory that v touches. Two declared views may be of
// one buffer only by the caller's doing, which D3D leaves without order too.
func memoryOf(v *ir.Value) int64 {
	if v.Op == ir.OpArrayLoad || v.Op == ir.OpArrayStore {
		return 1<<32 + int64(v.Res)
	}
	return int64(v.Res)
}

// effectPositions lists where memory changes, by memory.
func (e *emitter) effectPositions() map[int64][]int32 {
	m := map[int64][]int32{}
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		if n.Kind != ir.NodeValue {
			continue
		}
		v := &e.f.Values[n.Value]
		switch {
		case v.Op == ir.OpBarrier:
			m[allMemory] = append(m[allMemory], e.fold.pos[id])
		case v.Op.Is(ir.FlagEffect) && v.Op != ir.OpDiscard:
			m[memoryOf(v)] = append(m[memoryOf(v)], e.fold.pos[id])
		}
	}
	return m
}

// jumpPositions lists for each region the nodes in it that may leave the region
// other than at its end.
func (e *emitter) jumpPositions() [][]int32 {
	m := make([][]int32, len(e.f.Regions))
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		switch n.Kind {
		case ir.NodeBreak, ir.NodeContinue, ir.NodeReturn:
		default:
			continue
		}
		// Every region between the jump and its target sees it, as the node of
		// that region that holds the jump.
		node := id
		for r := n.Parent; r != ir.NoRegion; {
			if node != id {
				m[r] = append(m[r], e.fold.pos[node])
			}
			up := e.f.Regions[r].Parent
			if up == ir.NoNode || n.Kind != ir.NodeReturn && up == n.Target {
				break
			}
			node, r = up, e.f.Nodes[up].Parent
		}
	}
	return m
}

// headerRedefinitions lists for each loop variable where its next value is made.
func (e *emitter) headerRedefinitions() map[ir.ValueID][]int32 {
	m := map[ir.ValueID][]int32{}
	count := map[ir.ValueID]int{}
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		e.eachArg(n, func(_ int, a ir.Arg) {
			for _, l := range a.Lanes[:a.N] {
				count[l.V]++
			}
		})
		if n.Kind == ir.NodeValue {
			for _, a := range e.f.Values[n.Value].Args {
				for _, l := range a.Lanes[:a.N] {
					count[l.V]++
				}
			}
		}
	}
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		if n.Kind != ir.NodeContinue {
			continue
		}
		for k, p := range e.f.Nodes[n.Target].Header {
			if k >= len(n.Args) {
				break
			}
			a := n.Args[k]
			v := a.Lanes[0].V
			if d := e.f.Values[v].Node; a.N > 0 && count[v] > int(a.N) && d != ir.NoNode && e.f.Values[v].Op != ir.OpParam {
				m[p] = append(m[p], e.fold.pos[d])
			}
		}
	}
	return m
}

// ownWidth estimates the columns of v's expression with names for its operands.
func ownWidth(e *emitter, v *ir.Value) int {
	w := 3
	info := v.Op.Info()
	switch {
	case v.Op.Is(ir.FlagTexture):
		w = 28
	case infix(v.Op):
		w = 2
	case v.Op == ir.OpFMad || v.Op == ir.OpIMad:
		w = 6
	default:
		w = len(info.Name) + 2
	}
	for _, a := range v.Args {
		for i := range int(a.N) {
			if i > 0 && a.Lanes[i].V == a.Lanes[i-1].V {
				continue
			}
			switch x := &e.f.Values[a.Lanes[i].V]; x.Op {
			case ir.OpConst:
				if i == 0 || !e.oneLane(a) {
					w += 5
				}
			case ir.OpCBLoad:
				w += 12
			default:
				w += 8
			}
		}
	}
	return w
}

func infix(op ir.Op) bool {
	switch op {
	case ir.OpFAdd, ir.OpFMul, ir.OpFDiv, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFGe, ir.OpIEq, ir.OpINe, ir.OpILt, ir.OpIGe,
		ir.OpULt, ir.OpUGe, ir.OpTestNZ, ir.OpIAdd, ir.OpISub, ir.OpINeg, ir.OpFNeg, ir.OpIMul, ir.OpAnd, ir.OpOr, ir.OpXor,
		ir.OpNot, ir.OpShl, ir.OpIShr, ir.OpUShr:
		return true
	}
	return false
}
