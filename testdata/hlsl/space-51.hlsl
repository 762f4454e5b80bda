// Shader model 5.1: register spaces, arrays of resources, dynamic selection.
cbuffer Params : register(b0, space1) { float4 tint; uint4 n; };
struct Row { float4 v; };
ConstantBuffer<Row> rows[4] : register(b2, space0);
Texture2D single : register(t0, space2);
Texture2D maps[3] : register(t4, space0);
Texture2D open[] : register(t0, space5);
SamplerState s : register(s0);
SamplerState samplers[2] : register(s1, space3);
StructuredBuffer<float4> buffers[2] : register(t8);
RWStructuredBuffer<float4> results[2] : register(u0, space1);
struct In { float4 pos : SV_Position; float2 uv : TEXCOORD0; nointerpolation uint4 k : INDICES; };
float4 spaces(In i) : SV_Target { return single.Sample(s, i.uv) * tint; }
float4 array_constant(In i) : SV_Target { return maps[0].Sample(s, i.uv) + maps[2].Sample(samplers[1], i.uv) + rows[1].v; }
float4 array_uniform(In i) : SV_Target { return maps[n.x].SampleLevel(s, i.uv, 0) + rows[n.y].v + buffers[n.z][i.k.x]; }
float4 array_nonuniform(In i) : SV_Target { return maps[NonUniformResourceIndex(i.k.x)].SampleLevel(samplers[NonUniformResourceIndex(i.k.y)], i.uv, 0); }
float4 unbounded(In i) : SV_Target { return open[i.k.x].SampleLevel(s, i.uv, 0); }
[numthreads(64, 1, 1)] void array_cs(uint3 id : SV_DispatchThreadID) { results[n.x & 1][id.x] = buffers[id.x & 1][id.x] + rows[3].v; }
RasterizerOrderedTexture2D<uint> ordered : register(u3);
float4 rasterizer_ordered(In i) : SV_Target { ordered[uint2(i.pos.xy)] = ordered[uint2(i.pos.xy)] + 1; return tint; }
RWTexture2D<float4> typed_load : register(u4);
[numthreads(8, 8, 1)] void typed_load_cs(uint3 id : SV_DispatchThreadID) { typed_load[id.xy] = typed_load[id.xy] * 0.5; }
