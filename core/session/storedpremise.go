package session

import (
	"slices"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl/layout"
)

// storePremises gives a stage the premises that the package has of it, where it has
// any, in place of those that follow from its program now. The instruction that one
// follows from counts where the program is there to have it.
func storePremises(st *compile.Stage, stored *StoredPass, sh *dxbc.Shader) {
	stage, ok := layout.StageOf(st.Kind)
	if !ok {
		return
	}
	i := slices.IndexFunc(stored.Shaders, func(s cewgpu.Shader) bool { return s.Stage == stage.String() })
	if i < 0 || len(stored.Shaders[i].Premises) == 0 {
		return
	}
	st.Premises = make([]ir.Premise, 0, len(stored.Shaders[i].Premises))
	for _, q := range stored.Shaders[i].Premises {
		p := ir.Premise{Subject: q.Subject, Relation: q.Relation, Value: q.Value, Number: q.Number,
			Register: q.Register, Space: q.RegisterSpace, Name: q.Name, Pass: q.PassKey, Text: q.Message}
		if p.Kind.UnmarshalText([]byte(q.Kind)) != nil {
			continue // cannot be: the reader knows the kinds
		}
		if n := q.InstructionIndex; n != nil && sh != nil && *n >= 0 && *n < len(sh.Program.Instrs) {
			p.At = diag.At(*n)
		}
		st.Premises = append(st.Premises, p)
	}
}
