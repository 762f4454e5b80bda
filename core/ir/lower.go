package ir

import (
	"math/bits"
	"slices"

	"fxlens/core/dxbc"
)

// simpleOps are the instructions that become one operation, lane by lane, with
// their sources in order. The operand kinds are those of the operation.
var simpleOps = map[dxbc.Op]Op{
	dxbc.OpAdd: OpFAdd, dxbc.OpMul: OpFMul, dxbc.OpMad: OpFMad, dxbc.OpDiv: OpFDiv,
	dxbc.OpMin: OpFMin, dxbc.OpMax: OpFMax,
	dxbc.OpFrc: OpFFract, dxbc.OpRoundNe: OpFRound, dxbc.OpRoundNi: OpFFloor, dxbc.OpRoundPi: OpFCeil, dxbc.OpRoundZ: OpFTrunc,
	dxbc.OpExp: OpFExp2, dxbc.OpLog: OpFLog2, dxbc.OpSqrt: OpFSqrt, dxbc.OpRsq: OpFRsq, dxbc.OpRcp: OpFRcp,
	dxbc.OpDerivRtx: OpDerivX, dxbc.OpDerivRty: OpDerivY,
	dxbc.OpDerivRtxCoarse: OpDerivXCoarse, dxbc.OpDerivRtyCoarse: OpDerivYCoarse,
	dxbc.OpDerivRtxFine: OpDerivXFine, dxbc.OpDerivRtyFine: OpDerivYFine,
	dxbc.OpEq: OpFEq, dxbc.OpNe: OpFNe, dxbc.OpLt: OpFLt, dxbc.OpGe: OpFGe,
	dxbc.OpIeq: OpIEq, dxbc.OpIne: OpINe, dxbc.OpIlt: OpILt, dxbc.OpIge: OpIGe, dxbc.OpUlt: OpULt, dxbc.OpUge: OpUGe,
	dxbc.OpIadd: OpIAdd, dxbc.OpImad: OpIMad, dxbc.OpUmad: OpIMad, dxbc.OpIneg: OpINeg,
	dxbc.OpImin: OpIMin, dxbc.OpImax: OpIMax, dxbc.OpUmin: OpUMin, dxbc.OpUmax: OpUMax,
	dxbc.OpAnd: OpAnd, dxbc.OpOr: OpOr, dxbc.OpXor: OpXor, dxbc.OpNot: OpNot,
	dxbc.OpIshl: OpShl, dxbc.OpIshr: OpIShr, dxbc.OpUshr: OpUShr,
	dxbc.OpUbfe: OpUBfe, dxbc.OpIbfe: OpIBfe, dxbc.OpBfi: OpBfi, dxbc.OpBfrev: OpBitReverse,
	dxbc.OpCountbits: OpCountBits, dxbc.OpFirstbitHi: OpFirstBitHi, dxbc.OpFirstbitLo: OpFirstBitLo, dxbc.OpFirstbitShi: OpFirstBitSHi,
	dxbc.OpMsad: OpMsad,
	dxbc.OpFtoi: OpFToI, dxbc.OpFtou: OpFToU, dxbc.OpItof: OpIToF, dxbc.OpUtof: OpUToF,
	dxbc.OpF32tof16: OpF32ToF16, dxbc.OpF16tof32: OpF16ToF32,
}

// pairOps are instructions with two results, each an operation of the same sources.
var pairOps = map[dxbc.Op][2]Op{
	dxbc.OpImul: {OpIMulHi, OpIMul}, dxbc.OpUmul: {OpUMulHi, OpIMul},
	dxbc.OpUdiv: {OpUDiv, OpUMod}, dxbc.OpSincos: {OpFSin, OpFCos},
	dxbc.OpUaddc: {OpIAdd, OpUAddCarry}, dxbc.OpUsubb: {OpISub, OpUSubBorrow},
}

