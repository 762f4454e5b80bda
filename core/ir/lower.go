package ir

import (
	"fxlens/core/dxbc"
)

// op lowers one ordinary instruction.
func (b *builder) op(in *dxbc.Instr) {
	if o, first, ok := b.dynamicOperand(in); ok {
		b.dynamic(in, o, first)
		return
	}
	r := &rules[min(int(in.Op), len(rules)-1)]
	switch r.form {
	case ruleSimple:
		if b.shape(in, 1, r.op.arity()) {
			a, cs := b.compute(in, in.Dst(0), r.op)
			b.write(in, in.Dst(0), cs, a.Lanes[:a.N])
		}
		return
	case rulePair:
		if !b.shape(in, 2, r.hi.arity()) {
			return
		}
		// Both results are made before either is written: a source may be the destination.
		a0, c0 := b.compute(in, in.Dst(0), r.hi)
		a1, c1 := b.compute(in, in.Dst(1), r.op)
		b.write(in, in.Dst(0), c0, a0.Lanes[:a0.N])
		b.write(in, in.Dst(1), c1, a1.Lanes[:a1.N])
		return
	case ruleDouble:
		if b.shape(in, 1, r.op.arity()) {
			b.double(in, r.op)
		}
		return
	case ruleSample:
		b.sample(in, r.sample)
		return
	case ruleAtomic:
		b.atomic(in, r.atomic)
		return
	}
	switch in.Op {
	case dxbc.OpNop, dxbc.OpDebugBreak, dxbc.OpAbort:
		b.f.Fates[b.instr] = FateDropped
	case dxbc.OpMov:
		if b.shape(in, 1, 1) {
			b.mov(in)
		}
	case dxbc.OpMovc:
		if b.shape(in, 1, 3) {
			b.movc(in)
		}
	case dxbc.OpSwapc:
		if b.shape(in, 2, 3) {
			b.swapc(in)
		}
	case dxbc.OpDp2, dxbc.OpDp3, dxbc.OpDp4:
		if b.shape(in, 1, 2) {
			b.dot(in, int(in.Op-dxbc.OpDp2)+2)
		}
	case dxbc.OpDmov, dxbc.OpDmovc:
		b.dmov(in)
	case dxbc.OpDiscard:
		if b.shape(in, 0, 1) {
			c := b.pure(OpTestNZ, 1, Scalar(b.readLane(in.Src(0), 0, 'w')))
			if !in.NonZero {
				c = b.not(c)
			}
			b.pure(OpDiscard, 0, Scalar(Lane{V: c}))
		}
	case dxbc.OpSync:
		b.value(Value{Op: OpBarrier, Reg: -1, Res: -1, Samp: -1, Imm: [4]uint32{uint32(in.Sync)}})
	case dxbc.OpLod:
		if r, ok := b.texture(in, 1); ok && b.shape(in, 1, 3) {
			s, ok := b.sampler(in, 2)
			if !ok {
				return
			}
			b.use(r, s, false)
			v := b.value(Value{Op: OpSampleLod, N: 2, Reg: -1, Res: r, Samp: s, Args: []Arg{b.read(in.Src(0), seq[:gradLanes(b.f.Resources[r].Dim)], 'f')}})
			zero := b.constant(0)
			b.result(in, in.Dst(0), in.Src(1), [4]Lane{{V: v}, {V: v, L: 1}, zero, zero})
		}
	case dxbc.OpGather4, dxbc.OpGather4C, dxbc.OpGather4Po, dxbc.OpGather4PoC,
		dxbc.OpGather4S, dxbc.OpGather4CS, dxbc.OpGather4PoS, dxbc.OpGather4PoCS:
		b.gather(in)
	case dxbc.OpLd, dxbc.OpLdS, dxbc.OpLdms, dxbc.OpLdmsS:
		b.ld(in)
	case dxbc.OpResinfo:
		if r, ok := b.texture(in, 1); ok && b.shape(in, 1, 2) {
			v := b.value(Value{Op: OpResInfo, N: 4, Reg: -1, Res: r, Samp: -1, Args: []Arg{b.read(in.Src(0), seq[:1], 'u')}, Imm: [4]uint32{uint32(in.ResInfo)}})
			b.resultOf(in, in.Dst(0), in.Src(1), v)
		}
	case dxbc.OpBufinfo:
		if r, ok := b.texture(in, 0); ok && b.shape(in, 1, 1) {
			v := b.value(Value{Op: OpBufInfo, N: 1, Reg: -1, Res: r, Samp: -1})
			b.result(in, in.Dst(0), in.Src(0), [4]Lane{{V: v}, {V: v}, {V: v}, {V: v}})
		}
	case dxbc.OpSampleinfo:
		if b.shape(in, 1, 1) {
			r, ok := b.textureOrTarget(in, 0)
			if !ok {
				return
			}
			l := Lane{V: b.value(Value{Op: OpSampleInfo, N: 1, Reg: -1, Res: r, Samp: -1})}
			if in.ResInfo == 0 {
				l = Lane{V: b.pure(OpUToF, 1, Scalar(l))}
			}
			zero := b.constant(0)
			b.result(in, in.Dst(0), in.Src(0), [4]Lane{l, zero, zero, zero})
		}
	case dxbc.OpSamplepos:
		if b.shape(in, 1, 2) {
			r, ok := b.textureOrTarget(in, 0)
			if !ok {
				return
			}
			v := b.value(Value{Op: OpSamplePos, N: 2, Reg: -1, Res: r, Samp: -1, Args: []Arg{b.read(in.Src(1), seq[:1], 'i')}})
			zero := b.constant(0)
			b.result(in, in.Dst(0), in.Src(0), [4]Lane{{V: v}, {V: v, L: 1}, zero, zero})
		}
	case dxbc.OpEvalSnapped, dxbc.OpEvalSampleIndex, dxbc.OpEvalCentroid:
		b.eval(in)
	case dxbc.OpLdStructured, dxbc.OpLdStructuredS, dxbc.OpLdRaw, dxbc.OpLdRawS:
		b.ldBuffer(in)
	case dxbc.OpLdUavTyped, dxbc.OpLdUavTypedS:
		if r, ok := b.memory(in, in.Src(1)); ok {
			b.f.Resources[r].Read = true
			n := coordLanes(b.f.Resources[r].Dim)
			v := b.value(Value{Op: OpLoadTyped, N: 4, Reg: -1, Res: r, Samp: -1, Args: []Arg{b.read(in.Src(0), seq[:n], 'i')}})
			b.resultOf(in, in.Dst(0), in.Src(1), v)
			b.feedback(in)
		}
	case dxbc.OpStoreUavTyped:
		if r, ok := b.memory(in, in.Dst(0)); ok && b.shape(in, 1, 2) {
			b.f.Resources[r].Written = true
			n := coordLanes(b.f.Resources[r].Dim)
			k := b.returnLetter(r)
			b.value(Value{Op: OpStoreTyped, Reg: -1, Res: r, Samp: -1, Args: []Arg{b.read(in.Src(0), seq[:n], 'i'), b.read(in.Src(1), seq[:], k)}})
		}
	case dxbc.OpStoreRaw:
		if r, ok := b.memory(in, in.Dst(0)); ok && b.shape(in, 1, 2) {
			b.f.Resources[r].Written = true
			cs := maskComps(in.Dst(0))
			b.value(Value{Op: OpStoreRaw, Reg: -1, Res: r, Samp: -1, Args: []Arg{b.read(in.Src(0), seq[:1], 'u'), b.read(in.Src(1), cs, 'w')}})
		}
	case dxbc.OpStoreStructured:
		if r, ok := b.memory(in, in.Dst(0)); ok && b.shape(in, 1, 3) {
			b.f.Resources[r].Written = true
			cs := maskComps(in.Dst(0))
			b.value(Value{Op: OpStoreStructured, Reg: -1, Res: r, Samp: -1, Args: []Arg{
				b.read(in.Src(0), seq[:1], 'u'), b.read(in.Src(1), seq[:1], 'u'), b.read(in.Src(2), cs, 'w')}})
		}
	case dxbc.OpImmAtomicAlloc, dxbc.OpImmAtomicConsume:
		if len(in.Operands) < 2 {
			b.fail(codeOperand, "%s needs two operands", in.Op)
			return
		}
		if r, ok := b.memory(in, &in.Operands[1]); ok {
			op := OpCounterInc
			if in.Op == dxbc.OpImmAtomicConsume {
				op = OpCounterDec
			}
			c := b.counter(r)
			v := b.value(Value{Op: op, N: 1, Reg: -1, Res: c, Samp: -1})
			b.write(in, in.Dst(0), maskComps(in.Dst(0)), repeat(Lane{V: v}))
		}
	case dxbc.OpCheckAccessFullyMapped:
		if b.shape(in, 1, 1) {
			b.write(in, in.Dst(0), maskComps(in.Dst(0)), repeat(b.constant(0xFFFFFFFF)))
		}
	default:
		b.fail(codeOpcode, "%s has no translation", in.Op)
	}
}

