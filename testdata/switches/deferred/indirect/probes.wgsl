fn indirect_irradiance(position: vec3f, normal: vec3f) -> vec3f {
    return probe_texel(probe_index(position), normal);
}

fn indirect_radiance(position: vec3f, direction: vec3f, roughness: f32) -> vec3f {
    let sharp = probe_texel(probe_index(position + direction), direction);
    return mix(sharp, probe_texel(probe_index(position), direction), roughness);
}
