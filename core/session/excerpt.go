package session

import (
	"crypto/sha256"
	"fmt"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

// around is how many instructions an excerpt shows before and behind the place.
const around = 4

// Excerpt is what a report about a diagnostic of a compiled pass needs, as lines: the
// link to the place, the finding with rule and remedy, the instructions around it, the
// declarations that they refer to, and the digests of file and program. The lines are
// raw: names of the file may hold anything.
func (s *Session) Excerpt(perm int, ref PassRef, p *compile.Pass, d *diag.Diag) []string {
	out := []string{s.Link(perm, ref, d.At.Stage, d.At.Index()).String(), fmt.Sprintf("%s: %s [%s]", d.Sev, d.Text, d.Code)}
	if info, ok := diag.Lookup(d.Code); ok {
		out = append(out, "rule: "+info.Rule)
	}
	remedy := d.Remedy
	if remedy == "" {
		remedy = "none"
	}
	out = append(out, "remedy: "+remedy)
	for _, n := range d.Notes {
		out = append(out, "see "+n.At.String()+": "+n.Text)
	}
	for _, st := range p.Stages {
		if st.Kind.String() != d.At.Stage {
			continue
		}
		if st.Shader != nil && st.Shader.Program != nil {
			out = append(out, "")
			out = append(out, listing(st.Shader.Program, d.At.Index())...)
		}
		if prog, err := s.StageProgram(perm, ref, d.At.Stage); err == nil && prog != nil {
			out = append(out, "", fmt.Sprintf("program sha256 %x, %d bytes", sha256.Sum256(prog), len(prog)))
		}
	}
	return append(out, fmt.Sprintf("file sha256 %x, %d bytes", s.SHA256, len(s.Data)))
}

// listing shows the instructions around at, or the first ones, behind the declarations
// that they refer to.
func listing(p *dxbc.Program, at int) []string {
	mark := at
	if at < 0 || at >= len(p.Instrs) {
		at, mark = 0, -1
	}
	first, last := max(at-around, 0), min(at+around, len(p.Instrs)-1)
	type register struct {
		reg dxbc.RegType
		n   uint32
	}
	of := func(i int) (out []register) {
		for k := range p.Instrs[i].Operands {
			if o := &p.Instrs[i].Operands[k]; o.NumIndex > 0 && o.Reg != dxbc.RegTemp && o.Reg != dxbc.RegImmediate32 {
				out = append(out, register{o.Reg, o.Index(0).Imm})
			}
		}
		return out
	}
	refers := map[register]bool{}
	for i := first; i <= last; i++ {
		for _, r := range of(i) {
			refers[r] = true
		}
	}
	out := []string{p.Profile()}
	line := func(i int) {
		m := "  "
		if i == mark {
			m = "> "
		}
		out = append(out, fmt.Sprintf("%s%4d  %s", m, i, p.Text(i)))
	}
	for i := range min(first, len(p.Instrs)) {
		if !p.Instrs[i].Op.Has(dxbc.FlagDecl) {
			continue
		}
		for _, r := range of(i) {
			if refers[r] {
				line(i)
				break
			}
		}
	}
	for i := first; i <= last; i++ {
		line(i)
	}
	return out
}