func repeat(l Lane) []Lane { return []Lane{l, l, l, l} }

// shape checks the operand counts, which decoding guarantees for what it decoded.
func (b *builder) shape(in *dxbc.Instr, dst, src int) bool {
	if int(in.NumDst) != dst || in.NumSrc() < src {
		b.fail(codeOperand, "%s with %d destinations and %d sources", in.Op, in.NumDst, in.NumSrc())
		return false
	}
	return true
}

// counter returns the resource of a UAV's hidden counter, made on first use.
func (b *builder) counter(uav int32) int32 {
	r := &b.f.Resources[uav]
	for i := range b.f.Resources {
		c := &b.f.Resources[i]
		if c.Class == Counter && c.RangeID == r.RangeID && c.Register == r.Register && c.Space == r.Space {
			return int32(i)
		}
	}
	b.f.Resources = append(b.f.Resources, Resource{Class: Counter, Register: r.Register, Space: r.Space, RangeID: r.RangeID, Count: 1,
		Name: r.Name, Instr: r.Instr, Used: true, Read: true, Written: true, Atomic: true})
	return int32(len(b.f.Resources) - 1)
}

// compute makes the lanes of one result of a lanewise operation.
func (b *builder) compute(in *dxbc.Instr, dst *dxbc.Operand, op Op) (Arg, []uint8) {
	if dst.Reg == dxbc.RegNull {
		return Arg{}, nil
	}
	cs := maskComps(dst)
	kinds := opTable[op].Args
	args := b.newArgs(len(kinds))
	for i := range args {
		args[i] = b.read(in.Src(i), cs, kinds[i])
	}
	v := b.value(Value{Op: op, N: uint8(len(cs)), Reg: -1, Res: -1, Samp: -1, Args: args, Precise: precise(in, cs)})
	b.hint(dst, v, cs)
	return ArgOf(v, len(cs)), cs
}

