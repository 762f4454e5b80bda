package ir

import (
	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

// The tree is the program's control flow before SSA: DXBC's own structure, with
// subroutines inlined, fall-through removed and dead tails dropped. After it,
// every jump leaves the innermost construct that can take it.

type stmtKind uint8

const (
	sOps      stmtKind = iota // ordinary instructions: instr up to end; a group barrier stands alone
	sIf                       // body, alt
	sLoop                     // body; left by sBreak
	sSwitch                   // clauses
	sBreak                    // of the innermost loop or switch
	sContinue                 // of the innermost loop
	sReturn                   // of the program
	sLeave                    // of the inlined subroutine numbered flag; gone after lowering
	sSet                      // flag variable := value
)

type stmt struct {
	kind    stmtKind
	instr   int32 // -1 for what the builder made up
	end     int32 // closing instruction; sOps: behind the last
	cond    int32 // sIf: instruction whose operand is tested, condFlag or condAny; sSwitch: instruction
	nonZero bool  // sIf: then-arm runs where the operand has a bit set
	flag    int32 // sSet, sIf with cond -1, sLeave: flag variable
	value   uint32
	body    []stmt
	alt     []stmt
	clauses []clause
}

// Conditions that are no instruction's operand.
const (
	condFlag int32 = -1 // the flag variable
	condAny  int32 = -2 // the flag variable of any invocation of the group
)

type clause struct {
	labels    []uint32
	isDefault bool
	body      []stmt
}

const (
	maxFlow    = 256    // nesting of constructs, subroutines included
	maxInlined = 200000 // statements after inlining and duplication
)

// codes of the tree phase.
var (
	codeStructure = diag.Register(diag.Info{
		Code: "decode.structure", Title: "control flow is not nested",
		Rule:   "if, else, loop, switch, case and their ends nest strictly (dxbc.md section 4); WGSL has no other control flow",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeFcall = diag.Register(diag.Info{
		Code: "lower.interface-call", Title: "interface call without a chosen class",
		Rule:   "fcall picks a function body through the class instance that the application binds; WGSL has no dynamic linkage",
		Remedy: "choose the class of each interface slot: --class SLOT=NAME",
	})
	codeEndless = diag.Register(diag.Info{
		Code: "lower.endless-loop", Title: "loop that never ends",
		Rule:   "a loop without break or return hangs the GPU on purpose; WGSL refuses it, and so do we",
		Remedy: "none: the program is meant to stop the device",
	})
	codeTooLarge = diag.Register(diag.Info{
		Code: "lower.too-large", Title: "program grows beyond the limit",
		Rule:   "inlining subroutines and removing fall-through may copy code; nesting and size are bounded so that hostile input cannot exhaust memory",
		Remedy: "compile the shader with fewer subroutine calls, or with [branch] instead of [call]",
	})
)

type treeBuilder struct {
	p      *dxbc.Program
	fates  []Fate
	labels map[uint32][2]int // label -> instruction range of the subroutine's body
	flags  int32             // flag variables handed out
	count  int
	depth  int
	pos    int
	end    int
	err    *diag.Diag
	active map[uint32]bool // subroutines being inlined
	class  Classes
}

func (t *treeBuilder) fail(code diag.Code, at int, format string, args ...any) {
	if t.err == nil {
		d := diag.New(diag.Error, code, diag.At(at), format, args...)
		t.err = &d
	}
}

// buildTree returns the statements of the program's main body.
func buildTree(p *dxbc.Program, fates []Fate, class Classes, predicated bool) ([]stmt, int32, *diag.Diag) {
	t := &treeBuilder{p: p, fates: fates, class: class}
	mainEnd := len(p.Instrs)
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Op == dxbc.OpLabel && len(in.Operands) > 0 {
			if mainEnd == len(p.Instrs) {
				mainEnd = i
			}
			end := len(p.Instrs)
			for j := i + 1; j < len(p.Instrs); j++ {
				if p.Instrs[j].Op == dxbc.OpLabel {
					end = j
					break
				}
			}
			if t.labels == nil {
				t.labels, t.active = map[uint32][2]int{}, map[uint32]bool{}
			}
			t.labels[labelNumber(&in.Operands[0])] = [2]int{i + 1, end}
			fates[i] = FateStructure
		}
	}
	t.pos, t.end = 0, mainEnd
	body, _ := t.list(-1)
	if t.err == nil && t.pos < mainEnd {
		t.fail(codeStructure, t.pos, "%s without an opening instruction", p.Instrs[t.pos].Op)
	}
	if predicated && t.err == nil {
		body = predicate(t, t.normalise(body))
	}
	body = t.normalise(body)
	if t.err != nil {
		return nil, 0, t.err
	}
	return body, t.flags, nil
}

// labelNumber returns the number of a label or function body operand.
func labelNumber(o *dxbc.Operand) uint32 {
	if o.Reg == dxbc.RegFunctionBody {
		return o.Index(0).Imm | 1<<31
	}
	return o.Index(0).Imm
}

// list reads statements up to an instruction that closes the enclosing
// construct, which stays unread. sub is the flag number of the subroutine that
// the statements belong to, or -1 in the main body.
func (t *treeBuilder) list(sub int32) ([]stmt, bool) {
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > maxFlow {
		t.fail(codeTooLarge, t.pos, "control flow nests deeper than %d", maxFlow)
		return nil, false
	}
	var out []stmt
	dead := false
	add := func(s stmt) {
		if dead {
			return
		}
		t.count++
		if t.count > maxInlined {
			t.fail(codeTooLarge, t.pos, "more than %d statements after inlining", maxInlined)
			return
		}
		if k := len(out) - 1; s.kind == sOps && k >= 0 && out[k].kind == sOps && out[k].end == s.instr &&
			t.p.Instrs[s.instr].Op != dxbc.OpSync && t.p.Instrs[out[k].instr].Op != dxbc.OpSync {
			out[k].end = s.end
			return
		}
		out = append(out, s)
	}
	for t.pos < t.end && t.err == nil {
		i := t.pos
		in := &t.p.Instrs[i]
		switch in.Op {
		case dxbc.OpElse, dxbc.OpEndif, dxbc.OpEndloop, dxbc.OpEndswitch, dxbc.OpCase, dxbc.OpDefault:
			return out, dead
		}
		if dead && t.fates[i] == FateLive {
			t.fates[i] = FateUnreachable
		}
		t.pos++
		id := int32(i)
		switch in.Op {
		case dxbc.OpIf:
			if !t.needOperand(i) {
				return nil, false
			}
			s := stmt{kind: sIf, instr: id, cond: id, nonZero: in.NonZero, end: -1}
			wasDead := dead
			s.body, _ = t.list(sub)
			if t.pos < t.end && t.p.Instrs[t.pos].Op == dxbc.OpElse {
				t.structure(t.pos)
				t.pos++
				s.alt, _ = t.list(sub)
			}
			s.end = t.close(dxbc.OpEndif, i)
			dead = wasDead
			add(s)
			dead = dead || ends(s)
		case dxbc.OpLoop:
			s := stmt{kind: sLoop, instr: id}
			s.body, _ = t.list(sub)
			s.end = t.close(dxbc.OpEndloop, i)
			add(s)
			dead = dead || ends(s)
		case dxbc.OpSwitch:
			if !t.needOperand(i) {
				return nil, false
			}
			s := stmt{kind: sSwitch, instr: id, cond: id}
			s.clauses = t.clauses(sub, i)
			s.end = t.close(dxbc.OpEndswitch, i)
			add(s)
			dead = dead || ends(s)
		case dxbc.OpBreak:
			add(stmt{kind: sBreak, instr: id})
			dead = true
		case dxbc.OpContinue:
			add(stmt{kind: sContinue, instr: id})
			dead = true
		case dxbc.OpRet:
			if sub >= 0 {
				add(stmt{kind: sLeave, instr: id, flag: sub})
			} else {
				add(stmt{kind: sReturn, instr: id})
			}
			dead = true
		case dxbc.OpBreakc, dxbc.OpContinuec, dxbc.OpRetc:
			if !t.needOperand(i) {
				return nil, false
			}
			j := stmt{instr: id}
			switch {
			case in.Op == dxbc.OpBreakc:
				j.kind = sBreak
			case in.Op == dxbc.OpContinuec:
				j.kind = sContinue
			case sub >= 0:
				j.kind, j.flag = sLeave, sub
			default:
				j.kind = sReturn
			}
			add(stmt{kind: sIf, instr: id, cond: id, nonZero: in.NonZero, end: -1, body: []stmt{j}})
		case dxbc.OpCall, dxbc.OpCallc, dxbc.OpFcall:
			if dead {
				continue
			}
			body, ok := t.inline(in, i)
			if !ok {
				return nil, false
			}
			if in.Op == dxbc.OpCallc {
				body = []stmt{{kind: sIf, instr: id, cond: id, nonZero: in.NonZero, end: -1, body: body}}
			}
			for _, s := range body {
				add(s)
				if ends(s) {
					dead = true
				}
			}
			if t.fates[i] == FateLive && in.Op != dxbc.OpCallc {
				t.fates[i] = FateStructure
			}
		case dxbc.OpLabel:
			t.structure(i)
		default:
			if !in.Op.Has(dxbc.FlagDecl) && in.Op != dxbc.OpCustomdata {
				add(stmt{kind: sOps, instr: id, end: id + 1})
			}
		}
	}
	return out, dead
}

func (t *treeBuilder) needOperand(i int) bool {
	if len(t.p.Instrs[i].Operands) == 0 {
		t.fail(codeStructure, i, "%s without an operand", t.p.Instrs[i].Op)
		return false
	}
	return true
}

func (t *treeBuilder) structure(i int) {
	if t.fates[i] == FateLive {
		t.fates[i] = FateStructure
	}
}

// close reads the closing instruction of the construct that instruction open opened.
func (t *treeBuilder) close(op dxbc.Op, open int) int32 {
	if t.err != nil {
		return -1
	}
	if t.pos >= t.end || t.p.Instrs[t.pos].Op != op {
		t.fail(codeStructure, open, "%s is not closed by %s", t.p.Instrs[open].Op, op)
		return -1
	}
	t.structure(t.pos)
	t.pos++
	return int32(t.pos - 1)
}

// clauses reads the clauses of a switch. Labels that share a body become one
// clause; a body that runs on into the next clause gets a copy of what follows.
func (t *treeBuilder) clauses(sub int32, open int) []clause {
	var cs []clause
	var falls []bool
	seen := map[uint32]bool{}
	haveDefault := false
	for t.pos < t.end && t.err == nil {
		var c clause
		start := t.pos
	labels:
		for t.pos < t.end {
			in := &t.p.Instrs[t.pos]
			switch in.Op {
			case dxbc.OpCase:
				if len(in.Operands) == 0 || in.Operands[0].Reg != dxbc.RegImmediate32 {
					t.fail(codeStructure, t.pos, "case label is no literal")
					return nil
				}
				v := in.Operands[0].Imm[0]
				if seen[v] {
					t.fail(codeStructure, t.pos, "case label %d appears twice", int32(v))
					return nil
				}
				seen[v] = true
				c.labels = append(c.labels, v)
			case dxbc.OpDefault:
				if haveDefault {
					t.fail(codeStructure, t.pos, "switch has two default labels")
					return nil
				}
				haveDefault, c.isDefault = true, true
			default:
				break labels
			}
			t.structure(t.pos)
			t.pos++
		}
		if t.pos == start {
			break
		}
		var dead bool
		c.body, dead = t.list(sub)
		cs = append(cs, c)
		falls = append(falls, !dead)
	}
	if t.err == nil && len(cs) == 0 && t.pos < t.end && t.p.Instrs[t.pos].Op != dxbc.OpEndswitch {
		t.fail(codeStructure, open, "switch body does not begin with a label")
	}
	// From the last clause backwards, so that what is appended is complete.
	for i := len(cs) - 1; i >= 0; i-- {
		if !falls[i] {
			continue
		}
		if i == len(cs)-1 {
			cs[i].body = append(cs[i].body, stmt{kind: sBreak, instr: -1})
			continue
		}
		t.count += size(cs[i+1].body)
		if t.count > maxInlined {
			t.fail(codeTooLarge, open, "more than %d statements after removing fall-through", maxInlined)
			return nil
		}
		cs[i].body = append(cs[i].body, clone(cs[i+1].body)...)
	}
	return cs
}

// inline returns the body of the subroutine that in calls.
func (t *treeBuilder) inline(in *dxbc.Instr, i int) ([]stmt, bool) {
	if in.Op == dxbc.OpFcall {
		return t.fcall(in, i)
	}
	if len(in.Operands) == 0 || in.Operands[len(in.Operands)-1].Reg != dxbc.RegLabel {
		t.fail(codeStructure, i, "call does not name a label")
		return nil, false
	}
	return t.subroutine(labelNumber(&in.Operands[len(in.Operands)-1]), i)
}

// fcall returns the bodies that an interface call can reach with the chosen
// classes: one, or a switch on the element where they differ.
func (t *treeBuilder) fcall(in *dxbc.Instr, i int) ([]stmt, bool) {
	if len(in.Operands) == 0 || in.Operands[0].NumIndex < 2 {
		t.fail(codeStructure, i, "fcall does not name an interface")
		return nil, false
	}
	at := in.Operands[0].Index(1)
	fp, first, n := in.Operands[0].Index(0).Imm, at.Imm, uint32(1)
	if at.Rel != nil && t.class != nil {
		first, n = 0, t.class.Elements(fp)
	}
	var bodies []uint32
	same := true
	for e := first; e < first+min(n, maxDynamic); e++ {
		if t.class == nil {
			break
		}
		body, ok := t.class.Body(fp, e, in.FuncIndex)
		if !ok {
			break
		}
		bodies = append(bodies, body|1<<31)
		same = same && bodies[len(bodies)-1] == bodies[0]
	}
	if len(bodies) == 0 || uint32(len(bodies)) != n {
		t.fail(codeFcall, i, "interface call %d of fp%d[%d] has no chosen class", in.FuncIndex, fp, first+uint32(len(bodies)))
		return nil, false
	}
	if same {
		return t.subroutine(bodies[0], i)
	}
	s := stmt{kind: sSwitch, instr: int32(i), cond: int32(i), end: -1}
	for e, label := range bodies {
		body, ok := t.subroutine(label, i)
		if !ok {
			return nil, false
		}
		if !listEnds(body) {
			body = append(body, stmt{kind: sBreak, instr: -1})
		}
		s.clauses = append(s.clauses, clause{labels: []uint32{uint32(e)}, body: body})
	}
	return []stmt{s}, true
}

// subroutine returns a body, every early ret a leave.
func (t *treeBuilder) subroutine(label uint32, i int) ([]stmt, bool) {
	r, ok := t.labels[label]
	if !ok {
		t.fail(codeStructure, i, "call of label%d, which does not exist", label&^(1<<31))
		return nil, false
	}
	if t.active[label] {
		t.fail(codeStructure, i, "label%d calls itself", label&^(1<<31))
		return nil, false
	}
	t.active[label] = true
	defer delete(t.active, label)
	pos, end := t.pos, t.end
	t.pos, t.end = r[0], r[1]
	flag := t.flags
	t.flags++
	body, _ := t.list(flag)
	if t.err == nil && t.pos < t.end {
		t.fail(codeStructure, t.pos, "%s without an opening instruction", t.p.Instrs[t.pos].Op)
	}
	t.pos, t.end = pos, end
	if t.err != nil {
		return nil, false
	}
	// A leave at the very end is no jump.
	body = dropTail(body, flag)
	if !leaves(body, flag) {
		return body, true
	}
	// Otherwise a loop of one round is the scope that a break can leave.
	body, _ = lowerLeaves(body, flag, false)
	body = append(body, stmt{kind: sBreak, instr: -1})
	if n := len(body); n >= 2 && ends(body[n-2]) {
		body = body[:n-1]
	}
	return []stmt{
		{kind: sSet, instr: -1, flag: flag, value: 0},
		{kind: sLoop, instr: int32(i), end: -1, body: body},
	}, true
}

// dropTail removes a leave of flag that ends the list, also inside a final if.
func dropTail(list []stmt, flag int32) []stmt {
	if len(list) == 0 {
		return list
	}
	last := &list[len(list)-1]
	switch {
	case last.kind == sLeave && last.flag == flag:
		return list[:len(list)-1]
	case last.kind == sIf && len(last.alt) > 0:
		last.body = dropTail(last.body, flag)
		last.alt = dropTail(last.alt, flag)
	}
	return list
}

// leaves reports whether the list has a leave of flag.
func leaves(list []stmt, flag int32) bool {
	for i := range list {
		s := &list[i]
		if s.kind == sLeave && s.flag == flag || leaves(s.body, flag) || leaves(s.alt, flag) {
			return true
		}
		for _, c := range s.clauses {
			if leaves(c.body, flag) {
				return true
			}
		}
	}
	return false
}

// lowerLeaves turns leaves of flag into breaks of the one-round loop around the
// list. inner says that a loop or switch lies between: then the flag is set, the
// inner construct left, and the flag tested behind it. The second result says
// that the flag may be set behind the list's construct.
func lowerLeaves(list []stmt, flag int32, inner bool) ([]stmt, bool) {
	var out []stmt
	any := false
	for _, s := range list {
		switch s.kind {
		case sLeave:
			if s.flag == flag {
				any = true
				if inner {
					out = append(out, stmt{kind: sSet, instr: -1, flag: flag, value: 0xFFFFFFFF}) // a mask, so that the flag becomes a bool
				}
				s.kind = sBreak
			}
			out = append(out, s)
		case sIf:
			var a, b bool
			s.body, a = lowerLeaves(s.body, flag, inner)
			s.alt, b = lowerLeaves(s.alt, flag, inner)
			any = any || a || b
			out = append(out, s)
		case sLoop, sSwitch:
			set := false
			if s.kind == sLoop {
				s.body, set = lowerLeaves(s.body, flag, true)
			}
			for i := range s.clauses {
				var c bool
				s.clauses[i].body, c = lowerLeaves(s.clauses[i].body, flag, true)
				set = set || c
			}
			out = append(out, s)
			if set {
				any = true
				out = append(out, stmt{kind: sIf, instr: -1, cond: -1, flag: flag, nonZero: true, end: -1,
					body: []stmt{{kind: sBreak, instr: -1}}})
			}
		default:
			out = append(out, s)
		}
	}
	return out, any
}

// ends reports whether control never comes out behind s.
func ends(s stmt) bool {
	switch s.kind {
	case sBreak, sContinue, sReturn, sLeave:
		return true
	case sIf:
		return listEnds(s.body) && listEnds(s.alt)
	case sLoop:
		return !breaks(s.body)
	case sSwitch:
		dflt := false
		for _, c := range s.clauses {
			dflt = dflt || c.isDefault
			if !listEnds(c.body) || breaks(c.body) {
				return false
			}
		}
		return dflt
	}
	return false
}

func listEnds(list []stmt) bool { return len(list) > 0 && ends(list[len(list)-1]) }

// breaks reports whether the list has a break of the construct around it.
func breaks(list []stmt) bool {
	for i := range list {
		s := &list[i]
		switch s.kind {
		case sBreak:
			return true
		case sIf:
			if breaks(s.body) || breaks(s.alt) {
				return true
			}
		}
	}
	return false
}

// normalise rewrites an if with one arm that ends so that the other arm follows
// behind it: then no value has to leave an arm that alone goes on.
func (t *treeBuilder) normalise(list []stmt) []stmt {
	plain := true
	for i := range list {
		plain = plain && list[i].body == nil && list[i].alt == nil && list[i].clauses == nil
	}
	if plain {
		return list
	}
	out := make([]stmt, 0, len(list))
	for _, s := range list {
		s.body = t.normalise(s.body)
		s.alt = t.normalise(s.alt)
		for i := range s.clauses {
			s.clauses[i].body = t.normalise(s.clauses[i].body)
		}
		if s.kind == sIf && len(s.alt) > 0 && listEnds(s.alt) && !listEnds(s.body) {
			s.body, s.alt, s.nonZero = s.alt, s.body, !s.nonZero
		}
		if s.kind == sIf && listEnds(s.body) && len(s.alt) > 0 {
			tail := s.alt
			s.alt = nil
			out = append(out, s)
			out = append(out, tail...)
			continue
		}
		out = append(out, s)
	}
	return out
}

func size(list []stmt) int {
	n := 0
	for i := range list {
		n += 1 + size(list[i].body) + size(list[i].alt)
		if list[i].kind == sOps {
			n += int(list[i].end-list[i].instr) - 1
		}
		for _, c := range list[i].clauses {
			n += size(c.body)
		}
	}
	return n
}

func clone(list []stmt) []stmt {
	out := make([]stmt, len(list))
	for i, s := range list {
		s.body = clone(s.body)
		s.alt = clone(s.alt)
		if s.clauses != nil {
			cs := make([]clause, len(s.clauses))
			for j, c := range s.clauses {
				c.body = clone(c.body)
				cs[j] = c
			}
			s.clauses = cs
		}
		out[i] = s
	}
	return out
}
