@group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 2>;  // cb0
@group(0) @binding(1) var<storage, read_write> output: array<u32>;  // u0, stride 4

fn output_store(element: u32, value: u32) {
  if (element < arrayLength(&output)) {
    output[element] = value;
  }
}

@compute @workgroup_size(8, 8, 1)
fn main(@builtin(global_invocation_id) thread_id: vec3<u32>) {
  let r0_xy = vec2<f32>(thread_id.xy) * Params[1].zw + Params[1].xy;  // a
  var r0_zw = vec2<f32>(0.0);
  var i = 0u;
  while (dot(r0_zw, r0_zw) < 4.0 && i < bitcast<u32>(Params[0].x)) {  // n
    let r1_y = r0_zw.y * r0_zw.y;
    r0_zw = r0_xy
        + vec2<f32>(r0_zw.x * r0_zw.x - r1_y, dot(vec2<f32>(r0_zw.y), vec2<f32>(r0_zw.x)));
    i += 1u;
  }
  let r0_x = thread_id.y * bitcast<u32>(Params[0].y) + thread_id.x;  // n
  output_store(r0_x, i);
}
