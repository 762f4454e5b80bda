package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

// PremiseKind says what a program takes for granted of its caller.
type PremiseKind uint8

// The kinds of premises.
const (
	// PremiseDispatch is about how many groups are dispatched.
	PremiseDispatch PremiseKind = iota
	// PremiseOrder is about a pass that has to be done, and its results visible.
	PremiseOrder
	// PremiseContents is about what a writable resource holds before the program.
	PremiseContents
	// PremiseCounter is about the count of an append or consume buffer.
	PremiseCounter
	// PremiseSize is about how much is bound.
	PremiseSize
	// PremiseIndirect is about who reads the words that the program writes.
	PremiseIndirect
	// PremiseConstant is about the value of a constant.
	PremiseConstant
	// PremiseVertexBase is about the first vertex and instance of a draw.
	PremiseVertexBase
)

var premiseNames = [...]string{
	PremiseDispatch: "dispatch", PremiseOrder: "order", PremiseContents: "contents", PremiseCounter: "counter",
	PremiseSize: "size", PremiseIndirect: "indirect", PremiseConstant: "constant", PremiseVertexBase: "vertex-base",
}

func (k PremiseKind) String() string { return premiseNames[k] }

// MarshalText makes JSON print the word.
func (k PremiseKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the word back.
func (k *PremiseKind) UnmarshalText(b []byte) error {
	for i, n := range premiseNames {
		if n == string(b) {
			*k = PremiseKind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind of premise %q", b)
}

// Premise is one thing that a program takes for granted of its caller, as a
// relation between two values: Subject Relation Value. The emitted guards keep
// memory safe without it; the results are those intended only with it.
//
// Subjects and values are written with groups.x (groups dispatched),
// elements(u0), bytes(u0), counter(u0), consumed(u0) (elements that a dispatch
// takes from it), width(t0), rows and components of
// constant buffers (cb0[1].z), words of buffers (t0[3]) and arithmetic on them.
type Premise struct {
	Kind     PremiseKind `json:"kind"`
	Subject  string      `json:"subject"`
	Relation string      `json:"relation"` // ==, >=, !=, is, after
	Value    string      `json:"value"`
	Number   *int64      `json:"number,omitempty"`   // Value where it is a constant
	Register string      `json:"register,omitempty"` // resource that it is about: u0, cb3
	Space    uint32      `json:"space,omitempty"`
	Name     string      `json:"name,omitempty"` // of the resource or constant, raw
	Pass     string      `json:"pass,omitempty"` // order: the pass that comes first
	Text     string      `json:"text"`           // the premise as a sentence
	At       diag.Loc    `json:"at"`             // the instruction that it follows from
}

// Relation is the premise without its reason: "groups.x == 1".
func (p *Premise) Short() string { return p.Subject + " " + p.Relation + " " + p.Value }

const premiseRule = "a program does not contain what its caller does; guards keep memory safe without the premise, the intended results need it"

var premiseCodes = [...]diag.Code{
	PremiseDispatch: diag.Register(diag.Info{
		Code: "premise.dispatch", Title: "groups that have to be dispatched", Rule: premiseRule,
		Remedy: "dispatch as many groups as it says",
	}),
	PremiseOrder: diag.Register(diag.Info{
		Code: "premise.order", Title: "pass whose results have to be there", Rule: premiseRule + "; WebGPU makes the results of one dispatch visible to the next",
		Remedy: "run the passes in this order, on one queue, with the same buffers bound",
	}),
	PremiseContents: diag.Register(diag.Info{
		Code: "premise.contents", Title: "contents that a writable resource has before", Rule: premiseRule,
		Remedy: "write the contents before the pass; WebGPU starts buffers as zero",
	}),
	PremiseSize: diag.Register(diag.Info{
		Code: "premise.size", Title: "size of what is bound", Rule: premiseRule + ": loads past the end give zero, stores are dropped",
		Remedy: "bind a buffer of that size or more",
	}),
	PremiseIndirect: diag.Register(diag.Info{
		Code: "premise.indirect", Title: "words that look like indirect arguments", Rule: premiseRule + "; WebGPU's arguments are words as Direct3D's: dispatchWorkgroupsIndirect three, drawIndirect four, drawIndexedIndirect five",
		Remedy: "create the buffer with the usages STORAGE and INDIRECT if it is one of arguments",
	}),
	PremiseConstant: diag.Register(diag.Info{
		Code: "premise.constant", Title: "value of a constant", Rule: premiseRule,
		Remedy: "keep the constant in that range",
	}),
}

// Diag is the note that states the premise; false for kinds that the emitter
// notes with codes of its own (counters and first vertices).
func (p *Premise) Diag() (diag.Diag, bool) {
	if int(p.Kind) >= len(premiseCodes) || premiseCodes[p.Kind] == "" {
		return diag.Diag{}, false
	}
	return diag.New(diag.Note, premiseCodes[p.Kind], p.At, "%s: %s", p.Short(), p.Text), true
}

// SortPremises puts premises in their order, by kind and place, and takes out
// what is said twice.
func SortPremises(ps []Premise) []Premise {
	slices.SortStableFunc(ps, func(a, b Premise) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.At.Instr, b.At.Instr), cmp.Compare(a.Subject, b.Subject))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(ps, func(p Premise) bool {
		k := p.Kind.String() + " " + p.Short()
		if p.Kind == PremiseOrder {
			k += " " + p.Subject
		}
		dup := seen[k]
		seen[k] = true
		return dup
	})
}

// Premises derives what the program takes for granted: for compute programs the
// groups dispatched, sizes, contents before the dispatch, arguments of indirect
// calls and values of constants; for all programs initial counters and, for
// vertex programs, the first vertex and instance. exact says that conversions
// have Direct3D's results for every value. The order of passes follows from a
// whole effect: see the compiler.
func Premises(f *Function, exact bool) []Premise {
	p := &premises{f: f, exact: exact, forms: map[seen]form{}, exprs: map[seen]written{}}
	if len(f.Regions) == 0 {
		return nil
	}
	p.vertexBase()
	p.collect()
	p.counters()
	if f.Kind == dxbc.Compute {
		p.dispatch()
		p.sizes()
		p.contents()
		p.indirect()
		p.constants()
	}
	return SortPremises(p.out)
}

// premises is the analysis of one function.
type premises struct {
	f        *Function
	exact    bool
	out      []Premise
	forms    map[seen]form // linear forms found so far
	exprs    map[seen]written
	accesses []access
	guards   []guard // all bounds that the program tests, in program order
	loops    []guard // those that end a loop
	live     []ValueID
}

func (p *premises) add(kind PremiseKind, instr int32, subject, relation string, value uni, text string, args ...any) *Premise {
	q := Premise{Kind: kind, Subject: subject, Relation: relation, Value: value.String(), Text: fmt.Sprintf(text, args...)}
	if n, ok := value.constant(); ok {
		q.Number = &n
	}
	if instr >= 0 {
		q.At = diag.At(int(instr))
	}
	p.out = append(p.out, q)
	return &p.out[len(p.out)-1]
}

// of says which resource the premise is about.
func (q *Premise) of(f *Function, res int32) {
	r := &f.Resources[res]
	q.Register, q.Space, q.Name = r.Symbol(), r.Space, r.Name
}

// Symbol is the resource as D3D writes it: "t3"; a counter is that of its UAV.
func (r *Resource) Symbol() string {
	return [...]string{CBuffer: "cb", SRV: "t", Sampler: "s", UAV: "u", GroupShared: "g", Counter: "u"}[r.Class] + strconv.FormatUint(uint64(r.Register), 10)
}

func (p *premises) vertexBase() {
	if p.f.Kind != dxbc.Vertex {
		return
	}
	read := map[uint32]bool{}
	p.f.eachArg(func(a *Arg, _ ValueID, _ NodeID) {
		for _, l := range a.Lanes[:a.N] {
			if v := &p.f.Values[l.V]; v.Op == OpInput {
				read[v.Imm[0]] = true
			}
		}
	})
	for i := range p.f.Inputs {
		el := &p.f.Inputs[i]
		if !read[uint32(i)] {
			continue
		}
		switch el.SysValue {
		case dxbc.SysVertexID:
			p.add(PremiseVertexBase, el.Instr, "firstVertex, baseVertex", "==", number(0), "%s counts from the first vertex of the draw in Direct3D, and includes it in WebGPU", el.Semantic)
		case dxbc.SysInstanceID:
			p.add(PremiseVertexBase, el.Instr, "firstInstance", "==", number(0), "%s counts from the first instance of the draw in Direct3D, and includes it in WebGPU", el.Semantic)
		}
	}
}

func (p *premises) counters() {
	if !slices.ContainsFunc(p.live, func(id ValueID) bool {
		op := p.f.Values[id].Op
		return op == OpCounterInc || op == OpCounterDec
	}) {
		return
	}
	seen := map[int32]uint8{}
	first := map[int32]int32{}
	taken := map[int32]int64{} // consumed by every invocation; -1: by some
	always := p.always()
	for _, id := range p.live {
		v := &p.f.Values[id]
		if v.Op != OpCounterInc && v.Op != OpCounterDec {
			continue
		}
		if _, ok := first[v.Res]; !ok {
			first[v.Res] = v.Instr
		}
		if v.Op == OpCounterInc {
			seen[v.Res] |= 1
		} else {
			seen[v.Res] |= 2
			if !always[id] {
				taken[v.Res] = -1
			} else if taken[v.Res] >= 0 {
				taken[v.Res]++
			}
		}
	}
	for _, res := range sortedKeys(seen) {
		sym := p.f.Resources[res].Symbol()
		value, relation, text := number(0), "==", "the buffer is appended to: 0 starts it empty, the caller sets what it holds already"
		switch seen[res] {
		case 2:
			value, relation, text = symbol("elements("+sym+")"), "<=", "the buffer is consumed: the caller sets how many elements it holds"
		case 3:
			value, relation, text = symbol("elements("+sym+")"), "<=", "the count goes up and down: the caller sets what it starts from"
		}
		p.add(PremiseCounter, first[res], "counter("+sym+")", relation, value, "%s", text).of(p.f, res)
		if seen[res] != 2 {
			continue // what is appended may be consumed again
		}
		least, text := symbol("consumed("+sym+")"), "some invocations take an element: below their number the count wraps, and what they read is zero"
		if n := taken[res]; n > 0 && p.f.Kind == dxbc.Compute {
			g := p.f.ThreadGroup
			least = symbol("groups.x * groups.y * groups.z").times(n * int64(g[0]) * int64(g[1]) * int64(g[2]))
			text = "every invocation takes an element: below their number the count wraps, and what they read is zero"
		}
		p.add(PremiseCounter, first[res], "counter("+sym+")", ">=", least, "%s", text).of(p.f, res)
	}
}

// always finds the values that every invocation comes by once: those of the
// program's own region, up to the first construct that may return.
func (p *premises) always() map[ValueID]bool {
	out := map[ValueID]bool{}
	for _, n := range p.f.Regions[0].Nodes {
		nd := &p.f.Nodes[n]
		if nd.Kind == NodeValue {
			out[nd.Value] = true
		}
		if slices.ContainsFunc(nd.Regions, p.returns) {
			break
		}
	}
	return out
}

// returns reports whether a return stands in a region.
func (p *premises) returns(r RegionID) bool {
	return slices.ContainsFunc(p.f.Regions[r].Nodes, func(n NodeID) bool {
		nd := &p.f.Nodes[n]
		return nd.Kind == NodeReturn || slices.ContainsFunc(nd.Regions, p.returns)
	})
}

// axes of group counts and IDs.
const axes = "xyz"

// dispatch derives the groups that the caller dispatches, axis by axis.
func (p *premises) dispatch() {
	var used [3]bool // a value depends on the group's number on the axis
	p.f.eachArg(func(a *Arg, _ ValueID, _ NodeID) {
		for _, l := range a.Lanes[:a.N] {
			if v := &p.f.Values[l.V]; v.Op == OpInput {
				if id, axis := p.idOf(v, l.L); id == idGroup || id == idThread {
					used[axis] = true
				}
			}
		}
	})
	writes, repeats := p.effects()
	if writes < 0 {
		return // nothing that a caller could see
	}
	spare := ""
	for axis := range 3 {
		if used[axis] {
			p.extent(axis)
		} else {
			spare += axes[axis : axis+1]
		}
	}
	if spare != "" {
		if repeats >= 0 {
			p.add(PremiseDispatch, repeats, "groups."+spare, "==", number(1), "the number of the group is not read there: every further group does the same work again, which adds to what is there")
		} else {
			p.add(PremiseDispatch, writes, "groups."+spare, "==", number(1), "the number of the group is not read there: further groups only store the same again")
		}
	}
	p.strides()
}

// effects returns the first instruction that stores anything, and the first one
// whose effect is another one when it is repeated; -1 where there is none.
func (p *premises) effects() (writes, repeats int32) {
	writes, repeats = -1, -1
	loaded := map[int32]bool{}
	for i := range p.accesses {
		if a := &p.accesses[i]; !a.store && !a.atomic {
			loaded[a.res] = true
		}
	}
	note := func(at *int32, instr int32) {
		if *at < 0 {
			*at = instr
		}
	}
	for _, id := range p.live {
		switch v := &p.f.Values[id]; v.Op {
		case OpStoreRaw, OpStoreStructured, OpStoreTyped:
			if p.f.Resources[v.Res].Class == GroupShared {
				continue
			}
			note(&writes, v.Instr)
			if loaded[v.Res] {
				note(&repeats, v.Instr)
			}
		case OpAtomic:
			if p.f.Resources[v.Res].Class == GroupShared {
				continue
			}
			note(&writes, v.Instr)
			switch AtomicOp(v.Imm[0]) {
			case AtomicAnd, AtomicOr, AtomicIMax, AtomicIMin, AtomicUMax, AtomicUMin:
				if v.N > 0 {
					note(&repeats, v.Instr)
				}
			default:
				note(&repeats, v.Instr)
			}
		case OpCounterInc, OpCounterDec:
			note(&writes, v.Instr)
			note(&repeats, v.Instr)
		}
	}
	return writes, repeats
}

// extent derives how many groups an axis needs: as many as cover the bound that
// threads are compared with, or else the resource that they index.
func (p *premises) extent(axis int) {
	size := int64(p.f.ThreadGroup[axis])
	subject := "groups." + axes[axis:axis+1]
	for _, g := range p.bounds() {
		if g.equal {
			continue
		}
		if per, ok := (form{terms: g.terms}).span(axis, size); ok && per > 0 {
			p.add(PremiseDispatch, g.instr, subject, ">=", ceilDiv(g.below, per), "threads are compared with %s: so many groups reach it", g.below)
			return
		}
	}
	for _, stores := range []bool{true, false} {
		for i := range p.accesses {
			a := &p.accesses[i]
			if a.store != stores && !(stores && a.atomic) || a.bounded {
				continue
			}
			for c := range a.at {
				if !a.at[c].ok {
					continue
				}
				per, ok := a.at[c].span(axis, size)
				if !ok || per <= 0 {
					continue
				}
				extent := p.extentOf(a, c)
				p.add(PremiseDispatch, a.instr, subject, ">=", ceilDiv(symbol(extent), per),
					"%s is indexed by the number of the thread or group without a guard: so many groups reach all of it, what is past its end is dropped", p.f.Resources[a.res].Symbol()).of(p.f, a.res)
				return
			}
		}
	}
}

// bounds lists the guards of the program, first those of what it stores.
func (p *premises) bounds() []guard {
	var out []guard
	for i := range p.accesses {
		if p.accesses[i].store {
			out = append(out, p.accesses[i].guards...)
		}
	}
	return append(out, p.guards...)
}

// extentOf is the size of a resource along coordinate c.
func (p *premises) extentOf(a *access, c int) string {
	r := &p.f.Resources[a.res]
	switch r.Dim {
	case dxbc.DimRawBuffer:
		return "bytes(" + r.Symbol() + ")"
	case dxbc.DimBuffer, dxbc.DimStructuredBuffer:
		return "elements(" + r.Symbol() + ")"
	case dxbc.DimTexture1DArray:
		return [...]string{"width(", "layers("}[min(c, 1)] + r.Symbol() + ")"
	case dxbc.DimTexture2DArray, dxbc.DimTexture2DMSArray:
		return [...]string{"width(", "height(", "layers("}[min(c, 2)] + r.Symbol() + ")"
	}
	return [...]string{"width(", "height(", "depth("}[min(c, 2)] + r.Symbol() + ")"
}

// strides finds indices that put rows of groups behind each other with a row
// length that the caller gives: it has to be what is dispatched.
func (p *premises) strides() {
	for i := range p.accesses {
		a := &p.accesses[i]
		if len(a.at) != 1 || !a.at[0].ok {
			continue
		}
		x, y := a.at[0].axis(0), a.at[0].axis(1)
		if x == nil || y == nil || y.sym == "" || x.sym != "" || x.num <= 0 || y.num%x.num != 0 {
			continue
		}
		if a.limited[0] {
			continue // a guard keeps x inside its row
		}
		row := uni{{num: y.num / x.num, sym: y.sym}}
		if x.key.id == idThread {
			row = ceilDiv(row, int64(p.f.ThreadGroup[0]))
		}
		p.add(PremiseDispatch, a.instr, "groups.x", "==", row, "rows of %s are %s apart: another number of groups lets rows run into each other", p.f.Resources[a.res].Symbol(), y.sym).of(p.f, a.res)
	}
}

// sizes derives how large buffers have to be for the accesses whose bounds the
// program or the caller gives: the largest of those that differ by a number.
func (p *premises) sizes() {
	type bound struct {
		res  int32
		syms string
	}
	type need struct {
		bound
		n     int64
		total uni
		instr int32
	}
	var needs []need
	for i := range p.accesses {
		a := &p.accesses[i]
		if len(a.at) != 1 || !isBufferDim(p.f.Resources[a.res].Dim) {
			continue
		}
		last, ok := p.last(a)
		if !ok {
			continue
		}
		total := last.plus(number(a.width))
		var syms uni
		n := int64(0)
		for _, t := range total {
			if t.sym == "" {
				n += t.num
			} else {
				syms = append(syms, t)
			}
		}
		this := need{bound{a.res, syms.String()}, n, total, a.instr}
		if k := slices.IndexFunc(needs, func(x need) bool { return x.bound == this.bound }); k < 0 {
			needs = append(needs, this)
		} else if n > needs[k].n {
			needs[k] = this
		}
	}
	for _, x := range needs {
		text := "indices go up to there"
		if n, ok := x.total.constant(); ok {
			if n <= stated(&p.f.Resources[x.res]) {
				continue
			}
			text = "indices that do not depend on the caller go up to there"
		}
		p.add(PremiseSize, x.instr, p.extentOf(&access{res: x.res}, 0), ">=", x.total, "%s", text).of(p.f, x.res)
	}
}

// stated is the size that the binding's least size gives already.
func stated(r *Resource) int64 {
	if r.Dim == dxbc.DimRawBuffer {
		return 4
	}
	return 1
}

func isBufferDim(d dxbc.Dim) bool {
	return d == dxbc.DimBuffer || d == dxbc.DimRawBuffer || d == dxbc.DimStructuredBuffer
}

// contents finds the writable resources whose words from before matter.
func (p *premises) contents() {
	seen := map[int32]bool{}
	for i := range p.accesses {
		a := &p.accesses[i]
		r := &p.f.Resources[a.res]
		if r.Class != UAV || a.store && !a.atomic || seen[a.res] || p.stored(i) {
			continue
		}
		seen[a.res] = true
		text := "the program reads what is there before"
		if a.atomic {
			text = "the program changes what is there before"
			if a.exchange {
				continue
			}
		}
		subject := r.Symbol()
		if len(a.at) == 1 {
			if n, ok := a.at[0].constant(); ok && isBufferDim(r.Dim) {
				subject += "[" + strconv.FormatInt(n, 10) + "]"
			}
		}
		q := p.add(PremiseContents, a.instr, subject, "is", symbol("initialised"), "%s", text)
		q.of(p.f, a.res)
	}
}

// stored reports whether a store of the same program to the same place comes
// before access i, and is executed wherever i is.
func (p *premises) stored(i int) bool {
	a := &p.accesses[i]
	for k := range p.accesses[:i] {
		s := &p.accesses[k]
		if s.res != a.res || !s.store || s.atomic || len(s.at) != len(a.at) || len(s.guards) > len(a.guards) || s.width < a.width {
			continue
		}
		same := true
		for c := range a.at {
			d := a.at[c].plus(s.at[c], -1)
			n, ok := d.constant()
			same = same && ok && n == 0
		}
		for g := range s.guards {
			same = same && s.guards[g].instr == a.guards[g].instr
		}
		if same {
			return true
		}
	}
	return false
}

// indirect finds buffers that are written like the arguments of an indirect
// call: three to five words, each at a fixed distance from the start or from a
// place that is the same for all threads, and nothing else. A buffer that threads
// index by their number holds data.
func (p *premises) indirect() {
	type place struct {
		res  int32
		base string // what all threads add, in words; "" at the start
	}
	type words struct {
		mask  uint64
		instr int32
	}
	found := map[place]*words{}
	var order []place
	bad := map[int32]bool{}
	for i := range p.accesses {
		a := &p.accesses[i]
		r := &p.f.Resources[a.res]
		if r.Class != UAV || !isBufferDim(r.Dim) {
			continue
		}
		if len(a.at) != 1 || !a.at[0].ok || len(a.at[0].terms) > 0 || !a.store || a.atomic || r.Dim == dxbc.DimStructuredBuffer && r.Stride != 4 {
			bad[a.res] = true
			continue
		}
		var base uni
		n := int64(0)
		for _, x := range a.at[0].rest {
			if x.sym == "" {
				n += x.num
			} else {
				base = append(base, x)
			}
		}
		unit := int64(1)
		at := place{res: a.res}
		if len(base) > 0 {
			at.base = base.String()
		}
		if r.Dim == dxbc.DimRawBuffer {
			unit = 4
			switch {
			case len(base) == 0:
			case !slices.ContainsFunc(base, func(x prod) bool { return x.num%4 != 0 }):
				words := slices.Clone(base)
				for k := range words {
					words[k].num /= 4
				}
				at.base = words.String()
			case len(base) == 1:
				at.base += " / 4"
			default:
				at.base = "(" + at.base + ") / 4"
			}
		}
		w := found[at]
		if w == nil {
			w = &words{instr: a.instr}
			found[at] = w
			order = append(order, at)
		}
		if n < 0 || n/unit >= 32 {
			w.mask |= 1 << 63 // no arguments
			continue
		}
		for k := int64(0); k < max(a.width/unit, 1) && n/unit+k < 64; k++ {
			w.mask |= 1 << (n/unit + k)
		}
	}
	call := map[uint64]string{7: "dispatchWorkgroupsIndirect", 15: "drawIndirect, or dispatchWorkgroupsIndirect and a word more", 31: "drawIndexedIndirect"}
	for _, at := range order {
		w := found[at]
		what, ok := call[w.mask]
		if bad[at.res] || !ok {
			continue
		}
		r := &p.f.Resources[at.res]
		sym, base := r.Symbol(), ""
		if at.base != "" {
			base = at.base + " + "
		}
		p.add(PremiseIndirect, w.instr, fmt.Sprintf("%s[%s0..%d]", sym, base, bitLen(w.mask)-1), "is", symbol("arguments"), "words as %s reads them: if the caller does, the buffer has the usage INDIRECT", what).of(p.f, at.res)
	}
}

func bitLen(m uint64) int {
	n := 0
	for ; m != 0; m >>= 1 {
		n++
	}
	return n
}

// constants finds conversions, divisions and loops that depend on what the
// caller writes to constants.
func (p *premises) constants() {
	about := func(q *Premise, l Lane) {
		if res, name, ok := p.constantOf(l, exprDepth); ok {
			q.of(p.f, res)
			if name != "" {
				q.Name = name
			}
		}
	}
	for _, id := range p.live {
		v := &p.f.Values[id]
		switch v.Op {
		case OpFToI, OpFToU, OpFRcp, OpFDiv:
		default:
			continue
		}
		arg := v.Args[len(v.Args)-1]
		for k := range min(v.N, arg.N) {
			l := arg.Lanes[k]
			x, fromCaller := p.given(l)
			if !fromCaller {
				continue
			}
			switch v.Op {
			case OpFRcp, OpFDiv:
				about(p.add(PremiseConstant, v.Instr, x, "!=", number(0), "the program divides by it"), l)
			case OpFToU:
				if !p.exact {
					about(p.add(PremiseConstant, v.Instr, x, "is", symbol("finite, 0 to 4294967295"), "it becomes an unsigned integer"), l)
				}
			case OpFToI:
				if !p.exact {
					about(p.add(PremiseConstant, v.Instr, x, "is", symbol("finite, -2147483648 to 2147483647"), "it becomes an integer"), l)
				}
			}
		}
	}
	for i := range p.loops {
		g := &p.loops[i]
		if _, fixed := g.below.constant(); fixed {
			continue
		}
		q := p.add(PremiseConstant, g.instr, g.below.String(), "is", symbol("small enough to finish"), "a loop goes on up to it: devices are lost when a dispatch takes too long")
		about(q, g.bound)
	}
}
