@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 10>;  // cb0

@fragment
fn main() -> @location(0) vec4<f32> {
  var r0 = Params[0];  // tint
  for (var i = 0; i < bitcast<i32>(Params[1].x); i += 1) {  // n
    let color = r0 + Params[(bitcast<u32>(i) & 7u) + 2u];
    if (color.x > 10.0) {
      return color + color;
    }
    var r1_y = color.w;
    for (var i2 = 0; i2 < bitcast<i32>(Params[1].y); i2 += 1) {  // n
      r1_y += 1.0;
      if (r1_y > 20.0) {
        return vec4<f32>(r1_y, color.zyx);
      }
    }
    r0 = vec4<f32>(color.xyz, r1_y);
  }
  return r0 - 1.0;
}
