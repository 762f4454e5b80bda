package wgsl

import "fxlens/core/ir"

// varPlan says which values share a variable. Leaving SSA, a parameter is a
// variable that every edge to it assigns; where an argument's lifetime does not
// meet the parameter's, the argument is computed in that variable and the copy
// goes away (Chaitin's coalescing over a structured program: one backward walk
// gives the lifetimes, because what a loop reads from outside lives through it).
type varPlan struct {
	falls     []answer // by node; see reached
	paramUsed []bool
	member    []int32      // by value: 1 + its number among those that may share, or 0
	values    []ir.ValueID // the reverse
	meets     []bitset     // by member: members alive at its definition
	parent    []int        // union-find over members
	classes   []class      // by root member; the others are zero
	at        map[ir.NodeID][]int

	words   pages[uint64] // where sets of members stand
	through []bitset      // by loop: what it reads from outside
	after   []bitset      // by loop, switch, if: alive behind it, parameters included
	head    []bitset      // by loop: alive at the head of each round, header parameters included
}

// class is one variable.
type class struct {
	members  []ir.ValueID
	region   ir.RegionID // innermost region around all definitions and reads
	first    ir.NodeID   // node of that region with the first definition
	direct   bool        // that definition stands in the region itself, unconditionally
	lastRead int32       // position of the last read
	name     string
	declared bool
	exists   bool
}

// bitset is a set of small integers.
type bitset []uint64

// newSets makes a set for each member.
func (p *varPlan) newSets() []bitset {
	sets := make([]bitset, len(p.values))
	for i := range sets {
		sets[i] = p.newSet()
	}
	return sets
}

// newSet makes a set of members.
func (p *varPlan) newSet() bitset {
	b := bitset(p.words.take((len(p.values) + 63) / 64))
	clear(b)
	return b
}

// copySet is a set of its own with the members of b.
func (p *varPlan) copySet(b bitset) bitset {
	c := bitset(p.words.take(len(b)))
	copy(c, b)
	return c
}

func (b bitset) add(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) remove(i int)   { b[i>>6] &^= 1 << (i & 63) }
func (b bitset) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitset) intersects(c bitset) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b bitset) or(c bitset) { //
	for i := range b {
		b[i] |= c[i]
	}
}

// maxMembers bounds the interference sets: beyond it parameters get variables of
// their own and all edges copy, which is correct for any size.
const maxMembers = 8192

// edge is one argument of one parameter, in order of emission.
type edge struct {
	param ir.ValueID
	arg   ir.Arg
}

// planVars chooses the variables.
func (e *emitter) planVars() {
	f, p := e.f, &e.vars
	if len(f.Regions) <= 1 {
		p.member = p.member[:0]
		return // no parameters, so no variables
	}
	p.member = zeroed(p.member, len(f.Values))
	add := func(v ir.ValueID) {
		if p.member[v] == 0 {
			p.values = append(p.values, v)
			p.member[v] = int32(len(p.values))
			e.fold.place[v] = placeVar
		}
	}
	var header, other []edge
	for _, id := range e.fold.order {
		n := &f.Nodes[id]
		if n.Kind == ir.NodeLoop {
			for _, h := range n.Header {
				if e.used(h) {
					add(h)
				}
			}
		}
		for _, x := range n.Params {
			if e.used(x) {
				add(x)
			}
		}
		list := &other
		if n.Kind == ir.NodeContinue {
			list = &header
		}
		e.eachEdge(n, func(param ir.ValueID, a ir.Arg) {
			*list = append(*list, edge{param, a})
		})
	}
	edges := append(header, other...)
	for _, x := range edges {
		if v, ok := e.whole(x.arg); ok && e.fold.place[v] == placeLet && len(p.values) < maxMembers && e.sameShape(v, x.param) {
			add(v)
		}
	}
	n := len(p.values)
	p.parent = make([]int, n)
	for i := range p.parent {
		p.parent[i] = i
	}
	if n > 0 && n <= maxMembers {
		e.lifetimes()
		e.coalesce(edges)
	}
	p.classes = make([]class, n)
	for i, v := range p.values {
		c := &p.classes[p.find(i)]
		c.exists = true
		c.members = append(c.members, v)
	}
	e.placeClasses()
}

