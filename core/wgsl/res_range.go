package wgsl

import (
	"math/bits"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// maxU32 is the upper bound of what nothing is known about.
const maxU32 = 1<<32 - 1

// upper is the largest value that a lane can have as u32 where node at is
// executed, as far as its operations say: constants, masks, minima, shifts, thread
// IDs against the group size, selections, counters of loops that a constant ends,
// conditions around the node.
// It is maxU32 where they say nothing.
func (e *emitter) upper(l ir.Lane, at ir.NodeID) uint64 {
	if e.rs.places == nil {
		e.rs.places, e.rs.bounds, e.rs.boundsAt = placesOf(e.f), map[ir.Lane]uint64{}, at
	}
	if e.rs.places[at].stretch != e.rs.places[e.rs.boundsAt].stretch {
		clear(e.rs.bounds)
	}
	e.rs.boundsAt = at
	return e.upperAt(l, 64)
}

// standing is where a node stands. A stretch is a run of nodes of one region that no
// control node but its last interrupts: the same conditions hold, and the same
// guards have been passed, at all of them.
type standing struct{ index, stretch int32 }

// placesOf gives the place of each node that stands in a region.
func placesOf(f *ir.Function) []standing {
	places := make([]standing, len(f.Nodes))
	stretch := int32(0)
	for r := range f.Regions {
		stretch++
		for i, n := range f.Regions[r].Nodes {
			places[n] = standing{int32(i), stretch}
			if f.Nodes[n].Kind != ir.NodeValue {
				stretch++
			}
		}
	}
	return places
}

// upperAt is upper over at most depth operations; what has been found out is remembered.
func (e *emitter) upperAt(l ir.Lane, depth int) uint64 {
	if b, ok := e.rs.bounds[l]; ok {
		return b
	}
	if depth == 0 {
		return maxU32
	}
	b := e.guarded(l, e.bound(l, depth))
	e.rs.bounds[l] = b
	return b
}

// guarded is the bound of a lane where the conditions around the node at hand
// hold; b is the bound that its operations give.
func (e *emitter) guarded(l ir.Lane, b uint64) uint64 {
	for at := e.rs.boundsAt; at >= 0; {
		r := e.f.Nodes[at].Parent
		if at = e.f.Regions[r].Parent; at < 0 || e.f.Nodes[at].Kind != ir.NodeIf || e.f.Nodes[at].Cond.N == 0 {
			continue
		}
		b = min(b, e.under(e.f.Nodes[at].Cond.Lanes[0], l, e.f.Nodes[at].Regions[0] == r, b, 8))
	}
	return b
}

// under is the largest value that lane l, which is at most b, has where cond has
// the value is.
func (e *emitter) under(cond, l ir.Lane, is bool, b uint64, depth int) uint64 {
	v := &e.f.Values[cond.V]
	switch v.Op {
	case ir.OpNot:
		if depth > 0 {
			return e.under(v.Args[0].Lanes[cond.L], l, !is, b, depth-1)
		}
	case ir.OpAnd, ir.OpOr:
		// Both sides of an and that holds hold, and neither of an or that doesn't.
		if depth > 0 && v.Kind == ir.Bool && (v.Op == ir.OpAnd) == is {
			for i := range 2 {
				b = min(b, e.under(v.Args[i].Lanes[cond.L], l, is, b, depth-1))
			}
		}
		return b
	case ir.OpTestNZ:
		if !is && v.Args[0].Lanes[cond.L] == l {
			return 0
		}
	case ir.OpIEq, ir.OpINe:
		for i := range 2 {
			if v.Args[i].Lanes[cond.L] == l && (v.Op == ir.OpIEq) == is {
				if n, ok := e.laneConst(v.Args[1-i].Lanes[cond.L]); ok {
					return min(b, uint64(n))
				}
			}
		}
	case ir.OpILt, ir.OpIGe:
		if b >= 1<<31 {
			return b // it may be negative, which is large without a sign
		}
		if limit, ok := e.below(cond, l, is); ok && limit > 0 && limit < 1<<31 {
			return min(b, limit-1)
		}
	case ir.OpULt, ir.OpUGe:
		if limit, ok := e.below(cond, l, is); ok && limit > 0 {
			return min(b, limit-1)
		}
	}
	return b
}

func (e *emitter) bound(l ir.Lane, depth int) uint64 {
	v := &e.f.Values[l.V]
	arg := func(i int) uint64 {
		if i >= len(v.Args) || v.Args[i].N == 0 {
			return maxU32
		}
		n := l.L
		if !v.Op.Is(ir.FlagLanewise) || n >= v.Args[i].N {
			n = 0
		}
		return e.upperAt(v.Args[i].Lanes[n], depth-1)
	}
	exact := func(i int) (uint32, bool) {
		if i >= len(v.Args) || v.Args[i].N == 0 {
			return 0, false
		}
		return e.laneConst(v.Args[i].Lanes[min(l.L, v.Args[i].N-1)])
	}
	switch v.Op {
	case ir.OpConst:
		return uint64(v.Imm[l.L&3])
	case ir.OpUndef:
		return 0
	case ir.OpInput:
		return e.upperInput(&e.f.Inputs[v.Imm[0]], l.L)
	case ir.OpParam:
		return e.counterBound(l)
	case ir.OpAnd:
		return min(arg(0), arg(1))
	case ir.OpOr, ir.OpXor:
		// No bit above the highest one of either.
		return 1<<bits.Len64(max(arg(0), arg(1))) - 1
	case ir.OpUMin:
		return min(arg(0), arg(1))
	case ir.OpUMax:
		return max(arg(0), arg(1))
	case ir.OpIMin:
		// The smaller of the two is not negative only if both are; a bound holds
		// where one operand cannot be negative and the other neither.
		if a, b := arg(0), arg(1); a < 1<<31 && b < 1<<31 {
			return min(a, b)
		}
	case ir.OpIMax:
		if a, b := arg(0), arg(1); a < 1<<31 && b < 1<<31 {
			return max(a, b)
		}
	case ir.OpSelect:
		return max(arg(1), arg(2))
	case ir.OpIAdd:
		if s := arg(0) + arg(1); s <= maxU32 {
			return s
		}
	case ir.OpIMul:
		if a, b := arg(0), arg(1); a <= maxU32 && b <= maxU32 {
			if hi, lo := bits.Mul64(a, b); hi == 0 && lo <= maxU32 {
				return lo
			}
		}
	case ir.OpIMad:
		if hi, lo := bits.Mul64(arg(0), arg(1)); hi == 0 && lo <= maxU32 && lo+arg(2) <= maxU32 {
			return lo + arg(2)
		}
	case ir.OpShl:
		if n, ok := exact(1); ok {
			if s := arg(0) << (n & 31); s <= maxU32 {
				return s
			}
		}
	case ir.OpUShr:
		if n, ok := exact(1); ok {
			return arg(0) >> (n & 31)
		}
		return arg(0)
	case ir.OpUBfe:
		if n, ok := exact(0); ok && n&31 > 0 {
			return 1<<(n&31) - 1
		}
	case ir.OpUDiv:
		if n, ok := exact(1); ok && n > 0 {
			return arg(0) / uint64(n)
		}
	case ir.OpUMod:
		if n, ok := exact(1); ok && n > 0 {
			return min(uint64(n)-1, arg(0))
		}
	case ir.OpCountBits:
		return 32
	case ir.OpF32ToF16:
		return 0xffff
	case ir.OpUAddCarry, ir.OpUSubBorrow:
		return 1
	}
	return maxU32
}

// upperInput bounds the built-in inputs of a compute program by its group size.
func (e *emitter) upperInput(el *ir.Elem, lane uint8) uint64 {
	g := e.groupSize()
	switch el.RegType {
	case dxbc.RegThreadIDInGroup:
		return uint64(g[min(component(el.Mask, lane), 2)]) - 1
	case dxbc.RegThreadIDInGroupFlattened:
		return uint64(g[0])*uint64(g[1])*uint64(g[2]) - 1
	}
	return maxU32
}

// loopCounter is what is known of a loop parameter that counts up from a
// constant by constants: behind the guard it is below limit.
type loopCounter struct {
	limit uint64 // 0: nothing is known
	loop  ir.NodeID
	guard int // index of the guard among the nodes of the loop's body
	arm   int // arm of the guard in which the loop goes on
}

// counterBound bounds the counter of a loop behind the test that ends the loop.
func (e *emitter) counterBound(l ir.Lane) uint64 {
	if e.rs.counters == nil {
		e.rs.counters = map[ir.Lane]loopCounter{}
	}
	c, ok := e.rs.counters[l]
	if !ok {
		c = e.counterOf(l)
		e.rs.counters[l] = c
	}
	if c.limit == 0 || !e.behind(&c, e.rs.boundsAt) {
		return maxU32
	}
	return c.limit - 1
}

// behind reports whether node at is executed only after the guard has let the
// round go on.
func (e *emitter) behind(c *loopCounter, at ir.NodeID) bool {
	body := e.f.Nodes[c.loop].Regions[0]
	for at >= 0 {
		r := e.f.Nodes[at].Parent
		if r == body {
			return int(e.rs.places[at].index) > c.guard
		}
		up := e.f.Regions[r].Parent
		if up >= 0 && e.f.Regions[body].Nodes[c.guard] == up && e.f.Nodes[up].Regions[c.arm] == r {
			return true
		}
		at = up
	}
	return false
}

// counterOf looks for a start, steps and a test that make l a counter.
func (e *emitter) counterOf(l ir.Lane) loopCounter {
	v := &e.f.Values[l.V]
	if v.Node < 0 || e.f.Nodes[v.Node].Kind != ir.NodeLoop {
		return loopCounter{}
	}
	n := &e.f.Nodes[v.Node]
	k := slices.Index(n.Header, l.V)
	if k < 0 || k >= len(n.Inits) || l.L >= n.Inits[k].N {
		return loopCounter{}
	}
	start, ok := e.laneConst(n.Inits[k].Lanes[l.L])
	if !ok {
		return loopCounter{}
	}
	step := uint64(0)
	for _, id := range e.continuesOf(v.Node) {
		c := &e.f.Nodes[id]
		if k >= len(c.Args) || l.L >= c.Args[k].N {
			return loopCounter{}
		}
		d, ok := e.stepOf(c.Args[k].Lanes[l.L], l)
		if !ok {
			return loopCounter{}
		}
		step = max(step, d)
	}
	nodes := e.f.Regions[n.Regions[0]].Nodes
	for i, id := range nodes {
		g := &e.f.Nodes[id]
		if g.Kind != ir.NodeIf || g.Cond.N == 0 {
			continue
		}
		for arm := range 2 {
			last := e.f.Regions[g.Regions[1-arm]].Nodes
			if len(last) == 0 {
				continue
			}
			if end := &e.f.Nodes[last[len(last)-1]]; end.Kind != ir.NodeBreak || end.Target != v.Node {
				continue
			}
			limit, ok := e.below(g.Cond.Lanes[0], l, arm == 0)
			// Neither the start nor a step may leave the range in which signed and
			// unsigned comparisons agree.
			if ok && uint64(start) < 1<<31 && limit < 1<<31 && limit+step < 1<<31 && limit > 0 {
				return loopCounter{limit, v.Node, i, arm}
			}
		}
	}
	return loopCounter{}
}

// stepOf is the constant that x adds to lane l.
func (e *emitter) stepOf(x, l ir.Lane) (uint64, bool) {
	if x == l {
		return 0, true
	}
	v := &e.f.Values[x.V]
	if v.Op != ir.OpIAdd {
		return 0, false
	}
	for i := range 2 {
		if v.Args[i].Lanes[x.L] == l {
			d, ok := e.laneConst(v.Args[1-i].Lanes[x.L])
			return uint64(d), ok && d < 1<<30
		}
	}
	return 0, false
}

// below is the constant that lane l is smaller than where cond has the value is.
func (e *emitter) below(cond, l ir.Lane, is bool) (uint64, bool) {
	v := &e.f.Values[cond.V]
	switch v.Op {
	case ir.OpNot:
		return e.below(v.Args[0].Lanes[cond.L], l, !is)
	case ir.OpULt, ir.OpILt, ir.OpUGe, ir.OpIGe:
	default:
		return 0, false
	}
	less := v.Op == ir.OpULt || v.Op == ir.OpILt
	a, b := v.Args[0].Lanes[cond.L], v.Args[1].Lanes[cond.L]
	if a == l && less == is { // l < b
		n, ok := e.laneConst(b)
		return uint64(n), ok
	}
	if b == l && less != is { // a >= l
		n, ok := e.laneConst(a)
		return uint64(n) + 1, ok
	}
	return 0, false
}
