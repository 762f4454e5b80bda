package cewgpu

import (
	"fmt"
	"slices"
	"strings"

	"fxlens/core/diag"
)

// What follows is what the format's other readers don't look at: whether the
// modules are the ones that the documents describe (section 16). Its findings are
// warnings. Whether a module is valid WGSL is for a WGSL validator to say.

// The rules about modules.
var (
	ruleCodeEntry     = warn("code.entry", "a module has no such entry point", "The module has a function with the entry point's name and the stage's attribute.")
	ruleCodeGroup     = warn("code.workgroup", "a module has another workgroup size", "@workgroup_size is threadGroupSize.")
	ruleCodeBinding   = warn("code.binding", "a module declares a binding that the layout lacks", "Every @group and @binding of a module is in its pass's layout, visible in its stage.")
	ruleCodeType      = warn("code.type", "a module declares a binding with another type", "The type and address space of a variable are those of its slot.")
	ruleCodeInterface = warn("code.interface", "the stages of a pass don't fit", "The vertex module writes every location that the fragment module reads, with its type and interpolation.")
	ruleCodeMap       = warn("code.source-map", "a source map leaves the text", "Source map lines are ascending and inside the text.")
	ruleCodeRegister  = warn("code.register", "a layout binds a register that the signature lacks", "Every slot is a register of the stage's signature in the reflection.")
	ruleCodeLimit     = ruleWith(diag.Note, "code.limit", "a pass needs more than WebGPU's default limits", "Devices guarantee 4 bind groups, 16 sampled textures and 16 samplers a stage, 8 storage buffers a stage, 4 storage textures a stage, 64 KiB of uniform buffer, 256 invocations, workgroup sizes of 256, 256 and 64.", "request the limits from the device, or reduce what the pass binds")
)

// checkUntranslated checks the extended profile's list of passes without modules.
func (v *checker) checkUntranslated(c cur) {
	u := c.by(ruleUntranslated).opt("untranslated")
	if !u.ok() {
		return
	}
	if !v.extended {
		u.bad("the strict profile has no untranslated passes")
		return
	}
	v.wgsl.untranslated = map[string]bool{}
	u.each(func(_ int, e cur) {
		if !e.open("key", "reason") {
			return
		}
		key, ok := e.get("key").text()
		e.get("reason").text()
		if !ok {
			return
		}
		if _, known := v.anls.byPass[key]; v.anls.keys != nil && !known {
			e.get("key").bad("ANLS has no pass %q", clip(key))
		}
		v.wgsl.untranslated[key] = true
	})
}

// checkDiagnostics checks the extended profile's diagnostics.
func (v *checker) checkDiagnostics(c cur) {
	d := c.by(ruleDiagnostics).opt("diagnostics")
	if !d.ok() {
		return
	}
	if !v.extended {
		d.bad("the strict profile has no diagnostics")
		return
	}
	d.each(func(_ int, e cur) {
		if e.open("pass", "code", "severity", "at", "message", "remedy") {
			e.get("pass").text()
			e.get("code").text()
			e.get("severity").oneOf("note", "warning", "error")
			e.get("at").str()
			e.get("message").text()
			e.get("remedy").str()
		}
	})
}

// checkPremises checks the extended profile's premises of one module.
func (v *checker) checkPremises(c cur) {
	ps := c.by(rulePremises).opt("premises")
	if !ps.ok() {
		return
	}
	if !v.extended {
		ps.bad("the strict profile has no premises")
		return
	}
	ps.each(func(_ int, e cur) {
		if !e.open("kind", "subject", "relation", "value", "number", "register", "registerSpace", "name", "pass", "instructionIndex", "message") {
			return
		}
		e.get("kind").oneOf("dispatch", "order", "contents", "counter", "size", "indirect", "constant", "vertex-base")
		for _, k := range []string{"subject", "relation", "value", "message"} {
			e.get(k).text()
		}
		if i := e.opt("instructionIndex"); i.ok() {
			i.integer(0, maxSafe)
		}
	})
}

// checkPrograms looks into the modules of WGSL and of the units.
func (v *checker) checkPrograms() {
	v.checkSetCode(&v.wgsl)
	v.checkRegisters()
	for i := range v.wgsb.units {
		v.checkSetCode(&v.wgsb.units[i].set)
	}
}

