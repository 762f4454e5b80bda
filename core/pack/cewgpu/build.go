package cewgpu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"

	"fxlens/core/diag"
	"fxlens/core/effect"
)

type builder struct {
	ctx      context.Context
	in       *Input
	e        *effect.Effect
	label    string
	findings []Finding
	refused  bool // a selected pass has no modules
	report   *Report

	units  map[string]*unit // by signature
	order  []*unit
	bodies map[int][]*unit // by unique body: a unit for each of its passes

	refl    *reflectionBuilder // of version 15, once translate has run
	reflErr error
}

// unit is one distinct pass and its translation.
type unit struct {
	perm    int
	ref     PassRef
	stages  []*effect.Stage
	set     *WGSLSet // one pass
	reason  string   // why there is none
	refusal []Finding
	key     string // of the unit in WGSB
	done    bool   // translated, or refused
}

// Build makes a package. It fails with a *[BuildError] that lists everything that
// the profile cannot carry or that could not be translated, each with its place and
// remedy; with ctx's error; or with an error of Translate that is not an
// *[Unsupported]. The result has been read back by [Validate] and broke no rule.
func Build(ctx context.Context, in *Input) (pkg []byte, report *Report, err error) {
	if in.Effect == nil || in.Translate == nil {
		return nil, nil, errors.New("building a package: Input.Effect and Input.Translate are required")
	}
	defer func() {
		if r := recover(); r != nil {
			pkg, report, err = nil, nil, fmt.Errorf("building a package: a bug of ours, effect %x: %v\n%s", in.Effect.SHA256, r, debug.Stack())
		}
	}()
	b := &builder{ctx: ctx, in: in, e: in.Effect, units: map[string]*unit{}, bodies: map[int][]*unit{}}
	return b.build()
}

func (b *builder) fail(rule ruleID, chunk, path, format string, args ...any) *Finding {
	b.findings = append(b.findings, newFinding(rule, chunk, path, -1, fmt.Sprintf(format, args...)))
	return &b.findings[len(b.findings)-1]
}

// defaults fills what the caller left out and checks the request.
func (b *builder) defaults() error {
	in := *b.in
	b.in = &in
	if in.Mode == "" {
		in.Mode = Selected
	}
	if in.Profile == "" {
		in.Profile = Strict
	}
	if in.Order == "" {
		in.Order = CodePoint
	}
	if in.Producer != nil {
		p := *in.Producer
		p.Order = string(in.Order)
		in.Producer = &p
	}
	if in.Version == "" {
		in.Version = "0.0.0"
	}
	if in.Workers <= 0 {
		in.Workers = runtime.GOMAXPROCS(0)
	}
	b.label = trimSpace(lenient(in.Label))
	if b.label == "" {
		b.label = "memory"
	}
	switch {
	case in.Mode != Selected && in.Mode != All:
		return fmt.Errorf("building a package: mode %q is neither selected nor all", in.Mode)
	case in.Profile != Strict && in.Profile != Extended:
		return fmt.Errorf("building a package: profile %q is neither strict nor extended", in.Profile)
	case in.Order != CodePoint && in.Order != Root:
		return fmt.Errorf("building a package: order %q is neither code-point nor root", in.Order)
	case in.Permutation < 0 || in.Permutation >= b.e.PermutationCount():
		return fmt.Errorf("building a package: permutation %d of %d: %w", in.Permutation, b.e.PermutationCount(), ErrNoPermutation)
	case in.Mode == All && b.e.Version != effect.WriteVersion && in.Profile == Strict:
		b.fail(ruleAllVersion, "INFO", "bodyMode", "mode all of the strict profile needs the complete reflection of version 15, the effect has version %d", b.e.Version)
		return &BuildError{Findings: b.findings}
	}
	if want := in.Identity.SHA256; want != "" && want != hex.EncodeToString(b.e.SHA256[:]) {
		b.fail(ruleSource, "INFO", "sourceIdentity.sha256", "the source's SHA-256 is %x, the caller gave %s", b.e.SHA256, want)
		return &BuildError{Findings: b.findings}
	}
	return nil
}

