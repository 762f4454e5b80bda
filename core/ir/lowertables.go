package ir

import (
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