// eachEdge calls f for the arguments that n hands to parameters that are read.
func (e *emitter) eachEdge(n *ir.Node, f func(param ir.ValueID, a ir.Arg)) {
	params, args := e.targets(n), n.Args
	switch n.Kind {
	case ir.NodeLoop:
		params, args = n.Header, n.Inits
	case ir.NodeSwitch:
		params, args = n.Params, n.Inits
	case ir.NodeReturn, ir.NodeValue, ir.NodeIf:
		return
	}
	for k, a := range args {
		if k < len(params) && e.used(params[k]) {
			f(params[k], a)
		}
	}
}

// whole returns the value that a is, all lanes in order.
func (e *emitter) whole(a ir.Arg) (ir.ValueID, bool) {
	if a.N == 0 {
		return 0, false
	}
	v := a.Lanes[0].V
	if e.f.Values[v].N != a.N {
		return 0, false
	}
	for i, l := range a.Lanes[:a.N] {
		if l.V != v || int(l.L) != i {
			return 0, false
		}
	}
	return v, true
}

// sameShape reports whether one variable can hold both values.
func (e *emitter) sameShape(v, w ir.ValueID) bool {
	return e.kindOf(v) == e.kindOf(w) && e.f.Values[v].N == e.f.Values[w].N
}

// kindOf is the kind of v's variable.
func (e *emitter) kindOf(v ir.ValueID) ir.Kind {
	if k := e.f.Values[v].Kind; k != ir.Bits {
		return k
	}
	return ir.U32
}

func (p *varPlan) find(i int) int {
	for p.parent[i] != i {
		p.parent[i] = p.parent[p.parent[i]]
		i = p.parent[i]
	}
	return i
}

// classOf is the variable that holds v, or -1.
func (p *varPlan) classOf(v ir.ValueID) int {
	if i, ok := p.memberOf(v); ok {
		return p.find(i)
	}
	return -1
}

// memberOf is the number of v among the values that may share a variable.
func (p *varPlan) memberOf(v ir.ValueID) (int, bool) {
	if len(p.member) == 0 || p.member[v] == 0 {
		return 0, false
	}
	return int(p.member[v]) - 1, true
}

// number is memberOf for a value that has a variable.
func (p *varPlan) number(v ir.ValueID) int {
	i, _ := p.memberOf(v)
	return i
}

// reads calls f for the values with a variable that the text of a reads as
// operand of node at, through everything folded into it.
func (e *emitter) reads(a ir.Arg, at ir.NodeID, f func(v ir.ValueID)) {
	var ps argPieces
	e.pieces(&a, at, &ps)
	for i := range ps.n {
		x := &ps.list[i]
		if x.pack != nil || x.konst {
			continue
		}
		v := &e.f.Values[x.value]
		switch p := e.fold.place[x.value]; {
		case p == placeVar:
			f(x.value)
		case inline(p):
			few := narrows(v, x.lanes())
			for _, b := range v.Args {
				if few {
					b = sub(b, x.lanes())
				}
				e.reads(b, v.Node, f)
			}
		}
	}
}

// lifetimes fills meets.
func (e *emitter) lifetimes() {
	p := &e.vars
	p.meets = p.newSets()
	nodes := len(e.f.Nodes)
	p.through, p.after, p.head = zeroed(p.through, nodes), zeroed(p.after, nodes), zeroed(p.head, nodes)
	w := &liveWalk{e: e, p: p}
	w.findThrough()
	w.region(0, p.newSet())
}

// liveWalk is the backward walk over the regions.
type liveWalk struct {
	e *emitter
	p *varPlan

	together bitset // the members that define writes together; empty in between
}

// findThrough finds what each loop reads from outside.
func (w *liveWalk) findThrough() {
	e := w.e
	home := make([]ir.NodeID, len(w.p.values)) // innermost loop around the definition
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		set := func(v ir.ValueID, loop ir.NodeID) {
			if i, ok := e.vars.memberOf(v); ok {
				home[i] = loop
			}
		}
		outer := e.fold.loop[n.Parent]
		switch n.Kind {
		case ir.NodeValue:
			set(n.Value, outer)
		case ir.NodeLoop:
			for _, h := range n.Header {
				set(h, id)
			}
		}
		for _, x := range n.Params {
			set(x, outer)
		}
	}
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		site := e.fold.loop[n.Parent]
		w.nodeReads(id, func(v ir.ValueID) {
			i := e.vars.number(v)
			for l := site; l != ir.NoNode && l != home[i]; l = e.fold.loop[e.f.Nodes[l].Parent] {
				if w.p.through[l] == nil {
					w.p.through[l] = w.p.newSet()
				}
				w.p.through[l].add(i)
			}
		})
	}
}

