package cewgpu

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"

	"fxlens/core/effect"
)

// portableChecker applies the rules of the portable body reflection to a JSON
// document, whether its bytes are blob references (store) or base64 text.
type portableChecker struct {
	v        *checker
	store    *blobInventory
	inline   bool  // bytes are base64 text
	table    int64 // stringTableByteLength, -1 unknown
	programs int
}

// bytes returns the length of a byte run, or -1.
func (p *portableChecker) bytes(c cur) int64 {
	b, ok := p.content(c)
	if !ok {
		return -1
	}
	return int64(len(b))
}

// content returns the bytes of a byte run.
func (p *portableChecker) content(c cur) ([]byte, bool) {
	if !c.ok() {
		return nil, false
	}
	if p.inline {
		s, ok := c.str()
		if !ok {
			return nil, false
		}
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		if err != nil {
			c.bad("the text is not base64: %v", err)
			return nil, false
		}
		return b, true
	}
	return p.store.resolve(c)
}

// source checks the fields that the portable source and that of RFLX share.
func (p *portableChecker) source(c cur) {
	p.table = -1
	if v, ok := c.get("effectVersion").u32(); ok && v != 15 {
		c.get("effectVersion").bad("only effects of version 15 have a reflection, found %d", v)
	}
	c.get("compilerVersion").u32()
	h := c.get("nativeHash")
	if n := p.bytes(h); n >= 0 && n != 32 {
		h.bad("the native hash has 32 bytes, found %d", n)
	}
	size, okSize := c.get("byteLength").integer(1, math.MaxUint32)
	table, ok := c.get("stringTableByteLength").u32()
	if ok && okSize && table > size {
		c.get("stringTableByteLength").bad("a string table of %d bytes in a file of %d", table, size)
	}
	if ok {
		p.table = table
	}
}

// document checks a document that stands alone.
func (p *portableChecker) document(c cur) {
	if !c.closed("format", "formatVersion", "mode", "keyScope", "coverage", "source", "permutationIndex", "sourceRecord", "effect") {
		return
	}
	c.get("format").is("CJS_EFFECT_BODY_REFLECTION")
	c.get("formatVersion").isInt(1, "")
	c.get("mode").is("single-body")
	c.get("keyScope").is("body-local")
	if cov := c.get("coverage"); cov.closed("bodies", "reflection", "sourcePrograms", "constantDefaults") {
		cov.get("bodies").is("single")
		cov.get("reflection").is("complete")
		cov.get("sourcePrograms").is("complete")
		cov.get("constantDefaults").is("exact")
	}
	src := c.get("source")
	p.table = -1
	if src.closed("label", "effectVersion", "compilerVersion", "nativeHash", "stringTableByteLength", "byteLength") {
		src.get("label").str()
		p.source(src)
	}
	c.get("permutationIndex").u32()
	if rec := c.get("sourceRecord"); rec.closed("offset", "byteLength") {
		off, ok1 := rec.get("offset").u32()
		n, ok2 := rec.get("byteLength").integer(1, math.MaxUint32)
		size, ok3 := src.opt("byteLength").integer(1, math.MaxUint32)
		if ok1 && ok2 && ok3 && off+n > size {
			rec.bad("bytes %d to %d pass the end of the source, which has %d", off, off+n, size)
		}
	}
	p.effect(c.get("effect"))
}

// count compares a count with its array's length.
func (p *portableChecker) count(c cur, key string, n int) {
	got, ok := c.get(key).u32()
	if ok && n >= 0 && got != int64(n) {
		c.by(ruleCountMismatch).get(key).bad("expected %d, the length of the array, found %d", n, got)
	}
}

func (p *portableChecker) effect(c cur) {
	if !c.closed("annotations", "annotationGroupCount", "techniqueCount", "techniques") {
		return
	}
	groups := map[string]bool{}
	n := c.by(ruleAnnotation).get("annotations").each(func(_ int, e cur) {
		if !e.closed("parameterName", "annotations") {
			return
		}
		if s, ok := e.get("parameterName").str(); ok {
			if groups[s] {
				e.get("parameterName").bad("parameter %q occurs twice", clip(s))
			}
			groups[s] = true
		}
		p.annotations(e.get("annotations"))
	})
	p.count(c, "annotationGroupCount", n)
	n = c.get("techniques").each(func(i int, e cur) { p.technique(e, "technique"+strconv.Itoa(i)) })
	p.count(c, "techniqueCount", n)
}

