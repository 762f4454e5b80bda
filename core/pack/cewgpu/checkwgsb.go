package cewgpu

import "slices"

type bodySetFacts struct {
	units  []unitFact
	byKey  map[string]int
	bodies []programsFact
}

type unitFact struct {
	key  string
	set  setFacts
	used bool
	at   cur
}

type programsFact struct {
	body       int
	translated bool
	passes     []bodyPassFact
	at         cur
}

type bodyPassFact struct {
	passKey string
	unit    int
	at      cur
}

// checkBodySet applies section 11, and section 16 to the units.
func (v *checker) checkBodySet(d *jsonDoc) {
	c := v.root(d, ruleBodySetFormat)
	f := &v.wgsb
	c.open("format", "formatVersion", "coverage", "bodyCount", "translatedBodyCount", "passUnitCount", "passUnits", "bodies")
	c.get("format").is("CJS_WGSL_BODY_SET")
	c.get("formatVersion").isInt(1, "")

	f.byKey = map[string]int{}
	units := c.by(ruleUnit).get("passUnits").each(func(_ int, e cur) { v.bodyUnit(e) })
	seen := map[string]bool{}
	bodies := c.by(ruleBodyPrograms).get("bodies")
	n := bodies.each(func(_ int, e cur) { v.bodyPrograms(e, seen) })
	translated := 0
	for _, b := range f.bodies {
		if b.translated {
			translated++
		}
	}
	if n >= 0 && len(v.pgrf.bodies) > 0 {
		for _, b := range v.pgrf.bodies {
			if !seen[b.key] {
				bodies.bad("body %q of PGRF has no record", clip(b.key))
			}
		}
	}
	if n >= 0 && translated == 0 && !v.extended {
		bodies.bad("no body is translated")
	}
	want := "partial"
	if n >= 0 && translated == n {
		want = "all-unique"
	}
	if cov := c.by(ruleBodyCoverage).get("coverage"); cov.open("bodies", "programs") {
		b := cov.get("bodies")
		if s, ok := b.oneOf("all-unique", "partial"); ok && n >= 0 && s != want {
			b.bad("%d of %d bodies are translated: expected %q, found %q", translated, n, want, s)
		} else if ok && v.info.coverage != "" && s != v.info.coverage {
			b.bad("INFO.backendBodyCoverage is %q, found %q", v.info.coverage, s)
		}
		if p := cov.by(ruleBodySetCounts).get("programs"); p.ok() {
			p.is("complete-for-translated")
		}
	}
	if p := v.info.root.by(rulePointerCount).opt("backendBodySet"); p.ok() && p.kind() == jsonObject {
		v.countIs(p, "bodyCount", n, "bodies of WGSB")
		v.countIs(p, "translatedBodyCount", translated, "translated bodies of WGSB")
		v.countIs(p, "passUnitCount", units, "units of WGSB")
	}
	counts := c.by(ruleBodySetCounts)
	for _, k := range []struct {
		key string
		n   int
	}{{"bodyCount", n}, {"translatedBodyCount", translated}, {"passUnitCount", units}} {
		if got, ok := counts.get(k.key).natural(); ok && k.n >= 0 && got != int64(k.n) {
			counts.get(k.key).bad("expected %d, found %d", k.n, got)
		}
	}
	for _, u := range f.units {
		if !u.used {
			u.at.by(ruleUnitUnused).bad("no body uses unit %q", clip(u.key))
		}
	}
}

func (v *checker) bodyUnit(e cur) {
	f := &v.wgsb
	if !e.open("key", "sha256", "wgslSetVersion", "shaders", "layouts", "resourceTransforms", "diagnostics") {
		return
	}
	u := unitFact{at: e}
	key, ok := e.get("key").text()
	u.key = key
	if ok {
		if _, dup := f.byKey[key]; dup {
			e.get("key").bad("unit %q occurs twice", clip(key))
		} else {
			f.byKey[key] = len(f.units)
		}
	}
	e.get("sha256").hex(64)
	version, _ := e.get("wgslSetVersion").integer(2, 3)
	for _, k := range []string{"shaders", "layouts"} {
		if a := e.get(k); a.ok() && a.each(nil) == 0 {
			a.bad("a unit has at least one of its %s", k)
		}
	}
	// What is inside is not checked by other readers: broken rules are warnings.
	v.soften(func() { u.set = v.checkSet(e, version, false) })
	f.units = append(f.units, u)
}

