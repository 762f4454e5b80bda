package wgsl

import (
	"cmp"
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
	codeInterface = diag.Register(diag.Info{
		Code: "wgsl.system-value", Title: "system value that WebGPU does not have",
		Rule:   "WGSL's built-in values are those of its section 13.3.1.1; cull distances, layer and viewport selection, stencil reference and inner coverage are not among them",
		Remedy: "compute the effect of the value elsewhere: clip distances or discard for cull distances, one draw per layer or viewport, the stencil reference of the pass",
	})
	codeNoPosition = diag.Register(diag.Info{
		Code: "wgsl.no-position", Title: "vertex program without a position",
		Rule:   "a WGSL vertex program returns a position; this one has none, so that nothing of it can reach a pixel: it gets one outside the clip volume",
		Remedy: "use a compute program for what the vertex program writes",
	})
	codePartialOutput = diag.Register(diag.Info{
		Code: "wgsl.partial-output", Title: "output components that the program never writes",
		Rule:   "D3D leaves them undefined; WGSL writes whole outputs, the missing components are zero",
		Remedy: "write all components in the HLSL if they matter",
	})
	codeFirstVertex = diag.Register(diag.Info{
		Code: "wgsl.vertex-index-base", Title: "vertex or instance index counts from the draw's first one",
		Rule:   "D3D's SV_VertexID and SV_InstanceID exclude the base vertex and start instance of the draw; WebGPU's indices include them (dxbc.md 7)",
		Remedy: "draw with firstVertex, baseVertex and firstInstance 0, or subtract them",
	})
	codeTargets = diag.Register(diag.Info{
		Code: "wgsl.target-index", Title: "render target beyond the eighth",
		Rule:   "Direct3D 11 and WebGPU have eight render targets, numbered from 0",
		Remedy: "compile the shader again, or repair the bytecode: the program is not valid DXBC",
	})
	codeFirstLayer = diag.Register(diag.Info{
		Code: "wgsl.first-layer", Title: "layer or viewport index read by a pixel program",
		Rule:   "WebGPU renders to one layer and one viewport, and a vertex program that chooses another is refused; where no stage writes the index, D3D gives zero",
		Remedy: "none",
	})
	codeSamplePosition = diag.Register(diag.Info{
		Code: "wgsl.position-place", Title: "position of a sample or centroid taken at the pixel's centre",
		Rule:   "Direct3D gives the position of the place that the declaration's interpolation names; WGSL's position built-in has no interpolation attribute and is the centre (WGSL 13.3.1.1)",
		Remedy: "add the sample's place in the HLSL where it matters: GetRenderTargetSamplePosition",
	})
	codeCounterPremise = diag.Register(diag.Info{
		Code: "wgsl.counter-premise", Title: "counter of a structured buffer",
		Rule:   "D3D keeps the counter beside the view and lets the caller set it when binding; here it is a storage buffer of 4 bytes of its own, which the caller fills before the pass",
		Remedy: "write the initial count to the buffer bound as uav-counter; 0 for an empty append buffer",
	})
	codeConservative = diag.Register(diag.Info{
		Code: "wgsl.conservative-depth", Title: "conservative depth written as plain depth",
		Rule:   "frag_depth with greater or less needs the language feature fragment_depth; without it the early depth test is lost, the image is the same",
		Remedy: "ask for conservative depth where the feature exists",
	})
	codeNeeds = diag.Register(diag.Info{
		Code: "wgsl.limits", Title: "more than WebGPU's default limits or features",
		Rule:   "a device has the default limits and no features unless requestDevice asks for more (WebGPU specification, section 3.6)",
		Remedy: "request the limits and features listed with the result; --limits default refuses such programs",
	})
	codeWorkgroupZero = diag.Register(diag.Info{
		Code: "wgsl.workgroup-zero", Title: "groupshared memory starts as zero",
		Rule:   "D3D leaves groupshared memory undefined at the start of a group; WGSL zeroes it, which costs time and changes no defined result",
		Remedy: "none",
	})
)

