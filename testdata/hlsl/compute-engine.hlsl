// Compute programs as an engine has them, each rebuilt from a description of its bindings, group and order of
// operations: GPU particles (arguments, clear, emit, sort), histograms for exposure, skinning for ray tracing.

// ---- Indirect arguments from a signed particle count.
#if SET_DRAW_PARAMETERS || SET_SORT_ARGS
Buffer<int> Counters : register(t0);
RWBuffer<uint> Arguments : register(u0);
[numthreads(1, 1, 1)] void set_draw_parameters() {
	int count = Counters[0]; uint alive = max((uint)(count * 1), 0u);
	Arguments[0] = alive * 6; Arguments[1] = 1; Arguments[2] = 0; Arguments[3] = 0; Arguments[4] = 0;
}
[numthreads(1, 1, 1)] void set_sort_args() {
	uint count = (uint)Counters[0];
	Arguments[0] = (max(count, 1u) + 511) >> 9; Arguments[1] = 1; Arguments[2] = 1; Arguments[3] = count;
}
#endif

// ---- Sorting (index, float key) records.
#if SORT
cbuffer SortStep : register(b3) { uint4 job; };
Buffer<uint> SortParameters : register(t0);
struct Entry { uint index; float key; };
RWStructuredBuffer<Entry> Entries : register(u0);
groupshared Entry Chunk[512];

[numthreads(256, 1, 1)] void sort_step(uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID) {
	uint lane = g.x * 256 + t.x, count = SortParameters[3];
	uint half = job.x, low = lane & (half - 1), at = ((lane - low) << 1) + low;
	uint other = job.y ? at + half : at + ((half << 1) - (low << 1) - 1);
	if (other < count) {
		Entry a = Entries[at], b = Entries[other];
		if (b.key < a.key) { Entries[at] = b; Entries[other] = a; }
	}
}

void load_chunk(uint base, int active, uint i) {
	if ((int)i < active) Chunk[i] = Entries[base + i];
	if ((int)(i + 256) < active) Chunk[i + 256] = Entries[base + i + 256];
}
void store_chunk(uint base, int active, uint i) {
	if ((int)i < active) Entries[base + i] = Chunk[i];
	if ((int)(i + 256) < active) Entries[base + i + 256] = Chunk[i + 256];
}
void exchange(uint lo, uint hi, int active) {
	if ((int)hi < active) { Entry a = Chunk[lo], b = Chunk[hi]; if (b.key < a.key) { Chunk[lo] = b; Chunk[hi] = a; } }
}
// The inner pass also guards its loads by the count as a signed number: records of a count above 2^31 stay undefined.
void load_counted(uint base, int count, int active, uint i) {
	if ((int)(base + i) < count) { if ((int)i < active) Chunk[i] = Entries[base + i]; }
	if ((int)(base + i + 256) < count) { if ((int)(i + 256) < active) Chunk[i + 256] = Entries[base + i + 256]; }
}
[numthreads(256, 1, 1)] void sort_inner(uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) {
	uint base = g.x * 512, count = SortParameters[3]; int active = clamp((int)(count - base), 0, 512);
	load_counted(base, count, active, i);
	GroupMemoryBarrierWithGroupSync();
	[loop] for (int stride = 256; stride > 0; stride >>= 1) {
		uint low = t.x & (stride - 1), at = 2 * (t.x - low) + low;
		exchange(at, at + stride, active);
		GroupMemoryBarrierWithGroupSync();
	}
	store_chunk(base, active, i);
}
[numthreads(256, 1, 1)] void sort(uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) {
	uint count = SortParameters[3];
	if (count == 0) return;
	uint base = g.x * 512; int active = clamp((int)(count - base), 0, 512);
	load_chunk(base, active, i);
	GroupMemoryBarrierWithGroupSync();
	[loop] for (uint width = 2; width <= 512; width <<= 1) {
		[loop] for (uint stride = width >> 1; stride > 0; stride >>= 1) {
			uint low = t.x & (stride - 1), at = 2 * (t.x - low) + low;
			uint other = stride == width >> 1 ? at + 2 * stride - 2 * low - 1 : at + stride;
			exchange(at, other, active);
			GroupMemoryBarrierWithGroupSync();
		}
	}
	store_chunk(base, active, i);
}
#endif

