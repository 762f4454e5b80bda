struct View {
    from_clip: mat4x4f,
    position: vec3f,
    time: f32,
    size: vec2f,
    near: f32,
    far: f32,
}
