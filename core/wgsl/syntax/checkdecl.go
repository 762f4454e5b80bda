package syntax

import (
	"slices"
	"strings"
	"sync"
)

// attributes checks names, number and place of attributes, and returns them by name.
func (c *checker) attributes(l []*Attr, where string, allowed ...string) map[string]*Attr {
	var out map[string]*Attr
	for _, a := range l {
		switch {
		case !slices.Contains(allowed, a.Name):
			c.report(a.Span, "'@%s' is not valid for %s", a.Name, where)
			continue
		case out[a.Name] != nil && a.Name != "diagnostic":
			c.report(a.Span, "duplicate %s attribute", a.Name)
			continue
		}
		if out == nil {
			out = map[string]*Attr{}
		}
		out[a.Name] = a
	}
	c.diagnosticAttrs(l)
	return out
}

func (c *checker) diagnosticAttrs(l []*Attr) {
	seen := map[string]string{}
	for _, a := range l {
		if a.Name == "diagnostic" && len(a.Args) == 2 {
			sev, ok1 := a.Args[0].(*Ident)
			rule, ok2 := a.Args[1].(*Ident)
			if ok1 && ok2 {
				c.diagnostic(sev.Name, Name{rule.Span, rule.Name}, seen, true)
			}
		}
	}
}

// stageAttr reports an attribute of a statement or block: only diagnostic is one.
func (c *checker) blockAttrs(l []*Attr) { c.attributes(l, "statements", "diagnostic") }

func (c *checker) moduleVar(v *Var) {
	var info *operand
	switch v.Kind {
	case KindConst:
		if len(v.Attrs) > 0 {
			c.report(v.Attrs[0].Span, "'const' declaration does not accept attributes")
		}
		info = c.constDecl(v)
	case KindOverride:
		info = c.override(v)
	default:
		info = c.resource(v)
	}
	if info != nil && info.ok() {
		c.vars[v] = info
		t := info.t
		if t.Kind == TypeReference && v.Kind == KindVar {
			t = t.Elem
		}
		c.m.decls[v] = t
	}
}

// initialiser checks type and initialiser of a declaration against each other. The
// operand has the declared type, or the initialiser's; a declaration without initialiser
// gives a zero operand with its type.
func (c *checker) initialiser(v *Var) operand {
	var t *Type
	if v.Type != nil {
		if t = c.typeOf(v.Type); t == nil {
			if v.Init != nil {
				c.value(v.Init)
			}
			return operand{}
		}
	}
	if v.Init == nil {
		return operand{t: t}
	}
	o := c.value(v.Init)
	if !o.ok() {
		if t != nil { // the name is usable all the same
			return operand{t: t, stage: runtimeStage}
		}
		return operand{}
	}
	if t == nil {
		return o
	}
	o, ok := c.convertTo(o, t, v.Init.Range(), func(from *Type) {
		c.report(v.Init.Range(), "cannot initialize '%s' of type '%s' with value of type '%s'", kindWord(v), t, from)
	})
	if !ok {
		return operand{t: t, stage: o.stage}
	}
	return o
}

func (c *checker) constDecl(v *Var) *operand {
	o := c.initialiser(v)
	if !o.ok() {
		return nil
	}
	if o.stage != constStage {
		hint := ""
		if c.fn != nil {
			hint = "; consider 'let'"
		}
		if c.refused(v.Init) {
			return &operand{t: o.t}
		}
		c.report(v.Init.Range(), "const initializer requires a const-expression, but expression is %s %s%s", article(o.stage), o.stage, hint)
		return &operand{t: c.u.concrete(o.t)}
	}
	if !o.t.has(constructible) {
		c.report(v.Span, "'%s' cannot be used as the type of a 'const'", o.t)
		return nil
	}
	if c.huge(o.t, v.Init.Range()) {
		return nil
	}
	return &operand{t: o.t, v: o.v}
}

// refused reports whether an expression has an error that has been reported.
func (c *checker) refused(e Expr) bool { return e != nil && c.m.types[e] == nil }

