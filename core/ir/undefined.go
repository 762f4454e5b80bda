package ir

import (
	"fxlens/core/diag"
)

// UndefinedReads lists the instructions that read a lane which no path, or not
// every path, wrote, as warnings; with strict as errors. It belongs behind the
// last removal of dead code: what is dead is not read.
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
				continue // an output that is not written is the stage interface's business
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
	sortDiags(ds)
	return ds
}
