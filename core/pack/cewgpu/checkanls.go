package cewgpu

import (
	"strconv"
)

type analysisFacts struct {
	root       cur
	version    int64
	passes     []passFact
	byPass     map[string]int
	stages     []stageFact
	keys       map[string]int
	stageCount int
}

type passFact struct {
	key       string // <technique>.pass<index>
	technique string
	index     int64
	states    cur
	stages    []int
	at        cur
}

type stageFact struct {
	key, technique, name string
	pass                 int64
	stageType            int64
	group                [3]int64
	at                   cur
}

func passKey(technique string, pass int64) string { return technique + ".pass" + itoa(pass) }

// checkAnalysis applies section 9.
func (v *checker) checkAnalysis(d *jsonDoc) {
	c := v.root(d, ruleAnalysisFormat)
	f := &v.anls
	f.root = c
	c.open("format", "formatVersion", "source", "effectVersion", "compilerVersion", "effectName", "bodyIndex", "selectedOptions", "passes", "stages")
	c.get("format").is("CEWGPU_ANALYSIS")
	c.get("formatVersion").isInt(1, "")
	if s, ok := c.by(ruleSourcePath).get("source").trimmed(); ok && v.info.sourcePath != "" && s != v.info.sourcePath {
		c.by(ruleSourcePath).get("source").bad("INFO.sourcePath is %q, found %q", clip(v.info.sourcePath), clip(s))
	}
	v.analysisVersions(c.by(ruleEffectVersion))
	if s, ok := c.by(ruleEffectName).get("effectName").trimmed(); ok && v.meta.effectName != "" && s != v.meta.effectName {
		c.by(ruleEffectName).get("effectName").bad("META.effectName is %q, found %q", clip(v.meta.effectName), clip(s))
	}
	if n, ok := c.by(ruleBodyIndex).get("bodyIndex").natural(); ok && v.meta.hasIndex && n != v.meta.bodyIndex {
		c.by(ruleBodyIndex).get("bodyIndex").bad("META.bodyIndex is %d, found %d", v.meta.bodyIndex, n)
	}
	if o := c.by(ruleOptionsAgree).get("selectedOptions"); o.ok() && v.meta.options.ok() && !o.same(v.meta.options) {
		o.bad("the options differ from META.selectedOptions")
	}
	v.analysisPasses(c.by(rulePasses).get("passes"))
	v.analysisStages(c.by(ruleStage).get("stages"))
	v.passTopology()
}

func (v *checker) analysisVersions(c cur) {
	f := &v.anls
	var ok bool
	if f.version, ok = c.get("effectVersion").integer(8, 15); ok && v.info.version != 0 {
		if v.info.version == 3 && f.version != 15 {
			c.get("effectVersion").bad("INFO version 3 is for effects of version 15, found %d", f.version)
		}
	}
	cv := c.get("compilerVersion")
	if cv.ok() && !cv.null() {
		cv.natural()
	}
	if cv.null() && v.info.version == 3 {
		cv.bad("an effect of version 15 has a compiler version, found null")
	}
	src := v.rflx.source
	if !src.ok() {
		return
	}
	for _, key := range []string{"effectVersion", "compilerVersion"} {
		a, b := c.opt(key), src.opt(key)
		if a.ok() && b.ok() && !a.same(b) {
			a.by(ruleJoin).bad("RFLX.source says %s, found %s", b.found(), a.found())
		}
	}
}

func (v *checker) analysisPasses(c cur) {
	f := &v.anls
	f.byPass = map[string]int{}
	next := map[string]int64{}
	c.each(func(_ int, e cur) {
		if !e.open("techniqueName", "passIndex", "renderStates", "states") {
			return
		}
		name, ok1 := e.get("techniqueName").text()
		index, ok2 := e.get("passIndex").natural()
		e.get("renderStates").natural()
		states := e.get("states")
		states.each(func(_ int, s cur) {
			if s.open("state", "value") {
				s.get("state").natural()
				s.get("value").u32()
			}
		})
		if !ok1 || !ok2 {
			return
		}
		if index != next[name] {
			e.get("passIndex").bad("expected pass %d of technique %q, found %d: passes count from 0 in order, and technique names are unique", next[name], clip(name), index)
		}
		next[name] = index + 1
		p := passFact{key: passKey(name, index), technique: name, index: index, states: states, at: e}
		if _, dup := f.byPass[p.key]; dup {
			return
		}
		f.byPass[p.key] = len(f.passes)
		f.passes = append(f.passes, p)
	})
}

