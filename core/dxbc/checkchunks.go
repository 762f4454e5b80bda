package dxbc

import (
	"fxlens/core/diag"
)

// signatures compares declared inputs and outputs with their rows.
func (c *checker) signatures() {
	next, phase := 0, OpNop
	declared := map[*Signature]map[uint32]uint8{}
	for i := range c.p.Instrs {
		for next < len(c.scopes) && c.scopes[next].first <= i {
			phase = c.p.Instrs[i].Op
			next++
		}
		in := &c.p.Instrs[i]
		switch in.Op {
		case OpDclInput, OpDclInputSgv, OpDclInputSiv, OpDclInputPs, OpDclInputPsSgv, OpDclInputPsSiv, OpDclOutput, OpDclOutputSgv, OpDclOutputSiv:
		default:
			continue
		}
		o := &in.Operands[0]
		if !numbered(o.Reg) || o.NumIndex == 0 {
			continue
		}
		sig, title := c.signatureOf(o.Reg, phase)
		if sig == nil {
			continue
		}
		reg, m := o.LastIndex().Imm, o.written()
		if declared[sig] == nil {
			declared[sig] = map[uint32]uint8{}
		}
		declared[sig][reg] |= m
		var have uint8
		for k := range sig.Elements {
			e := &sig.Elements[k]
			if e.Register != reg || e.Mask&m == 0 {
				continue
			}
			have |= e.Mask
			if in.Decl.SysName == 0 {
				continue
			}
			if want, ok := tokenSys(in.Decl.SysName); ok && e.Stream == 0 && want != e.SysValue {
				c.add(diag.Warning, codeSignature, i, "%s%d is declared as %s, the %s signature says %s for %s",
					o.Reg, reg, SysName(in.Decl.SysName), title, SigSysName(e.SysValue), e.Name)
			}
		}
		if missing := m &^ have; missing != 0 {
			c.add(diag.Warning, codeSignature, i, "%s%d.%s has no row in the %s signature", o.Reg, reg, maskText(missing), title)
		}
	}
	for _, g := range []struct {
		sig    *Signature
		title  string
		output bool
	}{{c.s.In, "input", false}, {c.s.Out, "output", true}} {
		if g.sig == nil {
			continue
		}
		for k := range g.sig.Elements {
			e := &g.sig.Elements[k]
			if used := e.Used(g.output) & e.Mask &^ declared[g.sig][e.Register]; e.Register != NoRegister && used != 0 && !c.passThrough() {
				c.add(diag.Warning, codeSignature, -1, "the %s signature says that %s%d (register %d) uses %s, which is not declared",
					g.title, e.Name, e.Index, e.Register, maskText(used))
			}
		}
	}
}

// passThrough reports whether a hull program has no control point phase, which
// copies the input without declaring it.
func (c *checker) passThrough() bool {
	if c.p.Kind != Hull {
		return false
	}
	for i := range c.p.Instrs {
		if c.p.Instrs[i].Op == OpHsControlPointPhase {
			return false
		}
	}
	return true
}

func (c *checker) signatureOf(r RegType, phase Op) (*Signature, string) {
	switch r {
	case RegInput, RegInputControlPoint:
		if c.p.Kind == Domain && r == RegInput {
			return nil, ""
		}
		return c.s.In, "input"
	case RegOutputControlPoint:
		return c.s.Out, "output"
	case RegPatchConstant:
		return c.s.Patch, "patch constant"
	case RegOutput:
		if c.p.Kind == Hull && (phase == OpHsForkPhase || phase == OpHsJoinPhase) {
			return c.s.Patch, "patch constant"
		}
		return c.s.Out, "output"
	}
	return nil, ""
}

func (c *checker) statistics() {
	st := c.s.Stat
	if st == nil {
		return
	}
	own, known := c.p.Count()
	a, b := st.Values(), own.Values()
	for w := range a {
		if known>>w&1 == 0 || w >= st.Words || a[w] == b[w] {
			continue
		}
		sev := diag.Warning
		if w == 0 {
			sev = diag.Note // the compiler's own number is off by one at times
		}
		c.add(sev, codeStat, -1, "STAT says %d for %s, the program has %d", a[w], StatNames[w], b[w])
	}
}

// reflection compares RDEF with the declarations.
func (c *checker) reflection() {
	r := c.s.RDEF
	if r == nil {
		return
	}
	if r.Kind != c.p.Kind || r.Major != c.p.Major || r.Minor != c.p.Minor {
		c.add(diag.Warning, codeRDEF, -1, "RDEF describes %s_%d_%d, the program is %s", r.Kind, r.Major, r.Minor, c.p.Profile())
		return
	}
	for i := range c.p.Instrs {
		in := &c.p.Instrs[i]
		switch in.Op {
		case OpDclConstantbuffer, OpDclResource, OpDclResourceRaw, OpDclResourceStructured, OpDclUavTyped, OpDclUavRaw, OpDclUavStructured, OpDclSampler:
		default:
			continue
		}
		o := &in.Operands[0]
		id, lo, _ := in.Range()
		b := r.BindingOf(o.Reg, id)
		if b == nil {
			c.add(diag.Warning, codeRDEF, i, "%s%d has no binding in RDEF", o.Reg, id)
			continue
		}
		if c.p.SM51() && (b.Space != in.Decl.Space || b.Bind != lo) {
			c.add(diag.Warning, codeRDEF, i, "%s%d is declared at register %d of space %d, RDEF puts %s at %d of space %d",
				o.Reg, id, lo, in.Decl.Space, b.Name, b.Bind, b.Space)
		}
	}
}
