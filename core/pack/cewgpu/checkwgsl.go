package cewgpu

import (
	"fmt"
	"slices"
	"strings"
)

// setFacts is what a WGSL set holds, for the rules that compare it.
type setFacts struct {
	root        cur
	version     int64
	shaders     cur
	keys        map[string]int // nil when there is no usable list
	order       []string
	list        []shaderFact
	layouts     []layoutFact
	shaderCount int
	layoutCount int

	untranslated map[string]bool // pass keys; extended profile
}

type shaderFact struct {
	key, technique, stage string
	pass                  int64
	at                    cur
	group                 [3]int64
	entry, code           string
}

type layoutFact struct {
	key, technique string
	pass           int64
	at             cur
	bindings       []bindingFact
}

type bindingFact struct {
	identity, scope, kind, symbol, wgslType string
	group, slot                             int64
	visibility                              []string
	transform                               string
	layers                                  int64
	dimension                               string
	minSize                                 int64
	bufferType                              string
	texture, sampler, storage, buffer       bool
	sampleType, samplerType                 string
	at                                      cur
}

func (f *setFacts) has(key string) bool { _, ok := f.keys[key]; return ok }

// stagesOf returns WebGPU's names of the stages that the set has modules for in a pass.
func (f *setFacts) stagesOf(technique string, pass int64) []string {
	var out []string
	for _, s := range f.list {
		if s.technique == technique && s.pass == pass {
			out = append(out, s.stage)
		}
	}
	return out
}

// checkSet applies section 10 to a set whose root keys other than the format are in
// c: the WGSL chunk, or a unit of WGSB. against says whether stages are compared
// with ANLS.
func (v *checker) checkSet(c cur, version int64, against bool) setFacts {
	f := setFacts{root: c, version: version, shaderCount: -1, layoutCount: -1}
	f.shaders = c.by(ruleSetFormat).get("shaders")
	f.keys = map[string]int{}
	f.shaderCount = f.shaders.each(func(_ int, e cur) { v.checkShader(&f, e, against) })
	if f.shaderCount == 0 && !v.extended {
		f.shaders.bad("a set has at least one module")
	}
	layouts := c.by(ruleSetFormat).get("layouts")
	seen := map[string]bool{}
	f.layoutCount = layouts.each(func(_ int, e cur) { v.checkLayout(&f, e, seen) })
	if f.layoutCount == 0 && !v.extended {
		layouts.bad("a set has at least one layout")
	}
	for _, s := range f.list {
		if k := passKey(s.technique, s.pass); !seen[k] {
			s.at.by(ruleLayoutSet).bad("pass %q has a module and no layout", clip(k))
		}
	}
	v.checkTransforms(&f, c)
	return f
}

// checkWGSL applies section 10 to the WGSL chunk.
func (v *checker) checkWGSL(d *jsonDoc) {
	c := v.root(d, ruleSetFormat)
	c.open("format", "formatVersion", "shaders", "layouts", "resourceTransforms", "untranslated", "diagnostics")
	v.checkDiagnostics(c)
	c.get("format").is("CJS_WGSL_SET")
	version, _ := c.get("formatVersion").integer(2, 3)
	v.wgsl = v.checkSet(c, version, true)
	v.checkUntranslated(c)
}

