@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 1>;  // cb0

@fragment
fn main(@location(1) texcoord: vec2<f32>, @location(2) @interpolate(flat) indices: vec4<i32>) -> @location(0) vec4<f32> {
  var color = Params[0];  // tint
  if (texcoord.x > 0.0) {
    var r0_xyz = Params[0].yzw;  // tint
    if (texcoord.y > 0.0) {
      var r0_yz = vec2<f32>(Params[0].z, 0.0);  // tint
      if (indices.y != 0) {
        r0_yz = Params[0].xw + vec2<f32>(1.0, 0.0);  // tint
      }
      r0_xyz = vec3<f32>(Params[0].x * 2.0 + 2.0, r0_yz);  // tint
    }
    color = vec4<f32>(Params[0].x + 1.0, r0_xyz) * 0.5;  // tint
  }
  return color;
}