func (b *builder) build() ([]byte, *Report, error) {
	if err := b.defaults(); err != nil {
		return nil, nil, err
	}
	in := b.in
	asked := in.Permutation
	if in.AllowPartial && in.Profile == Strict {
		if err := b.standIn(); err != nil {
			return nil, nil, err
		}
	}
	body, err := b.e.Body(in.Permutation)
	if err != nil {
		return nil, nil, fmt.Errorf("building a package: %w", err)
	}
	b.report = &Report{Profile: in.Profile, Mode: in.Mode, Order: in.Order, Permutation: in.Permutation}
	if asked != in.Permutation {
		b.report.Findings = append(b.report.Findings, newFinding(ruleOtherBody, "META", "bodyIndex", -1,
			fmt.Sprintf("permutation %d was asked for and cannot be translated; permutation %d (%s) is the selected one", asked, in.Permutation, b.e.OptionString(in.Permutation))))
	}
	options := selectedOptions(b.e, in.Permutation, in.Sources)
	analysis := analysisOf(b.e, body, b.label, b.label, in.Permutation, options)
	b.checkNames(body)

	wanted := b.selectPasses(body, true)
	if err := b.collect(body, wanted); err != nil {
		return nil, nil, err
	}
	if err := b.translate(); err != nil {
		return nil, nil, err
	}
	set := b.wgslSet(in.Permutation, wanted)
	meta := &Meta{EffectName: b.label, SourcePath: b.label, BodyMode: in.Mode, BodyIndex: in.Permutation, SelectedOptions: options,
		WGSLSelection: b.wgslSelection(analysis)}
	var bodies *BodySet
	if in.Mode == All {
		if bodies, err = b.bodySet(); err != nil {
			return nil, nil, err
		}
	}
	chunks, info, err := b.assemble(analysis, meta, set, bodies)
	if err != nil {
		return nil, nil, err
	}
	return b.finish(chunks, info)
}

// goByName are the rules that find passes, stages and modules by the names of their
// techniques.
var goByName = []ruleID{ruleJoin, rulePasses, ruleStage, ruleStageKey, ruleLayout, ruleShader, ruleShaderKey}

// finish writes the container, reads it back and makes the report.
func (b *builder) finish(chunks []Chunk, info *Info) ([]byte, *Report, error) {
	pkg, err := EncodeContainer(chunks)
	if err != nil {
		return nil, nil, err
	}
	clear(chunks) // the payloads are in pkg
	b.units, b.order, b.bodies = nil, nil, nil
	p, fs := Validate(pkg)
	unnamed := slices.ContainsFunc(b.findings, func(g Finding) bool { return g.Rule == ruleTechniqueName })
	for _, f := range fs {
		if f.Severity != diag.Error {
			b.report.Findings = append(b.report.Findings, f)
			continue
		}
		if (b.refused || len(b.findings) > 0) && (f.Rule == ruleSelection || f.Rule == ruleSetFormat || f.Rule == ruleBodyPrograms) {
			continue // follows from the passes that were refused
		}
		if f.Rule == ruleStage && slices.ContainsFunc(b.findings, func(g Finding) bool { return g.Rule == ruleNoStages }) {
			continue // said already, with the remedy
		}
		if unnamed && slices.Contains(goByName, f.Rule) {
			continue // keys that occur twice, and what is not found by them
		}
		f.Offset = -1 // the bytes are not kept
		b.findings = append(b.findings, f)
	}
	if HasErrors(b.findings) {
		return nil, nil, &BuildError{Findings: b.findings}
	}
	r := b.report
	r.Size, r.SHA256 = len(pkg), hex.EncodeToString(p.SHA256[:])
	for _, c := range p.Chunks {
		r.Chunks = append(r.Chunks, ChunkSize{c.Tag, len(c.Data), c.Offset})
	}
	c := info.Completeness
	r.Qualification = Qualification{OK: true, Level: "structural", Validator: "cewgpu-structural", Mode: b.in.Mode,
		PackageValid: c.PackageValid, SourceComplete: c.SourceComplete, BackendComplete: c.BackendComplete, RuntimeComplete: c.RuntimeComplete,
		SelectedStageCount: info.SelectedStageCount, ShaderCount: info.ShaderCount, LayoutCount: info.LayoutCount}
	if s := info.BackendBodySet; s != nil {
		r.Qualification.BackendBodyCount, r.Qualification.BackendTranslatedBodyCount = &s.BodyCount, &s.TranslatedBodyCount
		r.Qualification.BackendPassUnitCount = &s.PassUnitCount
	}
	return pkg, r, nil
}

