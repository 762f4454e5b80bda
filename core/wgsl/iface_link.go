package wgsl

import (
	"cmp"
	"slices"
	"strconv"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

var (
	codeLinkUnwritten = diag.Register(diag.Info{
		Code: "iface.unwritten-varying", Title: "pixel input that the vertex program does not write",
		Rule:   "WebGPU refuses a fragment input without a vertex output; D3D leaves the value undefined, we write zero",
		Remedy: "write the output in the vertex program if the value matters",
	})
	codeLinkType = diag.Register(diag.Info{
		Code: "iface.varying-type", Title: "vertex output and pixel input of different types",
		Rule:   "WebGPU compares the types of both sides; the vertex output is written with the pixel input's type, bit for bit",
		Remedy: "declare both with one type",
	})
	codeLinkSemantic = diag.Register(diag.Info{
		Code: "iface.varying-semantic", Title: "one register with two semantics",
		Rule:   "D3D links stages by register and refuses signatures whose semantics differ (dxbc.md 6)",
		Remedy: "check that the two programs belong together",
	})
	codeLinkSplit = diag.Register(diag.Info{
		Code: "iface.split-register", Title: "register split into several locations",
		Rule:   "a WGSL location has one type and one interpolation; D3D packs elements with different ones into one register",
		Remedy: "none",
	})
)

// Limits that WebGPU guarantees.
const (
	maxVaryings      = 16
	maxAttributes    = 16
	maxInvocations   = 256
	maxGroupBytes    = 16384
	clipDistanceMost = 8
)

// LinkStages decides what the vertex and the pixel program of a pass declare
// between them: a location for each register, the same type and interpolation on
// both sides, wide enough for both (binding-plan.md 7). Either program may be
// nil; then the other's declarations stand. Zero-filled and retyped varyings are
// reported as warnings; nothing here is refused.
func LinkStages(vs, ps *ir.Function) (*Link, []diag.Diag) {
	l := &linker{link: &Link{}}
	l.collect(vs, ps)
	l.split()
	l.place()
	return l.link, l.diags
}

// linkLane is one component of an inter-stage register: the elements of both sides.
type linkLane struct {
	vs, ps *ir.Elem
}

type linker struct {
	link  *Link
	diags []diag.Diag
	regs  [32][4]linkLane
	both  bool
}

// isVarying reports whether the element of a vertex output or pixel input goes
// through a location.
func isVarying(el *ir.Elem, out bool) bool {
	if el.Register == dxbc.NoRegister || el.Register >= 32 {
		return false
	}
	switch el.SysValue {
	case dxbc.SysPosition, dxbc.SysTargetIndex, dxbc.SysViewportIndex, dxbc.SysFrontFace, dxbc.SysSampleIndex:
		return false
	case dxbc.SysClipDistance, dxbc.SysCullDistance:
		return !out // a vertex output is a built-in; it has a location only if the pixel program reads it
	case dxbc.SysPrimitiveID, dxbc.SysVertexID, dxbc.SysInstanceID:
		return out
	}
	return true
}

func (l *linker) collect(vs, ps *ir.Function) {
	l.both = vs != nil && ps != nil
	if ps != nil {
		for i := range ps.Inputs {
			el := &ps.Inputs[i]
			if !isVarying(el, false) || el.Used == 0 {
				continue
			}
			for c := range 4 {
				if el.Mask>>c&1 != 0 && l.regs[el.Register][c].ps == nil {
					l.regs[el.Register][c].ps = el
				}
			}
		}
	}
	if vs == nil {
		return
	}
	for i := range vs.Outputs {
		el := &vs.Outputs[i]
		if el.Register >= 32 {
			continue
		}
		for c := range 4 {
			lane := &l.regs[el.Register][c]
			if el.Mask>>c&1 != 0 && lane.vs == nil && (isVarying(el, true) || lane.ps != nil && el.SysValue != dxbc.SysPosition) {
				lane.vs = el
			}
		}
	}
}

// interpolation is the WGSL interpolate attribute of a pixel input, empty for
// the default. Integers are flat, whatever the declaration says.
func interpolation(el *ir.Elem) string {
	if el.Kind() != ir.F32 {
		return "flat"
	}
	switch el.Interp {
	case dxbc.InterpConstant:
		return "flat"
	case dxbc.InterpLinearCentroid:
		return "perspective, centroid"
	case dxbc.InterpLinearNoPerspective:
		return "linear"
	case dxbc.InterpLinearNoPerspectiveCentroid:
		return "linear, centroid"
	case dxbc.InterpLinearSample:
		return "perspective, sample"
	case dxbc.InterpLinearNoPerspectiveSample:
		return "linear, sample"
	}
	return ""
}

type linkKey struct {
	kind   ir.Kind
	interp string
}

// split groups the components of each register by type and interpolation.
func (l *linker) split() {
	for reg := range l.regs {
		lanes := &l.regs[reg]
		var keys [4]linkKey
		var have, fromPS uint8
		for c := range lanes {
			switch ln := lanes[c]; {
			case ln.ps != nil:
				keys[c] = linkKey{ln.ps.Kind(), interpolation(ln.ps)}
				have |= 1 << c
				fromPS |= 1 << c
				l.compare(uint32(reg), c, ln)
			case ln.vs != nil:
				keys[c] = linkKey{kind: ln.vs.Kind()}
				if keys[c].kind != ir.F32 {
					keys[c].interp = "flat"
				}
				have |= 1 << c
			}
		}
		// What only the vertex program knows joins a group that it fits into.
		for c := range lanes {
			if have>>c&1 == 0 || fromPS>>c&1 != 0 {
				continue
			}
			for d := range lanes {
				if fromPS>>d&1 != 0 && keys[d].kind == keys[c].kind {
					keys[c] = keys[d]
					break
				}
			}
		}
		first := len(l.link.Varyings)
		for c := range lanes {
			if have>>c&1 == 0 {
				continue
			}
			i := first
			for i < len(l.link.Varyings) && (l.link.Varyings[i].Kind != keys[c].kind || l.link.Varyings[i].Interp != keys[c].interp) {
				i++
			}
			if i == len(l.link.Varyings) {
				l.link.Varyings = append(l.link.Varyings, Varying{Register: uint32(reg), Location: -1, Kind: keys[c].kind, Interp: keys[c].interp, First: uint8(c)})
			}
			v := &l.link.Varyings[i]
			v.Mask |= 1 << c
			v.N = uint8(c) - v.First + 1
			v.FromPixel = v.FromPixel || lanes[c].ps != nil
			v.FromVertex = v.FromVertex || lanes[c].vs != nil
		}
		if len(l.link.Varyings) == first+1 {
			// One location: component c of the register is component c of it.
			v := &l.link.Varyings[first]
			v.N, v.First = v.First+v.N, 0
		}
	}
}

// compare reports what does not agree about one component.
func (l *linker) compare(reg uint32, c int, ln linkLane) {
	if !l.both {
		return
	}
	once := c == 0 || l.regs[reg][c-1].ps != ln.ps
	switch {
	case ln.vs == nil || ln.vs.Used>>c&1 == 0:
		if ln.ps.Used>>c&1 != 0 {
			l.report(diag.Warning, codeLinkUnwritten, "%s%d.%c (v%d) is read by the pixel program and not written by the vertex program; it is zero",
				ln.ps.Semantic, ln.ps.Index, laneNames[c], reg)
		}
	case ln.vs.Kind() != ln.ps.Kind() && once:
		l.report(diag.Warning, codeLinkType, "%s%d (v%d) is %s in the pixel program and %s in the vertex program",
			ln.ps.Semantic, ln.ps.Index, reg, typ{ln.ps.Kind(), 1}, typ{ln.vs.Kind(), 1})
	}
	if ln.vs != nil && once && !sameSemantic(ln.vs, ln.ps) {
		l.report(diag.Warning, codeLinkSemantic, "register %d is %s%d in the vertex program and %s%d in the pixel program",
			reg, ln.vs.Semantic, ln.vs.Index, ln.ps.Semantic, ln.ps.Index)
	}
}

func (l *linker) report(sev diag.Severity, code diag.Code, format string, args ...any) {
	l.diags = append(l.diags, diag.New(sev, code, diag.Loc{Stage: "ps"}, format, args...))
}

func sameSemantic(a, b *ir.Elem) bool {
	return a.Index == b.Index && foldASCII(a.Semantic) == foldASCII(b.Semantic)
}

// foldASCII is s in lower case: semantics are compared without regard to case.
func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// place gives every varying its location: the register's number, and for the
// further parts of a split register the first number behind all registers, or
// the lowest free one where that leaves the default limit.
func (l *linker) place() {
	var used [192]bool // 32 registers in at most four parts each, and slack
	highest := -1
	for i := range l.link.Varyings {
		v := &l.link.Varyings[i]
		if !used[v.Register] {
			used[v.Register] = true
			v.Location = int(v.Register)
			highest = max(highest, v.Location)
		}
	}
	for i := range l.link.Varyings {
		v := &l.link.Varyings[i]
		if v.Location >= 0 {
			continue
		}
		at := highest + 1
		if at >= maxVaryings {
			at = 0
		}
		for used[at] {
			at++
		}
		used[at] = true
		v.Location = at
		highest = max(highest, at)
		l.report(diag.Note, codeLinkSplit, "register %d carries components of different type or interpolation; %s goes to location %d", v.Register, componentNames(v.Mask), v.Location)
	}
	slices.SortFunc(l.link.Varyings, func(a, b Varying) int { return cmp.Compare(a.Location, b.Location) })
}

// componentNames is a mask in letters: "xyw".
func componentNames(mask uint8) string {
	return [...]string{"", "x", "y", "xy", "z", "xz", "yz", "xyz", "w", "xw", "yw", "xyw", "zw", "xzw", "yzw", "xyzw"}[mask&15]
}

// find returns the varying that holds a component of a register, or nil.
func (l *Link) find(reg uint32, comp int) *Varying {
	for i := range l.Varyings {
		v := &l.Varyings[i]
		if v.Register == reg && v.Mask>>comp&1 != 0 {
			return v
		}
	}
	return nil
}

// attribute is the location attribute with its interpolation.
func (v *Varying) attribute() string {
	s := locationAttr(v.Location)
	if v.Interp != "" {
		s += " @interpolate(" + v.Interp + ")"
	}
	return s
}

func locationAttr(n int) string { return "@location(" + strconv.Itoa(n) + ")" }