// hint remembers the register that a value was written to, for names.
func (b *builder) hint(dst *dxbc.Operand, v ValueID, cs []uint8) {
	if dst.Reg != dxbc.RegTemp {
		return
	}
	val := &b.f.Values[v]
	val.Reg = int32(dst.Index(0).Imm)
	copy(val.RegLanes[:], cs)
}

func precise(in *dxbc.Instr, cs []uint8) bool {
	for _, c := range cs {
		if in.Precise>>c&1 != 0 {
			return true
		}
	}
	return false
}

func (b *builder) mov(in *dxbc.Instr) {
	dst, src := in.Dst(0), in.Src(0)
	cs := maskComps(dst)
	k := byte('w')
	if src.Mod != dxbc.ModNone || in.Sat {
		k = 'f'
	}
	before := len(b.f.Nodes)
	a := b.read(src, cs, k)
	b.write(in, dst, cs, a.Lanes[:a.N])
	if len(b.f.Nodes) == before && b.f.Fates[b.instr] == FateLive {
		b.f.Fates[b.instr] = FateMoved
	}
}

func (b *builder) testLanes(o *dxbc.Operand, cs []uint8) Arg {
	a := b.read(o, cs, 'w')
	v := b.pure(OpTestNZ, a.N, a)
	return ArgOf(v, int(a.N))
}

// moverKind is the letter that a mover's source is read by: its modifiers are
// those of a float.
func moverKind(o *dxbc.Operand) byte {
	if o.Mod != dxbc.ModNone {
		return 'f'
	}
	return 'w'
}

