package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Module is a checked source: its types, and the interface that a pipeline sees.
type Module struct {
	File  *File
	Names *Names
	// EntryPoints, Bindings and Overrides are in the order of the source.
	EntryPoints []*EntryPoint
	Bindings    []*Binding
	Overrides   []*Override

	types map[Expr]*Type
	decls map[Decl]*Type
}

// TypeOf is the type of an expression: a reference where it stands for memory; nil where
// it is no value, such as the name of a type, or was refused.
func (m *Module) TypeOf(e Expr) *Type { return m.types[e] }

// TypeOfDecl is the type that a declaration has (a variable, value or function's result)
// or is (a structure or alias). It is nil where the declaration was refused.
func (m *Module) TypeOfDecl(d Decl) *Type { return m.decls[d] }

// Validate parses and checks a source. The findings are in the order of the source; the
// module is nil where the source is no WGSL syntax.
func Validate(src string) (*Module, Errors) {
	f, errs := Parse(src)
	if errs.Fatal() {
		return nil, errs
	}
	m, more := Check(f)
	errs = append(errs, more...)
	sortErrors(errs)
	return m, errs
}

// Check resolves the names of a file that was parsed without errors, and checks types,
// values, statements, declarations and entry points by the rules of the recommendation,
// and where there is no fault so far the uniformity of control flow, in time linear in
// the source. The findings are in the order of the source; one fault
// gives one error. Every extension and language feature that Tint knows is allowed.
func Check(f *File) (*Module, Errors) {
	names, errs := Resolve(f, nil)
	m := &Module{File: f, Names: names, types: map[Expr]*Type{}, decls: map[Decl]*Type{}}
	c := &checker{
		file: f, names: names, m: m, u: newUniverse(), errs: errs, enabled: map[string]bool{},
		vars: map[*Var]*operand{}, globals: globalsOf(f, names), funcs: map[*Func]*funcInfo{}, ids: map[int64]*Var{},
	}
	c.directives()
	for _, d := range names.order {
		c.decl(d)
	}
	c.entryPoints()
	if !c.errs.Fatal() {
		c.errs = append(c.errs, uniform(f, names)...)
	}
	sortErrors(c.errs)
	return m, c.errs
}

type checker struct {
	file    *File
	names   *Names
	m       *Module
	u       *universe
	errs    Errors
	enabled map[string]bool
	vars    map[*Var]*operand // what their names give
	globals map[*Var]*global
	funcs   map[*Func]*funcInfo
	ids     map[int64]*Var // of overrides

	fn     *funcInfo // nil at module scope
	flow   flow
	bypass *loopInfo
	depth  int // of the expression
	skip   int // more than 0 where an expression is not evaluated
}

func (c *checker) report(s Span, format string, args ...any) { c.find(false, s, format, args...) }

func (c *checker) warn(s Span, format string, args ...any) { c.find(true, s, format, args...) }

func (c *checker) find(warning bool, s Span, format string, args ...any) {
	if len(c.errs) >= maxFindings && (warning || c.errs.Fatal()) {
		return
	}
	line, col := c.file.lines.at(s.Pos)
	c.errs = append(c.errs, &Error{Span: s, Line: line, Col: col, Msg: fmt.Sprintf(format, args...), Warning: warning})
}

// suggest is a hint for a misspelt name, or nothing.
func suggest(name string, from []string) string {
	best, dist := "", 3
	for _, f := range from {
		if d := editDistance(name, f, dist); d < dist {
			best, dist = f, d
		}
	}
	if best == "" || len(from) > 200 {
		return ""
	}
	return fmt.Sprintf("; did you mean '%s'?", best)
}

// editDistance counts the changed, missing and superfluous bytes between two words, up to
// a limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 64 {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Extensions and language features as Tint has them; those of experiments are left out.
var (
	extensions = []string{"atomic_vec2u_min_max", "clip_distances", "dual_source_blending", "f16", "primitive_index",
		"subgroup_size_control", "subgroups", "view_instancing"}
	languageFeatures = []string{"readonly_and_readwrite_storage_textures", "packed_4x8_integer_dot_product",
		"unrestricted_pointer_parameters", "pointer_composite_access", "uniform_buffer_standard_layout", "subgroup_id",
		"linear_indexing", "texture_and_sampler_let", "subgroup_uniformity", "texture_formats_tier1", "swizzle_assignment",
		"buffer_view", "fragment_depth", "immediate_address_space"}
	diagnosticRules = []string{"derivative_uniformity", "subgroup_uniformity"}
)