func (v *checker) checkShader(f *setFacts, e cur, against bool) {
	e = e.by(ruleShader)
	if !e.open("key", "techniqueName", "passIndex", "stageName", "stage", "stageType", "entryPoint", "code", "sourceMap", "threadGroupSize", "requires", "premises") {
		return
	}
	s := shaderFact{at: e}
	key, ok := e.get("key").text()
	s.key = key
	var ok1, ok2 bool
	s.technique, ok1 = e.get("techniqueName").text()
	s.pass, ok2 = e.get("passIndex").natural()
	st := e.by(ruleShaderStage)
	name, ok3 := st.get("stageName").oneOf("vertex", "pixel", "compute")
	stage, ok4 := st.get("stage").oneOf("vertex", "fragment", "compute")
	t, ok5 := st.get("stageType").integer(0, 2)
	if ok3 && ok5 && portableStageNames[t] != name {
		st.get("stageType").bad("stage %q has type %d, found %d", name, slices.Index(portableStageNames, name), t)
	}
	if ok3 && ok4 && webStage(name) != stage {
		st.get("stage").bad("expected %q for stage %q, found %q", webStage(name), name, stage)
	}
	s.stage = stage
	if ok {
		if _, dup := f.keys[key]; dup {
			e.get("key").bad("module %q occurs twice", clip(key))
			ok = false
		}
		if want := passKey(s.technique, s.pass) + "." + name; ok1 && ok2 && ok3 && key != want {
			e.get("key").bad("expected %q, found %q", clip(want), clip(key))
		}
	}
	var fact *stageFact
	if ok && against && v.anls.keys != nil {
		i, known := v.anls.keys[key]
		if !known {
			e.by(ruleShaderKey).get("key").bad("ANLS has no stage %q", clip(key))
		} else {
			fact = &v.anls.stages[i]
		}
	}
	s.entry, _ = e.get("entryPoint").text()
	s.code, _ = e.get("code").text()
	e.by(ruleSourceMap).get("sourceMap").each(func(_ int, m cur) {
		if m.open("line", "instructionIndex", "dxbcOffset") {
			m.get("line").integer(1, maxSafe)
			m.get("instructionIndex").natural()
			m.get("dxbcOffset").natural()
		}
	})
	g := e.by(ruleGroupSize)
	v.checkPremises(e)
	tg := g.opt("threadGroupSize")
	if name == "compute" {
		tg = g.get("threadGroupSize")
		n := tg.each(func(i int, x cur) {
			size, isInt := x.integer(1, maxSafe)
			if !isInt || i > 2 {
				return
			}
			s.group[i] = size
			if fact != nil && fact.group[i] != size {
				x.bad("ANLS has a size of %d, found %d", fact.group[i], size)
			}
		})
		if n >= 0 && n != 3 {
			tg.bad("a group size has 3 numbers, found %d", n)
		}
	} else if tg.ok() && !tg.null() {
		tg.bad("a %s stage has no group size", name)
	}
	if ok && ok1 && ok2 && ok3 && ok4 {
		f.keys[key] = len(f.list)
		f.order = append(f.order, key)
		f.list = append(f.list, s)
	}
}

func webStage(name string) string {
	if name == "pixel" {
		return "fragment"
	}
	return name
}

func (v *checker) checkLayout(f *setFacts, e cur, seen map[string]bool) {
	e = e.by(ruleLayout)
	if !e.open("key", "techniqueName", "passIndex", "bindGroups") {
		return
	}
	l := layoutFact{at: e}
	key, ok := e.get("key").text()
	var ok1, ok2 bool
	l.technique, ok1 = e.get("techniqueName").text()
	l.pass, ok2 = e.get("passIndex").natural()
	l.key = key
	if ok && ok1 && ok2 {
		if want := passKey(l.technique, l.pass); key != want {
			e.get("key").bad("expected %q, found %q", clip(want), clip(key))
			ok = false
		}
	}
	var stages []string
	if ok && ok1 && ok2 {
		if seen[key] {
			e.get("key").bad("layout %q occurs twice", clip(key))
		}
		seen[key] = true
		stages = f.stagesOf(l.technique, l.pass)
		if len(stages) == 0 {
			e.by(ruleLayoutSet).bad("pass %q has a layout and no module", clip(key))
		}
	}
	groups := map[int64]bool{}
	top := int64(-1)
	bg := e.by(ruleBindGroup).get("bindGroups")
	lc := &layoutChecker{v: v, f: f, l: &l, stages: stages,
		slots: map[[2]int64]bool{}, scopes: map[string]bool{}, shared: map[string]bool{}, single: map[string]bool{}, symbols: map[string]bool{}}
	n := bg.each(func(_ int, g cur) {
		if !g.open("group", "bindings") {
			return
		}
		group, isInt := g.get("group").natural()
		if isInt {
			if groups[group] {
				g.get("group").bad("group %d occurs twice", group)
			}
			groups[group] = true
			top = max(top, group)
		} else {
			group = -1
		}
		g.get("bindings").each(func(_ int, b cur) { lc.binding(b, group) })
	})
	if n >= 0 && int64(len(groups)) != top+1 {
		bg.bad("groups are contiguous from 0: there are %d, the highest is %d", len(groups), top)
	}
	f.layouts = append(f.layouts, l)
}

