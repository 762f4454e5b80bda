package syntax

import (
	"fmt"
	"strings"
	"sync"
)

// Type is a type. Within one Module equal types are one pointer.
type Type struct {
	typeKey
	// Align and Size are in bytes, of types that can be in memory that the host shares;
	// Size of a runtime-sized array is that of one element, and the size of an
	// override-sized array, which the pipeline decides, is 0.
	Align, Size uint64
	// Members are those of a structure.
	Members []Field

	index map[string]int // of the members by name, where they are many
	flags typeFlags
	depth int    // of nested composites
	count uint64 // scalars that a value is made of, saturating
}

// typeKey is what makes a type the type it is.
type typeKey struct {
	Kind TypeKind
	// Elem is the type of a component of a vector, a column of a matrix, an element of an
	// array, the texel's channel of a sampled texture, the content of an atomic, and what a
	// pointer or reference is to.
	Elem *Type
	// N counts components of a vector, columns of a matrix, elements of an array: 0 where
	// the size is the buffer's or, with Count, the pipeline's.
	N uint64
	// Count is the override-expression that counts the elements of an array.
	Count any
	// Space and Access are of pointers and references; Access also of storage textures.
	Space, Access string
	// Dim is the dimension of a texture as its type's name has it: 2d_array.
	Dim string
	// Format is the texel format of a storage texture.
	Format string
	// Name is the name of a structure.
	Name string
	// Struct is the declaration of a structure; nil where it is a builtin's result.
	Struct *Struct
}

// TypeKind tells the kinds of Type apart.
type TypeKind uint8

// The kinds.
const (
	TypeVoid TypeKind = iota // of a call that gives no value
	TypeBool
	TypeAbstractInt
	TypeAbstractFloat
	TypeI32
	TypeU32
	TypeF32
	TypeF16
	TypeVec
	TypeMat
	TypeArray
	TypeStruct
	TypeAtomic
	TypePointer
	TypeReference // of an expression that stands for memory
	TypeSampler
	TypeSamplerComparison
	TypeTexture
	TypeTextureMultisampled
	TypeTextureDepth
	TypeTextureDepthMultisampled
	TypeTextureStorage
	TypeTextureExternal
)

// Field is a member of a structure.
type Field struct {
	Name                string
	Type                *Type
	Offset, Align, Size uint64
	IO                  IO
	decl                *Member
}

type typeFlags uint8

const (
	constructible typeFlags = 1 << iota
	shareable               // with the host: every part has a defined layout
	sized                   // the size is known when the shader is created
	plain                   // numbers, booleans, atomics and what is made of them
	hasAtomic
	hasRuntime  // ends in a runtime-sized array
	hasOverride // has an array whose size the pipeline decides
	hasHuge     // has an array that only a storage buffer may hold
)

var scalarNames = [...]string{
	TypeVoid: "void", TypeBool: "bool", TypeAbstractInt: "abstract-int", TypeAbstractFloat: "abstract-float",
	TypeI32: "i32", TypeU32: "u32", TypeF32: "f32", TypeF16: "f16",
}

