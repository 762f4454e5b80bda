package effect

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Encode writes the effect as it was parsed: the same string table, offsets (those
// beside a size of zero too), order of records, body ranges and raw bits, so that
// the result equals the file that Parse read. Only version 15 is written; for an
// older one, [Build] the [Effect.Model].
func (e *Effect) Encode() ([]byte, error) {
	if e.Version != WriteVersion {
		return nil, fmt.Errorf("version %d effect: only version %d is written as it was read; build one from its model: %w", e.Version, WriteVersion, ErrVersion)
	}
	w := &encoder{b: make([]byte, 0, e.Size)}
	w.header(e.CompilerVersion, e.SourceHash, e.StringTable)
	w.axes(e.Axes)
	w.records(e.Records)

	order := make([]int, len(e.Records))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.Records[a].Offset, e.Records[b].Offset), cmp.Compare(a, b))
	})
	for i, p := range order {
		if i > 0 && e.Records[order[i-1]].Offset == e.Records[p].Offset {
			continue
		}
		b, err := e.Body(p)
		if err != nil {
			return nil, err
		}
		w.depth = 0
		w.push("body", p)
		w.body(b)
	}
	if w.err != nil {
		return nil, w.err
	}
	return w.b, nil
}

// refs turns texts and blobs into string table offsets. Without one, the encoder
// writes the offsets that the records were read with.
type refs interface {
	text(s string) uint32
	blob(b []byte) uint32
}

// encoder writes version 15 records; the first failure sticks.
type encoder struct {
	b    []byte
	refs refs
	err  *Error
	trail
}

func (w *encoder) fail(kind error, format string, args ...any) {
	if w.err == nil {
		w.err = &Error{Offset: -1, Path: w.where(), Reason: sprintf(format, args...), Kind: kind}
	}
}

func (w *encoder) u8(v uint8)   { w.b = append(w.b, v) }
func (w *encoder) u32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }

// flag writes a boolean as the byte that it was read from, or as 0 or 1.
func (w *encoder) flag(v bool, raw uint8) {
	switch {
	case !v:
		raw = 0
	case raw == 0:
		raw = 1
	}
	w.u8(raw)
}

// count8 writes a count that the format stores in one byte. The engine's compiler
// lets larger ones wrap around; such a file would be nonsense.
func (w *encoder) count8(n int, what string) {
	if n > math.MaxUint8 {
		w.fail(ErrTooMany, "%d %s, the format has room for %d", n, what, math.MaxUint8)
	}
	w.u8(uint8(n))
}

func (w *encoder) text(s string, off uint32) {
	if w.refs != nil {
		if strings.IndexByte(s, 0) >= 0 {
			w.fail(ErrString, "the text %q contains a zero byte", clip(s))
		}
		off = w.refs.text(s)
	}
	w.u32(off)
}

func (w *encoder) blob(b []byte, off uint32) {
	w.u32(uint32(len(b)))
	switch {
	case w.refs == nil:
	case len(b) == 0:
		off = NoData
	default:
		off = w.refs.blob(b)
	}
	w.u32(off)
}

func (w *encoder) header(compiler [4]uint8, hash string, table []byte) {
	w.u32(WriteVersion)
	w.b = append(w.b, compiler[:]...)
	w.b = append(w.b, hash...)
	w.u32(uint32(len(table)))
	w.b = append(w.b, table...)
}

func (w *encoder) axes(axes []Axis) {
	w.push("axes", -1)
	w.count8(len(axes), "axes")
	w.pop()
	for i := range axes {
		a := &axes[i]
		w.push("axis", i)
		w.text(a.Name, a.nameOff)
		w.u8(uint8(a.Default))
		w.text(a.Description, a.descOff)
		w.u8(a.Type)
		w.count8(len(a.Options), "options")
		for j, o := range a.Options {
			var off uint32
			if w.refs == nil {
				off = a.optionOffs[j]
			}
			w.text(o, off)
		}
		w.pop()
	}
}

func (w *encoder) records(recs []BodyRecord) {
	w.u32(uint32(len(recs)))
	for _, r := range recs {
		w.u32(r.Index)
		w.u32(r.Offset)
		w.u32(r.Size)
	}
}

func (w *encoder) body(b *Body) {
	w.count8(len(b.Techniques), "techniques")
	for i := range b.Techniques {
		w.push("technique", i)
		w.technique(&b.Techniques[i])
		w.pop()
	}
	if len(b.Groups) > maxGroups {
		w.fail(ErrTooMany, "%d parameter groups, at most %d are allowed", len(b.Groups), maxGroups)
	}
	w.b = binary.LittleEndian.AppendUint16(w.b, uint16(len(b.Groups)))
	for i, g := range sorted(w, b.Groups, func(g ParameterGroup) string { return g.Name }) {
		w.push("group", i)
		w.text(g.Name, g.nameOff)
		w.annotations(g.Annotations)
		w.pop()
	}
}

// sorted returns s in the order that the engine's compiler writes: by key, when
// building; as it is when rewriting. s itself stays as it is.
func sorted[T any, K cmp.Ordered](w *encoder, s []T, key func(T) K) []T {
	by := func(a, b T) int { return cmp.Compare(key(a), key(b)) }
	if w.refs == nil || slices.IsSortedFunc(s, by) {
		return s
	}
	s = slices.Clone(s)
	slices.SortStableFunc(s, by)
	return s
}

func (w *encoder) technique(t *Technique) {
	w.text(t.Name, t.nameOff)
	w.count8(len(t.Passes), "passes")
	for i := range t.Passes {
		w.push("pass", i)
		w.pass(&t.Passes[i])
		w.pop()
	}
	w.count8(len(t.Libraries), "libraries")
	for i := range t.Libraries {
		w.push("library", i)
		w.library(&t.Libraries[i])
		w.pop()
	}
}

