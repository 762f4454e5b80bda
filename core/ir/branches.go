package ir

// straighten removes control flow that decides nothing: an if on a constant is
// replaced by the arm that runs, and a loop of one round, which inlined
// subroutines and predication leave behind, by its body, its early breaks turned
// into else arms.
func straighten(f *Function) {
	if f.flat() {
		return
	}
	s := &straightener{f: f, fw: newForward(len(f.Values)), fl: f.flow()}
	s.region(0)
	if s.fw.to != nil {
		f.eachArg(func(a *Arg, _ ValueID, _ NodeID) { s.fw.arg(a) })
	}
	s.fw.release()
	s.fl.release()
	if s.changed {
		f.compact()
	}
}

type straightener struct {
	f       *Function
	fw      *forward
	fl      flows
	changed bool
}

// region straightens what lies in r, innermost first.
func (s *straightener) region(r RegionID) {
	f := s.f
	for i := 0; i < len(f.Regions[r].Nodes); i++ {
		n := f.Regions[r].Nodes[i]
		nd := &f.Nodes[n]
		for _, c := range nd.Regions {
			s.region(c)
		}
		switch nd.Kind {
		case NodeIf:
			l := s.fw.find(nd.Cond.Lanes[0])
			bits, ok := f.bits(l)
			if !ok {
				s.masks(n, l)
				continue
			}
			arm := nd.Regions[1]
			if bits != 0 {
				arm = nd.Regions[0]
			}
			s.splice(r, i, arm, nd.Params)
			i--
		case NodeLoop:
			body := nd.Regions[0]
			if len(s.fl.conts.of(n)) > 0 || !s.oneRound(n, body) {
				continue
			}
			for j, h := range nd.Header {
				for k := range nd.Inits[j].Lanes[:nd.Inits[j].N] {
					s.fw.set(Lane{h, uint8(k)}, s.fw.find(nd.Inits[j].Lanes[k]))
				}
			}
			s.splice(r, i, body, nd.Params)
			i--
		}
	}
}

// masks replaces the parameters of an if that are all ones from one arm and zero
// from the other by the condition itself.
func (s *straightener) masks(n NodeID, cond Lane) {
	f := s.f
	nd := &f.Nodes[n]
	if len(s.fl.exits.of(n)) != 2 || !f.isBool(cond) {
		return
	}
	var yields [2]*Node
	for arm, r := range nd.Regions {
		ns := f.Regions[r].Nodes
		yields[arm] = &f.Nodes[ns[len(ns)-1]]
		if yields[arm].Kind != NodeYield {
			return
		}
	}
	for j, p := range nd.Params {
		if f.Values[p].N != 1 {
			continue
		}
		yes, ok := f.bits(s.fw.find(yields[0].Args[j].Lanes[0]))
		no, ok2 := f.bits(s.fw.find(yields[1].Args[j].Lanes[0]))
		if ok && ok2 && yes == 0xFFFFFFFF && no == 0 {
			s.fw.set(Lane{V: p}, cond)
		}
	}
}

// splice puts the nodes of region from in the place of node i of region r. Where
// from ends in a yield or break of the node, params take its arguments;
// otherwise it jumps, and what followed in r is dead.
func (s *straightener) splice(r RegionID, i int, from RegionID, params []ValueID) {
	f := s.f
	s.changed = true
	node := f.Regions[r].Nodes[i]
	inner := f.Regions[from].Nodes
	last := inner[len(inner)-1]
	tail := append([]NodeID(nil), f.Regions[r].Nodes[i+1:]...)
	if t := &f.Nodes[last]; t.Target == node && (t.Kind == NodeYield || t.Kind == NodeBreak) {
		for j, p := range params {
			for k := range t.Args[j].Lanes[:t.Args[j].N] {
				s.fw.set(Lane{p, uint8(k)}, s.fw.find(t.Args[j].Lanes[k]))
			}
		}
		inner = inner[:len(inner)-1]
	} else {
		s.drop(tail)
		tail = nil
	}
	for _, n := range inner {
		f.Nodes[n].Parent = r
	}
	// The other arms are gone, and with them their jumps to outer constructs.
	for _, c := range f.Nodes[node].Regions {
		if c != from {
			s.drop(f.Regions[c].Nodes)
		}
	}
	nodes := append(f.Regions[r].Nodes[:i:i], inner...)
	f.Regions[r].Nodes = append(nodes, tail...)
}

