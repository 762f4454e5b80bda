package layout

import (
	"fmt"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// viewDims gives texture type suffix and view dimension; 1D textures are 2D
// ones of height one, since texture_1d has neither bias, gradients, gathers,
// offsets nor arrays (wgsl-patterns.md 7).
var viewDims = map[dxbc.Dim][2]string{
	dxbc.DimTexture1D:        {"2d", "2d"},
	dxbc.DimTexture1DArray:   {"2d_array", "2d-array"},
	dxbc.DimTexture2D:        {"2d", "2d"},
	dxbc.DimTexture2DArray:   {"2d_array", "2d-array"},
	dxbc.DimTexture2DMS:      {"multisampled_2d", "2d"},
	dxbc.DimTexture3D:        {"3d", "3d"},
	dxbc.DimTextureCube:      {"cube", "cube"},
	dxbc.DimTextureCubeArray: {"cube_array", "cube-array"},
}

func (p *planner) texture(s StageInput, base Binding, r *ir.Resource, u *texUse, finish func(Binding, Kind, Variant) Binding) []Binding {
	name := named(p.symbol(r, Primary), r.Name)
	d, ok := viewDims[r.Dim]
	if !ok {
		if r.Used {
			p.report(diag.Error, codeDimension, s.Stage, r.Instr, "%s is a %s", name, r.Dim)
		}
		return nil
	}
	kind := sampleKind(r)
	if kind == "" {
		if r.Used {
			p.report(diag.Error, codeReturn, s.Stage, r.Instr, "%s returns (%s, %s, %s, %s)", name, r.Return[0], r.Return[1], r.Return[2], r.Return[3])
		}
		return nil
	}
	if u.compared && (kind != "f32" || r.Dim == dxbc.DimTexture3D) {
		p.report(diag.Error, codeDimension, s.Stage, r.Instr, "%s is compared, but WGSL has no depth texture of its shape (%s of %s)", name, r.Dim, kind)
		return nil
	}
	make := func(depth bool, v Variant) Binding {
		b := base
		b.Texture = &Texture{ViewDimension: d[1], Multisampled: r.Dim == dxbc.DimTexture2DMS}
		if depth {
			b.Type, b.Texture.SampleType = "texture_depth_"+d[0], "depth"
			return finish(b, SampledResource, v)
		}
		b.Type = "texture_" + d[0] + "<" + kind + ">"
		switch {
		case kind == "i32":
			b.Texture.SampleType = "sint"
		case kind == "u32":
			b.Texture.SampleType = "uint"
		case b.Texture.Multisampled || u.compared:
			// WebGPU has no filterable multisampled textures, and a depth view
			// stands behind texture_2d<f32> only where nothing filters it.
			b.Texture.SampleType = "unfilterable-float"
		default:
			b.Texture.SampleType = "float"
		}
		return finish(b, SampledResource, v)
	}
	p.flat(s, r, name)
	if !u.compared {
		return []Binding{make(false, Primary)}
	}
	if u.plain {
		p.report(diag.Note, codeDepthSampled, s.Stage, r.Instr, "%s is compared, and read without comparison too", name)
	}
	if u.plain && u.noDepth {
		return []Binding{make(false, Primary), make(true, Depth)}
	}
	return []Binding{make(true, Primary)}
}

func (p *planner) storageTexture(s StageInput, base Binding, res int32, u *texUse, finish func(Binding, Kind, Variant) Binding) []Binding {
	r := &s.Func.Resources[res]
	symbol := p.symbol(r, Primary)
	name := named(symbol, r.Name)
	d, ok := viewDims[r.Dim]
	if !ok || strings.HasPrefix(d[0], "cube") || r.Dim == dxbc.DimTexture2DMS {
		p.report(diag.Error, codeDimension, s.Stage, r.Instr, "the UAV %s is a %s", name, r.Dim)
		return nil
	}
	if u.atomic || r.Atomic {
		p.report(diag.Error, codeTextureAtomic, s.Stage, r.Instr, "%s is a %s that the program changes atomically", name, r.Dim)
		return nil
	}
	if sampleKind(r) == "" {
		p.report(diag.Error, codeReturn, s.Stage, r.Instr, "%s returns (%s, %s, %s, %s)", name, r.Return[0], r.Return[1], r.Return[2], r.Return[3])
		return nil
	}
	p.flat(s, r, name)
	access, layout := "write", "write-only"
	switch {
	case r.Read && r.Written:
		access, layout = "read_write", "read-write"
	case r.Read:
		access, layout = "read", "read-only"
	}
	if s.Stage == Vertex && access != "read" {
		if !r.Used {
			return nil
		}
		p.report(diag.Error, codeVertexStorage, s.Stage, r.Instr, "%s is written in the vertex program", name)
		return nil
	}
	b := base
	b.Format, b.FormatFrom = r.Format, r.FormatFrom
	if b.Format == "" {
		b.Format, b.FormatFrom = defaultTexel(r.Return[0], Components(s.Func, r), access == "read_write"), "default"
	}
	f, ok := LookupFormat(b.Format)
	if ok && r.Used {
		f, ok = p.format(s, r, &b, symbol)
	} else if !ok {
		p.report(diag.Error, codeFormatUnknown, s.Stage, r.Instr, "%s: no view format %q", name, b.Format)
	}
	if !ok {
		return nil
	}
	tier := f.Tier
	if access == "read_write" {
		tier = f.ReadWrite
	}
	if !f.stores(r.Read, r.Written) {
		p.report(diag.Error, codeStorageFormat, s.Stage, r.Instr, "%s is %s, which no storage texture with access %s can have", name, b.Format, access)
		return nil
	}
	if f.Texel != "" && r.Used {
		feature := [...]string{"", "texture-formats-tier1", "texture-formats-tier2", "bgra8unorm-storage"}[tier]
		if feature != "" {
			p.feature(s.Stage, r.Instr, feature, fmt.Sprintf("%s is %s with access %s", name, f.Texel, access))
		}
	}
	b.Type = fmt.Sprintf("texture_storage_%s<%s, %s>", d[0], f.Texel, access)
	b.Storage = &StorageTexture{Access: layout, Format: f.Texel, ViewDimension: d[1]}
	return []Binding{finish(b, StorageResource, Primary)}
}