func (v *checker) checkSetCode(f *setFacts) {
	byPass := map[string][2]*wgslEntry{}
	scanned := map[string]*wgslFacts{}
	for i := range f.list {
		s := &f.list[i]
		facts := scanWGSL(s.code)
		v.checkMap(s)
		entry := v.checkEntry(s, facts)
		key := passKey(s.technique, s.pass)
		for j := range f.layouts {
			if f.layouts[j].key == key {
				v.checkDeclared(s, facts, &f.layouts[j])
			}
		}
		if entry == nil {
			continue
		}
		pair := byPass[key]
		switch s.stage {
		case "vertex":
			pair[0] = entry
			scanned[key+"/v"] = facts
		case "fragment":
			pair[1] = entry
			scanned[key+"/f"] = facts
		}
		byPass[key] = pair
		if s.stage == "fragment" && pair[0] != nil {
			v.checkInterface(s, scanned[key+"/v"].flatten(pair[0].out), facts.flatten(entry.in))
		} else if s.stage == "vertex" && pair[1] != nil {
			v.checkInterface(s, facts.flatten(entry.out), scanned[key+"/f"].flatten(pair[1].in))
		}
	}
	for i := range f.layouts {
		v.checkLimits(&f.layouts[i])
	}
}

func (v *checker) checkMap(s *shaderFact) {
	lines := int64(strings.Count(s.code, "\n"))
	if !strings.HasSuffix(s.code, "\n") {
		lines++
	}
	last := int64(0)
	s.at.by(ruleCodeMap).opt("sourceMap").each(func(_ int, m cur) {
		l := m.opt("line")
		if !l.ok() || l.kind() != jsonNumber {
			return
		}
		n := int64(l.d.num(l.n))
		if n > lines {
			l.bad("line %d of %d", n, lines)
		}
		if n < last {
			l.bad("line %d after line %d", n, last)
		}
		last = n
	})
}

