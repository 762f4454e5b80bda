package cewgpu

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
)

// marker kinds of INFO.packageKind.
const (
	kindStrict   = "tr2-effect-webgpu"
	kindExtended = "tr2-effect-webgpu-x1"
)

type infoFacts struct {
	root       cur
	version    int64
	sourcePath string
	mode       string
	byteLength int64
	sha256     string
	coverage   string // backendBodyCoverage
	generation string // by the producer's name
	hasGraph   bool   // pointers
	hasReflect bool
	hasBodySet bool
}

func digestOf(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func (v *checker) chunk(tag string) (Chunk, bool) {
	for _, c := range v.chunks {
		if c.Tag == tag {
			return c, true
		}
	}
	return Chunk{}, false
}

var infoKeys = []string{
	"format", "formatVersion", "packageKind", "sourcePath", "outputPath", "sourceIdentity", "targetBackend",
	"backendPackage", "backendPackageVersion", "translator", "translatorVersion", "permutationGraph",
	"effectReflection", "sourceBodyCoverage", "backendBodyCoverage", "backendBodySet", "bodyMode", "completeness",
	"stageCount", "selectedStageCount", "shaderCount", "layoutCount", "producer",
}

// knownTranslators are the versions of translators whose packages the rules were
// checked against: this one's, and the reference's.
var knownTranslators = []string{"0.1.0", "0.6.0"}

// unreleased is the version of a program that was built without one.
const unreleased = "0.0.0"

// checkInfo applies section 5 but for the counts, which need the other documents.
func (v *checker) checkInfo(d *jsonDoc) {
	c := v.root(d, ruleInfoFormat)
	f := &v.info
	f.root = c
	c.open(infoKeys...)
	c.get("format").is("CEWGPU")
	f.version, _ = c.by(ruleInfoVersion).get("formatVersion").integer(1, 3)
	modern := f.version >= 2

	f.sourcePath, _ = c.by(ruleSourcePath).get("sourcePath").trimmed()
	if out := c.by(ruleOutputPath).get("outputPath"); out.ok() && !out.null() {
		out.text()
	}
	v.checkIdentity(c.by(ruleIdentity).get("sourceIdentity"))

	c.by(ruleTranslator).get("translator").is("dxbc-js-wgsl")
	if modern {
		c.by(ruleBackend).get("targetBackend").is("webgpu")
		b := c.by(ruleBackend).get("backendPackage")
		if name, ok := b.str(); ok {
			switch name {
			case "@carbonenginejs/format-webgpu":
				f.generation = "format-webgpu"
			case "@carbonenginejs/runtime-resource/formats/webgpu":
				f.generation = "runtime-resource"
				b.by(ruleGeneration).bad("the producer's name is that of the later generation: readers of the earlier one refuse the package, and the reverse")
			default:
				b.want(`"@carbonenginejs/format-webgpu"`)
			}
		}
		for _, key := range []string{"backendPackageVersion", "translatorVersion"} {
			vc := c.by(ruleSemver).get(key)
			switch s, ok := vc.str(); {
			case ok && !isSemver(s):
				vc.want("a semantic version such as 1.2.3")
			case ok && key == "translatorVersion" && s != unreleased && !slices.Contains(knownTranslators, s):
				vc.by(ruleTranslatorOf).bad("the translator %s is not known here; known are %s", clip(s), strings.Join(knownTranslators, " and "))
			}
		}
	}

	m := c.by(ruleBodyMode).get("bodyMode")
	f.mode, _ = m.oneOf("selected", "all")
	if f.mode == "all" && f.version != 0 && f.version < 3 && !v.olderBodies() {
		m.bad("mode all needs INFO version 3, this is version %d", f.version)
	}

	if comp := c.by(ruleCompleteness).get("completeness"); comp.object() {
		comp.open("packageValid", "sourceComplete", "backendComplete", "runtimeComplete")
		comp.get("packageValid").isBool(true)
		if f.version != 0 { // of an unknown version nothing follows
			comp.get("sourceComplete").isBool(f.version == 3)
		} else {
			comp.get("sourceComplete")
		}
		comp.get("backendComplete").isBool(false)
		comp.get("runtimeComplete").isBool(false)
	}

	cov := c.by(ruleCoverage)
	if f.version == 3 {
		cov.get("sourceBodyCoverage").is("all-unique")
		b := cov.get("backendBodyCoverage")
		if f.mode == "all" {
			f.coverage, _ = b.oneOf("all-unique", "partial")
		} else {
			b.is("selected")
		}
	} else if f.version != 0 {
		keys := []string{"sourceBodyCoverage", "backendBodyCoverage"}
		if v.olderBodies() {
			keys = keys[:1]
			f.coverage, _ = cov.get("backendBodyCoverage").oneOf("all-unique", "partial")
		}
		for _, key := range keys {
			if k := cov.opt(key); k.ok() {
				k.bad("the key exists since INFO version 3, this is version %d", f.version)
			}
		}
	}
	v.checkPointers(c)
}

// olderBodies reports whether the package has every body of an effect below version
// 15, which only the extended profile can say.
func (v *checker) olderBodies() bool {
	return v.extended && v.info.version == 2 && v.info.mode == "all"
}

func (v *checker) checkIdentity(c cur) {
	if !c.open("logicalPath", "game", "client", "build", "byteLength", "md5", "sha256") {
		return
	}
	f := &v.info
	if s, ok := c.get("logicalPath").str(); ok && trimSpace(s) == "" {
		c.get("logicalPath").bad("expected a text, found %q", s)
	}
	for _, key := range []string{"game", "client", "build"} {
		if k := c.get(key); k.ok() && !k.null() {
			k.text()
		}
	}
	f.byteLength, _ = c.get("byteLength").integer(1, maxSafe)
	if m := c.get("md5"); m.ok() && !m.null() {
		m.hex(32)
	}
	if f.version == 1 {
		if s := c.opt("sha256"); s.ok() && !s.null() {
			f.sha256, _ = s.hex(64)
		}
		return
	}
	f.sha256, _ = c.get("sha256").hex(64)
}

// checkPointers applies sections 5.2 to 5.4 to the pointers alone: keys, constants,
// presence and digests. Their counts are compared where the documents are checked.
func (v *checker) checkPointers(c cur) {
	f := &v.info
	_, pgrf := v.chunk("PGRF")
	_, rflx := v.chunk("RFLX")
	_, rblb := v.chunk("RBLB")
	_, wgsb := v.chunk("WGSB")

	g := c.by(rulePointer).opt("permutationGraph")
	f.hasGraph = g.ok()
	v.pair(c, "permutationGraph", g, "PGRF", pgrf)
	switch {
	case !g.ok():
		if f.version == 3 {
			c.by(rulePresence).get("permutationGraph")
		}
	case f.version == 0: // what the pointer has depends on the version
	case f.version == 1:
		g.by(rulePresence).bad("INFO version 1 has no permutation graph")
	default:
		keys := []string{"chunk", "format", "formatVersion", "permutationCount", "uniqueBodyCount"}
		if f.version == 3 {
			keys = append(keys, "sha256")
		}
		if g.closed(keys...) {
			g.get("chunk").is("PGRF")
			g.get("format").is("CJS_EFFECT_PERMUTATION_GRAPH")
			g.get("formatVersion").isInt(1, "")
			g.get("permutationCount").integer(1, math.MaxUint32)
			g.get("uniqueBodyCount").integer(1, math.MaxUint32)
			if f.version == 3 {
				v.digest(g.get("sha256"), "PGRF")
			}
		}
	}

	r := c.by(rulePointer).opt("effectReflection")
	f.hasReflect = r.ok()
	v.pair(c, "effectReflection", r, "RFLX", rflx)
	if rflx != rblb {
		v.lack(rulePresence, "", "RFLX and RBLB come together: RFLX is %s, RBLB is %s", presentWord(rflx), presentWord(rblb))
	}
	switch {
	case !r.ok():
		if f.version == 3 {
			c.by(rulePresence).get("effectReflection")
		}
	case f.version == 1:
		r.by(rulePresence).bad("INFO version 1 has no reflection")
	default:
		if !g.ok() {
			r.by(rulePresence).bad("a reflection needs a permutation graph")
		}
		v.reflectPointer(r)
	}

	s := c.by(rulePointer).opt("backendBodySet")
	f.hasBodySet = s.ok()
	v.pair(c, "backendBodySet", s, "WGSB", wgsb)
	if all := f.mode == "all"; (f.version == 3 || v.extended && f.version == 2) && all != wgsb {
		v.lack(rulePresence, "WGSB", "the chunk is %s, body mode is %q: it belongs to mode all alone", presentWord(wgsb), f.mode)
	}
	if s.ok() && s.closed("chunk", "format", "formatVersion", "sha256", "bodyCount", "translatedBodyCount", "passUnitCount") {
		s.get("chunk").is("WGSB")
		s.get("format").is("CJS_WGSL_BODY_SET")
		s.get("formatVersion").isInt(1, "")
		v.digest(s.get("sha256"), "WGSB")
		for _, key := range []string{"bodyCount", "translatedBodyCount", "passUnitCount"} {
			s.get(key).u32()
		}
	}
}

func (v *checker) reflectPointer(r cur) {
	keys := []string{"chunk", "format", "formatVersion", "blobChunk", "bodyCount", "sourceProgramCount", "blobCount", "blobByteLength"}
	version, ok := r.get("formatVersion").integer(1, 2)
	if ok && v.info.version != 0 && version != v.info.version-1 {
		r.get("formatVersion").bad("INFO version %d takes reflection version %d, found %d", v.info.version, v.info.version-1, version)
	}
	if version == 2 {
		keys = append(keys, "sha256", "coverage", "permutationCount")
	}
	if !r.closed(keys...) {
		return
	}
	r.get("chunk").is("RFLX")
	r.get("format").is("CJS_CEWGPU_EFFECT_REFLECTION")
	r.get("blobChunk").is("RBLB")
	for _, key := range []string{"bodyCount", "sourceProgramCount", "blobCount", "blobByteLength"} {
		r.get(key).u32()
	}
	if version == 2 {
		v.digest(r.get("sha256"), "RFLX")
		r.get("coverage").is("all-unique")
		r.get("permutationCount").integer(1, math.MaxUint32)
	}
}

// pair checks that a pointer and its chunk come together.
func (v *checker) pair(c cur, key string, p cur, tag string, present bool) {
	switch {
	case p.ok() && !present:
		p.by(rulePresence).bad("points at chunk %s, which is absent", tag)
	case !p.ok() && present:
		c.by(rulePresence).bad("chunk %s is present, its pointer %q is absent", tag, key)
	}
}

func presentWord(p bool) string {
	if p {
		return "present"
	}
	return "absent"
}

// digest compares a digest with a chunk's exact bytes.
func (v *checker) digest(c cur, tag string) {
	want, ok := c.hex(64)
	if !ok {
		return
	}
	if ch, ok := v.chunk(tag); ok {
		if got := digestOf(ch.Data); got != want {
			c.by(ruleDigest).bad("SHA-256 of the %s payload is %s, found %s", tag, got, want)
		}
	}
}

// checkCounts compares the counts of INFO with the documents.
func (v *checker) checkCounts() {
	c := v.info.root.by(ruleCount)
	for _, k := range []struct {
		key, of string
		n       int
	}{
		{"stageCount", "stages of ANLS", v.anls.stageCount},
		{"selectedStageCount", "shaders of WGSL", v.wgsl.shaderCount},
		{"shaderCount", "shaders of WGSL", v.wgsl.shaderCount},
		{"layoutCount", "layouts of WGSL", v.wgsl.layoutCount},
	} {
		got, ok := c.get(k.key).natural()
		if ok && k.n >= 0 && got != int64(k.n) {
			c.get(k.key).bad("expected %d, the %s, found %d", k.n, k.of, got)
		}
	}
}

// isSemver applies the grammar of semantic version 2.0.0.
func isSemver(s string) bool {
	s, build, hasBuild := strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(s, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return false
	}
	for _, p := range parts {
		if !semverNumber(p) {
			return false
		}
	}
	return (!hasPre || semverIdents(pre, true)) && (!hasBuild || semverIdents(build, false))
}

func semverNumber(s string) bool {
	return s != "" && (s == "0" || s[0] != '0') && strings.Trim(s, "0123456789") == ""
}

func semverIdents(s string, noLeadingZero bool) bool {
	return !slices.ContainsFunc(strings.Split(s, "."), func(id string) bool {
		if id == "" || strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-") != "" {
			return true
		}
		return noLeadingZero && strings.Trim(id, "0123456789") == "" && !semverNumber(id)
	})
}
