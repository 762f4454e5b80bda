package ir

// deadCode removes what no effect and no output needs: lanes, values,
// parameters and whole constructs. Loops are taken to end.
func deadCode(f *Function) {
	d := &dce{f: f, fl: f.flow(), lanes: make([]uint8, len(f.Values)), nodes: make([]bool, len(f.Nodes))}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		switch nd.Kind {
		case NodeReturn:
			d.node(n)
		case NodeValue:
			if f.Values[nd.Value].Op.Is(FlagEffect) {
				d.node(n)
			}
		}
	})
	d.run()
	f.dropParams(d.fl, func(p ValueID) bool { return d.lanes[p] == 0 })
	for r := range f.Regions {
		nodes := f.Regions[r].Nodes
		keep := nodes[:0]
		for _, n := range nodes {
			nd := &f.Nodes[n]
			switch nd.Kind {
			case NodeValue:
				if d.nodes[n] {
					keep = append(keep, n)
				}
			case NodeIf, NodeLoop, NodeSwitch:
				if d.nodes[n] {
					keep = append(keep, n)
				}
			default:
				keep = append(keep, n)
			}
		}
		f.Regions[r].Nodes = keep
	}
	d.narrow()
	f.compact()
}

type dce struct {
	f     *Function
	fl    flows
	lanes []uint8 // used lanes of each value
	nodes []bool
	work  []Lane
	wnode []NodeID
}

func (d *dce) lane(l Lane) {
	if l.V < 0 || d.lanes[l.V]>>l.L&1 != 0 {
		return
	}
	d.lanes[l.V] |= 1 << l.L
	d.work = append(d.work, l)
}

func (d *dce) arg(a *Arg) {
	for k := range a.Lanes[:a.N] {
		d.lane(a.Lanes[k])
	}
}

func (d *dce) node(n NodeID) {
	if n == NoNode || d.nodes[n] {
		return
	}
	d.nodes[n] = true
	d.wnode = append(d.wnode, n)
}

func (d *dce) run() {
	f := d.f
	for len(d.work) > 0 || len(d.wnode) > 0 {
		if k := len(d.wnode); k > 0 {
			n := d.wnode[k-1]
			d.wnode = d.wnode[:k-1]
			nd := &f.Nodes[n]
			d.node(f.Regions[nd.Parent].Parent)
			switch nd.Kind {
			case NodeValue:
				v := &f.Values[nd.Value]
				if v.Op.Is(FlagEffect) {
					for i := range v.Args {
						d.arg(&v.Args[i])
					}
					d.lanes[nd.Value] |= 1<<v.N - 1
				}
			case NodeReturn:
				for i := range nd.Args {
					d.arg(&nd.Args[i])
				}
			case NodeIf, NodeSwitch, NodeLoop:
				d.arg(&nd.Cond)
				if nd.Kind != NodeIf {
					for _, e := range d.fl.exits[n] {
						d.node(e)
					}
					for _, e := range d.fl.conts[n] {
						d.node(e)
					}
				}
			}
			continue
		}
		l := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		v := &f.Values[l.V]
		if v.Node != NoNode {
			d.node(v.Node)
		}
		switch {
		case v.Op == OpParam:
			d.param(l)
		case v.Op.Is(FlagLanewise):
			for i := range v.Args {
				d.lane(v.Args[i].Lanes[l.L])
			}
		default:
			for i := range v.Args {
				d.arg(&v.Args[i])
			}
		}
	}
}

func (d *dce) param(l Lane) {
	nd := &d.f.Nodes[d.f.Values[l.V].Node]
	for i, p := range nd.Header {
		if p == l.V {
			d.lane(nd.Inits[i].Lanes[l.L])
			for _, c := range d.fl.conts[d.f.Values[l.V].Node] {
				d.lane(d.f.Nodes[c].Args[i].Lanes[l.L])
			}
			return
		}
	}
	for i, p := range nd.Params {
		if p == l.V {
			for _, e := range d.fl.exits[d.f.Values[l.V].Node] {
				d.lane(d.f.Nodes[e].Args[i].Lanes[l.L])
			}
			return
		}
	}
}

// narrow removes dead lanes from values whose lanes stand alone.
func (d *dce) narrow() {
	f := d.f
	var moved map[ValueID][4]uint8
	for v := range f.Values {
		val := &f.Values[v]
		used := d.lanes[v]
		if used == 0 || val.N == 0 || used == 1<<val.N-1 {
			continue
		}
		words := val.Op == OpLoadRaw || val.Op == OpLoadStructured
		if !val.Op.Is(FlagLanewise) && !words && val.Op != OpParam {
			continue
		}
		if val.Op == OpParam && val.N == 1 {
			continue
		}
		var to [4]uint8
		n := uint8(0)
		for k := uint8(0); k < val.N; k++ {
			if used>>k&1 == 0 {
				continue
			}
			to[k] = n
			if words {
				val.Imm[n] = val.Imm[k]
			} else {
				for i := range val.Args {
					val.Args[i].Lanes[n] = val.Args[i].Lanes[k]
				}
			}
			val.RegLanes[n] = val.RegLanes[k]
			n++
		}
		val.N = n
		if !words {
			for i := range val.Args {
				val.Args[i].N = n
			}
		}
		if moved == nil {
			moved = map[ValueID][4]uint8{}
		}
		moved[ValueID(v)] = to
		if val.Op == OpParam {
			d.narrowParam(ValueID(v), used, n)
		}
	}
	if moved == nil {
		return
	}
	f.eachArg(func(a *Arg, _ ValueID, _ NodeID) {
		for k := range a.Lanes[:a.N] {
			if to, ok := moved[a.Lanes[k].V]; ok {
				a.Lanes[k].L = to[a.Lanes[k].L]
			}
		}
	})
}

