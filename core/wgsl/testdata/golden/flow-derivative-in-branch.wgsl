@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0
@group(0) @binding(1) var map: texture_2d<f32>;  // t0
@group(0) @binding(2) var smp: sampler;  // s0

@fragment
fn main(@location(1) texcoord: vec2<f32>) -> @location(0) vec4<f32> {
  var color = Params[0];  // tint
  if (bitcast<i32>(Params[1].x) > 0) {  // n
    color = textureSample(map, smp, texcoord);
  }
  if (bitcast<i32>(Params[1].y) > 0) {  // n
    color += dpdxCoarse(texcoord.x);
  }
  return color;
}
