// Direct light of the sun with its shadow.
fn light_sun(s: Surface) -> vec3f {
    let lit = shadow_directional(s.position, distance(s.position, view.position));
    return brdf_standard(s, -lights.sun_direction) * lights.sun_color * lit;
}