// port is one parameter or struct member of the entry point.
type port struct {
	name     string
	attr     string // attributes, with a space behind
	t        typ
	text     string // WGSL type, where t cannot say it
	builtin  string
	location int   // -1 for built-ins
	first    uint8 // register component that component 0 holds
	lanes    [8]portLane
	interp   string
}

// portLane says which signature element, and which of its components, a
// component of a port is; elem is -1 for a hole.
type portLane struct {
	elem int
	comp uint8
}

// typeText is the port's WGSL type.
func (p *port) typeText() string {
	if p.text != "" {
		return p.text
	}
	return p.t.String()
}

// ioState is the interface of the module: decided once, before the body.
type ioState struct {
	in        []port
	inPort    []int // by index of ir.Function.Inputs: its port, -1 none
	inStruct  string
	inVar     string
	corrected string // name of SV_Position with D3D's w, empty if w is not read
	out       []port
	outStruct string
	outVar    string
}

// maxTargets is the number of render targets of a pass.
const maxTargets = 8

// maxParameters is how many inputs stand as parameters; more make a struct.
const maxParameters = 3

// ports decides the interface; names are taken before any local gets one.
func (e *emitter) ports() *ioState {
	if e.io != nil {
		return e.io
	}
	e.io = &ioState{}
	if e.link == nil {
		switch e.stage() {
		case layout.Vertex:
			e.link, _ = LinkStages(e.f, nil)
		case layout.Fragment:
			e.link, _ = LinkStages(nil, e.f)
		default:
			e.link = &Link{}
		}
	}
	e.inputPorts()
	switch e.stage() {
	case layout.Vertex:
		e.vertexOutputs()
	case layout.Fragment:
		e.fragmentOutputs()
	}
	e.namePorts()
	e.recordIO()
	return e.io
}

// inputReads says which components of every input the reachable program reads.
func (e *emitter) inputReads() []uint8 {
	f := e.f
	reads := make([]uint8, len(f.Inputs))
	arg := func(a ir.Arg) {
		for _, l := range a.Lanes[:a.N] {
			v := &f.Values[l.V]
			if v.Op == ir.OpInput && int(v.Imm[0]) < len(reads) {
				reads[v.Imm[0]] |= 1 << component(f.Inputs[v.Imm[0]].Mask, l.L)
			}
		}
	}
	value := func(v *ir.Value) {
		for _, a := range v.Args {
			arg(a)
		}
		switch v.Op {
		case ir.OpEvalSnapped, ir.OpEvalSample, ir.OpEvalCentroid:
			if int(v.Imm[0]) < len(reads) {
				reads[v.Imm[0]] |= f.Inputs[v.Imm[0]].Mask
			}
		case ir.OpArrayLoad:
			if a := &f.Arrays[v.Res]; a.Class == ir.InputArray {
				for i := range f.Inputs {
					if el := &f.Inputs[i]; el.RegType == dxbc.RegInput && el.Register >= a.Index && el.Register-a.Index < a.Len {
						reads[i] |= el.Used
					}
				}
			}
		}
	}
	var walk func(r ir.RegionID)
	walk = func(r ir.RegionID) {
		for _, id := range f.Regions[r].Nodes {
			n := &f.Nodes[id]
			if n.Kind == ir.NodeValue {
				value(&f.Values[n.Value])
			}
			arg(n.Cond)
			for _, a := range n.Inits {
				arg(a)
			}
			for _, a := range n.Args {
				arg(a)
			}
			for _, sub := range n.Regions {
				walk(sub)
			}
		}
	}
	if len(f.Regions) > 0 {
		walk(0)
	}
	return reads
}

// component is the register component that lane l of an element with mask is.
func component(mask, l uint8) uint8 {
	for c := uint8(0); c < 4; c++ {
		if mask>>c&1 != 0 {
			if l == 0 {
				return c
			}
			l--
		}
	}
	return 3
}

