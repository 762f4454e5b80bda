@fragment
fn fragment_main(in: Screen) -> @location(0) vec4f {
    let pixel = vec2u(in.position.xy);
    let s = gbuffer_surface(vec2i(pixel), in.uv);
    return vec4f(shade_deferred(s, pixel), 1.0);
}
