@fragment
fn fragment_main(in: Screen) -> @location(0) vec4f {
    let moments = textureLoad(moments_texture, vec2i(in.position.xy), 0);
    let s = Surface(view_position(in.uv, moments.y), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 1.0, 0.0), moments.zzw, 0.5);
    return vec4f(shade_forward(s), exp(-moments.x));
}
