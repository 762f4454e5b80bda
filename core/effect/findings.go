package effect

import (
	"cmp"
	"slices"

	"fxlens/core/diag"
)

func register(code diag.Code, title, rule, remedy string) diag.Code {
	return diag.Register(diag.Info{Code: code, Title: title, Rule: rule, Remedy: remedy})
}

// What is legal in a file but suspicious.
var (
	codeUnknownState = register("effect.unknown-state", "a render state that is not in the Direct3D 9 list",
		"Render states are numbered as in Direct3D 9. Readers carry others through and nobody acts on them.",
		"check that the file was compiled for this engine; the state is kept as it is")
	codeStateValue = register("effect.state-value", "a render state has a value that it does not define",
		"Booleans are 0 or 1, colour masks at most 15, and blend factors, comparisons and the like come from fixed lists.",
		"check the pass's state in the source")
	codeUnknownValue = register("effect.unknown-value", "an enumeration has a number that the format does not define",
		"Usages, register and resource types, constant and annotation types, filters, address modes and comparisons come from fixed lists.",
		"the number is kept as it is; what depends on it is not translated")
	codeRegisterMap = register("effect.register-map", "a named resource does not match the program's register list",
		"Every texture and every UAV that the engine sets by name stands for exactly one register of its class (its number, modulo 256) with the same array count; a dynamic sampler for at most one.",
		"compile the effect again; if the register exists in several spaces, give the resource a number of its own")
	codeRegisterRange = register("effect.register-range", "register ranges are not possible together",
		"Ranges of one class in one space do not overlap, end by 2^32, and only samplers, resources and UAVs may be unbounded; a static sampler stands once.",
		"compile the effect again, or number the registers apart in the source")
	codeConstant = register("effect.constant", "a constant does not fit its buffer or its type",
		"Readers keep 4096 bytes of constant buffer 0. A constant has a name of its own, at least one byte and one component, and ends within them.",
		"shrink the global constants of the shader, or move them to a named constant buffer at another slot")
	codeDefaults = register("effect.defaults", "the default values are larger than readers keep",
		"Readers keep at most 4096 bytes of defaults.",
		"shrink the global constants that have initial values; the file's bytes beyond 4096 are kept here but have no effect in the engine")
	codeRepeated = register("effect.repeated-name", "a name occurs twice where readers keep one",
		"Technique names, annotation names within a list and library export types should be unique: readers disagree on whether the first or the last counts.",
		"rename one of them in the source")
	codeEmptyName = register("effect.empty-name", "a record that the engine looks up by name has none",
		"Constants, textures, UAVs, annotations and exports are found by their names.",
		"name it in the source")
	codeNoProgram = register("effect.no-program", "a stage has no program",
		"A stage of a Direct3D effect holds a DXBC container.",
		"compile the effect again; the stage cannot be translated")
	codeForeignProgram = register("effect.foreign-program", "a program is not shader model 4 or 5 bytecode",
		"Stages of effects for Direct3D 11 and 12 hold DXBC containers with SHDR or SHEX code.",
		"use the effect that was compiled for Direct3D 11 (the folder effect.dx11)")
	codeStageMismatch = register("effect.stage-mismatch", "the program is for another stage than its record",
		"The program's version token names the stage that it was compiled for.",
		"compile the effect again")
	codeThreadGroup = register("effect.thread-group", "the thread group size does not fit the stage",
		"Compute stages have a size of at least 1 in each direction, at most 1024 x 1024 x 64 and 1024 threads; other stages have 0, 0, 0.",
		"compile the effect again")
	codeLibrary = register("effect.library", "ray tracing libraries are listed, not translated",
		"Library programs are DXIL and WebGPU has no ray tracing pipelines.",
		"none")
	codeAxisType = register("effect.axis-type", "an axis type is neither static nor dynamic",
		"Axis types are 0 static and 1 dynamic.",
		"the axis is usable all the same")
	codeSourceHash = register("effect.source-hash", "the source hash is not an MD5 in lower-case hex",
		"Version 15 stores 32 lower-case hex digits, which the compiler compares to decide whether the file is current.",
		"none; the engine's compiler will compile the effect again")
	codeStoredTwice = register("effect.stored-twice", "equal bodies are stored more than once",
		"Permutations with equal bodies share one range of the file.",
		"build the effect again to make the file smaller")
)

// maxFindings bounds what one list returns: a hostile file can have one for every
// few bytes.
const maxFindings = 1000

// finder collects the findings of one body.
type finder struct {
	e     *Effect
	at    diag.Loc
	found []diag.Diag
}

func (f *finder) add(sev diag.Severity, code diag.Code, format string, args ...any) {
	if len(f.found) < maxFindings {
		f.found = append(f.found, diag.New(sev, code, f.at, format, args...))
	}
}

