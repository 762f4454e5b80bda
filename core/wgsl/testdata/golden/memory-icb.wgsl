const icb = array<vec4<u32>, 12>(
  vec4<u32>(0x3f800000u, 0u, 0u, 0x3f800000u),
  vec4<u32>(0u, 0x3f800000u, 0u, 0x3f800000u),
  vec4<u32>(0u, 0u, 0x3f800000u, 0x3f800000u),
  vec4<u32>(0x3f000000u, 0x3e800000u, 0x3e000000u, 0x3f800000u),
  vec4<u32>(0xbf800000u, 0x60ad78ecu, 0u, 0x40000000u),
  vec4<u32>(1u, 0u, 0u, 0u),
  vec4<u32>(6u, 0u, 0u, 0u),
  vec4<u32>(15u, 0u, 0u, 0u),
  vec4<u32>(20u, 0u, 0u, 0u),
  vec4<u32>(15u, 0u, 0u, 0u),
  vec4<u32>(6u, 0u, 0u, 0u),
  vec4<u32>(1u, 0u, 0u, 0u),
);

@fragment
fn main(@location(2) @interpolate(flat) indices: vec4<u32>) -> @location(0) vec4<f32> {
  return f32(bitcast<i32>(icb[indices.y % 7u + 5u].x)) * bitcast<vec4<f32>>(icb[indices.x % 5u]);
}
