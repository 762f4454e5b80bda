package ir

import (
	"math/bits"
	"slices"

	"fxlens/core/dxbc"
)

// texture resolves source i as a texture or buffer.
func (b *builder) texture(in *dxbc.Instr, i int) (int32, bool) {
	if in.NumSrc() <= i {
		b.fail(codeOperand, "%s without a resource", in.Op)
		return -1, false
	}
	return b.memory(in, in.Src(i))
}

// textureOrTarget is texture, or -1 for the rasterizer register.
func (b *builder) textureOrTarget(in *dxbc.Instr, i int) (int32, bool) {
	if in.Src(i).Reg == dxbc.RegRasterizer {
		return -1, true
	}
	return b.texture(in, i)
}

// memory resolves a t#, u# or g# operand.
func (b *builder) memory(in *dxbc.Instr, o *dxbc.Operand) (int32, bool) {
	var m map[uint32]int32
	switch o.Reg {
	case dxbc.RegResource:
		m = b.srvs
	case dxbc.RegUAV:
		m = b.uavs
	case dxbc.RegGroupShared:
		m = b.tgsm
	default:
		b.fail(codeOperand, "%s reads %s as a resource", in.Op, o.Reg)
		return -1, false
	}
	return b.resource(m, o)
}

func (b *builder) sampler(in *dxbc.Instr, i int) (int32, bool) {
	if in.NumSrc() <= i || in.Src(i).Reg != dxbc.RegSampler {
		b.fail(codeOperand, "%s without a sampler", in.Op)
		return -1, false
	}
	return b.resource(b.samps, in.Src(i))
}

func (b *builder) resource(m map[uint32]int32, o *dxbc.Operand) (int32, bool) {
	if o.NumIndex == 0 {
		b.fail(codeOperand, "%s without an index", o.Reg)
		return -1, false
	}
	first, _, dynamic := b.index(o.Index(0))
	if dynamic {
		b.fail(codeDynamicResource, "%s is chosen by a register", o.Reg)
		return -1, false
	}
	base, ok := m[first]
	if !ok {
		b.fail(codeUndeclared, "%s%d is not declared", o.Reg, first)
		return -1, false
	}
	r := &b.f.Resources[base]
	if o.NumIndex >= 2 && o.Reg != dxbc.RegConstantBuffer || o.NumIndex >= 3 {
		at, _, dynamic := b.index(o.Index(1))
		if dynamic {
			if r.Count != 1 {
				b.fail(codeDynamicResource, "%s of range %d is chosen by a register", o.Reg, o.Index(0).Imm)
				return -1, false
			}
			// The only register of the range.
		} else if r.Count != 0 {
			n := at - r.Register
			if at < r.Register || n >= r.Count {
				b.fail(codeUndeclared, "%s%d is outside its range", o.Reg, at)
				return -1, false
			}
			base += int32(n)
			r = &b.f.Resources[base]
		}
	}
	r.Used = true
	return base, true
}

// use records that a texture is sampled with a sampler.
func (b *builder) use(tex, samp int32, compare bool) {
	t := &b.f.Resources[tex]
	t.Read = true
	if !slices.Contains(t.Samplers, samp) {
		t.Samplers = append(t.Samplers, samp)
	}
	if compare {
		t.Compared, b.f.Resources[samp].Compared = true, true
	} else {
		t.Filtered, b.f.Resources[samp].Filtered = true, true
	}
}

func (b *builder) offsets(in *dxbc.Instr) [3]int8 {
	if in.HasOffs() {
		return in.Offs
	}
	return [3]int8{}
}

func (b *builder) sample(in *dxbc.Instr, k sampleKind) {
	dst := 1
	if k.feedback {
		dst = 2
	}
	if !b.shape(in, dst, 3+len(k.extra)) {
		return
	}
	r, ok := b.texture(in, 1)
	if !ok {
		return
	}
	s, ok := b.sampler(in, 2)
	if !ok {
		return
	}
	dim := b.f.Resources[r].Dim
	compare := k.op == OpSampleCmp || k.op == OpSampleCmpZero
	b.use(r, s, compare)
	args := []Arg{b.read(in.Src(0), seq[:coordLanes(dim)], 'f')}
	for i, n := range k.extra {
		lanes := int(n)
		if n == 0 {
			lanes = gradLanes(dim)
		}
		args = append(args, b.read(in.Src(3+i), seq[:lanes], 'f'))
	}
	for len(args) < len(k.op.Info().Args) {
		args = append(args, Arg{})
	}
	v := Value{Op: k.op, N: 4, Reg: -1, Res: r, Samp: s, Args: args, Offs: b.offsets(in)}
	if compare {
		v.N = 1
		l := Lane{V: b.value(v)}
		zero := b.constant(0)
		b.result(in, in.Dst(0), in.Src(1), [4]Lane{l, zero, zero, zero})
	} else {
		b.resultOf(in, in.Dst(0), in.Src(1), b.value(v))
	}
	b.feedback(in)
}

