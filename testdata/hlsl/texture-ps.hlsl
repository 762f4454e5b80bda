// Texture access: every dimension with every kind of sampling that it has.
#ifndef T
#define T float4
#endif
cbuffer Params : register(b0) { float4 a; int4 n; };
Texture1D<T> t1 : register(t0);
Texture1DArray<T> t1a : register(t1);
Texture2D<T> t2 : register(t2);
Texture2DArray<T> t2a : register(t3);
Texture3D<T> t3 : register(t4);
TextureCube<T> tc : register(t5);
TextureCubeArray<T> tca : register(t6);
Texture2DMS<T> tms : register(t7);
Texture2DMSArray<T> tmsa : register(t8);
Texture2D<float> depth : register(t9);
Texture2DArray<float> depth_array : register(t10);
TextureCube<float> depth_cube : register(t11);
TextureCubeArray<float> depth_cube_array : register(t12);
Texture1D<float> depth1 : register(t13);
Texture1DArray<float> depth1_array : register(t14);
SamplerState s : register(s0);
SamplerComparisonState sc : register(s1);
SamplerState s2 : register(s2);
struct In { float4 pos : SV_Position; float4 uv : TEXCOORD0; nointerpolation int4 k : INDICES; };

float4 sample_1d(In i) : SV_Target { return t1.Sample(s, i.uv.x) + t1.SampleLevel(s, i.uv.y, a.x) + t1.SampleBias(s, i.uv.x, a.y) + t1.SampleGrad(s, i.uv.x, a.z, a.w) + t1.Sample(s, i.uv.x, 3); }
float4 sample_1d_array(In i) : SV_Target { return t1a.Sample(s, i.uv.xy) + t1a.SampleLevel(s, i.uv.xy, a.x) + t1a.SampleBias(s, i.uv.xy, a.y) + t1a.SampleGrad(s, i.uv.xy, a.z, a.w) + t1a.SampleLevel(s, i.uv.xy, 0, -8); }
float4 sample_2d(In i) : SV_Target { return t2.Sample(s, i.uv.xy) + t2.SampleLevel(s, i.uv.zw, a.x) + t2.SampleBias(s, i.uv.xy, a.y) + t2.SampleGrad(s, i.uv.xy, a.xy, a.zw); }
float4 sample_2d_offset(In i) : SV_Target { return t2.Sample(s, i.uv.xy, int2(-8, 7)) + t2.SampleLevel(s, i.uv.xy, 0, int2(1, -1)) + t2.SampleBias(s, i.uv.xy, 1, int2(0, 2)) + t2.SampleGrad(s, i.uv.xy, a.xy, a.zw, int2(3, 0)); }
float4 sample_2d_array(In i) : SV_Target { return t2a.Sample(s, i.uv.xyz) + t2a.SampleLevel(s, i.uv.xyz, a.x) + t2a.SampleBias(s, i.uv.xyw, a.y) + t2a.SampleGrad(s, i.uv.xyz, a.xy, a.zw) + t2a.Sample(s, i.uv.xyz, int2(2, -3)); }
float4 sample_3d(In i) : SV_Target { return t3.Sample(s, i.uv.xyz) + t3.SampleLevel(s, i.uv.xyz, a.x) + t3.SampleBias(s, i.uv.xyw, a.y) + t3.SampleGrad(s, i.uv.xyz, a.xyz, a.yzw) + t3.SampleLevel(s, i.uv.xyz, 0, int3(1, -2, 3)); }
float4 sample_cube(In i) : SV_Target { return tc.Sample(s, i.uv.xyz) + tc.SampleLevel(s, i.uv.xyz, a.x) + tc.SampleBias(s, i.uv.yzw, a.y) + tc.SampleGrad(s, i.uv.xyz, a.xyz, a.yzw); }
float4 sample_cube_array(In i) : SV_Target { return tca.Sample(s, i.uv) + tca.SampleLevel(s, i.uv, a.x) + tca.SampleBias(s, i.uv, a.y) + tca.SampleGrad(s, i.uv, a.xyz, a.yzw); }
float4 sample_swizzled(In i) : SV_Target { float4 r = t2.Sample(s, i.uv.yx).wzyx; r.y = t2.Sample(s2, i.uv.xy).x; r.zw = t3.Sample(s, i.uv.zyx).yw; return r; }
float4 compare_2d(In i) : SV_Target { return depth.SampleCmp(sc, i.uv.xy, i.uv.z) + depth.SampleCmpLevelZero(sc, i.uv.xy, a.x) + depth.SampleCmpLevelZero(sc, i.uv.xy, a.x, int2(1, 1)) + depth.SampleCmp(sc, i.uv.xy, i.uv.z, int2(-1, 0)); }
float4 compare_array(In i) : SV_Target { return depth_array.SampleCmp(sc, i.uv.xyz, i.uv.w) + depth_array.SampleCmpLevelZero(sc, i.uv.xyz, a.x); }
float4 compare_cube(In i) : SV_Target { return depth_cube.SampleCmp(sc, i.uv.xyz, i.uv.w) + depth_cube.SampleCmpLevelZero(sc, i.uv.xyz, a.x); }
float4 compare_cube_array(In i) : SV_Target { return depth_cube_array.SampleCmp(sc, i.uv, a.y) + depth_cube_array.SampleCmpLevelZero(sc, i.uv, a.x); }
float4 compare_1d(In i) : SV_Target { return depth1.SampleCmp(sc, i.uv.x, i.uv.w) + depth1.SampleCmpLevelZero(sc, i.uv.x, a.x) + depth1_array.SampleCmpLevelZero(sc, i.uv.xy, a.x); }
float4 compare_and_sample(In i) : SV_Target { return depth.SampleCmpLevelZero(sc, i.uv.xy, a.x) + depth.SampleLevel(s, i.uv.xy, 0) + depth.Load(i.k.xyz); }
float4 pcf(In i) : SV_Target { float r = 0; [unroll] for (int y = -1; y <= 1; y++) [unroll] for (int x = -1; x <= 1; x++) r += depth.SampleCmpLevelZero(sc, i.uv.xy, i.uv.z, int2(x, y)); return r / 9; }
float4 gather_2d(In i) : SV_Target { return t2.Gather(s, i.uv.xy) + t2.Gather(s, i.uv.xy, int2(1, -2)); }
float4 gather_channels(In i) : SV_Target { return t2.GatherRed(s, i.uv.xy) + t2.GatherGreen(s, i.uv.xy) + t2.GatherBlue(s, i.uv.xy, int2(3, 4)) + t2.GatherAlpha(s, i.uv.xy); }
float4 gather_four_offsets(In i) : SV_Target { return t2.GatherGreen(s, i.uv.xy, int2(-1, 0), int2(1, 0), int2(0, -1), int2(0, 1)); }
float4 gather_programmable(In i) : SV_Target { return t2.Gather(s, i.uv.xy, i.k.xy) + t2.GatherAlpha(s, i.uv.xy, n.xy); }
float4 gather_arrays(In i) : SV_Target { return t2a.Gather(s, i.uv.xyz) + tc.GatherBlue(s, i.uv.xyz) + tca.GatherRed(s, i.uv) + t2a.GatherGreen(s, i.uv.xyz, int2(2, 2)); }
float4 gather_compare(In i) : SV_Target { return depth.GatherCmp(sc, i.uv.xy, i.uv.z) + depth.GatherCmp(sc, i.uv.xy, i.uv.z, int2(1, 2)) + depth_array.GatherCmp(sc, i.uv.xyz, i.uv.w) + depth_cube.GatherCmp(sc, i.uv.xyz, i.uv.w) + depth.GatherCmp(sc, i.uv.xy, a.x, i.k.xy); }
float4 loads(In i) : SV_Target { return t1.Load(i.k.xy) + t1a.Load(i.k.xyz) + t2.Load(i.k.xyz) + t2a.Load(i.k) + t3.Load(i.k); }
float4 loads_offset(In i) : SV_Target { return t1.Load(i.k.xy, 1) + t2.Load(i.k.xyz, int2(-1, 2)) + t2a.Load(i.k, int2(3, -4)) + t3.Load(i.k, int3(1, 2, 3)); }
float4 loads_brackets(In i) : SV_Target { return t2[i.k.xy] + t2.mips[i.k.z][i.k.xy] + t3[i.k.xyz] + t2a[i.k.xyz] + t1[i.k.x]; }
float4 loads_ms(In i) : SV_Target { return tms.Load(i.k.xy, i.k.z) + tms.Load(i.k.xy, 2, int2(1, 0)) + tmsa.Load(i.k.xyz, i.k.w) + tms.sample[1][i.k.xy]; }
float4 dimensions(In i) : SV_Target {
	uint w, h, d, l, e, m; float4 r = 0;
	t1.GetDimensions(i.k.x, w, l); r += float4(w, l, 0, 0);
	t1a.GetDimensions(i.k.x, w, e, l); r += float4(w, e, l, 0);
	t2.GetDimensions(i.k.x, w, h, l); r += float4(w, h, l, 0);
	t2a.GetDimensions(i.k.x, w, h, e, l); r += float4(w, h, e, l);
	t3.GetDimensions(i.k.x, w, h, d, l); r += float4(w, h, d, l);
	tc.GetDimensions(i.k.x, w, h, l); r += float4(w, h, l, 0);
	tca.GetDimensions(i.k.x, w, h, e, l); r += float4(w, h, e, l);
	tms.GetDimensions(w, h, m); r += float4(w, h, m, 0);
	tmsa.GetDimensions(w, h, e, m); r += float4(w, h, e, m);
	return r;
}
float4 dimensions_float(In i) : SV_Target { float w, h, l; t2.GetDimensions(i.k.x, w, h, l); return float4(w, h, 1 / w, 1 / h) + l; }
float4 dimensions_plain(In i) : SV_Target { uint w, h; t2.GetDimensions(w, h); return t2.Load(int3(i.uv.xy * float2(w, h), 0)); }
float4 level_of_detail(In i) : SV_Target { return float4(t2.CalculateLevelOfDetail(s, i.uv.xy), t2.CalculateLevelOfDetailUnclamped(s, i.uv.xy), tc.CalculateLevelOfDetail(s, i.uv.xyz), t3.CalculateLevelOfDetailUnclamped(s, i.uv.xyz)) + t1.CalculateLevelOfDetail(s, i.uv.x) + t2a.CalculateLevelOfDetail(s, i.uv.xy); }
float4 sample_positions(In i) : SV_Target { float2 p = tms.GetSamplePosition(i.k.x) + GetRenderTargetSamplePosition(1); return float4(p, GetRenderTargetSampleCount(), 0); }
float4 derivatives(In i) : SV_Target { return ddx(i.uv) + ddy(i.uv.wzyx) + fwidth(a * i.uv) + ddx_coarse(i.uv.x) + ddy_coarse(i.uv.y) + ddx_fine(i.uv.z) + ddy_fine(i.uv.w); }
float4 sample_in_loop(In i) : SV_Target { float4 r = 0; [loop] for (int k = 0; k < n.x; k++) r += t2.Sample(s, i.uv.xy + k); return r; }
float4 sample_in_varying_branch(In i) : SV_Target { float2 dx = ddx(i.uv.xy), dy = ddy(i.uv.xy); float4 r = 0; [branch] if (i.uv.z > 0) r = t2.SampleGrad(s, i.uv.xy, dx, dy); return r; }
float4 two_samplers(In i) : SV_Target { return t2.Sample(s, i.uv.xy) + t2.Sample(s2, i.uv.xy) + t3.SampleLevel(s2, i.uv.xyz, 0); }
float4 parallax(In i) : SV_Target {
	float2 uv = i.uv.xy; float h = 1; float2 dx = ddx(uv), dy = ddy(uv);
	[loop] for (int k = 0; k < 32; k++) { float d = t2.SampleGrad(s, uv, dx, dy).w; if (d >= h) break; uv += i.uv.zw * 0.03125; h -= 0.03125; }
	return t2.SampleGrad(s, uv, dx, dy);
}