func (e *emitter) inputPorts() {
	f, io := e.f, e.io
	io.inPort = make([]int, len(f.Inputs))
	reads := e.inputReads()
	used := map[uint32]bool{} // vertex locations
	for i := range f.Inputs {
		io.inPort[i] = -1
		if reads[i] != 0 && e.stage() == layout.Vertex && f.Inputs[i].Register != dxbc.NoRegister {
			used[f.Inputs[i].Register] = true
		}
	}
	taken := map[uint32]bool{}
	for i := range f.Inputs {
		el := &f.Inputs[i]
		if reads[i] == 0 {
			continue
		}
		if e.builtinInput(i, el) {
			if el.SysValue == dxbc.SysPosition && reads[i]&8 != 0 {
				io.corrected = "position"
			}
			continue
		}
		if e.stage() == layout.Fragment {
			e.varyingInput(i, el)
			continue
		}
		// A vertex attribute: one location each.
		at := el.Register
		if taken[at] {
			for at = 0; used[at]; at++ {
			}
			used[at] = true
		}
		taken[at] = true
		p := port{name: e.elemName(f.Inputs, el), attr: locationAttr(int(at)) + " ", location: int(at)}
		n := uint8(0)
		for c := uint8(0); c < 4; c++ {
			if el.Mask>>c&1 != 0 {
				n = c + 1
			}
		}
		p.t = typ{el.Kind(), n}
		e.addInput(i, el, p)
	}
}

// addInput enters a port that holds all of one element.
func (e *emitter) addInput(i int, el *ir.Elem, p port) {
	clearLanes(&p)
	for c := p.first; c < 4; c++ {
		if el.Mask>>c&1 != 0 {
			p.lanes[c-p.first] = portLane{i, c}
		}
	}
	e.io.inPort[i] = len(e.io.in)
	e.io.in = append(e.io.in, p)
}

func clearLanes(p *port) {
	for i := range p.lanes {
		p.lanes[i] = portLane{elem: -1}
	}
}

// varyingInput enters an element of a pixel input; elements that share a
// location share a port.
func (e *emitter) varyingInput(i int, el *ir.Elem) {
	first := component(el.Mask, 0)
	v := e.link.find(el.Register, int(first))
	if v == nil {
		e.refuseElem(el, "pixel input %s%d has no register", el.Semantic, el.Index)
		return
	}
	for j := range e.io.in {
		p := &e.io.in[j]
		if p.location == v.Location {
			p.name += "_" + e.elemName(e.f.Inputs, el)
			for c := uint8(0); c < 4; c++ {
				if el.Mask>>c&1 != 0 {
					p.lanes[c-v.First] = portLane{i, c}
				}
			}
			e.io.inPort[i] = j
			return
		}
	}
	e.addInput(i, el, port{name: e.elemName(e.f.Inputs, el), attr: v.attribute() + " ", location: v.Location, t: typ{v.Kind, v.N}, first: v.First, interp: v.Interp})
}

func (e *emitter) refuseElem(el *ir.Elem, format string, args ...any) {
	e.diags = append(e.diags, diag.New(diag.Error, codeInterface, diag.At(int(el.Instr)), format, args...))
}

