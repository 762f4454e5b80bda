package ir

import "fxlens/core/dxbc"

// UniformityInfo says what is uniform by WGSL's rules (WGSL 15.2, checked
// against Tint in wgsl-patterns.md section 2), on the structure that the
// emitter writes: every value, and the flow of control at every node.
type UniformityInfo struct {
	varying []bool // by value
	flow    []bool // by node: control flow there is non-uniform
	arrays  []bool
	taint   []bool // by node: a loop whose body runs in non-uniform flow

	f       *Function
	escapes []uint8
	changed bool
}

// Varying reports whether v may differ between invocations.
func (u *UniformityInfo) Varying(v ValueID) bool { return u.varying[v] }

// NonUniform reports whether control flow at node n is non-uniform.
func (u *UniformityInfo) NonUniform(n NodeID) bool { return u.flow[n] }

// Sites lists the values whose operation needs uniform control flow (derivatives
// and implicit-LOD samples) and does not have it, in program order.
func (u *UniformityInfo) Sites() []ValueID { return u.sites(FlagDerivative, false) }

// Barriers lists the barriers of the whole group in non-uniform control flow, in
// program order. Fences without a barrier are not among them.
func (u *UniformityInfo) Barriers() []ValueID { return u.sites(0, true) }

func (u *UniformityInfo) sites(flag OpFlags, barrier bool) []ValueID {
	var out []ValueID
	u.f.Walk(func(n NodeID) {
		nd := &u.f.Nodes[n]
		if nd.Kind != NodeValue || !u.flow[n] {
			return
		}
		v := &u.f.Values[nd.Value]
		if barrier && waits(v) || !barrier && flag != 0 && v.Op.Is(flag) {
			out = append(out, nd.Value)
		}
	})
	return out
}

// How control can leave a node other than behind it.
const (
	leavesByReturn uint8 = 1 << iota
	leavesByBreak
	leavesByContinue
)

// Uniformity analyses f. It costs a few walks over the function.
func Uniformity(f *Function) *UniformityInfo {
	u := &UniformityInfo{f: f, varying: make([]bool, len(f.Values)), flow: make([]bool, len(f.Nodes)),
		arrays: make([]bool, len(f.Arrays)), taint: make([]bool, len(f.Nodes)), escapes: make([]uint8, len(f.Nodes))}
	for i := range f.Values {
		v := &f.Values[i]
		if v.Op == OpInput {
			u.varying[i] = f.Inputs[v.Imm[0]].RegType != dxbc.RegThreadGroupID
		}
	}
	for i := range f.Arrays {
		u.arrays[i] = f.Arrays[i].Class == InputArray
	}
	if len(f.Regions) == 0 {
		return u
	}
	u.escape(0)
	for {
		u.changed = false
		u.region(0, false)
		if !u.changed {
			return u
		}
	}
}

// escape computes how control leaves each construct.
func (u *UniformityInfo) escape(r RegionID) uint8 {
	var all uint8
	for _, n := range u.f.Regions[r].Nodes {
		nd := &u.f.Nodes[n]
		var e uint8
		switch nd.Kind {
		case NodeReturn:
			e = leavesByReturn
		case NodeBreak:
			e = leavesByBreak
		case NodeContinue:
			e = leavesByContinue
		case NodeIf, NodeSwitch, NodeLoop:
			for _, c := range nd.Regions {
				e |= u.escape(c)
			}
			if nd.Kind == NodeLoop {
				e &= leavesByReturn
			}
			if nd.Kind == NodeSwitch {
				e &^= leavesByBreak
			}
		}
		u.escapes[n] = e
		all |= e
	}
	return all
}

func (u *UniformityInfo) set(b *bool, x bool) {
	if x && !*b {
		*b = true
		u.changed = true
	}
}

func (u *UniformityInfo) argVaries(a *Arg) bool {
	for k := range a.Lanes[:a.N] {
		if v := a.Lanes[k].V; v >= 0 && u.varying[v] {
			return true
		}
	}
	return false
}

// bind passes a terminator's arguments to parameters.
func (u *UniformityInfo) bind(ps []ValueID, args []Arg, cf bool) {
	for i, p := range ps {
		u.set(&u.varying[p], cf || u.argVaries(&args[i]))
	}
}

// region walks a region entered in control flow cf and returns the flow at its end.
func (u *UniformityInfo) region(r RegionID, cf bool) bool {
	f := u.f
	for _, n := range f.Regions[r].Nodes {
		nd := &f.Nodes[n]
		u.set(&u.flow[n], cf)
		switch nd.Kind {
		case NodeValue:
			u.value(nd.Value, cf)
		case NodeIf:
			cv := cf || u.argVaries(&nd.Cond)
			after := false
			for _, c := range nd.Regions {
				end := u.region(c, cv)
				last := f.Regions[c].Nodes
				if f.Nodes[last[len(last)-1]].Kind == NodeYield {
					after = after || end
				}
			}
			for _, p := range nd.Params {
				u.set(&u.varying[p], cv)
			}
			if u.escapes[n] != 0 {
				cf = cf || after
			}
		case NodeSwitch:
			cv := cf || u.argVaries(&nd.Cond)
			after := false
			for _, c := range nd.Regions {
				after = u.region(c, cv) || after
			}
			for _, p := range nd.Params {
				u.set(&u.varying[p], cv)
			}
			if u.escapes[n] != 0 {
				cf = cf || after
			}
		case NodeLoop:
			u.bind(nd.Header, nd.Inits, cf)
			u.set(&u.taint[n], u.region(nd.Regions[0], cf || u.taint[n]))
			if u.escapes[n] != 0 {
				cf = cf || u.taint[n]
			}
		case NodeYield, NodeBreak:
			u.bind(f.Nodes[nd.Target].Params, nd.Args, cf)
		case NodeContinue:
			u.bind(f.Nodes[nd.Target].Header, nd.Args, cf)
			u.set(&u.taint[nd.Target], cf)
		}
	}
	return cf
}

func (u *UniformityInfo) value(id ValueID, cf bool) {
	v := &u.f.Values[id]
	x := cf
	for i := range v.Args {
		x = x || u.argVaries(&v.Args[i])
	}
	switch v.Op {
	case OpGroupAny:
		x = cf
	case OpAtomic, OpCounterInc, OpCounterDec, OpLoadTyped, OpEvalSnapped, OpEvalSample, OpEvalCentroid, OpSamplePos:
		x = true
	case OpLoadRaw, OpLoadStructured:
		x = x || u.f.Resources[v.Res].Class != SRV && !v.Uniform
	case OpArrayLoad:
		x = x || u.arrays[v.Res]
	case OpArrayStore:
		u.set(&u.arrays[v.Res], x)
	default:
		if v.Op.Is(FlagDerivative) {
			x = true
		}
	}
	u.set(&u.varying[id], x)
}