var doubleOps = map[dxbc.Op]Op{
	dxbc.OpDadd: OpDAdd, dxbc.OpDmul: OpDMul, dxbc.OpDfma: OpDFma, dxbc.OpDdiv: OpDDiv, dxbc.OpDrcp: OpDRcp,
	dxbc.OpDmin: OpDMin, dxbc.OpDmax: OpDMax, dxbc.OpDeq: OpDEq, dxbc.OpDne: OpDNe, dxbc.OpDlt: OpDLt, dxbc.OpDge: OpDGe,
	dxbc.OpDtof: OpDToF, dxbc.OpDtoi: OpDToI, dxbc.OpDtou: OpDToU, dxbc.OpFtod: OpFToD, dxbc.OpItod: OpIToD, dxbc.OpUtod: OpUToD,
}

var atomicOps = map[dxbc.Op]AtomicOp{
	dxbc.OpAtomicAnd: AtomicAnd, dxbc.OpAtomicOr: AtomicOr, dxbc.OpAtomicXor: AtomicXor, dxbc.OpAtomicIadd: AtomicAdd,
	dxbc.OpAtomicImax: AtomicIMax, dxbc.OpAtomicImin: AtomicIMin, dxbc.OpAtomicUmax: AtomicUMax, dxbc.OpAtomicUmin: AtomicUMin,
	dxbc.OpAtomicCmpStore: AtomicCmpExch,
	dxbc.OpImmAtomicAnd:   AtomicAnd, dxbc.OpImmAtomicOr: AtomicOr, dxbc.OpImmAtomicXor: AtomicXor, dxbc.OpImmAtomicIadd: AtomicAdd,
	dxbc.OpImmAtomicImax: AtomicIMax, dxbc.OpImmAtomicImin: AtomicIMin, dxbc.OpImmAtomicUmax: AtomicUMax, dxbc.OpImmAtomicUmin: AtomicUMin,
	dxbc.OpImmAtomicExch: AtomicExch, dxbc.OpImmAtomicCmpExch: AtomicCmpExch,
}

// sampleKind describes a sampling instruction: its operation and how many lanes
// each source behind texture and sampler has (0: as many as a gradient needs).
type sampleKind struct {
	op       Op
	extra    []uint8
	feedback bool
	clamp    bool
}

var sampleOps = map[dxbc.Op]sampleKind{
	dxbc.OpSample: {op: OpSample}, dxbc.OpSampleB: {op: OpSampleBias, extra: []uint8{1}},
	dxbc.OpSampleL: {op: OpSampleLevel, extra: []uint8{1}}, dxbc.OpSampleD: {op: OpSampleGrad, extra: []uint8{0, 0}},
	dxbc.OpSampleC: {op: OpSampleCmp, extra: []uint8{1}}, dxbc.OpSampleCLz: {op: OpSampleCmpZero, extra: []uint8{1}},
	dxbc.OpSampleLS: {op: OpSampleLevel, extra: []uint8{1}, feedback: true}, dxbc.OpSampleCLzS: {op: OpSampleCmpZero, extra: []uint8{1}, feedback: true},
	dxbc.OpSampleClS: {op: OpSample, extra: []uint8{1}, feedback: true, clamp: true}, dxbc.OpSampleBClS: {op: OpSampleBias, extra: []uint8{1, 1}, feedback: true, clamp: true},
	dxbc.OpSampleDClS: {op: OpSampleGrad, extra: []uint8{0, 0, 1}, feedback: true, clamp: true}, dxbc.OpSampleCClS: {op: OpSampleCmp, extra: []uint8{1, 1}, feedback: true, clamp: true},
}

// coordLanes is the number of sampling coordinates of a dimension, slice included.
func coordLanes(d dxbc.Dim) int {
	switch d {
	case dxbc.DimBuffer, dxbc.DimTexture1D, dxbc.DimRawBuffer:
		return 1
	case dxbc.DimTexture1DArray, dxbc.DimTexture2D, dxbc.DimTexture2DMS, dxbc.DimStructuredBuffer:
		return 2
	case dxbc.DimTextureCubeArray:
		return 4
	}
	return 3
}