// checkNames refuses technique names that keys cannot be made of.
func (b *builder) checkNames(body *effect.Body) {
	seen := map[string]int{}
	for i := range body.Techniques {
		name := lenient(body.Techniques[i].Name)
		first, dup := seen[name]
		switch {
		case name == "":
			b.fail(ruleTechniqueName, "ANLS", fmt.Sprintf("passes (technique %d)", i), "technique %d has no name: a package names passes by their technique", i)
		case dup:
			b.fail(ruleTechniqueName, "ANLS", fmt.Sprintf("passes (technique %d)", i), "techniques %d and %d are both called %q: a package tells them apart by name", first, i, clip(name))
		default:
			seen[name] = i
		}
	}
}

// selectPasses returns the passes of a body that have stages and that the
// selection wants, in order. With report set, a selection that names nothing is a
// finding.
func (b *builder) selectPasses(body *effect.Body, report bool) []PassRef {
	sel := b.in.Selection
	var out []PassRef
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		if sel != nil && lenient(tech.Name) != lenient(sel.Technique) {
			continue
		}
		for p := range tech.Passes {
			if len(tech.Passes[p].Stages) == 0 || sel != nil && sel.Pass != nil && *sel.Pass != p {
				continue
			}
			out = append(out, PassRef{Technique: tech.Name, TechIndex: t, Pass: p})
		}
	}
	if !report {
		return out
	}
	switch {
	case len(out) > 0 && sel != nil && len(sel.Stages) > 0:
		if sel.Pass == nil {
			b.fail(ruleSelection, "META", "wgslSelection.requestedStageNames", "stage names need a pass: a pass is emitted whole")
			break
		}
		var have []string
		for _, s := range byType(&body.Techniques[out[0].TechIndex].Passes[out[0].Pass]) {
			have = append(have, stageWord(s.Type))
		}
		if !sameSet(have, sel.Stages) {
			b.fail(ruleSelection, "META", "wgslSelection.requestedStageNames", "pass %s has the stages %v, the request names %v: a pass is emitted whole", out[0].key(), have, sel.Stages)
		}
	case len(out) == 0 && sel != nil:
		where := strconv.Quote(clip(sel.Technique))
		if sel.Pass != nil {
			where += " pass " + strconv.Itoa(*sel.Pass)
		}
		b.fail(ruleSelection, "META", "wgslSelection", "the body has no stages in technique %s", where)
	case len(out) == 0 && b.in.Profile == Strict:
		f := b.fail(ruleNoStages, "ANLS", "stages", "the body has no stages%s", map[bool]string{true: ": it has ray tracing libraries alone"}[hasLibraries(body)])
		f.Remedy = "select a permutation whose passes have stages, or build with --profile extended, which describes a body without any"
	}
	return out
}

func hasLibraries(body *effect.Body) bool {
	return slices.ContainsFunc(body.Techniques, func(t effect.Technique) bool { return len(t.Libraries) > 0 })
}

