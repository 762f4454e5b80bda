package job

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
)

// Setup is what a job makes of its inputs, for those who run its programs in their
// own way: a debugger, or another executor.
type Setup struct {
	Stage   string                  // cs, vs, ps, draw
	Shaders map[string]*dxbc.Shader // by stage
	Envs    map[string]*interp.Env  // by stage; made anew by every call
	Groups  [3]uint32               // cs
	// Vertices has the inputs of a vertex program, PerInstance the number of
	// vertices of an instance.
	Vertices    *interp.Batch
	PerInstance int
	// Pixels has the quads of a pixel program, in drawing order. A draw runs its
	// vertex program to make them.
	Pixels *interp.Batch
	Tol    string // the job's tol line
}

// maxPixels bounds the pixels that Prepare collects.
const maxPixels = 1 << 16

// Prepare reads a job without running what it is about. The error says what is
// wrong with the job, or is the context's.
func (j *Job) Prepare(ctx context.Context, opt Options) (*Setup, error) {
	r := newRunner(j, opt)
	if err := r.prepare(); err != nil {
		return nil, err
	}
	s := &Setup{Stage: r.job.find("stage").word(1), Shaders: r.shader, Envs: r.envs}
	if l := j.find("tol"); l != nil {
		s.Tol = strings.Join(l.Words[1:], " ")
	}
	var err error
	switch s.Stage {
	case "cs":
		s.Groups, err = r.groups()
	case "vs":
		s.Vertices, s.PerInstance, err = r.vertexInputs()
	default:
		err = s.pixels(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Setup) pixels(ctx context.Context, r *runner) error {
	if s.Stage == "draw" {
		var err error
		if s.Vertices, s.PerInstance, err = r.vertexInputs(); err != nil {
			return err
		}
	}
	all := &interp.Batch{In: map[uint32][][4]uint32{}}
	r.draw.Shade = func(b *interp.Batch) error {
		if all.N+b.N > maxPixels {
			return fmt.Errorf("%w: more than %d pixels", interp.ErrMemory, maxPixels)
		}
		for reg, rows := range b.In {
			all.In[reg] = append(all.In[reg], rows...)
		}
		all.Coverage, all.PrimitiveID = append(all.Coverage, b.Coverage...), append(all.PrimitiveID, b.PrimitiveID...)
		all.Helper = append(all.Helper, b.Helper...)
		all.Samples = b.Samples
		all.N += b.N
		return nil
	}
	if err := r.rasterize(ctx, s.Stage == "ps"); err != nil {
		return err
	}
	if all.N == 0 {
		return errors.New("the job draws no pixel")
	}
	s.Pixels = all
	return nil
}

// Stage is what the job runs: cs, vs, ps or draw; empty where it does not say.
func (j *Job) Stage() string { return j.find("stage").word(1) }

// Runs reports whether the job runs a stage, one of vs, ps and cs: a draw runs the first
// two.
func (j *Job) Runs(stage string) bool {
	w := j.Stage()
	return w == stage || w == "draw" && stage != "cs"
}