func (p *portableChecker) annotations(c cur) int {
	return c.each(func(_ int, e cur) {
		if !e.object() {
			return
		}
		t, ok := e.get("type").u8()
		switch {
		case !ok:
		case t == 3:
			e.closed("name", "type", "stringValue")
			e.get("stringValue").str()
		case t < 3:
			e.closed("name", "type", "rawValue")
			e.get("rawValue").u32()
		default:
			e.get("type").bad("annotation type %d, the last known is 3", t)
		}
		e.get("name").text()
	})
}

// key checks a key that its place decides.
func (p *portableChecker) key(c cur, want string) {
	c.by(ruleKey).get("key").is(want)
}

func (p *portableChecker) technique(c cur, key string) {
	if !c.closed("key", "name", "passCount", "libraryCount", "passes", "libraries") {
		return
	}
	p.key(c, key)
	c.get("name").str()
	p.count(c, "passCount", c.get("passes").each(func(i int, e cur) { p.pass(e, key+".pass"+strconv.Itoa(i)) }))
	p.count(c, "libraryCount", c.get("libraries").each(func(i int, e cur) { p.library(e, key+".library"+strconv.Itoa(i)) }))
}

func (p *portableChecker) pass(c cur, key string) {
	if !c.closed("key", "renderStateCount", "renderStates", "stageCount", "stages") {
		return
	}
	p.key(c, key)
	states := map[int64]bool{}
	n := c.by(ruleRenderState).get("renderStates").each(func(_ int, e cur) {
		if !e.closed("state", "value") {
			return
		}
		e.get("value").u32()
		if s, ok := e.get("state").u32(); ok {
			if states[s] {
				e.get("state").bad("render state %d occurs twice", s)
			}
			states[s] = true
		}
	})
	p.count(c, "renderStateCount", n)
	var types [6]bool
	n = c.get("stages").each(func(_ int, e cur) { p.stage(e, key, &types) })
	p.count(c, "stageCount", n)
}

var portableStageNames = []string{"vertex", "pixel", "compute", "geometry", "hull", "domain"}

func (p *portableChecker) stage(c cur, pass string, types *[6]bool) {
	if !c.closed("key", "stageType", "stageName", "sourceProgram", "input") {
		return
	}
	s := c.by(ruleStageType)
	t, ok := s.get("stageType").integer(0, 5)
	name := ""
	if ok {
		name = portableStageNames[t]
		if types[t] {
			s.get("stageType").bad("the pass has two %s stages", name)
		}
		types[t] = true
		s.get("stageName").is(name)
		p.key(c, pass+".stage"+itoa(t))
	}
	prog := c.by(ruleProgram).get("sourceProgram")
	if prog.closed("kind", "shaderSize", "stringTableOffset", "bytes", "stageType", "stageName") {
		b := p.program(prog, "stage")
		if ok && b != nil {
			if info := effect.LookAtProgram(b); info.Kind == effect.ProgramDXBC && int64(info.Stage) != t {
				prog.by(ruleProgramStage).get("bytes").bad("the bytes are a %s program", info.Stage)
			}
		}
		if ok {
			prog.get("stageType").isInt(t, ", the stage's,")
			prog.get("stageName").is(name)
		}
	}
	p.input(c.get("input"))
}

// program checks a program record and returns the program's bytes, if they are there.
func (p *portableChecker) program(c cur, kind string) []byte {
	p.programs++
	c.get("kind").is(kind)
	size, ok := c.get("shaderSize").integer(1, math.MaxUint32)
	b, have := p.content(c.get("bytes"))
	if have && ok && int64(len(b)) != size {
		c.get("shaderSize").bad("the program has %d bytes, found %d", len(b), size)
	}
	off, ok2 := c.get("stringTableOffset").u32()
	if ok && ok2 && p.table >= 0 && off+size > p.table {
		c.get("stringTableOffset").bad("bytes %d to %d pass the end of the string table, which has %d", off, off+size, p.table)
	}
	return b
}

