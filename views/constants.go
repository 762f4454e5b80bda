package views

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

// Constants is what a stage's reflection (RDEF) says: the resource bindings and the
// layout of every buffer as a ruler of offsets, with the gaps between. Where the
// reflection is stripped the effect's own list of constants stands in, and says so; st
// is nil for programs outside effects.
func Constants(sh *dxbc.Shader, st *effect.Stage) *Static {
	t := tables{sh: sh}
	switch {
	case sh != nil && sh.RDEF != nil:
		t.reflection(sh.RDEF)
	case st != nil:
		t.say(RoleWarning, "▲ RDEF is stripped or unreadable: these are the effect's constants")
		t.effect(st)
	default:
		return Message(span(RoleWarning, "▲ RDEF is stripped or unreadable, and no effect names the constants."),
			span(RoleDim, "The form Bindings has what the program itself declares."))
	}
	return NewStatic(t.lines, func(line int) Focus {
		f := NoFocus
		if line >= 0 && line < len(t.lines) {
			f.Instr = t.lines[line].Ref.Instr
		}
		return f
	})
}

// tables collects the lines of Constants.
type tables struct {
	sh    *dxbc.Shader
	lines []Line
}

func (t *tables) say(r Role, s string) { t.lines = append(t.lines, Say(r, s)) }

// title starts a table, after a blank line where there is one above.
func (t *tables) title(name, rest string, ref Ref) {
	if len(t.lines) > 0 {
		t.lines = append(t.lines, Blank())
	}
	t.lines = append(t.lines, Line{Ref: ref, Spans: []Span{span(RoleTitle, name), span(RoleDim, "  "+rest)}})
}

// declOf stands for the declaration of a register or SM5.1 range.
func (t *tables) declOf(reg dxbc.RegType, id uint32) Ref {
	r := NoRef
	if t.sh == nil || t.sh.Program == nil {
		return r
	}
	for i := range t.sh.Program.Instrs {
		in := &t.sh.Program.Instrs[i]
		if !in.Op.Has(dxbc.FlagDecl) || len(in.Operands) == 0 || in.Operands[0].Reg != reg || in.Operands[0].NumIndex == 0 {
			continue
		}
		if n, _, _ := in.Range(); n == id {
			r.Kind, r.Instr = RefInstr, int32(i)
			break
		}
	}
	return r
}

var bufferWords = [...]string{
	dxbc.BufferConstant: "cbuffer", dxbc.BufferTexture: "tbuffer", dxbc.BufferInterfaces: "interfaces", dxbc.BufferResource: "element of",
}

var fileLetters = map[dxbc.RegType]string{dxbc.RegConstantBuffer: "cb", dxbc.RegSampler: "s", dxbc.RegResource: "t", dxbc.RegUAV: "u"}

// bindText is a binding's first register, with its space.
func bindText(b *dxbc.Binding) string {
	s := fileLetters[b.Register()] + strconv.FormatUint(uint64(b.Bind), 10)
	if b.Space != 0 {
		s += " space" + strconv.FormatUint(uint64(b.Space), 10)
	}
	return s
}

func (t *tables) reflection(r *dxbc.Reflection) {
	if len(r.Bindings) > 0 {
		t.bindings(r)
	} else {
		t.say(RoleDim, "The program binds no resources.")
	}
	for i := range r.Buffers {
		t.buffer(r, &r.Buffers[i])
	}
}

func (t *tables) bindings(r *dxbc.Reflection) {
	t.title("Resource bindings", fmt.Sprintf("%d, as the reflection has them", len(r.Bindings)), NoRef)
	reg := column{head: "register", role: RoleResource, max: 16}
	name := column{head: "name", role: RoleName, max: 28}
	typ := column{head: "type", role: RoleType, max: 10}
	format := column{head: "format", role: RoleType, max: 8}
	dim := column{head: "dim", role: RoleType, max: 10}
	count := column{head: "count", role: RoleLiteral, max: 10}
	use := column{head: "", role: RoleDim, max: 6}
	var refs []Ref
	for i := range r.Bindings {
		b := &r.Bindings[i]
		ty, f, d := b.Columns()
		n := strconv.FormatUint(uint64(b.Count), 10)
		if b.Count == 0 {
			n = "unbounded"
		}
		u := ""
		if b.Flags&dxbc.BindUnused != 0 {
			u = "unused"
		}
		reg.cell, name.cell = append(reg.cell, bindText(b)), append(name.cell, Text(b.Name))
		typ.cell, format.cell, dim.cell = append(typ.cell, ty), append(format.cell, f), append(dim.cell, d)
		count.cell, use.cell = append(count.cell, n), append(use.cell, u)
		refs = append(refs, t.declOf(b.Register(), b.ID))
	}
	t.lines = append(t.lines, table([]column{reg, name, typ, format, dim, count, use}, refs)...)
}

