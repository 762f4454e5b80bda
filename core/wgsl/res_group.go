package wgsl

import "fxlens/core/ir"

// fixed reports whether v keeps its place: it changes memory, or waits for the group.
func fixed(v *ir.Value) bool { return v.Op.Is(ir.FlagEffect) || v.Uniform }

// groupAny is whether a condition holds for any invocation of the group. The
// reset stands between two barriers, so that no vote meets the next one
// (wgsl-patterns.md section 2).
func (e *emitter) groupAny(v *ir.Value) *expr {
	if e.rs.vote == "" {
		e.rs.vote = e.unique("group_vote")
	}
	vote := e.rs.vote
	name := e.help("any_in_group", "fn any_in_group(x: bool) -> bool {\n"+
		"  if (x) {\n    atomicOr(&"+vote+", 1u);\n  }\n"+
		"  let votes = workgroupUniformLoad(&"+vote+");\n"+
		"  atomicStore(&"+vote+", 0u);\n"+
		"  workgroupBarrier();\n"+
		"  return votes != 0u;\n}\n")
	return e.call(name, typ{ir.Bool, 1}, e.arg(v, 0, ir.Bool))
}
