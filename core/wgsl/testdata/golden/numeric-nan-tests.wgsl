@fragment
fn main(@location(1) texcoord: vec4<f32>) -> @location(0) vec4<f32> {
  return vec4<f32>(0.0, select(0.0, 1.0, (bitcast<u32>(texcoord.y) & 0x7fffffffu) == 0x7f800000u),
      1.0, 0.0) + texcoord;
}
