package ir

import (
	"fmt"
	"slices"

	"fxlens/core/dxbc"
)

// tree builds the body.
func (b *builder) tree(list []stmt) {
	b.region = b.newRegion(NoNode)
	if b.list(list) {
		b.instr = -1
		b.ret(-1)
	}
}

// list builds statements into the current region and reports whether control
// comes out at the end; then the caller adds the terminator.
func (b *builder) list(list []stmt) bool {
	for i := range list {
		if !b.goesOn() || !b.stmt(&list[i]) {
			return false
		}
	}
	return true
}

// goesOn reports whether nothing has stopped the builder.
func (b *builder) goesOn() bool {
	b.steps++
	if b.steps%1000 == 0 && b.err == nil {
		if err := b.ctx.Err(); err != nil {
			b.err = fmt.Errorf("building SSA: %w", err)
		}
	}
	return b.err == nil
}

func (b *builder) stmt(s *stmt) bool {
	if s.kind == sOps {
		for i := s.instr; i < s.end && b.goesOn(); i++ {
			b.seen[i], b.instr = true, i
			b.op(&b.p.Instrs[i])
		}
		return b.err == nil
	}
	if s.instr >= 0 {
		b.seen[s.instr] = true
	}
	b.instr = s.instr
	switch s.kind {
	case sSet:
		b.set(b.flagVars+s.flag, b.constant(s.value))
		return true
	case sIf:
		return b.ifStmt(s)
	case sLoop:
		return b.loopStmt(s)
	case sSwitch:
		return b.switchStmt(s)
	case sBreak:
		if len(b.scopes) == 0 {
			b.fail(codeStructure, "break outside a loop or switch")
			return false
		}
		sc := &b.scopes[len(b.scopes)-1]
		n := b.node(Node{Kind: NodeBreak, Instr: s.instr, Target: sc.node, Value: NoValue})
		sc.breaks = append(sc.breaks, exit{n, b.changed(sc.mark)})
		return false
	case sContinue:
		for i := len(b.scopes) - 1; i >= 0; i-- {
			if b.scopes[i].isLoop {
				b.continueTo(i, s.instr)
				return false
			}
		}
		b.fail(codeStructure, "continue outside a loop")
		return false
	default:
		b.ret(s.instr)
		return false
	}
}

func (b *builder) continueTo(scope int, instr int32) {
	sc := &b.scopes[scope]
	args := b.newArgs(len(sc.vars))
	for i, v := range sc.vars {
		args[i] = Scalar(b.get(v))
	}
	n := b.node(Node{Kind: NodeContinue, Instr: instr, Target: sc.node, Value: NoValue, Args: args})
	sc.conts = append(sc.conts, n)
}

func (b *builder) ret(instr int32) {
	args := b.newArgs(len(b.f.Outputs))
	for i := range b.f.Outputs {
		a := &args[i]
		out := &b.f.Outputs[i]
		if arr, first, ok := arrayOf(b.outArray, out.Register); ok && out.RegType == dxbc.RegOutput {
			v := b.value(Value{Op: OpArrayLoad, N: 4, Reg: -1, Res: arr, Samp: -1, Imm: [4]uint32{out.Register - first}, Args: []Arg{{}}})
			for c := uint8(0); c < 4; c++ {
				if out.Mask>>c&1 != 0 {
					a.Lanes[a.N] = Lane{v, c}
					a.N++
				}
			}
			continue
		}
		for c := uint8(0); c < 4; c++ {
			if b.f.Outputs[i].Mask>>c&1 != 0 {
				a.Lanes[a.N] = b.get(b.outVars[i] + int32(c))
				a.N++
			}
		}
	}
	b.node(Node{Kind: NodeReturn, Instr: instr, Target: NoNode, Value: NoValue, Args: args})
}

// condition reads the tested operand as a Bool lane that is true where the
// then-arm runs.
func (b *builder) condition(s *stmt) Arg {
	var l Lane
	if s.cond < 0 {
		l = b.get(b.flagVars + s.flag)
	} else {
		in := &b.p.Instrs[s.cond]
		l = b.readLane(&in.Operands[0], 0, 'w')
	}
	v := b.pure(OpTestNZ, 1, Scalar(l))
	if s.cond == condAny {
		v = b.pure(OpGroupAny, 1, Scalar(Lane{V: v}))
	}
	if !s.nonZero {
		v = b.not(v)
	}
	return Scalar(Lane{V: v})
}

func (b *builder) ifStmt(s *stmt) bool {
	cond := b.condition(s)
	id := b.node(Node{Kind: NodeIf, Instr: s.instr, Target: NoNode, Value: NoValue, Construct: &Construct{Cond: cond, Default: -1, EndInstr: s.end}})
	outer := b.region
	thenR, elseR := b.newRegion(id), b.newRegion(id)
	b.f.Nodes[id].Regions = []RegionID{thenR, elseR}
	mark := len(b.log)

	b.region = thenR
	thenOut := b.list(s.body)
	thenSet := b.rollback(mark)
	thenYield := NoNode
	if thenOut {
		thenYield = b.node(Node{Kind: NodeYield, Instr: -1, Target: id, Value: NoValue})
	}
	b.region = elseR
	elseOut := b.list(s.alt)
	elseSet := b.rollback(mark)
	elseYield := NoNode
	if elseOut {
		elseYield = b.node(Node{Kind: NodeYield, Instr: -1, Target: id, Value: NoValue})
	}
	b.region = outer
	switch {
	case !thenOut && !elseOut:
		return false
	case thenOut && elseOut:
		b.join(id, []exit{{thenYield, thenSet}, {elseYield, elseSet}})
	case thenOut:
		b.join(id, []exit{{thenYield, thenSet}})
	default:
		b.join(id, []exit{{elseYield, elseSet}})
	}
	return b.err == nil
}

