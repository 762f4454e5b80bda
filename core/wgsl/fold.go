package wgsl

import (
	"slices"

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
	if e.f.Nodes[id].Kind == ir.NodeValue {
		return true
	}
	switch e.vars.falls[id] {
	case yes:
		return true
	case no:
		return false
	}
	b := e.falls(id)
	e.vars.falls[id] = no
	if b {
		e.vars.falls[id] = yes
	}
	return b
}

// answer is a remembered yes or no.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

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

// argPiece is a run of lanes of an operand that print as one: of one value, of a
// pack, or a single constant.
type argPiece struct {
	pack  *pack
	value ir.ValueID // where pack is nil
	konst bool
	bits  uint32
	n     uint8
	lane  [4]uint8 // n of them: of the value or of the pack
}

// lanes are the lanes of the value or of the pack.
func (p *argPiece) lanes() []uint8 { return p.lane[:p.n] }

// argPieces are the pieces of one operand.
type argPieces struct {
	list [4]argPiece
	n    int
}

// pieces takes an operand apart as node at reads it. Packs that stand before the
// node are used for as many lanes as possible.
func (e *emitter) pieces(a *ir.Arg, at ir.NodeID, out *argPieces) {
	out.n = 0
	n := int(a.N)
	for i := 0; i < n; {
		p := &out.list[out.n]
		out.n++
		*p = argPiece{value: a.Lanes[i].V}
		if bits, ok := e.laneConst(a.Lanes[i]); ok {
			p.konst, p.bits, p.n = true, bits, 1
			p.lane[0] = a.Lanes[i].L
			i++
			continue
		}
		for j := i; j < n && a.Lanes[j].V == p.value; j++ {
			p.lane[p.n] = a.Lanes[j].L
			p.n++
		}
		if len(e.fold.inPacks) == 0 {
			i += int(p.n)
			continue
		}
		for _, x := range e.fold.inPacks[a.Lanes[i]] {
			if !e.packVisible(x, at) {
				continue
			}
			q := argPiece{pack: x}
			for j := i; j < n; j++ {
				k := slices.Index(x.arg.Lanes[:x.arg.N], a.Lanes[j])
				if k < 0 {
					break
				}
				q.lane[q.n] = uint8(k)
				q.n++
			}
			if q.n >= p.n && (p.pack == nil || q.n > p.n) {
				*p = q
			}
		}
		i += int(p.n)
	}
}

// packVisible reports whether the pack is declared where node at stands.
func (e *emitter) packVisible(x *pack, at ir.NodeID) bool {
	p := &e.fold
	if p.pos[at] <= p.pos[x.node] {
		return false
	}
	home := e.f.Nodes[x.node].Parent
	r := e.f.Nodes[at].Parent
	for p.depth[r] > p.depth[home] {
		r = e.f.Nodes[e.f.Regions[r].Parent].Parent
	}
	return r == home
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

// findPacks finds the operands that deserve a name of their own.
func (e *emitter) findPacks() {
	f, p := e.f, &e.fold
	var count map[ir.Arg]int
	var order []ir.Arg
	var buf [4]ir.Arg
	note := func(a ir.Arg) {
		if a.N < 2 || !e.mixed(&a) {
			return
		}
		if count == nil {
			count = map[ir.Arg]int{}
		}
		if count[a]++; count[a] == 2 {
			order = append(order, a)
		}
	}
	for _, id := range p.order {
		n := &f.Nodes[id]
		if n.Kind != ir.NodeValue {
			e.eachArg(n, func(_ int, a ir.Arg) { note(a) })
			continue
		}
		v := &f.Values[n.Value]
		for k := range v.Args {
			for _, a := range parts(f, v, k, &buf) {
				note(a)
			}
		}
	}
	for _, a := range order {
		last := ir.NoNode
		ready := int32(0) // from where all parameters among them are there
		sources := map[ir.ValueID]bool{}
		ok := true
		for _, l := range a.Lanes[:a.N] {
			v := &f.Values[l.V]
			if isLeaf(v) {
				continue
			}
			sources[l.V] = true
			if v.Node == ir.NoNode || f.Nodes[v.Node].Kind != ir.NodeValue || p.pos[v.Node] == 0 {
				if ok = ok && v.Op == ir.OpParam && v.Node != ir.NoNode; ok {
					at := p.end[v.Node]
					if slices.Contains(f.Nodes[v.Node].Header, l.V) {
						at = p.pos[v.Node]
					}
					ready = max(ready, at)
				}
				continue
			}
			if last == ir.NoNode || p.pos[v.Node] > p.pos[last] {
				last = v.Node
			}
		}
		if !ok || last == ir.NoNode || p.pos[last] <= ready || len(sources) < 2 {
			continue
		}
		x := &pack{arg: a, node: last}
		if p.packs == nil {
			p.packs, p.inPacks, p.after = map[ir.Arg]*pack{}, map[ir.Lane][]*pack{}, map[ir.NodeID][]*pack{}
		}
		p.packs[a] = x
		p.after[last] = append(p.after[last], x)
		for k, l := range a.Lanes[:a.N] {
			if _, ok := e.laneConst(l); !ok && !slices.Contains(a.Lanes[:k], l) && len(p.inPacks[l]) < 8 {
				p.inPacks[l] = append(p.inPacks[l], x)
			}
		}
	}
}

// mixed reports whether a reads two values or more that are no leaves.
func (e *emitter) mixed(a *ir.Arg) bool {
	first := ir.NoValue
	for _, l := range a.Lanes[:a.N] {
		if l.V == first || isLeaf(&e.f.Values[l.V]) {
			continue
		}
		if first != ir.NoValue {
			return true
		}
		first = l.V
	}
	return false
}

// parts are the pieces in which operand i of v is printed: itself, the
// coordinates and the layer of an array texture, or the single components that
// go to part of an element of an indexable temp.
func parts(f *ir.Function, v *ir.Value, i int, buf *[4]ir.Arg) []ir.Arg {
	a := v.Args[i]
	buf[0] = a
	one := buf[:1]
	if a.N < 2 {
		return one
	}
	if v.Op == ir.OpArrayStore && i == 1 && int(a.N) != int(f.Arrays[v.Res].N) {
		for k, l := range a.Lanes[:a.N] {
			buf[k] = ir.Scalar(l)
		}
		return buf[:a.N]
	}
	if i != 0 || v.Res < 0 || int(v.Res) >= len(f.Resources) || v.Op == ir.OpArrayLoad {
		return one
	}
	if v.Op.Is(ir.FlagTexture) || v.Op == ir.OpLoadTyped || v.Op == ir.OpStoreTyped || v.Op == ir.OpAtomic {
		switch f.Resources[v.Res].Dim {
		case dxbc.DimTexture1DArray, dxbc.DimTexture2DArray, dxbc.DimTexture2DMSArray, dxbc.DimTextureCubeArray:
			b := a
			b.N--
			b.Lanes[b.N] = ir.Lane{}
			buf[0], buf[1] = b, ir.Scalar(a.Lanes[a.N-1])
			return buf[:2]
		}
	}
	return one
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
