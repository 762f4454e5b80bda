package interp

import "slices"

// assign finds the reads of temporaries that some path reaches without a write.
// Only those rows are watched at run time, so the others cost nothing.
func (c *compiler) assign() {
	p := c.p
	isTemp := func(r int32) bool { return r >= 0 && r < p.temps*4 }
	words := int(p.temps*4+63) / 64
	type open struct {
		kind  kind
		entry []uint64 // written before
		out   []uint64 // written on every way that left or ended an arm; nil: none yet
	}
	cur := make([]uint64, words)
	dead := false // behind a jump: everything counts as written
	var stack []open
	meet := func(dst *[]uint64) {
		if dead {
			return
		}
		if *dst == nil {
			*dst = slices.Clone(cur)
			return
		}
		for i := range cur {
			(*dst)[i] &= cur[i]
		}
	}
	watch := map[int32]bool{}
	read := func(in *inst, r int32) {
		if isTemp(r) && !dead && cur[r/64]>>(r%64)&1 == 0 && !slices.Contains(in.check, r) {
			in.check = append(in.check, r)
			watch[r] = true
		}
	}
	target := func(kinds ...kind) *open {
		for i := len(stack) - 1; i >= 0; i-- {
			if slices.Contains(kinds, stack[i].kind) {
				return &stack[i]
			}
		}
		return nil
	}
	for i := range p.insts {
		in := &p.insts[i]
		for _, f := range in.fills {
			if f.kind == fillMove {
				read(in, f.row)
			}
			read(in, f.rel)
			read(in, f.rel2)
		}
		for k := range in.src {
			for _, r := range in.src[k] {
				read(in, r)
			}
		}
		for _, r := range []int32{in.resRel, in.sampRel, in.lodRow, in.refRow, in.clampRow, in.cmpRow, in.ifaceRel} {
			read(in, r)
		}
		switch in.kind {
		case kSample:
			if in.sampleKind == lodGradient {
				for k := range 4 {
					read(in, in.dxRow[k])
					read(in, in.dyRow[k])
				}
			}
		case kStoreMem, kStoreTyped:
			for _, r := range in.valRow {
				read(in, r)
			}
		case kAtomic:
			read(in, in.valRow[0])
		case kGather:
			read(in, in.offRow[0])
			read(in, in.offRow[1])
		}
		for _, s := range in.scatter {
			read(in, s.rel)
		}
		for _, d := range in.dst {
			for _, r := range d {
				if isTemp(r) && !dead {
					cur[r/64] |= 1 << (r % 64)
				}
			}
		}
		if isTemp(in.status) && !dead {
			cur[in.status/64] |= 1 << (in.status % 64)
		}
		switch in.kind {
		case kIf, kLoop, kSwitch:
			stack = append(stack, open{kind: in.kind, entry: slices.Clone(cur)})
			if in.kind == kSwitch {
				if in.target < 0 { // no default: the switch may do nothing
					meet(&stack[len(stack)-1].out)
				}
				dead = true
			}
		case kElse:
			t := &stack[len(stack)-1]
			meet(&t.out)
			cur, dead = slices.Clone(t.entry), false
			t.kind = kElse
		case kEndif:
			t := &stack[len(stack)-1]
			meet(&t.out)
			if t.kind == kIf {
				cur, dead = t.entry, false
				meet(&t.out)
			}
			cur, dead = t.out, t.out == nil
			if dead {
				cur = t.entry
			}
			stack = stack[:len(stack)-1]
		case kCase:
			t := &stack[len(stack)-1]
			if dead {
				cur = slices.Clone(t.entry)
			} else { // falls through from the clause before
				for i := range cur {
					cur[i] &= t.entry[i]
				}
			}
			dead = false
		case kEndswitch, kEndloop:
			t := &stack[len(stack)-1]
			if in.kind == kEndswitch {
				meet(&t.out)
			}
			cur, dead = t.out, t.out == nil
			if dead {
				cur = t.entry
			}
			stack = stack[:len(stack)-1]
		case kBreak:
			if t := target(kLoop, kSwitch); t != nil {
				meet(&t.out)
			}
			dead = dead || in.src[0][0] < 0
		case kContinue, kRet:
			dead = dead || in.src[0][0] < 0
		case kLabel: // what the callers wrote is not known
			cur, dead = make([]uint64, words), false
		}
	}
	for r := range watch {
		p.tracked = append(p.tracked, r)
	}
	slices.Sort(p.tracked)
	for i := range p.insts {
		in := &p.insts[i]
		mark := func(r int32) {
			if watch[r] && !slices.Contains(in.mark, r) {
				in.mark = append(in.mark, r)
			}
		}
		for _, d := range in.dst {
			for _, r := range d {
				mark(r)
			}
		}
		mark(in.status)
	}
}
