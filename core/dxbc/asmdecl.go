package dxbc

import (
	"slices"
	"strconv"
	"strings"
)

// decl reads what follows the mnemonic of a declaration.
func (a *assembler) decl(in *Instr) *AsmError {
	d := in.Decl
	var err *AsmError
	operand := func() *AsmError {
		o, err := a.operand(true, LitInt)
		if err == nil {
			in.Operands = []Operand{o}
		}
		return err
	}
	// comma reads ", " and a number.
	comma := func(what string, to *uint32) *AsmError {
		if err := a.expect(","); err != nil {
			return err
		}
		v, err := a.number(what)
		*to = v
		return err
	}
	// one reads a word of a list and stores its number.
	one := func(names []string, what string) *AsmError {
		a.space()
		at := a.pos
		w := a.word()
		k := slices.Index(names, w)
		if k < 0 || w == "" {
			a.pos = at
			return a.fail("%s should be here, not %.30q", what, a.rest())
		}
		d.Words = []uint32{uint32(k)}
		return nil
	}
	switch in.Op {
	case OpDclGlobalFlags:
		return a.globalFlags(d)
	case OpDclConstantbuffer:
		return a.dclCB(in)
	case OpDclSampler:
		if err := a.declared(in, RegSampler); err != nil {
			return err
		}
		d.SamplerMode = 3 // prints nothing
		if old := a.pos; a.accept(",") {
			a.space()
			if k := slices.Index(samplerModes[:], a.word()); k >= 0 {
				d.SamplerMode = uint8(k)
			} else {
				a.pos = old
			}
		}
		return a.declSpace(d)
	case OpDclResource:
		if d.Dim == DimTexture2DMS || d.Dim == DimTexture2DMSArray {
			if err := a.expect("("); err != nil {
				return err
			}
			v, err := a.number("a sample count")
			if err != nil {
				return err
			}
			if v > 127 {
				return a.fail("a sample count has 7 bits")
			}
			d.Samples = uint8(v)
			if err := a.expect(")"); err != nil {
				return err
			}
		}
		a.space()
		if err := a.returns(&d.Return, a.pos); err != nil {
			return err
		}
		if err := a.declared(in, RegResource); err != nil {
			return err
		}
		return a.declSpace(d)
	case OpDclUavTyped:
		a.space()
		if err := a.returns(&d.Return, a.pos); err != nil {
			return err
		}
		if err := a.declared(in, RegUAV); err != nil {
			return err
		}
		return a.declSpace(d)
	case OpDclResourceRaw, OpDclUavRaw, OpDclResourceStructured, OpDclUavStructured:
		reg := RegUAV
		if in.Op == OpDclResourceRaw || in.Op == OpDclResourceStructured {
			reg = RegResource
		}
		if err := a.declared(in, reg); err != nil {
			return err
		}
		if in.Op == OpDclResourceStructured || in.Op == OpDclUavStructured {
			if err := comma("a stride", &d.Stride); err != nil {
				return err
			}
		}
		return a.declSpace(d)
	case OpDclTgsmRaw:
		if err := operand(); err != nil {
			return err
		}
		return comma("a size in bytes", &d.Size)
	case OpDclTgsmStructured:
		if err := operand(); err != nil {
			return err
		}
		if err := comma("a stride", &d.Stride); err != nil {
			return err
		}
		return comma("a count", &d.Size)
	case OpDclInput, OpDclOutput, OpDclStream:
		return operand()
	case OpDclInputPs, OpDclInputPsSgv, OpDclInputPsSiv:
		if d.Interp, err = a.interp(); err != nil {
			return err
		}
		if err := operand(); err != nil || in.Op == OpDclInputPs {
			return err
		}
		return a.sysName(d)
	case OpDclInputSgv, OpDclInputSiv, OpDclOutputSgv, OpDclOutputSiv:
		if err := operand(); err != nil {
			return err
		}
		return a.sysName(d)
	case OpDclIndexrange:
		if err := operand(); err != nil {
			return err
		}
		v, err := a.number("a count")
		d.Words = []uint32{v}
		return err
	case OpDclIndexableTemp:
		return a.dclArray(d)
	case OpDclOutputtopology:
		return one(topologyNames[:], "an output topology")
	case OpDclInputprimitive:
		a.space()
		if n, ok := strings.CutPrefix(a.rest(), "patch"); ok {
			a.pos += len("patch")
			n, _, _ = strings.Cut(n, " ")
			v, err := strconv.ParseUint(strings.TrimSpace(n), 10, 8)
			if err != nil || v < 1 || v > 32 {
				return a.fail("a patch has 1 to 32 control points")
			}
			a.word()
			d.Words = []uint32{uint32(v) + 7}
			return nil
		}
		return one(primNames[:], "an input primitive")
	case OpDclTessellatorDomain:
		return one(domainNames[:], "a tessellation domain")
	case OpDclTessellatorPartitioning:
		return one(partNames[:], "a partitioning")
	case OpDclTessellatorOutputPrimitive:
		if a.space(); a.end() {
			d.Words = []uint32{0}
			return nil
		}
		return one(outPrimNames[:], "an output primitive")
	case OpDclHsMaxTessfactor:
		o, err := a.operand(false, LitFloat)
		if err != nil {
			return err
		}
		if o.Reg != RegImmediate32 || o.Mode != CompOne {
			return a.fail("a tessellation factor is written l(64.000000)")
		}
		d.Words = []uint32{o.Imm[0]}
		return nil
	case OpDclFunctionBody:
		v, err := a.named("fb")
		d.Words = []uint32{v}
		return err
	case OpDclFunctionTable:
		v, err := a.named("ft")
		if err != nil {
			return err
		}
		d.Words = []uint32{v}
		return a.list("fb", d)
	case OpDclInterface:
		return a.dclInterface(d)
	}
	return a.plainNumbers(in)
}

