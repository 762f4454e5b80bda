package cewgpu

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Bytes is an immutable run of bytes in a reflection document. In memory it holds
// the bytes; inside RFLX it is a reference into RBLB; as a document of its own it
// is base64 text.
type Bytes struct {
	Data []byte
	Ref  *BlobRef
}

// BlobRef names a range of RBLB.
type BlobRef struct {
	BlobKey    string `json:"blobKey"`
	Offset     int    `json:"offset"`
	ByteLength int    `json:"byteLength"`
	SHA256     string `json:"sha256"`
}

// MarshalJSON writes the reference if there is one, else base64.
func (b Bytes) MarshalJSON() ([]byte, error) {
	if b.Ref != nil {
		return json.Marshal(b.Ref)
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b.Data))
}

// UnmarshalJSON reads either form.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	*b = Bytes{}
	if len(text) > 0 && text[0] == '{' {
		b.Ref = new(BlobRef)
		return json.Unmarshal(text, b.Ref)
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("bytes of a reflection document: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return fmt.Errorf("bytes of a reflection document: %w", err)
	}
	b.Data = data
	return nil
}

// Portable is one CJS_EFFECT_BODY_REFLECTION document: everything that an effect
// of version 15 stores about one body.
type Portable struct {
	Format           string           `json:"format"`
	FormatVersion    int              `json:"formatVersion"`
	Mode             string           `json:"mode"`
	KeyScope         string           `json:"keyScope"`
	Coverage         PortableCoverage `json:"coverage"`
	Source           PortableSource   `json:"source"`
	PermutationIndex int              `json:"permutationIndex"`
	SourceRecord     SourceRecord     `json:"sourceRecord"`
	Effect           PortableEffect   `json:"effect"`
}

// PortableCoverage is constant.
type PortableCoverage struct {
	Bodies           string `json:"bodies"`
	Reflection       string `json:"reflection"`
	SourcePrograms   string `json:"sourcePrograms"`
	ConstantDefaults string `json:"constantDefaults"`
}

// PortableSource says which effect file the body is from.
type PortableSource struct {
	Label                 string `json:"label"`
	EffectVersion         int    `json:"effectVersion"`
	CompilerVersion       uint32 `json:"compilerVersion"`
	NativeHash            Bytes  `json:"nativeHash"` // 32 bytes
	StringTableByteLength int    `json:"stringTableByteLength"`
	ByteLength            int    `json:"byteLength"`
}

// PortableEffect is the body. Every count is the length of the array after it.
type PortableEffect struct {
	Annotations          []ParameterAnnotations `json:"annotations"`
	AnnotationGroupCount int                    `json:"annotationGroupCount"`
	TechniqueCount       int                    `json:"techniqueCount"`
	Techniques           []PortableTechnique    `json:"techniques"`
}

// ParameterAnnotations are the annotations of one parameter.
type ParameterAnnotations struct {
	ParameterName string       `json:"parameterName"`
	Annotations   []Annotation `json:"annotations"`
}

// Annotation has a text if its type is 3, else the value's raw bits.
type Annotation struct {
	Name        string  `json:"name"`
	Type        uint8   `json:"type"`
	StringValue *string `json:"stringValue,omitempty"`
	RawValue    *uint32 `json:"rawValue,omitempty"`
}

// PortableTechnique is a technique with key "technique<N>".
type PortableTechnique struct {
	Key          string            `json:"key"`
	Name         string            `json:"name"`
	PassCount    int               `json:"passCount"`
	LibraryCount int               `json:"libraryCount"`
	Passes       []PortablePass    `json:"passes"`
	Libraries    []PortableLibrary `json:"libraries"`
}

// PortablePass is a pass with key "technique<N>.pass<M>".
type PortablePass struct {
	Key              string          `json:"key"`
	RenderStateCount int             `json:"renderStateCount"`
	RenderStates     []RenderState   `json:"renderStates"`
	StageCount       int             `json:"stageCount"`
	Stages           []PortableStage `json:"stages"` // ascending by type
}

// PortableStage is a stage with key "technique<N>.pass<M>.stage<type>".
type PortableStage struct {
	Key           string        `json:"key"`
	StageType     int           `json:"stageType"`
	StageName     string        `json:"stageName"`
	SourceProgram SourceProgram `json:"sourceProgram"`
	Input         PortableInput `json:"input"`
}

