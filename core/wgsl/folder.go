package wgsl

import (
	"slices"

	"fxlens/core/ir"
)

// folder decides, value by value, from the last to the first.
type folder struct {
	e       *emitter
	effects map[int64][]int32
	jumps   [][]int32
	redefs  map[ir.ValueID][]int32
	width   map[rootKey]int // but for operand 0, which is in foldPlan.own
}

const noWidth = 1 << 20

// widthOf returns how wide a statement has become; false if nothing is known yet.
func (w *folder) widthOf(k rootKey) (int, bool) {
	if k.arg == 0 {
		x := w.e.fold.own[k.node]
		return int(x) - noWidth, x != 0
	}
	x, ok := w.width[k]
	return x, ok
}

func (w *folder) setWidth(k rootKey, x int) {
	if k.arg == 0 {
		w.e.fold.own[k.node] = int32(x + noWidth)
		return
	}
	if w.width == nil {
		w.width = map[rootKey]int{}
	}
	w.width[k] = x
}

// decide places one value and counts its operands; all its users have been seen.
func (w *folder) decide(id ir.ValueID) {
	e := w.e
	p := &e.fold
	v := &e.f.Values[id]
	p.place[id] = w.placeOf(id)
	u := user{spot: spot{v.Node, rootKey{node: v.Node}, p.pos[v.Node]}, reader: v.Node, value: id, isValue: true}
	var buf [4]ir.Arg
	count := func(v *ir.Value, times int32) {
		for k := range v.Args {
			for _, x := range parts(e.f, v, k, &buf) {
				e.countArg(x, times, &u)
			}
		}
	}
	switch p.place[id] {
	case placeNone:
	case placeLeaf:
		count(v, p.uses[id])
	case placeFold:
		sg := p.segs[id][0]
		n, _ := narrowed(v, sg.lanes[:sg.n])
		count(n, 1)
	case placeSplit:
		for i, sg := range p.segs[id] {
			u.seg = int32(i)
			n, _ := narrowed(v, sg.lanes[:sg.n])
			count(n, 1)
		}
	default:
		count(v, 1)
	}
}

// spotOf is where the text of a user stands.
func (w *folder) spotOf(u user) (spot, bool) {
	if u.isValue {
		switch w.e.fold.place[u.value] {
		case placeFold:
			return w.e.fold.root[u.value], true
		case placeSplit:
			return w.e.fold.split[u.value][u.seg], true
		case placeLeaf: // a negation in several places
			return spot{}, false
		}
	}
	return u.spot, true
}

// fits adds the text of v to a statement, unless that gets too long.
func (w *folder) fits(at spot, v *ir.Value, u user) bool {
	e := w.e
	have, ok := w.widthOf(at.key)
	if !ok {
		have = 14 + 2*int(e.fold.depth[e.f.Nodes[at.node].Parent])
		if at.key.arg <= -2 { // a pack may take a line for each value
			have -= maxWidth
		}
		if u.isValue && !inline(e.fold.place[u.value]) {
			have += ownWidth(e, &e.f.Values[u.value])
		}
	}
	more := ownWidth(e, v) - 7
	fits := have+more <= maxWidth
	if fits {
		have += more
	}
	w.setWidth(at.key, have)
	return fits
}

func (w *folder) placeOf(id ir.ValueID) place {
	e := w.e
	f, p := e.f, &e.fold
	v := &f.Values[id]
	switch {
	case fixed(v):
		return placeLet // stands where it is; effect prints it where there is no result
	case p.uses[id] == 0:
		return placeNone
	case isLeaf(v):
		return placeLeaf
	case p.uses[id] > 1:
		if w.splits(id, v) {
			return placeSplit
		}
		if v.Op == ir.OpFNeg || v.Op == ir.OpINeg {
			return placeLeaf
		}
		return placeLet
	}
	sg := p.segs[id][0]
	at, ok := w.spotOf(sg.user)
	n, _ := narrowed(v, sg.lanes[:sg.n])
	if !ok || !w.mayMove(v, at) || !w.fits(at, n, sg.user) {
		if v.Op == ir.OpFNeg || v.Op == ir.OpINeg {
			return placeLeaf
		}
		return placeLet
	}
	p.root[id] = at
	return placeFold
}

