package dxbc

import (
	"sync"

	"fxlens/core/diag"
)

// operand checks operand j and the registers inside its indices.
func (c *checker) operand(i int, in *Instr, j int) {
	o := &in.Operands[j]
	dst := j < int(in.NumDst)
	c.encoding(i, o)
	switch {
	case dst && (o.Mode == CompSwizzle || o.Mode == CompSelect):
		c.add(diag.Error, codeOperand, i, "destination %s has a swizzle, not a mask", o.Reg)
	case !dst && o.Mode == CompMask && o.Reg != RegImmediate32 && o.Reg != RegImmediate64:
		c.add(diag.Warning, codeOperand, i, "source %s has a mask, not a swizzle", o.Reg)
	case dst && (o.Mod != ModNone || o.Reg == RegImmediate32 || o.Reg == RegImmediate64):
		c.add(diag.Error, codeOperand, i, "destination %s cannot be written to or has a modifier", o.Reg)
	}
	c.register(i, o)
}

func (c *checker) encoding(i int, o *Operand) {
	if o.Mod > ModNegAbs {
		c.add(diag.Error, codeEncoding, i, "operand modifier %d has no meaning", o.Mod)
	}
	if o.Min == 3 || o.Min > Min16U {
		c.add(diag.Error, codeEncoding, i, "minimum precision %d has no meaning", o.Min)
	}
	for k := range int(o.NumIndex) {
		if r := o.Index(k).Rep; r == 1 || r == 4 {
			c.add(diag.Error, codeEncoding, i, "%s has a 64-bit index", o.Reg)
		}
	}
}

// indices gives the number of indices that operands of a register file have.
func (c *checker) indices(r RegType) (least, most uint8) {
	switch r {
	case RegTemp, RegImmediateConstantBuffer, RegLabel, RegFunctionBody, RegStream, RegGroupShared, RegPatchConstant, RegThis:
		return 1, 1
	case RegIndexableTemp, RegInputControlPoint, RegOutputControlPoint, RegInterface:
		return 2, 2
	case RegInput, RegOutput:
		return 1, 2
	case RegConstantBuffer:
		if c.p.SM51() {
			return 3, 3
		}
		return 2, 2
	case RegSampler, RegResource, RegUAV:
		if c.p.SM51() {
			return 2, 2
		}
		return 1, 1
	case RegFunctionTable, RegFunctionInput, RegFunctionOutput:
		return 0, 3
	}
	return 0, 0
}

