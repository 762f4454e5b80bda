package dxbc

// Encode returns the words of a program made of the instructions, version and
// length tokens in front. For the instructions of a decoded program these are
// the words that it was decoded from, but for bits that mean nothing.
//
// It returns an error that wraps [ErrLimit] when an instruction or the program
// gets longer than its length field can say.
func (p *Program) Encode() ([]uint32, error) { return p.encode(nil) }

// encode takes the words of some instructions from raw, by their index.
func (p *Program) encode(raw map[int][]uint32) ([]uint32, error) {
	e := encoder{sm51: p.SM51(), src: p.Words}
	e.w = append(make([]uint32, 0, max(len(p.Words), 64)), uint32(p.Kind)<<16|uint32(p.Major)<<4|uint32(p.Minor), 0)
	for i := range p.Instrs {
		at := len(e.w)
		if w, ok := raw[i]; ok {
			e.w = append(e.w, w...)
			continue
		}
		e.instr(&p.Instrs[i])
		n := len(e.w) - at
		if p.Instrs[i].Op == OpCustomdata {
			continue
		}
		if n > 127 {
			err := fail(ErrLimit, 4*at, "%s has %d words, the limit is 127", p.Instrs[i].Op, n)
			err.Instr = i + 1
			return nil, err
		}
		e.w[at] |= uint32(n) << 24
	}
	if len(e.w) > maxProgram {
		return nil, fail(ErrLimit, 4, "the program has %d words, the limit is %d", len(e.w), maxProgram)
	}
	e.w[1] = uint32(len(e.w))
	return e.w, nil
}

type encoder struct {
	w    []uint32
	sm51 bool
	src  []uint32 // words that trailing words come from
}

func flag(on bool, bit uint32) uint32 {
	if on {
		return 1 << bit
	}
	return 0
}

func (e *encoder) instr(in *Instr) {
	row := in.Op.row()
	if in.Op == OpCustomdata {
		e.w = append(e.w, uint32(in.Op)|uint32(in.Custom.Class)<<11, uint32(len(in.Custom.Words)+2))
		e.w = append(e.w, in.Custom.Words...)
		return
	}
	at := len(e.w)
	t := uint32(in.Op)
	if in.Decl != nil {
		t |= e.controls(in)
	} else {
		t |= uint32(in.Sync)<<11 | uint32(in.ResInfo)<<11 | flag(in.Sat, 13) | flag(in.NonZero, 18) | uint32(in.Precise&15)<<19
	}
	e.w = append(e.w, t)
	e.extended(in)
	if in.Op == OpFcall {
		e.w = append(e.w, in.FuncIndex)
	}
	for i := range in.Operands {
		e.operand(&in.Operands[i])
	}
	if in.Decl != nil {
		e.declWords(in)
	}
	if row.Flags&FlagReserved != 0 && int(in.Offset) < len(e.src) {
		e.w[at] = e.src[in.Offset] &^ (127 << 24)
	}
	for i := range in.Trailing {
		from := uint64(in.Offset) + uint64(in.Length) - uint64(in.Trailing) + uint64(i)
		v := uint32(0)
		if from < uint64(len(e.src)) {
			v = e.src[from]
		}
		e.w = append(e.w, v)
	}
}

// extended appends the extended opcode words in the order that fxc uses.
func (e *encoder) extended(in *Instr) {
	add := func(v uint32) {
		e.w[len(e.w)-1] |= 1 << 31
		e.w = append(e.w, v)
	}
	if in.HasOffs() {
		v := uint32(1)
		for i, o := range in.Offs {
			v |= uint32(o) & 15 << (9 + 4*i)
		}
		add(v)
	}
	if in.HasDim() {
		add(2 | uint32(in.Dim&31)<<6 | uint32(in.Stride&0xfff)<<11)
	}
	if in.HasRet() {
		v := uint32(3)
		for i, r := range in.Return {
			v |= uint32(r) & 15 << (6 + 4*i)
		}
		add(v)
	}
}