func (c *checker) directives() {
	seen := map[string]string{}
	for _, d := range c.file.Directives {
		switch d.Kind {
		case "enable":
			for _, n := range d.Names {
				c.enabled[n.Text] = true
			}
		case "requires":
			for _, n := range d.Names {
				if !slices.Contains(languageFeatures, n.Text) {
					c.report(n.Span, "feature '%s' is not supported%s", n.Text, suggest(n.Text, languageFeatures))
				}
			}
		case "diagnostic":
			c.diagnostic(d.Names[0].Text, d.Names[1], seen, false)
		}
	}
}

// diagnostic checks diagnostic(severity, rule); seen has the severities of its rules so far.
func (c *checker) diagnostic(sev string, name Name, seen map[string]string, attribute bool) {
	at, rule := name.Span, name.Text
	if !strings.Contains(rule, ".") && !slices.Contains(diagnosticRules, rule) {
		c.warn(at, "unrecognized diagnostic rule '%s'%s", rule, suggest(rule, diagnosticRules))
	}
	switch old, ok := seen[rule]; {
	case ok && attribute:
		c.report(at, "duplicate diagnostic attribute for rule '%s'", rule)
	case ok && old != sev:
		c.report(at, "conflicting severities for diagnostic rule '%s': '%s' and '%s'", rule, old, sev)
	}
	seen[rule] = sev
}

// needs reports the use of something whose extension is not enabled.
func (c *checker) needs(extension string, at Span, what string) bool {
	if !c.enabled[extension] {
		c.report(at, "%s needs the extension '%s': write 'enable %[2]s;' at the head of the source", what, extension)
	}
	return c.enabled[extension]
}

func kindWord(v *Var) string {
	return [...]string{KindVar: "var", KindLet: "let", KindConst: "const", KindOverride: "override", KindParam: "parameter"}[v.Kind]
}

func (c *checker) decl(d Decl) {
	switch d := d.(type) {
	case *Var:
		c.moduleVar(d)
	case *Alias:
		c.m.decls[d] = c.typeOf(d.Type)
	case *Struct:
		c.structure(d)
	case *ConstAssert:
		c.constAssert(d)
	case *Func:
		c.function(d)
	}
}

func (c *checker) constAssert(d *ConstAssert) {
	o := c.value(d.Cond)
	switch {
	case !o.ok():
	case o.t.Kind != TypeBool:
		c.report(d.Cond.Range(), "const assertion condition must be a bool, got '%s'", o.t)
	case o.stage != constStage:
		c.report(d.Cond.Range(), "const assertion requires a const-expression, but expression is an %s", o.stage)
	case o.v != nil && !o.v.bool():
		c.report(d.Span, "const assertion failed")
	}
}

// integer checks an expression that must be an integer known when the shader is created.
func (c *checker) integer(e Expr, what string) (int64, bool) {
	o := c.value(e)
	if !o.ok() {
		return 0, false
	}
	if !o.t.isInt() {
		c.report(e.Range(), "%s must be an 'i32' or 'u32' value, got '%s'", what, o.t)
		return 0, false
	}
	if o.stage != constStage {
		c.report(e.Range(), "%s requires a const-expression, but expression is %s %s", what, article(o.stage), o.stage)
		return 0, false
	}
	o = c.concrete(o, e.Range())
	if o.v == nil {
		return 0, false
	}
	return o.v.i, true
}

func article(s stage) string {
	if s == overrideStage {
		return "an"
	}
	return "a"
}

// attrInteger is the one integer argument of an attribute, not negative.
func (c *checker) attrInteger(a *Attr) (int64, bool) {
	n, ok := c.integer(a.Args[0], "@"+a.Name)
	if ok && n < 0 {
		c.report(a.Args[0].Range(), "@%s value must be non-negative", a.Name)
		return 0, false
	}
	return n, ok
}
