package session

import "fxlens/core/pack/cewgpu"

func (s *Session) openPackage() error {
	p, findings := cewgpu.Validate(s.Data)
	if cewgpu.HasErrors(findings) {
		err := &cewgpu.InvalidError{Findings: findings}
		return &OpenError{Name: s.Name, What: "a CEWGPU package", Reason: err.Error(),
			Remedy: "build the package again; `fxlens verify` lists every finding", Err: err}
	}
	s.Kind, s.Package = PackageFile, p
	for _, f := range findings {
		s.Findings = append(s.Findings, f.Diag())
	}
	return nil
}
