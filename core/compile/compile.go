// Package compile is the pipeline for one pass of one body: bytes of its stages
// to SSA, WGSL modules and one binding plan, with the diagnostics of every
// phase. It is deterministic and safe for concurrent use; equal passes are
// compiled once.
package compile

import (
	"context"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// StageInput is one stage of a pass as its container gives it.
type StageInput struct {
	Kind        dxbc.ProgramKind // what the container says; cross-checked with the program
	Program     []byte           // a DXBC container
	ThreadGroup [3]uint32        // what the container says; zero if it says nothing
	Names       Names
}

// Names are the names that the container gives to registers. They go into WGSL
// names and comments; RDEF's names stand in where the container has none.
type Names struct {
	Constants []Constant // of constant buffer 0, ascending offset
	Textures  map[uint32]string
	Samplers  map[uint32]string
	UAVs      map[uint32]string
}

// Constant is a named range of constant buffer 0.
type Constant = ir.Constant

// PassInput is the whole of a pass.
type PassInput struct {
	Stages []StageInput
	// Textures are the pixel stage's textures as an effect describes them, and
	// LayoutKey the name of the pass in documents ("Main.pass0"); both only serve
	// resource transforms.
	Textures  []layout.NamedTexture
	LayoutKey string
	// Proofs are the view formats that other passes prove, by parameter name.
	Proofs map[string]Proof
	// Companions are the passes of the body that write what this one binds.
	Companions []Companion
}

// Options change what is compiled; they are part of the cache key.
type Options struct {
	wgsl.Options
	// Views gives bound-view formats: "t3" or "Main/0/ps/t3" to a DXGI format
	// name without the DXGI_FORMAT_ prefix ("R32_UINT"); "*" to "auto".
	Views map[string]string
	// Transforms merges the detail maps of a pass into one array texture where
	// that is exact (binding-plan.md section 8).
	Transforms bool
	// Classes chooses the class instance of each interface slot.
	Classes map[string]string
}

// Status is what became of a stage or a pass.
type Status uint8

// The statuses.
const (
	Translated    Status = iota // WGSL was emitted
	Refused                     // the program could not be translated; see Diags
	NoCounterpart               // WebGPU has no such stage (geometry, hull, domain, library)
	Undecodable                 // the program is not valid DXBC
)

var statusNames = [...]string{"translated", "refused", "not translatable", "undecodable"}

func (s Status) String() string { return statusNames[s] }

// MarshalText makes JSON print the word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Phase is a named step of the pipeline with a snapshot of the function after it.
type Phase struct {
	Name          string
	Values, Nodes int // live ones after the phase
	Func          *ir.Function
}

// Stage is the result for one stage.
type Stage struct {
	Kind   dxbc.ProgramKind
	Status Status
	Shader *dxbc.Shader // nil when undecodable
	Func   *ir.Function // after the last phase reached; nil when none was
	Module *wgsl.Module // nil unless Translated
	Diags  []diag.Diag  // all of this stage's, in order of instruction; Loc without technique and pass
	// Premises are what the program takes for granted of its caller, in order of
	// kind; of a translated stage. Those without a code of the emitter's stand
	// among Diags too.
	Premises []ir.Premise
}

// Pass is the result for one pass. Stages are in the order vertex, hull, domain,
// geometry, pixel, compute.
type Pass struct {
	Stages []*Stage
	Plan   *layout.Plan // nil when no stage got as far
	Link   *wgsl.Link
	Diags  []diag.Diag // of the pass as a whole
	Status Status      // Translated only when every stage is
}

// Compiler compiles passes and remembers them by content.
type Compiler struct {
	state
}

// Pass compiles one pass, or returns the remembered result. The result is
// shared: callers must not change it. It fails only when ctx ends or on a bug
// of ours (*BugError); refusals are statuses and diagnostics.
func (c *Compiler) Pass(ctx context.Context, in *PassInput, opt *Options) (*Pass, error) {
	return c.pass(ctx, in, opt)
}

// PassOnce is Pass for callers that go over a whole effect and keep little of each
// result: it returns what is remembered, and remembers nothing more.
func (c *Compiler) PassOnce(ctx context.Context, in *PassInput, opt *Options) (*Pass, error) {
	k := key(in.Key(opt, nil))
	if e := c.peek(k); e != nil {
		select {
		case <-e.done:
			if e.err == nil {
				return e.res, nil
			}
		default:
		}
	}
	return compilePass(ctx, k, in, opt)
}

// Phases runs one stage of the pass again and returns a snapshot of the SSA
// after every phase, for display.
func (c *Compiler) Phases(ctx context.Context, in *PassInput, stage int, opt *Options) ([]Phase, error) {
	return c.phases(ctx, in, stage, opt)
}
