// The classics: reduction, scan, sort, histogram, culling, particles, skinning, blur, downsampling.
cbuffer Params : register(b0) { uint4 n; float4 a; };
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> output : register(u0);
groupshared uint lds[256];

[numthreads(128, 1, 1)] void reduce_sum(uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	uint at = g.x * 256 + i; lds[i] = input[at] + input[at + 128]; GroupMemoryBarrierWithGroupSync();
	[unroll] for (uint half = 64; half > 0; half >>= 1) { if (i < half) lds[i] += lds[i + half]; GroupMemoryBarrierWithGroupSync(); }
	if (i == 0) output[g.x] = lds[0];
}
[numthreads(256, 1, 1)] void reduce_max_loop(uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	lds[i] = g.x * 256 + i < n.x ? input[g.x * 256 + i] : 0; GroupMemoryBarrierWithGroupSync();
	[loop] for (uint half = 128; half > 0; half >>= 1) { if (i < half) lds[i] = max(lds[i], lds[i + half]); GroupMemoryBarrierWithGroupSync(); }
	if (i == 0) InterlockedMax(output[0], lds[0]);
}
[numthreads(256, 1, 1)] void scan_inclusive(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	lds[i] = input[d.x]; GroupMemoryBarrierWithGroupSync();
	[loop] for (uint step = 1; step < 256; step <<= 1) { uint v = i >= step ? lds[i - step] : 0; GroupMemoryBarrierWithGroupSync(); lds[i] += v; GroupMemoryBarrierWithGroupSync(); }
	output[d.x] = lds[i];
}
[numthreads(128, 1, 1)] void scan_exclusive_tree(uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	uint base = g.x * 256, step = 1; lds[2 * i] = input[base + 2 * i]; lds[2 * i + 1] = input[base + 2 * i + 1];
	[loop] for (uint d = 128; d > 0; d >>= 1) { GroupMemoryBarrierWithGroupSync(); if (i < d) lds[step * (2 * i + 2) - 1] += lds[step * (2 * i + 1) - 1]; step <<= 1; }
	if (i == 0) lds[255] = 0;
	[loop] for (uint e = 1; e < 256; e <<= 1) { step >>= 1; GroupMemoryBarrierWithGroupSync(); if (i < e) { uint l = step * (2 * i + 1) - 1, r = step * (2 * i + 2) - 1; uint t = lds[l]; lds[l] = lds[r]; lds[r] += t; } }
	GroupMemoryBarrierWithGroupSync(); output[base + 2 * i] = lds[2 * i]; output[base + 2 * i + 1] = lds[2 * i + 1];
}
[numthreads(256, 1, 1)] void bitonic_group(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	lds[i] = d.x < n.x ? input[d.x] : 0xffffffff; GroupMemoryBarrierWithGroupSync();
	[loop] for (uint size = 2; size <= 256; size <<= 1) [loop] for (uint stride = size >> 1; stride > 0; stride >>= 1) {
		uint p = i ^ stride, mine = lds[i], other = lds[p]; GroupMemoryBarrierWithGroupSync();
		bool up = (i & size) == 0, lower = p > i; lds[i] = (lower == up) ? min(mine, other) : max(mine, other); GroupMemoryBarrierWithGroupSync();
	}
	if (d.x < n.x) output[d.x] = lds[i];
}
[numthreads(64, 1, 1)] void bitonic_step(uint3 d : SV_DispatchThreadID) {
	uint i = d.x, p = i ^ n.y; if (p <= i || p >= n.x) return;
	uint x = output[i], y = output[p]; bool up = (i & n.z) == 0; if ((x > y) == up) { output[i] = y; output[p] = x; }
}
[numthreads(256, 1, 1)] void radix_count(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	if (i < 16) lds[i] = 0; GroupMemoryBarrierWithGroupSync(); if (d.x < n.x) InterlockedAdd(lds[(input[d.x] >> n.y) & 15], 1); GroupMemoryBarrierWithGroupSync(); if (i < 16) output[i * n.z + g.x] = lds[i];
}
[numthreads(64, 1, 1)] void histogram_global(uint3 d : SV_DispatchThreadID) { if (d.x < n.x) InterlockedAdd(output[min(input[d.x] / n.y, n.z)], 1); }
Texture2D<float4> source : register(t1);
SamplerState linear_clamp : register(s0);
[numthreads(16, 16, 1)] void histogram_image(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	lds[i] = 0; GroupMemoryBarrierWithGroupSync(); uint w, h; source.GetDimensions(w, h);
	if (d.x < w && d.y < h) { float l = dot(source[d.xy].rgb, float3(0.25, 0.5, 0.25)); InterlockedAdd(lds[(uint)(saturate(l) * 255)], 1); }
	GroupMemoryBarrierWithGroupSync(); if (lds[i]) InterlockedAdd(output[i], lds[i]);
}
// Tile culling: depth bounds, then spheres against the tile, then the list.
struct Sphere { float3 center; float radius; };
StructuredBuffer<Sphere> spheres : register(t2);
Texture2D<float> depth : register(t3);
RWStructuredBuffer<uint> tile_lists : register(u1);
groupshared uint tile_min, tile_max, tile_count;
groupshared uint tile_items[64];
[numthreads(8, 8, 1)] void cull_tiles(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	if (i == 0) { tile_min = 0x7f7fffff; tile_max = 0; tile_count = 0; } GroupMemoryBarrierWithGroupSync();
	uint z = asuint(depth[d.xy]); InterlockedMin(tile_min, z); InterlockedMax(tile_max, z); GroupMemoryBarrierWithGroupSync();
	float near = asfloat(tile_min), far = asfloat(tile_max); float2 lo = g.xy * 8, hi = lo + 8;
	[loop] for (uint k = i; k < n.x; k += 64) {
		Sphere s = spheres[k]; float2 c = clamp(s.center.xy, lo, hi) - s.center.xy; bool in_z = s.center.z + s.radius >= near && s.center.z - s.radius <= far;
		if (in_z && dot(c, c) <= s.radius * s.radius) { uint at; InterlockedAdd(tile_count, 1, at); if (at < 64) tile_items[at] = k; }
	}
	GroupMemoryBarrierWithGroupSync(); uint base = (g.y * n.y + g.x) * 65, count = min(tile_count, 64);
	if (i == 0) tile_lists[base] = count; if (i < count) tile_lists[base + 1 + i] = tile_items[i];
}
// Particles: clear, emit from a dead list, update, indirect arguments.
struct Particle { float3 pos; float life; float3 vel; uint seed; };
RWStructuredBuffer<Particle> particles : register(u2);
RWStructuredBuffer<uint> dead : register(u3);
RWStructuredBuffer<int> dead_count : register(u4);
RWStructuredBuffer<uint2> alive : register(u5);
RWBuffer<uint> arguments : register(u6);
uint scramble(uint x) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }
[numthreads(64, 1, 1)] void particles_clear(uint3 d : SV_DispatchThreadID) { if (d.x >= n.x) return; Particle p = (Particle)0; p.life = -1; p.seed = d.x * 747796405u + 1; particles[d.x] = p; dead[d.x] = d.x; if (d.x == 0) dead_count[0] = n.x; }
[numthreads(64, 1, 1)] void particles_emit(uint3 d : SV_DispatchThreadID) {
	if (d.x >= n.y) return; int old; InterlockedAdd(dead_count[0], -1, old); if (old <= 0) { InterlockedAdd(dead_count[0], 1); return; }
	uint at = dead[old - 1]; Particle p = particles[at]; p.seed = scramble(p.seed); p.pos = float3(p.seed & 255, (p.seed >> 8) & 255, d.x); p.vel = a.xyz; p.life = a.w; particles[at] = p;
}
[numthreads(64, 1, 1)] void particles_update(uint3 d : SV_DispatchThreadID) {
	if (d.x >= n.x) return; Particle p = particles[d.x]; [branch] if (p.life < 0) return; p.life -= a.x; p.vel.y -= a.y; p.pos += p.vel * a.x;
	if (p.life < 0) { int at; InterlockedAdd(dead_count[0], 1, at); dead[at] = d.x; } else { uint k; InterlockedAdd(arguments[1], 1, k); alive[k] = uint2(d.x, asuint(p.pos.z)); } particles[d.x] = p;
}
[numthreads(1, 1, 1)] void particles_arguments() { uint c = arguments[1]; arguments[0] = 4; arguments[2] = 0; arguments[3] = 0; arguments[4] = (c + 63) / 64; arguments[5] = 1; arguments[6] = 1; }
[numthreads(64, 1, 1)] void particles_sort_step(uint3 d : SV_DispatchThreadID) { uint i = 2 * n.y * (d.x / n.y) + d.x % n.y, p = i + n.y; if (p >= n.x) return; uint2 x = alive[i], y = alive[p]; if (asfloat(x.y) < asfloat(y.y)) { alive[i] = y; alive[p] = x; } }
// Skinning of packed vertices.
ByteAddressBuffer vertices : register(t4);
StructuredBuffer<float3x4> bones : register(t5);
RWByteAddressBuffer skinned : register(u7);
[numthreads(64, 1, 1)] void skin(uint3 d : SV_DispatchThreadID) {
	if (d.x >= n.x) return; uint at = d.x * 20; float3 p = asfloat(vertices.Load3(at)); uint idx = vertices.Load(at + 12), wgt = vertices.Load(at + 16); float3 r = 0;
	[unroll] for (uint k = 0; k < 4; k++) r += mul(bones[(idx >> (k * 8)) & 255], float4(p, 1)) * (((wgt >> (k * 8)) & 255) / 255.0);
	skinned.Store3(d.x * 12, asuint(r));
}
// Blur with a halo of four in groupshared memory.
RWTexture2D<float4> target : register(u1);
groupshared float4 row[136];
static const float kernel[9] = { 1 / 256.0, 8 / 256.0, 28 / 256.0, 56 / 256.0, 70 / 256.0, 56 / 256.0, 28 / 256.0, 8 / 256.0, 1 / 256.0 };
[numthreads(128, 1, 1)] void blur_rows(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	int2 size; source.GetDimensions(size.x, size.y); int2 p = int2(d.xy); row[i + 4] = source[clamp(p, 0, size - 1)];
	if (i < 4) row[i] = source[clamp(p - int2(4, 0), 0, size - 1)]; if (i >= 124) row[i + 8] = source[clamp(p + int2(4, 0), 0, size - 1)];
	GroupMemoryBarrierWithGroupSync(); float4 r = 0; [unroll] for (int k = 0; k < 9; k++) r += row[i + k] * kernel[k]; if (all(p < size)) target[p] = r;
}
// Downsampling into three mips at once.
RWTexture2D<float4> mip1 : register(u2);
RWTexture2D<float4> mip2 : register(u3);
RWTexture2D<float4> mip3 : register(u4);
groupshared float4 cells[64];
[numthreads(8, 8, 1)] void downsample(uint3 d : SV_DispatchThreadID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) {
	float2 size; source.GetDimensions(size.x, size.y); float4 v = source.SampleLevel(linear_clamp, (d.xy * 2 + 1) / size, 0); mip1[d.xy] = v; cells[i] = v; GroupMemoryBarrierWithGroupSync();
	if (!((t.x | t.y) & 1)) { v = (v + cells[i + 1] + cells[i + 8] + cells[i + 9]) * 0.25; mip2[d.xy >> 1] = v; cells[i] = v; } GroupMemoryBarrierWithGroupSync();
	if (!((t.x | t.y) & 3)) { v = (v + cells[i + 2] + cells[i + 16] + cells[i + 18]) * 0.25; mip3[d.xy >> 2] = v; }
}
[numthreads(8, 8, 1)] void mandelbrot(uint3 d : SV_DispatchThreadID) { float2 c = a.xy + d.xy * a.zw, z = 0; uint k = 0; [loop] while (k < n.x && dot(z, z) < 4) { z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c; k++; } output[d.y * n.y + d.x] = k; }
[numthreads(16, 16, 1)] void matrix_multiply(uint3 d : SV_DispatchThreadID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) {
	uint sum = 0; [loop] for (uint b = 0; b < n.x; b += 16) { lds[i] = input[d.y * n.x + b + t.x]; GroupMemoryBarrierWithGroupSync(); [loop] for (uint k = 0; k < 16; k++) sum += lds[t.y * 16 + k] * input[(b + k) * n.x + d.x]; GroupMemoryBarrierWithGroupSync(); } output[d.y * n.x + d.x] = sum;
}
[numthreads(64, 1, 1)] void prefix_compact(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	uint keep = input[d.x] & 1; lds[i] = keep; GroupMemoryBarrierWithGroupSync(); [loop] for (uint s = 1; s < 64; s *= 2) { uint v = i >= s ? lds[i - s] : 0; GroupMemoryBarrierWithGroupSync(); lds[i] += v; GroupMemoryBarrierWithGroupSync(); } if (keep) output[lds[i] - 1 + (d.x - i)] = input[d.x];
}
