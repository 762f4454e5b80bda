package dxbc

import (
	"context"
	"slices"
	"sync"
)

// Flow is where control and data of a program can go: basic blocks and, lane by lane,
// which instructions a read may have its value from. It is built for any program that
// decodes; where the nesting is broken, control simply goes on to the next instruction.
// An indexable temporary is one variable without a definition that covers it whole; a UAV
// and groupshared memory are followed by slices alone. A Flow is safe for concurrent use.
type Flow struct {
	p      *Program
	Blocks []Block
	block  []int32 // of every instruction, or -1 in front of the first executable one
	match  []int32 // of if, else, loop, switch and what closes them: the partner behind
	open   []int32 // of what closes: the instruction that opens
	writes []map[Var]uint8

	once    sync.Once
	deps    *deps // by depsOf
	mu      sync.Mutex
	reached map[int32][]bool // by reach
}

// Block is a run of instructions that control enters at the first and leaves behind the last.
type Block struct {
	First, End int32   // instructions First to End-1
	Succ, Pred []int32 // blocks, ascending
}

// Var is a register that holds what an instruction wrote: r#, x# or o#.
type Var struct {
	Type  RegType
	Index int32
}

// Def is where lanes of a variable may come from. Instr is -1 for what no instruction
// wrote.
type Def struct {
	Instr int32
	Lanes uint8 // bit 0 is x
}

// Flow returns the flow of the program. It takes time in proportion to the program.
func (p *Program) Flow() *Flow {
	f := &Flow{p: p}
	f.nest()
	f.blocks()
	f.writes = make([]map[Var]uint8, len(f.Blocks))
	for b := range f.Blocks {
		m := make(map[Var]uint8)
		for i := f.Blocks[b].First; i < f.Blocks[b].End; i++ {
			in := &p.Instrs[i]
			for d := range int(in.NumDst) {
				if v, lanes, _ := in.written(d); lanes != 0 {
					m[v] |= lanes
				}
			}
		}
		f.writes[b] = m
	}
	return f
}

// nest pairs what opens with what closes.
func (f *Flow) nest() {
	n := len(f.p.Instrs)
	f.match, f.open = make([]int32, n), make([]int32, n)
	for i := range n {
		f.match[i], f.open[i] = -1, -1
	}
	var stack []int32
	closes := map[Op]Op{OpEndif: OpIf, OpElse: OpIf, OpEndloop: OpLoop, OpEndswitch: OpSwitch}
	for i := range n {
		op := f.p.Instrs[i].Op
		if want, ok := closes[op]; ok && len(stack) > 0 {
			top := stack[len(stack)-1]
			if o := f.p.Instrs[top].Op; o == want || o == OpElse && op == OpEndif {
				f.match[top], f.open[i] = int32(i), top
				stack = stack[:len(stack)-1]
			}
		}
		switch op {
		case OpIf, OpElse, OpLoop, OpSwitch:
			stack = append(stack, int32(i))
		}
	}
}

// Opens returns the instruction that opens what i closes, and Closes the one that closes
// what i opens; -1 for others. An else closes its if and is closed by the endif.
func (f *Flow) Opens(i int32) int32 { return f.at(f.open, i) }

// Closes is the inverse of Opens.
func (f *Flow) Closes(i int32) int32 { return f.at(f.match, i) }

func (f *Flow) at(t []int32, i int32) int32 {
	if i < 0 || int(i) >= len(t) {
		return -1
	}
	return t[i]
}