// nodeReads calls f for the variables that the node's own text reads, without
// what is inside its regions.
func (w *liveWalk) nodeReads(id ir.NodeID, f func(v ir.ValueID)) {
	e := w.e
	n := &e.f.Nodes[id]
	if n.Kind == ir.NodeValue {
		if pl := e.fold.place[n.Value]; pl == placeLet || pl == placeVar {
			for _, a := range e.f.Values[n.Value].Args {
				e.reads(a, id, f)
			}
		}
		for _, x := range e.fold.after[id] {
			if x.uses > 0 {
				e.reads(x.arg, id, f)
			}
		}
		return
	}
	e.eachArg(n, func(_ int, a ir.Arg) { e.reads(a, id, f) })
}

// define notes that members are written where live is alive afterwards; all of
// them are written together. from says which member each is a copy of, or -1: a
// copy does not meet its source.
func (w *liveWalk) define(params []int, from []int, live bitset) {
	// All of them, where there are several: each meets the others.
	together := bitset(nil)
	if len(params) > 1 {
		if w.together == nil {
			w.together = w.p.newSet()
		}
		together = w.together
		for _, m := range params {
			together.add(m)
		}
	}
	for i, m := range params {
		row := w.e.vars.meets[m]
		source := -1
		kept := false
		if from != nil && from[i] >= 0 && from[i] != m {
			source = from[i]
			kept = row.has(source) || together != nil && together.has(source)
		}
		row.or(live)
		if together != nil {
			row.or(together)
		}
		row.remove(m)
		if source >= 0 && !kept {
			row.remove(source)
		}
	}
	if together != nil {
		for _, m := range params {
			together.remove(m)
		}
	}
}

// edges writes the parameters that n's arguments go to and returns what is
// alive before, given what is alive at the target.
func (w *liveWalk) edges(n *ir.Node, live bitset) bitset {
	var params, from []int
	w.e.eachEdge(n, func(param ir.ValueID, a ir.Arg) {
		params = append(params, w.e.vars.number(param))
		source := -1
		if v, ok := w.e.whole(a); ok {
			if m, ok := w.e.vars.memberOf(v); ok && w.e.fold.place[v] == placeVar {
				source = m
			}
		}
		from = append(from, source)
	})
	w.define(params, from, live)
	before := w.p.copySet(live)
	for _, m := range params {
		before.remove(m)
	}
	return before
}

// region returns what is alive before r, given what is alive behind it where it
// yields or falls out.
func (w *liveWalk) region(r ir.RegionID, behind bitset) bitset {
	e := w.e
	nodes := e.f.Regions[r].Nodes
	last := 0
	for last < len(nodes) && e.fold.pos[nodes[last]] > 0 {
		last++
	}
	live := w.p.copySet(behind)
	for i := last - 1; i >= 0; i-- {
		id := nodes[i]
		n := &e.f.Nodes[id]
		switch n.Kind {
		case ir.NodeValue:
			if m, ok := e.vars.memberOf(n.Value); ok {
				w.define([]int{m}, nil, live)
				live.remove(m)
			}
		case ir.NodeIf:
			w.p.after[id] = w.p.copySet(live)
			a := w.region(n.Regions[0], live)
			live = w.region(n.Regions[1], live)
			live.or(a)
			w.removeParams(n.Params, live)
		case ir.NodeSwitch:
			w.p.after[id] = w.p.copySet(live)
			joined := w.p.newSet()
			if n.Default < 0 {
				joined = w.edges(n, live)
			}
			for _, sub := range n.Regions {
				joined.or(w.region(sub, live))
			}
			live = joined
			w.removeParams(n.Params, live)
		case ir.NodeLoop:
			w.p.after[id] = w.p.copySet(live)
			head := w.p.copySet(live)
			w.removeParams(n.Params, head)
			if t := w.p.through[id]; t != nil {
				head.or(t)
			}
			for _, h := range n.Header {
				if m, ok := e.vars.memberOf(h); ok {
					head.add(m)
				}
			}
			w.p.head[id] = head
			head.or(w.region(n.Regions[0], head))
			live = w.edges(n, head)
		case ir.NodeYield:
			if up := e.f.Regions[r].Parent; up != ir.NoNode {
				live = w.edges(n, w.p.after[up])
			}
		case ir.NodeBreak:
			live = w.edges(n, w.p.after[n.Target])
		case ir.NodeContinue:
			live = w.edges(n, w.p.head[n.Target])
		case ir.NodeReturn:
			live = w.p.newSet()
		}
		w.nodeReads(id, func(v ir.ValueID) { live.add(e.vars.number(v)) })
	}
	return live
}

