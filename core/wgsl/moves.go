package wgsl

import (
	"slices"
	"strings"

	"fxlens/core/ir"
)

// move is one assignment of a parallel copy.
type move struct {
	class int
	param ir.ValueID
	arg   ir.Arg
	reads []int // classes, each once
	step  bool  // of a counter: it reads its own class
	done  bool
}

// moves are the assignments of a parallel copy in the order that they are to be
// made: none before another one that reads what it overwrites.
type moves struct {
	list    []move
	at      map[int]int // by class: the move that assigns it; only of many
	readers []int       // by move: the other moves, still to be made, that read its class
	ready   [2][]int    // heaps of the moves that nothing waits for; steps apart
	from    [2]int      // no move before it is still to be made
	left    [2]int      // moves still to be made
	reads   []int       // memory for the lists of classes
}

// of returns the move that assigns class c, or -1.
func (ms *moves) of(c int) int {
	if ms.at != nil {
		if i, ok := ms.at[c]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(ms.list, func(m move) bool { return m.class == c })
}

func (ms *moves) kind(i int) int {
	if ms.list[i].step {
		return 1
	}
	return 0
}

// start counts who waits for whom.
func (ms *moves) start() {
	if len(ms.list) > 8 {
		ms.at = make(map[int]int, len(ms.list))
		for i := range ms.list {
			ms.at[ms.list[i].class] = i
		}
	}
	ms.readers = zeroed(ms.readers, len(ms.list))
	for i := range ms.list {
		for _, c := range ms.list[i].reads {
			if j := ms.of(c); j >= 0 && j != i {
				ms.readers[j]++
			}
		}
	}
	for i := range ms.list {
		k := ms.kind(i)
		ms.left[k]++
		if ms.readers[i] == 0 {
			ms.ready[k] = append(ms.ready[k], i) // ascending, which is a heap
		}
	}
}

// next returns the first move that can be made, or the first of all where each
// waits for another: then its variable has to be kept. Steps (i = i + 1) come
// last: then they can be the step of a for.
func (ms *moves) next() (i int, cycle bool) {
	k := 0
	if ms.left[0] == 0 {
		k = 1
	}
	if len(ms.ready[k]) > 0 {
		i = ms.ready[k][0]
	} else {
		for ms.list[ms.from[k]].done || ms.kind(ms.from[k]) != k {
			ms.from[k]++
		}
		i, cycle = ms.from[k], true
	}
	return i, cycle
}

// made notes that move i is made. kept says that the others read its class from a
// copy, so that they did not wait.
func (ms *moves) made(i int, kept bool) {
	m := &ms.list[i]
	k := ms.kind(i)
	m.done = true
	ms.left[k]--
	if !kept {
		ms.ready[k] = popInt(ms.ready[k])
	}
	for _, c := range m.reads {
		j := ms.of(c)
		if j < 0 || j == i || ms.list[j].done {
			continue
		}
		if ms.readers[j]--; ms.readers[j] == 0 {
			ms.ready[ms.kind(j)] = pushInt(ms.ready[ms.kind(j)], j)
		}
	}
}

// pushInt adds x to a heap.
func pushInt(h []int, x int) []int {
	h = append(h, x)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	return h
}

// popInt removes the least element of a heap.
func popInt(h []int) []int {
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		least := i
		for _, c := range [...]int{2*i + 1, 2*i + 2} {
			if c < n && h[c] < h[least] {
				least = c
			}
		}
		if least == i {
			return h
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// copies builds the assignments of n's arguments to the variables of the
// parameters, as if all were made at once: an assignment waits until no other
// one reads its variable, and a cycle is broken by a copy.
func (e *emitter) copies(id ir.NodeID, n *ir.Node) []stmt {
	e.reader = id
	ms := &e.moves
	*ms = moves{list: ms.list[:0], readers: ms.readers, ready: [2][]int{ms.ready[0][:0], ms.ready[1][:0]}, reads: ms.reads[:0]}
	e.eachEdge(n, func(param ir.ValueID, a ir.Arg) {
		c := e.vars.classOf(param)
		if v, ok := e.whole(a); ok && e.fold.place[v] == placeVar && e.vars.classOf(v) == c {
			return
		}
		m := move{class: c, param: param, arg: a}
		first := len(ms.reads)
		e.reads(a, id, func(v ir.ValueID) {
			if c := e.vars.classOf(v); !slices.Contains(ms.reads[first:], c) {
				ms.reads = append(ms.reads, c)
			}
		})
		m.reads = ms.reads[first:len(ms.reads):len(ms.reads)]
		m.step = slices.Contains(m.reads, c) && e.isCounter(param)
		ms.list = append(ms.list, m)
	})
	if len(ms.list) == 0 {
		return nil
	}
	ms.start()
	var out []stmt
	clear(e.snapshot)
	for range ms.list {
		i, cycle := ms.next()
		m := &ms.list[i]
		if cycle {
			c := m.class
			name := e.localName(e.className(c) + "_now")
			v := e.vars.classes[c].members[0]
			s := letStmt(name, e.varIdent(c, v))
			e.stampStmt(&s, m.param, n.Instr)
			out = append(out, s)
			if e.snapshot == nil {
				e.snapshot = map[int]string{}
			}
			e.snapshot[c] = name
		}
		ms.made(i, cycle)
		e.cur = m.param
		// its own variable is read before it is written
		now, kept := e.snapshot[m.class]
		delete(e.snapshot, m.class)
		s := e.assign(m.class, m.param, e.lanes(m.arg, e.kindOf(m.param)))
		if kept {
			e.snapshot[m.class] = now
		}
		e.stampStmt(&s, m.param, n.Instr)
		out = append(out, e.flush(m.param, n.Instr)...)
		out = append(out, s)
	}
	clear(e.snapshot)
	return out
}

// assign is the assignment of x to a variable, or its declaration with x.
func (e *emitter) assign(c int, v ir.ValueID, x *expr) stmt {
	cl := &e.vars.classes[c]
	name := e.className(c)
	if !cl.declared {
		cl.declared = true
		s := varStmt(name, "", x)
		if x.typ != (typ{e.kindOf(v), e.f.Values[v].N}) {
			s.decl = typ{e.kindOf(v), e.f.Values[v].N}.String()
		}
		return s
	}
	lhs := e.varIdent(c, v)
	if list := e.assignLanes(lhs, x); len(list) > 0 {
		return blockStmt(list...)
	}
	return e.compound(assignStmt(lhs, x))
}

// assignLanes is r = vec3<f32>(r.x, y, r.z) as r.y = y, for one or two lanes that
// do not read each other; nil where that is not possible.
func (e *emitter) assignLanes(lhs, x *expr) []stmt {
	if x.typ.n < 2 || !isConstructor(x) || len(x.args) < 2 {
		return nil
	}
	var list []stmt
	changed := ""
	at := 0
	for _, a := range x.args {
		names := laneNames[at : at+int(a.typ.n)]
		at += int(a.typ.n)
		if a.op == exMember && a.text == names && sameText(a.args[0], lhs) {
			continue
		}
		if a.typ.n != 1 || len(list) == 2 {
			return nil
		}
		changed += names
		list = append(list, assignStmt(e.lane(lhs, at-1), a))
	}
	if len(list) == 0 || len(list) == int(x.typ.n) {
		return nil
	}
	for i := range list {
		others := strings.ReplaceAll(changed, changed[i:i+1], "")
		if len(list) > 1 && readsLanes(list[i].x, lhs.text, others) {
			return nil
		}
	}
	for i := range list {
		list[i] = e.compound(list[i])
	}
	return list
}

// readsLanes reports whether x reads one of these lanes of the variable.
func readsLanes(x *expr, name, lanes string) bool {
	if x.op == exIdent && x.text == name {
		return true
	}
	if x.op == exMember && x.args[0].op == exIdent && x.args[0].text == name {
		return strings.ContainsAny(x.text, lanes)
	}
	for _, a := range x.args {
		if readsLanes(a, name, lanes) {
			return true
		}
	}
	return false
}

// compound turns v = v + x into v += x.
func (e *emitter) compound(s stmt) stmt {
	x := s.x
	if x.op != exBinary {
		return s
	}
	switch x.text {
	case "+", "-", "*", "/", "&", "|", "^", "<<", ">>":
	default:
		return s
	}
	if x.args[0].typ == s.lhs.typ && sameText(x.args[0], s.lhs) {
		e.silentTree(x.args[0])
		s.text, s.x = x.text+"=", x.args[1]
		s.value, s.instr = x.value, x.instr
	} else if (x.text == "+" || x.text == "*") && x.args[1].typ == s.lhs.typ && sameText(x.args[1], s.lhs) {
		e.silentTree(x.args[1])
		s.text, s.x = x.text+"=", x.args[0]
		s.value, s.instr = x.value, x.instr
	}
	return s
}

// silentTree notes that the instructions of x print nothing of their own.
func (e *emitter) silentTree(x *expr) {
	e.silent(x.instr)
	for _, a := range x.args {
		e.silentTree(a)
	}
}

// sameText reports whether a and b print alike; calls are not compared.
func sameText(a, b *expr) bool {
	if a.op != b.op || a.text != b.text || len(a.args) != len(b.args) || a.op == exCall {
		return false
	}
	for i := range a.args {
		if !sameText(a.args[i], b.args[i]) {
			return false
		}
	}
	return true
}

// varIdent names the variable of class c as value v.
func (e *emitter) varIdent(c int, v ir.ValueID) *expr {
	x := e.ident(e.className(c), RoleVariable, typ{e.kindOf(v), e.f.Values[v].N})
	x.value = v
	return x
}