// gradLanes is the number of lanes of a gradient or offset, and of the coordinates of a
// sample without its layer.
func gradLanes(d dxbc.Dim) int {
	switch d {
	case dxbc.DimTexture1D, dxbc.DimTexture1DArray:
		return 1
	case dxbc.DimTexture3D, dxbc.DimTextureCube, dxbc.DimTextureCubeArray:
		return 3
	}
	return 2
}

var seq = [4]uint8{0, 1, 2, 3}

// compsOf lists the components of every mask.
var compsOf = func() (out [16][]uint8) {
	for m := range out {
		for c := uint8(0); c < 4; c++ {
			if m>>c&1 != 0 {
				out[m] = append(out[m], c)
			}
		}
		out[m] = slices.Clip(out[m])
	}
	return out
}()

// maskComps lists the components that a destination writes, in a list that all
// destinations share.
func maskComps(o *dxbc.Operand) []uint8 {
	switch o.Mode {
	case dxbc.CompMask:
		return compsOf[o.Mask&15]
	case dxbc.CompSelect:
		return compsOf[1<<(o.Swizzle[0]&3)]
	}
	return compsOf[1]
}

// rule says how an instruction is lowered where its opcode says it all.
type rule struct {
	form   ruleForm
	op, hi Op // the operation; of pairs the first result is hi
	atomic AtomicOp
	sample sampleKind
}

type ruleForm uint8

const (
	ruleNone ruleForm = iota
	ruleSimple
	rulePair
	ruleDouble
	ruleSample
	ruleAtomic
)

// rules has the tables above by opcode.
var rules = func() (out [256]rule) {
	for op, x := range simpleOps {
		out[op] = rule{form: ruleSimple, op: x}
	}
	for op, x := range pairOps {
		out[op] = rule{form: rulePair, hi: x[0], op: x[1]}
	}
	for op, x := range doubleOps {
		out[op] = rule{form: ruleDouble, op: x}
	}
	for op, x := range sampleOps {
		out[op] = rule{form: ruleSample, sample: x}
	}
	for op, x := range atomicOps {
		out[op] = rule{form: ruleAtomic, atomic: x}
	}
	return out
}()

// slot returns the component that an operand selects for component c.
func slot(o *dxbc.Operand, c uint8) uint8 {
	switch o.Mode {
	case dxbc.CompSwizzle, dxbc.CompSelect:
		return o.Swizzle[c]
	case dxbc.CompOne, dxbc.CompNone:
		return 0
	}
	return c
}

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

// write stores lanes into the components cs of a destination.
func (b *builder) write(in *dxbc.Instr, dst *dxbc.Operand, cs []uint8, lanes []Lane) {
	if dst.Reg == dxbc.RegNull || len(cs) == 0 {
		return
	}
	lanes = lanes[:len(cs)]
	if in.Sat {
		a := Arg{N: uint8(len(lanes))}
		copy(a.Lanes[:], lanes)
		v := b.value(Value{Op: OpFSat, N: a.N, Reg: -1, Res: -1, Samp: -1, Args: []Arg{a}, Precise: precise(in, cs)})
		b.hint(dst, v, cs)
		sat := ArgOf(v, len(lanes))
		lanes = sat.Lanes[:sat.N]
	}
	switch dst.Reg {
	case dxbc.RegTemp:
		idx := dst.Index(0)
		for k, c := range cs {
			v := int64(idx.Imm)*4 + int64(c)
			if idx.Rel != nil || v >= int64(b.tempVars) {
				b.fail(codeUndeclared, "r%d is not declared", idx.Imm)
				return
			}
			b.set(int32(v), lanes[k])
		}
	case dxbc.RegIndexableTemp:
		b.writeX(dst, cs, lanes)
	default:
		b.writeOutput(dst, cs, lanes)
	}
}

