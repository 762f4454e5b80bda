package judge

import "fxlens/core/gpu"

// The questions and answers are those of package gpu.
type (
	Module               = gpu.Module
	Entry                = gpu.Entry
	BufferLayout         = gpu.BufferLayout
	TextureLayout        = gpu.TextureLayout
	SamplerLayout        = gpu.SamplerLayout
	StorageTextureLayout = gpu.StorageTextureLayout
	VertexBuffer         = gpu.VertexBuffer
	Attribute            = gpu.Attribute
	Target               = gpu.Target
	Blend                = gpu.Blend
	BlendComponent       = gpu.BlendComponent
	DepthStencil         = gpu.DepthStencil
	Varying              = gpu.Varying
	Pipeline             = gpu.Pipeline
	Case                 = gpu.Case
	Message              = gpu.Message
	Result               = gpu.Result
	Job                  = gpu.Job
	Buffer               = gpu.Buffer
	Texture              = gpu.Texture
	Sampler              = gpu.Sampler
	Pass                 = gpu.Pass
	Bind                 = gpu.Bind
	View                 = gpu.View
	Indirect             = gpu.Indirect
	Draw                 = gpu.Draw
	DrawBuffer           = gpu.DrawBuffer
	Index                = gpu.Index
	DrawTarget           = gpu.DrawTarget
	DrawDepth            = gpu.DrawDepth
	Capture              = gpu.Capture
	CaptureInput         = gpu.CaptureInput
	Outcome              = gpu.Outcome
)

// Stages of a [Module].
const (
	Vertex   = gpu.Vertex
	Fragment = gpu.Fragment
	Compute  = gpu.Compute
)
