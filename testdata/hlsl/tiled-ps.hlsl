// Tiled resources: sampling with a smallest level and with a residency status.
cbuffer Params : register(b0) { float4 a; };
Texture2D<float4> t2 : register(t0);
Texture2DArray<float4> t2a : register(t1);
Texture3D<float4> t3 : register(t2);
Texture2D<float> depth : register(t3);
Buffer<float4> typed : register(t4);
StructuredBuffer<float4> structured : register(t5);
ByteAddressBuffer raw : register(t6);
SamplerState s : register(s0);
SamplerComparisonState sc : register(s1);
struct In { float4 pos : SV_Position; float4 uv : TEXCOORD0; nointerpolation int4 k : INDICES; };
float4 clamped(In i) : SV_Target { return t2.Sample(s, i.uv.xy, int2(0, 0), a.x) + t2a.SampleBias(s, i.uv.xyz, a.y, int2(1, 0), a.x) + t2.SampleGrad(s, i.uv.xy, a.xy, a.zw, int2(0, 0), i.uv.w) + depth.SampleCmp(sc, i.uv.xy, i.uv.z, int2(0, 0), a.x); }
float4 status_sample(In i) : SV_Target { uint st; float4 r = t2.Sample(s, i.uv.xy, int2(0, 0), 0, st); if (!CheckAccessFullyMapped(st)) r = t2.SampleLevel(s, i.uv.xy, 5, int2(0, 0), st); return CheckAccessFullyMapped(st) ? r : a; }
float4 status_loads(In i) : SV_Target { uint p, q, u, v; float4 r = t2.Load(i.k.xyz, int2(0, 0), p) + t3.Load(i.k, int3(1, 0, 0), q) + typed.Load(i.k.x, u) + structured.Load(i.k.y, v); return CheckAccessFullyMapped(p) && CheckAccessFullyMapped(q) && CheckAccessFullyMapped(u) && CheckAccessFullyMapped(v) ? r : 0; }
float4 status_gather(In i) : SV_Target { uint p, q; float4 r = t2.GatherBlue(s, i.uv.xy, int2(1, 1), p) + depth.GatherCmp(sc, i.uv.xy, i.uv.z, int2(0, 0), q) + raw.Load4(i.k.x, p); return CheckAccessFullyMapped(p) && CheckAccessFullyMapped(q) ? r : 0; }