func (c *checker) override(v *Var) *operand {
	o := c.initialiser(v)
	attrs := c.attributes(v.Attrs, "'override' declaration", "id")
	if !o.ok() {
		return nil
	}
	at := v.Name.Span
	if v.Init != nil {
		at = v.Init.Range()
	}
	o = c.concrete(o, at)
	if !o.t.isScalar() {
		c.report(v.Span, "'%s' cannot be used as the type of an 'override': it is no scalar", o.t)
		return nil
	}
	if o.stage == runtimeStage && !c.refused(v.Init) {
		c.report(v.Init.Range(), "override initializer requires an override-expression, but expression is a %s", o.stage)
	}
	ov := &Override{Name: v.Name.Text, Type: o.t, Decl: v, HasDefault: v.Init != nil}
	if a := attrs["id"]; a != nil {
		if n, ok := c.attrInteger(a); ok {
			switch {
			case n > 65535:
				c.report(a.Span, "@id value must be between 0 and 65535")
			case c.ids[n] != nil:
				c.report(a.Span, "@id values must be unique: override '%s' has id %d already", c.ids[n].Name.Text, n)
			default:
				c.ids[n] = v
			}
			ov.ID, ov.HasID = int(n), true
		}
	}
	c.m.Overrides = append(c.m.Overrides, ov)
	return &operand{t: o.t, stage: overrideStage}
}

// resource checks a variable at module scope.
func (c *checker) resource(v *Var) *operand {
	o := c.initialiser(v)
	attrs := c.attributes(v.Attrs, "module-scope 'var'", "group", "binding")
	group, binding := attrs["group"], attrs["binding"]
	bad := func(format string, args ...any) *operand {
		c.report(v.Name.Span, format, args...)
		return nil
	}
	var point [2]int64
	known := group != nil && binding != nil
	for i, a := range []*Attr{group, binding} {
		if a != nil {
			n, ok := c.attrInteger(a)
			point[i], known = n, known && ok
		}
	}
	if !o.ok() {
		return nil
	}
	at := v.Name.Span
	if v.Type != nil {
		at = v.Type.Span
	}
	if v.Init != nil {
		o = c.concrete(o, v.Init.Range())
	}
	t, space := o.t, v.Space
	if space == "" {
		if !t.isHandle() {
			return bad("module-scope 'var' declarations that are not of texture or sampler types must provide an address space")
		}
		space = "handle"
	} else if c.hidden(space, "address space", v) || v.Access != "" && c.hidden(v.Access, "access mode", v) {
		return nil
	} else if !addressSpaces[space] {
		return bad("unresolved address space '%s'", space)
	} else if space == "function" {
		return bad("module-scope 'var' must not use address space 'function'")
	} else if t.isHandle() {
		return bad("variables of type '%s' must not specify an address space", t)
	}
	access := defaultAccess(space)
	if v.Access != "" {
		switch {
		case !isAccess(v.Access):
			return bad("unresolved access '%s'", v.Access)
		case space != "storage":
			return bad("only variables in <storage> address space may specify an access mode")
		case v.Access == "write":
			return bad("access mode 'write' is not valid for the 'storage' address space")
		}
		access = v.Access
	}
	resource := space == "handle" || space == "uniform" || space == "storage"
	switch {
	case resource && (group == nil || binding == nil):
		c.report(v.Name.Span, "resource variables require '@group' and '@binding' attributes")
	case !resource && (group != nil || binding != nil):
		c.report(v.Name.Span, "non-resource variables must not have '@group' or '@binding' attributes")
	}
	if v.Init != nil && space != "private" {
		c.report(v.Init.Range(), "var of address space '%s' cannot have an initializer: only 'private' and 'function' can", space)
	} else if v.Init != nil && o.stage == runtimeStage && !c.refused(v.Init) {
		c.report(v.Init.Range(), "module-scope 'var' initializer requires an override-expression, but expression is a %s", o.stage)
	}
	if space != "handle" && !c.storable(t, space, at) {
		return nil
	}
	switch {
	case space == "uniform" && !t.has(constructible):
		return bad("type '%s' cannot be used in address space 'uniform': it is not constructible", t)
	case space == "storage" && access == "read" && t.has(hasAtomic):
		return bad("atomic variables in 'storage' address space must have 'read_write' access mode")
	case t.Kind == TypeTextureStorage && !c.storageTexture(t, at):
		return nil
	}
	if resource && known {
		c.m.Bindings = append(c.m.Bindings, newBinding(v, t, space, access, int(point[0]), int(point[1])))
	}
	return &operand{t: c.u.ref(t, space, access), stage: runtimeStage, root: v}
}