// drop takes dead nodes out of the lists of jumps, and marks their instructions.
func (s *straightener) drop(nodes []NodeID) {
	f := s.f
	remove := func(list []NodeID, n NodeID) []NodeID {
		for i := range list {
			if list[i] == n {
				return append(list[:i:i], list[i+1:]...)
			}
		}
		return list
	}
	for _, n := range nodes {
		nd := &f.Nodes[n]
		switch nd.Kind {
		case NodeYield, NodeBreak:
			s.fl.exits.set(nd.Target, remove(s.fl.exits.of(nd.Target), n))
		case NodeContinue:
			s.fl.conts.set(nd.Target, remove(s.fl.conts.of(nd.Target), n))
		}
		for _, c := range nd.Regions {
			s.drop(f.Regions[c].Nodes)
		}
	}
}

// oneRound brings the body of a loop without continue into the form that has
// its only break at the end, by moving what follows an if that breaks into the
// other arm. It reports whether that succeeded; the body is valid either way.
func (s *straightener) oneRound(loop NodeID, r RegionID) bool {
	f := s.f
	nodes := f.Regions[r].Nodes
	for i := 0; i < len(nodes)-1; i++ {
		nd := &f.Nodes[nodes[i]]
		if nd.Kind != NodeIf || !s.breaksTo(loop, nodes[i]) {
			continue
		}
		if !s.elseRest(loop, r, i) {
			return false
		}
		nodes = f.Regions[r].Nodes
	}
	last := &f.Nodes[nodes[len(nodes)-1]]
	return (last.Kind == NodeBreak && last.Target == loop && len(s.fl.exits.of(loop)) == 1) || last.Kind == NodeReturn && len(s.fl.exits.of(loop)) == 0
}

func (s *straightener) breaksTo(loop, n NodeID) bool {
	for _, e := range s.fl.exits.of(loop) {
		if s.f.Encloses(n, e) {
			return true
		}
	}
	return false
}

// elseRest handles an if at place i of r one of whose arms ends in a break of
// the loop: both arms then yield what the breaks carried, and one break follows.
func (s *straightener) elseRest(loop NodeID, r RegionID, i int) bool {
	f := s.f
	nodes := f.Regions[r].Nodes
	id := nodes[i]
	nd := &f.Nodes[id]
	endOf := func(r RegionID) NodeID { ns := f.Regions[r].Nodes; return ns[len(ns)-1] }
	isBreak := func(n NodeID) bool { return f.Nodes[n].Kind == NodeBreak && f.Nodes[n].Target == loop }
	// The rest has to leave by one break at its end.
	rest := append([]NodeID(nil), nodes[i+1:]...)
	if !isBreak(rest[len(rest)-1]) {
		return false
	}
	jump, stay := 0, 1
	if !isBreak(endOf(nd.Regions[0])) {
		jump, stay = 1, 0
	}
	out, in := nd.Regions[jump], nd.Regions[stay]
	if !isBreak(endOf(out)) || f.Nodes[endOf(in)].Kind != NodeYield {
		return false
	}
	// No other break of the loop inside the if.
	for _, e := range s.fl.exits.of(loop) {
		if e != endOf(out) && f.Encloses(id, e) {
			return false
		}
	}
	s.changed = true
	// The if's own parameters have one source: the arm that stays.
	yield := &f.Nodes[endOf(in)]
	for j, p := range nd.Params {
		for k := range yield.Args[j].Lanes[:yield.Args[j].N] {
			s.fw.set(Lane{p, uint8(k)}, s.fw.find(yield.Args[j].Lanes[k]))
		}
	}
	brk, end := endOf(out), rest[len(rest)-1]
	ins := f.Regions[in].Nodes
	f.Regions[in].Nodes = append(ins[:len(ins)-1:len(ins)-1], rest...)
	for _, n := range rest {
		f.Nodes[n].Parent = in
	}
	// New parameters stand for what the loop's breaks carried.
	params := make([]ValueID, len(f.Nodes[loop].Params))
	args := make([]Arg, len(params))
	for j, p := range f.Nodes[loop].Params {
		v := f.Values[p]
		v.Node = id
		params[j] = ValueID(len(f.Values))
		f.Values = append(f.Values, v)
		s.fw.grow(len(f.Values))
		args[j] = ArgOf(params[j], int(v.N))
	}
	nd = &f.Nodes[id]
	nd.Params = params
	for _, n := range []NodeID{brk, end} {
		f.Nodes[n].Kind, f.Nodes[n].Target = NodeYield, id
	}
	s.fl.exits.set(id, []NodeID{brk, end})
	f.Regions[r].Nodes = f.Regions[r].Nodes[: i+1 : i+1]
	nb := f.Add(r, Node{Kind: NodeBreak, Instr: -1, Value: NoValue, Target: loop, Args: args})
	var exits []NodeID
	for _, e := range s.fl.exits.of(loop) {
		if e != brk && e != end {
			exits = append(exits, e)
		}
	}
	s.fl.exits.set(loop, append(exits, nb))
	return true
}