func (c *checker) register(i int, o *Operand) {
	for k := range int(o.NumIndex) {
		if r := o.Index(k).Rel; r != nil {
			if r.Reg != RegTemp && r.Reg != RegIndexableTemp {
				c.add(diag.Warning, codeOperand, i, "an index of %s is relative to %s, not to a temporary", o.Reg, r.Reg)
			}
			c.encoding(i, r)
			c.register(i, r)
		}
	}
	if least, most := c.indices(o.Reg); o.NumIndex < least || o.NumIndex > most {
		c.add(diag.Error, codeOperand, i, "%s has %d indices, not %d", o.Reg, o.NumIndex, least)
		return
	}
	first := o.Index(0)
	s := c.cur
	switch o.Reg {
	case RegTemp:
		if first.Rel == nil && first.Imm >= s.temps {
			c.add(diag.Error, codeUndeclared, i, "r%d is used, %d temporaries are declared", first.Imm, s.temps)
		}
	case RegIndexableTemp:
		a, ok := s.arrays[first.Imm]
		switch {
		case !ok:
			c.add(diag.Error, codeUndeclared, i, "x%d is not declared", first.Imm)
		case o.Index(1).Rel == nil && o.Index(1).Imm >= a[0]:
			c.add(diag.Error, codeIndexRange, i, "x%d[%d]: %d elements are declared", first.Imm, o.Index(1).Imm, a[0])
		}
	case RegInput, RegOutput, RegInputControlPoint, RegOutputControlPoint, RegPatchConstant:
		c.numbered(i, o)
	case RegConstantBuffer:
		if first.Rel != nil { // a method reads what its instance names
			return
		}
		in := c.bound[regKey{o.Reg, first.Imm}]
		if in == nil {
			c.add(diag.Error, codeUndeclared, i, "cb%d is not declared", first.Imm)
			return
		}
		c.inRange(i, in, o)
		row := o.LastIndex()
		if row.Rel == nil && in.Decl.Size > 0 && row.Imm >= in.Decl.Size {
			c.add(diag.Warning, codeIndexRange, i, "cb%d[%d]: %d rows are declared", first.Imm, row.Imm, in.Decl.Size)
		}
		if row.Rel != nil && !in.Decl.Dynamic {
			c.add(diag.Warning, codeIndexRange, i, "cb%d is indexed at run time and declared immediateIndexed", first.Imm)
		}
	case RegSampler, RegResource, RegUAV, RegGroupShared:
		if first.Rel != nil {
			return
		}
		in := c.bound[regKey{o.Reg, first.Imm}]
		if in == nil {
			c.add(diag.Error, codeUndeclared, i, "%s%d is not declared", o.Reg, first.Imm)
			return
		}
		if o.Reg != RegGroupShared {
			c.inRange(i, in, o)
		}
	case RegImmediateConstantBuffer:
		switch {
		case c.icb < 0:
			c.add(diag.Error, codeUndeclared, i, "the program has no immediate constant buffer")
		case first.Rel == nil && int64(first.Imm) >= int64(c.icb):
			c.add(diag.Error, codeIndexRange, i, "icb[%d]: the immediate constant buffer has %d rows", first.Imm, c.icb)
		}
	case RegLabel, RegFunctionBody, RegInterface, RegFunctionTable:
		if !c.labels[regKey{o.Reg, first.Imm}] {
			c.add(diag.Error, codeUndeclared, i, "%s%d is not defined", o.Reg, first.Imm)
		}
	case RegImmediate32, RegImmediate64, RegNull, RegRasterizer, RegThis, RegStream, RegFunctionInput, RegFunctionOutput:
	default:
		if !s.special[o.Reg] {
			c.add(diag.Error, codeUndeclared, i, "%s is not declared", o.Reg)
		}
	}
}

// inRange checks the register index of a 5.1 operand against its range.
func (c *checker) inRange(i int, in *Instr, o *Operand) {
	if !c.p.SM51() || o.Index(1).Rel != nil {
		return
	}
	id, lo, hi := in.Range()
	if r := o.Index(1).Imm; r < lo || r > hi {
		c.add(diag.Error, codeIndexRange, i, "%s%d[%d]: the range holds %d to %d", o.Reg, id, r, lo, hi)
	}
}

// numbered checks an input or output register against its declarations.
func (c *checker) numbered(i int, o *Operand) {
	x := o.LastIndex()
	if o.NumIndex == 2 && o.Index(0).Rel == nil && c.vertices > 0 && o.Reg != RegOutput && o.Reg != RegOutputControlPoint && o.Index(0).Imm >= c.vertices {
		c.add(diag.Error, codeIndexRange, i, "%s[%d]: there are %d vertices", o.Reg, o.Index(0).Imm, c.vertices)
	}
	if x.Rel != nil {
		for _, r := range c.cur.ranges {
			if r.file == o.Reg && x.Imm >= r.first && uint64(x.Imm) < uint64(r.first)+uint64(r.count) {
				return
			}
		}
		c.add(diag.Error, codeIndexRange, i, "%s is indexed at run time from %d on, where no index range is declared", o.Reg, x.Imm)
		return
	}
	have := c.cur.masks[regKey{o.Reg, x.Imm}]
	if missing := o.written() &^ have; missing != 0 && (have == 0 || o.Mode != CompNone) {
		c.add(diag.Error, codeUndeclared, i, "%s%d.%s is not declared", o.Reg, x.Imm, maskText(missing))
	}
}

