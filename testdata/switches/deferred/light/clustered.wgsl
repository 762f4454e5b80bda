const CLUSTER_SIDE = 16u;
const CLUSTER_MOST = 32u;

fn light_attenuation(light: Light, position: vec3f) -> f32 {
    let range = distance(light.position, position);
    return square(saturate(1.0 - range / light.radius)) / max(square(range), 0.01);
}

// Light of the lamps near a pixel: each of the ones that its cluster lists.
fn light_local(s: Surface, pixel: vec2u) -> vec3f {
    let cluster = (pixel.y / CLUSTER_SIDE * 256u + pixel.x / CLUSTER_SIDE) * (CLUSTER_MOST + 1u);
    var sum = vec3f();
    for (var i = 0u; i < min(clusters[cluster], CLUSTER_MOST); i++) {
        let light = lights.list[min(clusters[cluster + 1u + i], lights.count - 1u)];
        sum += brdf_standard(s, normalize(light.position - s.position)) * light.color * light_attenuation(light, s.position);
    }
    return sum;
}