// Findings returns what is legal but suspicious in the file as a whole and in the
// body of a permutation: warnings and notes, no errors, at most a thousand of each
// part, in file order. It is nil if there is no such permutation.
func (e *Effect) Findings(perm int) []diag.Diag {
	b, err := e.Body(perm)
	if err != nil {
		return nil
	}
	return append(e.fileFindings(), e.bodyFindings(perm, b)...)
}

// AllFindings returns the findings of the file and of every unique body, each under
// its first permutation, at most a thousand.
func (e *Effect) AllFindings() []diag.Diag {
	all := e.fileFindings()
	for i := range e.bodies {
		b, err := e.UniqueBody(i)
		if err != nil || len(all) >= maxFindings {
			break
		}
		all = append(all, e.bodyFindings(e.bodies[i].Permutations[0], b)...)
	}
	return all[:min(len(all), maxFindings)]
}

func (e *Effect) fileFindings() []diag.Diag {
	f := &finder{e: e}
	if e.Version >= 15 && slices.ContainsFunc([]byte(e.SourceHash), func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'f')
	}) {
		f.at = diag.AtOffset(8)
		f.add(diag.Note, codeSourceHash, "the source hash is %q", e.SourceHash)
	}
	for i := range e.Axes {
		if a := &e.Axes[i]; !known(axisTypes, a.Type) {
			f.at = diag.AtOffset(a.at + 9)
			f.add(diag.Warning, codeAxisType, "axis %q has type %d", clip(a.Name), a.Type)
		}
	}
	for p, r := range e.Records {
		if u := &e.bodies[e.bodyOf[p]]; int(r.Offset) != u.Offset {
			f.at = diag.AtOffset(int(r.Offset))
			f.add(diag.Note, codeStoredTwice, "the body of permutation %d at %d equals %s at %d", p, r.Offset, u.Key, u.Offset)
		}
	}
	return f.found
}

func (e *Effect) bodyFindings(perm int, b *Body) []diag.Diag {
	f := &finder{e: e}
	f.at.Permutation = e.OptionString(perm)
	base := f.at
	repeated(f, b.Techniques, "technique", func(t Technique) string { return t.Name })
	for i := range b.Techniques {
		t := &b.Techniques[i]
		for j := range t.Passes {
			f.at = base.InStage(t.Name, j, "")
			f.pass(&t.Passes[j])
		}
		f.at = base.InStage(t.Name, 0, "")
		for j := range t.Libraries {
			f.library(j, &t.Libraries[j])
		}
		f.at = base
	}
	for i := range b.Groups {
		f.annotations("parameter "+clip(b.Groups[i].Name), b.Groups[i].Annotations)
	}
	return f.found
}

// repeated reports names that occur twice; it hashes each name once.
func repeated[T any](f *finder, list []T, what string, name func(T) string) {
	if len(list) < 2 || len(f.found) >= maxFindings {
		return
	}
	first := make(map[string]int, len(list))
	for i, x := range list {
		n := name(x)
		if j, ok := first[n]; ok {
			f.add(diag.Warning, codeRepeated, "%s %q occurs twice, as number %d and %d", what, clip(n), j, i)
			continue
		}
		first[n] = i
	}
}

func (f *finder) named(name, what string) {
	if name == "" {
		f.add(diag.Warning, codeEmptyName, "%s has an empty name", what)
	}
}

func (f *finder) value(ok bool, format string, args ...any) {
	if !ok {
		f.add(diag.Warning, codeUnknownValue, format, args...)
	}
}

func (f *finder) pass(p *Pass) {
	at := f.at
	for _, s := range p.States {
		switch {
		case !s.Known():
			f.add(diag.Warning, codeUnknownState, "render state %d with value %d (0x%x)", s.State, s.Value, s.Value)
		case !s.valid():
			f.add(diag.Warning, codeStateValue, "%s has the value %d (0x%x)", s.Name(), s.Value, s.Value)
		}
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		f.at.Stage = s.Type.Short()
		f.stage(s)
		f.at = at
	}
}

