package trial

import (
	"fxlens/core/dxbc"
)

// use says as what a word is used.
type use uint8

const (
	useUnknown use = iota
	useFloat
	useInt
)

type place struct {
	class dxbc.RegType
	reg   uint32
	space uint32
}

type word struct {
	place
	at uint32 // byte offset in the buffer or structure
}

// facts is what a program tells about the words that it reads.
type facts struct {
	words   map[word]use
	whole   map[place]use // indexed by a register: the rest of the buffer
	indexed map[place]bool
}

func letterUse(l byte) use {
	switch l {
	case 'f':
		return useFloat
	case 'i', 'u', 'm', 'c':
		return useInt
	}
	return useUnknown
}

// infer scans the program for how constant buffer words and loaded words are used.
func infer(s *dxbc.Shader) *facts {
	f := &facts{words: map[word]use{}, whole: map[place]use{}, indexed: map[place]bool{}}
	p := s.Program
	sm51 := p.SM51()
	spaces := map[place]uint32{}
	for i := range p.Instrs {
		if in := &p.Instrs[i]; in.Decl != nil && len(in.Operands) > 0 {
			id, _, _ := in.Range()
			spaces[place{class: in.Operands[0].Reg, reg: id}] = in.Decl.Space
		}
	}
	where := func(o *dxbc.Operand) place {
		pl := place{class: o.Reg, reg: o.Index(0).Imm, space: spaces[place{class: o.Reg, reg: o.Index(0).Imm}]}
		if sm51 && o.NumIndex > 1 {
			pl.reg = o.Index(1).Imm
		}
		return pl
	}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Op.Has(dxbc.FlagDecl) || in.Op == dxbc.OpCustomdata {
			continue
		}
		info := in.Op.Info()
		for j := range in.NumSrc() {
			o := in.Src(j)
			if o.Reg != dxbc.RegConstantBuffer || int(o.NumIndex) < 2 {
				continue
			}
			u := letterUse(info.In[j])
			if u == useUnknown && in.NumDst > 0 {
				u = f.later(p, i, in.Dst(0))
			}
			row := o.LastIndex()
			for k := range 4 {
				c := uint32(k)
				if o.Mode == dxbc.CompSwizzle || o.Mode == dxbc.CompSelect {
					c = uint32(o.Swizzle[k])
				}
				if in.NumDst > 0 && in.Dst(0).Mode == dxbc.CompMask && info.In[j] != 0 && in.Dst(0).Mask>>k&1 == 0 && len(info.In) < 4 && o.Mode == dxbc.CompSwizzle && !wide(in.Op) {
					continue
				}
				if row.Rel != nil {
					f.vote(nil, where(o), u)
				} else {
					f.vote(&word{where(o), row.Imm*16 + c*4}, place{}, u)
				}
			}
		}
		if in.Op.Has(dxbc.FlagLoad) && in.NumDst > 0 {
			mem := in.Src(in.NumSrc() - 1)
			if in.Op == dxbc.OpLdms || in.Op == dxbc.OpLdmsS || in.Op == dxbc.OpLd || in.Op == dxbc.OpLdUavTyped {
				mem = in.Src(1)
			}
			if mem.Reg != dxbc.RegResource && mem.Reg != dxbc.RegUAV {
				continue
			}
			d := in.Dst(0)
			off, known := uint32(0), false
			if in.Op == dxbc.OpLdStructured && in.Src(1).Reg == dxbc.RegImmediate32 {
				off, known = in.Src(1).Imm[0], true
			}
			for k := range uint8(4) {
				if d.Mode == dxbc.CompMask && d.Mask>>k&1 == 0 {
					continue
				}
				one := *d
				one.Mask = 1 << k
				u := f.later(p, i, &one)
				if known {
					f.vote(&word{where(mem), off + 4*uint32(mem.Swizzle[k])}, place{}, u)
				} else {
					f.vote(nil, where(mem), u)
				}
			}
		}
	}
	return f
}

// wide reports whether an instruction reads components that it does not write.
func wide(op dxbc.Op) bool {
	return op == dxbc.OpDp2 || op == dxbc.OpDp3 || op == dxbc.OpDp4 || op.Has(dxbc.FlagSample) || op.Has(dxbc.FlagSide) || op.Has(dxbc.FlagLoad)
}

// later finds the first use of what an instruction writes to temporaries.
func (f *facts) later(p *dxbc.Program, at int, d *dxbc.Operand) use {
	if d.Reg != dxbc.RegTemp {
		if d.Reg == dxbc.RegOutput {
			return useFloat
		}
		return useUnknown
	}
	for i := at + 1; i < len(p.Instrs) && i < at+200; i++ {
		in := &p.Instrs[i]
		info := in.Op.Info()
		for j := range in.NumSrc() {
			o := in.Src(j)
			if u := letterUse(info.In[j]); u != useUnknown && reads(in, j, o, d) {
				return u
			}
			for x := range int(o.NumIndex) {
				if r := o.Index(x).Rel; r != nil && r.Reg == dxbc.RegTemp && r.Index(0).Imm == d.Index(0).Imm && d.Mask>>r.Swizzle[0]&1 != 0 {
					return useInt
				}
			}
		}
		for j := range int(in.NumDst) {
			if o := in.Dst(j); o.Reg == dxbc.RegTemp && o.Index(0).Imm == d.Index(0).Imm && o.Mask&d.Mask == d.Mask {
				return useUnknown
			}
		}
	}
	return useUnknown
}

func reads(in *dxbc.Instr, j int, o, d *dxbc.Operand) bool {
	if o.Reg != dxbc.RegTemp || o.Index(0).Imm != d.Index(0).Imm {
		return false
	}
	for k := range 4 {
		if o.Mode == dxbc.CompSwizzle && !wide(in.Op) && in.NumDst > 0 && in.Dst(0).Mode == dxbc.CompMask && in.Dst(0).Mask>>k&1 == 0 {
			continue
		}
		if d.Mask>>o.Swizzle[k]&1 != 0 {
			return true
		}
	}
	return false
}

// vote keeps integer uses over float ones: a float read of a small integer is
// harmless, an integer read of a float is a huge number.
func (f *facts) vote(w *word, p place, u use) {
	if u == useUnknown {
		return
	}
	if w != nil {
		f.words[*w] = max(f.words[*w], u)
		return
	}
	f.whole[p] = max(f.whole[p], u)
	f.indexed[p] = true
}

// of says how a word is used.
func (f *facts) of(p place, at uint32) use {
	if u := f.words[word{p, at}]; u != useUnknown {
		return u
	}
	return f.whole[p]
}
