package interp

import (
	"fmt"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// CompileFunction makes the intermediate form of a program executable: the second
// executor, which shares memory, formats, filters and arithmetic with the first
// and nothing of the reading of DXBC. What runs differently from the program's own
// instructions was changed between decoding and the phase that f comes from.
//
// Batches, groups and draws are those of the DXBC program: inputs and outputs keep
// their registers. Events name the instructions that values come from, or -1.
// It fails with an [*Error] where Compile would.
func CompileFunction(f *ir.Function) (*Program, error) {
	if f == nil || f.Shader == nil || f.Program == nil || len(f.Regions) == 0 {
		return nil, &Error{-1, 0, fmt.Errorf("%w: no function", ErrMalformed)}
	}
	switch f.Kind {
	case dxbc.Vertex, dxbc.Pixel, dxbc.Compute:
	default:
		return nil, &Error{-1, 0, fmt.Errorf("%w: %s programs are not executed", ErrUnsupported, f.Kind)}
	}
	c := newCompiler(f.Shader, CompileOptions{})
	e := &emitter{compiler: c, f: f}
	if err := e.program(); err != nil {
		return nil, err
	}
	return c.p, nil
}

// emitter turns the regions of a function into instructions of the machine. Every
// lane of a value has a row of its own; what leaves a region is copied to the rows
// of the parameters where it arrives.
type emitter struct {
	*compiler
	f      *ir.Function
	res    []*resource
	arrays []xArray
}

func (e *emitter) program() error {
	c, p, f := e.compiler, e.p, e.f
	prog := f.Program
	for i := range prog.Instrs {
		c.at, c.in = int32(i), &prog.Instrs[i]
		c.declare(c.in)
	}
	if c.err != nil {
		return c.err
	}
	p.fn, p.temps = f, 0
	p.arrays = map[uint32]*xArray{}
	p.outRow = p.ins * 4
	p.rows = p.outRow + p.outs*4
	for i := range prog.Instrs {
		for k := range prog.Instrs[i].Operands {
			c.specials(&prog.Instrs[i].Operands[k])
		}
	}
	p.icb = f.ICB
	for i := range f.Arrays {
		a := &f.Arrays[i]
		x := xArray{row: p.rows, n: int32(a.Len), comps: int32(a.N)}
		if a.Class == ir.InputArray {
			if int64(a.Index)+int64(a.Len) > int64(p.ins) {
				return &Error{-1, 0, fmt.Errorf("%w: inputs %d to %d are indexed", ErrMalformed, a.Index, a.Index+a.Len)}
			}
			x.row = p.inRow + int32(a.Index)*4
		} else {
			p.rows += x.n * x.comps
		}
		e.arrays = append(e.arrays, x)
	}
	p.valRow = make([]int32, len(f.Values))
	for i := range f.Values {
		v := &f.Values[i]
		p.valRow[i] = -1
		if v.Node != ir.NoNode {
			p.valRow[i] = p.rows
			p.rows += int32(v.N)
		}
		if p.rows > 1<<22 {
			return &Error{-1, 0, fmt.Errorf("%w: values need %d registers", ErrMalformed, p.rows)}
		}
	}
	for i := range f.Resources {
		r := &f.Resources[i]
		x := &resource{class: r.Class, lower: r.Register, upper: r.Register, space: r.Space, dim: r.Dim, ret: r.Return[0], stride: r.Stride, rows: r.Size}
		switch {
		case r.Class == ir.Counter:
			x.class, x.dim = ir.UAV, dxbc.DimStructuredBuffer
		case r.Class == ir.CBuffer || r.Count == 0:
			x.upper = 0xFFFFFFFF
		}
		e.res = append(e.res, x)
	}
	e.region(0)
	if c.err != nil {
		return c.err
	}
	return c.finish()
}

// begin starts an instruction of the machine that stands for instruction at.
func (e *emitter) begin(k kind, at int32) *inst {
	e.at, e.scratch = at, 0
	in := newInst(at)
	in.kind, in.nz, in.val = k, true, ir.NoValue
	if at >= 0 && int(at) < len(e.f.Program.Instrs) {
		in.dx = e.f.Program.Instrs[at].Op
	}
	e.cur = in
	return in
}

func (e *emitter) end() {
	e.maxScr = max(e.maxScr, e.scratch)
	e.p.insts = append(e.p.insts, *e.cur)
}

// row is the row of a lane.
func (e *emitter) row(l ir.Lane) int32 {
	if l.V < 0 || int(l.V) >= len(e.f.Values) {
		e.fail(ErrMalformed, "value %d of %d", l.V, len(e.f.Values))
		return -1
	}
	v := &e.f.Values[l.V]
	if v.Node != ir.NoNode {
		return e.p.valRow[l.V] + int32(l.L)
	}
	switch v.Op {
	case ir.OpConst:
		return e.constant(constKey{word: v.Imm[l.L&3]})
	case ir.OpUndef:
		return e.constant(constKey{})
	case ir.OpCBLoad:
		r := e.res[v.Res]
		return e.constant(constKey{res: r, reg: r.lower + v.Imm[1], elem: v.Imm[0], comp: l.L})
	case ir.OpInput:
		el := &e.f.Inputs[v.Imm[0]]
		comp := int32(componentOf(el.Mask, l.L))
		if el.RegType == dxbc.RegInput {
			if el.Register >= uint32(e.p.ins) {
				e.fail(ErrMalformed, "v%d is not declared", el.Register)
				return -1
			}
			return e.p.inRow + int32(el.Register)*4 + comp
		}
		if row, ok := e.p.special[el.RegType]; ok {
			return row + comp
		}
	}
	e.fail(ErrMalformed, "%s outside a region", v.Op)
	return -1
}

// componentOf is the component of lane l of an element with a mask.
func componentOf(mask, l uint8) uint8 {
	for c := range uint8(4) {
		if mask>>c&1 != 0 {
			if l == 0 {
				return c
			}
			l--
		}
	}
	return 0
}

// rows fills the rows of an operand; the rest reads zero.
func (e *emitter) rows(a *ir.Arg) [4]int32 {
	zero := e.constant(constKey{})
	out := [4]int32{zero, zero, zero, zero}
	for k := range a.Lanes[:a.N] {
		out[k] = e.row(a.Lanes[k])
	}
	return out
}

func (e *emitter) region(r ir.RegionID) {
	for _, n := range e.f.Regions[r].Nodes {
		if e.err != nil {
			return
		}
		e.node(n)
	}
}

func (e *emitter) node(n ir.NodeID) {
	f := e.f
	nd := &f.Nodes[n]
	switch nd.Kind {
	case ir.NodeValue:
		e.value(nd.Value)
	case ir.NodeIf:
		in := e.begin(kIf, nd.Instr)
		in.src[0][0] = e.row(nd.Cond.Lanes[0])
		e.end()
		e.region(nd.Regions[0])
		e.begin(kElse, -1)
		e.end()
		e.region(nd.Regions[1])
		e.begin(kEndif, nd.EndInstr)
		e.end()
	case ir.NodeLoop:
		e.copies(nd.Header, nd.Inits, -1)
		e.begin(kLoop, nd.Instr)
		e.end()
		e.region(nd.Regions[0])
		e.begin(kEndloop, nd.EndInstr)
		e.end()
	case ir.NodeSwitch:
		if nd.Default < 0 {
			e.copies(nd.Params, nd.Inits, -1)
		}
		in := e.begin(kSwitch, nd.Instr)
		in.src[0][0] = e.row(nd.Cond.Lanes[0])
		e.end()
		for i, r := range nd.Regions {
			for _, l := range nd.Labels[i] {
				in := e.begin(kCase, -1)
				in.fn = l
				e.end()
			}
			if i == nd.Default {
				in := e.begin(kCase, -1)
				in.multi = true
				e.end()
			}
			e.region(r)
		}
		e.begin(kEndswitch, nd.EndInstr)
		e.end()
	case ir.NodeYield:
		e.copies(f.Nodes[nd.Target].Params, nd.Args, nd.Instr)
	case ir.NodeBreak:
		e.copies(f.Nodes[nd.Target].Params, nd.Args, nd.Instr)
		e.begin(kBreak, nd.Instr)
		e.end()
	case ir.NodeContinue:
		e.copies(f.Nodes[nd.Target].Header, nd.Args, nd.Instr)
		e.begin(kContinue, nd.Instr)
		e.end()
	case ir.NodeReturn:
		e.outputs(nd)
		e.begin(kRet, nd.Instr)
		e.end()
	}
}

// copies gives parameters their arguments, all at once.
func (e *emitter) copies(params []ir.ValueID, args []ir.Arg, at int32) {
	if len(params) != len(args) {
		e.fail(ErrMalformed, "%d arguments for %d parameters", len(args), len(params))
		return
	}
	in := e.begin(kCopy, at)
	in.params = params
	for i, p := range params {
		for k := range args[i].Lanes[:args[i].N] {
			e.copy(e.p.valRow[p]+int32(k), e.row(args[i].Lanes[k]))
		}
	}
	if len(in.moves) > 0 {
		e.end()
	}
}

// copy adds one move to the current instruction.
func (e *emitter) copy(dst, src int32) {
	in := e.cur
	if dst == src {
		return
	}
	for _, m := range in.moves {
		in.via = in.via || m.dst == src
	}
	in.moves = append(in.moves, move{dst, src})
}

func (e *emitter) outputs(nd *ir.Node) {
	if len(nd.Args) != len(e.f.Outputs) {
		e.fail(ErrMalformed, "%d of %d outputs are returned", len(nd.Args), len(e.f.Outputs))
		return
	}
	in := e.begin(kCopy, nd.Instr)
	for i := range nd.Args {
		a, out := &nd.Args[i], &e.f.Outputs[i]
		for k := range a.Lanes[:a.N] {
			comp := int32(componentOf(out.Mask, uint8(k)))
			row, ok := e.p.special[out.RegType]
			if out.RegType == dxbc.RegOutput {
				row, ok = e.p.outRow+int32(out.Register)*4, out.Register < uint32(e.p.outs)
			}
			if ok { // what the program never names has no row
				e.copy(row+comp, e.row(a.Lanes[k]))
			}
		}
	}
	if len(in.moves) > 0 {
		e.end()
	}
}

// bindTo sets the resource of the current instruction.
func (e *emitter) bindTo(res int32) {
	in := e.cur
	in.swz = [4]uint8{0, 1, 2, 3}
	if res < 0 || int(res) >= len(e.res) {
		e.fail(ErrMalformed, "resource %d of %d", res, len(e.res))
		return
	}
	r := e.res[res]
	if r.class == ir.GroupShared {
		if in.shared = e.tgsm[e.f.Resources[res].Register]; in.shared == nil {
			e.fail(ErrMalformed, "g%d is not declared", e.f.Resources[res].Register)
		}
		return
	}
	in.res, in.resReg = r, r.lower
}

// value compiles an operation.
func (e *emitter) value(id ir.ValueID) {
	f := e.f
	v := &f.Values[id]
	info := v.Op.Info()
	if v.N > 4 || len(v.Args) != len(info.Args) {
		e.fail(ErrMalformed, "%s with %d lanes and %d operands", v.Op, v.N, len(v.Args))
		return
	}
	if v.Uniform { // the load waits for the group before and after
		e.barrier(v.Instr)
		defer e.barrier(v.Instr)
	}
	in := e.begin(kNop, v.Instr)
	in.val = id
	for k := range int32(v.N) {
		in.dst[0][k] = e.p.valRow[id] + k
	}
	for i := range v.Args {
		in.src[i] = e.rows(&v.Args[i])
	}
	in.nsrc = uint8(len(v.Args))
	in.op = v.Op
	row := func(arg int) int32 {
		if v.Args[arg].N == 0 {
			return -1
		}
		return in.src[arg][0]
	}
	switch {
	case v.Op.Is(ir.FlagLanewise | ir.FlagDerivative):
		in.kind, in.quads, in.via = kDeriv, true, true
	case v.Op.Is(ir.FlagLanewise):
		in.kind = kLane
	case v.Op.Is(ir.FlagDouble):
		in.kind, in.via = kDouble, true
	case v.Op.Is(ir.FlagTexture) && v.Samp >= 0:
		e.sampled(v)
	default:
		switch v.Op {
		case ir.OpDot:
			in.kind, in.via, in.n = kDot, true, v.Args[0].N
		case ir.OpCBLoad:
			e.fills(v, func(f *fill, k uint8, row func(int) int32) {
				r := e.res[v.Res]
				f.kind, f.imm, f.rel, f.reg, f.rel2, f.res, f.comp = fillCBuffer, v.Imm[0], row(0), r.lower+v.Imm[1], row(1), r, k
			})
		case ir.OpICBLoad:
			e.fills(v, func(f *fill, k uint8, row func(int) int32) {
				f.kind, f.imm, f.rel, f.comp = fillICB, v.Imm[0], row(0), k
			})
		case ir.OpArrayLoad:
			x := e.arrays[v.Res]
			e.fills(v, func(f *fill, k uint8, row func(int) int32) {
				f.kind, f.row, f.step, f.n, f.imm, f.rel = fillArray, x.row+int32(k), x.comps, x.n, v.Imm[0], row(0)
			})
		case ir.OpArrayStore:
			e.arrayStore(v, row(0))
		case ir.OpLoad, ir.OpLoadMS, ir.OpLoadTyped:
			in.kind, in.via = kLoad, true
			e.bindTo(v.Res)
			for i, o := range v.Offs {
				in.offs[i] = int32(o)
			}
			switch v.Op {
			case ir.OpLoad:
				in.dx = dxbc.OpLd
				if v.Args[1].N > 0 {
					in.src[0][3] = in.src[1][0]
				}
			case ir.OpLoadMS:
				in.dx = dxbc.OpLdms
			default:
				in.dx = dxbc.OpLdUavTyped
			}
		case ir.OpLoadRaw, ir.OpLoadStructured:
			in.kind, in.via = kLoadMem, true
			e.bindTo(v.Res)
			for k := range v.N {
				in.swz[k] = uint8(v.Imm[k] & 3)
			}
			in.src[0][1] = in.src[1][0]
			if v.Op == ir.OpLoadRaw {
				in.src[0][1] = -1
			}
			in.src[1] = [4]int32{-1, -1, -1, -1}
		case ir.OpStoreRaw, ir.OpStoreStructured:
			in.kind = kStoreMem
			e.bindTo(v.Res)
			words := &v.Args[len(v.Args)-1]
			in.storeMask = 1<<words.N - 1
			in.valRow = in.src[len(v.Args)-1]
			address := [4]int32{in.src[0][0], -1, -1, -1}
			if v.Op == ir.OpStoreStructured {
				address[1] = in.src[1][0]
			}
			none := [4]int32{-1, -1, -1, -1}
			in.src = [6][4]int32{address, none, none, none, none, none}
		case ir.OpStoreTyped:
			in.kind = kStoreTyped
			e.bindTo(v.Res)
			in.valRow = in.src[1]
			in.src[1] = [4]int32{-1, -1, -1, -1}
		case ir.OpAtomic:
			in.kind, in.via, in.atomic = kAtomic, true, ir.AtomicOp(v.Imm[0])
			e.bindTo(v.Res)
			in.valRow[0], in.cmpRow = in.src[1][0], row(2)
			in.src[1], in.src[2] = [4]int32{-1, -1, -1, -1}, [4]int32{-1, -1, -1, -1}
		case ir.OpCounterInc, ir.OpCounterDec:
			in.kind, in.via, in.dx = kCounter, true, dxbc.OpImmAtomicAlloc
			if v.Op == ir.OpCounterDec {
				in.dx = dxbc.OpImmAtomicConsume
			}
			e.bindTo(v.Res)
		case ir.OpResInfo:
			in.kind, in.via, in.result = kResInfo, true, uint8(v.Imm[0])
			e.bindTo(v.Res)
		case ir.OpBufInfo:
			in.kind, in.via = kBufInfo, true
			e.bindTo(v.Res)
		case ir.OpSampleInfo, ir.OpSamplePos:
			in.kind, in.via, in.result = kSampleInfo, true, 2
			if v.Op == ir.OpSamplePos {
				in.kind = kSamplePos
			}
			if v.Res >= 0 {
				e.bindTo(v.Res)
			}
			in.swz = [4]uint8{0, 1, 2, 3}
		case ir.OpEvalSnapped, ir.OpEvalSample, ir.OpEvalCentroid:
			e.evaluated(v)
		case ir.OpBarrier:
			in.kind, in.sync = kSync, uint8(v.Imm[0])
		case ir.OpGroupAny:
			in.kind, in.via, in.sync = kGroupAny, true, dxbc.SyncThreads
		case ir.OpDiscard:
			in.kind = kDiscard
		default:
			e.fail(ErrUnsupported, "no execution of %s", v.Op)
		}
	}
	e.end()
}

func (e *emitter) barrier(at int32) {
	e.begin(kSync, at).sync = dxbc.SyncThreads
	e.end()
}

// fills compiles a load as one fill for each lane and a move.
func (e *emitter) fills(v *ir.Value, set func(f *fill, k uint8, row func(arg int) int32)) {
	in := e.cur
	in.kind = kMov
	from := in.src // they make room for the lanes
	row := func(arg int) int32 {
		if v.Args[arg].N == 0 {
			return -1
		}
		return from[arg][0]
	}
	for k := range v.N {
		f := fill{dst: e.temp(), row: -1, rel: -1, rel2: -1}
		set(&f, k, row)
		in.fills = append(in.fills, f)
		in.src[0][k] = f.dst
	}
	in.nsrc = 1
	for k := v.N; k < 4; k++ {
		in.src[0][k] = -1
	}
	in.src[1] = [4]int32{-1, -1, -1, -1}
}

func (e *emitter) arrayStore(v *ir.Value, rel int32) {
	in := e.cur
	in.kind = kMov
	x := e.arrays[v.Res]
	from := in.src[1]
	in.src[0], in.src[1] = [4]int32{-1, -1, -1, -1}, [4]int32{-1, -1, -1, -1}
	k := 0
	for comp := range int32(4) {
		if v.Imm[1]>>comp&1 == 0 || k >= int(v.Args[1].N) {
			continue
		}
		if comp < x.comps {
			d := e.temp()
			in.src[0][k], in.dst[0][k] = from[k], d
			in.scatter = append(in.scatter, scatter{src: d, row: x.row + comp, step: x.comps, n: x.n, imm: v.Imm[0], rel: rel})
		}
		k++
	}
	in.nsrc = 1
}

// sampled compiles what needs a texture and a sampler.
func (e *emitter) sampled(v *ir.Value) {
	in := e.cur
	e.bindTo(v.Res)
	if v.Samp < 0 || int(v.Samp) >= len(e.res) || in.res == nil {
		e.fail(ErrMalformed, "%s without a texture or a sampler", v.Op)
		return
	}
	in.samp, in.sampReg = e.res[v.Samp], e.res[v.Samp].lower
	in.via = true
	in.kind = kSample
	in.n = v.Args[0].N
	in.offRow = [2]int32{-1, -1}
	for i, o := range v.Offs {
		in.offs[i] = int32(o)
	}
	src := in.src
	none := [4]int32{-1, -1, -1, -1}
	for i := 1; i < len(in.src); i++ {
		in.src[i] = none
	}
	for k := int(in.n); k < 4; k++ {
		in.src[0][k] = -1
	}
	arg := func(i int) int32 {
		if v.Args[i].N == 0 {
			return -1
		}
		return src[i][0]
	}
	switch v.Op {
	case ir.OpSample:
		in.quads, in.clampRow = true, arg(1)
	case ir.OpSampleBias:
		in.quads, in.lodRow, in.clampRow = true, arg(1), arg(2)
	case ir.OpSampleLevel:
		in.sampleKind, in.lodRow = lodExplicit, arg(1)
	case ir.OpSampleGrad:
		in.sampleKind, in.dxRow, in.dyRow, in.clampRow = lodGradient, src[1], src[2], arg(3)
	case ir.OpSampleCmp:
		in.quads, in.refRow, in.clampRow = true, arg(1), arg(2)
	case ir.OpSampleCmpZero:
		in.sampleKind, in.refRow = lodZero, arg(1)
	case ir.OpSampleLod:
		// The slice has no say in the level, so the operand may lack it.
		in.kind, in.quads = kLod, true
	case ir.OpGather, ir.OpGatherCmp, ir.OpGatherOffset, ir.OpGatherOffsetCmp:
		in.kind, in.comp = kGather, int(v.Imm[0]&3)
		next := 1
		if v.Op == ir.OpGatherOffset || v.Op == ir.OpGatherOffsetCmp {
			in.offRow = [2]int32{src[1][0], src[1][1]}
			next = 2
		}
		if v.Op == ir.OpGatherCmp || v.Op == ir.OpGatherOffsetCmp {
			in.refRow, in.comp = arg(next), 0
		}
	default:
		e.fail(ErrUnsupported, "no execution of %s", v.Op)
	}
}

// evaluated compiles the evaluation of an input elsewhere in the pixel.
func (e *emitter) evaluated(v *ir.Value) {
	in := e.cur
	in.kind, in.via, in.quads = kEval, true, true
	el := &e.f.Inputs[v.Imm[0]]
	if el.RegType != dxbc.RegInput || el.Register >= uint32(e.p.ins) {
		e.fail(ErrMalformed, "%s of something else than an input", v.Op)
		return
	}
	in.src[1] = in.src[0]
	in.src[0] = [4]int32{-1, -1, -1, -1}
	in.input = int32(el.Register)
	for k := range v.N {
		comp := componentOf(el.Mask, k)
		in.swz[k] = comp
		in.src[0][k] = e.p.inRow + in.input*4 + int32(comp)
	}
	switch v.Op {
	case ir.OpEvalSnapped:
		in.dx = dxbc.OpEvalSnapped
	case ir.OpEvalSample:
		in.dx = dxbc.OpEvalSampleIndex
	default:
		in.dx = dxbc.OpEvalCentroid
	}
}

// copyRows moves rows for the invocations, all of them before any is replaced.
func (m *Machine) copyRows(in *inst, lanes []int32) {
	if !in.via {
		for _, mv := range in.moves {
			d, s := m.rows[mv.dst], m.rows[mv.src]
			for _, i := range lanes {
				d[i] = s[i]
			}
			if m.tainted != nil {
				dt, st := m.taint[mv.dst], m.taint[mv.src]
				for _, i := range lanes {
					dt[i] = st[i] || m.tainted[i]
				}
			}
		}
		return
	}
	vals := make([]uint32, len(in.moves))
	marks := make([]bool, len(in.moves))
	for _, i := range lanes {
		for j, mv := range in.moves {
			vals[j] = m.rows[mv.src][i]
			if m.tainted != nil {
				marks[j] = m.taint[mv.src][i] || m.tainted[i]
			}
		}
		for j, mv := range in.moves {
			m.rows[mv.dst][i] = vals[j]
			if m.tainted != nil {
				m.taint[mv.dst][i] = marks[j]
			}
		}
	}
}

// groupAny is what any invocation of the group says, for all of them.
func (m *Machine) groupAny(in *inst, lanes []int32) {
	m.sync(in, lanes)
	any, marked := uint32(0), false
	for _, i := range lanes {
		if m.rows[in.src[0][0]][i] != 0 {
			any = 0xFFFFFFFF
		}
		marked = marked || m.tainted != nil && m.taint[in.src[0][0]][i]
	}
	for _, i := range lanes {
		m.outRows[0][i] = any
		if marked {
			m.flag(i)
		}
	}
	m.finish(in, 0, lanes)
}

// Value reads a lane of a value of a function that CompileFunction made
// executable, for an invocation. It reports false for what stands in no region
// (constants, inputs) and for other programs.
func (m *Machine) Value(v ir.ValueID, lane uint8, invocation int) (uint32, bool) {
	if v < 0 || int(v) >= len(m.p.valRow) || m.p.valRow[v] < 0 || lane >= m.p.fn.Values[v].N || invocation < 0 || invocation >= m.n {
		return 0, false
	}
	return m.rows[m.p.valRow[v]+int32(lane)][invocation], true
}