func (p *portableChecker) library(c cur, key string) {
	if !c.closed("key", "payloadSize", "sourceProgram", "exportCount", "exports", "hitGroupName", "globalInput", "localInput") {
		return
	}
	p.key(c, key)
	c.by(ruleLibrary).get("payloadSize").u32()
	if prog := c.by(ruleProgram).get("sourceProgram"); prog.closed("kind", "shaderSize", "stringTableOffset", "bytes") {
		p.program(prog, "library")
	}
	seen := map[string]bool{}
	n := c.by(ruleLibrary).get("exports").each(func(_ int, e cur) {
		if !e.closed("type", "name") {
			return
		}
		t, ok1 := e.get("type").integer(0, 4)
		s, ok2 := e.get("name").text()
		if ok1 && ok2 {
			id := itoa(t) + ":" + s
			if seen[id] {
				e.bad("export %q of type %d occurs twice", clip(s), t)
			}
			seen[id] = true
		}
	})
	p.count(c, "exportCount", n)
	c.by(ruleLibrary).get("hitGroupName").str()
	p.input(c.get("globalInput"))
	p.input(c.get("localInput"))
}

// mapEntry is a named texture, UAV or sampler, to be matched with the signature.
type mapEntry struct {
	at       cur
	register int64
	elements int64
	dynamic  bool
	name     string
}

func (p *portableChecker) input(c cur) {
	if !c.closed("constantDefaults", "constantCount", "constants", "resourceCount", "resources", "uavCount", "uavs",
		"samplerCount", "samplers", "annotationCount", "annotations", "signature") {
		return
	}
	if d := c.by(ruleDefaults).get("constantDefaults"); d.closed("declaredByteLength", "bytes") {
		n, ok := d.get("declaredByteLength").u32()
		got := p.bytes(d.get("bytes"))
		switch {
		case ok && n > 4096:
			d.get("declaredByteLength").bad("defaults have at most 4096 bytes, found %d", n)
		case ok && got >= 0 && got != n:
			d.get("declaredByteLength").bad("the defaults have %d bytes, found %d", got, n)
		}
	}
	p.count(c, "constantCount", p.constants(c.by(ruleConstant).get("constants")))

	var textures, uavs, samplers []mapEntry
	n, textures := p.resources(c.by(ruleResource).get("resources"))
	p.count(c, "resourceCount", n)
	n, uavs = p.resources(c.by(ruleResource).get("uavs"))
	p.count(c, "uavCount", n)
	n, samplers = p.samplers(c.by(ruleSampler).get("samplers"))
	p.count(c, "samplerCount", n)
	p.count(c, "annotationCount", p.annotations(c.by(ruleAnnotation).get("annotations")))
	p.signature(c.by(ruleRegister).get("signature"), textures, uavs, samplers)
}

func (p *portableChecker) constants(c cur) int {
	names := map[string]bool{}
	return c.each(func(_ int, e cur) {
		if !e.closed("name", "offset", "size", "type", "dimension", "elements", "isSRGB", "isAutoregister") {
			return
		}
		if s, ok := e.get("name").text(); ok {
			if names[s] {
				e.get("name").bad("constant %q occurs twice", clip(s))
			}
			names[s] = true
		}
		off, ok1 := e.get("offset").u32()
		size, ok2 := e.get("size").integer(1, math.MaxUint32)
		if ok1 && ok2 && off+size > 4096 {
			e.bad("bytes %d to %d pass 4096", off, off+size)
		}
		e.get("type").integer(0, 4)
		e.get("dimension").integer(1, 255)
		e.get("elements").u32()
		e.get("isSRGB").boolean()
		e.get("isAutoregister").boolean()
	})
}

func (p *portableChecker) resources(c cur) (int, []mapEntry) {
	var out []mapEntry
	var seen [256]bool
	n := c.each(func(_ int, e cur) {
		if !e.closed("registerIndex", "name", "type", "arrayElements", "isSRGB", "isAutoregister") {
			return
		}
		reg, ok1 := e.get("registerIndex").u8()
		if ok1 && seen[reg] {
			e.get("registerIndex").bad("register %d occurs twice", reg)
			ok1 = false
		}
		name, _ := e.get("name").text()
		e.get("type").u8()
		el, ok2 := e.get("arrayElements").u32()
		e.get("isSRGB").boolean()
		e.get("isAutoregister").boolean()
		if ok1 {
			seen[reg] = true
		}
		if ok1 && ok2 {
			out = append(out, mapEntry{at: e, register: reg, elements: el, name: name})
		}
	})
	return n, out
}