func (d *dce) narrowParam(v ValueID, used, n uint8) {
	node := d.f.Values[v].Node
	nd := &d.f.Nodes[node]
	shrink := func(a *Arg) {
		var out Arg
		for k := uint8(0); k < a.N; k++ {
			if used>>k&1 != 0 {
				out.Lanes[out.N] = a.Lanes[k]
				out.N++
			}
		}
		*a = out
	}
	for i, p := range nd.Header {
		if p == v {
			shrink(&nd.Inits[i])
			for _, c := range d.fl.conts[node] {
				shrink(&d.f.Nodes[c].Args[i])
			}
		}
	}
	for i, p := range nd.Params {
		if p == v {
			for _, e := range d.fl.exits[node] {
				shrink(&d.f.Nodes[e].Args[i])
			}
		}
	}
}

// compact renumbers values, nodes and regions so that only what is reachable
// from the body remains, in program order, and settles the instructions' fates.
func (f *Function) compact() {
	values := make([]ValueID, len(f.Values))
	for i := range values {
		values[i] = NoValue
	}
	nodes := make([]NodeID, len(f.Nodes))
	regions := make([]RegionID, len(f.Regions))
	var newValues []Value
	var newNodes []Node
	var newRegions []Region
	take := func(v ValueID) ValueID {
		if v < 0 {
			return v
		}
		if values[v] == NoValue {
			values[v] = ValueID(len(newValues))
			newValues = append(newValues, f.Values[v])
		}
		return values[v]
	}
	var walk func(r RegionID, parent NodeID)
	walk = func(r RegionID, parent NodeID) {
		nr := RegionID(len(newRegions))
		regions[r] = nr
		newRegions = append(newRegions, Region{Parent: parent})
		list := make([]NodeID, 0, len(f.Regions[r].Nodes))
		for _, n := range f.Regions[r].Nodes {
			nn := NodeID(len(newNodes))
			nodes[n] = nn
			list = append(list, nn)
			newNodes = append(newNodes, f.Nodes[n])
			old := &f.Nodes[n]
			newNodes[nn].Parent = nr
			if old.Kind == NodeValue {
				v := &f.Values[old.Value]
				for i := range v.Args {
					for k := range v.Args[i].Lanes[:v.Args[i].N] {
						take(v.Args[i].Lanes[k].V)
					}
				}
				take(old.Value)
				continue
			}
			for _, p := range old.Header {
				take(p)
			}
			for _, c := range old.Regions {
				walk(c, nn)
			}
			for _, p := range old.Params {
				take(p)
			}
		}
		newRegions[nr].Nodes = list
	}
	walk(0, NoNode)
	fix := func(a *Arg) {
		for k := range a.Lanes[:a.N] {
			a.Lanes[k].V = take(a.Lanes[k].V)
		}
	}
	for i := range newNodes {
		n := &newNodes[i]
		if n.Target != NoNode {
			n.Target = nodes[n.Target]
		}
		if n.Kind == NodeValue {
			n.Value = values[n.Value]
		}
		n.Regions = mapSlice(n.Regions, func(r RegionID) RegionID { return regions[r] })
		n.Params = mapSlice(n.Params, take)
		n.Header = mapSlice(n.Header, take)
		fix(&n.Cond)
		n.Inits = append([]Arg(nil), n.Inits...)
		n.Args = append([]Arg(nil), n.Args...)
		for j := range n.Inits {
			fix(&n.Inits[j])
		}
		for j := range n.Args {
			fix(&n.Args[j])
		}
	}
	for i := 0; i < len(newValues); i++ {
		v := &newValues[i]
		if v.Node != NoNode {
			v.Node = nodes[v.Node]
		}
		args := append([]Arg(nil), v.Args...)
		for j := range args {
			fix(&args[j])
		}
		newValues[i].Args = args
	}
	f.Values, f.Nodes, f.Regions = newValues, newNodes, newRegions
	f.settleFates()
}

func mapSlice[T any](s []T, fn func(T) T) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(s))
	for i := range s {
		out[i] = fn(s[i])
	}
	return out
}

// settleFates marks instructions that lost their last value and node.
func (f *Function) settleFates() {
	live := make([]bool, len(f.Fates))
	mark := func(i int32) {
		if i >= 0 {
			live[i] = true
		}
	}
	for i := range f.Values {
		mark(f.Values[i].Instr)
	}
	for i := range f.Nodes {
		mark(f.Nodes[i].Instr)
	}
	for i := range f.Fates {
		switch {
		case f.Fates[i] == FateLive && !live[i]:
			f.Fates[i] = FateDead
		case f.Fates[i] == FateFolded && live[i]:
			f.Fates[i] = FateLive
		}
	}
}
