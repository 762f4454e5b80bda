package syntax

import (
	"fmt"
	"strings"
)

// pointee is the address space and access mode, as written, of a type that is a pointer,
// through aliases; it is empty for other types.
func (u *uniformity) pointee(t *Ident) (space, access string) {
	t = u.alias(t)
	if t == nil || t.Name != "ptr" || len(t.Args) == 0 || u.names.Uses[t] == nil || u.names.Uses[t].Kind != ObjBuiltin {
		return "", ""
	}
	if id, ok := t.Args[0].(*Ident); ok {
		space = id.Name
	}
	if len(t.Args) > 2 {
		if id, ok := t.Args[2].(*Ident); ok {
			access = id.Name
		}
	}
	return space, access
}

// alias is what a type's name stands for in the end.
func (u *uniformity) alias(t *Ident) *Ident {
	for t != nil {
		o := u.names.Uses[t]
		if o == nil {
			return t
		}
		a, ok := o.Decl.(*Alias)
		if !ok {
			return t
		}
		t = a.Type
	}
	return nil
}

// variable is the variable, value or parameter that a name stands for.
func (u *uniformity) variable(id *Ident) (*Var, ObjectKind) {
	o := u.names.Uses[id]
	if o == nil {
		return nil, 0
	}
	v, _ := o.Decl.(*Var)
	return v, o.Kind
}

// pointsAt is where a pointer points; ok is false where the expression is none.
func (u *uniformity) pointsAt(e Expr) (pointer, bool) {
	switch e := e.(type) {
	case *Paren:
		return u.pointsAt(e.X)
	case *Unary:
		if e.Op == "&" {
			return u.memory(e.X), true
		}
	case *Ident:
		v, _ := u.variable(e)
		if v == nil {
			break
		}
		if p, ok := u.pointers[v]; ok {
			return p, true
		}
		if v.Kind == KindParam {
			space, _ := u.pointee(v.Type)
			return pointer{root: v}, space != ""
		}
	}
	return pointer{}, false
}

// memory is the variable that a reference is to or to a part of.
func (u *uniformity) memory(e Expr) pointer {
	switch e := e.(type) {
	case *Paren:
		return u.memory(e.X)
	case *Unary:
		if e.Op == "*" {
			p, _ := u.pointsAt(e.X)
			return p
		}
	case *Index:
		return u.part(e.X)
	case *Select:
		return u.part(e.X)
	case *Ident:
		v, _ := u.variable(e)
		return pointer{root: v}
	}
	return pointer{}
}

func (u *uniformity) part(e Expr) pointer {
	p, ok := u.pointsAt(e) // p.x is (*p).x
	if !ok {
		p = u.memory(e)
	}
	p.part = true
	return p
}

// store gives the memory that a reference is to a value.
func (u *uniformity) store(l Expr, value *uniNode) {
	p := u.memory(l)
	if p.root == nil || u.values[p.root].node == nil {
		return // memory of the module has no uniform values
	}
	if p.part {
		value.needs(u.get(p.root))
	}
	u.set(p.root, value)
}

// contents is what is in a variable.
func (u *uniformity) contents(cf *uniNode, v *Var, at Span) *uniNode {
	if v == nil {
		return cf
	}
	if n := u.get(v); n != nil {
		return n
	}
	space, access := v.Space, v.Access
	if v.Kind == KindParam {
		space, access = u.pointee(v.Type)
	}
	if what := varyingMemory(v, space, access); what != "" {
		return (&uniNode{kind: uniInput, at: at, name: what}).needs(cf, u.varying)
	}
	return cf
}

// varyingMemory says why the contents of a variable at module scope vary, or what a pointer
// parameter points at, or nothing.
func varyingMemory(v *Var, space, access string) string {
	switch {
	case v.Kind == KindParam && (space == "private" || space == "workgroup" || space == "storage" && access == "read_write"):
		return fmt.Sprintf("parameter '%s' may point to a non-uniform value", v.Name.Text)
	case v.Kind != KindVar:
	case space == "private":
		return fmt.Sprintf("reading from module-scope private variable '%s' may result in a non-uniform value", v.Name.Text)
	case space == "workgroup":
		return fmt.Sprintf("reading from workgroup storage variable '%s' may result in a non-uniform value", v.Name.Text)
	case space == "storage" && access == "read_write":
		return fmt.Sprintf("reading from read_write storage buffer '%s' may result in a non-uniform value", v.Name.Text)
	}
	return ""
}

