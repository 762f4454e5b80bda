package cewgpu

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// PackageKind says what a package claims to be.
type PackageKind uint8

// The package kinds.
const (
	Generic       PackageKind = iota // a container: chunks by any name
	EffectPackage                    // INFO has the effect marker
)

// String returns "generic" or "effect".
func (k PackageKind) String() string {
	if k == EffectPackage {
		return "effect"
	}
	return "generic"
}

// Package is a package that was read. Its documents are decoded when asked for.
// It is safe for concurrent use and must not be changed.
type Package struct {
	Kind     PackageKind
	Extended bool    // of the extended profile
	Chunks   []Chunk // in file order
	Size     int     // bytes of the file
	SHA256   [32]byte

	generation string
	invalid    bool // its findings refuse it

	once struct{ info, meta, graph, rflx, anls, wgsl, wgsb sync.Once }
	info *Info
	meta *Meta
	pgrf *Graph
	rflx *Reflection
	anls *Analysis
	wgsl *WGSLSet
	wgsb *BodySet
	errs [7]error

	// RFLX as a tape, to decode one body at a time.
	rflxOnce sync.Once
	rflxDoc  *jsonDoc
	rflxErr  error
}

var (
	// ErrNoChunk marks a document that the package does not have.
	ErrNoChunk = errors.New("no such chunk")
	// ErrNotValid marks a question that only a valid effect package answers.
	ErrNotValid = errors.New("not a valid effect package")
	// ErrNoPermutation marks a permutation that the package does not have.
	ErrNoPermutation = errors.New("no such permutation")
)

// Valid reports whether the package broke no rule.
func (p *Package) Valid() bool { return !p.invalid }

// Generation says which of the two generations of producers the names in INFO are
// of: "format-webgpu", "runtime-resource", or empty.
func (p *Package) Generation() string { return p.generation }

// Chunk returns the chunk with a tag.
func (p *Package) Chunk(tag string) (Chunk, bool) {
	for _, c := range p.Chunks {
		if c.Tag == tag {
			return c, true
		}
	}
	return Chunk{}, false
}

func load[T any](p *Package, once *sync.Once, slot int, tag string, to **T) (*T, error) {
	once.Do(func() {
		c, ok := p.Chunk(tag)
		if !ok {
			p.errs[slot] = fmt.Errorf("%s: %w", tag, ErrNoChunk)
			return
		}
		d, err := parseJSON(c.Data)
		if err != nil {
			p.errs[slot] = fmt.Errorf("reading chunk %s: %w", tag, err)
			return
		}
		d.chunk = tag
		v := new(T)
		if err := d.decode(v); err != nil {
			p.errs[slot] = err
			return
		}
		*to = v
	})
	return *to, p.errs[slot]
}

// Info returns the INFO document. This and the other documents fail with
// ErrNoChunk if the package does not have it, and are shared: they must not be
// changed.
func (p *Package) Info() (*Info, error) { return load(p, &p.once.info, 0, "INFO", &p.info) }

// Meta returns the META document.
func (p *Package) Meta() (*Meta, error) { return load(p, &p.once.meta, 1, "META", &p.meta) }

// Graph returns the PGRF document.
func (p *Package) Graph() (*Graph, error) { return load(p, &p.once.graph, 2, "PGRF", &p.pgrf) }

// Reflection returns the RFLX document with its blob references.
func (p *Package) Reflection() (*Reflection, error) {
	return load(p, &p.once.rflx, 3, "RFLX", &p.rflx)
}

// Analysis returns the ANLS document.
func (p *Package) Analysis() (*Analysis, error) { return load(p, &p.once.anls, 4, "ANLS", &p.anls) }

// WGSL returns the WGSL document.
func (p *Package) WGSL() (*WGSLSet, error) { return load(p, &p.once.wgsl, 5, "WGSL", &p.wgsl) }

// BodySet returns the WGSB document.
func (p *Package) BodySet() (*BodySet, error) { return load(p, &p.once.wgsb, 6, "WGSB", &p.wgsb) }

// Blob returns a copy of a reflection blob by its key, such as "blob3".
func (p *Package) Blob(key string) ([]byte, bool) {
	r, err := p.Reflection()
	if err != nil {
		return nil, false
	}
	for _, ref := range r.BlobStore.Blobs {
		if ref.BlobKey == key {
			return p.BlobByRef(ref)
		}
	}
	return nil, false
}

// BlobByRef returns a copy of the bytes of a reference if it equals its record of
// the inventory in all fields and the bytes have its digest.
func (p *Package) BlobByRef(ref BlobRef) ([]byte, bool) {
	b, ok := p.blob(ref)
	if !ok || digestOf(b) != ref.SHA256 {
		return nil, false
	}
	return append([]byte{}, b...), true
}

