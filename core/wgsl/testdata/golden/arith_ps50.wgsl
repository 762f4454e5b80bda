@group(0) @binding(0) var<uniform> K: array<vec4<f32>, 4>;  // cb0

@fragment
fn main(@location(0) texcoord0: vec4<f32>, @location(1) texcoord1: vec4<f32>) -> @location(0) vec4<f32> {
  let r0_x = dot(texcoord0.xy, texcoord1.zw);
  let r1 = dot(texcoord0, texcoord1) + (K[0] * texcoord0 + K[1]);  // a, b
  let r0_x_2 = dot(texcoord0.xyz, texcoord1.yzw);
  let r0 = vec4<f32>(r0_x + r1.x, r1.y - r0_x_2, r1.zw) / texcoord1;
  let r0_2 = max(min(r0, K[2]), -abs(texcoord0));  // c
  let r0_z = inverseSqrt(r0_2.w) + sqrt(r0_2.z);
  let r1_x = exp2(texcoord0.x);
  let t = abs(texcoord0.y);
  let r0_3 = vec4<f32>(r0_2.xy, r0_z, log2(t) + r1_x) + fract(texcoord1);
  let r1_2 = floor(texcoord0) - ceil(texcoord1);
  let r0_4 = r0_3 + (trunc(texcoord0.wzyx) * round(texcoord1) + r1_2);
  // s, v3
  let r0_5 = vec4<f32>(saturate(vec3<f32>(r0_4.xy + vec2<f32>(sin(texcoord0.z), cos(texcoord0.z)),
      sin(texcoord1.z) + r0_4.z) + K[3].x) * K[3].yzw, saturate(cos(texcoord1.w) + r0_4.w
      + K[3].x));
  return select(-texcoord1, r0_5, texcoord1 < r0_5);
}
