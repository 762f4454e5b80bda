package ir

// forward replaces lanes by other lanes, through chains.
type forward struct {
	to []Lane // 4 per value; V == noForward: stays
}

const noForward ValueID = -2

func newForward(n int) *forward {
	fw := &forward{to: make([]Lane, 4*n)}
	for i := range fw.to {
		fw.to[i].V = noForward
	}
	return fw
}

func (fw *forward) grow(n int) {
	for len(fw.to) < 4*n {
		fw.to = append(fw.to, Lane{V: noForward})
	}
}

func (fw *forward) set(from, to Lane) { fw.to[4*int(from.V)+int(from.L)] = to }

func (fw *forward) find(l Lane) Lane {
	if l.V < 0 {
		return l
	}
	start := l
	for {
		t := fw.to[4*int(l.V)+int(l.L)]
		if t.V == noForward {
			break
		}
		l = t
	}
	// Shorten the chain for the next reader.
	for start != l {
		i := 4*int(start.V) + int(start.L)
		start, fw.to[i] = fw.to[i], l
	}
	return l
}

func (fw *forward) arg(a *Arg) {
	for k := range a.Lanes[:a.N] {
		a.Lanes[k] = fw.find(a.Lanes[k])
	}
}

// trivialParams replaces parameters that always have one value, if that value
// can be read where the parameter can, and drops the rest of them from their nodes.
func trivialParams(f *Function) {
	fl := f.flow()
	fw := newForward(len(f.Values))
	type item struct {
		node   NodeID
		i      int
		header bool
	}
	var work []item
	users := make([][]item, len(f.Values))
	args := func(it item) []*Arg {
		var as []*Arg
		nd := &f.Nodes[it.node]
		if it.header {
			as = append(as, &nd.Inits[it.i])
			for _, c := range fl.conts[it.node] {
				as = append(as, &f.Nodes[c].Args[it.i])
			}
			return as
		}
		for _, e := range fl.exits[it.node] {
			as = append(as, &f.Nodes[e].Args[it.i])
		}
		return as
	}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		for h := range nd.Header {
			work = append(work, item{n, h, true})
		}
		for p := range nd.Params {
			work = append(work, item{n, p, false})
		}
	})
	for _, it := range work {
		for _, a := range args(it) {
			for k := range a.Lanes[:a.N] {
				if v := a.Lanes[k].V; v >= 0 && f.Values[v].Op == OpParam {
					users[v] = append(users[v], it)
				}
			}
		}
	}
	done := make([]bool, len(f.Values))
	for len(work) > 0 {
		it := work[len(work)-1]
		work = work[:len(work)-1]
		nd := &f.Nodes[it.node]
		var p ValueID
		if it.header {
			p = nd.Header[it.i]
		} else {
			p = nd.Params[it.i]
		}
		if done[p] {
			continue
		}
		n := f.Values[p].N
		ok := true
		var same [4]Lane
		for k := uint8(0); k < n && ok; k++ {
			same[k] = Lane{V: noForward}
			for _, a := range args(it) {
				l := fw.find(a.Lanes[k])
				if l == (Lane{p, k}) || l == same[k] {
					continue
				}
				if same[k].V != noForward {
					ok = false
					break
				}
				same[k] = l
			}
			if same[k].V == noForward || ok && same[k].V >= 0 && !it.header && !f.visibleAfter(same[k].V, it.node) ||
				ok && it.header && same[k].V >= 0 && f.Values[same[k].V].Node != NoNode && (f.Values[same[k].V].Node == it.node || f.Encloses(it.node, f.Values[same[k].V].Node)) {
				ok = false
			}
		}
		if !ok {
			continue
		}
		done[p] = true
		for k := uint8(0); k < n; k++ {
			fw.set(Lane{p, k}, same[k])
		}
		work = append(work, users[p]...)
	}
	f.eachArg(func(a *Arg, _ ValueID, _ NodeID) { fw.arg(a) })
	f.dropParams(fl, func(p ValueID) bool { return done[p] })
}

// dropParams removes the parameters for which drop holds, with their arguments.
func (f *Function) dropParams(fl flows, drop func(ValueID) bool) {
	cut := func(ps []ValueID, lists ...[]*[]Arg) []ValueID {
		any := false
		for _, p := range ps {
			any = any || drop(p)
		}
		if !any {
			return ps
		}
		for _, l := range lists {
			for _, as := range l {
				var keep []Arg
				for i, p := range ps {
					if !drop(p) {
						keep = append(keep, (*as)[i])
					}
				}
				*as = keep
			}
		}
		var keep []ValueID
		for _, p := range ps {
			if !drop(p) {
				keep = append(keep, p)
			}
		}
		return keep
	}
	argLists := func(ns []NodeID) []*[]Arg {
		var out []*[]Arg
		for _, n := range ns {
			out = append(out, &f.Nodes[n].Args)
		}
		return out
	}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if len(nd.Params) > 0 {
			nd.Params = cut(nd.Params, argLists(fl.exits[n]))
		}
		if len(nd.Header) > 0 {
			nd.Header = cut(nd.Header, argLists(fl.conts[n]), []*[]Arg{&nd.Inits})
		}
	})
}
