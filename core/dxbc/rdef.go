package dxbc

import "fmt"

// InputType is the kind of a binding in RDEF.
type InputType uint32

// The kinds of bindings (dxbc.md section 1.4).
const (
	InputCBuffer InputType = iota
	InputTBuffer
	InputTexture
	InputSampler
	InputUAVTyped
	InputStructured
	InputUAVStructured
	InputByteAddress
	InputUAVByteAddress
	InputAppend
	InputConsume
	InputUAVStructuredCounter
)

// RDim is a resource dimension in the numbering of RDEF, which is not that of
// instruction tokens ([Dim]).
type RDim uint32

// The dimensions of RDEF.
const (
	RDimUnknown RDim = iota
	RDimBuffer
	RDim1D
	RDim1DArray
	RDim2D
	RDim2DArray
	RDim2DMS
	RDim2DMSArray
	RDim3D
	RDimCube
	RDimCubeArray
)

// Flags of a binding.
const (
	BindUserPacked        uint32 = 1 // register given in the source (not in 5.1)
	BindComparisonSampler uint32 = 2
	BindComponents        uint32 = 12 // component count of the texture's return type, minus 1, times 4
	BindUnused            uint32 = 16
)

// Binding is one resource that a program uses.
type Binding struct {
	Name    string
	Type    InputType
	Return  ReturnType // textures and typed views
	Dim     RDim
	Samples uint32 // multisampled: declared count or 0; structured: stride in bytes; others 0xFFFFFFFF or 0
	Bind    uint32 // first register
	Count   uint32 // registers; 0 is unbounded (5.1)
	Flags   uint32
	Space   uint32 // 5.1: register space
	ID      uint32 // 5.1: range ID, the number in T#, S#, U# and CB# operands; else equal to Bind
}

// Components is the component count of the return type, 1 to 4.
func (b *Binding) Components() int { return int(b.Flags>>2&3) + 1 }

// BufferType says what a buffer of RDEF describes.
type BufferType uint32

// The buffer types.
const (
	BufferConstant   BufferType = iota
	BufferTexture               // tbuffer
	BufferInterfaces            // the interface pointers of the program
	BufferResource              // the structure of a structured buffer
)

// CBuffer is the layout of a constant buffer, or of an element of a structured buffer.
type CBuffer struct {
	Name  string
	Type  BufferType
	Size  uint32 // bytes
	Flags uint32
	Vars  []Variable
}

// Flags of a variable.
const (
	VarUserPacked         uint32 = 1
	VarUsed               uint32 = 2
	VarInterfacePointer   uint32 = 4
	VarInterfaceParameter uint32 = 8
)

// Variable is one variable of a buffer.
type Variable struct {
	Name    string
	Offset  uint32 // bytes from the start of the buffer
	Size    uint32 // bytes, the last register not padded
	Flags   uint32
	Type    *Type
	Default []byte // Size bytes, or nil

	// First texture and sampler slot and their counts (SM5); 0xFFFFFFFF is none.
	TextureStart, TextureCount, SamplerStart, SamplerCount uint32
}

// Used reports whether the program reads the variable.
func (v *Variable) Used() bool { return v.Flags&VarUsed != 0 }

// Class is the class of a type in RDEF.
type Class uint16

// The classes.
const (
	ClassScalar Class = iota
	ClassVector
	ClassMatrixRows
	ClassMatrixColumns
	ClassObject
	ClassStruct
	ClassInterface
	ClassInterfacePointer
)

// BaseType is the base type of a type in RDEF.
type BaseType uint16

// The base types that constant buffers hold.
const (
	TypeVoid       BaseType = 0
	TypeBool       BaseType = 1
	TypeInt        BaseType = 2
	TypeFloat      BaseType = 3
	TypeUint       BaseType = 19
	TypeUint8      BaseType = 20
	TypeInterface  BaseType = 37
	TypeDouble     BaseType = 39
	TypeMin8Float  BaseType = 52
	TypeMin10Float BaseType = 53
	TypeMin16Float BaseType = 54
	TypeMin12Int   BaseType = 55
	TypeMin16Int   BaseType = 56
	TypeMin16Uint  BaseType = 57
)