// signature identifies a pass by what its translation depends on: key, and per
// stage name, program and bindings. Render states are not part of it.
func signature(ref PassRef, stages []*effect.Stage, groups map[string][]effect.Annotation) (string, error) {
	h := sha256.New()
	put := func(b []byte) {
		fmt.Fprintf(h, "%d:", len(b))
		h.Write(b)
	}
	put([]byte(ref.key()))
	for _, s := range stages {
		put([]byte(stageWord(s.Type)))
		sum := sha256.Sum256(s.Program)
		put(sum[:])
		j, err := json.Marshal(analysisBindings(s, groups))
		if err != nil {
			return "", fmt.Errorf("bindings of %s: %w", ref.key(), err)
		}
		put(j)
		fmt.Fprintf(h, "%v", s.ThreadGroup)
	}
	return string(h.Sum(nil)), nil
}

func annotationGroups(body *effect.Body) map[string][]effect.Annotation {
	groups := make(map[string][]effect.Annotation, len(body.Groups))
	for _, g := range body.Groups {
		groups[lenient(g.Name)] = g.Annotations
	}
	return groups
}

// bodyUnits returns the unit of each pass, which it makes where it is new.
func (b *builder) bodyUnits(perm int, body *effect.Body, refs []PassRef) ([]*unit, error) {
	if out, ok := b.bodies[b.e.BodyOf(perm)]; ok {
		return out, nil // the request selects the same passes of it each time
	}
	groups := annotationGroups(body)
	out := make([]*unit, len(refs))
	for i, ref := range refs {
		stages := byType(&body.Techniques[ref.TechIndex].Passes[ref.Pass])
		sig, err := signature(ref, stages, groups)
		if err != nil {
			return nil, err
		}
		u, ok := b.units[sig]
		if !ok {
			u = &unit{perm: perm, ref: ref, stages: stages}
			b.units[sig] = u
			b.order = append(b.order, u)
		}
		out[i] = u
	}
	b.bodies[b.e.BodyOf(perm)] = out
	return out, nil
}

// collect makes the units of the selected body and, in mode all, of every body.
func (b *builder) collect(body *effect.Body, wanted []PassRef) error {
	if _, err := b.bodyUnits(b.in.Permutation, body, wanted); err != nil {
		return err
	}
	if b.in.Mode != All {
		return nil
	}
	for i, u := range b.e.Bodies() {
		if err := b.ctx.Err(); err != nil {
			return fmt.Errorf("building a package: %w", err)
		}
		other, err := b.e.UniqueBody(i)
		if err != nil {
			return fmt.Errorf("building a package: %w", err)
		}
		if _, err := b.bodyUnits(u.Permutations[0], other, b.selectPasses(other, false)); err != nil {
			return err
		}
	}
	return nil
}

// standIn makes the first permutation that can be translated the selected one, where
// the one asked for cannot be.
func (b *builder) standIn() error {
	order := []int{b.in.Permutation}
	for _, u := range b.e.Bodies() {
		order = append(order, u.Permutations[0])
	}
	for _, perm := range order {
		body, err := b.e.Body(perm)
		if err != nil {
			return fmt.Errorf("building a package: %w", err)
		}
		units, err := b.bodyUnits(perm, body, b.selectPasses(body, false))
		if err != nil {
			return err
		}
		if err := b.translate(); err != nil {
			return err
		}
		if len(units) > 0 && describable(body) && !slices.ContainsFunc(units, func(u *unit) bool { return u.reason != "" }) {
			b.in.Permutation = perm
			return nil
		}
	}
	return nil // none can: the one asked for says why
}

// describable reports whether an analysis can list every stage of a body.
func describable(body *effect.Body) bool {
	for t := range body.Techniques {
		for p := range body.Techniques[t].Passes {
			for i := range body.Techniques[t].Passes[p].Stages {
				if body.Techniques[t].Passes[p].Stages[i].Type > effect.Compute {
					return false
				}
			}
		}
	}
	return true
}