func (v *checker) analysisStages(c cur) {
	f := &v.anls
	f.keys = map[string]int{}
	n := c.each(func(_ int, e cur) { v.analysisStage(e) })
	f.stageCount = n
	if n == 0 && !v.extended { // the extended profile has effects of libraries alone
		c.bad("an effect package describes at least one stage")
	}
}

func (v *checker) analysisStage(e cur) {
	f := &v.anls
	if !e.open("techniqueName", "passIndex", "stageType", "stageName", "shaderHandle", "shaderBytecode", "pipelineInputs",
		"threadGroupSize", "bindings", "key", "dxbc", "dxbcError", "ir", "irError") {
		return
	}
	s := stageFact{at: e, stageType: -1}
	var ok1, ok2, ok3, ok4 bool
	s.technique, ok1 = e.get("techniqueName").text()
	s.pass, ok2 = e.get("passIndex").natural()
	t := e.by(ruleStageKind)
	s.stageType, ok3 = t.get("stageType").integer(0, 5)
	if ok3 {
		s.name = portableStageNames[s.stageType]
		t.get("stageName").is(s.name)
		if s.stageType > 2 && !v.extended {
			t.get("stageType").bad("a body with a %s stage cannot be the selected body: WebGPU has no such stage", s.name)
		}
	}
	key := e.by(ruleStageKey).get("key")
	s.key, ok4 = key.text()
	pass := -1
	if ok1 && ok2 {
		i, known := f.byPass[passKey(s.technique, s.pass)]
		if !known {
			e.by(ruleStageKey).get("passIndex").bad("no pass %d of technique %q in ANLS.passes", s.pass, clip(s.technique))
		} else {
			pass = i
		}
	}
	if ok4 {
		if want := passKey(s.technique, s.pass) + "." + s.name; ok1 && ok2 && ok3 && s.key != want {
			key.bad("expected %q, found %q", clip(want), clip(s.key))
		}
		if _, dup := f.keys[s.key]; dup {
			key.bad("stage key %q occurs twice", clip(s.key))
			ok4 = false
		}
	}
	e.get("shaderHandle").natural()
	v.analysisProgram(e.by(ruleBytecode).get("shaderBytecode"), &s, ok3)
	e.by(ruleInputs).get("pipelineInputs").each(func(_ int, in cur) {
		if in.open("usage", "usageName", "registerIndex", "usageIndex", "usedMask", "type", "dimension") {
			in.get("usageName").text()
			for _, k := range inputFields {
				in.get(k).natural()
			}
		}
	})
	if g := e.by(ruleThreadGroup).get("threadGroupSize"); g.open("x", "y", "z") {
		for i, k := range []string{"x", "y", "z"} {
			n, ok := g.get(k).natural()
			s.group[i] = n
			if ok && s.stageType == 2 && n == 0 {
				g.get(k).bad("a compute stage has a size of at least 1, found 0")
			}
		}
	}
	seen := map[string]int{}
	mapped := map[string]int{}
	e.by(ruleBinding).get("bindings").each(func(_ int, b cur) { v.analysisBinding(b, &s, seen, mapped) })
	for _, k := range []string{"dxbc", "dxbcError", "ir", "irError"} {
		if x := e.by(ruleTransient).get(k); x.ok() && !x.null() {
			x.bad("compiler data stays out of a package: expected null, found %s", x.found())
		}
	}
	if ok4 && ok3 && ok1 && ok2 {
		f.keys[s.key] = len(f.stages)
		if pass >= 0 {
			f.passes[pass].stages = append(f.passes[pass].stages, len(f.stages))
		}
		f.stages = append(f.stages, s)
	}
}

var inputFields = []string{"usage", "registerIndex", "usageIndex", "usedMask", "type", "dimension"}

