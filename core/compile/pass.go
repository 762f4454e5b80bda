package compile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

var (
	codeUndecodable = diag.Register(diag.Info{
		Code:   "compile.undecodable",
		Title:  "the program of a stage cannot be decoded",
		Rule:   "a stage is a DXBC container with a SHDR or SHEX program of shader model 4.0 to 5.1",
		Remedy: "compile the effect for Direct3D 11, or take the file from its source again",
	})
	codeNoCounterpart = diag.Register(diag.Info{
		Code:   "compile.no-stage",
		Title:  "a stage that WebGPU does not have",
		Rule:   "WebGPU has vertex, fragment and compute stages; geometry, hull and domain stages have no counterpart, and a pass is emitted whole or not at all",
		Remedy: "none: draw without the stage, or do its work in a compute pass",
	})
	codeStageKind = diag.Register(diag.Info{
		Code:   "compile.stage-kind",
		Title:  "the program is of another kind than its stage",
		Rule:   "an effect names the kind of each stage, and the program's version token names its own; they agree in every file that the engine's compiler writes",
		Remedy: "take the effect from its source again: the container and the program contradict each other",
	})
	codeThreadGroup = diag.Register(diag.Info{
		Code:   "compile.thread-group",
		Title:  "the container and the program declare different thread groups",
		Rule:   "the size of a thread group stands in the effect and in dcl_thread_group; the program's counts",
		Remedy: "compile the effect again",
	})
	codeProof = diag.Register(diag.Info{
		Code:   "compile.view-proof",
		Title:  "view format proved by a program",
		Rule:   "D3D allows an atomic on a typed buffer only through a view of one 32-bit integer channel; it loads from typed UAVs only through R32_FLOAT, R32_UINT and R32_SINT unless the program asks for more formats (SFI0); and passes that bind one parameter share its view",
		Remedy: "none needed; --view overrides the proof",
	})
	codeTwice = diag.Register(diag.Info{
		Code:   "compile.stage-twice",
		Title:  "a pass has two stages of one kind",
		Rule:   "a pass has at most one program of each stage kind",
		Remedy: "take the effect from its source again",
	})
)

// BugError is a failure of ours: a panic inside the pipeline.
type BugError struct {
	Key   string // digest of the pass
	Value any
	Stack []byte
}

func (e *BugError) Error() string {
	return fmt.Sprintf("bug in the compiler, pass %s: %v", e.Key, e.Value)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

func (c *Compiler) pass(ctx context.Context, in *PassInput, opt *Options) (*Pass, error) {
	k := key(in.Key(opt, nil))
	for {
		e, mine := c.begin(k)
		if mine {
			e.res, e.err = compilePass(ctx, k, in, opt)
			if e.err != nil {
				c.forget(k)
			}
			close(e.done)
			return e.res, e.err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("compile: %w", ctx.Err())
		case <-e.done:
		}
		if e.err == nil || !errors.Is(e.err, context.Canceled) && !errors.Is(e.err, context.DeadlineExceeded) {
			return e.res, e.err
		}
		// The caller that compiled it was cancelled; this one was not.
	}
}

func compilePass(ctx context.Context, k key, in *PassInput, opt *Options) (p *Pass, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, &BugError{Key: hex.EncodeToString(k[:8]), Value: r, Stack: debug.Stack()}
		}
	}()
	b := &pipeline{ctx: ctx, in: in, opt: opt, pass: &Pass{}}
	return b.run()
}

// pipeline is the compilation of one pass.
type pipeline struct {
	ctx   context.Context
	in    *PassInput
	opt   *Options
	pass  *Pass
	watch func(stage int, name string, f *ir.Function) // sees the function after each phase
}

func (b *pipeline) run() (*Pass, error) {
	p := b.pass
	for i := range b.in.Stages {
		s, err := b.stage(i)
		if err != nil {
			return nil, err
		}
		p.Stages = append(p.Stages, s)
	}
	b.alone()
	if err := b.emit(); err != nil {
		return nil, err
	}
	p.Status = Translated
	for _, s := range p.Stages {
		b.premises(s)
		diag.Sort(s.Diags)
		if s.Status != Translated && (p.Status == Translated || s.Status == NoCounterpart) {
			p.Status = s.Status
		}
	}
	if diag.HasErrors(p.Diags) && p.Status == Translated {
		p.Status = Refused
	}
	return p, nil
}

