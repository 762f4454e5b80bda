package gpu

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Stages of a [Module], as WGSL and WebGPU call them.
const (
	Vertex   = "vertex"
	Fragment = "fragment"
	Compute  = "compute"
)

// Module is one WGSL module and the entry point to use of it.
type Module struct {
	// Stage is [Vertex], [Fragment] or [Compute], or empty for a module that is
	// only compiled.
	Stage string `json:"stage"`
	// EntryPoint may be empty where the module has one entry point of the stage.
	EntryPoint string `json:"entryPoint,omitempty"`
	Code       string `json:"code"`
	// Constants are values of pipeline-overridable constants.
	Constants map[string]float64 `json:"constants,omitempty"`
}

// Entry is one GPUBindGroupLayoutEntry. Exactly one of Buffer, Texture, Sampler
// and StorageTexture is set.
type Entry struct {
	Binding int `json:"binding"`
	// Visibility lists stage names.
	Visibility     []string              `json:"visibility"`
	Buffer         *BufferLayout         `json:"buffer,omitempty"`
	Texture        *TextureLayout        `json:"texture,omitempty"`
	Sampler        *SamplerLayout        `json:"sampler,omitempty"`
	StorageTexture *StorageTextureLayout `json:"storageTexture,omitempty"`
}

// BufferLayout is a GPUBufferBindingLayout. Type is "uniform", "storage" or
// "read-only-storage"; MinBindingSize is in bytes.
type BufferLayout struct {
	Type             string `json:"type"`
	HasDynamicOffset bool   `json:"hasDynamicOffset,omitempty"`
	MinBindingSize   uint64 `json:"minBindingSize,omitempty"`
}

// TextureLayout is a GPUTextureBindingLayout. SampleType is "float",
// "unfilterable-float", "depth", "sint" or "uint"; ViewDimension "1d", "2d",
// "2d-array", "cube", "cube-array" or "3d".
type TextureLayout struct {
	SampleType    string `json:"sampleType,omitempty"`
	ViewDimension string `json:"viewDimension,omitempty"`
	Multisampled  bool   `json:"multisampled,omitempty"`
}

// SamplerLayout is a GPUSamplerBindingLayout. Type is "filtering",
// "non-filtering" or "comparison".
type SamplerLayout struct {
	Type string `json:"type,omitempty"`
}

// StorageTextureLayout is a GPUStorageTextureBindingLayout. Access is
// "write-only", "read-only" or "read-write".
type StorageTextureLayout struct {
	Access        string `json:"access,omitempty"`
	Format        string `json:"format"`
	ViewDimension string `json:"viewDimension,omitempty"`
}

// VertexBuffer is a GPUVertexBufferLayout. StepMode is "vertex" (also when
// empty) or "instance".
type VertexBuffer struct {
	ArrayStride uint64      `json:"arrayStride"`
	StepMode    string      `json:"stepMode,omitempty"`
	Attributes  []Attribute `json:"attributes"`
}

// Attribute is a GPUVertexAttribute, such as {"float32x4", 0, 3}. Offset is in
// bytes.
type Attribute struct {
	Format         string `json:"format"`
	Offset         uint64 `json:"offset"`
	ShaderLocation int    `json:"shaderLocation"`
}

// Target is a GPUColorTargetState. An empty Format is a gap in the targets.
// WriteMask nil means all channels.
type Target struct {
	Format    string `json:"format"`
	WriteMask *uint  `json:"writeMask,omitempty"`
	Blend     *Blend `json:"blend,omitempty"`
}

// Blend is a GPUBlendState, needed to form pipelines of dual-source programs.
type Blend struct {
	Color BlendComponent `json:"color"`
	Alpha BlendComponent `json:"alpha"`
}

// BlendComponent is a GPUBlendComponent by WebGPU's names.
type BlendComponent struct {
	Operation string `json:"operation,omitempty"`
	SrcFactor string `json:"srcFactor,omitempty"`
	DstFactor string `json:"dstFactor,omitempty"`
}

// DepthStencil is a GPUDepthStencilState.
type DepthStencil struct {
	Format            string `json:"format"`
	DepthWriteEnabled bool   `json:"depthWriteEnabled"`
	DepthCompare      string `json:"depthCompare"`
}

