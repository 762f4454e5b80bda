package effect

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var sprintf = fmt.Sprintf

// The limits of the published readers; see the format's table of rejections.
const (
	maxPasses  = 64
	maxStages  = 6
	maxPerKind = 64 // pipeline inputs, textures, samplers, UAVs, states
	maxGroups  = 256
)

// decoder walks records. The first failure sticks: later reads give zeros, and
// loops stop. With build unset it checks everything and keeps nothing, so that a
// file is validated without allocating what it claims to hold.
type decoder struct {
	b        []byte // the whole file
	off, end int    // next byte and end of the readable part
	last     int    // where the number read last starts
	version  uint32
	text     table
	span     uint64 // permutations that the axes read so far span
	build    bool
	err      *Error

	trail

	seen   [4]uint64 // registers of the list being read
	stages uint8     // stage types of the pass being read
	stage  StageType // the space of registers before version 13
	states [maxPerKind]uint32
	nstate int
	names  []nameRef // scratch for finding repeated names
}

// decoders saves making one for each body, which is more than a small body takes.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decodeBody builds the body of permutation perm at a range that Parse has checked.
func (e *Effect) decodeBody(perm, off, size int) (*Body, error) {
	d := decoders.Get().(*decoder)
	*d = decoder{b: e.src, version: e.Version, text: e.text, build: true}
	b, err := d.body(perm, off, size)
	*d = decoder{} // it must not keep the file alive
	decoders.Put(d)
	return b, err
}

func (d *decoder) fail(kind error, off int, format string, args ...any) {
	if d.err == nil {
		d.err = &Error{Offset: off, Path: d.where(), Reason: sprintf(format, args...), Kind: kind}
	}
}

// need reports whether n more bytes can be read.
func (d *decoder) need(n int, what string) bool {
	if d.err != nil {
		return false
	}
	if d.end-d.off < n {
		d.fail(ErrTruncated, d.off, "%s needs %s, %d left", what, byteCount(n), d.end-d.off)
		return false
	}
	return true
}

func (d *decoder) u8(what string) uint8 {
	if !d.need(1, what) {
		return 0
	}
	d.last = d.off
	d.off++
	return d.b[d.last]
}

func (d *decoder) u16(what string) uint16 {
	if !d.need(2, what) {
		return 0
	}
	d.last = d.off
	d.off += 2
	return binary.LittleEndian.Uint16(d.b[d.last:])
}

func (d *decoder) u32(what string) uint32 {
	if !d.need(4, what) {
		return 0
	}
	d.last = d.off
	d.off += 4
	return binary.LittleEndian.Uint32(d.b[d.last:])
}

func (d *decoder) bool8(what string) (bool, uint8) {
	v := d.u8(what)
	return v != 0, v
}

func byteCount(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.Itoa(n) + " bytes"
}

// fits checks a count read just before against the bytes left, so that no claim
// of a file becomes an allocation.
func (d *decoder) fits(n uint64, size int, what string) bool {
	if d.err == nil && n*uint64(size) > uint64(d.end-d.off) {
		d.fail(ErrTruncated, d.last, "the count %d (%s) needs at least %d bytes, %d left", n, what, n*uint64(size), d.end-d.off)
	}
	return d.err == nil
}

// atMost checks a count read just before against a reader's limit.
func (d *decoder) atMost(n, limit int, what string) {
	if d.err == nil && n > limit {
		d.fail(ErrTooMany, d.last, "%d %s, at most %d are allowed", n, what, limit)
	}
}

// list reads n records of at least size bytes each.
func list[T any](d *decoder, name string, n uint64, size int, read func(*decoder) T) []T {
	if n == 0 || !d.fits(n, size, name) {
		return nil
	}
	var out []T
	if d.build {
		out = make([]T, 0, n)
	}
	d.push(name, 0)
	for i := range int(n) {
		d.path[d.depth-1] = segment{name: name, index: i}
		v := read(d)
		if d.err != nil {
			return nil
		}
		if d.build {
			out = append(out, v)
		}
	}
	d.pop()
	return out
}