// bindingOf finds the binding of a buffer, which has the buffer's name. Several may
// share it: the file's order decides, as in the runtime's reflection.
func bindingOf(r *dxbc.Reflection, c *dxbc.CBuffer) *dxbc.Binding {
	for i := range r.Bindings {
		b := &r.Bindings[i]
		if b.Name != c.Name {
			continue
		}
		switch {
		case c.Type == dxbc.BufferConstant && b.Type == dxbc.InputCBuffer,
			c.Type == dxbc.BufferTexture && b.Type == dxbc.InputTBuffer,
			c.Type == dxbc.BufferResource && b.Type >= dxbc.InputStructured:
			return b
		}
	}
	return nil
}

// ruler is the columns of a layout.
type ruler struct {
	offset, size, place, typ, name, def, use column
	refs                                     []Ref
	gaps                                     []int // rows
	unused                                   []int
}

func newRuler() *ruler {
	return &ruler{
		offset: column{head: "offset", role: RoleLiteral, max: 10}, size: column{head: "  size", role: RoleLiteral, max: 10},
		place: column{head: "place", role: RoleRegister, max: 12}, typ: column{head: "type", role: RoleType, max: 24},
		name: column{head: "name", role: RoleName, max: 32}, use: column{head: "", role: RoleDim, max: 6},
		def: column{head: "default", role: RoleLiteral, max: 60},
	}
}

func (r *ruler) add(offset, size uint32, typ, name, def string, ref Ref) int {
	r.offset.cell = append(r.offset.cell, padLeft(strconv.FormatUint(uint64(offset), 10), 6))
	r.size.cell = append(r.size.cell, padLeft(strconv.FormatUint(uint64(size), 10), 6))
	r.place.cell = append(r.place.cell, placeText(offset, size))
	r.typ.cell, r.name.cell, r.def.cell = append(r.typ.cell, typ), append(r.name.cell, name), append(r.def.cell, def)
	r.use.cell = append(r.use.cell, "")
	r.refs = append(r.refs, ref)
	return len(r.refs) - 1
}

func (r *ruler) gap(offset, size uint32, what string, ref Ref) {
	r.gaps = append(r.gaps, r.add(offset, size, "", what, "", ref))
}

func (r *ruler) notUsed(row int) {
	r.use.cell[row] = "unused"
	r.unused = append(r.unused, row)
}

// lines lays the ruler out; gaps and what the program does not read are dim.
func (r *ruler) lines() []Line {
	out := table([]column{r.offset, r.size, r.place, r.typ, r.name, r.use, r.def}, r.refs)
	for _, i := range slices.Concat(r.gaps, r.unused) {
		for k := range out[i+1].Spans {
			out[i+1].Spans[k].Role = RoleDim
		}
	}
	return out
}

// placeText says which registers and lanes bytes are in, as operands name them: "4.xy",
// "4-7" for whole registers and more than one.
func placeText(offset, size uint32) string {
	if size == 0 {
		return strconv.FormatUint(uint64(offset/16), 10)
	}
	first, last := uint64(offset)/16, (uint64(offset)+uint64(size)-1)/16
	if first != last {
		return fmt.Sprintf("%d-%d", first, last)
	}
	a, b := offset%16/4, (uint64(offset)+uint64(size)-1)%16/4
	if a == 0 && b == 3 {
		return strconv.FormatUint(first, 10)
	}
	return fmt.Sprintf("%d.%s", first, "xyzw"[a:b+1])
}

