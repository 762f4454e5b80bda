// Integer and normalised textures: loads, gathers, queries.
cbuffer Params : register(b0) { int4 n; };
Texture2D<uint4> tu : register(t0);
Texture2D<int2> ti : register(t1);
Texture2DArray<uint> tua : register(t2);
Texture3D<int4> t3 : register(t3);
Texture2D<unorm float4> tn : register(t4);
Texture2D<snorm float2> tsn : register(t5);
Texture2DMS<uint> tms : register(t6);
TextureCube<uint4> tcu : register(t7);
SamplerState s : register(s0);
struct In { float4 pos : SV_Position; float2 uv : TEXCOORD0; nointerpolation int4 k : INDICES; };

float4 loads(In i) : SV_Target { return tu.Load(i.k.xyz) + ti.Load(i.k.xyz).xyxy + tua.Load(i.k) + t3.Load(i.k); }
uint4 loads_uint(In i) : SV_Target { return tu[i.k.xy] + tua[i.k.xyz] + tms.Load(i.k.xy, i.k.z); }
int4 loads_sint(In i) : SV_Target { return t3[i.k.xyz] - ti[i.k.xy].xxyy; }
uint4 gathers(In i) : SV_Target { return tu.GatherGreen(s, i.uv) + (uint4)ti.GatherRed(s, i.uv, int2(1, 1)); }
uint4 gather_cube(In i) : SV_Target { return tcu.GatherBlue(s, float3(i.uv, 1)); }
float4 normalised(In i) : SV_Target { return tn.Sample(s, i.uv) + tsn.Sample(s, i.uv).xyxy + tn.Load(i.k.xyz); }
float4 stencil_like(In i) : SV_Target { uint v = tu.Load(int3(i.pos.xy, 0)).y; return (v & 0x80) ? 1 : (v >> 4) * 0.0625; }