// str reads a text reference. The text is part of the table's string, so that it
// costs no memory of its own.
func (d *decoder) str(what string) (string, uint32) {
	off := d.u32(what)
	if d.err != nil {
		return "", off
	}
	switch {
	case uint64(off) >= uint64(d.text.size()):
		d.fail(ErrString, d.last, "%s starts at %d, the string table has %d bytes", what, off, d.text.size())
		return "", off
	case !d.text.terminated(off):
		d.fail(ErrString, d.last, "%s at %d has no terminator inside the string table of %d bytes", what, off, d.text.size())
		return "", off
	}
	if !d.build {
		return "", off
	}
	return d.text.at(off), off
}

// blob reads the offset of size bytes; size was read before it.
func (d *decoder) blob(size uint32, what string) ([]byte, uint32) {
	off := d.u32(what)
	if d.err != nil || size == 0 {
		return nil, off
	}
	if uint64(off)+uint64(size) > uint64(d.text.size()) {
		d.fail(ErrRange, d.last, "%s: %d bytes at %d pass the end of the string table (%d bytes)", what, size, off, d.text.size())
		return nil, off
	}
	table := d.tableStart()
	return d.b[table+int(off) : table+int(off)+int(size) : table+int(off)+int(size)], off
}

// tableStart is the file offset of the string table.
func (d *decoder) tableStart() int { return tableOffset(d.version) }

func tableOffset(version uint32) int {
	if version >= 15 {
		return 44
	}
	return 8
}

// once records the register at hand and refuses it if its list had it before.
func (d *decoder) once(reg uint8, off int) {
	if d.err != nil {
		return
	}
	if d.seen[reg>>6]&(1<<(reg&63)) != 0 {
		d.fail(ErrDuplicate, off, "register %d occurs twice", reg)
	}
	d.seen[reg>>6] |= 1 << (reg & 63)
}

type nameRef struct {
	off, length uint32
	at          int // file offset of the reference
	index       int
}

// addName keeps the text at off for the next uniqueNames.
func (d *decoder) addName(off uint32, at, index int) {
	if d.err == nil {
		d.names = append(d.names, nameRef{off: off, length: d.text.length(off), at: at, index: index})
	}
}

