package effect_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		got  fmt.Stringer
		want string
	}{
		{effect.Vertex, "vertex"}, {effect.Domain, "domain"}, {effect.StageType(6), "stage(6)"},
		{effect.UsageBitangent, "BITANGENT"}, {effect.UsageBlendWeights, "BLENDWEIGHTS"}, {effect.Usage(8), "USAGE(8)"},
		{effect.InputUint, "uint"}, {effect.InputOtherRead, "other"}, {effect.InputOther, "other"}, {effect.InputType(5), "type(5)"},
		{effect.RegConstantBuffer, "CONSTANT_BUFFER"}, {effect.RegSampler, "SAMPLER"}, {effect.RegSRVBuffer, "SRV_BUFFER"},
		{effect.RegSRVTextureCubeArray, "SRV_TEXTURECUBEARRAY"}, {effect.RegUAVStructuredBuffer, "UAV_STRUCTURED_BUFFER"},
		{effect.RegUAVTextureCubeArray, "UAV_TEXTURECUBEARRAY"}, {effect.RegisterType(2), "REGISTER(2)"},
		{effect.RegisterType(43), "REGISTER(43)"}, {effect.RegisterType(75), "REGISTER(75)"}, {effect.RegisterType(96), "REGISTER(96)"},
		{effect.ConstBool, "bool"}, {effect.ConstOther, "other"}, {effect.ConstantType(5), "type(5)"},
		{effect.ResTexture1D, "TEXTURE_1D"}, {effect.ResRWTyped, "UAV_RWTYPED"}, {effect.ResAccelerationStructure, "RAYTRACING_ACCELERATION_STRUCTURE"},
		{effect.ResourceType(0), "RESOURCE(0)"}, {effect.ResourceType(17), "RESOURCE(17)"},
		{effect.FilterAnisotropic, "anisotropic"}, {effect.Filter(4), "filter(4)"},
		{effect.AddressMirrorOnce, "mirror-once"}, {effect.AddressMode(0), "address(0)"},
		{effect.CompareAlways, "always"}, {effect.CompareFunc(0), "compare(0)"},
		{effect.BorderOpaqueWhite, "opaque white"}, {effect.BorderColor(3), "border(3)"},
		{effect.AnnotationString, "string"}, {effect.AnnotationType(4), "type(4)"},
		{effect.ExportIntersection, "intersection"}, {effect.ExportType(5), "export(5)"},
		{effect.ProgramDXIL, "dxil"}, {effect.ClassUAV, "UAV"},
	} {
		assert.Equal(t, c.want, c.got.String())
	}
	assert.Equal(t, "hs", effect.Hull.Short())
	assert.Equal(t, "BINORMAL", effect.UsageBitangent.Semantic())
	assert.Equal(t, "BLENDWEIGHT", effect.UsageBlendWeights.Semantic())
	assert.Equal(t, "dynamic", effect.AxisTypeName(1))
	assert.Equal(t, "u", effect.RegUAVBuffer.Class().Letter())
	assert.Equal(t, effect.ClassUnknown, effect.RegisterType(2).Class())
	for i := range effect.StageType(6) {
		for _, word := range []string{i.String(), i.Short()} {
			got, ok := effect.StageTypeOf(word)
			assert.True(t, ok)
			assert.Equal(t, i, got)
		}
	}
	_, ok := effect.StageTypeOf("mesh")
	assert.False(t, ok)
}

func TestStateNames(t *testing.T) {
	for _, c := range []struct {
		state, value uint32
		want         string
	}{
		{7, 1, "ZEnable=1"}, {8, 2, "FillMode=wireframe"}, {8, 3, "FillMode=solid"}, {14, 0, "ZWriteEnable=0"},
		{19, 5, "SrcBlend=source alpha"}, {20, 17, "DestBlend=inverse second source colour"},
		{22, 1, "CullMode=none"}, {22, 3, "CullMode=CCW (source: CW)"}, {23, 4, "ZFunc=less-equal"},
		{24, 128, "AlphaRef=128"}, {25, 0, "AlphaFunc=0"}, {168, 7, "ColorWriteEnable=rgb"}, {168, 15, "ColorWriteEnable=rgba"},
		{168, 0, "ColorWriteEnable=none"}, {168, 16, "ColorWriteEnable=16"}, {171, 3, "BlendOp=reverse subtract"},
		{175, 0xbf800000, "SlopeScaleDepthBias=-1"}, {190, 1, "ColorWriteEnable1=1"}, {195, 0x38d1b717, "DepthBias=0.0001"},
		{209, 5, "BlendOpAlpha=max"}, {61, 1, "DepthClip=1"}, {210, 9, "state(210)=9"},
	} {
		s := effect.RenderState{State: c.state, Value: c.value}
		assert.Equal(t, c.want, s.Name()+"="+s.ValueName())
	}
	seen := map[string]uint32{}
	for i := range uint32(256) {
		s := effect.RenderState{State: i}
		if !s.Known() {
			assert.Equal(t, fmt.Sprintf("state(%d)", i), s.Name())
			continue
		}
		assert.NotContains(t, seen, s.Name())
		seen[s.Name()] = i
	}
	assert.Len(t, seen, 104)
}

func TestLookAtProgram(t *testing.T) {
	info := effect.LookAtProgram(dxbc(4))
	assert.Equal(t, effect.ProgramInfo{Kind: effect.ProgramDXBC, Major: 5, Stage: effect.Domain}, info)
	assert.Equal(t, "5.0", info.Model())
	assert.Equal(t, effect.ProgramEmpty, effect.LookAtProgram(nil).Kind)
	assert.Equal(t, effect.ProgramOther, effect.LookAtProgram([]byte("DXBC")).Kind)
	assert.Equal(t, effect.ProgramOther, effect.LookAtProgram(dxbc(6)).Kind)
	whole := dxbc(0)
	for n := range whole {
		assert.NotPanics(t, func() { effect.LookAtProgram(whole[:n:n]) })
	}
	for i := range whole {
		b := dxbc(0)
		b[i] = 0xff
		assert.NotPanics(t, func() { effect.LookAtProgram(b) })
	}
	c := bundled(t)
	for file, want := range map[string]string{"quadv5.sm_hi": "dxbc 5.0", "dx12/bindless/hull.sm_hi": "dxbc 5.1", "dx12/raytracing/sunshadow.sm_hi": "dxil "} {
		for _, p := range c.parse(t, file).Inspect("").UniquePrograms {
			assert.Equal(t, want, p.Kind.String()+" "+p.ShaderModel)
		}
	}
}
