@fragment
fn main(
    @location(1) texcoord: vec4<f32>,
    @location(2) @interpolate(flat) indices: vec4<i32>,
    @location(3) @interpolate(flat) masks: vec4<u32>,
) -> @location(0) vec4<f32> {
  let r0 = select(vec4<f32>(0.1), vec4<f32>(16777216.0),
      texcoord > vec4<f32>(3.4028234663852886e38, -3.4028234663852886e38, 1.1754944e-38, 0.0));
  let r1 = select(vec4<f32>(-0.0), vec4<f32>(3.4028234663852886e38),
      masks == vec4<u32>(0xffffffffu, 0x7f800000u, 0x7fc00000u, 0x80000000u));
  return r0 + r1 + bitcast<vec4<f32>>(masks | vec4<u32>(0x7f800000u))
      + select(vec4<f32>(1e-10), vec4<f32>(0.33333334), indices == vec4<i32>(-2147483648));
}
