package wgsl

import (
	"fmt"
	"strings"

	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// structs is the declarations of the input and output structs, empty if the
// module has none.
func (e *emitter) structs() string {
	io := e.ports()
	var b strings.Builder
	one := func(name string, list []port) {
		if name == "" {
			return
		}
		fmt.Fprintf(&b, "struct %s {\n", name)
		for i := range list {
			fmt.Fprintf(&b, "  %s%s: %s,\n", list[i].attr, list[i].name, list[i].typeText())
		}
		b.WriteString("}\n\n")
	}
	one(io.inStruct, io.in)
	one(io.outStruct, io.out)
	return strings.TrimSuffix(b.String(), "\n")
}

// entry is the head of the entry point, up to its opening brace:
// "@fragment\nfn main(uv: vec2<f32>) -> @location(0) vec4<f32>".
func (e *emitter) entry() string {
	io := e.ports()
	var b strings.Builder
	switch e.stage() {
	case layout.Vertex:
		b.WriteString("@vertex\n")
	case layout.Fragment:
		b.WriteString("@fragment\n")
	default:
		g := e.groupSize()
		fmt.Fprintf(&b, "@compute @workgroup_size(%d, %d, %d)\n", g[0], g[1], g[2])
	}
	b.WriteString("fn main(")
	if io.inStruct != "" {
		fmt.Fprintf(&b, "%s: %s", io.inVar, io.inStruct)
	} else {
		params := make([]string, len(io.in))
		for i := range io.in {
			params[i] = io.in[i].attr + io.in[i].name + ": " + io.in[i].typeText()
		}
		line := strings.Join(params, ", ")
		if len(line) > maxWidth {
			line = "\n    " + strings.Join(params, ",\n    ") + ",\n"
		}
		b.WriteString(line)
	}
	b.WriteString(")")
	switch {
	case io.outStruct != "":
		b.WriteString(" -> " + io.outStruct)
	case len(io.out) == 1:
		b.WriteString(" -> " + io.out[0].attr + io.out[0].typeText())
	}
	return b.String()
}

// groupSize is the thread group, at least one in each direction.
func (e *emitter) groupSize() [3]uint32 {
	g := e.f.ThreadGroup
	for i := range g {
		g[i] = max(g[i], 1)
	}
	return g
}

// recordIO fills Module.IO: one entry per signature element used.
func (e *emitter) recordIO() {
	add := func(direction string, list []port, elems []ir.Elem) {
		for i := range list {
			p := &list[i]
			for l := 0; l < len(p.lanes); {
				id := p.lanes[l].elem
				if id < 0 {
					l++
					continue
				}
				el := &elems[id]
				io := IO{Direction: direction, Semantic: el.Semantic, Index: el.Index, Register: el.Register, Mask: componentNames(el.Mask),
					Builtin: p.builtin, Type: p.typeText(), Component: l}
				if p.location >= 0 {
					at := p.location
					io.Location, io.Interpolation = &at, p.interp
				}
				for l < len(p.lanes) && p.lanes[l].elem == id {
					l++
				}
				e.mod.IO = append(e.mod.IO, io)
			}
		}
	}
	add("in", e.io.in, e.f.Inputs)
	add("out", e.io.out, e.f.Outputs)
}