func (v *checker) analysisProgram(c cur, s *stageFact, typed bool) {
	if b := c.by(ruleTransient).opt("bytes"); b.ok() {
		b.bad("program bytes stay out of ANLS")
	}
	if !c.open("stageType", "stageName", "shaderSize", "stringTableOffset", "effectName", "bytes") {
		return
	}
	if typed {
		c.get("stageType").isInt(s.stageType, ", the stage's,")
		c.get("stageName").is(s.name)
	}
	c.get("shaderSize").integer(1, maxSafe)
	c.get("stringTableOffset").natural()
	if n, ok := c.by(ruleEffectName).get("effectName").text(); ok && v.meta.effectName != "" && n != v.meta.effectName {
		c.by(ruleEffectName).get("effectName").bad("META.effectName is %q, found %q", clip(v.meta.effectName), clip(n))
	}
}

var bindingPrefix = map[string]string{"constantBuffer": "cb", "sampler": "s", "resource": "t", "uav": "u"}

func typeMatchesKind(kind string, t int64) bool { return registerClass(t) == kind }

// analysisBinding applies section 9.1. seen counts (kind, space, index), mapped
// counts (kind, index).
func (v *checker) analysisBinding(c cur, s *stageFact, seen, mapped map[string]int) {
	if !c.open("kind", "generatedSymbol", "registerIndex", "registerType", "registerSpace", "registerCount", "arrayCount",
		"dynamic", "metadataName", "carbon", "annotations", "heapView", "sourceTruth") {
		return
	}
	kind, okKind := c.get("kind").oneOf("constantBuffer", "sampler", "resource", "uav")
	index, okIndex := c.get("registerIndex").natural()
	space, okSpace := c.get("registerSpace").natural()
	low := int64(1)
	if v.extended {
		low = 0 // an unbounded range
	}
	count, okCount := c.get("registerCount").integer(low, maxSafe)
	array, okArray := c.get("arrayCount").integer(low, maxSafe)
	if okCount && okArray && count != array {
		c.get("registerCount").bad("arrayCount is %d, found %d", array, count)
	}
	if okKind && okIndex {
		sym := c.get("generatedSymbol")
		if want := bindingPrefix[kind] + itoa(index); sym.ok() && (sym.kind() != jsonString || sym.d.str(sym.n) != want) {
			sym.want(strconv.Quote(want))
		}
	} else {
		c.get("generatedSymbol").text()
	}
	dynamic, okDyn := c.get("dynamic").boolean()
	heap, okHeap := c.get("heapView").boolean()
	c.get("annotations").each(nil)
	if m := c.get("metadataName"); m.ok() && !m.null() {
		m.text()
	}
	if okKind && okIndex && okSpace {
		id := kind + ":" + itoa(space) + ":" + itoa(index)
		if seen[id]++; seen[id] > 1 {
			c.bad("the stage lists %s register %d of space %d twice", kind, index, space)
		}
	}
	if !okKind {
		return
	}
	carbon := c.by(ruleCarbon).get("carbon")
	truth := c.by(ruleTruth)
	source, ok := truth.get("sourceTruth").oneOf("carbon-stage-register", "carbon-signature-sampler", "carbon-register-map")
	if !ok {
		return
	}
	regType := truth.get("registerType")
	static := false
	switch source {
	case "carbon-stage-register":
		if t, isInt := regType.integer(0, 255); isInt && !typeMatchesKind(kind, t) {
			regType.bad("register type %d is not that of a %s", t, kind)
		}
		if kind == "constantBuffer" {
			if okHeap && heap {
				truth.get("heapView").bad("a constant buffer is no heap view")
			}
		} else {
			if okDyn && !dynamic {
				truth.get("dynamic").bad("a %s of the signature is dynamic", kind)
			}
			if carbon.null() {
				return
			}
		}
	case "carbon-signature-sampler":
		static = true
		if kind != "sampler" {
			truth.get("kind").bad("a static sampler is a sampler, found %q", kind)
			return
		}
		regType.isInt(1, "")
		if okCount && count != 1 {
			truth.get("registerCount").bad("a static sampler is one register, found %d", count)
		}
	case "carbon-register-map":
		if kind == "constantBuffer" {
			truth.get("kind").bad("a constant buffer comes from the signature")
			return
		}
		if regType.ok() && !regType.null() {
			regType.bad("a record of the map has no register type, found %s", regType.found())
		}
		if okSpace && space != s.stageType {
			truth.get("registerSpace").bad("a record of the map has the stage type %d as its space, found %d", s.stageType, space)
		}
		if okDyn && !dynamic {
			truth.get("dynamic").bad("a record of the map is dynamic")
		}
		if kind == "sampler" && okCount && count != 1 {
			truth.get("registerCount").bad("a sampler of the map is one register, found %d", count)
		}
		if carbon.null() {
			carbon.bad("a record of the map has its entry, found null")
		}
		if kind != "sampler" && carbon.ok() && carbon.kind() == jsonObject && okCount {
			if el, isInt := carbon.opt("arrayElements").natural(); isInt && max(el, 1) != count && el != count {
				truth.get("registerCount").bad("the entry has %d elements, found %d", el, count)
			}
		}
	}
	if okIndex {
		id := kind + ":" + itoa(index)
		prev := mapped[id]
		if source == "carbon-register-map" {
			if prev != 0 {
				truth.bad("%s register %d has another record: the map's is for registers that the signature lacks", kind, index)
			}
			mapped[id] = 2
		} else {
			if prev == 2 {
				truth.bad("%s register %d has another record: the map's is for registers that the signature lacks", kind, index)
			}
			mapped[id] = max(prev, 1)
		}
	}
	v.carbonPayload(carbon, kind, static)
}

