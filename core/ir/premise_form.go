package ir

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
)

// prod is num times a symbol of the caller's (num alone where sym is empty).
type prod struct {
	num int64
	sym string
}

// uni is a sum of products that is the same for all threads.
type uni []prod

func number(n int64) uni    { return uni{{num: n}} }
func symbol(sym string) uni { return uni{{num: 1, sym: sym}} }

// constant is the value of a sum without symbols.
func (u uni) constant() (int64, bool) {
	n := int64(0)
	for _, p := range u {
		if p.sym != "" {
			return 0, false
		}
		n += p.num
	}
	return n, true
}

// plus is the sum, like products joined, the constant last.
func (u uni) plus(v uni) uni {
	if len(u)+len(v) == 0 {
		return nil
	}
	out := make(uni, 0, len(u)+len(v))
	for _, list := range [...]uni{u, v} {
		for _, p := range list {
			if i := slices.IndexFunc(out, func(q prod) bool { return q.sym == p.sym }); i >= 0 {
				out[i].num += p.num
			} else {
				out = append(out, p)
			}
		}
	}
	out = slices.DeleteFunc(out, func(p prod) bool { return p.num == 0 })
	if len(out) < 2 {
		return out
	}
	slices.SortStableFunc(out, func(a, b prod) int {
		return cmp.Or(cmp.Compare(b2i(a.sym == ""), b2i(b.sym == "")), cmp.Compare(b2i(a.num < 0), b2i(b.num < 0)))
	})
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (u uni) times(n int64) uni {
	if len(u) == 0 {
		return nil
	}
	out := make(uni, len(u))
	for i, p := range u {
		out[i] = prod{p.num * n, p.sym}
	}
	return out
}

// String writes the sum: "4 * cb0[0].x + 3".
func (u uni) String() string {
	var b strings.Builder
	for i, p := range u {
		n := p.num
		switch {
		case i > 0 && n < 0:
			b.WriteString(" - ")
			n = -n
		case i > 0:
			b.WriteString(" + ")
		case n < 0 && p.sym != "":
			b.WriteString("-")
			n = -n
		}
		switch {
		case p.sym == "":
			b.WriteString(strconv.FormatInt(n, 10))
		case n == 1:
			b.WriteString(p.sym)
		default:
			b.WriteString(strconv.FormatInt(n, 10) + " * " + factor(p.sym))
		}
	}
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// factor is a symbol as a factor: in parentheses where it has operators.
func factor(sym string) string {
	if depth := 0; strings.ContainsRune(sym, ' ') {
		for _, r := range sym {
			switch r {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case ' ':
				if depth == 0 {
					return "(" + sym + ")"
				}
			}
		}
	}
	return sym
}

// ceilDiv is the least number that times n is u or more.
func ceilDiv(u uni, n int64) uni {
	if n <= 1 {
		return u
	}
	if c, ok := u.constant(); ok {
		return number((c + n - 1) / n)
	}
	if !slices.ContainsFunc(u, func(p prod) bool { return p.num%n != 0 }) {
		out := slices.Clone(u)
		for i := range out {
			out[i].num /= n
		}
		return out
	}
	return symbol(fmt.Sprintf("ceil(%s / %d)", factor(u.String()), n))
}

// idKind is a number that tells threads apart.
type idKind uint8

const (
	idNone   idKind = iota
	idGroup         // SV_GroupID
	idThread        // SV_DispatchThreadID
	idLocal         // SV_GroupThreadID
	idFlat          // SV_GroupIndex
)

// key is what a term of a form multiplies: an ID, or any other lane.
type key struct {
	id   idKind
	axis uint8
	lane Lane
}

// term is num times a symbol (1 where empty) times a key.
type term struct {
	num int64
	sym string
	key key
}

// form is an integer as a linear expression of IDs and other lanes, plus a sum
// that is the same for all threads.
type form struct {
	terms []term
	rest  uni
	ok    bool
}

func (f form) constant() (int64, bool) {
	if !f.ok || len(f.terms) > 0 {
		return 0, false
	}
	return f.rest.constant()
}

// plus is f + n * g.
func (f form) plus(g form, n int64) form {
	if !f.ok || !g.ok {
		return form{}
	}
	out := form{terms: slices.Clone(f.terms), rest: f.rest.plus(g.rest.times(n)), ok: true}
	for _, t := range g.terms {
		t.num *= n
		if i := slices.IndexFunc(out.terms, func(o term) bool { return o.key == t.key && o.sym == t.sym }); i >= 0 {
			out.terms[i].num += t.num
		} else {
			out.terms = append(out.terms, t)
		}
	}
	out.terms = slices.DeleteFunc(out.terms, func(t term) bool { return t.num == 0 })
	if len(out.terms) > 8 || len(out.rest) > 8 {
		return form{}
	}
	return out
}

// times is the product of a form and one that is the same for all threads.
func (f form) times(g form) form {
	if !f.ok || !g.ok {
		return form{}
	}
	if len(f.terms) > 0 {
		f, g = g, f
	}
	if len(f.terms) > 0 || len(f.rest) > 1 {
		return form{}
	}
	if len(f.rest) == 0 {
		return form{ok: true}
	}
	by := f.rest[0]
	out := form{ok: true}
	for _, t := range g.terms {
		out.terms = append(out.terms, term{t.num * by.num, product(t.sym, by.sym), t.key})
	}
	for _, p := range g.rest {
		out.rest = append(out.rest, prod{p.num * by.num, product(p.sym, by.sym)})
	}
	return out
}

func product(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return factor(a) + " * " + factor(b)
}

// same reports whether two forms have equal terms.
func sameTerms(a, b []term) bool {
	if len(a) != len(b) {
		return false
	}
	for _, t := range a {
		if !slices.Contains(b, t) {
			return false
		}
	}
	return true
}

// axis is the term of a form that has the group's or thread's number on an axis.
func (f form) axis(a uint8) *term {
	for i := range f.terms {
		if t := &f.terms[i]; (t.key.id == idGroup || t.key.id == idThread) && t.key.axis == a {
			return t
		}
	}
	return nil
}

// span is how far one more group on an axis moves the index, where nothing but
// numbers of the same axis, and of threads in the group, move it.
func (f form) span(axis int, size int64) (int64, bool) {
	n := int64(0)
	for _, t := range f.terms {
		switch {
		case t.sym != "":
			return 0, false
		case t.key.id == idThread && int(t.key.axis) == axis:
			n += t.num * size
		case t.key.id == idGroup && int(t.key.axis) == axis:
			n += t.num
		case t.key.id == idLocal || t.key.id == idFlat:
		default:
			return 0, false
		}
	}
	return n, true
}

// idOf says which ID lane l of an input is.
func (p *premises) idOf(v *Value, l uint8) (idKind, uint8) {
	el := &p.f.Inputs[v.Imm[0]]
	var id idKind
	switch el.RegType {
	case dxbc.RegThreadGroupID:
		id = idGroup
	case dxbc.RegThreadID:
		id = idThread
	case dxbc.RegThreadIDInGroup:
		id = idLocal
	case dxbc.RegThreadIDInGroupFlattened:
		return idFlat, 0
	default:
		return idNone, 0
	}
	axis := uint8(0)
	for c := uint8(0); c < 4; c++ {
		if el.Mask>>c&1 != 0 {
			if l == 0 {
				axis = c
				break
			}
			l--
		}
	}
	return id, min(axis, 2)
}

// seen is a lane looked at with so many operations to go: what has been found out
// is remembered, so that each lane costs the same however often it is read.
type seen struct {
	lane  Lane
	depth int
}

// written is a lane in terms of what the caller gives.
type written struct {
	text string
	ok   bool
}

// formDepth bounds the operations that a form is made of, exprDepth those of an
// expression.
const (
	formDepth = 8
	exprDepth = 6
)

// form is a lane as a linear expression.
func (p *premises) form(l Lane, depth int) form {
	k := seen{l, depth}
	f, ok := p.forms[k]
	if !ok {
		f = p.canonical(p.linear(l, depth))
		p.forms[k] = f
	}
	return f
}

// canonical writes group*size + local as the thread's number, and the flattened
// number of a group of one row as its x.
func (p *premises) canonical(f form) form {
	if !f.ok {
		return f
	}
	g := p.f.ThreadGroup
	out := form{rest: f.rest, ok: true}
	for _, t := range f.terms {
		if t.key.id == idFlat && g[1] <= 1 && g[2] <= 1 {
			t.key.id = idLocal
		}
		if t.key.id == idThread && g[t.key.axis] == 1 {
			t.key.id = idGroup
		}
		if t.key.id == idLocal && g[t.key.axis] == 1 {
			continue
		}
		out = out.plus(form{terms: []term{t}, ok: true}, 1)
	}
	for i := 0; i < len(out.terms); i++ {
		t := out.terms[i]
		if t.key.id != idGroup || g[t.key.axis] == 1 {
			continue
		}
		local := term{key: key{id: idLocal, axis: t.key.axis}, sym: t.sym, num: t.num / int64(g[t.key.axis])}
		j := slices.Index(out.terms, local)
		if j < 0 || t.num%int64(g[t.key.axis]) != 0 {
			continue
		}
		local.key.id = idThread
		out.terms[i] = local
		out.terms = slices.Delete(out.terms, j, j+1)
		i = -1
	}
	return out
}

func (p *premises) linear(l Lane, depth int) form {
	v := &p.f.Values[l.V]
	opaque := form{terms: []term{{num: 1, key: key{lane: l}}}, ok: true}
	if depth == 0 {
		return opaque
	}
	arg := func(i int) form {
		a := &v.Args[i]
		return p.form(a.Lanes[min(l.L, a.N-1)], depth-1)
	}
	switch v.Op {
	case OpConst:
		return form{rest: number(int64(int32(v.Imm[l.L&3]))).plus(nil), ok: true}
	case OpUndef:
		return form{ok: true}
	case OpInput:
		if id, axis := p.idOf(v, l.L); id != idNone {
			return form{terms: []term{{num: 1, key: key{id: id, axis: axis}}}, ok: true}
		}
		return opaque
	case OpIAdd:
		if f := arg(0).plus(arg(1), 1); f.ok {
			return f
		}
	case OpISub:
		if f := arg(0).plus(arg(1), -1); f.ok {
			return f
		}
	case OpINeg:
		if f := (form{ok: true}).plus(arg(0), -1); f.ok {
			return f
		}
	case OpIMul:
		if f := arg(0).times(arg(1)); f.ok {
			return f
		}
	case OpIMad:
		if f := arg(0).times(arg(1)).plus(arg(2), 1); f.ok {
			return f
		}
	case OpShl:
		if n, ok := arg(1).constant(); ok && n >= 0 && n < 31 {
			if f := arg(0).times(form{rest: number(1 << n), ok: true}); f.ok {
				return f
			}
		}
	case OpBfi: // c above d, which has no bit there
		w, okW := arg(0).constant()
		o, okO := arg(1).constant()
		if okW && okO && o > 0 && w+o == 32 && p.below(v.Args[3].Lanes[min(l.L, v.Args[3].N-1)], 1<<o) {
			if f := arg(2).times(form{rest: number(1 << o), ok: true}).plus(arg(3), 1); f.ok {
				return f
			}
		}
	case OpOr:
		for i := range 2 {
			hi := &p.f.Values[v.Args[i].Lanes[min(l.L, v.Args[i].N-1)].V]
			if hi.Op != OpShl {
				continue
			}
			n, ok := p.form(hi.Args[1].Lanes[min(v.Args[i].Lanes[min(l.L, v.Args[i].N-1)].L, hi.Args[1].N-1)], depth-1).constant()
			if ok && n > 0 && n < 31 && p.below(v.Args[1-i].Lanes[min(l.L, v.Args[1-i].N-1)], 1<<n) {
				if f := arg(0).plus(arg(1), 1); f.ok {
					return f
				}
			}
		}
	}
	if x, ok := p.expr(l, exprDepth); ok {
		return form{rest: symbol(x), ok: true}
	}
	return opaque
}

// below reports whether a lane is an ID smaller than n.
func (p *premises) below(l Lane, n int64) bool {
	v := &p.f.Values[l.V]
	g := p.f.ThreadGroup
	switch v.Op {
	case OpConst:
		return int64(v.Imm[l.L&3]) < n
	case OpInput:
		switch id, axis := p.idOf(v, l.L); id {
		case idLocal:
			return int64(g[axis]) <= n
		case idFlat:
			return int64(g[0])*int64(g[1])*int64(g[2]) <= n
		}
	}
	return false
}

// exprOps are the operations that a value of the caller's is written with.
var exprOps = map[Op]string{
	OpIAdd: "%s + %s", OpISub: "%s - %s", OpIMul: "%s * %s", OpFAdd: "%s + %s", OpFMul: "%s * %s", OpFDiv: "%s / %s",
	OpUDiv: "%s / %s", OpUMod: "%s %% %s", OpShl: "%s << %s", OpUShr: "%s >> %s", OpIShr: "%s >> %s", OpAnd: "%s & %s",
	OpUMin: "min(%s, %s)", OpUMax: "max(%s, %s)", OpIMin: "min(%s, %s)", OpIMax: "max(%s, %s)", OpFMin: "min(%s, %s)", OpFMax: "max(%s, %s)",
	OpINeg: "-%s", OpFNeg: "-%s", OpFAbs: "abs(%s)", OpFLog2: "log2(%s)", OpFExp2: "exp2(%s)", OpFFloor: "floor(%s)", OpFCeil: "ceil(%s)",
	OpFToI: "int(%s)", OpFToU: "uint(%s)", OpIToF: "float(%s)", OpUToF: "float(%s)", OpIMad: "%s * %s + %s", OpFMad: "%s * %s + %s", OpFRcp: "1 / %s", OpFSqrt: "sqrt(%s)",
}

// expr writes a lane in terms of what the caller gives: constants, sizes, and
// words of read-only buffers at fixed places. It fails for all else.
func (p *premises) expr(l Lane, depth int) (string, bool) {
	k := seen{l, depth}
	w, ok := p.exprs[k]
	if !ok {
		w.text, w.ok = p.write(l, depth)
		p.exprs[k] = w
	}
	return w.text, w.ok
}

func (p *premises) write(l Lane, depth int) (string, bool) {
	v := &p.f.Values[l.V]
	switch v.Op {
	case OpConst:
		bits := v.Imm[l.L&3]
		if x := math.Float32frombits(bits); bits > 1<<23 && bits < 0xff800000 && bits&0x7f800000 != 0x7f800000 && p.floats(l) {
			return strconv.FormatFloat(float64(x), 'g', 6, 32), true
		}
		return strconv.FormatInt(int64(int32(bits)), 10), true
	case OpCBLoad:
		if len(v.Args) > 0 && v.Args[0].N > 0 || len(v.Args) > 1 && v.Args[1].N > 0 {
			return "", false
		}
		return fmt.Sprintf("%s[%d].%c", p.f.Resources[v.Res].Symbol(), v.Imm[0], "xyzw"[l.L&3]), true
	case OpBufInfo:
		r := &p.f.Resources[v.Res]
		if r.Dim == dxbc.DimRawBuffer {
			return "bytes(" + r.Symbol() + ")", true
		}
		return "elements(" + r.Symbol() + ")", true
	case OpResInfo:
		if v.Imm[0] == 1 || l.L > 2 {
			return "", false
		}
		return p.extentOf(&access{res: v.Res}, int(l.L)), true
	case OpLoadTyped, OpLoad:
		r := &p.f.Resources[v.Res]
		if r.Class != SRV || r.Dim != dxbc.DimBuffer || v.Args[0].N == 0 {
			return "", false
		}
		c := v.Args[0].Lanes[0]
		if p.f.Values[c.V].Op != OpConst {
			return "", false
		}
		s := fmt.Sprintf("%s[%d]", r.Symbol(), int32(p.f.Values[c.V].Imm[c.L&3])+int32(v.Offs[0]))
		if l.L > 0 {
			s += "." + "xyzw"[l.L&3:l.L&3+1]
		}
		return s, true
	}
	pattern, ok := exprOps[v.Op]
	if !ok || depth == 0 {
		return "", false
	}
	parts := make([]any, len(v.Args))
	given := false
	for i := range v.Args {
		a := v.Args[i].Lanes[min(l.L, v.Args[i].N-1)]
		s, ok := p.expr(a, depth-1)
		if !ok {
			return "", false
		}
		if inner := exprOps[p.f.Values[a.V].Op]; inner != "" && !strings.HasSuffix(pattern, ")") && !strings.HasSuffix(inner, ")") {
			s = "(" + s + ")"
		}
		given = given || p.f.Values[a.V].Op != OpConst
		parts[i] = s
	}
	if !given {
		return "", false
	}
	if tail, ok := parts[len(parts)-1].(string); ok && strings.HasSuffix(pattern, " + %s") && strings.HasPrefix(tail, "(-") {
		pattern = strings.TrimSuffix(pattern, " + %s") + " - %s"
		parts[len(parts)-1] = tail[2 : len(tail)-1]
	}
	return fmt.Sprintf(pattern, parts...), true
}

// floats reports whether a constant is read as a float.
func (p *premises) floats(l Lane) bool {
	k := p.f.Values[l.V].Kind
	if k == F32 {
		return true
	}
	bits := p.f.Values[l.V].Imm[l.L&3]
	e := bits >> 23 & 255
	return k == Bits && e > 100 && e < 154
}

// given writes a lane that the caller's constants decide; not literals.
func (p *premises) given(l Lane) (string, bool) {
	x, ok := p.expr(l, exprDepth) // first: what it can write is small
	if !ok {
		return "", false
	}
	_, _, ok = p.constantOf(l, exprDepth)
	return x, ok
}

// constantOf is the first constant that a lane is made of, and its name.
func (p *premises) constantOf(l Lane, depth int) (res int32, name string, ok bool) {
	v := &p.f.Values[l.V]
	if v.Op == OpCBLoad {
		return v.Res, p.constantName(v.Res, v.Imm[0]*16+uint32(l.L&3)*4), true
	}
	if _, known := exprOps[v.Op]; !known || depth == 0 {
		return 0, "", false
	}
	for i := range v.Args {
		if res, name, ok := p.constantOf(v.Args[i].Lanes[min(l.L, v.Args[i].N-1)], depth-1); ok {
			return res, name, true
		}
	}
	return 0, "", false
}

// constantName is the name of the constant at a byte offset of a buffer.
func (p *premises) constantName(res int32, off uint32) string {
	r := &p.f.Resources[res]
	if r.Register == 0 && r.Space == 0 {
		for _, c := range p.f.Constants {
			if off >= c.Offset && off-c.Offset < c.Size {
				return c.Name
			}
		}
	}
	if p.f.Shader == nil || p.f.Shader.RDEF == nil {
		return ""
	}
	for i := range p.f.Shader.RDEF.Buffers {
		b := &p.f.Shader.RDEF.Buffers[i]
		if b.Name != r.Name {
			continue
		}
		for j := range b.Vars {
			if v := &b.Vars[j]; off >= v.Offset && off-v.Offset < v.Size {
				return v.Name
			}
		}
	}
	return ""
}