func (b *builder) writeX(dst *dxbc.Operand, cs []uint8, lanes []Lane) {
	x := dst.Index(0).Imm
	d, ok := b.xDecl[x]
	if !ok || dst.NumIndex < 2 {
		b.fail(codeUndeclared, "x%d is not declared", x)
		return
	}
	if base, ok := b.xVars[x]; ok {
		e := dst.Index(1).Imm
		if e >= d[0] {
			return // out of range: D3D leaves it undefined, nothing is written
		}
		for k, c := range cs {
			b.set(base+int32(e)*4+int32(c), lanes[k])
		}
		return
	}
	b.storeArray(b.xArray[x], dst.Index(1), 0, cs, lanes)
}

// storeArray writes components of an element; first is subtracted from the index.
func (b *builder) storeArray(array int32, idx dxbc.Index, first uint32, cs []uint8, lanes []Lane) {
	a := Arg{N: uint8(len(lanes))}
	copy(a.Lanes[:], lanes)
	var mask uint32
	for _, c := range cs {
		mask |= 1 << c
	}
	imm, rel, dynamic := b.index(idx)
	v := Value{Op: OpArrayStore, Reg: -1, Res: array, Samp: -1, Imm: [4]uint32{imm - first, mask}, Args: []Arg{{}, a}}
	if dynamic {
		v.Args[0] = Scalar(rel)
	}
	b.value(v)
}

func (b *builder) writeOutput(dst *dxbc.Operand, cs []uint8, lanes []Lane) {
	num := uint32(0)
	if dst.Reg == dxbc.RegOutput {
		idx := dst.Index(0)
		num = idx.Imm
		if arr, first, ok := arrayOf(b.outArray, num); ok {
			b.storeArray(arr, idx, first, cs, lanes)
			for c := range 4 {
				for n := uint32(0); n < b.f.Arrays[arr].Len; n++ {
					if e, ok := b.outIndex.get(outKey{dst.Reg, first + n, uint8(c)}); ok {
						b.f.Outputs[e].Used |= 1 << c
					}
				}
			}
			return
		}
		if idx.Rel != nil {
			b.fail(codeOperand, "o%d is indexed by a register outside an index range", num)
			return
		}
	}
	for k, c := range cs {
		e, ok := b.outIndex.get(outKey{dst.Reg, num, c})
		if !ok {
			b.fail(codeUndeclared, "output %s%d.%c is not declared", dst.Reg, num, "xyzw"[c])
			return
		}
		b.f.Outputs[e].Used |= 1 << c
		b.set(b.outVars[e]+int32(c), lanes[k])
	}
}

// readLane reads the operand for destination component c.
func (b *builder) readLane(o *dxbc.Operand, c uint8, kind byte) Lane {
	return b.read(o, []uint8{c}, kind).Lanes[0]
}

// read reads the operand for the components cs with its modifiers, as what kind says.
func (b *builder) read(o *dxbc.Operand, cs []uint8, kind byte) Arg {
	a := Arg{N: uint8(len(cs))}
	var comps [4]uint8
	for k, c := range cs {
		comps[k] = slot(o, c)
	}
	b.raw(o, comps[:len(cs)], a.Lanes[:len(cs)])
	if o.Mod == dxbc.ModNone || kind == 'w' {
		return a
	}
	return b.modifyAll(a, o.Mod, kind)
}

func (b *builder) modify(l Lane, mod dxbc.Modifier, kind byte) Lane {
	if mod == dxbc.ModNone {
		return l
	}
	return b.modifyAll(Scalar(l), mod, kind).Lanes[0]
}

func (b *builder) modifyAll(a Arg, mod dxbc.Modifier, kind byte) Arg {
	un := func(op Op) {
		a = ArgOf(b.pure(op, a.N, a), int(a.N))
	}
	switch kind {
	case 'f':
		if mod&dxbc.ModAbs != 0 {
			un(OpFAbs)
		}
		if mod&dxbc.ModNeg != 0 {
			un(OpFNeg)
		}
	default:
		if mod&dxbc.ModAbs != 0 {
			b.fail(codeOperand, "absolute value of an integer operand")
			return a
		}
		if mod&dxbc.ModNeg != 0 {
			un(OpINeg)
		}
	}
	return a
}

