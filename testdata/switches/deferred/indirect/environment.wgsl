fn indirect_irradiance(position: vec3f, normal: vec3f) -> vec3f {
    return environment_radiance(normal, 1.0);
}

fn indirect_radiance(position: vec3f, direction: vec3f, roughness: f32) -> vec3f {
    return environment_radiance(direction, roughness);
}