func (v *checker) carbonPayload(c cur, kind string, static bool) {
	switch kind {
	case "constantBuffer":
		if !c.open("hasLocalConstants", "constantValueSize", "constants") {
			return
		}
		has, ok := c.get("hasLocalConstants").boolean()
		size, okSize := c.get("constantValueSize").natural()
		n := c.get("constants").each(func(_ int, e cur) { e.object() })
		switch {
		case !ok || n < 0:
		case has && n == 0:
			c.get("constants").bad("hasLocalConstants is true, there are no constants")
		case !has && n > 0:
			c.get("constants").bad("hasLocalConstants is false, there are %d constants", n)
		case !has && okSize && size != 0:
			c.get("constantValueSize").bad("hasLocalConstants is false, the values have %d bytes", size)
		}
	case "sampler":
		if c.open("name", "sampler") {
			nullableText(c.get("name"))
			v.carbonSampler(c.get("sampler"), static)
		}
	default:
		if c.open("name", "type", "arrayElements", "isSRGB", "isAutoregister") {
			nullableText(c.get("name"))
			c.get("type").natural()
			c.get("arrayElements").natural()
			c.get("isSRGB").boolean()
			c.get("isAutoregister").boolean()
		}
	}
}

func nullableText(c cur) {
	if c.ok() && !c.null() {
		c.str()
	}
}

func (v *checker) carbonSampler(c cur, static bool) {
	if !c.open("comparison", "minFilter", "magFilter", "mipFilter", "addressU", "addressV", "addressW", "mipLODBias",
		"maxAnisotropy", "comparisonFunc", "borderColor", "minLOD", "maxLOD", "isDynamic") {
		return
	}
	c.get("comparison").boolean()
	for _, k := range []string{"minFilter", "magFilter", "mipFilter", "addressU", "addressV", "addressW", "maxAnisotropy", "comparisonFunc"} {
		c.get(k).natural()
	}
	for _, k := range []string{"mipLODBias", "minLOD", "maxLOD"} {
		if x := c.get(k); !(v.extended && x.null()) {
			x.finite()
		}
	}
	b := c.get("borderColor")
	if static {
		b.natural()
	} else if n := b.each(func(_ int, e cur) {
		if !(v.extended && e.null()) {
			e.finite()
		}
	}); n >= 0 && n != 4 {
		b.bad("a border colour has 4 components, found %d", n)
	}
	if d := c.opt("isDynamic"); d.ok() {
		d.boolean()
	}
}

