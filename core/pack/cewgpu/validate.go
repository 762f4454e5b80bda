package cewgpu

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"

	"fxlens/core/effect"
)

// Validate checks a package by every rule of the format and returns what it found,
// errors first. Notes and warnings don't refuse a package. The package is not nil
// where the container could be read; what of it is usable is what its findings
// leave: see [Package].
//
// A package without the effect marker is generic: only its container is checked,
// and that INFO, if there, is an object. Who expects an effect package must look
// at [Package.Kind].
func Validate(b []byte) (pkg *Package, findings []Finding) {
	defer func() {
		if r := recover(); r != nil {
			pkg = &Package{Size: len(b), invalid: true}
			findings = append(findings, newFinding(ruleBug, "", "", -1, fmt.Sprintf("a bug of ours: %v\n%s", r, debug.Stack())))
		}
	}()
	v := &checker{size: len(b)}
	chunks, fs := ParseContainer(b)
	v.chunks = chunks
	if HasErrors(fs) {
		if len(chunks) == 0 {
			return nil, fs
		}
		return &Package{Chunks: chunks, Size: len(b), invalid: true}, fs
	}
	v.docs = map[string]*jsonDoc{}
	p := &Package{Chunks: chunks, Size: len(b), SHA256: sha256.Sum256(b)}

	v.parse("INFO")
	info := v.document("INFO", true)
	if info != nil {
		switch k := info.get(0, "packageKind"); {
		case k < 0 || info.kind(k) != jsonString:
		case info.str(k) == kindStrict:
			p.Kind = EffectPackage
		case info.str(k) == kindExtended:
			p.Kind, p.Extended, v.extended = EffectPackage, true, true
		}
	}
	if p.Kind != EffectPackage {
		if info != nil {
			v.root(info, ruleNotEffect).bad("INFO.packageKind is not that of an effect package: only the container was checked")
		}
		out := v.findings()
		p.invalid = HasErrors(out)
		return p, out
	}
	v.effectPackage(info)
	out := v.findings()
	p.invalid = HasErrors(out)
	p.generation = v.info.generation
	return p, out
}

// Open returns a package that breaks no rule, or an *[InvalidError] with all findings.
func Open(b []byte) (*Package, error) {
	p, fs := Validate(b)
	if HasErrors(fs) {
		return nil, &InvalidError{Findings: fs}
	}
	return p, nil
}

// document is a parsed chunk as an object; it reports if it is none.
func (v *checker) document(tag string, optional bool) *jsonDoc {
	c, ok := v.chunk(tag)
	if !ok {
		if !optional {
			v.lack(ruleMissingChunk, tag, "the package has no %s chunk", tag)
		}
		return nil
	}
	d, err := v.parsed[tag].doc, v.parsed[tag].err
	if err != nil {
		v.add(pending{rule: err.rule, sev: severityOf(err.rule), chunk: tag, off: c.Offset + err.off, reason: err.reason})
		return nil
	}
	d.chunk, d.base = tag, c.Offset
	if d.kind(0) != jsonObject {
		v.root(d, ruleJSON).want("an object")
		return nil
	}
	v.docs[tag] = d
	return d
}

// parsedChunk is what parsing a chunk gave.
type parsedChunk struct {
	doc *jsonDoc
	err *jsonError
}

// parse parses the chunks that document is going to be asked for, all at once.
func (v *checker) parse(tags ...string) {
	list := make([]parsedChunk, len(tags))
	inParallel(len(tags), func(i int) {
		if c, ok := v.chunk(tags[i]); ok {
			list[i].doc, list[i].err = parseJSON(c.Data)
		}
	})
	v.parsed = map[string]parsedChunk{}
	for i, tag := range tags {
		v.parsed[tag] = list[i]
	}
}

var knownChunks = []string{"INFO", "META", "PGRF", "RFLX", "RBLB", "ANLS", "WGSL", "WGSB"}

