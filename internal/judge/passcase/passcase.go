// Package passcase turns compiled passes into cases for the judge: modules, the
// planned layout, and a pipeline whose vertex buffers and targets fit them.
package passcase

import (
	"maps"
	"slices"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// Of returns the cases of a pass: one, or one for each stage where a stage that
// WebGPU lacks stands between them. A stage without a module is left out.
func Of(id string, p *compile.Pass) []judge.Case {
	if !slices.ContainsFunc(p.Stages, func(s *compile.Stage) bool { return s.Status == compile.NoCounterpart }) {
		return one(id, p, p.Stages)
	}
	var out []judge.Case
	for _, s := range p.Stages {
		out = append(out, one(id+"/"+s.Kind.String(), p, []*compile.Stage{s})...)
	}
	return out
}

func one(id string, p *compile.Pass, from []*compile.Stage) []judge.Case {
	c := judge.Case{ID: id, Limits: map[string]uint64{}}
	features := map[string]bool{}
	pipe := &judge.Pipeline{}
	var stages []layout.Stage
	for _, s := range from {
		m := s.Module
		if m == nil {
			continue
		}
		stages = append(stages, m.Stage)
		c.Modules = append(c.Modules, judge.Module{Stage: m.Stage.String(), EntryPoint: m.EntryPoint, Code: m.Code})
		for _, f := range m.Requires.Features {
			features[f] = true
		}
		for k, v := range m.Requires.Limits {
			c.Limits[k] = max(c.Limits[k], uint64(v))
		}
	}
	for _, s := range from {
		m := s.Module
		if m == nil {
			continue
		}
		switch m.Stage {
		case layout.Vertex:
			pipe.Buffers = attributes(m)
			if len(stages) == 1 {
				pipe.DepthStencil = &judge.DepthStencil{Format: "depth24plus", DepthWriteEnabled: true, DepthCompare: "always"}
			}
		case layout.Fragment:
			fragment(m, pipe, len(stages) == 1)
		}
	}
	if len(c.Modules) == 0 {
		return nil
	}
	c.Pipeline = pipe
	c.Features = slices.Sorted(maps.Keys(features))
	c.Layout = entries(p.Plan, stages)
	return []judge.Case{c}
}

func entries(p *layout.Plan, stages []layout.Stage) [][]judge.Entry {
	out := [][]judge.Entry{}
	if p == nil {
		return out
	}
	for i := range p.Bindings {
		b := &p.Bindings[i]
		e := judge.Entry{Binding: b.Binding}
		for _, v := range b.Visibility {
			if slices.Contains(stages, v) {
				e.Visibility = append(e.Visibility, v.String())
			}
		}
		if len(e.Visibility) == 0 {
			continue
		}
		if b.Buffer != nil {
			e.Buffer = &judge.BufferLayout{Type: b.Buffer.Type, HasDynamicOffset: b.Buffer.HasDynamicOffset, MinBindingSize: uint64(b.Buffer.MinBindingSize)}
		}
		if b.Texture != nil {
			e.Texture = &judge.TextureLayout{SampleType: b.Texture.SampleType, ViewDimension: b.Texture.ViewDimension, Multisampled: b.Texture.Multisampled}
		}
		if b.Sampler != nil {
			e.Sampler = &judge.SamplerLayout{Type: b.Sampler.Type}
		}
		if b.Storage != nil {
			e.StorageTexture = &judge.StorageTextureLayout{Access: b.Storage.Access, Format: b.Storage.Format, ViewDimension: b.Storage.ViewDimension}
		}
		for len(out) <= b.Group {
			out = append(out, []judge.Entry{})
		}
		out[b.Group] = append(out[b.Group], e)
	}
	return out
}

// shape splits a WGSL type of a location into scalar and width.
func shape(t string) (scalar string, n string) {
	if rest, ok := strings.CutPrefix(t, "vec"); ok && len(rest) > 3 {
		return rest[2 : len(rest)-1], "x" + rest[:1]
	}
	return t, ""
}

func attributes(m *wgsl.Module) []judge.VertexBuffer {
	seen := map[int]bool{}
	var b judge.VertexBuffer
	for _, io := range m.IO {
		if io.Direction != "in" || io.Location == nil || seen[*io.Location] {
			continue
		}
		seen[*io.Location] = true
		scalar, n := shape(io.Type)
		base := map[string]string{"f32": "float32", "i32": "sint32", "u32": "uint32"}[scalar]
		b.Attributes = append(b.Attributes, judge.Attribute{Format: base + n, Offset: b.ArrayStride, ShaderLocation: *io.Location})
		b.ArrayStride += 16
	}
	if len(b.Attributes) == 0 {
		return nil
	}
	return []judge.VertexBuffer{b}
}

func fragment(m *wgsl.Module, pipe *judge.Pipeline, alone bool) {
	last := -1
	targets := map[int]string{}
	seen := map[int]bool{}
	for _, io := range m.IO {
		switch {
		case io.Direction == "out" && io.Location != nil:
			scalar, _ := shape(io.Type)
			targets[*io.Location] = map[string]string{"f32": "r8unorm", "i32": "r8sint", "u32": "r8uint"}[scalar]
			last = max(last, *io.Location)
		case io.Direction == "out" && strings.HasPrefix(io.Builtin, "frag_depth"):
			pipe.DepthStencil = &judge.DepthStencil{Format: "depth24plus", DepthWriteEnabled: true, DepthCompare: "always"}
		case io.Direction == "in" && io.Location != nil && alone && !seen[*io.Location]:
			seen[*io.Location] = true
			pipe.Varyings = append(pipe.Varyings, judge.Varying{Location: *io.Location, Type: io.Type, Interpolate: io.Interpolation})
		}
	}
	for i := 0; i <= last; i++ {
		f, ok := targets[i]
		if !ok {
			zero := uint(0)
			pipe.Targets = append(pipe.Targets, judge.Target{Format: "r8unorm", WriteMask: &zero})
			continue
		}
		pipe.Targets = append(pipe.Targets, judge.Target{Format: f})
	}
	if len(pipe.Targets) == 0 && pipe.DepthStencil == nil {
		pipe.DepthStencil = &judge.DepthStencil{Format: "depth24plus", DepthWriteEnabled: true, DepthCompare: "always"}
	}
}