// plainNumbers reads the declarations that are only numbers, each with its count.
func (a *assembler) plainNumbers(in *Instr) *AsmError {
	n, most := 1, uint32(0xffffffff)
	switch in.Op {
	case OpDclThreadGroup:
		n = 3
	case OpDclInputControlPointCount, OpDclOutputControlPointCount:
		most = 63
	}
	for i := range n {
		if i > 0 {
			if err := a.expect(","); err != nil {
				return err
			}
		}
		v, err := a.number("a number")
		if err != nil {
			return err
		}
		if v > most {
			return a.fail("%d is too large here, the limit is %d", v, most)
		}
		in.Decl.Words = append(in.Decl.Words, v)
	}
	return nil
}

func (a *assembler) globalFlags(d *Decl) *AsmError {
	a.space()
	for !a.end() && a.peek() != '/' {
		at := a.pos
		w := a.word()
		k := slices.Index(globalFlagNames[:], w)
		if k < 0 {
			a.pos = at
			return a.fail("%.40q is no global flag", a.rest())
		}
		d.Flags |= 1 << k
		if !a.accept("|") {
			return nil
		}
		a.space()
	}
	return nil
}

// named reads a name with a number: fb3.
func (a *assembler) named(name string) (uint32, *AsmError) {
	if err := a.expect(name); err != nil {
		return 0, err
	}
	return a.number("a number")
}

// list reads " = {fb0, fb1}" and appends the numbers.
func (a *assembler) list(name string, d *Decl) *AsmError {
	if err := a.expect("="); err != nil {
		return err
	}
	if err := a.expect("{"); err != nil {
		return err
	}
	for n := 0; !a.accept("}"); n++ {
		if n > 0 {
			if err := a.expect(","); err != nil {
				return err
			}
		}
		v, err := a.named(name)
		if err != nil {
			return err
		}
		d.Words = append(d.Words, v)
	}
	return nil
}

func (a *assembler) dclInterface(d *Decl) *AsmError {
	id, err := a.named("fp")
	if err != nil {
		return err
	}
	var n [2]uint32
	for i := range n {
		if err := a.expect("["); err != nil {
			return err
		}
		if n[i], err = a.number("a count"); err != nil {
			return err
		}
		if err := a.expect("]"); err != nil {
			return err
		}
	}
	if n[0] > 0xffff {
		return a.fail("an array of interfaces has at most 65535 elements")
	}
	d.Words = []uint32{id, n[1], n[0]}
	return a.list("ft", d)
}

