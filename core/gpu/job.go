package gpu

import (
	"encoding/json"
	"strings"
)

// Job is one execution: resources, and passes that run over them in order. All
// data is bytes in memory order (little endian), texture rows tight.
type Job struct {
	ID       string            `json:"id"`
	Features []string          `json:"features,omitempty"`
	Limits   map[string]uint64 `json:"limits,omitempty"`
	Buffers  []Buffer          `json:"buffers,omitempty"`
	Textures []Texture         `json:"textures,omitempty"`
	Samplers []Sampler         `json:"samplers,omitempty"`
	Passes   []Pass            `json:"passes"`
}

// Buffer is a buffer of any use: uniform, storage, vertex, index, indirect.
type Buffer struct {
	Name string `json:"name"`
	// Size in bytes; the data's length where that is greater. What Data does not
	// fill is zero.
	Size int    `json:"size,omitempty"`
	Data []byte `json:"data,omitempty"`
	// Read asks for the contents after the last pass, under Name.
	Read bool `json:"read,omitempty"`
}

// Texture is a texture with its data.
type Texture struct {
	Name string `json:"name"`
	// Dimension is "1d", "2d" (also when empty) or "3d".
	Dimension string `json:"dimension,omitempty"`
	// Format is WebGPU's name, such as "rgba16float".
	Format string `json:"format"`
	Width  int    `json:"width"`
	Height int    `json:"height,omitempty"` // 0 means 1
	// Layers is the number of array layers (6 for a cube) or the depth of a 3D
	// texture; 0 means 1.
	Layers  int `json:"layers,omitempty"`
	Mips    int `json:"mips,omitempty"`    // 0 means 1
	Samples int `json:"samples,omitempty"` // 1 or 4; 0 means 1
	// Data has, for each layer, its mips in order, one slice each; for a 3D
	// texture one slice a mip; for a multisampled texture one image a sample.
	// Missing data is zero.
	Data [][]byte `json:"data,omitempty"`
	// Storage allows the texture to be bound as a storage texture.
	Storage bool `json:"storage,omitempty"`
	// Read asks for the contents (each layer, its mips in order, concatenated).
	Read bool `json:"read,omitempty"`
}

// Sampler is a GPUSamplerDescriptor with a name. Empty fields are WebGPU's
// defaults: nearest, clamp to edge, all mips.
type Sampler struct {
	Name          string   `json:"name"`
	AddressModeU  string   `json:"addressModeU,omitempty"` // "clamp-to-edge", "repeat", "mirror-repeat"
	AddressModeV  string   `json:"addressModeV,omitempty"`
	AddressModeW  string   `json:"addressModeW,omitempty"`
	MagFilter     string   `json:"magFilter,omitempty"` // "nearest", "linear"
	MinFilter     string   `json:"minFilter,omitempty"`
	MipmapFilter  string   `json:"mipmapFilter,omitempty"`
	LodMinClamp   *float64 `json:"lodMinClamp,omitempty"`
	LodMaxClamp   *float64 `json:"lodMaxClamp,omitempty"`
	Compare       string   `json:"compare,omitempty"`
	MaxAnisotropy int      `json:"maxAnisotropy,omitempty"`
}

// Pass is one dispatch, one draw, or one capture of vertex outputs. Exactly one
// of Dispatch, Indirect, Draw and Capture is set.
type Pass struct {
	Modules  []Module  `json:"wgsl"`
	Layout   [][]Entry `json:"layout"` // nil lets Dawn derive it; then Bind must name used bindings only
	Bind     []Bind    `json:"bind,omitempty"`
	Dispatch []uint32  `json:"dispatch,omitempty"` // three numbers of workgroups
	Indirect *Indirect `json:"dispatchIndirect,omitempty"`
	Draw     *Draw     `json:"draw,omitempty"`
	Capture  *Capture  `json:"capture,omitempty"`
}

// Bind puts a resource at a binding.
type Bind struct {
	Group    int    `json:"group"`
	Binding  int    `json:"binding"`
	Resource string `json:"resource"`
	// Offset (a multiple of 256) and Size select a part of a buffer, in bytes;
	// Size 0 is the rest.
	Offset uint64 `json:"offset,omitempty"`
	Size   uint64 `json:"size,omitempty"`
	View   *View  `json:"view,omitempty"`
}

// View is a GPUTextureViewDescriptor. Zero counts mean the rest.
type View struct {
	Dimension       string `json:"dimension,omitempty"` // as TextureLayout.ViewDimension
	Format          string `json:"format,omitempty"`
	BaseMipLevel    int    `json:"baseMipLevel,omitempty"`
	MipLevelCount   int    `json:"mipLevelCount,omitempty"`
	BaseArrayLayer  int    `json:"baseArrayLayer,omitempty"`
	ArrayLayerCount int    `json:"arrayLayerCount,omitempty"`
}