// Type is a type of RDEF. Types may be shared, never cyclic.
type Type struct {
	Class      Class
	Base       BaseType
	Rows, Cols uint16
	Elements   uint16 // 0: not an array
	Members    []Member
	Name       string  // SM5: name of a struct, class or interface as written
	Sub        *Type   // SM5: the class whose members come first, or nil
	BaseClass  *Type   // SM5: base class, or nil
	Interfaces []*Type // SM5: interfaces that the class implements

	text   int  // bytes, roughly, that a listing of the members takes
	height int  // nesting below this type
	open   bool // its members are being read
}

// Member is one member of a structure.
type Member struct {
	Name   string
	Type   *Type
	Offset uint32 // bytes from the start of the structure
}

// Reflection is the content of an RDEF chunk.
type Reflection struct {
	Kind         ProgramKind
	Major, Minor uint8
	Flags        uint32 // D3DCOMPILE_*, as the compiler was called
	Creator      string
	Buffers      []CBuffer
	Bindings     []Binding
	Slots        uint32 // interface slots
}

var rdefKinds = map[uint16]ProgramKind{
	0xfffe: Vertex, 0xffff: Pixel, 0x4753: Geometry, 0x4853: Hull, 0x4453: Domain, 0x4353: Compute,
}

const (
	rdefMagic50   = 0x31314452
	rdefMagic51   = 0x25441313
	maxTypeDepth  = 16
	lineBytes     = 64 // a line of a listing without its name
	numBaseTypes  = 58
	minTypeRow    = 16
	minMemberRow  = 12
	minBindingRow = 32
	minBufferRow  = 24
	minVarRow     = 24
)

// ParseRDEF reads the payload of an RDEF chunk (dxbc.md section 1.4). Offsets of
// its errors count from the payload.
func ParseRDEF(b []byte) (*Reflection, error) {
	r, err := parseRDEF(b)
	if err != nil {
		return nil, err
	}
	return r, nil
}

type rdefReader struct {
	b                            []byte
	names                        texts
	sm5                          bool
	bufRow, bindRow, varRow      int
	typeRow, memberRow           int
	types                        map[uint32]*Type
	numTypes, numMembers, limitT int
	limitText                    int
}

func parseRDEF(b []byte) (*Reflection, *Error) {
	if len(b) < 28 {
		return nil, fail(ErrTruncated, len(b), "the header has 28 bytes, %d are here", len(b))
	}
	r := &Reflection{Minor: b[16], Major: b[17], Flags: u32(b, 20)}
	kind, ok := rdefKinds[u16(b, 18)]
	if !ok {
		return nil, fail(ErrMalformed, 18, "program type %#04x is unknown", u16(b, 18))
	}
	r.Kind = kind
	d := rdefReader{b: b, names: newTexts(b), bufRow: minBufferRow, bindRow: minBindingRow, varRow: minVarRow, typeRow: minTypeRow, memberRow: minMemberRow,
		types: map[uint32]*Type{}}
	if r.Major >= 5 {
		if len(b) < 60 {
			return nil, fail(ErrTruncated, len(b), "the header of shader model 5 has 60 bytes, %d are here", len(b))
		}
		if m := u32(b, 28); m != rdefMagic50 && m != rdefMagic51 {
			return nil, fail(ErrMalformed, 28, "magic of shader model 5 is %#08x, not %#08x or %#08x", m, uint32(rdefMagic50), uint32(rdefMagic51))
		}
		d.sm5 = true
		for i, f := range []struct {
			row  *int
			need int
			what string
		}{
			{nil, 60, "header"}, {&d.bufRow, 24, "buffer"}, {&d.bindRow, 32, "binding"},
			{&d.varRow, 40, "variable"}, {&d.typeRow, 36, "type"}, {&d.memberRow, 12, "member"},
		} {
			v := u32(b, 32+4*i)
			if v < uint32(f.need) || v > 1024 || v%4 != 0 {
				return nil, fail(ErrMalformed, 32+4*i, "%s rows of %d bytes, at least %d are needed", f.what, v, f.need)
			}
			if f.row != nil {
				*f.row = int(v)
			}
		}
		r.Slots = u32(b, 56)
	}
	// Rows cannot overlap in a real chunk: these bounds keep shared and
	// overlapping rows of a hostile one from multiplying.
	d.limitT = len(b)/minTypeRow + 1
	d.limitText = 64*len(b) + 1<<16

	var err *Error
	if r.Creator, err = d.names.at(u32(b, 24), 24, "the creator"); err != nil {
		return nil, err
	}
	if err := d.bindings(r); err != nil {
		return nil, err
	}
	if err := d.buffers(r); err != nil {
		return nil, err
	}
	return r, nil
}

