package wgsl

import (
	"fmt"
	"strconv"

	"fxlens/core/ir"
)

// arrays declares the indexable temps, which are variables of the function.
func (e *emitter) arrays() []stmt {
	var out []stmt
	used := make([]bool, len(e.f.Arrays))
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		if n.Kind == ir.NodeValue && e.fold.place[n.Value] != placeNone {
			if v := &e.f.Values[n.Value]; (v.Op == ir.OpArrayLoad || v.Op == ir.OpArrayStore) && v.Res >= 0 {
				used[v.Res] = true
			}
		}
	}
	for i := range e.f.Arrays {
		if !used[i] {
			continue
		}
		a := &e.f.Arrays[i]
		t := fmt.Sprintf("array<%s, %d>", typ{ir.U32, a.N}.withKind(e.arrayKind(int32(i))), a.Len)
		s := varStmt(e.arrayName(int32(i)), t, nil)
		if a.Class == ir.InputArray { // holds what the stage gets
			s = varStmt(e.arrayName(int32(i)), "", e.inputArray(a, t, e.arrayKind(int32(i))))
		}
		s.instr = a.Instr
		out = append(out, s)
	}
	return out
}

func (t typ) withKind(k ir.Kind) typ { return typ{k, t.n} }

// arrayName is the variable of an indexable temp.
func (e *emitter) arrayName(i int32) string {
	if e.arrayNames == nil {
		e.arrayNames = map[int32]string{}
	}
	if n, ok := e.arrayNames[i]; ok {
		return n
	}
	base := map[ir.ArrayClass]string{ir.TempArray: "x", ir.InputArray: "inputs", ir.OutputArray: "outputs"}[e.f.Arrays[i].Class] +
		strconv.Itoa(int(e.f.Arrays[i].Index))
	n := e.localName(base)
	e.arrayNames[i] = n
	return n
}

// arrayKind is the kind that most accesses of an array want.
func (e *emitter) arrayKind(i int32) ir.Kind {
	if e.arrayKinds == nil {
		e.arrayKinds = map[int32]ir.Kind{}
		count := map[int32]*[5]int{}
		note := func(r int32, k ir.Kind) {
			if count[r] == nil {
				count[r] = new([5]int)
			}
			count[r][k]++
		}
		for _, id := range e.fold.order {
			n := &e.f.Nodes[id]
			if n.Kind != ir.NodeValue {
				continue
			}
			v := &e.f.Values[n.Value]
			switch v.Op {
			case ir.OpArrayLoad:
				note(v.Res, v.Kind)
			case ir.OpArrayStore:
				for _, l := range v.Args[1].Lanes[:v.Args[1].N] {
					note(v.Res, e.f.Values[l.V].Kind)
				}
			}
		}
		for r, c := range count {
			best := ir.F32
			for _, k := range []ir.Kind{ir.I32, ir.U32} {
				if c[k] > c[best] {
					best = k
				}
			}
			if c[best] == 0 {
				best = ir.U32
			}
			e.arrayKinds[r] = best
		}
	}
	return e.arrayKinds[i]
}

// arrayElement is the place that v reads or writes, and whether its index is in
// range for sure; where it is not, the index has been bound to a name.
func (e *emitter) arrayElement(v *ir.Value) (at, guard *expr) {
	a := &e.f.Arrays[v.Res]
	t := typ{e.arrayKind(v.Res), a.N}
	base := e.ident(e.arrayName(v.Res), RoleVariable, tNone)
	if v.Args[0].N == 0 {
		if v.Imm[0] >= a.Len {
			return nil, e.lit(0, ir.Bool)
		}
		return e.index(base, e.litU(v.Imm[0]), t), nil
	}
	i := e.arg(v, 0, ir.U32)
	if v.Imm[0] > 0 {
		i = e.add(i, e.litU(v.Imm[0]))
	}
	if bits, ok := literalBits(i); ok {
		if bits >= a.Len {
			return nil, e.lit(0, ir.Bool)
		}
		return e.index(base, i, t), nil
	}
	if e.upper(v.Args[0].Lanes[0], v.Node)+uint64(v.Imm[0]) < uint64(a.Len) {
		return e.index(base, i, t), nil
	}
	i = e.bind(i, "index")
	return e.index(base, i, t), e.binary("<", tBool, e.copy(i), e.litU(a.Len))
}

// arrayLoad is an element of an indexable temp; zero outside.
func (e *emitter) arrayLoad(v *ir.Value) *expr {
	a := &e.f.Arrays[v.Res]
	t := typ{e.arrayKind(v.Res), a.N}
	at, guard := e.arrayElement(v)
	if at == nil {
		return e.splat(e.lit(0, t.kind), int(t.n))
	}
	if guard == nil {
		return at
	}
	// WGSL reads some element of the array where the index is outside.
	return e.call("select", t, e.splat(e.lit(0, t.kind), int(t.n)), at, guard)
}

// arrayStore writes components of an element; nothing outside.
func (e *emitter) arrayStore(v *ir.Value) stmt {
	a := &e.f.Arrays[v.Res]
	k := e.arrayKind(v.Res)
	at, guard := e.arrayElement(v)
	if at == nil {
		return blockStmt()
	}
	var list []stmt
	mask := v.Imm[1]
	if full := uint32(1)<<a.N - 1; mask&full == full && int(v.Args[1].N) == int(a.N) {
		list = append(list, assignStmt(at, e.arg(v, 1, k)))
	} else {
		next := 0
		for c := range uint32(4) {
			if mask&(1<<c) == 0 {
				continue
			}
			dst := e.copy(at)
			if a.N > 1 {
				dst = e.lane(dst, int(c))
			}
			list = append(list, assignStmt(dst, e.argLanes(v, 1, next, 1, k)))
			next++
		}
	}
	if guard != nil {
		return ifStmt(guard, list...)
	}
	return blockStmt(list...)
}
