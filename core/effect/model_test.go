package effect_test

import (
	"strings"

	"fxlens/core/effect"
)

// dxbc returns a container with one SHEX chunk for the token's program kind: 0
// pixel, 1 vertex, 2 geometry, 3 hull, 4 domain, 5 compute.
func dxbc(kind byte) []byte {
	b := []byte("DXBC................")
	b = append(b, 1, 0, 0, 0, 52, 0, 0, 0, 1, 0, 0, 0, 36, 0, 0, 0)
	b = append(b, "SHEX"...)
	return append(b, 8, 0, 0, 0, 0x50, 0, kind, 0, 2, 0, 0, 0)
}

const noHash = "00000000000000000000000000000000"

// everything returns a small model in which each kind of record occurs.
func everything() *effect.Model {
	sampler := effect.DefaultSamplerState
	library := effect.LibraryInput{
		Bindings: effect.Bindings{Registers: []effect.Register{{Type: effect.RegUAVTexture2D, Index: 0, Count: 1}}},
		StageData: effect.StageData{
			DefaultsOffset: effect.NoData,
			UAVs:           []effect.UAV{{Register: 0, Name: "Out", Type: effect.ResRWTyped, Elements: 1}},
		},
	}
	vs := effect.Stage{
		Type: effect.Vertex, Program: dxbc(1),
		Inputs:   []effect.PipelineInput{{Usage: effect.UsagePosition, Mask: 7, Dimension: 3}, {Usage: effect.UsageTexCoord, Register: 1, Mask: 3, Dimension: 2}},
		Bindings: effect.Bindings{Registers: []effect.Register{{Type: effect.RegConstantBuffer, Count: 1}}},
		StageData: effect.StageData{
			Constants: []effect.Constant{
				{Name: "World", Size: 64, Dimension: 16},
				{Name: "Tint", Offset: 64, Size: 16, Dimension: 4, IsSRGB: true, IsAutoregister: true},
			},
			Defaults: []byte(strings.Repeat("\x00\x00\x80\x3f", 20)),
		},
	}
	ps := effect.Stage{
		Type: effect.Pixel, Program: dxbc(0),
		Bindings: effect.Bindings{
			Registers: []effect.Register{
				{Type: effect.RegSampler, Index: 0, Count: 1},
				{Type: effect.RegSRVTexture2D, Index: 0, Count: 1},
				{Type: effect.RegSRVTextureCube, Index: 1, Count: 1},
				{Type: effect.RegUAVBuffer, Index: 1, Count: 1},
				{Type: effect.RegUAVStructuredBuffer, Index: 2, Count: 0},
			},
			StaticSamplers: []effect.StaticSampler{
				{Index: 3, SamplerState: sampler, BorderColor: effect.BorderOpaqueWhite, MinLOD: effect.LowestLOD, MaxLOD: effect.HighestLOD},
				{Index: 4, SamplerState: sampler, MinLOD: effect.LowestLOD, MaxLOD: effect.HighestLOD},
			},
		},
		StageData: effect.StageData{
			Textures: []effect.Texture{
				{Register: 0, Name: "Albedo", Type: effect.ResTexture2D, Elements: 1, IsSRGB: true},
				{Register: 1, Name: "Sky", Type: effect.ResTextureCube, Elements: 1, IsAutoregister: true},
			},
			Samplers: []effect.Sampler{
				{Register: 0, Name: "AlbedoSampler", SamplerState: sampler, MinLOD: effect.LowestLOD, MaxLOD: effect.HighestLOD, IsDynamic: true},
				{Register: 5, Name: "Spare", SamplerState: sampler, BorderColor: [4]effect.Bits{0x3f800000, 0x7fc00001, 0, 0x80000000}},
			},
			UAVs: []effect.UAV{
				{Register: 1, Name: "Counts", Type: effect.ResRWByteAddress, Elements: 1},
				{Register: 2, Name: "Items", Type: effect.ResAppendStructured, Elements: 0, IsAutoregister: true},
			},
			Annotations: []effect.Annotation{
				{Name: "Async", Type: effect.AnnotationBool, Raw: 1},
				{Name: "Budget", Type: effect.AnnotationFloat, Raw: 0x3e800000},
				{Name: "Label", Type: effect.AnnotationString, Text: "tile shading"},
				{Name: "Threads", Type: effect.AnnotationInt, Raw: 0xffffffff},
			},
		},
	}
	cs := effect.Stage{Type: effect.Compute, Program: dxbc(5), ThreadGroup: [3]uint32{8, 8, 1}}
	body := func(blend uint32) *effect.Body {
		return &effect.Body{
			Techniques: []effect.Technique{
				{Name: "Main", Passes: []effect.Pass{
					{Stages: []effect.Stage{ps, vs}, States: []effect.RenderState{{State: 22, Value: 3}, {State: 27, Value: blend}}},
					{Stages: []effect.Stage{cs}},
				}},
				{Name: "Trace", Libraries: []effect.Library{{
					PayloadSize: 8, Program: []byte("a library"),
					Exports:      []effect.Export{{Type: effect.ExportRayGeneration, Name: "Gen"}, {Type: effect.ExportMiss, Name: "Miss"}},
					HitGroupName: "Group", Global: library, Local: effect.LibraryInput{StageData: effect.StageData{DefaultsOffset: effect.NoData}},
				}}},
			},
			Groups: []effect.ParameterGroup{
				{Name: "Sky", Annotations: []effect.Annotation{{Name: "AutoRegister", Type: effect.AnnotationBool, Raw: 1}}},
				{Name: "Tint", Annotations: []effect.Annotation{{Name: "Tr2sRGB", Type: effect.AnnotationBool, Raw: 1}, {Name: "UIName", Type: effect.AnnotationString, Text: "Tint"}}},
			},
		}
	}
	opaque, blended := body(0), body(1)
	return &effect.Model{
		CompilerVersion: [4]uint8{1, 2, 6, 0},
		SourceHash:      noHash,
		Axes: []effect.Axis{
			{Name: "BLEND", Description: "Output blending", Default: 1, Options: []string{"BLEND_OFF", "BLEND_ON"}},
			{Name: "QUALITY", Type: 1, Options: []string{"QUALITY_LOW", "QUALITY_MEDIUM", "QUALITY_HIGH"}},
		},
		Bodies: []*effect.Body{opaque, blended, opaque, blended, opaque, blended},
	}
}

// minimal returns a model without axes whose one body has one empty pass.
func minimal() *effect.Model {
	return &effect.Model{
		SourceHash: noHash,
		Bodies:     []*effect.Body{{Techniques: []effect.Technique{{Name: "Main", Passes: []effect.Pass{{}}}}}},
	}
}
