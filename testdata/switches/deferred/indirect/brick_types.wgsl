struct Brick {
    corner: vec3f,
    size: f32,
    first: u32,
    level: u32,
}

struct Bricks {
    count: u32,
    list: array<Brick, 64>,
    samples: array<vec4f>,
}