// hidden reports a word of a variable's template list that a declaration has taken.
func (c *checker) hidden(word, what string, v *Var) bool {
	o := c.names.Module[word]
	if o != nil {
		line, col := c.file.lines.at(NameOf(o.Decl).Pos)
		c.report(v.Name.Span, "cannot use '%s' as %s: it is declared at %d:%d", word, what, line, col)
	}
	return o != nil
}

// storageTexture checks the dimension.
func (c *checker) storageTexture(t *Type, at Span) bool {
	switch t.Dim {
	case "1d", "2d", "2d_array", "3d":
		return true
	}
	c.report(at, "no storage texture has dimension '%s'", t.Dim)
	return false
}

func (c *checker) structure(s *Struct) {
	var members []Field
	ok := true
	if len(s.Members) == 0 {
		c.report(s.Name.Span, "structures must have at least one member")
		return
	}
	locations := map[[2]int]bool{}
	for i, m := range s.Members {
		t := c.typeOf(m.Type)
		attrs := c.attributes(m.Attrs, "struct members", "align", "size", "location", "builtin", "interpolate", "invariant", "blend_src")
		if t == nil {
			ok = false
			c.io(m.Attrs, attrs, nil, m.Span)
			continue
		}
		f := Field{Name: m.Name.Text, Type: t, decl: m}
		switch {
		case !t.has(plain):
			c.report(m.Type.Span, "'%s' cannot be used as the type of a structure member", t)
			ok = false
		case t.has(hasRuntime) && (i < len(s.Members)-1 || t.Kind == TypeStruct):
			c.report(m.Type.Span, "runtime arrays may only appear as the last member of a struct")
			ok = false
		case t.has(hasOverride):
			c.report(m.Type.Span, "an override-sized array cannot be used as the type of a structure member")
			ok = false
		case t.depth >= 254:
			c.report(m.Type.Span, "struct '%s' has nesting depth of %d, maximum is 255", s.Name.Text, t.depth+1)
			ok = false
		}
		if a := attrs["align"]; a != nil {
			if n, good := c.attrInteger(a); good {
				if n < 1 || n&(n-1) != 0 {
					c.report(a.Span, "@align value must be a positive, power-of-two integer")
				} else if uint64(n)%t.Align != 0 {
					c.report(a.Span, "@align value must be a multiple of the type's alignment: '%s' has %d, got %d", t, t.Align, n)
				} else {
					f.Align = uint64(n)
				}
			}
		}
		if a := attrs["size"]; a != nil {
			if n, good := c.attrInteger(a); good {
				switch {
				case t.has(hasRuntime):
					c.report(a.Span, "@size can only be applied to members where the member's type size can be fully determined at shader creation time")
				case uint64(n) < t.Size:
					c.report(a.Span, "@size must be at least as big as the type's size (%d)", t.Size)
				default:
					f.Size = uint64(n)
				}
			}
		}
		f.IO = c.io(m.Attrs, attrs, t, m.Span)
		if f.IO.HasLocation {
			k := [2]int{f.IO.Location, f.IO.BlendSrc}
			if locations[k] {
				c.report(attrs["location"].Span, "@location(%d) appears multiple times", f.IO.Location)
			}
			locations[k] = true
		}
		members = append(members, f)
	}
	c.blendSources(members)
	if !ok {
		return
	}
	t := c.u.structure(s.Name.Text, s, members)
	if t.Size > maxType {
		c.report(s.Name.Span, "struct size in bytes must not exceed 0x%x, but is 0x%x", uint64(maxType), t.Size)
		return
	}
	c.m.decls[s] = t
}