// feedback gives the status destination of a tiled-resource form a value that
// says "mapped": WebGPU has no tiled resources.
func (b *builder) feedback(in *dxbc.Instr) {
	if in.NumDst == 2 && in.Op.Has(dxbc.FlagFeedback) {
		b.write(&dxbc.Instr{}, in.Dst(1), maskComps(in.Dst(1)), repeat(b.constant(0xFFFFFFFF)))
	}
}

func (b *builder) gather(in *dxbc.Instr) {
	var op Op
	po, cmp := false, false
	switch in.Op {
	case dxbc.OpGather4, dxbc.OpGather4S:
		op = OpGather
	case dxbc.OpGather4C, dxbc.OpGather4CS:
		op, cmp = OpGatherCmp, true
	case dxbc.OpGather4Po, dxbc.OpGather4PoS:
		op, po = OpGatherOffset, true
	default:
		op, po, cmp = OpGatherOffsetCmp, true, true
	}
	t := 1
	if po {
		t = 2
	}
	need := t + 2
	if cmp {
		need++
	}
	if !b.shape(in, int(in.NumDst), need) {
		return
	}
	r, ok := b.texture(in, t)
	if !ok {
		return
	}
	s, ok := b.sampler(in, t+1)
	if !ok {
		return
	}
	b.use(r, s, cmp)
	dim := b.f.Resources[r].Dim
	args := []Arg{b.read(in.Src(0), seq[:coordLanes(dim)], 'f')}
	if po {
		args = append(args, b.read(in.Src(1), seq[:2], 'i'))
	}
	if cmp {
		args = append(args, b.read(in.Src(t+2), seq[:1], 'f'))
	}
	v := b.value(Value{Op: op, N: 4, Reg: -1, Res: r, Samp: s, Args: args, Offs: b.offsets(in), Imm: [4]uint32{uint32(slot(in.Src(t+1), 0))}})
	b.resultOf(in, in.Dst(0), in.Src(t), v)
	b.feedback(in)
}

func (b *builder) ld(in *dxbc.Instr) {
	ms := in.Op == dxbc.OpLdms || in.Op == dxbc.OpLdmsS
	need := 2
	if ms {
		need = 3
	}
	if !b.shape(in, int(in.NumDst), need) {
		return
	}
	r, ok := b.texture(in, 1)
	if !ok {
		return
	}
	res := &b.f.Resources[r]
	res.Loaded, res.Read = true, true
	if res.Class == GroupShared || res.Dim == dxbc.DimTextureCube || res.Dim == dxbc.DimTextureCubeArray {
		b.fail(codeOperand, "%s of a %s", in.Op, res.Dim)
		return
	}
	coord := b.read(in.Src(0), seq[:coordLanes(res.Dim)], 'i')
	v := Value{Op: OpLoad, N: 4, Reg: -1, Res: r, Samp: -1, Offs: b.offsets(in)}
	switch {
	case ms:
		v.Op = OpLoadMS
		v.Args = []Arg{coord, b.read(in.Src(2), seq[:1], 'i')}
	case res.Dim == dxbc.DimBuffer:
		v.Args = []Arg{coord, {}}
	default:
		v.Args = []Arg{coord, b.read(in.Src(0), seq[3:4], 'i')}
	}
	b.resultOf(in, in.Dst(0), in.Src(1), b.value(v))
	b.feedback(in)
}

func (b *builder) eval(in *dxbc.Instr) {
	if in.NumSrc() == 0 || in.Src(0).Reg != dxbc.RegInput || in.Src(0).Index(0).Rel != nil {
		b.fail(codeOperand, "%s of something else than an input", in.Op)
		return
	}
	dst, src := in.Dst(0), in.Src(0)
	cs := maskComps(dst)
	lanes := make([]Lane, len(cs))
	made := map[int]ValueID{}
	for k, c := range cs {
		comp := slot(src, c)
		e, ok := b.inIndex.get(outKey{dxbc.RegInput, src.Index(0).Imm, comp})
		if !ok {
			b.fail(codeUndeclared, "v%d.%c is not declared", src.Index(0).Imm, "xyzw"[comp])
			return
		}
		el := &b.f.Inputs[e]
		v, ok := made[e]
		if !ok {
			val := Value{N: popcount(el.Mask), Reg: -1, Res: -1, Samp: -1, Imm: [4]uint32{uint32(e)}}
			switch in.Op {
			case dxbc.OpEvalSnapped:
				val.Op, val.Args = OpEvalSnapped, []Arg{b.read(in.Src(1), seq[:2], 'i')}
			case dxbc.OpEvalSampleIndex:
				val.Op, val.Args = OpEvalSample, []Arg{b.read(in.Src(1), seq[:1], 'i')}
			default:
				val.Op = OpEvalCentroid
			}
			el.Used |= 1 << comp
			v = b.value(val)
			made[e] = v
		}
		lanes[k] = b.modify(Lane{v, laneOf(el.Mask, comp)}, src.Mod, 'f')
	}
	b.write(in, dst, cs, lanes)
}

func popcount(m uint8) uint8 { return uint8(bits.OnesCount8(m)) }

