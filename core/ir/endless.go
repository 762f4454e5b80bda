package ir

import "fxlens/core/diag"

// EndlessLoop finds a loop that never ends. Either folding has shown that its
// exits are never taken, or it is meant so: it walks through memory that it also
// overwrites, and nothing but a value found there stops it. Without that value,
// which no program states, the index wraps and the walk goes on for ever. A loop
// with any other exit is not taken for one.
func EndlessLoop(f *Function) *diag.Diag {
	if f.flat() {
		return nil
	}
	var found *diag.Diag
	f.Walk(func(n NodeID) {
		if found != nil || f.Nodes[n].Kind != NodeLoop {
			return
		}
		exits, sentinel := f.exitsOf(n)
		text := "the loop ends only where it finds a value in memory that it overwrites itself"
		switch {
		case exits == 0:
			text = "no exit of the loop is ever taken"
		case !sentinel:
			return
		}
		d := diag.New(diag.Error, codeEndless, diag.At(int(f.Nodes[n].Instr)), "%s", text)
		found = &d
	})
	return found
}

// exitsOf counts the ways out of a loop and reports whether all of them wait for a
// value in memory that the loop walks through and writes.
func (f *Function) exitsOf(loop NodeID) (exits int, waits bool) {
	stored := map[int32]bool{}
	sentinel := true
	var region func(r RegionID, conds []Lane)
	region = func(r RegionID, conds []Lane) {
		for _, n := range f.Regions[r].Nodes {
			nd := &f.Nodes[n]
			switch nd.Kind {
			case NodeValue:
				switch v := &f.Values[nd.Value]; v.Op {
				case OpStoreRaw, OpStoreStructured, OpStoreTyped:
					stored[v.Res] = true
				}
			case NodeReturn:
				exits++
				sentinel = sentinel && f.sentinel(loop, conds)
			case NodeBreak:
				if nd.Target == loop {
					exits++
					sentinel = sentinel && f.sentinel(loop, conds)
				}
			case NodeIf, NodeSwitch:
				inside := append(conds[:len(conds):len(conds)], nd.Cond.Lanes[0])
				for _, c := range nd.Regions {
					region(c, inside)
				}
			case NodeLoop:
				// Whether an inner loop ends is its own question.
				region(nd.Regions[0], conds)
			}
		}
	}
	region(f.Nodes[loop].Regions[0], nil)
	if exits == 0 || !sentinel {
		return exits, false
	}
	// The memory that decides is memory that the loop writes.
	f.exitLoads(loop, func(v *Value) { waits = waits || stored[v.Res] })
	return exits, waits
}

// sentinel reports whether the conditions on the way to an exit depend on nothing
// but loads from writable memory at an address that moves with the loop.
func (f *Function) sentinel(loop NodeID, conds []Lane) bool {
	if len(conds) == 0 {
		return false
	}
	loads := 0
	for _, c := range conds {
		ok := f.slice(c, func(v *Value) bool {
			switch v.Op {
			case OpConst:
				return true
			case OpLoadRaw, OpLoadStructured, OpLoadTyped:
				if f.Resources[v.Res].Class != UAV || f.Resources[v.Res].Atomic || !f.movesWith(loop, &v.Args[0]) {
					return false
				}
				loads++
				return true
			}
			return false
		})
		if !ok {
			return false
		}
	}
	return loads > 0
}

// slice visits the sources of a lane through lanewise operations; it stops and
// returns false where visit does.
func (f *Function) slice(l Lane, visit func(*Value) bool) bool {
	seen := map[ValueID]bool{}
	var walk func(l Lane) bool
	walk = func(l Lane) bool {
		if l.V < 0 || seen[l.V] {
			return l.V >= 0
		}
		seen[l.V] = true
		v := &f.Values[l.V]
		if !v.Op.Is(FlagLanewise) {
			return visit(v)
		}
		for i := range v.Args {
			for _, a := range v.Args[i].Lanes[:v.Args[i].N] {
				if !walk(a) {
					return false
				}
			}
		}
		return true
	}
	return walk(l)
}

// movesWith reports whether an address depends on a header parameter of the loop.
func (f *Function) movesWith(loop NodeID, a *Arg) bool {
	moves := false
	for _, l := range a.Lanes[:a.N] {
		f.slice(l, func(v *Value) bool {
			moves = moves || v.Op == OpParam && v.Node == loop
			return true
		})
	}
	return moves
}

// exitLoads visits the loads that the conditions inside a loop depend on.
func (f *Function) exitLoads(loop NodeID, visit func(*Value)) {
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind != NodeIf && nd.Kind != NodeSwitch || !f.Encloses(loop, n) {
			return
		}
		f.slice(nd.Cond.Lanes[0], func(v *Value) bool {
			if v.Res >= 0 && v.Op.Is(FlagReads) {
				visit(v)
			}
			return true
		})
	})
}
