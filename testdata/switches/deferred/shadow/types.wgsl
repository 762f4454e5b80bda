struct Cascades {
    to_shadow: array<mat4x4f, 4>,
    ends: vec4f, // distance at which each cascade ends
}