func (d *rdefReader) bindings(r *Reflection) *Error {
	b := d.b
	n, off := u32(b, 8), u32(b, 12)
	if err := table(b, off, n, d.bindRow, 8, "bindings"); err != nil {
		return err
	}
	if n > 0 {
		r.Bindings = make([]Binding, n)
	}
	for i := range r.Bindings {
		at := int(off) + i*d.bindRow
		name, err := d.names.at(u32(b, at), at, "a binding's name")
		if err != nil {
			return err
		}
		v := &r.Bindings[i]
		*v = Binding{Name: name, Type: InputType(u32(b, at+4)), Return: ReturnType(min(u32(b, at+8), 255)), Dim: RDim(u32(b, at+12)),
			Samples: u32(b, at+16), Bind: u32(b, at+20), Count: u32(b, at+24), Flags: u32(b, at+28)}
		v.ID = v.Bind
		if d.bindRow >= 40 {
			v.Space, v.ID = u32(b, at+32), u32(b, at+36)
		}
	}
	return nil
}

func (d *rdefReader) buffers(r *Reflection) *Error {
	b := d.b
	n, off := u32(b, 0), u32(b, 4)
	if err := table(b, off, n, d.bufRow, 0, "buffers"); err != nil {
		return err
	}
	if n > 0 {
		r.Buffers = make([]CBuffer, n)
	}
	vars, text := 0, 0
	for i := range r.Buffers {
		at := int(off) + i*d.bufRow
		name, err := d.names.at(u32(b, at), at, "a buffer's name")
		if err != nil {
			return err
		}
		c := &r.Buffers[i]
		c.Name, c.Size, c.Flags, c.Type = name, u32(b, at+12), u32(b, at+16), BufferType(u32(b, at+20))
		n, off := u32(b, at+4), u32(b, at+8)
		if err := table(b, off, n, d.varRow, at+4, "variables"); err != nil {
			return err
		}
		if vars += int(n); vars > len(b)/minVarRow {
			return fail(ErrLimit, at+4, "the buffers have more variables than the chunk has room for")
		}
		if n > 0 {
			c.Vars = make([]Variable, n)
		}
		for j := range c.Vars {
			if err := d.variable(&c.Vars[j], int(off)+j*d.varRow); err != nil {
				return err
			}
			v := &c.Vars[j]
			if text += v.Type.text + len(v.Name) + 4*len(v.Default); text > d.limitText {
				return fail(ErrLimit, int(off)+j*d.varRow, "the buffers have more members and defaults than the chunk has room for")
			}
		}
	}
	return nil
}

