@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0

@fragment
fn main(@location(1) texcoord: vec4<f32>, @location(2) @interpolate(flat) indices: vec4<u32>) -> @location(0) vec4<f32> {
  var x0: array<vec4<f32>, 6>;
  x0[0] = vec4<f32>(0.0);
  x0[1] = texcoord;
  x0[2] = texcoord + texcoord;
  x0[3] = texcoord * 3.0;
  x0[4] = texcoord * 4.0;
  x0[5] = texcoord * 5.0;
  x0[indices.x % 6u] = Params[0];  // tint
  let index = bitcast<u32>(Params[1].x);  // n
  if (index < 6u) {
    x0[index].y = 3.0;
    x0[index].z = 3.0;
  }
  let index2 = bitcast<u32>(Params[1].y);  // n
  return x0[indices.y % 6u] + select(vec4<f32>(0.0), x0[index2], index2 < 6u);
}
