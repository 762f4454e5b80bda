@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0
@group(0) @binding(1) var map: texture_2d<f32>;  // t0
@group(0) @binding(2) var smp: sampler;  // s0

@fragment
fn main(@location(1) texcoord: vec2<f32>) -> @location(0) vec4<f32> {
  if (textureSampleLevel(map, smp, texcoord, 0.0).w < Params[0].w) {  // tint
    discard;
  }
  var r0_x = Params[0].x;  // tint
  for (var i = 0; i < bitcast<i32>(Params[1].x); i += 1) {  // n
    r0_x += 1.0;
    if (texcoord.x < r0_x) {
      discard;
    }
  }
  return vec4<f32>(r0_x, Params[0].yzw);  // tint
}
