package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// StageInput is one stage of the pass.
type StageInput struct {
	Stage Stage
	Func  *ir.Function
}

// Groups says which bind group a binding gets.
type Groups uint8

// The group policies. The slot is the position inside the group.
const (
	GroupZero    Groups = iota // everything in group 0: what packages of this family have
	GroupByStage               // shared bindings in group 0, then one group a stage
	GroupByKind                // uniform buffers, textures and samplers, storage
)

// Options change the plan. The zero value gives the compatible default.
type Options struct {
	// SharedIdentities lists identities that all stages that declare them see
	// through one binding. Nothing is shared by default: equal registers of two
	// stages never imply one resource.
	SharedIdentities []string
	Groups           Groups
	// Transforms are the rewritten textures of the pass; see DetailMaps.
	Transforms    []*Transform
	DropUnused    bool // leave out what no live operation uses
	Strict        bool // refuse assumed and defaulted view formats
	DefaultLimits bool // refuse what exceeds WebGPU's default limits and features
}

var (
	codeProgram = diag.Register(diag.Info{
		Code: "bind.stages", Title: "stages that cannot be in one pass",
		Rule:   "a pass has one program a stage, and a compute program stands alone (binding-plan.md 4)",
		Remedy: "compile the stages as separate passes",
	})
	codeShared = diag.Register(diag.Info{
		Code: "bind.shared-identity", Title: "identity that cannot be shared",
		Rule:   "a shared identity occurs in at least two stages with equal declarations: kind, symbol, type, stride and layout (binding-plan.md 4)",
		Remedy: "take the identity out of the list of shared ones",
	})
	codeUnbounded = diag.Register(diag.Info{
		Code: "bind.unbounded-range", Title: "unbounded register range",
		Rule:   "WebGPU has no binding arrays, so every register of a range is a binding of its own and their number must be known",
		Remedy: "give the resource array a size in the HLSL",
	})
	codeDuplicate = diag.Register(diag.Info{
		Code: "bind.duplicate", Title: "two declarations of one register",
		Rule:   "a program declares each register of a class and space once (D3D11 functional specification, shader declarations)",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeViewFormat = diag.Register(diag.Info{
		Code: "bind.view-format", Title: "typed buffer without a view format",
		Rule:   "a typed buffer takes element size and conversion from the view that is bound, which the program does not contain",
		Remedy: "give the format: --view t3=FORMAT, a [views] entry in the sidecar file, or --view auto",
	})
	codeFormatUnknown = diag.Register(diag.Info{
		Code: "bind.format-unknown", Title: "view format that has no translation",
		Rule:   "the formats known are those that D3D11 allows for typed buffers and UAV textures and that WGSL can read or store: " + strings.Join(FormatNames(), ", "),
		Remedy: "give one of the formats that `fxlens explain bind.format-unknown` lists",
	})
	codeFormatMismatch = diag.Register(diag.Info{
		Code: "bind.format-mismatch", Title: "view format of another number class",
		Rule:   "a declaration with a float, sint or uint return type takes views of that class only (D3D11 functional specification, typed resources)",
		Remedy: "give a format whose suffix fits the declaration: FLOAT, UNORM or SNORM for float; SINT; UINT",
	})
	codeFormatAssumed = diag.Register(diag.Info{
		Code: "bind.format-assumed", Title: "view format assumed",
		Rule:   "nothing in the program says what view is bound; the format follows from return type and component count",
		Remedy: "confirm or correct it with --view REGISTER=FORMAT; --strict refuses assumptions",
	})
	codeStorageFormat = diag.Register(diag.Info{
		Code: "bind.storage-format", Title: "format that no storage texture can have",
		Rule:   "WebGPU stores to listed texel formats only, and reads and writes in one program only r32uint, r32sint and r32float, with texture-formats-tier2 some more",
		Remedy: "bind a view in another format and name it: --view u0=FORMAT",
	})
	codeDimension = diag.Register(diag.Info{
		Code: "bind.dimension", Title: "resource shape that WebGPU does not have",
		Rule:   "WebGPU has no multisampled texture arrays, no multisampled, cube or one-dimensional-array storage textures and no cube storage views",
		Remedy: "bind the layers one by one, or a 2D array in place of a cube",
	})
	codeFlat = diag.Register(diag.Info{
		Code: "bind.one-dimensional", Title: "one-dimensional texture bound as a 2D one",
		Rule:   "texture_1d has no arrays, mip levels, bias, gradients, offsets or gathers; a 2D texture of height 1 has all of them and gives the same texels",
		Remedy: "create the texture as 2D of height 1, and bind a 2D view",
	})
	codeDepthSampled = diag.Register(diag.Info{
		Code: "bind.depth-sampled", Title: "depth texture read through a non-filtering sampler",
		Rule:   "a texture that is compared is texture_depth_*, and WebGPU filters no depth: reads without comparison take the nearest texel where Direct3D may filter",
		Remedy: "none needed where the sampler does not filter; else filter four loads in the HLSL",
	})
	codeFilterable = diag.Register(diag.Info{
		Code: "bind.filterable", Title: "float textures taken to be filterable",
		Rule:   "a bind group layout says whether a float texture can be filtered, a program does not; 32-bit float formats cannot without the feature float32-filterable (WebGPU specification, texture format capabilities)",
		Remedy: "bind filterable formats, request float32-filterable, or make the entry unfilterable-float with a non-filtering sampler",
	})
	codeReturn = diag.Register(diag.Info{
		Code: "bind.return-type", Title: "return type that WGSL does not have",
		Rule:   "a texture returns f32, i32 or u32, the same in all components",
		Remedy: "declare the resource with one of float, int and uint",
	})
	codeStride = diag.Register(diag.Info{
		Code: "bind.stride", Title: "structure stride that is not a number of words",
		Rule:   "structured buffers have a stride of 4 to 2048 bytes, a multiple of 4 (D3D11 functional specification)",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeVertexStorage = diag.Register(diag.Info{
		Code: "bind.vertex-storage", Title: "writable storage in a vertex program",
		Rule:   "WebGPU lets no vertex program see writable storage (GPUBindGroupLayoutEntry.visibility)",
		Remedy: "write the data in a compute or pixel program",
	})
	codeTextureAtomic = diag.Register(diag.Info{
		Code: "bind.texture-atomic", Title: "atomic on a texture",
		Rule:   "WGSL has atomics in storage and workgroup memory, not on textures",
		Remedy: "use a RWBuffer<uint> or RWByteAddressBuffer for the values that are changed atomically",
	})
	codeOrdered = diag.Register(diag.Info{
		Code: "bind.rasterizer-ordered", Title: "rasterizer ordered view",
		Rule:   "WebGPU gives no order between the invocations of overlapping pixels",
		Remedy: "declare the resource without RasterizerOrdered if the order does not matter, or use blending",
	})
	codeSize = diag.Register(diag.Info{
		Code: "bind.uniform-size", Title: "constant buffer without a size",
		Rule:   "a constant buffer has 1 to 4096 rows of 16 bytes (D3D11 functional specification)",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeLimit = diag.Register(diag.Info{
		Code: "bind.limits", Title: "more than WebGPU's default limits or features",
		Rule:   "a device has the default limits and no features unless requestDevice asks for more (WebGPU specification, section 3.6)",
		Remedy: "request the limits and features listed with the result; --limits default refuses such programs",
	})
	codePropose = diag.Register(diag.Info{
		Code: "bind.share-proposal", Title: "stages declare the same resource",
		Rule:   "stages share a binding only when the caller says that the resource is one (binding-plan.md 4)",
		Remedy: "share the identity if both stages get the same resource",
	})
)

var stageShort = [...]string{Vertex: "vs", Fragment: "ps", Compute: "cs"}

// classLetter is the register letter in generated symbols and in `--view`.
var classLetter = [...]string{ir.CBuffer: "cb", ir.SRV: "t", ir.Sampler: "s", ir.UAV: "u", ir.Counter: "u"}

type planner struct {
	opt   Options
	plan  *Plan
	diags []diag.Diag
}

// New plans the bindings of one pass (binding-plan.md 4). The plan is nil when
// one of the diagnostics is an error: a pass is planned whole or not at all.
func New(stages []StageInput, opt Options) (*Plan, []diag.Diag) {
	p := &planner{opt: opt, plan: &Plan{}}
	p.check(stages)
	if diag.HasErrors(p.diags) {
		return nil, p.diags
	}
	var all []Binding
	for _, s := range stages {
		all = append(all, p.stage(s)...)
	}
	for _, t := range opt.Transforms {
		p.plan.Transforms = append(p.plan.Transforms, *t)
	}
	p.share(stages, all)
	p.sort()
	for _, s := range stages {
		p.limits(s.Stage)
		p.linear(s)
	}
	if diag.HasErrors(p.diags) {
		return nil, p.diags
	}
	return p.plan, p.diags
}

func (p *planner) report(sev diag.Severity, code diag.Code, s Stage, instr int32, format string, args ...any) {
	at := diag.Loc{Stage: stageShort[s]}
	if instr >= 0 {
		at.Instr = int(instr) + 1
	}
	p.diags = append(p.diags, diag.New(sev, code, at, format, args...))
}

func (p *planner) check(stages []StageInput) {
	var seen [3]bool
	for _, s := range stages {
		if s.Func == nil || s.Stage > Compute {
			p.diags = append(p.diags, diag.New(diag.Error, codeProgram, diag.Loc{}, "a stage without a program"))
			return
		}
		if seen[s.Stage] {
			p.report(diag.Error, codeProgram, s.Stage, -1, "the pass has two %s programs", s.Stage)
		}
		seen[s.Stage] = true
	}
	if seen[Compute] && (seen[Vertex] || seen[Fragment]) {
		p.report(diag.Error, codeProgram, Compute, -1, "a compute program together with render stages")
	}
}

// stage lowers every declaration of one program.
func (p *planner) stage(s StageInput) []Binding {
	u := collect(s.Func)
	var out []Binding
	seen := map[string]int32{}
	for i := range s.Func.Resources {
		r := &s.Func.Resources[i]
		if r.Class == ir.GroupShared || p.opt.DropUnused && !r.Used {
			continue
		}
		if r.Count == 0 {
			// What does not touch the range can do without it.
			if r.Used {
				p.report(diag.Error, codeUnbounded, s.Stage, r.Instr, "%s is a range without an upper bound", p.symbol(r, Primary))
			}
			continue
		}
		if r.Count > 1 && !r.Used {
			continue // registers of a range that no instruction names would only use up limits
		}
		tr, layer := p.layerOf(s.Stage, int32(i))
		if layer > 0 {
			continue // a layer of the array that stands in input 0's place
		}
		for _, b := range p.declaration(s, int32(i), u) {
			if tr != nil {
				b.transform(tr)
			}
			if first, dup := seen[b.Identity]; dup {
				p.report(diag.Error, codeDuplicate, s.Stage, r.Instr, "%s is declared twice (first by instruction %d)", b.Identity, first)
				continue
			}
			seen[b.Identity] = r.Instr
			out = append(out, b)
		}
	}
	p.filterable(s, out)
	return out
}

// filterable notes that the stage's float textures are taken to be filterable, at
// the first one.
func (p *planner) filterable(s StageInput, bs []Binding) {
	n, first := 0, int32(-1)
	for i := range bs {
		if b := &bs[i]; b.Texture != nil && b.Used && b.Texture.SampleType == "float" {
			if n == 0 {
				first = s.Func.Resources[b.Resources[s.Stage]].Instr
			}
			n++
		}
	}
	switch {
	case n == 1:
		p.report(diag.Note, codeFilterable, s.Stage, first, "a float texture has to be of a filterable format")
	case n > 1:
		p.report(diag.Note, codeFilterable, s.Stage, first, "%d float textures, the first here, have to be of filterable formats", n)
	}
}

// flat notes that a one-dimensional texture is bound as a 2D one.
func (p *planner) flat(s StageInput, r *ir.Resource, name string) {
	if r.Used && (r.Dim == dxbc.DimTexture1D || r.Dim == dxbc.DimTexture1DArray) {
		p.report(diag.Note, codeFlat, s.Stage, r.Instr, "%s is a %s", name, r.Dim)
	}
}

// transform turns the binding of a transform's input 0 into its array texture.
func (b *Binding) transform(t *Transform) {
	b.Transform, b.Layers, b.Name = t.ID, len(t.Inputs), t.Output
	b.Type = "texture_2d_array<f32>"
	b.Texture.ViewDimension = "2d-array"
	for _, in := range t.Inputs {
		b.Merged = append(b.Merged, in.Resource)
	}
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

func (p *planner) symbol(r *ir.Resource, v Variant) string {
	s := classLetter[r.Class] + decimal(r.Register)
	if r.Class == ir.Counter {
		s += "_counter"
	}
	if r.Space != 0 {
		s += "_space" + decimal(r.Space)
	}
	return s + variantSymbol[v]
}

// declaration lowers one register: one binding, or two where one cannot serve
// all uses.
func (p *planner) declaration(s StageInput, res int32, u *uses) []Binding {
	r := &s.Func.Resources[res]
	base := Binding{
		Register: r.Register, Space: r.Space, Name: r.Name,
		Resources: [3]int32{-1, -1, -1}, Visibility: []Stage{s.Stage}, Used: r.Used,
	}
	base.Resources[s.Stage] = res
	finish := func(b Binding, k Kind, v Variant) Binding {
		b.Kind, b.Variant = k, v
		b.Symbol = p.symbol(r, v)
		b.Identity = k.String() + ":" + decimal(r.Space) + ":" + decimal(b.Register) + variantSuffix[v]
		return b
	}
	switch r.Class {
	case ir.CBuffer:
		rows := r.Size
		if rows == 0 {
			rows = 4096
		}
		if rows > 4096 {
			p.report(diag.Error, codeSize, s.Stage, r.Instr, "%s has %d rows", p.symbol(r, Primary), rows)
			return nil
		}
		b := base
		b.Type, b.AddressSpace = "array<vec4<f32>, "+decimal(rows)+">", "uniform"
		b.Buffer = &Buffer{Type: "uniform", MinBindingSize: int(rows) * 16}
		return []Binding{finish(b, UniformBuffer, Primary)}
	case ir.Sampler:
		return p.sampler(base, r, &u.samp[res], finish)
	case ir.Counter:
		b := base
		b.Type, b.AddressSpace = "atomic<u32>", "storage, read_write"
		b.Buffer = &Buffer{Type: "storage", MinBindingSize: 4}
		if s.Stage == Vertex {
			p.report(diag.Error, codeVertexStorage, s.Stage, r.Instr, "the counter of u%d is changed in the vertex program", r.Register)
			return nil
		}
		return []Binding{finish(b, UAVCounter, Primary)}
	case ir.SRV:
		switch r.Dim {
		case dxbc.DimBuffer, dxbc.DimRawBuffer, dxbc.DimStructuredBuffer:
			b := base
			b.AddressSpace, b.Buffer = "storage, read", &Buffer{Type: "read-only-storage"}
			if !p.words(s, res, &b) {
				return nil
			}
			return []Binding{finish(b, SampledResource, Primary)}
		}
		return p.texture(s, base, r, &u.tex[res], finish)
	default:
		if r.Ordered {
			p.report(diag.Error, codeOrdered, s.Stage, r.Instr, "%s is rasterizer ordered", p.symbol(r, Primary))
			return nil
		}
		switch r.Dim {
		case dxbc.DimBuffer, dxbc.DimRawBuffer, dxbc.DimStructuredBuffer:
			b := base
			b.AddressSpace, b.Buffer = "storage, read_write", &Buffer{Type: "storage"}
			if s.Stage == Vertex {
				if r.Written || r.Atomic {
					p.report(diag.Error, codeVertexStorage, s.Stage, r.Instr, "%s is written in the vertex program", p.symbol(r, Primary))
					return nil
				}
				b.AddressSpace, b.Buffer.Type = "storage, read", "read-only-storage"
			}
			if !p.words(s, res, &b) {
				return nil
			}
			return []Binding{finish(b, StorageResource, Primary)}
		}
		return p.storageTexture(s, base, res, &u.tex[res], finish)
	}
}

// words completes a buffer binding: every buffer is an array of words, atomic
// ones where an atomic touches it.
func (p *planner) words(s StageInput, res int32, b *Binding) bool {
	r := &s.Func.Resources[res]
	b.Type = "array<u32>"
	if r.Atomic {
		b.Type = "array<atomic<u32>>"
		if r.SignedAtomic && !r.UnsignedAtomic {
			b.Type = "array<atomic<i32>>"
		}
	}
	b.Buffer.MinBindingSize = 4
	name := p.symbol(r, Primary)
	switch r.Dim {
	case dxbc.DimStructuredBuffer:
		if r.Stride < 4 || r.Stride%4 != 0 || r.Stride > 2048 {
			p.report(diag.Error, codeStride, s.Stage, r.Instr, "%s has a stride of %d bytes", name, r.Stride)
			return false
		}
		b.Stride, b.Buffer.MinBindingSize = int(r.Stride), int(r.Stride)
	case dxbc.DimBuffer:
		b.Format, b.FormatFrom = r.Format, r.FormatFrom
		if b.Format == "" && r.Class == ir.SRV && r.Return[0] == dxbc.RetMixed {
			// A tbuffer: rows of four 32-bit words, whose types the program knows.
			b.Format, b.FormatFrom = "R32G32B32A32_UINT", "proof"
		}
		if r.Atomic {
			proof := AtomicFormat(r.Return[0])
			if b.Format != "" && b.Format != proof && b.Format != "R32_UINT" && b.Format != "R32_SINT" {
				p.report(diag.Error, codeFormatMismatch, s.Stage, r.Instr, "%s is given as %s, but an atomic on it proves %s", name, b.Format, proof)
				return false
			}
			if b.Format == "" {
				b.Format, b.FormatFrom = proof, "proof"
			}
		}
		if b.Format == "" {
			if !r.Used {
				return true
			}
			p.report(diag.Error, codeViewFormat, s.Stage, r.Instr, "the view format of the typed buffer %s (%s) is not known", named(name, r.Name), r.Return[0])
			d := &p.diags[len(p.diags)-1]
			d.Remedy = fmt.Sprintf("give the format: --view %s=%s, a [views] entry in the sidecar file, or --view auto", name, AssumedFormat(r.Return[0], Components(s.Func, r)))
			return false
		}
		f, ok := p.format(s, r, b, name)
		if !ok {
			return false
		}
		b.Buffer.MinBindingSize = max(4, (f.Bytes+3)&^3)
		if f.Bytes < 4 && r.Written {
			// Neighbours in one word may be written at the same time.
			b.Type = "array<atomic<u32>>"
		}
	}
	return true
}

// format looks up the format of b and checks it against the declaration.
func (p *planner) format(s StageInput, r *ir.Resource, b *Binding, name string) (*Format, bool) {
	f, ok := LookupFormat(b.Format)
	if !ok {
		p.report(diag.Error, codeFormatUnknown, s.Stage, r.Instr, "%s: no view format %q", named(name, r.Name), b.Format)
		return nil, false
	}
	if !f.fits(r.Return[0]) {
		p.report(diag.Error, codeFormatMismatch, s.Stage, r.Instr, "%s returns %s, but its view is %s", named(name, r.Name), r.Return[0], b.Format)
		return nil, false
	}
	if b.FormatFrom == "assumed" || b.FormatFrom == "default" {
		sev := diag.Warning
		if p.opt.Strict {
			sev = diag.Error
		}
		p.report(sev, codeFormatAssumed, s.Stage, r.Instr, "%s is taken to be %s (%s)", named(name, r.Name), b.Format, b.FormatFrom)
		p.diags[len(p.diags)-1].Remedy = fmt.Sprintf("confirm or correct it with --view %s=%s; --strict refuses assumptions", name, b.Format)
	}
	return f, true
}

func named(symbol, name string) string {
	if name == "" {
		return symbol
	}
	return fmt.Sprintf("%s (%q)", symbol, name)
}

func (p *planner) sampler(base Binding, r *ir.Resource, u *sampUse, finish func(Binding, Kind, Variant) Binding) []Binding {
	make := func(typ string, v Variant) Binding {
		b := base
		b.Type = "sampler"
		if typ == "comparison" {
			b.Type = "sampler_comparison"
		}
		b.Sampler = &SamplerState{Type: typ}
		return finish(b, Sampler, v)
	}
	var out []Binding
	add := func(need bool, typ string, v Variant) {
		if !need {
			return
		}
		if len(out) == 0 {
			v = Primary
		}
		out = append(out, make(typ, v))
	}
	add(u.filtering, "filtering", Primary)
	add(u.nonFiltering, "non-filtering", NonFiltering)
	add(u.comparison, "comparison", Comparison)
	add(len(out) == 0 && r.Comparison, "comparison", Primary)
	add(len(out) == 0, "filtering", Primary)
	return out
}

func (p *planner) beyond(s Stage, instr int32, format string, args ...any) {
	sev := diag.Warning
	if p.opt.DefaultLimits {
		sev = diag.Error
	}
	p.report(sev, codeLimit, s, instr, format, args...)
}

func (p *planner) feature(s Stage, instr int32, name, why string) {
	if i, found := slices.BinarySearch(p.plan.Features[s], name); !found {
		p.plan.Features[s] = slices.Insert(p.plan.Features[s], i, name)
	}
	p.beyond(s, instr, "needs the feature %s: %s", name, why)
}

// record is what stages must agree on to share a binding: all that
// binding-plan.md 4 compares as text.
func (b *Binding) record() string {
	s := fmt.Sprintf("%s %s %s %s %d %s %d", b.Kind, b.Symbol, b.Type, b.AddressSpace, b.Stride, b.Transform, b.Layers)
	switch {
	case b.Buffer != nil:
		s += fmt.Sprintf(" %+v", *b.Buffer)
	case b.Texture != nil:
		s += fmt.Sprintf(" %+v", *b.Texture)
	case b.Sampler != nil:
		s += fmt.Sprintf(" %+v", *b.Sampler)
	case b.Storage != nil:
		s += fmt.Sprintf(" %+v", *b.Storage)
	}
	return s
}

// share joins the shared identities and gives every other binding the scope of
// its stage.
func (p *planner) share(stages []StageInput, all []Binding) {
	shared := slices.Clone(p.opt.SharedIdentities)
	slices.Sort(shared)
	shared = slices.Compact(shared)
	if len(shared) > 0 {
		p.plan.SharedIdentities = shared
	}
	groups := map[string][]int{}
	for i := range all {
		groups[all[i].Identity] = append(groups[all[i].Identity], i)
	}
	for _, id := range shared {
		g := groups[id]
		if len(g) < 2 {
			p.diags = append(p.diags, diag.New(diag.Error, codeShared, diag.Loc{}, "%s is to be shared, but %d of the stages declare it", id, len(g)))
			continue
		}
		for _, i := range g[1:] {
			if a, b := all[g[0]].record(), all[i].record(); a != b {
				p.diags = append(p.diags, diag.New(diag.Error, codeShared, diag.Loc{}, "%s is to be shared, but its declarations differ: %s, and %s", id, a, b))
			}
		}
	}
	done := map[string]bool{}
	for i := range all {
		b := all[i]
		if _, isShared := slices.BinarySearch(shared, b.Identity); isShared {
			if done[b.Identity] {
				continue
			}
			done[b.Identity] = true
			b.Scope = b.Identity
			b.Visibility = nil
			for s := Vertex; s <= Compute; s++ {
				for _, j := range groups[b.Identity] {
					if all[j].Resources[s] >= 0 {
						b.Visibility = append(b.Visibility, s)
						b.Resources[s] = all[j].Resources[s]
						b.Used = b.Used || all[j].Used
					}
				}
			}
		} else {
			b.Scope = b.Identity + "@" + b.Visibility[0].String()
			if g := groups[b.Identity]; len(g) > 1 && g[0] == i {
				p.propose(all, g)
			}
		}
		p.plan.Bindings = append(p.plan.Bindings, b)
	}
}

func (p *planner) propose(all []Binding, g []int) {
	for _, i := range g[1:] {
		if all[i].Name == "" || all[i].Name != all[g[0]].Name || all[i].record() != all[g[0]].record() {
			return
		}
	}
	id := all[g[0]].Identity
	p.plan.Proposals = append(p.plan.Proposals, id)
	p.diags = append(p.diags, diag.New(diag.Note, codePropose, diag.Loc{}, "%s (%q) is declared alike by %d stages and could be shared", id, all[g[0]].Name, len(g)))
}

// sort puts the bindings in their final order and numbers them.
func (p *planner) sort() {
	slices.SortFunc(p.plan.Bindings, func(a, b Binding) int {
		return cmp.Or(
			cmp.Compare(a.Space, b.Space),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Register, b.Register),
			cmp.Compare(a.Visibility[0], b.Visibility[0]),
			cmp.Compare(a.Symbol, b.Symbol),
			cmp.Compare(a.Scope, b.Scope),
		)
	})
	slices.Sort(p.plan.Proposals)
	var next [4]int
	for i := range p.plan.Bindings {
		b := &p.plan.Bindings[i]
		switch p.opt.Groups {
		case GroupByStage:
			if len(b.Visibility) == 1 {
				b.Group = 1 + int(b.Visibility[0])%2
			}
		case GroupByKind:
			b.Group = [...]int{UniformBuffer: 0, SampledResource: 1, Sampler: 1, StorageResource: 2, UAVCounter: 2}[b.Kind]
		}
		b.Binding = next[b.Group]
		next[b.Group]++
	}
	if p.opt.Groups != GroupZero {
		slices.SortStableFunc(p.plan.Bindings, func(a, b Binding) int { return cmp.Compare(a.Group, b.Group) })
		p.closeGroups()
	}
}

// closeGroups renumbers the groups so that they are contiguous from zero.
func (p *planner) closeGroups() {
	group, last := -1, -1
	for i := range p.plan.Bindings {
		b := &p.plan.Bindings[i]
		if b.Group != last {
			group, last = group+1, b.Group
		}
		b.Group = group
	}
}
