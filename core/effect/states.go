package effect

import (
	"strconv"
	"strings"
	"sync"
)

// stateKind says how the value of a render state is read.
type stateKind uint8

const (
	stateNumber stateKind = iota
	stateBool
	stateFloat // raw bits
	stateMask  // r, g, b, a
	stateEnum  // values has the names
)

// stateInfo describes one render state of the Direct3D 9 numbering.
type stateInfo struct {
	name   string
	kind   stateKind
	values []string
	writes bool // the engine's compiler can emit it
}

var (
	fillNames = []string{"", "point", "wireframe", "solid"}
	// The engine's compiler swaps the two: the numbers have their Direct3D 9 meaning.
	cullNames  = []string{"", "none", "CW (source: CCW)", "CCW (source: CW)"}
	blendNames = []string{"", "zero", "one", "source colour", "inverse source colour", "source alpha", "inverse source alpha",
		"destination alpha", "inverse destination alpha", "destination colour", "inverse destination colour",
		"source alpha saturate", "both source alpha", "both inverse source alpha", "blend factor", "inverse blend factor",
		"second source colour", "inverse second source colour"}
	blendOpNames = []string{"", "add", "subtract", "reverse subtract", "min", "max"}
	stencilNames = []string{"", "keep", "zero", "replace", "increment and clamp", "decrement and clamp", "invert", "increment", "decrement"}
	fogNames     = []string{"none", "exponential", "exponential squared", "linear"}
)

var renderStates = sync.OnceValue(func() map[uint32]stateInfo {
	return map[uint32]stateInfo{
		7:   {"ZEnable", stateEnum, []string{"0", "1", "w"}, true},
		8:   {"FillMode", stateEnum, fillNames, true},
		9:   {"ShadeMode", stateEnum, []string{"", "flat", "gouraud", "phong"}, false},
		14:  {"ZWriteEnable", stateBool, nil, true},
		15:  {"AlphaTestEnable", stateBool, nil, true},
		16:  {"LastPixel", stateBool, nil, false},
		19:  {"SrcBlend", stateEnum, blendNames, true},
		20:  {"DestBlend", stateEnum, blendNames, true},
		22:  {"CullMode", stateEnum, cullNames, true},
		23:  {"ZFunc", stateEnum, compareNames, true},
		24:  {"AlphaRef", stateNumber, nil, true},
		25:  {"AlphaFunc", stateEnum, compareNames, true},
		26:  {"DitherEnable", stateBool, nil, false},
		27:  {"AlphaBlendEnable", stateBool, nil, true},
		28:  {"FogEnable", stateBool, nil, false},
		29:  {"SpecularEnable", stateBool, nil, false},
		34:  {"FogColor", stateNumber, nil, false},
		35:  {"FogTableMode", stateEnum, fogNames, false},
		36:  {"FogStart", stateFloat, nil, false},
		37:  {"FogEnd", stateFloat, nil, false},
		38:  {"FogDensity", stateFloat, nil, false},
		48:  {"RangeFogEnable", stateBool, nil, false},
		52:  {"StencilEnable", stateBool, nil, false},
		53:  {"StencilFail", stateEnum, stencilNames, false},
		54:  {"StencilZFail", stateEnum, stencilNames, false},
		55:  {"StencilPass", stateEnum, stencilNames, false},
		56:  {"StencilFunc", stateEnum, compareNames, false},
		57:  {"StencilRef", stateNumber, nil, false},
		58:  {"StencilMask", stateNumber, nil, false},
		59:  {"StencilWriteMask", stateNumber, nil, false},
		60:  {"TextureFactor", stateNumber, nil, false},
		61:  {"DepthClip", stateNumber, nil, false}, // the engine's own
		128: {"Wrap0", stateNumber, nil, false},
		129: {"Wrap1", stateNumber, nil, false},
		130: {"Wrap2", stateNumber, nil, false},
		131: {"Wrap3", stateNumber, nil, false},
		132: {"Wrap4", stateNumber, nil, false},
		133: {"Wrap5", stateNumber, nil, false},
		134: {"Wrap6", stateNumber, nil, false},
		135: {"Wrap7", stateNumber, nil, false},
		136: {"Clipping", stateBool, nil, false},
		137: {"Lighting", stateBool, nil, false},
		139: {"Ambient", stateNumber, nil, false},
		140: {"FogVertexMode", stateEnum, fogNames, false},
		141: {"ColorVertex", stateBool, nil, false},
		142: {"LocalViewer", stateBool, nil, false},
		143: {"NormalizeNormals", stateBool, nil, false},
		145: {"DiffuseMaterialSource", stateNumber, nil, false},
		146: {"SpecularMaterialSource", stateNumber, nil, false},
		147: {"AmbientMaterialSource", stateNumber, nil, false},
		148: {"EmissiveMaterialSource", stateNumber, nil, false},
		151: {"VertexBlend", stateNumber, nil, false},
		152: {"ClipPlaneEnable", stateNumber, nil, false},
		154: {"PointSize", stateFloat, nil, false},
		155: {"PointSizeMin", stateFloat, nil, false},
		156: {"PointSpriteEnable", stateBool, nil, false},
		157: {"PointScaleEnable", stateBool, nil, false},
		158: {"PointScaleA", stateFloat, nil, false},
		159: {"PointScaleB", stateFloat, nil, false},
		160: {"PointScaleC", stateFloat, nil, false},
		161: {"MultisampleAntialias", stateBool, nil, false},
		162: {"MultisampleMask", stateNumber, nil, false},
		163: {"PatchEdgeStyle", stateNumber, nil, false},
		165: {"DebugMonitorToken", stateNumber, nil, false},
		166: {"PointSizeMax", stateFloat, nil, false},
		167: {"IndexedVertexBlendEnable", stateBool, nil, false},
		168: {"ColorWriteEnable", stateMask, nil, true},
		170: {"TweenFactor", stateFloat, nil, false},
		171: {"BlendOp", stateEnum, blendOpNames, true},
		172: {"PositionDegree", stateNumber, nil, false},
		173: {"NormalDegree", stateNumber, nil, false},
		174: {"ScissorTestEnable", stateBool, nil, false},
		175: {"SlopeScaleDepthBias", stateFloat, nil, true},
		176: {"AntialiasedLineEnable", stateBool, nil, false},
		178: {"MinTessellationLevel", stateFloat, nil, false},
		179: {"MaxTessellationLevel", stateFloat, nil, false},
		180: {"AdaptiveTessX", stateFloat, nil, false},
		181: {"AdaptiveTessY", stateFloat, nil, false},
		182: {"AdaptiveTessZ", stateFloat, nil, false},
		183: {"AdaptiveTessW", stateFloat, nil, false},
		184: {"EnableAdaptiveTessellation", stateBool, nil, false},
		185: {"TwoSidedStencilMode", stateBool, nil, false},
		186: {"CCWStencilFail", stateEnum, stencilNames, false},
		187: {"CCWStencilZFail", stateEnum, stencilNames, false},
		188: {"CCWStencilPass", stateEnum, stencilNames, false},
		189: {"CCWStencilFunc", stateEnum, compareNames, false},
		190: {"ColorWriteEnable1", stateBool, nil, true}, // not a mask: the compiler writes 0 or 1
		191: {"ColorWriteEnable2", stateBool, nil, true},
		192: {"ColorWriteEnable3", stateBool, nil, true},
		193: {"BlendFactor", stateNumber, nil, false},
		194: {"SRGBWriteEnable", stateBool, nil, true},
		195: {"DepthBias", stateFloat, nil, true},
		198: {"Wrap8", stateNumber, nil, false},
		199: {"Wrap9", stateNumber, nil, false},
		200: {"Wrap10", stateNumber, nil, false},
		201: {"Wrap11", stateNumber, nil, false},
		202: {"Wrap12", stateNumber, nil, false},
		203: {"Wrap13", stateNumber, nil, false},
		204: {"Wrap14", stateNumber, nil, false},
		205: {"Wrap15", stateNumber, nil, false},
		206: {"SeparateAlphaBlendEnable", stateBool, nil, true},
		207: {"SrcBlendAlpha", stateEnum, blendNames, true},
		208: {"DestBlendAlpha", stateEnum, blendNames, true},
		209: {"BlendOpAlpha", stateEnum, blendOpNames, true},
	}
})

