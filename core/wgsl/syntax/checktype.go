package syntax

import (
	"math"
	"slices"
	"strings"
)

// typeOf is the type that a name and its template list give, or nil after an error.
func (c *checker) typeOf(id *Ident) *Type {
	o := c.names.Uses[id]
	if o == nil {
		return nil // reported by the resolver
	}
	at := Span{id.Pos, id.Pos + len(id.Name)}
	switch {
	case o.Kind == ObjType:
		t := c.m.decls[o.Decl]
		if t != nil && len(id.Args) > 0 {
			c.report(id.Span, "type '%s' does not take template arguments", id.Name)
			return nil
		}
		return t
	case o.Kind == ObjBuiltin && predeclaredTypes[id.Name]:
		return c.builtinType(id)
	case o.Kind == ObjFunc:
		c.report(at, "cannot use function '%s' as type", id.Name)
	case o.Kind != ObjBuiltin:
		what := "value"
		if v, ok := o.Decl.(*Var); ok {
			what = kindWord(v)
		}
		c.report(at, "cannot use %s '%s' as type", what, id.Name)
	case predeclaredFunctions[id.Name]:
		c.report(at, "cannot use builtin function '%s' as type", id.Name)
	default:
		c.report(at, "cannot use '%s', a word that WGSL predeclares, as type", id.Name)
	}
	return nil
}

var suffixScalar = map[byte]TypeKind{'i': TypeI32, 'u': TypeU32, 'f': TypeF32, 'h': TypeF16}

func (c *checker) builtinType(id *Ident) *Type {
	name, at := id.Name, id.Span
	arity := func(lo, hi int) bool {
		n := len(id.Args)
		switch {
		case n >= lo && n <= hi:
			return true
		case hi == 0:
			c.report(at, "type '%s' does not take template arguments", name)
		case n == 0:
			c.report(at, "expected '<' for '%s'", name)
		case lo == hi:
			c.report(at, "'%s' requires %d template arguments, got %d", name, lo, n)
		default:
			c.report(at, "'%s' requires %d or %d template arguments, got %d", name, lo, hi, n)
		}
		return false
	}
	if k := slices.Index(scalarNames[:], name); k > 0 {
		if !arity(0, 0) || k == int(TypeF16) && !c.needs("f16", at, "type 'f16'") {
			return nil
		}
		return c.basic(TypeKind(k))
	}
	vec, isVec := strings.CutPrefix(name, "vec")
	mat, isMat := strings.CutPrefix(name, "mat")
	switch {
	case isVec || isMat:
		var elem *Type
		if suffix, ok := suffixScalar[name[len(name)-1]]; ok {
			if !arity(0, 0) || suffix == TypeF16 && !c.needs("f16", at, "type '"+name+"'") {
				return nil
			}
			elem = c.basic(suffix)
		} else {
			if !arity(1, 1) {
				return nil
			}
			if elem = c.typeArg(id.Args[0]); elem == nil {
				return nil
			}
		}
		if isVec {
			if !elem.isScalar() {
				c.report(at, "vector element type must be 'bool', 'f32', 'f16', 'i32' or 'u32', got '%s'", elem)
				return nil
			}
			return c.u.vec(int(vec[0]-'0'), elem)
		}
		if !elem.isFloat() {
			c.report(at, "matrix element type must be 'f32' or 'f16', got '%s'", elem)
			return nil
		}
		return c.u.mat(int(mat[0]-'0'), int(mat[2]-'0'), elem)
	case name == "array":
		if !arity(1, 2) {
			return nil
		}
		return c.arrayType(id)
	case name == "atomic":
		if !arity(1, 1) {
			return nil
		}
		t := c.typeArg(id.Args[0])
		if t == nil {
			return nil
		}
		if t.Kind != TypeI32 && t.Kind != TypeU32 {
			c.report(at, "atomic only supports 'i32' or 'u32', got '%s'", t)
			return nil
		}
		return c.u.of(typeKey{Kind: TypeAtomic, Elem: t})
	case name == "ptr":
		if !arity(2, 3) {
			return nil
		}
		return c.pointerType(id)
	}
	key, ok := handleKey(name)
	if !ok {
		c.report(at, "type '%s' is not supported here", name)
		return nil
	}
	switch key.Kind {
	case TypeTexture, TypeTextureMultisampled:
		if !arity(1, 1) {
			return nil
		}
		if key.Elem = c.typeArg(id.Args[0]); key.Elem == nil {
			return nil
		}
		if k := key.Elem.Kind; k != TypeF32 && k != TypeI32 && k != TypeU32 {
			c.report(id.Args[0].Range(), "sampled texture type must be 'f32', 'i32' or 'u32', got '%s'", key.Elem)
			return nil
		}
	case TypeTextureStorage:
		if !arity(2, 2) {
			return nil
		}
		if key.Format, ok = c.enumerant(id.Args[0], "texel format", func(s string) bool { return texelFormats()[s] != 0 }); !ok {
			return nil
		}
		if key.Access, ok = c.enumerant(id.Args[1], "access", isAccess); !ok {
			return nil
		}
	default:
		if !arity(0, 0) {
			return nil
		}
	}
	return c.u.of(key)
}

