package ir

import "sync"

// deadCode removes what no effect and no output needs: lanes, values,
// parameters and whole constructs. Loops are taken to end.
func deadCode(f *Function) {
	d := dces.Get().(*dce)
	*d = dce{f: f, fl: f.flow(), lanes: zeroed(d.lanes, len(f.Values)), nodes: zeroed(d.nodes, len(f.Nodes)),
		work: d.work[:0], wnode: d.wnode[:0]}
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
	d.fl.release()
	d.f = nil
	dces.Put(d)
	f.compact()
}

// dces keeps the memory of what is done.
var dces = sync.Pool{New: func() any { return new(dce) }}

type dce struct {
	f      *Function
	fl     flows
	places []int32 // of parameters; see paramPlaces
	lanes  []uint8 // used lanes of each value
	nodes  []bool
	work   []Lane
	wnode  []NodeID
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
					for _, e := range d.fl.exits.of(n) {
						d.node(e)
					}
					for _, e := range d.fl.conts.of(n) {
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
	node := d.f.Values[l.V].Node
	if d.places == nil {
		d.places = d.f.paramPlaces()
	}
	switch i := d.places[l.V]; {
	case i < 0:
		d.lane(d.f.Nodes[node].Inits[-i-1].Lanes[l.L])
		for _, c := range d.fl.conts.of(node) {
			d.lane(d.f.Nodes[c].Args[-i-1].Lanes[l.L])
		}
	case i > 0:
		for _, e := range d.fl.exits.of(node) {
			d.lane(d.f.Nodes[e].Args[i-1].Lanes[l.L])
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
			for _, c := range d.fl.conts.of(node) {
				shrink(&d.f.Nodes[c].Args[i])
			}
		}
	}
	for i, p := range nd.Params {
		if p == v {
			for _, e := range d.fl.exits.of(node) {
				shrink(&d.f.Nodes[e].Args[i])
			}
		}
	}
}

// compact renumbers values, nodes and regions so that only what is reachable
// from the body remains, in program order, and settles the instructions' fates.
func (f *Function) compact() {
	c := compactors.Get().(*compactor)
	*c = compactor{
		f:      f,
		values: zeroed(c.values, len(f.Values)), nodes: zeroed(c.nodes, len(f.Nodes)), regions: zeroed(c.regions, len(f.Regions)),
		valueOrder: c.valueOrder[:0], nodeOrder: c.nodeOrder[:0], regionOrder: c.regionOrder[:0],
		oldValues: c.oldValues, oldNodes: c.oldNodes, oldRegions: c.oldRegions,
	}
	for i := range c.values {
		c.values[i] = NoValue
	}
	c.walk(0)
	for _, n := range c.nodeOrder {
		nd := &f.Nodes[n]
		if nd.Kind == NodeValue {
			continue
		}
		c.takeAll(nd.Params)
		c.takeAll(nd.Header)
		c.arg(&nd.Cond)
		for i := range nd.Inits {
			c.arg(&nd.Inits[i])
		}
		for i := range nd.Args {
			c.arg(&nd.Args[i])
		}
	}
	for i := 0; i < len(c.valueOrder); i++ {
		v := &f.Values[c.valueOrder[i]]
		for j := range v.Args {
			c.arg(&v.Args[j])
		}
	}
	if !c.same() {
		c.rebuild()
	}
	c.release()
	f.settleFates()
}

// release gives the memory to the next function, without what it points to. What a
// huge program took goes back to the heap.
func (c *compactor) release() {
	const many = 1 << 17
	if len(c.values) > many || len(c.nodes) > many {
		return
	}
	clear(c.oldValues)
	clear(c.oldNodes)
	clear(c.oldRegions)
	c.f, c.oldValues, c.oldNodes, c.oldRegions = nil, c.oldValues[:0], c.oldNodes[:0], c.oldRegions[:0]
	compactors.Put(c)
}

// compactors keeps the memory of what is done.
var compactors = sync.Pool{New: func() any { return new(compactor) }}

// compactor maps old numbers to new ones, and the other way round.
type compactor struct {
	f           *Function
	values      []ValueID
	nodes       []NodeID
	regions     []RegionID
	valueOrder  []ValueID
	nodeOrder   []NodeID
	regionOrder []RegionID
	oldValues   []Value // see reorder
	oldNodes    []Node
	oldRegions  []Region
}

func (c *compactor) take(v ValueID) {
	if v >= 0 && c.values[v] == NoValue {
		c.values[v] = ValueID(len(c.valueOrder))
		c.valueOrder = append(c.valueOrder, v)
	}
}

func (c *compactor) takeAll(vs []ValueID) {
	for _, v := range vs {
		c.take(v)
	}
}

func (c *compactor) arg(a *Arg) {
	for k := range a.Lanes[:a.N] {
		c.take(a.Lanes[k].V)
	}
}

func (c *compactor) walk(r RegionID) {
	c.regions[r] = RegionID(len(c.regionOrder))
	c.regionOrder = append(c.regionOrder, r)
	for _, n := range c.f.Regions[r].Nodes {
		c.nodes[n] = NodeID(len(c.nodeOrder))
		c.nodeOrder = append(c.nodeOrder, n)
		nd := &c.f.Nodes[n]
		if nd.Kind == NodeValue {
			v := &c.f.Values[nd.Value]
			for i := range v.Args {
				c.arg(&v.Args[i])
			}
			c.take(nd.Value)
			continue
		}
		c.takeAll(nd.Header)
		for _, sub := range nd.Regions {
			c.walk(sub)
		}
		c.takeAll(nd.Params)
	}
}

// same reports whether every number stays what it is.
func (c *compactor) same() bool {
	if len(c.valueOrder) != len(c.values) || len(c.nodeOrder) != len(c.nodes) || len(c.regionOrder) != len(c.regions) {
		return false
	}
	for i, v := range c.values {
		if int(v) != i {
			return false
		}
	}
	for i, n := range c.nodes {
		if int(n) != i {
			return false
		}
	}
	for i, r := range c.regions {
		if int(r) != i {
			return false
		}
	}
	return true
}

// rebuild brings the lists into the new order, in the memory that they have: what
// is removed leaves room at their ends, and what stays has its operands where they
// were.
func (c *compactor) rebuild() {
	f := c.f
	values, from := reorder(f.Values, c.valueOrder, &c.oldValues)
	nodes, _ := reorder(f.Nodes, c.nodeOrder, &c.oldNodes)
	regions, _ := reorder(f.Regions, c.regionOrder, &c.oldRegions)
	for i := range values {
		v := &values[i]
		if v.Node != NoNode {
			v.Node = c.nodes[v.Node]
		}
		c.fix(v.Args, from)
	}
	for i := range nodes {
		n := &nodes[i]
		n.Parent = c.regions[n.Parent]
		if n.Kind == NodeValue {
			n.Value = c.values[n.Value]
			continue
		}
		if n.Target != NoNode {
			n.Target = c.nodes[n.Target]
		}
		for j, r := range n.Regions {
			n.Regions[j] = c.regions[r]
		}
		for _, list := range [...][]ValueID{n.Params, n.Header} {
			for j, v := range list {
				if v >= 0 {
					list[j] = c.values[v]
				}
			}
		}
		for k := range n.Cond.Lanes[:n.Cond.N] {
			c.lane(&n.Cond.Lanes[k])
		}
		c.fix(n.Inits, from)
		c.fix(n.Args, from)
	}
	for i := range regions {
		r := &regions[i]
		if r.Parent != NoNode {
			r.Parent = c.nodes[r.Parent]
		}
		for j, n := range r.Nodes {
			r.Nodes[j] = c.nodes[n]
		}
	}
	f.Values, f.Nodes, f.Regions = values, nodes, regions
}

// fix renumbers operands. The values below from keep their numbers.
func (c *compactor) fix(as []Arg, from int) {
	for i := range as {
		a := &as[i]
		for k := range a.Lanes[:a.N] {
			if int(a.Lanes[k].V) >= from {
				c.lane(&a.Lanes[k])
			}
		}
	}
}

func (c *compactor) lane(l *Lane) {
	if l.V >= 0 {
		l.V = c.values[l.V]
	}
}

// reorder makes list consist of the elements that order names, in that order, and
// returns how many stay where they are. What is behind the end is cleared. old is
// memory for the elements that move.
func reorder[T any, ID ~int32](list []T, order []ID, old *[]T) ([]T, int) {
	same := 0
	for same < len(order) && int(order[same]) == same {
		same++
	}
	*old = append((*old)[:0], list[same:]...)
	for i := same; i < len(order); i++ {
		list[i] = (*old)[int(order[i])-same]
	}
	clear(list[len(order):])
	return list[:len(order)], same
}

// carve takes n elements off a slab; appending to them does not reach the rest.
func carve[T any](slab *[]T, n int) []T {
	out := (*slab)[:n:n]
	*slab = (*slab)[n:]
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
