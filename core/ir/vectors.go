package ir

// joinParams makes one vector parameter of the lanes of one register that the
// same construct carries, where they have the same kind and uniformity and no
// flow of control depends on any of them (WGSL judges uniformity by the variable).
func joinParams(f *Function) {
	fl := f.flow()
	control := f.controlLanes(fl)
	fw := newForward(len(f.Values))
	uni := Uniformity(f)
	changed := false
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
			if v.N == 1 && (v.Reg >= 0 || v.Out > 0) && !control[p] && v.Kind != Bool {
				for j := i + 1; j < len(ps) && len(g) < 4; j++ {
					w := &f.Values[ps[j]]
					if !used[j] && w.N == 1 && w.Reg == v.Reg && w.Out == v.Out && w.Kind == v.Kind && !control[ps[j]] && uni.Varying(ps[j]) == uni.Varying(p) {
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
			nd.Header = join(nd.Header, [][]NodeID{fl.conts[n]}, &nd.Inits)
		}
		if len(nd.Params) > 1 {
			nd.Params = join(nd.Params, [][]NodeID{fl.exits[n]}, nil)
		}
	})
	if !changed {
		return
	}
	f.eachArg(func(a *Arg, _ ValueID, _ NodeID) { fw.arg(a) })
	f.compact()
}

// controlLanes marks the parameters that a condition or a selector depends on,
// through operations and other parameters.
func (f *Function) controlLanes(fl flows) []bool {
	mark := make([]bool, len(f.Values))
	var work []ValueID
	add := func(a *Arg) {
		for k := range a.Lanes[:a.N] {
			if v := a.Lanes[k].V; v >= 0 && !mark[v] {
				mark[v] = true
				work = append(work, v)
			}
		}
	}
	f.Walk(func(n NodeID) { add(&f.Nodes[n].Cond) })
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		val := &f.Values[v]
		for i := range val.Args {
			add(&val.Args[i])
		}
		if val.Op != OpParam {
			continue
		}
		nd := &f.Nodes[val.Node]
		for i, p := range nd.Header {
			if p == v {
				add(&nd.Inits[i])
				for _, c := range fl.conts[val.Node] {
					add(&f.Nodes[c].Args[i])
				}
			}
		}
		for i, p := range nd.Params {
			if p == v {
				for _, e := range fl.exits[val.Node] {
					add(&f.Nodes[e].Args[i])
				}
			}
		}
	}
	return mark
}