func (a *assembler) dclArray(d *Decl) *AsmError {
	id, err := a.named("x")
	if err != nil {
		return err
	}
	if err := a.expect("["); err != nil {
		return err
	}
	n, err := a.number("a count")
	if err != nil {
		return err
	}
	if err := a.expect("]"); err != nil {
		return err
	}
	if err := a.expect(","); err != nil {
		return err
	}
	c, err := a.number("a component count")
	d.Words = []uint32{id, n, c}
	return err
}

func (a *assembler) interp() (Interpolation, *AsmError) {
	a.space()
	best, at := -1, a.pos
	for k, n := range interpNames {
		if r, ok := strings.CutPrefix(a.rest(), n); ok && strings.HasPrefix(r, " ") && (best < 0 || len(n) > len(interpNames[best])) {
			best = k
		}
	}
	if best < 0 {
		a.pos = at
		return 0, a.fail("an interpolation should be here, not %.30q", a.rest())
	}
	a.pos += len(interpNames[best])
	return Interpolation(best), nil
}

func (a *assembler) sysName(d *Decl) *AsmError {
	if err := a.expect(","); err != nil {
		return err
	}
	a.space()
	at := a.pos
	w := a.word()
	k := slices.Index(sysNames[:], w)
	if k < 0 {
		a.pos = at
		return a.fail("%.40q is no system name", a.rest())
	}
	d.SysName = uint32(k)
	return nil
}

// declared reads t3, or T3[3:5] in 5.1.
func (a *assembler) declared(in *Instr, reg RegType) *AsmError {
	a.space()
	name := reg.String()
	if a.p.SM51() || reg == RegConstantBuffer {
		name = upper51[reg]
	}
	id, err := a.named(name)
	if err != nil {
		return err
	}
	o := Operand{Reg: reg}
	o.SetIndex(0, Index{Imm: id})
	if a.p.SM51() {
		var lower, upper uint32
		o.Mode, o.Swizzle = CompSwizzle, [4]uint8{0, 1, 2, 3}
		if err := a.expect("["); err != nil {
			return err
		}
		if lower, err = a.number("the first register"); err != nil {
			return err
		}
		if err := a.expect(":"); err != nil {
			return err
		}
		if a.accept("*") {
			upper = 0xffffffff
		} else if upper, err = a.number("the last register"); err != nil {
			return err
		}
		if err := a.expect("]"); err != nil {
			return err
		}
		o.SetIndex(1, Index{Imm: lower})
		o.SetIndex(2, Index{Imm: upper})
	}
	in.Operands = []Operand{o}
	return nil
}

func (a *assembler) dclCB(in *Instr) *AsmError {
	if err := a.declared(in, RegConstantBuffer); err != nil {
		return err
	}
	d, o := in.Decl, &in.Operands[0]
	o.Mode, o.Swizzle = CompSwizzle, [4]uint8{0, 1, 2, 3}
	if err := a.expect("["); err != nil {
		return err
	}
	var err *AsmError
	if d.Size, err = a.number("a count of rows"); err != nil {
		return err
	}
	if !a.p.SM51() {
		o.SetIndex(1, Index{Imm: d.Size})
	}
	if err := a.expect("]"); err != nil {
		return err
	}
	if err := a.expect(","); err != nil {
		return err
	}
	switch w := a.word(); w {
	case "immediateIndexed":
	case "dynamicIndexed":
		d.Dynamic = true
	default:
		return a.fail("immediateIndexed or dynamicIndexed should be here, not %.20q", w)
	}
	return a.declSpace(d)
}

// declSpace reads ", space=0", which 5.1 has.
func (a *assembler) declSpace(d *Decl) *AsmError {
	if !a.p.SM51() {
		return nil
	}
	if err := a.expect(","); err != nil {
		return err
	}
	if err := a.expect("space="); err != nil {
		return err
	}
	var err *AsmError
	d.Space, err = a.number("a space")
	return err
}
