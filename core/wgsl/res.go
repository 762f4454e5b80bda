package wgsl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

var (
	codeUnplanned = diag.Register(diag.Info{
		Code: "wgsl.unplanned-resource", Title: "resource without a binding",
		Rule:   "every resource that a program uses has a binding in the pass's plan (binding-plan.md 5)",
		Remedy: "the binding was refused, see the diagnostics of the plan",
	})
	codeTextureForm = diag.Register(diag.Info{
		Code: "wgsl.texture-form", Title: "texture operation without a WGSL form",
		Rule:   "WGSL's texture functions are those of its section 16.7; integer textures are loaded or gathered, never filtered",
		Remedy: "load the texels and compute the result in the HLSL",
	})
	codeLod = diag.Register(diag.Info{
		Code: "wgsl.lod-query", Title: "level of detail computed from derivatives",
		Rule:   "WGSL has no level-of-detail query; the level follows from the derivatives of the coordinate and the texture's size, without the sampler's bias, clamp and anisotropy",
		Remedy: "compare the results where they matter",
	})
	codeClamp = diag.Register(diag.Info{
		Code: "wgsl.lod-clamp", Title: "minimum level of detail of a sample",
		Rule:   "WGSL's sample functions have no level clamp; the level is computed from derivatives and clamped, without anisotropy; comparisons ignore the clamp",
		Remedy: "compare the results where they matter",
	})
	codeGatherOffset = diag.Register(diag.Info{
		Code: "wgsl.gather-offset", Title: "programmable gather offset moved into the coordinates",
		Rule:   "WGSL's offsets are constants from -8 to 7; the coordinate is moved by that many texels, which gives the same four texels but for rounding at a texel's edge",
		Remedy: "use constant offsets from -8 to 7, or load the four texels",
	})
	codeTarget = diag.Register(diag.Info{
		Code: "wgsl.target-samples", Title: "sample count or positions of the render target",
		Rule:   "WGSL does not know the render target; its sample count is the pipeline constant target_samples, 1 unless set, its positions are the standard ones",
		Remedy: "set the pipeline constant target_samples to the sample count of the pass (1 or 4)",
	})
	codeEval = diag.Register(diag.Info{
		Code: "wgsl.eval-input", Title: "input evaluated away from the pixel's centre",
		Rule:   "WGSL interpolates an input at one place; an offset is added by derivatives (exact for values that are linear on the screen), sample and centroid positions are taken as the centre",
		Remedy: "declare the input centroid or sample in the HLSL where the place matters",
	})
	codeFence = diag.Register(diag.Info{
		Code: "wgsl.fence", Title: "memory fence without thread synchronisation",
		Rule:   "WGSL has no fence alone: in uniform flow of a compute program it is a storageBarrier, which waits for the group (wgsl-patterns.md 2)",
		Remedy: "use a fence with group synchronisation where the order matters",
	})
	codeCoherent = diag.Register(diag.Info{
		Code: "wgsl.coherent", Title: "globally coherent resource",
		Rule:   "WGSL orders plain accesses of different groups by nothing but the end of a dispatch; only atomics are coherent across groups",
		Remedy: "use atomics, or split the work into two dispatches",
	})
)

// resState is what of the resources the module uses, filled while the body is
// built.
type resState struct {
	used    map[int]bool      // by index in the plan
	helper  map[string]string // helper name by key
	shared  map[int32]string  // groupshared variables by resource
	vote    string            // variable of any_in_group, empty until it is needed
	kinds   map[int32]ir.Kind // groupshared element kinds
	icb     string
	icbKind ir.Kind
	target  bool // the pipeline constant target_samples is used
	// bounds are the bounds of lanes at node boundsAt, and in its stretch.
	bounds   map[ir.Lane]uint64
	boundsAt ir.NodeID
	places   []standing // by node, once a bound has been asked for
	counters map[ir.Lane]loopCounter
	notes    map[string]bool
}

// bindingOf is the binding of a resource and its name in the module, which is
// from then on declared. A resource that the plan does not have is an error.
func (e *emitter) bindingOf(v *ir.Value, res int32, variant layout.Variant) (*layout.Binding, string) {
	if e.plan != nil {
		for i := range e.plan.Bindings {
			b := &e.plan.Bindings[i]
			if res >= 0 && (e.resourceOf(b) == res && b.Variant == variant || e.stage() == layout.Fragment && slices.Contains(b.Merged, res)) {
				if e.rs.used == nil {
					e.rs.used = map[int]bool{}
				}
				e.rs.used[i] = true
				return b, e.bindingName(b)
			}
		}
	}
	if variant != layout.Primary {
		return e.bindingOf(v, res, layout.Primary)
	}
	e.report(diag.Error, codeUnplanned, v, "%s has no binding", e.resourceName(res))
	return &layout.Binding{Buffer: &layout.Buffer{}}, "missing"
}