type layoutChecker struct {
	v       *checker
	f       *setFacts
	l       *layoutFact
	stages  []string
	slots   map[[2]int64]bool
	scopes  map[string]bool
	shared  map[string]bool
	single  map[string]bool
	symbols map[string]bool
}

var resourceKinds = []string{"uniform-buffer", "sampled-resource", "sampler", "storage-resource"}

func (lc *layoutChecker) binding(c cur, group int64) {
	c = c.by(ruleSlot)
	v := lc.v
	if !c.open("identity", "scopeIdentity", "resourceKind", "generatedSymbol", "registerSpace", "registerIndex", "group", "binding",
		"visibility", "type", "transformId", "arrayLayerCount", "structureStride", "buffer", "texture", "sampler", "storageTexture",
		"format", "formatFrom", "name") {
		return
	}
	b := bindingFact{at: c}
	kinds := resourceKinds
	if v.extended {
		kinds = append(slices.Clone(kinds), "uav-counter")
	}
	var okKind bool
	b.kind, okKind = c.get("resourceKind").oneOf(kinds...)
	space, ok1 := c.get("registerSpace").natural()
	index, ok2 := c.get("registerIndex").natural()
	id := c.by(ruleBindingIdentity)
	var okID bool
	b.identity, okID = id.get("identity").text()
	if okKind && ok1 && ok2 && okID {
		want := fmt.Sprintf("%s:%d:%d", b.kind, space, index)
		base, suffix, has := strings.Cut(b.identity, "#")
		extra := has && v.extended && slices.Contains([]string{"non-filtering", "comparison", "depth"}, suffix)
		if b.identity != want && !(extra && base == want) {
			id.get("identity").bad("expected %q, found %q", want, clip(b.identity))
		}
	}
	g, ok := c.get("group").natural()
	if ok && group >= 0 && g != group {
		c.get("group").bad("the binding is in group %d, found %d", group, g)
	}
	b.group = g
	slot, okSlot := c.get("binding").natural()
	b.slot = slot
	if ok && okSlot {
		if lc.slots[[2]int64{g, slot}] {
			c.get("binding").bad("group %d binding %d occurs twice", g, slot)
		}
		lc.slots[[2]int64{g, slot}] = true
	}
	vis := c.by(ruleVisibility).get("visibility")
	n := vis.each(func(_ int, e cur) {
		s, ok := e.oneOf("vertex", "fragment", "compute")
		if !ok {
			return
		}
		if slices.Contains(b.visibility, s) {
			e.bad("stage %q occurs twice", s)
			return
		}
		if lc.stages != nil && !slices.Contains(lc.stages, s) {
			e.bad("the pass has no %s module", s)
		}
		b.visibility = append(b.visibility, s)
	})
	if n == 0 {
		vis.bad("a binding is visible in at least one stage")
	}
	lc.scope(c.by(ruleScope), &b, okID && n > 0)
	b.symbol, ok = c.by(ruleSymbol).get("generatedSymbol").text()
	if ok {
		for _, s := range b.visibility {
			if lc.symbols[s+" "+b.symbol] {
				c.by(ruleSymbol).get("generatedSymbol").bad("symbol %q occurs twice in the %s stage", clip(b.symbol), s)
			}
			lc.symbols[s+" "+b.symbol] = true
		}
	}
	var okType bool
	b.wgslType, okType = c.get("type").text()
	lc.descriptor(c.by(ruleDescriptor), &b, okKind && okType)
	lc.transformed(c.by(ruleTransformBinding), &b)
	if s := c.opt("structureStride"); s.ok() {
		s.natural()
	}
	lc.l.bindings = append(lc.l.bindings, b)
}

