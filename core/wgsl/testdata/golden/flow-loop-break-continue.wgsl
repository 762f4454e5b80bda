@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0

@fragment
fn main(@location(2) @interpolate(flat) indices: vec4<i32>) -> @location(0) vec4<f32> {
  var r0_y = 0.0;
  var r0_zw = vec2<f32>(0.0);
  var i = 0u;
  while (bitcast<i32>(i) < bitcast<i32>(Params[1].y)) {  // n
    if (indices.x == bitcast<i32>(i)) {
      i = bitcast<u32>(bitcast<i32>(i) + 1);
      continue;
    }
    r0_y += f32(bitcast<i32>(i));
    if (Params[0].x < r0_y) {  // tint
      break;
    }
    if ((bitcast<i32>(i) & 1) != 0) {
      r0_zw.x += 1.0;
      i = bitcast<u32>(bitcast<i32>(i) + 1);
      continue;
    }
    r0_zw.y += r0_y;
    i = bitcast<u32>(bitcast<i32>(i) + 1);
  }
  return vec4<f32>(r0_y, r0_zw, 0.0);
}