// blendSources checks that the two sources of a blend come together and look alike.
func (c *checker) blendSources(members []Field) {
	var sources [2]*Field
	for i, m := range members {
		if m.IO.HasBlendSrc {
			sources[m.IO.BlendSrc] = &members[i]
		}
	}
	for _, m := range members {
		if (sources[0] != nil || sources[1] != nil) && m.IO.HasLocation && !m.IO.HasBlendSrc {
			c.report(m.decl.Span, "member '%s' has '@location' without '@blend_src', which other members have", m.Name)
		}
	}
	switch a, b := sources[0], sources[1]; {
	case a == nil && b == nil:
	case a == nil || b == nil:
		missing := 0
		if a == nil {
			a, missing = b, 0
		} else {
			missing = 1
		}
		c.report(a.decl.Span, "'@blend_src(%d)' is missing when '@blend_src' is used", missing)
	case a.Type != b.Type:
		c.report(b.decl.Span, "all the outputs with '@blend_src' must have the same type: '%s' and '%s'", a.Type, b.Type)
	}
}

// IO is how a member, parameter or result meets the rest of the pipeline.
type IO struct {
	Builtin     string // position, vertex_index, ..., or empty
	HasLocation bool
	Location    int
	HasBlendSrc bool
	BlendSrc    int
	// Interpolation (perspective, linear, flat) and Sampling (center, centroid, sample,
	// first, either) are as written; empty where nothing is.
	Interpolation, Sampling string
	Invariant               bool

	refused bool // has an attribute that was reported
}

var interpolations = map[string][]string{
	"perspective": {"center", "centroid", "sample"},
	"linear":      {"center", "centroid", "sample"},
	"flat":        {"first", "either"},
}

func attrWord(a *Attr, i int) string {
	if i < len(a.Args) {
		if id, ok := a.Args[i].(*Ident); ok && len(id.Args) == 0 {
			return id.Name
		}
	}
	return ""
}

// io reads the attributes that name inputs and outputs. t is nil where the type is in error.
func (c *checker) io(list []*Attr, attrs map[string]*Attr, t *Type, at Span) IO {
	var io IO
	if a := attrs["location"]; a != nil {
		if n, ok := c.attrInteger(a); ok {
			io.HasLocation, io.Location = true, int(n)
		} else {
			io.HasLocation, io.Location = true, -1
		}
		if t != nil && !ioType(t) {
			c.report(a.Span, "cannot apply '@location' to declaration of type '%s'; it takes numeric scalars and vectors", t)
		}
	}
	if a := attrs["blend_src"]; a != nil && c.needs("dual_source_blending", a.Span, "'@blend_src'") {
		if n, ok := c.attrInteger(a); ok {
			if n > 1 {
				c.report(a.Span, "@blend_src value must be zero or one")
			}
			io.HasBlendSrc, io.BlendSrc = true, int(min(n, 1))
		}
		if !io.HasLocation {
			c.report(a.Span, "@blend_src can only be used with @location(0)")
		} else if io.Location != 0 {
			c.report(a.Span, "@blend_src can only be used with @location(0)")
		}
	}
	if a := attrs["builtin"]; a != nil {
		name := attrWord(a, 0)
		b, ok := builtinValues()[name]
		switch {
		case !ok || len(a.Args) > 2:
			c.report(a.Span, "unknown builtin value '%s'%s", name, suggest(name, builtinValueNames()))
			io.refused = true
		case b.extension != "" && !c.needs(b.extension, a.Span, "'@builtin("+name+")'"):
			io.refused = true
		default:
			if len(a.Args) == 2 {
				if mode := attrWord(a, 1); name != "frag_depth" && name != "position" || !slices.Contains([]string{"any", "less", "greater"}, mode) {
					c.report(a.Span, "'@builtin(%s)' has no depth mode '%s'", name, mode)
				}
			}
			io.Builtin = name
			if t != nil && !b.accepts(t) {
				c.report(at, "store type of '@builtin(%s)' must be '%s', got '%s'", name, b.typ, t)
			}
		}
	}
	if a := attrs["interpolate"]; a != nil {
		io.Interpolation, io.Sampling = attrWord(a, 0), attrWord(a, 1)
		samplings, ok := interpolations[io.Interpolation]
		switch {
		case !ok || len(a.Args) > 2:
			c.report(a.Span, "unknown interpolation type '%s': it is one of flat, linear, perspective", io.Interpolation)
		case len(a.Args) == 2 && !slices.Contains(samplings, io.Sampling):
			c.report(a.Span, "interpolation '%s' has no sampling '%s': it is one of %s", io.Interpolation, io.Sampling, strings.Join(samplings, ", "))
		case !io.HasLocation:
			c.report(a.Span, "'@interpolate' can only be used with '@location'")
		case t != nil && t.scalar().isInt() && io.Interpolation != "flat":
			c.report(a.Span, "interpolation type must be 'flat' for integral user-defined IO types")
			io.refused = true
		}
	}
	if a := attrs["invariant"]; a != nil {
		io.Invariant = true
		if io.Builtin != "position" {
			c.report(a.Span, "'@invariant' must be applied to a position builtin")
		}
	}
	return io
}