func (d *rdefReader) variable(v *Variable, at int) *Error {
	b := d.b
	name, err := d.names.at(u32(b, at), at, "a variable's name")
	if err != nil {
		return err
	}
	v.Name, v.Offset, v.Size, v.Flags = name, u32(b, at+4), u32(b, at+8), u32(b, at+12)
	if v.Type, err = d.typ(u32(b, at+16), at+16, 0); err != nil {
		return err
	}
	if def := u32(b, at+20); def != 0 {
		if uint64(def)+uint64(v.Size) > uint64(len(b)) {
			return fail(ErrTruncated, at+20, "the default of %q, %d bytes at byte %#x, passes the end of the chunk at %#x", name, v.Size, def, len(b))
		}
		v.Default = b[def : def+v.Size : def+v.Size]
	}
	v.TextureStart, v.SamplerStart = 0xffffffff, 0xffffffff
	if d.sm5 {
		v.TextureStart, v.TextureCount = u32(b, at+24), u32(b, at+28)
		v.SamplerStart, v.SamplerCount = u32(b, at+32), u32(b, at+36)
	}
	return nil
}

// typ reads the type at off once; at is where the offset stands.
func (d *rdefReader) typ(off uint32, at, depth int) (*Type, *Error) {
	b := d.b
	if t := d.types[off]; t != nil {
		if t.open {
			return nil, fail(ErrMalformed, at, "the type at byte %#x contains itself", off)
		}
		return t, nil
	}
	if depth > maxTypeDepth {
		return nil, fail(ErrLimit, at, "types nest deeper than %d", maxTypeDepth)
	}
	if d.numTypes++; d.numTypes > d.limitT {
		return nil, fail(ErrLimit, at, "there are more types than the chunk has room for")
	}
	if err := table(b, off, 1, d.typeRow, at, "type"); err != nil {
		return nil, err
	}
	o := int(off)
	t := &Type{Class: Class(u16(b, o)), Base: BaseType(u16(b, o+2)), Rows: u16(b, o+4), Cols: u16(b, o+6), Elements: u16(b, o+8), text: lineBytes, open: true}
	d.types[off] = t
	n, mo := uint32(u16(b, o+10)), u32(b, o+12)
	if err := table(b, mo, n, d.memberRow, o+10, "members"); err != nil && n > 0 {
		return nil, err
	}
	if d.numMembers += int(n); d.numMembers > len(b)/minMemberRow+1 {
		return nil, fail(ErrLimit, o+10, "there are more members than the chunk has room for")
	}
	if n > 0 {
		t.Members = make([]Member, n)
	}
	for i := range t.Members {
		ma := int(mo) + i*d.memberRow
		name, err := d.names.at(u32(b, ma), ma, "a member's name")
		if err != nil {
			return nil, err
		}
		mt, err := d.typ(u32(b, ma+4), ma+4, depth+1)
		if err != nil {
			return nil, err
		}
		t.Members[i] = Member{Name: name, Type: mt, Offset: u32(b, ma+8)}
		if t.height = max(t.height, mt.height+1); t.height > maxTypeDepth {
			return nil, fail(ErrLimit, ma, "types nest deeper than %d", maxTypeDepth)
		}
		if t.text += mt.text + 4*lineBytes + len(name); t.text > d.limitText {
			return nil, fail(ErrLimit, ma, "a structure has more members than the chunk has room for")
		}
	}
	if d.sm5 {
		if err := d.typeExtras(t, o, depth); err != nil {
			return nil, err
		}
	}
	t.open = false
	return t, nil
}

// typeExtras reads what shader model 5 adds to a type.
func (d *rdefReader) typeExtras(t *Type, o, depth int) *Error {
	b := d.b
	var err *Error
	if sub := u32(b, o+16); sub != 0 {
		if t.Sub, err = d.typ(sub, o+16, depth+1); err != nil {
			return err
		}
	}
	if base := u32(b, o+20); base != 0 {
		if t.BaseClass, err = d.typ(base, o+20, depth+1); err != nil {
			return err
		}
	}
	if n := u32(b, o+24); n != 0 {
		list := u32(b, o+28)
		if err := table(b, list, n, 4, o+24, "interfaces"); err != nil {
			return err
		}
		if d.numMembers += int(n); d.numMembers > len(b)/minMemberRow+1 {
			return fail(ErrLimit, o+24, "there are more interfaces than the chunk has room for")
		}
		t.Interfaces = make([]*Type, n)
		for i := range t.Interfaces {
			if t.Interfaces[i], err = d.typ(u32(b, int(list)+4*i), int(list)+4*i, depth+1); err != nil {
				return err
			}
		}
	}
	if name := u32(b, o+32); name != 0 {
		if t.Name, err = d.names.at(name, o+32, "a type's name"); err != nil {
			return err
		}
	}
	return nil
}

