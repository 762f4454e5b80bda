package session

import (
	"context"
	"fmt"

	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// Format says which container Export makes.
type Format string

// The formats.
const (
	CEWGPU Format = "cewgpu" // a CEWGPU package
	Carbon Format = "carbon" // a Carbon WebGPU container with its side file
)

// SideSuffix is what the name of a side file has behind that of its container.
const SideSuffix = ".side.json"

// Exported is a package or container in memory.
type Exported struct {
	Format Format
	Data   []byte
	Report *cewgpu.Report // of the package, from which a container was made
	// Of a container: what it cannot say, and the side file that keeps it, with
	// which the way back gives the package byte for byte.
	Lost []carbon.Loss
	Side []byte
}

// Export makes a package, or with format Carbon the container of that package. It
// fails as BuildPackage does, and with a *carbon.ConvertError that lists what of
// the package a container cannot say.
func (s *Session) Export(ctx context.Context, format Format, o PackageOptions) (*Exported, error) {
	if format != CEWGPU && format != Carbon {
		return nil, fmt.Errorf("exporting %s: format %q is neither cewgpu nor carbon", s.Name, format)
	}
	pkg, report, err := s.BuildPackage(ctx, o)
	if err != nil {
		return nil, err
	}
	if format == CEWGPU {
		return &Exported{Format: format, Data: pkg, Report: report}, nil
	}
	p, err := cewgpu.Open(pkg)
	if err != nil {
		return nil, fmt.Errorf("exporting %s: %w", s.Name, err)
	}
	c, err := carbon.FromPackage(ctx, p, carbon.FromOptions{Source: s.Effect})
	if err != nil {
		return nil, err
	}
	side, err := c.Side.Encode()
	if err != nil {
		return nil, fmt.Errorf("exporting %s: %w", s.Name, err)
	}
	return &Exported{Format: format, Data: c.Data, Report: report, Lost: c.Side.Lost, Side: side}, nil
}