// wgslSet joins the sets of the selected body's passes. Passes without modules are
// findings in the strict profile, and listed in the extended one.
func (b *builder) wgslSet(perm int, wanted []PassRef) *WGSLSet {
	set := &WGSLSet{Format: "CJS_WGSL_SET", FormatVersion: 2, Shaders: []Shader{}, Layouts: []Layout{}}
	body, err := b.e.Body(perm)
	if err != nil {
		return set
	}
	units, err := b.bodyUnits(perm, body, wanted)
	if err != nil {
		return set
	}
	type entry struct {
		ref PassRef
		u   *unit
	}
	entries := make([]entry, len(wanted))
	for i := range wanted {
		entries[i] = entry{wanted[i], units[i]}
	}
	slices.SortStableFunc(entries, func(x, y entry) int {
		if c := compareNames(lenient(x.ref.Technique), lenient(y.ref.Technique), b.in.Order); c != 0 {
			return c
		}
		return x.ref.Pass - y.ref.Pass
	})
	for _, x := range entries {
		r := PassReport{Key: x.ref.key(), Reason: x.u.reason}
		b.report.Passes = append(b.report.Passes, r)
		if x.u.reason != "" {
			if b.in.Profile == Strict {
				b.refused = true
				for _, f := range x.u.refusal {
					if f.Rule != ruleStageKind { // ANLS says that of every stage of the body
						b.findings = append(b.findings, f)
					}
				}
			} else {
				set.Untranslated = append(set.Untranslated, Untranslated{Key: x.ref.key(), Reason: x.u.reason})
			}
			continue
		}
		set.Shaders = append(set.Shaders, x.u.set.Shaders...)
		set.Layouts = append(set.Layouts, x.u.set.Layouts...)
		set.ResourceTransforms = append(set.ResourceTransforms, x.u.set.ResourceTransforms...)
		set.Diagnostics = append(set.Diagnostics, x.u.set.Diagnostics...)
	}
	if len(set.ResourceTransforms) > 0 {
		set.FormatVersion = 3
	}
	return set
}

// wgslSelection notes the request in META.
func (b *builder) wgslSelection(a *Analysis) *WGSLSelection {
	sel := b.in.Selection
	if sel == nil {
		return nil
	}
	out := &WGSLSelection{Mode: "explicit", CompletePasses: true, TechniqueName: lenient(sel.Technique), PassIndex: sel.Pass,
		RequestedStageNames: append([]string{}, sel.Stages...), SelectedStageKeys: []string{}}
	for i := range a.Stages {
		s := &a.Stages[i]
		if s.TechniqueName == out.TechniqueName && (sel.Pass == nil || s.PassIndex == *sel.Pass) {
			out.SelectedStageKeys = append(out.SelectedStageKeys, s.Key)
		}
	}
	return out
}

// bodySet makes WGSB. The first failing pass makes a body unsupported with its
// reason; units that only such bodies use are left out.
func (b *builder) bodySet() (*BodySet, error) {
	s := &BodySet{Format: "CJS_WGSL_BODY_SET", FormatVersion: 1, Coverage: BodySetCoverage{Bodies: "all-unique", Programs: "complete-for-translated"},
		PassUnits: []PassUnit{}, Bodies: []BodyPrograms{}}
	share := &Sharing{}
	for i, ub := range b.e.Bodies() {
		body, err := b.e.UniqueBody(i)
		if err != nil {
			return nil, fmt.Errorf("building a package: %w", err)
		}
		refs := b.selectPasses(body, false)
		units, err := b.bodyUnits(ub.Permutations[0], body, refs)
		if err != nil {
			return nil, err
		}
		rec := BodyPrograms{BodyKey: ub.Key, RepresentativePermutationIndex: ub.Permutations[0], Status: "translated", Passes: []BodyPass{}}
		rep := BodyReport{Key: ub.Key, Permutations: len(ub.Permutations), Translated: true}
		reason := ""
		if len(units) == 0 {
			reason = "the body has no stages to translate"
		}
		for j, u := range units {
			rep.Passes = append(rep.Passes, PassReport{Key: refs[j].key(), Reason: u.reason})
			if u.reason != "" && reason == "" {
				reason = u.reason
			}
		}
		if reason != "" {
			rec.Status, rec.Error = "unsupported", &reason
			rep.Translated, rep.Reason = false, reason
			s.Coverage.Bodies = "partial"
		} else {
			s.TranslatedBodyCount++
			for j, u := range units {
				text := 0
				for _, sh := range u.set.Shaders {
					text += len(sh.Code)
				}
				share.Passes++
				if u.key == "" {
					if err := b.addUnit(s, u); err != nil {
						return nil, err
					}
					share.Bytes += text
				} else {
					share.Saved += text
				}
				rec.Passes = append(rec.Passes, BodyPass{PassKey: refs[j].key(), UnitKey: u.key})
				rep.Passes[j].Unit = u.key
			}
			rec.PassCount = len(rec.Passes)
		}
		s.Bodies = append(s.Bodies, rec)
		b.report.Bodies = append(b.report.Bodies, rep)
	}
	s.BodyCount, s.PassUnitCount = len(s.Bodies), len(s.PassUnits)
	share.Units = len(s.PassUnits)
	b.report.Sharing = share
	return s, nil
}

