package syntax

// overloadText has every operator and builtin function, one overload a line:
//
//	names  parameters -> result ; type variables ; flags
//
// A capital letter is a scalar type that the arguments decide, out of the set that the
// second column gives it; N, M, K in vecN and matNxM (columns, rows) are numbers that they
// decide. "?T" stands for a line with T and a line with vecN<T> in all such places;
// {a|b} for a line with a and a line with b. F, A are format and access of a storage
// texture, S the address space of a pointer. Flags: c has a value where its arguments
// have one; F, FC, C only in fragment, fragment and compute, compute stages; ! the result
// need not be used; g needs subgroups.
//
// Source: sections "Expressions" and "Built-in Functions" of the recommendation.
const overloadText = `
+,-,*,/,%      ?T ?T -> ?T ; T:num ; c
+,-,*,/,%      vecN<T> T -> vecN<T> ; T:num ; c
+,-,*,/,%      T vecN<T> -> vecN<T> ; T:num ; c
+,-            matNxM<T> matNxM<T> -> matNxM<T> ; T:float ; c
*              matNxM<T> T -> matNxM<T> ; T:float ; c
*              T matNxM<T> -> matNxM<T> ; T:float ; c
*              matNxM<T> vecN<T> -> vecM<T> ; T:float ; c
*              vecM<T> matNxM<T> -> vecN<T> ; T:float ; c
*              matNxM<T> matKxN<T> -> matKxM<T> ; T:float ; c
==,!=          ?T ?T -> ?bool ; T:scalar ; c
<,<=,>,>=      ?T ?T -> ?bool ; T:num ; c
&,|            ?T ?T -> ?T ; T:intbool ; c
^              ?T ?T -> ?T ; T:int ; c
&&,||          bool bool -> bool ; ; c
<<,>>          ?T ?u32 -> ?T ; T:int ; c
neg            ?T -> ?T ; T:signed ; c
~              ?T -> ?T ; T:int ; c
!              ?bool -> ?bool ; ; c

all,any        ?bool -> bool ; ; c
select         ?T ?T bool -> ?T ; T:scalar ; c
select         vecN<T> vecN<T> vecN<bool> -> vecN<T> ; T:scalar ; c
abs            ?T -> ?T ; T:num ; c
sign           ?T -> ?T ; T:signed ; c
min,max        ?T ?T -> ?T ; T:num ; c
clamp          ?T ?T ?T -> ?T ; T:num ; c
acos,acosh,asin,asinh,atan,atanh,ceil,cos,cosh,degrees,exp,exp2,floor,fract,inverseSqrt,log,log2,radians,round,saturate,sin,sinh,sqrt,tan,tanh,trunc ?T -> ?T ; T:float ; c
atan2,pow,step ?T ?T -> ?T ; T:float ; c
fma,smoothstep,mix ?T ?T ?T -> ?T ; T:float ; c
mix            vecN<T> vecN<T> T -> vecN<T> ; T:float ; c
countLeadingZeros,countOneBits,countTrailingZeros,firstLeadingBit,firstTrailingBit,reverseBits ?T -> ?T ; T:iu ; c
extractBits    ?T u32 u32 -> ?T ; T:iu ; c
insertBits     ?T ?T u32 u32 -> ?T ; T:iu ; c
cross          vec3<T> vec3<T> -> vec3<T> ; T:float ; c
dot            vecN<T> vecN<T> -> T ; T:num ; c
dot4U8Packed   u32 u32 -> u32 ; ; c
dot4I8Packed   u32 u32 -> i32 ; ; c
distance       ?T ?T -> T ; T:float ; c
length         ?T -> T ; T:float ; c
normalize      vecN<T> -> vecN<T> ; T:float ; c
reflect        vecN<T> vecN<T> -> vecN<T> ; T:float ; c
refract        vecN<T> vecN<T> T -> vecN<T> ; T:float ; c
faceForward    vecN<T> vecN<T> vecN<T> -> vecN<T> ; T:float ; c
determinant    matNxN<T> -> T ; T:float ; c
transpose      matNxM<T> -> matMxN<T> ; T:float ; c
frexp          ?T -> frexp<?T> ; T:float ; c
modf           ?T -> modf<?T> ; T:float ; c
ldexp          ?T ?I -> ?T ; T:float I:ai32 ; c
quantizeToF16  ?f32 -> ?f32 ; ; c
pack4x8snorm,pack4x8unorm vec4<f32> -> u32 ; ; c
pack2x16snorm,pack2x16unorm,pack2x16float vec2<f32> -> u32 ; ; c
pack4xI8,pack4xI8Clamp vec4<i32> -> u32 ; ; c
pack4xU8,pack4xU8Clamp vec4<u32> -> u32 ; ; c
unpack4x8snorm,unpack4x8unorm u32 -> vec4<f32> ; ; c
unpack2x16snorm,unpack2x16unorm,unpack2x16float u32 -> vec2<f32> ; ; c
unpack4xI8     u32 -> vec4<i32> ; ; c
unpack4xU8     u32 -> vec4<u32> ; ; c

dpdx,dpdxCoarse,dpdxFine,dpdy,dpdyCoarse,dpdyFine,fwidth,fwidthCoarse,fwidthFine ?f32 -> ?f32 ; ; F

arrayLength    runtime_array -> u32 ; ;
atomicLoad     atomic<T> -> T ; T:iu ; FC!
atomicStore    atomic<T> T -> void ; T:iu ; FC!
atomicAdd,atomicSub,atomicMax,atomicMin,atomicAnd,atomicOr,atomicXor,atomicExchange atomic<T> T -> T ; T:iu ; FC!
atomicCompareExchangeWeak atomic<T> T T -> exchange<T> ; T:iu ; FC!
storageBarrier,textureBarrier,workgroupBarrier -> void ; ; C
workgroupUniformLoad workgroup_value -> loaded ; ; C

textureDimensions texture_1d<T> -> u32 ; T:fiu ;
textureDimensions texture_1d<T> L -> u32 ; T:fiu L:iu ;
textureDimensions texture_{2d|2d_array|cube|cube_array}<T> -> vec2<u32> ; T:fiu ;
textureDimensions texture_{2d|2d_array|cube|cube_array}<T> L -> vec2<u32> ; T:fiu L:iu ;
textureDimensions texture_3d<T> -> vec3<u32> ; T:fiu ;
textureDimensions texture_3d<T> L -> vec3<u32> ; T:fiu L:iu ;
textureDimensions texture_multisampled_2d<T> -> vec2<u32> ; T:fiu ;
textureDimensions texture_depth_{2d|2d_array|cube|cube_array} -> vec2<u32> ; ;
textureDimensions texture_depth_{2d|2d_array|cube|cube_array} L -> vec2<u32> ; L:iu ;
textureDimensions texture_depth_multisampled_2d -> vec2<u32> ; ;
textureDimensions texture_storage_1d<F,A> -> u32 ; ;
textureDimensions texture_storage_{2d|2d_array}<F,A> -> vec2<u32> ; ;
textureDimensions texture_storage_3d<F,A> -> vec3<u32> ; ;
textureDimensions texture_external -> vec2<u32> ; ;
textureNumLayers texture_{2d_array|cube_array}<T> -> u32 ; T:fiu ;
textureNumLayers texture_depth_{2d_array|cube_array} -> u32 ; ;
textureNumLayers texture_storage_2d_array<F,A> -> u32 ; ;
textureNumLevels texture_{1d|2d|2d_array|3d|cube|cube_array}<T> -> u32 ; T:fiu ;
textureNumLevels texture_depth_{2d|2d_array|cube|cube_array} -> u32 ; ;
textureNumSamples texture_multisampled_2d<T> -> u32 ; T:fiu ;
textureNumSamples texture_depth_multisampled_2d -> u32 ; ;

textureLoad    texture_1d<T> C L -> vec4<T> ; T:fiu C:iu L:iu ;
textureLoad    texture_2d<T> vec2<C> L -> vec4<T> ; T:fiu C:iu L:iu ;
textureLoad    texture_2d_array<T> vec2<C> A L -> vec4<T> ; T:fiu C:iu A:iu L:iu ;
textureLoad    texture_3d<T> vec3<C> L -> vec4<T> ; T:fiu C:iu L:iu ;
textureLoad    texture_multisampled_2d<T> vec2<C> L -> vec4<T> ; T:fiu C:iu L:iu ;
textureLoad    texture_depth_2d vec2<C> L -> f32 ; C:iu L:iu ;
textureLoad    texture_depth_2d_array vec2<C> A L -> f32 ; C:iu A:iu L:iu ;
textureLoad    texture_depth_multisampled_2d vec2<C> L -> f32 ; C:iu L:iu ;
textureLoad    texture_external vec2<C> -> vec4<f32> ; C:iu ;
textureLoad    texture_storage_1d<F,readable> C -> texel ; C:iu ;
textureLoad    texture_storage_2d<F,readable> vec2<C> -> texel ; C:iu ;
textureLoad    texture_storage_2d_array<F,readable> vec2<C> A -> texel ; C:iu A:iu ;
textureLoad    texture_storage_3d<F,readable> vec3<C> -> texel ; C:iu ;
textureStore   texture_storage_1d<F,writable> C texel -> void ; C:iu ; FC
textureStore   texture_storage_2d<F,writable> vec2<C> texel -> void ; C:iu ; FC
textureStore   texture_storage_2d_array<F,writable> vec2<C> A texel -> void ; C:iu A:iu ; FC
textureStore   texture_storage_3d<F,writable> vec3<C> texel -> void ; C:iu ; FC

textureSample  texture_1d<f32> sampler f32 -> vec4<f32> ; ; F
textureSample  texture_2d<f32> sampler vec2<f32> -> vec4<f32> ; ; F
textureSample  texture_2d<f32> sampler vec2<f32> offset2 -> vec4<f32> ; ; F
textureSample  texture_2d_array<f32> sampler vec2<f32> A -> vec4<f32> ; A:iu ; F
textureSample  texture_2d_array<f32> sampler vec2<f32> A offset2 -> vec4<f32> ; A:iu ; F
textureSample  texture_{3d|cube}<f32> sampler vec3<f32> -> vec4<f32> ; ; F
textureSample  texture_3d<f32> sampler vec3<f32> offset3 -> vec4<f32> ; ; F
textureSample  texture_cube_array<f32> sampler vec3<f32> A -> vec4<f32> ; A:iu ; F
textureSample  texture_depth_2d sampler vec2<f32> -> f32 ; ; F
textureSample  texture_depth_2d sampler vec2<f32> offset2 -> f32 ; ; F
textureSample  texture_depth_2d_array sampler vec2<f32> A -> f32 ; A:iu ; F
textureSample  texture_depth_2d_array sampler vec2<f32> A offset2 -> f32 ; A:iu ; F
textureSample  texture_depth_cube sampler vec3<f32> -> f32 ; ; F
textureSample  texture_depth_cube_array sampler vec3<f32> A -> f32 ; A:iu ; F
textureSampleBias texture_1d<f32> sampler f32 f32 -> vec4<f32> ; ; F
textureSampleBias texture_2d<f32> sampler vec2<f32> f32 -> vec4<f32> ; ; F
textureSampleBias texture_2d<f32> sampler vec2<f32> f32 offset2 -> vec4<f32> ; ; F
textureSampleBias texture_2d_array<f32> sampler vec2<f32> A f32 -> vec4<f32> ; A:iu ; F
textureSampleBias texture_2d_array<f32> sampler vec2<f32> A f32 offset2 -> vec4<f32> ; A:iu ; F
textureSampleBias texture_{3d|cube}<f32> sampler vec3<f32> f32 -> vec4<f32> ; ; F
textureSampleBias texture_3d<f32> sampler vec3<f32> f32 offset3 -> vec4<f32> ; ; F
textureSampleBias texture_cube_array<f32> sampler vec3<f32> A f32 -> vec4<f32> ; A:iu ; F
textureSampleLevel texture_1d<f32> sampler f32 f32 -> vec4<f32> ; ;
textureSampleLevel texture_2d<f32> sampler vec2<f32> f32 -> vec4<f32> ; ;
textureSampleLevel texture_2d<f32> sampler vec2<f32> f32 offset2 -> vec4<f32> ; ;
textureSampleLevel texture_2d_array<f32> sampler vec2<f32> A f32 -> vec4<f32> ; A:iu ;
textureSampleLevel texture_2d_array<f32> sampler vec2<f32> A f32 offset2 -> vec4<f32> ; A:iu ;
textureSampleLevel texture_{3d|cube}<f32> sampler vec3<f32> f32 -> vec4<f32> ; ;
textureSampleLevel texture_3d<f32> sampler vec3<f32> f32 offset3 -> vec4<f32> ; ;
textureSampleLevel texture_cube_array<f32> sampler vec3<f32> A f32 -> vec4<f32> ; A:iu ;
textureSampleLevel texture_depth_2d sampler vec2<f32> L -> f32 ; L:iu ;
textureSampleLevel texture_depth_2d sampler vec2<f32> L offset2 -> f32 ; L:iu ;
textureSampleLevel texture_depth_2d_array sampler vec2<f32> A L -> f32 ; A:iu L:iu ;
textureSampleLevel texture_depth_2d_array sampler vec2<f32> A L offset2 -> f32 ; A:iu L:iu ;
textureSampleLevel texture_depth_cube sampler vec3<f32> L -> f32 ; L:iu ;
textureSampleLevel texture_depth_cube_array sampler vec3<f32> A L -> f32 ; A:iu L:iu ;
textureSampleGrad texture_2d<f32> sampler vec2<f32> vec2<f32> vec2<f32> -> vec4<f32> ; ;
textureSampleGrad texture_2d<f32> sampler vec2<f32> vec2<f32> vec2<f32> offset2 -> vec4<f32> ; ;
textureSampleGrad texture_2d_array<f32> sampler vec2<f32> A vec2<f32> vec2<f32> -> vec4<f32> ; A:iu ;
textureSampleGrad texture_2d_array<f32> sampler vec2<f32> A vec2<f32> vec2<f32> offset2 -> vec4<f32> ; A:iu ;
textureSampleGrad texture_{3d|cube}<f32> sampler vec3<f32> vec3<f32> vec3<f32> -> vec4<f32> ; ;
textureSampleGrad texture_3d<f32> sampler vec3<f32> vec3<f32> vec3<f32> offset3 -> vec4<f32> ; ;
textureSampleGrad texture_cube_array<f32> sampler vec3<f32> A vec3<f32> vec3<f32> -> vec4<f32> ; A:iu ;
textureSampleCompare texture_depth_2d sampler_comparison vec2<f32> f32 -> f32 ; ; F
textureSampleCompare texture_depth_2d sampler_comparison vec2<f32> f32 offset2 -> f32 ; ; F
textureSampleCompare texture_depth_2d_array sampler_comparison vec2<f32> A f32 -> f32 ; A:iu ; F
textureSampleCompare texture_depth_2d_array sampler_comparison vec2<f32> A f32 offset2 -> f32 ; A:iu ; F
textureSampleCompare texture_depth_cube sampler_comparison vec3<f32> f32 -> f32 ; ; F
textureSampleCompare texture_depth_cube_array sampler_comparison vec3<f32> A f32 -> f32 ; A:iu ; F
textureSampleCompareLevel texture_depth_2d sampler_comparison vec2<f32> f32 -> f32 ; ;
textureSampleCompareLevel texture_depth_2d sampler_comparison vec2<f32> f32 offset2 -> f32 ; ;
textureSampleCompareLevel texture_depth_2d_array sampler_comparison vec2<f32> A f32 -> f32 ; A:iu ;
textureSampleCompareLevel texture_depth_2d_array sampler_comparison vec2<f32> A f32 offset2 -> f32 ; A:iu ;
textureSampleCompareLevel texture_depth_cube sampler_comparison vec3<f32> f32 -> f32 ; ;
textureSampleCompareLevel texture_depth_cube_array sampler_comparison vec3<f32> A f32 -> f32 ; A:iu ;
textureSampleBaseClampToEdge {texture_2d<f32>|texture_external} sampler vec2<f32> -> vec4<f32> ; ;
textureGather  component texture_2d<T> sampler vec2<f32> -> vec4<T> ; T:fiu ;
textureGather  component texture_2d<T> sampler vec2<f32> offset2 -> vec4<T> ; T:fiu ;
textureGather  component texture_2d_array<T> sampler vec2<f32> A -> vec4<T> ; T:fiu A:iu ;
textureGather  component texture_2d_array<T> sampler vec2<f32> A offset2 -> vec4<T> ; T:fiu A:iu ;
textureGather  component texture_cube<T> sampler vec3<f32> -> vec4<T> ; T:fiu ;
textureGather  component texture_cube_array<T> sampler vec3<f32> A -> vec4<T> ; T:fiu A:iu ;
textureGather  texture_depth_2d sampler vec2<f32> -> vec4<f32> ; ;
textureGather  texture_depth_2d sampler vec2<f32> offset2 -> vec4<f32> ; ;
textureGather  texture_depth_2d_array sampler vec2<f32> A -> vec4<f32> ; A:iu ;
textureGather  texture_depth_2d_array sampler vec2<f32> A offset2 -> vec4<f32> ; A:iu ;
textureGather  texture_depth_cube sampler vec3<f32> -> vec4<f32> ; ;
textureGather  texture_depth_cube_array sampler vec3<f32> A -> vec4<f32> ; A:iu ;
textureGatherCompare texture_depth_2d sampler_comparison vec2<f32> f32 -> vec4<f32> ; ;
textureGatherCompare texture_depth_2d sampler_comparison vec2<f32> f32 offset2 -> vec4<f32> ; ;
textureGatherCompare texture_depth_2d_array sampler_comparison vec2<f32> A f32 -> vec4<f32> ; A:iu ;
textureGatherCompare texture_depth_2d_array sampler_comparison vec2<f32> A f32 offset2 -> vec4<f32> ; A:iu ;
textureGatherCompare texture_depth_cube sampler_comparison vec3<f32> f32 -> vec4<f32> ; ;
textureGatherCompare texture_depth_cube_array sampler_comparison vec3<f32> A f32 -> vec4<f32> ; A:iu ;

subgroupAdd,subgroupExclusiveAdd,subgroupInclusiveAdd,subgroupMul,subgroupExclusiveMul,subgroupInclusiveMul,subgroupMax,subgroupMin ?T -> ?T ; T:concrete ; FCg
subgroupAnd,subgroupOr,subgroupXor ?T -> ?T ; T:iu ; FCg
subgroupAll,subgroupAny bool -> bool ; ; FCg
subgroupBallot bool -> vec4<u32> ; ; FCg
subgroupElect  -> bool ; ; FCg
subgroupBroadcastFirst ?T -> ?T ; T:concrete ; FCg
subgroupBroadcast,quadBroadcast ?T lane -> ?T ; T:concrete ; FCg
subgroupShuffle ?T L -> ?T ; T:concrete L:iu ; FCg
subgroupShuffleDown,subgroupShuffleUp,subgroupShuffleXor ?T u32 -> ?T ; T:concrete ; FCg
quadSwapDiagonal,quadSwapX,quadSwapY ?T -> ?T ; T:concrete ; FCg
`

// scalarSets are the sets that overloadText gives its type variables.
var scalarSets = map[string][]TypeKind{
	"scalar":   {TypeAbstractInt, TypeAbstractFloat, TypeI32, TypeU32, TypeF32, TypeF16, TypeBool},
	"num":      {TypeAbstractInt, TypeAbstractFloat, TypeI32, TypeU32, TypeF32, TypeF16},
	"signed":   {TypeAbstractInt, TypeAbstractFloat, TypeI32, TypeF32, TypeF16},
	"float":    {TypeAbstractFloat, TypeF32, TypeF16},
	"int":      {TypeAbstractInt, TypeI32, TypeU32},
	"intbool":  {TypeAbstractInt, TypeI32, TypeU32, TypeBool},
	"ai32":     {TypeAbstractInt, TypeI32},
	"iu":       {TypeI32, TypeU32},
	"fiu":      {TypeF32, TypeI32, TypeU32},
	"concrete": {TypeI32, TypeU32, TypeF32, TypeF16},
}
