// One pass of testdata/effects/story.sm_hi in its variants: SAMPLES is the quality, and
// DOUBLES brings in arithmetic that WGSL does not have.
Texture2D Source : register(t0);
SamplerState Linear : register(s0);

cbuffer Frame : register(b0)
{
    float2 Step;
    float Weight;
};

float4 blur(float2 at : TEXCOORD0) : SV_Target
{
    float4 sum = 0;
#ifdef DOUBLES
    double total = 0;
#else
    float total = 0;
#endif
    [unroll] for (int i = 0; i < SAMPLES; i++)
    {
        float4 texel = Source.SampleLevel(Linear, at + Step * i, 0);
        sum += texel * Weight;
        total += texel.w;
    }
    return sum / max((float)total, 1e-5);
}
