// The world position behind a pixel, from its depth.
fn view_position(uv: vec2f, depth: f32) -> vec3f {
    let clip = vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, depth, 1.0);
    let world = view.from_clip * clip;
    return world.xyz / world.w;
}