func (v *checker) checkEntry(s *shaderFact, facts *wgslFacts) *wgslEntry {
	for i := range facts.entries {
		e := &facts.entries[i]
		if e.name != s.entry || e.stage != s.stage {
			continue
		}
		if s.stage == "compute" && len(e.group) > 0 {
			for k, want := range s.group {
				got := "1"
				if k < len(e.group) {
					got = strings.TrimRight(e.group[k], "iu")
				}
				if isNumber(got) && got != itoa(want) {
					s.at.by(ruleCodeGroup).get("threadGroupSize").bad("@workgroup_size(%s) in the text, found %v", strings.Join(e.group, ", "), s.group)
					break
				}
			}
		}
		return e
	}
	s.at.by(ruleCodeEntry).get("entryPoint").bad("the text has no @%s function %q", s.stage, clip(s.entry))
	return nil
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (v *checker) checkDeclared(s *shaderFact, facts *wgslFacts, l *layoutFact) {
	code := s.at.by(ruleCodeBinding).get("code")
	for _, w := range facts.bindings {
		i := slices.IndexFunc(l.bindings, func(b bindingFact) bool { return b.group == w.group && b.slot == w.binding })
		if i < 0 || !slices.Contains(l.bindings[i].visibility, s.stage) {
			code.bad("%s at @group(%d) @binding(%d) is not in layout %q for the %s stage", clip(w.name), w.group, w.binding, clip(l.key), s.stage)
			continue
		}
		b := &l.bindings[i]
		want := plainType(strings.Join(strings.Fields(b.wgslType), ""))
		if got := plainType(w.typ); got != want && want != "" {
			b.at.by(ruleCodeType).get("type").bad("%s has the type %s in the %s module, found %s", clip(w.name), clip(got), s.stage, clip(b.wgslType))
		}
		space := ""
		switch b.bufferType {
		case "uniform":
			space = "uniform"
		case "read-only-storage":
			space = "storage,read"
		case "storage":
			space = "storage,read_write"
		}
		got := w.space
		if got == "storage" {
			got = "storage,read"
		}
		if got != space {
			b.at.by(ruleCodeType).bad("%s is in address space <%s> in the %s module, the descriptor needs <%s>", clip(w.name), clip(w.space), s.stage, space)
		}
	}
}

func (v *checker) checkInterface(s *shaderFact, out, in []wgslMember) {
	c := s.at.by(ruleCodeInterface).get("code")
	for _, m := range in {
		if m.location < 0 {
			continue
		}
		i := slices.IndexFunc(out, func(o wgslMember) bool { return o.location == m.location })
		switch {
		case i < 0:
			c.bad("the fragment module reads location %d, the vertex module does not write it", m.location)
		case out[i].typ != m.typ:
			c.bad("location %d is %s in the vertex module and %s in the fragment module", m.location, clip(out[i].typ), clip(m.typ))
		case interpolation(out[i]) != interpolation(m):
			c.bad("location %d is interpolated as (%s) in the vertex module and as (%s) in the fragment module", m.location, out[i].interp, m.interp)
		}
	}
}

// interpolation writes the defaults out.
func interpolation(m wgslMember) string {
	kind, sampling, _ := strings.Cut(m.interp, ",")
	if kind == "" {
		kind = "perspective"
	}
	if sampling == "" && kind == "flat" {
		sampling = "first"
	}
	if sampling == "" {
		sampling = "center"
	}
	return kind + "," + sampling
}

func (v *checker) checkLimits(l *layoutFact) {
	type use struct{ textures, samplers, buffers, storage int }
	uses := map[string]*use{"vertex": {}, "fragment": {}, "compute": {}}
	top := int64(-1)
	for _, b := range l.bindings {
		top = max(top, b.group)
		if b.bufferType == "uniform" && b.minSize > 65536 {
			b.at.by(ruleCodeLimit).bad("a uniform buffer of %d bytes, devices guarantee 65536", b.minSize)
		}
		for _, s := range b.visibility {
			u := uses[s]
			switch {
			case b.texture:
				u.textures++
			case b.sampler:
				u.samplers++
			case b.storage:
				u.storage++
			case b.bufferType != "uniform":
				u.buffers++
			}
		}
	}
	var over []string
	if top >= 4 {
		over = append(over, fmt.Sprintf("%d bind groups of 4", top+1))
	}
	for _, s := range []string{"vertex", "fragment", "compute"} {
		for _, k := range []struct {
			n, most int
			what    string
		}{{uses[s].textures, 16, "sampled textures"}, {uses[s].samplers, 16, "samplers"}, {uses[s].buffers, 8, "storage buffers"}, {uses[s].storage, 4, "storage textures"}} {
			if k.n > k.most {
				over = append(over, fmt.Sprintf("%d %s of %d in the %s stage", k.n, k.what, k.most, s))
			}
		}
	}
	if len(over) > 0 {
		l.at.by(ruleCodeLimit).bad("pass %q needs %s", clip(l.key), strings.Join(over, ", "))
	}
}

// checkRegisters compares the layouts of the selected body with the signatures of
// its reflection.
func (v *checker) checkRegisters() {
	e := v.rflx.selected
	if !e.ok() || e.kind() != jsonObject {
		return
	}
	classes := map[string]string{"uniform-buffer": "constantBuffer", "sampled-resource": "resource", "sampler": "sampler", "storage-resource": "uav", "uav-counter": "uav"}
	regs := map[string][]registerRange{} // by pass key and WebGPU stage
	e.opt("techniques").each(func(_ int, t cur) {
		name, ok := t.opt("name").str()
		if !ok {
			return
		}
		t.opt("passes").each(func(j int, p cur) {
			p.opt("stages").each(func(_ int, s cur) {
				stage, ok := s.opt("stageName").str()
				if !ok {
					return
				}
				key := passKey(name, int64(j)) + "/" + webStage(stage)
				sig := s.opt("input").opt("signature")
				list := []registerRange{}
				sig.opt("registers").each(func(_ int, r cur) {
					list = append(list, quietRange(r, registerClass(int64(quietInt(r.opt("registerType"))))))
				})
				sig.opt("staticSamplers").each(func(_ int, r cur) { list = append(list, quietRange(r, "sampler")) })
				regs[key] = list
			})
		})
	})
	for i := range v.wgsl.layouts {
		l := &v.wgsl.layouts[i]
		for _, b := range l.bindings {
			for _, s := range b.visibility {
				list, ok := regs[l.key+"/"+s]
				if !ok {
					continue
				}
				space, index := int64(quietInt(b.at.opt("registerSpace"))), int64(quietInt(b.at.opt("registerIndex")))
				if !slices.ContainsFunc(list, func(r registerRange) bool {
					return r.class == classes[b.kind] && r.space == space && index >= r.first && index < r.behind
				}) {
					b.at.by(ruleCodeRegister).bad("the %s stage has no %s register %d in space %d", s, classes[b.kind], index, space)
				}
			}
		}
	}
}

// quietInt reads a number that was checked before.
func quietInt(c cur) float64 {
	if !c.ok() || c.kind() != jsonNumber {
		return -1
	}
	return c.d.num(c.n)
}

func quietRange(c cur, class string) registerRange {
	r := registerRange{class: class, space: int64(quietInt(c.opt("registerSpace"))), first: int64(quietInt(c.opt("registerIndex")))}
	r.behind = r.first + 1
	if n := c.opt("arrayCount"); n.ok() {
		r.behind = r.first + int64(quietInt(n))
		if quietInt(n) == 0 {
			r.behind = 1 << 32
		}
	}
	return r
}
