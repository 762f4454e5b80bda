package views

import (
	"fmt"
	"strconv"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
)

// Signatures is the table of a stage's inputs and outputs and, for a pixel stage, of
// their linkage to the stage before it: what the one writes beside what the other reads,
// with mismatches flagged.
func Signatures(p *compile.Pass, stage int) *Static {
	if stage < 0 || stage >= len(p.Stages) || p.Stages[stage].Shader == nil {
		return Message(span(RoleDim, "The stage has no readable signatures."))
	}
	sh := p.Stages[stage].Shader
	var before *compile.Stage
	for i := stage - 1; i >= 0; i-- {
		if p.Stages[i].Shader != nil {
			before = p.Stages[i]
			break
		}
	}
	var out []Line
	head := func(s string) {
		if len(out) > 0 {
			out = append(out, Line{Ref: NoRef})
		}
		out = append(out, Line{Ref: NoRef, Spans: []Span{span(RoleTitle, s)}})
	}
	if sh.In != nil {
		title := fmt.Sprintf("Inputs of %s", p.Stages[stage].Kind)
		if before != nil {
			title += fmt.Sprintf(", linked to the outputs of %s", before.Kind)
		}
		head(title)
		out = append(out, signatureTable(sh.In, false, linkage(sh.In, before))...)
	}
	if sh.Out != nil {
		head(fmt.Sprintf("Outputs of %s", p.Stages[stage].Kind))
		out = append(out, signatureTable(sh.Out, true, nil)...)
	}
	if sh.Patch != nil {
		head("Patch constants")
		out = append(out, signatureTable(sh.Patch, false, nil)...)
	}
	if len(out) == 0 {
		return Message(span(RoleDim, "The container has no signatures."))
	}
	return NewStatic(out, nil)
}

func signatureTable(s *dxbc.Signature, output bool, link []string) []Line {
	if len(s.Elements) == 0 {
		return []Line{{Ref: NoRef, Spans: []Span{span(RoleDim, "none")}}}
	}
	name := column{head: "semantic", role: RoleStageIO, max: 32}
	reg := column{head: "register", role: RoleRegister, max: 8}
	mask := column{head: "mask", role: RoleMember, max: 4}
	used := column{head: "used", role: RoleMember, max: 4}
	typ := column{head: "format", role: RoleType, max: 8}
	sys := column{head: "system value", role: RoleText, max: 12}
	lnk := column{head: "", role: RoleDim, max: 60}
	var refs []Ref
	for i := range s.Elements {
		e := &s.Elements[i]
		name.cell = append(name.cell, e.Name+strconv.FormatUint(uint64(e.Index), 10))
		r := "none"
		if e.Register != 0xFFFFFFFF {
			r = strconv.FormatUint(uint64(e.Register), 10)
		}
		reg.cell = append(reg.cell, r)
		mask.cell = append(mask.cell, MaskText(e.Mask))
		used.cell = append(used.cell, MaskText(e.Used(output)))
		typ.cell = append(typ.cell, e.Format())
		v := dxbc.SigSysName(e.SysValue)
		if v == "NONE" {
			v = ""
		}
		sys.cell = append(sys.cell, v)
		if link != nil {
			lnk.cell = append(lnk.cell, link[i])
		}
		refs = append(refs, NoRef)
	}
	cols := []column{name, reg, mask, used, typ, sys}
	if link != nil {
		lnk.head = "written by the stage before"
		cols = append(cols, lnk)
	}
	lines := table(cols, refs)
	for i := range s.Elements {
		if link != nil && len(link[i]) > 0 && link[i][0] == '!' {
			l := &lines[i+1]
			l.Mark |= MarkError
			l.Spans[len(l.Spans)-2].Role = RoleRefused
		}
	}
	return lines
}

// linkage says for every input where the stage before writes it. A text that starts with
// "!" is a mismatch.
func linkage(in *dxbc.Signature, before *compile.Stage) []string {
	if before == nil || before.Shader.Out == nil {
		return nil
	}
	out := make([]string, len(in.Elements))
	for i := range in.Elements {
		e := &in.Elements[i]
		if e.SysValue != 0 && e.SysValue != 1 { // the position is written; the rest may come from the rasterizer
			out[i] = "system value"
			continue
		}
		out[i] = "! not written"
		for k := range before.Shader.Out.Elements {
			o := &before.Shader.Out.Elements[k]
			if !equalFold(o.Name, e.Name) || o.Index != e.Index {
				continue
			}
			switch {
			case o.Register != e.Register:
				out[i] = fmt.Sprintf("! o%d, another register", o.Register)
			case e.Used(false)&^o.Mask != 0:
				out[i] = fmt.Sprintf("! o%d.%s, too narrow", o.Register, MaskText(o.Mask))
			case o.CompType != e.CompType:
				out[i] = fmt.Sprintf("! o%d is %s", o.Register, o.Format())
			default:
				out[i] = fmt.Sprintf("o%d.%s", o.Register, MaskText(o.Mask))
			}
			break
		}
	}
	return out
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}
