// Subroutines: cases of a switch marked [call] become call/label, interfaces become fcall.
cbuffer Params : register(b0) { float4 tint; int4 n; };
struct In { float4 pos : SV_Position; float2 uv : TEXCOORD0; nointerpolation int4 k : INDICES; };

float4 call_switch(In i) : SV_Target {
	float4 r = tint;
	[call] switch (i.k.x) {
	case 0: r = sin(tint * i.uv.x); break;
	case 1: { r.x = 0; [loop] for (int a = 0; a < n.x; a++) r.x += a * i.uv.y; break; }
	case 2: r = r.wzyx; if (i.uv.x > 0.5) r.x = 9; break;
	default: r = 0.5; break;
	}
	return r * 2;
}
float4 call_nested(In i) : SV_Target {
	float4 r = tint;
	[call] switch (i.k.x) {
	case 0: { [call] switch (i.k.y) { case 0: r.x = cos(i.uv.x); break; case 1: r.y = exp(i.uv.y); break; } r.z += 1; break; }
	case 1: r = log2(abs(r)); break;
	}
	return r;
}

interface ILight { float3 shade(float3 n); float weight(); };
class Ambient : ILight {
	float3 color;
	float3 shade(float3 n) { return color; }
	float weight() { return 0.25; }
};
class Directional : ILight {
	float3 color;
	float3 dir;
	float3 shade(float3 n) { return color * saturate(dot(n, dir)); }
	float weight() { return length(dir); }
};
class Hemisphere : ILight {
	float3 up;
	float3 down;
	float3 shade(float3 n) { return lerp(down, up, n.y * 0.5 + 0.5); }
	float weight() { return 1; }
};
cbuffer Lights : register(b1) { Ambient ambient; Directional directional; Hemisphere hemisphere; };
ILight key;
ILight fill[2];

float4 interfaces(float4 pos : SV_Position, float3 normal : NORMAL) : SV_Target {
	float3 nn = normalize(normal);
	float3 c = key.shade(nn) * key.weight();
	c += fill[0].shade(-nn);
	c += fill[1].shade(nn.zyx) * fill[1].weight();
	return float4(c, 1);
}
float4 interface_indexed(float4 pos : SV_Position, float3 normal : NORMAL, nointerpolation uint which : WHICH) : SV_Target {
	float3 c = 0;
	[branch] if (which < 2) c = fill[which].shade(normal);
	return float4(c, key.weight());
}
interface IWave { float at(float x); };
class Sine : IWave { float f; float at(float x) { return sin(x * f); } };
class Saw : IWave { float f; float at(float x) { return frac(x * f); } };
cbuffer Waves : register(b2) { Sine sine; Saw saw; };
IWave wave;
RWStructuredBuffer<float> outputs : register(u0);
[numthreads(64, 1, 1)]
void interface_cs(uint3 id : SV_DispatchThreadID) { outputs[id.x] = wave.at(id.x * 0.125); }
