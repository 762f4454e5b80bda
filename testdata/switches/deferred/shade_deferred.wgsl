fn shade_deferred(s: Surface, pixel: vec2u) -> vec3f {
    return light_sun(s) + light_local(s, pixel);
}
