package syntax

import (
	"fmt"
	"strings"
)

// funcInfo is what a function's callers, and the entry points that reach it, need.
type funcInfo struct {
	decl    *Func
	stage   string // of an entry point: vertex, fragment, compute
	params  []*Type
	result  *Type
	mustUse bool

	calls   []callSite
	used    []use // of variables and overrides of the module, the first ones
	usedAt  map[*Var]bool
	limits  []limit
	mark    int           // of the last entry point that reached it
	reads   map[*Var]bool // memory that it or what it calls reads and writes, by variable
	writes  map[*Var]bool // of the module or pointer parameter
	callees map[*funcInfo]bool
}

// global is a variable or override of the module.
type global struct {
	v         *Var
	addressed bool // & is taken of it or of a part of it somewhere
	binding   *Binding
	override  *Override
	mark      int // of the last entry point that reached it
}

type use struct {
	*global
	at Span
}

// globalsOf finds the variables of the module.
func globalsOf(f *File, names *Names) map[*Var]*global {
	out := map[*Var]*global{}
	for _, d := range f.Decls {
		if v, ok := d.(*Var); ok {
			out[v] = &global{v: v}
		}
	}
	for _, d := range f.Decls {
		if _, ok := d.(*Func); !ok {
			continue
		}
		Walk(d, func(e Expr) bool {
			if u, ok := e.(*Unary); ok && u.Op == "&" {
				if v := rootOf(u.X, names); out[v] != nil {
					out[v].addressed = true
				}
			}
			return true
		})
	}
	return out
}

// rootOf is the variable at the bottom of x.y[i], or nil.
func rootOf(e Expr, names *Names) *Var {
	for {
		switch x := unparen(e).(type) {
		case *Index:
			e = x.X
		case *Select:
			e = x.X
		case *Unary:
			e = x.X
		case *Ident:
			if o := names.Uses[x]; o != nil {
				v, _ := o.Decl.(*Var)
				return v
			}
			return nil
		default:
			return nil
		}
	}
}

type callSite struct {
	to *funcInfo
	at Span
}

// limit is a use that only some stages allow.
type limit struct {
	stages string // letters: v, f, c
	at     Span
	what   string
}

// uses notes the use of a module's variable by the current function.
func (c *checker) uses(v *Var, at Span) {
	if c.fn == nil {
		return
	}
	if g := c.globals[v]; g != nil && !c.fn.usedAt[v] {
		c.fn.used = append(c.fn.used, use{g, at})
		c.fn.usedAt[v] = true
	}
}

// access notes that memory is read or written that a pointer may lead to as well.
func (c *checker) access(root *Var, write bool) {
	g := c.globals[root]
	switch {
	case c.fn == nil || root.Kind != KindParam && (g == nil || !g.addressed):
	case write:
		c.fn.writes[root] = true
	default:
		c.fn.reads[root] = true
	}
}

// builtinUse notes what a builtin asks of the stage, and what memory it touches.
func (c *checker) builtinUse(e *Call, ch *chosen, ops []operand) {
	stages := ""
	switch {
	case strings.Contains(ch.flags, "FC"):
		stages = "fc"
	case strings.Contains(ch.flags, "F"):
		stages = "f"
	case strings.Contains(ch.flags, "C"):
		stages = "c"
	}
	if stages != "" {
		c.fn.limits = append(c.fn.limits, limit{stages, e.Span, fmt.Sprintf("built-in function '%s'", e.Fun.Name)})
	}
	for i, p := range ch.overload.params {
		if ops[i].root != nil && (p.kind == patAtomic || p.kind == patWorkgroup) {
			c.access(ops[i].root, false)
			if p.kind == patAtomic && e.Fun.Name != "atomicLoad" {
				c.access(ops[i].root, true)
			}
		}
	}
}

// called notes a call, and refuses pointers to memory that the callee writes by another
// name: section "Alias analysis".
func (c *checker) called(e *Call, to *funcInfo, ops []operand) {
	c.fn.calls = append(c.fn.calls, callSite{to, e.Span})
	byRoot := map[*Var]int{}
	for i, o := range ops {
		if !o.ok() || o.t.Kind != TypePointer || o.root == nil {
			continue
		}
		p := to.decl.Params[i]
		read, write := to.reads[p], to.writes[p]
		alias := false
		if j, ok := byRoot[o.root]; ok {
			q := to.decl.Params[j]
			alias = write && (to.reads[q] || to.writes[q]) || read && to.writes[q]
		}
		byRoot[o.root] = i
		alias = alias || write && (to.reads[o.root] || to.writes[o.root]) || read && to.writes[o.root]
		if alias {
			c.report(e.Args[i].Range(), "invalid aliased pointer argument: '%s' is reached by another name in '%s', and written", o.root.Name.Text, to.decl.Name.Text)
		}
		if read {
			c.access(o.root, false)
		}
		if write {
			c.access(o.root, true)
		}
	}
	if c.fn.callees[to] {
		return
	}
	c.fn.callees[to] = true
	for v := range to.reads {
		if v.Kind == KindVar {
			c.fn.reads[v] = true
		}
	}
	for v := range to.writes {
		if v.Kind == KindVar {
			c.fn.writes[v] = true
		}
	}
}