func (lc *layoutChecker) scope(c cur, b *bindingFact, known bool) {
	var ok bool
	b.scope, ok = c.get("scopeIdentity").text()
	if !ok || !known || len(b.visibility) == 0 {
		return
	}
	shared := len(b.visibility) >= 2
	want := b.identity
	if !shared {
		want += "@" + b.visibility[0]
	}
	if b.scope != want {
		c.get("scopeIdentity").bad("expected %q for %d stage(s), found %q", clip(want), len(b.visibility), clip(b.scope))
	}
	if lc.scopes[b.scope] {
		c.get("scopeIdentity").bad("scope %q occurs twice in the layout", clip(b.scope))
	}
	lc.scopes[b.scope] = true
	if shared {
		lc.shared[b.identity] = true
	} else {
		lc.single[b.identity] = true
	}
	if lc.shared[b.identity] && lc.single[b.identity] {
		c.get("scopeIdentity").bad("%q is both shared and of one stage in this pass", clip(b.identity))
	}
}

// The texture types that the strict profile has.
var strictTextures = map[string]string{
	"texture_2d<f32>":       "2d",
	"texture_2d_array<f32>": "2d-array",
	"texture_cube<f32>":     "cube",
	"texture_3d<f32>":       "3d",
}

func (lc *layoutChecker) descriptor(c cur, b *bindingFact, known bool) {
	var at [4]cur
	n := 0
	names := []string{"buffer", "texture", "sampler", "storageTexture"}
	for i, k := range names {
		at[i] = c.opt(k)
		if at[i].ok() {
			n++
		}
	}
	if at[3].ok() && !lc.v.extended {
		at[3].by(ruleTextureKind).bad("the strict profile has no storage textures")
	}
	if n != 1 {
		c.bad("exactly one of buffer, texture, sampler is present, found %d", n)
		return
	}
	b.buffer, b.texture, b.sampler, b.storage = at[0].ok(), at[1].ok(), at[2].ok(), at[3].ok()
	if !known {
		return
	}
	allowed := map[string][]bool{
		"uniform-buffer":   {true, false, false, false},
		"sampled-resource": {true, true, false, false},
		"sampler":          {false, false, true, false},
		"storage-resource": {true, false, false, lc.v.extended},
		"uav-counter":      {true, false, false, false},
	}[b.kind]
	for i := range at {
		if at[i].ok() && !allowed[i] {
			at[i].bad("a %s has no %s descriptor", b.kind, names[i])
			return
		}
	}
	switch {
	case b.buffer:
		lc.buffer(at[0], c, b)
	case b.texture:
		lc.texture(at[1].by(ruleTextureKind), c.by(ruleTextureKind), b)
	case b.sampler:
		s := at[2].by(ruleSamplerKind)
		if !s.open("type") {
			return
		}
		t, ok := s.get("type").oneOf("filtering", "non-filtering", "comparison")
		b.samplerType = t
		want := "sampler"
		if t == "comparison" {
			want = "sampler_comparison"
		}
		if ok && b.wgslType != want {
			c.by(ruleSamplerKind).get("type").bad("a %s sampler has the WGSL type %q, found %q", t, want, clip(b.wgslType))
		}
	case b.storage:
		s := at[3].by(ruleTextureKind)
		if s.open("access", "format", "viewDimension") {
			s.get("access").oneOf("write-only", "read-only", "read-write")
			s.get("format").text()
			b.dimension, _ = s.get("viewDimension").oneOf("1d", "2d", "2d-array", "3d")
			if !strings.HasPrefix(b.wgslType, "texture_storage_") {
				c.by(ruleTextureKind).get("type").bad("a storage texture has a WGSL type texture_storage_..., found %q", clip(b.wgslType))
			}
		}
	}
}

