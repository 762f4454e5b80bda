@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0
@group(0) @binding(1) var map: texture_2d<f32>;  // t0
@group(0) @binding(2) var smp: sampler;  // s0

@fragment
fn main(@location(1) texcoord: vec2<f32>) -> @location(0) vec4<f32> {
  var color = vec4<f32>(0.0);
  for (var i = 0; i < bitcast<i32>(Params[1].x); i += 1) {  // n
    color += textureSampleLevel(map, smp, f32(i) * texcoord, 0.0);
  }
  return color;
}