// resource checks the operands that name memory, textures and samplers against
// the letters of the table and the kind of their declaration.
func (c *checker) resource(i int, in *Instr, row *OpInfo) {
	letters := row.Out + row.In
	for j := range in.Operands {
		o := &in.Operands[j]
		var files []RegType
		switch letters[j] {
		case 't':
			files = []RegType{RegResource}
			if in.Op == OpResinfo {
				files = append(files, RegUAV)
			}
		case 's':
			files = []RegType{RegSampler}
		case 'U':
			files = []RegType{RegUAV}
		case 'W':
			files = []RegType{RegUAV, RegGroupShared}
		case 'M':
			files = []RegType{RegResource, RegUAV, RegGroupShared}
		case 'B':
			files = []RegType{RegResource, RegUAV}
		case 'R':
			files = []RegType{RegResource, RegRasterizer}
		case 'l':
			files = []RegType{RegLabel, RegFunctionBody}
		case 'o':
			files = []RegType{RegStream}
		case 'p':
			files = []RegType{RegInterface}
		default:
			continue
		}
		if !containsReg(files, o.Reg) {
			c.add(diag.Error, codeOperand, i, "%s takes %s here, not %s", in.Op, regList(files), o.Reg)
			continue
		}
		d := c.bound[regKey{o.Reg, o.Index(0).Imm}]
		if d == nil || o.Index(0).Rel != nil {
			continue
		}
		c.kind(i, in, o, d)
	}
}

func containsReg(files []RegType, r RegType) bool {
	for _, f := range files {
		if f == r {
			return true
		}
	}
	return false
}

func regList(files []RegType) string {
	s := ""
	for i, f := range files {
		if i > 0 {
			s += " or "
		}
		s += f.String()
	}
	return s
}

// kindOf maps memory instructions to the declarations that they may address.
var kindOf = sync.OnceValue(func() map[Op][]Op {
	return map[Op][]Op{
		OpLd: {OpDclResource}, OpLdS: {OpDclResource}, OpLdms: {OpDclResource}, OpLdmsS: {OpDclResource},
		OpLdUavTyped: {OpDclUavTyped}, OpLdUavTypedS: {OpDclUavTyped}, OpStoreUavTyped: {OpDclUavTyped},
		OpLdRaw:           {OpDclResourceRaw, OpDclUavRaw, OpDclTgsmRaw},
		OpLdRawS:          {OpDclResourceRaw, OpDclUavRaw, OpDclTgsmRaw},
		OpStoreRaw:        {OpDclUavRaw, OpDclTgsmRaw},
		OpLdStructured:    {OpDclResourceStructured, OpDclUavStructured, OpDclTgsmStructured},
		OpLdStructuredS:   {OpDclResourceStructured, OpDclUavStructured, OpDclTgsmStructured},
		OpStoreStructured: {OpDclUavStructured, OpDclTgsmStructured},
		OpImmAtomicAlloc:  {OpDclUavStructured}, OpImmAtomicConsume: {OpDclUavStructured},
	}
})

func (c *checker) kind(i int, in *Instr, o *Operand, d *Instr) {
	if want := kindOf()[in.Op]; want != nil {
		ok := false
		for _, w := range want {
			ok = ok || d.Op == w
		}
		if !ok {
			c.add(diag.Error, codeOperand, i, "%s addresses %s%d, which is declared with %s", in.Op, o.Reg, o.Index(0).Imm, d.Op)
			return
		}
	}
	if o.Reg == RegSampler {
		compare := in.Op == OpSampleC || in.Op == OpSampleCLz || in.Op == OpGather4C || in.Op == OpGather4PoC || in.Op == OpSampleCLzS ||
			in.Op == OpSampleCClS || in.Op == OpGather4CS || in.Op == OpGather4PoCS
		if compare != (d.Decl.SamplerMode == 1) && in.Op != OpLod {
			c.add(diag.Warning, codeOperand, i, "%s uses s%d, which is declared with %s", in.Op, o.Index(0).Imm, pick(samplerModes[:], uint32(d.Decl.SamplerMode), "an unknown mode"))
		}
		return
	}
	if !in.HasDim() {
		return
	}
	dim, stride := d.Decl.Dim, uint32(0)
	switch d.Op {
	case OpDclResourceRaw, OpDclUavRaw:
		dim = DimRawBuffer
	case OpDclResourceStructured, OpDclUavStructured:
		dim, stride = DimStructuredBuffer, d.Decl.Stride
	}
	if in.Dim != dim || uint32(in.Stride) != stride&0xfff {
		c.add(diag.Warning, codeOperand, i, "%s says %s with stride %d of %s%d, which is declared as %s with stride %d",
			in.Op, in.Dim, in.Stride, o.Reg, o.Index(0).Imm, dim, stride)
	}
}