func (w *encoder) pass(p *Pass) {
	w.count8(len(p.Stages), "stages")
	for i := range p.Stages {
		w.push("stage", i)
		w.path[w.depth-1].label = p.Stages[i].Type.Short()
		w.stage(&p.Stages[i])
		w.pop()
	}
	w.count8(len(p.States), "render states")
	for _, s := range sorted(w, p.States, func(s RenderState) uint32 { return s.State }) {
		w.u32(s.State)
		w.u32(s.Value)
	}
}

func (w *encoder) stage(s *Stage) {
	w.u8(uint8(s.Type))
	w.blob(s.Program, s.ProgramOffset)
	for _, n := range s.ThreadGroup {
		w.u32(n)
	}
	w.count8(len(s.Inputs), "pipeline inputs")
	for _, p := range s.Inputs {
		w.b = append(w.b, uint8(p.Usage), p.Register, p.Index, p.Mask, uint8(p.Type), p.Dimension)
	}
	w.bindings(&s.Bindings)
	w.stageData(&s.StageData, false)
}

func (w *encoder) bindings(b *Bindings) {
	w.count8(len(b.Registers), "registers")
	for _, r := range b.Registers {
		w.u8(uint8(r.Type))
		w.u32(r.Index)
		w.u32(r.Count)
		w.u8(r.Space)
	}
	w.count8(len(b.StaticSamplers), "static samplers")
	for i := range b.StaticSamplers {
		s := &b.StaticSamplers[i]
		w.u32(s.Index)
		w.u8(s.Space)
		w.samplerState(&s.SamplerState)
		w.u8(uint8(s.BorderColor))
		w.u32(uint32(s.MinLOD))
		w.u32(uint32(s.MaxLOD))
	}
}

func (w *encoder) samplerState(s *SamplerState) {
	w.flag(s.Comparison, s.rawComparison)
	w.b = append(w.b, uint8(s.MinFilter), uint8(s.MagFilter), uint8(s.MipFilter),
		uint8(s.AddressU), uint8(s.AddressV), uint8(s.AddressW))
	w.u32(uint32(s.MipLODBias))
	w.u8(s.MaxAnisotropy)
	w.u8(uint8(s.ComparisonFunc))
}

func (w *encoder) stageData(s *StageData, library bool) {
	w.u32(uint32(len(s.Constants)))
	for i := range s.Constants {
		c := &s.Constants[i]
		w.push("constants", i)
		w.text(c.Name, c.nameOff)
		w.u32(c.Offset)
		w.u32(c.Size)
		w.u8(uint8(c.Type))
		w.u8(c.Dimension)
		w.u32(c.Elements)
		w.flag(c.IsSRGB, c.rawSRGB)
		w.flag(c.IsAutoregister, c.rawAut)
		w.pop()
	}
	if library && len(s.Defaults) == 0 {
		w.u32(0)
		w.u32(s.DefaultsOffset) // the engine's compiler never sets it: any value is right
	} else {
		w.blob(s.Defaults, s.DefaultsOffset)
	}

	w.count8(len(s.Textures), "textures")
	for i, t := range sorted(w, s.Textures, func(t Texture) uint8 { return t.Register }) {
		w.push("textures", i)
		w.u8(t.Register)
		w.text(t.Name, t.nameOff)
		w.u8(uint8(t.Type))
		w.u32(t.Elements)
		w.flag(t.IsSRGB, t.rawSRGB)
		w.flag(t.IsAutoregister, t.rawAut)
		w.pop()
	}
	w.count8(len(s.Samplers), "samplers")
	for i, t := range sorted(w, s.Samplers, func(t Sampler) uint8 { return t.Register }) {
		w.push("samplers", i)
		w.u8(t.Register)
		w.text(t.Name, t.nameOff)
		w.samplerState(&t.SamplerState)
		for _, c := range t.BorderColor {
			w.u32(uint32(c))
		}
		w.u32(uint32(t.MinLOD))
		w.u32(uint32(t.MaxLOD))
		w.flag(t.IsDynamic, t.rawDyn)
		w.pop()
	}
	w.count8(len(s.UAVs), "UAVs")
	for i, u := range sorted(w, s.UAVs, func(u UAV) uint8 { return u.Register }) {
		w.push("uavs", i)
		w.u8(u.Register)
		w.text(u.Name, u.nameOff)
		w.u8(uint8(u.Type))
		w.u32(u.Elements)
		w.flag(u.IsAutoregister, u.rawAut)
		w.pop()
	}
	w.annotations(s.Annotations)
}

func (w *encoder) annotations(list []Annotation) {
	w.count8(len(list), "annotations")
	for i, a := range sorted(w, list, func(a Annotation) string { return a.Name }) {
		w.push("annotations", i)
		w.text(a.Name, a.nameOff)
		w.u8(uint8(a.Type))
		if a.Type == AnnotationString {
			w.text(a.Text, a.textOff)
		} else {
			w.u32(a.Raw)
		}
		w.pop()
	}
}

func (w *encoder) library(l *Library) {
	w.u32(l.PayloadSize)
	w.blob(l.Program, l.ProgramOffset)
	w.u32(uint32(len(l.Exports)))
	for i, x := range l.Exports {
		w.push("exports", i)
		w.u8(uint8(x.Type))
		w.text(x.Name, x.nameOff)
		w.pop()
	}
	w.text(l.HitGroupName, l.hitOff)
	w.push("global", -1)
	w.bindings(&l.Global.Bindings)
	w.stageData(&l.Global.StageData, true)
	w.pop()
	w.push("local", -1)
	w.bindings(&l.Local.Bindings)
	w.stageData(&l.Local.StageData, true)
	w.pop()
}
