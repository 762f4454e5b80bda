package layout

import (
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// uses is what the live operations of a function do with its textures and
// samplers, pair by pair: one declaration in D3D may need two bindings in
// WebGPU, which fixes the kind of sampling in the layout.
type uses struct {
	tex  []texUse
	samp []sampUse
}

type texUse struct {
	compared bool // by a comparison sampler
	plain    bool // sampled or gathered without comparison
	noDepth  bool // in a way that texture_depth_* has no form for
	atomic   bool
}

type sampUse struct {
	filtering, nonFiltering, comparison bool
}

// Reachable calls visit for every operation that a region holds, in program order.
func Reachable(f *ir.Function, visit func(*ir.Value)) {
	if len(f.Regions) == 0 {
		return
	}
	var walk func(r ir.RegionID)
	walk = func(r ir.RegionID) {
		for _, id := range f.Regions[r].Nodes {
			n := &f.Nodes[id]
			if n.Kind == ir.NodeValue {
				visit(&f.Values[n.Value])
			}
			for _, sub := range n.Regions {
				walk(sub)
			}
		}
	}
	walk(0)
}

func collect(f *ir.Function) *uses {
	u := &uses{tex: make([]texUse, len(f.Resources)), samp: make([]sampUse, len(f.Resources))}
	type pair struct {
		res, samp int32
		compare   bool
	}
	var pairs []pair
	Reachable(f, func(v *ir.Value) {
		if v.Res < 0 || int(v.Res) >= len(f.Resources) {
			return
		}
		t := &u.tex[v.Res]
		switch v.Op {
		case ir.OpSample, ir.OpSampleLevel, ir.OpGather, ir.OpGatherOffset:
			t.plain = true
		case ir.OpSampleBias, ir.OpSampleGrad:
			t.plain, t.noDepth = true, true
		case ir.OpSampleCmp, ir.OpSampleCmpZero, ir.OpGatherCmp, ir.OpGatherOffsetCmp:
			t.compared = true
		case ir.OpAtomic:
			t.atomic = true
			return
		default:
			return
		}
		if v.Samp >= 0 && int(v.Samp) < len(f.Resources) {
			compare := v.Op == ir.OpSampleCmp || v.Op == ir.OpSampleCmpZero || v.Op == ir.OpGatherCmp || v.Op == ir.OpGatherOffsetCmp
			pairs = append(pairs, pair{v.Res, v.Samp, compare})
		}
	})
	for _, p := range pairs {
		s := &u.samp[p.samp]
		switch {
		case p.compare:
			s.comparison = true
		case u.tex[p.res].compared || sampleKind(&f.Resources[p.res]) != "f32":
			s.nonFiltering = true
		default:
			s.filtering = true
		}
	}
	return u
}

// sampleKind is the WGSL component type that the resource returns, empty when
// WGSL has none for it.
func sampleKind(r *ir.Resource) string {
	k := ""
	for i, t := range r.Return {
		var c string
		switch t {
		case dxbc.RetUnorm, dxbc.RetSnorm, dxbc.RetFloat:
			c = "f32"
		case dxbc.RetSint:
			c = "i32"
		case dxbc.RetUint:
			c = "u32"
		case dxbc.RetNone, dxbc.RetUnused, dxbc.RetContinued:
			if i > 0 {
				continue
			}
		}
		if i > 0 && c != k {
			return ""
		}
		k = c
	}
	return k
}

// Components is the number of components that RDEF gives the resource's return
// type, 0 where the program has no RDEF or RDEF does not know the resource.
func Components(f *ir.Function, r *ir.Resource) int {
	if f.Shader == nil || f.Shader.RDEF == nil {
		return 0
	}
	for i := range f.Shader.RDEF.Bindings {
		b := &f.Shader.RDEF.Bindings[i]
		uav := b.Type >= dxbc.InputUAVTyped && b.Type != dxbc.InputStructured && b.Type != dxbc.InputByteAddress
		if b.Type != dxbc.InputTexture && b.Type != dxbc.InputUAVTyped || uav != (r.Class == ir.UAV) || b.Space != r.Space {
			continue
		}
		if r.Register >= b.Bind && (b.Count == 0 || r.Register-b.Bind < b.Count) {
			return b.Components()
		}
	}
	return 0
}
