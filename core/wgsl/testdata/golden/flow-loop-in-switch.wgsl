@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0

@fragment
fn main(@location(2) @interpolate(flat) indices: vec4<i32>) -> @location(0) vec4<f32> {
  var color: vec4<f32>;
  if (indices.x != 0) {
    var r0_xyz: vec3<f32>;
    if (indices.x == 1) {
      var r0_x = Params[0].y;  // tint
      for (var i = bitcast<i32>(Params[1].x); i > 0; i -= 1) {  // n
        if (i == indices.y) {
          continue;
        }
        r0_x -= f32(i);
      }
      r0_xyz = vec3<f32>(r0_x, 1.0, Params[0].w);  // tint
    } else {
      var r0_z = Params[0].w;  // tint
      while (!(r0_z <= 0.5)) {
        r0_z *= 0.5;
      }
      r0_xyz = vec3<f32>(Params[0].yz, r0_z);  // tint
    }
    color = vec4<f32>(Params[0].x, r0_xyz);  // tint
  } else {
    var r0_x_2 = Params[0].x;  // tint
    for (var i2 = 0; i2 < bitcast<i32>(Params[1].x); i2 += 1) {  // n
      r0_x_2 += f32(i2);
      if (r0_x_2 > 30.0) {
        break;
      }
    }
    color = vec4<f32>(r0_x_2, Params[0].yzw);  // tint
  }
  return color;
}