// passTopology checks that a pass is of one kind.
func (v *checker) passTopology() {
	f := &v.anls
	for _, p := range f.passes {
		compute, render := false, false
		for _, i := range p.stages {
			if f.stages[i].stageType == 2 {
				compute = true
			} else {
				render = true
			}
		}
		if compute && render {
			p.at.by(ruleTopology).bad("pass %s mixes compute and render stages", clip(p.key))
		}
	}
}

// checkJoin applies section 8.4: the reflection of the selected body against ANLS.
func (v *checker) checkJoin() {
	e := v.rflx.selected
	f := &v.anls
	if !e.ok() || e.kind() != jsonObject || f.keys == nil {
		return
	}
	passes, stages := 0, 0
	names := map[string]bool{}
	e.opt("techniques").each(func(_ int, t cur) {
		name, ok := t.by(ruleJoin).get("name").text()
		if ok && names[name] {
			t.by(ruleJoin).get("name").bad("two techniques of the selected body are called %q: a package tells them apart by name", clip(name))
			ok = false
		}
		names[name] = true
		t.opt("passes").each(func(j int, p cur) {
			passes++
			k := p.opt("stages").length()
			stages += max(k, 0)
			if ok {
				v.joinPass(p.by(ruleJoin), name, int64(j), k)
			}
		})
	})
	if passes != len(f.passes) {
		f.root.by(ruleJoin).get("passes").bad("the reflection of the selected body has %d passes, found %d", passes, len(f.passes))
	}
	if f.stageCount >= 0 && stages != f.stageCount {
		f.root.by(ruleJoin).get("stages").bad("the reflection of the selected body has %d stages, found %d", stages, f.stageCount)
	}
}

func (v *checker) joinPass(p cur, technique string, index int64, stages int) {
	f := &v.anls
	i, ok := f.byPass[passKey(technique, index)]
	if !ok {
		f.root.by(ruleJoin).get("passes").bad("pass %d of technique %q is in the reflection, not here", index, clip(technique))
		return
	}
	a := f.passes[i]
	if s := p.opt("renderStates"); s.ok() && a.states.ok() && !a.states.same(s) {
		a.states.by(ruleJoin).bad("the render states differ from those of the reflection")
	}
	p.opt("stages").each(func(_ int, s cur) {
		name, ok := s.opt("stageName").str()
		if !ok {
			return
		}
		k, known := f.keys[passKey(technique, index)+"."+name]
		if !known {
			f.root.by(ruleJoin).get("stages").bad("the %s stage of pass %q is in the reflection, not here", clip(name), clip(a.key))
			return
		}
		v.joinStage(s, f.stages[k].at.by(ruleJoin))
	})
}

func (v *checker) joinStage(r, a cur) {
	differ := func(x, y cur, what string) {
		if x.ok() && y.ok() && !x.same(y) {
			x.bad("the reflection has %s %s, found %s", what, y.found(), x.found())
		}
	}
	differ(a.opt("stageType"), r.opt("stageType"), "stage type")
	differ(a.opt("stageName"), r.opt("stageName"), "stage name")
	prog, bytecode := r.opt("sourceProgram"), a.opt("shaderBytecode")
	differ(bytecode.opt("shaderSize"), prog.opt("shaderSize"), "program size")
	differ(bytecode.opt("stringTableOffset"), prog.opt("stringTableOffset"), "string table offset")
	sig := r.opt("input").opt("signature")
	g, h := a.opt("threadGroupSize"), sig.opt("threadGroupSize")
	for _, k := range []string{"x", "y", "z"} {
		differ(g.opt(k), h.opt(k), "group size")
	}
	in, want := a.opt("pipelineInputs"), sig.opt("pipelineInputs")
	if !in.ok() || !want.ok() {
		return
	}
	if n, m := in.length(), want.length(); n != m {
		if n >= 0 && m >= 0 {
			in.bad("the reflection has %d pipeline inputs, found %d", m, n)
		}
		return
	}
	wants := make([]cur, 0, 16)
	want.each(func(_ int, e cur) { wants = append(wants, e) })
	in.each(func(i int, e cur) {
		for _, k := range inputFields {
			differ(e.opt(k), wants[i].opt(k), k)
		}
	})
}
