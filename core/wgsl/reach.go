package wgsl

import (
	"fxlens/core/ir"
)

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