func (t *tables) buffer(r *dxbc.Reflection, c *dxbc.CBuffer) {
	used := 0
	for i := range c.Vars {
		if c.Vars[i].Used() {
			used++
		}
	}
	word := "buffer"
	if int(c.Type) < len(bufferWords) {
		word = bufferWords[c.Type]
	}
	ref, rest := NoRef, fmt.Sprintf("%d bytes, %d of %d variables used", c.Size, used, len(c.Vars))
	if b := bindingOf(r, c); b != nil {
		ref = t.declOf(b.Register(), b.ID)
		rest = bindText(b) + ", " + rest
	}
	t.title(word+" "+Clip(Text(c.Name), 40), rest, ref)
	rows := c.Layout()
	if len(rows) == 0 {
		t.say(RoleDim, "none")
		return
	}
	ru := newRuler()
	var top *dxbc.LayoutRow // the variable that the row is or is inside of
	for i := range rows {
		row := &rows[i]
		if row.Padding() {
			ru.gap(row.Offset, row.Size, "(padding)", ref)
			continue
		}
		if row.Depth == 0 {
			top = row
		}
		n := ru.add(row.Offset, row.Size, typeText(row.Type), strings.Repeat("  ", min(row.Depth, 16))+Text(row.Name), rowDefault(top, row), ref)
		if !row.Used {
			ru.notUsed(n)
		}
	}
	t.lines = append(t.lines, ru.lines()...)
}

// typeText is a type as HLSL writes it, safe to print.
func typeText(t *dxbc.Type) string { return Text(t.Text()) }

// rowDefault is the part of a variable's default that a row of its layout has.
func rowDefault(top, row *dxbc.LayoutRow) string {
	if top == nil || top.Default == nil || row.Offset < top.Offset || row.Type.Class >= dxbc.ClassObject {
		return "" // a structure's is that of its members
	}
	at := uint64(row.Offset - top.Offset)
	if at >= uint64(len(top.Default)) {
		return ""
	}
	lanes, regs := 1, 1
	switch row.Type.Class {
	case dxbc.ClassVector:
		lanes = int(row.Type.Cols)
	case dxbc.ClassMatrixRows:
		lanes, regs = int(row.Type.Cols), int(row.Type.Rows)
	case dxbc.ClassMatrixColumns:
		lanes, regs = int(row.Type.Rows), int(row.Type.Cols)
	}
	return valuesText(top.Default[at:], lanes, regs*max(int(row.Type.Elements), 1), numberOf(row.Type.Base))
}

// number says how the words of a default are written.
type number uint8

const (
	numFloat number = iota
	numInt
	numUint
	numBool
	numDouble
)

func numberOf(b dxbc.BaseType) number {
	switch b {
	case dxbc.TypeInt, dxbc.TypeMin12Int, dxbc.TypeMin16Int:
		return numInt
	case dxbc.TypeUint, dxbc.TypeUint8, dxbc.TypeMin16Uint:
		return numUint
	case dxbc.TypeBool:
		return numBool
	case dxbc.TypeDouble:
		return numDouble
	}
	return numFloat
}

// valuesText writes regs groups of lanes numbers, each group at the start of a register.
func valuesText(b []byte, lanes, regs int, as number) string {
	const most = 16 // numbers; a pane shows no more of them
	size := 4
	if as == numDouble {
		size = 8
	}
	stride := (lanes*size + 15) &^ 15
	var out strings.Builder
	n := 0
	for r := 0; r < regs && r*stride < len(b); r++ {
		for l := range lanes {
			at := r*stride + l*size
			if at+size > len(b) {
				return out.String()
			}
			if n++; n > most {
				return out.String() + " …"
			}
			switch {
			case l > 0:
				out.WriteString(", ")
			case r > 0:
				out.WriteString(" | ")
			}
			out.WriteString(numberText(b[at:at+size], as))
		}
	}
	return out.String()
}

func numberText(b []byte, as number) string {
	if as == numDouble {
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
	}
	w := binary.LittleEndian.Uint32(b)
	switch as {
	case numInt:
		return strconv.FormatInt(int64(int32(w)), 10)
	case numUint:
		return strconv.FormatUint(uint64(w), 10)
	case numBool:
		return strconv.FormatBool(w != 0)
	}
	return strconv.FormatFloat(float64(math.Float32frombits(w)), 'g', -1, 32)
}

