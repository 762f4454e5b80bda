// Vertex programs: inputs, system values, outputs, buffers.
cbuffer Params : register(b0) { float4x4 wvp; row_major float4x3 world; float4 planes[4]; int4 n; };
cbuffer Bones : register(b1) { float4x3 bones[64]; };
Texture2D height : register(t0);
Buffer<float4> morph : register(t1);
StructuredBuffer<float4x4> instances : register(t2);
ByteAddressBuffer pulled : register(t3);
SamplerState s : register(s0);

float4 transform(float3 p : POSITION) : SV_Position { return mul(float4(p, 1), wvp); }
struct Varyings { float4 pos : SV_Position; float4 color : COLOR; float2 uv : TEXCOORD0; float fog : FOG; nointerpolation uint id : ID; };
Varyings varyings(float3 p : POSITION, float4 c : COLOR, float2 uv : TEXCOORD0, uint v : SV_VertexID) { Varyings o; o.pos = mul(float4(p, 1), wvp); o.color = c; o.uv = uv * 2 - 1; o.fog = saturate(p.z); o.id = v; return o; }
struct Full { float4 pos : SV_Position; noperspective float2 a : A; centroid float3 b : B; nointerpolation int4 c : C; sample float4 d : D; float e[3] : E; };
Full interpolation(float4 p : POSITION, int4 k : INDICES) { Full o; o.pos = p; o.a = p.xy; o.b = p.xyz; o.c = k; o.d = p.wzyx; o.e[0] = p.x; o.e[1] = p.y; o.e[2] = p.z; return o; }
float4 vertex_id(uint v : SV_VertexID) : SV_Position { return float4(float2(v & 1, v >> 1) * 4 - 1, 0, 1); }
void instanced(float3 p : POSITION, uint i : SV_InstanceID, uint v : SV_VertexID, out float4 pos : SV_Position, out float4 c : COLOR) { pos = mul(instances[i], float4(p, 1)); c = float4(v, i, 0, 1); }
void clip_planes(float3 p : POSITION, out float4 pos : SV_Position, out float4 d0 : SV_ClipDistance0, out float2 d1 : SV_ClipDistance1) { float4 w = float4(mul(float4(p, 1), world), 1); pos = mul(w, wvp); d0 = float4(dot(w, planes[0]), dot(w, planes[1]), dot(w, planes[2]), dot(w, planes[3])); d1 = w.xy; }
void cull(float3 p : POSITION, out float4 pos : SV_Position, out float d : SV_CullDistance) { pos = float4(p, 1); d = p.x; }
void layered(float3 p : POSITION, uint i : SV_InstanceID, out float4 pos : SV_Position, out uint layer : SV_RenderTargetArrayIndex, out uint vp : SV_ViewportArrayIndex) { pos = float4(p, 1); layer = i; vp = i & 1; }
void skinned(float3 p : POSITION, float3 nrm : NORMAL, uint4 idx : BLENDINDICES, float4 w : BLENDWEIGHT, out float4 pos : SV_Position, out float3 on : NORMAL) {
	float3 r = 0; on = 0;
	[unroll] for (int k = 0; k < 4; k++) { r += mul(float4(p, 1), bones[idx[k]]) * w[k]; on += mul(nrm, (float3x3)bones[idx[k]]) * w[k]; }
	pos = mul(float4(r, 1), wvp); on = normalize(on);
}
void displaced(float3 p : POSITION, float2 uv : TEXCOORD, out float4 pos : SV_Position, out float2 ouv : TEXCOORD) { p.y += height.SampleLevel(s, uv, 0).x + height.Load(int3(uv, 0)).y; pos = mul(float4(p, 1), wvp); ouv = uv; }
void morphed(uint v : SV_VertexID, float3 p : POSITION, out float4 pos : SV_Position) { float4 m = 0; [loop] for (int k = 0; k < n.x; k++) m += morph[v * n.y + k]; pos = float4(p, 1) + m; }
void pulled_vertices(uint v : SV_VertexID, out float4 pos : SV_Position, out float4 c : COLOR) { uint at = v * 20; pos = float4(asfloat(pulled.Load3(at)), 1); uint w = pulled.Load(at + 12); c = float4(w & 255, (w >> 8) & 255, (w >> 16) & 255, w >> 24) / 255; }
void integer_attributes(int4 a : A, uint2 b : B, min16float4 h : H, out float4 pos : SV_Position, out nointerpolation int4 oa : A, out nointerpolation uint2 ob : B) { pos = h; oa = a * 2; ob = b ^ 5; }
void branchy(float3 p : POSITION, uint v : SV_VertexID, out float4 pos : SV_Position, out float4 c : COLOR) {
	[branch] if (n.x == 1) { pos = float4(p, 1); c = 0; return; }
	[branch] if (v & 1) { pos = mul(float4(p, 1), wvp); c = 1; } else { pos = 0; c = float4(p, v); }
}
void no_position(float3 p : POSITION, out float3 o : DATA) { o = p * 2; }
void unused_inputs(float3 p : POSITION, float2 unused : TEXCOORD0, float4 tangent : TANGENT, out float4 pos : SV_Position, out float t : T) { pos = float4(p, 1); t = tangent.w; }
void packed_outputs(float4 p : POSITION, out float a : A, out float2 b : B, out float4 pos : SV_Position, out float c : C, out nointerpolation uint d : D, out nointerpolation uint2 e : E) { a = p.x; b = p.yz; pos = p; c = p.w; d = asuint(p.x); e = asuint(p.yz); }
void partial_outputs(float4 p : POSITION, out float4 pos : SV_Position, out float4 c : COLOR) { pos = p; c.xyz = p.xyz; c.w = 0; [branch] if (p.x > 0) { c.y = 2; c.w = p.w; } }
void output_indexed(float4 p : POSITION, uint v : SV_VertexID, out float4 pos : SV_Position, out float4 c[3] : COLOR) { pos = p; c[0] = 0; c[1] = 0; c[2] = 0; [loop] for (uint k = 0; k < 3; k++) c[k] = p * k; }