// jumps returns where control goes behind every executable instruction; ends are
// instructions behind which a block ends.
func (f *Flow) jumps() (succ func(i int32) []int32, ends []bool) {
	ins := f.p.Instrs
	n := int32(len(ins))
	ends = make([]bool, n)
	exit, again := make([]int32, n), make([]int32, n) // targets of break and continue
	cases := make(map[int32][]int32)                  // of switch: labels
	whole := make(map[int32]bool)                     // switch has a default
	labels := make(map[uint32]int32)
	var calls []int32
	firstLabel := n
	var stack []int32 // loops and switches
	for i := range n {
		exit[i], again[i] = -1, -1
		switch op := ins[i].Op; op {
		case OpLoop, OpSwitch:
			stack = append(stack, i)
		case OpEndloop, OpEndswitch:
			if len(stack) > 0 && f.open[i] == stack[len(stack)-1] {
				stack = stack[:len(stack)-1]
			}
		case OpCase, OpDefault:
			if k := len(stack) - 1; k >= 0 && ins[stack[k]].Op == OpSwitch {
				cases[stack[k]] = append(cases[stack[k]], i)
				whole[stack[k]] = whole[stack[k]] || op == OpDefault
			}
		case OpBreak, OpBreakc:
			if k := len(stack) - 1; k >= 0 && f.match[stack[k]] >= 0 {
				exit[i] = f.match[stack[k]] + 1
			}
		case OpContinue, OpContinuec:
			for k := len(stack) - 1; k >= 0; k-- {
				if ins[stack[k]].Op == OpLoop {
					again[i] = stack[k]
					break
				}
			}
		case OpLabel:
			firstLabel = min(firstLabel, i)
			if len(ins[i].Operands) > 0 && ins[i].Operands[0].NumIndex > 0 {
				labels[ins[i].Operands[0].Index(0).Imm] = i
			}
		case OpCall, OpCallc:
			calls = append(calls, i)
		}
		switch ins[i].Op {
		case OpIf, OpElse, OpEndloop, OpBreak, OpBreakc, OpContinue, OpContinuec, OpSwitch, OpRet, OpRetc, OpCall, OpCallc:
			ends[i] = true
		}
	}
	valid := func(ts ...int32) []int32 {
		var out []int32
		for _, t := range ts {
			if t >= 0 && t < n {
				out = append(out, t)
			}
		}
		return out
	}
	succ = func(i int32) []int32 {
		in := &ins[i]
		switch in.Op {
		case OpIf:
			if m := f.match[i]; m >= 0 {
				if ins[m].Op == OpElse {
					m++
				}
				return valid(i+1, m)
			}
		case OpElse:
			if m := f.match[i]; m >= 0 {
				return valid(m)
			}
		case OpEndloop:
			if o := f.open[i]; o >= 0 {
				return valid(o)
			}
		case OpBreak:
			if exit[i] >= 0 {
				return valid(exit[i])
			}
		case OpBreakc:
			if exit[i] >= 0 {
				return valid(i+1, exit[i])
			}
		case OpContinue:
			if again[i] >= 0 {
				return valid(again[i])
			}
		case OpContinuec:
			if again[i] >= 0 {
				return valid(i+1, again[i])
			}
		case OpSwitch:
			if m := f.match[i]; m >= 0 && len(cases[i]) > 0 {
				out := valid(cases[i]...)
				if !whole[i] {
					out = append(out, valid(m)...)
				}
				return out
			}
		case OpRet:
			if i > firstLabel { // of a subroutine: behind any call
				var out []int32
				for _, c := range calls {
					out = append(out, valid(c+1)...)
				}
				return out
			}
			return nil
		case OpCall, OpCallc:
			src := in.Operands
			if len(src) > 0 && src[len(src)-1].NumIndex > 0 {
				if l, ok := labels[src[len(src)-1].Index(0).Imm]; ok {
					return valid(i+1, l)
				}
			}
		}
		return valid(i + 1)
	}
	return succ, ends
}

