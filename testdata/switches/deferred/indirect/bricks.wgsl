fn brick_at(position: vec3f) -> u32 {
    for (var i = 0u; i < min(bricks.count, 64u); i++) {
        let brick = bricks.list[i];
        if all(position >= brick.corner) && all(position < brick.corner + brick.size) {
            return i;
        }
    }
    return 0u;
}

fn brick_sample(position: vec3f, direction: vec3f) -> vec3f {
    let brick = bricks.list[brick_at(position)];
    let axis = select(0u, 1u, direction.y > 0.0) + select(0u, 2u, direction.x > 0.0);
    return bricks.samples[brick.first + axis].rgb;
}

fn indirect_irradiance(position: vec3f, normal: vec3f) -> vec3f {
    return brick_sample(position, normal);
}

fn indirect_radiance(position: vec3f, direction: vec3f, roughness: f32) -> vec3f {
    return brick_sample(position + direction * roughness, direction);
}