// stage takes one stage to the end of the SSA phases.
func (b *pipeline) stage(i int) (*Stage, error) {
	in := &b.in.Stages[i]
	s := &Stage{Kind: in.Kind, Status: Refused}
	sh, err := dxbc.Open(in.Program)
	if err != nil {
		s.Status = Undecodable
		s.Diags = append(s.Diags, diag.New(diag.Error, codeUndecodable, diag.Loc{}, "%v", err))
		return s, nil
	}
	s.Shader = sh
	s.Diags = append(s.Diags, sh.Diags...)
	if sh.Program.Kind != in.Kind {
		s.Diags = append(s.Diags, diag.New(diag.Error, codeStageKind, diag.Loc{}, "the container says %s, the program is %s", in.Kind, sh.Program.Kind))
		return s, nil
	}
	switch in.Kind {
	case dxbc.Vertex, dxbc.Pixel, dxbc.Compute:
	default:
		s.Status = NoCounterpart
		s.Diags = append(s.Diags, diag.New(diag.Error, codeNoCounterpart, diag.Loc{}, "%s stages have no counterpart in WebGPU", in.Kind))
		return s, nil
	}
	opts := b.buildOptions(sh)
	f, ds, err := b.ssa(i, sh, opts)
	if err != nil {
		return nil, err
	}
	// A predicated function carries values for threads that no longer take part;
	// what is read undefined is the business of the program as it was written.
	var undefined []diag.Diag
	if f != nil {
		undefined = ir.UndefinedReads(f, b.opt.Strict)
	}
	if f != nil && f.Kind == dxbc.Compute {
		if bad := ir.BarrierFlow(f); bad != nil {
			opts.Predicated = true
			why := bad
			if f, ds, err = b.ssa(i, sh, opts); err != nil {
				return nil, err
			}
			ds = append(ds, ir.PredicatedNote(why))
			if f != nil {
				if bad := ir.BarrierFlow(f); bad != nil {
					ds = append(ds, *bad)
				}
			}
		}
	}
	s.Diags = append(s.Diags, ds...)
	if f == nil {
		return s, nil
	}
	s.Diags = append(s.Diags, ir.Adaptations(sh.Program)...)
	s.Diags = append(s.Diags, ir.ChosenDerivatives(f)...)
	if in.ThreadGroup != [3]uint32{} && in.ThreadGroup != f.ThreadGroup && in.Kind == dxbc.Compute {
		s.Diags = append(s.Diags, diag.New(diag.Warning, codeThreadGroup, diag.Loc{}, "the container says %v, the program %v", in.ThreadGroup, f.ThreadGroup))
	}
	s.Func = f
	b.views(s, f)
	s.Diags = append(s.Diags, undefined...)
	if !diag.HasErrors(s.Diags) {
		s.Status = Translated // until a later phase refuses it
	}
	return s, nil
}

// ssa builds the function of a stage and runs the phases.
func (b *pipeline) ssa(i int, sh *dxbc.Shader, opts ir.BuildOptions) (*ir.Function, []diag.Diag, error) {
	f, ds, err := ir.Build(b.ctx, sh, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("compile: %w", err)
	}
	if f == nil {
		return nil, ds, nil
	}
	b.name(f, &b.in.Stages[i].Names)
	see := func(name string) {
		if b.watch != nil {
			b.watch(i, name, f)
		}
	}
	see("build")
	for _, ph := range ir.Phases {
		if err := b.ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("compile: %s: %w", ph.Name, err)
		}
		ph.Run(f)
		see(ph.Name)
	}
	ds = append(ds, ir.SettleBarriers(f)...)
	if d := ir.EndlessLoop(f); d != nil {
		ds = append(ds, *d)
	}
	see("barriers")
	return f, ds, nil
}

func (b *pipeline) buildOptions(s *dxbc.Shader) ir.BuildOptions {
	if c := b.class(s); c != nil {
		return ir.BuildOptions{Classes: c}
	}
	return ir.BuildOptions{}
}

