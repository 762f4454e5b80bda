// Light that a hit point sends on, from the probes around it.
fn bounce_at(position: vec3f, normal: vec3f) -> vec3f {
    return probe_texel(probe_index(position + normal * 0.1), normal) * 0.5;
}
