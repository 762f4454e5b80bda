package session

import (
	"context"

	"fxlens/core/diag"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/variant/bundle"
)

// openPackage reads a CEWGPU package and, of an effect package, the effect that it
// describes.
func (s *Session) openPackage() error {
	p, findings := cewgpu.Validate(s.Data)
	if cewgpu.HasErrors(findings) {
		err := &cewgpu.InvalidError{Findings: findings}
		return &OpenError{Name: s.Name, What: "a CEWGPU package", Reason: err.Error(),
			Remedy: "build the package again; `fxlens verify` lists every finding", Err: err}
	}
	s.Kind, s.Package = PackageFile, p
	if bundle.Is(p.Chunks) {
		var err error
		if s.Variants, err = bundle.Open(s.Data); err != nil {
			findings = append(findings, bundle.Finding(err))
		} else {
			findings = nil // that it is no effect package
		}
	}
	for _, f := range findings {
		s.said = append(s.said, f.Diag())
	}
	if p.Kind != cewgpu.EffectPackage {
		return nil
	}
	r, err := p.Rebuild(context.Background())
	if err != nil {
		s.said = append(s.said, diag.New(diag.Warning, codeNotRebuilt, diag.Loc{}, "%v", err))
		return nil
	}
	s.Effect, s.selected, s.programs = r.Effect, r.Selected, r.Programs
	if !r.Complete && len(r.Effect.Bodies()) > 1 {
		s.said = append(s.said, diag.New(diag.Note, codePartlyDescribed, diag.Loc{}, "the package describes its selected body alone, of %d", len(r.Effect.Bodies())))
	}
	return nil
}

// ChunkDoc says what a chunk of a package of these chunks holds; it is empty for one that
// no format of ours has.
func ChunkDoc(chunks []cewgpu.Chunk, tag string) string {
	if bundle.Is(chunks) {
		return bundle.ChunkDoc(tag)
	}
	return map[string]string{
		"INFO": "what the package is: format, producer, source, counts",
		"META": "the selected permutation",
		"PGRF": "every permutation and body of the source",
		"RFLX": "the reflection of every body",
		"RBLB": "the bytes that the reflection refers to: programs, defaults",
		"ANLS": "the analysis of the selected body",
		"WGSL": "modules and binding layouts",
		"WGSB": "modules and binding layouts of every body",
	}[tag]
}

// openContainer reads a Carbon WebGPU container.
func (s *Session) openContainer() error {
	f, ds := carbon.Validate(s.Data, carbon.Detect)
	if diag.HasErrors(ds) {
		err := &carbon.InvalidError{Findings: ds}
		return &OpenError{Name: s.Name, What: "a Carbon WebGPU container", Reason: err.Error(),
			Remedy: "build the container again; `fxlens verify` lists every finding", Err: err}
	}
	s.Kind, s.Container, s.Effect, s.selected = PackageFile, f, f.Effect, f.SelectedPermutation()
	s.said = ds
	return nil
}
