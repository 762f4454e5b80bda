package ir

import "sync"

// flows lists, per node, the terminators that lead to it.
type flows struct {
	exits nodeLists // if: yields; loop, switch: breaks
	conts nodeLists // loop: continues
	mem   *flowMemory
}

// flowMemory is what flows are made of.
type flowMemory struct {
	at    []int32
	ends  []NodeID
	slab  []NodeID
	lists [][]NodeID
}

// flowMemories keeps the memory of flows that are done.
var flowMemories = sync.Pool{New: func() any { return new(flowMemory) }}

// release gives the memory of the lists to the next ones.
func (fl *flows) release() {
	if fl.mem != nil && len(fl.mem.at) <= 1<<16 {
		flowMemories.Put(fl.mem)
	}
	*fl = flows{}
}

// nodeLists are lists of nodes by construct, few among all nodes.
type nodeLists struct {
	at    []int32 // by node: -1 - its list, or 0
	lists [][]NodeID
}

func (l *nodeLists) of(n NodeID) []NodeID {
	if int(n) >= len(l.at) || l.at[n] == 0 {
		return nil
	}
	return l.lists[-l.at[n]-1]
}

func (l *nodeLists) set(n NodeID, list []NodeID) {
	for int(n) >= len(l.at) {
		l.at = append(l.at, 0)
	}
	if l.at[n] == 0 {
		l.lists = append(l.lists, nil)
		l.at[n] = -int32(len(l.lists))
	}
	l.lists[-l.at[n]-1] = list
}

// flat reports whether the function has no control flow: one region.
func (f *Function) flat() bool { return len(f.Regions) <= 1 }

// flow collects the terminators of every construct. A flat function has none.
func (f *Function) flow() flows {
	if f.flat() {
		return flows{}
	}
	mem := flowMemories.Get().(*flowMemory)
	mem.at = zeroed(mem.at, 2*len(f.Nodes))
	at := mem.at
	fl := flows{mem: mem}
	fl.exits.at, fl.conts.at = at[:len(f.Nodes):len(f.Nodes)], at[len(f.Nodes):]
	// First how many there are of each, so that the lists are parts of one.
	ends := mem.ends[:0]
	constructs := 0
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		switch nd.Kind {
		case NodeYield, NodeBreak:
			fl.exits.at[nd.Target]++
			ends = append(ends, n)
		case NodeContinue:
			fl.conts.at[nd.Target]++
			ends = append(ends, n)
		case NodeIf, NodeLoop, NodeSwitch:
			constructs++
		}
	})
	mem.ends, mem.slab, mem.lists = ends, zeroed(mem.slab, len(ends)), zeroed(mem.lists, 2*constructs)
	slab, lists := mem.slab, mem.lists[:0:2*constructs]
	fl.exits.lists, lists = lists[:0:constructs], lists[constructs:constructs]
	fl.conts.lists = lists
	put := func(l *nodeLists, target, n NodeID) {
		// A count is positive until its list is made.
		if c := l.at[target]; c > 0 {
			l.lists = append(l.lists, carve(&slab, int(c))[:0])
			l.at[target] = -int32(len(l.lists))
		}
		i := -l.at[target] - 1
		l.lists[i] = append(l.lists[i], n)
	}
	for _, n := range ends {
		nd := &f.Nodes[n]
		if nd.Kind == NodeContinue {
			put(&fl.conts, nd.Target, n)
		} else {
			put(&fl.exits, nd.Target, n)
		}
	}
	return fl
}

// Walk calls visit for every node in program order, a construct before what it holds.
func (f *Function) Walk(visit func(NodeID)) {
	if len(f.Regions) > 0 {
		f.walk(0, visit)
	}
}

func (f *Function) walk(r RegionID, visit func(NodeID)) {
	for _, n := range f.Regions[r].Nodes {
		visit(n)
		for _, c := range f.Nodes[n].Regions {
			f.walk(c, visit)
		}
	}
}

// hasOp reports whether a node of the function has an operation for which is holds.
func (f *Function) hasOp(is func(*Value) bool) bool {
	for r := range f.Regions {
		for _, n := range f.Regions[r].Nodes {
			if nd := &f.Nodes[n]; nd.Kind == NodeValue && is(&f.Values[nd.Value]) {
				return true
			}
		}
	}
	return false
}

// Encloses reports whether node n lies inside construct outer, at any depth.
func (f *Function) Encloses(outer, n NodeID) bool {
	for n != NoNode {
		n = f.Regions[f.Nodes[n].Parent].Parent
		if n == outer {
			return true
		}
	}
	return false
}

// IsHeader reports whether v is a header parameter of the loop that declares it.
func (f *Function) IsHeader(v ValueID) bool {
	val := &f.Values[v]
	if val.Op != OpParam || val.Node == NoNode {
		return false
	}
	for _, h := range f.Nodes[val.Node].Header {
		if h == v {
			return true
		}
	}
	return false
}

// paramPlaces gives every parameter its place in the list of its node: i + 1 among
// Params, -i - 1 among Header. It is zero for other values.
func (f *Function) paramPlaces() []int32 {
	at := make([]int32, len(f.Values))
	for r := range f.Regions {
		for _, n := range f.Regions[r].Nodes {
			nd := &f.Nodes[n]
			for i, p := range nd.Params {
				at[p] = int32(i) + 1
			}
			for i, p := range nd.Header {
				at[p] = -int32(i) - 1
			}
		}
	}
	return at
}

// visibleAfter reports whether v can be read behind node n: it is no value of
// n's regions and no parameter but a header parameter of n.
func (f *Function) visibleAfter(v ValueID, n NodeID) bool {
	d := f.Values[v].Node
	if d == NoNode {
		return true
	}
	if d == n {
		return f.IsHeader(v)
	}
	return !f.Encloses(n, d)
}

// eachArg calls visit for every operand of the function, with the reading value
// (or NoValue) and node.
func (f *Function) eachArg(visit func(a *Arg, v ValueID, n NodeID)) {
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind == NodeValue {
			val := &f.Values[nd.Value]
			for i := range val.Args {
				visit(&val.Args[i], nd.Value, n)
			}
			return
		}
		if nd.Cond.N > 0 {
			visit(&nd.Cond, NoValue, n)
		}
		for i := range nd.Inits {
			visit(&nd.Inits[i], NoValue, n)
		}
		for i := range nd.Args {
			visit(&nd.Args[i], NoValue, n)
		}
	})
}
