// Package wgsl turns an SSA function and a binding plan into one WGSL module
// that reads as if a person had written it, with a source map from every token
// to the SSA value and the DXBC instruction that it came from.
package wgsl

import (
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// Role says what a token of the module is; views turn it into a colour.
type Role uint8

// The roles.
const (
	RoleText     Role = iota // white space and what has no role of its own
	RoleKeyword              // var, let, fn, if, loop, return
	RoleType                 // vec4<f32>
	RoleFunction             // textureSample, dot, a helper
	RoleVariable             // a local
	RoleResource             // a binding: t0, cb1
	RoleInput                // stage inputs and outputs
	RoleLiteral
	RoleOperator
	RolePunct
	RoleAttribute // @group(0)
	RoleComment
	RoleMember // .xyz, struct members
)

// Token is a run of the module's text. Tokens are in order, do not overlap, and
// cover all but white space.
type Token struct {
	Off, Len uint32 // bytes
	Role     Role
	Value    ir.ValueID // the innermost value that the token belongs to, or ir.NoValue
	Instr    int32      // the DXBC instruction index, or -1
}

// IO is one element of the stage interface, as DESIGN.md describes `io`.
type IO struct {
	Direction     string `json:"direction"` // in or out
	Semantic      string `json:"semantic"`
	Index         uint32 `json:"index"`
	Register      uint32 `json:"register"`
	Mask          string `json:"mask"` // "xyz"
	Location      *int   `json:"location,omitempty"`
	Component     int    `json:"component"` // first component inside the location
	Builtin       string `json:"builtin,omitempty"`
	Type          string `json:"type,omitempty"` // WGSL type of the location
	Interpolation string `json:"interpolation,omitempty"`
}

// Requires lists what the module needs beyond WebGPU's defaults.
type Requires struct {
	Features []string       `json:"features"`         // GPUFeatureName, sorted
	Language []string       `json:"languageFeatures"` // WGSL language features, sorted
	Limits   map[string]int `json:"limits"`           // GPUSupportedLimits name to value
}

// Module is one emitted WGSL module.
type Module struct {
	Stage      layout.Stage
	EntryPoint string
	Code       string
	Workgroup  [3]uint32 // compute
	Tokens     []Token
	IO         []IO
	Requires   Requires
	// Adapted lists the derivative sites and other adaptations, as diagnostics do.
	Uniformity bool // the derivative_uniformity opt-out was needed

	silent []int32 // instructions that are in the shape of the code alone
}

// Numeric selects how exactly D3D's numeric edges are kept.
type Numeric uint8

// The numeric modes (issue "Every vertex and pixel shader becomes good WGSL").
const (
	Default Numeric = iota // WGSL's own forms, with the finite-math latitude
	Exact                  // D3D's results for NaN, infinity, conversions and f16 wherever WGSL can express them
)

// Options change what is emitted. They are part of every cache key.
type Options struct {
	Numeric Numeric
	Strict  bool // refuse what would be a warning that concerns correctness (undefined reads, assumed formats)
	Limits  bool // refuse what needs more than WebGPU's default limits and features
	// ConservativeDepth writes SV_DepthGreaterEqual and SV_DepthLessEqual as
	// frag_depth with greater or less (language feature fragment_depth) instead
	// of plain frag_depth, which gives the same image without the early test.
	ConservativeDepth bool
}

// Link is what the stages of a pass agree on about their interface, computed
// once per pass: see LinkStages.
type Link struct {
	// Varyings is keyed by register: what both sides declare for it.
	Varyings []Varying
}

// Varying is one inter-stage location as both stages declare it.
type Varying struct {
	Register   uint32
	Location   int
	Kind       ir.Kind // F32, I32 or U32
	N          uint8   // width in components
	First      uint8   // first component of the register that it holds
	Mask       uint8   // components of the register that belong to it
	Interp     string  // WGSL interpolate arguments: "flat", "linear, centroid", or empty for the default
	FromPixel  bool    // the pixel stage reads it
	FromVertex bool    // the vertex stage writes it
}
