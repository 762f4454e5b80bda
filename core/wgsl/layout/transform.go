package layout

import (
	"fmt"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// NamedTexture is a texture of the pixel stage as the effect names it.
type NamedTexture struct {
	Name     string
	Register uint32
	Space    uint32
	Type     int // Carbon's resource type; 2 is a 2D texture
	Elements int // array elements
	SRGB     bool
}

// Transform rewrites several textures of a pass to the layers of one array
// texture (binding-plan.md 8), to save texture units.
type Transform struct {
	ID       string
	Inputs   []TransformInput // in the order of their layers
	Output   string           // name of the array texture
	Identity string           // of the array texture: that of input 0
	Scope    string
}

// TransformInput is one source texture.
type TransformInput struct {
	Parameter string
	Identity  string
	Scope     string
	Resource  int32 // index into the pixel stage's ir.Function.Resources
}

var codeDetail = diag.Register(diag.Info{
	Code: "bind.detail-name", Title: "two textures with the name of one detail map",
	Rule:   "detail maps are recognised by name, so each name stands once in a pass (binding-plan.md 8.1)",
	Remedy: "rename one of the textures in the effect",
})

var detailNames = []string{"Detail1Map", "Detail2Map", "Detail3Map"}

// DetailMaps recognises the detail maps of a pass: two or three textures of
// these names that the pixel program samples with sample_b alone, through one
// sampler and with one bias. It returns nil where any condition of
// binding-plan.md 8.1 does not hold; a name that stands twice is an error.
func DetailMaps(ps *ir.Function, textures []NamedTexture, layoutKey string) (*Transform, []diag.Diag) {
	var maps []NamedTexture
	for i, name := range detailNames {
		found := 0
		for _, t := range textures {
			if t.Name == name {
				maps = append(maps, t)
				found++
			}
		}
		switch {
		case found > 1:
			return nil, []diag.Diag{diag.New(diag.Error, codeDetail, diag.Loc{Stage: stageShort[Fragment]}, "%d textures are named %s", found, name)}
		case found == 0 && i < 2:
			return nil, nil
		}
	}
	tr := &Transform{Output: "DetailMapArray"}
	for i, m := range maps {
		if m.Type != 2 || m.Elements != 1 || m.SRGB || m.Space != maps[0].Space || i > 0 && m.Register <= maps[i-1].Register {
			return nil, nil
		}
		res := slices.IndexFunc(ps.Resources, func(r ir.Resource) bool {
			return r.Class == ir.SRV && r.Register == m.Register && r.Space == m.Space
		})
		if res < 0 {
			return nil, nil
		}
		r := &ps.Resources[res]
		if r.Dim != dxbc.DimTexture2D || r.Count != 1 || r.Return != [4]dxbc.ReturnType{dxbc.RetFloat, dxbc.RetFloat, dxbc.RetFloat, dxbc.RetFloat} {
			return nil, nil
		}
		id := fmt.Sprintf("%s:%d:%d", SampledResource, m.Space, m.Register)
		tr.Inputs = append(tr.Inputs, TransformInput{Parameter: m.Name, Identity: id, Scope: id + "@" + Fragment.String(), Resource: int32(res)})
	}
	if !sampledAlike(ps, tr) {
		return nil, nil
	}
	tr.Identity, tr.Scope = tr.Inputs[0].Identity, tr.Inputs[0].Scope
	tr.ID = layoutKey + ":detail-map-array:" + tr.Identity
	return tr, nil
}

// sampledAlike reports whether every use of the inputs is a sample with the same
// sampler and bias, without offset, and each input has one.
func sampledAlike(ps *ir.Function, tr *Transform) bool {
	var first *ir.Value
	ok := true
	used := make([]bool, len(tr.Inputs))
	Reachable(ps, func(v *ir.Value) {
		k := slices.IndexFunc(tr.Inputs, func(in TransformInput) bool { return in.Resource == v.Res })
		if k < 0 || v.Op == ir.OpArrayLoad || v.Op == ir.OpArrayStore {
			return
		}
		if v.Op != ir.OpSampleBias || v.Offs != [3]int8{} || len(v.Args) < 2 || len(v.Args) > 2 && v.Args[2].N > 0 {
			ok = false
			return
		}
		if first == nil {
			first = v
		}
		ok = ok && v.Samp == first.Samp && v.Args[1] == first.Args[1]
		used[k] = true
	})
	return ok && first != nil && !slices.Contains(used, false)
}

// layerOf returns the layer that resource res of the pixel stage has in a transform.
func (p *planner) layerOf(s Stage, res int32) (*Transform, int) {
	if s == Fragment {
		for _, t := range p.opt.Transforms {
			if k := slices.IndexFunc(t.Inputs, func(in TransformInput) bool { return in.Resource == res }); k >= 0 {
				return t, k
			}
		}
	}
	return nil, -1
}
