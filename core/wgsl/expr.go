package wgsl

import (
	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// exprOp is the shape of an expression node.
type exprOp uint8

const (
	exIdent   exprOp = iota // text
	exLiteral               // text
	exCall                  // text(args...): a built-in or helper function, or a type constructor
	exUnary                 // text args[0]
	exBinary                // args[0] text args[1]
	exMember                // args[0].text: a swizzle or struct member
	exIndex                 // args[0][args[1]]
)

// typ is the WGSL type of an expression: n lanes of kind; n is 0 for what is no
// value of its own (a resource, an array).
type typ struct {
	kind ir.Kind
	n    uint8
}

// expr is a WGSL expression. The printer adds parentheses where WGSL needs them.
// value and instr say which SSA value and DXBC instruction the node's own tokens
// belong to; its operands keep theirs when they are folded in.
type expr struct {
	op    exprOp
	role  Role
	text  string
	args  []*expr
	typ   typ
	value ir.ValueID
	instr int32
}

// emitter is the state of one module's emission.
type emitter struct {
	f    *ir.Function
	plan *layout.Plan
	link *Link
	opt  Options
	mod  *Module

	diags   []diag.Diag
	helpers map[string]string // helper functions and types by name, WGSL text
	order   []string          // helper names in order of first use
	enables map[string]bool   // enable directives
}

// help makes sure that the module has the helper called name, whose WGSL text
// is src; helpers that it calls must be asked for first.
func (e *emitter) help(name, src string) string {
	if _, ok := e.helpers[name]; !ok {
		e.helpers[name] = src
		e.order = append(e.order, name)
	}
	return name
}

// report adds a diagnostic at the instruction of v.
func (e *emitter) report(sev diag.Severity, code diag.Code, v *ir.Value, format string, args ...any) {
	e.diags = append(e.diags, diag.New(sev, code, diag.At(int(v.Instr)), format, args...))
}