func (lc *layoutChecker) buffer(d, c cur, b *bindingFact) {
	if !d.open("type", "hasDynamicOffset", "minBindingSize") {
		return
	}
	want, unit := "storage", int64(4)
	switch b.kind {
	case "uniform-buffer":
		want, unit = "uniform", 16
	case "sampled-resource":
		want = "read-only-storage"
	}
	d.get("type").is(want)
	b.bufferType = want
	d.get("hasDynamicOffset").isBool(false)
	size := d.by(ruleBufferSize).get("minBindingSize")
	n, ok := size.natural()
	b.minSize = n
	switch {
	case !ok:
	case n == 0 && b.kind == "uniform-buffer":
		size.bad("a uniform buffer has at least 16 bytes, found 0")
	case n%unit != 0:
		size.bad("a %s buffer has a multiple of %d bytes, found %d", want, unit, n)
	}
	if strings.HasPrefix(b.wgslType, "sampler") || strings.HasPrefix(b.wgslType, "texture_") {
		c.get("type").bad("a buffer cannot have the WGSL type %q", clip(b.wgslType))
	}
}

func (lc *layoutChecker) texture(d, c cur, b *bindingFact) {
	if !d.open("sampleType", "viewDimension", "multisampled") {
		return
	}
	if lc.v.extended {
		b.sampleType, _ = d.get("sampleType").oneOf("float", "unfilterable-float", "depth", "sint", "uint")
		b.dimension, _ = d.get("viewDimension").oneOf("1d", "2d", "2d-array", "cube", "cube-array", "3d")
		d.get("multisampled").boolean()
		if !strings.HasPrefix(b.wgslType, "texture_") || strings.HasPrefix(b.wgslType, "texture_storage_") {
			c.get("type").bad("a sampled texture has a WGSL type texture_..., found %q", clip(b.wgslType))
		}
		return
	}
	dim, ok := strictTextures[b.wgslType]
	if !ok {
		c.get("type").bad("the strict profile has texture_2d, 2d_array, cube and 3d of f32, found %q", clip(b.wgslType))
	}
	d.get("sampleType").is("float")
	b.sampleType = "float"
	got, isStr := d.get("viewDimension").str()
	b.dimension = got
	if ok && isStr && got != dim {
		d.get("viewDimension").bad("%s has the view dimension %q, found %q", b.wgslType, dim, clip(got))
	}
	d.get("multisampled").isBool(false)
}

func (lc *layoutChecker) transformed(c cur, b *bindingFact) {
	id, layers := c.opt("transformId"), c.opt("arrayLayerCount")
	if id.ok() != layers.ok() {
		c.bad("transformId and arrayLayerCount come together")
	}
	if !id.ok() || !layers.ok() {
		return
	}
	b.transform, _ = id.text()
	b.layers, _ = layers.integer(2, maxSafe)
	if b.kind != "sampled-resource" || b.wgslType != "texture_2d_array<f32>" {
		c.bad("a transform's binding is a sampled-resource of type texture_2d_array<f32>, found %s of type %q", b.kind, clip(b.wgslType))
	}
}

// checkTransforms applies section 10.3. A set has transforms from version 3 on, and
// then at least one.
func (v *checker) checkTransforms(f *setFacts, c cur) {
	t := c.by(ruleTransformSet).opt("resourceTransforms")
	switch {
	case f.version == 2 && t.ok():
		t.bad("the key exists since set version 3, this is version 2")
	case f.version == 3 && !t.ok():
		c.by(ruleTransformSet).get("resourceTransforms")
	}
	declared := map[string]bool{}
	if t.ok() {
		n := t.each(func(_ int, e cur) { v.checkTransform(f, e.by(ruleTransform), declared) })
		if n == 0 && f.version == 3 {
			t.bad("a set of version 3 has at least one transform")
		}
	}
	for _, l := range f.layouts {
		for _, b := range l.bindings {
			if b.transform != "" && !declared[b.transform] {
				b.at.by(ruleTransformBinding).get("transformId").bad("no transform %q is declared", clip(b.transform))
			}
		}
	}
}

func isSampledIdentity(s string) bool {
	rest, ok := strings.CutPrefix(s, "sampled-resource:")
	space, reg, ok2 := strings.Cut(rest, ":")
	return ok && ok2 && semverNumber(space) && semverNumber(reg)
}

