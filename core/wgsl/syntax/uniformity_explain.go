package syntax

import (
	"fmt"
	"slices"
)

// explain reports that a node which must be uniform depends on one that may not be.
func (u *uniformity) explain(severity int, source *uniNode) {
	notes, at, msg := u.reason(u.uniFunc, severity, source)
	line, col := u.file.lines.at(at.Pos)
	u.errs = append(u.errs, &Error{Span: at, Line: line, Col: col, Msg: msg, Warning: severity > 0, Notes: notes})
}

func (u *uniformity) note(at Span, format string, args ...any) Note {
	line, col := u.file.lines.at(at.Pos)
	return Note{Span: at, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// reason finds the place, message and notes for a dependency of what must be uniform in a
// function on a node of it.
func (u *uniformity) reason(f *uniFunc, severity int, source *uniNode) (notes []Note, at Span, msg string) {
	req := f.required[severity]
	f.reach(req)
	cause := source
	for cause.from != nil && cause.from != req {
		cause = cause.from
	}
	if cause.call == nil {
		return nil, cause.at, "this must be uniform"
	}
	name := cause.call.Fun.Name
	if cause.kind == uniArg || cause.kind == uniContents {
		what := "possibly non-uniform value passed here"
		if cause.kind == uniContents {
			what = "possibly non-uniform value passed via pointer here"
		}
		argAt := cause.call.Args[cause.arg].Range()
		callee := u.calleeOf(cause.call)
		why := u.sourceNotes(f, source)
		if callee == nil {
			return why, argAt, fmt.Sprintf("'%s' requires argument %d to be uniform: %s", name, cause.arg, what)
		}
		p := callee.params[cause.arg]
		inner := p.value
		if cause.kind == uniContents {
			inner = p.in
		}
		notes, at, msg = u.reason(callee, severity, inner)
		notes = append(notes, u.note(argAt, "%s", what))
		return append(notes, why...), at, msg
	}
	b, path := u.culprit(cause.call, severity)
	msg = fmt.Sprintf("'%s' must only be called from uniform control flow", b.Fun.Name)
	for _, c := range path {
		notes = append(notes, u.note(c.Span, "called by '%s' from '%s'", c.Fun.Name, u.caller(c, f)))
	}
	for n := source; n != nil && n != cause; n = n.from {
		if n.kind == uniControl {
			notes = append(notes, u.note(n.at, "control flow depends on possibly non-uniform value"))
			break
		}
	}
	return append(notes, u.sourceNotes(f, source)...), b.Span, msg
}

func (u *uniformity) calleeOf(c *Call) *uniFunc {
	if o := u.names.Uses[c.Fun]; o != nil {
		if fn, ok := o.Decl.(*Func); ok {
			return u.funcs[fn]
		}
	}
	return nil
}

// caller is the name of the function that a call stands in.
func (u *uniformity) caller(c *Call, f *uniFunc) string {
	for _, d := range u.file.Decls {
		if fn, ok := d.(*Func); ok && fn.Pos <= c.Pos && c.End <= fn.End {
			return fn.Name.Text
		}
	}
	return f.decl.Name.Text
}

// culprit is the builtin function that makes a call need uniform control flow, and the
// calls that lead to it, the innermost first.
func (u *uniformity) culprit(c *Call, severity int) (*Call, []*Call) {
	var path []*Call
	for {
		f := u.calleeOf(c)
		if f == nil {
			slices.Reverse(path)
			return c, path
		}
		path = append(path, c)
		i := slices.IndexFunc(f.required[severity].edges, func(n *uniNode) bool { return n.kind == uniCall })
		if i < 0 {
			slices.Reverse(path)
			return c, path
		}
		c = f.required[severity].edges[i].call
	}
}

// sourceNotes says why a node may be non-uniform, from the last traversal.
func (u *uniformity) sourceNotes(f *uniFunc, source *uniNode) []Note {
	n := source.from
	if source != f.varying || n == nil {
		if source.name != "" && source.kind == uniContents {
			return []Note{u.note(source.at, "parameter '%s' of '%s' may point to a non-uniform value", source.name, f.decl.Name.Text)}
		}
		if source.name != "" {
			return []Note{u.note(source.at, "parameter '%s' of '%s' may be non-uniform", source.name, f.decl.Name.Text)}
		}
		return nil
	}
	switch n.kind {
	case uniInput:
		return []Note{u.note(n.at, "%s", n.name)}
	case uniResult:
		return []Note{u.note(n.at, "return value of '%s' may be non-uniform", n.call.Fun.Name)}
	case uniWritten:
		return []Note{u.note(n.call.Args[n.arg].Range(), "contents of pointer may become non-uniform after calling '%s'", n.call.Fun.Name)}
	}
	return nil
}
