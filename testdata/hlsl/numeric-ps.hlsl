// Arithmetic: every float and integer instruction, conversions, masks and modifiers.
cbuffer Params : register(b0) { float4 a; float4 b; int4 i; uint4 u; };
struct In { float4 pos : SV_Position; float4 x : TEXCOORD0; nointerpolation int4 k : INDICES; nointerpolation uint4 m : MASKS; };

float4 arith(In p) : SV_Target { return p.x * a + b - p.x / a + rcp(b.x) * mad(p.x, a, b) + fmod(p.x, b); }
float4 dots(In p) : SV_Target { return float4(dot(p.x.xy, a.xy), dot(p.x.xyz, a.xyz), dot(p.x, a), dot(p.x.xyz, p.x.xyz)); }
float4 min_max(In p) : SV_Target { return min(p.x, a) + max(p.x, b) + clamp(p.x, a, b) + saturate(p.x * 3) + step(a, p.x) + smoothstep(a.x, b.x, p.x); }
float4 trans(In p) : SV_Target { return exp(p.x) + log(p.x) + exp2(a) + log2(b) + pow(abs(p.x), a) + sqrt(p.x) + rsqrt(b); }
float4 trig(In p) : SV_Target { float s, c; sincos(p.x.x, s, c); return float4(s, c, sin(p.x.y), cos(p.x.z)) + tan(a) + asin(b.x) + acos(b.y) + atan(p.x) + atan2(p.x, a) + sinh(a) + cosh(a) + tanh(b); }
float4 rounding(In p) : SV_Target { return round(p.x) + floor(a * p.x) + ceil(b * p.x) + trunc(p.x.wzyx) + frac(p.x) + sign(p.x); }
float4 modifiers(In p) : SV_Target { return -p.x + abs(a) - abs(b * p.x) * -abs(p.x.yxwz) + saturate(-a) + abs(-p.x.x); }
float4 compare(In p) : SV_Target { return float4(p.x.x < a.x, p.x.y >= a.y, p.x.z == a.z, p.x.w != a.w) + (p.x > b ? a : b) + (any(p.x.xy) ? 1 : 2) + (all(p.x) ? 3 : 4); }
float4 nan_tests(In p) : SV_Target { return float4(isnan(p.x.x), isinf(p.x.y), isfinite(p.x.z), p.x.w != p.x.w) + (isnan(a.x) ? b : p.x); }
float4 int_arith(In p) : SV_Target { int4 r = p.k * i + (p.k - i.wzyx); r += -p.k; r = max(r, i) - min(r, p.k) + abs(p.k); return r + sign(i); }
float4 int_divide(In p) : SV_Target { int4 q = p.k / i; int4 r = p.k % i; return q + r * 2; }
float4 uint_divide(In p) : SV_Target { uint4 q = p.m / u; uint4 r = p.m % u.wzyx; return q + r * 2 + p.m / 10 + p.m % 7; }
float4 int_compare(In p) : SV_Target { return float4(p.k.x < i.x, p.k.y >= i.y, p.k.z == i.z, p.k.w != i.w) + float4(p.m.x < u.x, p.m.y >= u.y, p.m.z <= u.z, p.m.w > u.w) + max(p.m, u) + min(p.m, u); }
float4 bits(In p) : SV_Target { uint4 r = (p.m & u) | (p.m ^ 0x55aa55aau); r = ~r; return r; }
float4 shifts(In p) : SV_Target { return (p.m << u) + (p.m >> u.wzyx) + (uint4)(p.k >> i) + (p.m << 3) + (p.m >> 31) + (uint4)(p.k >> 5); }
float4 bit_counts(In p) : SV_Target { return countbits(p.m) + firstbithigh(p.m) + firstbitlow(p.m) + reversebits(p.m) + (uint4)firstbithigh(p.k); }
float4 bitfields(In p) : SV_Target {
	uint4 e = (p.m >> 4) & 0xff; int4 s = (p.k << 8) >> 20; uint4 ins = (p.m & ~0xff0u) | ((u << 4) & 0xff0u);
	uint4 d = (p.m >> u) & ((1u << (u.x & 31)) - 1);
	return e + s + ins + d;
}
float4 wide_multiply(In p) : SV_Target {
	uint3 x = p.m.xyz; uint lo = x.x * x.y; 
	uint al = x.x & 0xffff, ah = x.x >> 16, bl = x.y & 0xffff, bh = x.y >> 16;
	uint hi = ah * bh + ((ah * bl + ((al * bl) >> 16)) >> 16);
	return float4(lo, hi, mad(x.x, x.y, x.z), mad(p.k.x, p.k.y, p.k.z));
}
float4 carry(In p) : SV_Target { uint s = p.m.x + p.m.y; bool c = s < p.m.x; uint d = p.m.z - p.m.w; bool bo = p.m.z < p.m.w; return float4(s, c, d, bo); }
float4 conversions(In p) : SV_Target { return float4((int)p.x.x, (uint)p.x.y, (float)p.k.x, (float)p.m.y) + float4((bool)p.x.z, (bool)p.k.w, (int)(p.x.w * 16) / 16.0, (uint)(p.k.z) * 0.5); }
float4 reinterpret(In p) : SV_Target { return asfloat(p.m ^ 0x80000000u) + asfloat(asint(p.x) + 1) + asuint(a) + asint(b) + asfloat(p.k); }
float4 halves(In p) : SV_Target { uint4 h = f32tof16(p.x); return f16tof32(h) + f16tof32(p.m) + f16tof32(p.m >> 16) + float4(h); }
float4 absolute_difference(In p) : SV_Target { uint4 acc = msad4(p.m.x, p.m.yz, u); return acc; }
float4 select_bits(In p) : SV_Target { uint4 r = p.x < a ? p.m : asuint(b); bool4 c = p.k > i; r = c ? r : u; return asfloat(r) + (c.x && c.y ? 1 : 0); }
float4 mixed_lanes(In p) : SV_Target { float4 r; r.x = p.x.x; r.y = asfloat(p.m.y); r.z = p.k.z; r.w = asfloat(p.m.w << 2); [branch] if (i.x) r = asfloat(asuint(r) ^ u); return r; }
float4 literals(In p) : SV_Target {
	float4 big = float4(3.402823466e38, -3.402823466e38, 1.17549435e-38, 1e-45);
	float4 r = p.x > big ? 16777217.0 : 0.1;
	uint4 w = p.m == uint4(0xffffffff, 0x7f800000, 0x7fc00000, 0x80000000) ? 0x7f7fffffu : 2147483648u;
	return r + asfloat(w) + asfloat(p.m | 0x7f800000) + (p.k == -2147483648 ? 1.0 / 3.0 : 1e-10);
}
float4 infinities(In p) : SV_Target { float4 r = asfloat(0x7f800000u); r.y = asfloat(0xff800000u); r.z = asfloat(0x7fc00000u); return p.x < r ? p.x : r; }
float4 precise_math(In p) : SV_Target { precise float4 r = p.x * a + b; precise float s = r.x * r.y - r.z; return r + s; }
float4 undefined_lane(In p) : SV_Target { float4 r; [branch] if (p.x.x > 0) { r = a; } else { r.xy = p.x.xy; r.zw = b.zw; } return r; }
float4 matrices(In p) : SV_Target { float4x4 m = float4x4(a, b, p.x, a * b); float3x3 q = (float3x3)m; return mul(m, p.x) + mul(a, m) + determinant(m) + float4(mul(transpose(q), p.x.xyz), 0) + m[1][2]; }
float4 geometry(In p) : SV_Target { float3 v = normalize(p.x.xyz); return float4(reflect(v, a.xyz), length(b.xyz)) + float4(refract(v, a.xyz, 0.7), distance(p.x, b)) + float4(cross(a.xyz, b.xyz), faceforward(v.x, a.x, b.x)) + lit(a.x, b.x, 4); }
float4 bool_vectors(In p) : SV_Target { bool4 c = p.x > 0; bool4 d = p.k > 1; bool4 e = c && d; return e ? p.x : (c || d) ? a : !c ? b : 0; }
float4 loops_of_ints(In p) : SV_Target { uint h = 2166136261u; [loop] for (uint k = 0; k < u.x; k++) { h = (h ^ (p.m.x >> (k * 8) & 0xff)) * 16777619u; } return float4(h & 0xff, (h >> 8) & 0xff, (h >> 16) & 0xff, h >> 24) / 255; }
float4 double_math(In p) : SV_Target {
	double x = p.x.x, y = asdouble(p.m.x, p.m.y); double z = x * y + 0.1; z = z < y ? max(x, z) : min(y, z); uint lo, hi; asuint(z, lo, hi);
	return float4((float)z, lo, hi, x == y) + (z >= 2.0L ? 1 : 0);
}
float4 double_divide(In p) : SV_Target { double2 d = p.x.xy; double2 q = d / 3.0L; q = 1.0L / q + fma(d, q, d); return float4((float2)q, (int)q.x, (uint)q.y); }
float4 min_precision(In p) : SV_Target {
	min16float4 h = (min16float4)p.x * (min16float4)a; min10float t = (min10float)b.x; min16int k = (min16int)p.k.x; min16uint w = (min16uint)p.m.x; min12int s = (min12int)p.k.y;
	h = h * t + (min16float)k; w = w << 2; return h + w + s;
}
