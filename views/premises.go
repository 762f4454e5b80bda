package views

import (
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// BindingsAndPremises is the table of a pass's binding plan, and below it what its
// programs take for granted of their caller, where there is anything. A premise's
// row belongs to the instruction that it follows from.
func BindingsAndPremises(p *layout.Plan, premises []ir.Premise) *Static {
	plan := Bindings(p)
	if len(premises) == 0 {
		return plan
	}
	kind := column{head: "premise", role: RoleNote, max: 11}
	what := column{head: "holds when", role: RoleText, max: 44}
	name := column{head: "name", role: RoleName, max: 24}
	why := column{head: "because", role: RoleDim, max: 120}
	refs := make([]Ref, len(premises))
	for i := range premises {
		q := &premises[i]
		kind.cell = append(kind.cell, q.Kind.String())
		what.cell = append(what.cell, q.Short())
		name.cell = append(name.cell, q.Name)
		why.cell = append(why.cell, q.Text)
		refs[i] = NoRef
		refs[i].Instr = int32(q.At.Index())
	}
	lines := append(append([]Line(nil), plan.lines...), Blank())
	first := len(lines) + 1 // behind the heading
	lines = append(lines, table([]column{kind, what, name, why}, refs)...)
	return NewStatic(lines, func(line int) Focus {
		if line < len(plan.lines) {
			return plan.Focus(line, 0)
		}
		f := NoFocus
		if line >= first {
			f.Instr = refs[line-first].Instr
		}
		return f
	})
}
