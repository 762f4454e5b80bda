// Compute programs: identifiers, buffers and images of every kind, atomics, groupshared memory, barriers.
cbuffer Params : register(b0) { uint4 n; float4 a; int4 k; };
struct Record { uint key; float3 value; int2 tail; };
Buffer<uint> typed_uint : register(t0);
Buffer<float4> typed_float : register(t1);
StructuredBuffer<Record> records : register(t2);
ByteAddressBuffer bytes : register(t3);
StructuredBuffer<uint> words : register(t4);
Texture2D<float4> image : register(t5);
Texture3D<float> volume : register(t6);
SamplerState s : register(s0);
RWStructuredBuffer<uint> out_words : register(u0);
RWStructuredBuffer<Record> out_records : register(u1);
RWByteAddressBuffer out_bytes : register(u2);
RWBuffer<uint> out_typed : register(u3);
RWBuffer<int> out_typed_sint : register(u4);
RWBuffer<float4> out_typed_float : register(u5);
RWStructuredBuffer<int> out_ints : register(u6);
groupshared uint shared_words[256];
groupshared Record shared_records[64];
groupshared int shared_ints[32];
groupshared float shared_floats[256];
groupshared uint shared_count;

[numthreads(8, 4, 2)] void ids(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) { uint at = (g.x + g.y * 2 + g.z * 4) * 64 + i; out_words[at] = d.x + d.y * 100 + d.z * 10000 + t.x * 1000000; }
[numthreads(64, 1, 1)] void structured_words(uint3 d : SV_DispatchThreadID) { out_words[d.x] = words[d.x] * 3 + words[d.x + n.x]; }
[numthreads(64, 1, 1)] void structured_records(uint3 d : SV_DispatchThreadID) { Record r = records[d.x + n.x]; r.key += d.x; r.value = r.value.zyx * a.x; r.tail = -r.tail; out_records[d.x] = r; out_records[d.x + n.y].tail.y = 7; }
[numthreads(64, 1, 1)] void structured_read_write(uint3 d : SV_DispatchThreadID) { out_records[d.x].value.y += out_records[d.x + 1].value.x; out_words[out_records[d.x].key] ^= 0xff; }
[numthreads(64, 1, 1)] void raw_access(uint3 d : SV_DispatchThreadID) { uint at = d.x * 16 + n.x; out_bytes.Store(at, bytes.Load(at)); out_bytes.Store2(at + 4, bytes.Load2(at + 4).yx); out_bytes.Store(at + 12, asuint(asfloat(bytes.Load(at + 12)) * 2)); }
[numthreads(64, 1, 1)] void raw_wide(uint3 d : SV_DispatchThreadID) { uint4 v = bytes.Load4(d.x * 16); out_bytes.Store4(d.x * 32, v.wzyx); out_bytes.Store3(d.x * 32 + 16, v.xyz + out_bytes.Load3(d.x * 32 + 20)); }
[numthreads(64, 1, 1)] void typed_buffers(uint3 d : SV_DispatchThreadID) { out_typed[d.x] = typed_uint[d.x] + typed_uint[d.x + n.x]; out_typed_float[d.x] = typed_float[d.x].wzyx * a; out_typed_sint[d.x] = -(int)typed_uint[d.x]; }
[numthreads(64, 1, 1)] void typed_read_write(uint3 d : SV_DispatchThreadID) { out_typed[d.x] = out_typed[d.x + n.x] * 2 + out_typed_sint[d.x]; }
[numthreads(64, 1, 1)] void sizes(uint3 d : SV_DispatchThreadID) { uint c, st, b, t, u, v; records.GetDimensions(c, st); bytes.GetDimensions(b); typed_uint.GetDimensions(t); out_words.GetDimensions(u, v); uint w; out_bytes.GetDimensions(w); out_words[d.x] = c + st * 10 + b * 100 + t * 1000 + u * 10000 + w; }
[numthreads(64, 1, 1)] void atomics_all(uint3 d : SV_DispatchThreadID) {
	InterlockedAdd(out_words[0], d.x); InterlockedAnd(out_words[1], ~(1u << (d.x & 31))); InterlockedOr(out_words[2], 1u << (d.x & 31)); InterlockedXor(out_words[3], d.x);
	InterlockedMax(out_words[4], d.x * 7 % 61); InterlockedMin(out_words[5], d.x * 5 % 59); InterlockedMax(out_ints[0], (int)d.x - 32); InterlockedMin(out_ints[1], 32 - (int)d.x);
}
[numthreads(64, 1, 1)] void atomics_returning(uint3 d : SV_DispatchThreadID) {
	uint o, p, q; InterlockedAdd(out_words[64 + (d.x & 3)], 1, o); InterlockedExchange(out_words[68 + d.x], o + 100, p); InterlockedCompareExchange(out_words[132 + d.x], d.x, p + 5, q); InterlockedCompareStore(out_words[196 + d.x], q, 9);
	out_ints[d.x] = o + p + q; int r; InterlockedMin(out_ints[64 + d.x], -(int)d.x, r); InterlockedMax(out_ints[128 + d.x], r, r); uint t; InterlockedAnd(out_words[0], 0xff, t); InterlockedOr(out_words[1], t, t); InterlockedXor(out_words[2], t, t); InterlockedMax(out_words[3], t, t); InterlockedMin(out_words[4], t, t); out_words[300 + d.x] = t;
}
[numthreads(64, 1, 1)] void atomics_raw(uint3 d : SV_DispatchThreadID) { uint o; out_bytes.InterlockedAdd(d.x % 4 * 4, 3, o); out_bytes.InterlockedOr(16 + n.x, 1u << (d.x & 31)); out_bytes.InterlockedCompareExchange(64 + d.x * 4, 0, o, o); out_bytes.InterlockedExchange(512 + d.x * 4, o, o); }
[numthreads(64, 1, 1)] void atomics_typed(uint3 d : SV_DispatchThreadID) { uint o; int p; InterlockedAdd(out_typed[d.x & 7], 1, o); InterlockedMax(out_typed[8], d.x); InterlockedMin(out_typed_sint[d.x & 3], -(int)d.x, p); InterlockedAdd(out_typed_sint[5], -1, p); out_words[d.x] = o + p; }
[numthreads(64, 1, 1)] void atomics_record(uint3 d : SV_DispatchThreadID) { uint o; InterlockedAdd(out_records[d.x & 3].key, d.x, o); InterlockedMax(out_records[0].tail.y, (int)d.x); out_records[d.x & 3].value.x = o; }
[numthreads(64, 1, 1)] void atomics_float_bits(uint3 d : SV_DispatchThreadID) { float f = a.x * d.x + 0.5; uint o; InterlockedMax(out_words[0], asuint(f), o); out_words[d.x + 1] = asuint(asfloat(o) + f); }
[numthreads(64, 1, 1)] void atomics_mixed_access(uint3 d : SV_DispatchThreadID) { InterlockedAdd(out_words[d.x & 7], 1); DeviceMemoryBarrier(); out_words[8 + d.x] = out_words[d.x & 7]; }
[numthreads(64, 1, 1)] void shared_plain(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { shared_words[i] = words[d.x]; GroupMemoryBarrierWithGroupSync(); out_words[d.x] = shared_words[63 - i] + shared_words[(i + n.x) & 63]; }
[numthreads(64, 1, 1)] void shared_structured(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { Record r; r.key = d.x; r.value = float3(d.x, i, 1) * a.x; r.tail = int2(-(int)i, i * i); shared_records[i] = r; GroupMemoryBarrierWithGroupSync(); shared_records[i].tail.x += shared_records[i].tail.y; Record q = shared_records[(i * 7 + 3) & 63]; GroupMemoryBarrierWithGroupSync(); q.tail.x = shared_records[(i * 7 + 3) & 63].tail.x; out_records[d.x] = q; }
[numthreads(64, 1, 1)] void shared_atomics(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	if (i < 32) { shared_words[i] = 0; shared_ints[i] = 0; } GroupMemoryBarrierWithGroupSync();
	uint o; InterlockedAdd(shared_words[words[d.x] & 31], 1, o); InterlockedMin(shared_ints[i & 31], -(int)i); InterlockedMax(shared_words[31], i); uint q; InterlockedCompareExchange(shared_words[16 + (i & 7)], 0, i + 1, q);
	GroupMemoryBarrierWithGroupSync(); if (i < 32) { out_words[d.x] = shared_words[i]; out_ints[d.x] = shared_ints[i]; } out_words[128 + d.x] = o;
}
[numthreads(64, 1, 1)] void shared_out_of_range(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { shared_words[i] = i + 1; GroupMemoryBarrierWithGroupSync(); out_words[d.x] = shared_words[(i + n.x) % 256] + n.y; }
[numthreads(64, 1, 1)] void barriers(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	out_words[d.x] = i; AllMemoryBarrier(); shared_words[i] = out_words[d.x]; GroupMemoryBarrier(); AllMemoryBarrierWithGroupSync(); uint v = shared_words[i ^ 1]; DeviceMemoryBarrierWithGroupSync(); out_words[d.x] = v; DeviceMemoryBarrier();
}
[numthreads(64, 1, 1)] void barrier_uniform_branch(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint i : SV_GroupIndex) { shared_words[i] = words[d.x]; [branch] if (n.x > g.x) { GroupMemoryBarrierWithGroupSync(); out_words[d.x] = shared_words[i ^ 1]; } else out_words[d.x] = 5; }
[numthreads(64, 1, 1)] void barrier_uniform_loop(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { shared_words[i] = words[d.x]; [loop] for (uint r = 0; r < n.x; r++) { GroupMemoryBarrierWithGroupSync(); uint v = shared_words[(i + 1) & 63]; GroupMemoryBarrierWithGroupSync(); shared_words[i] += v; } out_words[d.x] = shared_words[i]; }
[numthreads(64, 1, 1)] void barrier_shared_condition(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) {
	if (i == 0) shared_count = 0; GroupMemoryBarrierWithGroupSync(); if (words[d.x] & 1) InterlockedAdd(shared_count, 1); GroupMemoryBarrierWithGroupSync();
	uint c = shared_count; [loop] for (uint r = 0; r < c; r++) { shared_words[i] = i + r; GroupMemoryBarrierWithGroupSync(); out_words[d.x] += shared_words[63 - i]; GroupMemoryBarrierWithGroupSync(); }
}
[numthreads(64, 1, 1)] void barrier_in_switch(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { shared_words[i] = i; [branch] switch (n.x) { case 0: GroupMemoryBarrierWithGroupSync(); out_words[d.x] = shared_words[63 - i]; break; case 1: out_words[d.x] = 1; break; default: GroupMemoryBarrierWithGroupSync(); out_words[d.x] = shared_words[i ^ 2] * n.x; break; } }
[numthreads(64, 1, 1)] void early_return(uint3 d : SV_DispatchThreadID) { if (d.x >= n.x) return; uint v = words[d.x]; if (v == 0) return; [loop] for (uint r = 0; r < v; r++) { if (words[r] == d.x) return; out_words[d.x] = r; } }
[numthreads(1, 1, 1)] void single_thread() { uint sum = 0; [loop] for (uint r = 0; r < n.x; r++) sum += words[r]; out_words[0] = sum; }
[numthreads(1024, 1, 1)] void threads_1024(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { shared_floats[i & 255] = i; GroupMemoryBarrierWithGroupSync(); out_words[d.x] = shared_floats[(i * 3) & 255]; }
groupshared float4 shared_large[2048];
[numthreads(256, 1, 1)] void shared_32k(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { [loop] for (uint r = 0; r < 8; r++) shared_large[r * 256 + i] = r * i; GroupMemoryBarrierWithGroupSync(); out_typed_float[d.x] = shared_large[(i * 37) & 2047]; }
globallycoherent RWStructuredBuffer<uint> coherent : register(u7);
[numthreads(64, 1, 1)] void coherent_access(uint3 d : SV_DispatchThreadID) { coherent[d.x] = d.x; DeviceMemoryBarrier(); out_words[d.x] = coherent[d.x ^ 1]; }
AppendStructuredBuffer<uint2> appended : register(u1);
ConsumeStructuredBuffer<uint2> consumed : register(u2);
[numthreads(64, 1, 1)] void append_consume(uint3 d : SV_DispatchThreadID) { if (d.x < n.x) { uint2 v = consumed.Consume(); if (v.x & 1) appended.Append(uint2(v.x * 2, v.y)); } }
RWStructuredBuffer<uint> counted : register(u3);
[numthreads(64, 1, 1)] void counters(uint3 d : SV_DispatchThreadID) { uint at = counted.IncrementCounter(); counted[at] = d.x; if (d.x & 1) out_words[d.x] = 1; }
[numthreads(64, 1, 1)] void counters_down(uint3 d : SV_DispatchThreadID) { uint at = counted.DecrementCounter(); out_words[at] = d.x; }
RWTexture1D<float> img1 : register(u0);
RWTexture1DArray<uint2> img1a : register(u1);
RWTexture2D<float4> img2 : register(u2);
RWTexture2DArray<int4> img2a : register(u3);
RWTexture3D<float> img3 : register(u4);
RWTexture2D<uint> img2u : register(u5);
RWTexture2D<unorm float4> img2n : register(u6);
RWTexture2D<snorm float2> img2s : register(u7);
[numthreads(8, 8, 1)] void images_write(uint3 d : SV_DispatchThreadID) { img1[d.x] = a.x; img1a[d.xy] = d.xy; img2[d.xy] = image[d.xy] * a; img2a[d] = k; img3[d] = volume.SampleLevel(s, d * 0.125, 0); img2u[d.xy] = d.x ^ d.y; img2n[d.xy] = a; img2s[d.xy] = a.xy; }
[numthreads(8, 8, 1)] void images_read(uint3 d : SV_DispatchThreadID) { img2u[d.xy] = img2u[d.yx + n.xy] + 1; img3[d] = img3[d.zyx] * 2; }
[numthreads(8, 8, 1)] void images_atomics(uint3 d : SV_DispatchThreadID) { uint o; InterlockedAdd(img2u[d.xy / 4], 1, o); InterlockedMax(img2u[uint2(0, 0)], o); }
[numthreads(8, 8, 1)] void images_sizes(uint3 d : SV_DispatchThreadID) { uint w, h, e; img2.GetDimensions(w, h); img2a.GetDimensions(w, h, e); img3.GetDimensions(w, h, e); if (all(d.xy < uint2(w, h))) img2[d.xy] = float4(w, h, e, 1); }
[numthreads(4, 4, 4)] void volumes(uint3 d : SV_DispatchThreadID) { float v = 0; [unroll] for (int z = -1; z <= 1; z++) v += volume.Load(int4(d + int3(0, 0, z), 0)); img3[d] = v / 3; }
[numthreads(64, 1, 1)] void integer_math(uint3 d : SV_DispatchThreadID) { uint x = words[d.x], y = words[d.x + 1]; int p = (int)x, q = (int)y; out_words[d.x * 8] = x / y; out_words[d.x * 8 + 1] = x % y; out_ints[d.x * 8] = p / q; out_ints[d.x * 8 + 1] = p % q; out_words[d.x * 8 + 2] = (x << y) ^ (x >> (y + 1)); out_ints[d.x * 8 + 2] = p >> y; out_words[d.x * 8 + 3] = countbits(x) + firstbithigh(y) + firstbitlow(x) + reversebits(y); out_ints[d.x * 8 + 3] = firstbithigh(p) + abs(q) + sign(p); out_words[d.x * 8 + 4] = f32tof16(asfloat(x)); out_words[d.x * 8 + 5] = asuint(f16tof32(x)); }
[numthreads(64, 1, 1)] void float_to_int(uint3 d : SV_DispatchThreadID) { float f = asfloat(words[d.x]); out_ints[d.x] = (int)f; out_words[d.x] = (uint)f; out_words[d.x + 64] = asuint(saturate(f)); out_words[d.x + 128] = asuint(min(f, a.x)) ^ asuint(max(f, a.y)); out_words[d.x + 192] = (f < a.z) + (f >= a.z) * 2 + (f == a.z) * 4 + (f != a.z) * 8; }
[numthreads(32, 1, 1)] void doubles(uint3 d : SV_DispatchThreadID) { double x = asdouble(words[d.x * 4], words[d.x * 4 + 1]), y = asdouble(words[d.x * 4 + 2], words[d.x * 4 + 3]); double z = x * y + x - y; z = z > y ? z : (double)d.x; uint lo, hi; asuint(z, lo, hi); out_words[d.x * 2] = lo; out_words[d.x * 2 + 1] = hi; }