func (p *portableChecker) samplers(c cur) (int, []mapEntry) {
	var out []mapEntry
	var seen [256]bool
	n := c.each(func(_ int, e cur) {
		if !e.closed("registerIndex", "name", "isDynamic", "descriptor") {
			return
		}
		reg, ok1 := e.get("registerIndex").u8()
		if ok1 && seen[reg] {
			e.get("registerIndex").bad("register %d occurs twice", reg)
			ok1 = false
		}
		dyn, ok2 := e.get("isDynamic").boolean()
		name := e.get("name")
		text := ""
		if ok2 && dyn {
			text, _ = name.str()
		} else if ok2 && name.ok() && !name.null() {
			name.bad("a sampler that is not dynamic has no name, found %s", name.found())
		}
		p.descriptor(e.get("descriptor"), "borderColorRaw")
		if ok1 {
			seen[reg] = true
		}
		if ok1 && ok2 {
			out = append(out, mapEntry{at: e, register: reg, dynamic: dyn, name: text})
		}
	})
	return n, out
}

// samplerRanges are the highest values that the engine knows.
var samplerRanges = []struct {
	key  string
	most int64
}{{"minFilter", 3}, {"magFilter", 3}, {"mipFilter", 3}, {"addressU", 5}, {"addressV", 5}, {"addressW", 5}, {"comparisonFunc", 8}}

func (p *portableChecker) descriptor(c cur, border string) {
	if !c.closed("comparison", "minFilter", "magFilter", "mipFilter", "addressU", "addressV", "addressW", "mipLODBiasRaw",
		"maxAnisotropy", "comparisonFunc", border, "minLODRaw", "maxLODRaw") {
		return
	}
	c.get("comparison").boolean()
	for _, k := range []string{"minFilter", "magFilter", "mipFilter", "addressU", "addressV", "addressW", "maxAnisotropy", "comparisonFunc"} {
		c.get(k).u8()
	}
	for _, k := range []string{"mipLODBiasRaw", "minLODRaw", "maxLODRaw"} {
		c.get(k).u32()
	}
	for _, k := range samplerRanges {
		if n := int64(quietInt(c.opt(k.key))); n > k.most {
			c.by(ruleSamplerRange).get(k.key).bad("the highest known value is %d, found %d", k.most, n)
		}
	}
	b := c.get(border)
	if border == "borderColor" {
		b.u8()
		return
	}
	if n := b.each(func(_ int, e cur) { e.u32() }); n >= 0 && n != 4 {
		b.bad("a border colour has 4 components, found %d", n)
	}
}

type registerRange struct {
	at            cur
	class         string
	space         int64
	index, count  int64
	first, behind int64 // [first, behind)
}

func registerClass(t int64) string {
	switch {
	case t == 0:
		return "constantBuffer"
	case t == 1:
		return "sampler"
	case t >= 32 && t <= 63:
		return "resource"
	case t >= 64 && t <= 95:
		return "uav"
	}
	return "raw" + itoa(t)
}

func (p *portableChecker) signature(c cur, textures, uavs, samplers []mapEntry) {
	if !c.closed("pipelineInputCount", "pipelineInputs", "registerCount", "registers", "staticSamplerCount", "staticSamplers", "threadGroupSize") {
		return
	}
	n := c.get("pipelineInputs").each(func(_ int, e cur) {
		if !e.closed("usage", "registerIndex", "usageIndex", "usedMask", "type", "dimension") {
			return
		}
		for _, k := range []string{"usage", "registerIndex", "usageIndex", "usedMask", "type", "dimension"} {
			e.get(k).u8()
		}
	})
	p.count(c, "pipelineInputCount", n)

	n, regs := p.registers(c.get("registers"))
	p.count(c, "registerCount", n)
	n, statics := p.statics(c.get("staticSamplers"))
	p.count(c, "staticSamplerCount", n)
	if g := c.get("threadGroupSize"); g.closed("x", "y", "z") {
		for _, k := range []string{"x", "y", "z"} {
			g.get(k).u32()
		}
	}
	matchMap(textures, uavs, samplers, regs, statics)
}