// uniqueNames refuses a repeated text among those added since the last call. It
// sorts by length first: texts of one length at different offsets cannot share
// bytes, so a hostile table cannot make the comparisons long.
func (d *decoder) uniqueNames(name, what string) {
	n := d.names
	d.names = d.names[:0]
	if d.err != nil || len(n) < 2 {
		return
	}
	text := func(r nameRef) string { return d.text.at(r.off) }
	slices.SortFunc(n, func(a, b nameRef) int {
		if c := cmp.Compare(a.length, b.length); c != 0 {
			return c
		}
		if a.off != b.off {
			if c := strings.Compare(text(a), text(b)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.index, b.index)
	})
	for i := 1; i < len(n); i++ {
		a, b := n[i-1], n[i]
		if a.length == b.length && (a.off == b.off || text(a) == text(b)) {
			d.push(name, b.index)
			d.fail(ErrDuplicate, b.at, "%s %q occurs twice, first as %s[%d]", what, clip(text(b)), name, a.index)
			d.pop()
			return
		}
	}
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	if len(s) > 64 {
		return s[:64] + "..."
	}
	return s
}

// body decodes the body of size bytes at off, which permutation perm owns.
func (d *decoder) body(perm, off, size int) (*Body, error) {
	d.off, d.end, d.depth, d.err = off, off+size, 0, nil
	d.push("body", perm)
	techniques := list(d, "technique", uint64(d.u8("technique count")), d.minTechnique(), (*decoder).technique)
	n := int(d.u16("parameter group count"))
	d.atMost(n, maxGroups, "parameter groups")
	groups := list(d, "group", uint64(n), 5, (*decoder).group)
	d.uniqueNames("group", "parameter group")
	if d.err == nil && d.off < d.end {
		d.fail(ErrTrailing, d.off, "%s after the body's last record", byteCount(d.end-d.off))
	}
	if d.err != nil {
		d.names = d.names[:0]
		return nil, d.err
	}
	if !d.build {
		return nil, nil
	}
	return &Body{techniques, groups}, nil
}

func (d *decoder) minTechnique() int {
	if d.version >= 14 {
		return 6
	}
	return 5
}

func (d *decoder) technique() (t Technique) {
	t.Name, t.nameOff = d.str("technique name")
	n := int(d.u8("pass count"))
	d.atMost(n, maxPasses, "passes")
	t.Passes = list(d, "pass", uint64(n), 2, (*decoder).pass)
	if d.version >= 14 {
		t.Libraries = list(d, "library", uint64(d.u8("library count")), 4+8+4+4+2*(2+16), (*decoder).library)
	}
	return t
}

func (d *decoder) pass() (p Pass) {
	n := int(d.u8("stage count"))
	d.atMost(n, maxStages, "stages")
	d.stages = 0
	p.Stages = list(d, "stage", uint64(n), 1+1+8+12+16, (*decoder).stageRecord)
	n = int(d.u8("render state count"))
	d.atMost(n, maxPerKind, "render states")
	d.nstate = 0
	p.States = list(d, "state", uint64(n), 8, (*decoder).renderState)
	return p
}

func (d *decoder) renderState() RenderState {
	at := d.off
	s := RenderState{d.u32("render state"), d.u32("render state value")}
	if d.err == nil {
		if slices.Contains(d.states[:d.nstate], s.State) {
			d.fail(ErrDuplicate, at, "render state %d occurs twice", s.State)
			return s
		}
		d.states[d.nstate] = s.State
		d.nstate++
	}
	return s
}

func (d *decoder) stageRecord() (s Stage) {
	at := d.off
	s.Type = StageType(d.u8("stage type"))
	if d.err != nil {
		return s
	}
	if s.Type > Domain {
		d.fail(ErrRange, at, "stage type %d, the last known is %d", uint8(s.Type), uint8(Domain))
		return s
	}
	if d.stages&(1<<s.Type) != 0 {
		d.fail(ErrDuplicate, at, "the pass has two %s stages", s.Type)
		return s
	}
	d.stages |= 1 << s.Type
	d.stage = s.Type
	d.path[d.depth-1].label = s.Type.Short()

	if d.version < 14 {
		s.Inputs = d.inputs()
		s.Bindings = d.bindings()
	}
	s.Program, s.ProgramOffset = d.program()
	if d.version < 12 {
		s.shadow[0] = d.u32("shadow program size")
		s.shadow[1] = d.u32("shadow program offset")
	}
	for i := range s.ThreadGroup {
		s.ThreadGroup[i] = d.u32("thread group size")
	}
	if d.version >= 14 {
		s.Inputs = d.inputs()
		s.Bindings = d.bindings()
	}
	s.StageData = d.stageData()
	return s
}

func (d *decoder) program() ([]byte, uint32) {
	size := d.u32("program size")
	p, off := d.blob(size, "program")
	if d.err == nil && size == 0 && off != NoData && uint64(off) > uint64(d.text.size()) {
		d.fail(ErrRange, d.last, "empty program at %d, the string table has %d bytes", off, d.text.size())
	}
	return p, off
}

func (d *decoder) inputs() []PipelineInput {
	n := int(d.u8("pipeline input count"))
	d.atMost(n, maxPerKind, "pipeline inputs")
	size := 6
	if d.version < 11 {
		size = 4
	}
	return list(d, "inputs", uint64(n), size, (*decoder).input)
}

func (d *decoder) input() (p PipelineInput) {
	p.Usage = Usage(d.u8("usage"))
	p.Register = d.u8("register index")
	p.Index = d.u8("usage index")
	p.Mask = d.u8("used mask")
	if d.version >= 11 {
		p.Type = InputType(d.u8("type"))
		p.Dimension = d.u8("dimension")
		return p
	}
	if p.Usage == UsageBlendIndices {
		p.Type = InputUint
	}
	p.Dimension = 4
	return p
}

func (d *decoder) bindings() (b Bindings) {
	if d.version < 9 {
		return b
	}
	size := 10
	if d.version < 13 {
		size = 5
	}
	b.Registers = list(d, "registers", uint64(d.u8("register count")), size, (*decoder).register)
	if d.version >= 13 {
		b.StaticSamplers = list(d, "staticSamplers", uint64(d.u8("static sampler count")), 27, (*decoder).staticSampler)
	}
	return b
}

func (d *decoder) register() Register {
	r := Register{Type: RegisterType(d.u8("register type"))}
	if d.version == 9 {
		r.Type = oldRegisterType(uint8(r.Type))
	}
	r.Index = d.u32("register index")
	if d.version < 13 {
		r.Count, r.Space = 1, uint8(d.stage)
		return r
	}
	r.Count = d.u32("array count")
	r.Space = d.u8("register space")
	return r
}

// oldRegisterType maps the numbering of version 9 as the engine's reader does.
func oldRegisterType(t uint8) RegisterType {
	switch t {
	case 0:
		return RegConstantBuffer
	case 2:
		return RegUAVTexture2D
	case 3:
		return RegSampler
	}
	return RegSRVTexture2D
}

func (d *decoder) samplerState() (s SamplerState) {
	s.Comparison, s.rawComparison = d.bool8("comparison flag")
	s.MinFilter = Filter(d.u8("min filter"))
	s.MagFilter = Filter(d.u8("mag filter"))
	s.MipFilter = Filter(d.u8("mip filter"))
	s.AddressU = AddressMode(d.u8("address mode"))
	s.AddressV = AddressMode(d.u8("address mode"))
	s.AddressW = AddressMode(d.u8("address mode"))
	s.MipLODBias = Bits(d.u32("LOD bias"))
	s.MaxAnisotropy = d.u8("anisotropy")
	s.ComparisonFunc = CompareFunc(d.u8("comparison function"))
	return s
}

func (d *decoder) staticSampler() (s StaticSampler) {
	s.Index = d.u32("register index")
	s.Space = d.u8("register space")
	s.SamplerState = d.samplerState()
	s.BorderColor = BorderColor(d.u8("border colour"))
	s.MinLOD = Bits(d.u32("lowest LOD"))
	s.MaxLOD = Bits(d.u32("highest LOD"))
	return s
}

func (d *decoder) stageData() (s StageData) {
	s.Constants = list(d, "constants", uint64(d.u32("constant count")), 20, (*decoder).constant)
	s.Defaults, s.DefaultsOffset = d.blob(d.u32("defaults size"), "defaults")
	v13 := d.version >= 13

	n := int(d.u8("texture count"))
	d.atMost(n, maxPerKind, "textures")
	d.seen = [4]uint64{}
	s.Textures = list(d, "textures", uint64(n), pick(v13, 12, 8), (*decoder).texture)

	n = int(d.u8("sampler count"))
	d.atMost(n, maxPerKind, "samplers")
	d.seen = [4]uint64{}
	s.Samplers = list(d, "samplers", uint64(n), pick(v13, 43, 42), (*decoder).sampler)

	n = int(d.u8("UAV count"))
	d.atMost(n, maxPerKind, "UAVs")
	d.seen = [4]uint64{}
	s.UAVs = list(d, "uavs", uint64(n), pick(v13, 11, 7), (*decoder).uav)

	s.Annotations = d.annotations()
	return s
}

func pick(c bool, yes, no int) int {
	if c {
		return yes
	}
	return no
}

func (d *decoder) constant() (c Constant) {
	c.Name, c.nameOff = d.str("constant name")
	c.Offset = d.u32("constant offset")
	c.Size = d.u32("constant size")
	t := d.u8("constant type")
	c.Type = ConstantType(t)
	if d.version < 11 {
		c.Type = oldConstantType(t)
	}
	c.Dimension = d.u8("constant dimension")
	c.Elements = d.u32("constant elements")
	c.IsSRGB, c.rawSRGB = d.bool8("sRGB flag")
	c.IsAutoregister, c.rawAut = d.bool8("autoregister flag")
	return c
}

// oldConstantType maps the numbering of versions 8 to 10, which has no uint.
func oldConstantType(t uint8) ConstantType {
	switch t {
	case 0, 1:
		return ConstantType(t)
	case 2:
		return ConstBool
	case 3, 4:
		return ConstOther
	}
	return ConstantType(t)
}

func (d *decoder) elements() uint32 {
	if d.version < 13 {
		return 1
	}
	return d.u32("array elements")
}

func (d *decoder) texture() (t Texture) {
	at := d.off
	t.Register = d.u8("register")
	d.once(t.Register, at)
	t.Name, t.nameOff = d.str("texture name")
	t.Type = ResourceType(d.u8("resource type"))
	t.Elements = d.elements()
	t.IsSRGB, t.rawSRGB = d.bool8("sRGB flag")
	t.IsAutoregister, t.rawAut = d.bool8("autoregister flag")
	return t
}

func (d *decoder) sampler() (s Sampler) {
	at := d.off
	s.Register = d.u8("register")
	d.once(s.Register, at)
	s.Name, s.nameOff = d.str("sampler name")
	s.SamplerState = d.samplerState()
	for i := range s.BorderColor {
		s.BorderColor[i] = Bits(d.u32("border colour"))
	}
	s.MinLOD = Bits(d.u32("lowest LOD"))
	s.MaxLOD = Bits(d.u32("highest LOD"))
	s.IsDynamic = true
	if d.version >= 13 {
		s.IsDynamic, s.rawDyn = d.bool8("dynamic flag")
	}
	return s
}

func (d *decoder) uav() (u UAV) {
	at := d.off
	u.Register = d.u8("register")
	d.once(u.Register, at)
	u.Name, u.nameOff = d.str("UAV name")
	u.Type = ResourceType(d.u8("resource type"))
	u.Elements = d.elements()
	u.IsAutoregister, u.rawAut = d.bool8("autoregister flag")
	return u
}

func (d *decoder) annotations() []Annotation {
	return list(d, "annotations", uint64(d.u8("annotation count")), 9, (*decoder).annotation)
}

func (d *decoder) annotation() (a Annotation) {
	a.Name, a.nameOff = d.str("annotation name")
	a.Type = AnnotationType(d.u8("annotation type"))
	if a.Type == AnnotationString {
		a.Text, a.textOff = d.str("annotation text")
	} else {
		a.Raw = d.u32("annotation value")
	}
	return a
}

func (d *decoder) group() (g ParameterGroup) {
	at := d.off
	g.Name, g.nameOff = d.str("parameter name")
	if !d.build { // a body that is built was checked before
		d.addName(g.nameOff, at, d.path[d.depth-1].index)
	}
	g.Annotations = d.annotations()
	return g
}

func (d *decoder) library() (l Library) {
	l.PayloadSize = d.u32("payload size")
	l.Program, l.ProgramOffset = d.program()
	l.Exports = list(d, "exports", uint64(d.u32("export count")), 5, (*decoder).export)
	l.HitGroupName, l.hitOff = d.str("hit group name")
	d.stage = Compute // as both readers treat the two inputs
	for i, in := range [...]*LibraryInput{&l.Global, &l.Local} {
		d.push([...]string{"global", "local"}[i], -1)
		in.Bindings = d.bindings()
		in.StageData = d.stageData()
		if d.err != nil {
			return l
		}
		d.pop()
	}
	return l
}

func (d *decoder) export() (x Export) {
	x.Type = ExportType(d.u8("export type"))
	x.Name, x.nameOff = d.str("export name")
	return x
}

// equalRange reports whether two ranges of the file hold the same bytes.
func (e *Effect) equalRange(a, b BodyRecord) bool {
	return a.Size == b.Size && bytes.Equal(e.rangeOf(a), e.rangeOf(b))
}

func (e *Effect) rangeOf(r BodyRecord) []byte { return e.src[r.Offset : r.Offset+r.Size] }
