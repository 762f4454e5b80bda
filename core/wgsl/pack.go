package wgsl

import (
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// argPiece is a run of lanes of an operand that print as one: of one value, of a
// pack, or a single constant.
type argPiece struct {
	pack  *pack
	value ir.ValueID // where pack is nil
	konst bool
	bits  uint32
	n     uint8
	lane  [4]uint8 // n of them: of the value or of the pack
}

// lanes are the lanes of the value or of the pack.
func (p *argPiece) lanes() []uint8 { return p.lane[:p.n] }

// argPieces are the pieces of one operand.
type argPieces struct {
	list [4]argPiece
	n    int
}

// pieces takes an operand apart as node at reads it. Packs that stand before the
// node are used for as many lanes as possible.
func (e *emitter) pieces(a *ir.Arg, at ir.NodeID, out *argPieces) {
	out.n = 0
	n := int(a.N)
	for i := 0; i < n; {
		p := &out.list[out.n]
		out.n++
		*p = argPiece{value: a.Lanes[i].V}
		if bits, ok := e.laneConst(a.Lanes[i]); ok {
			p.konst, p.bits, p.n = true, bits, 1
			p.lane[0] = a.Lanes[i].L
			i++
			continue
		}
		for j := i; j < n && a.Lanes[j].V == p.value; j++ {
			p.lane[p.n] = a.Lanes[j].L
			p.n++
		}
		if len(e.fold.inPacks) == 0 {
			i += int(p.n)
			continue
		}
		for _, x := range e.fold.inPacks[a.Lanes[i]] {
			if !e.packVisible(x, at) {
				continue
			}
			q := argPiece{pack: x}
			for j := i; j < n; j++ {
				k := slices.Index(x.arg.Lanes[:x.arg.N], a.Lanes[j])
				if k < 0 {
					break
				}
				q.lane[q.n] = uint8(k)
				q.n++
			}
			if q.n >= p.n && (p.pack == nil || q.n > p.n) {
				*p = q
			}
		}
		i += int(p.n)
	}
}

// packVisible reports whether the pack is declared where node at stands.
func (e *emitter) packVisible(x *pack, at ir.NodeID) bool {
	p := &e.fold
	if p.pos[at] <= p.pos[x.node] {
		return false
	}
	home := e.f.Nodes[x.node].Parent
	r := e.f.Nodes[at].Parent
	for p.depth[r] > p.depth[home] {
		r = e.f.Nodes[e.f.Regions[r].Parent].Parent
	}
	return r == home
}

// findPacks finds the operands that deserve a name of their own.
func (e *emitter) findPacks() {
	f, p := e.f, &e.fold
	var count map[ir.Arg]int
	var order []ir.Arg
	var buf [4]ir.Arg
	note := func(a ir.Arg) {
		if a.N < 2 || !e.mixed(&a) {
			return
		}
		if count == nil {
			count = map[ir.Arg]int{}
		}
		if count[a]++; count[a] == 2 {
			order = append(order, a)
		}
	}
	for _, id := range p.order {
		n := &f.Nodes[id]
		if n.Kind != ir.NodeValue {
			e.eachArg(n, func(_ int, a ir.Arg) { note(a) })
			continue
		}
		v := &f.Values[n.Value]
		for k := range v.Args {
			for _, a := range parts(f, v, k, &buf) {
				note(a)
			}
		}
	}
	for _, a := range order {
		last := ir.NoNode
		ready := int32(0) // from where all parameters among them are there
		sources := map[ir.ValueID]bool{}
		ok := true
		for _, l := range a.Lanes[:a.N] {
			v := &f.Values[l.V]
			if isLeaf(v) {
				continue
			}
			sources[l.V] = true
			if v.Node == ir.NoNode || f.Nodes[v.Node].Kind != ir.NodeValue || p.pos[v.Node] == 0 {
				if ok = ok && v.Op == ir.OpParam && v.Node != ir.NoNode; ok {
					at := p.end[v.Node]
					if slices.Contains(f.Nodes[v.Node].Header, l.V) {
						at = p.pos[v.Node]
					}
					ready = max(ready, at)
				}
				continue
			}
			if last == ir.NoNode || p.pos[v.Node] > p.pos[last] {
				last = v.Node
			}
		}
		if !ok || last == ir.NoNode || p.pos[last] <= ready || len(sources) < 2 {
			continue
		}
		x := &pack{arg: a, node: last}
		if p.packs == nil {
			p.packs, p.inPacks, p.after = map[ir.Arg]*pack{}, map[ir.Lane][]*pack{}, map[ir.NodeID][]*pack{}
		}
		p.packs[a] = x
		p.after[last] = append(p.after[last], x)
		for k, l := range a.Lanes[:a.N] {
			if _, ok := e.laneConst(l); !ok && !slices.Contains(a.Lanes[:k], l) && len(p.inPacks[l]) < 8 {
				p.inPacks[l] = append(p.inPacks[l], x)
			}
		}
	}
}

// mixed reports whether a reads two values or more that are no leaves.
func (e *emitter) mixed(a *ir.Arg) bool {
	first := ir.NoValue
	for _, l := range a.Lanes[:a.N] {
		if l.V == first || isLeaf(&e.f.Values[l.V]) {
			continue
		}
		if first != ir.NoValue {
			return true
		}
		first = l.V
	}
	return false
}

// parts are the pieces in which operand i of v is printed: itself, the
// coordinates and the layer of an array texture, or the single components that
// go to part of an element of an indexable temp.
func parts(f *ir.Function, v *ir.Value, i int, buf *[4]ir.Arg) []ir.Arg {
	a := v.Args[i]
	buf[0] = a
	one := buf[:1]
	if a.N < 2 {
		return one
	}
	if v.Op == ir.OpArrayStore && i == 1 && int(a.N) != int(f.Arrays[v.Res].N) {
		for k, l := range a.Lanes[:a.N] {
			buf[k] = ir.Scalar(l)
		}
		return buf[:a.N]
	}
	if i != 0 || v.Res < 0 || int(v.Res) >= len(f.Resources) || v.Op == ir.OpArrayLoad {
		return one
	}
	if v.Op.Is(ir.FlagTexture) || v.Op == ir.OpLoadTyped || v.Op == ir.OpStoreTyped || v.Op == ir.OpAtomic {
		switch f.Resources[v.Res].Dim {
		case dxbc.DimTexture1DArray, dxbc.DimTexture2DArray, dxbc.DimTexture2DMSArray, dxbc.DimTextureCubeArray:
			b := a
			b.N--
			b.Lanes[b.N] = ir.Lane{}
			buf[0], buf[1] = b, ir.Scalar(a.Lanes[a.N-1])
			return buf[:2]
		}
	}
	return one
}