func (v *checker) checkTransform(f *setFacts, c cur, declared map[string]bool) {
	if !c.open("id", "version", "kind", "layoutKey", "stage", "inputs", "output", "representation", "missingLayer") {
		return
	}
	id, okID := c.get("id").text()
	if okID {
		if declared[id] {
			c.get("id").bad("transform %q occurs twice", clip(id))
		}
		declared[id] = true
	}
	c.get("version").isInt(1, "")
	c.get("kind").is("texture-2d-array")
	c.get("stage").is("fragment")
	c.get("representation").is("native-or-rgba8")
	c.get("missingLayer").is("reject")

	var layout *layoutFact
	if key, ok := c.get("layoutKey").text(); ok {
		for i := range f.layouts {
			if f.layouts[i].key == key {
				layout = &f.layouts[i]
			}
		}
		switch {
		case layout == nil:
			c.get("layoutKey").bad("no layout %q", clip(key))
		case !slices.Contains(f.stagesOf(layout.technique, layout.pass), "fragment"):
			c.get("layoutKey").bad("pass %q has no pixel module", clip(key))
		}
	}

	var identities, scopes []string
	params := map[string]bool{}
	inputs := c.by(ruleTransformInput).get("inputs")
	n := inputs.each(func(i int, e cur) {
		if !e.open("parameter", "layer", "identity", "scopeIdentity") {
			return
		}
		if s, ok := e.get("parameter").text(); ok {
			if params[s] {
				e.get("parameter").bad("parameter %q occurs twice", clip(s))
			}
			params[s] = true
		}
		e.get("layer").isInt(int64(i), ", the position,")
		s, ok := e.get("identity").text()
		if !ok {
			return
		}
		if !isSampledIdentity(s) {
			e.get("identity").want("sampled-resource:<space>:<register>")
		}
		if slices.Contains(identities, s) {
			e.get("identity").bad("identity %q occurs twice", clip(s))
		}
		if len(identities) < 256 {
			identities = append(identities, s)
			scopes = append(scopes, s+"@fragment")
		}
		e.get("scopeIdentity").is(s + "@fragment")
	})
	if n >= 0 && n < 2 {
		inputs.bad("a transform has at least 2 inputs, found %d", n)
	}

	out := c.by(ruleTransformOutput).get("output")
	if !out.open("name", "identity", "scopeIdentity", "viewDimension", "layerCount") {
		return
	}
	out.get("name").text()
	out.get("viewDimension").is("2d-array")
	if n >= 0 {
		out.get("layerCount").isInt(int64(n), ", the number of inputs,")
	}
	if len(identities) == 0 || len(identities) != n {
		return
	}
	out.get("identity").is(identities[0])
	out.get("scopeIdentity").is(scopes[0])
	if layout != nil && okID {
		v.transformLayout(c.by(ruleTransformBinding), id, layout, scopes, int64(n))
	}
}

func (v *checker) transformLayout(c cur, id string, l *layoutFact, scopes []string, layers int64) {
	carriers := 0
	for _, b := range l.bindings {
		if b.transform == id {
			carriers++
			if b.scope != scopes[0] {
				b.at.by(ruleTransformBinding).get("scopeIdentity").bad("the output of transform %q is %q, found %q", clip(id), clip(scopes[0]), clip(b.scope))
			}
			if b.layers != layers {
				b.at.by(ruleTransformBinding).get("arrayLayerCount").bad("transform %q has %d layers, found %d", clip(id), layers, b.layers)
			}
			if b.dimension != "2d-array" {
				b.at.by(ruleTransformBinding).get("texture").bad("the output of a transform has the view dimension 2d-array, found %q", clip(b.dimension))
			}
			continue
		}
		if slices.Contains(scopes[1:], b.scope) {
			b.at.by(ruleTransformBinding).get("scopeIdentity").bad("%q is an input of transform %q: it has no binding of its own", clip(b.scope), clip(id))
		}
	}
	if carriers != 1 {
		c.get("id").bad("exactly one binding of layout %q carries the transform, found %d", clip(l.key), carriers)
	}
}
