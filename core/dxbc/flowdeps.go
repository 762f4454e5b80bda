package dxbc

import "slices"

// deps are what a slice follows besides variables: which branches decide whether a block
// runs, and which instructions meet in memory.
type deps struct {
	branches [][]int32 // by block: the instructions that decide on it, ascending
	decides  map[int32][]int32
	stores   map[Var][]int32 // ascending
	loads    map[Var][]int32
}

// depsOf finds them when first asked for.
func (f *Flow) depsOf() *deps {
	f.once.Do(func() {
		d := &deps{stores: map[Var][]int32{}, loads: map[Var][]int32{}}
		d.branches, d.decides = f.control()
		for i := range f.p.Instrs {
			if f.BlockOf(int32(i)) < 0 {
				continue
			}
			for _, m := range f.p.Instrs[i].memory() {
				if m.writes {
					d.stores[m.of] = append(d.stores[m.of], int32(i))
				}
				if m.reads {
					d.loads[m.of] = append(d.loads[m.of], int32(i))
				}
			}
		}
		f.deps = d
	})
	return f.deps
}

// access is one access to memory that instructions share.
type access struct {
	of            Var // u# or g#
	reads, writes bool
}

// hiddenCounter marks the counter of a UAV, which is memory of its own.
const hiddenCounter = 1 << 30

// memory lists the UAVs and the groupshared memory that the instruction reads or writes.
// An atomic does both: what it leaves depends on what was there.
func (in *Instr) memory() []access {
	if in.Op.Has(FlagDecl) || in.Op == OpCustomdata {
		return nil
	}
	var out []access
	for k := range in.Operands {
		o := &in.Operands[k]
		if o.Reg != RegUAV && o.Reg != RegGroupShared || o.NumIndex == 0 {
			continue
		}
		a := access{of: Var{o.Reg, int32(o.Index(0).Imm) &^ hiddenCounter}}
		switch {
		case in.Op == OpImmAtomicAlloc || in.Op == OpImmAtomicConsume:
			a.of.Index |= hiddenCounter
			a.reads, a.writes = true, true
		case in.Op.Has(FlagAtomic):
			a.reads, a.writes = true, true
		case in.Op.Has(FlagLoad):
			a.reads = k >= int(in.NumDst)
		case in.Op.Has(FlagSide):
			a.writes = k < int(in.NumDst)
		}
		if a.reads || a.writes {
			out = append(out, a)
		}
	}
	return out
}

// control returns, for every block, the branches that decide whether it runs, and for
// every branch the blocks: those that lie behind one of its ways up to where all ways have
// met again. It is control dependence by postdominators (Ferrante, Ottenstein, Warren: The
// Program Dependence Graph and Its Use in Optimization, 3.1). A discard decides on nothing:
// the invocation goes on as a helper.
func (f *Flow) control() (branches [][]int32, decides map[int32][]int32) {
	n := len(f.Blocks)
	exit := int32(n)
	leaves := make([]bool, n) // goes to the exit, besides where Succ says
	for b := range f.Blocks {
		last := f.p.Instrs[f.Blocks[b].End-1].Op
		leaves[b] = len(f.Blocks[b].Succ) == 0 || last == OpRetc
	}
	// Postorder of the reversed graph from the exit on. What no way out leads from, an
	// endless loop, counts as left at its end.
	order := make([]int32, 0, n)
	number := slices.Repeat([]int{-1}, n+1)
	type step struct {
		b    int32
		next int
	}
	visit := func(root int32) {
		number[root] = n // on the way
		stack := []step{{root, 0}}
		for len(stack) > 0 {
			s := &stack[len(stack)-1]
			if s.next < len(f.Blocks[s.b].Pred) {
				p := f.Blocks[s.b].Pred[s.next]
				s.next++
				if number[p] < 0 {
					number[p] = n
					stack = append(stack, step{p, 0})
				}
				continue
			}
			number[s.b] = len(order)
			order = append(order, s.b)
			stack = stack[:len(stack)-1]
		}
	}
	for b := range int32(n) {
		if leaves[b] && number[b] < 0 {
			visit(b)
		}
	}
	for b := int32(n) - 1; b >= 0; b-- {
		if number[b] < 0 {
			leaves[b] = true
			visit(b)
		}
	}
	number[exit] = n
	// Immediate postdominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
	ipdom := slices.Repeat([]int32{-1}, n+1)
	ipdom[exit] = exit
	meet := func(a, b int32) int32 {
		for a != b {
			for number[a] < number[b] {
				a = ipdom[a]
			}
			for number[b] < number[a] {
				b = ipdom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(order) {
			to := int32(-1)
			if leaves[b] {
				to = exit
			}
			for _, s := range f.Blocks[b].Succ {
				switch {
				case ipdom[s] < 0:
				case to < 0:
					to = s
				default:
					to = meet(to, s)
				}
			}
			if to >= 0 && to != ipdom[b] {
				ipdom[b], changed = to, true
			}
		}
	}
	branches, decides = make([][]int32, n), map[int32][]int32{}
	for a := range f.Blocks {
		ways := len(f.Blocks[a].Succ)
		if f.p.Instrs[f.Blocks[a].End-1].Op == OpRetc {
			ways++
		}
		if ways < 2 {
			continue
		}
		at := f.Blocks[a].End - 1
		for _, s := range f.Blocks[a].Succ {
			for b := s; b >= 0 && b != exit && b != ipdom[a]; b = ipdom[b] {
				if k := branches[b]; len(k) > 0 && k[len(k)-1] == at {
					continue // by another way already
				}
				branches[b] = append(branches[b], at)
				decides[at] = append(decides[at], b)
			}
		}
	}
	return branches, decides
}

// before reports whether the instruction from may run before to does, in one go through
// the program.
func (f *Flow) before(from, to int32) bool {
	a, b := f.BlockOf(from), f.BlockOf(to)
	if a < 0 || b < 0 {
		return false
	}
	return a == b && from < to || f.reach(a)[b]
}

// reach returns the blocks that can run behind a block.
func (f *Flow) reach(from int32) []bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.reached[from]; r != nil {
		return r
	}
	r := make([]bool, len(f.Blocks))
	todo := []int32{from}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range f.Blocks[b].Succ {
			if !r[s] {
				r[s] = true
				todo = append(todo, s)
			}
		}
	}
	if f.reached == nil {
		f.reached = map[int32][]bool{}
	}
	if len(f.reached) >= maxReached {
		clear(f.reached)
	}
	f.reached[from] = r
	return r
}

// maxReached bounds what is remembered of reach: a program may have thousands of blocks.
const maxReached = 256
