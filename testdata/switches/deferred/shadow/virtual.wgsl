// The part of the sun's light that reaches a position: pages of one large map, those
// that are there.
fn shadow_directional(position: vec3f, range: f32) -> f32 {
    let page = shadow_page(position, u32(log2(max(range, 1.0))));
    if page.level == PAGE_ABSENT {
        return 1.0;
    }
    let inside = vec2u(fract(position.xz) * f32(PAGE_SIDE));
    let depth = textureLoad(shadow_pool, vec2i(page.origin * PAGE_SIDE + inside), 0);
    return select(0.0, 1.0, depth >= fract(position.y));
}
