package syntax

// The predeclared names by what they are. Enumerants (address spaces, access modes, texel
// formats and so on) are names of the module scope like the others, so that a
// declaration of the user hides them.

var predeclaredTypes = words(`bool i32 u32 f32 f16 vec2 vec3 vec4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3
	mat4x4 atomic array ptr sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d texture_cube
	texture_cube_array texture_multisampled_2d texture_depth_multisampled_2d texture_external texture_storage_1d
	texture_storage_2d texture_storage_2d_array texture_storage_3d texture_depth_2d texture_depth_2d_array
	texture_depth_cube texture_depth_cube_array
	vec2i vec3i vec4i vec2u vec3u vec4u vec2f vec3f vec4f vec2h vec3h vec4h mat2x2f mat2x3f mat2x4f mat3x2f mat3x3f mat3x4f
	mat4x2f mat4x3f mat4x4f mat2x2h mat2x3h mat2x4h mat3x2h mat3x3h mat3x4h mat4x2h mat4x3h mat4x4h`)

var predeclaredFunctions = words(`bitcast all any select arrayLength
	abs acos acosh asin asinh atan atanh atan2 ceil clamp cos cosh countLeadingZeros countOneBits countTrailingZeros
	cross degrees determinant distance dot dot4U8Packed dot4I8Packed exp exp2 extractBits faceForward firstLeadingBit
	firstTrailingBit floor fma fract frexp insertBits inverseSqrt ldexp length log log2 max min mix modf normalize pow
	quantizeToF16 radians reflect refract reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh
	transpose trunc dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth fwidthCoarse fwidthFine
	textureDimensions textureGather textureGatherCompare textureLoad textureNumLayers textureNumLevels
	textureNumSamples textureSample textureSampleBias textureSampleCompare textureSampleCompareLevel
	textureSampleGrad textureSampleLevel textureSampleBaseClampToEdge textureStore
	atomicLoad atomicStore atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange
	atomicCompareExchangeWeak
	pack4x8snorm pack4x8unorm pack4xI8 pack4xU8 pack4xI8Clamp pack4xU8Clamp pack2x16snorm pack2x16unorm pack2x16float
	unpack4x8snorm unpack4x8unorm unpack4xI8 unpack4xU8 unpack2x16snorm unpack2x16unorm unpack2x16float
	storageBarrier textureBarrier workgroupBarrier workgroupUniformLoad
	subgroupAdd subgroupExclusiveAdd subgroupInclusiveAdd subgroupAll subgroupAnd subgroupAny subgroupBallot
	subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupMax subgroupMin subgroupMul subgroupExclusiveMul
	subgroupInclusiveMul subgroupOr subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor
	subgroupXor quadBroadcast quadSwapDiagonal quadSwapX quadSwapY`)

var predeclaredEnumerants = words(`read write read_write function private workgroup uniform storage immediate
	rgba8unorm rgba8snorm rgba8uint rgba8sint rgba16unorm rgba16snorm rgba16uint rgba16sint rgba16float
	rg8unorm rg8snorm rg8uint rg8sint rg16unorm rg16snorm rg16uint rg16sint rg16float
	r32uint r32sint r32float rg32uint rg32sint rg32float rgba32uint rgba32sint rgba32float bgra8unorm
	r8unorm r8snorm r8uint r8sint r16unorm r16snorm r16uint r16sint r16float rgb10a2uint rgb10a2unorm rg11b10ufloat`)

// IsPredeclared reports whether WGSL itself gives a name a meaning at module scope.
func IsPredeclared(name string) bool {
	return predeclaredTypes[name] || predeclaredFunctions[name] || predeclaredEnumerants[name]
}
