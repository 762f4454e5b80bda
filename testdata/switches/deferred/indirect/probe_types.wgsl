struct ProbeVolume {
    corner: vec3f,
    spacing: f32,
    counts: vec3u,
    rays: u32,
}
