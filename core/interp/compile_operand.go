package interp

import (
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// temp returns a scratch row.
func (c *compiler) temp() int32 {
	c.scratch++
	return scratchBase + c.scratch - 1
}

func (c *compiler) constant(k constKey) int32 {
	if r, ok := c.consts[k]; ok {
		return r
	}
	r := int32(constBase + len(c.p.consts))
	c.consts[k] = r
	c.p.consts = append(c.p.consts, constRow{word: k.word, res: k.res, reg: k.reg, elem: k.elem, comp: k.comp})
	return r
}

// relative returns the row with the value of a relative index.
func (c *compiler) relative(o *dxbc.Operand) int32 {
	if o == nil {
		return -1
	}
	return c.component(o, 0, modNone)
}

// component returns the row of slot k of a source operand, after its modifier.
func (c *compiler) component(o *dxbc.Operand, k int, mod modifier) int32 {
	comp := uint8(0)
	switch o.Mode {
	case dxbc.CompSwizzle, dxbc.CompSelect:
		comp = o.Swizzle[k]
	case dxbc.CompMask:
		comp = uint8(k)
	}
	row := c.register(o, comp, k)
	if row < 0 || mod == modNone {
		return row
	}
	// A fill that was just made for this operand takes the modifier along.
	if n := len(c.cur.fills); n > 0 && c.cur.fills[n-1].dst == row && c.cur.fills[n-1].mod == modNone {
		c.cur.fills[n-1].mod = mod
		return row
	}
	d := c.temp()
	c.cur.fills = append(c.cur.fills, fill{dst: d, kind: fillMove, row: row, rel: -1, rel2: -1, mod: mod})
	return d
}

// register returns the row of component comp of an operand; slot is where an
// immediate takes its word from.
func (c *compiler) register(o *dxbc.Operand, comp uint8, slot int) int32 {
	p := c.p
	idx := func(i int) uint32 { return o.Index(i).Imm }
	array := func(row, step, n int32, imm uint32, rel *dxbc.Operand, undo bool) int32 {
		r := c.relative(rel)
		d := c.temp()
		c.cur.fills = append(c.cur.fills, fill{dst: d, kind: fillArray, row: row, step: step, n: n, imm: imm, rel: r, rel2: -1, undo: undo})
		return d
	}
	if row, ok := c.wideRow(o, comp); ok {
		return row
	}
	switch o.Reg {
	case dxbc.RegTemp:
		if int64(idx(0)) >= int64(p.temps) || o.Index(0).Rel != nil {
			c.fail(ErrMalformed, "r%d of %d", idx(0), p.temps)
			return -1
		}
		return int32(idx(0))*4 + int32(comp)
	case dxbc.RegInput, dxbc.RegOutput:
		base, n := p.inRow, p.ins
		if o.Reg == dxbc.RegOutput {
			base, n = p.outRow, p.outs
		}
		i := max(int(o.NumIndex)-1, 0)
		if rel := o.Index(i).Rel; rel != nil {
			first, count := c.indexed(o.Reg, idx(i), n)
			return array(base+first*4+int32(comp), 4, count, idx(i)-uint32(first), rel, false)
		}
		if idx(i) >= uint32(n) {
			c.fail(ErrMalformed, "%s%d is not declared", o.Reg, idx(i))
			return -1
		}
		return base + int32(idx(i))*4 + int32(comp)
	case dxbc.RegIndexableTemp:
		x := p.arrays[idx(0)]
		if x == nil || int32(comp) >= x.comps {
			c.fail(ErrMalformed, "x%d is not declared, or has no component %d", idx(0), comp)
			return -1
		}
		if rel := o.Index(1).Rel; rel != nil {
			return array(x.row+int32(comp), x.comps, x.n, idx(1), rel, true)
		}
		if idx(1) >= uint32(x.n) {
			return c.constant(constKey{})
		}
		return x.row + int32(idx(1))*x.comps + int32(comp)
	case dxbc.RegImmediate32:
		w := o.Imm[slot]
		if o.Mode == dxbc.CompOne {
			w = o.Imm[0]
		}
		return c.constant(constKey{word: w})
	case dxbc.RegImmediate64:
		w := o.Imm[slot]
		if o.Mode == dxbc.CompOne {
			w = o.Imm[slot&1]
		}
		return c.constant(constKey{word: w})
	case dxbc.RegConstantBuffer:
		res := c.cbs[idx(0)]
		reg, row, relReg, relRow := idx(0), 1, o.Index(0).Rel, (*dxbc.Operand)(nil)
		if c.sm51 {
			row = 2
			if o.NumIndex > 1 {
				reg, relReg = idx(1), o.Index(1).Rel
			}
		}
		if int(o.NumIndex) <= row {
			c.fail(ErrMalformed, "constant buffer operand with %d indices", o.NumIndex)
			return -1
		}
		relRow = o.Index(row).Rel
		if res == nil && !(relReg != nil && !c.sm51) {
			c.fail(ErrMalformed, "cb%d is not declared", idx(0))
			return -1
		}
		if res == nil {
			res = &resource{class: ir.CBuffer, upper: 0xFFFFFFFF}
		}
		if relReg == nil && relRow == nil {
			return c.constant(constKey{res: res, reg: reg, elem: idx(row), comp: comp})
		}
		r2, r1 := c.relative(relReg), c.relative(relRow)
		d := c.temp()
		c.cur.fills = append(c.cur.fills, fill{dst: d, kind: fillCBuffer, imm: idx(row), rel: r1, rel2: r2, reg: reg, comp: comp, res: res, row: -1})
		return d
	case dxbc.RegImmediateConstantBuffer:
		if rel := o.Index(0).Rel; rel != nil {
			r := c.relative(rel)
			d := c.temp()
			c.cur.fills = append(c.cur.fills, fill{dst: d, kind: fillICB, imm: idx(0), rel: r, rel2: -1, comp: comp, row: -1})
			return d
		}
		if int64(idx(0)) < int64(len(p.icb)) {
			return c.constant(constKey{word: p.icb[idx(0)][comp]})
		}
		return c.constant(constKey{})
	case dxbc.RegThis:
		r := c.relative(o.Index(0).Rel)
		d := c.temp()
		c.cur.fills = append(c.cur.fills, fill{dst: d, kind: fillThis, imm: idx(0), rel: r, rel2: -1, comp: comp, row: -1})
		return d
	case dxbc.RegNull:
		return c.constant(constKey{})
	}
	if row, ok := p.special[o.Reg]; ok {
		return row + int32(comp)
	}
	c.fail(ErrUnsupported, "register %s as a source", o.Reg)
	return -1
}

// mod is the modifier of a source whose letter in OpInfo.In is t.
func mod(m dxbc.Modifier, t byte) modifier {
	switch {
	case m == dxbc.ModNone:
		return modNone
	case t == 'i' || t == 'u' || t == 'm':
		return modINeg
	case m == dxbc.ModNeg:
		return modFNeg
	case m == dxbc.ModAbs:
		return modFAbs
	}
	return modFNegAbs
}

// indexed is the range of registers that a register may choose among, starting at
// imm: that of the dcl_indexrange that holds it. Outside of it the choice is undefined.
func (c *compiler) indexed(reg dxbc.RegType, imm uint32, n int32) (first, count int32) {
	for i := range c.p.Shader.Program.Instrs {
		in := &c.p.Shader.Program.Instrs[i]
		if in.Op != dxbc.OpDclIndexrange || len(in.Operands) == 0 || in.Operands[0].Reg != reg || in.Decl == nil || len(in.Decl.Words) == 0 || in.Operands[0].NumIndex == 0 {
			continue
		}
		at, size := in.Operands[0].Index(int(in.Operands[0].NumIndex)-1).Imm, in.Decl.Words[0]
		if imm >= at && uint64(imm) < uint64(at)+uint64(size) && uint64(at)+uint64(size) <= uint64(n) {
			return int32(at), int32(size)
		}
	}
	return 0, n
}

// source fills the rows of source i for the slots in mask.
func (c *compiler) source(i int, mask uint8) [4]int32 {
	rows := [4]int32{-1, -1, -1, -1}
	o := c.in.Src(i)
	info := c.in.Op.Info()
	m := mod(o.Mod, info.In[i])
	seen := map[uint8]int32{}
	for k := range 4 {
		if mask>>k&1 == 0 {
			continue
		}
		comp := uint8(k) // immediates
		if o.Mode == dxbc.CompSwizzle || o.Mode == dxbc.CompSelect {
			comp = o.Swizzle[k]
		}
		if r, ok := seen[comp]; ok {
			rows[k] = r
			continue
		}
		if info.In[i] == 'd' && comp&1 == 0 { // the sign is in the high word
			rows[k] = c.component(o, k, modNone)
			seen[comp] = rows[k]
			continue
		}
		rows[k] = c.component(o, k, m)
		seen[comp] = rows[k]
	}
	return rows
}

// scalar is the row of slot 0 of source i.
func (c *compiler) scalar(i int) int32 { return c.source(i, 1)[0] }

// dest sets destination j and returns its mask. A result for an indexed register
// goes to scratch rows that are scattered afterwards.
func (c *compiler) dest(j int) uint8 {
	o := c.in.Dst(j)
	if o.Reg == dxbc.RegNull {
		return 0
	}
	mask := o.Mask
	if o.Mode == dxbc.CompOne || o.Mode == dxbc.CompNone {
		mask = 1
	} else if o.Mode == dxbc.CompSelect {
		mask = 1 << o.Swizzle[0]
	} else if o.Mode == dxbc.CompSwizzle {
		mask = 15
	}
	in := c.cur
	for k := range int32(4) {
		if mask>>k&1 == 0 {
			continue
		}
		i := max(int(o.NumIndex)-1, 0)
		idx, rel := o.Index(i).Imm, o.Index(i).Rel
		switch o.Reg {
		case dxbc.RegTemp:
			if int64(idx) >= int64(c.p.temps) {
				c.fail(ErrMalformed, "r%d of %d", idx, c.p.temps)
				return 0
			}
			in.dst[j][k] = int32(idx)*4 + k
		case dxbc.RegOutput:
			if rel != nil {
				d := c.temp()
				in.dst[j][k] = d
				first, count := c.indexed(o.Reg, idx, c.p.outs)
				in.scatter = append(in.scatter, scatter{src: d, row: c.p.outRow + first*4 + k, step: 4, n: count, imm: idx - uint32(first), rel: c.relative(rel)})
				continue
			}
			if idx >= uint32(c.p.outs) {
				c.fail(ErrMalformed, "o%d is not declared", idx)
				return 0
			}
			in.dst[j][k] = c.p.outRow + int32(idx)*4 + k
		case dxbc.RegIndexableTemp:
			x := c.p.arrays[o.Index(0).Imm]
			if x == nil || k >= x.comps {
				c.fail(ErrMalformed, "x%d is not declared, or has no component %d", o.Index(0).Imm, k)
				return 0
			}
			if rel != nil {
				d := c.temp()
				in.dst[j][k] = d
				in.scatter = append(in.scatter, scatter{src: d, row: x.row + k, step: x.comps, n: x.n, imm: idx, rel: c.relative(rel)})
				continue
			}
			if idx >= uint32(x.n) {
				in.dst[j][k] = c.temp() // dropped
				continue
			}
			in.dst[j][k] = x.row + int32(idx)*x.comps + k
		default:
			row, ok := c.p.special[o.Reg]
			if !ok {
				c.fail(ErrUnsupported, "register %s as a destination", o.Reg)
				return 0
			}
			in.dst[j][k] = row + k
		}
	}
	return mask
}

// resourceOf resolves a t#, u#, s# or g# operand.
func (c *compiler) resourceOf(o *dxbc.Operand) (r *resource, reg uint32, rel int32) {
	m := c.srvs
	switch o.Reg {
	case dxbc.RegUAV:
		m = c.uavs
	case dxbc.RegSampler:
		m = c.samps
	case dxbc.RegResource:
	default:
		c.fail(ErrMalformed, "%s where a resource should be", o.Reg)
		return nil, 0, -1
	}
	reg, relOp := o.Index(0).Imm, o.Index(0).Rel
	r = m[reg]
	if c.sm51 && o.NumIndex > 1 {
		reg, relOp = o.Index(1).Imm, o.Index(1).Rel
	}
	if r == nil && relOp != nil && !c.sm51 { // an interface body: any declaration of the kind
		for _, k := range sortedKeys(m) {
			r = &resource{class: m[k].class, dim: m[k].dim, ret: m[k].ret, upper: 0xFFFFFFFF, stride: m[k].stride}
			break
		}
	}
	if r == nil {
		c.fail(ErrMalformed, "%s%d is not declared", o.Reg, reg)
		return nil, 0, -1
	}
	return r, reg, c.relative(relOp)
}