// effect lists the constants that an effect names, which are those that the program
// uses: what lies between them is padding or a variable that nothing reads.
func (t *tables) effect(st *effect.Stage) {
	ref := t.declOf(dxbc.RegConstantBuffer, 0)
	size := uint32(0) // declared bytes
	if ref.Instr >= 0 {
		if d := t.sh.Program.Instrs[ref.Instr].Decl; d != nil && d.Size < 1<<28 {
			size = 16 * d.Size
		}
	}
	rest := fmt.Sprintf("cb0, %d constants used", len(st.Constants))
	if size > 0 {
		rest = fmt.Sprintf("cb0, %d bytes, %d constants used", size, len(st.Constants))
	}
	t.title("Constants", rest, ref)
	if len(st.Constants) == 0 {
		t.say(RoleDim, "none")
	} else {
		cs := slices.Clone(st.Constants)
		slices.SortStableFunc(cs, func(a, b effect.Constant) int { return int(int64(a.Offset) - int64(b.Offset)) })
		ru := newRuler()
		at := uint64(0)
		for i := range cs {
			c := &cs[i]
			if uint64(c.Offset) > at {
				ru.gap(uint32(at), c.Offset-uint32(at), "(padding or unused)", ref)
			}
			name := Text(c.Name)
			if c.Elements > 0 {
				name += "[" + strconv.FormatUint(uint64(c.Elements), 10) + "]"
			}
			ru.add(c.Offset, c.Size, constantType(c), name, constantDefault(c, st.Defaults), ref)
			at = max(at, uint64(c.Offset)+uint64(c.Size))
		}
		if uint64(size) > at {
			ru.gap(uint32(at), size-uint32(at), "(padding or unused)", ref)
		}
		t.lines = append(t.lines, ru.lines()...)
	}
	t.effectResources(st)
}

// constantType is as much of a type as an effect keeps: the shape of a matrix and the
// members of a structure are not in it.
func constantType(c *effect.Constant) string {
	s := c.Type.String()
	const matrix = 16
	switch n := c.Size / 4; {
	case c.Dimension == matrix:
		return s + " matrix"
	case c.Elements == 0 && n >= 2 && n <= 4:
		return s + strconv.Itoa(int(n))
	case c.Elements == 0 && n > 4:
		return s + " struct"
	}
	return s
}

func constantDefault(c *effect.Constant, defaults []byte) string {
	if uint64(c.Offset) >= uint64(len(defaults)) {
		return ""
	}
	b := defaults[c.Offset:]
	b = b[:min(uint64(len(b)), uint64(c.Size))]
	as := numFloat
	switch c.Type {
	case effect.ConstInt:
		as = numInt
	case effect.ConstUint:
		as = numUint
	case effect.ConstBool:
		as = numBool
	case effect.ConstOther:
		return "" // what the words are is not known
	}
	if c.Size <= 16 && c.Elements == 0 {
		return valuesText(b, int(c.Size/4), 1, as)
	}
	return valuesText(b, 4, (len(b)+15)/16, as)
}

func (t *tables) effectResources(st *effect.Stage) {
	reg := column{head: "register", role: RoleResource, max: 16}
	name := column{head: "name", role: RoleName, max: 40}
	typ := column{head: "kind", role: RoleType, max: 24}
	var refs []Ref
	add := func(file dxbc.RegType, n uint8, label, what string) {
		reg.cell = append(reg.cell, fileLetters[file]+strconv.Itoa(int(n)))
		name.cell, typ.cell = append(name.cell, Text(label)), append(typ.cell, what)
		refs = append(refs, t.declOf(file, uint32(n)))
	}
	for i := range st.Textures {
		add(dxbc.RegResource, st.Textures[i].Register, st.Textures[i].Name, st.Textures[i].Type.String())
	}
	for i := range st.Samplers {
		add(dxbc.RegSampler, st.Samplers[i].Register, st.Samplers[i].Name, "sampler")
	}
	for i := range st.UAVs {
		add(dxbc.RegUAV, st.UAVs[i].Register, st.UAVs[i].Name, st.UAVs[i].Type.String())
	}
	if len(refs) == 0 {
		return
	}
	t.title("Resources", "as the effect names them, by the low 8 bits of their registers", NoRef)
	t.lines = append(t.lines, table([]column{reg, name, typ}, refs)...)
}