// String is the type as WGSL writes it; the types of numbers that have none yet are
// abstract-int and abstract-float.
func (t *Type) String() string {
	if t == nil {
		return "invalid"
	}
	switch t.Kind {
	case TypeVec:
		return fmt.Sprintf("vec%d<%s>", t.N, t.Elem)
	case TypeMat:
		return fmt.Sprintf("mat%dx%d<%s>", t.N, t.Elem.N, t.Elem.Elem)
	case TypeArray:
		switch c := t.Count.(type) {
		case nil:
			if t.N == 0 {
				return fmt.Sprintf("array<%s>", t.Elem)
			}
			return fmt.Sprintf("array<%s, %d>", t.Elem, t.N)
		case *Var:
			return fmt.Sprintf("array<%s, %s>", t.Elem, c.Name.Text)
		}
		return fmt.Sprintf("array<%s, [unnamed override-expression]>", t.Elem)
	case TypeStruct:
		return t.Name
	case TypeAtomic:
		return fmt.Sprintf("atomic<%s>", t.Elem)
	case TypePointer, TypeReference:
		name := "ptr"
		if t.Kind == TypeReference {
			name = "ref"
		}
		return fmt.Sprintf("%s<%s, %s, %s>", name, t.Space, t.Elem, t.Access)
	case TypeSampler:
		return "sampler"
	case TypeSamplerComparison:
		return "sampler_comparison"
	case TypeTexture:
		return fmt.Sprintf("texture_%s<%s>", t.Dim, t.Elem)
	case TypeTextureMultisampled:
		return fmt.Sprintf("texture_multisampled_%s<%s>", t.Dim, t.Elem)
	case TypeTextureDepth:
		return "texture_depth_" + t.Dim
	case TypeTextureDepthMultisampled:
		return "texture_depth_multisampled_" + t.Dim
	case TypeTextureStorage:
		return fmt.Sprintf("texture_storage_%s<%s, %s>", t.Dim, t.Format, t.Access)
	case TypeTextureExternal:
		return "texture_external"
	}
	return scalarNames[t.Kind]
}

func (t *Type) has(f typeFlags) bool { return t.flags&f == f }

func (t *Type) isScalar() bool { return t.Kind >= TypeBool && t.Kind <= TypeF16 }
func (t *Type) isNumber() bool { return t.Kind >= TypeAbstractInt && t.Kind <= TypeF16 }
func (t *Type) isInt() bool {
	return t.Kind == TypeAbstractInt || t.Kind == TypeI32 || t.Kind == TypeU32
}
func (t *Type) isFloat() bool {
	return t.Kind == TypeAbstractFloat || t.Kind == TypeF32 || t.Kind == TypeF16
}
func (t *Type) isHandle() bool { return t.Kind >= TypeSampler && t.Kind <= TypeTextureExternal }

// scalar is the scalar at the bottom of a scalar, vector, matrix or nested array.
func (t *Type) scalar() *Type {
	for t.Kind == TypeVec || t.Kind == TypeMat || t.Kind == TypeArray {
		t = t.Elem
	}
	return t
}

// isAbstract reports whether the type has numbers that have no concrete type yet.
func (t *Type) isAbstract() bool {
	s := t.scalar()
	return s.Kind == TypeAbstractInt || s.Kind == TypeAbstractFloat
}

// member finds a member by name.
func (t *Type) member(name string) (int, bool) {
	if t.index != nil {
		i, ok := t.index[name]
		return i, ok
	}
	for i, m := range t.Members {
		if m.Name == name {
			return i, true
		}
	}
	return 0, false
}

// element is the type of what an index or a swizzle takes out of a value, with how many
// of them the value has (0: unknown).
func (t *Type) element(i int) *Type {
	if t.Kind == TypeStruct {
		return t.Members[i].Type
	}
	return t.Elem
}

// universe makes types.
type universe struct {
	types map[typeKey]*Type
	basic [TypeF16 + 1]*Type
}

func newUniverse() *universe {
	u := &universe{types: map[typeKey]*Type{}}
	for k := TypeVoid; k <= TypeF16; k++ {
		u.basic[k] = u.of(typeKey{Kind: k})
	}
	return u
}

// of is the type of a key other than a structure, whose members make it.
func (u *universe) of(k typeKey) *Type {
	if t := u.types[k]; t != nil {
		return t
	}
	t := &Type{typeKey: k}
	t.layout()
	u.types[k] = t
	return t
}

func (u *universe) vec(n int, elem *Type) *Type {
	return u.of(typeKey{Kind: TypeVec, Elem: elem, N: uint64(n)})
}

func (u *universe) mat(cols, rows int, elem *Type) *Type {
	return u.of(typeKey{Kind: TypeMat, Elem: u.vec(rows, elem), N: uint64(cols)})
}

func (u *universe) array(n uint64, elem *Type) *Type {
	return u.of(typeKey{Kind: TypeArray, Elem: elem, N: n})
}

