package interp

import (
	"fmt"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// kind is how an instruction is executed.
type kind uint8

const (
	kNop kind = iota
	kLane
	kLane2 // two results from the same sources
	kMov
	kSwapc
	kDot
	kDeriv
	kDouble
	kSample
	kGather
	kLod
	kLoad
	kLoadMem
	kStoreMem
	kStoreTyped
	kAtomic
	kCounter
	kResInfo
	kBufInfo
	kSampleInfo
	kSamplePos
	kEval
	kMapped
	kSync
	kDiscard
	kCopy     // moves, all at once
	kGroupAny // what any invocation of the group says
	kEmit     // geometry: a vertex, the end of a strip
	kIf
	kElse
	kEndif
	kLoop
	kEndloop
	kSwitch
	kCase
	kEndswitch
	kBreak
	kContinue
	kRet
	kCall
	kFcall
	kLabel
)

// fill computes a source component that is not simply a register: it runs before
// its instruction and leaves the value in row dst.
type fill struct {
	dst  int32
	kind fillKind
	row  int32 // fillMove: the source row; fillArray: the row of element 0
	step int32 // rows from one element to the next
	n    int32 // elements
	imm  uint32
	rel  int32 // row with the index that is added to imm, or -1
	comp uint8
	mod  modifier
	res  *resource
	reg  uint32 // fillCBuffer: the register, absolute
	rel2 int32  // row that is added to reg, or -1
	undo bool   // check each element for being defined
}

type fillKind uint8

const (
	fillMove fillKind = iota
	fillArray
	fillCBuffer
	fillICB
	fillThis
)

// modifier is a source modifier by the type of the operand.
type modifier uint8

const (
	modNone modifier = iota
	modFNeg
	modFAbs
	modFNegAbs
	modINeg
)

// scatter stores a result row into an element of an indexed register.
type scatter struct {
	src       int32
	row, step int32
	n         int32
	imm       uint32
	rel       int32
}

// inst is one instruction in executable form.
type inst struct {
	kind    kind
	op, op2 ir.Op
	dx      dxbc.Op
	at      int32 // index into Program.Instrs
	float   bool  // the result is a float that arithmetic made
	sat     bool
	nz      bool
	via     bool // results go through scratch rows, because a source is also a destination
	fills   []fill
	src     [6][4]int32 // rows of the sources' components
	nsrc    uint8
	dst     [2][4]int32 // rows of the destinations' components, -1 where not written
	scatter []scatter
	status  int32 // row of the residency status, or -1
	check   []int32
	mark    []int32

	target int32 // flow: where to go, see the kinds
	end    int32
	cases  []caseLabel
	multi  bool // case: default label

	res, samp        *resource
	resReg, sampReg  uint32
	resRel, sampRel  int32
	swz              [4]uint8
	offs             [3]int32
	n                uint8 // dot: terms; sample: coordinates
	lodRow, refRow   int32
	clampRow         int32
	dxRow, dyRow     [4]int32
	offRow           [2]int32
	sampleKind       sampleKind
	comp             int
	sync             uint8
	result           uint8 // resinfo, sampleinfo
	atomic           ir.AtomicOp
	valRow           [4]int32
	cmpRow           int32
	input            int32 // eval: register
	fn               uint32
	quads            bool // sources are wanted for whole quads
	storeMask        uint8
	shared           *sharedDecl
	iface, ifaceElem uint32
	ifaceRel         int32
	moves            []move
	val              ir.ValueID   // of a function: the value that is computed, or NoValue
	params           []ir.ValueID // of a function: the parameters that get values
}

// move copies one row.
type move struct{ dst, src int32 }

type caseLabel struct {
	value uint32
	pc    int32
}

// resource is one declaration.
type resource struct {
	class        ir.Class
	lower, upper uint32
	space        uint32
	dim          dxbc.Dim
	ret          dxbc.ReturnType
	stride       uint32
	rows         uint32 // constant buffers
}

type sharedDecl struct {
	size, stride uint32
	raw          bool
	index        int
}

type xArray struct {
	row   int32
	n     int32
	comps int32
	dyn   bool
}

// Program is a DXBC program in executable form. It is immutable.
type Program struct {
	Shader *dxbc.Shader
	Kind   dxbc.ProgramKind
	Group  [3]uint32 // compute: threads of a group

	insts   []inst
	rows    int32 // all rows of the register file
	temps   int32
	inRow   int32 // 4 rows for each v#
	outRow  int32
	special map[dxbc.RegType]int32
	consts  []constRow
	icb     [][4]uint32
	shared  []*sharedDecl
	tracked []int32 // rows whose lanes may be read before they are written
	labels  map[labelKey]int32
	outMask [ioRegs]uint8
	ins     int32 // input and output registers
	outs    int32
	classes ir.Classes
	arrays  map[uint32]*xArray
	early   bool
	scratch int32
	fn      *ir.Function // what CompileFunction was given
	valRow  []int32      // by value of fn: the row of its first lane, or -1
	files   map[dxbc.RegType]registers
	maxOut  uint32 // geometry: vertices that an invocation may emit
}

const ioRegs = 64

type labelKey struct {
	reg dxbc.RegType
	n   uint32
}

// constRow is a row that has one value for all invocations.
type constRow struct {
	row  int32
	word uint32 // immediate
	res  *resource
	reg  uint32
	elem uint32 // constant buffers: row
	comp uint8
}

type constKey struct {
	word uint32
	reg  uint32
	elem uint32
	comp uint8
	res  *resource
}

// CompileOptions change how a program is made executable.
type CompileOptions struct {
	// Classes answers calls through interfaces; nil where nothing is chosen.
	Classes ir.Classes
}

// Compile makes a program executable. It fails with an [*Error] on what no D3D
// runtime would accept or this package does not run. Hull programs have phases: see
// CompileHull.
func Compile(s *dxbc.Shader, opt CompileOptions) (*Program, error) {
	if s == nil || s.Program == nil {
		return nil, &Error{-1, 0, fmt.Errorf("%w: no program", ErrMalformed)}
	}
	c := newCompiler(s, opt)
	switch s.Program.Kind {
	case dxbc.Vertex, dxbc.Pixel, dxbc.Compute, dxbc.Geometry, dxbc.Domain:
	default:
		return nil, &Error{-1, 0, fmt.Errorf("%w: %s programs are not executed by themselves", ErrUnsupported, s.Program.Kind)}
	}
	if err := c.program(); err != nil {
		return nil, err
	}
	return c.p, nil
}

func newCompiler(s *dxbc.Shader, opt CompileOptions) *compiler {
	return &compiler{p: &Program{Shader: s, Kind: s.Program.Kind, special: map[dxbc.RegType]int32{}, labels: map[labelKey]int32{}, classes: opt.Classes, arrays: map[uint32]*xArray{}},
		consts: map[constKey]int32{}, sm51: s.Program.SM51(),
		cbs: map[uint32]*resource{}, srvs: map[uint32]*resource{}, uavs: map[uint32]*resource{}, samps: map[uint32]*resource{}, tgsm: map[uint32]*sharedDecl{}}
}

type compiler struct {
	p       *Program
	consts  map[constKey]int32
	sm51    bool
	cbs     map[uint32]*resource
	srvs    map[uint32]*resource
	uavs    map[uint32]*resource
	samps   map[uint32]*resource
	tgsm    map[uint32]*sharedDecl
	at      int32
	in      *dxbc.Instr
	cur     *inst
	scratch int32 // next scratch row of this instruction
	maxScr  int32
	err     error
}

func (c *compiler) fail(sentinel error, format string, args ...any) {
	if c.err == nil {
		e := &Error{Instr: int(c.at), Err: fmt.Errorf("%w: %s", sentinel, fmt.Sprintf(format, args...))}
		if c.in != nil {
			e.Op = c.in.Op
		}
		c.err = e
	}
}

func (c *compiler) program() error {
	p := c.p
	prog := p.Shader.Program
	for i := range prog.Instrs {
		c.at, c.in = int32(i), &prog.Instrs[i]
		c.declare(c.in)
	}
	if c.err != nil {
		return c.err
	}
	p.inRow = p.temps * 4
	p.outRow = p.inRow + p.ins*4
	p.rows = p.outRow + p.outs*4
	for i := range prog.Instrs {
		c.at, c.in = int32(i), &prog.Instrs[i]
		for k := range c.in.Operands {
			c.specials(&c.in.Operands[k])
		}
	}
	if err := c.wide(); err != nil {
		return err
	}
	p.maxOut = min(number(prog, dxbc.OpDclMaxout, 0), 1024)
	for _, n := range sortedKeys(p.arrays) {
		x := p.arrays[n]
		x.row = p.rows
		p.rows += x.n * x.comps
		if p.rows > 1<<20 {
			return &Error{-1, 0, fmt.Errorf("%w: indexable temporaries need %d registers", ErrMalformed, p.rows/4)}
		}
	}
	c.consts = map[constKey]int32{}
	dynamic := c.dynamicArrays()
	for n := range dynamic {
		if x := p.arrays[n]; x != nil {
			x.dyn = true
		}
	}
	// Constant and scratch rows have numbers of their own until the number of
	// registers is known.
	for i := range prog.Instrs {
		c.at, c.in = int32(i), &prog.Instrs[i]
		if c.in.Op == dxbc.OpCustomdata || c.in.Op.Has(dxbc.FlagDecl) {
			continue
		}
		c.scratch = 0
		in := newInst(c.at)
		in.dx, in.sat, in.nz = c.in.Op, c.in.Sat, c.in.NonZero
		c.cur = in
		c.instr()
		if c.err != nil {
			return c.err
		}
		c.maxScr = max(c.maxScr, c.scratch)
		p.insts = append(p.insts, *in)
	}
	if err := c.finish(); err != nil {
		return err
	}
	c.assign()
	return c.err
}

// newInst is an instruction that does nothing yet.
func newInst(at int32) *inst {
	in := &inst{at: at, status: -1, resRel: -1, sampRel: -1, ifaceRel: -1, lodRow: -1, refRow: -1, clampRow: -1, cmpRow: -1, target: -1, end: -1}
	for k := range in.dst {
		in.dst[k] = [4]int32{-1, -1, -1, -1}
	}
	for k := range in.src {
		in.src[k] = [4]int32{-1, -1, -1, -1}
	}
	return in
}

// finish finds the targets of jumps and gives constants and scratch their rows.
func (c *compiler) finish() error {
	p := c.p
	c.in = nil
	c.structure()
	if c.err != nil {
		return c.err
	}
	p.scratch = p.rows + int32(len(p.consts))
	for i := range p.consts {
		p.consts[i].row = p.rows + int32(i)
	}
	for i := range p.insts {
		c.renumber(&p.insts[i])
	}
	p.rows = p.scratch + c.maxScr
	return c.err
}

// Rows of constants and scratch while compiling.
const (
	constBase   = 1 << 28
	scratchBase = 1 << 29
)

func (c *compiler) renumber(in *inst) {
	fix := func(r *int32) {
		switch {
		case *r >= scratchBase:
			*r = *r - scratchBase + c.p.scratch
		case *r >= constBase:
			*r = *r - constBase + c.p.rows
		}
	}
	for i := range in.fills {
		f := &in.fills[i]
		fix(&f.dst)
		fix(&f.row)
		fix(&f.rel)
		fix(&f.rel2)
	}
	for i := range in.src {
		for k := range in.src[i] {
			fix(&in.src[i][k])
		}
	}
	for i := range in.dst {
		for k := range in.dst[i] {
			fix(&in.dst[i][k])
		}
	}
	for i := range in.scatter {
		fix(&in.scatter[i].src)
		fix(&in.scatter[i].rel)
	}
	for _, r := range []*int32{&in.status, &in.resRel, &in.sampRel, &in.lodRow, &in.refRow, &in.clampRow, &in.cmpRow, &in.ifaceRel, &in.offRow[0], &in.offRow[1]} {
		fix(r)
	}
	for i := range in.moves {
		fix(&in.moves[i].dst)
		fix(&in.moves[i].src)
	}
	for k := range 4 {
		fix(&in.dxRow[k])
		fix(&in.dyRow[k])
		fix(&in.valRow[k])
	}
}

func sortedKeys[V any](m map[uint32]V) []uint32 {
	out := make([]uint32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (c *compiler) declare(in *dxbc.Instr) {
	p := c.p
	if in.Op == dxbc.OpCustomdata {
		if in.Custom != nil && in.Custom.Class == dxbc.CustomICB {
			for w := in.Custom.Words; len(w) >= 4; w = w[4:] {
				p.icb = append(p.icb, [4]uint32(w[:4]))
			}
		}
		return
	}
	d := in.Decl
	if d == nil || !in.Op.Has(dxbc.FlagDecl) {
		return
	}
	word := func(i int) uint32 {
		if i < len(d.Words) {
			return d.Words[i]
		}
		return 0
	}
	add := func(m map[uint32]*resource, r resource) {
		if len(in.Operands) == 0 {
			c.fail(ErrMalformed, "declaration without a register")
			return
		}
		id, lower, upper := in.Range()
		r.lower, r.upper, r.space = lower, upper, d.Space
		m[id] = &r
	}
	switch in.Op {
	case dxbc.OpDclTemps:
		if word(0) > 4096 {
			c.fail(ErrMalformed, "%d temporaries", word(0))
			return
		}
		p.temps = max(p.temps, int32(word(0)))
	case dxbc.OpDclIndexableTemp:
		if word(1) == 0 || word(1) > 4096 || word(2) == 0 || word(2) > 4 {
			c.fail(ErrMalformed, "indexable temporary of %d elements of %d components", word(1), word(2))
			return
		}
		p.arrays[word(0)] = &xArray{n: int32(word(1)), comps: int32(word(2))}
	case dxbc.OpDclGlobalFlags:
		p.early = d.Flags&dxbc.GlobalForceEarlyDepthStencil != 0
	case dxbc.OpDclThreadGroup:
		p.Group = [3]uint32{word(0), word(1), word(2)}
		if n := uint64(word(0)) * uint64(word(1)) * uint64(word(2)); n == 0 || n > 1024 || word(0) > 1024 || word(1) > 1024 {
			c.fail(ErrMalformed, "thread group of %d x %d x %d", word(0), word(1), word(2))
		}
	case dxbc.OpDclConstantbuffer:
		add(c.cbs, resource{class: ir.CBuffer, rows: d.Size})
	case dxbc.OpDclSampler:
		add(c.samps, resource{class: ir.Sampler})
	case dxbc.OpDclResource:
		add(c.srvs, resource{class: ir.SRV, dim: d.Dim, ret: d.Return[0]})
	case dxbc.OpDclResourceRaw:
		add(c.srvs, resource{class: ir.SRV, dim: dxbc.DimRawBuffer})
	case dxbc.OpDclResourceStructured:
		add(c.srvs, resource{class: ir.SRV, dim: dxbc.DimStructuredBuffer, stride: d.Stride})
	case dxbc.OpDclUavTyped:
		add(c.uavs, resource{class: ir.UAV, dim: d.Dim, ret: d.Return[0]})
	case dxbc.OpDclUavRaw:
		add(c.uavs, resource{class: ir.UAV, dim: dxbc.DimRawBuffer})
	case dxbc.OpDclUavStructured:
		add(c.uavs, resource{class: ir.UAV, dim: dxbc.DimStructuredBuffer, stride: d.Stride})
	case dxbc.OpDclTgsmRaw, dxbc.OpDclTgsmStructured:
		if len(in.Operands) == 0 {
			c.fail(ErrMalformed, "declaration without a register")
			return
		}
		s := &sharedDecl{size: d.Size, raw: in.Op == dxbc.OpDclTgsmRaw, stride: d.Stride, index: len(p.shared)}
		if !s.raw {
			if uint64(d.Size)*uint64(d.Stride) > 1<<16 {
				c.fail(ErrMalformed, "groupshared array of %d elements of %d bytes", d.Size, d.Stride)
				return
			}
			s.size = d.Size * d.Stride
		}
		if s.size > 1<<16 {
			c.fail(ErrMalformed, "groupshared memory of %d bytes", s.size)
			return
		}
		c.tgsm[in.Operands[0].Index(0).Imm] = s
		p.shared = append(p.shared, s)
	case dxbc.OpDclInput, dxbc.OpDclInputSgv, dxbc.OpDclInputSiv, dxbc.OpDclInputPs, dxbc.OpDclInputPsSgv, dxbc.OpDclInputPsSiv:
		if len(in.Operands) > 0 && in.Operands[0].Reg == dxbc.RegInput && in.Operands[0].NumIndex == 1 {
			if n := in.Operands[0].Index(0).Imm; n < ioRegs {
				p.ins = max(p.ins, int32(n)+1)
			}
		}
	case dxbc.OpDclOutput, dxbc.OpDclOutputSgv, dxbc.OpDclOutputSiv:
		if len(in.Operands) > 0 && in.Operands[0].Reg == dxbc.RegOutput {
			if n := in.Operands[0].Index(0).Imm; n < ioRegs {
				p.outMask[n] |= in.Operands[0].Mask
				p.outs = max(p.outs, int32(n)+1)
			}
		}
	}
}

// specialRegs are the registers without a number that programs of the executed
// stages have.
var specialRegs = map[dxbc.RegType]bool{
	dxbc.RegThreadID: true, dxbc.RegThreadGroupID: true, dxbc.RegThreadIDInGroup: true, dxbc.RegThreadIDInGroupFlattened: true,
	dxbc.RegInputCoverage: true, dxbc.RegInnerCoverage: true, dxbc.RegPrimitiveID: true, dxbc.RegCycleCounter: true,
	dxbc.RegOutputDepth: true, dxbc.RegOutputDepthGE: true, dxbc.RegOutputDepthLE: true, dxbc.RegOutputCoverageMask: true, dxbc.RegOutputStencilRef: true,
	dxbc.RegGSInstanceID: true, dxbc.RegOutputControlPointID: true, dxbc.RegForkInstanceID: true, dxbc.RegJoinInstanceID: true, dxbc.RegDomainPoint: true,
}

// specials gives rows to the special registers of an operand and its indices.
func (c *compiler) specials(o *dxbc.Operand) {
	if _, ok := c.p.special[o.Reg]; !ok && specialRegs[o.Reg] {
		c.p.special[o.Reg] = c.p.rows
		c.p.rows += 4
	}
	for i := range int(o.NumIndex) {
		if o.Index(i).Rel != nil {
			c.specials(o.Index(i).Rel)
		}
	}
}

// dynamicArrays finds the x# that an instruction indexes by a register.
func (c *compiler) dynamicArrays() map[uint32]bool {
	dyn := map[uint32]bool{}
	var visit func(o *dxbc.Operand)
	visit = func(o *dxbc.Operand) {
		for i := range int(o.NumIndex) {
			if rel := o.Index(i).Rel; rel != nil {
				if o.Reg == dxbc.RegIndexableTemp && i == 1 {
					dyn[o.Index(0).Imm] = true
				}
				visit(rel)
			}
		}
	}
	for i := range c.p.Shader.Program.Instrs {
		in := &c.p.Shader.Program.Instrs[i]
		if in.Op.Has(dxbc.FlagDecl) {
			continue
		}
		for j := range in.Operands {
			visit(&in.Operands[j])
		}
	}
	return dyn
}

// structure finds the targets of control flow.
func (c *compiler) structure() {
	p := c.p
	type open struct {
		kind kind
		pc   int32
	}
	var stack []open
	bad := func(i int) {
		if c.at = p.insts[i].at; c.at >= 0 {
			c.in = &p.Shader.Program.Instrs[c.at]
		}
		c.fail(ErrMalformed, "control flow does not nest")
	}
	for i := range p.insts {
		in := &p.insts[i]
		top := func(k ...kind) *open {
			if len(stack) == 0 || !slices.Contains(k, stack[len(stack)-1].kind) {
				bad(i)
				return nil
			}
			return &stack[len(stack)-1]
		}
		switch in.kind {
		case kIf, kLoop, kSwitch:
			if len(stack) >= 1024 {
				bad(i)
				return
			}
			stack = append(stack, open{in.kind, int32(i)})
		case kElse:
			t := top(kIf)
			if t == nil {
				return
			}
			p.insts[t.pc].target = int32(i)
			in.target = t.pc
			t.kind = kElse
		case kEndif:
			t := top(kIf, kElse)
			if t == nil {
				return
			}
			p.insts[t.pc].end = int32(i)
			if t.kind == kElse {
				p.insts[p.insts[t.pc].target].end = int32(i)
			}
			stack = stack[:len(stack)-1]
		case kEndloop:
			t := top(kLoop)
			if t == nil {
				return
			}
			p.insts[t.pc].end, in.target = int32(i), t.pc
			stack = stack[:len(stack)-1]
		case kCase:
			t := top(kSwitch)
			if t == nil {
				return
			}
			sw := &p.insts[t.pc]
			if in.multi {
				if sw.target >= 0 {
					bad(i)
					return
				}
				sw.target = int32(i)
			}
			sw.cases = append(sw.cases, caseLabel{in.fn, int32(i)})
		case kEndswitch:
			t := top(kSwitch)
			if t == nil {
				return
			}
			p.insts[t.pc].end, in.target = int32(i), t.pc
			stack = stack[:len(stack)-1]
		case kBreak, kContinue:
			ok := false
			for _, o := range stack {
				ok = ok || o.kind == kLoop || in.kind == kBreak && o.kind == kSwitch
			}
			if !ok {
				bad(i)
				return
			}
		case kLabel:
			if len(stack) > 0 {
				bad(i)
				return
			}
		}
	}
	if len(stack) > 0 {
		bad(int(stack[len(stack)-1].pc))
		return
	}
	for i := range p.insts {
		in := &p.insts[i]
		if in.kind == kCall {
			pc, ok := p.labels[labelKey{dxbc.RegLabel, in.fn}]
			if !ok {
				c.at, c.in = in.at, &p.Shader.Program.Instrs[in.at]
				c.fail(ErrMalformed, "label %d does not exist", in.fn)
				return
			}
			in.target = pc
		}
	}
}
