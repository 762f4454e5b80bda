@group(0) @binding(0) var<storage, read> input: array<u32>;  // t0, stride 4
@group(0) @binding(1) var<storage, read_write> output: array<u32>;  // u0, stride 4
var<workgroup> g0: array<u32, 256>;

fn input_load(element: u32) -> u32 {
  if (element < arrayLength(&input)) {
    return input[element];
  }
  return 0u;
}

fn output_store(element: u32, value: u32) {
  if (element < arrayLength(&output)) {
    output[element] = value;
  }
}

@compute @workgroup_size(128, 1, 1)
fn main(@builtin(local_invocation_index) local_index: u32, @builtin(workgroup_id) group_id: vec3<u32>) {
  let r0_x = group_id.x * 256u + local_index;
  let r0_x_2 = input_load(r0_x + 128u) + input_load(r0_x);
  g0[local_index] = r0_x_2;
  workgroupBarrier();
  if (local_index < 64u) {
    let r0_y = local_index + 64u;
    g0[local_index] = g0[r0_y] + r0_x_2;
  }
  workgroupBarrier();
  if (local_index < 32u) {
    let r0_x_3 = g0[local_index + 32u];
    g0[local_index] += r0_x_3;
  }
  workgroupBarrier();
  if (local_index < 16u) {
    let r0_x_4 = g0[local_index + 16u];
    g0[local_index] += r0_x_4;
  }
  workgroupBarrier();
  if (local_index < 8u) {
    let r0_x_5 = g0[local_index + 8u];
    g0[local_index] += r0_x_5;
  }
  workgroupBarrier();
  if (local_index < 4u) {
    let r0_x_6 = g0[local_index + 4u];
    g0[local_index] += r0_x_6;
  }
  workgroupBarrier();
  if (local_index < 2u) {
    let r0_x_7 = g0[local_index + 2u];
    g0[local_index] += r0_x_7;
  }
  workgroupBarrier();
  if (local_index < 1u) {
    g0[0] += g0[1];
  }
  workgroupBarrier();
  if (local_index == 0u) {
    output_store(group_id.x, g0[0]);
  }
}