// Text returns the type as HLSL and the listings write it, without array
// suffix: "float4", "row_major float4x4", "interface ILight", "struct Light".
func (t *Type) Text() string {
	switch t.Class {
	case ClassStruct:
		if t.Name == "" { // shader model 4 keeps no names
			return "struct"
		}
		return "struct " + t.Name
	case ClassInterface, ClassInterfacePointer:
		return "interface " + t.Name
	}
	base := baseTypeName(t.Base)
	switch t.Class {
	case ClassVector:
		return fmt.Sprintf("%s%d", base, t.Cols)
	case ClassMatrixRows:
		return fmt.Sprintf("row_major %s%dx%d", base, t.Rows, t.Cols)
	case ClassMatrixColumns:
		return fmt.Sprintf("%s%dx%d", base, t.Rows, t.Cols)
	}
	return base
}

func baseTypeName(b BaseType) string {
	if n := [numBaseTypes]string{
		0: "void", 1: "bool", 2: "int", 3: "float", 4: "string", 5: "texture", 19: "uint", 20: "uint8", 37: "interface", 39: "double",
		52: "min8float", 53: "min10float", 54: "min16float", 55: "min12int", 56: "min16int", 57: "min16uint",
	}; int(b) < len(n) && n[b] != "" {
		return n[b]
	}
	return fmt.Sprintf("type%d", uint16(b))
}

// wordBytes is the size of one component.
func (t *Type) wordBytes() uint32 {
	if t.Base == TypeDouble {
		return 8
	}
	return 4
}

// size returns the bytes of one element, the last register not padded.
func (t *Type) size() uint32 {
	switch t.Class {
	case ClassScalar:
		return t.wordBytes()
	case ClassVector:
		return t.wordBytes() * uint32(t.Cols)
	case ClassMatrixRows:
		return pad16(t.wordBytes()*uint32(t.Cols))*(uint32(max(t.Rows, 1))-1) + t.wordBytes()*uint32(t.Cols)
	case ClassMatrixColumns:
		return pad16(t.wordBytes()*uint32(t.Rows))*(uint32(max(t.Cols, 1))-1) + t.wordBytes()*uint32(t.Rows)
	case ClassStruct:
		end := uint32(0)
		for i := range t.Members {
			m := &t.Members[i]
			end = max(end, m.Offset+m.Type.Size())
		}
		return end
	}
	return 0
}

func pad16(n uint32) uint32 { return (n + 15) &^ 15 }

// Size returns the bytes that the type takes in a constant buffer. The last
// register is not padded: float a[3] has 36.
func (t *Type) Size() uint32 {
	if t.Elements > 1 {
		return pad16(t.size())*uint32(t.Elements-1) + t.size()
	}
	return t.size()
}

// Stride returns the distance of array elements in bytes.
func (t *Type) Stride() uint32 { return pad16(t.size()) }

// CBufferAt returns the constant buffer bound at register bind of space 0 and
// its binding, or nil. Arrays of buffers (5.1) span several registers.
func (r *Reflection) CBufferAt(bind uint32) (*CBuffer, *Binding) {
	return r.findBuffer(func(b *Binding) bool {
		return b.Space == 0 && bind >= b.Bind && (b.Count == 0 || bind-b.Bind < b.Count)
	})
}

