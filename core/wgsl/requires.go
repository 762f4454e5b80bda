package wgsl

import (
	"slices"

	"fxlens/core/diag"
	"fxlens/core/wgsl/layout"
)

// feature records a GPU feature that the module needs.
func (e *emitter) feature(name string, instr int, why string) {
	if i, found := slices.BinarySearch(e.mod.Requires.Features, name); !found {
		e.mod.Requires.Features = slices.Insert(e.mod.Requires.Features, i, name)
	}
	e.beyond(instr, "%s: needs the feature %s", why, name)
}

// language records a WGSL language feature that the module needs.
func (e *emitter) language(name string) {
	if i, found := slices.BinarySearch(e.mod.Requires.Language, name); !found {
		e.mod.Requires.Language = slices.Insert(e.mod.Requires.Language, i, name)
	}
}

// limit records a limit that the module needs beyond the default.
func (e *emitter) limit(name string, value, standard int) {
	if value <= standard {
		return
	}
	if e.mod.Requires.Limits == nil {
		e.mod.Requires.Limits = map[string]int{}
	}
	if value > e.mod.Requires.Limits[name] {
		e.mod.Requires.Limits[name] = value
		e.beyond(-1, "needs %s %d, the default is %d", name, value, standard)
	}
}

func (e *emitter) beyond(instr int, format string, args ...any) {
	sev := diag.Warning
	if e.opt.Limits {
		sev = diag.Error
	}
	at := diag.Loc{}
	if instr >= 0 {
		at = diag.At(instr)
	}
	e.diags = append(e.diags, diag.New(sev, codeNeeds, at, format, args...))
}

// requirements records the limits of the interface and takes over those of the
// plan (which has reported them). Workgroup memory counts every variable,
// rounded up to 16 bytes: bytes is the sum.
func (e *emitter) requirements(bytes int) {
	io := e.ports()
	switch e.stage() {
	case layout.Vertex:
		last, n := -1, 0
		for i := range io.in {
			if io.in[i].location >= 0 {
				last, n = max(last, io.in[i].location), n+1
			}
		}
		e.limit("maxVertexAttributes", max(last+1, n), maxAttributes)
		e.varyingLimit(io.out)
	case layout.Fragment:
		e.varyingLimit(io.in)
	default:
		g := e.groupSize()
		e.limit("maxComputeWorkgroupSizeX", int(g[0]), 256)
		e.limit("maxComputeWorkgroupSizeY", int(g[1]), 256)
		e.limit("maxComputeWorkgroupSizeZ", int(g[2]), 64)
		e.limit("maxComputeInvocationsPerWorkgroup", int(g[0]*g[1]*g[2]), maxInvocations)
		e.limit("maxComputeWorkgroupStorageSize", bytes, maxGroupBytes)
		e.mod.Workgroup = g
	}
	if e.plan == nil {
		return
	}
	s := e.stage()
	for _, name := range e.plan.Features[s] {
		if i, found := slices.BinarySearch(e.mod.Requires.Features, name); !found {
			e.mod.Requires.Features = slices.Insert(e.mod.Requires.Features, i, name)
		}
	}
	for name, n := range e.plan.Limits[s] {
		if e.mod.Requires.Limits == nil {
			e.mod.Requires.Limits = map[string]int{}
		}
		e.mod.Requires.Limits[name] = max(n, e.mod.Requires.Limits[name])
	}
}

// varyingLimit checks the number of inter-stage variables; built-in fragment
// inputs other than the position, and clip distances, count.
func (e *emitter) varyingLimit(list []port) {
	last, n := -1, 0
	for i := range list {
		p := &list[i]
		switch {
		case p.location >= 0:
			last, n = max(last, p.location), n+1
		case p.builtin == "clip_distances":
			n += (int(p.t.n) + 3) / 4
		case p.builtin != "position":
			n++
		}
	}
	e.limit("maxInterStageShaderVariables", max(last+1, n), maxVaryings)
}
