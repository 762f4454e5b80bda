package cewgpu

import "slices"

type metaFacts struct {
	root       cur
	effectName string
	bodyIndex  int64
	hasIndex   bool
	options    cur
	selection  cur
}

type option struct {
	name, value, defaultValue  string
	optionIndex, defaultOption int64
}

// checkMeta applies section 6 but for the selection, which needs the stages.
func (v *checker) checkMeta(d *jsonDoc) {
	c := v.root(d, ruleJSON)
	f := &v.meta
	f.root = c
	c.open("effectName", "sourcePath", "bodyMode", "bodyIndex", "selectedOptions", "wgslSelection")
	f.effectName, _ = c.by(ruleEffectName).get("effectName").trimmed()
	if s, ok := c.by(ruleSourcePath).get("sourcePath").trimmed(); ok && s != v.info.sourcePath && v.info.sourcePath != "" {
		c.by(ruleSourcePath).get("sourcePath").bad("INFO.sourcePath is %q, found %q", clip(v.info.sourcePath), clip(s))
	}
	m := c.by(ruleBodyMode).get("bodyMode")
	if s, ok := m.oneOf("selected", "all"); ok && s != v.info.mode && v.info.mode != "" {
		m.bad("INFO.bodyMode is %q, found %q", v.info.mode, s)
	}
	f.bodyIndex, f.hasIndex = c.by(ruleBodyIndex).get("bodyIndex").natural()
	if f.hasIndex && v.pgrf.variants != nil && f.bodyIndex >= int64(len(v.pgrf.variants)) {
		c.by(ruleBodyIndex).get("bodyIndex").bad("no permutation %d: the graph has %d", f.bodyIndex, len(v.pgrf.variants))
	}
	f.options = c.by(ruleOptions).get("selectedOptions")
	v.checkOptions(f.options)
	f.selection = c.by(ruleSelection).opt("wgslSelection")
}

func (v *checker) checkOptions(c cur) {
	var names []string
	n := c.each(func(i int, e cur) {
		o, ok := v.checkOption(e)
		if !ok {
			return
		}
		if slices.Contains(names, o.name) {
			e.get("name").bad("axis %q occurs twice", clip(o.name))
		}
		if len(names) <= 255 {
			names = append(names, o.name)
		}
		v.optionAgainstGraph(e, i, o)
	})
	if n >= 0 && v.pgrf.axes != nil && n != len(v.pgrf.axes) {
		c.by(ruleOptionsGraph).bad("%d options for the %d axes of the graph", n, len(v.pgrf.axes))
	}
}

func (v *checker) checkOption(e cur) (o option, ok bool) {
	if !e.open("name", "value", "optionIndex", "defaultOption", "defaultValue", "source") {
		return o, false
	}
	oks := make([]bool, 6)
	o.name, oks[0] = e.get("name").text()
	o.value, oks[1] = e.get("value").text()
	o.optionIndex, oks[2] = e.get("optionIndex").natural()
	o.defaultOption, oks[3] = e.get("defaultOption").natural()
	o.defaultValue, oks[4] = e.get("defaultValue").text()
	var source string
	source, oks[5] = e.get("source").oneOf("default", "local", "global")
	if slices.Contains(oks, false) {
		return o, false
	}
	if source == "default" && o.optionIndex != o.defaultOption {
		e.get("source").bad("the source is the default, option %d is not the default option %d", o.optionIndex, o.defaultOption)
	}
	if o.optionIndex == o.defaultOption && o.value != o.defaultValue {
		e.get("value").bad("option %d is the default, its text %q is not the default's %q", o.optionIndex, clip(o.value), clip(o.defaultValue))
	}
	return o, true
}

