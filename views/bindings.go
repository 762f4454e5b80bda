package views

import (
	"fmt"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// column is a column of a table: a heading, and the cells of all rows. The last column
// takes what room is left.
type column struct {
	head string
	role Role
	max  int
	cell []string
}

// table lays columns out and returns a heading line and a line per row. refs has what
// each row stands for.
func table(cols []column, refs []Ref) []Line {
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = Width(c.head)
		for _, s := range c.cell {
			widths[i] = max(widths[i], min(Width(Clip(s, c.max)), c.max))
		}
	}
	head := Line{Ref: NoRef}
	for i, c := range cols {
		head.Spans = append(head.Spans, span(RoleTitle, Pad(c.head, widths[i])+"  "))
	}
	out := []Line{head}
	for r := range refs {
		l := Line{Ref: refs[r]}
		for i, c := range cols {
			s := ""
			if r < len(c.cell) {
				s = c.cell[r]
			}
			l.Spans = append(l.Spans, padded(c.role, s, widths[i]), span(RoleText, "  "))
		}
		out = append(out, l)
	}
	return out
}

// Bindings is the table of a pass's binding plan. Rows belong to the selection's
// binding; a row's focus is its binding.
func Bindings(p *layout.Plan) *Static {
	if len(p.Bindings) == 0 {
		return Message(span(RoleDim, "The pass binds nothing: no constant buffer, texture, sampler or storage resource is used."))
	}
	slot := column{head: "slot", role: RoleLiteral, max: 8}
	reg := column{head: "register", role: RoleResource, max: 16}
	name := column{head: "name", role: RoleName, max: 28}
	typ := column{head: "type", role: RoleType, max: 40}
	see := column{head: "seen by", role: RoleText, max: 8}
	what := column{head: "layout", role: RoleDim, max: 60}
	var refs []Ref
	for i := range p.Bindings {
		b := &p.Bindings[i]
		slot.cell = append(slot.cell, fmt.Sprintf("%d.%d", b.Group, b.Binding))
		r := kindLetter[b.Kind] + strconv.FormatUint(uint64(b.Register), 10)
		if b.Space != 0 {
			r += " space" + strconv.FormatUint(uint64(b.Space), 10)
		}
		reg.cell = append(reg.cell, r)
		name.cell = append(name.cell, b.Name)
		typ.cell = append(typ.cell, b.Type)
		see.cell = append(see.cell, visibility(b.Visibility))
		what.cell = append(what.cell, layoutText(b))
		ref := NoRef
		ref.Kind, ref.Index = RefBinding, int32(i)
		refs = append(refs, ref)
	}
	lines := table([]column{slot, reg, name, typ, see, what}, refs)
	return NewStatic(lines, func(line int) Focus {
		f := NoFocus
		if line > 0 {
			f.Binding = int32(line - 1)
		}
		return f
	})
}

var kindLetter = map[layout.Kind]string{
	layout.UniformBuffer: "cb", layout.SampledResource: "t", layout.Sampler: "s",
	layout.StorageResource: "u", layout.UAVCounter: "counter u",
}

var stageShort = map[layout.Stage]string{layout.Vertex: "vs", layout.Fragment: "ps", layout.Compute: "cs"}

func visibility(v []layout.Stage) string {
	var s []string
	for _, st := range v {
		s = append(s, stageShort[st])
	}
	return strings.Join(s, "+")
}

// layoutText says what the bind group layout entry asks for.
func layoutText(b *layout.Binding) string {
	var s string
	switch {
	case b.Buffer != nil:
		s = b.Buffer.Type
		if b.Buffer.MinBindingSize > 0 {
			s += fmt.Sprintf(", %d bytes or more", b.Buffer.MinBindingSize)
		}
		if b.Stride > 0 {
			s += fmt.Sprintf(", stride %d", b.Stride)
		}
	case b.Texture != nil:
		s = b.Texture.SampleType + ", " + b.Texture.ViewDimension
		if b.Texture.Multisampled {
			s += ", multisampled"
		}
	case b.Sampler != nil:
		s = b.Sampler.Type
	case b.Storage != nil:
		s = b.Storage.Access + ", " + b.Storage.Format + ", " + b.Storage.ViewDimension
	}
	if b.Format != "" {
		s += ", view " + b.Format + " (" + b.FormatFrom + ")"
	}
	return s
}

// Resources is what Bindings shows while there is no plan: what the stage declares.
func Resources(f *ir.Function) []Line {
	reg := column{head: "register", role: RoleResource, max: 24}
	name := column{head: "name", role: RoleName, max: 28}
	dim := column{head: "dimension", role: RoleType, max: 24}
	view := column{head: "view format", role: RoleDim, max: 40}
	use := column{head: "use", role: RoleDim, max: 40}
	var refs []Ref
	for i := range f.Resources {
		r := &f.Resources[i]
		reg.cell = append(reg.cell, classLetter[r.Class]+strconv.FormatUint(uint64(r.Register), 10))
		name.cell = append(name.cell, r.Name)
		d := ""
		if r.Class == ir.SRV || r.Class == ir.UAV {
			d = r.Dim.String()
		}
		dim.cell = append(dim.cell, d)
		u := "declared, never used"
		if r.Used {
			u = "used"
		}
		use.cell = append(use.cell, u)
		v := ""
		switch {
		case r.Format != "":
			v = r.Format + " (" + r.FormatFrom + ")"
		case r.Used && r.Dim == dxbc.DimBuffer && len(layout.Allowed(f, i)) > 0:
			v = "not known"
		}
		view.cell = append(view.cell, v)
		ref := NoRef
		ref.Instr = r.Instr
		refs = append(refs, ref)
	}
	return table([]column{reg, name, dim, view, use}, refs)
}
