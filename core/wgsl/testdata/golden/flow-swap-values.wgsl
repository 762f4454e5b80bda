@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0

@fragment
fn main(@location(1) texcoord: vec2<f32>) -> @location(0) vec4<f32> {
  var r0 = Params[0];  // tint
  var r1 = texcoord.xyxy;
  for (var i = 0; i < bitcast<i32>(Params[1].x); i += 1) {  // n
    let r0_now = r0;
    r0 = r1;
    r1 = r0_now * 0.5;
  }
  return r0 - r1;
}
