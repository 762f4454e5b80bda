// Light that a hit point would send on: this technique knows none.
fn bounce_at(position: vec3f, normal: vec3f) -> vec3f {
    return vec3f();
}