// CBufferByID returns the constant buffer of range id, the number that CB#
// operands of shader model 5.1 carry first, or nil.
func (r *Reflection) CBufferByID(id uint32) (*CBuffer, *Binding) {
	return r.findBuffer(func(b *Binding) bool { return b.ID == id })
}

func (r *Reflection) findBuffer(match func(*Binding) bool) (*CBuffer, *Binding) {
	if r == nil {
		return nil, nil
	}
	for i := range r.Bindings {
		b := &r.Bindings[i]
		if b.Type != InputCBuffer || !match(b) {
			continue
		}
		for j := range r.Buffers {
			if c := &r.Buffers[j]; c.Type == BufferConstant && c.Name == b.Name {
				return c, b
			}
		}
	}
	return nil, nil
}

// BindingOf returns the binding of a resource: kind is RegSampler, RegResource,
// RegUAV or RegConstantBuffer, id the first index of its operands (register, or
// range ID in 5.1). It returns nil where RDEF has none.
func (r *Reflection) BindingOf(kind RegType, id uint32) *Binding {
	if r == nil {
		return nil
	}
	for i := range r.Bindings {
		b := &r.Bindings[i]
		if b.Register() != kind {
			continue
		}
		if b.ID == id || r.Major == 5 && r.Minor == 0 || r.Major < 5 {
			if id >= b.ID && (id == b.ID || id-b.ID < b.Count) {
				return b
			}
		}
	}
	return nil
}

// Register returns the register file that the binding uses.
func (b *Binding) Register() RegType {
	switch b.Type {
	case InputCBuffer:
		return RegConstantBuffer
	case InputSampler:
		return RegSampler
	case InputTBuffer, InputTexture, InputStructured, InputByteAddress:
		return RegResource
	}
	return RegUAV
}

// Place is what a byte of a constant buffer belongs to.
type Place struct {
	Path string    // "sun.color", "lights[2].pos"
	Var  *Variable // the outermost variable
	Type *Type     // the innermost type: a scalar, vector, matrix or object
	Rest uint32    // bytes from the start of the element that Path names; beyond 16 in a matrix
}

// VariableAt returns what is at a byte offset of the constant buffer bound at
// register bind: a path such as "sun.color" and its type. It returns false
// for padding and for buffers that RDEF does not describe.
func (r *Reflection) VariableAt(bind, byteOffset uint32) (path string, typ *Type, ok bool) {
	c, _ := r.CBufferAt(bind)
	p, ok := c.At(byteOffset)
	return p.Path, p.Type, ok
}

// At returns what is at a byte offset of the buffer, false for padding.
func (c *CBuffer) At(byteOffset uint32) (Place, bool) {
	if c == nil {
		return Place{}, false
	}
	for i := range c.Vars {
		v := &c.Vars[i]
		if byteOffset < v.Offset || byteOffset-v.Offset >= v.Size {
			continue
		}
		p := Place{Path: v.Name, Var: v}
		if p.enter(v.Type, byteOffset-v.Offset) {
			return p, true
		}
	}
	return Place{}, false
}

// enter follows byte off of type t down to a leaf.
func (p *Place) enter(t *Type, off uint32) bool {
	for {
		// A ConstantBuffer<T> of 5.1 has one element and is not an array.
		if t.Elements > 1 {
			stride := max(t.Stride(), 1)
			i := min(off/stride, uint32(t.Elements)-1)
			p.Path += fmt.Sprintf("[%d]", i)
			off -= i * stride
		}
		if t.Class != ClassStruct {
			p.Type, p.Rest = t, off
			size := t.size()
			return size == 0 || off < size
		}
		next := -1
		for i := range t.Members {
			m := &t.Members[i]
			if off >= m.Offset && (off-m.Offset < m.Type.Size() || m.Type.Size() == 0) {
				next = i
				break
			}
		}
		if next < 0 {
			return false
		}
		m := &t.Members[next]
		p.Path += "." + m.Name
		t, off = m.Type, off-m.Offset
	}
}
