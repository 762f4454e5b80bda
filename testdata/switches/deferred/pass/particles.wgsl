struct Mote {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
}

@vertex
fn vertex_main(@location(0) center: vec4f, @builtin(vertex_index) index: u32) -> Mote {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u)) - 0.5;
    return Mote(vec4f(center.xy + corner * center.w / view.size, center.z, 1.0), center.xyz);
}

@fragment
fn fragment_main(in: Mote) -> @location(0) vec4f {
    let eye = normalize(view.position - in.world);
    let s = Surface(in.world, eye, eye, vec3f(0.8), 1.0);
    return vec4f(shade_deferred(s, vec2u(in.position.xy)), 0.5);
}