func (u *universe) ref(t *Type, space, access string) *Type {
	return u.of(typeKey{Kind: TypeReference, Elem: t, Space: space, Access: access})
}

// structure makes a structure of members whose offsets are not set yet.
func (u *universe) structure(name string, decl *Struct, members []Field) *Type {
	k := typeKey{Kind: TypeStruct, Name: name, Struct: decl}
	if t := u.types[k]; t != nil {
		return t
	}
	t := &Type{typeKey: k, Members: members}
	t.layout()
	u.types[k] = t
	return t
}

// resultStruct is the type of a builtin's result that has several parts.
func (u *universe) resultStruct(builtin string, of *Type, names [2]string, types [2]*Type) *Type {
	suffix := strings.NewReplacer("abstract-float", "abstract", "<", "_", ">", "").Replace(of.String())
	return u.structure("__"+builtin+"_result_"+suffix, nil, []Field{{Name: names[0], Type: types[0]}, {Name: names[1], Type: types[1]}})
}

func roundUp(n, k uint64) uint64 {
	if k == 0 {
		return n
	}
	return (n + k - 1) / k * k
}

const maxCount = 1 << 32

// maxElements bounds the elements of an array outside of storage buffers, as in Tint.
const maxElements = 65535

// layout finds size, alignment and flags: section "Memory layout" of the recommendation.
func (t *Type) layout() {
	switch t.Kind {
	case TypeBool:
		t.Align, t.Size, t.flags, t.count = 4, 4, constructible|sized|plain, 1
	case TypeAbstractInt, TypeAbstractFloat:
		t.Align, t.Size, t.flags, t.count = 8, 8, constructible|sized|plain, 1
	case TypeI32, TypeU32, TypeF32:
		t.Align, t.Size, t.flags, t.count = 4, 4, constructible|shareable|sized|plain, 1
	case TypeF16:
		t.Align, t.Size, t.flags, t.count = 2, 2, constructible|shareable|sized|plain, 1
	case TypeAtomic:
		t.Align, t.Size, t.flags, t.count = 4, 4, shareable|sized|plain|hasAtomic, 1
	case TypeVec:
		t.Size = t.N * t.Elem.Size
		t.Align = t.Size
		if t.N == 3 {
			t.Align = 4 * t.Elem.Size
		}
		t.flags, t.count, t.depth = t.Elem.flags, t.N, 1
	case TypeMat:
		t.Align = t.Elem.Align
		t.Size = t.N * roundUp(t.Elem.Size, t.Elem.Align)
		t.flags, t.count, t.depth = t.Elem.flags, t.N*t.Elem.N, 2
	case TypeArray:
		e := t.Elem
		t.Align, t.depth = e.Align, e.depth+1
		t.flags = e.flags
		t.count = min(max(t.N, 1)*e.count, maxCount)
		switch {
		case t.Count != nil:
			t.flags = t.flags&^(constructible|shareable|sized) | hasOverride
		case t.N == 0:
			t.flags = t.flags&^(constructible|sized) | hasRuntime
			t.Size = t.Stride()
		default:
			t.Size = t.N * t.Stride()
			if t.N > maxElements {
				t.flags |= hasHuge
			}
		}
	case TypeStruct:
		t.flags = constructible | shareable | sized | plain
		var at uint64
		for i := range t.Members {
			m := &t.Members[i]
			if m.Align == 0 {
				m.Align = max(m.Type.Align, 1)
			}
			if m.Size == 0 {
				m.Size = m.Type.Size
			}
			at = roundUp(at, m.Align)
			m.Offset = at
			at += m.Size
			t.Align = max(t.Align, m.Align)
			t.flags &= m.Type.flags | ^(constructible | shareable | sized | plain)
			t.flags |= m.Type.flags & (hasAtomic | hasRuntime | hasOverride | hasHuge)
			t.depth = max(t.depth, m.Type.depth+1)
			t.count = min(t.count+m.Type.count, maxCount)
		}
		if len(t.Members) > 8 {
			t.index = make(map[string]int, len(t.Members))
			for i, m := range t.Members {
				t.index[m.Name] = i
			}
		}
		t.Size = roundUp(at, t.Align)
	}
}