func (e *encoder) operand(o *Operand) {
	t := uint32(o.Reg)<<12 | uint32(o.NumIndex)<<20
	switch o.Mode {
	case CompOne:
		t |= 1
	case CompMask:
		t |= 2 | uint32(o.Mask&15)<<4
	case CompSwizzle:
		t |= 6 | uint32(o.Swizzle[0]&3)<<4 | uint32(o.Swizzle[1]&3)<<6 | uint32(o.Swizzle[2]&3)<<8 | uint32(o.Swizzle[3]&3)<<10
	case CompSelect:
		t |= 10 | uint32(o.Swizzle[0]&3)<<4
	}
	for i := range int(o.NumIndex) {
		t |= uint32(o.Index(i).Rep) << (22 + 3*i)
	}
	ext := o.Extended || o.Mod != ModNone || o.Min != MinDefault || o.NonUniform
	e.w = append(e.w, t|flag(ext, 31))
	if ext {
		e.w = append(e.w, 1|uint32(o.Mod)<<6|uint32(o.Min&7)<<14|flag(o.NonUniform, 17))
	}
	switch o.Reg {
	case RegImmediate32, RegImmediate64:
		n := 4
		if o.Mode == CompOne {
			n = 1 + int(o.Reg-RegImmediate32)
		}
		e.w = append(e.w, o.Imm[:n]...)
	}
	for i := range int(o.NumIndex) {
		x := o.Index(i)
		switch x.Rep {
		case 0, 3:
			e.w = append(e.w, x.Imm)
		case 1, 4: // kept by tolerant decoding, with the high word only
			e.w = append(e.w, x.Imm, 0)
		}
		if x.Rel != nil {
			e.operand(x.Rel)
		}
	}
}

// controls returns what a declaration keeps in its opcode token.
func (e *encoder) controls(in *Instr) uint32 {
	d := in.Decl
	switch in.Op {
	case OpDclGlobalFlags:
		return d.Flags & 0x1fff << 11
	case OpDclConstantbuffer, OpDclInterface:
		return flag(d.Dynamic, 11)
	case OpDclSampler:
		return uint32(d.SamplerMode&15) << 11
	case OpDclResource:
		return uint32(d.Dim&31)<<11 | uint32(d.Samples&127)<<16
	case OpDclUavTyped:
		return uint32(d.Dim&31)<<11 | flag(d.Coherent, 16) | flag(d.Ordered, 17)
	case OpDclUavRaw:
		return flag(d.Coherent, 16) | flag(d.Ordered, 17)
	case OpDclUavStructured:
		return flag(d.Coherent, 16) | flag(d.Ordered, 17) | flag(d.Counter, 23)
	case OpDclInputPs, OpDclInputPsSgv, OpDclInputPsSiv:
		return uint32(d.Interp&15) << 11
	case OpDclOutputtopology, OpDclInputprimitive, OpDclInputControlPointCount, OpDclOutputControlPointCount,
		OpDclTessellatorDomain, OpDclTessellatorPartitioning, OpDclTessellatorOutputPrimitive:
		return d.Words[0] & 127 << 11
	}
	return 0
}

// declWords appends what follows the operand of a declaration.
func (e *encoder) declWords(in *Instr) {
	d := in.Decl
	space := false
	switch in.Op {
	case OpDclConstantbuffer:
		if e.sm51 {
			e.w = append(e.w, d.Size)
		}
		space = true
	case OpDclSampler, OpDclResourceRaw, OpDclUavRaw:
		space = true
	case OpDclResource, OpDclUavTyped:
		v := uint32(0)
		for i, r := range d.Return {
			v |= uint32(r) & 15 << (4 * i)
		}
		e.w = append(e.w, v)
		space = true
	case OpDclResourceStructured, OpDclUavStructured:
		e.w = append(e.w, d.Stride)
		space = true
	case OpDclTgsmRaw:
		e.w = append(e.w, d.Size)
	case OpDclTgsmStructured:
		e.w = append(e.w, d.Stride, d.Size)
	case OpDclInputSgv, OpDclInputSiv, OpDclOutputSgv, OpDclOutputSiv, OpDclInputPsSgv, OpDclInputPsSiv:
		e.w = append(e.w, d.SysName)
	case OpDclFunctionTable:
		e.w = append(e.w, d.Words[0], uint32(len(d.Words)-1))
		e.w = append(e.w, d.Words[1:]...)
	case OpDclInterface:
		e.w = append(e.w, d.Words[0], d.Words[1], d.Words[2]<<16|uint32(len(d.Words)-3)&0xffff)
		e.w = append(e.w, d.Words[3:]...)
	case OpDclTemps, OpDclMaxout, OpDclGsinstances, OpDclHsMaxTessfactor, OpDclHsForkPhaseInstanceCount,
		OpDclHsJoinPhaseInstanceCount, OpDclFunctionBody, OpDclIndexrange, OpDclIndexableTemp, OpDclThreadGroup:
		e.w = append(e.w, d.Words...)
	}
	if space && e.sm51 {
		e.w = append(e.w, d.Space)
	}
}