func (w *liveWalk) removeParams(params []ir.ValueID, live bitset) {
	for _, x := range params {
		if m, ok := w.e.vars.memberOf(x); ok {
			live.remove(m)
		}
	}
}

// coalesce joins parameters and arguments whose lifetimes do not meet.
func (e *emitter) coalesce(edges []edge) {
	p := &e.vars
	set := p.newSets() // members of each root
	for i := range set {
		set[i].add(i)
	}
	for _, x := range edges {
		v, ok := e.whole(x.arg)
		if !ok || e.fold.place[v] != placeVar || !e.sameShape(v, x.param) {
			continue
		}
		// Each row says what is alive where its own member is written.
		a, b := p.find(p.number(x.param)), p.find(p.number(v))
		if a == b || p.meets[a].intersects(set[b]) || p.meets[b].intersects(set[a]) || !e.mayShare(x.param, v) {
			continue
		}
		p.parent[b] = a
		set[a].or(set[b])
		p.meets[a].or(p.meets[b])
	}
	p.meets = nil
}

// mayShare reports whether one variable for both leaves WGSL's view of what is
// uniform as it is: it judges variables, not values.
func (e *emitter) mayShare(param, arg ir.ValueID) bool {
	return e.uniform(param) == e.uniform(arg)
}

// placeClasses finds for every variable where to declare it.
func (e *emitter) placeClasses() {
	f, p := e.f, &e.vars
	type site struct {
		node   ir.NodeID
		region ir.RegionID
	}
	first := make([]site, len(p.values))
	for i := range p.classes {
		c := &p.classes[i]
		c.region, c.first = ir.NoRegion, ir.NoNode
		first[i].node = ir.NoNode
	}
	touch := func(v ir.ValueID, r ir.RegionID) *class {
		c := &p.classes[p.classOf(v)]
		c.region = e.around(c.region, r)
		return c
	}
	define := func(v ir.ValueID, at ir.NodeID, r ir.RegionID) {
		if _, ok := p.memberOf(v); !ok {
			return
		}
		touch(v, r)
		i := p.classOf(v)
		if first[i].node == ir.NoNode {
			first[i] = site{at, r}
		}
	}
	w := &liveWalk{e: e}
	for _, id := range e.fold.order {
		n := &f.Nodes[id]
		w.nodeReads(id, func(v ir.ValueID) {
			c := touch(v, n.Parent)
			c.lastRead = max(c.lastRead, e.fold.pos[id])
		})
		switch n.Kind {
		case ir.NodeValue:
			define(n.Value, id, n.Parent)
		case ir.NodeLoop:
			e.eachEdge(n, func(param ir.ValueID, _ ir.Arg) { define(param, id, n.Parent) })
		case ir.NodeSwitch:
			if n.Default < 0 { // assigned in the default clause
				e.eachEdge(n, func(param ir.ValueID, _ ir.Arg) {
					touch(param, n.Parent)
					if i := p.classOf(param); first[i].node == ir.NoNode {
						first[i] = site{id, ir.NoRegion}
					}
				})
			}
		default:
			e.eachEdge(n, func(param ir.ValueID, _ ir.Arg) { define(param, id, n.Parent) })
		}
		for _, x := range n.Params {
			if _, ok := p.memberOf(x); ok {
				touch(x, n.Parent)
			}
		}
	}
	for i := range p.classes {
		c := &p.classes[i]
		if !c.exists || first[i].node == ir.NoNode {
			continue
		}
		c.direct = first[i].region == c.region
		c.first = first[i].node
		for f.Nodes[c.first].Parent != c.region {
			c.first = f.Regions[f.Nodes[c.first].Parent].Parent
		}
		if k := f.Nodes[first[i].node].Kind; c.direct && k != ir.NodeValue && k != ir.NodeLoop {
			c.direct = false
		}
		if p.at == nil {
			p.at = map[ir.NodeID][]int{}
		}
		p.at[c.first] = append(p.at[c.first], i)
	}
}

// around is the innermost region that holds both.
func (e *emitter) around(a, b ir.RegionID) ir.RegionID {
	if a == ir.NoRegion {
		return b
	}
	up := func(r ir.RegionID) ir.RegionID { return e.f.Nodes[e.f.Regions[r].Parent].Parent }
	for a != b {
		if e.fold.depth[a] >= e.fold.depth[b] {
			a = up(a)
		} else {
			b = up(b)
		}
	}
	return a
}