func (c *checker) function(f *Func) {
	info := &funcInfo{decl: f, result: c.basic(TypeVoid), usedAt: map[*Var]bool{}, reads: map[*Var]bool{}, writes: map[*Var]bool{}, callees: map[*funcInfo]bool{}}
	attrs := c.attributes(f.Attrs, "functions", "vertex", "fragment", "compute", "workgroup_size", "must_use", "diagnostic", "subgroup_size")
	for _, s := range []string{"vertex", "fragment", "compute"} {
		if a := attrs[s]; a != nil {
			if info.stage != "" {
				c.report(a.Span, "a function has one stage: '@%s' and '@%s'", info.stage, s)
			}
			info.stage = s
		}
	}
	c.fn = info // parameters may not use variables either, but their attributes may use constants
	ok := true
	for _, p := range f.Params {
		t := c.typeOf(p.Type)
		if t == nil {
			ok = false
		} else if c.huge(t, p.Type.Span) {
			ok = false
		} else if !t.has(constructible) && t.Kind != TypePointer && !t.isHandle() {
			c.report(p.Type.Span, "type of function parameter must be constructible, a pointer, texture or sampler, got '%s'", t)
			ok = false
		}
		info.params = append(info.params, t)
		if t != nil {
			o := operand{t: t, stage: runtimeStage}
			if t.Kind == TypePointer {
				o.root = p
			}
			c.vars[p] = &o
			c.m.decls[p] = t
		}
	}
	if len(f.Params) > 255 {
		c.report(f.Name.Span, "function declares %d parameters, maximum is 255", len(f.Params))
	}
	if f.Result != nil {
		info.result = c.typeOf(f.Result)
		if t := info.result; t != nil && !t.has(constructible) {
			c.report(f.Result.Span, "function return type must be a constructible type, got '%s'", t)
			info.result, ok = nil, false
		} else if t != nil && c.huge(t, f.Result.Span) {
			info.result, ok = nil, false
		}
		ok = ok && info.result != nil
	}
	if a := attrs["subgroup_size"]; a != nil && c.needs("subgroup_size_control", a.Span, "'@subgroup_size'") {
		if info.stage != "compute" {
			c.report(a.Span, "'@subgroup_size' is only valid for compute stages")
		}
		if len(a.Args) != 1 {
			c.report(a.Span, "@subgroup_size takes one argument, got %d", len(a.Args))
		} else if o := c.value(a.Args[0]); o.ok() && (!o.t.isInt() || o.stage == runtimeStage) {
			c.report(a.Args[0].Range(), "@subgroup_size takes a constant or override-expression of type 'i32' or 'u32'")
		}
	}
	if a := attrs["must_use"]; a != nil {
		info.mustUse = true
		if f.Result == nil {
			c.report(a.Span, "'@must_use' can only be applied to functions that return a value")
		}
	}
	var entry *EntryPoint
	size := c.workgroupSize(attrs["workgroup_size"], info, f)
	if info.stage != "" {
		entry = &EntryPoint{Name: f.Name.Text, Stage: info.stage, WorkgroupSize: size, Func: f}
		c.m.EntryPoints = append(c.m.EntryPoints, entry)
	}
	c.interfaceOf(f, info, entry)
	c.m.decls[f] = info.result
	if ok {
		c.funcs[f] = info
	}
	c.body(f, info)
	c.fn = nil
}

func (c *checker) workgroupSize(a *Attr, info *funcInfo, f *Func) (size [3]uint32) {
	if a == nil {
		if info.stage == "compute" {
			c.report(f.Name.Span, "a compute shader must include '@workgroup_size' in its attributes")
		}
		return size
	}
	if info.stage != "compute" {
		c.report(a.Span, "'@workgroup_size' is only valid for compute stages")
	}
	size = [3]uint32{1, 1, 1}
	var t *Type
	total := int64(1)
	for i, e := range a.Args[:min(len(a.Args), len(size))] {
		o := c.value(e)
		if !o.ok() {
			continue
		}
		if t != nil {
			t = common(t, o.t)
		} else {
			t = o.t
		}
		switch {
		case !o.t.isInt() || t == nil:
			c.report(e.Range(), "workgroup_size arguments must be of the same type, either 'i32' or 'u32'")
			return size
		case o.stage == runtimeStage:
			c.report(e.Range(), "workgroup_size argument must be a constant or override-expression of type 'abstract-integer', 'i32' or 'u32'")
			continue
		case o.stage == overrideStage:
			size[i] = 0
			continue
		}
		o = c.concrete(o, e.Range())
		if o.v == nil {
			continue
		}
		if o.v.i < 1 {
			c.report(e.Range(), "workgroup_size argument must be at least 1, is %d", o.v.i)
			continue
		}
		size[i] = uint32(o.v.i)
		if total *= o.v.i; total > 0xffffffff {
			c.report(a.Span, "total workgroup grid size cannot exceed 0xffffffff")
			return size
		}
	}
	return size
}

