// What stands behind the pane shines through it, so the template itself asks for
// indirect light.
fn material_surface(uv: vec2f, position: vec3f, normal: vec3f) -> Surface {
    let eye = normalize(view.position - position);
    let behind = indirect_radiance(position, -eye, 0.1);
    return Surface(position, normal, eye, behind * textureSampleLevel(pane_tint, linear_sampler, uv, 0.0).rgb, 0.05);
}

fn material_opacity(uv: vec2f) -> f32 {
    return 0.3;
}
