@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 10>;  // cb0

@fragment
fn main() -> @location(0) vec4<f32> {
  var r0_x = Params[0].x;  // tint
  var r0_y = Params[0].y;  // tint
  var r0_z = Params[0].z;  // tint
  var r0_w = Params[0].w;  // tint
  // n
  for (var i = 0u; bitcast<i32>(i)
      < bitcast<i32>(Params[1].x); i = bitcast<u32>(bitcast<i32>(i) + 1)) {
    let color = vec4<f32>(r0_x, r0_y, r0_z, r0_w) + Params[(i & 7u) + 2u];
    if (color.x > 10.0) {
      return color + color;
    }
    var r1_y = color.w;
    // n
    for (var i2 = 0u; bitcast<i32>(i2)
        < bitcast<i32>(Params[1].y); i2 = bitcast<u32>(bitcast<i32>(i2) + 1)) {
      r1_y += 1.0;
      if (r1_y > 20.0) {
        return vec4<f32>(r1_y, color.zyx);
      }
    }
    r0_x = color.x;
    r0_y = color.y;
    r0_z = color.z;
    r0_w = r1_y;
  }
  return vec4<f32>(r0_x, r0_y, r0_z, r0_w) - 1.0;
}