// join gives node a parameter for each variable that one of its exits changed,
// and each exit the argument. A variable keeps its old value where an exit did
// not change it.
func (b *builder) join(id NodeID, exits []exit) {
	b.round++
	order := b.order[:0]
	for _, e := range exits {
		for _, s := range e.set {
			if b.noted[s.v] != b.round {
				b.noted[s.v] = b.round
				order = append(order, s.v)
			}
		}
	}
	b.order = order
	if len(order) == 0 {
		return
	}
	slices.Sort(order)
	for i, v := range order {
		b.place[v] = int32(i)
	}
	// One row for each exit: what it carries of each variable.
	vals := b.vals[:0]
	for _, e := range exits {
		first := len(vals)
		for _, v := range order {
			vals = append(vals, b.get(v))
		}
		for _, s := range e.set {
			if s.l.V == NoValue {
				s.l = Lane{V: b.undef}
			}
			vals[first+int(b.place[s.v])] = s.l
		}
	}
	b.vals = vals
	differ := order[:0] // in place: what all exits leave alone goes
	for j, v := range order {
		for i := range exits {
			if vals[i*len(order)+j] != b.get(v) {
				differ = append(differ, v)
				break
			}
		}
	}
	if len(differ) == 0 {
		return
	}
	row := len(vals) / len(exits)
	params := make([]ValueID, len(differ))
	for i, e := range exits {
		args := b.newArgs(len(differ))
		for k, v := range differ {
			args[k] = Scalar(vals[i*row+int(b.place[v])])
		}
		b.f.Nodes[e.node].Args = args
	}
	for k, v := range differ {
		params[k] = b.param(id, v)
		b.set(v, Lane{V: params[k]})
	}
	b.f.Nodes[id].Params = params
}

func (b *builder) loopStmt(s *stmt) bool {
	vars := b.assigned(s.body)
	id := b.node(Node{Kind: NodeLoop, Instr: s.instr, Target: NoNode, Value: NoValue, Construct: &Construct{Default: -1, EndInstr: s.end}})
	outer := b.region
	inits := make([]Arg, len(vars))
	header := make([]ValueID, len(vars))
	for i, v := range vars {
		inits[i] = Scalar(b.get(v))
	}
	for i, v := range vars {
		header[i] = b.param(id, v)
		b.set(v, Lane{V: header[i]})
	}
	body := b.newRegion(id)
	n := &b.f.Nodes[id]
	n.Regions, n.Header, n.Inits = []RegionID{body}, header, inits
	b.scopes = append(b.scopes, scope{node: id, isLoop: true, mark: len(b.log), vars: vars})
	b.region = body
	if b.list(s.body) {
		b.continueTo(len(b.scopes)-1, -1)
	}
	sc := b.scopes[len(b.scopes)-1]
	b.scopes = b.scopes[:len(b.scopes)-1]
	b.undo(sc.mark)
	b.region = outer
	if b.err != nil {
		return false
	}
	if len(sc.breaks) == 0 {
		if !b.returns(body) {
			b.instr = s.instr
			b.fail(codeEndless, "loop has neither a break nor a return")
		}
		return false
	}
	b.join(id, sc.breaks)
	return true
}

// returns reports whether a region holds a return at any depth.
func (b *builder) returns(r RegionID) bool {
	for _, n := range b.f.Regions[r].Nodes {
		nd := &b.f.Nodes[n]
		if nd.Kind == NodeReturn || nd.Kind == NodeBreak && !b.inside(nd.Target, r) {
			return true
		}
		for _, c := range nd.Regions {
			if b.returns(c) {
				return true
			}
		}
	}
	return false
}

// inside reports whether node n lies in region r.
func (b *builder) inside(n NodeID, r RegionID) bool {
	for n != NoNode {
		p := b.f.Nodes[n].Parent
		if p == r {
			return true
		}
		n = b.f.Regions[p].Parent
	}
	return false
}

func (b *builder) switchStmt(s *stmt) bool {
	in := &b.p.Instrs[s.cond]
	var sel Arg
	if in.Op == dxbc.OpFcall {
		// The element of the interface array that the call chooses.
		sel = Scalar(b.sum(in.Operands[0].Index(1)))
	} else {
		sel = Scalar(b.readLane(&in.Operands[0], 0, 'w'))
	}
	id := b.node(Node{Kind: NodeSwitch, Instr: s.instr, Target: NoNode, Value: NoValue, Construct: &Construct{Cond: sel, Default: -1, EndInstr: s.end}})
	outer := b.region
	clauses := s.clauses
	// A switch without default gets an empty one, so that every way out is a break.
	hasDefault := false
	for _, c := range clauses {
		hasDefault = hasDefault || c.isDefault
	}
	if !hasDefault {
		clauses = append(clauses[:len(clauses):len(clauses)], clause{isDefault: true, body: []stmt{{kind: sBreak, instr: -1}}})
	}
	b.scopes = append(b.scopes, scope{node: id, mark: len(b.log)})
	mark := len(b.log)
	for i, c := range clauses {
		r := b.newRegion(id)
		n := &b.f.Nodes[id]
		n.Regions = append(n.Regions, r)
		n.Labels = append(n.Labels, c.labels)
		if c.isDefault {
			n.Default = i
		}
		b.region = r
		if b.list(c.body) {
			b.stmt(&stmt{kind: sBreak, instr: -1})
		}
		b.undo(mark)
	}
	sc := b.scopes[len(b.scopes)-1]
	b.scopes = b.scopes[:len(b.scopes)-1]
	b.region = outer
	if b.err != nil || len(sc.breaks) == 0 {
		return false
	}
	b.join(id, sc.breaks)
	return true
}
