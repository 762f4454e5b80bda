package ir

import (
	"slices"
	"sync"
)

// forward replaces lanes by other lanes, through chains. It takes no memory
// until something is replaced.
type forward struct {
	n  int    // values
	to []Lane // 4 per value; V == noForward: stays
}

const noForward ValueID = -2

func newForward(n int) *forward { return &forward{n: n} }

// forwards keeps the memory of what is done.
var forwards = sync.Pool{New: func() any { return new([]Lane) }}

// release gives the memory to the next one.
func (fw *forward) release() {
	if fw.to != nil && len(fw.to) <= 1<<18 {
		to := fw.to[:0]
		forwards.Put(&to)
	}
	fw.to = nil
}

func (fw *forward) grow(n int) {
	fw.n = max(fw.n, n)
	if fw.to != nil {
		fw.fill()
	}
}

func (fw *forward) fill() {
	if fw.to == nil {
		fw.to = *forwards.Get().(*[]Lane)
	}
	if cap(fw.to) < 4*fw.n {
		fw.to = append(make([]Lane, 0, 4*fw.n+64), fw.to...)
	}
	for len(fw.to) < 4*fw.n {
		fw.to = append(fw.to, Lane{V: noForward})
	}
}

func (fw *forward) set(from, to Lane) {
	if fw.to == nil {
		fw.fill()
	}
	fw.to[4*int(from.V)+int(from.L)] = to
}

func (fw *forward) find(l Lane) Lane {
	if l.V < 0 || fw.to == nil {
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
	if fw.to == nil {
		return
	}
	for k := range a.Lanes[:a.N] {
		a.Lanes[k] = fw.find(a.Lanes[k])
	}
}

// paramAt is the place of a parameter in its node.
type paramAt struct {
	node   NodeID
	i      int
	header bool
}

// paramUser is a parameter that reads another one, in a chain.
type paramUser struct {
	paramAt
	next int32
}

// trivial is the memory of trivialParams.
type trivial struct {
	work  []paramAt
	chain []paramUser
	ends  [][2]int32
	done  []bool
}

var trivials = sync.Pool{New: func() any { return new(trivial) }}

// hasParams reports whether a node has parameters.
func (f *Function) hasParams() bool {
	for i := range f.Regions {
		if n := f.Regions[i].Parent; n != NoNode && len(f.Nodes[n].Params)+len(f.Nodes[n].Header) > 0 {
			return true
		}
	}
	return false
}

// trivialParams replaces parameters that always have one value, if that value
// can be read where the parameter can, and drops the rest of them from their nodes.
func trivialParams(f *Function) {
	if f.flat() {
		return
	}
	if !f.hasParams() {
		return
	}
	fl := f.flow()
	defer fl.release()
	fw := newForward(len(f.Values))
	defer fw.release()
	mem := trivials.Get().(*trivial)
	defer trivials.Put(mem)
	type item = paramAt
	work := mem.work[:0]
	// sources counts the operands that feed a parameter, and source is one of them.
	sources := func(it item) int {
		if it.header {
			return 1 + len(fl.conts.of(it.node))
		}
		return len(fl.exits.of(it.node))
	}
	source := func(it item, j int) *Arg {
		switch {
		case !it.header:
			return &f.Nodes[fl.exits.of(it.node)[j]].Args[it.i]
		case j == 0:
			return &f.Nodes[it.node].Inits[it.i]
		}
		return &f.Nodes[fl.conts.of(it.node)[j-1]].Args[it.i]
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
	if len(work) == 0 {
		return
	}
	// The parameters that read each parameter, in order: first and last of a chain.
	type user = paramUser
	chain := append(mem.chain[:0], user{})
	mem.ends = zeroed(mem.ends, len(f.Values))
	ends := mem.ends
	for _, it := range work {
		for j := range sources(it) {
			a := source(it, j)
			for k := range a.Lanes[:a.N] {
				if v := a.Lanes[k].V; v >= 0 && f.Values[v].Op == OpParam {
					chain = append(chain, user{paramAt: it})
					u := int32(len(chain) - 1)
					if e := &ends[v]; e[0] == 0 {
						*e = [2]int32{u, u}
					} else {
						chain[e[1]].next, e[1] = u, u
					}
				}
			}
		}
	}
	mem.done = zeroed(mem.done, len(f.Values))
	done := mem.done
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
			for j := range sources(it) {
				l := fw.find(source(it, j).Lanes[k])
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
		for u := ends[p][0]; u != 0; u = chain[u].next {
			work = append(work, chain[u].paramAt)
		}
	}
	mem.work, mem.chain = work, chain
	if fw.to == nil {
		return
	}
	f.eachArg(func(a *Arg, _ ValueID, _ NodeID) { fw.arg(a) })
	f.dropParams(fl, func(p ValueID) bool { return done[p] })
}

// dropParams removes the parameters for which drop holds, with their arguments.
func (f *Function) dropParams(fl flows, drop func(ValueID) bool) {
	cut := func(ps []ValueID, lists ...[]*[]Arg) []ValueID {
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
		if slices.ContainsFunc(nd.Params, drop) {
			nd.Params = cut(nd.Params, argLists(fl.exits.of(n)))
		}
		if slices.ContainsFunc(nd.Header, drop) {
			nd.Header = cut(nd.Header, argLists(fl.conts.of(n)), []*[]Arg{&nd.Inits})
		}
	})
}