// SourceProgram is a program of the effect; StageType and StageName are absent in
// libraries.
type SourceProgram struct {
	Kind              string `json:"kind"` // stage or library
	ShaderSize        int    `json:"shaderSize"`
	StringTableOffset int    `json:"stringTableOffset"`
	Bytes             Bytes  `json:"bytes"`
	StageType         *int   `json:"stageType,omitempty"`
	StageName         string `json:"stageName,omitempty"`
}

// PortableLibrary is a ray tracing library with key "technique<N>.library<K>".
type PortableLibrary struct {
	Key           string        `json:"key"`
	PayloadSize   uint32        `json:"payloadSize"`
	SourceProgram SourceProgram `json:"sourceProgram"`
	ExportCount   int           `json:"exportCount"`
	Exports       []Export      `json:"exports"`
	HitGroupName  string        `json:"hitGroupName"`
	GlobalInput   PortableInput `json:"globalInput"`
	LocalInput    PortableInput `json:"localInput"`
}

// Export is an entry point of a library.
type Export struct {
	Type uint8  `json:"type"`
	Name string `json:"name"`
}

// PortableInput is what the engine sets for a stage, and the program's signature.
type PortableInput struct {
	ConstantDefaults ConstantDefaults `json:"constantDefaults"`
	ConstantCount    int              `json:"constantCount"`
	Constants        []Constant       `json:"constants"`
	ResourceCount    int              `json:"resourceCount"`
	Resources        []Resource       `json:"resources"`
	UAVCount         int              `json:"uavCount"`
	UAVs             []Resource       `json:"uavs"`
	SamplerCount     int              `json:"samplerCount"`
	Samplers         []Sampler        `json:"samplers"`
	AnnotationCount  int              `json:"annotationCount"`
	Annotations      []Annotation     `json:"annotations"`
	Signature        Signature        `json:"signature"`
}

// ConstantDefaults are the first bytes of constant buffer 0.
type ConstantDefaults struct {
	DeclaredByteLength int   `json:"declaredByteLength"`
	Bytes              Bytes `json:"bytes"`
}

// Constant is a variable of constant buffer 0; Offset and Size are bytes.
type Constant struct {
	Name           string `json:"name"`
	Offset         uint32 `json:"offset"`
	Size           uint32 `json:"size"`
	Type           uint8  `json:"type"`
	Dimension      uint8  `json:"dimension"`
	Elements       uint32 `json:"elements"`
	IsSRGB         bool   `json:"isSRGB"`
	IsAutoregister bool   `json:"isAutoregister"`
}

// Resource is a named texture, buffer or UAV.
type Resource struct {
	RegisterIndex  uint8  `json:"registerIndex"`
	Name           string `json:"name"`
	Type           uint8  `json:"type"`
	ArrayElements  uint32 `json:"arrayElements"`
	IsSRGB         bool   `json:"isSRGB"`
	IsAutoregister bool   `json:"isAutoregister"`
}

// Sampler is a sampler of the map; its name is null unless it is dynamic.
type Sampler struct {
	RegisterIndex uint8             `json:"registerIndex"`
	Name          *string           `json:"name"`
	IsDynamic     bool              `json:"isDynamic"`
	Descriptor    SamplerDescriptor `json:"descriptor"`
}

// SamplerDescriptor holds floats as their bits. Samplers of the map have
// BorderColorRaw, static samplers BorderColor.
type SamplerDescriptor struct {
	Comparison     bool       `json:"comparison"`
	MinFilter      uint8      `json:"minFilter"`
	MagFilter      uint8      `json:"magFilter"`
	MipFilter      uint8      `json:"mipFilter"`
	AddressU       uint8      `json:"addressU"`
	AddressV       uint8      `json:"addressV"`
	AddressW       uint8      `json:"addressW"`
	MipLODBiasRaw  uint32     `json:"mipLODBiasRaw"`
	MaxAnisotropy  uint8      `json:"maxAnisotropy"`
	ComparisonFunc uint8      `json:"comparisonFunc"`
	BorderColorRaw *[4]uint32 `json:"borderColorRaw,omitempty"`
	BorderColor    *uint8     `json:"borderColor,omitempty"`
	MinLODRaw      uint32     `json:"minLODRaw"`
	MaxLODRaw      uint32     `json:"maxLODRaw"`
}

