@fragment
fn fragment_main(in: Screen) -> @location(0) vec4f {
    let depth = textureLoad(gbuffer_depth, vec2i(in.position.xy), 0);
    let position = view_position(in.uv, depth);
    let normal = normalize(vec3f(sin(position.x + view.time) * 0.1, 1.0, cos(position.z + view.time) * 0.1));
    let eye = normalize(view.position - position);
    let fresnel = pow(1.0 - max(dot(eye, normal), 0.0), 5.0);
    let mirrored = indirect_radiance(position, reflect(-eye, normal), 0.02);
    let deep = indirect_irradiance(position, normal) * exp(-vec3f(0.4, 0.1, 0.05) * abs(position.y));
    let sun = shadow_directional(position, distance(position, view.position)) * lights.sun_color;
    return vec4f(mix(deep + sun * 0.02, mirrored, fresnel), 1.0);
}
