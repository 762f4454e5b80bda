fn cascade_of(range: f32) -> u32 {
    return u32(dot(vec4f(vec4f(range) > cascades.ends), vec4f(1.0)));
}

// The part of the sun's light that reaches a position: four maps, each over a range.
fn shadow_directional(position: vec3f, range: f32) -> f32 {
    let cascade = min(cascade_of(range), 3u);
    let at = cascades.to_shadow[cascade] * vec4f(position, 1.0);
    return textureSampleCompareLevel(shadow_atlas, shadow_compare, at.xy * vec2f(0.5, -0.5) + 0.5, cascade, at.z);
}