func (v *checker) optionAgainstGraph(e cur, i int, o option) {
	if v.pgrf.axes == nil || i >= len(v.pgrf.axes) || !v.meta.hasIndex || v.meta.bodyIndex >= int64(len(v.pgrf.variants)) {
		return
	}
	e = e.by(ruleOptionsGraph)
	a := &v.pgrf.axes[i]
	if !a.sound {
		return
	}
	if o.name != a.name {
		e.get("name").bad("axis %d of the graph is %q, found %q", i, clip(a.name), clip(o.name))
		return
	}
	if want := a.option(v.meta.bodyIndex); o.optionIndex != want {
		e.get("optionIndex").bad("permutation %d has option %d of %s, found %d", v.meta.bodyIndex, want, clip(a.name), o.optionIndex)
	} else if o.value != a.options[want] {
		e.get("value").bad("option %d of %s is %q, found %q", want, clip(a.name), clip(a.options[want]), clip(o.value))
	}
	if o.defaultOption != a.def {
		e.get("defaultOption").bad("the default of %s is option %d, found %d", clip(a.name), a.def, o.defaultOption)
	} else if o.defaultValue != a.options[a.def] {
		e.get("defaultValue").bad("the default of %s is %q, found %q", clip(a.name), clip(a.options[a.def]), clip(o.defaultValue))
	}
}

// checkSelection applies section 6.2 and, without a selection, the completeness of
// the WGSL chunk.
func (v *checker) checkSelection() {
	c := v.meta.selection
	if v.anls.keys == nil || v.wgsl.keys == nil {
		return
	}
	if !c.ok() {
		for _, s := range v.anls.stages {
			if !v.wgsl.has(s.key) && !v.wgsl.untranslated[passKey(s.technique, s.pass)] {
				v.wgsl.shaders.by(ruleSelection).bad("no module for stage %s, and META has no wgslSelection that leaves it out", clip(s.key))
			}
		}
		return
	}
	if !c.open("mode", "completePasses", "techniqueName", "passIndex", "requestedStageNames", "selectedStageKeys") {
		return
	}
	c.get("mode").is("explicit")
	c.get("completePasses").isBool(true)
	technique, okT := c.get("techniqueName").text()
	pass := int64(-1)
	p := c.get("passIndex")
	okP := p.ok()
	if p.ok() && !p.null() {
		pass, okP = p.natural()
	}
	var scope []string
	var scopeNames []string
	for _, s := range v.anls.stages {
		if s.technique == technique && (pass < 0 || s.pass == pass) {
			scope = append(scope, s.key)
			scopeNames = append(scopeNames, s.name)
		}
	}
	if okT && okP && len(scope) == 0 {
		c.bad("no stage of the body is in technique %q%s", clip(technique), passWord(pass))
	}

	var requested []string
	names := c.get("requestedStageNames")
	names.each(func(_ int, e cur) {
		if s, ok := e.oneOf("vertex", "pixel", "compute"); ok {
			if slices.Contains(requested, s) {
				e.bad("stage %q occurs twice", s)
			} else {
				requested = append(requested, s)
			}
		}
	})
	if len(requested) > 0 {
		if p.null() {
			names.bad("stage names need a pass index: a pass is emitted whole")
		} else if okT && okP && !sameSet(requested, scopeNames) {
			names.bad("the pass has the stages %v, found %v: a pass is emitted whole", scopeNames, requested)
		}
	}

	keys := map[string]bool{}
	sel := c.get("selectedStageKeys")
	n := sel.each(func(_ int, e cur) {
		if s, ok := e.text(); ok {
			if keys[s] {
				e.bad("stage key %q occurs twice", clip(s))
			}
			keys[s] = true
			if okT && okP && !slices.Contains(scope, s) {
				e.bad("stage %q is not in technique %q%s", clip(s), clip(technique), passWord(pass))
			}
			if i, known := v.anls.keys[s]; !v.wgsl.has(s) && !(known && v.wgsl.untranslated[passKey(v.anls.stages[i].technique, v.anls.stages[i].pass)]) {
				e.bad("stage %q has no module in WGSL", clip(s))
			}
		}
	})
	if n < 0 {
		return
	}
	for _, s := range scope {
		if !keys[s] {
			sel.bad("stage %q of the scope is not listed", clip(s))
		}
	}
	for _, s := range v.wgsl.order {
		if !keys[s] {
			sel.bad("WGSL has a module for stage %q, which is not listed", clip(s))
		}
	}
}

func passWord(pass int64) string {
	if pass < 0 {
		return ""
	}
	return " pass " + itoa(pass)
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return true
}
