package ir

import (
	"context"
	"strings"

	"fxlens/core/dxbc"
)

// declare reads the declarations into resources, arrays, inputs and outputs.
func (b *builder) declare() {
	f, p := b.f, b.p
	b.sm51 = p.Major == 5 && p.Minor >= 1
	switch p.Kind {
	case dxbc.Vertex, dxbc.Pixel, dxbc.Compute:
	default:
		b.instr = -1
		b.fail(codeStage, "%s program", stageWord(p.Kind))
		return
	}
	if s := f.Shader.In; s != nil {
		for _, e := range s.Elements {
			b.addElem(&f.Inputs, &b.inIndex, e, false)
		}
	}
	if s := f.Shader.Out; s != nil {
		for _, e := range s.Elements {
			b.addElem(&f.Outputs, &b.outIndex, e, true)
		}
	}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		b.instr = int32(i)
		if in.Op == dxbc.OpCustomdata {
			f.Fates[i] = FateDecl
			if in.Custom != nil && in.Custom.Class == dxbc.CustomICB {
				for w := in.Custom.Words; len(w) >= 4; w = w[4:] {
					f.ICB = append(f.ICB, [4]uint32(w[:4]))
				}
			}
			continue
		}
		if !in.Op.Has(dxbc.FlagDecl) || in.Decl == nil {
			continue
		}
		f.Fates[i] = FateDecl
		d := in.Decl
		switch in.Op {
		case dxbc.OpDclTemps:
			b.tempVars = int32(min(word(d, 0), 4096)) * 4
		case dxbc.OpDclIndexableTemp:
			if len(d.Words) < 3 || d.Words[1] == 0 || d.Words[1] > 4096 || d.Words[2] < 1 || d.Words[2] > 4 {
				b.fail(codeOperand, "indexable temp declared with %v", d.Words)
				continue
			}
			b.xDecl[d.Words[0]] = [2]uint32{d.Words[1], d.Words[2]}
		case dxbc.OpDclGlobalFlags:
			f.EarlyDepth = d.Flags&dxbc.GlobalForceEarlyDepthStencil != 0
		case dxbc.OpDclThreadGroup:
			f.ThreadGroup = [3]uint32{word(d, 0), word(d, 1), word(d, 2)}
		case dxbc.OpDclConstantbuffer:
			b.addResource(b.cbs, in, Resource{Class: CBuffer, Size: d.Size})
		case dxbc.OpDclSampler:
			b.addResource(b.samps, in, Resource{Class: Sampler, Comparison: d.SamplerMode == 1})
		case dxbc.OpDclResource:
			b.addResource(b.srvs, in, Resource{Class: SRV, Dim: d.Dim, Return: d.Return, Samples: d.Samples})
		case dxbc.OpDclResourceRaw:
			b.addResource(b.srvs, in, Resource{Class: SRV, Dim: dxbc.DimRawBuffer})
		case dxbc.OpDclResourceStructured:
			b.addResource(b.srvs, in, Resource{Class: SRV, Dim: dxbc.DimStructuredBuffer, Stride: d.Stride})
		case dxbc.OpDclUavTyped:
			b.addResource(b.uavs, in, Resource{Class: UAV, Dim: d.Dim, Return: d.Return, Coherent: d.Coherent, Ordered: d.Ordered})
		case dxbc.OpDclUavRaw:
			b.addResource(b.uavs, in, Resource{Class: UAV, Dim: dxbc.DimRawBuffer, Coherent: d.Coherent, Ordered: d.Ordered})
		case dxbc.OpDclUavStructured:
			b.addResource(b.uavs, in, Resource{Class: UAV, Dim: dxbc.DimStructuredBuffer, Stride: d.Stride, Coherent: d.Coherent, Ordered: d.Ordered})
		case dxbc.OpDclTgsmRaw:
			b.addResource(b.tgsm, in, Resource{Class: GroupShared, Dim: dxbc.DimRawBuffer, Size: d.Size})
		case dxbc.OpDclTgsmStructured:
			if uint64(d.Stride)*uint64(d.Size) > 1<<16 || d.Stride == 0 {
				b.fail(codeOperand, "groupshared array of %d elements of %d bytes", d.Size, d.Stride)
				continue
			}
			b.addResource(b.tgsm, in, Resource{Class: GroupShared, Dim: dxbc.DimStructuredBuffer, Stride: d.Stride, Size: d.Stride * d.Size})
		case dxbc.OpDclInput, dxbc.OpDclInputSgv, dxbc.OpDclInputSiv, dxbc.OpDclInputPs, dxbc.OpDclInputPsSgv, dxbc.OpDclInputPsSiv:
			b.declareIO(&f.Inputs, &b.inIndex, in, false)
		case dxbc.OpDclOutput, dxbc.OpDclOutputSgv, dxbc.OpDclOutputSiv:
			b.declareIO(&f.Outputs, &b.outIndex, in, true)
		case dxbc.OpDclIndexrange:
			b.indexRange(in)
		}
	}
	b.instr = -1
}

