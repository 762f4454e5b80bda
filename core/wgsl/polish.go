package wgsl

import (
	"slices"

	"fxlens/core/ir"
)

// polish gives statement lists the forms that people write: while and for
// instead of a loop that begins with its exit.
func (e *emitter) polish(list []stmt) []stmt {
	for i := range list {
		s := &list[i]
		s.body = e.polish(s.body)
		s.els = e.polish(s.els)
		for j := range s.clauses {
			s.clauses[j].body = e.polish(s.clauses[j].body)
		}
	}
	blocks := slices.ContainsFunc(list, func(s stmt) bool { return s.kind == stBlock })
	out := list[:0] // in place where nothing gets longer
	if blocks {
		out = make([]stmt, 0, len(list))
	}
	for i := range list {
		s := &list[i]
		switch {
		case s.kind == stBlock:
			out = append(out, s.body...)
			continue
		case s.kind == stAssign && s.text == "" && s.lhs.op == exIndex:
			*s = e.compound(*s)
		case s.kind == stIf:
			e.defaults(s, out)
		case s.kind == stLoop:
			e.whileLoop(s)
			if s.kind == stWhile {
				if i := e.counterBefore(s, out); i >= 0 && e.forLoop(s, &out[i]) {
					out = slices.Delete(out, i, i+1)
				}
			}
		}
		if !blocks && len(out) == i {
			out = list[:i+1] // where it is
			continue
		}
		out = append(out, *s)
	}
	return out
}

// defaults turns var v: T; if (c) { ... } else { v = x; } into var v = x; if (c) {
// ... }, for any number of variables that stand before the if and simple x.
func (e *emitter) defaults(s *stmt, before []stmt) {
	if len(s.els) == 0 || len(s.body) == 0 || len(before) == 0 || before[len(before)-1].kind != stVar || before[len(before)-1].x != nil {
		return
	}
	vars := map[string]*stmt{}
	for i := len(before) - 1; i >= 0 && before[i].kind == stVar && before[i].x == nil; i-- {
		vars[before[i].text] = &before[i]
	}
	simple := func(list []stmt) bool {
		for i := range list {
			a := &list[i]
			if a.kind != stAssign || a.text != "" || a.lhs.op != exIdent || vars[a.lhs.text] == nil || !plain(a.x) {
				return false
			}
			for name := range vars {
				if mentions(a.x, name) {
					return false
				}
			}
		}
		return len(list) > 0
	}
	switch {
	case simple(s.els):
	case simple(s.body) && !(len(s.els) == 1 && s.els[0].kind == stIf):
		s.x, s.body, s.els = e.not(s.x), s.els, s.body
	default:
		return
	}
	for i := range s.els {
		a := &s.els[i]
		v := vars[a.lhs.text]
		v.x, v.instr = a.x, a.instr
		if v.decl == a.x.typ.String() {
			v.decl = ""
		}
	}
	s.els = nil
}

// plain reports whether x costs nothing: literals, names, members, fixed rows,
// and vectors and negations of them.
func plain(x *expr) bool {
	switch x.op {
	case exLiteral, exIdent:
		return true
	case exUnary:
		return x.text == "-" && plain(x.args[0])
	case exMember:
		return plain(x.args[0])
	case exIndex:
		return x.args[0].role == RoleResource && x.args[1].op == exLiteral
	case exCall:
		if !isConstructor(x) {
			return false
		}
		for _, a := range x.args {
			if !plain(a) {
				return false
			}
		}
		return true
	}
	return false
}

// whileLoop turns loop { if (c) { break; } ... } into while (!c) { ... }.
func (e *emitter) whileLoop(s *stmt) {
	if len(s.body) < 2 {
		return
	}
	head := &s.body[0]
	if head.kind != stIf || len(head.els) > 0 || len(head.body) != 1 || head.body[0].kind != stBreak {
		return
	}
	e.silent(head.instr)
	e.silent(head.end)
	e.silent(head.body[0].instr)
	s.kind = stWhile
	s.x = e.not(head.x)
	s.body = s.body[1:]
}