// splits reports whether v is lanewise and each of its uses shows other lanes,
// so that each can have just these: a vector comparison of which one lane goes to
// each of four conditions.
func (w *folder) splits(id ir.ValueID, v *ir.Value) bool {
	p := &w.e.fold
	segs := p.segs[id]
	if v.N < 2 || !v.Op.Is(ir.FlagLanewise) || int(p.uses[id]) != len(segs) || len(segs) > 4 {
		return false
	}
	together := true // in one jump: then the vector is as good as its lanes
	for _, sg := range segs {
		together = together && !sg.user.isValue && sg.user.node == segs[0].user.node
	}
	if together {
		return false
	}
	seen := 0
	spots := make([]spot, len(segs))
	for i, sg := range segs {
		for _, l := range sg.lanes[:sg.n] {
			if seen&(1<<l) != 0 {
				return false
			}
			seen |= 1 << l
		}
		at, ok := w.spotOf(sg.user)
		if !ok || !w.mayMove(v, at) {
			return false
		}
		spots[i] = at
	}
	before := map[rootKey]int{}
	for i, sg := range segs {
		if _, ok := before[spots[i].key]; !ok {
			if x, ok := w.widthOf(spots[i].key); ok {
				before[spots[i].key] = x
			}
		}
		n, _ := narrowed(v, sg.lanes[:sg.n])
		if !w.fits(spots[i], n, sg.user) {
			for k, x := range before {
				w.setWidth(k, x)
			}
			return false
		}
	}
	if p.split == nil {
		p.split = map[ir.ValueID][]spot{}
	}
	p.split[id] = spots
	return true
}

// mayMove reports whether v may be evaluated at to instead of where it stands.
func (w *folder) mayMove(v *ir.Value, to spot) bool {
	e := w.e
	f, p := e.f, &e.fold
	def, at := p.pos[v.Node], to.at
	home, away := f.Nodes[v.Node].Parent, f.Nodes[to.node].Parent
	if p.loop[home] != p.loop[away] {
		return false
	}
	if convergent(f, v) {
		if home != away {
			return false
		}
		if between(w.jumps[home], def, at) { // flow may be narrower behind a jump
			return false
		}
	}
	if v.Op.Is(ir.FlagReads) {
		if between(w.effects[memoryOf(v)], def, at) || between(w.effects[allMemory], def, at) {
			return false
		}
	}
	// Reading a loop variable after its next value is known would need a copy.
	for _, a := range v.Args {
		for _, l := range a.Lanes[:a.N] {
			if between(w.redefs[l.V], def, at) {
				return false
			}
		}
	}
	return true
}

// between reports whether one of the ascending positions lies between two others.
func between(list []int32, from, to int32) bool {
	i, _ := slices.BinarySearch(list, from+1)
	return i < len(list) && list[i] < to
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
	var m map[int64][]int32
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		if n.Kind != ir.NodeValue {
			continue
		}
		v := &e.f.Values[n.Value]
		if m == nil && (v.Op.Is(ir.FlagEffect) || v.Uniform) {
			m = map[int64][]int32{}
		}
		switch {
		case v.Op == ir.OpBarrier, v.Op == ir.OpGroupAny, v.Uniform:
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
	if len(e.f.Regions) <= 1 {
		return nil
	}
	m := map[ir.ValueID][]int32{}
	count := make([]int32, len(e.f.Values))
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
			if d := e.f.Values[v].Node; a.N > 0 && count[v] > int32(a.N) && d != ir.NoNode && e.f.Values[v].Op != ir.OpParam {
				m[p] = append(m[p], e.fold.pos[d])
			}
		}
	}
	for _, list := range m {
		slices.Sort(list)
	}
	return m
}

// ownWidth estimates the columns of v's expression with names for its operands.
func ownWidth(e *emitter, v *ir.Value) int {
	w := 3
	info := v.Op.Info()
	switch {
	case v.Op.Is(ir.FlagTexture):
		w = 20
		for _, r := range []int32{v.Res, v.Samp} {
			if x := e.resourceAt(r); x != nil {
				w += max(len(x.Name), 2)
			}
		}
	case v.Res >= 0 && v.Op.Is(ir.FlagReads) || v.Op.Is(ir.FlagEffect):
		w = 8
		if x := e.resourceAt(v.Res); x != nil {
			w += max(len(x.Name), 2)
		}
	case infix(v.Op):
		w = 2
	case v.Op == ir.OpFMad || v.Op == ir.OpIMad:
		w = 6
	default:
		w = len(info.Name) + 2
	}
	for _, a := range v.Args {
		if len(e.fold.packs) > 0 && e.fold.packs[a] != nil {
			w += 8
			continue
		}
		for i := range int(a.N) {
			if i > 0 && a.Lanes[i].V == a.Lanes[i-1].V {
				continue
			}
			switch x := &e.f.Values[a.Lanes[i].V]; x.Op {
			case ir.OpConst:
				if x.Kind == ir.F32 && (i == 0 || !e.oneLane(a)) {
					w += 5
				} else {
					w += 2
				}
			case ir.OpCBLoad:
				w += 7
				if r := e.resourceAt(x.Res); r != nil {
					w += max(len(r.Name), 3)
				}
			case ir.OpInput:
				w += 7 + len(e.f.Inputs[x.Imm[0]].Semantic)
			default:
				w += 9
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
