package dxbc

// declared prints a declared resource: t3, or T3[3:5] in 5.1.
func (w *printer) declared(o *Operand, name string) {
	w.op = 0
	defer func() { w.op = -1 }()
	if !w.sm51 {
		w.put(TokRegister, name)
		if o.NumIndex > 0 {
			w.num(TokRegister, o.Index(0).Imm)
		}
		return
	}
	w.put(TokRegister, name)
	w.num(TokRegister, o.Index(0).Imm)
	w.put(TokPunct, "[")
	w.num(TokNumber, o.Index(1).Imm)
	w.put(TokPunct, ":")
	if o.Index(2).Imm == 0xffffffff {
		w.put(TokNumber, "*")
	} else {
		w.num(TokNumber, o.Index(2).Imm)
	}
	w.put(TokPunct, "]")
}

func (w *printer) space(d *Decl) {
	if w.sm51 {
		w.put(TokPunct, ", ")
		w.put(TokKeyword, "space=")
		w.num(TokNumber, d.Space)
	}
}

func (w *printer) resourceName(r RegType) string {
	if w.sm51 {
		return upper51[r]
	}
	return r.String()
}

// numbers prints ", n" for each word, without the first separator.
func (w *printer) numbers(words []uint32) {
	for i, n := range words {
		if i > 0 {
			w.put(TokPunct, ", ")
		}
		w.num(TokNumber, n)
	}
}

