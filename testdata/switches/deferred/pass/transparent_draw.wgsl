struct Instance {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
}

@vertex
fn vertex_main(@location(0) position: vec3f, @location(1) normal: vec3f, @location(2) uv: vec2f) -> Instance {
    return Instance(vec4f(position.xy / view.size, position.z, 1.0), position, normal, uv);
}

@fragment
fn fragment_main(in: Instance) -> @location(0) vec4f {
    let s = material_surface(in.uv, in.world, normalize(in.normal));
    let alpha = material_opacity(in.uv);
    return vec4f(shade_forward(s) * alpha, alpha);
}