// ---- Exposure histograms: 64 bins a tile, then their sum.
#if HISTOGRAM
cbuffer Exposure : register(b0) { float MinLuminance; float MaxLuminance; float ScreenTilesX; float ScreenTilesY; };
Texture2D<float4> Scene : register(t0);
RWBuffer<uint4> TileBins : register(u0);
groupshared uint Bins[64];
float3 linearise(float3 c) { return c <= 0.04045 ? c / 12.92 : pow(abs((c + 0.055) / 1.055), 2.4); }
[numthreads(16, 16, 1)] void create_histograms(uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint3 d : SV_DispatchThreadID) {
	uint i = t.y * 16 + t.x;
	if (i < 64) Bins[i] = 0;
	GroupMemoryBarrierWithGroupSync();
	uint w, h; Scene.GetDimensions(w, h);
	if (d.x < w && d.y < h) {
		float luminance = dot(linearise(Scene[d.xy].rgb), float3(0.2126, 0.7152, 0.0722));
		float lo = log(MinLuminance), hi = log(MaxLuminance);
		int bin = (int)(saturate((log(luminance) - lo) / (hi - lo)) * 64);
		InterlockedAdd(Bins[min(bin, 63)], 1);
	}
	GroupMemoryBarrierWithGroupSync();
	if (i < 16) TileBins[((g.y * (uint)ScreenTilesX + g.x) << 4) + i] = uint4(Bins[i * 4], Bins[i * 4 + 1], Bins[i * 4 + 2], Bins[i * 4 + 3]);
}
#endif
#if MERGE_HISTOGRAMS
cbuffer Tiles : register(b0) { float TilesX; float TilesY; };
Buffer<uint4> TileBins : register(t0);
RWBuffer<uint> Histogram : register(u0);
groupshared uint Bins[64];
[numthreads(256, 1, 1)] void merge_histograms(uint3 t : SV_GroupThreadID, uint3 d : SV_DispatchThreadID) {
	if (t.x < 64) Bins[t.x] = 0;
	GroupMemoryBarrierWithGroupSync();
	if (d.x < (uint)TilesX * (uint)TilesY) {
		uint at = (d.x << 6) >> 2;
		[loop] for (uint k = 0; k < 16; k++) {
			uint4 v = TileBins[at + k];
			InterlockedAdd(Bins[k * 4], v.x); InterlockedAdd(Bins[k * 4 + 1], v.y); InterlockedAdd(Bins[k * 4 + 2], v.z); InterlockedAdd(Bins[k * 4 + 3], v.w);
		}
	}
	GroupMemoryBarrierWithGroupSync();
	if (t.x < 64) InterlockedAdd(Histogram[t.x], Bins[t.x]);
}
#endif

