package trial

import (
	"context"
	"fmt"
	"slices"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// Stage is one stage with those of its forms that can be executed: its program always,
// the others where it was translated as far as that.
type Stage struct {
	Name   string
	Shader *dxbc.Shader
	Prog   *interp.Program
	Func   *ir.Function // nil where the stage did not reach the intermediate form
	Module *wgsl.Module // nil where the stage is not translated
	Plan   *layout.Plan // of the pass, where Module is not nil
	// Refused says why there is no Module; empty where there is one.
	Refused string

	decl  *ir.Function // Func, or what the program declares
	bound []binding
	io    []wgsl.IO // what the stage puts out
	facts *facts
}

// binding is a resource of a stage and how it is bound.
type binding struct {
	*layout.Binding
	res *ir.Resource
}

// Stages returns the translated stages of a compiled pass.
func Stages(name string, p *compile.Pass) ([]*Stage, error) {
	var out []*Stage
	for _, s := range p.Stages {
		if s.Module == nil || s.Status != compile.Translated {
			continue
		}
		st, err := StageOf(name, p, s)
		if err != nil {
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// StageOf returns one stage of a compiled pass, translated or not. It fails where the
// interpreter does not run its program.
func StageOf(name string, p *compile.Pass, s *compile.Stage) (*Stage, error) {
	if why := NotExecuted(s); why != "" {
		return nil, fmt.Errorf("%s: %w: %s", name, interp.ErrUnsupported, why)
	}
	prog, err := interp.Compile(s.Shader, interp.CompileOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &Stage{Name: name + "/" + s.Kind.String(), Shader: s.Shader, Func: s.Func, Prog: prog, decl: s.Func, facts: infer(s.Shader)}
	if out.decl == nil {
		out.decl = ir.Declarations(context.Background(), s.Shader)
	}
	if s.Module == nil || s.Status != compile.Translated || p.Plan == nil {
		out.Refused = refusal(p, s)
		out.bound, out.io = declared(out.decl), declaredOutputs(out.decl)
		return out, nil
	}
	out.Module, out.Plan, out.io = s.Module, p.Plan, outputs(s.Module)
	for i := range p.Plan.Bindings {
		b := &p.Plan.Bindings[i]
		if ri := b.Resources[s.Module.Stage]; ri >= 0 && out.visible(b) {
			out.bound = append(out.bound, binding{b, &s.Func.Resources[ri]})
		}
	}
	return out, nil
}

// NotExecuted says why no executor of ours runs a stage: its program cannot be decoded,
// or is of a kind that does not run by itself. It is empty where one may.
func NotExecuted(s *compile.Stage) string {
	if s.Shader == nil || s.Shader.Program == nil {
		return "the program cannot be decoded" + because(s.Diags)
	}
	if k := s.Shader.Program.Kind; !slices.Contains([]dxbc.ProgramKind{dxbc.Vertex, dxbc.Pixel, dxbc.Compute}, k) {
		return fmt.Sprintf("a %s program does not run by itself: inputs are made for vertex, pixel and compute programs", k.Long())
	}
	return ""
}

// refusal says why a stage has no WGSL.
func refusal(p *compile.Pass, s *compile.Stage) string {
	for _, ds := range [][]diag.Diag{s.Diags, p.Diags} {
		if why := because(ds); why != "" {
			return "the stage has no WGSL" + why
		}
	}
	return "the stage has no WGSL: a pass is translated whole or not at all, and another stage of it is refused"
}

// because is the first error of a list, as the end of a sentence.
func because(ds []diag.Diag) string {
	for i := range ds {
		if d := &ds[i]; d.Sev == diag.Error {
			return fmt.Sprintf(": %s (%s)", d.Text, d.Code)
		}
	}
	return ""
}

// kind is the WebGPU stage that the program's kind would be.
func (s *Stage) kind() layout.Stage {
	k, _ := layout.StageOf(s.Shader.Program.Kind)
	return k
}

// visible reports whether the stage sees a binding.
func (s *Stage) visible(b *layout.Binding) bool { return slices.Contains(b.Visibility, s.Module.Stage) }

// declared binds what a program declares without the plan of a pass: every resource as
// its declaration allows, typed buffers and UAV textures with the full format of their
// return type.
func declared(f *ir.Function) []binding {
	var out []binding
	add := func(r *ir.Resource, b layout.Binding) {
		b.Register, b.Space = r.Register, r.Space
		out = append(out, binding{&b, r})
	}
	type at struct {
		class       ir.Class
		space, slot uint32
	}
	seen := map[at]bool{} // an unbounded range may name a register of another one
	compared := comparedTextures(f.Program)
	counted := map[uint32]bool{}
	for i := range f.Program.Instrs {
		switch in := &f.Program.Instrs[i]; in.Op {
		case dxbc.OpImmAtomicAlloc, dxbc.OpImmAtomicConsume:
			for k := range in.Operands {
				if o := &in.Operands[k]; o.Reg == dxbc.RegUAV {
					counted[o.Index(0).Imm] = true
				}
			}
		}
	}
	hasCounter := map[at]bool{}
	for i := range f.Resources {
		if r := &f.Resources[i]; r.Class == ir.Counter {
			hasCounter[at{ir.UAV, r.Space, r.Register}] = true
		}
	}
	filtering := "filtering" // integers are not filtered
	for i := range f.Resources {
		if r := &f.Resources[i]; r.Class == ir.SRV && r.Dim != dxbc.DimBuffer && (r.Return[0] == dxbc.RetUint || r.Return[0] == dxbc.RetSint) {
			filtering = "non-filtering"
		}
	}
	for i := range f.Resources {
		r := &f.Resources[i]
		key := at{r.Class, r.Space, r.Register}
		if seen[key] {
			continue
		}
		seen[key] = true
		buffer := r.Dim == dxbc.DimBuffer || r.Dim == dxbc.DimRawBuffer || r.Dim == dxbc.DimStructuredBuffer
		format := r.Format
		if format == "" {
			format = layout.AssumedFormat(r.Return[0], layout.Components(f, r))
		}
		sample := "float"
		switch r.Return[0] {
		case dxbc.RetUint:
			sample = "uint"
		case dxbc.RetSint:
			sample = "sint"
		default:
			if compared[r.RangeID] {
				sample = "depth"
			}
		}
		switch {
		case r.Class == ir.CBuffer:
			rows := r.Size
			if rows == 0 || rows > 4096 {
				rows = 4096
			}
			add(r, layout.Binding{Kind: layout.UniformBuffer, Buffer: &layout.Buffer{MinBindingSize: int(rows) * 16}})
		case r.Class == ir.Sampler:
			add(r, layout.Binding{Kind: layout.Sampler, Sampler: &layout.SamplerState{Type: filtering}})
		case r.Class == ir.SRV && buffer:
			add(r, layout.Binding{Kind: layout.SampledResource, Format: format, Buffer: &layout.Buffer{}})
		case r.Class == ir.SRV:
			ms := r.Dim == dxbc.DimTexture2DMS || r.Dim == dxbc.DimTexture2DMSArray
			add(r, layout.Binding{Kind: layout.SampledResource, Texture: &layout.Texture{SampleType: sample, Multisampled: ms}})
		case r.Class == ir.UAV && buffer:
			add(r, layout.Binding{Kind: layout.StorageResource, Format: format, Buffer: &layout.Buffer{}})
			if counted[r.RangeID] && !hasCounter[key] {
				add(r, layout.Binding{Kind: layout.UAVCounter, Buffer: &layout.Buffer{}})
			}
		case r.Class == ir.UAV:
			add(r, layout.Binding{Kind: layout.StorageResource, Format: format, Storage: &layout.StorageTexture{}})
		case r.Class == ir.Counter:
			add(r, layout.Binding{Kind: layout.UAVCounter, Buffer: &layout.Buffer{}})
		}
	}
	return out
}

// comparedTextures has the t# ranges that a program samples with comparison.
func comparedTextures(p *dxbc.Program) map[uint32]bool {
	out := map[uint32]bool{}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		switch in.Op {
		case dxbc.OpSampleC, dxbc.OpSampleCLz, dxbc.OpGather4C, dxbc.OpGather4PoC, dxbc.OpSampleCClS, dxbc.OpSampleCLzS, dxbc.OpGather4CS, dxbc.OpGather4PoCS:
			for k := range in.Operands {
				if o := &in.Operands[k]; o.Reg == dxbc.RegResource {
					out[o.Index(0).Imm] = true
				}
			}
		}
	}
	return out
}

// declaredOutputs lists the outputs of a stage that has no module, in the names of its
// registers.
func declaredOutputs(f *ir.Function) []wgsl.IO {
	var out []wgsl.IO
	for i := range f.Outputs {
		e := &f.Outputs[i]
		x := wgsl.IO{Direction: "out", Semantic: e.Semantic, Index: e.Index, Register: e.Register, Type: "f32"}
		n := 0
		for k := range 4 {
			if e.Mask>>k&1 != 0 {
				x.Mask += "xyzw"[k : k+1]
				n++
			}
		}
		switch e.CompType {
		case 1:
			x.Type = "u32"
		case 2:
			x.Type = "i32"
		}
		switch {
		case e.RegType == dxbc.RegOutput && e.Register != dxbc.NoRegister:
			x.Builtin = fmt.Sprintf("o%d.%s", e.Register, x.Mask)
			if n > 1 {
				x.Type = fmt.Sprintf("vec%d<%s>", n, x.Type)
			}
		case slices.Contains([]dxbc.RegType{dxbc.RegOutputDepth, dxbc.RegOutputDepthGE, dxbc.RegOutputDepthLE}, e.RegType):
			x.Builtin, x.Register = "frag_depth", dxbc.NoRegister
		case e.RegType == dxbc.RegOutputCoverageMask:
			x.Builtin, x.Register, x.Type = "sample_mask", dxbc.NoRegister, "u32"
		default:
			continue
		}
		out = append(out, x)
	}
	return out
}

// noWGSL is why the stage has no module, as an error.
func (s *Stage) noWGSL() error {
	if s.Module == nil {
		return unavailable("%s", s.Refused)
	}
	return nil
}
