package dxbc

import (
	"strconv"
	"sync"
)

// The texts of this file are those that D3DDisassemble prints.

var kindNames = [...]string{"ps", "vs", "gs", "hs", "ds", "cs"}

// String returns the two letters of the profile: "ps".
func (k ProgramKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

var kindLong = [...]string{"pixel", "vertex", "geometry", "hull", "domain", "compute"}

// Long returns the word: "pixel".
func (k ProgramKind) Long() string {
	if int(k) < len(kindLong) {
		return kindLong[k]
	}
	return k.String()
}

// String returns the name of the register file as it prints: "r", "cb", "vThreadID".
func (t RegType) String() string {
	if int(t) < len(regNames) {
		return regNames[t]
	}
	return "reg(" + strconv.Itoa(int(t)) + ")"
}

var regNames = [numRegTypes]string{
	"r", "v", "o", "x", "l", "d", "s", "t", "cb", "icb", "label", "vPrim", "oDepth", "null",
	"rasterizer", "oMask", "m", "fb", "ft", "fp", "iv", "ov", "vOutputControlPointID",
	"vForkInstanceID", "vJoinInstanceID", "vicp", "vocp", "vpc", "vDomain", "this", "u", "g",
	"vThreadID", "vThreadGroupID", "vThreadIDInGroup", "vCoverage", "vThreadIDInGroupFlattened",
	"vGSInstanceID", "oDepthGE", "oDepthLE", "vCycleCounter", "oStencilRef", "vInnerCoverage",
}

var dimNames = [...]string{
	"<unknown dimension>", "buffer", "texture1d", "texture2d", "texture2dms", "texture3d",
	"texturecube", "texture1darray", "texture2darray", "texture2dmsarray", "texturecubearray",
	"raw_buffer", "structured_buffer",
}

// String returns the dimension as it prints: "texture2d".
func (d Dim) String() string {
	if int(d) < len(dimNames) {
		return dimNames[d]
	}
	return dimNames[0]
}

var returnNames = [...]string{
	"", "unorm", "snorm", "sint", "uint", "float", "mixed", "double", "<continued>", "<unused>",
}

// String returns the component type as it prints: "unorm".
func (r ReturnType) String() string {
	if r > 0 && int(r) < len(returnNames) {
		return returnNames[r]
	}
	return "<unknown resource return type>"
}

var interpNames = [...]string{
	"undefined", "constant", "linear", "linear centroid", "linear noperspective",
	"linear noperspective centroid", "linear sample", "linear noperspective sample",
}

// String returns the interpolation mode as it prints: "linear centroid".
func (i Interpolation) String() string {
	if int(i) < len(interpNames) {
		return interpNames[i]
	}
	return "???"
}

var minNames = [...]string{Min16F: "min16f", Min2_8F: "min2_8f", Min16I: "min16i", Min16U: "min16u"}

// String returns the precision as it prints: "min16f", or "def32".
func (m MinPrecision) String() string {
	if int(m) < len(minNames) && minNames[m] != "" {
		return minNames[m]
	}
	return "def32"
}

var sysNames = [...]string{
	"undefined", "position", "clip_distance", "cull_distance", "rendertarget_array_index",
	"viewport_array_index", "vertex_id", "primitive_id", "instance_id", "is_front_face",
	"sampleIndex", "finalQuadUeq0EdgeTessFactor", "finalQuadVeq0EdgeTessFactor",
	"finalQuadUeq1EdgeTessFactor", "finalQuadVeq1EdgeTessFactor", "finalQuadUInsideTessFactor",
	"finalQuadVInsideTessFactor", "finalTriUeq0EdgeTessFactor", "finalTriVeq0EdgeTessFactor",
	"finalTriWeq0EdgeTessFactor", "finalTriInsideTessFactor", "finalLineDetailTessFactor",
	"finalLineDensityTessFactor",
}

// SysName returns the text of a system name in the numbering of instruction
// tokens ("position"), or "" beyond the known ones.
func SysName(n uint32) string {
	if int64(n) < int64(len(sysNames)) {
		return sysNames[n]
	}
	return ""
}

var globalFlagNames = [...]string{
	"refactoringAllowed", "enableDoublePrecisionFloatOps", "forceEarlyDepthStencil",
	"enableRawAndStructuredBuffers", "skipOptimization", "enableMinimumPrecision",
	"enable11_1DoubleExtensions", "enable11_1ShaderExtensions", "allResourcesBound",
}

var samplerModes = [...]string{"mode_default", "mode_comparison", "mode_mono"}

var (
	domainNames   = [...]string{1: "domain_isoline", 2: "domain_tri", 3: "domain_quad"}
	partNames     = [...]string{1: "partitioning_integer", 2: "partitioning_pow2", 3: "partitioning_fractional_odd", 4: "partitioning_fractional_even"}
	outPrimNames  = [...]string{1: "output_point", 2: "output_line", 3: "output_triangle_cw", 4: "output_triangle_ccw"}
	topologyNames = [...]string{0: "undefined", 1: "pointlist", 3: "linestrip", 5: "trianglestrip"}
	primNames     = [...]string{0: "undefined", 1: "point", 2: "line", 3: "triangle", 6: "lineadj", 7: "triangleadj"}
)

// pick returns names[i], or other where there is none.
func pick(names []string, i uint32, other string) string {
	if int64(i) < int64(len(names)) && names[i] != "" {
		return names[i]
	}
	return other
}

// primName returns the text of a geometry input primitive: 8 to 39 are patches.
func primName(n uint32) string {
	if n >= 8 && n <= 39 {
		return "patch" + strconv.Itoa(int(n)-7)
	}
	return pick(primNames[:], n, "???")
}

var sigSysNames = sync.OnceValue(func() map[uint32]string {
	return map[uint32]string{
		0: "NONE", 1: "POS", 2: "CLIPDST", 3: "CULLDST", 4: "RTINDEX", 5: "VPINDEX", 6: "VERTID",
		7: "PRIMID", 8: "INSTID", 9: "FFACE", 10: "SAMPLE", 11: "QUADEDGE", 12: "QUADINT",
		13: "TRIEDGE", 14: "TRIINT", 15: "LINEDET", 16: "LINEDEN", 64: "TARGET", 65: "DEPTH",
		66: "COVERAGE", 67: "DEPTHGE", 68: "DEPTHLE", 69: "STENCILREF", 70: "INNERCOV",
	}
})

// System values of signatures (dxbc.md section 1.5). Up to SysSampleIndex the
// tokens of declarations have the same numbers; those from SysTarget on have no
// token counterpart.
const (
	SysPosition      = 1
	SysClipDistance  = 2
	SysCullDistance  = 3
	SysTargetIndex   = 4
	SysViewportIndex = 5
	SysVertexID      = 6
	SysPrimitiveID   = 7
	SysInstanceID    = 8
	SysFrontFace     = 9
	SysSampleIndex   = 10
	SysTarget        = 64
	SysDepth         = 65
	SysCoverage      = 66
	SysDepthGE       = 67
	SysDepthLE       = 68
	SysStencilRef    = 69
	SysInnerCoverage = 70
)

// SigSysName returns the short name of a system value in the numbering of
// signatures, as the signature table prints it ("POS", "TARGET"); others are "NONE".
func SigSysName(v uint32) string {
	if s, ok := sigSysNames()[v]; ok {
		return s
	}
	return "NONE"
}

var sysFromSemantic = sync.OnceValue(func() map[string]uint32 {
	return map[string]uint32{
		"sv_target": SysTarget, "sv_depth": SysDepth, "sv_coverage": SysCoverage,
		"sv_depthgreaterequal": SysDepthGE, "sv_depthlessequal": SysDepthLE,
		"sv_stencilref": SysStencilRef, "sv_innercoverage": SysInnerCoverage,
	}
})

// specialRegs says what the registers are that have a file of their own and no number.
var specialRegs = map[RegType]struct {
	name          string
	sys, compType uint32
}{
	RegThreadID:                 {"SV_DispatchThreadID", 0, 1},
	RegThreadGroupID:            {"SV_GroupID", 0, 1},
	RegThreadIDInGroup:          {"SV_GroupThreadID", 0, 1},
	RegThreadIDInGroupFlattened: {"SV_GroupIndex", 0, 1},
	RegInputCoverage:            {"SV_Coverage", SysCoverage, 1},
	RegOutputCoverageMask:       {"SV_Coverage", SysCoverage, 1},
	RegInnerCoverage:            {"SV_InnerCoverage", SysInnerCoverage, 1},
	RegOutputDepth:              {"SV_Depth", SysDepth, 3},
	RegOutputDepthGE:            {"SV_DepthGreaterEqual", SysDepthGE, 3},
	RegOutputDepthLE:            {"SV_DepthLessEqual", SysDepthLE, 3},
	RegOutputStencilRef:         {"SV_StencilRef", SysStencilRef, 1},
	RegPrimitiveID:              {"SV_PrimitiveID", SysPrimitiveID, 1},
}

// Special returns the semantic of a register that has no number, such as oDepth or
// vThreadID, its system value in the numbering of signatures (0 for thread IDs,
// which no signature has) and its component type; ok is false for numbered files.
func (t RegType) Special() (semantic string, sys, compType uint32, ok bool) {
	s, ok := specialRegs[t]
	return s.name, s.sys, s.compType, ok
}

var featureNames = [...]string{
	"Double-precision floating point", "Raw and Structured buffers", "UAVs at every shader stage",
	"64 UAV slots", "Minimum-precision data types", "Double-precision extensions for 11.1",
	"Shader extensions for 11.1", "Comparison filtering for feature level 9", "Tiled resources",
	"PS Output Stencil Ref", "PS Inner Coverage", "Typed UAV Load Additional Formats",
	"Raster Ordered UAVs",
	"SV_RenderTargetArrayIndex or SV_ViewportArrayIndex from any shader feeding rasterizer",
}

// featureRawBuffers is the one defined bit that the listing does not print.
const featureRawBuffers = 1

// FeatureTypedLoads is the SFI0 bit of a program that loads from typed UAVs in
// other formats than the three that every device can load: R32_FLOAT, R32_UINT
// and R32_SINT.
const FeatureTypedLoads = 1 << 11

// FeatureNames returns the text of every known bit of an SFI0 value, in bit order.
func FeatureNames(f uint64) []string {
	var out []string
	for i, n := range featureNames {
		if f>>i&1 != 0 {
			out = append(out, n)
		}
	}
	return out
}