// counterBefore finds the declaration before the loop of the variable that its
// last statement steps, over other declarations that have nothing to do with it.
func (e *emitter) counterBefore(s *stmt, before []stmt) int {
	if len(s.body) == 0 {
		return -1
	}
	step := &s.body[len(s.body)-1]
	if step.kind != stAssign || step.lhs.op != exIdent {
		return -1
	}
	name := step.lhs.text
	for i := len(before) - 1; i >= 0; i-- {
		b := &before[i]
		if b.kind != stVar && b.kind != stLet {
			return -1
		}
		if b.kind == stVar && b.text == name {
			if b.x == nil || i+1 < len(before) && !plain(b.x) {
				return -1
			}
			for _, o := range before[i+1:] {
				if o.x != nil && mentions(o.x, name) || mentions(b.x, o.text) {
					return -1
				}
			}
			return i
		}
	}
	return -1
}

// forLoop turns var i = a; while (c) { ...; i += b; } into a for, where nothing
// reads i behind the loop and nothing in the body continues past the step.
func (e *emitter) forLoop(s, init *stmt) bool {
	if init.kind != stVar || init.x == nil || len(s.body) < 2 {
		return false
	}
	step := &s.body[len(s.body)-1]
	if step.kind != stAssign || step.lhs.op != exIdent || step.lhs.text != init.text || !mentions(s.x, init.text) {
		return false
	}
	c := e.classNamed(init.text)
	if c == nil || s.node == ir.NoNode || c.lastRead > e.fold.end[s.node] {
		return false
	}
	rest := s.body[:len(s.body)-1]
	if !stepsBeforeContinue(rest, step) {
		return false
	}
	inside := map[string]bool{}
	declared(rest, inside)
	if mentionsAny(step.x, inside) {
		return false
	}
	e.dropSteps(rest, step)
	a, b := *init, *step
	s.kind, s.init, s.step, s.body = stFor, &a, &b, rest
	return true
}

func (e *emitter) classNamed(name string) *class {
	for i := range e.vars.classes {
		if c := &e.vars.classes[i]; c.name == name {
			return c
		}
	}
	return nil
}

// eachList calls f for every statement list in which a continue is one for the
// loop around list, the list itself first.
func eachList(list []stmt, f func(list []stmt)) {
	f(list)
	for i := range list {
		s := &list[i]
		if s.kind == stLoop || s.kind == stWhile || s.kind == stFor {
			continue
		}
		if s.body != nil {
			eachList(s.body, f)
		}
		if s.els != nil {
			eachList(s.els, f)
		}
		for j := range s.clauses {
			eachList(s.clauses[j].body, f)
		}
	}
}

// stepsBeforeContinue reports whether every continue stands behind the same step.
func stepsBeforeContinue(list []stmt, step *stmt) bool {
	ok := true
	eachList(list, func(l []stmt) {
		for i := range l {
			switch l[i].kind {
			case stContinue:
				ok = ok && i > 0 && sameStep(&l[i-1], step)
			}
		}
	})
	return ok
}

func sameStep(a, b *stmt) bool {
	return a.kind == stAssign && a.text == b.text && sameText(a.lhs, b.lhs) && sameText(a.x, b.x)
}

// dropSteps removes the steps before each continue: the for has it.
func (e *emitter) dropSteps(list []stmt, step *stmt) {
	eachList(list, func(l []stmt) {
		for i := range l {
			if l[i].kind == stContinue && i > 0 {
				e.silent(l[i-1].instr)
				e.silentTree(l[i-1].x)
				l[i-1] = blockStmt()
			}
		}
	})
}

// declared collects the names that the list itself declares.
func declared(list []stmt, into map[string]bool) {
	for i := range list {
		switch list[i].kind {
		case stLet, stVar:
			into[list[i].text] = true
		case stBlock:
			declared(list[i].body, into)
		}
	}
}

func mentions(x *expr, name string) bool {
	if x.op == exIdent && x.text == name {
		return true
	}
	for _, a := range x.args {
		if mentions(a, name) {
			return true
		}
	}
	return false
}

func mentionsAny(x *expr, names map[string]bool) bool {
	if x.op == exIdent && names[x.text] {
		return true
	}
	for _, a := range x.args {
		if mentionsAny(a, names) {
			return true
		}
	}
	return false
}