func (v *checker) effectPackage(info *jsonDoc) {
	v.parse("META", "ANLS", "WGSL", "PGRF", "RFLX", "WGSB")
	meta, anls, wgsl := v.document("META", false), v.document("ANLS", false), v.document("WGSL", false)
	pgrf, rflx, wgsb := v.document("PGRF", true), v.document("RFLX", true), v.document("WGSB", true)
	last, ordered := -1, true
	for _, c := range v.chunks {
		at := slices.Index(knownChunks, c.Tag)
		if at >= 0 && at < last && ordered {
			ordered = false
			v.add(pending{rule: ruleChunkOrder, sev: severityOf(ruleChunkOrder), chunk: c.Tag, off: c.Offset,
				reason: fmt.Sprintf("chunk %s stands behind %s, producers write it before", c.Tag, knownChunks[last])})
		}
		last = max(last, at)
		if at < 0 {
			v.add(pending{rule: ruleUnknownChunk, sev: severityOf(ruleUnknownChunk), chunk: c.Tag, off: c.Offset,
				reason: fmt.Sprintf("chunk %q with %d bytes is not one that the format knows", c.Tag, len(c.Data))})
		}
	}
	v.anls.stageCount, v.wgsl.shaderCount, v.wgsl.layoutCount = -1, -1, -1
	v.checkInfo(info)
	if pgrf != nil {
		v.checkGraph(pgrf)
	}
	if meta != nil {
		v.checkMeta(meta)
	}
	if rflx != nil {
		v.checkReflection(rflx)
	}
	if anls != nil {
		v.checkAnalysis(anls)
		v.checkJoin()
	}
	if wgsl != nil {
		v.checkWGSL(wgsl)
	}
	v.checkCounts()
	if meta != nil {
		v.checkSelection()
	}
	if wgsb != nil {
		v.checkBodySet(wgsb)
		v.checkUnits()
	}
	v.checkPrograms()
}

// contentDigest is the digest of a unit's content, or "" where there is none. It reports
// nothing, so that those of many units can be computed at once.
func (u *unitFact) contentDigest() string {
	if u.set.version == 0 {
		return ""
	}
	c := u.at
	var buf bytes.Buffer
	buf.WriteString(`{"format":"CJS_WGSL_SET","formatVersion":` + strconv.FormatInt(u.set.version, 10))
	for _, k := range []string{"shaders", "layouts", "resourceTransforms", "diagnostics"} {
		if x := c.opt(k); x.ok() {
			buf.WriteString(`,"` + k + `":`)
			if err := json.Compact(&buf, []byte(x.d.raw(x.n))); err != nil {
				return ""
			}
		}
	}
	buf.WriteString("}\n")
	return digestOf(buf.Bytes())
}