// resourceName is a resource as D3D writes it: "t3".
func (e *emitter) resourceName(res int32) string {
	if res < 0 || int(res) >= len(e.f.Resources) {
		return "resource"
	}
	r := &e.f.Resources[res]
	return [...]string{ir.CBuffer: "cb", ir.SRV: "t", ir.Sampler: "s", ir.UAV: "u", ir.GroupShared: "g", ir.Counter: "u"}[r.Class] + fmt.Sprint(r.Register)
}

// helperFor returns the name of the helper for key, made by source with its name
// at the first use. base is what it would like to be called.
func (e *emitter) helperFor(key, base string, source func(name string) string) string {
	if n, ok := e.rs.helper[key]; ok {
		return n
	}
	if e.rs.helper == nil {
		e.rs.helper = map[string]string{}
	}
	n := e.unique(base)
	e.rs.helper[key] = n
	return e.help(n, source(n))
}

// helperWords are the names of parameters and variables in the helpers of
// resources; a resource of that name would be hidden in its own helper.
var helperWords = wordSet(`i w x p s c element word value mip layer size dx dy ddx ddy lod major r old bits shift compare
count buffer levels`)

// moduleName is base, or base with the register behind it where helpers use the
// word themselves.
func moduleName(base, symbol string) string {
	if helperWords[base] {
		return base + "_" + symbol
	}
	return base
}

// note reports an adaptation once per key.
func (e *emitter) note(sev diag.Severity, code diag.Code, v *ir.Value, format string, args ...any) {
	key := string(code) + fmt.Sprint(v.Instr)
	if e.rs.notes[key] {
		return
	}
	if e.rs.notes == nil {
		e.rs.notes = map[string]bool{}
	}
	e.rs.notes[key] = true
	e.report(sev, code, v, format, args...)
}

// resource is the value of an operation on a resource, or on an input away from
// its centre.
func (e *emitter) resource(v *ir.Value) *expr {
	switch v.Op {
	case ir.OpCBLoad:
		return e.constantRow(v)
	case ir.OpICBLoad:
		return e.icbRow(v)
	case ir.OpSample, ir.OpSampleBias, ir.OpSampleLevel, ir.OpSampleGrad, ir.OpSampleCmp, ir.OpSampleCmpZero:
		return e.sample(v)
	case ir.OpGather, ir.OpGatherCmp, ir.OpGatherOffset, ir.OpGatherOffsetCmp:
		return e.gather(v)
	case ir.OpSampleLod:
		return e.sampleLod(v)
	case ir.OpLoad, ir.OpLoadMS:
		return e.texelLoad(v)
	case ir.OpResInfo:
		return e.resInfo(v)
	case ir.OpBufInfo:
		return e.bufInfo(v)
	case ir.OpSampleInfo:
		return e.sampleInfo(v)
	case ir.OpSamplePos:
		return e.samplePos(v)
	case ir.OpEvalSnapped, ir.OpEvalSample, ir.OpEvalCentroid:
		return e.eval(v)
	case ir.OpLoadStructured, ir.OpLoadRaw:
		return e.loadWords(v)
	case ir.OpLoadTyped:
		return e.loadTyped(v)
	case ir.OpAtomic:
		return e.atomic(v)
	case ir.OpCounterInc, ir.OpCounterDec:
		return e.counter(v)
	case ir.OpGroupAny:
		return e.groupAny(v)
	}
	e.report(diag.Error, codeTextureForm, v, "%s has no translation", v.Op)
	return e.splat(e.lit(0, v.Kind), max(int(v.N), 1))
}

