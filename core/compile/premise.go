package compile

import (
	"slices"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
)

// premises states what a translated stage takes for granted: what its program
// says alone, and the order of passes that the whole effect says.
func (b *pipeline) premises(s *Stage) {
	if s.Status != Translated {
		return
	}
	ps := ir.Premises(s.Func, b.opt.Numeric == wgsl.Exact)
	for i := range s.Func.Resources {
		ps = b.order(s.Func, int32(i), ps)
	}
	s.Premises = ir.SortPremises(ps)
	for i := range s.Premises {
		if d, ok := s.Premises[i].Diag(); ok {
			s.Diags = append(s.Diags, d)
		}
	}
}

// order adds the passes that have to come before this one because they write
// the resource. What an earlier pass of the technique wrote, the caller need not.
func (b *pipeline) order(f *ir.Function, res int32, ps []ir.Premise) []ir.Premise {
	r := &f.Resources[res]
	if r.Name == "" || r.Class != ir.SRV && r.Class != ir.UAV || !r.Read && !r.Atomic && r.Class != ir.SRV || !r.Used {
		return ps
	}
	var elsewhere []string
	for _, c := range b.in.Companions {
		if c.Parameter != r.Name {
			continue
		}
		if !c.Earlier {
			elsewhere = append(elsewhere, c.Pass)
			continue
		}
		ps = slices.DeleteFunc(ps, func(p ir.Premise) bool {
			return p.Kind == ir.PremiseContents && p.Register == r.Symbol() && p.Space == r.Space
		})
		ps = append(ps, orderPremise(r, "after", c.Pass, "the pass writes what this one reads: its results have to be visible"))
	}
	if len(elsewhere) > 0 {
		ps = append(ps, orderPremise(r, "shared with", strings.Join(elsewhere, ", "), "passes of another technique write it: whether they run before is the caller's choice"))
	}
	return ps
}

func orderPremise(r *ir.Resource, relation, pass, text string) ir.Premise {
	return ir.Premise{Kind: ir.PremiseOrder, Subject: r.Symbol(), Relation: relation, Value: pass, Pass: pass, Text: text,
		Register: r.Symbol(), Space: r.Space, Name: r.Name, At: diag.At(int(r.Instr))}
}
