package ir

// joinParams makes one vector parameter of the lanes of one register that the
// same construct carries, where they have the same kind. WGSL judges uniformity by
// the variable: where the function has an operation that needs uniform flow, lanes
// are joined that vary all, or that are uniform all with no flow depending on them.
func joinParams(f *Function) {
	if f.flat() {
		return
	}
	fl := f.flow()
	defer fl.release()
	free := !f.convergent()
	var control []bool
	if !free {
		control = f.controlLanes(fl)
	}
	fw := newForward(len(f.Values))
	defer fw.release()
	uni := Uniformity(f)
	changed := false
	alone := func(p ValueID) bool { return !free && control[p] && !uni.Varying(p) }
	join := func(ps []ValueID, lists [][]NodeID, inits *[]Arg) []ValueID {
		var out []ValueID
		used := make([]bool, len(ps))
		var groups [][]int
		for i, p := range ps {
			if used[i] {
				continue
			}
			used[i] = true
			g := []int{i}
			v := &f.Values[p]
			if v.N == 1 && (v.Reg >= 0 || v.Out > 0) && !alone(p) && v.Kind != Bool {
				for j := i + 1; j < len(ps) && len(g) < 4; j++ {
					w := &f.Values[ps[j]]
					if !used[j] && w.N == 1 && w.Reg == v.Reg && w.Out == v.Out && w.Kind == v.Kind &&
						!alone(ps[j]) && (free || uni.Varying(ps[j]) == uni.Varying(p)) {
						used[j] = true
						g = append(g, j)
					}
				}
			}
			groups = append(groups, g)
		}
		if len(groups) == len(ps) {
			return ps
		}
		changed = true
		for _, g := range groups {
			out = append(out, ps[g[0]])
			if len(g) == 1 {
				continue
			}
			v := &f.Values[ps[g[0]]]
			v.N = uint8(len(g))
			for k, i := range g {
				v.RegLanes[k] = f.Values[ps[i]].RegLanes[0]
				if k > 0 {
					fw.set(Lane{V: ps[i]}, Lane{ps[g[0]], uint8(k)})
				}
			}
		}
		merge := func(args []Arg) []Arg {
			var as []Arg
			for _, g := range groups {
				a := Arg{N: uint8(len(g))}
				for k, i := range g {
					a.Lanes[k] = args[i].Lanes[0]
				}
				if len(g) == 1 {
					a = args[g[0]]
				}
				as = append(as, a)
			}
			return as
		}
		for _, l := range lists {
			for _, n := range l {
				f.Nodes[n].Args = merge(f.Nodes[n].Args)
			}
		}
		if inits != nil {
			*inits = merge(*inits)
		}
		return out
	}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if len(nd.Header) > 1 {
			nd.Header = join(nd.Header, [][]NodeID{fl.conts.of(n)}, &nd.Inits)
		}
		if len(nd.Params) > 1 {
			nd.Params = join(nd.Params, [][]NodeID{fl.exits.of(n)}, nil)
		}
	})
	if !changed {
		return
	}
	f.eachArg(func(a *Arg, _ ValueID, _ NodeID) { fw.arg(a) })
	f.compact()
}

// convergent reports whether the function has an operation that needs uniform flow.
func (f *Function) convergent() bool {
	found := false
	f.Walk(func(n NodeID) {
		if nd := &f.Nodes[n]; nd.Kind == NodeValue {
			v := &f.Values[nd.Value]
			found = found || v.Op.Is(FlagDerivative) || v.Op == OpBarrier || v.Op == OpGroupAny || v.Uniform
		}
	})
	return found
}

// controlLanes marks the parameters that a condition or a selector depends on,
// through operations, lane by lane where they work so, and other parameters.
func (f *Function) controlLanes(fl flows) []bool {
	mark := make([]uint8, len(f.Values)) // lanes
	var work []Lane
	lane := func(l Lane) {
		if l.V >= 0 && mark[l.V]>>l.L&1 == 0 {
			mark[l.V] |= 1 << l.L
			work = append(work, l)
		}
	}
	add := func(a *Arg) {
		for k := range a.Lanes[:a.N] {
			lane(a.Lanes[k])
		}
	}
	f.Walk(func(n NodeID) { add(&f.Nodes[n].Cond) })
	places := f.paramPlaces()
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		val := &f.Values[l.V]
		for i := range val.Args {
			if a := &val.Args[i]; val.Op.Is(FlagLanewise) && l.L < a.N {
				lane(a.Lanes[l.L])
			} else {
				add(a)
			}
		}
		if val.Op != OpParam {
			continue
		}
		pass := func(a *Arg) {
			if l.L < a.N {
				lane(a.Lanes[l.L])
			}
		}
		switch i := places[l.V]; {
		case i < 0:
			pass(&f.Nodes[val.Node].Inits[-i-1])
			for _, c := range fl.conts.of(val.Node) {
				pass(&f.Nodes[c].Args[-i-1])
			}
		case i > 0:
			for _, e := range fl.exits.of(val.Node) {
				pass(&f.Nodes[e].Args[i-1])
			}
		}
	}
	out := make([]bool, len(mark))
	for i, m := range mark {
		out[i] = m != 0
	}
	return out
}