// expr is the control flow behind an expression, and its value. Without load the
// expression is the place in memory, not what is there.
func (u *uniformity) expr(cf *uniNode, e Expr, load bool) (*uniNode, *uniNode) {
	switch e := e.(type) {
	case *Paren:
		return u.expr(cf, e.X, load)
	case *Ident:
		return cf, u.ident(cf, e, load)
	case *Call:
		return u.call(cf, e)
	case *Index:
		cf, x := u.composite(cf, e.X, load)
		cf, i := u.expr(cf, e.I, true)
		if x == i {
			return cf, x
		}
		return cf, (&uniNode{at: e.Span}).needs(x, i)
	case *Select:
		return u.composite(cf, e.X, load)
	case *Unary:
		switch e.Op {
		case "&":
			return u.expr(cf, e.X, false)
		case "*":
			cf, p := u.expr(cf, e.X, true)
			return cf, u.deref(cf, e.X, p, load)
		}
		return u.expr(cf, e.X, true)
	case *Binary:
		cf1, x := u.expr(cf, e.X, true)
		if e.Op == "&&" || e.Op == "||" {
			_, y := u.expr(control(x, e.Span), e.Y, true)
			return cf, y
		}
		cf2, y := u.expr(cf1, e.Y, true)
		if x == y {
			return cf2, x
		}
		return cf2, (&uniNode{at: e.Span}).needs(x, y)
	}
	return cf, cf
}

// composite is the expression in front of an index or a member; it may be a pointer.
func (u *uniformity) composite(cf *uniNode, e Expr, load bool) (*uniNode, *uniNode) {
	if _, ok := u.pointsAt(e); ok {
		cf, p := u.expr(cf, e, true)
		return cf, u.deref(cf, e, p, load)
	}
	return u.expr(cf, e, load)
}

// deref is what a pointer's value leads to.
func (u *uniformity) deref(cf *uniNode, e Expr, p *uniNode, load bool) *uniNode {
	if !load {
		return p
	}
	at, _ := u.pointsAt(e)
	c := u.contents(cf, at.root, e.Range())
	if c == p {
		return p
	}
	return (&uniNode{at: e.Range()}).needs(p, c)
}

func (u *uniformity) ident(cf *uniNode, id *Ident, load bool) *uniNode {
	v, kind := u.variable(id)
	switch {
	case v == nil:
		return cf
	case kind == ObjParam:
		if u.entry {
			return u.input(cf, id, v)
		}
		for _, p := range u.params {
			if p.v == v {
				return (&uniNode{at: id.Span}).needs(cf, p.value)
			}
		}
		return cf
	case kind == ObjLocal && v.Kind == KindVar && !load:
		return cf
	case kind == ObjVar && !load:
		return cf
	}
	n := u.contents(cf, v, id.Span)
	if n == cf {
		return cf
	}
	return (&uniNode{at: id.Span}).needs(cf, n)
}

// uniformBuiltins are the builtin inputs that all invocations of a group share.
var uniformBuiltins = words("workgroup_id num_workgroups subgroup_size num_subgroups")

func builtinOf(attrs []*Attr) string {
	for _, a := range attrs {
		if a.Name == "builtin" && len(a.Args) == 1 {
			if id, ok := a.Args[0].(*Ident); ok {
				return id.Name
			}
		}
	}
	return ""
}

// members is the structure that a parameter has as its type, or nil.
func (u *uniformity) members(t *Ident) *Struct {
	if t = u.alias(t); t == nil || u.names.Uses[t] == nil {
		return nil
	}
	s, _ := u.names.Uses[t].Decl.(*Struct)
	return s
}

// input is the value of an entry point's parameter.
func (u *uniformity) input(cf *uniNode, id *Ident, v *Var) *uniNode {
	b := builtinOf(v.Attrs)
	if uniformBuiltins[b] {
		return cf
	}
	if s := u.members(v.Type); s != nil {
		all := true
		for _, m := range s.Members {
			all = all && uniformBuiltins[builtinOf(m.Attrs)]
		}
		if all {
			return cf
		}
	}
	what := fmt.Sprintf("user-defined input '%s' of '%s' may be non-uniform", v.Name.Text, u.decl.Name.Text)
	if b != "" {
		what = fmt.Sprintf("builtin '%s' of '%s' may be non-uniform", v.Name.Text, u.decl.Name.Text)
	}
	return (&uniNode{kind: uniInput, at: id.Span, name: what}).needs(cf, u.varying)
}

var (
	uniBarriers    = words("workgroupBarrier storageBarrier textureBarrier")
	uniDerivatives = words(`dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine
		textureSample textureSampleBias textureSampleCompare`)
	uniShuffles = words("subgroupShuffleUp subgroupShuffleDown subgroupShuffleXor")
)