// ---- Particle clear in two passes, and emission.
#if CLEAR_COUNTER
RWBuffer<int> ParticleCounters : register(u0);
[numthreads(1, 1, 1)] void clear_counter() { ParticleCounters[0] = 0; }
#endif
struct Particle { float4 position_life; float4 velocity_seed; };
#if CLEAR_PARTICLES
cbuffer Clear : register(b3) { uint MaxParticles; };
RWStructuredBuffer<uint> DeadBuffer : register(u0);
RWBuffer<int> ParticleCounters : register(u1);
RWStructuredBuffer<Particle> ParticleBuffer : register(u2);
void retire(uint k) {
	Particle p = (Particle)0; p.position_life.w = -1; ParticleBuffer[k] = p;
	int at; InterlockedAdd(ParticleCounters[0], 1, at); DeadBuffer[(uint)at] = k;
}
[numthreads(16, 16, 1)] void clear_particles(uint i : SV_GroupIndex) {
	uint blocks = MaxParticles >> 8;
	[loop] for (uint b = 0; b < blocks; b++) retire((b << 8) | i);
	if (i == 0) [loop] for (uint k = blocks << 8; k < MaxParticles; k++) retire(k);
}
#endif
#if EMIT
// Seven rows of an emitter, 112 bytes of groupshared memory.
struct Emitter { float4 position_count; float4 velocity_life; float4 step_x; float4 step_y; float4 turn_x; float4 turn_y; float4 floor_most; };
cbuffer Emitters : register(b3) { float4 rows[4096]; };
RWStructuredBuffer<Particle> ParticleBuffer : register(u0);
RWBuffer<int> ParticleCounters : register(u1);
RWStructuredBuffer<uint> DeadBuffer : register(u2);
groupshared Emitter Current;
[numthreads(16, 16, 1)] void emit(uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex) {
	if (i == 0) {
		uint at = g.x * 7;
		Current.position_count = rows[at]; Current.velocity_life = rows[at + 1]; Current.step_x = rows[at + 2]; Current.step_y = rows[at + 3];
		Current.turn_x = rows[at + 4]; Current.turn_y = rows[at + 5]; Current.floor_most = rows[at + 6];
	}
	GroupMemoryBarrierWithGroupSync();
	if (i < (uint)min(Current.position_count.w, Current.floor_most.w)) {
		int old; InterlockedAdd(ParticleCounters[0], -1, old);
		if (old - 1 >= 0) {
			uint slot = DeadBuffer[old - 1]; Particle p; float2 xy = t.xy;
			float4 where = float4(Current.position_count.xyz, Current.velocity_life.w) + Current.step_x * xy.x + Current.step_y * xy.y;
			p.position_life = float4(max(where.xyz, Current.floor_most.xyz), where.w);
			p.velocity_seed.xyz = Current.velocity_life.xyz + Current.turn_x.xyz * xy.x + Current.turn_y.xyz * xy.y;
			p.velocity_seed.w = asfloat((slot ^ asuint(Current.turn_x.w)) * 2654435761u + asuint(Current.turn_y.w)); ParticleBuffer[slot] = p;
		}
	}
}
#endif

// ---- Skinned positions for acceleration structures: 48-byte bone rows, packed indices and weights.
#if SKIN
cbuffer Skin : register(b3) { uint4 layout_; uint4 offsets; uint4 counts; };
struct Bone { float4 r0; float4 r1; float4 r2; };
StructuredBuffer<Bone> Bones : register(t0);
StructuredBuffer<uint> Vertices : register(t1);
RWStructuredBuffer<float> Positions : register(u0);
[numthreads(64, 1, 1)] void skin_vertices(uint3 d : SV_DispatchThreadID) {
	if (d.x < counts.x) {
		uint at = d.x * layout_.x; float3 p = float3(asfloat(Vertices[at + offsets.x]), asfloat(Vertices[at + offsets.x + 1]), asfloat(Vertices[at + offsets.x + 2])), r = p;
		if (counts.y != 0) {
			uint idx = Vertices[at + offsets.y], wgt = Vertices[at + offsets.z]; r = 0;
			[unroll] for (uint k = 0; k < 4; k++) { Bone b = Bones[(idx >> (8 * k)) & 255]; float4 q = float4(p, 1); r += float3(dot(b.r0, q), dot(b.r1, q), dot(b.r2, q)) * (((wgt >> (8 * k)) & 255) * (1.0 / 255)); }
		}
		uint to = d.x * 3; Positions[to] = r.x; Positions[to + 1] = r.y; Positions[to + 2] = r.z;
	}
}
#endif

// ---- Never ends unless a sentinel is met: stays refused.
#if CRASH
RWStructuredBuffer<uint> Memory : register(u0);
[numthreads(64, 1, 1)] void crash() { uint k = 0; [allow_uav_condition] [loop] while (Memory[k] != 0xdeadbeef) { Memory[k] = k; k++; } }
#endif
