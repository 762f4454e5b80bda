@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 1>;  // cb0

@fragment
fn main(@location(1) texcoord: vec2<f32>, @location(2) @interpolate(flat) indices: vec4<i32>) -> @location(0) vec4<f32> {
  var color = vec3<f32>(texcoord.x, Params[0].yz);  // tint
  if (!(indices.x == 7 || indices.x == 1 || indices.x == 0)) {
    var r0_yz = vec2<f32>(texcoord.y, Params[0].z);  // tint
    if (indices.x == 2147483647 || indices.x == 4) {
      r0_yz = vec2<f32>(Params[0].y, Params[0].y * Params[0].x);  // tint
    }
    color = vec3<f32>(Params[0].x, r0_yz);  // tint
  }
  return vec4<f32>(color, Params[0].w);  // tint
}
