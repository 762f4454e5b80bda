@group(0) @binding(0) var t2: texture_2d<f32>;
@group(0) @binding(1) var s_s0: sampler;  // s0

@fragment
fn main(@location(1) texcoord: vec4<f32>) -> @location(0) vec4<f32> {
  let r0_xy = dpdxCoarse(texcoord.xy);
  let r0_zw = dpdyCoarse(texcoord.xy);
  var r1_xyz = vec3<f32>(texcoord.xy, 1.0);
  for (var i = 0; i < 32; i += 1) {
    if (textureSampleGrad(t2, s_s0, r1_xyz.xy, r0_xy, r0_zw).w >= r1_xyz.z) {
      break;
    }
    r1_xyz = vec3<f32>(texcoord.zw * 0.03125 + r1_xyz.xy, r1_xyz.z - 0.03125);
  }
  return textureSampleGrad(t2, s_s0, r1_xyz.xy, r0_xy, r0_zw);
}