// blob returns the bytes of a reference that equals its record.
func (p *Package) blob(ref BlobRef) ([]byte, bool) {
	r, err := p.Reflection()
	rblb, ok := p.Chunk("RBLB")
	if err != nil || !ok {
		return nil, false
	}
	var i int
	if _, err := fmt.Sscanf(ref.BlobKey, "blob%d", &i); err != nil || i < 0 || i >= len(r.BlobStore.Blobs) || r.BlobStore.Blobs[i] != ref {
		return nil, false
	}
	if ref.Offset < 0 || ref.ByteLength < 0 || ref.Offset > len(rblb.Data) || ref.ByteLength > len(rblb.Data)-ref.Offset {
		return nil, false
	}
	return rblb.Data[ref.Offset : ref.Offset+ref.ByteLength : ref.Offset+ref.ByteLength], true
}

// Permutation returns the index of the permutation with the given options by axis
// name; axes that are not named take their default.
func (p *Package) Permutation(options map[string]string) (int, error) {
	g, err := p.Graph()
	if err != nil {
		return 0, err
	}
	used := 0
	index, stride := 0, 1
	for _, a := range g.Axes {
		at := a.DefaultOption
		if want, ok := options[a.Name]; ok {
			used++
			at = -1
			for i, o := range a.Options {
				if o == want {
					at = i
				}
			}
			if at < 0 {
				return 0, fmt.Errorf("axis %q has no option %q: it has %q: %w", a.Name, want, a.Options, ErrNoPermutation)
			}
		}
		index += at * stride
		stride *= len(a.Options)
	}
	if used != len(options) {
		for _, name := range slices.Sorted(maps.Keys(options)) {
			found := false
			for _, a := range g.Axes {
				found = found || a.Name == name
			}
			if !found {
				return 0, fmt.Errorf("no axis %q: %w", name, ErrNoPermutation)
			}
		}
	}
	return index, nil
}