// builtinInput enters an input that is a WGSL built-in value, or refuses one
// that WGSL does not have.
func (e *emitter) builtinInput(i int, el *ir.Elem) bool {
	name, builtin, t := "", "", tU32
	switch el.RegType {
	case dxbc.RegThreadID:
		name, builtin, t = "thread_id", "global_invocation_id", vec(ir.U32, 3)
	case dxbc.RegThreadGroupID:
		name, builtin, t = "group_id", "workgroup_id", vec(ir.U32, 3)
	case dxbc.RegThreadIDInGroup:
		name, builtin, t = "local_id", "local_invocation_id", vec(ir.U32, 3)
	case dxbc.RegThreadIDInGroupFlattened:
		name, builtin = "local_index", "local_invocation_index"
	case dxbc.RegInputCoverage:
		name, builtin = "coverage", "sample_mask"
	case dxbc.RegPrimitiveID:
		name, builtin = "primitive_id", "primitive_index"
	case dxbc.RegCycleCounter, dxbc.RegInnerCoverage:
		e.refuseElem(el, "the program reads %s", el.RegType)
		return true
	}
	if builtin == "" && e.stage() == layout.Vertex {
		switch el.SysValue {
		case dxbc.SysVertexID:
			name, builtin = "vertex_id", "vertex_index"
		case dxbc.SysInstanceID:
			name, builtin = "instance_id", "instance_index"
		default:
			return false
		}
		e.diags = append(e.diags, diag.New(diag.Note, codeFirstVertex, diag.At(int(el.Instr)), "%s is read", el.Semantic))
	}
	if builtin == "" && e.stage() == layout.Fragment {
		switch el.SysValue {
		case dxbc.SysPosition:
			name, builtin, t = "frag_coord", "position", vec(ir.F32, 4)
			switch el.Interp {
			case dxbc.InterpLinearNoPerspectiveSample, dxbc.InterpLinearSample, dxbc.InterpLinearNoPerspectiveCentroid, dxbc.InterpLinearCentroid:
				e.diags = append(e.diags, diag.New(diag.Note, codeSamplePosition, diag.At(int(el.Instr)), "%s is declared %s", el.Semantic, el.Interp))
			}
		case dxbc.SysFrontFace:
			name, builtin, t = "front_facing", "front_facing", tBool
		case dxbc.SysSampleIndex:
			name, builtin = "sample_index", "sample_index"
		case dxbc.SysPrimitiveID:
			name, builtin = "primitive_id", "primitive_index"
		case dxbc.SysCoverage:
			name, builtin = "coverage", "sample_mask"
		case dxbc.SysTargetIndex, dxbc.SysViewportIndex:
			e.diags = append(e.diags, diag.New(diag.Note, codeFirstLayer, diag.At(int(el.Instr)), "%s is zero", el.Semantic))
			return true
		case dxbc.SysInnerCoverage:
			e.refuseElem(el, "the pixel program reads %s", el.Semantic)
			return true
		default:
			return false
		}
	}
	if builtin == "" {
		if el.RegType != dxbc.RegInput || el.Register == dxbc.NoRegister {
			e.refuseElem(el, "the program reads %s", el.RegType)
			return true
		}
		return false
	}
	for j := range e.io.in {
		if e.io.in[j].builtin == builtin {
			e.io.inPort[i] = j
			return true
		}
	}
	if builtin == "primitive_index" {
		e.enables["primitive_index"] = true
		e.feature("primitive-index", int(el.Instr), "reads SV_PrimitiveID")
	}
	e.addInput(i, el, port{name: name, attr: "@builtin(" + builtin + ") ", builtin: builtin, location: -1, t: t})
	return true
}

// elemName is what an element is called: its semantic, with the index where the
// signature has more than one of the kind.
func (e *emitter) elemName(list []ir.Elem, el *ir.Elem) string {
	s := foldASCII(el.Semantic)
	s = strings.TrimPrefix(s, "sv_")
	name := legalName(s, "")
	if name == "" {
		name = "v" + strconv.FormatUint(uint64(el.Register), 10)
	}
	many := el.Index > 0
	for i := range list {
		many = many || list[i].Index != el.Index && foldASCII(list[i].Semantic) == foldASCII(el.Semantic)
	}
	if many {
		name += strconv.FormatUint(uint64(el.Index), 10)
	}
	return name
}