func stageWord(k dxbc.ProgramKind) string {
	return map[dxbc.ProgramKind]string{dxbc.Geometry: "geometry", dxbc.Hull: "hull", dxbc.Domain: "domain"}[k]
}

func word(d *dxbc.Decl, i int) uint32 {
	if i < len(d.Words) {
		return d.Words[i]
	}
	return 0
}

// specialReg is the register type of a signature element that has no o# or v#.
func specialReg(sys uint32) dxbc.RegType {
	switch sys {
	case dxbc.SysDepth:
		return dxbc.RegOutputDepth
	case dxbc.SysCoverage:
		return dxbc.RegOutputCoverageMask
	case dxbc.SysDepthGE:
		return dxbc.RegOutputDepthGE
	case dxbc.SysDepthLE:
		return dxbc.RegOutputDepthLE
	case dxbc.SysStencilRef:
		return dxbc.RegOutputStencilRef
	case dxbc.SysInnerCoverage:
		return dxbc.RegInnerCoverage
	}
	return dxbc.RegNull
}

func (b *builder) addElem(list *[]Elem, index *elemIndex, e dxbc.SigElement, out bool) {
	el := Elem{Semantic: e.Name, Index: e.Index, Register: e.Register, Mask: e.Mask & 15, SysValue: e.SysValue,
		CompType: e.CompType, Min: e.Min, Instr: -1, Stream: e.Stream, RegType: dxbc.RegInput}
	if out {
		el.RegType = dxbc.RegOutput
	}
	if e.Register == dxbc.NoRegister {
		el.RegType = specialReg(e.SysValue)
		if !out && e.SysValue == dxbc.SysCoverage {
			el.RegType = dxbc.RegInputCoverage
		}
		el.Mask = 1
	}
	if el.Mask == 0 {
		return
	}
	n := len(*list)
	*list = append(*list, el)
	num := e.Register
	if num == dxbc.NoRegister {
		num = 0
	}
	for c := uint8(0); c < 4; c++ {
		if el.Mask>>c&1 != 0 {
			k := outKey{el.RegType, num, c}
			if _, dup := index.get(k); !dup {
				index.set(k, n)
			}
		}
	}
}

// declareIO enters a dcl_input or dcl_output: it marks the signature elements
// that it covers as declared, and makes elements for what no signature has.
func (b *builder) declareIO(list *[]Elem, index *elemIndex, in *dxbc.Instr, out bool) {
	if len(in.Operands) == 0 {
		return
	}
	o := &in.Operands[0]
	num := uint32(0)
	if o.NumIndex > 0 {
		num = o.Index(0).Imm
	}
	mask := o.Mask
	if o.Mode != dxbc.CompMask {
		mask = 1
	}
	var missing uint8
	for c := uint8(0); c < 4; c++ {
		if mask>>c&1 == 0 {
			continue
		}
		i, ok := index.get(outKey{o.Reg, num, c})
		if !ok {
			missing |= 1 << c
			continue
		}
		e := &(*list)[i]
		if !out {
			e.Used |= 1 << c
			if in.Decl.Interp != dxbc.InterpUndefined {
				e.Interp = in.Decl.Interp
			}
		}
		if e.SysValue == 0 && in.Decl.SysName != 0 && in.Decl.SysName <= dxbc.SysSampleIndex {
			e.SysValue = in.Decl.SysName
		}
		if e.Instr < 0 {
			e.Instr = b.instr
		}
	}
	if missing == 0 {
		return
	}
	el := Elem{Register: num, RegType: o.Reg, Mask: missing, Instr: b.instr, Interp: in.Decl.Interp, SysValue: min(in.Decl.SysName, 11), Min: o.Min, CompType: 3}
	switch o.Reg {
	case dxbc.RegInput, dxbc.RegOutput:
		el.Semantic = strings.ToUpper(o.Reg.String())
		el.Index = num
	default:
		el.Register = dxbc.NoRegister
		if name, sys, compType, ok := o.Reg.Special(); ok {
			el.Semantic, el.SysValue, el.CompType = name, sys, compType
		} else {
			el.Semantic, el.SysValue, el.CompType = o.Reg.String(), 0, 1
		}
	}
	if !out {
		el.Used = missing
	}
	n := len(*list)
	*list = append(*list, el)
	for c := uint8(0); c < 4; c++ {
		if missing>>c&1 != 0 {
			index.set(outKey{o.Reg, num, c}, n)
		}
	}
}

