package wgsl

import (
	"strconv"
	"strings"
	"sync"

	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// names hands out the identifiers of one module. All are unique in the module,
// so that no scope ever shadows another.
type names struct {
	of       map[string]nameInfo
	bindings map[string]string // by binding identity
}

// nameInfo is what is known of a name, and of the names that have it as their base.
type nameInfo struct {
	use  nameUse
	next int32 // the number to try next, or 0
}

// nameUse says what became of a name.
type nameUse uint8

const (
	nameTaken nameUse = 1 << iota // cannot be given
	nameGiven                     // was given
	nameLocal                     // was given to a local, to be checked against helpers
)

// newNames takes the memory of names that are done.
func newNames(n names, avoid []string) names {
	if n.of == nil {
		n.of, n.bindings = make(map[string]nameInfo, 32), map[string]string{}
	}
	taken := nameInfo{use: nameTaken}
	n.of["main"], n.of["target_samples"] = taken, taken
	for _, a := range avoid {
		n.of[a] = taken
	}
	return n
}

// unique returns base, or base with a number behind it, and takes it.
func (e *emitter) unique(base string) string {
	base = legalName(base, "v")
	own := e.names.of[base]
	name, info := base, own
	i := max(own.next, 2)
	for ; info.use&nameTaken != 0 || reservedWords()[name]; i++ {
		sep := ""
		if c := base[len(base)-1]; c >= '0' && c <= '9' || strings.Contains(base, "_") {
			sep = "_"
		}
		name = base + sep + strconv.Itoa(int(i))
		info = e.names.of[name]
	}
	if i > 2 {
		own.next = i
		e.names.of[base] = own
	}
	info.use |= nameTaken | nameGiven
	e.names.of[name] = info
	return name
}

// localName is unique for a local variable.
func (e *emitter) localName(base string) string {
	n := e.unique(base)
	info := e.names.of[n]
	info.use |= nameLocal
	e.names.of[n] = info
	return n
}

// nameBindings takes a name for every binding of the plan that this stage
// declares, before any local gets one.
func (e *emitter) nameBindings() {
	if e.plan == nil {
		return
	}
	for i := range e.plan.Bindings {
		b := &e.plan.Bindings[i]
		if e.resourceOf(b) < 0 {
			continue
		}
		base := b.Symbol
		if n := legalName(b.Name, ""); n != "" && !(b.Kind == layout.UniformBuffer && strings.HasPrefix(b.Name, "$")) {
			base = n
		}
		if b.Kind == layout.UAVCounter && base != b.Symbol {
			base += "Counter"
		}
		if e.names.of[base].use&nameTaken != 0 && b.Kind == layout.Sampler {
			base += "Sampler"
		}
		if _, variant, ok := strings.Cut(b.Identity, "#"); ok && base != b.Symbol {
			base += "_" + variant
		}
		e.names.bindings[b.Identity] = e.unique(moduleName(base, b.Symbol))
	}
}

// bindingName is the module's name of a binding.
func (e *emitter) bindingName(b *layout.Binding) string {
	if n, ok := e.names.bindings[b.Identity]; ok {
		return n
	}
	n := e.unique(b.Symbol)
	e.names.bindings[b.Identity] = n
	return n
}

// stage is the stage of the function in the plan's numbering.
func (e *emitter) stage() layout.Stage { return stageOf(e.f) }

// resourceOf is the index of b's resource in this stage, or -1.
func (e *emitter) resourceOf(b *layout.Binding) int32 { return b.Resources[e.stage()] }

// legalName makes s an ASCII identifier of WGSL: what cannot stand in one turns
// into an underscore, and underscores at the ends and doubled ones go. It
// returns fallback where nothing is left.
func legalName(s, fallback string) string {
	if isLegal(s) {
		if reservedWords()[s] {
			return s + "_"
		}
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			if b.Len() == 0 && r <= '9' {
				b.WriteByte('n')
			}
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() > 80 {
			break
		}
	}
	n := strings.TrimRight(b.String(), "_")
	switch {
	case n == "":
		return fallback
	case reservedWords()[n]:
		return n + "_"
	}
	return n
}

// isLegal reports whether legalName, reserved words aside, leaves s as it is.
func isLegal(s string) bool {
	if s == "" || len(s) > 80 || s[0] >= '0' && s[0] <= '9' || s[len(s)-1] == '_' {
		return false
	}
	last := byte('_')
	for i := range len(s) {
		c := s[i]
		if !isWord(c) || c >= 0x80 || c == '_' && last == '_' {
			return false
		}
		last = c
	}
	return true
}

// lowerFirst makes the first letter lower case; a run of capitals goes down as a whole.
func lowerFirst(s string) string {
	i := 0
	for i < len(s) && s[i] >= 'A' && s[i] <= 'Z' {
		i++
	}
	if i > 1 && i < len(s) && s[i] >= 'a' && s[i] <= 'z' {
		i--
	}
	return strings.ToLower(s[:i]) + s[i:]
}

// textureBase is what a sample of a texture of this name is called: the name
// without the words that say that it is a texture.
func textureBase(name string) string {
	n := legalName(name, "")
	for _, p := range []string{"g_tx", "g_t", "g_", "tex_", "tex", "t_", "u_", "s_", "m_"} {
		if len(n) > len(p)+2 && strings.HasPrefix(n, p) && (strings.HasSuffix(p, "_") || n[len(p)] >= 'A' && n[len(p)] <= 'Z' || n[len(p)] == '_') {
			n = strings.TrimLeft(n[len(p):], "_")
			break
		}
	}
	for _, s := range []string{"Texture2D", "Texture", "texture", "Tex", "Map", "map", "_tex"} {
		if len(n) > len(s)+2 && strings.HasSuffix(n, s) {
			n = strings.TrimRight(n[:len(n)-len(s)], "_")
			break
		}
	}
	return lowerFirst(n)
}

// semanticBase is what a value that goes to an output is called.
func semanticBase(el *ir.Elem) string {
	s := strings.ToUpper(el.Semantic)
	switch s {
	case "SV_TARGET", "COLOR":
		s = "color"
	case "SV_POSITION", "POSITION":
		s = "position"
	case "SV_DEPTH", "SV_DEPTHGREATEREQUAL", "SV_DEPTHLESSEQUAL":
		s = "depth"
	case "SV_COVERAGE":
		s = "coverage"
	default:
		s = strings.ToLower(legalName(strings.TrimPrefix(s, "SV_"), "out"))
	}
	if el.Index > 0 {
		s += strconv.Itoa(int(el.Index))
	}
	return s
}

// constName is the effect's or RDEF's name of lanes of a constant buffer row, or
// empty where no one constant covers them.
func (e *emitter) constName(res int32, row uint32, lanes []uint8) string {
	return constName(e.f, res, row, lanes)
}

// reservedWords are the keywords and reserved words of WGSL and the names of its
// types, functions and values, which are legal names but would be shadowed.
var reservedWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`
alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let
loop override requires return struct switch true var while
NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class
co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval
constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export
extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl
implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut
mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of
operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub public
readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm
static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef
typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly
yield
bool f16 f32 i32 u32 vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u vec2h vec3h vec4h mat2x2 mat2x3 mat2x4
mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 array atomic ptr sampler sampler_comparison texture_1d texture_2d
texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d texture_depth_2d
texture_depth_2d_array texture_depth_cube texture_depth_cube_array texture_depth_multisampled_2d texture_storage_1d
texture_storage_2d texture_storage_2d_array texture_storage_3d texture_external binding_array
read write read_write function private workgroup uniform storage
abs acos acosh all any arrayLength asin asinh atan atan2 atanh atomicAdd atomicAnd atomicCompareExchangeWeak
atomicExchange atomicLoad atomicMax atomicMin atomicOr atomicStore atomicSub atomicXor bitcast ceil clamp cos cosh
countLeadingZeros countOneBits countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed
dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit
floor fma fract frexp fwidth fwidthCoarse fwidthFine insertBits inverseSqrt ldexp length log log2 max min mix modf
normalize pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pow quantizeToF16 radians reflect
refract reverseBits round saturate select sign sin sinh smoothstep sqrt step storageBarrier tan tanh textureBarrier
textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels textureNumSamples
textureSample textureSampleBaseClampToEdge textureSampleBias textureSampleCompare textureSampleCompareLevel
textureSampleGrad textureSampleLevel textureStore transpose trunc unpack2x16float unpack2x16snorm unpack2x16unorm
unpack4x8snorm unpack4x8unorm workgroupBarrier workgroupUniformLoad subgroupAdd quadBroadcast
vertex fragment compute align binding builtin group id invariant interpolate location size workgroup_size
rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16uint rgba16sint rgba16float r32uint r32sint r32float rg32uint rg32sint
rg32float rgba32uint rgba32sint rgba32float bgra8unorm
`)
})

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}
