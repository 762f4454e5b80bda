package ir

import (
	"fxlens/core/dxbc"
)

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