// blocks cuts the program into blocks and joins them.
func (f *Flow) blocks() {
	ins := f.p.Instrs
	n := int32(len(ins))
	f.block = make([]int32, n)
	start := int32(0)
	for start < n && (ins[start].Op.Has(FlagDecl) || ins[start].Op == OpCustomdata) {
		f.block[start] = -1
		start++
	}
	if start == n {
		return
	}
	succ, ends := f.jumps()
	lead := make([]bool, n+1)
	lead[start] = true
	for i := start; i < n; i++ {
		switch ins[i].Op { // what control comes to from elsewhere
		case OpLoop, OpEndif, OpCase, OpDefault, OpLabel, OpHsControlPointPhase, OpHsForkPhase, OpHsJoinPhase:
			lead[i] = true
		}
		if ends[i] {
			lead[i+1] = true
			for _, t := range succ(i) {
				lead[t] = true
			}
		}
	}
	for i := start; i < n; {
		j := i + 1
		for j < n && !lead[j] {
			j++
		}
		for k := i; k < j; k++ {
			f.block[k] = int32(len(f.Blocks))
		}
		f.Blocks = append(f.Blocks, Block{First: i, End: j})
		i = j
	}
	for b := range f.Blocks {
		for _, t := range succ(f.Blocks[b].End - 1) {
			if s := f.block[t]; s >= 0 {
				f.Blocks[b].Succ = append(f.Blocks[b].Succ, s)
			}
		}
		slices.Sort(f.Blocks[b].Succ)
		f.Blocks[b].Succ = slices.Compact(f.Blocks[b].Succ)
		for _, s := range f.Blocks[b].Succ {
			f.Blocks[s].Pred = append(f.Blocks[s].Pred, int32(b))
		}
	}
}

// BlockOf returns the block of an instruction, or -1 for a declaration.
func (f *Flow) BlockOf(i int32) int32 { return f.at(f.block, i) }

// variable returns the variable that an operand names, if it is one.
func (o *Operand) variable() (v Var, ok bool) {
	switch o.Reg {
	case RegTemp, RegIndexableTemp, RegOutput:
		if o.NumIndex == 0 {
			return Var{}, false
		}
		return Var{o.Reg, int32(o.Index(0).Imm)}, true
	}
	return Var{}, false
}

// VarOf returns the variable of operand k of the instruction, if it is one.
func (in *Instr) VarOf(k int) (Var, bool) {
	if k < 0 || k >= len(in.Operands) {
		return Var{}, false
	}
	return in.Operands[k].variable()
}

// written returns what destination d writes; weak means that the rest of the variable
// may stay as it was even in these lanes.
func (in *Instr) written(d int) (v Var, lanes uint8, weak bool) {
	if d >= int(in.NumDst) || in.Op.Has(FlagDecl) {
		return Var{}, 0, false
	}
	o := &in.Operands[d]
	v, ok := o.variable()
	if !ok {
		return Var{}, 0, false
	}
	weak = o.Reg == RegIndexableTemp || o.Reg == RegOutput && o.Index(0).Rel != nil
	return v, o.written(), weak
}

// laneByLane reports whether lane k of a result depends on slot k of every source alone.
func (in *Instr) laneByLane() bool {
	switch in.Op {
	case OpDp2, OpDp3, OpDp4:
		return false
	}
	const other = FlagSample | FlagLoad | FlagSide | FlagFlow | FlagAtomic | FlagDecl | FlagDouble
	return in.Op.Info().Flags&other == 0
}

// Read is what an instruction reads of a variable.
type Read struct {
	Var   Var
	Lanes uint8
	For   uint8 // lanes of the destinations that depend on it; 15 where all do
}

// Reads lists what the instruction reads of variables, indices included.
func (in *Instr) Reads() []Read {
	if in.Op.Has(FlagDecl) || in.Op == OpCustomdata {
		return nil
	}
	var out []Read
	var index func(o *Operand)
	index = func(o *Operand) {
		for k := range min(int(o.NumIndex), 3) {
			r := o.Index(k).Rel
			if r == nil {
				continue
			}
			if v, ok := r.variable(); ok {
				out = append(out, Read{v, r.selected(15), 15})
			}
			index(r)
		}
	}
	for k := range in.Operands {
		o := &in.Operands[k]
		index(o)
		if k < int(in.NumDst) {
			continue
		}
		v, ok := o.variable()
		if !ok {
			continue
		}
		if !in.laneByLane() || o.Mode != CompSwizzle {
			want := uint8(15)
			switch in.Op {
			case OpDp2:
				want = 3
			case OpDp3:
				want = 7
			}
			out = append(out, Read{v, o.selected(want), 15})
			continue
		}
		var dst uint8
		for d := range int(in.NumDst) {
			dst |= in.Operands[d].written()
		}
		for l := range 4 {
			if dst>>l&1 != 0 {
				out = append(out, Read{v, 1 << (o.Swizzle[l] & 3), 1 << l})
			}
		}
	}
	return out
}

