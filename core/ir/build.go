package ir

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

// BuildOptions are what the builder has to be told besides the program.
type BuildOptions struct {
	// Classes holds the class instances chosen for the interface slots; nil where
	// none is chosen.
	Classes Classes
	// Predicated builds a compute program so that every group barrier stands in
	// uniform control flow by construction; see predicator.
	Predicated bool
}

// Classes answers what the application decides by binding class instances.
type Classes interface {
	// Body returns the function body ID of a method of element elem of interface fp.
	Body(fp, elem, method uint32) (body uint32, ok bool)
	// Elements is the array length of interface fp.
	Elements(fp uint32) uint32
	// This returns the words of this[slot]: constant buffer, offset in registers,
	// texture and sampler of the instance.
	This(slot uint32) (words [4]uint32, ok bool)
	// Slots is the number of interface slots.
	Slots() uint32
}

// Build makes the SSA form of a program, before any phase has run. The function
// is nil when one of the diagnostics is an error. It never panics on what
// dxbc.Open returns.
func Build(ctx context.Context, s *dxbc.Shader, opt BuildOptions) (*Function, []diag.Diag, error) {
	p := s.Program
	f := &Function{Shader: s, Program: p, Kind: p.Kind, Fates: make([]Fate, len(p.Instrs))}
	b := newBuilder(ctx, f)
	defer b.release()
	b.declare()
	b.classes = opt.Classes
	tree, flags, d := buildTree(p, f.Fates, opt.Classes, opt.Predicated && p.Kind == dxbc.Compute)
	if d != nil {
		b.diags = append(b.diags, *d)
	}
	if diag.HasErrors(b.diags) {
		return nil, b.diags, nil
	}
	b.number(flags)
	code := 0
	for i := range p.Instrs {
		if f.Fates[i] != FateDecl {
			code++
		}
	}
	f.Values = append(make([]Value, 0, len(f.Values)+code*3/2+8), f.Values...)
	f.Nodes = make([]Node, 0, code*5/4+4)
	if diag.HasErrors(b.diags) {
		return nil, b.diags, nil
	}
	b.tree(tree)
	if b.err != nil {
		return nil, nil, b.err
	}
	for i := range p.Instrs {
		if f.Fates[i] == FateLive && !b.seen[i] {
			f.Fates[i] = FateUnreachable
		}
	}
	sortDiags(b.diags)
	if diag.HasErrors(b.diags) {
		return nil, b.diags, nil
	}
	return f, b.diags, nil
}

// builders keeps the memory of builders that are done.
var builders = sync.Pool{New: func() any { return new(builder) }}

func newBuilder(ctx context.Context, f *Function) *builder {
	b := builders.Get().(*builder)
	*b = builder{
		f: f, p: f.Program, ctx: ctx,
		// Only memory, from here on: see release.
		consts: b.consts, rows: b.rows, xVars: b.xVars, xArray: b.xArray, xDecl: b.xDecl,
		cbs: b.cbs, srvs: b.srvs, uavs: b.uavs, samps: b.samps, tgsm: b.tgsm,
		seen: b.seen, cur: b.cur, log: b.log, scopes: b.scopes, outVars: b.outVars, inputs: b.inputs,
		noted: b.noted, place: b.place, order: b.order, vals: b.vals, sets: b.sets[:0],
	}
	if b.consts == nil {
		b.consts, b.rows = map[uint32]ValueID{}, map[rowKey]ValueID{}
		b.xVars, b.xArray, b.xDecl = map[uint32]int32{}, map[uint32]int32{}, map[uint32][2]uint32{}
		b.cbs, b.srvs, b.uavs, b.samps, b.tgsm = map[uint32]int32{}, map[uint32]int32{}, map[uint32]int32{}, map[uint32]int32{}, map[uint32]int32{}
	}
	b.seen = zeroed(b.seen, len(f.Program.Instrs))
	return b
}