// Indirect names a buffer with three u32 at Offset bytes.
type Indirect struct {
	Buffer string `json:"buffer"`
	Offset uint64 `json:"offset,omitempty"`
}

// Draw is one draw call and the state around it.
type Draw struct {
	VertexCount   uint32            `json:"vertexCount"` // or the number of indices
	InstanceCount uint32            `json:"instanceCount,omitempty"`
	FirstVertex   uint32            `json:"firstVertex,omitempty"` // or the first index
	BaseVertex    int32             `json:"baseVertex,omitempty"`
	FirstInstance uint32            `json:"firstInstance,omitempty"`
	Buffers       []DrawBuffer      `json:"buffers,omitempty"`
	Index         *Index            `json:"index,omitempty"`
	Targets       []DrawTarget      `json:"targets,omitempty"`
	Depth         *DrawDepth        `json:"depth,omitempty"`
	Primitive     map[string]any    `json:"primitive,omitempty"`
	Multisample   map[string]uint32 `json:"multisample,omitempty"`
	Viewport      []float64         `json:"viewport,omitempty"` // x, y, w, h, min depth, max depth
	// Width and Height are the size of the attachment that is made when the draw
	// has none.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// DrawBuffer is one vertex buffer slot.
type DrawBuffer struct {
	VertexBuffer
	Resource string `json:"resource"`
	Offset   uint64 `json:"offset,omitempty"`
}

// Index is the index buffer. Format is "uint16" or "uint32".
type Index struct {
	Resource string `json:"resource"`
	Format   string `json:"format"`
}

// DrawTarget is one colour target. An empty Resource is a gap. Clear nil keeps
// what is there. Resolve names the single-sampled texture to resolve into.
type DrawTarget struct {
	Resource  string    `json:"resource"`
	View      *View     `json:"view,omitempty"`
	Clear     []float64 `json:"clear,omitempty"`
	WriteMask *uint     `json:"writeMask,omitempty"`
	Blend     *Blend    `json:"blend,omitempty"`
	Resolve   string    `json:"resolve,omitempty"`
}

// DrawDepth is the depth attachment. Compare empty is "always"; Write nil is
// true; Clear nil keeps what is there.
type DrawDepth struct {
	Resource string   `json:"resource"`
	View     *View    `json:"view,omitempty"`
	Clear    *float64 `json:"clear,omitempty"`
	Compare  string   `json:"compare,omitempty"`
	Write    *bool    `json:"write,omitempty"`
}

// Capture runs the pass's vertex module alone, once for each vertex of each
// instance, and gives its outputs as exact words: no rasteriser is involved.
type Capture struct {
	VertexCount   uint32         `json:"vertexCount"`
	FirstVertex   uint32         `json:"firstVertex,omitempty"`
	InstanceCount uint32         `json:"instanceCount,omitempty"`
	FirstInstance uint32         `json:"firstInstance,omitempty"`
	Inputs        []CaptureInput `json:"inputs,omitempty"`
}

// CaptureInput is one vertex attribute as the shader sees it: four 32-bit words
// for each vertex (also where the shader declares fewer).
type CaptureInput struct {
	Location int    `json:"location"`
	Data     []byte `json:"data"`
}

// Outcome is what a [Job] gave.
type Outcome struct {
	ID string `json:"id"`
	// Ran says that every pass ran without an error.
	Ran bool `json:"ran"`
	// Skipped says what the driver lacks, where it lacks something.
	Skipped  string    `json:"skipped"`
	Messages []Message `json:"messages"`
	// Outputs has the buffers and textures with Read set, by name, and of
	// captures "pass0.position", "pass0.location3", "pass0.clip_distances": the
	// words of all vertices in order.
	Outputs map[string][]byte `json:"outputs"`
}

func (o Outcome) String() string {
	var b strings.Builder
	b.WriteString(o.ID)
	if o.Skipped != "" {
		b.WriteString(": skipped, " + o.Skipped)
	}
	for _, m := range o.Messages {
		b.WriteString("\n  " + m.String())
	}
	return b.String()
}

// MarshalJSON writes a gap in the targets as null.
func (d DrawTarget) MarshalJSON() ([]byte, error) {
	if d.Resource == "" {
		return []byte("null"), nil
	}
	type plain DrawTarget
	return json.Marshal(plain(d))
}