var stageLetter = map[string]string{"vertex": "v", "fragment": "f", "compute": "c"}

// interfaceOf checks inputs and outputs of a function: those of an entry point have
// attributes, those of others have none.
func (c *checker) interfaceOf(f *Func, info *funcInfo, entry *EntryPoint) {
	if entry == nil {
		for _, p := range f.Params {
			for _, a := range p.Attrs {
				c.report(a.Span, "'@%s' is not valid for parameters of functions that are no entry points", a.Name)
			}
		}
		for _, a := range f.ResultAttrs {
			c.report(a.Span, "'@%s' is not valid for results of functions that are no entry points", a.Name)
		}
		return
	}
	in := &ioSet{c: c, entry: entry, what: "parameter", direction: "input"}
	for i, p := range f.Params {
		attrs := c.attributes(p.Attrs, "parameters of entry points", "location", "builtin", "interpolate", "invariant")
		if info.params[i] != nil {
			in.add(p.Name.Text, info.params[i], p.Attrs, attrs, p.Name.Span)
		}
	}
	out := &ioSet{c: c, entry: entry, what: "return type", direction: "output"}
	attrs := c.attributes(f.ResultAttrs, "results of entry points", "location", "builtin", "interpolate", "invariant")
	if f.Result != nil && info.result != nil {
		out.add("", info.result, f.ResultAttrs, attrs, f.Result.Span)
	}
	if entry.Stage == "vertex" && !out.builtins["position"] && (f.Result == nil || info.result != nil) {
		c.report(f.Name.Span, "a vertex shader must include the 'position' builtin in its return type")
	}
	if entry.Stage == "compute" && f.Result != nil {
		c.report(f.Result.Span, "a compute shader returns nothing")
	}
	entry.Inputs, entry.Outputs = in.list, out.list
}

// ioSet collects the inputs or the outputs of an entry point.
type ioSet struct {
	c               *checker
	entry           *EntryPoint
	what, direction string
	list            []IOVariable
	builtins        map[string]bool
	locations       map[[2]int]bool
}

func (s *ioSet) add(name string, t *Type, list []*Attr, attrs map[string]*Attr, at Span) {
	if t.Kind != TypeStruct || t.Struct == nil {
		s.one(name, t, s.c.io(list, attrs, t, at), at)
		return
	}
	for _, a := range list {
		if a.Name != "diagnostic" {
			s.c.report(a.Span, "'@%s' cannot be applied to a structure: it is for the members", a.Name)
		}
	}
	for _, m := range t.Members {
		if m.Type.Kind == TypeStruct {
			s.c.report(m.decl.Span, "nested structures cannot be used for entry point IO: member '%s' of '%s'", m.Name, t.Name)
			continue
		}
		s.one(m.Name, m.Type, m.IO, m.decl.Span)
	}
}

func (s *ioSet) one(name string, t *Type, io IO, at Span) {
	c := s.c
	letter := stageLetter[s.entry.Stage]
	switch {
	case io.Builtin != "" && io.HasLocation:
		c.report(at, "multiple entry point IO attributes: '@location' and '@builtin' exclude each other")
	case io.Builtin != "":
		b := builtinValues()[io.Builtin]
		stages := b.in
		if s.direction == "output" {
			stages = b.out
		}
		if !strings.Contains(stages, letter) {
			c.report(at, "'@builtin(%s)' cannot be used for %s shader %s (entry point '%s')", io.Builtin, s.entry.Stage, s.direction, s.entry.Name)
		}
		if s.builtins == nil {
			s.builtins = map[string]bool{}
		}
		if s.builtins[io.Builtin] {
			c.report(at, "'@builtin(%s)' appears multiple times as pipeline %s of '%s'", io.Builtin, s.direction, s.entry.Name)
		}
		s.builtins[io.Builtin] = true
	case io.HasLocation:
		if s.entry.Stage == "compute" {
			c.report(at, "'@location' cannot be used for compute shader %s", s.direction)
		}
		if s.locations == nil {
			s.locations = map[[2]int]bool{}
		}
		k := [2]int{io.Location, io.BlendSrc}
		if s.locations[k] && io.Location >= 0 {
			c.report(at, "'@location(%d)' appears multiple times as pipeline %s of '%s'", io.Location, s.direction, s.entry.Name)
		}
		s.locations[k] = true
		varying := s.entry.Stage == "fragment" && s.direction == "input" || s.entry.Stage == "vertex" && s.direction == "output"
		if varying && t.scalar().isInt() && io.Interpolation != "flat" {
			c.report(at, "integral user-defined %s %ss must have a '@interpolate(flat)' attribute", s.entry.Stage, s.direction)
		}
	case io.refused:
		return
	default:
		c.report(at, "missing entry point IO attribute on %s", s.what)
		return
	}
	if io.HasBlendSrc && (s.entry.Stage != "fragment" || s.direction != "output") {
		c.report(at, "'@blend_src' is only for fragment shader output")
	}
	s.list = append(s.list, IOVariable{Name: name, Type: t, IO: io})
}