// raw reads components of a register without modifiers.
func (b *builder) raw(o *dxbc.Operand, comps []uint8, out []Lane) {
	switch o.Reg {
	case dxbc.RegImmediate32:
		for k, c := range comps {
			if o.Mode == dxbc.CompOne {
				c = 0
			}
			out[k] = b.constant(o.Imm[c])
		}
	case dxbc.RegImmediate64:
		for k, c := range comps {
			out[k] = b.constant(o.Imm[c])
		}
	case dxbc.RegTemp:
		n := int64(o.Index(0).Imm) * 4
		if o.Index(0).Rel != nil || n+3 >= int64(b.tempVars) {
			b.fail(codeUndeclared, "r%d is not declared", o.Index(0).Imm)
			b.fill(out)
			return
		}
		for k, c := range comps {
			out[k] = b.get(int32(n) + int32(c))
		}
	case dxbc.RegIndexableTemp:
		b.readX(o, comps, out)
	case dxbc.RegConstantBuffer:
		b.readCB(o, comps, out)
	case dxbc.RegImmediateConstantBuffer:
		b.readICB(o, comps, out)
	case dxbc.RegInput:
		if arr, first, ok := arrayOf(b.inArray, o.Index(0).Imm); ok && o.Index(0).Rel != nil {
			b.loadArray(arr, o.Index(0), first, comps, out)
			for i := range b.f.Inputs {
				if e := &b.f.Inputs[i]; e.RegType == dxbc.RegInput && e.Register >= first && e.Register < first+b.f.Arrays[arr].Len {
					for _, c := range comps {
						e.Used |= 1 << c & e.Mask
					}
				}
			}
			return
		}
		if o.Index(0).Rel != nil {
			b.fail(codeOperand, "v%d is indexed by a register outside an index range", o.Index(0).Imm)
			b.fill(out)
			return
		}
		b.readInput(o.Reg, o.Index(0).Imm, comps, out)
	case dxbc.RegThis:
		b.readThis(o, comps, out)
	case dxbc.RegThreadID, dxbc.RegThreadGroupID, dxbc.RegThreadIDInGroup, dxbc.RegThreadIDInGroupFlattened, dxbc.RegInputCoverage, dxbc.RegPrimitiveID, dxbc.RegInnerCoverage:
		b.readInput(o.Reg, 0, comps, out)
	case dxbc.RegOutput:
		for k, c := range comps {
			e, ok := b.outIndex.get(outKey{o.Reg, o.Index(0).Imm, c})
			if !ok {
				b.fail(codeUndeclared, "o%d is not declared", o.Index(0).Imm)
				b.fill(out)
				return
			}
			out[k] = b.get(b.outVars[e] + int32(c))
		}
	default:
		b.fail(codeOperand, "register %s cannot be read here", o.Reg)
		b.fill(out)
	}
}

func (b *builder) fill(out []Lane) {
	for k := range out {
		out[k] = Lane{V: b.undef}
	}
}

func (b *builder) readInput(reg dxbc.RegType, num uint32, comps []uint8, out []Lane) {
	for k, c := range comps {
		if reg != dxbc.RegInput && (reg == dxbc.RegThreadIDInGroupFlattened || reg == dxbc.RegInputCoverage || reg == dxbc.RegPrimitiveID) {
			c = 0
		}
		e, ok := b.inIndex.get(outKey{reg, num, c})
		if !ok {
			b.fail(codeUndeclared, "input %s%d.%c is not declared", reg, num, "xyzw"[c])
			b.fill(out)
			return
		}
		v := b.inputs[e] - 1
		if v < 0 {
			el := &b.f.Inputs[e]
			v = b.leaf(Value{Op: OpInput, N: popcount(el.Mask), Reg: -1, Instr: -1, Imm: [4]uint32{uint32(e)}})
			b.inputs[e] = v + 1
		}
		b.f.Inputs[e].Used |= 1 << c
		out[k] = Lane{v, laneOf(b.f.Inputs[e].Mask, c)}
	}
}

