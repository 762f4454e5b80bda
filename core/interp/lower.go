package interp

import (
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// laneOps are the instructions that compute each component alone. Their
// arithmetic is ir.EvalLane's.
var laneOps = map[dxbc.Op]ir.Op{
	dxbc.OpAdd: ir.OpFAdd, dxbc.OpAnd: ir.OpAnd, dxbc.OpDiv: ir.OpFDiv, dxbc.OpEq: ir.OpFEq, dxbc.OpExp: ir.OpFExp2,
	dxbc.OpFrc: ir.OpFFract, dxbc.OpFtoi: ir.OpFToI, dxbc.OpFtou: ir.OpFToU, dxbc.OpGe: ir.OpFGe, dxbc.OpIadd: ir.OpIAdd,
	dxbc.OpIeq: ir.OpIEq, dxbc.OpIge: ir.OpIGe, dxbc.OpIlt: ir.OpILt, dxbc.OpImad: ir.OpIMad, dxbc.OpImax: ir.OpIMax,
	dxbc.OpImin: ir.OpIMin, dxbc.OpIne: ir.OpINe, dxbc.OpIneg: ir.OpINeg, dxbc.OpIshl: ir.OpShl, dxbc.OpIshr: ir.OpIShr,
	dxbc.OpItof: ir.OpIToF, dxbc.OpLog: ir.OpFLog2, dxbc.OpLt: ir.OpFLt, dxbc.OpMad: ir.OpFMad, dxbc.OpMin: ir.OpFMin,
	dxbc.OpMax: ir.OpFMax, dxbc.OpMul: ir.OpFMul, dxbc.OpNe: ir.OpFNe, dxbc.OpNot: ir.OpNot, dxbc.OpOr: ir.OpOr,
	dxbc.OpRoundNe: ir.OpFRound, dxbc.OpRoundNi: ir.OpFFloor, dxbc.OpRoundPi: ir.OpFCeil, dxbc.OpRoundZ: ir.OpFTrunc,
	dxbc.OpRsq: ir.OpFRsq, dxbc.OpSqrt: ir.OpFSqrt, dxbc.OpUlt: ir.OpULt, dxbc.OpUge: ir.OpUGe, dxbc.OpUmad: ir.OpIMad,
	dxbc.OpUmax: ir.OpUMax, dxbc.OpUmin: ir.OpUMin, dxbc.OpUshr: ir.OpUShr, dxbc.OpUtof: ir.OpUToF, dxbc.OpXor: ir.OpXor,
	dxbc.OpRcp: ir.OpFRcp, dxbc.OpF32tof16: ir.OpF32ToF16, dxbc.OpF16tof32: ir.OpF16ToF32, dxbc.OpCountbits: ir.OpCountBits,
	dxbc.OpFirstbitHi: ir.OpFirstBitHi, dxbc.OpFirstbitLo: ir.OpFirstBitLo, dxbc.OpFirstbitShi: ir.OpFirstBitSHi,
	dxbc.OpUbfe: ir.OpUBfe, dxbc.OpIbfe: ir.OpIBfe, dxbc.OpBfi: ir.OpBfi, dxbc.OpBfrev: ir.OpBitReverse, dxbc.OpMsad: ir.OpMsad,
	dxbc.OpMovc: ir.OpSelect,
}

// pairOps compute two results of the same sources.
var pairOps = map[dxbc.Op][2]ir.Op{
	dxbc.OpSincos: {ir.OpFSin, ir.OpFCos}, dxbc.OpUdiv: {ir.OpUDiv, ir.OpUMod}, dxbc.OpImul: {ir.OpIMulHi, ir.OpIMul},
	dxbc.OpUmul: {ir.OpUMulHi, ir.OpIMul}, dxbc.OpUaddc: {ir.OpIAdd, ir.OpUAddCarry}, dxbc.OpUsubb: {ir.OpISub, ir.OpUSubBorrow},
}

var derivOps = map[dxbc.Op]ir.Op{
	dxbc.OpDerivRtx: ir.OpDerivX, dxbc.OpDerivRty: ir.OpDerivY,
	dxbc.OpDerivRtxCoarse: ir.OpDerivXCoarse, dxbc.OpDerivRtyCoarse: ir.OpDerivYCoarse,
	dxbc.OpDerivRtxFine: ir.OpDerivXFine, dxbc.OpDerivRtyFine: ir.OpDerivYFine,
}

var doubleOps = map[dxbc.Op]ir.Op{
	dxbc.OpDadd: ir.OpDAdd, dxbc.OpDmul: ir.OpDMul, dxbc.OpDfma: ir.OpDFma, dxbc.OpDdiv: ir.OpDDiv, dxbc.OpDrcp: ir.OpDRcp,
	dxbc.OpDmin: ir.OpDMin, dxbc.OpDmax: ir.OpDMax, dxbc.OpDeq: ir.OpDEq, dxbc.OpDne: ir.OpDNe, dxbc.OpDlt: ir.OpDLt,
	dxbc.OpDge: ir.OpDGe, dxbc.OpDtof: ir.OpDToF, dxbc.OpDtoi: ir.OpDToI, dxbc.OpDtou: ir.OpDToU,
	dxbc.OpFtod: ir.OpFToD, dxbc.OpItod: ir.OpIToD, dxbc.OpUtod: ir.OpUToD, dxbc.OpDmov: ir.OpSelect, dxbc.OpDmovc: ir.OpSelect,
}

var atomicOps = map[dxbc.Op]ir.AtomicOp{
	dxbc.OpAtomicAnd: ir.AtomicAnd, dxbc.OpAtomicOr: ir.AtomicOr, dxbc.OpAtomicXor: ir.AtomicXor, dxbc.OpAtomicCmpStore: ir.AtomicCmpExch,
	dxbc.OpAtomicIadd: ir.AtomicAdd, dxbc.OpAtomicImax: ir.AtomicIMax, dxbc.OpAtomicImin: ir.AtomicIMin, dxbc.OpAtomicUmax: ir.AtomicUMax,
	dxbc.OpAtomicUmin: ir.AtomicUMin, dxbc.OpImmAtomicIadd: ir.AtomicAdd, dxbc.OpImmAtomicAnd: ir.AtomicAnd, dxbc.OpImmAtomicOr: ir.AtomicOr,
	dxbc.OpImmAtomicXor: ir.AtomicXor, dxbc.OpImmAtomicExch: ir.AtomicExch, dxbc.OpImmAtomicCmpExch: ir.AtomicCmpExch,
	dxbc.OpImmAtomicImax: ir.AtomicIMax, dxbc.OpImmAtomicImin: ir.AtomicIMin, dxbc.OpImmAtomicUmax: ir.AtomicUMax, dxbc.OpImmAtomicUmin: ir.AtomicUMin,
}

// instr compiles the current instruction into c.cur.
func (c *compiler) instr() {
	in, d := c.cur, c.in
	info := d.Op.Info()
	if info.Flags&dxbc.FlagReserved != 0 {
		c.fail(ErrMalformed, "opcode %d is reserved", uint16(d.Op))
		return
	}
	if len(d.Operands) != len(info.Out)+len(info.In) {
		c.fail(ErrMalformed, "%d operands", len(d.Operands))
		return
	}
	in.nsrc = uint8(d.NumSrc())
	if op, ok := laneOps[d.Op]; ok {
		in.kind, in.op = kLane, op
		in.float = op.Info().Result == 'f'
		c.lane()
		return
	}
	if ops, ok := pairOps[d.Op]; ok {
		in.kind, in.op, in.op2 = kLane2, ops[0], ops[1]
		in.float = d.Op == dxbc.OpSincos
		mask := c.dest(0) | c.dest(1)
		for i := range int(in.nsrc) {
			in.src[i] = c.source(i, mask)
		}
		in.via = true
		return
	}
	if op, ok := derivOps[d.Op]; ok {
		in.kind, in.op, in.quads, in.float = kDeriv, op, true, true
		in.src[0] = c.source(0, c.dest(0))
		in.via = true
		return
	}
	if op, ok := doubleOps[d.Op]; ok {
		in.kind, in.op = kDouble, op
		c.dest(0)
		for i := range int(in.nsrc) {
			in.src[i] = c.source(i, 15)
		}
		in.via = true
		return
	}
	if a, ok := atomicOps[d.Op]; ok {
		in.kind, in.atomic = kAtomic, a
		mem := 0
		if len(info.Out) > 1 {
			c.dest(0)
			mem = 1
		}
		c.memory(d.Dst(mem))
		in.src[0] = c.source(0, c.addressMask())
		if a == ir.AtomicCmpExch {
			in.cmpRow, in.valRow[0] = c.scalar(1), c.scalar(2)
		} else {
			in.valRow[0] = c.scalar(1)
		}
		in.via = true
		return
	}
	if c.emits() {
		return
	}
	switch d.Op {
	case dxbc.OpNop, dxbc.OpDebugBreak, dxbc.OpAbort, dxbc.OpHsDecls:
	case dxbc.OpMov:
		in.kind, in.op = kMov, ir.OpSelect
		c.lane()
	case dxbc.OpSwapc:
		in.kind, in.via = kSwapc, true
		mask := c.dest(0) | c.dest(1)
		for i := range 3 {
			in.src[i] = c.source(i, mask)
		}
	case dxbc.OpDp2, dxbc.OpDp3, dxbc.OpDp4:
		in.kind, in.float, in.via = kDot, true, true
		in.n = map[dxbc.Op]uint8{dxbc.OpDp2: 2, dxbc.OpDp3: 3, dxbc.OpDp4: 4}[d.Op]
		c.dest(0)
		in.src[0], in.src[1] = c.source(0, 1<<in.n-1), c.source(1, 1<<in.n-1)
	case dxbc.OpCheckAccessFullyMapped:
		in.kind = kMapped
		c.dest(0)
		in.src[0] = c.source(0, 15)
		in.via = true
	case dxbc.OpSample, dxbc.OpSampleB, dxbc.OpSampleL, dxbc.OpSampleD, dxbc.OpSampleC, dxbc.OpSampleCLz, dxbc.OpSampleLS,
		dxbc.OpSampleCLzS, dxbc.OpSampleClS, dxbc.OpSampleBClS, dxbc.OpSampleDClS, dxbc.OpSampleCClS, dxbc.OpLod:
		c.sample()
	case dxbc.OpGather4, dxbc.OpGather4C, dxbc.OpGather4Po, dxbc.OpGather4PoC, dxbc.OpGather4S, dxbc.OpGather4CS, dxbc.OpGather4PoS, dxbc.OpGather4PoCS:
		c.gather()
	case dxbc.OpLd, dxbc.OpLdms, dxbc.OpLdS, dxbc.OpLdmsS, dxbc.OpLdUavTyped, dxbc.OpLdUavTypedS:
		in.kind, in.via = kLoad, true
		c.results()
		c.bind(d.Src(1))
		c.offsets()
		in.src[0] = c.source(0, 15)
		if d.Op == dxbc.OpLdms || d.Op == dxbc.OpLdmsS {
			in.src[1][0] = c.scalar(2)
		}
	case dxbc.OpLdRaw, dxbc.OpLdRawS, dxbc.OpLdStructured, dxbc.OpLdStructuredS:
		in.kind, in.via = kLoadMem, true
		c.results()
		mem := int(in.nsrc) - 1
		c.memory(d.Src(mem))
		in.swz = swizzle(d.Src(mem))
		in.src[0][0] = c.scalar(0)
		if mem == 2 {
			in.src[0][1] = c.scalar(1)
		}
	case dxbc.OpStoreRaw, dxbc.OpStoreStructured:
		in.kind = kStoreMem
		in.storeMask = d.Dst(0).Mask
		c.memory(d.Dst(0))
		in.src[0][0] = c.scalar(0)
		val := 1
		if d.Op == dxbc.OpStoreStructured {
			in.src[0][1] = c.scalar(1)
			val = 2
		}
		in.valRow = c.source(val, in.storeMask)
	case dxbc.OpStoreUavTyped:
		in.kind = kStoreTyped
		c.bind(d.Dst(0))
		in.src[0] = c.source(0, 15)
		in.valRow = c.source(1, 15)
	case dxbc.OpImmAtomicAlloc, dxbc.OpImmAtomicConsume:
		in.kind, in.via = kCounter, true
		c.dest(0)
		c.bind(d.Dst(1))
	case dxbc.OpResinfo:
		in.kind, in.via, in.result = kResInfo, true, d.ResInfo
		c.dest(0)
		c.bind(d.Src(1))
		in.src[0][0] = c.scalar(0)
	case dxbc.OpBufinfo:
		in.kind, in.via = kBufInfo, true
		c.dest(0)
		c.bind(d.Src(0))
	case dxbc.OpSampleinfo, dxbc.OpSamplepos:
		in.kind, in.via, in.result = kSampleInfo, true, d.ResInfo
		c.dest(0)
		if d.Op == dxbc.OpSamplepos {
			in.kind = kSamplePos
			in.src[0][0] = c.scalar(1)
		}
		if o := d.Src(0); o.Reg == dxbc.RegRasterizer {
			in.swz = swizzle(o)
		} else {
			c.bind(o)
		}
	case dxbc.OpEvalSnapped, dxbc.OpEvalSampleIndex, dxbc.OpEvalCentroid:
		in.kind, in.via, in.quads, in.float = kEval, true, true, true
		mask := c.dest(0)
		if d.Src(0).Reg != dxbc.RegInput || d.Src(0).Index(0).Imm >= ioRegs {
			c.fail(ErrMalformed, "%s is not an input", d.Src(0).Reg)
			return
		}
		in.input = int32(d.Src(0).Index(0).Imm)
		in.src[0] = c.source(0, mask)
		in.swz = swizzle(d.Src(0))
		switch d.Op {
		case dxbc.OpEvalSnapped:
			in.src[1] = c.source(1, 3)
		case dxbc.OpEvalSampleIndex:
			in.src[1][0] = c.scalar(1)
		}
	case dxbc.OpSync:
		in.kind, in.sync = kSync, d.Sync
	case dxbc.OpDiscard:
		in.kind = kDiscard
		in.src[0][0] = c.scalar(0)
	default:
		c.flow()
	}
}

// lane compiles an instruction whose components are computed alone.
func (c *compiler) lane() {
	in := c.cur
	mask := c.dest(0)
	for i := range int(in.nsrc) {
		in.src[i] = c.source(i, mask)
	}
	in.via = len(in.scatter) > 0
	// A component that was written must not be read by a later one.
	for k := range 4 {
		if in.dst[0][k] < 0 {
			continue
		}
		for m := k + 1; m < 4; m++ {
			for i := range int(in.nsrc) {
				if in.dst[0][m] >= 0 && in.src[i][m] == in.dst[0][k] {
					in.via = true
				}
			}
		}
	}
}

// results sets the destinations of a texture or memory read.
func (c *compiler) results() {
	c.dest(0)
	if c.in.Op.Has(dxbc.FlagFeedback) {
		if mask := c.dest(1); mask != 0 {
			for k := range 4 {
				if mask>>k&1 != 0 {
					c.cur.status = c.cur.dst[1][k]
				}
			}
		}
		c.cur.dst[1] = [4]int32{-1, -1, -1, -1}
	}
}

func swizzle(o *dxbc.Operand) [4]uint8 {
	switch o.Mode {
	case dxbc.CompSwizzle, dxbc.CompSelect:
		return o.Swizzle
	}
	return [4]uint8{0, 1, 2, 3}
}

// bind resolves the resource of the instruction.
func (c *compiler) bind(o *dxbc.Operand) {
	in := c.cur
	in.res, in.resReg, in.resRel = c.resourceOf(o)
	in.swz = swizzle(o)
}

// memory resolves raw, structured, typed or groupshared memory.
func (c *compiler) memory(o *dxbc.Operand) {
	if o.Reg == dxbc.RegGroupShared {
		s := c.tgsm[o.Index(0).Imm]
		if s == nil || o.Index(0).Rel != nil {
			c.fail(ErrMalformed, "g%d is not declared", o.Index(0).Imm)
			return
		}
		c.cur.shared = s
		c.cur.swz = swizzle(o)
		return
	}
	c.bind(o)
}

// addressMask is the components of an atomic's address.
func (c *compiler) addressMask() uint8 {
	in := c.cur
	switch {
	case in.shared != nil && in.shared.raw:
		return 1
	case in.shared != nil:
		return 3
	case in.res == nil:
		return 1
	case in.res.dim == dxbc.DimRawBuffer:
		return 1
	case in.res.dim == dxbc.DimStructuredBuffer:
		return 3
	}
	return 1<<coordinates(in.res.dim) - 1
}

func (c *compiler) offsets() {
	if c.in.HasOffs() {
		for i, o := range c.in.Offs {
			c.cur.offs[i] = int32(o)
		}
	}
}

// sampler resolves resource and sampler operands at source positions t and s.
func (c *compiler) sampler(t, s int) {
	c.bind(c.in.Src(t))
	if c.err != nil {
		return
	}
	c.cur.samp, c.cur.sampReg, c.cur.sampRel = c.resourceOf(c.in.Src(s))
}

func (c *compiler) sample() {
	in, d := c.cur, c.in
	in.kind, in.via, in.float = kSample, true, true
	c.results()
	c.sampler(1, 2)
	c.offsets()
	if c.err != nil {
		return
	}
	in.n = uint8(coordinates(in.res.dim))
	in.src[0] = c.source(0, 1<<in.n-1)
	nd, _ := dims(in.res.dim)
	rest := 3
	next := func() int32 { rest++; return c.scalar(rest - 1) }
	switch d.Op {
	case dxbc.OpLod:
		in.kind, in.quads = kLod, true
	case dxbc.OpSample, dxbc.OpSampleClS:
		in.quads = true
	case dxbc.OpSampleB, dxbc.OpSampleBClS:
		in.quads = true
		in.lodRow = next()
	case dxbc.OpSampleL, dxbc.OpSampleLS:
		in.sampleKind = lodExplicit
		in.lodRow = next()
	case dxbc.OpSampleD, dxbc.OpSampleDClS:
		in.sampleKind = lodGradient
		in.dxRow, in.dyRow = c.source(3, 1<<nd-1), c.source(4, 1<<nd-1)
		rest = 5
	case dxbc.OpSampleC, dxbc.OpSampleCClS:
		in.quads = true
		in.refRow = next()
	case dxbc.OpSampleCLz, dxbc.OpSampleCLzS:
		in.sampleKind = lodZero
		in.refRow = next()
	}
	switch d.Op {
	case dxbc.OpSampleClS, dxbc.OpSampleBClS, dxbc.OpSampleDClS, dxbc.OpSampleCClS:
		in.clampRow = next()
	}
}

func (c *compiler) gather() {
	in, d := c.cur, c.in
	in.kind, in.via, in.float = kGather, true, true
	in.offRow = [2]int32{-1, -1}
	c.results()
	c.offsets()
	t := 1
	switch d.Op {
	case dxbc.OpGather4Po, dxbc.OpGather4PoC, dxbc.OpGather4PoS, dxbc.OpGather4PoCS:
		o := c.source(1, 3)
		in.offRow = [2]int32{o[0], o[1]}
		t = 2
	}
	c.sampler(t, t+1)
	if c.err != nil {
		return
	}
	in.n = uint8(coordinates(in.res.dim))
	in.src[0] = c.source(0, 1<<in.n-1)
	if s := d.Src(t + 1); s.Mode == dxbc.CompSelect || s.Mode == dxbc.CompSwizzle {
		in.comp = int(s.Swizzle[0])
	}
	switch d.Op {
	case dxbc.OpGather4C, dxbc.OpGather4PoC, dxbc.OpGather4CS, dxbc.OpGather4PoCS:
		in.refRow = c.scalar(t + 2)
		in.comp = 0
	}
}

func (c *compiler) flow() {
	in, d := c.cur, c.in
	cond := func() { in.src[0][0] = c.scalar(0) }
	switch d.Op {
	case dxbc.OpIf:
		in.kind = kIf
		cond()
	case dxbc.OpElse:
		in.kind = kElse
	case dxbc.OpEndif:
		in.kind = kEndif
	case dxbc.OpLoop:
		in.kind = kLoop
	case dxbc.OpEndloop:
		in.kind = kEndloop
	case dxbc.OpSwitch:
		in.kind = kSwitch
		cond()
	case dxbc.OpCase:
		in.kind, in.fn = kCase, d.Src(0).Imm[0]
	case dxbc.OpDefault:
		in.kind, in.multi = kCase, true
	case dxbc.OpEndswitch:
		in.kind = kEndswitch
	case dxbc.OpBreak:
		in.kind = kBreak
	case dxbc.OpBreakc:
		in.kind = kBreak
		cond()
	case dxbc.OpContinue:
		in.kind = kContinue
	case dxbc.OpContinuec:
		in.kind = kContinue
		cond()
	case dxbc.OpRet:
		in.kind = kRet
	case dxbc.OpRetc:
		in.kind = kRet
		cond()
	case dxbc.OpLabel:
		in.kind = kLabel
		o := d.Src(0)
		c.p.labels[labelKey{o.Reg, o.Index(0).Imm}] = int32(len(c.p.insts))
	case dxbc.OpCall:
		in.kind, in.fn = kCall, d.Src(0).Index(0).Imm
	case dxbc.OpCallc:
		in.kind, in.fn = kCall, d.Src(1).Index(0).Imm
		cond()
	case dxbc.OpFcall:
		in.kind, in.fn = kFcall, d.FuncIndex
		o := d.Src(0)
		if o.NumIndex < 2 {
			c.fail(ErrMalformed, "interface operand with %d indices", o.NumIndex)
			return
		}
		in.iface, in.ifaceElem = o.Index(0).Imm, o.Index(1).Imm
		in.ifaceRel = c.relative(o.Index(1).Rel)
	default:
		c.fail(ErrUnsupported, "no execution of %s", d.Op)
	}
}
