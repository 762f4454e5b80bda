struct Screen {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

// One triangle over the whole target.
@vertex
fn vertex_main(@builtin(vertex_index) index: u32) -> Screen {
    let corner = vec2f(f32((index << 1u) & 2u), f32(index & 2u));
    var out: Screen;
    out.position = vec4f(corner * 2.0 - 1.0, 0.0, 1.0);
    out.uv = vec2f(corner.x, 1.0 - corner.y);
    return out;
}