// Signature is what the program binds.
type Signature struct {
	PipelineInputCount int             `json:"pipelineInputCount"`
	PipelineInputs     []PipelineInput `json:"pipelineInputs"`
	RegisterCount      int             `json:"registerCount"`
	Registers          []Register      `json:"registers"`
	StaticSamplerCount int             `json:"staticSamplerCount"`
	StaticSamplers     []StaticSampler `json:"staticSamplers"`
	ThreadGroupSize    ThreadGroup     `json:"threadGroupSize"`
}

// PipelineInput is one element of the program's input signature.
type PipelineInput struct {
	Usage         uint8 `json:"usage"`
	RegisterIndex uint8 `json:"registerIndex"`
	UsageIndex    uint8 `json:"usageIndex"`
	UsedMask      uint8 `json:"usedMask"`
	Type          uint8 `json:"type"`
	Dimension     uint8 `json:"dimension"`
}

// Register is a range of registers; counts of 0 mean unbounded.
type Register struct {
	RegisterType  uint8  `json:"registerType"`
	RegisterIndex uint32 `json:"registerIndex"`
	ArrayCount    uint32 `json:"arrayCount"`
	RegisterCount uint32 `json:"registerCount"`
	RegisterSpace uint8  `json:"registerSpace"`
}

// StaticSampler is a sampler of the root signature.
type StaticSampler struct {
	RegisterIndex uint32            `json:"registerIndex"`
	RegisterSpace uint8             `json:"registerSpace"`
	Descriptor    SamplerDescriptor `json:"descriptor"`
}

// Reflection is the RFLX chunk, version 2: the reflection of every unique body,
// with its bytes in RBLB.
type Reflection struct {
	Format                string             `json:"format"`
	FormatVersion         int                `json:"formatVersion"`
	PortableFormat        string             `json:"portableFormat"`
	PortableFormatVersion int                `json:"portableFormatVersion"`
	KeyScope              string             `json:"keyScope"`
	Coverage              PortableCoverage   `json:"coverage"`
	SelectedBody          *SelectedBody      `json:"selectedBody,omitempty"` // version 1
	Source                ReflectionSource   `json:"source"`
	Bodies                []ReflectionBody   `json:"bodies,omitempty"` // version 2
	Effect                *PortableEffect    `json:"effect,omitempty"` // version 1
	BlobStore             ReflectionBlobList `json:"blobStore"`
}

// ReflectionSource is PortableSource with the file's digest.
type ReflectionSource struct {
	Label                 string `json:"label"`
	EffectVersion         int    `json:"effectVersion"`
	CompilerVersion       uint32 `json:"compilerVersion"`
	NativeHash            Bytes  `json:"nativeHash"`
	StringTableByteLength int    `json:"stringTableByteLength"`
	ByteLength            int    `json:"byteLength"`
	SHA256                string `json:"sha256"`
}

// SelectedBody is the one body of a version 1 reflection.
type SelectedBody struct {
	PermutationIndex int          `json:"permutationIndex"`
	BodyKey          string       `json:"bodyKey"`
	SourceRecord     SourceRecord `json:"sourceRecord"`
	ByteLength       int          `json:"byteLength"`
	SHA256           string       `json:"sha256"`
}

// ReflectionBody is one unique body.
type ReflectionBody struct {
	BodyKey                        string         `json:"bodyKey"`
	RepresentativePermutationIndex int            `json:"representativePermutationIndex"`
	ByteLength                     int            `json:"byteLength"`
	SHA256                         string         `json:"sha256"`
	Effect                         PortableEffect `json:"effect"`
}

// ReflectionBlobList is the inventory of RBLB.
type ReflectionBlobList struct {
	Chunk      string    `json:"chunk"`
	ByteLength int       `json:"byteLength"`
	SHA256     string    `json:"sha256"`
	BlobCount  int       `json:"blobCount"`
	Blobs      []BlobRef `json:"blobs"`
}
