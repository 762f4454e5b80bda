fn material_surface(uv: vec2f, position: vec3f, normal: vec3f) -> Surface {
    let rings = fract(length(uv - 0.5) * 12.0);
    return Surface(position, normal, normalize(view.position - position), mix(vec3f(0.4, 0.25, 0.1), vec3f(0.6, 0.4, 0.2), rings), 0.7);
}

fn material_opacity(uv: vec2f) -> f32 {
    return 1.0;
}