// Name returns the state's name in HLSL effect syntax, such as "ZWriteEnable", or
// "state(1000)" for a number outside of the Direct3D 9 list.
func (s RenderState) Name() string { return StateName(s.State) }

// Known reports whether the number is a Direct3D 9 render state.
func (s RenderState) Known() bool {
	_, ok := renderStates()[s.State]
	return ok
}

// ValueName returns the value as text: "solid", "0.5", "rgb", "1".
func (s RenderState) ValueName() string { return StateValueName(s.State, s.Value) }

// valid reports whether the value is one that the state defines.
func (s RenderState) valid() bool {
	switch i := renderStates()[s.State]; i.kind {
	case stateBool:
		return s.Value <= 1
	case stateMask:
		return s.Value <= 15
	case stateEnum:
		return s.Value < uint32(len(i.values)) && i.values[s.Value] != ""
	}
	return true
}

// StateName returns the name of a render state; see RenderState.Name.
func StateName(state uint32) string {
	if i, ok := renderStates()[state]; ok {
		return i.name
	}
	return "state(" + strconv.FormatUint(uint64(state), 10) + ")"
}

// StateValueName returns the text of a render state's value; see RenderState.ValueName.
func StateValueName(state, value uint32) string {
	number := strconv.FormatUint(uint64(value), 10)
	switch i := renderStates()[state]; i.kind {
	case stateFloat:
		return strconv.FormatFloat(float64(Bits(value).Float()), 'g', -1, 32)
	case stateMask:
		if value > 15 {
			return number
		}
		if value == 0 {
			return "none"
		}
		var b strings.Builder
		for j, c := range "rgba" {
			if value&(1<<j) != 0 {
				b.WriteRune(c)
			}
		}
		return b.String()
	case stateEnum:
		if value < uint32(len(i.values)) && i.values[value] != "" {
			return i.values[value]
		}
	}
	return number
}