func (p *portableChecker) registers(c cur) (int, []registerRange) {
	var regs []registerRange
	n := c.each(func(_ int, e cur) {
		if !e.closed("registerType", "registerIndex", "arrayCount", "registerCount", "registerSpace") {
			return
		}
		t, ok1 := e.get("registerType").u8()
		index, ok2 := e.get("registerIndex").u32()
		count, ok3 := e.get("registerCount").u32()
		array, ok4 := e.get("arrayCount").u32()
		space, ok5 := e.get("registerSpace").u8()
		if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
			return
		}
		if count != array {
			e.get("registerCount").bad("arrayCount is %d, found %d", array, count)
		}
		r := registerRange{at: e, class: registerClass(t), space: space, index: index, count: array, first: index, behind: index + array}
		if array == 0 {
			r.behind = 1 << 32
			if r.class != "sampler" && r.class != "resource" && r.class != "uav" {
				e.get("arrayCount").bad("a %s register cannot be unbounded", r.class)
			}
		}
		if r.behind > 1<<32 {
			e.get("arrayCount").bad("registers %d to %d pass 2^32", r.first, r.behind)
		}
		regs = append(regs, r)
	})
	order := slices.Clone(regs)
	slices.SortStableFunc(order, func(a, b registerRange) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.space, b.space), cmp.Compare(a.first, b.first), cmp.Compare(a.at.n, b.at.n))
	})
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if a.class == b.class && a.space == b.space && b.first < a.behind {
			b.at.by(ruleRangeOverlap).bad("%s registers %s overlap %s in space %d", b.class, rangeWord(b), rangeWord(a), b.space)
		}
	}
	return n, regs
}

func rangeWord(r registerRange) string {
	if r.count == 0 {
		return fmt.Sprintf("%d and up", r.first)
	}
	return fmt.Sprintf("%d to %d", r.first, r.behind-1)
}

func (p *portableChecker) statics(c cur) (int, []int64) {
	var out []int64
	seen := map[[2]int64]bool{}
	n := c.each(func(_ int, e cur) {
		if !e.closed("registerIndex", "registerSpace", "descriptor") {
			return
		}
		index, ok1 := e.get("registerIndex").u32()
		space, ok2 := e.get("registerSpace").u8()
		p.descriptor(e.get("descriptor"), "borderColor")
		if !ok1 || !ok2 {
			return
		}
		if seen[[2]int64{space, index}] {
			e.bad("static sampler %d of space %d occurs twice", index, space)
		}
		seen[[2]int64{space, index}] = true
		out = append(out, index)
	})
	return n, out
}

// matchMap compares the named entries with the signature, in any space.
func matchMap(textures, uavs, samplers []mapEntry, regs []registerRange, statics []int64) {
	exact := func(entries []mapEntry, class string) {
		for _, m := range entries {
			at := m.at.by(ruleMap)
			var match []registerRange
			for _, r := range regs {
				if r.class == class && r.index == m.register {
					match = append(match, r)
				}
			}
			switch {
			case len(match) == 0:
				at.get("registerIndex").bad("the program binds no %s register %d for %q", class, m.register, clip(m.name))
			case len(match) > 1:
				at.get("registerIndex").bad("%d %s registers have index %d in different spaces: %q is ambiguous", len(match), class, m.register, clip(m.name))
			case match[0].count != m.elements:
				at.get("arrayElements").bad("the register has count %d, found %d", match[0].count, m.elements)
			}
		}
	}
	exact(textures, "resource")
	exact(uavs, "uav")
	for _, m := range samplers {
		at := m.at.by(ruleMap)
		n := 0
		if m.dynamic {
			for _, r := range regs {
				if r.class == "sampler" && r.index == m.register {
					n++
					if r.count > 1 {
						at.bad("a dynamic sampler takes one register, its range has %d", r.count)
					}
				}
			}
		} else {
			for _, s := range statics {
				if s == m.register {
					n++
				}
			}
		}
		if n > 1 {
			at.get("registerIndex").bad("%d samplers of the signature have index %d in different spaces", n, m.register)
		}
	}
}