// release gives the builder's memory to the next one. Nothing of it may be in
// the function or the diagnostics.
func (b *builder) release() {
	if len(b.p.Instrs) > 1<<17 || cap(b.cur) > 1<<17 { // a huge program's goes back to the heap
		return
	}
	b.consts, b.rows = emptied(b.consts), emptied(b.rows)
	b.xVars, b.xArray, b.xDecl = emptied(b.xVars), emptied(b.xArray), emptied(b.xDecl)
	for _, m := range []*map[uint32]int32{&b.cbs, &b.srvs, &b.uavs, &b.samps, &b.tgsm} {
		*m = emptied(*m)
	}
	clear(b.scopes[:cap(b.scopes)])
	b.f, b.p, b.ctx, b.err, b.diags, b.classes = nil, nil, nil, nil, nil, nil
	b.log, b.scopes, b.argSlab = b.log[:0], b.scopes[:0], nil
	builders.Put(b)
}

// emptied is m without its entries; a large one, which would take long to clear each
// time, goes back to the heap.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > 1<<10 {
		return map[K]V{}
	}
	clear(m)
	return m
}

type rowKey struct {
	res int32
	row uint32
}

// change is an entry of the undo log: variable v had value old.
type change struct {
	v   int32
	old Lane
}

// scope is a loop or switch being built.
type scope struct {
	node   NodeID
	isLoop bool
	mark   int     // length of the log at the entry
	vars   []int32 // loop: variables with a header parameter
	breaks []exit
	conts  []NodeID
}

// exit is a break with what it carries out of the construct.
type exit struct {
	node NodeID
	set  []binding
}

type binding struct {
	v int32
	l Lane
}

type builder struct {
	f     *Function
	p     *dxbc.Program
	ctx   context.Context
	err   error
	diags []diag.Diag
	seen  []bool // instructions reached by the walk

	consts map[uint32]ValueID
	inputs []ValueID // by element: 1 + its value, or 0
	rows   map[rowKey]ValueID
	undef  ValueID

	argSlab []Arg // where operands come from

	// Memory of changed and join, all by variable but for the lists.
	noted []int32 // the last round that noted it
	place []int32 // its place in the list at hand
	round int32
	order []int32
	vals  []Lane
	sets  []binding // of which changed returns parts

	cur    []Lane // value of every variable
	log    []change
	scopes []scope
	region RegionID
	steps  int

	// variable numbering
	tempVars int32
	xVars    map[uint32]int32 // first variable of a promoted x#
	xArray   map[uint32]int32 // index into Arrays of an x# in memory
	outVars  []int32          // first variable of each output element
	flagVars int32
	numVars  int32
	outIndex elemIndex // output element of a register component
	inIndex  elemIndex
	inArray  []arrayRange
	outArray []arrayRange
	classes  Classes
	cbs      map[uint32]int32 // SM5.0: by slot; 5.1: by range ID
	srvs     map[uint32]int32
	uavs     map[uint32]int32
	samps    map[uint32]int32
	tgsm     map[uint32]int32
	sm51     bool
	xDecl    map[uint32][2]uint32
	instr    int32
}

type outKey struct {
	reg  dxbc.RegType
	num  uint32
	comp uint8
}

// elemIndex finds the signature element of a register component. The usual
// registers, v# and o# below 64, have a table.
type elemIndex struct {
	table [2][64][4]int16 // 1 + element, or 0
	other map[outKey]int
}

func (x *elemIndex) place(k outKey) *int16 {
	if (k.reg == dxbc.RegInput || k.reg == dxbc.RegOutput) && k.num < 64 {
		return &x.table[k.reg-dxbc.RegInput][k.num][k.comp&3]
	}
	return nil
}

func (x *elemIndex) get(k outKey) (int, bool) {
	if p := x.place(k); p != nil && *p != 0 {
		return int(*p) - 1, true
	}
	i, ok := x.other[k]
	return i, ok
}

func (x *elemIndex) set(k outKey, i int) {
	if p := x.place(k); p != nil && i < math.MaxInt16 {
		*p = int16(i) + 1
		return
	}
	if x.other == nil {
		x.other = map[outKey]int{}
	}
	x.other[k] = i
}