// namePorts gives ports, structs and variables their names.
func (e *emitter) namePorts() {
	io := e.io
	stage := map[layout.Stage]string{layout.Vertex: "Vertex", layout.Fragment: "Fragment", layout.Compute: "Compute"}[e.stage()]
	order := func(a, b port) int {
		return cmp.Or(cmp.Compare(min(a.location, 0), min(b.location, 0)), cmp.Compare(a.location, b.location))
	}
	remap := func(list []port) []int {
		idx := make([]int, len(list))
		for i := range idx {
			idx[i] = i
		}
		slices.SortStableFunc(idx, func(a, b int) int { return order(list[a], list[b]) })
		back := make([]int, len(list))
		for to, from := range idx {
			back[from] = to
		}
		return back
	}
	back := remap(io.in)
	for i, p := range io.inPort {
		if p >= 0 {
			io.inPort[i] = back[p]
		}
	}
	slices.SortStableFunc(io.in, order)
	slices.SortStableFunc(io.out, order)
	if len(io.in) > maxParameters && e.stage() != layout.Compute {
		io.inStruct, io.inVar = e.unique(stage+"Input"), e.unique("in")
		memberNames(io.in)
	} else {
		for i := range io.in {
			io.in[i].name = e.unique(io.in[i].name)
		}
	}
	if io.corrected != "" {
		io.corrected = e.unique(io.corrected)
	}
	if len(io.out) > 1 || len(io.out) == 1 && io.out[0].builtin == "clip_distances" {
		io.outStruct, io.outVar = e.unique(stage+"Output"), e.unique("out")
		memberNames(io.out)
	}
}

// memberNames makes the names of struct members unique among themselves.
func memberNames(list []port) {
	seen := map[string]bool{}
	for i := range list {
		base := list[i].name
		for n := 2; seen[list[i].name] || reservedWords()[list[i].name]; n++ {
			list[i].name = fmt.Sprintf("%s_%d", base, n)
		}
		seen[list[i].name] = true
	}
}

// portExpr is the whole input port.
func (e *emitter) portExpr(p *port) *expr {
	if p.builtin == "position" && e.io.corrected != "" {
		return e.ident(e.io.corrected, RoleInput, p.t)
	}
	if e.io.inStruct != "" {
		x := e.member(e.ident(e.io.inVar, RoleInput, tNone), p.name, p.t)
		x.role = RoleInput
		return x
	}
	return e.ident(p.name, RoleInput, p.t)
}

// input is the value of an OpInput: one lane per component of the element's mask.
func (e *emitter) input(v *ir.Value) *expr {
	return e.inputElem(int(v.Imm[0]))
}

func (e *emitter) inputElem(i int) *expr {
	io := e.ports()
	el := &e.f.Inputs[i]
	n := 0
	var lanes []uint8
	for c := uint8(0); c < 4; c++ {
		if el.Mask>>c&1 != 0 {
			lanes = append(lanes, c)
			n++
		}
	}
	if io.inPort[i] < 0 { // refused or not read
		return e.splat(e.lit(0, el.Kind()), n)
	}
	p := &io.in[io.inPort[i]]
	for j := range lanes {
		lanes[j] = min(lanes[j]-min(p.first, lanes[j]), p.t.n-1)
	}
	return e.swizzle(e.portExpr(p), lanes)
}

// inputRegister is input register reg as four lanes of k, zero where the
// signature has nothing, for inputs that the program indexes.
func (e *emitter) inputRegister(reg uint32, k ir.Kind) *expr {
	var parts []*expr
	for c := uint8(0); c < 4; c++ {
		var x *expr
		for i := range e.f.Inputs {
			el := &e.f.Inputs[i]
			if el.RegType == dxbc.RegInput && el.Register == reg && el.Mask>>c&1 != 0 && e.ports().inPort[i] >= 0 {
				l := uint8(0)
				for b := uint8(0); b < c; b++ {
					l += el.Mask >> b & 1
				}
				x = e.convert(e.swizzle(e.inputElem(i), []uint8{l}), k)
				break
			}
		}
		if x == nil {
			x = e.lit(0, k)
		}
		parts = append(parts, x)
	}
	return e.joinLanes(parts)
}

