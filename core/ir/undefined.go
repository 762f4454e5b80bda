package ir

import (
	"fxlens/core/diag"
)

// UndefinedReads lists the instructions that read a lane which no path, or not
// every path, wrote, as warnings; with strict as errors. It belongs behind the
// last removal of dead code: what is dead is not read. It wants the program as it
// was written: a function built predicated carries lanes past threads that do not
// take part, which is no read.
func UndefinedReads(f *Function, strict bool) []diag.Diag {
	sev := diag.Warning
	if strict {
		sev = diag.Error
	}
	seen := map[int32]bool{}
	var ds []diag.Diag
	f.eachArg(func(a *Arg, v ValueID, n NodeID) {
		for k := range a.Lanes[:a.N] {
			if l := a.Lanes[k].V; l < 0 || f.Values[l].Op != OpUndef {
				continue
			}
			instr := f.Nodes[n].Instr
			if v != NoValue {
				instr = f.Values[v].Instr
			}
			if f.Nodes[n].Kind == NodeReturn {
				continue // see below
			}
			what := "reads a register lane that no path wrote"
			if v == NoValue {
				what = "leaves a register lane unwritten on one path that is read behind it"
			}
			if seen[instr] {
				return
			}
			seen[instr] = true
			ds = append(ds, diag.New(sev, codeUndefined, diag.At(int(instr)), "instruction %s; it counts as zero", what))
			return
		}
	})
	// An output that no path writes is the stage interface's business; one that
	// another path writes is undefined here.
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind != NodeReturn {
			return
		}
		for i := range nd.Args {
			el, a := &f.Outputs[i], &nd.Args[i]
			k := uint8(0)
			for c := uint8(0); c < 4 && k < a.N; c++ {
				if el.Mask>>c&1 == 0 {
					continue
				}
				l := a.Lanes[k].V
				k++
				if el.Used>>c&1 != 0 && l >= 0 && f.Values[l].Op == OpUndef {
					ds = append(ds, diag.New(sev, codeUndefined, diag.At(int(nd.Instr)), "the return leaves %s%d.%c unwritten, which another path writes; it counts as zero", el.Semantic, el.Index, "xyzw"[c]))
					break
				}
			}
		}
	})
	sortDiags(ds)
	return ds
}