func (f *finder) stage(s *Stage) {
	switch info := LookAtProgram(s.Program); {
	case info.Kind == ProgramEmpty:
		f.add(diag.Warning, codeNoProgram, "the %s stage has no program", s.Type)
	case info.Kind != ProgramDXBC:
		f.add(diag.Warning, codeForeignProgram, "the %s program of %d bytes is of kind %s", s.Type, len(s.Program), info.Kind)
	case info.Stage != s.Type:
		f.add(diag.Warning, codeStageMismatch, "the record says %s, the program %s", s.Type, info.Stage)
	}
	g := s.ThreadGroup
	switch {
	case s.Type != Compute && g != [3]uint32{}:
		f.add(diag.Warning, codeThreadGroup, "the %s stage has a thread group of %d, %d, %d", s.Type, g[0], g[1], g[2])
	case s.Type == Compute && (min(g[0], g[1], g[2]) == 0 || g[0] > 1024 || g[1] > 1024 || g[2] > 64 || uint64(g[0])*uint64(g[1])*uint64(g[2]) > 1024):
		f.add(diag.Warning, codeThreadGroup, "the compute stage has a thread group of %d, %d, %d", g[0], g[1], g[2])
	}
	for i, p := range s.Inputs {
		f.value(known(usageNames, p.Usage), "pipeline input %d has usage %d", i, uint8(p.Usage))
		f.value(known(inputNames, p.Type), "pipeline input %d has type %d", i, uint8(p.Type))
	}
	f.bindings("", &s.Bindings)
	f.data("", &s.StageData)
	f.match("", &s.Bindings, &s.StageData)
}

func (f *finder) library(i int, l *Library) {
	f.add(diag.Note, codeLibrary, "library %d (%d bytes, %d exports) is not translated", i, len(l.Program), len(l.Exports))
	prefix := sprintf("library %d ", i)
	var types uint64
	for _, x := range l.Exports {
		f.value(known(exportNames, x.Type), "%sexport %q has type %d", prefix, clip(x.Name), uint8(x.Type))
		f.named(x.Name, prefix+"export")
		if x.Type < 64 {
			if types&(1<<x.Type) != 0 {
				f.add(diag.Warning, codeRepeated, "%shas two %s exports, the last is %q so far", prefix, x.Type, clip(x.Name))
			}
			types |= 1 << x.Type
		}
	}
	for j, in := range [...]*LibraryInput{&l.Global, &l.Local} {
		p := prefix + [...]string{"global ", "local "}[j]
		f.bindings(p, &in.Bindings)
		f.data(p, &in.StageData)
	}
	// The signature of a library is the union of the two.
	b := Bindings{slices.Concat(l.Global.Registers, l.Local.Registers), slices.Concat(l.Global.StaticSamplers, l.Local.StaticSamplers)}
	f.match(prefix, &b, &l.Global.StageData)
	f.match(prefix, &b, &l.Local.StageData)
}

func (f *finder) sampler(what string, s *SamplerState) {
	for _, v := range [...]Filter{s.MinFilter, s.MagFilter, s.MipFilter} {
		f.value(known(filterNames, v), "%s has filter %d", what, uint8(v))
	}
	for _, v := range [...]AddressMode{s.AddressU, s.AddressV, s.AddressW} {
		f.value(known(addressNames, v), "%s has address mode %d", what, uint8(v))
	}
	f.value(known(compareNames, s.ComparisonFunc), "%s has comparison function %d", what, uint8(s.ComparisonFunc))
}

// bindings checks the register list by itself.
func (f *finder) bindings(prefix string, b *Bindings) {
	type span struct {
		class      RegisterClass
		space      uint8
		start, end uint64
		text       string
	}
	var spans []span
	for i, r := range b.Registers {
		f.value(r.Type.Known(), "%sregister %d of the list has type %d", prefix, i, uint8(r.Type))
		class := r.Type.Class()
		text := sprintf("%s%s%d in space %d", prefix, class.Letter(), r.Index, r.Space)
		start, end := uint64(r.Index), uint64(r.Index)+uint64(r.Count)
		if r.Count == 0 {
			end = 1 << 32
			if class == ClassConstantBuffer {
				f.add(diag.Warning, codeRegisterRange, "constant buffer %s is unbounded", text)
			}
		}
		if end > 1<<32 {
			f.add(diag.Warning, codeRegisterRange, "%s with %d registers ends beyond 2^32", text, r.Count)
		}
		if class != ClassUnknown {
			spans = append(spans, span{class, r.Space, start, end, text})
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.space, b.space), cmp.Compare(a.start, b.start))
	})
	for i := 1; i < len(spans); i++ {
		a, b := &spans[i-1], &spans[i]
		if a.class != b.class || a.space != b.space {
			continue
		}
		if b.start < a.end {
			f.add(diag.Warning, codeRegisterRange, "the range of %s overlaps that of %s", b.text, a.text)
			if a.end > b.end {
				b.end, b.text = a.end, a.text // keep the one that reaches further
			}
		}
	}
	seen := map[[2]uint32]bool{}
	for i := range b.StaticSamplers {
		s := &b.StaticSamplers[i]
		what := sprintf("%sstatic sampler s%d in space %d", prefix, s.Index, s.Space)
		if k := [2]uint32{uint32(s.Space), s.Index}; seen[k] {
			f.add(diag.Warning, codeRegisterRange, "%s stands twice", what)
		} else {
			seen[k] = true
		}
		f.sampler(what, &s.SamplerState)
		f.value(known(borderNames, s.BorderColor), "%s has border colour %d, read as transparent black", what, uint8(s.BorderColor))
	}
}