func (b *builder) movc(in *dxbc.Instr) {
	dst := in.Dst(0)
	cs := maskComps(dst)
	t, e := b.read(in.Src(1), cs, moverKind(in.Src(1))), b.read(in.Src(2), cs, moverKind(in.Src(2)))
	c := b.testLanes(in.Src(0), cs)
	v := b.value(Value{Op: OpSelect, N: uint8(len(cs)), Reg: -1, Res: -1, Samp: -1, Args: []Arg{c, t, e}, Precise: precise(in, cs)})
	b.hint(dst, v, cs)
	b.writeValue(in, dst, cs, v)
}

// writeValue writes the lanes of v, one for each component.
func (b *builder) writeValue(in *dxbc.Instr, dst *dxbc.Operand, cs []uint8, v ValueID) {
	a := ArgOf(v, len(cs))
	b.write(in, dst, cs, a.Lanes[:a.N])
}

func (b *builder) swapc(in *dxbc.Instr) {
	var vals [2]ValueID
	for d := range 2 {
		dst := in.Dst(d)
		if dst.Reg == dxbc.RegNull {
			continue
		}
		cs := maskComps(dst)
		c := b.testLanes(in.Src(0), cs)
		x, y := b.read(in.Src(1), cs, moverKind(in.Src(1))), b.read(in.Src(2), cs, moverKind(in.Src(2)))
		if d == 0 {
			x, y = y, x
		}
		vals[d] = b.pure(OpSelect, uint8(len(cs)), c, x, y)
		b.hint(dst, vals[d], cs)
	}
	for d := range 2 {
		if dst := in.Dst(d); dst.Reg != dxbc.RegNull {
			cs := maskComps(dst)
			b.writeValue(in, dst, cs, vals[d])
		}
	}
}

func (b *builder) dot(in *dxbc.Instr, n int) {
	dst := in.Dst(0)
	v := b.value(Value{Op: OpDot, N: 1, Reg: -1, Res: -1, Samp: -1, Precise: in.Precise != 0,
		Args: []Arg{b.read(in.Src(0), seq[:n], 'f'), b.read(in.Src(1), seq[:n], 'f')}})
	cs := maskComps(dst)
	if len(cs) > 0 {
		b.hint(dst, v, cs[:1])
	}
	b.write(in, dst, cs, repeat(Lane{V: v}))
}

// pairs lists which doubles (0: xy, 1: zw) a destination of doubles writes.
func pairs(o *dxbc.Operand) []uint8 {
	var ps []uint8
	for _, c := range maskComps(o) {
		if p := c / 2; len(ps) == 0 || ps[len(ps)-1] != p {
			ps = append(ps, p)
		}
	}
	return ps
}

// readDoubles reads the words of doubles: slots 2p and 2p+1 for each p.
func (b *builder) readDoubles(o *dxbc.Operand, ps []uint8) Arg {
	var cs []uint8
	for _, p := range ps {
		cs = append(cs, 2*p, 2*p+1)
	}
	mod := o.Mod
	plain := *o
	plain.Mod = dxbc.ModNone
	a := b.read(&plain, cs, 'w')
	if mod&dxbc.ModAbs != 0 {
		a = ArgOf(b.pure(OpDAbs, a.N, a), int(a.N))
	}
	if mod&dxbc.ModNeg != 0 {
		a = ArgOf(b.pure(OpDNeg, a.N, a), int(a.N))
	}
	return a
}

func (b *builder) double(in *dxbc.Instr, op Op) {
	dst := in.Dst(0)
	cs := maskComps(dst)
	info := op.Info()
	var args []Arg
	var n uint8
	if info.Result != 'w' {
		// One lane per double; the k-th written component takes double k.
		ps := []uint8{0, 1}[:min(len(cs), 2)]
		n = uint8(len(ps))
		for i := range info.Args {
			args = append(args, b.readDoubles(in.Src(i), ps))
		}
	} else {
		ps := pairs(dst)
		n = uint8(2 * len(ps))
		for i := range info.Args {
			if info.Args[i] != 'w' {
				args = append(args, b.read(in.Src(i), ps, info.Args[i]))
				continue
			}
			args = append(args, b.readDoubles(in.Src(i), ps))
		}
	}
	v := b.value(Value{Op: op, N: n, Reg: -1, Res: -1, Samp: -1, Args: args, Precise: in.Precise != 0})
	lanes := make([]Lane, len(cs))
	for k := range cs {
		l := k
		if info.Result == 'w' {
			// Component c of the destination is word c%2 of its pair.
			ps := pairs(dst)
			for j, p := range ps {
				if p == cs[k]/2 {
					l = 2*j + int(cs[k]%2)
				}
			}
		}
		lanes[k] = Lane{v, uint8(min(l, int(n)-1))}
	}
	b.write(in, dst, cs, lanes)
}

