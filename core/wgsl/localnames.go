package wgsl

import (
	"slices"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// findOutputs notes which values go whole to one output of the stage.
func (e *emitter) findOutputs() {
	e.outputsSet = true
	for _, id := range e.fold.order {
		n := &e.f.Nodes[id]
		if n.Kind != ir.NodeReturn {
			continue
		}
		for k, a := range n.Args {
			if k >= len(e.f.Outputs) || a.N == 0 {
				continue
			}
			for _, l := range a.Lanes[:a.N] {
				same := 0
				for _, m := range a.Lanes[:a.N] {
					if m.V == l.V {
						same++
					}
				}
				if 2*same > int(a.N) {
					if e.outputs == nil {
						e.outputs = map[ir.ValueID]string{}
					}
					e.outputs[l.V] = semanticBase(&e.f.Outputs[k])
					break
				}
			}
		}
	}
}

// baseName is what a local that holds the values is called, before it is made
// unique: after the output it goes to, the texture it comes from, the counter it
// is, or the register that the program kept it in.
func (e *emitter) baseName(values []ir.ValueID) string {
	if !e.outputsSet {
		e.findOutputs()
	}
	for _, v := range values {
		if n, ok := e.outputs[v]; ok {
			return n
		}
	}
	for _, id := range values {
		if n := e.nameOfOp(id); n != "" {
			return n
		}
	}
	for _, id := range values {
		v := &e.f.Values[id]
		if e.isCounter(id) {
			return "i"
		}
		if v.Reg >= 0 {
			return registerName(v)
		}
	}
	switch e.f.Values[values[0]].Kind {
	case ir.Bool:
		return "c"
	case ir.I32, ir.U32:
		return "n"
	}
	return "t"
}

// registerName is r3_xy, or r3 for all four components.
func registerName(v *ir.Value) string {
	var room [24]byte
	b := strconv.AppendInt(append(room[:0], 'r'), int64(v.Reg), 10)
	if v.N == 4 && v.RegLanes == [4]uint8{0, 1, 2, 3} {
		return string(b)
	}
	b = append(b, '_')
	for i := range v.N {
		b = append(b, laneNames[v.RegLanes[i]&3])
	}
	return string(b)
}

// packName is the name of an operand: after its register if it is one.
func (e *emitter) packName(a ir.Arg) string {
	v := ir.Value{N: a.N, Reg: -1}
	for i, l := range a.Lanes[:a.N] {
		x := &e.f.Values[l.V]
		if x.Reg < 0 || i > 0 && x.Reg != v.Reg {
			return e.baseName([]ir.ValueID{a.Lanes[0].V})
		}
		v.Reg, v.RegLanes[i] = x.Reg, x.RegLanes[l.L&3]
	}
	return registerName(&v)
}

// nameOfOp names a value after what its operation says about it.
func (e *emitter) nameOfOp(id ir.ValueID) string {
	v := &e.f.Values[id]
	switch v.Op {
	case ir.OpSample, ir.OpSampleBias, ir.OpSampleLevel, ir.OpSampleGrad, ir.OpGather, ir.OpGatherOffset, ir.OpLoad, ir.OpLoadMS:
		if r := e.resourceAt(v.Res); r != nil && r.Name != "" {
			if n := textureBase(r.Name); n != "" {
				return n
			}
		}
		return "texel"
	case ir.OpSampleCmp, ir.OpSampleCmpZero, ir.OpGatherCmp, ir.OpGatherOffsetCmp:
		return "lit"
	case ir.OpResInfo:
		return "size"
	case ir.OpCounterInc, ir.OpCounterDec:
		return "slot"
	case ir.OpAtomic:
		return "old"
	}
	return ""
}

func (e *emitter) resourceAt(i int32) *ir.Resource {
	if i < 0 || int(i) >= len(e.f.Resources) {
		return nil
	}
	return &e.f.Resources[i]
}

// isCounter reports whether a header parameter is an integer that every round
// adds a constant to.
func (e *emitter) isCounter(id ir.ValueID) bool {
	v := &e.f.Values[id]
	if v.Op != ir.OpParam || v.N != 1 || v.Kind != ir.I32 && v.Kind != ir.U32 || v.Node < 0 {
		return false
	}
	n := &e.f.Nodes[v.Node]
	if n.Kind != ir.NodeLoop {
		return false
	}
	at := -1
	for k, h := range n.Header {
		if h == id {
			at = k
		}
	}
	if at < 0 {
		return false
	}
	steps := false
	for _, nid := range e.continuesOf(v.Node) {
		c := &e.f.Nodes[nid]
		if at >= len(c.Args) || c.Args[at].N != 1 {
			continue
		}
		x := &e.f.Values[c.Args[at].Lanes[0].V]
		if x.Op != ir.OpIAdd && x.Op != ir.OpISub || x.Args[0].Lanes[c.Args[at].Lanes[0].L].V != id {
			return false
		}
		if _, ok := e.laneConst(x.Args[1].Lanes[c.Args[at].Lanes[0].L]); !ok {
			return false
		}
		steps = true
	}
	return steps
}

// continuesOf are the nodes that go on with another round of a loop.
func (e *emitter) continuesOf(loop ir.NodeID) []ir.NodeID {
	if e.continues == nil {
		e.continues = make([][]ir.NodeID, len(e.f.Nodes))
		e.f.Walk(func(id ir.NodeID) {
			if n := &e.f.Nodes[id]; n.Kind == ir.NodeContinue {
				e.continues[n.Target] = append(e.continues[n.Target], id)
			}
		})
	}
	return e.continues[loop]
}

// uniform reports whether a value is uniform by WGSL's rules.
func (e *emitter) uniform(id ir.ValueID) bool {
	if e.uniformity == nil {
		e.uniformity = ir.Uniformity(e.f)
	}
	return !e.uniformity.Varying(id)
}

// nonUniformSites describes the derivatives that WGSL cannot prove to be in
// uniform control flow.
func (e *emitter) nonUniformSites() []string {
	if e.f.Kind != dxbc.Pixel || len(e.f.Regions) <= 1 { // without control flow all of it is uniform
		return nil
	}
	if e.uniformity == nil {
		e.uniformity = ir.Uniformity(e.f)
	}
	var out []string
	for _, id := range e.uniformity.Sites() {
		v := &e.f.Values[id]
		if e.fold.place[id] == placeNone {
			continue
		}
		what := v.Op.String()
		if v.Op.Is(ir.FlagTexture) {
			what = "sample of " + e.resourceName(v.Res)
		}
		out = append(out, what+" at "+strconv.Itoa(int(v.Instr)))
		if len(out) == 8 {
			out = append(out, "and others")
			break
		}
	}
	return out
}

// constName is the name of lanes of a row of a constant buffer, by RDEF: a
// variable, or a member or an element of one, that holds all of them.
func constName(f *ir.Function, res int32, row uint32, lanes []uint8) string {
	if res < 0 || int(res) >= len(f.Resources) || len(lanes) == 0 {
		return ""
	}
	r := &f.Resources[res]
	if r.Register == 0 && r.Space == 0 && len(f.Constants) > 0 {
		return containerConst(f, row*16+uint32(slices.Min(lanes))*4, row*16+uint32(slices.Max(lanes))*4+4)
	}
	if f.Shader == nil || f.Shader.RDEF == nil {
		return ""
	}
	for _, b := range f.Shader.RDEF.Bindings {
		if b.Type != dxbc.InputCBuffer || b.Space != r.Space || b.Bind != r.Register {
			continue
		}
		for i := range f.Shader.RDEF.Buffers {
			if cb := &f.Shader.RDEF.Buffers[i]; cb.Name == b.Name && cb.Type == dxbc.BufferConstant {
				lo, hi := lanes[0], lanes[0]
				for _, l := range lanes {
					lo, hi = min(lo, l), max(hi, l)
				}
				return constIn(cb, row*16+uint32(lo)*4, row*16+uint32(hi)*4+4)
			}
		}
	}
	return ""
}

// containerConst names bytes from to to of constant buffer 0 by the container's
// list. Where two buffers share the slot and their ranges overlap there is no
// telling which is meant, so there is no name.
func containerConst(f *ir.Function, from, to uint32) string {
	name := ""
	for i := range f.Constants {
		c := &f.Constants[i]
		end := c.Offset + c.Size
		if c.Size > 16 {
			end = (end + 15) / 16 * 16 // a row of an array or matrix is read whole
		}
		if from < c.Offset || to > end {
			continue
		}
		if name != "" {
			return ""
		}
		name = commentText(c.Name)
		if row := (from - c.Offset) / 16; c.Size > 16 {
			name += "[" + strconv.FormatUint(uint64(row), 10) + "]"
		}
	}
	return name
}

// constIn names bytes from to to of a buffer.
func constIn(cb *dxbc.CBuffer, from, to uint32) string {
	for i := range cb.Vars {
		v := &cb.Vars[i]
		if from < v.Offset || to > v.Offset+(v.Size+15)/16*16 || from >= v.Offset+v.Size {
			continue
		}
		return commentText(v.Name + constPath(v.Type, from-v.Offset, to-v.Offset, 0))
	}
	return ""
}

// constPath names bytes from to to of a value of type t: .member, [element].
func constPath(t *dxbc.Type, from, to uint32, depth int) string {
	if t == nil || depth > 8 {
		return ""
	}
	if t.Elements > 0 {
		stride := uint32(0)
		if one := typeRows(t, depth); one > 0 {
			stride = one * 16
		}
		if stride > 0 && from/stride == (to-1)/stride {
			el := *t
			el.Elements = 0
			return "[" + strconv.Itoa(int(from/stride)) + "]" + constPath(&el, from%stride, (to-1)%stride+1, depth+1)
		}
		return ""
	}
	switch t.Class {
	case dxbc.ClassStruct:
		for i := len(t.Members) - 1; i >= 0; i-- {
			if m := &t.Members[i]; from >= m.Offset {
				return "." + m.Name + constPath(m.Type, from-m.Offset, to-m.Offset, depth+1)
			}
		}
	case dxbc.ClassMatrixColumns:
		return " column " + strconv.Itoa(int(from/16))
	case dxbc.ClassMatrixRows:
		return " row " + strconv.Itoa(int(from/16))
	}
	return ""
}

// typeRows is the size of one element of t in registers.
func typeRows(t *dxbc.Type, depth int) uint32 {
	if depth > 8 {
		return 0
	}
	switch t.Class {
	case dxbc.ClassMatrixColumns:
		return uint32(t.Cols)
	case dxbc.ClassMatrixRows:
		return uint32(t.Rows)
	case dxbc.ClassStruct:
		if n := len(t.Members); n > 0 {
			m := &t.Members[n-1]
			rows := typeRows(m.Type, depth+1)
			if m.Type.Elements > 1 {
				rows *= uint32(m.Type.Elements)
			}
			return m.Offset/16 + max(rows, 1)
		}
	}
	return 1
}

var commentMarks = strings.NewReplacer("*/", "_", "/*", "_", "//", "_")

// commentText makes s safe inside a comment: printable ASCII without comment marks.
func commentText(s string) string {
	if len(s) <= 120 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '/' }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < ' ' || r > '~' {
			r = '_'
		}
		b.WriteRune(r)
		if b.Len() > 120 {
			break
		}
	}
	return commentMarks.Replace(b.String())
}
