fn probe_index(position: vec3f) -> u32 {
    let cell = vec3u(max((position - probe_volume.corner) / max(probe_volume.spacing, 0.001), vec3f()));
    let inside = min(cell, max(probe_volume.counts, vec3u(1u)) - 1u);
    return (inside.z * probe_volume.counts.y + inside.y) * probe_volume.counts.x + inside.x;
}

fn probe_texel(probe: u32, direction: vec3f) -> vec3f {
    let octant = u32(dot(vec3f(direction > vec3f()), vec3f(1.0, 2.0, 4.0)));
    let packed = textureLoad(probe_atlas, vec2i(i32(octant), i32(probes[probe])), 0).x;
    return unpack4x8unorm(packed).rgb;
}