// VerifySource compares a valid package with the effect file that it claims to be
// made from: length, digests, options, permutations, bodies, and the reflection of
// every body. It returns the differences; none mean that the package is of this
// file. It fails only where ctx ends or the file is no effect.
func (p *Package) VerifySource(ctx context.Context, source []byte) ([]Finding, error) {
	if p.Kind != EffectPackage || p.invalid {
		return nil, fmt.Errorf("verifying a source: the package is not a valid effect package")
	}
	e, err := effect.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("verifying a source: %w", err)
	}
	info, err := p.Info()
	if err != nil {
		return nil, err
	}
	var out []Finding
	differ := func(rule ruleID, chunk, path string, format string, args ...any) {
		out = append(out, newFinding(rule, chunk, path, -1, fmt.Sprintf(format, args...)))
	}
	id := info.SourceIdentity
	if id.ByteLength != len(source) {
		differ(ruleSource, "INFO", "sourceIdentity.byteLength", "the file has %d bytes, the package says %d", len(source), id.ByteLength)
	}
	if got := digestOf(source); id.SHA256 != "" && got != id.SHA256 {
		differ(ruleSource, "INFO", "sourceIdentity.sha256", "the file's SHA-256 is %s, the package says %s", got, id.SHA256)
	}
	if sum := md5.Sum(source); id.MD5 != nil && hex.EncodeToString(sum[:]) != *id.MD5 {
		differ(ruleSource, "INFO", "sourceIdentity.md5", "the file's MD5 is %x, the package says %s", sum, *id.MD5)
	}
	compare := func(tag string, fresh any) error {
		c, ok := p.Chunk(tag)
		if !ok {
			return nil
		}
		want, err := marshal(fresh)
		if err != nil {
			return err
		}
		a, errA := parseJSON(c.Data)
		b, errB := parseJSON(want)
		if errA != nil || errB != nil {
			return fmt.Errorf("verifying a source: chunk %s does not parse", tag)
		}
		if path := firstDifference(a, b); path != "" {
			differ(ruleSource, tag, path, "the file gives another value")
		}
		return nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("verifying a source: %w", err)
	}
	if err := compare("PGRF", graphOf(e)); err != nil {
		return nil, err
	}
	meta, err := p.Meta()
	if err != nil {
		return nil, err
	}
	if meta.BodyIndex < e.PermutationCount() {
		body, err := e.Body(meta.BodyIndex)
		if err != nil {
			return nil, err
		}
		a := analysisOf(e, body, info.SourcePath, meta.EffectName, meta.BodyIndex, meta.SelectedOptions)
		if err := compare("ANLS", a); err != nil {
			return nil, err
		}
	}
	if _, ok := p.Chunk("RFLX"); ok && info.FormatVersion == 3 {
		for i, u := range e.Bodies() {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("verifying a source: %w", err)
			}
			have, err := p.PortableReflection(u.Permutations[0])
			if err != nil {
				differ(ruleSource, "RFLX", fmt.Sprintf("bodies[%d]", i), "%v", err)
				continue
			}
			want, err := PortableReflection(e, info.SourcePath, u.Permutations[0])
			if err != nil {
				return nil, err
			}
			a, errA := json.Marshal(have)
			b, errB := json.Marshal(want)
			if errA != nil || errB != nil {
				return nil, fmt.Errorf("verifying a source: the reflection of body %d does not marshal", i)
			}
			if !bytes.Equal(a, b) {
				da, _ := parseJSON(a)
				db, _ := parseJSON(b)
				differ(ruleSource, "RFLX", fmt.Sprintf("bodies[%d].%s", i, firstDifference(da, db)), "the file gives another value")
			}
		}
	}
	return out, nil
}

// firstDifference returns the path of the first value of a that b has not, or "".
func firstDifference(a, b *jsonDoc) string {
	if a == nil || b == nil {
		return "$"
	}
	n := differs(a, b, 0, 0)
	if n < 0 {
		return ""
	}
	if p := a.path(n); p != "" {
		return p
	}
	return "$"
}

func differs(a, b *jsonDoc, i, j int) int {
	ca, cb := cur{d: a, n: i}, cur{d: b, n: j}
	if ca.kind() != cb.kind() {
		return i
	}
	switch ca.kind() {
	case jsonArray:
		x, y := i+1, j+1
		ex, ey := a.next(i), b.next(j)
		for x < ex && y < ey {
			if n := differs(a, b, x, y); n >= 0 {
				return n
			}
			x, y = a.next(x), b.next(y)
		}
		if x < ex || y < ey {
			return i
		}
	case jsonObject:
		for k := i + 1; k < a.next(i); k = a.next(k + 1) {
			o := b.get(j, a.str(k))
			if o < 0 {
				continue // extra keys are legal, and closed objects were checked
			}
			if n := differs(a, b, k+1, o); n >= 0 {
				return n
			}
		}
	default:
		if !ca.same(cb) {
			return i
		}
	}
	return -1
}

// ValidatePortable checks a portable body reflection that stands alone, with its
// bytes as base64 text, and returns every broken rule.
func ValidatePortable(document []byte) []Finding {
	v := &checker{}
	d, err := parseJSON(document)
	if err != nil {
		return []Finding{newFinding(err.rule, "", "", err.off, err.reason)}
	}
	p := &portableChecker{v: v, inline: true}
	p.document(v.root(d, rulePortable))
	return v.findings()
}
