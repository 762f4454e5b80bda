package ir

import "fxlens/core/dxbc"

// Predication makes every group barrier of a compute program stand in control
// flow that WGSL can see is uniform (wgsl-patterns.md section 2). A flag says
// for each construct around a barrier whether the invocation takes part; what is
// not a barrier runs under the flag; the construct itself is entered, or a loop
// repeated, while any invocation of the group takes part. Invocations that
// returned or left early then pass the barriers without doing anything, which is
// what hardware does with finished threads.
type predicator struct {
	t     *treeBuilder
	p     *dxbc.Program
	loops []predLoop
	live  []int32 // the guards in force, outermost first
}

// predLoop is an enclosing loop or switch that a break or continue can mean.
type predLoop struct {
	isLoop bool
	stay   int32 // flag: takes part in the loop, or in the switch clause
	depth  int   // guards in force outside it
	round  int   // guards in force outside the round's own flag
}

func predicate(t *treeBuilder, list []stmt) []stmt {
	p := &predicator{t: t, p: t.p}
	root := p.flag()
	out := []stmt{p.set(root, true)}
	p.live = append(p.live, root)
	return append(out, p.list(list)...)
}

func (p *predicator) flag() int32 {
	p.t.flags++
	return p.t.flags - 1
}

func (p *predicator) set(flag int32, on bool) stmt {
	s := stmt{kind: sSet, instr: -1, flag: flag}
	if on {
		s.value = 0xFFFFFFFF
	}
	return s
}

func (p *predicator) guard() int32 { return p.live[len(p.live)-1] }

// when is an if on a flag.
func when(flag int32, body []stmt) stmt {
	return stmt{kind: sIf, instr: -1, cond: -1, flag: flag, nonZero: true, end: -1, body: body}
}

// anywhere is an if on a flag of any invocation of the group.
func anywhere(flag int32, on bool, instr int32, body []stmt) stmt {
	return stmt{kind: sIf, instr: instr, cond: condAny, flag: flag, nonZero: on, end: -1, body: body}
}

// barrier reports whether the list holds a barrier of the whole group.
func (p *predicator) barrier(list []stmt) bool {
	for i := range list {
		s := &list[i]
		if s.kind == sOps {
			in := &p.p.Instrs[s.instr]
			if in.Op == dxbc.OpSync && in.Sync&dxbc.SyncThreads != 0 {
				return true
			}
		}
		if p.barrier(s.body) || p.barrier(s.alt) {
			return true
		}
		for _, c := range s.clauses {
			if p.barrier(c.body) {
				return true
			}
		}
	}
	return false
}

// list rewrites statements that run under the current guard.
func (p *predicator) list(list []stmt) []stmt {
	var out, group []stmt
	flush := func() {
		if len(group) == 0 {
			return
		}
		out = append(out, p.group(group)...)
		group = nil
	}
	for i := range list {
		s := &list[i]
		if !p.barrier([]stmt{*s}) {
			group = append(group, *s)
			if p.jumps([]stmt{*s}, 0, 0) {
				flush() // what follows asks the guard again
			}
			continue
		}
		flush()
		switch s.kind {
		case sOps:
			out = append(out, *s)
		case sIf:
			out = append(out, p.ifStmt(s)...)
		case sLoop:
			out = append(out, p.loop(s)...)
		case sSwitch:
			out = append(out, p.switchStmt(s)...)
		}
	}
	flush()
	return out
}

// jumps reports whether the list returns, or breaks or continues a construct
// outside it: loops and breaks count the constructs of the list around a place.
func (p *predicator) jumps(list []stmt, loops, breaks int) bool {
	for i := range list {
		s := &list[i]
		switch s.kind {
		case sReturn:
			return true
		case sBreak:
			if breaks == 0 {
				return true
			}
		case sContinue:
			if loops == 0 {
				return true
			}
		case sIf:
			if p.jumps(s.body, loops, breaks) || p.jumps(s.alt, loops, breaks) {
				return true
			}
		case sLoop:
			if p.jumps(s.body, loops+1, breaks+1) {
				return true
			}
		case sSwitch:
			for _, c := range s.clauses {
				if p.jumps(c.body, loops, breaks+1) {
					return true
				}
			}
		}
	}
	return false
}

