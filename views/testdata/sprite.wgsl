@group(0) @binding(1) var<uniform> cb0: array<vec4<f32>, 17>;
@group(0) @binding(2) var Sprite: texture_2d<f32>;  // t0
@group(0) @binding(3) var Second: texture_2d<f32>;  // t1
@group(0) @binding(4) var SpriteSampler: sampler;  // s0

fn cb0_row(i: u32) -> vec4<f32> {
  if (i < 17u) {
    return cb0[i];
  }
  return vec4<f32>();
}

@fragment
fn main(
    @location(1) color: vec4<f32>,
    @location(2) texcoord0: vec4<f32>,
    @location(3) @interpolate(flat) texcoord1: vec4<u32>,
) -> @location(0) vec4<f32> {
  let sprite = textureSample(Sprite, SpriteSampler, texcoord0.xy);
  var second = textureSample(Second, SpriteSampler, texcoord0.zw);
  switch (bitcast<u32>(cb0[16].y)) {  // Effect
    case 0u: {
      second = sprite;
    }
    case 1u: {
      second += sprite;
    }
    case 2u: {
      second *= sprite;
    }
    case 3u: {
      second = sprite - second;
    }
    case 4u: {
      second = second.w * (second - sprite) + sprite;
    }
    case 7u: {
      second = max(sprite, second);
    }
    default: {}
  }
  let r1 = second * color;
  var color2 = r1.xyz;
  if (bitcast<u32>(cb0[16].x) != 0u) {  // Outline
    let r0_x = dpdxCoarse(sprite.w);
    let r0_y = dpdyCoarse(sprite.w);
    color2 = (abs(r0_y) + abs(r0_x)) * cb0_row(texcoord1.y).xyz + r1.xyz;
  }
  return vec4<f32>(color2, r1.w);
}
