package layout

import (
	"maps"
	"slices"

	"fxlens/core/dxbc"
)

// limitDefaults are the per-stage counts of a device that asked for nothing
// (WebGPU specification, section 3.6.2).
var limitDefaults = []struct {
	name    string
	allowed int
	what    string
}{
	{"maxUniformBuffersPerShaderStage", 12, "constant buffers"},
	{"maxSampledTexturesPerShaderStage", 16, "sampled textures"},
	{"maxSamplersPerShaderStage", 16, "samplers"},
	{"maxStorageBuffersPerShaderStage", 8, "storage buffers"},
	{"maxStorageTexturesPerShaderStage", 4, "storage textures"},
	{"maxUniformBufferBindingSize", 65536, "bytes of one constant buffer"},
	{"maxBindingsPerBindGroup", 1000, "bindings of one group"},
}

// limits counts what the stage needs and records what exceeds the defaults.
func (p *planner) limits(s Stage) {
	var n [7]int
	var group [4]int
	for i := range p.plan.Bindings {
		b := &p.plan.Bindings[i]
		group[b.Group] = max(group[b.Group]+1, b.Binding+1)
		n[6] = max(n[6], group[b.Group])
		if !slices.Contains(b.Visibility, s) {
			continue
		}
		switch {
		case b.Sampler != nil:
			n[2]++
		case b.Texture != nil:
			n[1]++
		case b.Storage != nil:
			n[4]++
		case b.Buffer.Type == "uniform":
			n[0]++
			n[5] = max(n[5], b.Buffer.MinBindingSize)
		default:
			n[3]++
		}
	}
	for i, l := range limitDefaults {
		if n[i] <= l.allowed {
			continue
		}
		if p.plan.Limits[s] == nil {
			p.plan.Limits[s] = map[string]int{}
		}
		p.plan.Limits[s][l.name] = n[i]
		p.beyond(s, -1, "needs %d %s (%s), the default is %d", n[i], l.what, l.name, l.allowed)
	}
}

// linear collects the varyings that the pixel program interpolates without
// perspective.
func (p *planner) linear(s StageInput) {
	if s.Stage != Fragment {
		return
	}
	set := map[uint32]bool{}
	for i := range s.Func.Inputs {
		in := &s.Func.Inputs[i]
		switch in.Interp {
		case dxbc.InterpLinearNoPerspective, dxbc.InterpLinearNoPerspectiveCentroid, dxbc.InterpLinearNoPerspectiveSample:
			if in.SysValue != dxbc.SysPosition && in.Register != dxbc.NoRegister {
				set[in.Register] = true
			}
		}
	}
	p.plan.Linear = slices.Sorted(maps.Keys(set))
}
