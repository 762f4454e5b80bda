// The pixel stage's interface: interpolation, system values, packing, outputs.
cbuffer Params : register(b0) { float4 tint; };
float4 interpolation(float4 pos : SV_Position, linear float4 a : A, centroid float4 b : B, nointerpolation float4 c : C, noperspective float4 d : D, noperspective centroid float4 e : E, sample float4 f : F, noperspective sample float2 g : G) : SV_Target { return a + b + c + d + e + f + g.xyxy; }
float4 packed(float4 pos : SV_Position, float2 a : A, float2 b : B, float c : C, float3 d : D, nointerpolation uint e : E, nointerpolation int2 f : F) : SV_Target { return float4(a, b) + float4(d, c) + float4(e, f, 0); }
float4 packed_mixed(float4 pos : SV_Position, noperspective float2 a : A, float2 b : B, nointerpolation uint2 c : C, nointerpolation float d : D) : SV_Target { return float4(a, b) + float4(c, d, 0); }
float4 partly_used(float4 pos : SV_Position, float4 a : A, float4 unused : U, float4 b : B) : SV_Target { return float4(a.xw, b.yz); }
float4 position(float4 pos : SV_Position) : SV_Target { return float4(pos.xy * tint.xy, pos.z, 1 / pos.w); }
float4 front_face(float4 pos : SV_Position, float3 n : NORMAL, bool front : SV_IsFrontFace) : SV_Target { return float4(front ? n : -n, front); }
float4 primitive_id(float4 pos : SV_Position, uint id : SV_PrimitiveID) : SV_Target { return float4(id & 255, (id >> 8) & 255, id >> 16, 1) / 255; }
float4 sample_index(float4 pos : SV_Position, uint id : SV_SampleIndex) : SV_Target { return id * tint; }
float4 coverage_in(float4 pos : SV_Position, uint mask : SV_Coverage) : SV_Target { return countbits(mask) * 0.25; }
void coverage_out(float4 pos : SV_Position, float2 uv : TEXCOORD, out float4 c : SV_Target, out uint mask : SV_Coverage) { c = tint; mask = uv.x > 0.5 ? 0xf : 0x5; }
void coverage_both(float4 pos : SV_Position, uint m : SV_Coverage, out float4 c : SV_Target, out uint mask : SV_Coverage) { c = m; mask = m & 3; }
void depth_out(float4 pos : SV_Position, out float4 c : SV_Target, out float d : SV_Depth) { c = tint; d = pos.z * 0.5; }
void depth_greater(linear noperspective centroid float4 pos : SV_Position, out float4 c : SV_Target, out float d : SV_DepthGreaterEqual) { c = tint; d = pos.z + 0.1; }
void depth_less(linear noperspective sample float4 pos : SV_Position, out float4 c : SV_Target, out float d : SV_DepthLessEqual) { c = tint; d = pos.z - 0.1; }
float depth_only(float4 pos : SV_Position, float z : Z) : SV_Depth { return z * z; }
struct Targets { float4 a : SV_Target0; float2 b : SV_Target1; uint4 c : SV_Target3; int d : SV_Target4; };
Targets targets(float4 pos : SV_Position, float4 x : X, nointerpolation uint4 k : K) { Targets o; o.a = x; o.b = x.zw; o.c = k; o.d = -(int)k.x; return o; }
struct Partial { float4 a : SV_Target0; float4 b : SV_Target2; };
Partial targets_partial(float4 pos : SV_Position, float4 x : X) { Partial o; o.a = 0; o.b = 1; [branch] if (x.x > 0) { o.a.xy = x.zw; o.b.w = x.y; } else o.a.z = 3; return o; }
Partial targets_early_return(float4 pos : SV_Position, float4 x : X) { Partial o; o.a = x; o.b = x.wzyx; if (x.x < 0) return o; o.a = tint; if (x.y < 0) { o.b = tint; return o; } o.b *= 2; return o; }
struct Dual { float4 a : SV_Target0; float4 b : SV_Target1; };
Dual dual_source(float4 pos : SV_Position, float4 x : X) { Dual o; o.a = x; o.b = x.aaaa; return o; }
float4 clip_distances(float4 pos : SV_Position, float4 d : SV_ClipDistance0, float2 e : SV_CullDistance) : SV_Target { return d + e.xyxy; }
float4 layer_viewport(float4 pos : SV_Position, uint layer : SV_RenderTargetArrayIndex, uint vp : SV_ViewportArrayIndex) : SV_Target { return float4(layer, vp, 0, 1); }
float4 attribute_at(float4 pos : SV_Position, float4 a : A) : SV_Target { return EvaluateAttributeSnapped(a, int2(3, -2)) + EvaluateAttributeCentroid(a) + EvaluateAttributeAtSample(a, 1); }
float4 nothing_read() : SV_Target { return tint; }
float4 scalar_target(float4 pos : SV_Position, float a : A) : SV_Target { return a; }
float single(float4 pos : SV_Position, float a : A) : SV_Target { return a * tint.y; }
