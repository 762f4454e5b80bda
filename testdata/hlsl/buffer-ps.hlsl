// Buffers as inputs, and UAVs that a pixel program writes.
cbuffer Params : register(b0) { int4 n; };
struct Light { float3 pos; float radius; uint color; int2 flags; };
StructuredBuffer<Light> lights : register(t0);
StructuredBuffer<float4x4> bones : register(t1);
StructuredBuffer<uint> words : register(t2);
ByteAddressBuffer raw : register(t3);
Buffer<float4> typed : register(t4);
Buffer<uint> typed_uint : register(t5);
Buffer<int2> typed_sint : register(t6);
Buffer<unorm float4> typed_unorm : register(t7);
struct In { float4 pos : SV_Position; float2 uv : TEXCOORD0; nointerpolation uint4 k : INDICES; };

float4 structured(In i) : SV_Target { Light l = lights[i.k.x]; return float4(l.pos, l.radius) * l.color + l.flags.xyxy; }
float4 structured_partial(In i) : SV_Target { float r = 0; [loop] for (int k = 0; k < n.x; k++) r += lights[k].radius * lights[k + 1].flags.y; return r; }
float4 structured_matrix(In i) : SV_Target { return mul(bones[i.k.x], float4(i.uv, 0, 1)) + bones[i.k.y]._m03_m13_m23_m33; }
float4 structured_word(In i) : SV_Target { return words[i.k.x] + asfloat(words[i.k.y + 3]); }
float4 structured_member_indexed(In i) : SV_Target { return bones[i.k.x][i.k.y & 3]; }
float4 raw_loads(In i) : SV_Target { return asfloat(raw.Load(i.k.x)) + float4(raw.Load2(i.k.y), 0, 0) + float4(asfloat(raw.Load3(i.k.z * 12)), 1) + asfloat(raw.Load4(i.k.w & ~15)); }
float4 typed_loads(In i) : SV_Target { return typed[i.k.x] + typed_uint[i.k.y] + typed_sint[i.k.z].xyxy + typed_unorm.Load(i.k.w); }
float4 sizes(In i) : SV_Target { uint a, b, c, d; lights.GetDimensions(a, b); raw.GetDimensions(c); typed.GetDimensions(d); return float4(a, b, c, d); }

RWStructuredBuffer<uint> counts : register(u1);
RWByteAddressBuffer bytes : register(u2);
RWTexture2D<float4> image : register(u3);
RWTexture2D<uint> ids : register(u4);
RWBuffer<uint> typed_out : register(u5);
AppendStructuredBuffer<uint2> fragments : register(u6);
float4 uav_writes(In i) : SV_Target { counts[i.k.x] = i.k.y; bytes.Store2(i.k.z, i.k.xy); image[i.pos.xy] = i.uv.xyxy; typed_out[i.k.w] = 7; return 1; }
float4 uav_atomics(In i) : SV_Target { uint o; InterlockedAdd(counts[i.k.x], 1, o); bytes.InterlockedMax(i.k.y * 4, i.k.z); InterlockedMin(ids[uint2(i.pos.xy)], i.k.w); return o; }
[earlydepthstencil] float4 early_depth(In i) : SV_Target { counts[i.k.x] += 1; return i.uv.xyxy; }
float4 linked_list(In i) : SV_Target { uint c = counts.IncrementCounter(); uint o; InterlockedExchange(ids[uint2(i.pos.xy)], c, o); counts[c] = o; return 0; }
float4 append(In i) : SV_Target { [branch] if (i.uv.x > 0.5) fragments.Append(i.k.xy); return 0; }
void no_target(In i) { counts[i.k.x] = 1; }