// inputArray is the initial value of a group of inputs that the program indexes:
// an array of type t with one element per register.
func (e *emitter) inputArray(a *ir.Array, t string, k ir.Kind) *expr {
	parts := make([]*expr, a.Len)
	for i := range parts {
		parts[i] = e.inputRegister(a.Index+uint32(i), k)
	}
	x := e.call(t, tNone, parts...)
	x.role = RoleType
	return x
}

// joinLanes is the vector of scalars, shortened to x where they are x.xyzw in order.
func (ex *exprs) joinLanes(parts []*expr) *expr {
	if len(parts) == 1 {
		return parts[0]
	}
	first := parts[0]
	for i, p := range parts {
		if p.op != exMember || first.op != exMember || p.text != laneNames[i:i+1] ||
			!sameIdent(p.args[0], first.args[0]) || int(p.args[0].typ.n) != len(parts) {
			return ex.construct(vec(first.typ.kind, len(parts)), parts...)
		}
	}
	return first.args[0]
}

func sameIdent(a, b *expr) bool {
	if a.op != b.op || a.text != b.text || len(a.args) != len(b.args) {
		return false
	}
	for i := range a.args {
		if !sameIdent(a.args[i], b.args[i]) {
			return false
		}
	}
	return a.op == exIdent || a.op == exMember
}

func (e *emitter) vertexOutputs() {
	f, io := e.f, e.io
	var clips []int
	position := -1
	for i := range f.Outputs {
		el := &f.Outputs[i]
		switch el.SysValue {
		case dxbc.SysPosition:
			position = i
		case dxbc.SysClipDistance:
			clips = append(clips, i)
		case dxbc.SysCullDistance, dxbc.SysTargetIndex, dxbc.SysViewportIndex:
			e.refuseElem(el, "the vertex program writes %s", el.Semantic)
		}
	}
	p := port{name: "position", attr: "@invariant @builtin(position) ", builtin: "position", location: -1, t: vec(ir.F32, 4)}
	clearLanes(&p)
	if position >= 0 {
		for c := uint8(0); c < 4; c++ {
			if f.Outputs[position].Mask>>c&1 != 0 {
				p.lanes[c] = portLane{position, c}
			}
		}
		e.partial(position)
	} else {
		e.diags = append(e.diags, diag.New(diag.Warning, codeNoPosition, diag.Loc{}, "the vertex program has no SV_Position output"))
	}
	io.out = append(io.out, p)
	slices.SortStableFunc(clips, func(a, b int) int { return cmp.Compare(f.Outputs[a].Index, f.Outputs[b].Index) })
	if len(clips) > 0 {
		p := port{name: "clip", attr: "@builtin(clip_distances) ", builtin: "clip_distances", location: -1, t: typ{ir.F32, 0}}
		clearLanes(&p)
		n := 0
		for _, i := range clips {
			for c := uint8(0); c < 4; c++ {
				if f.Outputs[i].Mask>>c&1 != 0 && n < clipDistanceMost {
					p.lanes[n] = portLane{i, c}
					n++
				}
			}
		}
		p.text, p.t.n = fmt.Sprintf("array<f32, %d>", n), uint8(n)
		e.enables["clip_distances"] = true
		e.feature("clip-distances", int(f.Outputs[clips[0]].Instr), "writes SV_ClipDistance")
		io.out = append(io.out, p)
	}
	for i := range e.link.Varyings {
		v := &e.link.Varyings[i]
		p := port{attr: v.attribute() + " ", location: v.Location, t: typ{v.Kind, v.N}, first: v.First, interp: v.Interp}
		clearLanes(&p)
		last := -1
		for c := uint8(0); c < 4; c++ {
			if v.Mask>>c&1 == 0 {
				continue
			}
			for j := range f.Outputs {
				el := &f.Outputs[j]
				if el.Register != v.Register || el.RegType != dxbc.RegOutput || el.Mask>>c&1 == 0 || el.SysValue == dxbc.SysPosition {
					continue
				}
				p.lanes[c-v.First] = portLane{j, c}
				if j != last {
					if p.name != "" {
						p.name += "_"
					}
					p.name += e.elemName(f.Outputs, el)
					last = j
					e.partial(j)
				}
				break
			}
		}
		if p.name == "" {
			p.name = "v" + strconv.FormatUint(uint64(v.Register), 10)
		}
		io.out = append(io.out, p)
	}
}

