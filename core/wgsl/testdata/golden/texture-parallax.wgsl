@group(0) @binding(0) var t2: texture_2d<f32>;
@group(0) @binding(1) var s_s0: sampler;  // s0

@fragment
fn main(@location(1) texcoord: vec4<f32>) -> @location(0) vec4<f32> {
  let r0_xy = dpdxCoarse(texcoord.xy);
  let r0_zw = dpdyCoarse(texcoord.xy);
  var r1_x = texcoord.x;
  var r1_y = texcoord.y;
  var r1_z = 1.0;
  for (var i = 0; i < 32; i += 1) {
    if (textureSampleGrad(t2, s_s0, vec2<f32>(r1_x, r1_y), r0_xy, r0_zw).w >= r1_z) {
      break;
    }
    let r1_xy = texcoord.zw * 0.03125 + vec2<f32>(r1_x, r1_y);
    r1_x = r1_xy.x;
    r1_y = r1_xy.y;
    r1_z -= 0.03125;
  }
  return textureSampleGrad(t2, s_s0, vec2<f32>(r1_x, r1_y), r0_xy, r0_zw);
}
