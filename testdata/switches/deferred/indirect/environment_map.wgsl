fn environment_radiance(direction: vec3f, roughness: f32) -> vec3f {
    return textureSampleLevel(environment, linear_sampler, direction, roughness * 8.0).rgb;
}