// partial reports components of an output that no path writes.
func (e *emitter) partial(i int) {
	el := &e.f.Outputs[i]
	if missing := el.Mask &^ el.Used; missing != 0 {
		e.diags = append(e.diags, diag.New(diag.Note, codePartialOutput, diag.At(int(el.Instr)), "%s%d.%s is never written and is zero", el.Semantic, el.Index, componentNames(missing)))
	}
}

func (e *emitter) fragmentOutputs() {
	f, io := e.f, e.io
	for i := range f.Outputs {
		el := &f.Outputs[i]
		p := port{location: -1, t: tF32}
		clearLanes(&p)
		switch el.SysValue {
		case dxbc.SysDepth, dxbc.SysDepthGE, dxbc.SysDepthLE:
			p.name, p.builtin, p.attr = "depth", "frag_depth", "@builtin(frag_depth) "
			if el.SysValue != dxbc.SysDepth {
				if e.opt.ConservativeDepth {
					mode := map[uint32]string{dxbc.SysDepthGE: "greater", dxbc.SysDepthLE: "less"}[el.SysValue]
					p.attr = "@builtin(frag_depth, " + mode + ") "
					e.language("fragment_depth")
				} else {
					e.diags = append(e.diags, diag.New(diag.Note, codeConservative, diag.At(int(el.Instr)), "%s is written as frag_depth", el.Semantic))
				}
			}
			p.lanes[0] = portLane{i, component(el.Mask, 0)}
		case dxbc.SysCoverage:
			p.name, p.builtin, p.attr, p.t = "coverage", "sample_mask", "@builtin(sample_mask) ", tU32
			p.lanes[0] = portLane{i, component(el.Mask, 0)}
		case dxbc.SysStencilRef:
			e.refuseElem(el, "the pixel program writes %s", el.Semantic)
			continue
		default:
			if el.RegType != dxbc.RegOutput || el.Register == dxbc.NoRegister {
				e.refuseElem(el, "the pixel program writes %s", el.Semantic)
				continue
			}
			at := int(el.Register)
			if el.SysValue == dxbc.SysTarget || foldASCII(el.Semantic) == "sv_target" {
				at = int(el.Index)
			}
			if at >= maxTargets {
				e.diags = append(e.diags, diag.New(diag.Error, codeTargets, diag.At(int(el.Instr)), "%s%d is target %d", el.Semantic, el.Index, at))
				continue
			}
			p.name, p.location, p.attr = "color", at, locationAttr(at)+" "
			if at > 0 || len(f.Outputs) > 1 {
				p.name += strconv.Itoa(at)
			}
			p.t = vec(el.Kind(), 4)
			for c := uint8(0); c < 4; c++ {
				if el.Mask>>c&1 != 0 {
					p.lanes[c] = portLane{i, c}
				}
			}
			if slices.ContainsFunc(io.out, func(q port) bool { return q.location == at }) {
				continue // a second element of one target cannot be valid; the first stands
			}
		}
		e.partial(i)
		io.out = append(io.out, p)
	}
}