func (b *builder) readX(o *dxbc.Operand, comps []uint8, out []Lane) {
	x := o.Index(0).Imm
	d, ok := b.xDecl[x]
	if !ok || o.NumIndex < 2 {
		b.fail(codeUndeclared, "x%d is not declared", x)
		b.fill(out)
		return
	}
	if base, ok := b.xVars[x]; ok {
		e := o.Index(1).Imm
		if e >= d[0] {
			b.fill(out)
			return
		}
		for k, c := range comps {
			out[k] = b.get(base + int32(e)*4 + int32(c))
		}
		return
	}
	b.loadArray(b.xArray[x], o.Index(1), 0, comps, out)
}

func (b *builder) loadArray(array int32, idx dxbc.Index, first uint32, comps []uint8, out []Lane) {
	n := b.f.Arrays[array].N
	imm, rel, dynamic := b.index(idx)
	v := Value{Op: OpArrayLoad, N: n, Reg: -1, Res: array, Samp: -1, Imm: [4]uint32{imm - first}, Args: []Arg{{}}}
	if dynamic {
		v.Args[0] = Scalar(rel)
	}
	id := b.value(v)
	for k, c := range comps {
		if c >= n {
			out[k] = Lane{V: b.undef}
			continue
		}
		out[k] = Lane{id, c}
	}
}

func (b *builder) readCB(o *dxbc.Operand, comps []uint8, out []Lane) {
	last := int(o.NumIndex) - 1
	if last < 1 {
		b.fail(codeOperand, "constant buffer operand with %d indices", o.NumIndex)
		b.fill(out)
		return
	}
	if last == 1 {
		if _, sel, dynamic := b.index(o.Index(0)); dynamic {
			b.readAnyCB(o, sel, comps, out)
			return
		}
	} else if _, _, dynamic := b.index(o.Index(1)); dynamic {
		b.readCBRange(o, last, comps, out)
		return
	}
	r, ok := b.resource(b.cbs, o)
	if !ok {
		b.fill(out)
		return
	}
	imm, rel, dynamic := b.index(o.Index(last))
	v := b.row(r, imm, rel, dynamic)
	for i, c := range comps {
		out[i] = Lane{v, c}
	}
}

// row is a row of a constant buffer; at a constant index it is a leaf.
func (b *builder) row(r int32, imm uint32, rel Lane, dynamic bool) ValueID {
	res := &b.f.Resources[r]
	res.Used, res.Read = true, true
	if dynamic {
		res.Dynamic = true
		return b.value(Value{Op: OpCBLoad, N: 4, Reg: -1, Res: r, Samp: -1, Imm: [4]uint32{imm}, Args: []Arg{Scalar(rel), {}}})
	}
	k := rowKey{r, imm}
	v, ok := b.rows[k]
	if !ok {
		v = b.leaf(Value{Op: OpCBLoad, N: 4, Reg: -1, Instr: -1, Res: r, Imm: [4]uint32{imm}, Args: []Arg{{}, {}}})
		b.rows[k] = v
	}
	return v
}

// readAnyCB reads a row of whichever declared buffer a register chooses; a slot
// that is not declared reads as zero.
func (b *builder) readAnyCB(o *dxbc.Operand, sel Lane, comps []uint8, out []Lane) {
	imm, rel, dynamic := b.index(o.Index(1))
	zero := b.constant(0)
	for i := range out {
		out[i] = zero
	}
	for _, slot := range sortedKeys(b.cbs) {
		v := b.row(b.cbs[slot], imm, rel, dynamic)
		is := b.pure(OpIEq, 1, Scalar(sel), Scalar(b.constant(slot-o.Index(0).Imm)))
		n := len(comps)
		var c, t, e Arg
		c.N, t.N, e.N = uint8(n), uint8(n), uint8(n)
		for i := range comps {
			c.Lanes[i], t.Lanes[i], e.Lanes[i] = Lane{V: is}, Lane{v, comps[i]}, out[i]
		}
		s := b.pure(OpSelect, uint8(n), c, t, e)
		for i := range out {
			out[i] = Lane{s, uint8(i)}
		}
	}
}