func (w *printer) decl(in *Instr) {
	d := in.Decl
	w.put(TokMnemonic, in.Op.row().Name)
	// word adds " text" where there is one.
	word := func(k TokenKind, s string) {
		w.put(TokPunct, " ")
		w.put(k, s)
	}
	// declOp prints the operand in the ordinary way.
	declOp := func() {
		w.put(TokPunct, " ")
		w.op = 0
		w.operand(&in.Operands[0], LitInt, false, MinDefault)
		w.op = -1
	}
	suffix := func(on bool, s string) {
		if on {
			w.b = append(w.b, s...)
		}
	}
	switch in.Op {
	case OpDclGlobalFlags:
		w.globalFlags(d.Flags)
	case OpDclConstantbuffer:
		o := &in.Operands[0]
		w.put(TokPunct, " ")
		w.declared(o, "CB")
		w.put(TokPunct, "[")
		w.num(TokNumber, d.Size)
		w.put(TokPunct, "], ")
		if d.Dynamic {
			w.put(TokKeyword, "dynamicIndexed")
		} else {
			w.put(TokKeyword, "immediateIndexed")
		}
		w.space(d)
	case OpDclSampler:
		w.put(TokPunct, " ")
		w.declared(&in.Operands[0], w.resourceName(in.Operands[0].Reg))
		if m := pick(samplerModes[:], uint32(d.SamplerMode), ""); m != "" {
			w.put(TokPunct, ", ")
			w.put(TokKeyword, m)
		}
		w.space(d)
	case OpDclResource:
		w.b = append(w.b, '_')
		w.b = append(w.b, d.Dim.String()...)
		if d.Dim == DimTexture2DMS || d.Dim == DimTexture2DMSArray {
			w.put(TokPunct, "(")
			w.num(TokNumber, uint32(d.Samples))
			w.put(TokPunct, ")")
		}
		w.put(TokPunct, " ")
		w.returns(&d.Return)
		w.put(TokPunct, " ")
		w.declared(&in.Operands[0], w.resourceName(in.Operands[0].Reg))
		w.space(d)
	case OpDclUavTyped:
		w.b = append(w.b, '_')
		w.b = append(w.b, d.Dim.String()...)
		suffix(d.Coherent, "_glc")
		suffix(d.Ordered, "_rov")
		w.put(TokPunct, " ")
		w.returns(&d.Return)
		w.put(TokPunct, " ")
		w.declared(&in.Operands[0], w.resourceName(in.Operands[0].Reg))
		w.space(d)
	case OpDclResourceRaw, OpDclUavRaw, OpDclResourceStructured, OpDclUavStructured:
		suffix(d.Coherent, "_glc")
		suffix(d.Counter, "_opc")
		suffix(d.Ordered, "_rov")
		w.put(TokPunct, " ")
		w.declared(&in.Operands[0], w.resourceName(in.Operands[0].Reg))
		if in.Op == OpDclResourceStructured || in.Op == OpDclUavStructured {
			w.put(TokPunct, ", ")
			w.num(TokNumber, d.Stride)
		}
		w.space(d)
	case OpDclTgsmRaw:
		declOp()
		w.put(TokPunct, ", ")
		w.num(TokNumber, d.Size)
	case OpDclTgsmStructured:
		declOp()
		w.put(TokPunct, ", ")
		w.num(TokNumber, d.Stride)
		w.put(TokPunct, ", ")
		w.num(TokNumber, d.Size)
	case OpDclInput, OpDclOutput, OpDclStream:
		declOp()
	case OpDclInputSgv, OpDclInputSiv, OpDclOutputSgv, OpDclOutputSiv:
		declOp()
		w.put(TokPunct, ", ")
		w.put(TokKeyword, SysName(d.SysName))
	case OpDclInputPs:
		word(TokKeyword, d.Interp.String())
		declOp()
	case OpDclInputPsSgv, OpDclInputPsSiv:
		word(TokKeyword, d.Interp.String())
		declOp()
		w.put(TokPunct, ", ")
		w.put(TokKeyword, SysName(d.SysName))
	case OpDclIndexrange:
		declOp()
		w.put(TokPunct, " ")
		w.num(TokNumber, d.Words[0])
	case OpDclIndexableTemp:
		w.put(TokPunct, " ")
		w.put(TokRegister, "x")
		w.num(TokRegister, d.Words[0])
		w.put(TokPunct, "[")
		w.num(TokNumber, d.Words[1])
		w.put(TokPunct, "], ")
		w.num(TokNumber, d.Words[2])
	case OpDclOutputtopology:
		word(TokKeyword, pick(topologyNames[:], d.Words[0], "???"))
		w.put(TokPunct, " ")
	case OpDclInputprimitive:
		word(TokKeyword, primName(d.Words[0]))
		w.put(TokPunct, " ")
	case OpDclTessellatorDomain:
		word(TokKeyword, pick(domainNames[:], d.Words[0], "???"))
	case OpDclTessellatorPartitioning:
		word(TokKeyword, pick(partNames[:], d.Words[0], "???"))
	case OpDclTessellatorOutputPrimitive:
		if s := pick(outPrimNames[:], d.Words[0], ""); s != "" {
			word(TokKeyword, s)
		}
	case OpDclHsMaxTessfactor:
		w.put(TokPunct, " ")
		w.put(TokRegister, "l")
		w.put(TokPunct, "(")
		w.literal(d.Words[0], LitFloat)
		w.put(TokPunct, ")")
	case OpDclFunctionBody:
		w.put(TokPunct, " ")
		w.put(TokRegister, "fb")
		w.num(TokRegister, d.Words[0])
	case OpDclFunctionTable:
		w.put(TokPunct, " ")
		w.put(TokRegister, "ft")
		w.num(TokRegister, d.Words[0])
		w.list("fb", d.Words[1:])
	case OpDclInterface:
		suffix(d.Dynamic, "_dynamicindexed")
		w.put(TokPunct, " ")
		w.put(TokRegister, "fp")
		w.num(TokRegister, d.Words[0])
		w.put(TokPunct, "[")
		w.num(TokNumber, d.Words[2])
		w.put(TokPunct, "][")
		w.num(TokNumber, d.Words[1])
		w.put(TokPunct, "]")
		w.list("ft", d.Words[3:])
	default: // plain numbers
		w.put(TokPunct, " ")
		w.numbers(d.Words)
	}
}

// list prints " = {ft0, ft1}".
func (w *printer) list(name string, ids []uint32) {
	w.put(TokPunct, " = {")
	for i, id := range ids {
		if i > 0 {
			w.put(TokPunct, ", ")
		}
		w.put(TokRegister, name)
		w.num(TokRegister, id)
	}
	w.put(TokPunct, "}")
}

func (w *printer) globalFlags(f uint32) {
	sep := " "
	for i, n := range globalFlagNames {
		if f>>i&1 != 0 {
			w.put(TokPunct, sep)
			w.put(TokKeyword, n)
			sep = " | "
		}
	}
	if sep == " " {
		w.put(TokKeyword, "none")
	}
}