// uniRule is the diagnostic rule of a builtin function: empty where calls may stand anywhere,
// "-" where no filter switches it off.
func uniRule(name string) string {
	switch {
	case uniBarriers[name] || name == "workgroupUniformLoad":
		return "-"
	case uniDerivatives[name]:
		return "derivative_uniformity"
	case strings.HasPrefix(name, "subgroup") || strings.HasPrefix(name, "quad"):
		return "subgroup_uniformity"
	}
	return ""
}

func (u *uniformity) call(cf *uniNode, e *Call) (*uniNode, *uniNode) {
	name := e.Fun.Name
	o := u.names.Uses[e.Fun]
	var callee *uniFunc
	builtin := false
	if o != nil {
		if fn, ok := o.Decl.(*Func); ok {
			callee = u.function(fn)
		}
		builtin = o.Kind == ObjBuiltin && predeclaredFunctions[name]
	}
	args := make([]*uniNode, len(e.Args))
	contents := make([]*uniNode, len(e.Args))
	roots := make([]pointer, len(e.Args))
	for i, a := range e.Args {
		var v *uniNode
		cf, v = u.expr(cf, a, true)
		args[i] = v
		if callee != nil || name == "workgroupUniformLoad" || uniShuffles[name] {
			args[i] = (&uniNode{kind: uniArg, at: a.Range(), call: e, arg: i}).needs(v)
		}
		if p, ok := u.pointsAt(a); ok {
			roots[i] = p
			contents[i] = (&uniNode{kind: uniContents, at: a.Range(), call: e, arg: i}).needs(u.contents(cf, p.root, a.Range()))
		}
	}
	if callee == nil && !builtin { // the construction or conversion of a value
		return cf, (&uniNode{at: e.Span}).needs(cf).needs(args...)
	}
	at := (&uniNode{kind: uniCall, at: e.Span, call: e}).needs(cf)
	result := (&uniNode{kind: uniResult, at: e.Span, call: e}).needs(at)
	require := func(severity int, n *uniNode) {
		if severity > 0 && n != nil {
			u.required[severity-1].needs(n)
		}
	}
	if builtin {
		u.builtin(e, args, at, result, require)
		return cf, result
	}
	if callee.resultVaries {
		result.needs(u.varying)
	}
	after := make([]*uniNode, len(args))
	for i, p := range callee.params {
		if i >= len(args) {
			break
		}
		require(p.needValue, args[i])
		require(p.needContents, contents[i])
		if p.toResult {
			result.needs(args[i])
		}
		if p.contentsToResult {
			result.needs(contents[i])
		}
		if p.out == nil {
			continue
		}
		n := (&uniNode{kind: uniWritten, at: e.Span, call: e, arg: i}).needs(at)
		if p.outVaries {
			n.needs(u.varying)
		}
		for _, k := range p.fromValues {
			if k < len(args) {
				n.needs(args[k])
			}
		}
		for _, k := range p.fromContents {
			if k < len(args) {
				n.needs(contents[k])
			}
		}
		after[i] = n
	}
	for i, n := range after {
		root := roots[i].root
		if n == nil || root == nil || u.values[root].node == nil {
			continue
		}
		if roots[i].part {
			n.needs(u.get(root))
		}
		u.set(root, n)
	}
	require(callee.callSite, at)
	return cf, result
}

// builtin adds what a builtin function demands and gives.
func (u *uniformity) builtin(e *Call, args []*uniNode, at, result *uniNode, require func(int, *uniNode)) {
	name := e.Fun.Name
	switch {
	case name == "arrayLength": // the same for all
	case name == "workgroupUniformLoad":
		if len(args) > 0 {
			require(1, args[0])
		}
	default:
		result.needs(args...)
	}
	switch rule := uniRule(name); rule {
	case "":
		if strings.HasPrefix(name, "atomic") || name == "textureLoad" && len(e.Args) > 0 && u.readWriteTexture(e.Args[0]) {
			result.needs(u.varying)
		}
	case "-":
		require(1, at)
	default:
		result.needs(u.varying)
		sev := u.severityOf(rule)
		if uniShuffles[name] && len(args) > 1 {
			require(sev, args[1])
		}
		require(sev, at)
	}
}

// readWriteTexture reports whether a texture is one that the shader may write and read.
func (u *uniformity) readWriteTexture(e Expr) bool {
	for {
		switch x := e.(type) {
		case *Paren:
			e = x.X
			continue
		case *Ident:
			v, _ := u.variable(x)
			if v == nil {
				return false
			}
			if v.Type == nil && v.Init != nil && v.Kind == KindLet {
				e = v.Init
				continue
			}
			t := u.alias(v.Type)
			if t == nil || !strings.HasPrefix(t.Name, "texture_storage_") || len(t.Args) < 2 {
				return false
			}
			id, ok := t.Args[1].(*Ident)
			return ok && id.Name == "read_write"
		}
		return false
	}
}