// readThis reads what the application binds to interface slots.
func (b *builder) readThis(o *dxbc.Operand, comps []uint8, out []Lane) {
	b.fill(out)
	if b.classes == nil || o.NumIndex == 0 {
		b.fail(codeFcall, "this is read and no class is chosen")
		return
	}
	zero := b.constant(0)
	for i := range out {
		out[i] = zero
	}
	imm, rel, dynamic := b.index(o.Index(0))
	words := func(slot uint32) ([4]uint32, bool) {
		w, ok := b.classes.This(slot)
		if !ok {
			b.fail(codeFcall, "interface slot %d has no chosen class", slot)
		}
		return w, ok
	}
	if !dynamic {
		if w, ok := words(imm); ok {
			for i, c := range comps {
				out[i] = b.constant(w[c])
			}
		}
		return
	}
	for slot := imm; slot < min(b.classes.Slots(), imm+maxDynamic); slot++ {
		w, ok := words(slot)
		if !ok {
			return
		}
		is := b.pure(OpIEq, 1, Scalar(rel), Scalar(b.constant(slot-imm)))
		for i, c := range comps {
			v := b.pure(OpSelect, 1, Scalar(Lane{V: is}), Scalar(b.constant(w[c])), Scalar(out[i]))
			out[i] = Lane{V: v}
		}
	}
}

// readCBRange reads a buffer that a register chooses among those of its range.
func (b *builder) readCBRange(o *dxbc.Operand, last int, comps []uint8, out []Lane) {
	sel, idx := o.Index(last-1), o.Index(last)
	var r int32
	if last == 2 {
		base, ok := b.cbs[o.Index(0).Imm]
		if !ok || b.f.Resources[base].Count == 0 {
			b.fail(codeDynamicResource, "constant buffer of range %d is chosen by a register", o.Index(0).Imm)
			b.fill(out)
			return
		}
		r = base
		for i := range int32(b.f.Resources[base].Count) {
			b.f.Resources[base+i].Used, b.f.Resources[base+i].Read, b.f.Resources[base+i].Dynamic = true, true, true
		}
	}
	v := Value{Op: OpCBLoad, N: 4, Reg: -1, Res: r, Samp: -1, Imm: [4]uint32{idx.Imm, sel.Imm - b.f.Resources[r].Register}, Args: []Arg{{}, Scalar(b.readLane(sel.Rel, 0, 'u'))}}
	if idx.Rel != nil {
		v.Args[0] = Scalar(b.readLane(idx.Rel, 0, 'u'))
	}
	id := b.value(v)
	for i, c := range comps {
		out[i] = Lane{id, c}
	}
}

func (b *builder) readICB(o *dxbc.Operand, comps []uint8, out []Lane) {
	imm, rel, dynamic := b.index(o.Index(0))
	if !dynamic {
		for k, c := range comps {
			bits := uint32(0)
			if imm < uint32(len(b.f.ICB)) {
				bits = b.f.ICB[imm][c]
			}
			out[k] = b.constant(bits)
		}
		return
	}
	v := b.value(Value{Op: OpICBLoad, N: 4, Reg: -1, Res: -1, Samp: -1, Imm: [4]uint32{imm}, Args: []Arg{Scalar(rel)}})
	for k, c := range comps {
		out[k] = Lane{v, c}
	}
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
			case sOp:
				vs = b.destinations(vs, &b.p.Instrs[s.instr])
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