func (b *builder) addUnit(s *BodySet, u *unit) error {
	doc, err := marshal(u.set)
	if err != nil {
		return err
	}
	u.key = "unit" + strconv.Itoa(len(s.PassUnits))
	s.PassUnits = append(s.PassUnits, PassUnit{Key: u.key, SHA256: digestHex(doc), WGSLSetVersion: u.set.FormatVersion,
		Shaders: u.set.Shaders, Layouts: u.set.Layouts, ResourceTransforms: u.set.ResourceTransforms, Diagnostics: u.set.Diagnostics})
	return nil
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	s = lenient(s)
	return &s
}

// assemble makes INFO and all chunks.
func (b *builder) assemble(analysis *Analysis, meta *Meta, set *WGSLSet, bodies *BodySet) ([]Chunk, *Info, error) {
	in := b.in
	v15 := b.e.Version == effect.WriteVersion
	info := &Info{
		Format: "CEWGPU", FormatVersion: 2, PackageKind: "tr2-effect-webgpu", SourcePath: b.label, OutputPath: nullable(in.OutputPath),
		SourceIdentity: SourceIdentity{LogicalPath: lenient(in.Identity.LogicalPath), Game: nullable(in.Identity.Game),
			Client: nullable(in.Identity.Client), Build: nullable(in.Identity.Build), ByteLength: b.e.Size,
			MD5: nullable(in.Identity.MD5), SHA256: hex.EncodeToString(b.e.SHA256[:])},
		TargetBackend: "webgpu", BackendPackage: "@carbonenginejs/format-webgpu", BackendPackageVersion: in.Version,
		Translator: "dxbc-js-wgsl", TranslatorVersion: in.Version, BodyMode: in.Mode,
		Completeness: Completeness{PackageValid: true, SourceComplete: v15},
		StageCount:   len(analysis.Stages), SelectedStageCount: len(set.Shaders), ShaderCount: len(set.Shaders), LayoutCount: len(set.Layouts),
		Producer: in.Producer,
	}
	if trimSpace(info.SourceIdentity.LogicalPath) == "" {
		info.SourceIdentity.LogicalPath = b.label
	}
	if in.RuntimeResource {
		info.BackendPackage = "@carbonenginejs/runtime-resource/formats/webgpu"
	}
	if in.Profile == Extended {
		info.PackageKind = "tr2-effect-webgpu-x1"
	}

	type doc struct {
		tag    string
		v      any
		raw    []byte
		digest string
		err    error
	}
	graph := graphOf(b.e)
	docs := []doc{{tag: "META", v: meta}, {tag: "PGRF", v: graph}}
	refl := b.refl
	if v15 {
		if b.reflErr != nil {
			return nil, nil, fmt.Errorf("building a package: %w", b.reflErr)
		}
		docs = append(docs, doc{tag: "RFLX", raw: refl.rflx}, doc{tag: "RBLB", raw: refl.blobs})
	}
	docs = append(docs, doc{tag: "ANLS", v: analysis}, doc{tag: "WGSL", v: set})
	if bodies != nil {
		docs = append(docs, doc{tag: "WGSB", v: bodies})
	}
	inParallel(len(docs), func(i int) {
		d := &docs[i]
		switch v := d.v.(type) {
		case nil:
		case *BodySet:
			d.raw, d.err = marshalBodySet(v)
		default:
			d.raw, d.err = marshal(v)
		}
		d.digest = digestHex(d.raw)
	})
	chunks := make([]Chunk, 1, len(docs)+1)
	digests := map[string]string{}
	for _, d := range docs {
		if err := b.ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("building a package: %w", err)
		}
		if d.err != nil {
			return nil, nil, fmt.Errorf("chunk %s: %w", d.tag, d.err)
		}
		chunks = append(chunks, Chunk{Tag: d.tag, Data: d.raw})
		digests[d.tag] = d.digest
	}
	info.PermutationGraph = &GraphPointer{Chunk: "PGRF", Format: graph.Format, FormatVersion: 1,
		PermutationCount: len(graph.Variants), UniqueBodyCount: len(graph.Bodies)}
	if v15 {
		info.FormatVersion = 3
		info.PermutationGraph.SHA256 = digests["PGRF"]
		info.SourceBodyCoverage = "all-unique"
		info.BackendBodyCoverage = "selected"
		info.EffectReflection = &ReflectPointer{Chunk: "RFLX", Format: "CJS_CEWGPU_EFFECT_REFLECTION", FormatVersion: 2, BlobChunk: "RBLB", SHA256: digests["RFLX"],
			Coverage: "all-unique", PermutationCount: len(graph.Variants), BodyCount: refl.bodies, SourceProgramCount: refl.programs,
			BlobCount: len(refl.refs), BlobByteLength: len(refl.blobs)}
	}
	if bodies != nil {
		info.BackendBodyCoverage = bodies.Coverage.Bodies
		info.BackendBodySet = &BodySetPointer{Chunk: "WGSB", Format: bodies.Format, FormatVersion: 1, SHA256: digests["WGSB"],
			BodyCount: bodies.BodyCount, TranslatedBodyCount: bodies.TranslatedBodyCount, PassUnitCount: bodies.PassUnitCount}
	}
	data, err := marshal(info)
	if err != nil {
		return nil, nil, fmt.Errorf("chunk INFO: %w", err)
	}
	chunks[0] = Chunk{Tag: "INFO", Data: data}
	return chunks, info, nil
}

