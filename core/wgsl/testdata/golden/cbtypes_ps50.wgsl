@group(0) @binding(0) var<uniform> cb0: array<vec4<f32>, 1>;
@group(0) @binding(1) var<uniform> A: array<vec4<f32>, 32>;  // cb2
@group(0) @binding(2) var<storage, read> TB: array<u32>;  // t5, R32G32B32A32_UINT

fn A_row(i: u32) -> vec4<f32> {
  if (i < 32u) {
    return A[i];
  }
  return vec4<f32>();
}

fn TB_load(i: u32) -> vec4<u32> {
  if (i < arrayLength(&TB) / 4u) {
    let w = i * 4u;
    return vec4<u32>(TB[w], TB[w + 1u], TB[w + 2u], TB[w + 3u]);
  }
  return vec4<u32>();
}

@fragment
fn main() -> @location(0) vec4<f32> {
  // m0 column 0, m1 row 2, m0 column 3, m2 column 0
  let r0_xw = vec2<f32>(A[0].y + A[6].x, A[3].y + A[6].w) + A[7].x;
  let r0_y = A[1].y + A[6].y + A[8].x;  // m0 column 1, m1 row 2, m2 column 1
  // m0 column 2, m1 row 2, m2 column 2, x
  let r0 = vec4<f32>(r0_xw.x, r0_y, A[2].y + A[6].z + A[9].x, r0_xw.y) + A[9].z;
  let r1_x = f32(bitcast<i32>(A[10].x));  // y
  // z, w
  let r0_2 = r0 + r1_x + f32(bitcast<u32>(A[10].z)) + select(0.0, 1.0, bitcast<u32>(A[10].w) != 0u);
  let r1 = vec4<f32>(bitcast<vec4<i32>>(A_row(bitcast<u32>(cb0[0].y) + 25u)));  // gi
  // gi, st.m column 0, st.m column 1
  let r0_3 = r0_2 + A_row(bitcast<u32>(cb0[0].y) + 11u).x
      + vec4<f32>(A[15].y, A[16].y, A[15].y, A[16].y);
  // so.i[1].b, so.u, pk
  let r0_4 = r1 + (r0_3 + f32(bitcast<i32>(A[20].w)) + f32(bitcast<u32>(A[23].z)) + A[24].xyzz);
  // dw, m41 column 0, r41 row 2, glob
  let r0_5 = r0_4 + f32(bitcast<u32>(A[27].x)) + A[28].y + A[31].x + cb0[0].x;
  // gi
  return r0_5 + bitcast<vec4<f32>>(TB_load(0u))
      + bitcast<vec4<f32>>(TB_load(bitcast<u32>(bitcast<i32>(cb0[0].y) + 1)));
}