// name gives the resources the container's names where RDEF, which the engine
// strips, has none.
func (b *pipeline) name(f *ir.Function, n *Names) {
	f.Constants = n.Constants
	for i := range f.Resources {
		r := &f.Resources[i]
		var name string
		switch r.Class {
		case ir.SRV:
			name = n.Textures[r.Register]
		case ir.Sampler:
			name = n.Samplers[r.Register]
		case ir.UAV, ir.Counter:
			name = n.UAVs[r.Register]
		}
		if name != "" {
			r.Name = name
		}
	}
}

// views looks up the bound-view formats of typed buffers and UAV textures. A key
// is "ps/t3" or "t3", the more exact one first; "*" with the value "auto" assumes
// the likeliest format for the typed buffers that no key names and no atomic proves.
func (b *pipeline) views(s *Stage, f *ir.Function) {
	for i := range f.Resources {
		r := &f.Resources[i]
		if r.Class != ir.SRV && r.Class != ir.UAV {
			continue
		}
		reg := fmt.Sprintf("t%d", r.Register)
		if r.Class == ir.UAV {
			reg = fmt.Sprintf("u%d", r.Register)
		}
		v, ok := b.opt.Views[f.Kind.String()+"/"+reg]
		if !ok {
			v, ok = b.opt.Views[reg]
		}
		switch {
		case ok && v != "auto":
			r.Format, r.FormatFrom = v, "flag"
		case b.loadProof(s, f, r):
		case r.Dim == dxbc.DimBuffer && !r.Atomic && b.proved(s, r):
		case r.Dim == dxbc.DimBuffer && !r.Atomic && (v == "auto" || !ok && b.opt.Views["*"] == "auto"):
			r.Format, r.FormatFrom = layout.AssumedFormat(r.Return[0], layout.Components(f, r)), "assumed"
		}
	}
}

// loadProof takes the format that a load from a typed UAV proves.
func (b *pipeline) loadProof(s *Stage, f *ir.Function, r *ir.Resource) bool {
	if r.Class != ir.UAV || !r.Read || r.Atomic || r.Dim == dxbc.DimRawBuffer || r.Dim == dxbc.DimStructuredBuffer {
		return false
	}
	format := layout.LoadFormat(s.Shader, r.Return[0], layout.Components(f, r))
	if format == "" {
		return false
	}
	r.Format, r.FormatFrom = format, "proof"
	s.Diags = append(s.Diags, diag.New(diag.Note, codeProof, diag.At(int(r.Instr)), "%s is a view of %s: the program loads from it and asks for no further formats", r.Symbol(), format))
	return true
}

// proved takes the format that another pass proves for the parameter.
func (b *pipeline) proved(s *Stage, r *ir.Resource) bool {
	p, ok := b.in.Proofs[r.Name]
	if !ok || r.Name == "" || (r.Kind() == ir.F32) != (p.Format == "R32_FLOAT") {
		return false
	}
	r.Format, r.FormatFrom = p.Format, "proof"
	if r.Kind() == ir.I32 {
		r.Format = "R32_SINT"
	}
	s.Diags = append(s.Diags, diag.New(diag.Note, codeProof, diag.At(int(r.Instr)), "%q is a view of %s: %s proves it", r.Name, r.Format, p.Evidence))
	return true
}

// alone refuses passes with two stages of a kind: one binding plan cannot serve both.
func (b *pipeline) alone() {
	for i, s := range b.pass.Stages {
		if slices.ContainsFunc(b.pass.Stages[:i], func(o *Stage) bool { return o.Kind == s.Kind }) {
			s.Diags = append(s.Diags, diag.New(diag.Error, codeTwice, diag.Loc{}, "second %s stage of the pass", s.Kind))
			s.Status = Refused
		}
	}
}