// ioType reports whether a type can have a location.
func ioType(t *Type) bool {
	if t.Kind == TypeVec {
		t = t.Elem
	}
	return t.isNumber()
}

// builtinValue is what the recommendation says of a builtin value: section "Built-in Values".
type builtinValue struct {
	typ       string
	in, out   string // the stages, by their letters: v, f, c
	extension string
}

func (b builtinValue) accepts(t *Type) bool {
	if b.typ == "array<f32, N>" {
		return t.Kind == TypeArray && t.Elem.Kind == TypeF32 && t.N >= 1 && t.N <= 8
	}
	return t.String() == b.typ
}

var builtinValues = sync.OnceValue(func() map[string]builtinValue {
	return map[string]builtinValue{
		"vertex_index":            {typ: "u32", in: "v"},
		"instance_index":          {typ: "u32", in: "v"},
		"position":                {typ: "vec4<f32>", in: "f", out: "v"},
		"front_facing":            {typ: "bool", in: "f"},
		"frag_depth":              {typ: "f32", out: "f"},
		"sample_index":            {typ: "u32", in: "f"},
		"sample_mask":             {typ: "u32", in: "f", out: "f"},
		"local_invocation_id":     {typ: "vec3<u32>", in: "c"},
		"local_invocation_index":  {typ: "u32", in: "c"},
		"global_invocation_id":    {typ: "vec3<u32>", in: "c"},
		"global_invocation_index": {typ: "u32", in: "c"},
		"workgroup_id":            {typ: "vec3<u32>", in: "c"},
		"workgroup_index":         {typ: "u32", in: "c"},
		"num_workgroups":          {typ: "vec3<u32>", in: "c"},
		"subgroup_invocation_id":  {typ: "u32", in: "cf", extension: "subgroups"},
		"subgroup_size":           {typ: "u32", in: "cf", extension: "subgroups"},
		"subgroup_id":             {typ: "u32", in: "c", extension: "subgroups"},
		"num_subgroups":           {typ: "u32", in: "c", extension: "subgroups"},
		"clip_distances":          {typ: "array<f32, N>", out: "v", extension: "clip_distances"},
		"primitive_index":         {typ: "u32", in: "f", extension: "primitive_index"},
		"view_index":              {typ: "u32", in: "vf", extension: "view_instancing"},
	}
})

var builtinValueNames = sync.OnceValue(func() []string {
	var out []string
	for n := range builtinValues() {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
})