func (b *builder) dmov(in *dxbc.Instr) {
	conditional := in.Op == dxbc.OpDmovc
	want := 1
	if conditional {
		want = 3
	}
	if !b.shape(in, 1, want) {
		return
	}
	dst := in.Dst(0)
	cs, ps := maskComps(dst), pairs(dst)
	pick := func(a Arg) []Lane {
		lanes := make([]Lane, len(cs))
		for k, c := range cs {
			for j, p := range ps {
				if p == c/2 {
					lanes[k] = a.Lanes[2*j+int(c%2)]
				}
			}
		}
		return lanes
	}
	if !conditional {
		b.write(in, dst, cs, pick(b.readDoubles(in.Src(0), ps)))
		return
	}
	t, e := b.readDoubles(in.Src(1), ps), b.readDoubles(in.Src(2), ps)
	var conds []uint8
	for _, p := range ps {
		conds = append(conds, p, p)
	}
	c := b.testLanes(in.Src(0), conds)
	v := b.pure(OpSelect, t.N, c, t, e)
	b.write(in, dst, cs, pick(ArgOf(v, int(t.N))))
}

// index resolves an index: its value where it is constant, as that of an instance
// is once its class is chosen, else the lane to which imm is added.
func (b *builder) index(idx dxbc.Index) (imm uint32, rel Lane, dynamic bool) {
	if idx.Rel == nil {
		return idx.Imm, Lane{}, false
	}
	l := b.readLane(idx.Rel, 0, 'u')
	if c, ok := b.f.bits(l); ok {
		return idx.Imm + c, Lane{}, false
	}
	return idx.Imm, l, true
}

// sum is an index as one lane.
func (b *builder) sum(idx dxbc.Index) Lane {
	imm, rel, dynamic := b.index(idx)
	switch {
	case !dynamic:
		return b.constant(imm)
	case imm == 0:
		return rel
	}
	return Lane{V: b.pure(OpIAdd, 1, Scalar(rel), Scalar(b.constant(imm)))}
}

// assigned lists the variables that the statements may write.
func (b *builder) assigned(list []stmt) []int32 {
	var vs []int32
	var walk func(list []stmt)
	walk = func(list []stmt) {
		for i := range list {
			s := &list[i]
			switch s.kind {
			case sSet:
				vs = append(vs, b.flagVars+s.flag)
			case sOps:
				for i := s.instr; i < s.end; i++ {
					vs = b.destinations(vs, &b.p.Instrs[i])
				}
			}
			walk(s.body)
			walk(s.alt)
			for _, c := range s.clauses {
				walk(c.body)
			}
		}
	}
	walk(list)
	return uniqueSorted(vs)
}

func (b *builder) destinations(vs []int32, in *dxbc.Instr) []int32 {
	for d := range int(in.NumDst) {
		o := &in.Operands[d]
		for _, c := range maskComps(o) {
			switch o.Reg {
			case dxbc.RegTemp:
				if v := int64(o.Index(0).Imm)*4 + int64(c); v < int64(b.tempVars) {
					vs = append(vs, int32(v))
				}
			case dxbc.RegIndexableTemp:
				if base, ok := b.xVars[o.Index(0).Imm]; ok && o.Index(1).Imm < b.xDecl[o.Index(0).Imm][0] {
					vs = append(vs, base+int32(o.Index(1).Imm)*4+int32(c))
				}
			case dxbc.RegNull, dxbc.RegUAV, dxbc.RegGroupShared:
			default:
				num := uint32(0)
				if o.NumIndex > 0 {
					num = o.Index(0).Imm
				}
				if e, ok := b.outIndex.get(outKey{o.Reg, num, c}); ok {
					vs = append(vs, b.outVars[e]+int32(c))
				}
			}
		}
	}
	return vs
}