// Varying is one fragment input of a [Case] whose vertex module is missing. Type
// is a WGSL type, Interpolate the text in @interpolate(...), or empty.
type Varying struct {
	Location    int    `json:"location"`
	Type        string `json:"type"`
	Interpolate string `json:"interpolate,omitempty"`
}

// Pipeline is the state around the modules of a [Case]. For a compute module
// the zero Pipeline does.
//
// A fragment module alone gets a vertex module made from Varyings. Where no
// colour target and no depth state is given, or the fragment module writes
// frag_depth, the judge adds a depth32float attachment, since WebGPU has no
// pipeline without attachments.
type Pipeline struct {
	Buffers      []VertexBuffer    `json:"buffers,omitempty"`
	Targets      []Target          `json:"targets,omitempty"`
	DepthStencil *DepthStencil     `json:"depthStencil,omitempty"`
	Primitive    map[string]any    `json:"primitive,omitempty"`   // GPUPrimitiveState
	Multisample  map[string]uint32 `json:"multisample,omitempty"` // GPUMultisampleState
	Varyings     []Varying         `json:"varyings,omitempty"`
}

// MarshalJSON writes gaps in Targets as null.
func (p Pipeline) MarshalJSON() ([]byte, error) {
	type plain Pipeline
	targets := make([]*Target, len(p.Targets))
	for i := range p.Targets {
		if p.Targets[i].Format != "" {
			targets[i] = &p.Targets[i]
		}
	}
	return json.Marshal(struct {
		plain
		Targets []*Target `json:"targets,omitempty"`
	}{plain(p), targets})
}

// Case is one question to Dawn: do these modules compile, and do they form a
// pipeline.
type Case struct {
	// ID names the case in results and must be unique within one call.
	ID string `json:"id"`
	// Modules are a vertex and a fragment module, either of them, a compute
	// module, or any number of modules with an empty Stage.
	Modules []Module `json:"wgsl"`
	// Layout has the planned entries of each group; nil lets Dawn derive them.
	// An empty non-nil Layout says that the pipeline has no bindings.
	Layout [][]Entry `json:"layout"`
	// Pipeline is nil where only the modules are to be compiled.
	Pipeline *Pipeline `json:"pipeline,omitempty"`
	// Features and Limits are what the program says it needs beyond WebGPU's
	// defaults. The device gets these and no others, so a need that is missing
	// here shows as an error. Where the adapter lacks one, the modules are
	// checked alone and Result.Skipped says so.
	Features []string          `json:"features,omitempty"`
	Limits   map[string]uint64 `json:"limits,omitempty"`
}

// Message is one message of a judge. Line and Col count from 1; 0 is unknown.
type Message struct {
	// Stage is the module's stage, "pipeline", or empty.
	Stage string `json:"stage"`
	// Severity is "error", "warning", "info", or "crash" when the judge's
	// process died or hung on this very case.
	Severity string `json:"severity"`
	Line     int    `json:"line"`
	Col      int    `json:"col"`
	Text     string `json:"text"`
}

func (m Message) String() string {
	s := m.Severity + ": " + strings.TrimSpace(m.Text)
	if m.Line > 0 {
		s = fmt.Sprintf("%d:%d: %s", m.Line, m.Col, s)
	}
	if m.Stage != "" {
		s = m.Stage + ": " + s
	}
	return s
}

// Result is the answer to one [Case].
type Result struct {
	ID       string    `json:"id"`
	Messages []Message `json:"messages"`
	// Pipeline is "formed", "failed" or "not tried".
	Pipeline string `json:"pipeline"`
	// Skipped says why no pipeline was tried although the case has one: what
	// the adapter lacks. Empty otherwise.
	Skipped string `json:"skipped"`
}

// Clean reports whether Dawn had nothing at all to say: no error, no warning,
// no note.
func (r Result) Clean() bool { return len(r.Messages) == 0 }

// Valid reports whether there is no error; warnings may be there.
func (r Result) Valid() bool {
	for _, m := range r.Messages {
		if m.Severity == "error" || m.Severity == "crash" {
			return false
		}
	}
	return true
}

func (r Result) String() string {
	var b strings.Builder
	b.WriteString(r.ID + ": pipeline " + r.Pipeline)
	if r.Skipped != "" {
		b.WriteString(" (" + r.Skipped + ")")
	}
	for _, m := range r.Messages {
		b.WriteString("\n  " + m.String())
	}
	return b.String()
}
