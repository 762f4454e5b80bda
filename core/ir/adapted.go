package ir

import (
	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

var (
	codePrecise = diag.Register(diag.Info{
		Code: "lower.precise", Title: "precise arithmetic",
		Rule:   "precise forbids reassociation and contraction; WGSL allows an implementation both and has no control over it",
		Remedy: "none needed unless passes have to agree to the last bit: positions are emitted @invariant",
	})
	codeNonRefactorable = diag.Register(diag.Info{
		Code: "lower.non-refactorable", Title: "program compiled without refactoringAllowed",
		Rule:   "without the flag every operation of the program is precise; WGSL has no control over reassociation and contraction",
		Remedy: "none needed unless passes have to agree to the last bit: positions are emitted @invariant",
	})
	codeMinPrecision = diag.Register(diag.Info{
		Code: "lower.min-precision", Title: "minimum precision widened",
		Rule:   "a minimum-precision type may be computed in 32 bits (D3D11 functional specification); WGSL's f16 is an optional feature, so it is",
		Remedy: "none needed: the result is at least as exact",
	})
	codeResidency = diag.Register(diag.Info{
		Code: "lower.residency", Title: "residency status that always says mapped",
		Rule:   "WebGPU has no tiled resources: what is bound is there, so status results say mapped and CheckAccessFullyMapped is true",
		Remedy: "none needed: a resource that WebGPU can bind has no unmapped tiles",
	})
)

// Adaptations records what the program asks for that is adapted as a whole: the
// first instruction with each, and how many there are.
func Adaptations(p *dxbc.Program) []diag.Diag {
	type count struct{ n, first int }
	var precise, narrow, status count
	note := func(c *count, i int) {
		if c.n == 0 {
			c.first = i
		}
		c.n++
	}
	refactor := false
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Op == dxbc.OpDclGlobalFlags && in.Decl != nil {
			refactor = in.Decl.Flags&dxbc.GlobalRefactoringAllowed != 0
		}
		if in.Precise != 0 {
			note(&precise, i)
		}
		if in.Op == dxbc.OpCheckAccessFullyMapped || in.NumDst == 2 && in.Op.Has(dxbc.FlagFeedback) && in.Dst(1).Reg != dxbc.RegNull {
			note(&status, i)
		}
		for j := range in.Operands {
			if in.Operands[j].Min != dxbc.MinDefault {
				note(&narrow, i)
				break
			}
		}
	}
	var ds []diag.Diag
	if !refactor {
		ds = append(ds, diag.New(diag.Note, codeNonRefactorable, diag.Loc{}, "the program does not allow refactoring"))
	}
	if precise.n > 0 {
		ds = append(ds, diag.New(diag.Note, codePrecise, diag.At(precise.first), "%d precise instructions, the first here", precise.n))
	}
	if narrow.n > 0 {
		ds = append(ds, diag.New(diag.Note, codeMinPrecision, diag.At(narrow.first), "%d instructions of minimum precision, the first here", narrow.n))
	}
	if status.n > 0 {
		ds = append(ds, diag.New(diag.Note, codeResidency, diag.At(status.first), "%d instructions with a residency status, the first here", status.n))
	}
	return ds
}
