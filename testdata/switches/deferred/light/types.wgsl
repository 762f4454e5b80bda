struct Light {
    position: vec3f,
    radius: f32,
    color: vec3f,
    kind: u32,
}

struct Lights {
    sun_direction: vec3f,
    count: u32,
    sun_color: vec3f,
    list: array<Light>,
}
