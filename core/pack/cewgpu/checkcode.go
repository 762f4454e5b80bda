package cewgpu

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

func (v *checker) checkPrograms() {}