// group puts statements without a barrier under the guard. Jumps out of them
// clear guards and leave the group.
func (p *predicator) group(list []stmt) []stmt {
	if !p.jumps(list, 0, 0) {
		return []stmt{when(p.guard(), list)}
	}
	scope := p.flag()
	body := dropTail(p.clear(clone(list), scope, 0, 0), scope)
	if !leaves(body, scope) {
		return []stmt{when(p.guard(), body)}
	}
	body, _ = lowerLeaves(body, scope, false)
	if !listEnds(body) {
		body = append(body, stmt{kind: sBreak, instr: -1})
	}
	return []stmt{when(p.guard(), []stmt{p.set(scope, false), {kind: sLoop, instr: -1, end: -1, body: body}})}
}

// clear replaces the jumps out of a group by clearing the guards of what they
// leave, and leaving the group.
func (p *predicator) clear(list []stmt, scope int32, loops, breaks int) []stmt {
	var out []stmt
	off := func(from int, instr int32) {
		for _, g := range p.live[from:] {
			out = append(out, stmt{kind: sSet, instr: instr, flag: g})
		}
		out = append(out, stmt{kind: sLeave, instr: instr, flag: scope})
	}
	for _, s := range list {
		switch s.kind {
		case sReturn:
			off(0, s.instr)
			continue
		case sBreak:
			if breaks == 0 && len(p.loops) > 0 {
				off(p.loops[len(p.loops)-1].depth, s.instr)
				continue
			}
		case sContinue:
			if loops == 0 {
				if l := p.innerLoop(); l != nil {
					off(l.round, s.instr)
					continue
				}
			}
		case sIf:
			s.body = p.clear(s.body, scope, loops, breaks)
			s.alt = p.clear(s.alt, scope, loops, breaks)
		case sLoop:
			s.body = p.clear(s.body, scope, loops+1, breaks+1)
		case sSwitch:
			for i := range s.clauses {
				s.clauses[i].body = p.clear(s.clauses[i].body, scope, loops, breaks+1)
			}
		}
		out = append(out, s)
	}
	return out
}

func (p *predicator) innerLoop() *predLoop {
	for i := len(p.loops) - 1; i >= 0; i-- {
		if p.loops[i].isLoop {
			return &p.loops[i]
		}
	}
	return nil
}

func (p *predicator) ifStmt(s *stmt) []stmt {
	yes, no := p.flag(), p.flag()
	test := *s
	test.body, test.alt = []stmt{p.set(yes, true)}, []stmt{p.set(no, true)}
	out := []stmt{p.set(yes, false), p.set(no, false), when(p.guard(), []stmt{test})}
	arm := func(flag int32, list []stmt) {
		if len(list) == 0 {
			return
		}
		p.live = append(p.live, flag)
		if p.barrier(list) {
			out = append(out, anywhere(flag, true, s.instr, p.list(list)))
		} else {
			out = append(out, p.group(list)...)
		}
		p.live = p.live[:len(p.live)-1]
	}
	arm(yes, s.body)
	arm(no, s.alt)
	return out
}

func (p *predicator) loop(s *stmt) []stmt {
	stay, round := p.flag(), p.flag()
	out := []stmt{p.set(stay, false), when(p.guard(), []stmt{p.set(stay, true)})}
	l := predLoop{isLoop: true, stay: stay, depth: len(p.live)}
	p.live = append(p.live, stay)
	l.round = len(p.live)
	p.live = append(p.live, round)
	p.loops = append(p.loops, l)
	body := []stmt{
		anywhere(stay, false, s.instr, []stmt{{kind: sBreak, instr: -1}}),
		p.set(round, false),
		when(stay, []stmt{p.set(round, true)}),
	}
	body = append(body, p.list(s.body)...)
	p.loops = p.loops[:len(p.loops)-1]
	p.live = p.live[:l.depth]
	return append(out, stmt{kind: sLoop, instr: s.instr, end: s.end, body: body})
}

func (p *predicator) switchStmt(s *stmt) []stmt {
	pick := *s
	pick.clauses = nil
	var out []stmt
	flags := make([]int32, len(s.clauses))
	for i, c := range s.clauses {
		flags[i] = p.flag()
		out = append(out, p.set(flags[i], false))
		pick.clauses = append(pick.clauses, clause{c.labels, c.isDefault, []stmt{p.set(flags[i], true), {kind: sBreak, instr: -1}}})
	}
	out = append(out, when(p.guard(), []stmt{pick}))
	for i, c := range s.clauses {
		depth := len(p.live)
		p.loops = append(p.loops, predLoop{stay: flags[i], depth: depth, round: depth})
		p.live = append(p.live, flags[i])
		if p.barrier(c.body) {
			out = append(out, anywhere(flags[i], true, s.instr, p.list(c.body)))
		} else {
			out = append(out, p.group(c.body)...)
		}
		p.live = p.live[:depth]
		p.loops = p.loops[:len(p.loops)-1]
	}
	return out
}
