// Stages that WebGPU lacks: they are read, shown and refused by name.
cbuffer Params : register(b0) { float4x4 wvp; float tess; };
struct V { float4 pos : SV_Position; float2 uv : TEXCOORD; };
[maxvertexcount(4)] void geometry(point V i[1], inout TriangleStream<V> o) { V v = i[0]; [unroll] for (int k = 0; k < 4; k++) { v.pos = i[0].pos + float4(k & 1, k >> 1, 0, 0); v.uv = float2(k & 1, k >> 1); o.Append(v); } o.RestartStrip(); }
struct P { float3 pos : POSITION; };
struct Factors { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
Factors constants(InputPatch<P, 3> p, uint id : SV_PrimitiveID) { Factors f; f.e[0] = tess; f.e[1] = tess; f.e[2] = p[0].pos.x; f.i = tess; return f; }
[domain("tri")] [partitioning("fractional_odd")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hull(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { P o; o.pos = p[i].pos; return o; }
[domain("tri")] float4 domain_stage(Factors f, float3 b : SV_DomainLocation, const OutputPatch<P, 3> p) : SV_Position { return mul(float4(p[0].pos * b.x + p[1].pos * b.y + p[2].pos * b.z, 1), wvp); }
