// Compute programs that choose words within records by index, atomics of both signs on one word, images that are
// read and written, and loops that a word of the group ends.
cbuffer Params : register(b0) { uint4 n; float4 table[6]; };
struct Cell { uint count; float v[5]; uint2 pair[2]; };
StructuredBuffer<Cell> cells : register(t0);
StructuredBuffer<uint> words : register(t1);
RWStructuredBuffer<Cell> out_cells : register(u0);
RWStructuredBuffer<uint> out_words : register(u1);
RWByteAddressBuffer out_bytes : register(u2);
RWTexture3D<uint> solid : register(u3);
RWTexture2DArray<int> sheets : register(u4);
RWTexture1D<float> strip : register(u5);
ConsumeStructuredBuffer<Cell> taken : register(u6);
AppendStructuredBuffer<Cell> given : register(u7);
struct Bin { uint a[6]; float b[2]; };
groupshared Bin bins[16];
groupshared uint grid[4][4][4];
groupshared uint head;

[numthreads(64, 1, 1)] void record_arrays(uint3 d : SV_DispatchThreadID) {
	uint k = cells[d.x].count % 5; out_cells[d.x].v[k] = cells[d.x + n.x].v[(k + d.x) % 5] * 2;
	out_cells[d.x].pair[d.x & 1].y = cells[d.x].pair[(d.x >> 1) & 1].x; out_cells[d.x].count += k;
}
[numthreads(64, 1, 1)] void shared_arrays(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	if (i < 16) { [loop] for (uint k = 0; k < 6; k++) bins[i].a[k] = 0; bins[i].b[0] = i; bins[i].b[1] = i * -0.5; } GroupMemoryBarrierWithGroupSync();
	uint w = words[d.x]; InterlockedAdd(bins[w & 15].a[(w >> 4) % 5], 1 + (w >> 28)); InterlockedMax(bins[(w >> 8) & 15].a[5], w); GroupMemoryBarrierWithGroupSync();
	uint at = d.x * 2; out_words[at] = bins[i & 15].a[(i / 16 + n.x) % 6]; out_words[at + 1] = asuint(bins[i & 15].b[i >> 5] * 4);
}
[numthreads(64, 1, 1)] void raw_atomics(uint3 d : SV_DispatchThreadID) {
	uint x = words[d.x]; out_bytes.InterlockedAnd(n.x, x | 0xff); out_bytes.InterlockedOr(n.x + 4, x & 0xf0f0); out_bytes.InterlockedXor(n.x + 8, x);
	out_bytes.InterlockedMax(n.x + 12, x); out_bytes.InterlockedMin(n.x + 16, x); out_bytes.InterlockedMax(n.x + 20, (int)x); out_bytes.InterlockedMin(n.x + 24, (int)x);
	uint at = 64 + d.x * 8, o, p, q; int r; out_bytes.InterlockedMax(at, (int)x, r); out_bytes.InterlockedMin(at, x ^ 0x80000000, o);
	out_bytes.InterlockedCompareStore(at + 4, d.x, x); out_bytes.InterlockedCompareExchange(at + 4, x, o, p); out_bytes.InterlockedExchange(at + 4, p + 1, q);
	out_words[d.x] = (uint)r ^ (o * 3) ^ (p * 5) ^ (q * 7);
}
[numthreads(4, 4, 4)] void image_kinds(uint3 d : SV_DispatchThreadID) {
	solid[d] = solid[d] * 3 + d.x; sheets[d] = -sheets[d] - (int)d.y; uint at = d.x + d.y * n.x + d.z * n.y; strip[at] = strip[at] * 0.5 + d.z;
}
[numthreads(64, 1, 1)] void worklist(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	if (i == 0) head = g.x * n.x; uint sum = 0, end = min(g.x * n.x + n.x, n.y);
	[loop] while (true) { GroupMemoryBarrierWithGroupSync(); uint h = head; GroupMemoryBarrierWithGroupSync(); if (h >= end) break; sum += words[h + i]; if (i == 0) head = h + 64; }
	out_words[d.x] = sum;
}
[numthreads(4, 4, 4)] void grid_sum(uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) {
	uint at = g.x * 64 + i; grid[t.z][t.y][t.x] = words[at]; GroupMemoryBarrierWithGroupSync();
	out_words[at] = grid[t.z][t.y][(t.x + 1) & 3] + grid[t.z][(t.y + 3) & 3][t.x] * 3 + grid[(t.z + n.x) & 3][t.x][t.y] * 5;
}
[numthreads(64, 1, 1)] void tables(uint3 d : SV_DispatchThreadID) {
	uint a[8]; [unroll] for (uint k = 0; k < 8; k++) a[k] = words[d.x + k]; [loop] for (uint j = 0; j < n.x; j++) a[(j * 3) & 7] += a[j & 7] ^ j;
	out_words[d.x * 2] = a[words[d.x] & 7]; out_words[d.x * 2 + 1] = asuint(table[words[d.x] % n.y][d.x & 3]);
}
[numthreads(64, 1, 1)] void pass_on(uint3 d : SV_DispatchThreadID) {
	if (d.x >= n.x) return; Cell c = taken.Consume(); c.v[2] += 1; c.pair[1] = c.pair[0].yx; given.Append(c);
}
[numthreads(64, 1, 1)] void stop_early(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
	uint todo = words[g.x]; if (todo == 0) return; if (i == 0) head = 0; GroupMemoryBarrierWithGroupSync();
	[loop] for (uint r = 0; r < todo; r++) { if ((i & r) == 0) InterlockedAdd(head, r + i); GroupMemoryBarrierWithGroupSync(); if (head > n.x) break; GroupMemoryBarrierWithGroupSync(); }
	out_words[d.x] = head;
}