// addResource enters a resource declaration; a finite SM5.1 range becomes one
// resource per register, an unbounded one a single resource with Count 0.
func (b *builder) addResource(m map[uint32]int32, in *dxbc.Instr, r Resource) {
	if len(in.Operands) == 0 {
		b.fail(codeOperand, "declaration without a register")
		return
	}
	id, lower, upper := in.Range()
	r.Instr, r.Space, r.RangeID, r.Count = b.instr, in.Decl.Space, id, 1
	if _, dup := m[id]; dup {
		b.fail(codeOperand, "%s%d is declared twice", in.Operands[0].Reg, id)
		return
	}
	m[id] = int32(len(b.f.Resources))
	if upper == 0xFFFFFFFF {
		r.Count = 0
		r.Register = lower
		b.name(&r)
		b.f.Resources = append(b.f.Resources, r)
		return
	}
	if upper < lower || upper-lower >= 1024 {
		b.fail(codeOperand, "range of registers %d to %d", lower, upper)
		return
	}
	for n := lower; ; n++ {
		r.Register = n
		r.Count = upper - lower + 1
		e := r
		b.name(&e)
		b.f.Resources = append(b.f.Resources, e)
		if n == upper {
			break
		}
	}
}

// name looks the resource up in RDEF.
func (b *builder) name(r *Resource) {
	rd := b.f.Shader.RDEF
	if rd == nil {
		return
	}
	for i := range rd.Bindings {
		bd := &rd.Bindings[i]
		if bindingClass(bd.Type) != r.Class || bd.Space != r.Space || r.Register < bd.Bind {
			continue
		}
		if r.Class == GroupShared {
			return
		}
		if n := r.Register - bd.Bind; bd.Count == 0 || n < bd.Count {
			r.Name = bd.Name
			return
		}
	}
}

// bindingClass maps an RDEF binding type to the class of the resource.
func bindingClass(t dxbc.InputType) Class {
	switch t {
	case 0:
		return CBuffer
	case 3:
		return Sampler
	case 1, 2, 5, 7:
		return SRV
	}
	return UAV
}

func (b *builder) xInstr(x uint32) int32 {
	for i := range b.p.Instrs {
		in := &b.p.Instrs[i]
		if in.Op == dxbc.OpDclIndexableTemp && in.Decl != nil && word(in.Decl, 0) == x {
			return int32(i)
		}
	}
	return -1
}

func (b *builder) indexRange(in *dxbc.Instr) {
	if len(in.Operands) == 0 {
		return
	}
	o := &in.Operands[0]
	if o.NumIndex == 0 {
		return
	}
	first, count := o.LastIndex().Imm, word(in.Decl, 0)
	if count == 0 || count > 64 || first > 64 {
		b.fail(codeOperand, "index range of %d registers from %d", count, first)
		return
	}
	r := arrayRange{first, count, -1}
	switch o.Reg {
	case dxbc.RegInput:
		b.inArray = append(b.inArray, r)
	case dxbc.RegOutput:
		b.outArray = append(b.outArray, r)
	}
}

// dynamicArrays finds the x# that an instruction indexes by a register, and
// makes arrays of the input and output ranges that are.
func (b *builder) dynamicArrays() map[uint32]bool {
	var dyn map[uint32]bool
	var visit func(o *dxbc.Operand)
	visit = func(o *dxbc.Operand) {
		for i := 0; i < int(o.NumIndex); i++ {
			rel := o.Index(i).Rel
			if rel == nil {
				continue
			}
			visit(rel)
			switch o.Reg {
			case dxbc.RegIndexableTemp:
				if i == 1 {
					if dyn == nil {
						dyn = map[uint32]bool{}
					}
					dyn[o.Index(0).Imm] = true
				}
			case dxbc.RegInput:
				b.makeArray(b.inArray, o.Index(i).Imm, InputArray)
			case dxbc.RegOutput:
				b.makeArray(b.outArray, o.Index(i).Imm, OutputArray)
			}
		}
	}
	for i := range b.p.Instrs {
		in := &b.p.Instrs[i]
		if in.Op.Has(dxbc.FlagDecl) {
			continue
		}
		for j := range in.Operands {
			visit(&in.Operands[j])
		}
	}
	return dyn
}

func (b *builder) makeArray(ranges []arrayRange, reg uint32, class ArrayClass) {
	for i := range ranges {
		r := &ranges[i]
		if reg >= r.first && reg < r.first+r.count && r.array < 0 {
			r.array = int32(len(b.f.Arrays))
			b.f.Arrays = append(b.f.Arrays, Array{Class: class, Index: r.first, Len: r.count, N: 4, Instr: -1})
		}
	}
}

// arrayOf returns the array that holds register reg, if the program indexes it.
func arrayOf(ranges []arrayRange, reg uint32) (array int32, first uint32, ok bool) {
	for _, r := range ranges {
		if r.array >= 0 && reg >= r.first && reg < r.first+r.count {
			return r.array, r.first, true
		}
	}
	return -1, 0, false
}

// Declarations reads what a program declares and none of its code: inputs, outputs,
// resources, arrays. The function has no regions, and of its resources it does not say
// what the program does with them. It serves those who execute programs that [Build]
// refuses; what is wrong with a declaration is left out and for Build to say.
func Declarations(ctx context.Context, s *dxbc.Shader) *Function {
	p := s.Program
	f := &Function{Shader: s, Program: p, Kind: p.Kind, Fates: make([]Fate, len(p.Instrs))}
	b := newBuilder(ctx, f)
	defer b.release()
	b.declare()
	return f
}
