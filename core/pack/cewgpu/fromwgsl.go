package cewgpu

import (
	"sort"

	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
)

// FromWGSL returns an emitted module as Build takes it. The source map comes from
// the module's tokens: for each line the instructions that it stands for, in the
// order of their first token. Instructions are numbered as the format does it,
// declarations not counted; program may be nil, and then there is no map.
func FromWGSL(m *wgsl.Module, program *dxbc.Program) Module {
	out := Module{
		Stage: m.Stage, EntryPoint: m.EntryPoint, Code: m.Code, Workgroup: m.Workgroup,
		Requires: Requires{Features: m.Requires.Features, LanguageFeatures: m.Requires.Language, Limits: m.Requires.Limits},
	}
	if program == nil {
		return out
	}
	// Executable index of each instruction, -1 for declarations.
	index := make([]int, len(program.Instrs))
	n := 0
	for i := range program.Instrs {
		index[i] = -1
		if !program.Instrs[i].Op.Has(dxbc.FlagDecl) && program.Instrs[i].Custom == nil {
			index[i] = n
			n++
		}
	}
	var lines []int // byte offset of each line
	lines = append(lines, 0)
	for i := range len(m.Code) {
		if m.Code[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	last := 0
	seen := map[int]bool{} // instructions of the line at hand
	for _, t := range m.Tokens {
		i := int(t.Instr)
		if i < 0 || i >= len(index) || index[i] < 0 {
			continue
		}
		line := sort.SearchInts(lines, int(t.Off)+1)
		if line != last {
			clear(seen)
			last = line
		}
		if seen[i] {
			continue
		}
		seen[i] = true
		out.SourceMap = append(out.SourceMap, MapLine{Line: line, InstructionIndex: index[i], DXBCOffset: int(program.Instrs[i].Offset)})
	}
	return out
}
