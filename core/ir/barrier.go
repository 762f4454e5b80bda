package ir

import (
	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

var (
	codeUniformLoad = diag.Register(diag.Info{
		Code: "lower.uniform-load", Title: "groupshared load made a uniform load",
		Rule:   "WGSL takes groupshared memory for varying; D3D lets a barrier depend on a value that the whole group loads from one address, so it is loaded by workgroupUniformLoad, which waits for the group before and after",
		Remedy: "none needed: the result is the same wherever D3D defines one",
	})
	codePredicated = diag.Register(diag.Info{
		Code: "lower.predicated", Title: "barriers taken out of varying control flow",
		Rule:   "WGSL wants barriers in uniform control flow; D3D wants every thread of the group to reach a barrier, so threads that left early pass it idle and loops go on while any thread takes part",
		Remedy: "none needed: the result is the same wherever D3D defines one",
	})
	codeFence = diag.Register(diag.Info{
		Code: "lower.fence-dropped", Title: "memory fence dropped",
		Rule:   "a fence without a barrier has no WGSL form in varying control flow or outside compute programs: storageBarrier waits for the group",
		Remedy: "put the fence where control flow is uniform, or use atomics for what other threads read",
	})
	codeBarrierFlow = diag.Register(diag.Info{
		Code: "lower.barrier-flow", Title: "barrier in varying control flow",
		Rule:   "WGSL requires uniform control flow at a barrier",
		Remedy: "move the barrier out of the condition that differs between threads",
	})
)

// waits reports whether the operation is a barrier of the whole group.
func waits(v *Value) bool {
	return v.Op == OpGroupAny || v.Op == OpBarrier && v.Imm[0]&uint32(dxbc.SyncThreads) != 0
}

// SettleBarriers makes flow around barriers uniform where a uniform load does, and
// then drops the fences that WGSL cannot have: a load that became uniform may be
// what a fence needed.
func SettleBarriers(f *Function) []diag.Diag {
	return append(uniformLoads(f), dropFences(f)...)
}

// uniformLoads makes the groupshared loads at a uniform address, on which the
// flow around a barrier depends, uniform ones, and reports whether it changed
// any. It repeats until nothing more helps.
func uniformLoads(f *Function) []diag.Diag {
	if !f.hasOp(waits) {
		return nil
	}
	var ds []diag.Diag
	for range 32 {
		u := Uniformity(f)
		if len(u.Barriers()) == 0 {
			return ds
		}
		changed := false
		fl := f.flow()
		control := f.controlLanes(fl)
		fl.release()
		f.Walk(func(n NodeID) {
			nd := &f.Nodes[n]
			if nd.Kind != NodeValue || u.flow[n] {
				return
			}
			v := &f.Values[nd.Value]
			if v.Uniform || !control[nd.Value] || v.Op != OpLoadRaw && v.Op != OpLoadStructured || f.Resources[v.Res].Class != GroupShared {
				return
			}
			for i := range v.Args {
				if u.argVaries(&v.Args[i]) {
					return
				}
			}
			v.Uniform, changed = true, true
			ds = append(ds, diag.New(diag.Note, codeUniformLoad, diag.At(int(v.Instr)), "a value of groupshared memory decides about a barrier"))
		})
		if !changed {
			return ds
		}
	}
	return ds
}

// dropFences removes fences that are no barriers where WGSL cannot have them.
func dropFences(f *Function) []diag.Diag {
	if !f.hasOp(func(v *Value) bool { return v.Op == OpBarrier && v.Imm[0]&uint32(dxbc.SyncThreads) == 0 }) {
		return nil
	}
	u := Uniformity(f)
	var ds []diag.Diag
	for r := range f.Regions {
		nodes := f.Regions[r].Nodes
		keep := nodes[:0]
		for _, n := range nodes {
			nd := &f.Nodes[n]
			if nd.Kind == NodeValue {
				v := &f.Values[nd.Value]
				if v.Op == OpBarrier && v.Imm[0]&uint32(dxbc.SyncThreads) == 0 && (f.Kind != dxbc.Compute || u.flow[n]) {
					ds = append(ds, diag.New(diag.Warning, codeFence, diag.At(int(v.Instr)), "a memory fence without a barrier is dropped"))
					f.Fates[v.Instr] = FateDropped
					continue
				}
			}
			keep = append(keep, n)
		}
		f.Regions[r].Nodes = keep
	}
	if ds != nil {
		f.compact()
	}
	return ds
}

// BarrierFlow says what Predicated building is for: the first barrier that is
// still in varying control flow, or nil.
func BarrierFlow(f *Function) *diag.Diag {
	if !f.hasOp(waits) {
		return nil
	}
	bad := Uniformity(f).Barriers()
	if len(bad) == 0 {
		return nil
	}
	d := diag.New(diag.Error, codeBarrierFlow, diag.At(int(f.Values[bad[0]].Instr)), "%d barriers in control flow that differs between threads, the first here", len(bad))
	return &d
}

// PredicatedNote records that a function was built predicated, because of d.
func PredicatedNote(d *diag.Diag) diag.Diag {
	return diag.New(diag.Note, codePredicated, d.At, "control flow around the barrier depends on a value that may differ between threads")
}