// Stride is the distance of the elements of an array in bytes.
func (t *Type) Stride() uint64 {
	if t.Kind != TypeArray {
		return 0
	}
	return roundUp(t.Elem.Size, t.Elem.Align)
}

// rank is the conversion rank from one type to another, or -1 where nothing converts:
// section "Conversion rank". Vectors, matrices and arrays rank like their elements.
func rank(from, to *Type) int {
	for from != to {
		switch from.Kind {
		case TypeVec, TypeMat, TypeArray:
			if to.Kind != from.Kind || to.N != from.N || to.Count != from.Count {
				return -1
			}
			from, to = from.Elem, to.Elem
			continue
		case TypeAbstractFloat:
			switch to.Kind {
			case TypeF32:
				return 1
			case TypeF16:
				return 2
			}
		case TypeAbstractInt:
			switch to.Kind {
			case TypeI32:
				return 3
			case TypeU32:
				return 4
			case TypeAbstractFloat:
				return 5
			case TypeF32:
				return 6
			case TypeF16:
				return 7
			}
		case TypeStruct: // of frexp and modf on abstract numbers
			if from.Struct == nil && to.Kind == TypeStruct && to.Struct == nil && len(from.Members) == 2 && len(to.Members) == 2 &&
				from.Members[0].Name == to.Members[0].Name && from.Members[1].Name == to.Members[1].Name {
				a, b := rank(from.Members[0].Type, to.Members[0].Type), rank(from.Members[1].Type, to.Members[1].Type)
				if a >= 0 && b >= 0 {
					return max(a, b)
				}
			}
		}
		return -1
	}
	return 0
}

// common is the type of two scalars that both convert to, or nil.
func common(a, b *Type) *Type {
	switch {
	case a == b, rank(b, a) >= 0:
		return a
	case rank(a, b) >= 0:
		return b
	}
	return nil
}

// concrete is the type that a value takes where nothing asks for one: i32 and f32 for
// the abstract ones.
func (u *universe) concrete(t *Type) *Type {
	switch t.Kind {
	case TypeAbstractInt:
		return u.basic[TypeI32]
	case TypeAbstractFloat:
		return u.basic[TypeF32]
	case TypeVec, TypeMat, TypeArray:
		if e := u.concrete(t.Elem); e != t.Elem {
			k := t.typeKey
			k.Elem = e
			return u.of(k)
		}
	case TypeStruct:
		if t.Struct == nil && len(t.Members) == 2 && t.Members[0].Type.isAbstract() {
			a, b := u.concrete(t.Members[0].Type), u.concrete(t.Members[1].Type)
			builtin, _, _ := strings.Cut(strings.TrimPrefix(t.Name, "__"), "_")
			return u.resultStruct(builtin, a, [2]string{t.Members[0].Name, t.Members[1].Name}, [2]*Type{a, b})
		}
	}
	return t
}

// texelFormats are the formats of storage textures, with the type of their channels.
var texelFormats = sync.OnceValue(func() map[string]TypeKind {
	m := map[string]TypeKind{}
	for kind, list := range map[TypeKind]string{
		TypeF32: `rgba8unorm rgba8snorm rgba16unorm rgba16snorm rgba16float rg8unorm rg8snorm rg16unorm rg16snorm rg16float
			r32float rg32float rgba32float bgra8unorm r8unorm r8snorm r16unorm r16snorm r16float rgb10a2unorm rg11b10ufloat`,
		TypeI32: `rgba8sint rgba16sint rg8sint rg16sint r32sint rg32sint rgba32sint r8sint r16sint`,
		TypeU32: `rgba8uint rgba16uint rg8uint rg16uint r32uint rg32uint rgba32uint r8uint r16uint rgb10a2uint`,
	} {
		for _, f := range strings.Fields(list) {
			m[f] = kind
		}
	}
	return m
})
