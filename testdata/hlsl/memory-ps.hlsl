// Registers with an index: indexable temporaries, immediate constants, constant buffers.
cbuffer Params : register(b0) { float4 tint; int4 n; float4 rows[16]; float3 narrow[4]; float scalars[5]; row_major float3x4 world; column_major float4x4 view; struct { float3 dir; float range; uint4 mask; } lights[6]; };
cbuffer Second : register(b3) { float4 second[4]; };
struct In { float4 pos : SV_Position; float4 x : TEXCOORD0; nointerpolation uint4 k : INDICES; };

float4 cb_dynamic(In i) : SV_Target { return rows[i.k.x] + rows[i.k.y + 1].zyxw + second[i.k.z & 3]; }
float4 cb_scalars(In i) : SV_Target { return float4(narrow[i.k.x], scalars[i.k.y]); }
float4 cb_structs(In i) : SV_Target { float4 r = 0; [loop] for (int k = 0; k < n.x; k++) r += float4(lights[k].dir, lights[k].range) * (lights[k].mask.x & i.k.x); return r; }
float4 cb_matrices(In i) : SV_Target { return float4(mul(world, i.x), 1) + mul(view, i.x); }
float4 temp_array(In i) : SV_Target {
	float4 t[6];
	[unroll] for (int k = 0; k < 6; k++) t[k] = i.x * k;
	t[i.k.x % 6] = tint;
	t[n.x].yz = 3;
	return t[i.k.y % 6] + t[n.y];
}
float4 temp_array_scalar(In i) : SV_Target {
	float s[16];
	[loop] for (int k = 0; k < 16; k++) s[k] = i.x.x * k;
	[loop] for (int j = 1; j < 16; j++) s[j] += s[j - 1];
	return s[i.k.x & 15] + s[n.x];
}
float4 temp_array_widths(In i) : SV_Target {
	float2 a[3]; uint3 b[5];
	[unroll] for (int k = 0; k < 3; k++) a[k] = i.x.xy + k;
	[unroll] for (int j = 0; j < 5; j++) b[j] = i.k.xyz * j;
	a[i.k.x % 3] = 9; b[i.k.y % 5].y ^= 7;
	return float4(a[i.k.z % 3], b[i.k.w % 5].yz);
}
float4 temp_array_mixed(In i) : SV_Target {
	uint w[8];
	[unroll] for (int k = 0; k < 8; k++) w[k] = asuint(i.x[k & 3]) + k;
	w[i.k.x & 7] = asuint(tint.x);
	return asfloat(w[i.k.y & 7]) + (float)w[i.k.z & 7];
}
float4 temp_matrix(In i) : SV_Target { float4x4 m = view; return m[i.k.x & 3] * m[1][i.k.z & 3] + m[i.k.y & 3][i.k.x & 3]; }
static const float4 palette[5] = { float4(1, 0, 0, 1), float4(0, 1, 0, 1), float4(0, 0, 1, 1), float4(0.5, 0.25, 0.125, 1), float4(-1, 1e20, 0, 2) };
static const int weights[7] = { 1, 6, 15, 20, 15, 6, 1 };
float4 icb(In i) : SV_Target { return palette[i.k.x % 5] * weights[i.k.y % 7]; }
float4 icb_loop(In i) : SV_Target { float4 r = 0; [loop] for (int k = 0; k < n.x; k++) r += palette[k % 5] * i.x; return r; }
static const float2 bits[2] = { float2(1e-40, 3.4028234e38), float2(-0.0, 16777216) };
float4 icb_odd_values(In i) : SV_Target { return float4(bits[i.k.x & 1], bits[i.k.y & 1].yx); }
float4 input_indexed(float4 pos : SV_Position, float4 v[4] : TEXCOORD0, nointerpolation uint k : WHICH) : SV_Target { return v[k & 3] * tint; }
struct Many { float4 c[3] : SV_Target; };
Many output_indexed(In i) { Many o; [unroll] for (int k = 0; k < 3; k++) o.c[k] = i.x * k; return o; }
float4 component_indexed(In i) : SV_Target { return float4(i.x[i.k.x & 3], tint[i.k.y & 3], second[i.k.z & 3][i.k.w & 3], rows[n.x][n.y]); }
float4 output_component(In i) : SV_Target { float4 o; [unroll] for (int k = 0; k < 4; k++) o[k] = tint[k] * i.x[3 - k]; return o; }