// PortableReflection returns the complete reflection of the body that a
// permutation has, with all bytes in place: the document that the source effect
// itself gives. The caller owns it, but for the bytes, which are the package's.
func (p *Package) PortableReflection(perm int) (*Portable, error) {
	if p.Kind != EffectPackage || p.invalid {
		return nil, fmt.Errorf("reading a reflection: %w", ErrNotValid)
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	if perm < 0 || perm >= len(g.Variants) {
		return nil, fmt.Errorf("permutation %d of %d: %w", perm, len(g.Variants), ErrNoPermutation)
	}
	shared, err := p.Reflection()
	if err != nil {
		return nil, err
	}
	out := &Portable{
		Format: "CJS_EFFECT_BODY_REFLECTION", FormatVersion: 1, Mode: "single-body", KeyScope: "body-local",
		Coverage:         PortableCoverage{Bodies: "single", Reflection: "complete", SourcePrograms: "complete", ConstantDefaults: "exact"},
		PermutationIndex: perm,
		SourceRecord:     g.Variants[perm].SourceRecord,
	}
	path := "effect"
	if shared.FormatVersion == 1 {
		if shared.SelectedBody == nil || shared.SelectedBody.PermutationIndex != perm {
			return nil, fmt.Errorf("permutation %d: a reflection of version 1 has the selected permutation alone: %w", perm, ErrNoPermutation)
		}
	} else {
		path = ""
		for i, b := range shared.Bodies {
			if b.BodyKey == g.Variants[perm].BodyKey {
				path = fmt.Sprintf("bodies[%d].effect", i)
			}
		}
	}
	// Decoded anew each time: the result is the caller's.
	d, err := p.reflectionTape()
	if err != nil {
		return nil, err
	}
	n := -1
	if path != "" {
		n = d.find(path)
	}
	if n < 0 {
		return nil, fmt.Errorf("permutation %d: no reflection of body %q: %w", perm, g.Variants[perm].BodyKey, ErrNoPermutation)
	}
	if err := d.decodeAt(n, &out.Effect); err != nil {
		return nil, err
	}
	s := shared.Source
	out.Source = PortableSource{Label: s.Label, EffectVersion: s.EffectVersion, CompilerVersion: s.CompilerVersion,
		NativeHash: s.NativeHash, StringTableByteLength: s.StringTableByteLength, ByteLength: s.ByteLength}
	if err := p.expand(out); err != nil {
		return nil, err
	}
	return out, nil
}

func (p *Package) reflectionTape() (*jsonDoc, error) {
	p.rflxOnce.Do(func() {
		c, ok := p.Chunk("RFLX")
		if !ok {
			p.rflxErr = fmt.Errorf("RFLX: %w", ErrNoChunk)
			return
		}
		d, err := parseJSON(c.Data)
		if err != nil {
			p.rflxErr = fmt.Errorf("reading chunk RFLX: %w", err)
			return
		}
		d.chunk = "RFLX"
		p.rflxDoc = d
	})
	return p.rflxDoc, p.rflxErr
}

// expand replaces every blob reference by its bytes.
func (p *Package) expand(doc *Portable) error {
	var err error
	doc.eachBytes(func(b *Bytes) {
		if b.Ref == nil || err != nil {
			return
		}
		data, ok := p.blob(*b.Ref)
		if !ok {
			err = fmt.Errorf("blob %q is not in the inventory", b.Ref.BlobKey)
			return
		}
		*b = Bytes{Data: data}
	})
	return err
}

// eachBytes visits every byte run of the document, in the order in which blobs are
// numbered: the native hash, then per stage the program and the defaults, per
// library the program, global and local defaults.
func (doc *Portable) eachBytes(visit func(*Bytes)) {
	visit(&doc.Source.NativeHash)
	doc.Effect.eachBytes(visit)
}

func (e *PortableEffect) eachBytes(visit func(*Bytes)) {
	for i := range e.Techniques {
		t := &e.Techniques[i]
		for j := range t.Passes {
			for k := range t.Passes[j].Stages {
				s := &t.Passes[j].Stages[k]
				visit(&s.SourceProgram.Bytes)
				visit(&s.Input.ConstantDefaults.Bytes)
			}
		}
		for j := range t.Libraries {
			l := &t.Libraries[j]
			visit(&l.SourceProgram.Bytes)
			visit(&l.GlobalInput.ConstantDefaults.Bytes)
			visit(&l.LocalInput.ConstantDefaults.Bytes)
		}
	}
}

// Programs is what a package of mode all has for one permutation.
type Programs struct {
	PermutationIndex int
	BodyKey          string
	Status           string // translated or unsupported
	Error            string // why unsupported
	Passes           []PassPrograms
}

// PassPrograms is one pass with the content of its unit.
type PassPrograms struct {
	PassKey string
	Unit    *PassUnit
}

// BackendPrograms returns the modules of the body that a permutation has. A
// package of mode selected has them for its own permutation, from WGSL.
func (p *Package) BackendPrograms(perm int) (*Programs, error) {
	if p.Kind != EffectPackage || p.invalid {
		return nil, fmt.Errorf("reading programs: %w", ErrNotValid)
	}
	g, err := p.Graph()
	if err != nil {
		return nil, err
	}
	if perm < 0 || perm >= len(g.Variants) {
		return nil, fmt.Errorf("permutation %d of %d: %w", perm, len(g.Variants), ErrNoPermutation)
	}
	set, err := p.BodySet()
	if err != nil {
		return nil, err
	}
	units := make(map[string]*PassUnit, len(set.PassUnits))
	for i := range set.PassUnits {
		units[set.PassUnits[i].Key] = &set.PassUnits[i]
	}
	key := g.Variants[perm].BodyKey
	for _, b := range set.Bodies {
		if b.BodyKey != key {
			continue
		}
		out := &Programs{PermutationIndex: perm, BodyKey: key, Status: b.Status}
		if b.Error != nil {
			out.Error = *b.Error
		}
		for _, pass := range b.Passes {
			out.Passes = append(out.Passes, PassPrograms{PassKey: pass.PassKey, Unit: units[pass.UnitKey]})
		}
		return out, nil
	}
	return nil, fmt.Errorf("permutation %d: no record of body %q: %w", perm, key, ErrNoPermutation)
}

// Summary is what a package is, at a glance. Counts are zero where the package has
// no such document.
type Summary struct {
	Kind                 string      `json:"kind"`
	Profile              string      `json:"profile,omitempty"` // strict or extended; empty for generic packages
	ContainerVersion     int         `json:"version"`
	Size                 int         `json:"size"`
	SHA256               string      `json:"sha256"`
	Chunks               []ChunkSize `json:"chunks"`
	PermutationCount     int         `json:"permutationCount"`
	UniqueBodyCount      int         `json:"uniqueBodyCount"`
	ReflectionBodyCount  int         `json:"reflectionBodyCount"`
	SourceProgramCount   int         `json:"reflectionSourceProgramCount"`
	ReflectionBlobCount  int         `json:"reflectionBlobCount"`
	ReflectionBlobLength int         `json:"reflectionBlobByteLength"`
	StageCount           int         `json:"stageCount"`
	ShaderCount          int         `json:"shaderCount"`
	LayoutCount          int         `json:"layoutCount"`
}

// ChunkSize is a chunk without its payload.
type ChunkSize struct {
	Tag    string `json:"tag"`
	Size   int    `json:"size"`
	Offset int    `json:"offset"`
}

// Summary returns the package at a glance. It never fails: what cannot be read
// counts as absent.
func (p *Package) Summary() Summary {
	s := Summary{Kind: p.Kind.String(), ContainerVersion: containerVersion, Size: p.Size, SHA256: fmt.Sprintf("%x", p.SHA256)}
	for _, c := range p.Chunks {
		s.Chunks = append(s.Chunks, ChunkSize{c.Tag, len(c.Data), c.Offset})
	}
	if p.Kind != EffectPackage {
		return s
	}
	s.Profile = "strict"
	if p.Extended {
		s.Profile = "extended"
	}
	if i, err := p.Info(); err == nil {
		s.StageCount, s.ShaderCount, s.LayoutCount = i.StageCount, i.ShaderCount, i.LayoutCount
		if g := i.PermutationGraph; g != nil {
			s.PermutationCount, s.UniqueBodyCount = g.PermutationCount, g.UniqueBodyCount
		}
		if r := i.EffectReflection; r != nil {
			s.ReflectionBodyCount, s.SourceProgramCount = r.BodyCount, r.SourceProgramCount
			s.ReflectionBlobCount, s.ReflectionBlobLength = r.BlobCount, r.BlobByteLength
		}
	}
	return s
}
