@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0

@fragment
fn main(@location(2) @interpolate(flat) indices: vec4<i32>) -> @location(0) vec4<f32> {
  var r0_y: f32;
  var r0_yzw = vec3<f32>(0.0);
  var i = 0;
  loop {
    if (i >= bitcast<i32>(Params[1].y)) {  // n
      r0_y = r0_yzw.x;
      break;
    }
    if (indices.x == i) {
      i += 1;
      continue;
    }
    r0_y = r0_yzw.x + f32(i);
    if (Params[0].x < r0_y) {  // tint
      break;
    }
    if ((i & 1) != 0) {
      r0_yzw.x = r0_y;
      r0_yzw.y += 1.0;
      i += 1;
      continue;
    }
    r0_yzw.x = r0_y;
    r0_yzw.z += r0_y;
    i += 1;
  }
  return vec4<f32>(r0_y, r0_yzw.yz, 0.0);
}