// effect is what an operation without a result does.
func (e *emitter) effect(v *ir.Value) []stmt {
	switch v.Op {
	case ir.OpDiscard:
		c := e.arg(v, 0, ir.Bool)
		if bits, ok := literalBits(c); ok {
			if bits == 0 {
				return nil
			}
			return []stmt{newStmt(stDiscard)}
		}
		return []stmt{ifStmt(c, newStmt(stDiscard))}
	case ir.OpBarrier:
		return e.barrier(v)
	case ir.OpStoreStructured, ir.OpStoreRaw:
		return e.storeWords(v)
	case ir.OpStoreTyped:
		return e.storeTyped(v)
	case ir.OpAtomic:
		return []stmt{callStmt(e.atomic(v))}
	case ir.OpCounterInc, ir.OpCounterDec:
		_, name := e.bindingOf(v, v.Res, layout.Primary)
		f := "atomicAdd"
		if v.Op == ir.OpCounterDec {
			f = "atomicSub"
		}
		return []stmt{callStmt(e.call(f, tU32, e.addressOf(e.ident(name, RoleResource, tNone)), e.litU(1)))}
	}
	e.report(diag.Error, codeTextureForm, v, "%s has no translation", v.Op)
	return nil
}

// counter is the result of an append or consume.
func (e *emitter) counter(v *ir.Value) *expr {
	_, name := e.bindingOf(v, v.Res, layout.Primary)
	at := e.addressOf(e.ident(name, RoleResource, tNone))
	if v.Op == ir.OpCounterInc {
		return e.call("atomicAdd", tU32, at, e.litU(1))
	}
	return e.binary("-", tU32, e.call("atomicSub", tU32, at, e.litU(1)), e.litU(1))
}

// barrier maps the sync flags (wgsl-patterns.md 2). A fence without thread
// synchronisation becomes a barrier: where it cannot, ir.SettleBarriers has
// dropped it.
func (e *emitter) barrier(v *ir.Value) []stmt {
	flags := uint8(v.Imm[0])
	if flags&dxbc.SyncThreads == 0 {
		e.note(diag.Note, codeFence, v, "the fence also synchronises the group")
	}
	return e.barrierCalls(flags)
}

// barrierCalls is the barriers that the sync flags ask for.
func (e *emitter) barrierCalls(flags uint8) []stmt {
	var out []stmt
	uav := flags&(dxbc.SyncUAVGroup|dxbc.SyncUAVGlobal) != 0
	if flags&dxbc.SyncTGSM != 0 || !uav {
		out = append(out, callStmt(e.call("workgroupBarrier", tNone)))
	}
	if uav {
		buffers, textures := e.writableKinds()
		if buffers || !textures {
			out = append(out, callStmt(e.call("storageBarrier", tNone)))
		}
		if textures {
			out = append(out, callStmt(e.call("textureBarrier", tNone)))
			e.language("readonly_and_readwrite_storage_textures")
		}
	}
	return out
}

// writableKinds says whether the program has storage buffers and storage
// textures that it uses.
func (e *emitter) writableKinds() (buffers, textures bool) {
	for i := range e.f.Resources {
		r := &e.f.Resources[i]
		if !r.Used || r.Class != ir.UAV && r.Class != ir.Counter {
			continue
		}
		if r.Class == ir.Counter || isBuffer(r.Dim) {
			buffers = true
		} else {
			textures = true
		}
	}
	return buffers, textures
}

func isBuffer(d dxbc.Dim) bool {
	return d == dxbc.DimBuffer || d == dxbc.DimRawBuffer || d == dxbc.DimStructuredBuffer
}

// constantRow is a row of a constant buffer. D3D reads zero behind the end of
// the buffer; a row that a register chooses is guarded unless it is in range.
func (e *emitter) constantRow(v *ir.Value) *expr {
	t := vec(ir.F32, 4)
	if len(v.Args) > 1 && v.Args[1].N > 0 {
		return e.chosenRow(v)
	}
	_, name := e.bindingOf(v, v.Res, layout.Primary)
	rows := e.rows(v.Res)
	base := e.ident(name, RoleResource, tNone)
	if len(v.Args) == 0 || v.Args[0].N == 0 {
		if v.Imm[0] >= rows {
			return e.splat(e.lit(0, ir.F32), 4)
		}
		return e.index(base, e.plainInt(v.Imm[0]), t)
	}
	i := e.addConst(e.arg(v, 0, ir.U32), v.Imm[0])
	if bits, ok := literalBits(i); ok {
		if bits >= rows {
			return e.splat(e.lit(0, ir.F32), 4)
		}
		return e.index(base, i, t)
	}
	if e.upper(v.Args[0].Lanes[0], v.Node)+uint64(v.Imm[0]) < uint64(rows) {
		return e.index(base, i, t)
	}
	return e.call(e.rowHelper(v, v.Res), t, i)
}

// rows is the declared size of a constant buffer.
func (e *emitter) rows(res int32) uint32 {
	if n := e.f.Resources[res].Size; n > 0 {
		return n
	}
	return 4096
}