// emit plans the bindings of what is left to translate, links it and emits it.
func (b *pipeline) emit() error {
	p := b.pass
	var inputs []layout.StageInput
	var vs, ps *ir.Function
	gap := false // a stage between vertex and pixel that WebGPU lacks
	for _, s := range p.Stages {
		gap = gap || s.Status == NoCounterpart
		if s.Status != Translated {
			continue
		}
		stage, _ := layout.StageOf(s.Kind) // stage let no other kind through
		inputs = append(inputs, layout.StageInput{Stage: stage, Func: s.Func})
		switch s.Kind {
		case dxbc.Vertex:
			vs = s.Func
		case dxbc.Pixel:
			ps = s.Func
		}
	}
	if len(inputs) == 0 {
		return nil
	}
	lo := layout.Options{Strict: b.opt.Strict, DefaultLimits: b.opt.Limits}
	if b.opt.Transforms && ps != nil {
		tr, ds := layout.DetailMaps(ps, b.in.Textures, b.in.LayoutKey)
		b.route(ds)
		if tr != nil {
			lo.Transforms = append(lo.Transforms, tr)
		}
	}
	plan, ds := layout.New(inputs, lo)
	b.route(ds)
	p.Plan = plan
	if plan == nil {
		b.planAlone()
		return nil
	}
	links := map[dxbc.ProgramKind]*wgsl.Link{}
	if gap || vs == nil || ps == nil {
		if vs != nil {
			l, ds := wgsl.LinkStages(vs, nil)
			b.route(ds)
			links[dxbc.Vertex] = l
		}
		if ps != nil {
			l, ds := wgsl.LinkStages(nil, ps)
			b.route(ds)
			links[dxbc.Pixel] = l
		}
	} else {
		l, ds := wgsl.LinkStages(vs, ps)
		b.route(ds)
		links[dxbc.Vertex], links[dxbc.Pixel] = l, l
		p.Link = l
	}
	for _, s := range p.Stages {
		if s.Status != Translated {
			continue
		}
		if err := b.ctx.Err(); err != nil {
			return fmt.Errorf("compile: emit: %w", err)
		}
		l := links[s.Kind]
		if l == nil {
			l = &wgsl.Link{}
		}
		m, ds := wgsl.Emit(s.Func, plan, l, b.opt.Options)
		s.Diags = append(s.Diags, ds...)
		s.Module = m
		if m == nil {
			s.Status = Refused
		}
	}
	return nil
}

// planAlone marks as refused the stages that stopped the plan; when no stage is
// at fault by itself, all are.
func (b *pipeline) planAlone() {
	any := false
	for _, s := range b.pass.Stages {
		if s.Status == Translated && diag.HasErrors(s.Diags) {
			s.Status = Refused
			any = true
		}
	}
	if any {
		// The others may still be shown: plan again without the refused ones.
		if err := b.emit(); err == nil {
			return
		}
	}
	for _, s := range b.pass.Stages {
		if s.Status == Translated && s.Module == nil {
			s.Status = Refused
		}
	}
}

// route gives each diagnostic to the stage that it names, or to the pass.
func (b *pipeline) route(ds []diag.Diag) {
	for _, d := range ds {
		at := slices.IndexFunc(b.pass.Stages, func(s *Stage) bool { return s.Kind.String() == d.At.Stage })
		if at < 0 {
			b.pass.Diags = append(b.pass.Diags, d)
			continue
		}
		s := b.pass.Stages[at]
		s.Diags = append(s.Diags, d)
		if d.Sev == diag.Error && s.Status == Translated && b.pass.Plan != nil {
			s.Status = Refused
		}
	}
}

func (c *Compiler) phases(ctx context.Context, in *PassInput, stage int, opt *Options) (out []Phase, err error) {
	defer func() {
		if r := recover(); r != nil {
			sum := sha256.Sum256(in.Stages[stage].Program)
			out, err = nil, &BugError{Key: hex.EncodeToString(sum[:8]), Value: r, Stack: debug.Stack()}
		}
	}()
	b := &pipeline{ctx: ctx, in: in, opt: opt, pass: &Pass{}}
	b.watch = func(i int, name string, f *ir.Function) {
		snap := f.Clone()
		p := Phase{Name: name, Func: snap}
		snap.Walk(func(n ir.NodeID) {
			p.Nodes++
			if snap.Nodes[n].Kind == ir.NodeValue {
				p.Values++
			}
		})
		out = append(out, p)
	}
	if stage < 0 || stage >= len(in.Stages) {
		return nil, fmt.Errorf("compile: stage %d of %d", stage, len(in.Stages))
	}
	_, err = b.stage(stage)
	return out, err
}