// typeArg is the type that an argument of a template list names.
func (c *checker) typeArg(e Expr) *Type {
	id, ok := e.(*Ident)
	if !ok {
		c.report(e.Range(), "expected a type in the template list, got an expression")
		return nil
	}
	return c.typeOf(id)
}

func isAccess(s string) bool { return s == "read" || s == "write" || s == "read_write" }

var addressSpaces = words("function private workgroup uniform storage immediate")

// enumerant is the word that an argument of a template list is.
func (c *checker) enumerant(e Expr, what string, is func(string) bool) (string, bool) {
	id, ok := e.(*Ident)
	if !ok {
		c.report(e.Range(), "expected %s in the template list, got an expression", what)
		return "", false
	}
	o := c.names.Uses[id]
	if o == nil {
		return "", false
	}
	if o.Kind != ObjBuiltin || !is(id.Name) || len(id.Args) > 0 {
		c.report(e.Range(), "'%s' is no %s", id.Name, what)
		return "", false
	}
	return id.Name, true
}

// maxType bounds what a type takes in memory.
const maxType = math.MaxUint32

func (c *checker) arrayType(id *Ident) *Type {
	elem := c.typeArg(id.Args[0])
	key := typeKey{Kind: TypeArray, Elem: elem}
	if len(id.Args) == 2 {
		at := id.Args[1].Range()
		o := c.value(id.Args[1])
		if !o.ok() {
			return nil
		}
		switch {
		case !o.t.isInt():
			c.report(at, "array count must be an 'i32' or 'u32' value, got '%s'", o.t)
			return nil
		case o.stage == runtimeStage:
			c.report(at, "array count requires an override-expression, but expression is a %s", o.stage)
			return nil
		case o.stage == overrideStage:
			key.Count = id.Args[1]
			if n, ok := unparen(id.Args[1]).(*Ident); ok { // the same override makes the same type
				key.Count = c.names.Uses[n].Decl
			}
		default:
			o = c.concrete(o, at)
			if o.v == nil {
				return nil
			}
			if o.v.i < 1 {
				c.report(at, "array count (%d) must be greater than 0", o.v.i)
				return nil
			}
			key.N = uint64(o.v.i)
		}
	}
	if elem == nil {
		return nil
	}
	switch {
	case !elem.has(plain):
		c.report(id.Args[0].Range(), "'%s' cannot be used as an element type of an array", elem)
		return nil
	case elem.has(hasRuntime):
		c.report(id.Args[0].Range(), "an array element type cannot contain a runtime-sized array")
		return nil
	case elem.has(hasOverride):
		c.report(id.Args[0].Range(), "an array element type cannot be an override-sized array")
		return nil
	case elem.depth >= 255:
		c.report(id.Span, "array has nesting depth of %d, maximum is 255", elem.depth+1)
		return nil
	case key.N > 0 && roundUp(elem.Size, elem.Align) > maxType/key.N:
		c.report(id.Span, "array size in bytes must not exceed 0x%x", uint64(maxType))
		return nil
	}
	return c.u.of(key)
}