// rowHelper is the guarded read of a row.
func (e *emitter) rowHelper(v *ir.Value, res int32) string {
	_, name := e.bindingOf(v, res, layout.Primary)
	rows := e.rows(res)
	return e.helperFor("row "+name, name+"_row", func(n string) string {
		return fmt.Sprintf("fn %s(i: u32) -> vec4<f32> {\n  if (i < %du) {\n    return %s[i];\n  }\n  return vec4<f32>();\n}\n", n, rows, name)
	})
}

// chosenRow is a row of the buffer that a register chooses in a range.
func (e *emitter) chosenRow(v *ir.Value) *expr {
	base := &e.f.Resources[v.Res]
	var row *expr
	if v.Args[0].N > 0 {
		row = e.addConst(e.arg(v, 0, ir.U32), v.Imm[0])
	} else {
		row = e.litU(v.Imm[0])
	}
	which := e.addConst(e.arg(v, 1, ir.U32), v.Imm[1])
	count := int32(max(base.Count, 1))
	var helpers []string
	for i := range count {
		if int(v.Res+i) < len(e.f.Resources) && e.f.Resources[v.Res+i].RangeID == base.RangeID {
			helpers = append(helpers, e.rowHelper(v, v.Res+i))
		}
	}
	name := e.helperFor(fmt.Sprintf("range %d", v.Res), fmt.Sprintf("cb_range%d_row", base.RangeID), func(n string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "fn %s(buffer: u32, i: u32) -> vec4<f32> {\n  switch buffer {\n", n)
		for i, h := range helpers {
			fmt.Fprintf(&b, "    case %du: {\n      return %s(i);\n    }\n", i, h)
		}
		b.WriteString("    default: {\n      return vec4<f32>();\n    }\n  }\n}\n")
		return b.String()
	})
	return e.call(name, vec(ir.F32, 4), which, row)
}

// plainInt is an integer literal without a suffix, for fixed indices.
func (ex *exprs) plainInt(n uint32) *expr {
	x := ex.litU(n)
	x.text = fmt.Sprint(n)
	return x
}

// addConst is x + n, folded where x is a literal.
func (ex *exprs) addConst(x *expr, n uint32) *expr {
	if n == 0 {
		return x
	}
	if bits, ok := literalBits(x); ok {
		return ex.lit(bits+n, x.typ.kind)
	}
	return ex.binary("+", x.typ, x, ex.lit(n, x.typ.kind))
}

// icbRow is a row of the immediate constant buffer, zero outside.
func (e *emitter) icbRow(v *ir.Value) *expr {
	e.icbDecl()
	t := vec(e.rs.icbKind, 4)
	rows := uint32(len(e.f.ICB))
	i := e.litU(v.Imm[0])
	if len(v.Args) > 0 && v.Args[0].N > 0 {
		i = e.addConst(e.arg(v, 0, ir.U32), v.Imm[0])
	}
	if bits, ok := literalBits(i); ok && bits >= rows || rows == 0 {
		return e.splat(e.lit(0, t.kind), 4)
	}
	base := e.ident(e.rs.icb, RoleResource, tNone)
	if len(v.Args) > 0 && v.Args[0].N > 0 && e.upper(v.Args[0].Lanes[0], v.Node)+uint64(v.Imm[0]) < uint64(rows) {
		return e.index(base, i, t)
	}
	name := e.helperFor("icb", e.rs.icb+"_row", func(n string) string {
		return fmt.Sprintf("fn %s(i: u32) -> %s {\n  if (i < %du) {\n    return %s[i];\n  }\n  return %s();\n}\n", n, t, rows, e.rs.icb, t)
	})
	return e.call(name, t, i)
}

// icbDecl names the table and decides its kind: that of its readers where all
// agree and every word is a literal of the kind, else bits.
func (e *emitter) icbDecl() {
	if e.rs.icb != "" {
		return
	}
	e.rs.icb = e.unique("icb")
	kind, first := ir.U32, true
	layout.Reachable(e.f, func(v *ir.Value) {
		if v.Op != ir.OpICBLoad {
			return
		}
		if first {
			kind, first = v.Kind, false
		} else if v.Kind != kind {
			kind = ir.U32
		}
	})
	if kind == ir.F32 {
		for _, row := range e.f.ICB {
			for _, w := range row {
				// An infinity or NaN is no literal, a denormal more likely an integer.
				if x := w & 0x7f800000; x == 0x7f800000 || x == 0 && w&0x7fffffff != 0 {
					kind = ir.U32
				}
			}
		}
	}
	if kind != ir.F32 && kind != ir.I32 {
		kind = ir.U32
	}
	e.rs.icbKind = kind
}

