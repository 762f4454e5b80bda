package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// ErrNotConvertible marks a file that has no other container: an effect, a program, a
// generic container of chunks.
var ErrNotConvertible = errors.New("only effect packages and Carbon WebGPU containers can be converted")

// Converts is the format that Convert makes of the file, or empty where it makes none.
func (s *Session) Converts() Format {
	switch {
	case s.Container != nil:
		return CEWGPU
	case s.Package != nil && s.Package.Kind == cewgpu.EffectPackage && s.Package.Valid():
		return Carbon
	}
	return ""
}

// ConvertOptions say how Convert goes about it.
type ConvertOptions struct {
	Side    []byte // the side file of a container, or nil
	Version string // of the producer, by semantic versioning
}

// Convert makes the other container of an opened package: a Carbon WebGPU container with
// its side file, or, of a container, a package; with the side file that is the one that
// the container was made of. What the target cannot say stands in Lost. It fails with
// ErrNotConvertible, and as carbon.FromPackage and carbon.File.ToPackage do.
func (s *Session) Convert(ctx context.Context, o ConvertOptions) (*Exported, error) {
	switch s.Converts() {
	case Carbon:
		c, err := carbon.FromPackage(ctx, s.Package, carbon.FromOptions{})
		if err != nil {
			return nil, err
		}
		side, err := c.Side.Encode()
		if err != nil {
			return nil, fmt.Errorf("converting %s: %w", s.Name, err)
		}
		return &Exported{Format: Carbon, Data: c.Data, Report: StoredReport(s.Package, nil), Lost: c.Side.Lost, Side: side}, nil
	case CEWGPU:
		to := carbon.ToOptions{Permutation: -1, Version: o.Version, Producer: &cewgpu.Producer{Name: "fxlens", Version: o.Version, Profile: string(cewgpu.Strict)}}
		if o.Side != nil {
			side, err := carbon.ParseSide(o.Side)
			if err != nil {
				return nil, err
			}
			to.Side = side
		} else {
			to.Label = s.Name[strings.LastIndexAny(s.Name, `/\`)+1:]
		}
		c, err := s.Container.ToPackage(ctx, to)
		if err != nil {
			return nil, err
		}
		p, found := cewgpu.Validate(c.Data)
		if cewgpu.HasErrors(found) {
			return nil, fmt.Errorf("converting %s: %w", s.Name, &cewgpu.InvalidError{Findings: found})
		}
		return &Exported{Format: CEWGPU, Data: c.Data, Report: StoredReport(p, found), Lost: c.Lost}, nil
	}
	return nil, fmt.Errorf("%s: %w", s.Name, ErrNotConvertible)
}

// StoredReport says of a package that was read what a build says of one that it made:
// chunks, and of an effect package the profile, the coverage of bodies and what sharing
// saved. found are the findings of reading it. What cannot be read counts as absent.
func StoredReport(p *cewgpu.Package, found []cewgpu.Finding) *cewgpu.Report {
	sum := p.Summary()
	r := &cewgpu.Report{Size: sum.Size, SHA256: sum.SHA256, Profile: cewgpu.Profile(sum.Profile), Chunks: sum.Chunks, Findings: found}
	if p.Kind != cewgpu.EffectPackage {
		return r
	}
	if info, err := p.Info(); err == nil {
		r.Mode = info.BodyMode
	}
	set, err := p.BodySet()
	if err != nil {
		return r
	}
	perms := map[string]int{}
	if g, err := p.Graph(); err == nil {
		for i := range g.Variants {
			perms[g.Variants[i].BodyKey]++
		}
	}
	size := make(map[string]int, len(set.PassUnits))
	share := &cewgpu.Sharing{Units: len(set.PassUnits)}
	for i := range set.PassUnits {
		u := &set.PassUnits[i]
		for j := range u.Shaders {
			size[u.Key] += len(u.Shaders[j].Code)
		}
		share.Bytes += size[u.Key]
	}
	all := 0
	for i := range set.Bodies {
		b := &set.Bodies[i]
		one := cewgpu.BodyReport{Key: b.BodyKey, Permutations: perms[b.BodyKey], Translated: b.Status == "translated"}
		if b.Error != nil {
			one.Reason = *b.Error
		}
		for _, pass := range b.Passes {
			one.Passes = append(one.Passes, cewgpu.PassReport{Key: pass.PassKey, Unit: pass.UnitKey})
			share.Passes++
			all += size[pass.UnitKey]
		}
		r.Bodies = append(r.Bodies, one)
	}
	share.Saved = all - share.Bytes
	r.Sharing = share
	return r
}
