@group(0) @binding(0) var depth: texture_depth_2d;  // t9
@group(0) @binding(1) var sc: sampler_comparison;  // s1

@fragment
fn main(@location(1) texcoord: vec4<f32>) -> @location(0) vec4<f32> {
  let lit = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(-1, -1));
  let r0_x = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(0, -1)) + lit;
  let r0_x_2 = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(1, -1))
      + r0_x;
  let r0_x_3 = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(-1, 0))
      + r0_x_2;
  let r0_x_4 = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z) + r0_x_3;
  let r0_x_5 = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(1, 0))
      + r0_x_4;
  let r0_x_6 = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(-1, 1))
      + r0_x_5;
  let lit2 = textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(0, 1));
  return vec4<f32>((textureSampleCompareLevel(depth, sc, texcoord.xy, texcoord.z, vec2<i32>(1, 1))
      + (lit2 + r0_x_6)) * 0.11111111);
}