// declare is the module-scope declarations that the body has asked for: structs,
// bindings in the order of their slots, workgroup variables, tables.
func (e *emitter) declare() string {
	var b strings.Builder
	if s := e.structs(); s != "" {
		b.WriteString(s + "\n")
	}
	if e.plan != nil {
		for i := range e.plan.Bindings {
			if !e.rs.used[i] {
				continue
			}
			bd := &e.plan.Bindings[i]
			name := e.bindingName(bd)
			space := ""
			if bd.AddressSpace != "" {
				space = "<" + bd.AddressSpace + ">"
			}
			if bd.Kind == layout.UAVCounter {
				e.diags = append(e.diags, diag.New(diag.Note, codeCounterPremise, diag.At(int(e.f.Resources[e.resourceOf(bd)].Instr)), "u%d has a counter", bd.Register))
			}
			for _, s := range [...]string{"@group(", strconv.Itoa(bd.Group), ") @binding(", strconv.Itoa(bd.Binding), ") var", space, " ", name, ": ", bd.Type, ";", bindingComment(bd, name), "\n"} {
				b.WriteString(s)
			}
			if bd.Storage != nil && bd.Storage.Access != "write-only" {
				e.language("readonly_and_readwrite_storage_textures")
			}
		}
	}
	bytes := 0
	for i := range e.f.Resources {
		r := &e.f.Resources[i]
		if r.Class == ir.UAV && r.Coherent && r.Read && r.Written && !r.Atomic {
			e.diags = append(e.diags, diag.New(diag.Warning, codeCoherent, diag.At(int(r.Instr)), "%s is declared globally coherent, read and written", e.resourceName(int32(i))))
		}
		name, ok := e.rs.shared[int32(i)]
		if !ok {
			continue
		}
		n := (r.Size + 3) / 4
		t := typ{e.sharedKind(int32(i)), 1}.String()
		if r.Atomic {
			t = "atomic<" + t + ">"
		}
		comment := ""
		if r.Dim == dxbc.DimStructuredBuffer && r.Stride > 4 {
			comment = fmt.Sprintf("  // stride %d", r.Stride)
		}
		fmt.Fprintf(&b, "var<workgroup> %s: array<%s, %d>;%s\n", name, t, n, comment)
		bytes += int(n*4+15) &^ 15
	}
	if e.rs.vote != "" {
		fmt.Fprintf(&b, "var<workgroup> %s: atomic<u32>;  // see any_in_group\n", e.rs.vote)
		bytes += 16
	}
	if bytes > 0 {
		e.diags = append(e.diags, diag.New(diag.Note, codeWorkgroupZero, diag.Loc{}, "%d bytes of groupshared memory", bytes))
	}
	if e.rs.target {
		b.WriteString("override target_samples: u32 = 1u;\n")
	}
	if e.rs.icb != "" {
		b.WriteString(e.icbText())
	}
	e.requirements(bytes)
	return b.String()
}

// bindingComment says what a name does not: the register, stride and format.
func bindingComment(b *layout.Binding, name string) string {
	if name == b.Symbol && b.Stride == 0 && b.Format == "" {
		return ""
	}
	var facts []string
	if name != b.Symbol {
		facts = append(facts, b.Symbol)
	}
	if b.Stride > 0 {
		facts = append(facts, fmt.Sprintf("stride %d", b.Stride))
	}
	if b.Format != "" && b.Buffer != nil {
		s := b.Format
		if b.FormatFrom == "assumed" {
			s += " assumed"
		}
		facts = append(facts, s)
	}
	if len(facts) == 0 {
		return ""
	}
	return "  // " + strings.Join(facts, ", ")
}

func (e *emitter) icbText() string {
	var b strings.Builder
	t := vec(e.rs.icbKind, 4)
	fmt.Fprintf(&b, "const %s = array<%s, %d>(\n", e.rs.icb, t, len(e.f.ICB))
	for _, row := range e.f.ICB {
		parts := make([]string, 4)
		same := true
		for i, w := range row {
			parts[i] = e.lit(w, e.rs.icbKind).text
			same = same && w == row[0]
		}
		if same {
			parts = parts[:1]
		}
		fmt.Fprintf(&b, "  %s(%s),\n", t, strings.Join(parts, ", "))
	}
	b.WriteString(");\n")
	return b.String()
}
