package wgsl

import (
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
	out := make([]stmt, 0, len(list))
	for i := range list {
		s := list[i]
		if s.kind == stBlock {
			out = append(out, s.body...)
			continue
		}
		if s.kind == stLoop {
			e.whileLoop(&s)
			if s.kind == stWhile && len(out) > 0 && e.forLoop(&s, &out[len(out)-1]) {
				out[len(out)-1] = s
				continue
			}
		}
		out = append(out, s)
	}
	return out
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
	s.x = not(head.x)
	s.body = s.body[1:]
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
	if continues(rest) {
		return false
	}
	inside := map[string]bool{}
	declared(rest, inside)
	if mentionsAny(step.x, inside) {
		return false
	}
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

// continues reports whether the list has a continue for the loop around it.
func continues(list []stmt) bool {
	for i := range list {
		s := &list[i]
		if s.kind == stContinue || s.kind == stRaw {
			return true
		}
		if s.kind == stLoop || s.kind == stWhile || s.kind == stFor {
			continue
		}
		if continues(s.body) || continues(s.els) {
			return true
		}
		for j := range s.clauses {
			if continues(s.clauses[j].body) {
				return true
			}
		}
	}
	return false
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

func mentions(x *expr, name string) bool { return mentionsAny(x, map[string]bool{name: true}) }

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
