// Compute on shader model 4: raw or structured buffers, one UAV, groupshared memory written at the own index only.
cbuffer Params : register(b0) { uint4 n; };
StructuredBuffer<float4> input : register(t0);
ByteAddressBuffer bytes : register(t1);
RWStructuredBuffer<float4> output : register(u0);
RWByteAddressBuffer raw_output : register(u0);
struct Cell { float4 v; };
groupshared Cell cells[64];
[numthreads(64, 1, 1)] void copy(uint3 d : SV_DispatchThreadID) { output[d.x] = input[d.x] * 2; }
[numthreads(64, 1, 1)] void neighbours(uint3 d : SV_DispatchThreadID, uint i : SV_GroupIndex) { cells[i].v = input[d.x]; GroupMemoryBarrierWithGroupSync(); output[d.x] = cells[(i + 1) & 63].v + cells[(i + 63) & 63].v; }
[numthreads(32, 2, 1)] void raw_copy(uint3 d : SV_DispatchThreadID, uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID) { uint at = (d.x + d.y * 32) * 4; raw_output.Store(at, bytes.Load(at) + g.x + t.y); }
[numthreads(64, 1, 1)] void loop_sum(uint3 d : SV_DispatchThreadID) { float4 r = 0; [loop] for (uint k = 0; k < n.x; k++) r += input[(d.x + k) % n.y]; output[d.x] = r; }