// selected returns the lanes that a source reads in the slots of want.
func (o *Operand) selected(want uint8) uint8 {
	switch o.Mode {
	case CompMask:
		return o.Mask
	case CompSelect:
		return 1 << (o.Swizzle[0] & 3)
	case CompSwizzle:
		var m uint8
		for l := range 4 {
			if want>>l&1 != 0 {
				m |= 1 << (o.Swizzle[l] & 3)
			}
		}
		return m
	case CompOne:
		return 1
	}
	return 15
}

// Reaching returns the instructions that lanes of v may come from where instruction at
// is about to run, ascending; an Instr of -1 comes first and stands for no write at all.
func (f *Flow) Reaching(at int32, v Var, lanes uint8) []Def {
	return f.walk(at, v, lanes, false)
}

// Uses returns the instructions that may read lanes of v as instruction at left them,
// with the lanes that each reads, ascending.
func (f *Flow) Uses(at int32, v Var, lanes uint8) []Def {
	return f.walk(at, v, lanes, true)
}

// walk goes from an instruction backward or forward along every way, until the lanes are
// written.
func (f *Flow) walk(at int32, v Var, lanes uint8, forward bool) []Def {
	b := f.BlockOf(at)
	if b < 0 || lanes == 0 {
		return nil
	}
	found := make(map[int32]uint8)
	seen := make(map[int32]uint8) // by block: lanes that entered it
	type way struct {
		block int32
		from  int32
		lanes uint8
	}
	from := at
	if forward {
		from = at + 1
	}
	todo := []way{{b, from, lanes}}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		left := f.run(w.block, w.from, v, w.lanes, forward, found)
		if left == 0 {
			continue
		}
		next := f.Blocks[w.block].Pred
		if forward {
			next = f.Blocks[w.block].Succ
		} else if len(next) == 0 {
			found[-1] |= left
		}
		for _, n := range next {
			if more := left &^ seen[n]; more != 0 {
				seen[n] |= more
				start := f.Blocks[n].End
				if forward {
					start = f.Blocks[n].First
				}
				todo = append(todo, way{n, start, more})
			}
		}
	}
	out := make([]Def, 0, len(found))
	for i, l := range found {
		out = append(out, Def{i, l})
	}
	slices.SortFunc(out, func(a, b Def) int { return int(a.Instr - b.Instr) })
	return out
}

// run goes through one block from an instruction on and returns the lanes that are left
// at its end. Going backward, from is the first instruction that is not looked at.
func (f *Flow) run(b, from int32, v Var, lanes uint8, forward bool, found map[int32]uint8) uint8 {
	if !forward && f.writes[b][v]&lanes == 0 {
		return lanes
	}
	kill := func(i int32) (hit, dead uint8) {
		in := &f.p.Instrs[i]
		for d := range int(in.NumDst) {
			w, l, weak := in.written(d)
			if w != v {
				continue
			}
			hit |= l & lanes
			if !weak {
				dead |= l & lanes
			}
		}
		return hit, dead
	}
	if !forward {
		for i := from - 1; i >= f.Blocks[b].First && lanes != 0; i-- {
			hit, dead := kill(i)
			if hit != 0 {
				found[i] |= hit
			}
			lanes &^= dead
		}
		return lanes
	}
	for i := from; i < f.Blocks[b].End && lanes != 0; i++ {
		for _, r := range f.p.Instrs[i].Reads() {
			if r.Var == v && r.Lanes&lanes != 0 {
				found[i] |= r.Lanes & lanes
			}
		}
		_, dead := kill(i)
		lanes &^= dead
	}
	return lanes
}

// Written returns what the instruction writes of variables.
func (in *Instr) Written() []Read {
	var out []Read
	for d := range int(in.NumDst) {
		if v, lanes, _ := in.written(d); lanes != 0 {
			out = append(out, Read{Var: v, Lanes: lanes, For: lanes})
		}
	}
	return out
}

