fn brdf_diffuse(s: Surface) -> vec3f {
    return s.albedo / PI;
}

fn brdf_specular(s: Surface, light: vec3f) -> f32 {
    let half_way = normalize(light + s.view);
    let a = square(max(s.roughness, 0.05));
    let d = square(max(dot(s.normal, half_way), 0.0)) * (square(a) - 1.0) + 1.0;
    return square(a) / (PI * square(d)) * 0.25;
}

// Light from one direction that the surface sends to the eye.
fn brdf_standard(s: Surface, light: vec3f) -> vec3f {
    let cosine = max(dot(s.normal, light), 0.0);
    return (brdf_diffuse(s) + vec3f(brdf_specular(s, light))) * cosine;
}