// portValue is the value that a return gives to a port.
func (e *emitter) portValue(p *port, args []ir.Arg) *expr {
	kind, n := p.t.kind, int(p.t.n)
	lane := func(l portLane) (ir.Lane, bool) {
		if l.elem < 0 || l.elem >= len(args) {
			return ir.Lane{}, false
		}
		i := uint8(0)
		for c := uint8(0); c < l.comp; c++ {
			i += e.f.Outputs[l.elem].Mask >> c & 1
		}
		if i >= args[l.elem].N {
			return ir.Lane{}, false
		}
		return args[l.elem].Lanes[i], true
	}
	if p.text != "" { // clip distances
		var parts []*expr
		for i := range n {
			if l, ok := lane(p.lanes[i]); ok {
				parts = append(parts, e.lanes(ir.Scalar(l), kind))
			} else {
				parts = append(parts, e.lit(0, kind))
			}
		}
		x := e.call(p.text, tNone, parts...)
		x.role = RoleType
		return x
	}
	if p.builtin == "position" && p.lanes[0].elem < 0 && p.lanes[3].elem < 0 {
		return e.construct(p.t, e.litF(0), e.litF(0), e.litF(2), e.litF(1))
	}
	var parts []*expr
	for i := 0; i < n; {
		l, ok := lane(p.lanes[i])
		if !ok {
			parts = append(parts, e.lit(0, kind))
			i++
			continue
		}
		a := ir.Arg{N: 1, Lanes: [4]ir.Lane{l}}
		for i++; i < n; i++ {
			if l, ok = lane(p.lanes[i]); !ok {
				break
			}
			a.Lanes[a.N] = l
			a.N++
		}
		parts = append(parts, e.lanes(a, kind))
	}
	if len(parts) == n && n > 1 && allZero(parts) {
		return e.call(p.t.String(), p.t)
	}
	return e.construct(p.t, parts...)
}

func allZero(parts []*expr) bool {
	for _, p := range parts {
		if !isZero(p) {
			return false
		}
	}
	return true
}

// ret is what a return does: it hands over the outputs, args one per output of
// the function.
func (e *emitter) ret(args []ir.Arg) stmt {
	io := e.ports()
	if len(io.out) == 0 {
		return returnStmt(nil)
	}
	if io.outStruct == "" {
		return returnStmt(e.portValue(&io.out[0], args))
	}
	values := make([]*expr, len(io.out))
	for i := range io.out {
		values[i] = e.portValue(&io.out[i], args)
	}
	if len(values) <= maxConstructed {
		x := e.call(io.outStruct, tNone, values...)
		x.role = RoleType
		return returnStmt(x)
	}
	list := []stmt{varStmt(io.outVar, io.outStruct, nil)}
	for i, x := range values {
		p := &io.out[i]
		m := e.member(e.ident(io.outVar, RoleVariable, tNone), p.name, p.t)
		list = append(list, assignStmt(m, x))
	}
	return blockStmt(append(list, returnStmt(e.ident(io.outVar, RoleVariable, tNone)))...)
}

// maxConstructed is the number of outputs up to which the structure is built in
// one expression; more are easier to tell apart by name.
const maxConstructed = 4

// prologue is what stands before the first statement of the entry point.
func (e *emitter) prologue() []stmt {
	io := e.ports()
	if io.corrected == "" {
		return nil
	}
	for i := range io.in {
		if p := &io.in[i]; p.builtin == "position" {
			raw := func(lanes string, n int) *expr {
				x := e.ident(p.name, RoleInput, p.t)
				if io.inStruct != "" {
					x = e.member(e.ident(io.inVar, RoleInput, tNone), p.name, p.t)
				}
				return e.member(x, lanes, vec(ir.F32, n))
			}
			// WebGPU's w is the reciprocal of D3D's (wgsl-patterns.md 8).
			s := letStmt(io.corrected, e.construct(p.t, raw("xyz", 3), e.binary("/", tF32, e.litF(1), raw("w", 1))))
			return []stmt{s}
		}
	}
	return nil
}
