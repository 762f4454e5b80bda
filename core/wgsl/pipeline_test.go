package wgsl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
)

// stageNames are the stages as the judge calls them.
var stageNames = map[layout.Stage]string{layout.Vertex: judge.Vertex, layout.Fragment: judge.Fragment, layout.Compute: judge.Compute}

// entries is a plan as GPUBindGroupLayoutEntries.
func entries(p *layout.Plan) [][]judge.Entry {
	out := [][]judge.Entry{}
	for i := range p.Bindings {
		b := &p.Bindings[i]
		for len(out) <= b.Group {
			out = append(out, nil)
		}
		e := judge.Entry{Binding: b.Binding}
		for _, s := range b.Visibility {
			e.Visibility = append(e.Visibility, s.String())
		}
		switch {
		case b.Buffer != nil:
			e.Buffer = &judge.BufferLayout{Type: b.Buffer.Type, MinBindingSize: uint64(b.Buffer.MinBindingSize)}
		case b.Texture != nil:
			e.Texture = &judge.TextureLayout{SampleType: b.Texture.SampleType, ViewDimension: b.Texture.ViewDimension, Multisampled: b.Texture.Multisampled}
		case b.Sampler != nil:
			e.Sampler = &judge.SamplerLayout{Type: b.Sampler.Type}
		case b.Storage != nil:
			e.StorageTexture = &judge.StorageTextureLayout{Access: b.Storage.Access, Format: b.Storage.Format, ViewDimension: b.Storage.ViewDimension}
		}
		out[b.Group] = append(out[b.Group], e)
	}
	return out
}

// components is the number of components of a WGSL scalar or vector type.
func components(t string) int {
	if strings.HasPrefix(t, "vec") {
		return int(t[3] - '0')
	}
	return 1
}

// pipelineOf is the state around modules, from what they say of their interface.
func pipelineOf(mods ...*wgsl.Module) *judge.Pipeline {
	p := &judge.Pipeline{}
	for _, m := range mods {
		seen := map[int]bool{}
		for _, io := range m.IO {
			if io.Location == nil || seen[*io.Location] {
				continue
			}
			seen[*io.Location] = true
			scalar := map[bool]string{true: "uint32", false: "float32"}[strings.Contains(io.Type, "u32")]
			if strings.Contains(io.Type, "i32") {
				scalar = "sint32"
			}
			switch {
			case m.Stage == layout.Vertex && io.Direction == "in":
				format := scalar
				if n := components(io.Type); n > 1 {
					format = fmt.Sprintf("%sx%d", scalar, n)
				}
				if len(p.Buffers) == 0 {
					p.Buffers = []judge.VertexBuffer{{}}
				}
				b := &p.Buffers[0]
				b.Attributes = append(b.Attributes, judge.Attribute{Format: format, Offset: b.ArrayStride, ShaderLocation: *io.Location})
				b.ArrayStride += 16
			case m.Stage == layout.Fragment && io.Direction == "out":
				for len(p.Targets) <= *io.Location {
					p.Targets = append(p.Targets, judge.Target{})
				}
				p.Targets[*io.Location].Format = map[string]string{"uint32": "r8uint", "sint32": "r8sint", "float32": "r8unorm"}[scalar]
			case m.Stage == layout.Fragment && len(mods) == 1:
				p.Varyings = append(p.Varyings, judge.Varying{Location: *io.Location, Type: io.Type, Interpolate: io.Interpolation})
			}
		}
	}
	return p
}

// caseOf is the question whether modules form a pipeline with a plan.
func caseOf(id string, plan *layout.Plan, mods ...*wgsl.Module) judge.Case {
	c := judge.Case{ID: id, Layout: entries(plan), Pipeline: pipelineOf(mods...), Limits: map[string]uint64{}}
	for _, m := range mods {
		c.Modules = append(c.Modules, judge.Module{Stage: stageNames[m.Stage], EntryPoint: m.EntryPoint, Code: m.Code})
		for _, f := range m.Requires.Features {
			if !slices.Contains(c.Features, f) {
				c.Features = append(c.Features, f)
			}
		}
		for n, v := range m.Requires.Limits {
			c.Limits[n] = max(c.Limits[n], uint64(v))
		}
	}
	return c
}

// build runs the phases on one program; typed buffers without a format get the
// likeliest one.
func build(t testing.TB, s *dxbc.Shader) *ir.Function {
	t.Helper()
	f, _, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	if f == nil {
		return nil
	}
	run := func() {
		for _, p := range ir.Phases {
			p.Run(f)
		}
		ir.SettleBarriers(f)
	}
	run()
	if f.Kind == dxbc.Compute && ir.BarrierFlow(f) != nil {
		f, _, err = ir.Build(context.Background(), s, ir.BuildOptions{Predicated: true})
		require.NoError(t, err)
		require.NotNil(t, f)
		run()
		if ir.BarrierFlow(f) != nil {
			return nil // refused by the compiler, with that reason
		}
	}
	for i := range f.Resources {
		r := &f.Resources[i]
		if r.Dim == dxbc.DimBuffer && r.Format == "" && !r.Atomic {
			r.Format, r.FormatFrom = layout.AssumedFormat(r.Return[0], layout.Components(f, r)), "assumed"
		}
	}
	return f
}

func stage(f *ir.Function) layout.Stage {
	s, _ := layout.StageOf(f.Kind)
	return s
}

// TestPipelines emits every program alone with its own layout and lets Dawn form
// the pipeline: layout, interface and requirements are those that the result names.
func TestPipelines(t *testing.T) {
	var cases []judge.Case
	seen := map[string]bool{}
	refused := map[diag.Code]int{}
	for _, s := range corpus.Shaders(t) {
		name, f := s.Name, build(t, s.Shader)
		if f == nil {
			continue
		}
		plan, ds := layout.New([]layout.StageInput{{Stage: stage(f), Func: f}}, layout.Options{})
		var m *wgsl.Module
		if plan != nil {
			m, ds = wgsl.Emit(f, plan, nil, wgsl.Options{})
		}
		if m == nil {
			require.True(t, diag.HasErrors(ds), name)
			for _, d := range ds {
				if d.Sev == diag.Error {
					refused[d.Code]++
					if refused[d.Code] <= 3 {
						t.Logf("%s: %v", name, d)
					}
				}
			}
			continue
		}
		if seen[m.Code] {
			continue
		}
		seen[m.Code] = true
		cases = append(cases, caseOf(name, plan, m))
	}
	require.NotEmpty(t, cases)
	results := judge.Check(t, cases)
	formed, skipped := 0, map[string]int{}
	for _, r := range results {
		switch {
		case r.Pipeline == "formed":
			formed++
		case r.Skipped != "":
			skipped[r.Skipped]++
		default:
			t.Errorf("%s: no pipeline", r)
		}
	}
	t.Logf("%d modules, %d pipelines formed, not tried %v; refusals %v", len(cases), formed, skipped, refused)
}
