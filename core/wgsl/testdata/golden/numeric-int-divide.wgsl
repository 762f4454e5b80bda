@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 3>;  // cb0

fn udiv(a: u32, b: u32) -> u32 {
  return select(a / b, 0xffffffffu, b == 0u);
}

fn udiv4(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(udiv(a.x, b.x), udiv(a.y, b.y), udiv(a.z, b.z), udiv(a.w, b.w));
}

fn umod(a: u32, b: u32) -> u32 {
  return select(a % b, 0xffffffffu, b == 0u);
}

fn umod4(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
  return vec4<u32>(umod(a.x, b.x), umod(a.y, b.y), umod(a.z, b.z), umod(a.w, b.w));
}

@fragment
fn main(@location(2) @interpolate(flat) indices: vec4<i32>) -> @location(0) vec4<f32> {
  let r1 = max(indices, -indices);
  let r2 = max(bitcast<vec4<i32>>(Params[2]), -bitcast<vec4<i32>>(Params[2]));  // i
  let r1_2 = udiv4(bitcast<vec4<u32>>(r1), bitcast<vec4<u32>>(r2));
  let r2_2 = umod4(bitcast<vec4<u32>>(r1), bitcast<vec4<u32>>(r2));
  // i
  let r0 = select(r1_2, 0u - r1_2,
      ((indices ^ bitcast<vec4<i32>>(Params[2])) & vec4<i32>(-2147483648)) != vec4<i32>(0));
  return vec4<f32>(bitcast<vec4<i32>>(r0
      + (select(r2_2, 0u - r2_2, (indices & vec4<i32>(-2147483648)) != vec4<i32>(0))
      << vec4<u32>(1u))));
}
