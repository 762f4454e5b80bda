// Package layout plans the bindings of one effect pass: which WebGPU group and
// slot every resource declaration of its stages gets, what WGSL type it has, and
// which stages see it (binding-plan.md). All modules of a pass are emitted from
// one plan, so the layout is never recomputed from WGSL text.
package layout

import "fxlens/core/dxbc"

// Kind is the kind of a binding. The numbers are the sort order of the plan.
type Kind uint8

// The binding kinds.
const (
	UniformBuffer Kind = iota
	SampledResource
	Sampler
	StorageResource
	UAVCounter
)

var kindNames = [...]string{"uniform-buffer", "sampled-resource", "sampler", "storage-resource", "uav-counter"}

func (k Kind) String() string { return kindNames[k] }

// MarshalText makes JSON print the word.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Stage is a WebGPU shader stage. The numbers are the order in documents.
type Stage uint8

// The stages.
const (
	Vertex Stage = iota
	Fragment
	Compute
)

var stageNames = [...]string{"vertex", "fragment", "compute"}

func (s Stage) String() string { return stageNames[s] }

// MarshalText makes JSON print the word.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// StageOf returns the stage that runs programs of kind k; ok is false for the
// geometry, hull and domain stages, which WebGPU does not have.
func StageOf(k dxbc.ProgramKind) (s Stage, ok bool) {
	switch k {
	case dxbc.Vertex:
		return Vertex, true
	case dxbc.Pixel:
		return Fragment, true
	case dxbc.Compute:
		return Compute, true
	}
	return 0, false
}

// Buffer is a GPUBufferBindingLayout.
type Buffer struct {
	Type             string `json:"type"` // uniform, storage, read-only-storage
	HasDynamicOffset bool   `json:"hasDynamicOffset"`
	MinBindingSize   int    `json:"minBindingSize"`
}

// Texture is a GPUTextureBindingLayout.
type Texture struct {
	SampleType    string `json:"sampleType"` // float, unfilterable-float, depth, sint, uint
	ViewDimension string `json:"viewDimension"`
	Multisampled  bool   `json:"multisampled"`
}

// SamplerState is a GPUSamplerBindingLayout.
type SamplerState struct {
	Type string `json:"type"` // filtering, non-filtering, comparison
}

// StorageTexture is a GPUStorageTextureBindingLayout.
type StorageTexture struct {
	Access        string `json:"access"` // write-only, read-only, read-write
	Format        string `json:"format"`
	ViewDimension string `json:"viewDimension"`
}

// Binding is one slot of the plan. Exactly one of Buffer, Texture, Sampler and
// StorageTexture is set.
type Binding struct {
	Identity     string          `json:"identity"` // "uniform-buffer:0:3"; a second binding of one register ends in "#non-filtering", "#comparison" or "#depth"
	Kind         Kind            `json:"kind"`
	Register     uint32          `json:"register"`
	Space        uint32          `json:"space"`
	Group        int             `json:"group"`
	Binding      int             `json:"binding"`
	Symbol       string          `json:"symbol"`         // generated symbol: t16, s2_space1
	Name         string          `json:"name,omitempty"` // effect or RDEF name, raw
	Type         string          `json:"type"`           // WGSL type
	AddressSpace string          `json:"-"`              // WGSL address space and access of a buffer: "uniform", "storage, read", "storage, read_write"; empty for handles
	Scope        string          `json:"scopeIdentity"`
	Visibility   []Stage         `json:"visibility"`
	Stride       int             `json:"structureStride,omitempty"` // bytes
	Format       string          `json:"format,omitempty"`          // bound view format, typed buffers and UAV textures
	FormatFrom   string          `json:"formatFrom,omitempty"`      // flag, sidecar, proof, assumed, default
	Buffer       *Buffer         `json:"buffer,omitempty"`
	Texture      *Texture        `json:"texture,omitempty"`
	Sampler      *SamplerState   `json:"sampler,omitempty"`
	Storage      *StorageTexture `json:"storageTexture,omitempty"`
	Transform    string          `json:"transformId,omitempty"`
	Layers       int             `json:"arrayLayerCount,omitempty"`
	// Resources says which resource of each stage this is: index into the
	// stage's ir.Function.Resources, -1 where the stage does not declare it.
	// Indexed by Stage.
	Resources [3]int32 `json:"-"`
	Variant   Variant  `json:"-"` // which of the bindings of one register this is
	Used      bool     `json:"-"` // a stage reads or writes it
	// Merged lists the pixel stage's resources that are layers of this binding,
	// in the order of the layers; nil without a transform.
	Merged []int32 `json:"-"`
}

// Variant says which of the bindings of one D3D register a binding is.
type Variant uint8

// The variants. A register has the primary binding, and more only where one
// WebGPU binding cannot serve all that the program does with it.
const (
	Primary      Variant = iota
	NonFiltering         // sampler: for depth and integer textures, beside a filtering one
	Comparison           // sampler: for comparisons, beside one that only samples
	Depth                // texture: texture_depth_* for comparisons, beside texture_*<f32>
)

var variantSuffix = [...]string{"", "#non-filtering", "#comparison", "#depth"}
var variantSymbol = [...]string{"", "_nonfiltering", "_comparison", "_depth"}

// Plan is the frozen binding plan of one pass, sorted by group and slot.
type Plan struct {
	Bindings         []Binding
	SharedIdentities []string
	// Linear lists the varying registers that interpolate without perspective.
	Linear     []uint32
	Transforms []Transform
	// Features and Limits are what the bindings need beyond WebGPU's defaults:
	// GPUFeatureName, sorted, and GPUSupportedLimits name to value. Indexed by Stage.
	Features [3][]string
	Limits   [3]map[string]int
	// Proposals lists identities that several stages declare with equal records
	// and equal names, and that are not shared: a caller who knows that they are
	// one resource may name them in Options.SharedIdentities.
	Proposals []string
}

// Find returns the binding of a stage's resource (an index into the stage's
// ir.Function.Resources), or nil.
func (p *Plan) Find(s Stage, res int32, v Variant) *Binding {
	for i := range p.Bindings {
		b := &p.Bindings[i]
		if b.Resources[s] == res && b.Variant == v && res >= 0 {
			return b
		}
	}
	return nil
}