// Backward returns the instructions that the given lanes of what instruction at writes
// may depend on, at itself included, ascending; lanes 0 are all, and what it reads. With
// the values go the branches that decide whether their instructions run, and the stores
// and atomics on the same UAV or groupshared memory that may come before a load: which
// element each one accesses is not told apart.
func (f *Flow) Backward(ctx context.Context, at int32, lanes uint8) ([]int32, error) {
	if f.BlockOf(at) < 0 {
		return nil, nil
	}
	if lanes == 0 {
		lanes = 15
	}
	on := f.depsOf()
	return f.slice(ctx, map[int32]uint8{at: lanes}, func(i int32, want uint8, add func(int32, uint8)) {
		in := &f.p.Instrs[i]
		for _, r := range in.Reads() {
			if r.For&want == 0 && in.NumDst > 0 {
				continue
			}
			for _, d := range f.Reaching(i, r.Var, r.Lanes) {
				if d.Instr >= 0 {
					add(d.Instr, d.Lanes)
				}
			}
		}
		for _, b := range on.branches[f.BlockOf(i)] {
			add(b, 15)
		}
		for _, m := range in.memory() {
			if !m.reads {
				continue
			}
			for _, s := range on.stores[m.of] {
				if f.before(s, i) {
					add(s, 15)
				}
			}
		}
	})
}

// Forward returns the instructions that may depend on the given lanes of what
// instruction at writes, at itself included, ascending; lanes 0 are all. It follows what
// Backward does, the other way round.
func (f *Flow) Forward(ctx context.Context, at int32, lanes uint8) ([]int32, error) {
	return f.ForwardAll(ctx, []int32{at}, lanes)
}

// ForwardAll is Forward for several instructions, such as all that read an input.
func (f *Flow) ForwardAll(ctx context.Context, from []int32, lanes uint8) ([]int32, error) {
	if lanes == 0 {
		lanes = 15
	}
	seeds := make(map[int32]uint8)
	for _, i := range from {
		if f.BlockOf(i) >= 0 {
			seeds[i] = lanes
		}
	}
	on := f.depsOf()
	return f.slice(ctx, seeds, func(i int32, made uint8, add func(int32, uint8)) {
		for _, b := range on.decides[i] {
			for k := f.Blocks[b].First; k < f.Blocks[b].End; k++ {
				switch f.p.Instrs[k].Op {
				case OpElse, OpEndif, OpLoop, OpEndloop, OpEndswitch, OpCase, OpDefault, OpLabel, OpNop:
					continue // stands there and does nothing
				}
				add(k, 15)
			}
		}
		for _, m := range f.p.Instrs[i].memory() {
			if !m.writes {
				continue
			}
			for _, l := range on.loads[m.of] {
				if f.before(i, l) {
					add(l, 15)
				}
			}
		}
		for _, w := range f.p.Instrs[i].Written() {
			if w.Lanes&made == 0 {
				continue
			}
			for _, u := range f.Uses(i, w.Var, w.Lanes&made) {
				var dst uint8
				for _, r := range f.p.Instrs[u.Instr].Reads() {
					if r.Var == w.Var && r.Lanes&u.Lanes != 0 {
						dst |= r.For
					}
				}
				add(u.Instr, dst)
			}
		}
	})
}

// slice follows step from the seeds until nothing is new. Lanes are those of destinations.
func (f *Flow) slice(ctx context.Context, seeds map[int32]uint8, step func(i int32, lanes uint8, add func(int32, uint8))) ([]int32, error) {
	done := make(map[int32]uint8, len(seeds))
	var todo []Def
	add := func(i int32, lanes uint8) {
		if more := lanes &^ done[i]; more != 0 {
			done[i] |= more
			todo = append(todo, Def{i, more})
		}
	}
	order := make([]int32, 0, len(seeds))
	for i := range seeds {
		order = append(order, i)
	}
	slices.Sort(order)
	for _, i := range order {
		add(i, seeds[i])
	}
	for n := 0; len(todo) > 0; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		step(d.Instr, d.Lanes, add)
	}
	out := make([]int32, 0, len(done))
	for i := range done {
		out = append(out, i)
	}
	slices.Sort(out)
	return out, nil
}