// soften turns the errors that f finds into warnings.
func (v *checker) soften(f func()) {
	from := len(v.found)
	f()
	for i := from; i < len(v.found); i++ {
		if v.found[i].sev > severityWarning {
			v.found[i].sev = severityWarning
		}
	}
}

func (v *checker) bodyPrograms(e cur, seen map[string]bool) {
	f := &v.wgsb
	if !e.open("bodyKey", "representativePermutationIndex", "status", "error", "passCount", "passes") {
		return
	}
	b := programsFact{body: -1, at: e}
	key, ok := e.get("bodyKey").text()
	if ok {
		i, known := v.pgrf.byKey[key]
		switch {
		case !known && v.pgrf.byKey != nil:
			e.get("bodyKey").bad("PGRF has no body %q", clip(key))
		case seen[key]:
			e.get("bodyKey").bad("body %q occurs twice", clip(key))
		case known:
			b.body = i
		}
		seen[key] = true
	}
	rep, okRep := e.get("representativePermutationIndex").natural()
	if okRep && v.pgrf.variants != nil && b.body >= 0 {
		if rep >= int64(len(v.pgrf.variants)) || v.pgrf.variants[rep].body != b.body {
			e.get("representativePermutationIndex").bad("permutation %d does not have body %q", rep, clip(key))
		}
	}
	status, okStatus := e.get("status").oneOf("translated", "unsupported")
	b.translated = status == "translated"
	reason := e.get("error")
	passes := e.get("passes")
	n := passes.each(func(_ int, p cur) {
		if !p.open("passKey", "unitKey") {
			return
		}
		pk, ok1 := p.get("passKey").text()
		uk, ok2 := p.get("unitKey").text()
		if !ok2 {
			return
		}
		i, known := f.byKey[uk]
		if !known {
			p.get("unitKey").bad("no unit %q", clip(uk))
			return
		}
		f.units[i].used = true
		if ok1 {
			b.passes = append(b.passes, bodyPassFact{passKey: pk, unit: i, at: p})
		}
	})
	count := e.get("passCount")
	if got, isInt := count.natural(); isInt && n >= 0 && got != int64(n) {
		count.bad("expected %d, the length of passes, found %d", n, got)
	}
	switch {
	case !okStatus:
	case b.translated:
		if reason.ok() && !reason.null() {
			reason.bad("a translated body has no error, found %s", reason.found())
		}
		if n == 0 {
			passes.bad("a translated body has at least one pass")
		}
	default:
		reason.text()
		if n > 0 {
			passes.bad("an unsupported body has no passes, found %d", n)
		}
	}
	f.bodies = append(f.bodies, b)
}

// checkUnits applies the rules of section 16 that compare units with the rest.
func (v *checker) checkUnits() {
	f := &v.wgsb
	digests := make([]string, len(f.units))
	inParallel(len(digests), func(i int) { digests[i] = f.units[i].contentDigest() })
	for i := range f.units {
		c := f.units[i].at.by(ruleUnitDigest)
		if want, ok := c.opt("sha256").str(); ok && digests[i] != "" && digests[i] != want {
			c.get("sha256").bad("SHA-256 of the unit's set is %s, found %s", digests[i], want)
		}
	}
	selected := -1
	if v.meta.hasIndex && v.meta.bodyIndex < int64(len(v.pgrf.variants)) {
		selected = v.pgrf.variants[v.meta.bodyIndex].body
	}
	for _, b := range f.bodies {
		var keys []string
		for _, p := range b.passes {
			u := &f.units[p.unit]
			if slices.Contains(keys, p.passKey) {
				p.at.by(ruleUnitPass).get("passKey").bad("pass %q occurs twice", clip(p.passKey))
			}
			if len(keys) < 4096 {
				keys = append(keys, p.passKey)
			}
			if len(u.set.layouts) == 1 && u.set.layouts[0].key != p.passKey {
				p.at.by(ruleUnitPass).get("passKey").bad("unit %q is of pass %q, found %q", clip(u.key), clip(u.set.layouts[0].key), clip(p.passKey))
			}
			if b.body == selected && selected >= 0 {
				v.unitAgainstWGSL(u)
			}
		}
	}
}

// unitAgainstWGSL checks that a unit of the selected body has the modules of the
// WGSL chunk.
func (v *checker) unitAgainstWGSL(u *unitFact) {
	for _, s := range u.set.list {
		i, ok := v.wgsl.keys[s.key]
		if !ok {
			continue // left out by a selection
		}
		if v.wgsl.list[i].code != s.code {
			s.at.by(ruleUnitSelected).get("code").bad("module %q of the WGSL chunk has another text", clip(s.key))
		}
	}
}