type arrayRange struct {
	first, count uint32
	array        int32
}

var (
	codeUndeclared = diag.Register(diag.Info{
		Code: "lower.undeclared", Title: "operand without a declaration",
		Rule:   "every register that an instruction names is declared before (D3D11 functional specification, shader declarations)",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeOperand = diag.Register(diag.Info{
		Code: "lower.operand", Title: "operand that the instruction cannot have",
		Rule:   "operand types, indices and modifiers follow opcodes.tsv and dxbc.md section 3",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeOpcode = diag.Register(diag.Info{
		Code: "lower.opcode", Title: "instruction without a translation",
		Rule:   "WGSL has nothing that gives the instruction's result",
		Remedy: "rewrite the HLSL so that the compiler does not need the instruction",
	})
	codeStage = diag.Register(diag.Info{
		Code: "lower.stage-kind", Title: "stage that WebGPU does not have",
		Rule:   "WebGPU has vertex, fragment and compute stages; geometry, hull and domain stages have no counterpart",
		Remedy: "none: draw the pass without this stage, or do its work in a compute pass",
	})
	codeUndefined = diag.Register(diag.Info{
		Code: "lower.undefined-read", Title: "register lane that no path wrote",
		Rule:   "D3D leaves the value undefined; we read zero",
		Remedy: "initialise the variable in the HLSL; --strict refuses the program",
	})
	codeDynamicResource = diag.Register(diag.Info{
		Code: "lower.dynamic-resource", Title: "resource chosen by a register",
		Rule:   "WGSL has no binding arrays: a resource is named, never indexed",
		Remedy: "index the resource array with a constant, for example by unrolling the loop",
	})
)

func (b *builder) fail(code diag.Code, format string, args ...any) {
	b.diags = append(b.diags, diag.New(diag.Error, code, diag.At(int(b.instr)), format, args...))
}

// sortDiags brings diagnostics into program order; those of one instruction keep theirs.
func sortDiags(ds []diag.Diag) {
	slices.SortStableFunc(ds, func(a, b diag.Diag) int { return cmp.Compare(a.At.Instr, b.At.Instr) })
}

// number gives every register lane that the program keeps in SSA a variable.
func (b *builder) number(flags int32) {
	dynamic := b.dynamicArrays()
	b.numVars = b.tempVars
	b.inputs = zeroed(b.inputs, len(b.f.Inputs))
	for _, x := range sortedKeys(b.xDecl) {
		d := b.xDecl[x]
		if dynamic[x] || d[0] > 64 {
			b.xArray[x] = int32(len(b.f.Arrays))
			b.f.Arrays = append(b.f.Arrays, Array{Class: TempArray, Index: x, Len: d[0], N: uint8(d[1]), Instr: b.xInstr(x)})
			continue
		}
		b.xVars[x] = b.numVars
		b.numVars += int32(d[0]) * 4
	}
	b.outVars = zeroed(b.outVars, len(b.f.Outputs))
	for i := range b.f.Outputs {
		b.outVars[i] = b.numVars
		b.numVars += 4
	}
	b.flagVars = b.numVars
	b.numVars += flags
	b.undef = b.leaf(Value{Op: OpUndef, N: 1, Reg: -1, Instr: -1})
	b.cur = zeroed(b.cur, int(b.numVars))
	b.noted, b.place, b.round = zeroed(b.noted, int(b.numVars)), zeroed(b.place, int(b.numVars)), 0
	for i := range b.cur {
		b.cur[i] = Lane{V: NoValue}
	}
}

// leaf makes a value that stands in no region: it is visible everywhere.
func (b *builder) leaf(v Value) ValueID {
	v.Node = NoNode
	v.Res, v.Samp = orNone(v.Res, v.Op), -1
	b.f.Values = append(b.f.Values, v)
	return ValueID(len(b.f.Values) - 1)
}

func orNone(res int32, op Op) int32 {
	if op == OpCBLoad {
		return res
	}
	return -1
}

// constant returns a lane that holds the bits.
func (b *builder) constant(bits uint32) Lane {
	id, ok := b.consts[bits]
	if !ok {
		id = b.leaf(Value{Op: OpConst, N: 1, Reg: -1, Instr: -1, Imm: [4]uint32{bits}})
		b.consts[bits] = id
	}
	return Lane{V: id}
}

// value appends an operation to the current region.
func (b *builder) value(v Value) ValueID {
	v.Instr = b.instr
	id := ValueID(len(b.f.Values))
	v.Node = b.node(Node{Kind: NodeValue, Instr: b.instr, Value: id, Target: NoNode})
	b.f.Values = append(b.f.Values, v)
	return id
}

// pure appends an operation of n lanes that names no resource.
func (b *builder) pure(op Op, n uint8, args ...Arg) ValueID {
	own := b.newArgs(len(args))
	copy(own, args)
	return b.value(Value{Op: op, N: n, Reg: -1, Res: -1, Samp: -1, Args: own})
}

// newArgs returns operands for one value.
func (b *builder) newArgs(n int) []Arg {
	if len(b.argSlab) < n {
		b.argSlab = make([]Arg, max(n, min(64, 2*len(b.p.Instrs))))
	}
	return carve(&b.argSlab, n)
}

// not is the negation of a condition.
func (b *builder) not(cond ValueID) ValueID {
	v := b.pure(OpNot, 1, Scalar(Lane{V: cond}))
	b.f.Values[v].Kind = Bool
	return v
}

func (b *builder) node(n Node) NodeID { return b.f.Add(b.region, n) }

func (b *builder) newRegion(parent NodeID) RegionID {
	b.f.Regions = append(b.f.Regions, Region{Parent: parent})
	return RegionID(len(b.f.Regions) - 1)
}

func (b *builder) param(node NodeID, v int32) ValueID {
	id := ValueID(len(b.f.Values))
	reg, out, comp := b.varName(v)
	b.f.Values = append(b.f.Values, Value{Op: OpParam, N: 1, Reg: reg, Out: out, RegLanes: [4]uint8{comp}, Instr: b.f.Nodes[node].Instr, Res: -1, Samp: -1, Node: node})
	return id
}

// varName is the temp register of a variable, or -1, the output that it is a
// component of, counted from 1, or 0, and the component.
func (b *builder) varName(v int32) (reg, out int32, comp uint8) {
	if v < b.tempVars {
		return v / 4, 0, uint8(v % 4)
	}
	if n := len(b.outVars); n > 0 && v >= b.outVars[0] && v < b.outVars[n-1]+4 {
		return -1, (v-b.outVars[0])/4 + 1, uint8((v - b.outVars[0]) % 4)
	}
	return -1, 0, 0
}

func (b *builder) set(v int32, l Lane) {
	if b.region != 0 { // the body is never taken back
		b.log = append(b.log, change{v, b.cur[v]})
	}
	b.cur[v] = l
}

// get reads a variable; a lane that was never written is undefined.
func (b *builder) get(v int32) Lane {
	l := b.cur[v]
	if l.V == NoValue {
		return Lane{V: b.undef}
	}
	return l
}

// rollback undoes the log down to mark and returns what the variables changed
// since then held, each once, in order of first change.
func (b *builder) rollback(mark int) []binding {
	set := b.changed(mark)
	b.undo(mark)
	return set
}

// undo takes the log back to mark.
func (b *builder) undo(mark int) {
	for i := len(b.log) - 1; i >= mark; i-- {
		b.cur[b.log[i].v] = b.log[i].old
	}
	b.log = b.log[:mark]
}

// changed returns the variables changed since mark with their present values.
func (b *builder) changed(mark int) []binding {
	b.round++
	first := len(b.sets)
	for _, c := range b.log[mark:] {
		if b.noted[c.v] != b.round {
			b.noted[c.v] = b.round
			b.sets = append(b.sets, binding{c.v, b.cur[c.v]})
		}
	}
	return b.sets[first:len(b.sets):len(b.sets)]
}
