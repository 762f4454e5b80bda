package wgsl

import (
	"fmt"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// memory is a buffer or groupshared array as WGSL sees it: an array of words.
type memory struct {
	b       *layout.Binding // nil for groupshared
	name    string
	kind    ir.Kind // of a word
	atomic  bool
	uniform bool   // every load is a workgroupUniformLoad
	words   uint64 // groupshared: number of words
	stride  uint32 // words of an element; 0 for raw memory
}

// memoryAt is the memory that v works on; groupshared memory is from then on declared.
func (e *emitter) memoryAt(v *ir.Value) memory {
	r := &e.f.Resources[v.Res]
	m := memory{kind: ir.U32, atomic: r.Atomic, uniform: v.Uniform}
	if r.Dim == dxbc.DimStructuredBuffer {
		m.stride = max(r.Stride/4, 1)
	}
	if r.Class == ir.GroupShared {
		m.name, m.words, m.kind = e.sharedName(v.Res), uint64(r.Size+3)/4, e.sharedKind(v.Res)
		return m
	}
	m.b, m.name = e.bindingOf(v, v.Res, layout.Primary)
	m.atomic = strings.Contains(m.b.Type, "atomic<")
	if m.b.Type == "array<atomic<i32>>" {
		m.kind = ir.I32
	}
	return m
}

// sharedName is the variable of a groupshared array.
func (e *emitter) sharedName(res int32) string {
	if n, ok := e.rs.shared[res]; ok {
		return n
	}
	if e.rs.shared == nil {
		e.rs.shared = map[int32]string{}
	}
	r := &e.f.Resources[res]
	g := fmt.Sprintf("g%d", r.Register)
	n := e.unique(moduleName(legalName(r.Name, g), g))
	e.rs.shared[res] = n
	return n
}

// sharedKind is the kind that groupshared words have: that of all loads and
// stores where they agree, so that nothing needs a cast; atomics need integers.
func (e *emitter) sharedKind(res int32) ir.Kind {
	if k, ok := e.rs.kinds[res]; ok {
		return k
	}
	if e.rs.kinds == nil {
		e.rs.kinds = map[int32]ir.Kind{}
	}
	r := &e.f.Resources[res]
	kind := ir.Bits
	mixed := false
	note := func(k ir.Kind) {
		if k == ir.Bool || k == ir.Bits {
			k = ir.U32
		}
		mixed = mixed || kind != ir.Bits && kind != k
		kind = k
	}
	layout.Reachable(e.f, func(v *ir.Value) {
		if v.Res != res {
			return
		}
		switch v.Op {
		case ir.OpLoadStructured, ir.OpLoadRaw:
			note(v.Kind)
		case ir.OpStoreStructured, ir.OpStoreRaw:
			a := v.Args[len(v.Args)-1]
			for _, l := range a.Lanes[:a.N] {
				if _, isConst := e.laneConst(l); !isConst {
					note(e.f.Values[l.V].Kind)
				}
			}
		}
	})
	switch {
	case r.Atomic && r.SignedAtomic && !r.UnsignedAtomic:
		kind = ir.I32
	case r.Atomic || mixed || kind == ir.Bits:
		kind = ir.U32
	}
	e.rs.kinds[res] = kind
	return kind
}

// length is the number of words as WGSL text.
func (m *memory) length() string {
	if m.b == nil {
		return fmt.Sprintf("%du", m.words)
	}
	return "arrayLength(&" + m.name + ")"
}

// elements is the number of elements as WGSL text.
func (m *memory) elements() string {
	switch {
	case m.stride <= 1:
		return m.length()
	case m.b == nil:
		return fmt.Sprintf("%du", m.words/uint64(m.stride))
	}
	return fmt.Sprintf("%s / %du", m.length(), m.stride)
}

// read is word w as WGSL text.
func (m *memory) read(w string) string {
	if m.uniform {
		return "workgroupUniformLoad(&" + m.name + "[" + w + "])"
	}
	if m.atomic {
		return "atomicLoad(&" + m.name + "[" + w + "])"
	}
	return m.name + "[" + w + "]"
}

// write is the store of x to word w as WGSL text.
func (m *memory) write(w, x string) string {
	if m.atomic {
		return "atomicStore(&" + m.name + "[" + w + "], " + x + ");"
	}
	return m.name + "[" + w + "] = " + x + ";"
}

// word is word i as an expression.
func (m *memory) word(ex *exprs, i *expr) *expr {
	return ex.index(ex.ident(m.name, RoleResource, tNone), i, typ{m.kind, 1})
}

// address is where v accesses memory: for structured memory the element and the
// word inside it, for raw and typed memory the word alone (element nil). safe
// says that all words up to last behind it are inside for sure.
type address struct {
	element, word *expr
	safe          bool
}

// addressOf0 takes operand 0 (and 1) of v apart; first is added to the word.
func (e *emitter) addressOf0(v *ir.Value, m *memory, first, last uint32) address {
	r := &e.f.Resources[v.Res]
	var elem, off ir.Lane
	structured := m.stride > 0
	switch {
	case v.Op == ir.OpAtomic && structured:
		elem, off = v.Args[0].Lanes[0], v.Args[0].Lanes[min(1, v.Args[0].N-1)]
	case structured:
		elem, off = v.Args[0].Lanes[0], v.Args[1].Lanes[0]
	case r.Dim == dxbc.DimBuffer:
		return address{word: e.lanes(ir.Scalar(v.Args[0].Lanes[0]), ir.U32)}
	default:
		off = v.Args[0].Lanes[0]
	}
	var a address
	a.word = e.wordsOf(e.lanes(ir.Scalar(off), ir.U32), first)
	high := e.upper(off, v.Node)/4 + uint64(last)
	if !structured {
		a.safe = m.b == nil && high < m.words
		return a
	}
	a.element = e.lanes(ir.Scalar(elem), ir.U32)
	a.safe = m.b == nil && high < uint64(m.stride) && (e.upper(elem, v.Node)+1)*uint64(m.stride) <= m.words
	return a
}

// wordsOf is a byte offset in words, plus n.
func (ex *exprs) wordsOf(x *expr, n uint32) *expr {
	if bits, ok := literalBits(x); ok {
		return ex.litU(bits/4 + n)
	}
	return ex.addConst(ex.binary("/", tU32, x, ex.litU(4)), n)
}

// flat is the word index of an address.
func (a *address) flat(ex *exprs, m *memory) *expr {
	if a.element == nil {
		return a.word
	}
	x := a.element
	if m.stride > 1 {
		if bits, ok := literalBits(x); ok {
			x = ex.litU(bits * m.stride)
		} else {
			x = ex.binary("*", tU32, x, ex.litU(m.stride))
		}
	}
	if bits, ok := literalBits(a.word); ok {
		return ex.addConst(x, bits)
	}
	if isZero(x) {
		return a.word
	}
	return ex.binary("+", tU32, x, a.word)
}

// args are the address arguments of a helper: element and word, or one of them
// where the other is fixed by the memory.
func (a *address) args(m *memory) []*expr {
	switch {
	case a.element == nil:
		return []*expr{a.word}
	case m.stride == 1:
		return []*expr{a.element}
	}
	return []*expr{a.element, a.word}
}

// params is the parameter list that args fits, the test that the address is
// inside, and the text of its word.
func (m *memory) params() (params, inside, word string) {
	switch m.stride {
	case 0:
		return "w: u32", "w < " + m.length(), "w"
	case 1:
		return "element: u32", "element < " + m.length(), "element"
	}
	return "element: u32, word: u32", "element < " + m.elements(), fmt.Sprintf("element * %du + word", m.stride)
}

// sized is a name for accesses of n words.
func sized(base string, n int) string {
	if n == 1 {
		return base
	}
	return base + fmt.Sprint(n)
}

// loadHelper reads n words. Structured records are read whole or not at all;
// raw memory word by word (wgsl-patterns.md 6).
func (e *emitter) loadHelper(m *memory, n int) string {
	verb := "_load"
	if m.uniform {
		verb = "_uniform_load"
	}
	key := fmt.Sprintf("%s%d %s", verb, n, m.name)
	t := vec(m.kind, n).String()
	if m.stride == 0 && n > 1 {
		one := e.loadHelper(m, 1)
		return e.helperFor(key, sized(m.name+verb, n), func(name string) string {
			return fmt.Sprintf("fn %s(w: u32) -> %s {\n  return %s(%s);\n}\n", name, t, t, wordList(n, "w", func(w string) string { return one + "(" + w + ")" }))
		})
	}
	return e.helperFor(key, sized(m.name+verb, n), func(name string) string {
		params, inside, word := m.params()
		body, let := "", ""
		if n == 1 {
			body = m.read(word)
		} else {
			if m.stride > 1 {
				let, word = fmt.Sprintf("    let w = %s;\n", word), "w"
			}
			body = t + "(" + wordList(n, word, m.read) + ")"
		}
		return fmt.Sprintf("fn %s(%s) -> %s {\n  if (%s) {\n%s    return %s;\n  }\n  return %s;\n}\n", name, params, t, inside, let, body, zeroText(vec(m.kind, n)))
	})
}

// readHelper reads n words that are inside for sure.
func (e *emitter) readHelper(m *memory, n int) string {
	verb := "_read"
	if m.uniform {
		verb = "_uniform_read"
	}
	return e.helperFor(fmt.Sprintf("%s%d %s", verb, n, m.name), sized(m.name+verb, n), func(name string) string {
		params, let, word := m.place()
		t := vec(m.kind, n)
		return fmt.Sprintf("fn %s(%s) -> %s {\n%s  return %s(%s);\n}\n", name, params, t, let, t, wordList(n, word, m.read))
	})
}

// place is the parameter list of an address of memory that is inside for sure, a
// declaration of its word, and the name of that.
func (m *memory) place() (params, let, word string) {
	params, _, word = m.params()
	if m.stride > 1 {
		let, word = fmt.Sprintf("  let w = %s;\n", word), "w"
	}
	return params, let, word
}

// zeroText is zero of t.
func zeroText(t typ) string {
	if t.n == 1 {
		return literalText(0, t.kind)
	}
	return t.String() + "()"
}

// wordList is f of n consecutive words, separated by commas.
func wordList(n int, first string, f func(w string) string) string {
	parts := make([]string, n)
	for i := range parts {
		w := first
		if i > 0 {
			w = fmt.Sprintf("%s + %du", first, i)
		}
		parts[i] = f(w)
	}
	return strings.Join(parts, ", ")
}

// loadWords is a load from a structured or raw buffer or groupshared memory.
func (e *emitter) loadWords(v *ir.Value) *expr {
	m := e.memoryAt(v)
	first, last := v.Imm[0], v.Imm[0]
	for _, w := range v.Imm[:v.N] {
		first, last = min(first, w), max(last, w)
	}
	n := int(last-first) + 1
	if m.stride == 1 {
		n = 1
	}
	a := e.addressOf0(v, &m, first, last)
	if n == 1 && a.safe {
		x := m.word(&e.exprs, a.flat(&e.exprs, &m))
		switch {
		case m.uniform:
			x = e.call("workgroupUniformLoad", x.typ, e.addressOf(x))
		case m.atomic:
			x = e.call("atomicLoad", x.typ, e.addressOf(x))
		}
		return e.splat(x, int(v.N))
	}
	helper := e.loadHelper
	if a.safe {
		helper = e.readHelper
	}
	x := e.call(helper(&m, n), vec(m.kind, n), a.args(&m)...)
	if n == 1 {
		return e.splat(x, int(v.N))
	}
	lanes := make([]uint8, v.N)
	for i := range lanes {
		lanes[i] = uint8(v.Imm[i] - first)
	}
	return e.swizzle(x, lanes)
}

// storeWords is a store to a structured or raw buffer or groupshared memory.
func (e *emitter) storeWords(v *ir.Value) []stmt {
	m := e.memoryAt(v)
	data := len(v.Args) - 1
	n := int(v.Args[data].N)
	if n == 0 { // an empty write mask
		e.silent(v.Instr)
		return nil
	}
	if m.stride == 1 {
		n = 1 // a record of one word
	}
	a := e.addressOf0(v, &m, 0, uint32(n)-1)
	x := e.argLanes(v, data, 0, n, m.kind)
	if n == 1 && a.safe {
		at := m.word(&e.exprs, a.flat(&e.exprs, &m))
		if m.atomic {
			return []stmt{callStmt(e.call("atomicStore", tNone, e.addressOf(at), x))}
		}
		return []stmt{assignStmt(at, x)}
	}
	helper := e.storeHelper
	if a.safe {
		helper = e.writeHelper
	}
	return []stmt{callStmt(e.call(helper(&m, n), tNone, append(a.args(&m), x)...))}
}

// writeHelper writes n words that are inside for sure.
func (e *emitter) writeHelper(m *memory, n int) string {
	return e.helperFor(fmt.Sprintf("write%d %s", n, m.name), sized(m.name+"_write", n), func(name string) string {
		params, let, word := m.place()
		var b strings.Builder
		fmt.Fprintf(&b, "fn %s(%s, value: %s) {\n%s", name, params, vec(m.kind, n), let)
		for i := range n {
			w := word
			if i > 0 {
				w = fmt.Sprintf("%s + %du", word, i)
			}
			fmt.Fprintf(&b, "  %s\n", m.write(w, "value."+laneNames[i:i+1]))
		}
		b.WriteString("}\n")
		return b.String()
	})
}

func (e *emitter) storeHelper(m *memory, n int) string {
	key := fmt.Sprintf("store%d %s", n, m.name)
	t := vec(m.kind, n).String()
	value := func(i int) string {
		if n == 1 {
			return "value"
		}
		return "value." + laneNames[i:i+1]
	}
	if m.stride == 0 && n > 1 {
		one := e.storeHelper(m, 1)
		return e.helperFor(key, sized(m.name+"_store", n), func(name string) string {
			var b strings.Builder
			fmt.Fprintf(&b, "fn %s(w: u32, value: %s) {\n", name, t)
			for i := range n {
				w := "w"
				if i > 0 {
					w = fmt.Sprintf("w + %du", i)
				}
				fmt.Fprintf(&b, "  %s(%s, %s);\n", one, w, value(i))
			}
			b.WriteString("}\n")
			return b.String()
		})
	}
	return e.helperFor(key, sized(m.name+"_store", n), func(name string) string {
		params, inside, word := m.params()
		var b strings.Builder
		fmt.Fprintf(&b, "fn %s(%s, value: %s) {\n  if (%s) {\n", name, params, t, inside)
		if n > 1 && m.stride > 1 {
			fmt.Fprintf(&b, "    let w = %s;\n", word)
			word = "w"
		}
		for i := range n {
			w := word
			if i > 0 {
				w = fmt.Sprintf("%s + %du", word, i)
			}
			fmt.Fprintf(&b, "    %s\n", m.write(w, value(i)))
		}
		b.WriteString("  }\n}\n")
		return b.String()
	})
}

// atomicForm is how an atomic operation is written.
type atomicForm struct {
	name   string // end of the helper's name
	call   string // WGSL function
	signed bool   // compares as i32
	sign   bool   // the sign matters
	pick   string // function of the compare loop where the sign is not the array's
}

var atomicForms = map[ir.AtomicOp]atomicForm{
	ir.AtomicAnd:     {name: "and", call: "atomicAnd"},
	ir.AtomicOr:      {name: "or", call: "atomicOr"},
	ir.AtomicXor:     {name: "xor", call: "atomicXor"},
	ir.AtomicAdd:     {name: "add", call: "atomicAdd"},
	ir.AtomicIMax:    {name: "imax", call: "atomicMax", sign: true, signed: true, pick: "max"},
	ir.AtomicIMin:    {name: "imin", call: "atomicMin", sign: true, signed: true, pick: "min"},
	ir.AtomicUMax:    {name: "umax", call: "atomicMax", sign: true, pick: "max"},
	ir.AtomicUMin:    {name: "umin", call: "atomicMin", sign: true, pick: "min"},
	ir.AtomicExch:    {name: "exchange", call: "atomicExchange"},
	ir.AtomicCmpExch: {name: "compare_exchange"},
}

// atomic is an atomic operation; its value is what the memory held before, zero
// outside.
func (e *emitter) atomic(v *ir.Value) *expr {
	m := e.memoryAt(v)
	form, ok := atomicForms[ir.AtomicOp(v.Imm[0])]
	if !ok || !m.atomic || m.kind == ir.F32 {
		e.report(diag.Error, codeTextureForm, v, "atomic operation %d on %s", v.Imm[0], e.resourceName(v.Res))
		return e.litU(0)
	}
	t := typ{m.kind, 1}
	a := e.addressOf0(v, &m, 0, 0)
	native := form.call != "" && (!form.sign || form.signed == (m.kind == ir.I32))
	x := e.arg(v, 1, m.kind)
	if native && a.safe {
		return e.call(form.call, t, e.addressOf(m.word(&e.exprs, a.flat(&e.exprs, &m))), x)
	}
	args := append(a.args(&m), nil)
	args = args[:len(args)-1]
	if form.call == "" {
		args = append(args, e.arg(v, 2, m.kind), x)
	} else {
		args = append(args, x)
	}
	return e.call(e.atomicHelper(&m, form, native), t, args...)
}

func (e *emitter) atomicHelper(m *memory, form atomicForm, native bool) string {
	t := typ{m.kind, 1}
	return e.helperFor("atomic "+form.name+" "+m.name, m.name+"_"+form.name, func(name string) string {
		params, inside, word := m.params()
		at := "&" + m.name + "[" + word + "]"
		zero := e.lit(0, m.kind).text
		var b strings.Builder
		if form.call == "" {
			params += ", compare: " + t.String()
		}
		fmt.Fprintf(&b, "fn %s(%s, value: %s) -> %s {\n  if (%s) {\n", name, params, t, t, inside)
		switch {
		case native:
			fmt.Fprintf(&b, "    return %s(%s, value);\n", form.call, at)
		case form.call == "":
			fmt.Fprintf(&b, `    loop {
      let r = atomicCompareExchangeWeak(%s, compare, value);
      if (r.exchanged || r.old_value != compare) {
        return r.old_value;
      }
    }
`, at)
		default:
			// One variable has one atomic type: the other sign is a loop.
			as, back := "u32", "i32"
			if form.signed {
				as, back = "i32", "u32"
			}
			fmt.Fprintf(&b, `    var old = atomicLoad(%s);
    loop {
      let r = atomicCompareExchangeWeak(%s, old, bitcast<%s>(%s(bitcast<%s>(old), bitcast<%s>(value))));
      if (r.exchanged) {
        return old;
      }
      old = r.old_value;
    }
`, at, at, back, form.pick, as, as)
		}
		fmt.Fprintf(&b, "  }\n  return %s;\n}\n", zero)
		return b.String()
	})
}

// bufInfo is the length of a buffer: elements, or bytes of a raw one.
func (e *emitter) bufInfo(v *ir.Value) *expr {
	m := e.memoryAt(v)
	n := e.call("arrayLength", tU32, e.addressOf(e.ident(m.name, RoleResource, tNone)))
	switch {
	case m.b == nil:
		return e.litU(uint32(m.words))
	case m.stride == 1:
		return n
	case m.stride > 1:
		return e.binary("/", tU32, n, e.litU(m.stride))
	case e.f.Resources[v.Res].Dim == dxbc.DimRawBuffer:
		return e.binary("*", tU32, n, e.litU(4))
	}
	f, ok := layout.LookupFormat(m.b.Format)
	switch {
	case !ok || f.Bytes == 4:
		return n
	case f.Bytes < 4:
		return e.binary("*", tU32, n, e.litU(uint32(4/f.Bytes)))
	}
	return e.binary("/", tU32, n, e.litU(uint32(f.Bytes/4)))
}

// loadTyped is a load from a typed buffer or a storage texture.
func (e *emitter) loadTyped(v *ir.Value) *expr {
	if !isBuffer(e.f.Resources[v.Res].Dim) {
		t := e.textureOf(v, layout.Primary)
		return e.call(e.texelHelper(&t, false), t.texel(), e.texelCoords(v, &t)...)
	}
	m := e.memoryAt(v)
	f, ok := layout.LookupFormat(m.b.Format)
	if !ok {
		e.report(diag.Error, codeUnplanned, v, "%s has no view format", e.resourceName(v.Res))
		return e.splat(e.litU(0), 4)
	}
	name := e.helperFor("typed load "+m.name, m.name+"_load", func(n string) string { return decoder(n, &m, f) })
	i := e.argLanes(v, 0, 0, 1, ir.U32)
	if o := v.Offs[0]; o != 0 {
		i = e.binary("+", tU32, i, e.convert(e.litI(int32(o)), ir.U32))
	}
	return e.call(name, vec(formatKind(f), 4), i)
}

// storeTyped is a store to a typed buffer or a storage texture. WGSL drops
// stores outside of a texture as D3D does.
func (e *emitter) storeTyped(v *ir.Value) []stmt {
	if !isBuffer(e.f.Resources[v.Res].Dim) {
		t := e.textureOf(v, layout.Primary)
		at := e.texelCoords(v, &t)
		if t.flat {
			at[0] = e.construct(vec(ir.I32, 2), at[0], e.litI(0))
		}
		args := append([]*expr{t.ident(&e.exprs)}, at...)
		return []stmt{callStmt(e.call("textureStore", tNone, append(args, e.arg(v, 1, t.kind))...))}
	}
	m := e.memoryAt(v)
	f, ok := layout.LookupFormat(m.b.Format)
	if !ok {
		e.report(diag.Error, codeUnplanned, v, "%s has no view format", e.resourceName(v.Res))
		return nil
	}
	name := e.helperFor("typed store "+m.name, m.name+"_store", func(n string) string { return encoder(n, &m, f) })
	return []stmt{callStmt(e.call(name, tNone, e.argLanes(v, 0, 0, 1, ir.U32), e.arg(v, 1, formatKind(f))))}
}