// data checks what the engine sets by name.
func (f *finder) data(prefix string, s *StageData) {
	repeated(f, s.Constants, prefix+"constant", func(c Constant) string { return c.Name })
	for i := range s.Constants {
		c := &s.Constants[i]
		f.named(c.Name, prefix+"constant")
		f.value(known(constantNames, c.Type), "%sconstant %q has type %d", prefix, clip(c.Name), uint8(c.Type))
		switch end := uint64(c.Offset) + uint64(c.Size); {
		case c.Size == 0:
			f.add(diag.Warning, codeConstant, "%sconstant %q has no bytes", prefix, clip(c.Name))
		case c.Dimension == 0:
			f.add(diag.Warning, codeConstant, "%sconstant %q has dimension 0", prefix, clip(c.Name))
		case end > MaxDefaults:
			f.add(diag.Warning, codeConstant, "%sconstant %q ends at %d, readers keep %d bytes", prefix, clip(c.Name), end, MaxDefaults)
		}
	}
	if len(s.Defaults) > MaxDefaults {
		f.add(diag.Warning, codeDefaults, "%s%d bytes of defaults, readers keep %d", prefix, len(s.Defaults), MaxDefaults)
	}
	for i := range s.Textures {
		t := &s.Textures[i]
		f.named(t.Name, sprintf("%stexture t%d", prefix, t.Register))
		f.value(known(resourceNames, t.Type), "%stexture %q has resource type %d", prefix, clip(t.Name), uint8(t.Type))
	}
	for i := range s.Samplers {
		t := &s.Samplers[i]
		f.sampler(sprintf("%ssampler %q", prefix, clip(t.Name)), &t.SamplerState)
	}
	for i := range s.UAVs {
		u := &s.UAVs[i]
		f.named(u.Name, sprintf("%sUAV u%d", prefix, u.Register))
		f.value(known(resourceNames, u.Type), "%sUAV %q has resource type %d", prefix, clip(u.Name), uint8(u.Type))
	}
	f.annotations(prefix+"entry point", s.Annotations)
}

func (f *finder) annotations(owner string, list []Annotation) {
	repeated(f, list, owner+": annotation", func(a Annotation) string { return a.Name })
	for i := range list {
		a := &list[i]
		f.named(a.Name, owner+": annotation")
		f.value(known(annotationNames, a.Type), "%s: annotation %q has type %d", owner, clip(a.Name), uint8(a.Type))
	}
}

// match holds the named resources against the register list. Before version 10 the
// list is absent or too coarse; before 13 it knows no array counts.
func (f *finder) match(prefix string, b *Bindings, s *StageData) {
	if f.e.Version < 10 {
		return
	}
	one := func(class RegisterClass, reg uint8, name string, elements uint32) {
		var hits []Register
		for _, r := range b.Registers {
			if r.Type.Class() == class && uint8(r.Index) == reg { // the name keeps the low 8 bits
				hits = append(hits, r)
			}
		}
		what := sprintf("%s%s %q at %s%d", prefix, class, clip(name), class.Letter(), reg)
		switch {
		case len(hits) == 0:
			f.add(diag.Warning, codeRegisterMap, "%s is not in the register list", what)
		case len(hits) > 1:
			f.add(diag.Warning, codeRegisterMap, "%s could be any of %d registers (spaces %d and %d)", what, len(hits), hits[0].Space, hits[1].Space)
		case hits[0].Count != elements:
			f.add(diag.Warning, codeRegisterMap, "%s has %d elements, the register list %d", what, elements, hits[0].Count)
		}
	}
	for i := range s.Textures {
		one(ClassResource, s.Textures[i].Register, s.Textures[i].Name, s.Textures[i].Elements)
	}
	for i := range s.UAVs {
		one(ClassUAV, s.UAVs[i].Register, s.UAVs[i].Name, s.UAVs[i].Elements)
	}
	for i := range s.Samplers {
		t := &s.Samplers[i]
		n := 0
		if t.IsDynamic {
			for _, r := range b.Registers {
				if r.Type == RegSampler && uint8(r.Index) == t.Register {
					n++
				}
			}
		} else {
			for _, r := range b.StaticSamplers {
				if uint8(r.Index) == t.Register {
					n++
				}
			}
		}
		if n > 1 {
			f.add(diag.Warning, codeRegisterMap, "%ssampler %q at s%d could be any of %d registers", prefix, clip(t.Name), t.Register, n)
		}
	}
}