// laneOf is the position of component c among the set bits of mask.
func laneOf(mask, c uint8) uint8 { return popcount(mask & (1<<c - 1)) }

func (b *builder) ldBuffer(in *dxbc.Instr) {
	structured := in.Op == dxbc.OpLdStructured || in.Op == dxbc.OpLdStructuredS
	src := 1
	if structured {
		src = 2
	}
	if !b.shape(in, int(in.NumDst), src+1) {
		return
	}
	o := in.Src(src)
	r, ok := b.memory(in, o)
	if !ok {
		return
	}
	b.f.Resources[r].Read = true
	dst := in.Dst(0)
	cs := maskComps(dst)
	// The words that the swizzle asks for, each loaded once, in ascending order.
	var need [4]bool
	for _, c := range cs {
		need[slot(o, c)] = true
	}
	v := Value{Op: OpLoadRaw, Reg: -1, Res: r, Samp: -1}
	var pos [4]uint8
	for w := range need {
		if need[w] {
			pos[w] = v.N
			v.Imm[v.N] = uint32(w)
			v.N++
		}
	}
	if v.N == 0 {
		return
	}
	v.Args = []Arg{b.read(in.Src(0), seq[:1], 'u')}
	if structured {
		v.Op = OpLoadStructured
		v.Args = append(v.Args, b.read(in.Src(1), seq[:1], 'u'))
	}
	id := b.value(v)
	lanes := make([]Lane, len(cs))
	var regs [4]uint8
	for k, c := range cs {
		lanes[k] = Lane{id, pos[slot(o, c)]}
		regs[pos[slot(o, c)]] = c
	}
	b.hint(dst, id, regs[:v.N])
	b.write(in, dst, cs, lanes)
	b.feedback(in)
}

func (b *builder) atomic(in *dxbc.Instr, a AtomicOp) {
	returns := in.NumDst == 2
	if int(in.NumDst) == 0 || len(in.Operands) < int(in.NumDst) {
		b.fail(codeOperand, "%s without memory", in.Op)
		return
	}
	mem := in.Dst(int(in.NumDst) - 1)
	need := 2
	if a == AtomicCmpExch {
		need = 3
	}
	if in.NumSrc() < need {
		b.fail(codeOperand, "%s with %d sources", in.Op, in.NumSrc())
		return
	}
	r, ok := b.memory(in, mem)
	if !ok {
		return
	}
	res := &b.f.Resources[r]
	res.Atomic, res.Read, res.Written = true, true, true
	switch a {
	case AtomicIMax, AtomicIMin:
		res.SignedAtomic = true
	case AtomicUMax, AtomicUMin:
		res.UnsignedAtomic = true
	}
	n := coordLanes(res.Dim)
	kind := byte('u')
	if a == AtomicIMax || a == AtomicIMin {
		kind = 'i'
	}
	addr := b.read(in.Src(0), seq[:n], 'u')
	v := Value{Op: OpAtomic, Reg: -1, Res: r, Samp: -1, Imm: [4]uint32{uint32(a)}}
	if a == AtomicCmpExch {
		v.Args = []Arg{addr, b.read(in.Src(2), seq[:1], kind), b.read(in.Src(1), seq[:1], kind)}
	} else {
		v.Args = []Arg{addr, b.read(in.Src(1), seq[:1], kind), {}}
	}
	if returns {
		v.N = 1
	}
	id := b.value(v)
	if returns && in.Dst(0).Reg != dxbc.RegNull {
		cs := maskComps(in.Dst(0))
		b.hint(in.Dst(0), id, cs[:min(1, len(cs))])
		b.write(in, in.Dst(0), cs, repeat(Lane{V: id}))
	}
}

func (b *builder) returnLetter(r int32) byte {
	switch b.f.Resources[r].Return[0] {
	case dxbc.RetSint:
		return 'i'
	case dxbc.RetUint:
		return 'u'
	}
	return 'f'
}

// resultOf writes a texel of four lanes through the resource operand's swizzle.
func (b *builder) resultOf(in *dxbc.Instr, dst, res *dxbc.Operand, v ValueID) {
	b.result(in, dst, res, [4]Lane{{v, 0}, {v, 1}, {v, 2}, {v, 3}})
}

func (b *builder) result(in *dxbc.Instr, dst, res *dxbc.Operand, texel [4]Lane) {
	if dst.Reg == dxbc.RegNull {
		return
	}
	cs := maskComps(dst)
	lanes := make([]Lane, len(cs))
	for k, c := range cs {
		lanes[k] = texel[slot(res, c)]
	}
	// A name hint only where the texel went to one register in its own order.
	if len(lanes) > 0 && dst.Reg == dxbc.RegTemp {
		v := &b.f.Values[lanes[0].V]
		if v.Op != OpConst && v.Reg < 0 {
			v.Reg = int32(dst.Index(0).Imm)
			for k, c := range cs {
				if lanes[k].V == lanes[0].V {
					v.RegLanes[lanes[k].L] = c
				}
			}
		}
	}
	b.write(in, dst, cs, lanes)
}