func unparen(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

func (c *checker) pointerType(id *Ident) *Type {
	space, ok := c.enumerant(id.Args[0], "address space", func(s string) bool { return addressSpaces[s] })
	elem := c.typeArg(id.Args[1])
	if !ok || elem == nil {
		return nil
	}
	access := defaultAccess(space)
	if len(id.Args) == 3 {
		if access, ok = c.enumerant(id.Args[2], "access", isAccess); !ok {
			return nil
		}
		if space != "storage" {
			c.report(id.Args[2].Range(), "only pointers in <storage> address space may specify an access mode")
			return nil
		}
		if access == "write" {
			c.report(id.Args[2].Range(), "access mode 'write' is not valid for the 'storage' address space")
			return nil
		}
	}
	if !c.storable(elem, space, id.Args[1].Range()) {
		return nil
	}
	return c.u.of(typeKey{Kind: TypePointer, Elem: elem, Space: space, Access: access})
}

func defaultAccess(space string) string {
	switch space {
	case "uniform", "storage", "handle", "immediate":
		return "read"
	}
	return "read_write"
}

// huge reports a type with an array that only a storage buffer may hold.
func (c *checker) huge(t *Type, at Span) bool {
	if t.has(hasHuge) {
		c.report(at, "an array of more than %d elements can only be used in the <storage> address space: '%s'", maxElements, t)
	}
	return t.has(hasHuge)
}

// hasArray reports whether a type is an array or has one.
func hasArray(t *Type) bool {
	return t.Kind == TypeArray || slices.ContainsFunc(t.Members, func(f Field) bool { return hasArray(f.Type) })
}

// storable checks what an address space can hold: section "Address spaces".
func (c *checker) storable(t *Type, space string, at Span) bool {
	bad := ""
	switch {
	case !t.has(plain):
		bad = "it is no type of numbers, booleans or what is made of them"
	case t.has(hasOverride) && space != "workgroup":
		c.report(at, "override-sized arrays can only be used in the <workgroup> address space")
		return false
	case t.has(hasRuntime) && space != "storage":
		c.report(at, "runtime-sized arrays cannot be used in the <%s> address space", space)
		return false
	case t.has(hasAtomic) && space != "storage" && space != "workgroup":
		c.report(at, "atomic variables must have <storage> or <workgroup> address space")
		return false
	case (space == "storage" || space == "uniform" || space == "immediate") && !t.has(shareable):
		bad = "it is not host-shareable"
	}
	if space == "immediate" && hasArray(t) {
		bad = "arrays cannot be used there"
	}
	if bad == "" && space != "storage" && c.huge(t, at) {
		return false
	}
	if bad != "" {
		if m := unshareable(t); m != nil { // the member is at fault
			c.report(m.Type.Span, "type '%s' cannot be used in address space '%s': %s; a variable of '%s' has it in member '%s'",
				m.Type.Name, space, bad, t, m.Name.Text)
			return false
		}
		c.report(at, "type '%s' cannot be used in address space '%s': %s", t, space, bad)
		return false
	}
	return true
}

// unshareable is the member that keeps a structure from the host, or nil.
func unshareable(t *Type) *Member {
	for {
		switch {
		case t.Kind == TypeArray:
			t = t.Elem
			continue
		case t.Kind != TypeStruct:
			return nil
		}
		i := slices.IndexFunc(t.Members, func(f Field) bool { return !f.Type.has(shareable) })
		if i < 0 {
			return nil
		}
		if m := unshareable(t.Members[i].Type); m != nil {
			return m
		}
		return t.Members[i].decl
	}
}