// The producer's own refusals.
var (
	ruleTranslate     = ruleWith(diag.Error, "build.translate", "a pass cannot be translated", "A pass is written whole or not at all.", "see the diagnostics of the pass; select another pass or permutation, or build with --profile extended, which lists untranslated passes")
	ruleAllVersion    = ruleWith(diag.Error, "build.all-version", "mode all needs version 15", "Strict readers take the bodies of mode all from the complete reflection, which only effects of version 15 have.", "build with --profile extended, which keeps all bodies of older effects, or with --mode selected")
	ruleOtherBody     = ruleWith(diag.Note, "build.other-body", "another permutation is the selected one", "With partial packages allowed, the first permutation whose passes are all translated stands in for one that cannot be.", "none")
	ruleNoStages      = ruleWith(diag.Error, "build.no-stages", "the selected body has no stages", "A strict package describes at least one stage.", "select another permutation, or build with --profile extended")
	ruleTechniqueName = ruleWith(diag.Error, "build.technique-name", "techniques cannot be told apart", "Keys of passes and stages are made of technique names, which must not be empty or repeated.", "rename the technique in the source and compile it again")
	ruleStrictCounter = ruleWith(diag.Error, "build.strict-counter", "the strict profile has no counters", "Strict readers know four kinds of resources.", remedyStrict)
	ruleStrictVariant = ruleWith(diag.Error, "build.strict-variant", "the strict profile has one binding a register", "Strict readers derive a binding's identity from its register.", remedyStrict)
	ruleStrictNeeds   = ruleWith(diag.Error, "build.strict-needs", "the strict profile cannot say what a module needs", "Strict packages have no place for required features.", remedyStrict)
)
