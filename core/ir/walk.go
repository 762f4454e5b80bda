package ir

// flows lists, per node, the terminators that lead to it.
type flows struct {
	exits [][]NodeID // if: yields; loop, switch: breaks
	conts [][]NodeID // loop: continues
}

// flow collects the terminators of every construct.
func (f *Function) flow() flows {
	fl := flows{exits: make([][]NodeID, len(f.Nodes)), conts: make([][]NodeID, len(f.Nodes))}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		switch nd.Kind {
		case NodeYield, NodeBreak:
			fl.exits[nd.Target] = append(fl.exits[nd.Target], n)
		case NodeContinue:
			fl.conts[nd.Target] = append(fl.conts[nd.Target], n)
		}
	})
	return fl
}

// Walk calls visit for every node in program order, a construct before what it holds.
func (f *Function) Walk(visit func(NodeID)) {
	var walk func(r RegionID)
	walk = func(r RegionID) {
		for _, n := range f.Regions[r].Nodes {
			visit(n)
			for _, c := range f.Nodes[n].Regions {
				walk(c)
			}
		}
	}
	if len(f.Regions) > 0 {
		walk(0)
	}
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
